/* SPDX-License-Identifier: MIT */
/* count [--smoke]: the instructions, memory reads and memory writes of an operation, for each
 * container, and for the C++ classes beside the C functions that they call. Unlike times they are
 * the same in each run. To be run as
 *
 *     valgrind --tool=callgrind --cache-sim=yes count
 *
 * which writes a dump for each row; report.py makes a table of them. Without valgrind it does the
 * same work and counts nothing. */
#include "count_classes.h"
#include "peers.h"

#include <callgrind.h>

#include <cstring>
#include <numeric>
#include <random>
#include <string>

namespace
{

constexpr size_t item_size = 40; /* bytes */
uint32_t item_count = 10000;

std::vector<uint32_t> order, picks; /* a permutation of the numbers; random numbers */

volatile uint64_t result; /* so that no work is left out */

/* Counts a call of work, under "container/row/operations". */
template <class Work> void count(const char *container, const char *row, uint32_t n, Work work)
{
    std::string name = std::string(container) + "/" + row + "/" + std::to_string(n);
    CALLGRIND_ZERO_STATS;
    result = static_cast<uint64_t>(work());
    CALLGRIND_DUMP_STATS_AT(name.c_str());
}

template <class Key> std::vector<Key> shuffled(const std::vector<Key> &keys)
{
    std::vector<Key> all;
    for (uint32_t i : order)
        all.push_back(keys[i]);
    return all;
}

template <class Container> void count_container()
{
    const uint32_t n = item_count, half = n / 2;
    Container items(n);
    std::vector<typename Container::key_type> keys(n);
    items.insert(0, n, keys.data());
    std::vector<typename Container::key_type> random = shuffled(keys);
    if constexpr ((Container::can & LOOKS_UP) != 0)
        count(Container::name, "lookup random", n, [&] { return items.look_up(random.data(), n); });
    if constexpr ((Container::can & CHURNS) != 0) {
        count(Container::name, "churn", n,
              [&] { return items.churn(keys.data(), picks.data(), n, n); });
        random = shuffled(keys);
    }
    if constexpr ((Container::can & ERASES) != 0) {
        count(Container::name, "erase", half, [&] { return items.erase(random.data(), half); });
    }
    if constexpr ((Container::can & REFILLS) != 0) {
        count(Container::name, "refill", half, [&] {
            items.insert(n, half, random.data());
            return half;
        });
    }
    require(items.iterate() != 0, "no items");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--smoke") == 0)
        item_count = 100;
    std::mt19937_64 generator(1);
    order.resize(item_count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), generator);
    for (uint32_t i = 0; i < item_count; i++)
        picks.push_back(static_cast<uint32_t>(generator() % item_count));
    for_each_container<item_size>(
        [](auto container) { count_container<typename decltype(container)::is>(); });
    count_classes(item_count, [](const char *container, const char *row, uint32_t n, auto work) {
        count(container, row, n, work);
    });
    return 0;
}

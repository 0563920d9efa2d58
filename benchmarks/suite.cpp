/* SPDX-License-Identifier: MIT */
/* suite [--size BYTES] [--items N] [--repetitions R] [--rows REGEX] [--containers REGEX]
 *       [--out FILE] [--smoke]
 *
 * Every container of peers.h does the same work, with the same items in the same order, in one run
 * of Google Benchmark whose repetitions are interleaved at random. A benchmark is a scenario in
 * which several rows are timed; each repetition makes a new container, so that luck with physical
 * pages shows as spread. What a row returns must be the same for all containers.
 *
 * FILE gets Google Benchmark's JSON, where each row is a counter in ns an operation; report.py
 * makes tables of it. --smoke runs everything once on few items. Exit code 1 if a container's
 * results differ from the others'. docs/benchmarks.md describes the rows. */
#include "clock.h"
#include "peers.h"

#include <benchmark/benchmark.h>

#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace
{

struct settings {
    size_t size = 40; /* bytes */
    uint32_t items = 1000000;
    int repetitions = 7;
    std::string rows = "", containers = "", out = "";
    bool smoke = false;
};
settings set;

/* A repetition makes at least so many operations of a row, in several passes if items are few. */
enum { READS = 4000000, WRITES = 500000, MOST_CHURN = 1000000 };

enum { MOST_SMALL = 10000 }; /* items of a container that is made again and again */

enum { BATCH = 256 }; /* most items that churn in batches erases at once */

std::vector<uint32_t> first_order, second_order; /* permutations of the items' numbers */
std::vector<uint32_t> picks;                     /* random numbers, which may repeat */
std::vector<uint32_t> batch_ends;                /* in picks; no batch has a number twice */
double price;                                    /* seconds that reading the clock takes */

std::map<std::string, uint64_t> results; /* of each row, from the first container */
bool all_agree = true;

void compare_results(const std::string &row, const char *container, uint64_t result)
{
    uint64_t expected = results.emplace(row, result).first->second;
    if (result == expected)
        return;
    std::fprintf(stderr, "suite: %s of %s: %llu, elsewhere %llu\n", row.c_str(), container,
                 static_cast<unsigned long long>(result),
                 static_cast<unsigned long long>(expected));
    all_agree = false;
}

uint32_t setups()
{
    return set.smoke ? 1 : std::max<uint32_t>(1, WRITES / set.items);
}

uint32_t reads()
{
    return set.smoke ? 1 : std::max<uint32_t>(1, READS / set.items / setups());
}

/* The rows of one repetition. */
class stopwatch
{
    struct row {
        double seconds, operations;
    };
    std::map<std::string, row> rows;
    const char *container;

  public:
    explicit stopwatch(const char *name) : container(name)
    {
    }
    /* Times `passes` calls of work, each of which does so many operations and returns a result. */
    template <class Work>
    void time(const char *name, uint32_t operations, uint32_t passes, Work work)
    {
        uint64_t result = 0;
        cpu_seconds(); /* brings the clock's own code into the caches, for short work */
        double start = cpu_seconds();
        for (uint32_t i = 0; i < passes; i++) {
            result = work();
            benchmark::ClobberMemory(); /* so that the compiler does not merge the passes */
        }
        double seconds = cpu_seconds() - start - price;
        compare_results(name, container, result);
        row &r = rows[name];
        r.seconds += std::max(seconds, 0.0);
        r.operations += static_cast<double>(operations) * passes;
    }
    void report(benchmark::State &state) const
    {
        std::regex wanted(set.rows);
        for (const auto &[name, r] : rows)
            if (std::regex_search(name, wanted))
                state.counters[name] = r.seconds * 1e9 / r.operations;
    }
    double seconds() const
    {
        double total = 0;
        for (const auto &entry : rows)
            total += entry.second.seconds;
        return total;
    }
};

template <class Key>
std::vector<Key> in_order(const std::vector<uint32_t> &order, const std::vector<Key> &keys)
{
    std::vector<Key> ordered;
    ordered.reserve(keys.size());
    for (uint32_t i : order)
        ordered.push_back(keys[i]);
    return ordered;
}

/* A container with all items, and their keys in the order of their numbers. */
template <class Container> struct filled {
    Container items;
    std::vector<typename Container::key_type> keys;

    filled() : items(set.items), keys(set.items)
    {
        items.insert(0, set.items, keys.data());
    }
};

/* The scenarios. */

template <class Container> void live(stopwatch &watch)
{
    uint32_t n = set.items;
    std::vector<typename Container::key_type> keys(n);
    std::optional<Container> items;
    watch.time("create", n, 1, [&] {
        items.emplace(n);
        items->insert(0, n, keys.data());
        return n;
    });
    if constexpr ((Container::can & ITERATES) != 0)
        watch.time("iterate", n, reads(), [&] { return items->iterate(); });
    if constexpr ((Container::can & LOOKS_UP) != 0) {
        watch.time("lookup in order", n, reads(), [&] { return items->look_up(keys.data(), n); });
        std::vector<typename Container::key_type> shuffled = in_order(first_order, keys);
        watch.time("lookup random", n, reads(), [&] { return items->look_up(shuffled.data(), n); });
    }
    compare_results("items after create", Container::name, items->iterate());
    watch.time("clear", n, 1, [&] {
        items->clear();
        return 0;
    });
    compare_results("items after clear", Container::name, items->iterate());
    watch.time("insert warm", n, 1, [&] {
        items->insert(n, n, keys.data());
        return n;
    });
    compare_results("items after insert", Container::name, items->iterate());
}

/* Containers that live one after another, as those of a function that is called often. */
template <class Container> void create_again(stopwatch &watch)
{
    uint32_t n = set.items;
    std::vector<typename Container::key_type> keys(n);
    watch.time("create again", n, reads(), [&] {
        Container items(n);
        items.insert(0, n, keys.data());
        return n;
    });
}

template <class Container> void halve(stopwatch &watch)
{
    filled<Container> f;
    uint32_t n = set.items, half = n / 2;
    std::vector<typename Container::key_type> doomed = in_order(first_order, f.keys);
    compare_results("erased half", Container::name, f.items.erase(doomed.data(), half));
    if constexpr ((Container::can & REFUSES) != 0) {
        std::vector<typename Container::key_type> asked = in_order(second_order, f.keys);
        watch.time("lookup half stale", n, reads(),
                   [&] { return f.items.look_up(asked.data(), n); });
        watch.time("validity half stale", n, reads(),
                   [&] { return f.items.count_live(asked.data(), n); });
    }
    watch.time("refill", half, 1, [&] {
        f.items.insert(n, half, doomed.data());
        return half;
    });
    compare_results("items after refill", Container::name, f.items.iterate());
}

template <class Container> void erase(stopwatch &watch)
{
    filled<Container> f;
    std::vector<typename Container::key_type> doomed = in_order(first_order, f.keys);
    watch.time("erase all", set.items, 1, [&] { return f.items.erase(doomed.data(), set.items); });
    compare_results("items after erase", Container::name, f.items.iterate());
}

template <class Container> void churn(stopwatch &watch)
{
    filled<Container> f;
    uint32_t n = static_cast<uint32_t>(picks.size());
    watch.time("churn", n, 1,
               [&] { return f.items.churn(f.keys.data(), picks.data(), n, set.items); });
    compare_results("items after churn", Container::name, f.items.iterate());
    const std::vector<uint32_t> same(n, 0);
    watch.time("pair at one slot", n, 1,
               [&] { return f.items.churn(f.keys.data(), same.data(), n, set.items); });
}

/* Erases the picks of a batch, and then inserts as many items. */
template <class Container> void churn_in_batches(stopwatch &watch)
{
    filled<Container> f;
    std::vector<typename Container::key_type> batch(BATCH);
    watch.time("churn in batches", static_cast<uint32_t>(picks.size()), 1, [&] {
        uint32_t begin = 0, erased = 0;
        for (uint32_t end : batch_ends) {
            for (uint32_t i = begin; i < end; i++)
                batch[i - begin] = f.keys[picks[i]];
            erased += f.items.erase(batch.data(), end - begin);
            f.items.insert(set.items + begin, end - begin, batch.data());
            for (uint32_t i = begin; i < end; i++)
                f.keys[picks[i]] = batch[i - begin];
            begin = end;
        }
        return erased;
    });
    compare_results("items after churn", Container::name, f.items.iterate());
}

/* Returns to the system what other containers have freed. */
void empty_heap()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

template <class Container>
void add_scenario(const char *name, const char *rows, void (*scenario)(stopwatch &))
{
    std::string all(rows), container(Container::name);
    if (!std::regex_search(container, std::regex(set.containers)) ||
        !std::regex_search(all, std::regex(set.rows)))
        return;
    auto run = [scenario](benchmark::State &state) {
        stopwatch watch(Container::name);
        double before = 0;
        for (auto unused : state) {
            empty_heap();
            scenario(watch);
            state.SetIterationTime(watch.seconds() - before);
            before = watch.seconds();
        }
        watch.report(state);
        std::fputc('.', stderr);
    };
    benchmark::RegisterBenchmark((name + ("/" + container)).c_str(), run)
        ->Repetitions(set.smoke ? 1 : set.repetitions)
        ->Iterations(setups())
        ->UseManualTime();
}

template <class Container> void add_container()
{
    if constexpr ((Container::can & FILLS) != 0)
        add_scenario<Container>(
            "live", "create\niterate\nlookup in order\nlookup random\nclear\ninsert warm",
            live<Container>);
    if ((Container::can & FILLS) != 0 && set.items <= MOST_SMALL)
        add_scenario<Container>("again", "create again", create_again<Container>);
    if constexpr ((Container::can & REFILLS) != 0) {
        add_scenario<Container>("halve", "lookup half stale\nvalidity half stale\nrefill",
                                halve<Container>);
        add_scenario<Container>("batches", "churn in batches", churn_in_batches<Container>);
    }
    if constexpr ((Container::can & ERASES) != 0)
        add_scenario<Container>("erase", "erase all", erase<Container>);
    if constexpr ((Container::can & CHURNS) != 0)
        add_scenario<Container>("churn", "churn\npair at one slot", churn<Container>);
}

void divide_picks()
{
    std::vector<uint32_t> last(set.items, 0); /* number -> its last batch, counted from 1 */
    uint32_t batch = 1, size = 0;
    for (uint32_t i = 0; i < picks.size(); i++) {
        if (size == BATCH || last[picks[i]] == batch) {
            batch_ends.push_back(i);
            batch++;
            size = 0;
        }
        last[picks[i]] = batch;
        size++;
    }
    batch_ends.push_back(static_cast<uint32_t>(picks.size()));
}

void shuffle_numbers()
{
    std::mt19937_64 random(1);
    first_order.resize(set.items);
    std::iota(first_order.begin(), first_order.end(), 0);
    second_order = first_order;
    std::shuffle(first_order.begin(), first_order.end(), random);
    std::shuffle(second_order.begin(), second_order.end(), random);
    picks.resize(std::min<uint32_t>(set.items, MOST_CHURN));
    for (uint32_t &pick : picks)
        pick = static_cast<uint32_t>(random() % set.items);
    divide_picks();
}

/* Prints nothing: all figures are in the JSON. */
class silent : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &) override
    {
    }
};

void run_all(char *program)
{
    std::vector<std::string> words = {program, "--benchmark_enable_random_interleaving=true"};
    if (!set.out.empty()) {
        words.push_back("--benchmark_out=" + set.out);
        words.push_back("--benchmark_out_format=json");
    }
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(&word[0]);
    arguments.push_back(nullptr);
    int count = static_cast<int>(words.size());
    benchmark::Initialize(&count, arguments.data());
    benchmark::AddCustomContext("item_size", std::to_string(set.size));
    benchmark::AddCustomContext("items", std::to_string(set.items));
    benchmark::AddCustomContext("missing", missing_peers());
    silent reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    std::fputc('\n', stderr);
}

/* Returns false if the arguments are wrong. */
bool read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (word == "--smoke") {
            set.smoke = true;
            set.items = 3000;
            continue;
        }
        if (++i == argc)
            return false;
        if (word == "--size")
            set.size = std::strtoul(argv[i], nullptr, 10);
        else if (word == "--items")
            set.items = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10));
        else if (word == "--repetitions")
            set.repetitions = std::atoi(argv[i]);
        else if (word == "--rows")
            set.rows = argv[i];
        else if (word == "--containers")
            set.containers = argv[i];
        else if (word == "--out")
            set.out = argv[i];
        else
            return false;
    }
    return set.items >= 2 && set.repetitions > 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (!read_arguments(argc, argv)) {
        std::fprintf(stderr,
                     "usage: %s [--size BYTES] [--items N] [--repetitions R] [--rows REGEX]\n"
                     "       [--containers REGEX] [--out FILE] [--smoke]\n",
                     argv[0]);
        return 2;
    }
    shuffle_numbers();
    price = clock_price();
    for_each_container(set.size,
                       [](auto container) { add_container<typename decltype(container)::is>(); });
    run_all(argv[0]);
    return all_agree ? 0 : 1;
}

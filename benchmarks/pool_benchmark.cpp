/* SPDX-License-Identifier: MIT */
/* pool_benchmark [--items N] [--repetitions R] [--smoke]: what holes cost an iteration, for the
 * pool with each storage, plf::colony and Rust's slot maps (if installed), compared with a plain
 * array of the live items. The suite measures the other operations of the pool.
 *
 * Rows are in groups, one for each share of holes. All rows of a group visit the same items,
 * several times, in random interleaving. Its table gives the medians with their spread, and each
 * row's time as a multiple of the pool's, for each of the pool's storages. --smoke runs each row
 * once on few items, as a test. */
#include "peers.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>

namespace
{

constexpr size_t item_size = 40; /* bytes */
uint32_t item_count = 1000000;
int repetitions = 21;
bool smoke;

/* The numbers from 0 to item_count - 1 in a random order, the same for all rows. */
std::vector<uint32_t> shuffled_order;

enum { RUN_LENGTH = 1000 }; /* holes in a run */

using one_range = pool<item_size, HM_STORAGE_VIRTUAL>;
using fixed_blocks = pool<item_size, HM_STORAGE_FIXED_BLOCKS>;
using growing_blocks = pool<item_size, HM_STORAGE_GROWING_BLOCKS>;

/* The same pools, visited from bit to bit instead of from run to run. */
template <hm_storage Storage> struct by_words : pool<item_size, Storage> {
    static constexpr const char *name = Storage == HM_STORAGE_VIRTUAL ? "hm_pool, by words"
                                        : Storage == HM_STORAGE_FIXED_BLOCKS
                                            ? "hm_pool fixed, by words"
                                            : "hm_pool growing, by words";
    using pool<item_size, Storage>::pool;

    uint64_t iterate() const
    {
        const hm_pool *self = &this->items;
        uint64_t total = 0, live;
        for (uint32_t word = hm_pool_next_word(self, 0, &live); word != HM_INVALID_INDEX;
             word = hm_pool_next_word(self, word + 1, &live))
            for (; live != 0; live &= live - 1) {
                uint32_t index = HM_POOL_WORD * word + hm_bits_lowest(live);
                total += static_cast<const item<item_size> *>(
                             hm_pool_item_at_sized(self, index, item_size))
                             ->words[0];
            }
        return total;
    }
};

struct row {
    std::string name;
    double asked; /* goal: the row's time is at least so many times the pool's; 0: none */
    std::function<void(benchmark::State &)> run;
};

struct group {
    std::string title;
    uint32_t live_count; /* times are given for one live item */
    std::vector<row> rows;
};

/* Keeps the repetitions of each row, in seconds an iteration. */
class collector : public benchmark::BenchmarkReporter
{
  public:
    std::map<std::string, std::vector<double>> times;

    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            if (run.run_type == Run::RT_Iteration)
                times[run.run_name.function_name].push_back(run.cpu_accumulated_time /
                                                            static_cast<double>(run.iterations));
    }
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double best(const std::vector<double> &values)
{
    return *std::min_element(values.begin(), values.end());
}

/* Ratios are of the medians and, in brackets, of the best repetitions, which other work on the
 * machine disturbs least. */
void print_table(const group &g, collector &results)
{
    const char *pools[] = {one_range::name, fixed_blocks::name, growing_blocks::name};
    double scale = 1e9 / g.live_count;
    std::printf("\n%-36s %8s  %-17s   times the time of the pool with\n", g.title.c_str(), "ns",
                "spread");
    std::printf("%-36s %8s  %-17s   %-14s %-14s %-14s %s\n", "", "", "", "one range",
                "fixed blocks", "growing ones", "asked");
    for (const row &r : g.rows) {
        const std::vector<double> &times = results.times[r.name];
        std::printf("  %-34s %8.2f  %7.2f .. %-7.2f", r.name.c_str(), median(times) * scale,
                    best(times) * scale, *std::max_element(times.begin(), times.end()) * scale);
        for (const char *name : pools) {
            const std::vector<double> &ours = results.times[name];
            std::printf("  %5.2f (%5.2f)", median(times) / median(ours), best(times) / best(ours));
        }
        if (r.asked > 0)
            std::printf("  %.2f", r.asked);
        std::printf("\n");
    }
    std::fflush(stdout);
}

void measure(const group &g)
{
    for (const row &r : g.rows)
        benchmark::RegisterBenchmark(r.name.c_str(),
                                     [&r](benchmark::State &state) { r.run(state); })
            ->Repetitions(smoke ? 1 : repetitions)
            ->Iterations(smoke ? 1 : 1 + 10000000 / int64_t{g.live_count});
    collector results;
    benchmark::RunSpecifiedBenchmarks(&results);
    benchmark::ClearRegisteredBenchmarks();
    print_table(g, results);
}

struct holes {
    uint32_t percent;
    bool in_runs;
};

/* The items to be erased, in the order of erasing: single items or runs, in random order. */
std::vector<uint32_t> doomed_items(holes h)
{
    uint32_t length = h.in_runs ? RUN_LENGTH : 1;
    std::vector<uint32_t> runs, doomed;
    for (uint32_t i : shuffled_order)
        if (i % length == 0)
            runs.push_back(i);
    runs.resize(runs.size() * h.percent / 100);
    for (uint32_t first : runs)
        for (uint32_t i = first; i < item_count && i - first < length; i++)
            doomed.push_back(i);
    return doomed;
}

template <class Container> row iterate(const std::vector<uint32_t> &doomed, double asked)
{
    return {Container::name, asked, [&doomed](benchmark::State &state) {
                Container items(item_count);
                std::vector<typename Container::key_type> keys(item_count), dying;
                items.insert(0, item_count, keys.data());
                uint64_t expected = uint64_t{item_count} * (item_count - 1) / 2;
                for (uint32_t i : doomed) {
                    dying.push_back(keys[i]);
                    expected -= i;
                }
                uint32_t n = static_cast<uint32_t>(dying.size());
                require(items.erase(dying.data(), n) == n, "an erase missed");
                require(items.iterate() == expected, "an iteration missed an item");
                for (auto unused : state)
                    benchmark::DoNotOptimize(items.iterate());
            }};
}

/* The live items side by side: the cost without holes. */
row iterate_array(const std::vector<uint32_t> &doomed, double asked)
{
    return {"plain array of the live ones", asked, [&doomed](benchmark::State &state) {
                std::vector<bool> dead(item_count);
                for (uint32_t i : doomed)
                    dead[i] = true;
                plain_array<item_size> items(item_count);
                for (uint32_t i = 0; i < item_count; i++)
                    if (!dead[i])
                        items.insert_one(item<item_size>::numbered(i));
                benchmark::DoNotOptimize(items.iterate());
                for (auto unused : state)
                    benchmark::DoNotOptimize(items.iterate());
            }};
}

void measure_iteration(holes h)
{
    std::vector<uint32_t> doomed = doomed_items(h);
    std::string title = "iterate, ";
    title += std::to_string(h.percent) + "% holes";
    if (h.percent != 0)
        title += h.in_runs ? ", in runs" : ", scattered";
    [[maybe_unused]] bool half_scattered = h.percent == 50 && !h.in_runs;
    double array_asked = h.percent == 0 ? 1 / 1.05 : h.percent == 99 ? 0.5 : 0;
    group g = {title, item_count - static_cast<uint32_t>(doomed.size()), {}};
    g.rows.push_back(iterate<one_range>(doomed, 0));
    g.rows.push_back(iterate<fixed_blocks>(doomed, 0));
    g.rows.push_back(iterate<growing_blocks>(doomed, 0));
    g.rows.push_back(iterate<by_words<HM_STORAGE_VIRTUAL>>(doomed, 0));
    g.rows.push_back(iterate<by_words<HM_STORAGE_FIXED_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate<by_words<HM_STORAGE_GROWING_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate_array(doomed, array_asked));
#ifdef WITH_COLONY
    g.rows.push_back(iterate<colony<item_size>>(doomed, half_scattered ? 1 : 0));
#endif
#ifdef WITH_SLOTMAP
    g.rows.push_back(iterate<slotmap<item_size, SLOT_MAP>>(doomed, 0));
    g.rows.push_back(iterate<slotmap<item_size, HOP_SLOT_MAP>>(doomed, half_scattered ? 1 : 0));
#endif
    measure(g);
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--smoke") == 0)
            smoke = true;
        else if (std::strcmp(argv[i], "--items") == 0 && i + 1 < argc)
            item_count = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        else if (std::strcmp(argv[i], "--repetitions") == 0 && i + 1 < argc)
            repetitions = std::atoi(argv[++i]);
        else
            return std::fprintf(stderr, "usage: %s [--items N] [--repetitions R] [--smoke]\n",
                                argv[0]),
                   2;
    }
    if (smoke)
        item_count = 3000;
    require(item_count >= 2 * RUN_LENGTH && repetitions > 0, "too few items or repetitions");
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    char *flags[] = {argv[0], &interleave[0], nullptr};
    int flag_count = 2;
    benchmark::Initialize(&flag_count, flags);

    for (uint32_t i = 0; i < item_count; i++)
        shuffled_order.push_back(i);
    std::shuffle(shuffled_order.begin(), shuffled_order.end(), std::mt19937_64(1));
    std::printf("%u items of %zu bytes, %d repetitions; ratios of the medians (of the best)\n",
                item_count, item_size, smoke ? 1 : repetitions);
    measure_iteration({0, false});
    for (bool in_runs : {false, true})
        for (uint32_t percent : {10u, 50u, 90u, 99u})
            measure_iteration({percent, in_runs});
    return 0;
}

/* pool_benchmark [--items N] [--repetitions R] [--smoke]: the pool beside a plain array,
 * swap-and-pop that keeps handles, plf::colony and Rust's slot maps (the last two where they are
 * installed).
 *
 * Work comes in groups. All rows of a group do the same to the same items in the same order,
 * several times over, in random interleaving; its table gives the medians with their spread, and
 * how many times the pool's time a row takes, for each of the pool's storages. --smoke runs each
 * row once on few items, as a test. */
#include "pool_peers.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>

namespace
{

uint32_t item_count = 1000000;
int repetitions = 21;
bool smoke;

/* The numbers from 0 to item_count - 1 in one random order, for all. */
std::vector<uint32_t> shuffled_order;

enum { RUN_LENGTH = 1000 }; /* items; of the holes that are in runs */

/* Of this thread. Other work on the machine still costs caches, but not its own time. */
double cpu_seconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "pool_benchmark: %s\n", what);
    std::exit(1);
}

struct row {
    std::string name;
    double asked; /* of its time, how many times the pool's it is at least; 0: nothing */
    std::function<void(benchmark::State &)> run;
};

struct group {
    std::string title;
    uint32_t unit_count; /* times are given for one of so many */
    bool has_setup;      /* an iteration prepares what it measures, and times itself */
    std::vector<row> rows;
};

/* Keeps the repetitions of each row, in seconds an iteration. */
class collector : public benchmark::BenchmarkReporter
{
    bool has_setup;

  public:
    std::map<std::string, std::vector<double>> times;

    explicit collector(const group &g) : has_setup(g.has_setup)
    {
    }

    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            if (run.run_type == Run::RT_Iteration)
                times[run.run_name.function_name].push_back(
                    (has_setup ? run.real_accumulated_time : run.cpu_accumulated_time) /
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

/* Ratios are of the medians, as a run meets them, and in brackets of the best repetitions: what
 * remains when the machine's other work is taken out. */
void print_table(const group &g, collector &results)
{
    const char *pools[] = {pool<HM_STORAGE_VIRTUAL>::name, pool<HM_STORAGE_FIXED_BLOCKS>::name,
                           pool<HM_STORAGE_GROWING_BLOCKS>::name};
    double scale = 1e9 / g.unit_count;
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
    for (const row &r : g.rows) {
        benchmark::internal::Benchmark *b = benchmark::RegisterBenchmark(
            r.name.c_str(), [&r](benchmark::State &state) { r.run(state); });
        b->Repetitions(smoke ? 1 : repetitions);
        b->Iterations(smoke ? 1 : 1 + (g.has_setup ? 500000 : 10000000) / int64_t{g.unit_count});
        if (g.has_setup)
            b->UseManualTime();
    }
    collector results(g);
    benchmark::RunSpecifiedBenchmarks(&results);
    benchmark::ClearRegisteredBenchmarks();
    print_table(g, results);
}

template <class Key> std::vector<Key> in_random_order(const std::vector<Key> &keys)
{
    std::vector<Key> shuffled;
    shuffled.reserve(keys.size());
    for (uint32_t i : shuffled_order)
        shuffled.push_back(keys[i]);
    return shuffled;
}

/* lookup */

uint64_t sum_of_numbers()
{
    return uint64_t{item_count} * (item_count - 1) / 2;
}

template <class Container> row look_up(double asked)
{
    return {Container::name, asked, [](benchmark::State &state) {
                Container items(item_count);
                std::vector<typename Container::key> keys(item_count);
                items.insert(item_count, keys.data());
                keys = in_random_order(keys);
                require(items.look_up(keys.data(), item_count) == sum_of_numbers(),
                        "a lookup missed");
                for (auto unused : state)
                    benchmark::DoNotOptimize(items.look_up(keys.data(), item_count));
            }};
}

/* A list of eight bytes for each item, as keys are. */
void read_array(benchmark::State &state)
{
    std::vector<item> items;
    for (uint32_t i = 0; i < item_count; i++)
        items.push_back(item_of(i));
    std::vector<uint64_t> order(shuffled_order.begin(), shuffled_order.end());
    for (auto unused : state) {
        uint64_t total = 0;
        for (uint64_t i : order)
            total += items[i].words[0];
        benchmark::DoNotOptimize(total);
    }
}

void measure_lookup()
{
    group g = {"lookup at random", item_count, false, {}};
    g.rows.push_back(look_up<pool<HM_STORAGE_VIRTUAL>>(0));
    g.rows.push_back(look_up<pool<HM_STORAGE_FIXED_BLOCKS>>(0));
    g.rows.push_back(look_up<pool<HM_STORAGE_GROWING_BLOCKS>>(0));
    g.rows.push_back({"read of a plain array", 0, read_array});
    g.rows.push_back(look_up<swapping_map>(0));
    g.rows.push_back(look_up<packed_vector>(0));
#ifdef WITH_SLOTMAP
    g.rows.push_back(look_up<rust<false>>(1.0));
    g.rows.push_back(look_up<rust<true>>(0));
#endif
    measure(g);
}

/* erase and refill */

/* Each iteration has a container of its own, whose items were never erased before. */
template <class Container> row erase_all(double asked)
{
    return {Container::name, asked, [](benchmark::State &state) {
                for (auto unused : state) {
                    Container items(item_count);
                    std::vector<typename Container::key> keys(item_count);
                    items.insert(item_count, keys.data());
                    keys = in_random_order(keys);
                    double start = cpu_seconds();
                    uint32_t erased = items.erase(keys.data(), item_count);
                    state.SetIterationTime(cpu_seconds() - start);
                    require(erased == item_count, "an erase missed");
                }
            }};
}

template <class Container> row refill(double asked)
{
    return {Container::name, asked, [](benchmark::State &state) {
                uint32_t half = item_count / 2;
                for (auto unused : state) {
                    Container items(item_count);
                    std::vector<typename Container::key> keys(item_count);
                    items.insert(item_count, keys.data());
                    keys = in_random_order(keys);
                    require(items.erase(keys.data(), half) == half, "an erase missed");
                    double start = cpu_seconds();
                    benchmark::DoNotOptimize(items.refill(half));
                    state.SetIterationTime(cpu_seconds() - start);
                }
            }};
}

void measure_erase()
{
    group g = {"erase of all, at random", item_count, true, {}};
    g.rows.push_back(erase_all<pool<HM_STORAGE_VIRTUAL>>(0));
    g.rows.push_back(erase_all<pool<HM_STORAGE_FIXED_BLOCKS>>(0));
    g.rows.push_back(erase_all<pool<HM_STORAGE_GROWING_BLOCKS>>(0));
    g.rows.push_back(erase_all<swapping_map>(1.3));
    g.rows.push_back(erase_all<packed_vector>(1.3));
#ifdef WITH_COLONY
    g.rows.push_back(erase_all<colony>(0));
#endif
#ifdef WITH_SLOTMAP
    g.rows.push_back(erase_all<rust<false>>(1.2));
    g.rows.push_back(erase_all<rust<true>>(0));
#endif
    measure(g);
}

void measure_refill()
{
    group g = {"refill after a random half is erased", item_count / 2, true, {}};
    g.rows.push_back(refill<pool<HM_STORAGE_VIRTUAL>>(0));
    g.rows.push_back(refill<pool<HM_STORAGE_FIXED_BLOCKS>>(0));
    g.rows.push_back(refill<pool<HM_STORAGE_GROWING_BLOCKS>>(0));
    g.rows.push_back(refill<swapping_map>(0));
    g.rows.push_back(refill<packed_vector>(0));
#ifdef WITH_COLONY
    g.rows.push_back(refill<colony>(1.5));
#endif
#ifdef WITH_SLOTMAP
    g.rows.push_back(refill<rust<false>>(1.5));
    g.rows.push_back(refill<rust<true>>(1.5));
#endif
    measure(g);
}

/* iteration */

struct holes {
    uint32_t percent;
    bool in_runs;
};

/* The items that go, in the order in which they go: from a random order of single items, or of
 * runs. */
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
                std::vector<typename Container::key> keys(item_count), dying;
                items.insert(item_count, keys.data());
                uint64_t expected = sum_of_numbers();
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

/* The live items side by side: what no holes would cost. */
row iterate_array(const std::vector<uint32_t> &doomed, double asked)
{
    return {"plain array of the live ones", asked, [&doomed](benchmark::State &state) {
                std::vector<bool> dead(item_count);
                for (uint32_t i : doomed)
                    dead[i] = true;
                std::vector<item> items;
                for (uint32_t i = 0; i < item_count; i++)
                    if (!dead[i])
                        items.push_back(item_of(i));
                benchmark::DoNotOptimize(sum(items.data(), items.size()));
                for (auto unused : state)
                    benchmark::DoNotOptimize(sum(items.data(), items.size()));
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
    group g = {title, item_count - static_cast<uint32_t>(doomed.size()), false, {}};
    g.rows.push_back(iterate<pool<HM_STORAGE_VIRTUAL>>(doomed, 0));
    g.rows.push_back(iterate<pool<HM_STORAGE_FIXED_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate<pool<HM_STORAGE_GROWING_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate<pool_by_words<HM_STORAGE_VIRTUAL>>(doomed, 0));
    g.rows.push_back(iterate<pool_by_words<HM_STORAGE_FIXED_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate<pool_by_words<HM_STORAGE_GROWING_BLOCKS>>(doomed, 0));
    g.rows.push_back(iterate_array(doomed, array_asked));
#ifdef WITH_COLONY
    g.rows.push_back(iterate<colony>(doomed, half_scattered ? 1 : 0));
#endif
#ifdef WITH_SLOTMAP
    g.rows.push_back(iterate<rust<false>>(doomed, 0));
    g.rows.push_back(iterate<rust<true>>(doomed, half_scattered ? 1 : 0));
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
                item_count, sizeof(item), smoke ? 1 : repetitions);
    measure_lookup();
    measure_erase();
    measure_refill();
    measure_iteration({0, false});
    for (bool in_runs : {false, true})
        for (uint32_t percent : {10u, 50u, 90u, 99u})
            measure_iteration({percent, in_runs});
    return 0;
}

/* map_benchmark [--items N] [--smoke]: the map's basic operations beside a plain array's, in one
 * run.
 *
 * Google Benchmark runs every row several times in random interleaving; the table at the end gives
 * the median of the repetitions with their spread, in nanoseconds an item, and the ratio to the row
 * it is measured against. --smoke runs each row once on few items, as a test. */
#include <handle_map/handle_map.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace
{

struct item {
    uint64_t words[5]; /* 40 bytes */
};

HM_MAP_DEFINE(item, item, 7)

/* N items in a map and in a plain array; their handles in dense order and shuffled. */
struct fixture {
    item_map map;
    std::vector<item> array;
    std::vector<item_handle> ordered, shuffled;

    explicit fixture(uint32_t n)
    {
        if (item_map_init(&map, n) != HM_OK)
            std::abort();
        for (uint32_t i = 0; i < n; i++) {
            item it = {{i, 1, 2, 3, 4}};
            array.push_back(it);
            ordered.push_back(item_map_insert(&map, &it));
        }
        shuffled = ordered;
        std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(1));
    }
    fixture(const fixture &) = delete;
    fixture &operator=(const fixture &) = delete;
    ~fixture()
    {
        item_map_fini(&map);
    }
};

uint64_t sum(const item *items, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += items[i].words[0];
    return total;
}

uint64_t sum(const item_map *map, const std::vector<item_handle> &handles)
{
    uint64_t total = 0;
    for (item_handle handle : handles)
        total += item_map_get(map, handle)->words[0];
    return total;
}

void iterate_array(benchmark::State &state, fixture &f)
{
    for (auto unused : state)
        benchmark::DoNotOptimize(sum(f.array.data(), f.array.size()));
}

void iterate_map(benchmark::State &state, fixture &f)
{
    for (auto unused : state)
        benchmark::DoNotOptimize(sum(item_map_items(&f.map), item_map_count(&f.map)));
}

void lookup_ordered(benchmark::State &state, fixture &f)
{
    for (auto unused : state)
        benchmark::DoNotOptimize(sum(&f.map, f.ordered));
}

void lookup_random(benchmark::State &state, fixture &f)
{
    for (auto unused : state)
        benchmark::DoNotOptimize(sum(&f.map, f.shuffled));
}

/* Random reads of a plain array, by the indices that the shuffled handles have. */
void index_random(benchmark::State &state, fixture &f)
{
    for (auto unused : state) {
        uint64_t total = 0;
        for (item_handle handle : f.shuffled)
            total += f.array[hm_handle_index(handle.id)].words[0];
        benchmark::DoNotOptimize(total);
    }
}

using timer = std::chrono::steady_clock;

double seconds_since(timer::time_point start)
{
    return std::chrono::duration<double>(timer::now() - start).count();
}

/* Fresh memory each time, growing as it fills: what a level load costs. */
void push_array(benchmark::State &state, fixture &f)
{
    for (auto unused : state) {
        timer::time_point start = timer::now();
        std::vector<item> array;
        for (const item &it : f.array)
            array.push_back(it);
        benchmark::DoNotOptimize(array.data());
        state.SetIterationTime(seconds_since(start));
    }
}

void insert_map(benchmark::State &state, fixture &f)
{
    for (auto unused : state) {
        timer::time_point start = timer::now();
        item_map map;
        if (item_map_init(&map, static_cast<uint32_t>(f.array.size())) != HM_OK)
            std::abort();
        for (const item &it : f.array)
            benchmark::DoNotOptimize(item_map_insert(&map, &it));
        state.SetIterationTime(seconds_since(start));
        item_map_fini(&map);
    }
}

void erase_map(benchmark::State &state, fixture &f)
{
    for (auto unused : state) {
        uint32_t n = static_cast<uint32_t>(f.array.size());
        item_map map;
        if (item_map_init(&map, n) != HM_OK ||
            hm_map_insert_n(&map.map, f.array.data(), n, nullptr) != HM_OK)
            std::abort();
        timer::time_point start = timer::now();
        /* A fresh map issues the handles that the fixture's own issued. */
        for (item_handle handle : f.shuffled)
            benchmark::DoNotOptimize(item_map_erase(&map, handle));
        state.SetIterationTime(seconds_since(start));
        if (item_map_count(&map) != 0)
            std::abort();
        item_map_fini(&map);
    }
}

struct row {
    const char *name, *against;
    double bound; /* of the ratio; 0: none is promised */
    void (*run)(benchmark::State &, fixture &);
    bool manual_time;
};

const row rows[] = {
    {"iterate, plain array", nullptr, 0, iterate_array, false},
    {"iterate, map", "iterate, plain array", 1.10, iterate_map, false},
    {"lookup in order, map", "iterate, plain array", 2.50, lookup_ordered, false},
    {"read at random, plain array", nullptr, 0, index_random, false},
    {"lookup at random, map", "read at random, plain array", 0, lookup_random, false},
    {"push_back, std::vector", nullptr, 0, push_array, true},
    {"insert, map", "push_back, std::vector", 0, insert_map, true},
    {"erase at random, map", nullptr, 0, erase_map, true},
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
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration)
                continue;
            times[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                        static_cast<double>(run.iterations));
        }
        std::fprintf(stderr, ".");
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

/* The ratio of the medians is what a run meets; that of the best repetitions is what remains when
 * the machine's other work is taken out. */
void print_table(collector &results, uint32_t n)
{
    std::printf("\n%u items of %zu bytes, ns an item, %zu repetitions\n\n", n, sizeof(item),
                results.times[rows[0].name].size());
    std::printf("%-28s %8s  %-17s  %-15s\n", "", "", "", "ratio");
    std::printf("%-28s %8s  %-17s  %6s %6s  %s\n", "", "median", "spread", "median", "best",
                "bound");
    for (const row &r : rows) {
        const std::vector<double> &times = results.times[r.name];
        double scale = 1e9 / n;
        double worst = *std::max_element(times.begin(), times.end());
        std::printf("%-28s %8.2f  %7.2f .. %-7.2f", r.name, median(times) * scale,
                    best(times) * scale, worst * scale);
        if (r.against != nullptr) {
            const std::vector<double> &others = results.times[r.against];
            std::printf(" %6.2f %6.2f", median(times) / median(others), best(times) / best(others));
        }
        if (r.bound > 0)
            std::printf("  at most %.2f", r.bound);
        std::printf("\n");
    }
}

} // namespace

int main(int argc, char **argv)
{
    uint32_t n = 1000000;
    bool smoke = false;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--smoke") == 0)
            smoke = true;
        else if (std::strcmp(argv[i], "--items") == 0 && i + 1 < argc)
            n = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        else
            return std::fprintf(stderr, "usage: %s [--items N] [--smoke]\n", argv[0]), 2;
    }
    if (smoke)
        n = 1000;
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    std::string min_time = smoke ? "--benchmark_min_time=0" : "--benchmark_min_time=0.1";
    char *flags[] = {argv[0], &interleave[0], &min_time[0], nullptr};
    int flag_count = 3;
    benchmark::Initialize(&flag_count, flags);

    fixture f(n);
    for (const row &r : rows) {
        benchmark::internal::Benchmark *b = benchmark::RegisterBenchmark(
            r.name, [&r, &f](benchmark::State &state) { r.run(state, f); });
        b->Repetitions(smoke ? 1 : 21);
        if (r.manual_time)
            b->UseManualTime();
    }
    collector results;
    benchmark::RunSpecifiedBenchmarks(&results);
    print_table(results, n);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* groups: rows that do the same work are a group, and are measured together: several times, in
 * random interleaving. The table of a group gives the medians with their spread, and their ratio to
 * the first row.
 *
 *     --items N          how many items; each program has its own number
 *     --repetitions R    of each row (15)
 *     --groups TEXT      only the groups whose title contains the text
 *     --smoke            each row once on few items, as a test */
#ifndef BENCHMARKS_GROUPS_H
#define BENCHMARKS_GROUPS_H

#include "clock.h"
#include "peers.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>

namespace
{

uint32_t item_count;
int repetitions = 15;
bool smoke;
std::string only;

/* One pass does the work once, and returns the seconds that it took. */
using pass = std::function<double()>;

struct row {
    std::string name;
    double asked; /* a bound for the ratio; 0: none */
    pass run;
};

/* What the ratio of a row is, and what it is asked to be. */
enum kind {
    SPEEDUP, /* the first row's time to this row's, at least so much */
    OURS,    /* the same, at most so much */
    COST,    /* this row's time to the first row's, at most so much */
    NS       /* as COST, but what is bounded is this row's time itself */
};

struct group {
    std::string title;
    uint32_t count; /* times are given for one of so many */
    kind is;
    std::vector<row> rows;
};

/* Keeps the repetitions of each row, in seconds. */
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
                times[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                            static_cast<double>(run.iterations));
    }
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print_table(const group &g, collector &results)
{
    double scale = 1e9 / g.count;
    double base = median(results.times[g.rows[0].name]);
    std::printf("\n%-44s %8s  %-19s %s\n", g.title.c_str(), "ns", "spread",
                g.is == SPEEDUP ? "times as fast"
                : g.is == OURS  ? "the first, times this"
                                : "times the first");
    for (const row &r : g.rows) {
        std::vector<double> times = results.times[r.name];
        std::sort(times.begin(), times.end());
        bool is_inverse = g.is == SPEEDUP || g.is == OURS;
        double ratio = is_inverse ? base / median(times) : median(times) / base;
        double bounded = g.is == NS ? median(times) * scale : ratio;
        bool is_met = g.is == SPEEDUP ? bounded >= r.asked : bounded <= r.asked;
        std::printf("  %-42s %8.3f  %8.3f .. %-8.3f %6.2f", r.name.c_str(), median(times) * scale,
                    times.front() * scale, times.back() * scale, ratio);
        if (r.asked > 0)
            std::printf("  asked: at %s %.2f%s, %s", g.is == SPEEDUP ? "least" : "most", r.asked,
                        g.is == NS ? " ns" : "", is_met ? "met" : "MISSED");
        std::printf("\n");
    }
    std::fflush(stdout);
}

bool is_chosen(const std::string &title)
{
    return title.find(only) != std::string::npos;
}

void measure(const group &g)
{
    if (!is_chosen(g.title))
        return;
    for (const row &r : g.rows)
        benchmark::RegisterBenchmark(r.name.c_str(),
                                     [&r](benchmark::State &state) {
                                         for (auto unused : state)
                                             state.SetIterationTime(r.run());
                                     })
            ->UseManualTime()
            ->Repetitions(smoke ? 1 : repetitions)
            ->Iterations(1);
    collector results;
    benchmark::RunSpecifiedBenchmarks(&results);
    benchmark::ClearRegisteredBenchmarks();
    print_table(g, results);
}

/* A pass over few items is too short for the clock, so it is repeated. */
template <class Work> double time_of(uint32_t count, Work work)
{
    uint32_t times = smoke ? 1 : 1 + 4000000 / (count + 1);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < times; i++)
        work();
    return (cpu_seconds() - start) / times;
}

[[maybe_unused]] std::string with_count(const std::string &what, uint32_t count)
{
    return what + ", " + std::to_string(count);
}

bool parse_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--smoke") == 0)
            smoke = true;
        else if (i + 1 == argc)
            return false;
        else if (std::strcmp(argv[i], "--items") == 0)
            item_count = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        else if (std::strcmp(argv[i], "--repetitions") == 0)
            repetitions = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--groups") == 0)
            only = argv[++i];
        else
            return false;
    }
    return true;
}

/* Reads the options, and prepares Google Benchmark. */
void begin(int argc, char **argv, uint32_t items, uint32_t least_items)
{
    item_count = items;
    if (!parse_arguments(argc, argv)) {
        std::fprintf(stderr, "usage: %s [--items N] [--repetitions R] [--groups TEXT] [--smoke]\n",
                     argv[0]);
        std::exit(2);
    }
    if (smoke)
        item_count = least_items;
    require((item_count == items || item_count >= least_items) && repetitions > 0,
            "too few items or repetitions");
    static std::string interleave = "--benchmark_enable_random_interleaving=true";
    char *flags[] = {argv[0], &interleave[0], nullptr};
    int flag_count = 2;
    benchmark::Initialize(&flag_count, flags);
    std::printf("%d repetitions; times are for one row\n", smoke ? 1 : repetitions);
}

} // namespace

#endif

/* SPDX-License-Identifier: MIT */
/* The demo's table and figures. See demo_report.h. */
#include "demo_report.h"

#include <stdlib.h>

/* Measures */

double measure_update_ms(const struct demo_frame *frame)
{
    return frame->update_ms;
}

double measure_both_ms(const struct demo_frame *frame)
{
    return frame->update_ms + frame->defragment_ms;
}

static double measure_order(const struct demo_frame *frame)
{
    return frame->order;
}

static double measure_defragment_ms(const struct demo_frame *frame)
{
    return frame->defragment_ms;
}

static double measure_sort_ms(const struct demo_frame *frame)
{
    return frame->sort_ms;
}

static double measure_swaps(const struct demo_frame *frame)
{
    return frame->swaps;
}

static double measure_sort_swaps(const struct demo_frame *frame)
{
    return frame->sort_swaps;
}

static double measure_drawn(const struct demo_frame *frame)
{
    return frame->drawn;
}

static double measure_changes(const struct demo_frame *frame)
{
    return frame->material_changes;
}

/* Statistics */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

double report_quantile(const struct demo_frame *frames, uint32_t count, demo_measure of,
                       double share)
{
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) {
        fputs("demo: out of memory\n", stderr);
        exit(1);
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = of(&frames[i]);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    double rank = share * count;
    uint32_t index = (uint32_t)rank;
    if (index > 0 && (double)index == rank)
        index--;
    double number = sorted[index < count ? index : count - 1];
    free(sorted);
    return number;
}

double report_mean(const struct demo_frame *frames, uint32_t count, demo_measure of)
{
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += of(&frames[i]);
    return total / count;
}

/* The median of the frames around this one. */
static double running(const struct demo_frame *frames, uint32_t count, uint32_t at, demo_measure of)
{
    uint32_t half = REPORT_WINDOW / 2;
    uint32_t from = at > half ? at - half : 0;
    uint32_t to = at + half + 1 < count ? at + half + 1 : count;
    return report_quantile(frames + from, to - from, of, 0.5);
}

void report_merge_runs(struct demo_frame *frames, uint32_t count, uint32_t runs)
{
    struct demo_frame same[REPORT_MOST_RUNS]; /* the same frame of all runs */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t run = 0; run < runs; run++)
            same[run] = frames[(size_t)run * count + i];
        frames[i].update_ms = report_quantile(same, runs, measure_update_ms, 0.5);
        frames[i].defragment_ms = report_quantile(same, runs, measure_defragment_ms, 0.5);
        frames[i].sort_ms = report_quantile(same, runs, measure_sort_ms, 0.5);
    }
}

/* Table */

static void print_quantiles(const char *label, const struct demo_result *result, demo_measure of)
{
    static const struct {
        const char *name;
        double share;
    } rows[] = {{"p50", 0.5}, {"p99", 0.99}, {"worst", 1.0}};
    const struct demo_frame *with = result->with.frames;
    const struct demo_frame *without = result->without.frames;
    uint32_t count = result->settings->frames;
    printf("%-26s %-6s %14.3f %14.3f\n", label, "mean", report_mean(with, count, of),
           report_mean(without, count, of));
    for (int i = 0; i < 3; i++)
        printf("%-26s %-6s %14.3f %14.3f\n", "", rows[i].name,
               report_quantile(with, count, of, rows[i].share),
               report_quantile(without, count, of, rows[i].share));
}

static void print_mean(const char *label, const struct demo_result *result, demo_measure of)
{
    uint32_t count = result->settings->frames;
    printf("%-26s %-6s %14.0f %14.0f\n", label, "mean", report_mean(result->with.frames, count, of),
           report_mean(result->without.frames, count, of));
}

static void print_swaps(const char *label, const struct demo_result *result, demo_measure of,
                        uint32_t allowed)
{
    print_mean(label, result, of);
    printf("%-26s %-6s %14.0f %14.0f\n", "", "worst",
           report_quantile(result->with.frames, result->settings->frames, of, 1), 0.0);
    printf("%-26s %-6s %14u %14u\n", "", "budget", (unsigned)allowed, 0U);
}

static void print_count(const char *label, uint64_t with, uint64_t without)
{
    printf("%-33s %14llu %14llu\n", label, (unsigned long long)with, (unsigned long long)without);
}

static void print_order(const struct demo_result *result)
{
    uint32_t count = result->settings->frames;
    printf("%-26s %-6s %13.1f%% %13.1f%%\n", "memory order", "mean",
           100 * report_mean(result->with.frames, count, measure_order),
           100 * report_mean(result->without.frames, count, measure_order));
    printf("%-26s %-6s %13.1f%% %13.1f%%\n", "", "last", 100 * result->with.frames[count - 1].order,
           100 * result->without.frames[count - 1].order);
}

static void print_conclusion(const struct demo_result *result)
{
    uint32_t count = result->settings->frames;
    double with = report_mean(result->with.frames, count, measure_both_ms);
    double without = report_mean(result->without.frames, count, measure_both_ms);
    bool is_faster = with < without;
    if (with > 0 && without > 0)
        printf("\nWith defragmentation, its own time included, updates were %.1f times as %s.\n",
               is_faster ? without / with : with / without, is_faster ? "fast" : "slow");
}

void report_table(const struct demo_result *result)
{
    const struct simulation *with = &result->with.simulation;
    const struct simulation *without = &result->without.simulation;
    hm_map_stats stats[2] = {hm_map_get_stats(&with->scene.nodes.map),
                             hm_map_get_stats(&without->scene.nodes.map)};
    printf("\n%-33s %14s %14s\n", "defragmentation", "with", "without");
    print_count("nodes", stats[0].count, stats[1].count);
    print_count("handles issued", with->issued, without->issued);
    print_count("stale handles refused", with->refused, without->refused);
    print_count("stale handles that resolved", with->resolved, without->resolved);
    print_count("retired slots", stats[0].retired_slots, stats[1].retired_slots);
    print_count("memory of the scene, KiB", simulation_scene_memory(with) / 1024,
                simulation_scene_memory(without) / 1024);
    print_quantiles("update, ms a frame", result, measure_update_ms);
    print_quantiles("defragment, ms a frame", result, measure_defragment_ms);
    print_quantiles("both together, ms a frame", result, measure_both_ms);
    print_swaps("swaps a frame", result, measure_swaps, result->settings->swaps);
    print_order(result);
    print_count("memory of the draw list, KiB", simulation_draw_memory(with) / 1024,
                simulation_draw_memory(without) / 1024);
    print_mean("draw list, nodes in view", result, measure_drawn);
    print_quantiles("sort, ms a frame", result, measure_sort_ms);
    print_swaps("swaps of the sort", result, measure_sort_swaps, result->settings->sort_swaps);
    print_mean("material changes a frame", result, measure_changes);
    printf("\nmemory order: the share of nodes that are followed in memory by the next one of the "
           "tree\n"
           "times: medians of %u run%s of the same frames\n"
           "hash of all handles issued: %016llx\n",
           (unsigned)result->runs, result->runs == 1 ? "" : "s",
           (unsigned long long)with->issued_hash);
    print_conclusion(result);
}

/* Figures */

/* printf uses the locale that the program sets, and the demo sets none. */
bool report_csv(const struct demo_result *result, FILE *file)
{
    uint32_t count = result->settings->frames;
    fprintf(file, "frame,order_with,order_without,update_ms_with,update_ms_without,"
                  "defragment_ms_with,swaps_with,sort_ms_with,sort_swaps_with,drawn,"
                  "material_changes_with,material_changes_without,"
                  "update_ms_with_median,update_and_defragment_ms_with_median,"
                  "update_ms_without_median\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct demo_frame *a = &result->with.frames[i];
        const struct demo_frame *b = &result->without.frames[i];
        fprintf(file, "%u,%.5f,%.5f,%.4f,%.4f,%.4f,%u,%.4f,%u,%u,%u,%u,%.4f,%.4f,%.4f\n",
                (unsigned)i + 1, a->order, b->order, a->update_ms, b->update_ms, a->defragment_ms,
                (unsigned)a->swaps, a->sort_ms, (unsigned)a->sort_swaps, (unsigned)a->drawn,
                (unsigned)a->material_changes, (unsigned)b->material_changes,
                running(result->with.frames, count, i, measure_update_ms),
                running(result->with.frames, count, i, measure_both_ms),
                running(result->without.frames, count, i, measure_update_ms));
    }
    return ferror(file) == 0;
}

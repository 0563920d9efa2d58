/* SPDX-License-Identifier: MIT */
/* The demo's table and picture. See demo_report.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    PATH_SIZE = 4096,
    WINDOW = 15 /* frames in a running median; odd */
};

/* Returns one figure of a frame. */
typedef double (*measure)(const struct demo_frame *frame);

static double update_ms(const struct demo_frame *frame)
{
    return frame->update_ms;
}

static double defragment_ms(const struct demo_frame *frame)
{
    return frame->defragment_ms;
}

static double both_ms(const struct demo_frame *frame)
{
    return frame->update_ms + frame->defragment_ms;
}

static double swaps(const struct demo_frame *frame)
{
    return frame->swaps;
}

static double order(const struct demo_frame *frame)
{
    return frame->order;
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The smallest figure that at least `share` of the frames do not exceed. */
static double quantile(const struct demo_frame *frames, uint32_t count, measure of, double share)
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

static double mean(const struct demo_frame *frames, uint32_t count, measure of)
{
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += of(&frames[i]);
    return total / count;
}

/* The median of the frames around this one. */
static double running(const struct demo_frame *frames, uint32_t count, uint32_t at, measure of)
{
    uint32_t from = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
    uint32_t to = at + WINDOW / 2 + 1 < count ? at + WINDOW / 2 + 1 : count;
    return quantile(frames + from, to - from, of, 0.5);
}

/* Table */

static void print_times(const char *label, const struct demo_run *with,
                        const struct demo_run *without, measure of)
{
    static const struct {
        const char *name;
        double share;
    } rows[] = {{"p50", 0.5}, {"p99", 0.99}, {"worst", 1.0}};
    uint32_t count = with->simulation.settings->frames;
    printf("%-26s %-6s %14.3f %14.3f\n", label, "mean", mean(with->frames, count, of),
           mean(without->frames, count, of));
    for (int i = 0; i < 3; i++) {
        double a = quantile(with->frames, count, of, rows[i].share);
        double b = quantile(without->frames, count, of, rows[i].share);
        printf("%-26s %-6s %14.3f %14.3f\n", "", rows[i].name, a, b);
    }
}

static void print_count(const char *label, uint64_t with, uint64_t without)
{
    printf("%-33s %14llu %14llu\n", label, (unsigned long long)with, (unsigned long long)without);
}

static hm_map_stats stats_of(const struct demo_run *run)
{
    return hm_map_get_stats(&run->simulation.scene.nodes.map);
}

void report_table(const struct demo_run *with, const struct demo_run *without)
{
    const struct demo_settings *settings = with->simulation.settings;
    printf("\n%-33s %14s %14s\n", "defragmentation", "with", "without");
    print_count("nodes", stats_of(with).count, stats_of(without).count);
    print_count("handles issued", with->simulation.issued, without->simulation.issued);
    print_count("stale handles refused", with->simulation.refused, without->simulation.refused);
    print_count("stale handles that resolved", with->simulation.resolved,
                without->simulation.resolved);
    print_count("retired slots", stats_of(with).retired_slots, stats_of(without).retired_slots);
    print_times("update, ms a frame", with, without, update_ms);
    print_times("defragment, ms a frame", with, without, defragment_ms);
    print_times("both together, ms a frame", with, without, both_ms);
    printf("%-26s %-6s %14.0f %14.0f\n", "swaps a frame", "mean",
           mean(with->frames, settings->frames, swaps), 0.0);
    printf("%-26s %-6s %14.0f %14.0f\n", "", "worst",
           quantile(with->frames, settings->frames, swaps, 1), 0.0);
    print_count("  allowed by the budget", settings->swaps, 0);
    uint32_t last = settings->frames - 1;
    printf("%-26s %-6s %13.1f%% %13.1f%%\n", "order", "mean",
           100 * mean(with->frames, settings->frames, order),
           100 * mean(without->frames, settings->frames, order));
    printf("%-26s %-6s %13.1f%% %13.1f%%\n", "", "last", 100 * with->frames[last].order,
           100 * without->frames[last].order);
    printf("\norder: the share of nodes that are followed in memory by the next one of the walk\n");
}

/* Picture */

static const char script[] =
    "set terminal svg size 960,760 dynamic font 'sans-serif,15' background '#ffffff'\n"
    "set output 'demo.svg'\n"
    "set multiplot layout 2,1 title \"{/:Bold A scene of %u nodes, of which 1%% change in each "
    "frame}\\n{/*0.85 erased nodes are replaced %s; budget of defragmentation: %u swaps a "
    "frame}\"\n"
    "set border 3 lc rgb '#666666'\n"
    "set tics nomirror out\n"
    "set grid ytics lc rgb '#dddddd' lt 1\n"
    "set lmargin 10\n"
    "set rmargin 3\n"
    "set xrange [1:%u]\n"
    "set key bottom left Left reverse samplen 2 textcolor rgb '#333333'\n"
    "set ylabel \"nodes followed in memory by\\nthe next one of the walk, %%\"\n"
    "set yrange [0:102]\n"
    "plot 'demo.dat' using 1:2 with lines lw 2.5 lc rgb '#0072b2' title 'with defragmentation', "
    "\\\n"
    "     '' using 1:3 with lines lw 2.5 lc rgb '#d55e00' title 'without'\n"
    "set xlabel \"frame\\n{/*0.85 dots: single frames (those above %.3g ms are cut off); lines: "
    "the median of %d frames}\"\n"
    "set key top left\n"
    "set ylabel 'update, ms a frame'\n"
    "set yrange [0:%g]\n"
    "plot 'demo.dat' using 1:4 with dots lc rgb '#66aad4' notitle, \\\n"
    "     '' using 1:6 with dots lc rgb '#e8a066' notitle, \\\n"
    "     '' using 1:7 with lines lw 2.5 lc rgb '#d55e00' title 'without', \\\n"
    "     '' using 1:5 with lines lw 2.5 lc rgb '#0072b2' title 'with', \\\n"
    "     '' using 1:9 with lines lw 1.5 dt '-' lc rgb '#0072b2' "
    "title 'with, defragmenting included'\n"
    "unset multiplot\n";

static bool write_data(FILE *file, const struct demo_run *with, const struct demo_run *without)
{
    uint32_t count = with->simulation.settings->frames;
    fprintf(file, "# 1 frame; order in %%: 2 with, 3 without; update in ms: 4 with, 5 its median, "
                  "6 without, 7 its median;\n# defragmentation in ms: 8, 9 median of update and "
                  "defragmentation; 10 swaps\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct demo_frame *a = &with->frames[i];
        const struct demo_frame *b = &without->frames[i];
        fprintf(file, "%u %.3f %.3f %.4f %.4f %.4f %.4f %.4f %.4f %u\n", (unsigned)i + 1,
                100 * a->order, 100 * b->order, a->update_ms,
                running(with->frames, count, i, update_ms), b->update_ms,
                running(without->frames, count, i, update_ms), a->defragment_ms,
                running(with->frames, count, i, both_ms), (unsigned)a->swaps);
    }
    return ferror(file) == 0;
}

static bool write_script(FILE *file, const struct demo_run *with, const struct demo_run *without)
{
    const struct demo_settings *settings = with->simulation.settings;
    uint32_t count = settings->frames;
    double top = quantile(with->frames, count, both_ms, 0.95);
    double other = quantile(without->frames, count, update_ms, 0.95);
    if (top < other)
        top = other;
    top *= 1.2;
    return fprintf(file, script, (unsigned)stats_of(with).count,
                   settings->elsewhere ? "elsewhere" : "in their place", (unsigned)settings->swaps,
                   (unsigned)(count > 1 ? count : 2), top, WINDOW, top) > 0;
}

static bool write_file(const char *directory, const char *name,
                       bool (*write)(FILE *file, const struct demo_run *with,
                                     const struct demo_run *without),
                       const struct demo_run *with, const struct demo_run *without)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = length < PATH_SIZE ? fopen(path, "w") : NULL;
    if (file == NULL)
        return false;
    bool written = write(file, with, without);
    return fclose(file) == 0 && written;
}

/* Runs gnuplot in the directory, whose path is shorter than PATH_SIZE. Returns its exit code, or
 * the shell's 127 if gnuplot is not installed. */
static int run_gnuplot(const char *directory)
{
    char command[4 * PATH_SIZE + 64];
    size_t length = (size_t)snprintf(command, sizeof command, "cd -- '");
    /* A single quote becomes '\'': the quoted part ends, a quote follows, another part begins. */
    for (const char *c = directory; *c != '\0'; c++)
        length += (size_t)snprintf(command + length, sizeof command - length, "%s%c",
                                   *c == '\'' ? "'\\'" : "", *c);
    snprintf(command + length, sizeof command - length, "' && gnuplot demo.gp");
    int status = system(command); /* NOLINT(cert-env33-c): what it is given is quoted above */
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *report_picture(const struct demo_run *with, const struct demo_run *without,
                           const char *directory)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return "the directory for the picture cannot be made";
    if (!write_file(directory, "demo.dat", write_data, with, without) ||
        !write_file(directory, "demo.gp", write_script, with, without))
        return "the directory for the picture cannot be written to";
    printf("frames:  %s/demo.dat\n", directory);
    fflush(stdout);
    int code = run_gnuplot(directory);
    if (code == 127) {
        printf("picture: none, because gnuplot is not installed; %s/demo.gp is its script\n",
               directory);
        return NULL;
    }
    if (code != 0)
        return "gnuplot failed";
    printf("picture: %s/demo.svg\n", directory);
    return NULL;
}

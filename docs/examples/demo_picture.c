/* SPDX-License-Identifier: MIT */
/* The demo's picture. See demo_picture.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_picture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* The columns are those of report_csv. */
static const char style[] =
    "set terminal svg size 960,960 dynamic font 'sans-serif,15' background '#ffffff'\n"
    "set output 'demo.svg'\n"
    "set datafile separator comma\n"
    "set border 3 lc rgb '#666666'\n"
    "set tics nomirror out\n"
    "set grid ytics lc rgb '#dddddd' lt 1\n"
    "set lmargin 13\n"
    "set rmargin 3\n"
    "with = '#0072b2'\n"
    "without = '#d55e00'\n";

static const char title[] =
    "set multiplot layout 3,1 title \"{/:Bold A scene that changes for %u frames, with "
    "defragmentation and without: order, time, drawing}\\n{/*0.8 %u nodes, of which 1%% are "
    "replaced %s in each frame; at most %u swaps a frame; %s}\"\n"
    "set xrange [1:%u]\n";

static const char panels[] =
    "set key bottom left Left reverse samplen 2 textcolor rgb '#333333'\n"
    "set ylabel \"nodes followed in memory by\\nthe next one of the tree, %%\"\n"
    "set yrange [0:102]\n"
    "plot 'demo.csv' using 1:(100*$2) with lines lw 2.5 lc rgb with title 'with "
    "defragmentation: %.1f%% at the end', \\\n"
    "     '' using 1:(100*$3) with lines lw 2.5 lc rgb without title 'without: %.1f%%'\n"
    "set key top left\n"
    "set ylabel \"time in a frame, ms\\n{/*0.85 (median of %d frames)}\"\n"
    "set yrange [0:%g]\n"
    "plot 'demo.csv' using 1:5 with dots lc rgb '#e8a066' notitle, \\\n"
    "     '' using 1:4 with dots lc rgb '#66aad4' notitle, \\\n"
    "     '' using 1:15 with lines lw 2.5 lc rgb without title 'update without "
    "defragmentation', \\\n"
    "     '' using 1:14 with lines lw 1.5 dt '-' lc rgb with title 'update with it, and "
    "defragmenting itself', \\\n"
    "     '' using 1:13 with lines lw 2.5 lc rgb with title 'update with it', \\\n"
    "     NaN with points pt 0 lc rgb '#888888' title 'dots: single frames below %.3g ms'\n"
    "set key top left\n"
    "set xlabel 'frame'\n"
    "set ylabel \"changes of material\\n"
    "in drawing a frame\"\n"
    "set yrange [0:%g]\n"
    "plot 'demo.csv' using 1:12 with lines lw 2.5 lc rgb without title 'without sorting, %.0f "
    "nodes in view on average', \\\n"
    "     '' using 1:11 with lines lw 2.5 lc rgb with title 'sorted by at most %u swaps a frame, "
    "in %.2g ms on average'\n"
    "unset multiplot\n";

static bool make_path(char *path, const char *directory, const char *name)
{
    if (snprintf(path, PATH_SIZE, "%s/%s", directory, name) < PATH_SIZE)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Appends nothing to the file, and removes it if it was not there. */
static bool is_writable(const char *directory, const char *name)
{
    char path[PATH_SIZE];
    if (!make_path(path, directory, name))
        return false;
    bool is_there = access(path, F_OK) == 0;
    FILE *file = fopen(path, "a");
    if (file == NULL)
        return false;
    fclose(file);
    if (!is_there)
        remove(path);
    return true;
}

bool picture_prepare(const char *directory)
{
    return (mkdir(directory, 0777) == 0 || errno == EEXIST) && is_writable(directory, "demo.csv") &&
           is_writable(directory, "demo.gp") && is_writable(directory, "demo.svg");
}

static double drawn(const struct demo_frame *frame)
{
    return frame->drawn;
}

static double changes(const struct demo_frame *frame)
{
    return frame->material_changes;
}

static double sort_ms(const struct demo_frame *frame)
{
    return frame->sort_ms;
}

static bool write_script(const struct demo_result *result, FILE *file)
{
    const struct demo_settings *settings = result->settings;
    uint32_t count = settings->frames;
    char runs[64] = "one run";
    if (result->runs > 1)
        snprintf(runs, sizeof runs, "median of %u runs", (unsigned)result->runs);
    double top = 1.5 * report_quantile(result->without.frames, count, measure_update_ms, 0.98);
    double other = 1.5 * report_quantile(result->with.frames, count, measure_both_ms, 0.98);
    if (top < other)
        top = other;
    fputs(style, file);
    fprintf(file, title, (unsigned)count,
            (unsigned)scene_node_map_count(&result->with.simulation.scene.nodes),
            settings->elsewhere ? "elsewhere" : "in their place", (unsigned)settings->swaps, runs,
            (unsigned)(count > 1 ? count : 2));
    /* Space for the key, and no empty range if nothing is drawn. */
    double most = 1 + 1.6 * report_quantile(result->without.frames, count, changes, 1);
    fprintf(file, panels, 100 * result->with.frames[count - 1].order,
            100 * result->without.frames[count - 1].order, REPORT_WINDOW, top, top, most,
            report_mean(result->with.frames, count, drawn), (unsigned)settings->sort_swaps,
            report_mean(result->with.frames, count, sort_ms));
    return ferror(file) == 0;
}

static bool write_file(const struct demo_result *result, const char *directory, const char *name,
                       bool (*write)(const struct demo_result *result, FILE *file))
{
    char path[PATH_SIZE];
    FILE *file = make_path(path, directory, name) ? fopen(path, "w") : NULL;
    if (file == NULL)
        return false;
    bool written = write(result, file);
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

const char *picture_draw(const struct demo_result *result, const char *directory)
{
    if (!write_file(result, directory, "demo.csv", report_csv) ||
        !write_file(result, directory, "demo.gp", write_script))
        return "the directory for the picture cannot be written to";
    printf("frames:  %s/demo.csv\n", directory);
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

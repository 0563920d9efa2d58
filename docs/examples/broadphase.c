/* SPDX-License-Identifier: MIT */
/* broadphase: 100,000 moving circles in a grid, and which of them touch: kept up to date with an
 * hm_index and hm_lists, and beside that, rebuilt from scratch in each frame.
 *
 *     broadphase --help
 *
 * Without --movers it runs with 1, 10 and 100 moving circles of 100. Times are medians of the runs,
 * which do the same frame by frame. In each frame the contacts of a sample of circles are compared
 * with a search of all circles, and the number of all contacts with what the other way found. The
 * exit code is 1 if they differ, or a container is damaged; 2 if the command line is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "broadphase_circles.h"
#include "broadphase_rebuild.h"
#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_RUNS = 31,
    MOST_CONTACTS = 1000, /* of a circle that is checked */
    MOVER_CASES = 3,
    WINDOW = 15 /* frames of a running median */
};

/* What is measured in a frame. */
enum stage { POPULATE, MOVE, CELLS, CONTACTS, DEFRAGMENT, GRID, REBUILT_CONTACTS, STAGES };

static const char *const stage_names[STAGES] = {"begin and end",    "move",       "index",
                                                "contacts",         "defragment", "rebuild: grid",
                                                "rebuild: contacts"};

struct settings {
    struct circles_settings circles;
    uint32_t frames, runs, sample;
    uint32_t run; /* which of the runs this is, from 0 */
    const char *csv;
};

/* Milliseconds; `frames` of them for each run. */
struct frame_times {
    double of[STAGES];
};

static double cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* A container says why it refuses; malloc does not. */
static void print_refusal(void)
{
    fprintf(stderr, "broadphase: %s\n",
            *hm_last_error() != '\0' ? hm_last_error() : "out of memory");
}

/* Checks */

static int compare_handles(const void *a, const void *b)
{
    const circle_handle *left = a, *right = b;
    return hm_handle_compare(left->id, right->id);
}

/* Whether the contacts of one circle are exactly those that a search of all circles finds. */
static bool check_circle(const struct circles *c, uint32_t index)
{
    static circle_handle found[MOST_CONTACTS], kept[MOST_CONTACTS];
    const struct circle *all = circle_map_items(&c->map);
    uint32_t expected = 0, count;
    for (uint32_t i = 0; i < circle_map_count(&c->map) && expected < MOST_CONTACTS; i++)
        if (i != index && circles_touch(&all[index], &all[i]))
            found[expected++] = circle_map_handle_at(&c->map, i);
    const circle_handle *items = contacts_lists_items(&c->contacts, all[index].contacts, &count);
    if (count != expected) {
        fprintf(stderr, "broadphase: frame %u: circle %u has %u contacts, in its list are %u\n",
                (unsigned)c->frame, (unsigned)index, (unsigned)expected, (unsigned)count);
        return false;
    }
    if (count == 0)
        return true;
    memcpy(kept, items, count * sizeof *items);
    qsort(kept, count, sizeof *kept, compare_handles);
    qsort(found, count, sizeof *found, compare_handles);
    if (memcmp(kept, found, count * sizeof *kept) == 0)
        return true;
    fprintf(stderr, "broadphase: frame %u: circle %u has other contacts than in its list\n",
            (unsigned)c->frame, (unsigned)index);
    return false;
}

static bool check_frame(const struct circles *c, const struct rebuild *r, uint32_t sample)
{
    uint32_t count = circle_map_count(&c->map);
    for (uint32_t i = 0; i < sample; i++) /* spread over the map, others in each frame */
        if (!check_circle(c, (uint32_t)(((uint64_t)i * count / sample + c->frame) % count)))
            return false;
    if (contacts_lists_item_count(&c->contacts) == r->contact_count)
        return true;
    fprintf(stderr, "broadphase: frame %u: %llu contacts in lists, %llu found from scratch\n",
            (unsigned)c->frame, (unsigned long long)contacts_lists_item_count(&c->contacts),
            (unsigned long long)r->contact_count);
    return false;
}

/* Frames */

static bool run_stage(enum stage stage, struct circles *c, struct rebuild *r)
{
    switch (stage) {
    case POPULATE:
        return circles_populate(c);
    case MOVE:
        circles_move(c);
        return true;
    case CELLS:
        return circles_update_cells(c);
    case CONTACTS:
        return circles_update_contacts(c);
    case DEFRAGMENT:
        circles_defragment(c);
        return true;
    case GRID:
        rebuild_grid(r, c);
        return true;
    case REBUILT_CONTACTS:
        return rebuild_contacts(r);
    case STAGES:
        break;
    }
    return false;
}

static void print_progress(const struct settings *settings, uint32_t frame)
{
    if (progress_is_due())
        fprintf(stderr, "broadphase: %u%% move, run %u of %u, frame %u of %u\n",
                (unsigned)settings->circles.movers, (unsigned)settings->run + 1,
                (unsigned)settings->runs, (unsigned)frame, (unsigned)settings->frames);
}

static bool run_frames(const struct settings *settings, struct circles *c, struct rebuild *r,
                       struct frame_times *times)
{
    for (uint32_t frame = 0; frame < settings->frames; frame++) {
        for (enum stage stage = 0; stage < STAGES; stage++) {
            double start = cpu_ms();
            if (!run_stage(stage, c, r)) {
                print_refusal();
                return false;
            }
            times[frame].of[stage] = cpu_ms() - start;
        }
        if (!check_frame(c, r, settings->sample))
            return false;
        print_progress(settings, frame + 1);
    }
    if (circles_are_valid(c))
        return true;
    print_refusal();
    return false;
}

static void print_circles(const struct circles *c)
{
    uint32_t frames = c->frame;
    printf("\n%u circles, %u%% of them move; in each frame %u end\n"
           "a frame, on average: %llu moved or began, %llu are in another cell\n"
           "at the end: %u circles, %llu contacts, %u cells in use, %u stale handles in the index, "
           "%u removed before\n",
           (unsigned)c->settings.count, (unsigned)c->settings.movers, (unsigned)c->settings.changes,
           (unsigned long long)(c->all_moved / frames),
           (unsigned long long)(c->all_changed / frames), (unsigned)circle_map_count(&c->map),
           (unsigned long long)contacts_lists_item_count(&c->contacts),
           (unsigned)cells_index_key_count(&c->cells),
           (unsigned)(cells_index_count(&c->cells) - circle_map_count(&c->map)),
           (unsigned)c->removed);
}

/* One run of all frames; `times` are those of all runs. */
static bool run_once(const struct settings *settings, struct frame_times *times)
{
    struct circles circles;
    struct rebuild rebuild = {0};
    bool is_good = circles_init(&circles, &settings->circles) && rebuild_init(&rebuild, &circles);
    if (is_good)
        is_good = run_frames(settings, &circles, &rebuild,
                             times + (size_t)settings->run * settings->frames);
    else
        print_refusal();
    if (is_good && settings->run + 1 == settings->runs)
        print_circles(&circles);
    rebuild_fini(&rebuild);
    circles_fini(&circles);
    return is_good;
}

/* Figures */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sets the times of the first run's frames to the medians of all runs. */
static void merge_runs(struct frame_times *times, const struct settings *settings)
{
    for (uint32_t frame = 0; frame < settings->frames; frame++)
        for (int stage = 0; stage < STAGES; stage++) {
            double same[MOST_RUNS];
            for (uint32_t run = 0; run < settings->runs; run++)
                same[run] = times[(size_t)run * settings->frames + frame].of[stage];
            qsort(same, settings->runs, sizeof *same, compare_numbers);
            times[frame].of[stage] = same[settings->runs / 2];
        }
}

static double sum(const struct frame_times *times, enum stage first, enum stage last)
{
    double total = 0;
    for (int stage = (int)first; stage <= (int)last; stage++)
        total += times->of[stage];
    return total;
}

static void print_row(const char *name, const struct frame_times *times, uint32_t frames,
                      enum stage first, enum stage last, double *sorted)
{
    for (uint32_t i = 0; i < frames; i++)
        sorted[i] = sum(&times[i], first, last);
    qsort(sorted, frames, sizeof *sorted, compare_numbers);
    printf("%-26s %10.3f %10.3f %10.3f\n", name, sorted[frames / 2],
           sorted[(uint32_t)((uint64_t)frames * 99 / 100)], sorted[frames - 1]);
}

static void print_table(const struct frame_times *times, uint32_t frames, double *sorted)
{
    printf("%-26s %10s %10s %10s\n", "ms a frame", "median", "p99", "worst");
    for (enum stage stage = 0; stage < STAGES; stage++)
        print_row(stage_names[stage], times, frames, stage, stage, sorted);
    print_row("index, contacts, defragment", times, frames, CELLS, DEFRAGMENT, sorted);
    print_row("rebuild: both", times, frames, GRID, REBUILT_CONTACTS, sorted);
}

/* Of the frames around this one. */
static double running_median(const struct frame_times *times, uint32_t frames, uint32_t at,
                             enum stage first, enum stage last)
{
    double near[WINDOW];
    uint32_t from = at > WINDOW / 2 ? at - WINDOW / 2 : 0, count = 0;
    for (; count < WINDOW && from + count < frames; count++)
        near[count] = sum(&times[from + count], first, last);
    qsort(near, count, sizeof *near, compare_numbers);
    return near[count / 2];
}

static void write_csv(FILE *file, const struct frame_times *times, const struct settings *settings)
{
    for (uint32_t frame = 0; frame < settings->frames; frame++) {
        fprintf(file, "%u,%u", (unsigned)settings->circles.movers, (unsigned)frame + 1);
        for (int stage = 0; stage < STAGES; stage++)
            fprintf(file, ",%.4f", times[frame].of[stage]);
        fprintf(file, ",%.4f,%.4f,%.4f,%.4f\n", sum(&times[frame], CELLS, DEFRAGMENT),
                sum(&times[frame], GRID, REBUILT_CONTACTS),
                running_median(times, settings->frames, frame, CELLS, DEFRAGMENT),
                running_median(times, settings->frames, frame, GRID, REBUILT_CONTACTS));
    }
}

static void write_csv_header(FILE *file)
{
    fputs("movers,frame", file);
    for (int stage = 0; stage < STAGES; stage++)
        fprintf(file, ",%s ms", stage_names[stage]);
    fputs(",updated ms,rebuilt ms,updated ms median,rebuilt ms median\n", file);
}

static bool run_case(struct settings *settings, FILE *csv)
{
    size_t frames = (size_t)settings->runs * settings->frames;
    struct frame_times *times = malloc(frames * sizeof *times);
    double *sorted = malloc(settings->frames * sizeof *sorted);
    bool is_good = times != NULL && sorted != NULL;
    for (settings->run = 0; is_good && settings->run < settings->runs; settings->run++)
        is_good = run_once(settings, times);
    if (is_good) {
        merge_runs(times, settings);
        print_table(times, settings->frames, sorted);
        if (csv != NULL)
            write_csv(csv, times, settings);
    }
    free(times);
    free(sorted);
    return is_good;
}

static bool run_cases(struct settings *settings, FILE *csv)
{
    static const uint32_t movers[MOVER_CASES] = {1, 10, 100};
    if (settings->circles.movers != UINT32_MAX)
        return run_case(settings, csv);
    for (int i = 0; i < MOVER_CASES; i++) {
        settings->circles.movers = movers[i];
        if (!run_case(settings, csv))
            return false;
    }
    return true;
}

/* The program */

static const char usage[] =
    "usage: broadphase [OPTION...]\n"
    "Which of many moving circles touch: kept up to date, and rebuilt in each frame.\n"
    "  --count N         circles (100000)\n"
    "  --frames N        frames to run (240)\n"
    "  --movers PERCENT  circles of 100 that move (1, then 10, then 100)\n"
    "  --changes N       circles that end, and others that begin, in a frame (100)\n"
    "  --swaps N         swaps allowed in a frame to defragment (2000)\n"
    "  --runs N          runs of all frames (3); the times are medians of them\n"
    "  --sample N        circles that are checked in a frame (20)\n"
    "  --seed N          seed of all choices (1)\n"
    "  --csv FILE        write the times of each frame to FILE\n"
    "  --help            print this text\n";

static int read_command_line(struct settings *settings, int argc, char **argv)
{
    struct circles_settings *circles = &settings->circles;
    const struct command_line_option options[] = {
        {"--count", .number = &circles->count, .least = 100, .most = 10000000},
        {"--frames", .number = &settings->frames, .least = 1, .most = 1000000},
        {"--movers", .number = &circles->movers, .most = 100},
        {"--changes", .number = &circles->changes, .most = 1000000},
        {"--swaps", .number = &circles->swaps, .least = 1, .most = 1000000000},
        {"--runs", .number = &settings->runs, .least = 1, .most = MOST_RUNS},
        {"--sample", .number = &settings->sample, .most = 1000000},
        {"--seed", .number = &circles->seed, .most = UINT32_MAX},
        {"--csv", .text = &settings->csv}};
    const struct command_line line = {"broadphase", usage, options,
                                      sizeof options / sizeof *options};
    return command_line_read(&line, argc, argv, NULL);
}

int main(int argc, char **argv)
{
    struct settings settings = {
        .circles = {100000, UINT32_MAX, 100, 2000, 1}, .frames = 240, .runs = 3, .sample = 20};
    FILE *csv = NULL;
    int code = read_command_line(&settings, argc, argv);
    if (code != COMMAND_LINE_RUN)
        return code;
    if (settings.csv != NULL) {
        csv = command_line_open("broadphase", "--csv", settings.csv, "w");
        if (csv == NULL)
            return COMMAND_LINE_WRONG;
        write_csv_header(csv);
    }
    bool is_good = run_cases(&settings, csv);
    if (csv != NULL && fclose(csv) != 0)
        is_good = false;
    return is_good ? 0 : 1;
}

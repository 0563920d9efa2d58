/* SPDX-License-Identifier: MIT */
/* history_benchmark [--small]: what marks, rewinds and the changes of a frame cost, for a map of so
 * many pages of items, beside a plain copy of the items, which takes its turn in each round. Each
 * row prints medians with the quartiles, in times of that copy, but for the writes, which are in
 * microseconds. Of each frame's writes each is to another page, any of them, so that eight frames
 * write to nearly eight times as many pages as one. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* clock_gettime, which -std=c11 hides */
#endif

#include <handle_map/changes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 31, FRAMES = 8, PAGE = 4096, ITEM = 64 };

static uint32_t rounds = ROUNDS, pages = 16384;

typedef struct figures {
    double values[ROUNDS];
} figures;

enum { COPY, WRITE, MARK, BACK_1, BACK_8, CHANGES, FIGURES };

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec * 1e-3;
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "history_benchmark: %s: %s\n", what, hm_last_error());
    exit(1);
}

/* One frame: writes to n pages, a step apart that has no factor in common with their number.
 * Returns the microseconds of a write. */
static double play(unsigned char *memory, uint32_t n)
{
    static uint32_t page;
    double begin = now();
    for (uint32_t i = 0; i < n; i++) {
        page = (page + 7919) % pages;
        memory[(size_t)page * PAGE + 8]++;
    }
    return (now() - begin) / n;
}

static double rewind_to(hm_history *history, uint64_t mark)
{
    double begin = now();
    require(hm_history_rewind(history, mark) == HM_OK, "rewind");
    return now() - begin;
}

static void count_change(const hm_change *change, void *count)
{
    (void)change;
    ++*(uint32_t *)count;
}

static double find_changes(const hm_history *history, const hm_map *map, const uint64_t *marks,
                           uint32_t n)
{
    uint32_t count = 0;
    double begin = now();
    require(hm_map_changes(map, history, marks[FRAMES - 1], marks[FRAMES], count_change, &count) ==
                HM_OK,
            "changes");
    double took = now() - begin;
    require(count == n, "as many changes as writes");
    return took;
}

static void run_round(hm_history *history, hm_map *map, unsigned char *copy, uint32_t n,
                      double took[FIGURES])
{
    unsigned char *memory = hm_map_items(map);
    uint64_t marks[FRAMES + 1];
    double begin = now();
    memcpy(copy, memory, (size_t)pages * PAGE);
    took[COPY] = now() - begin;
    for (int i = 0; i <= FRAMES; i++) {
        took[WRITE] = play(memory, n);
        begin = now();
        marks[i] = hm_history_mark(history);
        took[MARK] = now() - begin;
        require(marks[i] != 0, "mark");
    }
    took[CHANGES] = find_changes(history, map, marks, n);
    (void)play(memory, n);
    took[BACK_1] = rewind_to(history, marks[FRAMES]);
    took[BACK_8] = rewind_to(history, marks[0]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median and the quartiles. */
static void print(figures *all, bool is_last)
{
    qsort(all->values, rounds, sizeof *all->values, compare);
    printf(" %.3f (%.3f to %.3f) |%s", all->values[rounds / 2], all->values[rounds / 4],
           all->values[rounds * 3 / 4], is_last ? "\n" : "");
}

static void measure(hm_history_method method, double share)
{
    static figures all[FIGURES];
    hm_history history;
    size_t size = (size_t)pages * PAGE;
    const hm_history_desc desc = {
        .marks = FRAMES + 2, .method = method, .size = 2 * size, .memory = hm_memory_os()};
    if (hm_history_init(&history, &desc) != HM_OK)
        return; /* The system does not tell what is written. */
    hm_map map = {.name = NULL};
    const uint32_t count = (uint32_t)(size / ITEM);
    const hm_map_desc items = {.item_size = ITEM, .capacity = count, .memory = &history.table};
    unsigned char *copy = malloc(size);
    require(hm_map_watch(&map, &history) == HM_OK && hm_map_init(&map, &items) == HM_OK, "map");
    require(hm_map_insert_n(&map, NULL, count, NULL) == HM_OK, "insert");
    require(copy != NULL, "malloc");
    memset(hm_map_items(&map), 1, size);
    memset(copy, 1, size);
    for (uint32_t round = 0; round < rounds; round++) {
        double took[FIGURES];
        run_round(&history, &map, copy, (uint32_t)(pages * share), took);
        for (int i = 0; i < FIGURES; i++)
            all[i].values[round] = i <= WRITE ? took[i] : took[i] / took[COPY];
    }
    printf("| %.1f%% | %s |", share * 100, method == HM_HISTORY_TRACK ? "tracked" : "compared");
    for (int i = MARK; i < FIGURES; i++)
        print(&all[i], false);
    print(&all[WRITE], true);
    free(copy);
    hm_map_fini(&map);
    hm_history_fini(&history);
}

int main(int argc, char **argv)
{
    static const double shares[] = {0.001, 0.01, 0.1};
    if (argc > 1 && strcmp(argv[1], "--small") == 0) {
        rounds = 3;
        pages = 2048;
    }
    printf("%u pages of %u bytes, in times of a copy of all\n\n", (unsigned)pages, PAGE);
    puts("| pages written a frame | method | mark | one frame back | eight more | changes of a "
         "frame | write, us |\n"
         "|---:|---|---:|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (int method = HM_HISTORY_TRACK; method <= HM_HISTORY_COMPARE; method++)
            measure((hm_history_method)method, shares[i]);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* order_benchmark [--small] [DIRECTORY]: what defragment costs, compared with insertion sort on the
 * same data and with std::stable_sort of the bare items. Times are medians of ten runs. Writes the
 * figures that order.gp draws to the directory. */
#include "order_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t items = 100000; /* of most measurements */
static uint32_t many_items = 1000000;
static uint32_t repetitions = 10;
static const char *directory; /* NULL: no figures for pictures */

static int compare_typed(const struct order_item *a, const struct order_item *b, void *context)
{
    (void)context;
    return a->key < b->key ? -1 : 0;
}

static uint64_t key_typed(const struct order_item *item, void *context)
{
    (void)context;
    return item->key;
}

HM_ORDER_DEFINE(by_typed_compare, struct order_item, compare_typed)
HM_ORDER_DEFINE_KEY(by_typed_key, struct order_item, key_typed)

static FILE *open_figures(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : ".", name);
    FILE *file = fopen(directory != NULL ? path : "/dev/null", "w");
    if (file == NULL) {
        fprintf(stderr, "order_benchmark: %s cannot be written\n", path);
        exit(1);
    }
    return file;
}

/* Runs without a budget; returns seconds. */
static double defragment_all(struct order_data *data, const hm_order *order, hm_progress *progress)
{
    double begin = order_seconds();
    *progress = hm_map_defragment(&data->map, order, NULL);
    double seconds = order_seconds() - begin;
    order_data_check(data);
    return seconds;
}

struct figures {
    double seconds[16]; /* in rising order */
    uint32_t runs;
    uint64_t moves, compares;
};

static void take_in(struct figures *figures, double seconds)
{
    uint32_t i = figures->runs++;
    for (; i > 0 && seconds < figures->seconds[i - 1]; i--)
        figures->seconds[i] = figures->seconds[i - 1];
    figures->seconds[i] = seconds;
}

static double median(const struct figures *figures)
{
    double upper = figures->seconds[figures->runs / 2];
    return (figures->seconds[(figures->runs - 1) / 2] + upper) / 2;
}

static struct figures measure(uint32_t count, enum order_disorder disorder, double share,
                              const hm_order *order)
{
    struct figures figures = {.runs = 0};
    for (uint32_t i = 0; i < repetitions; i++) {
        struct order_data data;
        order_data_init(&data, count, disorder, share, 1);
        hm_progress progress;
        take_in(&figures, defragment_all(&data, order, &progress));
        figures.moves = progress.swaps;
        figures.compares = progress.compares;
        order_data_fini(&data);
    }
    return figures;
}

static struct figures measure_baseline(enum order_disorder disorder, double share)
{
    struct figures figures = {.runs = 0};
    for (uint32_t i = 0; i < repetitions; i++) {
        struct order_data data;
        struct order_baseline baseline;
        order_data_init(&data, items, disorder, share, 1);
        order_data_copy(&data, &baseline);
        double begin = order_seconds();
        figures.moves = order_baseline_sort(&baseline);
        take_in(&figures, order_seconds() - begin);
        order_baseline_fini(&baseline);
        order_data_fini(&data);
    }
    return figures;
}

static void print_row(const char *what, struct figures f, double baseline)
{
    printf("%-34s %9.3f %9.3f %9.3f %10llu %10llu %8.2f\n", what, median(&f) * 1e3,
           f.seconds[0] * 1e3, f.seconds[f.runs - 1] * 1e3, (unsigned long long)f.moves,
           (unsigned long long)f.compares, baseline / median(&f));
    fflush(stdout);
}

static void print_head(void)
{
    printf("%-34s %9s %9s %9s %10s %10s %8s\n", "", "ms", "best", "worst", "moves", "compares",
           "x");
}

static const struct {
    const char *name;
    const hm_order *order;
} orders[] = {{"  defragment by compare", &order_by_compare},
              {"  defragment by typed compare", &by_typed_compare},
              {"  defragment by key", &order_by_key},
              {"  defragment by typed key", &by_typed_key}};
enum { ORDERS = sizeof orders / sizeof *orders };

static void compare_with_insertion_sort(void)
{
    static const struct {
        const char *name;
        enum order_disorder disorder;
        double share;
    } cases[] = {{"shuffled", ORDER_SHUFFLED, 1},
                 {"1% exchanged with each other", ORDER_SHUFFLED, 0.005},
                 {"1% with new random keys", ORDER_DISPLACED, 0.01},
                 {"1% unsorted at the end", ORDER_APPENDED, 0.01},
                 {"1% up to 64 places away", ORDER_NEARBY, 0.01},
                 {"in order", ORDER_SHUFFLED, 0}};
    printf("%u items of 8 bytes, medians of %u runs; x: times faster than insertion sort\n\n",
           (unsigned)items, (unsigned)repetitions);
    print_head();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct figures baseline = measure_baseline(cases[i].disorder, cases[i].share);
        printf("%s\n", cases[i].name);
        print_row("  insertion sort, inlined compare", baseline, median(&baseline));
        for (uint32_t by = 0; by < ORDERS; by++)
            print_row(orders[by].name,
                      measure(items, cases[i].disorder, cases[i].share, orders[by].order),
                      median(&baseline));
    }
}

/* Of the items alone, without handles. */
static struct figures measure_standard(uint32_t count)
{
    struct figures figures = {.runs = 0};
    for (uint32_t i = 0; i < repetitions; i++) {
        struct order_data data;
        order_data_init(&data, count, ORDER_SHUFFLED, 1, 1);
        double begin = order_seconds();
        order_standard_sort(hm_map_items(&data.map), count);
        take_in(&figures, order_seconds() - begin);
        order_data_fini(&data);
    }
    return figures;
}

static void compare_with_standard_sort(uint32_t count)
{
    printf("\n%u shuffled items; x: times faster than std::stable_sort of the bare items\n",
           (unsigned)count);
    print_head();
    struct figures standard = measure_standard(count);
    if (order_has_standard_sort)
        print_row("  std::stable_sort", standard, median(&standard));
    for (uint32_t by = 0; by < ORDERS; by++)
        print_row(orders[by].name, measure(count, ORDER_SHUFFLED, 1, orders[by].order),
                  order_has_standard_sort ? median(&standard) : 0);
}

static void few_changes(void)
{
    struct order_data data;
    hm_progress progress;
    order_data_init(&data, items, ORDER_SHUFFLED, 0, 1);
    defragment_all(&data, &order_by_compare, &progress);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t id = (uint32_t)(order_random(&data) % items);
        struct order_item *item = hm_map_get(&data.map, data.handles[id]);
        item->key += (uint32_t)(order_random(&data) % 129);
        item->key = item->key > 64 ? item->key - 64 : 0;
        hm_map_touch(&data.map, data.handles[id]);
    }
    double begin = order_seconds();
    progress = hm_map_defragment(&data.map, &order_by_compare, NULL);
    double seconds = order_seconds() - begin;
    printf("\n10 of %u re-keyed by up to 64 and touched: %llu compares, %llu swaps, %.1f us",
           (unsigned)items, (unsigned long long)progress.compares,
           (unsigned long long)progress.swaps, seconds * 1e6);
    begin = order_seconds();
    progress = hm_map_defragment(&data.map, &order_by_compare, NULL);
    seconds = order_seconds() - begin;
    printf("; nothing changed: %llu compares, %.1f us\n", (unsigned long long)progress.compares,
           seconds * 1e6);
    order_data_fini(&data);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The longest call under a budget, over a whole shuffled map. */
static void longest_call(const char *what, const hm_order *order)
{
    enum { MOST = 1 << 20 };
    double *calls = malloc(MOST * sizeof *calls);
    struct order_data data;
    uint32_t count = 0;
    order_data_init(&data, many_items, ORDER_SHUFFLED, 1, 1);
    for (bool done = false; !done && count < MOST && calls != NULL; count++) {
        double begin = order_seconds();
        done = hm_map_defragment(&data.map, order, &(hm_frame_budget){1000, 10000, false}).done;
        calls[count] = (order_seconds() - begin) * 1e6;
    }
    order_data_check(&data);
    qsort(calls, count, sizeof *calls, ascending);
    printf("%-34s calls %u, median %.0f us, 99%% %.0f us, longest %.0f us (a frame: 16,667 us)\n",
           what, (unsigned)count, calls[count / 2], calls[count - 1 - count / 100],
           calls[count - 1]);
    fflush(stdout);
    free(calls);
    order_data_fini(&data);
}

/* The share of adjacent pairs that are in the wrong order. */
static double inversions(const struct order_data *data)
{
    const struct order_item *item = hm_map_items(&data->map);
    uint32_t count = hm_map_count(&data->map), wrong = 0;
    for (uint32_t i = 1; i < count; i++)
        wrong += item[i - 1].key > item[i].key;
    return (double)wrong / (double)(count > 1 ? count - 1 : 1);
}

/* Erases one item and inserts one with another key. */
static void change_one(struct order_data *data)
{
    uint32_t id = (uint32_t)(order_random(data) % data->count);
    struct order_item item = {(uint32_t)(order_random(data) % data->count), id};
    hm_map_erase(&data->map, data->handles[id]);
    data->handles[id] = hm_map_insert(&data->map, &item);
}

static void churn(void)
{
    static const uint32_t rates[] = {1, 3, 10, 30, 100, 200, 300, 500, 1000};
    FILE *file = open_figures("order_churn.dat");
    uint32_t frames = items / 100;
    printf("\nadjacent pairs in the wrong order after %u frames of changes, with 1000 swaps and "
           "10000 compares a frame\n%14s %12s %12s\n",
           (unsigned)frames, "changes", "by compare", "by key");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const hm_order *by_both[] = {&order_by_compare, &order_by_key};
        double wrong[2] = {0, 0};
        for (uint32_t by = 0; by < 2; by++) {
            struct order_data data;
            order_data_init(&data, items, ORDER_SHUFFLED, 0, 1);
            uint32_t measured = 0;
            for (uint32_t frame = 0; frame < frames; frame++) {
                for (uint32_t change = 0; change < rates[i]; change++)
                    change_one(&data);
                hm_map_defragment(&data.map, by_both[by], &(hm_frame_budget){1000, 10000, false});
                if (frame >= frames / 2 && frame % 16 == 0) {
                    wrong[by] += inversions(&data);
                    measured++;
                }
            }
            wrong[by] /= measured > 0 ? measured : 1;
            order_data_fini(&data);
        }
        printf("%14u %11.2f%% %11.2f%%\n", (unsigned)rates[i], wrong[0] * 100, wrong[1] * 100);
        fprintf(file, "%u %.4f %.4f\n", (unsigned)rates[i], wrong[0] * 100, wrong[1] * 100);
        fflush(stdout);
    }
    fclose(file);
}

/* Order and cost after each call, for three budgets. */
static void calls_by_budget(void)
{
    static const uint32_t swaps[] = {100, 1000, 10000};
    FILE *file = open_figures("order_calls.dat");
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        struct order_data data;
        order_data_init(&data, items, ORDER_SHUFFLED, 1, 1);
        bool done = false;
        for (uint32_t call = 1; !done; call++) {
            double begin = order_seconds();
            done = hm_map_defragment(&data.map, &order_by_compare,
                                     &(hm_frame_budget){swaps[i], swaps[i] * 10, false})
                       .done;
            double seconds = order_seconds() - begin;
            if (call % (1000 / swaps[i] + 1) == 0 || call < 10 || done)
                fprintf(file, "%u %.3f %.3f\n", (unsigned)call, 100 - 100 * inversions(&data),
                        seconds * 1e6);
        }
        fprintf(file, "\n\n");
        order_data_fini(&data);
    }
    fclose(file);
}

static void moves_by_disorder(void)
{
    static const double shares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    FILE *file = open_figures("order_moves.dat");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        uint32_t kept = repetitions;
        repetitions = 1;
        struct figures baseline = measure_baseline(ORDER_SHUFFLED, shares[i]);
        struct figures ours = measure(items, ORDER_SHUFFLED, shares[i], &order_by_compare);
        repetitions = kept;
        fprintf(file, "%g %llu %llu %g %g\n", shares[i] * 100, (unsigned long long)baseline.moves,
                (unsigned long long)ours.moves, median(&baseline) * 1e3, median(&ours) * 1e3);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    int next = 1;
    if (next < argc && strcmp(argv[next], "--small") == 0) {
        items = 2000;
        many_items = 20000;
        repetitions = 1;
        next++;
    }
    if (next < argc)
        directory = argv[next];
    compare_with_insertion_sort();
    compare_with_standard_sort(items);
    compare_with_standard_sort(many_items);
    few_changes();
    printf("\nsingle calls of 1000 swaps and 10000 compares, %u shuffled items\n",
           (unsigned)many_items);
    for (uint32_t by = 0; by < ORDERS; by++)
        longest_call(orders[by].name, orders[by].order);
    churn();
    calls_by_budget();
    moves_by_disorder();
    return 0;
}

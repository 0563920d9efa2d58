/* SPDX-License-Identifier: MIT */
/* life_benchmark [--small]: what a container costs that lives shortly, and what growing without a
 * capacity costs. All rows take turns; each prints its median with the quartiles.
 *
 * lives    init, one insert, fini, beside M: one mmap, three first touches, one munmap; and the
 * same in an arena that has been used before grows    inserts without a capacity, beside those with
 * one, and the worst single insert */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS and clock_gettime, which -std=c11 hides */
#endif

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 51, BATCH = 20 };

static uint32_t rounds = ROUNDS, items = 10000000;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "life_benchmark: %s: %s\n", what, hm_last_error());
    exit(1);
}

/* A life in `memory`, or for M a mapping. */
typedef void life(const hm_memory *memory);

static void live_mapping(const hm_memory *memory)
{
    (void)memory;
    const size_t page = 4096;
    char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(pages != MAP_FAILED, "mmap");
    pages[0] = pages[page] = pages[2 * page] = 1;
    munmap(pages, 3 * page);
}

/* A container whose descriptor has these fields, with one item, made by the last argument. */
#define LIFE(kind, made, ...)                                                                      \
    static void live_##kind(const hm_memory *memory)                                               \
    {                                                                                              \
        hm_##kind c;                                                                               \
        const hm_##kind##_desc desc = {.memory = memory, __VA_ARGS__};                             \
        require(hm_##kind##_init(&c, &desc) == HM_OK && (made), #kind);                            \
        hm_##kind##_fini(&c);                                                                      \
    }

static const hm_column columns[] = {{4, 0, NULL}, {8, 0, NULL}};
static const hm_handle owner = {UINT64_C(1) << 32};

static bool create_with_value(hm_world *world)
{
    hm_component position = hm_world_component(world, &(hm_component_desc){.size = 8});
    return !hm_handle_is_null(hm_world_create(world, &position, 1));
}

static bool create_with_item(hm_lists *lists)
{
    return hm_lists_push(lists, hm_lists_create(lists), &owner) != NULL;
}

LIFE(map, !hm_handle_is_null(hm_map_insert(&c, NULL)), .item_size = 8)
LIFE(pool, !hm_handle_is_null(hm_pool_insert(&c, NULL)), .item_size = 8)
LIFE(table, !hm_handle_is_null(hm_table_insert(&c, NULL)), .columns = columns, .column_count = 2)
LIFE(secondary, hm_secondary_set(&c, owner, NULL) != NULL, .value_size = 8)
LIFE(lists, create_with_item(&c), .item_size = 8)
LIFE(index, hm_index_set(&c, owner, 5) == HM_OK, .name = "index")
LIFE(world, create_with_value(&c), .name = "world")

static const struct {
    const char *name;
    life *live;
} lives[] = {{"mapping", live_mapping}, {"map", live_map},     {"pool", live_pool},
             {"table", live_table},     {"lists", live_lists}, {"secondary", live_secondary},
             {"index", live_index},     {"world", live_world}};
enum { LIVES = sizeof lives / sizeof *lives };

typedef struct figures {
    double values[ROUNDS]; /* in rising order */
    uint32_t count;
} figures;

static void take_in(figures *all, double value)
{
    uint32_t i = all->count++;
    for (; i > 0 && value < all->values[i - 1]; i--)
        all->values[i] = all->values[i - 1];
    all->values[i] = value;
}

static double quartile(const figures *all, uint32_t quarter)
{
    return all->values[(all->count - 1) * quarter / 4];
}

/* Each round gives one ratio to M, which is measured in the same round. */
static void measure_lives(void)
{
    static figures ratios[LIVES], warm[LIVES];
    hm_memory_arena arena;
    require(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){0}) == HM_OK, "arena");
    for (uint32_t round = 0; round < rounds; round++) {
        double mapping = 0;
        for (uint32_t i = 0; i < 2 * LIVES; i++) {
            const hm_memory *memory = i < LIVES ? NULL : &arena.table;
            double begin = seconds();
            for (uint32_t k = 0; k < BATCH; k++)
                lives[i % LIVES].live(memory);
            double took = (seconds() - begin) / BATCH;
            mapping = i == 0 ? took : mapping;
            take_in(i < LIVES ? &ratios[i] : &warm[i - LIVES],
                    i == 0 || i >= LIVES ? took * 1e9 : took / mapping);
        }
    }
    printf("init, one insert, fini; M: %.0f ns (%.0f to %.0f)\n\n", quartile(&ratios[0], 2),
           quartile(&ratios[0], 1), quartile(&ratios[0], 3));
    puts("| container | times M | quartiles | ns in a warm arena | quartiles |\n"
         "|---|---:|---:|---:|---:|");
    for (uint32_t i = 1; i < LIVES; i++)
        printf("| %s | %.2f | %.2f to %.2f | %.0f | %.0f to %.0f |\n", lives[i].name,
               quartile(&ratios[i], 2), quartile(&ratios[i], 1), quartile(&ratios[i], 3),
               quartile(&warm[i], 2), quartile(&warm[i], 1), quartile(&warm[i], 3));
    hm_memory_arena_fini(&arena);
}

struct item {
    uint64_t a, b;
};
HM_MAP_DEFINE(item, struct item, 1)
HM_POOL_DEFINE(piece, struct item, 2)

/* Returns the nanoseconds of an insert, or of the worst one if each is measured. */
#define FILL(prefix, kind)                                                                         \
    static double fill_##kind(const hm_memory *memory, uint32_t capacity, bool worst)              \
    {                                                                                              \
        prefix##_##kind c;                                                                         \
        double begin = seconds(), longest = 0, last = begin;                                       \
        const hm_##kind##_desc desc = {.capacity = capacity, .memory = memory};                    \
        require(prefix##_##kind##_init_desc(&c, &desc) == HM_OK, #kind);                           \
        for (uint32_t i = 0; i < items; i++) {                                                     \
            struct item value = {i, i};                                                            \
            prefix##_handle handle = prefix##_##kind##_insert(&c, &value);                         \
            require(!prefix##_handle_is_null(handle), #kind);                                      \
            if (!worst)                                                                            \
                continue;                                                                          \
            double now = seconds();                                                                \
            longest = now - last > longest ? now - last : longest;                                 \
            last = now;                                                                            \
        }                                                                                          \
        double took = worst ? longest : (seconds() - begin) / items;                               \
        prefix##_##kind##_fini(&c);                                                                \
        return took * 1e9;                                                                         \
    }

FILL(item, map)
FILL(piece, pool)

static void measure_growth(void)
{
    const hm_memory *heap = hm_memory_heap();
    struct {
        const char *name;
        double (*fill)(const hm_memory *memory, uint32_t capacity, bool worst);
        const hm_memory *memory;
        figures bounded, unbounded;
    } rows[] = {{"map", fill_map, NULL, {{0}, 0}, {{0}, 0}},
                {"map, malloc", fill_map, heap, {{0}, 0}, {{0}, 0}},
                {"pool", fill_pool, NULL, {{0}, 0}, {{0}, 0}},
                {"pool, malloc", fill_pool, heap, {{0}, 0}, {{0}, 0}}};
    enum { ROWS = sizeof rows / sizeof *rows };
    for (uint32_t round = 0; round < (rounds + 9) / 10; round++)
        for (uint32_t i = 0; i < ROWS; i++) {
            take_in(&rows[i].bounded, rows[i].fill(rows[i].memory, items, false));
            take_in(&rows[i].unbounded, rows[i].fill(rows[i].memory, 0, false));
        }
    printf("\n%u inserts of 16 bytes\n\n", (unsigned)items);
    puts("| container | ns with a capacity | without | ratio | worst with, us | without |\n"
         "|---|---:|---:|---:|---:|---:|");
    for (uint32_t i = 0; i < ROWS; i++) {
        double with = quartile(&rows[i].bounded, 2), without = quartile(&rows[i].unbounded, 2);
        printf("| %s | %.1f | %.1f | %.2f | %.0f | %.0f |\n", rows[i].name, with, without,
               without / with, rows[i].fill(rows[i].memory, items, true) / 1000,
               rows[i].fill(rows[i].memory, 0, true) / 1000);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--small") == 0) {
        rounds = 3;
        items = 20000;
    }
    measure_lives();
    measure_growth();
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* save_benchmark [--small]: what saves and loads cost, to and from memory, beside one memcpy and
 * one XXH64 (libxxhash) of the same bytes, which take their turn in each round. Each row prints the
 * share of the speed of these two that the call reaches: medians with the quartiles. A load fills
 * memory that was touched before, by a load in an arena, or that the system has to give, page by
 * page. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* clock_gettime, which -std=c11 hides */
#endif

#include <handle_map/handle_map.h>
#include <handle_map/save.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { ROUNDS = 31, ITEM = 40, COMPONENTS = 3 };

static uint32_t rounds = ROUNDS, items = 1000000;

/* One kind of container. */
typedef struct subject {
    const char *name;
    void (*init)(const hm_memory *memory);
    void (*fill)(void);
    hm_status (*save)(hm_sink sink);
    hm_status (*load)(hm_source source);
    void (*fini)(void);
} subject;

typedef struct figures {
    double values[ROUNDS];
} figures;

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
    fprintf(stderr, "save_benchmark: %s: %s\n", what, hm_last_error());
    exit(1);
}

/* A map of items of 40 bytes, a quarter of whose slots are free. */

static hm_map map;

static void map_init(const hm_memory *memory)
{
    const hm_map_desc desc = {.item_size = ITEM, .capacity = items / 3 * 4, .memory = memory};
    require(hm_map_init(&map, &desc) == HM_OK, "init");
}

static bool is_fourth(const void *item, void *context)
{
    uint32_t *count = context;
    (void)item;
    return ++*count % 4 == 0;
}

static void map_fill(void)
{
    uint32_t count = 0;
    require(hm_map_insert_n(&map, NULL, items / 3 * 4, NULL) == HM_OK, "insert");
    (void)hm_map_erase_if(&map, is_fourth, &count);
}

static hm_status map_save(hm_sink sink)
{
    return hm_map_save(&map, NULL, sink);
}

static hm_status map_load(hm_source source)
{
    return hm_map_load(&map, NULL, source);
}

static void map_fini(void)
{
    hm_map_fini(&map);
}

/* A world of entities with three components of 8, 8 and 16 bytes. */

static hm_world world;
static hm_component components[COMPONENTS];

static void world_init(const hm_memory *memory)
{
    static const hm_component_desc descs[COMPONENTS] = {{.size = 8, .name = "position"},
                                                        {.size = 8, .name = "velocity"},
                                                        {.size = 16, .name = "box"}};
    const hm_world_desc desc = {.capacity = items, .memory = memory};
    require(hm_world_init(&world, &desc) == HM_OK, "init");
    for (int i = 0; i < COMPONENTS; i++)
        components[i] = hm_world_component(&world, &descs[i]);
}

static void world_fill(void)
{
    require(hm_world_create_n(&world, components, COMPONENTS, items, NULL, NULL) == HM_OK,
            "create");
}

static hm_status world_save(hm_sink sink)
{
    return hm_world_save(&world, NULL, sink);
}

static hm_status world_load(hm_source source)
{
    return hm_world_load(&world, NULL, source);
}

static void world_fini(void)
{
    hm_world_fini(&world);
}

static const subject subjects[] = {
    {"map", map_init, map_fill, map_save, map_load, map_fini},
    {"world", world_init, world_fill, world_save, world_load, world_fini},
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(figures *all)
{
    qsort(all->values, rounds, sizeof *all->values, compare);
    printf(" %.2f (%.2f to %.2f) |", all->values[rounds / 2], all->values[rounds / 4],
           all->values[rounds * 3 / 4]);
}

/* One memcpy and one XXH64. */
static double time_base(unsigned char *copy, const unsigned char *file, size_t size)
{
    static volatile XXH64_hash_t sum;
    double begin = now();
    memcpy(copy, file, size);
    sum = XXH64(copy, size, 0);
    (void)sum;
    return now() - begin;
}

static double time_load(const subject *of, const hm_memory *memory, hm_memory_stream stream)
{
    of->init(memory);
    double begin = now();
    require(of->load(hm_source_memory(&stream)) == HM_OK, "load");
    double took = now() - begin;
    of->fini();
    return took;
}

static void measure(const subject *of)
{
    static figures all[3];
    hm_memory_arena arena;
    hm_memory_stream stream = {0};
    of->init(NULL);
    of->fill();
    require(of->save(hm_sink_memory(&stream)) == HM_OK, "save");
    size_t size = stream.position;
    const hm_memory_arena_desc desc = {.size = 8 * size + (64 << 20)};
    require(hm_memory_arena_init(&arena, &desc) == HM_OK, "arena");
    unsigned char *file = malloc(size), *copy = malloc(size);
    require(file != NULL && copy != NULL, "malloc");
    memset(copy, 1, size);
    memset(file, 1, size);
    for (uint32_t round = 0; round < rounds; round++) {
        stream = (hm_memory_stream){file, size, 0};
        double begin = now();
        require(of->save(hm_sink_memory(&stream)) == HM_OK, "save");
        double took = now() - begin;
        all[0].values[round] = time_base(copy, file, size) / took;
    }
    of->fini();
    for (uint32_t round = 0; round < rounds; round++) {
        stream = (hm_memory_stream){file, size, 0};
        double base = time_base(copy, file, size);
        all[1].values[round] = base / time_load(of, &arena.table, stream);
        all[2].values[round] = base / time_load(of, NULL, stream);
    }
    printf("| %s | %zu |", of->name, size);
    for (int i = 0; i < 3; i++)
        print(&all[i]);
    putchar('\n');
    hm_memory_arena_fini(&arena);
    free(file);
    free(copy);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--small") == 0) {
        rounds = 3;
        items = 3000;
    }
    printf("%u items or entities; share of the speed of one memcpy and one XXH64\n\n",
           (unsigned)items);
    puts("| container | bytes | save | load, warm | load, fresh memory |\n"
         "|---|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        measure(&subjects[i]);
    return 0;
}

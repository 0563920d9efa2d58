/* SPDX-License-Identifier: MIT */
/* freestanding: every kind of container in 32 MiB of static memory, with a library that has no
 * other. The program itself runs on a system, to have an exit code; its argument `panic` breaks a
 * contract. */
#include <handle_map/handle_map.h>

#include <stdio.h>
#include <string.h>

#ifndef HM_FREESTANDING
#error "whoever builds the library so must define it for programs too"
#endif

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, hm_last_error());          \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

enum { COUNT = 1000, SIZE = 32 << 20 };

_Alignas(HM_MEMORY_ALIGNMENT) static unsigned char bytes[SIZE];
static bool is_taken;

/* All bytes are one block, of an arena. */
static void *take(void *context, size_t size, size_t align)
{
    (void)context, (void)align;
    if (size > SIZE || is_taken)
        return NULL;
    is_taken = true;
    return bytes;
}

static void give_back(void *context, void *address, size_t size)
{
    (void)context, (void)address, (void)size;
    is_taken = false;
}

static void print_panic(const char *file, int line, const char *message)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
}

static bool refuses_without_memory(hm_status status)
{
    REQUIRE(status == HM_ERROR_INVALID);
    REQUIRE(strstr(hm_last_error(), "memory is NULL: a freestanding library has no default"));
    return true;
}

static bool all_need_memory(void)
{
    hm_array array;
    hm_id_table ids;
    hm_map map;
    hm_pool pool;
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
    hm_index index;
    hm_world world;
    hm_memory_arena arena;
    const hm_column column = {.size = 4};
    REQUIRE(refuses_without_memory(hm_array_init(&array, &(hm_array_desc){.item_size = 4})));
    REQUIRE(refuses_without_memory(hm_id_table_init(&ids, &(hm_id_table_desc){.capacity = 9})));
    REQUIRE(refuses_without_memory(hm_map_init(&map, &(hm_map_desc){.item_size = 4})));
    REQUIRE(refuses_without_memory(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4})));
    REQUIRE(refuses_without_memory(
        hm_table_init(&table, &(hm_table_desc){.columns = &column, .column_count = 1})));
    REQUIRE(refuses_without_memory(
        hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 4})));
    REQUIRE(refuses_without_memory(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4})));
    REQUIRE(refuses_without_memory(hm_index_init(&index, &(hm_index_desc){.key_limit = 4})));
    REQUIRE(refuses_without_memory(hm_world_init(&world, &(hm_world_desc){.capacity = 9})));
    REQUIRE(refuses_without_memory(
        hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = 1 << 20})));
    return true;
}

static int compare(const void *a, const void *b, void *context)
{
    (void)context;
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* A map, the values, lists and keys of its items. */
static bool map_works(const hm_memory *in)
{
    hm_map map;
    hm_secondary weights;
    hm_lists lists;
    hm_index index;
    REQUIRE(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .capacity = COUNT, .memory = in}) ==
            HM_OK);
    REQUIRE(hm_secondary_init(
                &weights, &(hm_secondary_desc){.value_size = 8, .capacity = COUNT, .memory = in}) ==
            HM_OK);
    REQUIRE(hm_lists_init(&lists, &(hm_lists_desc){
                                      .item_size = 4, .capacity = COUNT, .memory = in}) == HM_OK);
    REQUIRE(hm_index_init(&index, &(hm_index_desc){.capacity = COUNT, .memory = in}) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t item = i * 7919 % COUNT;
        uint64_t weight = i;
        hm_handle handle = hm_map_insert(&map, &item);
        hm_handle list = hm_lists_create(&lists);
        REQUIRE(hm_secondary_set(&weights, handle, &weight) != NULL);
        REQUIRE(hm_index_set(&index, handle, item % 10) == HM_OK);
        REQUIRE(hm_lists_push(&lists, list, &item) != NULL);
        if (i % 3 == 0)
            REQUIRE(hm_map_erase(&map, handle) && hm_map_get(&map, handle) == NULL);
    }
    const hm_order order = {.compare = compare};
    REQUIRE(hm_map_defragment(&map, &order, &(hm_frame_budget){COUNT, HM_NO_LIMIT, false}).done);
    REQUIRE(hm_map_validate(&map) == HM_OK && hm_secondary_validate(&weights) == HM_OK);
    REQUIRE(hm_lists_validate(&lists) == HM_OK && hm_index_validate(&index) == HM_OK);
    REQUIRE(hm_map_count(&map) == COUNT - (COUNT + 2) / 3);
    hm_index_fini(&index);
    hm_lists_fini(&lists);
    hm_secondary_fini(&weights);
    hm_map_fini(&map);
    return true;
}

static bool pool_and_table_work(const hm_memory *in)
{
    hm_pool pool;
    hm_table table;
    const hm_column columns[] = {{.size = 4}, {.size = 8}};
    REQUIRE(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .capacity = COUNT, .memory = in}) ==
            HM_OK);
    REQUIRE(hm_table_init(&table, &(hm_table_desc){.columns = columns,
                                                   .column_count = 2,
                                                   .capacity = COUNT,
                                                   .memory = in}) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        hm_handle handle = hm_pool_insert(&pool, &i), row = hm_table_insert(&table, NULL);
        REQUIRE(!hm_handle_is_null(handle) && !hm_handle_is_null(row));
        if (i % 3 == 0)
            REQUIRE(hm_pool_erase(&pool, handle) && hm_table_erase(&table, row));
    }
    REQUIRE(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    REQUIRE(hm_table_trim(&table) == HM_OK && hm_table_validate(&table) == HM_OK);
    hm_table_fini(&table);
    hm_pool_fini(&pool);
    return true;
}

static bool world_works(const hm_memory *in)
{
    hm_world world;
    const hm_world_desc desc = {
        .capacity = COUNT, .max_archetypes = 16, .max_size = 2 << 20, .memory = in};
    REQUIRE(hm_world_init(&world, &desc) == HM_OK);
    hm_component a = hm_world_component(&world, &(hm_component_desc){.size = 4, .name = "a"});
    hm_component b = hm_world_component(&world, &(hm_component_desc){.size = 8, .name = "b"});
    for (uint32_t i = 0; i < COUNT; i++) {
        hm_handle entity = hm_world_create(&world, (hm_component[]){a, b}, 2);
        REQUIRE(hm_world_add(&world, entity, a, &i) == HM_OK);
        if (i % 3 == 0)
            REQUIRE(hm_world_destroy(&world, entity));
    }
    hm_query query;
    REQUIRE(hm_query_init(&query, &world, &(hm_query_desc){.all = &a, .all_count = 1}) == HM_OK);
    REQUIRE(hm_query_count(&query) == COUNT - (COUNT + 2) / 3);
    REQUIRE(hm_world_validate(&world) == HM_OK);
    hm_query_fini(&query);
    hm_world_fini(&world);
    return true;
}

int main(int argc, char **argv)
{
    hm_set_panic_hook(print_panic);
    if (argc == 2 && strcmp(argv[1], "panic") == 0)
        (void)hm_map_insert(NULL, NULL);
    hm_memory_allocator memory;
    hm_memory_arena arena;
    const hm_memory_allocator_desc functions = {.allocate = take, .free = give_back};
    const hm_memory_arena_desc desc = {.size = 16 << 20, .memory = &memory.table};
    bool works = all_need_memory() && hm_memory_allocator_init(&memory, &functions) == HM_OK &&
                 hm_memory_arena_init(&arena, &desc) == HM_OK;
    works = works && map_works(&arena.table) && pool_and_table_work(&arena.table) &&
            world_works(&arena.table);
    if (works)
        hm_memory_arena_fini(&arena);
    return works ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/* What each container says when it is refused memory, and when it refuses a call because it is
 * busy: its name, and what to do. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <string.h>

/* Leaves a message that no other failure leaves. */
static void mark(void)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 77, .item_align = 2}) ==
          HM_ERROR_INVALID);
}

static bool is_marked(void)
{
    return strcmp(hm_last_error(), "item_size 77 is not a multiple of item_align 2") == 0;
}

/* memory */

/* Each of these makes a container and lets it grow, and has the k-th call for memory refused. */

static hm_status grow_map(test_memory *memory, uint32_t k)
{
    hm_map map;
    const hm_map_desc desc = {.item_size = 8,
                              .capacity = 100,
                              .max_slots = 200,
                              .meta_size = 4,
                              .memory = &memory->table,
                              .name = "things"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_map_init(&map, &desc);
    if (status == HM_OK)
        status = hm_map_insert_n(&map, NULL, 3, NULL);
    hm_map_fini(&map);
    return status;
}

static hm_status grow_pool(test_memory *memory, uint32_t k)
{
    hm_pool pool;
    const hm_pool_desc desc = {.item_size = 8,
                               .capacity = 100,
                               .max_slots = 200,
                               .storage = HM_STORAGE_GROWING_BLOCKS,
                               .memory = &memory->table,
                               .name = "shots"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_pool_init(&pool, &desc);
    if (status == HM_OK)
        status = hm_pool_insert_n(&pool, NULL, 30, NULL);
    hm_pool_fini(&pool);
    return status;
}

static hm_status grow_table(test_memory *memory, uint32_t k)
{
    hm_table table;
    const hm_column columns[] = {{.size = 8}, {.size = 4}};
    const hm_table_desc desc = {.columns = columns,
                                .column_count = 2,
                                .capacity = 100,
                                .max_slots = 200,
                                .memory = &memory->table,
                                .name = "rows"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_table_init(&table, &desc);
    if (status == HM_OK)
        status = hm_table_insert_n(&table, NULL, 3, NULL);
    hm_table_fini(&table);
    return status;
}

static hm_status grow_secondary(test_memory *memory, uint32_t k)
{
    hm_secondary secondary;
    const hm_secondary_desc desc = {.value_size = 8,
                                    .capacity = 100,
                                    .max_slots = 200,
                                    .memory = &memory->table,
                                    .name = "glows"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_secondary_init(&secondary, &desc);
    if (status == HM_OK && hm_secondary_set(&secondary, hm_handle_pack(0, 1, 0), NULL) == NULL)
        status = HM_ERROR_MEMORY;
    hm_secondary_fini(&secondary);
    return status;
}

static hm_status grow_lists(test_memory *memory, uint32_t k)
{
    hm_lists lists;
    const hm_lists_desc desc = {.item_size = 8,
                                .capacity = 100,
                                .max_slots = 200,
                                .max_items = 300,
                                .memory = &memory->table,
                                .name = "ways"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_lists_init(&lists, &desc);
    if (status == HM_OK) {
        hm_handle list = hm_lists_create(&lists);
        status = hm_handle_is_null(list) ? HM_ERROR_MEMORY : hm_lists_push_n(&lists, list, NULL, 3);
    }
    hm_lists_fini(&lists);
    return status;
}

static hm_status grow_index(test_memory *memory, uint32_t k)
{
    hm_index index;
    const hm_handle owners[] = {hm_handle_pack(0, 1, 0), hm_handle_pack(1, 1, 0)};
    const uint64_t keys[] = {1, 2};
    const hm_index_desc desc = {.capacity = 100,
                                .max_slots = 200,
                                .key_limit = 50,
                                .memory = &memory->table,
                                .name = "cells"};
    test_memory_fail(memory, k, false);
    hm_status status = hm_index_init(&index, &desc);
    if (status == HM_OK)
        status = k % 2 != 0 ? hm_index_set(&index, owners[0], 1)
                            : hm_index_set_n(&index, owners, keys, 2);
    hm_index_fini(&index);
    return status;
}

/* Whether all is made but one call for memory, of a world that has a sparse component. */
static hm_status grow_world(test_memory *memory, uint32_t k)
{
    hm_world world;
    hm_world_desc desc = {.capacity = 100,
                          .max_slots = 200,
                          .max_size = 1 << 20,
                          .memory = &memory->table,
                          .name = "game"};
    const hm_component_desc table = {.size = 8};
    const hm_component_desc sparse = {.size = 8, .storage = HM_COMPONENT_SPARSE};
    hm_component set[2];
    test_memory_fail(memory, k, false);
    hm_status status = hm_world_init(&world, &desc);
    if (status != HM_OK)
        return status;
    set[0] = hm_world_component(&world, &table);
    if (set[0] != HM_INVALID_INDEX)
        set[1] = hm_world_component(&world, &sparse);
    if (set[0] == HM_INVALID_INDEX || set[1] == HM_INVALID_INDEX)
        status = HM_ERROR_MEMORY;
    if (status == HM_OK)
        status = hm_world_create_n(&world, set, 2, 3, NULL, NULL);
    hm_world_fini(&world);
    return status;
}

static hm_status grow_query(test_memory *memory, uint32_t k)
{
    hm_world world;
    hm_query query;
    const hm_world_desc desc = {
        .capacity = 100, .max_archetypes = 30, .memory = &memory->table, .name = "game"};
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    test_memory_fail(memory, k, false);
    hm_status status = hm_query_init(&query, &world, &(hm_query_desc){0});
    hm_query_fini(&query);
    hm_world_fini(&world);
    return status;
}

static hm_status grow_commands(test_memory *memory, uint32_t k)
{
    hm_world world;
    hm_commands commands;
    const hm_world_desc desc = {.capacity = 100, .memory = &memory->table, .name = "game"};
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    hm_handle entity = hm_world_create(&world, NULL, 0);
    test_memory_fail(memory, k, false);
    hm_status status = hm_commands_init(&commands, &world, NULL);
    if (status == HM_OK)
        status = hm_commands_destroy(&commands, entity);
    test_memory_fail(memory, 0, false);
    hm_commands_fini(&commands);
    hm_world_fini(&world);
    return status;
}

static hm_status grow_id_table(test_memory *memory, uint32_t k)
{
    hm_id_table table;
    const hm_id_table_desc desc = {100, 200, 0, &memory->table};
    test_memory_fail(memory, k, false);
    hm_status status = hm_id_table_init(&table, &desc);
    if (status == HM_OK)
        status = hm_id_table_reserve(&table, 1);
    hm_id_table_fini(&table);
    return status;
}

static hm_status grow_array(test_memory *memory, uint32_t k)
{
    hm_array array;
    const hm_array_desc desc = {.item_size = 8, .capacity = 100, .memory = &memory->table};
    test_memory_fail(memory, k, false);
    hm_status status = hm_array_init(&array, &desc);
    if (status == HM_OK && hm_array_push(&array) == NULL)
        status = HM_ERROR_MEMORY;
    hm_array_fini(&array);
    return status;
}

static hm_status grow_directory(test_memory *memory, uint32_t k)
{
    hm_map map;
    hm_directory directory;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8}) == HM_OK);
    test_memory_fail(memory, k, false);
    hm_status status = hm_directory_init(&directory, &memory->table);
    if (status == HM_OK)
        status = hm_directory_add(&directory, &map);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
    return status;
}

typedef struct growth {
    hm_status (*grow)(test_memory *memory, uint32_t k);
    const char *lower; /* the end of the sentence for a reservation */
    const char *free;  /* and for a commit */
} growth;

static const growth growths[] = {
    {grow_map, "lower capacity 100 or max_slots 200 of the map 'things'",
     "free memory; capacity 100, max_slots 200 of the map 'things'"},
    {grow_pool, "lower capacity 100 or max_slots 200 of the pool 'shots'",
     "free memory; capacity 100, max_slots 200 of the pool 'shots'"},
    {grow_table, "lower capacity 100 or max_slots 200 of the table 'rows'",
     "free memory; capacity 100, max_slots 200 of the table 'rows'"},
    {grow_secondary, "lower capacity 100 or max_slots 200 of the secondary 'glows'",
     "free memory; capacity 100, max_slots 200 of the secondary 'glows'"},
    {grow_lists, "lower capacity 100 or max_slots 200 or max_items 300 of the lists 'ways'",
     "free memory; capacity 100, max_slots 200, max_items 300 of the lists 'ways'"},
    {grow_index, "lower capacity 100 or max_slots 200 or key_limit 50 of the index 'cells'",
     "free memory; capacity 100, max_slots 200, key_limit 50 of the index 'cells'"},
    {grow_world, "lower capacity 100 or max_slots 200 or max_size 1048576 of the world 'game'",
     "free memory; capacity 100, max_slots 200, max_size 1048576 of the world 'game'"},
    {grow_query, "lower max_archetypes 30 of the query of the world 'game'", ""},
    {grow_commands, " of the commands of the world 'game'", " of the commands of the world 'game'"},
    {grow_id_table, "lower capacity 100 or max_slots 200 of the id table",
     "free memory; capacity 100, max_slots 200 of the id table"},
    {grow_array, "lower capacity 100 of the array", "free memory; capacity 100 of the array"},
    {grow_directory, "free memory for the directory", "free memory for the directory"},
};

static void check_blame(const growth *of)
{
    const char *text = hm_last_error();
    const char *end = strncmp(text, "a reservation of ", 17) == 0 ? of->lower : of->free;
    size_t length = strlen(text);
    bool is_told = strstr(text, " bytes was refused: ") != NULL && length > strlen(end) &&
                   strcmp(text + length - strlen(end), end) == 0;
    if (!is_told)
        fprintf(stderr, "'%s' should end with '%s'\n", text, end);
    CHECK(is_told);
}

TEST(refusal, refused_memory_is_told_with_the_container_and_what_to_do)
{
    for (size_t i = 0; i < sizeof growths / sizeof growths[0]; i++) {
        uint32_t k = 0, refused = 0;
        test_memory memory;
        do {
            test_memory_init_with_holes(&memory, test_page_size(4096));
            mark();
            if (growths[i].grow(&memory, ++k) == HM_ERROR_MEMORY) {
                check_blame(&growths[i]);
                refused++;
            }
        } while (memory.calls >= k && k < 100);
        CHECK(refused > 0 && k < 100);
    }
}

/* busy */

static bool says(const char *sentence)
{
    bool equal = strcmp(hm_last_error(), sentence) == 0;
    if (!equal)
        fprintf(stderr, "the last error is: %s\n", hm_last_error());
    return equal;
}

static bool is_not_asked(const void *item, void *context)
{
    (void)item;
    (void)context;
    return false;
}

static uint64_t key_of(const void *item, void *context)
{
    (void)context;
    return *(const uint32_t *)item;
}

/* Whether a call inside a callback is refused with this answer, and says so. */
#define IS_BUSY(call, answer, container)                                                           \
    (mark(), (call) == (answer) &&                                                                 \
                 says("the " container " is busy: called from one of its own callbacks"))

static const hm_order by_number = {.key = key_of};

static bool map_is_busy(const void *item, void *context)
{
    hm_map *map = context;
    const hm_handle live = hm_map_handle_of(map, item), none = HM_NULL_HANDLE;
    const hm_budget all = {0, 0};
    void *place;
    CHECK(IS_BUSY(hm_map_insert(map, NULL).bits, 0, "map 'things'"));
    CHECK(IS_BUSY(hm_map_emplace(map, &place).bits, 0, "map 'things'"));
    CHECK(IS_BUSY(hm_map_insert_n(map, NULL, 0, NULL), HM_ERROR_BUSY, "map 'things'"));
    CHECK(IS_BUSY(hm_map_reserve(map, 0), HM_ERROR_BUSY, "map 'things'"));
    CHECK(IS_BUSY(hm_map_trim(map), HM_ERROR_BUSY, "map 'things'"));
    CHECK(IS_BUSY(hm_map_erase(map, live), false, "map 'things'"));
    CHECK(IS_BUSY(hm_map_erase_n(map, &live, 1), 0, "map 'things'"));
    CHECK(IS_BUSY(hm_map_erase_if(map, is_not_asked, NULL), 0, "map 'things'"));
    CHECK(IS_BUSY(hm_map_defragment(map, &by_number, all).status, HM_ERROR_BUSY, "map 'things'"));
    CHECK(IS_BUSY(hm_map_arrange(map, &live, 1, all).status, HM_ERROR_BUSY, "map 'things'"));
    mark();
    CHECK(!hm_map_erase(map, none) && hm_map_erase_n(map, &none, 1) == 0 && is_marked());
    return false;
}

static bool pool_is_busy(const void *item, void *context)
{
    hm_pool *pool = context;
    const hm_handle live = hm_pool_handle_of(pool, item), none = HM_NULL_HANDLE;
    void *place;
    CHECK(IS_BUSY(hm_pool_insert(pool, NULL).bits, 0, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_emplace(pool, &place).bits, 0, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_insert_n(pool, NULL, 0, NULL), HM_ERROR_BUSY, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_reserve(pool, 0), HM_ERROR_BUSY, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_trim(pool), HM_ERROR_BUSY, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_erase(pool, live), false, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_erase_n(pool, &live, 1), 0, "pool 'pool'"));
    CHECK(IS_BUSY(hm_pool_erase_if(pool, is_not_asked, NULL), 0, "pool 'pool'"));
    mark();
    CHECK(!hm_pool_erase(pool, none) && hm_pool_erase_n(pool, &none, 1) == 0 && is_marked());
    return false;
}

static bool no_row(const hm_table *table, uint32_t row, void *context)
{
    (void)table;
    return is_not_asked(&row, context);
}

static bool table_is_busy(const hm_table *asked, uint32_t row, void *context)
{
    hm_table *table = context;
    const hm_handle live = hm_table_handle_at(asked, row), none = HM_NULL_HANDLE;
    const hm_budget all = {0, 0};
    CHECK(IS_BUSY(hm_table_insert(table, NULL).bits, 0, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_insert_n(table, NULL, 0, NULL), HM_ERROR_BUSY, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_reserve(table, 0), HM_ERROR_BUSY, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_trim(table), HM_ERROR_BUSY, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_erase(table, live), false, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_erase_n(table, &live, 1), 0, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_erase_if(table, no_row, NULL), 0, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_defragment(table, 0, &by_number, all).status, HM_ERROR_BUSY,
                  "table 'rows'"));
    CHECK(IS_BUSY(hm_table_arrange(table, &live, 1, all).status, HM_ERROR_BUSY, "table 'rows'"));
    mark();
    CHECK(!hm_table_erase(table, none) && hm_table_erase_n(table, &none, 1) == 0 && is_marked());
    return false;
}

static bool is_no_value_asked(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return is_not_asked(value, context);
}

static bool is_no_key_asked(hm_handle owner, uint64_t key, void *context)
{
    (void)key;
    return is_not_asked(&owner, context);
}

static bool secondary_is_busy(hm_handle live, const void *value, void *context)
{
    (void)value;
    hm_secondary *secondary = context;
    const hm_budget all = {0, 0};
    CHECK(IS_BUSY(hm_secondary_set(secondary, live, NULL), NULL, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_reserve(secondary, 0), HM_ERROR_BUSY, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_trim(secondary), HM_ERROR_BUSY, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_remove(secondary, live), false, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_remove_if(secondary, is_no_value_asked, NULL), 0,
                  "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_defragment(secondary, &by_number, all).status, HM_ERROR_BUSY,
                  "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_arrange(secondary, &live, 1, all).status, HM_ERROR_BUSY,
                  "secondary 'glows'"));
    mark();
    CHECK(!hm_secondary_remove(secondary, HM_NULL_HANDLE) && is_marked());
    return false;
}

static bool lists_are_busy(const void *item, void *context)
{
    hm_lists *lists = context;
    const hm_handle live = *(const hm_handle *)item, none = HM_NULL_HANDLE;
    CHECK(IS_BUSY(hm_lists_create(lists).bits, 0, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_push(lists, live, NULL), NULL, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_push_n(lists, live, NULL, 0), HM_ERROR_BUSY, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_insert_at(lists, live, 0, NULL), NULL, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_resize(lists, live, 1), HM_ERROR_BUSY, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_reserve(lists, 0), HM_ERROR_BUSY, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_trim(lists), HM_ERROR_BUSY, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_destroy(lists, live), false, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_erase_at(lists, live, 0), false, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_erase_ordered_at(lists, live, 0), false, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_erase_if(lists, live, is_not_asked, NULL), 0, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_defragment(lists, (hm_budget){0, 0}).status, HM_ERROR_BUSY,
                  "lists 'ways'"));
    mark();
    CHECK(!hm_lists_destroy(lists, none) && !hm_lists_erase_at(lists, none, 0));
    CHECK(!hm_lists_erase_ordered_at(lists, live, 1) && is_marked());
    return false;
}

static bool index_is_busy(hm_handle live, uint64_t key, void *context)
{
    (void)key;
    hm_index *index = context;
    const hm_handle none = HM_NULL_HANDLE;
    CHECK(IS_BUSY(hm_index_set(index, live, 1), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_set_n(index, NULL, NULL, 0), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_reserve(index, 0), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_trim(index), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove(index, live), false, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove_n(index, &live, 1), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove_key(index, 1), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove_if(index, is_no_key_asked, NULL), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_defragment(index, (hm_budget){0, 0}).status, HM_ERROR_BUSY,
                  "index 'cells'"));
    mark();
    CHECK(!hm_index_remove(index, none) && hm_index_remove_key(index, 2) == 0 && is_marked());
    return false;
}

typedef struct place_in_world {
    hm_handle entity;
    hm_component number;
} place_in_world;

static void world_is_busy(void *value, void *context)
{
    hm_world *world = context;
    const hm_component number = ((const place_in_world *)value)->number;
    const hm_handle live = ((const place_in_world *)value)->entity, none = HM_NULL_HANDLE;
    CHECK(IS_BUSY(hm_world_destroy(world, live), false, "world 'game'"));
    CHECK(IS_BUSY(hm_world_destroy_n(world, &live, 1), 0, "world 'game'"));
    CHECK(IS_BUSY(hm_world_defragment(world, number, &by_number, (hm_budget){0, 0}).status,
                  HM_ERROR_BUSY, "world 'game'"));
    mark();
    CHECK(!hm_world_has(world, none, number) && is_marked());
}

/* A batch of none is refused like any other: only the container decides. A handle that does not
 * resolve is an answer, in a callback as elsewhere. */
TEST(refusal, whatever_a_busy_container_refuses_is_told)
{
    const hm_handle owner = hm_handle_pack(0, 1, 3);
    const hm_column column = {.size = 4};
    hm_map map;
    hm_pool pool;
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
    hm_index index;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .name = "things"}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4}) == HM_OK);
    CHECK(hm_table_init(&table,
                        &(hm_table_desc){.columns = &column, .column_count = 1, .name = "rows"}) ==
          HM_OK);
    CHECK(hm_secondary_init(&secondary,
                            &(hm_secondary_desc){.value_size = 4, .type_id = 3, .name = "glows"}) ==
          HM_OK);
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 8, .name = "ways"}) == HM_OK);
    CHECK(hm_index_init(&index, &(hm_index_desc){.type_id = 3, .name = "cells"}) == HM_OK);
    hm_map_insert(&map, NULL);
    hm_pool_insert(&pool, NULL);
    hm_table_insert(&table, NULL);
    CHECK(hm_secondary_set(&secondary, owner, NULL) != NULL);
    CHECK(hm_index_set(&index, owner, 1) == HM_OK);
    hm_handle list = hm_lists_create(&lists);
    CHECK(hm_lists_push(&lists, list, &list) != NULL);
    CHECK(hm_map_erase_if(&map, map_is_busy, &map) == 0);
    CHECK(hm_pool_erase_if(&pool, pool_is_busy, &pool) == 0);
    CHECK(hm_table_erase_if(&table, table_is_busy, &table) == 0);
    CHECK(hm_secondary_remove_if(&secondary, secondary_is_busy, &secondary) == 0);
    CHECK(hm_lists_erase_if(&lists, list, lists_are_busy, &lists) == 0);
    CHECK(hm_index_remove_if(&index, index_is_busy, &index) == 0);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    hm_table_fini(&table);
    hm_secondary_fini(&secondary);
    hm_lists_fini(&lists);
    hm_index_fini(&index);
}

TEST(refusal, whatever_a_busy_world_refuses_is_told)
{
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 100, .name = "game"}) == HM_OK);
    const hm_component_desc desc = {
        .size = sizeof(place_in_world), .destroy = world_is_busy, .context = &world};
    const place_in_world place = {hm_world_create(&world, NULL, 0),
                                  hm_world_component(&world, &desc)};
    CHECK(hm_world_add(&world, place.entity, place.number, &place) == HM_OK);
    CHECK(hm_world_destroy(&world, place.entity));
    hm_world_fini(&world);
}

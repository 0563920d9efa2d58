/* SPDX-License-Identifier: MIT */
/* What each container says when it is refused memory: its name, and what to do. */
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

static hm_status grow_index_as(hm_index_desc desc, test_memory *memory, uint32_t k)
{
    hm_index index;
    const hm_handle owners[] = {hm_handle_pack(0, 1, 0), hm_handle_pack(1, 1, 0)};
    const uint64_t keys[] = {1, 2};
    desc.key_limit = 50;
    desc.memory = &memory->table;
    desc.name = "cells";
    test_memory_fail(memory, k, false);
    hm_status status = hm_index_init(&index, &desc);
    if (status == HM_OK)
        status = k % 2 != 0 ? hm_index_set(&index, owners[0], 1)
                            : hm_index_set_n(&index, owners, keys, 2);
    hm_index_fini(&index);
    return status;
}

static hm_status grow_index(test_memory *memory, uint32_t k)
{
    return grow_index_as((hm_index_desc){.capacity = 100, .max_slots = 200}, memory, k);
}

static hm_status grow_index_of_map(test_memory *memory, uint32_t k)
{
    hm_map map;
    const hm_map_desc desc = {.item_size = 8, .capacity = 100, .max_slots = 200};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    hm_status status = grow_index_as((hm_index_desc){.owners = hm_map_as_owners(&map)}, memory, k);
    hm_map_fini(&map);
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
        status = hm_directory_add_map(&directory, &map);
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
    {grow_index_of_map, "lower capacity 100 or max_slots 200 or key_limit 50 of the index 'cells'",
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

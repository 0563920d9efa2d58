/* SPDX-License-Identifier: MIT */
/* What is said when memory is refused: its name, and what to do. matrix/contract_test.c has the
 * containers. */
#include "support/last_error.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <string.h>

/* memory */

/* Each of these makes a container and lets it grow, and has the k-th call for memory refused. */

static hm_status grow_commands(test_memory *memory, uint32_t k)
{
    hm_world world;
    hm_commands commands;
    const hm_world_desc desc = {.capacity = 100, .memory = &memory->table, .name = "game"};
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    hm_handle entity = hm_world_create(&world, NULL, 0);
    test_memory_fail(memory, k, false);
    memset(&commands, 0x5A, sizeof commands);
    hm_status status = hm_commands_init(&commands, &world, NULL);
    CHECK(status == HM_OK || memcmp(&commands, &(hm_commands){0}, sizeof commands) == 0);
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
    const hm_id_table_desc desc = {100, 200, 0, 0, &memory->table};
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
    {grow_commands, " of the commands of the world 'game'", " of the commands of the world 'game'"},
    {grow_id_table, "lower capacity 100 or max_slots 200 of the id table",
     "free memory; capacity 100, max_slots 200 of the id table"},
    {grow_array, "lower capacity 100 of the array", "free memory; capacity 100 of the array"},
    {grow_directory, "free memory for the directory", "free memory for the directory"},
};

TEST(refusal, refused_memory_is_told_with_the_container_and_what_to_do)
{
    for (size_t i = 0; i < 2 * (sizeof growths / sizeof growths[0]); i++) {
        const growth *of = &growths[i / 2];
        uint32_t k = 0, refused = 0;
        test_memory memory;
        do {
            test_memory_init_with_holes(&memory, test_page_size(i % 2 == 0 ? 4096 : 65536));
            mark();
            if (of->grow(&memory, ++k) == HM_ERROR_MEMORY) {
                CHECK(tells_refusal(tells_reservation() ? of->lower : of->free));
                test_memory_check_released(&memory);
                refused++;
            }
        } while (memory.calls >= k && k < 100);
        CHECK(refused > 0 && k < 100);
    }
}

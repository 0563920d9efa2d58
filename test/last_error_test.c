/* SPDX-License-Identifier: MIT */
/* hm_last_error: each cause of a failure has its own message, and only failures write one. */
#include "support/last_error.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool map_refuses(hm_map_desc desc, const char *sentence)
{
    hm_map map;
    return hm_map_init(&map, &desc) == HM_ERROR_INVALID && says_of_init("map", desc.name, sentence);
}

static bool pool_refuses(hm_pool_desc desc, const char *sentence)
{
    hm_pool pool;
    return hm_pool_init(&pool, &desc) == HM_ERROR_INVALID &&
           says_of_init("pool", desc.name, sentence);
}

static bool array_refuses(hm_array_desc desc, const char *sentence)
{
    hm_array array;
    return hm_array_init(&array, &desc) == HM_ERROR_INVALID &&
           says_of_init("array", NULL, sentence);
}

/* matrix/contract_test.c has what the containers' init refuses. */
TEST(last_error, a_layout_that_cannot_be_is_told_by_its_number)
{
    char sentence[160];
    hm_array array;
    hm_id_table table;
    CHECK(array_refuses((hm_array_desc){0}, "item_size is 0"));
    CHECK(array_refuses((hm_array_desc){.item_size = 8192, .item_align = 8192},
                        "item_align 8192 is above 4096"));
    CHECK(hm_array_init(NULL, NULL) == HM_ERROR_INVALID && says("hm_array_init: array is NULL"));
    CHECK(hm_array_init(&array, NULL) == HM_ERROR_INVALID && says("hm_array_init: item_size is 0"));
    CHECK(hm_id_table_init(NULL, NULL) == HM_ERROR_INVALID &&
          says("hm_id_table_init: table is NULL"));
    CHECK(hm_id_table_init(&table, NULL) == HM_OK);
    hm_id_table_fini(&table);
    CHECK(hm_directory_init(NULL, NULL) == HM_ERROR_INVALID &&
          says("hm_directory_init: directory is NULL"));
    snprintf(sentence, sizeof sentence, "10 times item_size %llu does not fit in size_t",
             (unsigned long long)(SIZE_MAX / 8));
    CHECK(map_refuses((hm_map_desc){.item_size = SIZE_MAX / 8, .capacity = 10}, sentence));
    snprintf(sentence, sizeof sentence, "10 times meta_size %llu does not fit in size_t",
             (unsigned long long)(SIZE_MAX / 8));
    CHECK(map_refuses((hm_map_desc){.item_size = 1, .capacity = 10, .meta_size = SIZE_MAX / 8},
                      sentence));
    snprintf(sentence, sizeof sentence, "max_slots 10 times item_size %llu does not fit in size_t",
             (unsigned long long)(SIZE_MAX / 8));
    CHECK(pool_refuses((hm_pool_desc){.item_size = SIZE_MAX / 8, .capacity = 10, .max_slots = 10},
                       sentence));
    if (sizeof(void *) < 8) {
        const hm_id_table_desc desc = {.capacity = UINT32_MAX - 1, .max_slots = UINT32_MAX};
        CHECK(hm_id_table_init(&table, &desc) == HM_ERROR_INVALID);
        CHECK(says("hm_id_table_init: 4294967295 times entry_size 8 does not fit in size_t"));
        CHECK(pool_refuses((hm_pool_desc){.item_size = 1, .capacity = 10, .max_slots = 1 << 30},
                           "1073741824 times entry_size 4 does not fit in size_t"));
    }
}

TEST(last_error, a_limit_that_the_program_did_not_set_is_not_to_be_lowered)
{
    test_memory memory;
    test_memory_init_with_holes(&memory, 65536);
    hm_map map;
    hm_map_desc desc = {.item_size = 8, .memory = &memory.table, .name = "bullets"};
    test_memory_fail(&memory, 1, false);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    CHECK(is_of_init("map") && tells_refusal(": free memory for the map 'bullets'"));
    desc.max_slots = 1000;
    test_memory_fail(&memory, 1, false);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    CHECK(mentions("max_slots 1000 of the map 'bullets'") && !mentions("4294967294"));
}

TEST(last_error, of_a_long_name_the_end_is_cut_off)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map;
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    hm_map_desc desc = {.item_size = 8, .capacity = 10, .memory = &memory.table, .name = name};
    test_memory_fail(&memory, 1, false);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    const char *cut = strstr(hm_last_error(), "of the map 'n");
    CHECK(cut != NULL && strspn(strchr(cut, '\'') + 1, "n") == 80);
    CHECK(strcmp(strchr(cut, '\'') + 81, "'") == 0);
}

TEST(last_error, a_taken_type_id_is_told)
{
    hm_directory directory = {{0}};
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .type_id = 3}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .type_id = 3}) == HM_OK);
    CHECK(hm_directory_add_map(&directory, &map) == HM_ERROR_FULL);
    CHECK(says("the directory has no capacity: initialise it first"));
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_ERROR_INVALID);
    CHECK(says("hm_directory_add: there is a container of type_id 3 already: remove it first"));
    hm_directory_fini(&directory);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
}

static int compare(const uint64_t *a, const uint64_t *b, void *context)
{
    (void)context;
    return (*a > *b) - (*a < *b);
}

HM_ORDER_DEFINE(rising, uint64_t, compare)

/* A typed order works without copies of items, so that they are refused is not recorded as a
 * failure; that its marks are refused, the calls before, is. */
TEST(last_error, what_a_call_can_do_without_is_no_failure)
{
    test_memory memory;
    hm_map map;
    test_memory_init(&memory, 65536);
    for (uint32_t k = 1; k <= 4; k++) {
        hm_map_desc desc = {.item_size = 8, .capacity = 1000, .max_slots = 1000};
        desc.memory = &memory.table;
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        for (uint32_t i = 0; i < 100; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, &(uint64_t){100 - i})));
        mark();
        test_memory_fail(&memory, k, false);
        hm_progress progress = hm_map_defragment(&map, &rising, NULL);
        CHECK(progress.done == (k > 2) && is_marked() == (k > 2));
        CHECK(progress.status == (k > 2 ? HM_OK : HM_ERROR_MEMORY));
        test_memory_fail(&memory, 0, false);
        hm_map_fini(&map);
    }
}

#if defined(__unix__) && !defined(__wasm__)

#include <pthread.h>

static void *fail_elsewhere(void *argument)
{
    (void)argument;
    CHECK(says(""));
    mark();
    return NULL;
}

TEST(last_error, each_thread_has_its_own)
{
    pthread_t thread;
    CHECK(pool_refuses((hm_pool_desc){0}, "item_size is 0"));
    CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(says("hm_pool_init: item_size is 0"));
}

#endif

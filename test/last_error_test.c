/* SPDX-License-Identifier: MIT */
/* hm_last_error: each cause of a failure has its own message, and only failures write one. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool says(const char *sentence)
{
    bool equal = strcmp(hm_last_error(), sentence) == 0;
    if (!equal)
        fprintf(stderr, "the last error is: %s\n", hm_last_error());
    return equal;
}

static bool map_refuses(hm_map_desc desc, const char *sentence)
{
    hm_map map;
    return hm_map_init(&map, &desc) == HM_ERROR_INVALID && says(sentence);
}

static bool pool_refuses(hm_pool_desc desc, const char *sentence)
{
    hm_pool pool;
    return hm_pool_init(&pool, &desc) == HM_ERROR_INVALID && says(sentence);
}

static bool array_refuses(hm_array_desc desc, const char *sentence)
{
    hm_array array;
    return hm_array_init(&array, &desc) == HM_ERROR_INVALID && says(sentence);
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

/* Leaves a message that no other failure leaves. */
static void mark(void)
{
    CHECK(array_refuses((hm_array_desc){.item_size = 77, .item_align = 2},
                        "item_size 77 is not a multiple of item_align 2"));
}

static bool is_marked(void)
{
    return says("item_size 77 is not a multiple of item_align 2");
}

TEST(last_error, it_is_empty_before_the_first_failure_and_never_null)
{
    CHECK(hm_last_error() != NULL);
}

TEST(last_error, a_layout_that_cannot_be_is_told_by_its_number)
{
    CHECK(map_refuses((hm_map_desc){0}, "item_size is 0"));
    CHECK(map_refuses((hm_map_desc){.item_size = 9, .item_align = 3},
                      "item_align 3 is not a power of two"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8192, .item_align = 8192},
                      "item_align 8192 is above 4096"));
    CHECK(map_refuses((hm_map_desc){.item_size = 12, .item_align = 8},
                      "item_size 12 is not a multiple of item_align 8"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .meta_size = 9, .meta_align = 3},
                      "meta_align 3 is not a power of two"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .meta_size = 8192, .meta_align = 8192},
                      "meta_align 8192 is above 4096"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .meta_size = 12, .meta_align = 8},
                      "meta_size 12 is not a multiple of meta_align 8"));
    CHECK(pool_refuses((hm_pool_desc){0}, "item_size is 0"));
    CHECK(pool_refuses((hm_pool_desc){.item_size = 9, .item_align = 3},
                       "item_align 3 is not a power of two"));
    CHECK(array_refuses((hm_array_desc){0}, "item_size is 0"));
    CHECK(array_refuses((hm_array_desc){.item_size = 8192, .item_align = 8192},
                        "item_align 8192 is above 4096"));
}

TEST(last_error, numbers_that_cannot_be_are_told)
{
    char sentence[160];
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .capacity = UINT32_MAX},
                      sizeof(void *) >= 8 ? "capacity 4294967295 is above 4294967294"
                                          : "4294967295 times item_size 8 does not fit in size_t"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .capacity = 10, .max_slots = 5},
                      "max_slots 5 is below capacity 10"));
    CHECK(map_refuses((hm_map_desc){.item_size = 8, .type_id = 0x8000},
                      "type_id 32768 is above 32767"));
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
    CHECK(pool_refuses((hm_pool_desc){.item_size = 8, .capacity = UINT32_MAX},
                       "capacity 4294967295 is above 4294967294"));
    CHECK(pool_refuses((hm_pool_desc){.item_size = 8, .capacity = 10, .max_slots = 5},
                       "max_slots 5 is below capacity 10"));
    CHECK(pool_refuses((hm_pool_desc){.item_size = 8, .type_id = 0x8000},
                       "type_id 32768 is above 32767"));
    CHECK(pool_refuses((hm_pool_desc){.item_size = 8, .storage = (hm_storage)3},
                       "storage 3 is none of hm_storage"));
    if (sizeof(void *) < 8) {
        hm_id_table table;
        const hm_id_table_desc desc = {.capacity = 10, .max_slots = UINT32_MAX};
        CHECK(hm_id_table_init(&table, &desc) == HM_ERROR_INVALID);
        CHECK(says("4294967295 times entry_size 8 does not fit in size_t"));
        CHECK(pool_refuses((hm_pool_desc){.item_size = 1, .capacity = 10, .max_slots = 1 << 30},
                           "1073741824 times entry_size 4 does not fit in size_t"));
    }
}

TEST(last_error, what_is_null_at_init_is_told)
{
    hm_map map;
    hm_pool pool;
    hm_array array;
    hm_id_table table;
    CHECK(hm_map_init(NULL, NULL) == HM_ERROR_INVALID && says("hm_map_init: map is NULL"));
    CHECK(hm_map_init(&map, NULL) == HM_ERROR_INVALID && says("hm_map_init: desc is NULL"));
    CHECK(hm_pool_init(NULL, NULL) == HM_ERROR_INVALID && says("hm_pool_init: pool is NULL"));
    CHECK(hm_pool_init(&pool, NULL) == HM_ERROR_INVALID && says("hm_pool_init: desc is NULL"));
    CHECK(hm_array_init(NULL, NULL) == HM_ERROR_INVALID && says("hm_array_init: array is NULL"));
    CHECK(hm_array_init(&array, NULL) == HM_ERROR_INVALID && says("hm_array_init: desc is NULL"));
    CHECK(hm_id_table_init(NULL, NULL) == HM_ERROR_INVALID &&
          says("hm_id_table_init: table is NULL"));
    CHECK(hm_id_table_init(&table, NULL) == HM_ERROR_INVALID &&
          says("hm_id_table_init: desc is NULL"));
    CHECK(hm_directory_init(NULL, NULL) == HM_ERROR_INVALID &&
          says("hm_directory_init: directory is NULL"));
}

static void *reserve_misaligned(void *context, size_t size)
{
    return (unsigned char *)hm_memory_heap()->reserve(context, size + 8) + 8;
}

static void release_misaligned(void *context, void *address, size_t size)
{
    hm_memory_heap()->release(context, (unsigned char *)address - 8, size);
}

TEST(last_error, a_memory_table_that_breaks_its_contract_is_told)
{
    for (int which = 0; which < 6; which++) {
        hm_memory broken = *hm_memory_heap();
        const char *const sentences[] = {"memory: reserve is NULL",
                                         "memory: commit is NULL",
                                         "memory: decommit is NULL",
                                         "memory: release is NULL",
                                         "memory: page_size 4 is not a power of two from 8 on",
                                         "memory: page_size 4097 is not a power of two from 8 on"};
        const char *sentence = sentences[which];
        if (which == 0)
            broken.reserve = NULL;
        else if (which == 1)
            broken.commit = NULL;
        else if (which == 2)
            broken.decommit = NULL;
        else if (which == 3)
            broken.release = NULL;
        else
            broken.page_size = which == 4 ? 4 : 4097;
        CHECK(map_refuses((hm_map_desc){.item_size = 8, .memory = &broken}, sentence));
        CHECK(pool_refuses((hm_pool_desc){.item_size = 8, .memory = &broken}, sentence));
        CHECK(array_refuses((hm_array_desc){.item_size = 8, .memory = &broken}, sentence));
    }
    hm_memory misaligned = *hm_memory_heap();
    misaligned.reserve = reserve_misaligned;
    misaligned.release = release_misaligned;
    CHECK(array_refuses((hm_array_desc){.item_size = 8, .capacity = 1, .memory = &misaligned},
                        "memory: reserve returned an address that is not aligned to 4096 bytes"));
}

TEST(last_error, a_full_container_says_how_full_it_is)
{
    hm_map map = {0};
    hm_pool pool = {0};
    hm_array array = {0};
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(says("the map has no capacity: was it initialised?"));
    CHECK(hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(says("the pool has no capacity: was it initialised?"));
    CHECK(hm_array_push(&array) == NULL);
    CHECK(says("the array has no capacity: was it initialised?"));

    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .capacity = 12, .name = "node"}) ==
          HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .capacity = 12}) == HM_OK);
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 4, .capacity = 12}) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 10, NULL) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, 10, NULL) == HM_OK);
    CHECK(hm_array_resize(&array, 10) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 3, NULL) == HM_ERROR_FULL);
    CHECK(says("'node' has 10 of 12 items: capacity does not allow 3 more"));
    CHECK(hm_pool_reserve(&pool, 3) == HM_ERROR_FULL);
    CHECK(says("'pool' has 10 of 12 items: capacity does not allow 3 more"));
    CHECK(hm_array_reserve(&array, 13) == HM_ERROR_FULL);
    CHECK(says("the array has 10 of 12 items: capacity does not allow 3 more"));
    CHECK(hm_map_insert_n(&map, NULL, 2, NULL) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, 2, NULL) == HM_OK);
    CHECK(hm_array_resize(&array, 12) == HM_OK);
    void *place;
    CHECK(hm_handle_is_null(hm_map_emplace(&map, &place)));
    CHECK(says("'node' has 12 of 12 items: capacity is used up"));
    CHECK(hm_handle_is_null(hm_pool_emplace(&pool, &place)));
    CHECK(says("'pool' has 12 of 12 items: capacity is used up"));
    CHECK(hm_array_push(&array) == NULL);
    CHECK(says("the array has 12 of 12 items: capacity is used up"));
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    hm_array_fini(&array);
}

TEST(last_error, a_spent_index_space_is_told)
{
    const hm_id_table_desc ids = {.capacity = 1, .max_slots = 1};
    const hm_map_desc nodes = {.item_size = 4, .capacity = 1, .max_slots = 1, .name = "node"};
    const hm_pool_desc shots = {.item_size = 4, .capacity = 1, .max_slots = 1, .name = "shot"};
    hm_id_table table;
    hm_map map;
    hm_pool pool;
    CHECK(hm_id_table_init(&table, &ids) == HM_OK);
    CHECK(hm_map_init(&map, &nodes) == HM_OK && hm_pool_init(&pool, &shots) == HM_OK);
    for (uint32_t life = 0; life < HM_HANDLE_MAX_GENERATION; life++) {
        CHECK(hm_map_erase(&map, hm_map_insert(&map, NULL)));
        CHECK(hm_pool_erase(&pool, hm_pool_insert(&pool, NULL)));
        CHECK(hm_id_table_reserve(&table, 1) == HM_OK);
        hm_id_table_release(&table, hm_id_table_issue_slow(&table), 0);
    }
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(says("'node' has used up max_slots: 1 of 1 slots are retired"));
    CHECK(hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(says("'shot' has used up max_slots: 1 of 1 slots are retired"));
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(says("the table has used up max_slots: 1 of 1 slots are retired"));
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    hm_id_table_fini(&table);
}

TEST(last_error, refused_memory_is_told_with_its_size)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map;
    hm_map_desc desc = {.item_size = 8, .capacity = 100000, .memory = &memory.table};
    desc.max_slots = 100000;
    test_memory_fail(&memory, 1, false);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    CHECK(says("memory: a reservation of 2228224 bytes was refused"));
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    test_memory_fail(&memory, 1, false);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(says("memory: a commit of 65536 bytes was refused"));
    CHECK(hm_map_insert_n(&map, NULL, 100000, NULL) == HM_OK);
    hm_map_clear(&map);
    test_memory_fail(&memory, 1, false);
    CHECK(hm_map_trim(&map) == HM_ERROR_MEMORY);
    CHECK(says("memory: a decommit of 851968 bytes was refused"));
    hm_map_fini(&map);
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
    CHECK(IS_BUSY(hm_map_defragment(map, &by_number, all).done, false, "map 'things'"));
    CHECK(IS_BUSY(hm_map_arrange(map, &live, 1, all).done, false, "map 'things'"));
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
    CHECK(IS_BUSY(hm_table_defragment(table, 0, &by_number, all).done, false, "table 'rows'"));
    CHECK(IS_BUSY(hm_table_arrange(table, &live, 1, all).done, false, "table 'rows'"));
    mark();
    CHECK(!hm_table_erase(table, none) && hm_table_erase_n(table, &none, 1) == 0 && is_marked());
    return false;
}

static bool is_not_kept(hm_handle owner, void *context)
{
    return is_not_asked(&owner, context);
}

static bool secondary_is_busy(hm_handle live, void *context)
{
    hm_secondary *secondary = context;
    const hm_budget all = {0, 0};
    CHECK(IS_BUSY(hm_secondary_set(secondary, live, NULL), NULL, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_reserve(secondary, 0), HM_ERROR_BUSY, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_trim(secondary), HM_ERROR_BUSY, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_remove(secondary, live), false, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_purge(secondary, is_not_kept, NULL), 0, "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_defragment(secondary, &by_number, all).done, false,
                  "secondary 'glows'"));
    CHECK(IS_BUSY(hm_secondary_arrange(secondary, &live, 1, all).done, false, "secondary 'glows'"));
    mark();
    CHECK(!hm_secondary_remove(secondary, HM_NULL_HANDLE) && is_marked());
    return true;
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
    CHECK(IS_BUSY(hm_lists_remove_at(lists, live, 0), false, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_erase_if(lists, live, is_not_asked, NULL), 0, "lists 'ways'"));
    CHECK(IS_BUSY(hm_lists_defragment(lists, (hm_budget){0, 0}).done, false, "lists 'ways'"));
    mark();
    CHECK(!hm_lists_destroy(lists, none) && !hm_lists_erase_at(lists, none, 0));
    CHECK(!hm_lists_remove_at(lists, live, 1) && is_marked());
    return false;
}

static bool index_is_busy(hm_handle live, void *context)
{
    hm_index *index = context;
    const hm_handle none = HM_NULL_HANDLE;
    CHECK(IS_BUSY(hm_index_set(index, live, 1), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_set_n(index, NULL, NULL, 0), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_reserve(index, 0), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_trim(index), HM_ERROR_BUSY, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove(index, live), false, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove_n(index, &live, 1), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_remove_key(index, 1), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_purge(index, is_not_kept, NULL), 0, "index 'cells'"));
    CHECK(IS_BUSY(hm_index_defragment(index, (hm_budget){0, 0}).done, false, "index 'cells'"));
    mark();
    CHECK(!hm_index_remove(index, none) && hm_index_remove_key(index, 2) == 0 && is_marked());
    return true;
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
    CHECK(IS_BUSY(hm_world_defragment(world, number, &by_number, (hm_budget){0, 0}).done, false,
                  "world 'game'"));
    mark();
    CHECK(!hm_world_has(world, none, number) && is_marked());
}

/* A batch of none is refused like any other: only the container decides. A handle that does not
 * resolve is an answer, in a callback as elsewhere. */
TEST(last_error, whatever_a_busy_container_refuses_is_told)
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
    CHECK(hm_secondary_purge(&secondary, secondary_is_busy, &secondary) == 0);
    CHECK(hm_lists_erase_if(&lists, list, lists_are_busy, &lists) == 0);
    CHECK(hm_index_purge(&index, index_is_busy, &index) == 0);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    hm_table_fini(&table);
    hm_secondary_fini(&secondary);
    hm_lists_fini(&lists);
    hm_index_fini(&index);
}

TEST(last_error, whatever_a_busy_world_refuses_is_told)
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

TEST(last_error, a_taken_type_id_is_told)
{
    hm_directory directory = {{0}};
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .type_id = 3}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .type_id = 3}) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_ERROR_FULL);
    CHECK(says("the directory has no capacity: was it initialised?"));
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_ERROR_INVALID);
    CHECK(says("the directory has a container of type_id 3 already"));
    hm_directory_fini(&directory);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
}

TEST(last_error, damage_is_told)
{
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4}) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 5, NULL) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, 5, NULL) == HM_OK);
    map.ids.entries[2].bits++;
    pool.entries[2] ^= UINT32_C(1) << 20;
    CHECK(hm_map_validate(&map) == HM_ERROR_CORRUPT);
    CHECK(says("the entry of slot 2 is damaged"));
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    CHECK(says("the entry or the bits of slot 2 are damaged"));
    map.ids.entries[2].bits--;
    map.ids.count += 1000;
    CHECK(hm_map_validate(&map) == HM_ERROR_CORRUPT);
    CHECK(says("the id table's counts and arrays disagree"));
    map.ids.count -= 1000;
    map.guard.limit++;
    CHECK(hm_map_validate(&map) == HM_ERROR_CORRUPT);
    CHECK(says("the map's items, count and committed memory disagree"));
    map.guard.limit--;
    pool.entries[2] ^= UINT32_C(1) << 20;
    pool.retired_count++;
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    CHECK(says("the pool's counts disagree with its slots"));
    pool.retired_count--;
    pool.guard.limit++;
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    CHECK(says("the pool's counts and memory disagree"));
    pool.guard.limit--;
    pool.hole_word = 0;
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    CHECK(says("the levels above the pool's bits are damaged"));
    pool.hole_word = HM_INVALID_INDEX;
    CHECK(hm_map_validate(&map) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
}

/* Handles of all kinds, given to every function that takes one. */
TEST(last_error, a_handle_that_is_refused_writes_nothing)
{
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4}) == HM_OK);
    mark();
    hm_handle stale = hm_map_insert(&map, NULL), pool_stale = hm_pool_insert(&pool, NULL);
    CHECK(hm_map_erase(&map, stale) && hm_pool_erase(&pool, pool_stale));
    const hm_handle refused[] = {stale, pool_stale, HM_NULL_HANDLE, {UINT64_MAX}, {12345}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        void *item;
        bool is_live;
        CHECK(hm_map_get(&map, refused[i]) == NULL && !hm_map_erase(&map, refused[i]));
        CHECK(hm_pool_get(&pool, refused[i]) == NULL && !hm_pool_erase(&pool, refused[i]));
        CHECK(hm_map_get_n(&map, &refused[i], 1, &item) == 0);
        CHECK(hm_pool_contains_n(&pool, &refused[i], 1, &is_live) == 0);
        CHECK(hm_map_index_of(&map, refused[i]) == HM_INVALID_INDEX);
        CHECK(hm_map_explain(&map, refused[i]) != HM_HANDLE_LIVE);
        hm_map_touch(&map, refused[i]);
    }
    CHECK(hm_map_handle_at(&map, 0).bits == 0 && hm_pool_item(&pool, 0) == NULL);
    CHECK(hm_pool_erase_if(&pool, is_not_asked, NULL) == 0);
    CHECK(is_marked());
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    CHECK(is_marked());
}

/* Defragment works without its scratch memory, so its refusal is not recorded as a failure. */
TEST(last_error, what_a_call_can_do_without_is_no_failure)
{
    test_memory memory;
    hm_map map;
    const hm_order order = {.key = key_of};
    test_memory_init(&memory, 65536);
    for (uint32_t k = 1; k <= 4; k++) {
        hm_map_desc desc = {.item_size = 4, .capacity = 1000, .max_slots = 1000};
        desc.memory = &memory.table;
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        for (uint32_t i = 0; i < 100; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, &(uint32_t){100 - i})));
        mark();
        test_memory_fail(&memory, k, true);
        CHECK(hm_map_defragment(&map, &order, (hm_budget){0, 0}).done);
        CHECK(is_marked());
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
    CHECK(says("item_size is 0"));
}

#endif

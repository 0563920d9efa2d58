/* SPDX-License-Identifier: MIT */
/* What a secondary promises beside what its model compares and what all containers share: values of
 * its own, its owners' hooks, segments of memory, and random patterns. */
#include "support/secondary.h"

#include "support/memory.h"

#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

/* memory */

TEST(secondary, an_owner_with_a_high_index_costs_one_segment_of_the_sparse_column)
{
    hm_secondary secondary = make((hm_secondary_desc){.capacity = 100, .max_slots = 1 << 24});
    set(&secondary, owner(0, 1), 0);
    size_t one = hm_secondary_get_stats(&secondary).committed_size;
    set(&secondary, owner((1 << 24) - 1, 1), 1);
    size_t two = hm_secondary_get_stats(&secondary).committed_size;
    CHECK(two - one >= SEGMENT_SIZE &&
          two - one <= 2 * SEGMENT_SIZE); /* and perhaps of `segments` */
    CHECK(hm_secondary_get_stats(&secondary).slots == 1 << 24);
    /* Between them lookups read no memory that is not there. */
    for (uint32_t i = 1; i < (1 << 24) - 1; i += 4099)
        CHECK(!hm_secondary_contains(&secondary, owner(i, 1)));
    finish(&secondary);
}

TEST(secondary, segments_are_whole_pages_however_large_those_are)
{
    static const size_t page_sizes[] = {4096, 65536, (size_t)1 << 18, (size_t)1 << 21};
    for (size_t i = 0; i < sizeof page_sizes / sizeof *page_sizes; i++) {
        test_memory memory;
        if (page_sizes[i] < hm_memory_os()->page_size)
            continue;
        test_memory_init_with_holes(&memory, page_sizes[i]);
        hm_secondary_desc desc = {.capacity = 100, .max_slots = 9 * SEGMENT_SLOTS + 100};
        desc.memory = &memory.table;
        hm_secondary secondary = make(desc);
        for (uint32_t index = desc.max_slots; index > 0; index -= index < 5000 ? index : 5000)
            set(&secondary, owner(index - 1, 1), (int)index);
        CHECK(hm_secondary_get_stats(&secondary).committed_size == memory.committed_size);
        CHECK(hm_secondary_get_stats(&secondary).reserved_size == memory.reserved_size);
        CHECK(hm_secondary_get_stats(&secondary).slots == desc.max_slots);
        hm_secondary_clear(&secondary);
        CHECK(hm_secondary_trim(&secondary) == HM_OK && memory.committed_size == 0);
        finish(&secondary);
        test_memory_check_released(&memory);
    }
}

/* With a value behind all that is reserved, or without. */
TEST(secondary, a_reserve_reaches_to_its_last_slot_and_no_further)
{
    const uint32_t ends[] = {SEGMENT_SLOTS - 1,     SEGMENT_SLOTS,     SEGMENT_SLOTS + 1,
                             2 * SEGMENT_SLOTS - 1, 2 * SEGMENT_SLOTS, 2 * SEGMENT_SLOTS + 1};
    for (uint32_t i = 0; i < 2 * sizeof ends / sizeof *ends; i++) {
        uint32_t end = ends[i / 2],
                 next = (end + SEGMENT_SLOTS - 1) / SEGMENT_SLOTS * SEGMENT_SLOTS;
        test_memory memory;
        test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
        hm_secondary_desc desc = {.capacity = 3 * SEGMENT_SLOTS, .max_slots = 8 * SEGMENT_SLOTS};
        desc.memory = &memory.table;
        hm_secondary secondary = make(desc);
        if (i % 2 != 0)
            set(&secondary, owner(8 * SEGMENT_SLOTS - 1, 1), 1);
        CHECK(hm_secondary_reserve(&secondary, end - i % 2) == HM_OK);
        test_memory_fail(&memory, 1, true);
        set(&secondary, owner(end - 1, 1), 1);
        CHECK(memory.calls == 0);
        CHECK(hm_secondary_set(&secondary, owner(next, 1), NULL) == NULL && memory.calls > 0);
        finish(&secondary);
        test_memory_check_released(&memory);
    }
}

TEST(secondary, trim_gives_back_values_and_the_segments_without_an_owner)
{
    hm_secondary secondary = make((hm_secondary_desc){.value_size = 4096});
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(hm_secondary_set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), NULL) != NULL);
        CHECK(hm_secondary_count(&secondary) == i + 1);
    }
    size_t before = hm_secondary_get_stats(&secondary).committed_size;
    for (uint32_t i = 0; i < 100; i++)
        if (i % 10 != 2 && i % 10 != 5)
            CHECK(hm_secondary_remove(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)));
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    hm_secondary_stats stats = hm_secondary_get_stats(&secondary);
    CHECK(before - stats.committed_size >= 8 * SEGMENT_SIZE + (size_t)64 * 4096);
    CHECK(stats.slots == 6 * SEGMENT_SLOTS);
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_contains(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)) ==
              (i % 10 == 2 || i % 10 == 5));
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), NULL) != NULL);
    CHECK(hm_secondary_count(&secondary) == 100);
    hm_secondary_clear(&secondary);
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    CHECK(hm_secondary_get_stats(&secondary).committed_size == 0);
    CHECK(hm_secondary_get_stats(&secondary).slots == 0);
    finish(&secondary);
}

static int compare_ints(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    (void)context;
    return (left > right) - (left < right);
}

static const hm_order by_compare = {.compare = compare_ints};

/* The lists of an unfinished order name slots. The segments of those that are gone are given back.
 */
TEST(secondary, trim_in_the_middle_of_an_order_may_take_the_segments_of_removed_owners)
{
    enum { VALUES = 2000 };
    for (uint32_t compares = 100; compares < 30000; compares += 1300) {
        hm_secondary secondary = make((hm_secondary_desc){0});
        for (uint32_t i = 0; i < VALUES; i++)
            set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), (int)(i * 739 % VALUES));
        const hm_frame_budget budget = {VALUES / 2, compares, false};
        hm_secondary_defragment(&secondary, &by_compare, ONCE(budget));
        for (uint32_t i = 0; i < VALUES; i++)
            if (i % 10 > 4)
                CHECK(hm_secondary_remove(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)));
        CHECK(hm_secondary_trim(&secondary) == HM_OK);
        CHECK(hm_secondary_get_stats(&secondary).slots == 5 * SEGMENT_SLOTS);
        CHECK(hm_secondary_defragment(&secondary, &by_compare, ONCE(budget)).compares <= compares);
        for (uint32_t i = 0; i < VALUES; i++)
            set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), (int)(i * 739 % VALUES));
        CHECK(hm_secondary_defragment(&secondary, &by_compare, NULL).done);
        const int *values = hm_secondary_values(&secondary);
        for (uint32_t i = 1; i < VALUES; i++)
            CHECK(values[i - 1] <= values[i]);
        finish(&secondary);
    }
}

TEST(secondary, without_a_capacity_a_batch_moves_values_once_or_not_at_all)
{
    test_memory memory;
    hm_handle owners[1000];
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_secondary_desc desc = {.value_size = 400, .type_id = 5, .memory = &memory.table};
    hm_secondary secondary;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_set(&secondary, owner(0, 1), NULL) != NULL);
    const void *values = hm_secondary_values(&secondary);
    for (uint32_t i = 0; i < 1000; i++)
        owners[i] = owner(i, 1);
    owners[999] = HM_NULL_HANDLE;
    memory.calls = 0;
    CHECK(hm_secondary_set_n(&secondary, owners, NULL, 1000) == HM_ERROR_INVALID);
    CHECK(memory.calls == 0 && hm_secondary_values(&secondary) == values);
    CHECK(hm_secondary_set_n(&secondary, owners, NULL, 999) == HM_OK);
    CHECK(memory.calls == 2 && hm_secondary_count(&secondary) == 999);
    finish(&secondary);
    test_memory_check_released(&memory);
}

/* Also for the items of a map without one. */
TEST(secondary, without_a_capacity_it_has_no_limit_but_the_index_space)
{
    hm_secondary secondary;
    hm_secondary_desc desc = {.value_size = 4};
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4}) == HM_OK);
    for (int of_map = 0; of_map < 2; of_map++) {
        if (of_map)
            desc.owners = hm_map_as_owners(&map);
        CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
        CHECK(hm_secondary_capacity(&secondary) == UINT32_MAX - 1);
        CHECK(hm_secondary_get_stats(&secondary).max_slots == UINT32_MAX);
        CHECK(hm_secondary_get_stats(&secondary).committed_size <= hm_memory_os()->page_size);
        finish(&secondary);
    }
    hm_map_fini(&map);
    desc = (hm_secondary_desc){.value_size = 4, .max_slots = 2000, .type_id = 5};
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_capacity(&secondary) == 2000);
    set(&secondary, owner(1999, 1), 1);
    CHECK(hm_secondary_set(&secondary, owner(2000, 1), NULL) == NULL);
    CHECK(hm_secondary_reserve(&secondary, 1999) == HM_OK);
    CHECK(hm_secondary_reserve(&secondary, 2000) == HM_ERROR_FULL);
    finish(&secondary);
    desc.max_slots = 0;
    desc.capacity = 3;
    desc.memory = hm_memory_heap();
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_get_stats(&secondary).max_slots == 1 << 20);
    finish(&secondary);
}

/* SPDX-License-Identifier: MIT */
/* Mistakes that handle maps and virtual arrays are known to make: one test for each. */
#include "support/layout.h"
#include "support/map.h"
#include "support/memory.h"

#include <handle_map/directory.h>
#include <handle_map/map.h>

#include <limits.h>
#include <string.h>

static uint64_t value_key(const void *item, void *context)
{
    (void)context;
    return *(const uint32_t *)item;
}

static int value_compare(const void *a, const void *b, void *context)
{
    uint64_t left = value_key(a, context), right = value_key(b, context);
    return (left > right) - (left < right);
}

static const hm_order by_value = {.compare = value_compare};

static bool is_sorted(const hm_map *map)
{
    const uint32_t *items = hm_map_items(map);
    for (uint32_t i = 1; i < hm_map_count(map); i++)
        if (items[i - 1] > items[i])
            return false;
    return true;
}

/* handles */

TEST(map_lessons, a_guessed_handle_to_a_free_slot_is_refused)
{
    hm_map map = make_map((hm_map_desc){.capacity = 4, .type_id = 6});
    add(&map, 0);
    hm_map_erase(&map, add(&map, 1));
    hm_map_erase(&map, hm_map_handle_at(&map, 0));
    hm_map_clear(&map);
    for (uint32_t slot = 0; slot < 5; slot++)
        for (uint32_t generation = 0; generation <= HM_HANDLE_MAX_GENERATION; generation++) {
            hm_handle guess = hm_handle_pack(slot, generation, 6);
            hm_handle bold = hm_handle_from_bits(guess.bits | HM_HANDLE_FREE_BIT);
            CHECK(!hm_map_contains(&map, guess) && !hm_map_contains(&map, bold));
            CHECK(!hm_map_erase(&map, guess) && !hm_map_erase(&map, bold));
        }
    hm_map_fini(&map);
}

TEST(map_lessons, generations_retire_instead_of_wrapping)
{
    hm_map map = make_map((hm_map_desc){.capacity = 1});
    hm_handle first = add(&map, 0), handle = first;
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        CHECK(hm_map_erase(&map, handle));
        handle = add(&map, life);
        CHECK(hm_handle_index(handle) == hm_handle_index(first));
        CHECK(hm_handle_generation(handle) == life + 1);
    }
    CHECK(hm_map_erase(&map, handle));
    for (uint32_t life = 0; life < 10; life++) {
        handle = add(&map, life);
        CHECK(hm_handle_index(handle) != hm_handle_index(first));
        CHECK(!hm_map_contains(&map, first));
        CHECK(hm_map_get_stats(&map).retired_slots == 1);
        CHECK(hm_map_erase(&map, handle));
    }
    hm_map_fini(&map);
}

TEST(map_lessons, clear_leaves_slots_that_are_already_free_alone)
{
    hm_map map = make_map((hm_map_desc){.capacity = 2});
    hm_handle a = add(&map, 1), b = add(&map, 2);
    hm_map_erase(&map, b);
    for (int i = 0; i < 100000; i++)
        hm_map_clear(&map);
    for (uint32_t i = 0; i < 2; i++) {
        hm_handle handle = add(&map, i);
        CHECK(hm_handle_generation(handle) == 2);
        CHECK(!hm_map_contains(&map, a) && !hm_map_contains(&map, b));
    }
    CHECK(hm_map_get_stats(&map).slots == 2 && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(map_lessons, type_ids_resolve_up_to_0x7fff_and_are_refused_above)
{
    static const uint16_t good[] = {0, 1, 0xFF, 0x100, 0x3FFF, 0x4000, 0x7FFE, 0x7FFF};
    static const uint16_t bad[] = {0x8000, 0x8001, 0xBFFF, 0xFFFE};
    hm_map map;
    hm_map_desc desc = {.item_size = sizeof(uint32_t), .capacity = 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desc.type_id = bad[i];
        CHECK(hm_map_init(&map, &desc) == HM_ERROR_INVALID);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        desc.type_id = good[i];
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        hm_handle handle = add(&map, 5);
        CHECK(hm_handle_type_id(handle) == good[i] && value_of(&map, handle) == 5);
        CHECK(hm_map_erase(&map, handle) && !hm_map_contains(&map, handle));
        hm_map_fini(&map);
    }
}

TEST(map_lessons, lookups_insert_nothing)
{
    hm_directory directory;
    hm_map map = make_map((hm_map_desc){.capacity = 100, .type_id = 8});
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    add(&map, 1);
    hm_map_stats before = hm_map_get_stats(&map);
    for (uint32_t slot = 0; slot < 1000; slot++) {
        hm_handle handle = hm_handle_pack(slot, 2, 8 + slot % 2);
        CHECK(hm_map_get(&map, handle) == NULL && !hm_map_contains(&map, handle));
        CHECK(hm_map_index_of(&map, handle) == HM_INVALID_INDEX);
        CHECK(hm_map_explain(&map, handle) != HM_HANDLE_LIVE);
        CHECK(hm_directory_get(&directory, handle) == NULL);
        CHECK(hm_directory_find_map(&directory, handle) == (slot % 2 == 0 ? &map : NULL));
        hm_map_touch(&map, handle);
    }
    hm_map_stats after = hm_map_get_stats(&map);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

/* erase */

TEST(map_lessons, erasing_the_last_item_keeps_its_slot_usable)
{
    hm_map map = make_map((hm_map_desc){.capacity = 3, .max_slots = 3});
    add(&map, 10);
    add(&map, 11);
    for (uint32_t i = 0; i < 1000; i++) {
        hm_handle last = add(&map, 12 + i);
        CHECK(hm_map_index_of(&map, last) == 2 && hm_map_erase(&map, last));
        CHECK(hm_map_validate(&map) == HM_OK && hm_map_get_stats(&map).free_slots == 1);
    }
    CHECK(hm_map_get_stats(&map).slots == 3);
    hm_map_fini(&map);
}

static void count_moves(void *item, uint32_t from, uint32_t to, void *context)
{
    (void)item;
    CHECK(from != to);
    ++*(uint32_t *)context;
}

static bool is_nothing(const void *item, void *context)
{
    (void)item;
    (void)context;
    return false;
}

TEST(map_lessons, no_item_is_swapped_with_itself)
{
    uint32_t moves = 0;
    hm_map_desc desc = {.capacity = 10, .relocate = count_moves, .context = &moves};
    hm_map map = make_map(desc);
    hm_handle first = add(&map, 1), second = add(&map, 2);
    CHECK(hm_map_erase_if(&map, is_nothing, NULL) == 0);
    CHECK(hm_map_defragment(&map, &by_value, NULL).swaps == 0);
    CHECK(hm_map_erase(&map, second) && value_of(&map, first) == 1);
    CHECK(hm_map_erase(&map, first) && moves == 0);
    hm_map_fini(&map);
}

TEST(map_lessons, erasing_twice_makes_no_cycle)
{
    enum { ITEMS = 20 };
    hm_map map = make_map((hm_map_desc){.capacity = ITEMS, .max_slots = ITEMS});
    hm_handle handles[ITEMS];
    bool taken[ITEMS] = {false};
    for (uint32_t i = 0; i < ITEMS; i++)
        handles[i] = add(&map, i);
    for (uint32_t i = 0; i < ITEMS; i++) {
        CHECK(hm_map_erase(&map, handles[i]));
        for (uint32_t k = 0; k <= i; k++)
            CHECK(!hm_map_erase(&map, handles[k]));
        CHECK(hm_map_get_stats(&map).free_slots == i + 1);
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t slot = hm_handle_index(add(&map, i));
        CHECK(!taken[slot]);
        taken[slot] = true;
    }
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

static void mark_destroyed(void *item, void *context)
{
    unsigned char *marks = context;
    marks[*(uint32_t *)item]++;
}

/* The hook is called for each item that is left, and for no hole: with holes of all kinds among 300
 * items, on both sides of 8, 64 and 256. */
TEST(map_lessons, fini_destroys_the_items_that_are_left_and_no_other)
{
    enum { ITEMS = 300 };
    for (uint32_t step = 2; step < 70; step++) {
        unsigned char marks[ITEMS] = {0};
        hm_handle handles[ITEMS];
        hm_map_desc desc = {.capacity = ITEMS, .destroy = mark_destroyed, .context = marks};
        hm_map map = make_map(desc);
        for (uint32_t i = 0; i < ITEMS; i++)
            handles[i] = add(&map, i);
        for (uint32_t i = 0; i < ITEMS; i += step)
            CHECK(hm_map_erase(&map, handles[i]));
        for (uint32_t i = 0; i < ITEMS; i++)
            CHECK(marks[i] == (i % step == 0) && hm_map_contains(&map, handles[i]) == !marks[i]);
        hm_map_fini(&map);
        for (uint32_t i = 0; i < ITEMS; i++)
            CHECK(marks[i] == 1);
    }
}

/* Freed items of one byte must not be overwritten with links of eight. */
TEST(map_lessons, items_smaller_than_a_link_keep_their_neighbours)
{
    enum { ITEMS = 200 };
    for (size_t size = 1; size < 8; size++) {
        hm_handle handles[ITEMS];
        unsigned char item[8];
        hm_map map = make_map((hm_map_desc){.item_size = size, .item_align = 1, .capacity = ITEMS});
        for (uint32_t i = 0; i < ITEMS; i++) {
            test_item_fill(item, size, i);
            handles[i] = hm_map_insert(&map, item);
        }
        for (uint32_t i = 0; i < ITEMS; i += 2) {
            CHECK(hm_map_erase(&map, handles[i]));
            for (uint32_t k = 0; k < ITEMS; k++)
                if (k % 2 != 0 || k > i)
                    CHECK(test_item_is(hm_map_get(&map, handles[k]), size, k));
        }
        hm_map_fini(&map);
    }
}

/* defragment */

TEST(map_lessons, a_budget_of_one_swap_moves_no_more)
{
    enum { ITEMS = 100000 };
    uint32_t moves = 0;
    hm_map_desc desc = {.capacity = ITEMS, .relocate = count_moves, .context = &moves};
    hm_map map = make_map(desc);
    for (uint32_t i = 0; i < ITEMS; i++)
        add(&map, ITEMS - i);
    for (int call = 0; call < 1000; call++) {
        moves = 0;
        hm_progress progress = hm_map_defragment(&map, &by_value, BUDGET(1, 0));
        CHECK(progress.swaps <= 1 && moves <= 2 * progress.swaps && !progress.done);
    }
    hm_map_fini(&map);
}

TEST(map_lessons, defragment_resumes_where_it_stopped)
{
    enum { ITEMS = 20000 };
    uint64_t random = test_seed("map_lessons resume"), compares = 0;
    bool done = false;
    hm_map map = make_map((hm_map_desc){.capacity = ITEMS});
    for (uint32_t i = 0; i < ITEMS; i++)
        add(&map, i % 100 == 0 ? test_random_below(&random, ITEMS) : i);
    for (int call = 0; call < 10000 && !done; call++) {
        hm_progress progress = hm_map_defragment(&map, &by_value, BUDGET(0, 64));
        CHECK(progress.compares <= 64);
        compares += progress.compares;
        done = progress.done;
    }
    CHECK(done && is_sorted(&map) && compares <= 3 * ITEMS);
    hm_map_fini(&map);
}

TEST(map_lessons, done_means_sorted)
{
    static const uint32_t values[] = {1, 2, 3, 0};
    hm_map map = make_map((hm_map_desc){.capacity = 4});
    bool done = false;
    CHECK(hm_map_insert_n(&map, values, 4, NULL) == HM_OK);
    for (int call = 0; call < 20 && !done; call++) {
        hm_progress progress = hm_map_defragment(&map, &by_value, BUDGET(1, 0));
        CHECK(progress.swaps <= 1 && (!progress.done || is_sorted(&map)));
        done = progress.done;
    }
    CHECK(done);
    hm_map_fini(&map);
}

TEST(map_lessons, keys_edited_in_place_are_seen_after_touch)
{
    enum { ITEMS = 50 };
    hm_handle handles[ITEMS];
    hm_map map = make_map((hm_map_desc){.capacity = ITEMS});
    for (uint32_t i = 0; i < ITEMS; i++)
        handles[i] = add(&map, 2 * i + 2);
    CHECK(hm_map_defragment(&map, &by_value, NULL).done);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t *item = hm_map_get(&map, handles[i]);
        *item = i % 2 == 0 ? 2 * ITEMS - i : i;
        hm_map_touch(&map, handles[i]);
        CHECK(hm_map_defragment(&map, &by_value, NULL).done && is_sorted(&map));
    }
    hm_map_fini(&map);
}

TEST(map_lessons, items_are_ordered_together_with_their_meta)
{
    enum { ITEMS = 300 };
    uint64_t random = test_seed("map_lessons meta");
    hm_map map = make_map((hm_map_desc){.capacity = ITEMS, .meta_size = 12});
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t value = test_random_below(&random, UINT32_MAX);
        add(&map, value);
        test_item_fill(hm_map_meta_at(&map, i), 12, value);
    }
    bool done = false;
    for (int call = 0; call < 10000 && !done; call++) {
        done = hm_map_defragment(&map, &by_value, BUDGET(7, 11)).done;
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t value = ((const uint32_t *)hm_map_items(&map))[i];
            CHECK(test_item_is(hm_map_meta_at(&map, i), 12, value));
        }
    }
    CHECK(done && is_sorted(&map));
    hm_map_fini(&map);
}

/* memory */

TEST(map_lessons, the_page_size_is_asked_for)
{
    for (size_t page_size = 65536; page_size <= (size_t)1 << 20; page_size *= 2) {
        test_memory memory;
        test_memory_init(&memory, page_size);
        hm_map map = make_map((hm_map_desc){.capacity = 1, .memory = &memory.table});
        CHECK(memory.reserved_size % page_size == 0 && memory.committed_size == 0);
        add(&map, 1); /* at least one page each of items, entries and slots */
        CHECK(memory.committed_size % page_size == 0 && memory.committed_size >= 3 * page_size);
        hm_map_clear(&map);
        CHECK(hm_map_trim(&map) == HM_OK && memory.committed_size % page_size == 0);
        hm_map_fini(&map);
        test_memory_check_released(&memory);
    }
}

/* The memory table fails the test when a range is not a whole number of pages, or does not start
 * where the last one ended: few items of 7 and 5000 bytes end where a page does. */
TEST(map_lessons, commits_start_and_end_at_pages)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_map map = make_map((hm_map_desc){.item_size = layout.item_size,
                                            .item_align = layout.item_align,
                                            .capacity = 20000,
                                            .meta_size = 3,
                                            .memory = &memory.table});
        size_t items = 3 * layout.page_size / layout.item_size + 2;
        uint32_t n = items < 20000 ? (uint32_t)items : 20000;
        for (uint32_t k = 0; k < n; k++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
        CHECK(memory.committed_size >= n * (layout.item_size + 3 + 8 + 4));
        CHECK(memory.committed_size % layout.page_size == 0);
        CHECK(memory.reserved_size % layout.page_size == 0);
        while (hm_map_count(&map) > n / 3)
            hm_map_erase(&map, hm_map_handle_at(&map, 0));
        CHECK(hm_map_trim(&map) == HM_OK);
        CHECK(memory.committed_size % layout.page_size == 0);
        hm_map_fini(&map);
        test_memory_check_released(&memory);
    }
}

TEST(map_lessons, what_the_system_answers_is_heard)
{
    test_memory memory;
    hm_map map;
    test_memory_init(&memory, 65536);
    hm_map_desc desc = {.item_size = 1, .capacity = 100000, .memory = &memory.table};
    test_memory_fail(&memory, 1, true);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_MEMORY && memory.calls >= 2);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_map_insert_n(&map, NULL, 100000, NULL) == HM_OK);
    hm_map_clear(&map);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_map_trim(&map) == HM_ERROR_MEMORY);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

/* sizes and counts */

/* Items of 1 MiB, so that a few thousand of them exceed 4 GiB; only two are ever written. */
TEST(map_lessons, byte_offsets_pass_4_gib)
{
    enum { ITEMS = 4100 };
    const size_t size = (size_t)1 << 20;
    if (!test_has_addresses((uint64_t)size * ITEMS, "byte offsets beyond 4 GiB"))
        return;
    hm_map map = make_map((hm_map_desc){.item_size = size, .capacity = ITEMS});
    unsigned char *first = NULL, *place = NULL;
    for (uint32_t i = 0; i < ITEMS; i++) {
        void *item;
        CHECK(!hm_handle_is_null(hm_map_emplace(&map, &item)));
        place = item;
        first = i == 0 ? place : first;
        CHECK((size_t)(place - first) == size * i);
    }
    *first = 1;
    *place = 2;
    hm_handle last = hm_map_handle_at(&map, ITEMS - 1);
    CHECK(hm_map_get(&map, last) == place && *first == 1);
    CHECK(hm_map_erase(&map, hm_map_handle_at(&map, 0)));
    CHECK(hm_map_get(&map, last) == first && *first == 2);
    hm_map_fini(&map);
}

TEST(map_lessons, counts_pass_the_limits_of_int)
{
    const uint32_t many = (uint32_t)INT_MAX + 10;
    hm_map map;
    hm_map_desc desc = {.item_size = 1, .capacity = many, .max_slots = UINT32_MAX};
    if (!test_has_addresses(sizeof(hm_handle) * (uint64_t)UINT32_MAX, "counts beyond INT_MAX"))
        return;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_capacity(&map) == many && hm_map_get_stats(&map).max_slots == UINT32_MAX);
    CHECK(hm_map_reserve(&map, many + 1) == HM_ERROR_FULL);
    CHECK(hm_map_insert_n(&map, NULL, UINT32_MAX, NULL) == HM_ERROR_FULL);
    hm_handle handle = hm_map_insert(&map, NULL);
    CHECK(hm_map_reserve(&map, UINT32_MAX) == HM_ERROR_FULL);
    CHECK(hm_map_reserve(&map, many) == HM_ERROR_FULL);
    CHECK(!hm_map_contains(&map, hm_handle_pack(many, 1, 0)));
    CHECK(!hm_map_contains(&map, hm_handle_pack(UINT32_MAX, 1, 0)));
    CHECK(hm_handle_is_null(hm_map_handle_at(&map, many)));
    CHECK(hm_map_erase(&map, handle));
    hm_map_fini(&map);
    desc.capacity = UINT32_MAX - 1;
    CHECK(hm_map_init(&map, &desc) == HM_OK && !hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_fini(&map);
}

/* SPDX-License-Identifier: MIT */
/* Unit tests of the map: every public function, every layout, every broken contract. */
#include "support/damage.h"
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <string.h>

enum { MANY = 50 };

static hm_map make_map(hm_map_desc desc)
{
    hm_map map;
    if (desc.item_size == 0)
        desc.item_size = sizeof(int);
    if (desc.capacity == 0)
        desc.capacity = 1000;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    return map;
}

static hm_handle add(hm_map *map, int value)
{
    hm_handle handle = hm_map_insert(map, &value);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

static int value_at(const hm_map *map, uint32_t i)
{
    CHECK(i < hm_map_count(map));
    return ((const int *)hm_map_items(map))[i];
}

static int value_of(const hm_map *map, hm_handle handle)
{
    const int *item = hm_map_get(map, handle);
    CHECK(item != NULL);
    return *item;
}

/* Fills the map with 0, 1, 2, ... up to n - 1. */
static void fill(hm_map *map, hm_handle *handles, int n)
{
    for (int i = 0; i < n; i++)
        handles[i] = add(map, i);
}

TEST(map, a_zero_field_means_the_default)
{
    hm_map map;
    hm_map_desc desc = {.item_size = 24};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_capacity(&map) == 1048576);
    if (sizeof(void *) >= 8)
        CHECK(hm_map_get_stats(&map).max_slots == UINT32_C(1) << 24);
    CHECK(hm_map_get_stats(&map).committed_size == 0);
    CHECK(hm_handle_type_id(hm_map_insert(&map, NULL)) == 0);
    CHECK(hm_map_meta_at(&map, 0) == NULL);
    hm_map_fini(&map);

    desc.capacity = 10000000;
    if (sizeof(void *) >= 8) {
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        CHECK(hm_map_get_stats(&map).max_slots == 160000000);
        hm_map_fini(&map);
    }
    desc.capacity = 100;
    desc.memory = hm_memory_heap();
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_get_stats(&map).max_slots == 200);
    hm_map_fini(&map);
}

/* insert */

TEST(map, insert_copies_the_item)
{
    hm_map map = make_map((hm_map_desc){0});
    int value = 7;
    hm_handle handle = hm_map_insert(&map, &value);
    value = 8;
    CHECK(value_of(&map, handle) == 7);
    CHECK(hm_map_get(&map, handle) != &value);
    hm_map_fini(&map);
}

TEST(map, insert_of_null_zeroes_a_place_that_was_used)
{
    hm_map map = make_map((hm_map_desc){.meta_size = 4});
    hm_handle handle = add(&map, -1);
    memset(hm_map_meta_at(&map, 0), 0xFF, 4);
    CHECK(hm_map_erase(&map, handle));
    handle = hm_map_insert(&map, NULL);
    CHECK(value_of(&map, handle) == 0);
    CHECK(memcmp(hm_map_meta_at(&map, 0), "\0\0\0\0", 4) == 0);
    hm_map_fini(&map);
}

TEST(map, emplace_hands_out_the_place)
{
    hm_map map = make_map((hm_map_desc){.capacity = 1});
    void *place = NULL;
    hm_handle handle = hm_map_emplace(&map, &place);
    CHECK(!hm_handle_is_null(handle) && place == hm_map_items(&map));
    *(int *)place = 5;
    CHECK(value_of(&map, handle) == 5);
    CHECK(hm_handle_is_null(hm_map_emplace(&map, &place)) && place == NULL);
    hm_map_fini(&map);
}

TEST(map, insert_n_inserts_all_or_nothing)
{
    hm_map map = make_map((hm_map_desc){.capacity = 5});
    const int values[] = {10, 11, 12};
    hm_handle handles[3] = {{1}, {2}, {3}};
    CHECK(hm_map_insert_n(&map, values, 3, handles) == HM_OK);
    for (int i = 0; i < 3; i++)
        CHECK(value_of(&map, handles[i]) == 10 + i);
    hm_handle untouched[3] = {{1}, {2}, {3}};
    CHECK(hm_map_insert_n(&map, values, 3, untouched) == HM_ERROR_FULL);
    CHECK(hm_map_insert_n(&map, values, UINT32_MAX, untouched) == HM_ERROR_FULL);
    for (uint64_t i = 0; i < 3; i++)
        CHECK(untouched[i].bits == i + 1);
    CHECK(hm_map_count(&map) == 3);
    CHECK(hm_map_insert_n(&map, NULL, 2, NULL) == HM_OK);
    CHECK(hm_map_count(&map) == 5 && value_at(&map, 3) == 0 && value_at(&map, 4) == 0);
    CHECK(hm_map_insert_n(&map, NULL, 0, NULL) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 1, NULL) == HM_ERROR_FULL);
    hm_map_fini(&map);
}

TEST(map, reserve_counts_from_what_is_there)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map = make_map((hm_map_desc){.capacity = 30000, .memory = &memory.table});
    add(&map, 1);
    CHECK(hm_map_reserve(&map, 29999) == HM_OK);
    CHECK(hm_map_reserve(&map, 30000) == HM_ERROR_FULL);
    CHECK(hm_map_reserve(&map, UINT32_MAX) == HM_ERROR_FULL);
    test_memory_fail(&memory, 1, true);
    for (int i = 1; i < 30000; i++)
        add(&map, i);
    CHECK(memory.calls == 0);
    CHECK(hm_map_reserve(&map, 0) == HM_OK);
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

TEST(map, new_items_refer_to_each_other_by_their_upcoming_handles)
{
    enum { PAIRS = MANY / 4 };
    hm_handle handles[MANY];
    hm_map map = make_map((hm_map_desc){.item_size = sizeof(hm_handle), .capacity = MANY});
    CHECK(hm_handle_is_null(hm_map_upcoming(&map, 0)));
    for (uint32_t i = 0; i < MANY; i++)
        handles[i] = hm_map_insert(&map, NULL);
    CHECK(hm_map_erase_n(&map, handles, PAIRS) == PAIRS);
    CHECK(hm_map_reserve(&map, PAIRS) == HM_OK);
    for (uint32_t k = 0; k < PAIRS; k++)
        handles[k] = hm_map_upcoming(&map, (k + 1) % PAIRS);
    for (uint32_t k = 0; k < PAIRS; k++)
        CHECK(hm_handle_equal(hm_map_insert(&map, &handles[k]), handles[(k + PAIRS - 1) % PAIRS]));
    for (uint32_t k = 0; k < PAIRS; k++) {
        const hm_handle *next = hm_map_get(&map, handles[k]);
        CHECK(next != NULL && hm_handle_equal(*next, handles[(k + 1) % PAIRS]));
    }
    CHECK(hm_handle_is_null(hm_map_upcoming(&map, 0)));
    hm_map_fini(&map);
}

TEST(map, a_reserve_retires_the_spent_slots_among_the_next_unless_it_fails)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map = make_map((hm_map_desc){.capacity = 100000, .memory = &memory.table});
    hm_handle last = add(&map, 0);
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_erase(&map, last);
        last = add(&map, 0);
    }
    hm_map_erase(&map, last);
    for (uint32_t k = 0; k < 3; k++) { /* the entries, the slots, the items: one is committed */
        CHECK(hm_map_get_stats(&map).retired_slots == 0);
        test_memory_fail(&memory, 2, true);
        CHECK(hm_map_reserve(&map, 100000) == (k < 2 ? HM_ERROR_MEMORY : HM_OK));
    }
    CHECK(hm_map_get_stats(&map).retired_slots == 1);
    CHECK(hm_handle_equal(hm_map_upcoming(&map, 0), hm_handle_pack(1, 1, 0)));
    CHECK(hm_handle_equal(add(&map, 1), hm_handle_pack(1, 1, 0)));
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

TEST(map, growing_moves_no_item)
{
    hm_map map = make_map((hm_map_desc){.capacity = 300000});
    void *items = hm_map_items(&map);
    hm_handle first = add(&map, 42);
    int *item = hm_map_get(&map, first);
    for (int i = 1; i < 300000; i++)
        add(&map, i);
    CHECK(hm_map_items(&map) == items && hm_map_get(&map, first) == item && *item == 42);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_items(&map) == items);
    hm_map_fini(&map);
}

/* erase */

TEST(map, erase_moves_the_last_item_and_its_meta_into_the_hole)
{
    hm_map map = make_map((hm_map_desc){.meta_size = sizeof(int)});
    hm_handle handles[4];
    fill(&map, handles, 4);
    for (int i = 0; i < 4; i++)
        *(int *)hm_map_meta_at(&map, (uint32_t)i) = 100 + i;
    CHECK(hm_map_erase(&map, handles[1]));
    CHECK(!hm_map_erase(&map, handles[1]));
    CHECK(hm_map_count(&map) == 3);
    CHECK(value_at(&map, 0) == 0 && value_at(&map, 1) == 3 && value_at(&map, 2) == 2);
    CHECK(*(int *)hm_map_meta_at(&map, 1) == 103);
    CHECK(hm_map_index_of(&map, handles[3]) == 1);
    CHECK(hm_handle_equal(hm_map_handle_at(&map, 1), handles[3]));
    CHECK(hm_map_meta_at(&map, 3) == NULL);
    hm_map_fini(&map);
}

TEST(map, erase_n_counts_each_item_once)
{
    hm_map map = make_map((hm_map_desc){.capacity = 10});
    hm_handle h[6];
    fill(&map, h, 6);
    hm_map_erase(&map, h[5]);
    const hm_handle gone[] = {h[0], h[5], h[3], h[0], HM_NULL_HANDLE, h[3], {~UINT64_C(0)}, h[4]};
    CHECK(hm_map_erase_n(&map, gone, 8) == 3);
    CHECK(hm_map_erase_n(&map, gone, 8) == 0);
    CHECK(hm_map_erase_n(&map, NULL, 0) == 0);
    CHECK(hm_map_count(&map) == 2);
    CHECK(value_of(&map, h[1]) == 1 && value_of(&map, h[2]) == 2);
    hm_map_fini(&map);
}

static bool is_odd(const void *item, void *context)
{
    ++*(int *)context;
    return *(const int *)item % 2 != 0;
}

TEST(map, erase_if_keeps_the_order_of_the_survivors)
{
    hm_map map = make_map((hm_map_desc){.meta_size = sizeof(int)});
    hm_handle handles[MANY];
    int asked = 0;
    fill(&map, handles, MANY);
    for (int i = 0; i < MANY; i++)
        *(int *)hm_map_meta_at(&map, (uint32_t)i) = -i;
    CHECK(hm_map_erase_if(&map, is_odd, &asked) == MANY / 2);
    CHECK(asked == MANY && hm_map_count(&map) == MANY / 2);
    for (uint32_t i = 0; i < MANY / 2; i++) {
        CHECK(value_at(&map, i) == 2 * (int)i);
        CHECK(*(int *)hm_map_meta_at(&map, i) == -2 * (int)i);
        CHECK(value_of(&map, handles[2 * i]) == 2 * (int)i);
        CHECK(!hm_map_contains(&map, handles[2 * i + 1]));
    }
    CHECK(hm_map_erase_if(&map, is_odd, &asked) == 0);
    hm_map_fini(&map);
}

TEST(map, walking_backward_and_erasing_visits_each_item_once)
{
    hm_map map = make_map((hm_map_desc){0});
    hm_handle handles[MANY];
    int seen[MANY] = {0};
    fill(&map, handles, MANY);
    for (uint32_t i = hm_map_count(&map); i-- > 0;) {
        seen[value_at(&map, i)]++;
        if (value_at(&map, i) % 3 == 0)
            CHECK(hm_map_erase(&map, hm_map_handle_at(&map, i)));
    }
    for (int i = 0; i < MANY; i++)
        CHECK(seen[i] == 1 && hm_map_contains(&map, handles[i]) == (i % 3 != 0));
    hm_map_fini(&map);
}

TEST(map, clear_refuses_all_handles_and_keeps_the_memory)
{
    hm_map map = make_map((hm_map_desc){0});
    hm_handle handles[MANY];
    fill(&map, handles, MANY);
    size_t committed = hm_map_get_stats(&map).committed_size;
    hm_map_clear(&map);
    CHECK(hm_map_count(&map) == 0 && hm_map_get_stats(&map).committed_size == committed);
    for (int i = 0; i < MANY; i++)
        CHECK(hm_map_explain(&map, handles[i]) == HM_HANDLE_STALE);
    for (int i = 0; i < MANY; i++) {
        add(&map, i);
        for (int k = 0; k < MANY; k++)
            CHECK(!hm_map_contains(&map, handles[k]));
    }
    hm_map_fini(&map);
}

/* memory */

TEST(map, trim_gives_pages_back_and_keeps_refusing)
{
    enum { ITEMS = 100000 };
    static hm_handle handles[ITEMS];
    hm_map map = make_map((hm_map_desc){.capacity = ITEMS, .max_slots = ITEMS, .meta_size = 8});
    fill(&map, handles, ITEMS);
    size_t full = hm_map_get_stats(&map).committed_size;
    CHECK(full >= ITEMS * (sizeof(int) + 8 + 8 + 4));
    for (int i = 10; i < ITEMS; i++)
        CHECK(hm_map_erase(&map, handles[i]));
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_validate(&map) == HM_OK);
    hm_map_stats stats = hm_map_get_stats(&map);
    CHECK(stats.committed_size <= 5 * hm_memory_os()->page_size);
    CHECK(stats.slots < ITEMS && stats.slots == stats.count + stats.free_slots);
    for (int i = 0; i < 10; i++)
        CHECK(value_of(&map, handles[i]) == i);
    for (int i = 10; i < ITEMS; i++)
        CHECK(hm_map_explain(&map, handles[i]) == HM_HANDLE_STALE);
    for (int i = 10; i < ITEMS; i++)
        add(&map, i);
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_FULL);
    for (int i = 10; i < ITEMS; i++)
        CHECK(!hm_map_contains(&map, handles[i]));
    hm_map_fini(&map);
}

/* Only one page of entries can be dropped, which must not cost more than a page of generation
 * floors. */
TEST(map, trim_takes_no_memory)
{
    uint32_t page_slots = (uint32_t)(hm_memory_os()->page_size / sizeof(hm_handle));
    uint32_t n = 16 * page_slots;
    hm_map map = make_map((hm_map_desc){.item_size = 1, .capacity = n});
    CHECK(hm_map_insert_n(&map, NULL, n, NULL) == HM_OK);
    CHECK(hm_map_trim(&map) == HM_OK);
    while (hm_map_count(&map) > n - page_slots)
        CHECK(hm_map_erase(&map, hm_map_handle_at(&map, hm_map_count(&map) - 1)));
    hm_map_stats before = hm_map_get_stats(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_stats after = hm_map_get_stats(&map);
    CHECK(after.slots == before.slots - page_slots);
    CHECK(after.committed_size <= before.committed_size);
    hm_map_fini(&map);
}

/* A trim that made the last generation the floor of a page would retire all slots of the page. */
TEST(map, trim_with_a_spent_slot_loses_none_of_its_neighbours)
{
    hm_map map = make_map((hm_map_desc){.capacity = 3, .max_slots = 3});
    hm_handle last = add(&map, 0);
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_erase(&map, last);
        last = add(&map, 0);
    }
    CHECK(hm_handle_generation(last) == HM_HANDLE_MAX_GENERATION);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    CHECK(hm_map_reserve(&map, 3) == HM_ERROR_FULL && hm_map_reserve(&map, 2) == HM_OK);
    add(&map, 1);
    add(&map, 2);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(!hm_map_contains(&map, last) && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(map, the_heap_carries_a_map_as_well)
{
    hm_map map = make_map((hm_map_desc){.capacity = MANY, .memory = hm_memory_heap()});
    hm_handle handles[MANY];
    fill(&map, handles, MANY);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    for (int i = 0; i < MANY; i++)
        CHECK(!hm_map_contains(&map, handles[i]) && value_of(&map, add(&map, i)) == i);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

/* Inserts, erases, trims and refills in one layout. */
static void check_layout(test_layout layout)
{
    enum { ITEMS = 40 };
    hm_handle handles[ITEMS];
    unsigned char item[5000];
    test_memory memory;
    test_memory_init(&memory, layout.page_size);
    hm_map map = make_map((hm_map_desc){.item_size = layout.item_size,
                                        .item_align = layout.item_align,
                                        .capacity = ITEMS,
                                        .memory = &memory.table});
    for (uint64_t i = 0; i < ITEMS; i++) {
        test_item_fill(item, layout.item_size, i);
        handles[i] = hm_map_insert(&map, item);
        CHECK((uintptr_t)hm_map_get(&map, handles[i]) % layout.item_align == 0);
    }
    CHECK(hm_handle_is_null(hm_map_insert(&map, item)));
    for (uint64_t i = 0; i < ITEMS; i += 2)
        CHECK(hm_map_erase(&map, handles[i]));
    CHECK(hm_map_trim(&map) == HM_OK);
    for (uint64_t i = 0; i < ITEMS; i++) {
        const void *place = hm_map_get(&map, handles[i]);
        CHECK((place != NULL) == (i % 2 == 1));
        CHECK(place == NULL || test_item_is(place, layout.item_size, i));
    }
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

TEST(map, every_layout_keeps_its_items)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        check_layout(test_layout_at(i));
}

/* An alignment of 0 means the natural one of the size, but never more than the language's largest.
 */
TEST(map, natural_alignment_suits_the_size)
{
    for (size_t size = 1; size <= 256; size++) {
        hm_map map = make_map((hm_map_desc){.item_size = size, .meta_size = size, .capacity = 8});
        size_t align = size & (~size + 1);
        if (align > _Alignof(max_align_t))
            align = _Alignof(max_align_t);
        for (uint32_t i = 0; i < 8; i++) {
            CHECK((uintptr_t)hm_map_get(&map, hm_map_insert(&map, NULL)) % align == 0);
            CHECK((uintptr_t)hm_map_meta_at(&map, i) % align == 0);
        }
        hm_map_fini(&map);
    }
}

/* questions */

TEST(map, handles_and_indices_lead_to_each_other)
{
    hm_map map = make_map((hm_map_desc){.type_id = 9});
    hm_handle handles[MANY];
    fill(&map, handles, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(hm_map_index_of(&map, handles[i]) == i);
        CHECK(hm_handle_equal(hm_map_handle_at(&map, i), handles[i]));
        CHECK(hm_map_get(&map, handles[i]) == (int *)hm_map_items(&map) + i);
        CHECK(hm_handle_type_id(handles[i]) == 9 && !hm_handle_is_free(handles[i]));
    }
    CHECK(hm_handle_is_null(hm_map_handle_at(&map, MANY)));
    CHECK(hm_handle_is_null(hm_map_handle_at(&map, HM_INVALID_INDEX)));
    CHECK(hm_map_index_of(&map, HM_NULL_HANDLE) == HM_INVALID_INDEX);
    CHECK(hm_map_meta_at(&map, 0) == NULL);
    hm_map_fini(&map);
}

static hm_handle with_free_bit(hm_handle handle)
{
    return hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
}

TEST(map, explain_asks_in_the_order_of_the_design)
{
    hm_map map = make_map((hm_map_desc){.type_id = 3});
    hm_handle live = add(&map, 1);
    hm_handle erased = add(&map, 2);
    hm_map_erase(&map, erased);
    CHECK(hm_map_explain(&map, live) == HM_HANDLE_LIVE);
    CHECK(hm_map_explain(&map, erased) == HM_HANDLE_STALE);
    CHECK(hm_map_explain(&map, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_map_explain(&map, with_free_bit(HM_NULL_HANDLE)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, with_free_bit(live)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, with_free_bit(erased)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 0, 3)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 0, 4)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 1, 4)) == HM_HANDLE_FOREIGN);
    CHECK(hm_map_explain(&map, hm_handle_pack(77, 1, 4)) == HM_HANDLE_FOREIGN);
    CHECK(hm_map_explain(&map, hm_handle_pack(2, 1, 3)) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_map_explain(&map, hm_handle_pack(UINT32_MAX, 1, 3)) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 2, 3)) == HM_HANDLE_FORGED);
    CHECK(hm_map_explain(&map, hm_handle_pack(1, 2, 3)) == HM_HANDLE_FORGED);
    hm_handle again = add(&map, 3);
    CHECK(hm_handle_equal(again, hm_handle_pack(1, 2, 3)));
    CHECK(hm_map_explain(&map, again) == HM_HANDLE_LIVE);
    CHECK(hm_map_explain(&map, erased) == HM_HANDLE_STALE);
    hm_map_fini(&map);
}

TEST(map, statistics_show_the_index_space_running_out)
{
    hm_map map = make_map((hm_map_desc){.capacity = 1, .max_slots = 2});
    hm_handle handle = HM_NULL_HANDLE;
    for (uint32_t life = 0; life < 2 * HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_stats stats = hm_map_get_stats(&map);
        CHECK(stats.count == 0 && stats.capacity == 1 && stats.max_slots == 2);
        CHECK(stats.slots == stats.free_slots + stats.retired_slots);
        CHECK(hm_map_reserve(&map, 1) == HM_OK);
        handle = add(&map, 1);
        CHECK(hm_map_get_stats(&map).retired_slots == life / HM_HANDLE_MAX_GENERATION);
        CHECK(hm_map_erase(&map, handle));
    }
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_stats stats = hm_map_get_stats(&map);
    CHECK(stats.slots == 2 && stats.free_slots + stats.retired_slots == 2);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 1, 0)) == HM_HANDLE_RETIRED);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 0xFFFF, 0)) == HM_HANDLE_RETIRED);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(map, statistics_tell_the_memory_that_is_held)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map = make_map((hm_map_desc){.meta_size = 8, .memory = &memory.table});
    for (int i = 0; i < 1000; i++) {
        CHECK(hm_map_get_stats(&map).committed_size == memory.committed_size);
        CHECK(hm_map_get_stats(&map).reserved_size == memory.reserved_size);
        add(&map, i);
    }
    CHECK(memory.committed_size != 0);
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

static uint64_t same_key(const void *item, void *context)
{
    (void)item;
    (void)context;
    return 0;
}

static const hm_order as_they_stand = {.key = same_key};

/* Breaks one invariant of a map with two live items (slots 1 and 2) and a free slot (0). */
static int damage(hm_map *map, int how)
{
    int number = 0;
    hm_id_table *ids = &map->ids;
    const uint32_t slot = ids->slots[0];
    const char *counts = "the id table's counts and arrays disagree", *entry = "the entry of slot ";
    const char *items = "the map's items, count and committed memory disagree";
    DAMAGE(counts, ids->used++); /* live + free + retired = slots */
    DAMAGE(counts, ids->count = ids->used + 1);
    DAMAGE(counts, ids->slot_array.limit = 1);   /* committed slots cover the count */
    DAMAGE(counts, ids->entry_array.limit = 1);  /* and committed entries the slots */
    DAMAGE(entry, ids->entries[slot].bits ^= 1); /* entries[slots[d]].index == d */
    DAMAGE(entry, ids->slots[0] = ids->slots[1]);
    DAMAGE(entry, ids->entries[slot].bits |= HM_HANDLE_FREE_BIT);
    DAMAGE(entry, ids->entries[slot].bits ^= UINT64_C(1) << HM_HANDLE_TYPE_ID_SHIFT);
    DAMAGE(entry, ids->entries[slot].bits &= ~((uint64_t)0xFFFF << HM_HANDLE_GENERATION_SHIFT));
    DAMAGE(entry, ids->entries[ids->slots[2]].bits |= UINT32_MAX); /* retired, but not spent */
    DAMAGE(items, map->item_array.limit = 1); /* committed items cover the count */
    DAMAGE(items, map->item_array.limit = map->guard.limit = 1);
    DAMAGE(items, map->meta_array.limit = 1);
    DAMAGE(items, map->items++); /* where the array has them */
    DAMAGE(items, map->item_size++);
    DAMAGE(items, map->guard.limit++);                              /* the committed items */
    DAMAGE(items, map->guard.flags |= HM_GUARD_BUSY);               /* and 0 while busy */
    DAMAGE(items, map->guard.flags &= ~(uint32_t)HM_GUARD_ORDERED); /* erase tells the order */
    return number;
}

TEST(map, validate_sees_each_broken_invariant)
{
    for (int how = 0, damages = 1; how < damages; how++) {
        hm_handle handles[3];
        hm_map map = make_map((hm_map_desc){.meta_size = 4, .capacity = 9000});
        fill(&map, handles, 3);
        hm_map_erase(&map, handles[0]);
        CHECK(hm_map_defragment(&map, &as_they_stand, NULL).done);
        CHECK(hm_map_validate(&map) == HM_OK);
        hm_map damaged = map;
        hm_handle entries[3];
        uint32_t slots[3];
        memcpy(entries, map.ids.entries, sizeof entries);
        memcpy(slots, map.ids.slots, sizeof slots);
        damages = damage(&damaged, how);
        CHECK(is_told(hm_map_validate(&damaged)));
        memcpy(map.ids.entries, entries, sizeof entries);
        memcpy(map.ids.slots, slots, sizeof slots);
        CHECK(hm_map_validate(&map) == HM_OK);
        hm_map_fini(&map);
    }
}

static bool spares_all(const void *item, void *context)
{
    (void)item;
    (void)context;
    return false;
}

/* The state of the order need not be in the cache if a map is never ordered. */
TEST(map, without_an_order_its_state_is_neither_read_nor_written)
{
    hm_handle handles[MANY];
    unsigned char nothing[sizeof(hm_order_state)];
    hm_map map = make_map((hm_map_desc){.item_size = sizeof(int)});
    memset(nothing, 0xDD, sizeof nothing);
    for (int round = 0; round < 2; round++) {
        CHECK(hm_map_erase_if(&map, spares_all, NULL) ==
              0); /* This call reads the state, and finds nothing. */
        hm_order_state order = map.order;
        memcpy(&map.order, nothing, sizeof nothing);
        fill(&map, handles, MANY);
        for (int i = 0; i < MANY; i++) {
            CHECK(value_of(&map, handles[i]) == i);
            hm_map_touch(&map, handles[i]);
        }
        for (int i = 0; i < MANY; i++)
            CHECK(hm_map_erase(&map, handles[i % 2 == 0 ? i : MANY - i]));
        CHECK(memcmp(&map.order, nothing, sizeof nothing) == 0);
        map.order = order;
        /* Then a map that was ordered, and forgot its order. */
        CHECK(hm_map_defragment(&map, &as_they_stand, NULL).done);
        hm_map_touch_all(&map);
    }
    hm_map_fini(&map);
}

TEST(map, its_own_items_can_be_inserted)
{
    hm_map map = make_map((hm_map_desc){.item_size = sizeof(int)});
    hm_handle handles[MANY];
    fill(&map, handles, 3);
    while (hm_map_count(&map) <= 500) {
        uint32_t count = hm_map_count(&map);
        CHECK(hm_map_insert_n(&map, hm_map_items(&map), count, NULL) == HM_OK);
        CHECK(!hm_handle_is_null(hm_map_insert(&map, hm_map_get(&map, handles[2]))));
        for (uint32_t i = 0; i < count; i++)
            CHECK(value_at(&map, count + i) == value_at(&map, i));
        CHECK(value_at(&map, 2 * count) == 2);
    }
    hm_map_fini(&map);
}

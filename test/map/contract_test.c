/* SPDX-License-Identifier: MIT */
/* What a map refuses: invalid descriptors, and calls that break a contract; and what every function
 * returns for a map of capacity 0. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <string.h>

/* init */

static bool is_refused(hm_map_desc desc)
{
    static const hm_map zero;
    hm_map map;
    memset(&map, 0x5A, sizeof map);
    return hm_map_init(&map, &desc) == HM_ERROR_INVALID && memcmp(&map, &zero, sizeof map) == 0;
}

TEST(map_contract, init_refuses_what_no_map_can_be)
{
    hm_map map;
    const hm_map_desc good = {.item_size = 4};
    CHECK(hm_map_init(NULL, &good) == HM_ERROR_INVALID);
    CHECK(hm_map_init(&map, NULL) == HM_ERROR_INVALID);
    CHECK(is_refused((hm_map_desc){.item_size = 0}));
    CHECK(is_refused((hm_map_desc){.item_size = 12, .item_align = 3}));
    CHECK(is_refused((hm_map_desc){.item_size = 12, .item_align = 8}));
    CHECK(is_refused((hm_map_desc){.item_size = 8192, .item_align = 8192}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .capacity = UINT32_MAX}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .capacity = 10, .max_slots = 9}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .max_slots = HM_DEFAULT_CAPACITY - 1}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .type_id = 0x8000}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .meta_size = 6, .meta_align = 4}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .meta_size = 8, .meta_align = 5}));
    CHECK(is_refused((hm_map_desc){.item_size = SIZE_MAX / 2 + 1, .capacity = 2}));
    CHECK(is_refused((hm_map_desc){.item_size = SIZE_MAX, .capacity = 1}));
    CHECK(is_refused((hm_map_desc){.item_size = 4, .meta_size = SIZE_MAX / 2, .capacity = 4}));
}

TEST(map_contract, init_refuses_a_memory_table_that_breaks_its_contract)
{
    for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++) {
        test_memory memory;
        test_memory_init(&memory, 65536);
        test_memory_break(&memory, flaw);
        CHECK(is_refused((hm_map_desc){.item_size = 4, .memory = &memory.table}));
        test_memory_check_released(&memory);
    }
}

static void check_align(size_t size, size_t align)
{
    hm_map map;
    hm_map_desc desc = {.item_size = size, .item_align = align, .capacity = 10, .max_slots = 20};
    bool fits = align <= HM_MEMORY_ALIGNMENT && (align & (align - 1)) == 0 && size % align == 0;
    if (!fits) {
        CHECK(is_refused(desc));
        return;
    }
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK((uintptr_t)hm_map_items(&map) % align == 0);
    hm_map_fini(&map);
}

TEST(map_contract, init_takes_the_alignments_that_divide_the_size_and_no_other)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        if (layout.item_align != 1)
            continue;
        for (size_t align = 1; align <= 4 * (size_t)HM_MEMORY_ALIGNMENT; align *= 2)
            for (size_t odd = 1; odd <= 5; odd += 2)
                check_align(layout.item_size, align * odd);
    }
}

/* capacity 0 */

/* Checks what every function returns for a map that can never have an item. */
static void check_capacity_zero(hm_map *map)
{
    const hm_handle first = hm_handle_pack(0, 1, 0);
    void *item = map;
    hm_handle handle = first;
    CHECK(hm_handle_is_null(hm_map_insert(map, NULL)));
    CHECK(hm_handle_is_null(hm_map_emplace(map, &item)) && item == NULL);
    CHECK(hm_map_insert_n(map, NULL, 1, &handle) == HM_ERROR_FULL);
    CHECK(hm_map_insert_n(map, NULL, 0, &handle) == HM_OK);
    CHECK(hm_handle_equal(handle, first));
    CHECK(hm_map_reserve(map, 1) == HM_ERROR_FULL && hm_map_reserve(map, 0) == HM_OK);
    CHECK(hm_handle_is_null(hm_map_upcoming(map, 0)));
    CHECK(hm_map_get(map, first) == NULL && !hm_map_contains(map, first));
    CHECK(hm_map_get(map, HM_NULL_HANDLE) == NULL && !hm_map_contains(map, HM_NULL_HANDLE));
    bool is_live = true;
    CHECK(hm_map_get_n(map, &first, 1, &item) == 0 && item == NULL);
    CHECK(hm_map_contains_n(map, &first, 1, &is_live) == 0 && !is_live);
    CHECK(hm_map_get_n(map, NULL, 0, NULL) == 0 && hm_map_contains_n(map, NULL, 0, NULL) == 0);
    CHECK(!hm_map_erase(map, first) && hm_map_erase_n(map, &first, 1) == 0);
    CHECK(hm_map_items(map) == NULL && hm_map_count(map) == 0 && hm_map_capacity(map) == 0);
    CHECK(hm_handle_is_null(hm_map_handle_at(map, 0)) && hm_map_meta_at(map, 0) == NULL);
    CHECK(hm_map_index_of(map, first) == HM_INVALID_INDEX);
    CHECK(hm_map_trim(map) == HM_OK && hm_map_validate(map) == HM_OK);
    CHECK(hm_map_explain(map, first) == HM_HANDLE_OUT_OF_RANGE);
    hm_map_touch(map, first);
    hm_map_touch_all(map);
    hm_progress progress = hm_map_arrange(map, &first, 1, (hm_budget){1, 1});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    hm_map_clear(map);
    hm_map_stats stats = hm_map_get_stats(map);
    hm_map_stats zero = {0};
    CHECK(memcmp(&stats, &zero, sizeof stats) == 0);
    hm_map_fini(map);
    hm_map_fini(map);
}

static bool never_called(const void *item, void *context)
{
    (void)item;
    (void)context;
    CHECK(false);
    return true;
}

static uint64_t key_of_int(const void *item, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)item;
}

TEST(map_contract, a_zeroed_map_is_a_valid_empty_one)
{
    hm_map map = {0};
    const hm_order order = {.key = key_of_int};
    CHECK(hm_map_erase_if(&map, never_called, NULL) == 0);
    hm_progress progress = hm_map_defragment(&map, &order, (hm_budget){0, 0});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    check_capacity_zero(&map);
}

TEST(map_contract, a_map_whose_init_failed_is_a_valid_empty_one)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 0}) == HM_ERROR_INVALID);
    check_capacity_zero(&map);
    test_memory memory;
    test_memory_init(&memory, 65536);
    test_memory_fail(&memory, 1, false);
    hm_map_desc desc = {.item_size = 8, .memory = &memory.table};
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    check_capacity_zero(&map);
    test_memory_check_released(&memory);
}

/* broken contracts */

#define PANICS_WITHOUT_A_MAP(name, call)                                                           \
    DEATH_TEST(map_contract, name##_without_a_map_panics)                                          \
    {                                                                                              \
        (void)(call);                                                                              \
    }

static hm_map *const no_map;
static void *no_place;

PANICS_WITHOUT_A_MAP(insert, hm_map_insert(no_map, NULL))
PANICS_WITHOUT_A_MAP(emplace, hm_map_emplace(no_map, &no_place))
PANICS_WITHOUT_A_MAP(insert_n, hm_map_insert_n(no_map, NULL, 0, NULL))
PANICS_WITHOUT_A_MAP(get, hm_map_get(no_map, HM_NULL_HANDLE))
PANICS_WITHOUT_A_MAP(get_n, hm_map_get_n(no_map, NULL, 0, NULL))
PANICS_WITHOUT_A_MAP(contains, hm_map_contains(no_map, HM_NULL_HANDLE))
PANICS_WITHOUT_A_MAP(contains_n, hm_map_contains_n(no_map, NULL, 0, NULL))
PANICS_WITHOUT_A_MAP(erase, hm_map_erase(no_map, HM_NULL_HANDLE))
PANICS_WITHOUT_A_MAP(erase_n, hm_map_erase_n(no_map, NULL, 0))
PANICS_WITHOUT_A_MAP(erase_if, hm_map_erase_if(no_map, never_called, NULL))
PANICS_WITHOUT_A_MAP(items, hm_map_items(no_map))
PANICS_WITHOUT_A_MAP(count, hm_map_count(no_map))
PANICS_WITHOUT_A_MAP(capacity, hm_map_capacity(no_map))
PANICS_WITHOUT_A_MAP(handle_at, hm_map_handle_at(no_map, 0))
PANICS_WITHOUT_A_MAP(handle_of, hm_map_handle_of(no_map, NULL))
PANICS_WITHOUT_A_MAP(index_of, hm_map_index_of(no_map, HM_NULL_HANDLE))
PANICS_WITHOUT_A_MAP(meta_at, hm_map_meta_at(no_map, 0))
PANICS_WITHOUT_A_MAP(reserve, hm_map_reserve(no_map, 0))
PANICS_WITHOUT_A_MAP(upcoming, hm_map_upcoming(no_map, 0))
PANICS_WITHOUT_A_MAP(clear, (hm_map_clear(no_map), 0))
PANICS_WITHOUT_A_MAP(trim, hm_map_trim(no_map))
PANICS_WITHOUT_A_MAP(validate, hm_map_validate(no_map))
PANICS_WITHOUT_A_MAP(as_owners, hm_map_as_owners(no_map))
PANICS_WITHOUT_A_MAP(explain, hm_map_explain(no_map, HM_NULL_HANDLE))
PANICS_WITHOUT_A_MAP(get_stats, hm_map_get_stats(no_map))
PANICS_WITHOUT_A_MAP(touch, (hm_map_touch(no_map, HM_NULL_HANDLE), 0))
PANICS_WITHOUT_A_MAP(touch_all, (hm_map_touch_all(no_map), 0))
PANICS_WITHOUT_A_MAP(arrange, hm_map_arrange(no_map, NULL, 0, (hm_budget){0, 0}))
PANICS_WITHOUT_A_MAP(fini, (hm_map_fini(no_map), 0))

DEATH_TEST(map_contract, defragment_without_a_map_panics)
{
    const hm_order order = {.key = key_of_int};
    hm_map_defragment(no_map, &order, (hm_budget){0, 0});
}

DEATH_TEST(map_contract, defragment_without_an_order_panics)
{
    hm_map map = {0};
    hm_map_defragment(&map, NULL, (hm_budget){0, 0});
}

DEATH_TEST(map_contract, defragment_by_an_order_of_nothing_panics)
{
    hm_map map = {0};
    const hm_order nothing = {.context = &map};
    hm_map_defragment(&map, &nothing, (hm_budget){0, 0});
}

DEATH_TEST(map_contract, arrange_without_handles_panics)
{
    hm_map map = {0};
    hm_map_arrange(&map, NULL, 1, (hm_budget){0, 0});
}

DEATH_TEST(map_contract, emplace_without_a_place_panics)
{
    hm_map map = {0};
    hm_map_emplace(&map, NULL);
}

DEATH_TEST(map_contract, get_n_without_handles_panics)
{
    hm_map map = {0};
    void *item;
    hm_map_get_n(&map, NULL, 1, &item);
}

DEATH_TEST(map_contract, get_n_without_items_panics)
{
    hm_map map = {0};
    hm_handle handle = HM_NULL_HANDLE;
    hm_map_get_n(&map, &handle, 1, NULL);
}

DEATH_TEST(map_contract, contains_n_without_handles_panics)
{
    hm_map map = {0};
    bool is_live;
    hm_map_contains_n(&map, NULL, 1, &is_live);
}

DEATH_TEST(map_contract, contains_n_without_answers_panics)
{
    hm_map map = {0};
    hm_handle handle = HM_NULL_HANDLE;
    hm_map_contains_n(&map, &handle, 1, NULL);
}

DEATH_TEST(map_contract, erase_n_without_handles_panics)
{
    hm_map map = {0};
    hm_map_erase_n(&map, NULL, 1);
}

DEATH_TEST(map_contract, erase_if_without_a_predicate_panics)
{
    hm_map map = {0};
    hm_map_erase_if(&map, NULL, NULL);
}

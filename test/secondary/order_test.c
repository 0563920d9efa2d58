/* SPDX-License-Identifier: MIT */
/* Bringing a secondary's values into an order: the owners move along, whole handles of them, and
 * the program may change anything between calls. The machinery itself has tests of its own. */
#include "support/secondary.h"

#include <handle_map/map.h>

#include <string.h>

enum { MANY = 2000 };

static int compare_ints(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    (void)context;
    return (left > right) - (left < right);
}

static uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

static const hm_order by_compare = {.compare = compare_ints};
static const hm_order by_key = {.key = int_key};

/* Owner i, of a generation that depends on i, has the value of a permutation. */
static hm_handle owner_of(uint32_t i)
{
    return owner(i * 7, 1 + i % 11);
}

static int value_for(uint32_t i)
{
    return (int)(i * 739 % MANY);
}

static hm_secondary make_shuffled(void)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    for (uint32_t i = 0; i < MANY; i++)
        set(&secondary, owner_of(i), value_for(i));
    return secondary;
}

static void check_sorted(const hm_secondary *secondary)
{
    const int *values = hm_secondary_values(secondary);
    for (uint32_t i = 1; i < hm_secondary_count(secondary); i++)
        CHECK(values[i - 1] <= values[i]);
}

static void check_values(const hm_secondary *secondary)
{
    CHECK(hm_secondary_validate(secondary) == HM_OK);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(value_of(secondary, owner_of(i)) == value_for(i));
}

TEST(secondary_order, defragment_sorts_and_each_owner_keeps_its_value)
{
    for (int way = 0; way < 2; way++) {
        hm_secondary secondary = make_shuffled();
        CHECK(hm_secondary_defragment(&secondary, way == 0 ? &by_compare : &by_key, NULL).done);
        check_sorted(&secondary);
        check_values(&secondary);
        finish(&secondary);
    }
}

TEST(secondary_order, defragment_resumes_within_its_budget)
{
    hm_secondary secondary = make_shuffled();
    const hm_budget budget = {.max_swaps = 7, .max_compares = 50};
    hm_progress progress = {0};
    uint32_t calls = 0;
    for (; !progress.done; calls++) {
        progress = hm_secondary_defragment(&secondary, &by_compare, ONCE(budget));
        CHECK(progress.swaps <= 7 && progress.compares <= 50);
        if (calls % 16 == 0)
            check_values(&secondary);
    }
    CHECK(calls > MANY / 50);
    check_sorted(&secondary);
    check_values(&secondary);
    finish(&secondary);
}

TEST(secondary_order, a_replaced_value_is_put_in_order_again_and_an_edited_one_after_touch)
{
    hm_secondary secondary = make_shuffled();
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    set(&secondary, owner_of(500), 3);
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).swaps > 0);
    check_sorted(&secondary);
    *(int *)hm_secondary_get(&secondary, owner_of(600)) = MANY;
    hm_secondary_touch(&secondary, owner_of(600));
    hm_secondary_touch(&secondary, owner(1, 1)); /* has no value */
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    check_sorted(&secondary);
    int *values = hm_secondary_values(&secondary);
    for (int i = 0; i < MANY; i++)
        values[i] = MANY - values[i];
    hm_secondary_touch_all(&secondary);
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    check_sorted(&secondary);
    hm_progress idle = hm_secondary_defragment(&secondary, &by_key, NULL);
    CHECK(idle.done && idle.swaps == 0 && idle.compares == 0);
    finish(&secondary);
}

TEST(secondary_order, arrange_follows_the_order_of_the_owners)
{
    hm_map map;
    const hm_map_desc desc = {.item_size = 4, .capacity = MANY, .type_id = OWNER_TYPE};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    hm_secondary secondary = make((hm_secondary_desc){0});
    hm_handle handles[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        int value = value_for(i);
        handles[i] = hm_map_insert(&map, &value);
    }
    for (uint32_t i = MANY; i-- > 0;)
        if (i % 3 == 0)
            set(&secondary, handles[i], value_for(i));
    CHECK(hm_map_defragment(&map, &by_key, NULL).done);
    for (uint32_t i = 0; i < MANY; i++)
        handles[i] = hm_map_handle_at(&map, i);
    hm_budget budget = {.max_swaps = 10};
    while (!hm_secondary_arrange(&secondary, handles, MANY, ONCE(budget)).done)
        CHECK(hm_secondary_validate(&secondary) == HM_OK);
    uint32_t before = 0;
    for (uint32_t i = 0; i < hm_secondary_count(&secondary); i++) {
        uint32_t index = hm_map_index_of(&map, hm_secondary_owner_at(&secondary, i));
        CHECK(index != HM_INVALID_INDEX && (i == 0 || index > before));
        before = index;
    }
    check_sorted(&secondary);
    finish(&secondary);
    hm_map_fini(&map);
}

TEST(secondary_order, arrange_without_owners_moves_nothing)
{
    hm_secondary secondary = make_shuffled();
    hm_progress progress = hm_secondary_arrange(&secondary, NULL, 0, NULL);
    CHECK(progress.done && progress.swaps == 0);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_secondary_index_of(&secondary, owner_of(i)) == i);
    check_values(&secondary);
    finish(&secondary);
}

TEST(secondary_order, trim_in_the_middle_of_an_order_keeps_all_values)
{
    for (uint32_t swaps = 1; swaps < MANY / 2; swaps += 97) {
        hm_secondary secondary = make_shuffled();
        CHECK(!hm_secondary_defragment(&secondary, &by_key, &(hm_budget){.max_swaps = swaps}).done);
        CHECK(hm_secondary_trim(&secondary) == HM_OK);
        check_values(&secondary);
        CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
        check_sorted(&secondary);
        check_values(&secondary);
        finish(&secondary);
    }
}

/* The lists of an unfinished order name slots. The pieces of those that are gone are given back. */
TEST(secondary_order, trim_in_the_middle_of_an_order_may_take_the_pieces_of_removed_owners)
{
    for (uint32_t compares = 100; compares < 30000; compares += 1300) {
        hm_secondary secondary = make((hm_secondary_desc){0});
        for (uint32_t i = 0; i < MANY; i++)
            set(&secondary, owner(i % 10 * PIECE_SLOTS + i, 1), value_for(i));
        const hm_budget budget = {.max_compares = compares, .max_swaps = MANY / 2};
        hm_secondary_defragment(&secondary, &by_compare, ONCE(budget));
        for (uint32_t i = 0; i < MANY; i++)
            if (i % 10 > 4)
                CHECK(hm_secondary_remove(&secondary, owner(i % 10 * PIECE_SLOTS + i, 1)));
        CHECK(hm_secondary_trim(&secondary) == HM_OK);
        CHECK(hm_secondary_get_stats(&secondary).slots == 5 * PIECE_SLOTS);
        CHECK(hm_secondary_defragment(&secondary, &by_compare, ONCE(budget)).compares <= compares);
        for (uint32_t i = 0; i < MANY; i++)
            set(&secondary, owner(i % 10 * PIECE_SLOTS + i, 1), value_for(i));
        CHECK(hm_secondary_defragment(&secondary, &by_compare, NULL).done);
        check_sorted(&secondary);
        finish(&secondary);
    }
}

static bool has_odd_index(hm_handle of, const void *value, void *context)
{
    (void)value;
    (void)context;
    return hm_handle_index(of) % 2 != 0;
}

TEST(secondary_order, remove_if_of_an_ordered_secondary_leaves_it_in_order_at_no_cost)
{
    hm_secondary secondary = make_shuffled();
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    CHECK(hm_secondary_remove_if(&secondary, has_odd_index, NULL) == MANY / 2);
    check_sorted(&secondary);
    hm_progress progress = hm_secondary_defragment(&secondary, &by_key, NULL);
    CHECK(progress.done && progress.swaps == 0);
    finish(&secondary);
}

TEST(secondary_order, clear_in_the_middle_of_an_order_forgets_it)
{
    hm_secondary secondary = make_shuffled();
    hm_secondary_defragment(&secondary, &by_key, &(hm_budget){.max_swaps = 100});
    hm_secondary_clear(&secondary);
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    for (uint32_t i = MANY; i-- > 0;)
        set(&secondary, owner_of(i), value_for(i));
    check_values(&secondary);
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    check_sorted(&secondary);
    check_values(&secondary);
    finish(&secondary);
}

/* SPDX-License-Identifier: MIT */
/* Which blocks lists have: an emptied list keeps its block, and what gives it back; the units that
 * a list with an exact block does not need are freed at once. */
#include "support/lists.h"
#include "support/lists_blocks.h"

static bool is_any(const void *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

/* Drops all items but one, and that in each way in turn. */
static void empty_by(hm_lists *lists, hm_handle list, int how)
{
    while (count_of(lists, list) > 1)
        CHECK(hm_lists_erase_at(lists, list, 0));
    if (how == 0)
        CHECK(hm_lists_erase_at(lists, list, 0));
    else if (how == 1)
        CHECK(hm_lists_erase_ordered_at(lists, list, 0));
    else
        CHECK(hm_lists_erase_if(lists, list, is_any, NULL) == 1);
    CHECK(count_of(lists, list) == 0 && hm_lists_items(lists, list, NULL) == NULL);
    CHECK(hm_lists_contains(lists, list) && hm_lists_validate(lists) == HM_OK);
}

/* Checks that the lists with items are these, in this order. */
static void check_walk(const hm_lists *lists, const hm_handle *wanted, uint32_t n)
{
    hm_lists_view view = {0};
    for (uint32_t i = 0; i < n; i++) {
        CHECK(hm_lists_next(lists, &view) && hm_handle_equal(view.list, wanted[i]));
        CHECK(view.items == items_of(lists, wanted[i]));
        CHECK(view.count == count_of(lists, wanted[i]));
    }
    CHECK(!hm_lists_next(lists, &view));
}

TEST(lists_block, the_last_block_stays_too)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 1);
    const int *place = items_of(&lists, list);
    empty_by(&lists, list, 0);
    hm_lists_view view = {0};
    CHECK(!hm_lists_next(&lists, &view) && lists.blocks.end > 1);
    push_row(&lists, list, 7, 1);
    CHECK(items_of(&lists, list) == place && has_row(&lists, list, 7, 1));
    empty_by(&lists, list, 0);
    CHECK(hm_lists_defragment(&lists, NULL).done && lists.blocks.end == 1);
    finish(&lists);
}

/* A push would move it anyway. */
TEST(lists_block, an_exact_block_is_freed_when_its_list_becomes_empty)
{
    for (int how = 0; how < 3; how++) {
        hm_lists lists = make((hm_lists_desc){0});
        hm_handle first = make_list(&lists, 0, 2), second = make_list(&lists, 10, 2);
        CHECK(hm_lists_defragment(&lists, NULL).done);
        const int *place = items_of(&lists, first);
        empty_by(&lists, first, how);
        check_walk(&lists, &second, 1);
        hm_handle third = make_list(&lists, 20, 2);
        CHECK(items_of(&lists, third) == place && has_row(&lists, second, 10, 2));
        empty_by(&lists, second, how);
        CHECK(lists.blocks.end == 3); /* The last block, and the end is lowered. */
        finish(&lists);
    }
}

/* Of 5, 4 and 3 units with the head; the first unit that is free is no list's. */
TEST(lists_block, an_exact_list_that_shrinks_frees_the_units_behind_its_items)
{
    hm_lists lists = make((hm_lists_desc){0});
    const int items[] = {0, 1, 2, 3, 4, 5, 6, 7};
    hm_handle list = hm_lists_create(&lists), other = hm_lists_create(&lists);
    CHECK(hm_lists_push_n(&lists, list, items, 8) == HM_OK);
    CHECK(hm_lists_push_n(&lists, other, items, 3) == HM_OK);
    CHECK(hm_lists_defragment(&lists, NULL).done);
    const int *place = items_of(&lists, list);
    const uint32_t end = lists.blocks.end;
    CHECK(size_of_block(&lists.blocks, 1) == 5 && end == 1 + 5 + 3);
    CHECK(hm_lists_erase_at(&lists, list, 7)); /* Half of a unit is no gap. */
    CHECK(size_of_block(&lists.blocks, 1) == 5 && lists.blocks.cursor == end);
    CHECK(hm_lists_erase_at(&lists, list, 6));
    CHECK(size_of_block(&lists.blocks, 1) == 4 && size_of_block(&lists.blocks, 5) == 1 &&
          lists.blocks.cursor == 5);
    CHECK(hm_lists_erase_ordered_at(&lists, list, 5) && hm_lists_erase_ordered_at(&lists, list, 4));
    CHECK(size_of_block(&lists.blocks, 1) == 3 && size_of_block(&lists.blocks, 4) == 1 &&
          lists.blocks.cursor == 4);
    CHECK(hm_lists_validate(&lists) == HM_OK && lists.blocks.end == end);
    CHECK(items_of(&lists, list) == place && has_row(&lists, list, 0, 4));
    check_walk(&lists, (const hm_handle[]){list, other}, 2);

    CHECK(hm_lists_erase_at(&lists, other, 2)); /* The last block. */
    CHECK(lists.blocks.end == end - 1 && has_row(&lists, other, 0, 2));
    CHECK(hm_lists_validate(&lists) == HM_OK);
    hm_progress progress = hm_lists_defragment(&lists, NULL);
    CHECK(progress.done && progress.swaps == 1 && lists.blocks.end == 1 + 3 + 2);
    CHECK(has_row(&lists, list, 0, 4) && has_row(&lists, other, 0, 2));
    finish(&lists);
}

TEST(lists_block, defragment_reclaims_the_blocks_of_empty_lists_between_others)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list[9];
    for (int i = 0; i < 9; i++)
        list[i] = make_list(&lists, 10 * i, 2);
    for (int i = 0; i < 9; i++)
        if (i != 1 && i != 5)
            empty_by(&lists, list[i], i % 3);
    check_walk(&lists, (const hm_handle[]){list[1], list[5]}, 2);
    uint32_t calls = 0;
    while (!hm_lists_defragment(&lists, BUDGET(1, HM_NO_LIMIT)).done) {
        CHECK(hm_lists_validate(&lists) == HM_OK && ++calls < 3);
        CHECK(has_row(&lists, list[1], 10, 2) && has_row(&lists, list[5], 50, 2));
    }
    CHECK(lists.blocks.end == 1 + 2 * 3 - 2 && hm_lists_count(&lists) == 9);
    for (int i = 0; i < 9; i++)
        if (i != 1 && i != 5)
            push_row(&lists, list[i], 10 * i, 2);
    for (int i = 0; i < 9; i++)
        CHECK(has_row(&lists, list[i], 10 * i, 2));
    finish(&lists);
}

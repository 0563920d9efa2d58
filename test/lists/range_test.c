/* SPDX-License-Identifier: MIT */
/* Lists whose range is used up: free blocks next to each other are joined, defragment helps where
 * that does not, and what is refused changes nothing. */
#include "support/lists.h"
#include "support/lists_blocks.h"

#include <string.h>

enum {
    FEW = 2,   /* ints: a block of 2 units */
    ITEMS = 6, /* of 4 units */
    MANY = 14, /* of 8 units */
    LISTS = 8, /* whose blocks fill the range */
    UNITS = 1 + 4 * LISTS
};

/* Lists whose blocks follow each other. */
typedef struct scene {
    hm_lists lists;
    hm_handle handles[LISTS];
} scene;

static void add(hm_lists *lists, hm_handle list, int first, uint32_t n)
{
    CHECK(hm_lists_resize(lists, list, n) == HM_OK);
    for (uint32_t i = 0; i < n; i++)
        items_of(lists, list)[i] = first + (int)i;
}

static void start(scene *on)
{
    on->lists = make((hm_lists_desc){.name = "contacts"});
    limit_space(&on->lists.blocks, UNITS);
    for (int i = 0; i < LISTS; i++) {
        on->handles[i] = hm_lists_create(&on->lists);
        add(&on->lists, on->handles[i], 100 * i, ITEMS);
    }
    CHECK(on->lists.blocks.end == UNITS);
}

static void destroy(scene *on, int i)
{
    CHECK(hm_lists_destroy(&on->lists, on->handles[i]));
    on->handles[i] = HM_NULL_HANDLE;
}

static void check(const scene *on)
{
    CHECK(hm_lists_validate(&on->lists) == HM_OK);
    for (int i = 0; i < LISTS; i++)
        CHECK(hm_handle_is_null(on->handles[i]) ||
              has_row(&on->lists, on->handles[i], 100 * i, ITEMS));
}

/* Checks that a new list cannot have n items, and that nothing has changed. */
static void check_full(scene *on, uint32_t n)
{
    hm_handle list = hm_lists_create(&on->lists);
    const void *places[LISTS];
    for (int i = 0; i < LISTS; i++)
        places[i] = items_of(&on->lists, on->handles[i]);
    hm_lists_stats before = hm_lists_get_stats(&on->lists);
    CHECK(hm_lists_push_n(&on->lists, list, NULL, n) == HM_ERROR_FULL);
    hm_lists_stats after = hm_lists_get_stats(&on->lists);
    CHECK(memcmp(&before, &after, sizeof before) == 0 && count_of(&on->lists, list) == 0);
    for (int i = 0; i < LISTS; i++)
        CHECK(items_of(&on->lists, on->handles[i]) == places[i]);
    CHECK(hm_lists_destroy(&on->lists, list));
    check(on);
}

/* Checks that a new list can. */
static hm_handle check_fits(scene *on, uint32_t n)
{
    hm_handle list = hm_lists_create(&on->lists);
    add(&on->lists, list, 5000, n);
    CHECK(has_row(&on->lists, list, 5000, n));
    check(on);
    return list;
}

TEST(lists_range, free_blocks_behind_all_lists_are_joined_with_what_was_never_used)
{
    scene on;
    start(&on);
    destroy(&on, 6);
    destroy(&on, 7);
    check_fits(&on, MANY);
    check_full(&on, 1);
    finish(&on.lists);
}

static bool is_any(const void *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

/* Lists that become empty after all was joined are found too. */
TEST(lists_range, each_way_to_empty_a_list_makes_joining_worthwhile_again)
{
    scene on;
    start(&on);
    for (int i = 0; i < 6; i++) {
        hm_handle list = on.handles[i];
        check_full(&on, 1);
        CHECK(on.lists.blocks.is_joined);
        on.handles[i] = HM_NULL_HANDLE;
        if (i % 3 == 0)
            while (hm_lists_erase_at(&on.lists, list, 0))
                ;
        else if (i % 3 == 1)
            while (hm_lists_erase_ordered_at(&on.lists, list, 0))
                ;
        else
            CHECK(hm_lists_erase_if(&on.lists, list, is_any, NULL) == ITEMS);
        CHECK(!on.lists.blocks.is_joined);
        hm_handle next = check_fits(&on, ITEMS);
        CHECK(count_of(&on.lists, list) == 0 && hm_lists_contains(&on.lists, list));
        CHECK(!hm_handle_equal(next, list));
    }
    finish(&on.lists);
}

/* No list can use one, until it is joined with another. */
TEST(lists_range, gaps_of_one_unit_are_joined_too)
{
    scene on;
    start(&on);
    destroy(&on, 7);
    hm_handle short_one = check_fits(&on, FEW);
    check_fits(&on, FEW);
    CHECK(hm_lists_defragment(&on.lists, NULL).done); /* All blocks are exact. */
    check_full(&on, 1);
    for (int i = 2; i <= 3; i++) {
        for (int n = 0; n < 2; n++)
            CHECK(hm_lists_erase_at(&on.lists, on.handles[i], ITEMS - 1U - (uint32_t)n));
        CHECK(has_row(&on.lists, on.handles[i], 100 * i, ITEMS - 2));
        on.handles[i] = HM_NULL_HANDLE; /* for check */
        check_full(&on, 1);
    }
    CHECK(hm_lists_destroy(&on.lists, short_one));
    destroy(&on, 4); /* behind one of the gaps */
    check_full(&on, MANY);
    check_fits(&on, ITEMS);
    check_fits(&on, FEW);
    check_full(&on, 1);
    CHECK(hm_lists_defragment(&on.lists, NULL).done); /* 2 gaps of 1 unit */
    check_fits(&on, FEW);
    check_full(&on, 1);
    finish(&on.lists);
}

/* A pass over the blocks would crash. */
TEST(lists_range, what_was_refused_once_costs_no_pass_until_a_block_is_freed)
{
    scene on;
    start(&on);
    for (int i = 0; i < LISTS; i += 2)
        destroy(&on, i);
    check_full(&on, MANY);
    hm_handle list = hm_lists_create(&on.lists);
    for (int i = 0; i < 3; i++) {
        unsigned char *base = on.lists.blocks.base;
        on.lists.blocks.base = NULL;
        CHECK(hm_lists_resize(&on.lists, list, MANY) == HM_ERROR_FULL);
        on.lists.blocks.base = base;
        add(&on.lists, list, 0, ITEMS); /* in one of the gaps */
        list = hm_lists_create(&on.lists);
    }
    for (int i = 1; i < LISTS; i += 2) /* One of them is next to the last gap. */
        destroy(&on, i);
    check_fits(&on, MANY);
    finish(&on.lists);
}

/* A call of defragment that may look at no more blocks stops between the gap that it has made and
 * the one behind it. */
TEST(lists_range, gaps_that_defragment_leaves_side_by_side_are_joined)
{
    enum {
        EXACT = 4096 + 4 - 1
    }; /* with one more, as many blocks as a call of one swap looks at */
    hm_lists lists = make((hm_lists_desc){.capacity = EXACT + 5});
    for (uint32_t i = 0; i < EXACT; i++)
        add(&lists, make_list(&lists, 0, 0), 0, FEW);
    hm_handle loose = make_list(&lists, 0, 0), gone = make_list(&lists, 0, 0);
    hm_handle last = make_list(&lists, 0, 0), more = make_list(&lists, 0, 0);
    add(&lists, loose, 0, ITEMS); /* 4 of 4 units, and then 2 */
    add(&lists, gone, 0, FEW);
    add(&lists, last, 50, FEW);
    limit_space(&lists.blocks, lists.blocks.end);
    CHECK(hm_lists_resize(&lists, loose, FEW) == HM_OK && hm_lists_destroy(&lists, gone));
    CHECK(hm_lists_resize(&lists, more, ITEMS) == HM_ERROR_FULL);
    hm_progress progress = hm_lists_defragment(&lists, BUDGET(1, HM_NO_LIMIT));
    CHECK(!progress.done && progress.swaps == 0);
    CHECK(hm_lists_validate(&lists) == HM_OK);
    add(&lists, more, 70, ITEMS);
    CHECK(has_row(&lists, loose, 0, FEW) && has_row(&lists, last, 50, FEW));
    CHECK(has_row(&lists, more, 70, ITEMS));
    finish(&lists);
}

/* Makes one list have all items that there may be, beside lists of one item; where a push is
 * refused, defragment makes room. Returns how many it got before that did not help. */
static uint32_t grow(const hm_memory *memory, uint32_t item_size, uint32_t max_items)
{
    hm_lists lists = make((hm_lists_desc){
        .item_size = item_size, .capacity = 10, .max_items = max_items, .memory = memory});
    hm_handle list = hm_lists_create(&lists);
    while (hm_lists_count(&lists) < 10)
        CHECK(hm_lists_push(&lists, hm_lists_create(&lists), NULL) != NULL);
    while (hm_lists_item_count(&lists) < max_items)
        if (hm_lists_push(&lists, list, NULL) == NULL) {
            CHECK(hm_lists_defragment(&lists, NULL).done);
            if (hm_lists_push(&lists, list, NULL) == NULL)
                break;
        }
    uint32_t count = (uint32_t)hm_lists_item_count(&lists);
    finish(&lists);
    return count;
}

TEST(lists_range, after_defragment_there_is_room_up_to_max_items)
{
    static const uint32_t sizes[] = {1, 3, 8, 16, 40, 100};
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t max_items = 20; max_items < 500; max_items += 37) {
            if (sizeof(void *) > 4)
                CHECK(grow(hm_memory_os(), sizes[i], max_items) == max_items);
            CHECK(grow(hm_memory_heap(), sizes[i], max_items) >= max_items / 2);
        }
}

/* SPDX-License-Identifier: MIT */
/* hm_lists_defragment: what it promises of budgets, of order and of memory, whatever changes
 * between two calls. */
#include "support/lists.h"

#include "support/memory.h"

#include <stddef.h>
#include <string.h>

enum { LISTS = 400, BLOCKS = 4096 /* looked at in a call, besides 4 a swap */ };

/* Lists of 0 to 19 items; each third is destroyed. handles[i] is null, or names a list of the row
 * from 1000 i on. */
typedef struct scene {
    hm_lists lists;
    hm_handle handles[LISTS];
    uint32_t counts[LISTS];
} scene;

static scene stage; /* too large for the stack of some systems */

static void start(scene *on)
{
    on->lists = make((hm_lists_desc){.max_items = 100000});
    for (uint32_t i = 0; i < LISTS; i++) {
        on->counts[i] = i * 7 % 20;
        on->handles[i] = make_list(&on->lists, 1000 * (int)i, on->counts[i]);
    }
    for (uint32_t i = 0; i < LISTS; i += 3) {
        CHECK(hm_lists_destroy(&on->lists, on->handles[i]));
        on->handles[i] = HM_NULL_HANDLE;
    }
}

static void check(const scene *on)
{
    CHECK(hm_lists_validate(&on->lists) == HM_OK);
    for (uint32_t i = 0; i < LISTS; i++)
        CHECK(hm_handle_is_null(on->handles[i]) ||
              has_row(&on->lists, on->handles[i], 1000 * (int)i, on->counts[i]));
}

static hm_progress call(scene *on, uint32_t max_swaps)
{
    hm_frame_budget budget = test_budget_of(max_swaps, 1);
    hm_progress progress = hm_lists_defragment(&on->lists, &budget);
    CHECK(progress.compares == 0 && (max_swaps == 0 || progress.swaps <= max_swaps));
    check(on);
    return progress;
}

/* Checks that the blocks are next to each other, without unused units. */
static void check_packed(const hm_lists *lists)
{
    size_t unit = (size_t)1 << lists->blocks.unit_shift;
    const unsigned char *next = lists->blocks.base + 2 * unit;
    hm_lists_view view = {0};
    while (hm_lists_next(lists, &view)) {
        CHECK(view.items == next);
        size_t size = lists->blocks.item_size * view.count;
        next += (size + unit - 1) / unit * unit + unit;
    }
}

/* Returns the number of lists with items, and their handles in the order of memory. */
static uint32_t read_order(const hm_lists *lists, hm_handle *order)
{
    uint32_t n = 0;
    hm_lists_view view = {0};
    while (hm_lists_next(lists, &view))
        order[n++] = view.list;
    return n;
}

TEST(lists_defragment, no_call_moves_more_lists_than_its_budget_and_the_next_resumes)
{
    for (uint32_t budget = 1; budget <= 50; budget += 7) {
        uint64_t swaps = 0, calls = 0;
        hm_progress progress = {0};
        hm_handle order[LISTS];
        start(&stage);
        uint32_t n = read_order(&stage.lists, order);
        for (; !progress.done; calls++) {
            hm_handle before[LISTS];
            const void *places[LISTS];
            uint32_t moved = 0;
            for (uint32_t i = 0; i < n; i++) {
                before[i] = order[i];
                places[i] = hm_lists_items(&stage.lists, order[i], NULL);
            }
            progress = call(&stage, budget);
            CHECK(read_order(&stage.lists, order) == n);
            CHECK(memcmp(before, order, n * sizeof *order) == 0);
            for (uint32_t i = 0; i < n; i++)
                moved += hm_lists_items(&stage.lists, order[i], NULL) != places[i];
            CHECK(moved == progress.swaps);
            CHECK(progress.done || progress.swaps == budget);
            swaps += progress.swaps;
        }
        CHECK(swaps <= n && calls <= n / budget + 1); /* Each list is moved once. */
        check_packed(&stage.lists);
        finish(&stage.lists);
    }
}

TEST(lists_defragment, a_call_after_done_costs_nothing_until_something_changes)
{
    start(&stage);
    CHECK(call(&stage, 0).done);
    hm_progress progress = call(&stage, 1);
    CHECK(progress.done && progress.swaps == 0);
    /* A call that looked at a block would find nonsense there. */
    const uint32_t end = stage.lists.blocks.end;
    stage.lists.blocks.base += 1;
    progress = hm_lists_defragment(&stage.lists, NULL);
    CHECK(progress.done && progress.swaps == 0 && stage.lists.blocks.end == end);
    stage.lists.blocks.base -= 1;
    CHECK(hm_lists_erase_at(&stage.lists, stage.handles[1], stage.counts[1] - 1));
    stage.counts[1]--;
    CHECK(hm_lists_resize(&stage.lists, stage.handles[2], 1) == HM_OK);
    stage.counts[2] = 1;
    progress = call(&stage, 0);
    CHECK(progress.done && progress.swaps > 0);
    check_packed(&stage.lists);
    finish(&stage.lists);
}

/* The other work of a call is limited too: many free blocks take several calls to join. */
TEST(lists_defragment, a_call_looks_at_a_limited_number_of_blocks)
{
    const uint32_t n = 5 * BLOCKS;
    hm_lists lists = make((hm_lists_desc){.capacity = n + 1});
    hm_handle first = HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle list = make_list(&lists, 0, 1);
        if (i == 0)
            first = list;
        CHECK(hm_handle_index(list) == hm_handle_index(first) + i);
    }
    hm_handle last = make_list(&lists, 7, 3);
    for (uint32_t i = 0; i < n; i++)
        CHECK(hm_lists_destroy(&lists, hm_handle_pack(hm_handle_index(first) + i, 1, LISTS_TYPE)));
    uint32_t calls = 0;
    for (hm_progress progress = {0}; !progress.done; calls++) {
        progress = hm_lists_defragment(&lists, BUDGET(1, HM_NO_LIMIT));
        CHECK(hm_lists_validate(&lists) == HM_OK && has_row(&lists, last, 7, 3));
    }
    CHECK(calls >= n / (BLOCKS + 4) + 1 && calls <= n / BLOCKS + 1);
    check_packed(&lists);
    finish(&lists);
}

/* Free blocks that are joined count, those in front of the next list too. */
TEST(lists_defragment, a_call_looks_at_fewer_blocks_after_it_has_joined_many)
{
    enum { GROUP = 3000 };
    static hm_handle freed[2 * GROUP];
    hm_lists lists = make((hm_lists_desc){.capacity = 2 * GROUP + 2});
    hm_handle kept[2];
    for (uint32_t i = 0; i < 2 * GROUP; i++) {
        freed[i] = make_list(&lists, 0, 1);
        if (i % GROUP == GROUP - 1)
            kept[i / GROUP] = make_list(&lists, 5, 2);
    }
    for (uint32_t i = 0; i < 2 * GROUP; i++)
        CHECK(hm_lists_destroy(&lists, freed[i]));
    hm_progress progress = hm_lists_defragment(&lists, BUDGET(2, HM_NO_LIMIT));
    CHECK(progress.swaps == 1 && !progress.done);
    progress = hm_lists_defragment(&lists, BUDGET(2, HM_NO_LIMIT));
    CHECK(progress.swaps == 1 && progress.done);
    CHECK(has_row(&lists, kept[0], 5, 2) && has_row(&lists, kept[1], 5, 2));
    check_packed(&lists);
    finish(&lists);
}

/* Pushes into, shortens or replaces a list. */
static void change(scene *on, uint64_t *random)
{
    uint32_t i = test_random_below(random, LISTS), how = test_random_below(random, 4);
    hm_handle list = on->handles[i];
    if (hm_handle_is_null(list)) {
        on->handles[i] = make_list(&on->lists, 1000 * (int)i, on->counts[i]);
    } else if (how == 0 && on->counts[i] > 0) {
        on->counts[i]--;
        CHECK(hm_lists_erase_at(&on->lists, list, on->counts[i]));
    } else if (how == 1) {
        on->counts[i] = test_random_below(random, on->counts[i] + 1);
        CHECK(hm_lists_resize(&on->lists, list, on->counts[i]) == HM_OK);
    } else if (how == 2) {
        CHECK(hm_lists_destroy(&on->lists, list));
        on->handles[i] = HM_NULL_HANDLE;
    } else if (on->counts[i] < 900) {
        uint32_t n = 1 + test_random_below(random, 30);
        push_row(&on->lists, list, 1000 * (int)i + (int)on->counts[i], n);
        on->counts[i] += n;
    }
}

TEST(lists_defragment, anything_may_change_between_two_calls)
{
    uint64_t random = test_seed("lists_defragment");
    for (uint32_t round = 0; round < test_scaled(40); round++) {
        start(&stage);
        for (uint32_t i = 0; i < 100; i++) {
            for (uint32_t n = test_random_below(&random, 10); n > 0; n--)
                change(&stage, &random);
            call(&stage, 1 + test_random_below(&random, 20));
        }
        CHECK(call(&stage, 0).done);
        check_packed(&stage.lists);
        finish(&stage.lists);
    }
}

TEST(lists_defragment, items_have_the_largest_alignment_that_their_size_allows)
{
    const size_t most = 16;
    for (size_t size = 8; size <= 48; size += 8) {
        size_t align = size & (~size + 1);
        if (align > most)
            align = most;
        hm_lists lists = make((hm_lists_desc){.item_size = size});
        hm_handle handles[4];
        for (int i = 0; i < 4; i++) {
            handles[i] = hm_lists_create(&lists);
            CHECK(hm_lists_push(&lists, handles[i], NULL) != NULL);
        }
        CHECK(hm_lists_defragment(&lists, NULL).done);
        for (int i = 0; i < 4; i++)
            CHECK((uintptr_t)hm_lists_items(&lists, handles[i], NULL) % align == 0);
        finish(&lists);
    }
}

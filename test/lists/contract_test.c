/* SPDX-License-Identifier: MIT */
/* What lists refuse: indices of any size; what a predicate sees; and how many items there may be.
 */
#include "support/lists.h"

#include "support/memory.h"

#include <string.h>

/* Checks the logarithm of the size of a unit, and that items are where they belong. */
static void check_unit(uint32_t item_size, uint32_t align, uint64_t max_items, uint32_t shift)
{
    hm_lists lists = make((hm_lists_desc){
        .item_size = item_size, .item_align = align, .capacity = 10, .max_items = max_items});
    CHECK(lists.blocks.unit_shift == shift);
    hm_handle list[] = {hm_lists_create(&lists), hm_lists_create(&lists)};
    for (uint32_t i = 0; i < 20; i++) {
        unsigned char *place = hm_lists_push(&lists, list[i % 2], NULL);
        CHECK(place != NULL && (uintptr_t)place % align == 0);
        memset(place, (int)i + 1, item_size);
    }
    CHECK(hm_lists_erase_at(&lists, list[0], 9));
    CHECK(hm_lists_defragment(&lists, NULL).done);
    for (uint32_t i = 0; i < 19; i++) {
        unsigned char *items = hm_lists_items(&lists, list[i % 2], NULL);
        CHECK(i == 18 || items[(size_t)item_size * (i / 2)] == i + 1);
    }
    CHECK(count_of(&lists, list[0]) == 9 && count_of(&lists, list[1]) == 10);
    finish(&lists);
}

TEST(lists_contract, units_are_as_small_as_max_items_allow)
{
    enum { UNITS = (1 << 30) - 1 };
    check_unit(1, 1, 1000, 3);
    check_unit(3, 1, 1000, 3);
    check_unit(24, 8, 1000, 3);
    check_unit(48, 16, 1000, 4);
    check_unit(4096, 4096, 100, 12);
    if (!test_has_addresses(UINT64_C(1) << 39, "lists of 2^30 units of 128 bytes"))
        return;
    static const struct {
        uint32_t size, align, shift;
        uint64_t max_items;
    } rows[] = {{8, 8, 3, UNITS},
                {8, 8, 4, UNITS + 1},
                {8, 8, 4, UINT64_C(2) * UNITS},
                {8, 8, 5, UINT64_C(2) * UNITS + 1},
                {1, 1, 3, UINT64_C(8) * UNITS},
                {3, 1, 5, UINT64_C(16) * UNITS / 3 + 1},
                {8, 8, 5, UINT64_C(4) * UNITS},
                {16, 16, 4, UNITS},
                {16, 16, 5, UINT64_C(2) * UNITS},
                {64, 64, 6, UNITS},
                {64, 64, 7, UINT64_C(2) * UNITS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_unit(rows[i].size, rows[i].align, rows[i].max_items, rows[i].shift);
}

TEST(lists_contract, where_addresses_are_scarce_the_default_of_max_items_is_4_for_each_list)
{
    hm_lists lists = make((hm_lists_desc){.capacity = 10, .memory = hm_memory_heap()});
    hm_handle list = hm_lists_create(&lists);
    CHECK(hm_lists_resize(&lists, list, 41) == HM_ERROR_FULL);
    CHECK(strstr(hm_last_error(), "' has 0 of 40 items: 41 more would exceed max_items") != NULL);
    CHECK(hm_lists_resize(&lists, list, 40) == HM_OK);
    finish(&lists);
}

TEST(lists_contract, the_default_of_max_items_is_valid_for_large_items)
{
    if (!test_has_addresses(UINT64_C(1) << 37, "lists of 2^31 units"))
        return;
    hm_lists lists;
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 1 << 20, .capacity = 1048576}) ==
          HM_OK);
    hm_handle list = hm_lists_create(&lists);
    CHECK(hm_lists_push(&lists, list, NULL) != NULL);
    CHECK(hm_lists_resize(&lists, list, 1 << 15) == HM_ERROR_FULL);
    finish(&lists);
}

/* More would reach the mark of exact blocks. */
TEST(lists_contract, a_list_has_less_than_2_to_the_31_items)
{
    if (!test_has_addresses(UINT64_C(1) << 35, "lists of 2^32 items"))
        return;
    hm_lists lists =
        make((hm_lists_desc){.item_size = 1, .capacity = 10, .max_items = UINT64_C(1) << 32});
    const uint32_t most = (UINT32_C(1) << 31) - 1;
    hm_handle list = hm_lists_create(&lists);
    CHECK(hm_lists_resize(&lists, list, most + 1) == HM_ERROR_FULL);
    CHECK(strcmp(hm_last_error(), "a list of 'lists' has at most 2147483647 items") == 0);
    CHECK(hm_lists_push_n(&lists, list, NULL, UINT32_MAX) == HM_ERROR_FULL);
    CHECK(hm_lists_push(&lists, list, NULL) != NULL);
    CHECK(hm_lists_push_n(&lists, list, NULL, most) == HM_ERROR_FULL);
    CHECK(count_of(&lists, list) == 1 && hm_lists_validate(&lists) == HM_OK);
    /* As if its block had more units than so many items need: */
    hm_lists_block *block = hm_lists_block_at(&lists.blocks, lists.blocks.records[0].unit);
    const uint32_t end = lists.blocks.end;
    const size_t limit = lists.blocks.unit_array.limit;
    block->size = UINT32_C(1) << 29;
    lists.blocks.end = block->size + 1;
    lists.blocks.unit_array.limit = lists.blocks.end + HM_LISTS_CLASSES;
    CHECK(hm_lists_validate(&lists) == HM_ERROR_CORRUPT);
    lists.blocks.records[0].capacity = most;
    CHECK(hm_lists_validate(&lists) == HM_OK);
    /* and it had them all */
    lists.blocks.records[0].count = most;
    CHECK(hm_lists_push(&lists, list, NULL) == NULL && lists.blocks.records[0].count == most);
    CHECK(strcmp(hm_last_error(), "a list of 'lists' has at most 2147483647 items") == 0);
    CHECK(hm_lists_insert_at(&lists, list, 0, NULL) == NULL &&
          lists.blocks.records[0].count == most);
    block->size = 2;
    lists.blocks.end = end;
    lists.blocks.unit_array.limit = limit;
    lists.blocks.records[0].count = 1;
    lists.blocks.records[0].capacity = 8;
    finish(&lists);
}

TEST(lists_contract, a_push_to_no_list_says_so)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle gone = make_list(&lists, 0, 10);
    CHECK(hm_lists_destroy(&lists, gone) && hm_lists_push(&lists, gone, NULL) == NULL);
    CHECK(strstr(hm_last_error(), " names no list of 'lists': HM_HANDLE_STALE") != NULL);
    finish(&lists);
}

TEST(lists_contract, an_index_of_any_size_is_refused)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 10);
    for (uint32_t exact = 0; exact < 2; exact++) {
        for (uint32_t bit = 4; bit < 32; bit++) {
            CHECK(!hm_lists_erase_at(&lists, list, UINT32_C(1) << bit));
            CHECK(!hm_lists_erase_ordered_at(&lists, list, UINT32_C(1) << bit | 3));
            CHECK(hm_lists_insert_at(&lists, list, UINT32_C(1) << bit, NULL) == NULL);
        }
        CHECK(!hm_lists_erase_at(&lists, list, UINT32_MAX));
        CHECK(!hm_lists_erase_ordered_at(&lists, list, UINT32_MAX));
        CHECK(hm_lists_insert_at(&lists, list, UINT32_MAX, NULL) == NULL);
        CHECK(hm_lists_defragment(&lists, NULL).done);
    }
    CHECK(has_row(&lists, list, 0, 10));
    finish(&lists);
}

/* callbacks */

typedef struct caller {
    hm_lists *lists;
    hm_handle list, other;
    uint32_t calls;
} caller;

static bool look(const void *item, void *context)
{
    caller *from = context;
    hm_lists_view view = {0};
    CHECK((const int *)items_of(from->lists, from->list) + from->calls == item);
    CHECK(has_row(from->lists, from->list, 0, 10) && has_row(from->lists, from->other, 50, 10));
    CHECK(hm_lists_next(from->lists, &view) && view.count == 10);
    from->calls++;
    return false;
}

TEST(lists_contract, the_predicate_of_erase_if_sees_the_list_whole)
{
    hm_lists lists = make((hm_lists_desc){0});
    caller from = {&lists, make_list(&lists, 0, 10), make_list(&lists, 50, 10), 0};
    CHECK(hm_lists_erase_if(&lists, from.list, look, &from) == 0 && from.calls == 10);
    finish(&lists);
}

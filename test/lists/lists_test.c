/* SPDX-License-Identifier: MIT */
/* What each function of lists does. */
#include "support/lists.h"

#include <string.h>

/* lists */

TEST(lists, a_new_list_is_empty)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = hm_lists_create(&lists);
    CHECK(hm_lists_contains(&lists, list) && hm_handle_type_id(list) == LISTS_TYPE);
    CHECK(hm_lists_items(&lists, list, NULL) == NULL && count_of(&lists, list) == 0);
    CHECK(hm_lists_count(&lists) == 1 && hm_lists_item_count(&lists) == 0);
    finish(&lists);
}

TEST(lists, a_destroyed_list_is_refused_and_its_slot_has_an_empty_list_next)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle first = make_list(&lists, 0, 10), other = make_list(&lists, 50, 3);
    CHECK(hm_lists_destroy(&lists, first) && !hm_lists_destroy(&lists, first));
    CHECK(!hm_lists_contains(&lists, first) && count_of(&lists, first) == 0);
    CHECK(hm_lists_explain(&lists, first) == HM_HANDLE_STALE);
    CHECK(hm_lists_item_count(&lists) == 3);
    hm_handle next = hm_lists_create(&lists);
    CHECK(hm_handle_index(next) == hm_handle_index(first) && !hm_handle_equal(next, first));
    CHECK(count_of(&lists, next) == 0 && has_row(&lists, other, 50, 3));
    CHECK(hm_lists_push(&lists, first, NULL) == NULL);
    finish(&lists);
}

typedef struct log {
    int items[32];
    uint32_t count;
} log;

static void note(void *item, void *context)
{
    log *to = context;
    memcpy(&to->items[to->count++], item, sizeof(int));
}

/* Whether these items were destroyed since the last time, in this order. */
static bool were_destroyed(log *from, const int *items, uint32_t count)
{
    bool equal = from->count == count && memcmp(from->items, items, count * sizeof *items) == 0;
    from->count = 0;
    return equal;
}

static bool is_even(const void *item, void *context)
{
    int value;
    (void)context;
    memcpy(&value, item, sizeof value);
    return value % 2 == 0;
}

TEST(lists, destroy_is_told_of_each_item_that_ends_and_of_the_last_first)
{
    log ended = {.count = 0};
    const hm_lists_desc desc = {.item_size = sizeof(int), .destroy = note, .context = &ended};
    hm_lists lists;
    CHECK(hm_lists_init(&lists, &desc) == HM_OK);
    hm_handle list = hm_lists_create(&lists), other = hm_lists_create(&lists);
    const int items[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(hm_lists_push_n(&lists, list, items, 10) == HM_OK);
    CHECK(hm_lists_push_n(&lists, other, items, 2) == HM_OK);
    CHECK(hm_lists_erase_at(&lists, list, 2) && were_destroyed(&ended, (int[]){2}, 1));
    CHECK(hm_lists_erase_ordered_at(&lists, list, 0) && were_destroyed(&ended, (int[]){0}, 1));
    CHECK(hm_lists_erase_if(&lists, list, is_even, NULL) == 3); /* of 1 9 3 4 5 6 7 8 */
    CHECK(were_destroyed(&ended, (int[]){8, 4, 6}, 3));
    CHECK(hm_lists_defragment(&lists, NULL).done); /* The blocks are exact. */
    CHECK(hm_lists_resize(&lists, list, 3) == HM_OK && were_destroyed(&ended, (int[]){7, 5}, 2));
    CHECK(!hm_lists_erase_at(&lists, list, 3) && hm_lists_resize(&lists, list, 3) == HM_OK);
    CHECK(ended.count == 0 && hm_lists_validate(&lists) == HM_OK);
    CHECK(hm_lists_destroy(&lists, list) && were_destroyed(&ended, (int[]){3, 9, 1}, 3));
    list = hm_lists_create(&lists);
    CHECK(hm_lists_push_n(&lists, list, items + 5, 2) == HM_OK);
    hm_lists_clear(&lists);
    CHECK(were_destroyed(&ended, (int[]){6, 5, 1, 0}, 4));
    list = hm_lists_create(&lists);
    CHECK(hm_lists_push_n(&lists, list, items, 3) == HM_OK);
    CHECK(hm_lists_resize(&lists, list, 0) == HM_OK && were_destroyed(&ended, (int[]){2, 1, 0}, 3));
    CHECK(hm_lists_push_n(&lists, list, items, 1) == HM_OK);
    hm_lists_fini(&lists);
    CHECK(were_destroyed(&ended, items, 1));
}

TEST(lists, clear_destroys_every_list)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle full = make_list(&lists, 0, 10), empty = hm_lists_create(&lists);
    hm_lists_clear(&lists);
    CHECK(!hm_lists_contains(&lists, full) && !hm_lists_contains(&lists, empty));
    CHECK(hm_lists_count(&lists) == 0 && hm_lists_item_count(&lists) == 0);
    hm_lists_view view = {0};
    CHECK(!hm_lists_next(&lists, &view));
    CHECK(hm_lists_validate(&lists) == HM_OK);
    hm_handle again = hm_lists_create(&lists), next = hm_lists_create(&lists);
    CHECK(count_of(&lists, again) == 0 && count_of(&lists, next) == 0);
    push_row(&lists, again, 3, 5);
    CHECK(has_row(&lists, again, 3, 5));
    CHECK(hm_lists_push(&lists, full, NULL) == NULL && hm_lists_push(&lists, empty, NULL) == NULL);
    CHECK(!hm_lists_erase_at(&lists, full, 0) && hm_lists_items(&lists, full, NULL) == NULL);
    finish(&lists);
}

TEST(lists, handle_at_names_each_list_once)
{
    hm_lists lists = make((hm_lists_desc){0});
    bool seen[20] = {false};
    for (uint32_t i = 0; i < 20; i++)
        make_list(&lists, 0, i % 3);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t slot = hm_handle_index(hm_lists_handle_at(&lists, i));
        CHECK(slot < 20 && !seen[slot]);
        seen[slot] = true;
    }
    CHECK(hm_handle_is_null(hm_lists_handle_at(&lists, 20)));
    finish(&lists);
}

TEST(lists, upcoming_tells_the_handles_of_the_next_creates)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle first = hm_lists_create(&lists), coming[3];
    CHECK(hm_lists_destroy(&lists, first));
    CHECK(hm_lists_reserve(&lists, 3) == HM_OK);
    for (uint32_t k = 0; k < 3; k++)
        coming[k] = hm_lists_upcoming(&lists, k);
    for (uint32_t k = 0; k < 3; k++)
        CHECK(hm_handle_equal(hm_lists_create(&lists), coming[k]));
    finish(&lists);
}

TEST(lists, a_slot_that_is_spent_is_retired_and_not_upcoming)
{
    hm_lists lists = make((hm_lists_desc){.capacity = 2, .max_slots = 3});
    hm_handle list = HM_NULL_HANDLE;
    for (uint32_t life = 0; life < HM_HANDLE_MAX_GENERATION; life++) {
        list = hm_lists_create(&lists);
        CHECK(hm_handle_index(list) == 0 && hm_lists_destroy(&lists, list));
    }
    CHECK(hm_lists_reserve(&lists, 2) == HM_OK);
    CHECK(hm_lists_get_stats(&lists).retired_slots == 1);
    CHECK(hm_lists_explain(&lists, list) == HM_HANDLE_RETIRED);
    hm_handle next = hm_lists_upcoming(&lists, 0);
    CHECK(hm_handle_index(next) != 0 && hm_handle_equal(hm_lists_create(&lists), next));
    finish(&lists);
}

TEST(lists, there_are_no_more_lists_than_the_capacity)
{
    hm_lists lists = make((hm_lists_desc){.capacity = 3});
    for (int i = 0; i < 3; i++)
        make_list(&lists, i, 1);
    CHECK(hm_handle_is_null(hm_lists_create(&lists)));
    CHECK(strcmp(lists.name, "lists") == 0);
    CHECK(hm_lists_reserve(&lists, 1) == HM_ERROR_FULL && hm_lists_reserve(&lists, 0) == HM_OK);
    CHECK(hm_lists_capacity(&lists) == 3 && hm_lists_count(&lists) == 3);
    finish(&lists);
}

/* items */

TEST(lists, push_adds_behind_the_others)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = hm_lists_create(&lists);
    for (uint32_t i = 0; i < 1000; i++) {
        push(&lists, list, (int)i);
        CHECK(has_row(&lists, list, 0, i + 1) && hm_lists_item_count(&lists) == i + 1);
    }
    finish(&lists);
}

TEST(lists, items_that_are_not_given_are_zero)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 1, 9);
    CHECK(hm_lists_resize(&lists, list, 1) == HM_OK);
    const int *place = hm_lists_push(&lists, list, NULL);
    CHECK(place != NULL && *place == 0);
    CHECK(hm_lists_push_n(&lists, list, NULL, 2) == HM_OK);
    CHECK(hm_lists_insert_at(&lists, list, 1, NULL) != NULL);
    CHECK(hm_lists_resize(&lists, list, 7) == HM_OK);
    const int wanted[] = {1, 0, 0, 0, 0, 0, 0};
    check_items(&lists, list, wanted, 7);
    finish(&lists);
}

TEST(lists, push_n_adds_all_items_or_none)
{
    hm_lists lists = make((hm_lists_desc){.max_items = 10});
    hm_handle list = make_list(&lists, 0, 4);
    const int more[] = {4, 5, 6, 7, 8};
    CHECK(hm_lists_push_n(&lists, list, more, 5) == HM_OK && has_row(&lists, list, 0, 9));
    CHECK(hm_lists_push_n(&lists, list, more, 2) == HM_ERROR_FULL);
    CHECK(hm_lists_push_n(&lists, list, NULL, 0) == HM_OK && has_row(&lists, list, 0, 9));
    push(&lists, list, 9);
    CHECK(hm_lists_push(&lists, list, more) == NULL && has_row(&lists, list, 0, 10));
    CHECK(strcmp(hm_last_error(), "10 of 10 items: 1 more would exceed max_items") == 0);
    finish(&lists);
}

TEST(lists, insert_at_moves_the_items_behind_it_up)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = hm_lists_create(&lists);
    const int values[] = {0, 1, 2, 3};
    const int *place = hm_lists_insert_at(&lists, list, 0, &values[2]);
    CHECK(place != NULL && place == items_of(&lists, list));
    place = hm_lists_insert_at(&lists, list, 1, &values[3]);
    CHECK(place == items_of(&lists, list) + 1);
    place = hm_lists_insert_at(&lists, list, 0, &values[0]);
    CHECK(place == items_of(&lists, list));
    place = hm_lists_insert_at(&lists, list, 1, &values[1]);
    CHECK(place == items_of(&lists, list) + 1);
    CHECK(has_row(&lists, list, 0, 4));
    CHECK(hm_lists_insert_at(&lists, list, 5, &values[0]) == NULL);
    CHECK(strcmp(hm_last_error(), "index 5 is above the count 4") == 0);
    CHECK(has_row(&lists, list, 0, 4));
    finish(&lists);
}

TEST(lists, resize_drops_the_last_items)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 100);
    CHECK(hm_lists_resize(&lists, list, 7) == HM_OK && has_row(&lists, list, 0, 7));
    CHECK(hm_lists_resize(&lists, list, 7) == HM_OK && has_row(&lists, list, 0, 7));
    CHECK(hm_lists_resize(&lists, list, 0) == HM_OK && count_of(&lists, list) == 0);
    CHECK(hm_lists_contains(&lists, list) && hm_lists_item_count(&lists) == 0);
    finish(&lists);
}

TEST(lists, the_last_item_fills_the_place_of_an_erased_one)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 4);
    CHECK(hm_lists_erase_at(&lists, list, 1));
    check_items(&lists, list, (const int[]){0, 3, 2}, 3);
    CHECK(!hm_lists_erase_at(&lists, list, 3) && hm_lists_erase_at(&lists, list, 2));
    check_items(&lists, list, (const int[]){0, 3}, 2);
    CHECK(hm_lists_erase_at(&lists, list, 0) && hm_lists_erase_at(&lists, list, 0));
    CHECK(count_of(&lists, list) == 0 && !hm_lists_erase_at(&lists, list, 0));
    finish(&lists);
}

TEST(lists, erase_ordered_at_keeps_the_order)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 5);
    CHECK(hm_lists_erase_ordered_at(&lists, list, 1));
    check_items(&lists, list, (const int[]){0, 2, 3, 4}, 4);
    CHECK(hm_lists_erase_ordered_at(&lists, list, 3) &&
          !hm_lists_erase_ordered_at(&lists, list, 3));
    CHECK(hm_lists_erase_ordered_at(&lists, list, 0));
    check_items(&lists, list, (const int[]){2, 3}, 2);
    CHECK(hm_lists_erase_ordered_at(&lists, list, 0) && hm_lists_erase_ordered_at(&lists, list, 0));
    CHECK(count_of(&lists, list) == 0 && !hm_lists_erase_ordered_at(&lists, list, 0));
    finish(&lists);
}

/* Is asked of the items 0, 1, 2, ... in this order. */
static bool is_odd(const void *item, void *context)
{
    int *asked = context;
    CHECK(*(const int *)item == (*asked)++);
    return *(const int *)item % 2 != 0;
}

static bool is_any(const void *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

TEST(lists, erase_if_asks_of_each_item_once_and_keeps_the_order)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 9), other = make_list(&lists, 20, 5);
    int asked = 0;
    CHECK(hm_lists_erase_if(&lists, list, is_odd, &asked) == 4 && asked == 9);
    check_items(&lists, list, (const int[]){0, 2, 4, 6, 8}, 5);
    CHECK(hm_lists_item_count(&lists) == 10 && has_row(&lists, other, 20, 5));
    CHECK(hm_lists_erase_if(&lists, list, is_any, NULL) == 5 && count_of(&lists, list) == 0);
    CHECK(hm_lists_erase_if(&lists, list, is_any, NULL) == 0);
    finish(&lists);
}

/* memory */

TEST(lists, a_list_that_grows_moves_no_other)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list[5];
    const int *places[5];
    for (int i = 0; i < 5; i++)
        list[i] = make_list(&lists, 100 * i, 3);
    for (int i = 0; i < 5; i++)
        places[i] = items_of(&lists, list[i]);
    push_row(&lists, list[2], 203, 500);
    for (int i = 0; i < 5; i++) {
        CHECK(has_row(&lists, list[i], 100 * i, i == 2 ? 503 : 3));
        CHECK((items_of(&lists, list[i]) == places[i]) == (i != 2));
    }
    finish(&lists);
}

/* Whether with a hook, which sees the items end one by one, and whether the block is exact. */
TEST(lists, a_freed_block_is_used_again)
{
    enum { N = 14 /* exactly fit into a block whose size is a power of two */ };
    for (int i = 0; i < 4; i++) {
        log ended = {.count = 0};
        hm_lists lists =
            make((hm_lists_desc){.destroy = i % 2 != 0 ? note : NULL, .context = &ended});
        hm_handle first = make_list(&lists, 0, N), second = make_list(&lists, 50, N);
        CHECK(i < 2 || hm_lists_defragment(&lists, NULL).done);
        const int *place = items_of(&lists, first);
        CHECK(hm_lists_destroy(&lists, first) && ended.count == (i % 2 != 0 ? N : 0));
        hm_handle third = hm_lists_create(&lists);
        const int more[N] = {0};
        CHECK(hm_lists_push_n(&lists, third, more, N) == HM_OK);
        CHECK(items_of(&lists, third) == place && has_row(&lists, second, 50, N));
        ended.count = 0;
        finish(&lists);
    }
}

/* There is no new memory left for the last list, but a larger block, which is divided. */
TEST(lists, a_larger_block_is_divided_when_there_is_no_new_memory)
{
    hm_lists lists = make((hm_lists_desc){.item_size = 16, .capacity = 20, .max_items = 100});
    hm_handle large = hm_lists_create(&lists), small;
    CHECK(hm_lists_push_n(&lists, large, NULL, 62) == HM_OK);
    const char *place = hm_lists_items(&lists, large, NULL);
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 1) == HM_OK);
    CHECK(hm_lists_destroy(&lists, large));
    for (;;) { /* Uses up the range. */
        const char *items;
        small = hm_lists_create(&lists);
        CHECK(hm_lists_push_n(&lists, small, NULL, 30) == HM_OK);
        CHECK(hm_lists_validate(&lists) == HM_OK);
        items = hm_lists_items(&lists, small, NULL);
        if (items == place)
            break;
        CHECK(items > place);
        CHECK(hm_lists_resize(&lists, small, 1) == HM_OK);
    }
    finish(&lists);
}

TEST(lists, next_visits_each_list_with_items_once_in_the_order_of_memory)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list[30];
    for (uint32_t i = 0; i < 30; i++)
        list[i] = make_list(&lists, (int)(100 * i), i % 4);
    for (uint32_t i = 0; i < 30; i += 5)
        CHECK(hm_lists_destroy(&lists, list[i]));
    for (int round = 0; round < 2; round++) { /* The view that ended begins again. */
        hm_lists_view view = {0};
        const void *last = NULL;
        uint32_t visited = 0;
        while (hm_lists_next(&lists, &view)) {
            uint32_t i = hm_handle_index(view.list);
            CHECK(hm_handle_equal(view.list, list[i]) && i % 5 != 0 && i % 4 != 0);
            CHECK(view.items == items_of(&lists, list[i]) && view.count == i % 4);
            CHECK(last == NULL || (const char *)view.items > (const char *)last);
            last = view.items;
            visited++;
        }
        CHECK(visited == 18 && view.items == NULL && view.count == 0);
        hm_lists_defragment(&lists, NULL); /* For the second round. */
    }
    finish(&lists);
}

TEST(lists, items_of_every_size_and_alignment_are_kept)
{
    static const size_t sizes[] = {1, 3, 8, 16, 17, 24, 64, 200, 4096, 8192};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t align = 1; align <= 4096 && sizes[s] % align == 0; align *= 2) {
            unsigned char item[8192];
            hm_lists lists = make((hm_lists_desc){
                .item_size = sizes[s], .item_align = align, .capacity = 4, .max_items = 100});
            hm_handle list[2] = {hm_lists_create(&lists), hm_lists_create(&lists)};
            for (int i = 0; i < 40; i++) {
                memset(item, i, sizes[s]);
                const unsigned char *place = hm_lists_push(&lists, list[i % 2], item);
                CHECK(place != NULL && (uintptr_t)place % align == 0);
            }
            for (int i = 0; i < 40; i++) {
                const unsigned char *items = hm_lists_items(&lists, list[i % 2], NULL);
                memset(item, i, sizes[s]);
                CHECK(memcmp(items + sizes[s] * (size_t)(i / 2), item, sizes[s]) == 0);
            }
            finish(&lists);
        }
}

TEST(lists, trim_gives_back_what_is_behind_the_last_list)
{
    hm_lists lists = make((hm_lists_desc){.max_items = 1000000});
    hm_handle small = make_list(&lists, 0, 10), large = make_list(&lists, 0, 100000);
    size_t before = hm_lists_get_stats(&lists).committed_size;
    CHECK(hm_lists_destroy(&lists, large));
    CHECK(hm_lists_defragment(&lists, NULL).done);
    CHECK(hm_lists_trim(&lists) == HM_OK && has_row(&lists, small, 0, 10));
    CHECK(hm_lists_get_stats(&lists).committed_size < before - 400000);
    hm_lists_clear(&lists);
    CHECK(hm_lists_trim(&lists) == HM_OK);
    CHECK(hm_lists_get_stats(&lists).committed_size <= hm_memory_os()->page_size); /* floors */
    small = make_list(&lists, 3, 1000);
    CHECK(has_row(&lists, small, 3, 1000));
    finish(&lists);
}

TEST(lists, get_stats_counts_lists_and_slots)
{
    hm_lists lists = make((hm_lists_desc){.capacity = 10, .max_slots = 20});
    hm_handle first = make_list(&lists, 0, 10);
    make_list(&lists, 0, 0);
    CHECK(hm_lists_destroy(&lists, first));
    hm_lists_stats stats = hm_lists_get_stats(&lists);
    CHECK(stats.count == 1 && stats.capacity == 10 && stats.max_slots == 20);
    CHECK(stats.slots == 2 && stats.free_slots == 1 && stats.retired_slots == 0);
    CHECK(stats.committed_size > 0 && stats.committed_size <= stats.reserved_size);
    finish(&lists);
}

TEST(lists, lists_may_be_moved)
{
    hm_lists before = make((hm_lists_desc){0}), lists;
    hm_handle list = make_list(&before, 0, 20);
    lists = before;
    memset(&before, 0x5A, sizeof before);
    push_row(&lists, list, 20, 20);
    CHECK(has_row(&lists, list, 0, 40));
    finish(&lists);
}

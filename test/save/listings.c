/* SPDX-License-Identifier: MIT */
/* The row of lists. */
#include "saves.h"

enum { TYPE_OF_LISTS = 81, BURST = 60, LONG = 40 /* pushes at a time */ };

static const hm_lists_desc shapes[] = {
    {.item_size = 4},
    {.item_size = 24, .max_slots = 700},
    {.item_size = 1, .capacity = 40, .max_slots = 40, .max_items = 600},
    {.item_size = 8, .capacity = 700, .max_slots = 1300, .max_items = 20000},
    {.item_size = 40, .max_slots = 3000, .max_items = 3000},
    {.item_size = 3, .capacity = 300, .max_slots = 4000, .max_items = 9000},
    {.item_size = 16, .capacity = 5, .max_slots = 5000, .max_items = 50},
};

static hm_handle pick(const hm_lists *lists, uint64_t *random)
{
    return hm_lists_handle_at(lists, test_random_below(random, hm_lists_count(lists) + 1));
}

static void push(hm_lists *lists, hm_handle list, uint64_t *random)
{
    unsigned char item[64];
    saved_fill(item, lists->blocks.item_size, random);
    (void)hm_lists_push(lists, list, item);
}

/* Changes the items of a list that there may be. */
static void change(hm_lists *lists, uint64_t *random)
{
    hm_handle list = pick(lists, random);
    uint32_t choice = test_random_below(random, 10);
    if (choice < 2)
        (void)hm_lists_erase_at(lists, list, test_random_below(random, 5));
    else if (choice < 3)
        (void)hm_lists_resize(lists, list, test_random_below(random, 3));
    else if (choice < 4)
        for (uint32_t n = test_random_below(random, LONG); n > 0; n--)
            push(lists, list, random);
    else
        push(lists, list, random);
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_lists *lists = &made->lists;
    hm_frame_budget budget = test_budget_of(1 + test_random_below(random, 50), 0);
    if (choice < 30)
        saved_age(&lists->ids, random);
    else if (choice < 50)
        (void)hm_lists_defragment(lists, &budget);
    else if (choice < 80)
        (void)hm_lists_adopt(lists,
                             saved_adoptee(lists->ids.slot_count, lists->ids.type_id, random));
    else if (choice < 150)
        (void)hm_lists_destroy(lists, pick(lists, random));
    else if (choice < 160)
        for (uint32_t n = test_random_below(random, hm_lists_count(lists) + 1); n > 0; n--)
            CHECK(hm_lists_destroy(lists, hm_lists_handle_at(lists, hm_lists_count(lists) - 1)));
    else if (choice < 180)
        return test_random_below(random, BURST);
    else if (choice < 350)
        return 1;
    else
        change(lists, random);
    return 0;
}

static void compare(const saved *a, const saved *b)
{
    const hm_lists *lists = &a->lists, *other = &b->lists;
    saved_compare_ids(&lists->ids, &other->ids);
    CHECK(hm_lists_item_count(lists) == hm_lists_item_count(other));
    for (uint32_t i = 0; i < hm_lists_count(lists); i++) {
        hm_handle list = hm_lists_handle_at(lists, i);
        uint32_t count, same;
        const void *items = hm_lists_items(lists, list, &count);
        const void *others = hm_lists_items(other, list, &same);
        CHECK(count == same);
        CHECK(count == 0 || memcmp(items, others, lists->blocks.item_size * count) == 0);
    }
}

/* Pushes depend on where blocks lie, when there is little space left: so only handles go on alike.
 */
static saved_answer add(saved *made, uint64_t *random)
{
    (void)random;
    return saved_issued(hm_lists_create(&made->lists));
}

SAVED_DESC(lists, TYPE_OF_LISTS)
SAVED_KIND(lists)

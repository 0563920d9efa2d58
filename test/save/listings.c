/* SPDX-License-Identifier: MIT */
/* The row of lists. */
#include "saves.h"

enum { TYPE_OF_LISTS = 81, BURST = 60, LONG = 40 /* pushes at a time */ };

static const struct {
    uint32_t capacity, max_slots, max_items;
    size_t item_size;
} shapes[] = {
    {0, 0, 0, 4},        {0, 700, 0, 24},      {40, 40, 600, 1},  {700, 1300, 20000, 8},
    {0, 3000, 3000, 40}, {300, 4000, 9000, 3}, {5, 5000, 50, 16},
};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    hm_lists_desc desc = {.item_size = shapes[shape].item_size,
                          .capacity = shapes[shape].capacity,
                          .max_slots = shapes[shape].max_slots,
                          .max_items = shapes[shape].max_items,
                          .type_id = TYPE_OF_LISTS,
                          .memory = memory,
                          .name = "things"};
    CHECK(hm_lists_init(&made->lists, &desc) == HM_OK);
}

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

static void run(saved *made, uint64_t *random)
{
    hm_lists *lists = &made->lists;
    uint32_t choice = test_random_below(random, 1000);
    hm_budget budget = {.max_swaps = 1 + test_random_below(random, 50)};
    if (choice < 3)
        hm_lists_clear(lists);
    else if (choice < 10)
        CHECK(hm_lists_trim(lists) == HM_OK);
    else if (choice < 30)
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
        for (uint32_t n = test_random_below(random, BURST); n > 0; n--)
            (void)hm_lists_create(lists);
    else if (choice < 350)
        (void)hm_lists_create(lists);
    else
        change(lists, random);
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
static bool go_on(saved *a, saved *b, uint64_t *random)
{
    hm_handle list = hm_lists_create(&a->lists), other = hm_lists_create(&b->lists);
    (void)random;
    CHECK(list.bits == other.bits);
    return !hm_handle_is_null(list);
}

SAVED_KIND(lists)

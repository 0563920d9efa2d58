/* SPDX-License-Identifier: MIT */
/* What the unit tests of lists share: lists of int, and their handles. */
#ifndef TEST_SUPPORT_LISTS_H
#define TEST_SUPPORT_LISTS_H

#include "test.h"

#include <handle_map/lists.h>

enum { LISTS_TYPE = 6 };

static inline hm_lists make(hm_lists_desc desc)
{
    hm_lists lists;
    if (desc.item_size == 0)
        desc.item_size = sizeof(int);
    if (desc.capacity == 0)
        desc.capacity = 1000;
    if (desc.max_slots == 0) /* Reserved address space costs time in emulators. */
        desc.max_slots = 4 * desc.capacity;
    desc.type_id = LISTS_TYPE;
    CHECK(hm_lists_init(&lists, &desc) == HM_OK);
    return lists;
}

static inline void push(hm_lists *lists, hm_handle list, int item)
{
    const int *place = hm_lists_push(lists, list, &item);
    CHECK(place != NULL && *place == item);
}

/* Pushes n items: first, first + 1, ... */
static inline void push_row(hm_lists *lists, hm_handle list, int first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        push(lists, list, first + (int)i);
}

static inline hm_handle make_list(hm_lists *lists, int first, uint32_t n)
{
    hm_handle list = hm_lists_create(lists);
    CHECK(!hm_handle_is_null(list));
    push_row(lists, list, first, n);
    return list;
}

static inline int *items_of(const hm_lists *lists, hm_handle list)
{
    return hm_lists_items(lists, list, NULL);
}

static inline uint32_t count_of(const hm_lists *lists, hm_handle list)
{
    uint32_t count = UINT32_MAX;
    const void *items = hm_lists_items(lists, list, &count);
    CHECK((items == NULL) == (count == 0));
    return count;
}

static inline void check_items(const hm_lists *lists, hm_handle list, const int *wanted, uint32_t n)
{
    const int *items = items_of(lists, list);
    CHECK(hm_lists_contains(lists, list) && count_of(lists, list) == n);
    for (uint32_t i = 0; i < n; i++)
        CHECK(items[i] == wanted[i]);
}

/* Whether the list has the n items of push_row, and no others. */
static inline bool has_row(const hm_lists *lists, hm_handle list, int first, uint32_t n)
{
    const int *items = items_of(lists, list);
    if (count_of(lists, list) != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (items[i] != first + (int)i)
            return false;
    return true;
}

TEST_FINISH(lists)

#endif

/* SPDX-License-Identifier: MIT */
/* The naive model of lists: which are live, with which items, and how that must be visible from
 * outside. What the handles of lists that are gone are explained as is searched in the spaces of
 * the map, whose id table is the same. */
#include "lists_space.h"

#include "lists_internal.h"

#include <string.h>

/* model */

hm_handle lists_handle(const lists_row *row)
{
    return space_name(row->slot, row->generation, SPACE_TYPE_ID, false);
}

uint32_t lists_position(hm_handle handle)
{
    for (uint32_t i = 0; i < many.model.count; i++)
        if (lists_handle(&many.model.dense[i]).bits == handle.bits)
            return i;
    return HM_INVALID_INDEX;
}

uint32_t lists_room(void)
{
    uint32_t slots = many.config->max_slots, lists = many.config->capacity - many.model.count;
    uint32_t live = 0;
    for (uint32_t i = 0; i < many.model.count; i++)
        live |= 1u << many.model.dense[i].slot;
    for (uint32_t slot = 0; slot < many.config->max_slots; slot++)
        slots -= (live >> slot & 1) != 0 || many.model.highest[slot] == SPACE_LIVES;
    return lists < slots ? lists : slots;
}

uint32_t lists_longest_run(void)
{
    const hm_lists *lists = &many.lists;
    uint32_t run = 0, longest = 0;
    for (uint32_t unit = 1, end; unit < lists->end; unit = end) {
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        end = hm_lists_end_of(lists, unit);
        bool is_free = hm_lists_is_free(block) || lists->records[block->slot].count == 0;
        run = is_free ? run + end - unit : 0;
        longest = run > longest ? run : longest;
    }
    run += many.config->units - lists->end;
    return run > longest ? run : longest;
}

/* items: key, slot, generation, and a pattern */

void lists_fill(unsigned char *item, const lists_row *row, uint32_t key)
{
    for (size_t i = 0; i < many.config->item_size; i++)
        item[i] = (unsigned char)(0x50 + i);
    item[0] = (unsigned char)key;
    item[1] = row->slot;
    item[2] = row->generation;
}

/* what a state shows */

static void check_row(const lists_row *row)
{
    uint32_t count = UINT32_MAX;
    const unsigned char *items = hm_lists_items(&many.lists, lists_handle(row), &count);
    CHECK(count == row->count && (items == NULL) == (count == 0));
    for (uint32_t i = 0; i < count; i++) {
        unsigned char expected[LISTS_ITEM];
        lists_fill(expected, row, row->keys[i]);
        CHECK(memcmp(items + many.config->item_size * i, expected, many.config->item_size) == 0);
    }
}

static bool is_never_asked(const void *item, void *context)
{
    (void)item;
    (void)context;
    CHECK(false);
    return true;
}

/* A handle that names no list: every call refuses it. */
static void check_stranger(hm_handle handle)
{
    static const unsigned char item[LISTS_ITEM];
    uint32_t count = UINT32_MAX;
    CHECK(!hm_lists_contains(&many.lists, handle) && !hm_lists_destroy(&many.lists, handle));
    CHECK(hm_lists_explain(&many.lists, handle) != HM_HANDLE_LIVE);
    CHECK(hm_lists_items(&many.lists, handle, &count) == NULL && count == 0);
    CHECK(hm_lists_push(&many.lists, handle, item) == NULL);
    CHECK(hm_lists_push_n(&many.lists, handle, item, 1) == HM_ERROR_STALE);
    CHECK(hm_lists_insert_at(&many.lists, handle, 0, item) == NULL);
    CHECK(hm_lists_resize(&many.lists, handle, 0) == HM_ERROR_STALE);
    CHECK(!hm_lists_erase_at(&many.lists, handle, 0) &&
          !hm_lists_erase_ordered_at(&many.lists, handle, 0));
    CHECK(hm_lists_erase_if(&many.lists, handle, is_never_asked, NULL) == 0);
}

static void check_handles(void)
{
    for (uint32_t n = 0; n < space_handle_values(many.config); n++) {
        hm_handle handle = space_handle_value(n);
        if (lists_position(handle) == HM_INVALID_INDEX) {
            check_stranger(handle);
            continue;
        }
        CHECK(hm_lists_contains(&many.lists, handle));
        CHECK(hm_lists_explain(&many.lists, handle) == HM_HANDLE_LIVE);
    }
    for (uint32_t i = 0; i < many.model.count; i++)
        CHECK(hm_lists_handle_at(&many.lists, i).bits == lists_handle(&many.model.dense[i]).bits);
    CHECK(hm_handle_is_null(hm_lists_handle_at(&many.lists, many.model.count)));
}

/* A loop over memory visits each list with items once, in the order of its memory. */
static void check_walk(void)
{
    const unsigned char *last = many.lists.base;
    uint32_t visited = 0;
    hm_lists_view view = {0};
    while (hm_lists_next(&many.lists, &view)) {
        uint32_t position = lists_position(view.list), count;
        CHECK(position != HM_INVALID_INDEX && (visited >> position & 1) == 0);
        visited |= 1u << position;
        CHECK(view.items == hm_lists_items(&many.lists, view.list, &count));
        CHECK(view.count == count && (const unsigned char *)view.items > last);
        last = view.items;
    }
    for (uint32_t i = 0; i < many.model.count; i++)
        CHECK((visited >> i & 1) == (many.model.dense[i].count != 0));
}

void lists_check_packed(void)
{
    size_t unit = (size_t)1 << many.lists.unit_shift;
    const unsigned char *next = many.lists.base + 2 * unit;
    hm_lists_view view = {0};
    while (hm_lists_next(&many.lists, &view)) {
        CHECK(view.items == next);
        next += (many.config->item_size * view.count + unit - 1) / unit * unit + unit;
    }
}

static void check_statistics(void)
{
    hm_lists_stats stats = hm_lists_get_stats(&many.lists);
    size_t reserved_size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        reserved_size += arena.memory.reserved[i];
    CHECK(stats.count == many.model.count && hm_lists_count(&many.lists) == stats.count);
    CHECK(hm_lists_item_count(&many.lists) == many.model.item_count);
    CHECK(stats.capacity == many.config->capacity && stats.max_slots == many.config->max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.reserved_size == reserved_size && stats.committed_size == arena_check());
}

/* From every state, fini gives all memory back. */
static void check_end(void)
{
    arena_close();
    hm_lists_fini(&many.lists);
    CHECK(arena_is_empty());
    hm_lists_fini(&many.lists);
    CHECK(hm_lists_validate(&many.lists) == HM_OK);
    CHECK(hm_handle_is_null(hm_lists_create(&many.lists)));
}

void lists_check(void)
{
    static lists_state before;
    lists_capture(&before);
    check_handles();
    arena_open();
    CHECK(memcmp(&many.lists, &before.lists, sizeof many.lists) == 0 && arena_is(before.bytes));
    arena_close();
    CHECK(hm_lists_validate(&many.lists) == HM_OK);
    for (uint32_t i = 0; i < many.model.count; i++)
        check_row(&many.model.dense[i]);
    check_walk();
    check_statistics();
    check_end();
}

/* SPDX-License-Identifier: MIT */
/* history: the memory table, which divides a range in pages. What it knows of pages that changes is
 * part of their state, so a rewind restores reservations, too. */
#include "history_private.h"

void hm_history_touch(hm_history *history, uint32_t page)
{
    hm_history_unit *unit = hm_history_page(history, page);
    if ((unit->bits & HM_HISTORY_TOUCHED) != 0)
        return;
    unit->bits |= HM_HISTORY_TOUCHED;
    unit->next = history->touched;
    history->touched = page + 1;
}

/* Returns the first of n free pages side by side, which may be behind the last one that was ever
 * used. */
static uint32_t space_find(const hm_history *history, uint32_t n)
{
    uint32_t start = history->first_free, page = start;
    while (page < history->page_end && page - start < n) {
        uint32_t range = hm_history_page(history, page)->range;
        page += range != 0 ? range : 1;
        if (range != 0)
            start = page;
    }
    return start;
}

static void *space_reserve(void *context, size_t size)
{
    hm_history *history = context;
    if (size > (size_t)history->page_count * history->page_size)
        return NULL;
    uint32_t n = (uint32_t)((size + history->page_size - 1) / history->page_size);
    uint32_t page = space_find(history, n);
    if (n > history->page_count - page)
        return NULL;
    if (page + n > history->page_end) {
        if (hm_array_resize(&history->committed, ((size_t)page + n + 63) / 64) != HM_OK ||
            hm_array_resize(&history->pages, (size_t)page + n) != HM_OK)
            return NULL;
        history->page_end = page + n;
    }
    hm_history_page(history, page)->range = n;
    hm_history_page(history, page)->bits &= ~(uint32_t)HM_HISTORY_REVIVED;
    hm_history_touch(history, page);
    if (page == history->first_free)
        history->first_free = page + n;
    return hm_history_address(history, page);
}

bool hm_history_hold(hm_history *history, uint32_t page, uint32_t count)
{
    const hm_memory *parent = history->parent;
    for (uint32_t end = page + count, stop; page < end; page = stop) {
        stop = page + 1;
        if ((hm_history_page(history, page)->bits & HM_HISTORY_HELD) != 0)
            continue;
        while (stop < end && (hm_history_page(history, stop)->bits & HM_HISTORY_HELD) == 0)
            stop++;
        if (!parent->commit(parent->context, hm_history_address(history, page),
                            (stop - page) * history->page_size))
            return false;
        for (uint32_t i = page; i < stop; i++)
            hm_history_page(history, i)->bits |= HM_HISTORY_HELD | HM_HISTORY_ZERO;
    }
    return true;
}

static bool space_commit(void *context, void *address, size_t size)
{
    hm_history *history = context;
    uint32_t page = hm_history_page_of(history, address);
    uint32_t end = page + (uint32_t)(size / history->page_size);
    if (!hm_history_hold(history, page, end - page))
        return false;
    for (; page < end; page++) {
        hm_history_unit *unit = hm_history_page(history, page);
        unsigned char *bytes = hm_history_address(history, page);
        if ((unit->bits & HM_HISTORY_ZERO) == 0)
            hm_history_put(history, bytes, history->page_size, NULL);
        else /* It may have been poisoned when its memory was given back. */
            hm_memory_unpoison(bytes, history->page_size);
        unit->bits &= ~(uint32_t)HM_HISTORY_ZERO;
        hm_history_set_committed(history, page, true);
        hm_history_touch(history, page);
    }
    return true;
}

/* Notes that a page has no memory any more. */
static void space_empty(hm_history *history, uint32_t page)
{
    hm_history_page(history, page)->bits &= ~(uint32_t)(HM_HISTORY_HELD | HM_HISTORY_ZERO);
    hm_history_set_committed(history, page, false);
    hm_history_touch(history, page);
}

static bool space_decommit(void *context, void *address, size_t size)
{
    hm_history *history = context;
    uint32_t page = hm_history_page_of(history, address);
    uint32_t end = page + (uint32_t)(size / history->page_size);
    if (!history->parent->decommit(history->parent->context, address, size))
        return false;
    for (; page < end; page++)
        space_empty(history, page);
    return true;
}

void hm_history_drop(hm_history *history, uint32_t page)
{
    const hm_memory *parent = history->parent;
    unsigned char *address = hm_history_address(history, page);
    hm_memory_unpoison(address, history->page_size);
    hm_history_set_committed(history, page, false);
    if (parent->decommit(parent->context, address, history->page_size))
        hm_history_page(history, page)->bits &= ~(uint32_t)(HM_HISTORY_HELD | HM_HISTORY_ZERO);
}

/* The pages are dropped one run at a time, since each call of the parent may be one of the
 * system's; where it refuses, they are dropped singly, and those that it keeps stay held. */
static void space_release(void *context, void *address, size_t size)
{
    hm_history *history = context;
    uint32_t first = hm_history_page_of(history, address);
    hm_history_unit *unit = hm_history_page(history, first);
    uint32_t end = first + unit->range;
    HM_CONTRACT(hm_memory_round_up(size, history->page_size) == unit->range * history->page_size,
                "hm_history: a release of another size");
    unit->range = 0;
    hm_history_touch(history, first);
    if (first < history->first_free)
        history->first_free = first;
    for (uint32_t page = first, stop; page < end; page = stop) {
        stop = page + 1;
        if ((hm_history_page(history, page)->bits & HM_HISTORY_HELD) == 0)
            continue;
        while (stop < end && (hm_history_page(history, stop)->bits & HM_HISTORY_HELD) != 0)
            stop++;
        unsigned char *from = hm_history_address(history, page);
        size_t bytes = (stop - page) * history->page_size;
        hm_memory_unpoison(from, bytes);
        if (!space_decommit(history, from, bytes))
            for (uint32_t i = page; i < stop; i++) {
                hm_history_drop(history, i);
                hm_history_touch(history, i);
            }
    }
}

hm_memory hm_history_table(hm_history *history)
{
    return (hm_memory){.reserve = space_reserve,
                       .commit = space_commit,
                       .decommit = space_decommit,
                       .release = space_release,
                       .page_size = history->page_size,
                       .context = history,
                       .has_scarce_addresses = true};
}

/* SPDX-License-Identifier: MIT */
/* history: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_HISTORY_PRIVATE_H
#define HANDLE_MAP_HISTORY_PRIVATE_H

#include <handle_map/history.h>

#include "../memory/array_private.h"

/* As hm_history_watch, for a struct that uses the history's memory; it is known from here on, if it
 * was not. HM_ERROR_INVALID: it uses other memory. */
hm_status hm_history_watch_struct(hm_history *history, void *object, const hm_known_kind *kind);

/* All memory as it was at a mark, to be read by its addresses, whatever is there now. Valid until
 * the history next changes. */
typedef struct hm_history_view {
    const hm_history *history;
    uint64_t mark;
    uint32_t index;  /* of the mark, counted from the oldest */
    hm_array copies; /* of each page, then of each piece of what is watched; NULL: zeros */
    uint32_t page_shift;
} hm_history_view;

/* Mark 0 has zeros everywhere. `other`: the view of a mark that may be near, or NULL. Whoever makes
 * a view ends its array. HM_ERROR_STALE: the mark is not kept. HM_ERROR_MEMORY; HM_ERROR_FULL: the
 * history is not initialised. O(pages + changes between this mark and the other, or the current
 * one). */
hm_status hm_history_view_init(hm_history_view *view, const hm_history *history, uint64_t mark,
                               const hm_history_view *other);

/* Reads bytes that are watched; zeros if the mark is from before the watch. False: not all of them
 * are. O(pieces of a page that are watched). */
bool hm_history_view_watched(const hm_history_view *view, const void *address, void *to,
                             size_t size);

/* Whether an address is in the pages that containers divide, and which one it is in. */
static inline bool hm_history_view_covers(const hm_history_view *view, const void *address,
                                          uint32_t *page)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)view->history->base;
    *page = (uint32_t)(offset >> view->page_shift);
    return offset >> view->page_shift < view->history->page_end;
}

/* Returns the copy of a page; NULL: it had no memory, and reads as zeros. */
static inline const unsigned char *hm_history_view_page(const hm_history_view *view, uint32_t page)
{
    return ((unsigned char *const *)hm_array_data(&view->copies))[page];
}

/* Returns where the bytes at an address are, as many as are left of its page; NULL: zeros. */
static inline const unsigned char *hm_history_view_at(const hm_history_view *view,
                                                      const unsigned char *address, size_t *left)
{
    size_t page_size = view->history->page_size;
    size_t offset = ((uintptr_t)address - (uintptr_t)view->history->base) & (page_size - 1);
    uint32_t page;
    *left = page_size - offset;
    bool is_there = hm_history_view_covers(view, address, &page);
    /* Coverage: the memory of a container that is watched is the history's. */
    const unsigned char *copy = is_there ? hm_history_view_page(view, page) : NULL;
    return copy != NULL ? copy + offset : NULL;
}

/* Reads the bytes at an address. O(size). */
void hm_history_view_read(const hm_history_view *view, const void *address, void *to, size_t size);

#endif

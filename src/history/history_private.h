/* SPDX-License-Identifier: MIT */
/* history: a view of memory as it was, for the folders above; then what its own sources share. */
#ifndef HANDLE_MAP_HISTORY_PRIVATE_H
#define HANDLE_MAP_HISTORY_PRIVATE_H

#include "../base/base_private.h"
#include "../memory/memory_private.h"

#include <handle_map/history.h>

/* As hm_history_watch, for a struct that uses the history's memory; it is known from here on, if it
 * was not. HM_ERROR_INVALID: it uses other memory. */
hm_status hm_history_watch_struct(hm_history *history, void *object, const hm_known_kind *kind);

/* All memory as it was at a mark, to be read by its addresses, whatever is there now. Valid until
 * the history next changes. */
typedef struct hm_history_view {
    const hm_history *history;
    uint64_t mark;
    uint32_t index;  /* of the mark, counted from the oldest */
    hm_array copies; /* of each page, then of each fragment of what is watched; NULL: zeros */
    uint32_t page_shift;
} hm_history_view;

/* Mark 0 has zeros everywhere. `other`: the view of a mark that may be near, or NULL. Whoever makes
 * a view ends its array. HM_ERROR_STALE: the mark is not kept. HM_ERROR_MEMORY; HM_ERROR_FULL: the
 * history is not initialised. O(pages + changes between this mark and the other, or the current
 * one). */
hm_status hm_history_view_init(hm_history_view *view, const hm_history *history, uint64_t mark,
                               const hm_history_view *other);

/* Reads bytes that are watched; zeros if the mark is from before the watch. False: not all of them
 * are. O(fragments of a page that are watched). */
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

/* Returns where the bytes at an address are, as many as are left of its page; NULL: zeros. A zeroed
 * view is of what is there now. */
static inline const unsigned char *hm_history_view_at(const hm_history_view *view,
                                                      const unsigned char *address, size_t *left)
{
    if (view->history == NULL) {
        *left = SIZE_MAX;
        return address;
    }
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

/* history: what its sources share.
 *
 * A *unit* is a page of the range that containers divide, or a fragment of what is watched, at most
 * as long as a page. A *copy* holds the bytes of a unit at one moment. A unit knows its copy of the
 * current mark; the log of a mark has for each unit that changed up to the next one its states
 * before and after. So of the copies of a unit each is at exactly one of three places: `before` in
 * a log older than the current mark, the unit itself, or `after` in a log that is not older.
 *
 *     logs      [0]           [1]           [2]
 *             mark 5 -----> mark 6 -----> mark 7 (current: 6)
 *     unit      before         copy          after
 */

/* A unit at a mark. */
typedef struct hm_history_state {
    unsigned char *copy; /* NULL: a page without memory, or zeros of a fragment */
    uint32_t range;      /* pages of the reservation that begins with this page; 0: none does */
} hm_history_state;

enum {
    HM_HISTORY_HELD = 1, /* the parent has committed the page: so it has all that are committed */
    HM_HISTORY_ZERO = 2, /* it is held, and nothing was written to it */
    HM_HISTORY_TOUCHED = 4, /* it is listed as one whose memory or reservation has changed */
    HM_HISTORY_REVIVED = 8  /* its reservation came back, perhaps without its container */
};

typedef struct hm_history_unit {
    hm_history_state kept;  /* at the current mark */
    unsigned char *address; /* of a fragment; NULL: it is free */
    uint32_t size;          /* bytes of a fragment */
    uint32_t range;         /* now; as in the state */
    uint32_t next;          /* touched page + 1; 0: this is the last */
    uint32_t change;        /* 1 + its index in `changes`; 0: it has none */
    uint32_t bits;
} hm_history_unit;

/* Bytes that are rewound with the pages. */
typedef struct hm_history_record {
    unsigned char *address;
    size_t size;               /* bytes */
    const hm_known_kind *kind; /* of the struct; NULL: bytes that the program watches */
    uint32_t key;              /* of the struct */
    uint64_t since;            /* the first mark that has them, or would have */
    bool is_kept;              /* the program watches the struct's bytes, so they are there */
    bool is_checked;           /* a mark has looked for containers with other memory */
} hm_history_record;

typedef struct hm_history_change {
    hm_history_state before, after;
    uint32_t unit; /* a page, or page_count + a fragment */
} hm_history_change;

typedef struct hm_history_log {
    uint64_t mark;
    hm_array changes;
} hm_history_log;

static inline hm_history_unit *hm_history_page(const hm_history *history, uint32_t page)
{
    return (hm_history_unit *)hm_array_data(&history->pages) + page;
}

static inline hm_history_unit *hm_history_fragment(const hm_history *history, uint32_t fragment)
{
    return (hm_history_unit *)hm_array_data(&history->watches) + fragment;
}

static inline hm_history_unit *hm_history_unit_of(const hm_history *history, uint32_t unit)
{
    if (unit < history->page_count)
        return hm_history_page(history, unit);
    return hm_history_fragment(history, unit - history->page_count);
}

static inline unsigned char *hm_history_address(const hm_history *history, uint32_t page)
{
    return history->base + page * history->page_size;
}

static inline uint32_t hm_history_page_of(const hm_history *history, const void *address)
{
    return (uint32_t)((size_t)((const unsigned char *)address - history->base) /
                      history->page_size);
}

/* Whether a container has committed a page: a bit for each. */
static inline bool hm_history_is_committed(const hm_history *history, uint32_t page)
{
    const uint64_t *words = hm_array_data(&history->committed);
    return (words[page / 64] >> page % 64 & 1) != 0;
}

static inline void hm_history_set_committed(const hm_history *history, uint32_t page, bool is)
{
    uint64_t *word = (uint64_t *)hm_array_data(&history->committed) + page / 64;
    *word = (*word & ~(UINT64_C(1) << page % 64)) | (uint64_t)is << page % 64;
}

/* Returns the log of a mark that is kept, counted from the oldest. */
static inline hm_history_log *hm_history_log_at(const hm_history *history, uint32_t index)
{
    hm_history_log *logs = hm_array_data(&history->logs);
    uint32_t left = history->marks - history->oldest; /* in front of the end of the ring */
    return index < left ? logs + history->oldest + index : logs + (index - left);
}

/* Returns the number of changes in an array of them. */
static inline uint32_t hm_history_change_count(const hm_array *changes)
{
    return (uint32_t)hm_array_count(changes);
}

/* history.c */

/* Finds a mark that is kept, counted from the oldest. HM_ERROR_STALE. */
hm_status hm_history_find_mark(const hm_history *history, uint64_t mark, uint32_t *index);

/* watch.c */

/* Makes the registry of the history. */
hm_registry hm_history_registry(const hm_history *history);

/* HM_ERROR_BUSY while a callback or a query of a known struct runs; HM_ERROR_INVALID if one is not
 * where it was said to be. */
hm_status hm_history_check_idle(const hm_history *history, const char *function);

/* HM_ERROR_INVALID: bytes that are watched since the last mark have a container with the system's
 * memory. Not before the first mark, since they need not be initialised when they are watched. */
hm_status hm_history_check_bytes(hm_history *history);

/* Panics if a struct is known that was not finished. */
void hm_history_check_left(const hm_history *history);

/* Forgets the structs that were made after a mark, which a rewind has zeroed. */
void hm_history_forget_younger(hm_history *history, uint64_t mark);

/* space.c */

/* Makes the table of the history. */
hm_memory hm_history_table(hm_history *history);

/* Makes sure that a page has memory. */
bool hm_history_hold(hm_history *history, uint32_t page, uint32_t count);

/* Gives back the memory of a page that none uses. Where the parent refuses, it keeps it. */
void hm_history_drop(hm_history *history, uint32_t page);

/* Lists a page as one that may differ from its copy, whatever the system says. */
void hm_history_touch(hm_history *history, uint32_t page);

/* copies.c */

/* Makes the next n calls of hm_history_take succeed. */
bool hm_history_prepare(hm_history *history, uint32_t n);

/* Returns a copy of these bytes, and of what of them is poisoned. */
unsigned char *hm_history_take(hm_history *history, unsigned char *address, size_t size);

/* Takes a copy back; NULL is none. */
void hm_history_give(hm_history *history, unsigned char *copy);

/* Writes a copy to where it was taken, or zeros if it is NULL. */
void hm_history_put(const hm_history *history, unsigned char *address, size_t size,
                    const unsigned char *copy);

/* Whether a copy tells of other bytes, or of others that are poisoned. NULL tells of zeros. */
bool hm_history_differs(const hm_history *history, unsigned char *address, size_t size,
                        const unsigned char *copy);

/* Releases the blocks of copies; and returns how many bytes they have. */
void hm_history_give_all(hm_history *history);
size_t hm_history_blocks_size(const hm_history *history);

/* find.c */

/* Lists in `changes` each unit that has changed since the current mark, and may list some that have
 * not, with `before` and `after` as kept. False: refused; then `changes` is empty. */
bool hm_history_find(hm_history *history);

/* Returns the change of a unit, a new one if it has none; NULL: refused. */
hm_history_change *hm_history_change_of(hm_history *history, uint32_t unit);

/* Empties `changes`. */
void hm_history_forget(hm_history *history);

/* Lets all pages be written, of a history that the system tells. */
void hm_history_lift(hm_history *history);

/* All units are as kept now: from here on changes are found anew. */
void hm_history_watch_anew(hm_history *history);

#endif

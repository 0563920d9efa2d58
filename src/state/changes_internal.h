/* SPDX-License-Identifier: MIT */
/* changes: what its sources share.
 *
 *     replay.c        makes changes in another container
 *     changes.c       the calls, and what they compare
 *     packed.c        map, table and secondary
 *     spread.c        pool, lists and index
 *     components.c    world
 *     find_slots.c    which slots may differ
 *
 * A search works by slot: it marks each slot that may have another handle or value, and then
 * compares what the slot has on both sides, at `from` and at `to`. A side is a copy of the
 * container's struct, whose pointers are addresses of memory as it was: they are only read through
 * the view. */
#ifndef HANDLE_MAP_CHANGES_INTERNAL_H
#define HANDLE_MAP_CHANGES_INTERNAL_H

#include "../memory/poison_private.h"

#include <handle_map/changes.h>

#include "../history/history_private.h"
#include "../lists/lists_private.h"
#include "../memory/known_private.h"
#include "../world/world_private.h"

/* A container at a mark. */
typedef struct hm_changes_side {
    hm_history_view view;
    union {
        hm_map map;
        hm_pool pool;
        hm_table table;
        hm_secondary secondary;
        hm_lists lists;
        hm_index index;
        hm_world world;
    } as;
} hm_changes_side;

/* What a slot has on a side. */
typedef struct hm_changes_item {
    hm_handle handle; /* null: nothing; then the rest has no meaning */
    uint32_t position;
    hm_world_place place; /* of an entity */
    hm_world_archetype archetype;
} hm_changes_item;

typedef struct hm_changes_value {
    bool is_there;
    uint32_t part;       /* as in hm_change */
    const void *address; /* on its side */
    size_t size;         /* bytes */
} hm_changes_value;

typedef struct hm_changes_search hm_changes_search;

/* What is known of a kind of container. */
typedef struct hm_changes_kind {
    const hm_known_kind *known;
    size_t anchor; /* bytes to a pointer in it that leads to its memory, or is NULL */
    /* Notes what the sides have, and marks the slots that may differ. */
    void (*mark)(hm_changes_search *search);
    void (*find)(const hm_changes_side *side, uint32_t slot, hm_changes_item *item);
    /* Returns a part of the item at a position. */
    hm_changes_value (*value)(const hm_changes_side *side, const hm_changes_item *item,
                              uint32_t part);
} hm_changes_kind;

struct hm_changes_search {
    const hm_changes_kind *kind;
    hm_changes_side from, to;
    uint32_t parts;         /* an item has at most */
    size_t largest;         /* bytes of a value, at most */
    hm_status status;       /* of the first mark that failed */
    bool is_second;         /* pass: the first one tells what was erased */
    bool has_others;        /* the slot: something for the second pass */
    hm_array marks;         /* uint64_t: a bit for each slot */
    hm_array before, after; /* where a value is put together that is on several pages */
    hm_change_visit *visit;
    void *context;
};

/* Values of one size; those of a group are side by side, and there may be others between groups. */
typedef struct hm_changes_strip {
    const void *from, *to; /* the first value; two addresses if they have moved */
    size_t stride;         /* bytes from one group to the next */
    uint32_t lanes;        /* values in a group */
    uint32_t count;        /* values */
} hm_changes_strip;

extern const hm_changes_kind hm_changes_of_map, hm_changes_of_pool, hm_changes_of_table,
    hm_changes_of_secondary, hm_changes_of_lists, hm_changes_of_index, hm_changes_of_world;

static inline void hm_changes_read(const hm_changes_side *side, const void *address, void *to,
                                   size_t size)
{
    hm_history_view_read(&side->view, address, to, size);
}

/* Says how large values of `size` bytes are, of which an item has `parts`. */
static inline void hm_changes_expect(hm_changes_search *search, uint32_t parts, size_t size)
{
    search->parts = parts > search->parts ? parts : search->parts;
    search->largest = size > search->largest ? size : search->largest;
}

/* find_slots.c */

/* Marks a slot. */
void hm_changes_mark(hm_changes_search *search, uint32_t slot);

/* Whether some of these bytes are on a page that differs. */
bool hm_changes_differ(const hm_changes_search *search, const void *address, size_t size);

/* Finds the next values of a strip that are on pages which differ, from `*end` on, which is 0 at
 * first. */
bool hm_changes_next(const hm_changes_search *search, const hm_changes_strip *strip,
                     uint32_t *first, uint32_t *end);

/* Marks the slots whose entries, of `stride` bytes, are on pages that differ, and all that only one
 * side has: clear and trim drop slots without a write to their entries. */
void hm_changes_mark_slots(hm_changes_search *search, const void *from, const void *to,
                           size_t stride, uint32_t from_slots, uint32_t to_slots);

/* packed.c */

/* Marks the slots whose entries may differ, and finds the handle of a slot. */
void hm_changes_mark_ids(hm_changes_search *search, const hm_id_table *from, const hm_id_table *to);
void hm_changes_find_id(const hm_changes_side *side, const hm_id_table *ids, uint32_t slot,
                        hm_changes_item *item);

/* The same for the owners of a secondary. */
void hm_changes_mark_owners(hm_changes_search *search, const hm_secondary *from,
                            const hm_secondary *to);
void hm_changes_find_owner(const hm_changes_side *side, const hm_secondary *secondary,
                           uint32_t slot, hm_changes_item *item);

/* Marks the owners of the values of a strip that are on pages which differ. `owners`: their
 * handles, at `to`. */
void hm_changes_mark_owned(hm_changes_search *search, const hm_changes_strip *strip,
                           const hm_handle *owners);

#endif

/* SPDX-License-Identifier: MIT */
/* handle: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_HANDLE_PRIVATE_H
#define HANDLE_MAP_HANDLE_PRIVATE_H

#include <handle_map/array.h>
#include <handle_map/detail/handle.h>

/* Makes a slot and a position refer to each other: invariant 2 of docs/design.md. */
static inline void hm_handle_link(hm_handle *entries, uint32_t *slots, uint32_t slot,
                                  uint32_t position)
{
    slots[position] = slot;
    hm_handle_set_index(&entries[slot], position);
}

/* Exchanges the slots at two positions. */
static inline void hm_handle_exchange(hm_handle *entries, uint32_t *slots, uint32_t a, uint32_t b)
{
    uint32_t slot = slots[a];
    hm_handle_link(entries, slots, slots[b], a);
    hm_handle_link(entries, slots, slot, b);
}

/* Where slots and positions name each other. A container with an id table has `slots` and
 * `entries`. One without has the handles at its positions, whose indices are the slots, and
 * `positions`. */
typedef struct hm_links {
    uint32_t *slots;     /* position -> slot; NULL without an id table */
    hm_handle *entries;  /* slot -> position, in the lower half */
    hm_handle *owners;   /* position -> slot, in the lower half */
    uint32_t *positions; /* slot -> position */
} hm_links;

static inline uint32_t hm_links_slot(const hm_links *links, uint32_t position)
{
    return links->slots != NULL ? links->slots[position] : hm_handle_index(links->owners[position]);
}

static inline uint32_t hm_links_position(const hm_links *links, uint32_t slot)
{
    return links->slots != NULL ? hm_handle_index(links->entries[slot]) : links->positions[slot];
}

/* As hm_handle_link. An owner keeps its upper half. */
static inline void hm_links_connect(const hm_links *links, uint32_t slot, uint32_t position)
{
    if (links->slots != NULL) {
        hm_handle_link(links->entries, links->slots, slot, position);
    } else {
        hm_handle_set_index(&links->owners[position], slot);
        links->positions[slot] = position;
    }
}

static inline void hm_links_exchange(const hm_links *links, uint32_t a, uint32_t b)
{
    uint32_t slot = hm_links_slot(links, a);
    hm_links_connect(links, hm_links_slot(links, b), a);
    hm_links_connect(links, slot, b);
}

static inline void hm_links_prefetch_slot(const hm_links *links, uint32_t position)
{
    if (links->slots != NULL)
        HM_PREFETCH(&links->slots[position]);
    else
        HM_PREFETCH(&links->owners[position]);
}

static inline void hm_links_prefetch_position(const hm_links *links, uint32_t slot)
{
    if (links->slots != NULL)
        HM_PREFETCH(&links->entries[slot]);
    else
        HM_PREFETCH(&links->positions[slot]);
}

/* What the bits alone tell a container with this type id: HM_HANDLE_NULL, _FORGED, _FOREIGN, or
 * HM_HANDLE_LIVE if nothing in them rules that out. */
hm_handle_state hm_handle_judge(hm_handle handle, uint32_t type_id);

/* Adds the sizes of an array to those of its container. A range counts with the array that owns it.
 */
void hm_stats_add(hm_stats *stats, const hm_array *array);

#endif

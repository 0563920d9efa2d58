/* SPDX-License-Identifier: MIT */
/* handle: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_HANDLE_PRIVATE_H
#define HANDLE_MAP_HANDLE_PRIVATE_H

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

/* Where slots and positions name each other. Each cell is a uint32_t, which may be the start of a
 * larger record. */
typedef struct hm_links {
    unsigned char *slots;     /* position -> slot */
    unsigned char *positions; /* slot -> position */
    uint32_t slot_shift;      /* log2 of the bytes from one cell of `slots` to the next */
    uint32_t position_shift;  /* the same for `positions` */
} hm_links;

/* The index of a handle as a cell. */
static inline unsigned char *hm_handle_index_cell(hm_handle *handle)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (unsigned char *)handle + sizeof(uint32_t);
#else
    return (unsigned char *)handle;
#endif
}

static inline unsigned char *hm_links_slot_cell(const hm_links *links, uint32_t position)
{
    return links->slots + ((size_t)position << links->slot_shift);
}

static inline unsigned char *hm_links_position_cell(const hm_links *links, uint32_t slot)
{
    return links->positions + ((size_t)slot << links->position_shift);
}

static inline uint32_t hm_links_slot(const hm_links *links, uint32_t position)
{
    uint32_t slot;
    memcpy(&slot, hm_links_slot_cell(links, position), sizeof slot);
    return slot;
}

static inline uint32_t hm_links_position(const hm_links *links, uint32_t slot)
{
    uint32_t position;
    memcpy(&position, hm_links_position_cell(links, slot), sizeof position);
    return position;
}

/* As hm_handle_link. */
static inline void hm_links_connect(const hm_links *links, uint32_t slot, uint32_t position)
{
    memcpy(hm_links_slot_cell(links, position), &slot, sizeof slot);
    memcpy(hm_links_position_cell(links, slot), &position, sizeof position);
}

/* As hm_handle_exchange. */
static inline void hm_links_exchange(const hm_links *links, uint32_t a, uint32_t b)
{
    uint32_t slot = hm_links_slot(links, a);
    hm_links_connect(links, hm_links_slot(links, b), a);
    hm_links_connect(links, slot, b);
}

/* What the bits alone tell a container with this type id: HM_HANDLE_NULL, _FORGED, _FOREIGN, or
 * HM_HANDLE_LIVE if nothing in them rules that out. */
hm_handle_state hm_handle_judge(hm_handle handle, uint32_t type_id);

#endif

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

/* What the bits alone tell a container with this type id: HM_HANDLE_NULL, _FORGED, _FOREIGN, or
 * HM_HANDLE_LIVE if nothing in them rules that out. */
hm_handle_state hm_handle_judge(hm_handle handle, uint32_t type_id);

#endif

/* SPDX-License-Identifier: MIT */
/* detail/handle: what inline functions of containers do with the entries of a sparse table; no
 * program needs it. */
#ifndef HANDLE_MAP_DETAIL_HANDLE_H
#define HANDLE_MAP_DETAIL_HANDLE_H

#include <handle_map/handle.h>

/* Sets an entry's index and keeps its upper half. Where the byte order is known, only the lower
 * half is stored: a store does not wait for the cache line, as reading the upper half would. */
static inline void hm_handle_set_index(hm_handle *entry, uint32_t index)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(entry, &index, sizeof index);
#else
    const uint64_t index_bits = UINT32_MAX;
    entry->bits = (entry->bits & ~index_bits) | index;
#endif
}

/* Compares an entry of an id table with the handle of its slot: the result is the position, below
 * the table's count, if the handle resolves, and otherwise at least the count. The upper halves
 * (free bit, type id, generation) cancel out if they are equal, and what is left of them otherwise
 * is above any position. */
static inline uint64_t hm_handle_match(hm_handle entry, hm_handle handle)
{
    return entry.bits ^ (handle.bits ^ hm_handle_index(handle));
}

#endif

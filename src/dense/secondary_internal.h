/* SPDX-License-Identifier: MIT */
/* secondary: what its sources share.
 *
 *     owners.c         many owners in one call
 *       secondary.c    values and their owners, and their order
 *         pieces.c     the sparse column, from slots to positions, and its pieces */
#ifndef HANDLE_MAP_SECONDARY_INTERNAL_H
#define HANDLE_MAP_SECONDARY_INTERNAL_H

#include "secondary_private.h"

/* Whether a set for this owner is possible but for memory and the capacity, and why not. Returns in
 * *index the position of the value that it would replace, or HM_INVALID_INDEX. */
hm_status hm_secondary_judge(const hm_secondary *secondary, hm_handle owner, uint32_t *index);

/* Chooses the size of a piece, and returns how many hold max_slots, which is set and at least 1. */
size_t hm_secondary_count_pieces(hm_secondary *secondary, const hm_memory *memory);

/* Whether the secondary has no capacity: then all its arrays are committed, and move to grow. */
static inline bool hm_secondary_is_whole(const hm_secondary *secondary)
{
    return secondary->value_array.is_whole;
}

/* Makes space for the positions of all slots below `slots`, of a secondary with a capacity: moves
 * them to a range of their own, of at least twice the size, if theirs ends before. HM_ERROR_MEMORY:
 * nothing has changed, or they have moved, but the system did not take back what they left. O(slots
 * with a piece). */
hm_status hm_secondary_widen(hm_secondary *secondary, uint32_t slots);

/* Returns the bytes that are still committed where the positions were before. */
size_t hm_secondary_left_size(const hm_secondary *secondary);

/* Releases the range of the positions, if they have one. */
void hm_secondary_release_positions(const hm_secondary *secondary);

/* Makes lookups see a slot below max_slots: commits its piece if that has no memory. */
hm_status hm_secondary_prepare_slot(hm_secondary *secondary, uint32_t slot);

/* After a load that failed: if positions were made since `before`, gives back all positions, and
 * returns to the range that they had then, unless that is gone. */
void hm_secondary_return_positions(hm_secondary *secondary, const hm_secondary *before);

/* Gives back the pieces without an owner, up to the first that the system refuses to take. */
hm_status hm_secondary_trim_pieces(hm_secondary *secondary);

/* Without a capacity two pieces make up the index space, and both always have memory: what has a
 * position in memory ends at slot_end. */
enum { HM_SECONDARY_HALF_SHIFT = 31, HM_SECONDARY_HALVES = 2 };

bool hm_secondary_pieces_are_valid(const hm_secondary *secondary);

#endif

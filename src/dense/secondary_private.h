/* SPDX-License-Identifier: MIT */
/* secondary: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_SECONDARY_PRIVATE_H
#define HANDLE_MAP_SECONDARY_PRIVATE_H

#include "../memory/array_private.h"

#include <handle_map/secondary.h>

#include "dense_private.h"

/* Fills in what a descriptor leaves to its `owners`, if it names a container. HM_ERROR_INVALID: the
 * container is not initialised, or the descriptor says something else than it. */
hm_status hm_secondary_take_owners(const hm_owners *owners, uint32_t *capacity, uint32_t *max_slots,
                                   uint16_t *type_id);

/* Checks a descriptor whose defaults are filled in, and lists the arrays of a secondary that shares
 * the range of its container; the first is to own the range if there is no other. Of the positions,
 * whose memory has gaps, only the place is kept: `positions` needs to exist until `place`. A
 * capacity of 0 stays: then the range is a whole one, and they have space for a few values. */
enum { HM_SECONDARY_COLUMNS = 4 };
hm_status hm_secondary_list_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                    hm_array *positions, hm_array_column *columns);
void hm_secondary_place_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                const hm_array *positions);

/* Lists the same arrays, for a move of a whole range, with space for so many values and slots; and
 * reads their addresses after the move. */
void hm_secondary_list_moved(hm_secondary *secondary, size_t values, size_t slots,
                             hm_array *positions, hm_array_column *columns);
void hm_secondary_place_moved(hm_secondary *secondary, const hm_array *positions);

/* Makes sets for these n owners, whose handles must be ones that owners can have, succeed, of which
 * `added` add a value. HM_ERROR_FULL, HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_secondary_prepare(hm_secondary *secondary, uint32_t added, const hm_handle *owners,
                               uint32_t n);

/* Makes a set for this owner succeed, and returns in *index the position of the value that it would
 * replace, or HM_INVALID_INDEX. Fails as hm_secondary_set does, except that it is never busy. */
hm_status hm_secondary_accept(hm_secondary *secondary, hm_handle owner, uint32_t *index);

/* Returns the number of values for which all columns are committed: the limit of the guard. */
uint32_t hm_secondary_committed_values(const hm_secondary *secondary);

/* Passes a status on, and names the secondary if memory was refused. */
hm_status hm_secondary_tell(const hm_secondary *secondary, hm_status status);

/* For a load, while the secondary is busy and its count is 0: make room for n more values behind
 * those that were made; then, when all owners are written behind the count too, make the n values
 * its own. `slots`: behind the highest slot of an owner, at most max_slots. HM_ERROR_CORRUPT: two
 * owners have one slot; the caller says so. HM_ERROR_MEMORY, HM_ERROR_FULL. */
hm_status hm_secondary_make_room(hm_secondary *secondary, uint32_t made, uint32_t n);
hm_status hm_secondary_adopt_owners(hm_secondary *secondary, uint32_t n, uint32_t slots);

/* Gives back the memory that an empty secondary had not before; if positions were made, all that
 * positions have. */
void hm_secondary_give_back(hm_secondary *secondary, const hm_secondary *before);

/* Sets the value of an owner that has one already, or that was prepared and whose slot has none. */
void hm_secondary_put(hm_secondary *secondary, hm_handle owner, const void *value);

/* As hm_secondary_describe. `value` is the noun that the sentence uses for a value. */
HM_COLD size_t hm_secondary_describe_as(const hm_secondary *secondary, hm_handle owner,
                                        const char *value, char *buffer, size_t size);

static inline bool hm_secondary_has_piece(const hm_secondary *secondary, uint32_t slot)
{
    return slot < secondary->slot_end &&
           secondary->pieces[(size_t)slot >> secondary->piece_shift] != 0;
}

/* Returns the position of a slot's value, of any generation, or HM_INVALID_INDEX. */
static inline uint32_t hm_secondary_find_slot(const hm_secondary *secondary, uint32_t slot)
{
    if (!hm_secondary_has_piece(secondary, slot))
        return HM_INVALID_INDEX;
    uint32_t index = secondary->positions[slot];
    if (index >= secondary->count || hm_handle_index(secondary->owners[index]) != slot)
        return HM_INVALID_INDEX;
    return index;
}

/* Returns the value of an owner that has one, whatever its generation. */
static inline void *hm_secondary_value_of(const hm_secondary *secondary, hm_handle owner)
{
    return secondary->values + secondary->value_size * secondary->positions[hm_handle_index(owner)];
}

/* Makes the value at this position that of another owner of the same slot. Only for a secondary
 * without an order. */
static inline void hm_secondary_rename(hm_secondary *secondary, uint32_t index, hm_handle owner)
{
    secondary->owners[index] = owner;
}

/* Tells the order that the value at a position may belong elsewhere; `count` values are left. */
static inline void hm_secondary_disturb(hm_secondary *secondary, uint32_t index, uint32_t count)
{
    hm_dense_disturb(&secondary->guard, secondary->order, index, count);
}

/* Removes the value at this position as hm_secondary_remove does, but without the destroy hook. */
void hm_secondary_discard(hm_secondary *secondary, uint32_t index);

#endif

/* SPDX-License-Identifier: MIT */
/* lists: what its sources share.
 *
 * The range is full of blocks from unit 1 to `end`, without holes: each is a list's or free, and
 * its head says how long it is, so that one can walk from block to block. A free block is in the
 * list of the class whose number is the logarithm of its size, rounded down.
 *
 * Invariants, which validate checks:
 *
 * 1. The sizes of the blocks add up to end - 1.
 * 2. Each list with items has one block, whose head has its handle; its items fit. The block has a
 *    power of two of units, or is exact and has their number in its head too.
 * 3. Each free block is in the list of its class, and nothing else is.
 * 4. `item_count` is the sum of the counts.
 * 5. Below `cursor`, where a block begins or which is `end`, no block is free, and none is larger
 *    than its items need.
 * 6. While `is_joined`, no free block is followed by another one or is the last. */
#ifndef HANDLE_MAP_LISTS_INTERNAL_H
#define HANDLE_MAP_LISTS_INTERNAL_H

#include <handle_map/lists.h>

/* Returns the units that n items need, with the head: at most 2^31, if max_items allows n. */
static inline uint64_t hm_lists_units_of(const hm_lists *lists, uint64_t n)
{
    uint64_t unit = UINT64_C(1) << lists->unit_shift;
    return 1 + ((n * lists->item_size + unit - 1) >> lists->unit_shift);
}

static inline bool hm_lists_is_free(const hm_lists_block *block)
{
    return hm_handle_is_free(block->list);
}

/* Returns the number of a list's items. */
static inline uint32_t hm_lists_count_in(const hm_lists_record *record)
{
    return record->count & ~HM_LISTS_EXACT;
}

/* Sets it, and keeps whether the block is exact. */
static inline void hm_lists_set_count(const hm_lists *lists, hm_lists_record *record,
                                      uint32_t count)
{
    uint32_t exact = record->count & HM_LISTS_EXACT;
    record->count = count | exact;
    hm_lists_block_at(lists, record->unit)->count = exact != 0 ? count : 0;
}

/* blocks.c */

/* Returns a block that n items fit into, its unit in *unit: a power of two, whose head has its size
 * and nothing else, and whose other bytes are poisoned. HM_ERROR_FULL, HM_ERROR_MEMORY. O(1),
 * amortised; O(blocks) where the range is used up and a block was freed since the last time. */
hm_status hm_lists_take(hm_lists *lists, uint64_t n, uint32_t *unit);

/* Makes a block free, or if it is the last one, lowers the end. O(1). */
void hm_lists_give(hm_lists *lists, uint32_t unit);

/* Makes the units from `unit` on, which belong to no block, a free one. */
void hm_lists_make_free(hm_lists *lists, uint32_t unit, uint32_t size);

/* Makes the units from `unit` on belong to no block, and the end come down to there. */
void hm_lists_lower_end(hm_lists *lists, uint32_t unit);

/* Takes a free block out of the list of its class. */
void hm_lists_unlink(hm_lists *lists, uint32_t unit);

/* Poisons what is in a block behind `count` items. */
void hm_lists_poison_rest(const hm_lists *lists, uint32_t unit, uint32_t count);

/* Tells defragment that a block has got a gap behind its items, or is one. */
static inline void hm_lists_loosen(hm_lists *lists, uint32_t unit)
{
    if (unit < lists->cursor)
        lists->cursor = unit;
}

/* gaps.c */

/* Joins free blocks that are next to each other, and lowers the end to where the last list's block
 * ends. O(blocks). */
void hm_lists_join(hm_lists *lists);

hm_status hm_lists_validate_blocks(const hm_lists *lists);

#endif

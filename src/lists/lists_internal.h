/* SPDX-License-Identifier: MIT */
/* lists: what its sources share.
 *
 *     lists.c           lists, their handles and hooks
 *       gaps.c          defragment
 *       records.c       the arrays of all items; the items of one list
 *         blocks.c      blocks of the range: taken, given back, joined, and checked
 *
 * The range is full of blocks from unit 1 to `end`, without holes: each is a list's or free, and
 * its head says how long it is, so that one can walk from block to block. A free block of more than
 * one unit is in the list of the class whose number is the logarithm of its size, rounded down.
 *
 * Invariants, which validate checks:
 *
 * 1. The sizes of the blocks add up to end - 1.
 * 2. Each list with items has one block, whose head has its slot; one without items may have one.
 *    Either the block has a power of two of units, and the record says how many items fit. Or it is
 *    exact: it has the units that its items need, at least one, its head has their number too, and
 *    the record's capacity is 0.
 * 3. Each free block of more than one unit is in the list of its class, and nothing else is.
 * 4. `item_count` is the sum of the counts.
 * 5. Below `cursor`, where a block begins or which is `end`, all blocks are exact.
 * 6. With is_joined, no free block is followed by another one or is the last, and no empty
 *    list has a block.
 * 7. The record of a slot with a list has the upper half of its handle; any other is zero. */
#ifndef HANDLE_MAP_LISTS_INTERNAL_H
#define HANDLE_MAP_LISTS_INTERNAL_H

#include "lists_private.h"

/* As hm_lists_units_as. */
static inline uint64_t hm_lists_units_of(const hm_lists_blocks *blocks, uint64_t n)
{
    return hm_lists_units_as(blocks, n, blocks->item_size);
}

static inline bool hm_lists_is_free(const hm_lists_block *block)
{
    return block->slot == HM_LISTS_FREE;
}

/* Returns how many units the block has. */
static inline uint32_t hm_lists_size_of(const hm_lists_blocks *blocks, const hm_lists_block *block)
{
    if (hm_lists_is_free(block) || (block->size & HM_LISTS_EXACT) == 0)
        return block->size;
    return (uint32_t)hm_lists_units_of(blocks, block->size & ~HM_LISTS_EXACT);
}

/* Returns where the block at `unit` ends. */
static inline uint32_t hm_lists_end_of(const hm_lists_blocks *blocks, uint32_t unit)
{
    return unit + hm_lists_size_of(blocks, hm_lists_block_at(blocks, unit));
}

/* blocks.c */

/* Returns how many units lists without a capacity have space for at first: a quarter of a small
 * page, whatever the pages of the system, since where blocks lie can depend on when a range is
 * full. */
static inline size_t hm_lists_first_units(const hm_lists_blocks *blocks)
{
    size_t units = (size_t)1024 >> blocks->unit_shift;
    return units > 2 ? units : 2;
}

/* Returns a block that n items fit into, its unit in *unit: a power of two, whose head has its size
 * and no slot, and whose other bytes are poisoned. Without a capacity all blocks may move.
 * HM_ERROR_FULL, HM_ERROR_MEMORY. O(1), amortised; O(blocks) where the range is used up and a
 * block was freed since the last time. */
hm_status hm_lists_take(hm_lists_blocks *blocks, uint64_t n, uint32_t *unit);

/* Returns how many items fit into a block that is not exact. */
uint32_t hm_lists_capacity_at(const hm_lists_blocks *blocks, uint32_t unit);

/* Makes a block free, or if it is the last one, lowers the end. O(1). */
void hm_lists_give(hm_lists_blocks *blocks, uint32_t unit);

/* Makes the units from `unit` to `end`, which belong to no block, a free one, or none if they are
 * the last. */
void hm_lists_make_gap(hm_lists_blocks *blocks, uint32_t unit, uint32_t end);

/* Whether a block is free; that of an empty list becomes so. */
bool hm_lists_reclaim(hm_lists_blocks *blocks, uint32_t unit);

/* Joins the free blocks behind a free one to it, at most so many, and returns how many. If nothing
 * else follows, all of them are none. */
uint64_t hm_lists_join(hm_lists_blocks *blocks, uint32_t unit, uint64_t limit);

/* Takes a free block out of the list of its class. */
void hm_lists_unlink(hm_lists_blocks *blocks, uint32_t unit);

/* Poisons what is in a block behind `count` items. */
void hm_lists_poison_rest(const hm_lists_blocks *blocks, uint32_t unit, uint32_t count);

#endif

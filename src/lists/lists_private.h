/* SPDX-License-Identifier: MIT */
/* lists: lists that have records, but no handles, for the folders above; then what its own sources
 * share. */
#ifndef HANDLE_MAP_LISTS_PRIVATE_H
#define HANDLE_MAP_LISTS_PRIVATE_H

#include "../memory/memory_private.h"

#include <handle_map/lists.h>

/* Items of lists that have records, but no handles. A record is named by its slot, which is its
 * place in the array of records; the owner of the records decides which slots have lists. */

/* Checks what lists alone have in a descriptor that is valid otherwise and has its defaults, but
 * for max_items, which it completes. Lists the two arrays, records and units; the records'
 * capacity is left to the caller. `record_size`: a power of two, of what begins with a record. */
hm_status hm_lists_begin(hm_lists_blocks *blocks, bool moves_to_grow, hm_lists_desc *full,
                         size_t record_size, hm_array_column *columns);

/* After that, when the arrays have their places. */
void hm_lists_start(hm_lists_blocks *blocks, const hm_lists_desc *full);

/* Returns how many units there are in front of unit 0, which belongs to the same array. */
static inline size_t hm_lists_front(const hm_lists_blocks *blocks)
{
    size_t units = HM_LISTS_HEADS_SIZE >> blocks->unit_shift;
    return units > 1 ? units - 1 : 0;
}

/* Describes the array of units for hm_array_move_columns, and reads the addresses of both arrays
 * again, and poisons what is unused, after they may have moved. */
hm_array_column hm_lists_column_of_units(hm_lists_blocks *blocks);
void hm_lists_place(hm_lists_blocks *blocks);

/* Whether the addresses are those of the arrays. */
bool hm_lists_is_placed(const hm_lists_blocks *blocks);

/* Returns the bytes from unit 0 to the end. */
size_t hm_lists_size(const hm_lists_blocks *blocks);

/* Gives back the pages behind the last block. */
hm_status hm_lists_trim_units(hm_lists_blocks *blocks);

/* Moves the blocks of lists without a capacity to a smaller range if at most half of theirs is in
 * use. As long as they share that of the records, they have the least already. */
hm_status hm_lists_shrink_range(hm_lists_blocks *blocks);

/* As hm_lists_defragment; never busy. */
hm_progress hm_lists_close_gaps(hm_lists_blocks *blocks, hm_frame_budget *budget);

/* Makes the next n pushes to a list succeed, until it becomes empty or the gaps are closed.
 * HM_ERROR_FULL, HM_ERROR_MEMORY: nothing has changed. May move the items; without a capacity all
 * blocks. If an item takes whole units, hm_lists_append_sized too finds room for all n, since an
 * exact block without room is exchanged for another one here. */
hm_status hm_lists_make_room(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t n);

/* Adds n items to a list, and returns the place of the first, unwritten; NULL, and the status, if
 * there is no room. `items` may be of these lists, and move: with their list, or with all. */
unsigned char *hm_lists_append(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t n,
                               const void **items, hm_status *status);

static inline unsigned char *hm_lists_item_at(const hm_lists_blocks *blocks,
                                              const hm_lists_record *record, uint32_t index)
{
    return hm_lists_address(blocks, record->unit + 1) + blocks->item_size * index;
}

/* Erases an item; the last one fills its place. */
void hm_lists_drop(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t index);

/* Drops the last items of a list that has more than `count`. The units that an exact block then has
 * too many are freed. */
void hm_lists_shrink(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t count);

/* Drops the items of a list, and gives its block back. */
void hm_lists_empty(hm_lists_blocks *blocks, hm_lists_record *record);

/* Makes the range empty, when no list has a block any more. */
void hm_lists_drop_blocks(hm_lists_blocks *blocks);

/* Makes room for so many units behind `end`. */
hm_status hm_lists_open_units(hm_lists_blocks *blocks, uint64_t size);

/* For a load, while the lists are busy, and no call sees blocks since `end` is 1; the caller sets
 * it while it opens units. Makes a free block, in front of `next` in the list of its class, of
 * which nothing is known yet. */
void hm_lists_put_free(hm_lists_blocks *blocks, uint32_t unit, uint32_t size, uint32_t next);

/* Makes lists of such blocks, with more than one unit, at units that rise. False: the next one of
 * some is none of them, or another class's, or they are not one list for each class. */
bool hm_lists_link_free(hm_lists_blocks *blocks, const uint32_t *units, uint32_t n);

/* Makes the blocks that fill the units up to `end`, with so many items, those of the lists. Says
 * that there are no gaps. */
void hm_lists_publish_blocks(hm_lists_blocks *blocks, uint32_t end, uint64_t items);

/* Returns the free block that follows a free one in the list of its class, or 0. */
uint32_t hm_lists_next_free(const hm_lists_blocks *blocks, uint32_t unit);

/* An hm_ids_mover for lists that have neither records nor blocks. */
hm_status hm_lists_move(void *lists, size_t capacity, size_t slots);

/* Makes room for the records of all slots that have an entry in memory; `grows` as in
 * hm_array_commit. */
hm_status hm_lists_prepare_records(hm_lists *lists, bool grows);

/* Passes a status on, and names the lists if memory was refused. */
hm_status hm_lists_blame(const hm_lists *lists, hm_status status);

hm_status hm_lists_validate_blocks(const hm_lists_blocks *blocks, uint32_t slot_count);

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

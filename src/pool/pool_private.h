/* SPDX-License-Identifier: MIT */
/* pool: functions for the folders above, then what its own sources share. */
#ifndef HANDLE_MAP_POOL_PRIVATE_H
#define HANDLE_MAP_POOL_PRIVATE_H

#include "../memory/poison_private.h"

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

#include <handle_map/pool.h>

static inline uint32_t hm_pool_type_id(const hm_pool *pool)
{
    return pool->fresh_entry >> (HM_HANDLE_TYPE_ID_SHIFT - HM_HANDLE_GENERATION_SHIFT);
}

/* Passes a status on, and names the pool if memory was refused. */
hm_status hm_pool_blame(const hm_pool *pool, hm_status status);

/* Callbacks run between these. */
void hm_pool_enter(hm_pool *pool);
void hm_pool_leave(hm_pool *pool);

/* Fill a pool that has issued nothing, and must seem so until the end: the caller writes entries,
 * words and `recent`, and the items.
 *
 * Make room for the entries, words and holes of `slots` slots, of which the first `filled` are to
 * be moved; for the items of n slots from `slot` on, which come in ascending order. */
hm_status hm_pool_fill_columns(hm_pool *pool, uint32_t filled, uint32_t slots);
hm_status hm_pool_fill_places(hm_pool *pool, uint32_t slot, uint32_t n);

/* Returns how many live slots follow one that is live, and lie behind it in memory. */
uint32_t hm_pool_fill_run(hm_pool *pool, uint32_t slots, uint32_t first);

/* The slots are the pool's own from now on; `recent`: the holes in `recent`.
 * HM_ERROR_MEMORY: they are not, since some of these holes have no memory. */
hm_status hm_pool_fill_end(hm_pool *pool, uint32_t slots, uint32_t count, uint32_t retired,
                           uint32_t recent);

/* Or the pool has nothing again; what is committed stays so until a trim. */
void hm_pool_fill_undo(hm_pool *pool);

/* Makes a pool without items one that has issued nothing. */
void hm_pool_forget(hm_pool *pool);

/* pool: what its sources share. Each calls only those below it:
 *
 *     container.c      a pool as a whole: init and fini, questions, validate
 *     batch.c          calls that take many handles
 *     fill.c           fills a pool with slots in any state
 *     slots.c          the life cycle of slots: insert, erase, trim
 *     columns.c        the memory of entries, words and levels
 *     storage.c        the memory of items, which units gain and lose
 *     extents.c        the slot of an address
 *     levels.c         the words of bits, runs in them, the levels above them, the recent holes
 *     units.c          where units, blocks and extents are
 *
 * The terms that all of them use:
 *     place    the bytes of a slot's item, whether or not it has one
 *     unit     what has memory or has none: a page of the one range, or a block, which holds whole
 *              places. A slot has its memory when all units that its place touches have theirs.
 *     extent   the units whose addresses are reserved by one call: the one range, a growing block,
 *              or some fixed blocks. An extent of blocks is reserved exactly while one of them has
 *              memory.
 *     range    of slots, from `first` to `end`
 */

/* The slots from `first` to `end`, of those that were issued. */
typedef struct hm_pool_range {
    uint32_t first, end;
} hm_pool_range;

typedef struct hm_pool_extent {
    size_t first, end; /* units */
} hm_pool_extent;

/* Returns the memory table; NULL for a zeroed pool. */
static inline const hm_memory *hm_pool_memory(const hm_pool *pool)
{
    return pool->entry_array.memory;
}

static inline bool hm_pool_in_one_range(const hm_pool *pool)
{
    return pool->places.storage == HM_POOL_ONE_RANGE;
}

static inline bool hm_pool_in_fixed_blocks(const hm_pool *pool)
{
    return pool->places.storage == HM_POOL_FIXED_BLOCKS;
}

static inline uint32_t hm_pool_entry_generation(uint32_t entry)
{
    return entry & HM_HANDLE_MAX_GENERATION;
}

/* Whether a slot below slot_count is promised. */
static inline bool hm_pool_is_promised(const hm_pool *pool, uint32_t slot)
{
    return ((pool->entries[slot] ^ pool->fresh_entry) & HM_POOL_PROMISED_MASK) != 0;
}

/* Returns erase_limit, unless the pool is busy. */
static inline uint32_t hm_pool_erase_limit(const hm_pool *pool)
{
    return pool->destroy != NULL ? 0 : pool->places.last_generation;
}

static inline uint32_t hm_pool_promised(const hm_pool *pool)
{
    return hm_promises_count(pool->promises);
}

/* Returns how many items fit beside the promised ones. */
static inline uint32_t hm_pool_limit(const hm_pool *pool)
{
    return pool->capacity - hm_pool_promised(pool);
}

/* Returns how many slots are neither live, nor retired, nor promised. */
static inline uint32_t hm_pool_hole_count(const hm_pool *pool)
{
    return pool->slot_count - pool->count - pool->retired_count - hm_pool_promised(pool);
}

static inline uint32_t hm_pool_word_count(uint64_t slots)
{
    return (uint32_t)((slots + HM_POOL_WORD - 1) / HM_POOL_WORD);
}

static inline uint32_t hm_pool_at_most(uint64_t slots, uint32_t limit)
{
    return slots < limit ? (uint32_t)slots : limit;
}

/* units.c, and here what is needed for each unit or address */

/* Returns how many slots end at or before the beginning of a unit. */
static inline uint64_t hm_pool_slots_below(const hm_pool *pool, size_t unit)
{
    if (hm_pool_in_one_range(pool))
        return unit * hm_pool_memory(pool)->page_size / pool->item_size;
    if (hm_pool_in_fixed_blocks(pool))
        return (uint64_t)unit << pool->places.first_block;
    return UINT64_C(1) << unit & ~(uint64_t)pool->places.first_block;
}

/* Returns how far a block's first slot is from its base, in bytes, as hm_pool_place_in counts. */
static inline uintptr_t hm_pool_block_offset(const hm_pool *pool, size_t block)
{
    return (uintptr_t)(pool->item_size * hm_pool_slots_below(pool, block));
}

/* Returns where a block begins, or NULL when it has no memory. */
static inline unsigned char *hm_pool_block_start(const hm_pool *pool, size_t block)
{
    return (unsigned char *)(pool->places.bases[block] + hm_pool_block_offset(pool, block));
}

/* Returns the bytes of a block. Fixed ones have one size; the last growing one ends at max_slots.
 */
static inline size_t hm_pool_block_size(const hm_pool *pool, size_t block)
{
    uint64_t below = hm_pool_slots_below(pool, block), rest = pool->max_slots - below;
    uint64_t items = hm_pool_slots_below(pool, block + 1) - below;
    size_t held = (size_t)(items < rest || hm_pool_in_fixed_blocks(pool) ? items : rest);
    return hm_memory_round_up(pool->item_size * held, hm_pool_memory(pool)->page_size);
}

/* The word with the bit of a page, in one range. */
static inline uint64_t *hm_pool_page_word(const hm_pool *pool, size_t page)
{
    return (uint64_t *)(void *)pool->unit_array.data + page / HM_POOL_WORD;
}

/* Whether a unit has memory. */
static inline bool hm_pool_is_present(const hm_pool *pool, size_t unit)
{
    if (unit >= pool->unit_end)
        return false;
    if (hm_pool_in_one_range(pool))
        return (*hm_pool_page_word(pool, unit) >> unit % HM_POOL_WORD & 1) != 0;
    return hm_pool_block_start(pool, unit) != NULL;
}

/* Chooses the sizes of blocks and extents; `size` as in the descriptor. */
void hm_pool_blocks_init(hm_pool *pool, size_t size);

/* Returns the number of units for max_slots. */
size_t hm_pool_unit_count(const hm_pool *pool);

/* The units that a slot's place touches. */
size_t hm_pool_first_unit(const hm_pool *pool, uint32_t slot);
size_t hm_pool_last_unit(const hm_pool *pool, uint32_t slot);

/* The units that are reserved together with this one: of the fixed blocks 1, 1, 2, 4, ... up to a
 * maximum, and then always that. So a small pool is small, and the blocks of a large one follow
 * each other in memory, which suits caches and page tables. */
hm_pool_extent hm_pool_extent_of(const hm_pool *pool, size_t unit);

/* Returns where an extent of blocks is, or NULL when it is not reserved. */
unsigned char *hm_pool_extent_start(const hm_pool *pool, hm_pool_extent extent);

/* Returns how many units the extents of so many slots have, at least one; of growing blocks all. */
size_t hm_pool_units_for(const hm_pool *pool, uint32_t slots);

/* The issued slots whose places touch the units from `first` to `end`. */
hm_pool_range hm_pool_slots_of(const hm_pool *pool, size_t first, size_t end);

/* Whether a slot has all of its memory. */
bool hm_pool_has_memory(const hm_pool *pool, uint32_t slot);

/* Returns the end of the slots whose places follow this one's without a gap. */
uint32_t hm_pool_run_end(const hm_pool *pool, uint32_t slot);

/* Whether the blocks are in place within their extents, and the reserved size is right. */
bool hm_pool_blocks_are_valid(const hm_pool *pool);

/* levels.c */

/* The holes of a word. */
static inline uint64_t hm_pool_holes(const hm_pool *pool, uint32_t word)
{
    return pool->words[word].live ^ pool->words[word].open;
}

/* Returns a level. They follow each other, and their sizes follow from that of the words. */
static inline uint64_t *hm_pool_level(const hm_pool *pool, uint32_t level)
{
    uint64_t *found = pool->listed;
    for (size_t size = pool->word_array.capacity; level > 0; level--)
        found += size = hm_pool_word_count(size);
    return found;
}

/* The word has lost its last hole that is not recent; hm_pool_list_word: it has its first. */
void hm_pool_unlist_word(hm_pool *pool, uint32_t word);

/* None is recent any more: the lowest of all is filled next. */
void hm_pool_forget_recent(hm_pool *pool);

/* Returns the holes of a word that are not recent. */
uint64_t hm_pool_listed_holes(const hm_pool *pool, uint32_t word);

/* Returns the lowest listed word, whether or not its holes are cold; or HM_INVALID_INDEX. */
uint32_t hm_pool_lowest_listed(const hm_pool *pool);

/* Makes all levels above the lowest one, which are 0, agree with it. */
void hm_pool_raise_levels(hm_pool *pool);

/* Sets hole_word, after holes have become cold or are cold no more, and has_cold. */
void hm_pool_choose_hole_word(hm_pool *pool);

/* Whether the range has a live slot. */
bool hm_pool_any_live(const hm_pool *pool, hm_pool_range range);

/* Whether all bits behind the slots are 0, the recent holes are holes, each once, and the levels
 * and hole_word agree with the words. There is at least one slot. */
bool hm_pool_levels_are_valid(const hm_pool *pool);

/* extents.c */

/* Returns the first blocks of the extents that are reserved. */
static inline uint32_t *hm_pool_extents(const hm_pool *pool)
{
    return (uint32_t *)(void *)pool->extent_array.data;
}

/* An extent was reserved, and is not sorted in yet; or will be released, and still has memory. */
void hm_pool_extents_add(hm_pool *pool, hm_pool_extent extent, const unsigned char *start);
void hm_pool_extents_remove(hm_pool *pool, const unsigned char *start);

/* Returns the slot whose place an address lies in, or HM_INVALID_INDEX. */
uint32_t hm_pool_slot_at(const hm_pool *pool, const void *address);

/* Whether the extents are reserved, and sorted by their addresses. */
bool hm_pool_extents_are_valid(const hm_pool *pool);

/* storage.c */

/* Lists two arrays for so many slots, to make them or, in blocks, to move them. Of the items of one
 * range, whose memory has gaps, only the place is kept: `items` needs to exist until `place` has
 * taken it. */
uint32_t hm_pool_storage_list(hm_pool *pool, uint32_t slots, size_t item_align, hm_array *items,
                              hm_array_column *columns);
void hm_pool_storage_place(hm_pool *pool, const hm_array *items);
void hm_pool_storage_fini(hm_pool *pool);

/* Finds the bases where they are now, and sets those that have memory since there were `before`:
 * they have to say which blocks have none. */
void hm_pool_storage_place_bases(hm_pool *pool, size_t before);

/* Makes the memory of the next n slots ready, which were never issued. */
hm_status hm_pool_storage_grow(hm_pool *pool, uint32_t n);

/* Returns the end of the slots from slot_count on that have their memory already. */
uint32_t hm_pool_storage_fresh_end(const hm_pool *pool);

/* The same for a pool that grows by itself, after grow: makes the next part of that memory
 * resident if hm_memory_resident_size says so, and returns its end, where the next part is asked
 * for. */
uint32_t hm_pool_storage_bring_more(const hm_pool *pool, uint32_t n);

/* Brings back the memory that a hole lacks, if it is cold, and some of what follows it. */
hm_status hm_pool_storage_revive(hm_pool *pool, uint32_t slot);

/* Gives back the memory without live slots. A failure may have given back some. */
hm_status hm_pool_storage_trim(hm_pool *pool);

/* Whether the counts and the extents agree with the units that have memory. */
bool hm_pool_storage_is_valid(const hm_pool *pool);

/* columns.c */

/* Returns for how many slots a pool has columns at first; `moves_to_grow`: without a capacity. */
uint32_t hm_pool_first_slots(const hm_pool *pool, bool moves_to_grow);

enum { HM_POOL_COLUMNS = 5 /* arrays in one range, at most */ };

/* Lists three arrays for so many slots, of which the first is to own the range, and finds them once
 * they are there. */
uint32_t hm_pool_columns_list(hm_pool *pool, uint32_t slots, hm_array_column *columns);
void hm_pool_columns_place(hm_pool *pool);
void hm_pool_columns_fini(hm_pool *pool);

/* Commits entries, bits and levels for `slots` slots; `grows` as in hm_array_commit. */
hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows);

/* Returns the number of slots whose entries, bits and levels are committed. */
uint32_t hm_pool_columns_limit(const hm_pool *pool);

/* Gives back what no issued slot needs. */
hm_status hm_pool_columns_trim(hm_pool *pool);

/* Whether the pool's pointers are those of the columns. */
bool hm_pool_columns_are_valid(const hm_pool *pool);

/* slots.c */

/* No slot is fresh while a hole is cold, so that insert meets the hole first. `items`: the end of
 * the slots whose items have memory. */
void hm_pool_set_fresh_end(hm_pool *pool, uint32_t items);

/* As hm_pool_reserve; `grows` as in hm_array_commit. */
hm_status hm_pool_prepare(hm_pool *pool, uint32_t n, bool grows);

#endif

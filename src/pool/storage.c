/* SPDX-License-Identifier: MIT */
/* pool_storage: the memory of a pool's items, in units that come and go.
 *
 *     one range    units are pages, which cut through items:
 *                  slots    |  0  |  1  |  2  |  3  |  4  |  5  |
 *                  pages    |    0    |    1    |    2    |    3  present: a bit each
 *
 *     blocks       units are blocks, which hold whole items:
 *                  block 0: | 0 | 1 | 2 | 3 |    block 1: absent    block 2: | 8 | 9 | 10 | 11 |
 *
 * The addresses of units are reserved in *pieces*, one or many units at a time. A piece of blocks
 * is reserved exactly while one of its blocks has memory, which tells where the others have their
 * place.
 *
 * All that differs between the storages is in the first half of this file. */
#include "pool_private.h"

#include "../array_private.h"
#include "../memory/memory_private.h"

static const size_t pool_default_block_size = (size_t)16 << 10; /* bytes */

enum {
    POOL_MIN_BUCKETS = 64,     /* places */
    POOL_MAX_PIECE_BLOCKS = 64 /* fixed blocks that are reserved at once */
};

static const size_t pool_max_piece = (size_t)2
                                     << 20; /* bytes, where a piece is more than a block */

typedef struct hm_pool_piece {
    size_t first, end; /* units */
} hm_pool_piece;

static bool hm_pool_is_one_range(const hm_pool *pool)
{
    return pool->places.in_one_range;
}

/* Units and slots */

/* Returns how many slots end at or before the beginning of a unit. */
static uint64_t hm_pool_slots_below(const hm_pool *pool, size_t unit)
{
    if (hm_pool_is_one_range(pool))
        return unit * pool->memory->page_size / pool->item_size;
    if (pool->places.in_fixed_blocks)
        return (uint64_t)unit << pool->places.block_shift;
    return hm_pool_growing_place(0) * ((UINT64_C(1) << unit) - 1);
}

static size_t hm_pool_first_unit(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_is_one_range(pool))
        return pool->item_size * slot / pool->memory->page_size;
    if (pool->places.in_fixed_blocks)
        return slot >> pool->places.block_shift;
    return hm_bits_highest(hm_pool_growing_place(slot)) - HM_POOL_FIRST_BLOCK_SHIFT;
}

static size_t hm_pool_last_unit(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_is_one_range(pool))
        return (pool->item_size * slot + pool->item_size - 1) / pool->memory->page_size;
    return hm_pool_first_unit(pool, slot);
}

static uint32_t pool_at_most(uint64_t slots, uint32_t limit)
{
    return slots < limit ? (uint32_t)slots : limit;
}

/* The units that are reserved together with this one. Of the fixed blocks 1, 1, 2, 4, ... and then
 * always the most: so a small pool is small, and the blocks of a large one follow each other in
 * memory, which is what caches and page tables guess. */
static hm_pool_piece hm_pool_piece_of(const hm_pool *pool, size_t unit)
{
    if (hm_pool_is_one_range(pool))
        return (hm_pool_piece){0, pool->unit_count};
    if (!pool->places.in_fixed_blocks || unit == 0)
        return (hm_pool_piece){unit, unit + 1};
    size_t first = unit - unit % pool->piece_blocks, end = first + pool->piece_blocks;
    if (first == 0) {
        first = (size_t)1 << hm_bits_highest(unit);
        end = 2 * first;
    }
    return (hm_pool_piece){first, end < pool->unit_count ? end : pool->unit_count};
}

/* The issued slots that have a part in the units from `first` to `end`. */
static hm_pool_range hm_pool_slots_of(const hm_pool *pool, size_t first, size_t end)
{
    uint64_t last = hm_pool_slots_below(pool, end);
    if (hm_pool_is_one_range(pool) && end * pool->memory->page_size % pool->item_size != 0)
        last++;
    return (hm_pool_range){pool_at_most(hm_pool_slots_below(pool, first), pool->slot_count),
                           pool_at_most(last, pool->slot_count)};
}

static uint64_t *hm_pool_page_word(const hm_pool *pool, size_t page)
{
    return (uint64_t *)(void *)pool->unit_array.data + page / HM_POOL_WORD;
}

/* How far a block's first slot is from its base, in bytes; hm_pool_place_in counts like this. */
static uintptr_t hm_pool_block_offset(const hm_pool *pool, size_t block)
{
    uint64_t first = hm_pool_slots_below(pool, block);
    if (!pool->places.in_fixed_blocks)
        first = hm_pool_growing_place((uint32_t)first);
    return (uintptr_t)(pool->item_size * first);
}

/* Returns where a block begins, or NULL when it has no memory. */
static unsigned char *hm_pool_block_start(const hm_pool *pool, size_t block)
{
    return (unsigned char *)(pool->places.bases[block] + hm_pool_block_offset(pool, block));
}

static void hm_pool_set_block_start(hm_pool *pool, size_t block, const unsigned char *address)
{
    pool->places.bases[block] = (uintptr_t)address - hm_pool_block_offset(pool, block);
}

static bool hm_pool_is_present(const hm_pool *pool, size_t unit)
{
    if (unit >= pool->unit_end)
        return false;
    if (hm_pool_is_one_range(pool))
        return (*hm_pool_page_word(pool, unit) >> unit % HM_POOL_WORD & 1) != 0;
    return hm_pool_block_start(pool, unit) != NULL;
}

/* Bytes of a block. Fixed ones have one size; the last of the growing ones ends with the slots. */
static size_t hm_pool_block_size(const hm_pool *pool, size_t block)
{
    if (pool->places.in_fixed_blocks)
        return hm_memory_round_up(pool->item_size << pool->places.block_shift,
                                  pool->memory->page_size);
    uint64_t items = hm_pool_slots_below(pool, block + 1) - hm_pool_slots_below(pool, block);
    uint64_t rest = pool->max_slots - hm_pool_slots_below(pool, block);
    size_t held = (size_t)(items < rest ? items : rest);
    return hm_memory_round_up(pool->item_size * held, pool->memory->page_size);
}

/* Where the blocks are: a hash table over the addresses, so that a pointer finds its block and a
 * new block costs the same however many there are. Addresses are cut into cells that are no larger
 * than a block, so that at most one block begins in each, and a pointer's block begins in one of
 * the three cells up to its own. */

static uint64_t pool_cell_of(const hm_pool *pool, const void *address)
{
    return (uint64_t)(uintptr_t)address >> pool->cell_shift;
}

/* The place of the block that begins in a cell, or the free one where it would stand. */
static uint32_t *pool_index_bucket(const hm_pool *pool, uint64_t cell)
{
    uint32_t *table = (uint32_t *)(void *)pool->index_array.data;
    size_t mask = pool->index_size - 1;
    uint64_t hash = cell * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 by the golden ratio */
    size_t i = (size_t)(hash >> 32) & mask;
    while (table[i] != 0 && pool_cell_of(pool, hm_pool_block_start(pool, table[i] - 1)) != cell)
        i = (i + 1) & mask;
    return &table[i];
}

static void hm_pool_index_all(hm_pool *pool)
{
    memset(pool->index_array.data, 0, pool->index_size * sizeof(uint32_t));
    for (size_t i = 0; i < pool->unit_end; i++)
        if (hm_pool_block_start(pool, i) != NULL)
            *pool_index_bucket(pool, pool_cell_of(pool, hm_pool_block_start(pool, i))) =
                (uint32_t)i + 1;
}

/* Keeps the table at most half full with so many blocks more. */
static hm_status hm_pool_index_reserve(hm_pool *pool, size_t more)
{
    size_t size = pool->index_size != 0 ? pool->index_size : POOL_MIN_BUCKETS;
    while (2 * (pool->block_count + more) > size)
        size *= 2;
    if (size == pool->index_size)
        return HM_OK;
    hm_status status = hm_array_commit(&pool->index_array, size, false);
    if (status != HM_OK)
        return status;
    pool->index_size = size;
    hm_pool_index_all(pool);
    return HM_OK;
}

/* Bringing units and dropping them */

/* All bases that are committed are set. */
static hm_status pool_make_base_room(hm_pool *pool, size_t blocks)
{
    size_t before = pool->unit_array.limit;
    hm_status status = hm_array_commit(&pool->unit_array, blocks, false);
    for (size_t block = before; block < pool->unit_array.limit; block++)
        hm_pool_set_block_start(pool, block, NULL);
    return status;
}

/* Returns where a piece of blocks is, or NULL when it is not reserved. */
static unsigned char *hm_pool_piece_start(const hm_pool *pool, hm_pool_piece p)
{
    for (size_t i = p.first; i < p.end; i++)
        if (hm_pool_block_start(pool, i) != NULL)
            return hm_pool_block_start(pool, i) - (i - p.first) * hm_pool_block_size(pool, i);
    return NULL;
}

static void pool_release_piece(hm_pool *pool, hm_pool_piece p, unsigned char *address)
{
    size_t size = (p.end - p.first) * hm_pool_block_size(pool, p.first);
    hm_memory_unpoison(address, size);
    pool->memory->release(pool->memory->context, address, size);
    pool->item_reserved_size -= size;
}

/* Poisoned again either way: holes stay holes, and decommitted memory need not fault. */
static hm_status pool_decommit(const hm_pool *pool, unsigned char *address, size_t size)
{
    hm_memory_unpoison(address, size); /* The table's function may write there. */
    hm_status status = hm_memory_decommit(pool->memory, address, size);
    hm_memory_poison(address, size);
    return status;
}

/* Brings absent blocks of one piece. */
static hm_status pool_bring_blocks(hm_pool *pool, size_t first, size_t end)
{
    hm_pool_piece p = hm_pool_piece_of(pool, first);
    size_t size = hm_pool_block_size(pool, first);
    hm_status status = pool_make_base_room(pool, p.end);
    if (status == HM_OK && pool->places.in_fixed_blocks)
        status = hm_pool_index_reserve(pool, end - first);
    if (status != HM_OK)
        return status;
    unsigned char *start = hm_pool_piece_start(pool, p);
    bool is_new = start == NULL;
    if (is_new) {
        status = hm_memory_reserve(pool->memory, (p.end - p.first) * size, &start);
        if (status != HM_OK)
            return status;
        pool->item_reserved_size += (p.end - p.first) * size;
    }
    unsigned char *address = start + (first - p.first) * size;
    status = hm_memory_commit(pool->memory, address, (end - first) * size);
    if (status != HM_OK) {
        if (is_new)
            pool_release_piece(pool, p, start);
        return status;
    }
    hm_memory_poison(address, (end - first) * size);
    pool->item_committed_size += (end - first) * size;
    pool->block_count += end - first;
    for (size_t block = first; block < end; block++, address += size) {
        hm_pool_set_block_start(pool, block, address);
        if (pool->places.in_fixed_blocks)
            *pool_index_bucket(pool, pool_cell_of(pool, address)) = (uint32_t)block + 1;
    }
    return HM_OK;
}

/* Drops blocks of one piece that have memory, and the piece with the last of them. */
static hm_status pool_drop_blocks(hm_pool *pool, size_t first, size_t end)
{
    hm_pool_piece p = hm_pool_piece_of(pool, first);
    unsigned char *start = hm_pool_piece_start(pool, p);
    unsigned char *address = hm_pool_block_start(pool, first);
    size_t size = (end - first) * hm_pool_block_size(pool, first);
    size_t others = 0;
    for (size_t block = p.first; block < p.end; block++)
        others += (block < first || block >= end) && hm_pool_block_start(pool, block) != NULL;
    hm_status status = HM_OK;
    if (others == 0)
        pool_release_piece(pool, p, start);
    else
        status = pool_decommit(pool, address, size);
    if (status != HM_OK)
        return status;
    for (size_t block = first; block < end; block++)
        hm_pool_set_block_start(pool, block, NULL);
    pool->block_count -= end - first;
    pool->item_committed_size -= size;
    return HM_OK;
}

static hm_status pool_bring_pages(hm_pool *pool, size_t first, size_t end)
{
    unsigned char *address = pool->places.items + first * pool->memory->page_size;
    size_t size = (end - first) * pool->memory->page_size;
    hm_status status = hm_array_commit(&pool->unit_array, (end - 1) / HM_POOL_WORD + 1, false);
    if (status == HM_OK)
        status = hm_memory_commit(pool->memory, address, size);
    if (status != HM_OK)
        return status;
    hm_memory_poison(address, size);
    for (size_t page = first; page < end; page++)
        *hm_pool_page_word(pool, page) |= UINT64_C(1) << page % HM_POOL_WORD;
    pool->item_committed_size += size;
    return HM_OK;
}

static hm_status pool_drop_pages(hm_pool *pool, size_t first, size_t end)
{
    size_t page_size = pool->memory->page_size;
    size_t size = (end - first) * page_size;
    hm_status status = pool_decommit(pool, pool->places.items + first * page_size, size);
    if (status != HM_OK)
        return status;
    for (size_t page = first; page < end; page++)
        *hm_pool_page_word(pool, page) &= ~(UINT64_C(1) << page % HM_POOL_WORD);
    pool->item_committed_size -= size;
    return HM_OK;
}

/* Brings absent units of one piece. */
static hm_status pool_bring(hm_pool *pool, size_t first, size_t end)
{
    hm_status status = hm_pool_is_one_range(pool) ? pool_bring_pages(pool, first, end)
                                                  : pool_bring_blocks(pool, first, end);
    if (status == HM_OK && pool->unit_end < end)
        pool->unit_end = end;
    return status;
}

/* From here on a unit is a unit */

static size_t hm_pool_unit_size(const hm_pool *pool, size_t unit)
{
    return hm_pool_is_one_range(pool) ? pool->memory->page_size : hm_pool_block_size(pool, unit);
}

static unsigned char *hm_pool_unit_start(const hm_pool *pool, size_t unit)
{
    if (hm_pool_is_one_range(pool))
        return pool->places.items + unit * pool->memory->page_size;
    return hm_pool_block_start(pool, unit);
}

/* How many units a step of growth brings, of one piece. Pages come in rows from the start; the
 * first blocks come one by one. */
static size_t pool_growth(const hm_pool *pool)
{
    size_t size = hm_memory_growth(pool->item_committed_size);
    if (!hm_pool_is_one_range(pool) && pool->item_committed_size / 4 < size)
        size = pool->item_committed_size / 4;
    return size > hm_pool_unit_size(pool, 0) ? size / hm_pool_unit_size(pool, 0) : 1;
}

/* What is asked for is one commit of each piece, and where that is less than a step, it is a step.
 */
hm_status hm_pool_storage_grow(hm_pool *pool, uint32_t n, bool grows)
{
    size_t end = hm_pool_last_unit(pool, pool->slot_count + n - 1) + 1;
    size_t stop;
    for (size_t unit = hm_pool_first_unit(pool, pool->slot_count); unit < end; unit = stop) {
        stop = unit + 1;
        if (hm_pool_is_present(pool, unit))
            continue;
        /* Behind the first one that is absent here, all are. */
        size_t most = hm_pool_piece_of(pool, unit).end, step = pool_growth(pool);
        bool is_step = end - unit < step;
        stop = is_step ? unit + step : end;
        if (stop > most)
            stop = most;
        hm_status status = pool_bring(pool, unit, stop);
        if (status != HM_OK)
            return status;
        if (grows && is_step)
            hm_memory_prefault(pool->memory, hm_pool_unit_start(pool, unit),
                               (stop - unit) * hm_pool_unit_size(pool, unit));
    }
    return HM_OK;
}

uint32_t hm_pool_storage_fresh_end(const hm_pool *pool)
{
    if (pool->slot_count == pool->max_slots)
        return pool->max_slots;
    size_t unit = hm_pool_first_unit(pool, pool->slot_count);
    while (hm_pool_is_present(pool, unit))
        unit++;
    uint32_t end = pool_at_most(hm_pool_slots_below(pool, unit), pool->max_slots);
    return end > pool->slot_count ? end : pool->slot_count;
}

hm_status hm_pool_storage_revive(hm_pool *pool, hm_pool_range *back)
{
    size_t unit = pool->absent_from;
    while (hm_pool_is_present(pool, unit) ||
           !hm_pool_any_cold(pool, hm_pool_slots_of(pool, unit, unit + 1)))
        unit++;
    pool->absent_from = unit;
    /* No further than the slots that were issued. */
    size_t end = hm_pool_last_unit(pool, pool->slot_count - 1) + 1;
    size_t most = hm_pool_is_one_range(pool) ? hm_memory_growth(0) / pool->memory->page_size : 1;
    size_t stop = unit + 1;
    while (stop < end && stop - unit < most && !hm_pool_is_present(pool, stop))
        stop++;
    *back = hm_pool_slots_of(pool, unit, stop);
    return pool_bring(pool, unit, stop);
}

hm_status hm_pool_storage_drop(hm_pool *pool, size_t *unit, hm_pool_range *gone)
{
    *gone = (hm_pool_range){0, 0};
    for (size_t first = *unit; first < pool->unit_end; first++) {
        size_t end = first, most = hm_pool_piece_of(pool, first).end;
        while (end < most && hm_pool_is_present(pool, end) &&
               !hm_pool_any_live(pool, hm_pool_slots_of(pool, end, end + 1)))
            end++;
        if (end == first)
            continue;
        hm_status status = hm_pool_is_one_range(pool) ? pool_drop_pages(pool, first, end)
                                                      : pool_drop_blocks(pool, first, end);
        if (status == HM_OK)
            *gone = hm_pool_slots_of(pool, first, end);
        *unit = end;
        return status;
    }
    *unit = pool->unit_end;
    return HM_OK;
}

void hm_pool_storage_settle(hm_pool *pool)
{
    pool->absent_from = 0;
    while (pool->unit_end != 0 && !hm_pool_is_present(pool, pool->unit_end - 1))
        pool->unit_end--;
    if (pool->index_size != 0)
        hm_pool_index_all(pool);
}

bool hm_pool_storage_has(const hm_pool *pool, uint32_t slot)
{
    size_t end = hm_pool_last_unit(pool, slot) + 1;
    size_t unit = hm_pool_first_unit(pool, slot);
    while (unit < end && hm_pool_is_present(pool, unit))
        unit++;
    return unit == end;
}

uint32_t hm_pool_storage_run_end(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_is_one_range(pool))
        return pool->slot_count;
    size_t block = hm_pool_first_unit(pool, slot);
    bool is_filled = pool->item_size << pool->places.block_shift == hm_pool_block_size(pool, block);
    size_t end = is_filled ? hm_pool_piece_of(pool, block).end : block + 1;
    return pool_at_most(hm_pool_slots_below(pool, end), pool->slot_count);
}

/* Pointers into nothing of ours */

/* Returns the block that holds an address, or unit_end. */
static size_t pool_find_block(const hm_pool *pool, const void *address)
{
    if (!pool->places.in_fixed_blocks) {
        size_t block = 0;
        while (block < pool->unit_end &&
               (hm_pool_block_start(pool, block) == NULL ||
                (uintptr_t)address - (uintptr_t)hm_pool_block_start(pool, block) >=
                    hm_pool_block_size(pool, block)))
            block++;
        return block;
    }
    for (uint64_t back = 0; back < 3; back++) {
        uint32_t found = *pool_index_bucket(pool, pool_cell_of(pool, address) - back);
        if (found != 0 && (uintptr_t)address - (uintptr_t)hm_pool_block_start(pool, found - 1) <
                              hm_pool_block_size(pool, found - 1))
            return found - 1;
    }
    return pool->unit_end;
}

/* Addresses are compared as numbers: they may be of unrelated objects. What is below wraps around
 * and is too large. */
uint32_t hm_pool_storage_find(const hm_pool *pool, const void *address)
{
    const unsigned char *start = pool->places.items;
    uint64_t below = 0, held = pool->slot_count;
    if (!hm_pool_is_one_range(pool)) {
        size_t block = pool_find_block(pool, address);
        if (block == pool->unit_end)
            return HM_INVALID_INDEX;
        start = hm_pool_block_start(pool, block);
        below = hm_pool_slots_below(pool, block);
        held = hm_pool_slots_below(pool, block + 1) - below;
    }
    uint64_t place = ((uintptr_t)address - (uintptr_t)start) / pool->item_size;
    return place < held && below + place < pool->slot_count ? (uint32_t)(below + place)
                                                            : HM_INVALID_INDEX;
}

/* init and fini */

static hm_status pool_init_range(hm_pool *pool)
{
    size_t page_size = pool->memory->page_size;
    size_t size = hm_memory_round_up(pool->item_size * pool->max_slots, page_size);
    pool->unit_count = size / page_size;
    hm_array_desc units = {.item_size = sizeof(uint64_t), .memory = pool->memory};
    units.capacity = (pool->unit_count - 1) / HM_POOL_WORD + 1;
    units.commit_step = page_size;
    hm_status status = hm_array_init(&pool->unit_array, &units);
    if (status == HM_OK)
        status = hm_memory_reserve(pool->memory, size, &pool->places.items);
    if (status == HM_OK)
        pool->item_reserved_size = size;
    return status;
}

/* The smallest power of two of items that fills the bytes, but not more than there will be. */
static uint32_t pool_fixed_block_shift(const hm_pool *pool, size_t size)
{
    uint32_t shift = 0;
    if (size == 0)
        size = pool_default_block_size;
    if (size < HM_MEMORY_ALIGNMENT)
        size = HM_MEMORY_ALIGNMENT;
    if (size < pool->memory->page_size)
        size = pool->memory->page_size;
    while (pool->item_size << shift < size && UINT64_C(1) << shift < pool->max_slots && shift < 31)
        shift++;
    return shift;
}

/* Whether a block may end within a word of bits. */
static bool pool_ends_in_words(const hm_pool *pool)
{
    return !pool->places.in_fixed_blocks || UINT64_C(1) << pool->places.block_shift < HM_POOL_WORD;
}

static hm_status pool_init_blocks(hm_pool *pool, size_t size)
{
    hm_array_desc units = {.item_size = sizeof(uintptr_t), .memory = pool->memory};
    hm_array_desc index = {.item_size = sizeof(uint32_t), .memory = pool->memory};
    bool is_fixed = pool->places.in_fixed_blocks;
    pool->places.block_shift = is_fixed ? pool_fixed_block_shift(pool, size) : 0;
    pool->blocks_end_in_words = pool_ends_in_words(pool);
    pool->piece_blocks = 1;
    while (pool->piece_blocks < POOL_MAX_PIECE_BLOCKS &&
           2 * pool->piece_blocks <= pool_max_piece / hm_pool_block_size(pool, 0))
        pool->piece_blocks *= 2;
    pool->unit_count = hm_pool_first_unit(pool, pool->max_slots - 1) + 1;
    units.capacity = pool->unit_count;
    units.commit_step = index.commit_step = pool->memory->page_size;
    hm_status status = hm_array_init(&pool->unit_array, &units);
    if (status != HM_OK)
        return status;
    pool->places.bases = (uintptr_t *)(void *)pool->unit_array.data;
    if (!is_fixed)
        return HM_OK;
    pool->cell_shift = hm_bits_highest(hm_pool_block_size(pool, 0));
    index.capacity = POOL_MIN_BUCKETS;
    while (index.capacity < 2 * pool->unit_count)
        index.capacity *= 2;
    return hm_array_init(&pool->index_array, &index);
}

hm_status hm_pool_storage_init(hm_pool *pool, const hm_pool_desc *desc)
{
    return hm_pool_is_one_range(pool) ? pool_init_range(pool)
                                      : pool_init_blocks(pool, desc->block_size);
}

void hm_pool_storage_fini(hm_pool *pool)
{
    if (pool->places.items != NULL) {
        /* Pages that trim has dropped are poisoned too; all that ever came have a committed bit. */
        size_t pages = pool->unit_array.limit * HM_POOL_WORD;
        if (pages > pool->unit_count)
            pages = pool->unit_count;
        hm_memory_unpoison(pool->places.items, pages * pool->memory->page_size);
        pool->memory->release(pool->memory->context, pool->places.items, pool->item_reserved_size);
    }
    for (hm_pool_piece p = {0, 0}; pool->places.bases != NULL && p.first < pool->unit_end;
         p.first = p.end) {
        p = hm_pool_piece_of(pool, p.first);
        unsigned char *address = hm_pool_piece_start(pool, p);
        if (address != NULL)
            pool_release_piece(pool, p, address);
    }
    hm_array_fini(&pool->index_array);
    hm_array_fini(&pool->unit_array);
}

/* Whether the blocks stand where their pieces have room for them, and the pieces are counted. */
static bool hm_pool_pieces_are_valid(const hm_pool *pool)
{
    size_t reserved = 0;
    for (hm_pool_piece p = {0, 0}; p.first < pool->unit_end; p.first = p.end) {
        p = hm_pool_piece_of(pool, p.first);
        unsigned char *address = hm_pool_piece_start(pool, p);
        size_t size = hm_pool_block_size(pool, p.first);
        if (address == NULL)
            continue;
        if ((uintptr_t)address % HM_MEMORY_ALIGNMENT != 0)
            return false;
        reserved += (p.end - p.first) * size;
        for (size_t block = p.first; block < p.end; block++, address += size)
            if (hm_pool_block_start(pool, block) != NULL &&
                hm_pool_block_start(pool, block) != address)
                return false;
    }
    return reserved == pool->item_reserved_size;
}

/* Whether the hash table leads to each block, and to nothing else. */
static bool hm_pool_index_is_valid(const hm_pool *pool)
{
    const uint32_t *table = (const uint32_t *)(const void *)pool->index_array.data;
    size_t held = 0;
    for (size_t i = 0; i < pool->index_size; i++)
        held += table[i] != 0;
    for (size_t block = 0; block < pool->unit_end; block++)
        if (hm_pool_block_start(pool, block) != NULL &&
            pool_find_block(pool, hm_pool_block_start(pool, block)) != block)
            return false;
    return held == (pool->places.in_fixed_blocks ? pool->block_count : 0);
}

bool hm_pool_storage_is_valid(const hm_pool *pool)
{
    size_t present = 0, size = 0;
    if (!hm_pool_is_one_range(pool) &&
        (const void *)pool->places.bases != hm_array_data(&pool->unit_array))
        return false;
    if (pool->unit_end > pool->unit_count ||
        (pool->unit_end != 0 && !hm_pool_is_present(pool, pool->unit_end - 1)))
        return false;
    for (size_t unit = 0; unit < pool->unit_end; unit++) {
        if (!hm_pool_is_present(pool, unit)) {
            /* Reviving begins at absent_from. */
            if (unit < pool->absent_from &&
                hm_pool_any_cold(pool, hm_pool_slots_of(pool, unit, unit + 1)))
                return false;
            continue;
        }
        present++;
        size +=
            hm_pool_is_one_range(pool) ? pool->memory->page_size : hm_pool_block_size(pool, unit);
    }
    if (size != pool->item_committed_size)
        return false;
    if (hm_pool_is_one_range(pool))
        return true;
    for (size_t block = pool->unit_end; block < pool->unit_array.limit; block++)
        if (hm_pool_block_start(pool, block) != NULL)
            return false;
    return present == pool->block_count && pool->blocks_end_in_words == pool_ends_in_words(pool) &&
           hm_pool_pieces_are_valid(pool) && hm_pool_index_is_valid(pool);
}

/* SPDX-License-Identifier: MIT */
/* pool: where units, blocks and extents are.
 *
 *     one range    units are pages, which cut through items:
 *                  slots    |  0  |  1  |  2  |  3  |  4  |  5  |
 *                  pages    |    0    |    1    |    2    |    3  present: a bit each
 *
 *     blocks       units are blocks, which hold whole items:
 *                  block 0: | 0 | 1 | 2 | 3 |    block 1: absent    block 2: | 8 | 9 | 10 | 11 |
 *
 * The address of an extent of blocks is not stored: it follows from that of any of its blocks that
 * has memory. */
#include "pool_private.h"

#ifndef HM_EXHAUSTIVE
enum {
    POOL_MAX_EXTENT_BLOCKS = 64, /* fixed blocks that are reserved at once */
    POOL_FIRST_SIZE = 1024       /* bytes of the first growing block, unless one item is larger */
};
#endif

static const size_t pool_max_extent = (size_t)2 << 20; /* bytes; a larger extent has one block */

static const size_t pool_default_block_size = (size_t)16 << 10; /* bytes */

size_t hm_pool_first_unit(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_in_one_range(pool))
        return pool->item_size * slot / hm_pool_memory(pool)->page_size;
    return hm_pool_block_of(&pool->places, slot);
}

size_t hm_pool_last_unit(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_in_one_range(pool))
        return (pool->item_size * slot + pool->item_size - 1) / hm_pool_memory(pool)->page_size;
    return hm_pool_first_unit(pool, slot);
}

size_t hm_pool_unit_count(const hm_pool *pool)
{
    return hm_pool_last_unit(pool, pool->max_slots - 1) + 1;
}

hm_pool_extent hm_pool_extent_of(const hm_pool *pool, size_t unit)
{
    if (hm_pool_in_one_range(pool))
        return (hm_pool_extent){0, hm_pool_unit_count(pool)};
    if (!hm_pool_in_fixed_blocks(pool) || unit == 0)
        return (hm_pool_extent){unit, unit + 1};
    size_t most = (size_t)1 << pool->extent_shift, last = hm_pool_unit_count(pool);
    size_t first = unit - unit % most, end = first + most;
    if (first == 0) {
        first = (size_t)1 << hm_bits_highest(unit);
        end = 2 * first;
    }
    return (hm_pool_extent){first, end < last ? end : last};
}

unsigned char *hm_pool_extent_start(const hm_pool *pool, hm_pool_extent extent)
{
    for (size_t i = extent.first; i < extent.end; i++)
        if (hm_pool_block_start(pool, i) != NULL)
            return hm_pool_block_start(pool, i) - (i - extent.first) * hm_pool_block_size(pool, i);
    return NULL;
}

hm_pool_range hm_pool_slots_of(const hm_pool *pool, size_t first, size_t end)
{
    uint64_t last = hm_pool_slots_below(pool, end);
    if (hm_pool_in_one_range(pool) && end * hm_pool_memory(pool)->page_size % pool->item_size != 0)
        last++;
    return (hm_pool_range){hm_pool_at_most(hm_pool_slots_below(pool, first), pool->slot_count),
                           hm_pool_at_most(last, pool->slot_count)};
}

size_t hm_pool_units_for(const hm_pool *pool, uint32_t slots)
{
    if (!hm_pool_in_fixed_blocks(pool))
        return hm_pool_unit_count(pool);
    return hm_pool_extent_of(pool, hm_pool_first_unit(pool, slots - 1)).end;
}

bool hm_pool_has_memory(const hm_pool *pool, uint32_t slot)
{
    size_t end = hm_pool_last_unit(pool, slot) + 1;
    size_t unit = hm_pool_first_unit(pool, slot);
    while (unit < end && hm_pool_is_present(pool, unit))
        unit++;
    return unit == end;
}

uint32_t hm_pool_run_end(const hm_pool *pool, uint32_t slot)
{
    if (hm_pool_in_one_range(pool))
        return pool->slot_count;
    size_t block = hm_pool_first_unit(pool, slot);
    uint64_t held = hm_pool_slots_below(pool, block + 1) - hm_pool_slots_below(pool, block);
    bool is_filled = pool->item_size * held == hm_pool_block_size(pool, block);
    size_t end = is_filled ? hm_pool_extent_of(pool, block).end : block + 1;
    return hm_pool_at_most(hm_pool_slots_below(pool, end), pool->slot_count);
}

/* The smallest power of two of items that fills `size` bytes, as far as max_slots allows. */
static uint32_t pool_fixed_block_shift(const hm_pool *pool, size_t size)
{
    uint32_t shift = 0;
    if (size == 0)
        size = pool_default_block_size;
    if (size < HM_MEMORY_ALIGNMENT)
        size = HM_MEMORY_ALIGNMENT;
    if (size < hm_pool_memory(pool)->page_size)
        size = hm_pool_memory(pool)->page_size;
    while (pool->item_size << shift < size && UINT64_C(1) << shift < pool->max_slots && shift < 31)
        shift++;
    return shift;
}

/* The largest power of two of items, above 1, that fits in the first growing block and in the
 * capacity: so a small pool is small. */
static uint32_t pool_growing_block_shift(const hm_pool *pool)
{
    uint32_t shift = 1;
    while (pool->item_size <= (size_t)POOL_FIRST_SIZE >> (shift + 1) &&
           UINT64_C(2) << shift <= pool->capacity)
        shift++;
    return shift;
}

/* Whether the end of a block may fall within a word of bits. */
static bool pool_ends_in_words(const hm_pool *pool)
{
    return hm_pool_slots_below(pool, hm_pool_first_unit(pool, 0) + 1) < HM_POOL_WORD;
}

void hm_pool_blocks_init(hm_pool *pool, size_t size)
{
    pool->extent_shift = 0;
    if (hm_pool_in_fixed_blocks(pool)) {
        pool->places.first_block = pool_fixed_block_shift(pool, size);
        while (1 << pool->extent_shift < POOL_MAX_EXTENT_BLOCKS &&
               (size_t)2 << pool->extent_shift <= pool_max_extent / hm_pool_block_size(pool, 0))
            pool->extent_shift++;
    } else {
        pool->places.first_block = (UINT32_C(1) << pool_growing_block_shift(pool)) - 1;
    }
    pool->blocks_end_in_words = pool_ends_in_words(pool);
}

bool hm_pool_blocks_are_valid(const hm_pool *pool)
{
    size_t reserved = 0, count = 0;
    for (hm_pool_extent extent = {0, 0}; extent.first < pool->unit_end; extent.first = extent.end) {
        extent = hm_pool_extent_of(pool, extent.first);
        unsigned char *address = hm_pool_extent_start(pool, extent);
        size_t size = hm_pool_block_size(pool, extent.first);
        if (address == NULL)
            continue;
        size_t extent_size = (extent.end - extent.first) * size;
        if ((uintptr_t)address % hm_memory_align_of(extent_size) != 0)
            return false;
        reserved += extent_size;
        count++;
        for (size_t block = extent.first; block < extent.end; block++, address += size)
            if (hm_pool_block_start(pool, block) != NULL &&
                hm_pool_block_start(pool, block) != address)
                return false;
    }
    return reserved == pool->item_reserved_size && count == pool->extent_count &&
           pool->blocks_end_in_words == pool_ends_in_words(pool);
}

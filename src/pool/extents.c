/* SPDX-License-Identifier: MIT */
/* pool: finds the slot of an address. The extents that are reserved are sorted by their addresses,
 * so that a search reads log n of them; a new one moves those behind it, 4 bytes each. */
#include "pool_private.h"

/* Returns how many of the reserved extents begin at or before an address. */
static uint32_t pool_extents_below(const hm_pool *pool, const void *address)
{
    uint32_t first = 0, end = pool->extent_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        hm_pool_extent extent = hm_pool_extent_of(pool, hm_pool_extents(pool)[middle]);
        /* Compared as numbers: they may be of unrelated objects. */
        if ((uintptr_t)hm_pool_extent_start(pool, extent) <= (uintptr_t)address)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

void hm_pool_extents_add(hm_pool *pool, hm_pool_extent extent, const unsigned char *start)
{
    uint32_t *extents = hm_pool_extents(pool), at = pool_extents_below(pool, start);
    memmove(extents + at + 1, extents + at, sizeof *extents * (pool->extent_count - at));
    extents[at] = (uint32_t)extent.first;
    pool->extent_count++;
}

void hm_pool_extents_remove(hm_pool *pool, const unsigned char *start)
{
    uint32_t *extents = hm_pool_extents(pool), at = pool_extents_below(pool, start);
    pool->extent_count--;
    memmove(extents + at - 1, extents + at, sizeof *extents * (pool->extent_count + 1 - at));
}

/* An address below `start` wraps around to a place that is too large. */
static uint32_t pool_slot_from(const hm_pool *pool, const void *address, const unsigned char *start,
                               uint64_t below, uint64_t held)
{
    uint64_t place = ((uintptr_t)address - (uintptr_t)start) / pool->item_size;
    return place < held && below + place < pool->slot_count ? (uint32_t)(below + place)
                                                            : HM_INVALID_INDEX;
}

uint32_t hm_pool_slot_at(const hm_pool *pool, const void *address)
{
    if (hm_pool_in_one_range(pool))
        return pool_slot_from(pool, address, pool->places.items, 0, pool->slot_count);
    uint32_t behind = pool_extents_below(pool, address);
    if (behind == 0)
        return HM_INVALID_INDEX;
    hm_pool_extent extent = hm_pool_extent_of(pool, hm_pool_extents(pool)[behind - 1]);
    const unsigned char *start = hm_pool_extent_start(pool, extent);
    size_t size = hm_pool_block_size(pool, extent.first);
    size_t block = ((uintptr_t)address - (uintptr_t)start) / size;
    if (block >= extent.end - extent.first)
        return HM_INVALID_INDEX;
    start += block * size;
    block += extent.first;
    uint64_t below = hm_pool_slots_below(pool, block);
    return pool_slot_from(pool, address, start, below,
                          hm_pool_slots_below(pool, block + 1) - below);
}

bool hm_pool_extents_are_valid(const hm_pool *pool)
{
    uintptr_t before = 0;
    if (pool->extent_count > pool->extent_array.limit)
        return false;
    for (uint32_t i = 0; i < pool->extent_count; i++) {
        size_t first = hm_pool_extents(pool)[i];
        if (first >= pool->unit_end || hm_pool_extent_of(pool, first).first != first)
            return false;
        uintptr_t start = (uintptr_t)hm_pool_extent_start(pool, hm_pool_extent_of(pool, first));
        if (start <= before)
            return false;
        before = start;
    }
    return true;
}

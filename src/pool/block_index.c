/* SPDX-License-Identifier: MIT */
/* pool: finds the slot of an address.
 *
 * Fixed blocks are in a hash table by their addresses, so that finding a pointer's block, or adding
 * a block, costs the same however many there are. Addresses are cut into cells that are no larger
 * than a block, so that at most one block begins in each, and a pointer's block begins in one of
 * the three cells up to its own. Growing blocks are so few that all of them are searched. */
#include "pool_private.h"

#ifndef HM_EXHAUSTIVE
enum { POOL_MIN_BUCKETS = 64 };                       /* of the hash table */
#define POOL_HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15) /* 2^64 divided by the golden ratio */
#endif

size_t hm_pool_buckets_for(size_t blocks)
{
    size_t buckets = POOL_MIN_BUCKETS;
    while (buckets < 2 * blocks)
        buckets *= 2;
    return buckets;
}

size_t hm_pool_index_size(const hm_pool *pool)
{
    if (pool->unit_array.moves_to_grow)
        return 0;
    return hm_memory_round_up(sizeof(uint32_t) * hm_pool_bucket_count(pool),
                              hm_pool_memory(pool)->page_size);
}

static uint64_t pool_cell_of(const hm_pool *pool, const void *address)
{
    return (uint64_t)(uintptr_t)address >> pool->cell_shift;
}

/* Returns the bucket of the block that begins in a cell, or the free bucket where it would go. */
static uint32_t *pool_index_bucket(const hm_pool *pool, uint64_t cell)
{
    uint32_t *table = pool->buckets;
    size_t mask = hm_pool_bucket_count(pool) - 1;
    uint64_t hash = cell * POOL_HASH_FACTOR;
    size_t i = (size_t)(hash >> 32) & mask;
    while (table[i] != 0 && pool_cell_of(pool, hm_pool_block_start(pool, table[i] - 1)) != cell)
        i = (i + 1) & mask;
    return &table[i];
}

void hm_pool_index_add(hm_pool *pool, size_t block)
{
    uint64_t cell = pool_cell_of(pool, hm_pool_block_start(pool, block));
    *pool_index_bucket(pool, cell) = (uint32_t)block + 1;
}

void hm_pool_index_rebuild(hm_pool *pool)
{
    memset(pool->buckets, 0, sizeof(uint32_t) * hm_pool_bucket_count(pool));
    for (size_t block = 0; block < pool->unit_end; block++)
        if (hm_pool_block_start(pool, block) != NULL)
            hm_pool_index_add(pool, block);
}

hm_status hm_pool_index_reserve(hm_pool *pool, size_t more)
{
    uint8_t before = pool->bucket_shift;
    size_t committed = hm_pool_index_size(pool), blocks = pool->block_count + more;
    if (before == 0)
        pool->bucket_shift = (uint8_t)hm_bits_highest(POOL_MIN_BUCKETS);
    while (2 * blocks > hm_pool_bucket_count(pool))
        pool->bucket_shift++;
    if (pool->bucket_shift == before)
        return HM_OK;
    size_t size = hm_pool_index_size(pool) - committed;
    unsigned char *end = (unsigned char *)pool->buckets + committed;
    hm_status status = size != 0 ? hm_memory_commit(hm_pool_memory(pool), end, size, false) : HM_OK;
    if (status == HM_OK)
        hm_pool_index_rebuild(pool);
    else
        pool->bucket_shift = before;
    return status;
}

/* Returns the block that holds an address, or unit_end. */
static size_t pool_find_block(const hm_pool *pool, const void *address)
{
    if (!hm_pool_in_fixed_blocks(pool)) {
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

/* Addresses are compared as numbers: they may be of unrelated objects. One below `start` wraps
 * around to a place that is too large. */
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
    size_t block = pool_find_block(pool, address);
    if (block == pool->unit_end)
        return HM_INVALID_INDEX;
    uint64_t below = hm_pool_slots_below(pool, block);
    return pool_slot_from(pool, address, hm_pool_block_start(pool, block), below,
                          hm_pool_slots_below(pool, block + 1) - below);
}

bool hm_pool_index_is_valid(const hm_pool *pool)
{
    size_t held = 0;
    for (size_t i = 0; i < hm_pool_bucket_count(pool); i++)
        held += pool->buckets[i] != 0;
    for (size_t block = 0; block < pool->unit_end; block++)
        if (hm_pool_block_start(pool, block) != NULL &&
            pool_find_block(pool, hm_pool_block_start(pool, block)) != block)
            return false;
    return held == (hm_pool_in_fixed_blocks(pool) ? pool->block_count : 0);
}

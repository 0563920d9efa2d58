/* SPDX-License-Identifier: MIT */
/* The row of the pool: every storage. */
#include "saves.h"

enum { TYPE_OF_POOLS = 78, BURST = 700, BLOCK = 4096 /* bytes */ };

static const hm_pool_desc shapes[] = {
    {.item_size = 24, .capacity = 3000, .max_slots = 5000},
    {.item_size = 100,
     .capacity = 2000,
     .max_slots = 3000,
     .storage = HM_STORAGE_FIXED_BLOCKS,
     .block_size = BLOCK},
    {.item_size = 8, .storage = HM_STORAGE_GROWING_BLOCKS, .block_size = BLOCK},
    {.item_size = 4, .capacity = 900, .max_slots = 2000},
    {.item_size = 40,
     .capacity = 100,
     .max_slots = 4000,
     .storage = HM_STORAGE_FIXED_BLOCKS,
     .block_size = BLOCK},
    {.item_size = 12, .max_slots = 3000, .storage = HM_STORAGE_GROWING_BLOCKS, .block_size = BLOCK},
    {.item_size = 1,
     .capacity = 700,
     .max_slots = 6000,
     .storage = HM_STORAGE_GROWING_BLOCKS,
     .block_size = BLOCK},
    {.item_size = 64, .capacity = 5, .max_slots = 9},
};

static saved_answer add(saved *made, uint64_t *random)
{
    hm_pool *pool = &made->pool;
    unsigned char item[128];
    uint64_t state = *random;
    for (size_t i = 0; i < pool->item_size; i++)
        item[i] = (unsigned char)test_random(&state);
    return saved_issued(hm_pool_insert(pool, item));
}

/* Returns the handle of a live item, or null. */
static hm_handle pick(const hm_pool *pool, uint64_t *random)
{
    if (hm_pool_count(pool) == 0)
        return HM_NULL_HANDLE;
    uint32_t from = test_random_below(random, pool->slot_count);
    uint32_t slot = hm_pool_next_run(pool, from, NULL);
    if (slot == HM_INVALID_INDEX)
        slot = hm_pool_next_run(pool, 0, NULL);
    return hm_pool_handle_at(pool, slot);
}

/* Gives the slot of a live item a generation near the last, as if it had been used so often. */
static void age(hm_pool *pool, uint64_t *random)
{
    hm_handle handle = pick(pool, random);
    uint32_t lives = HM_HANDLE_MAX_GENERATION - hm_handle_generation(handle);
    uint32_t most = test_random_below(random, 3);
    if (!hm_handle_is_null(handle) && lives > most)
        pool->entries[hm_handle_index(handle)] += lives - most;
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_pool *pool = &made->pool;
    if (choice < 13)
        CHECK(hm_pool_trim(pool) == HM_OK);
    else if (choice < 35)
        age(pool, random);
    else if (choice < 65)
        (void)hm_pool_adopt(pool, saved_adoptee(pool->slot_count, TYPE_OF_POOLS, random), NULL);
    else if (choice < 400)
        (void)hm_pool_erase(pool, pick(pool, random));
    else if (choice < 430)
        for (uint32_t n = test_random_below(random, BURST); n > 0; n--)
            (void)hm_pool_erase(pool, pick(pool, random));
    else
        return choice < 460 ? test_random_below(random, BURST) : 1;
    return 0;
}

static void compare(const saved *a, const saved *b)
{
    const hm_pool *pool = &a->pool, *other = &b->pool;
    hm_stats stats = hm_pool_get_stats(pool), others = hm_pool_get_stats(other);
    CHECK(stats.count == others.count && stats.slots == others.slots);
    CHECK(stats.free_slots == others.free_slots && stats.retired_slots == others.retired_slots);
    for (uint32_t slot = 0; slot < stats.slots + 2; slot++) {
        const void *item = hm_pool_item_at(pool, slot), *same = hm_pool_item_at(other, slot);
        CHECK((item == NULL) == (same == NULL));
        CHECK(item == NULL || memcmp(item, same, pool->item_size) == 0);
        CHECK(hm_pool_handle_at(pool, slot).bits == hm_pool_handle_at(other, slot).bits);
        CHECK(item == NULL ||
              hm_pool_handle_of(other, same).bits == hm_pool_handle_at(pool, slot).bits);
        for (uint32_t generation = 1; generation < 12; generation++) {
            hm_handle early = hm_handle_pack(slot, generation, TYPE_OF_POOLS);
            hm_handle late =
                hm_handle_pack(slot, HM_HANDLE_MAX_GENERATION + 1 - generation, TYPE_OF_POOLS);
            CHECK(hm_pool_explain(pool, early) == hm_pool_explain(other, early));
            CHECK(hm_pool_explain(pool, late) == hm_pool_explain(other, late));
        }
    }
    for (uint32_t k = 0; k < stats.free_slots; k += 7)
        CHECK(hm_pool_upcoming(pool, k).bits == hm_pool_upcoming(other, k).bits);
}

SAVED_DESC(pool, TYPE_OF_POOLS)
SAVED_KIND(pool)

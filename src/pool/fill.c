/* SPDX-License-Identifier: MIT */
/* pool: fills a pool that has issued nothing with slots in any state, as a load does. Until the end
 * slot_count is 0, but for moments when it says how much is to be carried or measured. */
#include "pool_private.h"

#include "../base/base_private.h"

hm_status hm_pool_fill_columns(hm_pool *pool, uint32_t filled, uint32_t slots)
{
    pool->slot_count = filled;
    hm_status status = hm_pool_columns_commit(pool, slots, true);
    pool->slot_count = 0;
    return status;
}

/* Growing counts holes that are cold no more, of which there are none yet. */
hm_status hm_pool_fill_places(hm_pool *pool, uint32_t slot, uint32_t n)
{
    pool->slot_count = slot;
    hm_status status = hm_pool_storage_grow(pool, n);
    pool->slot_count = pool->cold_count = 0;
    return status;
}

uint32_t hm_pool_fill_run(hm_pool *pool, uint32_t slots, uint32_t first)
{
    pool->slot_count = slots;
    uint32_t length = hm_pool_measure_run(pool, first);
    pool->slot_count = 0;
    return length;
}

/* Exchanges holes and live slots among the recent ones. */
static void pool_turn_recent(hm_pool *pool)
{
    for (uint32_t i = pool->count; i < pool->recent_end; i++) {
        uint32_t slot = pool->recent[i & pool->recent_mask];
        pool->words[slot / HM_POOL_WORD].live ^= UINT64_C(1) << slot % HM_POOL_WORD;
    }
}

/* Lists the words that have a hole that is not recent. */
static void pool_list_all(hm_pool *pool)
{
    pool_turn_recent(pool);
    for (uint32_t word = 0; word < hm_pool_word_count(pool->slot_count); word++)
        if (hm_pool_holes(pool, word) != 0)
            hm_pool_list_word(pool, word);
    pool_turn_recent(pool);
}

/* Makes memory for the recent holes of a ring, which are never cold. */
static hm_status pool_warm_recent(hm_pool *pool)
{
    hm_status status = HM_OK;
    for (uint32_t i = pool->count; i < pool->recent_end && status == HM_OK; i++) {
        uint32_t slot = pool->recent[i & pool->recent_mask];
        if (!hm_pool_has_memory(pool, slot))
            status = hm_pool_storage_revive(pool, slot);
    }
    return status;
}

hm_status hm_pool_fill_end(hm_pool *pool, uint32_t slots, uint32_t count, uint32_t retired,
                           uint32_t recent)
{
    pool->slot_count = slots;
    pool->count = count;
    pool->recent_end = count + (hm_pool_reuses_last(pool) ? 0 : recent);
    pool->cold_count =
        slots - count - retired - hm_pool_count_warm(pool, (hm_pool_range){0, slots});
    hm_status status = pool_warm_recent(pool);
    if (status != HM_OK) {
        pool->slot_count = pool->count = pool->recent_end = pool->cold_count = 0;
        return status;
    }
    pool->retired_count = retired;
    if (hm_pool_reuses_last(pool))
        pool->recent += retired;
    else
        pool_list_all(pool);
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    return HM_OK;
}

void hm_pool_fill_undo(hm_pool *pool)
{
    memset(pool->words, 0, sizeof *pool->words * pool->word_array.limit);
    pool->cold_count = 0;
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
}

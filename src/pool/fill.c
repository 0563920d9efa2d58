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

hm_status hm_pool_fill_places(hm_pool *pool, uint32_t slot, uint32_t n)
{
    pool->slot_count = slot;
    hm_status status = hm_pool_storage_grow(pool, n);
    pool->slot_count = 0;
    return status;
}

uint32_t hm_pool_fill_run(hm_pool *pool, uint32_t slots, uint32_t first)
{
    pool->slot_count = slots;
    uint32_t length = hm_pool_measure_run(pool, first);
    pool->slot_count = 0;
    return length;
}

/* Makes memory for the recent holes, which are never cold. */
static hm_status pool_warm_recent(hm_pool *pool)
{
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < pool->recent_count && status == HM_OK; i++)
        status = hm_pool_storage_revive(pool, pool->recent[i]);
    return status;
}

hm_status hm_pool_fill_end(hm_pool *pool, uint32_t slots, uint32_t count, uint32_t retired,
                           uint32_t recent)
{
    pool->slot_count = slots;
    pool->recent_count = recent;
    hm_status status = pool_warm_recent(pool);
    if (status != HM_OK) {
        pool->slot_count = pool->recent_count = 0;
        return status;
    }
    pool->count = count;
    pool->retired_count = retired;
    for (uint32_t word = 0; word < hm_pool_word_count(slots); word++)
        if (hm_pool_listed_holes(pool, word) != 0)
            hm_pool_list_word(pool, word);
    pool->has_cold = true;
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    return HM_OK;
}

void hm_pool_forget(hm_pool *pool)
{
    uint32_t size = hm_pool_word_count(pool->slot_count);
    for (uint32_t level = 0; level < pool->level_count; level++) {
        size = hm_pool_word_count(size);
        memset(hm_pool_level(pool, level), 0, sizeof *pool->listed * size);
    }
    pool->slot_count = pool->retired_count = pool->recent_count = 0;
    hm_pool_choose_hole_word(pool);
    hm_pool_fill_undo(pool);
}

void hm_pool_fill_undo(hm_pool *pool)
{
    memset(pool->words, 0, sizeof *pool->words * pool->word_array.limit);
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
}

/* SPDX-License-Identifier: MIT */
/* pool: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_POOL_PRIVATE_H
#define HANDLE_MAP_POOL_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/pool.h>

static inline uint32_t hm_pool_type_id(const hm_pool *pool)
{
    return pool->fresh_entry >> (HM_HANDLE_TYPE_ID_SHIFT - HM_HANDLE_GENERATION_SHIFT);
}

/* Whether holes are filled in HM_REUSE_LAST. */
static inline bool hm_pool_reuses_last(const hm_pool *pool)
{
    return pool->recent_mask == UINT32_MAX;
}

/* Returns the position where the recent holes end, whether or not they are cold. */
uint32_t hm_pool_recent_end(const hm_pool *pool);

/* Passes a status on, and names the pool if memory was refused. */
hm_status hm_pool_tell(const hm_pool *pool, hm_status status);

/* Callbacks run between these. */
void hm_pool_enter(hm_pool *pool);
void hm_pool_leave(hm_pool *pool);

/* Fill a pool that has issued nothing, and must seem so until the end: the caller writes entries,
 * words and the positions of `recent`, which begin as if no slot were retired, and the items.
 *
 * Make room for the entries, words and holes of `slots` slots, of which the first `filled` are to
 * be carried; for the items of n slots from `slot` on, which come in ascending order. */
hm_status hm_pool_fill_columns(hm_pool *pool, uint32_t filled, uint32_t slots);
hm_status hm_pool_fill_places(hm_pool *pool, uint32_t slot, uint32_t n);

/* Returns how many live slots follow one that is live, and lie behind it in memory. */
uint32_t hm_pool_fill_run(hm_pool *pool, uint32_t slots, uint32_t first);

/* The slots are the pool's own from now on; `recent`: holes that have a position in `recent`.
 * HM_ERROR_MEMORY: they are not, since some of these holes have no memory. */
hm_status hm_pool_fill_end(hm_pool *pool, uint32_t slots, uint32_t count, uint32_t retired,
                           uint32_t recent);

/* Or the pool is again as it was before. */
void hm_pool_fill_undo(hm_pool *pool, const hm_pool *before);

#endif

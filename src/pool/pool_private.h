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

#endif

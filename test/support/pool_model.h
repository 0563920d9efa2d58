/* SPDX-License-Identifier: MIT */
/* A naive model of the pool, which every operation is compared with, for each of the storages.
 *
 * The model knows slots by number: what was issued there, whether it is live, and the address at
 * which its item was inserted and must stay. Each model operation runs on the pool and on the model
 * and compares the answers; after each one everything else is compared. */
#ifndef TEST_POOL_MODEL_H
#define TEST_POOL_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/pool.h>

enum { POOL_MODEL_PAST = 256 }; /* handles of erased items to probe */

typedef struct pool_model_slot {
    unsigned char *place; /* where the item was inserted */
    uint64_t value;       /* pattern of the item's bytes, unless is_zero */
    uint32_t generation;  /* the last one issued; 0: none */
    uint32_t destroyed;   /* reports of destroy for this item */
    bool is_live, is_zero;
} pool_model_slot;

typedef struct pool_model {
    hm_pool pool;
    hm_pool_desc desc;
    test_memory memory;
    pool_model_slot *slots; /* max_slots of them */
    uint32_t count;         /* live ones */
    uint32_t end;           /* slots that were issued */
    uint32_t retired;       /* slots that are retired */
    hm_handle past[POOL_MODEL_PAST];
    uint32_t past_count;             /* handles ever stored there */
    uint32_t tick;                   /* checks */
    uint32_t third;                  /* of the slots: the one that erase_if erases */
    uint32_t last_slot;              /* where destroy ran last in a clear, plus 1 */
    bool clearing;                   /* destroy must go upward */
    bool refuses;                    /* memory will refuse the next operation a call */
    bool trimmed;                    /* since then the lowest hole may have no memory */
    uint32_t recent[HM_POOL_RECENT]; /* the holes that insert fills first, the latest last */
    uint32_t recent_count;
    bool remembers; /* an erase adds to them; only an insert makes it so */
} pool_model;

extern const test_subject pool_subject;

#endif

/* SPDX-License-Identifier: MIT */
/* pool: what its sources know of each other.
 *
 * pool.c knows who lives where, pool_batch.c asks it for many handles at once; pool_storage.c has
 * the memory of the items. Memory comes and goes in *units*: pages of the one range, or blocks. A
 * free slot is a *hole* when all its units are there, and *cold* when one is not: then neither of
 * its bits is set, so that issue never meets it.
 */
#ifndef HANDLE_MAP_POOL_PRIVATE_H
#define HANDLE_MAP_POOL_PRIVATE_H

#include <handle_map/pool.h>

/* pool.c */

/* For the directory too. */
static inline uint32_t hm_pool_type_id(const hm_pool *pool)
{
    return pool->fresh_entry >> (HM_HANDLE_TYPE_ID_SHIFT - HM_HANDLE_GENERATION_SHIFT);
}

/* The slots from `first` to `end`, of those that were issued. */
typedef struct hm_pool_range {
    uint32_t first, end;
} hm_pool_range;

/* As hm_pool_reserve; `grows` as in hm_array_commit. */
hm_status hm_pool_prepare(hm_pool *pool, uint32_t n, bool grows);

/* Whether an item lives there; whether a slot is cold there. */
bool hm_pool_any_live(const hm_pool *pool, hm_pool_range range);
bool hm_pool_any_cold(const hm_pool *pool, hm_pool_range range);

/* pool_storage.c */

/* The descriptor has been checked. After a failure what there is is for fini. */
hm_status hm_pool_storage_init(hm_pool *pool, const hm_pool_desc *desc);
void hm_pool_storage_fini(hm_pool *pool);

/* Makes the memory of the next n slots that were never issued ready. None is cold. `grows` as in
 * hm_array_commit. */
hm_status hm_pool_storage_grow(hm_pool *pool, uint32_t n, bool grows);

/* Returns the end of the slots from slot_count on that have their memory. */
uint32_t hm_pool_storage_fresh_end(const hm_pool *pool);

/* Brings the lowest memory back that a cold slot waits for; `back`: the slots that had a part in
 * it. There is a cold slot. */
hm_status hm_pool_storage_revive(hm_pool *pool, hm_pool_range *back);

/* Gives the next memory back in which no item lives: units of one piece, side by side, the first of
 * them at or behind *unit, which becomes the unit behind them. `gone`: the slots that had a part in
 * it, none where no memory was given back. When *unit has reached unit_end, or a call has failed,
 * hm_pool_storage_settle ends what was begun. */
hm_status hm_pool_storage_drop(hm_pool *pool, size_t *unit, hm_pool_range *gone);
void hm_pool_storage_settle(hm_pool *pool);

/* Whether all the memory of a slot is there. */
bool hm_pool_storage_has(const hm_pool *pool, uint32_t slot);

/* Returns the slot whose place an address lies in, or HM_INVALID_INDEX. */
uint32_t hm_pool_storage_find(const hm_pool *pool, const void *address);

/* Returns the end of the slots that stand side by side with this one in memory. */
uint32_t hm_pool_storage_run_end(const hm_pool *pool, uint32_t slot);

/* Whether the counts and the hash table agree with what is there. */
bool hm_pool_storage_is_valid(const hm_pool *pool);

#endif

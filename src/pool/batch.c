/* SPDX-License-Identifier: MIT */
/* pool: batches of handles. Their items are prefetched together; batch_private.h says why. */
#include "pool_internal.h"

#include "../batch_private.h"

/* Lookups touch the entries and `item_size` bytes of each slot. */
static hm_batch pool_batch(const hm_pool *pool, size_t item_size)
{
    size_t size = (sizeof *pool->entries + item_size) * (size_t)pool->slot_count;
    return (hm_batch){.container = pool,
                      .entries = (const unsigned char *)pool->entries,
                      .entry_size = sizeof *pool->entries,
                      .slot_count = pool->slot_count,
                      .is_cached = size < HM_BATCH_CACHED};
}

static void *pool_get_one(const void *pool, hm_handle handle)
{
    return hm_pool_get(pool, handle);
}

static bool pool_contains_one(const void *pool, hm_handle handle)
{
    return hm_pool_contains(pool, handle);
}

uint32_t hm_pool_get_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, void **items)
{
    HM_CONTRACT(pool != NULL, "hm_pool_get_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_get_n: handles is NULL");
    HM_CONTRACT(items != NULL || n == 0, "hm_pool_get_n: items is NULL");
    hm_batch batch = pool_batch(pool, pool->item_size);
    return hm_batch_get_n(&batch, handles, n, items, pool_get_one);
}

uint32_t hm_pool_contains_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, bool *alive)
{
    HM_CONTRACT(pool != NULL, "hm_pool_contains_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_contains_n: handles is NULL");
    HM_CONTRACT(alive != NULL || n == 0, "hm_pool_contains_n: alive is NULL");
    hm_batch batch = pool_batch(pool, 0);
    return hm_batch_contains_n(&batch, handles, n, alive, pool_contains_one);
}

/* Prefetches what erasing this item will write. */
static void pool_prefetch_entry_and_word(const hm_pool *pool, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (slot >= pool->slot_count)
        return;
    HM_PREFETCH(&pool->entries[slot]);
    HM_PREFETCH(&pool->words[slot / HM_POOL_WORD]);
}

uint32_t hm_pool_erase_n(hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    enum {
        AHEAD = 32,            /* handles; erasing them takes about as long as a cache miss */
        CACHED_SLOTS = 1 << 16 /* the entries of fewer slots stay in the caches */
    };
    HM_CONTRACT(pool != NULL, "hm_pool_erase_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_erase_n: handles is NULL");
    bool cached = pool->slot_count < CACHED_SLOTS;
    bool poisons = hm_memory_poisons(); /* The inline erase poisons only in a sanitized library. */
    uint32_t erased = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!cached && n - i > AHEAD)
            pool_prefetch_entry_and_word(pool, handles[i + AHEAD]);
        if (!hm_pool_erase(pool, handles[i]))
            continue;
        erased++;
        if (poisons)
            hm_memory_poison(hm_pool_place_as(pool, hm_handle_index(handles[i]), pool->item_size),
                             pool->item_size);
    }
    return erased;
}

hm_status hm_pool_insert_n(hm_pool *pool, const void *items, uint32_t n, hm_handle *handles)
{
    HM_CONTRACT(pool != NULL, "hm_pool_insert_n: pool is NULL");
    hm_status status = hm_pool_prepare(pool, n, true);
    if (status != HM_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = hm_pool_issue(pool); /* not null: n places are ready */
        void *place = hm_pool_place_as(pool, hm_handle_index(handle), pool->item_size);
        hm_memory_unpoison(place, pool->item_size);
        if (items != NULL)
            memcpy(place, (const unsigned char *)items + pool->item_size * i, pool->item_size);
        else
            memset(place, 0, pool->item_size);
        if (handles != NULL)
            handles[i] = handle;
    }
    return HM_OK;
}

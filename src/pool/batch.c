/* SPDX-License-Identifier: MIT */
/* pool: batches of handles. Their items are prefetched together; batch_private.h says why. */
#include "pool_private.h"

#include "../ids/batch_private.h"

/* The limit is a constant, so that comparing a slot with it takes nothing. */
static hm_batch pool_batch(const hm_pool *pool)
{
    return (hm_batch){.entries = (const unsigned char *)pool->entries,
                      .entry_size = sizeof *pool->entries,
                      .slot_count = pool->slot_count,
                      .limit = (uint64_t)UINT32_MAX + 1};
}

/* The slot, if the upper halves are equal and without the free bit, as in hm_pool_find. */
HM_INLINE uint64_t pool_find(const hm_batch *batch, hm_handle handle)
{
    const uint32_t *entries = (const uint32_t *)(const void *)batch->entries;
    uint32_t slot = hm_handle_index(handle);
    if (entries[slot] != handle.bits >> 32 || hm_handle_is_free(handle))
        return UINT64_MAX;
    return slot;
}

/* The slot, unless the upper halves differ or have the free bit, which no issued handle has. */
HM_INLINE uint64_t pool_match(const hm_batch *batch, hm_handle handle)
{
    const uint32_t *entries = (const uint32_t *)(const void *)batch->entries;
    uint64_t entry = (uint64_t)entries[hm_handle_index(handle)] << 32;
    return hm_handle_is_free(handle) ? UINT64_MAX : entry ^ handle.bits;
}

typedef struct pool_sized_places {
    hm_pool_places places;
    size_t item_size;
} pool_sized_places;

HM_INLINE void pool_answer_in_range(const hm_batch *batch, void *answers, uint32_t i,
                                    uint64_t match, uint64_t found)
{
    const pool_sized_places *sized = batch->places;
    uintptr_t place = (uintptr_t)sized->places.items + sized->item_size * (size_t)(match & found);
    hm_batch_store_place(batch, answers, i, place, found);
}

HM_INLINE void pool_answer_in_block(const hm_batch *batch, void *answers, uint32_t i,
                                    uint64_t match, uint64_t found)
{
    const pool_sized_places *sized = batch->places;
    const void *item =
        hm_pool_place_in(&sized->places, (uint32_t)(match & found), sized->item_size);
    hm_batch_store_place(batch, answers, i, (uintptr_t)item, found);
}

uint32_t hm_pool_get_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, void **items)
{
    HM_CONTRACT(pool != NULL, "hm_pool_get_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_get_n: handles is NULL");
    HM_CONTRACT(items != NULL || n == 0, "hm_pool_get_n: items is NULL");
    hm_batch batch = pool_batch(pool);
    pool_sized_places sized = {pool->places, pool->item_size};
    batch.places = &sized;
    batch.is_near = (pool->item_size + batch.entry_size) * pool->slot_count < HM_BATCH_NEAR;
    /* Without items there may be no base of a block to read. */
    if (sized.places.storage != HM_POOL_ONE_RANGE && pool->count > 0)
        return hm_batch_answer_n(&batch, handles, n, items, sizeof *items, pool_find, pool_match,
                                 pool_answer_in_block);
    return hm_batch_answer_n(&batch, handles, n, items, sizeof *items, pool_find, pool_match,
                             pool_answer_in_range);
}

uint32_t hm_pool_contains_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, bool *alive)
{
    HM_CONTRACT(pool != NULL, "hm_pool_contains_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_contains_n: handles is NULL");
    HM_CONTRACT(alive != NULL || n == 0, "hm_pool_contains_n: alive is NULL");
    hm_batch batch = pool_batch(pool);
    return hm_batch_contains_n(&batch, handles, n, alive, pool_match);
}

bool hm_pool_erases_singly(const hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    hm_batch batch = pool_batch(pool);
    return hm_batch_is_cached(&batch) && hm_batch_is_alike(&batch, handles, n, pool_match);
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

/* For handles that are alike: what is prefetched follows from the handle alone. */
static uint32_t pool_erase_ahead(hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    enum { AHEAD = 32 }; /* handles; erasing them takes about as long as a cache miss */
    uint32_t erased = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (n - i > AHEAD)
            pool_prefetch_entry_and_word(pool, handles[i + AHEAD]);
        erased += hm_pool_erase(pool, handles[i]);
    }
    return erased;
}

static void pool_touch(const void *container, uint32_t slot)
{
    const hm_pool *pool = container;
    HM_PREFETCH(&pool->words[slot / HM_POOL_WORD]);
}

/* Of mixed handles, as hm_map_erase_parts. */
uint32_t hm_pool_erase_parts(hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    hm_batch batch = pool_batch(pool);
    uint32_t erased = 0;
    if (hm_batch_is_alike(&batch, handles, n, pool_match))
        return pool_erase_ahead(pool, handles, n);
    for (uint32_t part; n > 0; handles += part, n -= part) {
        hm_handle kept[HM_BATCH_PART];
        part = hm_batch_next_part(n);
        uint32_t found =
            hm_batch_keep_found(&batch, handles, part, kept, pool_match, pool, pool_touch);
        for (uint32_t i = 0; i < found; i++)
            erased += hm_pool_erase(pool, kept[i]);
    }
    return erased;
}

uint32_t hm_pool_erase_n(hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    HM_CONTRACT(pool != NULL, "hm_pool_erase_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_erase_n: handles is NULL");
    if (hm_memory_poisons()) /* Asked once, so that the loop below need not ask. */
        return hm_pool_erase_parts(pool, handles, n);
    return hm_pool_erase_n_sized(pool, handles, n, pool->item_size);
}

hm_status hm_pool_insert_n(hm_pool *pool, const void *items, uint32_t n, hm_handle *handles)
{
    HM_CONTRACT(pool != NULL, "hm_pool_insert_n: pool is NULL");
    hm_status status = hm_pool_prepare(pool, n, true);
    if (status != HM_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = hm_pool_issue(pool);
        if (hm_handle_is_null(handle)) /* a cold hole */
            handle = hm_pool_issue_slow(pool);
        void *place = hm_pool_place_sized(pool, hm_handle_index(handle), pool->item_size);
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

/* SPDX-License-Identifier: MIT */
/* pool: batches of handles. What they name is brought from memory together; map.c says why. */
#include "pool_internal.h"

/* Whether the entries, and of each slot so many bytes more, stay in the caches by themselves. */
static bool pool_is_cached(const hm_pool *pool, size_t item_size)
{
    return (sizeof *pool->entries + item_size) * (size_t)pool->slot_count < HM_MEMORY_CACHED;
}

static void pool_prefetch_entries(const hm_pool *pool, const hm_handle *handles, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = hm_handle_index(handles[i]);
        if (slot < pool->slot_count)
            HM_PREFETCH(&pool->entries[slot]);
    }
}

uint32_t hm_pool_get_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, void **items)
{
    HM_CONTRACT(pool != NULL, "hm_pool_get_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_get_n: handles is NULL");
    HM_CONTRACT(items != NULL || n == 0, "hm_pool_get_n: items is NULL");
    bool cached = pool_is_cached(pool, pool->item_size);
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, items += part, n -= part) {
        part = hm_memory_next_part(n);
        if (!cached)
            pool_prefetch_entries(pool, handles, part);
        for (uint32_t i = 0; i < part; i++) {
            void *item = hm_pool_get(pool, handles[i]);
            /* Stored as bytes: a typed pool's program gives an array of its own pointers. */
            memcpy(&items[i], &item, sizeof item);
            if (item == NULL)
                continue;
            found++;
            if (!cached)
                HM_PREFETCH(item);
        }
    }
    return found;
}

uint32_t hm_pool_contains_n(const hm_pool *pool, const hm_handle *handles, uint32_t n, bool *alive)
{
    HM_CONTRACT(pool != NULL, "hm_pool_contains_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_contains_n: handles is NULL");
    HM_CONTRACT(alive != NULL || n == 0, "hm_pool_contains_n: alive is NULL");
    bool cached = pool_is_cached(pool, 0);
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, alive += part, n -= part) {
        part = hm_memory_next_part(n);
        if (!cached)
            pool_prefetch_entries(pool, handles, part);
        for (uint32_t i = 0; i < part; i++) {
            alive[i] = hm_pool_contains(pool, handles[i]);
            found += alive[i];
        }
    }
    return found;
}

/* Begins to bring what erasing this item will write. */
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
        AHEAD = 32,            /* handles; to erase them takes as long as memory does */
        CACHED_SLOTS = 1 << 16 /* the entries of fewer stay in the caches by themselves */
    };
    HM_CONTRACT(pool != NULL, "hm_pool_erase_n: pool is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_pool_erase_n: handles is NULL");
    bool cached = pool->slot_count < CACHED_SLOTS;
    bool poisons = hm_memory_poisons(); /* The inline erase does so only in a sanitized library. */
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
        uint32_t slot = 0;
        hm_handle handle = hm_pool_issue(pool, &slot); /* not null: n places are ready */
        void *place = hm_pool_place_as(pool, slot, pool->item_size);
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

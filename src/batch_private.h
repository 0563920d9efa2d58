/* SPDX-License-Identifier: MIT */
/* batch: many handles looked up in one call.
 *
 * Items looked up at random are anywhere in memory, and each costs two cache misses: one for its
 * entry, then one for the item. One lookup at a time, only those misses overlap that fit into the
 * processor's window of instructions: those of four to eight items. So what a part of a batch will
 * touch is prefetched: first all its entries, then all its items.
 *
 * A container describes itself in an hm_batch and passes a function that looks one handle up. Both
 * are known where the functions below are inlined, so that no call is left in their loops. */
#ifndef HANDLE_MAP_BATCH_PRIVATE_H
#define HANDLE_MAP_BATCH_PRIVATE_H

#include <handle_map/handle.h>

#include <string.h>

/* A part is 64 handles: what is prefetched for them fits the first-level cache. A container of
 * fewer than HM_BATCH_CACHED bytes stays in the caches without prefetching. */
enum { HM_BATCH_PART = 64, HM_BATCH_CACHED = 1 << 20 };

static inline uint32_t hm_batch_next_part(uint32_t n)
{
    return n < HM_BATCH_PART ? n : HM_BATCH_PART;
}

typedef struct hm_batch {
    const void *container;        /* passed to the lookup */
    const unsigned char *entries; /* slot -> what a lookup reads first */
    size_t entry_size;            /* bytes */
    uint32_t slot_count;          /* slots that have an entry */
    bool is_cached;               /* lookups touch less than HM_BATCH_CACHED in all */
} hm_batch;

HM_INLINE void hm_batch_prefetch_entries(const hm_batch *batch, const hm_handle *handles,
                                         uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = hm_handle_index(handles[i]);
        if (slot < batch->slot_count)
            HM_PREFETCH(batch->entries + batch->entry_size * slot);
    }
}

/* The get_n of a container whose get is this one. */
HM_INLINE uint32_t hm_batch_get_n(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                  void **items,
                                  void *(*get)(const void *container, hm_handle handle))
{
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, items += part, n -= part) {
        part = hm_batch_next_part(n);
        if (!batch->is_cached)
            hm_batch_prefetch_entries(batch, handles, part);
        for (uint32_t i = 0; i < part; i++) {
            void *item = get(batch->container, handles[i]);
            /* Stored as bytes: a typed program passes an array of its own pointer type. */
            memcpy(&items[i], &item, sizeof item);
            if (item == NULL)
                continue;
            found++;
            if (!batch->is_cached)
                HM_PREFETCH(item);
        }
    }
    return found;
}

/* The contains_n of a container whose contains is this one. */
HM_INLINE uint32_t hm_batch_contains_n(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                       bool *alive,
                                       bool (*contains)(const void *container, hm_handle handle))
{
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, alive += part, n -= part) {
        part = hm_batch_next_part(n);
        if (!batch->is_cached)
            hm_batch_prefetch_entries(batch, handles, part);
        for (uint32_t i = 0; i < part; i++) {
            alive[i] = contains(batch->container, handles[i]);
            found += alive[i];
        }
    }
    return found;
}

#endif

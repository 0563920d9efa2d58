/* SPDX-License-Identifier: MIT */
/* memory, on the C heap: for platforms without virtual memory. Reserve allocates everything.
 *
 *     raw           aligned, what reserve returns
 *     |-- gap |raw *|----------------- size -----------------|
 */
#include "poison_private.h"

#include <handle_map/memory.h>

#ifndef HM_FREESTANDING

#include <stdlib.h>

enum { HEAP_PAGE_SIZE = 4096 };

static void *heap_reserve(void *context, size_t size)
{
    (void)context;
    const size_t overhead = sizeof(void *) + HM_MEMORY_ALIGNMENT - 1;
    if (size > SIZE_MAX - overhead)
        return NULL;
    unsigned char *raw =
        calloc(1, size + overhead); /* The pages of a large block stay untouched. */
    if (raw == NULL)
        return NULL;
    unsigned char *earliest = raw + sizeof(void *);
    size_t gap = (size_t)(0 - (uintptr_t)earliest) & (HM_MEMORY_ALIGNMENT - 1);
    unsigned char *address = earliest + gap;
    memcpy(address - sizeof raw, &raw, sizeof raw);
    return address;
}

static void heap_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)size;
    void *raw;
    memcpy(&raw, (unsigned char *)address - sizeof raw, sizeof raw);
    free(raw);
}

static bool heap_commit(void *context, void *address, size_t size)
{
    (void)context;
    (void)address;
    (void)size;
    return true;
}

/* Zeroed here, so that it is zero when committed again. */
static bool heap_decommit(void *context, void *address, size_t size)
{
    (void)context;
    memset(address, 0, size);
    return true;
}

const hm_memory *hm_memory_heap(void)
{
    static const hm_memory heap = {.reserve = heap_reserve,
                                   .commit = heap_commit,
                                   .decommit = heap_decommit,
                                   .release = heap_release,
                                   .page_size = HEAP_PAGE_SIZE,
                                   .has_scarce_addresses = true};
    return &heap;
}

#endif

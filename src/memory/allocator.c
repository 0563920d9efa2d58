/* SPDX-License-Identifier: MIT */
/* memory, over functions like malloc's: reserve allocates the whole range, commit clears what it is
 * given, so that what is never committed is never touched. What functions allocate that know of no
 * alignment is aligned here; the heap is that over malloc:
 *
 *     raw           aligned
 *     |-- gap |raw *|----------------- size -----------------|
 */
#include "memory_private.h"

#include "../base/base_private.h"

/* Bytes, as in an arena: a container takes about what it uses. */
enum { ALLOCATOR_PAGE_SIZE = 64 };

static void *allocator_align(const hm_memory_allocator_desc *use, size_t size, size_t align)
{
    const size_t overhead = sizeof(void *) + align - 1;
    if (size > SIZE_MAX - overhead)
        return NULL;
    unsigned char *raw = use->allocate_unaligned(use->context, size + overhead);
    if (raw == NULL)
        return NULL;
    unsigned char *earliest = raw + sizeof(void *);
    size_t gap = (size_t)(0 - (uintptr_t)earliest) & (align - 1);
    unsigned char *address = earliest + gap;
    memcpy(address - sizeof raw, &raw, sizeof raw);
    return address;
}

static void *allocator_reserve(void *context, size_t size)
{
    const hm_memory_allocator_desc *use = &((hm_memory_allocator *)context)->use;
    size_t align = hm_memory_align_of(size);
    void *address = use->allocate != NULL ? use->allocate(use->context, size, align)
                                          : allocator_align(use, size, align);
    if (address != NULL)
        hm_memory_poison(address, size);
    return address;
}

static bool allocator_raw(void *context, void *address, size_t size)
{
    (void)context;
    hm_memory_unpoison(address, size);
    return true;
}

/* The block keeps its memory: it is freed whole. */
static bool allocator_decommit(void *context, void *address, size_t size)
{
    (void)context;
    hm_memory_poison(address, size);
    return true;
}

static void allocator_release(void *context, void *address, size_t size)
{
    const hm_memory_allocator_desc *use = &((hm_memory_allocator *)context)->use;
    hm_memory_unpoison(address, size); /* The program's function may write there. */
    if (use->free != NULL) {
        use->free(use->context, address, size);
    } else {
        void *raw;
        memcpy(&raw, (unsigned char *)address - sizeof raw, sizeof raw);
        use->free_unaligned(use->context, raw);
    }
}

#define ALLOCATOR_TABLE(allocator)                                                                 \
    {                                                                                              \
        .reserve = allocator_reserve, .commit = hm_memory_commit_clear,                            \
        .decommit = allocator_decommit, .release = allocator_release,                              \
        .page_size = ALLOCATOR_PAGE_SIZE, .context = (allocator), .has_scarce_addresses = true,    \
        .raw = allocator_raw                                                                       \
    }

hm_status hm_memory_allocator_init(hm_memory_allocator *allocator,
                                   const hm_memory_allocator_desc *desc)
{
    if (allocator == NULL)
        return hm_refuse_null("hm_memory_allocator_init", "allocator");
    memset(allocator, 0, sizeof *allocator);
    desc = HM_DESC(hm_memory_allocator_desc, desc);
    bool is_aligned = desc->allocate_unaligned == NULL && desc->free_unaligned == NULL;
    if (!is_aligned && (desc->allocate != NULL || desc->free != NULL))
        return hm_fail(HM_ERROR_INVALID,
                       "hm_memory_allocator_init: there are two pairs of functions");
    if (is_aligned ? desc->allocate == NULL : desc->allocate_unaligned == NULL)
        return hm_refuse_null("hm_memory_allocator_init", "allocate");
    if (is_aligned ? desc->free == NULL : desc->free_unaligned == NULL)
        return hm_refuse_null("hm_memory_allocator_init", "free");
    *allocator = (hm_memory_allocator){.table = ALLOCATOR_TABLE(allocator), .use = *desc};
    return HM_OK;
}

#ifndef HM_FREESTANDING

#include <stdlib.h>

static void *heap_allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void heap_free(void *context, void *address)
{
    (void)context;
    free(address);
}

const hm_memory *hm_memory_heap(void)
{
    static hm_memory_allocator heap = {
        .table = ALLOCATOR_TABLE(&heap),
        .use = {.allocate_unaligned = heap_allocate, .free_unaligned = heap_free}};
    return &heap.table;
}

#endif

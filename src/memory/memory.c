/* SPDX-License-Identifier: MIT */
/* memory, on every platform: the calls of a memory table with their errors, and stubs for what
 * some platforms lack. */
#include "memory_private.h"

#include "../base/base_private.h"

/* Bytes. The smallest and the largest step of growth, and the smallest step that is prefaulted: a
 * smaller one may belong to one of many containers that stay small. A part is about a third of the
 * largest step. */
#ifndef HM_EXHAUSTIVE
#define MEMORY_MIN_GROWTH (64 << 10)
#endif
enum {
    MEMORY_MIN_PAGES = 16, /* the smallest step where pages are small */
    MEMORY_MAX_GROWTH = 128 << 10,
    MEMORY_MIN_PREFAULT = 96 << 10,
    MEMORY_RESIDENT = 44 << 10
};

HM_STATIC_ASSERT(MEMORY_MIN_GROWTH <= MEMORY_MAX_GROWTH, "a step has a size");
HM_STATIC_ASSERT(MEMORY_MIN_PREFAULT <= MEMORY_MAX_GROWTH, "the largest steps are prefaulted");

static bool memory_is_page_size(size_t size)
{
    return size >= 8 && (size & (size - 1)) == 0;
}

hm_status hm_memory_check(const hm_memory *memory)
{
#ifdef HM_FREESTANDING
    if (memory == hm_memory_os())
        return hm_fail(HM_ERROR_INVALID, "memory is NULL: a freestanding library has no default");
#endif
    const char *missing = memory->reserve == NULL    ? "reserve"
                          : memory->commit == NULL   ? "commit"
                          : memory->decommit == NULL ? "decommit"
                          : memory->release == NULL  ? "release"
                                                     : NULL;
    if (missing != NULL)
        return hm_refuse_null("memory", missing);
    if (!memory_is_page_size(memory->page_size))
        return hm_fail(HM_ERROR_INVALID, "memory: page_size %zu is not a power of two from 8 on",
                       memory->page_size);
    return HM_OK;
}

hm_status hm_memory_reserve(const hm_memory *memory, size_t size, unsigned char **address)
{
    unsigned char *reserved = memory->reserve(memory->context, size);
    if (reserved == NULL)
        return hm_fail_memory(HM_RESERVATION, size);
    size_t align = hm_memory_align_of(size);
    if ((uintptr_t)reserved % align != 0) {
        memory->release(memory->context, reserved, size);
        return hm_fail(HM_ERROR_INVALID,
                       "memory: reserve returned an address that is not aligned to %zu bytes",
                       align);
    }
    *address = reserved;
    return HM_OK;
}

bool hm_memory_commit_clear(void *context, void *address, size_t size)
{
    const hm_memory *memory = context;
    return memory->raw(context, address, size) ? memset(address, 0, size) != NULL : false;
}

void hm_memory_clear(const hm_memory *memory, unsigned char *address, size_t size)
{
#ifdef HM_MEMORY_KEEPS
    if (hm_memory_is_keeping(memory)) {
        hm_memory_clear_kept(address, size);
        return;
    }
#endif
    if (hm_memory_has_raw(memory))
        memset(address, 0, size);
}

hm_status hm_memory_commit(const hm_memory *memory, unsigned char *address, size_t size,
                           bool is_raw)
{
    is_raw = is_raw && hm_memory_has_raw(memory);
    if ((is_raw ? memory->raw : memory->commit)(memory->context, address, size))
        return HM_OK;
    return hm_fail_memory(HM_COMMIT, size);
}

hm_status hm_memory_decommit(const hm_memory *memory, unsigned char *address, size_t size)
{
    if (memory->decommit(memory->context, address, size))
        return HM_OK;
    return hm_fail_memory(HM_DECOMMIT, size);
}

bool hm_memory_is_ample(const hm_memory *memory)
{
#ifdef HM_FREESTANDING
    (void)memory;
    return false;
#else
    /* Coverage: tests cannot choose the size of a pointer. */
    return sizeof(void *) >= 8 && !memory->has_scarce_addresses;
#endif
}

size_t hm_memory_growth(const hm_memory *memory, size_t committed_size, const unsigned char *end)
{
    if (end != NULL && hm_memory_is_huge(memory, committed_size))
        return HM_MEMORY_HUGE_PAGE - (uintptr_t)end % HM_MEMORY_HUGE_PAGE;
    size_t growth = committed_size / 4, least = MEMORY_MIN_GROWTH;
    if (memory->page_size < least / MEMORY_MIN_PAGES)
        least = MEMORY_MIN_PAGES * memory->page_size;
    if (growth < least)
        return least;
    return growth < MEMORY_MAX_GROWTH ? growth : MEMORY_MAX_GROWTH;
}

size_t hm_memory_resident_size(const hm_memory *memory, size_t ready_size, size_t committed_size)
{
    size_t left = committed_size - ready_size;
    if (memory != hm_memory_os() ||
        hm_memory_growth(memory, ready_size, NULL) < MEMORY_MIN_PREFAULT ||
        hm_memory_is_huge(memory, ready_size))
        return 0;
    size_t size = hm_memory_round_up(MEMORY_RESIDENT, memory->page_size);
    return size < left ? size : left;
}

bool hm_memory_is_huge(const hm_memory *memory, size_t committed_size)
{
    return committed_size >= HM_MEMORY_HUGE_FROM && memory == hm_memory_os() &&
           memory->page_size < HM_MEMORY_HUGE_PAGE;
}

void hm_memory_advise_large(const hm_memory *memory, size_t committed_size, unsigned char *address,
                            size_t size)
{
    if (hm_memory_is_huge(memory, committed_size))
        hm_memory_advise_huge(address, size);
}

uint64_t hm_memory_random(void)
{
    uint64_t bits = (uintptr_t)&bits ^ (uint64_t)(uintptr_t)hm_memory_random << 32;
    (void)hm_memory_fill_random(&bits, sizeof bits); /* Refused: the addresses are what there is. */
    return bits;
}

#if defined(_WIN32) || defined(__wasm__) || defined(HM_FREESTANDING)

/* On Windows huge pages need a privilege that programs seldom have, and cannot be decommitted; on
 * WebAssembly there are none. Freestanding there is only the program's memory. */
const hm_memory *hm_memory_os_huge(void)
{
    return hm_memory_os();
}

#endif

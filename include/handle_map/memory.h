/* SPDX-License-Identifier: MIT */
/* memory: reserve, commit, decommit, release. The only module that calls the operating system.
 *
 *     reserve                         an address range that nothing else will take; no memory yet
 *     |------------------------------------------------------------|
 *     commit          decommit
 *     |==============|...............................................   may be used | may fault
 *
 * The contract of the table, which users' own tables keep too:
 *
 * - `reserve` returns an address aligned to at least HM_MEMORY_ALIGNMENT bytes, or NULL.
 * - Ranges given to the other functions lie inside one reservation, and start and end at multiples
 *   of `page_size` counted from the reservation's start (not from address zero).
 * - Memory reads as zero after its first commit, and after a decommit and a commit.
 * - Committing what is committed, or decommitting what is not, does not happen.
 * - Decommitted memory may fault; the library never reads it.
 * - A commit or decommit that returns false has changed nothing.
 * - `release` takes exactly what `reserve` gave: same address, same size. It cannot fail.
 * - The table outlives every container that was initialised with it.
 *
 * Threads: the tables of this module may be used by many threads at once. */
#ifndef HANDLE_MAP_MEMORY_H
#define HANDLE_MAP_MEMORY_H

#include <handle_map/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes. What every reservation is aligned to at least, and so the largest alignment of an item. */
#define HM_MEMORY_ALIGNMENT 4096

typedef struct hm_memory {
    void *(*reserve)(void *context, size_t size);                /* NULL when refused */
    bool (*commit)(void *context, void *address, size_t size);   /* false when refused */
    bool (*decommit)(void *context, void *address, size_t size); /* false when refused */
    void (*release)(void *context, void *address, size_t size);  /* the whole reservation */
    size_t page_size; /* bytes; a power of two, at least 8: what commit and decommit count in */
    void *context;    /* handed to each function, never touched by the library */
} hm_memory;

/* Virtual memory of the operating system, in its own pages (4, 16 or 64 KiB: it is asked). A
 * reservation costs address space only. Committed pages cost memory when they are touched: what is
 * reserved with hm_map_reserve and the like costs nothing until items use it. But a container that
 * grows by itself and is already large brings in the pages of each step, 96 to 128 KiB, at once
 * where the system can, which is cheaper. Never NULL. */
HM_API const hm_memory *hm_memory_os(void);

/* As hm_memory_os, but asks for huge pages: its `page_size` is 2 MiB. Touching fresh memory costs
 * about a third, in stops of a quarter of a millisecond. Where the system has none to give, normal
 * pages stand in silently; on Windows, where huge pages need a privilege, this is hm_memory_os.
 * Never NULL. */
HM_API const hm_memory *hm_memory_os_huge(void);

/* malloc and friends, for platforms without virtual memory: everything is allocated by `reserve`,
 * commit does nothing, decommit zeroes. Set a small capacity with it. If your own table allocates
 * in reserve, set a small `max_slots` too: with 64 bits the default is 2 x capacity only here.
 * AddressSanitizer does not report a stale pointer into what a trim has given back here (system
 * memory would fault): the heap's block stays readable until the container's fini. Never NULL. */
HM_API const hm_memory *hm_memory_heap(void);

/* For containers: marks bytes that nobody may touch until they are unpoisoned, so that
 * AddressSanitizer reports a pointer to an item that is gone, until a later insert reuses its
 * place. Both do nothing in a program that does not run under it; the library itself need not be
 * built for it. Cannot fail. O(size / 8). */
HM_API void hm_memory_poison(const void *address, size_t size);
HM_API void hm_memory_unpoison(const void *address, size_t size);

/* The same for inline functions; free elsewhere. Compile all code that uses a container with the
 * sanitizer, or none: code without it does not mark the items it makes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HM_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HM_ADDRESS_SANITIZER 1
#endif
#if defined(HM_ADDRESS_SANITIZER)
#define HM_POISON(address, size) hm_memory_poison((address), (size))
#define HM_UNPOISON(address, size) hm_memory_unpoison((address), (size))
#else
#define HM_POISON(address, size) ((void)0)
#define HM_UNPOISON(address, size) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif

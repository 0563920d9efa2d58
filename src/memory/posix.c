/* SPDX-License-Identifier: MIT */
/* memory, on POSIX: mmap reserves, mprotect commits, mprotect and madvise decommit, and mremap
 * moves pages. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap, MAP_ANONYMOUS, madvise and getentropy, which -std=c11 hides */
#endif

#include "memory_private.h"

#if !defined(_WIN32) && !defined(__wasm__) && !defined(HM_FREESTANDING)

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

/* A program that compiles the library in a source of its own may have included a header before, and
 * what -std=c11 hides stays hidden then. */
#if defined(__linux__) && !defined(MAP_ANONYMOUS)
#include <linux/mman.h>
int getentropy(void *bytes, size_t size);
int madvise(void *address, size_t size, int advice);
int mincore(void *address, size_t size, unsigned char *resident);
void *mremap(void *from, size_t size, size_t new_size, int flags, ...);
#endif

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE (-1) /* advice that every system refuses */
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE (-1)
#endif

static void *posix_reserve(void *context, size_t size)
{
    (void)context;
    void *address = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

bool hm_memory_system_release(void *address, size_t size)
{
    return munmap(address, size) == 0;
}

static void posix_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)hm_memory_system_release(address, size);
}

static bool posix_has_residents = true; /* mincore works */

bool hm_memory_system_resident(void *address, size_t size, unsigned char *resident)
{
#ifdef __APPLE__
    return posix_has_residents && mincore(address, size, (char *)resident) == 0;
#else
    return posix_has_residents && mincore(address, size, resident) == 0;
#endif
}

bool hm_memory_system_discard(void *address, size_t size)
{
    return madvise(address, size, MADV_DONTNEED) == 0;
}

static bool posix_commit(void *context, void *address, size_t size)
{
    (void)context;
    return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
}

/* The protection comes first, because it may be refused (it can split a mapping), and nothing is
 * lost then. Mapping fresh pages over the range would do both in one call, but if it failed it
 * could leave a hole, which another thread's mapping might fill. */
static bool posix_decommit(void *context, void *address, size_t size)
{
    (void)context;
    if (mprotect(address, size, PROT_NONE) != 0)
        return false;
    if (madvise(address, size, MADV_DONTNEED) == 0)
        return true;
    /* Locked pages cannot be dropped. This call joins them to the mapping they were split from,
     * which needs no memory, and was never seen to fail. If it failed, the range would stay
     * inaccessible although this function says that nothing has changed: touching it would stop the
     * program at once. Any other way out would lose the entries that make stale handles fail. */
    (void)mprotect(address, size, PROT_READ | PROT_WRITE);
    return false;
}

#if defined(MREMAP_DONTUNMAP) && defined(MAP_FIXED_NOREPLACE)

/* Linux unmaps `to` before it finds out whether it can move anything, so after a refusal that range
 * may be a hole, which is mapped again. Where it is none, or another thread's mapping has taken it,
 * that call changes nothing. */
static bool posix_remap(void *context, void *from, void *to, size_t size)
{
    (void)context;
    const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    if (mremap(from, size, size, flags, to) == to)
        return true;
    (void)mmap(to, size, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return false;
}

#else
#define posix_remap NULL
#endif

/* A huge page needs an aligned address: reserve one page more and release the ends. */
static void *posix_huge_reserve(void *context, size_t size)
{
    if (size > SIZE_MAX - HM_MEMORY_HUGE_PAGE)
        return NULL;
    unsigned char *start = posix_reserve(context, size + HM_MEMORY_HUGE_PAGE);
    if (start == NULL)
        return NULL;
    size_t head = (size_t)(0 - (uintptr_t)start) & (HM_MEMORY_HUGE_PAGE - 1);
    if (head != 0)
        posix_release(context, start, head);
    posix_release(context, start + head + size, HM_MEMORY_HUGE_PAGE - head);
    (void)madvise(start + head, size, MADV_HUGEPAGE); /* If refused, pages are normal ones. */
    return start + head;
}

static hm_memory posix_memory = {.reserve = posix_reserve,
                                 .commit = posix_commit,
                                 .decommit = posix_decommit,
                                 .release = posix_release,
                                 .remap = posix_remap};
static hm_memory posix_huge_memory = {.reserve = posix_huge_reserve,
                                      .commit = posix_commit,
                                      .decommit = posix_decommit,
                                      .release = posix_release,
                                      .remap = posix_remap};
static pthread_once_t posix_asked = PTHREAD_ONCE_INIT;

/* An emulator whose pages are larger than the machine's tells of the machine's pages: more of them
 * than there is space for. So the first question is about one page. */
static void posix_ask_pages(void)
{
    unsigned char resident[64] = {0, 0xFF};
    posix_memory.page_size = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *page = (unsigned char *)&posix_memory;
    page -= (uintptr_t)page % posix_memory.page_size;
    posix_has_residents =
        hm_memory_system_resident(page, posix_memory.page_size, resident) && resident[1] == 0xFF;
    posix_huge_memory.page_size =
        /* Coverage: no system that runs the tests has pages above 2 MiB. */
        posix_memory.page_size > HM_MEMORY_HUGE_PAGE ? posix_memory.page_size : HM_MEMORY_HUGE_PAGE;
}

void hm_memory_populate(unsigned char *address, size_t size)
{
    (void)madvise(address, size, MADV_POPULATE_WRITE); /* If refused, touching them does it. */
}

void hm_memory_advise_huge(unsigned char *address, size_t size)
{
    size_t gap = (size_t)(0 - (uintptr_t)address) % HM_MEMORY_HUGE_PAGE;
    size_t whole = gap < size ? (size - gap) / HM_MEMORY_HUGE_PAGE * HM_MEMORY_HUGE_PAGE : 0;
    if (whole != 0)
        (void)madvise(address + gap, whole, MADV_HUGEPAGE);
}

bool hm_memory_fill_random(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0;
}

const hm_memory *hm_memory_system(void)
{
    (void)pthread_once(&posix_asked, posix_ask_pages);
    return &posix_memory;
}

const hm_memory *hm_memory_os_huge(void)
{
    (void)pthread_once(&posix_asked, posix_ask_pages);
    return &posix_huge_memory;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory, on POSIX: mmap reserves, mprotect commits, mprotect and madvise decommit. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS and madvise, which -std=c11 hides */
#endif

#include "memory_private.h"

#if !defined(_WIN32) && !defined(__wasm__)

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Bytes. The size of a huge page with 4 KiB base pages; elsewhere it is a size like another. */
static const size_t huge_page_size = (size_t)2 << 20;

static void *os_reserve(void *context, size_t size)
{
    (void)context;
    void *address = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

static void os_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)munmap(address, size);
}

static bool os_commit(void *context, void *address, size_t size)
{
    (void)context;
    return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
}

/* The protection goes first, because it may be refused (it can split a mapping), and nothing is
 * lost when it is. Mapping fresh pages over the range would do both in one call, but could leave a
 * hole behind when it fails, which another thread's mapping might fill. */
static bool os_decommit(void *context, void *address, size_t size)
{
    (void)context;
    if (mprotect(address, size, PROT_NONE) != 0)
        return false;
    if (madvise(address, size, MADV_DONTNEED) == 0)
        return true;
    /* Locked pages stay. This call joins them to the mapping they were split from, which needs no
     * memory, and was never seen refused. If it were, the range would stay without access, though
     * this function says that nothing has changed: touching it then stops the program at once,
     * where every other way out would lose the entries that handles are refused by. */
    (void)mprotect(address, size, PROT_READ | PROT_WRITE);
    return false;
}

/* A huge page needs an aligned place: reserve one page more and give the ends back. */
static void *huge_reserve(void *context, size_t size)
{
    if (size > SIZE_MAX - huge_page_size)
        return NULL;
    unsigned char *start = os_reserve(context, size + huge_page_size);
    if (start == NULL)
        return NULL;
    size_t head = (size_t)(0 - (uintptr_t)start) & (huge_page_size - 1);
    if (head != 0)
        os_release(context, start, head);
    os_release(context, start + head + size, huge_page_size - head);
#ifdef MADV_HUGEPAGE
    (void)madvise(start + head, size, MADV_HUGEPAGE); /* Without it the pages are normal ones. */
#endif
    return start + head;
}

static hm_memory os_memory = {os_reserve, os_commit, os_decommit, os_release, 0, NULL};
static hm_memory huge_memory = {huge_reserve, os_commit, os_decommit, os_release, 0, NULL};
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask_page_size(void)
{
    os_memory.page_size = (size_t)sysconf(_SC_PAGESIZE);
    huge_memory.page_size =
        /* Coverage: no system that runs the tests has pages above 2 MiB. */
        os_memory.page_size > huge_page_size ? os_memory.page_size : huge_page_size;
}

void hm_memory_populate(unsigned char *address, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    (void)madvise(address, size, MADV_POPULATE_WRITE); /* Else the pages come when touched. */
#else
    (void)address;
    (void)size;
#endif
}

const hm_memory *hm_memory_os(void)
{
    (void)pthread_once(&asked, ask_page_size);
    return &os_memory;
}

const hm_memory *hm_memory_os_huge(void)
{
    (void)pthread_once(&asked, ask_page_size);
    return &huge_memory;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory: which pages were written, on Linux from 6.7 on. Userfaultfd protects pages from writes
 * and lets the first write to each through without a message (asynchronous), and PAGEMAP_SCAN lists
 * those that are not protected any more. Neither needs a privilege. Windows has its own
 * (windows.c); elsewhere the system does not tell. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall, which -std=c11 hides */
#endif

#include "memory_private.h"

/* The C library may come without the system's headers, as musl does, or with those of another
 * machine. */
#if defined(__linux__) && defined(__has_include) && !defined(HM_FREESTANDING)
#if __has_include(<linux/userfaultfd.h>) && __has_include(<asm/types.h>)
#include <linux/userfaultfd.h>
#include <sys/syscall.h>
#endif
#endif

#if defined(UFFDIO_WRITEPROTECT) && defined(SYS_userfaultfd)

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Hidden as in posix.c. */
#ifndef O_CLOEXEC
#define O_CLOEXEC 02000000
long syscall(long number, ...);
#endif

/* What Debian 12's headers lack, by the numbers of Linux 6.7. */
enum {
    TRACK_USER_MODE_ONLY = 1,
    TRACK_WP_UNPOPULATED = 1 << 13, /* pages without memory can be protected, too */
    TRACK_WP_ASYNC = 1 << 15,
    TRACK_PAGE_IS_WRITTEN = 1 << 1,
    TRACK_PROTECTS = 1 << 0 | 1 << 1 /* what is found; and fails if it is not registered so */
};

struct track_scan {
    uint64_t size, flags, start, end, walk_end, spans, max_spans, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define TRACK_SCAN _IOWR('f', 16, struct track_scan)

enum { TRACK_FAULTS, TRACK_PAGES }; /* in `files` */

int64_t hm_memory_process(void)
{
    return getpid();
}

static bool track_open(int files[2], unsigned char *address, size_t size)
{
    struct uffdio_api api = {.api = UFFD_API,
                             .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | TRACK_WP_UNPOPULATED |
                                         TRACK_WP_ASYNC};
    struct uffdio_register range = {.range = {.start = (uintptr_t)address, .len = size},
                                    .mode = UFFDIO_REGISTER_MODE_WP};
    files[TRACK_FAULTS] =
        (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | TRACK_USER_MODE_ONLY);
    files[TRACK_PAGES] = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (files[TRACK_FAULTS] < 0 || files[TRACK_PAGES] < 0)
        return false;
    hm_memory_span span;
    unsigned char *from = address;
    return ioctl(files[TRACK_FAULTS], UFFDIO_API, &api) == 0 &&
           ioctl(files[TRACK_FAULTS], UFFDIO_REGISTER, &range) == 0 &&
           hm_memory_written(files, &from, address + size, &span, 1) >= 0;
}

bool hm_memory_track(int files[2], unsigned char **address, size_t size)
{
    if (track_open(files, *address, size))
        return true;
    hm_memory_untrack(files);
    return false;
}

void hm_memory_untrack(int files[2])
{
    for (int i = 0; i < 2; i++)
        if (files[i] >= 0)
            (void)close(files[i]);
}

/* One call of the system; it stops early when the spans are full. Only a signal that ends the
 * process interrupts it. */
static int track_scan(const int files[2], struct track_scan *scan)
{
    scan->size = sizeof *scan;
    scan->category_mask = TRACK_PAGE_IS_WRITTEN;
    return ioctl(files[TRACK_PAGES], TRACK_SCAN, scan);
}

int hm_memory_written(const int files[2], unsigned char **from, const unsigned char *to,
                      hm_memory_span *spans, uint32_t max_spans)
{
    HM_STATIC_ASSERT(sizeof(hm_memory_span) == 24, "what the system writes");
    struct track_scan scan = {.start = (uintptr_t)*from,
                              .end = (uintptr_t)to,
                              .spans = (uintptr_t)spans,
                              .max_spans = max_spans,
                              .return_mask = TRACK_PAGE_IS_WRITTEN};
    int count = track_scan(files, &scan);
    if (count >= 0)
        *from += (size_t)(scan.walk_end - scan.start);
    return count;
}

/* If it fails, the pages are found again. */
void hm_memory_protect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    struct track_scan scan = {
        .flags = TRACK_PROTECTS, .start = (uintptr_t)from, .end = (uintptr_t)to};
    (void)track_scan(files, &scan);
}

void hm_memory_unprotect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    struct uffdio_writeprotect range = {
        .range = {.start = (uintptr_t)from, .len = (size_t)(to - from)}};
    (void)ioctl(files[TRACK_FAULTS], UFFDIO_WRITEPROTECT, &range);
}

#elif !defined(_WIN32) || defined(HM_FREESTANDING)

int64_t hm_memory_process(void)
{
    return 0;
}

bool hm_memory_track(int files[2], unsigned char **address, size_t size)
{
    (void)files, (void)address, (void)size;
    return false;
}

void hm_memory_untrack(int files[2])
{
    (void)files;
}

int hm_memory_written(const int files[2], unsigned char **from, const unsigned char *to,
                      hm_memory_span *spans, uint32_t max_spans)
{
    (void)files, (void)from, (void)to, (void)spans, (void)max_spans;
    return -1;
}

void hm_memory_protect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    (void)files, (void)from, (void)to;
}

void hm_memory_unprotect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    (void)files, (void)from, (void)to;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory, on Windows: VirtualAlloc reserves and commits, VirtualFree decommits and releases,
 * GetWriteWatch tells which pages were written. */
#include "memory_private.h"

/* Coverage: another system's code. `./run check` runs the same tests on it, under wine. */
#if defined(_WIN32) && !defined(HM_FREESTANDING)

#include <windows.h>

#ifdef _MSC_VER
#pragma comment(lib, "advapi32")
#endif

enum { WINDOWS_PAGES = 128 /* that are asked for at a time */ };

/* Reservations start at multiples of the allocation granularity, 64 KiB on every Windows, and so
 * keep HM_MEMORY_ALIGNMENT. */
static void *windows_reserve(void *context, size_t size)
{
    (void)context;
    return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS);
}

/* Committed pages are zero, also after a decommit, which discards their contents. */
static bool windows_commit(void *context, void *address, size_t size)
{
    (void)context;
    return VirtualAlloc(address, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

static bool windows_decommit(void *context, void *address, size_t size)
{
    (void)context;
    return VirtualFree(address, size, MEM_DECOMMIT) != 0;
}

/* MEM_RELEASE wants size 0: it takes the whole reservation, committed pages included. It fails only
 * for an address that no reservation starts at, which the contract of memory.h rules out. */
bool hm_memory_system_release(void *address, size_t size)
{
    (void)size;
    return VirtualFree(address, 0, MEM_RELEASE) != 0;
}

static void windows_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)hm_memory_system_release(address, size);
}

bool hm_memory_system_resident(void *address, size_t size, unsigned char *resident)
{
    (void)address, (void)size, (void)resident;
    return false;
}

bool hm_memory_system_discard(void *address, size_t size)
{
    return windows_decommit(NULL, address, size);
}

/* Which pages were written. Only a reservation that was made so is watched, so the range moves to
 * one. There is no fork, and nothing to close. */

int64_t hm_memory_process(void)
{
    return 0;
}

bool hm_memory_track(int files[2], unsigned char **address, size_t size)
{
    (void)files;
    unsigned char *watched = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_WRITE_WATCH, PAGE_NOACCESS);
    if (watched == NULL)
        return false;
    windows_release(NULL, *address, size);
    *address = watched;
    return true;
}

void hm_memory_untrack(int files[2])
{
    (void)files;
}

int hm_memory_written(const int files[2], unsigned char **from, const unsigned char *to,
                      hm_memory_span *spans, uint32_t max_spans)
{
    void *pages[WINDOWS_PAGES];
    ULONG_PTR count = max_spans < WINDOWS_PAGES ? max_spans : WINDOWS_PAGES, most = count;
    DWORD page_size;
    (void)files;
    if (GetWriteWatch(0, *from, (size_t)(to - *from), pages, &count, &page_size) != 0)
        return -1;
    for (ULONG_PTR i = 0; i < count; i++)
        spans[i] =
            (hm_memory_span){.start = (uintptr_t)pages[i], .end = (uintptr_t)pages[i] + page_size};
    *from +=
        (count < most ? (uintptr_t)to : (uintptr_t)pages[count - 1] + page_size) - (uintptr_t)*from;
    return (int)count;
}

void hm_memory_protect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    (void)files;
    (void)ResetWriteWatch((void *)(uintptr_t)from, (size_t)(to - from));
}

void hm_memory_unprotect(const int files[2], const unsigned char *from, const unsigned char *to)
{
    (void)files, (void)from, (void)to;
}

/* RtlGenRandom: the header that declares it, ntsecapi.h, defines much that is not ours. */
BOOLEAN NTAPI SystemFunction036(void *bytes, ULONG size);

bool hm_memory_fill_random(void *bytes, size_t size)
{
    return SystemFunction036(bytes, (ULONG)size) != 0;
}

static hm_memory windows_memory = {.reserve = windows_reserve,
                                   .commit = windows_commit,
                                   .decommit = windows_decommit,
                                   .release = windows_release};
static INIT_ONCE windows_asked = INIT_ONCE_STATIC_INIT;

static BOOL CALLBACK windows_ask_page_size(PINIT_ONCE once, void *parameter, void **result)
{
    (void)once;
    (void)parameter;
    (void)result;
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    windows_memory.page_size = info.dwPageSize;
    return TRUE;
}

/* The first call asks, whichever thread makes it; the others wait for it. It cannot fail, because
 * windows_ask_page_size does not. */
const hm_memory *hm_memory_system(void)
{
    (void)InitOnceExecuteOnce(&windows_asked, windows_ask_page_size, NULL, NULL);
    return &windows_memory;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory, on Windows: VirtualAlloc reserves and commits, VirtualFree decommits and releases. */
#include "memory_private.h"

/* Coverage: another system's code. `./run check` runs the same tests on it, under wine. */
#if defined(_WIN32) && !defined(HM_FREESTANDING)

#include <windows.h>

#ifdef _MSC_VER
#pragma comment(lib, "advapi32")
#endif

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
static void windows_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)size;
    (void)VirtualFree(address, 0, MEM_RELEASE);
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
const hm_memory *hm_memory_os(void)
{
    (void)InitOnceExecuteOnce(&windows_asked, windows_ask_page_size, NULL, NULL);
    return &windows_memory;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory, on WebAssembly: its one memory has neither protection nor mappings, and never shrinks. A
 * reservation therefore takes real pages, and released pages are kept for the next one.
 *
 *     page          0    1    2    3    4    5    6    7      0 is never ours: it means "none"
 *                  others'  | held    | released | others'
 *     wasm_is_free                      x    x
 *     wasm_is_written         x         x                     may hold what is not zero
 *
 * A page that is not free is held by one reservation, or is not ours: malloc grows the memory too.
 * A page that is held and not written reads as zero. */
#if defined(__wasm__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getentropy and Emscripten's sbrk, which -std=c11 hides */
#endif

#include "memory_private.h"

/* Coverage: another system's code. `./run check` runs the same tests on it, under node. */
#if defined(__wasm__) && !defined(HM_FREESTANDING)

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last page of 4 GiB is not used, so that no reservation ends at an address that wraps to 0. */
enum { WASM_PAGE_SIZE = 65536, WASM_MAX_PAGES = 65535 };

/* `wasm_is_free` is guarded by the lock; `wasm_is_written` of a page belongs to the holder of the
 * page. They are bytes, not bits, so that threads may write neighbours. */
static bool wasm_is_free[WASM_MAX_PAGES], wasm_is_written[WASM_MAX_PAGES];
static atomic_flag wasm_lock = ATOMIC_FLAG_INIT;

static bool wasm_fits(size_t first, size_t count)
{
    return first < WASM_MAX_PAGES && count <= WASM_MAX_PAGES - first;
}

static size_t wasm_pages_in(size_t size)
{
    return size / WASM_PAGE_SIZE + (size % WASM_PAGE_SIZE != 0);
}

static size_t wasm_page_of(const void *address)
{
    return (uintptr_t)address / WASM_PAGE_SIZE;
}

#if defined(__EMSCRIPTEN__)

/* Emscripten's sbrk would take pages from memory.grow for its own. If the break is not at a page
 * boundary, the rest of that page is lost; if another thread's malloc runs between the two calls,
 * so is what was taken. What the bytes held before is not known. Returns the first page, or 0. */
static size_t wasm_grow(size_t count)
{
    for (;;) {
        const unsigned char *end = sbrk(0);
        size_t gap = (size_t)(0 - (uintptr_t)end) % WASM_PAGE_SIZE;
        if (!wasm_fits(wasm_page_of(end + gap), count))
            return 0;
        unsigned char *start = sbrk((intptr_t)(gap + count * WASM_PAGE_SIZE));
        if ((intptr_t)start == -1)
            return 0;
        if (start == end) {
            size_t first = wasm_page_of(start + gap);
            memset(wasm_is_written + first, true, count);
            return first;
        }
    }
}

#else

/* At its first call the malloc of an older wasi-libc takes all memory that exists by then.
 * Volatile, so that the compiler does not drop both calls. */
static void wasm_let_malloc_begin(void)
{
    void *volatile block = malloc(1);
    free(block);
}

/* The result is checked again, because another thread may grow the memory in between. Returns the
 * first page, or 0. */
static size_t wasm_grow(size_t count)
{
    wasm_let_malloc_begin();
    if (!wasm_fits(__builtin_wasm_memory_size(0), count))
        return 0;
    size_t first = __builtin_wasm_memory_grow(0, count); /* SIZE_MAX when refused */
    return wasm_fits(first, count) ? first : 0;
}

#endif

/* Finds the lowest free range that is large enough. Adjacent ranges that were released one by one
 * are one range here, since only pages are marked. Returns the first page, or 0. */
static size_t wasm_find_free(size_t count)
{
    size_t end = __builtin_wasm_memory_size(0), found = 0;
    for (size_t page = 0; page < end && page < WASM_MAX_PAGES; page++) {
        if (!wasm_is_free[page])
            found = 0;
        else if (++found == count)
            return page + 1 - count;
    }
    return 0;
}

static void wasm_mark_free(size_t first, size_t count, bool free)
{
    memset(wasm_is_free + first, free, count);
}

/* Spins, since the lock is held only for a look at the marks: sleeping would cost more. */
static void wasm_take_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&wasm_lock, memory_order_acquire))
        ;
}

static void wasm_give_lock(void)
{
    atomic_flag_clear_explicit(&wasm_lock, memory_order_release);
}

static void *wasm_reserve(void *context, size_t size)
{
    (void)context;
    size_t count = wasm_pages_in(size);
    wasm_take_lock();
    size_t first = wasm_find_free(count);
    if (first != 0)
        wasm_mark_free(first, count, false);
    else
        first = wasm_grow(count);
    wasm_give_lock();
    return (void *)(first * WASM_PAGE_SIZE);
}

static void wasm_release(void *context, void *address, size_t size)
{
    (void)context;
    wasm_take_lock();
    wasm_mark_free(wasm_page_of(address), wasm_pages_in(size), true);
    wasm_give_lock();
}

/* Zeroed here and not when pages are released or reserved again: many pages of a large reservation
 * are never committed, and then never touched. */
static bool wasm_commit(void *context, void *address, size_t size)
{
    (void)context;
    unsigned char *bytes = address;
    for (size_t i = 0; i < size / WASM_PAGE_SIZE; i++) {
        bool *written = &wasm_is_written[wasm_page_of(bytes) + i];
        if (*written)
            memset(bytes + i * WASM_PAGE_SIZE, 0, WASM_PAGE_SIZE);
        *written = true;
    }
    return true;
}

/* The reservation keeps the pages; a commit finds them marked as written. */
static bool wasm_decommit(void *context, void *address, size_t size)
{
    (void)context;
    (void)address;
    (void)size;
    return true;
}

bool hm_memory_fill_random(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0;
}

const hm_memory *hm_memory_system(void)
{
    static const hm_memory os = {.reserve = wasm_reserve,
                                 .commit = wasm_commit,
                                 .decommit = wasm_decommit,
                                 .release = wasm_release,
                                 .page_size = WASM_PAGE_SIZE,
                                 .has_scarce_addresses = true};
    return &os;
}

#endif

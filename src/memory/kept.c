/* SPDX-License-Identifier: MIT */
/* memory: the system's table, which keeps what is released for the next that asks. A page that
 * is in memory already costs 7 to 180 times less than a new one.
 *
 *     kept, from the oldest on    | range | range | ... | range |    at most so many bytes in all
 *
 * A byte for each page of a range says what the page may hold. The bytes of a range belong to its
 * holder, as the range does, so that a commit takes no lock.
 *
 *                reserve              commit             release, reserve, commit
 *     not ours ----------> RESERVED ----------> FRESH -----------------------------> STALE
 *
 * The lock is tried, and not held over a call of the system: who does not get it goes to the
 * system, as does a forked process if another thread had it then. */
#include "memory_private.h"

#ifdef HM_MEMORY_KEEPS

#include "../base/atomic_private.h"

#include <handle_map/bits.h>

/* What a page is. */
enum {
    KEPT_UNKNOWN,  /* not of a range that may be kept */
    KEPT_RESERVED, /* not accessible */
    KEPT_CLEAR,    /* accessible, and reads as zero */
    KEPT_FRESH,    /* was committed since the system gave it: written, or not */
    KEPT_STALE,    /* was kept since, and may hold anything */
    KEPT_MOVED     /* was remapped: its range can only be released */
};

enum {
    KEPT_RANGES = 128,         /* at most */
    KEPT_LEAF_PAGES = 1 << 18, /* of 4 KiB: 1 GiB of addresses */
    KEPT_LEAVES = 256,         /* at most */
    KEPT_LOST = 1 << 16,       /* ranges that the system would not take back, at most; it has
                                  a limit of 65,530 mappings */
    KEPT_LOOK = 4096,          /* pages that the system is asked for at a time */
    KEPT_RUN = 16,             /* pages that are discarded together, at least */
    KEPT_PART = 2              /* what is asked for is that part larger than the rest, or more */
};

/* Bytes: memory for which it pays to look for what was never touched; what is kept, unless the
 * program says otherwise; and the largest range that is. */
#define KEPT_WORTH ((size_t)1 << 20)
#define KEPT_MOST ((size_t)64 << 20)
#define KEPT_MAX_RANGE ((size_t)256 << 20)

typedef struct kept_range {
    unsigned char *address;
    size_t size; /* bytes */
    size_t warm; /* bytes that are in memory, or may be */
} kept_range;

/* What is known of the pages of a part of the addresses. Once made it stays. */
typedef struct kept_leaf {
    uintptr_t number; /* of the part */
    unsigned char states[KEPT_LEAF_PAGES];
} kept_leaf;

static void *kept_leaves[KEPT_LEAVES]; /* a hash table of kept_leaf *, by their numbers */
static uint32_t kept_drops;            /* ranges that went back to the system; it may wrap */
static uint32_t kept_lock;             /* 1: a thread has it. It guards all below. */
static uint32_t kept_count, lost_count;
static uint32_t kept_page_shift;
static size_t kept_size, kept_most = KEPT_MOST; /* bytes */
static kept_range kept_ranges[KEPT_RANGES];     /* from the oldest on */
static kept_range *kept_lost; /* KEPT_LOST of them, made before they are needed; or NULL */

static bool kept_try_lock(void)
{
    return hm_atomic_exchange_if(&kept_lock, 0, 1);
}

/* For what is rare. A thread has the lock for less than a microsecond; in a forked process it may
 * be taken for good. */
static bool kept_wait_for_lock(void)
{
    for (uint32_t i = 0; i < UINT32_C(1) << 20; i++)
        if (kept_try_lock())
            return true;
    return false;
}

static void kept_unlock(void)
{
    (void)hm_atomic_exchange_if(&kept_lock, 1, 0);
}

/* pages */

static uintptr_t kept_page_of(const void *address)
{
    return (uintptr_t)address >> kept_page_shift;
}

/* Makes memory for good. NULL: refused. */
static void *kept_allocate(size_t size)
{
    const hm_memory *system = hm_memory_system();
    size = hm_memory_round_up(size, system->page_size);
    void *made = system->reserve(system->context, size);
    if (made == NULL || system->commit(system->context, made, size))
        return made;
    (void)hm_memory_system_release(made, size);
    return NULL;
}

/* Makes the leaf of this number, unless another thread has just made one there. Returns what is
 * there then; NULL: it is refused. */
static kept_leaf *kept_make_leaf(void **place, uintptr_t number)
{
    kept_leaf *leaf = kept_allocate(sizeof *leaf);
    if (leaf == NULL)
        return NULL;
    leaf->number = number;
    if (!hm_atomic_set_pointer(place, leaf))
        (void)hm_memory_system_release(
            leaf, hm_memory_round_up(sizeof *leaf, hm_memory_system()->page_size));
    return hm_atomic_load_pointer(place);
}

/* Returns the leaf of a page; NULL if there is none, and none is to be made or can be. */
static kept_leaf *kept_leaf_of(uintptr_t page, bool makes)
{
    uintptr_t number = page / KEPT_LEAF_PAGES;
    for (uintptr_t i = 0; i < KEPT_LEAVES; i++) {
        void **place = &kept_leaves[(number + i) % KEPT_LEAVES];
        kept_leaf *leaf = hm_atomic_load_pointer(place);
        if (leaf == NULL && makes)
            leaf = kept_make_leaf(place, number);
        if (leaf == NULL || leaf->number == number)
            return leaf;
    }
    return NULL;
}

/* Returns the states of pages from `page` on, which has a leaf, and sets *part to how many of
 * `count` pages have theirs there. */
static unsigned char *kept_states(uintptr_t page, size_t count, size_t *part)
{
    size_t first = page % KEPT_LEAF_PAGES, left = KEPT_LEAF_PAGES - first;
    *part = count < left ? count : left;
    return kept_leaf_of(page, false)->states + first;
}

/* Returns what the page of this byte is. */
static int kept_state_of(const void *address)
{
    uintptr_t page = kept_page_of(address);
    const kept_leaf *leaf = kept_leaf_of(page, false);
    return leaf != NULL ? leaf->states[page % KEPT_LEAF_PAGES] : KEPT_UNKNOWN;
}

/* Whether the range that has this page may be kept. */
static bool kept_is_known(const void *address)
{
    return kept_state_of(address) != KEPT_UNKNOWN;
}

/* For AddressSanitizer, whose own memory a range without memory must not take. */
static void kept_poison(unsigned char *address, size_t size, bool is_poisoned)
{
#ifdef HM_HAS_POISON
    const size_t page_size = hm_memory_system()->page_size;
    if (!hm_memory_poisons())
        return;
    for (size_t at = 0; at < size; at += page_size)
        if (kept_state_of(address + at) >= KEPT_CLEAR)
            (is_poisoned ? hm_memory_poison : hm_memory_unpoison)(address + at, page_size);
#else
    (void)address, (void)size, (void)is_poisoned;
#endif
}

static void kept_mark(const void *address, size_t size, int state)
{
    uintptr_t page = kept_page_of(address);
    for (size_t left = size >> kept_page_shift, part; left > 0; left -= part, page += part) {
        unsigned char *states = kept_states(page, left, &part);
        memset(states, state, part);
    }
}

/* Returns the bytes of a range's pages that may be in memory; 0 if the range can only be released.
 */
static size_t kept_warm_size(const void *address, size_t size)
{
    uintptr_t page = kept_page_of(address);
    size_t warm = 0;
    for (size_t left = size >> kept_page_shift, part; left > 0; left -= part, page += part) {
        const unsigned char *states = kept_states(page, left, &part);
        if (memchr(states, KEPT_MOVED, part) != NULL)
            return 0;
        for (size_t i = 0; i < part; i++)
            warm += states[i] >= KEPT_FRESH;
    }
    return warm << kept_page_shift;
}

/* Lets a range be kept later, if it is small enough, and what says so of its pages can be had. */
static void kept_begin(const unsigned char *address, size_t size)
{
    uintptr_t first = kept_page_of(address), last = kept_page_of(address + size - 1);
    if (size <= KEPT_MAX_RANGE && kept_leaf_of(first, true) != NULL &&
        kept_leaf_of(last, true) != NULL)
        kept_mark(address, size, KEPT_RESERVED);
}

/* release */

/* Remembers a range that the system would not take back. */
static void kept_lose(unsigned char *address, size_t size)
{
    (void)hm_memory_system_discard(address, size);
    if (kept_lost == NULL || !kept_wait_for_lock())
        return;
    if (lost_count < KEPT_LOST)
        kept_lost[lost_count++] = (kept_range){address, size, 0};
    kept_unlock();
}

/* The system has taken a range back, so it may take one back that it refused. */
static void kept_find_lost(void)
{
    for (bool found = true; found && kept_try_lock();) {
        kept_range range = {NULL, 0, 0};
        if (lost_count > 0)
            range = kept_lost[--lost_count];
        kept_unlock();
        found = range.address != NULL && hm_memory_system_release(range.address, range.size);
        if (range.address != NULL && !found)
            kept_lose(range.address, range.size);
    }
}

/* Gives a range back to the system. */
static void kept_drop(unsigned char *address, size_t size)
{
    if (kept_is_known(address)) {
        kept_poison(address, size, false);
        kept_mark(address, size, KEPT_UNKNOWN); /* Before another thread may get the addresses: */
        (void)hm_atomic_add(&kept_drops, 1);    /* it sees that, by the load in kept_reserve. */
    }
    if (hm_memory_system_release(address, size))
        kept_find_lost();
    else
        kept_lose(address, size);
}

/* Takes the oldest ranges out, until at most `most` bytes are kept, in less than KEPT_RANGES
 * ranges. Returns how many. The lock is held. */
static uint32_t kept_take_oldest(size_t most, kept_range *taken)
{
    uint32_t count = 0;
    while (count < kept_count && (kept_size > most || kept_count - count == KEPT_RANGES)) {
        kept_size -= kept_ranges[count].warm;
        taken[count] = kept_ranges[count];
        count++;
    }
    kept_count -= count;
    memmove(kept_ranges, kept_ranges + count, sizeof *kept_ranges * kept_count);
    return count;
}

static void kept_drop_all(const kept_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kept_drop(ranges[i].address, ranges[i].size);
}

/* Of so many pages, finds the runs that have never been touched, and lets them read as zero. One
 * that the system has written to disk counts as such, and is discarded. */
static void kept_forget_some(unsigned char *address, unsigned char *states, size_t count)
{
    unsigned char resident[KEPT_LOOK];
    const uint32_t shift = kept_page_shift;
    if (!hm_memory_system_resident(address, count << shift, resident))
        return;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && states[end] == KEPT_FRESH && (resident[end] & 1) == 0;)
            end++;
        if (end - i >= KEPT_RUN &&
            hm_memory_system_discard(address + (i << shift), (end - i) << shift))
            memset(states + i, KEPT_CLEAR, end - i);
        end += end == i;
    }
}

/* A container may have reserved much more than it has used: the next one would touch it to clear
 * it. */
static void kept_forget_untouched(unsigned char *address, size_t size)
{
    uintptr_t page = kept_page_of(address);
    for (size_t left = size >> kept_page_shift, part; left > 0; left -= part, page += part) {
        unsigned char *states = kept_states(page, left < KEPT_LOOK ? left : KEPT_LOOK, &part);
        kept_forget_some(address, states, part);
        address += part << kept_page_shift;
    }
}

static void kept_release(void *context, void *address, size_t size)
{
    (void)context;
    kept_range taken[KEPT_RANGES];
    size = hm_memory_round_up(size, hm_memory_system()->page_size);
    size_t warm = kept_is_known(address) ? kept_warm_size(address, size) : 0;
    if (warm >= KEPT_WORTH) {
        kept_forget_untouched(address, size);
        warm = kept_warm_size(address, size);
    }
    bool is_locked = warm != 0 && kept_try_lock(), stays = is_locked && warm <= kept_most;
    if (is_locked && !stays)
        kept_unlock();
    if (!stays) {
        kept_drop(address, size);
        return;
    }
    uint32_t count = kept_take_oldest(kept_most - warm, taken);
    kept_poison(address, size, true);
    kept_ranges[kept_count++] = (kept_range){address, size, warm};
    kept_size += warm;
    kept_unlock();
    kept_drop_all(taken, count);
}

/* reserve */

/* Returns the place of the range that serves best: the latest of this size, or else the smallest
 * that is not much larger; KEPT_RANGES: there is none. A container that grows asks for half of what
 * it will need next, so that must not be divided for it. */
static uint32_t kept_choose(size_t size)
{
    uint32_t best = KEPT_RANGES;
    for (uint32_t i = kept_count; i-- > 0;) {
        size_t has = kept_ranges[i].size;
        if (has == size)
            return i;
        if (HM_MEMORY_SPLITS && has > size && has - size <= size / KEPT_PART &&
            (best == KEPT_RANGES || has < kept_ranges[best].size))
            best = i;
    }
    return best;
}

/* Takes `size` bytes of a kept range, and sets *rest to what is left of it without memory. */
static unsigned char *kept_take(size_t size, kept_range *rest)
{
    uint32_t chosen = kept_choose(size);
    if (chosen == KEPT_RANGES)
        return NULL;
    kept_range *range = &kept_ranges[chosen];
    unsigned char *address = range->address;
    size_t warm = range->size > size ? kept_warm_size(address, size) : range->warm;
    kept_size -= warm;
    *range = (kept_range){address + size, range->size - size, range->warm - warm};
    if (range->warm == 0) {
        *rest = *range;
        kept_count--;
        memmove(range, range + 1, sizeof *range * (kept_count - chosen));
    }
    return address;
}

static void *kept_reserve(void *context, size_t size)
{
    (void)context;
    const hm_memory *system = hm_memory_system();
    kept_range rest = {NULL, 0, 0};
    unsigned char *address = NULL;
    bool keeps = false;
    size = hm_memory_round_up(size, system->page_size); /* Too much becomes 0, which is refused. */
    if (kept_try_lock()) {
        keeps = kept_most != 0;
        address = kept_take(size, &rest);
        kept_unlock();
    }
    if (rest.size != 0)
        kept_drop(rest.address, rest.size);
    if (address != NULL) {
        kept_poison(address, size, false);
        return address;
    }
    address = system->reserve(system->context, size);
    if (address == NULL && hm_memory_os_kept() != 0) {
        hm_memory_os_trim();
        address = system->reserve(system->context, size);
    }
    (void)hm_atomic_load(&kept_drops);
    if (address != NULL && keeps)
        kept_begin(address, size);
    return address;
}

/* commit, decommit, remap */

/* Makes reserved pages accessible: those from `page` on, at most `count`, up to the first that is
 * accessible already. Returns how many, 0 if the system refuses. */
static size_t kept_open(uintptr_t page, unsigned char *states, size_t count)
{
    const hm_memory *system = hm_memory_system();
    size_t n = 0;
    while (n < count && states[n] == KEPT_RESERVED)
        n++;
    void *address = (void *)(page << kept_page_shift);
    if (n != 0 && !system->commit(system->context, address, n << kept_page_shift))
        return 0;
    memset(states, KEPT_CLEAR, n);
    while (n < count && states[n] != KEPT_RESERVED)
        n++;
    return n;
}

/* Makes a range accessible. If that is refused in its middle, pages before it are, and nobody
 * knows. */
static bool kept_open_all(const void *address, size_t size)
{
    uintptr_t page = kept_page_of(address);
    for (size_t left = size >> kept_page_shift, part; left > 0; left -= part, page += part) {
        unsigned char *states = kept_states(page, left, &part);
        part = kept_open(page, states, part);
        if (part == 0)
            return false;
    }
    return true;
}

static bool kept_commit_raw(void *context, void *address, size_t size)
{
    const hm_memory *system = hm_memory_system();
    (void)context;
    if (!kept_is_known(address))
        return system->commit(system->context, address, size);
    if (!kept_open_all(address, size))
        return false;
    uintptr_t page = kept_page_of(address);
    for (size_t left = size >> kept_page_shift, part; left > 0; left -= part, page += part) {
        unsigned char *states = kept_states(page, left, &part);
        for (size_t i = 0; i < part; i++)
            states[i] = states[i] == KEPT_CLEAR ? KEPT_FRESH : KEPT_STALE;
    }
    hm_memory_unpoison(address, size);
    return true;
}

void hm_memory_clear_kept(unsigned char *address, size_t size)
{
    if (size == 0 || !kept_is_known(address))
        return;
    const size_t page_size = hm_memory_system()->page_size;
    for (size_t part; size > 0; address += part, size -= part) {
        size_t gap = page_size - (uintptr_t)address % page_size;
        part = size < gap ? size : gap;
        if (kept_state_of(address) == KEPT_STALE)
            memset(address, 0, part);
    }
}

bool hm_memory_commit_kept(void *context, void *address, size_t size)
{
    if (!kept_commit_raw(context, address, size))
        return false;
    hm_memory_clear_kept(address, size);
    return true;
}

bool hm_memory_is_kept(const unsigned char *address)
{
    return kept_state_of(address) == KEPT_STALE;
}

static bool kept_decommit(void *context, void *address, size_t size)
{
    const hm_memory *system = hm_memory_system();
    (void)context;
    if (!system->decommit(system->context, address, size))
        return false;
    if (kept_is_known(address))
        kept_mark(address, size, KEPT_RESERVED);
    return true;
}

/* What a remap leaves is not to be touched (memory.h), and an emulator may have unmapped it. */
static bool kept_remap(void *context, void *from, void *to, size_t size)
{
    const hm_memory *system = hm_memory_system();
    (void)context;
    if (!system->remap(system->context, from, to, size))
        return false;
    if (kept_is_known(from))
        kept_mark(from, size, KEPT_MOVED);
    return true;
}

enum { KEPT_BUSY = 1, KEPT_READY };

static uint32_t kept_begun; /* whether the rest of the table is known: 0, or one of these */
static hm_memory kept_table = {.reserve = kept_reserve,
                               .commit = hm_memory_commit_kept,
                               .decommit = kept_decommit,
                               .release = kept_release,
                               .raw = kept_commit_raw};

const hm_memory *hm_memory_os(void)
{
    const hm_memory *system = hm_memory_system();
    while (hm_atomic_load(&kept_begun) != KEPT_READY)
        if (hm_atomic_exchange_if(&kept_begun, 0, KEPT_BUSY)) {
            kept_table.page_size = system->page_size;
            kept_table.remap = system->remap != NULL ? kept_remap : NULL;
            kept_page_shift = hm_bits_lowest(system->page_size);
            kept_lost = kept_allocate(sizeof *kept_lost * KEPT_LOST);
            (void)hm_atomic_exchange_if(&kept_begun, KEPT_BUSY, KEPT_READY);
        }
    return &kept_table;
}

/* what is kept */

/* Gives back what is above a bound, which may stay the bound. Returns that which there was. */
static size_t kept_shrink(size_t most, bool stays)
{
    kept_range taken[KEPT_RANGES];
    if (!kept_wait_for_lock())
        return 0;
    size_t before = kept_most;
    if (stays)
        kept_most = most;
    uint32_t count = kept_take_oldest(most, taken);
    kept_unlock();
    kept_drop_all(taken, count);
    return before;
}

size_t hm_memory_os_keep(size_t most)
{
    return kept_shrink(most, true);
}

void hm_memory_os_trim(void)
{
    (void)kept_shrink(0, false);
    kept_find_lost();
}

size_t hm_memory_os_kept(void)
{
    size_t size = 0;
    if (kept_wait_for_lock()) {
        size = kept_size;
        kept_unlock();
    }
    return size;
}

#else

const hm_memory *hm_memory_os(void)
{
    return hm_memory_system();
}

#ifndef HM_FREESTANDING

size_t hm_memory_os_keep(size_t most)
{
    (void)most;
    return 0;
}

void hm_memory_os_trim(void)
{
}

size_t hm_memory_os_kept(void)
{
    return 0;
}

#endif
#endif

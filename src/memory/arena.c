/* SPDX-License-Identifier: MIT */
/* memory: an arena, which gives many small ranges of one reservation.
 *
 *     pages        blocks
 *     |h w u ...|  |# range |#    free    |# range |# range |#        free          |
 *                   ^ a header of one unit before each
 *
 * Blocks follow one another without a gap, and no two neighbours are free, so a released range
 * becomes one block with what is free around it. Free blocks are listed by the highest bit of their
 * sizes; a bit for each list says whether it has any.
 *
 * For each page of the parent a byte says whether it has memory, and whether a header or a range
 * may use it. What no one uses keeps its memory until a trim.
 *
 * The parent is asked before anything changes, so a refusal changes nothing but which pages have
 * memory. */
#include "memory_private.h"

#include "../base/base_private.h"

#include <handle_map/bits.h>

enum {
    ARENA_UNIT = 64, /* bytes: a cache line; all ranges begin and end at multiples of it */
    ARENA_LOOK = 8   /* blocks of a list that are tried before a larger one is taken */
};

/* Bytes. The default sizes. */
#define ARENA_SIZE ((size_t)1 << 30)
#define ARENA_SCARCE_SIZE ((size_t)1 << 24)

/* The bits of a page. */
enum {
    ARENA_HELD = 1, /* it has memory */
    ARENA_USED = 2  /* which something may use; else trim gives it back */
};

/* The header of a block. */
struct hm_memory_block {
    size_t size;   /* bytes, the header included */
    size_t before; /* bytes of the block before this one; 0: there is none */
    struct hm_memory_block *next, *previous; /* in the list of free blocks */
    bool is_free;
};

HM_STATIC_ASSERT(sizeof(struct hm_memory_block) <= ARENA_UNIT, "a header fits in a unit");

typedef struct hm_memory_block arena_block;

static size_t arena_page_of(const hm_memory_arena *arena, const void *address)
{
    return ((uintptr_t)address - (uintptr_t)arena->base) >> arena->page_shift;
}

static unsigned char *arena_page_at(const hm_memory_arena *arena, size_t page)
{
    return arena->base + (page << arena->page_shift);
}

static arena_block *arena_block_at(unsigned char *address)
{
    return (arena_block *)(void *)address;
}

/* Returns the block behind this one, or NULL. */
static arena_block *arena_block_after(const hm_memory_arena *arena, arena_block *block)
{
    unsigned char *end = (unsigned char *)block + block->size;
    return end < arena->base + arena->size ? arena_block_at(end) : NULL;
}

/* Pages */

/* Makes sure that the pages of these bytes have memory. Commits each run of pages that lack it,
 * and the pages behind them up to a step of growth. */
static bool arena_hold(hm_memory_arena *arena, const unsigned char *address, size_t size)
{
    const hm_memory *parent = arena->parent;
    size_t step = hm_memory_growth(parent, arena->committed_size, NULL) >> arena->page_shift;
    size_t end = arena_page_of(arena, address + size - 1) + 1, stop;
    for (size_t page = arena_page_of(arena, address); page < end; page = stop) {
        stop = page + 1;
        if (arena->pages[page] != 0)
            continue;
        while (stop < arena->page_count && arena->pages[stop] == 0 &&
               (stop < end || stop - page < step))
            stop++;
        size_t bytes = (stop - page) << arena->page_shift;
        if (hm_memory_commit(parent, arena_page_at(arena, page), bytes, true) != HM_OK)
            return false;
        hm_memory_poison(arena_page_at(arena, page), bytes);
        memset(arena->pages + page, ARENA_HELD, stop - page);
        arena->committed_size += bytes;
    }
    return true;
}

/* Marks the pages of these bytes, which have memory. */
static void arena_use(hm_memory_arena *arena, unsigned char *address, size_t size)
{
    size_t page = arena_page_of(arena, address), last = arena_page_of(arena, address + size - 1);
    hm_memory_unpoison(address, size);
    memset(arena->pages + page, ARENA_HELD | ARENA_USED, last - page + 1);
}

/* Of the pages from `first` to `last`, marks those as unused that lie between two addresses. */
static void arena_disuse(hm_memory_arena *arena, size_t first, size_t last,
                         const unsigned char *from, const unsigned char *to)
{
    for (size_t page = first; page <= last; page++)
        if (arena_page_at(arena, page) >= from && arena_page_at(arena, page + 1) <= to)
            arena->pages[page] &= (unsigned char)~ARENA_USED;
}

/* Poisons what has memory of these bytes. */
static void arena_poison(const hm_memory_arena *arena, unsigned char *address, size_t size)
{
    unsigned char *end = address + size;
    for (size_t page = arena_page_of(arena, address); address < end; page++) {
        unsigned char *stop = arena_page_at(arena, page + 1);
        if (stop > end)
            stop = end;
        if (arena->pages[page] != 0)
            hm_memory_poison(address, (size_t)(stop - address));
        address = stop;
    }
}

/* Free blocks */

static uint32_t arena_list_of(size_t size)
{
    return hm_bits_highest(size / ARENA_UNIT);
}

static void arena_link(hm_memory_arena *arena, arena_block *block)
{
    uint32_t list = arena_list_of(block->size);
    block->is_free = true;
    block->previous = NULL;
    block->next = arena->free_blocks[list];
    if (block->next != NULL)
        block->next->previous = block;
    arena->free_blocks[list] = block;
    arena->lists |= UINT64_C(1) << list;
}

static void arena_unlink(hm_memory_arena *arena, arena_block *block)
{
    uint32_t list = arena_list_of(block->size);
    block->is_free = false;
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        arena->free_blocks[list] = block->next;
    if (arena->free_blocks[list] == NULL)
        arena->lists &= ~(UINT64_C(1) << list);
}

/* Returns a free block of at least this size, or NULL: one of the first of its list, which were
 * released last, else any of a list whose blocks are all larger, else any other of its list. */
static arena_block *arena_find(const hm_memory_arena *arena, size_t size)
{
    uint32_t list = arena_list_of(size);
    arena_block *block = arena->free_blocks[list];
    for (uint32_t i = 0; i < ARENA_LOOK && block != NULL; i++, block = block->next)
        if (block->size >= size)
            return block;
    uint64_t larger = arena->lists & ~((UINT64_C(2) << list) - 1);
    if (larger != 0)
        return arena->free_blocks[hm_bits_lowest(larger)];
    while (block != NULL && block->size < size)
        block = block->next;
    return block;
}

/* Makes a block of the bytes behind another one. */
static void arena_make(hm_memory_arena *arena, unsigned char *address, size_t size, size_t before)
{
    arena_use(arena, address, ARENA_UNIT);
    arena_block *block = arena_block_at(address);
    block->size = size;
    block->before = before;
    arena_block *after = arena_block_after(arena, block);
    if (after != NULL)
        after->before = size;
}

/* The table */

/* Divides a free block in up to three: a gap for the alignment, the range, and what is left. */
static void *arena_reserve(void *context, size_t size)
{
    hm_memory_arena *arena = context;
    size_t align = hm_memory_align_of(size);
    if (size > arena->size)
        return NULL;
    arena_block *block = arena_find(arena, size + align);
    if (block == NULL)
        return NULL;
    unsigned char *start = (unsigned char *)block + ARENA_UNIT;
    size_t gap = (size_t)(0 - (uintptr_t)start) & (align - 1);
    unsigned char *range = start + gap;
    size_t left = block->size - gap - ARENA_UNIT - size, whole = ARENA_UNIT + size;
    if (!arena_hold(arena, range - ARENA_UNIT, ARENA_UNIT) ||
        (left != 0 && !arena_hold(arena, range + size, ARENA_UNIT)))
        return NULL;
    arena_unlink(arena, block);
    block->size = gap + whole;
    if (left != 0) {
        arena_make(arena, range + size, left, whole);
        arena_link(arena, arena_block_at(range + size));
    }
    if (gap != 0) {
        arena_make(arena, range - ARENA_UNIT, whole, gap);
        block->size = gap;
        arena_link(arena, block);
    }
    arena_block_at(range - ARENA_UNIT)->is_free = false;
    arena->used_size += size;
    arena->ranges++;
    return range;
}

static bool arena_raw(void *context, void *address, size_t size)
{
    hm_memory_arena *arena = context;
    if (!arena_hold(arena, address, size))
        return false;
    arena_use(arena, address, size);
    return true;
}

static bool arena_decommit(void *context, void *address, size_t size)
{
    hm_memory_arena *arena = context;
    unsigned char *from = address, *to = from + size;
    arena_poison(arena, from, size);
    arena_disuse(arena, arena_page_of(arena, from), arena_page_of(arena, to - 1), from, to);
    return true;
}

static void arena_release(void *context, void *address, size_t size)
{
    hm_memory_arena *arena = context;
    unsigned char *from = (unsigned char *)address - ARENA_UNIT, *to = from + ARENA_UNIT + size;
    arena_block *block = arena_block_at(from), *after = arena_block_after(arena, block);
    HM_CONTRACT(block->size == ARENA_UNIT + size, "hm_memory_arena: a release of another size");
    arena_poison(arena, address, size);
    if (after != NULL && after->is_free) {
        arena_unlink(arena, after);
        block->size += after->size;
        to += ARENA_UNIT; /* where its header was */
    }
    if (block->before != 0 && arena_block_at(from - block->before)->is_free) {
        size_t added = block->size;
        block = arena_block_at(from - block->before);
        arena_unlink(arena, block);
        block->size += added;
    }
    after = arena_block_after(arena, block);
    if (after != NULL)
        after->before = block->size;
    arena_link(arena, block);
    arena_disuse(arena, arena_page_of(arena, from), arena_page_of(arena, to - 1),
                 (unsigned char *)block + ARENA_UNIT, (unsigned char *)block + block->size);
    arena->used_size -= size;
    arena->ranges--;
}

/* init, fini, trim */

#ifndef HM_WITHOUT_HISTORY
static const hm_known_kind arena_known = {"memory_arena",
                                          0,
                                          sizeof(hm_memory_arena),
                                          offsetof(hm_memory_arena, known),
                                          offsetof(hm_memory_arena, parent),
                                          0,
                                          NULL};
#endif

static hm_status arena_check(const hm_memory_arena_desc *full)
{
    hm_status status = hm_memory_check(full->memory);
    if (status != HM_OK)
        return status;
    if (full->size > SIZE_MAX / 4 || full->memory->page_size > SIZE_MAX / 8)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_memory_arena_init: size %zu in pages of %zu is above %zu", full->size,
                       full->memory->page_size, (size_t)SIZE_MAX / 4);
    return HM_OK;
}

/* Reserves the bytes of pages and the blocks behind them, and makes the first block. */
static hm_status arena_init_parts(hm_memory_arena *arena, const hm_memory_arena_desc *full)
{
    size_t page_size = full->memory->page_size, unit = page_size;
    if (unit < ARENA_UNIT)
        unit = ARENA_UNIT; /* so that the first block begins at a multiple of it */
    arena->size = hm_memory_round_up(full->size, unit);
    arena->page_shift = hm_bits_highest(page_size);
    arena->page_count = arena->size >> arena->page_shift;
    size_t table_size = hm_memory_round_up(arena->page_count, unit);
    arena->reserved_size = table_size + arena->size;
    hm_status status = hm_memory_reserve(full->memory, arena->reserved_size, &arena->pages);
    if (status != HM_OK)
        return status;
    arena->base = arena->pages + table_size;
    arena->parent = full->memory;
    status = hm_memory_commit(full->memory, arena->pages, table_size, false);
    if (status != HM_OK)
        return status;
    arena->committed_size = table_size;
    if (!arena_hold(arena, arena->base, ARENA_UNIT))
        return hm_fail(
            HM_ERROR_MEMORY,
            "hm_memory_arena_init: a commit of the first block was refused: free memory");
    arena_make(arena, arena->base, arena->size, 0);
    arena_link(arena, arena_block_at(arena->base));
    arena->table = (hm_memory){.reserve = arena_reserve,
                               .commit = hm_memory_commit_clear,
                               .decommit = arena_decommit,
                               .release = arena_release,
                               .page_size = ARENA_UNIT,
                               .context = arena,
                               .has_scarce_addresses = true,
                               .raw = arena_raw,
                               .registry = full->memory->registry};
    return HM_OK;
}

static void arena_release_all(hm_memory_arena *arena)
{
    if (arena->parent != NULL)
        arena->parent->release(arena->parent->context, arena->pages, arena->reserved_size);
    memset(arena, 0, sizeof *arena);
}

hm_status hm_memory_arena_init(hm_memory_arena *arena, const hm_memory_arena_desc *desc)
{
    if (arena == NULL)
        return hm_refuse_null("hm_memory_arena_init", "arena");
    memset(arena, 0, sizeof *arena);
    desc = HM_DESC(hm_memory_arena_desc, desc);
    hm_memory_arena_desc full = *desc;
    if (full.memory == NULL)
        full.memory = hm_memory_os();
    if (full.size == 0)
        full.size = hm_memory_is_ample(full.memory) ? ARENA_SIZE : ARENA_SCARCE_SIZE;
    hm_status status = arena_check(&full);
    if (status == HM_OK)
        status = arena_init_parts(arena, &full);
    if (status == HM_OK)
        status = hm_known_join(&arena_known, arena);
    if (status != HM_OK)
        arena_release_all(arena);
    return status;
}

void hm_memory_arena_fini(hm_memory_arena *arena)
{
    HM_CONTRACT(arena != NULL, "hm_memory_arena_fini: arena is NULL");
    HM_CONTRACT(arena->ranges == 0, "hm_memory_arena_fini: a container still uses the arena");
    for (size_t page = 0; page < arena->page_count; page++)
        if (arena->pages[page] != 0)
            hm_memory_unpoison(arena_page_at(arena, page), arena->parent->page_size);
    hm_known_leave(&arena_known, arena);
    arena_release_all(arena);
}

/* Whether a page has memory that nothing uses. */
static bool arena_is_idle(const hm_memory_arena *arena, size_t page)
{
    return (arena->pages[page] & (ARENA_HELD | ARENA_USED)) == ARENA_HELD;
}

hm_status hm_memory_arena_trim(hm_memory_arena *arena)
{
    HM_CONTRACT(arena != NULL, "hm_memory_arena_trim: arena is NULL");
    for (size_t page = 0, stop; page < arena->page_count; page = stop) {
        stop = page + 1;
        if (!arena_is_idle(arena, page))
            continue;
        while (stop < arena->page_count && arena_is_idle(arena, stop))
            stop++;
        unsigned char *address = arena_page_at(arena, page);
        size_t size = (stop - page) << arena->page_shift;
        hm_memory_unpoison(address, size); /* The parent's function may write there. */
        hm_status status = hm_memory_decommit(arena->parent, address, size);
        if (status != HM_OK) {
            hm_memory_poison(address, size);
            return status;
        }
        memset(arena->pages + page, 0, stop - page);
        arena->committed_size -= size;
    }
    return HM_OK;
}

hm_memory_arena_stats hm_memory_arena_get_stats(const hm_memory_arena *arena)
{
    HM_CONTRACT(arena != NULL, "hm_memory_arena_get_stats: arena is NULL");
    return (hm_memory_arena_stats){.ranges = arena->ranges,
                                   .used_size = arena->used_size,
                                   .committed_size = arena->committed_size,
                                   .reserved_size = arena->reserved_size};
}

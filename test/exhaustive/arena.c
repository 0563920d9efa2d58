/* SPDX-License-Identifier: MIT */
/* The memory of the live state. */
#include "arena.h"

#include "memory/memory_private.h"
#include "search.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>

static void reported(void)
{
    test_fail(__FILE__, __LINE__, "AddressSanitizer is content");
}
#else
#define __sanitizer_set_death_callback(callback) ((void)0)
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

arena_all arena;

static _Alignas(ARENA_STEP) unsigned char steps[2 * ARENA_RANGES][ARENA_STEP];

/* Under AddressSanitizer the library may touch committed memory only; the harness opens all memory,
 * and closes it again before the library runs. */
void arena_open(void)
{
    ASAN_UNPOISON_MEMORY_REGION(steps, sizeof steps);
}

void arena_close(void)
{
#ifdef WITH_ASAN
    for (uint32_t i = 0; i < 2 * arena.range_count; i++)
        for (size_t at = 0; at < arena.windows[i]; at += arena.table.page_size)
            if (!arena_is_committed(i, at))
                ASAN_POISON_MEMORY_REGION(arena_range(i) + at, arena.table.page_size);
#endif
}

unsigned char *arena_range(uint32_t range)
{
    return steps[range] + ARENA_START;
}

bool arena_is_committed(uint32_t range, size_t offset)
{
    size_t page = offset / arena.table.page_size;
    return (arena.memory[range].committed[page / 64] >> page % 64 & 1) != 0;
}

/* the table */

static bool is_refused(void)
{
    arena.calls++;
    if (arena.calls < arena.refuse_from || arena.calls > arena.refuse_to)
        return false;
    arena.refused = true;
    return true;
}

static void *reserve(void *context, size_t size)
{
    (void)context;
    CHECK(size > 0 && size % arena.table.page_size == 0);
    if (is_refused())
        return NULL;
    uint32_t i = arena.first;
    while (i < arena.end && (arena.memory[i].reserved != 0 || size > arena.windows[i]))
        i++;
    CHECK(i < arena.end);
    arena.memory[i].reserved = size;
    return arena_range(i);
}

/* Checks that all pages of these bytes are committed, or none, and returns their range. */
static uint32_t range_of(const void *address, size_t size, bool is_committed)
{
    size_t offset = (size_t)((const unsigned char *)address - arena_range(0));
    size_t page_size = arena.table.page_size;
    uint32_t index = (uint32_t)(offset / ARENA_STEP);
    offset %= ARENA_STEP;
    CHECK(index < 2 * arena.range_count && size > 0 &&
          offset + size <= arena.memory[index].reserved);
    CHECK(offset % page_size == 0 && size % page_size == 0);
    for (size_t at = offset; at < offset + size; at += page_size)
        CHECK(arena_is_committed(index, at) == is_committed);
    return index;
}

/* Commits the pages of these bytes that are not, and decommits those that are. */
static void flip_pages(uint32_t index, const void *address, size_t size)
{
    size_t page_size = arena.table.page_size;
    size_t page = (size_t)((const unsigned char *)address - arena_range(index)) / page_size;
    for (size_t end = page + size / page_size; page < end; page++)
        arena.memory[index].committed[page / 64] ^= UINT64_C(1) << page % 64;
}

/* The memory is blank. */
static bool commit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index = range_of(address, size, false);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    flip_pages(index, address, size);
    return true;
}

static bool decommit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index = range_of(address, size, true);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, SPACE_BLANK, size);
    ASAN_POISON_MEMORY_REGION(address, size);
    flip_pages(index, address, size);
    return true;
}

static void release(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index = (uint32_t)(((unsigned char *)address - arena_range(0)) / ARENA_STEP);
    CHECK(index < 2 * arena.range_count && address == arena_range(index));
    CHECK(size == arena.memory[index].reserved);
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, SPACE_BLANK, size);
    arena.memory[index] = (arena_memory){0};
}

void arena_begin(const size_t *windows, uint32_t range_count, size_t page_size)
{
    const size_t most = ARENA_STEP - 2 * ARENA_START, all = ARENA_PAGES * page_size,
                 largest = all < most ? all : most;
    CHECK(range_count <= ARENA_RANGES);
    memset(&arena, 0, sizeof arena);
    arena.table = (hm_memory){.reserve = reserve,
                              .commit = hm_memory_commit_clear,
                              .decommit = decommit,
                              .release = release,
                              .page_size = page_size,
                              .context = &arena.table,
                              .raw = commit};
    arena.range_count = range_count;
    for (uint32_t i = 0; i < range_count; i++) {
        CHECK(windows[i] <= largest && windows[i] % 8 == 0);
        arena.windows[i] = windows[i];
        arena.windows[range_count + i] = largest;
    }
    arena_lend(true, false);
    __sanitizer_set_death_callback(reported);
    arena_open();
    memset(steps, SPACE_BLANK, sizeof steps);
    arena_close();
}

void arena_lend(bool own, bool spare)
{
    arena.first = own ? 0 : arena.range_count;
    arena.end = spare ? 2 * arena.range_count : arena.range_count;
    for (uint32_t i = arena.end; i < 2 * arena.range_count; i++)
        CHECK(arena.memory[i].reserved == 0);
}

void arena_empty(void)
{
    arena_open();
    for (uint32_t i = 0; i < arena.range_count; i++) {
        memset(arena_range(i), SPACE_BLANK, arena.windows[i]);
        arena.memory[i] = (arena_memory){0};
    }
    arena_close();
}

void arena_refuse(uint32_t number)
{
    arena.calls = 0;
    arena.refuse_from = arena.refuse_to = number;
    arena.refused = false;
}

void arena_init(hm_status (*init)(void))
{
    uint32_t refuse = 1;
    do {
        arena_refuse(refuse++);
        hm_status status = init();
        CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(!arena.refused || arena_is_empty());
    } while (arena.refused);
    arena_refuse(0);
}

/* states */

size_t arena_size(void)
{
    size_t size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        size += sizeof *arena.memory + arena.windows[i];
    return size;
}

void arena_capture(unsigned char *bytes)
{
    size_t size = sizeof *arena.memory * arena.range_count;
    memcpy(bytes, arena.memory, size);
    bytes += size;
    for (uint32_t i = 0; i < arena.range_count; bytes += arena.windows[i++])
        memcpy(bytes, arena_range(i), arena.windows[i]);
}

void arena_restore(const unsigned char *bytes)
{
    size_t size = sizeof *arena.memory * arena.range_count;
    memcpy(arena.memory, bytes, size);
    bytes += size;
    for (uint32_t i = 0; i < arena.range_count; bytes += arena.windows[i++])
        memcpy(arena_range(i), bytes, arena.windows[i]);
}

size_t arena_check(void)
{
    size_t committed_size = 0;
    arena_open();
    for (uint32_t i = 0; i < arena.range_count; i++)
        for (size_t at = 0; at < arena.windows[i]; at++) {
            bool is_committed = arena_is_committed(i, at);
            CHECK(is_committed || arena_range(i)[at] == SPACE_BLANK);
            committed_size += is_committed;
        }
    return committed_size;
}

bool arena_is_empty(void)
{
    for (uint32_t i = 0; i < 2 * ARENA_RANGES; i++)
        if (arena.memory[i].reserved != 0)
            return false;
    return true;
}

/* the memory of a model */

void test_memory_init(test_memory *memory, size_t page_size)
{
    CHECK(page_size == arena.table.page_size);
    memory->table = arena.table;
    arena.shown = memory;
}

void test_memory_init_with_holes(test_memory *memory, size_t page_size)
{
    test_memory_init(memory, page_size);
}

void test_memory_fail(test_memory *memory, uint32_t k, bool and_later_ones)
{
    (void)memory;
    arena.refuse_from = k != 0 ? arena.calls + k : 0;
    arena.refuse_to = and_later_ones ? UINT32_MAX : arena.refuse_from;
    arena.refused = false;
}

bool test_memory_refused(const test_memory *memory)
{
    (void)memory;
    return arena.refused;
}

void test_memory_check_committed(const test_memory *memory, const void *address, size_t size)
{
    size_t from = (size_t)((const unsigned char *)address - arena_range(0));
    for (size_t at = from; at < from + size; at++)
        CHECK(arena_is_committed((uint32_t)(at / ARENA_STEP), at % ARENA_STEP));
    (void)memory;
}

void test_memory_check_released(const test_memory *memory)
{
    (void)memory;
    CHECK(arena_is_empty());
}

void arena_show(void)
{
    arena.shown->committed_size = arena_check();
    arena.shown->reserved_size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        arena.shown->reserved_size += arena.memory[i].reserved;
    arena_close();
}

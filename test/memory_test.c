/* SPDX-License-Identifier: MIT */
/* memory: what every table of the library promises, and refusals by the system. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, RLIMIT_DATA */
#endif

#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/array.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#endif

enum { TABLES = 5 };

/* It is kept until the process ends, as the other tables are. */
static const hm_memory *arena_table(void)
{
    static hm_memory_arena arena;
    if (arena.table.reserve == NULL)
        CHECK(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = (size_t)1 << 22}) ==
              HM_OK);
    return &arena.table;
}

static const hm_memory *allocator_table(void)
{
    static test_allocator from;
    if (from.allocator.table.reserve == NULL)
        test_allocator_init(&from);
    return &from.allocator.table;
}

static const hm_memory *table_at(int index)
{
    const hm_memory *const tables[TABLES] = {hm_memory_os(), hm_memory_os_huge(), hm_memory_heap(),
                                             arena_table(), allocator_table()};
    return tables[index];
}

/* A range of a table, and the value of all bytes of each of its pages. */

enum { RANGES = 8, MOST_PAGES = 20, NO_MEMORY = -1 };

typedef struct model_range {
    unsigned char *address; /* NULL: there is none */
    size_t pages;
    int values[MOST_PAGES];
} model_range;

/* No two ranges share a byte, since all have values of their own. */
static void check_ranges(const hm_memory *memory, const model_range *ranges)
{
    const size_t page = memory->page_size;
    for (const model_range *range = ranges; range < ranges + RANGES; range++)
        for (size_t p = 0; range->address != NULL && p < range->pages; p++)
            CHECK(range->values[p] == NO_MEMORY ||
                  test_bytes_are(range->address + p * page, page, (unsigned char)range->values[p]));
}

static void reserve_range(const hm_memory *memory, model_range *range, size_t pages)
{
    size_t size = pages * memory->page_size, bits = size | HM_MEMORY_ALIGNMENT;
    range->address = memory->reserve(memory->context, size);
    range->pages = pages;
    CHECK(range->address != NULL && (uintptr_t)range->address % (bits & (~bits + 1)) == 0);
    for (size_t p = 0; p < pages; p++)
        range->values[p] = NO_MEMORY;
}

/* Commits or decommits some pages that are in one state. */
static void change_range(const hm_memory *memory, model_range *range, uint64_t *random)
{
    size_t first = test_random_below(random, (uint32_t)range->pages), end = first;
    size_t most = first + 1 + test_random_below(random, MOST_PAGES);
    bool is_held = range->values[first] != NO_MEMORY;
    int value = is_held ? NO_MEMORY : (int)test_random_below(random, 255) + 1;
    for (; end < range->pages && end < most && (range->values[end] != NO_MEMORY) == is_held; end++)
        range->values[end] = value;
    unsigned char *address = range->address + first * memory->page_size;
    size_t size = (end - first) * memory->page_size;
    if (is_held) {
        CHECK(memory->decommit(memory->context, address, size));
        return;
    }
    if (memory->raw != NULL && test_random_below(random, 2) == 0) {
        CHECK(memory->raw(memory->context, address, size));
    } else {
        CHECK(memory->commit(memory->context, address, size));
        CHECK(test_bytes_are(address, size, 0));
    }
    memset(address, value, size);
}

TEST(memory, every_table_does_what_a_naive_model_does)
{
    uint64_t random = test_seed("memory tables");
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        bool is_huge = memory->page_size >= 1 << 20;
        model_range ranges[RANGES] = {{.address = NULL}};
        for (uint32_t step = is_huge ? 60 : 1000; step > 0; step--) {
            model_range *range = &ranges[test_random_below(&random, RANGES)];
            bool is_release = test_random_below(&random, 8) == 0;
            if (range->address == NULL) {
                reserve_range(memory, range,
                              1 + test_random_below(&random, is_huge ? 3 : MOST_PAGES));
            } else if (is_release) {
                memory->release(memory->context, range->address, range->pages * memory->page_size);
                range->address = NULL;
            } else {
                change_range(memory, range, &random);
            }
            check_ranges(memory, ranges);
        }
        for (int k = 0; k < RANGES; k++)
            if (ranges[k].address != NULL)
                memory->release(memory->context, ranges[k].address,
                                ranges[k].pages * memory->page_size);
    }
}

/* Both grow in turn, and shrink in turn. */
TEST(memory, malloc_and_a_table_take_nothing_of_each_other)
{
    enum { ROUNDS = 12, STEP = 50000 };
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        unsigned char *blocks[ROUNDS], *ranges[ROUNDS];
        for (int k = 0; k < ROUNDS; k++) {
            const size_t block_size = (size_t)(k + 1) * STEP;
            ranges[k] = memory->reserve(memory->context, memory->page_size);
            blocks[k] = malloc(block_size);
            CHECK(ranges[k] != NULL && blocks[k] != NULL);
            CHECK(memory->commit(memory->context, ranges[k], memory->page_size));
            memset(ranges[k], k + 1, memory->page_size);
            memset(blocks[k], 100 + k, block_size);
        }
        for (int k = 0; k < ROUNDS; k++) {
            CHECK(test_bytes_are(ranges[k], memory->page_size, (unsigned char)(k + 1)));
            CHECK(test_bytes_are(blocks[k], (size_t)(k + 1) * STEP, (unsigned char)(100 + k)));
            memory->release(memory->context, ranges[k], memory->page_size);
            free(blocks[k]);
        }
    }
}

/* The largest size is where an addition inside reserve would wrap around. With 32-bit pointers half
 * of all addresses may be available. */
TEST(memory, an_absurd_size_is_refused)
{
    for (int i = 0; i < TABLES; i++) {
        const hm_memory *memory = table_at(i);
        if (TEST_HAS_SANITIZER && memory == hm_memory_heap()) {
            test_leave_out("an absurd size from malloc, where the sanitizer's ends the process");
            continue;
        }
        const size_t whole_pages = ~(memory->page_size - 1);
        CHECK(memory->reserve(memory->context, SIZE_MAX & whole_pages) == NULL);
        if (sizeof(void *) >= 8)
            CHECK(memory->reserve(memory->context, SIZE_MAX / 2 & whole_pages) == NULL);
    }
}

/* matrix/shared_test.c has containers of all kinds over an allocator. */
TEST(memory, an_allocator_is_called_only_for_whole_ranges_and_written_only_where_committed)
{
    enum { PAGE = 64 };
    test_allocator from;
    test_allocator_init(&from);
    const hm_memory *memory = &from.allocator.table;
    CHECK(from.calls == 0 && memory->page_size == PAGE && memory->has_scarce_addresses);
    unsigned char *bytes = memory->reserve(memory->context, 6 * PAGE);
    CHECK(bytes != NULL && from.calls == 1 && from.used_size == 6 * PAGE);
    for (int round = 0; round < 2; round++) {
        CHECK(memory->commit(memory->context, bytes + 2 * PAGE, 2 * PAGE));
        CHECK(test_bytes_are(bytes + 2 * PAGE, 2 * PAGE, 0));
        memset(bytes + 2 * PAGE, round + 1, 2 * PAGE);
        CHECK(memory->decommit(memory->context, bytes + 2 * PAGE, 2 * PAGE));
    }
    CHECK(from.calls == 1 && from.used_size == 6 * PAGE);
    memory->release(memory->context, bytes, 6 * PAGE);
    CHECK(from.calls == 1 && from.used_size == 0 && from.written_size == 2 * PAGE);
}

TEST(memory, an_allocator_without_a_function_is_refused_by_init_and_by_containers)
{
    static const char *const missing[] = {"allocate", "free", "allocate"};
    test_allocator from;
    test_allocator_init(&from);
    const hm_memory_allocator_desc whole = from.allocator.use;
    for (int i = 0; i < 3; i++) {
        hm_memory_allocator_desc desc = whole;
        hm_array array;
        char sentence[100];
        if (i == 0)
            desc.allocate = NULL;
        else if (i == 1)
            desc.free = NULL;
        CHECK(hm_memory_allocator_init(&from.allocator, i == 2 ? NULL : &desc) == HM_ERROR_INVALID);
        snprintf(sentence, sizeof sentence, "hm_memory_allocator_init: %s is NULL", missing[i]);
        CHECK(strcmp(hm_last_error(), sentence) == 0);
        CHECK(hm_array_init(&array,
                            &(hm_array_desc){.item_size = 8, .memory = &from.allocator.table}) ==
              HM_ERROR_INVALID);
    }
    CHECK(hm_memory_allocator_init(NULL, &whole) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "hm_memory_allocator_init: allocator is NULL") == 0);
}

static void *never_allocate(void *context, size_t size, size_t align)
{
    (void)context, (void)size, (void)align;
    test_fail(__FILE__, __LINE__, "no function is called");
    return NULL;
}

/* An allocator whose addresses are odd, and that knows nothing of what it gave but the address. */
static uint32_t odd_blocks;

static void *odd_allocate(void *context, size_t size)
{
    unsigned char *raw = size < SIZE_MAX ? malloc(size + 1) : NULL;
    CHECK(context == &odd_blocks && size != 0);
    odd_blocks += raw != NULL;
    return raw != NULL ? raw + 1 : NULL;
}

static void odd_free(void *context, void *address)
{
    CHECK(context == &odd_blocks && odd_blocks-- > 0);
    free((unsigned char *)address - 1);
}

TEST(memory, an_allocator_aligns_what_functions_without_alignment_give)
{
    const hm_memory_allocator_desc odd = {
        .context = &odd_blocks, .allocate_unaligned = odd_allocate, .free_unaligned = odd_free};
    hm_memory_allocator allocator;
    hm_map map;
    CHECK(hm_memory_allocator_init(&allocator, &odd) == HM_OK && odd_blocks == 0);
    const hm_map_desc desc = {.item_size = 4096, .item_align = 4096, .memory = &allocator.table};
    CHECK(hm_map_init(&map, &desc) == HM_OK && odd_blocks != 0);
    for (int i = 0; i < 100; i++) {
        const void *item = hm_map_get(&map, hm_map_insert(&map, NULL));
        CHECK((uintptr_t)item % 4096 == 0 && test_bytes_are(item, 4096, 0));
    }
    CHECK(hm_map_validate(&map) == HM_OK);
    CHECK(allocator.table.reserve(allocator.table.context, SIZE_MAX - 63) == NULL);
    hm_map_fini(&map);
    CHECK(odd_blocks == 0);
    for (int i = 0; i < 3; i++) {
        hm_memory_allocator_desc wrong = odd;
        if (i == 0)
            wrong.allocate_unaligned = NULL;
        else if (i == 1)
            wrong.free_unaligned = NULL;
        else
            wrong.allocate = never_allocate;
        CHECK(hm_memory_allocator_init(&allocator, &wrong) == HM_ERROR_INVALID);
        static const char *const sentences[] = {"allocate is NULL", "free is NULL",
                                                "there are two pairs of functions"};
        CHECK(strstr(hm_last_error(), sentences[i]) != NULL);
        CHECK(hm_map_init(&map, &desc) == HM_ERROR_INVALID);
    }
}

#if defined(__wasm__)

/* WebAssembly's memory only grows, so released memory has to be reused. The parts fill all free
 * ranges below `whole`, and then its own. */
TEST(memory, neighbours_that_were_released_one_by_one_are_one_place_again)
{
    enum { MOST_PARTS = 4096 };
    static unsigned char *parts[MOST_PARTS];
    const hm_memory *memory = hm_memory_os();
    const size_t part = 2 * memory->page_size, size = 32 * part;
    unsigned char *whole = memory->reserve(NULL, size);
    CHECK(whole != NULL);
    memory->release(NULL, whole, size);
    int count = 0;
    do {
        CHECK(count < MOST_PARTS);
        parts[count] = memory->reserve(NULL, part);
        CHECK(parts[count] != NULL);
    } while (parts[count++] != whole + size - part);
    for (int k = 1; k < count; k += 2)
        memory->release(NULL, parts[k], part);
    unsigned char *apart = memory->reserve(NULL, 2 * part);
    CHECK(apart >= parts[count - 1]); /* the last may be free, and more behind it */
    memory->release(NULL, apart, 2 * part);
    for (int k = 0; k < count; k += 2)
        memory->release(NULL, parts[k], part);
    CHECK(memory->reserve(NULL, size) == whole);
    memory->release(NULL, whole, size);
}

enum { EARLY_PAGES = 4 };

static unsigned char *early;

/* main's arguments use memory of malloc already, so this runs before. */
__attribute__((constructor)) static void reserve_early(void)
{
    early = hm_memory_os()->reserve(NULL, EARLY_PAGES * hm_memory_os()->page_size);
}

TEST(memory, what_was_reserved_before_the_first_malloc_is_not_taken_by_it)
{
    enum { BLOCKS = 200, BLOCK_SIZE = 10000 };
    const hm_memory *memory = hm_memory_os();
    const size_t size = EARLY_PAGES * memory->page_size;
    unsigned char *blocks[BLOCKS];
    CHECK(early != NULL && memory->commit(NULL, early, size));
    memset(early, 0xA5, size);
    for (int k = 0; k < BLOCKS; k++) {
        blocks[k] = malloc(BLOCK_SIZE);
        CHECK(blocks[k] != NULL);
        memset(blocks[k], 0, BLOCK_SIZE);
    }
    CHECK(test_bytes_are(early, size, 0xA5));
    for (int k = 0; k < BLOCKS; k++)
        free(blocks[k]);
}

/* A large reservation of which little is used must cost no more than that use. */
TEST(memory, a_page_is_written_only_when_it_is_committed_again)
{
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size;
    unsigned char *bytes = memory->reserve(NULL, 3 * page);
    CHECK(bytes != NULL && memory->commit(NULL, bytes, 3 * page));
    memset(bytes, 0xA5, 3 * page);
    memory->release(NULL, bytes, 3 * page);
    CHECK(memory->reserve(NULL, 3 * page) == bytes);
    CHECK(memory->commit(NULL, bytes + page, page));
    CHECK(test_bytes_are(bytes + page, page, 0));
    CHECK(test_bytes_are(bytes, page, 0xA5) && test_bytes_are(bytes + 2 * page, page, 0xA5));
    memory->release(NULL, bytes, 3 * page);
}

#endif

#if defined(__linux__) && !TEST_HAS_SANITIZER

/* Whether the system refuses pages now; emulators only pretend to set a limit. */
static bool system_refuses(size_t size)
{
    void *probe = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(probe != MAP_FAILED);
    bool refused = mprotect(probe, size, PROT_READ | PROT_WRITE) != 0;
    (void)munmap(probe, size);
    return refused;
}

/* Reservations do not count as data, committed pages do. */
TEST(memory, a_commit_that_the_system_refuses_says_so_and_can_be_repeated)
{
    const hm_memory *memory = hm_memory_os();
    const size_t size = 16 * memory->page_size;
    unsigned char *bytes = memory->reserve(memory->context, size);
    CHECK(bytes != NULL);
    struct rlimit before, least;
    CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
    least = before;
    least.rlim_cur = (rlim_t)memory->page_size; /* A limit of 0 is ignored. */
    CHECK(setrlimit(RLIMIT_DATA, &least) == 0);
    bool limited = system_refuses(size);
    bool committed = memory->commit(memory->context, bytes, size);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
    CHECK(committed == !limited);
    CHECK(committed || memory->commit(memory->context, bytes, size));
    CHECK(test_bytes_are(bytes, size, 0));
    memory->release(memory->context, bytes, size);
}

/* Locked pages cannot be given back. After a refused decommit they can still be read, written, and
 * decommitted once they are unlocked. */
TEST(memory, a_decommit_of_locked_pages_is_refused_and_changes_nothing)
{
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size;
    unsigned char *bytes = memory->reserve(memory->context, 3 * page);
    CHECK(bytes != NULL && memory->commit(memory->context, bytes, 3 * page));
    memset(bytes, 0xA5, 3 * page);
    bool locked = mlock(bytes + page, page) == 0 && madvise(bytes + page, page, MADV_DONTNEED) != 0;
    CHECK(memory->decommit(memory->context, bytes + page, page) == !locked);
    if (locked) {
        CHECK(test_bytes_are(bytes, 3 * page, 0xA5));
        memset(bytes, 0x5A, 3 * page);
        CHECK(munlock(bytes + page, page) == 0);
        CHECK(memory->decommit(memory->context, bytes + page, page));
    } else {
        test_leave_out("a decommit of locked pages: there is no lock, or it does not hold them");
    }
    CHECK(memory->commit(memory->context, bytes + page, page));
    CHECK(test_bytes_are(bytes + page, page, 0));
    memory->release(memory->context, bytes, 3 * page);
}

/* A process may have only so many mappings, and a decommit in the middle of one splits it in three.
 * The more than a hundred thousand pages of the second reservation use them up, if the limit is not
 * higher. */
TEST(memory, a_decommit_without_a_mapping_left_is_refused_and_changes_nothing)
{
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size, pages = test_scaled(140000);
    unsigned char *bytes = memory->reserve(memory->context, 3 * page);
    unsigned char *others = memory->reserve(memory->context, pages * page);
    CHECK(bytes != NULL && memory->commit(memory->context, bytes, 3 * page));
    CHECK(others != NULL);
    memset(bytes, 0xA5, 3 * page);
    size_t i = 0;
    while (i < pages && memory->commit(memory->context, others + i * page, page))
        i += 2;
    if (i < pages) {
        CHECK(!memory->decommit(memory->context, bytes + page, page));
        CHECK(test_bytes_are(bytes, 3 * page, 0xA5));
        memset(bytes, 0x5A, 3 * page);
    } else {
        test_leave_out("a decommit for want of mappings: there are more than were used up");
    }
    memory->release(memory->context, others, pages * page);
    CHECK(memory->decommit(memory->context, bytes + page, page));
    memory->release(memory->context, bytes, 3 * page);
}

/* Half a page cannot be moved. */
TEST(memory, a_remap_moves_pages_or_is_refused_and_moves_none)
{
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size;
    unsigned char *from = memory->reserve(memory->context, 3 * page);
    unsigned char *to = memory->reserve(memory->context, 2 * page);
    CHECK(from != NULL && memory->commit(memory->context, from, 3 * page));
    CHECK(to != NULL && memory->commit(memory->context, to, 2 * page));
    memset(from, 0xA5, 3 * page);
    memset(to, 0x5A, 2 * page);
    if (memory->remap != NULL) {
        CHECK(!memory->remap(memory->context, from + page / 64, to, 2 * page));
        CHECK(test_bytes_are(from, 3 * page, 0xA5) && test_bytes_are(to, 2 * page, 0x5A));
        bool moves = memory->remap(memory->context, from, to, 2 * page);
        CHECK(test_bytes_are(to, 2 * page, moves ? 0xA5 : 0x5A));
        CHECK(test_bytes_are(from + 2 * page, page, 0xA5));
    } else {
        test_leave_out("a remap: the system has none");
    }
    memory->release(memory->context, from, 3 * page);
    memory->release(memory->context, to, 2 * page);
}

/* An address that is not at a page boundary is not rounded. */
TEST(memory, a_decommit_of_half_a_page_is_refused)
{
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size;
    unsigned char *bytes = memory->reserve(memory->context, page);
    CHECK(bytes != NULL && memory->commit(memory->context, bytes, page));
    memset(bytes, 0xA5, page);
    if (mprotect(bytes + page / 2, page / 2, PROT_READ | PROT_WRITE) != 0) {
        CHECK(!memory->decommit(memory->context, bytes + page / 2, page / 2));
        CHECK(test_bytes_are(bytes, page, 0xA5));
    } else {
        test_leave_out("a decommit of half a page: an emulator of larger pages obeys it");
    }
    memory->release(memory->context, bytes, page);
}

/* Returns the pages that this process has mapped. */
static unsigned long mapped_pages(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return pages;
}

/* An emulator of larger pages reports each page of the host: 16 of 4 KiB make one of 64. */
static bool is_mapped(void *address)
{
    unsigned char in_core[16];
    return mincore(address, hm_memory_os()->page_size, in_core) == 0;
}

#ifdef MADV_POPULATE_WRITE
/* Returns how many pages of `size` bytes are resident, before any is touched. */
static size_t pages_there(void *address, size_t size)
{
    static unsigned char in_core[1024];
    size_t pages = size / hm_memory_os()->page_size, there = 0;
    CHECK(pages <= sizeof in_core);
    CHECK(mincore(address, size, in_core) == 0);
    for (size_t i = 0; i < pages; i++)
        there += in_core[i] & 1;
    return there;
}

/* Returns how many bytes are resident, all of them at the start, of a commit of `asked` bytes
 * behind `before`, in an array of pages; if `asked` is 0, one page is pushed. */
static size_t bytes_brought(size_t before, size_t asked)
{
    const size_t page = hm_memory_os()->page_size;
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = page, .capacity = 1000}) == HM_OK);
    CHECK(hm_array_reserve(&array, before / page) == HM_OK);
    CHECK(hm_array_committed_size(&array) == before);
    array.count = before / page; /* as if pushed, but without touching them */
    if (asked == 0)
        CHECK(hm_array_push(&array) != NULL);
    else
        CHECK(hm_array_reserve(&array, asked / page) == HM_OK);
    size_t size = hm_array_committed_size(&array) - before;
    CHECK(asked == 0 || size == asked);
    size_t brought = pages_there(array.data + before, size);
    CHECK(brought == 0 || pages_there(array.data + before, brought * page) == brought);
    hm_array_fini(&array);
    return brought * page;
}

/* Pushes pages until all of a step is resident: each push brings nothing, or the part that it
 * reaches. Nothing is left out, and no part is committed anew. */
static void bring_part_by_part(size_t before, size_t part)
{
    const size_t page = hm_memory_os()->page_size;
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = page, .capacity = 1000}) == HM_OK);
    CHECK(hm_array_reserve(&array, before / page) == HM_OK);
    array.count = before / page;
    CHECK(hm_array_push(&array) != NULL);
    size_t size = hm_array_committed_size(&array) - before;
    for (size_t used = page; used <= size; used += page) {
        size_t ready = (used + part - 1) / part * part;
        CHECK(pages_there(array.data + before, size) == (ready < size ? ready : size) / page);
        CHECK(used == size || hm_array_push(&array) != NULL);
    }
    CHECK(hm_array_committed_size(&array) == before + size);
    hm_array_fini(&array);
}

/* The same for a pool that is full with 512 KiB of items, by an insert or by a reserve as large. */
static size_t pages_brought_to_a_pool(bool reserves)
{
    enum { READY = 8192 };
    hm_pool pool;
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 64, .capacity = 2 * READY}) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, READY, NULL) == HM_OK);
    unsigned char *end = (unsigned char *)hm_pool_item_at(&pool, 0) + (size_t)64 * READY;
    if (reserves)
        CHECK(hm_pool_reserve(&pool, 1) == HM_OK);
    else
        CHECK(!hm_handle_is_null(hm_pool_emplace(&pool, &(void *){NULL})));
    size_t brought = pages_there(end, (size_t)128 << 10);
    hm_pool_fini(&pool);
    return brought * hm_memory_os()->page_size;
}

TEST(memory, the_pages_of_a_step_of_something_large_are_brought_in_parts)
{
    const size_t page = hm_memory_os()->page_size, kib = 1024;
    void *address = hm_memory_os()->reserve(NULL, page);
    bool can = hm_memory_os()->commit(NULL, address, page) &&
               madvise(address, page, MADV_POPULATE_WRITE) == 0;
    hm_memory_os()->release(NULL, address, page);
    if (!can || test_scale() > 1) {
        test_leave_out("counting pages: this system does not bring them on request");
        return;
    }
    hm_memory_os_keep(0); /* What was kept is there already. */
    const size_t part = (44 * kib + page - 1) / page * page;
    CHECK(bytes_brought(4 * 128 * kib, 0) == part);
    CHECK(bytes_brought(8 * 128 * kib, 0) == part);
    CHECK(bytes_brought(4 * 96 * kib, 0) == part);
    CHECK(bytes_brought(4 * 92 * kib, 0) == 0); /* a step of 92 KiB, or two pages of 64 KiB */
    bring_part_by_part(4 * 128 * kib, part);
    bring_part_by_part(4 * 96 * kib, part);
    CHECK(pages_brought_to_a_pool(false) == part);
    CHECK(pages_brought_to_a_pool(true) == 0);
    /* A request is not a step, whatever its size. */
    CHECK(bytes_brought(8 * 128 * kib, 128 * kib) == 0);
    CHECK(bytes_brought(8 * 128 * kib, 192 * kib) == 0);
    CHECK(bytes_brought(4 * 96 * kib, 96 * kib) == 0);
    hm_memory_os_keep((size_t)64 << 20);
}
#endif

/* A release in the middle of a mapping splits it in two, which is refused when none is left. */
TEST(memory, a_range_that_the_system_would_not_take_back_goes_back_later)
{
    enum { MIDDLES = 64 };
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size, pages = test_scaled(140000);
    unsigned char *ranges[2 * MIDDLES + 1];
    hm_memory_os_keep(0);
    for (size_t i = 0; i < 2 * MIDDLES + 1; i++) {
        ranges[i] = memory->reserve(memory->context, 4 * page);
        CHECK(ranges[i] != NULL);
    }
    unsigned char *others = memory->reserve(memory->context, pages * page);
    CHECK(others != NULL);
    size_t n = 0, refused = 0;
    while (n < pages && memory->commit(memory->context, others + n * page, page))
        n += 2;
    for (size_t i = 1; i < 2 * MIDDLES; i += 2) {
        memory->release(memory->context, ranges[i], 4 * page);
        refused += is_mapped(ranges[i]);
    }
    if (refused == 0)
        test_leave_out("a release for want of mappings: there are more than were used up");
    memory->release(memory->context, others, pages * page);
    for (size_t i = 0; i <= 2 * MIDDLES; i += 2)
        memory->release(memory->context, ranges[i], 4 * page);
    hm_memory_os_trim();
    for (size_t i = 0; i <= 2 * MIDDLES; i++)
        CHECK(!is_mapped(ranges[i]));
    hm_memory_os_keep((size_t)64 << 20);
}

/* Linux aligns a mapping of whole huge pages to huge pages, and others not: an odd size makes
 * reserve release a head. */
TEST(memory, huge_pages_begin_where_one_can_and_nothing_else_is_kept)
{
    enum { RESERVATIONS = 8 };
    const hm_memory *memory = hm_memory_os_huge();
    const size_t page = hm_memory_os()->page_size;
    bool counted = test_scale() == 1;
    if (!counted)
        test_leave_out("counting mappings: an emulator has some of its own");
    for (size_t i = 0; i < RESERVATIONS; i++) {
        const size_t size = memory->page_size + i * page;
        mapped_pages(); /* Memory that reading allocates is mapped from now on. */
        unsigned long before = mapped_pages();
        unsigned char *bytes = memory->reserve(memory->context, size);
        CHECK(bytes != NULL);
        CHECK(!counted || mapped_pages() - before == size / page);
        CHECK((uintptr_t)bytes % memory->page_size == 0);
        CHECK(memory->commit(memory->context, bytes, size));
        CHECK(test_bytes_are(bytes, size, 0));
        CHECK(is_mapped(bytes) && is_mapped(bytes + size - page));
        memory->release(memory->context, bytes, size);
        CHECK(!is_mapped(bytes));
        CHECK(!is_mapped(bytes + size - page));
        CHECK(!counted || mapped_pages() == before);
    }
}

#endif

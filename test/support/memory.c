/* SPDX-License-Identifier: MIT */
/* A memory table that counts, checks the contract of memory.h, and refuses on demand. It records
 * for each page of each range whether it is committed, so that none is committed or decommitted
 * twice. Without holes, the arrays in a range also grow and shrink at one end only:
 *
 *     |====================|.............|====================|................|
 *     commit: starts here, also again    decommit: ends here, commit: starts here
 *
 * It is based on hm_memory_os(), unless test_memory_use says otherwise, and checks against its own
 * page size, which may be larger. */
#include "../../src/memory/poison_private.h"

#include "memory.h"

#include "../../src/memory/memory_private.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_range {
    struct test_range *next;
    unsigned char *address;
    size_t size, committed_size; /* bytes */
    int starts;                  /* arrays that were seen to begin */
    unsigned char held[];        /* page -> PAGE_HELD and the others */
} test_range;

enum {
    PAGE_HELD = 1,   /* it is committed */
    PAGE_KNOWN = 2,  /* it was, or it is */
    PAGE_STARTS = 4, /* a commit began there */
    MOST_STARTS = 13 /* arrays in a range, at most: those of a world */
};

/* What test_memory_use was given. */
static const hm_memory *used;

/* Counts a call and returns whether to refuse it. */
static bool refuses(test_memory *memory)
{
    memory->calls++;
    if (memory->fail_at == 0)
        return false;
    return memory->calls == memory->fail_at ||
           (memory->fail_after && memory->calls > memory->fail_at);
}

static size_t offset_in(const test_range *range, const void *address)
{
    return (uintptr_t)address - (uintptr_t)range->address;
}

/* Returns the live range that holds these bytes; fails the test when none does. */
static test_range *range_of(const test_memory *memory, const void *address, size_t size)
{
    test_range *range = memory->ranges;
    while (range != NULL && offset_in(range, address) >= range->size)
        range = range->next;
    CHECK(range != NULL);
    CHECK(size > 0 && size <= range->size - offset_in(range, address));
    return range;
}

/* Fails the test unless all pages that these bytes touch are committed, or all are not. */
static void check_pages(const test_memory *memory, const void *address, size_t size, bool held)
{
    const test_range *range = range_of(memory, address, size);
    size_t offset = offset_in(range, address), page_size = memory->table.page_size;
    for (size_t page = offset / page_size; page <= (offset + size - 1) / page_size; page++)
        CHECK((range->held[page] & PAGE_HELD) == held);
}

/* Returns the range of the whole pages that are about to change, all of which have the same state.
 */
static test_range *check_change(const test_memory *memory, const void *address, size_t size,
                                bool held)
{
    test_range *range = range_of(memory, address, size);
    CHECK(size % memory->table.page_size == 0);
    CHECK(offset_in(range, address) % memory->table.page_size == 0);
    check_pages(memory, address, size, held);
    return range;
}

static void set_pages(const test_memory *memory, test_range *range, const void *address,
                      size_t size, bool held)
{
    size_t page_size = memory->table.page_size, first = offset_in(range, address) / page_size;
    for (size_t page = first; page < first + size / page_size; page++)
        range->held[page] = (unsigned char)((range->held[page] & PAGE_STARTS) | PAGE_KNOWN | held);
}

/* Fails the test unless these pages follow those of an array, or begin one. */
static void check_grows(const test_memory *memory, test_range *range, const void *address)
{
    size_t first = offset_in(range, address) / memory->table.page_size;
    unsigned char *pages = range->held;
    if (memory->has_holes)
        return;
    if ((first == 0 || !(pages[first - 1] & PAGE_HELD)) && !(pages[first] & PAGE_STARTS)) {
        CHECK(!(pages[first] & PAGE_KNOWN));
        CHECK(++range->starts <= MOST_STARTS);
    }
    pages[first] |= PAGE_STARTS;
}

/* Fails the test unless these pages are the last ones of an array. */
static void check_shrinks(const test_memory *memory, const test_range *range, const void *address,
                          size_t size)
{
    size_t end = (offset_in(range, address) + size) / memory->table.page_size;
    CHECK(memory->has_holes || end == range->size / memory->table.page_size ||
          (range->held[end] & (PAGE_HELD | PAGE_STARTS)) != PAGE_HELD);
}

/* What is reserved behind each range, so that no two are adjacent. Smaller than that, it would
 * change how a range is aligned. */
static size_t gap_of(const test_memory *memory)
{
    size_t page_size = memory->table.page_size;
    return page_size > HM_MEMORY_ALIGNMENT ? page_size : HM_MEMORY_ALIGNMENT;
}

/* Of the heap, all is accessible: so what is not committed is marked for AddressSanitizer. */
static void mark(const test_memory *memory, void *address, size_t size, bool is_held)
{
    if (memory->base != hm_memory_heap())
        return;
    if (is_held)
        HM_UNPOISON(address, size);
    else
        HM_POISON(address, size);
}

static void *test_reserve(void *context, size_t size)
{
    test_memory *memory = context;
    size_t page_size = memory->table.page_size;
    CHECK(size > 0 && size % page_size == 0);
    if (refuses(memory) || size > SIZE_MAX - gap_of(memory))
        return NULL;
    const hm_memory *base = memory->base;
    unsigned char *address = base->reserve(base->context, size + gap_of(memory));
    if (address == NULL)
        return NULL;
    test_range *range = calloc(1, sizeof *range + size / page_size);
    CHECK(range != NULL);
    range->address = address;
    range->size = size;
    range->next = memory->ranges;
    memory->ranges = range;
    memory->reserved_size += size;
    mark(memory, address, size, false);
    return address;
}

static const unsigned char fresh = 0xA5; /* each byte of memory that may hold anything */

static bool test_commit(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    test_range *range = check_change(memory, address, size, false);
    check_grows(memory, range, address);
    const hm_memory *base = memory->base;
    if (refuses(memory))
        return false;
    mark(memory, address, size, true);
    if (!base->commit(base->context, address, size))
        return false;
    set_pages(memory, range, address, size, true);
    range->committed_size += size;
    memory->committed_size += size;
    return true;
}

/* What the library reads of it before it is written, it has no right to. More than its beginning
 * would take long. */
static bool test_raw(void *context, void *address, size_t size)
{
    const size_t most = 1 << 14;
    if (!test_commit(context, address, size))
        return false;
    hm_memory_unpoison(address, size); /* A container has poisoned what it gave back. */
    memset(address, fresh, size < most ? size : most);
    return true;
}

static bool test_decommit(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    test_range *range = check_change(memory, address, size, true);
    check_shrinks(memory, range, address, size);
    const hm_memory *base = memory->base;
    if (refuses(memory) || !base->decommit(base->context, address, size))
        return false;
    set_pages(memory, range, address, size, false);
    mark(memory, address, size, false);
    range->committed_size -= size;
    memory->committed_size -= size;
    return true;
}

/* Whoever gets these addresses next may read them: AddressSanitizer marks addresses. Other tables
 * than the system's mark what they have reserved, and unmark it themselves. Of a range with more
 * addresses than there is time to read their marks, only what was committed is looked at. */
static void check_is_readable(const test_memory *memory, const test_range *range)
{
#ifdef HM_HAS_POISON
    size_t page_size = memory->table.page_size, pages = range->size / page_size;
    if (memory->base != hm_memory_os() || !hm_memory_poisons())
        return;
    CHECK(range->size > (size_t)1 << 26 ||
          __asan_region_is_poisoned(range->address, range->size) == NULL);
    for (size_t page = 0; page < pages; page++)
        CHECK((range->held[page] & PAGE_KNOWN) == 0 ||
              __asan_region_is_poisoned(range->address + page * page_size, page_size) == NULL);
#else
    (void)memory;
    (void)range;
#endif
}

static void test_release(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    test_range *range = range_of(memory, address, size);
    CHECK(range->address == address);
    CHECK(range->size == size);
    const hm_memory *base = memory->base;
    check_is_readable(memory, range);
    mark(memory, address, size, true);
    base->release(base->context, address, size + gap_of(memory));
    memory->reserved_size -= size;
    memory->committed_size -= range->committed_size;
    test_range **link = &memory->ranges;
    while (*link != range)
        link = &(*link)->next;
    *link = range->next;
    free(range);
}

/* Refuses whenever any call is to be refused, and is not counted: whoever is refused copies. */
static bool test_remap(void *context, void *from, void *to, size_t size)
{
    test_memory *memory = context;
    const hm_memory *base = memory->base;
    CHECK(check_change(memory, from, size, true) != check_change(memory, to, size, true));
    return memory->fail_at == 0 && base->remap != NULL &&
           base->remap(base->context, from, to, size);
}

size_t test_page_size(size_t page_size)
{
    size_t own = hm_memory_os()->page_size;
    return page_size > own ? page_size : own;
}

void test_memory_init(test_memory *memory, size_t page_size)
{
    CHECK(page_size % hm_memory_os()->page_size == 0);
    memset(memory, 0, sizeof *memory);
    memory->base = used != NULL ? used : hm_memory_os();
    memory->table.registry = memory->base->registry;
    memory->table.reserve = test_reserve;
    memory->table.commit = hm_memory_commit_clear;
    memory->table.decommit = test_decommit;
    memory->table.release = test_release;
    memory->table.remap = test_remap;
    memory->table.page_size = used != NULL ? used->page_size : page_size;
    memory->table.context = memory;
    memory->table.raw = test_raw;
}

void test_memory_init_with_holes(test_memory *memory, size_t page_size)
{
    test_memory_init(memory, page_size);
    memory->has_holes = true;
}

void test_memory_use(const hm_memory *base)
{
    used = base;
}

const char *test_memory_break(test_memory *memory, int flaw)
{
    static const char *const missing[] = {"memory: reserve is NULL", "memory: commit is NULL",
                                          "memory: decommit is NULL", "memory: release is NULL"};
    static const size_t page_sizes[] = {0, 4, 4095, 4097, 12288, 65536 + 4096};
    static char sentence[100];
    CHECK(flaw >= 0 && flaw < TEST_MEMORY_FLAWS);
    if (flaw == 0)
        memory->table.reserve = NULL;
    else if (flaw == 1)
        memory->table.commit = NULL;
    else if (flaw == 2)
        memory->table.decommit = NULL;
    else if (flaw == 3)
        memory->table.release = NULL;
    if (flaw < 4)
        return missing[flaw];
    memory->table.page_size = page_sizes[flaw - 4];
    snprintf(sentence, sizeof sentence, "memory: page_size %lu is not a power of two from 8 on",
             (unsigned long)memory->table.page_size);
    return sentence;
}

void test_memory_fail(test_memory *memory, uint32_t k, bool and_later_ones)
{
    memory->calls = 0;
    memory->fail_at = k;
    memory->fail_after = and_later_ones;
}

bool test_memory_refused(const test_memory *memory)
{
    return memory->fail_at != 0 && memory->calls >= memory->fail_at;
}

void test_memory_check_committed(const test_memory *memory, const void *address, size_t size)
{
    check_pages(memory, address, size, true);
}

void test_memory_check_decommitted(const test_memory *memory, const void *address, size_t size)
{
    check_pages(memory, address, size, false);
}

void test_memory_check_released(const test_memory *memory)
{
    CHECK(memory->ranges == NULL);
    CHECK(memory->reserved_size == 0);
    CHECK(memory->committed_size == 0);
}

void test_memory_own(test_memory *copy)
{
    for (test_range **link = &copy->ranges; *link != NULL; link = &(*link)->next) {
        size_t size = sizeof **link + (*link)->size / copy->table.page_size;
        test_range *range = malloc(size);
        CHECK(range != NULL);
        memcpy(range, *link, size);
        *link = range;
    }
}

void test_memory_forget(test_memory *memory)
{
    while (memory->ranges != NULL) {
        test_range *range = memory->ranges;
        memory->ranges = range->next;
        free(range);
    }
}

/* Before each block: what malloc returned, and its size. */
typedef struct test_block {
    void *raw;
    size_t size;
} test_block;

static void *test_allocate(void *context, size_t size, size_t align)
{
    test_allocator *from = context;
    size_t bits = size | HM_MEMORY_ALIGNMENT;
    CHECK(size > 0 && size % from->allocator.table.page_size == 0 && align == (bits & (~bits + 1)));
    bool fails = ++from->calls == from->fail_at;
    if (size > SIZE_MAX / 4 || (fails && !from->misaligns))
        return NULL;
    test_block block = {malloc(sizeof block + 2 * align + size), size};
    CHECK(block.raw != NULL);
    unsigned char *address = (unsigned char *)block.raw + sizeof block;
    address += (size_t)(0 - (uintptr_t)address) % align + (fails ? align / 2 : 0);
    memcpy(address - sizeof block, &block, sizeof block);
    memset(address, fresh, size);
    from->used_size += size;
    return address;
}

static void test_free(void *context, void *address, size_t size)
{
    test_allocator *from = context;
    const unsigned char *bytes = address;
    test_block block;
    memcpy(&block, bytes - sizeof block, sizeof block);
    CHECK(block.size == size);
    for (size_t i = 0; i < size; i++)
        from->written_size += bytes[i] != fresh;
    from->used_size -= size;
    free(block.raw);
}

void test_allocator_init(test_allocator *from)
{
    memset(from, 0, sizeof *from);
    const hm_memory_allocator_desc desc = {
        .allocate = test_allocate, .free = test_free, .context = from};
    CHECK(hm_memory_allocator_init(&from->allocator, &desc) == HM_OK);
}

bool test_has_addresses(uint64_t size, const char *what)
{
    const hm_memory *os = hm_memory_os();
    const bool is_slow = test_scale() >= 100 && size >= UINT64_C(1) << 35;
    void *probe = size <= SIZE_MAX && !is_slow ? os->reserve(os->context, (size_t)size) : NULL;
    if (probe == NULL)
        test_leave_out(what);
    else
        os->release(os->context, probe, (size_t)size);
    return probe != NULL;
}

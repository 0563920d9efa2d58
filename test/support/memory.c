/* SPDX-License-Identifier: MIT */
/* A memory table that counts, checks the contract of memory.h, and refuses on demand.
 *
 *     ranges[i].address                  committed_size                        size
 *     |==================================|.....................................|
 *                          decommit: ends here, commit: starts here
 *
 * It sits on hm_memory_os(), and checks against its own page size, which may be the larger one. */
#include "memory.h"

#include "test.h"

#include <string.h>

/* Counts a call and answers whether it is to be refused. */
static bool refuses(test_memory *memory)
{
    memory->calls++;
    if (memory->fail_at == 0)
        return false;
    return memory->calls == memory->fail_at ||
           (memory->fail_after && memory->calls > memory->fail_at);
}

static bool is_whole_pages(const test_memory *memory, size_t size)
{
    return size % memory->table.page_size == 0;
}

/* Returns the number of the live reservation that holds these bytes; fails the test when none does,
 * or when they are not whole pages counted from its start. */
static size_t range_of(const test_memory *memory, const unsigned char *address, size_t size)
{
    size_t i = 0;
    for (; i < TEST_MEMORY_RANGES; i++) {
        uintptr_t start = (uintptr_t)memory->ranges[i].address;
        if (start != 0 && (uintptr_t)address >= start &&
            (uintptr_t)address - start < memory->ranges[i].size)
            break;
    }
    CHECK(i < TEST_MEMORY_RANGES);
    size_t offset = (size_t)(address - memory->ranges[i].address);
    CHECK(size > 0);
    CHECK(is_whole_pages(memory, size));
    CHECK(is_whole_pages(memory, offset));
    CHECK(size <= memory->ranges[i].size - offset);
    return i;
}

static void *test_reserve(void *context, size_t size)
{
    test_memory *memory = context;
    CHECK(size > 0);
    CHECK(is_whole_pages(memory, size));
    if (refuses(memory))
        return NULL;
    size_t i = 0;
    while (i < TEST_MEMORY_RANGES && memory->ranges[i].address != NULL)
        i++;
    CHECK(i < TEST_MEMORY_RANGES);
    const hm_memory *os = hm_memory_os();
    unsigned char *address = os->reserve(os->context, size);
    if (address == NULL)
        return NULL;
    memory->ranges[i].address = address;
    memory->ranges[i].size = size;
    memory->ranges[i].committed_size = 0;
    memory->reserved_size += size;
    return address;
}

static bool test_commit(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    size_t i = range_of(memory, address, size);
    size_t offset = (size_t)((unsigned char *)address - memory->ranges[i].address);
    CHECK(offset == memory->ranges[i].committed_size);
    const hm_memory *os = hm_memory_os();
    if (refuses(memory) || !os->commit(os->context, address, size))
        return false;
    memory->ranges[i].committed_size += size;
    memory->committed_size += size;
    return true;
}

static bool test_decommit(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    size_t i = range_of(memory, address, size);
    size_t offset = (size_t)((unsigned char *)address - memory->ranges[i].address);
    CHECK(offset + size == memory->ranges[i].committed_size);
    const hm_memory *os = hm_memory_os();
    if (refuses(memory) || !os->decommit(os->context, address, size))
        return false;
    memory->ranges[i].committed_size -= size;
    memory->committed_size -= size;
    return true;
}

static void test_release(void *context, void *address, size_t size)
{
    test_memory *memory = context;
    size_t i = range_of(memory, address, size);
    CHECK(memory->ranges[i].address == address);
    CHECK(memory->ranges[i].size == size);
    const hm_memory *os = hm_memory_os();
    os->release(os->context, address, size);
    memory->reserved_size -= size;
    memory->committed_size -= memory->ranges[i].committed_size;
    memset(&memory->ranges[i], 0, sizeof memory->ranges[i]);
}

void test_memory_init(test_memory *memory, size_t page_size)
{
    CHECK(page_size % hm_memory_os()->page_size == 0);
    memset(memory, 0, sizeof *memory);
    memory->table.reserve = test_reserve;
    memory->table.commit = test_commit;
    memory->table.decommit = test_decommit;
    memory->table.release = test_release;
    memory->table.page_size = page_size;
    memory->table.context = memory;
}

void test_memory_fail(test_memory *memory, uint32_t k, bool and_later_ones)
{
    memory->calls = 0;
    memory->fail_at = k;
    memory->fail_after = and_later_ones;
}

bool test_has_addresses(uint64_t size, const char *what)
{
    const hm_memory *os = hm_memory_os();
    void *probe = size <= SIZE_MAX ? os->reserve(os->context, (size_t)size) : NULL;
    if (probe == NULL)
        test_leave_out(what);
    else
        os->release(os->context, probe, (size_t)size);
    return probe != NULL;
}

void test_memory_check_released(const test_memory *memory)
{
    for (size_t i = 0; i < TEST_MEMORY_RANGES; i++)
        CHECK(memory->ranges[i].address == NULL);
    CHECK(memory->reserved_size == 0);
    CHECK(memory->committed_size == 0);
}

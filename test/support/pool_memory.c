/* SPDX-License-Identifier: MIT */
/* A memory table that keeps a note for each page of each range, so that no page is committed or
 * decommitted twice. It sits on hm_memory_os(), and checks against its own page size. */
#include "pool_memory.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Counts a call and answers whether it is to be refused. */
static bool refuses(pool_memory *memory)
{
    memory->calls++;
    if (memory->fail_at == 0)
        return false;
    return memory->calls == memory->fail_at ||
           (memory->fail_after && memory->calls > memory->fail_at);
}

/* Returns the number of the live reservation that holds these bytes; fails the test when none does.
 */
static uint32_t range_of(const pool_memory *memory, const void *address, size_t size)
{
    uint32_t i = 0;
    for (; i < memory->range_end; i++)
        if (memory->ranges[i].address != NULL &&
            (uintptr_t)address - (uintptr_t)memory->ranges[i].address < memory->ranges[i].size)
            break;
    CHECK(i < memory->range_end);
    size_t offset = (size_t)((const unsigned char *)address - memory->ranges[i].address);
    CHECK(size > 0 && size <= memory->ranges[i].size - offset);
    return i;
}

/* Turns whole pages over, all of which must have been the other way. */
static void turn(pool_memory *memory, uint32_t range, void *address, size_t size, bool held)
{
    size_t offset = (size_t)((unsigned char *)address - memory->ranges[range].address);
    for (size_t i = 0; i < size / memory->table.page_size; i++) {
        unsigned char *page = &memory->ranges[range].held[offset / memory->table.page_size + i];
        CHECK(*page == !held);
        *page = held;
    }
}

static uint32_t whole_pages(const pool_memory *memory, void *address, size_t size)
{
    uint32_t i = range_of(memory, address, size);
    CHECK(size % memory->table.page_size == 0);
    CHECK((size_t)((unsigned char *)address - memory->ranges[i].address) %
              memory->table.page_size ==
          0);
    return i;
}

static void *pool_reserve(void *context, size_t size)
{
    pool_memory *memory = context;
    CHECK(size > 0 && size % memory->table.page_size == 0);
    if (refuses(memory))
        return NULL;
    uint32_t i = 0;
    while (i < memory->range_end && memory->ranges[i].address != NULL)
        i++;
    CHECK(i < POOL_MEMORY_RANGES);
    const hm_memory *os = hm_memory_os();
    /* One page more, so that no two ranges stand side by side. */
    unsigned char *address = os->reserve(os->context, size + memory->table.page_size);
    if (address == NULL)
        return NULL;
    memory->ranges[i].address = address;
    memory->ranges[i].size = size;
    memory->ranges[i].held = calloc(size / memory->table.page_size, 1);
    CHECK(memory->ranges[i].held != NULL);
    memory->reserved_size += size;
    if (memory->range_end == i)
        memory->range_end++;
    return address;
}

static bool pool_commit(void *context, void *address, size_t size)
{
    pool_memory *memory = context;
    uint32_t i = whole_pages(memory, address, size);
    const hm_memory *os = hm_memory_os();
    if (refuses(memory) || !os->commit(os->context, address, size))
        return false;
    turn(memory, i, address, size, true);
    memory->committed_size += size;
    return true;
}

static bool pool_decommit(void *context, void *address, size_t size)
{
    pool_memory *memory = context;
    uint32_t i = whole_pages(memory, address, size);
    const hm_memory *os = hm_memory_os();
    if (refuses(memory) || !os->decommit(os->context, address, size))
        return false;
    turn(memory, i, address, size, false);
    memory->committed_size -= size;
    return true;
}

static void pool_release(void *context, void *address, size_t size)
{
    pool_memory *memory = context;
    uint32_t i = range_of(memory, address, size);
    CHECK(memory->ranges[i].address == address && memory->ranges[i].size == size);
    const hm_memory *os = hm_memory_os();
    os->release(os->context, address, size + memory->table.page_size);
    memory->reserved_size -= size;
    for (size_t page = 0; page < size / memory->table.page_size; page++)
        memory->committed_size -= memory->ranges[i].held[page] ? memory->table.page_size : 0;
    free(memory->ranges[i].held);
    memset(&memory->ranges[i], 0, sizeof memory->ranges[i]);
}

void pool_memory_init(pool_memory *memory, size_t page_size)
{
    CHECK(page_size % hm_memory_os()->page_size == 0);
    memset(memory, 0, sizeof *memory);
    memory->table.reserve = pool_reserve;
    memory->table.commit = pool_commit;
    memory->table.decommit = pool_decommit;
    memory->table.release = pool_release;
    memory->table.page_size = page_size;
    memory->table.context = memory;
}

void pool_memory_fail(pool_memory *memory, uint32_t k, bool and_later_ones)
{
    memory->calls = 0;
    memory->fail_at = k;
    memory->fail_after = and_later_ones;
}

bool pool_memory_refused(const pool_memory *memory)
{
    return memory->fail_at != 0 && memory->calls >= memory->fail_at;
}

void pool_memory_check_committed(const pool_memory *memory, const void *address, size_t size)
{
    uint32_t i = range_of(memory, address, size);
    size_t offset = (size_t)((const unsigned char *)address - memory->ranges[i].address);
    size_t page_size = memory->table.page_size;
    for (size_t page = offset / page_size; page <= (offset + size - 1) / page_size; page++)
        CHECK(memory->ranges[i].held[page]);
}

void pool_memory_check_released(const pool_memory *memory)
{
    for (uint32_t i = 0; i < memory->range_end; i++)
        CHECK(memory->ranges[i].address == NULL);
    CHECK(memory->reserved_size == 0 && memory->committed_size == 0);
}

/* SPDX-License-Identifier: MIT */
/* The same handles everywhere: a program of random operations over every container (program.h)
 * gives the same number with pages of different sizes, different memory tables, with a capacity and
 * without. */
#include "support/memory.h"
#include "support/program.h"

static void check_program_with(const hm_memory *memory, uint32_t capacity, bool loads)
{
    static program p;
    program_begin(&p, memory, capacity);
    p.loads = loads;
    while (program_step(&p)) {
    }
    program_end(&p);
}

static void check_program(const hm_memory *memory, uint32_t capacity)
{
    check_program_with(memory, capacity, false);
}

/* Pages of this size, or the system's if they are larger. */
static void check_pages(size_t page_size, uint32_t capacity)
{
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(page_size));
    check_program(&memory.table, capacity);
    test_memory_check_released(&memory);
}

/* An arena has pages of 64 bytes. */
static void check_arena(uint32_t capacity)
{
    hm_memory_arena arena;
    CHECK(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = 64 << 20}) == HM_OK);
    CHECK(arena.table.page_size == 64);
    check_program(&arena.table, capacity);
    hm_memory_arena_fini(&arena);
}

TEST(same, with_pages_of_4_kib)
{
    check_pages(4096, CAPACITY);
}

TEST(same, with_pages_of_16_kib_and_no_capacity)
{
    check_pages(16384, 0);
}

TEST(same, with_pages_of_64_kib)
{
    check_pages(65536, CAPACITY);
}

TEST(same, with_system_memory_and_no_capacity)
{
    check_program(hm_memory_os(), 0);
}

TEST(same, with_heap_memory)
{
    check_program(hm_memory_heap(), CAPACITY);
}

TEST(same, in_an_arena)
{
    check_arena(CAPACITY);
}

TEST(same, in_an_arena_and_with_no_capacity)
{
    check_arena(0);
}

TEST(same, when_each_container_is_replaced_by_its_loaded_copy)
{
    check_program_with(hm_memory_os(), CAPACITY, true);
}

TEST(same, when_each_container_without_a_capacity_is_replaced_by_its_loaded_copy)
{
    check_program_with(hm_memory_heap(), 0, true);
}

/* SPDX-License-Identifier: MIT */
/* Misuse of cells behind the last row: AddressSanitizer reports each. Lanes past the last row, in
 * the last group, may be used. */
#include "support/memory.h"
#include "support/misuse.h"
#include "support/table.h"

enum { ROWS = 100 };

static hm_table make_rows(uint32_t lanes, uint32_t n)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 1000});
    CHECK(hm_table_insert_n(&table, NULL, n, NULL) == HM_OK);
    return table;
}

static void read_byte(const volatile unsigned char *byte)
{
    (void)*byte;
}

DEATH_TEST(table_misuse, a_cell_is_read_after_its_erase)
{
    hm_table table = make_rows(0, 1);
    unsigned char *stale = hm_table_cell(&table, 0, PATH);
    CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 0)));
    expect_report();
    read_byte(stale);
}

DEATH_TEST(table_misuse, a_loop_runs_past_the_end_of_a_whole_column)
{
    hm_table table = make_rows(0, ROWS);
    const unsigned char *cells = hm_table_column(&table, PATH);
    for (size_t i = 0; i <= (size_t)40 * ROWS; i++) {
        if (i == (size_t)40 * ROWS)
            expect_report();
        read_byte(&cells[i]);
    }
}

DEATH_TEST(table_misuse, the_group_behind_the_last_one_is_read)
{
    hm_table table = make_rows(8, ROWS);
    size_t stride = (size_t)((unsigned char *)hm_table_group(&table, 1, PATH) -
                             (unsigned char *)hm_table_group(&table, 0, PATH));
    const unsigned char *last = hm_table_group(&table, hm_table_group_count(&table) - 1, PATH);
    for (size_t i = 0; i < (size_t)40 * 8; i++)
        read_byte(last + i);
    expect_report();
    read_byte(last + stride);
}

DEATH_TEST(table_misuse, a_struct_behind_the_last_row_is_read)
{
    hm_table table = make_rows(1, ROWS);
    const unsigned char *last = hm_table_group(&table, ROWS - 1, NUMBER);
    size_t stride = (size_t)(last - (unsigned char *)hm_table_group(&table, ROWS - 2, NUMBER));
    expect_report();
    read_byte(last + stride);
}

DEATH_TEST(table_misuse, a_cell_is_read_after_clear)
{
    hm_table table = make_rows(8, 1);
    unsigned char *stale = hm_table_cell(&table, 0, NUMBER);
    hm_table_clear(&table);
    expect_report();
    read_byte(stale);
}

DEATH_TEST(table_misuse, a_cell_is_written_through_a_reserve)
{
    hm_table table = make_rows(0, ROWS);
    CHECK(hm_table_reserve(&table, 100) == HM_OK);
    volatile unsigned char *cells = hm_table_column(&table, SHADE);
    expect_report();
    cells[ROWS] = 1;
}

DEATH_TEST(table_misuse, a_row_of_the_heap_is_read_after_its_erase)
{
    hm_table table = make(16, (hm_table_desc){.capacity = 100, .memory = hm_memory_heap()});
    CHECK(hm_table_insert_n(&table, NULL, 17, NULL) == HM_OK);
    unsigned char *stale = hm_table_cell(&table, 16, COLOR);
    CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 16)));
    expect_report();
    read_byte(stale);
}

/* What a program may touch is not poisoned, and the first byte behind it is. */
static void check_poison(const hm_table *table)
{
    uint32_t count = hm_table_count(table), groups = hm_table_group_count(table);
    uint32_t width = table->lanes != 0 ? table->lanes : 1;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t g = 0; g < groups; g++)
            CHECK(__asan_region_is_poisoned(hm_table_group(table, g, c), cell_size(c) * width) ==
                  NULL);
        void *column = hm_table_column(table, c);
        CHECK(column == NULL || count == 0 ||
              __asan_region_is_poisoned(column, cell_size(c) * count) == NULL);
        const hm_array *array = &table->arrays[table->lanes != 0 ? 0 : c];
        unsigned char *cell = hm_table_address(table, &table->columns[c], 0);
        unsigned char *behind =
            cell + table->columns[c].stride * (table->lanes != 0 ? groups : count);
        bool is_committed = behind < array->data + array->committed_size;
        CHECK(!is_committed || __asan_address_is_poisoned(behind));
    }
}

TABLE_TEST(table_misuse, what_lives_is_never_poisoned)
{
    uint64_t random = test_seed("table poison");
    hm_table table = make(lanes, (hm_table_desc){.capacity = 2000});
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t count = hm_table_count(&table);
        if (test_random_below(&random, 5) < 3)
            hm_table_insert(&table, NULL);
        else if (count != 0)
            hm_table_erase(&table, hm_table_handle_at(&table, test_random_below(&random, count)));
        if (test_random_below(&random, 300) == 0)
            hm_table_insert_n(&table, NULL, test_random_below(&random, 100), NULL);
        if (test_random_below(&random, 500) == 0)
            CHECK(hm_table_trim(&table) == HM_OK);
        if (test_random_below(&random, 1000) == 0)
            hm_table_clear(&table);
        check_poison(&table);
    }
    finish(&table);
}

TEST(table_misuse, clear_poisons_every_cell)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table table = make_rows(table_lanes(layout), ROWS);
        unsigned char *cells[COLUMNS][ROWS];
        for (uint32_t row = 0; row < ROWS; row++)
            for (uint32_t c = 0; c < COLUMNS; c++)
                cells[c][row] = hm_table_cell(&table, row, c);
        hm_table_clear(&table);
        for (uint32_t row = 0; row < ROWS; row++)
            for (uint32_t c = 0; c < COLUMNS; c++)
                CHECK(__asan_address_is_poisoned(cells[c][row]));
        hm_table_fini(&table);
    }
}

TEST(table_misuse, a_trim_that_is_refused_leaves_what_is_dead_poisoned)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        test_memory memory;
        test_memory_init(&memory, hm_memory_os()->page_size);
        hm_table_desc desc = {.capacity = 5000, .memory = &memory.table};
        hm_table table = make(table_lanes(layout), desc);
        CHECK(hm_table_insert_n(&table, NULL, 5000, NULL) == HM_OK);
        unsigned char *last = hm_table_cell(&table, 4999, NUMBER);
        hm_table_clear(&table);
        test_memory_fail(&memory, 1, true);
        CHECK(hm_table_trim(&table) == HM_ERROR_MEMORY && __asan_address_is_poisoned(last));
        test_memory_fail(&memory, 0, false);
        CHECK(hm_table_trim(&table) == HM_OK);
        hm_table_fini(&table);
        test_memory_check_released(&memory);
    }
}

/* SPDX-License-Identifier: MIT */
/* Order in a table, for every layout, beside what matrix/model_test.c shows: the memory that it
 * takes, and what a compare may look at. */
#include "support/table.h"

enum { ROWS = 300 };

static uint64_t number_of(const void *cell, void *context)
{
    uint32_t number;
    (void)context;
    memcpy(&number, cell, sizeof number);
    return number;
}

static const hm_order by_number = {.key = number_of};

TABLE_TEST(table_order, trim_gives_back_what_the_order_needed)
{
    enum { MANY = 300000 };
    hm_table table = make(lanes, (hm_table_desc){.capacity = MANY});
    size_t empty = hm_table_get_stats(&table).committed_size;
    CHECK(hm_table_insert_n(&table, NULL, MANY, NULL) == HM_OK);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    hm_table_clear(&table);
    CHECK(hm_table_get_stats(&table).committed_size > empty);
    CHECK(hm_table_trim(&table) == HM_OK);
    /* A page of generation floors stays. */
    CHECK(hm_table_get_stats(&table).committed_size <= empty + hm_memory_os()->page_size);
    finish(&table);
}

/* With another column, a compare sees the other cells of a row through the table. */
static int compare_paths_by_number(const void *a, const void *b, void *context)
{
    const hm_table *table = context;
    uint32_t x = number_at(table, hm_table_row(table, hm_table_handle_of(table, a, PATH)));
    uint32_t y = number_at(table, hm_table_row(table, hm_table_handle_of(table, b, PATH)));
    return (x > y) - (x < y);
}

TABLE_TEST(table_order, a_compare_may_look_at_other_cells_of_the_row)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    const hm_order order = {.compare = compare_paths_by_number, .context = &table};
    for (uint32_t i = 0; i < ROWS; i++)
        add(&table, i * 7 % ROWS); /* 7 and 300 have no common divisor */
    CHECK(hm_table_defragment(&table, PATH, &order, NULL).done);
    for (uint32_t row = 0; row < ROWS; row++)
        CHECK(row_holds(&table, row, row));
    finish(&table);
}

TABLE_TEST(table_order, a_spent_budget_with_another_column_forgets_nothing)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_frame_budget spent = {.is_spent = true};
    CHECK(hm_table_defragment(&table, PATH, &by_number, &spent).done); /* There are no rows. */
    for (uint32_t i = 0; i < ROWS; i++)
        add(&table, i * 7 % ROWS);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    hm_progress progress = hm_table_defragment(&table, PATH, &by_number, &spent);
    CHECK(!progress.done && progress.swaps == 0 && progress.compares == 0);
    for (uint32_t i = 0; i < ROWS; i++)
        CHECK(hm_table_lower_bound(&table, NUMBER, &by_number, &i) == i);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, &spent).done);
    CHECK(hm_table_lower_bound(&table, PATH, &by_number, &(uint32_t){0}) == HM_INVALID_INDEX);
    finish(&table);
}

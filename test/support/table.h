/* SPDX-License-Identifier: MIT */
/* What the tests of tables share: the layouts, and a table of four columns whose rows have a number
 * each, from which all their cells follow. */
#ifndef TEST_SUPPORT_TABLE_H
#define TEST_SUPPORT_TABLE_H

#include "layout.h"
#include "test.h"

#include <handle_map/table.h>

#include <string.h>

enum { TABLE_LAYOUTS = 6 };

/* The `lanes` of each layout. */
static inline uint32_t table_lanes(uint32_t layout)
{
    static const uint32_t lanes[TABLE_LAYOUTS] = {0, 1, 2, 8, 16, 64};
    return lanes[layout % TABLE_LAYOUTS];
}

/* A test that runs for each layout. */
#define TABLE_TEST(suite, name)                                                                    \
    static void name(uint32_t lanes);                                                              \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++)                                \
            name(table_lanes(layout));                                                             \
    }                                                                                              \
    static void name(uint32_t lanes)

enum { NUMBER, SHADE, COLOR, PATH, COLUMNS };

static inline const hm_column *table_columns(void)
{
    static const hm_column columns[COLUMNS] = {
        {sizeof(uint32_t), 0, "number"}, {1, 0, "shade"}, {3, 0, "color"}, {40, 8, "path"}};
    return columns;
}

static inline size_t cell_size(uint32_t column)
{
    return table_columns()[column].size;
}

static inline hm_table make(uint32_t lanes, hm_table_desc desc)
{
    hm_table table;
    desc.columns = table_columns();
    desc.column_count = COLUMNS;
    desc.lanes = lanes;
    if (desc.capacity == 0)
        desc.capacity = 10000;
    if (desc.max_slots == 0) /* Reserved address space costs time in emulators. */
        desc.max_slots = 4 * desc.capacity;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    return table;
}

/* Writes the cell that a row of this number has. */
static inline void fill_cell(void *cell, uint32_t column, uint32_t number)
{
    if (column == NUMBER)
        memcpy(cell, &number, sizeof number);
    else
        test_item_fill(cell, cell_size(column), number + column);
}

static inline bool cell_holds(const void *cell, uint32_t column, uint32_t number)
{
    unsigned char expected[40];
    fill_cell(expected, column, number);
    return cell != NULL && memcmp(cell, expected, cell_size(column)) == 0;
}

static inline bool row_holds(const hm_table *table, uint32_t row, uint32_t number)
{
    for (uint32_t c = 0; c < COLUMNS; c++)
        if (!cell_holds(hm_table_cell(table, row, c), c, number))
            return false;
    return true;
}

static inline uint32_t number_at(const hm_table *table, uint32_t row)
{
    uint32_t number;
    memcpy(&number, hm_table_cell(table, row, NUMBER), sizeof number);
    return number;
}

static inline hm_handle try_add(hm_table *table, uint32_t number)
{
    unsigned char cells[COLUMNS][40];
    const void *values[COLUMNS];
    for (uint32_t c = 0; c < COLUMNS; c++) {
        fill_cell(cells[c], c, number);
        values[c] = cells[c];
    }
    return hm_table_insert(table, values);
}

static inline hm_handle add(hm_table *table, uint32_t number)
{
    hm_handle handle = try_add(table, number);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

/* Adds the numbers 0, 1, 2, ... up to n - 1. */
static inline void fill(hm_table *table, hm_handle *handles, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        handles[i] = add(table, i);
}

/* Checks the table itself, and that the lanes past the last row hold zero in the last group. */
static inline void check_table(const hm_table *table)
{
    uint32_t groups = hm_table_group_count(table), count = hm_table_count(table);
    CHECK(hm_table_validate(table) == HM_OK);
    CHECK(groups == (table->lanes != 0 ? (count + table->lanes - 1) / table->lanes : 0));
    if (groups == 0)
        return;
    uint32_t used = count - (groups - 1) * table->lanes;
    for (uint32_t c = 0; c < COLUMNS && used < table->lanes; c++) {
        const unsigned char *cells = hm_table_group(table, groups - 1, c);
        CHECK(test_bytes_are(cells + cell_size(c) * used, cell_size(c) * (table->lanes - used), 0));
    }
}

static inline void finish(hm_table *table)
{
    static const hm_table zero;
    check_table(table);
    hm_table_fini(table);
    CHECK(memcmp(table, &zero, sizeof zero) == 0);
    hm_table_fini(table);
    CHECK(hm_table_count(table) == 0 && hm_table_validate(table) == HM_OK);
}

#endif

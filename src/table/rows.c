/* SPDX-License-Identifier: MIT */
/* table: moves, copies and clears cells. Lanes past the last row hold zero in the last group: a row
 * that leaves zeroes its lane, and a row that begins a group zeroes all of it. */
#include "table_internal.h"

#include "../memory/memory_private.h"
#include "../order/order_private.h"

#include <string.h>

/* The usual sizes become moves. */
static void table_copy_cell(unsigned char *to, const unsigned char *from, size_t size)
{
    switch (size) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
        break;
    }
}

static void table_clear_cell(unsigned char *cell, size_t size)
{
    switch (size) {
    case 1:
        *cell = 0;
        break;
    case 2:
        memset(cell, 0, 2);
        break;
    case 4:
        memset(cell, 0, 4);
        break;
    case 8:
        memset(cell, 0, 8);
        break;
    case 12:
        memset(cell, 0, 12);
        break;
    case 16:
        memset(cell, 0, 16);
        break;
    default:
        memset(cell, 0, size);
        break;
    }
}

static bool table_has_lanes(const hm_table *table)
{
    return table->lane_shift != 0;
}

static void table_mark_groups(const hm_table *table, size_t begin, size_t end,
                              void (*mark)(const void *address, size_t size))
{
    for (uint32_t i = 0; i < table->array_count; i++) {
        const hm_cells *column = &table->columns[i];
        mark(column->base + column->stride * begin, column->stride * (end - begin));
    }
}

void hm_table_open_rows(hm_table *table, uint32_t first, uint32_t n)
{
    size_t begin = hm_table_groups(table, first), end = hm_table_groups(table, first + n);
    if (begin == end)
        return;
    if (hm_memory_poisons())
        table_mark_groups(table, begin, end, hm_memory_unpoison);
    if (table_has_lanes(table)) {
        size_t stride = table->columns[0].stride;
        memset(table->columns[0].base + stride * begin, 0, stride * (end - begin));
    }
}

static void table_clear_row(const hm_table *table, uint32_t row)
{
    for (uint32_t c = 0; c < table->column_count; c++)
        table_clear_cell(hm_table_address(table, &table->columns[c], row), table->columns[c].size);
}

void hm_table_close_rows(hm_table *table, uint32_t first, uint32_t n)
{
    size_t begin = hm_table_groups(table, first), end = hm_table_groups(table, first + n);
    uint64_t begin_row = (uint64_t)begin << table->lane_shift;
    for (uint32_t row = first; row < begin_row && row < first + n; row++)
        table_clear_row(table, row);
    if (hm_memory_poisons())
        table_mark_groups(table, begin, end, hm_memory_poison);
}

static void table_copy_cells(unsigned char *to, const unsigned char *from, size_t size)
{
    if (from != NULL)
        memcpy(to, from, size);
    else
        memset(to, 0, size);
}

void hm_table_write_cells(const hm_table *table, uint32_t index, uint32_t first, uint32_t n,
                          const void *cells)
{
    const hm_cells *column = &table->columns[index];
    const unsigned char *from = cells;
    bool is_whole = table->lanes == 0;
    for (uint32_t row = first, part; n > 0; row += part, n -= part) {
        part = is_whole ? n : (1u << table->lane_shift) - (row & ((1u << table->lane_shift) - 1));
        if (part > n)
            part = n;
        table_copy_cells(hm_table_address(table, column, row), from, column->size * part);
        if (from != NULL)
            from += column->size * part;
    }
}

void hm_table_write_row(const hm_table *table, uint32_t row, const void *const *values)
{
    for (uint32_t c = 0; c < table->column_count; c++) {
        unsigned char *cell = hm_table_address(table, &table->columns[c], row);
        if (values != NULL && values[c] != NULL)
            table_copy_cell(cell, values[c], table->columns[c].size);
        else
            table_clear_cell(cell, table->columns[c].size);
    }
}

void hm_table_copy_row(const hm_table *table, uint32_t from, uint32_t to)
{
    for (uint32_t c = 0; c < table->column_count; c++) {
        const hm_cells *column = &table->columns[c];
        table_copy_cell(hm_table_address(table, column, to), hm_table_address(table, column, from),
                        column->size);
    }
}

void hm_table_exchange_rows(const hm_table *table, uint32_t a, uint32_t b)
{
    for (uint32_t c = 0; c < table->column_count; c++) {
        const hm_cells *column = &table->columns[c];
        hm_order_exchange_bytes(hm_table_address(table, column, a),
                                hm_table_address(table, column, b), column->size);
    }
}

/* SPDX-License-Identifier: MIT */
/* table: moves, copies and clears cells. Lanes past the last row hold zero in the last group: a row
 * that leaves zeroes its lane, and a row that begins a group zeroes all of it. */
#include "dense_private.h"

#include "../memory/memory_private.h"
#include "../order/order_private.h"

/* Columns that follow each other and have cells of one size are a run: in all of them the cell of a
 * row is equally far from the base, and one loop, in which the usual sizes are constants, serves
 * them all. Rows of many columns would otherwise cost a choice of size for each cell. */

/* Calls with the size as the last argument; the usual ones are constants. */
#define TABLE_FOR_SIZE(size, CALL, ...)                                                            \
    do {                                                                                           \
        switch (size) {                                                                            \
            HM_SIZE_CASE(1, CALL, __VA_ARGS__);                                                    \
            HM_SIZE_CASE(2, CALL, __VA_ARGS__);                                                    \
            HM_SIZE_CASES(CALL, __VA_ARGS__);                                                      \
        default:                                                                                   \
            CALL(__VA_ARGS__, size);                                                               \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

HM_INLINE void table_copy_run(const hm_cells *run, size_t to, size_t from, size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++)
        memcpy(run[c].base + to, run[c].base + from, size);
}

/* As table_copy_run, and zeroes what was copied. */
HM_INLINE void table_move_run(const hm_cells *run, size_t to, size_t from, size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++) {
        memcpy(run[c].base + to, run[c].base + from, size);
        memset(run[c].base + from, 0, size);
    }
}

HM_INLINE void table_write_run(const hm_cells *run, const void *const *values, size_t to,
                               size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++)
        if (values[c] != NULL)
            memcpy(run[c].base + to, values[c], size);
        else
            memset(run[c].base + to, 0, size);
}

HM_INLINE void table_clear_run(const hm_cells *run, size_t to, size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++)
        memset(run[c].base + to, 0, size);
}

HM_INLINE void table_pack_run(const hm_cells *run, unsigned char *bytes, size_t from, size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++)
        memcpy(bytes + size * c, run[c].base + from, size);
}

HM_INLINE void table_unpack_run(const hm_cells *run, const unsigned char *bytes, size_t to,
                                size_t size)
{
    for (uint32_t c = 0, n = run->run; c < n; c++)
        memcpy(run[c].base + to, bytes + size * c, size);
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
    const hm_cells *run = table->columns, *end = run + table->column_count;
    for (; run < end; run += run->run)
        TABLE_FOR_SIZE(run->size, table_clear_run, run, hm_table_offset(table, run, row));
}

void hm_table_close_all(const hm_table *table, uint32_t count)
{
    if (hm_memory_poisons())
        table_mark_groups(table, 0, hm_table_groups(table, count), hm_memory_poison);
}

/* Whether the row is not the first of its group: then the group stays when the row goes. */
static bool table_shares_group(const hm_table *table, uint32_t row)
{
    return (row & ((UINT32_C(1) << table->lane_shift) - 1)) != 0;
}

static void table_poison_group(const hm_table *table, uint32_t row)
{
    for (uint32_t i = 0; i < table->array_count; i++) {
        const hm_cells *column = &table->columns[i];
        hm_memory_poison(column->base + hm_table_offset(table, column, row), column->stride);
    }
}

/* Erases that follow each other take rows from the last group, then from the one before, which
 * processors do not foresee. Asks for the group that is needed after that one. */
static void table_prefetch_earlier(const hm_table *table, uint32_t row)
{
    uint32_t lanes = UINT32_C(1) << table->lane_shift;
    const hm_cells *first = &table->columns[0];
    if (row < 2 * lanes)
        return;
    const unsigned char *group = hm_table_address(table, first, row - 2 * lanes);
    for (size_t line = 0; line < first->stride; line += 64)
        HM_PREFETCH(group + line);
}

void hm_table_fill_hole(const hm_table *table, uint32_t last, uint32_t hole)
{
    const hm_cells *run = table->columns, *end = run + table->column_count;
    bool stays = table_shares_group(table, last);
    if (last == hole && stays)
        table_clear_row(table, last);
    for (; run < end && last != hole; run += run->run) {
        size_t to = hm_table_offset(table, run, hole), from = hm_table_offset(table, run, last);
        if (stays)
            TABLE_FOR_SIZE(run->size, table_move_run, run, to, from);
        else
            TABLE_FOR_SIZE(run->size, table_copy_run, run, to, from);
    }
    if (stays)
        return;
    if (table_has_lanes(table))
        table_prefetch_earlier(table, last);
    if (hm_memory_poisons())
        table_poison_group(table, last);
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
    uint32_t lanes = UINT32_C(1) << table->lane_shift;
    for (uint32_t row = first, part; n > 0; row += part, n -= part) {
        part = table->lanes != 0 ? lanes - row % lanes : n;
        if (part > n)
            part = n;
        table_copy_cells(hm_table_address(table, column, row), from, column->size * part);
        if (from != NULL)
            from += column->size * part;
    }
}

void hm_table_write_row(const hm_table *table, uint32_t row, const void *const *values)
{
    const hm_cells *run = table->columns, *end = run + table->column_count;
    if (values == NULL) {
        table_clear_row(table, row);
        return;
    }
    for (; run < end; values += run->run, run += run->run)
        TABLE_FOR_SIZE(run->size, table_write_run, run, values, hm_table_offset(table, run, row));
}

void hm_table_pack_row(const hm_table *table, uint32_t row, unsigned char *bytes)
{
    const hm_cells *run = table->columns, *end = run + table->column_count;
    for (; run < end; bytes += run->size * run->run, run += run->run)
        TABLE_FOR_SIZE(run->size, table_pack_run, run, bytes, hm_table_offset(table, run, row));
}

void hm_table_unpack_row(const hm_table *table, uint32_t row, const unsigned char *bytes)
{
    const hm_cells *run = table->columns, *end = run + table->column_count;
    for (; run < end; bytes += run->size * run->run, run += run->run)
        TABLE_FOR_SIZE(run->size, table_unpack_run, run, bytes, hm_table_offset(table, run, row));
}

void hm_table_shift_rows(void *owner, uint32_t at, uint32_t gap, uint32_t n)
{
    const hm_table *table = owner;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const hm_cells *column = &table->columns[c];
        hm_order_shift_bytes(hm_table_address(table, column, at), column->size, gap, n);
    }
}

void hm_table_exchange_rows(void *owner, uint32_t a, uint32_t b)
{
    const hm_table *table = owner;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const hm_cells *column = &table->columns[c];
        hm_order_exchange_bytes(hm_table_address(table, column, a),
                                hm_table_address(table, column, b), column->size);
    }
}

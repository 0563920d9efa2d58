/* SPDX-License-Identifier: MIT */
/* detail/table: the struct of a table, and where its cells are. For inline functions; no program
 * needs it. */
#ifndef HANDLE_MAP_DETAIL_TABLE_H
#define HANDLE_MAP_DETAIL_TABLE_H

#include <handle_map/detail/each.h>
#include <handle_map/detail/guard.h>
#include <handle_map/id_table.h>

/* The cells of one column. With whole columns and with rows as structs a group is one row. */
typedef struct hm_cells {
    unsigned char *base; /* the cell of row 0 */
    size_t stride;       /* bytes from one group to the next */
    size_t size;         /* bytes of a cell, and from one lane to the next */
    uint32_t run;        /* columns from this one on whose cells have the same size */
} hm_cells;

/* All fields are private; use the functions. What insert, erase and lookups touch comes first, in
 * one cache line if the table starts at one; the columns are elsewhere. */
typedef struct hm_table {
    hm_cells *columns;
    uint32_t column_count;
    uint32_t lane_shift;   /* log2 of the rows in a group */
    hm_guard guard;        /* its limit: rows that fit in the committed memory */
    uint32_t lanes;        /* as in the descriptor */
    uint32_t order_column; /* the column that the order is by */
    hm_id_table ids;       /* which slots are live; its count is the table's */
    const char *name;
    hm_array *arrays;      /* one for each column if the columns are whole, else one of groups */
    uint32_t array_count;  /* arrays */
    uint32_t committed;    /* rows for which all columns are committed */
    hm_array record_array; /* holds `columns` and `arrays`; without a capacity also the columns as
                              they were described, to be laid out again */
    /* Where defragment stopped; NULL until it is first called. */
    struct hm_order_state *order;
    void (*destroy)(const struct hm_table *table, uint32_t row, void *context);
    void *context;
} hm_table;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_table) <= 448, "programs have many");

HM_BEGIN_C

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_table_moved(hm_table *table);
#endif

HM_END_C

HM_STATIC_ASSERT(sizeof(void *) != 8 ||
                     offsetof(hm_table, ids) + offsetof(hm_id_table, fresh_bits) == 64,
                 "what the hot paths touch takes one cache line");

/* The one formula for all layouts: bytes from a column's base to the cell of a row. Columns with
 * cells of one size have the same stride. */
HM_INLINE size_t hm_table_offset(const hm_table *table, const hm_cells *column, uint32_t row)
{
    uint32_t group = row >> table->lane_shift;
    uint32_t lane = row - (group << table->lane_shift);
    return column->stride * group + column->size * lane;
}

HM_INLINE void *hm_table_address(const hm_table *table, const hm_cells *column, uint32_t row)
{
    return column->base + hm_table_offset(table, column, row);
}

/* For HM_TABLE_EACH: returns the cell before *row, which becomes its row; NULL at the start, and
 * for a column out of range. */
HM_INLINE void *hm_table_before(const hm_table *table, uint32_t *row, uint32_t column,
                                size_t cell_size)
{
    HM_CONTRACT(table != NULL, "HM_TABLE_EACH: table is NULL");
    if (column >= table->column_count || !hm_each_before(row, table->ids.count))
        return NULL;
    HM_CONTRACT(table->columns[column].size == cell_size,
                "HM_TABLE_EACH: the cells are not of this type");
    return hm_table_address(table, &table->columns[column], *row);
}

#endif

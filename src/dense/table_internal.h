/* SPDX-License-Identifier: MIT */
/* table: what its sources share.
 *
 *     table.c       rows and their handles, and their order
 *       rows.c      moves, copies and clears cells
 *       layout.c    where columns are: checks, reserves, commits, gives back */
#ifndef HANDLE_MAP_TABLE_INTERNAL_H
#define HANDLE_MAP_TABLE_INTERNAL_H

#include "table_private.h"

#include "../memory/array_private.h"

/* layout.c */

/* HM_ERROR_INVALID when the columns or lanes of a descriptor break the rules of table.h. */
hm_status hm_table_check_columns(const hm_table_desc *desc);

/* What columns are laid out in, while they are placed or move. */
typedef struct hm_table_space {
    hm_table *table;
    hm_table_desc desc; /* its memory is not NULL */
    size_t align;       /* the largest of a column */
    size_t group_size;  /* bytes; 0 without lanes */
    size_t groups;      /* that there is space for */
    bool is_whole;      /* committed whole: small columns share pages */
    hm_array array;
    const void **values; /* cells, one for each column, that may lie in the table and are followed
                            when it moves; NULL: none */
} hm_table_space;

enum { HM_TABLE_ARRAYS = 2 };

/* Lists two arrays for the range of the table's ids: the records, of all kinds in one array, since
 * they are made once and only `columns` is hot, and the space of all columns, which needs to exist
 * only until they are placed. The descriptor has been checked. */
void hm_table_list_arrays(hm_table *table, const hm_table_desc *desc, hm_table_space *space,
                          hm_array_column *columns);
/* Commits the records and places the columns in the space. */
hm_status hm_table_place_columns(hm_table_space *space);
/* Lists the same arrays for a move of a whole range, and finds out what is committed after it. */
void hm_table_list_moved(hm_table *table, const void **values, hm_table_space *space,
                         hm_array_column *columns);
void hm_table_count_committed(hm_table *table);
/* Finishes both. */
void hm_table_release_columns(hm_table *table);
/* Gives back whole pages behind the last row. */
hm_status hm_table_trim_columns(hm_table *table);
/* Whether the columns are where the arrays say. */
bool hm_table_columns_are_valid(const hm_table *table);

/* rows.c */

/* Copies n cells to column `index`, from row `first` on; `cells` NULL: zeros. */
void hm_table_write_cells(const hm_table *table, uint32_t index, uint32_t first, uint32_t n,
                          const void *cells);
/* Copies a value to each cell of a row; a NULL value, or `values` NULL: zeros. */
void hm_table_write_row(const hm_table *table, uint32_t row, const void *const *values);
/* The last row, whose cells move to the hole, ceases to exist; they may be the same row. Zeroes the
 * lane that it leaves, or poisons its group if it was the only row there. */
void hm_table_fill_hole(const hm_table *table, uint32_t last, uint32_t hole);
/* Exchanges the cells of two rows. */
void hm_table_exchange_rows(void *owner, uint32_t a, uint32_t b);

/* Does what n exchanges of the rows at + i and at + gap + i would; for whole columns. */
void hm_table_shift_rows(void *owner, uint32_t at, uint32_t gap, uint32_t n);

static inline uint32_t hm_table_groups(const hm_table *table, uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + (UINT32_C(1) << table->lane_shift) - 1) >>
                      table->lane_shift);
}

#endif

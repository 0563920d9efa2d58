/* SPDX-License-Identifier: MIT */
/* table: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_TABLE_PRIVATE_H
#define HANDLE_MAP_TABLE_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/table.h>

/* Returns the number of rows for which everything is committed: the limit of the guard. */
uint32_t hm_table_committed_rows(const hm_table *table);

/* Moves a table without a capacity to a range for `capacity` rows and `slots` entries, which are no
 * fewer. Carries as many as the counts of its id table say. HM_ERROR_MEMORY: nothing has moved. */
hm_status hm_table_move(void *table, size_t capacity, size_t slots);

/* Passes a status on, and names the table if memory was refused. */
hm_status hm_table_tell(const hm_table *table, hm_status status);

/* layout.c */

/* Commits all columns for `count` rows; `grows` as in hm_array_commit. */
hm_status hm_table_commit_columns(hm_table *table, uint32_t count, bool grows);

/* Notes how much is committed in a table without rows, and gives back what was committed since
 * then; if the system refuses, that stays committed. No row is open. */
void hm_table_note_committed(const hm_table *table);
void hm_table_give_back(hm_table *table);

/* rows.c */

/* The n rows from `first` on begin to exist: makes their groups accessible, and zeroes new groups.
 */
void hm_table_open_rows(hm_table *table, uint32_t first, uint32_t n);

/* All rows, which were `count`, have ceased to exist: poisons their groups. */
void hm_table_close_all(const hm_table *table, uint32_t count);

/* Copy the cells of a row to bytes without gaps, or from there, in the order of the columns. */
void hm_table_pack_row(const hm_table *table, uint32_t row, unsigned char *bytes);
void hm_table_unpack_row(const hm_table *table, uint32_t row, const unsigned char *bytes);

#endif

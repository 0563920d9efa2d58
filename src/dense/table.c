/* SPDX-License-Identifier: MIT */
/* table: rows, kept in step with the positions of the id table: a row is a position. No callback
 * runs before all cells of a row have moved. */
#include "dense_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

uint32_t hm_table_committed_rows(const hm_table *table)
{
    uint32_t ready = hm_id_table_ready(&table->ids);
    uint32_t committed = table->committed - hm_id_table_promised(&table->ids);
    return ready < committed ? ready : committed;
}

/* init and fini */

/* A descriptor is checked before anything is reserved: an invalid one is HM_ERROR_INVALID even
 * where memory would be refused. */
static hm_status table_init_parts(hm_table *table, const hm_table_desc *desc)
{
    hm_id_table_desc ids = {desc->capacity, desc->max_slots, desc->type_id, desc->generation_bits,
                            desc->memory};
    hm_array_column columns[HM_TABLE_ARRAYS];
    hm_table_space space;
    hm_status status = hm_table_check_columns(desc);
    if (status != HM_OK)
        return status;
    hm_table_list_arrays(table, desc, &space, columns);
    status = hm_id_table_init_with(&table->ids, &ids, columns, HM_TABLE_ARRAYS);
    if (status == HM_OK)
        status = hm_table_place_columns(&space);
    if (status == HM_OK)
        status = hm_id_table_choose_type(&table->ids.type_id);
    ids = hm_id_table_complete(&ids);
    return hm_blame(status,
                    &(hm_limits){"table", table->name, ids.capacity, ids.max_slots, 0, NULL});
}

static void table_release_all(hm_table *table)
{
    hm_order_fini(&table->order);
    hm_table_release_columns(table);
    hm_id_table_fini(&table->ids);
    hm_zero(table, sizeof *table);
}

HM_KNOWN_CONTAINER(table, ids.slot_array.memory)

hm_status hm_table_init(hm_table *table, const hm_table_desc *desc)
{
    hm_status status = hm_announce_init("table", table, sizeof *table);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_table_desc, desc);
    table->name = desc->name != NULL ? desc->name : "table";
    status = table_init_parts(table, desc);
    if (status == HM_OK)
        status = hm_known_join(&hm_known_table, table);
    if (status != HM_OK) {
        table_release_all(table);
        return hm_fail_in("table_init", desc->name, status);
    }
    table->guard.limit = hm_table_committed_rows(table);
    table->destroy = desc->destroy;
    table->context = desc->context;
    if (desc->destroy != NULL)
        table->guard.flags |= HM_GUARD_HOOK;
    return HM_OK;
}

void hm_table_fini(hm_table *table)
{
    HM_CONTRACT_AT_REST(table, "hm_table_fini");
    if (table->destroy != NULL)
        hm_table_clear(table);
    hm_known_leave(&hm_known_table, table);
    table_release_all(table);
}

/* batches */

HM_INLINE uint32_t table_row_of(const hm_batch *batch, hm_handle handle)
{
    uint64_t row = hm_batch_ask(batch, handle, hm_batch_match_position);
    return row < batch->limit ? (uint32_t)row : HM_INVALID_INDEX;
}

/* Writes the rows of a part, and returns how many handles resolve. An answer takes so few
 * instructions that those of the loop show, so it writes two at a time; and the others are counted
 * in a pass of their own, in which compilers count four at a time. */
static uint32_t table_answer_rows(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                  uint32_t *rows)
{
    uint32_t stale = 0, i = 0;
    for (; i + 1 < n; i += 2) {
        rows[i] = table_row_of(batch, handles[i]);
        rows[i + 1] = table_row_of(batch, handles[i + 1]);
    }
    if (i < n)
        rows[i] = table_row_of(batch, handles[i]);
    for (i = 0; i < n; i++)
        stale += rows[i] == HM_INVALID_INDEX;
    return n - stale;
}

uint32_t hm_table_row_n(const hm_table *table, const hm_handle *handles, uint32_t n, uint32_t *rows)
{
    HM_CONTRACT(table != NULL, "hm_table_row_n: table is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_table_row_n: handles is NULL");
    HM_CONTRACT(rows != NULL || n == 0, "hm_table_row_n: rows is NULL");
    hm_batch batch = hm_id_table_batch(&table->ids);
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, rows += part, n -= part) {
        part = hm_batch_lookup_part(&batch, n);
        hm_batch_prefetch_entries(&batch, handles, part);
        found += table_answer_rows(&batch, handles, part, rows);
    }
    return found;
}

typedef struct table_places {
    hm_cells cells;
    uint32_t lane_shift;
} table_places;

HM_INLINE void table_answer_cell(const hm_batch *batch, void *answers, uint32_t i, uint64_t match,
                                 uint64_t found)
{
    const table_places *places = batch->places;
    size_t row = (size_t)(match & found), group = row >> places->lane_shift;
    uintptr_t place = (uintptr_t)places->cells.base + places->cells.stride * group;
    place += places->cells.size * (row - (group << places->lane_shift));
    hm_batch_store_place(batch, answers, i, place, found);
}

uint32_t hm_table_get_n(const hm_table *table, const hm_handle *handles, uint32_t n,
                        uint32_t column, void **cells)
{
    HM_CONTRACT(table != NULL, "hm_table_get_n: table is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_table_get_n: handles is NULL");
    HM_CONTRACT(cells != NULL || n == 0, "hm_table_get_n: cells is NULL");
    hm_batch batch = hm_id_table_batch(&table->ids);
    table_places places = {.lane_shift = table->lane_shift};
    batch.places = &places;
    if (column < table->column_count)
        places.cells = table->columns[column];
    else
        batch.limit = 0; /* No row has a cell there. */
    batch.is_near = places.cells.stride * hm_table_groups(table, table->ids.count) < HM_BATCH_NEAR;
    return hm_batch_answer_n(&batch, handles, n, cells, sizeof *cells, hm_batch_match_position,
                             hm_batch_match_position, table_answer_cell);
}

/* insert */

hm_status hm_table_blame(const hm_table *table, hm_status status)
{
    const hm_limits limits = {"table", table->name, hm_table_capacity(table), table->ids.max_slots,
                              0,       NULL};
    return hm_blame(status, &limits);
}

/* A table that moves; `values` as in hm_table_space. */
typedef struct table_move {
    hm_table *table;
    const void **values;
} table_move;

static hm_status table_move_with(void *owner, size_t capacity, size_t slots)
{
    const table_move *move = owner;
    hm_table *table = move->table;
    hm_table_space space;
    hm_array_column columns[HM_TABLE_ARRAYS];
    hm_table_list_moved(table, move->values, &space, columns);
    hm_status status = hm_id_table_move(&table->ids, capacity, slots, columns, HM_TABLE_ARRAYS);
    hm_table_count_committed(table);
    return status;
}

hm_status hm_table_move(void *table, size_t capacity, size_t slots)
{
    table_move move = {table, NULL};
    return table_move_with(&move, capacity, slots);
}

static void table_set_limit(hm_table *table)
{
    table->guard.limit = hm_table_committed_rows(table);
}

/* Passes a status on, or makes memory for n more rows, beside those that are promised. */
static hm_status table_prepare_rows(hm_table *table, hm_status status, uint32_t n, bool grows)
{
    if (status == HM_OK)
        status = hm_table_commit_columns(table, hm_id_table_taken(&table->ids) + n, grows);
    table_set_limit(table);
    return hm_table_blame(table, status);
}

/* `grows` as in hm_array_commit; `values` as in hm_table_space. */
static hm_status table_prepare_for(hm_table *table, uint32_t n, bool grows, const void **values)
{
    if (hm_guard_refuses(&table->guard, "table", table->name))
        return HM_ERROR_BUSY;
    if (n > hm_id_table_left(&table->ids))
        return hm_fail_full("table", table->name, hm_id_table_taken(&table->ids),
                            hm_table_capacity(table), n);
    table_move move = {table, values};
    hm_status status =
        hm_id_table_prepare(&table->ids, table->name, n, grows, &move, table_move_with);
    return table_prepare_rows(table, status, n, grows);
}

static hm_status table_prepare(hm_table *table, uint32_t n, bool grows)
{
    return table_prepare_for(table, n, grows, NULL);
}

HM_ID_TABLE_RESERVE(table)
HM_ID_TABLE_PROMISES(table)

static hm_handle table_issue(hm_table *table)
{
    return table->ids.count < table->guard.limit ? hm_id_table_issue(&table->ids) : HM_NULL_HANDLE;
}

static hm_handle table_issue_slow(hm_table *table, const void **values)
{
    if (table_prepare_for(table, 1, true, values) != HM_OK)
        return HM_NULL_HANDLE;
    return hm_id_table_issue_slow(&table->ids);
}

hm_handle hm_table_emplace(hm_table *table, uint32_t *row)
{
    HM_CONTRACT(table != NULL, "hm_table_emplace: table is NULL");
    HM_CONTRACT(row != NULL, "hm_table_emplace: row is NULL");
    uint32_t last = table->ids.count;
    hm_handle handle = table_issue(table);
    if (hm_handle_is_null(handle))
        handle = table_issue_slow(table, NULL);
    if (!hm_handle_is_null(handle))
        hm_table_open_rows(table, last, 1);
    *row = hm_handle_is_null(handle) ? HM_INVALID_INDEX : last;
    return handle;
}

/* Copies the addresses of cells, so that those in the table can be followed when it moves. */
static const void **table_copy_addresses(const hm_table *table, const void *const *values,
                                         const void **copies)
{
    if (values == NULL)
        return NULL;
    memcpy(copies, values, sizeof *values * table->column_count);
    return copies;
}

HM_COLD static hm_handle table_insert_slow(hm_table *table, const void *const *values)
{
    const void *copies[HM_TABLE_MAX_COLUMNS];
    const void **moved = table_copy_addresses(table, values, copies);
    uint32_t last = table->ids.count;
    hm_handle handle = table_issue_slow(table, moved);
    if (!hm_handle_is_null(handle)) {
        hm_table_open_rows(table, last, 1);
        hm_table_write_row(table, last, moved);
    }
    return handle;
}

hm_handle hm_table_insert(hm_table *table, const void *const *values)
{
    HM_CONTRACT(table != NULL, "hm_table_insert: table is NULL");
    uint32_t last = table->ids.count;
    hm_handle handle = table_issue(table);
    if (hm_handle_is_null(handle))
        return table_insert_slow(table, values);
    hm_table_open_rows(table, last, 1);
    hm_table_write_row(table, last, values);
    return handle;
}

hm_handle hm_table_emplace_zeroed(hm_table *table, uint32_t *row)
{
    HM_CONTRACT(table != NULL, "hm_table_emplace_zeroed: table is NULL");
    HM_CONTRACT(row != NULL, "hm_table_emplace_zeroed: row is NULL");
    hm_handle handle = hm_table_insert(table, NULL);
    *row = hm_handle_is_null(handle) ? HM_INVALID_INDEX : table->ids.count - 1;
    return handle;
}

hm_status hm_table_insert_n(hm_table *table, const void *const *columns, uint32_t n,
                            hm_handle *handles)
{
    HM_CONTRACT(table != NULL, "hm_table_insert_n: table is NULL");
    const void *copies[HM_TABLE_MAX_COLUMNS];
    const void **moved = table_copy_addresses(table, columns, copies);
    hm_status status = table_prepare_for(table, n, true, moved);
    if (status != HM_OK || n == 0)
        return status;
    uint32_t first = table->ids.count;
    hm_table_open_rows(table, first, n);
    for (uint32_t c = 0; c < table->column_count; c++)
        hm_table_write_cells(table, c, first, n, moved != NULL ? moved[c] : NULL);
    hm_id_table_issue_n(&table->ids, n, handles);
    return HM_OK;
}

hm_status hm_table_adopt(hm_table *table, hm_handle handle, const void *const *values)
{
    HM_CONTRACT(table != NULL, "hm_table_adopt: table is NULL");
    const void *copies[HM_TABLE_MAX_COLUMNS];
    const void **moved = table_copy_addresses(table, values, copies);
    uint32_t last = table->ids.count;
    if (hm_guard_refuses(&table->guard, "table", table->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_id_table_check_adopt(&table->ids, "table", table->name, handle, 0);
    table_move move = {table, moved};
    if (status == HM_OK)
        status = hm_id_table_prepare_adopt(&table->ids, handle, &move, table_move_with);
    status = table_prepare_rows(table, status, 1, true);
    if (status != HM_OK)
        return status;
    hm_id_table_take(&table->ids, handle);
    hm_table_open_rows(table, last, 1);
    hm_table_write_row(table, last, moved);
    return HM_OK;
}

/* The memory of the row was made with the promise. */
hm_status hm_table_insert_as(hm_table *table, hm_handle promised, const void *const *values)
{
    HM_CONTRACT(table != NULL, "hm_table_insert_as: table is NULL");
    hm_status status =
        hm_id_table_keep_promise(&table->ids, &table->guard, "table", table->name, promised);
    if (status != HM_OK)
        return status;
    table_set_limit(table);
    hm_table_open_rows(table, table->ids.count - 1, 1);
    hm_table_write_row(table, table->ids.count - 1, values);
    return HM_OK;
}

/* order */

static uint32_t table_find(const void *owner, hm_handle handle)
{
    return hm_table_row(owner, handle);
}

static void table_erase_row(hm_table *table, hm_handle handle, uint32_t row)
{
    uint32_t last = table->ids.count - 1;
    hm_id_table_release(&table->ids, handle, row);
    hm_table_fill_hole(table, last, row);
    hm_dense_disturb(&table->guard, table->order, row, last);
}

/* Runs the hook for a row that will be erased. False: the table is busy. Erase asks only if a flag
 * of the guard is set, so that a table without a hook pays nothing. */
static bool table_destroy_row(hm_table *table, uint32_t row)
{
    if (hm_guard_refuses(&table->guard, "table", table->name))
        return false;
    if (table->destroy != NULL) {
        hm_guard_enter(&table->guard);
        table->destroy(table, row, table->context);
        hm_guard_leave(&table->guard, hm_table_committed_rows(table));
    }
    return true;
}

static void table_erase_at(void *owner, uint32_t row)
{
    (void)table_destroy_row(owner, row); /* No callback is running. */
    table_erase_row(owner, hm_table_handle_at(owner, row), row);
}

/* `column` has the cells that compare and key are shown; all columns are exchanged alike. A search
 * writes nothing, so that the table may be a constant then. */
static hm_dense table_dense(const hm_table *constant, uint32_t column)
{
    hm_table *table = (hm_table *)constant;
    hm_dense dense = {.guard = &table->guard,
                      .limit = hm_table_committed_rows(table),
                      .column = column,
                      .column_count = table->column_count,
                      .order_column = &table->order_column,
                      .order = &table->order,
                      .erase_at = table_erase_at,
                      .sequence = {.links = hm_id_table_links(&table->ids),
                                   .slot_count = table->ids.slot_count,
                                   .count = table->ids.count,
                                   .capacity = (uint32_t)table->ids.slot_array.capacity,
                                   .swapped = hm_table_exchange_rows,
                                   .shifted = table->lanes == 0 ? hm_table_shift_rows : NULL,
                                   .find = table_find,
                                   .owner = table,
                                   .memory = table->record_array.memory,
                                   .what = "table",
                                   .name = table->name}};
    if (column < table->column_count) {
        dense.sequence.items = table->columns[column].base;
        dense.sequence.stride = table->columns[column].stride;
        dense.sequence.lane_size = table->columns[column].size;
        dense.sequence.lane_shift = table->lane_shift;
    }
    return dense;
}

HM_DENSE_ORDER(table, table_dense(table, column), uint32_t column, )

HM_DENSE_ARRANGE(table, table_dense(table, 0))

/* erase */

bool hm_table_erase(hm_table *table, hm_handle handle)
{
    HM_CONTRACT(table != NULL, "hm_table_erase: table is NULL");
    uint32_t row = hm_table_row(table, handle);
    if (row == HM_INVALID_INDEX ||
        ((table->guard.flags & HM_GUARD_ERASE) != 0 && !table_destroy_row(table, row)))
        return false;
    table_erase_row(table, handle, row);
    return true;
}

static void table_touch(const void *container, uint32_t row)
{
    const hm_table *table = container;
    for (uint32_t c = 0; c < table->column_count; c++)
        HM_PREFETCH(hm_table_address(table, &table->columns[c], row));
    HM_PREFETCH(&table->ids.slots[row]);
}

static bool table_erase(void *container, hm_handle handle)
{
    return hm_table_erase(container, handle);
}

uint32_t hm_table_erase_n(hm_table *table, const hm_handle *handles, uint32_t n)
{
    HM_CONTRACT(table != NULL, "hm_table_erase_n: table is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_table_erase_n: handles is NULL");
    hm_batch batch = hm_id_table_batch(&table->ids);
    if (!hm_batch_is_cached(&batch) ||
        !hm_batch_is_alike(&batch, handles, n, hm_batch_match_position))
        return hm_dense_erase_parts(&table->ids, handles, n, table, table_touch, table_erase);
    uint32_t erased = 0;
    for (uint32_t i = 0; i < n; i++)
        erased += hm_table_erase(table, handles[i]);
    return erased;
}

typedef struct table_doomed {
    bool (*doomed)(const hm_table *table, uint32_t row, void *context);
    void *context;
} table_doomed;

static bool table_is_doomed(void *owner, uint32_t index, void *context)
{
    const table_doomed *call = context;
    return call->doomed(owner, index, call->context);
}

uint32_t hm_table_erase_if(hm_table *table,
                           bool (*doomed)(const hm_table *table, uint32_t row, void *context),
                           void *context)
{
    HM_CONTRACT(table != NULL, "hm_table_erase_if: table is NULL");
    HM_CONTRACT(doomed != NULL, "hm_table_erase_if: doomed is NULL");
    table_doomed call = {doomed, context};
    const hm_dense dense = table_dense(table, table->order_column);
    return hm_dense_erase_if(&dense, table_is_doomed, &call);
}

void hm_table_clear(hm_table *table)
{
    HM_CONTRACT_AT_REST(table, "hm_table_clear");
    while (table->destroy != NULL && table->ids.count > 0)
        table_erase_at(table, table->ids.count - 1);
    uint32_t count = table->ids.count;
    hm_id_table_clear(&table->ids);
    hm_table_close_all(table, count);
    hm_dense_forget_order(&table->guard, table->order);
}

/* memory and questions */

hm_status hm_table_trim(hm_table *table)
{
    HM_CONTRACT(table != NULL, "hm_table_trim: table is NULL");
    if (hm_guard_refuses(&table->guard, "table", table->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_table_trim_columns(table);
    if (status == HM_OK)
        status = hm_dense_trim_ids(&table->ids, &table->order, table, hm_table_move);
    table_set_limit(table);
    return hm_table_blame(table, status);
}

static hm_status table_validate(const hm_table *table)
{
    hm_status status = hm_id_table_validate(&table->ids);
    if (status != HM_OK)
        return status;
    uint32_t committed = hm_table_committed_rows(table);
    bool is_consistent = table->ids.count <= committed && hm_table_columns_are_valid(table) &&
                         hm_dense_is_valid(&table->guard, table->order, committed);
    if (!is_consistent)
        return hm_fail(HM_ERROR_CORRUPT,
                       "the table's columns, count and committed memory disagree");
    return HM_OK;
}

HM_VALIDATE(table, table_validate)

/* Addresses are compared as numbers: this one may be of any object. One below the column wraps
 * around to a row that is too large. */
hm_handle hm_table_handle_of(const hm_table *table, const void *cell, uint32_t column)
{
    HM_CONTRACT(table != NULL, "hm_table_handle_of: table is NULL");
    if (column >= table->column_count)
        return HM_NULL_HANDLE;
    const hm_cells *cells = &table->columns[column];
    size_t offset = (uintptr_t)cell - (uintptr_t)cells->base;
    size_t group = offset / cells->stride, lane = offset % cells->stride / cells->size;
    if (lane >> table->lane_shift != 0)
        return HM_NULL_HANDLE;
    uint64_t row = ((uint64_t)group << table->lane_shift) + lane;
    return row < table->ids.count ? hm_table_handle_at(table, (uint32_t)row) : HM_NULL_HANDLE;
}

HM_ID_TABLE_QUESTIONS(table, handles)

hm_table_stats hm_table_get_stats(const hm_table *table)
{
    HM_CONTRACT(table != NULL, "hm_table_get_stats: table is NULL");
    hm_table_stats stats = {0};
    hm_id_table_add_stats(&table->ids, &stats);
    for (uint32_t i = 0; i < table->array_count; i++)
        hm_stats_add(&stats, &table->arrays[i]);
    hm_stats_add(&stats, &table->record_array);
    hm_order_add_sizes(table->order, &stats);
    return stats;
}

/* SPDX-License-Identifier: MIT */
/* save: tables. Their payload: the rows in order, each of them its cells in the order of the
 * columns, whatever the layout in memory; the part of the id table. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* After the numbers of the id table: bytes of a cell of each column. */
enum { TABLE_CELLS = HM_SAVE_IDS_DETAILS };

HM_STATIC_ASSERT(TABLE_CELLS + HM_TABLE_MAX_COLUMNS <= (int)HM_SAVE_DETAILS,
                 "a header has the sizes of all cells");

uint64_t hm_save_row_size(const hm_table *table)
{
    uint64_t size = 0;
    for (uint32_t c = 0; c < table->column_count; c++)
        size += table->columns[c].size;
    return size;
}

static void saved_table_describe(const void *container, hm_save_section *section)
{
    const hm_table *table = container;
    uint64_t size = hm_save_row_size(table);
    hm_save_describe_ids(section, &table->ids);
    section->item_size = size <= UINT32_MAX ? (uint32_t)size : 0;
    for (uint32_t c = 0; c < table->column_count; c++)
        section->details[TABLE_CELLS + c] = (uint32_t)table->columns[c].size;
    section->detail_count = TABLE_CELLS + table->column_count;
}

static uint64_t saved_table_measure(const hm_save_section *section)
{
    return (uint64_t)section->encoded_size * section->count + hm_save_size_of_ids(section);
}

/* Cells of a row that is larger than the buffer. */
static void table_save_cells(hm_save_out *out, const hm_table *table, uint32_t row)
{
    for (uint32_t c = 0; c < table->column_count; c++)
        hm_save_write(out, hm_table_cell(table, row, c), table->columns[c].size);
}

static void table_encode_row(const hm_table *table, const hm_save_desc *desc, uint32_t row,
                             unsigned char *bytes)
{
    const void *cells[HM_TABLE_MAX_COLUMNS];
    for (uint32_t c = 0; c < table->column_count; c++)
        cells[c] = hm_table_cell(table, row, c);
    memset(bytes, 0, desc->encoded_size);
    desc->encode(cells, bytes, desc->context);
}

static void table_save_rows(hm_save_out *out, const hm_table *table, const hm_save_desc *desc)
{
    size_t size = out->section->encoded_size;
    uint32_t count = out->section->count, most = (uint32_t)(HM_SAVE_BUFFER / size);
    bool encodes = desc != NULL && desc->encode != NULL;
    for (uint32_t row = 0; row < count && out->status == HM_OK;) {
        uint32_t n = count - row < most ? count - row : most;
        if (n == 0)
            table_save_cells(out, table, row++);
        for (uint32_t i = 0; i < n; i++, row++)
            if (encodes)
                table_encode_row(table, desc, row, out->buffer + size * i);
            else
                hm_table_pack_row(table, row, out->buffer + size * i);
        hm_save_write(out, out->buffer, size * n);
    }
}

static void saved_table_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_table *table = container;
    table_save_rows(out, table, desc);
    hm_save_ids(out, &table->ids);
}

static hm_status saved_table_check(hm_load *load)
{
    hm_save_in *in = &load->in;
    const hm_table *table = load->container;
    const hm_save_section *section = &in->section;
    if (section->payload_size != saved_table_measure(section))
        return hm_load_disagree(in);
    bool is_same = section->detail_count == TABLE_CELLS + table->column_count;
    for (uint32_t c = 0; c < table->column_count && is_same; c++)
        is_same = section->details[TABLE_CELLS + c] == table->columns[c].size;
    if (!is_same && !hm_load_decodes(load->desc))
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its columns have other sizes");
    return HM_OK;
}

/* Makes room for n more rows. Their slots are 0 and so is the entry of slot 0 until the part of the
 * id table is read, so that a destroy hook that asks for the handle of a row gets null. */
static hm_status table_load_room(hm_load *load, uint32_t n)
{
    hm_table *table = load->container;
    hm_id_table *ids = &table->ids;
    uint32_t count = load->ids.count + n;
    hm_status status = hm_load_widen(&load->ids, count);
    if (status == HM_OK)
        status = hm_table_commit_columns(table, count, true);
    if (status == HM_OK)
        status = hm_array_commit(&ids->slot_array, count, true);
    if (status == HM_OK)
        status = hm_array_commit(&ids->entry_array, 1, true);
    if (status != HM_OK)
        return status;
    hm_table_open_rows(table, load->opened, count - load->opened);
    load->opened = count;
    return HM_OK;
}

static bool table_decode_row(hm_load *load, uint32_t row, const unsigned char *bytes)
{
    void *cells[HM_TABLE_MAX_COLUMNS];
    const hm_table *table = load->container;
    const hm_save_section *section = &load->in.section;
    for (uint32_t c = 0; c < table->column_count; c++) {
        cells[c] = hm_table_address(table, &table->columns[c], row);
        memset(cells[c], 0, table->columns[c].size);
    }
    return load->desc->decode(section->version, bytes, section->encoded_size, cells,
                              load->desc->context);
}

/* Reads a row that is larger than the buffer. */
static hm_status table_load_cells(hm_load *load)
{
    const hm_table *table = load->container;
    for (uint32_t c = 0; c < table->column_count; c++) {
        void *cell = hm_table_address(table, &table->columns[c], load->ids.count);
        if (!hm_load_read(&load->in, cell, table->columns[c].size))
            return load->in.status;
    }
    load->ids.count++;
    return HM_OK;
}

/* Reads n rows, which fit in the buffer. */
static hm_status table_load_part(hm_load *load, uint32_t n)
{
    hm_save_in *in = &load->in;
    size_t size = in->section.encoded_size;
    if (!hm_load_read(in, in->buffer, size * n))
        return in->status;
    for (uint32_t i = 0; i < n; i++, load->ids.count++) {
        const unsigned char *bytes = in->buffer + size * i;
        if (!hm_load_decodes(load->desc))
            hm_table_unpack_row(load->container, load->ids.count, bytes);
        else if (!table_decode_row(load, load->ids.count, bytes))
            return hm_load_fail(in, HM_ERROR_CORRUPT, size * (n - i), "decode refused the item");
    }
    return HM_OK;
}

static hm_status table_load_rows(hm_load *load)
{
    size_t row_size = (size_t)hm_save_row_size(load->container);
    uint32_t count = load->in.section.count, most = HM_SAVE_BUFFER / load->in.section.encoded_size;
    while (load->ids.count < count) {
        uint32_t end = load->ids.count + hm_load_next(row_size, count - load->ids.count);
        hm_status status = table_load_room(load, end - load->ids.count);
        while (status == HM_OK && load->ids.count < end) {
            uint32_t left = end - load->ids.count;
            status = most == 0 ? table_load_cells(load)
                               : table_load_part(load, left < most ? left : most);
        }
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

/* Runs the hook for the rows that decode has made. */
static void table_load_destroy(hm_load *load)
{
    hm_table *table = load->container;
    hm_id_table *ids = &table->ids;
    if (!hm_load_decodes(load->desc) || table->destroy == NULL || load->ids.count == 0)
        return;
    memset(ids->slots, 0, sizeof *ids->slots * load->ids.count);
    ids->entries[0] = HM_NULL_HANDLE;
    for (ids->count = load->ids.count; ids->count > 0; ids->count--)
        table->destroy(table, ids->count - 1, table->context);
}

static hm_status saved_table_read(hm_load *load)
{
    hm_status status = table_load_rows(load);
    return status == HM_OK ? hm_load_ids_part(&load->in, &load->ids) : status;
}

static hm_status saved_table_finish(hm_load *load, hm_status status)
{
    if (status != HM_OK) {
        table_load_destroy(load);
        hm_table_close_all(load->container, load->opened);
    }
    return status;
}

static void saved_table_rest(hm_table *table)
{
    hm_dense_forget_order(&table->guard, table->order);
    hm_guard_leave(&table->guard, hm_table_committed_rows(table));
}

HM_SAVED(table, HM_SAVE_TABLE, offsetof(hm_table, ids), hm_table_move, NULL)

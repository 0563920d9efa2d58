/* SPDX-License-Identifier: MIT */
/* table: where the columns are.
 *
 *     whole columns: an array for each         groups: one array
 *     | skew | x x x x x x ...                 | x x x x . y y y y . | x x x x . y y y y . | ...
 *     | skew of y | y y y y ...                |<-- stride --------->|
 *
 * Reservations begin at pages, so that equal rows of columns with equal cells would all be in the
 * same set of a cache, and a store would seem to hit loads 4 KiB away. So each whole column begins
 * at another cache line of its first page.
 *
 * The arrays count bytes, since neither a skew nor a group is a whole number of cells. */
#include "table_internal.h"

#include "../array_private.h"
#include "../base_private.h"
#include "../id_table_private.h"
#include "../memory/memory_private.h"

#ifndef HM_EXHAUSTIVE
enum { TABLE_LINE = 64 /* bytes in a cache line, and in the widest vector */ };
#endif

static size_t table_low_bit(size_t size)
{
    return size & (0 - size);
}

static uint32_t table_lanes_of_group(const hm_table_desc *desc)
{
    return desc->lanes != 0 ? desc->lanes : 1;
}

/* Groups: SIMD loads want the lanes of a column aligned, as far as their size allows. Structs: as
 * C's rules. */
static size_t table_align_of(const hm_column *column, uint32_t lanes)
{
    size_t natural = table_low_bit(column->size);
    size_t align = column->align != 0 ? column->align : hm_array_natural_align(column->size);
    if (lanes <= 1)
        return align;
    natural *= lanes;
    if (natural > TABLE_LINE)
        natural = TABLE_LINE;
    return align > natural ? align : natural;
}

/* Returns the largest alignment of a column. */
static size_t table_most_align_of(const hm_table_desc *desc)
{
    size_t most = 1;
    for (uint32_t c = 0; c < desc->column_count; c++) {
        size_t align = table_align_of(&desc->columns[c], desc->lanes);
        if (align > most)
            most = align;
    }
    return most;
}

/* Lays out one group. Returns its size in bytes; 0 if it is above HM_TABLE_MAX_GROUP_SIZE. Sets the
 * offset of each column, if `offsets` is not NULL. */
static size_t table_lay_out(const hm_table_desc *desc, hm_cells *offsets, unsigned char *start)
{
    size_t end = 0;
    for (uint32_t c = 0; c < desc->column_count; c++) {
        size_t align = table_align_of(&desc->columns[c], desc->lanes);
        if (desc->columns[c].size > HM_TABLE_MAX_GROUP_SIZE / desc->lanes)
            return 0;
        end = hm_memory_round_up(end, align);
        if (offsets != NULL)
            offsets[c].base = start + end;
        end += desc->columns[c].size * desc->lanes;
        if (end > HM_TABLE_MAX_GROUP_SIZE)
            return 0;
    }
    /* The limit is a multiple of every alignment, too. */
    return hm_memory_round_up(end, table_most_align_of(desc));
}

static uint32_t table_capacity_of(const hm_table_desc *desc)
{
    return desc->capacity != 0 ? desc->capacity : HM_DEFAULT_CAPACITY;
}

static const hm_memory *table_memory_of(const hm_table_desc *desc)
{
    return desc->memory != NULL ? desc->memory : hm_memory_os();
}

/* The groups for the capacity, and more for the skew, must fit in size_t. Their number does, unless
 * size_t has 32 bits and the capacity is one that the id table refuses. */
static hm_status table_check_size(const hm_table_desc *desc, size_t stride)
{
    size_t groups = (size_t)table_capacity_of(desc) / table_lanes_of_group(desc) + 2;
    size_t skew_groups = HM_MEMORY_ALIGNMENT / stride + 1;
    return hm_array_check_size(stride, groups + skew_groups, "row_", table_memory_of(desc));
}

static hm_status table_check_lanes(const hm_table_desc *desc)
{
    if (desc->lanes == 0)
        return HM_OK;
    if ((desc->lanes & (desc->lanes - 1)) != 0)
        return hm_fail(HM_ERROR_INVALID, "lanes %" HM_U32 " is not a power of two", desc->lanes);
    size_t stride = table_lay_out(desc, NULL, NULL);
    if (stride == 0)
        return hm_fail(HM_ERROR_INVALID, "a group of %" HM_U32 " lanes is above %d bytes",
                       desc->lanes, HM_TABLE_MAX_GROUP_SIZE);
    return table_check_size(desc, stride);
}

hm_status hm_table_check_columns(const hm_table_desc *desc)
{
    if (desc->columns == NULL)
        return hm_refuse_null("hm_table_init", "columns");
    if (desc->column_count == 0)
        return hm_fail(HM_ERROR_INVALID, "column_count is 0");
    if (desc->column_count > HM_TABLE_MAX_COLUMNS)
        return hm_fail(HM_ERROR_INVALID, "column_count %" HM_U32 " is above %d", desc->column_count,
                       HM_TABLE_MAX_COLUMNS);
    hm_status status = hm_memory_check(table_memory_of(desc));
    for (uint32_t c = 0; c < desc->column_count && status == HM_OK; c++) {
        const hm_column *column = &desc->columns[c];
        char what[64];
        (void)hm_format(what, sizeof what, "column %" HM_U32 " (%.32s): ", c,
                        column->name != NULL ? column->name : "no name");
        status = hm_array_check_layout(column->size, column->align, what);
        if (status == HM_OK && desc->lanes == 0)
            status = table_check_size(desc, column->size);
    }
    return status == HM_OK ? table_check_lanes(desc) : status;
}

static uint32_t table_arrays_of(const hm_table_desc *desc)
{
    return desc->lanes == 0 ? desc->column_count : 1;
}

/* Returns how many bytes behind its array's start a column begins. */
static size_t table_skew_of(const hm_table_desc *desc, uint32_t index)
{
    size_t skew = (size_t)index * TABLE_LINE % HM_MEMORY_ALIGNMENT;
    return desc->lanes == 0 ? skew & ~(table_align_of(&desc->columns[index], 1) - 1) : 0;
}

/* Returns the bytes of an array. */
static size_t table_size_of(const hm_table_desc *desc, uint32_t index)
{
    size_t stride = desc->lanes == 0 ? desc->columns[index].size : table_lay_out(desc, NULL, NULL);
    uint32_t lanes = table_lanes_of_group(desc);
    return table_skew_of(desc, index) +
           stride * (((size_t)table_capacity_of(desc) + lanes - 1) / lanes);
}

/* Returns the part of the space that an array takes: whole pages that keep the alignment of the
 * next one. SIZE_MAX: it does not fit in size_t. */
static size_t table_part_of(const hm_table_desc *desc, uint32_t index)
{
    size_t unit = table_memory_of(desc)->page_size, align = table_most_align_of(desc);
    size_t size = table_size_of(desc, index);
    if (unit < align)
        unit = align;
    /* Coverage: only a 32-bit size_t has sizes that do not fit. */
    return size <= SIZE_MAX - (unit - 1) ? hm_memory_round_up(size, unit) : SIZE_MAX;
}

void hm_table_list_arrays(hm_table *table, const hm_table_desc *desc, hm_array *space,
                          hm_array_column *columns)
{
    size_t records = sizeof(hm_cells) * desc->column_count, total = 0;
    records += sizeof(hm_array) * table_arrays_of(desc);
    for (uint32_t i = 0; i < table_arrays_of(desc); i++) {
        size_t part = table_part_of(desc, i);
        total = part < SIZE_MAX - total ? total + part : SIZE_MAX;
    }
    columns[0] = (hm_array_column){.array = &table->record_array, .desc = {1, 0, records, 1, NULL}};
    columns[1] =
        (hm_array_column){.array = space, .desc = {1, table_most_align_of(desc), total, 0, NULL}};
}

static void table_place_arrays(hm_table *table, const hm_table_desc *desc, unsigned char *data)
{
    for (uint32_t i = 0; i < table->array_count; i++) {
        hm_array_column column = {.array = &table->arrays[i], .desc = {.item_size = 1}};
        column.desc.capacity = table_size_of(desc, i);
        column.desc.memory = table->record_array.memory;
        hm_array_place(&column, data);
        table->columns[i].base = data + table_skew_of(desc, i);
        data += table_part_of(desc, i);
    }
}

hm_status hm_table_place_columns(hm_table *table, const hm_table_desc *desc, const hm_array *space)
{
    hm_status status = hm_array_commit(&table->record_array, table->record_array.capacity, false);
    if (status != HM_OK)
        return status;
    table->columns = hm_array_data(&table->record_array);
    table->column_count = desc->column_count;
    table->arrays = (hm_array *)(void *)(table->columns + desc->column_count);
    table->array_count = table_arrays_of(desc);
    table->lanes = desc->lanes;
    table->lane_shift = hm_bits_lowest(table_lanes_of_group(desc));
    size_t group_size = desc->lanes != 0 ? table_lay_out(desc, NULL, NULL) : 0;
    for (uint32_t c = table->column_count; c-- > 0;) {
        hm_cells *column = &table->columns[c];
        column->size = desc->columns[c].size;
        column->stride = desc->lanes != 0 ? group_size : column->size;
        column->run = 1;
        if (c + 1 < table->column_count && column[1].size == column->size)
            column->run += column[1].run;
    }
    table_place_arrays(table, desc, hm_array_data(space));
    if (desc->lanes != 0)
        table_lay_out(desc, table->columns, table->columns[0].base);
    return HM_OK;
}

void hm_table_release_columns(hm_table *table)
{
    for (uint32_t i = 0; i < table->array_count; i++)
        hm_array_fini(&table->arrays[i]);
    hm_array_fini(&table->record_array);
}

/* Returns the bytes of an array that `rows` rows need. */
static size_t table_bytes_of(const hm_table *table, uint32_t index, uint32_t rows)
{
    const hm_cells *column = &table->columns[index];
    if (rows == 0)
        return 0;
    size_t skew = (size_t)(column->base - table->arrays[index].data);
    return skew + column->stride * hm_table_groups(table, rows);
}

/* Finds out for how many rows all columns are committed. */
static void table_count_committed(hm_table *table)
{
    uint64_t least = table->ids.slot_array.capacity;
    for (uint32_t i = 0; i < table->array_count; i++) {
        const hm_cells *column = &table->columns[i];
        size_t skew = (size_t)(column->base - table->arrays[i].data);
        size_t size = table->arrays[i].limit;
        uint64_t groups = size > skew ? (size - skew) / column->stride : 0;
        if (least > groups << table->lane_shift)
            least = groups << table->lane_shift;
    }
    table->committed = (uint32_t)least;
}

hm_status hm_table_commit_columns(hm_table *table, uint32_t count, bool grows)
{
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < table->array_count && status == HM_OK; i++)
        status = hm_array_prepare(&table->arrays[i], table_bytes_of(table, i, count), grows);
    table_count_committed(table);
    return status;
}

hm_status hm_table_trim_columns(hm_table *table)
{
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < table->array_count && status == HM_OK; i++) {
        table->arrays[i].count = table_bytes_of(table, i, table->ids.count);
        status = hm_array_trim(&table->arrays[i]);
    }
    table_count_committed(table);
    return status;
}

bool hm_table_columns_are_valid(const hm_table *table)
{
    for (uint32_t i = 0; i < table->array_count; i++)
        if (table->arrays[i].data == NULL ||
            table_bytes_of(table, i, table->committed) > table->arrays[i].limit)
            return false;
    for (uint32_t c = table->array_count; c < table->column_count; c++)
        if ((size_t)(table->columns[c].base - table->columns[0].base) >= table->columns[0].stride)
            return false;
    return true;
}

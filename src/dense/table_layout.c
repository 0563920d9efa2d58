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
#include "dense_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
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
    return desc->capacity != 0 ? desc->capacity : 1; /* Without one it must have space for a row. */
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
        return hm_fail(HM_ERROR_INVALID, "a group of %" HM_U32 " lanes is above %u bytes",
                       desc->lanes, HM_TABLE_MAX_GROUP_SIZE);
    return table_check_size(desc, stride);
}

/* Tells again why a column is refused, and which. */
static hm_status table_refuse_column(const hm_table_desc *desc, uint32_t index)
{
    const hm_column *column = &desc->columns[index];
    char what[64];
    (void)hm_format(what, sizeof what, "column %" HM_U32 " (%.32s): ", index,
                    column->name != NULL ? column->name : "no name");
    hm_restore_last_error();
    return hm_array_check_layout(column->size, column->align, what);
}

hm_status hm_table_check_columns(const hm_table_desc *desc)
{
    if (desc->columns == NULL)
        return hm_fail(HM_ERROR_INVALID, "columns is NULL");
    if (desc->column_count == 0)
        return hm_fail(HM_ERROR_INVALID, "column_count is 0");
    if (desc->column_count > HM_TABLE_MAX_COLUMNS)
        return hm_fail(HM_ERROR_INVALID, "column_count %" HM_U32 " is above %u", desc->column_count,
                       HM_TABLE_MAX_COLUMNS);
    hm_status status = hm_memory_check(table_memory_of(desc));
    for (uint32_t c = 0; c < desc->column_count && status == HM_OK; c++) {
        const hm_column *column = &desc->columns[c];
        if (hm_array_check_layout(column->size, column->align, "") != HM_OK)
            return table_refuse_column(desc, c);
        if (desc->lanes == 0)
            status = table_check_size(desc, column->size);
    }
    return status == HM_OK ? table_check_lanes(desc) : status;
}

static uint32_t table_arrays_of(const hm_table_desc *desc)
{
    return desc->lanes == 0 ? desc->column_count : 1;
}

/* Returns the bytes of an array but for its skew; at most half of what there can be. Neither a
 * stride nor the number of groups has more than 32 bits. */
static size_t table_cells_size_of(const hm_table_space *space, uint32_t index)
{
    uint64_t stride = space->desc.lanes == 0 ? space->desc.columns[index].size : space->group_size;
    uint64_t size = stride * space->groups;
    return size < SIZE_MAX / 2 ? (size_t)size : SIZE_MAX / 2;
}

/* Where an array lies in the space; all in bytes. */
typedef struct table_place {
    size_t begin;
    size_t skew; /* how far behind its start the cells begin */
    size_t size; /* the skew included */
    size_t end;  /* where the next array may begin; SIZE_MAX: this one does not fit in size_t */
} table_place;

/* Chooses the place of an array that begins at or behind `end`. Its unit keeps its alignment, and
 * that of the next one. */
static table_place table_put(const hm_table_space *space, uint32_t index, size_t end)
{
    const hm_table_desc *desc = &space->desc;
    table_place place = {.size = table_cells_size_of(space, index), .end = SIZE_MAX};
    size_t page_size = desc->memory->page_size,
           unit = space->moves_to_grow ? HM_ARRAY_LINE : page_size;
    if (!space->moves_to_grow ||
        hm_array_has_pages(hm_memory_round_up(place.size, HM_ARRAY_LINE), desc->memory)) {
        unit = unit < page_size ? page_size : unit;
        if (desc->lanes == 0)
            place.skew = (size_t)index * TABLE_LINE % HM_MEMORY_ALIGNMENT &
                         ~(table_align_of(&desc->columns[index], 1) - 1);
        place.size += place.skew;
    }
    unit = unit > space->align ? unit : space->align;
    if (end > SIZE_MAX / 4 || place.size > SIZE_MAX / 4)
        return place;
    place.begin = hm_memory_round_up(end, unit);
    place.end = hm_memory_round_up(place.begin + place.size, unit);
    return place;
}

/* Returns the bytes of the space for these rows, for which it is laid out from then on. */
static size_t table_space_for(void *owner, size_t rows)
{
    hm_table_space *space = owner;
    uint32_t lanes = table_lanes_of_group(&space->desc);
    size_t end = 0;
    space->groups = (uint32_t)(((uint64_t)rows + lanes - 1) >> hm_bits_lowest(lanes));
    for (uint32_t i = 0; i < table_arrays_of(&space->desc); i++)
        end = table_put(space, i, end).end;
    return end;
}

static void table_transfer(void *owner);

static const hm_array_parts table_parts = {table_space_for, table_transfer};

static void table_list(hm_table_space *space, hm_array_column *columns)
{
    const hm_table_desc *desc = &space->desc;
    size_t records = sizeof(hm_cells) * desc->column_count;
    space->align = table_most_align_of(desc);
    space->group_size = desc->lanes != 0 ? table_lay_out(desc, NULL, NULL) : 0;
    records += sizeof(hm_array) * table_arrays_of(desc);
    if (space->moves_to_grow)
        records += sizeof(hm_column) * desc->column_count;
    columns[0] =
        (hm_array_column){.array = &space->table->record_array, .desc = {1, 0, records, 1, NULL}};
    columns[1] = (hm_array_column){.array = &space->array,
                                   .desc = {1, space->align, 0, 0, NULL},
                                   .parts = &table_parts,
                                   .owner = space};
}

void hm_table_list_arrays(hm_table *table, const hm_table_desc *desc, hm_table_space *space,
                          hm_array_column *columns)
{
    space->table = table;
    space->desc = *desc;
    space->moves_to_grow = desc->capacity == 0;
    space->array = (hm_array){0};
    space->values = NULL;
    space->desc.memory = table_memory_of(desc);
    table_list(space, columns);
}

/* Reads where the records are. */
static void table_read_records(hm_table *table)
{
    table->columns = hm_array_data(&table->record_array);
    table->arrays = (hm_array *)(void *)(table->columns + table->column_count);
}

static hm_column *table_described(const hm_table *table)
{
    return (hm_column *)(void *)(table->arrays + table->array_count);
}

void hm_table_list_moved(hm_table *table, const void **values, hm_table_space *space,
                         hm_array_column *columns)
{
    const hm_array *last = &table->arrays[table->array_count - 1];
    *space = (hm_table_space){.table = table, .moves_to_grow = true, .values = values};
    space->desc.columns = table_described(table);
    space->desc.column_count = table->column_count;
    space->desc.lanes = table->lanes;
    space->desc.memory = table->record_array.memory;
    space->array = table->arrays[0];
    space->array.committed_size = (size_t)(last->data - space->array.data) + last->committed_size;
    table_list(space, columns);
    columns[0].used = columns[0].desc.capacity;
}

/* Places an array, and returns where the next one may begin. */
static size_t table_place_array(const hm_table_space *space, uint32_t index, size_t end)
{
    hm_table *table = space->table;
    const table_place place = table_put(space, index, end);
    unsigned char *data = space->array.data + place.begin;
    hm_array_column column = {.array = &table->arrays[index],
                              .desc = {1, space->align, place.size, 0, space->desc.memory},
                              .used = place.skew,
                              .is_visible = true};
    if (table->ids.count != 0)
        column.used += table->columns[index].stride * hm_table_groups(table, table->ids.count);
    if (space->moves_to_grow)
        hm_array_place_whole(&column, data);
    else
        hm_array_place(&column, data);
    table->columns[index].base = data + place.skew;
    return place.end;
}

/* The old skew is kept only where both places have pages. */
static void table_transfer_array(const hm_table_space *space, uint32_t index,
                                 const hm_array *before, const unsigned char *cells)
{
    hm_table *table = space->table;
    hm_array *array = &table->arrays[index];
    const hm_cells *column = &table->columns[index];
    size_t old_skew = (size_t)(cells - before->data), skew = (size_t)(column->base - array->data);
    size_t size = column->stride * hm_table_groups(table, table->ids.count);
    array->limit = before->limit - old_skew + skew;
    if (array->limit > array->capacity)
        array->limit = array->capacity;
    if (skew == old_skew)
        hm_array_transfer(before, array, skew + size);
    else
        memcpy(column->base, cells, size);
    for (uint32_t c = 0; space->values != NULL && c < table->column_count; c++)
        space->values[c] = hm_array_translate(space->values[c], cells, size, column->base);
}

static void table_transfer(void *owner)
{
    hm_table_space *space = owner;
    hm_table *table = space->table;
    table_read_records(table);
    space->desc.columns = table_described(table);
    size_t end = 0;
    for (uint32_t i = 0; i < table->array_count; i++) {
        const hm_array before = table->arrays[i];
        const unsigned char *cells = table->columns[i].base;
        end = table_place_array(space, i, end);
        table_transfer_array(space, i, &before, cells);
    }
    if (table->lanes != 0)
        table_lay_out(&space->desc, table->columns, table->columns[0].base);
}

/* Writes what the records say for good, whatever moves. */
static void table_describe(const hm_table_space *space)
{
    const hm_table_desc *desc = &space->desc;
    hm_table *table = space->table;
    for (uint32_t c = table->column_count; c-- > 0;) {
        hm_cells *column = &table->columns[c];
        column->size = desc->columns[c].size;
        column->stride = desc->lanes != 0 ? space->group_size : column->size;
        column->run = 1;
        if (c + 1 < table->column_count && column[1].size == column->size)
            column->run += column[1].run;
        if (space->moves_to_grow)
            table_described(table)[c] = (hm_column){column->size, desc->columns[c].align, NULL};
    }
}

hm_status hm_table_place_columns(hm_table_space *space)
{
    hm_table *table = space->table;
    const hm_table_desc *desc = &space->desc;
    hm_status status = hm_array_commit(&table->record_array, table->record_array.capacity, false);
    if (status != HM_OK)
        return status;
    table->column_count = desc->column_count;
    table->array_count = table_arrays_of(desc);
    table_read_records(table);
    table->lanes = desc->lanes;
    table->lane_shift = hm_bits_lowest(table_lanes_of_group(desc));
    table_describe(space);
    size_t end = 0;
    for (uint32_t i = 0; i < table->array_count; i++) {
        end = table_place_array(space, i, end);
        if (space->moves_to_grow)
            table->arrays[i].limit = table->arrays[i].capacity;
    }
    if (desc->lanes != 0)
        table_lay_out(desc, table->columns, table->columns[0].base);
    hm_table_count_committed(table);
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

void hm_table_count_committed(hm_table *table)
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
    if (count <= table->committed)
        return HM_OK;
    for (uint32_t i = 0; i < table->array_count && status == HM_OK; i++)
        status = hm_array_prepare(&table->arrays[i], table_bytes_of(table, i, count), grows);
    hm_table_count_committed(table);
    return status;
}

hm_status hm_table_trim_columns(hm_table *table)
{
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < table->array_count && status == HM_OK; i++) {
        table->arrays[i].count = table_bytes_of(table, i, hm_id_table_taken(&table->ids));
        status = hm_array_trim(&table->arrays[i]);
    }
    hm_table_count_committed(table);
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

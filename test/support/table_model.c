/* SPDX-License-Identifier: MIT */
/* The dense model of a table: what its cells are, and where. */
#include "table_model.h"

#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_CELL = 64,       /* bytes of the largest cell */
    MODEL_COLUMN_STEP = 64 /* between the values of a row's cells */
};

static const uint32_t lanes[TABLE_MODEL_LAYOUTS] = {0, 1, 2, 8, 16, 64};

typedef struct column_set {
    uint32_t count;
    hm_column columns[DENSE_MODEL_COLUMNS];
} column_set;

static const column_set column_sets[] = {
    {1, {{8, 0, "x"}}},
    {1, {{1, 0, "x"}}},
    {2, {{4, 0, "x"}, {12, 4, "y"}}},
    {5, {{1, 0, "a"}, {3, 0, "b"}, {12, 4, "c"}, {24, 8, "d"}, {40, 8, "e"}}},
    {5, {{2, 1, "a"}, {64, 64, "b"}, {1, 1, "c"}, {32, 32, "d"}, {16, 16, "e"}}},
    {10,
     {{8, 0, "a"},
      {4, 0, "b"},
      {2, 0, "c"},
      {1, 0, "d"},
      {16, 0, "e"},
      {12, 0, "f"},
      {3, 0, "g"},
      {24, 0, "h"},
      {5, 0, "i"},
      {40, 0, "j"}}},
};

enum { COLUMN_SETS = sizeof column_sets / sizeof *column_sets };

/* cells */

static size_t size_of(const dense_model *model, uint32_t column)
{
    return model->columns[column].size;
}

static void fill_cell(const dense_model *model, void *cell, uint32_t column, uint64_t value)
{
    test_item_fill(cell, size_of(model, column), value + MODEL_COLUMN_STEP * column);
}

static bool cell_holds(const dense_model *model, const dense_slot *record, uint32_t column,
                       const void *cell)
{
    if ((record->zeros >> column & 1) != 0)
        return test_bytes_are(cell, size_of(model, column), 0);
    return test_item_is(cell, size_of(model, column), record->value + MODEL_COLUMN_STEP * column);
}

/* Where a cell must be, from the address that row 0 had at first, or has now in a table that moves.
 */
static const unsigned char *place_of(const dense_model *model, uint32_t column, uint32_t row)
{
    const unsigned char *first = model->places[column];
    if (model->table_desc.capacity == 0)
        first = hm_table_cell(&model->table, 0, column);
    uint32_t width = model->table_desc.lanes;
    if (width == 0)
        return first + size_of(model, column) * row;
    const unsigned char *group = hm_table_group(&model->table, row / width, column);
    CHECK(group != NULL && (row >= width || group == first));
    return group + size_of(model, column) * (row % width);
}

static const void *item_at(const dense_model *model, uint32_t row)
{
    return hm_table_cell(&model->table, row, model->column);
}

static size_t item_size(const dense_model *model)
{
    return size_of(model, model->column);
}

static uint32_t index_of(const dense_model *model, hm_handle handle)
{
    return hm_table_row(&model->table, handle);
}

static hm_handle handle_of(const dense_model *model, const void *item)
{
    return hm_table_handle_of(&model->table, item, model->column);
}

static bool holds(const dense_model *model, const dense_slot *record, uint32_t row)
{
    for (uint32_t c = 0; c < model->table_desc.column_count; c++) {
        const void *cell = hm_table_cell(&model->table, row, c);
        if (cell == NULL || cell != place_of(model, c, row) || !cell_holds(model, record, c, cell))
            return false;
    }
    return true;
}

static void write(dense_model *model, const dense_slot *record, uint32_t row)
{
    for (uint32_t c = 0; c < model->table_desc.column_count; c++)
        fill_cell(model, hm_table_cell(&model->table, row, c), c, record->value);
}

/* calls */

static void destroyed(const hm_table *table, uint32_t row, void *context)
{
    dense_model *model = context;
    if (test_reload_counts_row(table, row))
        return;
    CHECK(table == &model->table);
    dense_model_destroyed(model, row);
}

static bool is_doomed(const hm_table *table, uint32_t row, void *context)
{
    dense_model *model = context;
    CHECK(table == &model->table);
    return dense_model_is_doomed(model, row);
}

/* Where the first row's cells are is known once there is one. */
static void note_places(dense_model *model)
{
    for (uint32_t c = 0; c < model->table_desc.column_count; c++)
        if (model->places[c] == NULL)
            model->places[c] = hm_table_cell(&model->table, 0, c);
}

static hm_handle insert(dense_model *model, dense_way way, uint32_t zeros, uint64_t value)
{
    static unsigned char cells[DENSE_MODEL_COLUMNS][MODEL_CELL];
    const void *values[DENSE_MODEL_COLUMNS];
    uint32_t row = 7, columns = model->table_desc.column_count;
    hm_handle handle;
    for (uint32_t c = 0; c < columns; c++) {
        fill_cell(model, cells[c], c, value);
        values[c] = (zeros >> c & 1) != 0 ? NULL : cells[c];
    }
    if (way == DENSE_EMPLACE) {
        handle = hm_table_emplace(&model->table, &row);
        CHECK(row == (hm_handle_is_null(handle) ? HM_INVALID_INDEX : model->count));
    } else if (way == DENSE_ADOPT) {
        model->adopted = hm_table_adopt(&model->table, model->adoptee, values);
        handle = model->adopted == HM_OK ? model->adoptee : HM_NULL_HANDLE;
    } else {
        handle = hm_table_insert(&model->table, way == DENSE_ZERO ? NULL : values);
    }
    for (uint32_t c = 0; c < columns && way == DENSE_EMPLACE && row != HM_INVALID_INDEX; c++)
        memcpy(hm_table_cell(&model->table, row, c), cells[c], size_of(model, c));
    note_places(model);
    return handle;
}

static hm_status insert_n(dense_model *model, uint32_t n, uint32_t zeros, const uint64_t *values,
                          hm_handle *handles)
{
    static unsigned char cells[DENSE_MODEL_COLUMNS][DENSE_MODEL_BATCH * MODEL_CELL];
    const void *columns[DENSE_MODEL_COLUMNS];
    for (uint32_t c = 0; c < model->table_desc.column_count; c++) {
        columns[c] = (zeros >> c & 1) != 0 ? NULL : cells[c];
        for (uint32_t i = 0; i < n && columns[c] != NULL; i++)
            fill_cell(model, cells[c] + size_of(model, c) * i, c, values[i]);
    }
    hm_status status =
        hm_table_insert_n(&model->table, zeros == UINT32_MAX ? NULL : columns, n, handles);
    note_places(model);
    return status;
}

static uint32_t erase_if(dense_model *model)
{
    return hm_table_erase_if(&model->table, is_doomed, model);
}

static hm_progress defragment(dense_model *model, const hm_order *order, hm_frame_budget *budget)
{
    return hm_table_defragment(&model->table, model->column, order, budget);
}

static uint32_t bound(const dense_model *model, bool upper, const hm_order *order)
{
    return upper ? hm_table_upper_bound(&model->table, model->column, order, model->probe)
                 : hm_table_lower_bound(&model->table, model->column, order, model->probe);
}

static void probe(const dense_model *model, hm_handle handle, uint32_t row)
{
    const hm_table *table = &model->table;
    uint32_t found = 7, columns = model->table_desc.column_count;
    CHECK(hm_table_row_n(table, &handle, 1, &found) == (row != HM_INVALID_INDEX) && found == row);
    for (uint32_t c = 0; c <= columns; c++) {
        void *cell = &found;
        bool is_there = row != HM_INVALID_INDEX && c < columns;
        CHECK(hm_table_get_n(table, &handle, 1, c, &cell) == (is_there ? 1u : 0u));
        CHECK(cell == hm_table_get(table, handle, c));
        CHECK(cell == (is_there ? place_of(model, c, row) : NULL));
    }
}

/* Probes an address in a column: of a row, which may be past the last one, and near it. */
static void probe_address(const dense_model *model, uint32_t column, uint32_t row, uint32_t offset)
{
    size_t size = size_of(model, column);
    uint32_t known = row % model->count;
    const unsigned char *cell = place_of(model, column, known);
    hm_handle inside = hm_table_handle_of(&model->table, cell + offset % size, column);
    CHECK(hm_handle_equal(inside, model->dense[known]));
    uintptr_t any = (uintptr_t)cell + offset - 4096;
    hm_handle near = hm_table_handle_of(&model->table, (const void *)any, column);
    uint32_t of = dense_model_position(model, near);
    CHECK(hm_handle_is_null(near) || of != HM_INVALID_INDEX);
    if (of != HM_INVALID_INDEX)
        CHECK(any - (uintptr_t)place_of(model, column, of) < size);
}

/* The lanes past the last row, in the last group. */
static void check(const dense_model *model, uint32_t random)
{
    uint32_t width = model->table_desc.lanes, groups = hm_table_group_count(&model->table);
    CHECK(groups == (width != 0 ? (model->count + width - 1) / width : 0));
    CHECK(hm_table_cell(&model->table, model->count, 0) == NULL);
    if (model->count != 0)
        probe_address(model, random % model->table_desc.column_count, random >> 16,
                      random >> 8 & 8191);
    if (groups == 0 || model->count % width == 0)
        return;
    uint32_t used = model->count % width;
    for (uint32_t c = 0; c < model->table_desc.column_count; c++) {
        const unsigned char *cells = hm_table_group(&model->table, groups - 1, c);
        size_t size = size_of(model, c);
        test_memory_check_committed(&model->memory, cells, size * width);
        CHECK(test_bytes_are(cells + size * used, size * (width - used), 0));
    }
}

static void check_busy(dense_model *model)
{
    uint32_t row = 0;
    CHECK(hm_handle_is_null(hm_table_emplace(&model->table, &row)) && row == HM_INVALID_INDEX);
    CHECK(hm_table_erase_if(&model->table, is_doomed, NULL) == 0);
}

static const dense_kind table_kind = {
    .insert = insert,
    .insert_n = insert_n,
    .erase_if = erase_if,
    .defragment = defragment,
    .bound = bound,
    .index_of = index_of,
    .handle_of = handle_of,
    .item_at = item_at,
    .item_size = item_size,
    .holds = holds,
    .write = write,
    .probe = probe,
    .check = check,
    .check_busy = check_busy,
};

hm_status table_model_init(dense_model *model, const hm_table_desc *desc, size_t page_size,
                           bool destroy)
{
    uint32_t most = desc->capacity != 0 ? desc->capacity : desc->max_slots;
    dense_model_init(model, &table_kind, most, desc->max_slots, desc->type_id, page_size);
    model->is_table = true;
    model->has_destroy = destroy;
    memcpy(model->columns, desc->columns, sizeof *desc->columns * desc->column_count);
    model->table_desc = *desc;
    model->table_desc.columns = model->columns;
    model->table_desc.destroy = destroy ? destroyed : NULL;
    model->table_desc.context = model;
    model->table_desc.memory = &model->memory.table;
    return hm_table_init(&model->table, &model->table_desc);
}

/* Arguments: page and column set; shape; layout and type id. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t capacities[] = {1, 2, 15, 16, 40, 64, 130, 300};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    dense_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    const column_set *set = &column_sets[arguments[0] % COLUMN_SETS];
    size_t page_size = hm_memory_os()->page_size << arguments[0] / COLUMN_SETS % 3 * 2;
    hm_table_desc desc = {
        .columns = set->columns,
        .column_count = set->count,
        .lanes = lanes[arguments[2] % TABLE_MODEL_LAYOUTS],
        .capacity = capacities[arguments[1] % 8],
        .type_id = (uint16_t)(arguments[2] / TABLE_MODEL_LAYOUTS & HM_HANDLE_MAX_TYPE_ID)};
    if (arguments[1] / 40 % 16 == 15)
        desc.capacity = DENSE_MODEL_ITEMS;
    desc.max_slots = desc.capacity + spares[arguments[1] / 8 % 5];
    if (arguments[1] / 1280 % 2 == 1 && desc.max_slots <= DENSE_MODEL_ITEMS)
        desc.capacity = 0; /* It has no limit but its slots, and moves as it grows. */
    CHECK(table_model_init(model, &desc, page_size, arguments[1] / 640 % 2 != 0) == HM_OK);
    return model;
}

/* hostile handles and addresses */

/* A slot's entry, which has the free bit if its slot is free, beside any bits. */
static void hostile(void *state, const uint32_t arguments[3])
{
    const hm_id_table *ids = &((dense_model *)state)->table.ids;
    uint32_t slot = ids->slot_count != 0 ? arguments[0] / 4 % ids->slot_count : 0;
    uint64_t entry = ids->slot_count != 0 ? ids->entries[slot].bits >> 32 : 0;
    hm_handle named = hm_handle_from_bits(entry << 32 | slot);
    dense_model_refuse(state, test_hostile_handle(named, arguments));
}

/* Returns the handle of the row whose cell in this column has this byte. */
static hm_handle row_of(const dense_model *model, uint32_t column, uintptr_t address)
{
    for (uint32_t row = 0; row < model->count; row++)
        if (address - (uintptr_t)place_of(model, column, row) < size_of(model, column))
            return model->dense[row];
    return HM_NULL_HANDLE;
}

/* An address near a cell, of this column or another, or any 48 bits. */
static void hostile_address(void *state, const uint32_t arguments[3])
{
    const dense_model *model = state;
    uint32_t columns = model->table_desc.column_count;
    uint32_t column = arguments[0] / 8 % (columns + 1), other = arguments[0] / 128 % columns;
    const void *near = NULL;
    if (model->count != 0)
        near = place_of(model, other, arguments[1] % model->count);
    uintptr_t address = test_hostile_address(near, size_of(model, other), arguments);
    hm_handle owner = column < columns ? row_of(model, column, address) : HM_NULL_HANDLE;
    CHECK(hm_handle_equal(hm_table_handle_of(&model->table, (const void *)address, column), owner));
}

static const test_operation operations[] = {
    DENSE_ROW(insert, 250),     DENSE_ROW(insert_n, 25),
    DENSE_ROW(insert_burst, 6), DENSE_ROW(reserve, 10),
    DENSE_ROW(erase, 200),      DENSE_ROW(erase_n, 15),
    DENSE_ROW(erase_if, 8),     DENSE_ROW(clear, 4),
    DENSE_ROW(trim, 12),        DENSE_ROW(edit, 60),
    DENSE_ROW(probe, 40),       DENSE_ROW(defragment, 65),
    DENSE_ROW(touch, 5),        DENSE_ROW(arrange, 30),
    DENSE_ROW(erase_set, 5),    DENSE_ROW(touch_all, 4),
    DENSE_ROW(age, 6),          DENSE_ROW(refuse, 50),
    {"hostile", 30, hostile},   {"hostile_address", 30, hostile_address},
    DENSE_ROW(lie, 4),          DENSE_ROW(adopt, 40),
    DENSE_ROW(reload, 10),
};

TEST_SUBJECT(table_subject, "table", operations, begin, dense_model_check, dense_model_end);

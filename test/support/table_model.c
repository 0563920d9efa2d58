/* SPDX-License-Identifier: MIT */
/* The naive model of the table: each operation on both sides, and the comparison of the two. */
#include "table_model.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_BATCH = 80,     /* rows of insert_n, and handles of erase_n */
    MODEL_SAMPLE = 16,    /* callbacks to a validate from inside one */
    MODEL_CALLS = 100000, /* to finish an order with budgets */
    MODEL_CELL = 64       /* bytes of the largest cell */
};

static const uint32_t lanes[TABLE_MODEL_LAYOUTS] = {0, 1, 2, 8, 16, 64};

typedef struct column_set {
    uint32_t count;
    hm_column columns[TABLE_MODEL_COLUMNS];
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

static size_t size_of(const table_model *model, uint32_t column)
{
    return model->desc.columns[column].size;
}

table_model_slot *table_model_find(const table_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (hm_handle_is_free(handle) || hm_handle_type_id(handle) != model->desc.type_id ||
        slot >= model->desc.max_slots)
        return NULL;
    table_model_slot *record = &model->slots[slot];
    return record->is_live && record->generation == hm_handle_generation(handle) ? record : NULL;
}

static uint32_t row_of(const table_model *model, hm_handle handle)
{
    uint32_t row = 0;
    while (row < model->count && !hm_handle_equal(model->rows[row], handle))
        row++;
    return row < model->count ? row : HM_INVALID_INDEX;
}

static uint32_t room(const table_model *model)
{
    uint32_t rows = model->desc.capacity - model->count;
    uint32_t slots = model->desc.max_slots - model->count - model->spent;
    return rows < slots ? rows : slots;
}

/* Returns a handle to try: live (kind 0 to 7), erased, null, damaged, guessed, foreign or noise. */
static hm_handle pick(const table_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < TABLE_MODEL_PAST ? model->past_count : TABLE_MODEL_PAST;
    uint64_t bits = (uint64_t)which << 32 | noise;
    const hm_id_table *ids = &model->table.ids;
    hm_handle live = model->count != 0 ? model->rows[which % model->count] : HM_NULL_HANDLE;
    switch (kind % 16) {
    case 8:
    case 9:
    case 10:
        return known != 0 ? model->past[which % known] : live;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 13:
        return hm_handle_pack(which % (ids->slot_count + 2), noise % 8, model->desc.type_id);
    case 14: /* an entry, which has the free bit if its slot is retired */
        return ids->slot_count != 0 ? ids->entries[which % ids->slot_count] : live;
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

static void fill_cell(const table_model *model, void *cell, uint32_t column, uint64_t value)
{
    test_item_fill(cell, size_of(model, column), value + column);
}

static bool cell_holds(const table_model *model, const table_model_slot *record, uint32_t column,
                       const void *cell)
{
    if ((record->zeros >> column & 1) != 0)
        return test_bytes_are(cell, size_of(model, column), 0);
    return test_item_is(cell, size_of(model, column), record->values[column] + column);
}

/* Where a cell must be, from the address that row 0 had at first. */
static const unsigned char *place_of(const table_model *model, uint32_t column, uint32_t row)
{
    const unsigned char *first = model->places[column];
    uint32_t width = model->desc.lanes;
    if (width == 0)
        return first + size_of(model, column) * row;
    const unsigned char *group = hm_table_group(&model->table, row / width, column);
    CHECK(group != NULL && (row >= width || group == first));
    return group + size_of(model, column) * (row % width);
}

static void check_row(const table_model *model, uint32_t row)
{
    hm_handle handle = model->rows[row];
    const table_model_slot *record = table_model_find(model, handle);
    CHECK(record != NULL && hm_handle_equal(hm_table_handle_at(&model->table, row), handle));
    CHECK(hm_table_row(&model->table, handle) == row);
    for (uint32_t c = 0; c < model->desc.column_count; c++) {
        const unsigned char *cell = hm_table_cell(&model->table, row, c);
        CHECK(cell == place_of(model, c, row) && cell_holds(model, record, c, cell));
        CHECK(hm_table_get(&model->table, handle, c) == cell);
    }
}

/* The lanes past the last row, in the last group. */
static void check_lanes(const table_model *model)
{
    uint32_t width = model->desc.lanes, groups = hm_table_group_count(&model->table);
    CHECK(groups == (width != 0 ? (model->count + width - 1) / width : 0));
    if (groups == 0 || model->count % width == 0)
        return;
    uint32_t used = model->count % width;
    for (uint32_t c = 0; c < model->desc.column_count; c++) {
        const unsigned char *cells = hm_table_group(&model->table, groups - 1, c);
        size_t size = size_of(model, c);
        test_memory_check_committed(&model->memory, cells, size * width);
        CHECK(test_bytes_are(cells + size * used, size * (width - used), 0));
    }
}

static hm_handle_state explanation(const table_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != model->desc.type_id)
        return HM_HANDLE_FOREIGN;
    if (slot >= model->desc.max_slots || model->slots[slot].generation == 0)
        return HM_HANDLE_OUT_OF_RANGE;
    if (table_model_find(model, handle) != NULL)
        return HM_HANDLE_LIVE;
    return generation <= model->slots[slot].generation ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

void table_model_probe(const table_model *model, hm_handle handle)
{
    const hm_table *table = &model->table;
    bool is_live = table_model_find(model, handle) != NULL, answer = !is_live;
    uint32_t row = is_live ? row_of(model, handle) : HM_INVALID_INDEX, found = 7;
    hm_handle_state state = hm_table_explain(table, handle), expected = explanation(model, handle);
    CHECK(hm_table_row(table, handle) == row && hm_table_contains(table, handle) == is_live);
    CHECK(hm_table_row_n(table, &handle, 1, &found) == (is_live ? 1u : 0u) && found == row);
    CHECK(hm_table_contains_n(table, &handle, 1, &answer) == (is_live ? 1u : 0u));
    CHECK(answer == is_live && (state == HM_HANDLE_LIVE) == is_live);
    CHECK((hm_table_get(table, handle, 0) != NULL) == is_live);
    for (uint32_t c = 0; c <= model->desc.column_count; c++) {
        void *cell = &found;
        uint32_t cells = hm_table_get_n(table, &handle, 1, c, &cell);
        CHECK(cell == hm_table_get(table, handle, c) && cells == (cell != NULL ? 1u : 0u));
        CHECK((cell != NULL) == (is_live && c < model->desc.column_count));
    }
    /* When a spent slot retires, and how coarse a trim's floors are, is up to the table. */
    CHECK(state == expected || (expected == HM_HANDLE_STALE && state == HM_HANDLE_RETIRED) ||
          (expected == HM_HANDLE_FORGED && model->trimmed && state == HM_HANDLE_STALE));
}

/* Probes an address in a column: of a row, which may be past the last one, and near it. */
static void probe_address(const table_model *model, uint32_t column, uint32_t row, uint32_t offset)
{
    if (model->count == 0)
        return;
    size_t size = size_of(model, column);
    uint32_t known = row % model->count;
    const unsigned char *cell = place_of(model, column, known);
    hm_handle inside = hm_table_handle_of(&model->table, cell + offset % size, column);
    CHECK(hm_handle_equal(inside, model->rows[known]));
    uintptr_t any = (uintptr_t)cell + offset - 4096;
    hm_handle near = hm_table_handle_of(&model->table, (const void *)any, column);
    uint32_t of = row_of(model, near);
    CHECK(hm_handle_is_null(near) || of != HM_INVALID_INDEX);
    if (of != HM_INVALID_INDEX)
        CHECK(any - (uintptr_t)place_of(model, column, of) < size);
}

static void check_table(void *state)
{
    table_model *model = state;
    uint64_t random = ++model->tick;
    CHECK(hm_table_validate(&model->table) == HM_OK);
    CHECK(hm_table_count(&model->table) == model->count);
    for (uint32_t row = 0; row < model->count; row++)
        check_row(model, row);
    CHECK(hm_handle_is_null(hm_table_handle_at(&model->table, model->count)));
    CHECK(hm_table_cell(&model->table, model->count, 0) == NULL);
    check_lanes(model);
    hm_table_stats stats = hm_table_get_stats(&model->table);
    CHECK(stats.count == model->count && stats.capacity == model->desc.capacity);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
    uint32_t kind = (uint32_t)test_random(&random), which = (uint32_t)test_random(&random);
    table_model_probe(model, pick(model, kind, which, (uint32_t)test_random(&random)));
    probe_address(model, kind % model->desc.column_count, which, kind >> 8 & 8191);
    table_model_check_searches(model, (uint32_t)test_random(&random));
    if (!model->refuses)
        test_memory_fail(&model->memory, 0, false);
    model->refuses = false;
}

bool table_model_holds(const table_model *model, hm_handle handle)
{
    const table_model_slot *record = table_model_find(model, handle);
    bool holds = record != NULL;
    for (uint32_t c = 0; c < model->desc.column_count && holds; c++)
        holds = cell_holds(model, record, c, hm_table_get(&model->table, handle, c));
    return holds;
}

void table_model_in_callback(table_model *model)
{
    uint32_t row = 0;
    if (++model->asked % MODEL_SAMPLE != 0)
        return;
    CHECK(hm_table_validate(&model->table) == HM_OK);
    CHECK(hm_handle_is_null(hm_table_emplace(&model->table, &row)) && row == HM_INVALID_INDEX);
    CHECK(hm_table_reserve(&model->table, 1) == HM_ERROR_BUSY);
    CHECK(!hm_table_erase(&model->table, hm_table_handle_at(&model->table, 0)));
}

/* The row is whole, and names itself. */
static void on_destroy(const hm_table *table, uint32_t row, void *context)
{
    table_model *model = context;
    hm_handle handle = hm_table_handle_at(table, row);
    uint32_t asked = model->asked;
    CHECK(table == &model->table && table_model_holds(model, handle));
    CHECK(!model->from_the_back || row == hm_table_count(table) - 1);
    table_model_find(model, handle)->destroyed++;
    model->asked = hm_handle_index(handle);
    table_model_in_callback(model);
    model->asked = asked; /* It counts other callbacks. */
}

static void note_erase(table_model *model, hm_handle handle)
{
    table_model_slot *record = table_model_find(model, handle);
    CHECK(record != NULL && record->destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    record->destroyed = 0;
    record->is_live = false;
    model->spent += record->generation == HM_HANDLE_MAX_GENERATION;
    model->past[model->past_count++ % TABLE_MODEL_PAST] = handle;
}

/* The operations. */

/* Arguments: page and column set; shape; layout and type id. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t capacities[] = {1, 2, 15, 16, 40, 64, 130, 300};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    table_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    const column_set *set = &column_sets[arguments[0] % COLUMN_SETS];
    size_t page_size = hm_memory_os()->page_size << arguments[0] / COLUMN_SETS % 3 * 2;
    test_memory_init(&model->memory, page_size);
    memcpy(model->columns, set->columns, sizeof model->columns);
    hm_table_desc *desc = &model->desc;
    desc->columns = model->columns;
    desc->column_count = set->count;
    desc->lanes = lanes[arguments[2] % TABLE_MODEL_LAYOUTS];
    desc->capacity = capacities[arguments[1] % 8];
    if (arguments[1] / 40 % 16 == 15)
        desc->capacity = 3000;
    desc->max_slots = desc->capacity + spares[arguments[1] / 8 % 5];
    desc->type_id = (uint16_t)(arguments[2] / TABLE_MODEL_LAYOUTS & HM_HANDLE_MAX_TYPE_ID);
    desc->destroy = arguments[1] / 640 % 2 != 0 ? on_destroy : NULL;
    desc->context = model;
    desc->memory = &model->memory.table;
    table_model_set_orders(model);
    model->slots = calloc(desc->max_slots, sizeof *model->slots);
    model->rows = calloc(desc->capacity, sizeof *model->rows);
    CHECK(model->slots != NULL && model->rows != NULL);
    CHECK(hm_table_init(&model->table, desc) == HM_OK);
    return model;
}

static void end(void *state)
{
    table_model *model = state;
    model->from_the_back = true;
    hm_table_fini(&model->table);
    while (model->count > 0)
        note_erase(model, model->rows[--model->count]);
    test_memory_check_released(&model->memory);
    hm_table_fini(&model->table);
    CHECK(hm_table_validate(&model->table) == HM_OK);
    free(model->slots);
    free(model->rows);
    free(model);
}

static void note_insert(table_model *model, hm_handle handle, uint32_t zeros, uint64_t value)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(!hm_handle_is_free(handle) && hm_handle_type_id(handle) == model->desc.type_id);
    CHECK(slot < model->desc.max_slots);
    table_model_slot *record = &model->slots[slot];
    CHECK(!record->is_live && generation > record->generation);
    CHECK(model->trimmed || generation == record->generation + 1);
    *record = (table_model_slot){.zeros = zeros, .generation = generation, .is_live = true};
    for (uint32_t c = 0; c < model->desc.column_count; c++) {
        record->values[c] = value;
        if (model->count == 0 && model->places[c] == NULL)
            model->places[c] = hm_table_cell(&model->table, 0, c);
    }
    model->rows[model->count++] = handle;
}

/* Marks the row erased; the caller removes it from the list. */

/* `zeros`: a bit for each column without a value, which emplace fills after all. */
static void insert_one(table_model *model, uint32_t way, uint32_t zeros, uint64_t value)
{
    static unsigned char cells[TABLE_MODEL_COLUMNS][MODEL_CELL];
    const void *values[TABLE_MODEL_COLUMNS];
    uint32_t row = 7, columns = model->desc.column_count;
    bool fits = room(model) != 0;
    hm_handle handle;
    for (uint32_t c = 0; c < columns; c++) {
        fill_cell(model, cells[c], c, value);
        values[c] = (zeros >> c & 1) != 0 ? NULL : cells[c];
    }
    if (way % 4 == 0)
        zeros = UINT32_MAX;
    if (way % 4 == 1)
        zeros = 0;
    if (way % 4 == 1)
        handle = hm_table_emplace(&model->table, &row);
    else
        handle = hm_table_insert(&model->table, way % 4 == 0 ? NULL : values);
    if (hm_handle_is_null(handle)) {
        CHECK(!fits || test_memory_refused(&model->memory));
        CHECK(way % 4 != 1 || row == HM_INVALID_INDEX);
        return;
    }
    CHECK(fits && (way % 4 != 1 || row == model->count));
    for (uint32_t c = 0; c < columns && way % 4 == 1; c++)
        memcpy(hm_table_cell(&model->table, row, c), cells[c], size_of(model, c));
    note_insert(model, handle, zeros, value);
}

/* Way, columns without a value, value. */
static void insert(void *state, const uint32_t arguments[3])
{
    insert_one(state, arguments[0], arguments[1], arguments[2]);
}

/* Number, columns without an array, value. */
static void insert_n(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    static unsigned char cells[TABLE_MODEL_COLUMNS][MODEL_BATCH * MODEL_CELL];
    const void *columns[TABLE_MODEL_COLUMNS];
    hm_handle handles[MODEL_BATCH];
    uint32_t n = arguments[0] % (MODEL_BATCH + 1), zeros = arguments[1], first = model->count;
    bool is_zero = zeros % 32 == 31, is_reported = arguments[2] % 4 != 0;
    for (uint32_t c = 0; c < model->desc.column_count; c++) {
        for (uint32_t i = 0; i < n; i++)
            fill_cell(model, cells[c] + size_of(model, c) * i, c, arguments[2] + i);
        columns[c] = (zeros >> c & 1) != 0 ? NULL : cells[c];
    }
    memset(handles, 0xA5, sizeof handles);
    hm_status status =
        hm_table_insert_n(&model->table, is_zero ? NULL : columns, n, is_reported ? handles : NULL);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room(model)));
        CHECK(hm_table_count(&model->table) == first);
        CHECK(test_bytes_are(handles, sizeof handles, 0xA5));
        return;
    }
    CHECK(n <= room(model));
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = hm_table_handle_at(&model->table, first + i);
        CHECK(!is_reported || hm_handle_equal(handle, handles[i]));
        note_insert(model, handle, is_zero ? UINT32_MAX : zeros, arguments[2] + i);
    }
}

/* Number, value. */
static void insert_burst(void *state, const uint32_t arguments[3])
{
    for (uint32_t n = arguments[0] % (room(state) + 2); n > 0; n--)
        insert_one(state, n, n >> 2, arguments[1] + n);
}

/* Number, value: after a reserve, inserts succeed although the system refuses everything. */
static void reserve(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    uint32_t n = arguments[0] % (arguments[2] % 8 == 0 ? room(model) + 2 : 40);
    hm_status status = hm_table_reserve(&model->table, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room(model)));
        return;
    }
    CHECK(n <= room(model));
    test_memory_fail(&model->memory, 1, true);
    hm_handle last = n != 0 ? hm_table_upcoming(&model->table, n - 1) : HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle promised = hm_table_upcoming(&model->table, 0);
        CHECK(hm_handle_equal(hm_table_upcoming(&model->table, n - 1 - i), last));
        insert_one(model, i, i >> 2, arguments[1] + i);
        CHECK(hm_handle_equal(hm_table_handle_at(&model->table, model->count - 1), promised));
    }
    CHECK(!test_memory_refused(&model->memory));
}

/* The last row fills the hole, as the list's. */
static void forget_row(table_model *model, hm_handle handle)
{
    uint32_t hole = row_of(model, handle);
    note_erase(model, handle);
    model->rows[hole] = model->rows[--model->count];
}

/* A handle as pick takes it; every other time it is erased by its row. */
static void erase(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    bool is_live = table_model_find(model, handle) != NULL;
    bool is_erased = arguments[2] % 2 == 0
                         ? hm_table_erase(&model->table, handle)
                         : hm_table_erase_at(&model->table, hm_table_row(&model->table, handle));
    CHECK(is_erased == is_live);
    if (is_live)
        forget_row(model, handle);
}

/* Number, which; a quarter of them are repeated. */
static void erase_n(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    hm_handle handles[MODEL_BATCH] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (MODEL_BATCH + 1), count = model->count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
        handles[i] = pick(model, kind, which, (uint32_t)test_random(&random));
        if (i != 0 && test_random_below(&random, 4) == 0)
            handles[i] = handles[which % i];
    }
    uint32_t erased = hm_table_erase_n(&model->table, handles, n);
    for (uint32_t i = 0; i < n; i++)
        if (table_model_find(model, handles[i]) != NULL)
            forget_row(model, handles[i]);
    CHECK(erased == count - model->count);
}

/* Reads the rows after the table may have moved them; check_table compares their cells. */
static void read_rows(table_model *model)
{
    for (uint32_t row = 0; row < model->count; row++)
        model->rows[row] = hm_table_handle_at(&model->table, row);
}

/* `asked` counts the rows, since in_callback is called once for each. */
static bool is_of_third(const hm_table *table, uint32_t row, void *context)
{
    table_model *model = context;
    CHECK(table == &model->table && row == model->asked);
    if (row == 0)
        read_rows(model); /* Moves in progress have been ended. */
    check_row(model, row);
    table_model_in_callback(model);
    return hm_handle_index(model->rows[row]) % 3 == model->third;
}

/* Which third of the slots. */
static void erase_if(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    uint32_t count = model->count, kept = 0;
    model->third = arguments[0] % 3;
    model->asked = 0;
    uint32_t erased = hm_table_erase_if(&model->table, is_of_third, model);
    CHECK(model->asked == count);
    for (uint32_t row = 0; row < count; row++) {
        hm_handle handle = model->rows[row];
        if (hm_handle_index(handle) % 3 == model->third)
            note_erase(model, handle);
        else
            model->rows[kept++] = handle;
    }
    model->count = kept;
    CHECK(erased == count - kept);
}

static void clear(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    (void)arguments;
    model->from_the_back = true;
    hm_table_clear(&model->table);
    model->from_the_back = false;
    for (uint32_t row = 0; row < model->count; row++)
        note_erase(model, model->rows[row]);
    model->count = 0;
}

static void trim(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    hm_status status = hm_table_trim(&model->table);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
    CHECK(status != HM_OK || model->memory.committed_size <= before);
    model->trimmed = true;
}

/* Kind and which of a handle, value: edits one cell of the row. */
static void edit(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    table_model_slot *record = table_model_find(model, handle);
    uint32_t column = arguments[2] % model->desc.column_count;
    hm_table_touch(&model->table, handle);
    if (record == NULL)
        return;
    record->zeros &= ~(UINT32_C(1) << column);
    record->values[column] = arguments[2];
    fill_cell(model, hm_table_get(&model->table, handle, column), column, arguments[2]);
}

/* A handle as pick takes it, and with these numbers an address. */
static void probe(void *state, const uint32_t arguments[3])
{
    const table_model *model = state;
    table_model_probe(model, pick(model, arguments[0], arguments[1], arguments[2]));
    probe_address(model, arguments[0] % model->desc.column_count, arguments[1],
                  arguments[2] & 8191);
}

/* Makes one call; returns whether it is done. */
static bool defragment_once(table_model *model, const hm_order *order, hm_budget budget)
{
    uint32_t column = model->order_column;
    model->asked = 0;
    hm_budget left = budget;
    hm_progress progress = hm_table_defragment(&model->table, column, order, &left);
    CHECK(progress.compares == model->asked);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.max_swaps != 0 ||
          budget.max_compares != 0);
    test_memory_follow(&model->memory, progress);
    read_rows(model);
    CHECK(!progress.done || table_model_search(model, order, 0));
    return progress.done;
}

/* Column and order, swaps, compares. */
static void defragment(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    hm_budget budget = hm_budget_of(arguments[1] % 8, arguments[2] % 16);
    model->order_column = arguments[0] / 2 % model->desc.column_count;
    defragment_once(model, &model->orders[arguments[0] % 2], budget);
}

/* Column and order, swaps, compares; in calls until it is done. */
static void order(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    const hm_order *by = &model->orders[arguments[0] % 2];
    hm_budget budget = hm_budget_of(arguments[1] % 8, arguments[2] % 16);
    if (model->count > 300)
        budget = (hm_budget){0};
    model->order_column = arguments[0] / 2 % model->desc.column_count;
    uint32_t calls = 0;
    while (!defragment_once(model, by, budget))
        CHECK(++calls < MODEL_CALLS);
    hm_progress again = hm_table_defragment(&model->table, model->order_column, by, NULL);
    CHECK(again.done && again.swaps == 0 && again.compares == 0);
}

static void arrange_once(table_model *model, hm_budget budget)
{
    hm_budget left = budget;
    hm_progress progress = hm_table_arrange(&model->table, model->names, model->name_count, &left);
    uint32_t named = 0;
    CHECK(progress.compares == 0 && budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.max_swaps != 0);
    test_memory_follow(&model->memory, progress);
    read_rows(model);
    /* A name that comes again is behind its first place. */
    for (uint32_t i = 0; progress.done && i < model->name_count; i++) {
        uint32_t row = hm_table_row(&model->table, model->names[i]);
        if (row == HM_INVALID_INDEX || row < named)
            continue;
        CHECK(row == named++);
    }
}

/* Number of names, which, swaps. */
static void arrange(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    uint64_t random = arguments[1];
    hm_table_touch_all(&model->table); /* The handles in the buffer change. */
    model->name_count = arguments[0] % (TABLE_MODEL_NAMES + 1);
    for (uint32_t i = 0; i < model->name_count; i++) {
        uint32_t kind = test_random_below(&random, 24), which = (uint32_t)test_random(&random);
        model->names[i] = pick(model, kind < 16 ? kind : 0, which, (uint32_t)test_random(&random));
    }
    arrange_once(model, (hm_budget){.max_swaps = arguments[2] % 8});
}

/* Swaps: one more call for the same names. */
static void arrange_on(void *state, const uint32_t arguments[3])
{
    arrange_once(state, (hm_budget){.max_swaps = arguments[0] % 8});
}

static void touch_all(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    (void)arguments;
    hm_table_touch_all(&model->table);
}

/* Which, generations left: gives a free slot a late generation, without as many reuses. */
static void age(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    const hm_id_table *ids = &model->table.ids;
    if (ids->count == ids->used)
        return;
    uint32_t slot = ids->slots[ids->count + arguments[0] % (ids->used - ids->count)];
    uint32_t generation = HM_HANDLE_MAX_GENERATION - 1 - arguments[1] % 3;
    table_model_slot *record = &model->slots[slot];
    if (record->generation >= generation)
        return;
    ids->entries[slot].bits += (uint64_t)(generation - record->generation)
                               << HM_HANDLE_GENERATION_SHIFT;
    record->generation = generation;
}

/* Makes the next operation fail at the k-th memory call: k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    model->refuses = true;
    test_memory_fail(&model->memory, 1 + arguments[0] % 6, arguments[1] & 1);
}

static const test_operation operations[] = {
    {"insert", 250, insert},
    {"insert_n", 25, insert_n},
    {"insert_burst", 6, insert_burst},
    {"reserve", 10, reserve},
    {"erase", 200, erase},
    {"erase_n", 20, erase_n},
    {"erase_if", 8, erase_if},
    {"clear", 4, clear},
    {"trim", 12, trim},
    {"edit", 60, edit},
    {"probe", 40, probe},
    {"defragment", 60, defragment},
    {"order", 5, order},
    {"arrange", 10, arrange},
    {"arrange_on", 20, arrange_on},
    {"touch_all", 4, touch_all},
    {"age", 6, age},
    {"refuse", 50, refuse},
    {"hostile", 30, table_model_hostile},
    {"hostile_address", 30, table_model_hostile_address},
};

const test_subject table_subject = {
    .name = "table",
    .operations = operations,
    .operation_count = sizeof operations / sizeof *operations,
    .begin = begin,
    .check = check_table,
    .end = end,
};

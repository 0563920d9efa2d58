/* SPDX-License-Identifier: MIT */
/* The state space of a table: what its rows and columns are. Where each cell must be is computed
 * here from what table.h promises of each layout, and not read from the table. */
#include "space.h"

#include <string.h>

enum {
    COLUMNS = SPACE_COLUMNS,
    FIRST_RANGE = 2, /* of the cells, behind the id table's and the records */
    LINE = 8,        /* a cache line, as narrowed.txt has it */
    WORST_NAMES = (SPACE_SLOTS + 2) * SPACE_SLOT_VALUES
};

static hm_table *const table = &live.box.table;

SPACE_CALLS(table)

/* layout */

static struct {
    uint32_t columns, arrays;
    uint32_t lanes; /* rows of a group */
    uint32_t shown; /* the column that the order's functions are shown */
    size_t size[COLUMNS], stride[COLUMNS], skew[COLUMNS];
    unsigned char *base[COLUMNS];
} layout;

static size_t low_bit(size_t size)
{
    return size & (0 - size);
}

/* The lanes of a group are aligned to what divides their size together. */
static size_t align_of(uint32_t column)
{
    size_t natural = low_bit(layout.size[column]) * layout.lanes;
    if (layout.lanes == 1)
        return natural;
    return natural < LINE ? natural : LINE;
}

/* Each whole column begins one line behind the one before it. */
static void lay_out_columns(void)
{
    layout.arrays = layout.columns;
    for (uint32_t c = 0; c < layout.columns; c++) {
        layout.stride[c] = layout.size[c];
        layout.skew[c] = (size_t)LINE * c % HM_MEMORY_ALIGNMENT / align_of(c) * align_of(c);
        layout.base[c] = arena_range(FIRST_RANGE + c) + layout.skew[c];
    }
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static void lay_out_group(void)
{
    size_t end = 0, most = 1;
    layout.arrays = 1;
    for (uint32_t c = 0; c < layout.columns; c++) {
        end = round_up(end, align_of(c));
        layout.base[c] = arena_range(FIRST_RANGE) + end;
        end += layout.size[c] * layout.lanes;
        if (align_of(c) > most)
            most = align_of(c);
    }
    for (uint32_t c = 0; c < layout.columns; c++)
        layout.stride[c] = round_up(end, most);
}

static void lay_out(void)
{
    memset(&layout, 0, sizeof layout);
    layout.lanes = live.config->lanes != 0 ? live.config->lanes : 1;
    while (layout.columns < COLUMNS && live.config->cells[layout.columns] != 0) {
        layout.size[layout.columns] = live.config->cells[layout.columns];
        layout.columns++;
    }
    if (live.config->lanes == 0)
        lay_out_columns();
    else
        lay_out_group();
}

/* Returns the bytes of an array that this many rows need. */
static size_t array_size(uint32_t array, uint32_t rows)
{
    uint32_t groups = (rows + layout.lanes - 1) / layout.lanes;
    return groups == 0 ? 0 : layout.skew[array] + layout.stride[array] * groups;
}

static unsigned char *cell_at(uint32_t column, uint32_t row)
{
    return layout.base[column] + row / layout.lanes * layout.stride[column] +
           row % layout.lanes * layout.size[column];
}

/* cells: slot and generation, together with the column; a key; and a pattern. The second column has
 * the keys in the opposite order. */

static uint8_t shown_key(uint32_t column, uint8_t key)
{
    return column == 1 ? (uint8_t)(live.config->keys - key) : key;
}

static void make_cell(unsigned char *cell, uint32_t column, ghost_item who)
{
    for (size_t i = 0; i < layout.size[column]; i++)
        cell[i] = (unsigned char)(0xC0 + 8 * column + i);
    cell[0] = (unsigned char)(64 * column + 8u * who.slot + who.generation + 1);
    if (layout.size[column] > 1)
        cell[1] = shown_key(column, who.key);
}

static ghost_item identify(const void *item)
{
    const unsigned char *cell = item;
    hm_handle handle = hm_table_handle_of(table, item, layout.shown);
    uint32_t row = hm_table_row(table, handle);
    CHECK(row != HM_INVALID_INDEX && cell_at(layout.shown, row) == cell);
    ghost_item who = {(uint8_t)hm_handle_index(handle), (uint8_t)hm_handle_generation(handle),
                      cell[1], 0};
    CHECK(cell[0] == 64 * layout.shown + 8u * who.slot + who.generation + 1);
    return who;
}

/* begin */

static uint32_t list_windows(size_t *windows)
{
    uint32_t count = 0;
    lay_out();
    windows[count++] = 3 * SPACE_WINDOW; /* entries, slots, floors */
    windows[count++] =
        space_in_pages(sizeof(hm_cells) * layout.columns + sizeof(hm_array) * layout.arrays);
    for (uint32_t i = 0; i < layout.arrays; i++) {
        CHECK(array_size(i, live.config->capacity) <= SPACE_WINDOW);
        windows[count++] = SPACE_WINDOW;
    }
    return count;
}

static hm_status init(void)
{
    hm_column columns[COLUMNS] = {{0, 0, NULL}};
    for (uint32_t c = 0; c < layout.columns; c++)
        columns[c].size = layout.size[c];
    hm_table_desc desc = {.columns = columns,
                          .column_count = layout.columns,
                          .lanes = live.config->lanes,
                          .capacity = live.config->capacity,
                          .max_slots = live.config->max_slots,
                          .type_id = SPACE_TYPE_ID,
                          .memory = &arena.table};
    return hm_table_init(table, &desc);
}

/* calls */

/* Makes n cells for each column, with keys from the first one on; in part: the first column has
 * none. */
static void make_cells(unsigned char cells[COLUMNS][SPACE_WINDOW], const void **values, uint32_t n,
                       uint32_t first_key)
{
    for (uint32_t c = 0; c < layout.columns; c++) {
        values[c] = first_key == SPACE_PARTLY && c == 0 ? NULL : cells[c];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t key = first_key == SPACE_PARTLY ? 0 : (first_key + i) % live.config->keys;
            make_cell(cells[c] + layout.size[c] * i, c, (ghost_item){.key = (uint8_t)key});
        }
    }
}

static hm_handle insert(uint32_t key)
{
    unsigned char cells[COLUMNS][SPACE_WINDOW];
    const void *values[COLUMNS];
    if (key == SPACE_EMPLACED) {
        uint32_t row;
        hm_handle handle = hm_table_emplace(table, &row);
        CHECK(row == (hm_handle_is_null(handle) ? HM_INVALID_INDEX : live.model.count));
        return handle;
    }
    make_cells(cells, values, 1, key);
    return hm_table_insert(table, key == SPACE_ZEROED ? NULL : values);
}

static hm_status insert_n(uint32_t n, uint32_t first_key, hm_handle *handles)
{
    unsigned char cells[COLUMNS][SPACE_WINDOW];
    const void *values[COLUMNS];
    make_cells(cells, values, n, first_key);
    return hm_table_insert_n(table, first_key == SPACE_ZEROED ? NULL : values, n, handles);
}

static hm_progress defragment(const hm_order *order, bool second_column, hm_budget *budget)
{
    layout.shown = second_column;
    return hm_table_defragment(table, layout.shown, order, budget);
}

/* For a call that must be refused. */
static bool is_not_asked(const hm_table *of, uint32_t row, void *context)
{
    (void)of;
    (void)row;
    (void)context;
    CHECK(false);
    return false;
}

/* In a callback the table cannot be changed. */
static void check_busy(hm_handle handle)
{
    uint32_t made = arena.calls, row;
    hm_handle other;
    CHECK(hm_handle_is_null(hm_table_insert(table, NULL)));
    CHECK(hm_handle_is_null(hm_table_emplace(table, &row)) && row == HM_INVALID_INDEX);
    CHECK(hm_table_insert_n(table, NULL, 1, &other) == HM_ERROR_BUSY);
    CHECK(!hm_table_erase(table, handle) && hm_table_erase_n(table, &handle, 1) == 0);
    CHECK(hm_table_erase_if(table, is_not_asked, NULL) == 0);
    CHECK(hm_table_reserve(table, 1) == HM_ERROR_BUSY);
    CHECK(hm_table_trim(table) == HM_ERROR_BUSY);
    CHECK(!hm_table_arrange(table, &handle, 1, NULL).done);
    CHECK(arena.calls == made);
}

static bool is_doomed(const hm_table *of, uint32_t row, void *context)
{
    CHECK(of == table && context == &live);
    check_busy(hm_table_handle_at(table, row));
    return step_is_doomed(row);
}

static uint32_t erase_if(void)
{
    return hm_table_erase_if(table, is_doomed, &live);
}

/* items */

static void check_item(uint32_t position, ghost_item who)
{
    unsigned char expected[SPACE_WINDOW];
    for (uint32_t c = 0; c < layout.columns; c++) {
        make_cell(expected, c, who);
        CHECK(memcmp(cell_at(c, position), expected, layout.size[c]) == 0);
    }
}

/* What emplace leaves in a cell is not promised. */
static void check_new(uint32_t position, uint32_t key)
{
    for (uint32_t c = 0; c < layout.columns && key != SPACE_EMPLACED; c++) {
        unsigned char expected[SPACE_WINDOW] = {0};
        bool is_zero = key == SPACE_ZEROED || (key == SPACE_PARTLY && c == 0);
        if (!is_zero)
            make_cell(expected, c, (ghost_item){.key = (uint8_t)(key == SPACE_PARTLY ? 0 : key)});
        CHECK(memcmp(cell_at(c, position), expected, layout.size[c]) == 0);
    }
}

static void write_item(uint32_t position, ghost_item who)
{
    for (uint32_t c = 0; c < layout.columns; c++)
        make_cell(cell_at(c, position), c, who);
}

static void check_handle(hm_handle handle, uint32_t position)
{
    bool lives = position != HM_INVALID_INDEX;
    CHECK(hm_table_contains(table, handle) == lives);
    CHECK(hm_table_row(table, handle) == position);
    for (uint32_t c = 0; c < layout.columns; c++)
        CHECK(hm_table_get(table, handle, c) == (lives ? cell_at(c, position) : NULL));
    CHECK(hm_table_get(table, handle, layout.columns) == NULL);
}

/* what else a state shows */

/* A batch answers as single calls do, for all handle values at once. */
static void check_batches(void)
{
    hm_handle handles[WORST_NAMES];
    uint32_t rows[WORST_NAMES], n = space_handle_values(live.config);
    bool alive[WORST_NAMES];
    for (uint32_t i = 0; i < n; i++)
        handles[i] = space_handle_value(i);
    CHECK(hm_table_row_n(table, handles, n, rows) == live.model.count);
    CHECK(hm_table_contains_n(table, handles, n, alive) == live.model.count);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(rows[i] == ghost_position(handles[i]));
        CHECK(alive[i] == (rows[i] != HM_INVALID_INDEX));
    }
}

/* The cells of live rows, and nothing else, belong to rows. */
static void check_bytes(uint32_t column)
{
    uint32_t array = live.config->lanes == 0 ? column : 0;
    const unsigned char *range = arena_range(FIRST_RANGE + array);
    hm_handle owners[SPACE_WINDOW] = {{0}};
    for (uint32_t row = 0; row < live.model.count; row++)
        for (size_t i = 0; i < layout.size[column]; i++)
            owners[cell_at(column, row) + i - range] = ghost_handle(live.model.dense[row]);
    for (size_t i = 0; i < SPACE_WINDOW; i++)
        CHECK(hm_table_handle_of(table, range + i, column).bits == owners[i].bits);
    CHECK(hm_handle_is_null(hm_table_handle_of(table, range - 1, column)));
    CHECK(hm_handle_is_null(hm_table_handle_of(table, NULL, column)));
}

static void check_groups(uint32_t column)
{
    uint32_t count =
        live.config->lanes == 0 ? 0 : (live.model.count + layout.lanes - 1) / layout.lanes;
    CHECK(hm_table_group_count(table) == count);
    for (uint32_t g = 0; g < count; g++)
        CHECK(hm_table_group(table, g, column) == cell_at(column, g * layout.lanes));
    CHECK(hm_table_group(table, count, column) == NULL);
    for (uint32_t row = live.model.count; row < count * layout.lanes; row++)
        for (size_t i = 0; i < layout.size[column]; i++)
            CHECK(cell_at(column, row)[i] == 0);
}

static void check_layout(void)
{
    uint32_t count = live.model.count;
    CHECK(hm_table_count(table) == count);
    CHECK(hm_table_capacity(table) == live.config->capacity);
    for (uint32_t c = 0; c < layout.columns; c++) {
        for (uint32_t row = 0; row < count; row++)
            CHECK(hm_table_cell(table, row, c) == cell_at(c, row));
        CHECK(hm_table_cell(table, count, c) == NULL);
        CHECK(hm_table_column(table, c) == (live.config->lanes == 0 ? layout.base[c] : NULL));
        check_groups(c);
        check_bytes(c);
    }
    CHECK(hm_table_cell(table, 0, layout.columns) == NULL);
    CHECK(hm_table_column(table, layout.columns) == NULL);
    CHECK(hm_table_group(table, 0, layout.columns) == NULL);
    check_batches();
}

/* memory */

static size_t needed_size(void)
{
    size_t size = table->record_array.committed_size;
    for (uint32_t i = 0; i < layout.arrays; i++)
        size += space_in_pages(array_size(i, live.model.count));
    return size;
}

/* The lanes of the last group that have no row are not blanked: they must be zero. The bytes before
 * a whole column are never used. */
static void blank_items(void)
{
    for (uint32_t i = 0; i < layout.arrays; i++) {
        hm_array *array = &table->arrays[i];
        blank_behind(array, array_size(i, table->ids.count));
        if (array->committed_size > 0)
            memset(arena_range(FIRST_RANGE + i), SPACE_BLANK, layout.skew[i]);
        BLANK(array->count);
    }
}

static const space_container container = {
    SPACE_CALL_MEMBERS(table),
    .has_columns = true,
    .list_windows = list_windows,
    .init = init,
    .insert = insert,
    .insert_n = insert_n,
    .erase_if = erase_if,
    .needed_size = needed_size,
    .defragment = defragment,
    .identify = identify,
    .write_item = write_item,
    .check_item = check_item,
    .check_new = check_new,
    .check_handle = check_handle,
    .check_layout = check_layout,
    .blank_items = blank_items,
};

static size_t begin(const space_config *config)
{
    return space_begin(config, &container);
}

const space_kind table_space = {
    .container = "table",
    .verbs = step_verbs,
    .begin = begin,
    .end = space_end,
    .capture = space_capture,
    .restore = space_restore,
    .check = ghost_check,
    .list = step_list,
    .is_possible = step_is_possible,
    .take = step_take,
};

/* SPDX-License-Identifier: MIT */
/* The state spaces of a table. Where each cell must be is computed here from what table.h promises
 * of each layout, and not read from the table. */
#include "dense_space.h"

#include "support/table_model.h"

#include <string.h>

enum {
    COLUMNS = SPACE_COLUMNS,
    LINE = 8, /* a cache line, as constants.h has it */
    WORST_NAMES = (DENSE_MODEL_SLOTS + 2) * SPACE_SLOT_VALUES
};

static hm_table *const table = &dense.table;

/* layout */

static struct {
    uint32_t columns, arrays;
    uint32_t lanes; /* rows of a group */
    size_t size[COLUMNS], stride[COLUMNS], skew[COLUMNS];
    unsigned char *array[COLUMNS], *base[COLUMNS];
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
        layout.skew[c] = end;
        end += layout.size[c] * layout.lanes;
        if (align_of(c) > most)
            most = align_of(c);
    }
    for (uint32_t c = 0; c < layout.columns; c++)
        layout.stride[c] = round_up(end, most);
}

/* Returns the bytes of an array that this many rows need. */
static size_t array_size(uint32_t array, uint32_t rows)
{
    uint32_t groups = (rows + layout.lanes - 1) / layout.lanes;
    size_t skew = dense_config->lanes == 0 ? layout.skew[array] : 0;
    return groups == 0 ? 0 : skew + layout.stride[array] * groups;
}

/* Returns what an array of so many bytes takes of the range: pages that keep every alignment. */
static size_t part_of(size_t size)
{
    size_t unit = dense_config->page_size;
    for (uint32_t c = 0; c < layout.columns; c++)
        if (unit < align_of(c))
            unit = align_of(c);
    return round_up(size, unit);
}

/* Entries, slots and records come before the cells. Returns the bytes of all. */
static size_t place_arrays(void)
{
    size_t end = part_of(sizeof(hm_handle) * dense_config->max_slots) +
                 part_of(sizeof(uint32_t) * dense_config->capacity) +
                 part_of(sizeof(hm_cells) * layout.columns + sizeof(hm_array) * layout.arrays);
    for (uint32_t i = 0; i < layout.arrays; i++) {
        layout.array[i] = arena_range(0) + end;
        end += part_of(array_size(i, dense_config->capacity));
    }
    for (uint32_t c = 0; c < layout.columns; c++)
        layout.base[c] = layout.array[dense_config->lanes == 0 ? c : 0] + layout.skew[c];
    return end;
}

static void lay_out(void)
{
    memset(&layout, 0, sizeof layout);
    layout.lanes = dense_config->lanes != 0 ? dense_config->lanes : 1;
    while (layout.columns < COLUMNS && dense_config->cells[layout.columns] != 0) {
        layout.size[layout.columns] = dense_config->cells[layout.columns];
        layout.columns++;
    }
    if (dense_config->lanes == 0)
        lay_out_columns();
    else
        lay_out_group();
}

static unsigned char *cell_at(uint32_t column, uint32_t row)
{
    return layout.base[column] + row / layout.lanes * layout.stride[column] +
           row % layout.lanes * layout.size[column];
}

/* begin */

static uint32_t list_windows(size_t *windows)
{
    lay_out();
    windows[0] = place_arrays();
    return 1;
}

static hm_status init(void)
{
    hm_column columns[COLUMNS] = {{0, 0, NULL}};
    for (uint32_t c = 0; c < layout.columns; c++)
        columns[c].size = layout.size[c];
    hm_table_desc desc = {.columns = columns,
                          .column_count = layout.columns,
                          .lanes = dense_config->lanes,
                          .capacity = dense_config->capacity,
                          .max_slots = dense_config->max_slots,
                          .type_id = SPACE_TYPE_ID};
    return table_model_init(&dense, &desc, dense_config->page_size, false);
}

/* what a state shows */

/* A batch answers as single calls do, for all handle values at once. */
static void check_batches(void)
{
    hm_handle handles[WORST_NAMES];
    uint32_t rows[WORST_NAMES], n = space_handle_values(dense_config);
    bool alive[WORST_NAMES];
    for (uint32_t i = 0; i < n; i++)
        handles[i] = space_handle_value(i);
    CHECK(hm_table_row_n(table, handles, n, rows) == dense.count);
    CHECK(hm_table_contains_n(table, handles, n, alive) == dense.count);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(rows[i] == dense_model_position(&dense, handles[i]));
        CHECK(alive[i] == (rows[i] != HM_INVALID_INDEX));
    }
}

/* The cells of live rows, and nothing else, belong to rows. */
static void check_bytes(uint32_t column)
{
    uint32_t array = dense_config->lanes == 0 ? column : 0;
    const unsigned char *range = layout.array[array];
    size_t size = part_of(array_size(array, dense_config->capacity));
    CHECK(size <= DENSE_WINDOW);
    hm_handle owners[DENSE_WINDOW] = {{0}};
    for (uint32_t row = 0; row < dense.count; row++)
        for (size_t i = 0; i < layout.size[column]; i++)
            owners[cell_at(column, row) + i - range] = dense.dense[row];
    for (size_t i = 0; i < size; i++)
        CHECK(hm_table_handle_of(table, range + i, column).bits == owners[i].bits);
    CHECK(hm_handle_is_null(hm_table_handle_of(table, range - 1, column)));
    CHECK(hm_handle_is_null(hm_table_handle_of(table, NULL, column)));
}

static void check_groups(uint32_t column)
{
    uint32_t count = dense_config->lanes == 0 ? 0 : (dense.count + layout.lanes - 1) / layout.lanes;
    CHECK(hm_table_group_count(table) == count);
    for (uint32_t g = 0; g < count; g++)
        CHECK(hm_table_group(table, g, column) == cell_at(column, g * layout.lanes));
    CHECK(hm_table_group(table, count, column) == NULL);
    for (uint32_t row = dense.count; row < count * layout.lanes; row++)
        for (size_t i = 0; i < layout.size[column]; i++)
            CHECK(cell_at(column, row)[i] == 0);
}

static void check(void)
{
    uint32_t count = dense.count;
    for (uint32_t c = 0; c < layout.columns; c++) {
        for (uint32_t row = 0; row < count; row++)
            CHECK(hm_table_cell(table, row, c) == cell_at(c, row));
        CHECK(hm_table_cell(table, count, c) == NULL);
        CHECK(hm_table_column(table, c) == (dense_config->lanes == 0 ? layout.base[c] : NULL));
        check_groups(c);
        check_bytes(c);
    }
    CHECK(hm_table_cell(table, 0, layout.columns) == NULL);
    CHECK(hm_table_column(table, layout.columns) == NULL);
    CHECK(hm_table_group(table, 0, layout.columns) == NULL);
    check_batches();
    subject_check();
}

/* memory */

static size_t needed_size(void)
{
    size_t size = table->record_array.committed_size;
    for (uint32_t i = 0; i < layout.arrays; i++)
        size += space_in_pages(dense_config, array_size(i, dense.count));
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
            memset(layout.array[i], SPACE_BLANK, dense_config->lanes == 0 ? layout.skew[i] : 0);
        BLANK(array->count);
    }
}

static hm_status save(hm_sink sink)
{
    return hm_table_save(&dense.table, NULL, sink);
}

static hm_status load(hm_source source)
{
    return hm_table_load(&dense.table, NULL, source);
}

static size_t begin(const space_config *config)
{
    static const dense_space of = {&table_subject, list_windows, init, needed_size,
                                   blank_items,    save,         load};
    return dense_space_begin(config, &of);
}

const space_kind table_space = {
    &table_subject,  0, begin, dense_space_end, check, dense_space_list, dense_space_is_possible,
    dense_space_take};

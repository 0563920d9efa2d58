/* SPDX-License-Identifier: MIT */
/* The public contract of the table, for every layout: whole columns, rows as structs, and groups of
 * 2, 8, 16 and 64 lanes behave alike. */
#include "support/memory.h"
#include "support/table.h"

enum { MANY = 300 };

/* insert */

TABLE_TEST(table, insert_copies_values_and_zeroes_what_has_none)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    uint32_t number = 77;
    unsigned char path[40];
    fill_cell(path, PATH, 5);
    const void *some[COLUMNS] = {&number, NULL, NULL, path}, *none[COLUMNS] = {NULL};
    for (uint32_t i = 0; i < 70; i++) {
        uint32_t row = hm_table_count(&table);
        CHECK(!hm_handle_is_null(hm_table_insert(&table, some)));
        CHECK(number_at(&table, row) == 77);
        CHECK(cell_holds(hm_table_cell(&table, row, PATH), PATH, 5));
        CHECK(test_bytes_are(hm_table_cell(&table, row, SHADE), 1, 0));
        CHECK(test_bytes_are(hm_table_cell(&table, row, COLOR), 3, 0));
        check_table(&table);
        hm_table_insert(&table, none);
        hm_table_insert(&table, NULL);
        CHECK(row_is_zero(&table, row + 1) && row_is_zero(&table, row + 2));
        add(&table, i);
        CHECK(row_holds(&table, row + 3, i) && hm_table_count(&table) == row + 4);
        check_table(&table);
    }
    finish(&table);
}

TABLE_TEST(table, emplace_names_the_last_row)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 70});
    uint32_t row = 7;
    for (uint32_t i = 0; i < 70; i++) {
        hm_handle handle = hm_table_emplace(&table, &row);
        CHECK(row == i && hm_table_row(&table, handle) == i);
        for (uint32_t c = 0; c < COLUMNS; c++)
            fill_cell(hm_table_cell(&table, row, c), c, i);
        check_table(&table);
    }
    CHECK(hm_handle_is_null(hm_table_emplace(&table, &row)) && row == HM_INVALID_INDEX);
    CHECK(strcmp(hm_last_error(), "'table' has 70 of 70 items: capacity is used up") == 0);
    for (uint32_t i = 0; i < 70; i++)
        CHECK(row_holds(&table, i, i));
    finish(&table);
}

/* Arrays for insert_n: the cells of the numbers from `first` on. */
typedef struct cell_arrays {
    unsigned char cells[COLUMNS][MANY * 40];
    const void *columns[COLUMNS];
} cell_arrays;

static cell_arrays *fill_arrays(uint32_t first)
{
    static cell_arrays arrays;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        arrays.columns[c] = arrays.cells[c];
        for (uint32_t i = 0; i < MANY; i++)
            fill_cell(arrays.cells[c] + cell_size(c) * i, c, first + i);
    }
    return &arrays;
}

TABLE_TEST(table, insert_n_copies_arrays)
{
    static const uint32_t sizes[] = {1, 0, 2, 5, 8, 16, 63, 1, 64, 65, 130, MANY};
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[MANY];
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t first = hm_table_count(&table), n = sizes[s];
        cell_arrays *arrays = fill_arrays(first);
        CHECK(hm_table_insert_n(&table, arrays->columns, n, handles) == HM_OK);
        CHECK(hm_table_count(&table) == first + n);
        for (uint32_t i = 0; i < n; i++)
            CHECK(hm_table_row(&table, handles[i]) == first + i);
        for (uint32_t row = 0; row < first + n; row++)
            CHECK(row_holds(&table, row, row));
        check_table(&table);
    }
    finish(&table);
}

TABLE_TEST(table, insert_n_zeroes_what_has_no_array)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    for (uint32_t n = 1; n <= 130; n += 43) {
        uint32_t first = hm_table_count(&table);
        cell_arrays *arrays = fill_arrays(first);
        arrays->columns[SHADE] = arrays->columns[PATH] = NULL;
        CHECK(hm_table_insert_n(&table, arrays->columns, n, NULL) == HM_OK);
        CHECK(hm_table_insert_n(&table, NULL, n, NULL) == HM_OK);
        for (uint32_t row = first; row < first + n; row++) {
            CHECK(number_at(&table, row) == row);
            CHECK(cell_holds(hm_table_cell(&table, row, COLOR), COLOR, row));
            CHECK(test_bytes_are(hm_table_cell(&table, row, SHADE), 1, 0));
            CHECK(test_bytes_are(hm_table_cell(&table, row, PATH), 40, 0));
            CHECK(row_is_zero(&table, row + n));
        }
        check_table(&table);
    }
    finish(&table);
}

TABLE_TEST(table, insert_n_adds_all_rows_or_none)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 100, .max_slots = 100});
    hm_handle handles[MANY], untouched[MANY];
    memset(handles, 0x5A, sizeof handles);
    memset(untouched, 0x5A, sizeof untouched);
    CHECK(hm_table_insert_n(&table, NULL, 90, NULL) == HM_OK);
    CHECK(hm_table_insert_n(&table, fill_arrays(0)->columns, 11, handles) == HM_ERROR_FULL);
    CHECK(strcmp(hm_last_error(), "'table' has 90 of 100 items: capacity does not allow 11 more") ==
          0);
    CHECK(memcmp(handles, untouched, sizeof handles) == 0 && hm_table_count(&table) == 90);
    CHECK(hm_table_insert_n(&table, NULL, UINT32_MAX, NULL) == HM_ERROR_FULL);
    check_table(&table);
    CHECK(hm_table_insert_n(&table, NULL, 10, NULL) == HM_OK);
    CHECK(hm_table_reserve(&table, 1) == HM_ERROR_FULL);
    finish(&table);
}

/* A kernel may write to lanes past the last row; no row ever sees what it wrote. */
TABLE_TEST(table, what_is_written_past_the_last_row_is_never_seen)
{
    if (lanes <= 1)
        return;
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle first = add(&table, 0);
    for (uint32_t c = 0; c < COLUMNS; c++)
        memset((unsigned char *)hm_table_group(&table, 0, c) + cell_size(c), 0xEE,
               cell_size(c) * (lanes - 1));
    CHECK(row_holds(&table, 0, 0));
    for (uint32_t row = 1; row < lanes; row++) {
        uint32_t number = row;
        const void *values[COLUMNS] = {&number};
        hm_table_insert(&table, row % 2 == 0 ? NULL : values);
        CHECK(number_at(&table, row) == (row % 2 == 0 ? 0 : row));
        CHECK(test_bytes_are(hm_table_cell(&table, row, PATH), 40, 0));
    }
    CHECK(hm_table_erase(&table, first));
    check_table(&table);
    while (hm_table_count(&table) > 1) {
        CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 0)));
        check_table(&table);
    }
    finish(&table);
}

/* erase */

TABLE_TEST(table, erase_moves_the_last_row_into_the_hole)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[MANY];
    uint32_t numbers[MANY];
    uint64_t random = test_seed("table erase");
    fill(&table, handles, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        numbers[i] = i;
    for (uint32_t left = MANY; left > 0; left--) {
        uint32_t row = test_random_below(&random, left);
        hm_handle gone = hm_table_handle_at(&table, row);
        CHECK(hm_handle_equal(gone, handles[numbers[row]]) && hm_table_erase(&table, gone));
        CHECK(!hm_table_erase(&table, gone) && !hm_table_contains(&table, gone));
        numbers[row] = numbers[left - 1];
        CHECK(hm_table_count(&table) == left - 1);
        for (uint32_t i = 0; i < left - 1; i++)
            CHECK(row_holds(&table, i, numbers[i]));
        check_table(&table);
    }
    finish(&table);
}

TABLE_TEST(table, erase_n_counts_a_handle_once)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[MANY], batch[MANY];
    fill(&table, handles, MANY);
    CHECK(hm_table_erase(&table, handles[0]));
    for (uint32_t i = 0; i < MANY; i++)
        batch[i] = handles[i / 2];
    batch[99] = HM_NULL_HANDLE;
    CHECK(hm_table_erase_n(&table, batch, MANY) == MANY / 2 - 1);
    CHECK(hm_table_erase_n(&table, batch, MANY) == 0 && hm_table_erase_n(&table, NULL, 0) == 0);
    for (uint32_t i = MANY / 2; i < MANY; i++)
        CHECK(row_holds(&table, hm_table_row(&table, handles[i]), i));
    check_table(&table);
    finish(&table);
}

/* Large enough for batches to be prefetched, also when few of the many slots have a row. */
TABLE_TEST(table, batches_work_in_a_large_table)
{
    enum { LARGE = 200000 };
    static hm_handle handles[LARGE];
    static uint32_t rows[LARGE];
    static bool alive[LARGE];
    static void *cells[LARGE];
    hm_table table = make(lanes, (hm_table_desc){.capacity = LARGE});
    CHECK(hm_table_insert_n(&table, NULL, LARGE, handles) == HM_OK);
    CHECK(hm_table_erase_n(&table, handles, LARGE / 2) == LARGE / 2);
    CHECK(hm_table_row_n(&table, handles, LARGE, rows) == LARGE / 2);
    CHECK(hm_table_contains_n(&table, handles, LARGE, alive) == LARGE / 2);
    CHECK(hm_table_get_n(&table, handles, LARGE, 1, cells) == LARGE / 2);
    for (uint32_t i = 0; i < LARGE; i++)
        CHECK(cells[i] == hm_table_get(&table, handles[i], 1));
    for (uint32_t i = 0; i < LARGE; i++) {
        CHECK(rows[i] == hm_table_row(&table, handles[i]) && alive[i] == (i >= LARGE / 2));
        CHECK((rows[i] != HM_INVALID_INDEX) == alive[i]);
    }
    CHECK(hm_table_erase_n(&table, handles, LARGE - 7) == LARGE / 2 - 7);
    handles[0] = hm_handle_pack(UINT32_MAX, 1, 0);
    CHECK(hm_table_row_n(&table, handles, 1, rows) == 0 && rows[0] == HM_INVALID_INDEX);
    CHECK(hm_table_erase_n(&table, handles + LARGE - 70, 70) == 7);
    CHECK(hm_table_row_n(&table, NULL, 0, NULL) == 0);
    CHECK(hm_table_contains_n(&table, NULL, 0, NULL) == 0);
    finish(&table);
}

typedef struct census {
    uint32_t asked, every;
} census;

static bool is_nth(const hm_table *table, uint32_t row, void *context)
{
    census *taken = context;
    CHECK(row == taken->asked++);
    return number_at(table, row) % taken->every == 0;
}

TABLE_TEST(table, erase_if_asks_in_order_and_keeps_the_order)
{
    static const uint32_t every[] = {3, 1, 1000, 2, 7};
    for (uint32_t k = 0; k < sizeof every / sizeof *every; k++) {
        hm_table table = make(lanes, (hm_table_desc){0});
        hm_handle handles[MANY];
        census taken = {0, every[k]};
        uint32_t row = 0;
        fill(&table, handles, MANY);
        uint32_t expected = (MANY + every[k] - 1) / every[k];
        CHECK(hm_table_erase_if(&table, is_nth, &taken) == expected && taken.asked == MANY);
        CHECK(hm_table_count(&table) == MANY - expected);
        for (uint32_t i = 0; i < MANY; i++) {
            CHECK(hm_table_contains(&table, handles[i]) == (i % every[k] != 0));
            if (i % every[k] != 0)
                CHECK(row_holds(&table, row++, i));
        }
        check_table(&table);
        finish(&table);
    }
}

TABLE_TEST(table, clear_refuses_all_handles)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[MANY];
    for (uint32_t round = 0; round < 3; round++) {
        fill(&table, handles, MANY - round);
        size_t committed = hm_table_get_stats(&table).committed_size;
        hm_table_clear(&table);
        check_table(&table);
        CHECK(hm_table_count(&table) == 0 && hm_table_group_count(&table) == 0);
        CHECK(hm_table_get_stats(&table).committed_size == committed);
        for (uint32_t i = 0; i < MANY - round; i++)
            CHECK(hm_table_explain(&table, handles[i]) == HM_HANDLE_STALE);
        hm_table_insert(&table, NULL);
        CHECK(row_is_zero(&table, 0));
        check_table(&table);
        hm_table_clear(&table);
    }
    finish(&table);
}

/* addresses */

/* Where the cell must be, by the formula of table.h. */
static const unsigned char *place_of(const hm_table *table, uint32_t column, uint32_t row)
{
    if (table->lanes == 0)
        return (unsigned char *)hm_table_column(table, column) + cell_size(column) * row;
    return (unsigned char *)hm_table_group(table, row / table->lanes, column) +
           cell_size(column) * (row % table->lanes);
}

TABLE_TEST(table, cells_are_where_the_formula_says_and_never_move)
{
    enum { GROWN = 20000 };
    hm_table table = make(lanes, (hm_table_desc){.capacity = GROWN});
    void *first[COLUMNS];
    for (uint32_t i = 0; i < GROWN; i++) {
        add(&table, i);
        for (uint32_t c = 0; c < COLUMNS && i == 0; c++)
            first[c] = hm_table_cell(&table, 0, c);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            CHECK(hm_table_cell(&table, 0, c) == first[c]);
            CHECK(hm_table_cell(&table, i, c) == place_of(&table, c, i));
            CHECK(hm_table_column(&table, c) == (lanes == 0 ? first[c] : NULL));
        }
    }
    for (uint32_t row = 0; row < GROWN; row++)
        CHECK(row_holds(&table, row, row));
    CHECK(hm_table_insert(&table, NULL).bits == 0);
    finish(&table);
}

TABLE_TEST(table, what_is_out_of_range_is_null)
{
    hm_table table = make(lanes, (hm_table_desc){0});
    for (uint32_t n = 0; n < 20; n++) {
        uint32_t groups = hm_table_group_count(&table);
        CHECK(hm_table_cell(&table, n, 0) == NULL && hm_table_cell(&table, UINT32_MAX, 0) == NULL);
        CHECK(hm_handle_is_null(hm_table_handle_at(&table, n)));
        CHECK(hm_table_group(&table, groups, 0) == NULL);
        CHECK(hm_table_get(&table, HM_NULL_HANDLE, 0) == NULL);
        hm_handle handle = add(&table, n);
        CHECK(hm_table_get(&table, handle, PATH) == hm_table_cell(&table, n, PATH));
        CHECK(hm_table_get(&table, handle, COLUMNS) == NULL);
        CHECK(hm_table_get(&table, handle, UINT32_MAX) == NULL);
        CHECK(hm_table_cell(&table, n, COLUMNS) == NULL);
        CHECK(hm_table_column(&table, COLUMNS) == NULL);
        CHECK(hm_table_group(&table, 0, COLUMNS) == NULL);
        CHECK((hm_table_group(&table, 0, 0) != NULL) == (lanes != 0));
        CHECK(hm_handle_is_null(hm_table_handle_of(&table, &table, COLUMNS)));
        CHECK(hm_handle_equal(hm_table_handle_at(&table, n), handle));
    }
    finish(&table);
}

/* Checks every byte of the group that holds the row, or of the row's cells in whole columns. */
static void check_addresses(const hm_table *table, uint32_t column, uint32_t row)
{
    const unsigned char *cell = hm_table_cell(table, row, column);
    hm_handle handle = hm_table_handle_at(table, row);
    for (size_t i = 0; i < cell_size(column); i++)
        CHECK(hm_handle_equal(hm_table_handle_of(table, cell + i, column), handle));
    for (uint32_t other = 0; other < COLUMNS; other++)
        if (other != column)
            CHECK(hm_handle_is_null(hm_table_handle_of(table, cell, other)));
}

TABLE_TEST(table, handle_of_takes_any_address)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 137});
    hm_handle handles[137];
    uint64_t random = test_seed("table addresses");
    fill(&table, handles, 137);
    for (uint32_t left = 137; left > 0; left--) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const unsigned char *first = hm_table_cell(&table, 0, c);
            const unsigned char *behind = place_of(&table, c, left - 1) + cell_size(c);
            check_addresses(&table, c, left - 1);
            check_addresses(&table, c, test_random_below(&random, left));
            CHECK(hm_handle_is_null(hm_table_handle_of(&table, behind, c)));
            CHECK(hm_handle_is_null(hm_table_handle_of(&table, (void *)((uintptr_t)first - 1), c)));
            CHECK(hm_handle_is_null(hm_table_handle_of(&table, NULL, c)));
            const void *any = (const void *)(uintptr_t)test_random(&random);
            CHECK(hm_handle_is_null(hm_table_handle_of(&table, any, c)));
        }
        CHECK(hm_table_erase(&table, hm_table_handle_at(&table, left - 1)));
    }
    finish(&table);
}

/* A cell of 1 byte before one of 64 leaves a gap in each group, which belongs to no row. */
TABLE_TEST(table, gaps_belong_to_no_row)
{
    const hm_column columns[] = {{1, 0, NULL}, {64, 64, NULL}, {3, 1, NULL}};
    hm_table_desc desc = {.columns = columns, .column_count = 3, .lanes = lanes, .capacity = 300};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_insert_n(&table, NULL, 300, NULL) == HM_OK);
    if (lanes != 0) {
        const unsigned char *group = hm_table_group(&table, 1, 0);
        size_t stride = (size_t)(group - (unsigned char *)hm_table_group(&table, 0, 0));
        uint32_t found[3] = {0};
        for (size_t i = 0; i < stride; i++)
            for (uint32_t c = 0; c < 3; c++)
                found[c] += !hm_handle_is_null(hm_table_handle_of(&table, group + i, c));
        CHECK(found[0] == lanes && found[1] == 64 * lanes && found[2] == 3 * lanes);
        CHECK(stride % 64 == 0 && stride >= 68 * (size_t)lanes);
    }
    for (uint32_t row = 0; row < 300; row++)
        CHECK((uintptr_t)hm_table_cell(&table, row, 1) % 64 == 0);
    hm_table_fini(&table);
}

/* The row of an address 2^32 rows away has the same lower 32 bits as row 0. */
TEST(table, rows_are_not_counted_in_32_bits)
{
    const hm_column byte = {1, 0, NULL};
    hm_table_desc desc = {.columns = &byte, .column_count = 1};
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table table;
        desc.lanes = table_lanes(layout);
        CHECK(hm_table_init(&table, &desc) == HM_OK);
        CHECK(hm_table_insert_n(&table, NULL, 10, NULL) == HM_OK);
        uintptr_t first = (uintptr_t)hm_table_cell(&table, 0, 0);
        for (unsigned bit = 14; bit < sizeof first * 8; bit++) {
            const void *far_away = (const void *)(first + ((uintptr_t)1 << bit));
            CHECK(hm_handle_is_null(hm_table_handle_of(&table, far_away, 0)));
        }
        hm_table_fini(&table);
    }
}

TABLE_TEST(table, columns_of_a_group_are_aligned_for_vectors)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 64};
    hm_column columns[11];
    for (uint32_t c = 0; c < 11; c++)
        columns[c] = (hm_column){sizes[c], 1, NULL};
    hm_table_desc desc = {.columns = columns, .column_count = 11, .lanes = lanes, .capacity = 999};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_insert_n(&table, NULL, 999, NULL) == HM_OK);
    for (uint32_t group = 0; group < hm_table_group_count(&table) && lanes > 1; group++)
        for (uint32_t c = 0; c < 11; c++) {
            size_t align = sizes[c] * lanes & (0 - sizes[c] * lanes);
            uintptr_t address = (uintptr_t)hm_table_group(&table, group, c);
            CHECK(address % (align < 64 ? align : 64) == 0);
        }
    hm_table_fini(&table);
}

TABLE_TEST(table, cells_have_the_alignment_of_their_column)
{
    const hm_column columns[] = {{1, 0, NULL},     {8, 8, NULL},     {4096, 4096, NULL},
                                 {1, 1, NULL},     {512, 512, NULL}, {12, 4, NULL},
                                 {128, 128, NULL}, {2, 0, NULL},     {48, 0, NULL}};
    const size_t natural = _Alignof(max_align_t) < 16 ? _Alignof(max_align_t) : 16;
    const size_t aligns[] = {1, 8, 4096, 1, 512, 4, 128, 2, natural};
    uint32_t fits = lanes > 2 ? 2 : 9;
    hm_table_desc desc = {.columns = columns, .lanes = lanes, .capacity = 200};
    desc.column_count = fits;
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_insert_n(&table, NULL, 200, NULL) == HM_OK);
    for (uint32_t row = 0; row < 200; row++)
        for (uint32_t c = 0; c < fits; c++)
            CHECK((uintptr_t)hm_table_cell(&table, row, c) % aligns[c] == 0);
    CHECK(hm_table_validate(&table) == HM_OK);
    hm_table_fini(&table);
}

struct mixed {
    char a;
    double b;
    short c;
    float d[3];
    char e[5];
    uint64_t f;
};

TEST(table, rows_of_one_lane_are_structs)
{
    struct mixed value = {.b = 1.5, .f = 9};
    const hm_column columns[] = {{1, 0, "a"}, {sizeof(double), _Alignof(double), "b"},
                                 {2, 0, "c"}, {12, 0, "d"},
                                 {5, 1, "e"}, {8, _Alignof(uint64_t), "f"}};
    hm_table_desc desc = {.columns = columns, .column_count = 6, .lanes = 1};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    const void *values[] = {&value.a, &value.b, &value.c, value.d, value.e, &value.f};
    for (int i = 0; i < 10; i++) {
        value.a = (char)i;
        hm_table_insert(&table, values);
    }
    struct mixed *rows = hm_table_group(&table, 0, 0);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK(rows[i].a == (char)i && rows[i].f == 9 && rows[i].b > 1 && rows[i].b < 2);
        CHECK(hm_table_cell(&table, i, 2) == &rows[i].c);
        CHECK(hm_table_cell(&table, i, 3) == rows[i].d);
        CHECK(hm_table_cell(&table, i, 4) == rows[i].e);
    }
    hm_table_fini(&table);
}

/* Equal rows of many columns are not in one set of a cache. */
TEST(table, whole_columns_begin_at_different_lines_of_a_page)
{
    enum { WIDE = 64 };
    hm_column columns[WIDE];
    bool taken[WIDE] = {false};
    for (uint32_t c = 0; c < WIDE; c++)
        columns[c] = (hm_column){4, 0, NULL};
    hm_table_desc desc = {.columns = columns, .column_count = WIDE, .capacity = 100};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    for (uint32_t c = 0; c < WIDE; c++) {
        size_t line = (uintptr_t)hm_table_column(&table, c) % 4096 / 64;
        CHECK(!taken[line]);
        taken[line] = true;
    }
    hm_table_fini(&table);
}

TEST(table, there_may_be_256_columns)
{
    hm_column columns[HM_TABLE_MAX_COLUMNS];
    for (uint32_t c = 0; c < HM_TABLE_MAX_COLUMNS; c++)
        columns[c] = (hm_column){1 + c % 3, 0, NULL};
    for (uint32_t layout = 0; layout < 4; layout++) {
        hm_table_desc desc = {.columns = columns, .lanes = table_lanes(layout), .capacity = 100};
        desc.column_count = HM_TABLE_MAX_COLUMNS;
        hm_table table;
        CHECK(hm_table_init(&table, &desc) == HM_OK);
        CHECK(hm_table_insert_n(&table, NULL, 100, NULL) == HM_OK);
        memset(hm_table_cell(&table, 99, 255), 1, 1);
        CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 0)));
        CHECK(test_bytes_are(hm_table_cell(&table, 0, 255), 1, 1));
        CHECK(hm_table_validate(&table) == HM_OK);
        hm_table_fini(&table);
    }
}

TABLE_TEST(table, a_table_may_be_moved)
{
    hm_table table = make(lanes, (hm_table_desc){0}), moved;
    hm_handle handles[MANY];
    fill(&table, handles, MANY);
    moved = table;
    memset(&table, 0x5A, sizeof table);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(row_holds(&moved, hm_table_row(&moved, handles[i]), i));
    CHECK(hm_table_erase(&moved, handles[3]) && !hm_handle_is_null(add(&moved, 5)));
    finish(&moved);
}

TEST(table, random_patterns_resolve_to_nothing)
{
    uint32_t rounds = test_scaled(10000000 / TABLE_LAYOUTS + 1);
    uint64_t random = test_seed("table patterns");
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table table = make(table_lanes(layout), (hm_table_desc){.type_id = 0x1234});
        hm_handle handles[MANY];
        fill(&table, handles, MANY);
        for (uint32_t i = 0; i < rounds; i++) {
            hm_handle handle = hm_handle_from_bits(test_random(&random));
            uint32_t row = hm_table_row(&table, handle);
            if (row != HM_INVALID_INDEX) { /* one in 2^50 */
                CHECK(hm_handle_equal(hm_table_handle_at(&table, row), handle));
                continue;
            }
            CHECK(hm_table_get(&table, handle, 0) == NULL && !hm_table_contains(&table, handle));
            CHECK(hm_table_explain(&table, handle) != HM_HANDLE_LIVE);
            CHECK(!hm_table_erase(&table, handle));
        }
        CHECK(hm_table_count(&table) == MANY);
        finish(&table);
    }
}

/* memory */

TABLE_TEST(table, a_reserve_makes_inserts_succeed)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_table table = make(lanes, (hm_table_desc){.capacity = 50000, .memory = &memory.table});
    hm_handle handle = add(&table, 0);
    CHECK(hm_table_reserve(&table, 20000) == HM_OK && hm_table_reserve(&table, 0) == HM_OK);
    test_memory_fail(&memory, 1, true);
    for (uint32_t i = 1; i <= 20000; i++)
        add(&table, i);
    CHECK(memory.calls == 0 && row_holds(&table, hm_table_row(&table, handle), 0));
    CHECK(hm_table_reserve(&table, 50000 - 20000) == HM_ERROR_FULL);
    CHECK(hm_table_reserve(&table, 50000 - 20001) == HM_ERROR_MEMORY);
    test_memory_fail(&memory, 0, false);
    for (uint32_t i = 0; i <= 20000; i++)
        CHECK(row_holds(&table, i, i));
    finish(&table);
    test_memory_check_released(&memory);
}

TABLE_TEST(table, upcoming_handles_are_those_of_the_rows_that_follow)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 2 * MANY});
    static hm_handle handles[MANY];
    CHECK(hm_handle_is_null(hm_table_upcoming(&table, 0)));
    fill(&table, handles, MANY);
    CHECK(hm_table_erase_n(&table, handles, MANY / 2) == MANY / 2);
    CHECK(hm_table_reserve(&table, MANY) == HM_OK);
    for (uint32_t k = 0; k < MANY; k++)
        handles[k] = hm_table_upcoming(&table, k);
    for (uint32_t k = 0; k < MANY; k++)
        CHECK(hm_handle_equal(add(&table, k), handles[k]));
    CHECK(hm_handle_is_null(hm_table_upcoming(&table, 2 * MANY)));
    finish(&table);
}

TABLE_TEST(table, trim_gives_back_what_no_row_needs)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_table table = make(lanes, (hm_table_desc){.capacity = 50000, .memory = &memory.table});
    static hm_handle handles[50000];
    fill(&table, handles, 50000);
    size_t full = hm_table_get_stats(&table).committed_size;
    CHECK(full == memory.committed_size);
    CHECK(hm_table_erase_n(&table, handles + 100, 49900) == 49900);
    CHECK(hm_table_trim(&table) == HM_OK);
    check_table(&table);
    CHECK(hm_table_get_stats(&table).committed_size == memory.committed_size);
    /* Two pages of each column, of the columns' records and of the id table's three arrays. */
    CHECK(memory.committed_size <= 2 * (COLUMNS + 4) * memory.table.page_size);
    CHECK(memory.committed_size < full);
    for (uint32_t i = 0; i < 50000; i++)
        CHECK(i < 100 ? row_holds(&table, i, i) : !hm_table_contains(&table, handles[i]));
    for (uint32_t i = 100; i < 1000; i++)
        handles[i] = add(&table, i);
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(row_holds(&table, hm_table_row(&table, handles[i]), i));
    hm_table_clear(&table);
    CHECK(hm_table_trim(&table) == HM_OK && hm_table_trim(&table) == HM_OK);
    hm_table_insert(&table, NULL);
    CHECK(row_is_zero(&table, 0));
    finish(&table);
    test_memory_check_released(&memory);
}

TABLE_TEST(table, statistics_count_everything)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_table_desc desc = {.capacity = 500, .max_slots = 700, .memory = &memory.table};
    hm_table table = make(lanes, desc);
    hm_handle handles[MANY];
    fill(&table, handles, MANY);
    CHECK(hm_table_erase_n(&table, handles, 20) == 20);
    hm_table_stats stats = hm_table_get_stats(&table);
    CHECK(stats.count == MANY - 20 && stats.slots == MANY && stats.free_slots == 20);
    CHECK(stats.capacity == 500 && stats.max_slots == 700 && stats.retired_slots == 0);
    CHECK(stats.committed_size == memory.committed_size);
    CHECK(stats.reserved_size == memory.reserved_size);
    CHECK(hm_table_capacity(&table) == 500 && hm_table_count(&table) == MANY - 20);
    CHECK(hm_table_arrange(&table, handles, MANY, NULL).done);
    stats = hm_table_get_stats(&table);
    CHECK(stats.committed_size == memory.committed_size);
    CHECK(stats.reserved_size == memory.reserved_size);
    finish(&table);
    test_memory_check_released(&memory);
}

TABLE_TEST(table, init_reserves_each_column_or_one_range_for_groups)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_table table = make(lanes, (hm_table_desc){.memory = &memory.table});
    CHECK(memory.calls == (lanes == 0 ? COLUMNS : 1) + 2 + 1); /* the last one is the commit */
    finish(&table);
}

TABLE_TEST(table, a_slot_is_retired_after_its_last_use)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 1, .max_slots = 2});
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t use = 1; use <= HM_HANDLE_MAX_GENERATION; use++) {
            hm_handle handle = hm_table_insert(&table, NULL);
            CHECK(hm_handle_index(handle) == slot && hm_handle_generation(handle) == use);
            CHECK(hm_table_erase(&table, handle));
        }
    CHECK(hm_handle_is_null(hm_table_insert(&table, NULL)));
    CHECK(hm_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(hm_table_insert_n(&table, NULL, 1, NULL) == HM_ERROR_FULL);
    CHECK(hm_table_get_stats(&table).retired_slots == 2);
    CHECK(hm_table_explain(&table, hm_handle_pack(0, 9, 0)) == HM_HANDLE_RETIRED);
    finish(&table);
}

TABLE_TEST(table, explain_says_why_a_handle_does_not_resolve)
{
    hm_table table = make(lanes, (hm_table_desc){.type_id = 5});
    hm_handle first = add(&table, 0), second = add(&table, 1);
    CHECK(hm_table_erase(&table, first));
    CHECK(hm_table_explain(&table, second) == HM_HANDLE_LIVE);
    CHECK(hm_table_explain(&table, first) == HM_HANDLE_STALE);
    CHECK(hm_table_explain(&table, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_table_explain(&table, hm_handle_pack(1, 1, 6)) == HM_HANDLE_FOREIGN);
    CHECK(hm_table_explain(&table, hm_handle_pack(1, 2, 5)) == HM_HANDLE_FORGED);
    CHECK(hm_table_explain(&table, hm_handle_pack(2, 1, 5)) == HM_HANDLE_OUT_OF_RANGE);
    finish(&table);
}

TABLE_TEST(table, memory_of_the_heap_will_do)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 3000, .memory = hm_memory_heap()});
    static hm_handle handles[3000];
    fill(&table, handles, 3000);
    CHECK(hm_table_erase_n(&table, handles, 2000) == 2000 && hm_table_trim(&table) == HM_OK);
    for (uint32_t i = 2000; i < 3000; i++)
        CHECK(row_holds(&table, hm_table_row(&table, handles[i]), i));
    finish(&table);
}

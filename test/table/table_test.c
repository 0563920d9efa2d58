/* SPDX-License-Identifier: MIT */
/* What a table promises beside what its model compares and what all containers share, for every
 * layout: lanes past the last row, large batches, addresses, alignment, and many columns. */
#include "support/memory.h"
#include "support/table.h"

/* insert */

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
    rows[LARGE - 1] = 7;
    CHECK(hm_table_row_n(&table, handles, LARGE - 1, rows) == LARGE / 2 - 1);
    CHECK(rows[LARGE - 1] == 7 && hm_table_row(&table, handles[LARGE - 2]) == rows[LARGE - 2]);
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

/* growing */

/* One table is remapped, one copied. */
TABLE_TEST(table, without_a_capacity_it_moves_with_its_rows_when_it_is_full)
{
    enum { MOST = 1 << 17 };
    for (int copies = 0; copies < 2; copies++) {
        uint32_t most = MOST / test_scale(), moves = 0;
        test_memory memory;
        test_memory_init(&memory, hm_memory_os()->page_size);
        if (copies)
            memory.table.remap = NULL;
        hm_table table;
        const hm_table_desc desc = {.columns = table_columns(),
                                    .column_count = COLUMNS,
                                    .lanes = lanes,
                                    .memory = &memory.table};
        CHECK(hm_table_init(&table, &desc) == HM_OK && memory.calls == 2);
        CHECK(hm_table_capacity(&table) == UINT32_MAX - 1);
        CHECK(hm_table_get_stats(&table).max_slots == UINT32_MAX);
        CHECK(memory.committed_size <= 4 * hm_memory_os()->page_size);
        for (uint32_t i = 0; i < most; i++) {
            const void *cells = hm_table_cell(&table, 0, PATH);
            hm_handle handle = add(&table, i);
            CHECK(hm_handle_index(handle) == i);
            moves += cells != hm_table_cell(&table, 0, PATH);
        }
        for (uint32_t i = 0; i < most; i++)
            CHECK(row_holds(&table, i, i) && hm_table_row(&table, hm_handle_pack(i, 1, 0)) == i);
        CHECK(moves >= 1 && moves <= 20);
        check_table(&table);
        CHECK(memory.reserved_size <=
              2 * (size_t)most * (48 + 12) * 5 / 4 + 128 * memory.table.page_size);
        while (hm_table_count(&table) > 1)
            CHECK(hm_table_erase_at(&table, hm_table_count(&table) - 1));
        CHECK(hm_table_trim(&table) == HM_OK && row_holds(&table, 0, 0));
        CHECK(memory.reserved_size <= 131072); /* with 512 slots */
        finish(&table);
        test_memory_check_released(&memory);
    }
}

TABLE_TEST(table, cells_of_the_table_itself_may_be_inserted_while_it_moves)
{
    for (int many = 0; many < 2; many++) {
        hm_table table;
        const hm_table_desc desc = {
            .columns = table_columns(), .column_count = COLUMNS, .lanes = lanes};
        CHECK(hm_table_init(&table, &desc) == HM_OK);
        add(&table, 0);
        for (uint32_t number = 1; number < 5000; number++) {
            const void *values[COLUMNS];
            for (uint32_t c = 0; c < COLUMNS; c++) {
                fill_cell(hm_table_cell(&table, number - 1, c), c, number);
                values[c] = hm_table_cell(&table, number - 1, c);
            }
            if (many)
                CHECK(hm_table_insert_n(&table, values, 1, NULL) == HM_OK);
            else
                CHECK(!hm_handle_is_null(hm_table_insert(&table, values)));
            CHECK(row_holds(&table, number, number) && row_holds(&table, number - 1, number));
        }
        finish(&table);
    }
}

/* The records alone are more than the first range. */
TABLE_TEST(table, without_a_capacity_it_may_have_the_most_columns)
{
    if (lanes > 16) /* The groups would be too large. */
        return;
    hm_column columns[HM_TABLE_MAX_COLUMNS];
    for (uint32_t c = 0; c < HM_TABLE_MAX_COLUMNS; c++)
        columns[c] = (hm_column){1 + c % 2 * 3, 0, NULL};
    hm_table table;
    hm_table_desc desc = {.columns = columns, .column_count = HM_TABLE_MAX_COLUMNS, .lanes = lanes};
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    for (uint32_t row = 0; row < 3000; row++) {
        uint32_t place;
        CHECK(!hm_handle_is_null(hm_table_emplace(&table, &place)) && place == row);
        for (uint32_t c = 0; c < HM_TABLE_MAX_COLUMNS; c++)
            *(unsigned char *)hm_table_cell(&table, row, c) = (unsigned char)(row * 7 + c);
    }
    for (uint32_t row = 0; row < 3000; row++)
        for (uint32_t c = 0; c < HM_TABLE_MAX_COLUMNS; c++)
            CHECK(*(unsigned char *)hm_table_cell(&table, row, c) == (unsigned char)(row * 7 + c));
    CHECK(hm_table_validate(&table) == HM_OK);
    hm_table_fini(&table);
}

/* addresses */

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
    const size_t aligns[] = {1, 8, 4096, 1, 512, 4, 128, 2, 16};
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

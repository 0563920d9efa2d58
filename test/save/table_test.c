/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of tables. */
#include "saves.h"

enum { TYPE = 9, ROWS = 3000 };

static const hm_column now[] = {{4, 0, NULL}, {8, 0, NULL}},
                       swapped[] = {{8, 0, NULL}, {4, 0, NULL}},
                       wider[] = {{8, 0, NULL}, {8, 0, NULL}, {2, 0, NULL}};

static hm_table make_empty(const hm_column *columns, uint32_t n, uint32_t lanes)
{
    hm_table table;
    hm_table_desc desc = {
        .columns = columns, .column_count = n, .lanes = lanes, .type_id = TYPE, .name = "rows"};
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    return table;
}

/* Rows of a number and its square. */
static hm_table make_squares(uint32_t n)
{
    hm_table table = make_empty(now, 2, 4);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t square = (uint64_t)i * i;
        const void *cells[] = {&i, &square};
        CHECK(!hm_handle_is_null(hm_table_insert(&table, cells)));
    }
    return table;
}

static uint64_t number_at(const hm_table *table, uint32_t row, uint32_t column)
{
    uint64_t number = 0;
    uint32_t small;
    if (table->columns[column].size == sizeof number) {
        memcpy(&number, hm_table_cell(table, row, column), sizeof number);
        return number;
    }
    memcpy(&small, hm_table_cell(table, row, column), sizeof small);
    return small;
}

/* A row as its number alone, of 3 bytes. */
static void encode(const void *item, void *bytes, void *context)
{
    const void *const *cells = item;
    uint32_t number;
    (void)context;
    memcpy(&number, cells[0], sizeof number);
    for (int i = 0; i < 3; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)(number >> 8 * i);
}

/* Takes both what encode wrote, and the bytes of a row, which begin with the number as this machine
 * has it. Refuses the number that the context says. */
static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    void *const *cells = item;
    uint64_t number = 0, before;
    uint32_t plain;
    uint16_t mark = 7;
    const uint32_t *refused = context;
    CHECK((version == 3 && size == 3) || (version == 0 && size == 12));
    for (int i = 0; i < 3; i++)
        number |= (uint64_t)((const unsigned char *)bytes)[i] << 8 * i;
    if (size == 12) {
        memcpy(&plain, bytes, sizeof plain);
        number = plain;
    }
    memcpy(&before, cells[1], sizeof before);
    CHECK(before == 0);
    memcpy(cells[0], &number, sizeof number);
    memcpy(cells[2], &mark, sizeof mark);
    return refused == NULL || *refused != number;
}

TEST(save_table, rows_go_through_encode_and_decode_into_other_columns)
{
    hm_save_desc encodes = {.version = 3, .encoded_size = 3, .encode = encode};
    hm_save_desc decodes = {.decode = decode};
    for (int i = 0; i < 2; i++) {
        hm_table table = make_squares(ROWS), loaded = make_empty(wider, 3, (uint32_t)i);
        test_file file = {0};
        CHECK(hm_table_save(&table, i == 0 ? &encodes : NULL, test_sink(&file)) == HM_OK);
        CHECK(hm_table_load(&loaded, NULL, test_source(&file)) == HM_ERROR_INVALID);
        CHECK(hm_table_load(&loaded, &decodes, test_source(&file)) == HM_OK);
        CHECK(hm_table_count(&loaded) == ROWS && hm_table_validate(&loaded) == HM_OK);
        for (uint32_t row = 0; row < ROWS; row++) {
            CHECK(number_at(&loaded, row, 0) == row && number_at(&loaded, row, 1) == 0);
            CHECK(hm_table_handle_at(&loaded, row).bits == hm_table_handle_at(&table, row).bits);
        }
        hm_table_fini(&table);
        hm_table_fini(&loaded);
        test_file_end(&file);
    }
}

TEST(save_table, columns_of_other_sizes_are_refused)
{
    hm_table table = make_squares(10), other = make_empty(swapped, 2, 0);
    hm_table fewer = make_empty(now + 1, 1, 0);
    test_file file = {0};
    CHECK(hm_table_save(&table, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_table_load(&other, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "columns have other sizes") != NULL);
    CHECK(hm_table_load(&fewer, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(hm_table_load(&table, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "has issued handles since its init: load into a new table") !=
              NULL &&
          hm_table_count(&table) == 10);
    hm_table_fini(&table);
    hm_table_fini(&other);
    hm_table_fini(&fewer);
    test_file_end(&file);
}

TEST(save_table, rows_of_4_gib_are_refused)
{
    const hm_column halves[] = {{(size_t)1 << 31, 0, NULL}, {(size_t)1 << 31, 0, NULL}};
    if (!test_has_addresses((uint64_t)1 << 33, "a row of 4 GiB"))
        return;
    hm_table small = make_squares(10), large;
    const hm_table_desc desc = {
        .columns = halves, .column_count = 2, .capacity = 1, .type_id = TYPE, .name = "rows"};
    test_file file = {0};
    CHECK(hm_table_init(&large, &desc) == HM_OK);
    CHECK(hm_table_save(&large, NULL, test_sink(&file)) == HM_ERROR_INVALID && file.size == 0);
    CHECK(strstr(hm_last_error(), "a row has more than 4294967295 bytes") != NULL);
    CHECK(hm_table_save(&small, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_table_load(&large, NULL, test_source(&file)) == HM_ERROR_INVALID);
    hm_table_fini(&small);
    hm_table_fini(&large);
    test_file_end(&file);
}

/* SPDX-License-Identifier: MIT */
/* The row of the table: every layout. */
#include "saves.h"

enum { TYPE_OF_TABLES = 79, BURST = 600, CELL_MOST = 9000 };

static const hm_column small[] = {{4, 0, NULL}, {8, 0, NULL}, {1, 0, NULL}, {8, 0, NULL}},
                       odd[] = {{3, 1, NULL}, {12, 4, NULL}, {1, 0, NULL}, {1, 0, NULL}},
                       large[] = {{40, 0, NULL}, {CELL_MOST, 0, NULL}, {2, 0, NULL}};

/* `other`: the lanes of the table that is loaded. */
static const struct {
    const hm_column *columns;
    uint32_t column_count, lanes, other, capacity, max_slots;
} shapes[] = {
    {small, 4, 0, 0, 0, 0},   {small, 4, 8, 0, 0, 700},      {odd, 4, 1, 8, 700, 1300},
    {odd, 4, 0, 1, 0, 3000},  {large, 3, 0, 0, 4, 90},       {large, 1, 4, 1, 0, 0},
    {small, 4, 4, 4, 64, 64}, {small, 2, 16, 0, 1000, 4000}, {odd, 4, 0, 0, 5, 5000},
    {large, 2, 0, 0, 0, 5},
};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    hm_table_desc desc = {.columns = shapes[shape].columns,
                          .column_count = shapes[shape].column_count,
                          .lanes = memory == NULL ? shapes[shape].lanes : shapes[shape].other,
                          .capacity = shapes[shape].capacity,
                          .max_slots = shapes[shape].max_slots,
                          .type_id = TYPE_OF_TABLES,
                          .memory = memory,
                          .name = "things"};
    CHECK(hm_table_init(&made->table, &desc) == HM_OK);
}

static saved_answer add(saved *made, uint64_t *random)
{
    hm_table *table = &made->table;
    uint64_t state = *random;
    uint32_t row;
    hm_handle handle = hm_table_emplace(table, &row);
    for (uint32_t c = 0; c < table->column_count && !hm_handle_is_null(handle); c++)
        saved_fill(hm_table_cell(table, row, c), table->columns[c].size, &state);
    return saved_issued(handle);
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_table *table = &made->table;
    uint32_t count = hm_table_count(table);
    bool is_large = table->columns[0].size == large[0].size;
    if (choice < 30)
        saved_age(&table->ids, random);
    else if (choice < 60)
        (void)hm_table_adopt(
            table, saved_adoptee(table->ids.slot_count, table->ids.type_id, random), NULL);
    else if (choice < 400)
        (void)hm_table_erase_at(table, test_random_below(random, count + 1));
    else if (choice < 420) /* the last ones, so that a trim drops slots */
        for (uint32_t n = test_random_below(random, count + 1); n > 0; n--)
            CHECK(hm_table_erase_at(table, hm_table_count(table) - 1));
    else
        return choice < 440 ? test_random_below(random, is_large ? 9 : BURST) : 1;
    return 0;
}

/* Lanes behind the last row are zero. */
static void check_lanes(const hm_table *table)
{
    uint32_t count = hm_table_count(table), end = table->lanes * hm_table_group_count(table);
    for (uint32_t row = count; row < end; row++)
        for (uint32_t c = 0; c < table->column_count; c++) {
            const unsigned char *cell = hm_table_address(table, &table->columns[c], row);
            for (size_t i = 0; i < table->columns[c].size; i++)
                CHECK(cell[i] == 0);
        }
}

static void compare(const saved *a, const saved *b)
{
    const hm_table *table = &a->table, *other = &b->table;
    saved_compare_ids(&table->ids, &other->ids);
    for (uint32_t row = 0; row < hm_table_count(table); row++)
        for (uint32_t c = 0; c < table->column_count; c++)
            CHECK(memcmp(hm_table_cell(table, row, c), hm_table_cell(other, row, c),
                         table->columns[c].size) == 0);
    check_lanes(other);
}

SAVED_KIND(table)

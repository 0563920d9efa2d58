/* SPDX-License-Identifier: MIT */
/* HM_TABLE_DEFINE: as many columns as it takes, one, and none that is used. typed/typed_test.c
 * calls every function; checks/types.sh shows that a handle of another type does not compile. */
#include "support/table.h"

#define ONE_COLUMN(COLUMN) COLUMN(double, weight)
HM_TABLE_DEFINE(weights, 0x7FFF, ONE_COLUMN)

/* Defined and never used: must not cause a warning. */
#define IDLE_COLUMNS(COLUMN) COLUMN(long, first) COLUMN(const void *, second)
HM_TABLE_DEFINE(idle, 9, IDLE_COLUMNS)

#define EIGHT(COLUMN, p)                                                                           \
    COLUMN(char, p##0)                                                                             \
    COLUMN(short, p##1)                                                                            \
    COLUMN(int, p##2)                                                                              \
    COLUMN(float, p##3)                                                                            \
    COLUMN(double, p##4) COLUMN(char, p##5) COLUMN(short, p##6) COLUMN(int, p##7)
#define WIDE_COLUMNS(COLUMN)                                                                       \
    EIGHT(COLUMN, a)                                                                               \
    EIGHT(COLUMN, b)                                                                               \
    EIGHT(COLUMN, c)                                                                               \
    EIGHT(COLUMN, d) EIGHT(COLUMN, e) EIGHT(COLUMN, f) EIGHT(COLUMN, g) EIGHT(COLUMN, h)
HM_TABLE_DEFINE(wide, 1, WIDE_COLUMNS)

TEST(table_typed, sixty_four_columns_are_numbered_in_order)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        wide_table table;
        hm_table_desc desc = {.lanes = table_lanes(layout), .capacity = 10};
        CHECK(wide_a0_column == 0 && wide_b0_column == 8 && wide_h7_column == 63);
        CHECK(wide_table_init_desc(&table, &desc) == HM_OK);
        wide_row row = {.a0 = 1, .d4 = 2.5, .h7 = 63};
        wide_handle handle = wide_table_insert(&table, &row);
        CHECK(*wide_a0_get(&table, handle) == 1 && *wide_h7_get(&table, handle) == 63);
        CHECK(*wide_d4_get(&table, handle) > 2 && *wide_h6_get(&table, handle) == 0);
        CHECK((uintptr_t)wide_g4_get(&table, handle) % _Alignof(double) == 0);
        wide_table_fini(&table);
    }
}

TEST(table_typed, init_takes_only_a_capacity)
{
    weights_table table;
    uint32_t row = 7;
    CHECK(weights_table_init(&table, 2) == HM_OK && weights_table_capacity(&table) == 2);
    CHECK(strcmp(table.table.name, "weights") == 0);
    weights_handle handle = weights_table_emplace(&table, &row);
    CHECK(row == 0 && hm_handle_type_id(handle.id) == 0x7FFF);
    weights_weight(&table)[row] = 1.5;
    CHECK(weights_weight_get(&table, handle) == weights_weight(&table));
    CHECK(!weights_handle_is_null(weights_table_insert(&table, NULL)));
    CHECK(weights_table_emplace(&table, &row).id.bits == 0 && row == HM_INVALID_INDEX);
    weights_table_clear(&table);
    weights_table_fini(&table);
    weights_table_fini(&table);
    CHECK(weights_table_init(&table, UINT32_MAX) == HM_ERROR_INVALID);
    CHECK(weights_table_count(&table) == 0);
}

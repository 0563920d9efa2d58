/* SPDX-License-Identifier: MIT */
/* What a table's init refuses, each with its sentence, and that validate sees damage. */
#include "support/table.h"

#include "support/damage.h"
#include "support/last_error.h"

/* init */

/* Whether init refuses with this sentence and leaves a zeroed table. */
static bool is_refused(hm_table_desc desc, const char *sentence)
{
    static const hm_table zero;
    hm_table table;
    memset(&table, 0x5A, sizeof table);
    if (hm_table_init(&table, &desc) != HM_ERROR_INVALID)
        return false;
    return says_of_init("table", desc.name, sentence) && memcmp(&table, &zero, sizeof zero) == 0;
}

static bool column_is_refused(size_t size, size_t align, const char *name, const char *sentence)
{
    const hm_column columns[] = {{4, 4, "first"}, {size, align, name}};
    bool refused = true;
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table_desc desc = {.columns = columns, .column_count = 2};
        desc.lanes = table_lanes(layout);
        refused = refused && is_refused(desc, sentence);
    }
    return refused;
}

TEST(table_contract, init_refuses_columns_that_no_table_has)
{
    hm_column columns[HM_TABLE_MAX_COLUMNS + 1];
    for (uint32_t c = 0; c <= HM_TABLE_MAX_COLUMNS; c++)
        columns[c] = (hm_column){4, 0, NULL};
    hm_table_desc desc = {.columns = NULL, .column_count = COLUMNS};
    CHECK(is_refused(desc, "columns is NULL"));
    desc = (hm_table_desc){.columns = columns};
    CHECK(is_refused(desc, "column_count is 0"));
    desc.column_count = HM_TABLE_MAX_COLUMNS + 1;
    CHECK(is_refused(desc, "column_count 257 is above 256"));
    CHECK(column_is_refused(0, 0, "x", "column 1 (x): size is 0"));
    CHECK(column_is_refused(0, 4, NULL, "column 1 (no name): size is 0"));
    CHECK(column_is_refused(12, 3, "x", "column 1 (x): align 3 is not a power of two"));
    CHECK(column_is_refused(12, 12, "x", "column 1 (x): align 12 is not a power of two"));
    CHECK(column_is_refused(8192, 8192, "x", "column 1 (x): align 8192 is above 4096"));
    CHECK(column_is_refused(6, 4, "x", "column 1 (x): size 6 is not a multiple of align 4"));
    CHECK(column_is_refused(1, 2, "a column whose name is long, longer than any other",
                            "column 1 (a column whose name is long, lon): size 1 is not a multiple "
                            "of align 2"));
}

TEST(table_contract, init_refuses_lanes_that_do_not_fit)
{
    const hm_column columns[] = {{1, 0, NULL}, {4, 0, NULL}, {3, 0, NULL}, {8192, 4096, NULL}};
    hm_table_desc desc = {.columns = columns, .column_count = 3, .capacity = 100};
    desc.lanes = 3;
    CHECK(is_refused(desc, "lanes 3 is not a power of two"));
    desc.lanes = UINT32_MAX;
    CHECK(is_refused(desc, "lanes 4294967295 is not a power of two"));
    desc.lanes = 4096;
    CHECK(is_refused(desc, "a group of 4096 lanes is above 16384 bytes"));
    desc.lanes = 32768; /* not even one cell has space */
    CHECK(is_refused(desc, "a group of 32768 lanes is above 16384 bytes"));
    desc.lanes = UINT32_C(1) << 31;
    CHECK(is_refused(desc, "a group of 2147483648 lanes is above 16384 bytes"));
    desc.lanes = 2;
    desc.column_count = 4;
    CHECK(is_refused(desc, "a group of 2 lanes is above 16384 bytes"));
    const hm_column wide[] = {{16385, 0, NULL}};
    desc.columns = wide;
    desc.column_count = 1;
    desc.lanes = 1;
    CHECK(is_refused(desc, "a group of 1 lanes is above 16384 bytes"));
    const hm_column huge[] = {{SIZE_MAX / 2 + 1, 0, NULL}};
    desc.columns = huge;
    desc.lanes = 2;
    CHECK(is_refused(desc, "a group of 2 lanes is above 16384 bytes"));
}

TEST(table_contract, a_group_may_have_16_kib)
{
    const hm_column columns[] = {{8192, 4096, NULL}, {1, 0, NULL}, {4096, 4096, NULL}};
    const hm_column bytes[] = {{1, 0, NULL}};
    hm_table_desc desc = {.columns = columns, .column_count = 1, .lanes = 2, .capacity = 10};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_insert_n(&table, NULL, 10, NULL) == HM_OK);
    hm_table_fini(&table);
    desc.lanes = 1;
    desc.column_count = 3; /* The gap behind the single byte counts. */
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    hm_table_fini(&table);
    desc.columns = bytes;
    desc.column_count = 1;
    desc.lanes = 16384;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_insert_n(&table, NULL, 10, NULL) == HM_OK && hm_table_group_count(&table) == 1);
    hm_table_fini(&table);
}

/* One loop moves the cells of a run. Without runs each cell would cost a choice of its size. */
TEST(table_contract, columns_of_one_size_that_follow_each_other_are_a_run)
{
    static const size_t sizes[] = {4, 4, 8, 8, 8, 4, 12, 12};
    static const uint32_t runs[] = {2, 1, 3, 2, 1, 1, 2, 1};
    hm_column columns[8];
    for (uint32_t c = 0; c < 8; c++)
        columns[c] = (hm_column){sizes[c], 0, NULL};
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table_desc desc = {.columns = columns, .column_count = 8, .capacity = 100};
        desc.lanes = table_lanes(layout);
        hm_table table;
        CHECK(hm_table_init(&table, &desc) == HM_OK);
        for (uint32_t c = 0; c < 8; c++)
            CHECK(table.columns[c].run == runs[c]);
        hm_table_fini(&table);
    }
}

/* Each takes a little more than half of all addresses. */
TEST(table_contract, init_refuses_columns_that_fit_in_size_t_only_one_by_one)
{
    const bool is_wide = sizeof(size_t) > 4;
    const size_t size = is_wide ? ((size_t)1 << 31) + 16 : ((size_t)1 << 21) + 4096;
    const hm_column columns[] = {{size, 1, NULL}, {size, 1, NULL}};
    hm_table_desc desc = {.columns = columns, .column_count = 2};
    hm_table table;
    desc.capacity = is_wide ? UINT32_MAX - 15 : 1024;
    CHECK(hm_table_init(&table, &desc) == HM_ERROR_MEMORY);
    CHECK(hm_table_capacity(&table) == 0);
}

static uint64_t no_key(const void *cell, void *context)
{
    (void)cell, (void)context;
    return 0;
}

/* validate */

/* Breaks one thing in a table that is in order. */
static int damage(hm_table *table, int how)
{
    int number = 0;
    const char *columns = "the table's columns, count and committed memory disagree";
    bool is_grouped = table->lanes != 0;
    hm_cells *cells = table->columns;
    DAMAGE("the id table's counts and arrays disagree", table->ids.count = table->committed + 1);
    DAMAGE(columns, table->committed = table->ids.count - 1);
    DAMAGE(columns, table->guard.limit--);
    DAMAGE(columns, table->arrays[0].data = NULL);
    DAMAGE(columns, table->arrays[0].limit = 1);
    DAMAGE(columns, table->guard.flags &= ~(uint32_t)HM_GUARD_ORDERED);
    if (is_grouped)
        DAMAGE(columns, cells[1].base = cells[0].base + cells[0].stride);
    if (is_grouped)
        DAMAGE(columns, cells[1].base = cells[0].base - 1);
    return number;
}

TABLE_TEST(table_contract, validate_sees_damage)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 100});
    hm_handle handles[50];
    const hm_order order = {.key = no_key};
    fill(&table, handles, 50);
    CHECK(hm_table_defragment(&table, 0, &order, NULL).done);
    const hm_table whole = table;
    const hm_cells column = table.columns[1];
    const hm_array array = table.arrays[0];
    for (int how = 0, damages = 1; how < damages; how++) {
        damages = damage(&table, how);
        CHECK(is_told(hm_table_validate(&table)));
        table.columns[1] = column;
        table.arrays[0] = array;
        table = whole;
        CHECK(hm_table_validate(&table) == HM_OK);
    }
    finish(&table);
}

DEATH_TEST(table_contract, defragment_by_a_column_out_of_range_panics)
{
    hm_table table = make(8, (hm_table_desc){.capacity = 10});
    const hm_order order = {.key = no_key};
    test_expect_panic_of("dense.c", "hm_table_defragment: the column is out");
    hm_table_defragment(&table, COLUMNS, &order, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What a table refuses: invalid descriptors, each with its sentence, and calls that break a
 * contract; what every function returns for a table of capacity 0; and that validate sees damage.
 */
#include "support/memory.h"
#include "support/table.h"

#include <stdio.h>

/* init */

/* Whether init refuses with this sentence and leaves a zeroed table. */
static bool is_refused(hm_table_desc desc, const char *sentence)
{
    static const hm_table zero;
    hm_table table;
    memset(&table, 0x5A, sizeof table);
    if (hm_table_init(&table, &desc) != HM_ERROR_INVALID)
        return false;
    if (strcmp(hm_last_error(), sentence) != 0)
        fprintf(stderr, "said: %s\n", hm_last_error());
    return strcmp(hm_last_error(), sentence) == 0 && memcmp(&table, &zero, sizeof zero) == 0;
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

TEST(table_contract, init_refuses_null)
{
    hm_table table;
    hm_table_desc desc = {.columns = table_columns(), .column_count = COLUMNS};
    CHECK(hm_table_init(NULL, &desc) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "hm_table_init: table is NULL") == 0);
    memset(&table, 0x5A, sizeof table);
    CHECK(hm_table_init(&table, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "hm_table_init: desc is NULL") == 0);
    CHECK(hm_table_capacity(&table) == 0);
    desc.columns = NULL;
    CHECK(is_refused(desc, "hm_table_init: columns is NULL"));
}

TEST(table_contract, init_refuses_columns_that_no_table_has)
{
    hm_column columns[HM_TABLE_MAX_COLUMNS + 1];
    for (uint32_t c = 0; c <= HM_TABLE_MAX_COLUMNS; c++)
        columns[c] = (hm_column){4, 0, NULL};
    hm_table_desc desc = {.columns = columns};
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

TEST(table_contract, init_refuses_what_the_id_table_refuses)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table_desc desc = {.columns = table_columns(), .column_count = COLUMNS};
        desc.lanes = table_lanes(layout);
        desc.capacity = 10;
        desc.max_slots = 9;
        CHECK(is_refused(desc, "max_slots 9 is below capacity 10"));
        desc.capacity = 0;
        CHECK(is_refused(desc, "max_slots 9 is below capacity 1048576"));
        desc.max_slots = 0;
        desc.type_id = 0x8000;
        CHECK(is_refused(desc, "type_id 32768 is above 32767"));
        desc.type_id = 0;
        desc.capacity = UINT32_MAX;
        if (sizeof(size_t) > 4)
            CHECK(is_refused(desc, "capacity 4294967295 is above 4294967294"));
    }
}

TEST(table_contract, by_default_every_column_has_an_address_for_each_row_of_a_map)
{
    const hm_column columns[] = {{4, 0, NULL}, {1, 0, NULL}};
    hm_table_desc desc = {.columns = columns, .column_count = 2};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    CHECK(hm_table_capacity(&table) == HM_DEFAULT_CAPACITY);
    CHECK(table.arrays[0].capacity == 4 * (size_t)HM_DEFAULT_CAPACITY);
    CHECK(table.arrays[1].capacity == HM_DEFAULT_CAPACITY + (size_t)64); /* the skew */
    CHECK(table.arrays[0].reserved_size == table.arrays[0].capacity);    /* It counts bytes. */
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

/* The capacity is the largest too, so that the number of groups must not wrap around. */
TEST(table_contract, init_refuses_sizes_that_overflow)
{
    static const uint32_t capacities[] = {2, 1000, 0, UINT32_MAX - 1};
    static const size_t sizes[] = {SIZE_MAX / 2 + 1, SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 4};
    for (uint32_t i = 0; i < 16; i++) {
        hm_column column = {sizes[i % 4], 1, "x"};
        hm_table_desc desc = {.columns = &column, .column_count = 1, .capacity = capacities[i / 4]};
        hm_table table;
        CHECK(hm_table_init(&table, &desc) == HM_ERROR_INVALID);
        CHECK(strstr(hm_last_error(), "does not fit in size_t") != NULL);
        CHECK(hm_table_capacity(&table) == 0);
    }
}

TEST(table_contract, init_refuses_a_memory_table_that_breaks_its_contract)
{
    for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++)
        for (uint32_t layout = 0; layout < 4; layout++) {
            hm_table table;
            test_memory memory;
            test_memory_init(&memory, 65536);
            test_memory_break(&memory, flaw);
            hm_table_desc desc = {.columns = table_columns(), .column_count = COLUMNS};
            desc.lanes = table_lanes(layout);
            desc.memory = &memory.table;
            CHECK(hm_table_init(&table, &desc) == HM_ERROR_INVALID);
            CHECK(hm_table_validate(&table) == HM_OK && hm_table_capacity(&table) == 0);
            test_memory_check_released(&memory);
        }
}

TEST(table_contract, nothing_of_the_descriptor_is_kept)
{
    hm_column columns[] = {{4, 4, "x"}, {8, 8, "y"}};
    hm_table_desc desc = {.columns = columns, .column_count = 2, .lanes = 8, .capacity = 10};
    hm_table table;
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    memset(columns, 0xFF, sizeof columns);
    memset(&desc, 0xFF, sizeof desc);
    CHECK(hm_table_insert_n(&table, NULL, 10, NULL) == HM_OK);
    CHECK(hm_table_validate(&table) == HM_OK);
    hm_table_fini(&table);
}

/* capacity 0 */

static uint64_t no_key(const void *cell, void *context)
{
    (void)cell, (void)context;
    return 0;
}

static bool none(const hm_table *table, uint32_t row, void *context)
{
    (void)table, (void)row, (void)context;
    return false;
}

/* Checks what every function returns for a table that can never have a row. */
static void check_capacity_zero(hm_table *table)
{
    const hm_handle first = hm_handle_pack(0, 1, 0);
    const hm_order order = {.key = no_key};
    uint32_t row = 7;
    bool alive = true;
    CHECK(hm_handle_is_null(hm_table_insert(table, NULL)));
    CHECK(strcmp(hm_last_error(), "the table has no capacity: was it initialised?") == 0);
    CHECK(hm_handle_is_null(hm_table_emplace(table, &row)) && row == HM_INVALID_INDEX);
    CHECK(hm_table_insert_n(table, NULL, 1, NULL) == HM_ERROR_FULL);
    CHECK(hm_table_insert_n(table, NULL, 0, NULL) == HM_OK);
    CHECK(hm_table_reserve(table, 1) == HM_ERROR_FULL && hm_table_reserve(table, 0) == HM_OK);
    CHECK(hm_handle_is_null(hm_table_upcoming(table, 0)));
    CHECK(!hm_table_erase(table, first) && hm_table_erase_n(table, &first, 1) == 0);
    CHECK(hm_table_erase_if(table, none, NULL) == 0);
    CHECK(hm_table_row_n(table, &first, 1, &row) == 0 && row == HM_INVALID_INDEX);
    CHECK(hm_table_contains_n(table, &first, 1, &alive) == 0 && !alive);
    CHECK(hm_table_row(table, first) == HM_INVALID_INDEX && !hm_table_contains(table, first));
    CHECK(hm_table_get(table, first, 0) == NULL && hm_table_cell(table, 0, 0) == NULL);
    CHECK(hm_table_column(table, 0) == NULL && hm_table_group(table, 0, 0) == NULL);
    CHECK(hm_table_group_count(table) == 0);
    CHECK(hm_table_count(table) == 0 && hm_table_capacity(table) == 0);
    CHECK(hm_handle_is_null(hm_table_handle_at(table, 0)));
    CHECK(hm_handle_is_null(hm_table_handle_of(table, table, 0)));
    CHECK(hm_table_defragment(table, 0, &order, (hm_budget){0, 0}).done);
    CHECK(hm_table_defragment(table, 9, &order, (hm_budget){0, 0}).done);
    CHECK(hm_table_arrange(table, &first, 1, (hm_budget){0, 0}).done);
    hm_table_touch(table, first);
    hm_table_touch_all(table);
    CHECK(hm_table_trim(table) == HM_OK && hm_table_validate(table) == HM_OK);
    CHECK(hm_table_explain(table, first) == HM_HANDLE_OUT_OF_RANGE);
    hm_table_clear(table);
    hm_table_stats stats = hm_table_get_stats(table), zero = {0};
    CHECK(memcmp(&stats, &zero, sizeof stats) == 0);
    hm_table_fini(table);
    hm_table_fini(table);
}

TEST(table_contract, a_zeroed_table_is_a_valid_empty_one)
{
    hm_table table = {0};
    check_capacity_zero(&table);
    check_capacity_zero(&table);
}

TEST(table_contract, a_table_whose_init_failed_is_a_valid_empty_one)
{
    test_memory memory;
    hm_table table;
    CHECK(hm_table_init(&table, &(hm_table_desc){.capacity = 5}) == HM_ERROR_INVALID);
    check_capacity_zero(&table);
    test_memory_init(&memory, 65536);
    test_memory_fail(&memory, 2, false);
    hm_table_desc desc = {.columns = table_columns(), .column_count = COLUMNS};
    desc.memory = &memory.table;
    CHECK(hm_table_init(&table, &desc) == HM_ERROR_MEMORY);
    check_capacity_zero(&table);
    test_memory_check_released(&memory);
}

/* validate */

enum { DAMAGES = 10 };

/* Breaks one thing in a table that is in order, or restores it. */
static void damage(hm_table *table, int how, bool restore)
{
    static hm_table kept;
    static hm_cells column;
    static hm_array array;
    if (restore) {
        table->columns[1] = column;
        table->arrays[0] = array;
        *table = kept;
        return;
    }
    kept = *table;
    column = table->columns[1];
    array = table->arrays[0];
    if (how == 0)
        table->ids.count = table->committed + 1;
    if (how == 1)
        table->committed = table->ids.count - 1;
    if (how == 2)
        table->guard.limit--;
    if (how == 3)
        table->arrays[0].data = NULL;
    if (how == 4)
        table->arrays[0].limit = 1;
    if (how == 5 && table->lanes != 0)
        table->columns[1].base = table->columns[0].base + table->columns[0].stride;
    if (how == 6 && table->lanes != 0)
        table->columns[1].base = table->columns[0].base - 1;
    if (how == 7 || (table->lanes == 0 && (how == 5 || how == 6)))
        table->managed = 1;
    if (how == 8)
        table->managed = 0;
    if (how == 9)
        table->managed++;
}

TABLE_TEST(table_contract, validate_sees_damage)
{
    hm_table table = make(lanes, (hm_table_desc){.capacity = 100});
    hm_handle handles[50];
    const hm_order order = {.key = no_key};
    fill(&table, handles, 50);
    CHECK(hm_table_defragment(&table, 0, &order, (hm_budget){0, 0}).done);
    for (int how = 0; how < DAMAGES; how++) {
        damage(&table, how, false);
        CHECK(hm_table_validate(&table) == HM_ERROR_CORRUPT);
        damage(&table, how, true);
        CHECK(hm_table_validate(&table) == HM_OK);
    }
    finish(&table);
}

/* Broken contracts. */

static hm_table *const no_table;
static const hm_handle some[1];

/* The panic names the file of the function: inline ones are in the header. */
#define PANIC_TEST(name, file, message, call)                                                      \
    DEATH_TEST(table_contract, name##_panics)                                                      \
    {                                                                                              \
        hm_table table = make(8, (hm_table_desc){.capacity = 10});                                 \
        const hm_order order = {.key = no_key}, nothing = {.key = NULL};                           \
        const hm_budget unlimited = {0, 0};                                                        \
        uint32_t rows[1];                                                                          \
        bool alive[1];                                                                             \
        (void)order, (void)nothing, (void)unlimited, (void)rows, (void)alive, (void)table;         \
        test_expect_panic_of(file, message);                                                       \
        (void)(call);                                                                              \
    }

#define NULL_TEST(name, file, call)                                                                \
    PANIC_TEST(name##_of_null, file, "hm_table_" #name ": table is NULL", call)

NULL_TEST(fini, "table.c", (hm_table_fini(no_table), 0))
NULL_TEST(insert, "table.c", hm_table_insert(no_table, NULL))
NULL_TEST(emplace, "table.c", hm_table_emplace(no_table, rows))
NULL_TEST(insert_n, "table.c", hm_table_insert_n(no_table, NULL, 0, NULL))
NULL_TEST(erase, "table.c", hm_table_erase(no_table, *some))
NULL_TEST(erase_n, "table.c", hm_table_erase_n(no_table, some, 1))
NULL_TEST(erase_if, "table.c", hm_table_erase_if(no_table, none, NULL))
NULL_TEST(row_n, "table.c", hm_table_row_n(no_table, some, 1, rows))
NULL_TEST(contains_n, "table.c", hm_table_contains_n(no_table, some, 1, alive))
NULL_TEST(reserve, "table.c", hm_table_reserve(no_table, 0))
NULL_TEST(upcoming, "table.c", hm_table_upcoming(no_table, 0))
NULL_TEST(clear, "table.c", (hm_table_clear(no_table), 0))
NULL_TEST(trim, "table.c", hm_table_trim(no_table))
NULL_TEST(validate, "table.c", hm_table_validate(no_table))
NULL_TEST(handle_of, "table.c", hm_table_handle_of(no_table, NULL, 0))
NULL_TEST(as_owners, "table.c", hm_table_as_owners(no_table))
NULL_TEST(explain, "table.c", hm_table_explain(no_table, *some))
NULL_TEST(get_stats, "table.c", (hm_table_get_stats(no_table), 0))
NULL_TEST(defragment, "table.c", (hm_table_defragment(no_table, 0, &order, unlimited), 0))
NULL_TEST(arrange, "table.c", (hm_table_arrange(no_table, NULL, 0, unlimited), 0))
NULL_TEST(touch, "table.c", (hm_table_touch(no_table, *some), 0))
NULL_TEST(touch_all, "table.c", (hm_table_touch_all(no_table), 0))
NULL_TEST(row, "table.h", hm_table_row(no_table, *some))
NULL_TEST(contains, "table.h", hm_table_contains(no_table, *some))
NULL_TEST(count, "table.h", hm_table_count(no_table))
NULL_TEST(capacity, "table.h", hm_table_capacity(no_table))
NULL_TEST(handle_at, "table.h", (hm_table_handle_at(no_table, 0), 0))
NULL_TEST(cell, "table.h", hm_table_cell(no_table, 0, 0))
NULL_TEST(get, "table.h", hm_table_get(no_table, *some, 0))
NULL_TEST(column, "table.h", hm_table_column(no_table, 0))
NULL_TEST(group_count, "table.h", hm_table_group_count(no_table))
NULL_TEST(group, "table.h", hm_table_group(no_table, 0, 0))

PANIC_TEST(emplace_without_a_row, "table.c", "hm_table_emplace: row is NULL",
           hm_table_emplace(&table, NULL))
PANIC_TEST(erase_n_without_handles, "table.c", "hm_table_erase_n: handles is NULL",
           hm_table_erase_n(&table, NULL, 1))
PANIC_TEST(erase_if_without_a_predicate, "table.c", "hm_table_erase_if: doomed is NULL",
           hm_table_erase_if(&table, NULL, NULL))
PANIC_TEST(row_n_without_handles, "table.c", "hm_table_row_n: handles is NULL",
           hm_table_row_n(&table, NULL, 1, rows))
PANIC_TEST(row_n_without_rows, "table.c", "hm_table_row_n: rows is NULL",
           hm_table_row_n(&table, some, 1, NULL))
PANIC_TEST(contains_n_without_handles, "table.c", "hm_table_contains_n: handles is NULL",
           hm_table_contains_n(&table, NULL, 1, alive))
PANIC_TEST(contains_n_without_answers, "table.c", "hm_table_contains_n: alive is NULL",
           hm_table_contains_n(&table, some, 1, NULL))
PANIC_TEST(arrange_without_handles, "table.c", "hm_table_arrange: order is NULL",
           (hm_table_arrange(&table, NULL, 1, unlimited), 0))
PANIC_TEST(defragment_without_an_order, "table.c", "hm_table_defragment: the order has neither",
           (hm_table_defragment(&table, 0, NULL, unlimited), 0))
PANIC_TEST(defragment_without_functions, "table.c", "hm_table_defragment: the order has neither",
           (hm_table_defragment(&table, 0, &nothing, unlimited), 0))
PANIC_TEST(defragment_without_a_column, "table.c", "hm_table_defragment: the column is out",
           (hm_table_defragment(&table, COLUMNS, &order, unlimited), 0))

/* SPDX-License-Identifier: MIT */
/* Order in a table, for every layout: defragment by any column, arrange, touch and touch_all. All
 * cells of a row move together, and the lanes past the last row stay zero. */
#include "support/table.h"

enum { ROWS = 300 };

static int compare_numbers(const void *a, const void *b, void *context)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (context != NULL)
        ++*(uint64_t *)context;
    return (x > y) - (x < y);
}

static uint64_t number_of(const void *cell, void *context)
{
    uint32_t number;
    (void)context;
    memcpy(&number, cell, sizeof number);
    return number;
}

static uint64_t falling_number_of(const void *cell, void *context)
{
    return UINT32_MAX - number_of(cell, context);
}

/* Rises with the number's lowest byte: see fill_cell. */
static uint64_t shade_of(const void *cell, void *context)
{
    (void)context;
    return *(const unsigned char *)cell;
}

static const hm_order by_number = {.key = number_of};
static const hm_order falling = {.key = falling_number_of};
static const hm_order by_shade = {.key = shade_of};

/* Adds the numbers from 0 to n - 1 in a random order; handles[i] is that of the number i. */
static void shuffle(hm_table *table, hm_handle *handles, uint32_t n, uint64_t *random)
{
    uint32_t numbers[ROWS];
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    for (uint32_t i = n; i > 0; i--) {
        uint32_t other = test_random_below(random, i), number = numbers[other];
        numbers[other] = numbers[i - 1];
        handles[number] = add(table, number);
    }
}

/* All rows are there, each whole, and their handles name them. */
static void check_rows(const hm_table *table, const hm_handle *handles, uint32_t n)
{
    check_table(table);
    CHECK(hm_table_count(table) == n);
    for (uint32_t i = 0; i < n; i++)
        CHECK(row_holds(table, hm_table_row(table, handles[i]), i));
}

TEST(table_order, defragment_brings_rows_into_the_order_of_a_column)
{
    uint64_t random = test_seed("table order");
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_table table = make(table_lanes(layout), (hm_table_desc){0});
        hm_handle handles[ROWS];
        uint64_t compares = 0;
        const hm_order by_compare = {.compare = compare_numbers, .context = &compares};
        shuffle(&table, handles, ROWS, &random);
        hm_progress progress = hm_table_defragment(&table, NUMBER, &by_compare, NULL);
        CHECK(progress.done && progress.compares == compares && progress.swaps < ROWS);
        check_rows(&table, handles, ROWS);
        for (uint32_t row = 0; row < ROWS; row++)
            CHECK(number_at(&table, row) == row);
        CHECK(hm_table_defragment(&table, NUMBER, &falling, NULL).done);
        for (uint32_t row = 0; row < ROWS; row++)
            CHECK(number_at(&table, row) == ROWS - 1 - row);
        check_rows(&table, handles, ROWS);
        finish(&table);
    }
}

static bool is_in_order_of(const hm_table *table, uint32_t column,
                           uint64_t (*key)(const void *cell, void *context))
{
    for (uint32_t row = 1; row < hm_table_count(table); row++)
        if (key(hm_table_cell(table, row - 1, column), NULL) >
            key(hm_table_cell(table, row, column), NULL))
            return false;
    return true;
}

/* The same functions and another column are another order. */
TABLE_TEST(table_order, another_column_is_another_order)
{
    uint64_t random = test_seed("table columns");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    shuffle(&table, handles, ROWS, &random);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t column = SHADE; column < COLUMNS; column++) {
            CHECK(hm_table_defragment(&table, column, &by_shade, NULL).done);
            CHECK(is_in_order_of(&table, column, shade_of));
            check_rows(&table, handles, ROWS);
            hm_progress again = hm_table_defragment(&table, column, &by_shade, NULL);
            CHECK(again.done && again.swaps == 0 && again.compares == 0);
        }
    /* In the middle of one order the other begins. */
    hm_table_defragment(&table, SHADE, &by_shade, &(hm_budget){.max_swaps = 40});
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    CHECK(is_in_order_of(&table, NUMBER, number_of));
    check_rows(&table, handles, ROWS);
    finish(&table);
}

TABLE_TEST(table_order, a_budget_is_kept)
{
    uint64_t random = test_seed("table budget");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    shuffle(&table, handles, ROWS, &random);
    uint32_t calls = 0, most = 100000;
    for (bool done = false; !done && calls < most; calls++) {
        hm_budget budget = {.max_swaps = 1 + calls % 5, .max_compares = 1 + calls % 7};
        hm_progress progress = hm_table_defragment(&table, NUMBER, &by_number, ONCE(budget));
        CHECK(progress.swaps <= budget.max_swaps && progress.compares <= budget.max_compares);
        check_rows(&table, handles, ROWS);
        done = progress.done;
    }
    CHECK(calls > 10 && calls < most && is_in_order_of(&table, NUMBER, number_of));
    finish(&table);
}

/* Rows come and go between the calls. */
TABLE_TEST(table_order, mutations_between_calls_are_seen)
{
    uint64_t random = test_seed("table changes");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    shuffle(&table, handles, ROWS, &random);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t number = test_random_below(&random, ROWS);
        hm_budget budget = {.max_swaps = 1 + i % 3, .max_compares = 1 + i % 11};
        CHECK(hm_table_erase(&table, handles[number]));
        hm_table_defragment(&table, NUMBER, i % 500 < 250 ? &by_number : &falling, ONCE(budget));
        handles[number] = add(&table, number);
        hm_table_defragment(&table, NUMBER, i % 500 < 250 ? &by_number : &falling, ONCE(budget));
        if (i % 64 == 0)
            check_rows(&table, handles, ROWS);
    }
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    CHECK(is_in_order_of(&table, NUMBER, number_of));
    check_rows(&table, handles, ROWS);
    finish(&table);
}

static void renumber(const hm_table *table, hm_handle handle, uint32_t number)
{
    for (uint32_t c = 0; c < COLUMNS; c++)
        fill_cell(hm_table_get(table, handle, c), c, number);
}

TABLE_TEST(table_order, touch_tells_the_order_of_an_edit)
{
    uint64_t random = test_seed("table touch");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    hm_table_touch(&table, HM_NULL_HANDLE);
    shuffle(&table, handles, ROWS, &random);
    hm_table_touch(&table, handles[0]); /* nothing is in order yet */
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    hm_table_touch(&table, HM_NULL_HANDLE);
    hm_table_touch(&table, hm_handle_pack(ROWS, 1, 0));
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).compares == 0);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t number = test_random_below(&random, ROWS);
        renumber(&table, handles[number], 2 * ROWS);
        hm_table_touch(&table, handles[number]);
        CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
        CHECK(hm_table_row(&table, handles[number]) == ROWS - 1);
        renumber(&table, handles[number], number);
        hm_table_touch(&table, handles[number]);
        CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
        CHECK(hm_table_row(&table, handles[number]) == number);
        check_rows(&table, handles, ROWS);
    }
    finish(&table);
}

TABLE_TEST(table_order, touch_all_starts_over)
{
    uint64_t random = test_seed("table touch_all");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    shuffle(&table, handles, ROWS, &random);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    for (uint32_t i = 0; i < ROWS; i++)
        renumber(&table, handles[i], ROWS - i);
    hm_table_touch_all(&table);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    CHECK(is_in_order_of(&table, NUMBER, number_of));
    for (uint32_t i = 0; i < ROWS; i++)
        CHECK(hm_table_row(&table, handles[i]) == ROWS - 1 - i);
    finish(&table);
}

TABLE_TEST(table_order, arrange_brings_named_rows_to_the_front)
{
    uint64_t random = test_seed("table arrange");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS], names[ROWS];
    shuffle(&table, handles, ROWS, &random);
    CHECK(hm_table_arrange(&table, NULL, 0, NULL).done);
    for (uint32_t i = 0; i < ROWS; i++)
        names[i] = handles[i * 7 % ROWS]; /* 7 and 300 have no common divisor */
    CHECK(hm_table_arrange(&table, names, ROWS, NULL).done);
    for (uint32_t row = 0; row < ROWS; row++)
        CHECK(number_at(&table, row) == row * 7 % ROWS);
    check_rows(&table, handles, ROWS);
    CHECK(hm_table_erase(&table, handles[50]));
    hm_table_touch_all(&table);
    names[0] = handles[50]; /* does not resolve */
    names[1] = handles[299];
    names[2] = handles[3];
    uint32_t calls = 0;
    while (!hm_table_arrange(&table, names, 3, &(hm_budget){.max_swaps = 1}).done)
        CHECK(++calls < 100000 && hm_table_validate(&table) == HM_OK);
    CHECK(number_at(&table, 0) == 299 && number_at(&table, 1) == 3);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    CHECK(is_in_order_of(&table, NUMBER, number_of));
    finish(&table);
}

static bool is_even(const hm_table *table, uint32_t row, void *context)
{
    (void)context;
    return number_at(table, row) % 2 == 0;
}

/* Stopped anywhere, the order lets go of the rows that it is moving. */
TABLE_TEST(table_order, erase_if_and_clear_and_trim_in_the_middle_of_an_order)
{
    uint64_t random = test_seed("table middle");
    for (uint32_t swaps = 1; swaps < ROWS; swaps += 17) {
        hm_table table = make(lanes, (hm_table_desc){0});
        hm_handle handles[ROWS];
        shuffle(&table, handles, ROWS, &random);
        hm_table_defragment(&table, NUMBER, &by_number, &(hm_budget){.max_swaps = swaps});
        CHECK(hm_table_trim(&table) == HM_OK);
        check_rows(&table, handles, ROWS);
        CHECK(hm_table_erase_if(&table, is_even, NULL) == ROWS / 2);
        check_table(&table);
        for (uint32_t i = 1; i < ROWS; i += 2)
            CHECK(row_holds(&table, hm_table_row(&table, handles[i]), i));
        hm_table_defragment(&table, NUMBER, &by_number, &(hm_budget){.max_swaps = swaps / 2 + 1});
        CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 0)));
        CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
        CHECK(is_in_order_of(&table, NUMBER, number_of) && hm_table_count(&table) == ROWS / 2 - 1);
        check_table(&table);
        hm_table_clear(&table);
        hm_progress nothing = hm_table_defragment(&table, NUMBER, &by_number, NULL);
        CHECK(nothing.done && nothing.compares == 0);
        finish(&table);
    }
}

TABLE_TEST(table_order, trim_gives_back_what_the_order_needed)
{
    enum { MANY = 300000 };
    hm_table table = make(lanes, (hm_table_desc){.capacity = MANY});
    size_t empty = hm_table_get_stats(&table).committed_size;
    CHECK(hm_table_insert_n(&table, NULL, MANY, NULL) == HM_OK);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    hm_table_clear(&table);
    CHECK(hm_table_get_stats(&table).committed_size > empty);
    CHECK(hm_table_trim(&table) == HM_OK);
    /* A page of generation floors stays, and one of marks. */
    CHECK(hm_table_get_stats(&table).committed_size <= empty + 2 * hm_memory_os()->page_size);
    finish(&table);
}

/* With another column, a compare sees the other cells of a row through the table. */
static int compare_paths_by_number(const void *a, const void *b, void *context)
{
    const hm_table *table = context;
    uint32_t x = number_at(table, hm_table_row(table, hm_table_handle_of(table, a, PATH)));
    uint32_t y = number_at(table, hm_table_row(table, hm_table_handle_of(table, b, PATH)));
    return (x > y) - (x < y);
}

TABLE_TEST(table_order, a_compare_may_look_at_other_cells_of_the_row)
{
    uint64_t random = test_seed("table other cells");
    hm_table table = make(lanes, (hm_table_desc){0});
    hm_handle handles[ROWS];
    const hm_order order = {.compare = compare_paths_by_number, .context = &table};
    shuffle(&table, handles, ROWS, &random);
    CHECK(hm_table_defragment(&table, PATH, &order, NULL).done);
    CHECK(is_in_order_of(&table, NUMBER, number_of));
    check_rows(&table, handles, ROWS);
    finish(&table);
}

/* SPDX-License-Identifier: MIT */
/* hm_table_lower_bound and hm_table_upper_bound, for every layout: by any column, and by no other
 * than the one that the table is ordered by. order/bound_test.c tests the search itself. */
#include "support/table.h"

enum { ROWS = 200 };

static uint64_t number_of(const void *cell, void *context)
{
    uint32_t number;
    (void)context;
    memcpy(&number, cell, sizeof number);
    return number;
}

static int compare_shades(const void *a, const void *b, void *context)
{
    (void)context;
    return (int)*(const unsigned char *)a - (int)*(const unsigned char *)b;
}

static const hm_order by_number = {.key = number_of};
static const hm_order by_shade = {.compare = compare_shades};

static hm_table make_filled(uint32_t lanes)
{
    hm_table table = make(lanes, (hm_table_desc){.name = "rows"});
    for (uint32_t i = 0; i < ROWS; i++)
        add(&table, i * 77 % ROWS / 2 * 2); /* each even number twice */
    return table;
}

TABLE_TEST(table_bound, two_searches_find_the_rows_of_a_range)
{
    hm_table table = make_filled(lanes);
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done);
    for (uint32_t number = 0; number < ROWS + 3; number++) {
        uint32_t even = (number + 1) / 2 * 2 < ROWS ? (number + 1) / 2 * 2 : ROWS;
        uint32_t same = number % 2 == 0 && number < ROWS ? 2 : 0;
        CHECK(hm_table_lower_bound(&table, NUMBER, &by_number, &number) == even);
        CHECK(hm_table_upper_bound(&table, NUMBER, &by_number, &number) == even + same);
    }
    CHECK(hm_table_defragment(&table, SHADE, &by_shade, NULL).done);
    for (uint32_t shade = 0; shade < 256; shade++) {
        unsigned char probe = (unsigned char)shade;
        uint32_t lower = hm_table_lower_bound(&table, SHADE, &by_shade, &probe);
        uint32_t upper = hm_table_upper_bound(&table, SHADE, &by_shade, &probe);
        for (uint32_t row = 0; row < ROWS; row++) {
            unsigned char here = *(unsigned char *)hm_table_cell(&table, row, SHADE);
            CHECK((here < shade) == (row < lower) && (here > shade) == (row >= upper));
        }
    }
    finish(&table);
}

/* Whether both searches refuse, with this end of the sentence. */
static bool is_refused(const hm_table *table, uint32_t column, const hm_order *order,
                       const char *why)
{
    const uint32_t probe = 8;
    bool lower = hm_table_lower_bound(table, column, order, &probe) == HM_INVALID_INDEX;
    lower = lower && strstr(hm_last_error(), why) != NULL;
    bool upper = hm_table_upper_bound(table, column, order, &probe) == HM_INVALID_INDEX;
    return lower && upper && strstr(hm_last_error(), why) != NULL;
}

static bool is_answered(const hm_table *table)
{
    const uint32_t probe = 8;
    return hm_table_lower_bound(table, NUMBER, &by_number, &probe) <= hm_table_count(table);
}

static const char another[] =
    "the table 'rows' is not in order: defragment was not called for it, or not last";
static const char not_done[] = "the table 'rows' is not in order: defragment is not done";

TABLE_TEST(table_bound, a_table_that_is_not_in_order_is_refused)
{
    hm_table table = make_filled(lanes);
    CHECK(is_refused(&table, NUMBER, &by_number, another));
    CHECK(!hm_table_defragment(&table, NUMBER, &by_number, &(hm_budget){.max_swaps = 2}).done);
    CHECK(is_refused(&table, NUMBER, &by_number, not_done));
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done && is_answered(&table));
    CHECK(is_refused(&table, SHADE, &by_number, another));
    CHECK(is_refused(&table, NUMBER, &by_shade, another));
    hm_table_touch(&table, hm_table_handle_at(&table, 4));
    CHECK(is_refused(&table, NUMBER, &by_number, not_done));
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done && is_answered(&table));
    CHECK(hm_table_erase(&table, hm_table_handle_at(&table, 0)));
    CHECK(is_refused(&table, NUMBER, &by_number, not_done));
    CHECK(hm_table_defragment(&table, NUMBER, &by_number, NULL).done && is_answered(&table));
    add(&table, 5);
    CHECK(is_refused(&table, NUMBER, &by_number, not_done));
    CHECK(hm_table_arrange(&table, NULL, 0, NULL).done);
    CHECK(is_refused(&table, NUMBER, &by_number, another));
    hm_table_clear(&table);
    CHECK(is_answered(&table) && hm_table_upper_bound(&table, PATH, &by_number, &table) == 0);
    finish(&table);
}

typedef struct searched {
    hm_table *table;
    bool erases;
} searched;

static uint64_t number_and_erase(const void *cell, void *context)
{
    searched *s = context;
    uint64_t number = number_of(cell, NULL);
    if (s->erases)
        CHECK(hm_table_erase(s->table, hm_table_handle_at(s->table, 0)));
    s->erases = false;
    return number;
}

/* It breaks the rules of an order. AddressSanitizer watches. */
TEST(table_bound, a_change_from_a_search_is_not_refused_but_ends_it)
{
    hm_table table = make_filled(0);
    searched s = {&table, false};
    const hm_order order = {.key = number_and_erase, .context = &s};
    const uint32_t probe = 40;
    CHECK(hm_table_defragment(&table, NUMBER, &order, NULL).done);
    s.erases = true;
    CHECK(hm_table_lower_bound(&table, NUMBER, &order, &probe) == HM_INVALID_INDEX);
    CHECK(hm_table_count(&table) == ROWS - 1);
    finish(&table);
}

TEST(table_bound, a_table_without_columns_is_in_every_order)
{
    hm_table table = {0};
    CHECK(hm_table_lower_bound(&table, 3, &by_number, "") == 0);
    CHECK(hm_table_upper_bound(&table, 0, &by_number, "") == 0);
}

DEATH_TEST(table_bound, lower_bound_of_a_column_out_of_range_panics)
{
    hm_table filled = make_filled(0);
    hm_table_lower_bound(&filled, COLUMNS, &by_number, "");
}

DEATH_TEST(table_bound, upper_bound_of_a_column_out_of_range_panics)
{
    hm_table filled = make_filled(0);
    hm_table_upper_bound(&filled, COLUMNS, &by_number, "");
}

/* SPDX-License-Identifier: MIT */
/* The table's callbacks, which are compare, key and predicate: each sees a consistent table, and
 * none of them can change it. */
#include "support/table.h"

enum { ROWS = 90 };

typedef struct intruder {
    hm_table table, other;
    hm_handle handles[ROWS]; /* of the numbers 0, 1, 2, ... */
    uint32_t tries;
} intruder;

/* Tries every call that would change the table. */
static void try_everything(intruder *self, hm_handle live)
{
    hm_table *table = &self->table;
    hm_table_stats before = hm_table_get_stats(table);
    uint32_t row = 7;
    self->tries++;
    CHECK(hm_handle_is_null(hm_table_insert(table, NULL)));
    CHECK(strcmp(hm_last_error(),
                 "the table 'rows' is busy: called from one of its own callbacks") == 0);
    CHECK(hm_handle_is_null(hm_table_emplace(table, &row)) && row == HM_INVALID_INDEX);
    CHECK(hm_table_insert_n(table, NULL, 1, NULL) == HM_ERROR_BUSY);
    CHECK(hm_table_insert_n(table, NULL, 0, NULL) == HM_ERROR_BUSY);
    CHECK(hm_table_reserve(table, 1) == HM_ERROR_BUSY && hm_table_reserve(table, 0) != HM_OK);
    CHECK(hm_table_trim(table) == HM_ERROR_BUSY);
    CHECK(!hm_table_erase(table, live) && hm_table_erase_n(table, &live, 1) == 0);
    hm_table_stats after = hm_table_get_stats(table);
    CHECK(memcmp(&before, &after, sizeof before) == 0 && hm_table_contains(table, live));
    /* Another table may be changed. */
    hm_handle there = hm_table_insert(&self->other, NULL);
    CHECK(!hm_handle_is_null(there) && hm_table_erase(&self->other, there));
}

/* All rows are there, and whole. */
static void look(const intruder *self)
{
    CHECK(hm_table_validate(&self->table) == HM_OK && hm_table_count(&self->table) == ROWS);
    for (uint32_t i = 0; i < ROWS; i++)
        CHECK(row_holds(&self->table, hm_table_row(&self->table, self->handles[i]), i));
    check_table(&self->table);
}

static bool ask(const hm_table *table, uint32_t row, void *context);

static uint32_t see_cell(const void *cell, void *context)
{
    intruder *self = context;
    const hm_budget unlimited = {0, 0};
    hm_handle handle = hm_table_handle_of(&self->table, cell, NUMBER);
    CHECK(hm_table_get(&self->table, handle, NUMBER) == cell);
    look(self);
    try_everything(self, handle);
    CHECK(hm_table_erase_if(&self->table, ask, self) == 0);
    CHECK(!hm_table_arrange(&self->table, &handle, 1, unlimited).done);
    return number_at(&self->table, hm_table_row(&self->table, handle));
}

static uint64_t key_of(const void *cell, void *context)
{
    intruder *self = context;
    const hm_order order = {.key = key_of, .context = context};
    hm_progress nothing = hm_table_defragment(&self->table, SHADE, &order, (hm_budget){0, 0});
    CHECK(!nothing.done && nothing.swaps == 0 && nothing.compares == 0);
    return UINT32_MAX - see_cell(cell, context);
}

static int compare(const void *a, const void *b, void *context)
{
    uint32_t x = see_cell(a, context), y = see_cell(b, context);
    return (x < y) - (x > y);
}

static bool ask(const hm_table *table, uint32_t row, void *context)
{
    intruder *self = context;
    CHECK(table == &self->table && hm_table_count(table) == ROWS);
    look(self);
    try_everything(self, hm_table_handle_at(table, row));
    CHECK(hm_table_erase_if(&self->table, ask, context) == 0);
    return number_at(table, row) % 2 == 0;
}

static void start(intruder *self, uint32_t lanes)
{
    hm_table_desc desc = {.capacity = 2 * ROWS, .name = "rows"};
    self->tries = 0;
    self->table = make(lanes, desc);
    self->other = make(lanes, desc);
    fill(&self->table, self->handles, ROWS);
}

static void leave(intruder *self)
{
    finish(&self->table);
    finish(&self->other);
}

TEST(table_callback, key_and_compare_see_whole_rows_and_change_none)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++)
        for (int by_key = 0; by_key < 2; by_key++) {
            intruder self;
            const hm_order order = {.compare = by_key ? NULL : compare,
                                    .key = by_key ? key_of : NULL,
                                    .context = &self};
            start(&self, table_lanes(layout));
            hm_progress progress = {0};
            while (!progress.done)
                progress = hm_table_defragment(&self.table, NUMBER, &order,
                                               (hm_budget){.max_swaps = 7, .max_compares = 31});
            CHECK(self.tries >= ROWS);
            for (uint32_t row = 0; row < ROWS; row++)
                CHECK(number_at(&self.table, row) == ROWS - 1 - row);
            CHECK(hm_table_erase(&self.table, self.handles[7]));
            CHECK(!hm_handle_is_null(add(&self.table, 7)));
            leave(&self);
        }
}

TABLE_TEST(table_callback, a_predicate_sees_whole_rows_and_changes_none)
{
    intruder self;
    start(&self, lanes);
    CHECK(hm_table_erase_if(&self.table, ask, &self) == ROWS / 2 && self.tries == ROWS);
    CHECK(!hm_table_contains(&self.table, self.handles[0]));
    CHECK(row_holds(&self.table, 0, 1) && hm_table_count(&self.table) == ROWS / 2);
    CHECK(!hm_handle_is_null(add(&self.table, 7)));
    leave(&self);
}

/* Functions that return nothing panic instead. */

typedef struct saboteur {
    hm_table table;
    void (*act)(hm_table *table);
} saboteur;

static bool sabotage(const hm_table *table, uint32_t row, void *context)
{
    saboteur *self = context;
    (void)table, (void)row;
    self->act(&self->table);
    return false;
}

static void act_from_inside(void (*act)(hm_table *table), const char *message)
{
    static saboteur self;
    self.act = act;
    self.table = make(0, (hm_table_desc){.name = "particles"});
    add(&self.table, 1);
    test_expect_panic_of("table.c", message);
    hm_table_erase_if(&self.table, sabotage, &self);
}

static void touch_none(hm_table *table)
{
    hm_table_touch(table, HM_NULL_HANDLE);
}

DEATH_TEST(table_callback, clear_from_inside_panics)
{
    act_from_inside(hm_table_clear, "hm_table_clear: called on 'particles'");
}

DEATH_TEST(table_callback, fini_from_inside_panics)
{
    act_from_inside(hm_table_fini, "hm_table_fini: called on 'particles'");
}

DEATH_TEST(table_callback, touch_from_inside_panics)
{
    act_from_inside(touch_none, "hm_table_touch: called on 'particles'");
}

DEATH_TEST(table_callback, touch_all_from_inside_panics)
{
    act_from_inside(hm_table_touch_all, "hm_table_touch_all: called on 'particles'");
}

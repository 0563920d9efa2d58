/* SPDX-License-Identifier: MIT */
/* The table's callbacks, which are compare, key and predicate: each sees a table that is whole.
 * matrix/callback_test.c shows that none of them can change it. */
#include "support/table.h"

enum { ROWS = 90 };

typedef struct witness {
    hm_table table;
    hm_handle handles[ROWS]; /* of the numbers 0, 1, 2, ... */
    uint32_t calls;
} witness;

/* All rows are there, and whole. */
static void look(const witness *self)
{
    CHECK(hm_table_validate(&self->table) == HM_OK && hm_table_count(&self->table) == ROWS);
    for (uint32_t i = 0; i < ROWS; i++)
        CHECK(row_holds(&self->table, hm_table_row(&self->table, self->handles[i]), i));
    check_table(&self->table);
}

static uint32_t see_cell(const void *cell, void *context)
{
    witness *self = context;
    hm_handle handle = hm_table_handle_of(&self->table, cell, NUMBER);
    CHECK(hm_table_get(&self->table, handle, NUMBER) == cell);
    look(self);
    self->calls++;
    return number_at(&self->table, hm_table_row(&self->table, handle));
}

static uint64_t key_of(const void *cell, void *context)
{
    return UINT32_MAX - see_cell(cell, context);
}

static int compare(const void *a, const void *b, void *context)
{
    uint32_t x = see_cell(a, context), y = see_cell(b, context);
    return (x < y) - (x > y);
}

static bool ask(const hm_table *table, uint32_t row, void *context)
{
    witness *self = context;
    CHECK(table == &self->table);
    return see_cell(hm_table_cell(table, row, NUMBER), self) % 2 == 0;
}

static void start(witness *self, uint32_t lanes)
{
    self->calls = 0;
    self->table = make(lanes, (hm_table_desc){.capacity = 2 * ROWS});
    fill(&self->table, self->handles, ROWS);
}

TEST(table_callback, key_and_compare_see_whole_rows)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++)
        for (int by_key = 0; by_key < 2; by_key++) {
            witness self;
            const hm_order order = {.compare = by_key ? NULL : compare,
                                    .key = by_key ? key_of : NULL,
                                    .context = &self};
            start(&self, table_lanes(layout));
            hm_progress progress = {0};
            while (!progress.done)
                progress = hm_table_defragment(&self.table, NUMBER, &order,
                                               &(hm_budget){.max_swaps = 7, .max_compares = 31});
            CHECK(self.calls >= ROWS);
            for (uint32_t row = 0; row < ROWS; row++)
                CHECK(number_at(&self.table, row) == ROWS - 1 - row);
            CHECK(hm_table_erase(&self.table, self.handles[7]));
            CHECK(!hm_handle_is_null(add(&self.table, 7)));
            finish(&self.table);
        }
}

TABLE_TEST(table_callback, a_predicate_sees_whole_rows)
{
    witness self;
    start(&self, lanes);
    CHECK(hm_table_erase_if(&self.table, ask, &self) == ROWS / 2 && self.calls == ROWS);
    CHECK(!hm_table_contains(&self.table, self.handles[0]));
    CHECK(row_holds(&self.table, 0, 1) && hm_table_count(&self.table) == ROWS / 2);
    CHECK(!hm_handle_is_null(add(&self.table, 7)));
    finish(&self.table);
}

/* SPDX-License-Identifier: MIT */
/* The model's orders of a table, and the searches in a table that is in order. */
#include "table_model.h"

#include <string.h>

/* The leading bytes of a cell, at most 2 of them, so that there are equal rows. */
static uint64_t leading(const table_model *model, const void *cell)
{
    const unsigned char *bytes = cell;
    size_t size = model->columns[model->order_column].size;
    return size == 1 ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

/* A cell is that of a whole row, or the probe of a search. Only a search leaves the table idle. */
static void is_shown(table_model *model, const void *cell)
{
    if (cell != model->probe)
        CHECK(
            table_model_holds(model, hm_table_handle_of(&model->table, cell, model->order_column)));
}

static void in_order_callback(table_model *model)
{
    if (!model->is_searching)
        table_model_in_callback(model);
}

static int compare_leading(const void *a, const void *b, void *context)
{
    uint64_t x = leading(context, a), y = leading(context, b);
    is_shown(context, a);
    is_shown(context, b);
    in_order_callback(context);
    return (x > y) - (x < y);
}

static uint64_t key_leading(const void *cell, void *context)
{
    is_shown(context, cell);
    in_order_callback(context);
    return leading(context, cell);
}

void table_model_set_orders(table_model *model)
{
    model->orders[0] = (hm_order){.compare = compare_leading, .context = model};
    model->orders[1] = (hm_order){.key = key_leading, .context = model};
}

static void choose_probe(table_model *model, uint32_t random)
{
    uint32_t column = model->order_column;
    model->probe[0] = (unsigned char)random;
    model->probe[1] = (unsigned char)(random >> 8);
    if (random % 3 != 0 && model->count != 0)
        memcpy(model->probe, hm_table_cell(&model->table, random % model->count, column),
               model->columns[column].size == 1 ? 1 : 2);
}

bool table_model_search(table_model *model, const hm_order *order, uint32_t random)
{
    uint32_t column = model->order_column;
    choose_probe(model, random);
    model->is_searching = true;
    uint32_t lower = hm_table_lower_bound(&model->table, column, order, model->probe);
    uint32_t upper = hm_table_upper_bound(&model->table, column, order, model->probe);
    model->is_searching = false;
    CHECK((lower == HM_INVALID_INDEX) == (upper == HM_INVALID_INDEX));
    if (lower == HM_INVALID_INDEX)
        return false;
    uint64_t probe = leading(model, model->probe), last = 0;
    for (uint32_t row = 0; row < model->count; row++) {
        uint64_t here = leading(model, hm_table_cell(&model->table, row, column));
        CHECK(last <= here && (here < probe) == (row < lower) && (here > probe) == (row >= upper));
        last = here;
    }
    return true;
}

void table_model_check_searches(table_model *model, uint32_t random)
{
    uint32_t ordered = model->order_column;
    for (uint32_t i = 0; i < 2; i++)
        CHECK(table_model_search(model, &model->orders[i], random) || model->count != 0);
    model->order_column = (ordered + 1) % model->desc.column_count;
    if (model->order_column != ordered) /* Another column is another order. */
        CHECK(table_model_search(model, &model->orders[random % 2], random) == (model->count == 0));
    model->order_column = ordered;
}

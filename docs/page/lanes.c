/* SPDX-License-Identifier: MIT */
/* page: a table of points, whose cells lie in memory as its lanes say. */
#include "page.h"

enum { LANES_COLUMNS = 3, LANES_CAPACITY = 12 };

hm_table points;
static uint64_t points_seed;
static char points_text[200];

static uint64_t points_key(const void *cell, void *context)
{
    (void)context;
    return *(const uint32_t *)cell;
}

static const hm_order points_order = {.key = points_key};

bool PAGE_EXPORT(lanes_begin)(uint32_t lanes)
{
    const hm_column columns[LANES_COLUMNS] = {{.size = 4}, {.size = 4}, {.size = 4}};
    const hm_table_desc desc = {.columns = columns,
                                .column_count = LANES_COLUMNS,
                                .capacity = LANES_CAPACITY,
                                .lanes = lanes,
                                .type_id = 7,
                                .name = "point"};
    points_seed = 29;
    hm_table_fini(&points);
    return hm_table_init(&points, &desc) == HM_OK;
}

/* Returns the handle of the new row; null: refused. */
uint64_t PAGE_EXPORT(lanes_insert)(void)
{
    uint32_t x = 10 + page_random(&points_seed, 90), y = 10 + page_random(&points_seed, 90);
    uint32_t mass = 10 + page_random(&points_seed, 90);
    const void *values[LANES_COLUMNS] = {&x, &y, &mass};
    return hm_table_insert(&points, values).bits;
}

bool PAGE_EXPORT(lanes_erase)(uint64_t bits)
{
    hm_handle handle = {bits};
    return hm_table_erase(&points, handle);
}

/* By the first column. */
bool PAGE_EXPORT(lanes_sort)(void)
{
    return hm_table_defragment(&points, 0, &points_order, NULL).done;
}

uint32_t PAGE_EXPORT(lanes_count)(void)
{
    return hm_table_count(&points);
}

/* Returns the row of a handle, or -1. */
int32_t PAGE_EXPORT(lanes_row)(uint64_t bits)
{
    uint32_t row = hm_table_row(&points, (hm_handle){bits});
    return row != HM_INVALID_INDEX ? (int32_t)row : -1;
}

uint64_t PAGE_EXPORT(lanes_handle)(uint32_t row)
{
    return hm_table_handle_at(&points, row).bits;
}

uint32_t PAGE_EXPORT(lanes_value)(uint32_t row, uint32_t column)
{
    return *(const uint32_t *)hm_table_cell(&points, row, column);
}

uint32_t PAGE_EXPORT(lanes_address)(uint32_t row, uint32_t column)
{
    return (uint32_t)(uintptr_t)hm_table_cell(&points, row, column);
}

const char *PAGE_EXPORT(lanes_describe)(uint64_t bits)
{
    (void)hm_table_describe(&points, (hm_handle){bits}, points_text, sizeof points_text);
    return points_text;
}

bool PAGE_EXPORT(lanes_is_valid)(void)
{
    return hm_table_validate(&points) == HM_OK;
}

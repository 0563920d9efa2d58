/* SPDX-License-Identifier: MIT */
/* Every typed function, in the common language of C and C++: typed_cpp_test.cpp includes this file,
 * and checks/typed.sh compiles it with all warnings and checks that no function is missing. */
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <string.h>

/* A handle type defined before its item, an item that contains handles of its own type, and a map,
 * a pool, a secondary, lists and a table with the same name. */
HM_HANDLE_DEFINE(body)
typedef struct body {
    body_handle self, parent;
    uint32_t value;
} body;
HM_MAP_DEFINE_FOR(body, body, 3)
HM_POOL_DEFINE_FOR(body, body, 4)
HM_SECONDARY_DEFINE(body, body, body)
HM_LISTS_DEFINE_FOR(body, body, 6)
#define BODY_COLUMNS(COLUMN) COLUMN(float, x) COLUMN(uint32_t, value) COLUMN(body_handle, parent)
HM_TABLE_DEFINE_FOR(body, 5, BODY_COLUMNS)

enum { BODIES = 300 };

static body make_body(uint32_t value)
{
    body made;
    memset(&made, 0, sizeof made);
    made.value = value;
    return made;
}

static void make_bodies(body *bodies)
{
    uint32_t i;
    for (i = 0; i < BODIES; i++)
        bodies[i] = make_body(i);
}

static bool is_odd(const body *item, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return item->value % 2 != 0;
}

static uint64_t value_of(const void *item, void *context)
{
    (void)context;
    return HM_CAST(const body *, item)->value;
}

static uint64_t falling_value_of(const void *item, void *context)
{
    (void)context;
    return UINT64_MAX - HM_CAST(const body *, item)->value;
}

static int compare_values(const void *a, const void *b, void *context)
{
    uint64_t x = value_of(a, context), y = value_of(b, context);
    return (x > y) - (x < y);
}

static char text[80]; /* what describe writes */

TEST(typed, a_handle_type_needs_no_container)
{
    body_handle null = body_handle_null();
    body_handle one, same;
    one.id = hm_handle_pack(1, 1, 3);
    same.id = hm_handle_pack(1, 1, 3);
    CHECK(body_handle_is_null(null) && !body_handle_is_null(one));
    CHECK(body_handle_equal(one, same) && !body_handle_equal(one, null));
}

TEST(typed, a_map_does_one_by_one_what_the_untyped_one_does)
{
    body_map map;
    body made = make_body(7), *item = NULL;
    body_handle first, second, third;
    CHECK(body_map_init(&map, 10) == HM_OK && body_map_capacity(&map) == 10);
    CHECK(body_map_reserve(&map, 3) == HM_OK);
    third = body_map_upcoming(&map, 1);
    first = body_map_insert(&map, &made);
    second = body_map_emplace(&map, &item);
    CHECK(body_handle_equal(second, third));
    CHECK(item != NULL);
    *item = make_body(8);
    item->self = second;
    item->parent = first;
    third = body_map_insert(&map, NULL);
    CHECK(body_map_count(&map) == 3 && hm_handle_type_id(first.id) == 3);
    CHECK(body_map_get(&map, body_map_get(&map, second)->parent)->value == 7);
    CHECK(body_map_contains(&map, third) && body_map_get(&map, third)->value == 0);
    CHECK(body_map_items(&map) + 1 == item && body_map_index_of(&map, second) == 1);
    CHECK(body_handle_equal(body_map_handle_at(&map, 1), second));
    CHECK(body_handle_equal(body_map_handle_of(&map, &item->value), second));
    CHECK(body_handle_is_null(body_map_handle_of(&map, &made)));
    CHECK(body_map_meta_at(&map, 1) == NULL);
    CHECK(body_map_erase(&map, second) && !body_map_erase(&map, second));
    CHECK(body_map_explain(&map, second) == HM_HANDLE_STALE);
    CHECK(body_map_describe(&map, second, text, sizeof text) ==
          hm_map_describe(&map.map, second.id, NULL, 0));
    CHECK(body_map_describe(&map, second, NULL, 0) == strlen(text));
    CHECK(body_map_get_stats(&map).free_slots == 1 && body_map_validate(&map) == HM_OK);
    body_map_clear(&map);
    CHECK(body_map_trim(&map) == HM_OK && body_map_count(&map) == 0);
    body_map_fini(&map);
}

TEST(typed, a_pool_does_one_by_one_what_the_untyped_one_does)
{
    body_pool pool;
    body made = make_body(7), *item = NULL;
    body_handle first, second, third;
    uint32_t length = 0;
    uint64_t live = 0;
    CHECK(body_pool_init(&pool, 10) == HM_OK && body_pool_capacity(&pool) == 10);
    CHECK(body_pool_reserve(&pool, 3) == HM_OK);
    first = body_pool_insert(&pool, &made);
    second = body_pool_emplace(&pool, &item);
    CHECK(item != NULL);
    *item = make_body(8);
    third = body_pool_insert(&pool, NULL);
    CHECK(body_pool_count(&pool) == 3 && hm_handle_type_id(first.id) == 4);
    CHECK(body_pool_get(&pool, first)->value == 7 && body_pool_contains(&pool, third));
    CHECK(body_pool_item(&pool, 1) == item && body_pool_get(&pool, second) == item);
    CHECK(body_handle_equal(body_pool_handle_of(&pool, &item->value), second));
    CHECK(body_handle_equal(body_pool_handle_at(&pool, 2), third));
    CHECK(body_pool_erase(&pool, second) && !body_pool_erase(&pool, second));
    CHECK(body_handle_is_null(body_pool_handle_at(&pool, 1)));
    CHECK(body_pool_explain(&pool, second) == HM_HANDLE_STALE);
    CHECK(body_pool_describe(&pool, second, text, sizeof text) ==
          hm_pool_describe(&pool.pool, second.id, NULL, 0));
    CHECK(body_pool_describe(&pool, second, NULL, 0) == strlen(text));
    CHECK(body_pool_next_run(&pool, 0, &length) == 0 && length == 1);
    CHECK(body_pool_next_word(&pool, 0, &live) == 0 && live == 5);
    CHECK(body_pool_get_stats(&pool).free_slots == 1 && body_pool_validate(&pool) == HM_OK);
    body_pool_clear(&pool);
    CHECK(body_pool_trim(&pool) == HM_OK && body_pool_count(&pool) == 0);
    body_pool_fini(&pool);
}

TEST(typed, batches_of_a_map_take_typed_arrays)
{
    body bodies[BODIES], *found[BODIES];
    body_handle handles[BODIES];
    bool is_live[BODIES];
    uint32_t i, asked = 0;
    body_map map;
    make_bodies(bodies);
    CHECK(body_map_init(&map, BODIES) == HM_OK);
    CHECK(body_map_insert_n(&map, bodies, BODIES, handles) == HM_OK);
    CHECK(body_map_get_n(&map, handles, BODIES, found) == BODIES);
    for (i = 0; i < BODIES; i++)
        CHECK(found[i]->value == i && found[i] == body_map_get(&map, handles[i]));
    CHECK(body_map_erase_n(&map, handles, 100) == 100);
    CHECK(body_map_contains_n(&map, handles, BODIES, is_live) == BODIES - 100);
    for (i = 0; i < BODIES; i++)
        CHECK(is_live[i] == (i >= 100));
    CHECK(body_map_erase_if(&map, is_odd, &asked) == 100 && asked == 200);
    CHECK(body_map_insert_n(&map, NULL, 100, NULL) == HM_OK);
    CHECK(body_map_get_n(&map, NULL, 0, NULL) == 0 && body_map_erase_n(&map, NULL, 0) == 0);
    CHECK(body_map_contains_n(&map, NULL, 0, NULL) == 0);
    body_map_fini(&map);
}

TEST(typed, batches_of_a_pool_take_typed_arrays)
{
    body bodies[BODIES], *found[BODIES];
    body_handle handles[BODIES];
    bool is_live[BODIES];
    uint32_t i, asked = 0;
    body_pool pool;
    make_bodies(bodies);
    CHECK(body_pool_init(&pool, BODIES) == HM_OK);
    CHECK(body_pool_insert_n(&pool, bodies, BODIES, handles) == HM_OK);
    CHECK(body_pool_get_n(&pool, handles, BODIES, found) == BODIES);
    for (i = 0; i < BODIES; i++)
        CHECK(found[i]->value == i && found[i] == body_pool_item(&pool, i));
    CHECK(body_pool_erase_n(&pool, handles, 100) == 100);
    CHECK(body_pool_contains_n(&pool, handles, BODIES, is_live) == BODIES - 100);
    for (i = 0; i < BODIES; i++)
        CHECK(is_live[i] == (i >= 100));
    CHECK(body_pool_erase_if(&pool, is_odd, &asked) == 100 && asked == 200);
    CHECK(body_pool_insert_n(&pool, NULL, 100, NULL) == HM_OK);
    CHECK(body_pool_get_n(&pool, NULL, 0, NULL) == 0 && body_pool_erase_n(&pool, NULL, 0) == 0);
    CHECK(body_pool_contains_n(&pool, NULL, 0, NULL) == 0);
    body_pool_fini(&pool);
}

TEST(typed, a_map_is_brought_into_order)
{
    body bodies[BODIES];
    body_handle handles[BODIES];
    hm_order rising, falling, by_compare;
    hm_budget unlimited = {0, 0};
    body probe = make_body(10);
    body_map map;
    memset(&rising, 0, sizeof rising);
    memset(&falling, 0, sizeof falling);
    memset(&by_compare, 0, sizeof by_compare);
    rising.key = value_of;
    falling.key = falling_value_of;
    make_bodies(bodies);
    CHECK(body_map_init(&map, BODIES) == HM_OK);
    CHECK(body_map_insert_n(&map, bodies, BODIES, handles) == HM_OK);
    CHECK(body_map_defragment(&map, &falling, unlimited).done);
    CHECK(body_map_items(&map)[0].value == BODIES - 1);
    body_map_get(&map, handles[0])->value = BODIES;
    body_map_touch(&map, handles[0]);
    CHECK(body_map_defragment(&map, &falling, unlimited).done);
    CHECK(body_map_index_of(&map, handles[0]) == 0);
    body_map_touch_all(&map);
    CHECK(body_map_defragment(&map, &rising, unlimited).done);
    CHECK(body_map_items(&map)[0].value == 1);
    CHECK(body_map_lower_bound(&map, &rising, &probe) == 9);
    CHECK(body_map_upper_bound(&map, &rising, &probe) == 10);
    by_compare.compare = compare_values;
    CHECK(body_map_lower_bound(&map, &by_compare, &probe) == HM_INVALID_INDEX);
    CHECK(body_map_defragment(&map, &by_compare, unlimited).done);
    CHECK(body_map_items(&map)[0].value == 1);
    CHECK(body_map_lower_bound(&map, &by_compare, &probe) == 9);
    CHECK(body_map_upper_bound(&map, &by_compare, &probe) == 10);
    CHECK(body_map_arrange(&map, NULL, 0, unlimited).done);
    CHECK(body_map_arrange(&map, handles, BODIES, unlimited).done);
    CHECK(body_map_index_of(&map, handles[0]) == 0);
    body_map_fini(&map);
}

static bool is_third_slot(body_handle owner, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return hm_handle_index(owner.id) % 3 == 0;
}

static body_handle body_at(uint32_t index)
{
    body_handle made;
    made.id = hm_handle_pack(index, 1, 3);
    return made;
}

TEST(typed, a_secondary_does_one_by_one_what_the_untyped_one_does)
{
    body_secondary secondary;
    body made = make_body(7), *value;
    body_handle first = body_at(4), second = body_at(2);
    CHECK(body_secondary_init(&secondary, 10, 3) == HM_OK);
    CHECK(body_secondary_capacity(&secondary) == 10);
    CHECK(body_secondary_reserve(&secondary, 3) == HM_OK);
    value = body_secondary_set(&secondary, first, &made);
    CHECK(value != NULL && value->value == 7);
    CHECK(body_secondary_set(&secondary, second, NULL) == value + 1);
    CHECK(body_secondary_count(&secondary) == 2 && body_secondary_contains(&secondary, second));
    CHECK(body_secondary_get(&secondary, first) == value);
    CHECK(body_secondary_get(&secondary, second)->value == 0);
    CHECK(body_secondary_values(&secondary) == value);
    CHECK(body_handle_equal(body_secondary_owner_at(&secondary, 1), second));
    CHECK(body_handle_is_null(body_secondary_owner_at(&secondary, 2)));
    CHECK(body_secondary_index_of(&secondary, second) == 1);
    CHECK(body_secondary_remove(&secondary, first) && !body_secondary_remove(&secondary, first));
    CHECK(body_secondary_get(&secondary, first) == NULL);
    CHECK(body_secondary_get_stats(&secondary).count == 1);
    CHECK(body_secondary_describe(&secondary, first, text, sizeof text) ==
          hm_secondary_describe(&secondary.secondary, first.id, NULL, 0));
    CHECK(body_secondary_describe(&secondary, first, NULL, 0) == strlen(text));
    CHECK(body_secondary_validate(&secondary) == HM_OK);
    body_secondary_clear(&secondary);
    CHECK(body_secondary_trim(&secondary) == HM_OK && body_secondary_count(&secondary) == 0);
    body_secondary_fini(&secondary);
}

TEST(typed, lists_do_what_the_untyped_ones_do)
{
    body_lists lists;
    body bodies[BODIES], made = make_body(7);
    body_handle first, second;
    uint32_t count = 0;
    make_bodies(bodies);
    CHECK(body_lists_init(&lists, 100) == HM_OK && body_lists_capacity(&lists) == 100);
    CHECK(strcmp(lists.lists.name, "body") == 0);
    CHECK(body_lists_reserve(&lists, 2) == HM_OK);
    second = body_lists_upcoming(&lists, 1);
    first = body_lists_create(&lists);
    CHECK(body_handle_equal(body_lists_create(&lists), second));
    CHECK(hm_handle_type_id(first.id) == 6 && body_lists_count(&lists) == 2);
    CHECK(body_lists_push(&lists, first, &made)->value == 7);
    CHECK(body_lists_push_n(&lists, first, bodies, BODIES) == HM_OK);
    CHECK(body_lists_item_count(&lists) == BODIES + 1);
    CHECK(body_lists_items(&lists, first, &count)[BODIES].value == BODIES - 1);
    CHECK(count == BODIES + 1 && body_lists_items(&lists, second, NULL) == NULL);
    CHECK(body_lists_resize(&lists, first, 3) == HM_OK); /* 7, 0, 1 */
    CHECK(body_lists_erase_at(&lists, first, 0));        /* 1, 0 */
    CHECK(body_lists_insert_at(&lists, first, 1, &made)->value == 7);
    CHECK(body_lists_remove_at(&lists, first, 0)); /* 7, 0 */
    CHECK(body_lists_items(&lists, first, &count)[0].value == 7 && count == 2);
    CHECK(body_lists_items(&lists, first, NULL)[1].value == 0);
    CHECK(body_handle_equal(body_lists_handle_at(&lists, 1), second));
    CHECK(body_lists_contains(&lists, second) && body_lists_destroy(&lists, second));
    CHECK(!body_lists_contains(&lists, second));
    CHECK(body_lists_explain(&lists, second) == HM_HANDLE_STALE);
    CHECK(body_lists_describe(&lists, second, text, sizeof text) ==
          hm_lists_describe(&lists.lists, second.id, NULL, 0));
    CHECK(body_lists_describe(&lists, second, NULL, 0) == strlen(text));
    CHECK(body_lists_get_stats(&lists).count == 1 && body_lists_validate(&lists) == HM_OK);
    body_lists_clear(&lists);
    CHECK(body_lists_trim(&lists) == HM_OK && body_lists_count(&lists) == 0);
    body_lists_fini(&lists);
}

TEST(typed, lists_are_visited_in_the_order_of_memory)
{
    body_lists lists;
    body bodies[BODIES];
    body_handle handles[3];
    body_lists_view view;
    hm_lists_desc desc;
    hm_budget unlimited = {0, 0};
    uint32_t i, asked = 0;
    memset(&desc, 0, sizeof desc);
    memset(&view, 0, sizeof view);
    desc.capacity = 3;
    desc.max_items = 30;
    desc.type_id = 77;
    desc.name = "bodies";
    make_bodies(bodies);
    CHECK(body_lists_init_desc(&lists, &desc) == HM_OK);
    CHECK(strcmp(lists.lists.name, "bodies") == 0);
    for (i = 0; i < 3; i++) {
        handles[i] = body_lists_create(&lists);
        CHECK(hm_handle_type_id(handles[i].id) == 77);
        CHECK(body_lists_push_n(&lists, handles[i], bodies + i, 10) == HM_OK);
    }
    CHECK(body_lists_erase_if(&lists, handles[1], is_odd, &asked) == 5 && asked == 10);
    CHECK(body_lists_defragment(&lists, unlimited).done);
    for (i = 0; body_lists_next(&lists, &view); i++) {
        CHECK(i < 3 && body_handle_equal(view.list, handles[i]));
        CHECK(view.count == (i == 1 ? 5u : 10u));
        CHECK(view.items == body_lists_items(&lists, handles[i], NULL));
        CHECK(view.items[0].value == (i == 0 ? 0u : 2u));
    }
    CHECK(i == 3 && view.items == NULL && body_handle_is_null(view.list));
    body_lists_fini(&lists);
}

TEST(typed, a_secondary_is_purged_and_put_in_order)
{
    body_secondary secondary;
    hm_secondary_desc desc;
    hm_budget unlimited = {0, 0};
    hm_order rising;
    body_handle last = body_at(BODIES - 3), handles[1];
    uint32_t i, asked = 0;
    memset(&rising, 0, sizeof rising);
    memset(&desc, 0, sizeof desc);
    rising.key = value_of;
    desc.type_id = 3;
    desc.value_size = 1;
    CHECK(body_secondary_init_desc(&secondary, &desc) == HM_OK);
    for (i = 0; i < BODIES; i++) {
        body made = make_body(BODIES - i);
        CHECK(body_secondary_set(&secondary, body_at(i), &made) != NULL);
    }
    CHECK(body_secondary_purge(&secondary, is_third_slot, &asked) == BODIES / 3 * 2);
    CHECK(asked == BODIES);
    CHECK(body_secondary_defragment(&secondary, &rising, unlimited).done);
    CHECK(body_secondary_index_of(&secondary, last) == 0);
    body_secondary_get(&secondary, last)->value = BODIES + 1;
    body_secondary_touch(&secondary, last);
    CHECK(body_secondary_defragment(&secondary, &rising, unlimited).done);
    CHECK(body_secondary_index_of(&secondary, last) == BODIES / 3 - 1);
    CHECK(body_secondary_lower_bound(&secondary, &rising, body_secondary_get(&secondary, last)) ==
          BODIES / 3 - 1);
    CHECK(body_secondary_upper_bound(&secondary, &rising, body_secondary_get(&secondary, last)) ==
          BODIES / 3);
    rising.key = NULL;
    rising.compare = compare_values;
    CHECK(body_secondary_defragment(&secondary, &rising, unlimited).done);
    CHECK(body_secondary_lower_bound(&secondary, &rising, body_secondary_values(&secondary)) == 0);
    CHECK(body_secondary_upper_bound(&secondary, &rising, body_secondary_values(&secondary)) == 1);
    handles[0] = last;
    body_secondary_touch_all(&secondary);
    CHECK(body_secondary_arrange(&secondary, handles, 1, unlimited).done);
    CHECK(body_secondary_index_of(&secondary, last) == 0);
    body_secondary_fini(&secondary);
}

static bool has_odd_value(const body_table *table, uint32_t row, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return *body_value_cell(table, row) % 2 != 0;
}

static uint64_t falling_number_of(const void *cell, void *context)
{
    (void)context;
    return UINT64_MAX - *HM_CAST(const uint32_t *, cell);
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    uint32_t x = *HM_CAST(const uint32_t *, a), y = *HM_CAST(const uint32_t *, b);
    (void)context;
    return (x > y) - (x < y);
}

TEST(typed, a_table_does_one_by_one_what_the_untyped_one_does)
{
    body_table table;
    body_row made;
    body_handle first, second, third;
    uint32_t row = 7;
    memset(&made, 0, sizeof made);
    made.value = 7;
    CHECK(body_table_init(&table, 10) == HM_OK && body_table_capacity(&table) == 10);
    CHECK(body_table_reserve(&table, 3) == HM_OK);
    third = body_table_upcoming(&table, 1);
    first = body_table_insert(&table, &made);
    second = body_table_emplace(&table, &row);
    CHECK(body_handle_equal(second, third));
    CHECK(row == 1);
    body_x(&table)[row] = 8;
    *body_value_cell(&table, row) = 8;
    *body_parent_cell(&table, row) = first;
    third = body_table_insert(&table, NULL);
    CHECK(body_table_count(&table) == 3 && hm_handle_type_id(first.id) == 5);
    CHECK(*body_value_get(&table, *body_parent_get(&table, second)) == 7);
    CHECK(body_x_get(&table, second) == body_x_cell(&table, 1));
    CHECK(body_x_group(&table, 0) == NULL && body_table_group_count(&table) == 0);
    CHECK(body_handle_equal(body_x_of(&table, body_x(&table) + 1), second));
    CHECK(body_handle_is_null(body_x_of(&table, body_value(&table))));
    CHECK(body_table_contains(&table, third) && body_table_row(&table, third) == 2);
    CHECK(body_handle_equal(body_table_handle_at(&table, 1), second));
    CHECK(body_table_erase(&table, second) && !body_table_erase(&table, second));
    CHECK(body_table_explain(&table, second) == HM_HANDLE_STALE);
    CHECK(body_table_describe(&table, second, text, sizeof text) ==
          hm_table_describe(&table.table, second.id, NULL, 0));
    CHECK(body_table_describe(&table, second, NULL, 0) == strlen(text));
    CHECK(body_table_get_stats(&table).free_slots == 1 && body_table_validate(&table) == HM_OK);
    body_table_clear(&table);
    CHECK(body_table_trim(&table) == HM_OK && body_table_count(&table) == 0);
    body_table_fini(&table);
}

TEST(typed, batches_and_orders_of_a_table_take_typed_arrays)
{
    uint32_t values[BODIES], rows[BODIES], i, asked = 0;
    body_handle handles[BODIES];
    bool is_live[BODIES];
    body_cells cells;
    body_table table;
    hm_table_desc desc;
    hm_order falling;
    hm_budget unlimited = {0, 0};
    memset(&cells, 0, sizeof cells);
    memset(&desc, 0, sizeof desc);
    memset(&falling, 0, sizeof falling);
    falling.key = falling_number_of;
    for (i = 0; i < BODIES; i++)
        values[i] = i;
    cells.value = values;
    desc.capacity = BODIES;
    desc.lanes = 8;
    CHECK(body_table_init_desc(&table, &desc) == HM_OK);
    CHECK(body_table_insert_n(&table, &cells, BODIES, handles) == HM_OK);
    CHECK(body_table_row_n(&table, handles, BODIES, rows) == BODIES);
    CHECK(body_table_group_count(&table) == (BODIES + 7) / 8 && body_value(&table) == NULL);
    for (i = 0; i < BODIES; i++)
        CHECK(rows[i] == i && body_value_group(&table, i / 8)[i % 8] == i);
    CHECK(body_table_defragment(&table, body_value_column, &falling, unlimited).done);
    CHECK(body_table_row(&table, handles[0]) == BODIES - 1);
    *body_value_get(&table, handles[0]) = BODIES;
    body_table_touch(&table, handles[0]);
    CHECK(body_table_defragment(&table, body_value_column, &falling, unlimited).done);
    CHECK(body_table_row(&table, handles[0]) == 0);
    CHECK(body_value_lower_bound(&table, &falling, body_value_cell(&table, 5)) == 5);
    CHECK(body_value_upper_bound(&table, &falling, body_value_cell(&table, 5)) == 6);
    CHECK(body_x_lower_bound(&table, &falling, body_x_cell(&table, 0)) == HM_INVALID_INDEX);
    CHECK(body_x_upper_bound(&table, &falling, body_x_cell(&table, 0)) == HM_INVALID_INDEX);
    body_table_touch_all(&table);
    CHECK(body_table_arrange(&table, handles + 1, 1, unlimited).done);
    CHECK(body_table_row(&table, handles[1]) == 0);
    CHECK(body_table_erase_n(&table, handles, 100) == 100);
    CHECK(body_table_contains_n(&table, handles, BODIES, is_live) == BODIES - 100);
    CHECK(!is_live[99] && is_live[100]);
    CHECK(body_table_erase_if(&table, has_odd_value, &asked) == 100 && asked == 200);
    CHECK(body_table_insert_n(&table, NULL, 100, NULL) == HM_OK);
    CHECK(body_table_row_n(&table, NULL, 0, NULL) == 0);
    CHECK(body_table_erase_n(&table, NULL, 0) == 0);
    CHECK(body_table_arrange(&table, NULL, 0, unlimited).done);
    body_table_fini(&table);
}

TEST(typed, a_table_is_ordered_by_a_compare_that_has_no_key)
{
    uint32_t values[BODIES], i;
    body_cells cells;
    body_table table;
    hm_order rising;
    hm_budget unlimited = {0, 0};
    memset(&cells, 0, sizeof cells);
    memset(&rising, 0, sizeof rising);
    rising.compare = compare_numbers;
    for (i = 0; i < BODIES; i++)
        values[i] = BODIES - i;
    cells.value = values;
    CHECK(body_table_init(&table, BODIES) == HM_OK);
    CHECK(body_table_insert_n(&table, &cells, BODIES, NULL) == HM_OK);
    CHECK(body_table_defragment(&table, body_value_column, &rising, unlimited).done);
    for (i = 0; i < BODIES; i++)
        CHECK(body_value(&table)[i] == i + 1);
    CHECK(body_value_lower_bound(&table, &rising, values) == BODIES - 1);
    CHECK(body_value_upper_bound(&table, &rising, values) == BODIES);
    body_table_fini(&table);
}

TEST(typed, the_type_id_of_a_descriptor_wins_unless_it_is_0)
{
    hm_map_desc desc;
    hm_pool_desc pool_desc;
    body_map level, editor;
    body_pool pool;
    body_handle handle;
    memset(&desc, 0, sizeof desc);
    memset(&pool_desc, 0, sizeof pool_desc);
    CHECK(body_map_init_desc(&level, &desc) == HM_OK);
    desc.type_id = 77;
    desc.meta_size = 8;
    desc.item_size = 1;
    CHECK(body_map_init_desc(&editor, &desc) == HM_OK);
    pool_desc.type_id = 78;
    CHECK(body_pool_init_desc(&pool, &pool_desc) == HM_OK);
    handle = body_map_insert(&level, NULL);
    CHECK(hm_handle_type_id(handle.id) == 3);
    CHECK(body_map_explain(&editor, handle) == HM_HANDLE_FOREIGN);
    CHECK(hm_handle_type_id(body_map_insert(&editor, NULL).id) == 77);
    CHECK(body_map_meta_at(&editor, 0) != NULL);
    CHECK(hm_handle_type_id(body_pool_insert(&pool, NULL).id) == 78);
    body_map_fini(&level);
    body_map_fini(&editor);
    body_pool_fini(&pool);
}

TEST(typed, an_init_that_is_given_nothing_names_the_function)
{
    hm_map_desc desc;
    body_map map;
    body_pool pool;
    body_secondary secondary;
    body_lists lists;
    memset(&desc, 0, sizeof desc);
    memset(&map, 0xA5, sizeof map);
    CHECK(body_map_init(NULL, 5) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_map_init: map is NULL") == 0);
    CHECK(body_map_init_desc(NULL, &desc) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_map_init_desc: map is NULL") == 0);
    CHECK(body_map_init_desc(&map, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_map_init_desc: desc is NULL") == 0);
    CHECK(body_map_capacity(&map) == 0);
    body_map_fini(&map);
    CHECK(body_pool_init(NULL, 5) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_pool_init: pool is NULL") == 0);
    CHECK(body_pool_init_desc(&pool, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_pool_init_desc: desc is NULL") == 0);
    body_pool_fini(&pool);
    CHECK(body_secondary_init(NULL, 5, 3) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_secondary_init: secondary is NULL") == 0);
    CHECK(body_secondary_init_desc(NULL, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_secondary_init_desc: secondary is NULL") == 0);
    CHECK(body_secondary_init_desc(&secondary, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_secondary_init_desc: desc is NULL") == 0);
    body_secondary_fini(&secondary);
    CHECK(body_lists_init(NULL, 5) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_lists_init: lists is NULL") == 0);
    CHECK(body_lists_init_desc(NULL, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_lists_init_desc: lists is NULL") == 0);
    CHECK(body_lists_init_desc(&lists, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_lists_init_desc: desc is NULL") == 0);
    body_lists_fini(&lists);
}

TEST(typed, a_table_that_is_given_nothing_names_the_function)
{
    hm_table_desc desc;
    body_table table;
    memset(&desc, 0, sizeof desc);
    memset(&table, 0xA5, sizeof table);
    CHECK(body_table_init(NULL, 5) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_table_init: table is NULL") == 0);
    CHECK(body_table_init_desc(NULL, &desc) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_table_init_desc: table is NULL") == 0);
    CHECK(body_table_init_desc(&table, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_table_init_desc: desc is NULL") == 0);
    CHECK(body_table_capacity(&table) == 0);
    desc.type_id = 77;
    desc.capacity = 5;
    CHECK(body_table_init_desc(&table, &desc) == HM_OK);
    CHECK(hm_handle_type_id(body_table_insert(&table, NULL).id) == 77);
    CHECK(strcmp(table.table.name, "body") == 0);
    body_table_fini(&table);
    desc.name = "bodies";
    CHECK(body_table_init_desc(&table, &desc) == HM_OK);
    CHECK(strcmp(table.table.name, "bodies") == 0);
    body_table_fini(&table);
}

/* The panic of a broken contract names the typed function and the program's file. */
static void expect_panic_of(const char *function)
{
    test_expect_panic_of("typed_test.c", function);
}

#define NULL_TEST(kind, name, call)                                                                \
    DEATH_TEST(typed, kind##_##name##_of_null_names_the_function)                                  \
    {                                                                                              \
        body_##kind *none = NULL;                                                                  \
        body_handle null = body_handle_null();                                                     \
        hm_budget unlimited = {0, 0};                                                              \
        (void)null, (void)unlimited;                                                               \
        expect_panic_of("body_" #kind "_" #name ": " #kind " is NULL");                            \
        (void)(call);                                                                              \
    }

NULL_TEST(map, fini, (body_map_fini(none), 0))
NULL_TEST(map, clear, (body_map_clear(none), 0))
NULL_TEST(map, reserve, body_map_reserve(none, 1))
NULL_TEST(map, upcoming, body_map_upcoming(none, 0))
NULL_TEST(map, trim, body_map_trim(none))
NULL_TEST(map, insert, body_map_insert(none, NULL))
NULL_TEST(map, emplace, body_map_emplace(none, NULL))
NULL_TEST(map, insert_n, body_map_insert_n(none, NULL, 1, NULL))
NULL_TEST(map, get, body_map_get(none, null))
NULL_TEST(map, get_n, body_map_get_n(none, NULL, 0, NULL))
NULL_TEST(map, contains, body_map_contains(none, null))
NULL_TEST(map, contains_n, body_map_contains_n(none, NULL, 0, NULL))
NULL_TEST(map, handle_of, body_map_handle_of(none, NULL))
NULL_TEST(map, handle_at, body_map_handle_at(none, 0))
NULL_TEST(map, erase, body_map_erase(none, null))
NULL_TEST(map, erase_n, body_map_erase_n(none, NULL, 0))
NULL_TEST(map, erase_if, body_map_erase_if(none, is_odd, NULL))
NULL_TEST(map, count, body_map_count(none))
NULL_TEST(map, capacity, body_map_capacity(none))
NULL_TEST(map, validate, body_map_validate(none))
NULL_TEST(map, explain, body_map_explain(none, null))
NULL_TEST(map, describe, body_map_describe(none, null, NULL, 0))
NULL_TEST(map, get_stats, body_map_get_stats(none))
NULL_TEST(map, items, body_map_items(none))
NULL_TEST(map, index_of, body_map_index_of(none, null))
NULL_TEST(map, meta_at, body_map_meta_at(none, 0))
NULL_TEST(map, defragment, body_map_defragment(none, NULL, unlimited))
NULL_TEST(map, arrange, body_map_arrange(none, NULL, 0, unlimited))
NULL_TEST(map, lower_bound, body_map_lower_bound(none, NULL, NULL))
NULL_TEST(map, upper_bound, body_map_upper_bound(none, NULL, NULL))
NULL_TEST(map, touch, (body_map_touch(none, null), 0))
NULL_TEST(map, touch_all, (body_map_touch_all(none), 0))
NULL_TEST(pool, fini, (body_pool_fini(none), 0))
NULL_TEST(pool, clear, (body_pool_clear(none), 0))
NULL_TEST(pool, get, body_pool_get(none, null))
NULL_TEST(pool, count, body_pool_count(none))
NULL_TEST(pool, item, body_pool_item(none, 0))
NULL_TEST(pool, next_run, body_pool_next_run(none, 0, NULL))
NULL_TEST(pool, next_word, body_pool_next_word(none, 0, NULL))
NULL_TEST(lists, fini, (body_lists_fini(none), 0))
NULL_TEST(lists, clear, (body_lists_clear(none), 0))
NULL_TEST(lists, reserve, body_lists_reserve(none, 1))
NULL_TEST(lists, upcoming, body_lists_upcoming(none, 0))
NULL_TEST(lists, trim, body_lists_trim(none))
NULL_TEST(lists, create, body_lists_create(none))
NULL_TEST(lists, destroy, body_lists_destroy(none, null))
NULL_TEST(lists, contains, body_lists_contains(none, null))
NULL_TEST(lists, handle_at, body_lists_handle_at(none, 0))
NULL_TEST(lists, push, body_lists_push(none, null, NULL))
NULL_TEST(lists, push_n, body_lists_push_n(none, null, NULL, 1))
NULL_TEST(lists, insert_at, body_lists_insert_at(none, null, 0, NULL))
NULL_TEST(lists, resize, body_lists_resize(none, null, 1))
NULL_TEST(lists, erase_at, body_lists_erase_at(none, null, 0))
NULL_TEST(lists, remove_at, body_lists_remove_at(none, null, 0))
NULL_TEST(lists, erase_if, body_lists_erase_if(none, null, is_odd, NULL))
NULL_TEST(lists, items, body_lists_items(none, null, NULL))
NULL_TEST(lists, next, body_lists_next(none, NULL))
NULL_TEST(lists, item_count, body_lists_item_count(none))
NULL_TEST(lists, count, body_lists_count(none))
NULL_TEST(lists, capacity, body_lists_capacity(none))
NULL_TEST(lists, validate, body_lists_validate(none))
NULL_TEST(lists, explain, body_lists_explain(none, null))
NULL_TEST(lists, describe, body_lists_describe(none, null, NULL, 0))
NULL_TEST(lists, get_stats, body_lists_get_stats(none))
NULL_TEST(lists, defragment, body_lists_defragment(none, unlimited))
NULL_TEST(secondary, fini, (body_secondary_fini(none), 0))
NULL_TEST(secondary, clear, (body_secondary_clear(none), 0))
NULL_TEST(secondary, reserve, body_secondary_reserve(none, 1))
NULL_TEST(secondary, trim, body_secondary_trim(none))
NULL_TEST(secondary, set, body_secondary_set(none, null, NULL))
NULL_TEST(secondary, get, body_secondary_get(none, null))
NULL_TEST(secondary, contains, body_secondary_contains(none, null))
NULL_TEST(secondary, remove, body_secondary_remove(none, null))
NULL_TEST(secondary, purge, body_secondary_purge(none, is_third_slot, NULL))
NULL_TEST(secondary, values, body_secondary_values(none))
NULL_TEST(secondary, owner_at, body_secondary_owner_at(none, 0))
NULL_TEST(secondary, index_of, body_secondary_index_of(none, null))
NULL_TEST(secondary, count, body_secondary_count(none))
NULL_TEST(secondary, capacity, body_secondary_capacity(none))
NULL_TEST(secondary, validate, body_secondary_validate(none))
NULL_TEST(secondary, describe, body_secondary_describe(none, null, NULL, 0))
NULL_TEST(secondary, get_stats, body_secondary_get_stats(none))
NULL_TEST(secondary, defragment, body_secondary_defragment(none, NULL, unlimited))
NULL_TEST(secondary, arrange, body_secondary_arrange(none, NULL, 0, unlimited))
NULL_TEST(secondary, lower_bound, body_secondary_lower_bound(none, NULL, NULL))
NULL_TEST(secondary, upper_bound, body_secondary_upper_bound(none, NULL, NULL))
NULL_TEST(secondary, touch, (body_secondary_touch(none, null), 0))
NULL_TEST(secondary, touch_all, (body_secondary_touch_all(none), 0))

NULL_TEST(table, fini, (body_table_fini(none), 0))
NULL_TEST(table, clear, (body_table_clear(none), 0))
NULL_TEST(table, reserve, body_table_reserve(none, 1))
NULL_TEST(table, upcoming, body_table_upcoming(none, 0))
NULL_TEST(table, trim, body_table_trim(none))
NULL_TEST(table, insert, body_table_insert(none, NULL))
NULL_TEST(table, emplace, body_table_emplace(none, NULL))
NULL_TEST(table, insert_n, body_table_insert_n(none, NULL, 1, NULL))
NULL_TEST(table, contains, body_table_contains(none, null))
NULL_TEST(table, contains_n, body_table_contains_n(none, NULL, 0, NULL))
NULL_TEST(table, handle_at, body_table_handle_at(none, 0))
NULL_TEST(table, row, body_table_row(none, null))
NULL_TEST(table, row_n, body_table_row_n(none, NULL, 0, NULL))
NULL_TEST(table, group_count, body_table_group_count(none))
NULL_TEST(table, erase, body_table_erase(none, null))
NULL_TEST(table, erase_n, body_table_erase_n(none, NULL, 0))
NULL_TEST(table, erase_if, body_table_erase_if(none, has_odd_value, NULL))
NULL_TEST(table, count, body_table_count(none))
NULL_TEST(table, capacity, body_table_capacity(none))
NULL_TEST(table, validate, body_table_validate(none))
NULL_TEST(table, explain, body_table_explain(none, null))
NULL_TEST(table, describe, body_table_describe(none, null, NULL, 0))
NULL_TEST(table, get_stats, body_table_get_stats(none))
NULL_TEST(table, defragment, body_table_defragment(none, 0, NULL, unlimited))
NULL_TEST(table, arrange, body_table_arrange(none, NULL, 0, unlimited))
NULL_TEST(table, touch, (body_table_touch(none, null), 0))
NULL_TEST(table, touch_all, (body_table_touch_all(none), 0))

DEATH_TEST(typed, describe_without_a_buffer_names_the_function)
{
    body_map map;
    memset(&map, 0, sizeof map);
    expect_panic_of("body_map_describe: buffer is NULL");
    (void)body_map_describe(&map, body_handle_null(), NULL, 1);
}

/* What concerns one column has its name. */
#define COLUMN_NULL_TEST(name, call)                                                               \
    DEATH_TEST(typed, table_##name##_of_null_names_the_function)                                   \
    {                                                                                              \
        body_table *none = NULL;                                                                   \
        body_handle null = body_handle_null();                                                     \
        (void)null;                                                                                \
        expect_panic_of("body_" #name ": table is NULL");                                          \
        (void)(call);                                                                              \
    }

COLUMN_NULL_TEST(x, body_x(none))
COLUMN_NULL_TEST(x_group, body_x_group(none, 0))
COLUMN_NULL_TEST(x_cell, body_x_cell(none, 0))
COLUMN_NULL_TEST(x_get, body_x_get(none, null))
COLUMN_NULL_TEST(x_of, body_x_of(none, NULL))
COLUMN_NULL_TEST(x_lower_bound, body_x_lower_bound(none, NULL, NULL))
COLUMN_NULL_TEST(x_upper_bound, body_x_upper_bound(none, NULL, NULL))

/* Arguments other than the container. */
#define ARGUMENT_TEST(kind, name, what, call)                                                      \
    DEATH_TEST(typed, kind##_##name##_without_its_##what##_names_the_function)                     \
    {                                                                                              \
        body_##kind container;                                                                     \
        body_handle handles[1] = {{{1}}};                                                          \
        hm_budget unlimited = {0, 0};                                                              \
        hm_order nothing;                                                                          \
        memset(&nothing, 0, sizeof nothing);                                                       \
        (void)handles, (void)unlimited;                                                            \
        CHECK(body_##kind##_init(&container, 1) == HM_OK);                                         \
        expect_panic_of("body_" #kind "_" #name ": ");                                             \
        (void)(call);                                                                              \
    }

ARGUMENT_TEST(map, emplace, item, body_map_emplace(&container, NULL))
ARGUMENT_TEST(map, get_n, handles, body_map_get_n(&container, NULL, 1, NULL))
ARGUMENT_TEST(map, get_n, items, body_map_get_n(&container, handles, 1, NULL))
ARGUMENT_TEST(map, contains_n, handles, body_map_contains_n(&container, NULL, 1, NULL))
ARGUMENT_TEST(map, contains_n, answers, body_map_contains_n(&container, handles, 1, NULL))
ARGUMENT_TEST(map, erase_n, handles, body_map_erase_n(&container, NULL, 1))
ARGUMENT_TEST(map, erase_if, predicate, body_map_erase_if(&container, NULL, NULL))
ARGUMENT_TEST(map, defragment, order, body_map_defragment(&container, NULL, unlimited))
ARGUMENT_TEST(map, defragment, keys, body_map_defragment(&container, &nothing, unlimited))
ARGUMENT_TEST(map, arrange, order, body_map_arrange(&container, NULL, 1, unlimited))
ARGUMENT_TEST(lists, erase_if, predicate, body_lists_erase_if(&container, *handles, NULL, NULL))
ARGUMENT_TEST(lists, next, view, body_lists_next(&container, NULL))
ARGUMENT_TEST(pool, emplace, item, body_pool_emplace(&container, NULL))
ARGUMENT_TEST(pool, next_word, answer, body_pool_next_word(&container, 0, NULL))

#define SECONDARY_ARGUMENT_TEST(name, what, call)                                                  \
    DEATH_TEST(typed, secondary_##name##_without_its_##what##_names_the_function)                  \
    {                                                                                              \
        body_secondary container;                                                                  \
        hm_budget unlimited = {0, 0};                                                              \
        (void)unlimited;                                                                           \
        CHECK(body_secondary_init(&container, 1, 3) == HM_OK);                                     \
        expect_panic_of("body_secondary_" #name ": ");                                             \
        (void)(call);                                                                              \
    }

SECONDARY_ARGUMENT_TEST(purge, predicate, body_secondary_purge(&container, NULL, NULL))
SECONDARY_ARGUMENT_TEST(defragment, order, body_secondary_defragment(&container, NULL, unlimited))
SECONDARY_ARGUMENT_TEST(arrange, order, body_secondary_arrange(&container, NULL, 1, unlimited))
ARGUMENT_TEST(table, emplace, row, body_table_emplace(&container, NULL))
ARGUMENT_TEST(table, row_n, handles, body_table_row_n(&container, NULL, 1, NULL))
ARGUMENT_TEST(table, row_n, rows, body_table_row_n(&container, handles, 1, NULL))
ARGUMENT_TEST(table, contains_n, handles, body_table_contains_n(&container, NULL, 1, NULL))
ARGUMENT_TEST(table, contains_n, answers, body_table_contains_n(&container, handles, 1, NULL))
ARGUMENT_TEST(table, erase_n, handles, body_table_erase_n(&container, NULL, 1))
ARGUMENT_TEST(table, erase_if, predicate, body_table_erase_if(&container, NULL, NULL))
ARGUMENT_TEST(table, defragment, order, body_table_defragment(&container, 0, NULL, unlimited))
ARGUMENT_TEST(table, defragment, keys, body_table_defragment(&container, 0, &nothing, unlimited))
ARGUMENT_TEST(table, arrange, order, body_table_arrange(&container, NULL, 1, unlimited))

DEATH_TEST(typed, table_defragment_by_a_column_out_of_range_names_the_function)
{
    body_table container;
    hm_budget unlimited = {0, 0};
    hm_order falling;
    memset(&falling, 0, sizeof falling);
    falling.key = falling_number_of;
    CHECK(body_table_init(&container, 1) == HM_OK);
    expect_panic_of("body_table_defragment: the column is out of range");
    (void)body_table_defragment(&container, 3, &falling, unlimited);
}

/* Arguments of the searches. `container` is empty, and so in every order. */
#define BOUND_TEST(kind, function, call)                                                           \
    DEATH_TEST(typed, function##_without_an_order_names_the_function)                              \
    {                                                                                              \
        body_##kind container;                                                                     \
        hm_order *by = NULL;                                                                       \
        body probe = make_body(1);                                                                 \
        (void)probe;                                                                               \
        memset(&container, 0, sizeof container);                                                   \
        expect_panic_of(#function ": the order has neither compare nor key");                      \
        (void)(call);                                                                              \
    }                                                                                              \
    DEATH_TEST(typed, function##_by_an_order_of_nothing_names_the_function)                        \
    {                                                                                              \
        body_##kind container;                                                                     \
        hm_order nothing, *by = &nothing;                                                          \
        body probe = make_body(1);                                                                 \
        (void)probe;                                                                               \
        memset(&container, 0, sizeof container);                                                   \
        memset(&nothing, 0, sizeof nothing);                                                       \
        expect_panic_of(#function ": the order has neither compare nor key");                      \
        (void)(call);                                                                              \
    }

#define PROBE_TEST(kind, function)                                                                 \
    DEATH_TEST(typed, function##_without_a_probe_names_the_function)                               \
    {                                                                                              \
        body_##kind container;                                                                     \
        hm_order rising;                                                                           \
        memset(&container, 0, sizeof container);                                                   \
        memset(&rising, 0, sizeof rising);                                                         \
        rising.key = value_of;                                                                     \
        expect_panic_of(#function ": probe is NULL");                                              \
        (void)function(&container, &rising, NULL);                                                 \
    }

BOUND_TEST(map, body_map_lower_bound, body_map_lower_bound(&container, by, &probe))
BOUND_TEST(map, body_map_upper_bound, body_map_upper_bound(&container, by, &probe))
BOUND_TEST(secondary, body_secondary_lower_bound,
           body_secondary_lower_bound(&container, by, &probe))
BOUND_TEST(secondary, body_secondary_upper_bound,
           body_secondary_upper_bound(&container, by, &probe))
BOUND_TEST(table, body_value_lower_bound, body_value_lower_bound(&container, by, &probe.value))
BOUND_TEST(table, body_value_upper_bound, body_value_upper_bound(&container, by, &probe.value))
PROBE_TEST(map, body_map_lower_bound)
PROBE_TEST(map, body_map_upper_bound)
PROBE_TEST(secondary, body_secondary_lower_bound)
PROBE_TEST(secondary, body_secondary_upper_bound)
PROBE_TEST(table, body_value_lower_bound)
PROBE_TEST(table, body_value_upper_bound)

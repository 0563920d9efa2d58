/* SPDX-License-Identifier: MIT */
/* Broken contracts of every typed function, in the common language of C and C++, as in
 * typed_test.c: what is refused or panics names the typed function. */
#include "typed/body.h"

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

/* A panic names the typed function, and the program's file that defines it. */
static void expect_panic_of(const char *function)
{
    test_expect_panic_of("body.h", function);
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
NULL_TEST(map, erase_at, body_map_erase_at(none, 0))
NULL_TEST(map, erase_n, body_map_erase_n(none, NULL, 0))
NULL_TEST(map, erase_if, body_map_erase_if(none, is_odd, NULL))
NULL_TEST(map, count, body_map_count(none))
NULL_TEST(map, capacity, body_map_capacity(none))
NULL_TEST(map, validate, body_map_validate(none))
NULL_TEST(map, explain, body_map_explain(none, null))
NULL_TEST(map, as_owners, body_map_as_owners(none))
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
NULL_TEST(pool, upcoming, body_pool_upcoming(none, 0))
NULL_TEST(pool, index_of, body_pool_index_of(none, null))
NULL_TEST(pool, erase_at, body_pool_erase_at(none, 0))
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
NULL_TEST(lists, erase_ordered_at, body_lists_erase_ordered_at(none, null, 0))
NULL_TEST(lists, erase_if, body_lists_erase_if(none, null, is_odd, NULL))
NULL_TEST(lists, items, body_lists_items(none, null, NULL))
NULL_TEST(lists, next, body_lists_next(none, NULL))
NULL_TEST(lists, item_count, body_lists_item_count(none))
NULL_TEST(lists, count, body_lists_count(none))
NULL_TEST(lists, capacity, body_lists_capacity(none))
NULL_TEST(lists, validate, body_lists_validate(none))
NULL_TEST(lists, explain, body_lists_explain(none, null))
NULL_TEST(lists, as_owners, body_lists_as_owners(none))
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
NULL_TEST(secondary, set_n, body_secondary_set_n(none, NULL, NULL, 0))
NULL_TEST(secondary, get_n, body_secondary_get_n(none, NULL, 0, NULL))
NULL_TEST(secondary, contains_n, body_secondary_contains_n(none, NULL, 0, NULL))
NULL_TEST(secondary, remove_n, body_secondary_remove_n(none, NULL, 0))
NULL_TEST(secondary, remove_at, body_secondary_remove_at(none, 0))
NULL_TEST(secondary, handle_of, body_secondary_handle_of(none, NULL))
NULL_TEST(secondary, explain, body_secondary_explain(none, null))
NULL_TEST(secondary, remove_if, body_secondary_remove_if(none, is_not_third_slot, NULL))
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
NULL_TEST(table, erase_at, body_table_erase_at(none, 0))
NULL_TEST(table, erase_n, body_table_erase_n(none, NULL, 0))
NULL_TEST(table, erase_if, body_table_erase_if(none, has_odd_value, NULL))
NULL_TEST(table, count, body_table_count(none))
NULL_TEST(table, capacity, body_table_capacity(none))
NULL_TEST(table, validate, body_table_validate(none))
NULL_TEST(table, explain, body_table_explain(none, null))
NULL_TEST(table, as_owners, body_table_as_owners(none))
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
COLUMN_NULL_TEST(x_get_n, body_x_get_n(none, NULL, 0, NULL))
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

SECONDARY_ARGUMENT_TEST(set_n, owners, body_secondary_set_n(&container, NULL, NULL, 1))
SECONDARY_ARGUMENT_TEST(get_n, owners, body_secondary_get_n(&container, NULL, 1, NULL))
SECONDARY_ARGUMENT_TEST(contains_n, owners, body_secondary_contains_n(&container, NULL, 1, NULL))
SECONDARY_ARGUMENT_TEST(remove_n, owners, body_secondary_remove_n(&container, NULL, 1))
SECONDARY_ARGUMENT_TEST(remove_if, doomed, body_secondary_remove_if(&container, NULL, NULL))
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

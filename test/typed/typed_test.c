/* SPDX-License-Identifier: MIT */
/* Every typed function, in the common language of C and C++: typed_cpp_test.cpp includes this file,
 * and checks/typed.sh compiles it with all warnings and checks that no function is missing. What
 * the functions refuse is in contract_test.c. */
#include "typed/body.h"

enum { BODIES = 300 };

static void make_bodies(body *bodies)
{
    uint32_t i;
    for (i = 0; i < BODIES; i++)
        bodies[i] = make_body(i);
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

/* What containers that issue handles say when one of theirs, `erased`, is stale. */
#define CHECK_ANSWERS(kind, c, erased)                                                             \
    do {                                                                                           \
        CHECK(body_##kind##_explain(c, erased) == HM_HANDLE_STALE);                                \
        CHECK(body_##kind##_as_owners(c).capacity == body_##kind##_capacity(c));                   \
        CHECK(body_##kind##_describe(c, erased, text, sizeof text) ==                              \
              hm_##kind##_describe(&(c)->kind, (erased).id, NULL, 0));                             \
        CHECK(body_##kind##_describe(c, erased, NULL, 0) == strlen(text));                         \
        CHECK(body_##kind##_get_stats(c).count == body_##kind##_count(c));                         \
        CHECK(body_##kind##_get_stats(c).free_slots == 1);                                         \
        CHECK(body_##kind##_validate(c) == HM_OK);                                                 \
    } while (0)

#define CHECK_END(kind, c)                                                                         \
    do {                                                                                           \
        body_##kind##_clear(c);                                                                    \
        CHECK(body_##kind##_trim(c) == HM_OK && body_##kind##_count(c) == 0);                      \
        body_##kind##_fini(c);                                                                     \
    } while (0)

/* Of containers of items, with the type id that body.h gives them. */
#define ITEM_TESTS(kind, number)                                                                   \
    TEST(typed, a_##kind##_does_one_by_one_what_the_untyped_one_does)                              \
    {                                                                                              \
        body_##kind c;                                                                             \
        body made = make_body(7), *item = NULL;                                                    \
        body_handle first, second, third;                                                          \
        uint32_t at;                                                                               \
        CHECK(body_##kind##_init(&c, 10) == HM_OK && body_##kind##_capacity(&c) == 10);            \
        CHECK(body_##kind##_reserve(&c, 3) == HM_OK && body_##kind##_available(&c) == 10);         \
        third = body_##kind##_upcoming(&c, 1);                                                     \
        first = body_##kind##_insert(&c, &made);                                                   \
        second = body_##kind##_emplace(&c, &item);                                                 \
        CHECK(body_handle_equal(second, third) && item != NULL);                                   \
        *item = make_body(8);                                                                      \
        item->self = second;                                                                       \
        item->parent = first;                                                                      \
        third = body_##kind##_emplace_zeroed(&c, &item);                                           \
        CHECK(body_##kind##_get(&c, third) == item && item->value == 0);                           \
        item = body_##kind##_get(&c, second);                                                      \
        CHECK(body_##kind##_count(&c) == 3 && hm_handle_type_id(first.id) == (number));            \
        CHECK(body_##kind##_get(&c, body_##kind##_get(&c, second)->parent)->value == 7);           \
        CHECK(body_##kind##_contains(&c, third) && body_##kind##_get(&c, third)->value == 0);      \
        CHECK(body_##kind##_get(&c, second) == item && body_##kind##_index_of(&c, second) == 1);   \
        CHECK(body_handle_equal(body_##kind##_handle_at(&c, 1), second));                          \
        CHECK(body_handle_equal(body_##kind##_handle_of(&c, &item->value), second));               \
        CHECK(body_handle_is_null(body_##kind##_handle_of(&c, &made)));                            \
        CHECK(body_##kind##_erase(&c, second) && !body_##kind##_erase(&c, second));                \
        CHECK_ANSWERS(kind, &c, second);                                                           \
        CHECK(body_##kind##_adopt(&c, second, &made) == HM_OK);                                    \
        CHECK(body_##kind##_get(&c, second)->value == 7);                                          \
        CHECK(body_##kind##_adopt(&c, second, NULL) == HM_ERROR_STALE);                            \
        CHECK(body_##kind##_erase(&c, second));                                                    \
        at = body_##kind##_index_of(&c, third);                                                    \
        CHECK(body_##kind##_erase_at(&c, at) && !body_##kind##_erase_at(&c, at));                  \
        CHECK_END(kind, &c);                                                                       \
    }                                                                                              \
    TEST(typed, a_##kind##_promises_typed_handles)                                                 \
    {                                                                                              \
        body_##kind c;                                                                             \
        body_handle first;                                                                         \
        const body made = make_body(7);                                                            \
        CHECK(body_##kind##_init(&c, 10) == HM_OK);                                                \
        CHECK(body_##kind##_reserve_promises(&c, 2) == HM_OK);                                     \
        first = body_##kind##_promise(&c);                                                         \
        CHECK(body_##kind##_get(&c, first) == NULL);                                               \
        CHECK(body_##kind##_insert_as(&c, first, &made) == HM_OK);                                 \
        CHECK(body_##kind##_get(&c, first)->value == 7 && body_##kind##_erase(&c, first));         \
        CHECK(body_##kind##_give_up(&c, body_##kind##_promise(&c)));                               \
        body_##kind##_fini(&c);                                                                    \
    }                                                                                              \
    TEST(typed, batches_of_a_##kind##_take_typed_arrays)                                           \
    {                                                                                              \
        body bodies[BODIES], *found[BODIES];                                                       \
        body_handle handles[BODIES];                                                               \
        bool is_live[BODIES];                                                                      \
        uint32_t i, asked = 0;                                                                     \
        body_##kind c;                                                                             \
        make_bodies(bodies);                                                                       \
        CHECK(body_##kind##_init(&c, BODIES) == HM_OK);                                            \
        CHECK(body_##kind##_insert_n(&c, bodies, BODIES, handles) == HM_OK);                       \
        CHECK(body_##kind##_get_n(&c, handles, BODIES, found) == BODIES);                          \
        for (i = 0; i < BODIES; i++)                                                               \
            CHECK(found[i]->value == i && found[i] == body_##kind##_get(&c, handles[i]));          \
        CHECK(body_##kind##_erase_n(&c, handles, 100) == 100);                                     \
        CHECK(body_##kind##_contains_n(&c, handles, BODIES, is_live) == BODIES - 100);             \
        for (i = 0; i < BODIES; i++)                                                               \
            CHECK(is_live[i] == (i >= 100));                                                       \
        CHECK(body_##kind##_erase_if(&c, is_odd, &asked) == 100 && asked == 200);                  \
        CHECK(body_##kind##_insert_n(&c, NULL, 100, NULL) == HM_OK);                               \
        CHECK(body_##kind##_get_n(&c, NULL, 0, NULL) == 0);                                        \
        CHECK(body_##kind##_erase_n(&c, NULL, 0) == 0);                                            \
        CHECK(body_##kind##_contains_n(&c, NULL, 0, NULL) == 0);                                   \
        body_##kind##_fini(&c);                                                                    \
    }

ITEM_TESTS(map, 3)
ITEM_TESTS(pool, 4)

HM_ID32_DEFINE(body, 20, body_map_TYPE_ID)
HM_MAP_DEFINE(plank, uint32_t, 77)

TEST(typed, a_handle_comes_back_from_its_bits_and_from_an_id_of_32)
{
    body_map map;
    hm_map_desc desc;
    body item = make_body(5);
    body_handle handle;
    body_id32 id;
    memset(&desc, 0, sizeof desc);
    desc.max_slots = 1 << 20;
    desc.generation_bits = 12;
    CHECK(body_map_init_desc(&map, &desc) == HM_OK);
    handle = body_map_insert(&map, &item);
    CHECK(body_handle_equal(body_handle_from_bits(handle.id.bits), handle));
    id = body_id32_pack(handle);
    CHECK(id.bits == (UINT32_C(1) << 20) && sizeof id == 4);
    CHECK(body_map_get(&map, body_id32_unpack(id))->value == 5);
    CHECK(body_map_erase(&map, handle));
    CHECK(body_map_explain(&map, body_id32_unpack(id)) == HM_HANDLE_STALE);
    CHECK(body_handle_is_null(body_id32_unpack(body_id32_pack(body_handle_null()))));
    CHECK(body_id32_pack(body_handle_from_bits(hm_handle_pack(0, 1, 9).bits)).bits == 0);
    CHECK(hm_handle_type_id(handle.id) == body_map_TYPE_ID && body_pool_TYPE_ID == 4);
    CHECK(body_lists_TYPE_ID == 6 && body_table_TYPE_ID == 5);
    CHECK(plank_TYPE_ID == 77 && plank_map_TYPE_ID == 77);
    body_map_fini(&map);
}

TEST(typed, items_of_a_pool_are_found_by_their_places)
{
    body_pool pool;
    body *item = NULL;
    uint32_t length = 0, visited = 0;
    uint64_t live = 0;
    CHECK(body_pool_init(&pool, 10) == HM_OK && body_pool_insert_n(&pool, NULL, 2, NULL) == HM_OK);
    body_pool_emplace(&pool, &item);
    CHECK(body_pool_item_at(&pool, 2) == item && body_pool_erase_at(&pool, 1));
    CHECK(body_pool_item_at(&pool, 1) == NULL && body_pool_live_at(&pool, 2) == item);
    HM_POOL_EACH(body, each, i, &pool.pool)
        visited += body_pool_live_at(&pool, i) == each;
    CHECK(visited == 2);
    CHECK(body_handle_is_null(body_pool_handle_at(&pool, 1)));
    CHECK(body_pool_next_run(&pool, 0, &length) == 0 && length == 1);
    CHECK(body_pool_next_word(&pool, 0, &live) == 0 && live == 5);
    body_pool_fini(&pool);
}

TEST(typed, a_map_is_brought_into_order)
{
    body bodies[BODIES];
    body_handle handles[BODIES];
    hm_order rising, falling, by_compare;
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
    CHECK(body_map_defragment(&map, &falling, NULL).done);
    CHECK(body_map_items(&map)[0].value == BODIES - 1);
    body_map_get(&map, handles[0])->value = BODIES;
    body_map_touch(&map, handles[0]);
    CHECK(body_map_defragment(&map, &falling, NULL).done);
    CHECK(body_map_index_of(&map, handles[0]) == 0);
    body_map_touch_all(&map);
    body_map_forget_order(&map);
    CHECK(body_map_defragment(&map, &rising, NULL).done);
    CHECK(body_map_items(&map)[0].value == 1);
    CHECK(body_map_lower_bound(&map, &rising, &probe) == 9);
    CHECK(body_map_upper_bound(&map, &rising, &probe) == 10);
    by_compare.compare = compare_values;
    CHECK(body_map_lower_bound(&map, &by_compare, &probe) == HM_INVALID_INDEX);
    CHECK(body_map_defragment(&map, &by_compare, NULL).done);
    CHECK(body_map_items(&map)[0].value == 1);
    CHECK(body_map_lower_bound(&map, &by_compare, &probe) == 9);
    CHECK(body_map_upper_bound(&map, &by_compare, &probe) == 10);
    CHECK(body_map_meta_at(&map, 1) == NULL && body_map_arrange(&map, NULL, 0, NULL).done);
    CHECK(body_map_arrange(&map, handles, BODIES, NULL).done);
    CHECK(body_map_index_of(&map, handles[0]) == 0);
    body_map_fini(&map);
}

static body_handle body_at(uint32_t index)
{
    body_handle made;
    made.id = hm_handle_pack(index, 1, 3);
    return made;
}

/* For owners of type id 3. */
static hm_status init_secondary(body_secondary *secondary, uint32_t capacity)
{
    hm_secondary_desc desc;
    CHECK(body_secondary_init(secondary, capacity) == HM_OK && secondary->secondary.type_id == 0);
    CHECK(body_secondary_capacity(secondary) == capacity);
    body_secondary_fini(secondary);
    memset(&desc, 0, sizeof desc);
    desc.capacity = capacity;
    desc.type_id = 3;
    return body_secondary_init_desc(secondary, &desc);
}

static hm_status init_index(body_index *index, uint32_t capacity, uint32_t key_limit)
{
    hm_index_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.capacity = capacity;
    desc.type_id = 3;
    desc.key_limit = key_limit;
    return body_index_init_desc(index, &desc);
}

TEST(typed, a_secondary_does_one_by_one_what_the_untyped_one_does)
{
    body_secondary secondary;
    body made = make_body(7), *value;
    body_handle first = body_at(4), second = body_at(2);
    CHECK(init_secondary(&secondary, 10) == HM_OK);
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
    CHECK(body_handle_equal(body_secondary_handle_of(&secondary, &value->value), first));
    CHECK(body_secondary_explain(&secondary, body_at(3)) == HM_HANDLE_ABSENT);
    CHECK(body_secondary_remove(&secondary, first) && !body_secondary_remove(&secondary, first));
    CHECK(body_secondary_get(&secondary, first) == NULL);
    CHECK(body_secondary_get_stats(&secondary).count == 1);
    CHECK(body_secondary_describe(&secondary, first, text, sizeof text) ==
          hm_secondary_describe(&secondary.secondary, first.id, NULL, 0));
    CHECK(body_secondary_describe(&secondary, first, NULL, 0) == strlen(text));
    CHECK(body_secondary_validate(&secondary) == HM_OK);
    CHECK(body_secondary_remove_at(&secondary, 0) && !body_secondary_remove_at(&secondary, 0));
    CHECK_END(secondary, &secondary);
}

static bool is_empty_list(body_handle list, const body *items, uint32_t count, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return !body_handle_is_null(list) && items == NULL && count == 0;
}

TEST(typed, lists_do_what_the_untyped_ones_do)
{
    body_handle many[4];
    bool is_live[4];
    uint32_t asked = 0;
    body_lists lists;
    body bodies[BODIES], made = make_body(7);
    body_handle first, second;
    uint32_t count = 0;
    make_bodies(bodies);
    CHECK(body_lists_init(&lists, 100) == HM_OK && body_lists_capacity(&lists) == 100);
    CHECK(strcmp(lists.lists.name, "body") == 0);
    CHECK(body_lists_reserve(&lists, 2) == HM_OK);
    second = body_lists_upcoming(&lists, 1);
    CHECK(body_lists_available(&lists) == body_lists_capacity(&lists));
    first = body_lists_create(&lists);
    CHECK(body_handle_equal(body_lists_create(&lists), second));
    CHECK(hm_handle_type_id(first.id) == 6 && body_lists_count(&lists) == 2);
    CHECK(body_lists_push(&lists, first, &made)->value == 7);
    CHECK(body_lists_push_n(&lists, first, bodies, BODIES) == HM_OK);
    CHECK(body_lists_item_count(&lists) == BODIES + 1);
    CHECK(body_lists_items(&lists, first, &count)[BODIES].value == BODIES - 1);
    CHECK(count == BODIES + 1 && body_lists_items(&lists, second, NULL) == NULL);
    CHECK(body_lists_count_of(&lists, first) == count && body_lists_count_of(&lists, second) == 0);
    CHECK(body_lists_resize(&lists, first, 3) == HM_OK); /* 7, 0, 1 */
    CHECK(body_lists_erase_at(&lists, first, 0));        /* 1, 0 */
    CHECK(body_lists_insert_at(&lists, first, 1, &made)->value == 7);
    CHECK(body_lists_erase_ordered_at(&lists, first, 0)); /* 7, 0 */
    CHECK(body_lists_items(&lists, first, &count)[0].value == 7 && count == 2);
    CHECK(body_lists_items(&lists, first, NULL)[1].value == 0);
    CHECK(body_handle_equal(body_lists_handle_at(&lists, 1), second));
    CHECK(body_lists_contains(&lists, second) && body_lists_destroy(&lists, second));
    CHECK(!body_lists_contains(&lists, second));
    CHECK_ANSWERS(lists, &lists, second);
    CHECK(body_lists_adopt(&lists, second) == HM_OK && body_lists_destroy(&lists, second));
    CHECK(body_lists_create_n(&lists, 4, many) == HM_OK && body_lists_count(&lists) == 5);
    CHECK(body_lists_contains_n(&lists, many, 4, is_live) == 4 && is_live[3]);
    CHECK(body_lists_destroy_n(&lists, many, 2) == 2);
    CHECK(body_lists_destroy_if(&lists, is_empty_list, &asked) == 2 && asked == 3);
    CHECK(body_lists_count(&lists) == 1 && body_lists_contains(&lists, first));
    CHECK_END(lists, &lists);
}

TEST(typed, lists_are_visited_in_the_order_of_memory)
{
    body_lists lists;
    body bodies[BODIES];
    body_handle handles[3];
    body_lists_view view;
    hm_lists_desc desc;
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
    CHECK(body_lists_defragment(&lists, NULL).done);
    for (i = 0; body_lists_next(&lists, &view); i++) {
        CHECK(i < 3 && body_handle_equal(view.list, handles[i]));
        CHECK(view.count == (i == 1 ? 5u : 10u));
        CHECK(view.items == body_lists_items(&lists, handles[i], NULL));
        CHECK(view.items[0].value == (i == 0 ? 0u : 2u));
    }
    CHECK(i == 3 && view.items == NULL && body_handle_is_null(view.list));
    body_lists_fini(&lists);
}

TEST(typed, batches_of_a_secondary_take_typed_arrays)
{
    body bodies[BODIES], *found[BODIES];
    body_handle owners[BODIES];
    bool is_alive[BODIES];
    uint32_t i;
    body_secondary secondary;
    make_bodies(bodies);
    CHECK(init_secondary(&secondary, BODIES) == HM_OK);
    for (i = 0; i < BODIES; i++)
        owners[i] = body_at(i);
    CHECK(body_secondary_set_n(&secondary, owners, bodies, BODIES) == HM_OK);
    CHECK(body_secondary_get_n(&secondary, owners, BODIES, found) == BODIES);
    for (i = 0; i < BODIES; i++)
        CHECK(found[i]->value == i);
    CHECK(body_secondary_remove_n(&secondary, owners, 100) == 100);
    CHECK(body_secondary_contains_n(&secondary, owners, BODIES, is_alive) == BODIES - 100);
    for (i = 0; i < BODIES; i++)
        CHECK(is_alive[i] == (i >= 100));
    CHECK(body_secondary_set_n(&secondary, owners, NULL, 1) == HM_OK);
    CHECK(body_secondary_get(&secondary, owners[0])->value == 0);
    CHECK(body_secondary_set_n(&secondary, NULL, NULL, 0) == HM_OK);
    CHECK(body_secondary_get_n(&secondary, NULL, 0, NULL) == 0);
    body_secondary_fini(&secondary);
}

TEST(typed, a_secondary_loses_values_and_is_put_in_order)
{
    body_secondary secondary;
    hm_secondary_desc desc;
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
    CHECK(body_secondary_remove_if(&secondary, is_not_third_slot, &asked) == BODIES / 3 * 2);
    CHECK(asked == BODIES);
    CHECK(body_secondary_defragment(&secondary, &rising, NULL).done);
    CHECK(body_secondary_index_of(&secondary, last) == 0);
    body_secondary_get(&secondary, last)->value = BODIES + 1;
    body_secondary_touch(&secondary, last);
    CHECK(body_secondary_defragment(&secondary, &rising, NULL).done);
    CHECK(body_secondary_index_of(&secondary, last) == BODIES / 3 - 1);
    CHECK(body_secondary_lower_bound(&secondary, &rising, body_secondary_get(&secondary, last)) ==
          BODIES / 3 - 1);
    CHECK(body_secondary_upper_bound(&secondary, &rising, body_secondary_get(&secondary, last)) ==
          BODIES / 3);
    rising.key = NULL;
    rising.compare = compare_values;
    CHECK(body_secondary_defragment(&secondary, &rising, NULL).done);
    CHECK(body_secondary_lower_bound(&secondary, &rising, body_secondary_values(&secondary)) == 0);
    CHECK(body_secondary_upper_bound(&secondary, &rising, body_secondary_values(&secondary)) == 1);
    handles[0] = last;
    body_secondary_touch_all(&secondary);
    body_secondary_forget_order(&secondary);
    CHECK(body_secondary_arrange(&secondary, handles, 1, NULL).done);
    CHECK(body_secondary_index_of(&secondary, last) == 0);
    body_secondary_fini(&secondary);
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    uint32_t x = *HM_CAST(const uint32_t *, a), y = *HM_CAST(const uint32_t *, b);
    (void)context;
    return (x > y) - (x < y);
}

TEST(typed, a_table_promises_typed_handles)
{
    body_table table;
    body_row made;
    body_handle first;
    memset(&made, 0, sizeof made);
    made.value = 7;
    CHECK(body_table_init(&table, 10) == HM_OK);
    CHECK(body_table_reserve_promises(&table, 2) == HM_OK);
    first = body_table_promise(&table);
    CHECK(body_table_insert_as(&table, first, &made) == HM_OK);
    CHECK(*body_value_get(&table, first) == 7);
    CHECK(body_table_give_up(&table, body_table_promise(&table)));
    body_table_fini(&table);
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
    CHECK(body_table_available(&table) == body_table_capacity(&table));
    first = body_table_insert(&table, &made);
    second = body_table_emplace(&table, &row);
    CHECK(body_handle_equal(second, third));
    CHECK(row == 1);
    body_x(&table)[row] = 8;
    *body_value_cell(&table, row) = 8;
    *body_parent_cell(&table, row) = first;
    third = body_table_emplace_zeroed(&table, &row);
    CHECK(row == 2 && *body_value_cell(&table, row) == 0);
    CHECK(body_table_count(&table) == 3 && hm_handle_type_id(first.id) == 5);
    CHECK(*body_value_get(&table, *body_parent_get(&table, second)) == 7);
    CHECK(body_x_get(&table, second) == body_x_cell(&table, 1));
    CHECK(body_x_group(&table, 0) == NULL && body_table_group_count(&table) == 0);
    CHECK(body_handle_equal(body_x_of(&table, body_x(&table) + 1), second));
    CHECK(body_handle_is_null(body_x_of(&table, body_value(&table))));
    CHECK(body_table_contains(&table, third) && body_table_row(&table, third) == 2);
    CHECK(body_handle_equal(body_table_handle_at(&table, 1), second));
    CHECK(body_table_erase(&table, second) && !body_table_erase(&table, second));
    CHECK_ANSWERS(table, &table, second);
    CHECK(body_table_adopt(&table, second, &made) == HM_OK);
    CHECK(*body_value_get(&table, second) == 7);
    CHECK(body_table_adopt(&table, second, NULL) == HM_ERROR_STALE);
    CHECK(body_table_erase(&table, second));
    CHECK(body_table_erase_at(&table, 1) && !body_table_erase_at(&table, 1));
    CHECK_END(table, &table);
}

TEST(typed, batches_and_orders_of_a_table_take_typed_arrays)
{
    uint32_t values[BODIES], rows[BODIES], i, asked = 0;
    body_handle handles[BODIES];
    bool is_live[BODIES];
    uint32_t *found[BODIES];
    float *places[1];
    body_cells cells;
    body_table table;
    hm_table_desc desc;
    hm_order falling;
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
    CHECK(body_value_get_n(&table, handles, BODIES, found) == BODIES && *found[7] == 7);
    CHECK(body_x_get_n(&table, handles, 1, places) == 1 &&
          places[0] == body_x_get(&table, handles[0]));
    CHECK(body_table_group_count(&table) == (BODIES + 7) / 8 && body_value(&table) == NULL);
    for (i = 0; i < BODIES; i++)
        CHECK(rows[i] == i && body_value_group(&table, i / 8)[i % 8] == i);
    CHECK(body_table_defragment(&table, body_value_column, &falling, NULL).done);
    CHECK(body_table_row(&table, handles[0]) == BODIES - 1);
    *body_value_get(&table, handles[0]) = BODIES;
    body_table_touch(&table, handles[0]);
    CHECK(body_table_defragment(&table, body_value_column, &falling, NULL).done);
    CHECK(body_table_row(&table, handles[0]) == 0);
    CHECK(body_value_lower_bound(&table, &falling, body_value_cell(&table, 5)) == 5);
    CHECK(body_value_upper_bound(&table, &falling, body_value_cell(&table, 5)) == 6);
    CHECK(body_x_lower_bound(&table, &falling, body_x_cell(&table, 0)) == HM_INVALID_INDEX);
    CHECK(body_x_upper_bound(&table, &falling, body_x_cell(&table, 0)) == HM_INVALID_INDEX);
    body_table_touch_all(&table);
    body_table_forget_order(&table);
    CHECK(body_table_arrange(&table, handles + 1, 1, NULL).done);
    CHECK(body_table_row(&table, handles[1]) == 0);
    CHECK(body_table_erase_n(&table, handles, 100) == 100);
    CHECK(body_table_contains_n(&table, handles, BODIES, is_live) == BODIES - 100);
    CHECK(!is_live[99] && is_live[100]);
    CHECK(body_table_erase_if(&table, has_odd_value, &asked) == 100 && asked == 200);
    CHECK(body_table_insert_n(&table, NULL, 100, NULL) == HM_OK);
    CHECK(body_table_row_n(&table, NULL, 0, NULL) == 0 && body_x_get_n(&table, NULL, 0, NULL) == 0);
    CHECK(body_table_erase_n(&table, NULL, 0) == 0);
    CHECK(body_table_arrange(&table, NULL, 0, NULL).done);
    body_table_fini(&table);
}

TEST(typed, a_table_is_ordered_by_a_compare_that_has_no_key)
{
    uint32_t values[BODIES], i;
    body_cells cells;
    body_table table;
    hm_order rising;
    memset(&cells, 0, sizeof cells);
    memset(&rising, 0, sizeof rising);
    rising.compare = compare_numbers;
    for (i = 0; i < BODIES; i++)
        values[i] = BODIES - i;
    cells.value = values;
    CHECK(body_table_init(&table, BODIES) == HM_OK);
    CHECK(body_table_insert_n(&table, &cells, BODIES, NULL) == HM_OK);
    CHECK(body_table_defragment(&table, body_value_column, &rising, NULL).done);
    for (i = 0; i < BODIES; i++)
        CHECK(body_value(&table)[i] == i + 1);
    CHECK(body_value_lower_bound(&table, &rising, values) == BODIES - 1);
    CHECK(body_value_upper_bound(&table, &rising, values) == BODIES);
    body_table_fini(&table);
}

enum { OWNERS = 60, CELLS = 10 };

TEST(typed, an_index_does_what_the_untyped_one_does)
{
    body_index index;
    body_index_view view;
    bool is_member = false;
    body_handle bodies[OWNERS];
    uint64_t keys[OWNERS], key = 0;
    uint32_t i, count = 0, asked = 0, visited = 0;
    hm_frame_budget *unlimited = NULL;
    memset(&view, 0, sizeof view);
    for (i = 0; i < OWNERS; i++) {
        bodies[i] = body_at(i);
        keys[i] = i % CELLS;
    }
    CHECK(init_index(&index, 100, CELLS) == HM_OK);
    CHECK(body_index_capacity(&index) == 100 && strcmp(index.index.name, "body") == 0);
    CHECK(body_index_reserve(&index, OWNERS) == HM_OK);
    CHECK(body_index_set_n(&index, bodies, keys, OWNERS) == HM_OK);
    CHECK(body_index_set(&index, bodies[0], 1) == HM_OK);
    CHECK(body_index_set(&index, bodies[0], CELLS) == HM_ERROR_INVALID);
    CHECK(body_index_key_of(&index, bodies[0], &key) && key == 1);
    CHECK(body_index_key_of_n(&index, bodies, OWNERS, keys) == OWNERS && keys[0] == 1);
    CHECK(body_index_contains_n(&index, bodies, 1, &is_member) == 1 && is_member);
    CHECK(body_handle_equal(body_index_members(&index, 1, &count)[6], bodies[0]) && count == 7);
    CHECK(body_index_remove(&index, bodies[0]) && !body_index_contains(&index, bodies[0]));
    CHECK(body_index_remove_n(&index, bodies, 2) == 1 && body_index_remove_key(&index, 2) == 6);
    CHECK(body_index_remove_if(&index, has_odd_slot, &asked) == 29 && asked == 52);
    CHECK(body_index_count(&index) == 23 && body_index_key_count(&index) == 4);
    while (body_index_next(&index, &view)) {
        CHECK(view.count == (view.key == 0 ? 5 : 6) && view.key % 2 == 0);
        CHECK(view.members == body_index_members(&index, view.key, NULL));
        visited++;
    }
    CHECK(visited == 4 && body_index_defragment(&index, unlimited).done);
    CHECK(body_index_describe(&index, bodies[4], text, sizeof text) == strlen(text));
    CHECK(body_index_explain(&index, bodies[4]) == hm_index_explain(&index.index, bodies[4].id));
    CHECK(strcmp(text, "live: slot 4 of 'body', generation 1") == 0);
    CHECK(body_index_get_stats(&index).count == 23 && body_index_validate(&index) == HM_OK);
    CHECK(body_index_trim(&index) == HM_OK);
    body_index_clear(&index);
    CHECK(body_index_count(&index) == 0);
    body_index_fini(&index);
}

TEST(typed, an_index_takes_the_rest_from_its_owners)
{
    body_index index;
    hm_map map;
    hm_map_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.item_size = 4;
    desc.capacity = 30;
    desc.max_slots = 4000000;
    desc.type_id = 3;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(body_index_init_for(&index, 0, hm_map_as_owners(&map), CELLS) == HM_OK);
    CHECK(body_index_capacity(&index) == 30 && strcmp(index.index.name, "body") == 0);
    CHECK(body_index_set(&index, body_at(3999999), CELLS - 1) == HM_OK);
    CHECK(body_index_set(&index, body_at(0), CELLS) == HM_ERROR_INVALID);
    body_index_fini(&index);
    CHECK(body_index_init_for(&index, 5, hm_map_as_owners(&map), 0) == HM_OK);
    CHECK(body_index_capacity(&index) == 5);
    body_index_fini(&index);
    hm_map_fini(&map);
    CHECK(body_index_init_for(&index, 5, hm_map_as_owners(&map), 0) == HM_ERROR_INVALID);
    CHECK(body_index_init_for(NULL, 5, hm_map_as_owners(&map), 0) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "body_index_init_for: index is NULL") == 0);
}

TEST(typed, a_batch_of_none_needs_no_arrays_of_an_index)
{
    body_index index;
    CHECK(body_index_init(&index, 1) == HM_OK && index.index.owners.type_id == 0);
    CHECK(body_index_set_n(&index, NULL, NULL, 0) == HM_OK);
    CHECK(body_index_key_of_n(&index, NULL, 0, NULL) == 0);
    CHECK(body_index_remove_n(&index, NULL, 0) == 0);
    body_index_fini(&index);
}

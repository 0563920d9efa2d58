/* SPDX-License-Identifier: MIT */
/* The typed forms of an index's functions, as C and as C++ (typed_cpp_test.cpp includes this file,
 * and checks/typed.sh compiles it with more warnings). No declaration follows a statement. */
#include "support/test.h"

#include <handle_map/index.h>
#include <handle_map/map.h>

#include <string.h>

HM_HANDLE_DEFINE(body)
HM_INDEX_DEFINE(cell, body)

enum { BODIES = 60, BODY_TYPE = 3, CELLS = 10 };

static body_handle body_at(uint32_t slot)
{
    body_handle body;
    body.id = hm_handle_pack(slot, 1, BODY_TYPE);
    return body;
}

static bool is_odd(body_handle body, uint64_t key, void *context)
{
    (void)key;
    ++*HM_CAST(uint32_t *, context);
    return hm_handle_index(body.id) % 2 != 0;
}

TEST(index_typed, an_index_does_what_the_untyped_one_does)
{
    cell_index index;
    cell_index_view view;
    body_handle bodies[BODIES];
    uint64_t keys[BODIES], key = 0;
    uint32_t i, count = 0, asked = 0, visited = 0;
    char text[80];
    hm_budget unlimited = {0, 0};
    memset(&view, 0, sizeof view);
    for (i = 0; i < BODIES; i++) {
        bodies[i] = body_at(i);
        keys[i] = i % CELLS;
    }
    CHECK(cell_index_init(&index, 100, BODY_TYPE, CELLS) == HM_OK);
    CHECK(cell_index_capacity(&index) == 100 && strcmp(index.index.name, "cell") == 0);
    CHECK(cell_index_reserve(&index, BODIES) == HM_OK);
    CHECK(cell_index_set_n(&index, bodies, keys, BODIES) == HM_OK);
    CHECK(cell_index_set(&index, bodies[0], 1) == HM_OK);
    CHECK(cell_index_set(&index, bodies[0], CELLS) == HM_ERROR_INVALID);
    CHECK(cell_index_key_of(&index, bodies[0], &key) && key == 1);
    CHECK(body_handle_equal(cell_index_members(&index, 1, &count)[6], bodies[0]) && count == 7);
    CHECK(cell_index_remove(&index, bodies[0]) && !cell_index_contains(&index, bodies[0]));
    CHECK(cell_index_remove_n(&index, bodies, 2) == 1 && cell_index_remove_key(&index, 2) == 6);
    CHECK(cell_index_remove_if(&index, is_odd, &asked) == 29 && asked == 52);
    CHECK(cell_index_count(&index) == 23 && cell_index_key_count(&index) == 4);
    while (cell_index_next(&index, &view)) {
        CHECK(view.count == (view.key == 0 ? 5 : 6) && view.key % 2 == 0);
        CHECK(view.members == cell_index_members(&index, view.key, NULL));
        visited++;
    }
    CHECK(visited == 4 && cell_index_defragment(&index, unlimited).done);
    CHECK(cell_index_describe(&index, bodies[4], text, sizeof text) == strlen(text));
    CHECK(cell_index_explain(&index, bodies[4]) == hm_index_explain(&index.index, bodies[4].id));
    CHECK(strcmp(text, "live: slot 4 of 'cell', generation 1") == 0);
    CHECK(cell_index_get_stats(&index).count == 23 && cell_index_validate(&index) == HM_OK);
    CHECK(cell_index_trim(&index) == HM_OK);
    cell_index_clear(&index);
    CHECK(cell_index_count(&index) == 0);
    cell_index_fini(&index);
}

TEST(index_typed, init_for_takes_the_rest_from_the_owners)
{
    cell_index index;
    hm_map map;
    hm_map_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.item_size = 4;
    desc.capacity = 30;
    desc.max_slots = 4000000;
    desc.type_id = BODY_TYPE;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(cell_index_init_for(&index, 0, hm_map_as_owners(&map), CELLS) == HM_OK);
    CHECK(cell_index_capacity(&index) == 30 && strcmp(index.index.name, "cell") == 0);
    CHECK(cell_index_set(&index, body_at(3999999), CELLS - 1) == HM_OK);
    CHECK(cell_index_set(&index, body_at(0), CELLS) == HM_ERROR_INVALID);
    cell_index_fini(&index);
    CHECK(cell_index_init_for(&index, 5, hm_map_as_owners(&map), 0) == HM_OK);
    CHECK(cell_index_capacity(&index) == 5);
    cell_index_fini(&index);
    hm_map_fini(&map);
    CHECK(cell_index_init_for(&index, 5, hm_map_as_owners(&map), 0) == HM_ERROR_INVALID);
    CHECK(cell_index_init_for(NULL, 5, hm_map_as_owners(&map), 0) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "cell_index_init_for: index is NULL") == 0);
}

TEST(index_typed, a_batch_of_none_needs_no_arrays)
{
    cell_index index;
    CHECK(cell_index_init(&index, 1, BODY_TYPE, 0) == HM_OK);
    CHECK(cell_index_set_n(&index, NULL, NULL, 0) == HM_OK);
    CHECK(cell_index_remove_n(&index, NULL, 0) == 0);
    cell_index_fini(&index);
}

TEST(index_typed, an_index_that_is_given_nothing_names_the_function)
{
    hm_index_desc desc;
    cell_index index;
    memset(&desc, 0, sizeof desc);
    memset(&index, 0xA5, sizeof index);
    CHECK(cell_index_init(NULL, 5, 3, 0) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "cell_index_init: index is NULL") == 0);
    CHECK(cell_index_init_desc(NULL, &desc) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "cell_index_init_desc: index is NULL") == 0);
    CHECK(cell_index_init_desc(&index, NULL) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "cell_index_init_desc: desc is NULL") == 0);
    CHECK(cell_index_capacity(&index) == 0);
    desc.capacity = 5;
    desc.name = "cells";
    CHECK(cell_index_init_desc(&index, &desc) == HM_OK);
    CHECK(strcmp(index.index.name, "cells") == 0);
    cell_index_fini(&index);
}

/* The panic of a broken contract names the typed function and the program's file. */
#define NULL_TEST(name, call)                                                                      \
    DEATH_TEST(index_typed, name##_of_null_names_the_function)                                     \
    {                                                                                              \
        cell_index *none = NULL;                                                                   \
        body_handle null = body_handle_null();                                                     \
        hm_budget unlimited = {0, 0};                                                              \
        (void)null, (void)unlimited;                                                               \
        test_expect_panic_of("typed_test.c", "cell_index_" #name ": index is NULL");               \
        (void)(call);                                                                              \
    }

NULL_TEST(fini, (cell_index_fini(none), 0))
NULL_TEST(clear, (cell_index_clear(none), 0))
NULL_TEST(reserve, cell_index_reserve(none, 1))
NULL_TEST(trim, cell_index_trim(none))
NULL_TEST(set, cell_index_set(none, null, 0))
NULL_TEST(set_n, cell_index_set_n(none, NULL, NULL, 0))
NULL_TEST(remove, cell_index_remove(none, null))
NULL_TEST(remove_n, cell_index_remove_n(none, NULL, 0))
NULL_TEST(remove_key, cell_index_remove_key(none, 0))
NULL_TEST(remove_if, cell_index_remove_if(none, is_odd, NULL))
NULL_TEST(members, cell_index_members(none, 0, NULL))
NULL_TEST(next, cell_index_next(none, NULL))
NULL_TEST(contains, cell_index_contains(none, null))
NULL_TEST(key_of, cell_index_key_of(none, null, NULL))
NULL_TEST(key_count, cell_index_key_count(none))
NULL_TEST(defragment, cell_index_defragment(none, unlimited))
NULL_TEST(count, cell_index_count(none))
NULL_TEST(capacity, cell_index_capacity(none))
NULL_TEST(validate, cell_index_validate(none))
NULL_TEST(explain, cell_index_explain(none, null))
NULL_TEST(describe, cell_index_describe(none, null, NULL, 0))
NULL_TEST(get_stats, cell_index_get_stats(none))

#define ARGUMENT_TEST(name, what, call)                                                            \
    DEATH_TEST(index_typed, name##_without_its_##what##_names_the_function)                        \
    {                                                                                              \
        cell_index index;                                                                          \
        body_handle body = body_at(0);                                                             \
        (void)body;                                                                                \
        CHECK(cell_index_init(&index, 1, BODY_TYPE, 0) == HM_OK);                                  \
        test_expect_panic_of("typed_test.c", "cell_index_" #name ": " #what " is NULL");           \
        (void)(call);                                                                              \
    }

ARGUMENT_TEST(remove_if, doomed, cell_index_remove_if(&index, NULL, NULL))
ARGUMENT_TEST(set_n, owners, cell_index_set_n(&index, NULL, NULL, 1))
ARGUMENT_TEST(set_n, keys, cell_index_set_n(&index, &body, NULL, 1))
ARGUMENT_TEST(remove_n, owners, cell_index_remove_n(&index, NULL, 1))
ARGUMENT_TEST(next, view, cell_index_next(&index, NULL))
ARGUMENT_TEST(describe, buffer, cell_index_describe(&index, body, NULL, 1))

static bool call_clear(body_handle body, uint64_t key, void *index)
{
    (void)key;
    (void)body;
    cell_index_clear(HM_CAST(cell_index *, index));
    return false;
}

DEATH_TEST(index_typed, clear_from_inside_a_predicate_names_the_function)
{
    cell_index index;
    CHECK(cell_index_init(&index, 1, BODY_TYPE, 0) == HM_OK);
    CHECK(cell_index_set(&index, body_at(0), 1) == HM_OK);
    test_expect_panic_of("typed_test.c", "cell_index_clear");
    (void)cell_index_remove_if(&index, call_clear, &index);
}

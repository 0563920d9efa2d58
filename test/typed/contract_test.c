/* SPDX-License-Identifier: MIT */
/* Broken contracts of every typed function, in the common language of C and C++, as in
 * typed_test.c: what is refused or panics names the typed function. */
#include "support/kinds.h"
#include "typed/body.h"

/* What a descriptor says wins over what the typed form knows, but for the item. */
#define INIT_TEST(kind)                                                                            \
    TEST(typed, kind##_init_that_is_given_nothing_names_the_function)                              \
    {                                                                                              \
        hm_##kind##_desc desc;                                                                     \
        body_##kind made, bare;                                                                    \
        memset(&desc, 0, sizeof desc);                                                             \
        memset(&made, 0xA5, sizeof made);                                                          \
        CHECK(body_##kind##_init(NULL, 5) == HM_ERROR_INVALID);                                    \
        CHECK(strcmp(hm_last_error(), "body_" #kind "_init: " #kind " is NULL") == 0);             \
        CHECK(body_##kind##_init_desc(NULL, &desc) == HM_ERROR_INVALID);                           \
        CHECK(strcmp(hm_last_error(), "body_" #kind "_init_desc: " #kind " is NULL") == 0);        \
        CHECK(body_##kind##_init_desc(&made, NULL) == body_##kind##_init_desc(&bare, &desc));      \
        CHECK(body_##kind##_capacity(&made) == body_##kind##_capacity(&bare));                     \
        body_##kind##_fini(&bare);                                                                 \
        body_##kind##_fini(&made);                                                                 \
        CHECK(body_##kind##_capacity(&made) == 0);                                                 \
        CHECK(body_##kind##_init(&made, UINT32_MAX) == HM_ERROR_INVALID);                          \
        CHECK(body_##kind##_count(&made) == 0);                                                    \
        desc.capacity = 5;                                                                         \
        CHECK(body_##kind##_init_desc(&made, &desc) == HM_OK);                                     \
        CHECK(body_##kind##_capacity(&made) == 5 && strcmp(made.kind.name, "body") == 0);          \
        body_##kind##_fini(&made);                                                                 \
        body_##kind##_fini(&made);                                                                 \
        desc.name = "bodies";                                                                      \
        CHECK(body_##kind##_init_desc(&made, &desc) == HM_OK);                                     \
        CHECK(strcmp(made.kind.name, "bodies") == 0);                                              \
        body_##kind##_fini(&made);                                                                 \
    }

INIT_TEST(map)
INIT_TEST(pool)
INIT_TEST(table)
INIT_TEST(lists)
INIT_TEST(secondary)
INIT_TEST(index)

/* A panic names the typed function, and the program's file that defines it. */
#define DEFINES "body.h"

typedef body_lists_view map_view, pool_view, table_view, secondary_view, lists_view;
typedef body_index_view index_view;

/* What the rows of support/kinds.h name, for typed calls. */
#define ARGUMENTS(kind)                                                                            \
    body_handle h, one[1];                                                                         \
    body made = make_body(1), *place = NULL, *places[1];                                           \
    const body *probe = &made;                                                                     \
    hm_frame_budget *budget = NULL;                                                                \
    hm_order order, nothing;                                                                       \
    kind##_view view;                                                                              \
    uint32_t at = 0, length = 0, rows[1];                                                          \
    uint64_t word = 0, keys[1];                                                                    \
    bool alive[1];                                                                                 \
    memset(&order, 0, sizeof order);                                                               \
    memset(&nothing, 0, sizeof nothing);                                                           \
    memset(&view, 0, sizeof view);                                                                 \
    order.key = value_of;                                                                          \
    h = one[0] = body_handle_null();                                                               \
    keys[0] = 1;                                                                                   \
    (void)h, (void)one, (void)place, (void)places, (void)probe, (void)budget, (void)at,            \
        (void)length;                                                                              \
    (void)rows, (void)word, (void)keys, (void)alive

#define NO_CONTAINER(kind, verb, arguments)                                                        \
    {                                                                                              \
        body_##kind *c = NULL;                                                                     \
        ARGUMENTS(kind);                                                                           \
        CHECK_PANICS(DEFINES, "body_" #kind "_" #verb ": " #kind " is NULL",                       \
                     body_##kind##_##verb arguments);                                              \
    }
#define LOOK_OF_NULL(kind, verb, answer, arguments) NO_CONTAINER(kind, verb, arguments)
#define CHANGE_OF_NULL(kind, verb, answer, refusal, arguments) NO_CONTAINER(kind, verb, arguments)
#define NO_ARGUMENT(kind, verb, what, message, arguments)                                          \
    {                                                                                              \
        body_##kind zeroed, *c = &zeroed;                                                          \
        ARGUMENTS(kind);                                                                           \
        memset(&zeroed, 0, sizeof zeroed);                                                         \
        CHECK_PANICS(DEFINES, "body_" #kind "_" #verb ": " message,                                \
                     body_##kind##_##verb arguments);                                              \
    }
#define NULL_TESTS(KIND, kind)                                                                     \
    TEST(typed, kind##_functions_name_themselves_without_their_container){                         \
        KIND##_LOOKS(LOOK_OF_NULL) KIND##_CHANGES(CHANGE_OF_NULL) KIND##_ENDS(                     \
            NO_CONTAINER)} TEST(typed, kind##_functions_name_themselves_without_another_argument)  \
    {                                                                                              \
        KIND##_NEEDS(NO_ARGUMENT)                                                                  \
    }

#define doomed is_odd
NULL_TESTS(MAP, map)
NULL_TESTS(POOL, pool)
NULL_TESTS(LISTS, lists)
#undef doomed
#define doomed has_odd_value
NULL_TESTS(TABLE, table)
#undef doomed
#define doomed is_not_third_slot
NULL_TESTS(SECONDARY, secondary)
#undef doomed
#define doomed has_odd_slot
NULL_TESTS(INDEX, index)

/* The predicate of a list has another type. */
TEST(typed, lists_destroy_if_names_itself_without_lists)
{
    CHECK_PANICS(DEFINES, "body_lists_destroy_if: lists is NULL",
                 body_lists_destroy_if(NULL, NULL, NULL));
}

/* What concerns one column has its name. */
TEST(typed, table_functions_of_a_column_name_themselves_without_what_they_need)
{
    body_table zeroed, *none = NULL;
    body_handle null = body_handle_null(), one[1];
    float *places[1];
    uint32_t probe = 1;
    hm_order rising, nothing;
    memset(&zeroed, 0, sizeof zeroed);
    memset(&rising, 0, sizeof rising);
    memset(&nothing, 0, sizeof nothing);
    rising.key = value_of;
    one[0] = null;
#define CHECK_COLUMN(name, message, call) CHECK_PANICS(DEFINES, "body_" #name ": " message, call)
#define CHECK_BOUND(name)                                                                          \
    CHECK_COLUMN(name, "table is NULL", body_##name(none, NULL, NULL));                            \
    CHECK_COLUMN(name, NO_ORDER, body_##name(&zeroed, NULL, &probe));                              \
    CHECK_COLUMN(name, NO_ORDER, body_##name(&zeroed, &nothing, &probe));                          \
    CHECK_COLUMN(name, "probe is NULL", body_##name(&zeroed, &rising, NULL))

    CHECK_COLUMN(x, "table is NULL", body_x(none));
    CHECK_COLUMN(x_group, "table is NULL", body_x_group(none, 0));
    CHECK_COLUMN(x_cell, "table is NULL", body_x_cell(none, 0));
    CHECK_COLUMN(x_get, "table is NULL", body_x_get(none, null));
    CHECK_COLUMN(x_get_n, "table is NULL", body_x_get_n(none, NULL, 0, NULL));
    CHECK_COLUMN(x_get_n, "handles is NULL", body_x_get_n(&zeroed, NULL, 1, places));
    CHECK_COLUMN(x_get_n, "cells is NULL", body_x_get_n(&zeroed, one, 1, NULL));
    CHECK_COLUMN(x_of, "table is NULL", body_x_of(none, NULL));
    CHECK_COLUMN(x_lower_bound, "table is NULL", body_x_lower_bound(none, NULL, NULL));
    CHECK_COLUMN(x_upper_bound, "table is NULL", body_x_upper_bound(none, NULL, NULL));
    CHECK_BOUND(value_lower_bound);
    CHECK_BOUND(value_upper_bound);
}

DEATH_TEST(typed, table_defragment_by_a_column_out_of_range_names_the_function)
{
    body_table container;
    hm_frame_budget *unlimited = NULL;
    hm_order falling;
    memset(&falling, 0, sizeof falling);
    falling.key = falling_number_of;
    CHECK(body_table_init(&container, 1) == HM_OK);
    test_expect_panic_of(DEFINES, "body_table_defragment: the column is out of range");
    (void)body_table_defragment(&container, 3, &falling, unlimited);
}

static bool call_clear(body_handle owner, uint64_t key, void *index)
{
    (void)key;
    (void)owner;
    body_index_clear(HM_CAST(body_index *, index));
    return false;
}

DEATH_TEST(typed, clear_from_inside_a_predicate_names_the_function)
{
    body_index index;
    body_handle owner;
    owner.id = hm_handle_pack(0, 1, 0);
    CHECK(body_index_init(&index, 1) == HM_OK);
    CHECK(body_index_set(&index, owner, 1) == HM_OK);
    test_expect_panic_of(DEFINES, "body_index_clear");
    (void)body_index_remove_if(&index, call_clear, &index);
}

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
        body_##kind made;                                                                          \
        memset(&desc, 0, sizeof desc);                                                             \
        memset(&made, 0xA5, sizeof made);                                                          \
        CHECK(body_##kind##_init(NULL, 5) == HM_ERROR_INVALID);                                    \
        CHECK(strcmp(hm_last_error(), "body_" #kind "_init: " #kind " is NULL") == 0);             \
        CHECK(body_##kind##_init_desc(NULL, &desc) == HM_ERROR_INVALID);                           \
        CHECK(strcmp(hm_last_error(), "body_" #kind "_init_desc: " #kind " is NULL") == 0);        \
        CHECK(body_##kind##_init_desc(&made, NULL) == HM_ERROR_INVALID);                           \
        CHECK(strcmp(hm_last_error(), "body_" #kind "_init_desc: desc is NULL") == 0);             \
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
static void expect_panic_of(const char *function)
{
    test_expect_panic_of("body.h", function);
}

typedef body_lists_view map_view, pool_view, table_view, secondary_view, lists_view;
typedef body_index_view index_view;

/* What the rows of support/kinds.h name, for typed calls. */
#define ARGUMENTS(kind)                                                                            \
    body_handle h, one[1];                                                                         \
    body made = make_body(1), *place = NULL, *places[1];                                           \
    const body *probe = &made;                                                                     \
    hm_budget *budget = NULL;                                                                      \
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
    DEATH_TEST(typed, kind##_##verb##_of_null_names_the_function)                                  \
    {                                                                                              \
        body_##kind *c = NULL;                                                                     \
        ARGUMENTS(kind);                                                                           \
        expect_panic_of("body_" #kind "_" #verb ": " #kind " is NULL");                            \
        (void)(body_##kind##_##verb arguments);                                                    \
    }
#define LOOK_OF_NULL(kind, verb, answer, arguments) NO_CONTAINER(kind, verb, arguments)
#define CHANGE_OF_NULL(kind, verb, answer, refusal, arguments) NO_CONTAINER(kind, verb, arguments)
#define NO_ARGUMENT(kind, verb, what, message, arguments)                                          \
    DEATH_TEST(typed, kind##_##verb##_without_##what##_names_the_function)                         \
    {                                                                                              \
        body_##kind zeroed, *c = &zeroed;                                                          \
        ARGUMENTS(kind);                                                                           \
        memset(&zeroed, 0, sizeof zeroed);                                                         \
        expect_panic_of("body_" #kind "_" #verb ": " message);                                     \
        (void)(body_##kind##_##verb arguments);                                                    \
    }
#define BROKEN_CONTRACTS(KIND)                                                                     \
    KIND##_LOOKS(LOOK_OF_NULL) KIND##_CHANGES(CHANGE_OF_NULL) KIND##_ENDS(NO_CONTAINER)            \
        KIND##_NEEDS(NO_ARGUMENT)

#define doomed is_odd
BROKEN_CONTRACTS(MAP)
BROKEN_CONTRACTS(POOL)
BROKEN_CONTRACTS(LISTS)
NO_CONTAINER(lists, destroy_if, (c, NULL, NULL)) /* The predicate of a list has another type. */
#undef doomed
#define doomed has_odd_value
BROKEN_CONTRACTS(TABLE)
#undef doomed
#define doomed is_not_third_slot
BROKEN_CONTRACTS(SECONDARY)
#undef doomed
#define doomed has_odd_slot
BROKEN_CONTRACTS(INDEX)

/* What concerns one column has its name. The call names what is declared here. */
#define COLUMN_TEST(name, what, message, call)                                                     \
    DEATH_TEST(typed, table_##name##_##what##_names_the_function)                                  \
    {                                                                                              \
        body_table zeroed, *none = NULL;                                                           \
        body_handle null = body_handle_null(), one[1];                                             \
        float *places[1];                                                                          \
        uint32_t probe = 1;                                                                        \
        hm_order rising, nothing;                                                                  \
        memset(&zeroed, 0, sizeof zeroed);                                                         \
        memset(&rising, 0, sizeof rising);                                                         \
        memset(&nothing, 0, sizeof nothing);                                                       \
        rising.key = value_of;                                                                     \
        one[0] = null;                                                                             \
        (void)none, (void)null, (void)one, (void)places, (void)probe, (void)rising, (void)nothing; \
        expect_panic_of("body_" #name ": " message);                                               \
        (void)(call);                                                                              \
    }
#define BOUND_TEST(name)                                                                           \
    COLUMN_TEST(name, of_null, "table is NULL", body_##name(none, NULL, NULL))                     \
    COLUMN_TEST(name, without_an_order, NO_ORDER, body_##name(&zeroed, NULL, &probe))              \
    COLUMN_TEST(name, by_an_order_of_nothing, NO_ORDER, body_##name(&zeroed, &nothing, &probe))    \
    COLUMN_TEST(name, without_a_probe, "probe is NULL", body_##name(&zeroed, &rising, NULL))

COLUMN_TEST(x, of_null, "table is NULL", body_x(none))
COLUMN_TEST(x_group, of_null, "table is NULL", body_x_group(none, 0))
COLUMN_TEST(x_cell, of_null, "table is NULL", body_x_cell(none, 0))
COLUMN_TEST(x_get, of_null, "table is NULL", body_x_get(none, null))
COLUMN_TEST(x_get_n, of_null, "table is NULL", body_x_get_n(none, NULL, 0, NULL))
COLUMN_TEST(x_get_n, without_handles, "handles is NULL", body_x_get_n(&zeroed, NULL, 1, places))
COLUMN_TEST(x_get_n, without_cells, "cells is NULL", body_x_get_n(&zeroed, one, 1, NULL))
COLUMN_TEST(x_of, of_null, "table is NULL", body_x_of(none, NULL))
COLUMN_TEST(x_lower_bound, of_null, "table is NULL", body_x_lower_bound(none, NULL, NULL))
COLUMN_TEST(x_upper_bound, of_null, "table is NULL", body_x_upper_bound(none, NULL, NULL))
BOUND_TEST(value_lower_bound)
BOUND_TEST(value_upper_bound)

DEATH_TEST(typed, table_defragment_by_a_column_out_of_range_names_the_function)
{
    body_table container;
    hm_budget *unlimited = NULL;
    hm_order falling;
    memset(&falling, 0, sizeof falling);
    falling.key = falling_number_of;
    CHECK(body_table_init(&container, 1) == HM_OK);
    expect_panic_of("body_table_defragment: the column is out of range");
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
    expect_panic_of("body_index_clear");
    (void)body_index_remove_if(&index, call_clear, &index);
}

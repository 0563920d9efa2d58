/* SPDX-License-Identifier: MIT */
/* What the tests of all kinds share: the arguments that the rows of support/kinds.h name, for
 * untyped calls, and sentences. */
#ifndef TEST_MATRIX_KINDS_H
#define TEST_MATRIX_KINDS_H

#include "support/kinds.h"
#include "support/last_error.h"

#include <stdio.h>
#include <string.h>

/* Predicates that must not be asked, and the views of those kinds that have some. */
typedef bool item_predicate(const void *item, void *context);
typedef bool row_predicate(const hm_table *table, uint32_t row, void *context);
typedef bool value_predicate(hm_handle owner, const void *value, void *context);
typedef bool key_predicate(hm_handle owner, uint64_t key, void *context);
typedef item_predicate map_predicate, pool_predicate, lists_predicate, world_predicate;
typedef row_predicate table_predicate;
typedef value_predicate secondary_predicate;
typedef key_predicate index_predicate;
typedef hm_lists_view map_view, pool_view, table_view, secondary_view, lists_view, world_view;
typedef hm_index_view index_view;

static inline bool is_not_asked(const void *item, void *context)
{
    (void)item, (void)context;
    CHECK(false);
    return true;
}

static inline bool table_is_not_asked(const hm_table *table, uint32_t row, void *context)
{
    return is_not_asked(&row, context) && table == NULL;
}

static inline bool secondary_is_not_asked(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return is_not_asked(value, context);
}

static inline bool index_is_not_asked(hm_handle owner, uint64_t key, void *context)
{
    (void)key;
    return is_not_asked(&owner, context);
}

/* They are names of functions. NOLINTBEGIN(readability-identifier-naming) */
#define map_is_not_asked is_not_asked
#define pool_is_not_asked is_not_asked
#define lists_is_not_asked is_not_asked
#define world_is_not_asked is_not_asked
/* NOLINTEND(readability-identifier-naming) */

static inline uint64_t number_of(const void *item, void *context)
{
    (void)context;
    return *(const unsigned char *)item;
}

#define ARGUMENTS(kind, container, handle)                                                         \
    hm_##kind *const c = (container);                                                              \
    const hm_handle h = (handle), one[1] = {h};                                                    \
    hm_frame_budget *const budget = NULL;                                                          \
    const hm_order order = {.key = number_of}, nothing = {.context = NULL};                        \
    kind##_predicate *const doomed = kind##_is_not_asked;                                          \
    const hm_component_desc component = {.size = 4};                                               \
    const uint64_t keys[1] = {1}, number = 0;                                                      \
    const void *const probe = &number;                                                             \
    kind##_view view = {.count = 0};                                                               \
    void *place = &view, *places[1] = {&view};                                                     \
    hm_component p = 0;                                                                            \
    uint32_t at = 0, length = 7, rows[1] = {7};                                                    \
    uint64_t word = 3;                                                                             \
    bool alive[1] = {true};                                                                        \
    (void)c, (void)one, (void)budget, (void)order, (void)nothing, (void)doomed, (void)component;   \
    (void)keys, (void)probe, (void)view, (void)place, (void)places, (void)p, (void)at,             \
        (void)length;                                                                              \
    (void)rows, (void)word, (void)alive

#endif

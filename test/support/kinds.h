/* SPDX-License-Identifier: MIT */
/* The verbs of every container, a row each. What holds for all of them is tested once, for each
 * row: null_test.c, contract_test.c and callback_test.c in matrix, and typed/contract_test.c say
 * what. A new function needs a row; checks/typed.sh finds those that have none.
 *
 *     LOOKS(R)      R(kind, verb, answer, (arguments))              changes nothing
 *     CHANGES(R)    R(kind, verb, answer, refusal, (arguments))     is refused inside a callback
 *     ENDS(R)       R(kind, verb, (arguments))                      cannot say no: panics there
 *     NEEDS(R)      R(kind, verb, what, message, (arguments))       panics without this argument
 *
 * The rows of LOOKS_AGAIN and CHANGES_AGAIN call a verb of the others with different arguments.
 * Those of HANDLE_LOOKS, HANDLE_CHANGES and HANDLE_ENDS, which are among the others, give a handle
 * that names nothing the same answer whatever the container has.
 *
 * `answer` is what a container without capacity says, `refusal` what a busy one does; both are
 * macros or functions that take the call. The arguments are named: c is the container, h a handle,
 * `one` an array of it, and the others are declared by TEST_ARGUMENTS. Rows are in the common
 * language of C and C++, since the typed functions are tested in both. */
#ifndef TEST_SUPPORT_KINDS_H
#define TEST_SUPPORT_KINDS_H

#include "test.h"

#include <handle_map/handle_map.h>

#define is_none(call) ((call) == NULL)
#define is_zero(call) ((call) == 0)
#define is_some(call) ((call) != 0)
#define is_null(call) hm_handle_is_null(call)
#define is_no_index(call) ((call) == HM_INVALID_INDEX)
#define is_ok(call) ((call) == HM_OK)
#define is_full(call) ((call) == HM_ERROR_FULL)
#define is_busy(call) ((call) == HM_ERROR_BUSY)
#define is_stale(call) ((call) == HM_ERROR_STALE)
#define is_invalid(call) ((call) == HM_ERROR_INVALID)
#define is_outside(call) ((call) == HM_HANDLE_OUT_OF_RANGE)
#define returns(call) ((call), true)
/* The same, and what is handed out is nothing. */
#define gives_no_place(call) (is_null(call) && place == NULL)
#define gives_no_places(call) (is_zero(call) && places[0] == NULL)
#define gives_no_row(call) (is_null(call) && rows[0] == HM_INVALID_INDEX)
#define gives_no_rows(call) (is_zero(call) && rows[0] == HM_INVALID_INDEX)
#define gives_no_count(call) (is_none(call) && length == 0)
#define gives_no_run(call) (is_no_index(call) && length == 0)
#define gives_no_word(call) (is_no_index(call) && word == 0)
#define gives_no_key(call) (is_zero(call) && word == 3)
#define says_dead(call) (is_zero(call) && !alive[0])

static inline bool is_done(hm_progress progress)
{
    return progress.done && progress.swaps == 0 && progress.compares == 0 &&
           progress.status == HM_OK;
}

static inline bool is_waiting(hm_progress progress)
{
    return !progress.done && progress.swaps == 0 && progress.compares == 0 &&
           progress.status == HM_ERROR_BUSY;
}

/* Rows of every kind, and of those that are dense. */
#define COMMON_HANDLE_LOOKS(R, kind)                                                               \
    R(kind, contains, is_zero, (c, h))                                                             \
    R(kind, contains_n, says_dead, (c, one, 1, alive))
#define COMMON_LOOKS(R, kind)                                                                      \
    COMMON_HANDLE_LOOKS(R, kind)                                                                   \
    R(kind, count, is_zero, (c))                                                                   \
    R(kind, capacity, is_zero, (c))                                                                \
    R(kind, explain, is_outside, (c, h))                                                           \
    R(kind, describe, is_some, (c, h, NULL, 0))                                                    \
    R(kind, validate, is_ok, (c))                                                                  \
    R(kind, get_stats, returns, (c))
#define COMMON_CHANGES(R, kind)                                                                    \
    R(kind, reserve, is_full, is_busy, (c, 1))                                                     \
    R(kind, trim, is_ok, is_busy, (c))
#define COMMON_CHANGES_AGAIN(R, kind) R(kind, reserve, is_ok, is_busy, (c, 0))
#define COMMON_ENDS(R, kind) R(kind, clear, (c)) R(kind, fini, (c))
#define COMMON_NEEDS(R, kind) R(kind, describe, a_buffer, "buffer is NULL", (c, h, NULL, 1))

#define OWNER_LOOKS(R, kind) R(kind, as_owners, returns, (c))
#define UPCOMING_LOOKS(R, kind) R(kind, upcoming, is_null, (c, 0)) R(kind, available, is_zero, (c))

#define GET_LOOKS(R, kind)                                                                         \
    R(kind, get, is_none, (c, h))                                                                  \
    R(kind, get_n, gives_no_places, (c, one, 1, places))                                           \
    R(kind, index_of, is_no_index, (c, h))
#define ITEM_LOOKS(R, kind)                                                                        \
    GET_LOOKS(R, kind)                                                                             \
    R(kind, handle_of, is_null, (c, place))                                                        \
    R(kind, handle_at, is_null, (c, 0))
#define ITEM_LOOKS_AGAIN(R, kind)                                                                  \
    R(kind, handle_of, is_null, (c, NULL))                                                         \
    R(kind, get_n, is_zero, (c, NULL, 0, NULL))                                                    \
    R(kind, contains_n, is_zero, (c, NULL, 0, NULL))
#define ERASE_CHANGES(R, kind)                                                                     \
    R(kind, erase, is_zero, is_zero, (c, h))                                                       \
    R(kind, erase_n, is_zero, is_zero, (c, one, 1))
#define INSERT_CHANGES(R, kind)                                                                    \
    ERASE_CHANGES(R, kind)                                                                         \
    R(kind, insert, is_null, is_null, (c, NULL))                                                   \
    R(kind, emplace, gives_no_place, gives_no_place, (c, &place))                                  \
    R(kind, emplace_zeroed, gives_no_place, gives_no_place, (c, &place))                           \
    R(kind, insert_n, is_full, is_busy, (c, NULL, 1, NULL))                                        \
    R(kind, adopt, is_full, is_busy, (c, h, NULL))                                                 \
    R(kind, reserve_promises, is_full, is_busy, (c, 1))                                            \
    R(kind, insert_as, is_stale, is_busy, (c, h, NULL))                                            \
    R(kind, give_up, is_zero, is_zero, (c, h))                                                     \
    R(kind, erase_at, is_zero, is_zero, (c, at))                                                   \
    R(kind, erase_if, is_zero, is_zero, (c, doomed, NULL))
#define REMOVE_CHANGES(R, kind)                                                                    \
    R(kind, remove, is_zero, is_zero, (c, h))                                                      \
    R(kind, remove_n, is_zero, is_zero, (c, one, 1))
#define INSERT_CHANGES_AGAIN(R, kind) R(kind, insert_n, is_ok, is_busy, (c, NULL, 0, NULL))
#define ITEM_NEEDS(R, kind)                                                                        \
    R(kind, get_n, handles, "handles is NULL", (c, NULL, 1, places))                               \
    R(kind, get_n, items, "items is NULL", (c, one, 1, NULL))                                      \
    R(kind, emplace, a_place, "item is NULL", (c, NULL))                                           \
    R(kind, emplace_zeroed, a_place, "item is NULL", (c, NULL))
#define BATCH_NEEDS(R, kind)                                                                       \
    R(kind, contains_n, handles, "handles is NULL", (c, NULL, 1, alive))                           \
    R(kind, contains_n, answers, "alive is NULL", (c, one, 1, NULL))                               \
    R(kind, erase_n, handles, "handles is NULL", (c, NULL, 1))                                     \
    R(kind, erase_if, a_predicate, "doomed is NULL", (c, NULL, NULL))

#define ORDERED_LOOKS(R, kind)                                                                     \
    R(kind, lower_bound, is_zero, (c, &order, probe))                                              \
    R(kind, upper_bound, is_zero, (c, &order, probe))
#define ORDERED_CHANGES(R, kind)                                                                   \
    R(kind, defragment, is_done, is_waiting, (c, &order, budget))                                  \
    R(kind, arrange, is_done, is_waiting, (c, one, 1, budget))
#define ORDERED_CHANGES_AGAIN(R, kind) R(kind, arrange, is_done, is_waiting, (c, NULL, 0, budget))
/* A busy container is not searched. */
#define SEARCHES_AGAIN(R, kind)                                                                    \
    R(kind, lower_bound, is_zero, is_no_index, (c, &order, probe))                                 \
    R(kind, upper_bound, is_zero, is_no_index, (c, &order, probe))
#define TOUCH_ENDS(R, kind) R(kind, touch, (c, h))
#define ORDERED_ENDS(R, kind) TOUCH_ENDS(R, kind) R(kind, touch_all, (c)) R(kind, forget_order, (c))
#define ARRANGED_NEEDS(R, kind) R(kind, arrange, handles, "handles is NULL", (c, NULL, 1, budget))
#define NO_ORDER "the order has neither compare nor key"
#define ORDERED_NEEDS(R, kind)                                                                     \
    ARRANGED_NEEDS(R, kind)                                                                        \
    R(kind, defragment, an_order, NO_ORDER, (c, NULL, budget))                                     \
    R(kind, defragment, a_key, NO_ORDER, (c, &nothing, budget))                                    \
    R(kind, lower_bound, an_order, NO_ORDER, (c, NULL, probe))                                     \
    R(kind, lower_bound, a_key, NO_ORDER, (c, &nothing, probe))                                    \
    R(kind, lower_bound, a_probe, "probe is NULL", (c, &order, NULL))                              \
    R(kind, upper_bound, an_order, NO_ORDER, (c, NULL, probe))                                     \
    R(kind, upper_bound, a_key, NO_ORDER, (c, &nothing, probe))                                    \
    R(kind, upper_bound, a_probe, "probe is NULL", (c, &order, NULL))

#define MAP_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, map) GET_LOOKS(R, map)
#define MAP_HANDLE_CHANGES(R) ERASE_CHANGES(R, map)
#define MAP_HANDLE_ENDS(R) TOUCH_ENDS(R, map)
#define MAP_LOOKS(R)                                                                               \
    COMMON_LOOKS(R, map)                                                                           \
    OWNER_LOOKS(R, map)                                                                            \
    UPCOMING_LOOKS(R, map)                                                                         \
    ITEM_LOOKS(R, map)                                                                             \
    ORDERED_LOOKS(R, map)                                                                          \
    R(map, items, is_none, (c))                                                                    \
    R(map, meta_at, is_none, (c, 0))
#define MAP_CHANGES(R) COMMON_CHANGES(R, map) INSERT_CHANGES(R, map) ORDERED_CHANGES(R, map)
#define MAP_LOOKS_AGAIN(R) ITEM_LOOKS_AGAIN(R, map)
#define MAP_CHANGES_AGAIN(R)                                                                       \
    SEARCHES_AGAIN(R, map)                                                                         \
    COMMON_CHANGES_AGAIN(R, map) INSERT_CHANGES_AGAIN(R, map) ORDERED_CHANGES_AGAIN(R, map)
#define MAP_ENDS(R) COMMON_ENDS(R, map) ORDERED_ENDS(R, map)
#define MAP_NEEDS(R)                                                                               \
    COMMON_NEEDS(R, map) ITEM_NEEDS(R, map) BATCH_NEEDS(R, map) ORDERED_NEEDS(R, map)

#define POOL_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, pool) GET_LOOKS(R, pool)
#define POOL_HANDLE_CHANGES(R) ERASE_CHANGES(R, pool)
#define POOL_HANDLE_ENDS(R)
#define POOL_LOOKS(R)                                                                              \
    COMMON_LOOKS(R, pool)                                                                          \
    OWNER_LOOKS(R, pool)                                                                           \
    UPCOMING_LOOKS(R, pool)                                                                        \
    ITEM_LOOKS(R, pool)                                                                            \
    R(pool, item_at, is_none, (c, 0))                                                              \
    R(pool, next_run, gives_no_run, (c, 0, &length))                                               \
    R(pool, next_word, gives_no_word, (c, 0, &word))
#define POOL_CHANGES(R) COMMON_CHANGES(R, pool) INSERT_CHANGES(R, pool)
#define POOL_LOOKS_AGAIN(R)                                                                        \
    ITEM_LOOKS_AGAIN(R, pool)                                                                      \
    R(pool, next_run, is_no_index, (c, 0, NULL))                                                   \
    R(pool, item_at, is_none, (c, HM_INVALID_INDEX))
#define POOL_CHANGES_AGAIN(R) COMMON_CHANGES_AGAIN(R, pool) INSERT_CHANGES_AGAIN(R, pool)
#define POOL_ENDS(R) COMMON_ENDS(R, pool)
#define POOL_NEEDS(R)                                                                              \
    COMMON_NEEDS(R, pool)                                                                          \
    ITEM_NEEDS(R, pool)                                                                            \
    BATCH_NEEDS(R, pool)                                                                           \
    R(pool, next_word, an_answer, "live is NULL", (c, 0, NULL))

#define ROW_LOOKS(R)                                                                               \
    R(table, row, is_no_index, (c, h))                                                             \
    R(table, row_n, gives_no_rows, (c, one, 1, rows))
#define CELL_LOOKS(R)                                                                              \
    R(table, get, is_none, (c, h, 0))                                                              \
    R(table, get_n, gives_no_places, (c, one, 1, 0, places))
#define TABLE_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, table) ROW_LOOKS(R) CELL_LOOKS(R)
#define TABLE_HANDLE_CHANGES(R) ERASE_CHANGES(R, table)
#define TABLE_HANDLE_ENDS(R) TOUCH_ENDS(R, table)
/* What concerns one column has its name in typed form, so its rows are apart. */
#define TABLE_LOOKS(R)                                                                             \
    COMMON_LOOKS(R, table)                                                                         \
    OWNER_LOOKS(R, table)                                                                          \
    UPCOMING_LOOKS(R, table)                                                                       \
    ROW_LOOKS(R)                                                                                   \
    R(table, handle_at, is_null, (c, 0))                                                           \
    R(table, group_count, is_zero, (c))
#define COLUMN_LOOKS(R)                                                                            \
    CELL_LOOKS(R)                                                                                  \
    R(table, cell, is_none, (c, 0, 0))                                                             \
    R(table, column, is_none, (c, 0))                                                              \
    R(table, group, is_none, (c, 0, 0))                                                            \
    R(table, handle_of, is_null, (c, place, 0))                                                    \
    R(table, lower_bound, is_zero, (c, 0, &order, probe))                                          \
    R(table, upper_bound, is_zero, (c, 0, &order, probe))
#define TABLE_CHANGES(R)                                                                           \
    COMMON_CHANGES(R, table)                                                                       \
    ERASE_CHANGES(R, table)                                                                        \
    R(table, insert, is_null, is_null, (c, NULL))                                                  \
    R(table, emplace, gives_no_row, gives_no_row, (c, rows))                                       \
    R(table, emplace_zeroed, gives_no_row, gives_no_row, (c, rows))                                \
    R(table, insert_n, is_full, is_busy, (c, NULL, 1, NULL))                                       \
    R(table, adopt, is_full, is_busy, (c, h, NULL))                                                \
    R(table, reserve_promises, is_full, is_busy, (c, 1))                                           \
    R(table, insert_as, is_stale, is_busy, (c, h, NULL))                                           \
    R(table, give_up, is_zero, is_zero, (c, h))                                                    \
    R(table, erase_at, is_zero, is_zero, (c, 0))                                                   \
    R(table, erase_if, is_zero, is_zero, (c, doomed, NULL))                                        \
    R(table, defragment, is_done, is_waiting, (c, 0, &order, budget))                              \
    R(table, arrange, is_done, is_waiting, (c, one, 1, budget))
#define TABLE_LOOKS_AGAIN(R)                                                                       \
    R(table, defragment, is_done, (c, 9, &order, budget))                                          \
    R(table, contains_n, is_zero, (c, NULL, 0, NULL))                                              \
    R(table, row_n, is_zero, (c, NULL, 0, NULL))                                                   \
    R(table, get_n, is_zero, (c, NULL, 0, 0, NULL))                                                \
    R(table, get_n, gives_no_places, (c, one, 1, 9, places))
#define TABLE_CHANGES_AGAIN(R)                                                                     \
    R(table, lower_bound, is_zero, is_no_index, (c, 0, &order, probe))                             \
    R(table, upper_bound, is_zero, is_no_index, (c, 0, &order, probe))                             \
    COMMON_CHANGES_AGAIN(R, table) INSERT_CHANGES_AGAIN(R, table) ORDERED_CHANGES_AGAIN(R, table)
#define TABLE_ENDS(R) COMMON_ENDS(R, table) ORDERED_ENDS(R, table)
#define TABLE_NEEDS(R)                                                                             \
    COMMON_NEEDS(R, table)                                                                         \
    BATCH_NEEDS(R, table)                                                                          \
    ARRANGED_NEEDS(R, table)                                                                       \
    R(table, emplace, a_row, "row is NULL", (c, NULL))                                             \
    R(table, emplace_zeroed, a_row, "row is NULL", (c, NULL))                                      \
    R(table, row_n, handles, "handles is NULL", (c, NULL, 1, rows))                                \
    R(table, row_n, rows, "rows is NULL", (c, one, 1, NULL))                                       \
    R(table, defragment, an_order, NO_ORDER, (c, 0, NULL, budget))                                 \
    R(table, defragment, a_key, NO_ORDER, (c, 0, &nothing, budget))
#define COLUMN_NEEDS(R)                                                                            \
    R(table, get_n, handles, "handles is NULL", (c, NULL, 1, 0, places))                           \
    R(table, get_n, cells, "cells is NULL", (c, one, 1, 0, NULL))                                  \
    R(table, lower_bound, an_order, NO_ORDER, (c, 0, NULL, probe))                                 \
    R(table, lower_bound, a_key, NO_ORDER, (c, 0, &nothing, probe))                                \
    R(table, lower_bound, a_probe, "probe is NULL", (c, 0, &order, NULL))                          \
    R(table, upper_bound, an_order, NO_ORDER, (c, 0, NULL, probe))                                 \
    R(table, upper_bound, a_key, NO_ORDER, (c, 0, &nothing, probe))                                \
    R(table, upper_bound, a_probe, "probe is NULL", (c, 0, &order, NULL))

#define SECONDARY_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, secondary) GET_LOOKS(R, secondary)
#define SECONDARY_HANDLE_CHANGES(R) REMOVE_CHANGES(R, secondary)
#define SECONDARY_HANDLE_ENDS(R) TOUCH_ENDS(R, secondary)
#define SECONDARY_LOOKS(R)                                                                         \
    COMMON_LOOKS(R, secondary)                                                                     \
    GET_LOOKS(R, secondary)                                                                        \
    ORDERED_LOOKS(R, secondary)                                                                    \
    R(secondary, values, is_none, (c))                                                             \
    R(secondary, owner_at, is_null, (c, 0))                                                        \
    R(secondary, handle_of, is_null, (c, place))
#define SECONDARY_CHANGES(R)                                                                       \
    COMMON_CHANGES(R, secondary)                                                                   \
    ORDERED_CHANGES(R, secondary)                                                                  \
    REMOVE_CHANGES(R, secondary)                                                                   \
    R(secondary, set, is_none, is_none, (c, h, NULL))                                              \
    R(secondary, set_n, is_invalid, is_busy, (c, one, NULL, 1))                                    \
    R(secondary, remove_at, is_zero, is_zero, (c, 0))                                              \
    R(secondary, remove_if, is_zero, is_zero, (c, doomed, NULL))
#define SECONDARY_LOOKS_AGAIN(R)                                                                   \
    R(secondary, get, is_none, (c, HM_NULL_HANDLE))                                                \
    R(secondary, get_n, is_zero, (c, NULL, 0, NULL))                                               \
    R(secondary, contains_n, is_zero, (c, NULL, 0, NULL))
#define SECONDARY_CHANGES_AGAIN(R)                                                                 \
    SEARCHES_AGAIN(R, secondary)                                                                   \
    COMMON_CHANGES_AGAIN(R, secondary)                                                             \
    ORDERED_CHANGES_AGAIN(R, secondary)                                                            \
    R(secondary, set_n, is_ok, is_busy, (c, NULL, NULL, 0))                                        \
    R(secondary, remove_n, is_zero, is_zero, (c, NULL, 0))
#define SECONDARY_ENDS(R) COMMON_ENDS(R, secondary) ORDERED_ENDS(R, secondary)
#define SECONDARY_NEEDS(R)                                                                         \
    COMMON_NEEDS(R, secondary)                                                                     \
    ORDERED_NEEDS(R, secondary)                                                                    \
    R(secondary, set_n, owners, "owners is NULL", (c, NULL, NULL, 1))                              \
    R(secondary, get_n, owners, "owners is NULL", (c, NULL, 1, places))                            \
    R(secondary, get_n, values, "values is NULL", (c, one, 1, NULL))                               \
    R(secondary, contains_n, owners, "owners is NULL", (c, NULL, 1, alive))                        \
    R(secondary, contains_n, answers, "alive is NULL", (c, one, 1, NULL))                          \
    R(secondary, remove_n, owners, "owners is NULL", (c, NULL, 1))                                 \
    R(secondary, remove_if, a_predicate, "doomed is NULL", (c, NULL, NULL))

#define LISTS_HANDLE_LOOKS(R)                                                                      \
    COMMON_HANDLE_LOOKS(R, lists)                                                                  \
    R(lists, items, gives_no_count, (c, h, &length))                                               \
    R(lists, count_of, is_zero, (c, h))
#define LISTS_HANDLE_CHANGES(R)                                                                    \
    R(lists, destroy, is_zero, is_zero, (c, h))                                                    \
    R(lists, destroy_n, is_zero, is_zero, (c, one, 1))                                             \
    R(lists, push, is_none, is_none, (c, h, NULL))                                                 \
    R(lists, push_n, is_stale, is_busy, (c, h, NULL, 1))                                           \
    R(lists, insert_at, is_none, is_none, (c, h, 0, NULL))                                         \
    R(lists, resize, is_stale, is_busy, (c, h, 0))                                                 \
    R(lists, erase_at, is_zero, is_zero, (c, h, 0))                                                \
    R(lists, erase_ordered_at, is_zero, is_zero, (c, h, 0))                                        \
    R(lists, erase_if, is_zero, is_zero, (c, h, doomed, NULL))
#define LISTS_HANDLE_ENDS(R)
#define LISTS_LOOKS(R)                                                                             \
    COMMON_LOOKS(R, lists)                                                                         \
    OWNER_LOOKS(R, lists)                                                                          \
    UPCOMING_LOOKS(R, lists)                                                                       \
    R(lists, items, gives_no_count, (c, h, &length))                                               \
    R(lists, count_of, is_zero, (c, h))                                                            \
    R(lists, next, is_zero, (c, &view))                                                            \
    R(lists, item_count, is_zero, (c))                                                             \
    R(lists, handle_at, is_null, (c, 0))
#define LISTS_CHANGES(R)                                                                           \
    COMMON_CHANGES(R, lists)                                                                       \
    LISTS_HANDLE_CHANGES(R)                                                                        \
    R(lists, create, is_null, is_null, (c))                                                        \
    R(lists, create_n, is_full, is_busy, (c, 1, NULL))                                             \
    R(lists, adopt, is_full, is_busy, (c, h))                                                      \
    R(lists, defragment, is_done, is_waiting, (c, budget))
#define LISTS_LOOKS_AGAIN(R)                                                                       \
    R(lists, contains_n, is_zero, (c, NULL, 0, NULL))                                              \
    R(lists, items, is_none, (c, h, NULL))
#define LISTS_CHANGES_AGAIN(R)                                                                     \
    COMMON_CHANGES_AGAIN(R, lists)                                                                 \
    R(lists, create_n, is_ok, is_busy, (c, 0, NULL))                                               \
    R(lists, destroy_n, is_zero, is_zero, (c, NULL, 0))                                            \
    R(lists, push_n, is_stale, is_busy, (c, h, NULL, 0))                                           \
    R(lists, resize, is_stale, is_busy, (c, h, 5))
#define LISTS_ENDS(R) COMMON_ENDS(R, lists)
#define LISTS_NEEDS(R)                                                                             \
    COMMON_NEEDS(R, lists)                                                                         \
    R(lists, erase_if, a_predicate, "doomed is NULL", (c, h, NULL, NULL))                          \
    R(lists, contains_n, handles, "handles is NULL", (c, NULL, 1, alive))                          \
    R(lists, contains_n, answers, "alive is NULL", (c, one, 1, NULL))                              \
    R(lists, destroy_n, handles, "handles is NULL", (c, NULL, 1))                                  \
    R(lists, destroy_if, a_predicate, "doomed is NULL", (c, NULL, NULL))                           \
    R(lists, next, a_view, "view is NULL", (c, NULL))

#define KEY_LOOKS(R)                                                                               \
    R(index, key_of, gives_no_key, (c, h, &word))                                                  \
    R(index, key_of_n, gives_no_key, (c, one, 1, &word))
#define INDEX_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, index) KEY_LOOKS(R)
#define INDEX_HANDLE_CHANGES(R) REMOVE_CHANGES(R, index)
#define INDEX_HANDLE_ENDS(R)
#define INDEX_LOOKS(R)                                                                             \
    COMMON_LOOKS(R, index)                                                                         \
    KEY_LOOKS(R)                                                                                   \
    R(index, members, gives_no_count, (c, 0, &length))                                             \
    R(index, next, is_zero, (c, &view))                                                            \
    R(index, key_count, is_zero, (c))
#define INDEX_CHANGES(R)                                                                           \
    COMMON_CHANGES(R, index)                                                                       \
    R(index, set, is_invalid, is_busy, (c, h, 1))                                                  \
    R(index, set_n, is_invalid, is_busy, (c, one, keys, 1))                                        \
    REMOVE_CHANGES(R, index)                                                                       \
    R(index, remove_key, is_zero, is_zero, (c, 1))                                                 \
    R(index, remove_if, is_zero, is_zero, (c, doomed, NULL))                                       \
    R(index, defragment, is_done, is_waiting, (c, budget))
#define INDEX_LOOKS_AGAIN(R)                                                                       \
    R(index, key_of_n, is_zero, (c, NULL, 0, NULL))                                                \
    R(index, contains_n, is_zero, (c, NULL, 0, NULL))                                              \
    R(index, members, is_none, (c, UINT64_MAX, NULL))
#define INDEX_CHANGES_AGAIN(R)                                                                     \
    COMMON_CHANGES_AGAIN(R, index) R(index, set_n, is_ok, is_busy, (c, NULL, NULL, 0))
#define INDEX_ENDS(R) COMMON_ENDS(R, index)
#define INDEX_NEEDS(R)                                                                             \
    COMMON_NEEDS(R, index)                                                                         \
    R(index, next, a_view, "view is NULL", (c, NULL))                                              \
    R(index, remove_if, a_predicate, "doomed is NULL", (c, NULL, NULL))                            \
    R(index, remove_n, owners, "owners is NULL", (c, NULL, 1))                                     \
    R(index, key_of_n, owners, "owners is NULL", (c, NULL, 1, &word))                              \
    R(index, key_of_n, keys, "keys is NULL", (c, one, 1, NULL))                                    \
    R(index, contains_n, owners, "owners is NULL", (c, NULL, 1, alive))                            \
    R(index, contains_n, answers, "alive is NULL", (c, one, 1, NULL))                              \
    R(index, set_n, owners, "owners is NULL", (c, NULL, keys, 1))                                  \
    R(index, set_n, keys, "keys is NULL", (c, one, NULL, 1))

#define COMPONENT_LOOKS(R)                                                                         \
    R(world, get, is_none, (c, h, p))                                                              \
    R(world, get_n, gives_no_places, (c, one, 1, p, places))                                       \
    R(world, components_of, is_zero, (c, h, &p, 1))                                                \
    R(world, has, is_zero, (c, h, p))                                                              \
    R(world, changed, is_zero, (c, h, p))
#define WORLD_HANDLE_LOOKS(R) COMMON_HANDLE_LOOKS(R, world) COMPONENT_LOOKS(R)
#define WORLD_HANDLE_CHANGES(R)                                                                    \
    R(world, copy, is_null, is_null, (c, h))                                                       \
    R(world, destroy, is_zero, is_zero, (c, h))                                                    \
    R(world, destroy_n, is_zero, is_zero, (c, one, 1))                                             \
    R(world, add, is_stale, is_busy, (c, h, p, NULL))                                              \
    R(world, add_n, is_stale, is_busy, (c, one, 1, p, NULL))                                       \
    R(world, remove, is_stale, is_busy, (c, h, p, NULL))                                           \
    R(world, remove_n, is_stale, is_busy, (c, one, 1, p, NULL))                                    \
    R(world, remove_all, is_stale, is_busy, (c, h))                                                \
    R(world, change, is_stale, is_busy, (c, h, &p, 1, NULL, 0))
#define WORLD_HANDLE_ENDS(R) R(world, touch, (c, h, p))
#define WORLD_LOOKS(R)                                                                             \
    COMMON_LOOKS(R, world)                                                                         \
    OWNER_LOOKS(R, world)                                                                          \
    UPCOMING_LOOKS(R, world)                                                                       \
    COMPONENT_LOOKS(R)                                                                             \
    R(world, handle_of, is_null, (c, probe, p))                                                    \
    R(world, values_of, is_zero, (c, h, &p, 1, places))                                            \
    R(world, clock, is_zero, (c))                                                                  \
    R(world, archetype_count, is_zero, (c))                                                        \
    R(world, handle_at, is_null, (c, 0))
#define WORLD_CHANGES(R)                                                                           \
    COMMON_CHANGES(R, world)                                                                       \
    WORLD_HANDLE_CHANGES(R)                                                                        \
    R(world, component, is_no_index, is_no_index, (c, &component))                                 \
    R(world, create, is_null, is_null, (c, NULL, 0))                                               \
    R(world, create_with, is_null, is_null, (c, NULL, 0, NULL))                                    \
    R(world, create_n, is_full, is_busy, (c, NULL, 0, 1, NULL, NULL))                              \
    R(world, adopt, is_full, is_busy, (c, h))                                                      \
    R(world, defragment, is_done, is_waiting, (c, p, &order, budget))
#define WORLD_LOOKS_AGAIN(R)                                                                       \
    R(world, contains, is_zero, (c, HM_NULL_HANDLE))                                               \
    R(world, contains_n, is_zero, (c, NULL, 0, NULL))                                              \
    R(world, get_n, is_zero, (c, NULL, 0, p, NULL))                                                \
    R(world, handle_of, is_null, (c, NULL, p))                                                     \
    R(world, components_of, is_zero, (c, h, NULL, 0))                                              \
    R(world, values_of, is_zero, (c, h, NULL, 0, NULL))
#define WORLD_CHANGES_AGAIN(R)                                                                     \
    COMMON_CHANGES_AGAIN(R, world)                                                                 \
    R(world, create, is_null, is_null, (c, &p, 1))                                                 \
    R(world, add_n, is_invalid, is_busy, (c, NULL, 0, p, NULL))                                    \
    R(world, remove_n, is_invalid, is_busy, (c, NULL, 0, p, NULL))
#define WORLD_ENDS(R)                                                                              \
    COMMON_ENDS(R, world)                                                                          \
    WORLD_HANDLE_ENDS(R)                                                                           \
    R(world, touch_all, (c, p))                                                                    \
    R(world, forget_order, (c))
#define WORLD_NEEDS(R)                                                                             \
    COMMON_NEEDS(R, world)                                                                         \
    R(world, destroy_n, entities, "entities is NULL", (c, NULL, 1))                                \
    R(world, contains_n, entities, "entities is NULL", (c, NULL, 1, alive))                        \
    R(world, contains_n, answers, "alive is NULL", (c, one, 1, NULL))                              \
    R(world, get_n, entities, "entities is NULL", (c, NULL, 1, p, places))                         \
    R(world, get_n, values, "values is NULL", (c, one, 1, p, NULL))                                \
    R(world, add_n, entities, "entities is NULL", (c, NULL, 1, p, NULL))                           \
    R(world, remove_n, entities, "entities is NULL", (c, NULL, 1, p, NULL))                        \
    R(world, components_of, a_place, "components is NULL", (c, h, NULL, 1))                        \
    R(world, values_of, set, "set is NULL", (c, h, NULL, 1, places))                               \
    R(world, values_of, values, "values is NULL", (c, h, &p, 1, NULL))                             \
    R(world, defragment, an_order, NO_ORDER, (c, p, NULL, budget))                                 \
    R(world, defragment, a_key, NO_ORDER, (c, p, &nothing, budget))

#endif

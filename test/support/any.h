/* SPDX-License-Identifier: MIT */
/* A container of any kind, and how to make one whose limits but the capacity are the defaults. */
#ifndef TEST_SUPPORT_ANY_H
#define TEST_SUPPORT_ANY_H

#include "test.h"

#include <handle_map/handle_map.h>

enum { TEST_COMPONENTS = 7 };

typedef union test_any {
    hm_map map;
    hm_pool pool;
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
    hm_index index;
    struct {
        hm_world world;
        hm_component components[TEST_COMPONENTS]; /* that a test makes in the world */
    };
} test_any;

/* Each defines a static function verb_kind that calls a function of the kind. TEST_ASKS returns its
 * answer; TEST_DOES is for those that have none. */
#define TEST_ASKS(type, verb, kind, parameters, call)                                              \
    static type verb##_##kind parameters                                                           \
    {                                                                                              \
        return hm_##kind##_##call;                                                                 \
    }
#define TEST_DOES(verb, kind, parameters, call)                                                    \
    static void verb##_##kind parameters                                                           \
    {                                                                                              \
        hm_##kind##_##call;                                                                        \
    }

typedef enum test_kind {
    TEST_MAP,
    TEST_POOL,
    TEST_TABLE,
    TEST_SECONDARY,
    TEST_LISTS,
    TEST_INDEX,
    TEST_WORLD,
    TEST_KINDS
} test_kind;

/* Items are one number of 4 bytes. */
static inline hm_status test_any_init(test_any *made, test_kind kind, uint16_t type_id,
                                      uint32_t capacity, const hm_memory *memory)
{
    enum { SIZE = 4 };
#define TEST_ANY(KIND, kind, ...)                                                                  \
    case TEST_##KIND:                                                                              \
        return hm_##kind##_init(&made->kind, &(hm_##kind##_desc){.type_id = type_id,               \
                                                                 .capacity = capacity,             \
                                                                 .memory = memory,                 \
                                                                 __VA_ARGS__});
    switch (kind) {
        TEST_ANY(MAP, map, .item_size = SIZE)
        TEST_ANY(POOL, pool, .item_size = SIZE)
        TEST_ANY(TABLE, table, .columns = &(hm_column){.size = SIZE}, .column_count = 1)
        TEST_ANY(SECONDARY, secondary, .value_size = SIZE)
        TEST_ANY(LISTS, lists, .item_size = SIZE)
        TEST_ANY(INDEX, index, )
    default:
        TEST_ANY(WORLD, world, )
    }
#undef TEST_ANY
}

static inline void test_any_fini(test_any *made, test_kind kind)
{
#define TEST_ANY(KIND, kind)                                                                       \
    case TEST_##KIND:                                                                              \
        hm_##kind##_fini(&made->kind);                                                             \
        break;
    switch (kind) {
        TEST_ANY(MAP, map)
        TEST_ANY(POOL, pool)
        TEST_ANY(TABLE, table)
        TEST_ANY(SECONDARY, secondary)
        TEST_ANY(LISTS, lists)
        TEST_ANY(INDEX, index)
    default:
        TEST_ANY(WORLD, world)
    }
#undef TEST_ANY
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the tests of typed functions share: an item and its containers, in the common language of C
 * and C++. */
#ifndef TEST_TYPED_BODY_H
#define TEST_TYPED_BODY_H

#include "support/test.h"

#include <handle_map/handle_map.h>

#include <string.h>

/* What a header may have that does not know the item: a handle type, and a map, a pool, a
 * secondary, lists, an index and a table with the same name. */
HM_HANDLE_DEFINE(body)
HM_MAP_DECLARE(body)
HM_POOL_DECLARE(body)
HM_SECONDARY_DECLARE(body)
HM_LISTS_DECLARE(body)
HM_INDEX_DECLARE(body)
HM_TABLE_DECLARE(body)

/* An item that contains handles of its own type. */
typedef struct body {
    body_handle self, parent;
    uint32_t value;
} body;
HM_MAP_DEFINE_DECLARED(body, body, 3)
HM_POOL_DEFINE_DECLARED(body, body, 4)
HM_SECONDARY_DEFINE_DECLARED(body, body, body)
HM_LISTS_DEFINE_DECLARED(body, body, 6)
HM_INDEX_DEFINE_DECLARED(body, body)
#define BODY_COLUMNS(COLUMN) COLUMN(float, x) COLUMN(uint32_t, value) COLUMN(body_handle, parent)
HM_TABLE_DEFINE_DECLARED(body, 5, BODY_COLUMNS)

static inline body make_body(uint32_t value)
{
    body made;
    memset(&made, 0, sizeof made);
    made.value = value;
    return made;
}

static inline bool is_odd(const body *item, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return item->value % 2 != 0;
}

static inline uint64_t value_of(const void *item, void *context)
{
    (void)context;
    return HM_CAST(const body *, item)->value;
}

static inline bool is_not_third_slot(body_handle owner, const body *value, void *context)
{
    (void)value;
    ++*HM_CAST(uint32_t *, context);
    return hm_handle_index(owner.id) % 3 != 0;
}

static inline bool has_odd_value(const body_table *table, uint32_t row, void *context)
{
    ++*HM_CAST(uint32_t *, context);
    return *body_value_cell(table, row) % 2 != 0;
}

static inline bool has_odd_slot(body_handle owner, uint64_t key, void *context)
{
    (void)key;
    ++*HM_CAST(uint32_t *, context);
    return hm_handle_index(owner.id) % 2 != 0;
}

static inline uint64_t falling_number_of(const void *cell, void *context)
{
    (void)context;
    return UINT64_MAX - *HM_CAST(const uint32_t *, cell);
}

#endif

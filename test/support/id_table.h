/* SPDX-License-Identifier: MIT */
/* What the tests of the ID table share. */
#ifndef TEST_SUPPORT_ID_TABLE_H
#define TEST_SUPPORT_ID_TABLE_H

#include "../../src/ids/ids_private.h"
#include "memory.h"
#include "test.h"

#include <handle_map/id_table.h>

#include <stdlib.h>

enum { TYPE_ID = 5, LIVES = 65535 };

static inline void make(hm_id_table *table, uint32_t capacity, uint32_t max_slots,
                        const test_memory *memory)
{
    hm_id_table_desc desc = {.capacity = capacity, .max_slots = max_slots, .type_id = TYPE_ID};
    desc.memory = memory != NULL ? &memory->table : NULL;
    CHECK(hm_id_table_init(table, &desc) == HM_OK);
}

/* Returns null when a reserve is refused; after a reserve that succeeds, issue must succeed. */
static inline hm_handle issue(hm_id_table *table)
{
    if (hm_id_table_reserve(table, 1) != HM_OK)
        return HM_NULL_HANDLE;
    hm_handle handle = hm_id_table_issue(table);
    if (hm_handle_is_null(handle))
        handle = hm_id_table_issue_slow(table);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

static inline void issue_n(hm_id_table *table, uint32_t n, hm_handle *handles)
{
    for (uint32_t i = 0; i < n; i++) {
        handles[i] = issue(table);
        CHECK(!hm_handle_is_null(handles[i]));
    }
}

/* Makes a table that has issued n handles. */
static inline void make_with(hm_id_table *table, uint32_t capacity, uint32_t max_slots, uint32_t n,
                             hm_handle *handles)
{
    make(table, capacity, max_slots, NULL);
    issue_n(table, n, handles);
}

static inline void release_at(hm_id_table *table, uint32_t position)
{
    hm_id_table_release(table, hm_id_table_handle_at(table, position), position);
}

static inline void release_down_to(hm_id_table *table, uint32_t count)
{
    while (table->count > count)
        release_at(table, table->count - 1);
}

/* Issues and releases the slot at position `count`, `lives` times. */
static inline void live_through(hm_id_table *table, uint32_t lives)
{
    for (uint32_t i = 0; i < lives; i++) {
        CHECK(!hm_handle_is_null(issue(table)));
        release_at(table, table->count - 1);
    }
}

static inline bool is_live(const hm_id_table *table, hm_handle handle)
{
    uint32_t position = hm_id_table_find(table, handle);
    bool found = position != HM_INVALID_INDEX;
    CHECK(found == (hm_id_table_explain(table, handle) == HM_HANDLE_LIVE));
    CHECK(!found || hm_handle_equal(hm_id_table_handle_at(table, position), handle));
    return found;
}

/* Whether is_upcoming knows the k-th of the next issues, as one of k + 1 or more, and no other life
 * of its slot. */
static inline bool is_known(const hm_id_table *table, hm_handle handle, uint32_t k)
{
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    return hm_id_table_is_upcoming(table, handle, k + 1) &&
           !hm_id_table_is_upcoming(table, handle, k) &&
           !hm_id_table_is_upcoming(table, hm_handle_from_bits(handle.bits + one), UINT32_MAX) &&
           !hm_id_table_is_upcoming(table, hm_handle_from_bits(handle.bits - one), UINT32_MAX);
}

static inline hm_handle *allocate_handles(size_t count)
{
    hm_handle *handles = malloc(count * sizeof *handles);
    CHECK(handles != NULL);
    return handles;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the unit tests of the pool share. Each test runs for each of the three storages, which
 * behave alike. */
#ifndef TEST_SUPPORT_POOL_H
#define TEST_SUPPORT_POOL_H

#include "test.h"

#include <handle_map/pool.h>

enum { MANY = 300 };

#define POOL_TEST(name)                                                                            \
    static void name(hm_storage storage);                                                          \
    TEST(pool_virtual, name)                                                                       \
    {                                                                                              \
        name(HM_STORAGE_VIRTUAL);                                                                  \
    }                                                                                              \
    TEST(pool_fixed_blocks, name)                                                                  \
    {                                                                                              \
        name(HM_STORAGE_FIXED_BLOCKS);                                                             \
    }                                                                                              \
    TEST(pool_growing_blocks, name)                                                                \
    {                                                                                              \
        name(HM_STORAGE_GROWING_BLOCKS);                                                           \
    }                                                                                              \
    static void name(hm_storage storage)

static inline hm_pool make(hm_storage storage, hm_pool_desc desc)
{
    hm_pool pool;
    desc.storage = storage;
    if (desc.item_size == 0)
        desc.item_size = sizeof(int);
    if (desc.capacity == 0)
        desc.capacity = 10000;
    if (desc.max_slots == 0) /* Reserved address space costs time in emulators. */
        desc.max_slots = 4 * desc.capacity;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    return pool;
}

static inline hm_handle add(hm_pool *pool, int value)
{
    hm_handle handle = hm_pool_insert(pool, &value);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

static inline int value_of(const hm_pool *pool, hm_handle handle)
{
    const int *item = hm_pool_get(pool, handle);
    CHECK(item != NULL);
    return *item;
}

/* Adds 0, 1, 2, ... up to n - 1. */
static inline void fill(hm_pool *pool, hm_handle *handles, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        handles[i] = add(pool, (int)i);
}

TEST_FINISH(pool)

#endif

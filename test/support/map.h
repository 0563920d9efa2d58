/* SPDX-License-Identifier: MIT */
/* What the unit tests of the map share: maps of numbers. */
#ifndef TEST_SUPPORT_MAP_H
#define TEST_SUPPORT_MAP_H

#include "test.h"

#include <handle_map/map.h>

static inline hm_map make_map(hm_map_desc desc)
{
    hm_map map;
    if (desc.item_size == 0)
        desc.item_size = sizeof(uint32_t);
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    return map;
}

static inline hm_handle add(hm_map *map, uint32_t value)
{
    hm_handle handle = hm_map_insert(map, &value);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

static inline uint32_t value_of(const hm_map *map, hm_handle handle)
{
    const uint32_t *item = hm_map_get(map, handle);
    CHECK(item != NULL);
    return *item;
}

#endif

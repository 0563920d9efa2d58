/* SPDX-License-Identifier: MIT */
/* What the unit tests of the secondary share: secondaries of int, and owners' handles. */
#ifndef TEST_SUPPORT_SECONDARY_H
#define TEST_SUPPORT_SECONDARY_H

#include "test.h"

#include <handle_map/secondary.h>

enum { OWNER_TYPE = 5, SEGMENT_SLOTS = 16384, SEGMENT_SIZE = 65536 };

static inline hm_handle owner(uint32_t index, uint32_t generation)
{
    return hm_handle_pack(index, generation, OWNER_TYPE);
}

static inline hm_secondary make(hm_secondary_desc desc)
{
    hm_secondary secondary;
    if (desc.value_size == 0)
        desc.value_size = sizeof(int);
    if (desc.capacity == 0)
        desc.capacity = 10000;
    if (desc.max_slots == 0) /* Reserved address space costs time in emulators. */
        desc.max_slots = 10 * SEGMENT_SLOTS;
    desc.type_id = OWNER_TYPE;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    return secondary;
}

static inline void set(hm_secondary *secondary, hm_handle of, int value)
{
    int *place = hm_secondary_set(secondary, of, &value);
    CHECK(place != NULL && *place == value && hm_secondary_get(secondary, of) == place);
}

static inline int value_of(const hm_secondary *secondary, hm_handle of)
{
    const int *value = hm_secondary_get(secondary, of);
    CHECK(value != NULL);
    return *value;
}

/* Sets 0, 1, 2, ... up to n - 1 for the owners with these indices, of generation 1. */
static inline void fill(hm_secondary *secondary, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set(secondary, owner(i, 1), (int)i);
}

TEST_FINISH(secondary)

#endif

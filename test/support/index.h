/* SPDX-License-Identifier: MIT */
/* What the unit tests of an index share. */
#ifndef TEST_SUPPORT_INDEX_H
#define TEST_SUPPORT_INDEX_H

#include "test.h"

#include <handle_map/index.h>

enum { INDEX_TYPE = 5, INDEX_SEED = 12345 };

static inline hm_index make(hm_index_desc desc)
{
    hm_index index;
    if (desc.capacity == 0)
        desc.capacity = 1000;
    if (desc.max_slots == 0) /* Reserved address space costs time in emulators. */
        desc.max_slots = 4 * desc.capacity;
    if (desc.type_id == 0)
        desc.type_id = INDEX_TYPE;
    if (desc.seed == 0)
        desc.seed = INDEX_SEED;
    CHECK(hm_index_init(&index, &desc) == HM_OK);
    return index;
}

static inline hm_handle owner_of(uint32_t slot, uint32_t generation)
{
    return hm_handle_pack(slot, generation, INDEX_TYPE);
}

/* The owner in a slot, of the first generation. */
static inline hm_handle owner(uint32_t slot)
{
    return owner_of(slot, 1);
}

static inline void set(hm_index *index, hm_handle owner, uint64_t key)
{
    uint64_t found = ~key;
    CHECK(hm_index_set(index, owner, key) == HM_OK);
    CHECK(hm_index_key_of(index, owner, &found) && found == key);
}

static inline uint32_t count_of(const hm_index *index, uint64_t key)
{
    uint32_t count = UINT32_MAX;
    const hm_handle *members = hm_index_members(index, key, &count);
    CHECK((members == NULL) == (count == 0));
    return count;
}

static inline void check_valid(const hm_index *index)
{
    CHECK(hm_index_validate(index) == HM_OK);
}

TEST_FINISH(index)

#endif

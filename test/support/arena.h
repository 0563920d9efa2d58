/* SPDX-License-Identifier: MIT */
/* What the tests of arenas share. */
#ifndef TEST_SUPPORT_ARENA_H
#define TEST_SUPPORT_ARENA_H

#include "test.h"

#include <handle_map/memory.h>

#include <string.h>

enum { UNIT = 64 }; /* bytes, of which ranges are multiples */

static inline void make_arena(hm_memory_arena *arena, size_t size, const hm_memory *parent)
{
    hm_memory_arena_desc desc = {.size = size, .memory = parent};
    CHECK(hm_memory_arena_init(arena, &desc) == HM_OK);
}

static inline bool is_zeroed(const hm_memory_arena *arena)
{
    static const hm_memory_arena zero;
    return memcmp(arena, &zero, sizeof zero) == 0;
}

#endif

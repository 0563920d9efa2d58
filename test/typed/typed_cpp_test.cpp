// SPDX-License-Identifier: MIT
// Every typed function, as C++17: the same sources as the C tests, in a suite of its own.
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

#define typed typed_cpp
#include "contract_test.c"
#include "layout_test.c"
#include "typed_test.c"

// The number of a typed container may be a scoped enumerator.
enum class numbers : unsigned short { door = 5, wall = 6 };
HM_MAP_DEFINE(door, int, numbers::door)
HM_POOL_DEFINE(wall, int, numbers::wall)
HM_ID32_DEFINE(door, 16, numbers::door)
static_assert(door_TYPE_ID == 5 && wall_pool_TYPE_ID == 6, "they are constants");

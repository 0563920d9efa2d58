// SPDX-License-Identifier: MIT
// A typed index as C++17: the same source as the C test, in a suite of its own.
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

#define index_typed index_typed_cpp
#include "typed_test.c"

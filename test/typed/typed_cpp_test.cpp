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

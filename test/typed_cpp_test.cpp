// SPDX-License-Identifier: MIT
// Every typed function, as C++17: the same source as the C test.
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include "typed_test.c"

/* SPDX-License-Identifier: MIT */
/* Criterion's runner: how a check fails in it. */
#include "test.h"

#ifdef HM_TEST_CRITERION
void test_fail(const char *file, int line, const char *condition)
{
    if (test_fail_hook != NULL)
        test_fail_hook(file, line, condition);
    cr_assert_fail("%s:%d: %s", file, line, condition);
}
#endif

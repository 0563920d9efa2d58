/* SPDX-License-Identifier: MIT */
/* What the tests of misused pointers share. They are built only with AddressSanitizer. A report
 * ends the process with the code that death tests expect, and goes to stdout, not to the log files
 * in which a report means a failure. */
#ifndef TEST_SUPPORT_MISUSE_H
#define TEST_SUPPORT_MISUSE_H

#include "test.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdlib.h>

typedef struct particle {
    uint64_t words[3];
} particle;

static inline void end_as_expected(void)
{
    _Exit(TEST_PANIC_EXIT_CODE);
}

static inline void expect_report(void)
{
    __sanitizer_set_report_path("stdout");
    __asan_set_death_callback(end_as_expected);
}

static inline uint64_t read_word(const volatile uint64_t *word)
{
    return *word;
}

#endif

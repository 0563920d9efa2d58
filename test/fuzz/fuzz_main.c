/* SPDX-License-Identifier: MIT */
/* The function that libFuzzer calls: the bytes are a script of the target that FUZZ_TARGET names,
 * and a check that fails is a crash. */
#include "fuzz.h"

#include <handle_map/base.h>

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void test_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static test_step steps[FUZZ_STEPS + 1];
    static const fuzz_target *target;
    if (target == NULL) /* once, or the fuzzer takes the compares of names for ones of the input */
        target = fuzz_find_target(FUZZ_TARGET);
    test_script script = fuzz_decode(target, data, size, steps);
    test_script_play(&script);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* How bytes become a script, for the fuzzer and for the replay of its findings.
 *
 *     | begin's arguments |  operation  | arguments |  operation  | arguments | ...
 *       3 x width bytes     1 byte        3 x width
 *
 * Numbers are little-endian; an operation counts modulo the number of operations; incomplete steps
 * at the end are ignored, and missing bytes of begin's arguments are 0. So any bytes are a script.
 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include "support/runner.h"

#include <handle_map/handle.h>

#include <stddef.h>

enum { FUZZ_STEPS = 256 }; /* most steps of a script; the rest is ignored */

typedef struct fuzz_target {
    const char *name; /* of the target, and of its corpus */
    const test_subject *subject;
    size_t width;                                      /* bytes of an argument */
    void (*shape)(uint32_t arguments[TEST_ARGUMENTS]); /* of begin; NULL: as they are */
} fuzz_target;

/* All targets; the last has no name. */
extern const fuzz_target fuzz_targets[];

/* Returns the target with this name, or NULL. */
const fuzz_target *fuzz_find_target(const char *name);

/* Writes at most FUZZ_STEPS + 1 steps to `steps`, and returns a script of these. */
test_script fuzz_decode(const fuzz_target *target, const uint8_t *data, size_t size,
                        test_step *steps);

#endif

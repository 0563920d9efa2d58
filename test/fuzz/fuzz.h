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
    size_t width; /* bytes of an argument */
} fuzz_target;

/* index.c */
extern const test_subject fuzz_index_subject;

/* lists.c */
extern const test_subject fuzz_lists_subject;

/* pool.c */
extern const test_subject fuzz_pool_subject;

/* secondary.c */
extern const test_subject fuzz_secondary_subject;

/* table.c */
extern const test_subject fuzz_table_subject;

/* world.c */
extern const test_subject fuzz_world_subject;

/* All targets; the last has no name. */
extern const fuzz_target fuzz_targets[];

/* Returns the target with this name, or NULL. */
const fuzz_target *fuzz_find_target(const char *name);

/* Runs the operation of a subject that has this name; there is one. */
void fuzz_run_operation(const test_subject *subject, const char *name, void *state,
                        const uint32_t arguments[TEST_ARGUMENTS]);

/* Returns a handle that should mostly be refused: the upper half is any bits, or combined with that
 * of `named`; the index is low, high, that of `named`, or that with a bit that must not be ignored.
 */
hm_handle fuzz_hostile_handle(hm_handle named, const uint32_t arguments[TEST_ARGUMENTS]);

/* Writes at most FUZZ_STEPS + 1 steps to `steps`, and returns a script of these. */
test_script fuzz_decode(const fuzz_target *target, const uint8_t *data, size_t size,
                        test_step *steps);

#endif

/* SPDX-License-Identifier: MIT */
/* Random scripts of operations on a container and its naive model, checked after every step; a
 * script that fails is shrunk to a few lines and printed.
 *
 *     draw ----> run in a child ----> survived
 *                     |
 *                     v  a failed check, a crash, a sanitizer's report, a panic, a hang
 *                shrink: leave steps out, make arguments smaller, each try in a child of its own
 *                     |
 *                     v
 *                print the script, end the test as failed
 *
 * A container takes part with a test_subject. Operations accept any arguments, usually modulo what
 * is there, so that every script is valid; smaller arguments should mean simpler things.
 *
 *     HM_TEST_SEED=N         draws the same scripts again
 *     HM_TEST_SCRIPT=FILE    plays the printed script instead, in this process, for a debugger
 *     HM_TEST_IN_PROCESS=1   forks nothing: for tools that watch one process. A failure then names
 *                            only the seed, as it does where there is no fork. */
#ifndef TEST_SUPPORT_RUNNER_H
#define TEST_SUPPORT_RUNNER_H

#include "test.h"

enum { TEST_ARGUMENTS = 3, TEST_OPERATIONS = 32 };

#ifndef HM_EXHAUSTIVE
enum {
    TEST_SAMPLE = 16, /* callbacks for one that tries what is refused there */
    TEST_STOPS = 0    /* a call may end before its budget: in the exhaustive search only */
};
#endif

typedef struct test_operation {
    const char *name; /* one word */
    uint32_t weight;  /* how often it is drawn, relative to the others */
    void (*run)(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
} test_operation;

typedef struct test_subject {
    const char *name;                 /* one word */
    const test_operation *operations; /* at most TEST_OPERATIONS */
    uint32_t operation_count;
    /* Makes a container and its model; the arguments choose which kind. */
    void *(*begin)(const uint32_t arguments[TEST_ARGUMENTS]);
    void (*check)(void *state); /* after each step: validates, and compares with the model */
    void (*end)(void *state);
} test_subject;

/* Defines a subject; each argument but the first is a field. */
#define TEST_SUBJECT(SUBJECT, NAME, OPERATIONS, BEGIN, CHECKS, END)                                \
    const test_subject SUBJECT = {NAME,  OPERATIONS, sizeof OPERATIONS / sizeof *OPERATIONS,       \
                                  BEGIN, CHECKS,     END}

/* What an operation does between the two is only tried, and undone by a driver that keeps whole
 * states; a random script goes on from there. */
void test_try(void);
void test_undo(void);

typedef struct test_step {
    uint32_t operation;
    uint32_t arguments[TEST_ARGUMENTS];
} test_step;

/* The first step is `begin`; its operation is ignored. */
typedef struct test_script {
    const test_subject *subject;
    test_step *steps;
    uint32_t count;
} test_script;

/* Draws a number of operations. The caller frees `steps`. */
test_script test_script_draw(const test_subject *subject, const uint32_t begin[TEST_ARGUMENTS],
                             uint32_t operations, uint64_t *random);

/* Draws operations and runs them with test_script_run. */
void test_run_random(const test_subject *subject, const uint32_t begin[TEST_ARGUMENTS],
                     uint32_t operations, uint64_t *random);

/* Plays the script of HM_TEST_SCRIPT, if that is set and is for this subject: then the test that
 * calls this has nothing more to do. */
bool test_run_given(const test_subject *subject);

/* Runs the script in a child; when that fails, shrinks it, prints it and ends the test. */
void test_script_run(test_script *script);

/* Plays the script in this process. */
void test_script_play(const test_script *script);

/* Prints the script to stderr, a step a line, as HM_TEST_SCRIPT reads it. */
void test_script_print(const test_script *script);

#endif

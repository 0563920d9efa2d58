/* SPDX-License-Identifier: MIT */
/* Draws, runs, shrinks and prints scripts. Shrinking is Zeller and Hildebrandt's delta debugging
 * ("Simplifying and Isolating Failure-Inducing Input", 2002), and moods, which leave operations
 * out, are swarm testing by Groce and others (2012): without them, a container that is filled and
 * emptied at the same rate never gets full. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32) && !defined(__wasm__)
#define CAN_FORK
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

enum {
    MOOD_STEPS = 128,    /* steps for which one mix of operations lasts */
    STEP_SECONDS = 60,   /* of processor time; a step that takes longer hangs */
    FEW_STEPS = 24,      /* up to this many, any two are left out together */
    SHRINK_SECONDS = 60, /* for all tries together; then the result is final */
    TRY_SECONDS = 5,     /* as STEP_SECONDS, while shrinking */
    LINE_SIZE = 160
};

static const char given_script[] = "HM_TEST_SCRIPT";

/* In processor time, which a busy machine does not use up. 0: the fuzzer has a limit of its own. */
static void limit_step(unsigned seconds)
{
#if defined(CAN_FORK)
    const struct itimerval limit = {.it_value.tv_sec = (time_t)seconds};
    if (seconds != 0)
        CHECK(setitimer(ITIMER_PROF, &limit, NULL) == 0);
#else
    (void)seconds;
#endif
}

/* `reached` is set to the number of each step before it runs. */
static void play(const test_script *script, volatile uint32_t *reached, unsigned step_seconds)
{
    const test_subject *subject = script->subject;
    void *state = NULL;
    for (uint32_t i = 0; i < script->count; i++) {
        const test_step *step = &script->steps[i];
        *reached = i;
        limit_step(step_seconds);
        if (i == 0)
            state = subject->begin(step->arguments);
        else
            subject->operations[step->operation].run(state, step->arguments);
        subject->check(state);
    }
    subject->end(state);
}

void test_try(void)
{
}

void test_undo(void)
{
}

void test_script_play(const test_script *script)
{
    uint32_t reached;
    play(script, &reached, 0);
}

static const char *step_name(const test_script *script, uint32_t i)
{
    const test_subject *subject = script->subject;
    return i == 0 ? subject->name : subject->operations[script->steps[i].operation].name;
}

void test_script_print(const test_script *script)
{
    for (uint32_t i = 0; i < script->count; i++) {
        const uint32_t *arguments = script->steps[i].arguments;
        fprintf(stderr, "%s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", step_name(script, i),
                arguments[0], arguments[1], arguments[2]);
    }
}

#if defined(CAN_FORK)

static bool is_quiet; /* in a child whose failure is expected */

/* AddressSanitizer calls this before it reports. A report of each try would cost a second and add
 * nothing. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    if (is_quiet)
        _Exit(EXIT_FAILURE);
}

static void end_child(const char *file, int line, const char *condition)
{
    if (!is_quiet)
        fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    _Exit(EXIT_FAILURE);
}

/* Returns the counter of the child's steps, which the parent can read however the child ended. */
static volatile uint32_t *shared_counter(void)
{
    static volatile uint32_t *counter;
    if (counter == NULL) {
        void *page =
            mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(page != MAP_FAILED);
        counter = page;
    }
    return counter;
}

/* Plays the script in a child, which ends with _Exit, so that the runner's own handlers do not run
 * twice. False when it fails; *reached is then the step that failed. */
static bool survives(const test_script *script, bool quiet, uint32_t *reached)
{
    volatile uint32_t *counter = shared_counter();
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        is_quiet = quiet;
        test_fail_hook = end_child;
        if (quiet && freopen("/dev/null", "w", stderr) == NULL)
            _Exit(EXIT_FAILURE);
        play(script, counter, quiet ? TRY_SECONDS : STEP_SECONDS);
        _Exit(EXIT_SUCCESS);
    }
    CHECK(waitpid(child, &status, 0) == child);
    *reached = *counter;
    if (!quiet && WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d%s\n", WTERMSIG(status),
                WTERMSIG(status) == SIGPROF ? ": the step takes too long" : "");
    return status == 0;
}

static bool fails(const test_script *script, time_t deadline)
{
    uint32_t reached;
    return time(NULL) < deadline && !survives(script, true, &reached);
}

/* Leaves out `size` steps from `start` and the step `other`, if the rest still fails. */
static bool leave_out(test_script *script, uint32_t start, uint32_t size, uint32_t other,
                      time_t deadline)
{
    test_script rest = {script->subject, calloc(script->count, sizeof(test_step)), 0};
    CHECK(rest.steps != NULL);
    for (uint32_t i = 0; i < script->count; i++)
        if ((i < start || i - start >= size) && i != other)
            rest.steps[rest.count++] = script->steps[i];
    bool shorter = fails(&rest, deadline);
    if (shorter) {
        memcpy(script->steps, rest.steps, rest.count * sizeof *rest.steps);
        script->count = rest.count;
    }
    free(rest.steps);
    return shorter;
}

/* Leaves out chunks from the back, large ones first, then any two steps, such as an insert and its
 * erase. */
static void drop_steps(test_script *script, time_t deadline)
{
    for (uint32_t size = script->count / 2; size > 0; size /= 2)
        for (uint32_t end = script->count; end > size; end -= size)
            leave_out(script, end - size, size, end - size, deadline);
    if (script->count > FEW_STEPS)
        return;
    for (uint32_t i = script->count; i-- > 2;)
        for (uint32_t k = i; k-- > 1;)
            if (leave_out(script, i, 1, k, deadline)) {
                i = script->count;
                break;
            }
}

/* Lowers one argument as far as the script still fails: by all of it, by half, ... down to one, and
 * after each success by twice as much. */
static bool lower(const test_script *script, uint32_t *argument, time_t deadline)
{
    uint32_t first = *argument, less = first;
    while (less > 0) {
        uint32_t before = *argument;
        *argument -= less <= before ? less : 0;
        if (*argument != before && fails(script, deadline)) {
            less = less <= UINT32_MAX / 2 ? less * 2 : less;
        } else {
            *argument = before;
            less /= 2;
        }
    }
    return *argument != first;
}

static bool lower_arguments(test_script *script, time_t deadline)
{
    bool lowered = false;
    for (uint32_t i = 0; i < script->count; i++)
        for (uint32_t k = 0; k < TEST_ARGUMENTS; k++)
            lowered |= lower(script, &script->steps[i].arguments[k], deadline);
    return lowered;
}

void test_script_run(test_script *script)
{
    uint32_t reached, steps = script->count;
    const char *in_process = getenv("HM_TEST_IN_PROCESS");
    if (in_process != NULL && strcmp(in_process, "1") == 0) {
        test_script_play(script);
        return;
    }
    if (survives(script, false, &reached))
        return;
    fprintf(stderr, "step %" PRIu32 " of %" PRIu32 " failed; shrinking\n", reached, steps);
    time_t deadline = time(NULL) + SHRINK_SECONDS;
    script->count = reached + 1;
    do
        drop_steps(script, deadline);
    while (lower_arguments(script, deadline) && time(NULL) < deadline);
    fprintf(stderr, "a short script fails as follows:\n");
    survives(script, false, &reached);
    fprintf(stderr, "---- save these lines; %s=FILE plays them ----\n", given_script);
    test_script_print(script);
    fprintf(stderr, "----\n");
    test_fail(__FILE__, __LINE__, "the script survives");
}

#else

void test_script_run(test_script *script)
{
    test_script_play(script);
}

#endif

/* Draws the weights for the next steps: some operations become more frequent, some are left out. */
static uint32_t draw_mood(const test_subject *subject, uint32_t weights[TEST_OPERATIONS],
                          uint64_t *random)
{
    static const uint32_t factors[] = {0, 1, 1, 4};
    uint32_t total = 0;
    while (total == 0)
        for (uint32_t i = 0; i < subject->operation_count; i++) {
            weights[i] = subject->operations[i].weight * factors[test_random_below(random, 4)];
            total += weights[i];
        }
    return total;
}

test_script test_script_draw(const test_subject *subject, const uint32_t begin[TEST_ARGUMENTS],
                             uint32_t operations, uint64_t *random)
{
    uint32_t weights[TEST_OPERATIONS], total = 0;
    test_script script = {subject, calloc(operations + 1, sizeof(test_step)), operations + 1};
    CHECK(script.steps != NULL && subject->operation_count <= TEST_OPERATIONS);
    memcpy(script.steps[0].arguments, begin, sizeof script.steps[0].arguments);
    for (uint32_t i = 0; i < operations; i++) {
        test_step *step = &script.steps[i + 1];
        if (i % MOOD_STEPS == 0)
            total = draw_mood(subject, weights, random);
        uint32_t choice = test_random_below(random, total);
        for (; choice >= weights[step->operation]; step->operation++)
            choice -= weights[step->operation];
        for (uint32_t k = 0; k < TEST_ARGUMENTS; k++)
            step->arguments[k] = (uint32_t)test_random(random);
    }
    return script;
}

void test_run_random(const test_subject *subject, const uint32_t begin[TEST_ARGUMENTS],
                     uint32_t operations, uint64_t *random)
{
    test_script script = test_script_draw(subject, begin, operations, random);
    test_script_run(&script);
    free(script.steps);
}

static uint32_t operation_called(const test_subject *subject, const char *name)
{
    uint32_t i = 0;
    while (i < subject->operation_count && strcmp(subject->operations[i].name, name) != 0)
        i++;
    return i;
}

bool test_run_given(const test_subject *subject)
{
    const char *path = getenv(given_script);
    if (path == NULL)
        return false;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    test_script script = {subject, NULL, 0};
    char line[LINE_SIZE], name[LINE_SIZE];
    bool ours = true;
    while (ours && fgets(line, sizeof line, file) != NULL) {
        script.steps = realloc(script.steps, (script.count + 1) * sizeof *script.steps);
        CHECK(script.steps != NULL);
        test_step *step = &script.steps[script.count];
        uint32_t *arguments = step->arguments;
        CHECK(sscanf(line, "%s %" SCNu32 " %" SCNu32 " %" SCNu32, name, &arguments[0],
                     &arguments[1], &arguments[2]) == 1 + TEST_ARGUMENTS);
        step->operation = operation_called(subject, name);
        if (script.count++ == 0)
            ours = strcmp(name, subject->name) == 0;
        else
            CHECK(step->operation < subject->operation_count);
    }
    fclose(file);
    if (ours)
        test_script_play(&script);
    free(script.steps);
    return ours;
}

/* SPDX-License-Identifier: MIT */
/* What both runners share: the end of death tests, the seed of random numbers, and the scale of
 * loops. */
#include "test.h"

#include <handle_map/base.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends at once, so that memory that the test has not freed is not reported as a leak. */
static void end_as_expected(const char *file, int line, const char *message)
{
    (void)file;
    (void)line;
    (void)message;
    _Exit(TEST_PANIC_EXIT_CODE);
}

void test_expect_panic(void)
{
    hm_set_panic_hook(end_as_expected);
}

static const char *expected_file, *expected_message;

static bool is_expected(const char *file, const char *message)
{
    bool is_there = strstr(file, expected_file) != NULL;
#ifdef HM_TEST_ONE_FILE
    is_there = is_there || strstr(file, "handle_map.") != NULL; /* all of the library is there */
#endif
    return is_there && strncmp(message, expected_message, strlen(expected_message)) == 0;
}

static void end_if_expected(const char *file, int line, const char *message)
{
    (void)line;
    _Exit(is_expected(file, message) ? TEST_PANIC_EXIT_CODE : EXIT_FAILURE);
}

void test_expect_panic_of(const char *file, const char *message)
{
    expected_file = file;
    expected_message = message;
    hm_set_panic_hook(end_if_expected);
}

#if !defined(__wasm__)
jmp_buf test_panicked;

static void jump_if_expected(const char *file, int line, const char *message)
{
    if (!is_expected(file, message))
        test_fail(file, line, message);
    hm_set_panic_hook(NULL);
    longjmp(test_panicked, 1);
}

void test_catch_panic_of(const char *file, const char *message)
{
    expected_file = file;
    expected_message = message;
    hm_set_panic_hook(jump_if_expected);
}
#endif

void (*test_fail_hook)(const char *file, int line, const char *condition);

uint32_t test_scale(void)
{
    static uint32_t scale;
    if (scale == 0) {
        const char *text = getenv("HM_TEST_SCALE");
        unsigned long long divisor = text != NULL ? strtoull(text, NULL, 10) : 1;
        CHECK(divisor >= 1 && divisor <= UINT32_MAX);
        scale = (uint32_t)divisor;
    }
    return scale;
}

uint32_t test_scaled(uint32_t n)
{
    return n > test_scale() ? n / test_scale() : 1;
}

void test_leave_out(const char *what)
{
    fprintf(stderr, "left out: %s\n", what);
}

uint64_t test_seed(const char *what)
{
    const char *text = getenv("HM_TEST_SEED");
    uint64_t seed;
    if (text != NULL) {
        char *end;
        seed = strtoull(text, &end, 10);
        CHECK(end != text && *end == '\0');
    } else {
        uint64_t state = (uint64_t)time(NULL) << 20 ^ (uint64_t)clock();
        seed = test_random(&state) >> 32; /* short enough to type */
    }
    fprintf(stderr, "seed of %s: %" PRIu64 " (HM_TEST_SEED=%" PRIu64 " repeats it)\n", what, seed,
            seed);
    return seed;
}

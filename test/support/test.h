/* SPDX-License-Identifier: MIT */
/* One interface to two runners: Criterion (HM_TEST_CRITERION), and a plain main where Criterion
 * does not run (sanitizers for threads and memory, emulators, wine).
 *
 *     TEST(suite, a_sentence_that_holds) { ... CHECK(condition); ... }
 *     DEATH_TEST(suite, a_sentence_that_panics) { ... a broken contract ... }
 *
 * A death test passes when the panic hook is reached. The hook ends the process with code 97, which
 * no sanitizer and no signal produces, so that a crash is not mistaken for a panic. */
#ifndef TEST_SUPPORT_TEST_H
#define TEST_SUPPORT_TEST_H

#include "budget.h"

#include <stdbool.h>
#include <stdint.h>

#define TEST_PANIC_EXIT_CODE 97

/* Sanitizers keep shadow memory and quarantines, and end the process when memory is refused. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define TEST_HAS_SANITIZER 1
#endif
#endif
#ifndef TEST_HAS_SANITIZER
#define TEST_HAS_SANITIZER 0
#endif

/* Installs the panic hook that ends the process with TEST_PANIC_EXIT_CODE. */
void test_expect_panic(void);

/* The same, but only for a panic in a file of this name with a message that begins so. */
void test_expect_panic_of(const char *file, const char *message);

/* Fails the test unless the call panics in a file of this name with a message that begins so. The
 * test goes on, since a panic hook jumps out of the call: that is for contracts that are checked
 * before anything is taken or changed. WebAssembly has no such jump. */
#if defined(__wasm__)
#define CHECK_PANICS(file, message, call)                                                          \
    (false ? (void)(call) : test_leave_out("calls that panic"))
#else
#include <setjmp.h>
extern jmp_buf test_panicked;
void test_catch_panic_of(const char *file, const char *message);
#define CHECK_PANICS(file, message, call)                                                          \
    do {                                                                                           \
        test_catch_panic_of(file, message);                                                        \
        if (setjmp(test_panicked) == 0) {                                                          \
            (void)(call);                                                                          \
            test_fail(__FILE__, __LINE__, "panics: " message);                                     \
        }                                                                                          \
    } while (0)
#endif

#ifdef HM_TEST_CRITERION

#include <criterion/criterion.h>

#define TEST(suite, name) Test(suite, name)
#define DEATH_TEST(suite, name)                                                                    \
    Test(suite, name, .init = test_expect_panic, .exit_code = TEST_PANIC_EXIT_CODE)

#else

typedef struct test_case {
    const char *suite, *name;
    void (*run)(void);
    bool expects_panic;
    struct test_case *next;
} test_case;

void test_register(test_case *test);

#define TEST_CASE(suite, name, expects_panic)                                                      \
    static void suite##_##name(void);                                                              \
    static test_case suite##_##name##_case = {#suite, #name, suite##_##name, expects_panic, 0};    \
    __attribute__((constructor)) static void suite##_##name##_register(void)                       \
    {                                                                                              \
        test_register(&suite##_##name##_case);                                                     \
    }                                                                                              \
    static void suite##_##name(void)
#define TEST(suite, name) TEST_CASE(suite, name, false)
#define DEATH_TEST(suite, name) TEST_CASE(suite, name, true)

#endif

/* Ends the test as failed. */
void test_fail(const char *file, int line, const char *condition);

/* If set, test_fail calls this first; it does not return, but ends a child (runner.h). */
extern void (*test_fail_hook)(const char *file, int line, const char *condition);

/* An expression that costs only a branch if it holds, since tests check it millions of times. */
#define CHECK(condition) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, #condition))

/* Returns a seed for this run, printed to stderr under `what`: HM_TEST_SEED if set, else from the
 * clock. */
uint64_t test_seed(const char *what);

/* Returns HM_TEST_SCALE, or 1 if it is not set. The plain runner reports it, since less is tested
 * if it is above 1. */
uint32_t test_scale(void);

/* Returns how many rounds a long loop runs: n, or where that is slow, as under an emulator, n
 * divided by test_scale(), but at least 1. */
uint32_t test_scaled(uint32_t n);

/* Returns the number of the call to refuse after the k-th: of those beyond the first, which are
 * often alike, a part if long loops are shortened. Its step is odd, since tests do with every other
 * number something else. */
static inline uint32_t test_next_call(uint32_t k)
{
    return k + (k < 8 ? 1 : 1 + test_scale() / 16 * 2);
}

/* Reports that a part of a test is left out, and why: nothing is left out silently. */
void test_leave_out(const char *what);

/* splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Returns a number below n; n is at least 1. */
static inline uint32_t test_random_below(uint64_t *state, uint32_t n)
{
    return ((test_random(state) >> 32) * n >> 32) & UINT32_MAX;
}

/* Defines finish(), which ends a container of this kind twice, and checks it before and after. */
#define TEST_FINISH(kind)                                                                          \
    static inline void finish(hm_##kind *made)                                                     \
    {                                                                                              \
        CHECK(hm_##kind##_validate(made) == HM_OK);                                                \
        hm_##kind##_fini(made);                                                                    \
        hm_##kind##_fini(made);                                                                    \
        CHECK(hm_##kind##_count(made) == 0 && hm_##kind##_validate(made) == HM_OK);                \
    }

#endif

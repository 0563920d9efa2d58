/* SPDX-License-Identifier: MIT */
/* The plain runner: a main for the places where Criterion does not run.
 *
 *     program             runs all tests
 *     program text...     runs those whose "suite.name" contains one of the texts
 *     program -text...    leaves out those whose name contains one of the texts, and says so
 *
 * The tests of a suite run one after the other in a child, and a death test in one of its own. When
 * a child does not end as it should, each of its tests runs again in its own, to see which fails:
 * so one that crashes fails alone. What they leave behind ends with the child: an emulator keeps a
 * record of each page that a process ever reserved. The child is a fork, or on Windows and in
 * WebAssembly this program again with --run=first:last. Tests that take LONG_SECONDS and more are
 * named with their time, which judges nothing.
 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(_WIN32)
#include <process.h>
#elif !defined(__wasm__)
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { NAME_SIZE = 256, LONG_SECONDS = 10 };

static const char run_option[] = "--run=";

static test_case *first_test;

static void full_name(const test_case *test, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s.%s", test->suite, test->name);
}

static bool is_less(const test_case *a, const test_case *b)
{
    int order = strcmp(a->suite, b->suite);
    return order < 0 || (order == 0 && strcmp(a->name, b->name) < 0);
}

void test_register(test_case *test)
{
    test->next = first_test;
    first_test = test;
}

/* Sorted, because the order in which constructors run is the linker's choice. */
static void sort_tests(void)
{
    test_case *unsorted = first_test;
    first_test = NULL;
    while (unsorted != NULL) {
        test_case *test = unsorted, **place = &first_test;
        unsorted = test->next;
        while (*place != NULL && is_less(*place, test))
            place = &(*place)->next;
        test->next = *place;
        *place = test;
    }
}

void test_fail(const char *file, int line, const char *condition)
{
    if (test_fail_hook != NULL)
        test_fail_hook(file, line, condition);
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    exit(EXIT_FAILURE);
}

/* Some tests, one after the other. */
typedef struct test_row {
    const test_case *first, *last;
} test_row;

/* Runs in a child. Only the panic hook ends a death test with the expected code. */
_Noreturn static void run_to_end(test_row row)
{
    if (row.first->expects_panic)
        test_expect_panic();
    for (const test_case *test = row.first;; test = test->next) {
        time_t begin = time(NULL);
        test->run();
        if (time(NULL) - begin >= LONG_SECONDS)
            printf("%s.%s took %ld s\n", test->suite, test->name, (long)(time(NULL) - begin));
        if (test == row.last)
            exit(test->expects_panic ? EXIT_FAILURE : EXIT_SUCCESS);
    }
}

#if defined(_WIN32) || defined(__wasm__)

#if defined(__wasm__)
/* Runs this program again, from its start and with only this argument, in a memory of its own.
 * Returns its exit code, or -1 when it trapped. */
__attribute__((import_module("env"), import_name("run_again"))) int run_again(const char *argument);
#else
static int run_again(const char *argument)
{
    /* argv[0] is a plain word, since _spawnv does not quote a path with spaces. */
    const char *const arguments[] = {"test", argument, NULL};
    int code = -1;
    /* -1: it could not be started, as happens once in a thousand times under a busy wine. */
    for (int tries = 0; tries < 3 && code == -1; tries++)
        code = (int)_spawnv(_P_WAIT, _pgmptr, arguments);
    return code;
}
#endif

/* Returns the child's exit code, or -1. */
static int child_exit_code(test_row row)
{
    char option[sizeof run_option + 2 * NAME_SIZE], first[NAME_SIZE], last[NAME_SIZE];
    full_name(row.first, first);
    full_name(row.last, last);
    snprintf(option, sizeof option, "%s%s:%s", run_option, first, last);
    return run_again(option);
}

#else

/* Returns the child's exit code, or -1 when it did not exit by itself. */
static int child_exit_code(test_row row)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        run_to_end(row);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

#endif

static bool passes(test_row row)
{
    int expected = row.first->expects_panic ? TEST_PANIC_EXIT_CODE : EXIT_SUCCESS;
    fflush(NULL); /* so that a child does not print our output again */
    int code = child_exit_code(row);
    if (code != expected)
        fprintf(stderr, "ended with exit code %d, not with %d\n", code, expected);
    return code == expected;
}

/* Returns how many tests fail alone; at least 1 if the row does not pass. */
static unsigned count_failed(test_row row)
{
    unsigned failed = 0;
    if (passes(row))
        return 0;
    if (row.first != row.last)
        fprintf(stderr, "each test of %s alone, to see which fails\n", row.first->suite);
    for (const test_case *test = row.first;; test = test->next) {
        if (row.first == row.last || !passes((test_row){test, test})) {
            failed++;
            printf("FAILED %s.%s\n", test->suite, test->name);
        }
        if (test == row.last)
            break;
    }
    if (failed > 0)
        return failed;
    printf("FAILED %s: each test passes alone, but not one after the other\n", row.first->suite);
    return 1;
}

static bool is_chosen(const char *name, char **arguments)
{
    bool names_some = false;
    for (; *arguments != NULL; arguments++) {
        if (**arguments != '-' && strstr(name, *arguments) != NULL)
            return true;
        names_some |= **arguments != '-';
    }
    return !names_some;
}

static bool is_left_out(const char *name, char **arguments)
{
    for (; *arguments != NULL; arguments++)
        if (**arguments == '-' && strstr(name, *arguments + 1) != NULL)
            return true;
    return false;
}

/* Whether the next test runs in the same child. */
static bool goes_on(const test_case *test, char **arguments)
{
    const test_case *next = test->next;
    if (next == NULL || test->expects_panic || next->expects_panic ||
        strcmp(test->suite, next->suite) != 0)
        return false;
    char name[NAME_SIZE];
    full_name(next, name);
    return is_chosen(name, arguments) && !is_left_out(name, arguments);
}

/* The child that is this program again: `names` are those of the first and last test. */
static void run_named(const char *names)
{
    test_row row = {NULL, NULL};
    for (const test_case *test = first_test; test != NULL; test = test->next) {
        char name[NAME_SIZE];
        full_name(test, name);
        size_t length = strlen(name);
        if (strncmp(names, name, length) == 0 && names[length] == ':')
            row.first = test;
        if (row.first != NULL && strcmp(strchr(names, ':') + 1, name) == 0) {
            row.last = test;
            run_to_end(row);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned run = 0, failed = 0;
    sort_tests();
    if (argc > 1 && strncmp(argv[1], run_option, strlen(run_option)) == 0) {
        run_named(argv[1] + strlen(run_option));
        return EXIT_FAILURE; /* There are no such tests. */
    }
    if (test_scale() > 1)
        fprintf(stderr, "long loops run 1/%" PRIu32 " of their rounds\n", test_scale());
    test_row row;
    for (const test_case *test = first_test; test != NULL; test = row.last->next) {
        char name[NAME_SIZE];
        full_name(test, name);
        row = (test_row){test, test};
        if (!is_chosen(name, argv + 1))
            continue;
        if (is_left_out(name, argv + 1)) {
            test_leave_out(name);
            continue;
        }
        for (run++; goes_on(row.last, argv + 1); run++)
            row.last = row.last->next;
        failed += count_failed(row);
    }
    /* To run nothing is a failure too: a filter without a match must not look like success. */
    printf("%u tests, %u failed\n", run, failed);
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: MIT */
/* The plain runner: a main for the places where Criterion does not run.
 *
 *     program             runs all tests
 *     program text...     runs those whose "suite.name" contains one of the texts
 *     program -text...    leaves out those whose name contains one of the texts, and says so
 *
 * Each test runs in a child, so that one that crashes fails alone, and so that what it leaves
 * behind ends with it: an emulator keeps a record of each page that a process ever reserved. The
 * child is a fork, or on Windows and in WebAssembly this program again with --run=suite.name. Tests
 * that take LONG_SECONDS and more are named with their time, which judges nothing. */
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

/* Sorted, because the order in which constructors run is the linker's choice. A child that is this
 * program again needs no order, and there is one for each test. */
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

/* Runs in a child. Only the panic hook ends a death test with the expected code. */
_Noreturn static void run_to_end(const test_case *test)
{
    if (test->expects_panic)
        test_expect_panic();
    test->run();
    exit(test->expects_panic ? EXIT_FAILURE : EXIT_SUCCESS);
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
static int child_exit_code(const test_case *test)
{
    char option[sizeof run_option + NAME_SIZE];
    char name[NAME_SIZE];
    full_name(test, name);
    snprintf(option, sizeof option, "%s%s", run_option, name);
    return run_again(option);
}

#else

/* Returns the child's exit code, or -1 when it did not exit by itself. */
static int child_exit_code(const test_case *test)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        run_to_end(test);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

#endif

static bool passes(const test_case *test)
{
    int expected = test->expects_panic ? TEST_PANIC_EXIT_CODE : EXIT_SUCCESS;
    fflush(NULL); /* so that a child does not print our output again */
    int code = child_exit_code(test);
    if (code != expected)
        fprintf(stderr, "ended with exit code %d, not with %d\n", code, expected);
    return code == expected;
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

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    bool is_child = strncmp(first, run_option, strlen(run_option)) == 0;
    unsigned run = 0, failed = 0;
    if (!is_child)
        sort_tests();
    if (!is_child && test_scale() > 1)
        fprintf(stderr, "long loops run 1/%" PRIu32 " of their rounds\n", test_scale());
    for (const test_case *test = first_test; test != NULL; test = test->next) {
        char name[NAME_SIZE];
        full_name(test, name);
        if (is_child && strcmp(name, first + strlen(run_option)) == 0)
            run_to_end(test);
        if (is_child || !is_chosen(name, argv + 1))
            continue;
        if (is_left_out(name, argv + 1)) {
            test_leave_out(name);
            continue;
        }
        run++;
        time_t begin = time(NULL);
        if (!passes(test)) {
            failed++;
            printf("FAILED %s\n", name);
        }
        if (time(NULL) - begin >= LONG_SECONDS)
            printf("%s took %ld s\n", name, (long)(time(NULL) - begin));
    }
    /* To run nothing is a failure too: a filter without a match must not look like success. */
    printf("%u tests, %u failed\n", run, failed);
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

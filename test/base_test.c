/* SPDX-License-Identifier: MIT */
/* base: status names, the panic hook, and how a broken contract ends the program. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "support/test.h"

#include <handle_map/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__wasm__)
#include <signal.h>
#endif
#if !defined(_WIN32) && !defined(__wasm__)
#include <unistd.h>
#endif

TEST(base, every_status_has_its_name)
{
    CHECK(strcmp(hm_status_name(HM_OK), "HM_OK") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_INVALID), "HM_ERROR_INVALID") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_MEMORY), "HM_ERROR_MEMORY") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_FULL), "HM_ERROR_FULL") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_STALE), "HM_ERROR_STALE") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_BUSY), "HM_ERROR_BUSY") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_CORRUPT), "HM_ERROR_CORRUPT") == 0);
    CHECK(strcmp(hm_status_name(HM_ERROR_IO), "HM_ERROR_IO") == 0);
}

TEST(base, a_number_that_is_no_status_is_called_unknown)
{
    const int numbers[] = {-1, HM_ERROR_IO + 1, 1000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK(strcmp(hm_status_name((hm_status)numbers[i]), "unknown status") == 0);
}

#if !defined(__wasm__)

/* The arguments that the recording hook was called with. */
static const char *seen_file, *seen_message;
static int seen_line;

static void record(const char *file, int line, const char *message)
{
    seen_file = file;
    seen_line = line;
    seen_message = message;
}

static int expected_line; /* what `seen_line` should be */

/* Called for SIGABRT, which abort raises in this very thread, so exit is safe here. Ends the test
 * as a panic should end only if the hook has run before. */
static void end_if_recorded(int signal_number)
{
    (void)signal_number;
    bool recorded = seen_message != NULL && strcmp(seen_message, "a sentence") == 0 &&
                    strcmp(seen_file, __FILE__) == 0 && seen_line == expected_line;
    exit(recorded ? TEST_PANIC_EXIT_CODE : EXIT_FAILURE);
}

DEATH_TEST(base, a_panic_tells_the_hook_and_then_aborts)
{
    signal(SIGABRT, end_if_recorded);
    hm_set_panic_hook(record);
    expected_line = 12;
    hm_panic(__FILE__, 12, "a sentence");
}

DEATH_TEST(base, a_broken_contract_names_its_place)
{
    signal(SIGABRT, end_if_recorded);
    hm_set_panic_hook(record);
    expected_line = __LINE__ + 1;
    HM_CONTRACT(expected_line == 0, "a sentence");
}

#else

TEST(base, a_panic_ends_in_abort)
{
    test_leave_out("that a panic aborts after its hook: abort raises no signal in WebAssembly");
}

#endif

#if !defined(_WIN32) && !defined(__wasm__)

/* The default hook writes to stderr, which is redirected to this file. */
static FILE *standard_error;

static void end_if_printed(int signal_number)
{
    (void)signal_number;
    char line[256] = "", more[2] = "";
    rewind(standard_error);
    bool printed = fgets(line, sizeof line, standard_error) != NULL &&
                   strstr(line, "place.c") != NULL && strstr(line, "12") != NULL &&
                   strstr(line, "a sentence") != NULL && strchr(line, '\n') != NULL &&
                   fgets(more, sizeof more, standard_error) == NULL;
    exit(printed ? TEST_PANIC_EXIT_CODE : EXIT_FAILURE);
}

DEATH_TEST(base, without_a_hook_a_panic_prints_one_line_and_aborts)
{
    standard_error = tmpfile();
    CHECK(standard_error != NULL);
    CHECK(dup2(fileno(standard_error), STDERR_FILENO) == STDERR_FILENO);
    signal(SIGABRT, end_if_printed);
    hm_set_panic_hook(record);
    hm_set_panic_hook(NULL);
    hm_panic("place.c", 12, "a sentence");
}

#elif defined(__wasm__)

TEST(base, without_a_hook_a_panic_prints_one_line)
{
    test_leave_out("the line that a panic prints: there is no file to catch it in");
}

#endif

TEST(base, the_version_is_that_of_the_headers)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", HM_VERSION_MAJOR, HM_VERSION_MINOR,
             HM_VERSION_PATCH);
    CHECK(strcmp(hm_version(), version) == 0);
}

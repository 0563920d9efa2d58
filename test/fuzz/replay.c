/* SPDX-License-Identifier: MIT */
/* Runs files that the fuzzer wrote as scripts, with the runner: each in a child, shrunk and printed
 * when it fails. Needs no fuzzer, so it works with any compiler.
 *
 *     fuzz_replay TARGET FILE...
 *     fuzz_replay --corpus FOLDER     FOLDER/TARGET/FILE of all targets, and none may be empty */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, FILE_LIMIT = 1 << 16 };

static const char *playing; /* the file, for messages */

/* Ends the program; the runner has printed the script. */
void test_fail(const char *file, int line, const char *condition)
{
    if (test_fail_hook != NULL)
        test_fail_hook(file, line, condition);
    fprintf(stderr, "%s:%d: %s: this does not hold: %s\n", file, line, playing, condition);
    exit(EXIT_FAILURE);
}

static void replay_file(const fuzz_target *target, const char *path)
{
    static test_step steps[FUZZ_STEPS + 1];
    static uint8_t data[FILE_LIMIT];
    playing = path;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(data, 1, sizeof data, file);
    CHECK(ferror(file) == 0);
    fclose(file);
    test_script script = fuzz_decode(target, data, size, steps);
    test_script_run(&script);
}

static void replay_corpus(const fuzz_target *target, const char *folder)
{
    char path[PATH_SIZE];
    unsigned files = 0;
    snprintf(path, sizeof path, "%s/%s", folder, target->name);
    playing = path;
    DIR *corpus = opendir(path);
    CHECK(corpus != NULL);
    for (const struct dirent *entry = readdir(corpus); entry != NULL; entry = readdir(corpus)) {
        if (entry->d_name[0] == '.')
            continue;
        CHECK(snprintf(path, sizeof path, "%s/%s/%s", folder, target->name, entry->d_name) <
              PATH_SIZE);
        replay_file(target, path);
        files++;
    }
    closedir(corpus);
    CHECK(files > 0);
    printf("%s: %u scripts\n", target->name, files);
}

int main(int argc, char **argv)
{
    const fuzz_target *target = argc > 2 ? fuzz_find_target(argv[1]) : NULL;
    if (argc == 3 && strcmp(argv[1], "--corpus") == 0) {
        for (target = fuzz_targets; target->name != NULL; target++)
            replay_corpus(target, argv[2]);
        return EXIT_SUCCESS;
    }
    if (target == NULL) {
        fprintf(stderr, "usage: fuzz_replay TARGET FILE... | fuzz_replay --corpus FOLDER\n");
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i++)
        replay_file(target, argv[i]);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Files of version 0.3, one of each kind, as a test on x86-64 wrote them. Every machine writes the
 * same bytes after the same calls, and every later version reads them. */
#include "saves.h"

#include <stdio.h>

enum { GOLDEN_STEPS = 30, GOLDEN_SIZE = 4000 };

static const struct {
    const saved_kind *kind;
    uint64_t seed;      /* of the calls; one that makes a small file */
    const char *digits; /* hexadecimal */
} files[] = {
#include "golden.h"
};

static size_t read_digits(const char *digits, unsigned char *bytes)
{
    size_t size = strlen(digits) / 2;
    CHECK(size <= GOLDEN_SIZE);
    for (size_t i = 0; i < size; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return size;
}

/* Prints a file as golden.h has it. */
static void print_digits(const test_file *file)
{
    for (size_t i = 0; i < file->size; i++)
        fprintf(stderr, "%s%02x%s", i % 44 == 0 ? "    \"" : "", (unsigned)file->bytes[i],
                i % 44 == 43 || i + 1 == file->size ? "\"\n" : "");
}

TEST(save_golden, files_of_version_0_3_are_written_and_read_on_every_machine)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        static unsigned char bytes[GOLDEN_SIZE];
        const saved_kind *kind = files[i].kind;
        uint64_t random = files[i].seed;
        saved made, loaded;
        test_file written = {0}, again = {0};
        test_file golden = {.bytes = bytes, .size = read_digits(files[i].digits, bytes)};
        kind->init(&made, 1, NULL);
        for (int k = 0; k < GOLDEN_STEPS; k++)
            kind->run(&made, &random);
        CHECK(kind->save(&made, NULL, test_sink(&written)) == HM_OK);
        bool is_same =
            written.size == golden.size && memcmp(written.bytes, golden.bytes, golden.size) == 0;
        if (!is_same)
            print_digits(&written);
        CHECK(is_same);
        kind->init(&loaded, 1, NULL);
        CHECK(kind->load(&loaded, NULL, test_source(&golden)) == HM_OK);
        CHECK(kind->validate(&loaded) == HM_OK);
        kind->compare(&made, &loaded);
        CHECK(kind->save(&loaded, NULL, test_sink(&again)) == HM_OK);
        CHECK(again.size == golden.size && memcmp(again.bytes, golden.bytes, again.size) == 0);
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&written);
        test_file_end(&again);
    }
}

/* SPDX-License-Identifier: MIT */
/* Files of each version of the format, one of each kind, as a test on x86-64 wrote them. Every
 * machine writes the same bytes after the same calls, and every later version reads them. */
#include "saves.h"

#include <stdio.h>

enum { GOLDEN_STEPS = 30, GOLDEN_SIZE = 4000, FORMAT = 2 /* that is written */ };

static const struct {
    const saved_kind *kind;
    uint64_t seed;      /* of the calls; one that makes a small file */
    uint32_t format;    /* its version */
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

static bool is_same_file(const test_file *a, const test_file *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Prints a file as golden.h has it. */
static void print_digits(const test_file *file)
{
    for (size_t i = 0; i < file->size; i++)
        fprintf(stderr, "%s%02x%s", i % 44 == 0 ? "    \"" : "", (unsigned)file->bytes[i],
                i % 44 == 43 || i + 1 == file->size ? "\"\n" : "");
}

TEST(save_golden, files_of_all_versions_are_written_and_read_on_every_machine)
{
    bool is_same = true;
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
        if (files[i].format == FORMAT && !is_same_file(&written, &golden)) {
            print_digits(&written);
            is_same = false;
            continue;
        }
        kind->init(&loaded, 1, NULL);
        CHECK(kind->load(&loaded, NULL, test_source(&golden)) == HM_OK);
        CHECK(kind->validate(&loaded) == HM_OK);
        kind->compare(&made, &loaded);
        CHECK(kind->save(&loaded, NULL, test_sink(&again)) == HM_OK);
        CHECK(files[i].format != FORMAT || is_same_file(&again, &golden));
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&written);
        test_file_end(&again);
    }
    CHECK(is_same);
}

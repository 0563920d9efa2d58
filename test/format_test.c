/* SPDX-License-Identifier: MIT */
/* format: each conversion writes what snprintf writes, into buffers of every size. */
#include "../src/base/base_private.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_SIZE = 128 };

static bool is_untouched(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != '?')
            return false;
    return true;
}

/* Whether the text is what snprintf makes of the same arguments, and only the buffer's bytes are
 * written, however many there are. */
HM_PRINTF(1, 2) static bool is_as_snprintf(const char *format, ...)
{
    char expected[BUFFER_SIZE], buffer[BUFFER_SIZE + 1];
    va_list arguments;
    for (size_t size = 0; size <= BUFFER_SIZE; size++) {
        memset(buffer, '?', sizeof buffer);
        va_start(arguments, format);
        size_t length = (size_t)vsnprintf(expected, size, format, arguments);
        va_end(arguments);
        va_start(arguments, format);
        size_t returned = hm_format_list(buffer, size, format, arguments);
        va_end(arguments);
        size_t used = size == 0 ? 0 : (length < size ? length : size - 1) + 1;
        if (returned != length || (size != 0 && strcmp(buffer, expected) != 0) ||
            !is_untouched(buffer + used, sizeof buffer - used)) {
            fprintf(stderr, "'%s' with %u bytes is not as snprintf writes it\n", format,
                    (unsigned)size);
            return false;
        }
    }
    return true;
}

TEST(format, text_without_conversions_is_copied)
{
    CHECK(is_as_snprintf("%s", ""));
    CHECK(is_as_snprintf("a sentence"));
}

TEST(format, strings_end_at_their_zero_or_at_the_precision)
{
    const char open[4] = {'o', 'p', 'e', 'n'}; /* without a zero */
    CHECK(is_as_snprintf("the %s '%s'", "map", "sprites"));
    CHECK(is_as_snprintf("%.4s %.0s %.10s|", open, "none", "short"));
    CHECK(is_as_snprintf("%.32s", "a name that is longer than thirty-two characters"));
}

/* snprintf may do anything with it, so it is not asked. */
TEST(format, a_string_that_is_null_is_written_as_such)
{
    const char *volatile nothing = NULL; /* A compiler may not know. */
    char buffer[32];
    CHECK(hm_format(buffer, sizeof buffer, "the map '%s'", nothing) == 16);
    CHECK(strcmp(buffer, "the map '(null)'") == 0);
    CHECK(hm_format(buffer, sizeof buffer, "%.4s|%.0s", nothing, nothing) == 5);
    CHECK(strcmp(buffer, "(nul|") == 0);
    CHECK(hm_format(buffer, 4, "%s", nothing) == 6 && strcmp(buffer, "(nu") == 0);
}

TEST(format, numbers_of_every_type_are_written_from_their_least_to_their_greatest)
{
    const uint64_t numbers[] = {0, 1, 9, 10, 255, 4096, UINT32_MAX, UINT64_MAX / 10, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t number = numbers[i];
        CHECK(is_as_snprintf("%" HM_U32 " %" HM_X32, (uint32_t)number, (uint32_t)number));
        CHECK(is_as_snprintf("%" HM_U64 " %" HM_X64, number, number));
        CHECK(is_as_snprintf("%u %lu %llu", (unsigned)number, (unsigned long)number,
                             (unsigned long long)number));
        CHECK(is_as_snprintf("%zu %zx %lx", (size_t)number, (size_t)number, (unsigned long)number));
    }
}

TEST(format, zeros_fill_a_number_up_to_its_width)
{
    CHECK(is_as_snprintf("0x%016" HM_X64, UINT64_C(0x123456789ABC)));
    CHECK(is_as_snprintf("0x%08" HM_X32 " %02u %05u", UINT32_C(0), 7U, 123456U));
    CHECK(is_as_snprintf("%016" HM_X64, UINT64_MAX));
}

TEST(format, a_sentence_is_cut_at_the_end_of_the_buffer)
{
    char buffer[8];
    CHECK(hm_format(buffer, sizeof buffer, "slot %u of '%s'", 12U, "sprites") == 20);
    CHECK(strcmp(buffer, "slot 12") == 0);
}

static size_t format_with(const char *format, ...)
{
    char buffer[BUFFER_SIZE];
    va_list arguments;
    va_start(arguments, format);
    size_t length = hm_format_list(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return length;
}

TEST(format, a_width_may_be_zero)
{
    CHECK(format_with("%00u", 7U) == 1);
}

DEATH_TEST(format, a_conversion_that_is_not_known)
{
    (void)format_with("%f", 1.0);
}

DEATH_TEST(format, a_long_signed_number)
{
    (void)format_with("%ld", 1L);
}

DEATH_TEST(format, a_width_without_zeros)
{
    (void)format_with("%8u", 1U);
}

/* SPDX-License-Identifier: MIT */
/* What the last error says, and a mark by which a test sees that nothing has failed since. */
#ifndef TEST_SUPPORT_LAST_ERROR_H
#define TEST_SUPPORT_LAST_ERROR_H

#include "test.h"

#include <handle_map/array.h>

#include <stdio.h>
#include <string.h>

static inline bool says(const char *sentence)
{
    bool equal = strcmp(hm_last_error(), sentence) == 0;
    if (!equal)
        fprintf(stderr, "the last error is: %s\n", hm_last_error());
    return equal;
}

/* Whether it says this of the init of a container that the program has given this name, or NULL. */
static inline bool says_of_init(const char *kind, const char *name, const char *sentence)
{
    char whole[160];
    const char *quote = name != NULL ? "'" : "";
    snprintf(whole, sizeof whole, "hm_%s_init: %s%s%s%s%s", kind, quote, name != NULL ? name : "",
             quote, name != NULL ? ": " : "", sentence);
    return says(whole);
}

/* Whether it names the init of this kind of container. */
static inline bool is_of_init(const char *kind)
{
    char start[40];
    snprintf(start, sizeof start, "hm_%s_init: ", kind);
    return strncmp(hm_last_error(), start, strlen(start)) == 0;
}

static inline bool mentions(const char *part)
{
    bool is_there = strstr(hm_last_error(), part) != NULL;
    if (!is_there)
        fprintf(stderr, "the last error is: %s\n", hm_last_error());
    return is_there;
}

/* Whether it says that memory was refused, and ends so. */
static inline bool tells_refusal(const char *end)
{
    const char *text = hm_last_error();
    size_t length = strlen(text), tail = strlen(end);
    bool is_told = strstr(text, " bytes was refused: ") != NULL && length > tail &&
                   strcmp(text + length - tail, end) == 0;
    if (!is_told)
        fprintf(stderr, "'%s' should end with '%s'\n", text, end);
    return is_told;
}

/* Whether it was address space that was refused, and not memory. */
static inline bool tells_reservation(void)
{
    return strstr(hm_last_error(), "a reservation of ") != NULL;
}

/* Leaves a message that no other failure leaves. */
static inline void mark(void)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 77, .item_align = 2}) ==
          HM_ERROR_INVALID);
}

static inline bool is_marked(void)
{
    return says("hm_array_init: item_size 77 is not a multiple of item_align 2");
}

#endif

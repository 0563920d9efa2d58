/* SPDX-License-Identifier: MIT */
/* What the tests of validate share: a function that breaks one thing of a container, by number, and
 * the sentence in which validate must tell it.
 *
 *     static int damage(hm_map *map, int how)
 *     {
 *         int number = 0;
 *         DAMAGE("the id table's counts and arrays disagree", map->ids.count += 1000);
 *         DAMAGE("the entry of slot 2 is damaged", map->ids.entries[2].bits++);
 *         return number;
 *     }
 *
 * It returns how many there are, so that a loop over them knows where to end. */
#ifndef TEST_SUPPORT_DAMAGE_H
#define TEST_SUPPORT_DAMAGE_H

#include "test.h"

#include <handle_map/base.h>

#include <stdio.h>
#include <string.h>

static const char *damage_done, *damage_sentence;

#define DAMAGE(sentence, ...)                                                                      \
    do {                                                                                           \
        if (how == number++) {                                                                     \
            damage_done = #__VA_ARGS__;                                                            \
            damage_sentence = (sentence);                                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

/* Whether validate, which returned this, has told the damage that was done last. */
static inline bool is_told(hm_status validated)
{
    bool told = validated == HM_ERROR_CORRUPT && strstr(hm_last_error(), damage_sentence) != NULL;
    if (!told)
        fprintf(stderr, "after %s validate returned %d, and the last error is: %s\n", damage_done,
                (int)validated, hm_last_error());
    return told;
}

#endif

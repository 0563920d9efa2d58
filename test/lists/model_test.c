/* SPDX-License-Identifier: MIT */
/* Random operations on lists against the naive model of lists_model.h, with everything compared
 * after each one: over all layouts, pages and limits. */
#include "support/lists_model.h"

#include "support/layout.h"

enum {
    OPERATIONS = 300000, /* in all, in two tests that run at once */
    EPISODE = 600        /* operations on the same lists */
};

/* Runs every other layout from `part` on. */
static void run_part(const char *what, uint32_t part)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS / 2);
    if (test_run_given(&lists_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t layout = part; operations < wanted; layout += 2) {
        uint32_t start[] = {layout, (uint32_t)test_random(&random), (uint32_t)test_random(&random)};
        test_run_random(&lists_subject, start, EPISODE, &random);
        operations += EPISODE;
    }
}

TEST(lists_model, lists_agree_with_the_model_part_1)
{
    run_part("lists_model part 1", 0);
}

TEST(lists_model, lists_agree_with_the_model_part_2)
{
    run_part("lists_model part 2", 1);
}

/* SPDX-License-Identifier: MIT */
/* Random operations on a secondary against the naive model of secondary_model.h, with everything
 * compared after each one: over all layouts, pages, hooks and index spaces. */
#include "support/secondary_model.h"

#include "support/layout.h"

enum {
    OPERATIONS = 300000, /* in all, in two tests that run at once */
    EPISODE = 600        /* operations on one secondary */
};

/* Runs every other layout from `part` on. */
static void run_part(const char *what, uint32_t part)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS / 2);
    if (test_run_given(&secondary_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t layout = part; operations < wanted; layout += 2) {
        uint32_t start[] = {layout, (uint32_t)test_random(&random), (uint32_t)test_random(&random)};
        test_run_random(&secondary_subject, start, EPISODE, &random);
        operations += EPISODE;
    }
}

TEST(secondary_model, the_secondary_agrees_with_the_model_part_1)
{
    run_part("secondary_model part 1", 0);
}

TEST(secondary_model, the_secondary_agrees_with_the_model_part_2)
{
    run_part("secondary_model part 2", 1);
}

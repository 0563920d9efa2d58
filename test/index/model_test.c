/* SPDX-License-Identifier: MIT */
/* Random operations on an index against the naive model of index_model.h, with everything
 * compared after each one: over all pages, index spaces and both kinds of keys. */
#include "support/index_model.h"

#include "support/layout.h"

enum {
    OPERATIONS = 300000, /* in all, in two tests that run at once */
    EPISODE = 600        /* operations on one index */
};

/* Runs every other layout from `part` on. */
static void run_part(const char *what, uint32_t part)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS / 2);
    if (test_run_given(&index_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t layout = part; operations < wanted; layout += 2) {
        uint32_t start[] = {layout, (uint32_t)test_random(&random), (uint32_t)test_random(&random)};
        test_run_random(&index_subject, start, EPISODE, &random);
        operations += EPISODE;
    }
}

TEST(index_model, the_index_agrees_with_the_model_part_1)
{
    run_part("index_model part 1", 0);
}

TEST(index_model, the_index_agrees_with_the_model_part_2)
{
    run_part("index_model part 2", 1);
}

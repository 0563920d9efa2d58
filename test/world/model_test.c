/* SPDX-License-Identifier: MIT */
/* Random operations on a world against the naive model of world_model.h, with everything compared
 * after each one: over components of all kinds, page sizes, capacities and index spaces. */
#include "support/world_model.h"

enum {
    OPERATIONS = 240000, /* in all, in two tests that run at once */
    EPISODE = 600        /* operations on one world */
};

static void run_part(const char *what)
{
    uint32_t wanted = test_scaled(OPERATIONS / 2);
    if (test_run_given(&world_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t operations = 0; operations < wanted; operations += EPISODE) {
        uint32_t start[] = {(uint32_t)test_random(&random), (uint32_t)test_random(&random),
                            (uint32_t)test_random(&random)};
        test_run_random(&world_subject, start, EPISODE, &random);
    }
}

TEST(world_model, the_world_agrees_with_the_model_part_1)
{
    run_part("world_model part 1");
}

TEST(world_model, the_world_agrees_with_the_model_part_2)
{
    run_part("world_model part 2");
}

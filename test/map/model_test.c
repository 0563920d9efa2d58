/* SPDX-License-Identifier: MIT */
/* Random operations on a map against the naive model of map_model.h, with everything compared after
 * each one: at least 1,000,000 operations over all layouts, pages, hooks and index spaces; then
 * hostile handles, and orders that lie. */
#include "support/map_model.h"

#include "support/layout.h"

enum {
    SMALL = 64,                  /* bytes of an item */
    EPISODES_SMALL = 24,         /* maps of each layout with items up to that size */
    EPISODES_LARGE = 4,          /* and of each other one */
    OPERATIONS_IN_ALL = 1000000, /* and more, since some only arm a refusal */
    OPERATIONS_OTHER = 60000,    /* hostile handles; lying orders */
    EPISODE = 1200,              /* operations on one map */
    PARTS = 3                    /* tests that share them, to run at once */
};

static uint32_t run_episode(const test_subject *subject, uint32_t layout, uint64_t *random)
{
    uint32_t begin[] = {layout, (uint32_t)test_random(random), (uint32_t)test_random(random)};
    test_run_random(subject, begin, EPISODE, random);
    return EPISODE;
}

/* Runs every PARTS-th layout from `part` on, and again if the system's page size leaves few: of two
 * layouts, each part has at least one. */
static void run_part(const char *what, uint32_t part)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS_IN_ALL / PARTS);
    if (test_run_given(&map_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t i = part; i < test_layout_count() || operations < wanted; i += PARTS) {
        uint32_t layout = i % (uint32_t)test_layout_count();
        bool small = test_layout_at(layout).item_size <= SMALL;
        for (uint32_t n = test_scaled(small ? EPISODES_SMALL : EPISODES_LARGE); n > 0; n--)
            operations += run_episode(&map_subject, layout, &random);
    }
}

TEST(map_model, the_map_agrees_with_the_model_part_1)
{
    run_part("map_model part 1", 0);
}

TEST(map_model, the_map_agrees_with_the_model_part_2)
{
    run_part("map_model part 2", 1);
}

TEST(map_model, the_map_agrees_with_the_model_part_3)
{
    run_part("map_model part 3", 2);
}

/* Runs a subject, each map with a layout of its own. */
static void run_other(const char *what, const test_subject *subject)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS_OTHER);
    if (test_run_given(subject))
        return;
    uint64_t random = test_seed(what);
    while (operations < wanted)
        operations += run_episode(subject, (uint32_t)test_random(&random), &random);
}

TEST(map_model, hostile_handles_are_told_apart)
{
    run_other("map_model hostile handles", &hostile_subject);
}

TEST(map_model, orders_that_lie_leave_a_permutation_and_end)
{
    run_other("map_model lying orders", &lying_subject);
}

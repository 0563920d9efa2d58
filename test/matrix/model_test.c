/* SPDX-License-Identifier: MIT */
/* Random operations on each container against its naive model, with everything compared after each
 * one: over all layouts, pages, hooks, storages, lanes, kinds of keys and of components, capacities
 * and index spaces; and on maps hostile handles, and orders that lie. Tests share them, to run at
 * once. */
#include "support/index_model.h"
#include "support/layout.h"
#include "support/lists_model.h"
#include "support/map_model.h"
#include "support/pool_model.h"
#include "support/secondary_model.h"
#include "support/table_model.h"
#include "support/world_model.h"

enum {
    EPISODE = 600,         /* operations on one container */
    OPERATIONS = 150000,   /* of each test; refusals that are armed count, too */
    OF_A_LAYOUT = 30000,   /* of tables */
    OF_A_WORLD = 120000,   /* of each test */
    OF_OTHER_MAPS = 60000, /* hostile handles; lying orders */
    KINDS = 1 << 20,       /* of what the third argument of begin chooses */
    /* Of maps: 1,000,000 operations in all, and all layouts. */
    OF_MAPS = 1000000,
    MAP_PARTS = 3,
    MAP_EPISODE = 1200,
    SMALL = 64,          /* bytes of an item */
    EPISODES_SMALL = 24, /* maps of each layout with items up to that size */
    EPISODES_LARGE = 4   /* and of each other one */
};

/* The first argument of begin counts, from `first` on in such steps; 0: it is any. The third is
 * `kind` modulo so many kinds. */
static void run(const test_subject *subject, const char *what, uint32_t operations, uint32_t first,
                uint32_t step, uint32_t kind, uint32_t kinds)
{
    if (test_run_given(subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t done = 0; done < test_scaled(operations); done += EPISODE, first += step) {
        uint32_t begin[] = {step != 0 ? first : (uint32_t)test_random(&random),
                            (uint32_t)test_random(&random),
                            test_random_below(&random, KINDS) * kinds + kind};
        test_run_random(subject, begin, EPISODE, &random);
    }
}

#define MODEL(kind, name, ...)                                                                     \
    TEST(kind##_model, name)                                                                       \
    {                                                                                              \
        run(&kind##_subject, #kind "_model " #name, __VA_ARGS__);                                  \
    }

/* Every layout, in parts. */
MODEL(secondary, the_secondary_agrees_with_the_model_part_1, OPERATIONS, 0, 2, 0, 1)
MODEL(secondary, the_secondary_agrees_with_the_model_part_2, OPERATIONS, 1, 2, 0, 1)
MODEL(lists, lists_agree_with_the_model_part_1, OPERATIONS, 0, 2, 0, 1)
MODEL(lists, lists_agree_with_the_model_part_2, OPERATIONS, 1, 2, 0, 1)
MODEL(index, the_index_agrees_with_the_model_part_1, OPERATIONS, 0, 2, 0, 1)
MODEL(index, the_index_agrees_with_the_model_part_2, OPERATIONS, 1, 2, 0, 1)
/* Any layout, with each storage or number of lanes. */
MODEL(pool, one_range_agrees_with_the_model, OPERATIONS, 0, 0, HM_STORAGE_VIRTUAL, 3)
MODEL(pool, fixed_blocks_agree_with_the_model, OPERATIONS, 0, 0, HM_STORAGE_FIXED_BLOCKS, 3)
MODEL(pool, growing_blocks_agree_with_the_model, OPERATIONS, 0, 0, HM_STORAGE_GROWING_BLOCKS, 3)
MODEL(table, whole_columns_agree_with_the_model, OF_A_LAYOUT, 0, 0, 0, TABLE_MODEL_LAYOUTS)
MODEL(table, rows_as_structs_agree_with_the_model, OF_A_LAYOUT, 0, 0, 1, TABLE_MODEL_LAYOUTS)
MODEL(table, groups_of_2_agree_with_the_model, OF_A_LAYOUT, 0, 0, 2, TABLE_MODEL_LAYOUTS)
MODEL(table, groups_of_8_agree_with_the_model, OF_A_LAYOUT, 0, 0, 3, TABLE_MODEL_LAYOUTS)
MODEL(table, groups_of_16_agree_with_the_model, OF_A_LAYOUT, 0, 0, 4, TABLE_MODEL_LAYOUTS)
MODEL(table, groups_of_64_agree_with_the_model, OF_A_LAYOUT, 0, 0, 5, TABLE_MODEL_LAYOUTS)
MODEL(world, the_world_agrees_with_the_model_part_1, OF_A_WORLD, 0, 0, 0, 1)
MODEL(world, the_world_agrees_with_the_model_part_2, OF_A_WORLD, 0, 0, 0, 1)

/* Runs every third layout from `part` on, and again if the system's page size leaves few: of two
 * layouts, each part has at least one. */
static void run_maps(const char *what, uint32_t part)
{
    uint32_t operations = 0, wanted = test_scaled(OF_MAPS / MAP_PARTS);
    if (test_run_given(&map_subject))
        return;
    uint64_t random = test_seed(what);
    for (uint32_t i = part; i < test_layout_count() || operations < wanted; i += MAP_PARTS) {
        uint32_t layout = i % (uint32_t)test_layout_count();
        bool small = test_layout_at(layout).item_size <= SMALL;
        for (uint32_t n = test_scaled(small ? EPISODES_SMALL : EPISODES_LARGE); n > 0; n--) {
            uint32_t begin[] = {layout, (uint32_t)test_random(&random),
                                (uint32_t)test_random(&random)};
            test_run_random(&map_subject, begin, MAP_EPISODE, &random);
            operations += MAP_EPISODE;
        }
    }
}

TEST(map_model, the_map_agrees_with_the_model_part_1)
{
    run_maps("map_model part 1", 0);
}

TEST(map_model, the_map_agrees_with_the_model_part_2)
{
    run_maps("map_model part 2", 1);
}

TEST(map_model, the_map_agrees_with_the_model_part_3)
{
    run_maps("map_model part 3", 2);
}

TEST(map_model, hostile_handles_are_told_apart)
{
    run(&hostile_subject, "map_model hostile handles", OF_OTHER_MAPS, 0, 0, 0, 1);
}

TEST(map_model, orders_that_lie_leave_a_permutation_and_end)
{
    run(&lying_subject, "map_model lying orders", OF_OTHER_MAPS, 0, 0, 0, 1);
}

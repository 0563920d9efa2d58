/* SPDX-License-Identifier: MIT */
/* Random operations on a pool against the naive model of pool_model.h, with everything compared
 * after each one: over all storages, layouts, pages, hooks and index spaces. */
#include "support/pool_model.h"

#include "support/layout.h"

enum {
    OPERATIONS = 150000, /* for each storage */
    EPISODE = 600,       /* operations on one pool */
    KINDS = 12 << 15     /* of storage, block size, hook and type id */
};

static void run_storage(const char *what, hm_storage storage)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS);
    if (test_run_given(&pool_subject))
        return;
    uint64_t random = test_seed(what);
    while (operations < wanted) {
        uint32_t kind = test_random_below(&random, KINDS / 3) * 3 + (uint32_t)storage;
        uint32_t start[] = {(uint32_t)test_random(&random), (uint32_t)test_random(&random), kind};
        test_run_random(&pool_subject, start, EPISODE, &random);
        operations += EPISODE;
    }
}

TEST(pool_model, one_range_agrees_with_the_model)
{
    run_storage("pool_model one range", HM_STORAGE_VIRTUAL);
}

TEST(pool_model, fixed_blocks_agree_with_the_model)
{
    run_storage("pool_model fixed blocks", HM_STORAGE_FIXED_BLOCKS);
}

TEST(pool_model, growing_blocks_agree_with_the_model)
{
    run_storage("pool_model growing blocks", HM_STORAGE_GROWING_BLOCKS);
}

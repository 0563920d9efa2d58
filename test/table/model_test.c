/* SPDX-License-Identifier: MIT */
/* Random operations on a table against the naive model of table_model.h, with everything compared
 * after each one: over all layouts, sets of columns, pages and index spaces. */
#include "support/table_model.h"

enum {
    OPERATIONS = 30000,               /* for each layout */
    EPISODE = 600,                    /* operations on one table */
    KINDS = TABLE_MODEL_LAYOUTS << 15 /* of layout and type id */
};

static void run_layout(const char *what, uint32_t layout)
{
    uint32_t operations = 0, wanted = test_scaled(OPERATIONS);
    if (test_run_given(&table_subject))
        return;
    uint64_t random = test_seed(what);
    while (operations < wanted) {
        uint32_t kind = test_random_below(&random, KINDS / TABLE_MODEL_LAYOUTS);
        kind = kind * TABLE_MODEL_LAYOUTS + layout;
        uint32_t start[] = {(uint32_t)test_random(&random), (uint32_t)test_random(&random), kind};
        test_run_random(&table_subject, start, EPISODE, &random);
        operations += EPISODE;
    }
}

TEST(table_model, whole_columns_agree_with_the_model)
{
    run_layout("table_model columns", 0);
}

TEST(table_model, rows_as_structs_agree_with_the_model)
{
    run_layout("table_model structs", 1);
}

TEST(table_model, groups_of_2_agree_with_the_model)
{
    run_layout("table_model groups of 2", 2);
}

TEST(table_model, groups_of_8_agree_with_the_model)
{
    run_layout("table_model groups of 8", 3);
}

TEST(table_model, groups_of_16_agree_with_the_model)
{
    run_layout("table_model groups of 16", 4);
}

TEST(table_model, groups_of_64_agree_with_the_model)
{
    run_layout("table_model groups of 64", 5);
}

/* SPDX-License-Identifier: MIT */
/* An operation of every random script: the container is saved, and loaded into another one, which
 * must be valid and make the same file; and merged into that one, where its kind can be. */
#ifndef TEST_SUPPORT_RELOAD_H
#define TEST_SUPPORT_RELOAD_H

#include <handle_map/handle_map.h>

/* The descriptors are those of the containers; hooks and memory are left out. */
void test_reload_map(const hm_map *map, const hm_map_desc *desc);
void test_reload_pool(const hm_pool *pool, const hm_pool_desc *desc);
void test_reload_table(const hm_table *table, const hm_table_desc *desc);
void test_reload_secondary(const hm_secondary *secondary, const hm_secondary_desc *desc);
void test_reload_lists(const hm_lists *lists, const hm_lists_desc *desc);
void test_reload_index(const hm_index *index, const hm_index_desc *desc);
void test_reload_world(const hm_world *world);

/* While a load or a merge runs, the values that a codec makes of a file belong to no model yet:
 * they are tallied, and the models' destroy hooks let them be tallied too. */
typedef struct test_tally {
    uint64_t count, sum; /* of the values, and of hashes of their bytes */
} test_tally;

typedef struct test_reload_tallies {
    test_tally made, destroyed;
} test_reload_tallies;

/* Between the two calls hooks are tallied; the second returns what was. */
void test_reload_open(void);
test_reload_tallies test_reload_close(void);

/* Tallies a value, or a row of a table, that a codec has made. */
void test_reload_made(const void *value, size_t size);
void test_reload_made_row(void *const *cells, const size_t *sizes, uint32_t columns);

/* For hooks: tallies what is destroyed, and returns whether that is all that there is to do. */
bool test_reload_counts(const void *value, size_t size);
bool test_reload_counts_row(const hm_table *table, uint32_t row);

/* Defines the operation `reload` and the `end` of a model that has a container and its `desc`. */
#define TEST_RELOAD_AND_END(kind, described)                                                       \
    static void reload(void *state, const uint32_t arguments[3])                                   \
    {                                                                                              \
        const kind##_model *model = state;                                                         \
        (void)arguments;                                                                           \
        test_reload_##kind(&model->kind, &model->described);                                       \
    }                                                                                              \
    static void end(void *state)                                                                   \
    {                                                                                              \
        kind##_model_fini(state);                                                                  \
        free(state);                                                                               \
    }

#endif

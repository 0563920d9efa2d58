/* SPDX-License-Identifier: MIT */
/* The loops over items: HM_MAP_EACH and its like for containers that fill a hole with their last
 * item. pool/pool_test.c has that of a pool. */
#include "support/test.h"

#include <handle_map/handle_map.h>

enum { MANY = 20 };

static union {
    hm_map map;
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
} of;
static hm_handle list; /* of `lists` */

static const hm_column number = {.size = 4, .align = 4, .name = "number"};

static void begin_map(void)
{
    CHECK(hm_map_init(&of.map, &(hm_map_desc){.item_size = 4}) == HM_OK);
}

static void begin_table(void)
{
    const hm_table_desc desc = {.columns = &number, .column_count = 1, .lanes = 8};
    CHECK(hm_table_init(&of.table, &desc) == HM_OK);
}

static void begin_secondary(void)
{
    CHECK(hm_secondary_init(&of.secondary, &(hm_secondary_desc){.value_size = 4}) == HM_OK);
}

static void begin_lists(void)
{
    CHECK(hm_lists_init(&of.lists, &(hm_lists_desc){.item_size = 4}) == HM_OK);
    list = hm_lists_create(&of.lists);
}

static void add_map(uint32_t value)
{
    CHECK(!hm_handle_is_null(hm_map_insert(&of.map, &value)));
}

static void add_table(uint32_t value)
{
    const void *values[] = {&value};
    CHECK(!hm_handle_is_null(hm_table_insert(&of.table, values)));
}

static void add_secondary(uint32_t value)
{
    CHECK(hm_secondary_set(&of.secondary, hm_handle_pack(value, 1, 0), &value) != NULL);
}

static void add_lists(uint32_t value)
{
    CHECK(hm_lists_push(&of.lists, list, &value) != NULL);
}

#define EACH_map(type, item, i) HM_MAP_EACH(type, item, i, &of.map)
#define EACH_table(type, item, i) HM_TABLE_EACH(type, item, i, &of.table, 0)
#define EACH_secondary(type, item, i) HM_SECONDARY_EACH(type, item, i, &of.secondary)
#define EACH_lists(type, item, i) HM_LISTS_EACH(type, item, i, &of.lists, list)
#define END_map(i) hm_map_erase_at(&of.map, i)
#define END_table(i) hm_table_erase_at(&of.table, i)
#define END_secondary(i) hm_secondary_remove_at(&of.secondary, i)
#define END_lists(i) hm_lists_erase_at(&of.lists, list, i)

#define EACH_TESTS(kind)                                                                           \
    static void fill_##kind(void)                                                                  \
    {                                                                                              \
        begin_##kind();                                                                            \
        for (uint32_t i = 0; i < MANY; i++)                                                        \
            add_##kind(i);                                                                         \
    }                                                                                              \
    TEST(each, of_a_##kind##_goes_from_the_last_to_the_first_until_it_is_left)                     \
    {                                                                                              \
        begin_##kind();                                                                            \
        EACH_##kind(const uint32_t, item, i) CHECK(item == NULL); /* None is visited. */           \
        hm_##kind##_fini(&of.kind);                                                                \
        fill_##kind();                                                                             \
        for (uint32_t end = 0; end <= MANY; end++) {                                               \
            uint32_t next = MANY;                                                                  \
            EACH_##kind(const uint32_t, item, i)                                                   \
            {                                                                                      \
                if (next == end)                                                                   \
                    break;                                                                         \
                next--;                                                                            \
                CHECK(*item == next && i == next);                                                 \
                if (next % 2 == 0)                                                                 \
                    continue;                                                                      \
                CHECK(*item % 2 == 1);                                                             \
            }                                                                                      \
            CHECK(next == end);                                                                    \
        }                                                                                          \
        hm_##kind##_fini(&of.kind);                                                                \
    }                                                                                              \
    TEST(each, of_a_##kind##_goes_on_when_the_visited_item_goes_and_others_come)                   \
    {                                                                                              \
        uint32_t visited = 0, left = 0;                                                            \
        fill_##kind();                                                                             \
        EACH_##kind(uint32_t, item, i)                                                             \
        {                                                                                          \
            CHECK(*item == MANY - 1 - visited++);                                                  \
            if (*item % 3 == 0)                                                                    \
                CHECK(END_##kind(i));                                                              \
            else if (visited % 5 == 0)                                                             \
                add_##kind(1000 + visited);                                                        \
        }                                                                                          \
        CHECK(visited == MANY);                                                                    \
        EACH_##kind(const uint32_t, item, i) left += *item % 3 != 0 || *item > 1000;               \
        CHECK(left == MANY - (MANY + 2) / 3 + 2); /* 2 were added */                               \
        visited = 0;                                                                               \
        EACH_##kind(uint32_t, item, i)                                                             \
        {                                                                                          \
            visited++;                                                                             \
            while (END_##kind(0)) /* Other reads would leave the memory. */                        \
                continue;                                                                          \
        }                                                                                          \
        CHECK(visited == 1);                                                                       \
        hm_##kind##_fini(&of.kind);                                                                \
    }

EACH_TESTS(map)
EACH_TESTS(table)
EACH_TESTS(secondary)
EACH_TESTS(lists)

TEST(each, of_a_list_ends_with_it)
{
    uint32_t visited = 0;
    fill_lists();
    HM_LISTS_EACH(uint32_t, item, i, &of.lists, list) {
        CHECK(*item == MANY - 1);
        visited++;
        CHECK(hm_lists_destroy(&of.lists, list));
    }
    CHECK(visited == 1);
    hm_lists_fini(&of.lists);
}

#define WRONG_TYPE(kind, upper, what)                                                              \
    DEATH_TEST(each, of_a_##kind##_with_another_type_panics)                                       \
    {                                                                                              \
        begin_##kind();                                                                            \
        EACH_##kind(uint64_t, item, i) CHECK(item == NULL); /* There is none. */                   \
        add_##kind(0);                                                                             \
        test_expect_panic_of("", "HM_" upper "_EACH: the " what " are not of this type");          \
        EACH_##kind(uint64_t, item, i) *item = 0;                                                  \
    }

WRONG_TYPE(map, "MAP", "items")
WRONG_TYPE(table, "TABLE", "cells")
WRONG_TYPE(secondary, "SECONDARY", "values")
WRONG_TYPE(lists, "LISTS", "items")

#define NO_CONTAINER(kind, upper, loop)                                                            \
    DEATH_TEST(each, of_no_##kind##_panics)                                                        \
    {                                                                                              \
        const hm_##kind *none = NULL;                                                              \
        test_expect_panic_of("", upper ": " #kind " is NULL");                                     \
        loop *item = 0;                                                                            \
    }

NO_CONTAINER(map, "HM_MAP_EACH", HM_MAP_EACH(uint32_t, item, i, none))
NO_CONTAINER(table, "HM_TABLE_EACH", HM_TABLE_EACH(uint32_t, item, i, none, 0))
NO_CONTAINER(secondary, "HM_SECONDARY_EACH", HM_SECONDARY_EACH(uint32_t, item, i, none))
NO_CONTAINER(lists, "hm_lists_items", HM_LISTS_EACH(uint32_t, item, i, none, HM_NULL_HANDLE))

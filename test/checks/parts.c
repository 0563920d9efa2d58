/* SPDX-License-Identifier: MIT */
/* A program for parts of the library, in the common language of C and C++: HAS_MAP and so on say
 * what the part has. It returns the line of the first thing that is wrong, or 0. */
#include <handle_map/handle_map.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

typedef struct thing {
    uint32_t size, kind;
} thing;

#if defined(HAS_MAP) || defined(HAS_POOL)
HM_HANDLE_DEFINE(thing)

static bool is_large(const thing *item, void *context)
{
    (void)context;
    return item->size > 7;
}
#endif

/* An item is found until it is erased. */
#define USE_OF(kind)                                                                               \
    static int use_##kind(void)                                                                    \
    {                                                                                              \
        thing_##kind things;                                                                       \
        thing made = {7, 1};                                                                       \
        thing_handle small, large;                                                                 \
        REQUIRE(thing_##kind##_init(&things, 100) == HM_OK);                                       \
        small = thing_##kind##_insert(&things, &made);                                             \
        made.size = 8;                                                                             \
        large = thing_##kind##_insert(&things, &made);                                             \
        REQUIRE(thing_##kind##_get(&things, small)->size == 7);                                    \
        REQUIRE(thing_##kind##_erase_if(&things, is_large, NULL) == 1);                            \
        REQUIRE(thing_##kind##_explain(&things, large) == HM_HANDLE_STALE);                        \
        REQUIRE(thing_##kind##_erase(&things, small) && !thing_##kind##_erase(&things, small));    \
        REQUIRE(thing_##kind##_get(&things, small) == NULL);                                       \
        REQUIRE(thing_##kind##_validate(&things) == HM_OK);                                        \
        thing_##kind##_fini(&things);                                                              \
        return 0;                                                                                  \
    }

#ifdef HAS_MAP
HM_MAP_DEFINE_FOR(thing, thing, 1)
USE_OF(map)
#endif

#ifdef HAS_POOL
HM_POOL_DEFINE_FOR(thing, thing, 2)
USE_OF(pool)
#endif

#ifdef HAS_LISTS
HM_LISTS_DEFINE(row, thing, 3)

static int use_lists(void)
{
    row_lists rows;
    row_handle row;
    thing made = {7, 1};
    REQUIRE(row_lists_init(&rows, 100) == HM_OK);
    row = row_lists_create(&rows);
    REQUIRE(row_lists_push(&rows, row, &made) != NULL && row_lists_count_of(&rows, row) == 1);
    REQUIRE(row_lists_items(&rows, row, NULL)->size == 7 && row_lists_defragment(&rows, NULL).done);
    REQUIRE(row_lists_destroy(&rows, row) && row_lists_push(&rows, row, &made) == NULL);
    REQUIRE(row_lists_validate(&rows) == HM_OK);
    row_lists_fini(&rows);
    return 0;
}
#endif

/* Of the others, that the typed functions find all that they call. */
#ifdef HAS_TABLE
#define GRAIN_COLUMNS(COLUMN) COLUMN(float, x) COLUMN(uint32_t, kind)
HM_TABLE_DEFINE(grain, 4, GRAIN_COLUMNS)
#endif

#ifdef HAS_INDEX /* which brings the secondary */
HM_HANDLE_DEFINE(owner)
HM_SECONDARY_DEFINE(glow, owner, thing)
HM_INDEX_DEFINE(cell, owner)
#endif

#if defined(HAS_MAP) && defined(HAS_ORDER)
static uint64_t size_of(const thing *item, void *context)
{
    (void)context;
    return item->size;
}

HM_ORDER_DEFINE_KEY(by_size, thing, size_of)

static int use_order(void)
{
    thing_map things;
    thing made = {9, 1};
    REQUIRE(thing_map_init(&things, 100) == HM_OK);
    for (; made.size > 0; made.size--)
        thing_map_insert(&things, &made);
    REQUIRE(thing_map_defragment(&things, &by_size, NULL).done);
    REQUIRE(thing_map_items(&things)[0].size == 1 && thing_map_items(&things)[8].size == 9);
    thing_map_fini(&things);
    return 0;
}
#endif

int main(void)
{
    int line = 0;
#ifdef HAS_MAP
    line = use_map();
#endif
#ifdef HAS_POOL
    line = line != 0 ? line : use_pool();
#endif
#ifdef HAS_LISTS
    line = line != 0 ? line : use_lists();
#endif
#if defined(HAS_MAP) && defined(HAS_ORDER)
    line = line != 0 ? line : use_order();
#endif
    return line;
}

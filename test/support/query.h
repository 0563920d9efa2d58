/* SPDX-License-Identifier: MIT */
/* What the unit tests of queries share: a world with components of each kind. */
#ifndef TEST_SUPPORT_QUERY_H
#define TEST_SUPPORT_QUERY_H

#include "test.h"

#include <handle_map/query.h>

/* Lists of components for a descriptor and for create. */
#define LIST(...)                                                                                  \
    (const hm_component[])                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define COUNT(...) ((uint32_t)(sizeof LIST(__VA_ARGS__) / sizeof(hm_component)))
#define ALL(...) .all = LIST(__VA_ARGS__), .all_count = COUNT(__VA_ARGS__)
#define NONE(...) .none = LIST(__VA_ARGS__), .none_count = COUNT(__VA_ARGS__)
#define ANY(...) .any = LIST(__VA_ARGS__), .any_count = COUNT(__VA_ARGS__)
#define OPTIONAL(...) .optional = LIST(__VA_ARGS__), .optional_count = COUNT(__VA_ARGS__)
#define CREATE(on, ...) hm_world_create(&(on)->world, LIST(__VA_ARGS__), COUNT(__VA_ARGS__))

/* `a` and `b` have an int in archetypes, `x` and `y` are sparse and have an int, `tag` is a tag. */
typedef struct scene {
    hm_world world;
    hm_component a, b, tag, x, y;
} scene;

static inline hm_component make_component(hm_world *world, size_t size,
                                          hm_component_storage storage)
{
    hm_component made =
        hm_world_component(world, &(hm_component_desc){.size = size, .storage = storage});
    CHECK(made != HM_INVALID_INDEX);
    return made;
}

static inline void start_with(scene *on, const hm_memory *memory)
{
    const hm_world_desc desc = {.capacity = 30000,
                                .max_slots = 60000,
                                .memory = memory,
                                .max_archetypes = 4000,
                                .max_size = 1 << 26};
    CHECK(hm_world_init(&on->world, &desc) == HM_OK);
    on->a = make_component(&on->world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    on->b = make_component(&on->world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    on->tag = make_component(&on->world, 0, HM_COMPONENT_ARCHETYPE);
    on->x = make_component(&on->world, sizeof(int), HM_COMPONENT_SPARSE);
    on->y = make_component(&on->world, sizeof(int), HM_COMPONENT_SPARSE);
}

static inline void start(scene *on)
{
    start_with(on, NULL);
}

static inline void finish(scene *on)
{
    CHECK(hm_world_validate(&on->world) == HM_OK);
    hm_world_fini(&on->world);
}

static inline hm_query ask(scene *on, hm_query_desc desc)
{
    hm_query query;
    CHECK(hm_query_init(&query, &on->world, &desc) == HM_OK);
    return query;
}

static inline void set_int(scene *on, hm_handle entity, hm_component component, int value)
{
    CHECK(hm_world_add(&on->world, entity, component, &value) == HM_OK);
}

/* Runs a loop, and returns how many entities it visits. */
static inline uint32_t visit(hm_query *query)
{
    hm_query_loop loop;
    hm_view view;
    uint32_t count = 0;
    hm_query_begin(query, &loop);
    while (hm_query_next(&loop, &view))
        count += view.count;
    CHECK(hm_query_count(query) == count);
    return count;
}

enum { ROWS = 100 };

/* Creates n entities in one archetype. */
static inline void create_rows(scene *on, hm_handle *entities, uint32_t n)
{
    CHECK(hm_world_create_n(&on->world, LIST(on->a), 1, n, NULL, entities) == HM_OK);
}

#endif

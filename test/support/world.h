/* SPDX-License-Identifier: MIT */
/* What the unit tests of the world share: worlds, components, and where rows are. */
#ifndef TEST_SUPPORT_WORLD_H
#define TEST_SUPPORT_WORLD_H

#include "test.h"

#include "../../src/world/world_private.h"

enum { ENTITY_TYPE = 9 };

static inline hm_world make_world(hm_world_desc desc)
{
    hm_world world;
    if (desc.capacity == 0)
        desc.capacity = 20000;
    desc.type_id = ENTITY_TYPE;
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    return world;
}

static inline hm_component make_component(hm_world *world, hm_component_desc desc)
{
    hm_component component = hm_world_component(world, &desc);
    CHECK(component != HM_INVALID_INDEX);
    return component;
}

/* Components of int in archetypes, or sparse ones, and tags: a new one in each call, since they
 * have no names. */
static inline hm_component make_int(hm_world *world)
{
    return make_component(world, (hm_component_desc){.size = sizeof(int)});
}

static inline hm_component make_sparse(hm_world *world)
{
    return make_component(world,
                          (hm_component_desc){.size = sizeof(int), .storage = HM_COMPONENT_SPARSE});
}

static inline hm_component make_tag(hm_world *world)
{
    return make_component(world, (hm_component_desc){.size = 0});
}

/* Creates an entity with this component, and this value. */
static inline hm_handle make_one(hm_world *world, hm_component component, int value)
{
    hm_handle entity = hm_world_create(world, &component, 1);
    int *at = hm_world_get(world, entity, component);
    CHECK(at != NULL && *at == 0);
    *at = value;
    return entity;
}

static inline void give(hm_world *world, hm_handle entity, hm_component component, int value)
{
    CHECK(hm_world_add(world, entity, component, &value) == HM_OK);
    const int *at = hm_world_get(world, entity, component);
    CHECK(at != NULL && *at == value);
}

static inline int value_of(const hm_world *world, hm_handle entity, hm_component component)
{
    const int *at = hm_world_get(world, entity, component);
    CHECK(at != NULL);
    return *at;
}

static inline uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t)(uint32_t) * (const int *)value;
}

/* Whether the rows of each archetype with this component, or its sparse values, are in this
 * order. */
static inline bool world_is_in_order(const hm_world *world, hm_component component,
                                     uint64_t (*key)(const void *value, void *context),
                                     void *context)
{
    uint32_t number = component - world->salt;
    if (hm_world_is_sparse(world, number)) {
        const hm_secondary *sparse = hm_world_sparse(world, number);
        const unsigned char *values = hm_secondary_values(sparse);
        size_t size = hm_world_record(world, number)->size;
        for (uint32_t i = 1; i < hm_secondary_count(sparse); i++)
            if (key(values + size * (i - 1), context) > key(values + size * i, context))
                return false;
        return true;
    }
    for (uint32_t t = 0; t < world->archetype_array.count; t++) {
        const hm_world_archetype *archetype = &world->archetypes[t];
        uint64_t last = 0;
        if (!archetype->is_alive || hm_world_cell_of(archetype, number)->size == 0 ||
            archetype->count == 0)
            continue;
        for (uint32_t chunk = archetype->first;; chunk = hm_world_link_of(world, chunk)->next) {
            const hm_handle *entities = hm_world_entities(world, archetype, chunk);
            for (uint32_t row = 0; row < hm_world_rows_in(archetype, chunk); row++) {
                uint64_t now = key(hm_world_get(world, entities[row], component), context);
                if (now < last)
                    return false;
                last = now;
            }
            if (chunk == archetype->last)
                break;
        }
    }
    return true;
}

static inline void finish_world(hm_world *world)
{
    static const hm_world zero;
    CHECK(hm_world_validate(world) == HM_OK);
    hm_world_fini(world);
    CHECK(memcmp(world, &zero, sizeof zero) == 0);
    hm_world_fini(world);
    CHECK(hm_world_count(world) == 0 && hm_world_validate(world) == HM_OK);
}

#endif

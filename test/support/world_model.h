/* SPDX-License-Identifier: MIT */
/* A naive model of the world, which every operation is compared with.
 *
 * The model is a plain list of entities, each with a value or none for each component, searched
 * from the start. Each model operation runs on the world and on the model and compares the
 * answers; after each one everything else is compared. */
#ifndef TEST_WORLD_MODEL_H
#define TEST_WORLD_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/world.h>

enum {
    WORLD_MODEL_ENTITIES = 250, /* the largest capacity */
    WORLD_MODEL_KINDS = 14,     /* components, at most */
    WORLD_MODEL_PAST = 64       /* handles of destroyed entities to probe */
};

struct world_model;

typedef struct world_model_component {
    struct world_model *model;
    hm_component id;
    size_t size; /* bytes; 0: a tag */
    bool is_sparse, has_hook;
} world_model_component;

/* Entities have a component if their bit is set in `mask`, in the order in which components were
 * made. */
typedef struct world_model_entity {
    hm_handle handle;
    uint32_t mask;
    uint32_t zero;                        /* components whose value is zero */
    uint32_t destroyed;                   /* components whose hook was called */
    uint64_t patterns[WORLD_MODEL_KINDS]; /* of the other values */
} world_model_entity;

typedef struct world_model {
    hm_world world;
    hm_world_desc desc;
    test_memory memory;
    world_model_component components[WORLD_MODEL_KINDS];
    uint32_t component_count;
    world_model_entity entities[WORLD_MODEL_ENTITIES];
    uint32_t count;
    hm_handle past[WORLD_MODEL_PAST];
    uint32_t past_count;              /* handles ever stored there */
    const world_model_entity *acting; /* the entity that an operation changes; NULL: many */
    uint32_t before, after;           /* its components */
    uint32_t tick;                    /* checks */
    uint64_t clock;                   /* at the last check */
    uint64_t ordered;                 /* calls of compare and key */
    uint32_t sorting;                 /* the component that orders */
    bool is_heap;                     /* uses hm_memory_heap(), which counts nothing */
    bool is_worn;                     /* slots are used until they retire */
    bool refuses;                     /* memory will refuse the next operation a call */
} world_model;

extern const test_subject world_subject;

#endif

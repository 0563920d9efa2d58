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
    uint64_t seen[WORLD_MODEL_KINDS];     /* sums at the last check; 0: it had none */
} world_model_entity;

typedef struct world_model {
    hm_world world;
    hm_world_desc desc;
    test_memory memory;
    world_model_component components[WORLD_MODEL_KINDS];
    uint32_t component_count;
    world_model_entity entities[WORLD_MODEL_ENTITIES];
    uint32_t count;
    hm_handle promised[WORLD_MODEL_ENTITIES]; /* they live after the next call that succeeds */
    uint32_t promised_count;
    hm_handle past[WORLD_MODEL_PAST];
    uint32_t past_count;              /* handles ever stored there */
    const world_model_entity *acting; /* the entity that an operation changes; NULL: many */
    uint32_t before, after;           /* its components */
    const hm_handle *turns; /* whose hooks run next, if many lose one component; or NULL */
    uint32_t lost;          /* that component */
    uint32_t copied;        /* components whose copy hook was called */
    uint32_t tick;          /* checks */
    uint64_t clock;         /* at the last check */
    uint64_t ordered;       /* calls of compare and key */
    uint32_t sorting;       /* the component that orders */
    bool is_heap;           /* uses hm_memory_heap(), which counts nothing */
    bool is_worn;           /* slots are used until they retire */
    bool refuses;           /* memory will refuse the next operation a call */
    bool is_crowded;        /* few sets are drawn, so that archetypes have many entities */
} world_model;

typedef struct world_model_set {
    hm_component ids[WORLD_MODEL_KINDS + 1];
    uint32_t n, mask;
    bool is_valid;
} world_model_set;

extern const test_subject world_subject;

/* Returns the entity of exactly this handle, or NULL. */
world_model_entity *world_model_find(world_model *model, hm_handle handle);

/* Adds a new entity, whose values are zero. */
world_model_entity *world_model_append(world_model *model, hm_handle handle, uint32_t mask);

bool world_model_is_promised(const world_model *model, hm_handle handle);

/* A call has succeeded that changes the world: the promised entities live. */
void world_model_keep_promises(world_model *model);

/* Forgets an entity that was destroyed, after its hooks. */
void world_model_drop(world_model *model, world_model_entity *entity);

/* Returns a handle to try: an entity that lives or is promised (kind 0 to 7), the next or the last
 * life of its slot, one that was, null, damaged, foreign, or noise. */
hm_handle world_model_pick(const world_model *model, uint32_t kind, uint32_t which, uint32_t noise);

/* Returns the components that have hooks. */
uint32_t world_model_hooked(const world_model *model);

/* Whether values of this component have a copy hook. */
bool world_model_copies(uint32_t component);

/* The order by the leading bytes of a value; `key` and `compare` count calls. */
uint64_t world_model_leading(const void *value, void *context);
uint64_t world_model_key(const void *value, void *context);
int world_model_compare(const void *a, const void *b, void *context);

/* Draws a component by its index: in a crowded world the first ones most. */
uint32_t world_model_draw(const world_model *model, uint32_t noise);

/* Draws components: each bit of noise decides about one. They come in any order, and now and then
 * one comes twice, or is of no world. */
world_model_set world_model_draw_set(const world_model *model, uint32_t noise, uint32_t order);

/* Whether the values of these components fit an archetype. */
bool world_model_fits(const world_model *model, uint32_t mask);

/* Counts the archetypes that have rows, except that of no components. */
uint32_t world_model_count_archetypes(const world_model *model);

/* Whether this failure of a call that needs n more entities is right. */
bool world_model_explains(const world_model *model, hm_status status, uint32_t n);

/* Makes the component of the next kind. */
void world_model_make(world_model *model);

/* Compares what the lookups of this handle answer. */
void world_model_probe(world_model *model, hm_handle handle, uint32_t noise);

/* Operations that change nothing, in world_hostile.c. */
void world_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_hostile_component(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_query(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_commands(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

void *world_model_begin(const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_check(void *state);
void world_model_end(void *state);

#endif

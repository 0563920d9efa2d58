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

#ifndef HM_EXHAUSTIVE
enum {
    WORLD_MODEL_ENTITIES = 250, /* the largest capacity */
    WORLD_MODEL_SLOTS = 4096,   /* whose generations are known; there may be more */
    WORLD_MODEL_KINDS = 14      /* components, at most */
};
#endif
enum { WORLD_MODEL_PAST = 64 /* handles of destroyed entities to probe */ };

struct world_model;

typedef struct world_model_kind {
    size_t size, align; /* bytes; 0: a tag */
    bool is_sparse, has_hook, has_copy, has_initial;
} world_model_kind;

typedef struct world_model_component {
    struct world_model *model;
    hm_component id;
    world_model_kind of;
} world_model_component;

/* Entities have a component if their bit is set in `mask`, in the order in which components were
 * made. */
typedef struct world_model_entity {
    hm_handle handle;
    uint32_t mask;
    uint32_t zero;                        /* components whose value was not given */
    uint32_t destroyed;                   /* components whose hook was called */
    uint64_t patterns[WORLD_MODEL_KINDS]; /* of the other values */
} world_model_entity;

typedef struct world_model {
    hm_world_desc desc;
    test_memory memory;
    world_model_component components[WORLD_MODEL_KINDS];
    uint32_t component_count;
    uint64_t seen[WORLD_MODEL_ENTITIES][WORLD_MODEL_KINDS]; /* sums of values at the last check;
                                                             * 0: there was none */
    hm_handle promised[WORLD_MODEL_ENTITIES]; /* they live after the next call that succeeds */
    uint32_t promised_count;
    hm_handle past[WORLD_MODEL_PAST];
    uint32_t past_count;              /* handles ever stored there */
    const world_model_entity *acting; /* the entity that an operation changes; NULL: many */
    uint32_t before, after;           /* its components */
    const hm_handle *turns; /* whose hooks run next, if many lose one component; or NULL */
    uint32_t lost;          /* that component */
    uint32_t replaced;      /* components whose value is replaced */
    uint32_t copied;        /* components whose copy hook was called */
    uint32_t tick;          /* checks */
    uint64_t clock;         /* at the last check */
    uint64_t ordered;       /* calls of compare and key */
    uint32_t sorting;       /* the component that orders */
    bool is_shared;         /* queries and commands that last have memory from its table, too */
    bool is_heap;           /* uses hm_memory_heap(), which counts nothing */
    bool is_worn;           /* slots are used until they retire */
    bool is_crowded;        /* few sets are drawn, so that archetypes have many entities */
    bool has_keys;          /* values are ordered by their first byte alone */
    /* From here on, all that operations depend on. */
    hm_world world;
    world_model_entity entities[WORLD_MODEL_ENTITIES]; /* in the order of handle_at */
    uint32_t count;
    uint32_t dropped; /* a trim has dropped slots, or may have raised a generation floor */
    uint32_t issued[WORLD_MODEL_SLOTS]; /* the last generation of each slot; 0: none */
} world_model;

typedef struct world_model_set {
    hm_component ids[WORLD_MODEL_KINDS + 1];
    uint32_t n, mask;
    bool is_valid;
} world_model_set;

extern const test_subject world_subject;

/* Returns the entity of exactly this handle, or NULL. */
world_model_entity *world_model_find(world_model *model, hm_handle handle);

/* The handle is new, with a generation one higher or just above a floor. */
void world_model_note_issued(world_model *model, hm_handle handle);

/* Adds a new entity, whose values are zero. */
world_model_entity *world_model_append(world_model *model, hm_handle handle, uint32_t mask);

bool world_model_is_promised(const world_model *model, hm_handle handle);

/* A call has succeeded that changes the world: the promised entities live. */
void world_model_keep_promises(world_model *model);

/* Takes the times of changes, and where the values are, for what was there at the last check. */
void world_model_see(world_model *model);

/* Forgets an entity that was destroyed, after its hooks. */
void world_model_drop(world_model *model, world_model_entity *entity);

/* Returns a handle to try: an entity that lives or is promised (kind 0 to 7), the next or the last
 * life of its slot, one that was, null, damaged, foreign, or noise. */
hm_handle world_model_pick(const world_model *model, uint32_t kind, uint32_t which, uint32_t noise);

/* Returns the components that have hooks. */
uint32_t world_model_hooked(const world_model *model);

/* Whether the value of a component has its bytes; and what holds in each callback. */
bool world_model_holds(const world_model *model, const world_model_entity *entity, uint32_t c,
                       const void *value);
void world_model_in_callback(world_model *model, hm_handle entity, uint32_t noise);

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

/* Makes a component of this kind, unless memory is refused; or of the next one of those that random
 * scripts have. */
void world_model_make(world_model *model, const world_model_kind *kind);
void world_model_make_next(world_model *model);

/* Compares what the lookups of this handle answer. refuse also passes it, unless its entity lives,
 * to every function that must not change anything then; and so with what is no component of the
 * model. */
void world_model_probe(world_model *model, hm_handle handle, uint32_t noise);
void world_model_refuse(world_model *model, hm_handle handle);
void world_model_refuse_component(world_model *model, hm_component id, uint32_t which);

/* Operations of world_orders.c. */
void world_model_edit(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_touch_all(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_defragment(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* Operations that change nothing, in world_hostile.c. */
void world_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_hostile_component(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_query(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_commands(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* `desc` has all fields but the memory; returns what init returns. */
hm_status world_model_init(world_model *model, const hm_world_desc *desc, size_t page_size);
void world_model_fini(world_model *model);

void *world_model_begin(const uint32_t arguments[TEST_ARGUMENTS]);
void world_model_check(void *state);
void world_model_end(void *state);

#endif

/* SPDX-License-Identifier: MIT */
/* The state space of an hm_world: entities with up to three components, a naive model of them, and
 * their steps.
 *
 * The model (`entity_ghost`) is the list of the entities, in the order of the id table, with their
 * sets and the keys of their values, and the highest generation that each slot was ever issued
 * with. That determines the answer for every handle value and component. */
#ifndef TEST_EXHAUSTIVE_ENTITY_H
#define TEST_EXHAUSTIVE_ENTITY_H

#include "arena.h"
#include "blank.h"
#include "search.h"

#include <handle_map/query.h>

enum {
    ENTITY_SLOTS = 4,
    ENTITY_COUNT = 4,
    ENTITY_KINDS = 3, /* components */
    ENTITY_SMALL = 11,
    ENTITY_WINDOW = 64, /* bytes that each of the small arrays needs */
    ENTITY_MEDIUM =
        192, /* bytes of the id table, of the records of components, of scratch memory */
    ENTITY_RECORDS = 384,    /* bytes of the records of blocks */
    ENTITY_ARCHETYPES = 512, /* bytes of four archetypes */
    ENTITY_SPARSE = 896,     /* bytes of the secondaries */
    ENTITY_STORE = 1024,     /* bytes of all chunks */
    ENTITY_FORM = 2048,      /* bytes of what tells states apart */
    ENTITY_BYTES = ENTITY_SMALL * ENTITY_WINDOW + 4 * ENTITY_MEDIUM + ENTITY_RECORDS +
                   ENTITY_ARCHETYPES + ENTITY_SPARSE + ENTITY_STORE
};

typedef enum entity_verb {
    ENTITY_CREATE,    /* set of components */
    ENTITY_CREATE_N,  /* set, number: with values */
    ENTITY_DESTROY,   /* slot of a live entity */
    ENTITY_DESTROY_N, /* set of slots */
    ENTITY_ADD,       /* slot, component; behind all of these, with zero */
    ENTITY_REMOVE,    /* slot, component */
    ENTITY_CHANGE,    /* slot, set to add and, behind ENTITY_KINDS bits, to remove */
    ENTITY_CLEAR,     /* - */
    ENTITY_TRIM,      /* - */
    ENTITY_RESERVE,   /* number */
    ENTITY_EDIT,      /* slot, component and, behind 4 bits, key: written in place, then touched */
    ENTITY_GO,        /* component, budget: one call of defragment */
    ENTITY_FINISH,    /* component: calls until it is done */
    ENTITY_HOSTILE    /* every call that must be refused */
} entity_verb;

typedef struct entity_item {
    uint8_t slot, generation;
    uint8_t set; /* of components */
    uint8_t keys[ENTITY_KINDS];
} entity_item;

typedef struct entity_ghost {
    uint8_t highest[ENTITY_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t dropped;               /* a trim has dropped slots, or may have raised a floor */
    uint8_t count;
    uint8_t padding[2];
    entity_item dense[ENTITY_COUNT];
} entity_ghost;

typedef struct entity_state {
    unsigned char form[ENTITY_FORM]; /* what tells it from other states */
    hm_world world;
    arena_memory memory;
    entity_ghost model;
    _Alignas(8) unsigned char bytes[ENTITY_BYTES];
} entity_state;

/* The live state, and what its callbacks have recorded in this step. Values that the step must
 * destroy, and those that were, are sets of entity_value. */
typedef struct entity_scene {
    const space_config *config;
    hm_world world;
    entity_ghost model;
    uint32_t kinds; /* components */
    hm_component ids[ENTITY_KINDS];
    uint32_t expected, destroyed;
    uint32_t kept;  /* set of components that the entity of the step keeps unchanged */
    uint32_t asked; /* calls of key */
} entity_scene;

extern entity_scene scene;

/* The components of a world are letters of its configuration. */
static inline bool entity_is_sparse(uint32_t kind)
{
    char letter = scene.config->components[kind];
    return letter == 's' || letter == 'S';
}

static inline bool entity_is_tag(uint32_t kind)
{
    return scene.config->components[kind] == 't';
}

static inline bool entity_has_hook(uint32_t kind)
{
    char letter = scene.config->components[kind];
    return letter == 'C' || letter == 'S';
}

/* world_space.c: functions for the search. */
void entity_capture(void *into);
void entity_restore(const void *from);

/* entity_ghost.c */
static inline uint32_t entity_all(void) /* components */
{
    return (1u << scene.kinds) - 1;
}

hm_handle entity_handle(const entity_item *item);
entity_item *entity_find(hm_handle handle);                      /* NULL: no entity lives by it */
entity_item *entity_in_slot(uint32_t slot);                      /* NULL: no entity lives there */
uint32_t entity_value(const entity_item *item, uint32_t kind);   /* as a set of one */
uint32_t entity_hooked(const entity_item *item, uint32_t kinds); /* its values with a hook */
uint32_t entity_list(uint32_t kinds, hm_component *list);        /* returns their number */
void entity_fill(unsigned char *bytes, const entity_item *item, uint32_t kind);
bool entity_is_intact(const entity_item *item, uint32_t kind, const void *value);
void entity_expect_zero(const entity_item *item, uint32_t kinds);
void entity_write(const entity_item *item, uint32_t kinds); /* fills the values in place */
uint32_t entity_room(void);                                 /* for entities, memory permitting */
entity_item *entity_note(hm_handle handle, uint32_t set);   /* checks what a create has returned */
void entity_check(void);

/* entity_step.c */
extern const space_verb_name entity_verbs[];
void entity_destroyed(void *value, void *context);
void entity_actions(space_actions *list);
bool entity_is_possible(const void *state, const space_action *action);
uint32_t entity_take(const void *state, const space_action *action, uint32_t refuse, bool *changed);

#endif

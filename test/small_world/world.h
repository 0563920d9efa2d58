/* SPDX-License-Identifier: MIT */
/* One small world: a handle map of a few slots, a naive model of it, and all steps.
 *
 *     the live world  = map + model + arena
 *     world_state     = a copy of all three, canonical: equal bytes behave equally
 *
 * The model (`ghost`) knows which items are live and where, and the highest generation that each
 * slot was ever issued with. That determines the answer for every handle value. It also knows the
 * last goal that was requested of the map, an order or an arrangement, and which items must still
 * be in the order that they had when it began. */
#ifndef TEST_SMALL_WORLD_H
#define TEST_SMALL_WORLD_H

#include "arena.h"
#include "blank.h"
#include "search.h"

#include <handle_map/map.h>

enum {
    WORLD_SLOTS = 5,
    WORLD_ITEMS = 4,
    WORLD_ARRAYS = 7,  /* entries, slots, floors, items, meta, marks, scratch */
    WORLD_WINDOW = 48, /* bytes that the largest needs, except scratch, the last */
    WORLD_BUDGETS = 5
};

/* The goals: orders, then arrangements. */
typedef enum world_goal {
    WORLD_NO_GOAL = 0,
    WORLD_BY_KEY,
    WORLD_BY_COMPARE, /* the highest key first */
    WORLD_BY_BOTH,    /* a coarse key, then compare */
    WORLD_LAST_FIRST, /* all slots */
    WORLD_SOME_FIRST, /* two slots */
    WORLD_FIRST_FIRST,
    WORLD_GOALS
} world_goal;

#define WORLD_ORDERS WORLD_BY_BOTH
#define GOAL(name) (1u << WORLD_##name)

typedef struct ghost_item {
    uint8_t slot, generation, key;
    uint8_t rank; /* among its equals: it is behind those of lower rank; 0: anywhere */
} ghost_item;

typedef struct ghost {
    uint8_t highest[WORLD_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t dropped;              /* a trim has dropped slots, or may have raised a floor */
    uint8_t count;
    uint8_t goal;               /* last requested of the map; 0: none, or it must start anew */
    uint8_t is_finished;        /* its last call was done */
    uint8_t known[WORLD_SLOTS]; /* when the arrangement began: highest */
    ghost_item dense[WORLD_ITEMS];
} ghost;

typedef struct world_state {
    hm_map map;
    arena_memory memory;
    ghost model;
    unsigned char bytes[WORLD_WINDOW * (WORLD_ARRAYS - 1) + WORLD_SCRATCH];
} world_state;

typedef struct world {
    const world_config *config;
    hm_map map;
    ghost model;
} world;

extern world live;

/* What the callbacks have recorded in this step. */
typedef struct world_calls {
    uint32_t destroyed;             /* set of slots */
    uint32_t position[WORLD_SLOTS]; /* of live slots, from the reports of relocate */
    uint32_t moved;                 /* calls of relocate */
    uint32_t asked;                 /* calls of key, compare or predicate */
    uint32_t doomed;                /* set of positions */
    uint32_t seen;                  /* set of positions that the predicate saw, before the step */
    ghost_item order[WORLD_ITEMS];  /* in which the predicate saw them */
} world_calls;

extern world_calls calls;

typedef enum world_verb {
    WORLD_INSERT,   /* key or WORLD_ZEROED */
    WORLD_INSERT_N, /* number, first key or WORLD_ZEROED */
    WORLD_ERASE,    /* handle, by its number */
    WORLD_ERASE_IF, /* set of positions */
    WORLD_CLEAR,    /* - */
    WORLD_TRIM,     /* - */
    WORLD_RESERVE,  /* number */
    WORLD_TOUCH,    /* handle, by its number */
    WORLD_EDIT,     /* position, key: written in place, then touched */
    WORLD_EDIT_ALL, /* number, added to each key in place; then all are touched */
    WORLD_GO,       /* goal, budget: one call of defragment or arrange */
    WORLD_FINISH    /* goal, whether all are touched first: calls until it is done */
} world_verb;

/* world.c: functions for the search. */
size_t world_begin(const world_config *config);
void world_end(void);
void world_capture(void *state);
void world_restore(const void *state);
bool world_is_untouched(const world_state *before);

/* goal.c: bringing the items into order. go makes one call within a budget; finish makes calls with
 * the least one until all is done, and checks their total cost. After forget the next call starts
 * anew. A loosened item may go anywhere among its equals; tidy makes the ranks canonical. */
bool goal_is_possible(const ghost *of, uint32_t goal);
void goal_go(uint32_t goal, uint32_t budget);
void goal_finish(uint32_t goal, bool anew);
void goal_forget(void);
void goal_loosen(uint32_t position);
void goal_tidy(void);

/* ghost.c. ghost_note_insert checks what an insert has returned, and records it. */
hm_handle ghost_handle(ghost_item item);
void ghost_make_item(unsigned char *item, ghost_item who);
ghost_item ghost_read(const void *item);
unsigned char *ghost_item_at(uint32_t position);
uint32_t ghost_position(hm_handle handle);
uint32_t ghost_live_slots(const ghost *of); /* as a set */
bool ghost_is_same(ghost_item a, ghost_item b);
bool ghost_is_spent(uint32_t slot); /* no generation left, and not live */
uint32_t ghost_room(void);          /* for items, memory permitting */
void ghost_note_insert(hm_handle handle, uint8_t key);

/* Checks all that is visible of a state: all handle values, items, meta, statistics, memory. */
void ghost_check(void);

/* step.c: the steps. */
extern const world_verb_name step_verbs[];
void step_list(world_actions *list);
bool step_is_possible(const void *state, const world_action *action);
uint32_t step_take(const void *before, const world_action *action, uint32_t refuse, bool *changed);

/* The map's hooks. */
void step_destroyed(void *item, void *context);
void step_relocated(void *item, uint32_t from, uint32_t to, void *context);

#endif

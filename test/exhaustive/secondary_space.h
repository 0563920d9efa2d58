/* SPDX-License-Identifier: MIT */
/* The state space of a secondary: the secondary, a naive model of it, and its steps.
 *
 * The model (`secondary_ghost`) is the list of the owners and their values' keys, in dense order.
 * That determines the answer for every handle value: a secondary remembers nothing of the owners
 * whose values are gone. The model also knows which arrangement is under way, and which values were
 * set meanwhile. There is no container of owners. */
#ifndef TEST_EXHAUSTIVE_SECONDARY_H
#define TEST_EXHAUSTIVE_SECONDARY_H

#include "arena.h"
#include "blank.h"
#include "search.h"

#include <handle_map/secondary.h>

enum {
    SECONDARY_SLOTS = 6,
    SECONDARY_VALUES = 4,
    SECONDARY_ARRAYS = 6,  /* values, owners, pieces, positions, marks, scratch */
    SECONDARY_WINDOW = 48, /* bytes that the largest needs, except scratch, the last */
    SECONDARY_BYTES = SECONDARY_WINDOW * (SECONDARY_ARRAYS - 1) + SPACE_SCRATCH
};

/* The goals: orders, then arrangements. */
typedef enum secondary_goal {
    SECONDARY_BY_KEY = 1,
    SECONDARY_BY_COMPARE, /* the highest key first */
    SECONDARY_LAST_FIRST, /* all slots, the last one first */
    SECONDARY_SOME_FIRST, /* two slots, between handles that are no owners */
    SECONDARY_GOALS
} secondary_goal;

typedef struct secondary_value {
    uint8_t slot, generation, key;
    uint8_t is_late; /* set since the arrangement began, which may have passed its name already */
} secondary_value;

typedef struct secondary_ghost {
    uint8_t count;
    uint8_t arranging; /* the arrangement that is not done; 0: none */
    secondary_value dense[SECONDARY_VALUES];
} secondary_ghost;

typedef struct secondary_state {
    hm_secondary secondary;
    arena_memory memory;
    secondary_ghost model;
    unsigned char bytes[SECONDARY_BYTES];
} secondary_state;

/* The live secondary, and what its callbacks have recorded in this step. */
typedef struct secondary_live {
    const space_config *config;
    hm_secondary secondary;
    secondary_ghost model;
    uint32_t destroyed; /* set of slots */
    uint32_t expected;  /* set of slots whose values the step must destroy */
    uint32_t asked;     /* calls of key, compare or predicate */
    uint32_t doomed;    /* set of positions */
} secondary_live;

extern secondary_live side;

/* secondary_space.c: functions for the search. */
void secondary_capture(void *into);
void secondary_restore(const void *from);

/* secondary_ghost.c. The position of a handle's value, or of a slot's value, or
 * HM_INVALID_INDEX. `fill` makes the bytes of a value. `follow` reads the positions of the values
 * after a step that may have moved any, and checks that the owners are the same. */
hm_handle secondary_owner(secondary_value value);
uint32_t secondary_position(hm_handle handle);
uint32_t secondary_in_slot(uint32_t slot);
bool secondary_may_own(hm_handle handle);
unsigned char *secondary_at(uint32_t position);
void secondary_fill(unsigned char *bytes, secondary_value value);
bool secondary_is_intact(uint32_t position);
void secondary_follow(void);
void secondary_check(void);

/* secondary_goal.c: bringing the values into order. go makes one call within a budget; finish makes
 * calls with the least one until all is done. */
enum { SECONDARY_BUDGETS = 5 };
void secondary_go(uint32_t goal, uint32_t budget);
void secondary_finish(uint32_t goal, bool anew);
void secondary_begin_goal(uint32_t goal); /* 0: none is under way, or it looks at all names again */

/* secondary_step.c. */
extern const space_verb_name secondary_verbs[];
void secondary_destroyed(void *value, void *context);
void secondary_list(space_actions *list);
bool secondary_is_possible(const void *state, const space_action *action);
uint32_t secondary_take(const void *state, const space_action *action, uint32_t refuse,
                        bool *changed);

#endif

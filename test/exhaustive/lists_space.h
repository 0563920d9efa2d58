/* SPDX-License-Identifier: MIT */
/* The state space of lists: the lists, a naive model of them, and their steps.
 *
 * The model (`lists_ghost`) knows which lists are live, in the order of handle_at, the keys of
 * their items, and the highest generation that each slot was issued with. Where the items are is
 * not in the model: a step compares it with where they were before. */
#ifndef TEST_EXHAUSTIVE_LISTS_H
#define TEST_EXHAUSTIVE_LISTS_H

#include "arena.h"
#include "search.h"

#include <handle_map/lists.h>

enum {
    LISTS_SLOTS = 4,
    LISTS_ITEMS = 7,   /* in all lists */
    LISTS_ITEM = 40,   /* bytes, at most */
    LISTS_COLUMN = 64, /* bytes that a column needs, at most */
    LISTS_IDS = 192,   /* bytes: entries, slots, floors */
    LISTS_RANGE = 448, /* bytes, for blocks */
    LISTS_BYTES = LISTS_COLUMN + LISTS_IDS + LISTS_RANGE
};

typedef struct lists_row {
    uint8_t slot, generation, count;
    uint8_t keys[LISTS_ITEMS];
} lists_row;

typedef struct lists_ghost {
    uint8_t highest[LISTS_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t dropped;              /* a trim has dropped slots, or may have raised a floor */
    uint8_t count, item_count;
    lists_row dense[LISTS_SLOTS];
} lists_ghost;

typedef struct lists_state {
    hm_lists lists;
    arena_memory memory;
    lists_ghost model;
    unsigned char bytes[LISTS_BYTES];
} lists_state;

typedef struct lists_live {
    const space_config *config;
    hm_lists lists;
    lists_ghost model;
    uint32_t asked, doomed; /* calls of the predicate; set of indices */
} lists_live;

extern lists_live many;

/* lists_space.c: functions for the search. */
/* Blanks what a create or a commit writes before it is read: what is behind the columns, and the
 * counts of arrays, which lists set at a trim. */
void lists_blank(hm_lists *lists);

void lists_capture(void *into);
void lists_restore(const void *from);

/* lists_ghost.c. The position of the list that a handle names, or HM_INVALID_INDEX; how many lists
 * may still be created, memory permitting; the units that may be had in a row. */
hm_handle lists_handle(const lists_row *row);
uint32_t lists_position(hm_handle handle);
uint32_t lists_room(void);
uint32_t lists_longest_run(void);
void lists_fill(unsigned char *item, const lists_row *row, uint32_t key);
void lists_check_packed(void);
void lists_check(void);

/* lists_step.c. */
extern const space_verb_name lists_verbs[];
void lists_create(void);
void lists_list(space_actions *list);
bool lists_is_possible(const void *state, const space_action *action);
uint32_t lists_take(const void *state, const space_action *action, uint32_t refuse, bool *changed);

#endif

/* SPDX-License-Identifier: MIT */
/* The state space of an index: the index, a naive model of it, and its steps.
 *
 * The model (`index_ghost`) has for each slot the generation and the key of the owner that is
 * there. That determines the answer for every handle value. In which order the members of a key
 * are, and where, is not in the model. */
#ifndef TEST_EXHAUSTIVE_INDEX_H
#define TEST_EXHAUSTIVE_INDEX_H

#include "arena.h"
#include "search.h"

#include <handle_map/index.h>

enum {
    INDEX_SLOTS = 3,
    INDEX_KEYS = 3,
    INDEX_COLUMNS = 7, /* four of the secondary, records of lists, buckets, heads */
    INDEX_COLUMN = 96, /* bytes that one needs, at most */
    INDEX_IDS = 288,   /* bytes: entries, slots, floors of the lists */
    INDEX_RANGE = 544, /* bytes, for blocks */
    INDEX_BYTES = INDEX_COLUMNS * INDEX_COLUMN + INDEX_IDS + INDEX_RANGE
};

typedef enum index_verb {
    INDEX_SET,        /* handle, by its number; key */
    INDEX_SET_TWO,    /* a batch: two slots, 0 a null handle instead of the first; two keys */
    INDEX_REMOVE,     /* handle, by its number */
    INDEX_REMOVE_KEY, /* key */
    INDEX_REMOVE_IF,  /* set of slots */
    INDEX_CLEAR,
    INDEX_TRIM,
    INDEX_RESERVE,   /* number */
    INDEX_DEFRAGMENT /* swaps; 0: no limit */
} index_verb;

typedef struct index_ghost {
    uint8_t generation[INDEX_SLOTS]; /* 0: no owner */
    uint8_t key[INDEX_SLOTS];        /* number */
} index_ghost;

typedef struct index_state {
    hm_index index;
    arena_memory memory;
    index_ghost model;
    unsigned char bytes[INDEX_BYTES];
} index_state;

typedef struct index_live {
    const space_config *config;
    hm_index index;
    index_ghost model;
    uint32_t asked, doomed; /* sets of slots */
} index_live;

extern index_live keyed;

/* index_space.c: functions for the search, and the model. */
void index_capture(void *into);
void index_restore(const void *from);
uint64_t index_key(uint32_t number);
uint32_t index_count(const index_ghost *model);
bool index_has(hm_handle handle);

/* index_step.c. */
extern const space_verb_name index_verbs[];
void index_list(space_actions *list);
bool index_is_possible(const void *state, const space_action *action);
uint32_t index_take(const void *state, const space_action *action, uint32_t refuse, bool *changed);

#endif

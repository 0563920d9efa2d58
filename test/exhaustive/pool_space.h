/* SPDX-License-Identifier: MIT */
/* The state space of a pool: the pool, a naive model of it, and its steps.
 *
 * The model (`pool_ghost`) knows how often each slot was issued, which slots are live, and the
 * address at which each item was inserted and must stay. In a space with settled slots these come
 * first, so that the others are where one word of 64 bits ends and the next begins. */
#ifndef TEST_EXHAUSTIVE_POOL_H
#define TEST_EXHAUSTIVE_POOL_H

#include "arena.h"
#include "search.h"

#include <handle_map/pool.h>

enum {
    POOL_FREE_SLOTS = 6,  /* most that are not settled */
    POOL_MOST_SLOTS = 72, /* with the settled ones */
    POOL_ITEM = 16,       /* bytes, at most */
    POOL_SMALL = 64,      /* windows of the arena, bytes */
    POOL_BLOCK = 144,
    POOL_LARGE = 288,
    POOL_BYTES = 10 * POOL_SMALL + 2 * POOL_BLOCK + 2 * POOL_LARGE
};

typedef struct pool_ghost {
    unsigned char
        *place[POOL_FREE_SLOTS];      /* where the live item was inserted; NULL: none is live */
    uint8_t highest[POOL_FREE_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t settled_live;             /* whether the settled slots are live, or else retired */
} pool_ghost;

typedef struct pool_state {
    hm_pool pool;
    arena_memory memory;
    pool_ghost model;
    unsigned char bytes[POOL_BYTES]; /* as many as the arena has in this space */
} pool_state;

typedef struct pool_live {
    const space_config *config;
    hm_pool pool;
    pool_ghost model;
    bool destroyed[POOL_MOST_SLOTS]; /* in this step */
    uint32_t destroy_from;           /* destroy goes upward from here */
} pool_live;

extern pool_live now;

/* pool_space.c: functions for the search. */
void pool_capture(void *into);
void pool_restore(const void *from);
bool pool_holds_items(uint32_t range); /* and not a column */

/* pool_ghost.c. The address of a live slot's item, or NULL; the highest generation that a slot was
 * issued with; the number of slots that were issued, are live, are retired; how many items may
 * still be inserted, memory permitting. */
unsigned char *pool_place(const pool_ghost *of, uint32_t slot);
uint32_t pool_generation(uint32_t slot);
uint32_t pool_issued(void);
uint32_t pool_count_live(void);
uint32_t pool_count_retired(void);
uint32_t pool_room(void);
hm_handle pool_handle(uint32_t slot); /* the last one issued */
void pool_fill(unsigned char *item, uint32_t slot, uint32_t generation);
void pool_settle(uint32_t slot);
bool pool_is_intact(uint32_t slot);
hm_handle_state pool_explained(hm_handle handle);
void pool_check(void);

/* pool_step.c. */
enum { POOL_COPIED, POOL_CLEARED, POOL_EMPLACED };
extern const space_verb_name pool_verbs[];
void pool_insert(uint32_t way);
void pool_destroyed(void *item, void *context);
void pool_list(space_actions *list);
bool pool_is_possible(const void *state, const space_action *action);
uint32_t pool_take(const void *state, const space_action *action, uint32_t refuse, bool *changed);

#endif

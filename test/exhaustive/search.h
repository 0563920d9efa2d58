/* SPDX-License-Identifier: MIT */
/* What the search needs from a container's state space, and provides for it.
 *
 *     space_kind     a container with its naive model, and all steps
 *     space_config   how large it is
 *     a state        a copy of container, model and memory, canonical: equal bytes behave equally
 *
 * There is one live state at a time. */
#ifndef TEST_EXHAUSTIVE_SEARCH_H
#define TEST_EXHAUSTIVE_SEARCH_H

#include "support/runner.h"

#include <handle_map/handle.h>
#include <handle_map/pool.h>

enum {
    SPACE_NO_TRIM = 1,  /* in left_out of an index or a world: no trim */
    SPACE_NO_PAIRS = 2, /* no batch of an index */
    SPACE_NO_RESERVE = 4,
    SPACE_NO_CREATE = 8,
    SPACE_NO_CREATE_N = 16,
    SPACE_NO_DESTROY_N = 32,
    SPACE_NO_CHANGE = 64,
    SPACE_LIVES = 3, /* items of a slot, with generations of 2 bits */
    SPACE_TYPE_ID = 5,
    SPACE_BLANK = 0xDD, /* fills memory that must not be read; not a valid count, slot or handle */
    SPACE_MOST_ACTIONS = 1024,
    SPACE_COLUMNS = 3,
    SPACE_ZEROED = 255 /* instead of a key: insert without an item */
};

HM_STATIC_ASSERT(HM_HANDLE_MAX_GENERATION == SPACE_LIVES, "the narrowed header is not in use");

/* The goals: orders, then arrangements. */
typedef enum space_goal {
    SPACE_NO_GOAL = 0,
    SPACE_BY_KEY,
    SPACE_BY_COMPARE, /* the highest key first */
    SPACE_BY_BOTH,    /* a coarse key, then compare */
    SPACE_BY_COLUMN,  /* a table's second column, which has the highest key first */
    SPACE_LAST_FIRST, /* all slots */
    SPACE_SOME_FIRST, /* two slots */
    SPACE_FIRST_FIRST,
    SPACE_GOALS
} space_goal;

typedef struct space_config {
    const char *name;
    uint32_t capacity, max_slots;
    size_t page_size, item_size, meta_size; /* bytes */
    uint8_t keys;                           /* items have a key below this */
    uint8_t goals;                          /* map, table, secondary: set of the goals to request */
    uint8_t spent_lives;                    /* of each slot, before the search begins */
    bool full;                              /* begins with as many items as fit */
    bool hooks;                             /* all hooks of the container are set */
    bool hashed;                            /* index: keys without a limit */
    bool adopts;                            /* handles of all slots are adopted */
    bool slow;                              /* left out of the fast form */
    uint8_t lanes;                          /* table: as in its descriptor */
    uint8_t cells[SPACE_COLUMNS];           /* table: bytes of a cell in each column; 0: none.
                                               world: of a component's value */
    uint16_t left_out;                      /* world, index: set of verbs that are no steps */
    const char *components; /* world: a letter for each: c in tables, s sparse; C and S with a
                               destroy hook; t a tag */
    hm_storage storage;     /* pool */
    uint8_t block_size;     /* pool: bytes */
    uint8_t settled;        /* pool: number of slots that have their last item when the search
                                 begins, which only clear erases */
    uint8_t max_items;      /* lists */
    uint8_t units;          /* lists, index: of the range, no more than init reserves */
} space_config;

typedef struct space_action {
    uint32_t verb, a, b, c; /* an operation of the subject, and its numbers */
    bool is_quiet;          /* makes no memory call */
} space_action;

typedef struct space_actions {
    uint32_t count;
    space_action actions[SPACE_MOST_ACTIONS];
} space_actions;

typedef struct space_kind {
    const test_subject *subject; /* whose name is that of the container */
    size_t hashed_size; /* bytes at the start of a state that tell it from others; 0: all */
    /* begin makes the live state, after each reservation was refused once; returns the bytes of a
     * state, a multiple of 8. end frees it. */
    size_t (*begin)(const space_config *config);
    void (*end)(void);
    /* Checks all that is visible of a state. The live state may be unusable afterwards. */
    void (*check)(void);
    /* Lists every action, and whether it makes sense in this state. */
    void (*list)(space_actions *list);
    bool (*is_possible)(const void *state, const space_action *action);
    /* Takes the action in the live state, which `before` was captured from, and checks the results
     * of the step itself. The memory call with number `refuse` fails; 0: none. Returns the number
     * of memory calls, and false in *changed if all is still `before`. */
    uint32_t (*take)(const void *before, const space_action *action, uint32_t refuse,
                     bool *changed);
} space_kind;

extern const space_kind index_space, lists_space, map_space, pool_space, secondary_space,
    table_space, world_space;

/* Returns a size that is rounded up to whole pages, in bytes. */
size_t space_in_pages(const space_config *config, size_t size);

/* Every handle value that can matter has a number: each slot and two beyond, each generation and
 * one beyond, the own type and a foreign one, free bit or not. Those of a slot are consecutive.
 * Every fourth one has the own type and no free bit. */
enum { SPACE_SLOT_VALUES = (SPACE_LIVES + 2) * 4 };
uint32_t space_handle_values(const space_config *config);
hm_handle space_handle_value(uint32_t n);
hm_handle space_name(uint32_t slot, uint32_t generation, uint32_t type_id, bool free);

#endif

/* SPDX-License-Identifier: MIT */
/* One state space: a container of a few items that have handles, a naive model of it, and all
 * steps.
 *
 *     the live state  = container + model + arena
 *     space_state     = a copy of all three, canonical: equal bytes behave equally
 *
 * The container is a map, or a table, whose items are rows. What differs between the two is what an
 * item is and how it is passed: a space_container, which map_space.c and table_space.c provide.
 *
 * The model (`ghost`) knows which items are live and where, and the highest generation that each
 * slot was ever issued with. That determines the answer for every handle value. It also knows the
 * last goal that was requested, an order or an arrangement, and which items must still be in the
 * order that they had when it began. */
#ifndef TEST_EXHAUSTIVE_H
#define TEST_EXHAUSTIVE_H

#include "arena.h"
#include "blank.h"
#include "search.h"

#include <handle_map/map.h>
#include <handle_map/table.h>

enum {
    SPACE_SLOTS = 5,
    SPACE_ITEMS = 5,
    SPACE_WINDOW = 48,   /* bytes that an array needs, except the two below */
    SPACE_RECORDS = 320, /* bytes that describe a table's columns */
    SPACE_BYTES = 9 * SPACE_WINDOW + SPACE_RECORDS + SPACE_SCRATCH,
    SPACE_BUDGETS = 5
};

#define SPACE_ORDERS SPACE_BY_COLUMN

typedef struct ghost_item {
    uint8_t slot, generation, key;
    uint8_t rank; /* among its equals: it is behind those of lower rank; 0: anywhere */
} ghost_item;

typedef struct ghost {
    uint8_t highest[SPACE_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t dropped;              /* a trim has dropped slots, or may have raised a floor */
    uint8_t count;
    uint8_t goal;               /* last requested of the map; 0: none, or it must start anew */
    uint8_t is_finished;        /* its last call was done */
    uint8_t known[SPACE_SLOTS]; /* when the arrangement began: highest */
    ghost_item dense[SPACE_ITEMS];
} ghost;

typedef union space_box {
    hm_map map;
    hm_table table;
} space_box;

typedef struct space_state {
    space_box box;
    arena_memory memory;
    ghost model;
    _Alignas(8) unsigned char bytes[SPACE_BYTES];
} space_state;

/* Instead of a key, for a table only: insert with emplace, or with a NULL value for one column. */
enum { SPACE_EMPLACED = 254, SPACE_PARTLY = 253 };

/* What a container provides. Its own functions are called for the live one. A `key` may be
 * SPACE_ZEROED and, for a table, the two above. */
typedef struct space_container {
    hm_id_table *ids;
    hm_order_state *order;
    bool has_columns;                       /* a table */
    uint32_t (*list_windows)(size_t *list); /* bytes of what init reserves; returns their number */
    hm_status (*init)(void);
    void (*fini)(void);
    hm_status (*validate)(void);
    hm_stats (*get_stats)(void);
    hm_handle_state (*explain)(hm_handle handle);
    hm_handle (*handle_at)(uint32_t position);
    hm_handle (*insert)(uint32_t key);
    hm_status (*insert_n)(uint32_t n, uint32_t first_key, hm_handle *handles);
    bool (*erase)(hm_handle handle);
    uint32_t (*erase_n)(const hm_handle *handles, uint32_t n);
    uint32_t (*erase_if)(void); /* asks step_is_doomed */
    void (*clear)(void);
    hm_status (*reserve)(uint32_t n);
    hm_status (*trim)(void);
    size_t (*needed_size)(void); /* bytes that a trim leaves to the items */
    void (*touch)(hm_handle handle);
    void (*touch_all)(void);
    hm_progress (*defragment)(const hm_order *order, bool second_column, hm_budget *budget);
    hm_progress (*arrange)(const hm_handle *names, uint32_t n, hm_budget *budget);
    /* The item that an order's function is shown: it is where its handle says, with this key. */
    ghost_item (*identify)(const void *item);
    void (*write_item)(uint32_t position, ghost_item who);
    void (*check_item)(uint32_t position, ghost_item who); /* It is what write_item has written. */
    void (*check_new)(uint32_t position, uint32_t key);    /* It is what insert was given. */
    void (*check_handle)(hm_handle handle, uint32_t position); /* or HM_INVALID_INDEX */
    void (*check_layout)(void);                                /* what else can be seen */
    void (*blank_items)(void);                                 /* as blank.h, behind the items */
} space_container;

/* Defines the functions that have the same form in both modules, and initialises their members. */
#define SPACE_CALLS(name)                                                                          \
    static void call_fini(void)                                                                    \
    {                                                                                              \
        hm_##name##_fini(&live.box.name);                                                          \
    }                                                                                              \
    static hm_status call_validate(void)                                                           \
    {                                                                                              \
        return hm_##name##_validate(&live.box.name);                                               \
    }                                                                                              \
    static hm_stats call_get_stats(void)                                                           \
    {                                                                                              \
        return hm_##name##_get_stats(&live.box.name);                                              \
    }                                                                                              \
    static hm_handle_state call_explain(hm_handle handle)                                          \
    {                                                                                              \
        return hm_##name##_explain(&live.box.name, handle);                                        \
    }                                                                                              \
    static hm_handle call_handle_at(uint32_t position)                                             \
    {                                                                                              \
        return hm_##name##_handle_at(&live.box.name, position);                                    \
    }                                                                                              \
    static bool call_erase(hm_handle handle)                                                       \
    {                                                                                              \
        return hm_##name##_erase(&live.box.name, handle);                                          \
    }                                                                                              \
    static uint32_t call_erase_n(const hm_handle *handles, uint32_t n)                             \
    {                                                                                              \
        return hm_##name##_erase_n(&live.box.name, handles, n);                                    \
    }                                                                                              \
    static void call_clear(void)                                                                   \
    {                                                                                              \
        hm_##name##_clear(&live.box.name);                                                         \
    }                                                                                              \
    static hm_status call_reserve(uint32_t n)                                                      \
    {                                                                                              \
        return hm_##name##_reserve(&live.box.name, n);                                             \
    }                                                                                              \
    static hm_status call_trim(void)                                                               \
    {                                                                                              \
        return hm_##name##_trim(&live.box.name);                                                   \
    }                                                                                              \
    static void call_touch(hm_handle handle)                                                       \
    {                                                                                              \
        hm_##name##_touch(&live.box.name, handle);                                                 \
    }                                                                                              \
    static void call_touch_all(void)                                                               \
    {                                                                                              \
        hm_##name##_touch_all(&live.box.name);                                                     \
    }                                                                                              \
    static hm_progress call_arrange(const hm_handle *names, uint32_t n, hm_budget *budget)         \
    {                                                                                              \
        return hm_##name##_arrange(&live.box.name, names, n, budget);                              \
    }

#define SPACE_CALL_MEMBERS(name)                                                                   \
    .ids = &live.box.name.ids, .order = &live.box.name.order, .fini = call_fini,                   \
    .validate = call_validate, .get_stats = call_get_stats, .explain = call_explain,               \
    .handle_at = call_handle_at, .erase = call_erase, .erase_n = call_erase_n,                     \
    .clear = call_clear, .reserve = call_reserve, .trim = call_trim, .touch = call_touch,          \
    .touch_all = call_touch_all, .arrange = call_arrange

typedef struct space {
    const space_config *config;
    const space_container *container;
    space_box box;
    ghost model;
} space;

extern space live;

/* What the callbacks have recorded in this step. */
typedef struct space_calls {
    uint32_t destroyed;             /* set of slots */
    uint32_t position[SPACE_SLOTS]; /* of live slots, from the reports of relocate */
    uint32_t moved;                 /* calls of relocate */
    uint32_t asked;                 /* calls of key, compare or predicate */
    uint32_t doomed;                /* set of positions */
    uint32_t seen;                  /* set of positions that the predicate saw, before the step */
    ghost_item order[SPACE_ITEMS];  /* in which the predicate saw them */
} space_calls;

extern space_calls calls;

typedef enum space_verb {
    SPACE_INSERT,   /* key, or a number in place of one */
    SPACE_INSERT_N, /* number, first key or a number in place of one */
    SPACE_ERASE,    /* handle, by its number */
    SPACE_ERASE_N,  /* set of positions, whether the last comes first */
    SPACE_ERASE_IF, /* set of positions */
    SPACE_CLEAR,    /* - */
    SPACE_TRIM,     /* - */
    SPACE_RESERVE,  /* number */
    SPACE_TOUCH,    /* handle, by its number */
    SPACE_EDIT,     /* position, key: written in place, then touched */
    SPACE_EDIT_ALL, /* number, added to each key in place; then all are touched */
    SPACE_GO,       /* goal, budget: one call of defragment or arrange */
    SPACE_FINISH    /* goal, whether all are touched first: calls until it is done */
} space_verb;

/* space.c: functions for the search. */
size_t space_begin(const space_config *config, const space_container *container);
void space_end(void);
void space_capture(void *state);
void space_restore(const void *state);
bool space_is_untouched(const space_state *before);
size_t space_in_pages(size_t size);

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
uint32_t ghost_position(hm_handle handle);
uint32_t ghost_live_slots(const ghost *of); /* as a set */
bool ghost_is_spent(uint32_t slot);         /* no generation left, and not live */
uint32_t ghost_room(void);                  /* for items, memory permitting */
void ghost_note_insert(hm_handle handle, uint32_t key);

/* Checks all that is visible of a state: all handle values, items, statistics, memory; and that
 * fini gives all back. */
void ghost_check(void);

/* step.c: the steps. */
extern const space_verb_name step_verbs[];
void step_list(space_actions *list);
bool step_is_possible(const void *state, const space_action *action);
uint32_t step_take(const void *before, const space_action *action, uint32_t refuse, bool *changed);

/* Whether erase_if erases the item at this position; it asks in dense order, once for each. */
bool step_is_doomed(uint32_t position);

#endif

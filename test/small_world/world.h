/* One small world: a handle map of a few slots, a naive model of it, and all that can be done.
 *
 *     the live world  = map + model + arena (what the map's memory table gave out)
 *     world_state     = a copy of all three, canonical: equal bytes behave equally
 *
 * The model (`ghost`) knows which items live where, and the highest generation that each slot was
 * ever issued with. From that follows how every handle value must be answered. It also knows the
 * goal that the map was last asked to bring its items to, an order or an arrangement, and which
 * items must still stand in the order in which they stood when that began. */
#ifndef TEST_SMALL_WORLD_H
#define TEST_SMALL_WORLD_H

#include <handle_map/map.h>

enum {
    WORLD_SLOTS = 5,
    WORLD_ITEMS = 4,
    WORLD_LIVES = 3,  /* of a slot, with generations of 2 bits */
    WORLD_ARRAYS = 7, /* entries, slots, floors, items, meta, marks, scratch */
    WORLD_WINDOW =
        48, /* bytes that the largest of them needs, but for scratch, which is the last */
    WORLD_SCRATCH = 176,
    WORLD_TYPE_ID = 5,
    WORLD_BLANK = 0xDD, /* fills memory that must not be read; no count, slot or handle is so */
    WORLD_MOST_ACTIONS = 1024,
    WORLD_ZEROED = 255, /* in place of a key: insert without an item */
    WORLD_BUDGETS = 5
};

static_assert(HM_HANDLE_MAX_GENERATION == WORLD_LIVES, "the narrowed header is not in use");

/* What items can be brought to: orders, then arrangements. */
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

typedef struct world_config {
    const char *name;
    uint32_t capacity, max_slots;
    size_t page_size, item_size, meta_size; /* bytes */
    uint8_t keys;                           /* items carry a key below it */
    uint8_t goals;                          /* set of those that are asked for */
    uint8_t spent_lives;                    /* of each slot, before the search begins */
    bool full;                              /* begins with as many items as fit */
    bool hooks;                             /* destroy and relocate are set */
    bool slow;                              /* left out of the fast form */
} world_config;

typedef struct ghost_item {
    uint8_t slot, generation, key;
    uint8_t rank; /* among its equals: it stands behind those of lower rank; 0: anywhere */
} ghost_item;

typedef struct ghost {
    uint8_t highest[WORLD_SLOTS]; /* generation that the slot was issued with; 0: never */
    uint8_t dropped;              /* a trim has dropped slots, or may have raised a floor */
    uint8_t count;
    uint8_t goal;        /* that the map was last asked for; 0: none, or it must start anew */
    uint8_t is_finished; /* the last call for it was done */
    uint8_t known[WORLD_SLOTS]; /* when the arrangement began: highest */
    ghost_item dense[WORLD_ITEMS];
} ghost;

/* What the map's memory table gave out. */
typedef struct world_memory {
    uint32_t reserved[WORLD_ARRAYS];  /* bytes; 0: not reserved */
    uint32_t committed[WORLD_ARRAYS]; /* bit p: page p */
} world_memory;

typedef struct world_state {
    hm_map map;
    world_memory memory;
    ghost model;
    unsigned char bytes[WORLD_ARRAYS - 1][WORLD_WINDOW];
    unsigned char scratch[WORLD_SCRATCH];
} world_state;

typedef struct world {
    const world_config *config;
    hm_map map;
    ghost model;
    world_memory memory;
    uint32_t memory_calls;           /* in this step */
    uint32_t refuse_from, refuse_to; /* memory calls with these numbers fail */
    bool refused;                    /* one has */
} world;

extern world live;

/* What the callbacks have seen in this step. */
typedef struct world_calls {
    uint32_t destroyed;             /* set of slots */
    uint32_t position[WORLD_SLOTS]; /* of live slots, as relocate tells it */
    uint32_t moved;                 /* calls of relocate */
    uint32_t asked;                 /* calls of key, compare or predicate */
    uint32_t doomed;                /* set of positions */
    uint32_t seen;                  /* the same, of the items asked about, as they stood before */
    ghost_item order[WORLD_ITEMS];  /* in which they were asked about */
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

typedef struct world_action {
    world_verb verb;
    uint32_t a, b;
} world_action;

typedef struct world_actions {
    uint32_t count;
    world_action actions[WORLD_MOST_ACTIONS];
} world_actions;

/* world.c: begin makes the live world an empty one, with each reservation refused on the way; end
 * frees it. Capture and restore copy it, made canonical, and back. */
void world_begin(const world_config *config);
void world_end(void);
void world_capture(world_state *state);
void world_restore(const world_state *state);
bool world_is_untouched(const world_state *before);
unsigned char *world_window(uint32_t array, uint32_t *size);

/* blank.c: gives the live world's bytes that mean nothing one look. The arena must be open. */
void blank_the_dead(void);

/* goal.c: bringing the items into order. Go makes one call within a budget; finish makes calls with
 * the least one until all is done, and checks what they cost together. After forget the next call
 * begins. An item that is loosened may come to stand anywhere among its equals; tidy brings the
 * ranks into the one form that says no more than that. */
bool goal_is_possible(const ghost *of, uint32_t goal);
void goal_go(uint32_t goal, uint32_t budget);
void goal_finish(uint32_t goal, bool anew);
void goal_forget(void);
void goal_loosen(uint32_t position);
void goal_tidy(void);

/* ghost.c: every handle value that can matter has a number. The other names say it; ghost_born
 * checks what an insert has returned, and enters it. */
uint32_t ghost_handle_values(void);
hm_handle ghost_handle_value(uint32_t n);
hm_handle ghost_handle(ghost_item item);
hm_handle ghost_name(uint32_t slot, uint32_t generation, uint32_t type_id, bool free);
void ghost_make_item(unsigned char *item, ghost_item who);
ghost_item ghost_read(const void *item);
unsigned char *ghost_item_at(uint32_t position);
uint32_t ghost_position(hm_handle handle);
uint32_t ghost_live_slots(const ghost *of); /* as a set */
bool ghost_is_same(ghost_item a, ghost_item b);
bool ghost_is_spent(uint32_t slot); /* all lives, and the last is over */
uint32_t ghost_room(void);          /* for items, memory permitting */
void ghost_born(hm_handle handle, uint8_t key);

/* Checks everything that a state shows: all handle values, items, meta, statistics, memory. */
void ghost_check(void);

/* step.c: lists every action, and says whether it means anything in this state. */
void step_list(world_actions *list);
bool step_is_possible(const world_state *state, const world_action *action);

/* Does the action to the live world, which is the one that `before` was captured from, and checks
 * whatever the step itself shows. The memory call with number `refuse` fails; 0: none does.
 * Returns the number of memory calls, and false in *changed where the world is `before` still. */
uint32_t step_take(const world_state *before, const world_action *action, uint32_t refuse,
                   bool *changed);

/* The map's hooks. */
void step_destroyed(void *item, void *context);
void step_relocated(void *item, uint32_t from, uint32_t to, void *context);

/* search.c: prints what does not hold and how it came about, and ends the program. */
_Noreturn void world_violated(const char *file, int line, const char *condition);

#define CHECK(condition) ((condition) ? (void)0 : world_violated(__FILE__, __LINE__, #condition))

#endif

/* SPDX-License-Identifier: MIT */
/* A naive model of what a map and a table have in common, which every operation is compared with:
 * items in dense order, which are named by handles and can be put in order. An item of a table is a
 * row.
 *
 * The model knows slots by number, and the dense order as a plain list of handles. It tracks each
 * item's position by the reports of relocate alone, and counts the reports of destroy for each
 * item. Each operation runs on the container and on the model and compares the answers; after each
 * one everything else is compared.
 *
 *     dense_model.c     what was issued and what is live: insert, erase, trim
 *     dense_orders.c    orders, honest and lying; arrangements; searches
 *     map_model.c, table_model.c    a dense_kind: how items are passed, and what else they show
 *
 * Of an order the model knows its goal, and for each item that had its place when the goal was set
 * a rank: equal items whose ranks are known keep their order. */
#ifndef TEST_DENSE_MODEL_H
#define TEST_DENSE_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/map.h>
#include <handle_map/table.h>

#ifndef HM_EXHAUSTIVE
enum {
    DENSE_MODEL_ITEMS = 3000, /* the largest capacity */
    DENSE_MODEL_SLOTS = DENSE_MODEL_ITEMS + 600,
    DENSE_MODEL_NAMES = 200 /* most handles to arrange by */
};
#endif
enum {
    DENSE_MODEL_BATCH = 80,     /* most items that insert_n copies, and handles of erase_n */
    DENSE_MODEL_PAST = 256,     /* handles of erased items to probe */
    DENSE_MODEL_COLUMNS = 10,   /* most of a table */
    DENSE_MODEL_SET = 28,       /* positions that an argument chooses of; those above repeat */
    DENSE_MODEL_META = 2,       /* in the zeros of an item of a map; 1: the item itself */
    DENSE_MODEL_ARRANGED = 1000 /* a goal: arrangements are from here on, orders below */
};

typedef struct dense_slot {
    uint64_t value;      /* pattern of the item's bytes, and with it of its meta or its cells */
    uint32_t zeros;      /* a bit for each part of the item that is zero instead: each column; or
                          * the item, and its meta */
    uint32_t generation; /* the last one issued; 0: none */
    uint32_t position;   /* dense index, from the reports of relocate; 0 if there are none */
    uint32_t rank;       /* the item is behind its equals of a lower rank; 0: anywhere */
    uint32_t destroyed;  /* reports of destroy for this item */
    uint32_t is_live;
} dense_slot;

typedef enum dense_lie {
    DENSE_ALL_EQUAL,
    DENSE_FIRST_IS_SMALLER, /* whichever is asked first */
    DENSE_FIRST_IS_LARGER,
    DENSE_BY_PLACE, /* by the item's address, which a move changes */
    DENSE_TURNING,  /* reversed after every 16 calls */
    DENSE_RANDOM,
    DENSE_LIES
} dense_lie;

typedef enum dense_by {
    DENSE_BY_COMPARE, /* the largest first */
    DENSE_BY_KEY,
    DENSE_BY_BOTH, /* a coarse key, then compare */
    DENSE_HONEST_ORDERS,
    DENSE_LYING_COMPARE = DENSE_HONEST_ORDERS,
    DENSE_LYING_KEY,
    DENSE_LYING_BOTH,
    DENSE_ORDERS
} dense_by;

typedef enum dense_way {
    DENSE_COPY,
    DENSE_ZERO,
    DENSE_EMPLACE,
    DENSE_WAYS,
    DENSE_ADOPT = DENSE_WAYS /* under the handle `adoptee` */
} dense_way;

typedef struct dense_model {
    const struct dense_kind *kind;
    uint32_t capacity, max_slots, type_id;
    bool is_table, has_destroy, has_relocate;
    test_memory memory;
    hm_map_desc map_desc;
    hm_table_desc table_desc;
    hm_column columns[DENSE_MODEL_COLUMNS];
    void *places[DENSE_MODEL_COLUMNS]; /* where row 0's cells are, once there was one */
    uint32_t keys; /* an item is one of so many keys, its slot and generation, and never zero;
                    * 0: any value */
    /* Writes the names of an arrangement, by its number; NULL: they are drawn. */
    uint32_t (*name)(struct dense_model *model, uint32_t which);
    hm_handle past[DENSE_MODEL_PAST];
    uint32_t past_count;         /* handles ever stored there */
    uint32_t tick;               /* checks */
    uint32_t doomed;             /* erase_if: set of positions */
    bool from_the_back;          /* destroy must be called for the last item */
    hm_handle last_destroyed;    /* by this call; must not resolve at the next destroy */
    uint32_t asked, callbacks;   /* calls of the predicate; of any callback */
    uint64_t relocated, ordered; /* calls of relocate; of compare and key */
    dense_lie lie;
    uint64_t noise;         /* state of random lies */
    uint32_t by, column;    /* what the orders' functions compare by now, a dense_by */
    unsigned char probe[2]; /* what searches search for: as much as compare and key read */
    bool is_searching;      /* in a search */
    hm_handle adoptee;
    hm_status adopted; /* what the last adopt returned */
    /* From here on, all that operations depend on. */
    union {
        hm_map map;
        hm_table table;
    };
    dense_slot slots[DENSE_MODEL_SLOTS];
    hm_handle dense[DENSE_MODEL_ITEMS]; /* the live handles, in dense order */
    uint32_t count;                     /* of `dense` */
    uint32_t spent;                     /* free slots whose generation is the last */
    uint32_t dropped;    /* a trim has dropped slots, or may have raised a generation floor */
    uint32_t has_floors; /* a trim has dropped slots */
    uint32_t goal;       /* what was last asked of the order; 0: nothing, or it begins anew */
    uint32_t is_stopped; /* and was not done: moves may be in progress */
    uint32_t name_count;
    hm_handle names[DENSE_MODEL_NAMES]; /* of the last arrangement */
} dense_model;

/* What differs between a map and a table. A slot's record that is given has its item at `position`;
 * `item` is what the functions of orders are shown: of a table, a cell of the model's column. */
typedef struct dense_kind {
    /* `zeros` has parts that are given no value, `handles` may be NULL. */
    hm_handle (*insert)(dense_model *model, dense_way way, uint32_t zeros, uint64_t value);
    hm_status (*insert_n)(dense_model *model, uint32_t n, uint32_t zeros, const uint64_t *values,
                          hm_handle *handles);
    uint32_t (*erase_if)(dense_model *model); /* asks dense_model_is_doomed */
    hm_progress (*defragment)(dense_model *model, const hm_order *order, hm_frame_budget *budget);
    uint32_t (*bound)(const dense_model *model, bool upper, const hm_order *order);
    uint32_t (*index_of)(const dense_model *model, hm_handle handle);
    hm_handle (*handle_of)(const dense_model *model, const void *item);
    const void *(*item_at)(const dense_model *model, uint32_t position);
    size_t (*item_size)(const dense_model *model);
    /* Whether all bytes of the item are what the record says, where they must be. */
    bool (*holds)(const dense_model *model, const dense_slot *record, uint32_t position);
    void (*write)(dense_model *model, const dense_slot *record, uint32_t position);
    /* Lookups of this handle, whose item is there or at HM_INVALID_INDEX; what else is visible; and
     * calls that must be refused in a callback. */
    void (*probe)(const dense_model *model, hm_handle handle, uint32_t position);
    void (*check)(const dense_model *model, uint32_t random);
    void (*check_busy)(dense_model *model);
} dense_kind;

/* Call a verb that has the same form in both modules. */
#define DENSE_ASK(model, verb)                                                                     \
    ((model)->is_table ? hm_table_##verb(&(model)->table) : hm_map_##verb(&(model)->map))
#define DENSE_CALL(model, verb, ...)                                                               \
    ((model)->is_table ? hm_table_##verb(&(model)->table, __VA_ARGS__)                             \
                       : hm_map_##verb(&(model)->map, __VA_ARGS__))

/* Initialises what descriptors say; the caller then sets destroy and relocate, and inits. */
void dense_model_init(dense_model *model, const dense_kind *kind, uint32_t capacity,
                      uint32_t max_slots, uint32_t type_id, size_t page_size);
void dense_model_fini(dense_model *model);

/* Of a subject: compares all that is visible from outside; finishes and frees the model. */
void dense_model_check(void *state);
void dense_model_end(void *state);

/* Returns the live item that the handle names, or NULL; and where it is, or HM_INVALID_INDEX. */
dense_slot *dense_model_find(const dense_model *model, hm_handle handle);
uint32_t dense_model_position(const dense_model *model, hm_handle handle);

/* Whether the item there is whole, and where the model has it. */
bool dense_model_holds(const dense_model *model, uint32_t position);

/* Returns a handle to try: live (kind 0 to 7), erased, null, damaged, guessed, an entry or noise.
 */
hm_handle dense_model_pick(const dense_model *model, uint32_t kind, uint32_t which, uint32_t noise);

/* Compares what the lookups of this handle answer. refuse also passes it, unless it resolves, to
 * every function that must not change anything then. */
void dense_model_probe(const dense_model *model, hm_handle handle);
void dense_model_refuse(dense_model *model, hm_handle handle);

/* For callbacks: of destroy and relocate, of the predicate of erase_if, and what holds in all. */
void dense_model_destroyed(dense_model *model, uint32_t position);
void dense_model_relocated(dense_model *model, uint32_t from, uint32_t to);
bool dense_model_is_doomed(dense_model *model, uint32_t position);
void dense_model_in_callback(dense_model *model);

/* The container has inserted this item behind the last one. */
void dense_model_note_insert(dense_model *model, hm_handle handle, uint32_t zeros, uint64_t value);

/* Erases on both sides; `handles` may name nothing, and name an item twice. */
void dense_model_erase(dense_model *model, hm_handle handle, bool at_its_index);
void dense_model_erase_n(dense_model *model, const hm_handle *handles, uint32_t n);

/* Of orders: forgets the goal; reads the positions anew, which an order has changed; says that an
 * item may be anywhere among its equals; returns the class of the item there, items of a lower one
 * being first; and searches by all orders. */
void dense_model_forget(dense_model *model);
void dense_model_read_positions(dense_model *model);
void dense_model_loosen(dense_model *model, uint32_t position);
uint32_t dense_model_class(dense_model *model, uint32_t position);
void dense_model_check_searches(dense_model *model, uint32_t random);

/* The operations, with how often random scripts draw them. */
#define DENSE_OPERATION(name)                                                                      \
    void dense_model_run_##name(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
#define DENSE_ROW(name, weight)                                                                    \
    {                                                                                              \
#name, weight, dense_model_run_##name                                                      \
    }
DENSE_OPERATION(insert)
DENSE_OPERATION(insert_n)
DENSE_OPERATION(insert_burst)
DENSE_OPERATION(adopt)
DENSE_OPERATION(reload)
DENSE_OPERATION(reserve)
DENSE_OPERATION(erase)
DENSE_OPERATION(erase_n)
DENSE_OPERATION(erase_set)
DENSE_OPERATION(erase_if)
DENSE_OPERATION(clear)
DENSE_OPERATION(trim)
DENSE_OPERATION(edit)
DENSE_OPERATION(touch)
DENSE_OPERATION(touch_all)
DENSE_OPERATION(probe)
DENSE_OPERATION(age)
DENSE_OPERATION(refuse)
DENSE_OPERATION(defragment)
DENSE_OPERATION(lie)
DENSE_OPERATION(arrange)

#endif

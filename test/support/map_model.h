/* SPDX-License-Identifier: MIT */
/* A naive model of the map, which every operation is compared with.
 *
 * The model knows slots by number, and the dense order as a plain list of handles that it changes
 * by moving the list's elements one by one. It tracks each item's position by the reports of the
 * relocate hook alone, and counts the reports of the destroy hook for each item. Each model_<verb>
 * runs the operation on the map and on the model and compares the answers; model_check compares
 * everything else.
 *
 * The subjects at the end connect it to the runner and the fuzzer: all operations of a map, hostile
 * handles, and orders that lie. */
#ifndef TEST_MAP_MODEL_H
#define TEST_MAP_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/map.h>

enum {
    MODEL_BATCH = 32,       /* most items that insert_n copies, and handles of erase_n */
    MODEL_PAST = 256,       /* handles of erased items to probe */
    MODEL_NAMES = 200,      /* most handles to arrange by */
    MODEL_ORDERS = 5,       /* to defragment by: */
    MODEL_HONEST_ORDERS = 2 /* by compare, by key; then lying ones: by compare, by key, by both */
};

typedef struct model_slot {
    uint64_t value;      /* pattern of the item's bytes, unless item_zero */
    uint64_t meta;       /* pattern of the meta bytes, unless meta_zero */
    uint32_t generation; /* the last one issued; 0: none */
    uint32_t position;   /* dense index, from the reports of relocate */
    uint32_t destroyed;  /* reports of destroy for this item */
    bool live, item_zero, meta_zero;
} model_slot;

typedef enum model_lie {
    MODEL_ALL_EQUAL,
    MODEL_FIRST_IS_SMALLER, /* whichever is asked first */
    MODEL_FIRST_IS_LARGER,
    MODEL_BY_PLACE, /* by the item's address, which a move changes */
    MODEL_TURNING,  /* reversed after every 16 calls */
    MODEL_RANDOM,
    MODEL_LIES
} model_lie;

typedef struct map_model {
    hm_map map;
    hm_map_desc desc;
    test_memory memory;
    hm_order orders[MODEL_ORDERS];
    model_lie lie;
    uint64_t noise;               /* state of random lies */
    model_slot *slots;            /* max_slots of them */
    hm_handle *dense;             /* the live handles in dense order */
    uint32_t count;               /* of `dense` */
    uint32_t spent;               /* free slots whose generation is the last */
    unsigned char *buffer;        /* MODEL_BATCH items */
    hm_handle names[MODEL_NAMES]; /* the names of the last arrange */
    uint32_t name_count;
    hm_handle past[MODEL_PAST];
    uint32_t past_count;         /* handles ever stored there */
    uint32_t tick;               /* checks */
    uint32_t doomed_of_8;        /* erase_if: how many of 8 values are doomed */
    bool refuses;                /* memory will refuse the next operation a call */
    bool trimmed;                /* since then generations may rise by more than one */
    bool from_the_back;          /* destroy must be called for the last item */
    bool is_stopped;             /* in the middle of an order: moves are in progress */
    hm_handle last_destroyed;    /* must not resolve at the next destroy */
    uint32_t asked, callbacks;   /* calls of the predicate; of any callback */
    uint64_t relocated, ordered; /* calls of relocate; of compare and key */
    unsigned char probe[2];      /* what searches search for: as much as compare and key read */
    bool is_searching;           /* in a search */
} map_model;

typedef enum model_way { MODEL_COPY, MODEL_NULL, MODEL_EMPLACE, MODEL_WAYS } model_way;

/* `desc` names size, alignment, meta, capacity, max_slots and type id; the hooks are set here. */
void model_init(map_model *model, const hm_map_desc *desc, size_t page_size, bool destroy,
                bool relocate);
void model_fini(map_model *model);

/* Compares all that is visible from outside, and probes a handle. */
void model_check(map_model *model);

/* Returns the live item that the handle names, or NULL, as the map must do. */
model_slot *model_find(const map_model *model, hm_handle handle);

/* Returns the number of items that may still be inserted, memory permitting. */
uint32_t model_room(const map_model *model);

/* Returns a handle to try: live (kind 0 to 7), erased, null, damaged, guessed, foreign or noise. */
hm_handle model_pick(const map_model *model, uint32_t kind, uint32_t which, uint32_t noise);

/* Calls all queries of the map for one handle. */
void model_probe(const map_model *model, hm_handle handle);

void model_insert(map_model *model, model_way way, uint64_t value);

/* Values count up from `value`; `copy` is for n up to MODEL_BATCH, otherwise items are zero. */
void model_insert_n(map_model *model, uint32_t n, bool copy, uint64_t value);

/* After a reserve, n inserts succeed although the system refuses everything. */
void model_reserve(map_model *model, uint32_t n, uint64_t value);

void model_erase(map_model *model, hm_handle handle);
void model_erase_n(map_model *model, const hm_handle *handles, uint32_t n);
void model_erase_if(map_model *model, uint32_t doomed_of_8);
void model_clear(map_model *model);
void model_trim(map_model *model);
void model_edit(map_model *model, hm_handle handle, uint64_t value);

/* Defragments by one of the orders; to_the_end: in calls until it is done, which it must become. */
void model_defragment(map_model *model, uint32_t which, hm_budget budget, bool to_the_end);

/* Puts n handles, drawn by `random` as model_pick draws them, before the others. */
void model_arrange(map_model *model, uint32_t n, uint32_t random, hm_budget budget,
                   bool to_the_end);

/* Makes one more call for the handles of the last arrange, unless that was done. */
void model_arrange_on(map_model *model, hm_budget budget);

/* Gives a free slot a late generation, `left` before the last, without as many reuses. */
void model_age(map_model *model, uint32_t which, uint32_t left);

/* Functions that the model's own files share. */

/* Returns the handle of an item that the map has passed to a callback. */
hm_handle model_handle_of(const map_model *model, const void *item);

/* Checks what holds inside every callback. */
void model_in_callback(map_model *model);

void model_set_orders(map_model *model);

/* Searches by every order, in order or not, for the leading bytes of an item or others. */
void model_check_searches(map_model *model, uint32_t random);

/* Reads the positions, which may have changed; model_check checks that each handle is there once,
 * with its item. */
void model_read_positions(map_model *model);

extern const test_subject map_subject, hostile_subject, lying_subject;

#endif

/* SPDX-License-Identifier: MIT */
/* A naive model of lists, which every operation is compared with.
 *
 * The model is an array of handles, each with the values of its items. Each model operation runs on
 * the lists and on the model and compares the answers; after each one everything else is compared,
 * also where the items are: only a list that grows may move, and defragment moves any. */
#ifndef TEST_LISTS_MODEL_H
#define TEST_LISTS_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/lists.h>

#ifndef HM_EXHAUSTIVE
enum {
    LISTS_MODEL_LISTS = 60, /* the largest capacity */
    LISTS_MODEL_SLOTS = LISTS_MODEL_LISTS + 20000,
    LISTS_MODEL_ITEMS = 600 /* the largest max_items */
};
#endif
enum { LISTS_MODEL_PAST = 64 /* handles of destroyed lists to probe */ };

#define LISTS_MODEL_ZERO UINT64_MAX /* the value of an item that is zero */

typedef struct lists_model_list {
    hm_handle list;
    const void *place; /* of the items */
    uint32_t count;
    uint64_t values[LISTS_MODEL_ITEMS]; /* patterns of the items' bytes; or that */
} lists_model_list;

typedef struct lists_model {
    hm_lists_desc given; /* that the lists were made with */
    hm_lists_desc desc;  /* the same; without a capacity its limit is in its place */
    test_memory memory;
    hm_handle past[LISTS_MODEL_PAST];
    uint32_t past_count; /* handles ever stored there */
    uint32_t tick;       /* checks */
    uint32_t keys;       /* values are below this, and none is zero; 0: any values */
    uint32_t destroyed;  /* reports of destroy since the last check */
    uint32_t ended;      /* items that ended since then */
    bool is_unbounded;
    const unsigned char *base; /* where the range was when the places were noted */
    /* From here on, all that operations depend on. */
    hm_lists lists;
    lists_model_list entries[LISTS_MODEL_LISTS]; /* in the order of handle_at */
    uint32_t count;
    uint32_t item_count;
    uint16_t issued[LISTS_MODEL_SLOTS]; /* the last generation of each slot; 0: none */
    uint32_t spent;                     /* slots without a list whose generation is the last */
    uint32_t is_trimmed;                /* since then generations may rise by more than one */
} lists_model;

extern const test_subject lists_subject;

/* `desc` has all fields but the memory. Returns what init returns. */
hm_status lists_model_init(lists_model *model, const hm_lists_desc *desc, size_t page_size);
void lists_model_fini(lists_model *model);

/* Returns the entry of exactly this handle, or NULL. */
lists_model_list *lists_model_find(lists_model *model, hm_handle handle);

/* Whether the item has this value; and reads where the items of the list, or after the range has
 * moved of all, are. */
bool lists_model_holds(const lists_model *model, const void *item, uint64_t value);
void lists_model_refresh(lists_model *model, lists_model_list *entry);

/* The list that an operation changes: kind, which, noise; its other arguments are arguments[0] / 16
 * and arguments[2]. The entry is NULL if the handle does not resolve. */
hm_handle lists_model_pick_list(lists_model *model, const uint32_t arguments[TEST_ARGUMENTS],
                                lists_model_list **entry);

/* The list is new, and empty. */
void lists_model_note_created(lists_model *model, hm_handle list);

/* Compares what the lookups of this handle answer. */
void lists_model_probe(lists_model *model, hm_handle handle);

/* Checks that all that would change the list of this handle, which names none, is refused. */
void lists_model_check_refused(lists_model *model, hm_handle handle);

/* Operations of lists_items.c. */
void lists_model_push(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_push_n(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_insert_at(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_resize(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_erase_at(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_erase_ordered_at(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void lists_model_erase_if(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

#endif

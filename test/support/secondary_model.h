/* SPDX-License-Identifier: MIT */
/* A naive model of the secondary, which every operation is compared with.
 *
 * The model is a plain list of owners and values in dense order, searched from the start. Each
 * model operation runs on the secondary and on the model and compares the answers; after each one
 * everything else is compared. There is no container of owners: the handles are made up. */
#ifndef TEST_SECONDARY_MODEL_H
#define TEST_SECONDARY_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/secondary.h>

#ifndef HM_EXHAUSTIVE
enum { SECONDARY_MODEL_VALUES = 300 }; /* the largest capacity */
#endif
enum {
    SECONDARY_MODEL_PAST = 64,  /* handles of removed values to probe */
    SECONDARY_MODEL_NAMES = 100 /* most handles to arrange by */
};

typedef enum secondary_model_how {
    SECONDARY_MODEL_GIVEN,
    SECONDARY_MODEL_ZERO,  /* no value is given */
    SECONDARY_MODEL_ITSELF /* what is given is in the place of the slot's value, if it has one */
} secondary_model_how;

typedef struct secondary_model_entry {
    hm_handle owner;
    uint64_t value;     /* pattern of the value's bytes, unless is_zero */
    uint32_t destroyed; /* reports of destroy for this value */
    bool is_zero;
    bool is_late; /* set since the arrangement began, which may have passed its name already */
} secondary_model_entry;

typedef struct secondary_model {
    hm_secondary_desc desc;
    test_memory memory;
    uint32_t keys;     /* a value is one of so many keys, its slot and generation, and never zero;
                        * 0: any value */
    uint32_t refusals; /* of owners: then nothing has changed */
    hm_handle past[SECONDARY_MODEL_PAST];
    uint32_t past_count;                       /* handles ever stored there */
    hm_handle names[2][SECONDARY_MODEL_NAMES]; /* two lists to arrange by */
    uint32_t name_counts[2];
    uint32_t tick;          /* checks */
    uint32_t doomed;        /* set of positions that remove_if removes; those above repeat */
    uint32_t asked;         /* calls of the predicate */
    uint64_t ordered;       /* calls of compare and key */
    unsigned char probe[2]; /* what searches search for: as much as compare and key read */
    bool is_searching;      /* in a search */
    bool is_scattered;      /* owners' indices are all over the index space */
    bool was_moving;        /* the call finds moves in progress, and ends them */
    bool from_the_back;     /* destroy must be called for the last value */
    /* From here on, all that operations depend on. */
    hm_secondary secondary;
    secondary_model_entry entries[SECONDARY_MODEL_VALUES]; /* in dense order */
    uint32_t count;
    uint32_t arranging; /* the list, from 1, whose arrangement is not done; 0: none */
} secondary_model;

extern const test_subject secondary_subject;

/* Returns the entry of exactly this handle, or NULL. */
secondary_model_entry *secondary_model_find(secondary_model *model, hm_handle handle);

/* `desc` has all fields but hook, context and memory; returns what init returns. */
hm_status secondary_model_init(secondary_model *model, const hm_secondary_desc *desc, bool has_hook,
                               size_t page_size);
void secondary_model_fini(secondary_model *model);

/* Sets a value on both sides. */
void secondary_model_set(secondary_model *model, hm_handle owner, secondary_model_how how,
                         uint64_t value);

/* Compares what the lookups of this handle answer. refuse also passes it, unless it resolves, to
 * every function that must not change anything then. */
void secondary_model_probe(secondary_model *model, hm_handle handle);
void secondary_model_refuse(secondary_model *model, hm_handle handle);

/* Returns a handle to try: an owner (kind 0 to 5), the next or an earlier life of its slot, any
 * that may be an owner's, one that was, null, damaged, foreign, too high, or noise. pick_many
 * writes some, and returns their number. */
hm_handle secondary_model_pick(const secondary_model *model, uint32_t kind, uint32_t which,
                               uint32_t noise);
uint32_t secondary_model_pick_many(const secondary_model *model, hm_handle *handles,
                                   uint32_t number, uint64_t random, uint32_t kinds);

/* Returns the entry of a value that a callback gets; and checks what holds in each callback. */
secondary_model_entry *secondary_model_entry_of(secondary_model *model, const void *value);
void secondary_model_in_callback(secondary_model *model, uint32_t noise);

/* What an owner's value is when it is made from this number; write overwrites one in place. */
uint64_t secondary_model_value(const secondary_model *model, hm_handle owner, uint64_t value);
void secondary_model_write(secondary_model *model, secondary_model_entry *entry, uint64_t value);

/* Begins an arrangement, again too, or 0: none is under way. */
void secondary_model_begin_goal(secondary_model *model, uint32_t arranging);

/* Reads the dense order anew, after it was changed by an order: the owners must be the same. */
void secondary_model_read_order(secondary_model *model);

/* Searches by key (0) or compare (1) for the leading bytes of a value, or for others. What is
 * answered is right; returns whether it is answered. */
bool secondary_model_search(secondary_model *model, uint32_t which, uint32_t random);

/* Operations. */
void secondary_model_edit(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_defragment(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_arrange(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_touch_all(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

#endif

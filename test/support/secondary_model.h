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

enum {
    SECONDARY_MODEL_VALUES = 300, /* the largest capacity */
    SECONDARY_MODEL_PAST = 64,    /* handles of removed values to probe */
    SECONDARY_MODEL_NAMES = 100   /* most handles to arrange by */
};

typedef struct secondary_model_entry {
    hm_handle owner;
    uint64_t value;     /* pattern of the value's bytes, unless is_zero */
    uint32_t destroyed; /* reports of destroy for this value */
    bool is_zero;
} secondary_model_entry;

typedef struct secondary_model {
    hm_secondary secondary;
    hm_secondary_desc desc;
    test_memory memory;
    secondary_model_entry entries[SECONDARY_MODEL_VALUES]; /* in dense order */
    uint32_t count;
    hm_handle past[SECONDARY_MODEL_PAST];
    uint32_t past_count; /* handles ever stored there */
    hm_handle names[SECONDARY_MODEL_NAMES];
    uint32_t name_count;
    uint32_t tick;          /* checks */
    uint32_t third;         /* of the owners: the one that remove_if removes */
    uint32_t asked;         /* calls of the predicate */
    uint64_t ordered;       /* calls of compare and key */
    unsigned char probe[2]; /* what searches search for: as much as compare and key read */
    bool is_searching;      /* in a search */
    bool is_scattered;      /* owners' indices are all over the index space */
    bool is_stopped;        /* in the middle of an order: moves are in progress */
    bool from_the_back;     /* destroy must be called for the last value */
    bool refuses;           /* memory will refuse the next operation a call */
} secondary_model;

extern const test_subject secondary_subject;

/* Returns the entry of exactly this handle, or NULL. */
secondary_model_entry *secondary_model_find(secondary_model *model, hm_handle handle);

/* Sets a value on both sides; is_zero: none is given. */
void secondary_model_set(secondary_model *model, hm_handle owner, bool is_zero, uint64_t value);

/* Compares what the lookups of this handle answer. */
void secondary_model_probe(secondary_model *model, hm_handle handle);

#endif

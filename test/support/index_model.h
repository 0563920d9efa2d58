/* SPDX-License-Identifier: MIT */
/* A naive model of an index, which every operation is compared with.
 *
 * The model is an array of owners and their keys. Each model operation runs on the index and on the
 * model and compares the answers; after each one everything else is compared. The order of a key's
 * members is not: unit tests look at it. There is no container of owners: the handles are made up.
 */
#ifndef TEST_INDEX_MODEL_H
#define TEST_INDEX_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/index.h>

#ifndef HM_EXHAUSTIVE
enum { INDEX_MODEL_OWNERS = 120 }; /* the largest capacity */
#endif
enum {
    INDEX_MODEL_KEYS = 40,  /* keys that are in use, by number */
    INDEX_MODEL_BATCH = 60, /* most owners of a batch */
    INDEX_MODEL_PAST = 64   /* handles of removed owners to probe */
};

typedef struct index_model_entry {
    hm_handle owner;
    uint32_t key; /* number */
} index_model_entry;

typedef struct index_model {
    hm_index_desc given; /* that the index was made with */
    hm_index_desc desc;  /* the same; without a capacity its limit is in its place */
    test_memory memory;
    uint32_t keys; /* that are in use; the next is one that no index with a key_limit accepts */
    uint32_t first_life; /* of a slot in set_two */
    uint32_t refusals;   /* of arguments: then nothing has changed */
    hm_handle past[INDEX_MODEL_PAST];
    uint32_t past_count; /* handles ever stored there */
    uint32_t doomed;     /* set of slots that remove_if removes; those above repeat */
    uint32_t asked;      /* calls of the predicate */
    uint32_t tick;       /* checks */
    /* From here on, all that operations depend on. */
    hm_index index;
    index_model_entry entries[INDEX_MODEL_OWNERS];
    uint32_t count;
} index_model;

extern const test_subject index_subject;

/* Returns the entry of exactly this handle, or NULL. */
index_model_entry *index_model_find(index_model *model, hm_handle handle);

/* `desc` has all fields but the memory; returns what init returns. */
hm_status index_model_init(index_model *model, const hm_index_desc *desc, size_t page_size);
void index_model_fini(index_model *model);

/* Sets the key with this number on both sides. */
void index_model_set(index_model *model, hm_handle owner, uint32_t key);

/* Compares what the lookups of this handle answer. */
void index_model_probe(index_model *model, hm_handle handle);

#endif

/* SPDX-License-Identifier: MIT */
/* A naive model of the pool, which every operation is compared with, for each of the storages.
 *
 * The model knows slots by number: what was issued there, whether it is live, and the address at
 * which its item was inserted and must stay. Each model operation runs on the pool and on the model
 * and compares the answers; after each one everything else is compared. */
#ifndef TEST_POOL_MODEL_H
#define TEST_POOL_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/pool.h>

enum { POOL_MODEL_PAST = 256 }; /* handles of erased items to probe */
#ifndef HM_EXHAUSTIVE
enum { POOL_MODEL_SLOTS = 9600 }; /* the largest max_slots */
#endif

typedef struct pool_model_slot {
    unsigned char *place; /* where the item was inserted */
    uint64_t value;       /* pattern of the item's bytes, unless is_zero */
    uint32_t generation;  /* the last one issued; 0: none */
    uint32_t destroyed;   /* reports of destroy for this item */
    uint32_t is_live, is_zero;
} pool_model_slot;

typedef struct pool_model {
    hm_pool_desc desc;
    test_memory memory;
    hm_handle past[POOL_MODEL_PAST];
    uint32_t past_count;    /* handles ever stored there */
    uint32_t tick;          /* checks */
    uint32_t doomed, first; /* erase_if: set of slots from the first on; those above repeat */
    uint32_t last_slot;     /* where destroy ran last in a clear, plus 1 */
    bool clearing;          /* destroy must go upward */
    bool is_plain;          /* an item's value is its slot and generation, and none is zero */
    /* From here on, all that operations depend on. */
    hm_pool pool;
    pool_model_slot slots[POOL_MODEL_SLOTS];
    uint32_t count;                    /* live ones */
    uint32_t end;                      /* slots that were issued */
    uint32_t retired;                  /* slots that are retired */
    uint32_t recent[POOL_MODEL_SLOTS]; /* the holes that insert fills first, the latest last */
    uint32_t recent_count;
} pool_model;

extern const test_subject pool_subject;

/* `desc` has all fields but memory and context; has_hook: destroy is the model's. Returns what init
 * returns. */
hm_status pool_model_init(pool_model *model, const hm_pool_desc *desc, bool has_hook,
                          size_t page_size);
void pool_model_fini(pool_model *model);

/* Calls all queries of the pool for one handle, and tries to erase it if it names nothing. */
void pool_model_probe(pool_model *model, hm_handle handle);

/* Returns the handle of the item that has this byte. */
hm_handle pool_model_owner_of(const pool_model *model, uintptr_t address);

/* The pool has inserted this item. */
void pool_model_note_insert(pool_model *model, hm_handle handle, bool is_zero, uint64_t value);

/* Functions of pool_holes.c: which holes are recent. take_recent takes the latest one, or returns
 * HM_INVALID_INDEX. */
uint32_t pool_model_take_recent(pool_model *model);
void pool_model_forget_recent(pool_model *model);
void pool_model_note_hole(pool_model *model, uint32_t slot);

#endif

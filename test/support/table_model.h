/* SPDX-License-Identifier: MIT */
/* A naive model of the table, which every operation is compared with, for each layout.
 *
 * The model knows slots by number, with the pattern of each cell, and the rows as a plain list of
 * handles. Each operation runs on the table and on the model and compares the answers; after each
 * one everything else is compared, the lanes past the last row too. */
#ifndef TEST_TABLE_MODEL_H
#define TEST_TABLE_MODEL_H

#include "memory.h"
#include "runner.h"

#include <handle_map/table.h>

enum {
    TABLE_MODEL_COLUMNS = 10, /* most */
    TABLE_MODEL_PAST = 256,   /* handles of erased rows to probe */
    TABLE_MODEL_NAMES = 64,   /* most handles to arrange by */
    TABLE_MODEL_LAYOUTS = 6   /* begin's third argument modulo this chooses the lanes */
};

typedef struct table_model_slot {
    uint64_t values[TABLE_MODEL_COLUMNS]; /* pattern of each cell's bytes, unless it is zero */
    uint32_t zeros;                       /* a bit for each column whose cell is zero */
    uint32_t generation;                  /* the last one issued; 0: none */
    uint32_t destroyed;                   /* reports of destroy for this row */
    bool is_live;
} table_model_slot;

typedef struct table_model {
    hm_table table;
    hm_table_desc desc;
    hm_column columns[TABLE_MODEL_COLUMNS];
    void *places[TABLE_MODEL_COLUMNS]; /* where row 0's cells are, once there was one */
    test_memory memory;
    hm_order orders[2];      /* by compare, by key */
    table_model_slot *slots; /* max_slots of them */
    hm_handle *rows;         /* the live handles, in the order of their rows */
    uint32_t count;          /* rows */
    uint32_t spent;          /* free slots whose generation is the last */
    hm_handle past[TABLE_MODEL_PAST];
    uint32_t past_count; /* handles ever stored there */
    hm_handle names[TABLE_MODEL_NAMES];
    uint32_t name_count;    /* of the last arrange */
    uint32_t order_column;  /* what the orders are for, in this call */
    uint32_t tick;          /* checks */
    uint32_t asked;         /* calls of the predicate, or of compare and key */
    uint32_t third;         /* of the slots: the one that erase_if erases */
    unsigned char probe[2]; /* what searches search for: as much as compare and key read */
    bool is_searching;      /* in a search */
    bool from_the_back;     /* destroy must be called for the last row */
    bool refuses;           /* memory will refuse the next operation a call */
    bool trimmed;           /* since then generations may rise by more than one */
} table_model;

/* Returns the live row that the handle names, or NULL, as the table must do. */
table_model_slot *table_model_find(const table_model *model, hm_handle handle);

/* Calls all queries of the table for one handle. */
void table_model_probe(const table_model *model, hm_handle handle);

/* Functions that the model's own files share. */

/* Whether the handle names a row that has its cells. */
bool table_model_holds(const table_model *model, hm_handle handle);

/* Checks what must hold in every callback. */
void table_model_in_callback(table_model *model);

void table_model_set_orders(table_model *model);

/* Searches for a cell of the ordered column by one order, with the leading bytes of a row or
 * others. If it is answered, checks the answer, and the order of all rows; returns whether it is.
 */
bool table_model_search(table_model *model, const hm_order *order, uint32_t random);

/* Searches by every order, in order or not. */
void table_model_check_searches(table_model *model, uint32_t random);

/* Operations that pass handles of any bits; and addresses near a cell, of this column or another,
 * or any 48 bits. A handle that resolves is looked up only, since the model would not know of an
 * end.
 */
void table_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void table_model_hostile_address(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

extern const test_subject table_subject;

#endif

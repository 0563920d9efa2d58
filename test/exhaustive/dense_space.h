/* SPDX-License-Identifier: MIT */
/* The state spaces of a map or a table: their steps and states, but for what an item is. */
#ifndef TEST_EXHAUSTIVE_DENSE_SPACE_H
#define TEST_EXHAUSTIVE_DENSE_SPACE_H

#include "blank.h"
#include "subject.h"

#include "support/dense_model.h"

enum { DENSE_WINDOW = 48 /* bytes that an array needs, except an order's scratch memory */ };

typedef struct dense_space {
    const test_subject *subject;
    uint32_t (*list_windows)(size_t *list); /* bytes of what init reserves; returns their number */
    hm_status (*init)(void);
    size_t (*needed_size)(void); /* bytes that a trim leaves to the items */
    void (*blank_items)(void);   /* as blank.h, behind the items */
    hm_status (*save)(hm_sink sink);
    hm_status (*load)(hm_source source);
} dense_space;

/* The live model, and how large it is. */
extern dense_model dense;
extern const space_config *dense_config;

size_t dense_space_begin(const space_config *config, const dense_space *space);

/* Members of the kind. */
void dense_space_end(void);
void dense_space_list(space_actions *list);
bool dense_space_is_possible(const void *state, const space_action *action);
uint32_t dense_space_take(const void *before, const space_action *action, uint32_t refuse,
                          bool *changed);

#endif

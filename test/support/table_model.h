/* SPDX-License-Identifier: MIT */
/* The naive model of the table, a dense model (dense_model.h), for each layout: the cells of a row
 * follow from its value, and the lanes past the last row must be zero. */
#ifndef TEST_TABLE_MODEL_H
#define TEST_TABLE_MODEL_H

#include "dense_model.h"

enum { TABLE_MODEL_LAYOUTS = 6 /* begin's third argument modulo this chooses the lanes */ };

/* `desc` has all fields but hook, context and memory; returns what init does. */
hm_status table_model_init(dense_model *model, const hm_table_desc *desc, size_t page_size,
                           bool destroy);

extern const test_subject table_subject;

#endif

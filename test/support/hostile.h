/* SPDX-License-Identifier: MIT */
/* Operations of the models that pass handles and addresses of any bits to every function that takes
 * one. A handle that resolves is looked up only, or set, since the model would not know of an end.
 */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include "index_model.h"
#include "lists_model.h"
#include "secondary_model.h"
#include "table_model.h"

/* Returns a handle that should mostly be refused: the upper half is any bits, or combined with that
 * of `named`; the index is low, high, that of `named`, or that with a bit that must not be ignored.
 */
hm_handle test_hostile_handle(hm_handle named, const uint32_t arguments[TEST_ARGUMENTS]);

/* A key that nothing has comes along. */
void index_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* What may be an owner becomes one. */
void index_model_hostile_set(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

void lists_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_hostile_set(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void table_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* An address near a cell, of this column or another, or any 48 bits. */
void table_model_hostile_address(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

#endif

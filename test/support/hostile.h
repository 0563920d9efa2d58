/* SPDX-License-Identifier: MIT */
/* Operations of the models that pass handles and addresses of any bits to every function that takes
 * one. A handle that resolves is looked up only, or set, since the model would not know of an end.
 */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include "secondary_model.h"
#include "table_model.h"

void secondary_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void secondary_model_hostile_set(void *state, const uint32_t arguments[TEST_ARGUMENTS]);
void table_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* An address near a cell, of this column or another, or any 48 bits. */
void table_model_hostile_address(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

#endif

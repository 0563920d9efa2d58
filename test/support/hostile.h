/* SPDX-License-Identifier: MIT */
/* Operations of the model of a table that pass handles and addresses of any bits to every function
 * that takes one. A handle that resolves is looked up only, since the model would not know of an
 * end.
 */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include "table_model.h"

void table_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

/* An address near a cell, of this column or another, or any 48 bits. */
void table_model_hostile_address(void *state, const uint32_t arguments[TEST_ARGUMENTS]);

#endif

/* SPDX-License-Identifier: MIT */
/* The naive model of the map, a dense model (dense_model.h), and what connects it to the runner and
 * the fuzzer: all operations of a map, hostile handles, and orders that lie. */
#ifndef TEST_MAP_MODEL_H
#define TEST_MAP_MODEL_H

#include "dense_model.h"

/* `desc` names size, alignment, meta, capacity, max_slots and type id; returns what init does. */
hm_status map_model_init(dense_model *model, const hm_map_desc *desc, size_t page_size,
                         bool destroy, bool relocate);

extern const test_subject map_subject, hostile_subject, lying_subject;

#endif

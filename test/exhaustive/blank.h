/* SPDX-License-Identifier: MIT */
/* Gives bytes that must not matter one fixed value, before a state is captured. The arena must be
 * open. */
#ifndef TEST_EXHAUSTIVE_BLANK_H
#define TEST_EXHAUSTIVE_BLANK_H

#include "order/order_private.h"

#include <handle_map/id_table.h>
#include <handle_map/lists.h>

#include <stdbool.h>

/* Bytes that an order takes, in pages of 16 bytes: its state and a word of marks, and scratch
 * memory, at most. */
enum {
    SPACE_ORDER = (sizeof(hm_order_state) + sizeof(uint64_t) + 15) / 16 * 16,
    SPACE_SCRATCH = 176
};

#define BLANK(object) memset(&(object), SPACE_BLANK, sizeof(object))

/* Bytes that the generation floors of an id table take, with their array. */
enum { SPACE_FLOORS = sizeof(hm_array) + 64 };

/* Blanks the committed memory of an array from these bytes on. */
void blank_behind(hm_array *array, size_t live_size);
void blank_floors(hm_id_table *table);

/* Blanks what an order's state does not need in its phase. */
void blank_order(hm_order_state *order, hm_links links, uint32_t slot_count);

/* Blanks what a create or a commit writes before it is read: what is behind the columns, and the
 * counts of arrays, which lists set at a trim. */
void blank_blocks(hm_lists_blocks *lists);

/* Whether anything is known of an order, which no file has. */
bool blank_order_knows(const hm_order_state *order);

/* Whether the order may look up slots that it has listed, even of items that are gone. */
bool blank_order_lists(const hm_order_state *order);

#endif

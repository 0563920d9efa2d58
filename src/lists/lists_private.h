/* SPDX-License-Identifier: MIT */
/* lists: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_LISTS_PRIVATE_H
#define HANDLE_MAP_LISTS_PRIVATE_H

#include "../array_private.h"
#include "../id_table_private.h"

#include <handle_map/lists.h>

/* As hm_lists_init, with `count` more arrays of their container in the range, as in
 * hm_id_table_init_with. */
hm_status hm_lists_init_with(hm_lists *lists, const hm_lists_desc *desc,
                             const hm_array_column *more, uint32_t count);

/* Whether lists without a capacity have no space for n more: a container with more arrays in the
 * range then calls hm_lists_grow before hm_lists_reserve or hm_lists_create. */
static inline bool hm_lists_outgrow(const hm_lists *lists, uint32_t n)
{
    return hm_id_table_outgrows(&lists->ids, n);
}

/* Moves the lists and the arrays of their container, as hm_id_table_grow does. */
hm_status hm_lists_grow(hm_lists *lists, uint32_t n, const hm_array_column *more, uint32_t count);

/* As hm_lists_trim, with the arrays of a container. */
hm_status hm_lists_trim_with(hm_lists *lists, const hm_array_column *more, uint32_t count);

/* Makes the next n pushes to a list succeed, until it becomes empty or the lists are defragmented.
 * The list must have items, and the handle must resolve. Fails as hm_lists_push_n does. May move
 * the items. If an item takes whole units, hm_lists_append_as too finds room for all n, since an
 * exact block without room is exchanged for another one here. */
hm_status hm_lists_prepare_push(hm_lists *lists, hm_handle list, uint32_t n);

/* Drops the items of all lists; the lists stay. O(lists). */
void hm_lists_drop_items(hm_lists *lists);

#endif

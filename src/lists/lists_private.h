/* SPDX-License-Identifier: MIT */
/* lists: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_LISTS_PRIVATE_H
#define HANDLE_MAP_LISTS_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/lists.h>

/* Makes the next n pushes to a list that has items succeed, until it is emptied or the lists are
 * defragmented. If an item takes whole units, hm_lists_append_as finds room for each of them: a
 * list whose block is exact has no room for another item then, and so is moved here. Fails as
 * hm_lists_push_n does; the handle must resolve. May move the items. */
hm_status hm_lists_prepare_push(hm_lists *lists, hm_handle list, uint32_t n);

/* Drops the items of all lists; the lists stay. O(lists). */
void hm_lists_drop_items(hm_lists *lists);

#endif

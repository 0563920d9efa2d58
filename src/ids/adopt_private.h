/* SPDX-License-Identifier: MIT */
/* adopt: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_ADOPT_PRIVATE_H
#define HANDLE_MAP_ADOPT_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/id_table.h>

/* Of an adopt: HM_ERROR_INVALID if the bits of a handle rule it out, or HM_ERROR_STALE if there is
 * an obstacle; and the obstacles. */
hm_status hm_adopt_judge(const char *what, const char *name, hm_handle handle, uint32_t type_id,
                         uint32_t max_slots);
hm_status hm_adopt_refuse(const char *what, const char *name, hm_handle handle,
                          const char *obstacle);
#define HM_ADOPT_IS_ALIVE "it is alive"
#define HM_ADOPT_IS_TAKEN "its slot has another item"
#define HM_ADOPT_IS_RETIRED "its slot is retired"
#define HM_ADOPT_IS_STALE "its slot has issued later ones"

/* An adopt has three steps; only the last, which cannot fail, changes what the table says.
 *
 * 1. Checks that the table can have an item under this handle: HM_ERROR_INVALID, its bits rule that
 *    out; HM_ERROR_STALE, its slot does; HM_ERROR_FULL. The next `promised` issues are taken.
 * 2. Makes memory for the slots up to the handle's, and for their positions. Without a capacity
 *    `move` moves the container, as hm_id_table_move does, if it has not enough space.
 * 3. Makes the slot the last live position. Slots that are made on the way are free, and will be
 *    issued after all others, in ascending order. */
hm_status hm_id_table_check_adopt(const hm_id_table *table, const char *what, const char *name,
                                  hm_handle handle, uint32_t promised);
hm_status hm_id_table_prepare_adopt(hm_id_table *table, hm_handle handle, void *owner,
                                    hm_status (*move)(void *owner, size_t capacity, size_t slots));
void hm_id_table_take(hm_id_table *table, hm_handle handle);

#endif

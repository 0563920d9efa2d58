/* SPDX-License-Identifier: MIT */
/* map: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_MAP_PRIVATE_H
#define HANDLE_MAP_MAP_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/map.h>

/* Returns the number of items for which all columns are committed: the limit of the guard. */
uint32_t hm_map_committed_items(const hm_map *map);

/* Moves a map, the owner, without a capacity to a range for `capacity` items and `slots` entries,
 * which are no fewer. Carries as many as the counts of its id table say. HM_ERROR_MEMORY: nothing
 * has moved. */
hm_status hm_map_move(void *owner, size_t capacity, size_t slots);

/* Passes a status on, and names the map if memory was refused. */
hm_status hm_map_tell(const hm_map *map, hm_status status);

#endif

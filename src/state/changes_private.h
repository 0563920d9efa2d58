/* SPDX-License-Identifier: MIT */
/* changes: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_CHANGES_PRIVATE_H
#define HANDLE_MAP_CHANGES_PRIVATE_H

#include <handle_map/changes.h>

/* HM_ERROR_INVALID: whatever the container has, hm_map_apply and its like refuse the change. */
hm_status hm_changes_check_map(const hm_map *map, const hm_change *change);
hm_status hm_changes_check_pool(const hm_pool *pool, const hm_change *change);
hm_status hm_changes_check_table(const hm_table *table, const hm_change *change);
hm_status hm_changes_check_secondary(const hm_secondary *secondary, const hm_change *change);
hm_status hm_changes_check_lists(const hm_lists *lists, const hm_change *change);
hm_status hm_changes_check_index(const hm_index *index, const hm_change *change);
hm_status hm_changes_check_world(const hm_world *world, const hm_change *change);

#endif

/* SPDX-License-Identifier: MIT */
/* secondary: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_SECONDARY_PRIVATE_H
#define HANDLE_MAP_SECONDARY_PRIVATE_H

#include <handle_map/secondary.h>

/* Makes n sets that add values succeed, if one of them is for this owner, which may be one, and the
 * others are for owners that were prepared too. HM_ERROR_FULL, HM_ERROR_MEMORY: nothing has
 * changed. O(1), at most three commits. */
hm_status hm_secondary_prepare(hm_secondary *secondary, uint32_t n, hm_handle owner);

/* Removes the value at this position as hm_secondary_remove does, but without the destroy hook. */
void hm_secondary_discard(hm_secondary *secondary, uint32_t index);

#endif

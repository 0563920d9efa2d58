/* SPDX-License-Identifier: MIT */
/* array: what the modules above use and programs do not. */
#ifndef HANDLE_MAP_ARRAY_PRIVATE_H
#define HANDLE_MAP_ARRAY_PRIVATE_H

#include <handle_map/array.h>
#include <handle_map/handle.h>

/* As hm_array_reserve, but does not poison what it commits: for columns that the program never
 * sees, whose owner does not say which of their items live. `grows`: items follow at once, so that
 * the pages of a step are worth bringing in. A program that asks for places ahead may never use
 * them, and so nothing becomes resident for it. */
hm_status hm_array_commit(hm_array *array, size_t count, bool grows);

/* The same for columns that the program sees: poisons what it commits. */
hm_status hm_array_prepare(hm_array *array, size_t count, bool grows);

/* As hm_array_trim, for such columns. */
hm_status hm_array_decommit(hm_array *array);

/* HM_ERROR_INVALID when an item of this size and alignment (0: the natural one) cannot be: the rule
 * of all containers. `what` names the fields: "item" for item_size and item_align. */
hm_status hm_array_check_layout(size_t size, size_t align, const char *what);

/* All that hm_array_init would call HM_ERROR_INVALID. The descriptor is not NULL; `what` as above.
 */
hm_status hm_array_check(const hm_array_desc *desc, const char *what);

/* HM_ERROR_INVALID when so many items, in whole pages, overflow size_t. The size is not 0. */
hm_status hm_array_check_size(size_t size, size_t count, const char *what, const hm_memory *memory);

/* Adds an array's sizes to those of the container that it is part of. */
void hm_array_add_sizes(const hm_array *array, hm_stats *stats);

#endif

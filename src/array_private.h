/* array: what the rooms above use and programs do not. */
#ifndef HANDLE_MAP_ARRAY_PRIVATE_H
#define HANDLE_MAP_ARRAY_PRIVATE_H

#include <handle_map/array.h>

/* As hm_array_reserve, but does not poison what it commits: for columns that the program never
 * sees, whose owner does not say which of their items live. */
hm_status hm_array_commit(hm_array *array, size_t count);

#endif

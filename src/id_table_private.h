/* id_table: what the rooms above use and programs do not. */
#ifndef HANDLE_MAP_ID_TABLE_PRIVATE_H
#define HANDLE_MAP_ID_TABLE_PRIVATE_H

#include <handle_map/memory.h>

/* Returns the size of the index space, in slots, when a descriptor leaves it open: one rule for all
 * containers. */
uint32_t hm_id_table_default_max_slots(uint32_t capacity, const hm_memory *memory);

#endif

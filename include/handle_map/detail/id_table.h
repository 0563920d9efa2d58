/* SPDX-License-Identifier: MIT */
/* detail/id_table: the struct of a table. For inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_ID_TABLE_H
#define HANDLE_MAP_DETAIL_ID_TABLE_H

#include <handle_map/array.h>
#include <handle_map/handle.h>

/* All fields are private to the library; a container reads the counts and the arrays' sizes of its
 * table. Lookup, issue and release touch only the first six, except for a slot's first issue. */
typedef struct hm_id_table {
    hm_handle *entries;   /* slot -> inner id */
    uint32_t *slots;      /* position -> slot: live ones, then free ones */
    uint32_t slot_count;  /* slots; lookups are bounded by it */
    uint32_t count;       /* live positions */
    uint32_t used;        /* live and free positions; slot_count - used slots are retired */
    uint32_t fresh_end;   /* slots; below it an entry is committed and starts at fresh_bits */
    uint64_t fresh_bits;  /* type id and generation of a slot's first issue, as handle bits */
    uint32_t max_slots;   /* slots */
    uint32_t dropped_end; /* slots; every slot that a trim has dropped is below it */
    uint32_t type_id;
    uint32_t page_slots;  /* slots in a page of entries, which share a generation floor */
    hm_array entry_array; /* hm_handle */
    hm_array slot_array;  /* uint32_t */
    hm_array floors;      /* uint16_t: page of entries -> generation floor */
} hm_id_table;

#endif

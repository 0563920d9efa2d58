/* SPDX-License-Identifier: MIT */
/* detail/id_table: the struct of a table, and how it works. For inline functions; no program needs
 * it.
 *
 * The invariant: `entries[slots[d]].index == d` for every position d below `used`, and a slot is
 * live exactly when its position is below `count`. So a lookup reads one entry; an erase swaps two
 * positions; an insert takes the slot at position `count`, reusing free slots before the table
 * grows; and clear is `count = 0`.
 *
 * A slot's generation rises when the slot is *issued*. So a slot that was erased, or cleared
 * without being looked at, refuses every earlier handle: until it is issued again because its
 * position is not below `count`, and afterwards by its generation. An erase stores only the
 * position of the freed slot.
 *
 * Handles never alias: when issue meets a slot that has used up its generations, the slot is
 * *retired*. It leaves `slots` for good, and its entry has the last generation, no position, and
 * the free bit, which no other entry has. That costs 8 bytes for 65,535 issues. When `max_slots`
 * slots are live or retired, the table is full.
 *
 * A *promised* slot waits for its item: it has left `slots`, too, and its entry has no position,
 * but not the free bit. `slots` keeps room for it.
 *
 * Trim drops the units of slots after the last live one, gives back the pages of `entries` that
 * only they took, and keeps for each dropped unit one *generation floor*, the highest generation
 * issued there. A slot that is created there again starts above the floor, so handles from before
 * the trim stay refused. A unit with a slot that is retired or has used up its generations stays,
 * since its floor would retire all slots of the unit.
 *
 * The dense and sparse pair is Briggs and Torczon's sparse set ("An Efficient Representation for
 * Sparse Sets", 1993); generations are Bilas's handle manager (Game Programming Gems, 2000). */
#ifndef HANDLE_MAP_DETAIL_ID_TABLE_H
#define HANDLE_MAP_DETAIL_ID_TABLE_H

#include <handle_map/array.h>
#include <handle_map/handle.h>

/* Slots of a unit, which share a generation floor. A trim drops whole units, the same on every
 * machine, so that the handles that follow do not depend on the size of a page. */
#ifndef HM_EXHAUSTIVE
enum { HM_ID_TABLE_UNIT = 512 };
#endif

/* All fields are private to the library; a container reads the counts and the arrays' sizes of its
 * table. Lookup, issue and release touch only the first six, except for a slot's first issue. */
typedef struct hm_id_table {
    hm_handle *entries;   /* slot -> inner id */
    uint32_t *slots;      /* position -> slot: live ones, then free ones */
    uint32_t slot_count;  /* slots; lookups are bounded by it */
    uint32_t count;       /* live positions */
    uint32_t used;        /* live and free positions; other slots are retired or promised */
    uint32_t fresh_end;   /* slots; below it an entry is committed and starts at fresh_bits */
    uint64_t fresh_bits;  /* type id and generation of a slot's first issue, as handle bits */
    uint32_t max_slots;   /* slots */
    uint32_t capacity;    /* live and promised slots, at most */
    uint32_t dropped_end; /* slots; every slot that a trim has dropped is below it */
    uint16_t type_id;
    uint16_t last_generation; /* a slot that has it is retired at its next issue */
    hm_array slot_array;      /* uint32_t; the range is this array's */
    hm_array entry_array;     /* hm_handle */
    hm_array *floors; /* uint16_t: itself and what few tables have, then unit -> floor; or NULL */
} hm_id_table;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_id_table) <= 192, "programs have many");

#endif

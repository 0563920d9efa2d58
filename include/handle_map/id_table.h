/* SPDX-License-Identifier: MIT */
/* id_table: which slots are live, at which position, and in which generation. The sparse ID table
 * under every container whose items are dense.
 *
 *     outer handle            entries (sparse)                     slots (dense)
 *     index 3, gen 7  --->  0 | gen 2, index 1 |            0 |  3  |  live
 *                           1 | gen 9, index 3 |            1 |  0  |  live
 *                           2 | gen 1, index 2 |            2 |  2  |  live    <- count = 3
 *                           3 | gen 7, index 0 |            3 |  1  |  free    <- used = 4
 *                             ^ slot                          ^ position
 *
 * Owns: two virtual arrays in one reservation; with a capacity the entries move to one of their own
 * once many slots are retired. Moves: positions, never slots: issue appends
 * position `count`, release moves the last live position into the hole, swap exchanges two. The
 * container keeps its own columns in step. Limits: capacity up to UINT32_MAX - 1, index space up to
 * UINT32_MAX, type id up to 0x7FFF. Zeroed tables, moving a table, threads: as those of containers
 * (handle_map.h). */
#ifndef HANDLE_MAP_ID_TABLE_H
#define HANDLE_MAP_ID_TABLE_H

#include <handle_map/detail/handle.h>
#include <handle_map/detail/id_table.h>

HM_BEGIN_C

/* A zero field means the default. */
typedef struct hm_id_table_desc {
    uint32_t capacity;        /* live slots, at most; 0: no limit, the table moves as it grows */
    uint32_t max_slots;       /* index space in slots, at least the capacity; 0: as for a map */
    uint16_t type_id;         /* at most 0x7FFF, or HM_TYPE_ID_UNIQUE */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 issues; 0: 16 */
    const hm_memory *memory;  /* NULL: hm_memory_os(); must outlive the table */
} hm_id_table_desc;

/* hm_id_table is a struct that programs hold by value; all of its fields, in detail/id_table.h,
 * which says how the table works, are private. */

/* Reserves address space; commits nothing, without a capacity a page. HM_ERROR_INVALID: a NULL
 * argument, a capacity, type id or generation_bits outside the limits, max_slots below the
 * capacity, a bad memory table. HM_ERROR_MEMORY: a reservation was refused. O(1), one reservation.
 */
HM_API hm_status hm_id_table_init(hm_id_table *table, const hm_id_table_desc *desc);

/* Releases everything and zeroes the table; cannot fail. May be called twice. O(1). */
HM_API void hm_id_table_fini(hm_id_table *table);

/* Makes the next n calls of issue succeed while nothing is released in between. HM_ERROR_FULL:
 * above the capacity, or the index space has no n slots left; in the second case free slots that
 * have used up their generations are retired. HM_ERROR_MEMORY: the system refuses; nothing has
 * changed. On success, such slots are retired if the next n issues would meet them. Invalidates
 * nothing. O(n + spent slots that it meets), at most two commits. */
HM_API hm_status hm_id_table_reserve(hm_id_table *table, uint32_t n);

/* Returns how many more slots reserve would prepare before it says HM_ERROR_FULL; as
 * hm_map_available. */
HM_API uint32_t hm_id_table_available(const hm_id_table *table);

/* After a reserve of n, returns for each k below n the handle that the (k + 1)-th issue from now
 * will return, until something is released, cleared or trimmed. Beyond n the answer is unspecified.
 * A const call: threads may ask together. Invalidates nothing. O(1). */
HM_API hm_handle hm_id_table_upcoming(const hm_id_table *table, uint32_t k);

/* The part of issue that is not inline: retires the free slots that have used up their generations
 * as it meets them, opens pages for fresh slots, and issues. Call it only after a reserve; then it
 * returns the handle, never null. Invalidates nothing. O(1 + slots that it retires). */
HM_API HM_COLD hm_handle hm_id_table_issue_slow(hm_id_table *table);

/* Free slots are listed in the order of issue, but their entries are anywhere in memory: so each
 * issue prefetches the entry that is needed this many issues later. That is far enough for all the
 * entries of a batch of 256. */
enum { HM_ID_TABLE_AHEAD = 256 };

/* Takes the free slot at position `count`, or a fresh one, raises its generation, and makes it the
 * last live position. Returns its outer handle, or null if that needs issue_slow. The caller has
 * made sure that position `count` is committed and within the capacity (hm_id_table_reserve). Like
 * find, contains, handle_at, release and clear, it does not check that the table is not NULL.
 * Invalidates nothing. O(1). For a container with the column `speeds`. Example:
 *
 *     if (hm_id_table_reserve(&ids, 1) == HM_OK) {
 *         hm_handle issued = hm_id_table_issue(&ids);
 *         if (hm_handle_is_null(issued))
 *             issued = hm_id_table_issue_slow(&ids);
 *         speeds[hm_id_table_count(&ids) - 1] = 0.5f;
 *     }
 *     uint32_t position = hm_id_table_find(&ids, handle);
 *     if (position != HM_INVALID_INDEX) {
 *         hm_id_table_release(&ids, handle, position);
 *         speeds[position] = speeds[hm_id_table_count(&ids)];
 *     }
 */
static inline hm_handle hm_id_table_issue(hm_id_table *table)
{
    uint32_t position = table->count;
    uint32_t slot;
    uint64_t bits; /* free bit 0, type id, generation; index 0 */
    if (position < table->used) {
        uint32_t ahead = position + HM_ID_TABLE_AHEAD, upper;
        slot = table->slots[position];
        upper = HM_CAST(uint32_t, table->entries[slot].bits >> HM_HANDLE_GENERATION_SHIFT) + 1;
        if ((upper & table->last_generation) == 0)
            return HM_NULL_HANDLE;
        if (ahead < table->used)
            HM_PREFETCH(&table->entries[table->slots[ahead]]);
        bits = HM_CAST(uint64_t, upper) << HM_HANDLE_GENERATION_SHIFT;
    } else {
        slot = table->slot_count;
        if (slot >= table->fresh_end)
            return HM_NULL_HANDLE;
        bits = table->fresh_bits;
        table->slots[position] = slot;
        table->slot_count++;
        table->used++;
    }
    table->entries[slot].bits = bits | position;
    table->count = position + 1;
    return hm_handle_from_bits(bits | slot);
}

/* Makes the slot of a handle live that someone else has issued, at position `count`; all as in
 * hm_map_adopt. The container's own columns need room for one more position. Invalidates nothing.
 */
HM_API hm_status hm_id_table_adopt(hm_id_table *table, hm_handle handle);

/* Returns the position of a live slot, or HM_INVALID_INDEX. O(1). Any 64 bits may be passed: an
 * entry has the free bit only if its slot is retired, and then no position, and no entry has
 * generation 0. All fields are read before the first branch, so that a compiler can move the reads
 * out of a loop. */
static inline uint32_t hm_id_table_find(const hm_id_table *table, hm_handle handle)
{
    const hm_handle *entries = table->entries;
    uint32_t slot_count = table->slot_count, count = table->count;
    uint32_t slot = hm_handle_index(handle);
    uint64_t match;
    if (slot >= slot_count)
        return HM_INVALID_INDEX;
    match = hm_handle_match(entries[slot], handle);
    return match < count ? HM_CAST(uint32_t, match) : HM_INVALID_INDEX;
}

/* Whether hm_id_table_find finds a position, but without a branch on the answer, which is
 * unpredictable when many handles are stale; it branches only on an index that was never issued.
 * O(1). */
static inline bool hm_id_table_contains(const hm_id_table *table, hm_handle handle)
{
    const hm_handle *entries = table->entries;
    uint32_t slot_count = table->slot_count, count = table->count;
    uint32_t slot = hm_handle_index(handle);
    if (slot >= slot_count)
        return false;
    return hm_handle_match(entries[slot], handle) < count;
}

/* Returns the outer handle of a live position; null out of range. O(1). */
static inline hm_handle hm_id_table_handle_at(const hm_id_table *table, uint32_t position)
{
    const uint64_t index_bits = UINT32_MAX;
    uint32_t slot;
    if (position >= table->count)
        return HM_NULL_HANDLE;
    slot = table->slots[position];
    return hm_handle_from_bits((table->entries[slot].bits & ~index_bits) | slot);
}

/* Releases the slot at a live position. `handle` must be that of the position. The last live
 * position moves into the hole, and the freed slot is placed just after the live ones: its
 * position says that it is free, so the upper half of its entry stays. Invalidates the handle and
 * both positions. O(1). */
static inline void hm_id_table_release(hm_id_table *table, hm_handle handle, uint32_t position)
{
    hm_handle *entries = table->entries;
    uint32_t *slots = table->slots;
    size_t last = HM_CAST(size_t, table->count) - 1;
    uint32_t freed = hm_handle_index(handle);
    uint32_t moved = slots[last];
    slots[last] = freed;
    slots[position] = moved;
    /* When the freed slot is the last one, both stores write the same position to one entry. */
    hm_handle_set_index(&entries[freed], HM_CAST(uint32_t, last));
    hm_handle_set_index(&entries[moved], position);
    table->count = HM_CAST(uint32_t, last);
}

/* Returns how many slots the table has: all that are live are below it, and arrays that a program
 * indexes by slot, which needs no positions, need not be longer. Falls only by a trim. O(1). */
static inline uint32_t hm_id_table_slot_count(const hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_slot_count: table is NULL");
    return table->slot_count;
}

/* Returns the outer handle of a live slot; null if it is not live. Any number may be passed. O(1).
 */
static inline hm_handle hm_id_table_handle_of_slot(const hm_id_table *table, uint32_t slot)
{
    const uint64_t index_bits = UINT32_MAX;
    HM_CONTRACT(table != NULL, "hm_id_table_handle_of_slot: table is NULL");
    if (slot >= table->slot_count || hm_handle_index(table->entries[slot]) >= table->count)
        return HM_NULL_HANDLE;
    return hm_handle_from_bits((table->entries[slot].bits & ~index_bits) | slot);
}

/* As hm_id_table_release of the handle of a slot. False, and nothing changes, if it is not live.
 * O(1). */
static inline bool hm_id_table_release_slot(hm_id_table *table, uint32_t slot)
{
    hm_handle handle;
    HM_CONTRACT(table != NULL, "hm_id_table_release_slot: table is NULL");
    handle = hm_id_table_handle_of_slot(table, slot);
    if (hm_handle_is_null(handle))
        return false;
    hm_id_table_release(table, handle, hm_handle_index(table->entries[slot]));
    return true;
}

/* Returns the number of live positions: all positions below it are live. O(1). */
static inline uint32_t hm_id_table_count(const hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_count: table is NULL");
    return table->count;
}

/* Frees all slots. Their order stays, and their handles are refused. Invalidates all positions.
 * O(1). */
static inline void hm_id_table_clear(hm_id_table *table)
{
    table->count = 0;
}

/* Exchanges two live positions; handles stay valid. A position that is not live is a broken
 * contract. O(1). */
HM_API void hm_id_table_swap(hm_id_table *table, uint32_t a, uint32_t b);

/* Gives back the memory after the last live slot. HM_ERROR_MEMORY: the system refuses. Either way
 * each handle resolves or is refused as before. Voids what hm_id_table_upcoming has returned.
 * Invalidates nothing else. O(slots). */
HM_API hm_status hm_id_table_trim(hm_id_table *table);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1). */
HM_API hm_handle_state hm_id_table_explain(const hm_id_table *table, hm_handle handle);

/* Says the same in a sentence, with the numbers: "stale: slot 12 of 'texture' has generation 7 now,
 * the handle 5". `name` is that of the container that the table belongs to; it may be NULL. Writes
 * as snprintf does: at most `size` bytes, the terminator included, and returns the length of the
 * whole sentence; `buffer` may be NULL if `size` is 0. O(length). */
HM_API size_t hm_id_table_describe(const hm_id_table *table, hm_handle handle, const char *name,
                                   char *buffer, size_t size);

/* As hm_map_as_owners, for a container with this table. O(1). */
HM_API hm_owners hm_id_table_as_owners(const hm_id_table *table);

/* Checks that all parts of the table are consistent: HM_OK or HM_ERROR_CORRUPT. O(slots). */
HM_API hm_status hm_id_table_validate(const hm_id_table *table);

HM_END_C

#endif

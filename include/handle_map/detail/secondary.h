/* SPDX-License-Identifier: MIT */
/* detail/secondary: the struct of a secondary, and the parts of set and remove that are not inline.
 * For inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_SECONDARY_H
#define HANDLE_MAP_DETAIL_SECONDARY_H

#include <handle_map/array.h>
#include <handle_map/detail/each.h>
#include <handle_map/detail/guard.h>
#include <handle_map/handle.h>

HM_BEGIN_C

/* All fields are private; use the functions. The fields that get, set and remove touch come first,
 * in one cache line if the secondary starts at one.
 *
 * The sparse column is committed in *segments*, where slots are used. A segment is a power of two
 * of slots, so that a shift tells a slot's segment. It lies in the range of the values until it
 * needs space for higher slots; then it has a range of its own. Without a capacity all is committed
 * that there is: positions up to slot_end, and two segments that make up the index space.
 *
 * The pair of arrays is the sparse set of Briggs and Torczon ("An Efficient Representation for
 * Sparse Sets", 1993); with a handle beside each value, a position need not be initialised. */
typedef struct hm_secondary {
    unsigned char *values;   /* value_array.data */
    hm_handle *owners;       /* position -> the owner's handle; owner_array.data */
    uint32_t *positions;     /* slot -> position, trusted only if the owner there agrees */
    unsigned char *segments; /* segment -> whether it has memory; segment_array.data */
    size_t value_size;       /* bytes */
    hm_guard guard;          /* its limit: values that fit in the committed memory */
    uint32_t count;          /* values */
    uint32_t slot_end;       /* slots below it have a segment, committed or not */
    uint32_t max_slots;      /* slots */
    uint16_t type_id;        /* of the owners */
    uint16_t segment_shift;  /* log2 of the slots in a segment */
    void (*destroy)(void *value, void *context);
    void *context;
    const char *name;
    uint32_t capacity;     /* values, at most; value_array has the space that there is now */
    bool has_own_range;    /* the sparse column; never without a capacity */
    size_t positions_size; /* bytes committed of the sparse column; 0 without a capacity */
    size_t reserved_size;  /* bytes reserved for it; as above */
    uint32_t *left;        /* where it was before, as long as the system does not take that back */
    hm_array value_array;
    hm_array owner_array;   /* hm_handle */
    hm_array segment_array; /* unsigned char */
    /* Where defragment stopped; NULL until it is first called. */
    struct hm_order_state *order;
} hm_secondary;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_secondary) <= 320, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_secondary_moved(hm_secondary *secondary);
#endif

HM_STATIC_ASSERT(sizeof(void *) != 8 || offsetof(hm_secondary, destroy) == 64,
                 "what the hot paths touch takes one cache line");

HM_API void *hm_secondary_set_slow(hm_secondary *secondary, hm_handle owner, const void *value);
HM_API bool hm_secondary_remove_guarded(hm_secondary *secondary, uint32_t index);

/* Returns the position of the value that was set for exactly this handle, or HM_INVALID_INDEX. A
 * position that is out of date, or was never written, names no owner or another one. All fields are
 * read before the first branch, so that a compiler can move the reads out of a loop. */
static inline uint32_t hm_secondary_find(const hm_secondary *secondary, hm_handle owner)
{
    const hm_handle *owners = secondary->owners;
    const uint32_t *positions = secondary->positions;
    const unsigned char *segments = secondary->segments;
    uint32_t slot_end = secondary->slot_end, count = secondary->count;
    uint32_t segment_shift = secondary->segment_shift;
    uint32_t slot = hm_handle_index(owner), position;
    if (slot >= slot_end || segments[HM_CAST(size_t, slot) >> segment_shift] == 0)
        return HM_INVALID_INDEX;
    position = positions[slot];
    if (position >= count || owners[position].bits != owner.bits)
        return HM_INVALID_INDEX;
    return position;
}

/* Whether set needs nothing but to write after the last value: the handle may be an owner's, its
 * slot has no value but has a position in memory, and there is space. */
static inline bool hm_secondary_appends(const hm_secondary *secondary, hm_handle owner)
{
    uint32_t slot = hm_handle_index(owner), position;
    uint32_t count = secondary->count;
    if (count >= secondary->guard.limit || slot >= secondary->slot_end ||
        secondary->segments[HM_CAST(size_t, slot) >> secondary->segment_shift] == 0)
        return false;
    /* The free bit is above the type id. */
    if (owner.bits >> HM_HANDLE_TYPE_ID_SHIFT != secondary->type_id ||
        hm_handle_generation(owner) == 0)
        return false;
    position = secondary->positions[slot];
    return position >= count || hm_handle_index(secondary->owners[position]) != slot;
}

/* Forms of the functions of secondary.h that take the value size. The typed functions of
 * HM_SECONDARY_DEFINE pass a constant, which turns the multiplications and copies into plain moves.
 */

HM_INLINE void *hm_secondary_set_sized(hm_secondary *secondary, hm_handle owner, const void *value,
                                       size_t value_size)
{
    unsigned char *place;
    uint32_t index;
    HM_CONTRACT(secondary != NULL, "hm_secondary_set: secondary is NULL");
    if (!hm_secondary_appends(secondary, owner))
        return hm_secondary_set_slow(secondary, owner, value);
    index = secondary->count;
    place = secondary->values + value_size * index;
    HM_ASSUME(place != NULL);
    HM_UNPOISON(place, value_size);
    if (value != NULL)
        memcpy(place, value, value_size);
    else
        memset(place, 0, value_size);
    secondary->owners[index] = owner;
    secondary->positions[hm_handle_index(owner)] = index;
    secondary->count = index + 1;
    return place;
}

HM_INLINE void *hm_secondary_get_sized(const hm_secondary *secondary, hm_handle owner,
                                       size_t value_size)
{
    unsigned char *values;
    uint32_t index;
    HM_CONTRACT(secondary != NULL, "hm_secondary_get: secondary is NULL");
    values = secondary->values; /* See hm_secondary_find. */
    index = hm_secondary_find(secondary, owner);
    if (index == HM_INVALID_INDEX)
        return NULL;
    values += value_size * index;
    HM_ASSUME(values != NULL);
    return values;
}

/* For HM_SECONDARY_EACH: returns the value before *index, which becomes its index; NULL at the
 * start. */
HM_INLINE void *hm_secondary_before_sized(const hm_secondary *secondary, uint32_t *index,
                                          size_t value_size)
{
    HM_CONTRACT(secondary != NULL, "HM_SECONDARY_EACH: secondary is NULL");
    HM_CONTRACT(secondary->value_size == value_size || secondary->count == 0,
                "HM_SECONDARY_EACH: the values are not of this type");
    return hm_each_before(index, secondary->count) ? secondary->values + value_size * *index : NULL;
}

/* Drops the value at a position: the last one takes its place. */
HM_INLINE void hm_secondary_drop_sized(hm_secondary *secondary, uint32_t index, size_t value_size)
{
    unsigned char *values = secondary->values;
    hm_handle *owners = secondary->owners;
    uint32_t last = secondary->count - 1;
    uint32_t slot = hm_handle_index(owners[index]);
    hm_handle moved = owners[last];
    owners[index] = moved;
    /* When the dropped value is the last one, both stores write to one position. */
    secondary->positions[hm_handle_index(moved)] = index;
    secondary->positions[slot] = HM_INVALID_INDEX;
    secondary->count = last;
    if (index != last)
        memcpy(values + value_size * index, values + value_size * last, value_size);
    HM_POISON(values + value_size * last, value_size);
}

HM_INLINE bool hm_secondary_remove_sized(hm_secondary *secondary, hm_handle owner,
                                         size_t value_size)
{
    uint32_t index;
    HM_CONTRACT(secondary != NULL, "hm_secondary_remove: secondary is NULL");
    index = hm_secondary_find(secondary, owner);
    if (index == HM_INVALID_INDEX)
        return false;
    if ((secondary->guard.flags & HM_GUARD_ERASE) != 0)
        return hm_secondary_remove_guarded(secondary, index);
    hm_secondary_drop_sized(secondary, index, value_size);
    return true;
}

HM_END_C

#endif

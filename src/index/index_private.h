/* SPDX-License-Identifier: MIT */
/* index: what its sources share.
 *
 * Invariants between calls, which validate checks beside those of the secondary and the lists:
 *
 * 1. There is a list for each bucket, and its record is in the bucket: bucket i is slot i.
 * 2. The place of each owner names a bucket, and the owner's position in its list. There are no
 *    other members.
 * 3. A bucket whose list has members is found by its key; `key_count` is their number. All others
 *    are in the chain of free buckets.
 * 4. Heads that no key needs are 0; for hashed keys those from key_count + 1 on, which find does
 *    not look at.
 * 5. `pending` is 0. */
#ifndef HANDLE_MAP_INDEX_PRIVATE_H
#define HANDLE_MAP_INDEX_PRIVATE_H

#include "../memory/poison_private.h"

#include <handle_map/index.h>

#include "../dense/dense_private.h"
#include "../lists/lists_private.h"

/* The bucket of an owner that a batch has added, but not placed yet. */
#define HM_INDEX_NO_BUCKET UINT32_MAX

static inline hm_index_place *hm_index_places(const hm_index *index)
{
    return (hm_index_place *)(void *)index->owners.values;
}

static inline hm_lists_record *hm_index_record(const hm_index *index, uint32_t bucket)
{
    return &index->buckets[bucket].record;
}

static inline uint32_t hm_index_member_count(const hm_index *index, uint32_t bucket)
{
    return hm_index_record(index, bucket)->count;
}

/* Returns the members of a key that has some. */
static inline hm_handle *hm_index_items(const hm_index *index, uint32_t bucket)
{
    uint32_t unit = hm_index_record(index, bucket)->unit;
    return (hm_handle *)(void *)hm_lists_address(&index->members, unit + 1);
}

/* All arrays share one range: buckets, units, heads and those of the owners. Without a capacity
 * owners and units that outgrow their part of it have ranges of their own; buckets and heads, which
 * grow with the keys, always share one, and what has none of its own moves with them. */
enum { HM_INDEX_COLUMNS = 3 + HM_SECONDARY_COLUMNS };

/* Without a capacity, how many keys and owners there is space for at first. */
enum { HM_INDEX_FIRST_KEYS = 32, HM_INDEX_FIRST_OWNERS = 32 };

/* keys.c */

/* Reads the addresses of buckets, heads and units, after they may have moved. */
void hm_index_read_columns(hm_index *index);

uint32_t hm_index_find_hashed(const hm_index *index, uint64_t key);

/* Gives a bucket to a key that has none and is below the limit. The caller adds members, or drops
 * it. HM_ERROR_MEMORY, HM_ERROR_FULL: then nothing has changed. */
hm_status hm_index_add_key(hm_index *index, uint64_t key, uint32_t *bucket);

/* Takes the only member away from a key, and frees the bucket, if no other member is pending. */
void hm_index_detach_last(hm_index *index, uint32_t bucket);

/* Frees the bucket of a key, whose list is empty. */
void hm_index_drop_key(hm_index *index, uint32_t bucket);

/* Makes the next n calls of add_key succeed, as far as that is independent of the keys. */
hm_status hm_index_reserve_keys(hm_index *index, uint32_t n);

/* Drops all members, and frees all buckets. */
void hm_index_drop_all_keys(hm_index *index);

/* Drops the free buckets behind the last one in use, and gives memory back, of buckets and heads;
 * without a capacity of all that shares their range. */
hm_status hm_index_trim_keys(hm_index *index);

hm_status hm_index_validate_keys(const hm_index *index);

/* Returns the bucket of a key, or HM_INVALID_INDEX. */
static inline uint32_t hm_index_find_key(const hm_index *index, uint64_t key)
{
    if (index->key_limit == 0)
        return hm_index_find_hashed(index, key);
    return key < index->head_array.limit ? hm_index_heads(index)[key] - 1 : HM_INVALID_INDEX;
}

/* Takes the member at a position away from its key. The secondary is not told, except about the
 * member that fills the hole. */
HM_INLINE void hm_index_detach(hm_index *index, uint32_t bucket, uint32_t position)
{
    hm_lists_record *record = hm_index_record(index, bucket);
    uint32_t last = hm_index_member_count(index, bucket) - 1;
    hm_handle *items = hm_index_items(index, bucket);
    if (last == 0) {
        hm_index_detach_last(index, bucket);
        return;
    }
    hm_handle moved = items[last];
    if (!hm_lists_drop_sized(&index->members, record, position, sizeof moved))
        hm_lists_drop(&index->members, record, position);
    if (position != last) {
        hm_index_place *place = (hm_index_place *)hm_secondary_value_of(&index->owners, moved);
        place->position = position;
    }
}

/* index.c */

/* Adds an owner behind the other members of a key. HM_ERROR_FULL, HM_ERROR_MEMORY: nothing has
 * changed. */
hm_status hm_index_append(hm_index *index, uint32_t bucket, hm_handle owner);

/* For a load. Makes an index like this one, which has no owners; and gives this one all that the
 * other has. */
hm_status hm_index_init_like(hm_index *fresh, const hm_index *index);
void hm_index_take(hm_index *index, const hm_index *fresh);

/* Gives back all memory. */
void hm_index_release(hm_index *index);

/* Passes a status on, and names the index if memory was refused. */
hm_status hm_index_blame(const hm_index *index, hm_status status);

/* HM_OK, or why no owner can be set for the key now. */
hm_status hm_index_check(const hm_index *index, uint64_t key);

#endif

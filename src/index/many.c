/* SPDX-License-Identifier: MIT */
/* index: many owners in one call.
 *
 * A batch that sets goes over its owners twice. First it claims: it takes all that can be refused,
 * and leaves everything where it is. The secondary gets the new owners, without a place, and the
 * new generations of old ones; each key gets a bucket, and its list has room for those to come,
 * whose number is `pending`. A list has to have an item to have room, so an empty one gets the null
 * handle, which the first member replaces. Then the batch places its owners, which cannot fail, or
 * takes its claims back.
 *
 * A key that loses its last member while others are pending keeps its bucket and the room: the null
 * handle takes the member's place. */
#include "index_private.h"

#include "../base/base_private.h"
#include "../dense/dense_private.h"
#include "../ids/batch_private.h"
#include "../lists/lists_private.h"

/* keys */

/* The keys of a batch. */
typedef struct many_keys {
    const void *all;          /* uint64_t, unless `read` knows better */
    hm_index_read_keys *read; /* NULL: not needed */
    uint64_t part[HM_BATCH_PART];
} many_keys;

/* Returns n of the keys, at most a part, from the first on; they stay until the next call. */
static const uint64_t *many_read(many_keys *keys, uint32_t first, uint32_t n)
{
    if (keys->read == NULL)
        return (const uint64_t *)keys->all + first;
    keys->read(keys->all, first, n, keys->part);
    return keys->part;
}

/* prefetch */

/* Returns the position that the secondary has for an owner's slot, which may be out of date. */
static uint32_t many_position_of(const hm_index *index, hm_handle owner)
{
    const hm_secondary *owners = &index->owners;
    uint32_t slot = hm_handle_index(owner);
    if (slot >= owners->slot_end || owners->segments[(size_t)slot >> owners->segment_shift] == 0)
        return HM_INVALID_INDEX;
    return owners->positions[slot];
}

/* Starts to load the positions of some owners, then what is at them. */
static void many_prefetch_owners(const hm_index *index, const hm_handle *owners, uint32_t n)
{
    const hm_secondary *secondary = &index->owners;
    for (uint32_t i = 0; i < n; i++)
        if (hm_handle_index(owners[i]) < secondary->slot_end)
            HM_PREFETCH(&secondary->positions[hm_handle_index(owners[i])]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = many_position_of(index, owners[i]);
        if (at < secondary->count) {
            HM_PREFETCH(&secondary->owners[at]);
            HM_PREFETCH(&hm_index_places(index)[at]);
        }
    }
}

/* After that, for owners that will leave their keys: starts to load their places among the members,
 * and the positions of the last members, which may fill the holes; then what is at these. */
static void many_prefetch_members(const hm_index *index, const hm_handle *owners, uint32_t n)
{
    const hm_secondary *secondary = &index->owners;
    hm_handle moved[HM_BATCH_PART];
    uint32_t moved_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = many_position_of(index, owners[i]);
        if (at >= secondary->count || hm_index_places(index)[at].bucket == HM_INDEX_NO_BUCKET)
            continue;
        hm_index_place place = hm_index_places(index)[at];
        const hm_handle *items = hm_index_items(index, place.bucket);
        hm_handle last = items[hm_index_member_count(index, place.bucket) - 1];
        HM_PREFETCH(&items[place.position]);
        HM_PREFETCH(&secondary->positions[hm_handle_index(last)]);
        moved[moved_count++] = last;
    }
    for (uint32_t i = 0; i < moved_count; i++)
        HM_PREFETCH(hm_secondary_value_of(secondary, moved[i]));
}

static void many_prefetch(const hm_index *index, const hm_handle *owners, uint32_t n)
{
    many_prefetch_owners(index, owners, n);
    many_prefetch_members(index, owners, n);
}

/* claims */

static hm_status many_claim_owner(hm_index *index, hm_handle owner)
{
    const hm_index_place nowhere = {.bucket = HM_INDEX_NO_BUCKET};
    hm_secondary *owners = &index->owners;
    uint32_t at = HM_INVALID_INDEX;
    hm_status status = HM_OK;
    if (hm_secondary_find(owners, owner) != HM_INVALID_INDEX)
        return HM_OK;
    if (!hm_secondary_appends(owners, owner))
        status = hm_fail_in("index_set_n", NULL, hm_secondary_accept(owners, owner, &at));
    if (status != HM_OK)
        return status;
    if (at != HM_INVALID_INDEX) {
        hm_secondary_rename(owners, at, owner);
        return HM_OK;
    }
    (void)hm_secondary_set_sized(owners, owner, &nowhere, sizeof nowhere);
    return HM_OK;
}

/* Whether the only member of a key is the null handle. */
static bool many_has_only_placeholder(const hm_index *index, uint32_t bucket)
{
    return hm_index_member_count(index, bucket) == 1 &&
           hm_handle_is_null(hm_index_items(index, bucket)[0]);
}

/* Takes one claim back, and the bucket if it has no members and no claims. */
static void many_drop_claim(hm_index *index, uint32_t bucket)
{
    index->buckets[bucket].pending--;
    if (index->buckets[bucket].pending == 0 && many_has_only_placeholder(index, bucket)) {
        hm_lists_empty(&index->members, hm_index_record(index, bucket));
        hm_index_drop_key(index, bucket);
    }
}

/* Claims room for one more member of a key. */
static hm_status many_claim_key(hm_index *index, uint64_t key)
{
    uint32_t bucket = hm_index_find_key(index, key);
    hm_status status = HM_OK;
    if (bucket == HM_INVALID_INDEX) {
        status = hm_index_add_key(index, key, &bucket);
        if (status != HM_OK)
            return status;
        status = hm_index_append(index, bucket, HM_NULL_HANDLE);
        if (status != HM_OK) {
            hm_index_drop_key(index, bucket);
            return status;
        }
    }
    uint32_t pending = ++index->buckets[bucket].pending;
    hm_lists_record *record = hm_index_record(index, bucket);
    if ((uint64_t)record->count + pending > record->capacity)
        status = hm_lists_make_room(&index->members, record, pending);
    if (status != HM_OK)
        many_drop_claim(index, bucket);
    return status;
}

/* Gives the value of an owner back to the one whose generation was there before. */
static void many_return_owner(hm_index *index, hm_handle owner)
{
    uint32_t at = hm_secondary_find(&index->owners, owner);
    if (at == HM_INVALID_INDEX)
        return;
    hm_index_place place = hm_index_places(index)[at];
    if (place.bucket != HM_INDEX_NO_BUCKET)
        hm_secondary_rename(&index->owners, at,
                            hm_index_items(index, place.bucket)[place.position]);
}

/* Takes back the claims on n keys and, except for those that were added behind `count`, owners. */
static void many_return(hm_index *index, const hm_handle *owners, uint32_t owner_count,
                        many_keys *keys, uint32_t key_count, uint32_t count)
{
    const uint64_t *part = NULL;
    for (uint32_t i = 0; i < key_count; i++) {
        if (i % HM_BATCH_PART == 0)
            part = many_read(keys, i, hm_batch_next_part(key_count - i));
        many_drop_claim(index, hm_index_find_key(index, part[i % HM_BATCH_PART]));
    }
    for (uint32_t i = 0; i < owner_count; i++)
        many_return_owner(index, owners[i]);
    while (hm_index_count(index) > count)
        hm_secondary_discard(&index->owners, hm_index_count(index) - 1);
}

/* Claims all, or nothing; then *lacks_room tells whether it was for want of room for members. */
static hm_status many_claim(hm_index *index, const hm_handle *owners, many_keys *keys, uint32_t n,
                            bool *lacks_room)
{
    uint32_t count = hm_index_count(index);
    const uint64_t *part = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (i % HM_BATCH_PART == 0) {
            uint32_t next = hm_batch_next_part(n - i);
            many_prefetch_owners(index, owners + i, next);
            part = many_read(keys, i, next);
        }
        uint64_t key = part[i % HM_BATCH_PART];
        hm_status status = hm_index_check(index, key);
        if (status == HM_OK)
            status = many_claim_owner(index, owners[i]);
        if (status == HM_OK) {
            status = many_claim_key(index, key);
            *lacks_room = status == HM_ERROR_FULL;
        }
        if (status != HM_OK) {
            many_return(index, owners, i + 1, keys, i, count);
            return status;
        }
    }
    return HM_OK;
}

/* places */

/* Adds an owner to the members of a key that has a claim, and returns its position. */
static uint32_t many_attach(hm_index *index, uint32_t bucket, hm_handle owner)
{
    hm_lists_record *record = hm_index_record(index, bucket);
    uint32_t count = record->count;
    if (many_has_only_placeholder(index, bucket)) {
        hm_index_items(index, bucket)[0] = owner;
        return 0;
    }
    hm_handle *place =
        (hm_handle *)(void *)hm_lists_append_sized(&index->members, record, sizeof owner);
    HM_ASSUME(place != NULL);
    *place = owner;
    return count;
}

/* Makes an owner a member of the key that it has a claim on, unless a later owner of its slot is in
 * the same batch. */
static void many_place(hm_index *index, hm_handle owner, uint64_t key)
{
    uint32_t bucket = hm_index_find_key(index, key);
    uint32_t at = hm_secondary_find(&index->owners, owner);
    if (at != HM_INVALID_INDEX) {
        hm_index_place *place = &hm_index_places(index)[at], before = *place;
        if (before.bucket == bucket) {
            hm_index_items(index, bucket)[before.position] = owner;
        } else {
            *place = (hm_index_place){bucket, many_attach(index, bucket, owner)};
            if (before.bucket != HM_INDEX_NO_BUCKET)
                hm_index_detach(index, before.bucket, before.position);
        }
    }
    many_drop_claim(index, bucket);
}

uint32_t hm_index_contains_n(const hm_index *index, const hm_handle *owners, uint32_t n,
                             bool *alive)
{
    HM_CONTRACT(index != NULL, "hm_index_contains_n: index is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_index_contains_n: owners is NULL");
    HM_CONTRACT(alive != NULL || n == 0, "hm_index_contains_n: alive is NULL");
    return hm_secondary_contains_n(&index->owners, owners, n, alive);
}

uint32_t hm_index_key_of_n(const hm_index *index, const hm_handle *owners, uint32_t n,
                           uint64_t *keys)
{
    HM_CONTRACT(index != NULL, "hm_index_key_of_n: index is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_index_key_of_n: owners is NULL");
    HM_CONTRACT(keys != NULL || n == 0, "hm_index_key_of_n: keys is NULL");
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % HM_BATCH_PART == 0)
            many_prefetch_owners(index, owners + i, hm_batch_next_part(n - i));
        found += hm_index_key_of(index, owners[i], &keys[i]);
    }
    return found;
}

hm_status hm_index_set_n_by(hm_index *index, const hm_handle *owners, hm_index_read_keys *read,
                            const void *keys, uint32_t n)
{
    HM_CONTRACT(index != NULL, "hm_index_set_n: index is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_index_set_n: owners is NULL");
    HM_CONTRACT(keys != NULL || n == 0, "hm_index_set_n: keys is NULL");
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return HM_ERROR_BUSY;
    many_keys given;
    given.all = keys;
    given.read = read;
    bool lacks_room = false;
    hm_status status = many_claim(index, owners, &given, n, &lacks_room);
    if (lacks_room) { /* Perhaps only for the gaps between the arrays. */
        hm_restore_last_error();
        (void)hm_lists_close_gaps(&index->members, NULL);
        status = many_claim(index, owners, &given, n, &lacks_room);
    }
    const uint64_t *part = NULL;
    for (uint32_t i = 0; status == HM_OK && i < n; i++) {
        if (i % HM_BATCH_PART == 0) {
            uint32_t next = hm_batch_next_part(n - i);
            many_prefetch(index, owners + i, next);
            part = many_read(&given, i, next);
        }
        many_place(index, owners[i], part[i % HM_BATCH_PART]);
    }
    return hm_index_blame(index, status);
}

hm_status hm_index_set_n(hm_index *index, const hm_handle *owners, const uint64_t *keys, uint32_t n)
{
    return hm_index_set_n_by(index, owners, NULL, keys, n);
}

uint32_t hm_index_remove_n(hm_index *index, const hm_handle *owners, uint32_t n)
{
    HM_CONTRACT(index != NULL, "hm_index_remove_n: index is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_index_remove_n: owners is NULL");
    uint32_t removed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % HM_BATCH_PART == 0)
            many_prefetch(index, owners + i, hm_batch_next_part(n - i));
        removed += hm_index_remove(index, owners[i]);
    }
    return removed;
}

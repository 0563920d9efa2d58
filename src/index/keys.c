/* SPDX-License-Identifier: MIT */
/* index: from keys to buckets, and from one key with members to the next.
 *
 * Hashed keys are chained through the buckets, from a table of heads that always has one head more
 * than there are keys. It grows and shrinks by one head, which divides one chain, or joins two:
 * this is linear hashing. With n heads, and p the largest power of two up to n, a hash belongs to
 * the head of its remainder by 2p; if there is none, by p. */
#include "index_private.h"

#include "../base/base_private.h"
#include "../lists/lists_private.h"
#include "../memory/memory_private.h"

/* hash */

static uint64_t keys_rotate(uint64_t bits, uint32_t n)
{
    return bits << n | bits >> (64 - n);
}

static void keys_mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = keys_rotate(v[1], 13) ^ v[0];
    v[3] = keys_rotate(v[3], 16) ^ v[2];
    v[0] = keys_rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = keys_rotate(v[1], 17) ^ v[2];
    v[3] = keys_rotate(v[3], 21) ^ v[0];
    v[2] = keys_rotate(v[2], 32);
}

/* SipHash-1-3 of the key's 8 bytes: one block, and one for the length. */
static uint64_t keys_hash(const hm_index *index, uint64_t key)
{
    const uint64_t length = UINT64_C(8) << 56;
    uint64_t v[4] = {index->seed[0] ^ UINT64_C(0x736F6D6570736575),
                     index->seed[1] ^ UINT64_C(0x646F72616E646F6D),
                     index->seed[0] ^ UINT64_C(0x6C7967656E657261),
                     index->seed[1] ^ UINT64_C(0x7465646279746573)};
    v[3] ^= key;
    keys_mix(v);
    v[0] ^= key;
    v[3] ^= length;
    keys_mix(v);
    v[0] ^= length;
    v[2] ^= 0xFF;
    for (int i = 0; i < 3; i++)
        keys_mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint32_t keys_power_below(uint32_t n)
{
    return UINT32_C(1) << hm_bits_highest(n);
}

/* Returns which of n heads a key belongs to. */
static uint32_t keys_head_of(const hm_index *index, uint64_t key, uint32_t n)
{
    uint32_t power = keys_power_below(n);
    uint32_t head = (uint32_t)keys_hash(index, key) & (2 * power - 1);
    return head < n ? head : head - power;
}

/* chains */

uint32_t hm_index_find_hashed(const hm_index *index, uint64_t key)
{
    uint32_t link = 0;
    if (index->key_count != 0)
        link = hm_index_heads(index)[keys_head_of(index, key, index->key_count + 1)];
    while (link != 0 && index->buckets[link - 1].key != key)
        link = index->buckets[link - 1].next;
    return link - 1; /* HM_INVALID_INDEX, if 0 */
}

static void keys_push(hm_index *index, uint32_t head, uint32_t bucket)
{
    index->buckets[bucket].next = hm_index_heads(index)[head];
    hm_index_heads(index)[head] = bucket + 1;
}

/* Divides the chain that has keys of the head behind the last one, which is committed. */
static void keys_divide(hm_index *index)
{
    uint32_t last = index->key_count + 1;
    uint32_t *link = &hm_index_heads(index)[last - keys_power_below(last)];
    while (*link != 0) {
        uint32_t bucket = *link - 1;
        if (keys_head_of(index, index->buckets[bucket].key, last + 1) == last) {
            *link = index->buckets[bucket].next;
            keys_push(index, last, bucket);
        } else {
            link = &index->buckets[bucket].next;
        }
    }
}

/* Joins the chain of the last head to the one that it came from. */
static void keys_join(hm_index *index)
{
    uint32_t last = index->key_count;
    uint32_t *end = &hm_index_heads(index)[last - keys_power_below(last)];
    while (*end != 0)
        end = &index->buckets[*end - 1].next;
    *end = hm_index_heads(index)[last];
    hm_index_heads(index)[last] = 0;
}

static void keys_unlink(hm_index *index, uint32_t bucket)
{
    uint32_t head = keys_head_of(index, index->buckets[bucket].key, index->key_count + 1);
    uint32_t *link = &hm_index_heads(index)[head];
    while (*link != bucket + 1)
        link = &index->buckets[*link - 1].next;
    *link = index->buckets[bucket].next;
}

/* memory */

void hm_index_read_columns(hm_index *index)
{
    hm_lists_place(&index->members);
    index->buckets = (hm_index_bucket *)(void *)index->members.records;
}

/* Moves buckets and heads to a range with space for so many, and with them what shares theirs. All
 * heads behind those that stay are 0, as fresh memory is. */
static hm_status keys_move(hm_index *index, size_t buckets, size_t heads)
{
    hm_secondary *owners = &index->owners;
    hm_array positions = {0};
    hm_array_column columns[HM_INDEX_COLUMNS];
    uint32_t count = 2;
    size_t kept = index->head_array.limit < heads ? index->head_array.limit : heads;
    columns[0] = hm_array_column_of(&index->members.record_array, index->bucket_count, false);
    columns[0].desc.capacity = buckets;
    columns[1] = hm_array_column_of(&index->head_array, kept, false);
    columns[1].desc.capacity = heads;
    if (index->members.unit_array.range_size == 0)
        columns[count++] = hm_lists_column_of_units(&index->members);
    bool is_shared = owners->value_array.range_size == 0;
    if (is_shared) {
        hm_secondary_list_moved(owners, owners->value_array.capacity, owners->slot_end, &positions,
                                columns + count);
        count += HM_SECONDARY_COLUMNS;
    }
    hm_status status = hm_array_move_columns(columns, count);
    if (status != HM_OK)
        return status;
    hm_index_read_columns(index);
    if (is_shared)
        hm_secondary_place_moved(owners, &positions);
    return HM_OK;
}

/* Makes sure that there are so many buckets and heads; `grows` as in hm_array_commit. */
static hm_status keys_commit(hm_index *index, size_t buckets, size_t heads, bool grows)
{
    hm_array *bucket_array = &index->members.record_array, *head_array = &index->head_array;
    hm_status status = HM_OK;
    if (head_array->moves_to_grow &&
        (buckets > bucket_array->capacity || heads > head_array->capacity)) {
        size_t wide = hm_array_wider(bucket_array->capacity, buckets, SIZE_MAX),
               high = hm_array_wider(head_array->capacity, heads, SIZE_MAX);
        if (index->key_limit == 0 && high <= wide)
            high = wide + 1; /* So that both are full at once. */
        status = keys_move(index, wide, high);
    }
    if (status == HM_OK)
        status = hm_array_commit(bucket_array, buckets, grows);
    return status == HM_OK ? hm_array_commit(head_array, heads, grows) : status;
}

/* buckets */

/* Returns how many keys there may be. */
static uint32_t keys_most(const hm_index *index)
{
    if (!index->head_array.moves_to_grow)
        return (uint32_t)index->members.record_array.capacity;
    return index->key_limit != 0 ? index->key_limit : UINT32_MAX - 1;
}

/* Makes sure that there are n free buckets, and so many heads. */
static hm_status keys_add_buckets(hm_index *index, uint32_t n, size_t heads, bool grows)
{
    uint32_t count = index->key_count, most = keys_most(index);
    if (n > most - count)
        return hm_fail_full("index", index->name, count, most, n);
    size_t buckets = (size_t)count + n;
    if (buckets < index->bucket_count)
        buckets = index->bucket_count;
    return keys_commit(index, buckets, heads, grows);
}

/* Returns a free bucket, after keys_add_buckets. */
static uint32_t keys_take_bucket(hm_index *index)
{
    uint32_t link = index->free;
    if (link != 0) {
        index->free = index->buckets[link - 1].next;
        return link - 1;
    }
    return index->bucket_count++;
}

static void keys_free_bucket(hm_index *index, uint32_t bucket)
{
    index->buckets[bucket] = (hm_index_bucket){.next = index->free};
    index->free = bucket + 1;
}

hm_status hm_index_add_key(hm_index *index, uint64_t key, uint32_t *bucket)
{
    bool is_hashed = index->key_limit == 0;
    size_t heads = is_hashed ? (size_t)index->key_count + 2 : (size_t)key + 1;
    hm_status status = keys_add_buckets(index, 1, heads, true);
    if (status != HM_OK)
        return status;
    *bucket = keys_take_bucket(index);
    index->buckets[*bucket] = (hm_index_bucket){.key = key};
    if (is_hashed)
        keys_divide(index);
    index->key_count++;
    keys_push(index, is_hashed ? keys_head_of(index, key, index->key_count + 1) : (uint32_t)key,
              *bucket);
    return HM_OK;
}

void hm_index_drop_key(hm_index *index, uint32_t bucket)
{
    if (index->key_limit != 0) {
        hm_index_heads(index)[index->buckets[bucket].key] = 0;
    } else {
        keys_unlink(index, bucket);
        keys_join(index);
    }
    index->key_count--;
    keys_free_bucket(index, bucket);
}

void hm_index_detach_last(hm_index *index, uint32_t bucket)
{
    if (index->buckets[bucket].pending != 0) {
        hm_index_items(index, bucket)[0] = HM_NULL_HANDLE; /* The next member takes the place. */
        return;
    }
    hm_lists_empty(&index->members, hm_index_record(index, bucket));
    hm_index_drop_key(index, bucket);
}

hm_status hm_index_reserve_keys(hm_index *index, uint32_t n)
{
    uint32_t left = keys_most(index) - index->key_count;
    if (n > left)
        n = left;
    size_t heads = index->key_limit == 0 && n != 0 ? (size_t)index->key_count + n + 1 : 0;
    return keys_add_buckets(index, n, heads, false);
}

bool hm_index_next(const hm_index *index, hm_index_view *view)
{
    HM_CONTRACT(index != NULL, "hm_index_next: index is NULL");
    HM_CONTRACT(view != NULL, "hm_index_next: view is NULL");
    hm_lists_view found = {.next = view->next};
    bool is_any = hm_lists_next_sized(&index->members, &found, sizeof(hm_handle));
    view->key = is_any ? index->buckets[hm_handle_index(found.list)].key : 0;
    view->members = found.items;
    view->count = found.count;
    view->next = found.next;
    return is_any;
}

/* Chains all buckets whose lists are empty, the first one first. */
static void keys_chain_free(hm_index *index)
{
    index->free = 0;
    for (uint32_t bucket = index->bucket_count; bucket-- > 0;)
        if (hm_index_member_count(index, bucket) == 0)
            keys_free_bucket(index, bucket);
}

void hm_index_drop_all_keys(hm_index *index)
{
    hm_index_view view = {0};
    while (index->key_limit != 0 && hm_index_next(index, &view))
        hm_index_heads(index)[view.key] = 0;
    if (index->key_limit == 0 && index->key_count != 0)
        memset(hm_index_heads(index), 0,
               sizeof *hm_index_heads(index) * ((size_t)index->key_count + 1));
    for (uint32_t bucket = 0; bucket < index->bucket_count; bucket++)
        *hm_index_record(index, bucket) = (hm_lists_record){0};
    hm_lists_drop_blocks(&index->members);
    index->key_count = 0;
    keys_chain_free(index);
}

/* Returns how many heads are needed. */
static size_t keys_head_count(const hm_index *index)
{
    size_t count = 0;
    hm_index_view view = {0};
    if (index->key_limit == 0)
        return (size_t)index->key_count + 1;
    while (hm_index_next(index, &view))
        if (view.key >= count)
            count = (size_t)view.key + 1;
    return count;
}

/* Without a capacity, moves to a smaller range if at most half of the buckets or of the heads are
 * in use. */
static hm_status keys_shrink(hm_index *index)
{
    const hm_array *bucket_array = &index->members.record_array, *head_array = &index->head_array;
    size_t buckets = HM_INDEX_FIRST_KEYS, heads = HM_INDEX_FIRST_KEYS + 1;
    if (buckets < bucket_array->count)
        buckets = bucket_array->count;
    if (heads < head_array->count)
        heads = head_array->count;
    if (!head_array->moves_to_grow ||
        (buckets > bucket_array->capacity / 2 && heads > head_array->capacity / 2))
        return HM_OK;
    return keys_move(index, buckets, heads);
}

hm_status hm_index_trim_keys(hm_index *index)
{
    while (index->bucket_count > 0 && hm_index_member_count(index, index->bucket_count - 1) == 0)
        index->bucket_count--;
    keys_chain_free(index);
    index->members.record_array.count = index->bucket_count;
    index->head_array.count = keys_head_count(index);
    hm_status status = hm_array_decommit(&index->members.record_array);
    if (status == HM_OK)
        status = hm_array_decommit(&index->head_array);
    return status == HM_OK ? keys_shrink(index) : status;
}

/* validate */

/* Returns how many buckets are in the chain of a head, or UINT32_MAX if it is damaged. */
static uint32_t keys_count_chain(const hm_index *index, uint32_t head)
{
    uint32_t count = 0;
    for (uint32_t link = hm_index_heads(index)[head]; link != 0; count++) {
        if (link > index->bucket_count || count == index->key_count)
            return UINT32_MAX;
        const hm_index_bucket *bucket = &index->buckets[link - 1];
        uint64_t wanted = index->key_limit != 0
                              ? bucket->key
                              : keys_head_of(index, bucket->key, index->key_count + 1);
        if (wanted != head || hm_index_member_count(index, link - 1) == 0)
            return UINT32_MAX;
        link = bucket->next;
    }
    return count;
}

static hm_status keys_validate_heads(const hm_index *index)
{
    uint64_t count = 0;
    bool is_used = index->key_limit != 0 || index->key_count != 0;
    uint32_t end = index->key_limit != 0 ? (uint32_t)index->head_array.limit : index->key_count + 1;
    for (uint32_t head = 0; is_used && head < end; head++) {
        uint32_t length = keys_count_chain(index, head);
        if (length == UINT32_MAX)
            return hm_fail(HM_ERROR_CORRUPT, "the keys of head %" HM_U32 " are damaged", head);
        count += length;
    }
    for (size_t head = end; head < index->head_array.limit; head++)
        if (hm_index_heads(index)[head] != 0)
            return hm_fail(HM_ERROR_CORRUPT, "head %zu is not of this table", head);
    if (count != index->key_count)
        return hm_fail(HM_ERROR_CORRUPT, "%" HM_U64 " of %" HM_U32 " keys are found", count,
                       index->key_count);
    return HM_OK;
}

hm_status hm_index_validate_keys(const hm_index *index)
{
    uint32_t used = 0, unused = 0;
    for (uint32_t bucket = 0; bucket < index->bucket_count; bucket++) {
        const hm_lists_record *record = hm_index_record(index, bucket);
        used += record->count != 0;
        if (index->buckets[bucket].pending != 0 ||
            (record->unit == 0 && (record->count | record->capacity) != 0))
            return hm_fail(HM_ERROR_CORRUPT, "bucket %" HM_U32 " is damaged", bucket);
    }
    for (uint32_t link = index->free; link != 0 && unused <= index->bucket_count; unused++) {
        if (link > index->bucket_count || hm_index_member_count(index, link - 1) != 0)
            return hm_fail(HM_ERROR_CORRUPT, "the free buckets are damaged");
        link = index->buckets[link - 1].next;
    }
    if (used != index->key_count || used + unused != index->bucket_count)
        return hm_fail(HM_ERROR_CORRUPT,
                       "%" HM_U32 " keys have members, of %" HM_U32 "; %" HM_U32 " of %" HM_U32
                       " buckets are free",
                       used, index->key_count, unused, index->bucket_count);
    return keys_validate_heads(index);
}

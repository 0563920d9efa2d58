/* SPDX-License-Identifier: MIT */
/* index: owners and their places. */
#include "index_private.h"

#include "../base/atomic_private.h"
#include "../base/base_private.h"
#include "../dense/dense_private.h"
#include "../ids/ids_private.h"
#include "../lists/lists_private.h"
#include "../memory/memory_private.h"

/* Lists of three times as many members have units of the size of a handle, as a batch needs. */
#define INDEX_MAX_CAPACITY (UINT32_C(1) << 28)

/* init and fini */

/* A batch gives its owners new keys before it takes the old ones away: so there are buckets for
 * twice as many keys as owners. The lists have items for all owners, for one that moves, and for
 * the placeholders of a batch. The range that lists reserve for so many items leaves space for
 * gaps. */
static hm_status index_list_keys(hm_index *index, const hm_index_desc *desc, hm_lists_desc *members,
                                 hm_array_column *columns)
{
    uint32_t capacity = desc->capacity, keys = 2 * capacity;
    bool moves_to_grow = capacity == 0;
    if (moves_to_grow)
        keys = HM_INDEX_FIRST_KEYS;
    if (desc->key_limit != 0 && desc->key_limit < keys)
        keys = desc->key_limit;
    *members = (hm_lists_desc){.item_size = sizeof(hm_handle),
                               .item_align = sizeof(hm_handle),
                               .capacity = keys,
                               .max_items = moves_to_grow ? 0 : 3 * (uint64_t)capacity + 4,
                               .memory = desc->memory,
                               .name = desc->name};
    size_t heads = desc->key_limit != 0 && !moves_to_grow ? desc->key_limit : (size_t)keys + 1;
    hm_status status =
        hm_lists_begin(&index->members, moves_to_grow, members, sizeof(hm_index_bucket), columns);
    columns[0].desc.capacity = keys;
    columns[2] = (hm_array_column){.array = &index->head_array,
                                   .desc = {sizeof(uint32_t), 0, heads, 0, desc->memory}};
    return status;
}

static hm_status index_init_parts(hm_index *index, const hm_index_desc *desc)
{
    const hm_secondary_desc owners = {.value_size = sizeof(hm_index_place),
                                      .capacity = desc->capacity,
                                      .max_slots = desc->max_slots,
                                      .type_id = desc->type_id,
                                      .memory = desc->memory};
    if (owners.capacity > INDEX_MAX_CAPACITY)
        return hm_fail(HM_ERROR_INVALID, "capacity %" HM_U32 " is above %" HM_U32, owners.capacity,
                       INDEX_MAX_CAPACITY);
    hm_array positions = {0};
    hm_array_column columns[HM_INDEX_COLUMNS], *values = columns + 3;
    hm_lists_desc members;
    bool moves_to_grow = owners.capacity == 0;
    hm_status status = hm_secondary_list_columns(&index->owners, &owners, &positions, values);
    if (moves_to_grow) {
        size_t first = HM_INDEX_FIRST_OWNERS;
        if (first > owners.max_slots)
            first = owners.max_slots;
        values[0].desc.capacity = values[1].desc.capacity = values[3].desc.capacity = first;
    }
    if (status == HM_OK)
        status = index_list_keys(index, desc, &members, columns);
    if (status == HM_OK)
        status = hm_array_init_columns(columns, HM_INDEX_COLUMNS, moves_to_grow);
    if (status != HM_OK)
        return status;
    hm_secondary_place_columns(&index->owners, &owners, &positions);
    if (index->owners.capacity > INDEX_MAX_CAPACITY)
        index->owners.capacity = INDEX_MAX_CAPACITY;
    hm_lists_start(&index->members, &members);
    hm_index_read_columns(index);
    return HM_OK;
}

void hm_index_release(hm_index *index)
{
    hm_secondary_fini(&index->owners);
    hm_array_fini(&index->head_array);
    hm_array_fini(&index->members.unit_array);
    hm_array_fini(&index->members.record_array);
    memset(index, 0, sizeof *index);
}

/* What all random seeds of the program begin with, once it is written. */
static struct {
    uint64_t bits[2];
    uint32_t is_taken, is_written, count; /* atomic; how many seeds were made of it */
} index_secret;

/* Asking the system for random bits takes longer than all else in an init: so the program asks
 * once, and each index counts on from there, which a stranger cannot guess either. */
static void index_seed_randomly(hm_index *index)
{
    uint32_t number = hm_atomic_add(&index_secret.count, 1);
    if (hm_atomic_load(&index_secret.is_written) == 0) {
        index->seed[0] = hm_memory_random();
        index->seed[1] = hm_memory_random();
        /* Coverage: only threads that make their first indices together meet here. */
        if (!hm_atomic_exchange_if(&index_secret.is_taken, 0, 1))
            /* Coverage: as above. */
            return;
        index_secret.bits[0] = index->seed[0];
        index_secret.bits[1] = index->seed[1];
        (void)hm_atomic_add(&index_secret.is_written, 1);
        return;
    }
    index->seed[0] = index_secret.bits[0] + number;
    index->seed[1] = index_secret.bits[1] + number;
}

/* A chosen seed has half of the bits that a hash takes. */
static void index_seed(hm_index *index, uint64_t seed)
{
    index->seed[0] = seed;
    index->seed[1] = ~seed;
    if (seed == 0)
        index_seed_randomly(index);
}

HM_KNOWN_CONTAINER(index, owners.value_array.memory)

hm_status hm_index_init(hm_index *index, const hm_index_desc *desc)
{
    hm_status status = hm_announce_init("index", index, sizeof *index);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_index_desc, desc);
    hm_index_desc full = *desc;
    status = hm_secondary_take_owners(&full.owners, &full.capacity, &full.max_slots, &full.type_id);
    if (status != HM_OK)
        return hm_fail_in("index_init", desc->name, status);
    hm_id_table_desc ids = {full.capacity, full.max_slots, full.type_id, 0, full.memory};
    ids = hm_id_table_complete(&ids);
    full.memory = ids.memory;
    full.max_slots = ids.max_slots;
    if (full.name == NULL)
        full.name = "index";
    index->name = index->owners.name = full.name;
    status = index_init_parts(index, &full);
    if (status == HM_OK)
        status = hm_known_join(&hm_known_index, index);
    if (status != HM_OK) {
        const hm_limits limits = {"index",        full.name,      ids.capacity,
                                  full.max_slots, full.key_limit, "key_limit"};
        hm_index_release(index);
        return hm_fail_in("index_init", desc->name, hm_blame(status, &limits));
    }
    index->key_limit = desc->key_limit;
    if (desc->key_limit == 0)
        index_seed(index, desc->seed);
    return HM_OK;
}

hm_status hm_index_init_like(hm_index *fresh, const hm_index *index)
{
    const hm_secondary *owners = &index->owners;
    const hm_index_desc desc = {.capacity = index->head_array.moves_to_grow ? 0 : owners->capacity,
                                .max_slots = owners->max_slots,
                                .key_limit = index->key_limit,
                                .type_id = owners->type_id,
                                .memory = owners->value_array.memory,
                                .name = index->name};
    *fresh = (hm_index){.key_limit = index->key_limit, .name = index->name};
    memcpy(fresh->seed, index->seed, sizeof fresh->seed);
    fresh->owners.name = index->name;
    hm_status status = index_init_parts(fresh, &desc);
    if (status != HM_OK)
        hm_index_release(fresh);
    return status;
}

void hm_index_take(hm_index *index, const hm_index *fresh)
{
    hm_guard guard = index->guard;
    hm_index_release(index);
    *index = *fresh;
    index->guard = guard;
}

void hm_index_fini(hm_index *index)
{
    HM_CONTRACT_AT_REST(index, "hm_index_fini");
    hm_known_leave(&hm_known_index, index);
    hm_index_release(index);
}

/* set */

hm_status hm_index_blame(const hm_index *index, hm_status status)
{
    const hm_limits limits = {
        "index",          index->name, hm_index_capacity(index), index->owners.max_slots,
        index->key_limit, "key_limit"};
    return hm_blame(status, &limits);
}

hm_status hm_index_check(const hm_index *index, uint64_t key)
{
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return HM_ERROR_BUSY;
    if (index->key_limit != 0 && key >= index->key_limit)
        return hm_fail(HM_ERROR_INVALID,
                       "key %" HM_U64 " is not below key_limit %" HM_U32
                       " of the index '%.60s': raise it",
                       key, index->key_limit, index->name);
    return HM_OK;
}

hm_status hm_index_append(hm_index *index, uint32_t bucket, hm_handle owner)
{
    const void *none = NULL;
    hm_status status;
    unsigned char *place =
        hm_lists_append(&index->members, hm_index_record(index, bucket), 1, &none, &status);
    if (place != NULL)
        memcpy(place, &owner, sizeof owner);
    return status;
}

/* Adds an owner to the members of a key whose block has no room. If there is no larger block, that
 * may be because of the gaps between blocks: then closes them and tries again. */
static hm_status index_attach_slow(hm_index *index, uint32_t bucket, hm_handle owner)
{
    hm_status status = hm_index_append(index, bucket, owner);
    if (status == HM_ERROR_FULL) {
        hm_restore_last_error();
        (void)hm_lists_close_gaps(&index->members, NULL);
        status = hm_index_append(index, bucket, owner);
    }
    return hm_index_blame(index, status);
}

/* Adds an owner to the members of a key, and returns its position. */
HM_INLINE hm_status index_attach(hm_index *index, uint32_t bucket, hm_handle owner,
                                 uint32_t *position)
{
    hm_lists_blocks *lists = &index->members;
    hm_lists_record *record = hm_index_record(index, bucket);
    *position = hm_index_member_count(index, bucket);
    hm_handle *place = (hm_handle *)(void *)hm_lists_append_sized(lists, record, sizeof owner);
    if (place == NULL)
        return index_attach_slow(index, bucket, owner);
    *place = owner;
    return HM_OK;
}

/* Makes the owner a member of a key. `at` is the position of its value in the secondary, or of an
 * earlier owner's; HM_INVALID_INDEX: the secondary is prepared to add one. A place is read and
 * written by halves, since a processor waits for two stores before it loads both as one. */
HM_INLINE hm_status index_put(hm_index *index, hm_handle owner, uint32_t at, uint32_t bucket)
{
    hm_index_place *places = hm_index_places(index);
    uint32_t before = HM_INDEX_NO_BUCKET, before_position = 0, position;
    if (at != HM_INVALID_INDEX) {
        before = places[at].bucket;
        before_position = places[at].position;
    }
    if (before == bucket) {
        hm_index_items(index, bucket)[before_position] = owner;
        hm_secondary_rename(&index->owners, at, owner);
        return HM_OK;
    }
    hm_status status = index_attach(index, bucket, owner, &position);
    if (status != HM_OK)
        return status;
    if (at == HM_INVALID_INDEX) {
        const hm_index_place place = {bucket, position};
        (void)hm_secondary_set_sized(&index->owners, owner, &place, sizeof place);
        return HM_OK;
    }
    hm_secondary_rename(&index->owners, at, owner);
    places[at].bucket = bucket;
    places[at].position = position;
    hm_index_detach(index, before, before_position);
    return HM_OK;
}

hm_status hm_index_set(hm_index *index, hm_handle owner, uint64_t key)
{
    HM_CONTRACT(index != NULL, "hm_index_set: index is NULL");
    hm_status status = hm_index_check(index, key);
    if (status != HM_OK)
        return status;
    uint32_t at = hm_secondary_find(&index->owners, owner);
    if (at == HM_INVALID_INDEX && !hm_secondary_appends(&index->owners, owner))
        status = hm_fail_in("index_set", NULL, hm_secondary_accept(&index->owners, owner, &at));
    if (status != HM_OK)
        return hm_index_blame(index, status);
    uint32_t bucket = hm_index_find_key(index, key);
    if (bucket != HM_INVALID_INDEX)
        return index_put(index, owner, at, bucket);
    status = hm_index_add_key(index, key, &bucket);
    if (status != HM_OK)
        return hm_index_blame(index, status);
    status = index_put(index, owner, at, bucket);
    if (status != HM_OK)
        hm_index_drop_key(index, bucket);
    return status;
}

/* remove */

bool hm_index_remove(hm_index *index, hm_handle owner)
{
    HM_CONTRACT(index != NULL, "hm_index_remove: index is NULL");
    uint32_t at = hm_secondary_find(&index->owners, owner);
    if (at == HM_INVALID_INDEX || hm_guard_refuses(&index->guard, "index", index->name))
        return false;
    const hm_index_place *place = &hm_index_places(index)[at];
    hm_index_detach(index, place->bucket, place->position);
    return hm_secondary_remove_sized(&index->owners, owner, sizeof(hm_index_place));
}

uint32_t hm_index_remove_key(hm_index *index, uint64_t key)
{
    HM_CONTRACT(index != NULL, "hm_index_remove_key: index is NULL");
    uint32_t bucket = hm_index_find_key(index, key);
    if (bucket == HM_INVALID_INDEX || hm_guard_refuses(&index->guard, "index", index->name))
        return 0;
    uint32_t count = hm_index_member_count(index, bucket);
    const hm_handle *items = hm_index_items(index, bucket);
    for (uint32_t i = 0; i < count; i++)
        (void)hm_secondary_remove_sized(&index->owners, items[i], sizeof(hm_index_place));
    hm_lists_empty(&index->members, hm_index_record(index, bucket));
    hm_index_drop_key(index, bucket);
    return count;
}

void hm_index_clear(hm_index *index)
{
    HM_CONTRACT_AT_REST(index, "hm_index_clear");
    hm_secondary_clear(&index->owners);
    hm_index_drop_all_keys(index);
}

/* Exchanges the positions of two owners, which their keys do not depend on. */
static void index_exchange(hm_index *index, uint32_t a, uint32_t b)
{
    hm_handle *owners = index->owners.owners, owner = owners[a];
    hm_index_place *places = hm_index_places(index), place = places[a];
    places[a] = places[b];
    places[b] = place;
    hm_secondary_rename(&index->owners, a, owners[b]);
    hm_secondary_rename(&index->owners, b, owner);
    index->owners.positions[hm_handle_index(owners[a])] = a;
    index->owners.positions[hm_handle_index(owners[b])] = b;
}

/* Moves the doomed owners behind the others first, so that `doomed` sees the index whole. */
uint32_t hm_index_remove_if(hm_index *index,
                            bool (*doomed)(hm_handle owner, uint64_t key, void *context),
                            void *context)
{
    HM_CONTRACT(index != NULL, "hm_index_remove_if: index is NULL");
    HM_CONTRACT(doomed != NULL, "hm_index_remove_if: doomed is NULL");
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return 0;
    uint32_t count = hm_index_count(index), kept = 0;
    hm_guard_enter(&index->guard);
    for (uint32_t i = 0; i < count; i++) {
        hm_handle owner = hm_secondary_owner_at(&index->owners, i);
        if (!doomed(owner, index->buckets[hm_index_places(index)[i].bucket].key, context))
            index_exchange(index, kept++, i);
    }
    hm_guard_leave(&index->guard, 0);
    for (uint32_t i = count; i > kept; i--)
        (void)hm_index_remove(index, hm_secondary_owner_at(&index->owners, i - 1));
    return count - kept;
}

/* questions */

const hm_handle *hm_index_members(const hm_index *index, uint64_t key, uint32_t *count)
{
    HM_CONTRACT(index != NULL, "hm_index_members: index is NULL");
    uint32_t bucket = hm_index_find_key(index, key);
    bool is_any = bucket != HM_INVALID_INDEX;
    if (count != NULL)
        *count = is_any ? hm_index_member_count(index, bucket) : 0;
    return is_any ? hm_index_items(index, bucket) : NULL;
}

bool hm_index_key_of(const hm_index *index, hm_handle owner, uint64_t *key)
{
    HM_CONTRACT(index != NULL, "hm_index_key_of: index is NULL");
    uint32_t at = hm_secondary_find(&index->owners, owner);
    if (at == HM_INVALID_INDEX)
        return false;
    if (key != NULL)
        *key = index->buckets[hm_index_places(index)[at].bucket].key;
    return true;
}

hm_handle_state hm_index_explain(const hm_index *index, hm_handle owner)
{
    HM_CONTRACT(index != NULL, "hm_index_explain: index is NULL");
    return hm_secondary_explain(&index->owners, owner);
}

size_t hm_index_describe(const hm_index *index, hm_handle owner, char *buffer, size_t size)
{
    HM_CONTRACT(index != NULL, "hm_index_describe: index is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_index_describe: buffer is NULL");
    return hm_secondary_describe_as(&index->owners, owner, "key", buffer, size);
}

hm_index_stats hm_index_get_stats(const hm_index *index)
{
    HM_CONTRACT(index != NULL, "hm_index_get_stats: index is NULL");
    hm_index_stats stats = hm_secondary_get_stats(&index->owners);
    hm_stats_add(&stats, &index->members.record_array);
    hm_stats_add(&stats, &index->members.unit_array);
    hm_stats_add(&stats, &index->head_array);
    return stats;
}

/* memory */

hm_status hm_index_reserve(hm_index *index, uint32_t n)
{
    HM_CONTRACT(index != NULL, "hm_index_reserve: index is NULL");
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_fail_in("index_reserve", NULL, hm_secondary_reserve(&index->owners, n));
    if (status == HM_OK)
        status = hm_index_reserve_keys(index, n);
    return hm_index_blame(index, status);
}

hm_progress hm_index_defragment(hm_index *index, hm_frame_budget *budget)
{
    HM_CONTRACT(index != NULL, "hm_index_defragment: index is NULL");
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return (hm_progress){.status = HM_ERROR_BUSY};
    return hm_lists_close_gaps(&index->members, budget);
}

hm_status hm_index_trim(hm_index *index)
{
    HM_CONTRACT(index != NULL, "hm_index_trim: index is NULL");
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_lists_trim_units(&index->members);
    if (status == HM_OK)
        status = hm_index_trim_keys(index);
    if (status == HM_OK)
        status = hm_lists_shrink_range(&index->members);
    if (status == HM_OK)
        status = hm_secondary_trim(&index->owners);
    return hm_index_blame(index, status);
}

static bool index_owner_is_valid(const hm_index *index, uint32_t at)
{
    hm_index_place place = hm_index_places(index)[at];
    if (place.bucket >= index->bucket_count ||
        place.position >= hm_index_member_count(index, place.bucket))
        return false;
    return hm_handle_equal(hm_index_items(index, place.bucket)[place.position],
                           hm_secondary_owner_at(&index->owners, at));
}

static hm_status index_validate(const hm_index *index)
{
    hm_status status = hm_secondary_validate(&index->owners);
    if (status != HM_OK || index->owners.value_array.data == NULL)
        return status;
    const hm_lists_blocks *members = &index->members;
    if (!hm_lists_is_placed(members) || (void *)index->buckets != members->records ||
        members->limit != members->max_items || index->bucket_count > members->record_array.limit)
        return hm_fail(HM_ERROR_CORRUPT, "the columns of %s are damaged", index->name);
    status = hm_lists_validate_blocks(members, index->bucket_count);
    if (status != HM_OK)
        return status;
    for (uint32_t at = 0; at < hm_index_count(index); at++)
        if (!index_owner_is_valid(index, at))
            return hm_fail(HM_ERROR_CORRUPT, "the owner at position %" HM_U32 " is misplaced", at);
    if (members->item_count != hm_index_count(index))
        return hm_fail(HM_ERROR_CORRUPT, "%" HM_U64 " members, %" HM_U32 " owners",
                       members->item_count, hm_index_count(index));
    return hm_index_validate_keys(index);
}

HM_VALIDATE(index, index_validate)

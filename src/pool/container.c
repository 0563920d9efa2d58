/* SPDX-License-Identifier: MIT */
/* pool: a pool as a whole: init and fini, what can be asked of it, and whether its parts agree. The
 * header explains the structure; pool_private.h says which file owns what. */
#include "pool_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

HM_STATIC_ASSERT(offsetof(hm_pool, recent) <= 64, "lookup reads one line of a cache");
HM_STATIC_ASSERT(offsetof(hm_pool, listed) <= 128, "insert and erase read two");

/* init and fini */

/* Returns the index space in one range when a descriptor leaves it open. There each slot reserves
 * the address space of an item, so it is smaller where addresses are scarce. */
static uint32_t pool_range_slots(const hm_pool *pool)
{
    if (!hm_memory_is_ample(hm_pool_memory(pool)))
        return hm_id_table_default_max_slots(pool->capacity, 1, 2);
    return hm_id_table_default_max_slots(pool->capacity, UINT32_C(1) << 16, 4);
}

/* The same in blocks; `most` are as many as the sizes of all allow. */
static uint32_t pool_block_slots(const hm_pool *pool, uint32_t most)
{
    uint32_t slots = hm_id_table_default_max_slots(pool->capacity, HM_ID_TABLE_LEAST_SLOTS,
                                                   HM_ID_TABLE_SLOTS_PER_ITEM);
    slots = hm_pool_at_most(slots, most);
    return slots > pool->capacity ? slots : pool->capacity;
}

/* A pool without a capacity has one range for its columns, which moves. Fixed blocks have a limit
 * always. */
static bool pool_is_unbounded(const hm_pool_desc *desc)
{
    return desc->capacity == 0 && desc->storage != HM_STORAGE_FIXED_BLOCKS;
}

static void pool_set_limits(hm_pool *pool, const hm_pool_desc *desc)
{
    /* As many as the sizes of all allow; pool_check says why half of it. */
    size_t size = desc->item_size > sizeof(hm_pool_word) ? desc->item_size : sizeof(hm_pool_word);
    uint32_t most =
        hm_pool_at_most((SIZE_MAX - hm_pool_memory(pool)->page_size) / 2 / size, UINT32_MAX);
    pool->capacity = desc->capacity != 0 ? desc->capacity : HM_DEFAULT_CAPACITY;
    pool->max_slots = desc->max_slots;
    if (pool_is_unbounded(desc)) {
        pool->max_slots = desc->max_slots != 0 ? desc->max_slots : most;
        pool->capacity = pool->max_slots < UINT32_MAX ? pool->max_slots : UINT32_MAX - 1;
    } else if (desc->max_slots == 0) {
        pool->max_slots =
            hm_pool_in_one_range(pool) ? pool_range_slots(pool) : pool_block_slots(pool, most);
    }
}

/* Checks all that can be wrong with a descriptor, before anything is reserved. */
static hm_status pool_check(const hm_pool *pool, const hm_pool_desc *desc)
{
    hm_status status = hm_memory_check(hm_pool_memory(pool));
    if (status == HM_OK)
        status = hm_array_check_layout(desc->item_size, desc->item_align, "item_");
    if (status == HM_OK)
        status = hm_id_table_check(pool->capacity, pool->max_slots, desc->type_id,
                                   desc->generation_bits);
    if (status != HM_OK)
        return status;
    if ((unsigned)desc->storage > HM_STORAGE_GROWING_BLOCKS)
        return hm_fail(HM_ERROR_INVALID, "storage %u is none of hm_storage",
                       (unsigned)desc->storage);
    /* Half of SIZE_MAX, so that no later product overflows: a block, rounded up to pages, has less
     * than twice max_slots items; an extent has one block, or at most half of them. */
    if (pool->max_slots == 0 ||
        desc->item_size > (SIZE_MAX - hm_pool_memory(pool)->page_size) / 2 / pool->max_slots)
        return hm_fail(HM_ERROR_INVALID,
                       "max_slots %" HM_U32 " times item_size %zu does not fit in size_t",
                       pool->max_slots, desc->item_size);
    status = hm_array_check_size(desc->item_size, 1, "item_", hm_pool_memory(pool));
    if (status != HM_OK)
        return status;
    return hm_array_check_size(sizeof(uint32_t), hm_pool_first_slots(pool, pool_is_unbounded(desc)),
                               "entry_", hm_pool_memory(pool));
}

static hm_status pool_init_all(hm_pool *pool, const hm_pool_desc *desc)
{
    pool->entry_array.memory = desc->memory != NULL ? desc->memory : hm_memory_os();
    pool->places.storage = (uint16_t)desc->storage;
    if (pool_is_unbounded(desc) && desc->storage == HM_STORAGE_VIRTUAL)
        pool->places.storage = HM_STORAGE_GROWING_BLOCKS;
    pool_set_limits(pool, desc);
    hm_status status = pool_check(pool, desc);
    if (status != HM_OK)
        return status;
    pool->places.last_generation = hm_last_generation(desc->generation_bits);
    pool->item_size = desc->item_size;
    pool->guard.limit = pool->capacity;
    pool->hole_word = HM_INVALID_INDEX;
    uint16_t type_id = desc->type_id;
    hm_array items;
    hm_array_column columns[HM_POOL_COLUMNS];
    if (!hm_pool_in_one_range(pool))
        hm_pool_blocks_init(pool, desc->block_size);
    uint32_t slots = hm_pool_first_slots(pool, pool_is_unbounded(desc));
    uint32_t count = hm_pool_columns_list(pool, slots, columns);
    count += hm_pool_storage_list(pool, slots, desc->item_align, &items, columns + count);
    status = hm_array_init_columns(columns, count, pool_is_unbounded(desc));
    if (status != HM_OK)
        return hm_pool_blame(pool, status);
    hm_pool_columns_place(pool);
    hm_pool_storage_place(pool, &items);
    status = hm_id_table_choose_type(&type_id);
    pool->fresh_entry = (uint32_t)(hm_handle_pack(0, 1, type_id).bits >> 32);
    return hm_pool_blame(pool, status);
}

static void pool_release_all(hm_pool *pool)
{
    hm_array_close(&pool->promises);
    hm_pool_storage_fini(pool);
    hm_pool_columns_fini(pool);
    memset(pool, 0, sizeof *pool);
}

HM_KNOWN_CONTAINER(pool, entry_array.memory)

hm_status hm_pool_init(hm_pool *pool, const hm_pool_desc *desc)
{
    hm_status status = hm_announce_init("pool", pool, sizeof *pool);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_pool_desc, desc);
    pool->name = desc->name != NULL ? desc->name : "pool";
    status = pool_init_all(pool, desc);
    if (status == HM_OK)
        status = hm_known_join(&hm_known_pool, pool);
    if (status != HM_OK) {
        pool_release_all(pool);
        return hm_fail_in("pool_init", desc->name, status);
    }
    pool->destroy = desc->destroy;
    pool->context = desc->context;
    pool->erase_limit = hm_pool_erase_limit(pool);
    return HM_OK;
}

void hm_pool_fini(hm_pool *pool)
{
    HM_CONTRACT_AT_REST(pool, "hm_pool_fini");
    if (pool->destroy != NULL)
        hm_pool_clear(pool);
    hm_known_leave(&hm_known_pool, pool);
    pool_release_all(pool);
}

/* questions */

hm_handle hm_pool_handle_of(const hm_pool *pool, const void *item)
{
    HM_CONTRACT(pool != NULL, "hm_pool_handle_of: pool is NULL");
    if (pool->count == 0)
        return HM_NULL_HANDLE;
    return hm_pool_handle_at(pool, hm_pool_slot_at(pool, item));
}

hm_handle_state hm_pool_explain(const hm_pool *pool, hm_handle handle)
{
    HM_CONTRACT(pool != NULL, "hm_pool_explain: pool is NULL");
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    hm_handle_state state = hm_handle_judge(handle, hm_pool_type_id(pool));
    if (state != HM_HANDLE_LIVE)
        return state;
    if (slot >= pool->slot_count)
        return HM_HANDLE_OUT_OF_RANGE;
    uint32_t last = hm_pool_entry_generation(pool->entries[slot]);
    if (hm_pool_is_promised(pool, slot) && generation == last)
        return hm_promises_are_given(pool->promises, handle) ? HM_HANDLE_PROMISED
                                                             : HM_HANDLE_FORGED;
    if (!hm_pool_is_promised(pool, slot) && last == pool->places.last_generation &&
        !hm_pool_lives(pool, slot))
        return HM_HANDLE_RETIRED;
    if (generation == last && hm_pool_lives(pool, slot))
        return HM_HANDLE_LIVE;
    return generation <= last ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

size_t hm_pool_describe(const hm_pool *pool, hm_handle handle, char *buffer, size_t size)
{
    HM_CONTRACT(pool != NULL, "hm_pool_describe: pool is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_pool_describe: buffer is NULL");
    uint32_t slot = hm_handle_index(handle);
    hm_description what = {.name = pool->name,
                           .handle = handle,
                           .state = hm_pool_explain(pool, handle),
                           .type_id = hm_pool_type_id(pool),
                           .slots = pool->slot_count,
                           .is_zeroed = pool->capacity == 0};
    if (slot < pool->slot_count) {
        what.generation = hm_pool_entry_generation(pool->entries[slot]);
        what.is_free = !hm_pool_lives(pool, slot) && !hm_pool_is_promised(pool, slot);
    }
    return hm_describe(&what, buffer, size);
}

hm_owners hm_pool_as_owners(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_as_owners: pool is NULL");
    bool has_limit = !pool->entry_array.moves_to_grow;
    return (hm_owners){.capacity = has_limit ? pool->capacity : UINT32_MAX,
                       .max_slots = pool->max_slots,
                       .type_id = (uint16_t)hm_pool_type_id(pool),
                       .is_given = true};
}

hm_pool_stats hm_pool_get_stats(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_get_stats: pool is NULL");
    hm_pool_stats stats = {.count = pool->count,
                           .capacity = pool->capacity,
                           .slots = pool->slot_count,
                           .max_slots = pool->max_slots,
                           .free_slots = hm_pool_hole_count(pool),
                           .promised_slots = hm_pool_promised(pool),
                           .ready_slots = hm_promises_ready(pool->promises),
                           .retired_slots = pool->retired_count,
                           .committed_size = pool->item_committed_size,
                           .reserved_size = pool->item_reserved_size};
    hm_stats_add(&stats, &pool->entry_array);
    hm_stats_add(&stats, &pool->word_array);
    hm_stats_add(&stats, &pool->hole_array);
    hm_stats_add(&stats, &pool->unit_array);
    hm_stats_add(&stats, &pool->extent_array);
    if (pool->promises != NULL)
        hm_stats_add(&stats, pool->promises);
    return stats;
}

/* validate */

typedef struct pool_census {
    uint32_t live, cold, retired, promised; /* slots; the others are holes with memory */
} pool_census;

/* Counts a slot as one of the kinds. Returns false when it is none of them. */
static bool pool_count_slot(const hm_pool *pool, uint32_t slot, pool_census *count)
{
    uint32_t entry = pool->entries[slot];
    const hm_pool_word *word = &pool->words[slot / HM_POOL_WORD];
    bool live = hm_pool_lives(pool, slot);
    bool hole = ((word->live ^ word->open) >> slot % HM_POOL_WORD & 1) != 0;
    bool spent = hm_pool_entry_generation(entry) == pool->places.last_generation;
    bool has_memory = hm_pool_has_memory(pool, slot), promised = hm_pool_is_promised(pool, slot);
    count->live += live;
    count->promised += promised;
    count->retired += !live && !hole && !promised;
    count->cold += hole && !has_memory;
    if (hm_pool_entry_generation(entry) == 0 || live == ((entry & HM_POOL_FREE_ENTRY) != 0) ||
        ((entry ^ pool->fresh_entry) & HM_POOL_PROMISED_MASK) !=
            (promised ? HM_POOL_PROMISED_MASK : 0))
        return false;
    if (promised)
        return !live && !hole;
    /* Whether a retired slot has memory does not matter. */
    return live ? !hole && has_memory : hole != spent;
}

static bool pool_counts_are_valid(const hm_pool *pool)
{
    bool is_busy = hm_guard_is_busy(&pool->guard);
    return pool->slot_count <= pool->max_slots && pool->count <= hm_pool_limit(pool) &&
           pool->slot_count <= pool->fresh_end && pool->fresh_end <= hm_pool_columns_limit(pool) &&
           pool->fresh_end <= hm_pool_storage_fresh_end(pool) &&
           (!pool->has_cold || pool->fresh_end == pool->slot_count) &&
           pool->guard.limit == (is_busy ? 0 : hm_pool_limit(pool)) &&
           pool->erase_limit == (is_busy ? 0 : hm_pool_erase_limit(pool)) &&
           hm_pool_columns_are_valid(pool);
}

static hm_status pool_validate(const hm_pool *pool)
{
    pool_census count = {0, 0, 0, 0};
    if (hm_pool_memory(pool) == NULL)
        return HM_OK;
    if (!pool_counts_are_valid(pool) || !hm_pool_storage_is_valid(pool))
        return hm_fail(HM_ERROR_CORRUPT, "the pool's counts and memory disagree");
    for (uint32_t slot = 0; slot < pool->slot_count; slot++)
        if (!pool_count_slot(pool, slot, &count))
            return hm_fail(HM_ERROR_CORRUPT,
                           "the entry or the bits of slot %" HM_U32 " are damaged", slot);
    if (pool->slot_count != 0 && !hm_pool_levels_are_valid(pool))
        return hm_fail(HM_ERROR_CORRUPT, "the levels above the pool's bits are damaged");
    bool is_consistent = count.live == pool->count && (count.cold == 0 || pool->has_cold) &&
                         count.retired == pool->retired_count &&
                         count.promised == hm_pool_promised(pool) &&
                         hm_promises_ready(pool->promises) <= count.promised;
    if (!is_consistent)
        return hm_fail(HM_ERROR_CORRUPT, "the pool's counts disagree with its slots");
    return HM_OK;
}

HM_VALIDATE(pool, pool_validate)

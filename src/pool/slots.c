/* SPDX-License-Identifier: MIT */
/* pool: the life cycle of slots.
 *
 * Every issued slot is in one of five states:
 *     live      bits in `live` and `open`, entry without the free bit
 *     hole      bit in `open` only, entry with the free bit
 *     cold      a hole that lacks some of its memory, which trim gave back
 *     retired   no bit, entry with the free bit and the last generation
 *     promised  no bit, entry with the free bit and the type id reversed
 *
 * A slot is retired when its last item is erased, so that every hole can be issued. Holes are taken
 * in one order, whether or not they are cold, so that handles do not depend on the size of a page.
 */
#include "pool_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"

/* insert */

void hm_pool_set_fresh_end(hm_pool *pool, uint32_t items)
{
    uint32_t columns = hm_pool_columns_limit(pool);
    pool->fresh_end = columns < items ? columns : items;
    hm_pool_choose_hole_word(pool);
    if (pool->has_cold)
        pool->fresh_end = pool->slot_count;
}

/* Brings back the memory of the n lowest holes; there are as many. That suffices for n inserts,
 * whatever is erased in between, since recent holes are never cold, and all others are taken from
 * the lowest on. The words before the first listed one have recent holes only. */
static hm_status pool_warm_holes(hm_pool *pool, uint32_t n)
{
    uint32_t left = pool->has_cold ? n : 0, end = hm_pool_word_count(pool->slot_count);
    for (uint32_t word = hm_pool_lowest_listed(pool); left != 0 && word < end; word++)
        for (uint64_t holes = hm_pool_holes(pool, word); holes != 0 && left != 0; left--) {
            uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(holes);
            hm_status status = hm_pool_storage_revive(pool, slot);
            if (status != HM_OK)
                return status;
            holes &= holes - 1;
        }
    if (n == hm_pool_hole_count(pool))
        pool->has_cold = false;
    return HM_OK;
}

/* Makes n places ready: holes, then fresh ones. There are enough. */
static hm_status pool_make_ready(hm_pool *pool, uint32_t n, bool grows)
{
    uint32_t holes = n < hm_pool_hole_count(pool) ? n : hm_pool_hole_count(pool), fresh = n - holes;
    hm_status status = pool_warm_holes(pool, holes);
    if (status == HM_OK && fresh != 0) {
        status = hm_pool_columns_commit(pool, (uint64_t)pool->slot_count + fresh, grows);
        if (status == HM_OK)
            status = hm_pool_storage_grow(pool, fresh);
    }
    bool brings = status == HM_OK && grows && fresh != 0;
    hm_pool_set_fresh_end(pool, brings ? hm_pool_storage_bring_more(pool, fresh)
                                       : hm_pool_storage_fresh_end(pool));
    return status;
}

hm_status hm_pool_blame(const hm_pool *pool, hm_status status)
{
    const hm_limits limits = {"pool", pool->name, pool->capacity, pool->max_slots, 0, NULL};
    return hm_blame(status, &limits);
}

/* Returns how many slots can be issued: holes and fresh ones. */
static uint32_t pool_unissued(const hm_pool *pool)
{
    return pool->max_slots - pool->count - pool->retired_count - hm_pool_promised(pool);
}

hm_status hm_pool_prepare(hm_pool *pool, uint32_t n, bool grows)
{
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return HM_ERROR_BUSY;
    if (n > hm_pool_limit(pool) - pool->count)
        return hm_fail_full("pool", pool->name, pool->count + hm_pool_promised(pool),
                            pool->capacity, n);
    if (n > pool_unissued(pool))
        return hm_fail_spent("pool", pool->name, pool->max_slots, pool->retired_count);
    if (!pool->has_cold &&
        n <= (uint64_t)hm_pool_hole_count(pool) + pool->fresh_end - pool->slot_count)
        return HM_OK;
    return hm_pool_blame(pool, pool_make_ready(pool, n, grows));
}

hm_status hm_pool_reserve(hm_pool *pool, uint32_t n)
{
    HM_CONTRACT(pool != NULL, "hm_pool_reserve: pool is NULL");
    return hm_pool_prepare(pool, n, false);
}

uint32_t hm_pool_available(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_available: pool is NULL");
    return hm_pool_at_most(hm_pool_limit(pool) - pool->count, pool_unissued(pool));
}

/* Returns the hole that is not recent and has `k` of these before it. */
static uint32_t pool_find_hole(const hm_pool *pool, uint32_t k)
{
    for (uint32_t word = hm_pool_lowest_listed(pool);; word++)
        for (uint64_t holes = hm_pool_listed_holes(pool, word); holes != 0; holes &= holes - 1)
            if (k-- == 0)
                return word * HM_POOL_WORD + hm_bits_lowest(holes);
}

hm_handle hm_pool_upcoming(const hm_pool *pool, uint32_t k)
{
    HM_CONTRACT(pool != NULL, "hm_pool_upcoming: pool is NULL");
    uint32_t recent = pool->recent_count, holes = hm_pool_hole_count(pool);
    if (k >= hm_pool_limit(pool) - pool->count)
        return HM_NULL_HANDLE;
    if (k >= holes) {
        uint64_t slot = (uint64_t)pool->slot_count + (k - holes);
        if (slot >= pool->fresh_end)
            return HM_NULL_HANDLE;
        return hm_handle_from_bits((uint64_t)pool->fresh_entry << 32 | slot);
    }
    uint32_t slot = k < recent ? pool->recent[recent - 1 - k] : pool_find_hole(pool, k - recent);
    uint32_t entry = pool->entries[slot] + (HM_POOL_FREE_ENTRY + 1); /* which clears the bit */
    return hm_handle_from_bits((uint64_t)entry << 32 | slot);
}

hm_handle hm_pool_issue_slow(hm_pool *pool)
{
    if (hm_pool_prepare(pool, 1, true) != HM_OK)
        return HM_NULL_HANDLE;
    /* The lowest hole has its memory now, even if others of its word are cold. */
    pool->hole_word = hm_pool_lowest_listed(pool);
    hm_handle handle = hm_pool_issue(pool);
    hm_pool_choose_hole_word(pool);
    return handle;
}

/* erase */

/* Makes a live slot free; its item has been destroyed. One that is retired leaves no hole. */
static void pool_release_slot(hm_pool *pool, uint32_t slot)
{
    uint32_t entry = pool->entries[slot];
    hm_memory_poison(hm_pool_place_sized(pool, slot, pool->item_size), pool->item_size);
    if (hm_pool_entry_generation(entry) != pool->places.last_generation) {
        hm_pool_open_slot(pool, slot, entry);
        return;
    }
    pool->entries[slot] = entry | HM_POOL_FREE_ENTRY;
    pool->words[slot / HM_POOL_WORD].live ^= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->words[slot / HM_POOL_WORD].open ^= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count--;
    pool->retired_count++;
}

void hm_pool_enter(hm_pool *pool)
{
    hm_guard_enter(&pool->guard);
    pool->erase_limit = 0;
}

void hm_pool_leave(hm_pool *pool)
{
    hm_guard_leave(&pool->guard, hm_pool_limit(pool));
    pool->erase_limit = hm_pool_erase_limit(pool);
}

/* Erases the item of a live slot. */
static void pool_erase_item(hm_pool *pool, uint32_t slot)
{
    if (pool->destroy != NULL) {
        hm_pool_enter(pool);
        pool->destroy(hm_pool_place_sized(pool, slot, pool->item_size), pool->context);
        hm_pool_leave(pool);
    }
    pool_release_slot(pool, slot);
}

bool hm_pool_erase_slow(hm_pool *pool, hm_handle handle)
{
    if (hm_handle_is_free(handle) || hm_guard_refuses(&pool->guard, "pool", pool->name))
        return false;
    pool_erase_item(pool, hm_handle_index(handle));
    return true;
}

void hm_pool_prefetch(const hm_pool *pool, uint32_t slot)
{
    const unsigned char *place = hm_pool_place_sized(pool, slot, pool->item_size);
    HM_PREFETCH(place);
    HM_PREFETCH(place + pool->item_size - 1);
}

uint32_t hm_pool_erase_if(hm_pool *pool, bool (*doomed)(const void *item, void *context),
                          void *context)
{
    HM_CONTRACT(pool != NULL, "hm_pool_erase_if: pool is NULL");
    HM_CONTRACT(doomed != NULL, "hm_pool_erase_if: doomed is NULL");
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return 0;
    uint32_t before = pool->count;
    uint64_t live;
    for (uint32_t word = hm_pool_next_word(pool, 0, &live); word != HM_INVALID_INDEX;
         word = hm_pool_next_word(pool, word + 1, &live)) {
        for (; live != 0; live &= live - 1) {
            uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(live);
            hm_pool_enter(pool);
            bool is_doomed = doomed(hm_pool_place_sized(pool, slot, pool->item_size), context);
            hm_pool_leave(pool);
            if (is_doomed)
                pool_erase_item(pool, slot);
        }
    }
    return before - pool->count;
}

/* Releases all items of a word. */
static void pool_release_word(hm_pool *pool, uint32_t word)
{
    uint64_t retired = 0;
    for (uint64_t live = pool->words[word].live; live != 0; live &= live - 1) {
        uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(live);
        if (hm_pool_entry_generation(pool->entries[slot]) == pool->places.last_generation) {
            pool->retired_count++;
            retired |= live & (0 - live);
        }
        pool->entries[slot] |= HM_POOL_FREE_ENTRY;
        pool->count--;
    }
    pool->words[word].live = 0;
    pool->words[word].open &= ~retired;
    if (hm_pool_holes(pool, word) != 0)
        hm_pool_list_word(pool, word);
}

void hm_pool_clear(hm_pool *pool)
{
    HM_CONTRACT_AT_REST(pool, "hm_pool_clear");
    uint32_t length;
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length)) {
        for (uint32_t k = 0; pool->destroy != NULL && k < length; k++)
            pool_erase_item(pool, i + k);
        hm_memory_poison(hm_pool_place_sized(pool, i, pool->item_size), pool->item_size * length);
    }
    hm_pool_forget_recent(pool);
    for (uint32_t word = 0; pool->count != 0; word++)
        pool_release_word(pool, word);
}

/* adopt */

/* Returns why the slot refuses the handle, or NULL. */
static const char *pool_find_obstacle(const hm_pool *pool, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (slot >= pool->slot_count)
        return NULL;
    uint32_t last = hm_pool_entry_generation(pool->entries[slot]);
    if (hm_pool_lives(pool, slot))
        return hm_handle_generation(handle) == last ? HM_ADOPT_IS_ALIVE : HM_ADOPT_IS_TAKEN;
    if (hm_pool_is_promised(pool, slot))
        return HM_ADOPT_IS_PROMISED;
    if (last == pool->places.last_generation)
        return HM_ADOPT_IS_RETIRED;
    return hm_handle_generation(handle) < last ? HM_ADOPT_IS_STALE : NULL;
}

static hm_status pool_check_adopt(const hm_pool *pool, hm_handle handle)
{
    if (hm_pool_memory(pool) == NULL)
        return hm_fail_uninitialised("pool");
    hm_status status = hm_adopt_judge("pool", pool->name, handle, hm_pool_type_id(pool),
                                      pool->max_slots, pool->places.last_generation);
    if (status == HM_OK)
        status = hm_adopt_refuse("pool", pool->name, handle, pool_find_obstacle(pool, handle));
    if (status == HM_OK && pool->count == hm_pool_limit(pool))
        status = hm_fail_full("pool", pool->name, pool->count + hm_pool_promised(pool),
                              pool->capacity, 1);
    return status;
}

/* Makes the slots up to this one, as holes of generation 1, with memory for its item. */
static hm_status pool_make_slots(hm_pool *pool, uint32_t slot)
{
    hm_status status = hm_pool_columns_commit(pool, (uint64_t)slot + 1, true);
    if (status == HM_OK)
        status = hm_pool_storage_revive(pool, slot);
    if (status != HM_OK)
        return status;
    uint32_t first = pool->slot_count;
    pool->slot_count = slot + 1;
    for (uint32_t i = first; i <= slot; i++) {
        pool->entries[i] = pool->fresh_entry | HM_POOL_FREE_ENTRY;
        pool->words[i / HM_POOL_WORD].open |= UINT64_C(1) << i % HM_POOL_WORD;
        if (!hm_pool_is_listed(pool, i / HM_POOL_WORD))
            hm_pool_list_word(pool, i / HM_POOL_WORD);
    }
    pool->has_cold = true;
    return HM_OK;
}

/* Makes a hole live, when no hole is recent. */
static void pool_take_hole(hm_pool *pool, uint32_t slot)
{
    uint32_t word = slot / HM_POOL_WORD;
    pool->words[word].live |= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count++;
    if (hm_pool_holes(pool, word) == 0)
        hm_pool_unlist_word(pool, word);
}

/* Names the item of a slot that has become live, and writes it. */
static void pool_write(hm_pool *pool, hm_handle handle, const void *item)
{
    uint32_t slot = hm_handle_index(handle);
    unsigned char *place = hm_pool_place_sized(pool, slot, pool->item_size);
    pool->entries[slot] = (uint32_t)(handle.bits >> 32);
    hm_memory_unpoison(place, pool->item_size);
    if (item != NULL)
        memcpy(place, item, pool->item_size);
    else
        memset(place, 0, pool->item_size);
}

hm_status hm_pool_adopt(hm_pool *pool, hm_handle handle, const void *item)
{
    HM_CONTRACT(pool != NULL, "hm_pool_adopt: pool is NULL");
    uint32_t slot = hm_handle_index(handle);
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return HM_ERROR_BUSY;
    hm_status status = pool_check_adopt(pool, handle);
    if (status != HM_OK)
        return status;
    status =
        slot < pool->slot_count ? hm_pool_storage_revive(pool, slot) : pool_make_slots(pool, slot);
    if (status == HM_OK) {
        hm_pool_forget_recent(pool);
        pool_take_hole(pool, slot);
    }
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    if (status != HM_OK)
        return hm_pool_blame(pool, status);
    pool_write(pool, handle, item);
    return HM_OK;
}

/* promises */

/* Makes the slot of a handle that was just issued a promised one. */
static void pool_set_aside(hm_pool *pool, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    pool->entries[slot] ^= HM_POOL_PROMISED_MASK | HM_POOL_FREE_ENTRY;
    pool->words[slot / HM_POOL_WORD].live ^= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->words[slot / HM_POOL_WORD].open ^= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count--;
    hm_promises_count_more(pool->promises, 1);
}

hm_status hm_pool_reserve_promises(hm_pool *pool, uint32_t n)
{
    HM_CONTRACT(pool != NULL, "hm_pool_reserve_promises: pool is NULL");
    uint32_t ready = hm_promises_ready(pool->promises);
    n = n > ready ? n - ready : 0;
    hm_status status = hm_pool_prepare(pool, n, false);
    if (status != HM_OK || n == 0)
        return status;
    status = hm_promises_open(&pool->promises, hm_pool_memory(pool), n);
    if (status != HM_OK)
        return hm_pool_blame(pool, status);
    hm_handle *handles = hm_promises_append(pool->promises, n);
    for (uint32_t i = 0; i < n; i++) {
        handles[i] = hm_pool_issue(pool);
        if (hm_handle_is_null(handles[i]))
            handles[i] = hm_pool_issue_slow(pool);
        pool_set_aside(pool, handles[i]);
    }
    pool->guard.limit = hm_pool_limit(pool);
    return HM_OK;
}

hm_handle hm_pool_promise(hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_promise: pool is NULL");
    return hm_promises_give(pool->promises, "pool", pool->name);
}

static void pool_end_promise(hm_pool *pool)
{
    hm_promises_end(pool->promises);
    pool->guard.limit = hm_pool_limit(pool);
}

/* Whether the slot of a handle is promised, and the handle was given out. */
static bool pool_has_promised(const hm_pool *pool, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle), upper = (uint32_t)(handle.bits >> 32);
    return slot < pool->slot_count && !hm_handle_is_free(handle) &&
           pool->entries[slot] == (upper ^ (HM_POOL_PROMISED_MASK | HM_POOL_FREE_ENTRY)) &&
           hm_promises_are_given(pool->promises, handle);
}

hm_status hm_pool_insert_as(hm_pool *pool, hm_handle promised, const void *item)
{
    HM_CONTRACT(pool != NULL, "hm_pool_insert_as: pool is NULL");
    uint32_t slot = hm_handle_index(promised);
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return HM_ERROR_BUSY;
    if (!pool_has_promised(pool, promised))
        return hm_promises_refuse("pool", pool->name, promised);
    hm_status status = hm_pool_storage_revive(pool, slot);
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    if (status != HM_OK)
        return hm_pool_blame(pool, status);
    pool_end_promise(pool);
    pool->words[slot / HM_POOL_WORD].live |= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->words[slot / HM_POOL_WORD].open |= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count++;
    pool_write(pool, promised, item);
    return HM_OK;
}

bool hm_pool_give_up(hm_pool *pool, hm_handle promised)
{
    HM_CONTRACT(pool != NULL, "hm_pool_give_up: pool is NULL");
    uint32_t slot = hm_handle_index(promised), word = slot / HM_POOL_WORD;
    if (hm_guard_refuses(&pool->guard, "pool", pool->name) || !pool_has_promised(pool, promised))
        return false;
    pool_end_promise(pool);
    pool->entries[slot] ^= HM_POOL_PROMISED_MASK;
    if (hm_handle_generation(promised) == pool->places.last_generation) {
        pool->retired_count++;
        return true;
    }
    pool->words[word].open |= UINT64_C(1) << slot % HM_POOL_WORD;
    if (!hm_pool_is_listed(pool, word))
        hm_pool_list_word(pool, word);
    if (!hm_pool_has_memory(pool, slot))
        pool->has_cold = true;
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    return true;
}

/* trim */

hm_status hm_pool_trim(hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_trim: pool is NULL");
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return HM_ERROR_BUSY;
    if (hm_pool_memory(pool) == NULL)
        return HM_OK;
    hm_pool_forget_recent(pool);
    hm_status status = hm_pool_storage_trim(pool);
    if (status == HM_OK)
        status = hm_pool_columns_trim(pool);
    hm_pool_set_fresh_end(pool, hm_pool_storage_fresh_end(pool));
    return hm_pool_blame(pool, status);
}

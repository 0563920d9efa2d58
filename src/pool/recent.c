/* SPDX-License-Identifier: MIT */
/* pool: the recent holes, a stack in the order in which they were made. By default it is a ring of
 * the latest ones. Once an erase has exceeded them, the ring has *overflowed*, until its last hole
 * is filled: its holes are listed like all others, so an erase that overwrites the oldest has
 * nothing to do for it. With HM_REUSE_LAST the stack has all holes. detail/pool.h says where
 * positions are. */
#include "pool_private.h"

/* The same of a ring that has overflowed. */
static uint32_t pool_overflowed_end(const hm_pool *pool)
{
    return pool->recent_end - pool->count > HM_POOL_RECENT ? pool->count + HM_POOL_RECENT
                                                           : pool->recent_end;
}

uint32_t hm_pool_recent_end(const hm_pool *pool)
{
    if (hm_pool_reuses_last(pool))
        return pool->slot_count - pool->retired_count;
    return hm_pool_has_overflowed(pool) ? pool_overflowed_end(pool) : pool->recent_end;
}

/* The ring has overflowed from now on. */
static void pool_overflow(hm_pool *pool)
{
    for (uint32_t i = pool->count; i < pool->recent_end; i++) {
        uint32_t word = pool->recent[i & pool->recent_mask] / HM_POOL_WORD;
        if (!hm_pool_is_listed(pool, word))
            hm_pool_list_word(pool, word);
    }
    pool->recent_limit = pool->guard.limit = 0;
}

static void pool_end_overflow(hm_pool *pool)
{
    pool->recent_limit = HM_POOL_RECENT + 1;
    pool->guard.limit = pool->capacity;
}

void hm_pool_list_hole(hm_pool *pool, uint32_t slot)
{
    if (hm_pool_has_overflowed(pool))
        hm_pool_list_word(pool, slot / HM_POOL_WORD);
    else
        pool_overflow(pool);
}

hm_handle hm_pool_issue_overflowed(hm_pool *pool)
{
    uint32_t count = pool->count, end = pool_overflowed_end(pool);
    uint32_t slot = pool->recent[count++ & pool->recent_mask], word = slot / HM_POOL_WORD;
    uint32_t entry = hm_pool_fill_recent(pool, slot);
    pool->entries[slot] = entry;
    pool->recent_end = end;
    pool->count = count;
    if (hm_pool_holes(pool, word) == 0)
        hm_pool_unlist_word(pool, word);
    if (count == end)
        pool_end_overflow(pool);
    return hm_handle_from_bits((uint64_t)entry << 32 | slot);
}

void hm_pool_forget_recent(hm_pool *pool)
{
    if (!hm_pool_reuses_last(pool)) {
        if (!hm_pool_has_overflowed(pool))
            pool_overflow(pool);
        pool_end_overflow(pool);
    }
    pool->recent_end = pool->count;
}

void hm_pool_lower_recent(hm_pool *pool)
{
    uint32_t count = pool->count, end = hm_pool_recent_end(pool);
    if (hm_pool_reuses_last(pool)) {
        pool->recent++;
        pool->recent_end--;
        return;
    }
    for (uint32_t i = count; i < end; i++)
        pool->recent[(i - 1) & pool->recent_mask] = pool->recent[i & pool->recent_mask];
    pool->recent_end = end - 1;
}

/* Whether the word has holes beside this one that are not among the recent ones up to `end`. */
static bool pool_has_others(const hm_pool *pool, uint32_t slot, uint32_t end)
{
    uint32_t word = slot / HM_POOL_WORD;
    uint64_t others = hm_pool_holes(pool, word) & ~(UINT64_C(1) << slot % HM_POOL_WORD);
    for (uint32_t i = pool->count; i < end && !hm_pool_has_overflowed(pool); i++)
        if (pool->recent[i & pool->recent_mask] / HM_POOL_WORD == word)
            others &= ~(UINT64_C(1) << pool->recent[i & pool->recent_mask] % HM_POOL_WORD);
    return others != 0;
}

void hm_pool_take_hole(hm_pool *pool, uint32_t slot)
{
    uint32_t count = pool->count, end = hm_pool_recent_end(pool), i = count;
    while (i < end && pool->recent[i & pool->recent_mask] != slot)
        i++;
    bool is_recent = i < end, has_overflowed = hm_pool_has_overflowed(pool);
    bool was_last = (!is_recent || has_overflowed) && !pool_has_others(pool, slot, end);
    for (uint32_t k = i; k > count; k--)
        pool->recent[k & pool->recent_mask] = pool->recent[(k - 1) & pool->recent_mask];
    pool->words[slot / HM_POOL_WORD].live |= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count = count + 1;
    if (hm_pool_reuses_last(pool)) {
        pool->recent_end = count + 1; /* Set by hm_pool_extend_recent. */
        return;
    }
    pool->recent_end = is_recent ? end : end + 1;
    if (was_last)
        hm_pool_unlist_word(pool, slot / HM_POOL_WORD);
    if (has_overflowed && pool->recent_end == pool->count)
        pool_end_overflow(pool);
}

void hm_pool_add_holes(hm_pool *pool, hm_pool_range range)
{
    if (!hm_pool_reuses_last(pool)) {
        for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end);
             word++)
            hm_pool_list_word(pool, word);
        return;
    }
    for (uint32_t slot = range.first; slot < range.end; slot++)
        pool->recent[slot - pool->retired_count] = slot;
}

void hm_pool_stack_all(hm_pool *pool)
{
    uint32_t *next = hm_array_data(&pool->hole_array);
    pool->recent = next += pool->retired_count;
    for (uint32_t slot = 0; slot < pool->slot_count; slot++)
        if (hm_pool_entry_generation(pool->entries[slot]) != HM_HANDLE_MAX_GENERATION)
            *next++ = slot;
    pool->recent_end = 0;
    hm_pool_extend_recent(pool);
}

void hm_pool_extend_recent(hm_pool *pool)
{
    uint32_t end = hm_pool_recent_end(pool);
    if (!hm_pool_reuses_last(pool))
        return;
    if (pool->cold_count == 0)
        pool->recent_end = end;
    while (pool->recent_end < end && hm_pool_has_memory(pool, pool->recent[pool->recent_end]))
        pool->recent_end++;
}

/* validate */

static bool pool_is_hole(const hm_pool *pool, uint32_t slot)
{
    return slot < pool->slot_count &&
           (hm_pool_holes(pool, slot / HM_POOL_WORD) >> slot % HM_POOL_WORD & 1) != 0;
}

/* Whether each hole is in the stack once, and recent_end is at the first cold one. That none is
 * there twice follows from the sums, unless several errors cancel each other out. */
static bool pool_stack_is_valid(const hm_pool *pool)
{
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    uint32_t end = hm_pool_recent_end(pool), warm = pool->count;
    uint64_t stacked = 0, holes = 0;
    for (uint32_t i = pool->count; i < end; i++) {
        uint32_t slot = pool->recent[i];
        if (!pool_is_hole(pool, slot))
            return false;
        stacked += (slot * factor) ^ (slot * factor) >> 32;
        warm += warm == i && hm_pool_has_memory(pool, slot);
    }
    for (uint32_t slot = 0; slot < pool->slot_count; slot++)
        if (pool_is_hole(pool, slot))
            holes += (slot * factor) ^ (slot * factor) >> 32;
    return stacked == holes && pool->recent_end == warm && pool->recent_limit == UINT32_MAX;
}

/* Whether each slot of the ring is a hole, and none is there twice. The words of a ring that
 * has overflowed are listed, and otherwise those that have another hole; so all `unlisted` holes,
 * of words that are not listed, are there. */
static bool pool_ring_is_valid(const hm_pool *pool, uint32_t unlisted)
{
    uint32_t count = pool->count, end = hm_pool_recent_end(pool);
    if (pool->recent_end < count ||
        (hm_pool_has_overflowed(pool)
             ? end == count
             : end - count > HM_POOL_RECENT || pool->recent_limit != HM_POOL_RECENT + 1))
        return false;
    for (uint32_t i = count; i < end; i++) {
        uint32_t slot = pool->recent[i & pool->recent_mask], word = slot / HM_POOL_WORD;
        if (!pool_is_hole(pool, slot))
            return false;
        uint64_t others = hm_pool_holes(pool, word);
        for (uint32_t k = count; k < end; k++) {
            uint32_t other = pool->recent[k & pool->recent_mask];
            if (other == slot && k != i)
                return false;
            if (other / HM_POOL_WORD == word)
                others &= ~(UINT64_C(1) << other % HM_POOL_WORD);
        }
        bool is_listed = hm_pool_has_overflowed(pool) || others != 0;
        if (hm_pool_is_listed(pool, word) != is_listed)
            return false;
        unlisted -= !is_listed;
    }
    return unlisted == 0;
}

bool hm_pool_recent_are_valid(const hm_pool *pool, uint32_t unlisted)
{
    return hm_pool_reuses_last(pool) ? pool_stack_is_valid(pool)
                                     : pool_ring_is_valid(pool, unlisted);
}

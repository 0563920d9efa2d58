/* SPDX-License-Identifier: MIT */
/* pool: the words of bits, ranges and runs of slots in them, and which words are listed: those with
 * a hole that is not recent, in the levels of a bitmap, which lead to the lowest one.
 *
 * Recent holes are not listed, so a program that erases and inserts by turns does not touch the
 * levels. The lowest hole is only asked for when none is recent. */
#include "pool_private.h"

/* Returns the lowest listed word below a word of a level, which is not 0. */
static uint32_t pool_lowest_below(const hm_pool *pool, uint32_t level, uint32_t word)
{
    do
        word = word * HM_POOL_WORD + hm_bits_lowest(hm_pool_level(pool, level)[word]);
    while (level-- > 0);
    return word;
}

uint32_t hm_pool_lowest_listed(const hm_pool *pool)
{
    uint32_t level = pool->level_count - 1;
    if (pool->slot_count == 0 || hm_pool_level(pool, level)[0] == 0)
        return HM_INVALID_INDEX;
    return pool_lowest_below(pool, level, 0);
}

/* Returns the lowest listed word, unless one of its holes is cold. */
static uint32_t pool_warm_word(const hm_pool *pool)
{
    uint32_t word = hm_pool_lowest_listed(pool);
    if (!pool->has_cold || word == HM_INVALID_INDEX)
        return word;
    for (uint64_t holes = hm_pool_holes(pool, word); holes != 0; holes &= holes - 1)
        if (!hm_pool_has_memory(pool, word * HM_POOL_WORD + hm_bits_lowest(holes)))
            return HM_INVALID_INDEX;
    return word;
}

void hm_pool_raise_levels(hm_pool *pool)
{
    uint32_t below = hm_pool_word_count(hm_pool_word_count(pool->slot_count));
    for (uint32_t level = 1; level < pool->level_count;
         level++, below = hm_pool_word_count(below)) {
        const uint64_t *lower = hm_pool_level(pool, level - 1);
        uint64_t *bits = hm_pool_level(pool, level);
        for (uint32_t i = 0; i < below; i++)
            if (lower[i] != 0)
                bits[i / HM_POOL_WORD] |= UINT64_C(1) << i % HM_POOL_WORD;
    }
}

void hm_pool_choose_hole_word(hm_pool *pool)
{
    pool->has_cold = pool->has_cold && hm_pool_lowest_listed(pool) != HM_INVALID_INDEX;
    pool->hole_word = pool_warm_word(pool);
}

void hm_pool_list_word(hm_pool *pool, uint32_t word)
{
    uint32_t above = word;
    for (uint32_t level = 0; level < pool->level_count; level++) {
        uint64_t *bits = &hm_pool_level(pool, level)[above / HM_POOL_WORD];
        uint64_t before = *bits;
        *bits = before | UINT64_C(1) << above % HM_POOL_WORD;
        if (before != 0)
            break;
        above /= HM_POOL_WORD;
    }
    if (pool->has_cold)
        hm_pool_choose_hole_word(pool);
    else if (word < pool->hole_word)
        pool->hole_word = word;
}

void hm_pool_unlist_word(hm_pool *pool, uint32_t word)
{
    uint32_t level = 0, bit = word, above = word / HM_POOL_WORD;
    while ((hm_pool_level(pool, level)[above] &= ~(UINT64_C(1) << bit % HM_POOL_WORD)) == 0 &&
           ++level < pool->level_count) {
        bit = above;
        above /= HM_POOL_WORD;
    }
    if (pool->has_cold)
        hm_pool_choose_hole_word(pool);
    else if (word == pool->hole_word) /* All words before it are not listed. */
        pool->hole_word =
            level < pool->level_count ? pool_lowest_below(pool, level, above) : HM_INVALID_INDEX;
}

/* The lowest listed word has lost its last hole. */
void hm_pool_unlist_hole_word(hm_pool *pool)
{
    hm_pool_unlist_word(pool, pool->hole_word);
}

void hm_pool_forget_recent(hm_pool *pool)
{
    while (pool->recent_count != 0) {
        uint32_t word = pool->recent[--pool->recent_count] / HM_POOL_WORD;
        if (!hm_pool_is_listed(pool, word))
            hm_pool_list_word(pool, word);
    }
}

uint64_t hm_pool_listed_holes(const hm_pool *pool, uint32_t word)
{
    uint64_t holes = hm_pool_holes(pool, word);
    for (uint32_t i = 0; holes != 0 && i < pool->recent_count; i++)
        if (pool->recent[i] / HM_POOL_WORD == word)
            holes &= ~(UINT64_C(1) << pool->recent[i] % HM_POOL_WORD);
    return holes;
}

/* Returns the bits of a word whose slots are in a range. The word has at least one of them. */
static uint64_t pool_bits_in(hm_pool_range range, uint32_t word)
{
    uint64_t first = (uint64_t)word * HM_POOL_WORD;
    uint64_t bits = ~UINT64_C(0);
    if (range.first > first)
        bits <<= range.first - first;
    if (range.end < first + HM_POOL_WORD)
        bits &= (UINT64_C(1) << (range.end - first)) - 1;
    return bits;
}

bool hm_pool_any_live(const hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++)
        if (pool->words[word].live & pool_bits_in(range, word))
            return true;
    return false;
}

uint32_t hm_pool_measure_run(const hm_pool *pool, uint32_t first)
{
    uint32_t end = hm_pool_run_end(pool, first);
    uint32_t slot = first;
    while (slot < end) {
        uint64_t holes = ~pool->words[slot / HM_POOL_WORD].live >> slot % HM_POOL_WORD;
        if (holes != 0) {
            slot += hm_bits_lowest(holes);
            break;
        }
        uint32_t rest = HM_POOL_WORD - slot % HM_POOL_WORD;
        slot = rest < end - slot ? slot + rest : end;
    }
    return (slot < end ? slot : end) - first;
}

/* Whether each recent hole is a hole that has its memory, and none is there twice. */
static bool pool_recent_are_valid(const hm_pool *pool)
{
    if (pool->recent_count > HM_POOL_RECENT)
        return false;
    for (uint32_t i = 0; i < pool->recent_count; i++) {
        uint32_t slot = pool->recent[i], k = 0;
        if (slot >= pool->slot_count || !hm_pool_has_memory(pool, slot) ||
            (hm_pool_holes(pool, slot / HM_POOL_WORD) >> slot % HM_POOL_WORD & 1) == 0)
            return false;
        while (pool->recent[k] != slot)
            k++;
        if (k != i)
            return false;
    }
    return true;
}

bool hm_pool_levels_are_valid(const hm_pool *pool)
{
    uint32_t below = hm_pool_word_count(pool->slot_count);
    const hm_pool_word *last = &pool->words[below - 1];
    if ((pool->slot_count % HM_POOL_WORD != 0 &&
         (last->live | last->open) >> pool->slot_count % HM_POOL_WORD != 0) ||
        !pool_recent_are_valid(pool))
        return false;
    for (uint32_t i = hm_pool_word_count(below) * HM_POOL_WORD; i-- > 0;)
        if (hm_pool_is_listed(pool, i) != (i < below && hm_pool_listed_holes(pool, i) != 0))
            return false;
    for (uint32_t level = 1; level < pool->level_count; level++) {
        const uint64_t *lower = hm_pool_level(pool, level - 1), *bits = hm_pool_level(pool, level);
        below = hm_pool_word_count(below);
        for (uint32_t i = 0; i < hm_pool_word_count(below) * HM_POOL_WORD; i++) {
            bool is_set = (bits[i / HM_POOL_WORD] >> i % HM_POOL_WORD & 1) != 0;
            if (is_set != (i < below && lower[i] != 0))
                return false;
        }
    }
    return pool->hole_word == pool_warm_word(pool);
}

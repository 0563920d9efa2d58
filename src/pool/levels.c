/* SPDX-License-Identifier: MIT */
/* pool: the words of bits, ranges and runs of slots in them, and which words are listed: those with
 * a hole that is not recent, in the levels of a bitmap, which lead to the lowest one. With
 * HM_REUSE_LAST there are no levels.
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
    if (hm_pool_reuses_last(pool) || pool->slot_count == 0 || hm_pool_level(pool, level)[0] == 0)
        return HM_INVALID_INDEX;
    return pool_lowest_below(pool, level, 0);
}

/* Returns the lowest listed word, unless one of its holes is cold. */
static uint32_t pool_warm_word(const hm_pool *pool)
{
    uint32_t word = hm_pool_lowest_listed(pool);
    if (pool->cold_count == 0 || word == HM_INVALID_INDEX)
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
    if (pool->cold_count != 0)
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
    if (pool->cold_count != 0)
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

uint32_t hm_pool_count_warm(const hm_pool *pool, hm_pool_range range)
{
    uint32_t count = 0;
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++) {
        uint64_t holes = hm_pool_holes(pool, word) & pool_bits_in(range, word);
        for (; holes != 0; holes &= holes - 1)
            count += hm_pool_has_memory(pool, word * HM_POOL_WORD + hm_bits_lowest(holes));
    }
    return count;
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

static uint32_t pool_count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* All bits behind the slots are 0. A level's bits say which words below it are not 0. */
bool hm_pool_levels_are_valid(const hm_pool *pool, uint32_t *unlisted)
{
    uint32_t below = hm_pool_word_count(pool->slot_count);
    const hm_pool_word *last = &pool->words[below - 1];
    if (pool->slot_count % HM_POOL_WORD != 0 &&
        (last->live | last->open) >> pool->slot_count % HM_POOL_WORD != 0)
        return false;
    if (hm_pool_reuses_last(pool))
        return pool->hole_word == HM_INVALID_INDEX;
    *unlisted = 0;
    for (uint32_t i = hm_pool_word_count(below) * HM_POOL_WORD; i-- > 0;) {
        uint64_t holes = i < below ? hm_pool_holes(pool, i) : 0;
        if (!hm_pool_is_listed(pool, i))
            *unlisted += pool_count_bits(holes);
        else if (holes == 0)
            return false;
    }
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

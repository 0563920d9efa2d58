/* SPDX-License-Identifier: MIT */
/* pool: the words of bits, ranges and runs of slots in them, and the levels of a bitmap above them
 * that lead to the lowest hole.
 *
 * The lowest word with holes is in hole_word, all others are in the levels, so a program that
 * erases and inserts by turns does not touch the levels. */
#include "pool_internal.h"

static void pool_list_word(hm_pool *pool, uint32_t word)
{
    for (uint32_t level = 0; level < pool->level_count; level++) {
        uint64_t *bits = &pool->levels[level][word / HM_POOL_WORD];
        uint64_t before = *bits;
        *bits = before | UINT64_C(1) << word % HM_POOL_WORD;
        if (before != 0)
            return;
        word /= HM_POOL_WORD;
    }
}

static void pool_unlist_word(hm_pool *pool, uint32_t word)
{
    for (uint32_t level = 0; level < pool->level_count; level++) {
        uint64_t *bits = &pool->levels[level][word / HM_POOL_WORD];
        *bits &= ~(UINT64_C(1) << word % HM_POOL_WORD);
        if (*bits != 0)
            return;
        word /= HM_POOL_WORD;
    }
}

/* A word has got its first hole. */
void hm_pool_open_word(hm_pool *pool, uint32_t word)
{
    uint32_t lowest = pool->hole_word;
    if (lowest == HM_INVALID_INDEX) {
        pool->hole_word = word;
    } else if (lowest < word) {
        pool_list_word(pool, word);
    } else {
        pool->hole_word = word;
        pool_list_word(pool, lowest);
    }
}

/* The lowest word has lost its last hole; there are others. */
void hm_pool_next_hole_word(hm_pool *pool)
{
    uint32_t word = 0;
    for (uint32_t level = pool->level_count; level-- > 0;)
        word = word * HM_POOL_WORD + hm_bits_lowest(pool->levels[level][word]);
    pool->hole_word = word;
    pool_unlist_word(pool, word);
}

/* A word has lost its last hole. */
static void pool_close_word(hm_pool *pool, uint32_t word)
{
    if (word != pool->hole_word)
        pool_unlist_word(pool, word);
    else if (*pool->top != 0)
        hm_pool_next_hole_word(pool);
    else
        pool->hole_word = HM_INVALID_INDEX;
}

uint64_t hm_pool_bits_in(hm_pool_range range, uint32_t word)
{
    uint64_t first = (uint64_t)word * HM_POOL_WORD;
    uint64_t bits = ~UINT64_C(0);
    if (range.first > first)
        bits <<= range.first - first;
    if (range.end < first + HM_POOL_WORD)
        bits &= (UINT64_C(1) << (range.end - first)) - 1;
    return bits;
}

void hm_pool_add_holes(hm_pool *pool, uint32_t word, uint64_t bits)
{
    uint64_t before = pool->words[word].holes;
    pool->words[word].holes = before | bits;
    if (before == 0 && bits != 0)
        hm_pool_open_word(pool, word);
}

void hm_pool_remove_holes(hm_pool *pool, uint32_t word, uint64_t bits)
{
    pool->words[word].holes ^= bits;
    if (pool->words[word].holes == 0)
        pool_close_word(pool, word);
}

bool hm_pool_any_live(const hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++)
        if (pool->words[word].live & hm_pool_bits_in(range, word))
            return true;
    return false;
}

uint64_t hm_pool_cold_bits(const hm_pool *pool, hm_pool_range range, uint32_t word)
{
    uint64_t cold = 0;
    uint64_t bits =
        hm_pool_bits_in(range, word) & ~(pool->words[word].live | pool->words[word].holes);
    for (; bits != 0; bits &= bits - 1) {
        uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(bits);
        if (hm_pool_entry_generation(pool->entries[slot]) != HM_HANDLE_MAX_GENERATION)
            cold |= bits & (0 - bits);
    }
    return cold;
}

bool hm_pool_any_cold(const hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++)
        if (hm_pool_cold_bits(pool, range, word) != 0)
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

/* All bits behind the slots are 0. A level's bits say which words below it are not 0; the lowest
 * level leaves out the lowest word with holes, which is in hole_word. */
bool hm_pool_levels_are_valid(const hm_pool *pool)
{
    uint32_t below = hm_pool_word_count(pool->slot_count);
    uint32_t lowest = HM_INVALID_INDEX;
    const hm_pool_word *last = &pool->words[below - 1];
    if (pool->slot_count % HM_POOL_WORD != 0 &&
        (last->live | last->holes) >> pool->slot_count % HM_POOL_WORD != 0)
        return false;
    for (uint32_t i = below; i-- > 0;)
        if (pool->words[i].holes != 0)
            lowest = i;
    for (uint32_t level = 0; level < pool->level_count; level++) {
        for (uint32_t i = 0; i < hm_pool_word_count(below) * HM_POOL_WORD; i++) {
            bool is_set = (pool->levels[level][i / HM_POOL_WORD] >> i % HM_POOL_WORD & 1) != 0;
            uint64_t under = 0;
            if (i < below)
                under = level != 0    ? pool->levels[level - 1][i]
                        : i == lowest ? 0
                                      : pool->words[i].holes;
            if (is_set != (under != 0))
                return false;
        }
        below = hm_pool_word_count(below);
    }
    return pool->hole_word == lowest;
}

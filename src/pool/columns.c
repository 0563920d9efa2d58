/* SPDX-License-Identifier: MIT */
/* pool: the memory of the other columns: entries, words of bits, and the levels above.
 *
 * It is committed before a slot is issued for the first time and stays, so that erase cannot fail.
 */
#include "pool_internal.h"

uint32_t hm_pool_columns_list(hm_pool *pool, hm_array_column *columns)
{
    const hm_memory *memory = pool->memory;
    size_t words = hm_pool_word_count(pool->max_slots), size = words, levels = 0;
    do {
        size = hm_pool_word_count(size);
        levels += size;
        pool->level_count++;
    } while (size > 1);
    columns[0] = (hm_array_column){.array = &pool->entry_array,
                                   .desc = {sizeof(uint32_t), 0, pool->max_slots, 0, memory}};
    columns[1] = (hm_array_column){.array = &pool->word_array,
                                   .desc = {sizeof(hm_pool_word), 0, words, 0, memory}};
    columns[2] =
        (hm_array_column){.array = &pool->level_array,
                          .desc = {sizeof(uint64_t), 0, levels, memory->page_size, memory}};
    return 3;
}

void hm_pool_columns_place(hm_pool *pool)
{
    pool->entries = hm_array_data(&pool->entry_array);
    pool->words = hm_array_data(&pool->word_array);
    /* The lowest level is stored last. */
    uint64_t *end = hm_array_data(&pool->level_array);
    end += pool->level_array.capacity;
    size_t size = pool->word_array.capacity;
    for (uint32_t level = 0; level < pool->level_count; level++) {
        size = hm_pool_word_count(size);
        end -= size;
        pool->levels[level] = end;
    }
}

void hm_pool_columns_fini(hm_pool *pool)
{
    hm_array_fini(&pool->level_array);
    hm_array_fini(&pool->word_array);
    hm_array_fini(&pool->entry_array);
}

hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows)
{
    hm_status status = hm_array_commit(&pool->entry_array, (size_t)slots, grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->word_array, hm_pool_word_count(slots), grows);
    if (status == HM_OK) {
        const uint64_t *start = hm_array_data(&pool->level_array);
        size_t above = (size_t)(pool->levels[0] - start);
        status = hm_array_commit(&pool->level_array,
                                 above + hm_pool_word_count(hm_pool_word_count(slots)), grows);
    }
    return status;
}

uint32_t hm_pool_columns_limit(const hm_pool *pool)
{
    uint64_t slots = pool->entry_array.limit;
    uint64_t in_words = (uint64_t)pool->word_array.limit * HM_POOL_WORD;
    if (slots > in_words)
        slots = in_words;
    const uint64_t *start = hm_array_data(&pool->level_array);
    uint64_t above = (uint64_t)(pool->levels[0] - start);
    uint64_t limit = pool->level_array.limit;
    uint64_t in_levels = limit > above ? (limit - above) * HM_POOL_WORD * HM_POOL_WORD : 0;
    if (slots > in_levels)
        slots = in_levels;
    return (uint32_t)slots;
}

hm_status hm_pool_columns_trim(hm_pool *pool)
{
    pool->entry_array.count = pool->slot_count;
    pool->word_array.count = hm_pool_word_count(pool->slot_count);
    hm_status status = hm_array_decommit(&pool->entry_array);
    return status == HM_OK ? hm_array_decommit(&pool->word_array) : status;
}

bool hm_pool_columns_are_valid(const hm_pool *pool)
{
    return pool->entries == hm_array_data(&pool->entry_array) &&
           pool->levels[pool->level_count - 1] == hm_array_data(&pool->level_array) &&
           (const void *)pool->words == hm_array_data(&pool->word_array);
}

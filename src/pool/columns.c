/* SPDX-License-Identifier: MIT */
/* pool: the memory of the other columns: entries, words of bits, and what says which hole is filled
 * next: the ring of recent holes and the levels above the words, or the stack of all holes.
 *
 * It is committed before a slot is issued for the first time and stays, so that erase cannot fail.
 */
#include "pool_internal.h"

/* The ring of recent holes is before the levels, in their unit. */
enum { POOL_RING = HM_POOL_RECENT * sizeof(uint32_t) / sizeof(uint64_t) };

static hm_array_desc pool_describe_ring(hm_pool *pool)
{
    size_t size = hm_pool_word_count(pool->max_slots), levels = 0;
    do {
        size = hm_pool_word_count(size);
        levels += size;
        pool->level_count++;
    } while (size > 1);
    pool->recent_mask = HM_POOL_RECENT - 1;
    pool->recent_limit = HM_POOL_RECENT;
    return (hm_array_desc){sizeof(uint64_t), 0, POOL_RING + levels, pool->memory->page_size,
                           pool->memory};
}

static hm_array_desc pool_describe_stack(hm_pool *pool)
{
    pool->recent_mask = UINT32_MAX;
    pool->recent_limit = UINT32_MAX;
    return (hm_array_desc){sizeof(uint32_t), 0, pool->max_slots, 0, pool->memory};
}

uint32_t hm_pool_columns_list(hm_pool *pool, hm_reuse reuse, hm_array_column *columns)
{
    const hm_memory *memory = pool->memory;
    size_t words = hm_pool_word_count(pool->max_slots);
    columns[0] = (hm_array_column){.array = &pool->entry_array,
                                   .desc = {sizeof(uint32_t), 0, pool->max_slots, 0, memory}};
    columns[1] = (hm_array_column){.array = &pool->word_array,
                                   .desc = {sizeof(hm_pool_word), 0, words, 0, memory}};
    columns[2] = (hm_array_column){.array = &pool->hole_array,
                                   .desc = reuse == HM_REUSE_LAST ? pool_describe_stack(pool)
                                                                  : pool_describe_ring(pool)};
    return 3;
}

void hm_pool_columns_place(hm_pool *pool)
{
    pool->entries = hm_array_data(&pool->entry_array);
    pool->words = hm_array_data(&pool->word_array);
    pool->recent = hm_array_data(&pool->hole_array);
    if (hm_pool_reuses_last(pool))
        return;
    /* The lowest level is stored last. */
    uint64_t *end = hm_array_data(&pool->hole_array);
    end += pool->hole_array.capacity;
    size_t size = pool->word_array.capacity;
    for (uint32_t level = 0; level < pool->level_count; level++) {
        size = hm_pool_word_count(size);
        end -= size;
        pool->levels[level] = end;
    }
}

void hm_pool_columns_fini(hm_pool *pool)
{
    hm_array_fini(&pool->hole_array);
    hm_array_fini(&pool->word_array);
    hm_array_fini(&pool->entry_array);
}

/* Returns how many units of the ring and the higher levels come before the lowest level. */
static size_t pool_units_above(const hm_pool *pool)
{
    const uint64_t *start = hm_array_data(&pool->hole_array);
    return (size_t)(pool->levels[0] - start);
}

/* Returns how long hole_array is for so many slots. */
static size_t pool_hole_units(const hm_pool *pool, uint64_t slots)
{
    if (hm_pool_reuses_last(pool))
        return (size_t)slots;
    return pool_units_above(pool) + hm_pool_word_count(hm_pool_word_count(slots));
}

hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows)
{
    hm_status status = hm_array_commit(&pool->entry_array, (size_t)slots, grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->word_array, hm_pool_word_count(slots), grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->hole_array, pool_hole_units(pool, slots), grows);
    return status;
}

uint32_t hm_pool_columns_limit(const hm_pool *pool)
{
    uint64_t slots = pool->entry_array.limit;
    uint64_t in_words = (uint64_t)pool->word_array.limit * HM_POOL_WORD;
    if (slots > in_words)
        slots = in_words;
    uint64_t holes = pool->hole_array.limit;
    if (!hm_pool_reuses_last(pool)) {
        uint64_t above = pool_units_above(pool);
        holes = holes > above ? (holes - above) * HM_POOL_WORD * HM_POOL_WORD : 0;
    }
    return (uint32_t)(slots < holes ? slots : holes);
}

hm_status hm_pool_columns_trim(hm_pool *pool)
{
    pool->entry_array.count = pool->slot_count;
    pool->word_array.count = hm_pool_word_count(pool->slot_count);
    hm_status status = hm_array_decommit(&pool->entry_array);
    if (status == HM_OK)
        status = hm_array_decommit(&pool->word_array);
    if (status != HM_OK || !hm_pool_reuses_last(pool))
        return status;
    pool->hole_array.count = pool->slot_count;
    return hm_array_decommit(&pool->hole_array);
}

bool hm_pool_columns_are_valid(const hm_pool *pool)
{
    const uint32_t *holes = hm_array_data(&pool->hole_array);
    if (hm_pool_reuses_last(pool))
        holes += pool->retired_count;
    else if ((const void *)pool->levels[pool->level_count - 1] != holes + HM_POOL_RECENT)
        return false;
    return pool->entries == hm_array_data(&pool->entry_array) && pool->recent == holes &&
           (const void *)pool->words == hm_array_data(&pool->word_array);
}

/* SPDX-License-Identifier: MIT */
/* pool: the memory of the other columns: entries, words of bits, and what says which hole is filled
 * next: the recent holes and the levels above the words.
 *
 * It is committed before a slot is issued for the first time and stays, so that erase cannot fail.
 */
#include "pool_private.h"

#include "../ids/ids_private.h"

/* The recent holes are before the levels, in their unit. */
enum { POOL_RECENT_UNITS = (size_t)HM_POOL_RECENT * sizeof(uint32_t) / sizeof(uint64_t) };

#ifndef HM_EXHAUSTIVE
enum { POOL_FIRST_SLOTS = 256 }; /* of a pool without a capacity: about one page */
#endif

/* Returns how long hole_array is for so many slots. */
static size_t pool_hole_units(uint64_t slots)
{
    size_t size = hm_pool_word_count(slots), units = POOL_RECENT_UNITS;
    do {
        size = hm_pool_word_count(size);
        units += size;
    } while (size > 1);
    return units;
}

uint32_t hm_pool_first_slots(const hm_pool *pool, bool moves_to_grow)
{
    if (moves_to_grow)
        return hm_pool_at_most(POOL_FIRST_SLOTS, pool->max_slots);
    return hm_pool_in_one_range(pool) ? pool->max_slots
                                      : hm_id_table_first_slots(pool->capacity, pool->max_slots);
}

uint32_t hm_pool_columns_list(hm_pool *pool, uint32_t slots, hm_array_column *columns)
{
    const hm_memory *memory = hm_pool_memory(pool);
    size_t units = pool_hole_units(slots);
    columns[0] = (hm_array_column){.array = &pool->entry_array,
                                   .desc = {sizeof(uint32_t), 0, slots, 0, memory}};
    columns[1] =
        (hm_array_column){.array = &pool->word_array,
                          .desc = {sizeof(hm_pool_word), 0, hm_pool_word_count(slots), 0, memory}};
    columns[2] =
        (hm_array_column){.array = &pool->hole_array,
                          .used = POOL_RECENT_UNITS, /* written before they are read */
                          .desc = {sizeof(uint64_t), 0, units, sizeof(uint64_t) * units, memory}};
    return 3;
}

/* Of the levels the lowest one comes first, since it is kept when all move. */
void hm_pool_columns_place(hm_pool *pool)
{
    pool->entries = hm_array_data(&pool->entry_array);
    pool->words = hm_array_data(&pool->word_array);
    pool->recent = hm_array_data(&pool->hole_array);
    pool->listed = (uint64_t *)hm_array_data(&pool->hole_array) + POOL_RECENT_UNITS;
    pool->level_count = 1;
    for (size_t size = hm_pool_word_count(pool->word_array.capacity); size > 1;
         size = hm_pool_word_count(size))
        pool->level_count++;
}

void hm_pool_columns_fini(hm_pool *pool)
{
    hm_array_fini(&pool->hole_array);
    hm_array_fini(&pool->word_array);
    hm_array_fini(&pool->entry_array);
}

/* Moves all columns to a range for so many slots, no less than were issued. */
static hm_status pool_move(hm_pool *pool, uint32_t slots)
{
    size_t used = hm_pool_word_count(pool->slot_count), bases = pool->unit_array.limit;
    /* The recent holes and the levels are committed together. */
    size_t kept = pool->hole_array.limit != 0 ? POOL_RECENT_UNITS + hm_pool_word_count(used) : 0;
    hm_array items;
    hm_array_column columns[HM_POOL_COLUMNS];
    uint32_t count = hm_pool_columns_list(pool, slots, columns);
    columns[0].used = pool->slot_count;
    columns[1].used = used;
    columns[2].used = kept;
    count += hm_pool_storage_list(pool, slots, 0, &items, columns + count);
    hm_status status = hm_array_move_columns(columns, count);
    if (status != HM_OK)
        return status;
    hm_pool_columns_place(pool);
    hm_pool_storage_place_bases(pool, bases);
    if (kept == 0)
        return HM_OK;
    /* The pages of the old range that were remapped may have its higher levels. */
    memset(pool->hole_array.data + sizeof(uint64_t) * kept, 0,
           sizeof(uint64_t) * (pool->hole_array.capacity - kept));
    hm_pool_raise_levels(pool);
    return HM_OK;
}

/* Makes space for so many slots, at least twice what there is. */
static hm_status pool_make_room(hm_pool *pool, uint64_t slots)
{
    size_t room = pool->entry_array.capacity;
    if (slots <= room)
        return HM_OK;
    return pool_move(pool, (uint32_t)hm_array_wider(room, (size_t)slots, pool->max_slots));
}

hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows)
{
    hm_status status = pool_make_room(pool, slots);
    if (status == HM_OK)
        status = hm_array_commit(&pool->entry_array, (size_t)slots, grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->word_array, hm_pool_word_count(slots), grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->hole_array, pool->hole_array.capacity, grows);
    return status;
}

uint32_t hm_pool_columns_limit(const hm_pool *pool)
{
    uint64_t slots = pool->entry_array.limit;
    uint64_t in_words = (uint64_t)pool->word_array.limit * HM_POOL_WORD;
    if (pool->hole_array.limit != pool->hole_array.capacity)
        return 0;
    return (uint32_t)(slots < in_words ? slots : in_words);
}

hm_status hm_pool_columns_trim(hm_pool *pool)
{
    uint32_t first = hm_pool_first_slots(pool, true);
    uint32_t needed = pool->slot_count > first ? pool->slot_count : first;
    if (pool->entry_array.moves_to_grow)
        return needed <= pool->entry_array.capacity / 2 ? pool_move(pool, needed) : HM_OK;
    pool->entry_array.count = pool->slot_count;
    pool->word_array.count = hm_pool_word_count(pool->slot_count);
    hm_status status = hm_array_decommit(&pool->entry_array);
    return status == HM_OK ? hm_array_decommit(&pool->word_array) : status;
}

bool hm_pool_columns_are_valid(const hm_pool *pool)
{
    const uint64_t *holes = hm_array_data(&pool->hole_array);
    return pool->entries == hm_array_data(&pool->entry_array) &&
           (const void *)pool->words == hm_array_data(&pool->word_array) &&
           (const void *)pool->recent == holes && pool->listed == holes + POOL_RECENT_UNITS;
}

/* SPDX-License-Identifier: MIT */
/* pool: the memory of the other columns: entries, words of bits, and what says which hole is filled
 * next: the ring of recent holes and the levels above the words, or the stack of all holes.
 *
 * It is committed before a slot is issued for the first time and stays, so that erase cannot fail.
 */
#include "pool_internal.h"

/* The ring of recent holes is before the levels, in their unit. It has more positions than there
 * are recent holes, so that a batch of as many does not fill it. */
enum { POOL_RING = 2 * (size_t)HM_POOL_RECENT * sizeof(uint32_t) / sizeof(uint64_t) };

#ifndef HM_EXHAUSTIVE
/* Slots of a pool without a capacity at first, by default and with a stack: about one page. */
enum { POOL_FIRST_SLOTS = 256, POOL_FIRST_STACK = 256 };
#endif

/* Returns how long hole_array is for so many slots. */
static size_t pool_hole_units(const hm_pool *pool, uint64_t slots)
{
    if (hm_pool_reuses_last(pool))
        return (size_t)slots;
    size_t size = hm_pool_word_count(slots), units = POOL_RING;
    do {
        size = hm_pool_word_count(size);
        units += size;
    } while (size > 1);
    return units;
}

/* Returns for how many slots a pool without a capacity has columns at least. */
static uint32_t pool_first_slots(const hm_pool *pool)
{
    return hm_pool_at_most(hm_pool_reuses_last(pool) ? POOL_FIRST_STACK : POOL_FIRST_SLOTS,
                           pool->max_slots);
}

uint32_t hm_pool_columns_list(hm_pool *pool, hm_reuse reuse, bool is_whole,
                              hm_array_column *columns)
{
    const hm_memory *memory = pool->memory;
    pool->recent_mask = reuse == HM_REUSE_LAST ? UINT32_MAX : 2 * HM_POOL_RECENT - 1;
    pool->recent_limit = reuse == HM_REUSE_LAST ? UINT32_MAX : HM_POOL_RECENT + 1;
    uint32_t slots = is_whole ? pool_first_slots(pool) : pool->max_slots;
    columns[0] = (hm_array_column){.array = &pool->entry_array,
                                   .desc = {sizeof(uint32_t), 0, slots, 0, memory}};
    columns[1] =
        (hm_array_column){.array = &pool->word_array,
                          .desc = {sizeof(hm_pool_word), 0, hm_pool_word_count(slots), 0, memory}};
    columns[2] = (hm_array_column){
        .array = &pool->hole_array,
        .desc = {sizeof(uint64_t), 0, pool_hole_units(pool, slots), memory->page_size, memory}};
    if (reuse == HM_REUSE_LAST)
        columns[2].desc = (hm_array_desc){sizeof(uint32_t), 0, slots, 0, memory};
    return 3;
}

/* Finds the levels. The highest one comes first, since only the lowest one is committed as slots
 * are issued; in a whole range it comes last, since the lowest one is kept when all move. */
static void pool_place_levels(hm_pool *pool)
{
    uint64_t *start = hm_array_data(&pool->hole_array);
    uint64_t *next = start + POOL_RING, *end = start + pool->hole_array.capacity;
    size_t size = pool->word_array.capacity;
    pool->level_count = 0;
    do {
        size = hm_pool_word_count(size);
        end -= size;
        pool->levels[pool->level_count++] = pool->hole_array.is_whole ? next : end;
        next += size;
    } while (size > 1);
}

void hm_pool_columns_place(hm_pool *pool)
{
    pool->entries = hm_array_data(&pool->entry_array);
    pool->words = hm_array_data(&pool->word_array);
    pool->recent = hm_array_data(&pool->hole_array);
    if (hm_pool_reuses_last(pool))
        pool->recent += pool->retired_count;
    else
        pool_place_levels(pool);
}

void hm_pool_columns_fini(hm_pool *pool)
{
    hm_array_fini(&pool->hole_array);
    hm_array_fini(&pool->word_array);
    hm_array_fini(&pool->entry_array);
}

/* Moves all columns of a whole range to one for so many slots, no less than were issued. */
static hm_status pool_move(hm_pool *pool, uint32_t slots)
{
    size_t used = hm_pool_word_count(pool->slot_count), kept = pool->slot_count;
    if (!hm_pool_reuses_last(pool))
        kept = POOL_RING + hm_pool_word_count(used);
    hm_array_column columns[] = {
        hm_array_column_of(&pool->entry_array, pool->slot_count, false),
        hm_array_column_of(&pool->word_array, used, false),
        hm_array_column_of(&pool->hole_array, kept, false),
        hm_array_column_of(&pool->unit_array, pool->unit_array.capacity, false)};
    columns[0].desc.capacity = slots;
    columns[1].desc.capacity = hm_pool_word_count(slots);
    columns[2].desc.capacity = pool_hole_units(pool, slots);
    hm_status status = hm_array_move_columns(columns, sizeof columns / sizeof *columns);
    if (status != HM_OK)
        return status;
    hm_pool_columns_place(pool);
    pool->places.bases = (uintptr_t *)(void *)pool->unit_array.data;
    if (hm_pool_reuses_last(pool))
        return HM_OK;
    /* The pages of the old range that were remapped may have its higher levels. */
    memset(pool->hole_array.data + sizeof(uint64_t) * kept, 0,
           sizeof(uint64_t) * (pool->hole_array.capacity - kept));
    hm_pool_raise_levels(pool);
    return HM_OK;
}

/* Makes space for so many slots in a whole range, at least twice what it has. */
static hm_status pool_make_room(hm_pool *pool, uint64_t slots)
{
    size_t room = pool->entry_array.capacity;
    if (!pool->entry_array.is_whole || slots <= room)
        return HM_OK;
    return pool_move(pool, hm_pool_at_most(slots > 2 * room ? slots : 2 * room, pool->max_slots));
}

/* Returns how many units of the ring and the higher levels are committed with the first slots. */
static size_t pool_units_above(const hm_pool *pool)
{
    const uint64_t *start = hm_array_data(&pool->hole_array);
    return (size_t)(pool->levels[0] - start);
}

hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows)
{
    hm_status status = pool_make_room(pool, slots);
    size_t units = pool->hole_array.capacity; /* after the move */
    if (hm_pool_reuses_last(pool))
        units = (size_t)slots;
    else if (!pool->hole_array.is_whole)
        units = pool_units_above(pool) + hm_pool_word_count(hm_pool_word_count(slots));
    if (status == HM_OK)
        status = hm_array_commit(&pool->entry_array, (size_t)slots, grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->word_array, hm_pool_word_count(slots), grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->hole_array, units, grows);
    return status;
}

uint32_t hm_pool_columns_limit(const hm_pool *pool)
{
    uint64_t slots = pool->entry_array.limit;
    uint64_t in_words = (uint64_t)pool->word_array.limit * HM_POOL_WORD;
    if (slots > in_words)
        slots = in_words;
    uint64_t holes = pool->hole_array.limit;
    if (!hm_pool_reuses_last(pool) && pool->hole_array.is_whole) {
        holes = holes == pool->hole_array.capacity ? slots : 0;
    } else if (!hm_pool_reuses_last(pool)) {
        uint64_t above = pool_units_above(pool);
        holes = holes > above ? (holes - above) * HM_POOL_WORD * HM_POOL_WORD : 0;
    }
    return (uint32_t)(slots < holes ? slots : holes);
}

hm_status hm_pool_columns_trim(hm_pool *pool)
{
    uint32_t first = pool_first_slots(pool);
    uint32_t needed = pool->slot_count > first ? pool->slot_count : first;
    if (pool->entry_array.is_whole)
        return needed <= pool->entry_array.capacity / 2 ? pool_move(pool, needed) : HM_OK;
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
    else if ((const void *)pool->levels[pool->hole_array.is_whole ? 0 : pool->level_count - 1] !=
             holes + 2 * (size_t)HM_POOL_RECENT)
        return false;
    return pool->entries == hm_array_data(&pool->entry_array) && pool->recent == holes &&
           (const void *)pool->words == hm_array_data(&pool->word_array);
}

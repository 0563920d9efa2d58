/* SPDX-License-Identifier: MIT */
/* lists: the arrays of all items, and the items of one list, of which its record tells. */
#include "lists_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

enum {
    RECORDS_UNIT_SIZE = 8,   /* bytes, at least: that of a head */
    RECORDS_LARGE_UNIT = 32, /* bytes, or twice the alignment if that is more: the most */
    RECORDS_ITEMS = 16,      /* default items for each list */
    RECORDS_SCARCE_ITEMS = 4 /* where address space is scarce */
};

#ifndef HM_EXHAUSTIVE
enum {
    RECORDS_SPREAD = 4,    /* times the items' size that is reserved: blocks, and gaps */
    RECORDS_MIN_UNITS = 64 /* in a range */
};
#endif

_Static_assert(sizeof(hm_lists_block) == RECORDS_UNIT_SIZE, "a head takes one unit");
_Static_assert(sizeof(hm_lists_links) == RECORDS_UNIT_SIZE, "links take one unit");

/* In a range, so that those in front of unit 0 do not overflow. */
#define RECORDS_MOST_UNITS (UINT32_MAX - HM_LISTS_HEADS_SIZE)

/* So the units of a block, rounded up to a power of two, do not reach HM_LISTS_EXACT. */
#define RECORDS_MAX_UNITS (HM_LISTS_EXACT >> 1)

/* Returns how many items of one list units of so many bytes can hold. */
static uint64_t records_most(size_t unit_size, size_t item_size)
{
    return (uint64_t)(RECORDS_MAX_UNITS - 1) * unit_size / item_size;
}

/* Completes max_items, and decides the size of a unit: the smallest that can hold them. Without a
 * capacity both are the same on every machine. */
static hm_status records_measure(hm_lists_blocks *blocks, bool moves_to_grow, hm_lists_desc *full)
{
    size_t unit_size = RECORDS_UNIT_SIZE, large = RECORDS_LARGE_UNIT;
    if (unit_size < full->item_align)
        unit_size = full->item_align;
    if (large < 2 * unit_size)
        large = 2 * unit_size;
    uint64_t most = records_most(large, full->item_size);
    if (full->max_items == 0 && moves_to_grow) {
        full->max_items = records_most(unit_size, full->item_size);
    } else if (full->max_items == 0) {
        full->max_items = hm_memory_is_ample(full->memory) ? RECORDS_ITEMS : RECORDS_SCARCE_ITEMS;
        full->max_items *= full->capacity;
        if (full->max_items > most)
            full->max_items = most;
    }
    if (full->max_items > most)
        return hm_fail(HM_ERROR_INVALID, "max_items %" HM_U64 " of %zu bytes is above %" HM_U64,
                       full->max_items, full->item_size, most);
    while (records_most(unit_size, full->item_size) < full->max_items)
        unit_size *= 2;
    blocks->unit_shift = (uint8_t)hm_bits_highest(unit_size);
    blocks->item_size = full->item_size;
    return HM_OK;
}

/* Returns in *range how many units to reserve. */
static hm_status records_measure_range(const hm_lists_blocks *blocks, bool moves_to_grow,
                                       const hm_lists_desc *full, size_t *range)
{
    *range = hm_lists_front(blocks) + hm_lists_first_units(blocks);
    if (moves_to_grow)
        return HM_OK;
    uint64_t heads = full->capacity < full->max_items ? full->capacity : full->max_items;
    uint64_t units = RECORDS_SPREAD * (heads + hm_lists_units_of(blocks, full->max_items));
    if (units > RECORDS_MOST_UNITS)
        units = RECORDS_MOST_UNITS;
    if (units < RECORDS_MIN_UNITS)
        units = RECORDS_MIN_UNITS;
    *range = hm_lists_front(blocks) + (size_t)units;
    return hm_array_check_size((size_t)1 << blocks->unit_shift, *range, "unit_", full->memory);
}

hm_status hm_lists_begin(hm_lists_blocks *blocks, bool moves_to_grow, hm_lists_desc *full,
                         size_t record_size, hm_array_column *columns)
{
    size_t range = 0;
    hm_status status = records_measure(blocks, moves_to_grow, full);
    if (status == HM_OK)
        status = records_measure_range(blocks, moves_to_grow, full, &range);
    blocks->record_shift = (uint8_t)hm_bits_highest(record_size);
    columns[0] = (hm_array_column){.array = &blocks->record_array,
                                   .desc = {record_size, 0, 0, 0, full->memory}};
    columns[1] = (hm_array_column){
        .array = &blocks->unit_array,
        .desc = {(size_t)1 << blocks->unit_shift, full->item_align, range, 0, full->memory},
        .is_visible = true};
    return status;
}

void hm_lists_start(hm_lists_blocks *blocks, const hm_lists_desc *full)
{
    blocks->end = blocks->cursor = 1;
    blocks->space = (uint32_t)(blocks->unit_array.capacity - hm_lists_front(blocks));
    hm_lists_place(blocks);
    blocks->limit = blocks->max_items = full->max_items;
    blocks->name = full->name;
}

hm_status hm_lists_trim_units(hm_lists_blocks *blocks)
{
    blocks->unit_array.count = blocks->end > 1 ? hm_lists_front(blocks) + blocks->end : 0;
    return hm_array_trim(&blocks->unit_array);
}

/* the items of a list */

size_t hm_lists_size(const hm_lists_blocks *blocks)
{
    return (size_t)blocks->end << blocks->unit_shift;
}

void hm_lists_empty(hm_lists_blocks *blocks, hm_lists_record *record)
{
    if (record->unit == 0)
        return;
    blocks->item_count -= record->count;
    hm_lists_give(blocks, record->unit);
    *record = (hm_lists_record){.tag = record->tag};
}

/* Any block that is not exact stays as it is, even if the list becomes empty: one that is filled
 * and emptied by turns would need a new block each time. */
void hm_lists_shrink(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t count)
{
    uint32_t unit = record->unit;
    hm_lists_block *block = hm_lists_block_at(blocks, unit);
    bool is_exact = (block->size & HM_LISTS_EXACT) != 0;
    if (is_exact && count == 0) {
        hm_lists_empty(blocks, record);
        return;
    }
    blocks->item_count -= record->count - count;
    record->count = count;
    if (is_exact) {
        uint32_t end = hm_lists_end_of(blocks, unit);
        block->size = count | HM_LISTS_EXACT;
        hm_lists_make_gap(blocks, hm_lists_end_of(blocks, unit), end);
    } else if (count == 0) {
        blocks->is_joined = false;
    }
    hm_lists_poison_rest(blocks, unit, count);
}

void hm_lists_drop(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t index)
{
    uint32_t last = record->count - 1;
    if (index != last)
        memcpy(hm_lists_item_at(blocks, record, index), hm_lists_item_at(blocks, record, last),
               blocks->item_size);
    hm_lists_shrink(blocks, record, last);
}

static uint32_t records_slot_of(const hm_lists_blocks *blocks, const hm_lists_record *record)
{
    size_t offset = (uintptr_t)record - (uintptr_t)blocks->records;
    return (uint32_t)(offset >> blocks->record_shift);
}

/* Moves the items of a list, which may be none, into a new block, which `count` fit into. */
static hm_status records_move(hm_lists_blocks *blocks, hm_lists_record *record, uint64_t count)
{
    uint32_t unit;
    hm_status status = hm_lists_take(blocks, count, &unit);
    if (status != HM_OK)
        return status;
    hm_lists_record moved = {record->tag, unit, record->count, hm_lists_capacity_at(blocks, unit)};
    hm_lists_block_at(blocks, unit)->slot = records_slot_of(blocks, record);
    if (record->unit != 0) {
        size_t size = blocks->item_size * moved.count;
        hm_memory_unpoison(hm_lists_address(blocks, unit + 1), size);
        memcpy(hm_lists_item_at(blocks, &moved, 0), hm_lists_item_at(blocks, record, 0), size);
        hm_lists_give(blocks, record->unit);
    }
    *record = moved;
    return HM_OK;
}

hm_status hm_lists_make_room(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t n)
{
    uint32_t count = record->count;
    if (n > blocks->max_items - blocks->item_count)
        return hm_fail(HM_ERROR_FULL,
                       "'%.40s' has %" HM_U64 " of %" HM_U64 " items: %" HM_U32
                       " more would exceed max_items",
                       blocks->name, blocks->item_count, blocks->max_items, n);
    if (n > HM_LISTS_MOST - count)
        return hm_fail(HM_ERROR_FULL, "a list of '%.40s' has at most %" HM_U32 " items",
                       blocks->name, HM_LISTS_MOST);
    uint64_t need = hm_lists_units_of(blocks, (uint64_t)count + n);
    if (record->unit != 0 && need <= hm_lists_end_of(blocks, record->unit) - record->unit)
        return HM_OK;
    return records_move(blocks, record, (uint64_t)count + n);
}

unsigned char *hm_lists_append(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t n,
                               const void **items, hm_status *status)
{
    uint32_t count = record->count, unit = record->unit;
    const unsigned char *base = blocks->base;
    size_t size = hm_lists_size(blocks);
    *status = hm_lists_make_room(blocks, record, n);
    if (*status != HM_OK)
        return NULL;
    *items = hm_array_translate(*items, base, size, blocks->base);
    *items = hm_array_translate(*items, hm_lists_address(blocks, unit + 1),
                                blocks->item_size * count, hm_lists_item_at(blocks, record, 0));
    record->count = count + n;
    blocks->item_count += n;
    hm_lists_block *block = hm_lists_block_at(blocks, record->unit);
    if ((block->size & HM_LISTS_EXACT) != 0)
        block->size += n;
    unsigned char *place = hm_lists_item_at(blocks, record, count);
    hm_memory_unpoison(place, blocks->item_size * n);
    return place;
}

void hm_lists_drop_blocks(hm_lists_blocks *blocks)
{
    blocks->item_count = 0;
    if (blocks->end <= 1)
        return;
    hm_memory_poison(hm_lists_address(blocks, 1), (size_t)(blocks->end - 1) << blocks->unit_shift);
    blocks->end = blocks->cursor = 1;
}

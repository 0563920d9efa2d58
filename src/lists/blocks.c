/* SPDX-License-Identifier: MIT */
/* lists: the blocks of the range. */
#include "lists_internal.h"

#include "../array_private.h"
#include "../base_private.h"

enum {
    BLOCKS_LARGE = 1 << 16, /* units of a range without a capacity; a smaller one always grows */
    BLOCKS_LITTLE = 16      /* and a larger one, if more than one of so many units is used */
};

static uint32_t blocks_class_of(uint32_t size)
{
    return hm_bits_highest(size);
}

/* Free blocks are in lists of both directions, except for those of one unit, which have no place
 * for links, and which no list could use. The links are where the first item was, and are poisoned
 * like all of a free block, so that using it is reported. They are not made accessible for a moment
 * either: others may be validating the lists. */
#ifdef __GNUC__
#define BLOCKS_UNSANITIZED __attribute__((no_sanitize_address))
#else
#define BLOCKS_UNSANITIZED
#endif

BLOCKS_UNSANITIZED static hm_lists_links blocks_links(const hm_lists *lists, uint32_t unit)
{
    return *(const hm_lists_links *)(const void *)hm_lists_address(lists, unit + 1);
}

BLOCKS_UNSANITIZED static void blocks_set_links(const hm_lists *lists, uint32_t unit, uint32_t next,
                                                uint32_t previous)
{
    hm_lists_links *links = (hm_lists_links *)(void *)hm_lists_address(lists, unit + 1);
    links->next = next;
    links->previous = previous;
}

static void blocks_link(hm_lists *lists, uint32_t unit)
{
    uint32_t size = hm_lists_block_at(lists, unit)->size;
    if (size == 1)
        return;
    uint32_t *head = &lists->heads[blocks_class_of(size)];
    blocks_set_links(lists, unit, *head, 0);
    if (*head != 0)
        blocks_set_links(lists, *head, blocks_links(lists, *head).next, unit);
    *head = unit;
}

void hm_lists_unlink(hm_lists *lists, uint32_t unit)
{
    uint32_t size = hm_lists_block_at(lists, unit)->size;
    if (size == 1)
        return;
    uint32_t next = blocks_links(lists, unit).next, previous = blocks_links(lists, unit).previous;
    if (previous != 0)
        blocks_set_links(lists, previous, next, blocks_links(lists, previous).previous);
    else
        lists->heads[blocks_class_of(size)] = next;
    if (next != 0)
        blocks_set_links(lists, next, blocks_links(lists, next).next, previous);
}

/* Makes the units a block of their own. */
static void blocks_make(const hm_lists *lists, uint32_t unit, uint32_t slot, uint32_t size)
{
    hm_lists_block *block = hm_lists_block_at(lists, unit);
    hm_memory_poison(block, (size_t)size << lists->unit_shift);
    hm_memory_unpoison(block, sizeof *block);
    *block = (hm_lists_block){.slot = slot, .size = size};
}

void hm_lists_poison_rest(const hm_lists *lists, uint32_t unit, uint32_t count)
{
    size_t size = (size_t)(hm_lists_end_of(lists, unit) - unit - 1) << lists->unit_shift;
    size_t used = lists->item_size * count;
    hm_memory_poison(hm_lists_address(lists, unit + 1) + used, size - used);
}

/* Poisons what is no item's and no head, after the blocks have moved. */
static void blocks_poison_unused(const hm_lists *lists)
{
    size_t unit_size = (size_t)1 << lists->unit_shift;
    if (!hm_memory_poisons())
        return;
    if (!lists->unit_array.is_whole)
        return;
    hm_memory_poison(lists->base, unit_size);
    for (uint32_t unit = 1; unit < lists->end; unit = hm_lists_end_of(lists, unit)) {
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        bool is_free = hm_lists_is_free(block);
        hm_memory_poison(block + 1, unit_size - sizeof *block);
        hm_lists_poison_rest(lists, unit, is_free ? 0 : lists->records[block->slot].count);
    }
}

void hm_lists_place(hm_lists *lists)
{
    lists->records = hm_array_data(&lists->record_array);
    lists->base = hm_array_data(&lists->unit_array);
    blocks_poison_unused(lists);
}

uint32_t hm_lists_capacity_at(const hm_lists *lists, uint32_t unit)
{
    size_t size = (size_t)(hm_lists_block_at(lists, unit)->size - 1) << lists->unit_shift;
    size_t capacity = size / lists->item_size;
    return capacity < HM_LISTS_MOST ? (uint32_t)capacity : HM_LISTS_MOST;
}

/* gaps */

/* Makes the units from `unit` on, which belong to no block, a free one. */
static void blocks_make_free(hm_lists *lists, uint32_t unit, uint32_t size)
{
    blocks_make(lists, unit, HM_LISTS_FREE, size);
    blocks_link(lists, unit);
    if (unit < lists->cursor)
        lists->cursor = unit;
}

/* Makes the units from `unit` on belong to no block, and the end come down to there. */
static void blocks_lower_end(hm_lists *lists, uint32_t unit)
{
    size_t size = (size_t)(lists->end - unit) << lists->unit_shift;
    hm_memory_poison(hm_lists_address(lists, unit), size);
    lists->end = unit;
    if (unit < lists->cursor)
        lists->cursor = unit;
}

void hm_lists_make_gap(hm_lists *lists, uint32_t unit, uint32_t end)
{
    if (end == lists->end) {
        blocks_lower_end(lists, unit);
    } else if (end != unit) {
        blocks_make_free(lists, unit, end - unit);
        hm_lists_part(lists);
    }
}

/* Where that lowers the end, a free block in front of this one becomes the last. */
void hm_lists_give(hm_lists *lists, uint32_t unit)
{
    hm_lists_part(lists);
    hm_lists_make_gap(lists, unit, hm_lists_end_of(lists, unit));
}

bool hm_lists_reclaim(hm_lists *lists, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(lists, unit);
    if (hm_lists_is_free(block))
        return true;
    hm_lists_record *record = &lists->records[block->slot];
    if (record->count != 0)
        return false;
    *record = (hm_lists_record){.tag = record->tag};
    blocks_make_free(lists, unit, block->size);
    return true;
}

uint64_t hm_lists_join(hm_lists *lists, uint32_t unit, uint64_t limit)
{
    uint64_t joined = 0;
    uint32_t end = hm_lists_end_of(lists, unit);
    hm_lists_unlink(lists, unit);
    for (; joined < limit && end < lists->end; joined++) {
        if (!hm_lists_reclaim(lists, end))
            break;
        hm_lists_unlink(lists, end);
        end = hm_lists_end_of(lists, end);
    }
    hm_lists_make_gap(lists, unit, end);
    return joined;
}

/* Gives back the blocks of empty lists, joins free blocks that are next to each other, and lowers
 * the end to where the last list's block ends. O(blocks). */
static void blocks_join_all(hm_lists *lists)
{
    uint32_t unit = lists->cursor;
    while (unit < lists->end) {
        if (hm_lists_reclaim(lists, unit))
            hm_lists_join(lists, unit, UINT64_MAX);
        if (unit < lists->end)
            unit = hm_lists_end_of(lists, unit);
    }
    lists->guard.flags |= HM_GUARD_JOINED;
}

/* take */

hm_status hm_lists_tell(const hm_lists *lists, hm_status status)
{
    const hm_limits limits = {
        "lists",          lists->name, hm_lists_capacity(lists), lists->ids.max_slots,
        lists->max_items, "max_items"};
    return hm_tell_memory(status, &limits);
}

/* Moves all blocks to a range of their own with space for so many units. */
static hm_status blocks_move(hm_lists *lists, size_t capacity)
{
    hm_array_column units = hm_array_column_of(&lists->unit_array, lists->end, true);
    units.desc.capacity = capacity;
    hm_status status = hm_array_move_columns(&units, 1);
    hm_lists_place(lists);
    return status;
}

hm_status hm_lists_shrink_range(hm_lists *lists)
{
    const hm_array *units = &lists->unit_array;
    size_t need = hm_lists_first_units(lists);
    if (need < lists->end)
        need = lists->end;
    if (!units->is_whole || units->range_size == 0 || need > units->capacity / 2)
        return HM_OK;
    return blocks_move(lists, need);
}

/* Makes space for a block of this size behind the others. */
static hm_status blocks_widen(hm_lists *lists, uint32_t size)
{
    uint64_t end = (uint64_t)lists->end + size, twice = 2 * (uint64_t)lists->unit_array.capacity;
    /* Coverage: no test has the memory of 2^32 units. */
    if (!lists->unit_array.is_whole || end > UINT32_MAX)
        return hm_fail(HM_ERROR_FULL,
                       "%s: no %" HM_U32 " of %zu units in a row are free: defragment, or raise "
                       "max_items",
                       lists->name, size, lists->unit_array.capacity);
    return blocks_move(lists, (size_t)(end > twice ? end : twice));
}

/* Whether there is no space for a block of this size behind the others. */
static bool blocks_reach_end(const hm_lists *lists, uint32_t size)
{
    return (uint64_t)lists->end + size > lists->unit_array.capacity;
}

/* Makes a block of this size behind the others. */
static hm_status blocks_extend(hm_lists *lists, uint32_t size, uint32_t *unit)
{
    hm_status status = HM_OK;
    if (blocks_reach_end(lists, size))
        status = blocks_widen(lists, size);
    if (status == HM_OK)
        status = hm_array_prepare(&lists->unit_array, (size_t)lists->end + size, true);
    if (status != HM_OK)
        return hm_lists_tell(lists, status);
    *unit = lists->end;
    lists->end += size;
    blocks_make(lists, *unit, 0, size);
    return HM_OK;
}

/* Returns the smallest class, from `least` on, that has a free block; HM_LISTS_CLASSES: none. */
static uint32_t blocks_find_class(const hm_lists *lists, uint32_t least)
{
    while (least < HM_LISTS_CLASSES && lists->heads[least] == 0)
        least++;
    return least;
}

/* Takes a block of this size from the first free one of a class that has one. Its rest becomes a
 * free block. */
static uint32_t blocks_reuse(hm_lists *lists, uint32_t size, uint32_t size_class)
{
    uint32_t unit = lists->heads[size_class];
    hm_lists_unlink(lists, unit);
    uint32_t rest = hm_lists_block_at(lists, unit)->size - size;
    blocks_make(lists, unit, 0, size);
    if (rest != 0)
        blocks_make_free(lists, unit + size, rest);
    return unit;
}

/* Whether a range that is full should grow before its free blocks are used for lists of other
 * sizes: so it is without a capacity, unless it is large and hardly used. Then the same calls place
 * blocks as they do with a capacity, whose range is several times as large as its items. */
static bool blocks_should_grow(const hm_lists *lists)
{
    uint64_t used = lists->ids.count + hm_lists_units_of(lists, lists->item_count);
    size_t capacity = lists->unit_array.capacity;
    return lists->unit_array.is_whole &&
           (capacity < BLOCKS_LARGE || used > capacity / BLOCKS_LITTLE);
}

/* Returns the class of the free block to take; HM_LISTS_CLASSES: a new one is to be made.
 *
 * Blocks of the class come first, then new ones: to divide larger ones would leave pieces that only
 * smaller lists can use. When the range is used up, larger ones are divided, and if there are none,
 * free blocks next to each other are joined; if that does not help, it is not tried again until a
 * block is freed. */
static uint32_t blocks_choose_class(hm_lists *lists, uint32_t size, uint32_t size_class)
{
    if (lists->heads[size_class] != 0)
        return size_class;
    if (!blocks_reach_end(lists, size) || blocks_should_grow(lists))
        return HM_LISTS_CLASSES;
    uint32_t found = blocks_find_class(lists, size_class);
    if (found != HM_LISTS_CLASSES || hm_lists_is_joined(lists))
        return found;
    blocks_join_all(lists);
    if (!blocks_reach_end(lists, size))
        return HM_LISTS_CLASSES;
    return blocks_find_class(lists, size_class);
}

hm_status hm_lists_take(hm_lists *lists, uint64_t n, uint32_t *unit)
{
    uint32_t size_class = 1;
    while (UINT64_C(1) << size_class < hm_lists_units_of(lists, n))
        size_class++;
    uint32_t size = UINT32_C(1) << size_class;
    uint32_t found = blocks_choose_class(lists, size, size_class);
    if (found == HM_LISTS_CLASSES) {
        hm_status status = blocks_extend(lists, size, unit);
        if (status == HM_OK)
            return HM_OK;
        found = blocks_find_class(lists, size_class); /* Without memory larger ones are divided. */
        if (found == HM_LISTS_CLASSES)
            return status;
        hm_restore_last_error();
    }
    *unit = blocks_reuse(lists, size, found);
    return HM_OK;
}

/* validate */

typedef struct blocks_sums {
    uint64_t items;
    uint32_t lists, free; /* blocks; of the free ones those that are listed */
    bool was_free;        /* the block before */
} blocks_sums;

static hm_status blocks_validate_free(const hm_lists *lists, uint32_t unit, blocks_sums *sums)
{
    uint32_t size = hm_lists_block_at(lists, unit)->size;
    bool is_joined = !sums->was_free && lists->end - unit != size;
    if (unit < lists->cursor || (hm_lists_is_joined(lists) && !is_joined))
        return hm_fail(HM_ERROR_CORRUPT, "unit %" HM_U32 " is a gap that was closed", unit);
    sums->free += size > 1;
    sums->was_free = true;
    return HM_OK;
}

static hm_status blocks_validate_list(const hm_lists *lists, uint32_t unit, blocks_sums *sums)
{
    const hm_lists_block *block = hm_lists_block_at(lists, unit);
    if (block->slot >= lists->ids.slot_count || lists->records[block->slot].unit != unit)
        return hm_fail(HM_ERROR_CORRUPT, "the block at unit %" HM_U32 " has no list", unit);
    const hm_lists_record *record = &lists->records[block->slot];
    bool is_exact = (block->size & HM_LISTS_EXACT) != 0;
    bool is_sound = is_exact
                        ? block->size == (record->count | HM_LISTS_EXACT) && record->capacity == 0
                        : (block->size & (block->size - 1)) == 0 && unit >= lists->cursor &&
                              record->capacity == hm_lists_capacity_at(lists, unit) &&
                              record->count <= record->capacity;
    if ((record->count == 0 && (is_exact || hm_lists_is_joined(lists))) || !is_sound)
        return hm_fail(HM_ERROR_CORRUPT, "the size of the list at unit %" HM_U32 " is damaged",
                       unit);
    sums->lists++;
    sums->items += record->count;
    sums->was_free = false;
    return HM_OK;
}

/* Checks one block, whose head is inside the range, and adds it to the sums. */
static hm_status blocks_validate(const hm_lists *lists, uint32_t unit, blocks_sums *sums)
{
    const hm_lists_block *block = hm_lists_block_at(lists, unit);
    uint32_t size = hm_lists_size_of(lists, block);
    if (size == 0 || size > lists->end - unit)
        return hm_fail(HM_ERROR_CORRUPT, "the size of the block at unit %" HM_U32 " is damaged",
                       unit);
    return hm_lists_is_free(block) ? blocks_validate_free(lists, unit, sums)
                                   : blocks_validate_list(lists, unit, sums);
}

/* Counts the blocks in the list of a class; UINT32_MAX if it is damaged. */
static uint32_t blocks_count_class(const hm_lists *lists, uint32_t size_class, uint32_t most)
{
    uint32_t count = 0, previous = 0;
    for (uint32_t unit = lists->heads[size_class]; unit != 0; count++) {
        if (count == most || unit >= lists->end)
            return UINT32_MAX;
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        if (!hm_lists_is_free(block) || block->size == 1 ||
            blocks_class_of(block->size) != size_class ||
            blocks_links(lists, unit).previous != previous)
            return UINT32_MAX;
        previous = unit;
        unit = blocks_links(lists, unit).next;
    }
    return count;
}

hm_status hm_lists_validate_blocks(const hm_lists *lists)
{
    blocks_sums sums = {0};
    bool reaches_cursor = lists->cursor == lists->end;
    uint32_t unit = 1, filled = 0, listed = 0;
    while (unit < lists->end) {
        hm_status status = blocks_validate(lists, unit, &sums);
        if (status != HM_OK)
            return status;
        reaches_cursor |= unit == lists->cursor;
        unit = hm_lists_end_of(lists, unit);
    }
    for (uint32_t i = 0; i < lists->ids.slot_count; i++)
        filled += lists->records[i].unit != 0;
    if (filled != sums.lists || sums.items != lists->item_count || !reaches_cursor)
        return hm_fail(HM_ERROR_CORRUPT,
                       "%" HM_U32 " lists have blocks, %" HM_U32 " blocks have lists, with %" HM_U64
                       " items of %" HM_U64,
                       filled, sums.lists, sums.items, lists->item_count);
    for (uint32_t size_class = 0; size_class < HM_LISTS_CLASSES; size_class++) {
        uint32_t count = blocks_count_class(lists, size_class, sums.free);
        if (count == UINT32_MAX)
            return hm_fail(HM_ERROR_CORRUPT, "the free blocks of class %" HM_U32 " are damaged",
                           size_class);
        listed += count;
    }
    return listed == sums.free ? HM_OK : hm_fail(HM_ERROR_CORRUPT, "a free block is not listed");
}

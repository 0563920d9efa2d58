/* SPDX-License-Identifier: MIT */
/* lists: the blocks of the range. */
#include "lists_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

enum {
    BLOCKS_LARGE = 1 << 16, /* units of a range without a capacity; a smaller one always grows */
    BLOCKS_LITTLE = 16      /* and a larger one, if more than one of so many units is used */
};

static uint32_t blocks_class_of(uint32_t size)
{
    return hm_bits_highest(size);
}

/* Returns the first free block of each class; they are what the range begins with. As long as there
 * are no blocks they may have no memory. */
static uint32_t *blocks_heads(const hm_lists_blocks *blocks)
{
    return hm_array_data(&blocks->unit_array);
}

static uint32_t blocks_first_of(const hm_lists_blocks *blocks, uint32_t size_class)
{
    return blocks->end > 1 ? blocks_heads(blocks)[size_class] : 0;
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

BLOCKS_UNSANITIZED static hm_lists_links blocks_links(const hm_lists_blocks *blocks, uint32_t unit)
{
    return *(const hm_lists_links *)(const void *)hm_lists_address(blocks, unit + 1);
}

BLOCKS_UNSANITIZED static void blocks_set_links(const hm_lists_blocks *blocks, uint32_t unit,
                                                uint32_t next, uint32_t previous)
{
    hm_lists_links *links = (hm_lists_links *)(void *)hm_lists_address(blocks, unit + 1);
    links->next = next;
    links->previous = previous;
}

static void blocks_link(hm_lists_blocks *blocks, uint32_t unit)
{
    uint32_t size = hm_lists_block_at(blocks, unit)->size;
    if (size == 1)
        return;
    uint32_t *head = &blocks_heads(blocks)[blocks_class_of(size)];
    blocks_set_links(blocks, unit, *head, 0);
    if (*head != 0)
        blocks_set_links(blocks, *head, blocks_links(blocks, *head).next, unit);
    *head = unit;
}

void hm_lists_unlink(hm_lists_blocks *blocks, uint32_t unit)
{
    uint32_t size = hm_lists_block_at(blocks, unit)->size;
    if (size == 1)
        return;
    uint32_t next = blocks_links(blocks, unit).next, previous = blocks_links(blocks, unit).previous;
    if (previous != 0)
        blocks_set_links(blocks, previous, next, blocks_links(blocks, previous).previous);
    else
        blocks_heads(blocks)[blocks_class_of(size)] = next;
    if (next != 0)
        blocks_set_links(blocks, next, blocks_links(blocks, next).next, previous);
}

/* Makes the units a block of their own. */
static void blocks_make(const hm_lists_blocks *blocks, uint32_t unit, uint32_t slot, uint32_t size)
{
    hm_lists_block *block = hm_lists_block_at(blocks, unit);
    hm_memory_poison(block, (size_t)size << blocks->unit_shift);
    hm_memory_unpoison(block, sizeof *block);
    *block = (hm_lists_block){.slot = slot, .size = size};
}

void hm_lists_poison_rest(const hm_lists_blocks *blocks, uint32_t unit, uint32_t count)
{
    size_t size = (size_t)(hm_lists_end_of(blocks, unit) - unit - 1) << blocks->unit_shift;
    size_t used = blocks->item_size * count;
    hm_memory_poison(hm_lists_address(blocks, unit + 1) + used, size - used);
}

/* Poisons what is no item's and no head, after the blocks have moved. */
static void blocks_poison_unused(const hm_lists_blocks *blocks)
{
    size_t unit_size = (size_t)1 << blocks->unit_shift;
    if (!hm_memory_poisons())
        return;
    for (uint32_t unit = 1; unit < blocks->end; unit = hm_lists_end_of(blocks, unit)) {
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        bool is_free = hm_lists_is_free(block);
        hm_memory_poison(block + 1, unit_size - sizeof *block);
        hm_lists_poison_rest(blocks, unit,
                             is_free ? 0 : hm_lists_record_of(blocks, block->slot)->count);
    }
}

static unsigned char *blocks_base(const hm_lists_blocks *blocks)
{
    unsigned char *range = hm_array_data(&blocks->unit_array);
    return range != NULL ? range + (hm_lists_front(blocks) << blocks->unit_shift) : NULL;
}

bool hm_lists_is_placed(const hm_lists_blocks *blocks)
{
    return blocks->records == hm_array_data(&blocks->record_array) &&
           blocks->base == blocks_base(blocks);
}

void hm_lists_place(hm_lists_blocks *blocks)
{
    blocks->records = hm_array_data(&blocks->record_array);
    blocks->base = blocks_base(blocks);
    if (blocks->unit_array.moves_to_grow) /* Others have not moved. */
        blocks_poison_unused(blocks);
}

uint32_t hm_lists_capacity_at(const hm_lists_blocks *blocks, uint32_t unit)
{
    size_t size = (size_t)(hm_lists_block_at(blocks, unit)->size - 1) << blocks->unit_shift;
    size_t capacity = size / blocks->item_size;
    return capacity < HM_LISTS_MOST ? (uint32_t)capacity : HM_LISTS_MOST;
}

/* gaps */

/* Makes the units from `unit` on, which belong to no block, a free one. */
static void blocks_make_free(hm_lists_blocks *blocks, uint32_t unit, uint32_t size)
{
    blocks_make(blocks, unit, HM_LISTS_FREE, size);
    blocks_link(blocks, unit);
    if (unit < blocks->cursor)
        blocks->cursor = unit;
}

/* Makes the units from `unit` on belong to no block, and the end come down to there. */
static void blocks_lower_end(hm_lists_blocks *blocks, uint32_t unit)
{
    size_t size = (size_t)(blocks->end - unit) << blocks->unit_shift;
    hm_memory_poison(hm_lists_address(blocks, unit), size);
    blocks->end = unit;
    if (unit < blocks->cursor)
        blocks->cursor = unit;
}

void hm_lists_make_gap(hm_lists_blocks *blocks, uint32_t unit, uint32_t end)
{
    if (end == blocks->end) {
        blocks_lower_end(blocks, unit);
    } else if (end != unit) {
        blocks_make_free(blocks, unit, end - unit);
        blocks->is_joined = false;
    }
}

/* Where that lowers the end, a free block in front of this one becomes the last. */
void hm_lists_give(hm_lists_blocks *blocks, uint32_t unit)
{
    blocks->is_joined = false;
    hm_lists_make_gap(blocks, unit, hm_lists_end_of(blocks, unit));
}

bool hm_lists_reclaim(hm_lists_blocks *blocks, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    if (hm_lists_is_free(block))
        return true;
    hm_lists_record *record = hm_lists_record_of(blocks, block->slot);
    if (record->count != 0)
        return false;
    *record = (hm_lists_record){.tag = record->tag};
    blocks_make_free(blocks, unit, block->size);
    return true;
}

uint64_t hm_lists_join(hm_lists_blocks *blocks, uint32_t unit, uint64_t limit)
{
    uint64_t joined = 0;
    uint32_t end = hm_lists_end_of(blocks, unit);
    hm_lists_unlink(blocks, unit);
    for (; joined < limit && end < blocks->end; joined++) {
        if (!hm_lists_reclaim(blocks, end))
            break;
        hm_lists_unlink(blocks, end);
        end = hm_lists_end_of(blocks, end);
    }
    hm_lists_make_gap(blocks, unit, end);
    return joined;
}

/* Gives back the blocks of empty lists, joins free blocks that are next to each other, and lowers
 * the end to where the last list's block ends. O(blocks). */
static void blocks_join_all(hm_lists_blocks *blocks)
{
    uint32_t unit = blocks->cursor;
    while (unit < blocks->end) {
        if (hm_lists_reclaim(blocks, unit))
            hm_lists_join(blocks, unit, UINT64_MAX);
        if (unit < blocks->end)
            unit = hm_lists_end_of(blocks, unit);
    }
    blocks->is_joined = true;
}

/* take */

hm_array_column hm_lists_column_of_units(hm_lists_blocks *blocks)
{
    return hm_array_column_of(&blocks->unit_array, hm_lists_front(blocks) + blocks->end, true);
}

/* Returns how many units the range has memory for, or can have, unit 0 included. */
static size_t blocks_capacity(const hm_lists_blocks *blocks)
{
    return blocks->unit_array.capacity - hm_lists_front(blocks);
}

/* Moves all blocks to a range of their own with room for so many units. */
static hm_status blocks_move(hm_lists_blocks *blocks, size_t capacity)
{
    hm_array_column units = hm_lists_column_of_units(blocks);
    units.desc.capacity = hm_lists_front(blocks) + capacity;
    hm_status status = hm_array_move_columns(&units, 1);
    hm_lists_place(blocks);
    return status;
}

hm_status hm_lists_shrink_range(hm_lists_blocks *blocks)
{
    const hm_array *units = &blocks->unit_array;
    uint32_t need = (uint32_t)hm_lists_first_units(blocks);
    if (need < blocks->end)
        need = blocks->end;
    if (!units->moves_to_grow || need > blocks->space / 2)
        return HM_OK;
    hm_status status = HM_OK;
    if (units->range_size != 0 && need < blocks_capacity(blocks))
        status = blocks_move(blocks, need);
    if (status == HM_OK)
        blocks->space = need;
    return status;
}

/* Whether there is no space for a block of this size behind the others. */
static bool blocks_reach_end(const hm_lists_blocks *blocks, uint64_t size)
{
    return blocks->end + size > blocks->space;
}

/* Makes space for a block of this size behind the others: for twice as many units, if they are too
 * few. There is memory for all of them, but after a load: then twice as much as there was. */
static hm_status blocks_widen(hm_lists_blocks *blocks, uint64_t size)
{
    const size_t capacity = blocks_capacity(blocks);
    uint64_t end = blocks->end + size, space = blocks->space, twice = 2 * (uint64_t)capacity;
    if (blocks_reach_end(blocks, size))
        space = end > 2 * space ? end : 2 * space;
    /* Coverage: no test has the memory of 2^32 units. */
    if (space > UINT32_MAX)
        space = UINT32_MAX;
    /* Coverage: as above. */
    if (!blocks->unit_array.moves_to_grow || end > UINT32_MAX)
        return hm_fail(HM_ERROR_FULL,
                       "%s: no %" HM_U64 " of %zu units in a row are free: defragment, or raise "
                       "max_items",
                       blocks->name, size, capacity);
    hm_status status = HM_OK;
    if (end > capacity) {
        uint64_t wanted = end > twice ? end : twice;
        status = blocks_move(blocks, (size_t)(wanted < space ? wanted : space));
    }
    if (status == HM_OK)
        blocks->space = (uint32_t)space;
    return status;
}

hm_status hm_lists_open_units(hm_lists_blocks *blocks, uint64_t size)
{
    hm_status status = HM_OK;
    if (blocks_reach_end(blocks, size) || blocks->end + size > blocks_capacity(blocks))
        status = blocks_widen(blocks, size);
    if (status == HM_OK)
        status = hm_array_prepare(
            &blocks->unit_array, hm_lists_front(blocks) + (size_t)blocks->end + (size_t)size, true);
    if (status == HM_OK && blocks->end == 1) {
        hm_memory_unpoison(blocks_heads(blocks), HM_LISTS_HEADS_SIZE);
        memset(blocks_heads(blocks), 0, HM_LISTS_HEADS_SIZE);
    }
    return status;
}

uint32_t hm_lists_next_free(const hm_lists_blocks *blocks, uint32_t unit)
{
    return hm_lists_block_at(blocks, unit)->size > 1 ? blocks_links(blocks, unit).next : 0;
}

void hm_lists_put_free(hm_lists_blocks *blocks, uint32_t unit, uint32_t size, uint32_t next)
{
    blocks_make(blocks, unit, HM_LISTS_FREE, size);
    if (size > 1)
        blocks_set_links(blocks, unit, next, 0);
}

/* Whether a unit is among those that rise. */
static bool blocks_has_unit(const uint32_t *units, uint32_t n, uint32_t unit)
{
    uint32_t begin = 0, end = n;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (units[middle] < unit)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < n && units[begin] == unit;
}

/* Only units of the array are read as blocks: what a file says is no proof. Each has one before it
 * at most, so that what is reached from the heads is no circle; and all are reached. */
bool hm_lists_link_free(hm_lists_blocks *blocks, const uint32_t *units, uint32_t n)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = blocks_links(blocks, units[i]).next;
        if (next == 0)
            continue;
        if (!blocks_has_unit(units, n, next) || blocks_links(blocks, next).previous != 0 ||
            blocks_class_of(hm_lists_block_at(blocks, next)->size) !=
                blocks_class_of(hm_lists_block_at(blocks, units[i])->size))
            return false;
        blocks_set_links(blocks, next, blocks_links(blocks, next).next, units[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *head =
            &blocks_heads(blocks)[blocks_class_of(hm_lists_block_at(blocks, units[i])->size)];
        if (blocks_links(blocks, units[i]).previous != 0)
            continue;
        if (*head != 0)
            return false;
        *head = units[i];
    }
    for (uint32_t i = 0; n != 0 && i < HM_LISTS_CLASSES; i++)
        for (uint32_t unit = blocks_heads(blocks)[i]; unit != 0;
             unit = blocks_links(blocks, unit).next)
            reached++;
    return reached == n;
}

void hm_lists_publish_blocks(hm_lists_blocks *blocks, uint32_t end, uint64_t items)
{
    blocks->end = blocks->cursor = end;
    blocks->item_count = items;
    blocks->is_joined = true;
    blocks_poison_unused(blocks);
}

/* Makes a block of this size behind the others. */
static hm_status blocks_extend(hm_lists_blocks *blocks, uint32_t size, uint32_t *unit)
{
    hm_status status = hm_lists_open_units(blocks, size);
    if (status != HM_OK)
        return status;
    *unit = blocks->end;
    blocks->end += size;
    blocks_make(blocks, *unit, 0, size);
    return HM_OK;
}

/* Returns the smallest class, from `least` on, that has a free block; HM_LISTS_CLASSES: none. */
static uint32_t blocks_find_class(const hm_lists_blocks *blocks, uint32_t least)
{
    while (least < HM_LISTS_CLASSES && blocks_first_of(blocks, least) == 0)
        least++;
    return least;
}

/* Takes a block of this size from the first free one of a class that has one. Its rest becomes a
 * free block. */
static uint32_t blocks_reuse(hm_lists_blocks *blocks, uint32_t size, uint32_t size_class)
{
    uint32_t unit = blocks_first_of(blocks, size_class);
    hm_lists_unlink(blocks, unit);
    uint32_t rest = hm_lists_block_at(blocks, unit)->size - size;
    blocks_make(blocks, unit, 0, size);
    if (rest != 0)
        blocks_make_free(blocks, unit + size, rest);
    return unit;
}

/* Whether a range that is full should grow before its free blocks are used for lists of other
 * sizes: so it is without a capacity, unless it is large and hardly used. Then the same calls place
 * blocks as they do with a capacity, whose range is several times as large as its items. */
static bool blocks_should_grow(const hm_lists_blocks *blocks)
{
    uint64_t used = hm_lists_units_of(blocks, blocks->item_count);
    return blocks->unit_array.moves_to_grow &&
           (blocks->space < BLOCKS_LARGE || used > blocks->space / BLOCKS_LITTLE);
}

/* Returns the class of the free block to take; HM_LISTS_CLASSES: a new one is to be made.
 *
 * Blocks of the class come first, then new ones: to divide larger ones would leave parts that only
 * smaller lists can use. When the range is used up, larger ones are divided, and if there are none,
 * free blocks next to each other are joined; if that does not help, it is not tried again until a
 * block is freed. */
static uint32_t blocks_choose_class(hm_lists_blocks *blocks, uint32_t size, uint32_t size_class)
{
    if (blocks_first_of(blocks, size_class) != 0)
        return size_class;
    if (!blocks_reach_end(blocks, size) || blocks_should_grow(blocks))
        return HM_LISTS_CLASSES;
    uint32_t found = blocks_find_class(blocks, size_class);
    if (found != HM_LISTS_CLASSES || blocks->is_joined)
        return found;
    blocks_join_all(blocks);
    if (!blocks_reach_end(blocks, size))
        return HM_LISTS_CLASSES;
    return blocks_find_class(blocks, size_class);
}

hm_status hm_lists_take(hm_lists_blocks *blocks, uint64_t n, uint32_t *unit)
{
    uint32_t size_class = 1;
    while (UINT64_C(1) << size_class < hm_lists_units_of(blocks, n))
        size_class++;
    uint32_t size = UINT32_C(1) << size_class;
    uint32_t found = blocks_choose_class(blocks, size, size_class);
    if (found == HM_LISTS_CLASSES) {
        hm_status status = blocks_extend(blocks, size, unit);
        if (status == HM_OK)
            return HM_OK;
        found = blocks_find_class(blocks, size_class); /* Without memory larger ones are divided. */
        if (found == HM_LISTS_CLASSES)
            return status;
        hm_restore_last_error();
    }
    *unit = blocks_reuse(blocks, size, found);
    return HM_OK;
}

/* validate */

typedef struct blocks_sums {
    uint32_t slot_count;
    uint64_t items;
    uint32_t lists, free; /* blocks; of the free ones those that are listed */
    bool was_free;        /* the block before */
} blocks_sums;

static hm_status blocks_validate_free(const hm_lists_blocks *blocks, uint32_t unit,
                                      blocks_sums *sums)
{
    uint32_t size = hm_lists_block_at(blocks, unit)->size;
    bool is_joined = !sums->was_free && blocks->end - unit != size;
    if (unit < blocks->cursor || (blocks->is_joined && !is_joined))
        return hm_fail(HM_ERROR_CORRUPT, "unit %" HM_U32 " is a gap that was closed", unit);
    sums->free += size > 1;
    sums->was_free = true;
    return HM_OK;
}

static hm_status blocks_validate_list(const hm_lists_blocks *blocks, uint32_t unit,
                                      blocks_sums *sums)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    if (block->slot >= sums->slot_count || hm_lists_record_of(blocks, block->slot)->unit != unit)
        return hm_fail(HM_ERROR_CORRUPT, "the block at unit %" HM_U32 " has no list", unit);
    const hm_lists_record *record = hm_lists_record_of(blocks, block->slot);
    bool is_exact = (block->size & HM_LISTS_EXACT) != 0;
    bool is_sound = is_exact
                        ? block->size == (record->count | HM_LISTS_EXACT) && record->capacity == 0
                        : (block->size & (block->size - 1)) == 0 && unit >= blocks->cursor &&
                              record->capacity == hm_lists_capacity_at(blocks, unit) &&
                              record->count <= record->capacity;
    if ((record->count == 0 && (is_exact || blocks->is_joined)) || !is_sound)
        return hm_fail(HM_ERROR_CORRUPT, "the size of the list at unit %" HM_U32 " is damaged",
                       unit);
    sums->lists++;
    sums->items += record->count;
    sums->was_free = false;
    return HM_OK;
}

/* Checks one block, whose head is inside the range, and adds it to the sums. */
static hm_status blocks_validate(const hm_lists_blocks *blocks, uint32_t unit, blocks_sums *sums)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    uint32_t size = hm_lists_size_of(blocks, block);
    if (size == 0 || size > blocks->end - unit)
        return hm_fail(HM_ERROR_CORRUPT, "the size of the block at unit %" HM_U32 " is damaged",
                       unit);
    return hm_lists_is_free(block) ? blocks_validate_free(blocks, unit, sums)
                                   : blocks_validate_list(blocks, unit, sums);
}

/* Counts the blocks in the list of a class; UINT32_MAX if it is damaged. */
static uint32_t blocks_count_class(const hm_lists_blocks *blocks, uint32_t size_class,
                                   uint32_t most)
{
    uint32_t count = 0, previous = 0;
    for (uint32_t unit = blocks_first_of(blocks, size_class); unit != 0; count++) {
        if (count == most || unit >= blocks->end)
            return UINT32_MAX;
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        if (!hm_lists_is_free(block) || block->size == 1 ||
            blocks_class_of(block->size) != size_class ||
            blocks_links(blocks, unit).previous != previous)
            return UINT32_MAX;
        previous = unit;
        unit = blocks_links(blocks, unit).next;
    }
    return count;
}

hm_status hm_lists_validate_blocks(const hm_lists_blocks *blocks, uint32_t slot_count)
{
    blocks_sums sums = {.slot_count = slot_count};
    if (blocks->end == 0 || blocks->cursor == 0 || blocks->cursor > blocks->end ||
        (blocks->end > 1 && hm_lists_front(blocks) + blocks->end > blocks->unit_array.limit))
        return hm_fail(HM_ERROR_CORRUPT, "the end of the blocks is damaged");
    bool reaches_cursor = blocks->cursor == blocks->end;
    uint32_t unit = 1, filled = 0, listed = 0;
    while (unit < blocks->end) {
        hm_status status = blocks_validate(blocks, unit, &sums);
        if (status != HM_OK)
            return status;
        reaches_cursor |= unit == blocks->cursor;
        unit = hm_lists_end_of(blocks, unit);
    }
    for (uint32_t i = 0; i < slot_count; i++)
        filled += hm_lists_record_of(blocks, i)->unit != 0;
    if (filled != sums.lists || sums.items != blocks->item_count || !reaches_cursor)
        return hm_fail(HM_ERROR_CORRUPT,
                       "%" HM_U32 " lists have blocks, %" HM_U32 " blocks have lists, with %" HM_U64
                       " items of %" HM_U64,
                       filled, sums.lists, sums.items, blocks->item_count);
    for (uint32_t size_class = 0; size_class < HM_LISTS_CLASSES; size_class++) {
        uint32_t count = blocks_count_class(blocks, size_class, sums.free);
        if (count == UINT32_MAX)
            return hm_fail(HM_ERROR_CORRUPT, "the free blocks of class %" HM_U32 " are damaged",
                           size_class);
        listed += count;
    }
    return listed == sums.free ? HM_OK : hm_fail(HM_ERROR_CORRUPT, "a free block is not listed");
}

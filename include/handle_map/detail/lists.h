/* SPDX-License-Identifier: MIT */
/* detail/lists: the struct of lists, and the parts of items and push that are inline. For inline
 * functions; no program needs it.
 *
 * Arrays of arrays are the last of the four parts that a program's data is made of in Niklas
 * Frykholm's "Data Structures Part 3: Arrays of Arrays" (2019), which lists the ways to store them.
 */
#ifndef HANDLE_MAP_DETAIL_LISTS_H
#define HANDLE_MAP_DETAIL_LISTS_H

#include <handle_map/array.h>
#include <handle_map/detail/each.h>
#include <handle_map/detail/guard.h>
#include <handle_map/id_table.h>

HM_BEGIN_C

/* Of free blocks; and the bytes that the first block of each takes. */
enum { HM_LISTS_CLASSES = 32, HM_LISTS_HEADS_SIZE = 4 * HM_LISTS_CLASSES };

/* Bytes of an item that a push copies before it grows. */
enum { HM_LISTS_SMALL = 64 };

/* The most items of one list. */
#define HM_LISTS_MOST (UINT32_MAX >> 1)

/* In the size of an exact block: the other bits are the number of its items, and the block has just
 * the units that they need. The number of units of any other block is a power of two. */
#define HM_LISTS_EXACT (UINT32_C(1) << 31)

/* The slot of a free block. No list has it, since there are at most UINT32_MAX slots. */
#define HM_LISTS_FREE UINT32_MAX

/* All that a lookup, a push and an erase need to know of a list: they load one cache line, and the
 * item's. The record of a slot without a list is zero. */
typedef struct hm_lists_record {
    uint32_t tag;      /* upper half of the list's handle */
    uint32_t unit;     /* of its block; 0: it has none */
    uint32_t count;    /* items */
    uint32_t capacity; /* items that fit in its block; 0: none or an exact one, no inline push */
} hm_lists_record;

/* What a block begins with. */
typedef struct hm_lists_block {
    uint32_t slot; /* of its list */
    uint32_t size; /* units, with that of the head; or items, and HM_LISTS_EXACT */
} hm_lists_block;

/* What follows in a free block of more than one unit. */
typedef struct hm_lists_links {
    uint32_t next, previous; /* units of free blocks of the same class; 0: none */
} hm_lists_links;

/* The items of lists that are numbered by slot: records, and blocks in a range. An index has them
 * too, without handles. Addresses count in *units*: of 8 bytes, or the items' alignment if that is
 * larger, or a small multiple where max_items would need too many. A block begins with a unit for
 * its head. Unit 0 is none: it ends with `base` what the range begins with, the first free block of
 * each class. */
typedef struct hm_lists_blocks {
    hm_lists_record *records; /* by slot; record_array.data */
    unsigned char *base;      /* unit 0 of the range */
    uint64_t limit;           /* items; push is not inline from there on; 0 while busy */
    uint64_t item_count;      /* in all lists */
    size_t item_size;         /* bytes */
    uint8_t unit_shift;       /* log2 of the bytes of a unit */
    uint8_t record_shift;     /* log2 of the bytes from one record to the next */
    bool is_joined;           /* no free block is followed by another one or is the last, and no
                                 empty list has a block */
    uint32_t end;             /* unit; blocks fill the range from 1 to there */
    uint32_t cursor;          /* unit, where a block begins; below it there are no gaps */
    uint32_t space;           /* units until the range counts as full; after a load there may be
                                 memory for fewer yet */
    uint64_t max_items;       /* in all lists */
    hm_array record_array;    /* hm_lists_record, or what begins with one */
    hm_array unit_array;
    const char *name;
} hm_lists_blocks;

/* All fields are private; use the functions. */
typedef struct hm_lists {
    hm_id_table ids; /* first, so that a lookup's fields are near */
    hm_lists_blocks blocks;
    hm_guard guard; /* only its flags are used; one that is set sends an erase down its slow path */
    void (*destroy)(void *item, void *context);
    void *context;
    const char *name;
} hm_lists;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_lists) <= 424, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_lists_moved(hm_lists *lists);
#endif

/* An array of a list's items, from hm_lists_next. */
typedef struct hm_lists_view {
    hm_handle list;
    void *items;
    uint32_t count; /* items, at least 1 */
    uint32_t next;  /* private; 0 begins a loop */
} hm_lists_view;

/* What hm_lists_push does when the block is full, the handle names no list, or the lists are busy.
 * The item may be one of these lists. */
HM_API void *hm_lists_push_slow(hm_lists *lists, hm_handle list, const void *item);
HM_API bool hm_lists_erase_slow(hm_lists *lists, hm_lists_record *record, uint32_t index);

static inline unsigned char *hm_lists_address(const hm_lists_blocks *blocks, uint32_t unit)
{
    return blocks->base + (HM_CAST(size_t, unit) << blocks->unit_shift);
}

static inline hm_lists_block *hm_lists_block_at(const hm_lists_blocks *blocks, uint32_t unit)
{
    return HM_CAST(hm_lists_block *, HM_CAST(void *, hm_lists_address(blocks, unit)));
}

/* Returns the record of a list; NULL if the handle does not resolve. No handle that was issued has
 * an upper half of zero. One that has may find the record of a slot without a list: that has no
 * items, and capacity 0. */
static inline hm_lists_record *hm_lists_find(const hm_lists *lists, hm_handle list)
{
    hm_lists_record *records = lists->blocks.records;
    uint32_t slot = hm_handle_index(list);
    if (slot >= lists->ids.slot_count || records[slot].tag != list.bits >> 32)
        return NULL;
    return &records[slot];
}

/* Forms of the functions of lists.h that take the item size. The typed functions of
 * HM_LISTS_DEFINE pass it as a constant. */

/* Adds an item to the list of a record, and returns its place, unwritten; NULL: its block is full
 * or exact, and there is more to do. */
HM_INLINE unsigned char *hm_lists_append_sized(hm_lists_blocks *blocks, hm_lists_record *record,
                                               size_t item_size)
{
    unsigned char *place;
    if (record->count >= record->capacity || blocks->item_count >= blocks->limit)
        return NULL;
    place = hm_lists_address(blocks, record->unit + 1) + item_size * record->count;
    HM_UNPOISON(place, item_size);
    record->count++;
    blocks->item_count++;
    HM_ASSUME(place != NULL);
    return place;
}

/* Hands a copy of a small item on: if its own address went to a function that is not inline, the
 * compiler could not keep it in registers. */
HM_INLINE void *hm_lists_push_rarely(hm_lists *lists, hm_handle list, const void *item,
                                     size_t item_size)
{
    unsigned char copy[HM_LISTS_SMALL];
    if (item == NULL)
        return hm_lists_push_slow(lists, list, NULL);
    if (item_size > sizeof copy)
        return hm_lists_push_slow(lists, list, item);
    memcpy(copy, item, item_size);
    return hm_lists_push_slow(lists, list, copy);
}

HM_INLINE void *hm_lists_push_sized(hm_lists *lists, hm_handle list, const void *item,
                                    size_t item_size)
{
    hm_lists_record *record;
    unsigned char *place = NULL;
    HM_CONTRACT(lists != NULL, "hm_lists_push: lists is NULL");
    record = hm_lists_find(lists, list);
    if (record != NULL)
        place = hm_lists_append_sized(&lists->blocks, record, item_size);
    if (place == NULL)
        return hm_lists_push_rarely(lists, list, item, item_size);
    if (item != NULL)
        memcpy(place, item, item_size);
    else
        memset(place, 0, item_size);
    return place;
}

/* Erases an item that the list of a record has. False: its block is exact, or this is the last
 * item, and there is more to do. */
HM_INLINE bool hm_lists_drop_sized(hm_lists_blocks *blocks, hm_lists_record *record, uint32_t index,
                                   size_t item_size)
{
    unsigned char *items;
    uint32_t last = record->count - 1;
    if (last - 1 >= record->capacity) /* With 0 for `last` it is the largest number. */
        return false;
    items = hm_lists_address(blocks, record->unit + 1);
    if (index != last)
        memcpy(items + item_size * index, items + item_size * last, item_size);
    HM_POISON(items + item_size * last, item_size);
    record->count = last;
    blocks->item_count--;
    return true;
}

HM_INLINE bool hm_lists_erase_at_sized(hm_lists *lists, hm_handle list, uint32_t index,
                                       size_t item_size)
{
    hm_lists_record *record;
    HM_CONTRACT(lists != NULL, "hm_lists_erase_at: lists is NULL");
    record = hm_lists_find(lists, list);
    if (record == NULL || index >= record->count)
        return false;
    if (lists->guard.flags != 0 || !hm_lists_drop_sized(&lists->blocks, record, index, item_size))
        return hm_lists_erase_slow(lists, record, index);
    return true;
}

/* Returns the record of a slot, whatever there is after each record. */
HM_INLINE hm_lists_record *hm_lists_record_of(const hm_lists_blocks *blocks, uint32_t slot)
{
    unsigned char *records = HM_CAST(unsigned char *, HM_CAST(void *, blocks->records));
    records += HM_CAST(size_t, slot) << blocks->record_shift;
    return HM_CAST(hm_lists_record *, HM_CAST(void *, records));
}

/* Returns the units that n items need, with the head: at most 2^30, if max_items allows n. */
HM_INLINE uint64_t hm_lists_units_as(const hm_lists_blocks *blocks, uint64_t n, size_t item_size)
{
    uint64_t last = (UINT64_C(1) << blocks->unit_shift) - 1;
    return 1 + ((n * item_size + last) >> blocks->unit_shift);
}

/* The head of an exact block tells how many items it has, so that a pass over such blocks waits for
 * no record. */
HM_INLINE bool hm_lists_next_sized(const hm_lists_blocks *blocks, hm_lists_view *view,
                                   size_t item_size)
{
    uint32_t unit = view->next != 0 ? view->next : 1, end = blocks->end, count, next;
    const hm_lists_block *block;
    const hm_lists_record *record;
    for (; unit < end; unit = next) {
        block = hm_lists_block_at(blocks, unit);
        next = unit + block->size;
        if (block->slot == HM_LISTS_FREE)
            continue;
        record = hm_lists_record_of(blocks, block->slot);
        if ((block->size & HM_LISTS_EXACT) != 0) {
            count = block->size & ~HM_LISTS_EXACT;
            next = unit + HM_CAST(uint32_t, hm_lists_units_as(blocks, count, item_size));
        } else {
            count = record->count;
            if (count == 0)
                continue;
        }
        view->list = hm_handle_from_bits(HM_CAST(uint64_t, record->tag) << 32 | block->slot);
        view->items = hm_lists_address(blocks, unit + 1);
        view->count = count;
        view->next = next;
        return true;
    }
    memset(view, 0, sizeof *view);
    return false;
}

HM_END_C

#endif

/* SPDX-License-Identifier: MIT */
/* detail/lists: the struct of lists, and the parts of items and push that are inline. For inline
 * functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_LISTS_H
#define HANDLE_MAP_DETAIL_LISTS_H

#include <handle_map/array.h>
#include <handle_map/detail/guard.h>
#include <handle_map/id_table.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HM_LISTS_CLASSES = 32 };

/* In the count of a record: the block has just the units that its items need. Any other block has a
 * power of two of them. */
#define HM_LISTS_EXACT (UINT32_C(1) << 31)

/* The most items of one list: a count with the flag is none that a list without it could have. */
#define HM_LISTS_MOST (HM_LISTS_EXACT - 1)

/* Where the items of a list are, so that most calls need not load the head of its block. */
typedef struct hm_lists_record {
    uint32_t unit;  /* of its block; 0: the list is empty */
    uint32_t count; /* items, and HM_LISTS_EXACT */
} hm_lists_record;

/* What a block begins with. In a free block `list` has the free bit and the next free block of its
 * class in its lower half, and `count` is the previous one; 0: none. */
typedef struct hm_lists_block {
    hm_handle list; /* whose items these are */
    uint32_t size;  /* units, with this one */
    uint32_t count; /* items, if the block is exact; 0: only the record has them */
} hm_lists_block;

/* All fields are private; use the functions. Addresses count in *units*, of 16 bytes or the items'
 * alignment if that is larger. A block begins with a unit for its head; unit 0 is none. */
typedef struct hm_lists {
    hm_id_table ids;                  /* first, so that a lookup's fields are near */
    hm_lists_record *records;         /* by slot; record_array.data */
    unsigned char *base;              /* unit_array.data */
    size_t item_size;                 /* bytes */
    uint32_t unit_shift;              /* log2 of the bytes of a unit */
    uint32_t end;                     /* unit; blocks fill the range from 1 to there */
    uint32_t cursor;                  /* unit, where a block begins; below it there are no gaps */
    hm_guard guard;                   /* only its flags are used */
    bool is_joined;                   /* no free block is followed by another, or by the end */
    uint64_t limit;                   /* items; push is not inline from there on; 0 while busy */
    uint64_t item_count;              /* in all lists */
    uint64_t max_items;               /* in all lists */
    uint32_t heads[HM_LISTS_CLASSES]; /* log2 of the size -> first free block */
    hm_array record_array;            /* hm_lists_record */
    hm_array unit_array;
    const char *name;
} hm_lists;

/* An array of a list's items, from hm_lists_next. */
typedef struct hm_lists_view {
    hm_handle list;
    void *items;
    uint32_t count; /* items, at least 1 */
    uint32_t next;  /* private; 0 begins a loop */
} hm_lists_view;

HM_API void *hm_lists_push_slow(hm_lists *lists, hm_handle list, const void *item);
HM_API bool hm_lists_erase_slow(hm_lists *lists, hm_lists_record *record, uint32_t index);

static inline unsigned char *hm_lists_address(const hm_lists *lists, uint32_t unit)
{
    return lists->base + (HM_CAST(size_t, unit) << lists->unit_shift);
}

static inline hm_lists_block *hm_lists_block_at(const hm_lists *lists, uint32_t unit)
{
    return HM_CAST(hm_lists_block *, HM_CAST(void *, hm_lists_address(lists, unit)));
}

/* Returns the record of a list; NULL if the handle does not resolve. Entries and records are
 * indexed by slot, so that a processor loads from both at once. */
static inline hm_lists_record *hm_lists_find(const hm_lists *lists, hm_handle list)
{
    hm_lists_record *records = lists->records;
    bool is_live = hm_id_table_find(&lists->ids, list) != HM_INVALID_INDEX;
    return is_live ? &records[hm_handle_index(list)] : NULL;
}

/* Forms of the functions of lists.h that take the item size. The typed functions of
 * HM_LISTS_DEFINE pass it as a constant. */

/* Whether one more item fits into the block of a record that is not exact. The block has a power of
 * two of units, and the head takes one. So the item fits if the units that the items need do not
 * reach the next power of two; only if they do, the head is loaded. */
HM_INLINE bool hm_lists_fits(const hm_lists *lists, hm_lists_record record, size_t item_size)
{
    size_t unit_size = HM_CAST(size_t, 1) << lists->unit_shift;
    size_t bytes = item_size * record.count + unit_size - 1;
    size_t used = bytes >> lists->unit_shift, need = (bytes + item_size) >> lists->unit_shift;
    return (used ^ need) < used || need < hm_lists_block_at(lists, record.unit)->size;
}

HM_INLINE void *hm_lists_push_as(hm_lists *lists, hm_handle list, const void *item,
                                 size_t item_size)
{
    hm_lists_record *record;
    unsigned char *place;
    HM_CONTRACT(lists != NULL, "hm_lists_push: lists is NULL");
    record = hm_lists_find(lists, list);
    if (record == NULL || record->unit == 0 || record->count >= HM_LISTS_MOST ||
        lists->item_count >= lists->limit || !hm_lists_fits(lists, *record, item_size))
        return hm_lists_push_slow(lists, list, item);
    place = hm_lists_address(lists, record->unit + 1) + item_size * record->count;
    HM_UNPOISON(place, item_size);
    if (item != NULL)
        memcpy(place, item, item_size);
    else
        memset(place, 0, item_size);
    record->count++;
    lists->item_count++;
    HM_ASSUME(place != NULL);
    return place;
}

HM_INLINE bool hm_lists_erase_at_as(hm_lists *lists, hm_handle list, uint32_t index,
                                    size_t item_size)
{
    hm_lists_record *record;
    unsigned char *items;
    uint32_t last;
    HM_CONTRACT(lists != NULL, "hm_lists_erase_at: lists is NULL");
    record = hm_lists_find(lists, list);
    if (record == NULL || index >= (record->count & ~HM_LISTS_EXACT))
        return false;
    last = record->count - 1; /* with the flag too large for the next test */
    if (last == 0 || last >= HM_LISTS_EXACT || lists->guard.flags != 0)
        return hm_lists_erase_slow(lists, record, index);
    items = hm_lists_address(lists, record->unit + 1);
    if (index != last)
        memcpy(items + item_size * index, items + item_size * last, item_size);
    HM_POISON(items + item_size * last, item_size);
    record->count = last;
    lists->item_count--;
    if (record->unit < lists->cursor)
        lists->cursor = record->unit;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif

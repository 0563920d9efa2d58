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

/* What a block begins with. In a free block `list` has the free bit and the next free block of its
 * class in its lower half, and `count` is the previous one; 0: none. */
typedef struct hm_lists_block {
    hm_handle list; /* whose items these are */
    uint32_t size;  /* units, with this one */
    uint32_t count; /* items */
} hm_lists_block;

/* All fields are private; use the functions. Addresses count in *units*, of 16 bytes or the items'
 * alignment if that is larger. A block begins with a unit for its head; unit 0 is none. */
typedef struct hm_lists {
    hm_id_table ids;                  /* first, so that a lookup's fields are near */
    uint32_t *blocks;                 /* slot -> unit of the list's block; 0: it is empty */
    unsigned char *base;              /* unit_array.data */
    size_t item_size;                 /* bytes */
    uint32_t unit_shift;              /* log2 of the bytes of a unit */
    uint32_t end;                     /* unit; blocks fill the range from 1 to there */
    uint32_t cursor;                  /* unit, where a block begins; below it there are no gaps */
    hm_guard guard;                   /* only its flags are used */
    uint64_t limit;                   /* items; push is not inline from there on; 0 while busy */
    uint64_t item_count;              /* in all lists */
    uint64_t max_items;               /* in all lists */
    uint32_t heads[HM_LISTS_CLASSES]; /* log2 of the size -> first free block */
    hm_array block_array;             /* uint32_t */
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
HM_API bool hm_lists_erase_slow(hm_lists *lists, uint32_t unit, uint32_t index);

static inline unsigned char *hm_lists_address(const hm_lists *lists, uint32_t unit)
{
    return lists->base + (HM_CAST(size_t, unit) << lists->unit_shift);
}

static inline hm_lists_block *hm_lists_block_at(const hm_lists *lists, uint32_t unit)
{
    return HM_CAST(hm_lists_block *, HM_CAST(void *, hm_lists_address(lists, unit)));
}

/* Returns the unit of the list's block; 0 if the list is empty or the handle does not resolve. Both
 * columns are indexed by slot, so that a processor loads from both at once. */
static inline uint32_t hm_lists_find(const hm_lists *lists, hm_handle list)
{
    const uint32_t *blocks = lists->blocks;
    bool is_live = hm_id_table_find(&lists->ids, list) != HM_INVALID_INDEX;
    return is_live ? blocks[hm_handle_index(list)] : 0;
}

/* Returns the bytes that the items of a block may take. */
static inline size_t hm_lists_room(const hm_lists *lists, const hm_lists_block *block)
{
    return (HM_CAST(size_t, block->size) - 1) << lists->unit_shift;
}

/* Forms of the functions of lists.h that take the item size. The typed functions of
 * HM_LISTS_DEFINE pass it as a constant. */

HM_INLINE void *hm_lists_push_as(hm_lists *lists, hm_handle list, const void *item,
                                 size_t item_size)
{
    hm_lists_block *block;
    unsigned char *place;
    uint32_t unit;
    HM_CONTRACT(lists != NULL, "hm_lists_push: lists is NULL");
    unit = hm_lists_find(lists, list);
    if (unit == 0 || lists->item_count >= lists->limit)
        return hm_lists_push_slow(lists, list, item);
    block = hm_lists_block_at(lists, unit);
    if (item_size * (HM_CAST(size_t, block->count) + 1) > hm_lists_room(lists, block))
        return hm_lists_push_slow(lists, list, item);
    place = hm_lists_address(lists, unit + 1) + item_size * block->count;
    HM_UNPOISON(place, item_size);
    if (item != NULL)
        memcpy(place, item, item_size);
    else
        memset(place, 0, item_size);
    block->count++;
    lists->item_count++;
    HM_ASSUME(place != NULL);
    return place;
}

HM_INLINE bool hm_lists_erase_at_as(hm_lists *lists, hm_handle list, uint32_t index,
                                    size_t item_size)
{
    hm_lists_block *block;
    unsigned char *items;
    uint32_t unit = hm_lists_find(lists, list), last;
    if (unit == 0)
        return false;
    block = hm_lists_block_at(lists, unit);
    if (index >= block->count)
        return false;
    last = block->count - 1;
    if (last == 0 || lists->guard.flags != 0)
        return hm_lists_erase_slow(lists, unit, index);
    items = hm_lists_address(lists, unit + 1);
    if (index != last)
        memcpy(items + item_size * index, items + item_size * last, item_size);
    HM_POISON(items + item_size * last, item_size);
    block->count = last;
    lists->item_count--;
    if (unit < lists->cursor)
        lists->cursor = unit;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif

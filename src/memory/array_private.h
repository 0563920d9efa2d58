/* SPDX-License-Identifier: MIT */
/* array: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_ARRAY_PRIVATE_H
#define HANDLE_MAP_ARRAY_PRIVATE_H

#include "poison_private.h"

#include <handle_map/array.h>

#include <stddef.h>

/* As hm_array_reserve, but does not poison what it commits: for columns that the program never
 * sees, whose owner does not track which items are alive. `grows`: items follow at once, so that it
 * pays to make the pages of a step resident. A program that reserves ahead may never use the space,
 * so nothing becomes resident for it. */
hm_status hm_array_commit(hm_array *array, size_t count, bool grows);

/* As hm_array_commit, for columns that the program sees: poisons what it commits. */
hm_status hm_array_prepare(hm_array *array, size_t count, bool grows);

/* As hm_array_trim, but does not unpoison: for columns that are not poisoned. */
hm_status hm_array_decommit(hm_array *array);

/* Gives back what was committed since `before` was a copy of this array, which is not in a whole
 * range, and has no items that count. If the system refuses, that stays committed. `is_visible`:
 * the program sees the items, so that all are poisoned. */
void hm_array_give_back(hm_array *array, const hm_array *before, bool is_visible);

/* Returns the natural alignment of a size: the largest power of two that divides it, at most 16,
 * which is that of max_align_t where it is largest; 0 for size 0. It is the same on every machine,
 * since the sizes of lists' blocks depend on it, and so the order of an index. */
static inline size_t hm_array_natural_align(size_t size)
{
    size_t align = size & (~size + 1), most = 16;
    return align < most ? align : most;
}

/* HM_ERROR_INVALID when this size and alignment (0: natural) are not valid for the items of any
 * container. `what` comes before "size" and "align" in the message: "item_" for item_size. */
hm_status hm_array_check_layout(size_t size, size_t align, const char *what);

/* Checks all that makes hm_array_init return HM_ERROR_INVALID. The descriptor is not NULL; `what`
 * as above. */
hm_status hm_array_check(const hm_array_desc *desc, const char *what);

/* HM_ERROR_INVALID when `count` items, in whole pages, overflow size_t, or one has 4 GiB. The size
 * is not 0. */
hm_status hm_array_check_size(size_t size, size_t count, const char *what, const hm_memory *memory);

/* For an array that its container divides, and that may hold anything at first. They return how
 * many items it has where the others have `capacity`, and move its parts, when it and the arrays
 * before it have their new places, and the old ones still hold what they held. */
typedef struct hm_array_parts {
    size_t (*size_of)(void *owner, size_t capacity);
    void (*carry)(void *owner);
} hm_array_parts;

/* One of the arrays of a container. */
typedef struct hm_array_column {
    hm_array *array;    /* zeroed, or to be moved */
    hm_array_desc desc; /* valid (hm_array_check); all with the same memory, which is not NULL */
    size_t used;     /* items that move; those behind may be lost. In a new array: items that need
                        not be zero */
    bool is_visible; /* the program sees the items: those behind the used ones are poisoned, and
                      * may hold anything; else they read as zero */
    bool is_by_slot; /* of the arrays beside an id table: an item for each slot, dead ones too */
    const hm_array_parts *parts; /* NULL: it is not divided */
    void *owner;                 /* of its parts */
} hm_array_column;

/* Initialises arrays that lie one behind the other in one reservation. It belongs to the first, so
 * hm_array_fini of the others comes before that of the first. `is_whole`: they are committed whole;
 * once one is full, all can only move. HM_ERROR_MEMORY: it was refused, or does not fit in size_t;
 * HM_ERROR_INVALID: it is not aligned. Then the arrays stay zeroed. */
hm_status hm_array_init_columns(const hm_array_column *columns, uint32_t count, bool is_whole);

/* Returns the bytes that such arrays take together if they are committed whole, and few and small
 * enough for size_t; and places them in that much committed memory. They own no range. */
size_t hm_array_whole_size(const hm_array_column *columns, uint32_t count);
void hm_array_place_columns(const hm_array_column *columns, uint32_t count, unsigned char *data);

enum {
    HM_ARRAY_LINE = 64,           /* bytes: small arrays of a whole range begin at multiples */
    HM_ARRAY_MAX_COLUMNS = 16,    /* arrays in one range, at most */
    HM_ARRAY_FIRST_SIZE = 1024,   /* bytes of a whole range at first, or a page if that is larger */
    HM_ARRAY_REMAP_SIZE = 1 << 13 /* bytes from which remapping pages is cheaper than a copy */
};

/* Returns the items that an array with space for `space` gets space for, so that it has it for
 * `need`, which is at most the limit: twice as many at least, unless that is above the limit. */
static inline size_t hm_array_wider(size_t space, size_t need, size_t limit)
{
    if (need <= space)
        return space;
    size_t twice = space <= limit / 2 ? 2 * space : limit;
    return need > twice ? need : twice;
}

/* Returns by how many times a whole range of so many bytes grows: it doubles. But the first page
 * grows to 16 where addresses are ample, since memory that is not touched costs nothing there. */
size_t hm_array_factor(const hm_memory *memory, size_t size);

/* Describes an array for hm_array_move_columns, with the capacity that it has. */
hm_array_column hm_array_column_of(hm_array *array, size_t used, bool is_visible);

/* Moves arrays to a new range for the capacities of their descriptors, which belongs to the first,
 * and releases the ranges that were theirs. It is committed whole if theirs were; else as far as
 * they are used, and the program sees none of them. Arrays that shared the range of the first move
 * with it, or are lost. Invalidates all pointers into them. HM_ERROR_MEMORY: the system refuses;
 * nothing has changed. O(bytes in use); pages of large arrays are not copied where the memory table
 * can remap them. */
hm_status hm_array_move_columns(const hm_array_column *columns, uint32_t count);

/* Moves an array that has no space for `need` items to a range of its own, of at least twice the
 * size. The program does not see it. Gives back its part of a range of several. As
 * hm_array_move_columns otherwise. */
hm_status hm_array_widen(hm_array *array, size_t need, size_t used);

/* What few containers need is an array at the beginning of its own range, so that the others have
 * only a NULL pointer: the first items are the array itself. Commits `count` items, those included.
 * Makes the array if there is none, and moves it, with the first `used` items, if its range is too
 * small: then the capacity of the descriptor counts. HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_array_open(hm_array **place, const hm_array_desc *desc, size_t count, size_t used);

/* Releases it; does nothing if there is none. */
void hm_array_close(hm_array **place);

/* Returns where an item is now: one of the `size` bytes that were at `before`, and are at `after`,
 * or any other, which has not moved. NULL stays NULL. */
static inline const void *hm_array_follow(const void *item, const unsigned char *before,
                                          size_t size, const unsigned char *after)
{
    size_t offset = (uintptr_t)item - (uintptr_t)before;
    return offset < size ? after + offset : item;
}

/* Makes an array of a part of another one's range, from `data` on; or of one that is whole. */
void hm_array_place(const hm_array_column *column, unsigned char *data);
void hm_array_place_whole(const hm_array_column *column, unsigned char *data);

/* Whether an array of so many bytes in a whole range begins at a page and shares no page, so that
 * its pages can be remapped. */
static inline bool hm_array_has_pages(size_t size, const hm_memory *memory)
{
    return size >= HM_ARRAY_REMAP_SIZE && size >= memory->page_size;
}

/* Copies the first `size` bytes of an array, or remaps their pages. */
void hm_array_carry(const hm_array *from, const hm_array *to, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* array: one address range that grows in place, the *virtual array*.
 *
 *     0            count        committed          reserved
 *     |== items ==|-- ready --|.... not yet memory ....|
 *
 * Owns: one reservation, large enough for `capacity` items, and the committed pages at its start.
 * The arrays of a container may share one. Moves: with a capacity nothing, ever. Growing commits
 * the pages after the last ones, so a pointer to an item is valid until the array is popped or
 * resized below that item. Without a capacity the array moves to a range of twice the size when it
 * is full (handle_map.h): pointers to items are valid until the next push, reserve, resize or trim.
 * Under AddressSanitizer the bytes after the last item are poisoned: using a pointer to an item
 * that was popped is reported.
 *
 * Limits: items of 1 byte to 4 GiB - 1, alignments from 1 to 4096, any capacity whose bytes fit in
 * size_t. An item may straddle pages.
 *
 * Threads: no locks inside. Const calls may run together while no thread writes. */
#ifndef HANDLE_MAP_ARRAY_H
#define HANDLE_MAP_ARRAY_H

#include <handle_map/memory.h>

HM_BEGIN_C

typedef struct hm_array_desc {
    size_t item_size;   /* bytes; from 1 to UINT32_MAX, a multiple of item_align */
    size_t item_align;  /* bytes; a power of two up to 4096; 0: the largest power of two that
                           divides the size, at most 16 */
    size_t capacity;    /* items; 0: no limit */
    size_t commit_step; /* bytes; the least that is committed at a time, rounded up to a power of
                           two; 0: grows with the array */
    const hm_memory *memory; /* NULL: hm_memory_os() */
} hm_array_desc;

/* All fields are private; use the functions. */
typedef struct hm_array {
    unsigned char *data;     /* the first item */
    size_t count;            /* items in use */
    size_t limit;            /* items that a push need not prepare for; all of them are committed */
    size_t capacity;         /* items that the range has space for */
    size_t committed_size;   /* bytes from the start */
    size_t range_size;       /* bytes that fini releases; 0: the range is another array's */
    const hm_memory *memory; /* NULL in a zeroed array */
    uint32_t item_size;      /* bytes */
    uint8_t align_shift;     /* log2 of an item's alignment */
    uint8_t step_shift;      /* 1 + log2 of the least size that is committed; 0: it grows */
    bool moves_to_grow;      /* committed whole from the start */
    bool is_alone : 1;       /* without a capacity: when it is full, it moves by itself */
    bool is_raw : 1;         /* what is committed may hold anything */
} hm_array;

/* Reserves the range; commits nothing, without a capacity a page. HM_ERROR_INVALID: a NULL
 * array, an item size of 0 or above UINT32_MAX, an alignment that is no power of two, is above
 * 4096 or does not divide the size, a size that overflows, or a memory table that breaks its
 * contract. HM_ERROR_MEMORY: the reservation was refused. The memory table must outlive the array.
 * O(1). */
HM_API hm_status hm_array_init(hm_array *array, const hm_array_desc *desc);

/* Releases the range and zeroes the array; cannot fail. Invalidates all pointers. May be called
 * twice. O(1). */
HM_API void hm_array_fini(hm_array *array);

/* Commits memory for n more items, or for some beyond, since it commits in steps: up to there push
 * and resize cannot fail. HM_ERROR_FULL: n more would exceed the capacity; HM_ERROR_MEMORY: the
 * system refuses; then nothing has changed. Invalidates nothing, without a capacity all pointers.
 * At most one commit. */
HM_API hm_status hm_array_reserve(hm_array *array, size_t n);

/* Sets the number of items. New items are zero. Fails as hm_array_reserve does. Invalidates
 * pointers to items at or above `count`. O(new items). */
HM_API hm_status hm_array_resize(hm_array *array, size_t count);

/* Gives back the pages after the last item; without a capacity moves to a smaller range, if half
 * of this one is not in use. HM_ERROR_MEMORY: the system refuses; then nothing has changed. With a
 * capacity invalidates nothing: all items stay. At most one decommit. */
HM_API hm_status hm_array_trim(hm_array *array);

/* The part of push that is not inline; not for programs. */
HM_API HM_COLD bool hm_array_grow(hm_array *array);

/* Returns a new last item, whose bytes are not cleared, or NULL when the array is full or the
 * system refuses (hm_last_error says which). Invalidates nothing. O(1), with a system call now and
 * then. Example:
 *
 *     float *sample = hm_array_push(&array);
 *     if (sample != NULL)
 *         *sample = 0.5f;
 */
static inline void *hm_array_push(hm_array *array)
{
    unsigned char *item;
    HM_CONTRACT(array != NULL, "hm_array_push: array is NULL");
    if (array->count >= array->limit && !hm_array_grow(array))
        return NULL;
    item = array->data + HM_CAST(size_t, array->item_size) * array->count++;
    HM_UNPOISON(item, array->item_size);
    return item;
}

/* Drops the last item and returns true; false when there is none. Invalidates pointers to that
 * item. O(1). */
static inline bool hm_array_pop(hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_pop: array is NULL");
    if (array->count == 0)
        return false;
    array->count--;
    HM_POISON(array->data + HM_CAST(size_t, array->item_size) * array->count, array->item_size);
    return true;
}

/* Returns the item, or NULL past the end. O(1). */
static inline void *hm_array_at(const hm_array *array, size_t index)
{
    HM_CONTRACT(array != NULL, "hm_array_at: array is NULL");
    return index < array->count ? array->data + HM_CAST(size_t, array->item_size) * index : NULL;
}

/* Returns the address of the first item; with a capacity it never changes from init to fini. NULL
 * in a zeroed array. O(1). */
static inline void *hm_array_data(const hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_data: array is NULL");
    return array->data;
}

/* Returns the number of items. O(1). */
static inline size_t hm_array_count(const hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_count: array is NULL");
    return array->count;
}

/* Returns the size of the committed memory in bytes, a multiple of the page size. O(1). */
static inline size_t hm_array_committed_size(const hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_committed_size: array is NULL");
    return array->committed_size;
}

HM_END_C

#endif

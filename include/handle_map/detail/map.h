/* SPDX-License-Identifier: MIT */
/* detail/map: the struct of a map, and the parts of insert and erase that are not inline. For
 * inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_MAP_H
#define HANDLE_MAP_DETAIL_MAP_H

#include <handle_map/detail/each.h>
#include <handle_map/detail/guard.h>
#include <handle_map/id_table.h>

HM_BEGIN_C

/* What only a map with hooks or meta needs. It is in the map's range, and moves with that. */
typedef struct hm_map_extras {
    void (*destroy)(void *item, void *context);
    void (*relocate)(void *item, uint32_t from, uint32_t to, void *context);
    void *context;
    hm_array meta_array; /* zeroed without meta */
} hm_map_extras;

/* All fields are private; use the functions. The fields that lookup, insert and erase touch come
 * first, in one cache line if the map starts at one. */
typedef struct hm_map {
    unsigned char *items; /* item_array.data */
    size_t item_size;     /* bytes */
    hm_guard guard;       /* its limit: items that fit in the committed memory */
    hm_id_table ids;      /* which slots are live; its count is the map's */
    const char *name;
    hm_array item_array;
    hm_map_extras *extras; /* NULL without hooks and meta */
    /* Where defragment stopped; NULL until it is first called. */
    struct hm_order_state *order;
} hm_map;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_map) <= 320, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_map_moved(hm_map *map);
#endif

HM_STATIC_ASSERT(sizeof(void *) != 8 ||
                     offsetof(hm_map, ids) + offsetof(hm_id_table, max_slots) == 64,
                 "what the hot paths touch takes one cache line");

/* Bytes of an item that an insert copies before it grows. */
enum { HM_MAP_SMALL = 64 };

HM_API void hm_map_clear_meta(hm_map *map, uint32_t index, uint32_t n);
HM_API HM_COLD hm_handle hm_map_issue_slow(hm_map *map);
HM_API HM_COLD hm_handle hm_map_insert_slow(hm_map *map, const void *item);
HM_API bool hm_map_erases_singly(const hm_map *map, const hm_handle *handles, uint32_t n);
HM_API uint32_t hm_map_erase_parts(hm_map *map, const hm_handle *handles, uint32_t n);

/* What the part of erase that is not inline has done. */
typedef enum hm_map_step {
    HM_MAP_REFUSED,   /* nothing: the map is busy */
    HM_MAP_ERASED,    /* everything */
    HM_MAP_ORDER_TOLD /* the order knows; the inline part does the rest */
} hm_map_step;

HM_API hm_map_step hm_map_erase_guarded(hm_map *map, uint32_t index);

/* Forms of the functions of map.h that take the item size. The typed functions of HM_MAP_DEFINE
 * pass a constant, which turns the multiplications and copies into plain moves. */

/* Issues the handle of position `count`; null if that needs hm_map_issue_slow. */
HM_INLINE hm_handle hm_map_issue(hm_map *map)
{
    return map->ids.count < map->guard.limit ? hm_id_table_issue(&map->ids) : HM_NULL_HANDLE;
}

/* Returns the place of an item that has just been issued. */
HM_INLINE void *hm_map_open_sized(hm_map *map, uint32_t index, size_t item_size)
{
    unsigned char *place;
    HM_UNPOISON(map->items + item_size * index, item_size);
    if (map->guard.flags & HM_GUARD_META)
        hm_map_clear_meta(map, index, 1);
    place = map->items + item_size * index;
    HM_ASSUME(place != NULL);
    return place;
}

HM_INLINE hm_handle hm_map_emplace_sized(hm_map *map, void **item, size_t item_size)
{
    hm_handle handle;
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_emplace: map is NULL");
    HM_CONTRACT(item != NULL, "hm_map_emplace: item is NULL");
    index = map->ids.count;
    handle = hm_map_issue(map);
    if (hm_handle_is_null(handle)) {
        handle = hm_map_issue_slow(map);
        if (hm_handle_is_null(handle)) {
            *item = NULL;
            return handle;
        }
    }
    *item = hm_map_open_sized(map, index, item_size);
    return handle;
}

HM_INLINE hm_handle hm_map_emplace_zeroed_sized(hm_map *map, void **item, size_t item_size)
{
    hm_handle handle;
    HM_CONTRACT(map != NULL, "hm_map_emplace_zeroed: map is NULL");
    HM_CONTRACT(item != NULL, "hm_map_emplace_zeroed: item is NULL");
    handle = hm_map_emplace_sized(map, item, item_size);
    if (*item != NULL)
        memset(*item, 0, item_size);
    return handle;
}

/* Hands a copy of a small item on: if its own address went to a function that is not inline, the
 * compiler could not keep it in registers. */
HM_INLINE hm_handle hm_map_insert_rarely(hm_map *map, const void *item, size_t item_size)
{
    unsigned char copy[HM_MAP_SMALL];
    if (item == NULL || !HM_IS_CONSTANT(item_size) || item_size > sizeof copy)
        return hm_map_insert_slow(map, item);
    hm_bits_copy(copy, item, item_size);
    return hm_map_insert_slow(map, copy);
}

HM_INLINE hm_handle hm_map_insert_sized(hm_map *map, const void *item, size_t item_size)
{
    void *place;
    hm_handle handle;
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_insert: map is NULL");
    index = map->ids.count;
    handle = hm_map_issue(map);
    if (hm_handle_is_null(handle))
        return hm_map_insert_rarely(map, item, item_size);
    place = hm_map_open_sized(map, index, item_size);
    if (item != NULL)
        hm_bits_copy(place, item, item_size);
    else
        memset(place, 0, item_size);
    return handle;
}

HM_INLINE void *hm_map_get_sized(const hm_map *map, hm_handle handle, size_t item_size)
{
    unsigned char *items;
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_get: map is NULL");
    items = map->items; /* See hm_id_table_find. */
    index = hm_id_table_find(&map->ids, handle);
    if (index == HM_INVALID_INDEX)
        return NULL;
    items += item_size * index;
    HM_ASSUME(items != NULL);
    return items;
}

/* Drops the item at a live position: the last one takes its place. As far as a compiler can see, an
 * item's bytes may overlap the map's fields, so it reads the fields again in each call. The fields
 * that only the copy needs are read just before it: read earlier, they would take registers from a
 * loop. */
HM_INLINE void hm_map_drop_sized(hm_map *map, hm_handle handle, uint32_t index, size_t item_size)
{
    unsigned char *items;
    size_t last;
    hm_id_table_release(&map->ids, handle, index);
    items = map->items;
    last = map->ids.count;
    if (index != last)
        memcpy(items + item_size * index, items + item_size * last, item_size);
    HM_POISON(items + item_size * last, item_size);
}

HM_INLINE bool hm_map_erase_sized(hm_map *map, hm_handle handle, size_t item_size)
{
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_erase: map is NULL");
    index = hm_id_table_find(&map->ids, handle);
    if (index == HM_INVALID_INDEX)
        return false;
    if ((map->guard.flags & HM_GUARD_ERASE) != 0) {
        hm_map_step step = hm_map_erase_guarded(map, index);
        if (step == HM_MAP_ORDER_TOLD)
            hm_map_drop_sized(map, handle, index, item_size);
        return step != HM_MAP_REFUSED;
    }
    hm_map_drop_sized(map, handle, index, item_size);
    return true;
}

/* For HM_MAP_EACH: returns the item before *index, which becomes its index; NULL at the start. */
HM_INLINE void *hm_map_before_sized(const hm_map *map, uint32_t *index, size_t item_size)
{
    HM_CONTRACT(map != NULL, "HM_MAP_EACH: map is NULL");
    HM_CONTRACT(map->item_size == item_size || map->ids.count == 0,
                "HM_MAP_EACH: the items are not of this type");
    return hm_each_before(index, map->ids.count) ? map->items + item_size * *index : NULL;
}

/* Where a loop of single calls erases fastest, it is inline: with a known item size. */
HM_INLINE uint32_t hm_map_erase_n_sized(hm_map *map, const hm_handle *handles, uint32_t n,
                                        size_t item_size)
{
    uint32_t erased = 0, i;
    if (!hm_map_erases_singly(map, handles, n))
        return hm_map_erase_parts(map, handles, n);
    for (i = 0; i < n; i++)
        erased += hm_map_erase_sized(map, handles[i], item_size);
    return erased;
}

HM_END_C

#endif

/* SPDX-License-Identifier: MIT */
/* detail/map: the struct of a map, and the parts of insert and erase that are not inline. For
 * inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_MAP_H
#define HANDLE_MAP_DETAIL_MAP_H

#include <handle_map/detail/guard.h>
#include <handle_map/detail/id_table.h>
#include <handle_map/detail/order.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fields are private; use the functions. The fields that lookup, insert and erase touch come
 * first, in one cache line if the map starts at one. */
typedef struct hm_map {
    unsigned char *items; /* item_array.data */
    size_t item_size;     /* bytes */
    hm_guard guard;       /* its limit: items that fit in the committed memory */
    uint32_t managed;     /* position; the order knows of none from here on: 0, or cursor + 1 */
    hm_id_table ids;      /* which slots are live; its count is the map's */
    void (*destroy)(void *item, void *context);
    void (*relocate)(void *item, uint32_t from, uint32_t to, void *context);
    void *context;
    const char *name;
    hm_array item_array;
    hm_array meta_array;  /* capacity 0 without meta */
    hm_order_state order; /* where defragment stopped */
} hm_map;

HM_STATIC_ASSERT(sizeof(void *) != 8 ||
                     offsetof(hm_map, ids) + offsetof(hm_id_table, fresh_bits) == 64,
                 "what the hot paths touch takes one cache line");

HM_API void hm_map_clear_meta(hm_map *map, uint32_t index, uint32_t n);
HM_API HM_COLD hm_handle hm_map_issue_slow(hm_map *map);
HM_API bool hm_map_erase_guarded(hm_map *map, uint32_t index);
HM_API void hm_map_disturb_managed(hm_map *map, uint32_t index, uint32_t count);

/* As hm_order_disturb, but does not read the order's state if the order does not know of the
 * position. */
static inline void hm_map_disturb(hm_map *map, uint32_t index, uint32_t count)
{
    if (index < map->managed)
        hm_map_disturb_managed(map, index, count);
}

#ifdef __cplusplus
}
#endif

#endif

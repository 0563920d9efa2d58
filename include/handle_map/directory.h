/* SPDX-License-Identifier: MIT */
/* directory: type id -> map, pool, table, lists or world; finds the owner of any handle in O(1).
 *
 * Owns: a virtual array of pointers to containers, indexed by type id; never the containers. Moves:
 * nothing. Limits: one container for each of the 32,768 type ids. A container must be removed
 * before its fini, and must not be moved in memory while the directory holds it. A zeroed directory
 * is empty and can hold nothing. A secondary or an index has no handles of its own, and so no place
 * here: the handles of its owners find their container.
 *
 * Threads: no locks inside. Const calls may run together while no thread writes. */
#ifndef HANDLE_MAP_DIRECTORY_H
#define HANDLE_MAP_DIRECTORY_H

#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

HM_BEGIN_C

/* All fields are private. */
typedef struct hm_directory {
    hm_array places; /* type id -> the container, and its kind */
} hm_directory;

/* Reserves 512 KiB of addresses (256 with 32-bit pointers); commits nothing. `memory` must outlive
 * the directory; NULL: hm_memory_os(). HM_ERROR_INVALID: a NULL directory or a bad memory table.
 * HM_ERROR_MEMORY: the reservation was refused. O(1). */
HM_API hm_status hm_directory_init(hm_directory *directory, const hm_memory *memory);

/* Releases the directory and zeroes it; cannot fail. The containers are untouched. May be called
 * twice. O(1). */
HM_API void hm_directory_fini(hm_directory *directory);

/* Adds a container under its type id. HM_ERROR_INVALID: the type id is taken, even if by this same
 * container. HM_ERROR_MEMORY: the system refuses. HM_ERROR_FULL: a zeroed directory. Then nothing
 * has changed. The directory keeps the pointer; it does not own the container. Invalidates nothing.
 * O(1), or O(new type ids) when the type id is the highest so far. Example:
 *
 *     hm_directory directory;
 *     if (hm_directory_init(&directory, NULL) != HM_OK ||
 *         hm_directory_add_map(&directory, &map) != HM_OK ||
 *         hm_directory_add_pool(&directory, &pool) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_directory_add_map(hm_directory *directory, hm_map *map);
HM_API hm_status hm_directory_add_pool(hm_directory *directory, hm_pool *pool);
HM_API hm_status hm_directory_add_table(hm_directory *directory, hm_table *table);
HM_API hm_status hm_directory_add_lists(hm_directory *directory, hm_lists *lists);
HM_API hm_status hm_directory_add_world(hm_directory *directory, hm_world *world);

/* Removes the container and returns true; false when it is not there. Call it before the
 * container's fini. Invalidates nothing. O(1). */
HM_API bool hm_directory_remove_map(hm_directory *directory, hm_map *map);
HM_API bool hm_directory_remove_pool(hm_directory *directory, hm_pool *pool);
HM_API bool hm_directory_remove_table(hm_directory *directory, hm_table *table);
HM_API bool hm_directory_remove_lists(hm_directory *directory, hm_lists *lists);
HM_API bool hm_directory_remove_world(hm_directory *directory, hm_world *world);

/* Returns the container of the handle's type id, whether or not the handle still resolves there;
 * NULL when there is none of that kind, for the null handle, and for a handle with the free bit
 * set. O(1). */
HM_API hm_map *hm_directory_find_map(const hm_directory *directory, hm_handle handle);
HM_API hm_pool *hm_directory_find_pool(const hm_directory *directory, hm_handle handle);
HM_API hm_table *hm_directory_find_table(const hm_directory *directory, hm_handle handle);
HM_API hm_lists *hm_directory_find_lists(const hm_directory *directory, hm_handle handle);
HM_API hm_world *hm_directory_find_world(const hm_directory *directory, hm_handle handle);

/* Whether the handle resolves in the container that owns it. O(1). */
HM_API bool hm_directory_contains(const hm_directory *directory, hm_handle handle);

/* Returns the item of a map or a pool, or the items of a list, in whichever of them owns the
 * handle; NULL when it does not resolve, for an empty list, and for a row or an entity, whose cells
 * and values are in many places. The pointer is valid as long as that of hm_map_get, hm_pool_get or
 * hm_lists_items. O(1). Example:
 *
 *     void *item = hm_directory_get(&directory, handle);
 *     if (item != NULL && hm_handle_type_id(handle) == SPRITE_TYPE)
 *         draw(item);
 */
HM_API void *hm_directory_get(const hm_directory *directory, hm_handle handle);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE; HM_HANDLE_FOREIGN when no container
 * here has its type id. O(1). */
HM_API hm_handle_state hm_directory_explain(const hm_directory *directory, hm_handle handle);

/* Says the same in a sentence, as hm_map_describe does. When no container has its type id:
 * "foreign: type id 4, no container of the directory has it". O(length). */
HM_API size_t hm_directory_describe(const hm_directory *directory, hm_handle handle, char *buffer,
                                    size_t size);

/* Returns the handle of the item or the row that contains the address, even in its middle, in
 * whichever map, pool or table it lies; null when no live one contains it. Any address may be
 * given; nothing is read there. Tries one container after another, and in a table each column:
 * O(type ids up to the highest one added). */
HM_API hm_handle hm_directory_handle_of(const hm_directory *directory, const void *item);

HM_END_C

#endif

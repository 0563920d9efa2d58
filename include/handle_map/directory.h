/* directory: type id -> map, so that any map's handle finds its owner in O(1).
 *
 * Owns: a virtual array of map pointers, indexed by type id; never the maps. Moves: nothing.
 * Limits: one map for each of the 32,768 type ids. A map must be removed before its fini, and must
 * not move in memory while it stands here. A zeroed directory is an empty one that can hold
 * nothing.
 *
 * Threads: no locks inside. Const calls may run together where nobody writes. */
#ifndef HANDLE_MAP_DIRECTORY_H
#define HANDLE_MAP_DIRECTORY_H

#include <handle_map/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fields are private. */
typedef struct hm_directory {
    hm_array maps; /* hm_map *: type id -> map, NULL where there is none */
} hm_directory;

/* Reserves 256 KiB of addresses (128 with 32-bit pointers); commits nothing. `memory` NULL:
 * hm_memory_os(). HM_ERROR_INVALID: a NULL directory or a bad memory table. HM_ERROR_MEMORY: the
 * reservation was refused. After a failure the directory is zeroed. O(1). */
HM_API hm_status hm_directory_init(hm_directory *directory, const hm_memory *memory);

/* Releases the directory and zeroes it; the maps are untouched. Twice is fine. */
HM_API void hm_directory_fini(hm_directory *directory);

/* Enters a map under its type id. HM_ERROR_INVALID: the type id is taken, also by this same map.
 * HM_ERROR_MEMORY: the system refuses. HM_ERROR_FULL: a zeroed directory. Then nothing has changed.
 * The directory keeps the pointer, not the map. O(1). */
HM_API hm_status hm_directory_add(hm_directory *directory, hm_map *map);

/* Takes the map out; false when it is not there. Call it before the map's fini. O(1). */
HM_API bool hm_directory_remove(hm_directory *directory, hm_map *map);

/* Returns the map of the handle's type id, whether or not the handle still resolves there; NULL
 * when there is none, for the null handle, and for a handle with the free bit set. O(1). */
HM_API hm_map *hm_directory_find(const hm_directory *directory, hm_handle handle);

/* Returns the handle's item in whichever map owns it, or NULL. The pointer is good as long as that
 * of hm_map_get. O(1). */
HM_API void *hm_directory_get(const hm_directory *directory, hm_handle handle);

#ifdef __cplusplus
}
#endif

#endif

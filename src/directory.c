/* SPDX-License-Identifier: MIT */
/* directory: an array of pointers to containers, indexed by type id. */
#include "memory/poison_private.h"

#include <handle_map/directory.h>

#include "base_private.h"
#include "describe_private.h"
#include "pool/pool_private.h"

/* At most one of the two pointers is not NULL. */
typedef struct directory_place {
    hm_map *map;
    hm_pool *pool;
} directory_place;

static const hm_limits directory_limits = {.what = "directory"};

static directory_place *directory_place_of(const hm_directory *directory, uint32_t type_id)
{
    return hm_array_at(&directory->places, type_id);
}

/* Returns the place of the handle's type id, or NULL when the handle cannot resolve anywhere. */
static const directory_place *directory_place_of_handle(const hm_directory *directory,
                                                        hm_handle handle)
{
    if (hm_handle_is_null(handle) || hm_handle_is_free(handle))
        return NULL;
    return directory_place_of(directory, hm_handle_type_id(handle));
}

hm_status hm_directory_init(hm_directory *directory, const hm_memory *memory)
{
    if (directory == NULL)
        return hm_refuse_null("hm_directory_init", "directory");
    hm_array_desc desc = {.item_size = sizeof(directory_place), .memory = memory};
    desc.capacity = HM_HANDLE_MAX_TYPE_ID + 1;
    return hm_tell_memory(hm_array_init(&directory->places, &desc), &directory_limits);
}

void hm_directory_fini(hm_directory *directory)
{
    HM_CONTRACT(directory != NULL, "hm_directory_fini: directory is NULL");
    hm_array_fini(&directory->places);
}

static hm_status directory_add_place(hm_directory *directory, uint32_t type_id,
                                     directory_place container)
{
    if (directory->places.capacity == 0)
        return hm_fail_full("directory", NULL, 0, 0, 1);
    if (directory_place_of(directory, type_id) == NULL) {
        hm_status status = hm_array_resize(&directory->places, (size_t)type_id + 1);
        if (status != HM_OK)
            return hm_tell_memory(status, &directory_limits);
    }
    directory_place *taken = directory_place_of(directory, type_id);
    if (taken->map != NULL || taken->pool != NULL)
        return hm_fail(HM_ERROR_INVALID,
                       "the directory has a container of type_id %" HM_U32 " already", type_id);
    *taken = container;
    return HM_OK;
}

hm_status hm_directory_add(hm_directory *directory, hm_map *map)
{
    HM_CONTRACT(directory != NULL, "hm_directory_add: directory is NULL");
    HM_CONTRACT(map != NULL, "hm_directory_add: map is NULL");
    return directory_add_place(directory, map->ids.type_id, (directory_place){.map = map});
}

hm_status hm_directory_add_pool(hm_directory *directory, hm_pool *pool)
{
    HM_CONTRACT(directory != NULL, "hm_directory_add_pool: directory is NULL");
    HM_CONTRACT(pool != NULL, "hm_directory_add_pool: pool is NULL");
    return directory_add_place(directory, hm_pool_type_id(pool), (directory_place){.pool = pool});
}

bool hm_directory_remove(hm_directory *directory, hm_map *map)
{
    HM_CONTRACT(directory != NULL, "hm_directory_remove: directory is NULL");
    HM_CONTRACT(map != NULL, "hm_directory_remove: map is NULL");
    directory_place *taken = directory_place_of(directory, map->ids.type_id);
    if (taken == NULL || taken->map != map)
        return false;
    taken->map = NULL;
    return true;
}

bool hm_directory_remove_pool(hm_directory *directory, hm_pool *pool)
{
    HM_CONTRACT(directory != NULL, "hm_directory_remove_pool: directory is NULL");
    HM_CONTRACT(pool != NULL, "hm_directory_remove_pool: pool is NULL");
    directory_place *taken = directory_place_of(directory, hm_pool_type_id(pool));
    if (taken == NULL || taken->pool != pool)
        return false;
    taken->pool = NULL;
    return true;
}

hm_map *hm_directory_find(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_find: directory is NULL");
    const directory_place *found = directory_place_of_handle(directory, handle);
    return found != NULL ? found->map : NULL;
}

hm_pool *hm_directory_find_pool(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_find_pool: directory is NULL");
    const directory_place *found = directory_place_of_handle(directory, handle);
    return found != NULL ? found->pool : NULL;
}

void *hm_directory_get(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_get: directory is NULL");
    const directory_place *found = directory_place_of_handle(directory, handle);
    if (found == NULL)
        return NULL;
    if (found->map != NULL)
        return hm_map_get(found->map, handle);
    return found->pool != NULL ? hm_pool_get(found->pool, handle) : NULL;
}

size_t hm_directory_describe(const hm_directory *directory, hm_handle handle, char *buffer,
                             size_t size)
{
    HM_CONTRACT(directory != NULL, "hm_directory_describe: directory is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_directory_describe: buffer is NULL");
    const directory_place *found = directory_place_of_handle(directory, handle);
    if (found != NULL && found->map != NULL)
        return hm_map_describe(found->map, handle, buffer, size);
    if (found != NULL && found->pool != NULL)
        return hm_pool_describe(found->pool, handle, buffer, size);
    return hm_describe_lost(handle, buffer, size);
}

hm_handle hm_directory_handle_of(const hm_directory *directory, const void *item)
{
    HM_CONTRACT(directory != NULL, "hm_directory_handle_of: directory is NULL");
    for (uint32_t type_id = 0; type_id < hm_array_count(&directory->places); type_id++) {
        const directory_place *asked = directory_place_of(directory, type_id);
        hm_handle handle = HM_NULL_HANDLE;
        if (asked->map != NULL)
            handle = hm_map_handle_of(asked->map, item);
        else if (asked->pool != NULL)
            handle = hm_pool_handle_of(asked->pool, item);
        if (!hm_handle_is_null(handle))
            return handle;
    }
    return HM_NULL_HANDLE;
}

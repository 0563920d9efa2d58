/* directory: an array of map pointers, indexed by type id. */
#include <handle_map/directory.h>

#include <string.h>

static hm_map **place_of(const hm_directory *directory, uint32_t type_id)
{
    return hm_array_at(&directory->maps, type_id);
}

hm_status hm_directory_init(hm_directory *directory, const hm_memory *memory)
{
    if (directory == NULL)
        return HM_ERROR_INVALID;
    hm_array_desc desc = {.item_size = sizeof(hm_map *), .memory = memory};
    desc.capacity = HM_HANDLE_MAX_TYPE_ID + 1;
    return hm_array_init(&directory->maps, &desc);
}

void hm_directory_fini(hm_directory *directory)
{
    HM_CONTRACT(directory != NULL, "hm_directory_fini: directory is NULL");
    hm_array_fini(&directory->maps);
}

hm_status hm_directory_add(hm_directory *directory, hm_map *map)
{
    HM_CONTRACT(directory != NULL, "hm_directory_add: directory is NULL");
    HM_CONTRACT(map != NULL, "hm_directory_add: map is NULL");
    uint32_t type_id = map->ids.type_id;
    hm_map **place = place_of(directory, type_id);
    if (place == NULL) {
        hm_status status = hm_array_resize(&directory->maps, (size_t)type_id + 1);
        if (status != HM_OK)
            return status;
        place = place_of(directory, type_id);
    }
    if (*place != NULL)
        return HM_ERROR_INVALID;
    *place = map;
    return HM_OK;
}

bool hm_directory_remove(hm_directory *directory, hm_map *map)
{
    HM_CONTRACT(directory != NULL, "hm_directory_remove: directory is NULL");
    HM_CONTRACT(map != NULL, "hm_directory_remove: map is NULL");
    hm_map **place = place_of(directory, map->ids.type_id);
    if (place == NULL || *place != map)
        return false;
    *place = NULL;
    return true;
}

hm_map *hm_directory_find(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_find: directory is NULL");
    if (hm_handle_is_null(handle) || hm_handle_is_free(handle))
        return NULL;
    hm_map **place = place_of(directory, hm_handle_type_id(handle));
    return place != NULL ? *place : NULL;
}

void *hm_directory_get(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_get: directory is NULL");
    const hm_map *map = hm_directory_find(directory, handle);
    return map != NULL ? hm_map_get(map, handle) : NULL;
}

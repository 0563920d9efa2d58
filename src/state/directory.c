/* SPDX-License-Identifier: MIT */
/* directory: an array of pointers to containers, indexed by type id. */
#include "../memory/poison_private.h"

#include <handle_map/directory.h>

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../pool/pool_private.h"

typedef enum directory_kind {
    DIRECTORY_NOTHING, /* the place is empty */
    DIRECTORY_MAP,
    DIRECTORY_POOL,
    DIRECTORY_TABLE,
    DIRECTORY_LISTS,
    DIRECTORY_WORLD
} directory_kind;

typedef struct directory_place {
    void *container; /* an hm_map, if the kind says so, and so on */
    directory_kind kind;
} directory_place;

static const hm_limits directory_limits = {.what = "directory"};

static directory_place *directory_place_of(const hm_directory *directory, uint32_t type_id)
{
    return hm_array_at(&directory->places, type_id);
}

/* Returns the place of the handle's type id; an empty one if the handle can resolve nowhere. */
static directory_place directory_place_of_handle(const hm_directory *directory, hm_handle handle)
{
    const directory_place *found = NULL;
    if (!hm_handle_is_null(handle) && !hm_handle_is_free(handle))
        found = directory_place_of(directory, hm_handle_type_id(handle));
    return found != NULL ? *found : (directory_place){NULL, DIRECTORY_NOTHING};
}

hm_status hm_directory_init(hm_directory *directory, const hm_memory *memory)
{
    if (directory == NULL)
        return hm_refuse_null("hm_directory_init", "directory");
    hm_array_desc desc = {.item_size = sizeof(directory_place), .memory = memory};
    desc.capacity = HM_HANDLE_MAX_TYPE_ID + 1;
    return hm_blame(hm_array_init(&directory->places, &desc), &directory_limits);
}

void hm_directory_fini(hm_directory *directory)
{
    HM_CONTRACT(directory != NULL, "hm_directory_fini: directory is NULL");
    hm_array_fini(&directory->places);
}

static hm_status directory_add(hm_directory *directory, uint32_t type_id, directory_place place)
{
    if (directory->places.capacity == 0)
        return hm_fail_uninitialised("directory");
    if (directory_place_of(directory, type_id) == NULL) {
        hm_status status = hm_array_resize(&directory->places, (size_t)type_id + 1);
        if (status != HM_OK)
            return hm_blame(status, &directory_limits);
    }
    directory_place *taken = directory_place_of(directory, type_id);
    if (taken->kind != DIRECTORY_NOTHING)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_directory_add: there is a container of type_id %" HM_U32
                       " already: remove it first",
                       type_id);
    *taken = place;
    return HM_OK;
}

static bool directory_remove(hm_directory *directory, uint32_t type_id, const void *container)
{
    directory_place *taken = directory_place_of(directory, type_id);
    if (taken == NULL || taken->container != container)
        return false;
    *taken = (directory_place){NULL, DIRECTORY_NOTHING};
    return true;
}

static void *directory_find(const hm_directory *directory, hm_handle handle, directory_kind kind)
{
    directory_place found = directory_place_of_handle(directory, handle);
    return found.kind == kind ? found.container : NULL;
}

/* Defines the functions that name a kind. */
#define DIRECTORY_DEFINE(kind, KIND, its_type_id)                                                  \
    hm_status hm_directory_add_##kind(hm_directory *directory, hm_##kind *kind)                    \
    {                                                                                              \
        HM_CONTRACT(directory != NULL, "hm_directory_add_" #kind ": directory is NULL");           \
        HM_CONTRACT(kind != NULL, "hm_directory_add_" #kind ": " #kind " is NULL");                \
        return directory_add(directory, its_type_id, (directory_place){kind, KIND});               \
    }                                                                                              \
    bool hm_directory_remove_##kind(hm_directory *directory, hm_##kind *kind)                      \
    {                                                                                              \
        HM_CONTRACT(directory != NULL, "hm_directory_remove_" #kind ": directory is NULL");        \
        HM_CONTRACT(kind != NULL, "hm_directory_remove_" #kind ": " #kind " is NULL");             \
        return directory_remove(directory, its_type_id, kind);                                     \
    }                                                                                              \
    hm_##kind *hm_directory_find_##kind(const hm_directory *directory, hm_handle handle)           \
    {                                                                                              \
        HM_CONTRACT(directory != NULL, "hm_directory_find_" #kind ": directory is NULL");          \
        return directory_find(directory, handle, KIND);                                            \
    }

DIRECTORY_DEFINE(map, DIRECTORY_MAP, map->ids.type_id)
DIRECTORY_DEFINE(pool, DIRECTORY_POOL, hm_pool_type_id(pool))
DIRECTORY_DEFINE(table, DIRECTORY_TABLE, table->ids.type_id)
DIRECTORY_DEFINE(lists, DIRECTORY_LISTS, lists->ids.type_id)
DIRECTORY_DEFINE(world, DIRECTORY_WORLD, world->ids.type_id)

bool hm_directory_contains(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_contains: directory is NULL");
    return hm_directory_explain(directory, handle) == HM_HANDLE_LIVE;
}

void *hm_directory_get(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_get: directory is NULL");
    directory_place found = directory_place_of_handle(directory, handle);
    if (found.kind == DIRECTORY_MAP)
        return hm_map_get(found.container, handle);
    if (found.kind == DIRECTORY_POOL)
        return hm_pool_get(found.container, handle);
    return found.kind == DIRECTORY_LISTS ? hm_lists_items(found.container, handle, NULL) : NULL;
}

hm_handle_state hm_directory_explain(const hm_directory *directory, hm_handle handle)
{
    HM_CONTRACT(directory != NULL, "hm_directory_explain: directory is NULL");
    directory_place found = directory_place_of_handle(directory, handle);
    switch (found.kind) {
    case DIRECTORY_MAP:
        return hm_map_explain(found.container, handle);
    case DIRECTORY_POOL:
        return hm_pool_explain(found.container, handle);
    case DIRECTORY_TABLE:
        return hm_table_explain(found.container, handle);
    case DIRECTORY_LISTS:
        return hm_lists_explain(found.container, handle);
    case DIRECTORY_WORLD:
        return hm_world_explain(found.container, handle);
    default: /* No container has a type id above the largest one. */
        return hm_handle_judge(handle, HM_HANDLE_MAX_TYPE_ID + 1);
    }
}

size_t hm_directory_describe(const hm_directory *directory, hm_handle handle, char *buffer,
                             size_t size)
{
    HM_CONTRACT(directory != NULL, "hm_directory_describe: directory is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_directory_describe: buffer is NULL");
    directory_place found = directory_place_of_handle(directory, handle);
    switch (found.kind) {
    case DIRECTORY_MAP:
        return hm_map_describe(found.container, handle, buffer, size);
    case DIRECTORY_POOL:
        return hm_pool_describe(found.container, handle, buffer, size);
    case DIRECTORY_TABLE:
        return hm_table_describe(found.container, handle, buffer, size);
    case DIRECTORY_LISTS:
        return hm_lists_describe(found.container, handle, buffer, size);
    case DIRECTORY_WORLD:
        return hm_world_describe(found.container, handle, buffer, size);
    default:
        return hm_describe_lost(handle, buffer, size);
    }
}

static hm_handle directory_ask(const directory_place *place, const void *item)
{
    hm_handle handle = HM_NULL_HANDLE;
    if (place->kind == DIRECTORY_MAP)
        return hm_map_handle_of(place->container, item);
    if (place->kind == DIRECTORY_POOL)
        return hm_pool_handle_of(place->container, item);
    if (place->kind == DIRECTORY_TABLE)
        for (uint32_t c = 0; c < HM_TABLE_MAX_COLUMNS && hm_handle_is_null(handle); c++)
            handle = hm_table_handle_of(place->container, item, c);
    return handle;
}

hm_handle hm_directory_handle_of(const hm_directory *directory, const void *item)
{
    HM_CONTRACT(directory != NULL, "hm_directory_handle_of: directory is NULL");
    for (uint32_t type_id = 0; type_id < hm_array_count(&directory->places); type_id++) {
        hm_handle handle = directory_ask(directory_place_of(directory, type_id), item);
        if (!hm_handle_is_null(handle))
            return handle;
    }
    return HM_NULL_HANDLE;
}

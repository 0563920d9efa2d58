/* SPDX-License-Identifier: MIT */
/* save: several containers as one file, which is loaded whole or not at all. A load that fails
 * leaves its container as one that has issued nothing; the functions here bring back to that what
 * was loaded before it. */
#include "save_private.h"

#include "../dense/dense_private.h"
#include "../index/index_private.h"
#include "../pool/pool_private.h"

struct hm_savable_kind {
    hm_status (*save)(const void *container, const void *desc, hm_sink sink);
    hm_status (*load)(void *container, const void *desc, hm_source source);
    void (*undo)(void *container, const void *desc);
};

typedef void all_hook(void *item, void *context);

/* Returns the hook for what a load has made, or NULL: items read as bytes are nobody's. */
static all_hook *all_hook_of(const hm_save_desc *desc, all_hook *destroy)
{
    return hm_load_decodes(desc) ? destroy : NULL;
}

static void all_undo_map(void *container, const void *desc)
{
    hm_map *map = container;
    hm_map_extras none = {.context = NULL}, *extras = map->extras != NULL ? map->extras : &none;
    all_hook *destroy = extras->destroy;
    extras->destroy = all_hook_of(desc, destroy);
    hm_map_clear(map);
    extras->destroy = destroy;
    hm_id_table_forget(&map->ids);
    (void)hm_map_trim(map);
}

/* `forget`: makes it one that has issued nothing, when it has no items. */
#define UNDO_OF_ITEMS(type, forget)                                                                \
    static void all_undo_##type(void *container, const void *desc)                                 \
    {                                                                                              \
        hm_##type *type = container;                                                               \
        all_hook *destroy = type->destroy;                                                         \
        type->destroy = all_hook_of(desc, destroy);                                                \
        hm_##type##_clear(type);                                                                   \
        type->destroy = destroy;                                                                   \
        forget;                                                                                    \
        (void)hm_##type##_trim(type);                                                              \
    }

UNDO_OF_ITEMS(pool, hm_pool_forget(pool))
UNDO_OF_ITEMS(secondary, (void)0)
UNDO_OF_ITEMS(lists, hm_id_table_forget(&lists->ids))

static void all_undo_table(void *container, const void *desc)
{
    hm_table *table = container;
    void (*destroy)(const hm_table *of, uint32_t row, void *context) = table->destroy;
    if (!hm_load_decodes(desc))
        table->destroy = NULL;
    hm_table_clear(table);
    table->destroy = destroy;
    hm_id_table_forget(&table->ids);
    (void)hm_table_trim(table);
}

static void all_undo_index(void *container, const void *desc)
{
    (void)desc;
    hm_index_clear(container);
    (void)hm_index_trim(container);
}

/* An empty one like it takes its place. Where there is no memory even for that, the world is empty,
 * but its handles go on after those that were loaded. */
static void all_undo_world(void *container, const void *desc)
{
    hm_world *world = container;
    hm_world fresh;
    const uint32_t count = world->component_count;
    void (*hooks[HM_WORLD_MAX_COMPONENTS])(void *value, void *context);
    for (uint32_t i = 0; i < count; i++) {
        hm_world_component_record *record = hm_world_record(world, i);
        hooks[i] = record->destroy;
        record->destroy = all_hook_of(hm_save_format_of(desc, world->salt + i), hooks[i]);
    }
    hm_world_clear(world);
    for (uint32_t i = 0; i < count; i++)
        hm_world_record(world, i)->destroy = hooks[i];
    (void)hm_world_trim(world);
    if (hm_world_init_like(&fresh, world) != HM_OK)
        return;
    hm_world_enter(world);
    hm_world_take(world, &fresh);
    hm_world_leave(world);
}

#define ALL(type, descriptor)                                                                      \
    static hm_status all_save_##type(const void *type, const void *desc, hm_sink sink)             \
    {                                                                                              \
        return hm_##type##_save(type, desc, sink);                                                 \
    }                                                                                              \
    static hm_status all_load_##type(void *type, const void *desc, hm_source source)               \
    {                                                                                              \
        return hm_##type##_load(type, desc, source);                                               \
    }                                                                                              \
    static void all_empty_##type(void *type, const void *desc)                                     \
    {                                                                                              \
        const descriptor *with = desc;                                                             \
        all_undo_##type(type, desc);                                                               \
        if (with != NULL && with->position != NULL)                                                \
            *with->position = (hm_position){.mark = 0};                                            \
    }                                                                                              \
    hm_savable hm_##type##_as_savable(hm_##type *type, const descriptor *desc)                     \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_as_savable: " #type " is NULL");                   \
        static const struct hm_savable_kind kind = {all_save_##type, all_load_##type,              \
                                                    all_empty_##type};                             \
        return (hm_savable){&kind, type, desc};                                                    \
    }

ALL(map, hm_save_desc)
ALL(pool, hm_save_desc)
ALL(table, hm_save_desc)
ALL(secondary, hm_save_desc)
ALL(lists, hm_save_desc)
ALL(index, hm_save_desc)
ALL(world, hm_world_save_desc)

/* bytes */

static hm_status all_save_bytes(const void *container, const void *desc, hm_sink sink)
{
    const hm_saved_bytes *bytes = container;
    (void)desc;
    return hm_save_bytes(bytes->name, bytes->version, bytes->bytes, bytes->size, sink);
}

static hm_status all_load_bytes(void *container, const void *desc, hm_source source)
{
    hm_saved_bytes *bytes = container;
    (void)desc;
    bytes->size = bytes->capacity;
    hm_status status =
        hm_load_bytes(bytes->name, &bytes->version, bytes->bytes, &bytes->size, source);
    if (status != HM_OK && status != HM_ERROR_FULL)
        bytes->size = 0;
    return status;
}

static void all_undo_bytes(void *container, const void *desc)
{
    hm_saved_bytes *bytes = container;
    (void)desc;
    if (bytes->size != 0)
        memset(bytes->bytes, 0, bytes->size);
    bytes->size = 0;
}

hm_savable hm_bytes_as_savable(hm_saved_bytes *bytes)
{
    HM_CONTRACT(bytes != NULL, "hm_bytes_as_savable: bytes is NULL");
    static const struct hm_savable_kind kind = {all_save_bytes, all_load_bytes, all_undo_bytes};
    return (hm_savable){&kind, bytes, NULL};
}

/* all */

hm_status hm_save_all(const hm_savable *what, uint32_t n, hm_sink sink)
{
    HM_CONTRACT(what != NULL || n == 0, "hm_save_all: what is NULL");
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < n && status == HM_OK; i++)
        status = what[i].kind->save(what[i].container, what[i].desc, sink);
    return status;
}

hm_status hm_load_all(const hm_savable *what, uint32_t n, hm_source source)
{
    HM_CONTRACT(what != NULL || n == 0, "hm_load_all: what is NULL");
    hm_status status = HM_OK;
    uint32_t done = 0;
    while (done < n && status == HM_OK) {
        status = what[done].kind->load(what[done].container, what[done].desc, source);
        done += status == HM_OK;
    }
    if (status == HM_OK || done == 0)
        return status;
    char why[256];
    (void)hm_format(why, sizeof why, "%s", hm_last_error());
    while (done-- > 0)
        what[done].kind->undo(what[done].container, what[done].desc);
    return hm_fail(status, "%s", why); /* The same failure, whatever was refused since. */
}

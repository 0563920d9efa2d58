/* SPDX-License-Identifier: MIT */
/* changes: makes a change in another container, by public functions. */
#include "changes_internal.h"

static hm_status replay_check_size(const hm_change *change, size_t size)
{
    if (change->kind == HM_CHANGE_ERASED || change->after_size == size)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID, "a change of %zu bytes is none of a value of %zu",
                   change->after_size, size);
}

/* Ends what a change has erased. */
static hm_status replay_end(const hm_change *change, bool was_there)
{
    if (was_there)
        return HM_OK;
    return hm_fail(HM_ERROR_STALE, "a change is for 0x%016" HM_X64 ", which does not resolve",
                   change->handle.bits);
}

/* Writes the value of a change to its place; NULL: the handle does not resolve. */
static hm_status replay_write(const hm_change *change, void *place)
{
    if (place != NULL)
        memcpy(place, change->after, change->after_size);
    return replay_end(change, place != NULL);
}

static uint32_t replay_parts_of_map(const hm_map *map)
{
    return (map->guard.flags & HM_GUARD_META) != 0 ? 2 : 1;
}

/* The meta goes with its item. */
static hm_status replay_map(hm_map *map, const hm_change *change)
{
    bool is_meta = change->part != 0;
    size_t size = is_meta ? map->extras->meta_array.item_size : map->item_size;
    hm_status status = replay_check_size(change, size);
    if (status != HM_OK)
        return status;
    if (is_meta && change->kind == HM_CHANGE_ERASED)
        return HM_OK;
    if (is_meta)
        return replay_write(change, hm_map_meta_at(map, hm_map_index_of(map, change->handle)));
    if (change->kind == HM_CHANGE_ERASED)
        return replay_end(change, hm_map_erase(map, change->handle));
    if (change->kind == HM_CHANGE_INSERTED)
        return hm_map_adopt(map, change->handle, change->after);
    hm_map_touch(map, change->handle);
    return replay_write(change, hm_map_get(map, change->handle));
}

static hm_status replay_pool(hm_pool *pool, const hm_change *change)
{
    hm_status status = replay_check_size(change, pool->item_size);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_end(change, hm_pool_erase(pool, change->handle));
    if (change->kind == HM_CHANGE_INSERTED)
        return hm_pool_adopt(pool, change->handle, change->after);
    return replay_write(change, hm_pool_get(pool, change->handle));
}

/* A row comes with its first cell, and goes with that. */
static hm_status replay_table(hm_table *table, const hm_change *change)
{
    hm_status status = replay_check_size(change, table->columns[change->part].size);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return change->part != 0 ? HM_OK
                                 : replay_end(change, hm_table_erase(table, change->handle));
    if (change->kind == HM_CHANGE_INSERTED && change->part == 0)
        status = hm_table_adopt(table, change->handle, NULL);
    if (status != HM_OK)
        return status;
    hm_table_touch(table, change->handle);
    return replay_write(change, hm_table_get(table, change->handle, change->part));
}

static hm_status replay_secondary(hm_secondary *secondary, const hm_change *change)
{
    hm_status status = replay_check_size(change, secondary->value_size);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_end(change, hm_secondary_remove(secondary, change->handle));
    return hm_secondary_set_n(secondary, &change->handle, change->after, 1);
}

static hm_status replay_lists(hm_lists *lists, const hm_change *change)
{
    size_t size = lists->blocks.item_size, count = change->after_size / (size != 0 ? size : 1);
    uint32_t old_count;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_end(change, hm_lists_destroy(lists, change->handle));
    hm_status status = replay_check_size(change, size * count);
    if (status == HM_OK && count > UINT32_MAX)
        status = hm_fail(HM_ERROR_INVALID, "a list of %zu items is too long", count);
    if (status == HM_OK && change->kind == HM_CHANGE_INSERTED)
        status = hm_lists_adopt(lists, change->handle);
    if (status == HM_OK)
        status = hm_lists_resize(lists, change->handle, (uint32_t)count);
    if (status != HM_OK || count == 0)
        return status;
    return replay_write(change, hm_lists_items(lists, change->handle, &old_count));
}

static hm_status replay_index(hm_index *index, const hm_change *change)
{
    uint64_t key;
    hm_status status = replay_check_size(change, sizeof key);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_end(change, hm_index_remove(index, change->handle));
    memcpy(&key, change->after, sizeof key);
    return hm_index_set(index, change->handle, key);
}

/* Components are known by their numbers, since those of each world begin at another multiple. */
static hm_status replay_world(hm_world *world, const hm_change *change)
{
    uint32_t number = change->part % HM_WORLD_MAX_COMPONENTS;
    hm_component component = world->salt + number;
    if (change->part == HM_INVALID_INDEX && change->kind == HM_CHANGE_EDITED)
        return hm_fail(HM_ERROR_INVALID, "an entity itself has nothing to edit");
    if (change->part == HM_INVALID_INDEX)
        return change->kind == HM_CHANGE_INSERTED
                   ? hm_world_adopt(world, change->handle)
                   : replay_end(change, hm_world_destroy(world, change->handle));
    if (change->kind == HM_CHANGE_ERASED) {
        bool was_there;
        hm_status status = hm_world_remove(world, change->handle, component, &was_there);
        return status == HM_OK ? replay_end(change, was_there) : status;
    }
    size_t size = number < world->component_count ? hm_world_record(world, number)->size : 0;
    hm_status status = replay_check_size(change, size);
    if (status != HM_OK)
        return status;
    return hm_world_add(world, change->handle, component, size != 0 ? change->after : NULL);
}

/* `parts`: how many the container has; a world names its own. */
static hm_status replay_check(const hm_change *change, uint64_t parts)
{
    if ((uint32_t)change->kind > HM_CHANGE_EDITED)
        return hm_fail(HM_ERROR_INVALID, "there is no kind of change %u", (unsigned)change->kind);
    if (change->kind != HM_CHANGE_ERASED && change->after == NULL && change->after_size != 0)
        return hm_fail(HM_ERROR_INVALID, "a change has no value");
    if (change->part >= parts)
        return hm_fail(HM_ERROR_INVALID, "there is no part %u", (unsigned)change->part);
    return HM_OK;
}

#define REPLAY(type, parts)                                                                        \
    hm_status hm_##type##_apply(hm_##type *type, const hm_change *change)                          \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_apply: " #type " is NULL");                        \
        HM_CONTRACT(change != NULL, "hm_" #type "_apply: change is NULL");                         \
        if (hm_guard_refuses(&type->guard, #type, type->name))                                     \
            return HM_ERROR_BUSY;                                                                  \
        hm_status status = replay_check(change, parts);                                            \
        return status == HM_OK ? replay_##type(type, change) : status;                             \
    }

REPLAY(map, replay_parts_of_map(map))
REPLAY(pool, 1)
REPLAY(table, table->column_count)
REPLAY(secondary, 1)
REPLAY(lists, 1)
REPLAY(index, 1)
REPLAY(world, (uint64_t)HM_INVALID_INDEX + 1)

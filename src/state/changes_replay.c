/* SPDX-License-Identifier: MIT */
/* changes: makes a change in another container, by public functions. */
#include "state_private.h"

#include "../dense/dense_private.h"
#include "../index/index_private.h"
#include "../pool/pool_private.h"

/* What a container demands of a change, whatever it has. */
typedef struct replay_demand {
    uint64_t parts; /* what parts are below */
    size_t size;    /* bytes of the value */
    uint32_t type_id, max_slots, last_generation;
} replay_demand;

static hm_status replay_check(const hm_change *change, const replay_demand *demand)
{
    hm_handle_state state = hm_handle_judge(change->handle, demand->type_id);
    if (state == HM_HANDLE_LIVE && hm_handle_index(change->handle) >= demand->max_slots)
        state = HM_HANDLE_OUT_OF_RANGE;
    if (state == HM_HANDLE_LIVE && hm_handle_generation(change->handle) > demand->last_generation)
        state = HM_HANDLE_FORGED;
    if ((uint32_t)change->kind > HM_CHANGE_EDITED)
        return hm_fail(HM_ERROR_INVALID, "there is no kind of change %u", (unsigned)change->kind);
    if (change->part >= demand->parts)
        return hm_fail(HM_ERROR_INVALID, "there is no part %u", (unsigned)change->part);
    if (state != HM_HANDLE_LIVE)
        return hm_fail(HM_ERROR_INVALID, "a change is for 0x%016" HM_X64 ": %s",
                       change->handle.bits, hm_handle_state_name(state));
    if (change->kind == HM_CHANGE_ERASED)
        return HM_OK;
    if (change->after == NULL && change->after_size != 0)
        return hm_fail(HM_ERROR_INVALID, "a change has no value");
    if (change->after_size != demand->size)
        return hm_fail(HM_ERROR_INVALID, "a change of %zu bytes is none of a value of %zu",
                       change->after_size, demand->size);
    return HM_OK;
}

/* A change that the container has had already, or for which it lacks an earlier one. */
static hm_status replay_refuse(const hm_change *change, const char *why)
{
    return hm_fail(HM_ERROR_STALE, "a change is for 0x%016" HM_X64 ", which %s",
                   change->handle.bits, why);
}

/* Whether the handle resolves, as it must for what is erased or edited. */
static hm_status replay_find(const hm_change *change, bool is_there)
{
    return is_there ? HM_OK : replay_refuse(change, "does not resolve");
}

/* The same for values that are set and removed: one that is inserted must not be there. */
static hm_status replay_meet(const hm_change *change, bool is_there)
{
    if (change->kind != HM_CHANGE_INSERTED)
        return is_there ? HM_OK : replay_refuse(change, "has no such value");
    return is_there ? replay_refuse(change, "has such a value already") : HM_OK;
}

/* Writes the value of a change to its place; NULL: the handle does not resolve. */
static hm_status replay_write(const hm_change *change, void *place)
{
    if (place != NULL)
        memcpy(place, change->after, change->after_size);
    return replay_find(change, place != NULL);
}

/* map */

hm_status hm_changes_check_map(const hm_map *map, const hm_change *change)
{
    bool has_meta = (map->guard.flags & HM_GUARD_META) != 0;
    bool is_meta = has_meta && change->part != 0;
    return replay_check(change,
                        &(replay_demand){
                            .parts = has_meta ? 2 : 1,
                            .size = is_meta ? map->extras->meta_array.item_size : map->item_size,
                            .type_id = map->ids.type_id,
                            .max_slots = map->ids.max_slots,
                            .last_generation = map->ids.last_generation,
                        });
}

/* The meta goes with its item, before which its own end is told. */
static hm_status replay_map(hm_map *map, const hm_change *change)
{
    bool is_meta = change->part != 0;
    if (is_meta && change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_map_contains(map, change->handle));
    if (is_meta)
        return replay_write(change, hm_map_meta_at(map, hm_map_index_of(map, change->handle)));
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_map_erase(map, change->handle));
    if (change->kind == HM_CHANGE_INSERTED)
        return hm_map_adopt(map, change->handle, change->after);
    hm_map_touch(map, change->handle);
    return replay_write(change, hm_map_get(map, change->handle));
}

/* pool */

hm_status hm_changes_check_pool(const hm_pool *pool, const hm_change *change)
{
    return replay_check(change, &(replay_demand){.parts = 1,
                                                 .size = pool->item_size,
                                                 .type_id = hm_pool_type_id(pool),
                                                 .max_slots = pool->max_slots,
                                                 .last_generation = pool->places.last_generation});
}

static hm_status replay_pool(hm_pool *pool, const hm_change *change)
{
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_pool_erase(pool, change->handle));
    if (change->kind == HM_CHANGE_INSERTED)
        return hm_pool_adopt(pool, change->handle, change->after);
    return replay_write(change, hm_pool_get(pool, change->handle));
}

/* table */

hm_status hm_changes_check_table(const hm_table *table, const hm_change *change)
{
    bool is_there = change->part < table->column_count;
    return replay_check(change, &(replay_demand){
                                    .parts = table->column_count,
                                    .size = is_there ? table->columns[change->part].size : 0,
                                    .type_id = table->ids.type_id,
                                    .max_slots = table->ids.max_slots,
                                    .last_generation = table->ids.last_generation,
                                });
}

/* A row comes with its first cell, and goes with that, before which the end of the others is
 * told. */
static hm_status replay_table(hm_table *table, const hm_change *change)
{
    hm_status status = HM_OK;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, change->part != 0 ? hm_table_contains(table, change->handle)
                                                     : hm_table_erase(table, change->handle));
    if (change->kind == HM_CHANGE_INSERTED && change->part == 0)
        status = hm_table_adopt(table, change->handle, NULL);
    if (status != HM_OK)
        return status;
    hm_table_touch(table, change->handle);
    return replay_write(change, hm_table_get(table, change->handle, change->part));
}

/* secondary */

static hm_status replay_check_owner(const hm_secondary *owners, size_t size,
                                    const hm_change *change)
{
    return replay_check(change, &(replay_demand){.parts = 1,
                                                 .size = size,
                                                 .type_id = owners->type_id,
                                                 .max_slots = owners->max_slots,
                                                 .last_generation = HM_HANDLE_MAX_GENERATION});
}

/* An owner whose slot has another one lacks the end of that. */
static hm_status replay_meet_owner(const hm_secondary *owners, const hm_change *change)
{
    uint32_t index = change->kind == HM_CHANGE_INSERTED
                         ? hm_secondary_find_slot(owners, hm_handle_index(change->handle))
                         : hm_secondary_find(owners, change->handle);
    return replay_meet(change, index != HM_INVALID_INDEX);
}

hm_status hm_changes_check_secondary(const hm_secondary *secondary, const hm_change *change)
{
    return replay_check_owner(secondary, secondary->value_size, change);
}

static hm_status replay_secondary(hm_secondary *secondary, const hm_change *change)
{
    hm_status status = replay_meet_owner(secondary, change);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_secondary_remove(secondary, change->handle));
    return hm_secondary_set_n(secondary, &change->handle, change->after, 1);
}

/* lists */

hm_status hm_changes_check_lists(const hm_lists *lists, const hm_change *change)
{
    size_t size = lists->blocks.item_size, count = change->after_size / (size != 0 ? size : 1);
    hm_status status =
        replay_check(change, &(replay_demand){.parts = 1,
                                              .size = size * count,
                                              .type_id = lists->ids.type_id,
                                              .max_slots = lists->ids.max_slots,
                                              .last_generation = lists->ids.last_generation});
    if (status == HM_OK && count > UINT32_MAX)
        status = hm_fail(HM_ERROR_INVALID, "a list of %zu items is too long", count);
    return status;
}

static hm_status replay_lists(hm_lists *lists, const hm_change *change)
{
    uint32_t count = (uint32_t)(change->after_size / lists->blocks.item_size), old_count;
    hm_status status = HM_OK;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_lists_destroy(lists, change->handle));
    if (change->kind == HM_CHANGE_INSERTED)
        status = hm_lists_adopt(lists, change->handle);
    if (status == HM_OK)
        status = hm_lists_resize(lists, change->handle, count);
    if (status != HM_OK || count == 0)
        return status;
    return replay_write(change, hm_lists_items(lists, change->handle, &old_count));
}

/* index */

hm_status hm_changes_check_index(const hm_index *index, const hm_change *change)
{
    uint64_t key;
    hm_status status = replay_check_owner(&index->owners, sizeof key, change);
    if (status != HM_OK || change->kind == HM_CHANGE_ERASED)
        return status;
    memcpy(&key, change->after, sizeof key);
    return hm_index_check(index, key);
}

static hm_status replay_index(hm_index *index, const hm_change *change)
{
    uint64_t key;
    hm_status status = replay_meet_owner(&index->owners, change);
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return replay_find(change, hm_index_remove(index, change->handle));
    memcpy(&key, change->after, sizeof key);
    return hm_index_set(index, change->handle, key);
}

/* world */

/* Returns the number of a component, by which it is known, since those of each world begin at
 * another multiple; or HM_WORLD_NONE. A file has the number alone. */
static uint32_t replay_number(const hm_world *world, uint32_t part)
{
    uint32_t number = part % HM_WORLD_MAX_COMPONENTS;
    bool is_given = part == number || hm_world_has_given(part - number);
    return is_given && number < world->component_count ? number : HM_WORLD_NONE;
}

hm_status hm_changes_check_world(const hm_world *world, const hm_change *change)
{
    bool is_entity = change->part == HM_INVALID_INDEX;
    uint32_t number = is_entity ? HM_WORLD_NONE : replay_number(world, change->part);
    bool is_there = is_entity || number != HM_WORLD_NONE;
    hm_status status = replay_check(
        change, &(replay_demand){
                    .parts = is_there ? (uint64_t)HM_INVALID_INDEX + 1 : 0,
                    .size = number != HM_WORLD_NONE ? hm_world_record(world, number)->size : 0,
                    .type_id = world->ids.type_id,
                    .max_slots = world->ids.max_slots,
                    .last_generation = world->ids.last_generation,
                });
    if (status == HM_OK && is_entity && change->kind == HM_CHANGE_EDITED)
        status = hm_fail(HM_ERROR_INVALID, "an entity itself has nothing to edit");
    return status;
}

static hm_status replay_world(hm_world *world, const hm_change *change)
{
    if (change->part == HM_INVALID_INDEX)
        return change->kind == HM_CHANGE_INSERTED
                   ? hm_world_adopt(world, change->handle)
                   : replay_find(change, hm_world_destroy(world, change->handle));
    hm_component component = world->salt + replay_number(world, change->part);
    hm_status status = replay_meet(change, hm_world_has(world, change->handle, component));
    if (status != HM_OK)
        return status;
    if (change->kind == HM_CHANGE_ERASED)
        return hm_world_remove(world, change->handle, component, NULL);
    status = hm_world_add(world, change->handle, component,
                          change->after_size != 0 ? change->after : NULL);
    /* The change is right, but the entity has no room in a row for the value. */
    return status == HM_ERROR_INVALID ? HM_ERROR_FULL : status;
}

/* `refuses`: whether the container is busy; `memory`: NULL if it is not initialised. */
#define REPLAY(type, refuses, memory)                                                              \
    hm_status hm_##type##_apply(hm_##type *type, const hm_change *change)                          \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_apply: " #type " is NULL");                        \
        HM_CONTRACT(change != NULL, "hm_" #type "_apply: change is NULL");                         \
        if (refuses)                                                                               \
            return HM_ERROR_BUSY;                                                                  \
        if ((memory) == NULL)                                                                      \
            return hm_fail_uninitialised(#type);                                                   \
        hm_status status = hm_changes_check_##type(type, change);                                  \
        if (status == HM_OK)                                                                       \
            status = replay_##type(type, change);                                                  \
        return hm_fail_in(#type "_apply", type->name, status);                                     \
    }

REPLAY(map, hm_guard_refuses(&map->guard, "map", map->name), map->ids.slot_array.memory)
REPLAY(pool, hm_guard_refuses(&pool->guard, "pool", pool->name), pool->entry_array.memory)
REPLAY(table, hm_guard_refuses(&table->guard, "table", table->name), table->ids.slot_array.memory)
REPLAY(secondary, hm_guard_refuses(&secondary->guard, "secondary", secondary->name),
       secondary->value_array.memory)
REPLAY(lists, hm_guard_refuses(&lists->guard, "lists", lists->name), lists->ids.slot_array.memory)
REPLAY(index, hm_guard_refuses(&index->guard, "index", index->name),
       index->owners.value_array.memory)
REPLAY(world, hm_world_check_idle(world) != HM_OK, world->memory)

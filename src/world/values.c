/* SPDX-License-Identifier: MIT */
/* world: the values of components, in rows and sparse ones. */
#include "world_private.h"

#include "../dense/dense_private.h"

void hm_world_run_hook(hm_world *world, uint32_t number, void *value)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    hm_world_enter(world);
    record->destroy(value, record->context);
    hm_world_leave(world);
}

void hm_world_destroy_row(hm_world *world, hm_world_place place, const hm_world_archetype *kept)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        uint32_t number = archetype->columns[c];
        if (kept == NULL || !hm_world_cell_of(kept, number)->is_present)
            hm_world_destroy_value(world, number, hm_world_value_at(world, place, number));
    }
}

void hm_world_fill(const hm_world *world, uint32_t number, void *values, uint32_t n)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (record->initial == NULL)
        memset(values, 0, record->size * n);
    for (uint32_t i = 0; i < n && record->initial != NULL; i++)
        memcpy((unsigned char *)values + record->size * i, record->initial, record->size);
}

void hm_world_write(hm_world *world, hm_world_place place, uint32_t number, const void *value)
{
    uint32_t index = hm_world_place_archetype(place);
    const hm_world_cell *cell = &world->archetypes[index].cells[number];
    void *at = hm_world_value_at(world, place, number);
    if (value == NULL)
        value = hm_world_record(world, number)->initial;
    if (value != NULL)
        memcpy(at, value, cell->size);
    else
        memset(at, 0, cell->size);
    hm_world_mark_column(world, index, cell->column);
    if (index == world->order_archetype)
        hm_world_disturb(world, place, world->archetypes[index].count);
}

/* sparse components */

/* Whether each of these entities has a mask. */
static bool values_have_masks(const hm_world *world, const hm_handle *entities, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (hm_handle_index(entities[i]) >= world->mask_array.limit)
            return false;
    return true;
}

hm_status hm_world_prepare_masks(hm_world *world)
{
    hm_status status =
        hm_world_widen(world, &world->mask_array, sizeof(uint64_t), world->place_array.capacity);
    if (status == HM_OK)
        status = hm_array_commit(&world->mask_array, world->place_array.limit, false);
    return status;
}

hm_status hm_world_prepare_sparse(hm_world *world, uint32_t number, uint32_t added,
                                  const hm_handle *entities, uint32_t n)
{
    hm_status status = HM_OK;
    if (!values_have_masks(world, entities, n))
        status = hm_world_prepare_masks(world);
    if (status == HM_OK)
        status = hm_secondary_prepare(hm_world_sparse(world, number), added, entities, n);
    return hm_world_blame(world, status);
}

hm_status hm_world_prepare_sparse_n(hm_world *world, uint32_t number, const hm_handle *entities,
                                    uint32_t n)
{
    const hm_secondary *sparse = hm_world_sparse(world, number);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n; i++)
        missing += hm_secondary_find(sparse, entities[i]) == HM_INVALID_INDEX;
    uint32_t most = world->ids.count + world->promised - hm_secondary_count(sparse);
    if (missing > most) /* Some entities are given twice. */
        missing = most;
    return hm_world_prepare_sparse(world, number, missing, entities, n);
}

void hm_world_set_sparse(hm_world *world, uint32_t number, hm_handle entity, const void *value)
{
    hm_world_component_record *record = hm_world_record(world, number);
    if (record->destroy != NULL)
        hm_world_enter(world);
    hm_secondary_put(hm_world_sparse(world, number), entity,
                     value != NULL ? value : record->initial);
    if (record->destroy != NULL)
        hm_world_leave(world);
    *hm_world_mask(world, entity) |= UINT64_C(1) << record->sparse % 64;
    record->changed = ++world->clock;
}

void hm_world_list_sparse(const hm_world *world, hm_handle entity, hm_world_set *set)
{
    set->count = 0;
    if (!hm_world_may_have_sparse(world, entity))
        return;
    /* All sparse components whose numbers differ by a multiple of 64 share a bit. */
    for (uint64_t mask = *hm_world_mask(world, entity); mask != 0; mask &= mask - 1)
        for (uint32_t i = hm_bits_lowest(mask); i < world->sparse_count; i += 64) {
            uint32_t number = hm_world_record(world, i)->owner;
            if (hm_secondary_contains(hm_world_sparse(world, number), entity))
                set->numbers[set->count++] = (uint16_t)number;
        }
}

void hm_world_clear_sparse(hm_world *world, hm_handle entity)
{
    hm_world_set set;
    hm_world_list_sparse(world, entity, &set);
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t number = set.numbers[i];
        hm_world_destroy_value(world, number,
                               hm_secondary_get(hm_world_sparse(world, number), entity));
    }
    for (uint32_t i = 0; i < set.count; i++) {
        hm_secondary *sparse = hm_world_sparse(world, set.numbers[i]);
        hm_secondary_discard(sparse, hm_secondary_index_of(sparse, entity));
        hm_world_record(world, set.numbers[i])->changed = ++world->clock;
    }
    if (hm_world_may_have_sparse(world, entity))
        *hm_world_mask(world, entity) = 0;
}

void hm_world_unset_sparse(hm_world *world, uint32_t number, hm_handle entity)
{
    hm_world_enter(world);
    bool removed = hm_secondary_remove(hm_world_sparse(world, number), entity);
    hm_world_leave(world);
    if (removed)
        hm_world_record(world, number)->changed = ++world->clock;
}

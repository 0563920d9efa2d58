/* SPDX-License-Identifier: MIT */
/* world: trim and validate. */
#include "world_private.h"

#include "../order/order_private.h"

/* trim */

static hm_status upkeep_trim_slots(hm_world *world)
{
    hm_status status = hm_id_table_trim_slots(&world->ids);
    if (status != HM_OK)
        return status;
    /* Every entry that has memory has a place with memory. */
    world->place_array.count = world->ids.entry_array.limit;
    if (world->mask_array.limit > world->ids.slot_count)
        world->mask_array.count = world->ids.slot_count;
    else
        world->mask_array.count = world->mask_array.limit;
    status = hm_array_decommit(&world->place_array);
    return status == HM_OK ? hm_array_decommit(&world->mask_array) : status;
}

/* No archetype is being ordered: the next defragment lists chunks anew. */
static hm_status upkeep_trim_order(hm_world *world)
{
    hm_world_order *order = hm_world_order_of(world);
    if (order == NULL)
        return HM_OK;
    order->array.count = sizeof *order / sizeof *order->chunks;
    hm_status status = hm_array_decommit(&order->array);
    return status == HM_OK ? hm_order_trim(&order->state, 0) : status;
}

/* The trim of a secondary places the values that an unfinished defragment is moving. */
static hm_status upkeep_trim_sparse(hm_world *world)
{
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < world->component_count && status == HM_OK; i++) {
        if (!hm_world_is_sparse(world, i))
            continue;
        hm_secondary *sparse = hm_world_sparse(world, i);
        if (sparse->order != NULL && sparse->order->phase == HM_ORDER_PLACE)
            hm_world_record(world, i)->changed = ++world->clock;
        status = hm_secondary_trim(sparse);
    }
    return status;
}

hm_status hm_world_trim(hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_trim: world is NULL");
    hm_status status = hm_world_check_idle(world);
    if (status != HM_OK || world->memory == NULL)
        return status;
    hm_world_create_promised(world);
    world->ready_end = 0;
    hm_world_reset_order(world);
    hm_world_drop_archetypes(world);
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        if (world->archetypes[i].is_alive)
            hm_world_drop_spares(world, i);
    status = hm_world_store_trim(&world->store);
    if (status == HM_OK)
        status = upkeep_trim_sparse(world);
    if (status == HM_OK)
        status = upkeep_trim_slots(world);
    if (status == HM_OK)
        status = upkeep_trim_order(world);
    hm_array_close(&world->links); /* The next apply makes it again. */
    if (status == HM_OK)
        status = hm_world_shrink(world);
    world->guard.limit = hm_id_table_ready(&world->ids);
    return hm_world_blame(world, status);
}

/* validate */

/* The rows of a chunk and the places of their entities agree. */
static bool upkeep_chunk_is_valid(const hm_world *world, uint32_t index, uint32_t chunk,
                                  uint32_t rows)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    const hm_handle *entities = hm_world_entities(world, archetype, chunk);
    for (uint32_t row = 0; row < rows; row++) {
        if (hm_id_table_find(&world->ids, entities[row]) == HM_INVALID_INDEX)
            return false;
        hm_world_place place = *hm_world_place_of(world, entities[row]);
        if (place.chunk != chunk || place.row != (index << HM_WORLD_ROW_BITS | row))
            return false;
    }
    return true;
}

/* The chunks are one list: those with rows, all full but the last, then spare ones. */
static bool upkeep_rows_are_valid(const hm_world *world, uint32_t index)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    uint32_t count = 0, chunks = 0, previous = HM_WORLD_NONE;
    bool is_spare = archetype->last == HM_WORLD_NONE;
    for (uint32_t chunk = archetype->first; chunk != HM_WORLD_NONE;) {
        const hm_world_link *link = hm_world_link_of(world, chunk);
        if (chunks == archetype->chunk_count || link->previous != previous ||
            link->ordinal != chunks++ || link->archetype != index)
            return false;
        uint32_t rows = is_spare ? 0 : hm_world_rows_in(archetype, chunk);
        if (rows > archetype->rows[hm_world_chunk_class(chunk)] ||
            !upkeep_chunk_is_valid(world, index, chunk, rows))
            return false;
        count += rows;
        is_spare = is_spare || chunk == archetype->last;
        previous = chunk;
        chunk = link->next;
    }
    return is_spare && previous == archetype->tail && chunks == archetype->chunk_count &&
           count == archetype->count;
}

/* The cells of exactly the set are present; edges lead to live archetypes that differ by one. */
static bool upkeep_set_is_valid(const hm_world *world, const hm_world_archetype *archetype)
{
    uint32_t present = 0;
    for (uint32_t number = 0; number < archetype->cell_count; number++) {
        bool is_present = archetype->cells[number].is_present;
        present += is_present;
        if (archetype->edges[number] == HM_WORLD_NONE)
            continue;
        if (archetype->edges[number] >= world->archetype_array.count)
            return false;
        const hm_world_archetype *other = &world->archetypes[archetype->edges[number]];
        uint32_t expected = is_present ? archetype->set_count - 1 : archetype->set_count + 1;
        if (!other->is_alive || other->set_count != expected ||
            hm_world_cell_of(other, number)->is_present == is_present)
            return false;
    }
    for (uint32_t i = 0; i < archetype->set_count; i++)
        if (!hm_world_cell_of(archetype, archetype->set[i])->is_present ||
            (i > 0 && archetype->set[i] <= archetype->set[i - 1]))
            return false;
    return present == archetype->set_count;
}

static hm_status upkeep_validate_archetypes(const hm_world *world)
{
    uint64_t rows = 0;
    uint32_t archetypes = 0;
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        const hm_world_archetype *archetype = &world->archetypes[i];
        if (!archetype->is_alive)
            continue;
        archetypes += i != HM_WORLD_ROOT;
        rows += archetype->count;
        if (!upkeep_set_is_valid(world, archetype))
            return hm_fail(HM_ERROR_CORRUPT,
                           "the set or the edges of archetype %" HM_U32 " are damaged", i);
        if (!upkeep_rows_are_valid(world, i))
            return hm_fail(HM_ERROR_CORRUPT, "the rows of archetype %" HM_U32 " are damaged", i);
    }
    if (rows != world->ids.count || archetypes != world->archetype_count)
        return hm_fail(HM_ERROR_CORRUPT,
                       "%" HM_U64 " rows in %" HM_U32 " archetypes, but %" HM_U32
                       " entities in %" HM_U32,
                       rows, archetypes, world->ids.count, world->archetype_count);
    return HM_OK;
}

/* Sparse values belong to live entities whose masks say so. */
static hm_status upkeep_validate_sparse(const hm_world *world)
{
    const uint64_t *masks = (const uint64_t *)(void *)world->mask_array.data;
    for (uint32_t i = 0; i < world->sparse_count; i++) {
        const hm_secondary *sparse = hm_world_secondary(world, i);
        hm_status status = hm_secondary_validate(sparse);
        if (status != HM_OK)
            return status;
        for (uint32_t k = 0; k < hm_secondary_count(sparse); k++) {
            hm_handle owner = hm_secondary_owner_at(sparse, k);
            if (!hm_id_table_contains(&world->ids, owner) ||
                (masks[hm_handle_index(owner)] >> i % 64 & 1) == 0)
                return hm_fail(HM_ERROR_CORRUPT, "sparse component %s has a value without entity",
                               sparse->name);
        }
    }
    return HM_OK;
}

static hm_status upkeep_validate(const hm_world *world)
{
    hm_status status = hm_id_table_validate(&world->ids);
    if (status == HM_OK)
        status = hm_world_store_validate(&world->store);
    /* Entries may have memory where places were refused it, but none of their slots was issued. */
    if (status == HM_OK && (world->place_array.limit < world->ids.slot_count ||
                            world->place_array.limit < world->ids.fresh_end))
        status = hm_fail(HM_ERROR_CORRUPT, "some slots have no places");
    if (status == HM_OK)
        status = upkeep_validate_archetypes(world);
    return status == HM_OK ? upkeep_validate_sparse(world) : status;
}

HM_VALIDATE(world, upkeep_validate)

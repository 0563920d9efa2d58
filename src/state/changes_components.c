/* SPDX-License-Identifier: MIT */
/* changes: world. Part 0 of an entity is itself, and part i + 1 the component with the number i. */
#include "state_private.h"

static hm_world_archetype components_archetype(const hm_changes_side *side, uint32_t index)
{
    hm_world_archetype archetype;
    hm_changes_read(side, side->as.world.archetypes + index, &archetype, sizeof archetype);
    return archetype;
}

static hm_world_cell components_cell(const hm_changes_side *side,
                                     const hm_world_archetype *archetype, uint32_t number)
{
    hm_world_cell cell = {.is_present = false};
    if (number < archetype->cell_count)
        hm_changes_read(side, archetype->cells + number, &cell, sizeof cell);
    return cell;
}

static const unsigned char *components_chunk(const hm_changes_side *side, uint32_t chunk)
{
    unsigned char *base;
    uint32_t which = chunk & ((UINT32_C(1) << HM_WORLD_BASE_BITS) - 1);
    hm_changes_read(side, side->as.world.store.bases + which, &base, sizeof base);
    return base + HM_WORLD_DISTANCE(chunk);
}

/* Reads the values of a component that is sparse; a secondary of nothing if it is not. */
static hm_secondary components_sparse(const hm_changes_side *side, uint32_t number)
{
    const hm_world *world = &side->as.world;
    hm_world_component_record record = {.sparse = HM_WORLD_NONE};
    hm_secondary secondary = {.count = 0};
    if (number < world->component_count)
        hm_changes_read(side, hm_world_record(world, number), &record, sizeof record);
    if (record.sparse != HM_WORLD_NONE)
        hm_changes_read(side, hm_world_secondary(world, record.sparse), &secondary,
                        sizeof secondary);
    return secondary;
}

/* Marks the entities of a chunk that have values on pages which differ. A row that came or left is
 * told by the places. */
static void components_mark_chunk(hm_changes_search *search, const hm_world_archetype *archetype,
                                  uint32_t chunk, const unsigned char *start)
{
    const hm_changes_side *side = &search->to;
    size_t rows = archetype->rows[hm_world_chunk_class(chunk)];
    const unsigned char *entities = start + rows * archetype->entity_offset;
    for (uint32_t number = 0; number < archetype->cell_count; number++) {
        hm_world_cell cell = components_cell(side, archetype, number);
        if (cell.size == 0)
            continue;
        const unsigned char *column = start + rows * cell.offset;
        const hm_changes_strip strip = {column, column, cell.size, 1,
                                        hm_world_rows_in(archetype, chunk)};
        hm_changes_mark_owned(search, &strip, (const hm_handle *)(const void *)entities);
    }
}

static void components_mark_chunks(hm_changes_search *search)
{
    const hm_world *world = &search->to.as.world;
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        hm_world_archetype archetype = components_archetype(&search->to, i);
        uint32_t chunk = archetype.is_alive ? archetype.first : HM_WORLD_NONE;
        while (chunk != HM_WORLD_NONE && archetype.count != 0) {
            const unsigned char *start = components_chunk(&search->to, chunk);
            size_t size = hm_world_class_size(hm_world_chunk_class(chunk));
            hm_world_link link;
            if (hm_changes_differ(search, start, size))
                components_mark_chunk(search, &archetype, chunk, start);
            hm_changes_read(&search->to, start + size - sizeof link, &link, sizeof link);
            chunk = chunk == archetype.last ? HM_WORLD_NONE : link.next;
        }
    }
}

static void components_expect(hm_changes_search *search, const hm_changes_side *side)
{
    const hm_world *world = &side->as.world;
    hm_changes_expect(search, world->ids.slot_count, world->component_count + 1,
                      HM_WORLD_ROW_LIMIT);
    for (uint32_t number = 0; number < world->component_count; number++)
        hm_changes_expect(search, 0, 1, components_sparse(side, number).value_size);
}

static void components_mark(hm_changes_search *search)
{
    const hm_world *from = &search->from.as.world, *to = &search->to.as.world;
    hm_changes_mark_ids(search, &from->ids, &to->ids);
    hm_changes_mark_slots(search, from->places, to->places, sizeof(hm_world_place),
                          from->ids.slot_count, to->ids.slot_count);
    components_mark_chunks(search);
    for (uint32_t number = 0; number + 1 < search->parts; number++) {
        hm_secondary old = components_sparse(&search->from, number);
        hm_secondary values = components_sparse(&search->to, number);
        hm_changes_mark_owners(search, &old, &values);
    }
}

static void components_find(const hm_changes_side *side, const void *ids, uint32_t slot,
                            hm_changes_item *item)
{
    hm_changes_find_id(side, ids, slot, item);
    if (hm_handle_is_null(item->handle))
        return;
    hm_changes_read(side, side->as.world.places + slot, &item->place, sizeof item->place);
    item->archetype = components_archetype(side, hm_world_place_archetype(item->place));
}

static hm_changes_value components_value(const hm_changes_side *side, const hm_changes_item *item,
                                         uint32_t part)
{
    const hm_world *world = &side->as.world;
    uint32_t number = part - 1;
    if (part == 0 || number >= world->component_count)
        return (hm_changes_value){
            .is_there = part == 0, .part = HM_INVALID_INDEX, .address = world->archetypes};
    hm_world_cell cell = components_cell(side, &item->archetype, number);
    hm_changes_value value = {.is_there = cell.is_present,
                              .part = world->salt + number,
                              .address = world->archetypes,
                              .size = cell.size};
    if (cell.size != 0) {
        size_t rows = item->archetype.rows[hm_world_chunk_class(item->place.chunk)];
        value.address = components_chunk(side, item->place.chunk) + rows * cell.offset +
                        (size_t)cell.size * hm_world_place_row(item->place);
    } else if (!cell.is_present) {
        hm_secondary sparse = components_sparse(side, number);
        hm_changes_item owner;
        hm_changes_find_owner(side, &sparse, hm_handle_index(item->handle), &owner);
        if (owner.handle.bits != item->handle.bits)
            return (hm_changes_value){.is_there = false};
        value.is_there = true;
        value.size = sparse.value_size;
        value.address = sparse.values + sparse.value_size * owner.position;
    }
    return value;
}

const hm_changes_kind hm_changes_of_world = {.known = &hm_known_world,
                                             .anchor = offsetof(hm_world, ids.entries),
                                             .slots = offsetof(hm_world, ids),
                                             .expect = components_expect,
                                             .mark = components_mark,
                                             .find = components_find,
                                             .value = components_value};

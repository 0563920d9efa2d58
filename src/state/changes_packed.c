/* SPDX-License-Identifier: MIT */
/* changes: map, table and secondary, whose values are packed. */
#include "state_private.h"

/* ids: an entry changes unless its slot keeps its position and its generation. Then it is alive on
 * one side only if its position is not below the count of the other, or the other has dropped the
 * slot. */

static void packed_mark_positions(hm_changes_search *search, const hm_changes_side *side,
                                  const hm_id_table *ids, uint32_t first)
{
    for (uint32_t position = first; position < ids->count; position++) {
        uint32_t slot;
        hm_changes_read(side, ids->slots + position, &slot, sizeof slot);
        hm_changes_mark(search, slot);
    }
}

void hm_changes_mark_ids(hm_changes_search *search, const hm_id_table *from, const hm_id_table *to)
{
    hm_changes_mark_slots(search, from->entries, to->entries, sizeof(hm_handle), from->slot_count,
                          to->slot_count);
    packed_mark_positions(search, &search->from, from, to->count);
    packed_mark_positions(search, &search->to, to, from->count);
}

void hm_changes_find_id(const hm_changes_side *side, const void *table, uint32_t slot,
                        hm_changes_item *item)
{
    const hm_id_table *ids = table;
    hm_handle entry;
    item->handle = HM_NULL_HANDLE;
    if (slot >= ids->slot_count)
        return;
    hm_changes_read(side, ids->entries + slot, &entry, sizeof entry);
    item->position = hm_handle_index(entry);
    if (hm_handle_is_free(entry) || item->position >= ids->count)
        return;
    hm_handle_set_index(&entry, slot);
    item->handle = entry;
}

/* Marks the slots of an id table whose values in a strip are on pages that differ. */
static void packed_mark_values(hm_changes_search *search, const hm_changes_strip *strip,
                               const hm_id_table *ids)
{
    for (uint32_t first, end = 0; hm_changes_next(search, strip, &first, &end);)
        for (uint32_t position = first, slot; position < end; position++) {
            hm_changes_read(&search->to, ids->slots + position, &slot, sizeof slot);
            hm_changes_mark(search, slot);
        }
}

/* map */

/* Reads where the meta is; an array of nothing if there is none. */
static hm_array packed_meta(const hm_changes_side *side)
{
    const hm_map *map = &side->as.map;
    hm_map_extras extras = {.context = NULL};
    if (map->extras != NULL)
        hm_changes_read(side, map->extras, &extras, sizeof extras);
    return extras.meta_array;
}

static void packed_expect_map(hm_changes_search *search, const hm_changes_side *side)
{
    hm_array meta = packed_meta(side);
    hm_changes_expect(search, side->as.map.ids.slot_count, 1, side->as.map.item_size);
    if (meta.item_size != 0)
        hm_changes_expect(search, 0, 2, meta.item_size);
}

static void packed_mark_map(hm_changes_search *search)
{
    const hm_map *from = &search->from.as.map, *to = &search->to.as.map;
    hm_array old_meta = packed_meta(&search->from), meta = packed_meta(&search->to);
    const hm_changes_strip strips[] = {
        {from->items, to->items, to->item_size, 1, to->ids.count},
        {old_meta.data, meta.data, meta.item_size, 1, meta.item_size != 0 ? to->ids.count : 0}};
    hm_changes_mark_ids(search, &from->ids, &to->ids);
    for (size_t i = 0; i < 2; i++)
        packed_mark_values(search, &strips[i], &to->ids);
}

static hm_changes_value packed_map_value(const hm_changes_side *side, const hm_changes_item *item,
                                         uint32_t part)
{
    const hm_map *map = &side->as.map;
    hm_array meta = packed_meta(side);
    const unsigned char *base = part == 0 ? map->items : meta.data;
    size_t size = part == 0 ? map->item_size : meta.item_size;
    return (hm_changes_value){
        .is_there = size != 0, .part = part, .address = base + size * item->position, .size = size};
}

const hm_changes_kind hm_changes_of_map = {.known = &hm_known_map,
                                           .anchor = offsetof(hm_map, ids.entries),
                                           .slots = offsetof(hm_map, ids),
                                           .expect = packed_expect_map,
                                           .mark = packed_mark_map,
                                           .find = hm_changes_find_id,
                                           .value = packed_map_value};

/* table */

static hm_cells packed_column(const hm_changes_side *side, uint32_t column)
{
    hm_cells cells = {.size = 0};
    if (column < side->as.table.column_count)
        hm_changes_read(side, side->as.table.columns + column, &cells, sizeof cells);
    return cells;
}

static void packed_expect_table(hm_changes_search *search, const hm_changes_side *side)
{
    const hm_table *table = &side->as.table;
    for (uint32_t column = 0; column < table->column_count; column++)
        hm_changes_expect(search, table->ids.slot_count, table->column_count,
                          packed_column(side, column).size);
}

static void packed_mark_table(hm_changes_search *search)
{
    const hm_table *from = &search->from.as.table, *to = &search->to.as.table;
    hm_changes_mark_ids(search, &from->ids, &to->ids);
    for (uint32_t column = 0; column < search->parts; column++) {
        hm_cells old = packed_column(&search->from, column);
        hm_cells cells = packed_column(&search->to, column);
        const hm_changes_strip strip = {.from = old.base,
                                        .to = cells.base,
                                        .stride = cells.stride,
                                        .lanes = UINT32_C(1) << to->lane_shift,
                                        .count = cells.size != 0 ? to->ids.count : 0};
        packed_mark_values(search, &strip, &to->ids);
    }
}

static hm_changes_value packed_table_value(const hm_changes_side *side, const hm_changes_item *item,
                                           uint32_t part)
{
    const hm_table *table = &side->as.table;
    hm_cells cells = packed_column(side, part);
    return (hm_changes_value){.is_there = cells.size != 0,
                              .part = part,
                              .address = hm_table_address(table, &cells, item->position),
                              .size = cells.size};
}

const hm_changes_kind hm_changes_of_table = {.known = &hm_known_table,
                                             .anchor = offsetof(hm_table, ids.entries),
                                             .slots = offsetof(hm_table, ids),
                                             .expect = packed_expect_table,
                                             .mark = packed_mark_table,
                                             .find = hm_changes_find_id,
                                             .value = packed_table_value};

/* secondary */

/* Marks the slots of the owners from `first` to `end`, of those that the side has. */
static void packed_mark_owner(hm_changes_search *search, const hm_changes_side *side,
                              const hm_handle *owners, uint32_t first, uint32_t end)
{
    for (uint32_t position = first; position < end; position++) {
        hm_handle owner;
        hm_changes_read(side, owners + position, &owner, sizeof owner);
        hm_changes_mark(search, hm_handle_index(owner));
    }
}

void hm_changes_mark_owned(hm_changes_search *search, const hm_changes_strip *strip,
                           const hm_handle *owners)
{
    for (uint32_t first, end = 0; hm_changes_next(search, strip, &first, &end);)
        packed_mark_owner(search, &search->to, owners, first, end);
}

/* A value is there as long as the owner is at its position, and that is below the count. */
void hm_changes_mark_owners(hm_changes_search *search, const hm_secondary *from,
                            const hm_secondary *to)
{
    uint32_t both = from->count < to->count ? from->count : to->count;
    const hm_changes_strip owners = {from->owners, to->owners, sizeof(hm_handle), 1, both};
    const hm_changes_strip values = {from->values, to->values, to->value_size, 1, to->count};
    for (uint32_t first, end = 0; hm_changes_next(search, &owners, &first, &end);) {
        packed_mark_owner(search, &search->from, from->owners, first, end);
        packed_mark_owner(search, &search->to, to->owners, first, end);
    }
    packed_mark_owner(search, &search->from, from->owners, both, from->count);
    packed_mark_owner(search, &search->to, to->owners, both, to->count);
    hm_changes_mark_owned(search, &values, to->owners);
}

void hm_changes_find_owner(const hm_changes_side *side, const void *owners, uint32_t slot,
                           hm_changes_item *item)
{
    const hm_secondary *secondary = owners;
    unsigned char segment = 0;
    item->handle = HM_NULL_HANDLE;
    if (slot < secondary->slot_end)
        hm_changes_read(side, secondary->segments + (slot >> secondary->segment_shift), &segment,
                        1);
    if (segment == 0)
        return;
    hm_changes_read(side, secondary->positions + slot, &item->position, sizeof item->position);
    if (item->position >= secondary->count)
        return;
    hm_handle owner;
    hm_changes_read(side, secondary->owners + item->position, &owner, sizeof owner);
    if (hm_handle_index(owner) == slot)
        item->handle = owner;
}

static void packed_expect_secondary(hm_changes_search *search, const hm_changes_side *side)
{
    hm_changes_expect(search, side->as.secondary.slot_end, 1, side->as.secondary.value_size);
}

static void packed_mark_secondary(hm_changes_search *search)
{
    const hm_secondary *from = &search->from.as.secondary, *to = &search->to.as.secondary;
    hm_changes_mark_owners(search, from, to);
}

static hm_changes_value packed_secondary_value(const hm_changes_side *side,
                                               const hm_changes_item *item, uint32_t part)
{
    const hm_secondary *secondary = &side->as.secondary;
    return (hm_changes_value){.is_there = true,
                              .part = part,
                              .address = secondary->values + secondary->value_size * item->position,
                              .size = secondary->value_size};
}

const hm_changes_kind hm_changes_of_secondary = {.known = &hm_known_secondary,
                                                 .anchor = offsetof(hm_secondary, owners),
                                                 .slots = 0,
                                                 .expect = packed_expect_secondary,
                                                 .mark = packed_mark_secondary,
                                                 .find = hm_changes_find_owner,
                                                 .value = packed_secondary_value};

/* SPDX-License-Identifier: MIT */
/* save: the part of an id table: the generations of all slots, 0 for a retired one; the free slots
 * in the order in which they will be issued, and the promised ones, since no promise counts where a
 * file is loaded; the slots of the live positions, unless they ascend;
 * the generation floors.
 *
 * A load makes entries without a position first, so that one that has a position already shows that
 * its slot is named twice. */
#include "state_private.h"

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

static bool ids_ascend(const hm_id_table *ids)
{
    uint32_t position = 1;
    while (position < ids->count && ids->slots[position] > ids->slots[position - 1])
        position++;
    return position >= ids->count;
}

static uint32_t ids_units_of(uint32_t slots)
{
    return (uint32_t)(((uint64_t)slots + HM_ID_TABLE_UNIT - 1) / HM_ID_TABLE_UNIT);
}

void hm_save_describe_ids(hm_save_section *section, const hm_id_table *ids)
{
    section->type_id = ids->type_id;
    section->count = ids->count;
    section->details[HM_SAVE_FREE] = ids->used - ids->count + hm_id_table_promised(ids);
    section->details[HM_SAVE_SLOTS] = ids->slot_count;
    section->details[HM_SAVE_DROPPED_END] = ids->dropped_end;
    section->detail_count = HM_SAVE_IDS_DETAILS;
    if (ids_ascend(ids))
        section->flags |= HM_SAVE_ASCENDING;
}

uint64_t hm_save_size_of_ids(const hm_save_section *section)
{
    uint64_t slots = section->details[HM_SAVE_FREE];
    if ((section->flags & HM_SAVE_ASCENDING) == 0)
        slots += section->count;
    return 2 * (uint64_t)section->details[HM_SAVE_SLOTS] + 4 * slots +
           2 * (uint64_t)ids_units_of(section->details[HM_SAVE_DROPPED_END]);
}

static uint64_t ids_generation(const void *table, uint32_t slot)
{
    hm_handle entry = ((const hm_id_table *)table)->entries[slot];
    return hm_handle_is_free(entry) ? 0 : hm_handle_generation(entry);
}

static uint64_t ids_floor(const void *table, uint32_t unit)
{
    return hm_id_table_floor_of(table, unit * HM_ID_TABLE_UNIT);
}

static uint64_t ids_slot(const void *slots, uint32_t position)
{
    return ((const uint32_t *)slots)[position];
}

/* What finds the promised slots in ascending order. */
typedef struct ids_promised {
    const hm_id_table *ids;
    uint32_t *next; /* the slot to look at next */
} ids_promised;

static uint64_t ids_next_promised(const void *search, uint32_t i)
{
    const ids_promised *from = search;
    const hm_handle *entries = from->ids->entries;
    (void)i;
    while (!hm_id_table_is_promised(entries[*from->next]))
        ++*from->next;
    return (*from->next)++;
}

void hm_save_ids(hm_save_out *out, const hm_id_table *ids)
{
    uint32_t next = 0;
    const ids_promised promised = {ids, &next};
    hm_save_numbers(out, 2, ids->slot_count, ids_generation, ids);
    hm_save_numbers(out, 4, ids->used - ids->count, ids_slot, ids->slots + ids->count);
    hm_save_numbers(out, 4, hm_id_table_promised(ids), ids_next_promised, &promised);
    if ((out->section->flags & HM_SAVE_ASCENDING) == 0)
        hm_save_numbers(out, 4, ids->count, ids_slot, ids->slots);
    hm_save_numbers(out, 2, ids_units_of(ids->dropped_end), ids_floor, ids);
}

hm_status hm_load_check_unused(const hm_id_table *ids, const char *what, const char *name)
{
    bool is_unused = ids->slot_count == 0 && ids->dropped_end == 0;
    return is_unused ? HM_OK : hm_load_fail_used(what, name);
}

hm_status hm_load_check_ids(hm_save_in *in, const hm_id_table *ids, const hm_save_desc *desc)
{
    const hm_save_section *section = &in->section;
    if (section->detail_count < HM_SAVE_IDS_DETAILS)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its header is too short");
    uint32_t slots = section->details[HM_SAVE_SLOTS],
             dropped = section->details[HM_SAVE_DROPPED_END];
    uint64_t used = (uint64_t)section->count + section->details[HM_SAVE_FREE];
    uint32_t max_count = desc != NULL ? desc->max_count : 0;
    uint32_t max_slots = desc != NULL ? desc->max_slots : 0;
    if (used > slots)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0,
                            "%" HM_U64 " slots are in use, but there are %" HM_U32, used, slots);
    hm_status status = hm_load_check_limit(in, "items", section->count, max_count, ids->capacity);
    if (status == HM_OK)
        status = hm_load_check_limit(in, "slots", slots, max_slots, ids->max_slots);
    if (status == HM_OK)
        status = hm_load_check_limit(in, "slots before a trim", dropped, max_slots, ids->max_slots);
    return status;
}

/* Moves to a whole range. The counts, which are 0, say meanwhile what is carried. */
static hm_status ids_move(hm_load_ids *load, size_t capacity, size_t slots)
{
    hm_id_table *ids = load->ids;
    ids->count = load->count;
    ids->slot_count = load->slots;
    hm_status status = load->move(load->owner, capacity, slots);
    ids->count = ids->slot_count = 0;
    return status;
}

hm_status hm_load_widen(hm_load_ids *load, size_t count)
{
    const hm_array *first = &load->ids->slot_array;
    if (!first->moves_to_grow || count <= first->capacity)
        return HM_OK;
    size_t capacity = first->capacity * hm_array_factor(first->memory, first->range_size);
    if (capacity < count)
        capacity = count;
    if (capacity > load->ids->capacity)
        capacity = load->ids->capacity;
    return ids_move(load, capacity, capacity);
}

/* Reads the generations, and makes entries without a position. */
static hm_status ids_load_generations(hm_save_in *in, hm_load_ids *load)
{
    const uint32_t *details = in->section.details;
    uint32_t type_id = load->ids->type_id, slots = details[HM_SAVE_SLOTS], retired = 0;
    const uint64_t all = HM_HANDLE_FREE_BIT |
                         hm_handle_pack(HM_INVALID_INDEX, load->ids->last_generation, type_id).bits;
    for (uint32_t part; load->slots < slots; load->slots += part) {
        part = hm_load_part(in, 2, slots - load->slots);
        hm_status status = in->status;
        if (part != 0)
            status = hm_id_table_open_entries(load->ids, (size_t)load->slots + part, true);
        if (status != HM_OK)
            return status;
        hm_handle *entries = load->ids->entries + load->slots;
        for (uint32_t i = 0; i < part; i++) {
            uint32_t generation = hm_load_16(in->buffer + (size_t)2 * i);
            if (generation > load->ids->last_generation)
                return hm_load_fail_generation(in, 2 * (size_t)(part - i), generation,
                                               load->ids->last_generation);
            uint64_t bits = hm_handle_pack(HM_INVALID_INDEX, generation, type_id).bits;
            entries[i] = hm_handle_from_bits(generation != 0 ? bits : all);
            retired += generation == 0;
        }
    }
    return hm_load_check_retired(in, retired, slots - details[HM_SAVE_FREE] - in->section.count);
}

/* Whether no position has been given to the slot of an entry, and it is not retired: it looks as a
 * promised one until then. */
static bool ids_is_open(hm_handle entry)
{
    return hm_id_table_is_promised(entry);
}

/* Reads the slots of n positions from `position` on. */
static hm_status ids_load_slots(hm_save_in *in, hm_load_ids *load, uint32_t position, uint32_t n)
{
    hm_id_table *ids = load->ids;
    for (uint32_t part; n > 0; n -= part) {
        part = hm_load_part(in, 4, n);
        if (part == 0)
            return in->status;
        for (uint32_t i = 0; i < part; i++, position++) {
            uint32_t slot = hm_load_32(in->buffer + (size_t)4 * i);
            if (slot >= load->slots || !ids_is_open(ids->entries[slot]))
                return hm_load_fail(
                    in, HM_ERROR_CORRUPT, 4 * (size_t)(part - i), "slot %" HM_U32 " is %s", slot,
                    slot >= load->slots ? "out of range" : "retired, or named twice");
            hm_handle_link(ids->entries, ids->slots, slot, position);
        }
    }
    return HM_OK;
}

/* Gives the positions in ascending order to the slots that are left. */
static void ids_link_ascending(hm_load_ids *load)
{
    /* Of its own, since gcc loads what it reaches through a pointer again after each store. */
    hm_handle *entries = load->ids->entries;
    uint32_t *slots = load->ids->slots, position = 0;
    for (uint32_t slot = 0, end = load->slots; slot < end; slot++)
        if (ids_is_open(entries[slot]))
            hm_handle_link(entries, slots, slot, position++);
}

static hm_status ids_load_floors(hm_save_in *in, hm_load_ids *load)
{
    uint32_t dropped = in->section.details[HM_SAVE_DROPPED_END], units = ids_units_of(dropped);
    for (uint32_t unit = 0; unit < units;) {
        uint32_t part = hm_load_part(in, 2, units - unit);
        if (part == 0)
            return in->status;
        uint32_t end = unit + part < units ? (unit + part) * HM_ID_TABLE_UNIT : dropped;
        hm_status status = hm_id_table_open_floors(load->ids, end);
        if (status != HM_OK)
            return status;
        for (uint32_t i = 0; i < part; i++, unit++) {
            uint32_t floor = hm_load_16(in->buffer + (size_t)2 * i);
            if (floor == HM_HANDLE_MAX_GENERATION)
                return hm_load_fail(in, HM_ERROR_CORRUPT, 2 * (size_t)(part - i),
                                    "a floor is the last generation");
            if (floor >= load->ids->last_generation)
                return hm_load_fail_generation(in, 2 * (size_t)(part - i), floor,
                                               load->ids->last_generation);
            hm_id_table_set_floor(load->ids, unit * HM_ID_TABLE_UNIT, (uint16_t)floor);
        }
    }
    return HM_OK;
}

hm_status hm_load_ids_part(hm_save_in *in, hm_load_ids *load)
{
    uint32_t free = in->section.details[HM_SAVE_FREE], count = in->section.count;
    hm_id_table *ids = load->ids;
    load->count = count;
    hm_status status = ids_load_generations(in, load);
    if (status == HM_OK && ids->slot_array.moves_to_grow && count + free > ids->slot_array.capacity)
        status = ids_move(load, count + free, load->slots);
    if (status == HM_OK)
        status = hm_id_table_open_positions(ids, (size_t)count + free);
    if (status == HM_OK)
        status = ids_load_slots(in, load, count, free);
    if (status == HM_OK && (in->section.flags & HM_SAVE_ASCENDING) == 0)
        status = ids_load_slots(in, load, 0, count);
    else if (status == HM_OK)
        ids_link_ascending(load);
    return status == HM_OK ? ids_load_floors(in, load) : status;
}

void hm_load_end_ids(const hm_load_ids *load, const hm_save_in *in, hm_status status)
{
    const uint32_t *details = in->section.details;
    hm_id_table *ids = load->ids;
    if (status != HM_OK) {
        hm_id_table_forget(ids);
        return;
    }
    ids->slot_count = details[HM_SAVE_SLOTS];
    ids->dropped_end = details[HM_SAVE_DROPPED_END];
    ids->count = in->section.count;
    ids->used = ids->count + details[HM_SAVE_FREE];
    ids->fresh_end = 0; /* What is committed and the floors have changed. */
}

hm_status hm_load_failed(hm_status status, hm_status trimmed)
{
    if (trimmed != HM_OK)
        hm_restore_last_error();
    return status;
}

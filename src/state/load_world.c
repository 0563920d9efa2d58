/* SPDX-License-Identifier: MIT */
/* save: loads worlds, into a world of its own that takes the place of the empty one in the end. */
#include "../world/world_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../dense/dense_private.h"

/* So many entities, or as many as there are, may be ready after a load. */
enum { WORLD_READY = 1 << 16 };

/* A component of the file. */
typedef struct world_part {
    const hm_save_desc *format; /* NULL: as bytes */
    uint32_t match;             /* with the same name here, or HM_WORLD_NONE */
    uint32_t number;            /* the same; HM_WORLD_NONE: it is dropped */
    uint32_t encoded_size;      /* bytes */
    uint32_t version;           /* of the layout */
    bool is_sparse;
    bool is_zero; /* its values are zero, whatever they were */
} world_part;

/* A world that is being loaded. */
typedef struct world_load {
    const hm_world *world;
    hm_world fresh;
    const hm_world_save_desc *desc;
    bool is_merge; /* the world is that of a merge */
    hm_load_ids ids;
    hm_array part_array; /* world_part */
    uint64_t clock;      /* of the file; with the world's own before the load */
    bool is_kept;        /* archetypes have the numbers that they had */
    uint32_t left;       /* entities that have no row yet */
    uint32_t archetype;  /* that is being read */
    uint32_t classes;    /* of its small chunks; HM_WORLD_NONE: none are given */
    uint32_t made;       /* values of the column, or of the sparse component, that is being read */
    hm_save_in in;
} world_load;

static world_part *world_part_at(const world_load *load, uint32_t i)
{
    return (world_part *)(void *)load->part_array.data + i;
}

static hm_status world_load_move(void *owner, size_t capacity, size_t slots)
{
    return hm_world_move_to(owner, capacity, slots, 0);
}

static hm_status world_load_check(world_load *load)
{
    const hm_world_save_desc *desc = load->desc;
    const hm_save_desc plain = {.max_count = desc != NULL ? desc->max_count : 0,
                                .max_slots = desc != NULL ? desc->max_slots : 0};
    hm_save_in *in = &load->in;
    const uint32_t *details = in->section.details;
    hm_status status = hm_load_check(in, &plain, load->world->ids.type_id, HM_SAVE_ENTITY);
    if (status == HM_OK)
        status = hm_load_check_ids(in, &load->world->ids, &plain);
    if (status != HM_OK)
        return status;
    bool is_old = in->section.format == 1;
    if (in->section.detail_count != (is_old ? HM_SAVE_WORLD_OLD_DETAILS : HM_SAVE_WORLD_DETAILS) ||
        details[HM_SAVE_WORLD_COMPONENTS] > HM_WORLD_MAX_COMPONENTS)
        return hm_load_disagree(in);
    load->clock = load->world->clock;
    if (!is_old)
        load->clock += details[HM_SAVE_WORLD_CLOCK] |
                       (uint64_t)(details[HM_SAVE_WORLD_CLOCK_HIGH] & INT32_MAX) << 32;
    return HM_OK;
}

/* components */

/* Asks what to do about a difference, and refuses it unless the program finds a way. */
static hm_status world_resolve(world_load *load, const hm_component_difference *difference,
                               hm_load_action *action)
{
    const hm_world_save_desc *desc = load->desc;
    *action = HM_LOAD_REFUSE;
    if (desc != NULL && desc->resolve != NULL)
        *action = desc->resolve(difference, desc->context);
    else if (!difference->is_saved)
        return HM_OK;
    if (*action == HM_LOAD_DROP ||
        (*action == HM_LOAD_ZERO && difference->is_saved && difference->is_here))
        return HM_OK;
    const char *why = "is another one in the file";
    if (!difference->is_saved)
        why = "is not in the file";
    else if (!difference->is_here)
        why = "is not in the world";
    return hm_load_fail(&load->in, HM_ERROR_INVALID, 0, "component '%.20s' %s", difference->name,
                        why);
}

/* Returns the component with this name in files, or HM_WORLD_NONE. */
static uint32_t world_find_name(const world_load *load, const char *name)
{
    for (uint32_t i = 0; i < load->world->component_count; i++)
        if (hm_is_same_text(hm_save_name_of(load->world, load->desc, i), name))
            return i;
    return HM_WORLD_NONE;
}

/* Whether values of the file are those of a component here, or can be decoded to it. */
static bool world_fits(const hm_save_desc *format, const hm_world_component_record *record,
                       const hm_component_difference *difference, uint32_t flags,
                       uint32_t encoded_size, const char *layout)
{
    const char *own = format != NULL && format->layout != NULL ? format->layout : "";
    if (!hm_is_same_text(layout, own) || (record->size == 0) != (difference->saved_size == 0))
        return false;
    if (format != NULL && format->decode != NULL && record->size != 0)
        return encoded_size <= HM_SAVE_MAX_ENCODED;
    return (flags & HM_SAVE_COMPONENT_ENCODED) == 0 && record->size == difference->saved_size &&
           difference->version == difference->saved_version;
}

/* Compares a component of the file with its match in the world. `head`: what is before its names.
 */
static hm_status world_match(world_load *load, world_part *part, const unsigned char *head,
                             const char *name, const char *layout)
{
    uint32_t flags = hm_load_16(head + 2);
    hm_component_difference difference = {.name = name,
                                          .is_saved = true,
                                          .saved_size = hm_load_32(head + 4),
                                          .saved_version = hm_load_32(head + 12)};
    hm_load_action action = HM_LOAD_DROP;
    *part = (world_part){.match = part->match,
                         .number = part->match,
                         .encoded_size = hm_load_32(head + 8),
                         .version = difference.saved_version,
                         .is_sparse = (flags & HM_SAVE_COMPONENT_SPARSE) != 0};
    if ((part->encoded_size == 0) != (difference.saved_size == 0) ||
        ((flags & HM_SAVE_COMPONENT_ENCODED) == 0 && part->encoded_size != difference.saved_size))
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0, "component '%.20s' has no such size",
                            name);
    if (part->number == HM_WORLD_NONE)
        return world_resolve(load, &difference, &action);
    const hm_world_component_record *record = hm_world_record(load->world, part->number);
    part->format = hm_save_format_of(load->desc, load->world->salt + part->number);
    difference.is_here = true;
    difference.size = (uint32_t)record->size;
    difference.version = part->format != NULL ? part->format->version : 0;
    bool is_sparse = record->sparse != HM_WORLD_NONE;
    if (is_sparse == part->is_sparse &&
        world_fits(part->format, record, &difference, flags, part->encoded_size, layout))
        return HM_OK;
    hm_status status = world_resolve(load, &difference, &action);
    part->is_zero = action == HM_LOAD_ZERO;
    if (!part->is_zero)
        part->number = HM_WORLD_NONE;
    if (status == HM_OK && part->is_zero && is_sparse != part->is_sparse)
        return hm_load_fail(&load->in, HM_ERROR_INVALID, 0,
                            "component '%.20s' has another storage in the file", name);
    return status;
}

static hm_status world_load_component(world_load *load, uint32_t i)
{
    hm_save_in *in = &load->in;
    unsigned char head[HM_SAVE_COMPONENT];
    char name[HM_SAVE_TEXT + 1], layout[HM_SAVE_TEXT + 1];
    if (!hm_load_bytes(in, head, sizeof head) || !hm_load_bytes(in, name, head[0]) ||
        !hm_load_bytes(in, layout, head[1]))
        return in->status;
    name[head[0]] = layout[head[1]] = '\0';
    world_part *part = world_part_at(load, i);
    part->match = world_find_name(load, name);
    for (uint32_t k = 0; k < i && part->match != HM_WORLD_NONE; k++)
        if (world_part_at(load, k)->match == part->match)
            return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "component '%.20s' is there twice", name);
    return world_match(load, part, head, name, layout);
}

/* Reports the components that the file has not. One that is dropped is in the file. */
static hm_status world_report_new(world_load *load, uint32_t count)
{
    for (uint32_t i = 0; i < load->world->component_count; i++) {
        const hm_world_component_record *record = hm_world_record(load->world, i);
        const hm_save_desc *format = hm_save_format_of(load->desc, load->world->salt + i);
        hm_component_difference difference = {.name = hm_save_name_of(load->world, load->desc, i),
                                              .is_here = true,
                                              .size = (uint32_t)record->size,
                                              .version = format != NULL ? format->version : 0};
        hm_load_action action;
        bool is_saved = false;
        for (uint32_t k = 0; k < count; k++)
            is_saved = is_saved || world_part_at(load, k)->match == i;
        if (is_saved)
            continue;
        hm_status status = world_resolve(load, &difference, &action);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

static hm_status world_load_components(world_load *load)
{
    uint32_t count = load->in.section.details[HM_SAVE_WORLD_COMPONENTS];
    const hm_array_desc desc = {
        .item_size = sizeof(world_part), .capacity = count + 1, .memory = load->world->memory};
    hm_status status = hm_array_init(&load->part_array, &desc);
    if (status == HM_OK)
        status = hm_array_resize(&load->part_array, count);
    load->is_kept = load->in.section.format != 1;
    for (uint32_t i = 0; i < count && status == HM_OK; i++) {
        status = world_load_component(load, i);
        load->is_kept = load->is_kept && world_part_at(load, i)->number != HM_WORLD_NONE;
    }
    return status == HM_OK ? world_report_new(load, count) : status;
}

/* entities */

/* Makes the id table, with places of zeros, which no row has: the store's first chunk has the cells
 * of the archetype without components, which nothing in a load widens. */
static hm_status world_load_ids(world_load *load)
{
    hm_world *fresh = &load->fresh;
    load->ids = (hm_load_ids){.ids = &fresh->ids, .owner = fresh, .move = world_load_move};
    hm_status status = hm_load_ids_part(&load->in, &load->ids);
    if (status != HM_OK)
        return status;
    hm_load_end_ids(&load->ids, &load->in, HM_OK);
    status = hm_world_prepare_entities(fresh, 0, false);
    if (status != HM_OK)
        return status;
    load->left = fresh->ids.count;
    return HM_OK;
}

/* archetypes */

/* Reads the components of an archetype: which parts they are, and which archetype that is here. */
static hm_status world_load_set(world_load *load, uint16_t *parts, uint32_t n)
{
    hm_save_in *in = &load->in;
    uint32_t count = in->section.details[HM_SAVE_WORLD_COMPONENTS], kept = 0;
    hm_component components[HM_WORLD_MAX_COMPONENTS];
    hm_world_set set;
    if (!hm_load_bytes(in, in->buffer, 2 * (size_t)n))
        return in->status;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = (uint16_t)hm_load_16(in->buffer + (size_t)2 * i);
        if (parts[i] >= count || (i > 0 && parts[i] <= parts[i - 1]) ||
            world_part_at(load, parts[i])->is_sparse)
            return hm_load_fail(in, HM_ERROR_CORRUPT, 2 * (size_t)(n - i),
                                "component %u is not of an archetype, or twice",
                                (unsigned)parts[i]);
        uint32_t number = world_part_at(load, parts[i])->number;
        if (number != HM_WORLD_NONE)
            components[kept++] = load->fresh.salt + number;
    }
    (void)hm_world_read_set(&load->fresh, components, kept, &set); /* Each is there once. */
    return hm_world_archetype_of(&load->fresh, &set, &load->archetype);
}

/* Whether a slot has an entity that has no row yet. */
static bool world_lacks_row(const world_load *load, uint32_t slot)
{
    const hm_id_table *ids = &load->fresh.ids;
    if (slot >= ids->slot_count || hm_handle_index(ids->entries[slot]) >= ids->count)
        return false;
    return (load->fresh.places[slot].chunk | load->fresh.places[slot].row) == 0;
}

/* Makes rows of a run for the slots that are given. */
static hm_status world_load_run(world_load *load, const unsigned char *slots, uint32_t left,
                                const hm_save_run *run)
{
    hm_world *fresh = &load->fresh;
    const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
    hm_handle *entities =
        hm_world_entities(fresh, archetype, run->place.chunk) + hm_world_place_row(run->place);
    hm_world_place place = run->place;
    for (uint32_t i = 0; i < run->rows; i++, place.row++) {
        uint32_t slot = hm_load_32(slots + (size_t)4 * i);
        if (!world_lacks_row(load, slot))
            return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 4 * (size_t)(left - i),
                                "slot %" HM_U32 " has no entity, or is named twice", slot);
        fresh->places[slot] = place;
        entities[i] = hm_handle_pack(slot, hm_handle_generation(fresh->ids.entries[slot]),
                                     fresh->ids.type_id);
    }
    return HM_OK;
}

/* Makes rows for the slots in the buffer, and lists their runs. */
static hm_status world_load_slots(world_load *load, uint32_t n, hm_save_run *runs, uint32_t *count)
{
    hm_world *fresh = &load->fresh;
    hm_status status = hm_world_prepare_chunks(fresh, load->archetype, n, load->classes);
    for (uint32_t left = n; left > 0 && status == HM_OK; left -= runs++->rows, ++*count) {
        runs->place = hm_world_append_run(fresh, load->archetype, left, &runs->rows);
        status = world_load_run(load, load->in.buffer + (size_t)4 * (n - left), left, runs);
    }
    return status;
}

/* Reads n values of a component, or passes over them. */
static hm_status world_load_column(world_load *load, const world_part *part, uint32_t n,
                                   const hm_save_run *runs, uint32_t count)
{
    hm_save_in *in = &load->in;
    hm_world *fresh = &load->fresh;
    const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
    bool is_read = part->number != HM_WORLD_NONE && !part->is_zero;
    if (!is_read && !hm_load_pass(in, (uint64_t)part->encoded_size * n))
        return in->status;
    in->section.encoded_size = part->encoded_size;
    in->section.version = part->version;
    load->made = 0;
    for (uint32_t r = 0; r < count && part->number != HM_WORLD_NONE; r++) {
        const hm_world_cell *cell = &archetype->cells[part->number];
        if (cell->size == 0)
            return HM_OK;
        unsigned char *values =
            hm_world_address(fresh, archetype, runs[r].place, cell->offset, cell->size);
        if (is_read)
            load->made += hm_load_items(in, part->format, values, cell->size, runs[r].rows);
        else
            memset(values, 0, (size_t)cell->size * runs[r].rows);
        if (in->status != HM_OK)
            return in->status;
    }
    return HM_OK;
}

/* Whether values of a component have to be destroyed if the load fails. */
static bool world_destroys(const world_load *load, const world_part *part)
{
    return part->number != HM_WORLD_NONE && !part->is_zero && part->format != NULL &&
           part->format->decode != NULL &&
           hm_world_record(&load->fresh, part->number)->destroy != NULL;
}

/* Destroys the first n of a column's values. */
static void world_destroy_column(const world_load *load, const world_part *part, uint32_t n,
                                 const hm_save_run *runs)
{
    const hm_world *fresh = &load->fresh;
    const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
    if (!world_destroys(load, part))
        return;
    const hm_world_component_record *record = hm_world_record(fresh, part->number);
    const hm_world_cell *cell = &archetype->cells[part->number];
    for (; n > 0; runs++) {
        unsigned char *values =
            hm_world_address(fresh, archetype, runs->place, cell->offset, cell->size);
        for (uint32_t i = 0; i < runs->rows && n > 0; i++, n--)
            record->destroy(values + (size_t)cell->size * i, record->context);
    }
}

/* Reads a group of at most 64 rows. If that fails, the archetype does not keep them. */
static hm_status world_load_rows(world_load *load, const uint16_t *parts, uint32_t set_count,
                                 uint32_t n)
{
    hm_save_run runs[HM_SAVE_ROWS];
    uint32_t count = 0, done = 0, before = load->fresh.archetypes[load->archetype].count;
    if (!hm_load_bytes(&load->in, load->in.buffer, 4 * (size_t)n))
        return load->in.status;
    hm_status status = world_load_slots(load, n, runs, &count);
    if (status != HM_OK) {
        load->fresh.archetypes[load->archetype].count = before;
        return status;
    }
    while (done < set_count && status == HM_OK) {
        status = world_load_column(load, world_part_at(load, parts[done]), n, runs, count);
        done += status == HM_OK;
    }
    if (status == HM_OK)
        return HM_OK;
    for (uint32_t i = 0; i <= done; i++)
        world_destroy_column(load, world_part_at(load, parts[i]), i < done ? n : load->made, runs);
    load->fresh.archetypes[load->archetype].count = before;
    return status;
}

/* Reads a time of the clock, `back` bytes before which the next byte of the payload is. */
static hm_status world_load_time(world_load *load, const unsigned char *bytes, size_t back,
                                 uint64_t *time)
{
    uint64_t most = load->clock - load->world->clock;
    if (hm_load_64(bytes) > most)
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, back, "a change is later than the clock");
    uint64_t read = load->world->clock + hm_load_64(bytes);
    *time = read > *time ? read : *time;
    return HM_OK;
}

/* Reads when each column of the archetype last changed. */
static hm_status world_load_times(world_load *load, const uint16_t *parts, uint32_t set_count)
{
    hm_save_in *in = &load->in;
    const hm_world_archetype *archetype = &load->fresh.archetypes[load->archetype];
    hm_status status = HM_OK;
    size_t size = 0, at = 0;
    for (uint32_t i = 0; i < set_count; i++)
        size += world_part_at(load, parts[i])->encoded_size != 0 ? HM_SAVE_TIME : 0;
    if (!hm_load_bytes(in, in->buffer, size))
        return in->status;
    for (uint32_t i = 0; i < set_count && status == HM_OK; i++) {
        const world_part *part = world_part_at(load, parts[i]);
        const hm_world_cell *cell = hm_world_cell_of(archetype, part->number);
        uint64_t none = 0, *time = &none;
        if (part->encoded_size == 0)
            continue;
        if (cell->size != 0) /* It may be dropped, or a tag here. */
            time = &archetype->column_changed[cell->column];
        status = world_load_time(load, in->buffer + at, size - at, time);
        at += HM_SAVE_TIME;
    }
    return status;
}

/* Reads the set of an archetype, and makes sure that it has the number that the file says. */
static hm_status world_load_numbered(world_load *load, uint16_t *parts, uint32_t set_count,
                                     uint32_t number)
{
    const uint32_t *details = load->in.section.details;
    uint64_t numbers = (uint64_t)details[HM_SAVE_WORLD_ARCHETYPES] + details[HM_SAVE_WORLD_DROPPED];
    hm_status status = HM_OK;
    bool is_kept = load->is_kept;
    while (is_kept && number < numbers && load->fresh.archetype_array.count < number &&
           status == HM_OK)
        status = hm_world_skip_archetype(&load->fresh);
    if (status == HM_OK)
        status = world_load_set(load, parts, set_count);
    if (status == HM_OK && is_kept && load->archetype != number)
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0,
                            "archetype %" HM_U32 " comes after others, or is there twice", number);
    return status;
}

/* Reads the rows of an archetype, which it may have had some of. */
static hm_status world_load_all_rows(world_load *load, const uint16_t *parts, uint32_t set_count,
                                     uint32_t rows)
{
    hm_status status = HM_OK;
    load->left -= rows;
    while (rows > 0 && status == HM_OK) {
        uint32_t n = rows < HM_SAVE_ROWS ? rows : HM_SAVE_ROWS;
        status = world_load_rows(load, parts, set_count, n);
        rows -= n;
    }
    return status;
}

static hm_status world_load_spares(world_load *load, uint32_t spares)
{
    const hm_world_archetype *archetype = &load->fresh.archetypes[load->archetype];
    uint32_t most = hm_save_most_spares(archetype, archetype->chunk_count);
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < spares && i < most && status == HM_OK; i++)
        status = hm_world_add_spare(&load->fresh, load->archetype, load->classes);
    return status;
}

static hm_status world_load_archetype(world_load *load)
{
    hm_save_in *in = &load->in;
    hm_world *fresh = &load->fresh;
    uint16_t parts[HM_WORLD_MAX_COMPONENTS] = {0};
    unsigned char head[HM_SAVE_ARCHETYPE] = {0};
    const bool is_old = in->section.format == 1;
    size_t size = is_old ? HM_SAVE_OLD_ARCHETYPE : HM_SAVE_ARCHETYPE;
    if (!hm_load_bytes(in, head, size))
        return in->status;
    uint32_t rows = hm_load_32(head), set_count = hm_load_32(head + 4);
    if (rows > load->left || set_count > in->section.details[HM_SAVE_WORLD_COMPONENTS])
        return hm_load_fail(in, HM_ERROR_CORRUPT, size,
                            "an archetype cannot have %" HM_U32 " rows of %" HM_U32 " components",
                            rows, set_count);
    load->classes = load->is_kept ? head[12] : HM_WORLD_NONE;
    if (!is_old)
        fresh->clock = load->world->clock;
    hm_status status = world_load_numbered(load, parts, set_count, hm_load_32(head + 8));
    if (status == HM_OK && !is_old)
        status = world_load_times(load, parts, set_count);
    uint64_t changed = status == HM_OK ? fresh->archetypes[load->archetype].changed : 0;
    if (status == HM_OK)
        status = world_load_time(load, head + 13, 0, &changed);
    if (status == HM_OK)
        status = world_load_all_rows(load, parts, set_count, rows);
    if (status == HM_OK && load->is_kept)
        status = world_load_spares(load, head[12] >> HM_SAVE_SPARE_SHIFT);
    if (status == HM_OK && !is_old)
        fresh->archetypes[load->archetype].changed = changed;
    return status;
}

/* Reads the numbers that no archetype has. */
static hm_status world_load_dropped(world_load *load)
{
    hm_save_in *in = &load->in;
    hm_world *fresh = &load->fresh;
    uint32_t count = in->section.details[HM_SAVE_WORLD_DROPPED], last = HM_WORLD_NONE;
    hm_status status = HM_OK;
    if (in->section.format == 1)
        return HM_OK;
    if (!load->is_kept)
        return hm_load_pass(in, (uint64_t)4 * count) ? HM_OK : in->status;
    while (status == HM_OK && fresh->archetype_array.count <
                                  (uint64_t)in->section.details[HM_SAVE_WORLD_ARCHETYPES] + count)
        status = hm_world_skip_archetype(fresh);
    for (uint32_t i = 0; i < count && status == HM_OK; i++) {
        if (!hm_load_bytes(in, in->buffer, 4))
            return in->status;
        if (!hm_world_list_dropped(fresh, hm_load_32(in->buffer), &last))
            return hm_load_fail(in, HM_ERROR_CORRUPT, 4,
                                "archetype %" HM_U32 " is no free number, or is named twice",
                                hm_load_32(in->buffer));
    }
    return status;
}

/* sparse values */

/* Gives the owners of sparse values their bits. */
static hm_status world_mark_sparse(world_load *load, uint32_t number)
{
    hm_world *fresh = &load->fresh;
    const hm_secondary *sparse = hm_world_sparse(fresh, number);
    hm_world_component_record *record = hm_world_record(fresh, number);
    for (uint32_t i = 0; i < load->made; i++)
        if (!hm_id_table_contains(&fresh->ids, sparse->owners[i]))
            return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0,
                                "0x%016" HM_X64 " has a value, but is not alive",
                                sparse->owners[i].bits);
    hm_status status = load->made != 0 ? hm_world_prepare_masks(fresh) : HM_OK;
    for (uint32_t i = 0; i < load->made && status == HM_OK; i++)
        *hm_world_mask(fresh, sparse->owners[i]) |= UINT64_C(1) << record->sparse % 64;
    if (load->in.section.format == 1)
        record->changed = ++fresh->clock;
    return status;
}

static hm_status world_load_values(world_load *load, const world_part *part, uint32_t count)
{
    hm_save_in *in = &load->in;
    hm_secondary *sparse = hm_world_sparse(&load->fresh, part->number);
    in->section.encoded_size = part->encoded_size;
    in->section.version = part->version;
    if (!part->is_zero)
        return hm_load_values(in, sparse, part->format, count, &load->made);
    if (!hm_load_pass(in, (uint64_t)part->encoded_size * count))
        return in->status;
    hm_status status = hm_secondary_make_room(sparse, 0, count);
    if (status != HM_OK)
        return status;
    hm_memory_unpoison(sparse->values, sparse->value_size * count);
    memset(sparse->values, 0, sparse->value_size * count);
    load->made = count;
    return HM_OK;
}

static hm_status world_load_sparse(world_load *load, const world_part *part)
{
    hm_save_in *in = &load->in;
    uint64_t changed = 0;
    unsigned char head[4 + HM_SAVE_TIME] = {0};
    size_t size = in->section.format == 1 ? 4 : sizeof head;
    if (!hm_load_bytes(in, head, size))
        return in->status;
    uint32_t count = hm_load_32(head), type_id = load->fresh.ids.type_id;
    if (count > load->fresh.ids.count)
        return hm_load_fail(in, HM_ERROR_CORRUPT, size, "%" HM_U32 " entities cannot have a value",
                            count);
    if (world_load_time(load, head + 4, HM_SAVE_TIME, &changed) != HM_OK)
        return in->status;
    if (part->number == HM_WORLD_NONE)
        return hm_load_pass(in, ((uint64_t)part->encoded_size + HM_SAVE_OWNER) * count)
                   ? HM_OK
                   : in->status;
    hm_secondary *sparse = hm_world_sparse(&load->fresh, part->number);
    hm_world_record(&load->fresh, part->number)->changed = changed;
    load->made = 0;
    hm_guard_enter(&sparse->guard);
    hm_status status = world_load_values(load, part, count);
    if (status == HM_OK)
        status = hm_load_owners(in, sparse->owners, count, load->fresh.ids.slot_count, type_id);
    if (status == HM_OK)
        status = world_mark_sparse(load, part->number);
    if (status == HM_OK)
        status = hm_load_publish_owners(in, sparse, count, hm_save_slots_of(sparse->owners, count));
    hm_guard_leave(&sparse->guard, hm_secondary_committed_values(sparse));
    if (status != HM_OK && !part->is_zero)
        hm_load_destroy_values(sparse, part->format, load->made);
    return status;
}

/* all */

/* Sets the clock, and reserves what was reserved: not more than save.h says, since a file may lie,
 * or than the world has a capacity for. */
static hm_status world_load_ready(world_load *load)
{
    hm_world *fresh = &load->fresh;
    uint32_t ready = load->in.section.details[HM_SAVE_WORLD_READY], count = fresh->ids.count;
    uint32_t most = count > WORLD_READY ? count : WORLD_READY, room = hm_world_capacity(fresh);
    fresh->clock = load->clock;
    if (most > room - count)
        most = room - count;
    hm_status status = ready != 0 ? hm_world_reserve(fresh, ready < most ? ready : most) : HM_OK;
    if (status != HM_ERROR_FULL)
        return status;
    hm_restore_last_error(); /* The index space is smaller than the saved world's. */
    return HM_OK;
}

static hm_status world_load_parts(world_load *load)
{
    hm_save_in *in = &load->in;
    hm_status status = world_load_components(load);
    if (status == HM_OK)
        status = world_load_ids(load);
    for (uint32_t i = 0; i < in->section.details[HM_SAVE_WORLD_ARCHETYPES] && status == HM_OK; i++)
        status = world_load_archetype(load);
    if (status == HM_OK && load->left != 0)
        status =
            hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " entities have no row", load->left);
    if (status == HM_OK)
        status = world_load_dropped(load);
    for (uint32_t i = 0; i < in->section.details[HM_SAVE_WORLD_COMPONENTS] && status == HM_OK; i++)
        if (world_part_at(load, i)->is_sparse)
            status = world_load_sparse(load, world_part_at(load, i));
    if (status == HM_OK && in->section.format != 1)
        status = world_load_ready(load);
    return status == HM_OK ? hm_load_end(in) : status;
}

/* Destroys the values of a component in all rows. */
static void world_destroy_rows(world_load *load, const world_part *part)
{
    const hm_world *fresh = &load->fresh;
    for (load->archetype = 0; load->archetype < fresh->archetype_array.count; load->archetype++) {
        const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
        hm_save_run run = {{archetype->first, load->archetype << HM_WORLD_ROW_BITS}, 0};
        uint32_t left = archetype->count;
        if (!hm_world_cell_of(archetype, part->number)->is_present)
            continue;
        for (; left > 0; left -= run.rows) {
            run.rows = archetype->rows[hm_world_chunk_class(run.place.chunk)];
            if (run.rows > left)
                run.rows = left;
            world_destroy_column(load, part, run.rows, &run);
            run.place.chunk = hm_world_link_of(fresh, run.place.chunk)->next;
        }
    }
}

/* Destroys what decode has made. */
static void world_load_destroy(world_load *load)
{
    for (uint32_t i = 0; i < hm_array_count(&load->part_array); i++) {
        const world_part *part = world_part_at(load, i);
        if (!world_destroys(load, part))
            continue;
        if (!part->is_sparse) {
            world_destroy_rows(load, part);
            continue;
        }
        const hm_secondary *sparse = hm_world_sparse(&load->fresh, part->number);
        hm_load_destroy_values(sparse, part->format, sparse->count);
    }
}

/* Keeps the hooks for what decode has made: values that it has not made are nobody's until a merge
 * inserts them. */
static void world_keep_hooks(world_load *load)
{
    bool keeps[HM_WORLD_MAX_COMPONENTS] = {false};
    for (uint32_t i = 0; i < hm_array_count(&load->part_array); i++)
        if (world_destroys(load, world_part_at(load, i)))
            keeps[world_part_at(load, i)->number] = true;
    for (uint32_t i = 0; i < load->fresh.component_count; i++)
        if (!keeps[i])
            hm_world_record(&load->fresh, i)->destroy = NULL;
}

static hm_status world_load_all(world_load *load, hm_source source)
{
    const hm_save_desc plain = {.name = load->desc != NULL ? load->desc->name : NULL};
    hm_status status = hm_load_find(&load->in, HM_SAVE_WORLD, &plain, load->world->name, source);
    if (status == HM_OK)
        status = world_load_check(load);
    if (status == HM_OK) {
        status = hm_load_confirm(&load->in, world_load_parts(load));
        if (status != HM_OK)
            world_load_destroy(load);
        else if (load->is_merge)
            world_keep_hooks(load);
        hm_array_fini(&load->part_array);
    }
    return status;
}

static hm_status world_load_as(hm_world *world, const hm_world_save_desc *desc, hm_source source,
                               bool is_merge)
{
    world_load load;
    hm_status status = hm_world_check_idle(world);
    if (status == HM_OK && world->memory == NULL)
        status = hm_fail_uninitialised("world");
    if (status == HM_OK)
        status = hm_load_check_unused(&world->ids, "world", world->name);
    if (status == HM_OK && world->promised != 0)
        status = hm_load_fail_used("world", world->name);
    if (status == HM_OK)
        status = hm_save_check_components(world, desc);
    if (status == HM_OK)
        status = hm_world_init_like(&load.fresh, world);
    if (status != HM_OK)
        return hm_world_blame(world, status);
    load.world = world;
    load.desc = desc;
    load.is_merge = is_merge;
    load.part_array = (hm_array){0};
    hm_world_enter(world);
    status = world_load_all(&load, source);
    if (status == HM_OK)
        hm_world_take(world, &load.fresh);
    else
        hm_world_release(&load.fresh);
    hm_world_leave(world);
    return hm_world_blame(world, status);
}

hm_status hm_world_load(hm_world *world, const hm_world_save_desc *desc, hm_source source)
{
    HM_CONTRACT(world != NULL, "hm_world_load: world is NULL");
    return world_load_as(world, desc, source, false);
}

hm_status hm_load_merged_world(hm_world *world, const hm_world_save_desc *desc, hm_source source)
{
    return world_load_as(world, desc, source, true);
}

/* SPDX-License-Identifier: MIT */
/* save: loads the archetypes of worlds. */
#include "../world/world_private.h"
#include "save_private.h"

#include "../base/base_private.h"

/* Reads the components of an archetype: which parts they are, and which archetype that is here. */
static hm_status archetype_load_set(hm_load_world *load, uint16_t *parts, uint32_t n)
{
    hm_save_in *in = &load->in;
    uint32_t count = in->section.details[HM_SAVE_WORLD_COMPONENTS], kept = 0;
    hm_component components[HM_WORLD_MAX_COMPONENTS];
    hm_world_set set;
    if (!hm_load_read(in, in->buffer, 2 * (size_t)n))
        return in->status;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = (uint16_t)hm_load_16(in->buffer + (size_t)2 * i);
        if (parts[i] >= count || (i > 0 && parts[i] <= parts[i - 1]) ||
            hm_load_component_at(load, parts[i])->is_sparse)
            return hm_load_fail(in, HM_ERROR_CORRUPT, 2 * (size_t)(n - i),
                                "component %u is not of an archetype, or twice",
                                (unsigned)parts[i]);
        uint32_t number = hm_load_component_at(load, parts[i])->number;
        if (number != HM_WORLD_NONE)
            components[kept++] = load->fresh.salt + number;
    }
    (void)hm_world_read_set(&load->fresh, components, kept, &set); /* Each is there once. */
    return hm_world_archetype_of(&load->fresh, &set, &load->archetype);
}

/* Whether a slot has an entity that has no row yet. */
static bool archetype_lacks_row(const hm_load_world *load, uint32_t slot)
{
    const hm_id_table *ids = &load->fresh.ids;
    if (slot >= ids->slot_count || hm_handle_index(ids->entries[slot]) >= ids->count)
        return false;
    return (load->fresh.places[slot].chunk | load->fresh.places[slot].row) == 0;
}

/* Makes rows of a run for the slots that are given. */
static hm_status archetype_load_run(hm_load_world *load, const unsigned char *slots, uint32_t left,
                                    const hm_save_run *run)
{
    hm_world *fresh = &load->fresh;
    const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
    hm_handle *entities =
        hm_world_entities(fresh, archetype, run->place.chunk) + hm_world_place_row(run->place);
    hm_world_place place = run->place;
    for (uint32_t i = 0; i < run->rows; i++, place.row++) {
        uint32_t slot = hm_load_32(slots + (size_t)4 * i);
        if (!archetype_lacks_row(load, slot))
            return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 4 * (size_t)(left - i),
                                "slot %" HM_U32 " has no entity, or is named twice", slot);
        fresh->places[slot] = place;
        entities[i] = hm_handle_pack(slot, hm_handle_generation(fresh->ids.entries[slot]),
                                     fresh->ids.type_id);
    }
    return HM_OK;
}

/* Adds the next chunk, of the class that the file says. */
static hm_status archetype_add_chunk(hm_load_world *load)
{
    uint32_t ordinal = load->fresh.archetypes[load->archetype].chunk_count, chunk;
    uint32_t size_class = HM_WORLD_CLASSES - 1;
    if (ordinal < HM_WORLD_SMALL_CHUNKS)
        size_class = load->classes >> HM_SAVE_CLASS_BITS * ordinal & HM_SAVE_CLASS_MASK;
    hm_status status = hm_world_add_chunk(&load->fresh, load->archetype, size_class, &chunk);
    return hm_world_blame(&load->fresh, status);
}

/* Makes n rows fit, in chunks like the saved world's if archetypes are kept. */
static hm_status archetype_load_chunks(hm_load_world *load, uint32_t n)
{
    const hm_world_archetype *archetype = &load->fresh.archetypes[load->archetype];
    hm_status status = HM_OK;
    uint32_t room = 0;
    if (archetype->last != HM_WORLD_NONE)
        room = archetype->rows[hm_world_chunk_class(archetype->last)] - archetype->last_rows;
    while (load->is_kept && status == HM_OK && room < n &&
           archetype->chunk_count < HM_WORLD_SMALL_CHUNKS) {
        status = archetype_add_chunk(load);
        if (status == HM_OK)
            room += archetype->rows[hm_world_chunk_class(archetype->tail)];
    }
    return status == HM_OK ? hm_world_prepare_chunks(&load->fresh, load->archetype, n) : status;
}

/* Makes rows for the slots in the buffer, and lists their runs. */
static hm_status archetype_load_slots(hm_load_world *load, uint32_t n, hm_save_run *runs,
                                      uint32_t *count)
{
    hm_world *fresh = &load->fresh;
    hm_status status = archetype_load_chunks(load, n);
    for (uint32_t left = n; left > 0 && status == HM_OK; left -= runs++->rows, ++*count) {
        runs->place = hm_world_append_run(fresh, load->archetype, left, &runs->rows);
        status = archetype_load_run(load, load->in.buffer + (size_t)4 * (n - left), left, runs);
    }
    return status;
}

/* Reads n values of a component, or passes over them. */
static hm_status archetype_load_column(hm_load_world *load, const hm_load_component *part,
                                       uint32_t n, const hm_save_run *runs, uint32_t count)
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

bool hm_load_destroys(const hm_load_world *load, const hm_load_component *part)
{
    return part->number != HM_WORLD_NONE && !part->is_zero && part->format != NULL &&
           part->format->decode != NULL &&
           hm_world_record(&load->fresh, part->number)->destroy != NULL;
}

/* Destroys the first n of a column's values. */
static void archetype_destroy_column(const hm_load_world *load, const hm_load_component *part,
                                     uint32_t n, const hm_save_run *runs)
{
    const hm_world *fresh = &load->fresh;
    const hm_world_archetype *archetype = &fresh->archetypes[load->archetype];
    if (!hm_load_destroys(load, part))
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
static hm_status archetype_load_rows(hm_load_world *load, const uint16_t *parts, uint32_t set_count,
                                     uint32_t n)
{
    hm_save_run runs[HM_SAVE_ROWS];
    uint32_t count = 0, done = 0, before = load->fresh.archetypes[load->archetype].count;
    if (!hm_load_read(&load->in, load->in.buffer, 4 * (size_t)n))
        return load->in.status;
    hm_status status = archetype_load_slots(load, n, runs, &count);
    if (status != HM_OK) {
        load->fresh.archetypes[load->archetype].count = before;
        return status;
    }
    while (done < set_count && status == HM_OK) {
        status =
            archetype_load_column(load, hm_load_component_at(load, parts[done]), n, runs, count);
        done += status == HM_OK;
    }
    if (status == HM_OK)
        return HM_OK;
    for (uint32_t i = 0; i <= done; i++)
        archetype_destroy_column(load, hm_load_component_at(load, parts[i]),
                                 i < done ? n : load->made, runs);
    load->fresh.archetypes[load->archetype].count = before;
    return status;
}

hm_status hm_load_time(hm_load_world *load, const unsigned char *bytes, size_t back, uint64_t *time)
{
    uint64_t most = load->clock - load->world->clock;
    if (hm_load_64(bytes) > most)
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, back, "a change is later than the clock");
    uint64_t read = load->world->clock + hm_load_64(bytes);
    *time = read > *time ? read : *time;
    return HM_OK;
}

/* Reads when each column of the archetype last changed. */
static hm_status archetype_load_times(hm_load_world *load, const uint16_t *parts,
                                      uint32_t set_count)
{
    hm_save_in *in = &load->in;
    const hm_world_archetype *archetype = &load->fresh.archetypes[load->archetype];
    hm_status status = HM_OK;
    size_t size = 0, at = 0;
    for (uint32_t i = 0; i < set_count; i++)
        size += hm_load_component_at(load, parts[i])->encoded_size != 0 ? HM_SAVE_TIME : 0;
    if (!hm_load_read(in, in->buffer, size))
        return in->status;
    for (uint32_t i = 0; i < set_count && status == HM_OK; i++) {
        const hm_load_component *part = hm_load_component_at(load, parts[i]);
        const hm_world_cell *cell = hm_world_cell_of(archetype, part->number);
        uint64_t none = 0, *time = &none;
        if (part->encoded_size == 0)
            continue;
        if (cell->size != 0) /* It may be dropped, or a tag here. */
            time = &archetype->column_changed[cell->column];
        status = hm_load_time(load, in->buffer + at, size - at, time);
        at += HM_SAVE_TIME;
    }
    return status;
}

/* Reads the set of an archetype. If it is kept, it gets the number that the file says. */
static hm_status archetype_load_numbered(hm_load_world *load, uint16_t *parts, uint32_t set_count,
                                         uint32_t number)
{
    const uint32_t *details = load->in.section.details;
    uint64_t numbers = (uint64_t)details[HM_SAVE_WORLD_ARCHETYPES] + details[HM_SAVE_WORLD_DROPPED];
    hm_status status = HM_OK;
    if (!load->is_kept)
        return archetype_load_set(load, parts, set_count);
    while (status == HM_OK && number < numbers && load->fresh.archetype_array.count < number)
        status = hm_world_skip_archetype(&load->fresh);
    if (status == HM_OK)
        status = archetype_load_set(load, parts, set_count);
    if (status == HM_OK && load->archetype != number)
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0,
                            "archetype %" HM_U32 " comes after others, or is there twice", number);
    return status;
}

/* Reads the rows of an archetype, which it may have had some of. */
static hm_status archetype_load_all_rows(hm_load_world *load, const uint16_t *parts,
                                         uint32_t set_count, uint32_t rows)
{
    hm_status status = HM_OK;
    load->left -= rows;
    while (rows > 0 && status == HM_OK) {
        uint32_t n = rows < HM_SAVE_ROWS ? rows : HM_SAVE_ROWS;
        status = archetype_load_rows(load, parts, set_count, n);
        rows -= n;
    }
    return status;
}

static hm_status archetype_load_spares(hm_load_world *load, uint32_t spares)
{
    const hm_world_archetype *archetype = &load->fresh.archetypes[load->archetype];
    uint32_t most = hm_save_most_spares(archetype, archetype->chunk_count);
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < spares && i < most && status == HM_OK; i++)
        status = archetype_add_chunk(load);
    return status;
}

static hm_status archetype_load(hm_load_world *load)
{
    hm_save_in *in = &load->in;
    hm_world *fresh = &load->fresh;
    uint16_t parts[HM_WORLD_MAX_COMPONENTS] = {0};
    unsigned char head[HM_SAVE_ARCHETYPE] = {0};
    const bool is_old = in->section.format == 1;
    size_t size = is_old ? HM_SAVE_OLD_ARCHETYPE : HM_SAVE_ARCHETYPE;
    if (!hm_load_read(in, head, size))
        return in->status;
    uint32_t rows = hm_load_32(head), set_count = hm_load_32(head + 4);
    if (rows > load->left || set_count > in->section.details[HM_SAVE_WORLD_COMPONENTS])
        return hm_load_fail(in, HM_ERROR_CORRUPT, size,
                            "an archetype cannot have %" HM_U32 " rows of %" HM_U32 " components",
                            rows, set_count);
    load->classes = head[12];
    if (!is_old)
        fresh->clock = load->world->clock;
    hm_status status = archetype_load_numbered(load, parts, set_count, hm_load_32(head + 8));
    if (status == HM_OK && !is_old)
        status = archetype_load_times(load, parts, set_count);
    uint64_t changed = status == HM_OK ? fresh->archetypes[load->archetype].changed : 0;
    if (status == HM_OK)
        status = hm_load_time(load, head + 13, 0, &changed);
    if (status == HM_OK)
        status = archetype_load_all_rows(load, parts, set_count, rows);
    if (status == HM_OK && load->is_kept)
        status = archetype_load_spares(load, head[12] >> HM_SAVE_SPARE_SHIFT);
    if (status == HM_OK && !is_old)
        fresh->archetypes[load->archetype].changed = changed;
    return status;
}

/* Reads the numbers that no archetype has. */
static hm_status archetype_load_dropped(hm_load_world *load)
{
    hm_save_in *in = &load->in;
    hm_world *fresh = &load->fresh;
    uint32_t count = in->section.details[HM_SAVE_WORLD_DROPPED], last = HM_WORLD_NONE;
    hm_status status = HM_OK;
    if (!load->is_kept)
        return hm_load_pass(in, (uint64_t)4 * count) ? HM_OK : in->status;
    while (status == HM_OK && fresh->archetype_array.count <
                                  (uint64_t)in->section.details[HM_SAVE_WORLD_ARCHETYPES] + count)
        status = hm_world_skip_archetype(fresh);
    for (uint32_t i = 0; i < count && status == HM_OK; i++) {
        if (!hm_load_read(in, in->buffer, 4))
            return in->status;
        if (!hm_world_list_dropped(fresh, hm_load_32(in->buffer), &last))
            return hm_load_fail(in, HM_ERROR_CORRUPT, 4,
                                "archetype %" HM_U32 " is no free number, or is named twice",
                                hm_load_32(in->buffer));
    }
    return status;
}

void hm_load_destroy_rows(hm_load_world *load, const hm_load_component *part)
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
            archetype_destroy_column(load, part, run.rows, &run);
            run.place.chunk = hm_world_link_of(fresh, run.place.chunk)->next;
        }
    }
}

hm_status hm_load_archetypes(hm_load_world *load)
{
    hm_save_in *in = &load->in;
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < in->section.details[HM_SAVE_WORLD_ARCHETYPES] && status == HM_OK; i++)
        status = archetype_load(load);
    if (status == HM_OK && load->left != 0)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " entities have no row",
                            load->left);
    return status == HM_OK && in->section.format != 1 ? archetype_load_dropped(load) : status;
}

/* SPDX-License-Identifier: MIT */
/* save: worlds. Their payload: the components; the part of the id table; the archetypes, with their
 * rows in groups of 64, each with the slots of its entities and then column after column; the free
 * numbers of archetypes, the next one first; the sparse values, component after component. */
#include "../world/world_private.h"
#include "save_private.h"

#include "../base/base_private.h"

const hm_save_desc *hm_save_format_of(const hm_world_save_desc *desc, hm_component component)
{
    for (uint32_t i = 0; desc != NULL && i < desc->format_count; i++)
        if (desc->formats[i].component == component)
            return &desc->formats[i].format;
    return NULL;
}

const char *hm_save_name_of(const hm_world *world, const hm_world_save_desc *desc, uint32_t number)
{
    const hm_save_desc *format = hm_save_format_of(desc, world->salt + number);
    return format != NULL && format->name != NULL ? format->name
                                                  : hm_world_record(world, number)->name;
}

hm_status hm_save_check_formats(const hm_world *world, const hm_world_save_desc *desc)
{
    for (uint32_t i = 0; desc != NULL && i < desc->format_count; i++) {
        hm_component component = desc->formats[i].component;
        uint32_t number = component - world->salt;
        if (number >= world->component_count)
            return hm_fail(HM_ERROR_INVALID, "format %" HM_U32 " is for no component of '%.40s'", i,
                           world->name);
        if (hm_save_format_of(desc, component) != &desc->formats[i].format)
            return hm_world_refuse_component(world, number, "has two formats");
    }
    return HM_OK;
}

hm_status hm_save_check_components(const hm_world *world, const hm_world_save_desc *desc)
{
    hm_status formats = hm_save_check_formats(world, desc);
    if (formats != HM_OK)
        return formats;
    for (uint32_t i = 0; i < world->component_count; i++) {
        const char *name = hm_save_name_of(world, desc, i);
        if (name == NULL)
            return hm_world_refuse_component(world, i, "has no name, by which files know it");
        hm_status status = hm_save_check_names(hm_save_format_of(desc, world->salt + i), name);
        if (status != HM_OK)
            return status;
        for (uint32_t k = 0; k < i; k++)
            if (hm_is_same_text(name, hm_save_name_of(world, desc, k)))
                return hm_world_refuse_component(world, i, "has the name of another one");
    }
    return HM_OK;
}

/* Fills in the names and sizes of a component. */
static hm_status world_describe(const hm_world *world, const hm_world_save_desc *desc,
                                uint32_t number, hm_save_section *part)
{
    const hm_save_desc *format = hm_save_format_of(desc, world->salt + number);
    part->item_size = (uint32_t)hm_world_record(world, number)->size;
    part->flags = 0;
    if (part->item_size == 0 && format != NULL && format->encode != NULL)
        return hm_world_refuse_component(world, number, HM_WORLD_IS_TAG);
    return hm_save_describe(part, format, hm_save_name_of(world, desc, number));
}

static uint32_t world_encoded_size(const hm_world *world, const hm_world_save_desc *desc,
                                   uint32_t number)
{
    const hm_save_desc *format = hm_save_format_of(desc, world->salt + number);
    if (format != NULL && format->encode != NULL)
        return (uint32_t)format->encoded_size;
    return (uint32_t)hm_world_record(world, number)->size;
}

/* Checks the components, and adds up the bytes of their list and of the sparse values. */
static hm_status world_measure_components(const hm_world *world, const hm_world_save_desc *desc,
                                          uint64_t *size)
{
    hm_status status = hm_save_check_components(world, desc);
    for (uint32_t i = 0; i < world->component_count && status == HM_OK; i++) {
        hm_save_section part = {.name = "", .layout = ""};
        status = world_describe(world, desc, i, &part);
        if (status != HM_OK)
            return status;
        *size += HM_SAVE_COMPONENT + hm_save_length(part.name) + hm_save_length(part.layout);
        if (hm_world_is_sparse(world, i))
            *size += 4 + HM_SAVE_TIME +
                     (uint64_t)hm_secondary_count(hm_world_sparse(world, i)) *
                         (HM_SAVE_OWNER + part.encoded_size);
    }
    return status;
}

static uint64_t world_size_of_archetype(const hm_world *world, const hm_world_save_desc *desc,
                                        const hm_world_archetype *archetype)
{
    uint64_t row = 4;
    for (uint32_t i = 0; i < archetype->set_count; i++)
        row += world_encoded_size(world, desc, archetype->set[i]);
    return HM_SAVE_ARCHETYPE + 2 * (uint64_t)archetype->set_count +
           (uint64_t)HM_SAVE_TIME * archetype->column_count + archetype->count * row;
}

/* Returns what is said of the chunks of an archetype. */
static uint32_t world_describe_chunks(const hm_world *world, const hm_world_archetype *archetype)
{
    uint32_t chunk = archetype->first, classes = 0, used = 0;
    if (archetype->last != HM_WORLD_NONE)
        used = hm_world_link_of(world, archetype->last)->ordinal + 1;
    uint32_t spares = archetype->chunk_count - used, most = hm_save_most_spares(archetype, used);
    if (spares > most)
        spares = most;
    for (uint32_t i = 0; i < HM_WORLD_SMALL_CHUNKS && i < used + spares; i++) {
        classes |= hm_world_chunk_class(chunk) << HM_SAVE_CLASS_BITS * i;
        chunk = hm_world_link_of(world, chunk)->next;
    }
    return classes | spares << HM_SAVE_SPARE_SHIFT;
}

static void world_save_components(hm_save_out *out, const hm_world *world,
                                  const hm_world_save_desc *desc)
{
    for (uint32_t i = 0; i < world->component_count; i++) {
        hm_save_section part = {.name = "", .layout = ""};
        (void)world_describe(world, desc, i, &part);
        size_t name = hm_save_length(part.name), layout = hm_save_length(part.layout);
        uint32_t flags = (part.flags & HM_SAVE_ENCODED) != 0 ? HM_SAVE_COMPONENT_ENCODED : 0;
        if (hm_world_is_sparse(world, i))
            flags |= HM_SAVE_COMPONENT_SPARSE;
        out->buffer[0] = (unsigned char)name;
        out->buffer[1] = (unsigned char)layout;
        hm_save_put_16(out->buffer + 2, flags);
        hm_save_put_32(out->buffer + 4, part.item_size);
        hm_save_put_32(out->buffer + 8, part.encoded_size);
        hm_save_put_32(out->buffer + 12, part.version);
        memcpy(out->buffer + HM_SAVE_COMPONENT, part.name, name);
        memcpy(out->buffer + HM_SAVE_COMPONENT + name, part.layout, layout);
        hm_save_write(out, out->buffer, HM_SAVE_COMPONENT + name + layout);
    }
}

/* Lists the runs of the next n rows, and goes behind them. */
static uint32_t world_list_runs(const hm_world *world, const hm_world_archetype *archetype,
                                hm_world_place *at, uint32_t n, hm_save_run *runs)
{
    uint32_t count = 0;
    while (n > 0) {
        uint32_t rows = hm_world_rows_in(archetype, at->chunk) - hm_world_place_row(*at);
        if (rows > n)
            rows = n;
        runs[count++] = (hm_save_run){*at, rows};
        n -= rows;
        at->row += rows;
        if (hm_world_place_row(*at) == hm_world_rows_in(archetype, at->chunk)) {
            at->row -= hm_world_place_row(*at);
            at->chunk = hm_world_next_chunk(world, archetype, at->chunk);
        }
    }
    return count;
}

static void world_save_rows(hm_save_out *out, const hm_world *world, const hm_world_save_desc *desc,
                            const hm_world_archetype *archetype, const hm_save_run *runs,
                            uint32_t count)
{
    size_t end = 0;
    for (uint32_t r = 0; r < count; r++) {
        const hm_handle *entities = hm_world_entities(world, archetype, runs[r].place.chunk) +
                                    hm_world_place_row(runs[r].place);
        for (uint32_t i = 0; i < runs[r].rows; i++, end += 4)
            hm_save_put_32(out->buffer + end, hm_handle_index(entities[i]));
    }
    hm_save_write(out, out->buffer, end);
    for (uint32_t i = 0; i < archetype->set_count; i++) {
        uint32_t number = archetype->set[i];
        const hm_world_cell *cell = &archetype->cells[number];
        const hm_save_desc *format = hm_save_format_of(desc, world->salt + number);
        for (uint32_t r = 0; r < count && cell->size != 0; r++)
            hm_save_items(
                out, format,
                hm_world_address(world, archetype, runs[r].place, cell->offset, cell->size),
                cell->size, runs[r].rows);
    }
}

/* When each column last changed, in the order of the set. */
static void world_save_times(hm_save_out *out, const hm_world_archetype *archetype)
{
    unsigned char *at = out->buffer;
    for (uint32_t i = 0; i < archetype->set_count; i++) {
        const hm_world_cell *cell = &archetype->cells[archetype->set[i]];
        if (cell->size == 0)
            continue;
        hm_save_put_64(at, archetype->column_changed[cell->column]);
        at += HM_SAVE_TIME;
    }
    hm_save_write(out, out->buffer, (size_t)(at - out->buffer));
}

static void world_save_archetype(hm_save_out *out, const hm_world *world,
                                 const hm_world_save_desc *desc, uint32_t index)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_place at = {archetype->first, index << HM_WORLD_ROW_BITS};
    hm_save_put_32(out->buffer, archetype->count);
    hm_save_put_32(out->buffer + 4, archetype->set_count);
    hm_save_put_32(out->buffer + 8, index);
    out->buffer[12] = (unsigned char)world_describe_chunks(world, archetype);
    hm_save_put_64(out->buffer + 13, archetype->changed);
    hm_save_write(out, out->buffer, HM_SAVE_ARCHETYPE);
    for (uint32_t i = 0; i < archetype->set_count; i++)
        hm_save_put_16(out->buffer + (size_t)2 * i, archetype->set[i]);
    hm_save_write(out, out->buffer, 2 * (size_t)archetype->set_count);
    world_save_times(out, archetype);
    for (uint32_t left = archetype->count; left > 0 && out->status == HM_OK;) {
        hm_save_run runs[HM_SAVE_ROWS];
        uint32_t n = left < HM_SAVE_ROWS ? left : HM_SAVE_ROWS;
        uint32_t count = world_list_runs(world, archetype, &at, n, runs);
        world_save_rows(out, world, desc, archetype, runs, count);
        left -= n;
    }
}

static void world_save_sparse(hm_save_out *out, const hm_world *world,
                              const hm_world_save_desc *desc, uint32_t number)
{
    const hm_secondary *sparse = hm_world_sparse(world, number);
    const hm_save_desc *format = hm_save_format_of(desc, world->salt + number);
    hm_save_put_32(out->buffer, sparse->count);
    hm_save_put_64(out->buffer + 4, hm_world_record(world, number)->changed);
    hm_save_write(out, out->buffer, 4 + HM_SAVE_TIME);
    hm_save_items(out, format, sparse->values, sparse->value_size, sparse->count);
    hm_save_owners(out, sparse->owners, sparse->count);
}

/* Fills in the numbers of a world, and adds the bytes of its archetypes. */
static void world_describe_archetypes(hm_save_section *section, const hm_world *world,
                                      const hm_world_save_desc *desc)
{
    uint32_t *details = section->details;
    details[HM_SAVE_WORLD_COMPONENTS] = world->component_count;
    details[HM_SAVE_WORLD_CLOCK] = (uint32_t)world->clock;
    details[HM_SAVE_WORLD_CLOCK_HIGH] = (uint32_t)(world->clock >> 32);
    if (world->ready_end > world->ids.count)
        details[HM_SAVE_WORLD_READY] = world->ready_end - world->ids.count;
    section->detail_count = HM_SAVE_WORLD_DETAILS;
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        const hm_world_archetype *archetype = &world->archetypes[i];
        details[archetype->is_alive ? HM_SAVE_WORLD_ARCHETYPES : HM_SAVE_WORLD_DROPPED]++;
        section->payload_size +=
            archetype->is_alive ? world_size_of_archetype(world, desc, archetype) : 4;
    }
}

hm_status hm_world_save(const hm_world *world, const hm_world_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(world != NULL, "hm_world_save: world is NULL");
    const hm_save_desc plain = {.name = desc != NULL ? desc->name : NULL};
    hm_save_section section = {.kind = HM_SAVE_WORLD, .item_size = HM_SAVE_ENTITY};
    hm_save_out out;
    if (world->memory == NULL)
        return hm_fail_uninitialised("world");
    hm_status status = hm_save_describe(&section, &plain, world->name);
    if (status == HM_OK && desc != NULL)
        status = hm_save_describe_position(&section, desc->position);
    if (status == HM_OK)
        status = world_measure_components(world, desc, &section.payload_size);
    if (status != HM_OK)
        return status;
    hm_save_describe_ids(&section, &world->ids);
    section.payload_size += hm_save_size_of_ids(&section);
    world_describe_archetypes(&section, world, desc);
    hm_save_begin(&out, &section, sink);
    world_save_components(&out, world, desc);
    hm_save_ids(&out, &world->ids);
    for (uint32_t i = 0; i < world->archetype_array.count && out.status == HM_OK; i++)
        if (world->archetypes[i].is_alive)
            world_save_archetype(&out, world, desc, i);
    for (uint32_t i = world->dropped; i != HM_WORLD_NONE; i = world->archetypes[i].next) {
        hm_save_put_32(out.buffer, i);
        hm_save_write(&out, out.buffer, 4);
    }
    for (uint32_t i = 0; i < world->component_count && out.status == HM_OK; i++)
        if (hm_world_is_sparse(world, i))
            world_save_sparse(&out, world, desc, i);
    return hm_save_end(&out);
}

/* SPDX-License-Identifier: MIT */
/* save: loads worlds, into a world of its own that takes the place of the empty one in the end. */
#include "../world/world_private.h"
#include "save_private.h"

#include "../base/base_private.h"
#include "../dense/dense_private.h"

/* So many entities, or as many as there are, may be ready after a load. */
enum { WORLD_READY = 1 << 16 };

static hm_status world_load_move(void *owner, size_t capacity, size_t slots)
{
    return hm_world_move_to(owner, capacity, slots, 0);
}

static hm_status world_load_check(hm_load_world *load)
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
        details[HM_SAVE_WORLD_COMPONENTS] > HM_WORLD_MAX_COMPONENTS ||
        (!is_old && details[HM_SAVE_WORLD_CLOCK_HIGH] > INT32_MAX))
        return hm_load_disagree(in);
    load->clock = load->world->clock;
    if (!is_old)
        load->clock += details[HM_SAVE_WORLD_CLOCK] | (uint64_t)details[HM_SAVE_WORLD_CLOCK_HIGH]
                                                          << 32;
    return HM_OK;
}

/* components */

/* Asks what to do about a difference, and refuses it unless the program finds a way. */
static hm_status world_resolve(hm_load_world *load, const hm_component_difference *difference,
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
static uint32_t world_find_name(const hm_load_world *load, const char *name)
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
static hm_status world_match(hm_load_world *load, hm_load_component *part,
                             const unsigned char *head, const char *name, const char *layout)
{
    uint32_t flags = hm_load_16(head + 2);
    hm_component_difference difference = {.name = name,
                                          .is_saved = true,
                                          .saved_size = hm_load_32(head + 4),
                                          .saved_version = hm_load_32(head + 12)};
    hm_load_action action = HM_LOAD_DROP;
    *part = (hm_load_component){.match = part->match,
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

static hm_status world_load_component(hm_load_world *load, uint32_t i)
{
    hm_save_in *in = &load->in;
    unsigned char head[HM_SAVE_COMPONENT];
    char name[HM_SAVE_TEXT + 1], layout[HM_SAVE_TEXT + 1];
    if (!hm_load_read(in, head, sizeof head) || !hm_load_read(in, name, head[0]) ||
        !hm_load_read(in, layout, head[1]))
        return in->status;
    name[head[0]] = layout[head[1]] = '\0';
    hm_load_component *part = hm_load_component_at(load, i);
    part->match = world_find_name(load, name);
    for (uint32_t k = 0; k < i && part->match != HM_WORLD_NONE; k++)
        if (hm_load_component_at(load, k)->match == part->match)
            return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "component '%.20s' is there twice", name);
    return world_match(load, part, head, name, layout);
}

/* Reports the components that the file has not. One that is dropped is in the file. */
static hm_status world_report_new(hm_load_world *load, uint32_t count)
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
            is_saved = is_saved || hm_load_component_at(load, k)->match == i;
        if (is_saved)
            continue;
        hm_status status = world_resolve(load, &difference, &action);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

static hm_status world_load_components(hm_load_world *load)
{
    uint32_t count = load->in.section.details[HM_SAVE_WORLD_COMPONENTS];
    const hm_array_desc desc = {.item_size = sizeof(hm_load_component),
                                .capacity = count + 1,
                                .memory = load->world->memory};
    hm_status status = hm_array_init(&load->part_array, &desc);
    if (status == HM_OK)
        status = hm_array_resize(&load->part_array, count);
    load->is_kept = load->in.section.format != 1;
    for (uint32_t i = 0; i < count && status == HM_OK; i++) {
        status = world_load_component(load, i);
        load->is_kept = load->is_kept && hm_load_component_at(load, i)->number != HM_WORLD_NONE;
    }
    return status == HM_OK ? world_report_new(load, count) : status;
}

/* entities */

/* Makes the id table, with places of zeros, which no row has: the store's first chunk has the cells
 * of the archetype without components, which nothing in a load widens. */
static hm_status world_load_ids(hm_load_world *load)
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

/* sparse values */

/* Gives the owners of sparse values their bits. */
static hm_status world_mark_sparse(hm_load_world *load, uint32_t number)
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

static hm_status world_load_values(hm_load_world *load, const hm_load_component *part,
                                   uint32_t count)
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

static hm_status world_load_sparse(hm_load_world *load, const hm_load_component *part)
{
    hm_save_in *in = &load->in;
    uint64_t changed = 0;
    unsigned char head[4 + HM_SAVE_TIME] = {0};
    size_t size = in->section.format == 1 ? 4 : sizeof head;
    if (!hm_load_read(in, head, size))
        return in->status;
    uint32_t count = hm_load_32(head), type_id = load->fresh.ids.type_id;
    if (count > load->fresh.ids.count)
        return hm_load_fail(in, HM_ERROR_CORRUPT, size, "%" HM_U32 " entities cannot have a value",
                            count);
    if (hm_load_time(load, head + 4, HM_SAVE_TIME, &changed) != HM_OK)
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
static hm_status world_load_ready(hm_load_world *load)
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

static hm_status world_load_parts(hm_load_world *load)
{
    hm_save_in *in = &load->in;
    hm_status status = world_load_components(load);
    if (status == HM_OK)
        status = world_load_ids(load);
    if (status == HM_OK)
        status = hm_load_archetypes(load);
    for (uint32_t i = 0; i < in->section.details[HM_SAVE_WORLD_COMPONENTS] && status == HM_OK; i++)
        if (hm_load_component_at(load, i)->is_sparse)
            status = world_load_sparse(load, hm_load_component_at(load, i));
    if (status == HM_OK && in->section.format != 1)
        status = world_load_ready(load);
    return status == HM_OK ? hm_load_end(in) : status;
}

/* Destroys what decode has made. */
static void world_load_destroy(hm_load_world *load)
{
    for (uint32_t i = 0; i < hm_array_count(&load->part_array); i++) {
        const hm_load_component *part = hm_load_component_at(load, i);
        if (!hm_load_destroys(load, part))
            continue;
        if (!part->is_sparse) {
            hm_load_destroy_rows(load, part);
            continue;
        }
        const hm_secondary *sparse = hm_world_sparse(&load->fresh, part->number);
        hm_load_destroy_values(sparse, part->format, sparse->count);
    }
}

/* Keeps the hooks for what decode has made: values that it has not made are nobody's until a merge
 * inserts them. */
static void world_keep_hooks(hm_load_world *load)
{
    bool keeps[HM_WORLD_MAX_COMPONENTS] = {false};
    for (uint32_t i = 0; i < hm_array_count(&load->part_array); i++)
        if (hm_load_destroys(load, hm_load_component_at(load, i)))
            keeps[hm_load_component_at(load, i)->number] = true;
    for (uint32_t i = 0; i < load->fresh.component_count; i++)
        if (!keeps[i])
            hm_world_record(&load->fresh, i)->destroy = NULL;
}

static hm_status world_load_all(hm_load_world *load, hm_source source)
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
    hm_load_world load;
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
    load.in.section = (hm_save_section){.kind = HM_SAVE_WORLD};
    load.is_merge = is_merge;
    load.part_array = (hm_array){0};
    hm_world_enter(world);
    status = world_load_all(&load, source);
    if (status == HM_OK)
        hm_world_take(world, &load.fresh);
    else
        hm_world_release(&load.fresh);
    hm_world_leave(world);
    hm_load_position(desc != NULL ? desc->position : NULL, &load.in.section, status);
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

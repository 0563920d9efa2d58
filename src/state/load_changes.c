/* SPDX-License-Identifier: MIT */
/* save: makes the changes of a section in a container: save_changes.c wrote them. */
#include "save_private.h"

/* How a kind of container checks a change, and makes it. */
typedef struct incoming_calls {
    hm_status (*check)(const void *container, const hm_change *change);
    hm_status (*apply)(void *container, const hm_change *change);
} incoming_calls;

/* A section of changes that is being loaded. */
typedef struct incoming_load {
    const hm_delta *of;
    const incoming_calls *calls;
    void *container;
    hm_array bytes;   /* the payload */
    hm_array values;  /* what decode made of it, one after the other */
    size_t value_end; /* bytes of them */
    uint32_t done;    /* changes that have been made */
    hm_save_in in;
} incoming_load;

/* A change of a section. */
typedef struct incoming_change {
    hm_change change;
    uint64_t key;               /* of an index, as a number of this machine */
    const hm_save_desc *format; /* whose decode makes its value; or NULL */
    size_t item_size, count;    /* bytes, and number, of the items of that */
    size_t start;               /* where they are in `values` */
} incoming_change;

/* The program's functions run between these two. */
static uint32_t incoming_enter(const incoming_load *load)
{
    hm_guard *guard = hm_state_guard(load->of->known, load->container);
    uint32_t limit = guard->limit;
    hm_guard_enter(guard);
    return limit;
}

static void incoming_leave(const incoming_load *load, uint32_t limit)
{
    hm_guard_leave(hm_state_guard(load->of->known, load->container), limit);
}

/* Reads the payload, for which memory is taken only as bytes arrive. */
static hm_status incoming_read(incoming_load *load)
{
    hm_save_in *in = &load->in;
    while (in->left > 0 && in->status == HM_OK) {
        size_t done = hm_array_count(&load->bytes);
        size_t part = in->left < HM_SAVE_BLOCK ? (size_t)in->left : HM_SAVE_BLOCK;
        hm_status status = hm_array_resize(&load->bytes, done + part);
        if (status != HM_OK)
            return status;
        uint32_t limit = incoming_enter(load);
        (void)hm_load_read(in, (unsigned char *)hm_array_data(&load->bytes) + done, part);
        incoming_leave(load, limit);
    }
    return hm_load_end(in);
}

/* Finds out what a value becomes that decode has to make, behind `*end` bytes of others. False: its
 * bytes are not those of items. */
static bool incoming_plan(const incoming_load *load, incoming_change *next, size_t *end)
{
    hm_change *change = &next->change;
    const hm_save_desc *format = hm_delta_format(load->of, change);
    next->format = NULL;
    if (change->kind == HM_CHANGE_ERASED || format->decode == NULL)
        return true;
    next->item_size = hm_delta_item_size(load->of, change);
    if (next->item_size == 0)
        return true; /* a tag */
    bool is_world = load->of->kind == HM_SAVE_WORLD;
    size_t encoded = is_world ? change->after_size : load->in.section.encoded_size;
    next->format = format;
    next->count = encoded != 0 ? change->after_size / encoded : 0;
    if (encoded == 0 || change->after_size % encoded != 0 ||
        next->count > SIZE_MAX / 4 / next->item_size)
        return false;
    size_t align = hm_memory_align_of(next->item_size);
    next->start = (*end + align - 1) / align * align;
    change->after_size = next->item_size * next->count;
    *end = next->start + change->after_size;
    return true;
}

/* Reads the change at *at, and sets that behind it; false: there is no whole one. `end`: as in
 * incoming_plan. */
static bool incoming_next(const incoming_load *load, size_t *at, size_t *end, incoming_change *to)
{
    const unsigned char *head = (const unsigned char *)hm_array_data(&load->bytes) + *at;
    size_t left = hm_array_count(&load->bytes) - *at;
    if (left < HM_DELTA_HEAD || hm_load_32(head + 12) > left - HM_DELTA_HEAD ||
        head[16] > HM_CHANGE_EDITED)
        return false;
    to->change = (hm_change){.handle = hm_handle_from_bits(hm_load_64(head)),
                             .kind = (hm_change_kind)head[16],
                             .part = hm_load_32(head + 8),
                             .after = head[16] != HM_CHANGE_ERASED ? head + HM_DELTA_HEAD : NULL,
                             .after_size = hm_load_32(head + 12)};
    *at += HM_DELTA_HEAD + to->change.after_size;
    if (load->of->kind == HM_SAVE_INDEX && to->change.after != NULL &&
        to->change.after_size == sizeof to->key) {
        to->key = hm_load_64(to->change.after);
        to->change.after = &to->key;
    }
    return incoming_plan(load, to, end);
}

/* Lets decode make the value of a change. */
static hm_status incoming_decode(incoming_load *load, const incoming_change *next)
{
    const hm_save_section *section = &load->in.section;
    const unsigned char *bytes = next->change.after;
    bool is_world = load->of->kind == HM_SAVE_WORLD;
    uint32_t version = is_world ? next->format->version : section->version;
    size_t size = is_world ? hm_load_32(bytes - HM_DELTA_HEAD + 12) : section->encoded_size;
    hm_status status = hm_array_resize(&load->values, next->start + next->change.after_size);
    if (status != HM_OK)
        return status;
    load->value_end = next->start;
    bool is_taken = true;
    uint32_t limit = incoming_enter(load);
    for (size_t i = 0; i < next->count && is_taken; i++) {
        unsigned char *item = (unsigned char *)hm_array_data(&load->values) + load->value_end;
        memset(item, 0, next->item_size);
        is_taken =
            next->format->decode(version, bytes + size * i, size, item, next->format->context);
        load->value_end += is_taken ? next->item_size : 0;
    }
    incoming_leave(load, limit);
    return is_taken ? HM_OK
                    : hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0, "decode refused a value");
}

/* Checks all that the container demands of changes, whatever it has, and decodes them. */
static hm_status incoming_check(incoming_load *load)
{
    incoming_change next;
    size_t at = 0, end = 0, size = hm_array_count(&load->bytes);
    uint32_t count = 0;
    hm_status status = HM_OK;
    for (; status == HM_OK && at < size; count++) {
        if (!incoming_next(load, &at, &end, &next))
            break;
        status = load->calls->check(load->container, &next.change);
        if (status == HM_OK && next.format != NULL)
            status = incoming_decode(load, &next);
    }
    if (status == HM_OK && (at < size || count != load->in.section.count))
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, size - at,
                            "change %" HM_U32 " of %" HM_U32 " is none", count,
                            load->in.section.count);
    return status;
}

/* The destroy hook for the value of a change. */
typedef struct incoming_hook {
    void (*destroy)(void *item, void *context);
    void *context;
} incoming_hook;

static incoming_hook incoming_hook_of(const incoming_load *load, const hm_change *change)
{
    const void *container = load->container;
    switch (load->of->kind) {
    case HM_SAVE_MAP: {
        const hm_map_extras *extras = ((const hm_map *)container)->extras;
        return extras != NULL ? (incoming_hook){extras->destroy, extras->context}
                              : (incoming_hook){0};
    }
    case HM_SAVE_POOL: {
        const hm_pool *pool = container;
        return (incoming_hook){pool->destroy, pool->context};
    }
    case HM_SAVE_SECONDARY: {
        const hm_secondary *secondary = container;
        return (incoming_hook){secondary->destroy, secondary->context};
    }
    case HM_SAVE_LISTS: {
        const hm_lists *lists = container;
        return (incoming_hook){lists->destroy, lists->context};
    }
    default: {
        const hm_world_component_record *record =
            hm_world_record(container, change->part % HM_WORLD_MAX_COMPONENTS);
        return (incoming_hook){record->destroy, record->context};
    }
    }
}

static void incoming_destroy(const incoming_load *load, const incoming_change *next, void *items,
                             size_t count)
{
    incoming_hook hook = incoming_hook_of(load, &next->change);
    uint32_t limit = incoming_enter(load);
    for (size_t i = 0; i < count && hook.destroy != NULL; i++)
        hook.destroy((unsigned char *)items + next->item_size * i, hook.context);
    incoming_leave(load, limit);
}

/* Destroys what an edit by decode replaces, where that is not done by the call that sets it. */
static hm_status incoming_replace(incoming_load *load, const incoming_change *next)
{
    hm_handle handle = next->change.handle;
    hm_lists *lists = load->container;
    uint32_t count = 1, now;
    void *items = NULL;
    switch (load->of->kind) {
    case HM_SAVE_MAP:
        items = hm_map_get(load->container, handle);
        break;
    case HM_SAVE_POOL:
        items = hm_pool_get(load->container, handle);
        break;
    case HM_SAVE_LISTS: {
        (void)hm_lists_items(lists, handle, &count);
        hm_status status = hm_lists_resize(lists, handle, (uint32_t)next->count);
        if (status != HM_OK)
            return status;
        items = hm_lists_items(lists, handle, &now);
        count = now < count ? now : count;
        break;
    }
    default:
        return HM_OK;
    }
    if (items != NULL)
        incoming_destroy(load, next, items, count);
    return HM_OK;
}

/* Makes the changes, or with a status that is none destroys what decode has made. */
static hm_status incoming_apply(incoming_load *load, hm_status status)
{
    incoming_change next;
    size_t at = 0, end = 0, size = hm_array_count(&load->bytes);
    while (at < size && incoming_next(load, &at, &end, &next)) {
        unsigned char *items = NULL;
        if (next.format != NULL && next.start < load->value_end)
            next.change.after = items = (unsigned char *)hm_array_data(&load->values) + next.start;
        if (status == HM_OK && next.format != NULL && next.change.kind == HM_CHANGE_EDITED)
            status = incoming_replace(load, &next);
        if (status == HM_OK)
            status = load->calls->apply(load->container, &next.change);
        if (status == HM_OK) {
            load->done++;
            continue;
        }
        if (items == NULL)
            continue;
        size_t made = (load->value_end - next.start) / next.item_size;
        incoming_destroy(load, &next, items, made < next.count ? made : next.count);
    }
    return status;
}

/* Compares where the section leads from with where the container stands, and notes where it leads.
 */
static hm_status incoming_check_way(hm_save_in *in, const hm_position *position, hm_position *to)
{
    hm_position from;
    bool is_known = hm_delta_way(&in->section, &from, to);
    if (!is_known && in->section.detail_count != 0)
        return hm_load_disagree(in);
    if (position == NULL)
        return HM_OK;
    if (!is_known)
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "it does not say from which mark it leads");
    bool is_new = position->mark == 0 && position->next == 0;
    if (!is_new && position->epoch != from.epoch)
        return hm_load_fail(in, HM_ERROR_STALE, 0,
                            "it is of epoch %" HM_U64 ", and the copy of %" HM_U64, from.epoch,
                            position->epoch);
    if (position->mark == from.mark && position->next == from.next && position->done == from.done)
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_STALE, 0,
                        "it leads from mark %" HM_U64 " + %" HM_U64
                        " changes, and the copy stands at %" HM_U64 " + %" HM_U64,
                        from.mark, from.done, position->mark, position->done);
}

static hm_status incoming_load_from(const incoming_calls *calls, const hm_delta *of,
                                    void *container, hm_source source)
{
    const hm_save_desc *desc = &of->desc;
    hm_position *position = desc->position;
    const char *name = hm_state_name(of->known, container);
    hm_save_section section = {.kind = of->kind};
    hm_position to;
    incoming_load load;
    hm_status status = hm_delta_describe(&section, of);
    if (status == HM_OK)
        status = hm_load_find(&load.in, HM_SAVE_CHANGES + of->kind, desc, name, source);
    if (status == HM_OK)
        status = hm_load_check(&load.in, desc, of->type_id, of->item_size);
    if (status == HM_OK)
        status = hm_load_check_limit(&load.in, "changes", load.in.section.count, desc->max_count,
                                     UINT32_MAX);
    if (status == HM_OK)
        status = incoming_check_way(&load.in, position, &to);
    if (status != HM_OK)
        return status;
    const hm_array_desc array = {.item_size = 1, .memory = hm_known_memory(of->known, container)};
    load.of = of;
    load.calls = calls;
    load.container = container;
    load.value_end = 0;
    load.done = 0;
    status = hm_array_init(&load.bytes, &array);
    if (status == HM_OK)
        status = hm_array_init(&load.values, &array);
    else
        load.values = (hm_array){0};
    if (status == HM_OK)
        status = incoming_read(&load);
    if (status == HM_OK)
        status = incoming_check(&load);
    status = incoming_apply(&load, status);
    if (position != NULL && (status == HM_OK || load.done > 0))
        *position = status == HM_OK ? to : (hm_position){.mark = UINT64_MAX};
    hm_array_fini(&load.values);
    hm_array_fini(&load.bytes);
    return status;
}

/* the containers */

/* `refuses`: whether the container is busy. */
#define INCOMING(type, descriptor, refuses)                                                        \
    static hm_status incoming_check_for_##type(const void *type, const hm_change *change)          \
    {                                                                                              \
        return hm_changes_check_##type(type, change);                                              \
    }                                                                                              \
    static hm_status incoming_apply_to_##type(void *type, const hm_change *change)                 \
    {                                                                                              \
        return hm_##type##_apply(type, change);                                                    \
    }                                                                                              \
    static const incoming_calls incoming_calls_of_##type = {incoming_check_for_##type,             \
                                                            incoming_apply_to_##type};             \
    hm_status hm_##type##_load_changes(hm_##type *type, const descriptor *desc, hm_source source)  \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_load_changes: " #type " is NULL");                 \
        if (refuses)                                                                               \
            return HM_ERROR_BUSY;                                                                  \
        const hm_delta of = hm_delta_of_##type(type, desc);                                        \
        hm_status status = incoming_load_from(&incoming_calls_of_##type, &of, type, source);       \
        return hm_fail_in(#type "_load_changes", type->name, status);                              \
    }

#define INCOMING_REFUSES(type) hm_guard_refuses(&type->guard, #type, type->name)

INCOMING(map, hm_save_desc, INCOMING_REFUSES(map))
INCOMING(pool, hm_save_desc, INCOMING_REFUSES(pool))
INCOMING(table, hm_save_desc, INCOMING_REFUSES(table))
INCOMING(secondary, hm_save_desc, INCOMING_REFUSES(secondary))
INCOMING(lists, hm_save_desc, INCOMING_REFUSES(lists))
INCOMING(index, hm_save_desc, INCOMING_REFUSES(index))
INCOMING(world, hm_world_save_desc, hm_world_check_idle(world) != HM_OK)

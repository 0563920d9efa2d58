/* SPDX-License-Identifier: MIT */
/* save: what changed in a container between two marks, and making the same changes in another one.
 * The payload: the changes in the order in which they are told. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../memory/memory_private.h"
#include "../world/world_private.h"

/* Bytes before the value of a change: its handle, its part, the bytes of its value, its kind. */
enum { DELTA_HEAD = 17 };

/* What differs between the containers. */
typedef struct delta_kind {
    hm_save_kind kind;
    hm_status (*find)(const hm_history *history, const void *container, uint64_t from, uint64_t to,
                      hm_change_visit *visit, void *context);
    hm_status (*check)(const void *container, const hm_change *change);
    hm_status (*apply)(void *container, const hm_change *change);
} delta_kind;

/* A container, as the header of its section tells of it. */
typedef struct delta_of {
    const char *name;
    uint32_t type_id;
    size_t item_size;
    const hm_memory *memory; /* NULL: it is not initialised */
} delta_of;

static hm_status delta_describe(hm_save_section *section, const hm_save_desc *desc,
                                const delta_of *of)
{
    if (of->memory == NULL)
        return hm_fail_uninitialised("container");
    if (desc != NULL && (desc->encode != NULL || desc->decode != NULL))
        return hm_fail(HM_ERROR_INVALID, "changes are saved as bytes: leave encode and decode out");
    section->type_id = of->type_id;
    section->item_size = (uint32_t)of->item_size;
    return hm_save_describe(section, desc, of->name);
}

/* The first round measures the section. */
typedef struct delta_sizes {
    uint64_t count, payload, largest; /* bytes, of a value */
} delta_sizes;

static void delta_measure(const hm_change *change, void *context)
{
    delta_sizes *sizes = context;
    sizes->count++;
    sizes->payload += DELTA_HEAD + change->after_size;
    if (change->after_size > sizes->largest)
        sizes->largest = change->after_size;
}

static void delta_write(const hm_change *change, void *context)
{
    hm_save_out *out = context;
    unsigned char head[DELTA_HEAD];
    /* Components of each world begin at another multiple of this. */
    bool is_component =
        out->section->kind == HM_SAVE_CHANGES + HM_SAVE_WORLD && change->part != HM_INVALID_INDEX;
    hm_save_put_64(head, change->handle.bits);
    hm_save_put_32(head + 8, is_component ? change->part % HM_WORLD_MAX_COMPONENTS : change->part);
    hm_save_put_32(head + 12, (uint32_t)change->after_size);
    head[16] = (unsigned char)change->kind;
    hm_save_bytes(out, head, sizeof head);
    if (out->section->kind == HM_SAVE_CHANGES + HM_SAVE_INDEX && change->after != NULL) {
        uint64_t key;
        memcpy(&key, change->after, sizeof key);
        hm_save_put_64(head, key);
        hm_save_bytes(out, head, sizeof key);
        return;
    }
    hm_save_bytes(out, change->after, change->after_size);
}

static hm_status delta_save(const delta_kind *kind, const hm_history *history,
                            const void *container, const delta_of *of, const hm_save_desc *desc,
                            uint64_t from, uint64_t to, hm_sink sink)
{
    hm_save_section section = {.kind = HM_SAVE_CHANGES + kind->kind};
    hm_save_out out;
    delta_sizes sizes = {.count = 0};
    hm_status status = delta_describe(&section, desc, of);
    if (status == HM_OK)
        status = kind->find(history, container, from, to, delta_measure, &sizes);
    if (status != HM_OK)
        return status;
    /* Coverage: no test has 2^32 changes, or a value of 4 GiB. */
    if (sizes.count > UINT32_MAX || sizes.largest > UINT32_MAX)
        /* Coverage: as above. */
        return hm_fail(HM_ERROR_FULL, "changes or a value exceed 32 bits");
    section.count = (uint32_t)sizes.count;
    section.payload_size = sizes.payload;
    hm_save_begin(&out, &section, sink);
    status = kind->find(history, container, from, to, delta_write, &out);
    return status == HM_OK ? hm_save_end(&out) : status;
}

/* loads */

/* Reads the payload, for which memory is taken only as bytes arrive. */
static hm_status delta_read(hm_save_in *in, hm_array *bytes)
{
    while (in->left > 0 && in->status == HM_OK) {
        size_t done = hm_array_count(bytes);
        size_t part = in->left < HM_SAVE_BLOCK ? (size_t)in->left : HM_SAVE_BLOCK;
        hm_status status = hm_array_resize(bytes, done + part);
        if (status != HM_OK)
            return status;
        (void)hm_load_bytes(in, (unsigned char *)hm_array_data(bytes) + done, part);
    }
    return hm_load_end(in);
}

/* A change of a section, with its key as a number of this machine if it is one of an index. */
typedef struct delta_change {
    hm_change change;
    uint64_t key;
} delta_change;

/* Reads the change at *at, and sets that behind it; false: there is no whole one. */
static bool delta_next(const delta_kind *kind, const hm_array *bytes, size_t *at, delta_change *to)
{
    const unsigned char *head = (const unsigned char *)hm_array_data(bytes) + *at;
    size_t left = hm_array_count(bytes) - *at;
    if (left < DELTA_HEAD || hm_load_32(head + 12) > left - DELTA_HEAD ||
        head[16] > HM_CHANGE_EDITED)
        return false;
    to->change = (hm_change){.handle = hm_handle_from_bits(hm_load_64(head)),
                             .kind = (hm_change_kind)head[16],
                             .part = hm_load_32(head + 8),
                             .after = head[16] != HM_CHANGE_ERASED ? head + DELTA_HEAD : NULL,
                             .after_size = hm_load_32(head + 12)};
    *at += DELTA_HEAD + to->change.after_size;
    if (kind->kind == HM_SAVE_INDEX && to->change.after != NULL &&
        to->change.after_size == sizeof to->key) {
        to->key = hm_load_64(to->change.after);
        to->change.after = &to->key;
    }
    return true;
}

/* Checks all that the container demands of changes, whatever it has. */
static hm_status delta_check(hm_save_in *in, const delta_kind *kind, const void *container,
                             const hm_array *bytes)
{
    delta_change next;
    size_t at = 0;
    uint32_t count = 0;
    hm_status status = HM_OK;
    for (; status == HM_OK && at < hm_array_count(bytes); count++) {
        if (!delta_next(kind, bytes, &at, &next))
            break;
        status = kind->check(container, &next.change);
    }
    if (status == HM_OK && (at < hm_array_count(bytes) || count != in->section.count))
        return hm_load_fail(in, HM_ERROR_CORRUPT, hm_array_count(bytes) - at,
                            "change %" HM_U32 " of %" HM_U32 " is none", count, in->section.count);
    return status;
}

static hm_status delta_apply(const delta_kind *kind, void *container, const hm_array *bytes)
{
    hm_status status = HM_OK;
    delta_change next;
    for (size_t at = 0; status == HM_OK && at < hm_array_count(bytes);) {
        (void)delta_next(kind, bytes, &at, &next);
        status = kind->apply(container, &next.change);
    }
    return status;
}

static hm_status delta_load(const delta_kind *kind, void *container, const delta_of *of,
                            const hm_save_desc *desc, hm_source source)
{
    hm_save_section section = {.kind = kind->kind};
    hm_save_in in;
    hm_array bytes;
    hm_status status = delta_describe(&section, desc, of);
    if (status != HM_OK)
        return status;
    status = hm_load_find(&in, HM_SAVE_CHANGES + kind->kind, desc, of->name, source);
    if (status == HM_OK)
        status = hm_load_check(&in, desc, of->type_id, of->item_size);
    if (status == HM_OK)
        status = hm_load_check_limit(&in, "changes", in.section.count,
                                     desc != NULL ? desc->max_count : 0, UINT32_MAX);
    if (status != HM_OK)
        return status;
    status = hm_array_init(&bytes, &(hm_array_desc){.item_size = 1, .memory = of->memory});
    if (status == HM_OK)
        status = delta_read(&in, &bytes);
    if (status == HM_OK)
        status = delta_check(&in, kind, container, &bytes);
    if (status == HM_OK)
        status = delta_apply(kind, container, &bytes);
    hm_array_fini(&bytes);
    return status;
}

/* the containers */

/* `refuses`: whether the container is busy. */
#define DELTA(type, TYPE, refuses, type_id_of, size_of, memory_of)                                 \
    static hm_status delta_find_in_##type(const hm_history *history, const void *type,             \
                                          uint64_t from, uint64_t to, hm_change_visit *visit,      \
                                          void *context)                                           \
    {                                                                                              \
        return hm_##type##_changes(history, type, from, to, visit, context);                       \
    }                                                                                              \
    static hm_status delta_check_for_##type(const void *type, const hm_change *change)             \
    {                                                                                              \
        return hm_changes_check_##type(type, change);                                              \
    }                                                                                              \
    static hm_status delta_apply_to_##type(void *type, const hm_change *change)                    \
    {                                                                                              \
        return hm_##type##_apply(type, change);                                                    \
    }                                                                                              \
    static const delta_kind delta_of_##type = {TYPE, delta_find_in_##type, delta_check_for_##type, \
                                               delta_apply_to_##type};                             \
    hm_status hm_##type##_save_changes(const hm_history *history, const hm_##type *type,           \
                                       const hm_save_desc *desc, uint64_t from, uint64_t to,       \
                                       hm_sink sink)                                               \
    {                                                                                              \
        HM_CONTRACT(history != NULL, "hm_" #type "_save_changes: history is NULL");                \
        HM_CONTRACT(type != NULL, "hm_" #type "_save_changes: " #type " is NULL");                 \
        const delta_of of = {type->name, type_id_of, size_of, memory_of};                          \
        hm_status status = delta_save(&delta_of_##type, history, type, &of, desc, from, to, sink); \
        return hm_fail_in(#type "_save_changes", type->name, status);                              \
    }                                                                                              \
    hm_status hm_##type##_load_changes(hm_##type *type, const hm_save_desc *desc,                  \
                                       hm_source source)                                           \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_load_changes: " #type " is NULL");                 \
        if (refuses)                                                                               \
            return HM_ERROR_BUSY;                                                                  \
        const delta_of of = {type->name, type_id_of, size_of, memory_of};                          \
        hm_status status = delta_load(&delta_of_##type, type, &of, desc, source);                  \
        return hm_fail_in(#type "_load_changes", type->name, status);                              \
    }

#define DELTA_REFUSES(type) hm_guard_refuses(&type->guard, #type, type->name)

DELTA(map, HM_SAVE_MAP, DELTA_REFUSES(map), map->ids.type_id, map->item_size,
      map->ids.slot_array.memory)
DELTA(pool, HM_SAVE_POOL, DELTA_REFUSES(pool), hm_pool_as_owners(pool).type_id, pool->item_size,
      pool->entry_array.memory)
DELTA(table, HM_SAVE_TABLE, DELTA_REFUSES(table), table->ids.type_id,
      (size_t)hm_save_row_size(table), table->ids.slot_array.memory)
DELTA(secondary, HM_SAVE_SECONDARY, DELTA_REFUSES(secondary), secondary->type_id,
      secondary->value_size, secondary->value_array.memory)
DELTA(lists, HM_SAVE_LISTS, DELTA_REFUSES(lists), lists->ids.type_id, lists->blocks.item_size,
      lists->ids.slot_array.memory)
DELTA(index, HM_SAVE_INDEX, DELTA_REFUSES(index), index->owners.type_id, sizeof(uint64_t),
      index->owners.value_array.memory)
DELTA(world, HM_SAVE_WORLD, hm_world_check_idle(world) != HM_OK, world->ids.type_id, HM_SAVE_ENTITY,
      world->memory)

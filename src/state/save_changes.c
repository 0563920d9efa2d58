/* SPDX-License-Identifier: MIT */
/* save: what changed in a container between two marks, its values, and a hash of them. The payload:
 * the changes in the order in which they are told. load_changes.c makes them in another one. */
#include "save_private.h"

static hm_save_desc delta_desc(const hm_save_desc *desc)
{
    return desc != NULL ? *desc : (hm_save_desc){.name = NULL};
}

/* What a world's descriptor has in common with others. */
static hm_save_desc delta_world_desc(const hm_world_save_desc *desc)
{
    if (desc == NULL)
        return (hm_save_desc){.name = NULL};
    return (hm_save_desc){.name = desc->name,
                          .max_count = desc->max_count,
                          .position = desc->position,
                          .max_size = desc->max_size,
                          .filter = desc->filter,
                          .context = desc->context};
}

const hm_save_desc *hm_delta_format(const hm_delta *of, const hm_change *change)
{
    static const hm_save_desc none = {.name = NULL};
    if (of->kind != HM_SAVE_WORLD)
        return of->kind == HM_SAVE_MAP && change->part != 0 ? &none : &of->desc;
    if (of->world == NULL || change->part == HM_INVALID_INDEX)
        return &none;
    const hm_world *world = of->container;
    uint32_t number = change->part % HM_WORLD_MAX_COMPONENTS;
    const hm_save_desc *format = hm_save_format_of(of->world, world->salt + number);
    return format != NULL ? format : &none;
}

size_t hm_delta_item_size(const hm_delta *of, const hm_change *change)
{
    if (of->kind != HM_SAVE_WORLD)
        return of->item_size;
    uint32_t number = change->part % HM_WORLD_MAX_COMPONENTS;
    return change->part != HM_INVALID_INDEX ? hm_world_record(of->container, number)->size : 0;
}

hm_status hm_delta_describe(hm_save_section *section, const hm_delta *of)
{
    bool has_codec = of->desc.encode != NULL || of->desc.decode != NULL;
    if (hm_known_memory(of->known, of->container) == NULL)
        return hm_fail_uninitialised(of->known->what);
    if (has_codec && (of->kind == HM_SAVE_TABLE || of->kind == HM_SAVE_INDEX))
        return hm_fail(HM_ERROR_INVALID, "changes of a table or an index are saved as bytes: leave "
                                         "encode and decode out");
    if (of->world != NULL) {
        hm_status status = hm_save_check_formats(of->container, of->world);
        for (uint32_t i = 0; i < of->world->format_count && status == HM_OK; i++)
            status = hm_save_check_codec(&of->world->formats[i].format,
                                         hm_state_name(of->known, of->container));
        if (status != HM_OK)
            return status;
    }
    section->type_id = of->type_id;
    section->item_size = (uint32_t)of->item_size;
    return hm_save_describe(section, &of->desc, hm_state_name(of->known, of->container));
}

/* Calls `put` for the bytes of a value as they are in a file. `buffer`: HM_SAVE_BUFFER bytes. */
static void delta_encode(const hm_delta *of, const hm_change *change, unsigned char *buffer,
                         void (*put)(void *to, const void *bytes, size_t size), void *to)
{
    const hm_save_desc *format = hm_delta_format(of, change);
    const unsigned char *item = change->after;
    if (of->kind == HM_SAVE_INDEX && item != NULL) {
        uint64_t key;
        memcpy(&key, item, sizeof key);
        hm_save_put_64(buffer, key);
        put(to, buffer, sizeof key);
        return;
    }
    if (format->encode == NULL) {
        put(to, item, change->after_size);
        return;
    }
    size_t size = hm_delta_item_size(of, change);
    for (size_t left = change->after_size; left > 0; left -= size, item += size) {
        memset(buffer, 0, format->encoded_size);
        format->encode(item, buffer, format->context);
        put(to, buffer, format->encoded_size);
    }
}

/* Returns the bytes of a value in a file. */
static uint64_t delta_size(const hm_delta *of, const hm_change *change)
{
    const hm_save_desc *format = hm_delta_format(of, change);
    if (format->encode == NULL || change->after_size == 0)
        return change->after_size;
    size_t size = hm_delta_item_size(of, change);
    return (uint64_t)(change->after_size / size) * format->encoded_size;
}

bool hm_delta_way(const hm_save_section *section, hm_position *from, hm_position *to)
{
    const uint32_t *details = section->details;
    *to = section->position;
    *from = (hm_position){.epoch = to->epoch};
    if ((section->flags & HM_SAVE_POSITION) == 0 || section->detail_count != HM_DELTA_DETAILS)
        return false;
    from->mark = details[HM_DELTA_FROM] | (uint64_t)details[HM_DELTA_FROM + 1] << 32;
    from->done = details[HM_DELTA_DONE];
    from->next = from->done != 0 ? to->mark : 0;
    if (details[HM_DELTA_IS_PART] != 0)
        *to = (hm_position){.epoch = to->epoch,
                            .mark = from->mark,
                            .next = to->mark,
                            .done = from->done + section->count};
    return true;
}

/* saves */

/* How a kind of container finds its changes and values. */
typedef struct delta_calls {
    hm_status (*changes)(const hm_history *history, const void *container, uint64_t from,
                         uint64_t to, hm_change_visit *visit, void *context);
    hm_status (*values)(const void *container, const hm_handle *handles, uint32_t n,
                        hm_change_visit *visit, void *context);
} delta_calls;

/* Which changes, or values, a section has: they are looked for twice, to measure and to write. */
typedef struct delta_search {
    const delta_calls *calls;
    const hm_delta *of;
    const hm_history *history; /* NULL: the values of handles */
    uint64_t from, to;         /* marks */
    const hm_handle *handles;
    uint32_t n;
    uint64_t first, end; /* of those that the filter lets through */
    uint64_t seen;
    uint64_t payload, largest; /* bytes, of a value */
    bool is_part;              /* there are more than fit */
} delta_search;

/* The second time. */
typedef struct delta_writer {
    delta_search *search;
    hm_save_out out;
} delta_writer;

static hm_status delta_find(delta_search *search, hm_change_visit *visit, void *context)
{
    const hm_delta *of = search->of;
    search->seen = 0;
    return search->history != NULL
               ? search->calls->changes(search->history, of->container, search->from, search->to,
                                        visit, context)
               : search->calls->values(of->container, search->handles, search->n, visit, context);
}

/* Whether the filter lets a change through, and no section before has had it. */
static bool delta_is_due(delta_search *search, const hm_change *change)
{
    const hm_save_desc *desc = &search->of->desc;
    if (desc->filter != NULL && !desc->filter(change->handle, change->part, desc->context))
        return false;
    return search->seen++ >= search->first;
}

static void delta_measure(const hm_change *change, void *context)
{
    delta_search *search = context;
    size_t most = search->history != NULL ? search->of->desc.max_size : 0;
    if (search->is_part || !delta_is_due(search, change))
        return;
    uint64_t size = delta_size(search->of, change);
    if (most != 0 && search->payload != 0 && search->payload + HM_DELTA_HEAD + size > most) {
        search->is_part = true;
        return;
    }
    search->end = search->seen;
    search->payload += HM_DELTA_HEAD + size;
    if (size > search->largest)
        search->largest = size;
}

static void delta_put(void *out, const void *bytes, size_t size)
{
    hm_save_write(out, bytes, size);
}

static void delta_write(const hm_change *change, void *context)
{
    delta_writer *writer = context;
    delta_search *search = writer->search;
    hm_save_out *out = &writer->out;
    unsigned char head[HM_DELTA_HEAD];
    /* Components of each world begin at another multiple of this. */
    bool is_component = search->of->kind == HM_SAVE_WORLD && change->part != HM_INVALID_INDEX;
    if (!delta_is_due(search, change) || search->seen > search->end)
        return;
    hm_save_put_64(head, change->handle.bits);
    hm_save_put_32(head + 8, is_component ? change->part % HM_WORLD_MAX_COMPONENTS : change->part);
    hm_save_put_32(head + 12, (uint32_t)delta_size(search->of, change));
    head[16] = (unsigned char)change->kind;
    hm_save_write(out, head, sizeof head);
    delta_encode(search->of, change, out->buffer, delta_put, out);
}

/* Finds out where the section begins: HM_ERROR_INVALID: not where the descriptor says. */
static hm_status delta_begin(delta_search *search, const hm_position *position)
{
    search->first = 0;
    if (position == NULL && search->of->desc.max_size != 0)
        return hm_fail(HM_ERROR_INVALID, "max_size needs a position, which says how far it came");
    if (position == NULL || search->history == NULL)
        return HM_OK;
    bool is_there = position->mark == search->from &&
                    (position->mark == 0 || position->epoch == search->history->epoch) &&
                    (position->next == 0 || position->next == search->to);
    if (!is_there)
        return hm_fail(HM_ERROR_INVALID,
                       "the position is at mark %" HM_U64 " of epoch %" HM_U64
                       ", on the way to %" HM_U64 ": not at %" HM_U64 " of %" HM_U64,
                       position->mark, position->epoch, position->next, search->from,
                       search->history->epoch);
    search->first = position->next != 0 ? position->done : 0;
    return HM_OK;
}

/* Fills in where the section leads from and to. */
static hm_status delta_describe_way(hm_save_section *section, const delta_search *search,
                                    const hm_position *position)
{
    uint64_t from = search->from;
    if (search->history != NULL) {
        const hm_position to = {.epoch = search->history->epoch, .mark = search->to};
        (void)hm_save_describe_position(section, &to);
    } else if (position != NULL) {
        hm_status status = hm_save_describe_position(section, position);
        if (status != HM_OK)
            return status;
        from = position->mark;
    } else {
        return HM_OK; /* It may be taken anywhere. */
    }
    section->detail_count = HM_DELTA_DETAILS;
    section->details[HM_DELTA_FROM] = (uint32_t)from;
    section->details[HM_DELTA_FROM + 1] = (uint32_t)(from >> 32);
    section->details[HM_DELTA_DONE] = (uint32_t)search->first;
    section->details[HM_DELTA_IS_PART] = search->is_part;
    return HM_OK;
}

static hm_status delta_save(delta_search *search, hm_sink sink)
{
    const hm_delta *of = search->of;
    hm_position *position = of->desc.position;
    hm_save_section section = {.kind = HM_SAVE_CHANGES + of->kind};
    delta_writer writer;
    hm_status status = hm_delta_describe(&section, of);
    if (status == HM_OK)
        status = delta_begin(search, position);
    if (status == HM_OK)
        status = delta_find(search, delta_measure, search);
    if (status == HM_OK)
        status = delta_describe_way(&section, search, position);
    if (status != HM_OK)
        return status;
    if (search->end < search->first)
        search->end = search->first;
    /* Coverage: no test has 2^32 changes, or a value of 4 GiB. */
    if (search->end > UINT32_MAX || search->largest > UINT32_MAX)
        /* Coverage: as above. */
        return hm_fail(HM_ERROR_FULL, "changes or a value exceed 32 bits");
    section.count = (uint32_t)(search->end - search->first);
    section.payload_size = search->payload;
    writer.search = search;
    hm_save_begin(&writer.out, &section, sink);
    status = delta_find(search, delta_write, &writer);
    if (status == HM_OK)
        status = hm_save_end(&writer.out);
    hm_position from;
    if (status == HM_OK && position != NULL)
        (void)hm_delta_way(&section, &from, position);
    return status;
}

/* hashes */

typedef struct delta_sum {
    const hm_delta *of;
    uint64_t sum;
    hm_hash hash;
    unsigned char buffer[HM_SAVE_BUFFER];
} delta_sum;

static void delta_add_bytes(void *to, const void *bytes, size_t size)
{
    hm_hash_add(to, bytes, size);
}

static void delta_add(const hm_change *change, void *context)
{
    delta_sum *sum = context;
    hm_changes_hash_name(&sum->hash, change);
    delta_encode(sum->of, change, sum->buffer, delta_add_bytes, &sum->hash);
    sum->sum += hm_hash_end(&sum->hash);
}

static uint64_t delta_hash(const delta_calls *calls, const hm_delta *of, const hm_handle *handles,
                           uint32_t n)
{
    delta_sum sum;
    hm_save_section section = {.kind = 0};
    sum.of = of;
    sum.sum = 0;
    if (hm_delta_describe(&section, of) != HM_OK)
        return 0;
    return calls->values(of->container, handles, n, delta_add, &sum) == HM_OK ? sum.sum : 0;
}

/* the containers */

#define DELTA(type, TYPE, descriptor, common, world_format, type_id_of, size_of)                   \
    hm_delta hm_delta_of_##type(const hm_##type *type, const descriptor *desc)                     \
    {                                                                                              \
        return (hm_delta){TYPE,    &hm_known_##type, type,        type_id_of,                      \
                          size_of, common(desc),     world_format};                                \
    }                                                                                              \
    static hm_status delta_changes_of_##type(const hm_history *history, const void *type,          \
                                             uint64_t from, uint64_t to, hm_change_visit *visit,   \
                                             void *context)                                        \
    {                                                                                              \
        return hm_##type##_changes(type, history, from, to, visit, context);                       \
    }                                                                                              \
    static hm_status delta_values_of_##type(const void *type, const hm_handle *handles,            \
                                            uint32_t n, hm_change_visit *visit, void *context)     \
    {                                                                                              \
        return hm_##type##_visit(type, handles, n, visit, context);                                \
    }                                                                                              \
    static const delta_calls delta_calls_of_##type = {delta_changes_of_##type,                     \
                                                      delta_values_of_##type};                     \
    hm_status hm_##type##_save_changes(const hm_##type *type, const hm_history *history,           \
                                       const descriptor *desc, uint64_t from, uint64_t to,         \
                                       hm_sink sink)                                               \
    {                                                                                              \
        HM_CONTRACT(history != NULL, "hm_" #type "_save_changes: history is NULL");                \
        HM_CONTRACT(type != NULL, "hm_" #type "_save_changes: " #type " is NULL");                 \
        const hm_delta of = hm_delta_of_##type(type, desc);                                        \
        delta_search search = {.calls = &delta_calls_of_##type,                                    \
                               .of = &of,                                                          \
                               .history = history,                                                 \
                               .from = from,                                                       \
                               .to = to};                                                          \
        return hm_fail_in(#type "_save_changes", type->name, delta_save(&search, sink));           \
    }                                                                                              \
    hm_status hm_##type##_save_values(const hm_##type *type, const descriptor *desc,               \
                                      const hm_handle *handles, uint32_t n, hm_sink sink)          \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_save_values: " #type " is NULL");                  \
        HM_CONTRACT(handles != NULL || n == 0 || n == HM_ALL,                                      \
                    "hm_" #type "_save_values: handles is NULL");                                  \
        const hm_delta of = hm_delta_of_##type(type, desc);                                        \
        delta_search search = {                                                                    \
            .calls = &delta_calls_of_##type, .of = &of, .handles = handles, .n = n};               \
        return hm_fail_in(#type "_save_values", type->name, delta_save(&search, sink));            \
    }                                                                                              \
    uint64_t hm_##type##_hash(const hm_##type *type, const descriptor *desc,                       \
                              const hm_handle *handles, uint32_t n)                                \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_hash: " #type " is NULL");                         \
        HM_CONTRACT(handles != NULL || n == 0 || n == HM_ALL,                                      \
                    "hm_" #type "_hash: handles is NULL");                                         \
        const hm_delta of = hm_delta_of_##type(type, desc);                                        \
        return delta_hash(&delta_calls_of_##type, &of, handles, n);                                \
    }

DELTA(map, HM_SAVE_MAP, hm_save_desc, delta_desc, NULL, map->ids.type_id, map->item_size)
DELTA(pool, HM_SAVE_POOL, hm_save_desc, delta_desc, NULL, hm_pool_as_owners(pool).type_id,
      pool->item_size)
DELTA(table, HM_SAVE_TABLE, hm_save_desc, delta_desc, NULL, table->ids.type_id,
      (size_t)hm_save_row_size(table))
DELTA(secondary, HM_SAVE_SECONDARY, hm_save_desc, delta_desc, NULL, secondary->type_id,
      secondary->value_size)
DELTA(lists, HM_SAVE_LISTS, hm_save_desc, delta_desc, NULL, lists->ids.type_id,
      lists->blocks.item_size)
DELTA(index, HM_SAVE_INDEX, hm_save_desc, delta_desc, NULL, index->owners.type_id, sizeof(uint64_t))
DELTA(world, HM_SAVE_WORLD, hm_world_save_desc, delta_world_desc, desc, world->ids.type_id,
      HM_SAVE_ENTITY)

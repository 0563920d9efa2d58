/* SPDX-License-Identifier: MIT */
/* Saves, loads and merges containers with their models (exchange.h). */
#include "exchange.h"

#include "../../src/memory/memory_private.h"
#include "../../src/world/world_private.h"
#include "any.h"
#include "dense_model.h"
#include "file.h"
#include "index_model.h"
#include "layout.h"
#include "lists_model.h"
#include "map_model.h"
#include "pool_model.h"
#include "reload.h"
#include "secondary_model.h"
#include "table_model.h"
#include "world_model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    REFUSED_CALLS = 24,
    REFUSALS = 4, /* a load is refused fewer times before it succeeds */
    FLIP = 0x5A
};

/* codecs */

/* What a codec knows of a value: its size, or those of a row's cells. */
typedef struct codec {
    uint32_t columns; /* 0: it is no row */
    size_t sizes[DENSE_MODEL_COLUMNS];
    bool has_hook; /* so that what it makes is tallied */
} codec;

/* How a container is written by codecs, and what it is by its model. */
typedef struct format {
    const void *coded; /* the descriptor; NULL: there is nothing to encode */
    hm_save_desc desc;
    hm_world_save_desc world;
    hm_component_format formats[WORLD_MODEL_KINDS];
    codec codecs[WORLD_MODEL_KINDS]; /* of anything but a world the first */
    bool has_hook, is_full;          /* whether there is no space for all items once more */
    uint32_t values;                 /* that have a codec and a hook */
    uint16_t type_id;
} format;

static void flip(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i] ^ FLIP;
}

static void encode(const void *item, void *bytes, void *context)
{
    const codec *of = context;
    const void *const *cells = item;
    unsigned char *next = bytes;
    if (of->columns == 0)
        flip(bytes, item, of->sizes[0]);
    for (uint32_t c = 0; c < of->columns; next += of->sizes[c++])
        flip(next, cells[c], of->sizes[c]);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    const codec *of = context;
    void *const *cells = item;
    const unsigned char *next = bytes;
    CHECK(version == 0);
    if (of->columns == 0) {
        CHECK(size == of->sizes[0] && test_bytes_are(item, size, 0));
        flip(item, bytes, size);
        if (of->has_hook)
            test_reload_made(item, size);
        return true;
    }
    for (uint32_t c = 0; c < of->columns; next += of->sizes[c++])
        flip(cells[c], next, of->sizes[c]);
    CHECK((size_t)(next - (const unsigned char *)bytes) == size);
    if (of->has_hook)
        test_reload_made_row(cells, of->sizes, of->columns);
    return true;
}

static hm_save_desc coded(codec *of)
{
    size_t size = of->sizes[0];
    for (uint32_t c = 1; c < of->columns; c++)
        size += of->sizes[c];
    return (hm_save_desc){.encoded_size = size, .encode = encode, .decode = decode, .context = of};
}

/* Of all but worlds. */
static void describe(format *of, uint32_t values, bool has_hook, uint32_t type_id, bool is_full)
{
    of->codecs[0].has_hook = of->has_hook = has_hook;
    of->desc = coded(&of->codecs[0]);
    of->coded = &of->desc;
    of->values = has_hook ? values : 0;
    of->type_id = (uint16_t)type_id;
    of->is_full = is_full;
}

/* What the two operations need of a kind. The functions get the model, or the container. */
typedef struct traits {
    const exchange_kind *kind;
    hm_status (*init)(void *fresh, const void *model);
    void (*describe)(const void *model, format *of);
    hm_status (*save)(const void *container, const void *desc, hm_sink sink);
    hm_status (*load)(void *container, const void *desc, hm_source source);
    uint32_t (*count)(const void *container);
    void (*fini)(void *container);
    void (*moved)(void *container);
    /* Around the fini of a container, if it has hooks: each of its values is destroyed once. */
    void (*ending)(void *model);
    void (*ended)(const void *model);
    void (*replaced)(void *model); /* a fresh container has the same items; NULL: no matter */
    /* Of a merge, NULL if there is none; the container has taken its own items once more; or it has
     * not, and NULL: no matter. */
    hm_status (*merge)(void *container, const void *desc, hm_source source, hm_secondary *remap);
    void (*merged)(void *model, const hm_secondary *remap);
    void (*refused)(void *model);
} traits;

/* Two, which keep their memory. */
static test_file first, second;

static hm_sink emptied(test_file *file)
{
    file->size = 0;
    return test_sink(file);
}

static test_memory *memory_of(const traits *of, void *model)
{
    return exchange_at(model, of->kind->memory);
}

/* A failed call has destroyed what its codec had made, and nothing else; one that has succeeded
 * nothing. */
static void check_tallies(test_reload_tallies were, hm_status status, uint32_t values)
{
    const test_tally none = {0, 0}, expected = status == HM_OK ? none : were.made;
    CHECK(were.destroyed.count == expected.count && were.destroyed.sum == expected.sum);
    CHECK(status != HM_OK || were.made.count == values);
}

/* replace */

/* Loads by a descriptor: so many bytes of the file, or the k-th call for memory is refused. */
static hm_status load(const traits *of, void *model, void *fresh, const void *desc, uint32_t values,
                      size_t size, uint32_t k)
{
    test_memory *memory = memory_of(of, model);
    size_t whole = first.size;
    first.size = size;
    test_memory_fail(memory, k, false);
    test_reload_open();
    hm_status status = of->load(fresh, desc, test_source(&first));
    check_tallies(test_reload_close(), status, values);
    first.size = whole;
    CHECK(status == HM_OK || (status == HM_ERROR_CORRUPT && size < whole) ||
          (status == HM_ERROR_MEMORY && test_memory_refused(memory)));
    CHECK(status != HM_OK || first.position == whole);
    test_memory_fail(memory, 0, false);
    CHECK(of->kind->validate(fresh) == HM_OK);
    uint32_t count = of->count(exchange_at(model, of->kind->container));
    CHECK(of->count(fresh) == (status == HM_OK ? count : 0));
    return status;
}

/* Ends the old container, whose values are destroyed. The model stays as it is, since the old one
 * ends moves that an order has begun, and the fresh one has none; but for the memory. */
static void end_old(const traits *of, void *model, void *before)
{
    memcpy(before, model, of->kind->model_size);
    if (of->ending != NULL)
        of->ending(model);
    of->fini(exchange_at(model, of->kind->container));
    if (of->ended != NULL)
        of->ended(model);
    test_memory now = *memory_of(of, model);
    memcpy(model, before, of->kind->model_size);
    *memory_of(of, model) = now;
}

/* Whether by a codec, and how often something is refused; what. */
static void replace(const traits *of, void *model, const uint32_t arguments[3])
{
    static test_any fresh;
    const exchange_kind *kind = of->kind;
    format with = {.coded = NULL};
    void *container = exchange_at(model, kind->container), *before = malloc(kind->model_size);
    uint64_t random = arguments[1];
    hm_status status = HM_ERROR_MEMORY;
    CHECK(before != NULL);
    of->describe(model, &with);
    const void *desc = arguments[0] % 2 != 0 ? with.coded : NULL;
    uint32_t values = desc != NULL ? with.values : 0, refusals = arguments[0] / 2 % REFUSALS;
    CHECK(of->save(container, desc, emptied(&first)) == HM_OK);
    CHECK(of->init(&fresh, model) == HM_OK);
    for (uint32_t i = 0; i <= refusals && status != HM_OK; i++) {
        size_t size = test_random_below(&random, (uint32_t)first.size);
        uint32_t k = 1 + test_random_below(&random, REFUSED_CALLS);
        bool is_cut = i % 2 == 0, is_last = i == refusals;
        status = load(of, model, &fresh, desc, values, is_cut && !is_last ? size : first.size,
                      is_cut || is_last ? 0 : k);
    }
    CHECK(status == HM_OK);
    CHECK(of->save(&fresh, desc, emptied(&second)) == HM_OK);
    CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
    end_old(of, model, before);
    memcpy(container, &fresh, kind->container_size);
    of->moved(container);
    free(before);
    if (of->replaced != NULL)
        of->replaced(model);
}

/* merge */

/* As for replace, of memory alone. */
static void merge(const traits *of, void *model, const uint32_t arguments[3])
{
    format with = {.coded = NULL};
    hm_secondary remap;
    test_memory *memory = memory_of(of, model);
    void *container = exchange_at(model, of->kind->container);
    of->describe(model, &with);
    const void *desc = arguments[0] % 2 != 0 ? with.coded : NULL;
    uint32_t count = of->count(container);
    CHECK(of->save(container, desc, emptied(&first)) == HM_OK);
    CHECK(hm_secondary_init(&remap, &(hm_secondary_desc){.value_size = sizeof(hm_handle),
                                                         .type_id = with.type_id}) == HM_OK);
    if (arguments[0] / 2 % 2 != 0)
        test_memory_fail(memory, 1 + arguments[1] / 2 % REFUSED_CALLS, arguments[1] % 2 != 0);
    test_reload_open();
    hm_status status = of->merge(container, desc, test_source(&first), &remap);
    check_tallies(test_reload_close(), status, desc != NULL ? with.values : 0);
    bool is_refused = test_memory_refused(memory);
    test_memory_fail(memory, 0, false);
    CHECK(hm_secondary_count(&remap) == (status == HM_OK ? count : 0));
    CHECK(status == HM_OK || (status == HM_ERROR_FULL && with.is_full) ||
          (status == HM_ERROR_MEMORY && is_refused));
    if (status == HM_OK)
        of->merged(model, &remap);
    else if (of->refused != NULL)
        of->refused(model);
    hm_secondary_fini(&remap);
}

/* Returns the handle under which an item was merged. */
static hm_handle renamed(const hm_secondary *remap, hm_handle old)
{
    const hm_handle *made = hm_secondary_get(remap, old);
    CHECK(made != NULL && !hm_handle_is_null(*made));
    return *made;
}

#define CALL(type, name, kind, parameters, call)                                                   \
    static type name##_##kind parameters                                                           \
    {                                                                                              \
        return hm_##kind##_##call;                                                                 \
    }

/* Defines the calls of a kind, its traits and its row; what follows are more of the traits. */
#define KIND(name, MODEL, SUBJECT, MERGE, ...)                                                     \
    CALL(hm_status, save, name, (const void *made, const void *desc, hm_sink sink),                \
         save(made, desc, sink))                                                                   \
    CALL(hm_status, load, name, (void *made, const void *desc, hm_source source),                  \
         load(made, desc, source))                                                                 \
    CALL(uint32_t, count, name, (const void *made), count(made))                                   \
    CALL(hm_status, validate, name, (const void *made), validate(made))                            \
    static void moved_##name(void *made)                                                           \
    {                                                                                              \
        hm_##name##_moved(made);                                                                   \
    }                                                                                              \
    static void fini_##name(void *made)                                                            \
    {                                                                                              \
        hm_##name##_fini(made);                                                                    \
    }                                                                                              \
    static const traits traits_##name = {.kind = &exchange_##name,                                 \
                                         .init = init_##name,                                      \
                                         .describe = describe_##name,                              \
                                         .save = save_##name,                                      \
                                         .load = load_##name,                                      \
                                         .count = count_##name,                                    \
                                         .fini = fini_##name,                                      \
                                         .moved = moved_##name,                                    \
                                         __VA_ARGS__};                                             \
    static void replace_##name(void *model, const uint32_t arguments[3])                           \
    {                                                                                              \
        replace(&traits_##name, model, arguments);                                                 \
    }                                                                                              \
    const exchange_kind exchange_##name = {.subject = &SUBJECT,                                    \
                                           .model_size = sizeof(MODEL),                            \
                                           .container = offsetof(MODEL, name),                     \
                                           .memory = offsetof(MODEL, memory),                      \
                                           .container_size = sizeof(hm_##name),                    \
                                           .validate = validate_##name,                            \
                                           .replace = replace_##name,                              \
                                           .merge = MERGE};

/* The same of a kind that can be merged. */
#define MERGED_KIND(name, MODEL, SUBJECT, ...)                                                     \
    CALL(hm_status, take, name,                                                                    \
         (void *made, const void *desc, hm_source source, hm_secondary *remap),                    \
         merge(made, desc, source, remap))                                                         \
    static void merge_##name(void *model, const uint32_t arguments[3]);                            \
    KIND(name, MODEL, SUBJECT, merge_##name, .merge = take_##name, __VA_ARGS__)                    \
    static void merge_##name(void *model, const uint32_t arguments[3])                             \
    {                                                                                              \
        merge(&traits_##name, model, arguments);                                                   \
    }

/* maps and tables */

static void ending_dense(void *state)
{
    ((dense_model *)state)->from_the_back = true;
}

static void ended_dense(const void *state)
{
    const dense_model *model = state;
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(dense_model_find(model, model->dense[i])->destroyed == (uint32_t)model->has_destroy);
}

static void merged_dense(void *state, const hm_secondary *remap)
{
    dense_model *model = state;
    for (uint32_t i = 0, n = model->count; i < n; i++) {
        const dense_slot record = *dense_model_find(model, model->dense[i]);
        hm_handle made = DENSE_CALL(model, handle_at, n + i);
        CHECK(made.bits == renamed(remap, model->dense[i]).bits);
        dense_model_note_insert(model, made, record.zeros, record.value);
    }
}

/* What has been found out for an order is not saved. */
static void replaced_map(void *state)
{
    dense_model *model = state;
    dense_model_forget(model);
    model->has_floors = false;
}

static hm_status init_map(void *fresh, const void *state)
{
    return hm_map_init(fresh, &((const dense_model *)state)->map_desc);
}

static void describe_dense(const dense_model *model, format *of)
{
    describe(of, model->count, model->has_destroy, model->type_id,
             model->count > model->capacity - model->count ||
                 model->count > model->max_slots - model->count - model->spent);
}

static void describe_map(const void *state, format *of)
{
    const dense_model *model = state;
    of->codecs[0].sizes[0] = model->map_desc.item_size;
    describe_dense(model, of);
}

static hm_status init_table(void *fresh, const void *state)
{
    return hm_table_init(fresh, &((const dense_model *)state)->table_desc);
}

static void describe_table(const void *state, format *of)
{
    const dense_model *model = state;
    of->codecs[0].columns = model->table_desc.column_count;
    for (uint32_t c = 0; c < model->table_desc.column_count; c++)
        of->codecs[0].sizes[c] = model->columns[c].size;
    describe_dense(model, of);
}

static void replaced_table(void *state)
{
    dense_model *model = state;
    replaced_map(model);
    for (uint32_t c = 0; c < model->table_desc.column_count; c++)
        model->places[c] = hm_table_cell(&model->table, 0, c);
}

MERGED_KIND(map, dense_model, map_subject, .ending = ending_dense, .ended = ended_dense,
            .replaced = replaced_map, .merged = merged_dense)
MERGED_KIND(table, dense_model, table_subject, .ending = ending_dense, .ended = ended_dense,
            .replaced = replaced_table, .merged = merged_dense)

/* pools */

static void ending_pool(void *state)
{
    pool_model *model = state;
    model->clearing = true;
    model->last_slot = 0;
}

static void ended_pool(const void *state)
{
    const pool_model *model = state;
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live)
            CHECK(model->slots[slot].destroyed == (model->desc.destroy != NULL ? 1u : 0u));
}

static hm_handle pool_handle(const pool_model *model, uint32_t slot)
{
    return hm_handle_pack(slot, model->slots[slot].generation, model->desc.type_id);
}

static void merged_pool(void *state, const hm_secondary *remap)
{
    static uint32_t live[POOL_MODEL_SLOTS];
    pool_model *model = state;
    uint32_t n = 0;
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live)
            live[n++] = slot;
    for (uint32_t i = 0; i < n; i++) {
        const pool_model_slot *record = &model->slots[live[i]];
        pool_model_note_insert(model, renamed(remap, pool_handle(model, live[i])), record->is_zero,
                               record->value);
    }
}

static hm_status init_pool(void *fresh, const void *state)
{
    const pool_model *model = state;
    hm_pool_desc desc = model->desc;
    if (model->pool.entry_array.moves_to_grow)
        desc.capacity = 0;
    return hm_pool_init(fresh, &desc);
}

static void describe_pool(const void *state, format *of)
{
    const pool_model *model = state;
    of->codecs[0].sizes[0] = model->desc.item_size;
    describe(of, model->count, model->desc.destroy != NULL, model->desc.type_id,
             model->count > model->desc.capacity - model->count ||
                 model->count > model->desc.max_slots - model->count - model->retired);
}

static void replaced_pool(void *state)
{
    pool_model *model = state;
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live)
            model->slots[slot].place = hm_pool_get(&model->pool, pool_handle(model, slot));
}

MERGED_KIND(pool, pool_model, pool_subject, .ending = ending_pool, .ended = ended_pool,
            .replaced = replaced_pool, .merged = merged_pool)

/* secondaries */

static void ending_secondary(void *state)
{
    ((secondary_model *)state)->from_the_back = true;
}

static void ended_secondary(const void *state)
{
    const secondary_model *model = state;
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entries[i].destroyed == (model->desc.destroy != NULL ? 1u : 0u));
}

static hm_status init_secondary(void *fresh, const void *state)
{
    const secondary_model *model = state;
    hm_secondary_desc desc = model->desc;
    if (model->secondary.value_array.moves_to_grow)
        desc.capacity = 0;
    return hm_secondary_init(fresh, &desc);
}

static void describe_secondary(const void *state, format *of)
{
    const secondary_model *model = state;
    of->codecs[0].sizes[0] = model->desc.value_size;
    describe(of, model->count, model->desc.destroy != NULL, model->desc.type_id, false);
}

static void replaced_secondary(void *state)
{
    secondary_model_begin_goal(state, 0);
}

KIND(secondary, secondary_model, secondary_subject, NULL, .ending = ending_secondary,
     .ended = ended_secondary, .replaced = replaced_secondary)

/* lists */

static void ending_lists(void *state)
{
    ((lists_model *)state)->destroyed = 0;
}

static void ended_lists(const void *state)
{
    const lists_model *model = state;
    CHECK(model->destroyed == (model->desc.destroy != NULL ? model->item_count : 0));
}

static void merged_lists(void *state, const hm_secondary *remap)
{
    lists_model *model = state;
    for (uint32_t i = 0, n = model->count; i < n; i++) {
        const lists_model_list *from = &model->entries[i];
        hm_handle made = hm_lists_handle_at(&model->lists, n + i);
        CHECK(made.bits == renamed(remap, from->list).bits);
        lists_model_note_created(model, made);
        lists_model_list *entry = &model->entries[n + i];
        memcpy(entry->values, from->values, sizeof *from->values * from->count);
        entry->count = from->count;
        model->item_count += from->count;
        lists_model_refresh(model, entry);
    }
}

static void refused_lists(void *state)
{
    lists_model *model = state;
    const hm_id_table *ids = &model->lists.ids;
    for (uint32_t slot = 0; slot < ids->slot_count; slot++) {
        uint32_t used = hm_handle_generation(ids->entries[slot]);
        model->spent += used == HM_HANDLE_MAX_GENERATION && used > model->issued[slot];
        if (used > model->issued[slot])
            model->issued[slot] = (uint16_t)used;
    }
}

static hm_status init_lists(void *fresh, const void *state)
{
    return hm_lists_init(fresh, &((const lists_model *)state)->given);
}

/* Where there is a capacity, gaps may use up the range. */
static void describe_lists(const void *state, format *of)
{
    const lists_model *model = state;
    of->codecs[0].sizes[0] = model->desc.item_size;
    describe(of, model->item_count, model->desc.destroy != NULL, model->desc.type_id,
             !model->is_unbounded || model->count > model->desc.capacity - model->count ||
                 model->count > model->desc.max_slots - model->count - model->spent ||
                 model->item_count > model->desc.max_items - model->item_count);
}

static void replaced_lists(void *state)
{
    lists_model *model = state;
    model->base = model->lists.blocks.base;
    for (uint32_t i = 0; i < model->count; i++)
        lists_model_refresh(model, &model->entries[i]);
}

MERGED_KIND(lists, lists_model, lists_subject, .ending = ending_lists, .ended = ended_lists,
            .replaced = replaced_lists, .merged = merged_lists, .refused = refused_lists)

/* indices */

/* There is nothing to encode. */
static void describe_index(const void *state, format *of)
{
    (void)state;
    (void)of;
}

static hm_status init_index(void *fresh, const void *state)
{
    return hm_index_init(fresh, &((const index_model *)state)->given);
}

KIND(index, index_model, index_subject, NULL, .replaced = NULL)

/* worlds */

static void ended_world(const void *state)
{
    const world_model *model = state;
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entities[i].destroyed ==
              (model->entities[i].mask & world_model_hooked(model)));
}

/* The promised entities live, unless nothing was merged. */
static void merged_world(void *state, const hm_secondary *remap)
{
    world_model *model = state;
    uint32_t n = model->count;
    world_model_keep_promises(model); /* Also by a merge of nothing. */
    for (uint32_t i = 0, start = model->count; i < n; i++) {
        world_model_entity from = model->entities[i];
        from.handle = hm_world_handle_at(&model->world, start + i);
        CHECK(from.handle.bits == renamed(remap, model->entities[i].handle).bits);
        *world_model_append(model, from.handle, from.mask) = from;
    }
}

static void refused_world(void *state)
{
    world_model *model = state;
    const hm_id_table *ids = &model->world.ids;
    if (model->world.promised == 0)
        world_model_keep_promises(model);
    for (uint32_t slot = 0; slot < ids->slot_count && slot < WORLD_MODEL_SLOTS; slot++)
        if (hm_handle_generation(ids->entries[slot]) > model->issued[slot])
            model->issued[slot] = hm_handle_generation(ids->entries[slot]);
}

static hm_status init_world(void *fresh, const void *state)
{
    hm_status status = hm_world_init_like(fresh, &((const world_model *)state)->world);
    ((hm_world *)fresh)->clock = 0; /* as that of a new one */
    return status == HM_OK ? hm_known_join(&hm_known_world, fresh) : status;
}

static void describe_world(const void *state, format *of)
{
    const world_model *model = state;
    for (uint32_t c = 0; c < model->component_count; c++) {
        const world_model_kind *kind = &model->components[c].of;
        if (kind->size == 0 || kind->size > HM_SAVE_MAX_ENCODED)
            continue;
        of->codecs[c] = (codec){.sizes = {kind->size}, .has_hook = kind->has_hook};
        of->formats[of->world.format_count++] =
            (hm_component_format){model->components[c].id, coded(&of->codecs[c])};
        for (uint32_t i = 0; i < model->count && kind->has_hook; i++)
            of->values += model->entities[i].mask >> c & 1;
    }
    of->world.formats = of->formats;
    of->coded = &of->world;
    of->has_hook = world_model_hooked(model) != 0;
    of->type_id = model->desc.type_id;
    of->is_full = world_model_explains(model, HM_ERROR_FULL, model->count);
}

/* What commands were promised is not saved. The values are elsewhere, which is no change. */
static void replaced_world(void *state)
{
    world_model *model = state;
    model->promised_count = 0;
    world_model_see(model);
}

MERGED_KIND(world, world_model, world_subject, .ended = ended_world, .replaced = replaced_world,
            .merged = merged_world, .refused = refused_world)

/* SPDX-License-Identifier: MIT */
/* world: init and fini, components, and questions. */
#include "world_private.h"

#include "../base/atomic_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"
#include "../order/order_private.h"

/* Limits of the descriptor. */
#define WORLD_MAX_ARCHETYPES ((UINT32_C(1) << (32 - HM_WORLD_ROW_BITS)) - 1)
#define WORLD_MAX_CAPACITY (UINT32_MAX / 2)
#define WORLD_MAX_SIZE (UINT64_C(1) << 39)

/* init and fini */

static void world_fill_desc(hm_world_desc *full)
{
    if (full->memory == NULL)
        full->memory = hm_memory_os();
    if (full->capacity != 0)
        hm_id_table_fill(&full->memory, full->capacity, &full->max_slots);
    if (full->name == NULL)
        full->name = "world";
    if (full->max_archetypes == 0)
        full->max_archetypes = WORLD_MAX_ARCHETYPES;
}

/* Checks what hm_id_table_init does not. */
static hm_status world_check(const hm_world_desc *full)
{
    hm_status status = hm_memory_check(full->memory);
    if (status != HM_OK)
        return status;
    if (full->capacity > WORLD_MAX_CAPACITY)
        return hm_fail(HM_ERROR_INVALID, "capacity %" HM_U32 " is above %" HM_U32, full->capacity,
                       WORLD_MAX_CAPACITY);
    if (full->max_archetypes > WORLD_MAX_ARCHETYPES)
        return hm_fail(HM_ERROR_INVALID, "max_archetypes %" HM_U32 " is above %" HM_U32,
                       full->max_archetypes, WORLD_MAX_ARCHETYPES);
    if (full->max_size != 0 &&
        (full->max_size > WORLD_MAX_SIZE || full->max_size < HM_WORLD_BLOCK_SIZE))
        return hm_fail(HM_ERROR_INVALID, "max_size %" HM_U64 " is not from %zu to %" HM_U64,
                       full->max_size, HM_WORLD_BLOCK_SIZE, WORLD_MAX_SIZE);
    return HM_OK;
}

/* Buckets, a power of two, and a limit; and what arrays that may move have space for at first. */
#ifndef HM_EXHAUSTIVE
enum { WORLD_MIN_BUCKETS = 16, WORLD_MAX_SPARSE = HM_WORLD_MAX_COMPONENTS };
enum { WORLD_FIRST_ARCHETYPES = 4, WORLD_FIRST_BUCKETS = WORLD_MIN_BUCKETS };
#endif
enum { WORLD_FIRST_COMPONENTS = 8 }; /* without a capacity */

/* The arrays beside the ids, and those that may move without them: the last are of the store. */
enum { WORLD_BESIDE = 3, WORLD_WHOLE = 2 + HM_WORLD_STORE_COLUMNS };
HM_STATIC_ASSERT(WORLD_BESIDE + WORLD_WHOLE <= (int)HM_ID_TABLE_MORE, "all share one range");

static hm_array_column world_column(hm_array *array, size_t size, size_t capacity)
{
    return (hm_array_column){.array = array, .desc = {.item_size = size, .capacity = capacity}};
}

/* Lists the arrays that grow in place with a capacity, and returns their number. */
static uint32_t world_list_beside(hm_world *world, const hm_world_desc *full,
                                  hm_array_column *columns)
{
    bool is_bounded = full->capacity != 0;
    uint32_t n = 0;
    columns[n] = world_column(&world->place_array, sizeof(hm_world_place), 0);
    columns[n++].is_by_slot = true;
    columns[n++] = world_column(&world->component_array, sizeof(hm_world_component_record),
                                is_bounded ? HM_WORLD_MAX_COMPONENTS : WORLD_FIRST_COMPONENTS);
    if (is_bounded) {
        columns[n] = world_column(&world->mask_array, sizeof(uint64_t), 0);
        columns[n++].is_by_slot = true;
    }
    return n;
}

/* Lists the others, and the first region: they are in the first range until they move. */
static void world_list_whole(hm_world *world, const hm_world_desc *full, hm_array *region,
                             hm_array_column *columns)
{
    columns[0] =
        world_column(&world->archetype_array, sizeof(hm_world_archetype), WORLD_FIRST_ARCHETYPES);
    columns[1] = world_column(&world->bucket_array, sizeof(uint32_t),
                              HM_WORLD_BUCKETS_BEGIN + WORLD_FIRST_BUCKETS);
    hm_world_store_list(&world->store, full->capacity != 0, region, columns + 2);
    for (uint32_t i = 0; i < WORLD_WHOLE; i++)
        columns[i].desc.memory = full->memory;
}

/* With a capacity the first range is a column of the range of the ids. */
static hm_status world_init_bounded(hm_world *world, const hm_id_table_desc *ids,
                                    hm_array_column *columns, uint32_t beside)
{
    const hm_array_column *whole = columns + beside;
    hm_array_column all[WORLD_BESIDE + 1];
    size_t size = hm_memory_round_up(hm_array_whole_size(whole, WORLD_WHOLE), HM_MEMORY_ALIGNMENT);
    memcpy(all, columns, beside * sizeof *columns);
    all[beside] = world_column(&world->first_range, size, 1);
    all[beside].desc.item_align = HM_MEMORY_ALIGNMENT;
    hm_status status = hm_id_table_init_with(&world->ids, ids, all, beside + 1);
    if (status == HM_OK)
        status = hm_array_commit(&world->first_range, 1, false);
    if (status == HM_OK)
        hm_array_place_columns(whole, WORLD_WHOLE, world->first_range.data);
    return status;
}

/* Without one the ids begin in it, and it stays where it is when they move. */
static hm_status world_init_unbounded(hm_world *world, const hm_id_table_desc *ids,
                                      const hm_array_column *columns, uint32_t beside)
{
    hm_array *owner = &world->ids.slot_array;
    hm_status status = hm_id_table_init_with(&world->ids, ids, columns, beside + WORLD_WHOLE);
    if (status != HM_OK)
        return status;
    world->first_range = *owner;
    world->first_range.committed_size = owner->range_size;
    owner->range_size = 0;
    return HM_OK;
}

static hm_status world_reserve_arrays(hm_world *world, const hm_world_desc *full, hm_array *region)
{
    hm_id_table_desc ids = {full->capacity, full->max_slots, full->type_id, full->generation_bits,
                            full->memory};
    hm_array_column columns[WORLD_BESIDE + WORLD_WHOLE];
    uint32_t beside = world_list_beside(world, full, columns);
    hm_status status = HM_OK;
    /* Coverage: only a 32-bit size_t has sizes that do not fit. */
    for (uint32_t i = 0; i < beside && status == HM_OK; i++)
        status = hm_array_check_size(columns[i].desc.item_size, columns[i].desc.capacity, "world_",
                                     full->memory);
    /* Coverage: as above. */
    if (status != HM_OK)
        /* Coverage: as above. */
        return status;
    world_list_whole(world, full, region, columns + beside);
    return full->capacity != 0 ? world_init_bounded(world, &ids, columns, beside)
                               : world_init_unbounded(world, &ids, columns, beside);
}

static hm_status world_init_arrays(hm_world *world, const hm_world_desc *full)
{
    hm_array region = {0};
    hm_status status = world_reserve_arrays(world, full, &region);
    hm_world_place_arrays(world);
    if (status != HM_OK)
        return status;
    hm_world_store_begin(&world->store, region.data, full->capacity != 0, full->max_size);
    if (world->ids.capacity > WORLD_MAX_CAPACITY)
        world->ids.capacity = WORLD_MAX_CAPACITY;
    world->bucket_array.count = HM_WORLD_BUCKETS_BEGIN + WORLD_MIN_BUCKETS;
    world->bucket_mask = WORLD_MIN_BUCKETS - 1;
    memset((uint32_t *)(void *)world->bucket_array.data + HM_WORLD_BUCKETS_BEGIN, 0xFF,
           WORLD_MIN_BUCKETS * sizeof(uint32_t));
    return HM_OK;
}

static void world_fini_arrays(hm_world *world)
{
    hm_world_store_fini(&world->store);
    hm_array_close(&world->order);
    hm_array_close(&world->links);
    hm_array_close(&world->sparse);
    hm_array_fini(&world->component_array);
    hm_array_fini(&world->bucket_array);
    hm_array_fini(&world->archetype_array);
    hm_array_fini(&world->mask_array);
    hm_array_fini(&world->place_array);
    if (world->first_range.range_size == 0)
        hm_array_fini(&world->first_range);
    hm_id_table_fini(&world->ids);
    hm_array_fini(&world->first_range);
}

static void world_add_sizes(const hm_world *world, hm_stats *stats)
{
    const hm_array *const arrays[] = {&world->first_range,
                                      world->order,
                                      world->links,
                                      world->sparse,
                                      &world->component_array,
                                      &world->bucket_array,
                                      &world->archetype_array,
                                      &world->mask_array,
                                      &world->place_array};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i] != NULL)
            hm_stats_add(stats, arrays[i]);
    hm_world_store_add_sizes(&world->store, stats);
    if (world->order != NULL)
        hm_order_add_sizes(hm_world_order_of(world)->state, stats);
}

/* Makes the root archetype, with a first chunk, so that it is there in every live world. */
static hm_status world_init_root(hm_world *world)
{
    hm_world_set none;
    uint32_t root;
    none.count = 0; /* An initializer would clear the 2 KiB of numbers too. */
    return hm_world_archetype_of(world, &none, &root);
}

static hm_status world_init_parts(hm_world *world, const hm_world_desc *full)
{
    hm_status status = world_check(full);
    if (status == HM_OK)
        status = world_init_arrays(world, full);
    world->max_archetypes = full->max_archetypes;
    world->dropped = world->order_archetype = HM_WORLD_NONE;
    if (status == HM_OK)
        status = world_init_root(world);
    if (status == HM_OK)
        status = hm_id_table_choose_type(&world->ids.type_id);
    return status;
}

void hm_world_release(hm_world *world)
{
    if (world->order != NULL)
        hm_order_fini(&hm_world_order_of(world)->state);
    for (uint32_t i = 0; i < world->sparse_count; i++) {
        hm_world_secondary(world, i)->destroy = NULL;
        hm_secondary_fini(hm_world_secondary(world, i));
    }
    world_fini_arrays(world);
    memset(world, 0, sizeof *world);
}

/* Each world begins at another salt, so that a component of one is none of another. The last salt
 * is left out: HM_INVALID_INDEX is no component. */
enum { WORLD_SALTS = UINT32_MAX / HM_WORLD_MAX_COMPONENTS };

static uint32_t world_salts; /* given so far; from WORLD_SALTS on they repeat */

static uint32_t world_next_salt(void)
{
    uint32_t salt = hm_atomic_add(&world_salts, 1) + 1;
    return salt % WORLD_SALTS * HM_WORLD_MAX_COMPONENTS;
}

bool hm_world_has_given(uint32_t salt)
{
    uint32_t given = hm_atomic_load(&world_salts);
    /* Coverage: no test makes four million worlds. */
    return given >= WORLD_SALTS || salt / HM_WORLD_MAX_COMPONENTS <= given;
}

#ifndef HM_WITHOUT_HISTORY
static bool world_is_busy(const void *world)
{
    return hm_guard_is_busy(&((const hm_world *)world)->guard) ||
           ((const hm_world *)world)->running != 0;
}

HM_KNOWN_WITH(world, memory, world_is_busy)
#endif

hm_status hm_world_init(hm_world *world, const hm_world_desc *desc)
{
    hm_status status = hm_announce_init("world", world, sizeof *world);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_world_desc, desc);
    hm_world_desc full = *desc;
    world_fill_desc(&full);
    status = world_init_parts(world, &full);
    world->memory = full.memory;
    world->name = full.name;
    if (status == HM_OK)
        status = hm_known_join(&hm_known_world, world);
    if (status != HM_OK) {
        const hm_limits limits = {.what = "world",
                                  .name = full.name,
                                  .capacity = full.capacity,
                                  .max_slots = full.max_slots};
        hm_world_release(world);
        return hm_fail_in("world_init", desc->name, hm_blame(status, &limits));
    }
    world->salt = world_next_salt();
    world->poisons = hm_memory_poisons();
    return HM_OK;
}

/* Makes the components of another world, as they were made there. */
static hm_status world_make_components(hm_world *fresh, const hm_world *world)
{
    for (uint32_t i = 0; i < world->component_count; i++) {
        const hm_world_component_record *record = hm_world_record(world, i);
        bool is_sparse = record->sparse != HM_WORLD_NONE;
        const hm_component_desc desc = {.size = record->size,
                                        .align = record->size != 0 ? record->align : 0,
                                        .name = record->name,
                                        .destroy = record->destroy,
                                        .copy = record->copy,
                                        .context = record->context,
                                        .storage = is_sparse ? HM_COMPONENT_SPARSE
                                                             : HM_COMPONENT_ARCHETYPE,
                                        .initial = record->initial};
        if (hm_world_component(fresh, &desc) == HM_INVALID_INDEX)
            return HM_ERROR_MEMORY;
        hm_world_record(fresh, i)->stamp = record->stamp; /* It is the same one for queries. */
    }
    return HM_OK;
}

hm_status hm_world_init_like(hm_world *fresh, const hm_world *world)
{
    bool is_bounded = !world->ids.slot_array.moves_to_grow;
    const hm_world_desc full = {.capacity = is_bounded ? world->ids.capacity : 0,
                                .max_slots = world->ids.max_slots,
                                .type_id = world->ids.type_id,
                                .memory = world->memory,
                                .name = world->name,
                                .max_archetypes = world->max_archetypes};
    memset(fresh, 0, sizeof *fresh);
    hm_status status = world_init_parts(fresh, &full);
    fresh->ids.last_generation = world->ids.last_generation;
    fresh->store.limit = world->store.limit;
    fresh->salt = world->salt;
    fresh->memory = world->memory;
    fresh->name = world->name;
    fresh->poisons = world->poisons;
    fresh->clock = world->clock;
    if (status == HM_OK)
        status = world_make_components(fresh, world);
    if (status != HM_OK)
        hm_world_release(fresh);
    return status;
}

void hm_world_take(hm_world *world, const hm_world *fresh)
{
    hm_guard guard = world->guard;
    hm_world_release(world);
    *world = *fresh;
    world->guard = guard;
    world->epoch = world->version = hm_world_next_stamp();
}

void hm_world_fini(hm_world *world)
{
    HM_CONTRACT_AT_REST(world, "hm_world_fini");
    HM_CONTRACT(world->running == 0,
                "hm_world_fini: a query of the world runs: call hm_query_end first");
    hm_world_clear(world);
    hm_known_leave(&hm_known_world, world);
    hm_world_release(world);
}

/* components */

hm_status hm_world_refuse_type(const hm_world *world, const char *type, hm_status status,
                               const char *why)
{
    return hm_fail(status, "the world '%.30s' has no component for the type '%.30s': %s",
                   world->name, type != NULL ? type : "", why);
}

static hm_status world_check_component(const hm_world *world, const hm_component_desc *desc)
{
    if (hm_guard_refuses(&world->guard, "world", world->name))
        return HM_ERROR_BUSY;
    if ((uint32_t)desc->storage > HM_COMPONENT_SPARSE)
        return hm_fail(HM_ERROR_INVALID, "storage %u is neither archetype nor sparse",
                       (unsigned)desc->storage);
    bool is_tag = desc->size == 0;
    if (is_tag && (desc->destroy != NULL || desc->copy != NULL || desc->align > 1))
        return hm_fail(HM_ERROR_INVALID, "a tag has no values to destroy, copy or align");
    if (is_tag && desc->initial != NULL)
        return hm_fail(HM_ERROR_INVALID, "a tag has no value, and no initial one");
    if (is_tag && desc->storage == HM_COMPONENT_SPARSE)
        return hm_fail(HM_ERROR_INVALID, "a sparse component has values of size 0");
    size_t limit = HM_WORLD_ROW_LIMIT - sizeof(hm_handle);
    if (desc->storage == HM_COMPONENT_ARCHETYPE && desc->size > limit)
        return hm_fail(HM_ERROR_INVALID, "size %zu is above %zu: make the component sparse",
                       desc->size, limit);
    return is_tag ? HM_OK : hm_array_check_layout(desc->size, desc->align, "");
}

static hm_status world_check_room(const hm_world *world)
{
    if (world->component_count >= HM_WORLD_MAX_COMPONENTS)
        return hm_fail(HM_ERROR_FULL, "the world '%.40s' has %u components, and may have no more",
                       world->name, HM_WORLD_MAX_COMPONENTS);
    return world->memory != NULL ? HM_OK : hm_fail_uninitialised("world");
}

/* Makes the secondary of a sparse component, the next in the array. */
static hm_status world_init_sparse(hm_world *world, const hm_component_desc *desc)
{
    bool is_bounded = !world->ids.slot_array.moves_to_grow;
    size_t need = world->sparse_count + (size_t)2, most = WORLD_MAX_SPARSE + (size_t)1;
    if (world->sparse != NULL && need > world->sparse->capacity && world->running != 0)
        return hm_world_refuse_busy(world); /* Queries have the addresses of secondaries. */
    hm_status status =
        hm_world_open(world, &world->sparse, sizeof(hm_secondary), need, is_bounded ? most : 0);
    if (status != HM_OK)
        return status;
    hm_secondary_desc values = {.value_size = desc->size,
                                .value_align = desc->align,
                                .capacity = is_bounded ? hm_world_capacity(world) : 0,
                                .max_slots = is_bounded ? world->ids.max_slots : 0,
                                .type_id = world->ids.type_id,
                                .destroy = desc->destroy,
                                .context = desc->context,
                                .memory = world->memory,
                                .name = desc->name != NULL ? desc->name : "component"};
    return hm_secondary_init(hm_world_secondary(world, world->sparse_count), &values);
}

static uint32_t world_alignment_of(const hm_component_desc *desc)
{
    return (uint32_t)(desc->align != 0 ? desc->align : hm_array_natural_align(desc->size));
}

/* Returns the number of the component with this name, or HM_INVALID_INDEX. */
static uint32_t world_find_named(const hm_world *world, const char *name)
{
    for (uint32_t number = 0; name != NULL && number < world->component_count; number++) {
        const char *other = hm_world_record(world, number)->name;
        if (other != NULL && hm_is_same_text(name, other))
            return number;
    }
    return HM_INVALID_INDEX;
}

/* Compares the component with this number, whose name a descriptor has too, with that. */
static hm_status world_check_layout(const hm_world *world, const hm_component_desc *desc,
                                    uint32_t number)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (desc->size == record->size && world_alignment_of(desc) == record->align &&
        (desc->storage == HM_COMPONENT_SPARSE) == hm_world_is_sparse(world, number))
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID,
                   "hm_world_component: '%.30s' has a component '%.30s' of another size, "
                   "align or storage: choose another name",
                   world->name, desc->name);
}

/* Makes the next component, whose descriptor has been checked. */
static hm_status world_append_component(hm_world *world, const hm_component_desc *desc)
{
    uint32_t number = world->component_count;
    bool is_sparse = desc->storage == HM_COMPONENT_SPARSE;
    hm_status status = world_check_room(world);
    if (status == HM_OK)
        status = hm_world_widen(world, &world->component_array, sizeof(hm_world_component_record),
                                (size_t)number + 1);
    if (status == HM_OK)
        status = hm_array_commit(&world->component_array, (size_t)number + 1, false);
    if (status == HM_OK && is_sparse)
        status = world_init_sparse(world, desc);
    if (hm_world_blame(world, status) != HM_OK)
        return status;
    hm_world_component_record record = {.size = desc->size, .destroy = desc->destroy};
    record.copy = desc->copy;
    record.align = world_alignment_of(desc);
    record.context = desc->context;
    record.initial = desc->initial;
    record.name = desc->name;
    record.sparse = is_sparse ? world->sparse_count++ : HM_WORLD_NONE;
    world->component_array.count = ++world->component_count;
    record.stamp = world->version = hm_world_next_stamp();
    *hm_world_record(world, number) = record;
    if (is_sparse)
        hm_world_record(world, record.sparse)->owner = number;
    return HM_OK;
}

hm_status hm_world_make_component(hm_world *world, const hm_component_desc *desc,
                                  hm_component *made)
{
    *made = HM_INVALID_INDEX;
    desc = HM_DESC(hm_component_desc, desc);
    hm_status status = world_check_component(world, desc);
    if (status != HM_OK)
        return status;
    uint32_t number = world_find_named(world, desc->name);
    bool is_new = number == HM_INVALID_INDEX;
    if (is_new)
        number = world->component_count;
    status = is_new ? world_append_component(world, desc) : world_check_layout(world, desc, number);
    if (status == HM_OK)
        *made = world->salt + number;
    return status;
}

hm_component hm_world_component(hm_world *world, const hm_component_desc *desc)
{
    HM_CONTRACT(world != NULL, "hm_world_component: world is NULL");
    hm_component made;
    (void)hm_world_make_component(world, desc, &made);
    return made;
}

/* questions */

void *hm_world_get_sparse(const hm_world *world, hm_handle entity, uint32_t number)
{
    if (number >= world->component_count || !hm_world_is_sparse(world, number))
        return NULL;
    return hm_secondary_get(hm_world_sparse(world, number), entity);
}

bool hm_world_has_sparse(const hm_world *world, hm_handle entity, uint32_t number)
{
    return hm_world_get_sparse(world, entity, number) != NULL;
}

/* Copies bytes, since a typed program passes an array of its own pointer type. */
uint32_t hm_world_get_n(const hm_world *world, const hm_handle *entities, uint32_t n,
                        hm_component component, void **values)
{
    HM_CONTRACT(world != NULL, "hm_world_get_n: world is NULL");
    HM_CONTRACT(entities != NULL || n == 0, "hm_world_get_n: entities is NULL");
    HM_CONTRACT(values != NULL || n == 0, "hm_world_get_n: values is NULL");
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        void *value = hm_world_get(world, entities[i], component);
        memcpy(values + i, &value, sizeof value);
        found += value != NULL;
    }
    return found;
}

uint32_t hm_world_components_of(const hm_world *world, hm_handle entity, hm_component *components,
                                uint32_t n)
{
    HM_CONTRACT(world != NULL, "hm_world_components_of: world is NULL");
    HM_CONTRACT(components != NULL || n == 0, "hm_world_components_of: components is NULL");
    if (!hm_world_contains(world, entity))
        return 0;
    hm_world_place place = *hm_world_place_of(world, entity);
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    hm_world_set sparse;
    hm_world_list_sparse(world, entity, &sparse);
    for (uint32_t i = 0; i < n && i < archetype->set_count; i++)
        components[i] = world->salt + archetype->set[i];
    for (uint32_t i = archetype->set_count; i < n && i - archetype->set_count < sparse.count; i++)
        components[i] = world->salt + sparse.numbers[i - archetype->set_count];
    return archetype->set_count + sparse.count;
}

hm_handle hm_world_handle_of(const hm_world *world, const void *value, hm_component component)
{
    HM_CONTRACT(world != NULL, "hm_world_handle_of: world is NULL");
    uint32_t number = component - world->salt, chunk;
    if (number >= world->component_count)
        return HM_NULL_HANDLE;
    if (hm_world_is_sparse(world, number))
        return hm_secondary_handle_of(hm_world_sparse(world, number), value);
    if (!hm_world_store_find(&world->store, value, &chunk))
        return HM_NULL_HANDLE;
    const hm_world_link *link = hm_world_link_of(world, chunk);
    if (link->archetype == HM_WORLD_NONE) /* It holds cells or columns. */
        return HM_NULL_HANDLE;
    const hm_world_archetype *archetype = &world->archetypes[link->archetype];
    const hm_world_cell *cell = hm_world_cell_of(archetype, number);
    if (cell->size == 0 || archetype->last == HM_WORLD_NONE ||
        link->ordinal > hm_world_link_of(world, archetype->last)->ordinal)
        return HM_NULL_HANDLE;
    const unsigned char *first =
        hm_world_address(world, archetype, (hm_world_place){chunk, 0}, cell->offset, cell->size);
    size_t row = ((uintptr_t)value - (uintptr_t)first) / cell->size;
    if (row >= hm_world_rows_in(archetype, chunk))
        return HM_NULL_HANDLE;
    return hm_world_entities(world, archetype, chunk)[row];
}

HM_ID_TABLE_QUESTIONS(world, entities)

hm_world_stats hm_world_get_stats(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_get_stats: world is NULL");
    hm_world_stats stats = {0};
    hm_id_table_add_stats(&world->ids, &stats);
    world_add_sizes(world, &stats);
    for (uint32_t i = 0; i < world->sparse_count; i++) {
        hm_secondary_stats values = hm_secondary_get_stats(hm_world_secondary(world, i));
        stats.committed_size += values.committed_size;
        stats.reserved_size += values.reserved_size;
    }
    return stats;
}

/* changes */

uint64_t hm_world_changed(const hm_world *world, hm_handle entity, hm_component component)
{
    HM_CONTRACT(world != NULL, "hm_world_changed: world is NULL");
    uint32_t number = component - world->salt;
    if (!hm_world_has(world, entity, component))
        return 0;
    if (hm_world_is_sparse(world, number))
        return hm_world_record(world, number)->changed;
    hm_world_place place = *hm_world_place_of(world, entity);
    return hm_world_changed_in(&world->archetypes[hm_world_place_archetype(place)], number);
}

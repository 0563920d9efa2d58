/* SPDX-License-Identifier: MIT */
/* The naive model of the world, and its comparison with the world. */
#include "world_model.h"

#include "layout.h"
#include "reload.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64,  /* bytes; up to this size values are compared after each operation */
    MODEL_STRIDE = 16, /* above, each after as many operations */
    MODEL_ROW = 16368, /* bytes of the largest row */
    MODEL_INITIAL = 90 /* each byte of an initial value */
};

static const world_model_kind kinds[] = {
    {.size = 4, .align = 4},
    {.size = 8, .align = 8, .has_hook = true, .has_copy = true, .has_initial = true},
    {.size = 0},
    {.size = 8, .align = 8, .is_sparse = true, .has_hook = true, .has_copy = true},
    {.size = 12, .align = 4, .has_initial = true},
    {.size = 1, .align = 1},
    {.size = 40, .align = 8, .has_hook = true, .has_copy = true},
    {.size = 0},
    {.size = 4, .align = 4, .is_sparse = true, .has_initial = true},
    {.size = 4096, .align = 4096},
    {.size = 7, .align = 1, .has_hook = true},
    {.size = 5000, .align = 8, .is_sparse = true, .has_hook = true, .has_copy = true},
    {.size = 9000, .align = 8, .has_hook = true, .has_copy = true, .has_initial = true},
    {.size = 7200, .align = 16},
};

/* entities */

world_model_entity *world_model_find(world_model *model, hm_handle handle)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->entities[i].handle.bits == handle.bits)
            return &model->entities[i];
    return NULL;
}

bool world_model_holds(const world_model *model, const world_model_entity *entity, uint32_t c,
                       const void *value)
{
    size_t size = model->components[c].of.size;
    unsigned char initial = model->components[c].of.has_initial ? MODEL_INITIAL : 0;
    return (entity->zero >> c & 1) != 0 ? test_bytes_are(value, size, initial)
                                        : test_item_is(value, size, entity->patterns[c]);
}

void world_model_note_issued(world_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    uint32_t slots = HM_ID_TABLE_UNIT, highest = 0;
    CHECK(handle.bits == hm_handle_pack(slot, generation, model->desc.type_id).bits);
    if (slot >= WORLD_MODEL_SLOTS)
        return;
    for (uint32_t i = 0; i < slots && slot / slots * slots + i < WORLD_MODEL_SLOTS; i++)
        if (model->issued[slot / slots * slots + i] > highest)
            highest = model->issued[slot / slots * slots + i];
    CHECK(generation > model->issued[slot]);
    CHECK(generation == model->issued[slot] + 1 || (model->dropped && generation <= highest + 1));
    model->issued[slot] = generation;
}

world_model_entity *world_model_append(world_model *model, hm_handle handle, uint32_t mask)
{
    CHECK(world_model_find(model, handle) == NULL && model->count < model->desc.capacity);
    CHECK(hm_handle_index(handle) < hm_world_get_stats(&model->world).max_slots);
    world_model_note_issued(model, handle);
    memset(model->seen[model->count], 0, sizeof model->seen[model->count]);
    world_model_entity *entity = &model->entities[model->count++];
    *entity = (world_model_entity){.handle = handle, .mask = mask, .zero = mask};
    return entity;
}

bool world_model_is_promised(const world_model *model, hm_handle handle)
{
    for (uint32_t i = 0; i < model->promised_count; i++)
        if (model->promised[i].bits == handle.bits)
            return true;
    return false;
}

void world_model_keep_promises(world_model *model)
{
    for (uint32_t i = 0; i < model->promised_count; i++)
        world_model_append(model, model->promised[i], 0);
    model->promised_count = 0;
}

uint32_t world_model_hooked(const world_model *model)
{
    uint32_t mask = 0;
    for (uint32_t c = 0; c < model->component_count; c++)
        mask |= (uint32_t)model->components[c].of.has_hook << c;
    return mask;
}

void world_model_drop(world_model *model, world_model_entity *entity)
{
    CHECK(entity->destroyed == (entity->mask & world_model_hooked(model)));
    CHECK(!hm_world_contains(&model->world, entity->handle));
    model->past[model->past_count++ % WORLD_MODEL_PAST] = entity->handle;
    memcpy(model->seen[entity - model->entities], model->seen[model->count - 1],
           sizeof *model->seen);
    *entity = model->entities[--model->count];
}

hm_handle world_model_pick(const world_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < WORLD_MODEL_PAST ? model->past_count : WORLD_MODEL_PAST;
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    uint64_t bits = (uint64_t)which << 32 | noise;
    uint32_t total = model->count + model->promised_count;
    hm_handle live = hm_handle_pack(noise % 9, 1, model->desc.type_id);
    if (total != 0 && which % total < model->count)
        live = model->entities[which % total].handle;
    else if (total != 0)
        live = model->promised[which % total - model->count];
    switch (kind % 14) {
    case 8:
        return hm_handle_from_bits(live.bits + one);
    case 9:
        return hm_handle_from_bits(live.bits - one);
    case 10:
        return known != 0 ? model->past[which % known] : live;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 13:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

/* callbacks */

/* Returns the entity of a value whose hook is called. */
static world_model_entity *owner_of(world_model *model, const world_model_component *of,
                                    const void *value)
{
    if (model->acting != NULL)
        return world_model_find(model, model->acting->handle);
    if (model->turns != NULL)
        return world_model_find(model, *model->turns++);
    for (uint32_t i = 0; i < model->count; i++)
        if (hm_world_get(&model->world, model->entities[i].handle, of->id) == value)
            return &model->entities[i];
    CHECK(false);
    return NULL;
}

/* The costly part now and then. */
void world_model_in_callback(world_model *model, hm_handle entity, uint32_t noise)
{
    hm_world *world = &model->world;
    if ((model->tick + noise) % (2 * TEST_SAMPLE) != 0)
        return;
    hm_component any = model->components[noise % model->component_count].id;
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_handle_is_null(hm_world_create(world, &any, 1)) && !hm_world_destroy(world, entity));
    CHECK(hm_world_add(world, entity, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, entity, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_change(world, entity, &any, 1, NULL, 0) == HM_ERROR_BUSY);
    CHECK(hm_handle_is_null(hm_world_create_with(world, &any, 1, NULL)));
    CHECK(hm_handle_is_null(hm_world_copy(world, entity)));
    CHECK(hm_world_add_n(world, &entity, 1, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove_n(world, &entity, 1, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove_all(world, entity) == HM_ERROR_BUSY);
    CHECK(hm_world_trim(world) == HM_ERROR_BUSY && hm_world_reserve(world, 1) == HM_ERROR_BUSY);
}

/* The entity is whole, in its new archetype: it has what stays and what came, and no more what was
 * taken from its archetype. A sparse value is taken when its hook has run. */
static void check_whole(const world_model *model, const world_model_entity *entity)
{
    for (uint32_t c = 0; c < model->component_count; c++) {
        const world_model_kind *kind = &model->components[c].of;
        bool had = (model->before >> c & 1) != 0, keeps = (model->after >> c & 1) != 0;
        bool has = hm_world_has(&model->world, entity->handle, model->components[c].id);
        const void *value = hm_world_get(&model->world, entity->handle, model->components[c].id);
        CHECK(!keeps || has);
        CHECK(keeps || !has || (had && kind->is_sparse));
        bool is_kept = keeps && had && (model->replaced >> c & 1) == 0 && kind->size != 0;
        CHECK(!is_kept || kind->size > MODEL_SMALL || world_model_holds(model, entity, c, value));
    }
}

static void on_destroy(void *value, void *context)
{
    const world_model_component *of = context;
    world_model *model = of->model;
    uint32_t c = (uint32_t)(of - model->components);
    if (test_reload_counts(value, of->of.size))
        return;
    world_model_entity *entity = owner_of(model, of, value);
    CHECK((entity->mask >> c & 1) != 0 && (entity->destroyed >> c & 1) == 0);
    CHECK(world_model_holds(model, entity, c, value));
    entity->destroyed |= UINT32_C(1) << c;
    CHECK(hm_world_contains(&model->world, entity->handle));
    if (model->acting == NULL) {
        model->before = entity->mask;
        model->after = entity->mask & ~(model->turns != NULL ? model->lost : 0);
    }
    check_whole(model, entity);
    world_model_in_callback(model, entity->handle, hm_handle_index(entity->handle));
}

/* The new entity has all that the other one has; of the values, each has its bytes at least. */
static void on_copy(void *value, const void *from, void *context)
{
    const world_model_component *of = context;
    world_model *model = of->model;
    uint32_t c = (uint32_t)(of - model->components);
    hm_handle copy = hm_world_handle_of(&model->world, value, of->id);
    const world_model_entity *entity =
        world_model_find(model, hm_world_handle_of(&model->world, from, of->id));
    CHECK(entity != NULL && world_model_find(model, copy) == NULL);
    CHECK(world_model_holds(model, entity, c, value) && world_model_holds(model, entity, c, from));
    CHECK((model->copied >> c & 1) == 0);
    model->copied |= UINT32_C(1) << c;
    for (uint32_t i = 0; i < model->component_count; i++)
        CHECK(hm_world_has(&model->world, copy, model->components[i].id) ==
              ((entity->mask >> i & 1) != 0));
    world_model_in_callback(model, copy, hm_handle_index(copy));
}

/* sets */

uint32_t world_model_draw(const world_model *model, uint32_t noise)
{
    uint32_t few = model->component_count < 2 ? 1 : 2;
    return noise % (model->is_crowded && noise / 64 % 16 != 0 ? few : model->component_count);
}

world_model_set world_model_draw_set(const world_model *model, uint32_t noise, uint32_t order)
{
    static const uint32_t few[] = {0x0003, 0x020B, 0x3003, 0x000E};
    world_model_set set = {.n = 0};
    uint32_t count = model->component_count;
    if (model->is_crowded && noise % 16 != 0) /* both bits of each component */
        noise = few[noise / 16 % 4] * 0x8001;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = (i * (order & 1 ? 1 : count - 1) + order / 2) % count;
        if ((noise >> c & 1) == 0 || (noise >> (c + 15) & 1) == 0)
            continue;
        set.ids[set.n++] = model->components[c].id;
        set.mask |= UINT32_C(1) << c;
    }
    set.is_valid = order % 37 > 1 || (order % 37 == 0 && set.n == 0);
    if (!set.is_valid) {
        hm_component foreign = model->components[0].id + 1000 + order / 37 % 2 * 123456;
        set.ids[set.n] = order % 37 == 0 ? set.ids[order % set.n] : foreign;
        set.n++;
    }
    return set;
}

bool world_model_fits(const world_model *model, uint32_t mask)
{
    size_t size = sizeof(hm_handle);
    for (uint32_t c = 0; c < model->component_count; c++)
        if ((mask >> c & 1) != 0 && !model->components[c].of.is_sparse)
            size += model->components[c].of.size;
    return size <= MODEL_ROW;
}

static uint32_t archetype_mask(const world_model *model, uint32_t mask)
{
    for (uint32_t c = 0; c < model->component_count; c++)
        if (model->components[c].of.is_sparse)
            mask &= ~(UINT32_C(1) << c);
    return mask;
}

uint32_t world_model_count_archetypes(const world_model *model)
{
    uint32_t masks[WORLD_MODEL_ENTITIES + 1] = {0}, count = 1;
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t mask = archetype_mask(model, model->entities[i].mask), k = 0;
        while (k < count && masks[k] != mask)
            k++;
        if (k == count)
            masks[count++] = mask;
    }
    return count - 1;
}

bool world_model_explains(const world_model *model, hm_status status, uint32_t n)
{
    hm_world_stats stats = hm_world_get_stats(&model->world);
    uint32_t taken = model->count + model->promised_count;
    if (status == HM_ERROR_MEMORY)
        return test_memory_refused(&model->memory);
    return status == HM_ERROR_FULL &&
           (n > model->desc.capacity - taken || n > stats.max_slots - stats.retired_slots - taken ||
            (model->desc.max_archetypes != 0 &&
             hm_world_archetype_count(&model->world) >= model->desc.max_archetypes));
}

/* components */

void world_model_make(world_model *model, const world_model_kind *kind)
{
    static const char names[][2] = {"a", "b", "c", "d", "e", "f", "g",
                                    "h", "i", "j", "k", "l", "m", "n"};
    static unsigned char initial[MODEL_ROW];
    CHECK(model->component_count < sizeof names / sizeof *names);
    memset(initial, MODEL_INITIAL, sizeof initial);
    world_model_component *component = &model->components[model->component_count];
    hm_component_desc desc = {.size = kind->size,
                              .align = kind->align,
                              .destroy = kind->has_hook ? on_destroy : NULL,
                              .copy = kind->has_copy ? on_copy : NULL,
                              .context = component,
                              .name = names[model->component_count]};
    desc.storage = kind->is_sparse ? HM_COMPONENT_SPARSE : HM_COMPONENT_ARCHETYPE;
    desc.initial = kind->has_initial ? initial : NULL;
    hm_component id = hm_world_component(&model->world, &desc);
    if (id == HM_INVALID_INDEX) {
        CHECK(world_model_explains(model, HM_ERROR_MEMORY, 0));
        return;
    }
    *component = (world_model_component){model, id, *kind};
    model->component_count++;
}

void world_model_make_next(world_model *model)
{
    if (model->component_count < sizeof kinds / sizeof *kinds)
        world_model_make(model, &kinds[model->component_count]);
}

/* the clock */

/* What a change to a component tells the clock for: the entities of one archetype, or, if it is
 * sparse, all that have it. */
typedef struct world_model_company {
    uint32_t mask;
    uint64_t sums[WORLD_MODEL_KINDS];
} world_model_company;

/* The first is that of the sparse components. */
typedef struct world_model_companies {
    world_model_company all[WORLD_MODEL_ENTITIES + 1];
    uint32_t count;
} world_model_companies;

static uint64_t *sum_of(const world_model *model, world_model_companies *companies,
                        const world_model_entity *entity, uint32_t c)
{
    uint32_t mask = archetype_mask(model, entity->mask), i = 1;
    if (model->components[c].of.is_sparse)
        return &companies->all[0].sums[c];
    while (i < companies->count && companies->all[i].mask != mask)
        i++;
    if (i == companies->count)
        companies->all[companies->count++] = (world_model_company){.mask = mask};
    return &companies->all[i].sums[c];
}

/* Returns where a value is. The values of a sparse component may all move together, which is no
 * change. */
static uintptr_t place_of(const hm_world *world, hm_handle entity, hm_component component)
{
    uint32_t number = component - world->salt;
    uintptr_t place = (uintptr_t)hm_world_get(world, entity, component);
    if (hm_world_is_sparse(world, number))
        place -= (uintptr_t)hm_secondary_values(hm_world_sparse(world, number));
    return place;
}

/* Adds the values and places of all that have them. */
static void add_sums(const world_model *model, world_model_companies *companies)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const world_model_entity *entity = &model->entities[i];
        for (uint32_t c = 0; c < model->component_count; c++) {
            if ((entity->mask >> c & 1) == 0)
                continue;
            const world_model_component *of = &model->components[c];
            bool has_pattern = of->of.size != 0 && (entity->zero >> c & 1) == 0;
            uint64_t sum =
                entity->handle.bits * 31 + place_of(&model->world, entity->handle, of->id);
            sum = test_random(&sum) + (has_pattern ? entity->patterns[c] + 1 : 0);
            *sum_of(model, companies, entity, c) += test_random(&sum);
        }
    }
}

/* What has changed since the last check, and for whom that counts, has a later time. */
static void look_at_times(world_model *model, bool checks)
{
    static world_model_companies companies; /* too large for the stack */
    companies.all[0] = (world_model_company){.mask = 0};
    companies.count = 1;
    add_sums(model, &companies);
    for (uint32_t i = 0; i < model->count; i++) {
        const world_model_entity *entity = &model->entities[i];
        for (uint32_t c = 0; c < model->component_count; c++) {
            bool has = (entity->mask >> c & 1) != 0;
            uint64_t sum = has ? *sum_of(model, &companies, entity, c) | 1 : 0;
            CHECK(!checks || !has || sum == model->seen[i][c] ||
                  hm_world_changed(&model->world, entity->handle, model->components[c].id) >
                      model->clock);
            model->seen[i][c] = sum;
        }
    }
}

void world_model_see(world_model *model)
{
    look_at_times(model, false);
}

/* comparison */

/* The components of an entity are listed, all of them or the first ones, and nothing behind them.
 */
static void check_list(const world_model *model, const world_model_entity *entity, uint32_t room)
{
    hm_component listed[WORLD_MODEL_KINDS + 1];
    memset(listed, 0xFF, sizeof listed);
    uint32_t n = hm_world_components_of(&model->world, entity->handle, listed, room), mask = 0;
    for (uint32_t i = 0; i < n && i < room; i++)
        for (uint32_t c = 0; c < model->component_count; c++)
            mask |= (uint32_t)(model->components[c].id == listed[i]) << c;
    uint32_t count = 0, found = 0;
    for (uint32_t c = 0; c < WORLD_MODEL_KINDS; c++) {
        count += entity->mask >> c & 1;
        found += mask >> c & 1;
    }
    CHECK(n == count && found == (n < room ? n : room) && (mask & ~entity->mask) == 0);
    for (uint32_t i = found; i <= WORLD_MODEL_KINDS; i++)
        CHECK(listed[i] == UINT32_MAX);
}

/* One search for all components finds what a search for each of them does. */
static void check_values(const world_model *model, hm_handle handle)
{
    hm_component set[WORLD_MODEL_KINDS];
    void *values[WORLD_MODEL_KINDS];
    uint32_t found = 0, n = model->component_count;
    memset(values, 0xFF, sizeof values);
    for (uint32_t c = 0; c < n; c++)
        set[c] = model->components[c].id;
    uint32_t count = hm_world_values_of(&model->world, handle, set, n, values);
    for (uint32_t c = 0; c < n; c++) {
        CHECK(values[c] == hm_world_get(&model->world, handle, set[c]));
        found += values[c] != NULL;
    }
    CHECK(count == found);
}

static void check_entity(world_model *model, const world_model_entity *entity, bool thorough)
{
    const hm_world *world = &model->world;
    CHECK(hm_world_contains(world, entity->handle) && entity->destroyed == 0);
    check_list(model, entity, thorough ? WORLD_MODEL_KINDS + 1 : entity->mask % 4);
    check_values(model, entity->handle);
    for (uint32_t c = 0; c < model->component_count; c++) {
        const world_model_component *of = &model->components[c];
        size_t align = of->of.align != 0 ? of->of.align : of->of.size & (0 - of->of.size);
        bool has = (entity->mask >> c & 1) != 0;
        const void *value = hm_world_get(world, entity->handle, of->id);
        CHECK(hm_world_has(world, entity->handle, of->id) == has);
        CHECK((value != NULL) == (has && of->of.size != 0));
        CHECK(value == NULL || (uintptr_t)value % align == 0);
        if (value != NULL && (of->of.size <= MODEL_SMALL || thorough))
            CHECK(world_model_holds(model, entity, c, value));
        if (value != NULL)
            CHECK(hm_world_handle_of(world, (const char *)value + of->of.size - 1, of->id).bits ==
                  entity->handle.bits);
    }
}

void world_model_probe(world_model *model, hm_handle handle, uint32_t noise)
{
    const hm_world *world = &model->world;
    const world_model_entity *entity = world_model_find(model, handle);
    CHECK(hm_world_contains(world, handle) == (entity != NULL));
    CHECK((hm_world_explain(world, handle) == HM_HANDLE_LIVE) == (entity != NULL));
    if (entity != NULL) {
        check_entity(model, entity, true);
        return;
    }
    for (uint32_t c = 0; c < model->component_count; c++)
        CHECK(hm_world_get(world, handle, model->components[c].id) == NULL &&
              !hm_world_has(world, handle, model->components[c].id));
    CHECK(hm_world_get(world, handle, noise) == NULL && !hm_world_has(world, handle, noise));
    CHECK(hm_world_components_of(world, handle, NULL, 0) == 0);
    check_values(model, handle);
    CHECK(hm_handle_is_null(hm_world_handle_of(world, &noise, model->components[0].id)));
}

static void check_stats(const world_model *model)
{
    hm_world_stats stats = hm_world_get_stats(&model->world);
    uint32_t spent = 0;
    for (uint32_t i = 0; i < WORLD_MODEL_SLOTS; i++)
        spent += model->issued[i] == HM_HANDLE_MAX_GENERATION;
    for (uint32_t i = 0; i < model->count; i++)
        spent -= hm_handle_generation(model->entities[i].handle) == HM_HANDLE_MAX_GENERATION;
    CHECK(stats.retired_slots <= spent || stats.max_slots > WORLD_MODEL_SLOTS);
    CHECK(stats.count == model->count && stats.capacity == model->desc.capacity);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= stats.max_slots);
    if (model->is_heap)
        return;
    CHECK(stats.committed_size == model->memory.committed_size || model->is_shared);
    CHECK(stats.reserved_size == model->memory.reserved_size || model->is_shared);
}

void world_model_check(void *state)
{
    world_model *model = state;
    const hm_world *world = &model->world;
    uint64_t random = ++model->tick;
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_world_count(world) == model->count);
    CHECK(world->promised == model->promised_count);
    CHECK(hm_world_archetype_count(world) >= world_model_count_archetypes(model));
    if (!TEST_STOPS) { /* The search brings earlier states back. */
        CHECK(hm_world_clock(world) >= model->clock);
        look_at_times(model, true);
    }
    model->clock = hm_world_clock(world);
    check_stats(model);
    for (uint32_t i = 0; i < model->count; i++) {
        CHECK(hm_world_handle_at(world, i).bits == model->entities[i].handle.bits);
        check_entity(model, &model->entities[i], (i + model->tick) % MODEL_STRIDE == 0);
    }
    CHECK(hm_handle_is_null(hm_world_handle_at(world, model->count)));
    uint32_t kind = 8 + test_random_below(&random, 6), which = (uint32_t)test_random(&random);
    world_model_probe(model, world_model_pick(model, kind, which, (uint32_t)test_random(&random)),
                      which);
    test_memory_disarm(&model->memory);
}

hm_status world_model_init(world_model *model, const hm_world_desc *desc, size_t page_size)
{
    test_memory_init(&model->memory, page_size);
    model->desc = *desc;
    model->desc.memory = model->is_heap ? hm_memory_heap() : &model->memory.table;
    hm_status status = hm_world_init(&model->world, &model->desc);
    model->desc.capacity = hm_world_capacity(&model->world);
    return status;
}

void world_model_fini(world_model *model)
{
    hm_world_fini(&model->world);
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entities[i].destroyed ==
              (model->entities[i].mask & world_model_hooked(model)));
    test_memory_check_released(&model->memory);
    hm_world_fini(&model->world);
    CHECK(hm_world_validate(&model->world) == HM_OK);
    CHECK(hm_handle_is_null(hm_world_create(&model->world, NULL, 0)));
}

/* Capacity and index space, page size and limits, components. */
void *world_model_begin(const uint32_t arguments[3])
{
    world_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    hm_world_desc desc = {
        .capacity = 1 + arguments[0] % WORLD_MODEL_ENTITIES,
        .type_id = (uint16_t)(arguments[1] % 5 == 0 ? 0 : arguments[1] & HM_HANDLE_MAX_TYPE_ID),
        .max_archetypes = arguments[1] / 8 % 4 == 0 ? 12 : 1000,
        .max_size = UINT64_C(1) << 26};
    model->is_worn = arguments[0] / 4096 % 4 == 0;
    model->is_crowded = arguments[2] / 128 % 2 != 0;
    model->is_heap = arguments[1] / 32 % 8 == 0;
    if (model->is_worn)
        desc.max_slots = desc.capacity;
    if (arguments[1] / 256 % 2 == 0) {
        /* It has no limit but its slots, and moves as it grows. */
        desc.max_slots = desc.capacity;
        desc.capacity = 0;
        desc.max_size = 0;
    }
    size_t page_size = test_layout_at(arguments[1] % test_layout_count()).page_size;
    CHECK(world_model_init(model, &desc, page_size) == HM_OK);
    for (uint32_t n = arguments[2] / 16 % 4 * 60; n > 0; n--) /* So numbers are far from 0. */
        (void)(arguments[2] / 64 % 2 == 0 ? make_tag(&model->world) : make_sparse(&model->world));
    for (uint32_t n = 0; n < 1 + arguments[2] % WORLD_MODEL_KINDS; n++)
        world_model_make_next(model);
    return model;
}

void world_model_end(void *state)
{
    world_model_fini(state);
    free(state);
}

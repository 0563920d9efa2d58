/* SPDX-License-Identifier: MIT */
/* The naive model of the world: each operation on both sides, and the comparison of the two. */
#include "world_model.h"

#include "layout.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_LARGEST = 9000,     /* bytes of a value */
    MODEL_SMALL = 64,         /* bytes; up to this size values are compared after each operation */
    MODEL_STRIDE = 16,        /* above, each after as many operations */
    MODEL_BURST = 60,         /* most entities made at once */
    MODEL_LIVES = 65600,      /* more than a slot has */
    MODEL_CHUNK_SIZE = 16368, /* bytes of the largest row */
    MODEL_COMPARES = 200      /* most for a row, as in the map's model */
};

typedef struct model_kind {
    size_t size, align;
    bool is_sparse, has_hook;
} model_kind;

static const model_kind kinds[WORLD_MODEL_KINDS] = {
    {4, 4, false, false},   {8, 8, false, true},        {0, 0, false, false}, {8, 8, true, true},
    {12, 4, false, false},  {1, 1, false, false},       {40, 8, false, true}, {0, 0, false, false},
    {4, 4, true, false},    {4096, 4096, false, false}, {7, 1, false, true},  {5000, 8, true, true},
    {9000, 8, false, true}, {7200, 16, false, false},
};

/* entities */

static world_model_entity *find(world_model *model, hm_handle handle)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->entities[i].handle.bits == handle.bits)
            return &model->entities[i];
    return NULL;
}

static bool value_holds(const world_model *model, const world_model_entity *entity, uint32_t c,
                        const void *value)
{
    size_t size = model->components[c].size;
    return (entity->zero >> c & 1) != 0 ? test_bytes_are(value, size, 0)
                                        : test_item_is(value, size, entity->patterns[c]);
}

static world_model_entity *append(world_model *model, hm_handle handle, uint32_t mask)
{
    CHECK(find(model, handle) == NULL && model->count < model->desc.capacity);
    CHECK(hm_handle_type_id(handle) == model->desc.type_id && !hm_handle_is_free(handle));
    CHECK(hm_handle_index(handle) < hm_world_get_stats(&model->world).max_slots);
    world_model_entity *entity = &model->entities[model->count++];
    *entity = (world_model_entity){.handle = handle, .mask = mask, .zero = mask};
    return entity;
}

static uint32_t hooked(const world_model *model)
{
    uint32_t mask = 0;
    for (uint32_t c = 0; c < model->component_count; c++)
        mask |= (uint32_t)model->components[c].has_hook << c;
    return mask;
}

/* Forgets an entity that was destroyed, after its hooks. */
static void drop(world_model *model, world_model_entity *entity)
{
    CHECK(entity->destroyed == (entity->mask & hooked(model)));
    CHECK(!hm_world_contains(&model->world, entity->handle));
    model->past[model->past_count++ % WORLD_MODEL_PAST] = entity->handle;
    *entity = model->entities[--model->count];
}

/* Returns a handle to try: an entity (kind 0 to 7), the next or the last life of its slot, one that
 * was, null, damaged, foreign, or noise. */
static hm_handle pick(const world_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < WORLD_MODEL_PAST ? model->past_count : WORLD_MODEL_PAST;
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    uint64_t bits = (uint64_t)which << 32 | noise;
    hm_handle live = model->count != 0 ? model->entities[which % model->count].handle
                                       : hm_handle_pack(noise % 9, 1, model->desc.type_id);
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
        return find(model, model->acting->handle);
    for (uint32_t i = 0; i < model->count; i++)
        if (hm_world_get(&model->world, model->entities[i].handle, of->id) == value)
            return &model->entities[i];
    CHECK(false);
    return NULL;
}

/* What holds in each callback; the costly part now and then. */
static void in_callback(world_model *model, hm_handle entity, uint32_t noise)
{
    hm_world *world = &model->world;
    if ((model->tick + noise) % 32 != 0)
        return;
    hm_component any = model->components[noise % model->component_count].id;
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_handle_is_null(hm_world_create(world, &any, 1)) && !hm_world_destroy(world, entity));
    CHECK(hm_world_add(world, entity, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, entity, any) == HM_ERROR_BUSY);
    CHECK(hm_world_change(world, entity, &any, 1, NULL, 0) == HM_ERROR_BUSY);
    CHECK(hm_world_trim(world) == HM_ERROR_BUSY && hm_world_reserve(world, 1) == HM_ERROR_BUSY);
}

/* The entity is whole, in its new table: it has what stays and what came, and no more what was
 * taken from its table. A sparse value is taken when its hook has run. */
static void check_whole(const world_model *model, hm_handle entity)
{
    for (uint32_t c = 0; c < model->component_count; c++) {
        bool had = (model->before >> c & 1) != 0, keeps = (model->after >> c & 1) != 0;
        bool has = hm_world_has(&model->world, entity, model->components[c].id);
        CHECK(!keeps || has);
        CHECK(keeps || !has || (had && model->components[c].is_sparse));
    }
}

static void on_destroy(void *value, void *context)
{
    const world_model_component *of = context;
    world_model *model = of->model;
    uint32_t c = (uint32_t)(of - model->components);
    world_model_entity *entity = owner_of(model, of, value);
    CHECK((entity->mask >> c & 1) != 0 && (entity->destroyed >> c & 1) == 0);
    CHECK(value_holds(model, entity, c, value));
    entity->destroyed |= UINT32_C(1) << c;
    CHECK(hm_world_contains(&model->world, entity->handle));
    if (model->acting == NULL)
        model->before = model->after = entity->mask;
    check_whole(model, entity->handle);
    in_callback(model, entity->handle, hm_handle_index(entity->handle));
}

/* Orders by the leading bytes, at most 2 of them, so that there are equal values. */
static uint64_t leading(const void *value, void *context)
{
    const world_model *model = context;
    const unsigned char *bytes = value;
    bool is_byte = model->components[model->sorting].size == 1;
    return is_byte ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

static uint64_t key(const void *value, void *context)
{
    world_model *model = context;
    uint64_t first = leading(value, context);
    model->ordered++;
    in_callback(model, model->count != 0 ? model->entities[0].handle : HM_NULL_HANDLE,
                (uint32_t)first);
    return first;
}

static int compare(const void *a, const void *b, void *context)
{
    world_model *model = context;
    uint64_t left = key(a, context), right = key(b, context);
    model->ordered--;
    return (left > right) - (left < right);
}

/* sets */

typedef struct model_set {
    hm_component ids[WORLD_MODEL_KINDS + 1];
    uint32_t n, mask;
    bool is_valid;
} model_set;

/* Draws components: each bit of noise decides about one. They come in any order, and now and then
 * one comes twice, or is of no world. */
static model_set draw_set(const world_model *model, uint32_t noise, uint32_t order)
{
    model_set set = {.n = 0};
    uint32_t count = model->component_count;
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

/* Whether the values of these components fit a table. */
static bool fits(const world_model *model, uint32_t mask)
{
    size_t size = sizeof(hm_handle);
    for (uint32_t c = 0; c < model->component_count; c++)
        if ((mask >> c & 1) != 0 && !model->components[c].is_sparse)
            size += model->components[c].size;
    return size <= MODEL_CHUNK_SIZE;
}

static uint32_t table_mask(const world_model *model, uint32_t mask)
{
    for (uint32_t c = 0; c < model->component_count; c++)
        if (model->components[c].is_sparse)
            mask &= ~(UINT32_C(1) << c);
    return mask;
}

/* Counts the tables that have rows, except that of no components. */
static uint32_t count_tables(const world_model *model)
{
    uint32_t masks[WORLD_MODEL_ENTITIES + 1] = {0}, count = 1;
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t mask = table_mask(model, model->entities[i].mask), k = 0;
        while (k < count && masks[k] != mask)
            k++;
        if (k == count)
            masks[count++] = mask;
    }
    return count - 1;
}

/* Whether this failure of a call that needs n more entities is right. */
static bool explains(const world_model *model, hm_status status, uint32_t n)
{
    hm_world_stats stats = hm_world_get_stats(&model->world);
    if (status == HM_ERROR_MEMORY)
        return test_memory_refused(&model->memory);
    return status == HM_ERROR_FULL &&
           (n > model->desc.capacity - model->count ||
            n > stats.max_slots - stats.retired_slots - model->count ||
            (model->desc.max_tables != 0 &&
             hm_world_table_count(&model->world) + 1 >= model->desc.max_tables));
}

/* create */

/* The handle that a create was promised, if it was. */
static void check_upcoming(const world_model *model, hm_handle upcoming, hm_handle entity)
{
    CHECK(hm_handle_is_null(upcoming) || hm_handle_equal(upcoming, entity));
    CHECK(hm_world_changed(&model->world, entity, model->components[0].id) <=
          hm_world_clock(&model->world));
}

/* Noise and order of a set. */
static void create(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    model_set set = draw_set(model, arguments[0], arguments[1]);
    hm_handle upcoming = hm_world_upcoming(&model->world, 0);
    hm_handle entity = hm_world_create(&model->world, set.ids, set.n);
    if (hm_handle_is_null(entity)) {
        CHECK(!set.is_valid || !fits(model, set.mask) || explains(model, HM_ERROR_MEMORY, 1) ||
              explains(model, HM_ERROR_FULL, 1));
        return;
    }
    CHECK(set.is_valid && fits(model, set.mask));
    append(model, entity, set.mask);
    check_upcoming(model, upcoming, entity);
}

/* Returns the columns for create_n: n values of each component, patterns from `pattern` on. Every
 * third component has none. The caller frees each. */
static void draw_columns(const world_model *model, const model_set *set, uint32_t n,
                         uint32_t pattern, void **columns)
{
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t c = 0;
        while (c < model->component_count && model->components[c].id != set->ids[i])
            c++;
        columns[i] = NULL;
        if (c == model->component_count || model->components[c].size == 0 || (c + pattern) % 3 == 0)
            continue;
        size_t size = model->components[c].size;
        columns[i] = malloc(size * n + 1);
        CHECK(columns[i] != NULL);
        for (uint32_t k = 0; k < n; k++)
            test_item_fill((unsigned char *)columns[i] + size * k, size, pattern + k + c);
    }
}

/* Adds what create_n has made to the model. */
static void append_many(world_model *model, const model_set *set, uint32_t n, uint32_t pattern,
                        void *const *columns, const hm_handle *handles)
{
    for (uint32_t k = 0; k < n; k++) {
        world_model_entity *entity = append(model, handles[k], set->mask);
        for (uint32_t i = 0; i < set->n; i++)
            for (uint32_t c = 0; c < model->component_count; c++)
                if (columns[i] != NULL && model->components[c].id == set->ids[i]) {
                    entity->zero &= ~(UINT32_C(1) << c);
                    entity->patterns[c] = pattern + k + c;
                }
    }
}

/* Noise and order of a set, number and pattern. */
static void create_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handles[MODEL_BURST] = {{0}}, upcoming[MODEL_BURST];
    void *columns[WORLD_MODEL_KINDS + 1];
    model_set set = draw_set(model, arguments[0], arguments[1]);
    uint32_t n = arguments[2] % MODEL_BURST, pattern = arguments[2] >> 8;
    for (uint32_t k = 0; k < n; k++)
        upcoming[k] = hm_world_upcoming(&model->world, k);
    draw_columns(model, &set, n, pattern, columns);
    hm_status status =
        hm_world_create_n(&model->world, set.ids, set.n, n, (const void *const *)columns, handles);
    bool is_valid = set.is_valid && fits(model, set.mask);
    if (status == HM_OK) {
        CHECK(is_valid);
        append_many(model, &set, n, pattern, columns, handles);
        for (uint32_t k = 0; k < n; k++)
            check_upcoming(model, upcoming[k], handles[k]);
    } else {
        CHECK(is_valid || status == HM_ERROR_INVALID || set.is_valid);
        CHECK(status == HM_ERROR_INVALID ? !is_valid : explains(model, status, n));
    }
    for (uint32_t i = 0; i < set.n; i++)
        free(columns[i]);
}

/* Number: after it, the handles of the next entities are certain, and an entity without components
 * needs no memory. */
static void reserve(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    uint32_t n = arguments[0] % (model->desc.capacity + 2);
    hm_status status = hm_world_reserve(&model->world, n);
    if (status != HM_OK) {
        CHECK(explains(model, status, n));
        return;
    }
    CHECK(n <= model->desc.capacity - model->count);
    for (uint32_t k = 0; k < n; k++)
        CHECK(!hm_handle_is_null(hm_world_upcoming(&model->world, k)));
    test_memory_fail(&model->memory, 1, true);
    for (uint32_t k = 0; k < n && k < arguments[1] % 64; k++) {
        hm_handle upcoming = hm_world_upcoming(&model->world, 0);
        hm_handle entity = hm_world_create(&model->world, NULL, 0);
        CHECK(!hm_handle_is_null(upcoming) && hm_handle_equal(upcoming, entity));
        append(model, entity, 0);
    }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
}

/* A change that changes nothing: by it, promised entities come to life. */
static void change_nothing(hm_world *world, uint32_t which)
{
    const hm_handle none = HM_NULL_HANDLE;
    if (which % 4 == 0)
        CHECK(!hm_world_destroy(world, none));
    else if (which % 4 == 1)
        CHECK(hm_world_destroy_n(world, &none, 1) == 0);
    else if (which % 4 == 2)
        CHECK(hm_world_add(world, none, 0, NULL) == HM_ERROR_STALE);
    else
        CHECK(hm_world_create_n(world, NULL, 0, 0, NULL, NULL) == HM_OK);
}

/* Number: that many of the upcoming entities are promised, as commands does it, and come to life at
 * the next change, without memory. */
static void promise(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle promised[WORLD_MODEL_ENTITIES];
    uint32_t n = 0, wanted = arguments[0] % (WORLD_MODEL_ENTITIES + 1);
    while (n < wanted && !hm_handle_is_null(hm_world_upcoming(&model->world, n))) {
        promised[n] = hm_world_upcoming(&model->world, n);
        n++;
    }
    test_memory_fail(&model->memory, 1, true);
    model->world.promised = n;
    CHECK(hm_world_count(&model->world) == model->count);
    change_nothing(&model->world, arguments[1]);
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    for (uint32_t k = 0; k < n; k++)
        append(model, promised[k], 0);
}

/* destroy */

/* A handle as pick takes it. */
static void destroy(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    world_model_entity *entity = find(model, handle);
    model->acting = entity;
    model->before = model->after = entity != NULL ? entity->mask : 0;
    CHECK(hm_world_destroy(&model->world, handle) == (entity != NULL));
    model->acting = NULL;
    if (entity != NULL)
        drop(model, entity);
}

/* Number and noise: entities, and what else pick returns, some of them twice. */
static void destroy_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handles[MODEL_BURST] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % MODEL_BURST, destroyed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = (uint32_t)test_random(&random), which = (uint32_t)test_random(&random);
        handles[i] = pick(model, kind, which, (uint32_t)test_random(&random));
    }
    uint32_t count = hm_world_destroy_n(&model->world, handles, n);
    for (uint32_t i = 0; i < n; i++) {
        world_model_entity *entity = find(model, handles[i]);
        if (entity == NULL)
            continue;
        drop(model, entity);
        destroyed++;
    }
    CHECK(count == destroyed);
}

static void clear(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    hm_world_clear(&model->world);
    while (model->count > 0)
        drop(model, &model->entities[model->count - 1]);
}

/* Number: uses one slot up. */
static void wear(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_component first = model->components[0].id;
    hm_handle last = HM_NULL_HANDLE;
    uint32_t lives = model->is_worn ? test_scaled(MODEL_LIVES) + arguments[0] % 8 : 0;
    for (; lives > 0; lives--) {
        hm_handle entity = hm_world_create(&model->world, &first, lives % 2);
        if (hm_handle_is_null(entity)) {
            CHECK(explains(model, HM_ERROR_FULL, 1) || explains(model, HM_ERROR_MEMORY, 1));
            break;
        }
        CHECK(entity.bits != last.bits && !hm_world_contains(&model->world, last));
        CHECK(hm_world_destroy(&model->world, entity));
        last = entity;
    }
}

/* add, remove, change */

/* Runs before and after an operation on one entity. */
static void act(world_model *model, const world_model_entity *entity, uint32_t after)
{
    model->acting = entity;
    model->before = entity != NULL ? entity->mask : 0;
    model->after = after;
}

/* The hooks of `lost` have run, and no other ones. */
static void settle(world_model *model, world_model_entity *entity, uint32_t lost)
{
    model->acting = NULL;
    CHECK(entity->destroyed == (lost & hooked(model)));
    entity->destroyed = 0;
}

/* Kind of entity and of value, which one, component and pattern. */
static void add(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    unsigned char bytes[MODEL_LARGEST];
    hm_handle handle = pick(model, arguments[0] % 256, arguments[1], arguments[2]);
    uint32_t c = arguments[2] % model->component_count, bit = UINT32_C(1) << c;
    bool is_zero = arguments[0] / 256 % 3 == 0;
    world_model_entity *entity = find(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0;
    uint64_t clock = hm_world_clock(&model->world);
    test_item_fill(bytes, model->components[c].size, arguments[2]);
    act(model, entity, before | bit);
    hm_status status =
        hm_world_add(&model->world, handle, model->components[c].id, is_zero ? NULL : bytes);
    if (entity == NULL) {
        CHECK(status == HM_ERROR_STALE);
    } else if (model->components[c].size == 0 && !is_zero) {
        CHECK(status == HM_ERROR_INVALID);
    } else if (!fits(model, before | bit)) {
        CHECK(status == HM_ERROR_INVALID || explains(model, status, 0));
    } else if (status == HM_OK) {
        settle(model, entity, before & bit);
        entity->mask |= bit;
        entity->zero = is_zero ? entity->zero | bit : entity->zero & ~bit;
        entity->patterns[c] = arguments[2];
        CHECK(hm_world_changed(&model->world, handle, model->components[c].id) > clock ||
              (model->components[c].size == 0 && before == entity->mask));
        return;
    } else {
        CHECK((before & bit) == 0 && explains(model, status, 0));
    }
    if (entity != NULL)
        settle(model, entity, 0);
}

/* Kind and which of an entity, component. */
static void remove_one(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    uint32_t c = arguments[2] % model->component_count, bit = UINT32_C(1) << c;
    world_model_entity *entity = find(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0;
    act(model, entity, before & ~bit);
    hm_status status = hm_world_remove(&model->world, handle, model->components[c].id);
    if (entity == NULL) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    settle(model, entity, status == HM_OK ? before & bit : 0);
    if (status == HM_OK)
        entity->mask &= ~bit;
    else
        CHECK((before & bit) != 0 && explains(model, status, 0));
}

/* Kind and which of an entity and order of the sets, noise of the sets. */
static void change(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = pick(model, arguments[0] % 256, arguments[1], arguments[2]);
    model_set more = draw_set(model, arguments[1], arguments[0] / 256);
    model_set less = draw_set(model, arguments[2], arguments[0] / 512);
    if (arguments[0] % 16 != 0) { /* Mostly they have no component in common. */
        less = draw_set(model, arguments[2] & ~(more.mask | more.mask << 15), arguments[0] / 512);
    }
    world_model_entity *entity = find(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0, after = (before | more.mask) & ~less.mask;
    act(model, entity, after);
    hm_status status = hm_world_change(&model->world, handle, more.ids, more.n, less.ids, less.n);
    if (entity == NULL) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    bool is_valid = more.is_valid && less.is_valid && (more.mask & less.mask) == 0;
    settle(model, entity, status == HM_OK ? before & (more.mask | less.mask) : 0);
    if (!is_valid) {
        CHECK(status == HM_ERROR_INVALID);
    } else if (!fits(model, after)) {
        CHECK(status == HM_ERROR_INVALID || explains(model, status, 0));
    } else if (status == HM_OK) {
        entity->mask = after;
        entity->zero |= more.mask;
    } else {
        CHECK(explains(model, status, 0));
    }
}

/* trim and order */

static void trim(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    hm_status status = hm_world_trim(&model->world);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
    CHECK(status != HM_OK || model->memory.committed_size <= before);
    CHECK(hm_world_table_count(&model->world) == count_tables(model));
    CHECK(hm_handle_is_null(hm_world_upcoming(&model->world, 0)));
}

/* Kind and which of an entity, component and pattern. */
static void edit(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    uint32_t c = arguments[2] % model->component_count;
    world_model_entity *entity = find(model, handle);
    void *value = hm_world_get(&model->world, handle, model->components[c].id);
    CHECK((value != NULL) ==
          (entity != NULL && (entity->mask >> c & 1) != 0 && model->components[c].size != 0));
    if (value != NULL) {
        test_item_fill(value, model->components[c].size, arguments[2]);
        entity->patterns[c] = arguments[2];
        entity->zero &= ~(UINT32_C(1) << c);
    }
    hm_world_touch(&model->world, handle, model->components[c].id);
}

static void touch_all(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_world_touch_all(&model->world, model->components[0].id + arguments[0] % 20);
}

static bool defragment_once(world_model *model, const hm_order *order, hm_budget budget)
{
    uint64_t ordered = model->ordered;
    hm_component component = model->components[model->sorting].id;
    hm_progress progress = hm_world_defragment(&model->world, component, order, budget);
    /* A compare calls the key twice, and counts once. */
    CHECK(progress.compares == model->ordered - ordered);
    CHECK(budget.max_swaps == 0 || progress.swaps <= budget.max_swaps);
    CHECK(budget.max_compares == 0 || progress.compares <= budget.max_compares);
    CHECK(progress.done || budget.max_swaps != 0 || budget.max_compares != 0);
    CHECK(hm_world_validate(&model->world) == HM_OK);
    return progress.done;
}

/* By key or compare, whether to the end, and component; swaps, compares. */
static void defragment(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_order order = {.context = model};
    hm_budget budget = {arguments[1] % 40, arguments[2] % 200};
    uint64_t calls = 1;
    bool done = false;
    model->sorting = arguments[0] / 4 % model->component_count;
    if (arguments[0] % 2 == 0)
        order.key = key;
    else
        order.compare = compare;
    if (arguments[0] / 2 % 2 == 0) /* Each call has a compare or a swap, but for a few. */
        calls += (uint64_t)(MODEL_COMPARES + model->count) * model->count +
                 20 * (1 + hm_world_table_count(&model->world));
    for (uint64_t n = calls; !done && n > 0; n--)
        done = defragment_once(model, &order, budget);
    CHECK(done || calls == 1);
    if (!done || model->components[model->sorting].size == 0)
        return;
    CHECK(world_is_in_order(&model->world, model->components[model->sorting].id, leading, model));
    uint64_t clock = hm_world_clock(&model->world);
    model->ordered = 0;
    CHECK(defragment_once(model, &order, budget) && model->ordered == 0);
    CHECK(hm_world_clock(&model->world) == clock);
}

/* components */

static void make_kind(world_model *model)
{
    uint32_t c = model->component_count;
    world_model_component *component = &model->components[c];
    hm_component_desc desc = {.size = kinds[c].size,
                              .align = kinds[c].align,
                              .destroy = kinds[c].has_hook ? on_destroy : NULL,
                              .context = component};
    desc.storage = kinds[c].is_sparse ? HM_COMPONENT_SPARSE : HM_COMPONENT_TABLE;
    hm_component id = hm_world_component(&model->world, &desc);
    if (id == HM_INVALID_INDEX) {
        CHECK(explains(model, HM_ERROR_MEMORY, 0));
        return;
    }
    *component =
        (world_model_component){model, id, kinds[c].size, kinds[c].is_sparse, kinds[c].has_hook};
    model->component_count++;
}

/* The next kind, while there are some. */
static void component(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    if (model->component_count < WORLD_MODEL_KINDS)
        make_kind(model);
}

/* comparison */

static void check_entity(world_model *model, const world_model_entity *entity, bool thorough)
{
    const hm_world *world = &model->world;
    CHECK(hm_world_contains(world, entity->handle) && entity->destroyed == 0);
    for (uint32_t c = 0; c < model->component_count; c++) {
        const world_model_component *of = &model->components[c];
        bool has = (entity->mask >> c & 1) != 0;
        const void *value = hm_world_get(world, entity->handle, of->id);
        CHECK(hm_world_has(world, entity->handle, of->id) == has);
        CHECK((value != NULL) == (has && of->size != 0));
        CHECK((uintptr_t)value % (kinds[c].align != 0 ? kinds[c].align : 1) == 0);
        if (value != NULL && (of->size <= MODEL_SMALL || thorough))
            CHECK(value_holds(model, entity, c, value));
    }
}

/* Compares what the lookups of this handle answer. */
static void probe_handle(world_model *model, hm_handle handle, uint32_t noise)
{
    const hm_world *world = &model->world;
    const world_model_entity *entity = find(model, handle);
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
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    probe_handle(state, pick(state, arguments[0], arguments[1], arguments[2]), arguments[2]);
}

static void check_stats(const world_model *model)
{
    hm_world_stats stats = hm_world_get_stats(&model->world);
    CHECK(stats.count == model->count && stats.capacity == model->desc.capacity);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= stats.max_slots);
    if (model->is_heap)
        return;
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

static void check(void *state)
{
    world_model *model = state;
    const hm_world *world = &model->world;
    uint64_t random = ++model->tick;
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_world_count(world) == model->count && hm_world_clock(world) >= model->clock);
    CHECK(hm_world_table_count(world) >= count_tables(model));
    model->clock = hm_world_clock(world);
    check_stats(model);
    for (uint32_t i = 0; i < model->count; i++)
        check_entity(model, &model->entities[i], (i + model->tick) % MODEL_STRIDE == 0);
    CHECK(hm_handle_is_null(hm_world_handle_at(world, model->count)));
    if (model->count != 0)
        CHECK(find(model, hm_world_handle_at(world, model->tick % model->count)) != NULL);
    uint32_t kind = 8 + test_random_below(&random, 6), which = (uint32_t)test_random(&random);
    probe_handle(model, pick(model, kind, which, (uint32_t)test_random(&random)), which);
    if (!model->refuses) /* What was armed holds for one operation. */
        test_memory_fail(&model->memory, 0, false);
    model->refuses = false;
}

/* Makes the next operation fail at the k-th memory call: k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    model->refuses = true;
    test_memory_fail(&model->memory, 1 + arguments[0] % 6, arguments[1] & 1);
}

/* Capacity and index space, page size and limits, components. */
static void *begin(const uint32_t arguments[3])
{
    world_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    test_memory_init(&model->memory, test_layout_at(arguments[1] % test_layout_count()).page_size);
    model->desc = (hm_world_desc){
        .capacity = 1 + arguments[0] % WORLD_MODEL_ENTITIES,
        .type_id = (uint16_t)(arguments[1] % 5 == 0 ? 0 : arguments[1] & HM_HANDLE_MAX_TYPE_ID),
        .max_tables = arguments[1] / 8 % 4 == 0 ? 12 : 1000,
        .max_size = UINT64_C(1) << 26,
        .memory = &model->memory.table};
    model->is_worn = arguments[0] / 4096 % 4 == 0;
    model->is_heap = arguments[1] / 32 % 8 == 0;
    if (model->is_worn)
        model->desc.max_slots = model->desc.capacity;
    if (model->is_heap)
        model->desc.memory = hm_memory_heap();
    CHECK(hm_world_init(&model->world, &model->desc) == HM_OK);
    for (uint32_t n = arguments[2] / 16 % 4 * 60; n > 0; n--) /* So numbers are far from 0. */
        make_tag(&model->world);
    for (uint32_t n = 0; n < 1 + arguments[2] % WORLD_MODEL_KINDS; n++)
        make_kind(model);
    return model;
}

static void end(void *state)
{
    world_model *model = state;
    hm_world_fini(&model->world);
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entities[i].destroyed == (model->entities[i].mask & hooked(model)));
    test_memory_check_released(&model->memory);
    free(model);
}

static const test_operation operations[] = {
    {"create", 150, create},     {"create_n", 20, create_n},  {"reserve", 8, reserve},
    {"promise", 12, promise},    {"destroy", 90, destroy},    {"destroy_n", 8, destroy_n},
    {"clear", 4, clear},         {"wear", 1, wear},           {"add", 150, add},
    {"remove", 100, remove_one}, {"change", 80, change},      {"trim", 16, trim},
    {"edit", 50, edit},          {"touch_all", 4, touch_all}, {"defragment", 40, defragment},
    {"component", 6, component}, {"probe", 30, probe},        {"refuse", 50, refuse},
};

const test_subject world_subject = {
    .name = "world",
    .operations = operations,
    .operation_count = sizeof operations / sizeof *operations,
    .begin = begin,
    .check = check,
    .end = end,
};

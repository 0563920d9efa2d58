/* SPDX-License-Identifier: MIT */
/* The operations of the naive model of the world: each on both sides. */
#include "world_model.h"

#include "layout.h"
#include "reload.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_LARGEST = 9000, /* bytes of a value */
    MODEL_BURST = 60,     /* most entities made at once */
    MODEL_SET = 28,       /* entities that a set may have */
    MODEL_LIVES = 65600   /* more than a slot has */
};

/* create */

/* The handle that a create was promised, if it was. */
static void check_upcoming(const world_model *model, hm_handle upcoming, hm_handle entity)
{
    CHECK(hm_handle_is_null(upcoming) || hm_handle_equal(upcoming, entity));
    CHECK(hm_world_changed(&model->world, entity, model->components[0].id) <=
          hm_world_clock(&model->world));
}

/* Returns the columns for create_n: n values of each component, patterns from `pattern` on. Every
 * third component has none. The caller frees each. */
static void draw_columns(const world_model *model, const world_model_set *set, uint32_t n,
                         uint32_t pattern, void **columns)
{
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t c = 0;
        while (c < model->component_count && model->components[c].id != set->ids[i])
            c++;
        columns[i] = NULL;
        if (c == model->component_count || model->components[c].of.size == 0 ||
            (c + pattern) % 3 == 0)
            continue;
        size_t size = model->components[c].of.size;
        columns[i] = malloc(size * n + 1);
        CHECK(columns[i] != NULL);
        for (uint32_t k = 0; k < n; k++)
            test_item_fill((unsigned char *)columns[i] + size * k, size, pattern + k + c);
    }
}

/* Adds what create_n has made to the model. */
static void append_many(world_model *model, const world_model_set *set, uint32_t n,
                        uint32_t pattern, void *const *columns, const hm_handle *handles)
{
    for (uint32_t k = 0; k < n; k++) {
        world_model_entity *entity = world_model_append(model, handles[k], set->mask);
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
    world_model_set set = world_model_draw_set(model, arguments[0], arguments[1]);
    uint32_t n = arguments[2] % MODEL_BURST, pattern = arguments[2] >> 8;
    for (uint32_t k = 0; k < n; k++)
        upcoming[k] = hm_world_upcoming(&model->world, k);
    draw_columns(model, &set, n, pattern, columns);
    hm_status status =
        hm_world_create_n(&model->world, set.ids, set.n, n, (const void *const *)columns, handles);
    bool is_valid = set.is_valid && world_model_fits(model, set.mask);
    if (status == HM_OK) {
        CHECK(is_valid);
        world_model_keep_promises(model);
        append_many(model, &set, n, pattern, columns, handles);
        for (uint32_t k = 0; k < n; k++)
            check_upcoming(model, upcoming[k], handles[k]);
    } else {
        CHECK(is_valid || status == HM_ERROR_INVALID || set.is_valid);
        CHECK(status == HM_ERROR_INVALID ? !is_valid : world_model_explains(model, status, n));
    }
    for (uint32_t i = 0; i < set.n; i++)
        free(columns[i]);
}

/* Noise and order of a set; pattern, or 0 modulo 4 for an entity without values. */
static void create(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    void *values[WORLD_MODEL_KINDS + 1] = {NULL};
    world_model_set set = world_model_draw_set(model, arguments[0], arguments[1]);
    bool has_values = arguments[2] % 4 != 0;
    hm_handle upcoming = hm_world_upcoming(&model->world, 0), entity;
    if (has_values)
        draw_columns(model, &set, 1, arguments[2], values);
    entity = has_values
                 ? hm_world_create_with(&model->world, set.ids, set.n, (const void *const *)values)
                 : hm_world_create(&model->world, set.ids, set.n);
    if (hm_handle_is_null(entity)) {
        CHECK(!set.is_valid || !world_model_fits(model, set.mask) ||
              world_model_explains(model, HM_ERROR_MEMORY, 1) ||
              world_model_explains(model, HM_ERROR_FULL, 1));
    } else {
        CHECK(set.is_valid && world_model_fits(model, set.mask));
        world_model_keep_promises(model);
        append_many(model, &set, 1, arguments[2], values, &entity);
        check_upcoming(model, upcoming, entity);
    }
    for (uint32_t i = 0; i < set.n; i++)
        free(values[i]);
}

/* Kind, which, noise: adopts a handle of an entity that was, of a slot near what it has issued, or
 * any, and gives slots that are made before this one's the generation that they have used up. */
static void adopt(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    const hm_id_table *ids = &model->world.ids;
    uint32_t near = arguments[1] % WORLD_MODEL_SLOTS, kind = arguments[0] % 4;
    hm_handle entity =
        kind < 2
            ? hm_handle_pack(near, model->issued[near] + kind, model->desc.type_id)
            : world_model_pick(model, kind == 2 ? 8 : arguments[0] / 4, arguments[1], arguments[2]);
    uint32_t slot = hm_handle_index(entity), generation = hm_handle_generation(entity);
    uint32_t made = ids->slot_count, count = model->count + model->promised_count;
    hm_handle_state before = hm_world_explain(&model->world, entity);
    bool has_entity = !hm_handle_is_null(hm_id_table_handle_of_slot(ids, slot));
    bool is_promised = false;
    for (uint32_t i = 0; i < model->promised_count; i++)
        is_promised |= hm_handle_index(model->promised[i]) == slot;
    if (slot >= WORLD_MODEL_SLOTS) /* The model knows no more. */
        return;
    hm_status status = hm_world_adopt(&model->world, entity);
    if (entity.bits != hm_handle_pack(slot, generation, model->desc.type_id).bits ||
        generation == 0 || slot >= hm_world_get_stats(&model->world).max_slots) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    if (has_entity || is_promised || before == HM_HANDLE_RETIRED ||
        generation < model->issued[slot]) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    if (status != HM_OK) {
        CHECK((status == HM_ERROR_STALE && model->dropped) ||
              (status == HM_ERROR_FULL && count == model->desc.capacity) ||
              (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
        return;
    }
    world_model_keep_promises(model);
    for (; made < slot; made++)
        if (hm_handle_generation(ids->entries[made]) > model->issued[made])
            model->issued[made] = hm_handle_generation(ids->entries[made]);
    model->issued[slot] = generation - 1;
    world_model_append(model, entity, 0);
}

/* Whether the values of these components can be copied. */
static bool can_copy(const world_model *model, uint32_t mask)
{
    for (uint32_t c = 0; c < model->component_count; c++)
        if ((mask >> c & 1) != 0 && model->components[c].of.has_hook &&
            !model->components[c].of.has_copy)
            return false;
    return true;
}

/* A handle as pick takes it. */
static void copy(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = world_model_pick(model, arguments[0], arguments[1], arguments[2]);
    const world_model_entity *entity = world_model_find(model, handle);
    uint32_t mask = entity != NULL ? entity->mask : 0, hooked = 0;
    bool lives = entity != NULL || world_model_is_promised(model, handle);
    for (uint32_t c = 0; c < model->component_count; c++)
        hooked |= (uint32_t)model->components[c].of.has_copy << c;
    hm_handle made = hm_world_copy(&model->world, handle);
    uint32_t copied = model->copied;
    model->copied = 0;
    if (hm_handle_is_null(made)) {
        CHECK(copied == 0 && (!lives || !can_copy(model, mask) ||
                              world_model_explains(model, HM_ERROR_MEMORY, 1) ||
                              world_model_explains(model, HM_ERROR_FULL, 1)));
        return;
    }
    CHECK(lives && can_copy(model, mask) && copied == (mask & hooked));
    world_model_keep_promises(model);
    world_model_entity *added = world_model_append(model, made, mask);
    entity = world_model_find(model, handle);
    added->zero = entity->zero;
    memcpy(added->patterns, entity->patterns, sizeof added->patterns);
}

/* Number: after it, the handles of the next entities are certain, and an entity without components
 * needs no memory. */
static void reserve(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    uint32_t n = arguments[0];
    if (n != UINT32_MAX)
        n %= model->desc.capacity + 2;
    hm_status status = hm_world_reserve(&model->world, n);
    if (status != HM_OK) {
        CHECK(world_model_explains(model, status, n));
        return;
    }
    CHECK(n <= model->desc.capacity - model->count - model->promised_count);
    for (uint32_t k = 0; k < n; k++)
        CHECK(!hm_handle_is_null(hm_world_upcoming(&model->world, k)));
    test_memory_fail(&model->memory, 1, true);
    for (uint32_t k = 0; k < n && k < arguments[1] % 64; k++) {
        hm_handle upcoming = hm_world_upcoming(&model->world, 0);
        hm_handle entity = hm_world_create(&model->world, NULL, 0);
        CHECK(!hm_handle_is_null(upcoming) && hm_handle_equal(upcoming, entity));
        world_model_keep_promises(model);
        world_model_append(model, entity, 0);
    }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
}

/* Number, and whether they live at once: that many of the upcoming entities are promised, as
 * commands does it. A call that is refused leaves them so; they come to life at the next one that
 * succeeds, for which it takes no memory. */
static void promise(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_world *world = &model->world;
    const hm_handle none = HM_NULL_HANDLE;
    uint32_t n = 0, wanted = arguments[0] % (WORLD_MODEL_ENTITIES + 1);
    while (n < wanted && !hm_handle_is_null(hm_world_upcoming(world, n)))
        model->promised[model->promised_count++] = hm_world_upcoming(world, n++);
    world->promised += n;
    test_memory_fail(&model->memory, 1, true);
    CHECK(!hm_world_destroy(world, none) && hm_world_destroy_n(world, &none, 1) == 0);
    CHECK(hm_world_add(world, none, 0, NULL) == HM_ERROR_STALE);
    CHECK(world->promised == model->promised_count && hm_world_count(world) == model->count);
    if (arguments[1] % 4 == 0) {
        CHECK(hm_world_create_n(world, NULL, 0, 0, NULL, NULL) == HM_OK);
        world_model_keep_promises(model);
    }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
}

/* destroy */

/* A handle as pick takes it. */
static void destroy(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = world_model_pick(model, arguments[0], arguments[1], arguments[2]);
    world_model_entity *entity = world_model_find(model, handle);
    model->acting = entity;
    model->before = model->after = entity != NULL ? entity->mask : 0;
    bool is_expected = entity != NULL || world_model_is_promised(model, handle);
    CHECK(hm_world_destroy(&model->world, handle) == is_expected);
    model->acting = NULL;
    if (!is_expected)
        return;
    world_model_keep_promises(model);
    world_model_drop(model, world_model_find(model, handle));
}

static void destroy_all(world_model *model, const hm_handle *handles, uint32_t n)
{
    uint32_t destroyed = 0, count = hm_world_destroy_n(&model->world, handles, n);
    if (count != 0)
        world_model_keep_promises(model);
    for (uint32_t i = 0; i < n; i++) {
        world_model_entity *entity = world_model_find(model, handles[i]);
        if (entity == NULL)
            continue;
        world_model_drop(model, entity);
        destroyed++;
    }
    CHECK(count == destroyed);
}

/* Set of entities, whether the last one comes first. Between their handles are others, whose
 * entities are dead by then. */
static void destroy_set(void *state, const uint32_t arguments[3])
{
    const world_model *model = state;
    hm_handle handles[2 * MODEL_SET] = {{0}};
    uint32_t n = 0;
    uint32_t end = model->count < MODEL_SET ? model->count : MODEL_SET;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t k = arguments[1] % 2 != 0 ? end - 1 - i : i;
        if ((arguments[0] >> k & 1) == 0)
            continue;
        handles[n++] = model->entities[k].handle;
        handles[n++] = handles[0];
    }
    destroy_all(state, handles, n);
}

/* Number and noise: entities, and what else pick returns, some of them twice. */
static void destroy_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handles[MODEL_BURST] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % MODEL_BURST;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = (uint32_t)test_random(&random), which = (uint32_t)test_random(&random);
        handles[i] = world_model_pick(model, kind, which, (uint32_t)test_random(&random));
    }
    destroy_all(model, handles, n);
}

static void clear(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    hm_world_clear(&model->world);
    world_model_keep_promises(model);
    while (model->count > 0)
        world_model_drop(model, &model->entities[model->count - 1]);
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
            CHECK(world_model_explains(model, HM_ERROR_FULL, 1) ||
                  world_model_explains(model, HM_ERROR_MEMORY, 1));
            break;
        }
        world_model_keep_promises(model);
        world_model_note_issued(model, entity);
        CHECK(!hm_world_contains(&model->world, last));
        CHECK(hm_world_destroy(&model->world, entity));
        last = entity;
    }
}

/* add, remove, change */

/* Runs before an operation on one entity; `replaced` are components that get a new value. */
static void act(world_model *model, const world_model_entity *entity, uint32_t after,
                uint32_t replaced)
{
    model->acting = entity;
    model->replaced = entity != NULL ? replaced : 0;
    model->before = entity != NULL ? entity->mask : 0;
    model->after = after;
}

/* The hooks of `lost` have run, and no other ones. */
static void settle(world_model *model, world_model_entity *entity, uint32_t lost)
{
    model->acting = NULL;
    model->replaced = 0;
    CHECK(entity->destroyed == (lost & world_model_hooked(model)));
    entity->destroyed = 0;
}

/* Returns the entity after a call: one that was promised lives if the call has succeeded. */
static world_model_entity *after_call(world_model *model, hm_handle handle, hm_status status)
{
    if (status == HM_OK)
        world_model_keep_promises(model);
    return world_model_find(model, handle);
}

/* Kind of entity and of value, which one, component and pattern. */
static void add(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    unsigned char bytes[MODEL_LARGEST];
    hm_handle handle = world_model_pick(model, arguments[0] % 256, arguments[1], arguments[2]);
    uint32_t c = world_model_draw(model, arguments[2]), bit = UINT32_C(1) << c;
    bool is_zero = arguments[0] / 256 % 3 == 0;
    world_model_entity *entity = world_model_find(model, handle);
    bool is_promised = world_model_is_promised(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0;
    uint64_t clock = hm_world_clock(&model->world);
    test_item_fill(bytes, model->components[c].of.size, arguments[2]);
    act(model, entity, before | bit, bit);
    hm_status status =
        hm_world_add(&model->world, handle, model->components[c].id, is_zero ? NULL : bytes);
    entity = after_call(model, handle, status);
    if (entity == NULL && !is_promised) {
        CHECK(status == HM_ERROR_STALE);
    } else if (model->components[c].of.size == 0 && !is_zero) {
        CHECK(status == HM_ERROR_INVALID);
    } else if (!world_model_fits(model, before | bit)) {
        CHECK(status == HM_ERROR_INVALID || world_model_explains(model, status, 0));
    } else if (status == HM_OK) {
        settle(model, entity, before & bit);
        entity->mask |= bit;
        entity->zero = is_zero ? entity->zero | bit : entity->zero & ~bit;
        entity->patterns[c] = arguments[2];
        CHECK(hm_world_changed(&model->world, handle, model->components[c].id) > clock ||
              (model->components[c].of.size == 0 && before == entity->mask));
        return;
    } else {
        CHECK((before & bit) == 0 && world_model_explains(model, status, 0));
    }
    if (entity != NULL)
        settle(model, entity, 0);
}

/* Kind and which of an entity, component. */
static void remove_one(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = world_model_pick(model, arguments[0], arguments[1], arguments[2]);
    uint32_t c = world_model_draw(model, arguments[2]), bit = UINT32_C(1) << c;
    world_model_entity *entity = world_model_find(model, handle);
    bool is_promised = world_model_is_promised(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0;
    act(model, entity, before & ~bit, 0);
    bool removed = true;
    hm_status status = hm_world_remove(&model->world, handle, model->components[c].id, &removed);
    entity = after_call(model, handle, status);
    CHECK(!is_promised || status == HM_OK);
    CHECK(removed == (status == HM_OK && (before & bit) != 0));
    if (entity == NULL) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    settle(model, entity, status == HM_OK ? before & bit : 0);
    if (status == HM_OK)
        entity->mask &= ~bit;
    else
        CHECK((before & bit) != 0 && world_model_explains(model, status, 0));
}

/* A handle as pick takes it. */
static void remove_all(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = world_model_pick(model, arguments[0], arguments[1], arguments[2]);
    world_model_entity *entity = world_model_find(model, handle);
    bool is_promised = world_model_is_promised(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0;
    act(model, entity, 0, 0);
    hm_status status = hm_world_remove_all(&model->world, handle);
    entity = after_call(model, handle, status);
    CHECK(!is_promised || status == HM_OK);
    if (entity == NULL) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    settle(model, entity, status == HM_OK ? before : 0);
    if (status == HM_OK)
        entity->mask = 0;
    else
        CHECK(before != 0 && world_model_explains(model, status, 0));
}

/* Many entities that gain or lose one component. */
typedef struct model_many {
    hm_handle handles[MODEL_BURST], turns[MODEL_BURST];
    uint32_t n, c, bit;
    bool are_alive, fit;
} model_many;

/* Draws entities, one of them now and then not alive. If the component has a hook none is given
 * twice, so that those which have it tell in which order the hooks run. */
static void draw_many(world_model *model, const uint32_t arguments[3], model_many *many)
{
    uint64_t random = arguments[1];
    uint32_t wanted = arguments[0] % MODEL_BURST, turns = 0;
    *many =
        (model_many){.c = world_model_draw(model, arguments[2]), .are_alive = true, .fit = true};
    many->bit = UINT32_C(1) << many->c;
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t kind = (uint32_t)test_random(&random) % 128,
                 which = (uint32_t)test_random(&random);
        hm_handle handle = world_model_pick(model, kind < 14 ? kind : 0, which, which >> 8);
        bool is_new = true;
        for (uint32_t k = 0; k < many->n; k++)
            is_new = is_new && many->handles[k].bits != handle.bits;
        if (!is_new && model->components[many->c].of.has_hook)
            continue;
        const world_model_entity *entity = world_model_find(model, handle);
        many->handles[many->n++] = handle;
        many->are_alive =
            many->are_alive && (entity != NULL || world_model_is_promised(model, handle));
        many->fit =
            many->fit && world_model_fits(model, (entity != NULL ? entity->mask : 0) | many->bit);
        if (entity != NULL && (entity->mask & many->bit) != 0)
            many->turns[turns++] = handle;
    }
}

/* Compares the hooks after a call with those that are expected. */
static void end_many(world_model *model, const model_many *many, hm_status status)
{
    model->turns = NULL;
    model->replaced = 0;
    if (status == HM_OK)
        world_model_keep_promises(model);
    for (uint32_t i = 0; i < many->n; i++) {
        world_model_entity *entity = world_model_find(model, many->handles[i]);
        if (entity == NULL) {
            CHECK(status != HM_OK);
            continue;
        }
        settle(model, entity, status == HM_OK ? entity->mask & many->bit : 0);
        entity->destroyed = 0;
    }
}

/* Number, seed and component, which also says whether the values are zero. */
static void add_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    model_many many;
    draw_many(model, arguments, &many);
    size_t size = model->components[many.c].of.size;
    bool is_zero = arguments[2] / 64 % 4 == 0;
    unsigned char *values = malloc(size * MODEL_BURST + 1);
    CHECK(values != NULL);
    for (uint32_t i = 0; i < many.n; i++)
        test_item_fill(values + size * i, size, arguments[2] + i);
    model->turns = many.turns;
    model->lost = 0;
    model->replaced = many.bit;
    hm_status status = hm_world_add_n(&model->world, many.handles, many.n,
                                      model->components[many.c].id, is_zero ? NULL : values);
    end_many(model, &many, status);
    free(values);
    if (status != HM_OK) {
        bool is_valid = many.are_alive && many.fit && (is_zero || size != 0);
        CHECK(status != HM_ERROR_STALE || !many.are_alive);
        CHECK(status != HM_ERROR_INVALID || !is_valid);
        CHECK(!is_valid || world_model_explains(model, status, 0));
        return;
    }
    CHECK(many.are_alive && many.fit && (is_zero || size != 0));
    for (uint32_t i = 0; i < many.n; i++) {
        world_model_entity *entity = world_model_find(model, many.handles[i]);
        entity->mask |= many.bit;
        entity->zero = is_zero ? entity->zero | many.bit : entity->zero & ~many.bit;
        entity->patterns[many.c] = arguments[2] + i;
    }
}

static void remove_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    model_many many;
    draw_many(model, arguments, &many);
    model->turns = many.turns;
    model->lost = many.bit;
    uint32_t removed = 1;
    hm_status status = hm_world_remove_n(&model->world, many.handles, many.n,
                                         model->components[many.c].id, &removed);
    end_many(model, &many, status);
    CHECK(many.are_alive || status == HM_ERROR_STALE);
    CHECK(!many.are_alive || status == HM_OK || world_model_explains(model, status, 0));
    for (uint32_t i = 0; i < many.n && status == HM_OK; i++) {
        world_model_entity *entity = world_model_find(model, many.handles[i]);
        removed -= (entity->mask & many.bit) != 0;
        entity->mask &= ~many.bit;
    }
    CHECK(removed == 0);
}

/* As for add_n: what lookups of many answer is what those of one do. */
static void get_n(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    model_many many;
    void *values[MODEL_BURST];
    bool alive[MODEL_BURST];
    draw_many(model, arguments, &many);
    const hm_world *world = &model->world;
    hm_component id = model->components[many.c].id;
    uint32_t found = hm_world_get_n(world, many.handles, many.n, id, values);
    uint32_t living = hm_world_contains_n(world, many.handles, many.n, alive);
    for (uint32_t i = 0; i < many.n; i++) {
        CHECK(values[i] == hm_world_get(world, many.handles[i], id));
        CHECK(alive[i] == (world_model_find(model, many.handles[i]) != NULL));
        found -= values[i] != NULL;
        living -= alive[i];
        const hm_component set[] = {id, model->components[0].id, HM_INVALID_INDEX};
        void *row[3];
        uint32_t count = hm_world_values_of(world, many.handles[i], set, 3, row);
        CHECK(row[0] == values[i] && row[2] == NULL);
        CHECK(row[1] == hm_world_get(world, many.handles[i], set[1]));
        CHECK(count == (uint32_t)(row[0] != NULL) + (row[1] != NULL));
    }
    CHECK(found == 0 && living == 0);
}

/* Kind and which of an entity and order of the sets, noise of the sets. */
static void change(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    uint32_t order = arguments[0] / 4096, noise = arguments[2];
    hm_handle handle = world_model_pick(model, arguments[0] % 16, arguments[0] / 16 % 256, noise);
    world_model_set more = world_model_draw_set(model, arguments[1], order);
    if (order % 16 != 0) /* Mostly they have no component in common. */
        noise &= ~(more.mask | more.mask << 15);
    world_model_set less = world_model_draw_set(model, noise, order / 2);
    world_model_entity *entity = world_model_find(model, handle);
    bool is_promised = world_model_is_promised(model, handle);
    uint32_t before = entity != NULL ? entity->mask : 0, after = (before | more.mask) & ~less.mask;
    act(model, entity, after, more.mask);
    hm_status status = hm_world_change(&model->world, handle, more.ids, more.n, less.ids, less.n);
    entity = after_call(model, handle, status);
    if (entity == NULL && !is_promised) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    bool is_valid = more.is_valid && less.is_valid && (more.mask & less.mask) == 0;
    if (entity != NULL)
        settle(model, entity, status == HM_OK ? before & (more.mask | less.mask) : 0);
    if (!is_valid) {
        CHECK(status == HM_ERROR_INVALID);
    } else if (!world_model_fits(model, after)) {
        CHECK(status == HM_ERROR_INVALID || world_model_explains(model, status, 0));
    } else if (status == HM_OK) {
        entity->mask = after;
        entity->zero |= more.mask;
    } else {
        CHECK(world_model_explains(model, status, 0));
    }
}

static void trim(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size, page = model->memory.table.page_size;
    uint32_t slots = hm_world_get_stats(&model->world).slots;
    /* Without a capacity there may be less to give back than the generation floors need. */
    if (model->world.ids.slot_array.moves_to_grow && model->world.ids.floors == NULL)
        before += ((sizeof(hm_array) + 2 * sizeof(size_t)) / page + 1) * page;
    hm_status status = hm_world_trim(&model->world);
    bool is_refused = test_memory_refused(&model->memory);
    world_model_keep_promises(model);
    CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK));
    model->dropped |= is_refused || hm_world_get_stats(&model->world).slots < slots;
    CHECK(status != HM_OK || model->memory.committed_size <= before);
    CHECK(hm_world_archetype_count(&model->world) == world_model_count_archetypes(model));
    CHECK(hm_handle_is_null(hm_world_upcoming(&model->world, 0)));
}

/* others */

/* The next kind, while there are some. */
static void component(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    world_model_make_next(model);
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    world_model_probe(state, world_model_pick(state, arguments[0], arguments[1], arguments[2]),
                      arguments[2]);
}

/* k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((world_model *)state)->memory, arguments);
}

static void reload(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    (void)arguments;
    test_memory_disarm(&model->memory); /* The other world takes memory from there, too. */
    test_reload_world(&model->world);
}

static const test_operation operations[] = {
    {"create", 180, create},
    {"create_n", 20, create_n},
    {"reserve", 8, reserve},
    {"promise", 12, promise},
    {"destroy", 90, destroy},
    {"destroy_n", 8, destroy_n},
    {"clear", 4, clear},
    {"wear", 1, wear},
    {"add", 150, add},
    {"remove", 100, remove_one},
    {"change", 80, change},
    {"trim", 16, trim},
    {"edit", 50, world_model_edit},
    {"touch_all", 4, world_model_touch_all},
    {"defragment", 40, world_model_defragment},
    {"component", 6, component},
    {"probe", 30, probe},
    {"refuse", 50, refuse},
    {"hostile", 30, world_model_hostile},
    {"hostile_component", 30, world_model_hostile_component},
    {"query", 20, world_model_query},
    {"commands", 10, world_model_commands},
    {"copy", 60, copy},
    {"remove_all", 20, remove_all},
    {"add_n", 20, add_n},
    {"remove_n", 20, remove_n},
    {"get_n", 10, get_n},
    {"destroy_set", 4, destroy_set},
    {"adopt", 30, adopt},
    {"reload", 10, reload},
};

TEST_SUBJECT(world_subject, "world", operations, world_model_begin, world_model_check,
             world_model_end);

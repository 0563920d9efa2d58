/* SPDX-License-Identifier: MIT */
/* The orders of the world's model: by the leading bytes of a component's values. */
#include "layout.h"
#include "world.h"
#include "world_model.h"

enum {
    MODEL_SMALL = 64,     /* bytes; values up to this size are compared in callbacks */
    MODEL_COMPARES = 200, /* most for a row, as in the model of maps and tables */
    MODEL_CALLS = 200     /* more of them in the exhaustive search, where calls end early */
};

/* At most 2 bytes, so that there are equal values. */
static uint64_t leading(const void *value, void *context)
{
    const world_model *model = context;
    const unsigned char *bytes = value;
    unsigned char zero;
    test_item_fill(&zero, 1, 0);
    if (model->has_keys)
        return (unsigned char)(bytes[0] - zero);
    bool is_byte = model->components[model->sorting].of.size == 1;
    return is_byte ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

static uint64_t key(const void *value, void *context)
{
    world_model *model = context;
    const world_model_component *of = &model->components[model->sorting];
    uint64_t first = leading(value, context);
    model->ordered++;
    if (of->of.size <= MODEL_SMALL) {
        hm_handle handle = hm_world_handle_of(&model->world, value, of->id);
        const world_model_entity *entity = world_model_find(model, handle);
        CHECK(entity != NULL && world_model_holds(model, entity, model->sorting, value));
    }
    world_model_in_callback(model, model->count != 0 ? model->entities[0].handle : HM_NULL_HANDLE,
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

/* operations */

/* Kind and which of an entity, component and pattern. */
void world_model_edit(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_handle handle = world_model_pick(model, arguments[0], arguments[1], arguments[2]);
    uint32_t c = world_model_draw(model, arguments[2]);
    world_model_entity *entity = world_model_find(model, handle);
    void *value = hm_world_get(&model->world, handle, model->components[c].id);
    CHECK((value != NULL) ==
          (entity != NULL && (entity->mask >> c & 1) != 0 && model->components[c].of.size != 0));
    if (value != NULL) {
        test_item_fill(value, model->components[c].of.size, arguments[2]);
        entity->patterns[c] = arguments[2];
        entity->zero &= ~(UINT32_C(1) << c);
    }
    hm_world_touch(&model->world, handle, model->components[c].id);
}

/* A component, or none; now and then all that is known of orders is forgotten instead. */
void world_model_touch_all(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    if (arguments[1] % 8 == 7)
        hm_world_forget_order(&model->world);
    else
        hm_world_touch_all(&model->world, model->components[0].id + arguments[0] % 20);
}

static bool defragment_once(world_model *model, const hm_order *order, hm_frame_budget budget)
{
    uint64_t ordered = model->ordered;
    hm_component component = model->components[model->sorting].id;
    hm_frame_budget left = budget;
    hm_progress progress = hm_world_defragment(&model->world, component, order, &left);
    /* A compare calls the key twice, and counts once. */
    CHECK(progress.compares == model->ordered - ordered);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.swaps_left != HM_NO_LIMIT ||
          budget.compares_left != HM_NO_LIMIT || TEST_STOPS);
    test_memory_follow(&model->memory, progress);
    CHECK(hm_world_validate(&model->world) == HM_OK);
    return progress.done;
}

/* By key or compare, whether to the end, and component; swaps, compares. */
void world_model_defragment(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_order order = {.context = model};
    hm_frame_budget budget = test_budget_of(arguments[1] % 40, arguments[2] % 200);
    uint64_t calls = 1;
    bool done = false;
    model->sorting = world_model_draw(model, arguments[0] / 4);
    if (model->is_crowded) /* Mostly it goes on with the last order. */
        model->sorting = arguments[0] / 4 % 8 == 0 ? model->sorting : 0;
    if (arguments[0] % 2 == 0)
        order.key = key;
    else
        order.compare = compare;
    if (arguments[0] / 2 % 2 == 0) /* Each call has a compare or a swap, but for a few. */
        calls += (uint64_t)(MODEL_COMPARES + model->count) * model->count +
                 20 * (1 + hm_world_archetype_count(&model->world)) + TEST_STOPS * MODEL_CALLS;
    for (uint64_t n = calls; !done && n > 0; n--)
        done = defragment_once(model, &order, budget);
    CHECK(done || calls == 1);
    if (!done || model->components[model->sorting].of.size == 0)
        return;
    CHECK(world_is_in_order(&model->world, model->components[model->sorting].id, leading, model));
    uint64_t clock = hm_world_clock(&model->world), ordered = model->ordered;
    test_try();
    test_memory_fail(&model->memory, 1, true);
    CHECK(defragment_once(model, &order, budget) && model->ordered == ordered);
    CHECK(TEST_STOPS || hm_world_clock(&model->world) == clock);
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    test_undo();
}

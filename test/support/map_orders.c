/* SPDX-License-Identifier: MIT */
/* The model's orders, honest and lying, and what must hold while the map is put in order. */
#include "map_model.h"

#include <string.h>

enum {
    MODEL_COMPARES = 200, /* most for an item: gallop and binary search of 32 probes, 3 for each */
    MODEL_IDLE = 16       /* calls that have no budget left for other work */
};

/* What compare and key are shown: an item of the map, or the probe of a search. Only a search
 * leaves the map idle. */
static void model_shown(map_model *model, const void *item)
{
    if (item != model->probe)
        model_handle_of(model, item);
    if (!model->is_searching)
        model_in_callback(model);
}

/* Orders by the leading bytes, at most 2 of them, so that there are equal items. */
static uint64_t model_leading(const map_model *model, const void *item)
{
    const unsigned char *bytes = item;
    return model->desc.item_size == 1 ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

static int model_compare(const void *a, const void *b, void *context)
{
    map_model *model = context;
    model->ordered++;
    model_shown(model, a);
    model_shown(model, b);
    uint64_t left = model_leading(model, a);
    uint64_t right = model_leading(model, b);
    return (left > right) - (left < right);
}

static uint64_t model_key(const void *item, void *context)
{
    map_model *model = context;
    model->ordered++;
    model_shown(model, item);
    return model_leading(model, item);
}

/* What a lying order uses instead: something else at each call, or what it must not look at. */
static uint64_t model_lie_about(map_model *model, const void *item)
{
    model->ordered++;
    model_shown(model, item);
    switch (model->lie) {
    case MODEL_ALL_EQUAL:
        break;
    case MODEL_FIRST_IS_SMALLER:
        return model->ordered;
    case MODEL_FIRST_IS_LARGER:
        return UINT64_MAX - model->ordered;
    case MODEL_BY_PLACE:
        return UINT64_MAX - (uintptr_t)item;
    case MODEL_TURNING:
        return model_leading(model, item) ^ (model->ordered / 16 % 2 - 1);
    case MODEL_RANDOM:
        return test_random(&model->noise) % 4;
    case MODEL_LIES:
        break;
    }
    return 0;
}

static uint64_t model_lying_key(const void *item, void *context)
{
    return model_lie_about(context, item);
}

/* Two lies, but one compare. */
static int model_lying_compare(const void *a, const void *b, void *context)
{
    map_model *model = context;
    uint64_t left = model_lie_about(model, a);
    uint64_t right = model_lie_about(model, b);
    model->ordered--;
    return (left > right) - (left < right);
}

void model_set_orders(map_model *model)
{
    model->orders[0] = (hm_order){.compare = model_compare, .context = model};
    model->orders[1] = (hm_order){.key = model_key, .context = model};
    model->orders[2] = (hm_order){.compare = model_lying_compare, .context = model};
    model->orders[3] = (hm_order){.key = model_lying_key, .context = model};
    model->orders[4] =
        (hm_order){.compare = model_lying_compare, .key = model_lying_key, .context = model};
}

void model_read_positions(map_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        model->dense[i] = hm_map_handle_at(&model->map, i);
}

static void model_check_ordered(const map_model *model)
{
    const unsigned char *items = hm_map_items(&model->map);
    for (uint32_t i = 1; i < model->count; i++)
        CHECK(model_leading(model, items + model->desc.item_size * (i - 1)) <=
              model_leading(model, items + model->desc.item_size * i));
}

/* Searches for the probe by one order. What is answered is right, if the order is honest; returns
 * whether it is answered. */
static bool model_search(map_model *model, uint32_t which)
{
    const hm_order *order = &model->orders[which];
    const unsigned char *items = hm_map_items(&model->map);
    model->is_searching = true;
    uint32_t lower = hm_map_lower_bound(&model->map, order, model->probe);
    uint32_t upper = hm_map_upper_bound(&model->map, order, model->probe);
    model->is_searching = false;
    CHECK((lower == HM_INVALID_INDEX) == (upper == HM_INVALID_INDEX));
    if (lower == HM_INVALID_INDEX)
        return false;
    CHECK(lower <= model->count && upper <= model->count);
    if (which >= MODEL_HONEST_ORDERS)
        return true;
    model_check_ordered(model);
    uint64_t probe = model_leading(model, model->probe);
    for (uint32_t i = 0; i < model->count; i++) {
        uint64_t here = model_leading(model, items + model->desc.item_size * i);
        CHECK((here < probe) == (i < lower) && (here > probe) == (i >= upper));
    }
    return true;
}

void model_check_searches(map_model *model, uint32_t random)
{
    const unsigned char *items = hm_map_items(&model->map);
    model->probe[0] = (unsigned char)random;
    model->probe[1] = (unsigned char)(random >> 8);
    if (random % 3 != 0 && model->count != 0) {
        items += model->desc.item_size * (random % model->count);
        memcpy(model->probe, items, model->desc.item_size == 1 ? 1 : 2);
    }
    for (uint32_t which = 0; which < MODEL_ORDERS; which++)
        CHECK(model_search(model, which) || model->count != 0);
}

/* Makes one call, and checks the bounds that hold whatever the order answers. */
static bool model_defragment_once(map_model *model, const hm_order *order, hm_budget budget)
{
    uint64_t relocated = model->relocated;
    uint64_t ordered = model->ordered;
    uint64_t count = model->count;
    hm_budget left = budget;
    hm_progress progress = hm_map_defragment(&model->map, order, &left);
    CHECK(progress.compares == model->ordered - ordered);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.max_swaps != 0 ||
          budget.max_compares != 0);
    CHECK(progress.swaps <= 2 * count);
    test_memory_follow(&model->memory, progress);
    CHECK(progress.compares <= count * MODEL_COMPARES);
    CHECK(model->relocated - relocated <= 2 * progress.swaps);
    model->is_stopped = !progress.done;
    return progress.done;
}

void model_defragment(map_model *model, uint32_t which, hm_budget budget, bool to_the_end)
{
    const hm_order *order = &model->orders[which];
    /* Each call has at least a compare or a swap, except the last and those that do other work. */
    uint64_t calls = 1;
    if (to_the_end)
        calls += (MODEL_COMPARES + (uint64_t)model->count) * model->count + MODEL_IDLE;
    bool done = false;
    for (; !done && calls > 0; calls--)
        done = model_defragment_once(model, order, budget);
    CHECK(done || !to_the_end);
    model_read_positions(model);
    if (!done)
        return;
    if (which < MODEL_HONEST_ORDERS)
        model_check_ordered(model);
    hm_progress progress = hm_map_defragment(&model->map, order, NULL);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    CHECK(model_search(model, which));
}

static bool model_arrange_once(map_model *model, hm_budget budget)
{
    uint64_t relocated = model->relocated, ordered = model->ordered, count = model->count;
    hm_budget left = budget;
    hm_progress progress = hm_map_arrange(&model->map, model->names, model->name_count, &left);
    CHECK(progress.compares == 0 && model->ordered == ordered);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.max_swaps != 0);
    CHECK(progress.swaps <= 2 * count);
    test_memory_follow(&model->memory, progress);
    CHECK(model->relocated - relocated <= 2 * progress.swaps);
    model->is_stopped = !progress.done;
    return progress.done;
}

/* Checks that the items with names that resolve are first, in the order of their first names.
 * Returns their number. */
static uint32_t model_check_named(const map_model *model)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < model->name_count; i++) {
        uint32_t position = hm_map_index_of(&model->map, model->names[i]);
        if (position == HM_INVALID_INDEX || position < named)
            continue;
        CHECK(position == named);
        named++;
    }
    return named;
}

/* `dense` still has the order before the call. */
static void model_check_unnamed(const map_model *model, uint32_t named)
{
    uint32_t before = 0;
    for (uint32_t i = named; i < model->count; i++, before++) {
        hm_handle handle = hm_map_handle_at(&model->map, i);
        while (before < model->count && !hm_handle_equal(model->dense[before], handle))
            before++;
        CHECK(before < model->count);
    }
}

void model_arrange(map_model *model, uint32_t n, uint32_t random, hm_budget budget, bool to_the_end)
{
    uint64_t noise = random;
    CHECK(n <= MODEL_NAMES);
    hm_map_touch_all(&model->map); /* The handles in the buffer will change. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&noise, 24); /* mostly live ones */
        uint32_t which = (uint32_t)test_random(&noise);
        model->names[i] =
            model_pick(model, kind < 16 ? kind : 0, which, (uint32_t)test_random(&noise));
    }
    model->name_count = n;
    uint64_t calls = to_the_end ? (uint64_t)model->count * model->count + MODEL_IDLE : 1;
    bool done = false;
    for (; !done && calls > 0; calls--)
        done = model_arrange_once(model, budget);
    CHECK(done || !to_the_end);
    if (done)
        model_check_unnamed(model, model_check_named(model));
    model_read_positions(model);
}

void model_arrange_on(map_model *model, hm_budget budget)
{
    if (model_arrange_once(model, budget))
        model_check_named(model);
    model_read_positions(model);
}

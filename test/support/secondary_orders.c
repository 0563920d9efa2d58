/* SPDX-License-Identifier: MIT */
/* The model's orders of a secondary: by the leading bytes of values, upward by key and downward by
 * compare; and arrangements. */
#include "layout.h"
#include "secondary_model.h"

#include <string.h>

enum {
    MODEL_COMPARES = 200, /* most for a value, as in the map's model */
    MODEL_IDLE = 16,      /* calls that have no budget left for other work */
    MODEL_CALLS = 100,    /* most to the end in the exhaustive search */
    MODEL_SMALL = 64      /* bytes; values up to this size are edited all at once */
};

void secondary_model_begin_goal(secondary_model *model, uint32_t arranging)
{
    model->arranging = arranging;
    for (uint32_t i = 0; i < model->count; i++)
        model->entries[i].is_late = false;
}

void secondary_model_read_order(secondary_model *model)
{
    static secondary_model_entry entries[SECONDARY_MODEL_VALUES];
    CHECK(hm_secondary_count(&model->secondary) == model->count);
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK); /* So each owner is there once. */
    for (uint32_t i = 0; i < model->count; i++) {
        const secondary_model_entry *entry =
            secondary_model_find(model, hm_secondary_owner_at(&model->secondary, i));
        CHECK(entry != NULL);
        entries[i] = *entry;
    }
    memcpy(model->entries, entries, sizeof *entries * model->count);
}

/* orders */

/* At most 2 bytes, or the key if values have one, so that there are equal values. */
static uint64_t leading(const secondary_model *model, const void *value)
{
    const unsigned char *bytes = value;
    unsigned char zero;
    test_item_fill(&zero, 1, 0);
    if (model->keys != 0)
        return (unsigned char)(bytes[0] - zero);
    return model->desc.value_size == 1 ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

static uint64_t key(const void *value, void *context)
{
    secondary_model *model = context;
    if (!model->is_searching) /* A search leaves the secondary idle. */
        secondary_model_in_callback(model,
                                    hm_handle_index(secondary_model_entry_of(model, value)->owner));
    else if (value != model->probe)
        secondary_model_entry_of(model, value);
    model->ordered++;
    return leading(model, value);
}

static int compare(const void *a, const void *b, void *context)
{
    secondary_model *model = context;
    uint64_t left = key(a, context), right = key(b, context);
    model->ordered--;
    return (left < right) - (left > right);
}

static hm_order order_of(secondary_model *model, uint32_t which)
{
    return which == 0 ? (hm_order){.key = key, .context = model}
                      : (hm_order){.compare = compare, .context = model};
}

/* Values of lower ranks come first. */
static uint64_t rank(const secondary_model *model, uint32_t which, const void *value)
{
    return which == 0 ? leading(model, value) : UINT16_MAX - leading(model, value);
}

static bool is_in_order(const secondary_model *model, uint32_t which)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    size_t size = model->desc.value_size;
    for (uint32_t i = 1; i < model->count; i++)
        if (rank(model, which, values + size * (i - 1)) > rank(model, which, values + size * i))
            return false;
    return true;
}

bool secondary_model_search(secondary_model *model, uint32_t which, uint32_t random)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    const hm_order order = order_of(model, which);
    size_t size = model->desc.value_size;
    model->probe[0] = (unsigned char)random;
    model->probe[1] = (unsigned char)(random >> 8);
    if (random % 3 != 0 && model->count != 0)
        memcpy(model->probe, values + size * (random % model->count), size == 1 ? 1 : 2);
    model->is_searching = true;
    uint32_t lower = hm_secondary_lower_bound(&model->secondary, &order, model->probe);
    uint32_t upper = hm_secondary_upper_bound(&model->secondary, &order, model->probe);
    model->is_searching = false;
    CHECK((lower == HM_INVALID_INDEX) == (upper == HM_INVALID_INDEX));
    if (lower == HM_INVALID_INDEX)
        return false;
    uint64_t probe = rank(model, which, model->probe);
    for (uint32_t i = 0; i < model->count; i++) {
        uint64_t here = rank(model, which, values + size * i);
        CHECK((here < probe) == (i < lower) && (here > probe) == (i >= upper));
    }
    return true;
}

/* arrangements */

/* Values that are not late and have a name come first, in the order of the names. Returns whether
 * none is late. */
static bool is_arranged(const secondary_model *model, uint32_t list)
{
    static uint32_t
        places[SECONDARY_MODEL_VALUES]; /* of values: that of the first of their names */
    uint32_t before = 0, late = 0;
    for (uint32_t i = 0; i < model->count; i++)
        places[i] = UINT32_MAX;
    for (uint32_t i = model->name_counts[list]; i-- > 0;) {
        uint32_t index = hm_secondary_index_of(&model->secondary, model->names[list][i]);
        if (index != HM_INVALID_INDEX)
            places[index] = i;
    }
    for (uint32_t i = 0; i < model->count; i++) {
        late += model->entries[i].is_late;
        if (model->entries[i].is_late)
            continue;
        CHECK(before <= places[i]);
        before = places[i];
    }
    return late == 0;
}

/* calls: by key or compare, or by one of two lists of names */

enum { BY_NAMES = 2 };

static hm_progress call(secondary_model *model, uint32_t goal, hm_frame_budget *budget)
{
    const hm_order order = order_of(model, goal);
    uint32_t list = goal % BY_NAMES;
    if (goal < BY_NAMES)
        return hm_secondary_defragment(&model->secondary, &order, budget);
    return hm_secondary_arrange(&model->secondary, model->names[list], model->name_counts[list],
                                budget);
}

/* Once all is in order, another call costs nothing, and needs no memory. */
static void check_rest(secondary_model *model, uint32_t goal)
{
    test_try();
    test_memory_fail(&model->memory, 1, true);
    hm_progress progress = call(model, goal, NULL);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    test_undo();
}

/* Makes one call: it keeps its budget, counts what it spends, ends before it is done only if it has
 * a budget, and reports `done` only if all is in order. */
static bool go(secondary_model *model, uint32_t goal, hm_frame_budget budget)
{
    uint64_t ordered = model->ordered;
    uint32_t arranging = goal < BY_NAMES ? 0 : 1 + goal % BY_NAMES;
    if (model->arranging != arranging)
        secondary_model_begin_goal(model, arranging);
    hm_frame_budget left = budget;
    hm_progress progress = call(model, goal, &left);
    CHECK(progress.compares == model->ordered - ordered);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.swaps_left != HM_NO_LIMIT ||
          budget.compares_left != HM_NO_LIMIT);
    test_memory_follow(&model->memory, progress);
    secondary_model_read_order(model);
    if (!progress.done)
        return false;
    CHECK(goal >= BY_NAMES || is_in_order(model, goal));
    bool is_settled = goal < BY_NAMES || is_arranged(model, goal % BY_NAMES);
    secondary_model_begin_goal(model, 0);
    if (is_settled)
        check_rest(model, goal);
    return true;
}

/* Each call of a defragment has a compare or a swap, but for a few. */
static void finish(secondary_model *model, uint32_t goal, hm_frame_budget budget)
{
    uint64_t calls = (MODEL_COMPARES + (uint64_t)model->count) * model->count + MODEL_IDLE;
    if (TEST_STOPS)
        calls = MODEL_CALLS;
    while (!go(model, goal, budget))
        CHECK(--calls > 0);
}

static void touch_all(secondary_model *model)
{
    hm_secondary_touch_all(&model->secondary);
    secondary_model_begin_goal(model, 0);
}

/* operations */

/* Kind and which of a handle, value. */
void secondary_model_edit(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    secondary_model *model = state;
    hm_handle owner = secondary_model_pick(model, arguments[0], arguments[1], arguments[2]);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    if (entry != NULL)
        secondary_model_write(model, entry, arguments[2]);
    hm_secondary_touch(&model->secondary, owner);
}

/* By key or compare, whether to the end and whether all are touched first; swaps; compares. */
void secondary_model_defragment(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    secondary_model *model = state;
    uint32_t which = arguments[0] % 2;
    hm_frame_budget budget = test_budget_of(arguments[1] % 40, arguments[2] % 200);
    if (arguments[0] / 4 % 8 == 1)
        touch_all(model);
    bool done = true;
    if (arguments[0] / 2 % 2 == 0)
        finish(model, which, budget);
    else
        done = go(model, which, budget);
    CHECK(!done || secondary_model_search(model, which, arguments[2]));
}

/* Number, random; bits: whether to go on with the last names, which of two lists, to the end or
 * not, whether all are touched first, and from bit 8 on swaps and compares. */
void secondary_model_arrange(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    secondary_model *model = state;
    uint32_t bits = arguments[2], list = bits / 2 % 2;
    hm_frame_budget budget = test_budget_of((bits >> 8 & 0xFF) % 40, (bits >> 16) % 8);
    if (bits % 2 == 0 || bits / 8 % 8 == 1)
        touch_all(model); /* The names may change. */
    if (bits % 2 == 0)
        model->name_counts[list] =
            secondary_model_pick_many(model, model->names[list], arguments[0], arguments[1], 16);
    if (bits / 4 % 2 == 0)
        finish(model, BY_NAMES + list, budget);
    else
        go(model, BY_NAMES + list, budget);
}

/* What is added to the number of each value. */
void secondary_model_touch_all(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    secondary_model *model = state;
    uint32_t add = model->desc.value_size <= MODEL_SMALL ? arguments[0] % 4 : 0;
    for (uint32_t i = 0; i < model->count && add != 0; i++)
        secondary_model_write(model, &model->entries[i], model->entries[i].value + add);
    touch_all(model);
}

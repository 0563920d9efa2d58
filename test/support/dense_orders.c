/* SPDX-License-Identifier: MIT */
/* The orders of a dense model, honest and lying, and its arrangements: what each call must fulfil,
 * and what all calls up to the end may cost. */
#include "budget.h"
#include "dense_model.h"
#include "layout.h"

#include <string.h>

enum {
    MODEL_COMPARES = 200, /* most for an item: gallop and binary search of 32 probes, 3 for each */
    MODEL_IDLE = 16,      /* calls that have no budget left for other work */
    MODEL_CALLS = 100,    /* most to the end in the exhaustive search */
    MODEL_TO_THE_END = 300, /* items; larger containers are not ordered to the end by small steps */
    MODEL_INVERTED = UINT16_MAX
};

/* orders */

/* By which items are ordered, before an order inverts it: the key, or at most 2 bytes, so that
 * there are equal items. A column with an odd number is the other way round than its neighbours. */
static uint32_t leading(const dense_model *model, const void *item)
{
    const unsigned char *bytes = item;
    unsigned char zero[2];
    uint32_t found = bytes[0];
    test_item_fill(zero, sizeof zero, 0);
    if (model->kind->item_size(model) > 1)
        found = model->keys != 0 ? (unsigned char)(bytes[1] - zero[1])
                                 : (uint32_t)bytes[0] << 8 | bytes[1];
    return model->column % 2 == 0 ? found : MODEL_INVERTED - found;
}

/* Items of a lower one come first. */
static uint32_t class_by(const dense_model *model, uint32_t by, const void *item)
{
    uint32_t lead = leading(model, item);
    return by == DENSE_BY_COMPARE ? MODEL_INVERTED - lead : lead;
}

/* What a lying order uses instead: something else at each call, or what it must not look at. */
static uint64_t lie_about(dense_model *model, const void *item)
{
    switch (model->lie) {
    case DENSE_ALL_EQUAL:
        break;
    case DENSE_FIRST_IS_SMALLER:
        return ++model->noise;
    case DENSE_FIRST_IS_LARGER:
        return UINT64_MAX - ++model->noise;
    case DENSE_BY_PLACE:
        return UINT64_MAX - (uintptr_t)item;
    case DENSE_TURNING:
        return leading(model, item) ^ (model->ordered / 16 % 2 - 1);
    case DENSE_RANDOM:
        return test_random(&model->noise) % 4;
    case DENSE_LIES:
        break;
    }
    return 0;
}

/* What compare and key are shown: an item that is whole, or the probe of a search. Only a search
 * leaves the container idle. */
static void check_shown(const dense_model *model, const void *item)
{
    if (item == model->probe)
        return;
    hm_handle handle = model->kind->handle_of(model, item);
    const dense_slot *record = dense_model_find(model, handle);
    uint32_t position = model->kind->index_of(model, handle);
    CHECK(record != NULL && model->kind->item_at(model, position) == item);
    CHECK(model->kind->holds(model, record, position));
}

static void in_order_callback(dense_model *model)
{
    model->ordered++;
    if (!model->is_searching)
        dense_model_in_callback(model);
}

/* The coarse key makes two neighbours equal, for compare to tell. */
static uint64_t key(const void *item, void *context)
{
    dense_model *model = context;
    check_shown(model, item);
    in_order_callback(model);
    if (model->by >= DENSE_HONEST_ORDERS)
        return lie_about(model, item);
    uint32_t class = class_by(model, model->by, item);
    return model->by == DENSE_BY_BOTH ? (class + 1) / 2 : class;
}

static int compare(const void *a, const void *b, void *context)
{
    dense_model *model = context;
    check_shown(model, a);
    check_shown(model, b);
    in_order_callback(model);
    bool is_lie = model->by >= DENSE_HONEST_ORDERS;
    uint64_t x = is_lie ? lie_about(model, a) : class_by(model, model->by, a);
    uint64_t y = is_lie ? lie_about(model, b) : class_by(model, model->by, b);
    return (x > y) - (x < y);
}

/* An order that lies has functions of its own, so that it is another one. */
static uint64_t lying_key(const void *item, void *context)
{
    return key(item, context);
}

static int lying_compare(const void *a, const void *b, void *context)
{
    return compare(a, b, context);
}

static hm_order order_of(dense_model *model, uint32_t by)
{
    const hm_order orders[DENSE_ORDERS] = {
        [DENSE_BY_COMPARE] = {.compare = compare},
        [DENSE_BY_KEY] = {.key = key},
        [DENSE_BY_BOTH] = {.compare = compare, .key = key},
        [DENSE_LYING_COMPARE] = {.compare = lying_compare},
        [DENSE_LYING_KEY] = {.key = lying_key},
        [DENSE_LYING_BOTH] = {.compare = lying_compare, .key = lying_key}};
    hm_order order = orders[by];
    model->by = by;
    order.context = model;
    return order;
}

/* Checks that the items there are in the order of their classes. */
static void check_sorted(const dense_model *model, uint32_t by)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t class = class_by(model, by, model->kind->item_at(model, i));
        CHECK(last <= class);
        last = class;
    }
}

/* Searches for the probe. What is answered is right, if the order is honest; returns whether it is
 * answered. */
static bool search(dense_model *model, uint32_t by)
{
    const hm_order order = order_of(model, by);
    model->is_searching = true;
    uint32_t lower = model->kind->bound(model, false, &order);
    uint32_t upper = model->kind->bound(model, true, &order);
    model->is_searching = false;
    CHECK((lower == HM_INVALID_INDEX) == (upper == HM_INVALID_INDEX));
    if (lower == HM_INVALID_INDEX)
        return false;
    CHECK(lower <= model->count && upper <= model->count);
    if (by >= DENSE_HONEST_ORDERS)
        return true;
    check_sorted(model, by);
    uint32_t probe = class_by(model, by, model->probe);
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t here = class_by(model, by, model->kind->item_at(model, i));
        CHECK((here < probe) == (i < lower) && (here > probe) == (i >= upper));
    }
    return true;
}

static bool search_some(dense_model *model, uint32_t by, uint32_t random)
{
    model->probe[0] = (unsigned char)random;
    model->probe[1] = (unsigned char)(random >> 8);
    if (random % 3 != 0 && model->count != 0)
        memcpy(model->probe, model->kind->item_at(model, random % model->count),
               model->kind->item_size(model) == 1 ? 1 : 2);
    return search(model, by);
}

/* In another column than the last one, too. */
void dense_model_check_searches(dense_model *model, uint32_t random)
{
    uint32_t column = model->column, columns = model->is_table ? model->table.column_count : 1;
    for (uint32_t by = 0; by < DENSE_ORDERS; by++)
        CHECK(search_some(model, by, random) || model->count != 0);
    model->column = (column + 1) % columns;
    if (model->column != column)
        CHECK(search_some(model, random % DENSE_ORDERS, random) == (model->count == 0));
    model->column = column;
}

/* goals */

void dense_model_forget(dense_model *model)
{
    model->goal = model->is_stopped = 0;
    if (model->name == NULL) /* They may be asked for again. */
        return;
    memset(model->names, 0, sizeof model->names);
    model->name_count = 0;
}

void dense_model_loosen(dense_model *model, uint32_t position)
{
    dense_model_find(model, model->dense[position])->rank = 0;
}

static void rank_all(dense_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        dense_model_find(model, model->dense[i])->rank = i + 1;
}

static void begin_goal(dense_model *model, uint32_t goal)
{
    dense_model_forget(model);
    rank_all(model);
    model->goal = goal;
}

/* Of an arrangement: the place of the item's first name. */
uint32_t dense_model_class(dense_model *model, uint32_t position)
{
    uint32_t place = 0;
    if (model->goal < DENSE_MODEL_ARRANGED) {
        model->column = model->goal / DENSE_ORDERS - 1;
        return class_by(model, model->goal % DENSE_ORDERS, model->kind->item_at(model, position));
    }
    while (place < model->name_count && model->names[place].bits != model->dense[position].bits)
        place++;
    return place;
}

/* All are in order, and equals of known ranks are as they were. */
static void check_order(dense_model *model)
{
    uint32_t last = 0, rank = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        const dense_slot *record = dense_model_find(model, model->dense[i]);
        uint32_t class = dense_model_class(model, i);
        CHECK(last <= class);
        if (last != class)
            rank = 0;
        last = class;
        if (record->rank == 0)
            continue;
        CHECK(rank < record->rank);
        rank = record->rank;
    }
}

/* Reads the positions; dense_model_check shows that each item is there once. Returns the least
 * number of swaps that leads there. */
static uint32_t follow_items(dense_model *model)
{
    static uint32_t from[DENSE_MODEL_ITEMS], old[DENSE_MODEL_SLOTS];
    uint32_t swaps = 0;
    for (uint32_t i = 0; i < model->count; i++)
        old[hm_handle_index(model->dense[i])] = i;
    for (uint32_t i = 0; i < model->count; i++) {
        model->dense[i] = DENSE_CALL(model, handle_at, i);
        CHECK(dense_model_find(model, model->dense[i]) != NULL);
        from[i] = old[hm_handle_index(model->dense[i])];
    }
    for (uint32_t i = 0; i < model->count; i++)
        for (; from[i] != i; swaps++) {
            uint32_t next = from[i];
            from[i] = from[next];
            from[next] = next;
        }
    return swaps;
}

void dense_model_read_positions(dense_model *model)
{
    follow_items(model);
}

/* calls */

static hm_progress call(dense_model *model, uint32_t goal, hm_frame_budget *budget)
{
    if (goal >= DENSE_MODEL_ARRANGED)
        return DENSE_CALL(model, arrange, model->names, model->name_count, budget);
    const hm_order order = order_of(model, goal % DENSE_ORDERS);
    return model->kind->defragment(model, &order, budget);
}

/* Once done, another call costs nothing, and needs no memory. */
static void check_rest(dense_model *model, uint32_t goal)
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
 * a budget or memory is refused, and says `done` only if all is in order. */
static hm_progress go(dense_model *model, uint32_t goal, hm_frame_budget budget)
{
    uint64_t relocated = model->relocated, ordered = model->ordered, count = model->count;
    hm_frame_budget left = budget;
    hm_progress progress = call(model, goal, &left);
    CHECK(progress.compares == model->ordered - ordered);
    CHECK(progress.swaps <= 2 * count && progress.compares <= count * MODEL_COMPARES);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.swaps_left != HM_NO_LIMIT ||
          ((goal < DENSE_MODEL_ARRANGED || TEST_STOPS) && budget.compares_left != HM_NO_LIMIT));
    test_memory_follow(&model->memory, progress);
    CHECK(model->relocated - relocated <= 2 * progress.swaps);
    CHECK(!model->has_relocate || model->relocated - relocated >= progress.swaps);
    CHECK(follow_items(model) <= progress.swaps);
    model->is_stopped = !progress.done;
    if (!progress.done)
        return progress;
    if (goal >= DENSE_MODEL_ARRANGED || goal % DENSE_ORDERS < DENSE_HONEST_ORDERS)
        check_order(model);
    rank_all(model);
    return progress;
}

/* Calls until it is done. What has begun ends with the current round and one more. From the start,
 * and if the order is honest, one round is enough, with at most as many swaps as items, and the
 * compares that order.h promises. */
static void finish(dense_model *model, uint32_t goal, hm_frame_budget budget, bool anew)
{
    uint64_t count = model->count, log = 0, swaps = 0, compares = 0;
    uint64_t calls = TEST_STOPS ? MODEL_CALLS : (MODEL_COMPARES + count) * count + MODEL_IDLE;
    bool is_lie = goal < DENSE_MODEL_ARRANGED && goal % DENSE_ORDERS >= DENSE_HONEST_ORDERS;
    hm_progress progress = {0};
    while (UINT64_C(1) << log < count)
        log++;
    for (; !progress.done; calls--) {
        CHECK(calls > 0);
        progress = go(model, goal, budget);
        swaps += progress.swaps;
        compares += progress.compares;
    }
    if (is_lie)
        return;
    CHECK(swaps <= (anew ? count : 2 * count));
    CHECK(compares <= 10 * count + 3 * count * log || !anew);
}

/* bits: whether it is only one call, whether all are touched first. */
static void run(dense_model *model, uint32_t goal, hm_frame_budget budget, uint32_t bits)
{
    enum { ONCE = 1, ANEW = 2 };
    bool anew = (bits & ANEW) != 0, done = true;
    if (anew) {
        DENSE_ASK(model, touch_all);
        dense_model_forget(model);
    }
    if (model->goal != goal) {
        begin_goal(model, goal);
        if (goal >= DENSE_MODEL_ARRANGED && model->name != NULL)
            model->name_count = model->name(model, goal - DENSE_MODEL_ARRANGED);
    }
    if ((bits & ONCE) != 0 || model->count > MODEL_TO_THE_END)
        done = go(model, goal, budget).done;
    else
        finish(model, goal, budget, anew);
    if (!done)
        return;
    check_rest(model, goal);
    if (goal >= DENSE_MODEL_ARRANGED && model->name != NULL)
        dense_model_forget(model); /* The next call may have other names. */
}

/* An order, by its number and 6 times a column; limits: swaps, and from bit 8 on compares; bits. */
void dense_model_run_defragment(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    dense_model *model = state;
    uint32_t columns = model->is_table ? model->table.column_count : 1;
    uint32_t by = arguments[0] % DENSE_ORDERS, limits = arguments[1];
    model->column = arguments[0] / DENSE_ORDERS % columns;
    run(model, DENSE_ORDERS * (1 + model->column) + by,
        test_budget_of((limits & 0xFF) % 8, (limits >> 8) % 16), arguments[2] % 4);
    if (model->is_stopped == 0)
        CHECK(search_some(model, by, arguments[2]));
}

/* How orders lie from here on: kind, noise. */
void dense_model_run_lie(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    dense_model *model = state;
    model->lie = (dense_lie)(arguments[0] % DENSE_LIES);
    model->noise = arguments[1];
}

/* Draws names, mostly of live items. They lie in the container's buffer, so all are touched. */
static void draw_names(dense_model *model, uint32_t n, uint64_t random)
{
    DENSE_ASK(model, touch_all);
    dense_model_forget(model);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 24), which = (uint32_t)test_random(&random);
        model->names[i] =
            dense_model_pick(model, kind < 16 ? kind : 0, which, (uint32_t)test_random(&random));
    }
    model->name_count = n;
}

/* Number of names, or which; limits, as of defragment; bits, and from bit 2 on whether to go on
 * with the last names. */
void dense_model_run_arrange(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    dense_model *model = state;
    uint32_t limits = arguments[1], bits = arguments[2];
    uint32_t which = model->name != NULL ? arguments[0] : 0;
    if (model->name == NULL && bits / 4 % 4 == 0)
        draw_names(model, arguments[0] % (DENSE_MODEL_NAMES + 1), (uint64_t)bits << 32 | limits);
    run(model, DENSE_MODEL_ARRANGED + which,
        test_budget_of((limits & 0xFF) % 8, (limits >> 8) % 16), bits % 4);
}

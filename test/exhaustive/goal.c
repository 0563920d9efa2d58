/* SPDX-License-Identifier: MIT */
/* Bringing items into order: the goals that are requested, what each call must fulfil, and
 * what all calls up to the end may cost. */
#include "../support/budget.h"
#include "space.h"

/* orders */

/* With a context, keys 1 and 2 are equal. */
static uint64_t key(const void *item, void *coarse)
{
    calls.asked++;
    uint64_t fine = live.container->identify(item).key;
    CHECK(live.container->validate() == HM_OK);
    return coarse != NULL ? (fine + 1) / 2 : fine;
}

static int compare(const void *a, const void *b, void *up)
{
    calls.asked++;
    int difference = live.container->identify(a).key - live.container->identify(b).key;
    return up != NULL ? difference : -difference;
}

/* Two goals have the same order, but of another column. */
static const hm_order orders[] = {
    [SPACE_BY_KEY] = {.key = key},
    [SPACE_BY_COMPARE] = {.compare = compare},
    [SPACE_BY_BOTH] = {.key = key, .compare = compare, .context = &live},
    [SPACE_BY_COLUMN] = {.key = key}};

/* Arrangements name handles that were issued before they began; other names are null. An order's
 * state keeps only the pointer to the names and their number, so the two that name all slots differ
 * only in the names at that pointer. */

enum { MOST_NAMES = SPACE_SLOTS * SPACE_LIVES };

static hm_handle names[2][MOST_NAMES];

static hm_handle name(uint32_t slot, uint32_t life)
{
    bool is_known = life <= live.model.known[slot];
    return is_known ? space_name(slot, life, SPACE_TYPE_ID, false) : HM_NULL_HANDLE;
}

/* Returns the number of names. */
static uint32_t name_all(hm_handle *list, bool last_first)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < live.config->max_slots; i++) {
        uint32_t slot = last_first ? live.config->max_slots - 1 - i : i;
        for (uint32_t life = SPACE_LIVES; life > live.config->spent_lives; life--)
            list[count++] = name(slot, life);
    }
    return count;
}

/* Names the last slot, one in the middle, and that again; between handles that are null, foreign or
 * out of range. */
static uint32_t name_some(hm_handle *list)
{
    uint32_t count = 0;
    list[count++] = HM_NULL_HANDLE;
    list[count++] = space_name(0, SPACE_LIVES, SPACE_TYPE_ID + 1, false);
    for (uint32_t life = live.config->spent_lives + 1u; life <= SPACE_LIVES; life++) {
        list[count++] = name(live.config->max_slots - 1, life);
        list[count++] = name(live.config->max_slots / 2, life);
    }
    list[count++] = space_name(live.config->max_slots, 1, SPACE_TYPE_ID, false);
    list[count++] = name(live.config->max_slots / 2, SPACE_LIVES);
    return count;
}

static const hm_handle *name_for(uint32_t goal, uint32_t *count)
{
    hm_handle *list = names[goal == SPACE_SOME_FIRST];
    *count = goal == SPACE_SOME_FIRST ? name_some(list) : name_all(list, goal == SPACE_LAST_FIRST);
    return list;
}

/* Items of a lower class come first. */
static uint32_t class_of(uint32_t goal, ghost_item item)
{
    if (goal == SPACE_BY_COMPARE || goal == SPACE_BY_COLUMN)
        return live.config->keys - item.key;
    if (goal <= SPACE_ORDERS)
        return item.key;
    uint32_t count;
    const hm_handle *list = name_for(goal, &count);
    uint32_t i = 0;
    while (i < count && list[i].bits != ghost_handle(item).bits)
        i++;
    return i;
}

/* While an arrangement is not done, its names must not be used for another. */
bool goal_is_possible(const ghost *of, uint32_t goal)
{
    return (goal != SPACE_LAST_FIRST || of->goal != SPACE_FIRST_FIRST) &&
           (goal != SPACE_FIRST_FIRST || of->goal != SPACE_LAST_FIRST);
}

/* ranks */

static void rank_all(void)
{
    for (uint32_t i = 0; i < live.model.count; i++)
        live.model.dense[i].rank = (uint8_t)(i + 1);
}

static void begin(uint32_t goal)
{
    goal_forget();
    rank_all();
    live.model.goal = (uint8_t)goal;
    if (goal > SPACE_ORDERS)
        memcpy(live.model.known, live.model.highest, sizeof live.model.known);
}

void goal_forget(void)
{
    live.model.goal = live.model.is_finished = 0;
    memset(live.model.known, 0, sizeof live.model.known);
}

void goal_loosen(uint32_t position)
{
    live.model.dense[position].rank = 0;
}

/* Makes each rank one more than the number of equals with a lower one, or 0 if all equals have the
 * same. */
void goal_tidy(void)
{
    uint32_t count = live.model.count;
    uint32_t classes[SPACE_ITEMS] = {0};
    uint8_t ranks[SPACE_ITEMS] = {0};
    for (uint32_t i = 0; i < count && live.model.goal != 0; i++)
        classes[i] = class_of(live.model.goal, live.model.dense[i]);
    for (uint32_t i = 0; i < count && live.model.goal != 0; i++) {
        uint32_t lower = 0, others = 0;
        for (uint32_t j = 0; j < count; j++) {
            if (j == i || classes[j] != classes[i] || live.model.dense[j].rank == 0)
                continue;
            others++;
            lower += live.model.dense[j].rank < live.model.dense[i].rank;
        }
        if (live.model.dense[i].rank != 0 && others != 0)
            ranks[i] = (uint8_t)(lower + 1);
    }
    for (uint32_t i = 0; i < count; i++)
        live.model.dense[i].rank = ranks[i];
}

static void check_order(void)
{
    for (uint32_t i = 1; i < live.model.count; i++)
        CHECK(class_of(live.model.goal, live.model.dense[i - 1]) <=
              class_of(live.model.goal, live.model.dense[i]));
    for (uint32_t i = 0; i < live.model.count; i++)
        for (uint32_t j = 0; j < i; j++)
            CHECK(class_of(live.model.goal, live.model.dense[i]) !=
                      class_of(live.model.goal, live.model.dense[j]) ||
                  live.model.dense[i].rank == 0 ||
                  live.model.dense[j].rank < live.model.dense[i].rank);
}

/* calls */

static hm_progress call(uint32_t goal, hm_budget *budget)
{
    if (goal <= SPACE_ORDERS)
        return live.container->defragment(&orders[goal], goal == SPACE_BY_COLUMN, budget);
    uint32_t count;
    const hm_handle *list = name_for(goal, &count);
    return live.container->arrange(list, count, budget);
}

/* Reads the positions of the items. Returns the least number of swaps that leads there. */
static uint32_t follow_items(void)
{
    ghost old = live.model;
    uint32_t from[SPACE_ITEMS];
    for (uint32_t i = 0; i < live.model.count; i++) {
        hm_handle handle = live.container->handle_at(i);
        from[i] = 0;
        while (from[i] < old.count && ghost_handle(old.dense[from[i]]).bits != handle.bits)
            from[i]++;
        CHECK(from[i] < old.count);
        live.model.dense[i] = old.dense[from[i]];
    }
    CHECK(ghost_live_slots(&live.model) == ghost_live_slots(&old));
    uint32_t swaps = 0;
    for (uint32_t i = 0; i < live.model.count; i++)
        for (; from[i] != i; swaps++) {
            uint32_t next = from[i];
            from[i] = from[next];
            from[next] = next;
        }
    return swaps;
}

/* Makes one call: it keeps its budget, counts what it spends, ends before it is done only if it has
 * a budget, and reports `done` only if all is in order. */
static hm_progress go(uint32_t goal, hm_budget budget)
{
    if (live.model.goal != goal)
        begin(goal);
    calls.asked = calls.moved = 0;
    hm_budget left = budget;
    hm_progress progress = call(goal, &left);
    CHECK(progress.compares == calls.asked);
    CHECK(budget_is_lowered(budget, left, progress));
    bool is_refused = progress.status == HM_ERROR_MEMORY && arena.refused;
    CHECK(progress.status == HM_OK || (is_refused && !progress.done));
    CHECK(progress.done || is_refused || budget.max_swaps != 0 || budget.max_compares != 0);
    CHECK(calls.moved == (live.config->hooks ? 2 * progress.swaps : 0));
    CHECK(follow_items() <= progress.swaps);
    live.model.is_finished = progress.done;
    if (progress.done) {
        check_order();
        rank_all();
    }
    return progress;
}

/* Once done, another call costs nothing, and needs no memory; the order keeps at most 8 cells of
 * scratch. */
static void check_rest(uint32_t goal)
{
    static space_state after;
    uint32_t made = arena.calls;
    space_capture(&after);
    hm_progress progress = call(goal, NULL);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    CHECK(live.container->order->batch.scratch.committed_size <= 8 * sizeof(uint64_t));
    CHECK(arena.calls == made);
    space_restore(&after);
    if (goal > SPACE_ORDERS)
        goal_forget(); /* The next call may pass other names. */
}

void goal_go(uint32_t goal, uint32_t budget)
{
    static const hm_budget budgets[SPACE_BUDGETS] = {
        {1, 0, false}, {0, 1, false}, {0, 0, false}, {1, 1, false}, {2, 6, false}};
    if (go(goal, budgets[budget]).done)
        check_rest(goal);
}

/* Makes calls with the least budget until all is done. Their number is bounded by the narrowed work
 * of a call, 4 entries: some thirty walks over the items, if no call does anything else. */
static hm_progress finish(uint32_t goal)
{
    hm_progress sum = {0};
    for (uint32_t n = 0; n < 100 && !sum.done; n++) {
        hm_progress progress = go(goal, hm_budget_of(1, 1));
        sum.swaps += progress.swaps;
        sum.compares += progress.compares;
        sum.done = progress.done;
    }
    CHECK(sum.done);
    return sum;
}

/* What has begun ends with the current round and one more. From the start one round is enough, with
 * at most as many swaps as items, and the compares that order.h promises. */
void goal_finish(uint32_t goal, bool anew)
{
    uint64_t count = live.model.count;
    uint64_t log = 0;
    while (UINT64_C(1) << log < count)
        log++;
    if (anew) {
        live.container->touch_all();
        goal_forget();
    }
    hm_progress sum = finish(goal);
    CHECK(sum.swaps <= (anew ? count : 2 * count));
    CHECK(sum.compares <= 10 * count + 3 * count * log || !anew);
    check_rest(goal);
}

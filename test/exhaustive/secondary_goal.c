/* SPDX-License-Identifier: MIT */
/* Bringing the values of a secondary into order: what each call must fulfil. The spaces of the map
 * search what the order itself promises, stability and total cost; these show that the secondary
 * moves owners along, and reports every change. */
#include "../support/budget.h"
#include "secondary_space.h"

#include <string.h>

/* orders */

static uint64_t key(const void *value, void *context)
{
    const uint8_t *bytes = value;
    hm_handle owner = space_name(bytes[0], bytes[1], SPACE_TYPE_ID, false);
    (void)context;
    side.asked++;
    CHECK(hm_secondary_get(&side.secondary, owner) == value);
    CHECK(hm_secondary_validate(&side.secondary) == HM_OK);
    return bytes[2];
}

static int compare(const void *a, const void *b, void *context)
{
    int left = (int)key(a, context), right = (int)key(b, context);
    side.asked--;
    return right - left;
}

static const hm_order orders[] = {
    [SECONDARY_BY_KEY] = {.key = key}, [SECONDARY_BY_COMPARE] = {.compare = compare}};

/* Arrangements name handles of all lives, whether they have values or not, so that the names never
 * change. Returns the number of names. */

static hm_handle names[SECONDARY_GOALS][SECONDARY_SLOTS * SPACE_LIVES + 4];

static uint32_t name_all(hm_handle *list)
{
    uint32_t count = 0;
    for (uint32_t slot = side.config->max_slots; slot-- > 0;)
        for (uint32_t life = SPACE_LIVES; life > 0; life--)
            list[count++] = space_name(slot, life, SPACE_TYPE_ID, false);
    return count;
}

static uint32_t name_some(hm_handle *list)
{
    uint32_t count = 0, last = side.config->max_slots - 1;
    list[count++] = HM_NULL_HANDLE;
    list[count++] = space_name(0, SPACE_LIVES, SPACE_TYPE_ID + 1, false);
    for (uint32_t life = 1; life <= SPACE_LIVES; life++) {
        list[count++] = space_name(last, life, SPACE_TYPE_ID, false);
        list[count++] = space_name(last / 2, life, SPACE_TYPE_ID, false);
    }
    list[count++] = space_name(last + 1, 1, SPACE_TYPE_ID, false);
    list[count++] = list[2]; /* again */
    return count;
}

static uint32_t name_for(uint32_t goal)
{
    return goal == SECONDARY_LAST_FIRST ? name_all(names[goal]) : name_some(names[goal]);
}

/* Values of a lower class come first. */
static uint32_t class_of(uint32_t goal, secondary_value value)
{
    if (goal <= SECONDARY_BY_COMPARE)
        return goal == SECONDARY_BY_KEY ? value.key : UINT8_MAX - value.key;
    uint32_t count = name_for(goal), i = 0;
    while (i < count && names[goal][i].bits != secondary_owner(value).bits)
        i++;
    return i;
}

void secondary_begin_goal(uint32_t goal)
{
    side.model.arranging = (uint8_t)(goal > SECONDARY_BY_COMPARE ? goal : 0);
    for (uint32_t i = 0; i < side.model.count; i++)
        side.model.dense[i].is_late = 0;
}

/* Values that are not late are in the order of their classes. Returns whether none is late. */
static bool check_order(uint32_t goal)
{
    uint32_t class = 0, late = 0;
    for (uint32_t i = 0; i < side.model.count; i++) {
        late += side.model.dense[i].is_late;
        if (side.model.dense[i].is_late)
            continue;
        CHECK(class <= class_of(goal, side.model.dense[i]));
        class = class_of(goal, side.model.dense[i]);
    }
    return late == 0;
}

/* calls */

static hm_progress call(uint32_t goal, hm_budget *budget)
{
    if (goal <= SECONDARY_BY_COMPARE)
        return hm_secondary_defragment(&side.secondary, &orders[goal], budget);
    return hm_secondary_arrange(&side.secondary, names[goal], name_for(goal), budget);
}

/* Once all is in order, another call costs nothing, and needs no memory. */
static void check_rest(uint32_t goal)
{
    static secondary_state after;
    uint32_t made = arena.calls;
    secondary_capture(&after);
    hm_progress progress = call(goal, NULL);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    CHECK(arena.calls == made);
    secondary_restore(&after);
}

/* Makes one call: it keeps its budget, counts what it spends, ends before it is done only if it has
 * a budget, and reports `done` only if all is in order. */
static hm_progress go(uint32_t goal, hm_budget budget)
{
    side.asked = 0;
    if (side.model.arranging != goal)
        secondary_begin_goal(goal);
    hm_budget left = budget;
    hm_progress progress = call(goal, &left);
    CHECK(progress.compares == side.asked);
    CHECK(budget_is_lowered(budget, left, progress));
    bool is_refused = progress.status == HM_ERROR_MEMORY && arena.refused;
    CHECK(progress.status == HM_OK || (is_refused && !progress.done));
    CHECK(progress.done || is_refused || budget.max_swaps != 0 || budget.max_compares != 0);
    secondary_follow();
    if (progress.done) {
        bool is_settled = check_order(goal);
        secondary_begin_goal(0);
        if (is_settled)
            check_rest(goal);
    }
    return progress;
}

void secondary_go(uint32_t goal, uint32_t budget)
{
    static const hm_budget budgets[SECONDARY_BUDGETS] = {
        {1, 0, false}, {0, 1, false}, {0, 0, false}, {1, 1, false}, {2, 6, false}};
    go(goal, budgets[budget]);
}

/* The number of calls is bounded as in the spaces of the map. */
void secondary_finish(uint32_t goal, bool anew)
{
    bool done = false;
    if (anew) {
        hm_secondary_touch_all(&side.secondary);
        secondary_begin_goal(0);
    }
    for (uint32_t n = 0; n < 100 && !done; n++)
        done = go(goal, hm_budget_of(1, 1)).done;
    CHECK(done);
}

/* SPDX-License-Identifier: MIT */
/* The steps in a state space, and what each must fulfil. */
#include "space.h"

/* callbacks */

space_calls calls;

bool step_is_doomed(uint32_t position)
{
    uint32_t was = ghost_position(live.container->handle_at(position));
    CHECK(position == calls.asked && was < live.model.count);
    live.container->check_item(position, live.model.dense[was]);
    CHECK((calls.seen >> was & 1) == 0);
    CHECK(live.container->validate() == HM_OK);
    calls.seen |= 1u << was;
    calls.order[calls.asked] = live.model.dense[was];
    return calls.doomed >> calls.asked++ & 1;
}

/* actions */

const space_verb_name step_verbs[] = {
    [SPACE_INSERT] = {"insert", "key", NULL, false},
    [SPACE_INSERT_N] = {"insert_n", "number", "first key", false},
    [SPACE_ERASE] = {"erase", NULL, NULL, true},
    [SPACE_ERASE_N] = {"erase_n", "set of positions", "the last first", false},
    [SPACE_ERASE_IF] = {"erase_if", "set of positions", NULL, false},
    [SPACE_CLEAR] = {"clear", NULL, NULL, false},
    [SPACE_TRIM] = {"trim", NULL, NULL, false},
    [SPACE_RESERVE] = {"reserve", "number", NULL, false},
    [SPACE_TOUCH] = {"touch", NULL, NULL, true},
    [SPACE_EDIT] = {"edit and touch", "position", "key", false},
    [SPACE_EDIT_ALL] = {"edit and touch all", "add to each key", NULL, false},
    [SPACE_GO] = {"go", "goal", "budget", false},
    [SPACE_FINISH] = {"finish", "goal", "touch all first", false},
};

static void list_inserts(space_actions *list, uint32_t key)
{
    space_add(list, SPACE_INSERT, key, 0);
    for (uint32_t n = 0; n <= 3 && key != SPACE_EMPLACED; n++)
        space_add(list, SPACE_INSERT_N, n, key);
}

static void add_goal(space_actions *list, uint32_t goal)
{
    for (uint32_t budget = 0; budget < SPACE_BUDGETS; budget++)
        space_add(list, SPACE_GO, goal, budget);
    space_add(list, SPACE_FINISH, goal, false);
    space_add(list, SPACE_FINISH, goal, true);
}

/* What is tried with a table only: batches of handles, and, in spaces without goals, the other ways
 * to insert. */
static void list_columns(space_actions *list)
{
    if (live.config->goals == 0) {
        list_inserts(list, SPACE_EMPLACED);
        list_inserts(list, SPACE_PARTLY);
    }
    for (uint32_t set = 0; set < 1u << live.config->capacity; set++) {
        space_add(list, SPACE_ERASE_N, set, false);
        space_add(list, SPACE_ERASE_N, set, true);
    }
}

void step_list(space_actions *list)
{
    list->count = 0;
    list_inserts(list, SPACE_ZEROED);
    if (live.container->has_columns)
        list_columns(list);
    for (uint32_t k = 0; k < live.config->keys; k++)
        list_inserts(list, k);
    space_add(list, SPACE_CLEAR, 0, 0);
    space_add(list, SPACE_TRIM, 0, 0);
    space_add(list, SPACE_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= live.config->max_slots + 1; n++)
        space_add(list, SPACE_RESERVE, n, 0);
    for (uint32_t set = 0; set < 1u << live.config->capacity; set++)
        space_add(list, SPACE_ERASE_IF, set, 0);
    /* Handles that are foreign or have the free bit are queried in every state, but passed to steps
     * only in spaces without goals. */
    bool has_goals = live.config->goals != 0;
    for (uint32_t n = 0; n < space_handle_values(live.config); n += has_goals ? 4 : 1)
        space_add(list, SPACE_ERASE, n, 0);
    if (!has_goals)
        return;
    for (uint32_t n = 0; n < space_handle_values(live.config); n += 4)
        space_add(list, SPACE_TOUCH, n, 0);
    for (uint32_t i = 0; i < live.config->capacity; i++)
        for (uint32_t k = 0; k < live.config->keys; k++)
            space_add(list, SPACE_EDIT, i, k);
    for (uint32_t k = 0; k < live.config->keys; k++)
        space_add(list, SPACE_EDIT_ALL, k, 0);
    for (uint32_t goal = SPACE_NO_GOAL + 1; goal < SPACE_GOALS; goal++)
        if ((live.config->goals >> goal & 1) != 0)
            add_goal(list, goal);
}

bool step_is_possible(const void *of, const space_action *action)
{
    const space_state *state = of;
    if (action->verb == SPACE_ERASE_IF || action->verb == SPACE_ERASE_N)
        return action->a < 1u << state->model.count;
    if (action->verb == SPACE_GO || (action->verb == SPACE_FINISH && !action->b))
        return goal_is_possible(&state->model, action->a);
    return action->verb != SPACE_EDIT || action->a < state->model.count;
}

/* FULL if there is no space; else a call fails only when memory is refused. */
static bool is_right(hm_status status, bool fits)
{
    return status == (!fits ? HM_ERROR_FULL : arena.refused ? HM_ERROR_MEMORY : HM_OK);
}

static void insert(uint32_t key)
{
    bool fits = ghost_room() > 0;
    hm_handle handle = live.container->insert(key);
    CHECK(hm_handle_is_null(handle) == (!fits || arena.refused));
    if (!hm_handle_is_null(handle))
        ghost_note_insert(handle, key);
}

static void insert_n(uint32_t n, uint32_t first_key)
{
    hm_handle handles[SPACE_ITEMS] = {{0}};
    bool fits = n <= ghost_room(), is_key = first_key < live.config->keys;
    uint32_t first = live.model.count;
    hm_status status = live.container->insert_n(n, first_key, handles);
    CHECK(is_right(status, fits));
    for (uint32_t i = 0; i < n; i++) {
        CHECK(hm_handle_is_null(handles[i]) == (status != HM_OK));
        CHECK(status != HM_OK || live.container->handle_at(first + i).bits == handles[i].bits);
        if (status == HM_OK)
            ghost_note_insert(handles[i], is_key ? (first_key + i) % live.config->keys : first_key);
    }
}

/* The last item fills the hole. */
static void note_erase(hm_handle handle)
{
    uint32_t position = ghost_position(handle);
    live.model.dense[position] = live.model.dense[live.model.count - 1];
    goal_loosen(position);
    live.model.count--;
}

static void erase(hm_handle handle)
{
    CHECK(live.container->erase(handle));
    note_erase(handle);
}

/* Between the handles that are erased are earlier ones, and null. */
static void erase_n(uint32_t set, bool last_first)
{
    hm_handle handles[3 * SPACE_ITEMS];
    uint32_t count = live.model.count, n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = last_first ? count - 1 - i : i;
        if ((set >> position & 1) == 0)
            continue;
        handles[n] = ghost_handle(live.model.dense[position]);
        handles[n + 1] = HM_NULL_HANDLE;
        handles[n + 2] = handles[0];
        n += 3;
    }
    CHECK(live.container->erase_n(handles, n) == n / 3);
    for (uint32_t i = 0; i < n; i += 3)
        note_erase(handles[i]);
}

/* The remaining items keep the order in which the predicate saw them. That is their order before,
 * unless moves to a goal were in progress: those are ended first. */
static void erase_if(uint32_t set)
{
    uint8_t survivors = 0;
    calls.doomed = set;
    uint32_t erased = live.container->erase_if();
    CHECK(calls.asked == live.model.count);
    CHECK((live.model.goal != 0 && !live.model.is_finished) ||
          memcmp(calls.order, live.model.dense, sizeof *calls.order * calls.asked) == 0);
    for (uint32_t i = 0; i < live.model.count; i++)
        if ((set >> i & 1) == 0)
            live.model.dense[survivors++] = calls.order[i];
    CHECK(erased == (uint32_t)(live.model.count - survivors));
    live.model.count = survivors;
}

/* Returns the sizes that a trim does not promise: generation floors, and the order's scratch
 * memory. */
static size_t committed_aside(void)
{
    return live.container->ids->floors.committed_size +
           live.container->order->mark_array.committed_size +
           live.container->order->batch.scratch.committed_size;
}

/* A trim leaves the pages of the items, and those up to the last slot that is live or spent; it
 * gives back all others. */
static void trim(void)
{
    hm_stats before = live.container->get_stats();
    hm_status status = live.container->trim();
    CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
    hm_stats after = live.container->get_stats();
    uint32_t end = before.slots;
    while (end > 0 && (ghost_live_slots(&live.model) >> (end - 1) & 1) == 0 &&
           !ghost_is_spent(end - 1))
        end--;
    uint32_t keep = (uint32_t)(space_in_pages(sizeof(hm_handle) * end) / sizeof(hm_handle));
    if (keep > before.slots)
        keep = before.slots;
    CHECK(after.slots == keep || (arena.refused && after.slots == before.slots));
    CHECK(after.retired_slots == before.retired_slots);
    CHECK(arena.refused ||
          after.committed_size - committed_aside() ==
              live.container->needed_size() + space_in_pages(sizeof(hm_handle) * after.slots) +
                  space_in_pages(sizeof(uint32_t) * (after.slots - after.retired_slots)));
    live.model.dropped |= arena.refused || after.slots < before.slots;
}

/* After a reserve, that many inserts succeed although the system refuses everything. */
static void reserve_more(uint32_t n)
{
    bool fits = n <= ghost_room();
    hm_status status = live.container->reserve(n);
    CHECK(is_right(status, fits));
    if (status != HM_OK)
        return;
    static space_state after;
    uint32_t made = arena.calls;
    space_capture(&after);
    arena.refuse_from = 1;
    arena.refuse_to = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        insert(0);
    CHECK(arena.calls == made);
    space_restore(&after);
}

static void edit(uint32_t position, uint32_t new_key)
{
    live.model.dense[position].key = (uint8_t)new_key;
    live.container->write_item(position, live.model.dense[position]);
    goal_loosen(position);
}

static void edit_and_touch(uint32_t position, uint32_t new_key)
{
    edit(position, new_key);
    live.container->touch(ghost_handle(live.model.dense[position]));
}

static void edit_and_touch_all(uint32_t difference)
{
    for (uint32_t i = 0; i < live.model.count; i++)
        edit(i, (live.model.dense[i].key + difference) % live.config->keys);
    live.container->touch_all();
    goal_forget();
}

static void touch(hm_handle handle)
{
    live.container->touch(handle);
    goal_loosen(ghost_position(handle));
}

static void perform(const space_action *action)
{
    switch (action->verb) {
    case SPACE_INSERT:
        insert(action->a);
        break;
    case SPACE_INSERT_N:
        insert_n(action->a, action->b);
        break;
    case SPACE_ERASE:
        erase(space_handle_value(action->a));
        break;
    case SPACE_ERASE_N:
        erase_n(action->a, action->b != 0);
        break;
    case SPACE_ERASE_IF:
        erase_if(action->a);
        break;
    case SPACE_CLEAR:
        live.container->clear();
        live.model.count = 0;
        goal_forget();
        break;
    case SPACE_TRIM:
        trim();
        break;
    case SPACE_RESERVE:
        reserve_more(action->a);
        break;
    case SPACE_TOUCH:
        touch(space_handle_value(action->a));
        break;
    case SPACE_EDIT:
        edit_and_touch(action->a, action->b);
        break;
    case SPACE_EDIT_ALL:
        edit_and_touch_all(action->a);
        break;
    case SPACE_GO:
        goal_go(action->a, action->b);
        break;
    case SPACE_FINISH:
        goal_finish(action->a, action->b != 0);
        break;
    }
    goal_tidy();
}

/* What a state shows beyond its items. */
typedef struct observation {
    hm_handle_state explained[SPACE_SLOTS][SPACE_LIVES];
    uint32_t slots, free_slots, retired_slots;
} observation;

static void observe(observation *seen)
{
    hm_stats stats = live.container->get_stats();
    memset(seen, 0, sizeof *seen);
    for (uint32_t slot = 0; slot < live.config->max_slots; slot++)
        for (uint32_t life = 0; life < SPACE_LIVES; life++)
            seen->explained[slot][life] =
                live.container->explain(space_name(slot, life + 1, SPACE_TYPE_ID, false));
    seen->slots = stats.slots;
    seen->free_slots = stats.free_slots;
    seen->retired_slots = stats.retired_slots;
}

/* A refused call changes nothing, except a trim, which leaves the handles unchanged, and calls that
 * bring items into order, which do it in another way. Only inserts add slots, only trims drop them.
 * What was stale stays so, unless an insert or reserve retires it; retired stays retired. */
static void check_step(const space_state *before, const observation *old, uint32_t verb)
{
    observation now;
    observe(&now);
    bool moves = verb == SPACE_GO || verb == SPACE_FINISH;
    if (arena.refused) {
        CHECK(moves ||
              memcmp(&live.model.dense, &before->model.dense, sizeof live.model.dense) == 0);
        CHECK(memcmp(&live.model.highest, &before->model.highest, sizeof live.model.highest) == 0);
        CHECK(live.model.count == before->model.count);
        CHECK(verb == SPACE_TRIM || memcmp(&now, old, sizeof now) == 0);
    }
    CHECK(now.slots == old->slots || verb == SPACE_TRIM || live.model.count > before->model.count);
    bool may_retire =
        !arena.refused && (verb == SPACE_INSERT || verb == SPACE_INSERT_N || verb == SPACE_RESERVE);
    for (uint32_t slot = 0; slot < live.config->max_slots; slot++) {
        for (uint32_t life = 0; life < before->model.highest[slot]; life++) {
            hm_handle_state was = old->explained[slot][life];
            hm_handle_state is = now.explained[slot][life];
            CHECK(is == was || (was == HM_HANDLE_LIVE && is == HM_HANDLE_STALE) ||
                  (was == HM_HANDLE_STALE && is == HM_HANDLE_RETIRED && may_retire));
        }
    }
    if (!live.config->hooks)
        return;
    CHECK(calls.destroyed == (ghost_live_slots(&before->model) & ~ghost_live_slots(&live.model)));
    for (uint32_t i = 0; i < live.model.count; i++)
        CHECK((ghost_live_slots(&before->model) >> live.model.dense[i].slot & 1) == 0 ||
              calls.position[live.model.dense[i].slot] == i);
}

uint32_t step_take(const void *state, const space_action *action, uint32_t refuse, bool *changed)
{
    const space_state *before = state;
    bool by_handle = action->verb == SPACE_ERASE || action->verb == SPACE_TOUCH;
    arena_refuse(refuse);
    for (uint32_t i = 0; i < live.model.count; i++)
        calls.position[live.model.dense[i].slot] = i;
    *changed = !by_handle || ghost_position(space_handle_value(action->a)) != HM_INVALID_INDEX;
    if (!*changed) {
        if (action->verb == SPACE_ERASE)
            CHECK(!live.container->erase(space_handle_value(action->a)));
        else
            live.container->touch(space_handle_value(action->a));
        CHECK(arena.calls == 0 && space_is_untouched(before));
        return 0;
    }
    observation old;
    observe(&old);
    perform(action);
    uint32_t made = arena.calls;
    arena.refuse_from = arena.refuse_to = 0;
    check_step(before, &old, action->verb);
    memset(&calls, 0, sizeof calls);
    return made;
}

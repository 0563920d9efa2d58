/* SPDX-License-Identifier: MIT */
/* The steps of a small secondary, and what each must fulfil. */
#include "secondary_space.h"

#include <string.h>

typedef enum secondary_verb {
    SECONDARY_SET,       /* handle, by its number; key, SPACE_ZEROED or SECONDARY_ITSELF */
    SECONDARY_REMOVE,    /* handle, by its number */
    SECONDARY_REMOVE_IF, /* set of positions */
    SECONDARY_CLEAR,
    SECONDARY_TRIM,
    SECONDARY_RESERVE,  /* number */
    SECONDARY_TOUCH,    /* handle, by its number */
    SECONDARY_EDIT,     /* position, key: written in place, then touched */
    SECONDARY_EDIT_ALL, /* number, added to each key in place; then all are touched */
    SECONDARY_GO,       /* goal, budget: one call of defragment or arrange */
    SECONDARY_FINISH    /* goal, whether all are touched first: calls until it is done */
} secondary_verb;

/* Instead of a key: the value that is replaced is set again, from its own address. */
enum { SECONDARY_ITSELF = 254 };

const space_verb_name secondary_verbs[] = {
    [SECONDARY_SET] = {"set", NULL, "key", true},
    [SECONDARY_REMOVE] = {"remove", NULL, NULL, true},
    [SECONDARY_REMOVE_IF] = {"remove_if", "set of positions", NULL, false},
    [SECONDARY_CLEAR] = {"clear", NULL, NULL, false},
    [SECONDARY_TRIM] = {"trim", NULL, NULL, false},
    [SECONDARY_RESERVE] = {"reserve", "number", NULL, false},
    [SECONDARY_TOUCH] = {"touch", NULL, NULL, true},
    [SECONDARY_EDIT] = {"edit and touch", "position", "key", false},
    [SECONDARY_EDIT_ALL] = {"edit and touch all", "add to each key", NULL, false},
    [SECONDARY_GO] = {"go", "goal", "budget", false},
    [SECONDARY_FINISH] = {"finish", "goal", "touch all first", false},
};

static void list_orders(space_actions *list)
{
    for (uint32_t i = 0; i < side.config->capacity; i++)
        for (uint32_t k = 0; k < side.config->keys; k++)
            space_add(list, SECONDARY_EDIT, i, k);
    for (uint32_t k = 0; k < side.config->keys; k++)
        space_add(list, SECONDARY_EDIT_ALL, k, 0);
    for (uint32_t goal = SECONDARY_BY_KEY; goal < SECONDARY_GOALS; goal++) {
        if ((side.config->goals >> goal & 1) == 0)
            continue;
        for (uint32_t budget = 0; budget < SECONDARY_BUDGETS; budget++)
            space_add(list, SECONDARY_GO, goal, budget);
        space_add(list, SECONDARY_FINISH, goal, false);
        space_add(list, SECONDARY_FINISH, goal, true);
    }
}

/* Handles that are foreign or have the free bit are queried in every state, but passed to steps
 * only in spaces without goals. Owners that live are those behind the spent lives. */
void secondary_list(space_actions *list)
{
    bool has_goals = side.config->goals != 0;
    list->count = 0;
    space_add(list, SECONDARY_CLEAR, 0, 0);
    space_add(list, SECONDARY_TRIM, 0, 0);
    space_add(list, SECONDARY_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= side.config->capacity + 1; n++)
        space_add(list, SECONDARY_RESERVE, n, 0);
    for (uint32_t set = 0; set < 1u << side.config->capacity; set++)
        space_add(list, SECONDARY_REMOVE_IF, set, 0);
    for (uint32_t n = 0; n < space_handle_values(side.config); n += has_goals ? 4 : 1) {
        uint32_t life = n % SPACE_SLOT_VALUES / 4;
        if (life > 0 && life <= side.config->spent_lives)
            continue;
        space_add(list, SECONDARY_SET, n, SPACE_ZEROED);
        space_add(list, SECONDARY_SET, n, SECONDARY_ITSELF);
        for (uint32_t k = 0; k < side.config->keys; k++)
            space_add(list, SECONDARY_SET, n, k);
        space_add(list, SECONDARY_REMOVE, n, 0);
        space_add(list, SECONDARY_TOUCH, n, 0);
    }
    if (has_goals)
        list_orders(list);
}

bool secondary_is_possible(const void *of, const space_action *action)
{
    const secondary_state *state = of;
    if (action->verb == SECONDARY_REMOVE_IF)
        return action->a < 1u << state->model.count;
    if (action->verb == SECONDARY_SET && action->b == SECONDARY_ITSELF)
        return secondary_in_slot(hm_handle_index(space_handle_value(action->a))) !=
               HM_INVALID_INDEX;
    return action->verb != SECONDARY_EDIT || action->a < state->model.count;
}

/* callbacks */

/* For a remove_if that must be refused. */
static bool is_not_asked(hm_handle owner, const void *value, void *context)
{
    (void)value;
    (void)owner;
    (void)context;
    CHECK(false);
    return true;
}

/* In each callback the secondary is consistent, and cannot be changed. */
static void check_busy(hm_handle owner)
{
    uint32_t made = arena.calls;
    CHECK(hm_secondary_validate(&side.secondary) == HM_OK);
    CHECK(hm_secondary_set(&side.secondary, owner, NULL) == NULL);
    for (uint32_t slot = 0; slot < side.config->max_slots; slot++)
        CHECK(hm_secondary_set(&side.secondary, space_name(slot, SPACE_LIVES, SPACE_TYPE_ID, false),
                               NULL) == NULL);
    CHECK(!hm_secondary_remove(&side.secondary, owner));
    CHECK(hm_secondary_remove_if(&side.secondary, is_not_asked, NULL) == 0);
    CHECK(hm_secondary_reserve(&side.secondary, 1) == HM_ERROR_BUSY);
    CHECK(hm_secondary_trim(&side.secondary) == HM_ERROR_BUSY);
    CHECK(!hm_secondary_arrange(&side.secondary, &owner, 1, NULL).done);
    CHECK(arena.calls == made);
}

/* The destroy hook: the value is still found by its owner's handle. */
void secondary_destroyed(void *value, void *context)
{
    const unsigned char *bytes = value;
    hm_handle owner = space_name(bytes[0], bytes[1], SPACE_TYPE_ID, false);
    uint32_t position = secondary_position(owner);
    CHECK(context == &side && position != HM_INVALID_INDEX);
    CHECK((side.destroyed >> bytes[0] & 1) == 0);
    CHECK(hm_secondary_get(&side.secondary, owner) == value);
    unsigned char expected[SECONDARY_WINDOW];
    secondary_fill(expected, side.model.dense[position]);
    CHECK(memcmp(value, expected, side.config->item_size) == 0);
    check_busy(owner);
    side.destroyed |= 1u << bytes[0];
}

/* What remove_if has shown to its predicate. */
static secondary_value shown[SECONDARY_VALUES];

/* The predicate is called in dense order, once for each owner. */
static bool is_doomed(hm_handle owner, const void *value, void *context)
{
    uint32_t position = secondary_position(owner);
    CHECK(value == hm_secondary_get(&side.secondary, owner));
    CHECK(context == &side && position != HM_INVALID_INDEX && side.asked < side.model.count);
    CHECK(hm_secondary_index_of(&side.secondary, owner) == side.asked);
    check_busy(owner);
    shown[side.asked] = side.model.dense[position];
    return (side.doomed >> side.asked++ & 1) != 0;
}

/* steps */

/* Whether moves are in progress, which a remove_if or a trim ends: then either changes the order.
 */
static bool is_moving(void)
{
    return side.secondary.order.phase == HM_ORDER_PLACE;
}

static void set(hm_handle owner, uint32_t key)
{
    unsigned char bytes[SECONDARY_WINDOW] = {0};
    uint32_t slot = hm_handle_index(owner), position = secondary_in_slot(slot);
    secondary_value value = {.slot = (uint8_t)slot,
                             .generation = (uint8_t)hm_handle_generation(owner)};
    const void *given = key == SPACE_ZEROED ? NULL : bytes;
    if (key == SECONDARY_ITSELF) {
        value.key = side.model.dense[position].key;
        secondary_fill(bytes, side.model.dense[position]);
        given = secondary_at(position);
    } else if (key != SPACE_ZEROED) {
        value.key = (uint8_t)key;
        secondary_fill(bytes, value);
    }
    void *place = hm_secondary_set(&side.secondary, owner, given);
    if (position != HM_INVALID_INDEX)
        side.expected = 1u << slot;
    else if (arena.refused)
        CHECK(place == NULL);
    else
        position = side.model.count++;
    if (position == HM_INVALID_INDEX)
        return;
    CHECK(place == secondary_at(position) && memcmp(place, bytes, side.config->item_size) == 0);
    value.is_late = side.model.arranging != 0;
    side.model.dense[position] = value;
    secondary_fill(place, value);
}

static void remove_one(hm_handle owner)
{
    uint32_t position = secondary_position(owner);
    side.expected = 1u << hm_handle_index(owner);
    CHECK(hm_secondary_remove(&side.secondary, owner));
    side.model.dense[position] = side.model.dense[--side.model.count];
}

static void remove_if(uint32_t doomed)
{
    uint32_t count = side.model.count;
    bool was_moving = is_moving();
    side.asked = 0;
    side.doomed = doomed;
    uint32_t removed = hm_secondary_remove_if(&side.secondary, is_doomed, &side);
    CHECK(side.asked == count);
    CHECK(was_moving || memcmp(shown, side.model.dense, sizeof *shown * count) == 0);
    side.model.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((doomed >> i & 1) != 0)
            side.expected |= 1u << shown[i].slot;
        else
            side.model.dense[side.model.count++] = shown[i];
    }
    CHECK(removed == count - side.model.count);
    secondary_begin_goal(side.model.arranging);
}

static void clear(void)
{
    for (uint32_t i = 0; i < side.model.count; i++)
        side.expected |= 1u << side.model.dense[i].slot;
    hm_secondary_clear(&side.secondary);
    side.model.count = 0;
    secondary_begin_goal(0);
}

static size_t in_pages(size_t size)
{
    return (size + side.config->page_size - 1) / side.config->page_size * side.config->page_size;
}

/* Returns the bytes that a trim leaves: the pages of values and owners, the pieces that owners use,
 * and the column that tells which these are. */
static size_t needed_size(void)
{
    uint32_t shift = side.secondary.piece_shift, used = 0, pieces = 0, end = 0;
    for (uint32_t i = 0; i < side.model.count; i++)
        used |= 1u << (side.model.dense[i].slot >> shift);
    for (; used >> end != 0; end++)
        pieces += used >> end & 1;
    return in_pages(side.config->item_size * side.model.count) +
           in_pages(sizeof(hm_handle) * side.model.count) + in_pages(end) +
           (sizeof(uint32_t) << shift) * pieces;
}

/* The order's memory is not promised. What it gives back when its moves end may be refused, too,
 * and then the trim goes on. */
static void trim(void)
{
    bool was_moving = is_moving(), was_listing = blank_order_lists(&side.secondary.order);
    hm_status status = hm_secondary_trim(&side.secondary);
    CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK) || (status == HM_OK && was_listing));
    if (was_moving)
        secondary_follow();
    secondary_begin_goal(side.model.arranging);
    hm_secondary_stats stats = hm_secondary_get_stats(&side.secondary);
    CHECK(status != HM_OK ||
          stats.committed_size == needed_size() + side.secondary.order.mark_array.committed_size +
                                      side.secondary.order.batch.scratch.committed_size);
}

/* After a reserve, that many sets succeed although the system refuses everything, for the highest
 * of the slots that it promises. */
static void reserve(uint32_t n)
{
    static secondary_state after;
    bool fits = n <= side.config->capacity - side.model.count;
    hm_status status = hm_secondary_reserve(&side.secondary, n);
    CHECK(status == (!fits ? HM_ERROR_FULL : arena.refused ? HM_ERROR_MEMORY : HM_OK));
    if (status != HM_OK)
        return;
    uint32_t made = arena.calls;
    secondary_capture(&after);
    arena.refuse_from = 1;
    arena.refuse_to = UINT32_MAX;
    for (uint32_t slot = side.model.count + n; n > 0;)
        if (secondary_in_slot(--slot) == HM_INVALID_INDEX) {
            set(space_name(slot, SPACE_LIVES, SPACE_TYPE_ID, false), 0);
            n--;
        }
    CHECK(arena.calls == made);
    secondary_restore(&after);
}

static void write_key(uint32_t position, uint32_t key)
{
    side.model.dense[position].key = (uint8_t)key;
    secondary_fill(secondary_at(position), side.model.dense[position]);
}

static void edit(uint32_t position, uint32_t key)
{
    write_key(position, key);
    hm_secondary_touch(&side.secondary, secondary_owner(side.model.dense[position]));
}

static void edit_all(uint32_t difference)
{
    for (uint32_t i = 0; i < side.model.count; i++)
        write_key(i, (side.model.dense[i].key + difference) % side.config->keys);
    hm_secondary_touch_all(&side.secondary);
    secondary_begin_goal(0);
}

static void perform(const space_action *action)
{
    hm_handle handle = space_handle_value(action->a);
    switch (action->verb) {
    case SECONDARY_SET:
        set(handle, action->b);
        break;
    case SECONDARY_REMOVE:
        remove_one(handle);
        break;
    case SECONDARY_REMOVE_IF:
        remove_if(action->a);
        break;
    case SECONDARY_CLEAR:
        clear();
        break;
    case SECONDARY_TRIM:
        trim();
        break;
    case SECONDARY_RESERVE:
        reserve(action->a);
        break;
    case SECONDARY_TOUCH:
        hm_secondary_touch(&side.secondary, handle);
        break;
    case SECONDARY_EDIT:
        edit(action->a, action->b);
        break;
    case SECONDARY_EDIT_ALL:
        edit_all(action->a);
        break;
    case SECONDARY_GO:
        secondary_go(action->a, action->b);
        break;
    case SECONDARY_FINISH:
        secondary_finish(action->a, action->b != 0);
        break;
    }
}

/* Whether a step by a handle finds what it asks for. */
static bool finds(const space_action *action)
{
    hm_handle handle = space_handle_value(action->a);
    if (action->verb != SECONDARY_SET)
        return secondary_position(handle) != HM_INVALID_INDEX;
    if (!secondary_may_own(handle))
        return false;
    uint32_t position = secondary_in_slot(hm_handle_index(handle));
    if (position == HM_INVALID_INDEX)
        return side.model.count < side.config->capacity;
    return handle.bits >= secondary_owner(side.model.dense[position]).bits;
}

/* The step is refused, and nothing has changed. */
static void check_refusal(const secondary_state *before, const space_action *action)
{
    hm_handle handle = space_handle_value(action->a);
    if (action->verb == SECONDARY_SET)
        CHECK(hm_secondary_set(&side.secondary, handle, NULL) == NULL);
    else if (action->verb == SECONDARY_REMOVE)
        CHECK(!hm_secondary_remove(&side.secondary, handle));
    else
        hm_secondary_touch(&side.secondary, handle);
    arena_open();
    CHECK(memcmp(&side.secondary, &before->secondary, sizeof side.secondary) == 0);
    CHECK(arena_is(before->bytes) && arena.calls == 0);
    arena_close();
}

uint32_t secondary_take(const void *state, const space_action *action, uint32_t refuse,
                        bool *changed)
{
    arena_refuse(refuse);
    *changed = !secondary_verbs[action->verb].by_handle || finds(action);
    if (!*changed) {
        check_refusal(state, action);
        return 0;
    }
    perform(action);
    uint32_t made = arena.calls;
    arena_refuse(0);
    CHECK(side.destroyed == (side.config->hooks ? side.expected : 0));
    side.destroyed = side.expected = 0;
    return made;
}

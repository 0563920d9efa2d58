/* SPDX-License-Identifier: MIT */
/* The steps of a small index, and what each must fulfil. */
#include "index_space.h"

#include <string.h>

const space_verb_name index_verbs[] = {
    [INDEX_SET] = {"set", NULL, "key", true},
    [INDEX_SET_TWO] = {"set_n", "two slots", "two keys", false},
    [INDEX_REMOVE] = {"remove", NULL, NULL, true},
    [INDEX_REMOVE_KEY] = {"remove_key", "key", NULL, false},
    [INDEX_REMOVE_IF] = {"remove_if", "set of slots", NULL, false},
    [INDEX_CLEAR] = {"clear", NULL, NULL, false},
    [INDEX_TRIM] = {"trim", NULL, NULL, false},
    [INDEX_RESERVE] = {"reserve", "number", NULL, false},
    [INDEX_DEFRAGMENT] = {"defragment", "swaps", NULL, false},
};

/* Two numbers in an argument. */
enum { INDEX_PAIR = 16 };

void index_list(space_actions *list)
{
    uint32_t slots = keyed.config->max_slots, keys = keyed.config->keys;
    list->count = 0;
    space_add(list, INDEX_CLEAR, 0, 0);
    space_add(list, INDEX_TRIM, 0, 0);
    space_add(list, INDEX_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= keyed.config->capacity + 1; n++)
        space_add(list, INDEX_RESERVE, n, 0);
    for (uint32_t swaps = 0; swaps < 3; swaps++)
        space_add(list, INDEX_DEFRAGMENT, swaps, 0);
    for (uint32_t set = 0; set < 1u << slots; set++)
        space_add(list, INDEX_REMOVE_IF, set, 0);
    for (uint32_t n = 0; n < space_handle_values(keyed.config); n++) {
        uint32_t life = n % SPACE_SLOT_VALUES / 4;
        if (life > 0 && life <= keyed.config->spent_lives)
            continue;
        for (uint32_t key = 0; key <= keys - keyed.config->hashed; key++)
            space_add(list, INDEX_SET, n, key);
        space_add(list, INDEX_REMOVE, n, 0);
    }
    for (uint32_t key = 0; key <= keys; key++)
        space_add(list, INDEX_REMOVE_KEY, key, 0);
    for (uint32_t a = 0; a < (slots + 1) * slots; a++)
        for (uint32_t b = 0; b < keys * keys; b++)
            space_add(list, INDEX_SET_TWO, a / slots * INDEX_PAIR + a % slots,
                      b / keys * INDEX_PAIR + b % keys);
}

bool index_is_possible(const void *of, const space_action *action)
{
    (void)of;
    return (keyed.config->left_out >> action->verb & 1) == 0;
}

/* set */

/* What a set must return if memory is not refused. */
static hm_status expected(hm_handle handle, uint32_t key)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    if (!keyed.config->hashed && key >= keyed.config->keys)
        return HM_ERROR_INVALID;
    if (slot >= keyed.config->max_slots || generation == 0 ||
        handle.bits != space_name(slot, generation, SPACE_TYPE_ID, false).bits)
        return HM_ERROR_INVALID;
    if (generation < keyed.model.generation[slot])
        return HM_ERROR_STALE;
    bool is_new = keyed.model.generation[slot] == 0;
    return is_new && index_count(&keyed.model) == keyed.config->capacity ? HM_ERROR_FULL : HM_OK;
}

static void note(hm_handle handle, uint32_t key)
{
    keyed.model.generation[hm_handle_index(handle)] = (uint8_t)hm_handle_generation(handle);
    keyed.model.key[hm_handle_index(handle)] = (uint8_t)key;
}

static void set(hm_handle handle, uint32_t key)
{
    hm_status wanted = expected(handle, key);
    hm_status status = hm_index_set(&keyed.index, handle, index_key(key));
    CHECK(status == (wanted == HM_OK && arena.refused ? HM_ERROR_MEMORY : wanted) ||
          (status == HM_OK && wanted == HM_OK)); /* It could do without what was refused. */
    if (status == HM_OK)
        note(handle, key);
}

/* The owners that are there, or of the first life. */
static hm_handle owner_in(uint32_t slot)
{
    uint32_t generation = keyed.model.generation[slot];
    if (generation == 0)
        generation = keyed.config->spent_lives + 1u;
    return space_name(slot, generation, SPACE_TYPE_ID, false);
}

/* All or none. */
static void set_two(const uint32_t slots[2], const uint32_t numbers[2])
{
    index_ghost before = keyed.model;
    hm_status wanted = HM_OK;
    hm_handle handles[2];
    uint64_t keys[2];
    for (uint32_t i = 0; i < 2; i++) {
        handles[i] = i == 0 && slots[0] == 0 ? HM_NULL_HANDLE : owner_in(slots[i] - (i == 0));
        keys[i] = index_key(numbers[i]);
    }
    if (slots[0] == 0) { /* The null handle is the second. */
        hm_handle last = handles[0];
        handles[0] = handles[1];
        handles[1] = last;
    }
    for (uint32_t i = 0; i < 2 && wanted == HM_OK; i++) {
        wanted = expected(handles[i], numbers[i]);
        if (wanted == HM_OK)
            note(handles[i], numbers[i]);
    }
    hm_status status = hm_index_set_n(&keyed.index, handles, keys, 2);
    CHECK(status == wanted || (status == HM_ERROR_MEMORY && arena.refused));
    if (status != HM_OK)
        keyed.model = before;
}

/* remove */

static void forget(uint32_t slot)
{
    keyed.model.generation[slot] = keyed.model.key[slot] = 0;
}

static void remove_one(hm_handle handle)
{
    bool is_owner = index_has(handle);
    CHECK(hm_index_remove(&keyed.index, handle) == is_owner);
    if (is_owner)
        forget(hm_handle_index(handle));
}

static void remove_key(uint32_t key)
{
    uint32_t removed = 0;
    for (uint32_t slot = 0; slot < INDEX_SLOTS; slot++)
        if (keyed.model.generation[slot] != 0 && keyed.model.key[slot] == key) {
            forget(slot);
            removed++;
        }
    CHECK(hm_index_remove_key(&keyed.index, index_key(key)) == removed);
}

/* In the predicate the index is consistent, and cannot be changed. */
static bool is_doomed(hm_handle owner, uint64_t key, void *context)
{
    uint32_t slot = hm_handle_index(owner), made = arena.calls;
    CHECK(key == index_key(keyed.model.key[slot]));
    (void)context;
    CHECK(index_has(owner) && (keyed.asked >> slot & 1) == 0);
    CHECK(hm_index_validate(&keyed.index) == HM_OK);
    CHECK(hm_index_set(&keyed.index, owner, 0) == HM_ERROR_BUSY);
    CHECK(!hm_index_remove(&keyed.index, owner));
    CHECK(hm_index_remove_key(&keyed.index, index_key(keyed.model.key[slot])) == 0);
    CHECK(hm_index_trim(&keyed.index) == HM_ERROR_BUSY && arena.calls == made);
    keyed.asked |= 1u << slot;
    if ((keyed.doomed >> slot & 1) == 0)
        return false;
    forget(slot); /* which is removed as soon as this returns */
    return true;
}

static void remove_if(uint32_t doomed)
{
    uint32_t owners = 0, count = index_count(&keyed.model);
    for (uint32_t slot = 0; slot < INDEX_SLOTS; slot++)
        owners |= (keyed.model.generation[slot] != 0) * (1u << slot);
    keyed.asked = 0;
    keyed.doomed = doomed;
    uint32_t removed = hm_index_remove_if(&keyed.index, is_doomed, NULL);
    CHECK(keyed.asked == owners && removed == count - index_count(&keyed.model));
}

/* memory */

static void reserve(uint32_t n)
{
    bool fits = n <= keyed.config->capacity - index_count(&keyed.model);
    hm_status status = hm_index_reserve(&keyed.index, n);
    CHECK(status == (!fits ? HM_ERROR_FULL : arena.refused ? HM_ERROR_MEMORY : HM_OK));
}

static void perform(const space_action *action)
{
    const uint32_t slots[] = {action->a / INDEX_PAIR, action->a % INDEX_PAIR};
    const uint32_t keys[] = {action->b / INDEX_PAIR, action->b % INDEX_PAIR};
    switch (action->verb) {
    case INDEX_SET:
        set(space_handle_value(action->a), action->b);
        break;
    case INDEX_SET_TWO:
        set_two(slots, keys);
        break;
    case INDEX_REMOVE:
        remove_one(space_handle_value(action->a));
        break;
    case INDEX_REMOVE_KEY:
        remove_key(action->a);
        break;
    case INDEX_REMOVE_IF:
        remove_if(action->a);
        break;
    case INDEX_CLEAR:
        hm_index_clear(&keyed.index);
        memset(&keyed.model, 0, sizeof keyed.model);
        break;
    case INDEX_TRIM:
        CHECK(hm_index_trim(&keyed.index) == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        break;
    case INDEX_RESERVE:
        reserve(action->a);
        break;
    case INDEX_DEFRAGMENT:
        (void)hm_index_defragment(&keyed.index, (hm_budget){action->a, 0});
        break;
    }
}

/* The step is refused for its arguments, and nothing has changed. */
static bool is_refusal(const space_action *action)
{
    if (action->verb == INDEX_SET)
        return expected(space_handle_value(action->a), action->b) != HM_OK;
    return action->verb == INDEX_REMOVE && !index_has(space_handle_value(action->a));
}

uint32_t index_take(const void *state, const space_action *action, uint32_t refuse, bool *changed)
{
    const index_state *before = state;
    *changed = !is_refusal(action);
    arena_refuse(refuse);
    perform(action);
    uint32_t made = arena.calls;
    arena_refuse(0);
    if (*changed)
        return made;
    arena_open();
    bool is_untouched =
        memcmp(&keyed.index, &before->index, sizeof keyed.index) == 0 && arena_is(before->bytes);
    arena_close();
    CHECK(is_untouched && made == 0);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* order: an order that is given as handles. The named items are the batch, in the order in which
 * they are named, before all clean ones; place does the rest. */
#include "order_private.h"

void hm_order_begin_verify(hm_order_state *state)
{
    hm_order_end_batch(state);
    state->phase = HM_ORDER_VERIFY;
    state->name = state->at = 0;
    state->cursor = 0;
    state->dirty_high = 0;
}

/* Returns the position of the next name's item; below `at` for one that is to be passed: its item
 * is gone, or stands in its place already because it was named before. */
static bool find_next(hm_order_call *call, uint32_t *position)
{
    hm_order_state *state = call->state;
    *position = HM_INVALID_INDEX;
    for (; state->name < state->name_count; state->name++) {
        if (!hm_order_may_work(call))
            return false;
        *position = call->sequence->find(call->sequence->owner, state->names[state->name]);
        if (*position != HM_INVALID_INDEX && *position >= state->at)
            break;
    }
    return true;
}

/* Passes the names whose items stand where they belong. */
bool hm_order_verify(hm_order_call *call)
{
    hm_order_state *state = call->state;
    for (;;) {
        uint32_t position;
        if (!find_next(call, &position) || state->name == state->name_count)
            return false;
        if (position != state->at)
            break;
        state->name++;
        state->cursor = ++state->at;
    }
    state->is_disturbed = false;
    uint32_t count = call->sequence->count;
    uint32_t room = state->name_count - state->name;
    if (room > count - state->at)
        room = count - state->at;
    if (hm_order_cover(call, count) && hm_order_begin_batch(call, room)) {
        hm_order_set_cursor(state, state->at);
        state->phase = HM_ORDER_SPREAD;
    } else {
        state->phase = HM_ORDER_PULL;
    }
    return true;
}

/* All that stand behind are clean: those without a name keep their order. */
bool hm_order_spread(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t count = call->sequence->count;
    while (state->cursor < count) {
        uint32_t bit = state->cursor % HM_MARKS_PER_WORD;
        if (!hm_order_may_work(call))
            return false;
        if (bit == 0) {
            if (!hm_order_cover(call, state->cursor + 1))
                break; /* They were inserted meanwhile. */
            state->marks[state->cursor / HM_MARKS_PER_WORD] = 0;
        }
        uint32_t left = HM_MARKS_PER_WORD - bit;
        state->cursor += left < count - state->cursor ? left : count - state->cursor;
    }
    state->phase = HM_ORDER_NAME;
    return true;
}

bool hm_order_name(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    while (batch->size < batch->room) {
        uint32_t position;
        if (!find_next(call, &position))
            return false;
        if (state->name == state->name_count)
            break;
        state->name++;
        if (position >= state->cursor || hm_order_mark(state, position) == HM_MARK_LIFTED)
            continue;
        batch->items[1][batch->size] = 0; /* its gap */
        hm_order_append(call, position, call->sequence->slots[position]);
    }
    hm_order_begin_place(state, state->at);
    return true;
}

/* Without scratch memory each comes down through all that stand before it. */
bool hm_order_pull(hm_order_call *call)
{
    hm_order_state *state = call->state;
    for (;;) {
        uint32_t position;
        if (!find_next(call, &position))
            return false;
        if (state->name == state->name_count)
            break;
        for (; position > state->at; position--) {
            if (!hm_order_may_swap(call))
                return false;
            hm_order_swap(call->sequence, position - 1, position);
        }
        state->name++;
        state->cursor = ++state->at;
    }
    hm_order_begin_verify(state);
    return true;
}

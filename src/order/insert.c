/* SPDX-License-Identifier: MIT */
/* order: insertion sort that stops before any compare and any swap, for want of scratch memory.
 *
 *     0                 place          at            cursor          count
 *     |== in order =======|== in order, moved up later ==|.. not seen yet ..|
 *                         ^--- swaps ----[item]
 *
 * Everything below `cursor` is in order, but for the one item in flight, which stands at `at` like
 * any other, on its way down to its place in [low, high]. `at` is `cursor` until that is found, by
 * galloping down from where it stands. Marks are not used. */
#include "order_private.h"

/* Turns to the item at the cursor. */
static void open_item(hm_order_state *state)
{
    state->at = state->cursor;
    state->low = 0;
    state->high = state->cursor;
    state->step = 1;
    state->has_item_key = state->has_probe_key = false;
}

void hm_order_begin_insert(hm_order_call *call)
{
    hm_order_state *state = call->state;
    if (state->phase == HM_ORDER_COUNT && state->low < state->cursor)
        state->cursor = state->low;
    if (state->dirty_high != 0 && state->dirty_low < state->cursor)
        state->cursor = state->dirty_low;
    state->dirty_high = 0;
    state->misfits = 0;
    state->phase = HM_ORDER_INSERT;
    state->is_inserted = false;
    open_item(state);
}

/* Below an item in flight all is in order; behind it, the item itself may be missing. */
void hm_order_rewind(hm_order_state *state, uint32_t index)
{
    if (state->cursor > state->at)
        state->cursor = state->at;
    if (state->cursor > index)
        state->cursor = index;
    open_item(state);
}

/* One compare nearer to the place. Equal items count as standing before, which is what keeps the
 * order stable. */
static bool narrow(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t room = state->high - state->low;
    uint32_t probe = state->low + room / 2;
    if (state->step != 0)
        probe = state->step < room ? state->high - state->step : state->low;
    bool stands_before;
    if (!hm_order_ask(call, state->at, probe, &stands_before))
        return false;
    state->has_probe_key = false;
    if (stands_before) {
        state->high = probe;
        state->step *= 2; /* After 2^31 it wraps to 0: halving does as well. */
    } else {
        state->low = probe + 1;
        state->step = 0;
    }
    return true;
}

static bool insert_item(hm_order_call *call)
{
    hm_order_state *state = call->state;
    while (state->low < state->high)
        if (!narrow(call))
            return false;
    for (; state->at > state->low; state->at--) {
        if (!hm_order_may_swap(call))
            return false;
        hm_order_swap(call->sequence, state->at - 1, state->at);
    }
    state->cursor++;
    open_item(state);
    return true;
}

bool hm_order_insert(hm_order_call *call)
{
    while (call->state->cursor < call->sequence->count)
        if (!insert_item(call))
            return false;
    call->state->is_inserted = true;
    return false;
}

/* SPDX-License-Identifier: MIT */
/* order: insertion sort that can stop before any compare and any swap, used without scratch memory.
 *
 *     0                 place       position         cursor          count
 *     |== in order =======|== in order, moved up later ==|.. not seen yet ..|
 *                         ^--- swaps ----[item]
 *
 * Everything below `cursor` is in order, except the item in flight, at `position`, which is swapped
 * down to its place. Until that is found, by galloping down from the item, `position` is `cursor`.
 * Marks are not used. */
#include "order_internal.h"

/* Begins the search for the place of the item at the cursor. */
static void order_open_item(hm_order_state *state)
{
    state->insert.position = state->cursor;
    state->search.begin = 0;
    state->search.end = state->cursor;
    state->search.step = 1;
    hm_order_forget_keys(state);
}

void hm_order_begin_insert(hm_order_state *state)
{
    uint32_t begin = state->pending_end != 0 ? state->pending_begin : state->cursor;
    if (begin < state->cursor)
        state->cursor = begin;
    state->pending_end = 0;
    state->scan.misfits = 0;
    state->insert.is_complete = false;
    order_open_item(state);
}

/* Everything below an item in flight is in order; what is above it may lack the item itself. */
void hm_order_rewind(hm_order_state *state, uint32_t index)
{
    if (state->cursor > state->insert.position)
        state->cursor = state->insert.position;
    if (state->cursor > index)
        state->cursor = index;
    order_open_item(state);
}

/* Narrows the search by one compare. The place is behind equal items: so the order is stable. */
static bool order_narrow_place(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_search *search = &state->search;
    uint32_t left = search->end - search->begin;
    uint32_t probe = search->begin + left / 2;
    if (search->step != 0)
        probe = search->step < left ? search->end - search->step : search->begin;
    bool stands_before;
    if (!hm_order_ask(call, state->insert.position, probe, &stands_before))
        return false;
    state->keys.has_probe = false;
    if (stands_before) {
        search->end = probe;
        search->step *= 2; /* After 2^31 it wraps to 0: halving works as well. */
    } else {
        search->begin = probe + 1;
        search->step = 0;
    }
    return true;
}

static bool order_insert_item(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t *position = &state->insert.position;
    while (state->search.begin < state->search.end)
        if (!order_narrow_place(call))
            return false;
    for (; *position > state->search.begin; --*position) {
        if (!hm_order_may_swap(call))
            return false;
        hm_order_swap(call->sequence, *position - 1, *position);
    }
    state->cursor++;
    order_open_item(state);
    return true;
}

hm_order_phase hm_order_insert_items(hm_order_call *call)
{
    while (call->state->cursor < call->sequence->count)
        if (!order_insert_item(call))
            return HM_ORDER_PAUSE;
    call->state->insert.is_complete = true;
    return HM_ORDER_PAUSE;
}

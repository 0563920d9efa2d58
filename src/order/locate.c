/* SPDX-License-Identifier: MIT */
/* order: finds for each item of the batch its gap: the position before which it belongs among the
 * clean items. Locating moves nothing, and changes from outside only take clean items away, so a
 * gap stays valid. The gaps ascend. */
#include "order_internal.h"

enum {
    ORDER_NEAR = 64,         /* positions between an item and a gap that are looked through first */
    ORDER_NEAR_RUNS = 2,     /* runs of clean items in them, to either side */
    ORDER_NEAR_COMPARES = 32 /* more than all these can cost */
};

/* The search for the next item's gap begins at the last gap. Its first step is half the average
 * distance that is left for each item, which costs least if gaps are random. */
static void order_begin_gallop(hm_order_state *state)
{
    hm_order_search *search = &state->search;
    uint32_t items = state->batch.count - state->batch.next;
    search->end = state->cursor;
    search->step = items != 0 ? (search->end - search->begin) / items / 2 + 1 : 1;
    search->probe_end = 0;
}

void hm_order_begin_locate(hm_order_state *state)
{
    state->batch.next = 0;
    state->search.begin = 0;
    order_begin_gallop(state);
    hm_order_forget_keys(state);
}

/* Asks whether the clean item at `probe` comes before the lifted one: by the order, and if they are
 * equal, by their positions. */
static bool order_precedes(hm_order_call *call, uint32_t probe, uint32_t lifted, bool *answer)
{
    hm_order_state *state = call->state;
    const hm_order_batch *batch = &state->batch;
    hm_order_keys *keys = &state->keys;
    bool is_first = probe < lifted;
    if (state->order.key != NULL) {
        uint64_t lifted_key = batch->keys[batch->current][batch->next];
        if (!keys->has_probe) {
            if (!hm_order_may_compare(call))
                return false;
            keys->probe = state->order.key(hm_order_item(call, probe), state->order.context);
            keys->has_probe = true;
        }
        if (lifted_key != keys->probe || state->order.compare == NULL) {
            *answer = keys->probe < lifted_key || (keys->probe == lifted_key && is_first);
            return true;
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    const void *a = hm_order_item(call, is_first ? lifted : probe);
    const void *b = hm_order_item(call, is_first ? probe : lifted);
    bool is_less = state->order.compare(a, b, state->order.context) < 0;
    *answer = is_less != is_first;
    return true;
}

/* One probe of a gallop upward, then of a binary search. */
static bool order_narrow_gap(hm_order_call *call, uint32_t lifted)
{
    hm_order_state *state = call->state;
    hm_order_search *search = &state->search;
    uint32_t left = search->end - search->begin;
    uint32_t reach = search->step != 0 ? search->step : left / 2 + 1;
    uint32_t end = reach < left ? search->begin + reach : search->end;
    if (search->probe_end == 0 || search->probe_end > end)
        search->probe_end = end;
    /* Usually it is clean; then the compare alone counts as work. */
    bool is_found = hm_order_mark(state, search->probe_end - 1) == HM_MARK_CLEAN;
    if (!is_found && !hm_order_seek_down(call, &search->probe_end, search->begin))
        return false;
    bool before = true; /* if there is no clean item to compare with */
    if (search->probe_end > search->begin &&
        !order_precedes(call, search->probe_end - 1, lifted, &before))
        return false;
    if (before) {
        search->begin = end;
        search->step *= 2; /* After 2^31 it wraps to 0: halving works as well. */
    } else {
        search->end = search->probe_end - 1;
        search->step = 0;
    }
    search->probe_end = 0;
    state->keys.has_probe = false;
    return true;
}

/* Of the n clean items from `at` on, upward or downward, counts those that belong on the other side
 * of the lifted one, up to the first that does not. */
static uint32_t order_reach(hm_order_call *call, uint32_t lifted, uint32_t at, uint32_t n,
                            bool is_up)
{
    const hm_order *order = &call->state->order;
    const hm_order_batch *batch = &call->state->batch;
    uint64_t key = order->key != NULL ? batch->keys[batch->current][batch->next] : 0;
    uint32_t reached = order->loops->reach(&call->spent.compares, hm_order_item(call, lifted), key,
                                           hm_order_item(call, at), call->sequence->stride, n,
                                           is_up, order->context);
    return reached < n ? reached : n;
}

/* Looks through the clean items near below the lifted one, and moves the search's end down past
 * those that belong behind it. If it has seen that there are no more of them, the gap is there.
 * True if there are none at all: then the gap is above the lifted item. */
static bool order_reach_down(hm_order_call *call, uint32_t lifted)
{
    hm_order_state *state = call->state;
    hm_order_search *search = &state->search;
    uint32_t at = lifted, low = search->begin;
    bool is_seen = false, is_below = false;
    if (lifted - low > ORDER_NEAR)
        low = lifted - ORDER_NEAR;
    for (uint32_t runs = 0; at > low && runs < ORDER_NEAR_RUNS && !is_seen;) {
        uint32_t n = hm_order_clean_below(state, at, at - low);
        if (n == 0) {
            at--;
            continue;
        }
        uint32_t reached = order_reach(call, lifted, at - 1, n, false);
        if (reached != 0) {
            search->end = at - reached;
            is_below = true;
        }
        is_seen = reached < n;
        at -= n;
        runs++;
    }
    if (!is_seen && at != search->begin)
        return false;
    if (is_below)
        search->begin = search->end;
    return !is_below;
}

/* If the gap is not below the lifted item, looks through the clean items near above it: begins the
 * search behind those that belong before it, and ends it there if the gap is found. */
static void order_reach_up(hm_order_call *call, uint32_t lifted)
{
    hm_order_state *state = call->state;
    hm_order_search *search = &state->search;
    uint32_t at = lifted < search->begin ? search->begin : lifted + 1, high = search->end;
    if (high > at && high - at > ORDER_NEAR)
        high = at + ORDER_NEAR;
    for (uint32_t runs = 0; at < high && runs < ORDER_NEAR_RUNS;) {
        uint32_t n = hm_order_clean_above(state, at, high - at);
        if (n == 0) {
            at++;
            continue;
        }
        uint32_t reached = order_reach(call, lifted, at, n, true);
        at += reached;
        if (reached < n) {
            search->begin = search->end = at;
            return;
        }
        search->begin = at;
        runs++;
    }
}

/* Looks for the gap near the lifted item, where it is if items were moved a little. Whatever it
 * finds narrows the search, which goes on from there. */
static void order_look_near(hm_order_call *call, uint32_t lifted)
{
    if (lifted < call->state->search.begin || order_reach_down(call, lifted))
        order_reach_up(call, lifted);
}

/* Whether the search for the next item has not begun, and a typed order can look near it. */
static bool order_may_look_near(const hm_order_call *call)
{
    const hm_order_state *state = call->state;
    const hm_order_search *search = &state->search;
    return state->order.loops != NULL && call->sequence->lane_shift == 0 &&
           search->end == state->cursor && search->step != 0 && search->probe_end == 0 &&
           call->max_compares - call->spent.compares >= ORDER_NEAR_COMPARES;
}

static bool order_is_near(uint32_t a, uint32_t b)
{
    return (a < b ? b - a : a - b) <= ORDER_NEAR;
}

/* The rest of the list belongs behind all clean items; that is the whole list, if everything was
 * lifted. */
static bool order_locate_at_end(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t left = batch->count - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    uint32_t *items = batch->items[batch->current] + batch->next;
    uint32_t *gaps = hm_order_other_list(batch) + batch->next;
    for (uint32_t i = 0; i < taken; i++) {
        items[i] = hm_sequence_slot(call->sequence, items[i]);
        gaps[i] = state->search.begin;
    }
    batch->next += taken;
    return taken == left;
}

hm_order_phase hm_order_locate(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    hm_order_search *search = &state->search;
    if (search->end > state->cursor)
        search->end = state->cursor;
    bool is_near = true; /* The last gap was near its item, so the next one is likely to be. */
    while (batch->next < batch->count) {
        uint32_t *lifted = &batch->items[batch->current][batch->next];
        if (search->begin == state->cursor && !state->is_disturbed) {
            if (!order_locate_at_end(call))
                return HM_ORDER_PAUSE;
            break;
        }
        if (!hm_order_may_work(call))
            return HM_ORDER_PAUSE;
        bool is_lifted = hm_order_is_lifted(state, *lifted);
        if (is_near && is_lifted && order_may_look_near(call))
            order_look_near(call, *lifted);
        while (is_lifted && search->begin < search->end)
            if (!order_narrow_gap(call, *lifted))
                return HM_ORDER_PAUSE;
        is_near = order_is_near(search->begin, *lifted);
        hm_order_other_list(batch)[batch->next] = search->begin;
        /* From here on it may move. */
        *lifted = is_lifted ? hm_sequence_slot(call->sequence, *lifted) : HM_INVALID_INDEX;
        batch->next++;
        order_begin_gallop(state);
    }
    return HM_ORDER_PLACE;
}

/* order: insertion sort as a machine that can stop before any compare and any move.
 *
 *     START --> DOWN or UP --> HALVE --> low == high: shift, settle --> START with the next item
 *
 * The invariant between steps: positions below `cursor`, without the one at `at`, are in order; the
 * item at `at` belongs into [low, high]; `at` is `cursor` until the place is found. */
#include <handle_map/order.h>

enum { COMPARES_TO_GET_ON = 3 }; /* two keys, and compare for a tie */

typedef struct run {
    hm_order_state *state;
    const hm_sequence *sequence;
    hm_budget budget;
    hm_progress spent;
} run;

static const void *item_at(const run *r, uint32_t index)
{
    return r->sequence->at(r->sequence->owner, index);
}

/* Turns to the item at the cursor. */
static void begin_item(hm_order_state *state)
{
    state->at = state->cursor;
    state->low = 0;
    state->high = state->cursor;
    state->phase = HM_ORDER_START;
    state->has_item_key = false;
}

void hm_order_rewind(hm_order_state *state, uint32_t index)
{
    HM_CONTRACT(state != NULL, "hm_order_rewind: state is NULL");
    /* Below an item in flight all is in order; behind it, the item itself may be missing. */
    if (state->cursor > state->at)
        state->cursor = state->at;
    if (state->cursor > index)
        state->cursor = index;
    state->last = state->cursor > 0 ? state->cursor - 1 : 0;
    state->has_probe_key = false;
    begin_item(state);
}

static bool may_compare(run *r)
{
    if (r->budget.max_compares != 0 && r->spent.compares >= r->budget.max_compares)
        return false;
    r->spent.compares++;
    return true;
}

/* Answers whether the item that is being placed stands before the one at `probe`. False when the
 * budget ends first; the keys that were paid for are kept for the next call. */
static bool compare_with(run *r, uint32_t probe, bool *stands_before)
{
    hm_order_state *state = r->state;
    const hm_order *order = &state->order;
    if (order->key != NULL) {
        if (!state->has_item_key) {
            if (!may_compare(r))
                return false;
            state->item_key = order->key(item_at(r, state->at), order->context);
            state->has_item_key = true;
        }
        if (!state->has_probe_key) {
            if (!may_compare(r))
                return false;
            state->probe_key = order->key(item_at(r, probe), order->context);
            state->has_probe_key = true;
        }
        if (state->item_key != state->probe_key || order->compare == NULL) {
            *stands_before = state->item_key < state->probe_key;
            state->has_probe_key = false;
            return true;
        }
    }
    if (!may_compare(r))
        return false;
    *stands_before = order->compare(item_at(r, state->at), item_at(r, probe), order->context) < 0;
    state->has_probe_key = false;
    return true;
}

/* Where to look next; always in [low, high). */
static uint32_t next_probe(const hm_order_state *state)
{
    uint32_t room = state->high - state->low;
    switch (state->phase) { /* Coverage: there is no phase without a case. */
    case HM_ORDER_START:
        return state->last;
    case HM_ORDER_DOWN:
        return room > state->step ? state->high - state->step : state->low;
    case HM_ORDER_UP:
        return room > state->step ? state->low + state->step - 1 : state->high - 1;
    case HM_ORDER_HALVE:
        break;
    }
    return state->low + room / 2;
}

/* One compare nearer to the place. A gallop that overshoots has enclosed it, and is halved. Equal
 * items count as standing before, which is what keeps the order stable. */
static bool narrow(run *r)
{
    hm_order_state *state = r->state;
    uint32_t probe = next_probe(state);
    bool stands_before;
    if (!compare_with(r, probe, &stands_before))
        return false;
    hm_order_phase gallop = stands_before ? HM_ORDER_DOWN : HM_ORDER_UP;
    if (stands_before)
        state->high = probe;
    else
        state->low = probe + 1;
    if (state->phase == HM_ORDER_START) {
        state->phase = gallop;
        state->step = 1;
    } else if (state->phase == gallop) {
        state->step *= 2; /* 1 + 2 + ... + 2^31 have covered all positions before this wraps. */
    } else {
        state->phase = HM_ORDER_HALVE;
    }
    return true;
}

/* The item stands where it belongs. The next one is compared with it first, by the key it has. */
static void settle(hm_order_state *state)
{
    state->last = state->low;
    state->probe_key = state->item_key;
    state->has_probe_key = state->has_item_key;
    state->cursor++;
    begin_item(state);
}

/* Moves the item towards its place as far as the budget goes. */
static bool shift(run *r)
{
    hm_order_state *state = r->state;
    uint32_t distance = state->at - state->low;
    if (r->budget.max_swaps != 0) {
        uint64_t left = r->budget.max_swaps - r->spent.swaps;
        if (left == 0)
            return false;
        if (distance > left)
            distance = (uint32_t)left;
    }
    uint32_t from = state->at;
    state->at = from - distance;
    r->spent.swaps += distance;
    r->sequence->move(r->sequence->owner, from, state->at);
    return true;
}

/* Does one thing; false when the budget does not allow it. */
static bool step(run *r)
{
    hm_order_state *state = r->state;
    if (state->low < state->high)
        return narrow(r);
    if (state->at != state->low)
        return shift(r);
    settle(state);
    return true;
}

static bool is_same_order(const hm_order *a, const hm_order *b)
{
    return a->compare == b->compare && a->key == b->key && a->context == b->context;
}

hm_progress hm_order_run(hm_order_state *state, const hm_order *order, const hm_sequence *sequence,
                         hm_budget budget)
{
    HM_CONTRACT(state != NULL && sequence != NULL, "hm_order_run: an argument is NULL");
    HM_CONTRACT(order != NULL && (order->compare != NULL || order->key != NULL),
                "hm_order_run: the order has neither compare nor key");
    if (!is_same_order(&state->order, order)) {
        hm_order_rewind(state, 0);
        state->order = *order;
    }
    /* A program may have renumbered all keys since the last call without changing the order, as a
     * walk over a tree does. So they are asked for again, where the budget allows to get on. */
    if (budget.max_compares == 0 || budget.max_compares >= COMPARES_TO_GET_ON)
        state->has_item_key = state->has_probe_key = false;
    run r = {state, sequence, budget, {0, 0, false}};
    while (state->cursor < sequence->count && step(&r))
        ;
    r.spent.done = state->cursor >= sequence->count;
    return r.spent;
}

/* SPDX-License-Identifier: MIT */
/* order: the round of phases, and the changes that the owner reports. */
#include "order_internal.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* Each phase's `begin` function, NULL if it has none, and the function that runs it. */
static const struct {
    void (*begin)(hm_order_state *state);
    hm_order_phase (*run)(hm_order_call *call);
} order_phases[HM_ORDER_PAUSE] = {
    [HM_ORDER_SCAN] = {hm_order_begin_scan, hm_order_scan_on},
    [HM_ORDER_COUNT] = {hm_order_begin_count, hm_order_count},
    [HM_ORDER_LIFT] = {NULL, hm_order_lift_pending},
    [HM_ORDER_LIFT_ALL] = {hm_order_begin_lift_all, hm_order_lift_all},
    [HM_ORDER_EXTRACT] = {hm_order_begin_extract, hm_order_extract},
    [HM_ORDER_TALLY] = {NULL, hm_order_tally},
    [HM_ORDER_SCATTER] = {NULL, hm_order_scatter},
    [HM_ORDER_MERGE] = {hm_order_begin_merge, hm_order_merge_runs},
    [HM_ORDER_LOCATE] = {hm_order_begin_locate, hm_order_locate},
    [HM_ORDER_PLACE] = {hm_order_begin_place, hm_order_place_items},
    [HM_ORDER_VERIFY] = {hm_order_begin_verify, hm_order_verify},
    [HM_ORDER_SPREAD] = {NULL, hm_order_spread},
    [HM_ORDER_NAME] = {NULL, hm_order_name},
};

static void order_enter_phase(hm_order_state *state, hm_order_phase phase)
{
    if (order_phases[phase].begin != NULL)
        order_phases[phase].begin(state);
    state->phase = phase;
}

/* Passes a status on, and names the owner if memory was refused. */
static hm_status order_blame(const hm_sequence *sequence, hm_status status)
{
    const hm_limits limits = {.what = sequence->what, .name = sequence->name};
    return hm_blame(status, &limits);
}

static void order_run_phases(hm_order_call *call)
{
    hm_order_phase next;
    while ((next = order_phases[call->state->phase].run(call)) != HM_ORDER_PAUSE)
        order_enter_phase(call->state, next);
    call->spent.status = order_blame(call->sequence, call->spent.status);
}

/* changes from outside */

void hm_order_reset(hm_order_state *state)
{
    if (state == NULL)
        return;
    hm_order_end_batch(state);
    state->is_arranging = false;
    state->cursor = 0;
    state->pending_end = 0;
    state->scan.misfits = 0;
    order_enter_phase(state, HM_ORDER_SCAN);
}

void hm_order_fini(hm_order_state **place)
{
    HM_CONTRACT(place != NULL, "hm_order_fini: place is NULL");
    if (*place != NULL)
        hm_array_fini(&(*place)->batch.scratch);
    hm_order_release(place);
}

void hm_order_disturb(hm_order_state *state, uint32_t index, uint32_t count)
{
    if (state == NULL || index > state->cursor)
        return;
    hm_order_forget_keys(state);
    state->is_disturbed = true;
    if (state->phase == HM_ORDER_VERIFY) {
        order_enter_phase(state, HM_ORDER_VERIFY);
        return;
    }
    if (state->cursor > count)
        hm_order_set_cursor(state, count);
    if (index < state->cursor)
        hm_order_set_pending(state, index);
    if (state->phase == HM_ORDER_SCAN)
        order_enter_phase(state, HM_ORDER_SCAN);
}

#ifndef HM_EXHAUSTIVE
#define ORDER_FREE_WORK 4096 /* entries of other work that any call may do */
#endif

static hm_order_call order_begin_call(hm_order_state *state, const hm_sequence *sequence,
                                      const hm_frame_budget *budget)
{
    hm_order_call call = {.state = state,
                          .sequence = sequence,
                          .max_swaps = UINT64_MAX,
                          .max_compares = UINT64_MAX,
                          .max_work = UINT64_MAX};
    if (hm_budget_limits_swaps(budget))
        call.max_swaps = budget->swaps_left;
    if (hm_budget_limits_compares(budget))
        call.max_compares = budget->compares_left;
    if (hm_budget_limits_swaps(budget) && hm_budget_limits_compares(budget))
        call.max_work = 4 * (call.max_swaps + call.max_compares) + ORDER_FREE_WORK;
    return call;
}

/* Leaves the lifted items to the next round, which only distinguishes clean marks from others. */
static void order_let_down(hm_order_state *state)
{
    state->pending_begin = 0;
    state->pending_end = state->cursor;
    hm_order_end_batch(state);
    order_enter_phase(state, HM_ORDER_SCAN);
}

void hm_order_end_moves(hm_order_state *state, const hm_sequence *sequence)
{
    HM_CONTRACT(sequence != NULL, "hm_order_end_moves: sequence is NULL");
    if (state == NULL)
        return;
    hm_order_call call = order_begin_call(state, sequence, NULL);
    if (state->phase == HM_ORDER_PLACE) /* This call has no limits, and so it does not pause. */
        order_enter_phase(state, hm_order_place_items(&call));
    if (state->is_arranging)
        order_enter_phase(state, HM_ORDER_VERIFY);
    else if (state->phase != HM_ORDER_SCAN)
        order_let_down(state);
    else
        order_enter_phase(state, HM_ORDER_SCAN);
}

hm_status hm_order_trim(hm_order_state **place, uint32_t count)
{
    HM_CONTRACT(place != NULL, "hm_order_trim: place is NULL");
    hm_order_state *state = *place;
    if (state == NULL)
        return HM_OK;
    if (state->cursor != 0 || state->phase != HM_ORDER_SCAN)
        return hm_order_shrink(state, count);
    hm_order_fini(place);
    return HM_OK;
}

void hm_order_add_sizes(const hm_order_state *state, hm_stats *stats)
{
    if (state == NULL)
        return;
    hm_stats_add(stats, &state->range);
    hm_stats_add(stats, &state->batch.scratch);
}

/* calls */

bool hm_order_is_for(const hm_order_state *state, const hm_order *order)
{
    return !state->is_arranging && state->order.compare == order->compare &&
           state->order.key == order->key && state->order.context == order->context;
}

bool hm_order_is_in_order(const hm_order_state *state, uint32_t count)
{
    bool is_scanned = state->phase == HM_ORDER_SCAN && state->scan.doubt == HM_ORDER_NO_DOUBT;
    return is_scanned && state->cursor == count && state->pending_end == 0;
}

/* Makes `state` that of the place, with memory for all items. False if the call ends here: no items
 * are in order, and the call costs the same whether there has been an order or not. */
static bool order_begin(hm_order_state **place, const hm_sequence *sequence, hm_progress *progress)
{
    progress->done = sequence->count == 0;
    if (progress->done)
        hm_order_reset(*place);
    else
        progress->status = order_blame(sequence, hm_order_open(place, sequence));
    return !progress->done && progress->status == HM_OK;
}

hm_progress hm_order_run(hm_order_state **place, const hm_order *order, const hm_sequence *sequence,
                         hm_frame_budget *budget)
{
    HM_CONTRACT(place != NULL && sequence != NULL, "hm_order_run: an argument is NULL");
    HM_CONTRACT(order != NULL && (order->compare != NULL || order->key != NULL),
                "hm_order_run: the order has neither compare nor key");
    hm_progress progress = {0};
    hm_order_state *state = *place;
    if (hm_frame_budget_is_spent(budget)) {
        bool is_known = state != NULL && hm_order_is_for(state, order) &&
                        hm_order_is_in_order(state, sequence->count);
        return (hm_progress){.done = sequence->count == 0 || is_known};
    }
    if (!order_begin(place, sequence, &progress))
        return progress;
    state = *place;
    if (!hm_order_is_for(state, order)) {
        hm_order_reset(state);
        state->order = *order;
        const hm_order_loops *loops = order->loops;
        if (loops != NULL && (loops->compare != order->compare || loops->key != order->key))
            state->order.loops = NULL; /* They are another order's. */
    }
    hm_order_call call = order_begin_call(state, sequence, budget);
    order_run_phases(&call);
    call.spent.done = hm_order_is_in_order(state, sequence->count);
    hm_budget_spend(budget, &call.spent);
    return call.spent;
}

hm_progress hm_order_arrange(hm_order_state **place, const hm_handle *names, uint32_t n,
                             const hm_sequence *sequence, hm_frame_budget *budget)
{
    HM_CONTRACT(place != NULL && sequence != NULL, "hm_order_arrange: an argument is NULL");
    HM_CONTRACT(names != NULL || n == 0, "hm_order_arrange: the handles are NULL");
    if (hm_frame_budget_is_spent(budget))
        return (hm_progress){.done = n == 0};
    hm_progress progress = {0};
    if (!order_begin(place, sequence, &progress))
        return progress;
    hm_order_state *state = *place;
    hm_order_arrangement *arrangement = &state->arrangement;
    if (!state->is_arranging || arrangement->names != names || arrangement->name_count != n) {
        hm_order_reset(state);
        state->is_arranging = true;
        arrangement->names = names;
        arrangement->name_count = n;
        order_enter_phase(state, HM_ORDER_VERIFY);
    }
    hm_order_call call = order_begin_call(state, sequence, budget);
    order_run_phases(&call);
    call.spent.done = arrangement->next_name == n && state->phase == HM_ORDER_VERIFY;
    if (call.spent.done) /* The handles may have changed by the next call. */
        order_enter_phase(state, HM_ORDER_VERIFY);
    hm_budget_spend(budget, &call.spent);
    return call.spent;
}

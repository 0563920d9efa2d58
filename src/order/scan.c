/* SPDX-License-Identifier: MIT */
/* order: the scan, which moves the cursor on and marks items that do not fit behind the others. */
#include "order_internal.h"

#ifndef HM_EXHAUSTIVE
enum {
    ORDER_FIRST_RUN_LIMIT = 8, /* misfits in a row that prompt a look back */
    ORDER_FEW_MISFITS = 16     /* a number too small to lift everything */
};
#endif

enum { ORDER_PASSED_AT_ONCE = 8 * HM_MARKS_PER_WORD };

void hm_order_begin_scan(hm_order_state *state)
{
    hm_order_scan *scan = &state->scan;
    scan->doubt = HM_ORDER_NO_DOUBT;
    scan->is_last_known = false;
    scan->last_end = state->cursor;
    scan->run = 0;
    scan->run_limit = ORDER_FIRST_RUN_LIMIT;
    hm_order_forget_keys(state);
}

/* The item at the cursor fits behind the last clean one. */
static void order_accept_item(hm_order_state *state)
{
    state->cursor++;
    state->scan.last_end = state->cursor;
    state->scan.is_last_known = true;
    state->scan.run = 0;
    state->scan.run_limit = ORDER_FIRST_RUN_LIMIT;
    state->keys.probe = state->keys.item;
    state->keys.has_probe = state->keys.has_item;
    state->keys.has_item = false;
}

static void order_reject_item(hm_order_state *state)
{
    hm_order_scan *scan = &state->scan;
    hm_order_set_pending(state, state->cursor);
    state->cursor++;
    state->keys.has_item = false;
    scan->misfits++;
    scan->run++;
    scan->doubt = HM_ORDER_NO_DOUBT;
    if (scan->run == scan->run_limit) {
        scan->doubt = HM_ORDER_DOUBT_BEFORE;
        scan->probe_end = scan->last_end;
        scan->passed = 0;
        state->keys.has_probe = false;
    }
}

/* The first misfit of a run leaves two suspects: itself and the clean item that it precedes. */
static void order_begin_doubt(hm_order_state *state)
{
    state->scan.doubt = HM_ORDER_DOUBT_LAST;
    state->scan.probe_end = state->scan.last_end - 1;
    state->keys.has_probe = false;
}

/* The clean item is the real misfit if the suspect at the cursor fits behind the one before it. */
static hm_order_phase order_doubt_last(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_scan *scan = &state->scan;
    bool is_found = scan->probe_end != 0 &&
                    hm_order_mark(state, scan->probe_end - 1) == HM_MARK_CLEAN; /* as usual */
    if (!is_found && !hm_order_seek_down(call, &scan->probe_end, 0))
        return HM_ORDER_PAUSE;
    bool is_less = false;
    if (scan->probe_end != 0 && !hm_order_ask(call, state->cursor, scan->probe_end - 1, &is_less))
        return HM_ORDER_PAUSE;
    state->keys.has_probe = false;
    scan->doubt = HM_ORDER_NO_DOUBT;
    if (is_less) {
        order_reject_item(state);
    } else {
        hm_order_set_pending(state, scan->last_end - 1);
        scan->misfits++;
        order_accept_item(state);
    }
    return HM_ORDER_SCAN;
}

/* A run of misfits may be right and the clean items before it wrong: asks whether the run belongs
 * before half as many of them. Its last item decides, since the first may fit nowhere: behind a
 * clean item that is too large, a run of good ones may begin with one that is too small. */
static hm_order_phase order_doubt_before(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_scan *scan = &state->scan;
    for (;; scan->passed++, scan->probe_end--) {
        if (!hm_order_seek_down(call, &scan->probe_end, 0))
            return HM_ORDER_PAUSE;
        if (scan->passed >= scan->run / 2 || scan->probe_end == 0)
            break;
    }
    bool is_less = false;
    uint32_t last = state->cursor - 1;
    if (scan->probe_end != 0 && !hm_order_ask(call, last, scan->probe_end - 1, &is_less))
        return HM_ORDER_PAUSE;
    hm_order_forget_keys(state);
    if (is_less)
        scan->run_limit *= 2;
    scan->doubt = is_less ? HM_ORDER_NO_DOUBT : HM_ORDER_DROP_BEFORE;
    return HM_ORDER_SCAN;
}

/* Those clean items become pending, and the run is scanned again. Each of them pays for two items
 * of the run, and is not taken again in this scan, so all rescans together cost O(n), whatever
 * compare answers. */
static hm_order_phase order_drop_before(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_scan *scan = &state->scan;
    while (scan->last_end > scan->probe_end) {
        if (!hm_order_seek_down(call, &scan->last_end, scan->probe_end))
            return HM_ORDER_PAUSE;
        if (scan->last_end == scan->probe_end)
            break;
        scan->last_end--;
        hm_order_set_pending(state, scan->last_end);
        scan->misfits++;
    }
    scan->misfits -= scan->run;
    hm_order_set_cursor(state, state->cursor - scan->run);
    hm_order_begin_scan(state);
    return HM_ORDER_SCAN;
}

/* Clears the marks of the next `most` positions, of which the first is in a word that is open. */
static void order_open_mark_words(hm_order_state *state, uint32_t most)
{
    uint32_t at = state->cursor, end = at + most;
    while ((at = hm_order_next_word(at, end)) < end)
        state->marks[at / HM_MARKS_PER_WORD] = 0;
}

/* Compares each of the next `most` items with the one before, as long as they fit. Returns how many
 * fit. Most items go through this loop. */
static uint32_t order_pass_by_compare(hm_order_call *call, uint32_t most)
{
    const hm_order *order = &call->state->order;
    const hm_sequence sequence = *call->sequence; /* a copy, which compare cannot change */
    uint32_t cursor = call->state->cursor, passed = 0;
    const void *last = hm_sequence_item(&sequence, cursor - 1);
    for (; passed < most; passed++) {
        const void *item = hm_sequence_item(&sequence, cursor + passed);
        if (order->compare(item, last, order->context) < 0)
            break;
        last = item;
    }
    call->spent.compares += passed < most ? passed + 1 : most;
    return passed;
}

/* As pass_by_compare, by keys; the key of the first item that may not fit is kept. */
static uint32_t order_pass_by_key(hm_order_call *call, uint32_t most)
{
    hm_order_state *state = call->state;
    const hm_order *order = &state->order;
    const hm_sequence sequence = *call->sequence; /* a copy, which key cannot change */
    uint64_t last = state->keys.probe;
    uint32_t cursor = state->cursor, passed = 0;
    for (; passed < most; passed++) {
        uint64_t key = order->key(hm_sequence_item(&sequence, cursor + passed), order->context);
        if (key < last || (key == last && order->compare != NULL)) {
            state->keys.item = key;
            state->keys.has_item = true;
            break;
        }
        last = key;
    }
    state->keys.probe = last;
    call->spent.compares += passed < most ? passed + 1 : most;
    return passed;
}

/* As both, in the loop of a typed order, which is called for each part that is evenly spaced. */
static uint32_t order_pass_by_loop(hm_order_call *call, uint32_t most)
{
    hm_order_state *state = call->state;
    const hm_sequence *sequence = call->sequence;
    uint64_t keys[2] = {state->keys.probe, 0};
    uint32_t cursor = state->cursor, passed = 0, fits, run;
    do {
        size_t stride;
        run = hm_sequence_run(sequence, cursor + passed, &stride);
        if (run > most - passed)
            run = most - passed;
        const void *item = hm_sequence_item(sequence, cursor + passed);
        const void *last = hm_sequence_item(sequence, cursor + passed - 1);
        fits = state->order.loops->pass(keys, last, item, stride, run, state->order.context);
        passed += fits < run ? fits : run;
    } while (fits >= run && passed < most);
    state->keys.probe = keys[0];
    state->keys.item = keys[1];
    state->keys.has_item = state->order.key != NULL && passed < most;
    call->spent.compares += passed < most ? passed + 1 : most;
    return passed;
}

/* Passes items that fit, up to the end of a few words of marks. False when the budget ends. */
static bool order_pass_items(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t most = ORDER_PASSED_AT_ONCE - state->cursor % HM_MARKS_PER_WORD;
    if (most > call->sequence->count - state->cursor)
        most = call->sequence->count - state->cursor;
    if (most > call->max_compares - call->spent.compares)
        most = (uint32_t)(call->max_compares - call->spent.compares);
    if (most == 0)
        return false;
    order_open_mark_words(state, most);
    bool by_key = state->order.key != NULL;
    uint32_t passed = state->order.loops != NULL ? order_pass_by_loop(call, most)
                      : by_key                   ? order_pass_by_key(call, most)
                                                 : order_pass_by_compare(call, most);
    state->cursor += passed;
    state->scan.last_end = state->cursor;
    if (!by_key && passed < most)
        order_begin_doubt(state);
    return true;
}

/* Everything is lifted if more than a quarter of what was scanned does not fit. */
static bool order_has_many_misfits(const hm_order_call *call)
{
    const hm_order_state *state = call->state;
    uint32_t few = call->sequence->count / 64 + ORDER_FEW_MISFITS;
    return state->scan.misfits > state->cursor / 4 + few;
}

/* Whether the item at the cursor can be passed with those behind it: its left neighbour is clean,
 * and only that one's key is known. */
static bool order_can_pass(const hm_order_state *state)
{
    const hm_order_scan *scan = &state->scan;
    return scan->last_end != 0 && scan->last_end == state->cursor && !state->keys.has_item &&
           (state->order.key == NULL || state->keys.has_probe);
}

/* All is scanned: a round begins if anything is pending. */
static hm_order_phase order_end_scan(hm_order_state *state)
{
    state->scan.misfits = 0;
    return state->pending_end == 0 ? HM_ORDER_PAUSE : HM_ORDER_COUNT;
}

/* Compares each item with the last clean one, until there is a doubt. */
static hm_order_phase order_compare_last(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_scan *scan = &state->scan;
    while (state->cursor < call->sequence->count) {
        if (state->cursor % HM_MARKS_PER_WORD == 0)
            state->marks[state->cursor / HM_MARKS_PER_WORD] = 0;
        if (order_has_many_misfits(call))
            return HM_ORDER_LIFT_ALL;
        if (!scan->is_last_known && !hm_order_seek_down(call, &scan->last_end, 0))
            return HM_ORDER_PAUSE;
        scan->is_last_known = true;
        if (order_can_pass(state)) {
            if (!order_pass_items(call))
                return HM_ORDER_PAUSE;
            if (scan->doubt != HM_ORDER_NO_DOUBT)
                return HM_ORDER_SCAN;
            if (state->cursor % HM_MARKS_PER_WORD == 0)
                continue;
        }
        if (state->cursor == call->sequence->count)
            break;
        bool is_less = false;
        if (scan->last_end != 0 && !hm_order_ask(call, state->cursor, scan->last_end - 1, &is_less))
            return HM_ORDER_PAUSE;
        if (!is_less)
            order_accept_item(state);
        else if (scan->run == 0)
            order_begin_doubt(state);
        else
            order_reject_item(state);
        if (scan->doubt != HM_ORDER_NO_DOUBT)
            return HM_ORDER_SCAN;
    }
    return order_end_scan(state);
}

hm_order_phase hm_order_scan_on(hm_order_call *call)
{
    static hm_order_phase (*const steps[])(hm_order_call *) = {
        [HM_ORDER_NO_DOUBT] = order_compare_last,
        [HM_ORDER_DOUBT_LAST] = order_doubt_last,
        [HM_ORDER_DOUBT_BEFORE] = order_doubt_before,
        [HM_ORDER_DROP_BEFORE] = order_drop_before,
    };
    hm_order_phase next;
    do
        next = steps[call->state->scan.doubt](call);
    while (next == HM_ORDER_SCAN);
    return next;
}

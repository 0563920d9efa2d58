/* SPDX-License-Identifier: MIT */
/* order: the round of phases, the scan, and what the owner reports. */
#include "order_private.h"

#include "../array_private.h"
#include "../base_private.h"

#include <string.h>

enum {
    FIRST_RUN_LIMIT = 8, /* misfits in a row that call for a look back */
    PASSED_AT_ONCE = 8 * HM_MARKS_PER_WORD,
    FEW_MISFITS = 16 /* so many are no reason to take everything out */
};

static const uint64_t low_bits = UINT64_MAX / 3; /* the lower bit of each mark */

/* marks */

/* One bit for each position whose mark is not clean. */
static uint64_t dirty_bits(uint64_t word)
{
    return (word | word >> 1) & low_bits;
}

bool hm_order_seek(hm_order_call *call, uint32_t *at, uint32_t end, bool clean)
{
    while (*at < end) {
        if (!hm_order_may_work(call))
            return false;
        uint32_t index = *at / HM_MARKS_PER_WORD, bit = *at % HM_MARKS_PER_WORD;
        uint64_t bits = dirty_bits(call->state->marks[index]) ^ (clean ? low_bits : 0);
        bits >>= bit * 2;
        uint32_t distance = bits != 0 ? hm_bits_lowest(bits) / 2 : HM_MARKS_PER_WORD - bit;
        *at = distance < end - *at ? *at + distance : end;
        if (bits != 0)
            break;
    }
    return true;
}

bool hm_order_seek_down(hm_order_call *call, uint32_t *end, uint32_t low)
{
    while (*end > low) {
        if (!hm_order_may_work(call))
            return false;
        uint32_t top = *end - 1;
        uint32_t bit = top % HM_MARKS_PER_WORD;
        uint64_t bits = dirty_bits(call->state->marks[top / HM_MARKS_PER_WORD]) ^ low_bits;
        bits <<= (HM_MARKS_PER_WORD - 1 - bit) * 2;
        uint32_t distance = bits != 0 ? (63 - hm_bits_highest(bits)) / 2 : bit + 1;
        *end = distance < *end - low ? *end - distance : low;
        if (bits != 0)
            break;
    }
    return true;
}

void hm_order_set_marks(hm_order_state *state, uint32_t begin, uint32_t end, hm_mark mark)
{
    while (begin < end) {
        if (begin % HM_MARKS_PER_WORD == 0 && end - begin >= HM_MARKS_PER_WORD) {
            state->marks[begin / HM_MARKS_PER_WORD] = low_bits * mark;
            begin += HM_MARKS_PER_WORD;
        } else {
            hm_order_set_mark(state, begin++, mark);
        }
    }
}

void hm_order_set_cursor(hm_order_state *state, uint32_t cursor)
{
    state->cursor = cursor;
    uint32_t bit = cursor % HM_MARKS_PER_WORD;
    if (bit != 0)
        state->marks[cursor / HM_MARKS_PER_WORD] &= ~(UINT64_MAX << bit * 2);
}

void hm_order_set_pending(hm_order_state *state, uint32_t index)
{
    hm_order_set_mark(state, index, HM_MARK_PENDING);
    if (state->dirty_high == 0 || index < state->dirty_low)
        state->dirty_low = index;
    if (index >= state->dirty_high)
        state->dirty_high = index + 1;
}

bool hm_order_cover(hm_order_call *call, uint32_t count)
{
    hm_order_state *state = call->state;
    size_t words = count / HM_MARKS_PER_WORD + 1; /* The cursor has a word at the very end too. */
    if (words <= state->mark_array.limit)
        return true;
    if (state->mark_array.data == NULL) {
        hm_array_desc desc = {.item_size = sizeof(uint64_t), .memory = call->sequence->memory};
        desc.capacity = call->sequence->capacity / HM_MARKS_PER_WORD + 1;
        if (hm_array_init(&state->mark_array, &desc) != HM_OK) {
            hm_forgive();
            return false;
        }
        state->marks = hm_array_data(&state->mark_array);
    }
    if (hm_array_commit(&state->mark_array, words, true) == HM_OK)
        return true;
    hm_forgive(); /* Insertion sort does without. */
    return false;
}

/* comparing */

bool hm_order_ask(hm_order_call *call, uint32_t a, uint32_t b, bool *stands_before)
{
    hm_order_state *state = call->state;
    const hm_order *order = &state->order;
    if (order->key != NULL) {
        if (!state->has_item_key) {
            if (!hm_order_may_compare(call))
                return false;
            state->item_key = order->key(hm_order_item(call, a), order->context);
            state->has_item_key = true;
        }
        if (!state->has_probe_key) {
            if (!hm_order_may_compare(call))
                return false;
            state->probe_key = order->key(hm_order_item(call, b), order->context);
            state->has_probe_key = true;
        }
        if (state->item_key != state->probe_key || order->compare == NULL) {
            *stands_before = state->item_key < state->probe_key;
            return true;
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    *stands_before =
        order->compare(hm_order_item(call, a), hm_order_item(call, b), order->context) < 0;
    return true;
}

/* scan */

void hm_order_begin_scan(hm_order_state *state)
{
    state->phase = HM_ORDER_SCAN;
    state->is_last_known = false;
    state->last = state->cursor;
    state->has_item_key = state->has_probe_key = false;
    state->run = 0;
    state->run_limit = FIRST_RUN_LIMIT;
}

/* The item at the cursor fits behind the last clean one. */
static void accept(hm_order_state *state)
{
    state->cursor++;
    state->last = state->cursor;
    state->is_last_known = true;
    state->run = 0;
    state->run_limit = FIRST_RUN_LIMIT;
    state->probe_key = state->item_key;
    state->has_probe_key = state->has_item_key;
    state->has_item_key = false;
}

static void reject(hm_order_state *state)
{
    hm_order_set_pending(state, state->cursor);
    state->cursor++;
    state->has_item_key = false;
    state->misfits++;
    state->run++;
    state->phase = HM_ORDER_SCAN;
    if (state->run == state->run_limit) {
        state->probe = state->last;
        state->at = 0;
        state->has_probe_key = false;
        state->phase = HM_ORDER_LOOK_BACK;
    }
}

/* It is the latter if the former fits behind the one before that. */
static bool find_outlier(hm_order_call *call)
{
    hm_order_state *state = call->state;
    if (!hm_order_seek_down(call, &state->probe, 0))
        return false;
    bool stands_before = false;
    if (state->probe != 0 && !hm_order_ask(call, state->cursor, state->probe - 1, &stands_before))
        return false;
    state->has_probe_key = false;
    state->phase = HM_ORDER_SCAN;
    if (stands_before) {
        reject(state);
    } else {
        hm_order_set_pending(state, state->last - 1);
        state->misfits++;
        accept(state);
    }
    return true;
}

/* A run of misfits may be right and the clean items before it wrong: asks whether the run can stand
 * before half as many of them. Its last item answers: the first may be one that fits
 * nowhere, as where one too small, behind a clean one too large, begins a run of good ones. */
static bool look_back(hm_order_call *call)
{
    hm_order_state *state = call->state;
    for (;; state->at++, state->probe--) {
        if (!hm_order_seek_down(call, &state->probe, 0))
            return false;
        if (state->at >= state->run / 2 || state->probe == 0)
            break;
    }
    bool stands_before = false;
    uint32_t last = state->cursor - 1;
    if (state->probe != 0 && !hm_order_ask(call, last, state->probe - 1, &stands_before))
        return false;
    state->has_item_key = state->has_probe_key = false;
    if (stands_before)
        state->run_limit *= 2;
    state->phase = stands_before ? HM_ORDER_SCAN : HM_ORDER_DROP;
    return true;
}

/* Those are taken out, and the run is scanned again. Each such item pays for two of the run, and
 * comes back no more in this scan, so that all scanning again costs O(n), whatever compare says. */
static bool drop(hm_order_call *call)
{
    hm_order_state *state = call->state;
    while (state->last > state->probe) {
        if (!hm_order_seek_down(call, &state->last, state->probe))
            return false;
        if (state->last == state->probe)
            break;
        state->last--;
        hm_order_set_pending(state, state->last);
        state->misfits++;
    }
    state->misfits -= state->run;
    hm_order_set_cursor(state, state->cursor - state->run);
    hm_order_begin_scan(state);
    return true;
}

/* The marks of a new word begin clean. */
static bool open_word(hm_order_call *call)
{
    hm_order_state *state = call->state;
    if (!hm_order_cover(call, state->cursor + 1)) {
        hm_order_begin_insert(call);
        return false;
    }
    state->marks[state->cursor / HM_MARKS_PER_WORD] = 0;
    return true;
}

/* A misfit, the first in its row, leaves two suspects: itself and the item that it should stand
 * before. */
static void begin_outlier(hm_order_state *state)
{
    state->probe = state->last - 1;
    state->has_probe_key = false;
    state->phase = HM_ORDER_OUTLIER;
}

static void begin_lift_all(hm_order_state *state)
{
    state->misfits = 0;
    state->dirty_high = 0;
    hm_order_set_cursor(state, 0);
    state->phase = HM_ORDER_LIFT_ALL;
}

/* All is scanned: takes what is pending, if anything is. */
static bool begin_round(hm_order_call *call)
{
    hm_order_state *state = call->state;
    state->misfits = 0;
    if (state->dirty_high == 0)
        return false;
    state->low = state->dirty_low;
    state->high = state->dirty_high;
    state->dirty_high = 0;
    state->at = state->low;
    state->batch.size = 0;
    state->is_disturbed = false;
    state->phase = HM_ORDER_COUNT;
    return true;
}

/* The next `most` items are compared each with its neighbour, as long as they fit. Returns how many
 * do. This is the loop that most items see. */
static uint32_t pass_by_compare(hm_order_call *call, uint32_t most)
{
    const hm_order *order = &call->state->order;
    size_t size = call->sequence->item_size;
    const unsigned char *item = hm_order_item(call, call->state->cursor);
    uint32_t passed = 0;
    for (; passed < most; passed++, item += size)
        if (order->compare(item, item - size, order->context) < 0)
            break;
    call->spent.compares += passed < most ? passed + 1 : most;
    return passed;
}

/* The same by keys; the key of the first that may not fit is kept. */
static uint32_t pass_by_key(hm_order_call *call, uint32_t most)
{
    hm_order_state *state = call->state;
    const hm_order *order = &state->order;
    const unsigned char *item = hm_order_item(call, state->cursor);
    uint64_t last = state->probe_key;
    uint32_t passed = 0;
    for (; passed < most; passed++, item += call->sequence->item_size) {
        uint64_t key = order->key(item, order->context);
        if (key < last || (key == last && order->compare != NULL)) {
            state->item_key = key;
            state->has_item_key = true;
            break;
        }
        last = key;
    }
    state->probe_key = last;
    call->spent.compares += passed < most ? passed + 1 : most;
    return passed;
}

/* The marks of the next `most` positions begin clean; fewer, if memory for them is refused. */
static void open_words(hm_order_call *call, uint32_t *most)
{
    hm_order_state *state = call->state;
    uint32_t left = HM_MARKS_PER_WORD - state->cursor % HM_MARKS_PER_WORD; /* in an open word */
    if (*most > left && !hm_order_cover(call, state->cursor + *most))
        *most = left;
    for (uint32_t at = state->cursor + left; at < state->cursor + *most; at += HM_MARKS_PER_WORD)
        state->marks[at / HM_MARKS_PER_WORD] = 0;
}

/* Passes items that fit, up to the end of a few words of marks. False when the budget ends it. */
static bool pass(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t most = PASSED_AT_ONCE - state->cursor % HM_MARKS_PER_WORD;
    if (most > call->sequence->count - state->cursor)
        most = call->sequence->count - state->cursor;
    if (call->budget.max_compares != 0 && most > call->budget.max_compares - call->spent.compares)
        most = (uint32_t)(call->budget.max_compares - call->spent.compares);
    if (most == 0)
        return false;
    open_words(call, &most);
    bool by_key = state->order.key != NULL;
    uint32_t passed = by_key ? pass_by_key(call, most) : pass_by_compare(call, most);
    state->cursor += passed;
    state->last = state->cursor;
    if (!by_key && passed < most)
        begin_outlier(state);
    return true;
}

static bool scan(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t count = call->sequence->count;
    while (state->cursor < count) {
        if (state->cursor % HM_MARKS_PER_WORD == 0 && !open_word(call))
            return true;
        if (state->misfits > state->cursor / 4 + count / 64 + FEW_MISFITS) {
            begin_lift_all(state);
            return true;
        }
        if (!state->is_last_known) {
            if (!hm_order_seek_down(call, &state->last, 0))
                return false;
            state->is_last_known = true;
        }
        bool is_neighbour = state->last != 0 && state->last == state->cursor;
        if (is_neighbour && !state->has_item_key &&
            (state->order.key == NULL || state->has_probe_key)) {
            if (!pass(call))
                return false;
            if (state->phase != HM_ORDER_SCAN)
                return true;
            if (state->cursor % HM_MARKS_PER_WORD == 0)
                continue;
        }
        if (state->cursor == count)
            break;
        bool stands_before = false;
        if (state->last != 0 && !hm_order_ask(call, state->cursor, state->last - 1, &stands_before))
            return false;
        if (!stands_before) {
            accept(state);
        } else if (state->run == 0) {
            begin_outlier(state);
            return true;
        } else {
            reject(state);
            if (state->phase != HM_ORDER_SCAN)
                return true;
        }
    }
    return begin_round(call);
}

/* changes from outside */

void hm_order_reset(hm_order_state *state)
{
    HM_CONTRACT(state != NULL, "hm_order_reset: state is NULL");
    hm_order_end_batch(state);
    state->is_arranging = false;
    state->cursor = 0;
    state->dirty_high = 0;
    state->misfits = 0;
    hm_order_begin_scan(state);
}

void hm_order_fini(hm_order_state *state)
{
    HM_CONTRACT(state != NULL, "hm_order_fini: state is NULL");
    hm_array_fini(&state->batch.scratch);
    hm_array_fini(&state->mark_array);
    memset(state, 0, sizeof *state);
}

static bool is_arranging_freely(const hm_order_state *state)
{
    return state->phase == HM_ORDER_VERIFY || state->phase == HM_ORDER_PULL;
}

void hm_order_disturb_managed(hm_order_state *state, uint32_t index, uint32_t count)
{
    HM_CONTRACT(state != NULL, "hm_order_disturb: state is NULL");
    state->has_item_key = state->has_probe_key = false;
    state->is_disturbed = true;
    if (state->phase == HM_ORDER_INSERT) {
        if (state->is_inserted)
            hm_order_reset(state); /* Memory may be there again. */
        else
            hm_order_rewind(state, index);
        return;
    }
    if (is_arranging_freely(state)) {
        hm_order_begin_verify(state);
        return;
    }
    if (state->cursor > count)
        hm_order_set_cursor(state, count);
    if (index < state->cursor)
        hm_order_set_pending(state, index);
    if (state->phase <= HM_ORDER_DROP)
        hm_order_begin_scan(state);
}

/* The lifted items are taken by the next round, which asks no more than whether a mark is clean. */
static void let_down(hm_order_state *state)
{
    state->dirty_low = 0;
    state->dirty_high = state->cursor;
    hm_order_end_batch(state);
    hm_order_begin_scan(state);
}

void hm_order_settle(hm_order_state *state, const hm_sequence *sequence)
{
    HM_CONTRACT(state != NULL && sequence != NULL, "hm_order_settle: an argument is NULL");
    hm_order_call call = {state, sequence, {0, 0}, {0, 0, false}, 0, UINT64_MAX};
    if (state->phase == HM_ORDER_PLACE)
        hm_order_place(&call);
    if (state->phase == HM_ORDER_INSERT)
        hm_order_rewind(state, state->cursor);
    else if (state->is_arranging)
        hm_order_begin_verify(state);
    else if (state->phase > HM_ORDER_DROP)
        let_down(state);
    else
        hm_order_begin_scan(state);
}

void hm_order_exchange(hm_order_state *state, uint32_t a, uint32_t b)
{
    HM_CONTRACT(state != NULL, "hm_order_exchange: state is NULL");
    if (b >= state->cursor || state->phase != HM_ORDER_SCAN)
        return;
    hm_mark mark = hm_order_mark(state, a);
    hm_order_set_mark(state, a, hm_order_mark(state, b));
    hm_order_set_mark(state, b, mark);
}

void hm_order_cut(hm_order_state *state, uint32_t count)
{
    HM_CONTRACT(state != NULL, "hm_order_cut: state is NULL");
    if (count >= state->cursor)
        return;
    if (state->phase == HM_ORDER_INSERT) {
        hm_order_rewind(state, count);
    } else if (state->phase == HM_ORDER_SCAN) {
        hm_order_set_cursor(state, count);
        if (state->dirty_high != 0) {
            state->dirty_low = 0;
            state->dirty_high = count;
        }
        hm_order_begin_scan(state);
    }
}

hm_status hm_order_trim(hm_order_state *state, uint32_t count)
{
    HM_CONTRACT(state != NULL, "hm_order_trim: state is NULL");
    if (state->mark_array.data == NULL)
        return HM_OK;
    state->mark_array.count = count / HM_MARKS_PER_WORD + 1;
    return hm_array_decommit(&state->mark_array);
}

/* the round */

static bool step(hm_order_call *call)
{
    switch (call->state->phase) { /* Coverage: there is no phase without a case. */
    case HM_ORDER_SCAN:
        return scan(call);
    case HM_ORDER_OUTLIER:
        return find_outlier(call);
    case HM_ORDER_LOOK_BACK:
        return look_back(call);
    case HM_ORDER_DROP:
        return drop(call);
    case HM_ORDER_COUNT:
        return hm_order_count(call);
    case HM_ORDER_LIFT:
        return hm_order_lift(call);
    case HM_ORDER_LIFT_ALL:
        return hm_order_lift_all(call);
    case HM_ORDER_EXTRACT:
        return hm_order_extract(call);
    case HM_ORDER_TALLY:
        return hm_order_tally(call);
    case HM_ORDER_SCATTER:
        return hm_order_scatter(call);
    case HM_ORDER_MERGE:
        return hm_order_merge_runs(call);
    case HM_ORDER_LOCATE:
        return hm_order_locate(call);
    case HM_ORDER_PLACE:
        return hm_order_place(call);
    case HM_ORDER_INSERT:
        return hm_order_insert(call);
    case HM_ORDER_VERIFY:
        return hm_order_verify(call);
    case HM_ORDER_SPREAD:
        return hm_order_spread(call);
    case HM_ORDER_NAME:
        return hm_order_name(call);
    case HM_ORDER_PULL:
        break;
    }
    return hm_order_pull(call);
}

static hm_order_call begin_call(hm_order_state *state, const hm_sequence *sequence,
                                hm_budget budget)
{
    hm_order_call call = {state, sequence, budget, {0, 0, false}, 0, UINT64_MAX};
    if (budget.max_swaps != 0 && budget.max_compares != 0)
        call.max_work = 4 * ((uint64_t)budget.max_swaps + budget.max_compares) + 4096;
    return call;
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
    if (state->is_arranging || !is_same_order(&state->order, order)) {
        hm_order_reset(state);
        state->order = *order;
    }
    hm_order_call call = begin_call(state, sequence, budget);
    while (step(&call))
        ;
    call.spent.done = state->cursor == sequence->count &&
                      (state->phase == HM_ORDER_SCAN || state->phase == HM_ORDER_INSERT);
    return call.spent;
}

hm_progress hm_order_arrange(hm_order_state *state, const hm_handle *names, uint32_t n,
                             const hm_sequence *sequence, hm_budget budget)
{
    HM_CONTRACT(state != NULL && sequence != NULL, "hm_order_arrange: an argument is NULL");
    HM_CONTRACT(names != NULL || n == 0, "hm_order_arrange: the handles are NULL");
    if (!state->is_arranging || state->names != names || state->name_count != n) {
        hm_order_reset(state);
        state->is_arranging = true;
        state->names = names;
        state->name_count = n;
        hm_order_begin_verify(state);
    }
    hm_order_call call = begin_call(state, sequence, budget);
    while (step(&call))
        ;
    call.spent.done = state->name == n && state->phase == HM_ORDER_VERIFY;
    if (call.spent.done)
        hm_order_begin_verify(state); /* The handles may be others at the next call. */
    return call.spent;
}

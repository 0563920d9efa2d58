/* order: merge sort of the batch, from the bottom up, in steps.
 *
 *     from:    left ... left_end   right ... right_end      what is left of two runs
 *     to:      ...| out ......... out + what is left |...    filled from both ends
 *
 * What fills the hole is always as much as is left, so that a compare function that lies gives a
 * wrong order, and still a permutation. Merging from both ends keeps two chains of loads going that
 * do not wait for each other (as in quadsort's parity merge, van den Hoven, 2020). */
#include "order_private.h"

#include <string.h>

static void open_pair(hm_order_state *state, uint32_t begin)
{
    hm_order_merge *merge = &state->merge;
    uint32_t size = state->batch.size;
    merge->left = merge->out = begin;
    merge->left_end = size - begin > merge->width ? begin + merge->width : size;
    merge->right = merge->left_end;
    merge->right_end = size - merge->right > merge->width ? merge->right + merge->width : size;
    merge->end = merge->right_end;
    merge->is_checked = merge->is_sorted = false;
}

void hm_order_begin_merge(hm_order_state *state)
{
    state->phase = HM_ORDER_MERGE;
    state->merge.width = 1;
    open_pair(state, 0);
}

/* Moves items of the list to the hole's beginning. */
static void emit(hm_order_state *state, uint32_t *from, uint32_t count)
{
    hm_order_batch *batch = &state->batch;
    uint32_t side = batch->side;
    memcpy(&batch->slots[!side][state->merge.out], &batch->slots[side][*from],
           count * sizeof **batch->slots);
    if (batch->keys[0] != NULL)
        memcpy(&batch->keys[!side][state->merge.out], &batch->keys[side][*from],
               count * sizeof **batch->keys);
    *from += count;
    state->merge.out += count;
}

/* One run is used up, or they are in order as they stand: no more questions. */
static bool emit_rest(hm_order_call *call)
{
    hm_order_merge *merge = &call->state->merge;
    while (merge->left < merge->left_end || merge->right < merge->right_end) {
        bool is_left = merge->left < merge->left_end;
        uint32_t *from = is_left ? &merge->left : &merge->right;
        uint32_t count = (is_left ? merge->left_end : merge->right_end) - *from;
        uint64_t allowed = call->max_work - call->work;
        if (allowed == 0)
            return false;
        if (count > allowed)
            count = (uint32_t)allowed;
        call->work += count;
        emit(call->state, from, count);
    }
    return true;
}

static bool is_void(const hm_order_call *call, uint32_t item)
{
    const hm_order_batch *batch = &call->state->batch;
    return call->state->is_disturbed &&
           !hm_order_is(call, batch->slots[batch->side][item], HM_MARK_LIFTED);
}

static const void *item_of(const hm_order_call *call, uint32_t slot)
{
    return hm_order_item(call, hm_order_position(call, slot));
}

/* Answers whether an item of the right run stands before one of the left. */
static bool ask(hm_order_call *call, uint32_t right, uint32_t left, bool *stands_before)
{
    const hm_order_batch *batch = &call->state->batch;
    const hm_order *order = &call->state->order;
    if (batch->keys[0] != NULL) {
        uint64_t right_key = batch->keys[batch->side][right];
        uint64_t left_key = batch->keys[batch->side][left];
        if (right_key != left_key || order->compare == NULL) {
            *stands_before = right_key < left_key;
            return hm_order_may_work(call);
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    const uint32_t *slots = batch->slots[batch->side];
    *stands_before = order->compare(item_of(call, slots[right]), item_of(call, slots[left]),
                                    order->context) < 0;
    return true;
}

/* Where nothing has changed since the batch was begun, all of it can be compared: steps from both
 * ends, as many as surely leave an item in each run, and without a branch on what compare says. */
static void merge_ends(hm_order_call *call)
{
    const hm_order_batch *batch = &call->state->batch;
    const hm_order *order = &call->state->order;
    const uint32_t *from = batch->slots[batch->side];
    uint32_t *to = batch->slots[!batch->side];
    hm_order_merge m = call->state->merge;
    uint32_t out_end = m.out + (m.left_end - m.left) + (m.right_end - m.right);
    uint32_t left = m.left_end - m.left, right = m.right_end - m.right;
    uint64_t steps = ((left < right ? left : right) - 1) / 2;
    if (call->budget.max_compares != 0) {
        uint64_t allowed = (call->budget.max_compares - call->spent.compares) / 2;
        if (steps > allowed)
            steps = allowed;
    }
    call->spent.compares += steps * 2;
    for (; steps > 0; steps--) {
        uint32_t a = from[m.left], b = from[m.right];
        bool low = order->compare(item_of(call, b), item_of(call, a), order->context) < 0;
        to[m.out++] = low ? b : a;
        m.right += low;
        m.left += !low;
        uint32_t c = from[m.left_end - 1], d = from[m.right_end - 1];
        bool high = order->compare(item_of(call, d), item_of(call, c), order->context) < 0;
        to[--out_end] = high ? c : d;
        m.left_end -= high;
        m.right_end -= !high;
    }
    call->state->merge = m;
}

/* Asks whether the runs stand in order as they are: sorted data costs one question a pair. */
static bool check_pair(hm_order_call *call)
{
    hm_order_merge *merge = &call->state->merge;
    bool stands_before = true;
    if (!is_void(call, merge->right) && !is_void(call, merge->left_end - 1) &&
        !ask(call, merge->right, merge->left_end - 1, &stands_before))
        return false;
    merge->is_checked = true;
    merge->is_sorted = !stands_before;
    return true;
}

/* One item more. Void ones pass wherever they come to the front: their place means nothing. */
static bool merge_item(hm_order_call *call)
{
    hm_order_merge *merge = &call->state->merge;
    bool right_first = false;
    if (is_void(call, merge->left)) {
        if (!hm_order_may_work(call))
            return false;
    } else if (is_void(call, merge->right)) {
        if (!hm_order_may_work(call))
            return false;
        right_first = true;
    } else if (!ask(call, merge->right, merge->left, &right_first)) {
        return false;
    }
    emit(call->state, right_first ? &merge->right : &merge->left, 1);
    return true;
}

static bool merge_pair(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_merge *merge = &state->merge;
    while (merge->left < merge->left_end && merge->right < merge->right_end) {
        if (!merge->is_checked && !check_pair(call))
            return false;
        if (merge->is_sorted)
            break;
        if (state->batch.keys[0] == NULL && !state->is_disturbed)
            merge_ends(call);
        if (!merge_item(call))
            return false;
    }
    return emit_rest(call);
}

bool hm_order_merge_runs(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    while (state->merge.width < batch->size) {
        if (!merge_pair(call))
            return false;
        if (state->merge.end < batch->size) {
            open_pair(state, state->merge.end);
            continue;
        }
        batch->side = !batch->side;
        state->merge.width =
            state->merge.width <= UINT32_MAX / 2 ? state->merge.width * 2 : UINT32_MAX;
        open_pair(state, 0);
    }
    hm_order_begin_locate(state);
    return true;
}

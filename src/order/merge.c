/* SPDX-License-Identifier: MIT */
/* order: merge sort of the batch, from the bottom up, in steps.
 *
 *     from:    left ... left_end   right ... right_end      the rest of two runs
 *     to:      ...| out ......... out + what is left |...    filled from both ends
 *
 * The space left in `to` is always as long as the rest, so that a compare function that lies gives
 * a wrong order, but still a permutation. Merging from both ends keeps two independent chains of
 * loads going (as in quadsort's parity merge, van den Hoven, 2020). */
#include "order_internal.h"

enum {
    ORDER_GROUP = 4,         /* items that a fixed pattern of compares puts in order */
    ORDER_GROUP_COMPARES = 5 /* in that pattern; three items need no more */
};

static void order_open_pair(hm_order_state *state, uint32_t begin)
{
    hm_order_merge *merge = &state->merge;
    uint32_t size = state->batch.count;
    merge->left = merge->out = begin;
    merge->left_end = size - begin > merge->width ? begin + merge->width : size;
    merge->right = merge->left_end;
    merge->right_end = size - merge->right > merge->width ? merge->right + merge->width : size;
    merge->end = merge->right_end;
    merge->is_checked = merge->is_sorted = false;
}

/* If compare alone decides, the first runs are groups of four. */
void hm_order_begin_merge(hm_order_state *state)
{
    state->merge.width = state->batch.keys[0] == NULL ? 0 : 1;
    state->merge.end = 0;
    if (state->merge.width != 0)
        order_open_pair(state, 0);
}

/* The copy beside an item of a list. */
static unsigned char *order_copy(const hm_order_batch *batch, uint32_t list, uint32_t item)
{
    return batch->copies[list] + batch->copy_size * item;
}

/* Moves items of the list to `out`. */
static void order_emit_items(hm_order_state *state, uint32_t *from, uint32_t count)
{
    hm_order_batch *batch = &state->batch;
    uint32_t list = batch->current, out = state->merge.out;
    for (uint32_t i = 0; i < count; i++)
        batch->items[!list][out + i] = batch->items[list][*from + i];
    if (batch->keys[0] != NULL)
        for (uint32_t i = 0; i < count; i++)
            batch->keys[!list][out + i] = batch->keys[list][*from + i];
    if (batch->copy_size != 0)
        memcpy(order_copy(batch, !list, out), order_copy(batch, list, *from),
               batch->copy_size * count);
    *from += count;
    state->merge.out = out + count;
}

/* One run is used up, or both are in order already: moves the rest without compares. */
static bool order_emit_rest(hm_order_call *call)
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
        order_emit_items(call->state, from, count);
    }
    return true;
}

static bool order_is_void(const hm_order_call *call, uint32_t item)
{
    const hm_order_batch *batch = &call->state->batch;
    return call->state->is_disturbed &&
           !hm_order_is_lifted(call->state, batch->items[batch->current][item]);
}

/* What compare is shown for an item of the list. */
static const void *order_shown(const hm_order_call *call, uint32_t item)
{
    const hm_order_batch *batch = &call->state->batch;
    if (batch->copy_size != 0)
        return order_copy(batch, batch->current, item);
    return hm_order_item(call, batch->items[batch->current][item]);
}

/* Answers whether an item of the right run comes before one of the left. */
static bool order_ask_runs(hm_order_call *call, uint32_t right, uint32_t left, bool *is_less)
{
    const hm_order_batch *batch = &call->state->batch;
    const hm_order *order = &call->state->order;
    if (batch->keys[0] != NULL) {
        uint64_t right_key = batch->keys[batch->current][right];
        uint64_t left_key = batch->keys[batch->current][left];
        if (right_key != left_key || order->compare == NULL) {
            *is_less = right_key < left_key;
            return hm_order_may_work(call);
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    *is_less =
        order->compare(order_shown(call, right), order_shown(call, left), order->context) < 0;
    return true;
}

static inline uint32_t order_choose_of(uint32_t is_b, uint32_t a, uint32_t b)
{
    return (uint32_t)hm_order_choose(is_b, a, b);
}

static inline uint32_t order_is_less(const hm_order_call *call, uint32_t a, uint32_t b)
{
    const hm_order *order = &call->state->order;
    return order->compare(hm_order_item(call, a), hm_order_item(call, b), order->context) < 0;
}

/* Orders two pairs, takes the first and the last of all four, then orders the two that are left.
 * What was taken says which two they are, and which of them came first. */
static void order_sort_four(const hm_order_call *call, uint32_t *items)
{
    uint32_t is_late = order_is_less(call, items[1], items[0]);
    uint32_t a = order_choose_of(is_late, items[0], items[1]),
             b = order_choose_of(is_late, items[1], items[0]);
    is_late = order_is_less(call, items[3], items[2]);
    uint32_t c = order_choose_of(is_late, items[2], items[3]),
             d = order_choose_of(is_late, items[3], items[2]);
    uint32_t is_c_first = order_is_less(call, c, a), is_b_last = order_is_less(call, d, b);
    items[0] = order_choose_of(is_c_first, a, c);
    items[3] = order_choose_of(is_b_last, d, b);
    uint32_t left = order_choose_of(is_c_first, order_choose_of(is_b_last, b, c), a);
    uint32_t right = order_choose_of(is_b_last, order_choose_of(is_c_first, c, b), d);
    is_late = order_is_less(call, right, left);
    items[1] = order_choose_of(is_late, left, right);
    items[2] = order_choose_of(is_late, right, left);
}

/* Sorts the last group, of at most three. Returns the number of compares. */
static uint32_t order_sort_few(const hm_order_call *call, uint32_t *items, uint32_t count)
{
    uint32_t compares = 0;
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0; j--) {
            compares++;
            if (!order_is_less(call, items[j], items[j - 1]))
                break;
            uint32_t waiting = items[j];
            items[j] = items[j - 1];
            items[j - 1] = waiting;
        }
    }
    return compares;
}

/* Makes runs of single items. Groups that are sorted already only make them easier to merge. */
static bool order_sort_none(hm_order_state *state)
{
    state->merge.width = 1;
    order_open_pair(state, 0);
    return true;
}

/* Makes the first runs, unless a change or a small budget rules out groups. */
static bool order_sort_groups(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_merge *merge = &state->merge;
    uint32_t size = state->batch.count, *items = state->batch.items[state->batch.current];
    if (state->is_disturbed || call->max_compares < ORDER_GROUP_COMPARES)
        return order_sort_none(state);
    uint32_t groups = (size - merge->end) / ORDER_GROUP;
    uint64_t allowed = (call->max_compares - call->spent.compares) / ORDER_GROUP_COMPARES;
    uint32_t most = allowed < groups ? (uint32_t)allowed : groups;
    for (uint32_t i = 0; i < most; i++, merge->end += ORDER_GROUP)
        order_sort_four(call, &items[merge->end]);
    call->spent.compares += (uint64_t)most * ORDER_GROUP_COMPARES;
    if (allowed <= groups)
        return false;
    call->spent.compares += order_sort_few(call, &items[merge->end], size - merge->end);
    merge->width = ORDER_GROUP;
    order_open_pair(state, 0);
    return true;
}

/* The same in the loops of a typed order, whose groups are larger. */
static bool order_sort_copies(hm_order_call *call)
{
    hm_order_state *state = call->state;
    const hm_order *order = &state->order;
    const hm_order_batch *batch = &state->batch;
    hm_order_merge *merge = &state->merge;
    if (state->is_disturbed || call->max_compares < HM_ORDER_GROUP_COMPARES)
        return order_sort_none(state);
    while (merge->end < batch->count) {
        if (call->max_compares - call->spent.compares < HM_ORDER_GROUP_COMPARES)
            return false;
        uint32_t left = batch->count - merge->end;
        uint32_t count = left < HM_ORDER_GROUP ? left : HM_ORDER_GROUP;
        call->spent.compares += order->loops->sort_group(
            order_copy(batch, batch->current, merge->end),
            &batch->items[batch->current][merge->end], count, order->context);
        merge->end += count;
    }
    merge->width = HM_ORDER_GROUP;
    order_open_pair(state, 0);
    return true;
}

/* Which groups it makes, if any, decides how long the first runs are. */
static bool order_make_runs(hm_order_call *call)
{
    return call->state->batch.copy_size != 0 ? order_sort_copies(call) : order_sort_groups(call);
}

/* As the loop of a typed order, but the items are compared where they are. */
static void order_merge_positions(const hm_order_call *call, hm_order_ends *ends, uint32_t steps)
{
    const uint32_t *left = ends->from + ends->left, *left_last = ends->from + ends->left_last;
    const uint32_t *right = ends->from + ends->right, *right_last = ends->from + ends->right_last;
    uint32_t *out = ends->to + ends->out, *out_last = ends->to + ends->out_last;
    for (const uint32_t *end = out + steps; out != end; out++, out_last--) {
        uint32_t is_late = order_is_less(call, *right, *left);
        *out = order_choose_of(is_late, *left, *right);
        right += is_late;
        left += 1 - is_late;
        is_late = order_is_less(call, *right_last, *left_last);
        *out_last = order_choose_of(is_late, *right_last, *left_last);
        left_last -= is_late;
        right_last -= 1 - is_late;
    }
    ends->left = (size_t)(left - ends->from);
    ends->left_last = (size_t)(left_last - ends->from);
    ends->right = (size_t)(right - ends->from);
    ends->right_last = (size_t)(right_last - ends->from);
}

/* If nothing has changed since the batch was begun, all of it can be compared. Merges from both
 * ends, as many steps as are sure to leave an item in each run. */
static void order_merge_ends(hm_order_call *call)
{
    const hm_order_batch *batch = &call->state->batch;
    hm_order_merge *merge = &call->state->merge;
    const hm_order *order = &call->state->order;
    uint32_t list = batch->current, left_count = merge->left_end - merge->left;
    uint32_t right_count = merge->right_end - merge->right;
    uint32_t steps = ((left_count < right_count ? left_count : right_count) - 1) / 2;
    uint64_t allowed = (call->max_compares - call->spent.compares) / 2;
    if (steps > allowed)
        steps = (uint32_t)allowed;
    hm_order_ends ends = {batch->items[list],  batch->copies[list],
                          batch->items[!list], batch->copies[!list],
                          merge->left,         merge->left_end - 1,
                          merge->right,        merge->right_end - 1,
                          merge->out,          merge->out + left_count + right_count - 1};
    if (batch->copy_size != 0)
        order->loops->merge_ends(&ends, steps, order->context);
    else
        order_merge_positions(call, &ends, steps);
    call->spent.compares += (uint64_t)steps * 2;
    merge->left = (uint32_t)ends.left;
    merge->left_end = (uint32_t)ends.left_last + 1;
    merge->right = (uint32_t)ends.right;
    merge->right_end = (uint32_t)ends.right_last + 1;
    merge->out += steps;
}

/* Asks whether the runs are in order as they are: sorted data costs one compare a pair. */
static bool order_check_pair(hm_order_call *call)
{
    hm_order_merge *merge = &call->state->merge;
    bool is_less = true;
    if (!order_is_void(call, merge->right) && !order_is_void(call, merge->left_end - 1) &&
        !order_ask_runs(call, merge->right, merge->left_end - 1, &is_less))
        return false;
    merge->is_checked = true;
    merge->is_sorted = !is_less;
    return true;
}

/* Merges one item. Void ones move as soon as they are first in a run: their place means nothing. */
static bool order_merge_item(hm_order_call *call)
{
    hm_order_merge *merge = &call->state->merge;
    bool right_first = false;
    if (order_is_void(call, merge->left)) {
        if (!hm_order_may_work(call))
            return false;
    } else if (order_is_void(call, merge->right)) {
        if (!hm_order_may_work(call))
            return false;
        right_first = true;
    } else if (!order_ask_runs(call, merge->right, merge->left, &right_first)) {
        return false;
    }
    order_emit_items(call->state, right_first ? &merge->right : &merge->left, 1);
    return true;
}

static bool order_merge_pair(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_merge *merge = &state->merge;
    while (merge->left < merge->left_end && merge->right < merge->right_end) {
        if (!merge->is_checked && !order_check_pair(call))
            return false;
        if (merge->is_sorted)
            break;
        if (state->batch.keys[0] == NULL && !state->is_disturbed)
            order_merge_ends(call);
        if (!order_merge_item(call))
            return false;
    }
    return order_emit_rest(call);
}

hm_order_phase hm_order_merge_runs(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    if (state->merge.width == 0 && !order_make_runs(call))
        return HM_ORDER_PAUSE;
    while (state->merge.width < batch->count) {
        if (!order_merge_pair(call))
            return HM_ORDER_PAUSE;
        if (state->merge.end < batch->count) {
            order_open_pair(state, state->merge.end);
            continue;
        }
        batch->current = !batch->current;
        if (batch->count - state->merge.width <= state->merge.width)
            break; /* All are one run, and twice its width may be above UINT32_MAX. */
        state->merge.width *= 2;
        order_open_pair(state, 0);
    }
    return HM_ORDER_LOCATE;
}

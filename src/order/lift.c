/* SPDX-License-Identifier: MIT */
/* order: lists the items that a round puts in order: the pending ones, or all. */
#include "order_internal.h"

void hm_order_begin_count(hm_order_state *state)
{
    hm_order_lift *lift = &state->lift;
    lift->begin = lift->position = state->pending_begin;
    lift->end = state->pending_end;
    state->pending_end = 0;
    state->batch.count = 0;
    state->is_disturbed = false;
}

/* Items at or above the cursor have been cut off meanwhile. */
static uint32_t order_end_lift(hm_order_state *state)
{
    if (state->lift.end > state->cursor)
        state->lift.end = state->cursor;
    return state->lift.end;
}

hm_order_phase hm_order_count(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_lift *lift = &state->lift;
    uint32_t end = order_end_lift(state);
    if (!hm_order_count_dirty(call, &lift->position, end, &state->batch.count))
        return HM_ORDER_PAUSE;
    if (state->batch.count == 0)
        return HM_ORDER_SCAN;
    bool has_lists = hm_order_begin_batch(call, state->batch.count);
    lift->position = lift->begin;
    if (has_lists)
        return HM_ORDER_LIFT;
    /* The next call counts anew: an item for which the lists had no space would be moved like one
     * that was disturbed, and lose its place among its equals. */
    state->batch.count = 0;
    return hm_order_refuse(call);
}

/* The list is complete: returns the phase that sorts it. */
static hm_order_phase order_end_list(const hm_order_state *state)
{
    bool is_bare = state->order.key == NULL && state->batch.copy_size == 0;
    return is_bare ? HM_ORDER_MERGE : HM_ORDER_EXTRACT;
}

hm_order_phase hm_order_lift_pending(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_lift *lift = &state->lift;
    uint32_t end = order_end_lift(state);
    while (lift->position < end) {
        if (!hm_order_may_work(call))
            return HM_ORDER_PAUSE;
        uint32_t word = lift->position / HM_MARKS_PER_WORD;
        uint64_t bits = hm_order_dirty_part(state, lift->position, end);
        for (; bits != 0; bits &= bits - 1) {
            lift->position = word * HM_MARKS_PER_WORD + hm_bits_lowest(bits) / 2;
            if (!hm_order_may_work(call))
                return HM_ORDER_PAUSE;
            if (state->batch.count < state->batch.capacity)
                hm_order_append(call, lift->position, lift->position);
            else
                hm_order_set_pending(state, lift->position); /* Newer than the count: it waits. */
        }
        lift->position = hm_order_next_word(lift->position, end);
    }
    return order_end_list(state);
}

void hm_order_begin_lift_all(hm_order_state *state)
{
    state->scan.misfits = 0;
    state->pending_end = 0;
    hm_order_set_cursor(state, 0);
}

/* Lifts the items of one word of marks, at most `most`. */
static uint32_t order_lift_word(hm_order_call *call, uint32_t most)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t position = state->cursor;
    uint32_t count = HM_MARKS_PER_WORD - position % HM_MARKS_PER_WORD;
    if (count > most)
        count = most;
    uint64_t *word = &state->marks[position / HM_MARKS_PER_WORD];
    if (position % HM_MARKS_PER_WORD == 0)
        *word = 0;
    uint64_t lifted = UINT64_MAX / 3 * HM_MARK_LIFTED;
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): count is from 1 to a word's. */
    lifted >>= (HM_MARKS_PER_WORD - count) * 2;
    *word |= lifted << position % HM_MARKS_PER_WORD * 2;
    for (uint32_t i = 0; i < count; i++)
        batch->items[0][batch->count + i] = position + i;
    batch->count += count;
    state->cursor += count;
    return count;
}

hm_order_phase hm_order_lift_all(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t count = call->sequence->count;
    if (state->cursor == 0) {
        state->is_disturbed = false;
        if (count == 0) /* All may have been erased since the search. */
            return HM_ORDER_SCAN;
        if (!hm_order_begin_batch(call, count))
            return hm_order_refuse(call);
    }
    uint32_t left = batch->capacity - batch->count;
    if (left > count - state->cursor)
        left = count - state->cursor;
    uint32_t taken = hm_order_take_work(call, left);
    for (uint32_t lifted = 0; lifted < taken;)
        lifted += order_lift_word(call, taken - lifted);
    return taken < left ? HM_ORDER_PAUSE : order_end_list(state);
}

/* SPDX-License-Identifier: MIT */
/* order: the keys of the batch, and sorting by their digits. Radix sort by least significant digits
 * is stable, takes two passes for each digit in which keys differ, and makes no compares. */
#include "order_internal.h"

#ifndef HM_EXHAUSTIVE
enum { ORDER_FEW_ITEMS = 64 /* fewer are merged: the tally costs more */ };
#endif

void hm_order_begin_extract(hm_order_state *state)
{
    state->batch.next = 0;
    state->digits.varying = 0;
}

/* Takes the fewest digits possible, and then the shortest. A tally longer than the list would cost
 * more than it saves. */
static void order_begin_digits(hm_order_state *state)
{
    hm_order_digits *digits = &state->digits;
    uint32_t most = hm_bits_highest(state->batch.count);
    if (most > state->batch.tally_bits)
        most = state->batch.tally_bits;
    uint32_t bits = hm_bits_highest(digits->varying | 1) + 1;
    uint32_t count = (bits + most - 1) / most;
    digits->bits = (bits + count - 1) / count;
    digits->shift = 0;
}

/* Moves on to the next bit in which keys differ. False when there is none. */
static bool order_find_digit(hm_order_digits *digits)
{
    uint64_t varying = digits->shift < 64 ? digits->varying >> digits->shift : 0;
    if (varying == 0)
        return false;
    digits->shift += hm_bits_lowest(varying);
    return true;
}

/* Computes the keys of the items in the list from `begin` to `end`. Returns how many are missing:
 * those of void ones are not computed. */
static uint32_t order_extract_by_calls(hm_order_call *call, uint32_t begin, uint32_t end)
{
    const hm_order_state *state = call->state;
    const hm_order *order = &state->order;
    const uint32_t *items = state->batch.items[0];
    uint64_t *keys = state->batch.keys[0];
    uint32_t missing = 0;
    for (uint32_t i = begin; i < end; i++) {
        bool is_void = state->is_disturbed && !hm_order_is_lifted(state, items[i]);
        keys[i] = is_void ? 0 : order->key(hm_order_item(call, items[i]), order->context);
        missing += is_void;
    }
    return missing;
}

/* The same if none is void, in the loop of a typed order: a call for each part that is evenly
 * spaced, which is all of it, if everything was lifted. */
static void order_extract_by_loop(hm_order_call *call, uint32_t begin, uint32_t end)
{
    const hm_order *order = &call->state->order;
    const uint32_t *items = call->state->batch.items[0];
    for (uint32_t run; begin < end; begin += run) {
        size_t stride;
        run = hm_sequence_run(call->sequence, items[begin], &stride);
        if (run > end - begin)
            run = end - begin;
        if (items[begin + run - 1] - items[begin] != run - 1) /* They ascend. */
            run = 1;
        order->loops->extract(&call->state->batch.keys[0][begin], hm_order_item(call, items[begin]),
                              stride, run, order->context);
    }
}

static hm_order_phase order_extract_keys(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t begin = batch->next, left = batch->count - begin;
    uint32_t taken = hm_order_take_compares(call, left);
    batch->next += taken;
    if (state->order.loops != NULL && !state->is_disturbed)
        order_extract_by_loop(call, begin, batch->next);
    else
        call->spent.compares -= order_extract_by_calls(call, begin, batch->next);
    uint64_t varying = state->digits.varying;
    for (uint32_t i = begin; i < batch->next; i++)
        varying |= batch->keys[0][i] ^ batch->keys[0][0];
    state->digits.varying = varying;
    if (taken < left)
        return HM_ORDER_PAUSE;
    batch->next = 0;
    if (batch->count < ORDER_FEW_ITEMS)
        return HM_ORDER_MERGE;
    order_begin_digits(state);
    return HM_ORDER_TALLY;
}

/* Void items are not copied: nothing may be there any more. */
static hm_order_phase order_copy_items(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t left = batch->count - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    unsigned char *copy = batch->copies[0] + batch->copy_size * batch->next;
    for (uint32_t i = 0; i < taken; i++, copy += batch->copy_size) {
        uint32_t position = batch->items[0][batch->next + i];
        if (!state->is_disturbed || hm_order_is_lifted(state, position))
            memcpy(copy, hm_order_item(call, position), batch->copy_size);
    }
    batch->next += taken;
    return taken < left ? HM_ORDER_PAUSE : HM_ORDER_MERGE;
}

hm_order_phase hm_order_extract(hm_order_call *call)
{
    bool is_keyed = call->state->order.key != NULL;
    return is_keyed ? order_extract_keys(call) : order_copy_items(call);
}

/* Counts the digits, so that the tally says where the items with each digit begin. */
hm_order_phase hm_order_tally(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    if (batch->next == 0 && !order_find_digit(&state->digits))
        return state->order.compare != NULL ? HM_ORDER_MERGE : HM_ORDER_LOCATE;
    uint32_t mask = (1U << state->digits.bits) - 1;
    if (batch->next == 0) {
        if (call->max_work - call->work <= mask)
            return HM_ORDER_PAUSE;
        call->work += mask + 1;
        memset(batch->tally, 0, sizeof *batch->tally * (mask + 1));
    }
    uint32_t left = batch->count - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    const uint64_t *keys = batch->keys[batch->current] + batch->next;
    uint32_t *tally = batch->tally, shift = state->digits.shift;
    for (uint32_t i = 0; i < taken; i++)
        tally[keys[i] >> shift & mask]++;
    batch->next += taken;
    if (taken < left)
        return HM_ORDER_PAUSE;
    uint32_t begin = 0;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t items = tally[i];
        tally[i] = begin;
        begin += items;
    }
    batch->next = 0;
    return HM_ORDER_SCATTER;
}

hm_order_phase hm_order_scatter(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t left = batch->count - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    const uint64_t *keys = batch->keys[batch->current] + batch->next;
    const uint32_t *items = batch->items[batch->current] + batch->next;
    uint64_t *to_keys = batch->keys[!batch->current];
    uint32_t *to_items = batch->items[!batch->current];
    uint32_t *tally = batch->tally, shift = state->digits.shift;
    uint32_t mask = (1U << state->digits.bits) - 1;
    for (uint32_t i = 0; i < taken; i++) {
        uint32_t place = tally[keys[i] >> shift & mask]++;
        to_keys[place] = keys[i];
        to_items[place] = items[i];
    }
    batch->next += taken;
    if (taken < left)
        return HM_ORDER_PAUSE;
    batch->current = !batch->current;
    state->digits.shift += state->digits.bits;
    batch->next = 0;
    return HM_ORDER_TALLY;
}

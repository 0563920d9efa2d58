/* order: where the sorted batch belongs, and the way there. */
#include "order_private.h"

/* locate: for each item of the batch the position before which it belongs, among the clean items as
 * they stand. Nothing of ours moves meanwhile, and what others change only takes clean items away,
 * so that a gap once found stays one. The gaps ascend. */

static uint32_t *gaps(hm_order_state *state)
{
    return state->batch.slots[!state->batch.side];
}

static uint32_t lifted_slot(const hm_order_state *state)
{
    return state->batch.slots[state->batch.side][state->batch.next];
}

/* Turns to the next item; its gap is not before the last one's. */
static void open_search(hm_order_state *state)
{
    hm_order_batch *batch = &state->batch;
    state->low = batch->next > 0 ? gaps(state)[batch->next - 1] : 0;
    state->high = state->cursor;
    state->step = 1;
    state->probe = 0;
    state->has_item_key = state->has_probe_key = false;
}

void hm_order_begin_locate(hm_order_state *state)
{
    state->phase = HM_ORDER_LOCATE;
    state->batch.next = 0;
    open_search(state);
}

/* Asks whether the clean item at `probe` stands before the lifted one: by the order, and where that
 * leaves it open, by where they stand. */
static bool precedes(hm_order_call *call, uint32_t probe, uint32_t slot, bool *answer)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t lifted = hm_order_position(call, slot);
    bool is_first = probe < lifted;
    if (state->order.key != NULL) {
        state->item_key = batch->keys[batch->side][batch->next];
        state->has_item_key = true;
        if (!state->has_probe_key) {
            if (!hm_order_may_compare(call))
                return false;
            state->probe_key =
                state->order.key(hm_order_item(call, probe), state->order.context);
            state->has_probe_key = true;
        }
        if (state->item_key != state->probe_key || state->order.compare == NULL) {
            *answer = state->probe_key < state->item_key ||
                      (state->probe_key == state->item_key && is_first);
            return true;
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    const void *a = hm_order_item(call, is_first ? lifted : probe);
    const void *b = hm_order_item(call, is_first ? probe : lifted);
    bool stands_before = state->order.compare(a, b, state->order.context) < 0;
    *answer = stands_before != is_first;
    return true;
}

/* One probe of a gallop upward, then of a binary search. */
static bool narrow(hm_order_call *call, uint32_t slot)
{
    hm_order_state *state = call->state;
    uint32_t room = state->high - state->low;
    uint32_t reach = state->step != 0 ? state->step : room / 2 + 1;
    uint32_t end = reach < room ? state->low + reach : state->high;
    if (state->probe == 0 || state->probe > end)
        state->probe = end;
    if (!hm_order_seek_down(call, &state->probe, state->low))
        return false;
    bool before = true; /* if there is no clean item to ask */
    if (state->probe > state->low && !precedes(call, state->probe - 1, slot, &before))
        return false;
    if (before) {
        state->low = end;
        state->step = state->step <= UINT32_MAX / 2 ? state->step * 2 : UINT32_MAX;
    } else {
        state->high = state->probe - 1;
        state->step = 0;
    }
    state->probe = 0;
    state->has_probe_key = false;
    return true;
}

bool hm_order_locate(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    for (; batch->next < batch->size; batch->next++, open_search(state)) {
        uint32_t slot = lifted_slot(state);
        if (!hm_order_may_work(call))
            return false;
        if (state->high > state->cursor)
            state->high = state->cursor;
        if (hm_order_is(call, slot, HM_MARK_LIFTED))
            while (state->low < state->high)
                if (!narrow(call, slot))
                    return false;
        gaps(state)[batch->next] = state->low;
    }
    hm_order_begin_place(state, 0);
    return true;
}

/* place: below `at` all is as it will be. From there on, what belongs to the next position is
 *
 *     the next lifted item      wherever it stands
 *     the next queued one       the first that gave way; it stands where another was taken from
 *     the next clean one        at `clean`, the first from there on that did not give way
 *
 * in this order of the gaps, origins and positions. Pending items stay where they stand, and the
 * others go round them. There are as many positions left as items, so that no more are queued than
 * lifted ones have come down. */

void hm_order_begin_place(hm_order_state *state, uint32_t at)
{
    state->phase = HM_ORDER_PLACE;
    state->batch.next = 0;
    state->at = state->clean = at;
}

static void push(hm_order_batch *batch, uint32_t slot, uint32_t origin)
{
    uint32_t to_end = batch->room - batch->queue_head;
    uint32_t tail = batch->queue_size < to_end ? batch->queue_head + batch->queue_size
                                               : batch->queue_size - to_end;
    batch->queue[tail] = slot;
    batch->origins[tail] = origin;
    batch->queue_size++;
}

static void pop(hm_order_batch *batch)
{
    batch->queue_size--;
    batch->queue_head = batch->queue_head + 1 < batch->room ? batch->queue_head + 1 : 0;
}

/* Passes the lifted and the queued items that are gone. */
static bool skip_void(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    for (; batch->next < batch->size; batch->next++) {
        if (hm_order_is(call, lifted_slot(state), HM_MARK_LIFTED))
            break;
        if (!hm_order_may_work(call))
            return false;
    }
    for (; batch->queue_size > 0; pop(batch)) {
        if (hm_order_is(call, batch->queue[batch->queue_head], HM_MARK_QUEUED))
            break;
        if (!hm_order_may_work(call))
            return false;
    }
    return true;
}

/* Brings the item at `from` to `at`, where it belongs; what stood there takes its place. */
static bool bring(hm_order_call *call, uint32_t from)
{
    hm_order_state *state = call->state;
    uint32_t at = state->at;
    if (from != at) {
        if (!hm_order_may_swap(call))
            return false;
        hm_mark mark = hm_order_mark(state, at);
        if (hm_order_mark(state, from) == HM_MARK_QUEUED)
            pop(&state->batch); /* Makes room for the next. */
        if (mark == HM_MARK_CLEAN) {
            push(&state->batch, call->sequence->slots[at], at);
            mark = HM_MARK_QUEUED;
        }
        hm_order_set_mark(state, from, mark);
        call->sequence->swap(call->sequence->owner, at, from);
    } else if (hm_order_mark(state, at) == HM_MARK_QUEUED) {
        pop(&state->batch);
    }
    hm_order_set_mark(state, at, HM_MARK_CLEAN);
    state->at++;
    return true;
}

/* The next position gets its item. */
static bool fill(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    bool is_queued = batch->queue_size > 0;
    uint32_t clean = is_queued ? batch->origins[batch->queue_head] : state->clean;
    bool is_lifted = batch->next < batch->size &&
                     (clean >= state->cursor || gaps(state)[batch->next] <= clean);
    if (is_lifted) {
        if (!bring(call, hm_order_position(call, lifted_slot(state))))
            return false;
        batch->next++;
        return true;
    }
    return bring(call, is_queued ? hm_order_position(call, batch->queue[batch->queue_head]) : clean);
}

/* Passes clean items that stay, up to the next that has to go somewhere. */
static bool skip_clean(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t end = state->cursor;
    if (batch->next < batch->size && gaps(state)[batch->next] < end)
        end = gaps(state)[batch->next];
    if (end < state->at)
        end = state->at;
    return hm_order_seek(call, &state->at, end, false);
}

static void end_place(hm_order_state *state)
{
    hm_order_end_batch(state);
    if (state->is_arranging)
        hm_order_begin_verify(state);
    else
        hm_order_begin_scan(state);
}

bool hm_order_place(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    for (;;) {
        if (!hm_order_may_work(call) || !skip_void(call))
            return false;
        if (batch->queue_size == 0) {
            if (batch->next == batch->size)
                break;
            if (!skip_clean(call))
                return false;
            if (state->clean < state->at)
                state->clean = state->at;
            if (!hm_order_seek(call, &state->clean, state->cursor, true))
                return false;
        }
        if (state->at >= state->cursor)
            break;
        if (hm_order_mark(state, state->at) == HM_MARK_PENDING)
            state->at++;
        else if (!fill(call))
            return false;
    }
    end_place(state);
    return true;
}

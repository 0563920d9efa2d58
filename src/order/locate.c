/* SPDX-License-Identifier: MIT */
/* order: where the sorted batch belongs, and the way there. */
#include "order_private.h"

/* locate: for each item of the batch the position before which it belongs, among the clean items as
 * they stand. Nothing of ours moves meanwhile, and what others change only takes clean items away,
 * so that a gap once found stays one. The gaps ascend. */

static uint32_t *gaps(hm_order_state *state)
{
    return state->batch.items[!state->batch.side];
}

/* The search for the next item's gap begins where the last one's is. Its first step is half of what
 * is left for each item, which costs least where gaps lie anywhere. */
static void begin_gallop(hm_order_state *state)
{
    uint32_t items = state->batch.size - state->batch.next;
    state->high = state->cursor;
    state->step = items != 0 ? (state->cursor - state->low) / items / 2 + 1 : 1;
    state->probe = 0;
}

void hm_order_begin_locate(hm_order_state *state)
{
    state->phase = HM_ORDER_LOCATE;
    state->batch.next = 0;
    state->low = 0;
    begin_gallop(state);
    state->has_item_key = state->has_probe_key = false;
}

/* Asks whether the clean item at `probe` stands before the lifted one: by the order, and where that
 * leaves it open, by where they stand. */
static bool precedes(hm_order_call *call, uint32_t probe, uint32_t lifted, bool *answer)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    bool is_first = probe < lifted;
    if (state->order.key != NULL) {
        uint64_t lifted_key = batch->keys[batch->side][batch->next];
        if (!state->has_probe_key) {
            if (!hm_order_may_compare(call))
                return false;
            state->probe_key = state->order.key(hm_order_item(call, probe), state->order.context);
            state->has_probe_key = true;
        }
        if (lifted_key != state->probe_key || state->order.compare == NULL) {
            *answer = state->probe_key < lifted_key || (state->probe_key == lifted_key && is_first);
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
static bool narrow(hm_order_call *call, uint32_t lifted)
{
    hm_order_state *state = call->state;
    uint32_t room = state->high - state->low;
    uint32_t reach = state->step != 0 ? state->step : room / 2 + 1;
    uint32_t end = reach < room ? state->low + reach : state->high;
    if (state->probe == 0 || state->probe > end)
        state->probe = end;
    /* Mostly it is clean, and the compare that follows is work enough. */
    bool is_found = hm_order_mark(state, state->probe - 1) == HM_MARK_CLEAN;
    if (!is_found && !hm_order_seek_down(call, &state->probe, state->low))
        return false;
    bool before = true; /* if there is no clean item to ask */
    if (state->probe > state->low && !precedes(call, state->probe - 1, lifted, &before))
        return false;
    if (before) {
        state->low = end;
        state->step *= 2; /* After 2^31 it wraps to 0: halving does as well. */
    } else {
        state->high = state->probe - 1;
        state->step = 0;
    }
    state->probe = 0;
    state->has_probe_key = false;
    return true;
}

/* No clean item is left that the rest of the list could belong before: true of all, if everything
 * was taken out. */
static bool locate_at_end(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t left = batch->size - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    uint32_t *items = batch->items[batch->side] + batch->next, *to = gaps(state) + batch->next;
    for (uint32_t i = 0; i < taken; i++) {
        items[i] = call->sequence->slots[items[i]];
        to[i] = state->low;
    }
    batch->next += taken;
    return taken == left;
}

bool hm_order_locate(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    if (state->high > state->cursor)
        state->high = state->cursor;
    while (batch->next < batch->size) {
        uint32_t *lifted = &batch->items[batch->side][batch->next];
        if (state->low == state->cursor && !state->is_disturbed) {
            if (!locate_at_end(call))
                return false;
            break;
        }
        if (!hm_order_may_work(call))
            return false;
        bool is_lifted = hm_order_is_lifted(state, *lifted);
        while (is_lifted && state->low < state->high)
            if (!narrow(call, *lifted))
                return false;
        gaps(state)[batch->next] = state->low;
        /* From here on it may move. */
        *lifted = is_lifted ? call->sequence->slots[*lifted] : HM_INVALID_INDEX;
        batch->next++;
        begin_gallop(state);
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

/* Passes lifted items that are gone; `from` is where the next one stands, or HM_INVALID_INDEX. */
static bool find_lifted(hm_order_call *call, uint32_t *from)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const uint32_t *slots = batch->items[batch->side];
    for (; batch->next < batch->size; batch->next++) {
        *from = hm_order_position(call, slots[batch->next]);
        if (hm_order_is_lifted(state, *from))
            return true;
        if (!hm_order_may_work(call))
            return false;
    }
    *from = HM_INVALID_INDEX;
    return true;
}

/* Finds the next item that is clean or queued: where it stands, and where it stood. That may be at
 * or behind the cursor, where none is. With nobody queued, clean items that stay are passed. */
static bool find_clean(hm_order_call *call, uint32_t gap, uint32_t *from, uint32_t *origin)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    for (; batch->queue_size > 0; pop(batch)) {
        uint32_t slot = batch->queue[batch->queue_head];
        *origin = batch->origins[batch->queue_head];
        *from = hm_order_position(call, slot);
        if (hm_order_is(call, slot, HM_MARK_QUEUED))
            return true;
        if (!hm_order_may_work(call))
            return false;
    }
    uint32_t end = gap < state->cursor ? gap : state->cursor;
    if (state->at < end && hm_order_mark(state, state->at) == HM_MARK_CLEAN &&
        !hm_order_seek(call, &state->at, end, false))
        return false;
    if (state->clean < state->at)
        state->clean = state->at;
    *from = *origin = state->clean;
    if (state->clean < state->cursor && hm_order_mark(state, state->clean) != HM_MARK_CLEAN) {
        if (!hm_order_seek(call, &state->clean, state->cursor, true))
            return false;
        *from = *origin = state->clean;
    }
    return true;
}

/* Brings the item at `from` to `at`, where it belongs; what stood there takes its place. */
static bool bring(hm_order_call *call, uint32_t from)
{
    hm_order_state *state = call->state;
    uint32_t at = state->at;
    hm_mark mark = hm_order_mark(state, at), from_mark = hm_order_mark(state, from);
    if (from != at && !hm_order_may_swap(call))
        return false;
    if (from_mark == HM_MARK_QUEUED)
        pop(&state->batch); /* Makes room for the next. */
    if (from != at) {
        if (mark == HM_MARK_CLEAN) {
            push(&state->batch, call->sequence->slots[at], at);
            mark = HM_MARK_QUEUED;
        }
        /* In a shuffled list it is the same mark. A store that waits for the address would make the
         * loads of the next step wait too. */
        if (mark != from_mark)
            hm_order_set_mark(state, from, mark);
        hm_order_swap(call->sequence, at, from);
    }
    hm_order_set_mark(state, at, HM_MARK_CLEAN);
    state->at++;
    return true;
}

/* As many of the swaps wanted as the budget allows. */
static uint32_t allow_swaps(const hm_order_call *call, uint32_t wanted)
{
    if (call->budget.max_swaps == 0)
        return wanted;
    uint64_t left = call->budget.max_swaps - call->spent.swaps;
    return wanted < left ? wanted : (uint32_t)left;
}

/* Exchanges the item at `home` with `count` others, one after the other, from `at` on up or down:
 * each comes to stand one position further on, and the last of them at `home`. */
static void shift(const hm_sequence *sequence, uint32_t home, uint32_t at, uint32_t count,
                  bool is_up)
{
    unsigned char *waiting = sequence->items + sequence->item_size * home;
    uint32_t slot = sequence->slots[home];
    for (; count > 0; count--, at = is_up ? at + 1 : at - 1) {
        uint32_t next = sequence->slots[at];
        hm_order_set_position(sequence, slot, at);
        hm_order_exchange_bytes(sequence->items + sequence->item_size * at, waiting,
                                sequence->item_size);
        if (sequence->swapped != NULL) {
            hm_order_set_position(sequence, next, home);
            sequence->swapped(sequence->owner, at, home);
        }
        slot = next;
    }
    hm_order_set_position(sequence, slot, home);
}

/* While clean items stand from `at` on, each gives way to the first that did, if that one's origin
 * is before the next gap, and waits where it stood: the marks and the length of the queue stay as
 * they are. False when the budget allows no more. */
static bool shift_clean(hm_order_call *call, uint32_t gap)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const hm_sequence *sequence = call->sequence;
    uint32_t begin = state->at, stop = begin;
    uint32_t most = gap - batch->origins[batch->queue_head]; /* since origins ascend */
    if (most > state->cursor - begin)
        most = state->cursor - begin;
    most = allow_swaps(call, most);
    if (most == 0)
        return false;
    bool has_work = hm_order_seek(call, &stop, begin + most, false);
    if (batch->queue_size == 1 && stop > begin) {
        uint32_t home = hm_handle_index(sequence->entries[batch->queue[batch->queue_head]]);
        uint32_t limit = begin < gap ? gap + 1 : begin + 1;
        if (stop > limit)
            stop = limit;
        shift(sequence, home, begin, stop - begin, true);
        batch->queue[batch->queue_head] = sequence->slots[home];
        batch->origins[batch->queue_head] = stop - 1;
        state->at = stop;
    }
    for (; state->at < stop && batch->origins[batch->queue_head] < gap; state->at++) {
        uint32_t from = hm_handle_index(sequence->entries[batch->queue[batch->queue_head]]);
        pop(batch);
        push(batch, sequence->slots[state->at], state->at);
        hm_order_swap(sequence, state->at, from);
    }
    call->spent.swaps += state->at - begin;
    return has_work;
}

/* While lifted items that belong further up stand from `at` to `clean`, each clean one that follows
 * them comes down past them all. */
static bool pull_clean(hm_order_call *call, uint32_t gap)
{
    hm_order_state *state = call->state;
    uint32_t at = state->at, clean = state->clean, stop = clean;
    uint32_t most = allow_swaps(call, (gap < state->cursor ? gap : state->cursor) - clean);
    if (most == 0)
        return false;
    for (uint32_t i = at; i < clean && i - at < most; i++)
        if (hm_order_mark(state, i) != HM_MARK_LIFTED)
            most = i - at; /* A pending one stays. */
    bool has_work = hm_order_seek(call, &stop, clean + most, false);
    uint32_t count = stop - clean;
    if (clean - at == 1) {
        shift(call->sequence, at, stop - 1, count, false);
    } else {
        for (uint32_t i = 0; i < count; i++)
            hm_order_swap(call->sequence, at + i, clean + i);
    }
    hm_order_set_marks(state, at, at + count, HM_MARK_CLEAN);
    hm_order_set_marks(state, at + count < clean ? clean : at + count, stop, HM_MARK_LIFTED);
    state->at += count;
    state->clean = stop;
    call->spent.swaps += count;
    return has_work;
}

/* Items of a shuffled list stand all over the memory; asking for them early hides half of that.
 * There are no fewer positions left from `at` on than items in the list. */
static void look_ahead(const hm_order_call *call, const uint32_t *slots, uint32_t left, uint32_t at)
{
    enum { ENTRY = 32, ITEM = 16 }; /* items ahead */
    const hm_sequence *sequence = call->sequence;
    if (left <= ENTRY)
        return;
    uint32_t position = hm_order_position(call, slots[ITEM]);
    HM_PREFETCH(&sequence->entries[slots[ENTRY]]);
    HM_PREFETCH(&sequence->entries[sequence->slots[at + ITEM]]);
    HM_PREFETCH(hm_order_item(call, position));
    HM_PREFETCH(&sequence->slots[position]);
}

/* Where nothing is clean any more and nothing was disturbed, all that is left is lifted. */
static bool bring_rest(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const uint32_t *slots = batch->items[batch->side] + batch->next;
    uint32_t left = batch->size - batch->next, begin = state->at, at = begin;
    for (; left > 0; left--, at++, slots++) {
        uint32_t from = hm_order_position(call, *slots);
        if (from == at)
            continue;
        if (!hm_order_may_swap(call))
            break;
        look_ahead(call, slots, left, at);
        hm_order_swap(call->sequence, at, from);
    }
    hm_order_set_marks(state, begin, at, HM_MARK_CLEAN);
    batch->next = batch->size - left;
    state->at = at;
    return left == 0;
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
        uint32_t lifted, clean, origin;
        if (!hm_order_may_work(call) || !find_lifted(call, &lifted))
            return false;
        bool is_lifted = lifted != HM_INVALID_INDEX;
        uint32_t gap = is_lifted ? gaps(state)[batch->next] : state->cursor;
        if (!is_lifted && batch->queue_size == 0)
            break;
        if (!find_clean(call, gap, &clean, &origin))
            return false;
        if (state->at >= state->cursor)
            break;
        hm_mark mark = hm_order_mark(state, state->at);
        if (mark == HM_MARK_PENDING) {
            state->at++;
        } else if (batch->queue_size > 0 && mark == HM_MARK_CLEAN && origin < gap &&
                   !state->is_disturbed) {
            if (!shift_clean(call, gap))
                return false;
        } else if (batch->queue_size == 0 && mark == HM_MARK_LIFTED && clean < gap &&
                   clean < state->cursor) {
            if (!pull_clean(call, gap))
                return false;
        } else if (batch->queue_size == 0 && mark == HM_MARK_LIFTED && clean >= state->cursor &&
                   !state->is_disturbed) {
            if (!bring_rest(call))
                return false;
        } else {
            is_lifted = is_lifted && (gap <= origin || origin >= state->cursor);
            if (!bring(call, is_lifted ? lifted : clean))
                return false;
            batch->next += is_lifted;
        }
    }
    end_place(state);
    return true;
}

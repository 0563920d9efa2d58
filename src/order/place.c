/* SPDX-License-Identifier: MIT */
/* order: moves items to their positions. Below `target` all is final. The item that belongs at the
 * next position is
 *
 *     the next lifted item      wherever it is
 *     the next queued one       the first that gave way; it is where another was taken from
 *     the next clean one        at `clean`, the first that has not given way
 *
 * whichever comes first, by gap, origin and position. Pending items stay where they are, and the
 * others skip their positions. As many positions are left as items, so no more items are queued
 * than lifted ones have been placed. A lifted item that no other crosses moves without the queue.
 */
#include "order_internal.h"

enum { ORDER_ROTATED_MOST = 256 /* positions whose marks are read before an item moves */ };

/* An arrangement has passed the items that are in their named order already. */
void hm_order_begin_place(hm_order_state *state)
{
    hm_order_place *place = &state->place;
    state->batch.next = 0;
    place->target = place->clean = state->is_arranging ? state->arrangement.target : 0;
    place->queue_head = place->queue_count = 0;
}

/* Whether a slot's item is still queued. */
static bool order_is_queued(const hm_order_call *call, uint32_t slot)
{
    uint32_t position = hm_order_position(call, slot);
    return position < call->state->cursor && hm_order_mark(call->state, position) == HM_MARK_QUEUED;
}

static void order_queue_push(hm_order_state *state, uint32_t slot, uint32_t origin)
{
    hm_order_place *place = &state->place;
    uint32_t to_end = state->batch.capacity - place->queue_head;
    uint32_t tail = place->queue_count < to_end ? place->queue_head + place->queue_count
                                                : place->queue_count - to_end;
    state->batch.queue[tail] = slot;
    state->batch.origins[tail] = origin;
    place->queue_count++;
}

static void order_queue_pop(hm_order_state *state)
{
    hm_order_place *place = &state->place;
    place->queue_count--;
    place->queue_head = place->queue_head + 1 < state->batch.capacity ? place->queue_head + 1 : 0;
}

/* Skips lifted items that are gone; `from` is the position of the next one, or HM_INVALID_INDEX. */
static bool order_find_lifted(hm_order_call *call, uint32_t *from)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const uint32_t *slots = batch->items[batch->current];
    for (; batch->next < batch->count; batch->next++) {
        *from = hm_order_position(call, slots[batch->next]);
        if (hm_order_is_lifted(state, *from))
            return true;
        if (!hm_order_may_work(call))
            return false;
    }
    *from = HM_INVALID_INDEX;
    return true;
}

/* If none is queued, clean items stay in place up to the gap. */
static bool order_pass_clean(hm_order_call *call, uint32_t gap)
{
    hm_order_state *state = call->state;
    hm_order_place *place = &state->place;
    uint32_t end = gap < state->cursor ? gap : state->cursor;
    if (place->target >= end || hm_order_mark(state, place->target) != HM_MARK_CLEAN)
        return true;
    return hm_order_seek(call, &place->target, end, false);
}

/* Finds the position and origin of the next item that is clean or queued, at or behind the cursor
 * if there is none. */
static bool order_find_clean(hm_order_call *call, uint32_t *from, uint32_t *origin)
{
    hm_order_state *state = call->state;
    hm_order_place *place = &state->place;
    for (; place->queue_count > 0; order_queue_pop(state)) {
        uint32_t slot = state->batch.queue[place->queue_head];
        *origin = state->batch.origins[place->queue_head];
        *from = hm_order_position(call, slot);
        if (order_is_queued(call, slot))
            return true;
        if (!hm_order_may_work(call))
            return false;
    }
    if (place->clean < place->target)
        place->clean = place->target;
    *from = *origin = place->clean;
    if (place->clean < state->cursor && hm_order_mark(state, place->clean) != HM_MARK_CLEAN) {
        if (!hm_order_seek(call, &place->clean, state->cursor, true))
            return false;
        *from = *origin = place->clean;
    }
    return true;
}

/* Swaps the item at `from` with the one at the target, where it belongs. */
static bool order_bring_item(hm_order_call *call, uint32_t from)
{
    hm_order_state *state = call->state;
    uint32_t target = state->place.target;
    hm_mark mark = hm_order_mark(state, target), from_mark = hm_order_mark(state, from);
    if (from != target && !hm_order_may_swap(call))
        return false;
    if (from_mark == HM_MARK_QUEUED)
        order_queue_pop(state); /* The ring may be full. */
    if (from != target) {
        if (mark == HM_MARK_CLEAN) {
            order_queue_push(state, hm_sequence_slot(call->sequence, target), target);
            mark = HM_MARK_QUEUED;
        }
        /* In a shuffled list the marks are the same. A store that waits for its address would make
         * the loads of the next step wait too. */
        if (mark != from_mark)
            hm_order_set_mark(state, from, mark);
        hm_order_swap(call->sequence, target, from);
    }
    hm_order_set_mark(state, target, HM_MARK_CLEAN);
    state->place.target++;
    return true;
}

/* Returns how many of the wanted swaps the budget allows. */
static uint32_t order_allow_swaps(const hm_order_call *call, uint32_t wanted)
{
    uint64_t left = call->max_swaps - call->spent.swaps;
    return wanted < left ? wanted : (uint32_t)left;
}

/* order_shift_items for items of a constant size, which wait in registers. */
static inline void order_shift_words(const hm_sequence *sequence, uint32_t via, uint32_t at,
                                     uint32_t count, bool is_up, size_t size)
{
    const hm_links *links = &sequence->links;
    uint64_t waiting[2], next[2];
    uint32_t slot = hm_links_slot(links, via);
    memcpy(waiting, hm_sequence_item(sequence, via), size);
    for (; count > 0; count--, at = is_up ? at + 1 : at - 1) {
        unsigned char *item = hm_sequence_item(sequence, at);
        uint32_t next_slot = hm_links_slot(links, at);
        hm_links_connect(links, slot, at);
        memcpy(next, item, size);
        memcpy(item, waiting, size);
        memcpy(waiting, next, size);
        slot = next_slot;
    }
    memcpy(hm_sequence_item(sequence, via), waiting, size);
    hm_links_connect(links, slot, via);
}

/* Exchanges the item at `via` with `count` others, one after the other, from `at` up or down: each
 * moves on by one position, the last of them to `via`. */
static void order_shift_items(const hm_sequence *given, uint32_t via, uint32_t at, uint32_t count,
                              bool is_up)
{
    if (count == 0)
        return;
    const hm_sequence sequence = *given; /* a copy, which no store to an item can change */
    if (sequence.swapped != NULL) {
        for (; count > 0; count--, at = is_up ? at + 1 : at - 1)
            hm_order_swap(&sequence, at, via);
        return;
    }
    const hm_links *links = &sequence.links;
    if (sequence.moved_size == 8) {
        order_shift_words(&sequence, via, at, count, is_up, 8);
        return;
    }
    if (sequence.moved_size == 16) {
        order_shift_words(&sequence, via, at, count, is_up, 16);
        return;
    }
    unsigned char *waiting = hm_sequence_item(&sequence, via);
    uint32_t slot = hm_links_slot(links, via);
    for (; count > 0; count--, at = is_up ? at + 1 : at - 1) {
        uint32_t next = hm_links_slot(links, at);
        hm_links_connect(links, slot, at);
        hm_order_exchange_bytes(hm_sequence_item(&sequence, at), waiting, sequence.moved_size);
        slot = next;
    }
    hm_links_connect(links, slot, via);
}

/* For a run of clean items from the target on: each gives way to the first in the queue, if that
 * one's origin is before the next gap, and waits where that one was, so the marks and the length of
 * the queue stay the same. False when the budget allows no more. */
static bool order_shift_clean(hm_order_call *call, uint32_t gap)
{
    hm_order_state *state = call->state;
    hm_order_place *place = &state->place;
    uint32_t *queue = state->batch.queue, *origins = state->batch.origins;
    const hm_sequence *sequence = call->sequence;
    uint32_t begin = place->target, stop = begin;
    uint32_t most = gap - origins[place->queue_head]; /* since origins ascend */
    if (most > state->cursor - begin)
        most = state->cursor - begin;
    most = order_allow_swaps(call, most);
    if (most == 0)
        return false;
    bool has_work = hm_order_seek(call, &stop, begin + most, false);
    if (place->queue_count == 1 && stop > begin) {
        uint32_t via = hm_sequence_position(sequence, queue[place->queue_head]);
        uint32_t limit = begin < gap ? gap + 1 : begin + 1;
        if (stop > limit)
            stop = limit;
        order_shift_items(sequence, via, begin, stop - begin, true);
        queue[place->queue_head] = hm_sequence_slot(sequence, via);
        origins[place->queue_head] = stop - 1;
        place->target = stop;
    }
    for (; place->target < stop && origins[place->queue_head] < gap; place->target++) {
        uint32_t from = hm_sequence_position(sequence, queue[place->queue_head]);
        order_queue_pop(state);
        order_queue_push(state, hm_sequence_slot(sequence, place->target), place->target);
        hm_order_swap(sequence, place->target, from);
    }
    call->spent.swaps += place->target - begin;
    return has_work;
}

/* For lifted items from the target to `clean` that belong further up: each clean item that follows
 * them comes down past them all. */
static bool order_pull_clean(hm_order_call *call, uint32_t gap)
{
    hm_order_state *state = call->state;
    hm_order_place *place = &state->place;
    uint32_t at = place->target, clean = place->clean, stop = clean;
    uint32_t most = order_allow_swaps(call, (gap < state->cursor ? gap : state->cursor) - clean);
    if (most == 0)
        return false;
    bool has_work = hm_order_seek(call, &stop, clean + most, false);
    uint32_t count = stop - clean;
    /* No more marks are read than items move: a long row of lifted items is passed many times. */
    for (uint32_t i = 1; i < count && at + i < clean; i++)
        if (hm_order_mark(state, at + i) != HM_MARK_LIFTED)
            count = i; /* A pending item stays in place. */
    stop = clean + count;
    if (clean - at == 1) {
        order_shift_items(call->sequence, at, stop - 1, count, false);
    } else {
        for (uint32_t i = 0; i < count; i++)
            hm_order_swap(call->sequence, at + i, clean + i);
    }
    hm_order_set_marks(state, at, at + count, HM_MARK_CLEAN);
    hm_order_set_marks(state, at + count < clean ? clean : at + count, stop, HM_MARK_LIFTED);
    place->target += count;
    place->clean = stop;
    call->spent.swaps += count;
    return has_work;
}

/* Items of a shuffled list are all over memory; prefetching them hides half of the cost. There are
 * no fewer positions left from `at` on than items in the list. */
static void order_look_ahead(const hm_order_call *call, const uint32_t *slots, uint32_t left,
                             uint32_t at)
{
    enum { ENTRY = 32, ITEM = 16 }; /* items ahead */
    const hm_links *links = &call->sequence->links;
    if (left <= ENTRY || hm_sequence_has_accessors(call->sequence))
        return;
    uint32_t position = hm_order_position(call, slots[ITEM]);
    hm_links_prefetch_position(links, slots[ENTRY]);
    hm_links_prefetch_position(links, hm_links_slot(links, at + ITEM));
    HM_PREFETCH(hm_order_item(call, position));
    hm_links_prefetch_slot(links, position);
}

/* If nothing from the target on is clean and nothing was disturbed, all that is left is lifted. */
static bool order_bring_rest(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const hm_sequence sequence = *call->sequence; /* a copy, which no store to an item can change */
    const uint32_t *slots = batch->items[batch->current] + batch->next;
    uint32_t left = batch->count - batch->next, begin = state->place.target, at = begin;
    for (; left > 0; left--, at++, slots++) {
        uint32_t from = hm_order_position(call, *slots);
        if (from == at) {
            if (!hm_order_may_work(call))
                break;
            continue;
        }
        if (!hm_order_may_swap(call))
            break;
        order_look_ahead(call, slots, left, at);
        hm_order_swap(&sequence, at, from);
    }
    hm_order_set_marks(state, begin, at, HM_MARK_CLEAN);
    batch->next = batch->count - left;
    state->place.target = at;
    return left == 0;
}

/* Whether all that is left to do between the lifted item at `from` and its gap is to bring it
 * there: everything else there is clean, and the next gap is behind it. */
static bool order_can_rotate(const hm_order_call *call, uint32_t from, uint32_t gap)
{
    const hm_order_state *state = call->state;
    const hm_order_batch *batch = &state->batch;
    uint32_t next = batch->next + 1, next_gap = state->cursor;
    uint32_t begin = from < gap ? from + 1 : gap, end = from < gap ? gap : from;
    if (state->place.target != (from < gap ? from : gap) || end - begin > ORDER_ROTATED_MOST)
        return false;
    if (next < batch->count)
        next_gap = hm_order_other_list(batch)[next];
    return next_gap >= end && next_gap != from && end <= state->cursor &&
           order_allow_swaps(call, end - begin) == end - begin &&
           hm_order_is_clean(state, begin, end);
}

/* Brings it there: each item that it passes moves by one position. */
static void order_rotate(hm_order_call *call, uint32_t from, uint32_t gap)
{
    hm_order_state *state = call->state;
    bool is_up = from < gap;
    uint32_t count = is_up ? gap - from - 1 : from - gap;
    order_shift_items(call->sequence, from, is_up ? gap - 1 : gap, count, !is_up);
    hm_order_set_mark(state, from, HM_MARK_CLEAN);
    state->place.target = is_up ? gap : from + 1;
    state->batch.next++;
    call->spent.swaps += count;
}

/* Continues from the target. False when the budget ends; sets `*is_done` when nothing is left. */
static bool order_place_next(hm_order_call *call, bool *is_done)
{
    hm_order_state *state = call->state;
    const hm_order_batch *batch = &state->batch;
    hm_order_place *place = &state->place;
    uint32_t lifted, clean, origin;
    if (!hm_order_may_work(call) || !order_find_lifted(call, &lifted))
        return false;
    bool is_lifted = lifted != HM_INVALID_INDEX;
    uint32_t gap = is_lifted ? hm_order_other_list(batch)[batch->next] : state->cursor;
    *is_done = !is_lifted && place->queue_count == 0;
    if (*is_done)
        return true;
    if (is_lifted && place->queue_count == 0) {
        if (!order_pass_clean(call, gap))
            return false;
        if (order_can_rotate(call, lifted, gap)) {
            order_rotate(call, lifted, gap);
            return true;
        }
    }
    if (!order_find_clean(call, &clean, &origin))
        return false;
    *is_done = place->target >= state->cursor;
    if (*is_done)
        return true;
    hm_mark mark = hm_order_mark(state, place->target);
    if (mark == HM_MARK_PENDING) {
        place->target++;
        return true;
    }
    if (place->queue_count > 0 && mark == HM_MARK_CLEAN && origin < gap && !state->is_disturbed)
        return order_shift_clean(call, gap);
    if (place->queue_count == 0 && mark == HM_MARK_LIFTED) {
        if (clean < gap && clean < state->cursor)
            return order_pull_clean(call, gap);
        if (clean >= state->cursor && !state->is_disturbed)
            return order_bring_rest(call);
    }
    is_lifted = is_lifted && (gap <= origin || origin >= state->cursor);
    if (!order_bring_item(call, is_lifted ? lifted : clean))
        return false;
    state->batch.next += is_lifted;
    return true;
}

hm_order_phase hm_order_place_items(hm_order_call *call)
{
    bool is_done = false;
    while (!is_done)
        if (!order_place_next(call, &is_done))
            return HM_ORDER_PAUSE;
    hm_order_end_batch(call->state);
    return call->state->is_arranging ? HM_ORDER_VERIFY : HM_ORDER_SCAN;
}

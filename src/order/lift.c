/* SPDX-License-Identifier: MIT */
/* order: the batch, from lifting to the keys' digits. Radix sort by least significant digits is
 * stable, costs two walks for each digit in which keys differ, and asks nothing. */
#include "order_private.h"

#include "../array_private.h"
#include "../base_private.h"

#include <string.h>

enum {
    KEPT_CELLS = 8192, /* 64 KiB of scratch memory stay for the next round */
    DIGIT_BITS = 11,   /* at most: a tally of 8 KiB, and a cache's share of places to write to */
    FEW_ITEMS = 64     /* are merged instead: the tally costs more */
};

/* scratch memory */

static void *take(uint64_t **cells, size_t count, size_t item_size)
{
    void *taken = *cells;
    *cells += (count * item_size + sizeof **cells - 1) / sizeof **cells;
    return taken;
}

/* The system's own memory is taken as huge pages where it fills half of one: to touch and return it
 * page by page costs more than to sort in it. */
static const hm_memory *choose_memory(const hm_memory *memory, size_t size)
{
    bool is_huge = memory == hm_memory_os() && size >= hm_memory_os_huge()->page_size / 2;
    return is_huge ? hm_memory_os_huge() : memory;
}

/* Makes room for so many items. Nothing has changed when memory is refused. */
bool hm_order_begin_batch(hm_order_call *call, uint32_t room)
{
    hm_order_batch *batch = &call->state->batch;
    bool keyed = !call->state->is_arranging && call->state->order.key != NULL;
    size_t tally = (size_t)1 << DIGIT_BITS;
    size_t cells = (size_t)(room / 2 + 1) * 4 + (keyed ? (size_t)room * 2 + tally / 2 : 0);
    if (cells > batch->scratch.capacity) {
        hm_array_desc desc = {.item_size = sizeof(uint64_t)};
        desc.capacity = cells > KEPT_CELLS ? cells : KEPT_CELLS;
        desc.memory = choose_memory(call->sequence->memory, desc.capacity * sizeof(uint64_t));
        desc.commit_step = 1;
        hm_array_fini(&batch->scratch);
        if (hm_array_init(&batch->scratch, &desc) != HM_OK) {
            hm_forgive();
            return false;
        }
    }
    if (hm_array_commit(&batch->scratch, cells, false) != HM_OK) {
        hm_forgive(); /* Insertion sort does without. */
        return false;
    }
    uint64_t *next = hm_array_data(&batch->scratch);
    batch->keys[0] = keyed ? take(&next, room, sizeof(uint64_t)) : NULL;
    batch->keys[1] = keyed ? take(&next, room, sizeof(uint64_t)) : NULL;
    batch->tally = keyed ? take(&next, tally, sizeof(uint32_t)) : NULL;
    batch->items[0] = take(&next, room, sizeof(uint32_t));
    batch->items[1] = take(&next, room, sizeof(uint32_t));
    batch->queue = take(&next, room, sizeof(uint32_t));
    batch->origins = take(&next, room, sizeof(uint32_t));
    batch->room = room;
    batch->size = batch->next = batch->side = 0;
    batch->queue_head = batch->queue_size = 0;
    return true;
}

void hm_order_end_batch(hm_order_state *state)
{
    if (state->batch.scratch.capacity > KEPT_CELLS)
        hm_array_fini(&state->batch.scratch);
}

/* lifting */

/* Moves `at` up to the next pending position, or to the end of the managed ones that this round
 * takes. False when there is no work left. */
static bool seek_pending(hm_order_call *call)
{
    hm_order_state *state = call->state;
    if (state->high > state->cursor)
        state->high = state->cursor;
    return hm_order_seek(call, &state->at, state->high, false);
}

bool hm_order_count(hm_order_call *call)
{
    hm_order_state *state = call->state;
    for (;; state->at++, state->batch.size++) {
        if (!seek_pending(call))
            return false;
        if (state->at >= state->high)
            break;
    }
    if (state->batch.size == 0) {
        hm_order_begin_scan(state);
        return true;
    }
    if (!hm_order_begin_batch(call, state->batch.size)) {
        hm_order_begin_insert(call);
        return true;
    }
    state->at = state->low;
    state->phase = HM_ORDER_LIFT;
    return true;
}

void hm_order_append(hm_order_call *call, uint32_t position, uint32_t name)
{
    hm_order_batch *batch = &call->state->batch;
    batch->items[0][batch->size++] = name;
    hm_order_set_mark(call->state, position, HM_MARK_LIFTED);
}

/* The list is complete; what comes next? */
static void begin_sort(hm_order_state *state)
{
    state->batch.next = 0;
    state->batch.varying = 0;
    if (state->order.key != NULL)
        state->phase = HM_ORDER_EXTRACT;
    else
        hm_order_begin_merge(state);
}

bool hm_order_lift(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    for (;; state->at++) {
        if (!seek_pending(call))
            return false;
        if (state->at >= state->high)
            break;
        if (batch->size < batch->room)
            hm_order_append(call, state->at, state->at);
        else
            hm_order_set_pending(state, state->at); /* It came meanwhile, and waits. */
    }
    begin_sort(state);
    return true;
}

/* Lifts a word of marks, or what there is of one. */
static uint32_t lift_word(hm_order_call *call, uint32_t most)
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
        batch->items[0][batch->size + i] = position + i;
    batch->size += count;
    state->cursor += count;
    return count;
}

bool hm_order_lift_all(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    uint32_t count = call->sequence->count;
    if (state->cursor == 0) {
        state->is_disturbed = false;
        bool has_memory = hm_order_cover(call, count) && hm_order_begin_batch(call, count);
        if (!has_memory) {
            hm_order_begin_insert(call);
            return true;
        }
    }
    uint32_t left = batch->room - batch->size;
    if (left > count - state->cursor)
        left = count - state->cursor;
    uint32_t taken = hm_order_take_work(call, left);
    for (uint32_t lifted = 0; lifted < taken;)
        lifted += lift_word(call, taken - lifted);
    if (taken < left)
        return false;
    begin_sort(state);
    return true;
}

/* keys */

/* As few digits as there must be, as short as they can be then. A tally longer than the list would
 * cost more than it saves. */
static void begin_digits(hm_order_state *state)
{
    hm_order_batch *batch = &state->batch;
    uint32_t most = hm_bits_highest(batch->size);
    if (most > DIGIT_BITS)
        most = DIGIT_BITS;
    uint32_t bits = hm_bits_highest(batch->varying | 1) + 1;
    uint32_t digits = (bits + most - 1) / most;
    batch->digit_bits = (bits + digits - 1) / digits;
    batch->digit = 0;
    state->phase = HM_ORDER_TALLY;
}

/* Moves on to the next bit in which keys differ. False when there is none. */
static bool find_digit(hm_order_batch *batch)
{
    uint64_t varying = batch->digit < 64 ? batch->varying >> batch->digit : 0;
    if (varying == 0)
        return false;
    batch->digit += hm_bits_lowest(varying);
    return true;
}

bool hm_order_extract(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    const hm_order *order = &state->order;
    uint32_t left = batch->size - batch->next;
    uint32_t taken = hm_order_take_compares(call, left);
    uint64_t *keys = batch->keys[0];
    uint64_t varying = batch->varying;
    uint32_t missing = 0; /* void ones, which nobody is asked about */
    for (uint32_t i = batch->next; i < batch->next + taken; i++) {
        uint32_t position = batch->items[0][i];
        bool is_void = state->is_disturbed && !hm_order_is_lifted(state, position);
        keys[i] = is_void ? 0 : order->key(hm_order_item(call, position), order->context);
        varying |= keys[i] ^ keys[0];
        missing += is_void;
    }
    call->spent.compares -= missing;
    batch->varying = varying;
    batch->next += taken;
    if (taken < left)
        return false;
    batch->next = 0;
    if (batch->size < FEW_ITEMS)
        hm_order_begin_merge(state);
    else
        begin_digits(state);
    return true;
}

/* Counts the digits, so that the tally says where the items with each begin. */
bool hm_order_tally(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    if (batch->next == 0 && !find_digit(batch)) {
        if (state->order.compare != NULL)
            hm_order_begin_merge(state);
        else
            hm_order_begin_locate(state);
        return true;
    }
    uint32_t mask = (1U << batch->digit_bits) - 1;
    if (batch->next == 0) {
        if (call->max_work - call->work <= mask)
            return false;
        call->work += mask + 1;
        memset(batch->tally, 0, sizeof *batch->tally * (mask + 1));
    }
    uint32_t left = batch->size - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    const uint64_t *keys = batch->keys[batch->side] + batch->next;
    uint32_t *tally = batch->tally, digit = batch->digit;
    for (uint32_t i = 0; i < taken; i++)
        tally[keys[i] >> digit & mask]++;
    batch->next += taken;
    if (taken < left)
        return false;
    uint32_t begin = 0;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t items = tally[i];
        tally[i] = begin;
        begin += items;
    }
    batch->next = 0;
    state->phase = HM_ORDER_SCATTER;
    return true;
}

bool hm_order_scatter(hm_order_call *call)
{
    hm_order_batch *batch = &call->state->batch;
    uint32_t left = batch->size - batch->next;
    uint32_t taken = hm_order_take_work(call, left);
    const uint64_t *keys = batch->keys[batch->side] + batch->next;
    const uint32_t *items = batch->items[batch->side] + batch->next;
    uint64_t *to_keys = batch->keys[!batch->side];
    uint32_t *to_items = batch->items[!batch->side];
    uint32_t *tally = batch->tally, digit = batch->digit;
    uint32_t mask = (1U << batch->digit_bits) - 1;
    for (uint32_t i = 0; i < taken; i++) {
        uint32_t place = tally[keys[i] >> digit & mask]++;
        to_keys[place] = keys[i];
        to_items[place] = items[i];
    }
    batch->next += taken;
    if (taken < left)
        return false;
    batch->side = !batch->side;
    batch->digit += batch->digit_bits;
    batch->next = 0;
    call->state->phase = HM_ORDER_TALLY;
    return true;
}

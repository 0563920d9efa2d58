/* SPDX-License-Identifier: MIT */
/* order: what its files share. The header explains the round; here each phase is a function that
 * returns true when another phase follows, and false when the budget ends it or all is done. */
#ifndef HANDLE_MAP_ORDER_PRIVATE_H
#define HANDLE_MAP_ORDER_PRIVATE_H

#include <handle_map/order.h>

#include <string.h>

/* The mark of a managed position. Above the cursor, marks mean nothing, but those in the cursor's
 * own word are clean. */
typedef enum hm_mark {
    HM_MARK_CLEAN = 0, /* its item is in order */
    HM_MARK_PENDING,   /* its item may be anywhere; the next round takes it */
    HM_MARK_LIFTED,    /* its item is in the batch */
    HM_MARK_QUEUED     /* its item is in order, but stands here only until it is its turn */
} hm_mark;

enum { HM_MARKS_PER_WORD = 32 };

/* One call of hm_order_run. */
typedef struct hm_order_call {
    hm_order_state *state;
    const hm_sequence *sequence;
    hm_budget budget;
    hm_progress spent;
    uint64_t work, max_work; /* entries of lists, words of marks */
} hm_order_call;

static inline hm_mark hm_order_mark(const hm_order_state *state, uint32_t index)
{
    return (hm_mark)(state->marks[index / HM_MARKS_PER_WORD] >> index % HM_MARKS_PER_WORD * 2 & 3);
}

static inline void hm_order_set_mark(hm_order_state *state, uint32_t index, hm_mark mark)
{
    uint64_t *word = &state->marks[index / HM_MARKS_PER_WORD];
    uint32_t shift = index % HM_MARKS_PER_WORD * 2;
    *word = (*word & ~(UINT64_C(3) << shift)) | (uint64_t)mark << shift;
}

static inline const void *hm_order_item(const hm_order_call *call, uint32_t index)
{
    return call->sequence->items + call->sequence->item_size * index;
}

/* The position of the item that a slot names; nothing managed stands there when it is gone. */
static inline uint32_t hm_order_position(const hm_order_call *call, uint32_t slot)
{
    if (slot >= call->sequence->slot_count)
        return HM_INVALID_INDEX;
    return hm_handle_index(call->sequence->entries[slot]);
}

/* Until it is placed, a lifted item stands where it stood, or is none: if it was erased meanwhile,
 * touched, or moved by an erase, its position has another mark, or is not managed. */
static inline bool hm_order_is_lifted(const hm_order_state *state, uint32_t position)
{
    return position < state->cursor && hm_order_mark(state, position) == HM_MARK_LIFTED;
}

/* The same of an item that moves, by its slot. */
static inline bool hm_order_is(const hm_order_call *call, uint32_t slot, hm_mark mark)
{
    uint32_t position = hm_order_position(call, slot);
    return position < call->state->cursor && hm_order_mark(call->state, position) == mark;
}

static inline bool hm_order_may_work(hm_order_call *call)
{
    if (call->work >= call->max_work)
        return false;
    call->work++;
    return true;
}

/* Takes as much of the work as is allowed; returns how much. */
static inline uint32_t hm_order_take_work(hm_order_call *call, uint32_t wanted)
{
    uint64_t left = call->max_work - call->work;
    uint32_t taken = wanted < left ? wanted : (uint32_t)left;
    call->work += taken;
    return taken;
}

/* The same of compares. */
static inline uint32_t hm_order_take_compares(hm_order_call *call, uint32_t wanted)
{
    uint64_t left = wanted;
    if (call->budget.max_compares != 0)
        left = call->budget.max_compares - call->spent.compares;
    uint32_t taken = wanted < left ? wanted : (uint32_t)left;
    call->spent.compares += taken;
    return taken;
}

static inline bool hm_order_may_compare(hm_order_call *call)
{
    if (call->budget.max_compares != 0 && call->spent.compares >= call->budget.max_compares)
        return false;
    call->spent.compares++;
    return true;
}

static inline bool hm_order_may_swap(hm_order_call *call)
{
    if (call->budget.max_swaps != 0 && call->spent.swaps >= call->budget.max_swaps)
        return false;
    call->spent.swaps++;
    return true;
}

/* Exchanges a multiple of `unit` bytes. Compilers turn it into moves where the unit is a constant.
 */
static inline size_t hm_order_exchange_units(unsigned char *a, unsigned char *b, size_t size,
                                             size_t unit)
{
    unsigned char waiting[32];
    size_t offset = 0;
    for (; size - offset >= unit; offset += unit) {
        memcpy(waiting, a + offset, unit);
        memcpy(a + offset, b + offset, unit);
        memcpy(b + offset, waiting, unit);
    }
    return offset;
}

static inline void hm_order_exchange_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    size_t done = size >= 32 ? hm_order_exchange_units(a, b, size, 32) : 0;
    done += hm_order_exchange_units(a + done, b + done, size - done, 8);
    hm_order_exchange_units(a + done, b + done, size - done, 1);
}

static inline void hm_order_set_position(const hm_sequence *sequence, uint32_t slot,
                                         uint32_t position)
{
    hm_handle *entry = &sequence->entries[slot];
    entry->bits = (entry->bits & ~(uint64_t)UINT32_MAX) | position;
    sequence->slots[position] = slot;
}

/* Exchanges two items. */
static inline void hm_order_swap(const hm_sequence *sequence, uint32_t a, uint32_t b)
{
    uint32_t slot_a = sequence->slots[a], slot_b = sequence->slots[b];
    hm_order_set_position(sequence, slot_b, a);
    hm_order_set_position(sequence, slot_a, b);
    hm_order_exchange_bytes(sequence->items + sequence->item_size * a,
                            sequence->items + sequence->item_size * b, sequence->item_size);
    if (sequence->swapped != NULL)
        sequence->swapped(sequence->owner, a, b);
}

/* order.c */

/* Answers whether the item at `a` stands before the one at `b`. False when the budget ends first;
 * the keys that were paid for are kept for the next call, as the keys of item and probe. */
bool hm_order_ask(hm_order_call *call, uint32_t a, uint32_t b, bool *stands_before);
/* Moves `at` up to the next position whose mark is (not) clean, at most to `end`. False when there
 * is no work left. */
bool hm_order_seek(hm_order_call *call, uint32_t *at, uint32_t end, bool clean);
/* Moves `end` down until the position below it is clean, at most to `low`. False as above. */
bool hm_order_seek_down(hm_order_call *call, uint32_t *end, uint32_t low);
/* Marks the positions from `begin` to `end`. */
void hm_order_set_marks(hm_order_state *state, uint32_t begin, uint32_t end, hm_mark mark);
/* Nothing at or above `cursor` is managed from now on. */
void hm_order_set_cursor(hm_order_state *state, uint32_t cursor);
/* Makes the marks below `count` ready, as they are. False when memory is refused. */
bool hm_order_cover(hm_order_call *call, uint32_t count);
/* The position is pending, and lies between dirty_low and dirty_high. */
void hm_order_set_pending(hm_order_state *state, uint32_t index);
/* Goes on with the scan from the cursor. */
void hm_order_begin_scan(hm_order_state *state);

/* order_batch.c */
bool hm_order_begin_batch(hm_order_call *call, uint32_t room);
void hm_order_end_batch(hm_order_state *state);
/* Lifts the item that stands there; the list names it by its position, or by its slot if it is
 * located already. */
void hm_order_append(hm_order_call *call, uint32_t position, uint32_t name);
bool hm_order_count(hm_order_call *call);
bool hm_order_lift(hm_order_call *call);
bool hm_order_lift_all(hm_order_call *call);
bool hm_order_extract(hm_order_call *call);
bool hm_order_tally(hm_order_call *call);
bool hm_order_scatter(hm_order_call *call);
/* order_merge.c */
bool hm_order_merge_runs(hm_order_call *call);
void hm_order_begin_merge(hm_order_state *state);

/* order_place.c */
void hm_order_begin_locate(hm_order_state *state);
bool hm_order_locate(hm_order_call *call);
void hm_order_begin_place(hm_order_state *state, uint32_t at);
bool hm_order_place(hm_order_call *call);

/* order_insert.c */
void hm_order_begin_insert(hm_order_call *call);
void hm_order_rewind(hm_order_state *state, uint32_t index);
bool hm_order_insert(hm_order_call *call);

/* order_arrange.c */
void hm_order_begin_verify(hm_order_state *state);
bool hm_order_verify(hm_order_call *call);
bool hm_order_spread(hm_order_call *call);
bool hm_order_name(hm_order_call *call);
bool hm_order_pull(hm_order_call *call);

#endif

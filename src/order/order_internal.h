/* SPDX-License-Identifier: MIT */
/* order: what its sources share.
 *
 *     round.c          the round: runs the phases, and is told of changes from outside
 *       scan.c  lift.c  digits.c  merge.c  locate.c  place.c  arrange.c
 *                      the phases; none calls another
 *       marks.c  compare.c  scratch.c
 *                      what the phases use
 *     gather.c         what erase_if needs
 *     bound.c          the search in what is in order
 *
 * A phase is a function that does as much as the call's budget allows. It returns the phase that
 * follows, or HM_ORDER_PAUSE: then the next call continues it. Its `begin` function, if it has one,
 * makes the state ready for the phase. */
#ifndef HANDLE_MAP_ORDER_INTERNAL_H
#define HANDLE_MAP_ORDER_INTERNAL_H

#include "order_private.h"

/* The mark of a managed position. From the cursor on, marks mean nothing, but those in the cursor's
 * own word are clean. */
typedef enum hm_mark {
    HM_MARK_CLEAN = 0, /* its item is in order */
    HM_MARK_PENDING,   /* its item may be anywhere; the next round takes it */
    HM_MARK_LIFTED,    /* its item is in the batch */
    HM_MARK_QUEUED     /* its item is in order, but waits here for its turn to move */
} hm_mark;

enum { HM_MARKS_PER_WORD = 32 };

/* One call of hm_order_run. */
typedef struct hm_order_call {
    hm_order_state *state;
    const hm_sequence *sequence;
    uint64_t max_swaps, max_compares; /* UINT64_MAX: no limit */
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

/* Returns where the next word of marks begins, or `end` if that comes first. The last word of all
 * ends at 2^32, which is no position. */
static inline uint32_t hm_order_next_word(uint32_t at, uint32_t end)
{
    uint32_t left = HM_MARKS_PER_WORD - at % HM_MARKS_PER_WORD;
    return left < end - at ? at + left : end;
}

static inline const void *hm_order_item(const hm_order_call *call, uint32_t index)
{
    return hm_sequence_item(call->sequence, index);
}

/* Returns the position of a slot's item; one that is not managed, if the item is gone. */
static inline uint32_t hm_order_position(const hm_order_call *call, uint32_t slot)
{
    if (slot >= call->sequence->slot_count)
        return HM_INVALID_INDEX;
    return hm_sequence_position(call->sequence, slot);
}

/* Until it is placed, a lifted item stays at its position, or is no longer lifted: if it was
 * erased, touched, or moved by an erase, its position has another mark, or is not managed. */
static inline bool hm_order_is_lifted(const hm_order_state *state, uint32_t position)
{
    return position < state->cursor && hm_order_mark(state, position) == HM_MARK_LIFTED;
}

/* The list that sorting writes to, and once all is sorted, the gaps of the items. */
static inline uint32_t *hm_order_other_list(const hm_order_batch *batch)
{
    return batch->items[!batch->current];
}

/* Memory was refused: ends the call, and the next one continues the phase by asking again. */
static inline hm_order_phase hm_order_refuse(hm_order_call *call)
{
    call->spent.status = HM_ERROR_MEMORY;
    return HM_ORDER_PAUSE;
}

/* The budget */

static inline bool hm_order_may_work(hm_order_call *call)
{
    if (call->work >= call->max_work)
        return false;
    call->work++;
    return true;
}

/* Takes as much of the wanted work as is left; returns how much. */
static inline uint32_t hm_order_take_work(hm_order_call *call, uint32_t wanted)
{
    uint64_t left = call->max_work - call->work;
    uint32_t taken = wanted < left ? wanted : (uint32_t)left;
    call->work += taken;
    return taken;
}

/* Takes as many of the wanted compares as are left; returns how many. */
static inline uint32_t hm_order_take_compares(hm_order_call *call, uint32_t wanted)
{
    uint64_t left = call->max_compares - call->spent.compares;
    uint32_t taken = wanted < left ? wanted : (uint32_t)left;
    call->spent.compares += taken;
    return taken;
}

static inline bool hm_order_may_compare(hm_order_call *call)
{
    if (call->spent.compares >= call->max_compares)
        return false;
    call->spent.compares++;
    return true;
}

static inline bool hm_order_may_swap(hm_order_call *call)
{
    if (call->spent.swaps >= call->max_swaps)
        return false;
    call->spent.swaps++;
    return true;
}

/* round.c */

/* Whether the state is for this order, and not for an arrangement or another one. */
bool hm_order_is_for(const hm_order_state *state, const hm_order *order);
/* Whether all `count` items are in order: the next call would find nothing to do. Valid between
 * calls. */
bool hm_order_is_in_order(const hm_order_state *state, uint32_t count);

/* marks.c */

/* Moves `at` up to the next position whose mark is (not) clean, at most to `end`. False when the
 * work allowed is used up. */
bool hm_order_seek(hm_order_call *call, uint32_t *at, uint32_t end, bool clean);
/* Moves `end` down until the position below it is clean, at most to `begin`. False as above. */
bool hm_order_seek_down(hm_order_call *call, uint32_t *end, uint32_t begin);
/* Adds to `count` the positions from `at` to `end` whose mark is not clean, and moves `at` to the
 * end. False when the work allowed is used up. */
bool hm_order_count_dirty(hm_order_call *call, uint32_t *at, uint32_t end, uint32_t *count);
/* The lower bits of the marks that are not clean, from `begin` to the end of its word or to `end`.
 */
uint64_t hm_order_dirty_part(const hm_order_state *state, uint32_t begin, uint32_t end);
/* Whether all positions from `begin` to `end` are clean. */
bool hm_order_is_clean(const hm_order_state *state, uint32_t begin, uint32_t end);
/* How many positions from `at` upward, or below `at` downward, are clean, at most `most`. */
uint32_t hm_order_clean_above(const hm_order_state *state, uint32_t at, uint32_t most);
uint32_t hm_order_clean_below(const hm_order_state *state, uint32_t at, uint32_t most);
/* Marks the positions from `begin` to `end`. */
void hm_order_set_marks(hm_order_state *state, uint32_t begin, uint32_t end, hm_mark mark);
/* Marks the position pending, and widens pending_begin and pending_end to include it. */
void hm_order_set_pending(hm_order_state *state, uint32_t index);
/* Nothing at or above `cursor` is managed from now on. */
void hm_order_set_cursor(hm_order_state *state, uint32_t cursor);
/* Makes the state if there is none, and commits the marks of all items. HM_ERROR_MEMORY: it was
 * refused, and nothing has changed. */
hm_status hm_order_open(hm_order_state **place, const hm_sequence *sequence);
/* Decommits the marks behind `count` positions. */
hm_status hm_order_shrink(hm_order_state *state, uint32_t count);
/* Releases the range of state and marks. Does nothing without a state. */
void hm_order_release(hm_order_state **place);

/* compare.c */

/* Forgets the keys of item and probe. */
void hm_order_forget_keys(hm_order_state *state);
/* Answers whether the item at `a` comes before the one at `b`. False when the budget ends first;
 * keys that were computed are kept for the next call, as the keys of item and probe. */
bool hm_order_ask(hm_order_call *call, uint32_t a, uint32_t b, bool *is_less);

/* scratch.c */

/* Makes the batch's lists ready for `capacity` items. False when memory is refused: nothing has
 * changed then. */
bool hm_order_begin_batch(hm_order_call *call, uint32_t capacity);
/* Gives the memory back, except a small part. */
void hm_order_end_batch(hm_order_state *state);
/* Lifts the item at `position`. Its `name` in the list is its position, or its slot if it need not
 * be located. */
void hm_order_append(hm_order_call *call, uint32_t position, uint32_t name);

/* The phases. */

/* scan.c */
void hm_order_begin_scan(hm_order_state *state);
hm_order_phase hm_order_scan_on(hm_order_call *call);

/* lift.c */
void hm_order_begin_count(hm_order_state *state);
hm_order_phase hm_order_count(hm_order_call *call);
hm_order_phase hm_order_lift_pending(hm_order_call *call);
void hm_order_begin_lift_all(hm_order_state *state);
hm_order_phase hm_order_lift_all(hm_order_call *call);

/* digits.c */
void hm_order_begin_extract(hm_order_state *state);
hm_order_phase hm_order_extract(hm_order_call *call);
hm_order_phase hm_order_tally(hm_order_call *call);
hm_order_phase hm_order_scatter(hm_order_call *call);

/* merge.c */
void hm_order_begin_merge(hm_order_state *state);
hm_order_phase hm_order_merge_runs(hm_order_call *call);

/* locate.c */
void hm_order_begin_locate(hm_order_state *state);
hm_order_phase hm_order_locate(hm_order_call *call);

/* place.c */
void hm_order_begin_place(hm_order_state *state);
hm_order_phase hm_order_place_items(hm_order_call *call);

/* arrange.c */
void hm_order_begin_verify(hm_order_state *state);
hm_order_phase hm_order_verify(hm_order_call *call);
hm_order_phase hm_order_spread(hm_order_call *call);
hm_order_phase hm_order_name(hm_order_call *call);

#endif

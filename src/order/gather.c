/* SPDX-License-Identifier: MIT */
/* order: moves doomed items behind the others. What was known of the others' order stays known. */
#include "order_internal.h"

/* When the items at positions a < b are about to be exchanged. */
static void order_exchange_marks(hm_order_state *state, uint32_t a, uint32_t b)
{
    if (b >= state->cursor) /* An arrangement, once it is settled, manages no position. */
        return;
    hm_mark mark = hm_order_mark(state, a);
    hm_order_set_mark(state, a, hm_order_mark(state, b));
    hm_order_set_mark(state, b, mark);
}

/* Only the first `count` positions are managed from now on. */
static void order_cut(hm_order_state *state, uint32_t count)
{
    if (count >= state->cursor)
        return;
    hm_order_set_cursor(state, count);
    if (state->pending_end != 0) {
        state->pending_begin = 0;
        state->pending_end = count;
    }
    hm_order_begin_scan(state);
}

uint32_t hm_order_gather(hm_order_state *state, const hm_sequence *sequence,
                         bool (*is_doomed)(void *owner, uint32_t index, void *context),
                         void *context)
{
    HM_CONTRACT(state != NULL && sequence != NULL && is_doomed != NULL,
                "hm_order_gather: an argument is NULL");
    hm_order_settle(state, sequence);
    uint32_t managed = state->cursor, others = 0, managed_others = 0;
    for (uint32_t i = 0; i < sequence->count; i++) {
        if (is_doomed(sequence->owner, i, context))
            continue;
        if (i != others) {
            order_exchange_marks(state, others, i);
            hm_order_swap(sequence, others, i);
        }
        others++;
        managed_others += i < managed;
    }
    order_cut(state, managed_others);
    return others;
}

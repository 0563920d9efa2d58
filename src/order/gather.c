/* SPDX-License-Identifier: MIT */
/* order: moves doomed items behind the others. What was known of the others' order stays known. */
#include "order_internal.h"

#ifndef HM_WITHOUT_ORDER

/* When the items at positions a < b are about to be exchanged. */
static void order_exchange_marks(hm_order_state *state, uint32_t a, uint32_t b)
{
    /* An arrangement, once it is settled, manages no position. */
    if (state == NULL || b >= state->cursor)
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

#else
#define order_exchange_marks(state, a, b) ((void)0)
#define order_cut(state, count) ((void)0)
#endif

/* A gap of few bytes is moved as a whole: the things behind it go down, and it goes behind them,
 * but turned, as the exchanges would leave it. */
void hm_order_shift_bytes(unsigned char *first, size_t size, uint32_t gap, uint32_t n)
{
    unsigned char waiting[1024];
    if (size * gap <= sizeof waiting) {
        size_t turned = size * (n % gap), all = size * gap;
        memcpy(waiting, first, all);
        memmove(first, first + all, size * n);
        memcpy(first + size * n, waiting + turned, all - turned);
        memcpy(first + size * n + all - turned, waiting, turned);
        return;
    }
    for (uint32_t part; n > 0; n -= part, first += size * part) {
        part = n < gap ? n : gap;
        hm_order_exchange_bytes(first, first + size * gap, size * part);
    }
}

/* Where the doomed items are, and the others. */
typedef struct order_gathering {
    hm_order_state *state;
    const hm_sequence *sequence;
    bool (*is_doomed)(void *owner, uint32_t index, void *context);
    void *context;
    uint32_t managed; /* positions below it are managed */
    uint32_t others, managed_others;
} order_gathering;

/* Asks about each item, and exchanges it at once. */
static void order_gather_singly(order_gathering *all)
{
    const hm_sequence *sequence = all->sequence;
    for (uint32_t i = 0; i < sequence->count; i++) {
        if (all->is_doomed(sequence->owner, i, all->context))
            continue;
        if (i != all->others) {
            order_exchange_marks(all->state, all->others, i);
            hm_order_swap(sequence, all->others, i);
        }
        all->others++;
        all->managed_others += i < all->managed;
    }
}

/* Asks about up to 64 items from this position on. Returns a bit for each that stays. */
static uint64_t order_ask(const order_gathering *all, uint32_t from)
{
    uint64_t stays = 0;
    for (uint32_t i = 0; i < 64 && from + i < all->sequence->count; i++)
        stays |= (uint64_t)!all->is_doomed(all->sequence->owner, from + i, all->context) << i;
    return stays;
}

/* Moves n items that stay down to the others. */
static void order_move_down(order_gathering *all, uint32_t from, uint32_t n)
{
    uint32_t to = all->others;
    for (uint32_t i = 0; i < n && from != to; i++) {
        order_exchange_marks(all->state, to + i, from + i);
        hm_links_exchange(&all->sequence->links, to + i, from + i);
    }
    if (from != to)
        all->sequence->shifted(all->sequence->owner, to, from - to, n);
    all->others += n;
    if (from < all->managed)
        all->managed_others += n < all->managed - from ? n : all->managed - from;
}

/* Asks about 64 items, and moves those that stay in runs. */
static void order_gather_runs(order_gathering *all)
{
    for (uint64_t block = 0; block < all->sequence->count; block += 64) {
        uint64_t stays = order_ask(all, (uint32_t)block);
        while (stays != 0) {
            uint32_t first = hm_bits_lowest(stays);
            uint64_t after = ~(stays >> first);
            uint32_t n = after != 0 ? hm_bits_lowest(after) : 64;
            order_move_down(all, (uint32_t)block + first, n);
            stays = first + n < 64 ? stays >> (first + n) << (first + n) : 0;
        }
    }
}

uint32_t hm_order_gather(hm_order_state *state, const hm_sequence *sequence,
                         bool (*is_doomed)(void *owner, uint32_t index, void *context),
                         void *context)
{
    HM_CONTRACT(sequence != NULL && is_doomed != NULL, "hm_order_gather: an argument is NULL");
    hm_order_end_moves(state, sequence);
    uint32_t managed = hm_order_managed(state);
    order_gathering all = {state, sequence, is_doomed, context, managed, 0, 0};
    if (sequence->shifted != NULL)
        order_gather_runs(&all);
    else
        order_gather_singly(&all);
    if (state != NULL)
        order_cut(state, all.managed_others);
    return all.others;
}

/* SPDX-License-Identifier: MIT */
/* lists: closing the gaps. Blocks slide toward the beginning, in their order; the gap in front of
 * the cursor's block is a free block between two moves, so that the lists are valid all the time,
 * and others may use it between two calls. */
#include "lists_private.h"

#include "../order/order_private.h"

#ifndef HM_EXHAUSTIVE
enum {
    GAPS_BLOCKS = 4096,      /* looked at in a call */
    GAPS_BLOCKS_PER_SWAP = 4 /* and for each swap that is allowed */
};
#endif

/* Makes the block at `from` exact, and moves it to `to`, which is the same or a gap in front of it;
 * behind it a gap is left. Returns where it ends. */
static uint32_t gaps_move(hm_lists_blocks *blocks, uint32_t to, uint32_t from)
{
    uint32_t slot = hm_lists_block_at(blocks, from)->slot, old_end = hm_lists_end_of(blocks, from);
    hm_lists_record *record = hm_lists_record_of(blocks, slot);
    record->unit = to;
    record->capacity = 0;
    if (to != from) {
        size_t size = blocks->item_size * record->count;
        hm_memory_unpoison(hm_lists_address(blocks, to + 1), size);
        memmove(hm_lists_address(blocks, to + 1), hm_lists_address(blocks, from + 1), size);
    }
    *hm_lists_block_at(blocks, to) = (hm_lists_block){slot, record->count | HM_LISTS_EXACT};
    hm_lists_poison_rest(blocks, to, record->count);
    uint32_t gap = hm_lists_end_of(blocks, to);
    hm_lists_make_gap(blocks, gap, old_end);
    return gap;
}

hm_progress hm_lists_close_gaps(hm_lists_blocks *blocks, hm_frame_budget *budget)
{
    hm_progress progress = {.done = blocks->cursor >= blocks->end};
    if (hm_frame_budget_is_spent(budget))
        return progress;
    /* There are fewer blocks than swaps without a limit. */
    uint64_t swaps = budget != NULL ? budget->swaps_left : HM_NO_LIMIT;
    uint64_t looks = GAPS_BLOCKS + GAPS_BLOCKS_PER_SWAP * swaps;
    uint32_t at = blocks->cursor;
    for (; at < blocks->end && looks > 0; looks--) {
        uint32_t from = at;
        if (hm_lists_reclaim(blocks, at)) {
            looks -= hm_lists_join(blocks, at, looks - 1);
            if (at == blocks->end || progress.swaps == swaps)
                break;
            from = hm_lists_end_of(blocks, at);
            if (hm_lists_reclaim(blocks, from))
                break; /* No more blocks may be looked at. */
            hm_lists_unlink(blocks, at);
            progress.swaps++;
        }
        at = gaps_move(blocks, at, from);
    }
    blocks->cursor = at;
    progress.done = at >= blocks->end;
    hm_budget_spend(budget, &progress);
    return progress;
}

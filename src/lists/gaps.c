/* SPDX-License-Identifier: MIT */
/* lists: closing the gaps. Blocks slide toward the beginning, in their order; the gap in front of
 * the cursor's block is a free block between two moves, so that the lists are valid all the time,
 * and others may use it between two calls. */
#include "lists_internal.h"

#include "../guard_private.h"

enum {
    GAPS_BLOCKS = 4096,    /* looked at in a call */
    GAPS_BLOCKS_A_SWAP = 4 /* and for each swap that is allowed */
};

/* Makes the units from `unit` to `end` a free block, or none if they are the last. */
static void gaps_make(hm_lists *lists, uint32_t unit, uint32_t end)
{
    if (end == lists->end) {
        hm_lists_lower_end(lists, unit);
    } else if (end != unit) {
        hm_lists_make_free(lists, unit, end - unit);
        lists->is_joined = false;
    }
}

/* Joins the free blocks behind a free one to it, at most so many, and returns how many. If nothing
 * else follows, all of them are none. */
static uint64_t gaps_join(hm_lists *lists, uint32_t unit, uint64_t limit)
{
    uint64_t joined = 0;
    uint32_t end = unit + hm_lists_block_at(lists, unit)->size;
    hm_lists_unlink(lists, unit);
    for (; joined < limit && end < lists->end; joined++) {
        const hm_lists_block *next = hm_lists_block_at(lists, end);
        if (!hm_lists_is_free(next))
            break;
        hm_lists_unlink(lists, end);
        end += next->size;
    }
    gaps_make(lists, unit, end);
    return joined;
}

void hm_lists_join(hm_lists *lists)
{
    uint32_t unit = lists->cursor;
    while (unit < lists->end) {
        if (hm_lists_is_free(hm_lists_block_at(lists, unit)))
            gaps_join(lists, unit, UINT64_MAX);
        if (unit < lists->end)
            unit += hm_lists_block_at(lists, unit)->size;
    }
    lists->is_joined = true;
}

/* Makes the block at `from` exact, and moves it to `to`, which is the same or a gap in front of it;
 * behind it a gap is left. */
static void gaps_move(hm_lists *lists, uint32_t to, uint32_t from)
{
    hm_lists_block head = *hm_lists_block_at(lists, from);
    hm_lists_record *record = &lists->records[hm_handle_index(head.list)];
    uint32_t end = from + head.size;
    head.count = hm_lists_count_in(record);
    head.size = (uint32_t)hm_lists_units_of(lists, head.count);
    *record = (hm_lists_record){to, head.count | HM_LISTS_EXACT};
    if (to != from) {
        size_t size = lists->item_size * head.count;
        hm_memory_unpoison(hm_lists_address(lists, to + 1), size);
        memmove(hm_lists_address(lists, to + 1), hm_lists_address(lists, from + 1), size);
    }
    *hm_lists_block_at(lists, to) = head;
    hm_lists_poison_rest(lists, to, head.count);
    gaps_make(lists, to + head.size, end);
}

hm_progress hm_lists_defragment(hm_lists *lists, hm_budget budget)
{
    HM_CONTRACT(lists != NULL, "hm_lists_defragment: lists is NULL");
    hm_progress progress = {0, 0, false};
    if (hm_guard_is_busy(&lists->guard))
        return progress;
    uint64_t swaps = budget.max_swaps != 0 ? budget.max_swaps : UINT64_MAX / 8;
    uint64_t looks = GAPS_BLOCKS + GAPS_BLOCKS_A_SWAP * swaps;
    uint32_t at = lists->cursor;
    for (; at < lists->end && looks > 0; looks--) {
        uint32_t from = at;
        if (hm_lists_is_free(hm_lists_block_at(lists, at))) {
            looks -= gaps_join(lists, at, looks - 1);
            if (at == lists->end || progress.swaps == swaps)
                break;
            from += hm_lists_block_at(lists, at)->size;
            if (hm_lists_is_free(hm_lists_block_at(lists, from)))
                break; /* No more blocks may be looked at. */
            hm_lists_unlink(lists, at);
            progress.swaps++;
        }
        gaps_move(lists, at, from);
        at += hm_lists_block_at(lists, at)->size;
    }
    lists->cursor = at;
    progress.done = at >= lists->end;
    return progress;
}

/* SPDX-License-Identifier: MIT */
/* lists: closing the gaps. Blocks slide toward the beginning, in their order; the gap in front of
 * the cursor's block is a free block between two moves, so that the lists are valid all the time,
 * and others may use it between two calls. */
#include "lists_internal.h"

#include "../guard_private.h"

enum {
    DEFRAGMENT_BLOCKS = 4096,    /* looked at in a call */
    DEFRAGMENT_BLOCKS_A_SWAP = 4 /* and for each swap that is allowed */
};

/* Joins the free blocks behind a free one to it. If nothing else follows, the end comes down, and
 * the block is none. Returns how many were joined. */
static uint32_t defragment_join(hm_lists *lists, uint32_t unit, uint64_t limit)
{
    uint32_t joined = 0;
    uint32_t end = unit + hm_lists_block_at(lists, unit)->size;
    hm_lists_unlink(lists, unit);
    for (; joined < limit && end < lists->end; joined++) {
        const hm_lists_block *next = hm_lists_block_at(lists, end);
        if (!hm_lists_is_free(next))
            break;
        uint32_t size = next->size;
        hm_lists_unlink(lists, end);
        end += size;
    }
    if (end < lists->end) {
        hm_lists_make_free(lists, unit, end - unit);
    } else {
        hm_memory_poison(hm_lists_address(lists, unit), (size_t)(end - unit) << lists->unit_shift);
        lists->end = unit;
    }
    return joined;
}

/* Cuts what a list's block does not need off as a free block. */
static void defragment_cut(hm_lists *lists, uint32_t unit)
{
    hm_lists_block *block = hm_lists_block_at(lists, unit);
    uint32_t size = (uint32_t)hm_lists_units_of(lists, block->count);
    uint32_t rest = block->size - size;
    if (rest == 0)
        return;
    block->size = size;
    if (unit + size + rest == lists->end)
        lists->end = unit + size;
    else
        hm_lists_make_free(lists, unit + size, rest);
}

/* Moves the list behind a free block to its place. */
static void defragment_move(hm_lists *lists, uint32_t to)
{
    uint32_t gap = hm_lists_block_at(lists, to)->size, from = to + gap;
    hm_lists_block head = *hm_lists_block_at(lists, from);
    uint32_t size = (uint32_t)hm_lists_units_of(lists, head.count);
    size_t bytes = lists->item_size * head.count;
    hm_lists_unlink(lists, to);
    hm_memory_unpoison(hm_lists_address(lists, to), ((size_t)1 << lists->unit_shift) + bytes);
    memmove(hm_lists_address(lists, to + 1), hm_lists_address(lists, from + 1), bytes);
    lists->blocks[hm_handle_index(head.list)] = to;
    gap += head.size - size;
    head.size = size;
    *hm_lists_block_at(lists, to) = head;
    if (to + size + gap == lists->end) {
        hm_memory_poison(hm_lists_address(lists, to + size), (size_t)gap << lists->unit_shift);
        lists->end = to + size;
    } else {
        hm_lists_make_free(lists, to + size, gap);
    }
    hm_lists_poison_rest(lists, to);
}

hm_progress hm_lists_defragment(hm_lists *lists, hm_budget budget)
{
    HM_CONTRACT(lists != NULL, "hm_lists_defragment: lists is NULL");
    hm_progress progress = {0, 0, false};
    if (hm_guard_is_busy(&lists->guard))
        return progress;
    uint64_t swaps = budget.max_swaps != 0 ? budget.max_swaps : UINT64_MAX / 8;
    uint64_t looks = DEFRAGMENT_BLOCKS + DEFRAGMENT_BLOCKS_A_SWAP * swaps;
    uint32_t at = lists->cursor;
    for (; at < lists->end && looks > 0; looks--) {
        if (!hm_lists_is_free(hm_lists_block_at(lists, at))) {
            defragment_cut(lists, at);
            at += hm_lists_block_at(lists, at)->size;
            continue;
        }
        looks -= defragment_join(lists, at, looks - 1);
        if (at >= lists->end)
            break;
        uint32_t behind = at + hm_lists_block_at(lists, at)->size;
        if (progress.swaps == swaps || hm_lists_is_free(hm_lists_block_at(lists, behind)))
            break;
        defragment_move(lists, at);
        progress.swaps++;
        at += hm_lists_block_at(lists, at)->size;
    }
    lists->cursor = at;
    progress.done = at >= lists->end;
    return progress;
}

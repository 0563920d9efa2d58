/* SPDX-License-Identifier: MIT */
/* The blocks of lists, for tests that look at the range itself. */
#ifndef TEST_SUPPORT_LISTS_BLOCKS_H
#define TEST_SUPPORT_LISTS_BLOCKS_H

#include <handle_map/lists.h>

/* Returns how many units a block has. */
static inline uint32_t size_of_block(const hm_lists *lists, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(lists, unit);
    uint32_t count = block->size & ~HM_LISTS_EXACT;
    if (block->slot == HM_LISTS_FREE || block->size == count)
        return block->size;
    return (uint32_t)hm_lists_units_as(lists, count, lists->item_size);
}

/* Returns how many items the list of a block has; 0 if the block is free. */
static inline uint32_t count_in_block(const hm_lists *lists, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(lists, unit);
    return block->slot != HM_LISTS_FREE ? lists->records[block->slot].count : 0;
}

#endif

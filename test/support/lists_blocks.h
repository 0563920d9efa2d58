/* SPDX-License-Identifier: MIT */
/* The blocks of lists, for tests that look at the range itself. */
#ifndef TEST_SUPPORT_LISTS_BLOCKS_H
#define TEST_SUPPORT_LISTS_BLOCKS_H

#include <handle_map/lists.h>

/* Returns how many units a block has. */
static inline uint32_t size_of_block(const hm_lists_blocks *blocks, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    uint32_t count = block->size & ~HM_LISTS_EXACT;
    if (block->slot == HM_LISTS_FREE || block->size == count)
        return block->size;
    return (uint32_t)hm_lists_units_as(blocks, count, blocks->item_size);
}

/* Returns how many items the list of a block has; 0 if the block is free. */
static inline uint32_t count_in_block(const hm_lists_blocks *blocks, uint32_t unit)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    return block->slot != HM_LISTS_FREE ? hm_lists_record_of(blocks, block->slot)->count : 0;
}

/* Returns the first free block of each class, which the range begins with. */
static inline uint32_t *heads_of(const hm_lists_blocks *blocks)
{
    return (uint32_t *)(void *)blocks->unit_array.data;
}

/* Returns how many units the range has space for from unit 0 on, and lets it have fewer. */
static inline uint32_t space_of(const hm_lists_blocks *blocks)
{
    return blocks->space;
}

static inline void limit_space(hm_lists_blocks *blocks, uint32_t units)
{
    blocks->unit_array.capacity -= blocks->space - units;
    blocks->space = units;
}

#endif

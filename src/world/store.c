/* SPDX-License-Identifier: MIT */
/* world: memory for chunks. Blocks of 16 KiB stand in one range. A block is free, or whole one
 * chunk, or divided into pieces of one class; a mask has a bit for each piece that is free. Blocks
 * of a class with free pieces are in a list, and so are free blocks.
 *
 * The store hands out the lowest piece of a block, and keeps no order among blocks: taking and
 * giving are O(1). Trim returns the free blocks at the end of the range. Under AddressSanitizer
 * what was taken is poisoned, and whoever took it unpoisons what is in use. What was given back is
 * poisoned too. */
#include "world_internal.h"

#include <inttypes.h>

enum { STORE_WHOLE = HM_WORLD_CLASSES - 1 };

typedef struct store_block {
    uint32_t free;           /* a bit for each free piece; a free block has bit 0 */
    uint32_t previous, next; /* blocks of the list; HM_WORLD_NONE at its ends */
    uint32_t class_;
} store_block;

#define STORE_UNITS ((uint32_t)(HM_WORLD_BLOCK_SIZE / HM_WORLD_UNIT_SIZE))

static store_block *store_block_at(const hm_world_store *store, uint32_t index)
{
    return (store_block *)(void *)store->record_array.data + index;
}

static uint32_t store_units(uint32_t class_)
{
    return (uint32_t)(hm_world_class_size(class_) / HM_WORLD_UNIT_SIZE);
}

/* Returns the mask of a block of this class whose pieces are all free. */
static uint32_t store_all_free(uint32_t class_)
{
    uint32_t pieces = STORE_UNITS / store_units(class_);
    return pieces == 32 ? UINT32_MAX : (UINT32_C(1) << pieces) - 1;
}

hm_status hm_world_store_init(hm_world_store *store, uint64_t size, const hm_memory *memory)
{
    uint64_t blocks = size / HM_WORLD_BLOCK_SIZE;
    hm_array_desc records = {.item_size = sizeof(store_block), .memory = memory};
    hm_array_desc range = {.item_size = HM_WORLD_BLOCK_SIZE, .item_align = 4096, .memory = memory};
    records.capacity = range.capacity = (size_t)blocks;
    hm_status status = hm_array_check_size(HM_WORLD_BLOCK_SIZE, (size_t)blocks, "max_", memory);
    if (status == HM_OK)
        status = hm_array_init(&store->block_array, &range);
    if (status == HM_OK)
        status = hm_array_init(&store->record_array, &records);
    store->base = store->block_array.data;
    for (uint32_t i = 0; i < HM_WORLD_CLASSES; i++)
        store->heads[i] = HM_WORLD_NONE;
    return status;
}

void hm_world_store_fini(hm_world_store *store)
{
    hm_array_fini(&store->record_array);
    hm_array_fini(&store->block_array);
}

static void store_link(hm_world_store *store, uint32_t index)
{
    store_block *block = store_block_at(store, index);
    uint32_t *head = &store->heads[block->class_];
    block->previous = HM_WORLD_NONE;
    block->next = *head;
    if (*head != HM_WORLD_NONE)
        store_block_at(store, *head)->previous = index;
    *head = index;
}

static void store_unlink(hm_world_store *store, uint32_t index)
{
    const store_block *block = store_block_at(store, index);
    if (block->previous != HM_WORLD_NONE)
        store_block_at(store, block->previous)->next = block->next;
    else
        store->heads[block->class_] = block->next;
    if (block->next != HM_WORLD_NONE)
        store_block_at(store, block->next)->previous = block->previous;
}

/* Adds a free block at the end of the range. */
static hm_status store_grow(hm_world_store *store)
{
    size_t count = store->block_array.count;
    if (count >= store->block_array.capacity)
        return hm_fail(HM_ERROR_FULL, "%zu of %zu bytes for tables: max_size is used up",
                       count * HM_WORLD_BLOCK_SIZE, count * HM_WORLD_BLOCK_SIZE);
    hm_status status = hm_array_commit(&store->record_array, count + 1, true);
    if (status == HM_OK)
        status = hm_array_commit(&store->block_array, count + 1, true);
    if (status != HM_OK)
        return status;
    store->block_array.count = store->record_array.count = count + 1;
    *store_block_at(store, (uint32_t)count) = (store_block){.free = 1, .class_ = STORE_WHOLE};
    store_link(store, (uint32_t)count);
    return HM_OK;
}

/* Finds a free block, and divides it into pieces of this class. */
static hm_status store_refill(hm_world_store *store, uint32_t class_)
{
    if (store->heads[STORE_WHOLE] == HM_WORLD_NONE) {
        hm_status status = store_grow(store);
        if (status != HM_OK)
            return status;
    }
    uint32_t index = store->heads[STORE_WHOLE];
    store_unlink(store, index);
    store_block *block = store_block_at(store, index);
    block->class_ = class_;
    block->free = store_all_free(class_);
    store_link(store, index);
    return HM_OK;
}

hm_status hm_world_store_take(hm_world_store *store, uint32_t class_, uint32_t *chunk)
{
    if (store->heads[class_] == HM_WORLD_NONE) {
        hm_status status = store_refill(store, class_);
        if (status != HM_OK)
            return status;
    }
    uint32_t index = store->heads[class_];
    store_block *block = store_block_at(store, index);
    uint32_t piece = hm_bits_lowest(block->free);
    block->free &= block->free - 1;
    if (block->free == 0)
        store_unlink(store, index);
    uint32_t unit = index * STORE_UNITS + piece * store_units(class_);
    hm_memory_poison(store->base + (size_t)unit * HM_WORLD_UNIT_SIZE, hm_world_class_size(class_));
    *chunk = unit << HM_WORLD_CLASS_BITS | class_;
    return HM_OK;
}

void hm_world_store_give(hm_world_store *store, uint32_t chunk)
{
    uint32_t unit = chunk >> HM_WORLD_CLASS_BITS, class_ = hm_world_chunk_class(chunk);
    uint32_t index = unit / STORE_UNITS;
    store_block *block = store_block_at(store, index);
    hm_memory_poison(store->base + (size_t)unit * HM_WORLD_UNIT_SIZE, hm_world_class_size(class_));
    if (block->free == 0)
        store_link(store, index);
    block->free |= UINT32_C(1) << unit % STORE_UNITS / store_units(class_);
    if (block->free != store_all_free(class_) || class_ == STORE_WHOLE)
        return;
    store_unlink(store, index);
    block->class_ = STORE_WHOLE;
    block->free = 1;
    store_link(store, index);
}

hm_status hm_world_store_trim(hm_world_store *store)
{
    uint32_t count = (uint32_t)store->block_array.count;
    while (count > 0 && store_block_at(store, count - 1)->class_ == STORE_WHOLE &&
           store_block_at(store, count - 1)->free != 0)
        store_unlink(store, --count);
    store->block_array.count = store->record_array.count = count;
    hm_status status = hm_array_trim(&store->block_array);
    return status == HM_OK ? hm_array_decommit(&store->record_array) : status;
}

/* Counts the blocks of a list; UINT32_MAX if its links or classes are wrong. */
static uint32_t store_count_list(const hm_world_store *store, uint32_t class_)
{
    uint32_t count = 0, previous = HM_WORLD_NONE;
    size_t blocks = store->block_array.count;
    for (uint32_t i = store->heads[class_]; i != HM_WORLD_NONE; count++) {
        if (i >= blocks || count >= blocks)
            return UINT32_MAX;
        const store_block *block = store_block_at(store, i);
        if (block->previous != previous || block->class_ != class_ || block->free == 0)
            return UINT32_MAX;
        previous = i;
        i = block->next;
    }
    return count;
}

hm_status hm_world_store_validate(const hm_world_store *store)
{
    uint32_t listed[HM_WORLD_CLASSES] = {0};
    if (store->base == NULL) /* The store of a zeroed world: it has no lists. */
        return HM_OK;
    for (uint32_t i = 0; i < store->block_array.count; i++) {
        const store_block *block = store_block_at(store, i);
        if (block->class_ >= HM_WORLD_CLASSES ||
            (block->free & ~store_all_free(block->class_)) != 0)
            return hm_fail(HM_ERROR_CORRUPT, "the record of block %" PRIu32 " is damaged", i);
        listed[block->class_] += block->free != 0;
    }
    for (uint32_t class_ = 0; class_ < HM_WORLD_CLASSES; class_++)
        if (store_count_list(store, class_) != listed[class_])
            return hm_fail(HM_ERROR_CORRUPT,
                           "the list of free pieces of class %" PRIu32 " is damaged", class_);
    return HM_OK;
}

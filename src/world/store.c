/* SPDX-License-Identifier: MIT */
/* world: memory for chunks. Blocks of 256 KiB lie in one range. A block is free, or one chunk, or
 * split into eight pieces, each of which is free, or one chunk, or split likewise: a tree whose
 * *nodes* of level L are as large as chunks of class L. A split node has a bit for each of its
 * pieces that is free. Those with such a bit are in a list of the class of their pieces, and free
 * blocks are in a list too.
 *
 * The store hands out the lowest piece of a node, and keeps no order among nodes: taking and giving
 * are O(1). Trim returns the free blocks at the end of the range. Under AddressSanitizer what was
 * taken is poisoned, and its user unpoisons what is in use. What was given back is poisoned too. */
#include "world_internal.h"

enum {
    STORE_TOP = HM_WORLD_CLASSES - 1,   /* the level of whole blocks */
    STORE_SHIFT = HM_WORLD_CLASS_SHIFT, /* a node has 2^3 pieces */
    STORE_ALL_FREE = (1 << (1 << STORE_SHIFT)) - 1
};

/* A node of level 1 or above. */
typedef struct store_node {
    uint32_t previous, next; /* nodes of the list; HM_WORLD_NONE at its ends */
    uint8_t free;            /* a bit for each free piece */
    bool is_split;
    bool is_free; /* a block in the list of free ones */
} store_node;

/* All nodes of a block. */
typedef struct store_block {
    store_node whole, of_32_kib[1 << STORE_SHIFT], of_4_kib[1 << 2 * STORE_SHIFT];
} store_block;

HM_STATIC_ASSERT((HM_WORLD_UNIT_SIZE << STORE_SHIFT * STORE_TOP) == HM_WORLD_BLOCK_SIZE,
                 "a block has one node at the top");

/* Returns a node of this level. */
static store_node *store_node_at(const hm_world_store *store, uint32_t level, uint32_t index)
{
    uint32_t shift = STORE_SHIFT * (STORE_TOP - level), within = index & ((1U << shift) - 1);
    store_block *block = (store_block *)(void *)store->record_array.data + (index >> shift);
    if (level == STORE_TOP)
        return &block->whole;
    return level == STORE_TOP - 1 ? &block->of_32_kib[within] : &block->of_4_kib[within];
}

void hm_world_store_list(hm_world_store *store, uint64_t size, hm_array_column *columns)
{
    size_t blocks = (size_t)(size / HM_WORLD_BLOCK_SIZE);
    columns[0] = (hm_array_column){.array = &store->block_array,
                                   .desc = {.item_size = HM_WORLD_BLOCK_SIZE,
                                            .item_align = HM_MEMORY_ALIGNMENT,
                                            .capacity = blocks}};
    columns[1] = (hm_array_column){.array = &store->record_array,
                                   .desc = {.item_size = sizeof(store_block), .capacity = blocks}};
}

void hm_world_store_place(hm_world_store *store)
{
    store->base = store->block_array.data;
    for (uint32_t i = 0; i < HM_WORLD_CLASSES; i++)
        store->heads[i] = HM_WORLD_NONE;
}

void hm_world_store_fini(hm_world_store *store)
{
    hm_array_fini(&store->record_array);
    hm_array_fini(&store->block_array);
}

/* Puts a node into the list of this class, which has split nodes of the level above, or blocks. */
static void store_link(hm_world_store *store, uint32_t size_class, uint32_t index)
{
    uint32_t level = size_class == STORE_TOP ? STORE_TOP : size_class + 1,
             *head = &store->heads[size_class];
    store_node *node = store_node_at(store, level, index);
    node->previous = HM_WORLD_NONE;
    node->next = *head;
    if (*head != HM_WORLD_NONE)
        store_node_at(store, level, *head)->previous = index;
    *head = index;
}

static void store_unlink(hm_world_store *store, uint32_t size_class, uint32_t index)
{
    uint32_t level = size_class == STORE_TOP ? STORE_TOP : size_class + 1;
    const store_node *node = store_node_at(store, level, index);
    if (node->previous != HM_WORLD_NONE)
        store_node_at(store, level, node->previous)->next = node->next;
    else
        store->heads[size_class] = node->next;
    if (node->next != HM_WORLD_NONE)
        store_node_at(store, level, node->next)->previous = node->previous;
}

/* Adds a free block at the end of the range. */
static hm_status store_grow(hm_world_store *store)
{
    size_t count = store->block_array.count;
    if (count >= store->block_array.capacity)
        return hm_fail(HM_ERROR_FULL, "%zu of %zu bytes for archetypes: max_size is used up",
                       count * HM_WORLD_BLOCK_SIZE, count * HM_WORLD_BLOCK_SIZE);
    hm_status status = hm_array_commit(&store->record_array, count + 1, true);
    if (status == HM_OK)
        status = hm_array_prepare(&store->block_array, count + 1, true);
    if (status != HM_OK)
        return status;
    store->block_array.count = store->record_array.count = count + 1;
    store_block *block = (store_block *)(void *)store->record_array.data + count;
    memset(block, 0, sizeof *block);
    block->whole.is_free = true;
    store_link(store, STORE_TOP, (uint32_t)count);
    return HM_OK;
}

/* Takes the first piece of the list of this class. */
static uint32_t store_pop(hm_world_store *store, uint32_t size_class)
{
    uint32_t index = store->heads[size_class];
    if (size_class == STORE_TOP) {
        store_unlink(store, size_class, index);
        store_node_at(store, STORE_TOP, index)->is_free = false;
        return index;
    }
    store_node *node = store_node_at(store, size_class + 1, index);
    uint32_t piece = hm_bits_lowest(node->free);
    node->free &= (uint8_t)(node->free - 1);
    if (node->free == 0)
        store_unlink(store, size_class, index);
    return index << STORE_SHIFT | piece;
}

hm_status hm_world_store_take(hm_world_store *store, uint32_t size_class, uint32_t *chunk)
{
    uint32_t level = size_class;
    while (level < STORE_TOP && store->heads[level] == HM_WORLD_NONE)
        level++;
    if (store->heads[level] == HM_WORLD_NONE) {
        hm_status status = store_grow(store);
        if (status != HM_OK)
            return status;
    }
    uint32_t index = store_pop(store, level);
    for (; level > size_class; level--, index <<= STORE_SHIFT) {
        store_node *node = store_node_at(store, level, index);
        node->is_split = true;
        node->free = STORE_ALL_FREE - 1; /* The first piece is taken. */
        store_link(store, level - 1, index);
    }
    uint32_t unit = index << STORE_SHIFT * size_class;
    hm_memory_poison(store->base + (size_t)unit * HM_WORLD_UNIT_SIZE,
                     hm_world_class_size(size_class));
    *chunk = unit << HM_WORLD_CLASS_BITS | size_class;
    return HM_OK;
}

void hm_world_store_give(hm_world_store *store, uint32_t chunk)
{
    uint32_t unit = chunk >> HM_WORLD_CLASS_BITS, level = hm_world_chunk_class(chunk);
    uint32_t index = unit >> STORE_SHIFT * level;
    hm_memory_poison(store->base + (size_t)unit * HM_WORLD_UNIT_SIZE, hm_world_class_size(level));
    for (; level < STORE_TOP; level++) {
        uint32_t piece = index & ((1U << STORE_SHIFT) - 1);
        index >>= STORE_SHIFT;
        store_node *node = store_node_at(store, level + 1, index);
        if (node->free == 0)
            store_link(store, level, index);
        node->free |= (uint8_t)(1U << piece);
        if (node->free != STORE_ALL_FREE)
            return;
        store_unlink(store, level, index);
        node->free = 0;
        node->is_split = false;
    }
    store_node_at(store, STORE_TOP, index)->is_free = true;
    store_link(store, STORE_TOP, index);
}

bool hm_world_store_find(const hm_world_store *store, const void *address, uint32_t *chunk)
{
    size_t offset = (uintptr_t)address - (uintptr_t)store->base;
    if (offset >= store->block_array.count * HM_WORLD_BLOCK_SIZE)
        return false;
    uint32_t level = STORE_TOP, index = (uint32_t)(offset / HM_WORLD_BLOCK_SIZE);
    const store_node *node = store_node_at(store, level, index);
    if (node->is_free)
        return false;
    while (level > 0 && node->is_split) {
        level--;
        index = (uint32_t)(offset / hm_world_class_size(level));
        if ((node->free >> (index & ((1U << STORE_SHIFT) - 1)) & 1) != 0)
            return false;
        if (level > 0)
            node = store_node_at(store, level, index);
    }
    *chunk = index << STORE_SHIFT * level << HM_WORLD_CLASS_BITS | level;
    return true;
}

/* The root archetype has pieces, so there is a block that is not free. */
hm_status hm_world_store_trim(hm_world_store *store)
{
    uint32_t count = (uint32_t)store->block_array.count;
    while (store_node_at(store, STORE_TOP, count - 1)->is_free)
        store_unlink(store, STORE_TOP, --count);
    store->block_array.count = store->record_array.count = count;
    hm_status status = hm_array_trim(&store->block_array);
    return status == HM_OK ? hm_array_decommit(&store->record_array) : status;
}

/* Counts the nodes of a list; UINT32_MAX if its links are wrong. If a list leads back to a node,
 * it comes from another node than the first time. `previous` shows that, and the loop ends. */
static uint32_t store_count_list(const hm_world_store *store, uint32_t size_class)
{
    uint32_t level = size_class == STORE_TOP ? STORE_TOP : size_class + 1;
    uint32_t count = 0, previous = HM_WORLD_NONE;
    size_t nodes = store->block_array.count << STORE_SHIFT * (STORE_TOP - level);
    for (uint32_t i = store->heads[size_class]; i != HM_WORLD_NONE; count++) {
        if (i >= nodes)
            return UINT32_MAX;
        const store_node *node = store_node_at(store, level, i);
        if (node->previous != previous ||
            (size_class == STORE_TOP ? !node->is_free : node->free == 0))
            return UINT32_MAX;
        previous = i;
        i = node->next;
    }
    return count;
}

/* Counts the split nodes of a level that have free pieces; UINT32_MAX if one is damaged. */
static uint32_t store_count_nodes(const hm_world_store *store, uint32_t level)
{
    uint32_t count = 0;
    size_t nodes = store->block_array.count << STORE_SHIFT * (STORE_TOP - level);
    for (uint32_t i = 0; i < nodes; i++) {
        const store_node *node = store_node_at(store, level, i);
        if (!node->is_split ? node->free != 0 : node->is_free || node->free == STORE_ALL_FREE)
            return UINT32_MAX;
        if (level < STORE_TOP && node->is_split) {
            const store_node *parent = store_node_at(store, level + 1, i >> STORE_SHIFT);
            if (!parent->is_split || (parent->free >> (i & ((1U << STORE_SHIFT) - 1)) & 1) != 0)
                return UINT32_MAX;
        }
        count += node->free != 0;
    }
    return count;
}

hm_status hm_world_store_validate(const hm_world_store *store)
{
    uint32_t blocks = 0;
    if (store->base == NULL) /* The store of a zeroed world: it has no lists. */
        return HM_OK;
    for (uint32_t i = 0; i < store->block_array.count; i++)
        blocks += store_node_at(store, STORE_TOP, i)->is_free;
    for (uint32_t size_class = 0; size_class <= STORE_TOP; size_class++) {
        uint32_t count =
            size_class == STORE_TOP ? blocks : store_count_nodes(store, size_class + 1);
        if (count == UINT32_MAX || store_count_list(store, size_class) != count)
            return hm_fail(HM_ERROR_CORRUPT,
                           "the list of free pieces of class %" HM_U32 " is damaged", size_class);
    }
    return HM_OK;
}

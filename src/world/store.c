/* SPDX-License-Identifier: MIT */
/* world: memory for chunks. Blocks of 256 KiB are numbered. A block is free, or one chunk, or
 * split into eight children, each of which is free, or one chunk, or split likewise: a tree whose
 * *nodes* of level L are as large as chunks of class L. A split node has a bit for each of its
 * children that is free. Those with such a bit are in a list of the class of their children, and
 * free blocks are in a list too.
 *
 * Each region is a range with as many blocks as there were before, but at most 2^15. Only the first
 * two have less than a block, so that a small world is small: two children of 4 KiB, and two of
 * 32 KiB. The children that they lack count as taken. The first is in the range of the world's
 * arrays, which stays where it is. So the region of a block, and the first block of a region,
 * follow from their numbers. A world without a capacity commits a region whole, one with a capacity
 * in steps. All but the last region are committed.
 *
 * The store hands out the lowest child of a node, and keeps no order among nodes: taking and giving
 * are O(1). Trim returns the free blocks at the end. Under AddressSanitizer what was taken is
 * poisoned, and its user unpoisons what is in use. What was given back is poisoned too. */
#include "world_private.h"

#ifndef HM_EXHAUSTIVE
enum {
    STORE_FIRST = 1,   /* records that there is space for at first */
    STORE_CHILDREN = 2 /* of a block that is less than one */
};
#endif

enum {
    STORE_TOP = HM_WORLD_CLASSES - 1,   /* the level of whole blocks */
    STORE_SHIFT = HM_WORLD_CLASS_SHIFT, /* a node has 2^3 children */
    STORE_ALL_FREE = (1 << (1 << STORE_SHIFT)) - 1,
    STORE_PART_FREE = (1 << STORE_CHILDREN) - 1, /* all children of such a block */
    STORE_BLOCK_BITS = STORE_TOP * STORE_SHIFT,  /* a block has so many units, as a power of two */
    STORE_REGION_BITS = 32 - HM_WORLD_BASE_BITS - STORE_BLOCK_BITS, /* likewise a large region's */
    STORE_REGIONS = 1 << (HM_WORLD_BASE_BITS - HM_WORLD_CLASS_BITS),
    STORE_PARTS = 2 /* the first blocks, each a region, that are less than a block */
};

/* A node of level 1 or above. */
typedef struct store_node {
    uint32_t previous, next; /* nodes of the list; HM_WORLD_NONE at its ends */
    uint8_t free;            /* a bit for each free child */
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

/* regions */

static uint32_t store_region_of(uint32_t block)
{
    uint32_t region = block >> STORE_REGION_BITS;
    /* Coverage: no test has chunks of more than 8 GiB. */
    if (region != 0)
        /* Coverage: as above. */
        return STORE_REGION_BITS + region;
    return block != 0 ? 1 + hm_bits_highest(block) : 0;
}

static uint32_t store_first_of(uint32_t region)
{
    /* Coverage: as above. */
    if (region > STORE_REGION_BITS)
        /* Coverage: as above. */
        return (region - STORE_REGION_BITS) << STORE_REGION_BITS;
    return region != 0 ? 1U << (region - 1) : 0;
}

/* Returns the bytes of a region. */
static size_t store_region_size(uint32_t region)
{
    if (region < STORE_PARTS)
        return STORE_CHILDREN * hm_world_class_size(region + 1);
    return (store_first_of(region + 1) - store_first_of(region)) * HM_WORLD_BLOCK_SIZE;
}

/* The same in whole pages. */
static size_t store_range_size(const hm_world_store *store, uint32_t region)
{
    return hm_memory_round_up(store_region_size(region), store->base_array.memory->page_size);
}

static unsigned char *store_at(const hm_world_store *store, uint32_t chunk)
{
    return store->bases[chunk & ((1U << HM_WORLD_BASE_BITS) - 1)] + HM_WORLD_DISTANCE(chunk);
}

static unsigned char *store_region_at(const hm_world_store *store, uint32_t region)
{
    return store_at(store, region << HM_WORLD_CLASS_BITS);
}

static void store_set_bases(const hm_world_store *store, uint32_t region, unsigned char *data)
{
    uint32_t first = region << HM_WORLD_CLASS_BITS;
    for (uint32_t i = first; i < first + HM_WORLD_CLASSES; i++)
        store->bases[i] = data - HM_WORLD_DISTANCE(i);
}

/* Returns the number of the chunk with this first unit, counted over all blocks, and class. */
static uint32_t store_name(uint32_t unit, uint32_t size_class)
{
    uint32_t region = store_region_of(unit >> STORE_BLOCK_BITS);
    unit -= store_first_of(region) << STORE_BLOCK_BITS;
    return unit << HM_WORLD_BASE_BITS | region << HM_WORLD_CLASS_BITS | size_class;
}

/* The reverse: returns the first unit. */
static uint32_t store_unit_of(uint32_t chunk)
{
    uint32_t region = (chunk >> HM_WORLD_CLASS_BITS) % STORE_REGIONS;
    return (chunk >> HM_WORLD_BASE_BITS) + (store_first_of(region) << STORE_BLOCK_BITS);
}

static size_t store_region_items(void *owner, size_t capacity)
{
    (void)owner;
    (void)capacity;
    return STORE_CHILDREN;
}

void hm_world_store_list(hm_world_store *store, bool is_bounded, hm_array *region,
                         hm_array_column *columns)
{
    static const hm_array_parts parts = {store_region_items, NULL};
    columns[0] =
        (hm_array_column){.array = &store->record_array,
                          .desc = {.item_size = sizeof(store_block), .capacity = STORE_FIRST}};
    /* With a capacity they never move: a region may be added while a query runs. */
    columns[1] = (hm_array_column){.array = &store->base_array,
                                   .desc = {.item_size = HM_WORLD_CLASSES * sizeof *store->bases,
                                            .capacity = is_bounded ? STORE_REGIONS : 4}};
    columns[2] = (hm_array_column){.array = region,
                                   .desc = {.item_size = hm_world_class_size(1),
                                            .item_align = HM_MEMORY_ALIGNMENT,
                                            .capacity = is_bounded ? STORE_CHILDREN : 0},
                                   .parts = &parts};
}

/* Releases the last region, which is not the first. The one before is committed. */
static void store_drop_region(hm_world_store *store)
{
    const hm_memory *memory = store->base_array.memory;
    uint32_t region = (uint32_t)--store->base_array.count;
    unsigned char *data = store_region_at(store, region);
    size_t size = store_range_size(store, region);
    hm_memory_unpoison(data, size);
    memory->release(memory->context, data, size);
    store->committed_size = store_range_size(store, region - 1);
}

void hm_world_store_fini(hm_world_store *store)
{
    while (store->base_array.count > 1)
        store_drop_region(store);
    hm_array_fini(&store->record_array);
    hm_array_fini(&store->base_array);
}

void hm_world_store_add_sizes(const hm_world_store *store, hm_stats *stats)
{
    uint32_t count = (uint32_t)store->base_array.count;
    hm_stats_add(stats, &store->record_array);
    hm_stats_add(stats, &store->base_array);
    for (uint32_t i = 1; i < count; i++) { /* The first belongs to the world's first range. */
        size_t size = store_range_size(store, i);
        stats->committed_size += i + 1 < count ? size : store->committed_size;
        stats->reserved_size += size;
    }
}

/* nodes */

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

/* Adds a block at the end, whose memory is there, and which is free. */
static void store_add_block(hm_world_store *store)
{
    uint32_t count = (uint32_t)store->record_array.count++;
    store_block *block = (store_block *)(void *)store->record_array.data + count;
    memset(block, 0, sizeof *block);
    if (count >= STORE_PARTS) {
        block->whole.is_free = true;
        store_link(store, STORE_TOP, count);
        return;
    }
    block->whole.is_split = true;
    block->of_32_kib->is_split = count == 0;
    store_node_at(store, STORE_TOP - 1 + count, count)->free = STORE_PART_FREE;
    store_link(store, STORE_TOP - 2 + count, count);
}

void hm_world_store_begin(hm_world_store *store, unsigned char *region, bool is_bounded,
                          uint64_t size)
{
    for (uint32_t i = 0; i < HM_WORLD_CLASSES; i++)
        store->heads[i] = HM_WORLD_NONE;
    store->limit = size != 0 ? STORE_PARTS + (uint32_t)(size / HM_WORLD_BLOCK_SIZE) : UINT32_MAX;
    store->grows_in_steps = is_bounded;
    store->committed_size = store_range_size(store, 0);
    store->base_array.count = 1;
    store_set_bases(store, 0, region);
    hm_memory_poison(region, store_region_size(0));
    store_add_block(store);
}

/* Commits memory of the last region up to `end`, in bytes, or whole if there is no capacity. Blocks
 * are larger than the steps in which arrays grow. */
static hm_status store_commit(hm_world_store *store, uint32_t region, size_t end)
{
    const hm_memory *memory = store->base_array.memory;
    size_t ready = store->committed_size, size = store_range_size(store, region) - ready;
    if (end <= ready)
        return HM_OK;
    if (store->grows_in_steps)
        size = hm_memory_round_up(end - ready, memory->page_size);
    unsigned char *start = store_region_at(store, region) + ready;
    hm_status status = hm_memory_commit(memory, start, size, true);
    if (status != HM_OK)
        return status;
    store->committed_size += size;
    hm_memory_poison(start, size);
    return HM_OK;
}

/* Reserves the next region, and commits it up to `end`. */
static hm_status store_add_region(hm_world *world, size_t end)
{
    hm_world_store *store = &world->store;
    const hm_memory *memory = store->base_array.memory;
    uint32_t region = (uint32_t)store->base_array.count;
    unsigned char *data = NULL;
    /* Coverage: no test has chunks of 384 GiB. */
    if (region == STORE_REGIONS)
        /* Coverage: as above. */
        return hm_fail(HM_ERROR_FULL,
                       "archetypes have all memory that chunks can be numbered in: trim the world");
    hm_status status = hm_world_widen(world, &store->base_array,
                                      HM_WORLD_CLASSES * sizeof *store->bases, region + 1);
    store->bases = hm_array_data(&store->base_array);
    if (status == HM_OK)
        status = hm_array_commit(&store->base_array, region + 1, false);
    if (status == HM_OK)
        status = hm_memory_reserve(memory, store_range_size(store, region), &data);
    if (status != HM_OK)
        return status;
    size_t before = store->committed_size;
    hm_memory_advise_large(memory, store_first_of(region) * HM_WORLD_BLOCK_SIZE, data,
                           store_range_size(store, region));
    store_set_bases(store, region, data);
    store->committed_size = 0;
    status = store_commit(store, region, end);
    if (status == HM_OK) {
        store->base_array.count++;
        return HM_OK;
    }
    store->committed_size = before;
    memory->release(memory->context, data, store_range_size(store, region));
    return status;
}

/* Makes memory for the next block. */
static hm_status store_add_memory(hm_world *world, uint32_t block)
{
    hm_world_store *store = &world->store;
    uint32_t region = store_region_of(block);
    size_t end = (block - store_first_of(region) + (size_t)1) * HM_WORLD_BLOCK_SIZE;
    if (block >= store->limit)
        return hm_fail(
            HM_ERROR_FULL,
            "%zu of %zu bytes for archetypes: max_size is used up: trim the world, or raise it",
            (block - STORE_PARTS) * HM_WORLD_BLOCK_SIZE,
            (block - STORE_PARTS) * HM_WORLD_BLOCK_SIZE);
    if (region < STORE_PARTS)
        end = store_region_size(region);
    return region < store->base_array.count ? store_commit(store, region, end)
                                            : store_add_region(world, end);
}

/* Adds a free block at the end. Nobody but the store reads the records, so that they may move while
 * a query runs. */
static hm_status store_grow(hm_world *world)
{
    hm_world_store *store = &world->store;
    uint32_t count = (uint32_t)store->record_array.count;
    hm_status status = HM_OK;
    if (count == store->record_array.capacity)
        status = hm_array_widen(&store->record_array, (size_t)count + 1, count);
    if (status == HM_OK)
        status = store_add_memory(world, count);
    if (status == HM_OK)
        status = hm_array_commit(&store->record_array, (size_t)count + 1, true);
    if (status != HM_OK)
        return status;
    store_add_block(store);
    return HM_OK;
}

/* Takes the first child of the list of this class. */
static uint32_t store_pop(hm_world_store *store, uint32_t size_class)
{
    uint32_t index = store->heads[size_class];
    if (size_class == STORE_TOP) {
        store_unlink(store, size_class, index);
        store_node_at(store, STORE_TOP, index)->is_free = false;
        return index;
    }
    store_node *node = store_node_at(store, size_class + 1, index);
    uint32_t child = hm_bits_lowest(node->free);
    node->free &= (uint8_t)(node->free - 1);
    if (node->free == 0)
        store_unlink(store, size_class, index);
    return index << STORE_SHIFT | child;
}

/* Returns the smallest class with free children, from this one on; if there is none, the largest.
 */
static uint32_t store_find_class(const hm_world_store *store, uint32_t size_class)
{
    while (size_class < STORE_TOP && store->heads[size_class] == HM_WORLD_NONE)
        size_class++;
    return size_class;
}

hm_status hm_world_store_take(hm_world *world, uint32_t size_class, uint32_t *chunk)
{
    hm_world_store *store = &world->store;
    uint32_t level = store_find_class(store, size_class);
    while (store->heads[level] == HM_WORLD_NONE) { /* What comes next may be too small. */
        hm_status status = store_grow(world);
        if (status != HM_OK)
            return status;
        level = store_find_class(store, size_class);
    }
    uint32_t index = store_pop(store, level);
    for (; level > size_class; level--, index <<= STORE_SHIFT) {
        store_node *node = store_node_at(store, level, index);
        node->is_split = true;
        node->free = STORE_ALL_FREE - 1; /* The first child is taken. */
        store_link(store, level - 1, index);
    }
    *chunk = store_name(index << STORE_SHIFT * size_class, size_class);
    hm_memory_poison(store_at(store, *chunk), hm_world_class_size(size_class));
    return HM_OK;
}

void hm_world_store_give(hm_world_store *store, uint32_t chunk)
{
    uint32_t level = hm_world_chunk_class(chunk);
    uint32_t index = store_unit_of(chunk) >> STORE_SHIFT * level;
    hm_memory_poison(store_at(store, chunk), hm_world_class_size(level));
    for (; level < STORE_TOP; level++) {
        uint32_t child = index & ((1U << STORE_SHIFT) - 1);
        index >>= STORE_SHIFT;
        store_node *node = store_node_at(store, level + 1, index);
        if (node->free == 0)
            store_link(store, level, index);
        node->free |= (uint8_t)(1U << child);
        if (node->free != STORE_ALL_FREE)
            return;
        store_unlink(store, level, index);
        node->free = 0;
        node->is_split = false;
    }
    store_node_at(store, STORE_TOP, index)->is_free = true;
    store_link(store, STORE_TOP, index);
}

/* Finds the unit, counted over all blocks, that has this address. */
static bool store_find_unit(const hm_world_store *store, const void *address, uint32_t *unit)
{
    for (uint32_t region = 0; region < store->base_array.count; region++) {
        size_t offset = (uintptr_t)address - (uintptr_t)store_region_at(store, region);
        *unit =
            (store_first_of(region) << STORE_BLOCK_BITS) + (uint32_t)(offset / HM_WORLD_UNIT_SIZE);
        if (offset < store_region_size(region))
            return *unit >> STORE_BLOCK_BITS < store->record_array.count;
    }
    return false;
}

bool hm_world_store_find(const hm_world_store *store, const void *address, uint32_t *chunk)
{
    uint32_t unit, level = STORE_TOP;
    if (!store_find_unit(store, address, &unit))
        return false;
    const store_node *node = store_node_at(store, level, unit >> STORE_BLOCK_BITS);
    if (node->is_free)
        return false;
    while (level > 0 && node->is_split) {
        level--;
        uint32_t index = unit >> STORE_SHIFT * level;
        if ((node->free >> (index & ((1U << STORE_SHIFT) - 1)) & 1) != 0)
            return false;
        if (level > 0)
            node = store_node_at(store, level, index);
    }
    *chunk = store_name(unit >> STORE_SHIFT * level << STORE_SHIFT * level, level);
    return true;
}

/* Takes a block out of its list if none of it is in use. */
static bool store_close(hm_world_store *store, uint32_t block)
{
    const store_node *whole = store_node_at(store, STORE_TOP, block);
    bool is_part = block == STORE_PARTS - 1;
    if (!whole->is_free && !(is_part && whole->free == STORE_PART_FREE))
        return false;
    store_unlink(store, is_part ? STORE_TOP - 1 : STORE_TOP, block);
    return true;
}

/* Gives back the pages of the last region that are behind `end`, in bytes; none if it was committed
 * whole. */
static hm_status store_decommit(hm_world_store *store, uint32_t region, size_t end)
{
    const hm_memory *memory = store->base_array.memory;
    size_t keep = hm_memory_round_up(end, memory->page_size), before = store->committed_size;
    if (!store->grows_in_steps || region < STORE_PARTS || keep >= before)
        return HM_OK;
    unsigned char *start = store_region_at(store, region) + keep;
    hm_memory_unpoison(start, before - keep); /* The memory table's function may write there. */
    hm_status status = hm_memory_decommit(memory, start, before - keep);
    if (status == HM_OK)
        store->committed_size = keep;
    else
        hm_memory_poison(start, before - keep);
    return status;
}

/* The root archetype has children in the first block, which is not free. */
hm_status hm_world_store_trim(hm_world_store *store)
{
    uint32_t count = (uint32_t)store->record_array.count, region;
    while (store_close(store, count - 1))
        count--;
    store->record_array.count = count;
    for (region = (uint32_t)store->base_array.count - 1; store_first_of(region) >= count; region--)
        store_drop_region(store);
    hm_status status =
        store_decommit(store, region, (count - store_first_of(region)) * HM_WORLD_BLOCK_SIZE);
    return status == HM_OK ? hm_array_decommit(&store->record_array) : status;
}

/* Counts the nodes of a list; UINT32_MAX if its links are wrong. If a list leads back to a node,
 * it comes from another node than the first time. `previous` shows that, and the loop ends. */
static uint32_t store_count_list(const hm_world_store *store, uint32_t size_class)
{
    uint32_t level = size_class == STORE_TOP ? STORE_TOP : size_class + 1;
    uint32_t count = 0, previous = HM_WORLD_NONE;
    size_t nodes = store->record_array.count << STORE_SHIFT * (STORE_TOP - level);
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

/* Counts the split nodes of a level that have free children; UINT32_MAX if one is damaged. */
static uint32_t store_count_nodes(const hm_world_store *store, uint32_t level)
{
    uint32_t count = 0;
    size_t nodes = store->record_array.count << STORE_SHIFT * (STORE_TOP - level);
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
    if (store->bases == NULL) /* The store of a zeroed world: it has no lists. */
        return HM_OK;
    for (uint32_t i = 0; i < store->record_array.count; i++)
        blocks += store_node_at(store, STORE_TOP, i)->is_free;
    for (uint32_t size_class = 0; size_class <= STORE_TOP; size_class++) {
        uint32_t count =
            size_class == STORE_TOP ? blocks : store_count_nodes(store, size_class + 1);
        if (count == UINT32_MAX || store_count_list(store, size_class) != count)
            return hm_fail(HM_ERROR_CORRUPT,
                           "the list of free children of class %" HM_U32 " is damaged", size_class);
    }
    return HM_OK;
}

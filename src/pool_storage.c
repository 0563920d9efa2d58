/* pool_storage: the memory of a pool's items, in units that come and go.
 *
 *     one range    units are pages, which cut through items:
 *                  slots    |  0  |  1  |  2  |  3  |  4  |  5  |
 *                  pages    |    0    |    1    |    2    |    3  present: a bit each
 *
 *     blocks       units are blocks, which hold whole items:
 *                  blocks[0] -> | 0 | 1 | 2 | 3 |    blocks[1] = NULL    blocks[2] -> | 8 | 9 | ...
 *
 * All that differs between the storages is in the first third of this file. */
#include "array_private.h"
#include "pool_private.h"

/* Bytes. How much of the one range is committed at once: steps grow with it, as the array's do. */
static const size_t min_step = (size_t)64 << 10;
static const size_t max_step = (size_t)4 << 20;

static const size_t default_block_size = (size_t)16 << 10; /* bytes */

enum { MIN_INDEX_SIZE = 64 };

static bool is_one_range(const hm_pool *pool)
{
    return pool->storage == HM_STORAGE_VIRTUAL;
}

static size_t round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) & ~(page_size - 1);
}

/* Units and slots */

/* Returns how many slots end at or before the beginning of a unit. */
static uint64_t slots_below(const hm_pool *pool, size_t unit)
{
    if (is_one_range(pool))
        return unit * pool->memory->page_size / pool->item_size;
    if (pool->storage == HM_STORAGE_FIXED_BLOCKS)
        return (uint64_t)unit << pool->block_shift;
    return hm_pool_growing_place(0) * ((UINT64_C(1) << unit) - 1);
}

static size_t first_unit(const hm_pool *pool, uint32_t slot)
{
    if (is_one_range(pool))
        return pool->item_size * slot / pool->memory->page_size;
    if (pool->storage == HM_STORAGE_FIXED_BLOCKS)
        return slot >> pool->block_shift;
    return hm_pool_high_bit(hm_pool_growing_place(slot)) - HM_POOL_FIRST_BLOCK_SHIFT;
}

static size_t last_unit(const hm_pool *pool, uint32_t slot)
{
    if (is_one_range(pool))
        return (pool->item_size * slot + pool->item_size - 1) / pool->memory->page_size;
    return first_unit(pool, slot);
}

static uint32_t at_most(uint64_t slots, uint32_t limit)
{
    return slots < limit ? (uint32_t)slots : limit;
}

/* The issued slots that have a part in the units from `first` to `end`. */
static hm_pool_range slots_of(const hm_pool *pool, size_t first, size_t end)
{
    uint64_t last = slots_below(pool, end);
    if (is_one_range(pool) && end * pool->memory->page_size % pool->item_size != 0)
        last++;
    return (hm_pool_range){at_most(slots_below(pool, first), pool->slot_count),
                           at_most(last, pool->slot_count)};
}

static uint64_t *page_word(const hm_pool *pool, size_t page)
{
    return (uint64_t *)(void *)pool->unit_array.data + page / HM_POOL_WORD;
}

static bool is_present(const hm_pool *pool, size_t unit)
{
    if (unit >= pool->unit_end)
        return false;
    if (is_one_range(pool))
        return (*page_word(pool, unit) >> unit % HM_POOL_WORD & 1) != 0;
    return pool->blocks[unit] != NULL;
}

/* Bytes of a block. Fixed ones have one size; the last of the growing ones ends with the slots. */
static size_t block_size(const hm_pool *pool, size_t block)
{
    if (pool->storage == HM_STORAGE_FIXED_BLOCKS)
        return round_up(pool->item_size << pool->block_shift, pool->memory->page_size);
    uint64_t items = slots_below(pool, block + 1) - slots_below(pool, block);
    uint64_t rest = pool->max_slots - slots_below(pool, block);
    size_t held = (size_t)(items < rest ? items : rest);
    return round_up(pool->item_size * held, pool->memory->page_size);
}

/* Where the blocks are: a hash table over the addresses, so that a pointer finds its block and a
 * new block costs the same however many there are. Addresses are cut into cells that are no larger
 * than a block, so that at most one block begins in each, and a pointer's block begins in one of
 * the three cells up to its own. */

static uint64_t cell_of(const hm_pool *pool, const void *address)
{
    return (uint64_t)(uintptr_t)address >> pool->cell_shift;
}

/* The place of the block that begins in a cell, or the free one where it would stand. */
static uint32_t *index_place(const hm_pool *pool, uint64_t cell)
{
    uint32_t *table = (uint32_t *)(void *)pool->index_array.data;
    size_t mask = pool->index_size - 1;
    uint64_t hash = cell * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 by the golden ratio */
    size_t i = (size_t)(hash >> 32) & mask;
    while (table[i] != 0 && cell_of(pool, pool->blocks[table[i] - 1]) != cell)
        i = (i + 1) & mask;
    return &table[i];
}

static void index_all(hm_pool *pool)
{
    memset(pool->index_array.data, 0, pool->index_size * sizeof(uint32_t));
    for (size_t i = 0; i < pool->unit_end; i++)
        if (pool->blocks[i] != NULL)
            *index_place(pool, cell_of(pool, pool->blocks[i])) = (uint32_t)i + 1;
}

/* Keeps the table at most half full. */
static hm_status make_index_room(hm_pool *pool)
{
    if (2 * (pool->block_count + 1) <= pool->index_size)
        return HM_OK;
    size_t size = pool->index_size != 0 ? 2 * pool->index_size : MIN_INDEX_SIZE;
    hm_status status = hm_array_commit(&pool->index_array, size);
    if (status != HM_OK)
        return status;
    pool->index_size = size;
    index_all(pool);
    return HM_OK;
}

/* Bringing units and dropping them */

static hm_status bring_block(hm_pool *pool, size_t block)
{
    const hm_memory *memory = pool->memory;
    size_t size = block_size(pool, block);
    hm_status status = hm_array_commit(&pool->unit_array, block + 1);
    if (status == HM_OK && pool->storage == HM_STORAGE_FIXED_BLOCKS)
        status = make_index_room(pool);
    if (status != HM_OK)
        return status;
    void *address = memory->reserve(memory->context, size);
    if (address == NULL)
        return HM_ERROR_MEMORY;
    if (!memory->commit(memory->context, address, size)) {
        memory->release(memory->context, address, size);
        return HM_ERROR_MEMORY;
    }
    hm_memory_poison(address, size);
    pool->blocks[block] = address;
    pool->block_count++;
    pool->item_committed_size += size;
    pool->item_reserved_size += size;
    if (pool->storage == HM_STORAGE_FIXED_BLOCKS)
        *index_place(pool, cell_of(pool, address)) = (uint32_t)block + 1;
    return HM_OK;
}

static void drop_block(hm_pool *pool, size_t block)
{
    size_t size = block_size(pool, block);
    hm_memory_unpoison(pool->blocks[block], size);
    pool->memory->release(pool->memory->context, pool->blocks[block], size);
    pool->blocks[block] = NULL;
    pool->block_count--;
    pool->item_committed_size -= size;
    pool->item_reserved_size -= size;
}

static hm_status bring_pages(hm_pool *pool, size_t first, size_t end)
{
    const hm_memory *memory = pool->memory;
    unsigned char *address = pool->items + first * memory->page_size;
    size_t size = (end - first) * memory->page_size;
    hm_status status = hm_array_commit(&pool->unit_array, (end - 1) / HM_POOL_WORD + 1);
    if (status != HM_OK)
        return status;
    if (!memory->commit(memory->context, address, size))
        return HM_ERROR_MEMORY;
    hm_memory_poison(address, size);
    for (size_t page = first; page < end; page++)
        *page_word(pool, page) |= UINT64_C(1) << page % HM_POOL_WORD;
    pool->item_committed_size += size;
    return HM_OK;
}

static hm_status drop_pages(hm_pool *pool, size_t first, size_t end)
{
    const hm_memory *memory = pool->memory;
    unsigned char *address = pool->items + first * memory->page_size;
    size_t size = (end - first) * memory->page_size;
    hm_memory_unpoison(address, size); /* The table's function may write there. */
    if (!memory->decommit(memory->context, address, size)) {
        hm_memory_poison(address, size);
        return HM_ERROR_MEMORY;
    }
    for (size_t page = first; page < end; page++)
        *page_word(pool, page) &= ~(UINT64_C(1) << page % HM_POOL_WORD);
    pool->item_committed_size -= size;
    return HM_OK;
}

/* Brings absent units: any number of pages, or one block. */
static hm_status bring(hm_pool *pool, size_t first, size_t end)
{
    hm_status status =
        is_one_range(pool) ? bring_pages(pool, first, end) : bring_block(pool, first);
    if (status != HM_OK)
        return status;
    if (pool->unit_end < end)
        pool->unit_end = end;
    hm_pool_warm(pool, slots_of(pool, first, end));
    return HM_OK;
}

static hm_status drop(hm_pool *pool, size_t first, size_t end)
{
    if (is_one_range(pool))
        return drop_pages(pool, first, end);
    for (size_t block = first; block < end; block++)
        drop_block(pool, block);
    return HM_OK;
}

/* From here on a unit is a unit */

/* How many units are brought at once. */
static size_t step(const hm_pool *pool)
{
    if (!is_one_range(pool))
        return 1;
    size_t size = pool->item_committed_size / 4;
    size = size < min_step ? min_step : size;
    size = size < max_step ? size : max_step;
    size_t pages = size / pool->memory->page_size;
    return pages != 0 ? pages : 1;
}

hm_status hm_pool_storage_grow(hm_pool *pool, uint32_t n)
{
    size_t end = last_unit(pool, pool->slot_count + n - 1) + 1;
    for (size_t unit = first_unit(pool, pool->slot_count); unit < end; unit++) {
        if (is_present(pool, unit))
            continue;
        /* Behind the first one that is absent here, all are. */
        size_t stop = unit + step(pool) < pool->unit_count ? unit + step(pool) : pool->unit_count;
        hm_status status = bring(pool, unit, stop);
        if (status != HM_OK)
            return status;
        unit = stop - 1;
    }
    return HM_OK;
}

uint32_t hm_pool_storage_fresh_end(const hm_pool *pool)
{
    if (pool->slot_count == pool->max_slots)
        return pool->max_slots;
    size_t unit = first_unit(pool, pool->slot_count);
    while (is_present(pool, unit))
        unit++;
    uint32_t end = at_most(slots_below(pool, unit), pool->max_slots);
    return end > pool->slot_count ? end : pool->slot_count;
}

hm_status hm_pool_storage_revive(hm_pool *pool)
{
    size_t unit = pool->absent_from;
    while (is_present(pool, unit) || !hm_pool_any_cold(pool, slots_of(pool, unit, unit + 1)))
        unit++;
    pool->absent_from = unit;
    /* No further than the slots that were issued. */
    size_t end = last_unit(pool, pool->slot_count - 1) + 1;
    size_t most = is_one_range(pool) ? min_step / pool->memory->page_size : 1;
    size_t stop = unit + 1;
    while (stop < end && stop - unit < most && !is_present(pool, stop))
        stop++;
    return bring(pool, unit, stop);
}

hm_status hm_pool_storage_trim(hm_pool *pool)
{
    hm_status status = HM_OK;
    pool->absent_from = 0;
    for (size_t first = 0; first < pool->unit_end && status == HM_OK; first++) {
        size_t end = first;
        while (is_present(pool, end) && !hm_pool_any_live(pool, slots_of(pool, end, end + 1)))
            end++;
        if (end == first)
            continue;
        status = drop(pool, first, end);
        if (status == HM_OK)
            hm_pool_chill(pool, slots_of(pool, first, end));
        first = end;
    }
    while (pool->unit_end != 0 && !is_present(pool, pool->unit_end - 1))
        pool->unit_end--;
    if (pool->index_size != 0)
        index_all(pool);
    return status;
}

bool hm_pool_storage_has(const hm_pool *pool, uint32_t slot)
{
    size_t end = last_unit(pool, slot) + 1;
    size_t unit = first_unit(pool, slot);
    while (unit < end && is_present(pool, unit))
        unit++;
    return unit == end;
}

uint32_t hm_pool_storage_run_end(const hm_pool *pool, uint32_t slot)
{
    if (is_one_range(pool))
        return pool->slot_count;
    return at_most(slots_below(pool, first_unit(pool, slot) + 1), pool->slot_count);
}

/* Pointers into nothing of ours */

/* Returns the block that holds an address, or unit_end. */
static size_t find_block(const hm_pool *pool, const void *address)
{
    if (pool->storage == HM_STORAGE_GROWING_BLOCKS) {
        size_t block = 0;
        while (block < pool->unit_end &&
               (pool->blocks[block] == NULL ||
                (uintptr_t)address - (uintptr_t)pool->blocks[block] >= block_size(pool, block)))
            block++;
        return block;
    }
    for (uint64_t back = 0; back < 3; back++) {
        uint32_t found = *index_place(pool, cell_of(pool, address) - back);
        if (found != 0 &&
            (uintptr_t)address - (uintptr_t)pool->blocks[found - 1] < block_size(pool, found - 1))
            return found - 1;
    }
    return pool->unit_end;
}

/* Addresses are compared as numbers: they may be of unrelated objects. What is below wraps around
 * and is too large. */
uint32_t hm_pool_storage_find(const hm_pool *pool, const void *address)
{
    const unsigned char *start = pool->items;
    uint64_t below = 0, held = pool->slot_count;
    if (!is_one_range(pool)) {
        size_t block = find_block(pool, address);
        if (block == pool->unit_end)
            return HM_INVALID_INDEX;
        start = pool->blocks[block];
        below = slots_below(pool, block);
        held = slots_below(pool, block + 1) - below;
    }
    uint64_t place = ((uintptr_t)address - (uintptr_t)start) / pool->item_size;
    return place < held && below + place < pool->slot_count ? (uint32_t)(below + place)
                                                            : HM_INVALID_INDEX;
}

/* init and fini */

static hm_status init_range(hm_pool *pool)
{
    size_t page_size = pool->memory->page_size;
    size_t size = round_up(pool->item_size * pool->max_slots, page_size);
    pool->unit_count = size / page_size;
    hm_array_desc units = {.item_size = sizeof(uint64_t), .memory = pool->memory};
    units.capacity = (pool->unit_count - 1) / HM_POOL_WORD + 1;
    units.commit_step = page_size;
    hm_status status = hm_array_init(&pool->unit_array, &units);
    if (status != HM_OK)
        return status;
    pool->items = pool->memory->reserve(pool->memory->context, size);
    if (pool->items == NULL)
        return HM_ERROR_MEMORY;
    pool->item_reserved_size = size;
    return HM_OK;
}

/* The smallest power of two of items that fills the bytes, but not more than there will be. */
static uint32_t fixed_block_shift(const hm_pool *pool, size_t size)
{
    uint32_t shift = 0;
    if (size == 0)
        size = default_block_size;
    if (size < HM_MEMORY_ALIGNMENT)
        size = HM_MEMORY_ALIGNMENT;
    if (size < pool->memory->page_size)
        size = pool->memory->page_size;
    while (pool->item_size << shift < size && UINT64_C(1) << shift < pool->max_slots)
        shift++;
    return shift;
}

static hm_status init_blocks(hm_pool *pool, size_t size)
{
    hm_array_desc units = {.item_size = sizeof(unsigned char *), .memory = pool->memory};
    hm_array_desc index = {.item_size = sizeof(uint32_t), .memory = pool->memory};
    bool is_fixed = pool->storage == HM_STORAGE_FIXED_BLOCKS;
    pool->block_shift = is_fixed ? fixed_block_shift(pool, size) : 0;
    pool->blocks_end_in_words = !is_fixed || UINT64_C(1) << pool->block_shift < HM_POOL_WORD;
    pool->unit_count = first_unit(pool, pool->max_slots - 1) + 1;
    units.capacity = pool->unit_count;
    units.commit_step = index.commit_step = pool->memory->page_size;
    hm_status status = hm_array_init(&pool->unit_array, &units);
    if (status != HM_OK)
        return status;
    pool->blocks = (unsigned char **)(void *)pool->unit_array.data;
    if (!is_fixed)
        return HM_OK;
    pool->cell_shift = hm_pool_high_bit(block_size(pool, 0));
    index.capacity = MIN_INDEX_SIZE;
    while (index.capacity < 2 * pool->unit_count)
        index.capacity *= 2;
    return hm_array_init(&pool->index_array, &index);
}

hm_status hm_pool_storage_init(hm_pool *pool, const hm_pool_desc *desc)
{
    /* Then no later product overflows, nor a block of less than twice as many items as there can
     * be, rounded up to pages. */
    if (pool->item_size > (SIZE_MAX - pool->memory->page_size) / 2 / pool->max_slots)
        return HM_ERROR_INVALID;
    return is_one_range(pool) ? init_range(pool) : init_blocks(pool, desc->block_size);
}

void hm_pool_storage_fini(hm_pool *pool)
{
    if (pool->items != NULL) {
        hm_memory_unpoison(pool->items, pool->unit_end * pool->memory->page_size);
        pool->memory->release(pool->memory->context, pool->items, pool->item_reserved_size);
    }
    for (size_t block = 0; pool->blocks != NULL && block < pool->unit_end; block++)
        if (pool->blocks[block] != NULL)
            drop_block(pool, block);
    hm_array_fini(&pool->index_array);
    hm_array_fini(&pool->unit_array);
}

/* Whether the hash table leads to each block, and to nothing else. */
static bool index_is_valid(const hm_pool *pool)
{
    const uint32_t *table = (const uint32_t *)(const void *)pool->index_array.data;
    size_t held = 0;
    for (size_t i = 0; i < pool->index_size; i++)
        held += table[i] != 0;
    for (size_t block = 0; block < pool->unit_end; block++)
        if (pool->blocks[block] != NULL && find_block(pool, pool->blocks[block]) != block)
            return false;
    return held == (pool->storage == HM_STORAGE_FIXED_BLOCKS ? pool->block_count : 0);
}

bool hm_pool_storage_is_valid(const hm_pool *pool)
{
    size_t present = 0, size = 0;
    if (pool->unit_end > pool->unit_count ||
        (pool->unit_end != 0 && !is_present(pool, pool->unit_end - 1)))
        return false;
    for (size_t unit = 0; unit < pool->unit_end; unit++) {
        if (!is_present(pool, unit))
            continue;
        present++;
        size += is_one_range(pool) ? pool->memory->page_size : block_size(pool, unit);
    }
    if (size != pool->item_committed_size)
        return false;
    return is_one_range(pool) || (present == pool->block_count && index_is_valid(pool));
}

/* SPDX-License-Identifier: MIT */
/* pool: the memory of items, in units that gain and lose it. units.c says where they are; this file
 * reserves, commits, decommits and releases them, and records which have memory: in the bits of
 * pages, or in the bases of blocks. */
#include "pool_private.h"

/* Gaining and losing units */

/* Address NULL means that the block has no memory. */
static void pool_set_block_start(hm_pool *pool, size_t block, const unsigned char *address)
{
    pool->places.bases[block] = (uintptr_t)address - hm_pool_block_offset(pool, block);
}

void hm_pool_storage_place_bases(hm_pool *pool, size_t before)
{
    pool->places.bases = (uintptr_t *)(void *)pool->unit_array.data;
    for (size_t block = before; block < pool->unit_array.limit; block++)
        pool_set_block_start(pool, block, NULL);
}

/* For the bases of so many blocks, and one extent more. */
static hm_status pool_make_base_room(hm_pool *pool, size_t blocks)
{
    size_t before = pool->unit_array.limit;
    hm_status status = hm_array_commit(&pool->unit_array, blocks, false);
    hm_pool_storage_place_bases(pool, before);
    if (status == HM_OK)
        status = hm_array_commit(&pool->extent_array, (size_t)pool->extent_count + 1, false);
    return status;
}

static void pool_release_extent(hm_pool *pool, hm_pool_extent extent, unsigned char *address)
{
    size_t size = (extent.end - extent.first) * hm_pool_block_size(pool, extent.first);
    hm_memory_unpoison(address, size);
    hm_pool_memory(pool)->release(hm_pool_memory(pool)->context, address, size);
    pool->item_reserved_size -= size;
}

/* Poisons again either way: after a failure the holes are still holes, and decommitted memory need
 * not fault. */
static hm_status pool_decommit(const hm_pool *pool, unsigned char *address, size_t size)
{
    hm_memory_unpoison(address, size); /* The memory table's function may write there. */
    hm_status status = hm_memory_decommit(hm_pool_memory(pool), address, size);
    hm_memory_poison(address, size);
    return status;
}

/* Brings in absent blocks of one extent. */
static hm_status pool_bring_blocks(hm_pool *pool, size_t first, size_t end)
{
    hm_pool_extent extent = hm_pool_extent_of(pool, first);
    size_t size = hm_pool_block_size(pool, first);
    hm_status status = pool_make_base_room(pool, extent.end);
    if (status != HM_OK)
        return status;
    unsigned char *start = hm_pool_extent_start(pool, extent);
    bool is_new = start == NULL;
    if (is_new) {
        status =
            hm_memory_reserve(hm_pool_memory(pool), (extent.end - extent.first) * size, &start);
        if (status != HM_OK)
            return status;
        pool->item_reserved_size += (extent.end - extent.first) * size;
        hm_memory_advise_large(hm_pool_memory(pool), pool->item_committed_size, start,
                               (extent.end - extent.first) * size);
    }
    unsigned char *address = start + (first - extent.first) * size;
    status = hm_memory_commit(hm_pool_memory(pool), address, (end - first) * size, true);
    if (status != HM_OK) {
        if (is_new)
            pool_release_extent(pool, extent, start);
        return status;
    }
    hm_memory_poison(address, (end - first) * size);
    pool->item_committed_size += (end - first) * size;
    if (is_new)
        hm_pool_extents_add(pool, extent, start);
    for (size_t block = first; block < end; block++, address += size)
        pool_set_block_start(pool, block, address);
    return HM_OK;
}

/* Drops blocks of one extent that have memory, and with the last of them the extent. */
static hm_status pool_drop_blocks(hm_pool *pool, size_t first, size_t end)
{
    hm_pool_extent extent = hm_pool_extent_of(pool, first);
    unsigned char *start = hm_pool_extent_start(pool, extent);
    unsigned char *address = hm_pool_block_start(pool, first);
    size_t size = (end - first) * hm_pool_block_size(pool, first);
    size_t others = 0;
    for (size_t block = extent.first; block < extent.end; block++)
        others += (block < first || block >= end) && hm_pool_block_start(pool, block) != NULL;
    hm_status status = HM_OK;
    if (others == 0) {
        hm_pool_extents_remove(pool, start);
        pool_release_extent(pool, extent, start);
    } else {
        status = pool_decommit(pool, address, size);
    }
    if (status != HM_OK)
        return status;
    for (size_t block = first; block < end; block++)
        pool_set_block_start(pool, block, NULL);
    pool->item_committed_size -= size;
    return HM_OK;
}

static hm_status pool_bring_pages(hm_pool *pool, size_t first, size_t end)
{
    unsigned char *address = pool->places.items + first * hm_pool_memory(pool)->page_size;
    size_t size = (end - first) * hm_pool_memory(pool)->page_size;
    hm_status status = hm_array_commit(&pool->unit_array, (end - 1) / HM_POOL_WORD + 1, false);
    if (status == HM_OK)
        status = hm_memory_commit(hm_pool_memory(pool), address, size, true);
    if (status != HM_OK)
        return status;
    hm_memory_poison(address, size);
    if (!hm_memory_is_huge(hm_pool_memory(pool), pool->item_committed_size))
        hm_memory_advise_large(
            hm_pool_memory(pool), pool->item_committed_size + size, pool->places.items,
            hm_pool_extent_of(pool, first).end * hm_pool_memory(pool)->page_size);
    for (size_t page = first; page < end; page++)
        *hm_pool_page_word(pool, page) |= UINT64_C(1) << page % HM_POOL_WORD;
    pool->item_committed_size += size;
    return HM_OK;
}

static hm_status pool_drop_pages(hm_pool *pool, size_t first, size_t end)
{
    size_t page_size = hm_pool_memory(pool)->page_size;
    size_t size = (end - first) * page_size;
    hm_status status = pool_decommit(pool, pool->places.items + first * page_size, size);
    if (status != HM_OK)
        return status;
    for (size_t page = first; page < end; page++)
        *hm_pool_page_word(pool, page) &= ~(UINT64_C(1) << page % HM_POOL_WORD);
    pool->item_committed_size -= size;
    return HM_OK;
}

/* Brings in absent units of one extent. */
static hm_status pool_bring(hm_pool *pool, size_t first, size_t end)
{
    hm_status status = hm_pool_in_one_range(pool) ? pool_bring_pages(pool, first, end)
                                                  : pool_bring_blocks(pool, first, end);
    if (status != HM_OK)
        return status;
    if (pool->unit_end < end)
        pool->unit_end = end;
    return HM_OK;
}

/* Drops adjacent units of one extent that have memory, and no live slot. */
static hm_status pool_drop(hm_pool *pool, size_t first, size_t end)
{
    hm_status status = hm_pool_in_one_range(pool) ? pool_drop_pages(pool, first, end)
                                                  : pool_drop_blocks(pool, first, end);
    if (status == HM_OK && hm_pool_slots_below(pool, first) < pool->slot_count)
        pool->has_cold = true;
    return status;
}

/* From here on units are pages or blocks alike */

static size_t pool_unit_size(const hm_pool *pool, size_t unit)
{
    return hm_pool_in_one_range(pool) ? hm_pool_memory(pool)->page_size
                                      : hm_pool_block_size(pool, unit);
}

static unsigned char *pool_unit_start(const hm_pool *pool, size_t unit)
{
    if (hm_pool_in_one_range(pool))
        return pool->places.items + unit * hm_pool_memory(pool)->page_size;
    return hm_pool_block_start(pool, unit);
}

/* Returns how many units of one extent a step of growth brings in, from this one on. Pages come
 * several at a time from the start; the first blocks come one by one. */
static size_t pool_growth(const hm_pool *pool, size_t unit)
{
    size_t size = hm_memory_growth(hm_pool_memory(pool), pool->item_committed_size,
                                   hm_pool_in_one_range(pool) ? pool_unit_start(pool, unit) : NULL);
    if (!hm_pool_in_one_range(pool) && pool->item_committed_size / 4 < size)
        size = pool->item_committed_size / 4;
    return size > pool_unit_size(pool, unit) ? size / pool_unit_size(pool, unit) : 1;
}

/* Commits once for each extent: what was requested, or a step if that is more. */
hm_status hm_pool_storage_grow(hm_pool *pool, uint32_t n)
{
    size_t end = hm_pool_last_unit(pool, pool->slot_count + n - 1) + 1;
    size_t stop;
    for (size_t unit = hm_pool_first_unit(pool, pool->slot_count); unit < end; unit = stop) {
        stop = unit + 1;
        if (hm_pool_is_present(pool, unit))
            continue;
        size_t most = hm_pool_extent_of(pool, unit).end, step = pool_growth(pool, unit);
        size_t limit = end - unit < step ? unit + step : end;
        if (limit > most)
            limit = most;
        while (stop < limit && !hm_pool_is_present(pool, stop)) /* An adopt may have been ahead. */
            stop++;
        hm_status status = pool_bring(pool, unit, stop);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

uint32_t hm_pool_storage_fresh_end(const hm_pool *pool)
{
    if (pool->slot_count == pool->max_slots)
        return pool->max_slots;
    size_t unit = hm_pool_first_unit(pool, pool->slot_count);
    while (hm_pool_is_present(pool, unit))
        unit++;
    uint32_t end = hm_pool_at_most(hm_pool_slots_below(pool, unit), pool->max_slots);
    return end > pool->slot_count ? end : pool->slot_count;
}

uint32_t hm_pool_storage_bring_more(const hm_pool *pool, uint32_t n)
{
    uint32_t end = hm_pool_storage_fresh_end(pool);
    if (end - pool->slot_count <= n)
        return end;
    size_t first = hm_pool_first_unit(pool, pool->slot_count);
    size_t stop = hm_pool_last_unit(pool, end - 1) + 1, most = hm_pool_extent_of(pool, first).end;
    size_t unit_size = pool_unit_size(pool, first);
    size_t size = ((stop < most ? stop : most) - first) * unit_size;
    size_t units = hm_memory_resident_size(hm_pool_memory(pool), pool->item_committed_size - size,
                                           pool->item_committed_size) /
                   unit_size;
    uint64_t ready = hm_pool_slots_below(pool, first + units);
    if (units == 0 || ready < (uint64_t)pool->slot_count + n)
        return end;
    hm_memory_populate(pool_unit_start(pool, first), units * unit_size);
    return hm_pool_at_most(ready, end);
}

hm_status hm_pool_storage_revive(hm_pool *pool, uint32_t slot)
{
    /* Not beyond the slots that were issued, or will be by an adopt. */
    uint32_t last_slot = slot < pool->slot_count ? pool->slot_count - 1 : slot;
    size_t end = hm_pool_last_unit(pool, last_slot) + 1;
    size_t most = hm_pool_in_one_range(pool) ? hm_memory_growth(hm_pool_memory(pool), 0, NULL) /
                                                   hm_pool_memory(pool)->page_size
                                             : 1;
    size_t last = hm_pool_last_unit(pool, slot), stop;
    for (size_t unit = hm_pool_first_unit(pool, slot); unit <= last; unit = stop) {
        stop = unit + 1;
        if (hm_pool_is_present(pool, unit))
            continue;
        while (stop < end && stop - unit < most && !hm_pool_is_present(pool, stop))
            stop++;
        hm_status status = pool_bring(pool, unit, stop);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

hm_status hm_pool_storage_trim(hm_pool *pool)
{
    hm_status status = HM_OK;
    for (size_t first = 0, end; status == HM_OK && first < pool->unit_end; first = end) {
        size_t most = hm_pool_extent_of(pool, first).end;
        end = first;
        while (end < most && hm_pool_is_present(pool, end) &&
               !hm_pool_any_live(pool, hm_pool_slots_of(pool, end, end + 1)))
            end++;
        if (end == first)
            end++;
        else
            status = pool_drop(pool, first, end);
    }
    while (pool->unit_end != 0 && !hm_pool_is_present(pool, pool->unit_end - 1))
        pool->unit_end--;
    return status;
}

/* init and fini */

static uint32_t pool_list_range(hm_pool *pool, size_t item_align, hm_array *items,
                                hm_array_column *columns)
{
    const hm_memory *memory = hm_pool_memory(pool);
    size_t units = (hm_pool_unit_count(pool) - 1) / HM_POOL_WORD + 1;
    columns[0] = (hm_array_column){.array = &pool->unit_array,
                                   .desc = {sizeof(uint64_t), 0, units, memory->page_size, memory}};
    columns[1] = (hm_array_column){
        .array = items, .desc = {pool->item_size, item_align, pool->max_slots, 0, memory}};
    return 2;
}

static uint32_t pool_list_blocks(hm_pool *pool, uint32_t slots, hm_array_column *columns)
{
    const hm_memory *memory = hm_pool_memory(pool);
    size_t units = hm_pool_units_for(pool, slots);
    columns[0] = (hm_array_column){.array = &pool->unit_array,
                                   .desc = {sizeof(uintptr_t), 0, units, memory->page_size, memory},
                                   .used = pool->unit_array.limit};
    columns[1] = (hm_array_column){.array = &pool->extent_array,
                                   .desc = {sizeof(uint32_t), 0, units, memory->page_size, memory},
                                   .used = pool->extent_count};
    return 2;
}

uint32_t hm_pool_storage_list(hm_pool *pool, uint32_t slots, size_t item_align, hm_array *items,
                              hm_array_column *columns)
{
    *items = (hm_array){0};
    return hm_pool_in_one_range(pool) ? pool_list_range(pool, item_align, items, columns)
                                      : pool_list_blocks(pool, slots, columns);
}

void hm_pool_storage_place(hm_pool *pool, const hm_array *items)
{
    if (hm_pool_in_one_range(pool))
        pool->places.items = hm_array_data(items);
    else
        hm_pool_storage_place_bases(pool, 0);
}

void hm_pool_storage_fini(hm_pool *pool)
{
    if (pool->places.items != NULL) {
        /* Dropped pages are poisoned too. The bit of any page that ever had memory is committed. */
        size_t pages = pool->unit_array.limit * HM_POOL_WORD;
        if (pages > hm_pool_unit_count(pool))
            pages = hm_pool_unit_count(pool);
        hm_memory_unpoison(pool->places.items, pages * hm_pool_memory(pool)->page_size);
    }
    for (uint32_t i = 0; i < pool->extent_count; i++) {
        hm_pool_extent extent = hm_pool_extent_of(pool, hm_pool_extents(pool)[i]);
        pool_release_extent(pool, extent, hm_pool_extent_start(pool, extent));
    }
    hm_array_fini(&pool->extent_array);
    hm_array_fini(&pool->unit_array);
}

/* validate */

bool hm_pool_storage_is_valid(const hm_pool *pool)
{
    size_t size = 0;
    if (!hm_pool_in_one_range(pool) &&
        (const void *)pool->places.bases != hm_array_data(&pool->unit_array))
        return false;
    if (pool->unit_end > hm_pool_unit_count(pool) ||
        (pool->unit_end != 0 && !hm_pool_is_present(pool, pool->unit_end - 1)))
        return false;
    for (size_t unit = 0; unit < pool->unit_end; unit++) {
        if (hm_pool_is_present(pool, unit))
            size += pool_unit_size(pool, unit);
    }
    if (size != pool->item_committed_size)
        return false;
    if (hm_pool_in_one_range(pool))
        return true;
    for (size_t block = pool->unit_end; block < pool->unit_array.limit; block++)
        if (hm_pool_block_start(pool, block) != NULL)
            return false;
    return hm_pool_extents_are_valid(pool) && hm_pool_blocks_are_valid(pool);
}

/* SPDX-License-Identifier: MIT */
/* changes: pool, lists and index, whose values are where their slots, records or keys lead. */
#include "state_private.h"

/* pool */

/* Returns the block of a slot, and which place the slot has from the block's base on. One range is
 * a block that has no base. */
static uint32_t spread_block(const hm_pool *pool, uint32_t slot, uint64_t *place)
{
    *place = slot;
    return pool->places.storage == HM_POOL_ONE_RANGE ? 0 : hm_pool_block_of(&pool->places, slot);
}

static const unsigned char *spread_pool_address(const hm_changes_side *side, uint32_t slot)
{
    const hm_pool *pool = &side->as.pool;
    uint64_t place;
    uint32_t block = spread_block(pool, slot, &place);
    uintptr_t base = (uintptr_t)pool->places.items;
    if (pool->places.storage != HM_POOL_ONE_RANGE)
        hm_changes_read(side, pool->places.bases + block, &base, sizeof base);
    return (const unsigned char *)(base + (uintptr_t)(pool->item_size * place));
}

/* Marks the slots of each block whose places are on pages that differ. */
static void spread_mark_places(hm_changes_search *search)
{
    const hm_pool *pool = &search->to.as.pool;
    uint64_t place;
    for (uint32_t slot = 0, end; slot < pool->slot_count; slot = end) {
        uint32_t block = spread_block(pool, slot, &place);
        const unsigned char *base = spread_pool_address(&search->to, slot);
        for (end = slot + 1; end < pool->slot_count && spread_block(pool, end, &place) == block;)
            end++;
        const hm_changes_strip strip = {base, base, pool->item_size, 1, end - slot};
        for (uint32_t first, behind = 0; hm_changes_next(search, &strip, &first, &behind);)
            for (uint32_t i = first; i < behind; i++)
                hm_changes_mark(search, slot + i);
    }
}

static void spread_expect_pool(hm_changes_search *search, const hm_changes_side *side)
{
    hm_changes_expect(search, side->as.pool.slot_count, 1, side->as.pool.item_size);
}

static void spread_mark_pool(hm_changes_search *search)
{
    const hm_pool *from = &search->from.as.pool, *to = &search->to.as.pool;
    hm_changes_mark_slots(search, from->entries, to->entries, sizeof(uint32_t), from->slot_count,
                          to->slot_count);
    spread_mark_places(search);
}

static void spread_find_in_pool(const hm_changes_side *side, const void *container, uint32_t slot,
                                hm_changes_item *item)
{
    const hm_pool *pool = container;
    uint32_t entry = 0;
    if (slot < pool->slot_count)
        hm_changes_read(side, pool->entries + slot, &entry, sizeof entry);
    bool is_alive = entry != 0 && (entry & HM_POOL_FREE_ENTRY) == 0;
    item->handle = is_alive ? hm_handle_from_bits((uint64_t)entry << 32 | slot) : HM_NULL_HANDLE;
    item->position = slot;
}

static hm_changes_value spread_pool_value(const hm_changes_side *side, const hm_changes_item *item,
                                          uint32_t part)
{
    return (hm_changes_value){.is_there = true,
                              .part = part,
                              .address = spread_pool_address(side, item->position),
                              .size = side->as.pool.item_size};
}

const hm_changes_kind hm_changes_of_pool = {.known = &hm_known_pool,
                                            .anchor = offsetof(hm_pool, entries),
                                            .slots = 0,
                                            .expect = spread_expect_pool,
                                            .mark = spread_mark_pool,
                                            .find = spread_find_in_pool,
                                            .value = spread_pool_value};

/* lists */

static hm_lists_record spread_record(const hm_changes_side *side, const hm_lists_blocks *blocks,
                                     uint32_t slot)
{
    hm_lists_record record;
    const unsigned char *records = (const unsigned char *)blocks->records;
    hm_changes_read(side, records + ((size_t)slot << blocks->record_shift), &record, sizeof record);
    return record;
}

/* Marks the lists whose items are on pages that differ, and notes how long lists are. */
static void spread_mark_items(hm_changes_search *search, const hm_changes_side *side)
{
    const hm_lists_blocks *blocks = &side->as.lists.blocks;
    bool has_moved = search->from.as.lists.blocks.base != blocks->base;
    for (uint32_t slot = 0; slot < side->as.lists.ids.slot_count; slot++) {
        hm_lists_record record = spread_record(side, blocks, slot);
        if (record.count == 0)
            continue;
        size_t size = blocks->item_size * record.count;
        hm_changes_expect(search, 0, 1, size);
        if (has_moved || hm_changes_differ(search, hm_lists_item_at(blocks, &record, 0), size))
            hm_changes_mark(search, slot);
    }
}

/* How long lists are is known when they are marked. */
static void spread_expect_lists(hm_changes_search *search, const hm_changes_side *side)
{
    hm_changes_expect(search, side->as.lists.ids.slot_count, 1, 0);
}

static void spread_mark_lists(hm_changes_search *search)
{
    const hm_lists *from = &search->from.as.lists, *to = &search->to.as.lists;
    hm_changes_mark_ids(search, &from->ids, &to->ids);
    hm_changes_mark_slots(search, from->blocks.records, to->blocks.records,
                          (size_t)1 << to->blocks.record_shift, from->ids.slot_count,
                          to->ids.slot_count);
    spread_mark_items(search, &search->from);
    spread_mark_items(search, &search->to);
}

static hm_changes_value spread_lists_value(const hm_changes_side *side, const hm_changes_item *item,
                                           uint32_t part)
{
    const hm_lists_blocks *blocks = &side->as.lists.blocks;
    hm_lists_record record = spread_record(side, blocks, hm_handle_index(item->handle));
    return (hm_changes_value){.is_there = true,
                              .part = part,
                              .address = hm_lists_item_at(blocks, &record, 0),
                              .size = blocks->item_size * record.count};
}

const hm_changes_kind hm_changes_of_lists = {.known = &hm_known_lists,
                                             .anchor = offsetof(hm_lists, ids.entries),
                                             .slots = offsetof(hm_lists, ids),
                                             .expect = spread_expect_lists,
                                             .mark = spread_mark_lists,
                                             .find = hm_changes_find_id,
                                             .value = spread_lists_value};

/* index */

/* A bucket may have got another key while its members kept their places. */
static void spread_mark_members(hm_changes_search *search)
{
    const hm_index *from = &search->from.as.index, *to = &search->to.as.index;
    const hm_changes_strip buckets = {from->buckets, to->buckets, sizeof(hm_index_bucket), 1,
                                      to->bucket_count};
    for (uint32_t first, end = 0; hm_changes_next(search, &buckets, &first, &end);)
        for (uint32_t bucket = first; bucket < end; bucket++) {
            hm_lists_record record = spread_record(&search->to, &to->members, bucket);
            for (uint32_t i = 0; i < record.count; i++) {
                hm_handle member;
                hm_changes_read(&search->to, hm_lists_item_at(&to->members, &record, i), &member,
                                sizeof member);
                hm_changes_mark(search, hm_handle_index(member));
            }
        }
}

static void spread_expect_index(hm_changes_search *search, const hm_changes_side *side)
{
    hm_changes_expect(search, side->as.index.owners.slot_end, 1, sizeof(uint64_t));
}

static void spread_mark_index(hm_changes_search *search)
{
    hm_changes_mark_owners(search, &search->from.as.index.owners, &search->to.as.index.owners);
    spread_mark_members(search);
}

static hm_changes_value spread_index_value(const hm_changes_side *side, const hm_changes_item *item,
                                           uint32_t part)
{
    const hm_index *index = &side->as.index;
    hm_index_place place;
    hm_changes_read(side, index->owners.values + sizeof place * item->position, &place,
                    sizeof place);
    return (hm_changes_value){.is_there = true,
                              .part = part,
                              .address = (const unsigned char *)(index->buckets + place.bucket) +
                                         offsetof(hm_index_bucket, key),
                              .size = sizeof(uint64_t)};
}

const hm_changes_kind hm_changes_of_index = {.known = &hm_known_index,
                                             .anchor = offsetof(hm_index, owners.owners),
                                             .slots = offsetof(hm_index, owners),
                                             .expect = spread_expect_index,
                                             .mark = spread_mark_index,
                                             .find = hm_changes_find_owner,
                                             .value = spread_index_value};

/* SPDX-License-Identifier: MIT */
/* save: lists. Their payload: the part of the id table; then the blocks, in the order in which a
 * loop over all lists meets them, each with the items of its list. Until all is checked the end of
 * the blocks is not in the struct, so that no loop sees them. */
#include "../lists/lists_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* After the numbers of the id table: lists that have blocks, and the items of all, in two halves.
 */
enum { LISTS_FILLED = HM_SAVE_IDS_DETAILS, LISTS_ITEMS, LISTS_ITEMS_HIGH, LISTS_DETAILS };

enum { LISTS_SLOT = 4 /* bytes */ };

static uint64_t saved_lists_item_count(const hm_save_section *section)
{
    return section->details[LISTS_ITEMS] | (uint64_t)section->details[LISTS_ITEMS_HIGH] << 32;
}

static uint64_t saved_lists_measure(const hm_save_section *section)
{
    return saved_lists_item_count(section) * section->encoded_size +
           hm_save_size_of_blocks(section, LISTS_DETAILS, LISTS_SLOT,
                                  section->details[LISTS_FILLED]) +
           hm_save_size_of_ids(section);
}

static void saved_lists_describe(const void *container, hm_save_section *section)
{
    const hm_lists *lists = container;
    hm_save_describe_ids(section, &lists->ids);
    section->item_size = (uint32_t)lists->blocks.item_size;
    section->details[LISTS_ITEMS] = (uint32_t)lists->blocks.item_count;
    section->details[LISTS_ITEMS_HIGH] = (uint32_t)(lists->blocks.item_count >> 32);
    section->detail_count = LISTS_DETAILS;
    section->details[LISTS_FILLED] = hm_save_describe_blocks(section, &lists->blocks);
}

static void saved_lists_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_lists *lists = container;
    const hm_lists_blocks *blocks = &lists->blocks;
    hm_save_ids(out, &lists->ids);
    for (uint32_t unit = 1; unit < blocks->end && out->status == HM_OK;
         unit = hm_lists_end_of(blocks, unit)) {
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        hm_save_block(out, blocks, unit, block->slot, LISTS_SLOT);
        if (!hm_lists_is_free(block))
            hm_save_items(out, desc, hm_lists_address(blocks, unit + 1), blocks->item_size,
                          blocks->records[block->slot].count);
    }
}

static hm_status saved_lists_begin(hm_load *load)
{
    hm_lists *lists = load->container;
    lists->blocks.limit = 0;
    load->opened = 1;
    load->items = 0;
    load->blocks = (hm_load_blocks){.blocks = &lists->blocks};
    return HM_OK;
}

static hm_status saved_lists_check(hm_load *load)
{
    hm_save_in *in = &load->in;
    const hm_lists *lists = load->container;
    uint64_t items = saved_lists_item_count(&in->section);
    bool is_known = in->section.detail_count >= LISTS_DETAILS;
    if (is_known && items > lists->blocks.max_items)
        return hm_load_fail(in, HM_ERROR_FULL, 0,
                            "%" HM_U64 " items do not fit: there may be %" HM_U64, items,
                            lists->blocks.max_items);
    if (is_known && in->section.details[LISTS_FILLED] <= in->section.count &&
        in->section.payload_size == saved_lists_measure(&in->section))
        return hm_load_check_blocks(load, LISTS_DETAILS, in->section.details[LISTS_FILLED], items,
                                    in->section.item_size == lists->blocks.item_size);
    return hm_load_disagree(in);
}

/* Makes the records, with tags for the lists that there are. */
static hm_status lists_load_records(hm_load *load)
{
    hm_lists *lists = load->container;
    hm_status status = hm_lists_prepare_records(lists, true);
    if (status != HM_OK)
        return status;
    for (uint32_t slot = 0; slot < load->ids.slots; slot++) {
        hm_handle entry = lists->ids.entries[slot];
        bool is_live = hm_handle_index(entry) < load->ids.count;
        lists->blocks.records[slot] =
            (hm_lists_record){.tag = is_live ? (uint32_t)(entry.bits >> 32) : 0};
    }
    return HM_OK;
}

/* Reads the items of a list that has none. */
static hm_status lists_load_items(hm_load *load, const hm_load_block *from)
{
    hm_lists_blocks *blocks = &((hm_lists *)load->container)->blocks;
    const uint32_t slot = (uint32_t)from->id, unit = load->opened;
    hm_lists_record *record;
    uint32_t done = 0;
    do {
        uint32_t n = hm_load_next(blocks->item_size, from->count - done);
        hm_status status = hm_load_open_block(load, from, unit, (uint64_t)done + n);
        if (status != HM_OK)
            return status;
        hm_lists_block *block = hm_lists_block_at(blocks, unit);
        record = &blocks->records[slot];
        record->unit = unit;
        unsigned char *items = hm_lists_item_at(blocks, record, done);
        hm_memory_unpoison(block, sizeof *block);
        hm_memory_unpoison(items, blocks->item_size * n);
        done += n;
        *block = (hm_lists_block){slot, hm_load_size_of(from, done)};
        uint32_t made = hm_load_items(&load->in, load->desc, items, blocks->item_size, n);
        record->count += made;
        load->items += made;
        if (load->in.status != HM_OK)
            return load->in.status;
    } while (done < from->count);
    if (from->size != 0)
        record->capacity = hm_lists_capacity_at(blocks, unit);
    return HM_OK;
}

/* Whether a slot has a list without items. */
static bool lists_load_awaits(const hm_load *load, uint32_t slot)
{
    const hm_lists *lists = load->container;
    const hm_lists_record *records = lists->blocks.records;
    return slot < load->ids.slots && records[slot].tag != 0 && records[slot].unit == 0;
}

static hm_status lists_load_lists(hm_load *load)
{
    hm_save_in *in = &load->in;
    hm_load_block block = {.is_there = true};
    while (block.is_there) {
        hm_status status = hm_load_next_block(load, LISTS_SLOT, &block);
        if (status == HM_OK && block.is_there && !lists_load_awaits(load, (uint32_t)block.id))
            return hm_load_fail(in, HM_ERROR_CORRUPT, block.head,
                                "slot %" HM_U32 " has no list, or is named twice",
                                (uint32_t)block.id);
        if (status == HM_OK && block.count > saved_lists_item_count(&in->section) - load->items)
            return hm_load_fail(in, HM_ERROR_CORRUPT, block.head - LISTS_SLOT,
                                "a list cannot have %" HM_U32 " items", block.count);
        if (status == HM_OK && (block.count | block.size) != 0)
            status = lists_load_items(load, &block);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

static hm_status saved_lists_read(hm_load *load)
{
    hm_status status = hm_load_ids_part(&load->in, &load->ids);
    if (status == HM_OK)
        status = lists_load_records(load);
    return status == HM_OK ? lists_load_lists(load) : status;
}

/* Destroys what decode has made, list by list, the last items of each first. */
static void lists_load_drop(hm_load *load)
{
    const hm_lists *lists = load->container;
    const hm_lists_blocks *blocks = &lists->blocks;
    for (uint32_t unit = 1; unit < load->opened;) {
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        if (!hm_lists_is_free(block))
            hm_load_destroy(load->desc, lists->destroy, lists->context,
                            hm_lists_address(blocks, unit + 1), blocks->item_size,
                            blocks->records[block->slot].count);
        unit = hm_lists_end_of(blocks, unit);
    }
    memset(blocks->records, 0, sizeof *blocks->records * blocks->record_array.limit);
    hm_memory_poison(blocks->unit_array.data, blocks->unit_array.committed_size);
}

static hm_status saved_lists_finish(hm_load *load, hm_status status)
{
    hm_array_fini(&load->blocks.units);
    if (status == HM_OK)
        hm_load_publish_blocks(load, load->items);
    else
        lists_load_drop(load);
    return status;
}

static void saved_lists_rest(hm_lists *lists)
{
    hm_guard_leave(&lists->guard, 0);
    lists->blocks.limit = lists->blocks.max_items;
}

HM_SAVED(lists, HM_SAVE_LISTS, offsetof(hm_lists, ids), hm_lists_move, saved_lists_begin)

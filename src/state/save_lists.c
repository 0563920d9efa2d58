/* SPDX-License-Identifier: MIT */
/* save: lists. Their payload: the part of the id table; then each list that has items, in the order
 * in which a loop over all lists meets it: its slot, its count, its items.
 *
 * A load makes an exact block for each, behind one another, as a defragment leaves them. Until all
 * is checked the end of the blocks is not in the struct, so that no loop sees them. */
#include "../lists/lists_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* After the numbers of the id table: lists that have items, and the items of all, in two halves. */
enum { LISTS_FILLED = HM_SAVE_IDS_DETAILS, LISTS_ITEMS, LISTS_ITEMS_HIGH, LISTS_DETAILS };

enum { LISTS_HEAD = 8 /* bytes before the items of a list */ };

static uint64_t saved_lists_item_count(const hm_save_section *section)
{
    return section->details[LISTS_ITEMS] | (uint64_t)section->details[LISTS_ITEMS_HIGH] << 32;
}

static uint64_t saved_lists_measure(const hm_save_section *section)
{
    return saved_lists_item_count(section) * section->encoded_size +
           (uint64_t)section->details[LISTS_FILLED] * LISTS_HEAD + hm_save_size_of_ids(section);
}

static void saved_lists_describe(const void *container, hm_save_section *section)
{
    const hm_lists *lists = container;
    hm_lists_view view = {0};
    hm_save_describe_ids(section, &lists->ids);
    section->item_size = (uint32_t)lists->blocks.item_size;
    while (hm_lists_next(lists, &view))
        section->details[LISTS_FILLED]++;
    section->details[LISTS_ITEMS] = (uint32_t)lists->blocks.item_count;
    section->details[LISTS_ITEMS_HIGH] = (uint32_t)(lists->blocks.item_count >> 32);
    section->detail_count = LISTS_DETAILS;
}

static void saved_lists_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_lists *lists = container;
    hm_lists_view view = {0};
    hm_save_ids(out, &lists->ids);
    while (hm_lists_next(lists, &view) && out->status == HM_OK) {
        hm_save_put_32(out->buffer, hm_handle_index(view.list));
        hm_save_put_32(out->buffer + 4, view.count);
        hm_save_bytes(out, out->buffer, LISTS_HEAD);
        hm_save_items(out, desc, view.items, lists->blocks.item_size, view.count);
    }
}

static hm_status saved_lists_begin(hm_load *load)
{
    hm_lists *lists = load->container;
    lists->blocks.limit = 0;
    load->opened = 1;
    load->items = 0;
    return HM_OK;
}

static hm_status saved_lists_check(hm_load *load)
{
    hm_save_in *in = &load->in;
    const hm_lists *lists = load->container;
    uint64_t items = saved_lists_item_count(&in->section);
    bool is_known = in->section.detail_count == LISTS_DETAILS;
    if (is_known && items > lists->blocks.max_items)
        return hm_load_fail(in, HM_ERROR_FULL, 0,
                            "%" HM_U64 " items do not fit: there may be %" HM_U64, items,
                            lists->blocks.max_items);
    if (is_known && in->section.details[LISTS_FILLED] <= in->section.count &&
        in->section.payload_size == saved_lists_measure(&in->section))
        return HM_OK;
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

hm_status hm_load_widen_block(hm_lists_blocks *blocks, uint32_t *end, uint32_t unit, uint64_t count)
{
    uint64_t wanted = unit + hm_lists_units_as(blocks, count, blocks->item_size);
    blocks->end = *end;
    hm_status status = hm_lists_open_units(blocks, wanted - *end);
    blocks->end = 1;
    if (status == HM_OK)
        *end = (uint32_t)wanted;
    return status;
}

/* Reads the items of a list that has none. */
static hm_status lists_load_items(hm_load *load, uint32_t slot, uint32_t count)
{
    hm_lists_blocks *blocks = &((hm_lists *)load->container)->blocks;
    hm_lists_record *record = &blocks->records[slot];
    record->unit = load->opened;
    while (record->count < count) {
        uint32_t n = hm_load_next(blocks->item_size, count - record->count);
        hm_status status =
            hm_load_widen_block(blocks, &load->opened, record->unit, (uint64_t)record->count + n);
        record = &blocks->records[slot];
        if (status != HM_OK)
            return status;
        hm_lists_block *block = hm_lists_block_at(blocks, record->unit);
        unsigned char *items = hm_lists_item_at(blocks, record, record->count);
        hm_memory_unpoison(block, sizeof *block);
        hm_memory_unpoison(items, blocks->item_size * n);
        uint32_t made = hm_load_items(&load->in, load->desc, items, blocks->item_size, n);
        record->count += made;
        load->items += made;
        *block = (hm_lists_block){slot, (record->count + n - made) | HM_LISTS_EXACT};
        if (load->in.status != HM_OK)
            return load->in.status;
    }
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
    for (uint32_t i = 0; i < in->section.details[LISTS_FILLED]; i++) {
        if (!hm_load_bytes(in, in->buffer, LISTS_HEAD))
            return in->status;
        uint32_t slot = hm_load_32(in->buffer), count = hm_load_32(in->buffer + 4);
        if (!lists_load_awaits(load, slot))
            return hm_load_fail(in, HM_ERROR_CORRUPT, LISTS_HEAD,
                                "slot %" HM_U32 " has no list, or is named twice", slot);
        if (count == 0 || count > HM_LISTS_MOST ||
            count > saved_lists_item_count(&in->section) - load->items)
            return hm_load_fail(in, HM_ERROR_CORRUPT, LISTS_HEAD - 4,
                                "a list cannot have %" HM_U32 " items", count);
        hm_status status = lists_load_items(load, slot, count);
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
        const hm_lists_record *record = &blocks->records[block->slot];
        hm_load_destroy(load->desc, lists->destroy, lists->context,
                        hm_lists_item_at(blocks, record, 0), blocks->item_size, record->count);
        unit +=
            (uint32_t)hm_lists_units_as(blocks, block->size & ~HM_LISTS_EXACT, blocks->item_size);
    }
    memset(blocks->records, 0, sizeof *blocks->records * blocks->record_array.limit);
    hm_memory_poison(blocks->unit_array.data, blocks->unit_array.committed_size);
}

static hm_status saved_lists_finish(hm_load *load, hm_status status)
{
    hm_lists *lists = load->container;
    if (status == HM_OK)
        hm_lists_publish_blocks(&lists->blocks, load->opened, load->items);
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

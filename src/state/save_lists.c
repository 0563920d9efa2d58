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

static uint64_t saved_item_count(const hm_save_section *section)
{
    return section->details[LISTS_ITEMS] | (uint64_t)section->details[LISTS_ITEMS_HIGH] << 32;
}

static uint64_t saved_lists_size(const hm_save_section *section)
{
    return saved_item_count(section) * section->encoded_size +
           (uint64_t)section->details[LISTS_FILLED] * LISTS_HEAD + hm_save_size_of_ids(section);
}

hm_status hm_lists_save(const hm_lists *lists, const hm_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(lists != NULL, "hm_lists_save: lists is NULL");
    hm_save_section section = {.kind = HM_SAVE_LISTS,
                               .item_size = (uint32_t)lists->blocks.item_size};
    hm_save_out out;
    hm_lists_view view = {0};
    if (lists->ids.entries == NULL)
        return hm_fail_uninitialised("lists");
    hm_status status = hm_save_describe(&section, desc, lists->name);
    if (status != HM_OK)
        return status;
    hm_save_describe_ids(&section, &lists->ids);
    while (hm_lists_next(lists, &view))
        section.details[LISTS_FILLED]++;
    section.details[LISTS_ITEMS] = (uint32_t)lists->blocks.item_count;
    section.details[LISTS_ITEMS_HIGH] = (uint32_t)(lists->blocks.item_count >> 32);
    section.detail_count = LISTS_DETAILS;
    section.payload_size = saved_lists_size(&section);
    hm_save_begin(&out, &section, sink);
    hm_save_ids(&out, &lists->ids);
    while (hm_lists_next(lists, &view) && out.status == HM_OK) {
        hm_save_put_32(out.buffer, hm_handle_index(view.list));
        hm_save_put_32(out.buffer + 4, view.count);
        hm_save_bytes(&out, out.buffer, LISTS_HEAD);
        hm_save_items(&out, desc, view.items, lists->blocks.item_size, view.count);
    }
    return hm_save_end(&out);
}

/* Lists that are being loaded. */
typedef struct lists_load {
    hm_load_ids ids;
    hm_save_in in;
    const hm_save_desc *desc;
    hm_lists *lists;
    uint32_t end; /* of the blocks */
    uint64_t items;
} lists_load;

static hm_status lists_load_check(lists_load *load)
{
    hm_save_in *in = &load->in;
    const hm_lists *lists = load->lists;
    const hm_save_section *section = &in->section;
    hm_status status = hm_load_check(in, load->desc, lists->ids.type_id, lists->blocks.item_size);
    if (status == HM_OK)
        status = hm_load_check_ids(in, &lists->ids, load->desc);
    if (status != HM_OK)
        return status;
    uint64_t items = saved_item_count(section);
    bool is_known = section->detail_count == LISTS_DETAILS;
    if (is_known && items > lists->blocks.max_items)
        return hm_load_fail(in, HM_ERROR_FULL, 0,
                            "%" HM_U64 " items do not fit: there may be %" HM_U64, items,
                            lists->blocks.max_items);
    if (is_known && section->details[LISTS_FILLED] <= section->count &&
        section->payload_size == saved_lists_size(section))
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its size and its counts disagree");
}

/* Makes the records, with tags for the lists that there are. */
static hm_status lists_load_records(lists_load *load)
{
    hm_lists *lists = load->lists;
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
static hm_status lists_load_items(lists_load *load, uint32_t slot, uint32_t count)
{
    hm_lists_blocks *blocks = &load->lists->blocks;
    hm_lists_record *record = &blocks->records[slot];
    record->unit = load->end;
    while (record->count < count) {
        uint32_t n = hm_load_next(blocks->item_size, count - record->count);
        hm_status status =
            hm_load_widen_block(blocks, &load->end, record->unit, (uint64_t)record->count + n);
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
static bool lists_load_awaits(const lists_load *load, uint32_t slot)
{
    const hm_lists_record *records = load->lists->blocks.records;
    return slot < load->ids.slots && records[slot].tag != 0 && records[slot].unit == 0;
}

static hm_status lists_load_lists(lists_load *load)
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
            count > saved_item_count(&in->section) - load->items)
            return hm_load_fail(in, HM_ERROR_CORRUPT, LISTS_HEAD - 4,
                                "a list cannot have %" HM_U32 " items", count);
        hm_status status = lists_load_items(load, slot, count);
        if (status != HM_OK)
            return status;
    }
    return hm_load_end(in);
}

static hm_status lists_load_all(lists_load *load, hm_source source)
{
    hm_save_in *in = &load->in;
    hm_status status = hm_load_find(in, HM_SAVE_LISTS, load->desc, load->lists->name, source);
    if (status == HM_OK)
        status = lists_load_check(load);
    if (status == HM_OK)
        status = hm_load_ids_part(in, &load->ids);
    if (status == HM_OK)
        status = lists_load_records(load);
    return status == HM_OK ? lists_load_lists(load) : status;
}

/* Runs the hook for the items that decode has made, list by list, the last ones of each first. */
static void lists_load_destroy(const lists_load *load)
{
    const hm_lists *lists = load->lists;
    const hm_lists_blocks *blocks = &lists->blocks;
    if (load->desc == NULL || load->desc->decode == NULL || lists->destroy == NULL)
        return;
    for (uint32_t unit = 1; unit < load->end;) {
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        const hm_lists_record *record = &blocks->records[block->slot];
        for (uint32_t i = record->count; i-- > 0;)
            lists->destroy(hm_lists_item_at(blocks, record, i), lists->context);
        unit +=
            (uint32_t)hm_lists_units_as(blocks, block->size & ~HM_LISTS_EXACT, blocks->item_size);
    }
}

/* Destroys what decode made; what is left is trimmed when the lists are at rest. */
static void lists_load_drop(lists_load *load)
{
    hm_lists_blocks *blocks = &load->lists->blocks;
    lists_load_destroy(load);
    memset(blocks->records, 0, sizeof *blocks->records * blocks->record_array.limit);
    hm_memory_poison(blocks->unit_array.data, blocks->unit_array.committed_size);
}

hm_status hm_lists_load(hm_lists *lists, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(lists != NULL, "hm_lists_load: lists is NULL");
    lists_load load;
    hm_lists_blocks *blocks = &lists->blocks;
    hm_status status = hm_load_check_free(&lists->guard, &lists->ids, "lists", lists->name);
    if (status != HM_OK)
        return status;
    load.ids = (hm_load_ids){.ids = &lists->ids, .owner = lists, .move = hm_lists_move};
    load.lists = lists;
    load.desc = desc;
    load.end = 1;
    load.items = 0;
    hm_guard_enter(&lists->guard);
    blocks->limit = 0;
    status = lists_load_all(&load, source);
    if (status == HM_OK)
        hm_lists_publish_blocks(blocks, load.end, load.items);
    else
        lists_load_drop(&load);
    hm_load_end_ids(&load.ids, &load.in, status);
    hm_guard_leave(&lists->guard, 0);
    blocks->limit = blocks->max_items;
    status = hm_lists_blame(lists, status);
    return status == HM_OK ? HM_OK : hm_load_failed(status, hm_lists_trim(lists));
}

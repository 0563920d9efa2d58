/* SPDX-License-Identifier: MIT */
/* lists: the lists and their items. */
#include "lists_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"
#include "../order/order_private.h"

enum { LISTS_COLUMNS = 2 /* records, units */ };

/* init and fini */

static void lists_complete(const hm_lists_desc *desc, hm_lists_desc *full)
{
    const hm_id_table_desc given = {desc->capacity, desc->max_slots, desc->type_id,
                                    desc->generation_bits, desc->memory};
    const hm_id_table_desc ids = hm_id_table_complete(&given);
    *full = *desc;
    if (full->item_align == 0)
        full->item_align = hm_array_natural_align(full->item_size);
    full->memory = ids.memory;
    full->capacity = ids.capacity;
    full->max_slots = ids.max_slots;
    if (full->name == NULL)
        full->name = "lists";
}

static hm_status lists_init_parts(hm_lists *lists, bool moves_to_grow, hm_lists_desc *full)
{
    const hm_memory *memory = full->memory;
    const hm_array_desc item = {full->item_size, full->item_align, 1, 0, memory};
    const hm_id_table_desc ids = {moves_to_grow ? 0 : full->capacity, full->max_slots,
                                  full->type_id, full->generation_bits, memory};
    hm_array_column columns[LISTS_COLUMNS];
    hm_status status = hm_array_check(&item, "item_");
    if (status == HM_OK)
        status = hm_id_table_check(full->capacity, full->max_slots, full->type_id,
                                   full->generation_bits);
    if (status == HM_OK)
        status =
            hm_lists_begin(&lists->blocks, moves_to_grow, full, sizeof(hm_lists_record), columns);
    if (status != HM_OK)
        return status;
    columns[0].is_by_slot = true;
    status = hm_id_table_init_with(&lists->ids, &ids, columns, LISTS_COLUMNS);
    if (status == HM_OK)
        status = hm_id_table_choose_type(&lists->ids.type_id);
    return status;
}

static void lists_release_all(hm_lists *lists)
{
    hm_array_fini(&lists->blocks.unit_array);
    hm_array_fini(&lists->blocks.record_array);
    hm_id_table_fini(&lists->ids);
    memset(lists, 0, sizeof *lists);
}

HM_KNOWN_CONTAINER(lists, blocks.unit_array.memory)

hm_status hm_lists_init(hm_lists *lists, const hm_lists_desc *desc)
{
    hm_status status = hm_announce_init("lists", lists, sizeof *lists);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_lists_desc, desc);
    hm_lists_desc full;
    lists_complete(desc, &full);
    status = lists_init_parts(lists, desc->capacity == 0, &full);
    if (status == HM_OK)
        status = hm_known_join(&hm_known_lists, lists);
    if (status != HM_OK) {
        const hm_limits limits = {"lists",        full.name,      full.capacity,
                                  full.max_slots, full.max_items, "max_items"};
        lists_release_all(lists);
        return hm_fail_in("lists_init", desc->name, hm_blame(status, &limits));
    }
    hm_lists_start(&lists->blocks, &full);
    lists->name = full.name;
    lists->destroy = full.destroy;
    lists->context = full.context;
    if (full.destroy != NULL)
        lists->guard.flags |= HM_GUARD_HOOK;
    return HM_OK;
}

void hm_lists_fini(hm_lists *lists)
{
    HM_CONTRACT_AT_REST(lists, "hm_lists_fini");
    if (lists->destroy != NULL)
        hm_lists_clear(lists);
    hm_known_leave(&hm_known_lists, lists);
    lists_release_all(lists);
}

/* lists */

/* Every callback runs between these two. A push that is inline tests only the limit. */
static void lists_enter(hm_lists *lists)
{
    hm_guard_enter(&lists->guard);
    lists->blocks.limit = 0;
}

static void lists_leave(hm_lists *lists)
{
    hm_guard_leave(&lists->guard, 0);
    lists->blocks.limit = lists->blocks.max_items;
}

hm_status hm_lists_blame(const hm_lists *lists, hm_status status)
{
    const hm_limits limits = {"lists",
                              lists->name,
                              hm_lists_capacity(lists),
                              lists->ids.max_slots,
                              lists->blocks.max_items,
                              "max_items"};
    return hm_blame(status, &limits);
}

/* Lists the arrays that move with the id table. Blocks that have a range of their own stay there.
 */
static uint32_t lists_list_columns(hm_lists *lists, hm_array_column *columns)
{
    columns[0] = hm_array_column_of(&lists->blocks.record_array, lists->ids.slot_count, false);
    columns[0].desc.capacity = 0;
    columns[0].is_by_slot = true;
    if (lists->blocks.unit_array.range_size != 0)
        return 1;
    columns[1] = hm_lists_column_of_units(&lists->blocks);
    return LISTS_COLUMNS;
}

/* Carries the first `records` records. */
static hm_status lists_move_with(hm_lists *lists, size_t capacity, size_t slots, size_t records)
{
    hm_array_column columns[LISTS_COLUMNS];
    uint32_t count = lists_list_columns(lists, columns);
    columns[0].used = records;
    hm_status status = hm_id_table_move(&lists->ids, capacity, slots, columns, count);
    hm_lists_place(&lists->blocks);
    return status;
}

hm_status hm_lists_move(void *lists, size_t capacity, size_t slots)
{
    return lists_move_with(lists, capacity, slots, 0);
}

static hm_status lists_move(void *owner, size_t capacity, size_t slots)
{
    hm_lists *lists = owner;
    return lists_move_with(lists, capacity, slots, lists->ids.slot_count);
}

/* Entries for which many retired slots leave no space move to a range of their own, and the records
 * follow. */
hm_status hm_lists_prepare_records(hm_lists *lists, bool grows)
{
    hm_array *records = &lists->blocks.record_array;
    size_t slots = lists->ids.entry_array.limit;
    hm_status status = HM_OK;
    if (slots > records->capacity) {
        status = hm_array_widen(records, slots, lists->ids.slot_count);
        lists->blocks.records = hm_array_data(records);
    }
    return status == HM_OK ? hm_array_commit(records, slots, grows) : status;
}

static hm_status lists_prepare(hm_lists *lists, uint32_t n, bool grows)
{
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return HM_ERROR_BUSY;
    uint32_t count = lists->ids.count;
    if (n > hm_lists_capacity(lists) - count)
        return hm_fail_full("lists", lists->name, count, hm_lists_capacity(lists), n);
    hm_status status = hm_id_table_prepare(&lists->ids, lists->name, n, grows, lists, lists_move);
    if (status == HM_OK)
        status = hm_lists_prepare_records(lists, grows);
    return hm_lists_blame(lists, status);
}

HM_ID_TABLE_RESERVE(lists)

/* Makes the record of a new list. */
static void lists_record(hm_lists *lists, hm_handle list)
{
    lists->blocks.records[hm_handle_index(list)] =
        (hm_lists_record){.tag = (uint32_t)(list.bits >> 32)};
}

/* There is room for the list. */
static hm_handle lists_issue(hm_lists *lists)
{
    hm_handle list;
    hm_id_table_issue_n(&lists->ids, 1, &list);
    lists_record(lists, list);
    return list;
}

hm_status hm_lists_adopt(hm_lists *lists, hm_handle list)
{
    HM_CONTRACT(lists != NULL, "hm_lists_adopt: lists is NULL");
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_id_table_check_adopt(&lists->ids, "lists", lists->name, list, 0);
    if (status == HM_OK)
        status = hm_id_table_prepare_adopt(&lists->ids, list, lists, lists_move);
    if (status == HM_OK)
        status = hm_lists_prepare_records(lists, true);
    if (status != HM_OK)
        return hm_lists_blame(lists, status);
    uint32_t made = lists->ids.slot_count;
    hm_id_table_take(&lists->ids, list);
    for (; made < lists->ids.slot_count; made++)
        lists->blocks.records[made] = (hm_lists_record){0};
    lists_record(lists, list);
    return HM_OK;
}

hm_handle hm_lists_create(hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_create: lists is NULL");
    return lists_prepare(lists, 1, true) == HM_OK ? lists_issue(lists) : HM_NULL_HANDLE;
}

hm_status hm_lists_create_n(hm_lists *lists, uint32_t n, hm_handle *handles)
{
    HM_CONTRACT(lists != NULL, "hm_lists_create_n: lists is NULL");
    const unsigned char *before = lists->blocks.base;
    hm_status status = lists_prepare(lists, n, true);
    handles = (hm_handle *)hm_array_translate(handles, before, hm_lists_size(&lists->blocks),
                                              lists->blocks.base);
    for (uint32_t i = 0; status == HM_OK && i < n; i++) {
        hm_handle list = lists_issue(lists);
        if (handles != NULL)
            handles[i] = list;
    }
    return status;
}

/* Runs the hook, if there is one, for an item that will be erased. */
static void lists_destroy_item(hm_lists *lists, const hm_lists_record *record, uint32_t index)
{
    if (lists->destroy == NULL)
        return;
    lists_enter(lists);
    lists->destroy(hm_lists_item_at(&lists->blocks, record, index), lists->context);
    lists_leave(lists);
}

/* With a hook, drops the items from `count` on, the last first, each after its hook has run. An
 * exact block leaves a gap for each: they become one, which a list of the same size can use. */
static void lists_destroy_items(hm_lists *lists, hm_lists_record *record, uint32_t count)
{
    if (lists->destroy == NULL || record->count <= count)
        return;
    uint32_t unit = record->unit, end = hm_lists_end_of(&lists->blocks, unit), gaps = 0;
    while (record->count > count) {
        lists_destroy_item(lists, record, record->count - 1);
        hm_lists_shrink(&lists->blocks, record, record->count - 1);
    }
    uint32_t gap = record->unit != 0 ? hm_lists_end_of(&lists->blocks, unit) : unit;
    if (gap == end || end > lists->blocks.end)
        return;
    for (uint32_t at = hm_lists_end_of(&lists->blocks, gap); at < end;
         at = hm_lists_end_of(&lists->blocks, at))
        gaps++;
    hm_lists_join(&lists->blocks, gap, gaps);
}

bool hm_lists_destroy(hm_lists *lists, hm_handle list)
{
    HM_CONTRACT(lists != NULL, "hm_lists_destroy: lists is NULL");
    uint32_t position = hm_id_table_find(&lists->ids, list);
    if (position == HM_INVALID_INDEX || hm_guard_refuses(&lists->guard, "lists", lists->name))
        return false;
    hm_lists_record *record = &lists->blocks.records[hm_handle_index(list)];
    lists_destroy_items(lists, record, 0);
    hm_lists_empty(&lists->blocks, record);
    record->tag = 0;
    hm_id_table_release(&lists->ids, list, position);
    return true;
}

uint32_t hm_lists_destroy_n(hm_lists *lists, const hm_handle *handles, uint32_t n)
{
    HM_CONTRACT(lists != NULL, "hm_lists_destroy_n: lists is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_lists_destroy_n: handles is NULL");
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return 0;
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < n; i++)
        destroyed += hm_lists_destroy(lists, handles[i]);
    return destroyed;
}

/* Backward: the list that takes the position of a destroyed one has been asked about. */
uint32_t hm_lists_destroy_if(hm_lists *lists,
                             bool (*doomed)(hm_handle list, const void *items, uint32_t count,
                                            void *context),
                             void *context)
{
    HM_CONTRACT(lists != NULL, "hm_lists_destroy_if: lists is NULL");
    HM_CONTRACT(doomed != NULL, "hm_lists_destroy_if: doomed is NULL");
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return 0;
    uint32_t before = lists->ids.count;
    for (uint32_t i = before; i-- > 0;) {
        hm_handle list = hm_lists_handle_at(lists, i);
        uint32_t count;
        const void *items = hm_lists_items(lists, list, &count);
        lists_enter(lists);
        bool is_doomed = doomed(list, items, count, context);
        lists_leave(lists);
        if (is_doomed)
            (void)hm_lists_destroy(lists, list);
    }
    return before - lists->ids.count;
}

void hm_lists_clear(hm_lists *lists)
{
    HM_CONTRACT_AT_REST(lists, "hm_lists_clear");
    while (lists->destroy != NULL && lists->ids.count > 0)
        (void)hm_lists_destroy(lists, hm_lists_handle_at(lists, lists->ids.count - 1));
    hm_id_table_clear(&lists->ids);
    if (lists->ids.slot_count > 0)
        memset(lists->blocks.records, 0, sizeof *lists->blocks.records * lists->ids.slot_count);
    hm_lists_drop_blocks(&lists->blocks);
}

/* items */

/* Returns the record of a list that is to be changed; NULL, and the status, if it must not be. */
static hm_lists_record *lists_resolve(const hm_lists *lists, hm_handle list, hm_status *status)
{
    if (hm_guard_refuses(&lists->guard, "lists", lists->name)) {
        *status = HM_ERROR_BUSY;
        return NULL;
    }
    bool is_live = hm_id_table_contains(&lists->ids, list);
    *status = is_live ? HM_OK
                      : hm_fail(HM_ERROR_STALE, "0x%016" HM_X64 " names no list of '%.40s': %s",
                                list.bits, lists->name,
                                hm_handle_state_name(hm_lists_explain(lists, list)));
    return is_live ? &lists->blocks.records[hm_handle_index(list)] : NULL;
}

/* As hm_lists_append, and names the lists if memory was refused. */
static unsigned char *lists_append(hm_lists *lists, hm_lists_record *record, uint32_t n,
                                   const void **items, hm_status *status)
{
    unsigned char *place = hm_lists_append(&lists->blocks, record, n, items, status);
    *status = hm_lists_blame(lists, *status);
    return place;
}

static void lists_write(void *place, const void *items, size_t size)
{
    if (items != NULL)
        memcpy(place, items, size);
    else
        memset(place, 0, size);
}

void *hm_lists_push_slow(hm_lists *lists, hm_handle list, const void *item)
{
    hm_status status;
    hm_lists_record *record = lists_resolve(lists, list, &status);
    unsigned char *place = NULL;
    if (record != NULL)
        place = lists_append(lists, record, 1, &item, &status);
    if (place != NULL)
        lists_write(place, item, lists->blocks.item_size);
    return place;
}

hm_status hm_lists_push_n(hm_lists *lists, hm_handle list, const void *items, uint32_t n)
{
    HM_CONTRACT(lists != NULL, "hm_lists_push_n: lists is NULL");
    hm_status status;
    hm_lists_record *record = lists_resolve(lists, list, &status);
    if (record == NULL || n == 0)
        return status;
    unsigned char *place = lists_append(lists, record, n, &items, &status);
    if (place != NULL)
        lists_write(place, items, lists->blocks.item_size * n);
    return status;
}

void *hm_lists_insert_at(hm_lists *lists, hm_handle list, uint32_t index, const void *item)
{
    HM_CONTRACT(lists != NULL, "hm_lists_insert_at: lists is NULL");
    hm_status status;
    hm_lists_record *record = lists_resolve(lists, list, &status);
    if (record == NULL)
        return NULL;
    uint32_t count = record->count;
    if (index > count) {
        hm_fail(HM_ERROR_INVALID,
                "hm_lists_insert_at: index %" HM_U32 " is above the count %" HM_U32
                " of a list of '%.40s'",
                index, count, lists->name);
        return NULL;
    }
    const unsigned char *last = lists_append(lists, record, 1, &item, &status);
    if (last == NULL)
        return NULL;
    unsigned char *place = hm_lists_item_at(&lists->blocks, record, index);
    memmove(place + lists->blocks.item_size, place, (size_t)(last - place));
    item = hm_array_translate(item, place, (size_t)(last - place), place + lists->blocks.item_size);
    lists_write(place, item, lists->blocks.item_size);
    return place;
}

hm_status hm_lists_resize(hm_lists *lists, hm_handle list, uint32_t count)
{
    HM_CONTRACT(lists != NULL, "hm_lists_resize: lists is NULL");
    hm_status status;
    hm_lists_record *record = lists_resolve(lists, list, &status);
    if (record == NULL)
        return status;
    uint32_t before = record->count;
    if (count > before)
        return hm_lists_push_n(lists, list, NULL, count - before);
    lists_destroy_items(lists, record, count);
    if (count == 0)
        hm_lists_empty(&lists->blocks, record);
    else if (count < record->count)
        hm_lists_shrink(&lists->blocks, record, count);
    return HM_OK;
}

bool hm_lists_erase_slow(hm_lists *lists, hm_lists_record *record, uint32_t index)
{
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return false;
    lists_destroy_item(lists, record, index);
    hm_lists_drop(&lists->blocks, record, index);
    return true;
}

bool hm_lists_erase_ordered_at(hm_lists *lists, hm_handle list, uint32_t index)
{
    HM_CONTRACT(lists != NULL, "hm_lists_erase_ordered_at: lists is NULL");
    hm_lists_record *record = hm_lists_find(lists, list);
    if (record == NULL || index >= record->count ||
        hm_guard_refuses(&lists->guard, "lists", lists->name))
        return false;
    uint32_t last = record->count - 1;
    lists_destroy_item(lists, record, index);
    unsigned char *place = hm_lists_item_at(&lists->blocks, record, index);
    memmove(place, place + lists->blocks.item_size, lists->blocks.item_size * (last - index));
    hm_lists_shrink(&lists->blocks, record, last);
    return true;
}

uint32_t hm_lists_erase_if(hm_lists *lists, hm_handle list,
                           bool (*doomed)(const void *item, void *context), void *context)
{
    HM_CONTRACT(lists != NULL, "hm_lists_erase_if: lists is NULL");
    HM_CONTRACT(doomed != NULL, "hm_lists_erase_if: doomed is NULL");
    hm_lists_record *record = hm_lists_find(lists, list);
    if (record == NULL || record->unit == 0 ||
        hm_guard_refuses(&lists->guard, "lists", lists->name))
        return 0;
    uint32_t count = record->count, kept = 0;
    lists_enter(lists);
    for (uint32_t i = 0; i < count; i++) {
        void *item = hm_lists_item_at(&lists->blocks, record, i);
        if (doomed(item, context))
            continue;
        if (kept != i)
            hm_order_exchange_bytes(hm_lists_item_at(&lists->blocks, record, kept), item,
                                    lists->blocks.item_size);
        kept++;
    }
    lists_leave(lists);
    lists_destroy_items(lists, record, kept);
    if (kept < record->count)
        hm_lists_shrink(&lists->blocks, record, kept);
    return count - kept;
}

/* upkeep */

hm_status hm_lists_trim(hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_trim: lists is NULL");
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_id_table_trim_slots(&lists->ids);
    lists->blocks.record_array.count = lists->ids.entry_array.limit;
    if (status == HM_OK)
        status = hm_array_decommit(&lists->blocks.record_array);
    if (status == HM_OK)
        status = hm_lists_trim_units(&lists->blocks);
    if (status == HM_OK)
        status = hm_id_table_narrow(&lists->ids, lists, lists_move);
    if (status == HM_OK)
        status = hm_lists_shrink_range(&lists->blocks);
    return hm_lists_blame(lists, status);
}

hm_progress hm_lists_defragment(hm_lists *lists, hm_frame_budget *budget)
{
    HM_CONTRACT(lists != NULL, "hm_lists_defragment: lists is NULL");
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return (hm_progress){.status = HM_ERROR_BUSY};
    return hm_lists_close_gaps(&lists->blocks, budget);
}

HM_ID_TABLE_QUESTIONS(lists, handles)

hm_lists_stats hm_lists_get_stats(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_get_stats: lists is NULL");
    hm_lists_stats stats = {0};
    hm_id_table_add_stats(&lists->ids, &stats);
    hm_stats_add(&stats, &lists->blocks.record_array);
    hm_stats_add(&stats, &lists->blocks.unit_array);
    return stats;
}

/* Each list has a record with its tag if as many tags are those of lists as there are lists. */
static hm_status lists_validate_records(const hm_lists *lists)
{
    uint32_t tags = 0;
    for (uint32_t slot = 0; slot < lists->ids.slot_count; slot++) {
        const hm_lists_record *record = &lists->blocks.records[slot];
        hm_handle list = hm_handle_from_bits((uint64_t)record->tag << 32 | slot);
        bool is_live = hm_id_table_contains(&lists->ids, list);
        uint32_t used = record->count | record->capacity;
        bool is_sound =
            is_live ? record->unit != 0 || used == 0 : (record->tag | record->unit | used) == 0;
        if (!is_sound)
            return hm_fail(HM_ERROR_CORRUPT, "the record of slot %" HM_U32 " is damaged", slot);
        tags += is_live;
    }
    if (tags != lists->ids.count)
        return hm_fail(HM_ERROR_CORRUPT, "%" HM_U32 " records for %" HM_U32 " lists", tags,
                       lists->ids.count);
    return HM_OK;
}

static hm_status lists_validate(const hm_lists *lists)
{
    if (lists->blocks.base == NULL)
        return HM_OK;
    hm_status status = hm_id_table_validate(&lists->ids);
    if (status != HM_OK)
        return status;
    uint64_t limit = hm_guard_is_busy(&lists->guard) ? 0 : lists->blocks.max_items;
    if (lists->blocks.record_array.limit < lists->ids.slot_count || lists->blocks.limit != limit ||
        !hm_lists_is_placed(&lists->blocks))
        return hm_fail(HM_ERROR_CORRUPT, "the columns of %s are damaged", lists->name);
    status = lists_validate_records(lists);
    return status == HM_OK ? hm_lists_validate_blocks(&lists->blocks, lists->ids.slot_count)
                           : status;
}

HM_VALIDATE(lists, lists_validate)

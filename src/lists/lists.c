/* SPDX-License-Identifier: MIT */
/* lists: the lists and their items. */
#include "lists_internal.h"
#include "lists_private.h"

#include "../announce_private.h"
#include "../array_private.h"
#include "../base_private.h"
#include "../guard_private.h"
#include "../id_table_private.h"
#include "../memory/memory_private.h"
#include "../order/order_private.h"

enum {
    LISTS_UNIT_SIZE = 8,   /* bytes, at least: that of a head */
    LISTS_LARGE_UNIT = 32, /* bytes, or twice the alignment if that is more: the most */
    LISTS_ITEMS = 16,      /* default items for each list */
    LISTS_SCARCE_ITEMS = 4 /* where address space is scarce */
};

#ifndef HM_EXHAUSTIVE
enum {
    LISTS_SPREAD = 4,    /* times the items' size that is reserved: blocks, and gaps */
    LISTS_MIN_UNITS = 64 /* in a range */
};
#endif

_Static_assert(sizeof(hm_lists_block) == LISTS_UNIT_SIZE, "a head takes one unit");
_Static_assert(sizeof(hm_lists_links) == LISTS_UNIT_SIZE, "links take one unit");

/* So the units of a block, rounded up to a power of two, do not reach HM_LISTS_EXACT. */
#define LISTS_MAX_UNITS (HM_LISTS_EXACT >> 1)

/* init and fini */

static void lists_complete(const hm_lists_desc *desc, hm_lists_desc *full)
{
    const hm_id_table_desc given = {desc->capacity, desc->max_slots, desc->type_id, desc->memory};
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

/* Returns how many items of one list units of so many bytes can hold. */
static uint64_t lists_most(size_t unit_size, size_t item_size)
{
    return (uint64_t)(LISTS_MAX_UNITS - 1) * unit_size / item_size;
}

/* Completes max_items, and decides the size of a unit: the smallest that can hold them. Without a
 * capacity both are the same on every machine. */
static hm_status lists_measure(hm_lists *lists, bool is_whole, hm_lists_desc *full)
{
    size_t unit_size = LISTS_UNIT_SIZE, large = LISTS_LARGE_UNIT;
    if (unit_size < full->item_align)
        unit_size = full->item_align;
    if (large < 2 * unit_size)
        large = 2 * unit_size;
    uint64_t most = lists_most(large, full->item_size);
    if (full->max_items == 0 && is_whole) {
        full->max_items = lists_most(unit_size, full->item_size);
    } else if (full->max_items == 0) {
        full->max_items = hm_memory_is_ample(full->memory) ? LISTS_ITEMS : LISTS_SCARCE_ITEMS;
        full->max_items *= full->capacity;
        if (full->max_items > most)
            full->max_items = most;
    }
    if (full->max_items > most)
        return hm_fail(HM_ERROR_INVALID, "max_items %" HM_U64 " of %zu bytes is above %" HM_U64,
                       full->max_items, full->item_size, most);
    while (lists_most(unit_size, full->item_size) < full->max_items)
        unit_size *= 2;
    lists->unit_shift = hm_bits_highest(unit_size);
    lists->item_size = full->item_size;
    return HM_OK;
}

/* Returns in *range how many units to reserve. */
static hm_status lists_measure_range(const hm_lists *lists, bool is_whole,
                                     const hm_lists_desc *full, size_t *range)
{
    *range = hm_lists_first_units(lists);
    if (is_whole)
        return HM_OK;
    uint64_t heads = full->capacity < full->max_items ? full->capacity : full->max_items;
    uint64_t units = LISTS_SPREAD * (heads + hm_lists_units_of(lists, full->max_items));
    if (units > UINT32_MAX)
        units = UINT32_MAX;
    *range = units < LISTS_MIN_UNITS ? LISTS_MIN_UNITS : (size_t)units;
    return hm_array_check_size((size_t)1 << lists->unit_shift, *range, "unit_", full->memory);
}

static hm_status lists_init_parts(hm_lists *lists, bool is_whole, hm_lists_desc *full,
                                  const hm_array_column *more, uint32_t count)
{
    const hm_memory *memory = full->memory;
    const hm_array_desc item = {full->item_size, full->item_align, 1, 0, memory};
    size_t range = 0;
    hm_status status = hm_array_check(&item, "item_");
    if (status == HM_OK)
        status = hm_id_table_check(full->capacity, full->max_slots, full->type_id);
    if (status == HM_OK)
        status = lists_measure(lists, is_whole, full);
    if (status == HM_OK)
        status = lists_measure_range(lists, is_whole, full, &range);
    if (status != HM_OK)
        return status;
    hm_array_column columns[HM_ID_TABLE_MORE] = {
        {.array = &lists->record_array,
         .desc = {sizeof(hm_lists_record), 0, 0, 0, NULL},
         .is_by_slot = true},
        {.array = &lists->unit_array,
         .desc = {(size_t)1 << lists->unit_shift, full->item_align, range, 0, NULL},
         .is_visible = true},
    };
    if (count > 0)
        memcpy(columns + 2, more, sizeof *more * count);
    const hm_id_table_desc ids = {is_whole ? 0 : full->capacity, full->max_slots, full->type_id,
                                  memory};
    status = hm_id_table_init_with(&lists->ids, &ids, columns, 2 + count);
    if (status == HM_OK)
        status = hm_id_table_settle_type(&lists->ids.type_id, "lists", full->name);
    return status;
}

static void lists_release_all(hm_lists *lists)
{
    hm_array_fini(&lists->unit_array);
    hm_array_fini(&lists->record_array);
    hm_id_table_fini(&lists->ids);
    memset(lists, 0, sizeof *lists);
}

hm_status hm_lists_init_with(hm_lists *lists, const hm_lists_desc *desc,
                             const hm_array_column *more, uint32_t count)
{
    hm_status status = hm_announce_init("lists", lists, sizeof *lists, desc);
    if (status != HM_OK)
        return status;
    hm_lists_desc full;
    lists_complete(desc, &full);
    status = lists_init_parts(lists, desc->capacity == 0, &full, more, count);
    if (status != HM_OK) {
        const hm_limits limits = {"lists",        full.name,      full.capacity,
                                  full.max_slots, full.max_items, "max_items"};
        lists_release_all(lists);
        return hm_tell_memory(status, &limits);
    }
    lists->end = lists->cursor = 1;
    hm_lists_place(lists);
    lists->limit = lists->max_items = full.max_items;
    lists->name = full.name;
    lists->destroy = full.destroy;
    lists->context = full.context;
    if (full.destroy != NULL)
        lists->guard.flags |= HM_GUARD_HOOK;
    return HM_OK;
}

hm_status hm_lists_init(hm_lists *lists, const hm_lists_desc *desc)
{
    return hm_lists_init_with(lists, desc, NULL, 0);
}

void hm_lists_fini(hm_lists *lists)
{
    HM_CONTRACT_AT_REST(lists, "hm_lists_fini");
    if (lists->destroy != NULL)
        hm_lists_clear(lists);
    lists_release_all(lists);
}

/* lists */

/* Every callback runs between these two. A push that is inline tests only the limit. */
static void lists_enter(hm_lists *lists)
{
    hm_guard_enter(&lists->guard);
    lists->limit = 0;
}

static void lists_leave(hm_lists *lists)
{
    hm_guard_leave(&lists->guard, 0);
    lists->limit = lists->max_items;
}

/* Lists the arrays that move with the id table, and those of the container. Blocks that have a
 * range of their own stay there. */
static uint32_t lists_list_columns(hm_lists *lists, const hm_array_column *more, uint32_t count,
                                   hm_array_column *columns)
{
    uint32_t own = 1;
    columns[0] = hm_array_column_of(&lists->record_array, lists->ids.slot_count, false);
    columns[0].desc.capacity = 0;
    columns[0].is_by_slot = true;
    if (lists->unit_array.range_size == 0)
        columns[own++] = hm_array_column_of(&lists->unit_array, lists->end, true);
    if (count > 0)
        memcpy(columns + own, more, sizeof *more * count);
    return own + count;
}

hm_status hm_lists_grow(hm_lists *lists, uint32_t n, const hm_array_column *more, uint32_t count)
{
    hm_array_column columns[HM_ID_TABLE_MORE];
    uint32_t all = lists_list_columns(lists, more, count, columns);
    hm_status status = hm_id_table_grow(&lists->ids, lists->name, n, columns, all);
    hm_lists_place(lists);
    return status;
}

/* Each slot that has an entry in memory has a record there too. Entries for which many retired
 * slots leave no space move to a range of their own, and the records follow. */
static hm_status lists_prepare_records(hm_lists *lists, bool grows)
{
    hm_array *records = &lists->record_array;
    size_t slots = lists->ids.entry_array.limit;
    hm_status status = HM_OK;
    if (slots > records->capacity) {
        status = hm_array_widen(records, slots, lists->ids.slot_count);
        lists->records = hm_array_data(records);
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
    hm_status status = HM_OK;
    if (hm_id_table_outgrows(&lists->ids, n))
        status = hm_lists_grow(lists, n, NULL, 0);
    if (status == HM_OK)
        status = hm_id_table_prepare(&lists->ids, lists->name, n, grows);
    if (status == HM_OK)
        status = lists_prepare_records(lists, grows);
    return hm_lists_tell(lists, status);
}

HM_ID_TABLE_RESERVE(lists)

/* Returns the bytes of all blocks, and of the unit in front of them. */
static size_t lists_size(const hm_lists *lists)
{
    return (size_t)lists->end << lists->unit_shift;
}

/* There is room for the list. */
static hm_handle lists_issue(hm_lists *lists)
{
    hm_handle list;
    hm_id_table_issue_n(&lists->ids, 1, &list);
    lists->records[hm_handle_index(list)] = (hm_lists_record){.tag = (uint32_t)(list.bits >> 32)};
    return list;
}

hm_handle hm_lists_create(hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_create: lists is NULL");
    return lists_prepare(lists, 1, true) == HM_OK ? lists_issue(lists) : HM_NULL_HANDLE;
}

hm_status hm_lists_create_n(hm_lists *lists, uint32_t n, hm_handle *handles)
{
    HM_CONTRACT(lists != NULL, "hm_lists_create_n: lists is NULL");
    const unsigned char *before = lists->base;
    hm_status status = lists_prepare(lists, n, true);
    handles = (hm_handle *)hm_array_follow(handles, before, lists_size(lists), lists->base);
    for (uint32_t i = 0; status == HM_OK && i < n; i++) {
        hm_handle list = lists_issue(lists);
        if (handles != NULL)
            handles[i] = list;
    }
    return status;
}

/* Drops the items of a list, and gives its block back. */
static void lists_empty(hm_lists *lists, hm_lists_record *record)
{
    if (record->unit == 0)
        return;
    lists->item_count -= record->count;
    hm_lists_give(lists, record->unit);
    *record = (hm_lists_record){.tag = record->tag};
}

static unsigned char *lists_item_at(const hm_lists *lists, const hm_lists_record *record,
                                    uint32_t index)
{
    return hm_lists_address(lists, record->unit + 1) + lists->item_size * index;
}

/* Drops the last items of a list that has more than `count`. The units that an exact block then has
 * too many are freed. Any other block stays as it is, even if the list becomes empty: one that is
 * filled and emptied by turns would need a new block each time. */
static void lists_shrink(hm_lists *lists, hm_lists_record *record, uint32_t count)
{
    uint32_t unit = record->unit;
    hm_lists_block *block = hm_lists_block_at(lists, unit);
    bool is_exact = (block->size & HM_LISTS_EXACT) != 0;
    if (is_exact && count == 0) {
        lists_empty(lists, record);
        return;
    }
    lists->item_count -= record->count - count;
    record->count = count;
    if (is_exact) {
        uint32_t end = hm_lists_end_of(lists, unit);
        block->size = count | HM_LISTS_EXACT;
        hm_lists_make_gap(lists, hm_lists_end_of(lists, unit), end);
    } else if (count == 0) {
        hm_lists_part(lists);
    }
    hm_lists_poison_rest(lists, unit, count);
}

/* Runs the hook, if there is one, for an item that will be erased. */
static void lists_destroy_item(hm_lists *lists, const hm_lists_record *record, uint32_t index)
{
    if (lists->destroy == NULL)
        return;
    lists_enter(lists);
    lists->destroy(lists_item_at(lists, record, index), lists->context);
    lists_leave(lists);
}

/* With a hook, drops the items from `count` on, the last first, each after its hook has run. An
 * exact block leaves a gap for each: they become one, which a list of the same size can use. */
static void lists_destroy_items(hm_lists *lists, hm_lists_record *record, uint32_t count)
{
    if (lists->destroy == NULL || record->count <= count)
        return;
    uint32_t unit = record->unit, end = hm_lists_end_of(lists, unit), gaps = 0;
    while (record->count > count) {
        lists_destroy_item(lists, record, record->count - 1);
        lists_shrink(lists, record, record->count - 1);
    }
    uint32_t gap = record->unit != 0 ? hm_lists_end_of(lists, unit) : unit;
    if (gap == end || end > lists->end)
        return;
    for (uint32_t at = hm_lists_end_of(lists, gap); at < end; at = hm_lists_end_of(lists, at))
        gaps++;
    hm_lists_join(lists, gap, gaps);
}

bool hm_lists_destroy(hm_lists *lists, hm_handle list)
{
    HM_CONTRACT(lists != NULL, "hm_lists_destroy: lists is NULL");
    uint32_t position = hm_id_table_find(&lists->ids, list);
    if (position == HM_INVALID_INDEX || hm_guard_refuses(&lists->guard, "lists", lists->name))
        return false;
    hm_lists_record *record = &lists->records[hm_handle_index(list)];
    lists_destroy_items(lists, record, 0);
    lists_empty(lists, record);
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

/* Makes the range empty, when no list has a block any more. */
static void lists_drop_blocks(hm_lists *lists)
{
    memset(lists->heads, 0, sizeof lists->heads);
    lists->item_count = 0;
    if (lists->base == NULL)
        return;
    hm_memory_poison(hm_lists_address(lists, 1), (size_t)(lists->end - 1) << lists->unit_shift);
    lists->end = lists->cursor = 1;
}

void hm_lists_clear(hm_lists *lists)
{
    HM_CONTRACT_AT_REST(lists, "hm_lists_clear");
    while (lists->destroy != NULL && lists->ids.count > 0)
        (void)hm_lists_destroy(lists, hm_lists_handle_at(lists, lists->ids.count - 1));
    hm_id_table_clear(&lists->ids);
    if (lists->ids.slot_count > 0)
        memset(lists->records, 0, sizeof *lists->records * lists->ids.slot_count);
    lists_drop_blocks(lists);
}

void hm_lists_drop_items(hm_lists *lists)
{
    for (uint32_t slot = 0; slot < lists->ids.slot_count; slot++)
        lists->records[slot] = (hm_lists_record){.tag = lists->records[slot].tag};
    lists_drop_blocks(lists);
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
                      : hm_fail(HM_ERROR_STALE, "0x%016" HM_X64 " names no list: %s", list.bits,
                                hm_handle_state_name(hm_lists_explain(lists, list)));
    return is_live ? &lists->records[hm_handle_index(list)] : NULL;
}

/* Moves the items of a list, which may be none, into a new block, which `count` fit into. */
static hm_status lists_move(hm_lists *lists, hm_handle list, hm_lists_record *record,
                            uint64_t count)
{
    uint32_t unit;
    hm_status status = hm_lists_take(lists, count, &unit);
    if (status != HM_OK)
        return status;
    hm_lists_record moved = {record->tag, unit, record->count, hm_lists_capacity_at(lists, unit)};
    hm_lists_block_at(lists, unit)->slot = hm_handle_index(list);
    if (record->unit != 0) {
        size_t size = lists->item_size * moved.count;
        hm_memory_unpoison(hm_lists_address(lists, unit + 1), size);
        memcpy(lists_item_at(lists, &moved, 0), lists_item_at(lists, record, 0), size);
        hm_lists_give(lists, record->unit);
    }
    *record = moved;
    return HM_OK;
}

/* Makes a list's block have room for n more items. */
static hm_status lists_make_room(hm_lists *lists, hm_handle list, hm_lists_record *record,
                                 uint32_t n)
{
    uint32_t count = record->count;
    if (n > lists->max_items - lists->item_count)
        return hm_fail(HM_ERROR_FULL,
                       "%" HM_U64 " of %" HM_U64 " items: %" HM_U32 " more would exceed max_items",
                       lists->item_count, lists->max_items, n);
    if (n > HM_LISTS_MOST - count)
        return hm_fail(HM_ERROR_FULL, "a list has at most %" HM_U32 " items", HM_LISTS_MOST);
    uint64_t need = hm_lists_units_of(lists, (uint64_t)count + n);
    if (record->unit != 0 && need <= hm_lists_end_of(lists, record->unit) - record->unit)
        return HM_OK;
    return lists_move(lists, list, record, (uint64_t)count + n);
}

hm_status hm_lists_prepare_push(hm_lists *lists, hm_handle list, uint32_t n)
{
    return lists_make_room(lists, list, hm_lists_find(lists, list), n);
}

/* Adds n items to a list, and returns the place of the first, unwritten; NULL, and the status, if
 * there is no room. `items` may be of these lists, and move: with their list, or with all. */
static unsigned char *lists_grow(hm_lists *lists, hm_handle list, hm_lists_record *record,
                                 uint32_t n, const void **items, hm_status *status)
{
    uint32_t count = record->count, unit = record->unit;
    const unsigned char *base = lists->base;
    size_t size = lists_size(lists);
    *status = lists_make_room(lists, list, record, n);
    if (*status != HM_OK)
        return NULL;
    *items = hm_array_follow(*items, base, size, lists->base);
    *items = hm_array_follow(*items, hm_lists_address(lists, unit + 1), lists->item_size * count,
                             lists_item_at(lists, record, 0));
    record->count = count + n;
    lists->item_count += n;
    hm_lists_block *block = hm_lists_block_at(lists, record->unit);
    if ((block->size & HM_LISTS_EXACT) != 0)
        block->size += n;
    unsigned char *place = lists_item_at(lists, record, count);
    hm_memory_unpoison(place, lists->item_size * n);
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
        place = lists_grow(lists, list, record, 1, &item, &status);
    if (place != NULL)
        lists_write(place, item, lists->item_size);
    return place;
}

hm_status hm_lists_push_n(hm_lists *lists, hm_handle list, const void *items, uint32_t n)
{
    HM_CONTRACT(lists != NULL, "hm_lists_push_n: lists is NULL");
    hm_status status;
    hm_lists_record *record = lists_resolve(lists, list, &status);
    if (record == NULL || n == 0)
        return status;
    unsigned char *place = lists_grow(lists, list, record, n, &items, &status);
    if (place != NULL)
        lists_write(place, items, lists->item_size * n);
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
        hm_fail(HM_ERROR_INVALID, "index %" HM_U32 " is above the count %" HM_U32, index, count);
        return NULL;
    }
    const unsigned char *last = lists_grow(lists, list, record, 1, &item, &status);
    if (last == NULL)
        return NULL;
    unsigned char *place = lists_item_at(lists, record, index);
    memmove(place + lists->item_size, place, (size_t)(last - place));
    item = hm_array_follow(item, place, (size_t)(last - place), place + lists->item_size);
    lists_write(place, item, lists->item_size);
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
        lists_empty(lists, record);
    else if (count < record->count)
        lists_shrink(lists, record, count);
    return HM_OK;
}

bool hm_lists_erase_slow(hm_lists *lists, hm_lists_record *record, uint32_t index)
{
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return false;
    uint32_t last = record->count - 1;
    lists_destroy_item(lists, record, index);
    if (index != last)
        memcpy(lists_item_at(lists, record, index), lists_item_at(lists, record, last),
               lists->item_size);
    lists_shrink(lists, record, last);
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
    unsigned char *place = lists_item_at(lists, record, index);
    memmove(place, place + lists->item_size, lists->item_size * (last - index));
    lists_shrink(lists, record, last);
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
        void *item = lists_item_at(lists, record, i);
        if (doomed(item, context))
            continue;
        if (kept != i)
            hm_order_exchange_bytes(lists_item_at(lists, record, kept), item, lists->item_size);
        kept++;
    }
    lists_leave(lists);
    lists_destroy_items(lists, record, kept);
    if (kept < record->count)
        lists_shrink(lists, record, kept);
    return count - kept;
}

/* upkeep */

static hm_status lists_shrink_ids(hm_lists *lists, const hm_array_column *more, uint32_t count)
{
    hm_array_column columns[HM_ID_TABLE_MORE];
    uint32_t all = lists_list_columns(lists, more, count, columns);
    hm_status status = hm_id_table_shrink(&lists->ids, columns, all);
    hm_lists_place(lists);
    return status;
}

hm_status hm_lists_trim_with(hm_lists *lists, const hm_array_column *more, uint32_t count)
{
    if (hm_guard_refuses(&lists->guard, "lists", lists->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_id_table_trim_slots(&lists->ids);
    lists->record_array.count = lists->ids.entry_array.limit;
    lists->unit_array.count = lists->end > 1 ? lists->end : 0;
    if (status == HM_OK)
        status = hm_array_decommit(&lists->record_array);
    if (status == HM_OK)
        status = hm_array_trim(&lists->unit_array);
    if (status == HM_OK)
        status = lists_shrink_ids(lists, more, count);
    if (status == HM_OK)
        status = hm_lists_shrink_range(lists);
    return hm_lists_tell(lists, status);
}

hm_status hm_lists_trim(hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_trim: lists is NULL");
    return hm_lists_trim_with(lists, NULL, 0);
}

HM_ID_TABLE_QUESTIONS(lists, handles)

hm_lists_stats hm_lists_get_stats(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_get_stats: lists is NULL");
    hm_lists_stats stats = {0};
    hm_id_table_add_stats(&lists->ids, &stats);
    hm_array_add_sizes(&lists->record_array, &stats);
    hm_array_add_sizes(&lists->unit_array, &stats);
    return stats;
}

/* Each list has a record with its tag if as many tags are those of lists as there are lists. */
static hm_status lists_validate_records(const hm_lists *lists)
{
    uint32_t tags = 0;
    for (uint32_t slot = 0; slot < lists->ids.slot_count; slot++) {
        const hm_lists_record *record = &lists->records[slot];
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

hm_status hm_lists_validate(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_validate: lists is NULL");
    if (lists->base == NULL)
        return HM_OK;
    hm_status status = hm_id_table_validate(&lists->ids);
    if (status != HM_OK)
        return status;
    uint64_t limit = hm_guard_is_busy(&lists->guard) ? 0 : lists->max_items;
    if (lists->record_array.limit < lists->ids.slot_count || lists->limit != limit ||
        (void *)lists->records != hm_array_data(&lists->record_array) ||
        lists->base != hm_array_data(&lists->unit_array))
        return hm_fail(HM_ERROR_CORRUPT, "the columns of %s are damaged", lists->name);
    if (lists->end == 0 || (lists->end > 1 && lists->end > lists->unit_array.limit) ||
        lists->cursor == 0 || lists->cursor > lists->end)
        return hm_fail(HM_ERROR_CORRUPT, "the end of the blocks is damaged");
    status = lists_validate_records(lists);
    return status == HM_OK ? hm_lists_validate_blocks(lists) : status;
}

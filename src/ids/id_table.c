/* SPDX-License-Identifier: MIT */
/* id_table: the functions that are not inline. The header explains the structure and its rule. */
#include "ids_private.h"

#include "../base/atomic_private.h"
#include "../base/base_private.h"
#include "../memory/memory_private.h"

HM_STATIC_ASSERT(HM_HANDLE_TYPE_ID_SHIFT - HM_HANDLE_GENERATION_SHIFT == 16,
                 "generation floors are uint16_t");

static bool id_table_is_spent(const hm_id_table *table, uint32_t slot)
{
    return hm_handle_generation(table->entries[slot]) == table->last_generation;
}

enum { ID_TABLE_FLOORS_HEAD = sizeof(hm_id_table_head) / sizeof(uint16_t) };

static hm_id_table_head *id_table_head_of(const hm_id_table *table)
{
    return (hm_id_table_head *)(void *)table->floors;
}

/* Returns NULL if no slot of the unit was ever dropped. */
static uint16_t *id_table_find_floor(const hm_id_table *table, size_t unit)
{
    return table->floors != NULL ? hm_array_at(table->floors, ID_TABLE_FLOORS_HEAD + unit) : NULL;
}

uint32_t hm_id_table_floor_of(const hm_id_table *table, uint32_t slot)
{
    const uint16_t *floor = id_table_find_floor(table, slot / HM_ID_TABLE_UNIT);
    return floor != NULL ? *floor : 0;
}

uint32_t hm_id_table_default_max_slots(uint32_t capacity, uint32_t least, uint32_t times)
{
    uint64_t max_slots = (uint64_t)capacity * times;
    if (max_slots < least)
        max_slots = least;
    return max_slots < UINT32_MAX ? (uint32_t)max_slots : UINT32_MAX;
}

uint32_t hm_id_table_first_slots(uint32_t capacity, uint32_t max_slots)
{
    return capacity < max_slots / 2 ? 2 * capacity : max_slots;
}

hm_status hm_id_table_check(uint32_t capacity, uint32_t max_slots, uint32_t type_id,
                            uint32_t generation_bits)
{
    if (capacity > UINT32_MAX - 1)
        return hm_fail(HM_ERROR_INVALID, "capacity %" HM_U32 " is above %" HM_U32, capacity,
                       UINT32_MAX - 1);
    if (max_slots < capacity)
        return hm_fail(HM_ERROR_INVALID, "max_slots %" HM_U32 " is below capacity %" HM_U32,
                       max_slots, capacity);
    if (!HM_IS_TYPE_ID(type_id))
        return hm_fail(HM_ERROR_INVALID, "type_id %" HM_U32 " is above %" HM_U32, type_id,
                       HM_HANDLE_MAX_TYPE_ID);
    if (generation_bits == 1 ||
        generation_bits > HM_HANDLE_TYPE_ID_SHIFT - HM_HANDLE_GENERATION_SHIFT)
        return hm_fail(HM_ERROR_INVALID, "generation_bits %" HM_U32 " is not from 2 to 16",
                       generation_bits);
    return HM_OK;
}

uint32_t hm_next_unique_type_1 = HM_TYPE_ID_FIRST_UNIQUE;

hm_status hm_id_table_choose_type(uint16_t *type_id)
{
    if (*type_id != HM_TYPE_ID_UNIQUE)
        return HM_OK;
    uint32_t next = hm_atomic_add(&hm_next_unique_type_1, 1);
    if (next > HM_HANDLE_MAX_TYPE_ID) {
        /* Taken back, so that no number of refusals wraps around to a type id that is given. */
        (void)hm_atomic_add(&hm_next_unique_type_1, UINT32_MAX);
        return hm_fail(HM_ERROR_FULL,
                       "no type_id is left of the %" HM_U32 " that HM_TYPE_ID_UNIQUE can give",
                       HM_HANDLE_MAX_TYPE_ID + 1 - HM_TYPE_ID_FIRST_UNIQUE);
    }
    *type_id = (uint16_t)next;
    return HM_OK;
}

enum { ID_TABLE_OWN = 2 /* arrays: slots, entries */ };

HM_STATIC_ASSERT(ID_TABLE_OWN + HM_ID_TABLE_MORE <= HM_ARRAY_MAX_COLUMNS, "one range has them all");

/* Lists the arrays of a table and of its container, for `capacity` live slots. */
static void id_table_list(size_t capacity, size_t slots, const hm_array_column *more,
                          uint32_t count, hm_array_column *columns)
{
    columns[0].desc.capacity = capacity;
    columns[1].desc.capacity = slots;
    for (uint32_t i = 0; i < count; i++) {
        columns[ID_TABLE_OWN + i] = more[i];
        columns[ID_TABLE_OWN + i].desc.memory = columns->desc.memory;
        if (more[i].parts != NULL)
            columns[ID_TABLE_OWN + i].desc.capacity =
                more[i].parts->size_of(more[i].owner, capacity);
        else if (more[i].desc.capacity == 0)
            columns[ID_TABLE_OWN + i].desc.capacity = more[i].is_by_slot ? slots : capacity;
    }
}

size_t hm_id_table_first_capacity(const hm_memory *memory, uint32_t limit,
                                  const hm_array_column *more, uint32_t count)
{
    size_t left = HM_ARRAY_FIRST_SIZE, slot = sizeof(hm_handle) + sizeof(uint32_t);
    if (left < memory->page_size)
        left = memory->page_size;
    left -= left / 8; /* for the ends of the arrays */
    for (uint32_t i = 0; i < count; i++) {
        size_t size = more[i].desc.item_size * more[i].desc.capacity;
        if (more[i].parts != NULL)
            slot += more[i].parts->size_of(more[i].owner, HM_ARRAY_LINE) / HM_ARRAY_LINE;
        else if (size == 0)
            slot += more[i].desc.item_size;
        left -= size < left ? size : left;
    }
    if (left < slot)
        return 1;
    return left / slot < limit ? left / slot : limit;
}

static hm_status id_table_init_columns(hm_id_table *table, const hm_id_table_desc *full,
                                       bool moves_to_grow, const hm_array_column *more,
                                       uint32_t count)
{
    const hm_memory *memory = full->memory;
    hm_array_column columns[HM_ARRAY_MAX_COLUMNS];
    size_t capacity = full->capacity;
    size_t slots = hm_id_table_first_slots(full->capacity, full->max_slots);
    hm_status status = HM_OK;
    if (moves_to_grow)
        slots = capacity = hm_id_table_first_capacity(memory, full->capacity, more, count);
    else
        status = hm_array_check_size(sizeof(hm_handle), slots, "entry_", memory);
    /* Coverage: only a 32-bit size_t has sizes that do not fit. */
    if (status != HM_OK)
        /* Coverage: as above. */
        return status;
    columns[0] =
        (hm_array_column){.array = &table->slot_array, .desc = {sizeof(uint32_t), 0, 0, 0, memory}};
    columns[1] = (hm_array_column){.array = &table->entry_array,
                                   .desc = {sizeof(hm_handle), 0, 0, 0, memory}};
    id_table_list(capacity, slots, more, count, columns);
    return hm_array_init_columns(columns, ID_TABLE_OWN + count, moves_to_grow);
}

static void id_table_place(hm_id_table *table)
{
    table->entries = hm_array_data(&table->entry_array);
    table->slots = hm_array_data(&table->slot_array);
}

hm_status hm_id_table_move(hm_id_table *table, size_t capacity, size_t slots,
                           const hm_array_column *more, uint32_t count)
{
    hm_array_column columns[HM_ARRAY_MAX_COLUMNS];
    const hm_array *first = &table->slot_array;
    if (capacity == 0) {
        capacity = hm_id_table_first_capacity(first->memory, table->capacity, more, count);
        size_t need = (size_t)table->used + hm_id_table_promised(table);
        if (capacity < need)
            capacity = need;
        if (capacity > first->capacity / 2)
            return HM_OK;
        slots = hm_id_table_slots_for(table, capacity);
    }
    columns[0] = hm_array_column_of(&table->slot_array, table->used, false);
    columns[1] = hm_array_column_of(&table->entry_array, table->slot_count, false);
    id_table_list(capacity, slots, more, count, columns);
    hm_status status = hm_array_move_columns(columns, ID_TABLE_OWN + count);
    id_table_place(table);
    return status;
}

hm_status hm_id_table_move_alone(void *table, size_t capacity, size_t slots)
{
    return hm_id_table_move(table, capacity, slots, NULL, 0);
}

void hm_id_table_fill(const hm_memory **memory, uint32_t capacity, uint32_t *max_slots)
{
    if (*memory == NULL)
        *memory = hm_memory_os();
    if (*max_slots == 0)
        *max_slots = hm_id_table_default_max_slots(capacity, HM_ID_TABLE_LEAST_SLOTS,
                                                   HM_ID_TABLE_SLOTS_PER_ITEM);
}

hm_id_table_desc hm_id_table_complete(const hm_id_table_desc *desc)
{
    hm_id_table_desc full = *desc;
    if (full.capacity == 0) {
        full.max_slots = full.max_slots != 0 ? full.max_slots : UINT32_MAX;
        full.capacity = full.max_slots < UINT32_MAX ? full.max_slots : UINT32_MAX - 1;
    }
    hm_id_table_fill(&full.memory, full.capacity, &full.max_slots);
    return full;
}

/* Passes a status on, and says that an id table was refused memory, if it was. */
static hm_status id_table_blame(uint64_t capacity, uint32_t max_slots, hm_status status)
{
    const hm_limits limits = {"id table", NULL, capacity, max_slots, 0, NULL};
    return hm_blame(status, &limits);
}

hm_status hm_id_table_init_with(hm_id_table *table, const hm_id_table_desc *desc,
                                const hm_array_column *more, uint32_t count)
{
    hm_id_table_desc full = hm_id_table_complete(desc);
    hm_status status =
        hm_id_table_check(full.capacity, full.max_slots, full.type_id, full.generation_bits);
    if (status == HM_OK)
        status = hm_memory_check(full.memory);
    if (status == HM_OK)
        status = id_table_init_columns(table, &full, desc->capacity == 0, more, count);
    if (status != HM_OK) {
        hm_id_table_fini(table);
        return id_table_blame(full.capacity, full.max_slots, status);
    }
    id_table_place(table);
    table->capacity = full.capacity;
    table->max_slots = full.max_slots;
    table->type_id = desc->type_id;
    table->last_generation = hm_last_generation(desc->generation_bits);
    return HM_OK;
}

hm_status hm_id_table_init(hm_id_table *table, const hm_id_table_desc *desc)
{
    if (table == NULL)
        return hm_refuse_null("hm_id_table_init", "table");
    memset(table, 0, sizeof *table);
    desc = HM_DESC(hm_id_table_desc, desc);
    hm_status status = hm_id_table_init_with(table, desc, NULL, 0);
    if (status == HM_OK)
        status = hm_id_table_choose_type(&table->type_id);
    if (status == HM_OK)
        return HM_OK;
    hm_id_table_fini(table);
    return hm_fail_in("id_table_init", NULL, status);
}

void hm_id_table_fini(hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_fini: table is NULL");
    hm_id_table_head head = {.first = NULL};
    if (table->floors != NULL)
        head = *id_table_head_of(table);
    hm_array_close(&head.promises);
    hm_array_close(&table->floors);
    hm_array_fini(&table->entry_array);
    hm_array_fini(&table->slot_array);
    if (head.first != NULL) /* The entries may have been in it. */
        head.array.memory->release(head.array.memory->context, head.first, head.first_size);
    hm_zero(table, sizeof *table);
}

/* Removes a free slot from `slots` for good; the last free one fills its position. */
static void id_table_retire(hm_id_table *table, uint32_t position)
{
    uint32_t spent = table->slots[position];
    hm_handle_link(table->entries, table->slots, table->slots[--table->used], position);
    table->entries[spent].bits |= HM_HANDLE_FREE_BIT | HM_INVALID_INDEX; /* all ones */
}

/* Returns how many of the free slots the next n issues can use, at most n. */
static uint32_t id_table_count_usable(const hm_id_table *table, uint32_t n)
{
    uint32_t usable = 0;
    for (uint32_t position = table->count; position < table->used && usable < n; position++)
        usable += !id_table_is_spent(table, table->slots[position]);
    return usable;
}

void hm_id_table_retire_spent(hm_id_table *table, uint32_t n)
{
    uint32_t usable = 0;
    while (usable < n && table->count + usable < table->used) {
        if (id_table_is_spent(table, table->slots[table->count + usable]))
            id_table_retire(table, table->count + usable);
        else
            usable++;
    }
}

hm_status hm_id_table_reserve(hm_id_table *table, uint32_t n)
{
    HM_CONTRACT(table != NULL, "hm_id_table_reserve: table is NULL");
    hm_status status = hm_id_table_prepare(table, NULL, n, false, table, hm_id_table_move_alone);
    if (status == HM_OK)
        hm_id_table_retire_spent(table, n);
    return id_table_blame(table->capacity, table->max_slots, status);
}

/* Returns in *fresh how many slots the next n issues create, or why they cannot. */
static hm_status id_table_admit(hm_id_table *table, const char *name, uint32_t n, uint32_t *fresh)
{
    if (n > hm_id_table_left(table))
        return hm_fail_full("id_table", NULL, hm_id_table_taken(table), table->capacity, n);
    *fresh = n - id_table_count_usable(table, n);
    if (*fresh <= table->max_slots - table->slot_count)
        return HM_OK;
    hm_id_table_retire_spent(table, n); /* No slots are left because of them. */
    return hm_fail_spent("id_table", name, table->max_slots,
                         table->slot_count - table->used - hm_id_table_promised(table));
}

uint32_t hm_id_table_available(const hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_available: table is NULL");
    uint32_t most = hm_id_table_left(table), fresh = table->max_slots - table->slot_count;
    return fresh >= most ? most : fresh + id_table_count_usable(table, most - fresh);
}

/* Whether a table without a capacity has no space for n more live slots. */
static bool id_table_outgrows(const hm_id_table *table, uint32_t n)
{
    return table->slot_array.moves_to_grow && n <= hm_id_table_left(table) &&
           n > table->slot_array.capacity - hm_id_table_taken(table);
}

bool hm_id_table_moves(const hm_id_table *table, uint32_t n)
{
    size_t slots = table->entry_array.capacity, room = slots - table->slot_count;
    if (id_table_outgrows(table, n))
        return true;
    return slots < table->max_slots && n > room && n - id_table_count_usable(table, n) > room;
}

hm_status hm_id_table_widen(hm_id_table *table, const char *name, uint32_t n, void *owner,
                            hm_ids_mover move)
{
    const hm_array *first = &table->slot_array;
    uint32_t fresh;
    if (!first->moves_to_grow)
        return HM_OK;
    hm_status status = id_table_admit(table, name, n, &fresh);
    if (status != HM_OK)
        return status;
    size_t need = (size_t)hm_id_table_taken(table) + n;
    size_t capacity = first->capacity * hm_array_factor(first->memory, first->range_size);
    if (capacity > table->capacity)
        capacity = table->capacity;
    if (capacity < need)
        capacity = need;
    return move(owner, capacity, hm_id_table_slots_for(table, capacity));
}

hm_status hm_id_table_prepare(hm_id_table *table, const char *name, uint32_t n, bool grows,
                              void *owner, hm_ids_mover move)
{
    uint32_t fresh = 0;
    hm_status status = HM_OK;
    if (id_table_outgrows(table, n))
        status = hm_id_table_widen(table, name, n, owner, move);
    if (status == HM_OK)
        status = id_table_admit(table, name, n, &fresh);
    if (status != HM_OK)
        return status;
    status = hm_id_table_open_entries(table, (size_t)table->slot_count + fresh, grows);
    if (status == HM_OK)
        status = hm_array_commit(&table->slot_array, (size_t)hm_id_table_taken(table) + n, grows);
    return status;
}

hm_status hm_id_table_open_entries(hm_id_table *table, size_t slots, bool grows)
{
    hm_status status = HM_OK;
    if (slots > table->entry_array.capacity) { /* What has been committed ahead is promised. */
        status = hm_array_widen(&table->entry_array, slots, table->entry_array.limit);
        id_table_place(table);
    }
    return status == HM_OK ? hm_array_commit(&table->entry_array, slots, grows) : status;
}

hm_status hm_id_table_open_positions(hm_id_table *table, size_t n)
{
    hm_array *slots = &table->slot_array;
    if (n <= slots->capacity)
        return hm_array_commit(slots, n, true);
    hm_status status = hm_id_table_open_floors(table, 1);
    if (status != HM_OK)
        return status;
    const hm_array before = *slots;
    bool is_first = id_table_head_of(table)->first == NULL;
    if (is_first)
        slots->range_size = 0; /* Other arrays are in it: it stays. */
    status = hm_array_widen(slots, n, before.limit);
    id_table_place(table);
    if (is_first && status == HM_OK) {
        id_table_head_of(table)->first = before.data;
        id_table_head_of(table)->first_size = before.range_size;
    } else if (is_first) {
        slots->range_size = before.range_size;
    }
    return status == HM_OK ? hm_array_commit(slots, n, true) : status;
}

/* Allows the inline issue to create slots up to the end of the committed entries or of the index
 * space, or of the unit if that has a floor of its own. A floor is never the last generation, since
 * trim spares such units. */
static void id_table_open_fresh_slots(hm_id_table *table)
{
    uint32_t floor = hm_id_table_floor_of(table, table->slot_count);
    uint64_t end = table->entry_array.limit;
    if (end > table->max_slots)
        end = table->max_slots;
    uint32_t unit = table->slot_count / HM_ID_TABLE_UNIT;
    uint64_t unit_end = (uint64_t)(unit + 1) * HM_ID_TABLE_UNIT;
    if (id_table_find_floor(table, unit) != NULL && end > unit_end)
        end = unit_end;
    table->fresh_end = (uint32_t)end;
    table->fresh_bits = hm_handle_pack(0, floor + 1, table->type_id).bits;
}

hm_handle hm_id_table_issue_slow(hm_id_table *table)
{
    hm_id_table_retire_spent(table, 1);
    if (table->count == table->used && table->slot_count >= table->fresh_end)
        id_table_open_fresh_slots(table);
    return hm_id_table_issue(table);
}

void hm_id_table_issue_n(hm_id_table *table, uint32_t n, hm_handle *handles)
{
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = hm_id_table_issue(table);
        if (hm_handle_is_null(handle))
            handle = hm_id_table_issue_slow(table);
        if (handles != NULL)
            handles[i] = handle;
    }
}

/* Returns the handle that the next issue of a slot makes: null if it has no memory, or is spent. */
static hm_handle id_table_next_of(const hm_id_table *table, uint64_t slot)
{
    if (slot >= table->entry_array.limit)
        return HM_NULL_HANDLE;
    uint32_t before = slot < table->slot_count ? hm_handle_generation(table->entries[slot])
                                               : hm_id_table_floor_of(table, (uint32_t)slot);
    return before != table->last_generation
               ? hm_handle_pack((uint32_t)slot, before + 1, table->type_id)
               : HM_NULL_HANDLE;
}

hm_handle hm_id_table_upcoming(const hm_id_table *table, uint32_t k)
{
    HM_CONTRACT(table != NULL, "hm_id_table_upcoming: table is NULL");
    uint64_t position = (uint64_t)table->count + k;
    if (position + hm_id_table_promised(table) >= table->slot_array.limit)
        return HM_NULL_HANDLE;
    bool is_fresh = position >= table->used;
    return id_table_next_of(table, is_fresh ? position - table->used + table->slot_count
                                            : table->slots[position]);
}

bool hm_id_table_is_upcoming(const hm_id_table *table, hm_handle handle, uint32_t n)
{
    uint32_t slot = hm_handle_index(handle);
    uint64_t position = (uint64_t)slot - table->slot_count + table->used;
    if (slot < table->slot_count)
        position = hm_handle_index(table->entries[slot]);
    uint64_t k = position - table->count; /* of a live slot it wraps around */
    return k < n && handle.bits == id_table_next_of(table, slot).bits;
}

void hm_id_table_swap(hm_id_table *table, uint32_t a, uint32_t b)
{
    HM_CONTRACT(table != NULL && a < table->count && b < table->count,
                "hm_id_table_swap: a position is not live");
    hm_handle_exchange(table->entries, table->slots, a, b);
}

/* Returns how many slots a trim must keep: all up to the end of the unit of the last one that is
 * not free, or is spent. The floor that a spent one would set would retire its neighbours. */
static uint32_t id_table_slots_to_keep(const hm_id_table *table)
{
    uint32_t end = table->slot_count;
    uint32_t free = table->used - table->count;
    while (end > 0 && hm_handle_index(table->entries[end - 1]) - table->count < free &&
           !id_table_is_spent(table, end - 1))
        end--;
    uint64_t units = ((uint64_t)end + HM_ID_TABLE_UNIT - 1) / HM_ID_TABLE_UNIT;
    uint64_t keep = units * HM_ID_TABLE_UNIT;
    return keep < table->slot_count ? (uint32_t)keep : table->slot_count;
}

/* Returns how many items the array of floors of so many slots has. */
static size_t id_table_floors_of(size_t slots)
{
    return ID_TABLE_FLOORS_HEAD + (slots - 1) / HM_ID_TABLE_UNIT + 1;
}

hm_status hm_id_table_open_floors(hm_id_table *table, size_t slots)
{
    const hm_memory *memory = table->entry_array.memory;
    size_t used = table->floors != NULL ? table->floors->count : 0;
    size_t need = id_table_floors_of(slots);
    if (need <= used)
        return HM_OK;
    /* A page at a time, since a trim should not commit more than it gives back. */
    hm_array_desc desc = {sizeof(uint16_t), 0, 0, memory->page_size, memory};
    desc.capacity = slots > table->entry_array.capacity
                        ? 2 * need
                        : id_table_floors_of(table->entry_array.capacity);
    hm_status status = hm_array_open(&table->floors, &desc, need, used);
    return status == HM_OK ? hm_array_resize(table->floors, need) : status;
}

void hm_id_table_set_floor(hm_id_table *table, uint32_t slot, uint16_t floor)
{
    *id_table_find_floor(table, slot / HM_ID_TABLE_UNIT) = floor;
}

/* Raises the floors of the units from slot `keep` on to the highest generation there. */
static hm_status id_table_raise_floors(hm_id_table *table, uint32_t keep)
{
    hm_status status = hm_id_table_open_floors(table, table->slot_count);
    if (status != HM_OK)
        return status;
    for (uint32_t slot = keep; slot < table->slot_count; slot++) {
        uint16_t *floor = id_table_find_floor(table, slot / HM_ID_TABLE_UNIT);
        uint32_t generation = hm_handle_generation(table->entries[slot]);
        if (generation > *floor)
            *floor = (uint16_t)generation;
    }
    return HM_OK;
}

/* Drops the slots from `keep` on, all of them free. A floor that was raised although the slots
 * could not be dropped does no harm: it was issued. dropped_end is above it, so files have it. */
static hm_status id_table_drop_slots(hm_id_table *table, uint32_t keep)
{
    hm_status status = id_table_raise_floors(table, keep);
    if (status != HM_OK)
        return status;
    if (table->dropped_end < table->slot_count)
        table->dropped_end = table->slot_count;
    table->entry_array.count = keep;
    status = hm_array_decommit(&table->entry_array);
    if (status != HM_OK)
        return status;
    uint32_t used = table->count;
    for (uint32_t position = table->count; position < table->used; position++)
        if (table->slots[position] < keep)
            hm_handle_link(table->entries, table->slots, table->slots[position], used++);
    table->used = used;
    table->slot_count = keep;
    return HM_OK;
}

hm_status hm_id_table_trim(hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_trim: table is NULL");
    hm_status status = hm_id_table_trim_slots(table);
    if (status == HM_OK)
        status = hm_id_table_narrow(table, table, hm_id_table_move_alone);
    return id_table_blame(table->capacity, table->max_slots, status);
}

void hm_id_table_forget(hm_id_table *table)
{
    table->count = table->used = table->slot_count = table->dropped_end = table->fresh_end = 0;
    size_t units = table->floors != NULL ? table->floors->count - ID_TABLE_FLOORS_HEAD : 0;
    if (units != 0)
        memset(hm_array_at(table->floors, ID_TABLE_FLOORS_HEAD), 0, sizeof(uint16_t) * units);
}

hm_status hm_id_table_trim_slots(hm_id_table *table)
{
    if (table->entries == NULL)
        return HM_OK;
    uint32_t keep = id_table_slots_to_keep(table);
    hm_status status = HM_OK;
    if (keep < table->slot_count) {
        status = id_table_drop_slots(table, keep);
    } else {
        table->entry_array.count = keep;
        status = hm_array_decommit(&table->entry_array);
    }
    table->fresh_end = 0; /* What is committed and the floors may have changed. */
    if (status == HM_OK) {
        table->slot_array.count = (size_t)table->used + hm_id_table_promised(table);
        status = hm_array_decommit(&table->slot_array);
    }
    return status;
}

uint32_t hm_id_table_contains_n(const hm_id_table *table, const hm_handle *handles, uint32_t n,
                                bool *alive)
{
    const hm_batch batch = hm_id_table_batch(table);
    return hm_batch_contains_n(&batch, handles, n, alive, hm_batch_match_position);
}

hm_owners hm_id_table_as_owners(const hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_as_owners: table is NULL");
    bool has_limit = !table->slot_array.moves_to_grow;
    return (hm_owners){.capacity = has_limit ? table->capacity : UINT32_MAX,
                       .max_slots = table->max_slots,
                       .type_id = table->type_id,
                       .is_given = true};
}

void hm_id_table_add_stats(const hm_id_table *table, hm_stats *stats)
{
    stats->count = table->count;
    stats->capacity = table->capacity;
    stats->slots = table->slot_count;
    stats->max_slots = table->max_slots;
    stats->free_slots = table->used - table->count;
    stats->promised_slots = hm_id_table_promised(table);
    stats->ready_slots = hm_promises_ready(hm_id_table_promises(table));
    stats->retired_slots = table->slot_count - table->used - stats->promised_slots;
    hm_stats_add(stats, &table->entry_array);
    hm_stats_add(stats, &table->slot_array);
    if (hm_id_table_promises(table) != NULL)
        hm_stats_add(stats, hm_id_table_promises(table));
    if (table->floors != NULL) {
        hm_stats_add(stats, table->floors);
        stats->reserved_size += id_table_head_of(table)->first_size;
    }
}

static bool id_table_counts_are_valid(const hm_id_table *table)
{
    return table->count <= table->used && table->used <= table->slot_count &&
           table->slot_count <= table->max_slots &&
           (uint64_t)table->used + hm_id_table_promised(table) <= table->slot_array.limit &&
           hm_promises_ready(hm_id_table_promises(table)) <= hm_id_table_promised(table) &&
           table->slot_count <= table->entry_array.limit &&
           table->fresh_end <= table->entry_array.limit &&
           table->entries == hm_array_data(&table->entry_array) &&
           table->slots == hm_array_data(&table->slot_array);
}

/* `slots` has the slot at the position in its entry, or the slot is retired or promised. Only a
 * retired one has the free bit. */
static bool id_table_entry_is_valid(const hm_id_table *table, uint32_t slot)
{
    hm_handle entry = table->entries[slot];
    uint32_t position = hm_handle_index(entry);
    if (hm_handle_type_id(entry) != table->type_id || hm_handle_generation(entry) == 0)
        return false;
    if (position == HM_INVALID_INDEX)
        return !hm_handle_is_free(entry) || id_table_is_spent(table, slot);
    if (position >= table->used || table->slots[position] != slot)
        return false;
    return !hm_handle_is_free(entry);
}

hm_status hm_id_table_validate(const hm_id_table *table)
{
    HM_CONTRACT(table != NULL, "hm_id_table_validate: table is NULL");
    if (!id_table_counts_are_valid(table))
        return hm_fail(HM_ERROR_CORRUPT, "the id table's counts and arrays disagree");
    /* An entry's position leads back to its slot, so no two slots share one. If as many slots have
     * a position as there are positions below `used`, each position is taken exactly once. */
    uint32_t with_position = 0, promised = 0;
    for (uint32_t slot = 0; slot < table->slot_count; slot++) {
        if (!id_table_entry_is_valid(table, slot))
            return hm_fail(HM_ERROR_CORRUPT, "the entry of slot %" HM_U32 " is damaged", slot);
        with_position += hm_handle_index(table->entries[slot]) != HM_INVALID_INDEX;
        promised += hm_id_table_is_promised(table->entries[slot]);
    }
    if (promised != hm_id_table_promised(table))
        return hm_fail(HM_ERROR_CORRUPT, "%" HM_U32 " slots are promised, not %" HM_U32, promised,
                       hm_id_table_promised(table));
    if (with_position != table->used)
        return hm_fail(HM_ERROR_CORRUPT,
                       "%" HM_U32 " slots have positions, but %" HM_U32 " are used", with_position,
                       table->used);
    return HM_OK;
}

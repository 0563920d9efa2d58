/* SPDX-License-Identifier: MIT */
/* adopt: makes a slot live under a handle that the caller names, or that was promised, for
 * containers with an id table; and why a handle is refused, for all.
 *
 * A promised slot is neither live nor free: its entry has the generation of the handle, no
 * position, and not the free bit, which a retired one has. So lookups refuse the handle as they
 * refuse all that have no live position. */
#include "ids_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* Whether the slot is one of those that the next n issues take. */
static bool adopt_is_promised(const hm_id_table *table, uint32_t slot, uint32_t n)
{
    uint64_t position = (uint64_t)slot - table->slot_count + table->used;
    if (slot < table->slot_count)
        position = hm_handle_index(table->entries[slot]);
    return position - table->count < n;
}

/* Returns why the slot refuses the handle, or NULL. */
static const char *adopt_find_obstacle(const hm_id_table *table, hm_handle handle,
                                       uint32_t promised)
{
    uint32_t slot = hm_handle_index(handle);
    bool is_made = slot < table->slot_count;
    uint32_t last =
        is_made ? hm_handle_generation(table->entries[slot]) : hm_id_table_floor_of(table, slot);
    if (is_made && hm_handle_index(table->entries[slot]) < table->count)
        return hm_id_table_contains(table, handle) ? HM_ADOPT_IS_ALIVE : HM_ADOPT_IS_TAKEN;
    if (is_made && hm_handle_is_free(table->entries[slot]))
        return HM_ADOPT_IS_RETIRED;
    if (is_made && hm_id_table_is_promised(table->entries[slot]))
        return HM_ADOPT_IS_PROMISED;
    if (hm_handle_generation(handle) < last)
        return HM_ADOPT_IS_STALE;
    return adopt_is_promised(table, slot, promised) ? "its slot is promised to commands" : NULL;
}

/* As hm_fail; `name` NULL: it has none. */
HM_COLD static hm_status adopt_fail(hm_status status, const char *what, const char *name,
                                    hm_handle handle, const char *why)
{
    (void)hm_fail(status, "cannot adopt 0x%016" HM_X64 ": %s", handle.bits, why);
    return hm_fail_in(what, name, status);
}

hm_status hm_adopt_judge(const char *what, const char *name, hm_handle handle, uint32_t type_id,
                         uint32_t max_slots, uint32_t last_generation)
{
    hm_handle_state state = hm_handle_judge(handle, type_id);
    if (state == HM_HANDLE_LIVE && hm_handle_index(handle) >= max_slots)
        state = HM_HANDLE_OUT_OF_RANGE;
    if (state == HM_HANDLE_LIVE && hm_handle_generation(handle) > last_generation)
        state = HM_HANDLE_FORGED;
    if (state == HM_HANDLE_LIVE)
        return HM_OK;
    return adopt_fail(HM_ERROR_INVALID, what, name, handle, hm_handle_state_name(state));
}

hm_status hm_adopt_refuse(const char *what, const char *name, hm_handle handle,
                          const char *obstacle)
{
    return obstacle == NULL ? HM_OK : adopt_fail(HM_ERROR_STALE, what, name, handle, obstacle);
}

hm_status hm_id_table_check_adopt(const hm_id_table *table, const char *what, const char *name,
                                  hm_handle handle, uint32_t promised)
{
    if (table->entries == NULL)
        return hm_fail_uninitialised(what);
    hm_status status = hm_adopt_judge(what, name, handle, table->type_id, table->max_slots,
                                      table->last_generation);
    if (status == HM_OK)
        status = hm_adopt_refuse(what, name, handle, adopt_find_obstacle(table, handle, promised));
    uint64_t count = (uint64_t)hm_id_table_taken(table) + promised;
    if (status == HM_OK && count >= table->capacity)
        status = hm_fail_full(what, name, count, table->capacity, 1);
    return status;
}

hm_status hm_id_table_prepare_adopt(hm_id_table *table, hm_handle handle, void *owner,
                                    hm_ids_mover move)
{
    const hm_array *positions = &table->slot_array;
    size_t slots = (size_t)hm_handle_index(handle) + 1;
    if (slots <= table->slot_count)
        return HM_OK;
    size_t need = (size_t)table->used + hm_id_table_promised(table) + (slots - table->slot_count);
    hm_status status = HM_OK;
    if (positions->moves_to_grow && need > positions->capacity) {
        size_t capacity = hm_array_wider(positions->capacity, need, table->capacity);
        status = move(owner, capacity, hm_id_table_slots_for(table, capacity));
    }
    if (status == HM_OK)
        status = hm_id_table_open_entries(table, slots, true);
    return status == HM_OK ? hm_id_table_open_positions(table, need) : status;
}

/* Makes a free slot at the end of the positions. Its generation counts as used. */
static void adopt_make_slot(hm_id_table *table, uint32_t slot)
{
    uint32_t floor = hm_id_table_floor_of(table, slot);
    table->entries[slot] = hm_handle_pack(0, floor != 0 ? floor : 1, table->type_id);
    hm_handle_link(table->entries, table->slots, slot, table->used++);
}

void hm_id_table_take(hm_id_table *table, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (slot >= table->slot_count)
        adopt_make_slot(table, slot);
    hm_handle_exchange(table->entries, table->slots, table->count,
                       hm_handle_index(table->entries[slot]));
    table->entries[slot] =
        hm_handle_pack(table->count++, hm_handle_generation(handle), table->type_id);
    while (table->slot_count < slot)
        adopt_make_slot(table, table->slot_count++);
    if (table->slot_count == slot)
        table->slot_count++;
}

hm_status hm_id_table_adopt(hm_id_table *table, hm_handle handle)
{
    HM_CONTRACT(table != NULL, "hm_id_table_adopt: table is NULL");
    hm_status status = hm_id_table_check_adopt(table, "id_table", NULL, handle, 0);
    if (status == HM_OK)
        status = hm_id_table_prepare_adopt(table, handle, table, hm_id_table_move_alone);
    if (status == HM_OK)
        hm_id_table_take(table, handle);
    const hm_limits limits = {"id table", NULL, table->capacity, table->max_slots, 0, NULL};
    return hm_blame(status, &limits);
}

/* promised slots */

hm_status hm_id_table_set_aside(hm_id_table *table, uint32_t n)
{
    hm_status status = hm_id_table_open_floors(table, 1);
    hm_id_table_head *head = (hm_id_table_head *)(void *)table->floors;
    if (status == HM_OK)
        status = hm_promises_open(&head->promises, table->slot_array.memory, n);
    if (status != HM_OK)
        return status;
    hm_id_table_issue_n(table, n, hm_promises_append(head->promises, n));
    hm_promises_count_more(head->promises, n);
    uint32_t end = table->count;
    table->count -= n;
    table->used -= n;
    for (uint32_t position = table->count; position < end; position++)
        hm_handle_set_index(&table->entries[table->slots[position]], HM_INVALID_INDEX);
    /* The last free slots follow the live ones now. */
    uint32_t from = end > table->used ? end : table->used;
    for (uint32_t to = table->count; to < end && to < table->used; to++)
        hm_handle_link(table->entries, table->slots, table->slots[from++], to);
    return HM_OK;
}

bool hm_id_table_has_promised(const hm_id_table *table, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    return slot < table->slot_count &&
           hm_handle_match(table->entries[slot], handle) == HM_INVALID_INDEX &&
           !hm_handle_is_free(handle) && hm_promises_are_given(hm_id_table_promises(table), handle);
}

void hm_id_table_take_back(hm_id_table *table, hm_handle handle)
{
    hm_handle_link(table->entries, table->slots, hm_handle_index(handle), table->used++);
    hm_promises_end(hm_id_table_promises(table));
}

hm_status hm_id_table_keep_promise(hm_id_table *table, const hm_guard *guard, const char *what,
                                   const char *name, hm_handle promised)
{
    if (hm_guard_refuses(guard, what, name))
        return HM_ERROR_BUSY;
    if (!hm_id_table_has_promised(table, promised))
        return hm_promises_refuse(what, name, promised);
    hm_id_table_take_back(table, promised);
    hm_id_table_take(table, promised);
    return HM_OK;
}

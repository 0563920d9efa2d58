/* SPDX-License-Identifier: MIT */
/* secondary: the values and their owners' handles, kept in step with the positions of the slots.
 *
 * Whatever moves a value moves three things: the value's bytes, its owner's handle and the position
 * of the owner's slot. No callback runs before all three have moved, so that every callback sees a
 * consistent secondary.
 *
 * A position is trusted only if the owner there has that slot, so neither fresh memory nor what a
 * clear leaves behind has to be marked. Remove does mark its slot, for the sake of the order, which
 * may still list the slot and must not find another slot's value at its position. Clear resets the
 * order, and trim settles it, so that it lists nothing. */
#include "dense_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

uint32_t hm_secondary_committed_values(const hm_secondary *secondary)
{
    size_t values = secondary->value_array.limit, owners = secondary->owner_array.limit;
    return (uint32_t)(values < owners ? values : owners);
}

static void *secondary_value_at(const hm_secondary *secondary, uint32_t index)
{
    return secondary->values + secondary->value_size * index;
}

/* init and fini */

hm_status hm_secondary_take_owners(const hm_owners *owners, uint32_t *capacity, uint32_t *max_slots,
                                   uint16_t *type_id)
{
    if (!owners->is_given)
        return HM_OK;
    if (owners->capacity == 0)
        return hm_fail(HM_ERROR_INVALID,
                       "the owners' container is not initialised: initialise it first");
    if (*max_slots != 0 && *max_slots != owners->max_slots)
        return hm_fail(HM_ERROR_INVALID,
                       "max_slots %" HM_U32 " is not that of the owners' container, %" HM_U32,
                       *max_slots, owners->max_slots);
    if (*type_id != 0 && *type_id != owners->type_id)
        return hm_fail(HM_ERROR_INVALID, "type_id %u is not that of the owners' container, %u",
                       (unsigned)*type_id, (unsigned)owners->type_id);
    if (*capacity == 0 && owners->capacity < UINT32_MAX - 1)
        *capacity = owners->capacity; /* Else the owners have no limit. */
    *max_slots = owners->max_slots;
    *type_id = owners->type_id;
    return HM_OK;
}

/* Returns for how many slots a secondary with a capacity has positions at first. */
static size_t secondary_first_slots(const hm_secondary_desc *full)
{
    return hm_id_table_first_slots(full->capacity, full->max_slots);
}

/* Checks all that can be wrong with a descriptor whose defaults are filled in, before anything is
 * reserved. */
static hm_status secondary_check(const hm_secondary_desc *full)
{
    bool moves_to_grow = full->capacity == 0;
    const hm_array_desc values = {full->value_size, full->value_align,
                                  moves_to_grow ? 1 : full->capacity, 0, full->memory};
    hm_status status = hm_array_check(&values, "value_");
    if (status == HM_OK)
        status = hm_id_table_check(full->capacity, full->max_slots, full->type_id, 0);
    if (status == HM_OK && full->type_id == HM_TYPE_ID_UNIQUE)
        return hm_fail(HM_ERROR_INVALID, "HM_TYPE_ID_UNIQUE is for containers that issue handles: "
                                         "here type_id is that of the owners");
    if (status == HM_OK)
        status = hm_array_check_size(sizeof(hm_handle), full->capacity, "owner_", full->memory);
    if (status == HM_OK && !moves_to_grow)
        status = hm_array_check_size(sizeof(uint32_t), secondary_first_slots(full), "position_",
                                     full->memory);
    return status;
}

hm_status hm_secondary_list_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                    hm_array *positions, hm_array_column *columns)
{
    const hm_memory *memory = full->memory;
    hm_status status = secondary_check(full);
    if (status != HM_OK)
        return status;
    secondary->max_slots = full->max_slots;
    columns[0] =
        (hm_array_column){.array = &secondary->value_array,
                          .desc = {full->value_size, full->value_align, full->capacity, 0, memory},
                          .is_visible = true};
    columns[1] = (hm_array_column){.array = &secondary->owner_array,
                                   .desc = {sizeof(hm_handle), 0, full->capacity, 0, memory}};
    columns[2] = (hm_array_column){.array = &secondary->segment_array,
                                   .desc = {1, 0, HM_SECONDARY_HALVES, memory->page_size, memory}};
    columns[3] = (hm_array_column){.array = positions, .desc = {sizeof(uint32_t), 0, 0, 0, memory}};
    if (full->capacity != 0) {
        columns[3].desc.capacity = secondary_first_slots(full);
        columns[2].desc.capacity = hm_secondary_count_segments(secondary, memory);
        return HM_OK;
    }
    size_t first = hm_id_table_first_capacity(memory, full->max_slots, columns, 1);
    columns[0].desc.capacity = columns[1].desc.capacity = columns[3].desc.capacity = first;
    secondary->segment_shift = HM_SECONDARY_HALF_SHIFT;
    return HM_OK;
}

static void secondary_read_columns(hm_secondary *secondary, const hm_array *positions)
{
    secondary->values = hm_array_data(&secondary->value_array);
    secondary->owners = hm_array_data(&secondary->owner_array);
    secondary->segments = hm_array_data(&secondary->segment_array);
    secondary->positions = hm_array_data(positions);
    secondary->guard.limit = hm_secondary_committed_values(secondary);
}

void hm_secondary_place_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                const hm_array *positions)
{
    secondary_read_columns(secondary, positions);
    secondary->capacity = full->capacity;
    if (hm_secondary_moves_to_grow(secondary)) {
        secondary->capacity = full->max_slots < UINT32_MAX ? full->max_slots : UINT32_MAX - 1;
        secondary->slot_end = (uint32_t)positions->capacity;
        secondary->segment_array.count = HM_SECONDARY_HALVES;
        memset(secondary->segments, 1, HM_SECONDARY_HALVES);
    } else {
        secondary->reserved_size = hm_memory_round_up(
            sizeof(uint32_t) * secondary_first_slots(full), full->memory->page_size);
    }
    secondary->value_size = full->value_size;
    secondary->type_id = full->type_id;
    secondary->destroy = full->destroy;
    secondary->context = full->context;
    secondary->guard.flags = full->destroy != NULL ? HM_GUARD_HOOK : 0;
}

static void secondary_release_all(hm_secondary *secondary)
{
    hm_order_fini(&secondary->order);
    hm_secondary_release_positions(secondary);
    hm_array_fini(&secondary->segment_array);
    hm_array_fini(&secondary->owner_array);
    hm_array_fini(&secondary->value_array);
    memset(secondary, 0, sizeof *secondary);
}

HM_KNOWN_CONTAINER(secondary, value_array.memory)

hm_status hm_secondary_init(hm_secondary *secondary, const hm_secondary_desc *desc)
{
    hm_status status = hm_announce_init("secondary", secondary, sizeof *secondary);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_secondary_desc, desc);
    hm_secondary_desc full = *desc;
    status = hm_secondary_take_owners(&full.owners, &full.capacity, &full.max_slots, &full.type_id);
    if (status != HM_OK)
        return hm_fail_in("secondary_init", desc->name, status);
    hm_id_table_desc ids = {full.capacity, full.max_slots, full.type_id, 0, full.memory};
    ids = hm_id_table_complete(&ids);
    full.memory = ids.memory;
    full.max_slots = ids.max_slots;
    hm_array positions = {0};
    hm_array_column columns[HM_SECONDARY_COLUMNS];
    secondary->name = full.name != NULL ? full.name : "secondary";
    status = hm_secondary_list_columns(secondary, &full, &positions, columns);
    if (status == HM_OK)
        status = hm_array_init_columns(columns, HM_SECONDARY_COLUMNS, full.capacity == 0);
    if (status == HM_OK) {
        hm_secondary_place_columns(secondary, &full, &positions);
        status = hm_known_join(&hm_known_secondary, secondary);
    }
    if (status != HM_OK) {
        const hm_limits limits = {"secondary", secondary->name, ids.capacity, ids.max_slots, 0,
                                  NULL};
        secondary_release_all(secondary);
        return hm_fail_in("secondary_init", desc->name, hm_blame(status, &limits));
    }
    return HM_OK;
}

void hm_secondary_fini(hm_secondary *secondary)
{
    HM_CONTRACT_AT_REST(secondary, "hm_secondary_fini");
    hm_secondary_clear(secondary);
    hm_known_leave(&hm_known_secondary, secondary);
    secondary_release_all(secondary);
}

/* moving to another range */

void hm_secondary_list_moved(hm_secondary *secondary, size_t values, size_t slots,
                             hm_array *positions, hm_array_column *columns)
{
    size_t size = hm_memory_round_up(sizeof(uint32_t) * secondary->slot_end, HM_ARRAY_LINE);
    *positions = (hm_array){.data = (unsigned char *)secondary->positions,
                            .capacity = secondary->slot_end,
                            .limit = secondary->slot_end,
                            .committed_size = size,
                            .memory = secondary->value_array.memory,
                            .item_size = sizeof(uint32_t),
                            .align_shift = 2,
                            .moves_to_grow = true};
    size_t kept = slots < secondary->slot_end ? slots : secondary->slot_end;
    columns[0] = hm_array_column_of(&secondary->value_array, secondary->count, true);
    columns[1] = hm_array_column_of(&secondary->owner_array, secondary->count, false);
    columns[2] = hm_array_column_of(&secondary->segment_array, HM_SECONDARY_HALVES, false);
    columns[3] = hm_array_column_of(positions, kept, false);
    columns[0].desc.capacity = columns[1].desc.capacity = values;
    columns[3].desc.capacity = slots;
}

void hm_secondary_place_moved(hm_secondary *secondary, const hm_array *positions)
{
    secondary_read_columns(secondary, positions);
    secondary->slot_end = (uint32_t)positions->capacity;
}

static hm_status secondary_move(hm_secondary *secondary, size_t values, size_t slots)
{
    hm_array positions;
    hm_array_column columns[HM_SECONDARY_COLUMNS];
    hm_secondary_list_moved(secondary, values, slots, &positions, columns);
    hm_status status = hm_array_move_columns(columns, HM_SECONDARY_COLUMNS);
    if (status == HM_OK)
        hm_secondary_place_moved(secondary, &positions);
    return status;
}

/* Makes space for n more values, and for the positions of all slots below `slots`. */
static hm_status secondary_grow(hm_secondary *secondary, uint32_t n, uint32_t slots)
{
    size_t values = hm_array_wider(secondary->value_array.capacity, (size_t)secondary->count + n,
                                   secondary->capacity);
    size_t end = hm_array_wider(secondary->slot_end, slots, secondary->max_slots);
    if (values == secondary->value_array.capacity && end == secondary->slot_end)
        return HM_OK;
    return secondary_move(secondary, values, end);
}

/* Moves to a smaller range if at most half of the values or of the positions are in use. A range
 * that is shared with a container is that container's affair. */
static hm_status secondary_shrink(hm_secondary *secondary)
{
    if (!hm_secondary_moves_to_grow(secondary) || secondary->value_array.range_size == 0)
        return HM_OK;
    hm_array_column column = hm_array_column_of(&secondary->value_array, 0, true);
    column.desc.capacity = 0;
    size_t values =
        hm_id_table_first_capacity(column.desc.memory, secondary->max_slots, &column, 1);
    size_t slots = values;
    if (values < secondary->count)
        values = secondary->count;
    for (uint32_t i = 0; i < secondary->count; i++)
        if (slots <= hm_handle_index(secondary->owners[i]))
            slots = (size_t)hm_handle_index(secondary->owners[i]) + 1;
    if (values > secondary->value_array.capacity / 2 && slots > secondary->slot_end / 2)
        return HM_OK;
    return secondary_move(secondary, values, slots);
}

/* set */

/* Commits what n more values need, except for positions in segments. `slots`: a bound of the slots
 * that they have. `grows` as in hm_array_commit. */
static hm_status secondary_commit_values(hm_secondary *secondary, uint32_t n, uint32_t slots,
                                         bool grows)
{
    if (n > secondary->capacity - secondary->count)
        return hm_fail_full("secondary", secondary->name, secondary->count, secondary->capacity, n);
    size_t count = (size_t)secondary->count + n;
    hm_status status = HM_OK;
    if (hm_secondary_moves_to_grow(secondary))
        status = secondary_grow(secondary, n, slots);
    else
        status = hm_secondary_widen(secondary, slots);
    if (status == HM_OK)
        status = hm_array_commit(&secondary->owner_array, count, grows);
    if (status == HM_OK)
        status = hm_array_prepare(&secondary->value_array, count, grows);
    secondary->guard.limit = hm_secondary_committed_values(secondary);
    return status;
}

hm_status hm_secondary_blame(const hm_secondary *secondary, hm_status status)
{
    const hm_limits limits = {
        "secondary", secondary->name, hm_secondary_capacity(secondary), secondary->max_slots, 0,
        NULL};
    return hm_blame(status, &limits);
}

hm_status hm_secondary_reserve(hm_secondary *secondary, uint32_t n)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_reserve: secondary is NULL");
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return HM_ERROR_BUSY;
    uint32_t end = secondary->count + n; /* at most the capacity, if all is well */
    hm_status status = secondary_commit_values(secondary, n, end, false);
    uint32_t before = secondary->slot_end;
    for (uint32_t slot = 0; status == HM_OK && slot < end;) {
        status = hm_secondary_prepare_slot(secondary, slot);
        size_t size = (size_t)1 << secondary->segment_shift;
        slot = end - slot > size ? slot + (uint32_t)size : end;
    }
    if (status != HM_OK)
        secondary->slot_end = before;
    return hm_secondary_blame(secondary, status);
}

/* Whether this handle may be an owner's: checks only its bits, not the value of its slot. */
static hm_status secondary_check_owner(const hm_secondary *secondary, hm_handle owner)
{
    hm_handle_state state = hm_handle_judge(owner, secondary->type_id);
    if (state != HM_HANDLE_LIVE)
        return hm_fail(
            HM_ERROR_INVALID,
            "0x%016" HM_X64 " is no owner's handle in '%.40s': %s; owners have type id %u",
            owner.bits, secondary->name, hm_handle_state_name(state), (unsigned)secondary->type_id);
    if (hm_handle_index(owner) >= secondary->max_slots)
        return hm_fail(HM_ERROR_INVALID,
                       "the owner's index %" HM_U32 " is not below max_slots %" HM_U32
                       " of '%.40s': name its container in the descriptor, as `owners`",
                       hm_handle_index(owner), secondary->max_slots, secondary->name);
    return HM_OK;
}

/* The bytes may overlap. */
static void *secondary_write(hm_secondary *secondary, uint32_t index, const void *value)
{
    void *place = secondary_value_at(secondary, index);
    HM_ASSUME(place != NULL);
    if (value != NULL)
        memmove(place, value, secondary->value_size);
    else
        memset(place, 0, secondary->value_size);
    return place;
}

static void secondary_destroy(hm_secondary *secondary, uint32_t index)
{
    if (secondary->destroy == NULL)
        return;
    hm_guard_enter(&secondary->guard);
    secondary->destroy(secondary_value_at(secondary, index), secondary->context);
    hm_guard_leave(&secondary->guard, hm_secondary_committed_values(secondary));
}

static void *secondary_replace(hm_secondary *secondary, uint32_t index, hm_handle owner,
                               const void *value)
{
    secondary_destroy(secondary, index);
    secondary->owners[index] = owner;
    hm_secondary_disturb(secondary, index, secondary->count);
    return secondary_write(secondary, index, value);
}

/* Writes behind the last value. The owner's slot has none, and there is space. */
static void *secondary_append(hm_secondary *secondary, hm_handle owner, const void *value)
{
    uint32_t index = secondary->count++;
    hm_memory_unpoison(secondary_value_at(secondary, index), secondary->value_size);
    secondary->owners[index] = owner;
    secondary->positions[hm_handle_index(owner)] = index;
    return secondary_write(secondary, index, value);
}

void hm_secondary_put(hm_secondary *secondary, hm_handle owner, const void *value)
{
    uint32_t index = hm_secondary_find(secondary, owner);
    if (index != HM_INVALID_INDEX)
        (void)secondary_replace(secondary, index, owner, value);
    else
        (void)secondary_append(secondary, owner, value);
}

hm_status hm_secondary_prepare(hm_secondary *secondary, uint32_t added, const hm_handle *owners,
                               uint32_t n)
{
    uint32_t before = secondary->slot_end, slots = 0;
    for (uint32_t i = 0; i < n && added != 0; i++)
        if (slots <= hm_handle_index(owners[i]))
            slots = hm_handle_index(owners[i]) + 1;
    hm_status status = secondary_commit_values(secondary, added, slots, true);
    for (uint32_t i = 0; i < n && status == HM_OK; i++)
        status = hm_secondary_prepare_slot(secondary, hm_handle_index(owners[i]));
    if (status != HM_OK)
        secondary->slot_end = before;
    return hm_secondary_blame(secondary, status);
}

hm_status hm_secondary_judge(const hm_secondary *secondary, hm_handle owner, uint32_t *index)
{
    hm_status status = secondary_check_owner(secondary, owner);
    if (status != HM_OK)
        return status;
    *index = hm_secondary_find_slot(secondary, hm_handle_index(owner));
    if (*index == HM_INVALID_INDEX)
        return HM_OK;
    hm_handle before = secondary->owners[*index];
    if (owner.bits < before.bits)
        return hm_fail(
            HM_ERROR_STALE,
            "generation %" HM_U32 " of slot %" HM_U32 " is followed by generation %" HM_U32,
            hm_handle_generation(owner), hm_handle_index(owner), hm_handle_generation(before));
    return HM_OK;
}

hm_status hm_secondary_accept(hm_secondary *secondary, hm_handle owner, uint32_t *index)
{
    hm_status status = hm_secondary_judge(secondary, owner, index);
    if (status == HM_OK && *index == HM_INVALID_INDEX)
        status = hm_secondary_prepare(secondary, 1, &owner, 1);
    return status;
}

void *hm_secondary_set_slow(hm_secondary *secondary, hm_handle owner, const void *value)
{
    uint32_t index;
    const unsigned char *before = secondary->values;
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name)) {
        return NULL;
    }
    if (hm_secondary_accept(secondary, owner, &index) != HM_OK)
        return NULL;
    value = hm_array_translate(value, before, secondary->value_size * secondary->count,
                               secondary->values);
    if (index != HM_INVALID_INDEX)
        return secondary_replace(secondary, index, owner, value);
    return secondary_append(secondary, owner, value);
}

/* load */

hm_status hm_secondary_make_room(hm_secondary *secondary, uint32_t made, uint32_t n)
{
    secondary->count = made;
    hm_status status = secondary_commit_values(secondary, n, 0, true);
    secondary->count = 0;
    hm_guard_enter(&secondary->guard);
    return status;
}

hm_status hm_secondary_publish_owners(hm_secondary *secondary, uint32_t n, uint32_t slots)
{
    secondary->count = n;
    hm_status status = secondary_commit_values(secondary, 0, slots, true);
    for (uint32_t i = 0; i < n && status == HM_OK; i++)
        status = hm_secondary_prepare_slot(secondary, hm_handle_index(secondary->owners[i]));
    secondary->count = 0;
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        uint32_t slot = hm_handle_index(secondary->owners[i]);
        if (hm_secondary_find_slot(secondary, slot) != HM_INVALID_INDEX)
            status = HM_ERROR_CORRUPT;
        secondary->positions[slot] = i;
        secondary->count = i + 1;
    }
    if (status != HM_OK)
        secondary->count = 0;
    return status;
}

/* remove */

void hm_secondary_discard(hm_secondary *secondary, uint32_t index)
{
    hm_secondary_drop_sized(secondary, index, secondary->value_size);
    hm_secondary_disturb(secondary, index, secondary->count);
}

static void secondary_remove_at(void *owner, uint32_t index)
{
    secondary_destroy(owner, index);
    hm_secondary_discard(owner, index);
}

bool hm_secondary_remove_guarded(hm_secondary *secondary, uint32_t index)
{
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return false;
    secondary_remove_at(secondary, index);
    return true;
}

void hm_secondary_clear(hm_secondary *secondary)
{
    HM_CONTRACT_AT_REST(secondary, "hm_secondary_clear");
    if (secondary->destroy != NULL)
        while (secondary->count > 0)
            secondary_remove_at(secondary, secondary->count - 1);
    hm_memory_poison(secondary->values, secondary->value_size * secondary->count);
    secondary->count = 0;
    hm_dense_forget_order(&secondary->guard, secondary->order);
}

/* order */

/* The values have been exchanged, and the lower halves of the owners' handles, which are links: the
 * upper halves must follow. */
static void secondary_swapped(void *owner, uint32_t a, uint32_t b)
{
    hm_secondary *secondary = owner;
    hm_handle *owners = secondary->owners;
    uint64_t difference = (owners[a].bits ^ owners[b].bits) >> 32 << 32;
    owners[a].bits ^= difference;
    owners[b].bits ^= difference;
}

static uint32_t secondary_find(const void *owner, hm_handle handle)
{
    return hm_secondary_find(owner, handle);
}

/* A search writes nothing, so that the secondary may be a constant then. */
static hm_dense secondary_dense(const hm_secondary *constant)
{
    hm_secondary *secondary = (hm_secondary *)constant;
    return (hm_dense){
        .guard = &secondary->guard,
        .limit = hm_secondary_committed_values(secondary),
        .order = &secondary->order,
        .erase_at = secondary_remove_at,
        .sequence = {.items = secondary->values,
                     .stride = secondary->value_size,
                     .moved_size = secondary->value_size,
                     .links = {.owners = secondary->owners, .positions = secondary->positions},
                     .slot_count = secondary->slot_end,
                     .count = secondary->count,
                     .capacity = (uint32_t)secondary->value_array.capacity,
                     .swapped = secondary_swapped,
                     .find = secondary_find,
                     .owner = secondary,
                     .memory = secondary->value_array.memory,
                     .what = "secondary",
                     .name = secondary->name}};
}

typedef struct secondary_doom {
    bool (*doomed)(hm_handle owner, const void *value, void *context);
    void *context;
} secondary_doom;

static bool secondary_is_doomed(void *owner, uint32_t index, void *context)
{
    const hm_secondary *secondary = owner;
    const secondary_doom *call = context;
    return call->doomed(secondary->owners[index], secondary_value_at(secondary, index),
                        call->context);
}

uint32_t hm_secondary_remove_if(hm_secondary *secondary,
                                bool (*doomed)(hm_handle owner, const void *value, void *context),
                                void *context)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_remove_if: secondary is NULL");
    HM_CONTRACT(doomed != NULL, "hm_secondary_remove_if: doomed is NULL");
    secondary_doom call = {doomed, context};
    const hm_dense dense = secondary_dense(secondary);
    return hm_dense_erase_if(&dense, secondary_is_doomed, &call);
}

HM_DENSE_ORDER(secondary, secondary_dense(secondary), )

HM_DENSE_ARRANGE(secondary, secondary_dense(secondary))

/* memory and questions */

hm_status hm_secondary_trim(hm_secondary *secondary)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_trim: secondary is NULL");
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return HM_ERROR_BUSY;
    const hm_dense dense = secondary_dense(secondary);
    /* It may list slots of segments that go. */
    hm_order_end_moves(secondary->order, &dense.sequence);
    secondary->value_array.count = secondary->owner_array.count = secondary->count;
    hm_status status = hm_array_trim(&secondary->value_array);
    if (status == HM_OK)
        status = hm_array_decommit(&secondary->owner_array);
    if (status == HM_OK && !hm_secondary_moves_to_grow(secondary))
        status = hm_secondary_trim_segments(secondary);
    if (status == HM_OK)
        status = hm_order_trim(&secondary->order, secondary->count);
    if (status == HM_OK)
        status = secondary_shrink(secondary);
    secondary->guard.limit = hm_secondary_committed_values(secondary);
    return hm_secondary_blame(secondary, status);
}

static bool secondary_fields_are_valid(const hm_secondary *secondary)
{
    uint32_t committed = hm_secondary_committed_values(secondary);
    uint64_t segment_end = (uint64_t)secondary->segment_array.count << secondary->segment_shift;
    return secondary->values == hm_array_data(&secondary->value_array) &&
           secondary->owners == hm_array_data(&secondary->owner_array) &&
           secondary->segments == hm_array_data(&secondary->segment_array) &&
           secondary->value_size == secondary->value_array.item_size &&
           secondary->count <= committed &&
           hm_dense_is_valid(&secondary->guard, secondary->order, committed) &&
           secondary->slot_end <= secondary->max_slots && secondary->slot_end <= segment_end;
}

static bool secondary_owner_is_valid(const hm_secondary *secondary, uint32_t index)
{
    hm_handle owner = secondary->owners[index];
    return hm_handle_judge(owner, secondary->type_id) == HM_HANDLE_LIVE &&
           hm_secondary_find_slot(secondary, hm_handle_index(owner)) == index;
}

static hm_status secondary_validate(const hm_secondary *secondary)
{
    if (!secondary_fields_are_valid(secondary))
        return hm_fail(HM_ERROR_CORRUPT,
                       "the secondary's values, count and committed memory disagree");
    if (!hm_secondary_segments_are_valid(secondary))
        return hm_fail(HM_ERROR_CORRUPT, "the secondary's sparse column is damaged");
    for (uint32_t i = 0; i < secondary->count; i++)
        if (!secondary_owner_is_valid(secondary, i))
            return hm_fail(HM_ERROR_CORRUPT, "the owner at position %" HM_U32 " is damaged", i);
    return HM_OK;
}

HM_VALIDATE(secondary, secondary_validate)

/* Addresses are compared as numbers: this one may be of any object. One below the values wraps
 * around to an index that is too large. */
hm_handle hm_secondary_handle_of(const hm_secondary *secondary, const void *value)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_handle_of: secondary is NULL");
    if (secondary->count == 0)
        return HM_NULL_HANDLE;
    size_t index = ((uintptr_t)value - (uintptr_t)secondary->values) / secondary->value_size;
    return index < secondary->count ? secondary->owners[index] : HM_NULL_HANDLE;
}

hm_secondary_stats hm_secondary_get_stats(const hm_secondary *secondary)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_get_stats: secondary is NULL");
    hm_secondary_stats stats = {.count = secondary->count,
                                .capacity = hm_secondary_capacity(secondary),
                                .slots = secondary->slot_end,
                                .max_slots = secondary->max_slots,
                                .free_slots = secondary->slot_end - secondary->count,
                                .committed_size =
                                    secondary->positions_size + hm_secondary_left_size(secondary)};
    if (secondary->has_own_range)
        stats.reserved_size = secondary->reserved_size;
    hm_stats_add(&stats, &secondary->value_array);
    hm_stats_add(&stats, &secondary->owner_array);
    hm_stats_add(&stats, &secondary->segment_array);
    hm_order_add_sizes(secondary->order, &stats);
    return stats;
}

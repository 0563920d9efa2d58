/* SPDX-License-Identifier: MIT */
/* The naive model of a secondary: which owners have values and where, and how that must be visible
 * from outside. */
#include "secondary_space.h"

#include <string.h>

/* model */

hm_handle secondary_owner(secondary_value value)
{
    return space_name(value.slot, value.generation, SPACE_TYPE_ID, false);
}

uint32_t secondary_position(hm_handle handle)
{
    uint32_t position = secondary_in_slot(hm_handle_index(handle));
    if (position == HM_INVALID_INDEX ||
        secondary_owner(side.model.dense[position]).bits != handle.bits)
        return HM_INVALID_INDEX;
    return position;
}

uint32_t secondary_in_slot(uint32_t slot)
{
    for (uint32_t i = 0; i < side.model.count; i++)
        if (side.model.dense[i].slot == slot)
            return i;
    return HM_INVALID_INDEX;
}

bool secondary_may_own(hm_handle handle)
{
    return hm_handle_index(handle) < side.config->max_slots && !hm_handle_is_free(handle) &&
           hm_handle_generation(handle) != 0 && hm_handle_type_id(handle) == SPACE_TYPE_ID;
}

/* values: slot, generation, key, and a pattern */

unsigned char *secondary_at(uint32_t position)
{
    return (unsigned char *)hm_secondary_values(&side.secondary) +
           side.config->item_size * position;
}

void secondary_fill(unsigned char *bytes, secondary_value value)
{
    for (size_t i = 0; i < side.config->item_size; i++)
        bytes[i] = (unsigned char)(0x50 + i);
    bytes[0] = value.slot;
    bytes[1] = value.generation;
    bytes[2] = value.key;
}

bool secondary_is_intact(uint32_t position)
{
    unsigned char expected[SECONDARY_WINDOW];
    secondary_fill(expected, side.model.dense[position]);
    return memcmp(secondary_at(position), expected, side.config->item_size) == 0;
}

void secondary_follow(void)
{
    secondary_ghost old = side.model;
    uint32_t found = 0;
    CHECK(hm_secondary_count(&side.secondary) == old.count);
    for (uint32_t i = 0; i < old.count; i++) {
        hm_handle owner = hm_secondary_owner_at(&side.secondary, i);
        uint32_t from = 0;
        while (from < old.count && secondary_owner(old.dense[from]).bits != owner.bits)
            from++;
        CHECK(from < old.count && (found >> from & 1) == 0);
        found |= 1u << from;
        side.model.dense[i] = old.dense[from];
    }
}

/* what a state shows */

static void check_handle(hm_handle handle)
{
    uint32_t position = secondary_position(handle);
    bool has_value = position != HM_INVALID_INDEX;
    CHECK(hm_secondary_contains(&side.secondary, handle) == has_value);
    CHECK(hm_secondary_index_of(&side.secondary, handle) == position);
    CHECK(hm_secondary_get(&side.secondary, handle) == (has_value ? secondary_at(position) : NULL));
}

static void check_statistics(void)
{
    hm_secondary_stats stats = hm_secondary_get_stats(&side.secondary);
    size_t reserved_size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        reserved_size += arena.memory.reserved[i];
    CHECK(stats.count == side.model.count && hm_secondary_count(&side.secondary) == stats.count);
    CHECK(stats.capacity == side.config->capacity && stats.max_slots == side.config->max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots && stats.slots <= stats.max_slots);
    CHECK(stats.retired_slots == 0);
    CHECK(stats.reserved_size == reserved_size && stats.committed_size == arena_check());
    for (uint32_t i = 0; i < side.model.count; i++)
        CHECK(side.model.dense[i].slot < stats.slots);
}

/* From every state, fini destroys all values and gives all memory back. */
static void check_end(void)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < side.model.count; i++)
        slots |= 1u << side.model.dense[i].slot;
    arena_close();
    hm_secondary_fini(&side.secondary);
    CHECK(arena_is_empty());
    CHECK(side.destroyed == (side.config->hooks ? slots : 0));
    side.destroyed = 0;
    hm_secondary_fini(&side.secondary);
    CHECK(hm_secondary_validate(&side.secondary) == HM_OK);
    hm_handle owner = space_name(0, 1, SPACE_TYPE_ID, false);
    CHECK(hm_secondary_set(&side.secondary, owner, NULL) == NULL);
}

void secondary_check(void)
{
    CHECK(hm_secondary_validate(&side.secondary) == HM_OK);
    for (uint32_t n = 0; n < space_handle_values(side.config); n++)
        check_handle(space_handle_value(n));
    for (uint32_t i = 0; i < side.model.count; i++) {
        CHECK(hm_secondary_owner_at(&side.secondary, i).bits ==
              secondary_owner(side.model.dense[i]).bits);
        CHECK(secondary_is_intact(i));
    }
    CHECK(hm_handle_is_null(hm_secondary_owner_at(&side.secondary, side.model.count)));
    check_statistics();
    check_end();
}

/* SPDX-License-Identifier: MIT */
/* The naive model of a map or a table: what was issued, what is live, and how that must be visible
 * from outside. */
#include "space.h"

/* handles */

hm_handle ghost_handle(ghost_item item)
{
    return space_name(item.slot, item.generation, SPACE_TYPE_ID, false);
}

/* model */

uint32_t ghost_position(hm_handle handle)
{
    for (uint32_t i = 0; i < live.model.count; i++)
        if (ghost_handle(live.model.dense[i]).bits == handle.bits)
            return i;
    return HM_INVALID_INDEX;
}

uint32_t ghost_live_slots(const ghost *of)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < of->count; i++)
        set |= 1u << of->dense[i].slot;
    return set;
}

/* Whether the slot has no generation left, and its last item is erased. */
bool ghost_is_spent(uint32_t slot)
{
    return live.model.highest[slot] == SPACE_LIVES &&
           (ghost_live_slots(&live.model) >> slot & 1) == 0;
}

/* Returns how many items may still be inserted, memory permitting. */
uint32_t ghost_room(void)
{
    uint32_t slots = live.config->max_slots - live.model.count;
    for (uint32_t slot = 0; slot < live.config->max_slots; slot++)
        slots -= ghost_is_spent(slot);
    uint32_t items = live.config->capacity - live.model.count;
    return items < slots ? items : slots;
}

/* Returns the highest generation issued on the slot's page: its floor is not above it. */
static uint32_t highest_on_page(uint32_t slot)
{
    uint32_t page_slots = (uint32_t)(live.config->page_size / sizeof(hm_handle));
    uint32_t first = slot / page_slots * page_slots;
    uint32_t highest = 0;
    for (uint32_t i = first; i < first + page_slots && i < live.config->max_slots; i++)
        if (live.model.highest[i] > highest)
            highest = live.model.highest[i];
    return highest;
}

/* Checks what an insert has returned: the handle is new, with a generation one higher or just above
 * a floor, and the item is what was given. Then marks the item as the handle's. */
void ghost_note_insert(hm_handle handle, uint32_t key)
{
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = (uint32_t)(handle.bits >> HM_HANDLE_GENERATION_SHIFT & 0xFFFF);
    CHECK(slot < live.config->max_slots && generation <= SPACE_LIVES);
    CHECK(handle.bits == space_name(slot, generation, SPACE_TYPE_ID, false).bits);
    CHECK(generation > live.model.highest[slot]);
    CHECK(generation == live.model.highest[slot] + 1u ||
          (live.model.dropped && generation <= highest_on_page(slot) + 1));
    CHECK((ghost_live_slots(&live.model) >> slot & 1) == 0);
    CHECK(live.container->handle_at(live.model.count).bits == handle.bits);
    live.container->check_new(live.model.count, key);
    ghost_item who = {(uint8_t)slot, (uint8_t)generation, 0, 0};
    if (key < live.config->keys)
        who.key = (uint8_t)key;
    live.container->write_item(live.model.count, who);
    live.model.highest[slot] = who.generation;
    live.model.dense[live.model.count++] = who;
}

/* what a state shows */

/* The map may choose two things: when a spent slot retires, and the floor of a page, up to the
 * highest generation issued there. */
static bool is_explained(hm_handle handle, hm_handle_state state)
{
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return state == HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return state == HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != SPACE_TYPE_ID)
        return state == HM_HANDLE_FOREIGN;
    if (slot >= live.config->max_slots || live.model.highest[slot] == 0)
        return state == HM_HANDLE_OUT_OF_RANGE;
    if (ghost_is_spent(slot))
        return state == HM_HANDLE_STALE || state == HM_HANDLE_RETIRED;
    if (generation <= live.model.highest[slot])
        return state == HM_HANDLE_STALE;
    return state == HM_HANDLE_FORGED ||
           (state == HM_HANDLE_STALE && live.model.dropped && generation <= highest_on_page(slot));
}

static void check_handle(hm_handle handle)
{
    uint32_t position = ghost_position(handle);
    hm_handle_state state = live.container->explain(handle);
    live.container->check_handle(handle, position);
    CHECK(position != HM_INVALID_INDEX ? state == HM_HANDLE_LIVE : is_explained(handle, state));
}

static void check_statistics(void)
{
    hm_stats stats = live.container->get_stats();
    uint32_t spent = 0;
    uint32_t retired = 0;
    for (uint32_t slot = 0; slot < live.config->max_slots; slot++) {
        spent += ghost_is_spent(slot);
        hm_handle handle = space_name(slot, SPACE_LIVES, SPACE_TYPE_ID, false);
        retired += live.container->explain(handle) == HM_HANDLE_RETIRED;
    }
    CHECK(stats.count == live.model.count && live.container->ids->count == stats.count);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= live.config->max_slots && stats.retired_slots <= spent);
    CHECK(stats.retired_slots == retired);
    CHECK(stats.committed_size == arena_check());
}

/* From every state, fini destroys all items and gives all memory back. */
static void check_end(void)
{
    arena_close();
    live.container->fini();
    CHECK(arena_is_empty());
    CHECK(calls.destroyed == (live.config->hooks ? ghost_live_slots(&live.model) : 0));
    calls.destroyed = 0;
}

void ghost_check(void)
{
    CHECK(live.container->validate() == HM_OK);
    for (uint32_t n = 0; n < space_handle_values(live.config); n++)
        check_handle(space_handle_value(n));
    for (uint32_t i = 0; i < live.model.count; i++) {
        CHECK(live.container->handle_at(i).bits == ghost_handle(live.model.dense[i]).bits);
        live.container->check_item(i, live.model.dense[i]);
    }
    CHECK(hm_handle_is_null(live.container->handle_at(live.model.count)));
    live.container->check_layout();
    check_statistics();
    check_end();
}

/* SPDX-License-Identifier: MIT */
/* The naive model of a map: what was issued, what is live, and how that must be visible from
 * outside. */
#include "world.h"

/* items: slot, generation, key, and a pattern; meta: a pattern of slot and generation */

void ghost_make_item(unsigned char *item, ghost_item who)
{
    for (size_t i = 0; i < live.config->item_size; i++)
        item[i] = (unsigned char)(0x50 + i);
    item[0] = who.slot;
    item[1] = who.generation;
    item[2] = who.key;
}

void ghost_make_meta(unsigned char *meta, ghost_item who)
{
    for (size_t i = 0; i < live.config->meta_size; i++)
        meta[i] = (unsigned char)(0xA0 + who.slot * 8u + who.generation + i);
}

unsigned char *ghost_item_at(uint32_t position)
{
    return (unsigned char *)hm_map_items(&live.map) + live.config->item_size * position;
}

ghost_item ghost_read(const void *item)
{
    const unsigned char *bytes = item;
    return (ghost_item){bytes[0], bytes[1], bytes[2], 0};
}

bool ghost_is_same(ghost_item a, ghost_item b)
{
    return a.slot == b.slot && a.generation == b.generation && a.key == b.key;
}

/* handles */

hm_handle ghost_handle(ghost_item item)
{
    return world_name(item.slot, item.generation, WORLD_TYPE_ID, false);
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
    return live.model.highest[slot] == WORLD_LIVES &&
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
 * a floor, and the item has the given bytes. Then marks the item as the handle's. */
void ghost_note_insert(hm_handle handle, uint8_t key)
{
    unsigned char bytes[WORLD_WINDOW] = {0};
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = (uint32_t)(handle.bits >> HM_HANDLE_GENERATION_SHIFT & 0xFFFF);
    CHECK(slot < live.config->max_slots && generation <= WORLD_LIVES);
    CHECK(handle.bits == world_name(slot, generation, WORLD_TYPE_ID, false).bits);
    CHECK(generation > live.model.highest[slot]);
    CHECK(generation == live.model.highest[slot] + 1u ||
          (live.model.dropped && generation <= highest_on_page(slot) + 1));
    CHECK((ghost_live_slots(&live.model) >> slot & 1) == 0);
    unsigned char *item = hm_map_get(&live.map, handle);
    CHECK(item == ghost_item_at(live.model.count));
    ghost_item who = {0, 0, key, 0};
    if (key == WORLD_ZEROED)
        who.key = 0;
    else
        ghost_make_item(bytes, who);
    CHECK(memcmp(item, bytes, live.config->item_size) == 0);
    who.slot = (uint8_t)slot;
    who.generation = (uint8_t)generation;
    ghost_make_item(item, who);
    unsigned char *meta = hm_map_meta_at(&live.map, live.model.count);
    for (size_t i = 0; i < live.config->meta_size; i++)
        CHECK(meta[i] == 0);
    ghost_make_meta(meta, who);
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
    if (hm_handle_type_id(handle) != WORLD_TYPE_ID)
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
    bool lives = position != HM_INVALID_INDEX;
    hm_handle_state state = hm_map_explain(&live.map, handle);
    CHECK(hm_map_contains(&live.map, handle) == lives);
    CHECK(hm_map_index_of(&live.map, handle) == position);
    CHECK(hm_map_get(&live.map, handle) == (lives ? ghost_item_at(position) : NULL));
    CHECK(lives ? state == HM_HANDLE_LIVE : is_explained(handle, state));
}

static void check_statistics(void)
{
    hm_map_stats stats = hm_map_get_stats(&live.map);
    uint32_t spent = 0;
    uint32_t retired = 0;
    for (uint32_t slot = 0; slot < live.config->max_slots; slot++) {
        spent += ghost_is_spent(slot);
        hm_handle handle = world_name(slot, WORLD_LIVES, WORLD_TYPE_ID, false);
        retired += hm_map_explain(&live.map, handle) == HM_HANDLE_RETIRED;
    }
    CHECK(stats.count == live.model.count && hm_map_count(&live.map) == live.model.count);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= live.config->max_slots && stats.retired_slots <= spent);
    CHECK(stats.retired_slots == retired);
}

void ghost_check(void)
{
    unsigned char expected[WORLD_WINDOW];
    CHECK(hm_map_validate(&live.map) == HM_OK);
    for (uint32_t n = 0; n < world_handle_values(live.config); n++)
        check_handle(world_handle_value(n));
    for (uint32_t i = 0; i < live.model.count; i++) {
        CHECK(hm_map_handle_at(&live.map, i).bits == ghost_handle(live.model.dense[i]).bits);
        ghost_make_item(expected, live.model.dense[i]);
        CHECK(memcmp(ghost_item_at(i), expected, live.config->item_size) == 0);
        if (live.config->meta_size == 0)
            continue;
        ghost_make_meta(expected, live.model.dense[i]);
        CHECK(memcmp(hm_map_meta_at(&live.map, i), expected, live.config->meta_size) == 0);
    }
    CHECK(hm_handle_is_null(hm_map_handle_at(&live.map, live.model.count)));
    check_statistics();
    CHECK(hm_map_get_stats(&live.map).committed_size == arena_check());
}

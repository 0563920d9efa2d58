/* SPDX-License-Identifier: MIT */
/* The naive model of a pool: what was issued, what is live and where, and how that must be visible
 * from outside. */
#include "pool_space.h"

/* Where the settled items were inserted. */
static unsigned char *settled_places[POOL_MOST_SLOTS];

/* model */

unsigned char *pool_place(const pool_ghost *of, uint32_t slot)
{
    if (slot < now.config->settled)
        return of->settled_live ? settled_places[slot] : NULL;
    return of->place[slot - now.config->settled];
}

uint32_t pool_generation(uint32_t slot)
{
    if (slot < now.config->settled)
        return SPACE_LIVES;
    return now.model.highest[slot - now.config->settled];
}

hm_handle pool_handle(uint32_t slot)
{
    return space_name(slot, pool_generation(slot), SPACE_TYPE_ID, false);
}

uint32_t pool_issued(void)
{
    uint32_t end = now.config->max_slots;
    while (end > 0 && pool_generation(end - 1) == 0)
        end--;
    return end;
}

uint32_t pool_count_live(void)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++)
        count += pool_place(&now.model, slot) != NULL;
    return count;
}

uint32_t pool_count_retired(void)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++)
        count += pool_generation(slot) == SPACE_LIVES && pool_place(&now.model, slot) == NULL;
    return count;
}

uint32_t pool_room(void)
{
    uint32_t live = pool_count_live();
    uint32_t slots = now.config->max_slots - live - pool_count_retired();
    uint32_t items = now.config->capacity - live;
    return items < slots ? items : slots;
}

/* items: slot, generation, and a pattern */

void pool_fill(unsigned char *item, uint32_t slot, uint32_t generation)
{
    for (size_t i = 0; i < now.config->item_size; i++)
        item[i] = (unsigned char)(0x50 + i);
    item[0] = (unsigned char)slot;
    item[1] = (unsigned char)generation;
}

bool pool_is_intact(uint32_t slot)
{
    unsigned char expected[POOL_ITEM];
    pool_fill(expected, slot, pool_generation(slot));
    return memcmp(pool_place(&now.model, slot), expected, now.config->item_size) == 0;
}

/* Records that a settled slot has been issued, whatever its generation. */
void pool_settle(uint32_t slot)
{
    void *place;
    hm_handle handle = hm_pool_emplace(&now.pool, &place);
    CHECK(hm_handle_index(handle) == slot && hm_handle_type_id(handle) == SPACE_TYPE_ID);
    settled_places[slot] = place;
    pool_fill(place, slot, SPACE_LIVES);
}

/* what a state shows */

hm_handle_state pool_explained(hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != SPACE_TYPE_ID)
        return HM_HANDLE_FOREIGN;
    if (slot >= pool_issued())
        return HM_HANDLE_OUT_OF_RANGE;
    bool lives = pool_place(&now.model, slot) != NULL;
    if (!lives && pool_generation(slot) == SPACE_LIVES)
        return HM_HANDLE_RETIRED;
    if (lives && handle.bits == pool_handle(slot).bits)
        return HM_HANDLE_LIVE;
    return generation <= pool_generation(slot) ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

static void check_handle(hm_handle handle)
{
    hm_handle_state state = pool_explained(handle);
    unsigned char *place = NULL;
    if (state == HM_HANDLE_LIVE)
        place = pool_place(&now.model, hm_handle_index(handle));
    CHECK(hm_pool_explain(&now.pool, handle) == state);
    CHECK(hm_pool_contains(&now.pool, handle) == (place != NULL));
    CHECK(hm_pool_get(&now.pool, handle) == place);
}

/* The slot that each byte belongs to, plus 1; 0: none. */
static uint8_t owners[ARENA_RANGES][POOL_LARGE + 1];

/* Checks that items are in committed memory that is theirs alone, and are unchanged. */
static void check_items(void)
{
    memset(owners, 0, sizeof owners);
    size_t size = now.config->item_size;
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++) {
        unsigned char *place = pool_place(&now.model, slot);
        CHECK(hm_pool_item(&now.pool, slot) == place);
        if (place == NULL)
            continue;
        CHECK((uintptr_t)place % (size & (0 - size)) == 0 && pool_is_intact(slot));
        for (size_t i = 0; i < size; i++) {
            size_t offset = (size_t)(place + i - arena_range(0));
            uint8_t *owner = &owners[offset / ARENA_STEP][offset % ARENA_STEP];
            CHECK(arena_is_committed((uint32_t)(offset / ARENA_STEP), offset % ARENA_STEP));
            CHECK(pool_holds_items((uint32_t)(offset / ARENA_STEP)) && *owner == 0);
            *owner = (uint8_t)(slot + 1);
        }
    }
    for (uint32_t slot = now.config->max_slots; slot < now.config->max_slots + 2; slot++)
        CHECK(hm_pool_item(&now.pool, slot) == NULL);
}

/* Checks each address of the arena, and one behind each range. */
static void check_addresses(void)
{
    CHECK(hm_handle_is_null(hm_pool_handle_of(&now.pool, NULL)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&now.pool, &now.pool)));
    for (uint32_t i = 0; i < arena.range_count; i++)
        for (size_t at = 0; at <= arena.windows[i]; at++) {
            hm_handle handle = hm_pool_handle_of(&now.pool, arena_range(i) + at);
            uint32_t owner = owners[i][at];
            CHECK(handle.bits == (owner != 0 ? pool_handle(owner - 1).bits : 0));
        }
}

/* A run ends at a hole, or where the next item is not adjacent. */
static void check_run(uint32_t from)
{
    uint32_t first = from, length = 0, said = UINT32_MAX;
    while (first < now.config->max_slots && pool_place(&now.model, first) == NULL)
        first++;
    if (first >= now.config->max_slots)
        first = HM_INVALID_INDEX;
    else
        do
            length++;
        while (first + length < now.config->max_slots &&
               pool_place(&now.model, first + length) != NULL &&
               pool_place(&now.model, first + length) ==
                   pool_place(&now.model, first) + now.config->item_size * length);
    CHECK(hm_pool_next_run(&now.pool, from, &said) == first && said == length);
    CHECK(hm_pool_next_run(&now.pool, from, NULL) == first);
}

static void check_statistics(void)
{
    hm_pool_stats stats = hm_pool_get_stats(&now.pool);
    size_t reserved_size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        reserved_size += arena.memory.reserved[i];
    CHECK(stats.count == pool_count_live() && hm_pool_count(&now.pool) == stats.count);
    CHECK(stats.capacity == now.config->capacity && stats.max_slots == now.config->max_slots);
    CHECK(stats.slots == pool_issued() && stats.retired_slots == pool_count_retired());
    CHECK(stats.free_slots == stats.slots - stats.count - stats.retired_slots);
    CHECK(stats.reserved_size == reserved_size && stats.committed_size == arena_check());
}

/* From every state, fini destroys what is live and gives all memory back. */
static void check_end(void)
{
    now.destroy_from = 0;
    memset(now.destroyed, 0, sizeof now.destroyed);
    arena_close();
    hm_pool_fini(&now.pool);
    CHECK(arena_is_empty());
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++)
        CHECK(now.destroyed[slot] == (now.config->hooks && pool_place(&now.model, slot) != NULL));
    memset(now.destroyed, 0, sizeof now.destroyed);
    hm_pool_fini(&now.pool);
    CHECK(hm_pool_validate(&now.pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(&now.pool, NULL)));
}

void pool_check(void)
{
    uint32_t first = now.config->settled * SPACE_SLOT_VALUES;
    CHECK(hm_pool_validate(&now.pool) == HM_OK);
    for (uint32_t n = first; n < space_handle_values(now.config); n++)
        check_handle(space_handle_value(n));
    for (uint32_t slot = 0; slot < now.config->settled; slot++)
        check_handle(pool_handle(slot));
    check_items();
    check_addresses();
    check_run(0);
    for (uint32_t from = now.config->settled; from <= now.config->max_slots + 1; from++)
        check_run(from);
    check_run(UINT32_MAX);
    check_statistics();
    check_end();
}

/* SPDX-License-Identifier: MIT */
/* The steps of a small pool, and what each must fulfil. */
#include "pool_space.h"

typedef enum pool_verb {
    POOL_INSERT,   /* way */
    POOL_INSERT_N, /* number */
    POOL_ERASE,    /* handle, by its number */
    POOL_ERASE_N,  /* set of slots, behind the settled ones */
    POOL_ERASE_IF, /* the same */
    POOL_CLEAR,
    POOL_TRIM,
    POOL_RESERVE /* number */
} pool_verb;

const space_verb_name pool_verbs[] = {
    [POOL_INSERT] = {"insert", "way", NULL, false},
    [POOL_INSERT_N] = {"insert_n", "number", NULL, false},
    [POOL_ERASE] = {"erase", NULL, NULL, true},
    [POOL_ERASE_N] = {"erase_n", "set of slots", NULL, false},
    [POOL_ERASE_IF] = {"erase_if", "set of slots", NULL, false},
    [POOL_CLEAR] = {"clear", NULL, NULL, false},
    [POOL_TRIM] = {"trim", NULL, NULL, false},
    [POOL_RESERVE] = {"reserve", "number", NULL, false},
};

void pool_list(space_actions *list)
{
    uint32_t settled = now.config->settled;
    uint32_t slots = now.config->max_slots - settled;
    list->count = 0;
    for (uint32_t way = POOL_COPIED; way <= POOL_EMPLACED; way++)
        space_add(list, POOL_INSERT, way, 0);
    space_add(list, POOL_CLEAR, 0, 0);
    space_add(list, POOL_TRIM, 0, 0);
    space_add(list, POOL_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= slots + 1; n++) {
        space_add(list, POOL_RESERVE, n, 0);
        space_add(list, POOL_INSERT_N, n, 0);
    }
    for (uint32_t set = 0; set < 1u << slots; set++) {
        space_add(list, POOL_ERASE_N, set, 0);
        space_add(list, POOL_ERASE_IF, set, 0);
    }
    for (uint32_t n = settled * SPACE_SLOT_VALUES; n < space_handle_values(now.config); n++)
        space_add(list, POOL_ERASE, n, 0);
}

bool pool_is_possible(const void *state, const space_action *action)
{
    (void)state;
    (void)action;
    return true;
}

/* The destroy hook: sees a consistent pool, and cannot change it. */
void pool_destroyed(void *item, void *context)
{
    uint32_t slot = 0;
    while (slot < now.config->max_slots && pool_place(&now.model, slot) != item)
        slot++;
    CHECK(context == &now && slot < now.config->max_slots && slot >= now.destroy_from);
    CHECK(!now.destroyed[slot] && pool_is_intact(slot));
    hm_handle handle = pool_handle(slot);
    uint32_t made = arena.calls;
    void *place = item;
    CHECK(hm_pool_get(&now.pool, handle) == item);
    CHECK(hm_pool_handle_of(&now.pool, item).bits == handle.bits);
    CHECK(hm_pool_validate(&now.pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(&now.pool, NULL)));
    CHECK(hm_handle_is_null(hm_pool_emplace(&now.pool, &place)) && place == NULL);
    CHECK(!hm_pool_erase(&now.pool, handle) && hm_pool_erase_n(&now.pool, &handle, 1) == 0);
    CHECK(hm_pool_reserve(&now.pool, 1) == HM_ERROR_BUSY);
    CHECK(hm_pool_trim(&now.pool) == HM_ERROR_BUSY);
    CHECK(arena.calls == made);
    now.destroyed[slot] = true;
    now.destroy_from = slot;
}

/* steps */

/* FULL if there is no space; else a call fails only when memory is refused. */
static bool is_right(hm_status status, bool fits)
{
    return status == (!fits ? HM_ERROR_FULL : arena.refused ? HM_ERROR_MEMORY : HM_OK);
}

/* The latest recent hole, if its place is below the number of items; else the lowest hole with
 * memory; if there is none, any free slot; else a new one. */
static void check_choice(uint32_t slot, uint32_t latest, uint32_t lowest)
{
    if (latest < pool_count_live())
        CHECK(slot == latest);
    else if (lowest != HM_INVALID_INDEX)
        CHECK(slot == lowest);
    else if (pool_issued() > pool_count_live() + pool_count_retired())
        CHECK(slot < pool_issued());
    else
        CHECK(slot == pool_issued());
}

static void check_birth(hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle), place = slot - now.config->settled;
    CHECK(slot >= now.config->settled && slot < now.config->max_slots);
    CHECK(pool_place(&now.model, slot) == NULL && pool_generation(slot) < SPACE_LIVES);
    now.model.highest[place]++;
    CHECK(handle.bits == pool_handle(slot).bits);
    now.model.place[place] = hm_pool_get(&now.pool, handle);
    CHECK(now.model.place[place] != NULL);
}

static uint32_t latest_hole(void)
{
    if (now.pool.count >= now.pool.recent_end)
        return HM_INVALID_INDEX;
    return now.pool.recent[now.pool.count % HM_POOL_RECENT];
}

static uint32_t lowest_hole(void)
{
    for (uint32_t slot = 0; slot < now.pool.slot_count; slot++) {
        const hm_pool_word *word = &now.pool.words[slot / HM_POOL_WORD];
        if (((word->open & ~word->live) >> slot % HM_POOL_WORD & 1) != 0)
            return slot;
    }
    return HM_INVALID_INDEX;
}

/* Inserts, and marks the item as the handle's. */
void pool_insert(uint32_t way)
{
    unsigned char item[POOL_ITEM] = {0};
    void *place = NULL;
    uint32_t latest = latest_hole(), lowest = lowest_hole();
    bool fits = pool_room() > 0;
    hm_handle handle;
    if (way == POOL_COPIED)
        pool_fill(item, 0, 0);
    if (way == POOL_EMPLACED)
        handle = hm_pool_emplace(&now.pool, &place);
    else
        handle = hm_pool_insert(&now.pool, way == POOL_COPIED ? item : NULL);
    CHECK(hm_handle_is_null(handle) == (!fits || arena.refused));
    CHECK(way != POOL_EMPLACED || place == hm_pool_get(&now.pool, handle));
    if (hm_handle_is_null(handle))
        return;
    check_choice(hm_handle_index(handle), latest, lowest);
    check_birth(handle);
    place = hm_pool_get(&now.pool, handle);
    CHECK(way == POOL_EMPLACED || memcmp(place, item, now.config->item_size) == 0);
    pool_fill(place, hm_handle_index(handle), pool_generation(hm_handle_index(handle)));
}

/* Inserts all or none, in the slots that single inserts would choose, and marks each item. */
static void insert_n(uint32_t n)
{
    static const unsigned char items[(POOL_FREE_SLOTS + 1) * POOL_ITEM];
    hm_handle handles[POOL_FREE_SLOTS + 1] = {{0}};
    bool fits = n <= pool_room();
    hm_status status = hm_pool_insert_n(&now.pool, n % 2 != 0 ? items : NULL, n, handles);
    CHECK(is_right(status, fits));
    for (uint32_t i = 0; i < n; i++) {
        CHECK(hm_handle_is_null(handles[i]) == (status != HM_OK));
        if (status != HM_OK)
            continue;
        check_birth(handles[i]);
        void *place = hm_pool_get(&now.pool, handles[i]);
        CHECK(memcmp(place, items, now.config->item_size) == 0);
        uint32_t slot = hm_handle_index(handles[i]);
        pool_fill(place, slot, pool_generation(slot));
    }
}

static void note_erase(uint32_t slot)
{
    now.model.place[slot - now.config->settled] = NULL;
}

/* Erases the slots of the set, each named twice; those that are not live are stale. */
static void erase_n(uint32_t set)
{
    hm_handle handles[3 * POOL_FREE_SLOTS];
    uint32_t n = 0, expected = 0;
    for (uint32_t i = 0; set >> i != 0; i++) {
        uint32_t slot = now.config->settled + i;
        if ((set >> i & 1) == 0)
            continue;
        handles[n++] = pool_handle(slot);
        handles[n++] = HM_NULL_HANDLE;
        handles[n++] = pool_handle(slot);
        expected += pool_place(&now.model, slot) != NULL;
    }
    CHECK(hm_pool_erase_n(&now.pool, handles, n) == expected && arena.calls == 0);
    for (uint32_t i = 0; set >> i != 0; i++)
        if ((set >> i & 1) != 0)
            note_erase(now.config->settled + i);
}

/* The predicate is called for each live item, in the order of slots; the pool is consistent and
 * busy. */
static uint32_t doomed_set, asked_from;

static bool is_doomed(const void *item, void *context)
{
    uint32_t slot = 0;
    while (slot < now.config->max_slots && pool_place(&now.model, slot) != item)
        slot++;
    CHECK(context == &now && slot < now.config->max_slots && slot >= asked_from);
    asked_from = slot + 1;
    hm_handle handle = pool_handle(slot);
    CHECK(pool_is_intact(slot) && !now.destroyed[slot]);
    CHECK(hm_pool_handle_of(&now.pool, item).bits == handle.bits);
    CHECK(hm_pool_validate(&now.pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(&now.pool, NULL)) && !hm_pool_erase(&now.pool, handle));
    CHECK(hm_pool_erase_if(&now.pool, is_doomed, context) == 0);
    return slot >= now.config->settled && (doomed_set >> (slot - now.config->settled) & 1) != 0;
}

static void erase_if(uint32_t set)
{
    uint32_t expected = 0;
    for (uint32_t i = 0; set >> i != 0; i++)
        expected += (set >> i & 1) != 0 && pool_place(&now.model, now.config->settled + i) != NULL;
    doomed_set = set;
    asked_from = 0;
    CHECK(hm_pool_erase_if(&now.pool, is_doomed, &now) == expected && arena.calls == 0);
    for (uint32_t i = 0; set >> i != 0; i++)
        if ((set >> i & 1) != 0)
            note_erase(now.config->settled + i);
}

static void clear(void)
{
    hm_pool_clear(&now.pool);
    CHECK(arena.calls == 0);
    memset(now.model.place, 0, sizeof now.model.place);
    now.model.settled_live = 0;
}

/* Whether these bytes have a part of an item. */
static bool holds_live(const unsigned char *bytes, size_t size)
{
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++) {
        const unsigned char *place = pool_place(&now.model, slot);
        if (place != NULL && place < bytes + size && bytes < place + now.config->item_size)
            return true;
    }
    return false;
}

/* Trims; then each page or block that is left has a live item. */
static void trim(void)
{
    hm_status status = hm_pool_trim(&now.pool);
    CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
    for (uint32_t i = 0; status == HM_OK && i < arena.range_count; i++) {
        if (!pool_holds_items(i))
            continue;
        size_t unit = now.config->page_size;
        if (now.config->storage == HM_STORAGE_GROWING_BLOCKS)
            unit = arena.memory.reserved[i];
        if (now.config->storage == HM_STORAGE_FIXED_BLOCKS)
            unit *= ((now.config->item_size << now.pool.places.block_shift) - 1) / unit + 1;
        for (size_t at = 0; at < arena.memory.reserved[i]; at += unit)
            CHECK(!arena_is_committed(i, at) || holds_live(arena_range(i) + at, unit));
    }
}

/* After a reserve, that many inserts succeed although the system refuses everything. */
static void reserve_more(uint32_t n)
{
    static pool_state after;
    bool fits = n <= pool_room();
    hm_status status = hm_pool_reserve(&now.pool, n);
    CHECK(is_right(status, fits));
    if (status != HM_OK)
        return;
    uint32_t made = arena.calls;
    pool_capture(&after);
    arena.refuse_from = 1;
    arena.refuse_to = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        pool_insert(POOL_COPIED);
    CHECK(arena.calls == made);
    pool_restore(&after);
}

static void perform(const space_action *action)
{
    switch (action->verb) {
    case POOL_INSERT:
        pool_insert(action->a);
        break;
    case POOL_INSERT_N:
        insert_n(action->a);
        break;
    case POOL_ERASE:
        CHECK(hm_pool_erase(&now.pool, space_handle_value(action->a)) && arena.calls == 0);
        note_erase(hm_handle_index(space_handle_value(action->a)));
        break;
    case POOL_ERASE_N:
        erase_n(action->a);
        break;
    case POOL_ERASE_IF:
        erase_if(action->a);
        break;
    case POOL_CLEAR:
        clear();
        break;
    case POOL_TRIM:
        trim();
        break;
    case POOL_RESERVE:
        reserve_more(action->a);
        break;
    }
}

/* A refused call changes nothing: what is live, where it is, and what every handle is explained as.
 * Retired slots stay retired in all steps: pool_explained, which every state is checked with,
 * derives it from the highest generation, which never falls. */
static void check_step(const pool_state *before)
{
    if (arena.refused) {
        CHECK(memcmp(&now.model, &before->model, sizeof now.model) == 0);
        CHECK(now.pool.slot_count == before->pool.slot_count);
    }
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++) {
        bool erased_now =
            pool_place(&before->model, slot) != NULL && pool_place(&now.model, slot) == NULL;
        CHECK(now.destroyed[slot] == (erased_now && now.config->hooks));
    }
}

uint32_t pool_take(const void *state, const space_action *action, uint32_t refuse, bool *changed)
{
    const pool_state *before = state;
    arena_refuse(refuse);
    now.destroy_from = 0;
    hm_handle handle = space_handle_value(action->a);
    *changed = action->verb != POOL_ERASE || pool_explained(handle) == HM_HANDLE_LIVE;
    if (!*changed) {
        CHECK(!hm_pool_erase(&now.pool, handle) && arena.calls == 0);
        arena_open();
        CHECK(memcmp(&now.pool, &before->pool, sizeof now.pool) == 0 && arena_is(before->bytes));
        arena_close();
        return 0;
    }
    perform(action);
    uint32_t made = arena.calls;
    check_step(before);
    memset(now.destroyed, 0, sizeof now.destroyed);
    arena_refuse(0);
    return made;
}

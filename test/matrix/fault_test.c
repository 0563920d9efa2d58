/* SPDX-License-Identifier: MIT */
/* Refused memory, as fault.h has it: maps, pools and secondaries. */
#include "fault.h"

static const hm_order by_first_byte = {.key = number_of};

/* map */

MADE_BY(map, .item_size = on->layout.item_size, .item_align = on->layout.item_align,
        .capacity = on->way == 0 ? MAX_ITEMS : 0, .max_slots = MAX_SLOTS, .meta_size = META_SIZE)
COMMON(map)
STATES(map)

static bool map_note(scene *on, hm_handle handle)
{
    if (hm_handle_is_null(handle))
        return false;
    uint32_t position = hm_map_index_of(&on->in.map, handle);
    test_item_fill(hm_map_get(&on->in.map, handle), on->layout.item_size, handle.bits);
    test_item_fill(hm_map_meta_at(&on->in.map, position), META_SIZE, handle.bits);
    return true;
}

ITEMS(map)

static bool map_insert_n(scene *on)
{
    hm_handle handles[BATCH] = {{0}};
    bool done = succeeds(hm_map_insert_n(&on->in.map, NULL, BATCH, handles));
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(map_note(on, handles[i]) == done);
    return done;
}

static void map_erase(scene *on, uint32_t position)
{
    CHECK(hm_map_erase(&on->in.map, hm_map_handle_at(&on->in.map, position)));
}

static void map_ruin(scene *on)
{
    CHECK(map_insert_n(on));
    ruin_dense(on);
}

static picture map_look(const scene *on)
{
    const hm_map *map = &on->in.map;
    picture seen = map_states(on);
    for (uint32_t i = 0; i < seen.count; i++) {
        hm_handle handle = hm_map_handle_at(map, i);
        mix(&seen.contents, handle.bits);
        CHECK(test_item_is(hm_map_get(map, handle), on->layout.item_size, handle.bits));
        CHECK(test_item_is(hm_map_meta_at(map, i), META_SIZE, handle.bits));
    }
    return seen;
}

/* The next insert needs memory, and the next slot is spent: the insert also retires it. With items
 * of one byte the entries are the first column to need memory. */
static void stand_before_a_spent_slot(scene *on)
{
    stand_at_the_edge(on);
    for (uint32_t life = 0; life < HM_HANDLE_MAX_GENERATION; life++) {
        map_erase(on, life == 0 ? 0 : map_count(on) - 1);
        CHECK(life + 1 == HM_HANDLE_MAX_GENERATION || map_add(on));
    }
}

static const kind map_kind = {DESCRIBED(map, 2), .unbounded = 1, .edge = 3, .any_align = true,
                              .trim_drops = true};

REFUSED(map, insert, {stand_empty, map_add, 0}, {stand_at_the_edge, map_add, 0},
        {stand_cleared_and_trimmed, map_add, 0}, {stand_empty, map_emplace, 0},
        {stand_at_the_edge, map_emplace, 0})
REFUSED(map, insert_n, {stand_empty, map_insert_n, 0}, {stand_at_the_edge, map_insert_n, 0},
        {stand_cleared_and_trimmed, map_insert_n, 0})
REFUSED(map, reserve, {stand_empty, map_reserve, 0}, {stand_at_the_edge, map_reserve, 0},
        {stand_cleared_and_trimmed, map_reserve, 0})
REFUSED(map, trim, {stand_in_ruins, map_trim, 0})
REFUSED(map, insert_that_retires_a_slot, {stand_before_a_spent_slot, map_add, 1},
        {stand_before_a_spent_slot, map_emplace, 1}, {stand_before_a_spent_slot, map_insert_n, 1},
        {stand_before_a_spent_slot, map_reserve, 1})
NEVER_ASKS(map)

/* More than half of a page of entries, or of items if these are large. */
static bool map_grow(scene *on)
{
    size_t size = on->layout.item_size <= 64 ? sizeof(hm_handle) : on->layout.item_size;
    uint32_t n = (uint32_t)(on->layout.page_size / size * 2 / 3 + 1), first = map_count(on);
    bool done = succeeds(hm_map_insert_n(&on->in.map, NULL, n, NULL));
    for (uint32_t i = 0; done && i < n; i++)
        map_note(on, hm_map_handle_at(&on->in.map, first + i));
    return done;
}

TEST(map_fault, a_whole_life_survives_any_refusal)
{
    live_with_every_refusal(&map_kind, map_grow, 3);
}

WAITS(map)

TEST(map_fault, orders_wait_for_memory_and_batches_of_erases_need_none)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        uint32_t asked = 0;
        hm_map *map = &stage.in.map;
        hm_handle handles[40];
        start(&stage, &map_kind, test_layout_at(i), 0);
        for (uint32_t k = 0; k < 40; k++)
            CHECK(map_add(&stage));
        for (uint32_t k = 0; k < 40; k++)
            handles[k] = hm_map_handle_at(map, k);
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_map_erase_n(map, handles, 5) == 5 && stage.memory.calls == 0);
        map_waits(&stage, handles, 40);
        CHECK(hm_handle_equal(hm_map_handle_at(map, 0), handles[5]));
        CHECK(hm_map_erase_if(map, is_asked, &asked) == 17);
        CHECK(hm_map_reserve(map, 22) == HM_OK && map_add(&stage));
        CHECK(stage.memory.calls == 0 && hm_map_validate(map) == HM_OK);
        finish(&stage);
    }
}

/* pool */

MADE_BY(pool, .item_size = on->layout.item_size, .item_align = on->layout.item_align,
        .capacity = MAX_ITEMS, .max_slots = MAX_SLOTS, .storage = (hm_storage)on->way,
        .block_size = 4096)
COMMON(pool)
STATES(pool)

static bool pool_note(scene *on, hm_handle handle)
{
    if (!hm_handle_is_null(handle))
        test_item_fill(hm_pool_get(&on->in.pool, handle), on->layout.item_size, handle.bits);
    return !hm_handle_is_null(handle);
}

ITEMS(pool)

/* Reserves twice as many places as there are holes: over many units. */
static bool pool_large_reserve(scene *on)
{
    uint32_t holes = hm_pool_get_stats(&on->in.pool).free_slots;
    return succeeds(hm_pool_reserve(&on->in.pool, 2 * holes + EDGE));
}

/* The first live item from this slot on. */
static void pool_erase(scene *on, uint32_t slot)
{
    uint32_t length;
    slot = hm_pool_next_run(&on->in.pool, slot, &length);
    CHECK(hm_pool_erase(&on->in.pool, hm_pool_handle_at(&on->in.pool, slot)));
}

/* In front, in the middle and at the end. */
static void pool_ruin(scene *on)
{
    for (uint32_t i = 0; i < EDGE; i++)
        CHECK(pool_add(on));
    uint32_t n = pool_count(on);
    for (uint32_t i = 0; i < n; i++)
        if (i != n / 3 && i != n / 2)
            pool_erase(on, i);
}

static picture pool_look(const scene *on)
{
    const hm_pool *pool = &on->in.pool;
    picture seen = pool_states(on);
    for (uint32_t i = 0; i < seen.slots; i++) {
        hm_handle handle = hm_pool_handle_at(pool, i);
        if (hm_handle_is_null(handle))
            continue;
        mix(&seen.contents, handle.bits);
        mix(&seen.contents, (uint64_t)(uintptr_t)hm_pool_item_at(pool, i));
        CHECK(test_item_is(hm_pool_get(pool, handle), on->layout.item_size, handle.bits));
    }
    return seen;
}

static const kind pool_kind = {DESCRIBED(pool, 3), .edge = EDGE};

REFUSED(pool, insert, {stand_empty, pool_add, 0}, {stand_at_the_edge, pool_add, 0},
        {stand_trimmed, pool_add, 0}, {stand_cleared_and_trimmed, pool_add, 0},
        {stand_empty, pool_emplace, 0}, {stand_trimmed, pool_emplace, 0})
REFUSED(pool, reserve, {stand_empty, pool_reserve, 0}, {stand_at_the_edge, pool_reserve, 0},
        {stand_trimmed, pool_reserve, 0})
REFUSED(pool, large_reserve, {stand_empty, pool_large_reserve, 4096},
        {stand_trimmed, pool_large_reserve, 4096})
REFUSED(pool, trim, {stand_in_ruins, pool_trim, 0})
NEVER_ASKS(pool)

TEST(pool_fault, a_whole_life_survives_any_refusal)
{
    live_with_every_refusal(&pool_kind, pool_add, 2 * EDGE);
}

/* secondary */

MADE_BY(secondary, .value_size = on->layout.item_size, .value_align = on->layout.item_align,
        .capacity = on->way == 0 ? MAX_SLOTS : 0, .max_slots = 64 * SEGMENT_SLOTS)
COMMON(secondary)

static bool secondary_set(scene *on, uint32_t slot)
{
    hm_handle owner = hm_handle_pack(slot, 1, TYPE);
    void *place = hm_secondary_set(&on->in.secondary, owner, NULL);
    if (place != NULL)
        test_item_fill(place, on->layout.item_size, owner.bits);
    return place != NULL;
}

static bool secondary_add(scene *on)
{
    bool is_added = secondary_set(on, on->next);
    on->next += is_added;
    return is_added;
}

static bool secondary_set_far_away(scene *on)
{
    return secondary_set(on, far_away(on));
}

static bool secondary_large_reserve(scene *on)
{
    uint32_t n = MAX_SLOTS - secondary_count(on);
    return succeeds(
        hm_secondary_reserve(&on->in.secondary, n < 3 * SEGMENT_SLOTS ? n : 3 * SEGMENT_SLOTS));
}

static void secondary_erase(scene *on, uint32_t position)
{
    hm_handle owner = hm_secondary_owner_at(&on->in.secondary, position);
    CHECK(hm_secondary_remove(&on->in.secondary, owner));
}

/* All values are gone but a few in front, and with them whole segments. */
static void secondary_ruin(scene *on)
{
    for (uint32_t i = 0; i < 10; i++)
        CHECK(secondary_set(on, far_away(on) - i * (far_away(on) / 21)));
    while (secondary_count(on) > 5)
        secondary_erase(on, 5);
    CHECK(secondary_set(on, far_away(on) - 2 * (far_away(on) / 21)));
}

/* A set has moved the positions, but was refused to give back the memory that they have left. */
static void stand_with_segments_left(scene *on)
{
    bool is_set = !secondary_add(on);
    for (uint32_t k = 1; !is_set && on->in.secondary.left == NULL; k++) {
        test_memory_fail(&on->memory, k, false);
        is_set = secondary_set_far_away(on);
    }
    test_memory_fail(&on->memory, 0, false);
    CHECK(is_set == (on->way != 0));
}

static picture secondary_look(const scene *on)
{
    const hm_secondary *secondary = &on->in.secondary;
    picture seen = secondary_glance(on);
    for (uint32_t i = 0; i < seen.count; i++) {
        hm_handle owner = hm_secondary_owner_at(secondary, i);
        mix(&seen.contents, owner.bits);
        CHECK(test_item_is(hm_secondary_get(secondary, owner), on->layout.item_size, owner.bits));
    }
    return seen;
}

static const kind secondary_kind = {DESCRIBED(secondary, 2), .unbounded = 1, .edge = 3,
                                    .any_align = true};

REFUSED(secondary, set, {stand_empty, secondary_add, 0}, {stand_at_the_edge, secondary_add, 0},
        {stand_cleared_and_trimmed, secondary_add, 0}, {stand_empty, secondary_set_far_away, 0},
        {stand_at_the_edge, secondary_set_far_away, 0},
        {stand_cleared_and_trimmed, secondary_set_far_away, 0})
REFUSED(secondary, reserve, {stand_empty, secondary_reserve, 0},
        {stand_at_the_edge, secondary_reserve, 0},
        {stand_cleared_and_trimmed, secondary_reserve, 0},
        {stand_empty, secondary_large_reserve, 0}, {stand_in_ruins, secondary_large_reserve, 0})
REFUSED(secondary, trim, {stand_in_ruins, secondary_trim, 0},
        {stand_with_segments_left, secondary_trim, 0})
NEVER_ASKS(secondary)

static bool value_is_asked(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return is_asked(value, context);
}

WAITS(secondary)

TEST(secondary_fault, orders_wait_for_memory_and_what_adds_nothing_needs_none)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        uint32_t asked = 0;
        hm_secondary *secondary = &stage.in.secondary;
        const hm_handle first = hm_handle_pack(20, 1, TYPE), later = hm_handle_pack(4, 2, TYPE);
        start(&stage, &secondary_kind, test_layout_at(i), 0);
        while (stage.next < 40)
            CHECK(secondary_add(&stage));
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_secondary_remove(secondary, hm_handle_pack(3, 1, TYPE)));
        CHECK(hm_secondary_set(secondary, later, NULL) != NULL && secondary_set(&stage, 5));
        CHECK(stage.memory.calls == 0);
        secondary_waits(&stage, &first, 1);
        CHECK(hm_secondary_index_of(secondary, first) == 0);
        CHECK(hm_secondary_remove_if(secondary, value_is_asked, &asked) == 19);
        CHECK(stage.memory.calls == 0 && hm_secondary_validate(secondary) == HM_OK);
        finish(&stage);
    }
}

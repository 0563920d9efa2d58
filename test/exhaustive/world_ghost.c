/* SPDX-License-Identifier: MIT */
/* The naive model of a world: which entities live, with which values, and how that must be visible
 * from outside. */
#include "world_space.h"

#include <string.h>

static hm_world *const world = &scene.world;

/* model */

hm_handle entity_handle(const entity_item *item)
{
    return space_name(item->slot, item->generation, SPACE_TYPE_ID, false);
}

entity_item *entity_in_slot(uint32_t slot)
{
    for (uint32_t i = 0; i < scene.model.count; i++)
        if (scene.model.dense[i].slot == slot)
            return &scene.model.dense[i];
    return NULL;
}

entity_item *entity_find(hm_handle handle)
{
    entity_item *item = entity_in_slot(hm_handle_index(handle));
    return item != NULL && entity_handle(item).bits == handle.bits ? item : NULL;
}

uint32_t entity_value(const entity_item *item, uint32_t kind)
{
    return 1u << (item->slot * ENTITY_KINDS + kind);
}

uint32_t entity_hooked(const entity_item *item, uint32_t kinds)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < scene.kinds; i++)
        if ((item->set & kinds) >> i & 1 && entity_has_hook(i))
            values |= entity_value(item, i);
    return values;
}

uint32_t entity_list(uint32_t kinds, hm_component *list)
{
    uint32_t count = 0;
    for (uint32_t i = scene.kinds; i-- > 0;) /* Any order will do. */
        if ((kinds >> i & 1) != 0)
            list[count++] = scene.ids[i];
    return count;
}

static bool is_spent(uint32_t slot)
{
    return scene.model.highest[slot] == SPACE_LIVES && entity_in_slot(slot) == NULL;
}

uint32_t entity_room(void)
{
    uint32_t slots = scene.config->max_slots - scene.model.count;
    for (uint32_t slot = 0; slot < scene.config->max_slots; slot++)
        slots -= is_spent(slot);
    uint32_t entities = scene.config->capacity - scene.model.count;
    return entities < slots ? entities : slots;
}

/* values: component, slot and generation; a key; and a pattern */

void entity_fill(unsigned char *bytes, const entity_item *item, uint32_t kind)
{
    for (size_t i = 0; i < scene.config->cells[kind]; i++)
        bytes[i] = (unsigned char)(0xA0 + i);
    bytes[0] = (unsigned char)(kind << 4 | (uint32_t)item->slot << 2 | item->generation);
    if (scene.config->cells[kind] > 1)
        bytes[1] = item->keys[kind];
}

bool entity_is_intact(const entity_item *item, uint32_t kind, const void *value)
{
    unsigned char expected[ENTITY_WINDOW];
    entity_fill(expected, item, kind);
    return value != NULL && memcmp(value, expected, scene.config->cells[kind]) == 0;
}

void entity_expect_zero(const entity_item *item, uint32_t kinds)
{
    static const unsigned char zero[ENTITY_WINDOW];
    for (uint32_t i = 0; i < scene.kinds; i++)
        if (kinds >> i & 1 && !entity_is_tag(i))
            CHECK(memcmp(hm_world_get(world, entity_handle(item), scene.ids[i]), zero,
                         scene.config->cells[i]) == 0);
}

void entity_write(const entity_item *item, uint32_t kinds)
{
    for (uint32_t i = 0; i < scene.kinds; i++)
        if (kinds >> i & 1 && !entity_is_tag(i))
            entity_fill(hm_world_get(world, entity_handle(item), scene.ids[i]), item, i);
}

/* Returns the highest generation issued on the slot's page: its floor is not above it. */
static uint32_t highest_on_page(uint32_t slot)
{
    uint32_t page_slots = (uint32_t)(scene.config->page_size / sizeof(hm_handle));
    uint32_t first = slot / page_slots * page_slots, highest = 0;
    for (uint32_t i = first; i < first + page_slots && i < scene.config->max_slots; i++)
        if (scene.model.highest[i] > highest)
            highest = scene.model.highest[i];
    return highest;
}

entity_item *entity_note(hm_handle handle, uint32_t set)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(slot < scene.config->max_slots && generation <= SPACE_LIVES);
    CHECK(handle.bits == space_name(slot, generation, SPACE_TYPE_ID, false).bits);
    uint32_t highest = scene.model.highest[slot];
    CHECK(generation == highest + 1 ||
          (scene.model.dropped && generation > highest && generation <= highest_on_page(slot) + 1));
    CHECK(entity_in_slot(slot) == NULL);
    CHECK(hm_world_handle_at(world, scene.model.count).bits == handle.bits);
    scene.model.highest[slot] = (uint8_t)generation;
    entity_item *item = &scene.model.dense[scene.model.count++];
    *item = (entity_item){(uint8_t)slot, (uint8_t)generation, (uint8_t)set, {0}};
    return item;
}

/* what a state shows */

static void check_value(const entity_item *item, uint32_t kind)
{
    hm_handle handle = entity_handle(item);
    bool has = (item->set >> kind & 1) != 0;
    void *value = hm_world_get(world, handle, scene.ids[kind]);
    CHECK(hm_world_has(world, handle, scene.ids[kind]) == has);
    CHECK((value != NULL) == (has && !entity_is_tag(kind)));
    if (value == NULL)
        return;
    size_t size = scene.config->cells[kind];
    CHECK(entity_is_intact(item, kind, value) && (uintptr_t)value % (size & (0 - size)) == 0);
}

static void check_handle(hm_handle handle)
{
    const entity_item *item = entity_find(handle);
    CHECK(hm_world_contains(world, handle) == (item != NULL));
    CHECK((hm_world_explain(world, handle) == HM_HANDLE_LIVE) == (item != NULL));
    const hm_component foreign[] = {scene.ids[0] - 1, scene.ids[0] + scene.kinds, HM_INVALID_INDEX};
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(!hm_world_has(world, handle, foreign[i]));
        CHECK(hm_world_get(world, handle, foreign[i]) == NULL);
    }
    for (uint32_t i = 0; i < scene.kinds; i++) {
        CHECK(item != NULL || !hm_world_has(world, handle, scene.ids[i]));
        CHECK(item != NULL || hm_world_get(world, handle, scene.ids[i]) == NULL);
        if (item != NULL)
            check_value(item, i);
    }
}

static void check_statistics(void)
{
    hm_world_stats stats = hm_world_get_stats(world);
    size_t reserved_size = 0;
    uint32_t spent = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        reserved_size += arena.memory.reserved[i];
    for (uint32_t slot = 0; slot < scene.config->max_slots; slot++)
        spent += is_spent(slot);
    CHECK(stats.count == scene.model.count && hm_world_count(world) == stats.count);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= scene.config->max_slots && stats.retired_slots <= spent);
    CHECK(stats.reserved_size == reserved_size && stats.committed_size == arena_check());
    arena_close();
}

/* A query visits each entity that matches once, with its values. */
static void check_query(uint32_t all, uint32_t none)
{
    hm_component with[ENTITY_KINDS], without[ENTITY_KINDS];
    hm_query_desc desc = {.all = with, .none = without};
    desc.all_count = entity_list(all, with);
    desc.none_count = entity_list(none, without);
    hm_query query;
    hm_view view;
    uint32_t seen = 0, expected = 0;
    CHECK(hm_query_init(&query, world, &desc) == HM_OK);
    hm_query_begin(&query);
    while (hm_query_next(&query, &view))
        for (uint32_t row = 0; row < view.count; row++) {
            const entity_item *item = entity_find(view.entities[row]);
            CHECK(item != NULL && (seen >> item->slot & 1) == 0);
            seen |= 1u << item->slot;
            for (uint32_t c = 0; c < desc.all_count; c++) {
                uint32_t kind = with[c] - scene.ids[0];
                const unsigned char *values = view.columns[c];
                CHECK((values == NULL) == entity_is_tag(kind));
                if (values != NULL)
                    CHECK(values + scene.config->cells[kind] * row ==
                          hm_world_get(world, view.entities[row], with[c]));
            }
        }
    for (uint32_t i = 0; i < scene.model.count; i++)
        if ((scene.model.dense[i].set & all) == all && (scene.model.dense[i].set & none) == 0)
            expected |= 1u << scene.model.dense[i].slot;
    CHECK(seen == expected);
    hm_query_fini(&query);
}

/* The creates that upcoming answers for make these entities, though all memory is refused. */
static void check_upcoming(void)
{
    hm_handle names[ENTITY_COUNT + 1];
    uint32_t n = 0;
    while (n <= ENTITY_COUNT && !hm_handle_is_null(names[n] = hm_world_upcoming(world, n)))
        n++;
    CHECK(n <= scene.config->capacity - scene.model.count);
    arena_refuse(1);
    arena.refuse_to = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        hm_handle handle = hm_world_create(world, NULL, 0);
        CHECK(handle.bits == names[k].bits);
        entity_note(handle, 0);
    }
    CHECK(arena.calls == 0 && hm_world_validate(world) == HM_OK);
    arena_refuse(0);
}

/* From every state, fini destroys all values and gives all memory back. */
static void check_end(void)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < scene.model.count; i++)
        values |= entity_hooked(&scene.model.dense[i], entity_all());
    scene.kept = entity_all();
    hm_world_fini(world);
    CHECK(arena_is_empty() && scene.destroyed == values);
    scene.destroyed = 0;
    hm_world_fini(world);
    CHECK(hm_world_validate(world) == HM_OK && hm_handle_is_null(hm_world_create(world, NULL, 0)));
}

void entity_check(void)
{
    CHECK(hm_world_validate(world) == HM_OK);
    for (uint32_t n = 0; n < space_handle_values(scene.config); n++)
        check_handle(space_handle_value(n));
    for (uint32_t i = 0; i < scene.model.count; i++)
        CHECK(hm_world_handle_at(world, i).bits == entity_handle(&scene.model.dense[i]).bits);
    CHECK(hm_handle_is_null(hm_world_handle_at(world, scene.model.count)));
    check_statistics();
    for (uint32_t all = 0; all <= entity_all(); all++)
        for (uint32_t none = 0; none <= entity_all(); none++)
            if ((all & none) == 0)
                check_query(all, none);
    check_upcoming();
    check_end();
}

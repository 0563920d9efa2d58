/* SPDX-License-Identifier: MIT */
/* The row of the world. */
#include "saves.h"

enum { BURST = 200, MOST_VALUE = 64 };

static const struct {
    uint32_t capacity, max_slots;
} shapes[] = {{0, 0}, {0, 900}, {600, 100000}, {40, 40}, {700, 2000}};

static const hm_component_desc components[TEST_COMPONENTS] = {
    {.size = 8, .align = 4, .name = "position"},
    {.size = 3, .align = 1, .name = "colour"},
    {.name = "tag"},
    {.size = 12, .align = 4, .name = "target", .storage = HM_COMPONENT_SPARSE},
    {.size = MOST_VALUE, .align = 16, .name = "matrix"},
    {.name = "other tag"},
    {.size = 1, .align = 1, .name = "mark", .storage = HM_COMPONENT_SPARSE},
};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    const hm_world_desc desc = {.capacity = shapes[shape].capacity,
                                .max_slots = shapes[shape].max_slots,
                                .type_id = 82,
                                .memory = memory,
                                .name = "things"};
    CHECK(hm_world_init(&made->world, &desc) == HM_OK);
    for (uint32_t i = 0; i < TEST_COMPONENTS; i++) {
        made->components[i] = hm_world_component(&made->world, &components[i]);
        CHECK(made->components[i] != HM_INVALID_INDEX);
    }
}

static uint32_t pick_set(const saved *made, hm_component *set, uint64_t *random)
{
    uint32_t bits = test_random_below(random, 1 << TEST_COMPONENTS), n = 0;
    for (uint32_t i = 0; i < TEST_COMPONENTS; i++)
        if ((bits >> i & 1) != 0)
            set[n++] = made->components[i];
    return n;
}

/* Gives the entity other values. */
static void change_values(saved *made, hm_handle entity, uint64_t *random)
{
    for (uint32_t i = 0; i < TEST_COMPONENTS; i++) {
        void *value = hm_world_get(&made->world, entity, made->components[i]);
        if (value != NULL)
            saved_fill(value, components[i].size, random);
    }
}

static saved_answer add(saved *made, uint64_t *random)
{
    hm_component set[TEST_COMPONENTS];
    uint32_t n = pick_set(made, set, random);
    hm_handle entity = hm_world_create(&made->world, set, n);
    change_values(made, entity, random);
    return saved_issued(entity);
}

static void create_some(saved *made, uint64_t *random)
{
    hm_component set[TEST_COMPONENTS];
    uint32_t n = pick_set(made, set, random);
    (void)hm_world_create_n(&made->world, set, n, test_random_below(random, BURST), NULL, NULL);
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_world *world = &made->world;
    uint32_t count = hm_world_count(world);
    hm_component component = made->components[test_random_below(random, TEST_COMPONENTS)];
    hm_handle entity = HM_NULL_HANDLE;
    if (count > 0)
        entity = hm_id_table_handle_at(&world->ids, test_random_below(random, count));
    if (choice < 30)
        saved_age(&world->ids, random);
    else if (choice < 60)
        (void)hm_world_adopt(world,
                             saved_adoptee(world->ids.slot_count, world->ids.type_id, random));
    else if (choice < 250)
        (void)hm_world_destroy(world, entity);
    else if (choice < 400)
        (void)hm_world_add(world, entity, component, NULL);
    else if (choice < 500)
        (void)hm_world_remove(world, entity, component, NULL);
    else if (choice < 600)
        change_values(made, entity, random);
    else if (choice < 630)
        create_some(made, random);
    else
        return 1;
    return 0;
}

/* Archetypes are in the order of before only until one is made: a file that is saved again shows
 * it. */
static void compare(const saved *a, const saved *b)
{
    const hm_world *world = &a->world, *other = &b->world;
    saved_compare_ids(&world->ids, &other->ids);
    for (uint32_t k = 0; k < hm_world_count(world); k++) {
        hm_handle entity = hm_id_table_handle_at(&world->ids, k);
        for (uint32_t i = 0; i < TEST_COMPONENTS; i++) {
            const void *value = hm_world_get(world, entity, a->components[i]),
                       *same = hm_world_get(other, entity, b->components[i]);
            CHECK(hm_world_has(world, entity, a->components[i]) ==
                  hm_world_has(other, entity, b->components[i]));
            CHECK((value != NULL) == (same != NULL));
            CHECK(value == NULL || memcmp(value, same, components[i].size) == 0);
        }
    }
}

/* What a descriptor has that a world's has too. */
static hm_world_save_desc desc_of(const hm_save_desc *desc)
{
    if (desc == NULL)
        return (hm_world_save_desc){.name = NULL};
    CHECK(desc->encode == NULL && desc->decode == NULL);
    return (hm_world_save_desc){.name = desc->name,
                                .max_count = desc->max_count,
                                .max_slots = desc->max_slots,
                                .context = desc->context,
                                .position = desc->position,
                                .filter = desc->filter,
                                .max_size = desc->max_size};
}

static hm_status save_world(const saved *made, const hm_save_desc *desc, hm_sink sink)
{
    const hm_world_save_desc with = desc_of(desc);
    return hm_world_save(&made->world, &with, sink);
}

static hm_status load_world(saved *made, const hm_save_desc *desc, hm_source source)
{
    const hm_world_save_desc with = desc_of(desc);
    return hm_world_load(&made->world, &with, source);
}

static hm_status save_changes_world(const hm_history *history, const saved *made,
                                    const hm_save_desc *desc, uint64_t from, uint64_t to,
                                    hm_sink sink)
{
    const hm_world_save_desc with = desc_of(desc);
    return hm_world_save_changes(&made->world, history, &with, from, to, sink);
}

static hm_status save_values_world(const saved *made, const hm_save_desc *desc,
                                   const hm_handle *handles, uint32_t n, hm_sink sink)
{
    const hm_world_save_desc with = desc_of(desc);
    return hm_world_save_values(&made->world, &with, handles, n, sink);
}

static hm_status load_changes_world(saved *made, const hm_save_desc *desc, hm_source source)
{
    const hm_world_save_desc with = desc_of(desc);
    return hm_world_load_changes(&made->world, &with, source);
}

SAVED_ROW(world)

/* SPDX-License-Identifier: MIT */
/* HM_COMPONENT_DEFINE and HM_COMPONENT_DEFINE_TAG, as C11 and, through typed_cpp_test.cpp, as
 * C++17. checks/typed.sh looks here for the typed form of each function of world.h that takes a
 * component; checks/types.sh shows that a component of another type does not compile. */
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <string.h>

struct place {
    float x, y;
};

struct halo {
    double radius;
    int number;
};

HM_COMPONENT_DEFINE(place, struct place)
HM_COMPONENT_DEFINE(halo, struct halo)
HM_COMPONENT_DEFINE_TAG(frozen)
HM_COMMANDS_DEFINE(place, struct place)
HM_COMMANDS_DEFINE_TAG(frozen)
/* Defined and never used: must not cause a warning. */
HM_COMPONENT_DEFINE(idle, int)
HM_COMPONENT_DEFINE_TAG(unused)
HM_COMMANDS_DEFINE(idle, int)
HM_COMMANDS_DEFINE_TAG(unused)

static hm_world world;

static void make_world(void)
{
    hm_world_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.capacity = 100;
    CHECK(hm_world_init(&world, &desc) == HM_OK);
}

static int falling(const void *a, const void *b, void *context)
{
    const struct place *first = HM_CAST(const struct place *, a);
    const struct place *second = HM_CAST(const struct place *, b);
    (void)context;
    return (first->x < second->x) - (first->x > second->x);
}

static uint64_t rising(const void *value, void *context)
{
    (void)context;
    return HM_CAST(uint64_t, HM_CAST(const struct place *, value)->x);
}

TEST(world_typed, a_component_knows_size_alignment_and_name)
{
    hm_component_desc desc;
    hm_handle entity;
    make_world();
    {
        halo_component halo = halo_component_init(&world);
        frozen_component frozen = frozen_component_init(&world);
        CHECK(!halo_component_is_null(halo) && !frozen_component_is_null(frozen));
        entity = hm_world_create(&world, &halo.id, 1);
        CHECK(HM_POINTER_CAST(uintptr_t, halo_get(&world, entity, halo)) % 8 == 0);
        CHECK(frozen_component_init_desc(&world, NULL).id == frozen.id);
        CHECK(hm_world_add(&world, entity, frozen.id, &desc) == HM_ERROR_INVALID);
        CHECK(strstr(hm_last_error(), "frozen is a tag") != NULL);
    }
    memset(&desc, 0, sizeof desc);
    desc.size = 1;
    desc.align = 4096;
    desc.name = "spot";
    desc.storage = HM_COMPONENT_SPARSE;
    {
        struct place value = {1, 2};
        place_component spot = place_component_init_desc(&world, &desc);
        CHECK(!place_component_is_null(spot));
        CHECK(place_add(&world, entity, spot, &value) == HM_OK);
        CHECK(place_get(&world, entity, spot)->y == 2);
    }
    hm_world_fini(&world);
}

TEST(world_typed, each_function_does_what_the_untyped_one_does)
{
    hm_handle entities[10];
    hm_order order;
    place_component place;
    frozen_component frozen;
    uint64_t before;
    uint32_t thawed = 0;
    bool removed = false;
    int i;
    make_world();
    place = place_component_init(&world);
    frozen = frozen_component_init(&world);
    for (i = 0; i < 10; i++) {
        struct place value = {HM_CAST(float, i), 0};
        entities[i] = hm_world_create(&world, NULL, 0);
        CHECK(!place_has(&world, entities[i], place));
        CHECK(place_add(&world, entities[i], place, &value) == HM_OK);
        CHECK(place_has(&world, entities[i], place));
        CHECK(place_get(&world, entities[i], place)->x == HM_CAST(float, i));
    }
    before = hm_world_clock(&world);
    CHECK(place_changed(&world, entities[3], place) <= before);
    place_touch(&world, entities[3], place);
    CHECK(place_changed(&world, entities[3], place) > before);
    before = hm_world_clock(&world);
    place_touch_all(&world, place);
    CHECK(place_changed(&world, entities[4], place) > before);

    memset(&order, 0, sizeof order);
    order.compare = falling;
    CHECK(place_defragment(&world, place, &order, NULL).done);
    for (i = 1; i < 10; i++)
        CHECK(place_get(&world, entities[i], place) < place_get(&world, entities[i - 1], place));
    memset(&order, 0, sizeof order);
    order.key = rising;
    CHECK(place_defragment(&world, place, &order, NULL).done);
    for (i = 1; i < 10; i++)
        CHECK(place_get(&world, entities[i], place) > place_get(&world, entities[i - 1], place));

    {
        struct place values[3] = {{1, 6}, {1, 7}, {1, 8}};
        struct place *found[3];
        CHECK(place_add_n(&world, entities, 3, place, values) == HM_OK);
        CHECK(place_get_n(&world, entities, 3, place, found) == 3 && found[2]->y == 8);
        CHECK(place_handle_of(&world, found[2], place).bits == entities[2].bits);
        CHECK(place_remove_n(&world, entities, 2, place, NULL) == HM_OK);
        CHECK(!place_has(&world, entities[1], place) && place_has(&world, entities[2], place));
        CHECK(place_add_n(&world, NULL, 0, place, NULL) == HM_OK);
        CHECK(place_get_n(&world, NULL, 0, place, NULL) == 0);
        CHECK(place_remove_n(&world, NULL, 0, place, NULL) == HM_OK);
    }
    CHECK(frozen_add_n(&world, entities, 3, frozen) == HM_OK);
    CHECK(frozen_has(&world, entities[2], frozen) && !frozen_has(&world, entities[3], frozen));
    CHECK(frozen_remove_n(&world, entities, 4, frozen, &thawed) == HM_OK && thawed == 3);
    CHECK(!frozen_has(&world, entities[2], frozen));
    CHECK(frozen_add(&world, entities[5], frozen) == HM_OK);
    CHECK(frozen_has(&world, entities[5], frozen) && !frozen_has(&world, entities[6], frozen));
    CHECK(frozen_changed(&world, entities[5], frozen) == hm_world_clock(&world) ||
          frozen_changed(&world, entities[5], frozen) > before);
    CHECK(frozen_remove(&world, entities[5], frozen, &removed) == HM_OK && removed);
    CHECK(!frozen_has(&world, entities[5], frozen));
    CHECK(place_remove(&world, entities[5], place, NULL) == HM_OK);
    CHECK(place_remove(&world, entities[5], place, &removed) == HM_OK && !removed);
    CHECK(place_get(&world, entities[5], place) == NULL);
    CHECK(hm_world_validate(&world) == HM_OK);
    hm_world_fini(&world);
}

TEST(world_typed, commands_take_typed_components_and_values)
{
    struct place value = {1, 2};
    hm_commands commands;
    place_component place;
    frozen_component frozen;
    hm_handle entity;
    make_world();
    place = place_component_init(&world);
    frozen = frozen_component_init(&world);
    entity = hm_world_create(&world, NULL, 0);
    CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
    CHECK(place_commands_add(&commands, entity, place, &value) == HM_OK);
    CHECK(frozen_commands_add(&commands, entity, frozen) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK);
    CHECK(place_get(&world, entity, place)->y == 2 && frozen_has(&world, entity, frozen));
    CHECK(place_commands_remove(&commands, entity, place) == HM_OK);
    CHECK(frozen_commands_remove(&commands, entity, frozen) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK);
    CHECK(!place_has(&world, entity, place) && !frozen_has(&world, entity, frozen));
    hm_commands_fini(&commands);
    hm_world_fini(&world);
}

static const hm_handle nobody = {0};
static place_component made_place;
static frozen_component made_frozen;

#define NULL_TEST(name, what, call)                                                                \
    DEATH_TEST(world_typed, name##_of_no_##what##_names_the_function)                              \
    {                                                                                              \
        test_expect_panic_of("typed_test.c", #name ": " #what " is NULL");                         \
        (void)(call);                                                                              \
    }

NULL_TEST(place_component_init, world, place_component_init(NULL))
NULL_TEST(place_component_init_desc, world, place_component_init_desc(NULL, NULL))
NULL_TEST(place_get, world, place_get(NULL, HM_NULL_HANDLE, made_place))
NULL_TEST(place_get_n, world, place_get_n(NULL, NULL, 0, made_place, NULL))
NULL_TEST(place_add_n, world, place_add_n(NULL, NULL, 0, made_place, NULL))
NULL_TEST(place_remove_n, world, place_remove_n(NULL, NULL, 0, made_place, NULL))
NULL_TEST(place_handle_of, world, place_handle_of(NULL, NULL, made_place))
NULL_TEST(frozen_add_n, world, frozen_add_n(NULL, NULL, 0, made_frozen))
NULL_TEST(place_has, world, place_has(NULL, HM_NULL_HANDLE, made_place))
NULL_TEST(place_add, world, place_add(NULL, HM_NULL_HANDLE, made_place, NULL))
NULL_TEST(place_remove, world, place_remove(NULL, HM_NULL_HANDLE, made_place, NULL))
NULL_TEST(place_changed, world, place_changed(NULL, HM_NULL_HANDLE, made_place))
NULL_TEST(place_touch, world, (place_touch(NULL, HM_NULL_HANDLE, made_place), 0))
NULL_TEST(place_touch_all, world, (place_touch_all(NULL, made_place), 0))
NULL_TEST(place_defragment, world, place_defragment(NULL, made_place, NULL, NULL))
NULL_TEST(place_commands_add, commands, place_commands_add(NULL, HM_NULL_HANDLE, made_place, NULL))
NULL_TEST(place_commands_remove, commands, place_commands_remove(NULL, HM_NULL_HANDLE, made_place))
NULL_TEST(frozen_commands_add, commands, frozen_commands_add(NULL, HM_NULL_HANDLE, made_frozen))
NULL_TEST(frozen_add, world, frozen_add(NULL, HM_NULL_HANDLE, made_frozen))

/* Without entities, or a place for what is found. */
#define ARRAY_TEST(name, array, call)                                                              \
    DEATH_TEST(world_typed, name##_without_##array##_names_the_function)                           \
    {                                                                                              \
        struct place *found[1];                                                                    \
        (void)found;                                                                               \
        make_world();                                                                              \
        test_expect_panic_of("typed_test.c", #name ": " #array " is NULL");                        \
        (void)(call);                                                                              \
    }

ARRAY_TEST(place_get_n, entities, place_get_n(&world, NULL, 1, made_place, found))
ARRAY_TEST(place_get_n, values, place_get_n(&world, &nobody, 1, made_place, NULL))
ARRAY_TEST(place_add_n, entities, place_add_n(&world, NULL, 1, made_place, NULL))
ARRAY_TEST(place_remove_n, entities, place_remove_n(&world, NULL, 1, made_place, NULL))
ARRAY_TEST(frozen_add_n, entities, frozen_add_n(&world, NULL, 1, made_frozen))

DEATH_TEST(world_typed, defragment_without_order_names_the_function)
{
    make_world();
    test_expect_panic_of("typed_test.c", "place_defragment: the order has neither");
    (void)place_defragment(&world, made_place, NULL, NULL);
}

DEATH_TEST(world_typed, defragment_by_neither_names_the_function)
{
    hm_order nothing;
    memset(&nothing, 0, sizeof nothing);
    make_world();
    test_expect_panic_of("typed_test.c", "place_defragment: the order has neither");
    (void)place_defragment(&world, made_place, &nothing, NULL);
}

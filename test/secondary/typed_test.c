/* SPDX-License-Identifier: MIT */
/* HM_SECONDARY_DEFINE over the handles of a map and of a pool. typed/typed_test.c calls every typed
 * function; checks/types.sh shows that another container's handle does not compile. */
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <string.h>

struct unit {
    int number;
};

struct armour {
    double strength;
    int number;
};

struct halo {
    _Alignas(64) unsigned char pixels[192];
};

HM_MAP_DEFINE(unit, struct unit, 3)
HM_POOL_DEFINE(flame, struct unit, 4)
HM_SECONDARY_DEFINE(armour, unit, struct armour)
HM_SECONDARY_DEFINE(halo, unit, struct halo)
HM_SECONDARY_DEFINE(heat, flame, float)
HM_HANDLE_DEFINE(hero)
HM_SECONDARY_DEFINE(renown, hero, int)
/* Defined and never used: must not cause a warning. */
HM_SECONDARY_DEFINE(idle, flame, long)

enum { UNITS = 100 };

TEST(secondary_typed, init_knows_size_alignment_and_name)
{
    armour_secondary armours;
    CHECK(armour_secondary_init(&armours, 5, 3) == HM_OK);
    CHECK(hm_secondary_capacity(&armours.secondary) == 5);
    CHECK(armours.secondary.value_size == sizeof(struct armour));
    CHECK(strcmp(armours.secondary.name, "armour") == 0);
    armour_secondary_fini(&armours);
    armour_secondary_fini(&armours);
    CHECK(armour_secondary_init(&armours, UINT32_MAX, 3) == HM_ERROR_INVALID);
    CHECK(armour_secondary_count(&armours) == 0);
}

TEST(secondary_typed, init_for_takes_the_rest_from_the_owners)
{
    unit_map units;
    flame_pool flames;
    armour_secondary armours;
    heat_secondary heats;
    hm_map_desc desc = {.capacity = 20, .max_slots = 4000000};
    CHECK(unit_map_init_desc(&units, &desc) == HM_OK && flame_pool_init(&flames, 30) == HM_OK);
    CHECK(armour_secondary_init_for(&armours, 5, unit_map_as_owners(&units)) == HM_OK);
    CHECK(heat_secondary_init_for(&heats, 0, flame_pool_as_owners(&flames)) == HM_OK);
    CHECK(armour_secondary_capacity(&armours) == 5 && heat_secondary_capacity(&heats) == 30);
    CHECK(strcmp(armours.secondary.name, "armour") == 0);
    unit_handle late = {hm_handle_pack(3999999, 1, 3)};
    CHECK(armour_secondary_set(&armours, late, NULL) != NULL);
    CHECK(heat_secondary_set(&heats, flame_pool_insert(&flames, NULL), NULL) != NULL);
    armour_secondary_fini(&armours);
    heat_secondary_fini(&heats);
    flame_pool_fini(&flames);
    unit_map_fini(&units);
    CHECK(armour_secondary_init_for(&armours, 5, unit_map_as_owners(&units)) == HM_ERROR_INVALID);
    CHECK(armour_secondary_capacity(&armours) == 0);
    CHECK(armour_secondary_init_for(NULL, 5, unit_map_as_owners(&units)) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "armour_secondary_init_for: secondary is NULL") == 0);
}

TEST(secondary_typed, entities_of_a_world_are_owners)
{
    hm_world world;
    renown_secondary renown;
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 20, .type_id = 9}) == HM_OK);
    CHECK(renown_secondary_init_for(&renown, 0, hm_world_as_owners(&world)) == HM_OK);
    hero_handle hero = {hm_world_create(&world, NULL, 0)};
    CHECK(renown_secondary_set(&renown, hero, &(int){5}) != NULL);
    CHECK(renown_secondary_capacity(&renown) == 20);
    renown_secondary_fini(&renown);
    hm_world_fini(&world);
}

TEST(secondary_typed, init_desc_overrides_size_and_alignment)
{
    halo_secondary halos;
    hm_secondary_desc desc = {.value_size = 1, .value_align = 1, .capacity = 7, .type_id = 3};
    desc.name = "halos";
    CHECK(halo_secondary_init_desc(&halos, &desc) == HM_OK);
    CHECK(strcmp(halos.secondary.name, "halos") == 0);
    for (uint32_t i = 0; i < 7; i++) {
        unit_handle unit = {hm_handle_pack(i, 1, 3)};
        struct halo *halo = halo_secondary_set(&halos, unit, NULL);
        CHECK(halo != NULL && (uintptr_t)halo % 64 == 0);
        CHECK(halo == halo_secondary_values(&halos) + i);
    }
    CHECK(halo_secondary_set(&halos, (unit_handle){hm_handle_pack(7, 1, 3)}, NULL) == NULL);
    halo_secondary_fini(&halos);
}

TEST(secondary_typed, values_follow_the_units_of_a_map)
{
    unit_map units;
    armour_secondary armours;
    unit_handle handles[UNITS];
    CHECK(unit_map_init(&units, UNITS) == HM_OK);
    CHECK(armour_secondary_init(&armours, UNITS, 3) == HM_OK);
    for (int i = 0; i < UNITS; i++) {
        handles[i] = unit_map_insert(&units, &(struct unit){i});
        struct armour armour = {.strength = i / 2.0, .number = i};
        CHECK(armour_secondary_set(&armours, handles[i], &armour) != NULL);
    }
    for (uint32_t i = 0; i < armour_secondary_count(&armours); i++) {
        const struct armour *armour = &armour_secondary_values(&armours)[i];
        const struct unit *unit = unit_map_get(&units, armour_secondary_owner_at(&armours, i));
        CHECK(unit != NULL && unit->number == armour->number);
    }
    CHECK(unit_map_erase(&units, handles[3]));
    CHECK(armour_secondary_get(&armours, handles[3])->number == 3);
    unit_handle next = unit_map_insert(&units, NULL);
    CHECK(hm_handle_index(next.id) == hm_handle_index(handles[3].id));
    CHECK(armour_secondary_get(&armours, next) == NULL);
    CHECK(armour_secondary_set(&armours, next, NULL)->number == 0);
    CHECK(!armour_secondary_contains(&armours, handles[3]));
    CHECK(armour_secondary_remove(&armours, next) && !armour_secondary_remove(&armours, next));
    CHECK(armour_secondary_validate(&armours) == HM_OK);
    armour_secondary_fini(&armours);
    unit_map_fini(&units);
}

TEST(secondary_typed, the_owners_of_a_pool_have_another_type_id)
{
    flame_pool flames;
    heat_secondary heats;
    CHECK(flame_pool_init(&flames, 10) == HM_OK && heat_secondary_init(&heats, 10, 4) == HM_OK);
    flame_handle flame = flame_pool_insert(&flames, NULL);
    const float hot = 900;
    CHECK(heat_secondary_set(&heats, flame, &hot) != NULL);
    CHECK(*heat_secondary_get(&heats, flame) == 900);
    flame_handle foreign = {hm_handle_pack(0, 1, 3)};
    CHECK(heat_secondary_set(&heats, foreign, &hot) == NULL);
    heat_secondary_fini(&heats);
    flame_pool_fini(&flames);
}

/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to values that were removed or moved: AddressSanitizer reports each. */
#include "support/misuse.h"
#include "support/world.h"

enum { ROWS = 100 };

typedef struct scene {
    hm_world world;
    hm_component particles, tag;
    hm_handle entities[ROWS];
} scene;

static void start(scene *on)
{
    on->world = make_world((hm_world_desc){.capacity = 1000});
    on->particles = make_component(&on->world, (hm_component_desc){.size = sizeof(particle)});
    on->tag = make_tag(&on->world);
    CHECK(hm_world_create_n(&on->world, &on->particles, 1, ROWS, NULL, on->entities) == HM_OK);
}

static particle *particle_of(scene *on, int i)
{
    particle *value = hm_world_get(&on->world, on->entities[i], on->particles);
    CHECK(value != NULL);
    return value;
}

static bool is_poisoned(const particle *value)
{
    return __asan_address_is_poisoned(&value->words[0]) &&
           __asan_address_is_poisoned(&value->words[2]);
}

DEATH_TEST(world_misuse, the_last_value_of_an_archetype_is_read_after_destroy)
{
    scene on;
    start(&on);
    particle *stale = particle_of(&on, ROWS - 1);
    CHECK(hm_world_destroy(&on.world, on.entities[ROWS - 1]));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, a_moved_value_is_read_at_its_old_place)
{
    scene on;
    start(&on);
    particle *stale = particle_of(&on, ROWS - 1);
    CHECK(hm_world_destroy(&on.world, on.entities[3]));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, the_last_value_is_read_after_its_entity_has_got_a_tag)
{
    scene on;
    start(&on);
    particle *stale = particle_of(&on, ROWS - 1);
    CHECK(hm_world_add(&on.world, on.entities[ROWS - 1], on.tag, NULL) == HM_OK);
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, the_only_value_of_an_archetype_is_read_after_destroy)
{
    scene on;
    start(&on);
    hm_component both[] = {on.particles, on.tag};
    hm_handle entity = hm_world_create(&on.world, both, 2);
    particle *stale = hm_world_get(&on.world, entity, on.particles);
    CHECK(hm_world_destroy(&on.world, entity));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, a_value_is_read_after_clear)
{
    scene on;
    start(&on);
    particle *stale = particle_of(&on, 0);
    hm_world_clear(&on.world);
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, a_value_is_read_after_clear_and_trim)
{
    scene on;
    start(&on);
    hm_component both[] = {on.particles, on.tag};
    hm_handle entity = hm_world_create(&on.world, both, 2);
    particle *stale = particle_of(&on, 0);
    CHECK(hm_world_destroy_n(&on.world, on.entities, ROWS) == ROWS);
    CHECK(hm_world_trim(&on.world) == HM_OK && hm_world_contains(&on.world, entity));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, a_sparse_value_is_read_after_its_removal)
{
    scene on;
    start(&on);
    hm_component sparse = make_component(
        &on.world, (hm_component_desc){.size = sizeof(particle), .storage = HM_COMPONENT_SPARSE});
    CHECK(hm_world_add(&on.world, on.entities[0], sparse, NULL) == HM_OK);
    particle *stale = hm_world_get(&on.world, on.entities[0], sparse);
    CHECK(hm_world_remove(&on.world, on.entities[0], sparse) == HM_OK);
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(world_misuse, a_loop_runs_past_the_last_value)
{
    scene on;
    start(&on);
    particle *last = particle_of(&on, ROWS - 1);
    read_word(last->words);
    expect_report();
    read_word(last[1].words);
}

TEST(world_misuse, every_value_that_goes_is_poisoned_and_every_value_that_comes_is_not)
{
    scene on;
    start(&on);
    particle *places[ROWS];
    for (int i = 0; i < ROWS; i++) {
        places[i] = particle_of(&on, i);
        CHECK(__asan_region_is_poisoned(places[i], sizeof(particle)) == NULL);
    }
    for (int i = ROWS; i-- > 0;) {
        CHECK(hm_world_destroy(&on.world, on.entities[i]));
        CHECK(is_poisoned(places[i]) && (i == 0 || !is_poisoned(places[i - 1])));
    }
    CHECK(hm_world_create_n(&on.world, &on.particles, 1, ROWS, NULL, on.entities) == HM_OK);
    for (int i = 0; i < ROWS; i++)
        CHECK(__asan_region_is_poisoned(particle_of(&on, i), sizeof(particle)) == NULL);
    for (int i = 0; i < ROWS; i++)
        places[i] = particle_of(&on, i);
    hm_world_clear(&on.world);
    for (int i = 0; i < ROWS; i++)
        CHECK(is_poisoned(places[i]));
    finish_world(&on.world);
}

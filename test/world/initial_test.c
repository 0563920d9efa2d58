/* SPDX-License-Identifier: MIT */
/* Components with an initial value: it is there whichever way a component arrives without one. */
#include "../support/last_error.h"
#include "../support/world.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

enum { SEVEN = 7, PAIRS = 1000 };

typedef struct scene {
    hm_world world;
    hm_component kinds[3]; /* in archetypes, with a destroy hook too, and sparse */
    hm_component plain;    /* without an initial value */
    int destroyed;         /* the last value that the hook was given */
} scene;

static void note_destroyed(void *value, void *context)
{
    scene *on = context;
    on->destroyed = *(int *)value;
}

static void begin(scene *on)
{
    static const int initial = SEVEN;
    on->world = make_world((hm_world_desc){0});
    on->destroyed = 0;
    hm_component_desc desc = {.size = sizeof(int), .initial = &initial};
    on->kinds[0] = make_component(&on->world, desc);
    desc.destroy = note_destroyed;
    desc.context = on;
    on->kinds[1] = make_component(&on->world, desc);
    desc.storage = HM_COMPONENT_SPARSE;
    on->kinds[2] = make_component(&on->world, desc);
    on->plain = make_int(&on->world);
}

static bool has(const scene *on, hm_handle entity, int value)
{
    for (int i = 0; i < 3; i++)
        if (value_of(&on->world, entity, on->kinds[i]) != value)
            return false;
    return true;
}

/* Gives all three components another value. */
static void overwrite(scene *on, hm_handle entity)
{
    for (int i = 0; i < 3; i++)
        give(&on->world, entity, on->kinds[i], 1);
}

TEST(world_initial, commands_give_it)
{
    scene on;
    hm_commands commands;
    begin(&on);
    CHECK(hm_commands_init(&commands, &on.world, NULL) == HM_OK);
    CHECK(hm_world_reserve(&on.world, 1) == HM_OK);
    hm_handle made = hm_commands_create(&commands, on.kinds, 3);
    hm_handle single = hm_world_create(&on.world, NULL, 0);
    hm_handle joined = hm_world_create(&on.world, on.kinds, 3), many[PAIRS];
    CHECK(hm_world_create_n(&on.world, NULL, 0, PAIRS, NULL, many) == HM_OK);
    overwrite(&on, joined);
    CHECK(hm_commands_add(&commands, single, on.kinds[0], NULL) == HM_OK);
    for (int i = 0; i < 3; i++)
        CHECK(hm_commands_add(&commands, joined, on.kinds[i], NULL) == HM_OK);
    for (int i = 0; i < PAIRS; i++)
        CHECK(hm_commands_add(&commands, many[i], on.kinds[0], NULL) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK && on.destroyed == 1);
    CHECK(has(&on, made, SEVEN) && has(&on, joined, SEVEN));
    CHECK(value_of(&on.world, single, on.kinds[0]) == SEVEN);
    for (int i = 0; i < PAIRS; i++)
        CHECK(value_of(&on.world, many[i], on.kinds[0]) == SEVEN);
    /* A value that comes and goes within the commands is seen by its hook. */
    CHECK(hm_commands_add(&commands, single, on.kinds[1], NULL) == HM_OK);
    CHECK(hm_commands_remove(&commands, single, on.kinds[1]) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK && on.destroyed == SEVEN);
    hm_commands_fini(&commands);
    finish_world(&on.world);
}

TEST(world_initial, a_query_gives_it_to_all_that_match)
{
    scene on;
    hm_query query;
    hm_handle many[PAIRS];
    begin(&on);
    CHECK(hm_world_create_n(&on.world, &on.plain, 1, PAIRS, NULL, many) == HM_OK);
    const hm_query_desc desc = {.all = &on.plain, .all_count = 1};
    CHECK(hm_query_init(&query, &on.world, &desc) == HM_OK);
    /* First without the sparse one, then with it; each time they are there already afterwards. */
    for (uint32_t round = 0; round < 4; round++) {
        uint32_t n = round < 2 ? 2 : 3;
        CHECK(hm_query_change(&query, on.kinds, n, NULL, 0, NULL) == HM_OK);
        for (int i = 0; i < PAIRS; i++)
            for (uint32_t k = 0; k < n; k++) {
                CHECK(value_of(&on.world, many[i], on.kinds[k]) == SEVEN);
                give(&on.world, many[i], on.kinds[k], 1);
            }
    }
    hm_query_fini(&query);
    finish_world(&on.world);
}

TEST(world_initial, a_tag_has_none)
{
    hm_world world = make_world((hm_world_desc){0});
    const int initial = SEVEN;
    CHECK(hm_world_component(&world, &(hm_component_desc){.initial = &initial}) ==
          HM_INVALID_INDEX);
    CHECK(says("a tag has no value, and no initial one"));
    finish_world(&world);
}

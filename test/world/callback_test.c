/* SPDX-License-Identifier: MIT */
/* The destroy hooks of components: once for each live value, while the entity is complete and in
 * its new archetype. matrix/callback_test.c shows what they may not do. */
#include "support/world.h"

enum { VALUES = 64 };

/* A value is a number below VALUES; the hook notes for each what it has seen. */
typedef struct scene {
    hm_world world;
    hm_component a, b, x, y; /* with hooks; x and y are sparse */
    hm_component plain, tag;
    hm_handle entity;           /* of the value whose hook runs */
    hm_component present, gone; /* what the entity must have then, and must not; 0: not asked */
    uint32_t destroyed[VALUES], calls;
} scene;

static void note(void *value, void *context)
{
    scene *on = context;
    int number = *(const int *)value;
    CHECK(number >= 0 && number < VALUES);
    on->destroyed[number]++;
    on->calls++;
    CHECK(hm_world_validate(&on->world) == HM_OK);
    if (hm_handle_is_null(on->entity))
        return;
    CHECK(hm_world_contains(&on->world, on->entity));
    CHECK(on->present == 0 || hm_world_has(&on->world, on->entity, on->present));
    CHECK(on->gone == 0 || !hm_world_has(&on->world, on->entity, on->gone));
    CHECK(on->gone == 0 || hm_world_get(&on->world, on->entity, on->gone) == NULL);
}

static hm_component make_hooked(scene *on, hm_component_storage storage)
{
    return make_component(
        &on->world, (hm_component_desc){
                        .size = sizeof(int), .destroy = note, .context = on, .storage = storage});
}

static void start(scene *on)
{
    *on = (scene){.world = make_world((hm_world_desc){.name = "stage"})};
    on->a = make_hooked(on, HM_COMPONENT_ARCHETYPE);
    on->plain = make_int(&on->world);
    on->x = make_hooked(on, HM_COMPONENT_SPARSE);
    on->tag = make_tag(&on->world);
    on->b = make_hooked(on, HM_COMPONENT_ARCHETYPE);
    on->y = make_hooked(on, HM_COMPONENT_SPARSE);
}

/* Creates an entity with these values of a, b, x and y, and with all other components. */
static hm_handle make_full(scene *on, int first)
{
    hm_component set[] = {on->y, on->b, on->plain, on->a, on->x, on->tag};
    hm_handle entity = hm_world_create(&on->world, set, 6);
    *(int *)hm_world_get(&on->world, entity, on->a) = first;
    *(int *)hm_world_get(&on->world, entity, on->b) = first + 1;
    *(int *)hm_world_get(&on->world, entity, on->x) = first + 2;
    *(int *)hm_world_get(&on->world, entity, on->y) = first + 3;
    return entity;
}

/* Each of these values was destroyed once, and no other one. */
static void check_destroyed(scene *on, int first, int count)
{
    for (int i = 0; i < VALUES; i++)
        CHECK(on->destroyed[i] == (i >= first && i < first + count ? 1U : 0U));
    memset(on->destroyed, 0, sizeof on->destroyed);
}

/* The entity is the second of three. */
static void start_between(scene *on)
{
    start(on);
    make_full(on, 0);
    on->entity = make_full(on, 4);
    make_full(on, 8);
}

TEST(world_callback, destroy_calls_each_hook_once_while_the_entity_is_complete)
{
    scene on;
    start_between(&on);
    const hm_component all[] = {on.a, on.b, on.x, on.y, on.plain, on.tag};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        on.present = all[i];
        CHECK(hm_world_destroy(&on.world, on.entity));
        check_destroyed(&on, 4, 4);
        on.entity = make_full(&on, 4);
    }
    on.present = 0;
    on.entity = HM_NULL_HANDLE;
    hm_world_fini(&on.world);
    check_destroyed(&on, 0, 12);
}

TEST(world_callback, remove_calls_the_hook_when_the_entity_is_in_its_new_archetype)
{
    scene on;
    start_between(&on);
    on.gone = on.a;
    on.present = on.b;
    CHECK(hm_world_remove(&on.world, on.entity, on.a, NULL) == HM_OK);
    check_destroyed(&on, 4, 1);
    CHECK(hm_world_remove(&on.world, on.entity, on.a, NULL) == HM_OK);
    check_destroyed(&on, 0, 0);
    on.gone = 0;
    CHECK(hm_world_remove(&on.world, on.entity, on.x, NULL) == HM_OK);
    check_destroyed(&on, 6, 1);
    CHECK(hm_world_remove(&on.world, on.entity, on.plain, NULL) == HM_OK);
    CHECK(hm_world_remove(&on.world, on.entity, on.tag, NULL) == HM_OK);
    check_destroyed(&on, 0, 0);
    CHECK(value_of(&on.world, on.entity, on.b) == 5 && value_of(&on.world, on.entity, on.y) == 7);
    on.present = 0;
    CHECK(hm_world_destroy(&on.world, on.entity));
    CHECK(on.destroyed[5] == 1 && on.destroyed[7] == 1 && on.calls == 4);
    on.entity = HM_NULL_HANDLE;
    finish_world(&on.world);
}

TEST(world_callback, add_calls_the_hook_of_the_value_that_it_replaces)
{
    scene on;
    start(&on);
    on.entity = make_full(&on, 4);
    on.present = on.a;
    give(&on.world, on.entity, on.a, 20);
    check_destroyed(&on, 4, 1);
    CHECK(hm_world_add(&on.world, on.entity, on.a, NULL) == HM_OK);
    check_destroyed(&on, 20, 1);
    give(&on.world, on.entity, on.x, 21);
    check_destroyed(&on, 6, 1);
    CHECK(hm_world_add(&on.world, on.entity, on.x, NULL) == HM_OK);
    check_destroyed(&on, 21, 1);
    CHECK(value_of(&on.world, on.entity, on.x) == 0 && value_of(&on.world, on.entity, on.a) == 0);
    give(&on.world, on.entity, on.x, 6);
    give(&on.world, on.entity, on.a, 4);
    memset(on.destroyed, 0, sizeof on.destroyed);
    finish_world(&on.world);
    check_destroyed(&on, 4, 4);
}

TEST(world_callback, change_calls_the_hooks_of_what_goes_and_of_what_is_replaced)
{
    scene on;
    start(&on);
    hm_component both[] = {on.b, on.a};
    on.entity = hm_world_create(&on.world, both, 2);
    give(&on.world, on.entity, on.a, 30);
    give(&on.world, on.entity, on.b, 31);
    memset(on.destroyed, 0, sizeof on.destroyed);
    hm_component more[] = {on.x, on.b, on.tag};
    on.gone = on.a;
    on.present = on.x; /* What is added is there when hooks run. */
    CHECK(hm_world_change(&on.world, on.entity, more, 3, &on.a, 1) == HM_OK);
    check_destroyed(&on, 30, 2);
    CHECK(value_of(&on.world, on.entity, on.b) == 0 && value_of(&on.world, on.entity, on.x) == 0);
    give(&on.world, on.entity, on.x, 33);
    memset(on.destroyed, 0, sizeof on.destroyed);
    on.present = on.y;
    CHECK(hm_world_change(&on.world, on.entity, &on.y, 1, &on.x, 1) == HM_OK);
    check_destroyed(&on, 33, 1);
    on.entity = HM_NULL_HANDLE;
    finish_world(&on.world);
}

TEST(world_callback, a_refused_call_calls_no_hook)
{
    scene on;
    start(&on);
    hm_handle entity = make_full(&on, 0);
    hm_component twice[] = {on.a, on.a};
    CHECK(hm_world_change(&on.world, entity, NULL, 0, twice, 2) == HM_ERROR_INVALID);
    CHECK(hm_world_add(&on.world, HM_NULL_HANDLE, on.a, NULL) == HM_ERROR_STALE);
    CHECK(!hm_world_destroy(&on.world, hm_handle_from_bits(entity.bits + 1)) && on.calls == 0);
    finish_world(&on.world);
    CHECK(on.calls == 4);
}

TEST(world_callback, clear_and_destroy_n_call_the_hook_of_each_value_once)
{
    scene on;
    start(&on);
    hm_handle entities[8];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++)
            entities[i] = make_full(&on, 4 * i);
        if (round == 0)
            hm_world_clear(&on.world);
        else
            CHECK(hm_world_destroy_n(&on.world, entities, 8) == 8);
        check_destroyed(&on, 0, 32);
        CHECK(hm_world_destroy_n(&on.world, entities, 8) == 0 && hm_world_count(&on.world) == 0);
    }
    check_destroyed(&on, 0, 0);
    finish_world(&on.world);
}

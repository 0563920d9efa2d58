/* SPDX-License-Identifier: MIT */
/* The destroy hooks of components: once for each live value, while the entity is complete and in
 * its new archetype; and what they, and the callbacks of an order, may not do. */
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

TEST(world_callback, destroy_calls_each_hook_once_while_the_entity_is_complete)
{
    scene on;
    start(&on);
    make_full(&on, 0);
    on.entity = make_full(&on, 4);
    make_full(&on, 8);
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
    start(&on);
    make_full(&on, 0);
    on.entity = make_full(&on, 4);
    make_full(&on, 8);
    on.gone = on.a;
    on.present = on.b;
    CHECK(hm_world_remove(&on.world, on.entity, on.a) == HM_OK);
    check_destroyed(&on, 4, 1);
    CHECK(hm_world_remove(&on.world, on.entity, on.a) == HM_OK);
    check_destroyed(&on, 0, 0);
    on.gone = 0;
    CHECK(hm_world_remove(&on.world, on.entity, on.x) == HM_OK);
    check_destroyed(&on, 6, 1);
    CHECK(hm_world_remove(&on.world, on.entity, on.plain) == HM_OK);
    CHECK(hm_world_remove(&on.world, on.entity, on.tag) == HM_OK);
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

/* What callbacks may not do */

typedef struct intruder {
    hm_world world, other;
    hm_component a, sparse, elsewhere;
    hm_handle entity;
    uint32_t tries;
} intruder;

/* All that answers with a status, null, false or 0. */
static void try_everything(intruder *self)
{
    hm_world *world = &self->world;
    const hm_component_desc desc = {.size = 4};
    const hm_order order = {.key = int_key};
    uint64_t clock = hm_world_clock(world);
    hm_world_stats before = hm_world_get_stats(world);
    self->tries++;
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_handle_is_null(hm_world_create(world, &self->a, 1)));
    CHECK(strstr(hm_last_error(), "intruded") != NULL);
    CHECK(hm_handle_is_null(hm_world_create(world, NULL, 0)));
    CHECK(hm_world_create_n(world, &self->a, 1, 5, NULL, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_create_n(world, NULL, 0, 0, NULL, NULL) == HM_ERROR_BUSY);
    CHECK(!hm_world_destroy(world, self->entity));
    CHECK(hm_world_destroy_n(world, &self->entity, 1) == 0);
    CHECK(hm_world_add(world, self->entity, self->a, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_add(world, self->entity, self->sparse, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, self->entity, self->a) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, self->entity, self->sparse) == HM_ERROR_BUSY);
    CHECK(hm_world_change(world, self->entity, NULL, 0, &self->a, 1) == HM_ERROR_BUSY);
    CHECK(hm_world_reserve(world, 1) == HM_ERROR_BUSY && hm_world_trim(world) == HM_ERROR_BUSY);
    CHECK(hm_world_component(world, &desc) == HM_INVALID_INDEX);
    CHECK(hm_world_component(world, NULL) == HM_INVALID_INDEX); /* Busy is what it says, too. */
    CHECK(strstr(hm_last_error(), "intruded") != NULL);
    hm_progress progress = hm_world_defragment(world, self->a, &order, (hm_budget){0, 0});
    CHECK(progress.swaps == 0 && progress.compares == 0 && !progress.done);
    hm_world_stats after = hm_world_get_stats(world);
    CHECK(memcmp(&before, &after, sizeof before) == 0 && hm_world_clock(world) == clock);
    /* Another one may be changed. */
    CHECK(hm_world_destroy(&self->other, make_one(&self->other, self->elsewhere, 1)));
}

static void destroy_and_try(void *value, void *context)
{
    (void)value;
    try_everything(context);
}

static uint64_t key_and_try(const void *value, void *context)
{
    try_everything(context);
    return int_key(value, NULL);
}

static int compare_and_try(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    try_everything(context);
    return (left > right) - (left < right);
}

/* Runs one operation that calls back. */
static void run_operation(intruder *self, int operation)
{
    hm_world *world = &self->world;
    const hm_order by_key = {.key = key_and_try, .context = self};
    const hm_order by_compare = {.compare = compare_and_try, .context = self};
    const hm_component component = operation % 2 == 0 ? self->a : self->sparse;
    if (operation < 2)
        CHECK(hm_world_defragment(world, component, &by_key, (hm_budget){0, 0}).done);
    else if (operation < 4)
        CHECK(hm_world_defragment(world, component, &by_compare, (hm_budget){0, 0}).done);
    else if (operation < 6)
        CHECK(hm_world_add(world, self->entity, component, NULL) == HM_OK);
    else if (operation < 8)
        CHECK(hm_world_remove(world, self->entity, component) == HM_OK);
    else if (operation < 10)
        CHECK(hm_world_change(world, self->entity, NULL, 0, &component, 1) == HM_OK);
    else if (operation == 10)
        CHECK(hm_world_destroy(world, self->entity));
    else if (operation == 11)
        CHECK(hm_world_destroy_n(world, &self->entity, 1) == 1);
    else
        hm_world_clear(world);
}

TEST(world_callback, every_change_from_inside_is_refused)
{
    intruder self = {.tries = 0};
    self.world = make_world((hm_world_desc){.name = "intruded"});
    self.other = make_world((hm_world_desc){0});
    hm_component_desc desc = {.size = sizeof(int), .destroy = destroy_and_try, .context = &self};
    self.elsewhere = make_int(&self.other);
    self.a = make_component(&self.world, desc);
    desc.storage = HM_COMPONENT_SPARSE;
    self.sparse = make_component(&self.world, desc);
    for (int operation = 0; operation < 13; operation++) {
        hm_world_clear(&self.world);
        const hm_component both[] = {self.a, self.sparse};
        for (int i = 0; i < 10; i++) {
            self.entity = hm_world_create(&self.world, both, 2);
            *(int *)hm_world_get(&self.world, self.entity, self.a) = 10 - i;
            *(int *)hm_world_get(&self.world, self.entity, self.sparse) = 10 - i;
        }
        uint32_t tries = self.tries;
        run_operation(&self, operation);
        CHECK(self.tries > tries && hm_world_validate(&self.world) == HM_OK);
        CHECK(hm_world_reserve(&self.world, 1) == HM_OK);
        CHECK(hm_world_destroy(&self.world, hm_world_create(&self.world, both, 1)));
    }
    finish_world(&self.world);
    finish_world(&self.other);
}

/* Functions that return nothing panic instead: each of them in each callback. */

typedef struct saboteur {
    hm_world world;
    hm_component component;
    hm_handle entity;
    char act; /* 'c'lear, 'f'ini, 't'ouch or touch 'a'll */
} saboteur;

static void sabotage(saboteur *self)
{
    if (self->act == 'c')
        hm_world_clear(&self->world);
    else if (self->act == 'f')
        hm_world_fini(&self->world);
    else if (self->act == 'a')
        hm_world_touch_all(&self->world, self->component);
    else
        hm_world_touch(&self->world, self->entity, self->component);
}

static void sabotage_destroy(void *value, void *context)
{
    (void)value;
    sabotage(context);
}

static int sabotage_compare(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    sabotage(context);
    return 0;
}

static uint64_t sabotage_key(const void *value, void *context)
{
    (void)value;
    sabotage(context);
    return 0;
}

/* Calls `act` from the callback `from`: 'd'estroy, of a 's'parse value, 'c'ompare or 'k'ey. */
static void act_from(char act, char from)
{
    static saboteur self;
    self.act = act;
    self.world = make_world((hm_world_desc){.name = "armour"});
    self.component = make_component(
        &self.world,
        (hm_component_desc){.size = sizeof(int),
                            .destroy = from == 'd' || from == 's' ? sabotage_destroy : NULL,
                            .context = &self,
                            .storage = from == 's' ? HM_COMPONENT_SPARSE : HM_COMPONENT_ARCHETYPE});
    self.entity = make_one(&self.world, self.component, 1);
    make_one(&self.world, self.component, 0);
    const hm_order order = {.compare = from == 'c' ? sabotage_compare : NULL,
                            .key = from == 'k' ? sabotage_key : NULL,
                            .context = &self};
    if (from == 'd' || from == 's')
        hm_world_destroy(&self.world, self.entity);
    else
        hm_world_defragment(&self.world, self.component, &order, (hm_budget){0, 0});
}

#define PANICS_INSIDE(act, from)                                                                   \
    DEATH_TEST(world_callback, act##_from_##from##_panics)                                         \
    {                                                                                              \
        act_from(#act[0], #from[0]);                                                               \
    }

PANICS_INSIDE(clear, destroy)
PANICS_INSIDE(clear, sparse_destroy)
PANICS_INSIDE(clear, compare)
PANICS_INSIDE(clear, key)
PANICS_INSIDE(fini, destroy)
PANICS_INSIDE(fini, sparse_destroy)
PANICS_INSIDE(fini, compare)
PANICS_INSIDE(fini, key)
PANICS_INSIDE(touch, destroy)
PANICS_INSIDE(touch, sparse_destroy)
PANICS_INSIDE(touch, compare)
PANICS_INSIDE(touch, key)
PANICS_INSIDE(all_touched, destroy)
PANICS_INSIDE(all_touched, sparse_destroy)
PANICS_INSIDE(all_touched, compare)
PANICS_INSIDE(all_touched, key)

DEATH_TEST(world_callback, a_refusal_names_the_function_and_the_world)
{
    test_expect_panic_of("entities.c", "hm_world_clear: called on 'armour'");
    act_from('c', 'd');
}

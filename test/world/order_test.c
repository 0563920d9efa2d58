/* SPDX-License-Identifier: MIT */
/* Bringing the rows of a world's archetypes into an order: all archetypes that have the component,
 * and sparse values, step by step, while the program changes anything between calls. The machinery
 * itself has tests of its own. */
#include "support/world.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

enum { ARCHETYPES = 6, EACH = 700, PATIENCE = 2000000 };

typedef struct scene {
    hm_world world;
    hm_component number, mirror; /* mirror has the same value: it shows that rows stay whole */
    hm_component sparse;         /* so does this one */
    hm_component tags[ARCHETYPES];
    hm_handle entities[ARCHETYPES * EACH];
    uint64_t asked; /* calls of compare */
} scene;

static scene stage;

static int compare_ints(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    if (context != NULL)
        ((scene *)context)->asked++;
    return (left > right) - (left < right);
}

static const hm_order by_key = {.key = int_key};
static const hm_order by_compare = {.compare = compare_ints, .context = &stage};

static int value_for(uint32_t i)
{
    return (int)(i * 739 % (ARCHETYPES * EACH));
}

static void give_all(scene *on, hm_handle entity, int value)
{
    give(&on->world, entity, on->number, value);
    give(&on->world, entity, on->mirror, value);
    give(&on->world, entity, on->sparse, value);
}

/* Entities of several archetypes in turns, and as many more without the component. */
static void start(scene *on)
{
    *on = (scene){.world = make_world((hm_world_desc){0})};
    on->number = make_int(&on->world);
    on->mirror = make_int(&on->world);
    on->sparse = make_sparse(&on->world);
    for (uint32_t i = 0; i < ARCHETYPES; i++)
        on->tags[i] = make_tag(&on->world);
    for (uint32_t i = 0; i < ARCHETYPES * EACH; i++) {
        hm_component set[] = {on->tags[i % ARCHETYPES], on->number, on->mirror};
        on->entities[i] = hm_world_create(&on->world, set, 3);
        give_all(on, on->entities[i], value_for(i));
        make_one(&on->world, on->mirror, 5);
    }
}

/* Whatever the order, each entity has its own values. */
static void check_values(const scene *on)
{
    CHECK(hm_world_validate(&on->world) == HM_OK);
    for (uint32_t i = 0; i < ARCHETYPES * EACH; i++) {
        CHECK(value_of(&on->world, on->entities[i], on->number) == value_for(i));
        CHECK(value_of(&on->world, on->entities[i], on->mirror) == value_for(i));
        CHECK(value_of(&on->world, on->entities[i], on->sparse) == value_for(i));
    }
}

static bool is_in_order(const scene *on, hm_component component)
{
    return world_is_in_order(&on->world, component, int_key, NULL);
}

TEST(world_order, defragment_orders_sparse_values_and_moves_no_row)
{
    start(&stage);
    const int *place = hm_world_get(&stage.world, stage.entities[9], stage.number);
    CHECK(hm_world_defragment(&stage.world, stage.sparse, &by_key, NULL).done);
    CHECK(is_in_order(&stage, stage.sparse) && !is_in_order(&stage, stage.number));
    CHECK(hm_world_get(&stage.world, stage.entities[9], stage.number) == place);
    check_values(&stage);
    finish_world(&stage.world);
}

/* Calls until done, and checks each call against the budget. Returns the sum. */
static hm_progress run_to_the_end(scene *on, hm_component component, hm_frame_budget budget)
{
    hm_progress all = {0};
    for (uint32_t calls = 0; !all.done; calls++) {
        on->asked = 0;
        hm_progress one = hm_world_defragment(&on->world, component, &by_compare, ONCE(budget));
        CHECK(one.compares == on->asked && calls < PATIENCE);
        CHECK(budget.swaps_left == HM_NO_LIMIT || one.swaps <= budget.swaps_left);
        CHECK(budget.compares_left == HM_NO_LIMIT || one.compares <= budget.compares_left);
        all.swaps += one.swaps;
        all.compares += one.compares;
        all.done = one.done;
        if (calls % 1024 == 0)
            CHECK(hm_world_validate(&on->world) == HM_OK);
    }
    return all;
}

/* Two entities out of order in each of more archetypes than a call with a limit looks at. */
TEST(world_order, a_call_without_a_limit_is_done_however_many_archetypes_there_are)
{
    enum { TAGS = 13, MANY = 4100 };
    hm_world world = make_world((hm_world_desc){
        .capacity = 2 * MANY + 1, .max_archetypes = 2 * MANY, .max_size = UINT64_C(16) << 20});
    hm_component number = make_int(&world), tags[TAGS];
    for (uint32_t i = 0; i < TAGS; i++)
        tags[i] = make_tag(&world);
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        hm_component set[1 + TAGS] = {number};
        uint32_t n = 1;
        for (uint32_t tag = 0; tag < TAGS; tag++)
            if ((i / 2 >> tag & 1) != 0)
                set[n++] = tags[tag];
        give(&world, hm_world_create(&world, set, n), number, i % 2 == 0 ? 2 : 1);
    }
    hm_frame_budget limited = test_budget_of(1000000, HM_NO_LIMIT);
    hm_progress progress = hm_world_defragment(&world, number, &by_key, &limited);
    CHECK(!progress.done && progress.swaps == MANY && limited.is_spent); /* not looked at again */
    hm_world_touch_all(&world, number);
    hm_frame_budget unlimited = {HM_NO_LIMIT, HM_NO_LIMIT, false};
    progress = hm_world_defragment(&world, number, &by_key, &unlimited);
    CHECK(progress.done && progress.swaps == 0 && !unlimited.is_spent);
    CHECK(hm_world_defragment(&world, number, &by_key, &limited).done); /* although it is spent */
    (void)make_one(&world, number, 0);
    CHECK(!hm_world_defragment(&world, number, &by_key, &limited).done);
    hm_world_touch_all(&world, number);
    CHECK(hm_world_defragment(&world, number, &by_key, NULL).done);
    finish_world(&world);
}

/* The first chunks of an archetype are small. What is touched behind them is found too. */
TEST(world_order, a_touched_value_is_found_in_every_chunk_of_a_large_archetype)
{
    enum { ROWS = 3000 };
    static hm_handle entities[ROWS];
    hm_world world = make_world((hm_world_desc){0});
    hm_component number = make_int(&world), both[] = {number, HM_INVALID_INDEX};
    both[1] = make_component(&world, (hm_component_desc){.size = 400});
    for (int i = 0; i < ROWS; i++) {
        entities[i] = hm_world_create(&world, both, 2);
        give(&world, entities[i], number, i);
    }
    uint32_t archetype = hm_world_place_archetype(world.places[hm_handle_index(entities[0])]);
    CHECK(world.archetypes[archetype].chunk_count > HM_WORLD_CLASSES + 1);
    CHECK(hm_world_defragment(&world, number, &by_compare, NULL).done);
    for (int i = ROWS - 1; i >= 0; i -= 59) {
        give(&world, entities[i], number, ROWS - i);
        hm_progress progress = hm_world_defragment(&world, number, &by_compare, NULL);
        CHECK(progress.done && world_is_in_order(&world, number, int_key, NULL));
    }
    finish_world(&world);
}

/* Changes the world at random: values, components, entities. */
static void disturb(scene *on, uint64_t *random)
{
    hm_world *world = &on->world;
    hm_handle entity = on->entities[test_random_below(random, ARCHETYPES * EACH)];
    hm_component tag = on->tags[test_random_below(random, ARCHETYPES)];
    int value = (int)test_random_below(random, 10000);
    switch (test_random_below(random, 7)) {
    case 0:
        give(world, make_one(world, on->number, value), on->mirror, value);
        break;
    case 1:
        hm_world_destroy(world, hm_world_handle_at(world, test_random_below(random, 5000)));
        break;
    case 2:
        (void)hm_world_add(world, entity, tag, NULL);
        break;
    case 3:
        (void)hm_world_remove(world, entity, tag, NULL);
        break;
    case 4:
        (void)hm_world_add(world, entity, on->number, &value);
        break;
    case 5:
        (void)hm_world_remove(world, entity, on->number, NULL);
        break;
    default:
        if (value % 100 == 0)
            CHECK(hm_world_trim(world) == HM_OK);
        break;
    }
}

TEST(world_order, the_order_is_reached_again_whatever_changes_between_the_calls)
{
    start(&stage);
    uint64_t random = test_seed("world_order");
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < test_scaled(4000); i++) {
            hm_frame_budget budget = test_budget_of(1 + test_random_below(&random, 30),
                                                    1 + test_random_below(&random, 200));
            disturb(&stage, &random);
            hm_component component = round == 1 ? stage.sparse : stage.number;
            hm_progress progress =
                hm_world_defragment(&stage.world, component, &by_compare, ONCE(budget));
            CHECK(!progress.done || is_in_order(&stage, component));
            CHECK(i % 64 != 0 || hm_world_validate(&stage.world) == HM_OK);
        }
        hm_component component = round == 1 ? stage.sparse : stage.number;
        run_to_the_end(&stage, component, test_budget_of(100, 1000));
        CHECK(is_in_order(&stage, component));
    }
    finish_world(&stage.world);
}

static uint64_t falling_key(const void *value, void *context)
{
    return UINT32_MAX - int_key(value, context);
}

TEST(world_order, another_order_or_component_begins_anew)
{
    start(&stage);
    hm_world *world = &stage.world;
    const hm_order falling = {.key = falling_key};
    CHECK(hm_world_defragment(world, stage.number, &by_key, NULL).done);
    hm_world_defragment(world, stage.number, &falling, BUDGET(50, HM_NO_LIMIT));
    CHECK(!is_in_order(&stage, stage.number));
    CHECK(hm_world_defragment(world, stage.number, &falling, NULL).done);
    CHECK(world_is_in_order(world, stage.number, falling_key, NULL));
    CHECK(hm_world_defragment(world, stage.number, &by_key, NULL).done);
    CHECK(is_in_order(&stage, stage.number));
    const hm_order elsewhere = {.key = int_key, .context = &stage};
    CHECK(hm_world_defragment(world, stage.number, &elsewhere, NULL).compares > 0);
    CHECK(hm_world_defragment(world, stage.mirror, &falling, NULL).done);
    CHECK(world_is_in_order(world, stage.number, falling_key, NULL));
    check_values(&stage);
    finish_world(world);
}

TEST(world_order, what_leaves_the_archetype_or_the_world_in_the_middle_of_an_order_is_forgotten)
{
    start(&stage);
    hm_world *world = &stage.world;
    hm_world_defragment(world, stage.number, &by_compare, BUDGET(100, HM_NO_LIMIT));
    for (uint32_t i = 0; i < ARCHETYPES * EACH; i += 2)
        CHECK(i % 4 == 0 ? hm_world_destroy(world, stage.entities[i])
                         : hm_world_remove(world, stage.entities[i], stage.number, NULL) == HM_OK);
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(run_to_the_end(&stage, stage.number, test_budget_of(10, 100)).done);
    CHECK(is_in_order(&stage, stage.number));
    hm_world_defragment(world, stage.sparse, &by_compare, BUDGET(100, HM_NO_LIMIT));
    hm_world_clear(world);
    CHECK(hm_world_defragment(world, stage.number, &by_compare, BUDGET(1, 1)).done);
    CHECK(hm_world_defragment(world, stage.sparse, &by_compare, BUDGET(1, 1)).done);
    for (int i = 0; i < 1000; i++)
        make_one(world, stage.number, 1000 - i);
    CHECK(run_to_the_end(&stage, stage.number, test_budget_of(10, 100)).done);
    CHECK(is_in_order(&stage, stage.number));
    finish_world(world);
}

static void ignore(void *value, void *context)
{
    (void)value;
    (void)context;
}

/* Takes a component from all entities that have it, in one change or by equal commands. */
static void take_all(hm_world *world, hm_component component, bool by_commands)
{
    hm_query query;
    hm_query_loop loop;
    hm_view view;
    hm_commands commands;
    const hm_query_desc all = {.all = &component, .all_count = 1};
    CHECK(hm_query_init(&query, world, &all) == HM_OK);
    CHECK(hm_commands_init(&commands, world, NULL) == HM_OK);
    for (hm_query_begin(&query, &loop); by_commands && hm_query_next(&loop, &view);)
        for (uint32_t i = 0; i < view.count; i++)
            CHECK(hm_commands_remove(&commands, view.entities[i], component) == HM_OK);
    hm_query_end(&loop);
    CHECK(hm_commands_apply(&commands) == HM_OK);
    CHECK(hm_query_change(&query, NULL, 0, &component, 1, NULL) == HM_OK);
    hm_commands_fini(&commands);
    hm_query_fini(&query);
}

static void take(hm_world *world, hm_handle entity, hm_component component, int way)
{
    if (way == 0)
        CHECK(hm_world_remove(world, entity, component, NULL) == HM_OK);
    else if (way == 1)
        CHECK(hm_world_change(world, entity, NULL, 0, &component, 1) == HM_OK);
    else
        take_all(world, component, way == 2);
}

/* Defragments by a few steps between any two changes, then to the end. */
TEST(world_order, a_value_may_go_in_the_middle_of_an_order)
{
    enum { ROWS = 300, WAYS = 4 };
    for (int way = 0; way < 2 * WAYS; way += test_scale() < 50 ? 1 : 3) {
        hm_world world = make_world((hm_world_desc){0});
        hm_component number = make_int(&world), other, both[] = {number, HM_INVALID_INDEX};
        hm_handle entities[ROWS];
        other = make_component(&world, (hm_component_desc){.size = sizeof(int),
                                                           .destroy = way < WAYS ? ignore : NULL});
        both[1] = other;
        for (int i = 0; i < ROWS; i++) {
            entities[i] = hm_world_create(&world, both, 2);
            give(&world, entities[i], number, i * 739 % ROWS);
        }
        for (int i = 0; i < ROWS; i += 2) {
            hm_world_defragment(&world, number, &by_compare, BUDGET(2, 30));
            take(&world, entities[i], other, way % WAYS);
            CHECK(hm_world_validate(&world) == HM_OK);
        }
        CHECK(hm_world_defragment(&world, number, &by_compare, NULL).done);
        CHECK(world_is_in_order(&world, number, int_key, NULL));
        for (int i = 0; i < ROWS; i++)
            CHECK(value_of(&world, entities[i], number) == i * 739 % ROWS);
        finish_world(&world);
    }
}

TEST(world_order, an_archetype_may_grow_in_the_middle_of_an_order)
{
    enum { ROWS = 600 };
    hm_world world = make_world((hm_world_desc){0});
    hm_component number = make_int(&world), both[] = {number, HM_INVALID_INDEX};
    both[1] = make_component(&world, (hm_component_desc){.size = 400});
    for (int i = 0; i < ROWS; i++) {
        hm_handle entity = hm_world_create(&world, both, 2);
        give(&world, entity, number, i * 739 % ROWS);
        hm_world_defragment(&world, number, &by_compare, BUDGET(1, 3));
        CHECK(hm_world_validate(&world) == HM_OK);
    }
    CHECK(hm_world_defragment(&world, number, &by_compare, NULL).done);
    CHECK(world_is_in_order(&world, number, int_key, NULL));
    finish_world(&world);
}

/* Trim ends what an order is in the middle of, and so it moves values. */
TEST(world_order, a_trim_that_places_sparse_values_tells_the_clock)
{
    enum { VALUES = 40 };
    uint32_t moved = 0;
    for (int calls = 1; calls < VALUES; calls++) {
        hm_world world = make_world((hm_world_desc){0});
        hm_component sparse = make_sparse(&world);
        const hm_secondary *values = hm_world_sparse(&world, sparse - world.salt);
        hm_handle entity = HM_NULL_HANDLE;
        for (int i = 0; i < VALUES; i++) {
            entity = hm_world_create(&world, NULL, 0);
            give(&world, entity, sparse, i * 17 % VALUES);
        }
        for (int call = 0; call < calls; call++)
            hm_world_defragment(&world, sparse, &by_key, BUDGET(1, HM_NO_LIMIT));
        int before[VALUES];
        memcpy(before, hm_secondary_values(values), sizeof before);
        uint64_t clock = hm_world_clock(&world);
        CHECK(hm_world_trim(&world) == HM_OK);
        bool moves = memcmp(before, hm_secondary_values(values), sizeof before) != 0;
        CHECK(!moves || hm_world_changed(&world, entity, sparse) > clock);
        moved += moves;
        finish_world(&world);
    }
    CHECK(moved > 0);
}

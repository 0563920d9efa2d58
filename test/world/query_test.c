/* SPDX-License-Identifier: MIT */
/* What queries visit, and how: views and their columns, archetypes that come and go, which side is
 * walked. Loops are in query_loop_test.c, what has changed since in query_touch_test.c. */
#include "support/memory.h"
#include "support/query.h"

#include <string.h>

/* views */

/* So that what comes next can be loaded meanwhile, where caches do not keep it from loop to loop.
 */
TEST(query, the_last_rows_before_another_chunk_are_several_views_in_long_loops)
{
    enum { ENTITIES = 300000, LONE = 300, CACHED = (1 << 20) / sizeof(int) };
    hm_world world;
    hm_world_desc with = {.capacity = ENTITIES + 2 * LONE, .max_size = 16 << 20};
    CHECK(hm_world_init(&world, &with) == HM_OK);
    const hm_component a = make_component(&world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    const hm_component both[] = {a, make_component(&world, sizeof(int), HM_COMPONENT_ARCHETYPE)};
    const hm_component tagged[] = {a, make_component(&world, 0, HM_COMPONENT_ARCHETYPE)};
    CHECK(hm_world_create_n(&world, both, 1, ENTITIES, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, tagged, 2, LONE, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, both, 2, LONE, NULL, NULL) == HM_OK);
    hm_query query;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){.all = &a, .all_count = 1}) == HM_OK);
    hm_query_loop loop;
    hm_view view;
    uint32_t count = 0, least = UINT32_MAX, last = 0, whole = 0;
    for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view);) {
        const int *first = view.columns[0];
        CHECK((uintptr_t)first % 64 == 0); /* Views are as good for vectors as whole chunks. */
        CHECK(view.count >= 16);
        CHECK(hm_world_get(&world, view.entities[view.count - 1], a) == &first[view.count - 1]);
        if (count == 0)
            whole = view.count;
        CHECK(count + view.count > CACHED || view.count == whole);
        if (count < ENTITIES && view.count < least)
            least = view.count;
        count += view.count;
        last = view.count;
    }
    CHECK(count == ENTITIES + 2 * LONE && last == LONE);
    CHECK(least < whole && least < 1024);
    hm_query_fini(&query);
    hm_world_fini(&world);
}

/* Without a capacity the array of secondaries moves as it grows, and a query has their addresses.
 */
TEST(query, no_sparse_component_is_made_that_would_move_the_others)
{
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){0}) == HM_OK);
    const hm_component x = make_component(&world, sizeof(int), HM_COMPONENT_SPARSE);
    for (uint32_t i = 0; i < 40; i++) /* The array of components has room for more than that. */
        make_component(&world, 0, HM_COMPONENT_ARCHETYPE);
    CHECK(!hm_handle_is_null(hm_world_create(&world, &x, 1)));
    hm_query query;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){.all = &x, .all_count = 1}) == HM_OK);
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&query, &loop);
    CHECK(hm_query_next(&loop, &view));
    const hm_component_desc sparse = {.size = sizeof(int), .storage = HM_COMPONENT_SPARSE};
    const void *before = world.sparse;
    while (hm_world_component(&world, &sparse) != HM_INVALID_INDEX)
        CHECK(world.sparse == before);
    CHECK(strstr(hm_last_error(), "while a query runs") != NULL && world.sparse == before);
    CHECK(*(int *)view.columns[0] == 0 && !hm_query_next(&loop, &view));
    CHECK(hm_world_component(&world, &sparse) != HM_INVALID_INDEX);
    CHECK(hm_world_validate(&world) == HM_OK);
    hm_query_fini(&query);
    hm_world_fini(&world);
}

/* Large values: 16 of them take more than is loaded ahead. Tags: there is nothing to load. */
TEST(query, views_of_large_values_and_of_tags_are_not_cut_up)
{
    enum { ENTITIES = 2000, LARGE = 2000 };
    hm_world world;
    hm_world_desc with = {.capacity = ENTITIES, .max_size = 16 << 20};
    CHECK(hm_world_init(&world, &with) == HM_OK);
    hm_component large = hm_world_component(&world, &(hm_component_desc){.size = LARGE});
    hm_component tag = hm_world_component(&world, &(hm_component_desc){.name = "tag"});
    const hm_component both[] = {large, tag};
    CHECK(hm_world_create_n(&world, both, 2, ENTITIES, NULL, NULL) == HM_OK);
    for (uint32_t asked = 0; asked < 2; asked++) {
        hm_query query;
        hm_query_desc desc = {.all = &both[asked], .all_count = 1};
        CHECK(hm_query_init(&query, &world, &desc) == HM_OK);
        hm_query_loop loop;
        hm_view view;
        uint32_t count = 0, small = 0, views = 0;
        for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view); views++) {
            count += view.count;
            small += view.count < 16;
        }
        CHECK(count == ENTITIES);
        CHECK(small <= 2); /* the first chunk has fewer, and so may the last */
        CHECK(asked == 0 || views <= ENTITIES / 100);
        hm_query_fini(&query);
    }
    hm_world_fini(&world);
}

TEST(query, components_of_any_number_may_be_asked_for)
{
    scene on;
    start(&on);
    hm_component last = HM_INVALID_INDEX;
    for (int i = 5; i < HM_WORLD_MAX_COMPONENTS; i++)
        last = make_component(&on.world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    CREATE(&on, on.a);
    CREATE(&on, on.a, last);
    hm_query with = ask(&on, (hm_query_desc){ALL(on.a, last)});
    hm_query without = ask(&on, (hm_query_desc){ALL(on.a), NONE(last), OPTIONAL(on.b)});
    CHECK(visit(&with) == 1 && visit(&without) == 1);
    hm_query_fini(&with);
    hm_query_fini(&without);
    finish(&on);
}

/* destroy */

TEST(query, destroy_ends_all_that_match_and_needs_no_memory)
{
    scene on;
    test_memory memory;
    test_memory_init(&memory, test_page_size(4096));
    start_with(&on, &memory.table);
    hm_handle many[3000];
    CHECK(hm_world_create_n(&on.world, LIST(on.a, on.x), 2, 1500, NULL, many) == HM_OK);
    CHECK(hm_world_create_n(&on.world, LIST(on.a, on.tag), 2, 1500, NULL, many + 1500) == HM_OK);
    for (uint32_t i = 0; i < 1500; i += 2)
        CHECK(hm_world_remove(&on.world, many[i], on.x, NULL) == HM_OK);
    hm_query with_x = ask(&on, (hm_query_desc){ALL(on.a, on.x)});
    hm_query without_tag = ask(&on, (hm_query_desc){ALL(on.a), NONE(on.tag)});
    hm_query everything = ask(&on, (hm_query_desc){.all_count = 0});
    CHECK(hm_query_count(&with_x) == 750 && hm_query_count(&without_tag) == 1500);
    CHECK(hm_query_count(&everything) == 3000); /* Now their lists have memory. */
    test_memory_fail(&memory, 1, true);
    CHECK(hm_query_destroy(&with_x) == 750 && hm_query_destroy(&with_x) == 0);
    CHECK(hm_world_contains(&on.world, many[0]) && !hm_world_contains(&on.world, many[1]));
    CHECK(hm_query_destroy(&without_tag) == 750 && !hm_world_contains(&on.world, many[0]));
    CHECK(hm_query_count(&everything) == 1500 && hm_query_destroy(&everything) == 1500);
    CHECK(!test_memory_refused(&memory) && hm_world_count(&on.world) == 0);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_world_validate(&on.world) == HM_OK);
    hm_query_fini(&with_x);
    hm_query_fini(&without_tag);
    hm_query_fini(&everything);
    finish(&on);
    test_memory_check_released(&memory);
}

/* sparse components */

enum { FEW = 10 };

/* Checks that the query visits exactly these entities in this order, in this many views. */
static void check_order(hm_query *query, const hm_handle *entities, uint32_t n, uint32_t views)
{
    hm_query_loop loop;
    hm_view view;
    uint32_t at = 0, seen = 0;
    for (hm_query_begin(query, &loop); hm_query_next(&loop, &view); seen++)
        for (uint32_t i = 0; i < view.count; i++, at++)
            CHECK(at < n && hm_handle_equal(view.entities[i], entities[at]));
    CHECK(at == n && seen == views);
}

/* A sparse component that has `others` values more than the archetype has rows. */
static void check_looked_up(uint32_t others)
{
    scene on;
    hm_handle entities[FEW];
    start(&on);
    create_rows(&on, entities, FEW);
    CHECK(hm_world_create_n(&on.world, LIST(on.x), 1, others, NULL, NULL) == HM_OK);
    for (uint32_t i = FEW; i-- > 0;)
        set_int(&on, entities[i], on.x, (int)i);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.x, on.a)});
    check_order(&query, entities, FEW, FEW);
    hm_query_fini(&query);
    finish(&on);
}

TEST(query, a_sparse_component_with_as_many_values_as_rows_or_more_is_looked_up_for_each_row)
{
    check_looked_up(ROWS);
    check_looked_up(0);
}

TEST(query, the_smallest_of_several_sparse_components_is_walked)
{
    scene on;
    hm_handle entities[ROWS], expected[FEW];
    start(&on);
    create_rows(&on, entities, ROWS);
    for (uint32_t i = 0; i < ROWS / 2; i++)
        set_int(&on, entities[i], on.x, 0);
    for (uint32_t i = 0; i < FEW; i++) {
        expected[i] = entities[ROWS / 2 - 1 - 3 * i];
        set_int(&on, expected[i], on.y, 0);
    }
    hm_query query = ask(&on, (hm_query_desc){ALL(on.x, on.y)});
    check_order(&query, expected, FEW, FEW);
    hm_query_fini(&query);
    finish(&on);
}

TEST(query, sparse_values_in_the_order_of_the_rows_make_one_view)
{
    scene on;
    hm_handle entities[ROWS];
    start(&on);
    create_rows(&on, entities, ROWS);
    /* A chunk of 512 bytes has 40 rows of 12 bytes, so the first view ends there. */
    for (uint32_t i = 0; i < ROWS; i++)
        set_int(&on, entities[i], on.x, (int)i);
    hm_query all = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query sparse = ask(&on, (hm_query_desc){ALL(on.a, on.x)});
    hm_query optional = ask(&on, (hm_query_desc){ALL(on.a), OPTIONAL(on.x)});
    hm_query_loop loop;
    hm_view view;
    uint32_t chunks = 0;
    for (hm_query_begin(&all, &loop); hm_query_next(&loop, &view);)
        chunks++;
    check_order(&sparse, entities, ROWS, chunks);
    check_order(&optional, entities, ROWS, chunks);
    /* Two that change places leave the runs before, between and behind them. */
    CHECK(hm_world_remove(&on.world, entities[3], on.x, NULL) == HM_OK);
    set_int(&on, entities[3], on.x, 3); /* Where 99 was; 99 is where 3 was. */
    check_order(&optional, entities, ROWS, chunks + 3);
    hm_query_fini(&all);
    hm_query_fini(&sparse);
    hm_query_fini(&optional);
    finish(&on);
}

/* SPDX-License-Identifier: MIT */
/* Loops over queries: nested ones, parts, loops that move or are left, what a world refuses while
 * one runs. What they visit is in query_test.c. */
#include "support/memory.h"
#include "support/query.h"

#include <stdlib.h>
#include <string.h>

/* loops */

/* Whatever the archetypes: here one has most of the rows, and one has few. */
TEST(query, parts_have_about_as_many_rows_and_are_in_the_order_of_a_loop)
{
    enum { ENTITIES = 25000, MOST = 50, STEP = 16 };
    scene on;
    start(&on);
    static hm_query_loop parts[MOST];
    static hm_handle order[ENTITIES];
    uint32_t count = 0;
    CHECK(hm_world_create_n(&on.world, LIST(on.b), 1, 7, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&on.world, LIST(on.a, on.tag), 2, 33, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&on.world, LIST(on.a), 1, 24000, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&on.world, LIST(on.a, on.b), 2, 960, NULL, NULL) == HM_OK);
    hm_query query = ask(&on, (hm_query_desc){NONE(on.x), OPTIONAL(on.a)});
    hm_query walked = ask(&on, (hm_query_desc){OPTIONAL(on.a)});
    hm_view view;
    hm_query_loop loop;
    for (hm_query_begin(&walked, &loop); hm_query_next(&loop, &view); count += view.count)
        memcpy(order + count, view.entities, view.count * sizeof *order);
    CHECK(count == ENTITIES);
    for (uint32_t n = 1; n <= 2 * MOST; n++) {
        hm_query *which = n % 2 != 0 ? &query : &walked;
        uint32_t parted = n <= MOST ? n : MOST, at = 0;
        hm_query_begin_parts(which, parts, parted);
        for (uint32_t i = 0; i < parted; i++) {
            uint32_t before = at;
            for (; hm_query_next(&parts[i], &view); at += view.count)
                CHECK(memcmp(order + at, view.entities, view.count * sizeof *order) == 0);
            CHECK(at - before <= ENTITIES / parted + STEP &&
                  at - before + STEP >= ENTITIES / parted);
        }
        CHECK(at == ENTITIES);
    }
    hm_query_fini(&walked);
    hm_query_fini(&query);
    finish(&on);
}

/* The number of rows times that of parts takes more than 32 bits. */
TEST(query, many_parts_of_many_rows_have_about_as_many_each)
{
    enum { ENTITIES = 1 << 19, PARTS = 8209, STEP = 16 };
    hm_world world;
    hm_query query;
    hm_view view;
    uint32_t visited = 0;
    hm_query_loop *parts = calloc(PARTS, sizeof *parts);
    CHECK(parts != NULL && hm_world_init(&world, &(hm_world_desc){.capacity = ENTITIES}) == HM_OK);
    CHECK(hm_world_create_n(&world, NULL, 0, ENTITIES, NULL, NULL) == HM_OK);
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){0}) == HM_OK);
    hm_query_begin_parts(&query, parts, PARTS);
    for (uint32_t i = 0; i < PARTS; i++) {
        uint32_t before = visited;
        while (hm_query_next(&parts[i], &view))
            visited += view.count;
        CHECK(visited - before <= ENTITIES / PARTS + 1 + STEP &&
              visited - before + STEP >= ENTITIES / PARTS);
    }
    CHECK(visited == ENTITIES);
    hm_query_fini(&query);
    hm_world_fini(&world);
    free(parts);
}

/* busy */

static uint64_t any_key(const void *value, void *context)
{
    (void)value;
    (void)context;
    return 0;
}

/* Every call that would change where entities and values are is refused. */
static void check_busy(scene *on, hm_handle entity)
{
    static const hm_order order = {.key = any_key};
    hm_world *world = &on->world;
    uint64_t clock = hm_world_clock(world);
    CHECK(hm_handle_is_null(CREATE(on, on->a)));
    CHECK(strcmp(hm_status_name(hm_world_add(world, entity, on->b, NULL)),
                 hm_status_name(HM_ERROR_BUSY)) == 0);
    CHECK(hm_world_create_n(world, NULL, 0, 1, NULL, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_add(world, entity, on->x, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, entity, on->a, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_change(world, entity, &on->b, 1, &on->a, 1) == HM_ERROR_BUSY);
    CHECK(!hm_world_destroy(world, entity) && hm_world_destroy_n(world, &entity, 1) == 0);
    CHECK(hm_world_trim(world) == HM_ERROR_BUSY);
    CHECK(!hm_world_defragment(world, on->a, &order, NULL).done);
    CHECK(hm_world_clock(world) == clock && hm_world_validate(world) == HM_OK);
}

TEST(query, nothing_moves_while_a_query_runs)
{
    scene on;
    start(&on);
    hm_handle entity = CREATE(&on, on.a);
    hm_query first = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query second = ask(&on, (hm_query_desc){NONE(on.x)});
    hm_query_loop loop, other, again;
    hm_view view;
    hm_query_begin(&first, &loop);
    check_busy(&on, entity);
    CHECK(hm_query_next(&loop, &view));
    check_busy(&on, entity);
    hm_query_begin(&second, &other);
    hm_query_begin(&second, &again);
    CHECK(!hm_query_next(&loop, &view)); /* The others still run. */
    check_busy(&on, entity);
    CHECK(hm_query_next(&other, &view));
    hm_query_end(&other);
    hm_query_end(&other); /* The last one still runs. */
    check_busy(&on, entity);
    CHECK(hm_query_next(&again, &view));
    hm_query_end(&again);
    CHECK(hm_world_destroy(&on.world, entity));
    hm_query_fini(&first);
    hm_query_fini(&second);
    finish(&on);
}

static scene dying; /* of the tests that end the process */

DEATH_TEST(query, fini_while_a_loop_runs_panics)
{
    test_expect_panic_of("query.c", "hm_query_fini: a loop of the query runs: end it first");
    start(&dying);
    hm_query query = ask(&dying, (hm_query_desc){ALL(dying.a)});
    hm_query_loop loops[2];
    hm_query_begin(&query, &loops[0]);
    hm_query_begin(&query, &loops[1]);
    hm_query_end(&loops[0]);
    hm_query_fini(&query);
}

/* Begins a loop, and zeroes its query, as a move and an init do. */
static void leave_without_query(hm_query_loop *loop)
{
    static hm_query query;
    start(&dying);
    CREATE(&dying, dying.a);
    query = ask(&dying, (hm_query_desc){ALL(dying.a)});
    hm_query_begin(&query, loop);
    memset(&query, 0, sizeof query);
}

DEATH_TEST(query, next_of_a_loop_whose_query_is_gone_panics)
{
    hm_query_loop loop;
    hm_view view;
    test_expect_panic_of("query.c", "hm_query_next: the query was initialised anew, moved ");
    leave_without_query(&loop);
    hm_query_next(&loop, &view);
}

DEATH_TEST(query, end_of_a_loop_whose_query_is_gone_panics)
{
    hm_query_loop loop;
    test_expect_panic_of("query.c", "hm_query_end: the query was initialised anew, moved ");
    leave_without_query(&loop);
    hm_query_end(&loop);
}

DEATH_TEST(query, clear_while_a_query_runs_panics)
{
    start(&dying);
    hm_query query = ask(&dying, (hm_query_desc){ALL(dying.a)});
    hm_query_loop loop;
    hm_query_begin(&query, &loop);
    hm_world_clear(&dying.world);
}

DEATH_TEST(query, fini_of_the_world_while_a_query_runs_panics)
{
    start(&dying);
    hm_query query = ask(&dying, (hm_query_desc){ALL(dying.a)});
    hm_query_loop loop;
    hm_query_begin(&query, &loop);
    hm_world_fini(&dying.world);
}

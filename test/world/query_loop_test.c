/* SPDX-License-Identifier: MIT */
/* Loops over queries: nested ones, parts, loops that move or are left, what a world refuses while
 * one runs. What they visit is in query_test.c. */
#include "support/memory.h"
#include "support/query.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 10 };

/* loops */

TEST(query, next_returns_an_empty_view_unless_the_loop_runs)
{
    scene on;
    start(&on);
    CREATE(&on, on.a);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query_loop loop = {0};
    hm_view view;
    memset(&view, 0x5A, sizeof view);
    CHECK(!hm_query_next(&loop, &view));
    CHECK(view.count == 0 && view.entities == NULL && view.columns == NULL);
    memset(&loop, 0x5A, sizeof loop); /* Begin does not read it. */
    hm_query_begin(&query, &loop);
    CHECK(hm_query_next(&loop, &view) && !hm_query_next(&loop, &view));
    CHECK(view.count == 0 && view.entities == NULL && view.columns == NULL);
    CHECK(!hm_query_next(&loop, &view));
    hm_query_end(&loop); /* It has ended already. */
    hm_query_end(&loop);
    hm_query_fini(&query);
    hm_query_fini(&query);
    finish(&on);
}

TEST(query, a_loop_that_was_ended_begins_again)
{
    scene on;
    start(&on);
    CREATE(&on, on.a);
    CREATE(&on, on.a, on.b);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&query, &loop);
    CHECK(hm_query_next(&loop, &view));
    hm_query_end(&loop);
    hm_query_begin(&query, &loop);
    CHECK(hm_query_next(&loop, &view) && hm_query_next(&loop, &view));
    CHECK(!hm_query_next(&loop, &view));
    CHECK(!hm_handle_is_null(CREATE(&on, on.a))); /* Both have ended. */
    hm_query_fini(&query);
    finish(&on);
}

/* Loops over one query, one inside the other; the inner one is left in the middle at times. */
static void nest(scene *on, hm_query_desc desc, uint32_t expected)
{
    hm_query query = ask(on, desc);
    hm_query_loop outer, inner;
    hm_view view, other;
    uint32_t visited = 0;
    for (hm_query_begin(&query, &outer); hm_query_next(&outer, &view); visited += view.count) {
        hm_handle first = view.entities[0];
        const void *column = view.columns[0];
        uint32_t within = 0;
        hm_query_begin(&query, &inner);
        while (hm_query_next(&inner, &other) && (visited % 2 == 0 || within == 0))
            within += other.count;
        CHECK(visited % 2 != 0 ? within > 0 && within <= expected : within == expected);
        hm_query_end(&inner);
        CHECK(hm_handle_equal(first, view.entities[0]) && column == view.columns[0]);
        CHECK(hm_handle_is_null(CREATE(on, on->a))); /* The outer one still runs. */
    }
    CHECK(visited == expected && !hm_handle_is_null(CREATE(on, on->b)));
    hm_query_fini(&query);
}

static void start_with_few(scene *on, hm_handle entities[ROWS])
{
    start(on);
    create_rows(on, entities, ROWS);
    for (uint32_t i = 0; i < FEW; i++)
        set_int(on, entities[i * 7], on->x, 0);
}

TEST(query, loops_over_one_query_may_run_inside_each_other)
{
    scene on;
    hm_handle entities[ROWS];
    start_with_few(&on, entities);
    for (uint32_t i = 0; i < 5; i++)
        CREATE(&on, on.a, on.b);
    nest(&on, (hm_query_desc){ALL(on.a)}, ROWS + 5);
    nest(&on, (hm_query_desc){ALL(on.a, on.x)}, FEW);
    nest(&on, (hm_query_desc){ALL(on.x)}, FEW);
    nest(&on, (hm_query_desc){ALL(on.a), NONE(on.x)}, ROWS + 5 - FEW);
    finish(&on);
}

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

/* Returns the sum of the slots that n parts visit, or with n 0 a loop. */
static uint64_t sum_of_slots(hm_query *query, uint32_t n)
{
    static hm_query_loop parts[8];
    uint64_t sum = 0;
    hm_view view;
    if (n == 0)
        hm_query_begin(query, parts);
    else
        hm_query_begin_parts(query, parts, n);
    for (uint32_t i = 0; i < n || i == 0; i++)
        while (hm_query_next(&parts[i], &view))
            for (uint32_t k = 0; k < view.count; k++)
                sum += 1 + hm_handle_index(view.entities[k]);
    return sum;
}

/* What they know of archetypes is the other's. */
TEST(query, parts_of_one_query_may_be_used_for_another)
{
    enum { QUERIES = 6 };
    scene on;
    hm_handle entities[ROWS];
    start_with_few(&on, entities);
    CHECK(hm_world_create_n(&on.world, LIST(on.b), 1, ROWS, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&on.world, LIST(on.a, on.b), 2, ROWS, NULL, NULL) == HM_OK);
    for (int i = 0; i < FEW; i++)
        CREATE(&on, on.b, on.x);
    hm_query queries[QUERIES] = {ask(&on, (hm_query_desc){ALL(on.x, on.a)}),
                                 ask(&on, (hm_query_desc){ALL(on.x), NONE(on.a)}),
                                 ask(&on, (hm_query_desc){ALL(on.a), NONE(on.x)}),
                                 ask(&on, (hm_query_desc){ALL(on.a)}),
                                 ask(&on, (hm_query_desc){ALL(on.b)}),
                                 ask(&on, (hm_query_desc){OPTIONAL(on.a)})};
    for (int before = 0; before < QUERIES; before++)
        for (int after = 0; after < QUERIES; after++)
            for (uint32_t n = 1; n <= 8; n++) {
                uint64_t expected = sum_of_slots(&queries[after], 0);
                (void)sum_of_slots(&queries[before], 8 - n + 1);
                CHECK(sum_of_slots(&queries[after], n) == expected);
            }
    for (int i = 0; i < QUERIES; i++)
        hm_query_fini(&queries[i]);
    finish(&on);
}

TEST(query, a_world_is_busy_until_its_last_part_has_ended)
{
    scene on;
    start(&on);
    CREATE(&on, on.a);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query_loop parts[4];
    hm_view view;
    hm_query_begin_parts(&query, parts, 4); /* Three are empty. */
    uint32_t visited = 0;
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(hm_handle_is_null(CREATE(&on, on.a)) && hm_query_count(&query) == 1);
        while (hm_query_next(&parts[i], &view))
            visited += view.count;
    }
    CHECK(visited == 1 && !hm_handle_is_null(CREATE(&on, on.a)));
    hm_query_begin_parts(&query, parts, 4);
    for (uint32_t i = 4; i-- > 0;) {
        CHECK(hm_handle_is_null(CREATE(&on, on.a)));
        hm_query_end(&parts[i]);
    }
    CHECK(!hm_handle_is_null(CREATE(&on, on.a)));
    hm_query_fini(&query);
    finish(&on);
}

TEST(query, a_loop_may_be_moved)
{
    scene on;
    hm_handle entities[ROWS];
    start(&on);
    create_rows(&on, entities, ROWS);
    CREATE(&on, on.a, on.b);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query_loop loops[2];
    hm_view view;
    uint32_t visited = 0;
    hm_query_begin(&query, &loops[0]);
    for (uint32_t i = 0; hm_query_next(&loops[i], &view); i = 1 - i) {
        visited += view.count;
        CHECK(view.columns[0] == hm_world_get(&on.world, view.entities[0], on.a));
        loops[1 - i] = loops[i];
        memset(&loops[i], 0x5A, sizeof loops[i]);
    }
    CHECK(visited == ROWS + 1);
    hm_query_fini(&query);
    finish(&on);
}

static void count_in_the_middle(scene *on, hm_query_desc desc, uint32_t expected)
{
    hm_query query = ask(on, desc);
    hm_query_loop loop;
    hm_view view;
    uint32_t visited = 0;
    for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view); visited += view.count) {
        hm_handle first = view.entities[0];
        const void *column = view.columns[0];
        CHECK(hm_query_count(&query) == expected);
        CHECK(hm_handle_equal(first, view.entities[0]) && column == view.columns[0]);
    }
    CHECK(visited == expected);
    hm_query_fini(&query);
}

TEST(query, count_leaves_a_running_loop_where_it_is)
{
    scene on;
    hm_handle entities[ROWS];
    start_with_few(&on, entities);
    CREATE(&on, on.a, on.b);
    count_in_the_middle(&on, (hm_query_desc){ALL(on.a)}, ROWS + 1);
    count_in_the_middle(&on, (hm_query_desc){ALL(on.a, on.x)}, FEW);
    count_in_the_middle(&on, (hm_query_desc){ALL(on.a), NONE(on.x)}, ROWS + 1 - FEW);
    finish(&on);
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

TEST(query, a_component_may_be_made_while_a_query_runs)
{
    scene on;
    start(&on);
    const hm_component_storage storages[] = {HM_COMPONENT_ARCHETYPE, HM_COMPONENT_SPARSE};
    hm_handle first = CREATE(&on, on.a, on.x), second = CREATE(&on, on.a, on.b, on.x);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a, on.x), NONE(on.tag)});
    hm_component made[100];
    uint32_t views = 0, n = 0;
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&query, &loop);
    while (hm_query_next(&loop, &view)) {
        views++;
        while (n < 50 * views) { /* more than a page of them */
            made[n] = make_component(&on.world, 8, storages[n % 2]);
            CHECK(!hm_world_has(&on.world, first, made[n]) && made[n] > on.y);
            n++;
        }
        CHECK(view.count == 1 && *(int *)view.columns[0] == 0);
        CHECK(hm_world_validate(&on.world) == HM_OK);
    }
    CHECK(views == 2);
    for (uint32_t i = 0; i < n; i++)
        CHECK(hm_world_add(&on.world, second, made[i], NULL) == HM_OK);
    CHECK(hm_query_count(&query) == 2);
    hm_query_fini(&query);
    finish(&on);
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

typedef struct hook {
    scene *on;
    hm_query query;
    uint32_t visited;
} hook;

static void look_around(void *value, void *context)
{
    hook *of = context;
    (void)value;
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&of->query, &loop);
    while (hm_query_next(&loop, &view))
        of->visited += view.count;
}

TEST(query, a_loop_may_run_in_a_destroy_hook)
{
    scene on;
    start(&on);
    hook context = {.on = &on};
    hm_component hooked = hm_world_component(
        &on.world, &(hm_component_desc){.size = 4, .destroy = look_around, .context = &context});
    context.query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_handle entity = CREATE(&on, on.a, hooked);
    CREATE(&on, on.a);
    CHECK(hm_world_remove(&on.world, entity, hooked, NULL) == HM_OK && context.visited == 2);
    CHECK(!hm_handle_is_null(CREATE(&on, on.a)));
    hm_query_fini(&context.query);
    finish(&on);
}

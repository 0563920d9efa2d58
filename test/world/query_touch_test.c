/* SPDX-License-Identifier: MIT */
/* What queries tell of changes: hm_query_changed, and hm_query_touch, of which clocks and orders
 * hear. */
#include "support/query.h"

TEST(query_touch, changed_tells_the_last_change_of_a_column)
{
    scene on;
    start(&on);
    hm_handle first = CREATE(&on, on.a), second = CREATE(&on, on.a, on.b);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a), OPTIONAL(on.b, on.tag, on.x)});
    hm_query sparse = ask(&on, (hm_query_desc){ALL(on.x, on.a)});
    hm_query_loop loop = {0};
    CHECK(hm_query_changed(&loop, 0) == 0);
    uint64_t before = hm_world_clock(&on.world);
    set_int(&on, second, on.b, 1);
    CHECK(hm_world_clock(&on.world) > before);
    hm_view view;
    hm_query_begin(&query, &loop);
    while (hm_query_next(&loop, &view)) {
        bool is_second = hm_handle_equal(view.entities[0], second);
        CHECK(hm_query_changed(&loop, 0) <= before);
        CHECK((hm_query_changed(&loop, 1) > before) == is_second);
        CHECK(hm_query_changed(&loop, 2) == 0 && hm_query_changed(&loop, 3) == 0);
        CHECK(hm_query_changed(&loop, 4) == 0 && hm_query_changed(&loop, UINT32_MAX) == 0);
    }
    CHECK(hm_query_changed(&loop, 1) == 0);
    before = hm_world_clock(&on.world);
    set_int(&on, first, on.x, 1);
    hm_query_begin(&sparse, &loop);
    CHECK(hm_query_next(&loop, &view));
    CHECK(hm_query_changed(&loop, 0) > before && hm_query_changed(&loop, 1) <= before);
    hm_query_end(&loop);
    before = hm_world_clock(&on.world);
    CREATE(&on, on.a);
    hm_query_begin(&sparse, &loop);
    CHECK(hm_query_next(&loop, &view));
    CHECK(hm_query_changed(&loop, 0) <= before && hm_query_changed(&loop, 1) > before);
    hm_query_end(&loop);
    hm_query_fini(&query);
    hm_query_fini(&sparse);
    finish(&on);
}

static uint64_t changed_of(hm_query *query)
{
    hm_query_loop loop;
    hm_view view;
    uint64_t latest = 0;
    for (hm_query_begin(query, &loop); hm_query_next(&loop, &view);)
        if (hm_query_changed(&loop, 0) > latest)
            latest = hm_query_changed(&loop, 0);
    return latest;
}

/* Whether a call was done, and a query tells that it has changed what its first column has. */
static bool tells(const scene *on, hm_query *query, uint64_t *clock, bool is_done)
{
    bool is_later = changed_of(query) > *clock;
    *clock = hm_world_clock(&on->world);
    return is_done && is_later;
}

/* Each way to change many entities, or what stays, and the column that it changes. */
TEST(query_touch, changed_tells_what_any_call_has_changed)
{
    scene on;
    start(&on);
    hm_handle entities[ROWS];
    hm_query of_a = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query of_b = ask(&on, (hm_query_desc){ALL(on.b)});
    hm_query of_x = ask(&on, (hm_query_desc){ALL(on.x)});
    hm_query of_tag = ask(&on, (hm_query_desc){ALL(on.tag)});
    uint64_t clock = hm_world_clock(&on.world);
    create_rows(&on, entities, ROWS);
    CHECK(tells(&on, &of_a, &clock, true));
    CHECK(tells(&on, &of_a, &clock, hm_query_change(&of_a, &on.a, 1, NULL, 0, NULL) == HM_OK));
    CHECK(tells(&on, &of_b, &clock, hm_query_change(&of_a, &on.b, 1, NULL, 0, NULL) == HM_OK));
    CHECK(tells(&on, &of_a, &clock, hm_query_change(&of_a, NULL, 0, &on.b, 1, NULL) == HM_OK));
    CHECK(tells(&on, &of_tag, &clock, hm_query_change(&of_a, &on.tag, 1, NULL, 0, NULL) == HM_OK));
    CHECK(tells(&on, &of_tag, &clock, hm_world_destroy_n(&on.world, entities, 1) == 1));
    CHECK(tells(&on, &of_x, &clock, hm_query_change(&of_a, &on.x, 1, NULL, 0, NULL) == HM_OK));
    CHECK(tells(&on, &of_x, &clock, hm_query_change(&of_a, &on.x, 1, NULL, 0, NULL) == HM_OK));
    CHECK(tells(&on, &of_x, &clock,
                hm_world_change(&on.world, entities[1], NULL, 0, &on.x, 1) == HM_OK));
    CHECK(tells(&on, &of_x, &clock,
                hm_world_change(&on.world, entities[1], &on.x, 1, NULL, 0) == HM_OK));
    CHECK(tells(&on, &of_x, &clock, hm_world_remove(&on.world, entities[1], on.x, NULL) == HM_OK));
    CHECK(tells(&on, &of_x, &clock, hm_world_destroy_n(&on.world, entities + 2, 1) == 1));
    CHECK(tells(&on, &of_a, &clock,
                hm_world_change(&on.world, entities[3], &on.a, 1, NULL, 0) == HM_OK));
    CHECK(tells(&on, &of_a, &clock,
                hm_world_change(&on.world, entities[3], &on.b, 1, &on.tag, 1) == HM_OK));
    CHECK(tells(&on, &of_tag, &clock, hm_world_destroy(&on.world, entities[4])));
    hm_world_clear(&on.world);
    CHECK(!hm_handle_is_null(CREATE(&on, on.a)) && changed_of(&of_a) > clock);
    hm_query_fini(&of_a);
    hm_query_fini(&of_b);
    hm_query_fini(&of_x);
    hm_query_fini(&of_tag);
    finish(&on);
}

TEST(query_touch, touch_marks_the_column_of_the_view_alone)
{
    scene on;
    start(&on);
    hm_handle first = CREATE(&on, on.a, on.b), second = CREATE(&on, on.a);
    set_int(&on, first, on.x, 1);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a), OPTIONAL(on.b, on.x, on.tag)});
    uint64_t before = hm_world_clock(&on.world);
    hm_query_loop loop = {0};
    hm_query_touch(&loop, 0); /* There is no view. */
    hm_view view;
    hm_query_begin(&query, &loop);
    while (hm_query_next(&loop, &view))
        if (hm_handle_equal(view.entities[0], first)) {
            hm_query_touch(&loop, 1);
        } else {
            hm_query_touch(&loop, 1); /* It has no b, no x and no tag. */
            hm_query_touch(&loop, 2);
            hm_query_touch(&loop, 3);
            hm_query_touch(&loop, 4);
        }
    CHECK(hm_world_clock(&on.world) == before + 1);
    CHECK(hm_world_changed(&on.world, first, on.b) == before + 1);
    CHECK(hm_world_changed(&on.world, first, on.a) <= before);
    CHECK(hm_world_changed(&on.world, second, on.a) <= before);
    hm_query_begin(&query, &loop);
    while (hm_query_next(&loop, &view))
        hm_query_touch(&loop, 2);
    CHECK(hm_world_clock(&on.world) == before + 2);
    CHECK(hm_world_changed(&on.world, first, on.x) == before + 2);
    hm_query_fini(&query);
    finish(&on);
}

static uint64_t key_of_int(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

/* Orders by a component until that is done. */
static void order_by(scene *on, hm_component component)
{
    static const hm_order rising = {.key = key_of_int};
    while (!hm_world_defragment(&on->world, component, &rising, BUDGET(7, 7)).done)
        ;
}

/* Values that are written through a view, and touched, are ordered again. */
static void check_order_hears(scene *on, hm_component component)
{
    hm_query query = ask(on, (hm_query_desc){ALL(component)});
    hm_query_loop loop;
    hm_view view;
    for (int round = 0; round < 5; round++) {
        for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view);) {
            int *values = view.columns[0];
            for (uint32_t i = 0; i < view.count; i++)
                values[i] = (values[i] * 31 + 7) % 101;
            hm_query_touch(&loop, 0);
        }
        if (round % 2 == 0) { /* The next one comes in the middle of ordering. */
            static const hm_order rising = {.key = key_of_int};
            hm_world_defragment(&on->world, component, &rising, BUDGET(3, 9));
            continue;
        }
        order_by(on, component);
        int last = 0;
        for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view);)
            for (uint32_t i = 0; i < view.count; i++) {
                CHECK(((int *)view.columns[0])[i] >= last);
                last = ((int *)view.columns[0])[i];
            }
    }
    hm_query_fini(&query);
}

TEST(query_touch, touch_tells_the_order)
{
    scene on;
    hm_handle entities[ROWS];
    start(&on);
    create_rows(&on, entities, ROWS);
    for (int i = 0; i < ROWS; i++)
        set_int(&on, entities[i], on.a, ROWS - i);
    order_by(&on, on.a);
    check_order_hears(&on, on.a);
    hm_world_clear(&on.world);
    CHECK(hm_world_create_n(&on.world, &on.x, 1, ROWS, NULL, entities) == HM_OK);
    for (int i = 0; i < ROWS; i++)
        set_int(&on, entities[i], on.x, ROWS - i);
    CHECK(hm_world_create_n(&on.world, NULL, 0, ROWS, NULL, NULL) == HM_OK);
    order_by(&on, on.x);
    check_order_hears(&on, on.x); /* There are more rows, so that its values are walked. */
    finish(&on);
}

/* Only the last value of the view has left its place. */
TEST(query_touch, touch_tells_the_order_of_every_value_of_the_view)
{
    const uint32_t kinds = 2;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        scene on;
        hm_handle entities[ROWS];
        start(&on);
        hm_component component = kind == 0 ? on.a : on.x;
        CHECK(hm_world_create_n(&on.world, &component, 1, ROWS, NULL, entities) == HM_OK);
        for (int i = 0; i < ROWS; i++)
            set_int(&on, entities[i], component, 10 + i);
        CHECK(hm_world_create_n(&on.world, NULL, 0, ROWS, NULL, NULL) == HM_OK);
        order_by(&on, component);
        hm_query query = ask(&on, (hm_query_desc){ALL(component)});
        hm_query_loop loop;
        hm_view view;
        hm_query_begin(&query, &loop);
        CHECK(hm_query_next(&loop, &view) && view.count > 1);
        int *values = view.columns[0];
        values[view.count - 1] = 1;
        hm_query_touch(&loop, 0);
        hm_query_end(&loop);
        order_by(&on, component);
        hm_query_begin(&query, &loop);
        CHECK(hm_query_next(&loop, &view) && *(const int *)view.columns[0] == 1);
        hm_query_end(&loop);
        hm_query_fini(&query);
        finish(&on);
    }
}

/* The values of both components are at other positions. */
TEST(query_touch, touch_of_the_second_sparse_column_tells_its_order)
{
    scene on;
    hm_handle entities[ROWS];
    start(&on);
    create_rows(&on, entities, ROWS);
    for (int i = 0; i < ROWS; i++) {
        set_int(&on, entities[i], on.x, i);
        set_int(&on, entities[ROWS - 1 - i], on.y, i);
    }
    CHECK(hm_world_create_n(&on.world, NULL, 0, ROWS, NULL, NULL) == HM_OK);
    order_by(&on, on.y);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.x, on.y)});
    hm_query of_y = ask(&on, (hm_query_desc){ALL(on.y)});
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view);)
        if (hm_handle_equal(view.entities[0], entities[ROWS - 1])) {
            *(int *)view.columns[1] = ROWS;
            hm_query_touch(&loop, 1);
        }
    order_by(&on, on.y);
    int last = 0;
    for (hm_query_begin(&of_y, &loop); hm_query_next(&loop, &view);)
        for (uint32_t i = 0; i < view.count; i++) {
            CHECK(((int *)view.columns[0])[i] > last);
            last = ((int *)view.columns[0])[i];
        }
    CHECK(last == ROWS);
    hm_query_fini(&query);
    hm_query_fini(&of_y);
    finish(&on);
}

/* SPDX-License-Identifier: MIT */
/* One budget for the calls of a frame: what it is lowered by, and what calls do when it is spent.
 */
#include "support/test.h"

#include <handle_map/handle_map.h>

enum { ITEMS = 60, CALLS = 10 };

/* All that can be put in order, all in disorder. */
typedef struct stage {
    hm_map map;
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
    hm_index index;
    hm_world world;
    hm_component dense, sparse;
    hm_handle named[ITEMS], rows[ITEMS]; /* in the order that arrange brings */
    hm_order order;
} stage;

static int rising(const void *a, const void *b, void *context)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    (void)context;
    return (left > right) - (left < right);
}

static uint64_t falling(const void *item, void *context)
{
    (void)context;
    return ~*(const uint32_t *)item;
}

static const hm_order by_rising = {.compare = rising}, by_falling = {.key = falling};

static void fill(stage *on)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t number = i * 37 % ITEMS;
        const void *values[] = {&number, &number};
        hm_handle handle = hm_map_insert(&on->map, &number);
        on->named[ITEMS - 1 - i] = handle;
        on->rows[ITEMS - 1 - i] = hm_table_insert(&on->table, values);
        CHECK(hm_secondary_set(&on->secondary, handle, &number) != NULL);
        hm_handle list = hm_lists_create(&on->lists);
        CHECK(hm_lists_push_n(&on->lists, list, values, i % 5) == HM_OK);
        CHECK(hm_index_set(&on->index, handle, i / 3) == HM_OK);
        hm_handle entity = hm_world_create(&on->world, NULL, 0);
        CHECK(hm_world_add(&on->world, entity, on->dense, &number) == HM_OK);
        if (i % 3 != 0) /* a second table */
            CHECK(hm_world_add(&on->world, entity, on->sparse, &number) == HM_OK);
    }
    for (uint32_t i = 0; i < ITEMS / 4; i++) { /* gaps between the arrays */
        CHECK(hm_lists_destroy(&on->lists, hm_lists_handle_at(&on->lists, i)));
        CHECK(hm_index_remove(&on->index, on->named[4 * i]));
    }
}

static void begin(stage *on, bool is_filled)
{
    static const hm_column columns[] = {{.size = 4, .align = 4}, {.size = 4, .align = 4}};
    const hm_component_desc component = {.name = "number", .size = 4, .align = 4};
    hm_component_desc apart = component;
    apart.name = "sparse number";
    apart.storage = HM_COMPONENT_SPARSE;
    CHECK(hm_map_init(&on->map, &(hm_map_desc){.item_size = 4, .capacity = ITEMS}) == HM_OK);
    hm_table_desc table = {.columns = columns, .column_count = 2, .capacity = ITEMS};
    CHECK(hm_table_init(&on->table, &table) == HM_OK);
    hm_owners owners = hm_map_as_owners(&on->map);
    hm_secondary_desc secondary = {.value_size = 4, .owners = owners};
    CHECK(hm_secondary_init(&on->secondary, &secondary) == HM_OK);
    CHECK(hm_lists_init(&on->lists, &(hm_lists_desc){.item_size = 4, .capacity = ITEMS}) == HM_OK);
    CHECK(hm_index_init(&on->index, &(hm_index_desc){.owners = owners}) == HM_OK);
    CHECK(hm_world_init(&on->world, &(hm_world_desc){.capacity = ITEMS}) == HM_OK);
    on->dense = hm_world_component(&on->world, &component);
    on->sparse = hm_world_component(&on->world, &apart);
    on->order = by_rising;
    if (is_filled)
        fill(on);
}

static void end(stage *on)
{
    CHECK(hm_map_validate(&on->map) == HM_OK && hm_table_validate(&on->table) == HM_OK);
    CHECK(hm_secondary_validate(&on->secondary) == HM_OK);
    CHECK(hm_lists_validate(&on->lists) == HM_OK && hm_index_validate(&on->index) == HM_OK);
    CHECK(hm_world_validate(&on->world) == HM_OK);
    hm_world_fini(&on->world);
    hm_index_fini(&on->index);
    hm_lists_fini(&on->lists);
    hm_secondary_fini(&on->secondary);
    hm_table_fini(&on->table);
    hm_map_fini(&on->map);
}

/* The calls: each returns what one does with the budget. Those of containers with an order take the
 * stage's. */

static hm_progress order_map(stage *on, hm_frame_budget *budget)
{
    return hm_map_defragment(&on->map, &on->order, budget);
}

static hm_progress order_table(stage *on, hm_frame_budget *budget)
{
    return hm_table_defragment(&on->table, on->order.key != NULL, &on->order, budget);
}

static hm_progress order_secondary(stage *on, hm_frame_budget *budget)
{
    return hm_secondary_defragment(&on->secondary, &on->order, budget);
}

static hm_progress order_dense(stage *on, hm_frame_budget *budget)
{
    return hm_world_defragment(&on->world, on->dense, &on->order, budget);
}

static hm_progress order_sparse(stage *on, hm_frame_budget *budget)
{
    return hm_world_defragment(&on->world, on->sparse, &on->order, budget);
}

static hm_progress pack_lists(stage *on, hm_frame_budget *budget)
{
    return hm_lists_defragment(&on->lists, budget);
}

static hm_progress pack_index(stage *on, hm_frame_budget *budget)
{
    return hm_index_defragment(&on->index, budget);
}

static hm_progress arrange_map(stage *on, hm_frame_budget *budget)
{
    return hm_map_arrange(&on->map, on->named, hm_map_count(&on->map), budget);
}

static hm_progress arrange_table(stage *on, hm_frame_budget *budget)
{
    return hm_table_arrange(&on->table, on->rows, hm_table_count(&on->table), budget);
}

static hm_progress arrange_secondary(stage *on, hm_frame_budget *budget)
{
    return hm_secondary_arrange(&on->secondary, on->named, hm_map_count(&on->map), budget);
}

enum { ORDERS = 5, PACKS = 7 }; /* The first calls take an order, the next ones close gaps. */
static hm_progress (*const calls[CALLS])(stage *on, hm_frame_budget *budget) = {
    order_map,  order_table, order_secondary, order_dense,   order_sparse,
    pack_lists, pack_index,  arrange_map,     arrange_table, arrange_secondary};

static bool costs_nothing(hm_progress progress)
{
    return progress.swaps == 0 && progress.compares == 0 && progress.status == HM_OK;
}

TEST(budget, is_shared_by_the_calls_of_a_frame)
{
    static const uint32_t limits[][2] = {{1, 0}, {0, 1}, {1, 1}, {7, 40}, {100, 3}, {0, 500}};
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        stage on;
        begin(&on, true);
        bool is_done[CALLS] = {false};
        uint32_t done = 0, frames = 0;
        while (done < CALLS - 3) { /* An arrangement would undo an order. */
            hm_frame_budget budget = test_budget_of(limits[i][0], limits[i][1]);
            uint64_t swaps = 0, compares = 0;
            CHECK(++frames < 20000);
            done = 0;
            for (uint32_t k = 0; k < CALLS - 3; k++) {
                hm_frame_budget before = budget;
                hm_progress progress = calls[k](&on, &budget);
                swaps += progress.swaps;
                compares += progress.compares;
                if (before.is_spent)
                    CHECK(costs_nothing(progress) && progress.done == is_done[k] &&
                          budget.is_spent);
                else
                    CHECK(budget_is_lowered(before, budget, progress));
                is_done[k] = progress.done;
                done += progress.done;
            }
            CHECK(limits[i][0] == 0 || swaps + budget.swaps_left == limits[i][0]);
            CHECK(limits[i][1] == 0 || compares + budget.compares_left == limits[i][1]);
        }
        end(&on);
    }
}

TEST(budget, a_spent_one_does_nothing_and_says_done_only_if_that_is_known)
{
    for (uint32_t k = 0; k < CALLS; k++) {
        stage on;
        hm_frame_budget spent = {100, 100, true};
        begin(&on, true);
        hm_progress progress = calls[k](&on, &spent);
        CHECK(costs_nothing(progress) && !progress.done);
        CHECK(spent.swaps_left == 100 && spent.compares_left == 100 && spent.is_spent);
        hm_frame_budget little = test_budget_of(1, 1);
        CHECK(!calls[k](&on, &little).done && little.is_spent);
        progress = calls[k](&on, &little); /* In the middle of it nothing more is known. */
        CHECK(costs_nothing(progress) && !progress.done);
        progress = calls[k](&on, NULL);
        CHECK(progress.done && progress.swaps != 0);
        progress = calls[k](&on, &spent);
        CHECK(costs_nothing(progress) && progress.done == (k < PACKS));
        on.order = by_falling; /* Of the table, in the other column. */
        progress = calls[k](&on, &spent);
        CHECK(costs_nothing(progress) && progress.done == (k >= ORDERS && k < PACKS));
        on.order = by_rising; /* It has not been forgotten. */
        progress = calls[k](&on, NULL);
        CHECK(costs_nothing(progress) && progress.done);
        end(&on);
    }
}

TEST(budget, a_limit_of_0_is_spent_and_one_without_limits_ends_in_one_call)
{
    static const hm_frame_budget none[] = {{0, 100, false}, {100, 0, false}, {0}};
    for (uint32_t k = 0; k < CALLS; k++) {
        stage on;
        begin(&on, true);
        for (uint32_t i = 0; i < sizeof none / sizeof *none; i++) {
            hm_frame_budget budget = none[i];
            hm_progress progress = calls[k](&on, &budget);
            CHECK(costs_nothing(progress) && !progress.done);
            CHECK(hm_frame_budget_is_spent(&budget));
            CHECK(hm_frame_budget_of(none[i].swaps_left, none[i].compares_left).is_spent);
        }
        hm_frame_budget budget = hm_frame_budget_of(HM_NO_LIMIT, HM_NO_LIMIT);
        CHECK(!budget.is_spent && calls[k](&on, &budget).done && !budget.is_spent);
        CHECK(budget.swaps_left == HM_NO_LIMIT && budget.compares_left == HM_NO_LIMIT);
        end(&on);
    }
}

TEST(budget, a_spent_one_does_not_know_what_an_edit_has_left_in_order)
{
    for (uint32_t k = 0; k < ORDERS; k++) {
        stage on;
        hm_frame_budget spent = {.is_spent = true};
        begin(&on, true);
        CHECK(calls[k](&on, NULL).done && calls[k](&on, &spent).done);
        hm_map_touch_all(&on.map);
        hm_table_touch_all(&on.table);
        hm_secondary_touch_all(&on.secondary);
        hm_world_touch_all(&on.world, on.dense);
        hm_world_touch_all(&on.world, on.sparse);
        hm_progress progress = calls[k](&on, &spent);
        CHECK(costs_nothing(progress) && !progress.done);
        CHECK(calls[k](&on, NULL).done && calls[k](&on, &spent).done);
        end(&on);
    }
}

/* A world does not know without looking at its tables that none has rows. */
TEST(budget, an_empty_container_is_done_whatever_is_left)
{
    stage on;
    hm_frame_budget spent = {.is_spent = true};
    begin(&on, false);
    for (uint32_t k = 0; k < CALLS; k++)
        CHECK(costs_nothing(calls[k](&on, &spent)) &&
              (calls[k] == order_dense || calls[k](&on, &spent).done));
    end(&on);
}

/* SPDX-License-Identifier: MIT */
/* Typed orders: they put every container in the same order as untyped ones, at no more than their
 * budget, whatever the layout, the size and the alignment of what they compare. The other tests of
 * order run with typed orders too. */
#include <handle_map/map.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

#include "support/order.h"

#include <stdalign.h>

enum { COUNT = 1000, KEYS = 300 };

typedef struct wide_item {
    uint32_t key, id;
    unsigned char rest[32];
} wide_item;

typedef struct large_item {
    uint32_t key, id;
    unsigned char rest[24];
} large_item;

typedef struct aligned_item {
    alignas(16) uint32_t key;
    uint32_t id;
} aligned_item;

typedef struct plain_item {
    uint32_t key, id;
} plain_item;

static uint64_t asked;

/* All kinds of item begin with these two. */
static const plain_item *begin_of(const void *item)
{
    return item;
}

static int compare_begins(const void *a, const void *b, void *context)
{
    CHECK(context == &asked);
    asked++;
    uint32_t x = begin_of(a)->key, y = begin_of(b)->key;
    return (x > y) - (x < y);
}

static uint64_t key_of_begin(const void *item, void *context)
{
    CHECK(context == &asked);
    asked++;
    return begin_of(item)->key;
}

HM_ORDER_DEFINE(by_plain, plain_item, compare_begins)
HM_ORDER_DEFINE(by_large, large_item, compare_begins)
HM_ORDER_DEFINE(by_wide, wide_item, compare_begins)
HM_ORDER_DEFINE(by_aligned, aligned_item, compare_begins)
HM_ORDER_DEFINE(by_number, uint32_t, compare_begins)
HM_ORDER_DEFINE_KEY(by_plain_key, plain_item, key_of_begin)

static const hm_order *const typed[] = {&by_plain,   &by_large,  &by_wide,
                                        &by_aligned, &by_number, &by_plain_key};
enum { TYPED = sizeof typed / sizeof *typed };

static hm_order typed_order(uint32_t which)
{
    hm_order order = *typed[which];
    order.context = &asked;
    return order;
}

static const hm_budget no_limit = {0, 0};
static const hm_budget budgets[] = {{0, 0}, {50, 400}, {3, 9}};

/* Calls until it is done, and checks each call against its budget. `a` is the container. */
#define FINISH(call, budget)                                                                       \
    do {                                                                                           \
        hm_progress progress = {0, 0, false};                                                      \
        for (uint32_t calls = 0; !progress.done; calls++) {                                        \
            CHECK(calls < PATIENCE);                                                               \
            asked = 0;                                                                             \
            progress = (call);                                                                     \
            CHECK(progress.compares == asked);                                                     \
            CHECK((budget).max_compares == 0 || asked <= (budget).max_compares);                   \
            CHECK((budget).max_swaps == 0 || progress.swaps <= (budget).max_swaps);                \
        }                                                                                          \
    } while (0)

/* Equal items are in the order of their ids. */
static void check_begins(const void *before, const void *after)
{
    const plain_item *a = before, *b = after;
    CHECK(a->key < b->key || (a->key == b->key && a->id < b->id));
}

/* The order's type may be larger or smaller than an item: compare reads what both have. */
static void order_map(size_t item_size, uint32_t which, hm_budget budget, uint64_t *random)
{
    hm_map map;
    hm_map_desc desc = {.item_size = item_size, .item_align = 16, .capacity = COUNT, .type_id = 1};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        plain_item item = {test_random_below(random, KEYS), i};
        void *place;
        CHECK(!hm_handle_is_null(hm_map_emplace(&map, &place)));
        memcpy(place, &item, sizeof item);
    }
    hm_order order = typed_order(which);
    FINISH(hm_map_defragment(&map, &order, budget), budget);
    const unsigned char *items = hm_map_items(&map);
    for (uint32_t i = 1; i < COUNT; i++)
        check_begins(items + (i - 1) * item_size, items + i * item_size);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(order_typed, a_map_is_ordered_by_every_type)
{
    static const size_t sizes[] = {16, 48};
    uint64_t random = test_seed("typed maps");
    for (uint32_t which = 0; which < TYPED; which++)
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
                order_map(sizes[size], which, budgets[i], &random);
}

static void order_table(uint32_t lanes, uint32_t which, hm_budget budget, uint64_t *random)
{
    const hm_column columns[] = {{sizeof(plain_item), 8, "cells"}, {1, 1, "rest"}};
    hm_table table;
    hm_table_desc desc = {
        .columns = columns, .column_count = 2, .lanes = lanes, .capacity = COUNT, .type_id = 1};
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        plain_item item = {test_random_below(random, KEYS), i};
        unsigned char rest = (unsigned char)i;
        const void *const values[] = {&item, &rest};
        CHECK(!hm_handle_is_null(hm_table_insert(&table, values)));
    }
    hm_order order = typed_order(which);
    FINISH(hm_table_defragment(&table, 0, &order, budget), budget);
    for (uint32_t i = 0; i < COUNT; i++) {
        const plain_item *cell = hm_table_cell(&table, 0, i);
        CHECK(*(unsigned char *)hm_table_cell(&table, 1, i) == (unsigned char)cell->id);
        if (i > 0)
            check_begins(hm_table_cell(&table, 0, i - 1), cell);
    }
    hm_table_fini(&table);
}

TEST(order_typed, a_table_is_ordered_in_columns_and_in_groups_of_lanes)
{
    static const uint32_t lanes[] = {0, 1, 8, 64};
    uint64_t random = test_seed("typed tables");
    for (uint32_t which = 0; which < TYPED; which++)
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
            for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
                order_table(lanes[l], which, budgets[i], &random);
}

TEST(order_typed, a_secondary_is_ordered)
{
    uint64_t random = test_seed("typed secondaries");
    for (uint32_t which = 0; which < TYPED; which++) {
        hm_secondary secondary;
        hm_secondary_desc desc = {
            .value_size = sizeof(plain_item), .capacity = COUNT, .type_id = 1};
        CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            plain_item item = {test_random_below(&random, KEYS), i};
            CHECK(hm_secondary_set(&secondary, hm_handle_pack(i, 1, 1), &item) != NULL);
        }
        hm_order order = typed_order(which);
        FINISH(hm_secondary_defragment(&secondary, &order, budgets[1]), budgets[1]);
        const plain_item *values = hm_secondary_values(&secondary);
        for (uint32_t i = 1; i < COUNT; i++)
            check_begins(&values[i - 1], &values[i]);
        hm_secondary_fini(&secondary);
    }
}

/* The rows of a world are in chunks: only their copies are sorted in the loops. */
TEST(order_typed, a_world_is_ordered)
{
    uint64_t random = test_seed("typed worlds");
    for (uint32_t which = 0; which < TYPED; which++) {
        hm_world world;
        CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = COUNT, .type_id = 1}) == HM_OK);
        hm_component_desc desc = {.size = sizeof(plain_item), .align = 8, .name = "item"};
        hm_component component = hm_world_component(&world, &desc);
        for (uint32_t i = 0; i < COUNT; i++) {
            plain_item item = {test_random_below(&random, KEYS), i};
            hm_handle entity = hm_world_create(&world, &component, 1);
            memcpy(hm_world_get(&world, entity, component), &item, sizeof item);
        }
        hm_order order = typed_order(which);
        FINISH(hm_world_defragment(&world, component, &order, budgets[1]), budgets[1]);
        hm_world_fini(&world);
    }
}

/* Loops whose compare or key is not the order's are left alone: so an order may be changed. */
TEST(order_typed, loops_of_another_order_are_not_used)
{
    uint64_t random = test_seed("loops of another");
    for (uint32_t which = 0; which < 3; which++) {
        column c;
        column_init(&c, COUNT);
        column_fill_shape(&c, 0, COUNT, &random);
        hm_order order = column_order(&c, which);
        order.loops = which == 0 ? by_plain.loops : by_typed_key.loops;
        column_finish(&c, order, budgets[1]);
        CHECK(c.state.order.loops == NULL);
        column_fini(&c);
    }
}

/* Makes a run of calls until the list is about to be merged. */
static void run_to_merge(column *c, hm_order order)
{
    while (c->state.phase != HM_ORDER_MERGE)
        CHECK(!column_run(c, order, (hm_budget){0, 400}).done);
}

typedef struct longer_item {
    ordered_item begin;
    uint64_t rest;
} longer_item;

static int compare_longer(const longer_item *a, const longer_item *b, void *context)
{
    return compare_typed(&a->begin, &b->begin, context);
}

HM_ORDER_DEFINE(by_longer, longer_item, compare_longer)

TEST(order_typed, copies_are_made_of_items_that_fit)
{
    uint64_t random = test_seed("copies that fit");
    for (uint32_t which = 0; which < 2; which++) {
        column c;
        column_init(&c, COUNT);
        column_fill_shape(&c, 0, COUNT, &random);
        hm_order order = which == 0 ? column_order(&c, 3) : by_longer;
        order.context = &c;
        run_to_merge(&c, order);
        CHECK(c.state.batch.copy_size == (which == 0 ? sizeof(ordered_item) : 0));
        column_fini(&c);
    }
}

/* Two runs whose ends do not meet stay as they were, so that each lifted item is still listed, and
 * is put down. */
TEST(order_typed, a_compare_that_begins_to_lie_leaves_no_item_lifted)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        column c;
        column_init(&c, 4 * COUNT);
        column_fill_shape(&c, 8, 4 * COUNT, &random);
        run_to_merge(&c, column_order(&c, 3));
        c.lies = seed;
        CHECK(c.state.batch.count > HM_ORDER_GROUP);
        column_finish(&c, column_order(&c, 3), no_limit);
        for (uint32_t i = 0; i < 4 * COUNT / 32; i++)
            CHECK(c.state.marks[i] == 0);
        column_fini(&c);
    }
}

/* SPDX-License-Identifier: MIT */
/* Typed orders: they put every container in the same order as untyped ones, at no more than their
 * budget, whatever the layout, the size and the alignment of what they compare. The other tests of
 * order run with typed orders too. */
#include <handle_map/map.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

#include "support/memory.h"
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

static const hm_frame_budget no_limit = {HM_NO_LIMIT, HM_NO_LIMIT, false};
static const hm_frame_budget budgets[] = {
    {HM_NO_LIMIT, HM_NO_LIMIT, false}, {50, 400, false}, {3, 9, false}};

/* Calls until it is done, and checks each call against its budget. `a` is the container. */
#define FINISH(call, budget)                                                                       \
    do {                                                                                           \
        hm_progress progress = {0};                                                                \
        for (uint32_t calls = 0; !progress.done; calls++) {                                        \
            CHECK(calls < PATIENCE);                                                               \
            asked = 0;                                                                             \
            progress = (call);                                                                     \
            CHECK(progress.compares == asked);                                                     \
            CHECK((budget).compares_left == HM_NO_LIMIT || asked <= (budget).compares_left);       \
            CHECK((budget).swaps_left == HM_NO_LIMIT || progress.swaps <= (budget).swaps_left);    \
        }                                                                                          \
    } while (0)

/* Equal items are in the order of their ids. */
static void check_begins(const void *before, const void *after)
{
    const plain_item *a = before, *b = after;
    CHECK(a->key < b->key || (a->key == b->key && a->id < b->id));
}

/* The order's type may be larger or smaller than an item: compare reads what both have. */
static void order_map(size_t item_size, uint32_t which, hm_frame_budget budget, uint64_t *random)
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
    FINISH(hm_map_defragment(&map, &order, ONCE(budget)), budget);
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
        CHECK(c.state->order.loops == NULL);
        column_fini(&c);
    }
}

/* Makes a run of calls until the list is about to be merged. */
static void run_to_merge(column *c, hm_order order)
{
    while (c->state == NULL || c->state->phase != HM_ORDER_MERGE)
        CHECK(!column_run(c, order, test_budget_of(HM_NO_LIMIT, 400)).done);
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
        CHECK(c.state->batch.copy_size == (which == 0 ? sizeof(ordered_item) : 0));
        column_fini(&c);
    }
}

/* Also where the run waits for the memory to lift them. */
TEST(order_typed, all_items_may_be_erased_while_memory_is_refused)
{
    enum { ITEMS = 100 };
    bool is_done = false;
    for (uint32_t k = 1; !is_done; k++) {
        hm_map map;
        hm_handle handles[ITEMS];
        test_memory memory;
        test_memory_init(&memory, hm_memory_os()->page_size);
        hm_map_desc desc = {.item_size = sizeof(plain_item), .memory = &memory.table};
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        for (uint32_t i = 0; i < ITEMS; i++)
            handles[i] = hm_map_insert(&map, &(plain_item){.key = ITEMS - i, .id = i});
        hm_order order = by_plain;
        order.context = &asked;
        test_memory_fail(&memory, k, true);
        is_done = hm_map_defragment(&map, &order, NULL).done;
        test_memory_fail(&memory, 0, false);
        CHECK(hm_map_erase_n(&map, handles, ITEMS) == ITEMS);
        CHECK(hm_map_defragment(&map, &order, NULL).done && hm_map_validate(&map) == HM_OK);
        hm_map_fini(&map);
        test_memory_check_released(&memory);
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
        CHECK(c.state->batch.count > HM_ORDER_GROUP);
        column_finish(&c, column_order(&c, 3), no_limit);
        for (uint32_t i = 0; i < 4 * COUNT / 32; i++)
            CHECK(c.state->marks[i] == 0);
        column_fini(&c);
    }
}

/* Of each `rarity` items one belongs at most `reach` places away. */
static void fill_near(column *c, uint32_t count, uint32_t rarity, uint32_t far, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_moved = test_random_below(random, rarity) == 0;
        uint32_t key = 2 * far + i;
        column_insert(c, is_moved ? key - far + test_random_below(random, 2 * far + 1) : key,
                      false);
    }
}

/* What is found near and moved at once takes the swaps that it takes otherwise. */
TEST(order_typed, items_near_their_places_take_the_swaps_that_an_untyped_order_takes)
{
    static const uint32_t rarities[] = {2, 5, 20, 100};
    static const uint32_t distances[] = {2, 20, 64, 200};
    static const hm_frame_budget tight[] = {{HM_NO_LIMIT, HM_NO_LIMIT, false},
                                            {1, 1, false},
                                            {7, 40, false},
                                            {HM_NO_LIMIT, 33, false},
                                            {30, HM_NO_LIMIT, false}};
    uint64_t seed = test_seed("near items");
    enum { ALL = 4 * 4 * 5, STEP = 7 }; /* Steps reach all of them, since 7 divides no ALL. */
    for (uint32_t round = test_scaled(ALL); round > 0; round--) {
        uint32_t i = round * STEP % ALL;
        uint64_t swaps = 0;
        for (uint32_t which = 0; which < ORDERS; which++) {
            uint64_t random = seed + i;
            column c;
            column_init(&c, COUNT);
            fill_near(&c, COUNT, rarities[i % 4], distances[i / 4 % 4], &random);
            hm_progress total = column_finish(&c, column_order(&c, which), tight[i / 16]);
            CHECK(total.swaps <= COUNT);
            CHECK(which == 0 || which == 2 || total.swaps == swaps);
            swaps = which == 0 ? total.swaps : swaps;
            column_fini(&c);
        }
    }
}

static void order_near_items(size_t item_size, uint32_t which, hm_frame_budget budget,
                             uint64_t *random)
{
    hm_map map;
    hm_map_desc desc = {.item_size = item_size, .item_align = 4, .capacity = COUNT, .type_id = 1};
    hm_handle handles[COUNT];
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t away = test_random_below(random, 10) == 0 ? test_random_below(random, 129) : 64;
        plain_item begin = {i + away, i};
        unsigned char item[40];
        memset(item, (int)i, sizeof item);
        memcpy(item, &begin, sizeof begin);
        handles[i] = hm_map_insert(&map, item);
    }
    hm_order order = typed_order(which);
    FINISH(hm_map_defragment(&map, &order, ONCE(budget)), budget);
    for (uint32_t i = 0; i < COUNT; i++) {
        const unsigned char *item = hm_map_get(&map, handles[i]);
        CHECK(begin_of(item)->id == i);
        CHECK(item_size == sizeof(plain_item) || item[item_size - 1] == (unsigned char)i);
        item = hm_map_items(&map);
        if (i > 0)
            check_begins(item + (i - 1) * item_size, item + i * item_size);
    }
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(order_typed, near_items_of_every_size_move_with_their_handles)
{
    static const size_t sizes[] = {8, 12, 16, 40};
    static const uint32_t orders[] = {0, 5}; /* by_plain and by_plain_key */
    uint64_t random = test_seed("near items of every size");
    for (uint32_t which = 0; which < 2; which++)
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
                order_near_items(sizes[size], orders[which], budgets[i], &random);
}

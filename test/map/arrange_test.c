/* SPDX-License-Identifier: MIT */
/* hm_map_arrange, an order given as handles: its costs, and what the models' scripts do not do. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <stdlib.h>

enum { CAPACITY = 300, MANY = 200000 };

static const hm_budget no_limit = {0};

/* A map of numbers, and the handles that it issued: number i has handle i. */
typedef struct numbers {
    hm_map map;
    hm_handle handles[CAPACITY];
    uint32_t position[CAPACITY]; /* of number i, kept from the reports of moves alone */
    uint64_t reports;
} numbers;

static void follow(void *item, uint32_t from, uint32_t to, void *context)
{
    numbers *of = context;
    uint32_t number = *(const uint32_t *)item;
    CHECK(of->position[number] == from);
    of->position[number] = to;
    of->reports++;
}

static void start(numbers *of, uint32_t count)
{
    memset(of, 0, sizeof *of);
    hm_map_desc desc = {.item_size = sizeof(uint32_t),
                        .capacity = CAPACITY,
                        .type_id = 3,
                        .meta_size = sizeof(uint32_t),
                        .relocate = follow,
                        .context = of};
    CHECK(hm_map_init(&of->map, &desc) == HM_OK);
    for (uint32_t i = 0; i < count; i++) {
        of->handles[i] = hm_map_insert(&of->map, &i);
        *(uint32_t *)hm_map_meta_at(&of->map, i) = i;
        of->position[i] = i;
    }
}

/* Checks that the map is valid, every live handle resolves, and meta and reports agree. */
static void check_whole(const numbers *of)
{
    const uint32_t *items = hm_map_items(&of->map);
    CHECK(hm_map_validate(&of->map) == HM_OK);
    for (uint32_t i = 0; i < hm_map_count(&of->map); i++) {
        CHECK(hm_map_index_of(&of->map, of->handles[items[i]]) == i);
        CHECK(*(uint32_t *)hm_map_meta_at(&of->map, i) == items[i]);
        CHECK(of->position[items[i]] == i);
    }
}

static hm_progress call(numbers *of, const hm_handle *list, uint32_t n, hm_budget budget)
{
    of->reports = 0;
    hm_progress progress = hm_map_arrange(&of->map, list, n, ONCE(budget));
    CHECK(progress.compares == 0);
    CHECK(budget.max_swaps == 0 || progress.swaps <= budget.max_swaps);
    CHECK(of->reports <= 2 * progress.swaps);
    check_whole(of);
    return progress;
}

/* Makes calls until it is done; returns the swaps. */
static uint64_t finish(numbers *of, const hm_handle *list, uint32_t n, hm_budget budget)
{
    uint64_t swaps = 0;
    hm_progress progress;
    do {
        progress = call(of, list, n, budget);
        swaps += progress.swaps;
        CHECK(swaps <= (uint64_t)CAPACITY * CAPACITY);
    } while (!progress.done);
    return swaps;
}

static bool stand(const numbers *of, const uint32_t *expected, uint32_t count)
{
    const uint32_t *items = hm_map_items(&of->map);
    return hm_map_count(&of->map) == count && memcmp(items, expected, count * sizeof *items) == 0;
}

/* Items without a name keep their order, so one handle may move all. */
TEST(map_arrange, it_takes_fewer_swaps_than_there_are_items_and_may_take_all_of_them_for_one_handle)
{
    numbers of;
    hm_handle list[CAPACITY];
    for (uint32_t n = 1; n <= CAPACITY; n = n * 2 + 1) {
        uint64_t swaps = 0;
        hm_progress progress;
        start(&of, CAPACITY);
        for (uint32_t i = 0; i < n; i++)
            list[i] = of.handles[CAPACITY - 1 - i];
        do {
            progress = call(&of, list, n, (hm_budget){.max_swaps = 7});
            swaps += progress.swaps;
        } while (!progress.done);
        CHECK(swaps < CAPACITY && (n > 1 || swaps == CAPACITY - 1));
        hm_map_fini(&of.map);
    }
}

static void shuffle(hm_handle *list, uint32_t n, uint64_t *random)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = test_random_below(random, i);
        hm_handle handle = list[i - 1];
        list[i - 1] = list[other];
        list[other] = handle;
    }
}

TEST(map_arrange, any_list_takes_n_swaps_at_most_under_any_budget)
{
    uint64_t random = test_seed("lists");
    for (uint32_t round = 0; round < 400; round++) {
        numbers of;
        hm_handle list[CAPACITY];
        uint32_t count = 1 + test_random_below(&random, round % 2 ? CAPACITY : 40);
        uint32_t named = test_random_below(&random, count + 1);
        start(&of, count);
        memcpy(list, of.handles, sizeof list);
        shuffle(list, count, &random);
        hm_budget budget =
            hm_budget_of(test_random_below(&random, 20), test_random_below(&random, 3));
        CHECK(finish(&of, list, named, budget) <= count);
        const uint32_t *items = hm_map_items(&of.map);
        for (uint32_t i = 0; i < named; i++)
            CHECK(hm_map_index_of(&of.map, list[i]) == i);
        for (uint32_t i = named + 1; i < count; i++)
            CHECK(items[i - 1] < items[i]);
        hm_map_fini(&of.map);
    }
}

/* The other items give way once, however many named items come down past them. */
TEST(map_arrange, what_stands_in_its_place_is_not_moved)
{
    numbers of;
    start(&of, 100);
    hm_handle list[100];
    memcpy(list, of.handles, sizeof list);
    list[97] = of.handles[98];
    list[98] = of.handles[97];
    CHECK(finish(&of, list, 100, no_limit) == 1);
    hm_map_fini(&of.map);
}

TEST(map_arrange, after_done_the_buffer_may_hold_other_handles)
{
    numbers of;
    start(&of, 5);
    hm_handle list[] = {of.handles[4], of.handles[3]};
    finish(&of, list, 2, no_limit);
    list[0] = of.handles[1];
    list[1] = of.handles[2];
    finish(&of, list, 2, hm_budget_of(1, 1));
    CHECK(stand(&of, (const uint32_t[]){1, 2, 4, 3, 0}, 5));
    finish(&of, list, 1, hm_budget_of(1, 1));
    list[0] = of.handles[0];
    CHECK(!call(&of, list, 1, hm_budget_of(1, 1)).done);
    list[0] = of.handles[3];
    hm_map_touch_all(&of.map); /* It was not done, so the map has to be told. */
    finish(&of, list, 1, hm_budget_of(1, 1));
    CHECK(of.position[3] == 0);
    hm_map_fini(&of.map);
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    (void)context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint64_t number_of(const void *item, void *context)
{
    (void)context;
    return *(const uint32_t *)item;
}

static void check_named(const numbers *of, const hm_handle *list, uint32_t n)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t position = hm_map_index_of(&of->map, list[i]);
        if (position != HM_INVALID_INDEX && position >= named)
            CHECK(position == named++);
    }
}

/* Each begins where the other stopped, and reports `done` only for its own order. */
TEST(map_arrange, defragment_and_arrange_may_take_turns)
{
    static const hm_order orders[] = {{.compare = compare_numbers}, {.key = number_of}};
    uint64_t random = test_seed("taking turns");
    numbers of;
    hm_handle list[CAPACITY];
    start(&of, CAPACITY);
    memcpy(list, of.handles, sizeof list);
    for (uint32_t round = 0; round < 300; round++) {
        const hm_order *order = &orders[round % 2];
        uint32_t n = test_random_below(&random, CAPACITY);
        hm_budget budget =
            hm_budget_of(1 + test_random_below(&random, 400), 1 + test_random_below(&random, 2000));
        shuffle(list, CAPACITY, &random);
        hm_map_touch_all(&of.map);
        if (call(&of, list, n, budget).done)
            check_named(&of, list, n);
        bool done = hm_map_defragment(&of.map, order, ONCE(budget)).done;
        const uint32_t *items = hm_map_items(&of.map);
        for (uint32_t i = 1; done && i < CAPACITY; i++)
            CHECK(items[i - 1] < items[i]);
        check_whole(&of);
    }
    CHECK(hm_map_defragment(&of.map, &orders[0], NULL).done);
    CHECK(hm_map_defragment(&of.map, &orders[0], NULL).compares == 0);
    CHECK(call(&of, of.handles, CAPACITY, no_limit).done);
    CHECK(hm_map_defragment(&of.map, &orders[0], NULL).compares == CAPACITY - 1);
    hm_map_fini(&of.map);
}

/* Looking at each handle is other work, which the budget limits too. */
TEST(map_arrange, a_tight_budget_does_not_walk_a_long_list_at_once)
{
    enum { WORK = 4104 }; /* what a budget of 1 and 1 leaves */
    hm_map map;
    hm_map_desc desc = {.item_size = 1, .capacity = MANY};
    hm_handle *list = malloc(MANY * sizeof *list);
    CHECK(list != NULL && hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, MANY, list) == HM_OK);
    list[MANY - 1] = list[MANY - 2]; /* so that the search for one more goes to the end */
    uint32_t idle = 0;
    hm_progress progress;
    do {
        progress = hm_map_arrange(&map, list, MANY, BUDGET(1, 1));
        idle += progress.swaps == 0;
    } while (!progress.done);
    CHECK(idle >= MANY / WORK);
    CHECK(hm_map_arrange(&map, list, MANY, NULL).done);
    free(list);
    hm_map_fini(&map);
}

/* The first item moves behind all others; the map changes during that. */
static void arrange_many(uint32_t stop, bool is_refused, uint64_t *random)
{
    test_memory memory;
    hm_map map;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_map_desc desc = {.item_size = 1, .capacity = 2 * MANY, .memory = &memory.table};
    hm_handle *list = malloc((MANY + 2) * sizeof *list);
    CHECK(list != NULL && hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, MANY, list) == HM_OK);
    shuffle(list, MANY, random);
    list[MANY] = list[MANY / 2];
    list[MANY / 2] = hm_handle_pack(MANY, 1, 0); /* the next that will be issued */
    list[MANY + 1] = list[0];
    for (uint32_t spent = 0; spent < stop; spent++)
        CHECK(!hm_map_arrange(&map, list, MANY + 2, BUDGET(1, 1)).done);
    CHECK(hm_map_reserve(&map, MANY) == HM_OK);
    if (is_refused)
        test_memory_fail(&memory, 1, true);
    CHECK(hm_map_insert_n(&map, NULL, MANY, NULL) == HM_OK);
    hm_progress progress;
    for (uint32_t spent = 0; spent < 60; spent++)
        progress = hm_map_arrange(&map, list, MANY + 2, BUDGET(1, 1));
    test_memory_fail(&memory, 0, false);
    hm_map_touch_all(&map);
    do
        progress = hm_map_arrange(&map, list, MANY + 2, BUDGET(5000, 0));
    while (!progress.done);
    for (uint32_t i = 0; i <= MANY; i++)
        CHECK(hm_map_index_of(&map, list[i]) == i);
    free(list);
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

TEST(map_arrange, many_items_may_be_inserted_before_the_list_is_read_to_the_end)
{
    uint64_t random = test_seed("many names");
    static const uint32_t stops[] = {3, 24, 0, 42, 1, 6, 2, 4, 5};
    for (uint32_t i = 0; i < test_scaled(2 * sizeof stops / sizeof *stops); i++)
        arrange_many(stops[i / 2], i % 2 != 0, &random);
}

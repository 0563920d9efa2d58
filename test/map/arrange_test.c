/* SPDX-License-Identifier: MIT */
/* hm_map_arrange, an order given as handles: its costs, and what the models' scripts do not do. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <stdlib.h>

enum { CAPACITY = 300, MANY = 200000 };

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

static hm_progress call(numbers *of, const hm_handle *list, uint32_t n, hm_frame_budget budget)
{
    of->reports = 0;
    hm_progress progress = hm_map_arrange(&of->map, list, n, ONCE(budget));
    CHECK(progress.compares == 0);
    CHECK(budget.swaps_left == HM_NO_LIMIT || progress.swaps <= budget.swaps_left);
    CHECK(of->reports <= 2 * progress.swaps);
    check_whole(of);
    return progress;
}

/* Makes calls until it is done; returns the swaps. */
static uint64_t finish(numbers *of, const hm_handle *list, uint32_t n, hm_frame_budget budget)
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
        hm_frame_budget budget =
            test_budget_of(test_random_below(&random, 20), test_random_below(&random, 3));
        CHECK(finish(&of, list, named, budget) <= count);
        const uint32_t *items = hm_map_items(&of.map);
        for (uint32_t i = 0; i < named; i++)
            CHECK(hm_map_index_of(&of.map, list[i]) == i);
        for (uint32_t i = named + 1; i < count; i++)
            CHECK(items[i - 1] < items[i]);
        hm_map_fini(&of.map);
    }
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
    hm_map_clear(&map); /* A map without items is in order, whether it was ever arranged or not. */
    CHECK(hm_map_arrange(&map, list, MANY, BUDGET(1, 1)).done);
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
        progress = hm_map_arrange(&map, list, MANY + 2, BUDGET(5000, HM_NO_LIMIT));
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

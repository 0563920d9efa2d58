/* SPDX-License-Identifier: MIT */
/* hm_map_defragment, hm_map_touch and hm_map_touch_all: their costs, and what the models' scripts
 * do not do. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <stdlib.h>

typedef struct item {
    uint32_t key, id;
} item;

HM_MAP_DEFINE(item, item, 9)

static int compare_items(const void *a, const void *b, void *context)
{
    (void)context;
    const item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static uint64_t key_of(const void *a, void *context)
{
    (void)context;
    return ((const item *)a)->key;
}

static const hm_order by_compare = {.compare = compare_items};
static const hm_order by_key = {.key = key_of};

static bool is_sorted(const item_map *map)
{
    const item *items = item_map_items(map);
    for (uint32_t i = 1; i < item_map_count(map); i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

static hm_progress defragment_within(item_map *map, const hm_order *order, hm_frame_budget budget)
{
    hm_progress progress = item_map_defragment(map, order, ONCE(budget));
    CHECK(budget.swaps_left == HM_NO_LIMIT || progress.swaps <= budget.swaps_left);
    CHECK(budget.compares_left == HM_NO_LIMIT || progress.compares <= budget.compares_left);
    return progress;
}

/* The last item has been given its place when the erase moves it. The place of the one that is
 * moved next is then the one that the item before it leaves. */
TEST(map_defragment, an_erase_between_the_search_and_the_moves_leaves_nothing_out_of_order)
{
    item_map map;
    CHECK(item_map_init(&map, 8) == HM_OK);
    item items[8] = {{0, 0}};
    for (uint32_t i = 0; i < 8; i++)
        items[i] = (item){10 * i + 10, i};
    CHECK(hm_map_insert_n(&map.map, items, 8, NULL) == HM_OK);
    CHECK(item_map_defragment(&map, &by_key, NULL).done);
    item *in_place = item_map_items(&map);
    in_place[5].key = 5;
    in_place[7].key = 55;
    item_map_touch(&map, item_map_handle_at(&map, 5));
    item_map_touch(&map, item_map_handle_at(&map, 7));
    CHECK(!defragment_within(&map, &by_key, test_budget_of(HM_NO_LIMIT, 6)).done);
    CHECK(item_map_erase(&map, item_map_handle_at(&map, 0)));
    (void)defragment_within(&map, &by_key, test_budget_of(3, HM_NO_LIMIT));
    CHECK(item_map_defragment(&map, &by_key, NULL).done && is_sorted(&map));
    CHECK(item_map_validate(&map) == HM_OK);
    item_map_fini(&map);
}

/* Looking for the place that the touched item left takes nearly all the work of a call. For one of
 * these distances the rest is used up just before the first item would move. */
TEST(map_defragment, the_work_of_a_call_may_end_just_before_an_item_moves)
{
    enum { ITEMS = 300000, FROM = 156645, TO = 135634, STEP = 32 };
    item_map map;
    CHECK(item_map_init(&map, ITEMS) == HM_OK && hm_map_reserve(&map.map, ITEMS) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        item_map_insert(&map, &(item){2 * i, i});
    for (uint32_t to = TO - 3 * STEP; to <= TO + 3 * STEP; to += STEP) {
        CHECK(
            defragment_within(&map, &by_compare, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false})
                .done &&
            is_sorted(&map));
        item_map_items(&map)[FROM].key = 2 * to + 1;
        hm_map_touch(&map.map, hm_map_handle_at(&map.map, FROM));
        CHECK(!defragment_within(&map, &by_compare, test_budget_of(15, 22)).done);
        CHECK(hm_map_validate(&map.map) == HM_OK);
        CHECK(
            defragment_within(&map, &by_compare, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false})
                .done &&
            is_sorted(&map));
        for (uint32_t i = 0; i < ITEMS; i++)
            item_map_items(&map)[i].key = 2 * i;
    }
    item_map_fini(&map);
}

/* Sorts items, 1% of which were swapped with one at most `reach` away. */
static void displace_and_sort(uint32_t reach, const hm_order *order)
{
    enum { N = 100000 };
    uint64_t random = test_seed("displaced items");
    item_map map;
    CHECK(item_map_init(&map, N) == HM_OK);
    CHECK(hm_map_insert_n(&map.map, NULL, N, NULL) == HM_OK);
    item *items = item_map_items(&map);
    item_handle *handles = calloc(N, sizeof *handles);
    for (uint32_t i = 0; i < N; i++)
        items[i].key = i;
    for (uint32_t i = 0; i < N / 200; i++) {
        uint32_t a = test_random_below(&random, N - reach);
        uint32_t b = a + test_random_below(&random, reach + 1);
        uint32_t key = items[a].key;
        items[a].key = items[b].key;
        items[b].key = key;
    }
    for (uint32_t i = 0; i < N; i++)
        handles[items[i].key] = item_map_handle_at(&map, i);

    hm_progress progress = {0};
    for (uint64_t compares = 0; !progress.done;) {
        progress = defragment_within(&map, order, test_budget_of(1000, HM_NO_LIMIT));
        compares += progress.compares;
        CHECK(compares <= 3 * N);
    }
    CHECK(hm_map_validate(&map.map) == HM_OK);
    for (uint32_t i = 0; i < N; i++)
        CHECK(items[i].key == i && item_map_index_of(&map, handles[i]) == i);
    free(handles);
    item_map_fini(&map);
}

TEST(map_defragment, one_percent_displaced_nearby_costs_three_compares_an_item_at_most)
{
    displace_and_sort(64, &by_compare);
    displace_and_sort(64, &by_key);
}

TEST(map_defragment, one_percent_displaced_anywhere_costs_three_compares_an_item_at_most)
{
    displace_and_sort(99999, &by_compare);
    displace_and_sort(99999, &by_key);
}

/* Makes calls until it is done; returns their total cost. */
static hm_progress defragment_to_the_end(item_map *map, const hm_order *order,
                                         hm_frame_budget budget)
{
    hm_progress progress, total = {0};
    do {
        progress = defragment_within(map, order, budget);
        total.swaps += progress.swaps;
        total.compares += progress.compares;
    } while (!progress.done);
    return total;
}

/* Checks the costs for a large map. */
static void sort_shuffled(const hm_order *order)
{
    enum { N = 100000, MOST_SWAPS = 125000, MOST_COMPARES = 2200000 };
    uint64_t random = test_seed("shuffled items");
    item_map map;
    CHECK(item_map_init(&map, N) == HM_OK);
    for (uint32_t i = 0; i < N; i++)
        item_map_insert(&map, &(item){(uint32_t)test_random(&random), i});
    hm_progress total = defragment_to_the_end(&map, order, test_budget_of(1000, 10000));
    CHECK(is_sorted(&map) && total.swaps <= MOST_SWAPS && total.compares <= MOST_COMPARES);
    item_map_fini(&map);
}

TEST(map_defragment, shuffled_items_take_n_swaps_and_n_log_n_compares)
{
    sort_shuffled(&by_compare);
    sort_shuffled(&by_key);
}

static void disturb_a_few(const hm_order *order)
{
    enum { N = 100000, FEW = 10, REACH = 64, MOST_COMPARES = 1500 };
    uint64_t random = test_seed("a few items");
    item_map map;
    CHECK(item_map_init(&map, N) == HM_OK);
    for (uint32_t i = 0; i < N; i++)
        item_map_insert(&map, &(item){2 * i, i});
    CHECK(item_map_defragment(&map, order, NULL).done);
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < FEW; i++) {
            uint32_t from = REACH + test_random_below(&random, N - 2 * REACH);
            uint32_t to = from - REACH + test_random_below(&random, 2 * REACH);
            item_map_items(&map)[from].key = item_map_items(&map)[to].key + 1;
            hm_map_touch(&map.map, item_map_handle_at(&map, from).id);
        }
        hm_progress total = defragment_to_the_end(&map, order, test_budget_of(100, 200));
        CHECK(is_sorted(&map));
        CHECK(total.compares <= MOST_COMPARES && total.swaps <= FEW * (REACH + FEW));
    }
    item_map_fini(&map);
}

TEST(map_defragment, ten_items_touched_in_a_hundred_thousand_cost_little)
{
    disturb_a_few(&by_compare);
    disturb_a_few(&by_key);
}

TEST(map_defragment, keys_edited_everywhere_are_seen_after_touching_all)
{
    for (uint32_t swaps = 0; swaps < 3; swaps++) {
        item_map map;
        CHECK(item_map_init(&map, 100) == HM_OK);
        for (uint32_t i = 0; i < 100; i++)
            item_map_insert(&map, &(item){i, i});
        /* In the middle of a round, and with all in order. */
        defragment_within(&map, &by_compare, test_budget_of(swaps, HM_NO_LIMIT));
        for (uint32_t i = 0; i < 100; i++)
            item_map_items(&map)[i].key = 1000 - item_map_items(&map)[i].key * 7 % 100;
        hm_map_touch_all(&map.map);
        hm_progress progress;
        do
            progress = defragment_within(&map, &by_compare, test_budget_of(swaps, HM_NO_LIMIT));
        while (!progress.done);
        CHECK(is_sorted(&map));
        item_map_fini(&map);
    }
}

/* By the statistics: what is in use meanwhile, and what remains. */
TEST(map_defragment, scratch_memory_is_given_back_when_the_items_are_placed)
{
    enum { N = 100000, KEPT = 64 << 10, MARKS = N / 4, PAGES = 2 };
    uint64_t random = test_seed("scratch memory");
    test_memory memory;
    item_map map;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_map_desc desc = {.capacity = N, .memory = &memory.table};
    CHECK(item_map_init_desc(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map.map, NULL, N, NULL) == HM_OK);
    for (uint32_t i = 0; i < N; i++)
        item_map_items(&map)[i].key = (uint32_t)test_random(&random);
    hm_map_stats before = hm_map_get_stats(&map.map);
    size_t most = MARKS + KEPT + PAGES * memory.table.page_size;
    CHECK(!item_map_defragment(&map, &by_key, BUDGET(1, HM_NO_LIMIT)).done);
    CHECK(hm_map_get_stats(&map.map).committed_size > before.committed_size + most);
    CHECK(item_map_defragment(&map, &by_key, NULL).done && is_sorted(&map));
    hm_map_stats after = hm_map_get_stats(&map.map);
    CHECK(after.committed_size <= before.committed_size + most);
    CHECK(after.reserved_size <= before.reserved_size + most);
    CHECK(after.committed_size == memory.committed_size);
    CHECK(after.reserved_size == memory.reserved_size);
    item_map_fini(&map);
    test_memory_check_released(&memory);
}

/* Two maps go through the same operations; only one is put in order. */
TEST(map_defragment, trim_gives_back_what_an_order_noted_about_items_that_are_gone)
{
    enum { N = 1000000 };
    hm_map maps[2];
    size_t committed[2];
    for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
        hm_map *map = &maps[is_ordered];
        hm_map_desc desc = {.item_size = sizeof(item), .capacity = N};
        CHECK(hm_map_init(map, &desc) == HM_OK);
        CHECK(hm_map_insert_n(map, NULL, N, NULL) == HM_OK);
        size_t before = hm_map_get_stats(map).committed_size;
        if (is_ordered) {
            CHECK(hm_map_defragment(map, &by_key, NULL).done);
            CHECK(hm_map_get_stats(map).committed_size >= before + N / 4);
        }
        while (hm_map_count(map) > 10)
            hm_map_erase(map, hm_map_handle_at(map, hm_map_count(map) - 1));
        CHECK(hm_map_trim(map) == HM_OK);
        committed[is_ordered] = hm_map_get_stats(map).committed_size;
    }
    CHECK(committed[1] <= committed[0] + hm_memory_os()->page_size);
    CHECK(hm_map_defragment(&maps[1], &by_key, NULL).compares == 0);
    hm_map_fini(&maps[0]);
    hm_map_fini(&maps[1]);
}

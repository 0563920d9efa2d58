/* hm_map_defragment and hm_map_touch: what the design page promises "exactly", on a map. */
#include "support/layout.h"
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

static const hm_order by_compare = {compare_items, NULL, NULL};
static const hm_order by_key = {NULL, key_of, NULL};

static bool is_sorted(const item_map *map)
{
    const item *items = item_map_items(map);
    for (uint32_t i = 1; i < item_map_count(map); i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

static hm_progress defragment_within(item_map *map, const hm_order *order, hm_budget budget)
{
    hm_progress progress = item_map_defragment(map, order, budget);
    CHECK(budget.max_swaps == 0 || progress.swaps <= budget.max_swaps);
    CHECK(budget.max_compares == 0 || progress.compares <= budget.max_compares);
    return progress;
}

TEST(map_defragment, with_a_budget_of_one_swap_done_comes_when_it_is_sorted)
{
    item_map map;
    CHECK(item_map_init(&map, 4) == HM_OK);
    const item items[] = {{1, 0}, {2, 1}, {3, 2}, {0, 3}};
    CHECK(hm_map_insert_n(&map.map, items, 4, NULL) == HM_OK);
    for (uint32_t call = 1; call <= 3; call++) {
        hm_progress progress = defragment_within(&map, &by_compare, (hm_budget){1, 0});
        CHECK(progress.swaps == 1);
        CHECK(progress.done == (call == 3));
        CHECK(is_sorted(&map) == (call == 3));
        CHECK(hm_map_validate(&map.map) == HM_OK);
    }
    hm_progress progress = defragment_within(&map, &by_compare, (hm_budget){0, 0});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    item_map_fini(&map);
}

/* n items, 1% of which trade places with one at most `reach` away. */
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

    hm_progress progress = {0, 0, false};
    for (uint64_t compares = 0; !progress.done;) {
        progress = defragment_within(&map, order, (hm_budget){1000, 0});
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

/* Random changes between calls with random budgets; what is done must be sorted, and a map that is
 * left alone must get done. */
static void change_between_calls(const hm_order *order, uint64_t *random)
{
    item_map map;
    CHECK(item_map_init(&map, 200) == HM_OK);
    for (uint32_t step = 0; step < 400; step++) {
        uint32_t index = test_random_below(random, item_map_count(&map) + 1);
        item_handle there = item_map_handle_at(&map, index);
        item fresh = {test_random_below(random, 64), step};
        switch (test_random_below(random, 8)) {
        case 0:
        case 1:
        case 2:
            item_map_insert(&map, &fresh);
            break;
        case 3:
            item_map_erase(&map, there);
            break;
        case 4:
            if (item_map_get(&map, there) != NULL)
                item_map_get(&map, there)->key = fresh.key;
            hm_map_touch(&map.map, there.id);
            break;
        case 5:
            if (test_random_below(random, 40) == 0)
                item_map_clear(&map);
            break;
        default:
            break;
        }
        hm_budget budget = {test_random_below(random, 12), 1 + test_random_below(random, 30)};
        hm_progress progress = defragment_within(&map, order, budget);
        CHECK(!progress.done || is_sorted(&map));
        CHECK(hm_map_validate(&map.map) == HM_OK);
    }
    hm_progress progress;
    do
        progress = defragment_within(&map, order, (hm_budget){3, 3});
    while (!progress.done);
    CHECK(is_sorted(&map));
    item_map_fini(&map);
}

TEST(map_defragment, changes_between_calls_never_make_done_a_lie)
{
    uint64_t random = test_seed("changes between calls");
    for (uint32_t round = 0; round < 300; round++)
        change_between_calls(round % 2 ? &by_key : &by_compare, &random);
}

TEST(map_defragment, equal_items_keep_their_order_when_others_come_and_go)
{
    uint64_t random = test_seed("stability");
    item_map map;
    CHECK(item_map_init(&map, 4000) == HM_OK);
    for (uint32_t i = 0; i < 2000; i++)
        item_map_insert(&map, &(item){test_random_below(&random, 8), i});
    hm_progress progress = {0, 0, false};
    for (uint32_t next = 2000; !progress.done;) {
        progress = defragment_within(&map, &by_compare, (hm_budget){20000, 0});
        if (next < 4000) {
            item_map_insert(&map, &(item){test_random_below(&random, 8), next++});
            progress.done = false;
        }
    }
    const item *items = item_map_items(&map);
    for (uint32_t i = 1; i < item_map_count(&map); i++)
        CHECK(items[i - 1].key < items[i].key ||
              (items[i - 1].key == items[i].key && items[i - 1].id < items[i].id));
    item_map_fini(&map);
}

TEST(map_defragment, a_key_edited_in_place_is_seen_after_a_touch)
{
    item_map map;
    CHECK(item_map_init(&map, 100) == HM_OK);
    for (uint32_t i = 0; i < 100; i++)
        item_map_insert(&map, &(item){i, i});
    CHECK(item_map_defragment(&map, &by_key, (hm_budget){0, 0}).done);
    item_handle edited = item_map_handle_at(&map, 40);
    item_map_get(&map, edited)->key = 1000;
    hm_map_touch(&map.map, edited.id);
    CHECK(item_map_defragment(&map, &by_key, (hm_budget){0, 0}).done);
    CHECK(is_sorted(&map) && item_map_index_of(&map, edited) == 99);
    hm_map_touch(&map.map, HM_NULL_HANDLE);
    hm_progress progress = item_map_defragment(&map, &by_key, (hm_budget){0, 0});
    CHECK(progress.done && progress.compares == 0);
    item_map_fini(&map);
}

TEST(map_defragment, keys_that_are_renumbered_in_the_same_order_need_no_touch)
{
    uint64_t random = test_seed("renumbered keys");
    item_map map;
    CHECK(item_map_init(&map, 1000) == HM_OK);
    for (uint32_t i = 0; i < 1000; i++)
        item_map_insert(&map, &(item){test_random_below(&random, 1000000), i});
    hm_progress progress;
    do {
        progress = defragment_within(&map, &by_key, (hm_budget){100, 3});
        item *items = item_map_items(&map);
        for (uint32_t i = 0; i < 1000; i++)
            items[i].key += 1000;
    } while (!progress.done);
    CHECK(is_sorted(&map));
    item_map_fini(&map);
}

static bool has_odd_key(const item *it, void *context)
{
    (void)context;
    return it->key % 2 == 1;
}

/* Wherever the order stopped, also with an item in flight, erase_if moves positions under it. */
static void erase_if_after(const hm_order *order, hm_budget budget)
{
    static const item items[] = {{10, 0}, {11, 1}, {12, 2}, {13, 3}, {14, 4}, {15, 5},
                                 {16, 6}, {17, 7}, {2, 8},  {18, 9}, {4, 10}, {19, 11}};
    item_map map;
    CHECK(item_map_init(&map, 12) == HM_OK);
    CHECK(hm_map_insert_n(&map.map, items, 12, NULL) == HM_OK);
    defragment_within(&map, order, budget);
    CHECK(item_map_erase_if(&map, has_odd_key, NULL) == 5);
    CHECK(defragment_within(&map, order, (hm_budget){0, 0}).done);
    CHECK(is_sorted(&map));
    item_map_fini(&map);
}

TEST(map_defragment, erase_if_at_any_point_of_an_order_leaves_nothing_out_of_order)
{
    for (uint32_t most = 1; most <= 40; most++) {
        erase_if_after(&by_compare, (hm_budget){most, 0});
        erase_if_after(&by_compare, (hm_budget){0, most});
        erase_if_after(&by_key, (hm_budget){most, 0});
        erase_if_after(&by_key, (hm_budget){0, most});
    }
}

TEST(map_defragment, erase_if_leaves_an_ordered_map_ordered_at_no_cost)
{
    item_map map;
    CHECK(item_map_init(&map, 100) == HM_OK);
    for (uint32_t i = 0; i < 100; i++)
        item_map_insert(&map, &(item){(i * 37) % 100, i});
    CHECK(item_map_defragment(&map, &by_key, (hm_budget){0, 0}).done);
    CHECK(item_map_erase_if(&map, has_odd_key, NULL) == 50);
    hm_progress progress = item_map_defragment(&map, &by_key, (hm_budget){0, 0});
    CHECK(progress.done && progress.compares == 0 && is_sorted(&map));
    item_map_fini(&map);
}

TEST(map_defragment, another_order_starts_anew)
{
    item_map map;
    CHECK(item_map_init(&map, 10) == HM_OK);
    for (uint32_t i = 0; i < 10; i++)
        item_map_insert(&map, &(item){10 - i, i});
    CHECK(item_map_defragment(&map, &by_key, (hm_budget){0, 0}).done);
    CHECK(item_map_defragment(&map, &by_compare, (hm_budget){0, 0}).compares > 0);
    CHECK(item_map_defragment(&map, &by_compare, (hm_budget){0, 0}).compares == 0);
    item_map_fini(&map);
}

/* What the callbacks of one defragmentation see and count. */
typedef struct witness {
    hm_map map;
    size_t item_size;
    hm_handle at[300]; /* dense index -> handle, kept in step by the reports alone */
    uint64_t reports;
} witness;

static void refuse_everything(witness *w)
{
    CHECK(hm_map_validate(&w->map) == HM_OK);
    CHECK(hm_handle_is_null(hm_map_insert(&w->map, NULL)));
    CHECK(hm_map_reserve(&w->map, 1) == HM_ERROR_BUSY);
    CHECK(hm_map_trim(&w->map) == HM_ERROR_BUSY);
    CHECK(!hm_map_erase(&w->map, hm_map_handle_at(&w->map, 0)));
    hm_order order = {compare_items, NULL, NULL};
    hm_progress progress = hm_map_defragment(&w->map, &order, (hm_budget){0, 0});
    CHECK(!progress.done && progress.swaps == 0 && progress.compares == 0);
}

static int compare_bytes(const void *a, const void *b, void *context)
{
    witness *w = context;
    if (w->map.ids.count < 40)
        refuse_everything(w);
    return memcmp(a, b, w->item_size);
}

static void follow(void *it, uint32_t from, uint32_t to, void *context)
{
    witness *w = context;
    CHECK(it == (unsigned char *)hm_map_items(&w->map) + w->item_size * to);
    CHECK(hm_map_validate(&w->map) == HM_OK);
    w->at[to] = hm_map_handle_at(&w->map, to);
    w->reports++;
    (void)from;
}

static void sort_layout(test_layout layout, uint32_t count, uint64_t *random)
{
    static witness w;
    test_memory memory;
    test_memory_init(&memory, layout.page_size);
    memset(&w, 0, sizeof w);
    w.item_size = layout.item_size;
    hm_map_desc desc = {.item_size = layout.item_size,
                        .item_align = layout.item_align,
                        .capacity = 300,
                        .meta_size = sizeof(hm_handle),
                        .relocate = follow,
                        .context = &w,
                        .memory = &memory.table};
    CHECK(hm_map_init(&w.map, &desc) == HM_OK);
    uint64_t values[300];
    for (uint32_t i = 0; i < count; i++) {
        void *place;
        hm_handle handle = hm_map_emplace(&w.map, &place);
        values[hm_handle_index(handle)] = test_random(random);
        test_item_fill(place, layout.item_size, values[hm_handle_index(handle)]);
        memcpy(hm_map_meta_at(&w.map, i), &handle, sizeof handle);
        w.at[i] = handle;
    }
    hm_order order = {compare_bytes, NULL, &w};
    hm_progress progress;
    do {
        w.reports = 0;
        progress = hm_map_defragment(&w.map, &order, (hm_budget){1 + count / 3, 0});
        CHECK(progress.swaps <= 1 + count / 3 && w.reports <= 2 * progress.swaps);
        for (uint32_t i = 0; i < count; i++) {
            hm_handle handle = hm_map_handle_at(&w.map, i);
            CHECK(hm_handle_equal(handle, w.at[i]));
            CHECK(memcmp(hm_map_meta_at(&w.map, i), &handle, sizeof handle) == 0);
            CHECK(test_item_is(hm_map_get(&w.map, handle), layout.item_size,
                               values[hm_handle_index(handle)]));
        }
    } while (!progress.done);
    const unsigned char *items = hm_map_items(&w.map);
    for (uint32_t i = 1; i < count; i++)
        CHECK(memcmp(items + layout.item_size * (i - 1), items + layout.item_size * i,
                     layout.item_size) <= 0);
    hm_map_fini(&w.map);
    test_memory_check_released(&memory);
}

TEST(map_defragment, every_layout_moves_whole_with_its_meta_and_reports_each_move)
{
    uint64_t random = test_seed("layouts in order");
    for (size_t i = 0; i < test_layout_count(); i++)
        sort_layout(test_layout_at(i), 60, &random);
}

TEST(map_defragment, callbacks_see_the_map_whole_and_cannot_change_it)
{
    uint64_t random = test_seed("witnesses");
    sort_layout((test_layout){8, 8, hm_memory_os()->page_size}, 30, &random);
    sort_layout((test_layout){5000, 8, 65536}, 30, &random);
}

TEST(map_defragment, a_zeroed_map_is_in_order)
{
    hm_map map = {0};
    hm_progress progress = hm_map_defragment(&map, &by_key, (hm_budget){0, 0});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    hm_map_touch(&map, hm_handle_pack(0, 1, 0));
}

DEATH_TEST(map_defragment, an_order_of_nothing_is_a_broken_contract)
{
    hm_map map = {0};
    hm_order order = {NULL, NULL, NULL};
    hm_map_defragment(&map, &order, (hm_budget){0, 0});
}

DEATH_TEST(map_defragment, no_order_is_a_broken_contract)
{
    hm_map map = {0};
    hm_map_defragment(&map, NULL, (hm_budget){0, 0});
}

DEATH_TEST(map_defragment, touching_no_map_is_a_broken_contract)
{
    hm_map_touch(NULL, HM_NULL_HANDLE);
}

static uint64_t touch_inside(const void *it, void *context)
{
    (void)it;
    hm_map_touch(context, HM_NULL_HANDLE);
    return 0;
}

DEATH_TEST(map_defragment, touching_from_inside_a_callback_reaches_the_panic_hook)
{
    item_map map;
    CHECK(item_map_init(&map, 2) == HM_OK);
    hm_map_insert_n(&map.map, NULL, 2, NULL);
    hm_order order = {NULL, touch_inside, &map.map};
    item_map_defragment(&map, &order, (hm_budget){0, 0});
}

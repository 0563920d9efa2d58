/* SPDX-License-Identifier: MIT */
/* hm_map_lower_bound and hm_map_upper_bound: ranges of a map in order, who is refused, and what
 * callbacks may do. order/bound_test.c tests the search itself. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <string.h>

typedef struct named {
    uint32_t group;
    char name[12];
} named;

enum { ITEMS = 300, GROUPS = 20 };

static int compare_names(const void *a, const void *b, void *context)
{
    const named *x = a, *y = b;
    (void)context;
    return strcmp(x->name, y->name);
}

static uint64_t group_of(const void *item, void *context)
{
    (void)context;
    return ((const named *)item)->group;
}

static const hm_order by_name = {.compare = compare_names};
static const hm_order by_group = {.key = group_of};
static const hm_order by_group_and_name = {.compare = compare_names, .key = group_of};

static named make_named(uint32_t number)
{
    named made = {.group = number * 7 % GROUPS};
    made.name[0] = (char)('a' + number * 11 % 26);
    made.name[1] = (char)('a' + number * 5 % 3);
    return made;
}

static void init(hm_map *map, hm_map_desc desc)
{
    desc.item_size = sizeof(named);
    desc.capacity = 2 * ITEMS;
    desc.max_slots = 4 * ITEMS;
    desc.name = "named";
    CHECK(hm_map_init(map, &desc) == HM_OK);
}

static void init_full(hm_map *map)
{
    init(map, (hm_map_desc){0});
    for (uint32_t i = 0; i < ITEMS; i++) {
        named made = make_named(i);
        CHECK(!hm_handle_is_null(hm_map_insert(map, &made)));
    }
}

static bool is_less(const hm_order *order, const named *a, const named *b)
{
    if (order->key != NULL && a->group != b->group)
        return a->group < b->group;
    return order->compare != NULL && strcmp(a->name, b->name) < 0;
}

/* Items below lower are before the probe, those from upper on behind it, and those between neither.
 */
static void check_range(const hm_map *map, const hm_order *order, const named *probe)
{
    const named *items = hm_map_items(map);
    uint32_t lower = hm_map_lower_bound(map, order, probe);
    uint32_t upper = hm_map_upper_bound(map, order, probe);
    CHECK(lower <= upper && upper <= hm_map_count(map));
    for (uint32_t i = 0; i < hm_map_count(map); i++) {
        CHECK(is_less(order, &items[i], probe) == (i < lower));
        CHECK(is_less(order, probe, &items[i]) == (i >= upper));
    }
}

TEST(map_bound, two_searches_find_the_items_of_a_range)
{
    const hm_order *const orders[] = {&by_name, &by_group, &by_group_and_name};
    hm_map map;
    init_full(&map);
    for (uint32_t which = 0; which < 3; which++) {
        CHECK(hm_map_defragment(&map, orders[which], NULL).done);
        for (uint32_t i = 0; i < 2 * ITEMS; i++) {
            named probe = make_named(i);
            check_range(&map, orders[which], &probe);
        }
        check_range(&map, orders[which], &(named){.group = GROUPS, .name = "zz"});
        check_range(&map, orders[which], &(named){.group = 0, .name = ""});
    }
    hm_map_fini(&map);
}

/* Whether both searches refuse, with this sentence. */
static bool is_refused(const hm_map *map, const hm_order *order, const char *why)
{
    const named probe = {.group = 3};
    bool lower = hm_map_lower_bound(map, order, &probe) == HM_INVALID_INDEX;
    lower = lower && strcmp(hm_last_error(), why) == 0;
    bool upper = hm_map_upper_bound(map, order, &probe) == HM_INVALID_INDEX;
    return lower && upper && strcmp(hm_last_error(), why) == 0;
}

static const char not_done[] = "the map 'named' is not in order: defragment is not done";
static const char another[] =
    "the map 'named' is not in order: defragment was not called for it, or not last";

static bool is_answered(const hm_map *map, const hm_order *order)
{
    const named probe = {.group = 3};
    return hm_map_lower_bound(map, order, &probe) <= hm_map_count(map) &&
           hm_map_upper_bound(map, order, &probe) <= hm_map_count(map);
}

static bool is_of_group_3(const void *item, void *context)
{
    (void)context;
    return group_of(item, NULL) == 3;
}

TEST(map_bound, a_map_that_is_not_in_order_is_refused)
{
    hm_map map;
    init_full(&map);
    CHECK(is_refused(&map, &by_group, another));
    CHECK(!hm_map_defragment(&map, &by_group, &(hm_budget){.max_swaps = 3}).done);
    CHECK(is_refused(&map, &by_group, not_done));
    CHECK(hm_map_defragment(&map, &by_group, NULL).done && is_answered(&map, &by_group));
    CHECK(is_refused(&map, &by_group_and_name, another));

    const hm_handle first = hm_map_handle_at(&map, 0);
    hm_map_touch(&map, first);
    CHECK(is_refused(&map, &by_group, not_done));
    CHECK(hm_map_defragment(&map, &by_group, NULL).done && is_answered(&map, &by_group));
    CHECK(hm_map_erase(&map, first) && is_refused(&map, &by_group, not_done));
    hm_map_touch(&map, first);
    CHECK(hm_map_defragment(&map, &by_group, NULL).done && is_answered(&map, &by_group));
    hm_map_touch(&map, first); /* It names nothing. */
    CHECK(is_answered(&map, &by_group) && hm_map_trim(&map) == HM_OK);
    CHECK(is_answered(&map, &by_group));
    hm_map_insert(&map, NULL);
    CHECK(is_refused(&map, &by_group, not_done));
    CHECK(hm_map_defragment(&map, &by_group, NULL).done && is_answered(&map, &by_group));
    CHECK(hm_map_erase_if(&map, is_of_group_3, NULL) == ITEMS / GROUPS);
    CHECK(is_answered(&map, &by_group)); /* The others kept their order. */
    hm_map_touch_all(&map);
    CHECK(is_refused(&map, &by_group, not_done));
    CHECK(hm_map_arrange(&map, NULL, 0, NULL).done);
    CHECK(is_refused(&map, &by_group, another));
    hm_map_fini(&map);
}

TEST(map_bound, an_empty_map_is_in_every_order)
{
    hm_map map = {0};
    CHECK(hm_map_lower_bound(&map, &by_name, &(named){0}) == 0);
    init_full(&map);
    hm_map_clear(&map);
    CHECK(hm_map_lower_bound(&map, &by_name, &(named){0}) == 0);
    CHECK(hm_map_upper_bound(&map, &by_group, &(named){0}) == 0);
    hm_map_fini(&map);
}

TEST(map_bound, a_map_that_waits_for_memory_is_not_searched)
{
    hm_map map;
    test_memory memory;
    test_memory_init(&memory, test_page_size(4096));
    init(&map, (hm_map_desc){.memory = &memory.table});
    for (uint32_t i = 0; i < 20; i++) {
        named made = make_named(i);
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &made)));
    }
    test_memory_fail(&memory, 1, true);
    test_memory_follow(&memory, hm_map_defragment(&map, &by_name, NULL));
    CHECK(hm_map_lower_bound(&map, &by_name, hm_map_items(&map)) == HM_INVALID_INDEX);
    CHECK(hm_map_defragment(&map, &by_name, NULL).done);
    for (uint32_t i = 0; i < 30; i++) {
        named probe = make_named(i);
        check_range(&map, &by_name, &probe);
    }
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

typedef struct searched {
    hm_map map;
    uint32_t calls;
} searched;

/* Makes const calls, which see the whole map. */
static int compare_and_look(const void *a, const void *b, void *context)
{
    searched *s = context;
    CHECK(hm_map_validate(&s->map) == HM_OK);
    if (++s->calls == 1000)
        CHECK(is_answered(&s->map, &(hm_order){.compare = compare_and_look, .context = s}));
    return compare_names(a, b, NULL);
}

TEST(map_bound, compare_may_make_const_calls)
{
    searched s = {.calls = 2000}; /* not while it is being ordered */
    const hm_order order = {.compare = compare_and_look, .context = &s};
    init_full(&s.map);
    CHECK(hm_map_defragment(&s.map, &order, NULL).done);
    s.calls = 999;
    CHECK(is_answered(&s.map, &order) && s.calls > 1000);
    hm_map_fini(&s.map);
}

static int compare_and_erase(const void *a, const void *b, void *context)
{
    searched *s = context;
    int answer = compare_names(a, b, NULL);
    if (s->calls != 0 && --s->calls == 0)
        CHECK(hm_map_erase(&s->map, hm_map_handle_at(&s->map, hm_map_count(&s->map) / 4)));
    return answer;
}

/* It breaks the rules of an order. AddressSanitizer watches. */
TEST(map_bound, a_search_ends_if_compare_changes_the_map)
{
    searched s = {0};
    const hm_order order = {.compare = compare_and_erase, .context = &s};
    init_full(&s.map);
    for (uint32_t at = 1; at <= 8; at++) {
        s.calls = 0;
        CHECK(hm_map_defragment(&s.map, &order, NULL).done);
        s.calls = at;
        CHECK(hm_map_upper_bound(&s.map, &order, &(named){.name = "zz"}) == HM_INVALID_INDEX);
        CHECK(strcmp(hm_last_error(), not_done) == 0);
    }
    hm_map_fini(&s.map);
}

TEST(map_bound, a_search_writes_nothing)
{
    static hm_map map, before;
    init_full(&map);
    CHECK(hm_map_defragment(&map, &by_name, NULL).done);
    memcpy(&before, &map, sizeof map);
    CHECK(is_answered(&map, &by_name) && is_refused(&map, &by_group, another));
    CHECK(memcmp(&before, &map, sizeof map) == 0);
    hm_map_fini(&map);
}

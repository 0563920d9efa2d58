/* SPDX-License-Identifier: MIT */
/* The map's callbacks: when they run, and what they see. matrix/callback_test.c shows that none of
 * them can change the map. */
#include "support/test.h"

#include <handle_map/directory.h>

#include <string.h>

enum { ITEMS = 12, LOG_SIZE = 200 };

typedef enum event_kind { DESTROYED, RELOCATED, ASKED } event_kind;

typedef struct event {
    event_kind kind;
    int value; /* of the item */
    uint32_t from, to, count;
} event;

typedef struct witness {
    hm_map map;
    hm_directory directory;   /* of the map */
    hm_handle handles[ITEMS]; /* item i holds the value i */
    event log[LOG_SIZE];
    uint32_t events;
} witness;

/* Every const function tells the truth, and so does the directory, which may be changed. */
static void check_truth(witness *seen)
{
    hm_map *map = &seen->map;
    uint32_t count = hm_map_count(map);
    const int *items = hm_map_items(map);
    CHECK(hm_map_validate(map) == HM_OK && hm_map_get_stats(map).count == count);
    for (uint32_t i = 0; i < count; i++) {
        hm_handle handle = seen->handles[items[i]];
        CHECK(hm_handle_equal(hm_map_handle_at(map, i), handle));
        CHECK(hm_handle_equal(hm_map_handle_of(map, &items[i]), handle));
        CHECK(hm_map_index_of(map, handle) == i && hm_map_get(map, handle) == &items[i]);
        CHECK(hm_map_contains(map, handle) && hm_map_explain(map, handle) == HM_HANDLE_LIVE);
        CHECK(hm_directory_get(&seen->directory, handle) == &items[i]);
        CHECK(*(int *)hm_map_meta_at(map, i) == -items[i]);
    }
    CHECK(hm_handle_is_null(hm_map_handle_at(map, count)) && hm_map_meta_at(map, count) == NULL);
    CHECK(hm_directory_remove_map(&seen->directory, map));
    CHECK(hm_directory_add_map(&seen->directory, map) == HM_OK);
}

static void record(witness *seen, event what)
{
    CHECK(seen->events < LOG_SIZE);
    what.count = hm_map_count(&seen->map);
    seen->log[seen->events++] = what;
    check_truth(seen);
}

/* Whether the n-th event was of this kind, with this value. */
static bool was(const witness *seen, uint32_t n, event_kind kind, int value)
{
    return n < seen->events && seen->log[n].kind == kind && seen->log[n].value == value;
}

static void on_destroy(void *item, void *context)
{
    witness *seen = context;
    int value = *(int *)item;
    hm_handle handle = seen->handles[value];
    CHECK(hm_map_get(&seen->map, handle) == item);
    CHECK(hm_map_explain(&seen->map, handle) == HM_HANDLE_LIVE);
    for (uint32_t i = 0; i < seen->events; i++)
        if (seen->log[i].kind == DESTROYED)
            CHECK(!hm_map_contains(&seen->map, seen->handles[seen->log[i].value]));
    record(seen, (event){.kind = DESTROYED, .value = value});
}

static void on_relocate(void *item, uint32_t from, uint32_t to, void *context)
{
    witness *seen = context;
    int value = *(int *)item;
    CHECK(item == (int *)hm_map_items(&seen->map) + to);
    CHECK(hm_map_index_of(&seen->map, seen->handles[value]) == to);
    CHECK(*(int *)hm_map_meta_at(&seen->map, to) == -value);
    record(seen, (event){.kind = RELOCATED, .value = value, .from = from, .to = to});
}

static bool is_odd(const void *item, void *context)
{
    int value = *(const int *)item;
    record(context, (event){.kind = ASKED, .value = value});
    return value % 2 != 0;
}

static void start(witness *seen)
{
    memset(seen, 0, sizeof *seen);
    hm_map_desc desc = {.item_size = sizeof(int),
                        .meta_size = sizeof(int),
                        .capacity = 100,
                        .destroy = on_destroy,
                        .relocate = on_relocate,
                        .context = seen};
    CHECK(hm_map_init(&seen->map, &desc) == HM_OK);
    CHECK(hm_directory_init(&seen->directory, NULL) == HM_OK);
    CHECK(hm_directory_add_map(&seen->directory, &seen->map) == HM_OK);
    for (int i = 0; i < ITEMS; i++) {
        seen->handles[i] = hm_map_insert(&seen->map, &i);
        *(int *)hm_map_meta_at(&seen->map, (uint32_t)i) = -i;
    }
    CHECK(seen->events == 0);
}

static void finish(witness *seen)
{
    hm_map_fini(&seen->map);
    hm_directory_fini(&seen->directory);
}

TEST(map_callback, erase_destroys_then_moves_then_reports)
{
    witness seen;
    start(&seen);
    CHECK(hm_map_erase(&seen.map, seen.handles[3]));
    CHECK(seen.events == 2);
    CHECK(was(&seen, 0, DESTROYED, 3) && seen.log[0].count == ITEMS);
    CHECK(was(&seen, 1, RELOCATED, ITEMS - 1) && seen.log[1].count == ITEMS - 1);
    CHECK(seen.log[1].from == ITEMS - 1 && seen.log[1].to == 3);
    CHECK(!hm_map_contains(&seen.map, seen.handles[3]));
    CHECK(!hm_map_erase(&seen.map, seen.handles[3]) && seen.events == 2);
    finish(&seen);
}

TEST(map_callback, erase_of_the_last_item_moves_nothing)
{
    witness seen;
    start(&seen);
    CHECK(hm_map_erase(&seen.map, seen.handles[ITEMS - 1]));
    CHECK(seen.events == 1 && was(&seen, 0, DESTROYED, ITEMS - 1));
    finish(&seen);
}

TEST(map_callback, erase_n_destroys_each_item_once)
{
    witness seen;
    start(&seen);
    const hm_handle gone[] = {seen.handles[0], seen.handles[5], seen.handles[0]};
    CHECK(hm_map_erase_n(&seen.map, gone, 3) == 2);
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < seen.events; i++)
        destroyed += seen.log[i].kind == DESTROYED;
    CHECK(destroyed == 2);
    finish(&seen);
}

TEST(map_callback, clear_destroys_the_last_first)
{
    witness seen;
    start(&seen);
    hm_map_clear(&seen.map);
    CHECK(seen.events == ITEMS && hm_map_count(&seen.map) == 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(was(&seen, i, DESTROYED, ITEMS - 1 - (int)i) && seen.log[i].count == ITEMS - i);
    finish(&seen);
    CHECK(seen.events == ITEMS);
}

TEST(map_callback, fini_destroys_what_is_left_once)
{
    witness seen;
    start(&seen);
    hm_map_fini(&seen.map);
    CHECK(seen.events == ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(was(&seen, i, DESTROYED, ITEMS - 1 - (int)i));
    finish(&seen);
    CHECK(seen.events == ITEMS);
}

TEST(map_callback, erase_if_asks_all_in_order_and_then_destroys)
{
    witness seen;
    uint32_t asked = 0, destroyed = 0, last_question = 0, first_death = LOG_SIZE;
    start(&seen);
    CHECK(hm_map_erase_if(&seen.map, is_odd, &seen) == ITEMS / 2);
    for (uint32_t i = 0; i < seen.events; i++) {
        if (seen.log[i].kind == ASKED) {
            CHECK(seen.log[i].value == (int)asked++ && seen.log[i].count == ITEMS);
            last_question = i;
        }
        if (seen.log[i].kind == DESTROYED) {
            CHECK(seen.log[i].value % 2 != 0 && seen.log[i].count == ITEMS - destroyed++);
            first_death = i < first_death ? i : first_death;
        }
    }
    CHECK(asked == ITEMS && destroyed == ITEMS / 2 && last_question < first_death);
    finish(&seen);
}

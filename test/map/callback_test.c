/* SPDX-License-Identifier: MIT */
/* The map's callbacks: when they run, what they see, and that none of them can change the map. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

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
    hm_handle handles[ITEMS]; /* item i holds the value i */
    event log[LOG_SIZE];
    uint32_t events;
} witness;

static void record(witness *seen, event what)
{
    CHECK(seen->events < LOG_SIZE);
    what.count = hm_map_count(&seen->map);
    seen->log[seen->events++] = what;
    CHECK(hm_map_validate(&seen->map) == HM_OK);
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
    for (int i = 0; i < ITEMS; i++) {
        seen->handles[i] = hm_map_insert(&seen->map, &i);
        *(int *)hm_map_meta_at(&seen->map, (uint32_t)i) = -i;
    }
    CHECK(seen->events == 0);
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
    hm_map_fini(&seen.map);
}

TEST(map_callback, erase_of_the_last_item_moves_nothing)
{
    witness seen;
    start(&seen);
    CHECK(hm_map_erase(&seen.map, seen.handles[ITEMS - 1]));
    CHECK(seen.events == 1 && was(&seen, 0, DESTROYED, ITEMS - 1));
    hm_map_fini(&seen.map);
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
    hm_map_fini(&seen.map);
}

TEST(map_callback, clear_destroys_the_last_first)
{
    witness seen;
    start(&seen);
    hm_map_clear(&seen.map);
    CHECK(seen.events == ITEMS && hm_map_count(&seen.map) == 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(was(&seen, i, DESTROYED, ITEMS - 1 - (int)i) && seen.log[i].count == ITEMS - i);
    hm_map_fini(&seen.map);
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
    hm_map_fini(&seen.map);
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
    hm_map_fini(&seen.map);
}

/* Re-entry: a map whose callbacks all try everything. */

typedef struct intruder {
    hm_map map;
    hm_map other;
    uint32_t tries;
} intruder;

static uint64_t first_byte(const void *item, void *context)
{
    (void)context;
    return *(const unsigned char *)item;
}

static bool refuse_to_be_asked(const void *item, void *context)
{
    (void)item;
    (void)context;
    CHECK(false);
    return true;
}

static void try_everything(intruder *self)
{
    static const hm_order order = {.key = first_byte};
    hm_map *map = &self->map;
    hm_map_stats before = hm_map_get_stats(map);
    hm_handle live = hm_map_handle_at(map, 0);
    hm_handle report = {7};
    void *place = self;
    self->tries++;
    CHECK(hm_map_validate(map) == HM_OK);
    CHECK(hm_handle_is_null(hm_map_insert(map, NULL)));
    CHECK(hm_handle_is_null(hm_map_emplace(map, &place)) && place == NULL);
    CHECK(hm_map_insert_n(map, NULL, 1, &report) == HM_ERROR_BUSY && report.bits == 7);
    CHECK(hm_map_reserve(map, 1) == HM_ERROR_BUSY);
    CHECK(hm_map_trim(map) == HM_ERROR_BUSY);
    CHECK(!hm_map_erase(map, live));
    CHECK(hm_map_erase_n(map, &live, 1) == 0);
    CHECK(hm_map_erase_if(map, refuse_to_be_asked, NULL) == 0);
    hm_progress progress = hm_map_defragment(map, &order, (hm_budget){0, 0});
    CHECK(progress.swaps == 0 && progress.compares == 0 && !progress.done);
    progress = hm_map_arrange(map, &live, 1, (hm_budget){0, 0});
    CHECK(progress.swaps == 0 && progress.compares == 0 && !progress.done);
    hm_map_stats after = hm_map_get_stats(map);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(hm_map_contains(map, live) == (before.count != 0));
    CHECK(hm_map_get(map, live) == (before.count != 0 ? hm_map_items(map) : NULL));
    /* Another map may be changed. */
    hm_handle there = hm_map_insert(&self->other, NULL);
    CHECK(!hm_handle_is_null(there) && hm_map_erase(&self->other, there));
}

static void destroy_and_try(void *item, void *context)
{
    (void)item;
    try_everything(context);
}

static void relocate_and_try(void *item, uint32_t from, uint32_t to, void *context)
{
    (void)item;
    (void)from;
    (void)to;
    try_everything(context);
}

static bool ask_and_try(const void *item, void *context)
{
    try_everything(context);
    return *(const unsigned char *)item % 2 != 0;
}

static int compare_and_try(const void *a, const void *b, void *context)
{
    try_everything(context);
    return memcmp(a, b, 1);
}

static uint64_t key_and_try(const void *item, void *context)
{
    try_everything(context);
    return *(const unsigned char *)item;
}

/* Values fall, so that there are items to put in order. */
static void refill(intruder *self)
{
    hm_map_clear(&self->map);
    for (uint32_t i = 0; i < ITEMS; i++) {
        unsigned char *item = hm_map_get(&self->map, hm_map_insert(&self->map, NULL));
        CHECK(item != NULL);
        *item = (unsigned char)(ITEMS - i);
    }
}

/* Runs each operation that calls back; each must have called, and left the map usable. */
static void run_all_operations(intruder *self)
{
    hm_map *map = &self->map;
    const hm_order by_compare = {.compare = compare_and_try, .context = self};
    const hm_order by_key = {.key = key_and_try, .context = self};
    for (int operation = 0; operation < 7; operation++) {
        if ((operation == 5 && map->relocate == NULL) || (operation == 6 && map->destroy == NULL))
            continue;
        refill(self);
        hm_handle first[2] = {hm_map_handle_at(map, 0), hm_map_handle_at(map, 1)};
        uint32_t tries = self->tries;
        if (operation == 0)
            CHECK(hm_map_erase(map, first[0]));
        if (operation == 1)
            CHECK(hm_map_erase_n(map, first, 2) == 2);
        if (operation == 2)
            CHECK(hm_map_erase_if(map, ask_and_try, self) == ITEMS / 2);
        if (operation == 3)
            CHECK(hm_map_defragment(map, &by_compare, (hm_budget){0, 0}).done);
        if (operation == 4)
            CHECK(hm_map_defragment(map, &by_key, (hm_budget){0, 0}).done);
        if (operation == 5)
            CHECK(hm_map_arrange(map, &first[1], 1, (hm_budget){0, 0}).done);
        if (operation == 6)
            hm_map_clear(map);
        CHECK(self->tries > tries);
        CHECK(hm_map_validate(map) == HM_OK && hm_map_reserve(map, 1) == HM_OK);
        hm_handle handle = hm_map_insert(map, NULL);
        CHECK(hm_map_contains(map, handle) && hm_map_erase(map, handle));
    }
}

TEST(map_callback, every_change_from_inside_is_refused)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        for (int hooks = 1; hooks < 4; hooks++) {
            test_memory memory;
            test_memory_init(&memory, layout.page_size);
            intruder self = {.tries = 0};
            hm_map_desc desc = {.item_size = layout.item_size, .item_align = layout.item_align};
            desc.capacity = 100;
            desc.memory = &memory.table;
            CHECK(hm_map_init(&self.other, &desc) == HM_OK);
            desc.destroy = hooks & 1 ? destroy_and_try : NULL;
            desc.relocate = hooks & 2 ? relocate_and_try : NULL;
            desc.context = &self;
            desc.meta_size = i % 2 == 0 ? 8 : 0;
            CHECK(hm_map_init(&self.map, &desc) == HM_OK);
            run_all_operations(&self);
            hm_map_fini(&self.map);
            hm_map_fini(&self.other);
            test_memory_check_released(&memory);
        }
    }
}

/* Functions that return nothing panic instead: each of them in each callback. */

typedef struct saboteur {
    hm_map map;
    char act; /* 'c'lear, 'f'ini, 't'ouch or touch 'a'll */
} saboteur;

static void sabotage(saboteur *self)
{
    if (self->act == 'c')
        hm_map_clear(&self->map);
    else if (self->act == 'f')
        hm_map_fini(&self->map);
    else if (self->act == 'a')
        hm_map_touch_all(&self->map);
    else
        hm_map_touch(&self->map, hm_map_handle_at(&self->map, 0));
}

static void sabotage_destroy(void *item, void *context)
{
    (void)item;
    sabotage(context);
}

static void sabotage_relocate(void *item, uint32_t from, uint32_t to, void *context)
{
    (void)item;
    (void)from;
    (void)to;
    sabotage(context);
}

static bool sabotage_predicate(const void *item, void *context)
{
    (void)item;
    sabotage(context);
    return false;
}

static int sabotage_compare(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    sabotage(context);
    return 0;
}

static uint64_t sabotage_key(const void *item, void *context)
{
    (void)item;
    sabotage(context);
    return 0;
}

/* Calls `act` from the callback `from`: 'd'estroy, 'r'elocate, 'p'redicate, 'c'ompare or 'k'ey. */
static void act_from(char act, char from)
{
    static saboteur self;
    self.act = act;
    hm_map_desc desc = {.item_size = 4, .capacity = 10, .context = &self};
    desc.destroy = from == 'd' ? sabotage_destroy : NULL;
    desc.relocate = from == 'r' ? sabotage_relocate : NULL;
    const hm_order order = {.compare = from == 'c' ? sabotage_compare : NULL,
                            .key = from == 'k' ? sabotage_key : NULL,
                            .context = &self};
    if (hm_map_init(&self.map, &desc) != HM_OK)
        return;
    hm_map_insert_n(&self.map, NULL, 3, NULL);
    if (from == 'd' || from == 'r')
        hm_map_erase(&self.map, hm_map_handle_at(&self.map, 0));
    else if (from == 'p')
        hm_map_erase_if(&self.map, sabotage_predicate, &self);
    else
        hm_map_defragment(&self.map, &order, (hm_budget){0, 0});
}

#define PANICS_INSIDE(act, from)                                                                   \
    DEATH_TEST(map_callback, act##_from_##from##_panics)                                           \
    {                                                                                              \
        act_from(#act[0], #from[0]);                                                               \
    }

PANICS_INSIDE(clear, destroy)
PANICS_INSIDE(clear, relocate)
PANICS_INSIDE(clear, predicate)
PANICS_INSIDE(clear, compare)
PANICS_INSIDE(clear, key)
PANICS_INSIDE(fini, destroy)
PANICS_INSIDE(fini, relocate)
PANICS_INSIDE(fini, predicate)
PANICS_INSIDE(fini, compare)
PANICS_INSIDE(fini, key)
PANICS_INSIDE(touch, destroy)
PANICS_INSIDE(touch, relocate)
PANICS_INSIDE(touch, predicate)
PANICS_INSIDE(touch, compare)
PANICS_INSIDE(touch, key)
PANICS_INSIDE(all_touched, destroy)
PANICS_INSIDE(all_touched, relocate)
PANICS_INSIDE(all_touched, predicate)
PANICS_INSIDE(all_touched, compare)
PANICS_INSIDE(all_touched, key)

DEATH_TEST(map_callback, a_refusal_names_the_function_and_the_map)
{
    static saboteur self;
    self.act = 'c';
    hm_map_desc desc = {.item_size = 4, .context = &self, .name = "textures"};
    desc.destroy = sabotage_destroy;
    CHECK(hm_map_init(&self.map, &desc) == HM_OK);
    test_expect_panic_of("map.c", "hm_map_clear: called on 'textures'");
    hm_map_erase(&self.map, hm_map_insert(&self.map, NULL));
}

/* SPDX-License-Identifier: MIT */
/* Finding an item's handle by its address, and containers whose own struct moves. */
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 200, STORAGES = 3 };

typedef struct item {
    uint32_t value, rest[4];
} item;

static hm_map make_map(hm_map_desc desc)
{
    hm_map map;
    desc.item_size = sizeof(item);
    desc.capacity = ITEMS;
    desc.type_id = 3;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &(item){i, {0}})));
    return map;
}

/* Every byte of every item leads to its handle; bytes around the items lead nowhere. */
static void check_addresses(const hm_map *map)
{
    const unsigned char *bytes = hm_map_items(map);
    uint32_t count = hm_map_count(map);
    for (uint32_t i = 0; i < count * sizeof(item); i++)
        CHECK(hm_handle_equal(hm_map_handle_of(map, bytes + i),
                              hm_map_handle_at(map, (uint32_t)(i / sizeof(item)))));
    CHECK(hm_handle_is_null(hm_map_handle_of(map, bytes + count * sizeof(item))));
    CHECK(hm_handle_is_null(hm_map_handle_of(map, (void *)((uintptr_t)bytes - 1))));
    CHECK(hm_handle_is_null(hm_map_handle_of(map, NULL)));
    CHECK(hm_handle_is_null(hm_map_handle_of(map, &count)));
}

TEST(address, any_byte_of_a_maps_item_leads_to_its_handle)
{
    hm_map map = make_map((hm_map_desc){0});
    check_addresses(&map);
    while (hm_map_count(&map) > 0) {
        CHECK(hm_map_erase(&map, hm_map_handle_at(&map, hm_map_count(&map) / 3)));
        check_addresses(&map);
    }
    hm_map_fini(&map);
    CHECK(hm_handle_is_null(hm_map_handle_of(&map, NULL)));
    CHECK(hm_handle_is_null(hm_map_handle_of(&map, &map)));
}

/* What callbacks are shown. */
typedef struct witness {
    hm_map map;
    hm_pool pool;
    uint32_t asked;
} witness;

static void see_in_map(const void *shown, witness *self)
{
    hm_handle handle = hm_map_handle_of(&self->map, shown);
    CHECK(!hm_handle_is_null(handle) && hm_map_get(&self->map, handle) == shown);
    self->asked++;
}

static void on_destroy(void *shown, void *context)
{
    see_in_map(shown, context);
}

static void on_relocate(void *shown, uint32_t from, uint32_t to, void *context)
{
    witness *self = context;
    CHECK(from != to);
    see_in_map(shown, self);
    CHECK(hm_handle_equal(hm_map_handle_of(&self->map, shown), hm_map_handle_at(&self->map, to)));
}

static bool is_third(const void *shown, void *context)
{
    see_in_map(shown, context);
    return ((const item *)shown)->value % 3 == 0;
}

static uint64_t falling_key(const void *shown, void *context)
{
    see_in_map(shown, context);
    return UINT64_MAX - ((const item *)shown)->value;
}

static int compare(const void *a, const void *b, void *context)
{
    see_in_map(a, context);
    see_in_map(b, context);
    return ((const item *)a)->value < ((const item *)b)->value ? -1 : 1;
}

TEST(address, every_callback_of_a_map_can_ask_for_the_handle_of_what_it_is_shown)
{
    witness self = {.asked = 0};
    self.map =
        make_map((hm_map_desc){.destroy = on_destroy, .relocate = on_relocate, .context = &self});
    const hm_order by_key = {.key = falling_key, .context = &self};
    const hm_order by_compare = {.compare = compare, .context = &self};
    CHECK(hm_map_defragment(&self.map, &by_key, NULL).done);
    CHECK(hm_map_defragment(&self.map, &by_compare, NULL).done);
    CHECK(hm_map_erase_if(&self.map, is_third, &self) == (ITEMS + 2) / 3);
    CHECK(hm_map_erase(&self.map, hm_map_handle_at(&self.map, 0)));
    hm_map_clear(&self.map);
    CHECK(self.asked > 3 * ITEMS);
    hm_map_fini(&self.map);
}

static void on_pool_destroy(void *shown, void *context)
{
    witness *self = context;
    hm_handle handle = hm_pool_handle_of(&self->pool, shown);
    CHECK(hm_pool_get(&self->pool, handle) == shown);
    CHECK(hm_handle_equal(handle, hm_pool_handle_at(&self->pool, hm_handle_index(handle))));
    self->asked++;
}

TEST(address, a_pools_hook_can_ask_for_the_handle_of_what_it_is_shown)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        witness self = {.asked = 0};
        hm_pool_desc desc = {.item_size = sizeof(item), .destroy = on_pool_destroy};
        desc.context = &self;
        desc.storage = (hm_storage)storage;
        CHECK(hm_pool_init(&self.pool, &desc) == HM_OK);
        CHECK(hm_pool_insert_n(&self.pool, NULL, ITEMS, NULL) == HM_OK);
        CHECK(hm_handle_is_null(hm_pool_handle_at(&self.pool, ITEMS)));
        CHECK(hm_pool_erase(&self.pool, hm_pool_handle_at(&self.pool, 7)));
        CHECK(hm_handle_is_null(hm_pool_handle_at(&self.pool, 7)));
        hm_pool_fini(&self.pool);
        CHECK(self.asked == ITEMS);
    }
}

/* Nothing in a container points to its own struct, so the old one may be overwritten. */
TEST(address, a_map_may_be_moved_by_assignment)
{
    hm_map *old = malloc(sizeof *old);
    CHECK(old != NULL);
    *old = make_map((hm_map_desc){.meta_size = 8});
    const hm_order order = {.key = falling_key, .context = &(witness){.map = *old}};
    hm_handle kept = hm_map_handle_at(old, 17);
    (void)hm_map_defragment(old, &order, BUDGET(10, 100)); /* stopped in the middle */
    hm_map map = *old;
    memset(old, 0xA5, sizeof *old);
    free(old);
    CHECK(hm_map_validate(&map) == HM_OK);
    CHECK(((item *)hm_map_get(&map, kept))->value == 17);
    CHECK(hm_map_erase(&map, kept) && !hm_handle_is_null(hm_map_insert(&map, NULL)));
    while (!hm_map_defragment(&map, &order, BUDGET(10, 100)).done)
        ;
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(address, a_pool_may_be_moved_by_assignment)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool *old = malloc(sizeof *old);
        hm_pool_desc desc = {.item_size = sizeof(item), .capacity = 100000};
        hm_handle handles[ITEMS];
        desc.storage = (hm_storage)storage;
        CHECK(old != NULL && hm_pool_init(old, &desc) == HM_OK);
        CHECK(hm_pool_insert_n(old, NULL, ITEMS, handles) == HM_OK);
        CHECK(hm_pool_erase_n(old, handles, ITEMS / 2) == ITEMS / 2);
        void *place = hm_pool_get(old, handles[ITEMS - 1]);
        hm_pool pool = *old;
        memset(old, 0xA5, sizeof *old);
        free(old);
        CHECK(hm_pool_validate(&pool) == HM_OK);
        CHECK(hm_pool_get(&pool, handles[ITEMS - 1]) == place);
        CHECK(hm_pool_insert_n(&pool, NULL, 50000, NULL) == HM_OK);
        CHECK(hm_pool_validate(&pool) == HM_OK && hm_pool_trim(&pool) == HM_OK);
        hm_pool_fini(&pool);
    }
}

/* Shows why a level is cleared and not made anew. */
TEST(address, clear_keeps_refusing_what_fini_and_init_forget)
{
    hm_map map = make_map((hm_map_desc){0});
    hm_handle first = hm_map_handle_at(&map, 0);
    hm_map_clear(&map);
    hm_map_insert(&map, NULL);
    CHECK(hm_map_explain(&map, first) == HM_HANDLE_STALE);
    hm_map_fini(&map);
    map = make_map((hm_map_desc){0});
    CHECK(hm_map_contains(&map, first)); /* A new map begins with index 0, generation 1. */
    hm_map_fini(&map);
}

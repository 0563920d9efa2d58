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

static uint64_t falling_key(const void *shown, void *context)
{
    (void)context;
    return UINT64_MAX - ((const item *)shown)->value;
}

/* Nothing in a container points to its own struct, so the old one may be overwritten. */
TEST(address, a_map_may_be_moved_by_assignment)
{
    hm_map *old = malloc(sizeof *old);
    CHECK(old != NULL);
    *old = make_map((hm_map_desc){.meta_size = 8});
    const hm_order order = {.key = falling_key};
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

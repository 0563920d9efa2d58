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

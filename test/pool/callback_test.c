/* SPDX-License-Identifier: MIT */
/* The pool's destroy hook: when it runs, and what it sees. matrix/callback_test.c shows that it
 * cannot change the pool. */
#include "support/test.h"

#include <handle_map/pool.h>

#include <string.h>

enum { ITEMS = 90, STORAGES = 3 };

typedef struct witness {
    hm_pool pool;
    hm_handle handles[ITEMS]; /* item i holds the value i */
    int destroyed[ITEMS];     /* in this order */
    uint32_t count;
} witness;

static void on_destroy(void *item, void *context)
{
    witness *seen = context;
    int value = *(int *)item;
    hm_handle handle = seen->handles[value];
    CHECK(seen->count < ITEMS);
    CHECK(hm_pool_validate(&seen->pool) == HM_OK);
    CHECK(hm_pool_get(&seen->pool, handle) == item);
    CHECK(hm_pool_explain(&seen->pool, handle) == HM_HANDLE_LIVE);
    CHECK(hm_handle_equal(hm_pool_handle_of(&seen->pool, item), handle));
    CHECK(hm_pool_count(&seen->pool) == ITEMS - seen->count);
    for (uint32_t i = 0; i < seen->count; i++)
        CHECK(!hm_pool_contains(&seen->pool, seen->handles[seen->destroyed[i]]));
    seen->destroyed[seen->count++] = value;
}

static void start(witness *seen, hm_storage storage)
{
    memset(seen, 0, sizeof *seen);
    hm_pool_desc desc = {.item_size = sizeof(int),
                         .capacity = ITEMS,
                         .storage = storage,
                         .destroy = on_destroy,
                         .context = seen};
    CHECK(hm_pool_init(&seen->pool, &desc) == HM_OK);
    for (int i = 0; i < ITEMS; i++)
        seen->handles[i] = hm_pool_insert(&seen->pool, &i);
    CHECK(seen->count == 0);
}

TEST(pool_callback, erase_destroys_each_item_once)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        witness seen;
        start(&seen, (hm_storage)storage);
        CHECK(hm_pool_erase(&seen.pool, seen.handles[7]));
        CHECK(!hm_pool_erase(&seen.pool, seen.handles[7]));
        CHECK(seen.count == 1 && seen.destroyed[0] == 7);
        const hm_handle gone[] = {seen.handles[3], seen.handles[7], seen.handles[3]};
        CHECK(hm_pool_erase_n(&seen.pool, gone, 3) == 1);
        CHECK(seen.count == 2 && seen.destroyed[1] == 3);
        CHECK(hm_pool_trim(&seen.pool) == HM_OK && seen.count == 2);
        hm_pool_fini(&seen.pool);
        CHECK(seen.count == ITEMS);
    }
}

TEST(pool_callback, clear_and_fini_destroy_the_lowest_first_and_no_hole)
{
    for (int storage = 0; storage < STORAGES; storage++)
        for (int fini = 0; fini < 2; fini++) {
            witness seen;
            start(&seen, (hm_storage)storage);
            CHECK(hm_pool_erase(&seen.pool, seen.handles[40]));
            if (fini)
                hm_pool_fini(&seen.pool);
            else
                hm_pool_clear(&seen.pool);
            CHECK(seen.count == ITEMS && hm_pool_count(&seen.pool) == 0);
            for (int i = 1; i < ITEMS; i++)
                CHECK(seen.destroyed[i] == (i <= 40 ? i - 1 : i));
            hm_pool_clear(&seen.pool);
            hm_pool_fini(&seen.pool);
            CHECK(seen.count == ITEMS);
        }
}

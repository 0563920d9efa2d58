/* SPDX-License-Identifier: MIT */
/* The pool's destroy hook: when it runs, what it sees, and that it cannot change the pool. */
#include "support/layout.h"
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

/* Re-entry: the hook tries everything. */

typedef struct intruder {
    hm_pool pool, other;
    uint32_t tries;
} intruder;

static void try_everything(void *item, void *context)
{
    intruder *self = context;
    hm_pool *pool = &self->pool;
    hm_pool_stats before = hm_pool_get_stats(pool);
    hm_handle live = hm_pool_handle_of(pool, item);
    void *place = self;
    self->tries++;
    CHECK(hm_pool_validate(pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(pool, NULL)));
    CHECK(hm_handle_is_null(hm_pool_emplace(pool, &place)) && place == NULL);
    CHECK(hm_pool_reserve(pool, 1) == HM_ERROR_BUSY && hm_pool_reserve(pool, 0) == HM_ERROR_BUSY);
    CHECK(hm_pool_trim(pool) == HM_ERROR_BUSY);
    CHECK(!hm_pool_erase(pool, live) && hm_pool_erase_n(pool, &live, 1) == 0);
    hm_pool_stats after = hm_pool_get_stats(pool);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(hm_pool_get(pool, live) == item && hm_pool_contains(pool, live));
    /* Another pool may be changed. */
    hm_handle there = hm_pool_insert(&self->other, NULL);
    CHECK(!hm_handle_is_null(there) && hm_pool_erase(&self->other, there));
}

static void intrude(test_layout layout, hm_storage storage)
{
    intruder self = {.tries = 0};
    hm_pool_desc desc = {.item_size = layout.item_size,
                         .item_align = layout.item_align,
                         .capacity = ITEMS,
                         .max_slots = 2 * ITEMS, /* Address space costs time in emulators. */
                         .storage = storage};
    CHECK(hm_pool_init(&self.other, &desc) == HM_OK);
    desc.destroy = try_everything;
    desc.context = &self;
    CHECK(hm_pool_init(&self.pool, &desc) == HM_OK);
    hm_handle handles[ITEMS];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < ITEMS; i++)
            handles[i] = hm_pool_insert(&self.pool, NULL);
        CHECK(hm_pool_erase(&self.pool, handles[5]) && self.tries == round * ITEMS + 1);
        CHECK(hm_pool_erase_n(&self.pool, handles, 4) == 4 && self.tries == round * ITEMS + 5);
        hm_handle again = hm_pool_insert(&self.pool, NULL);
        CHECK(hm_handle_index(again) == 3 && hm_pool_validate(&self.pool) == HM_OK);
        CHECK(hm_pool_erase(&self.pool, again));
        hm_pool_clear(&self.pool);
        CHECK(self.tries == (round + 1) * ITEMS + 1);
        self.tries--;
    }
    hm_pool_fini(&self.pool);
    hm_pool_fini(&self.other);
}

TEST(pool_callback, every_change_from_inside_is_refused)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        for (int storage = 0; storage < STORAGES; storage++)
            intrude(test_layout_at(i), (hm_storage)storage);
}

/* Functions that return nothing panic instead. */

typedef struct saboteur {
    hm_pool pool;
    void (*act)(hm_pool *pool);
} saboteur;

static void sabotage(void *item, void *context)
{
    saboteur *self = context;
    (void)item;
    self->act(&self->pool);
}

static void act_from_destroy(void (*act)(hm_pool *pool))
{
    static saboteur self;
    hm_pool_desc desc = {.item_size = 4, .capacity = 10, .context = &self, .name = "particles"};
    self.act = act;
    desc.destroy = sabotage;
    if (hm_pool_init(&self.pool, &desc) == HM_OK)
        hm_pool_erase(&self.pool, hm_pool_insert(&self.pool, NULL));
}

DEATH_TEST(pool_callback, clear_from_destroy_panics)
{
    act_from_destroy(hm_pool_clear);
}

DEATH_TEST(pool_callback, fini_from_destroy_panics)
{
    act_from_destroy(hm_pool_fini);
}

DEATH_TEST(pool_callback, a_refusal_names_the_function_and_the_pool)
{
    test_expect_panic_of("slots.c", "hm_pool_clear: called on 'particles'");
    act_from_destroy(hm_pool_clear);
}

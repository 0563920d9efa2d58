/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to erased items of a pool: AddressSanitizer reports each. */
#include "support/memory.h"
#include "support/misuse.h"
#include "support/test.h"

#include <handle_map/pool.h>

enum { STORAGES = 3 };

HM_POOL_DEFINE(particle, particle, 4)

static void ignore(void *item, void *context)
{
    (void)item;
    (void)context;
}

DEATH_TEST(pool_misuse, an_item_is_read_after_its_erase)
{
    particle_pool pool;
    CHECK(particle_pool_init(&pool, 0) == HM_OK);
    particle_pool_insert(&pool, NULL);
    particle_handle handle = particle_pool_insert(&pool, NULL);
    particle *stale = particle_pool_get(&pool, handle);
    CHECK(particle_pool_erase(&pool, handle));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(pool_misuse, an_item_is_read_after_its_erase_with_a_hook)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 8, .storage = HM_STORAGE_GROWING_BLOCKS, .destroy = ignore};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    hm_handle handle = hm_pool_insert(&pool, NULL);
    uint64_t *stale = hm_pool_get(&pool, handle);
    CHECK(hm_pool_erase(&pool, handle));
    expect_report();
    read_word(stale);
}

DEATH_TEST(pool_misuse, a_loop_runs_past_the_end_of_a_run)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 8, .storage = HM_STORAGE_FIXED_BLOCKS};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (int i = 0; i < 10; i++)
        hm_pool_insert(&pool, NULL);
    uint32_t length;
    CHECK(hm_pool_next_run(&pool, 0, &length) == 0 && length == 10);
    const uint64_t *items = hm_pool_item(&pool, 0);
    for (uint32_t i = 0; i < length; i++)
        CHECK(read_word(&items[i]) == 0);
    expect_report();
    read_word(&items[length]);
}

TEST(pool_misuse, clear_poisons_every_item)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 24, .storage = (hm_storage)storage};
        unsigned char *places[200];
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        for (size_t i = 0; i < 200; i++)
            places[i] = hm_pool_get(&pool, hm_pool_insert(&pool, NULL));
        hm_pool_clear(&pool);
        for (size_t i = 0; i < 200; i++)
            CHECK(__asan_address_is_poisoned(places[i]));
        hm_pool_fini(&pool);
    }
}

/* Even if the library itself was built without the sanitizer, as by checks/poison.sh. */
TEST(pool_misuse, erase_n_poisons_every_place_that_it_empties)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 24, .storage = (hm_storage)storage};
        hm_handle handles[200];
        unsigned char *places[200];
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_insert_n(&pool, NULL, 200, handles) == HM_OK);
        for (size_t i = 0; i < 200; i++)
            places[i] = hm_pool_get(&pool, handles[i]);
        CHECK(hm_pool_erase_n(&pool, handles + 50, 100) == 100);
        for (size_t i = 0; i < 200; i++)
            CHECK((__asan_region_is_poisoned(places[i], 24) != NULL) == (i >= 50 && i < 150));
        hm_pool_fini(&pool);
    }
}

/* A slot's last item is erased with a destroy hook or without one, singly or in a batch. */
TEST(pool_misuse, the_place_of_a_spent_slot_is_poisoned)
{
    for (int way = 0; way < 4; way++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 24, .capacity = 2, .max_slots = 2};
        desc.destroy = way % 2 != 0 ? ignore : NULL;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        hm_handle handle = HM_NULL_HANDLE;
        unsigned char *place = NULL;
        for (uint32_t life = 0; life < HM_HANDLE_MAX_GENERATION; life++) {
            handle = hm_pool_insert(&pool, NULL);
            place = hm_pool_get(&pool, handle);
            CHECK(place != NULL && __asan_region_is_poisoned(place, 24) == NULL);
            CHECK(way < 2 ? hm_pool_erase(&pool, handle) : hm_pool_erase_n(&pool, &handle, 1) == 1);
        }
        CHECK(hm_pool_explain(&pool, handle) == HM_HANDLE_RETIRED);
        CHECK(__asan_address_is_poisoned(place) && __asan_address_is_poisoned(place + 23));
        hm_pool_fini(&pool);
    }
}

TEST(pool_misuse, freshly_committed_pages_are_poisoned_but_for_the_item)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 24, .storage = (hm_storage)storage};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        unsigned char *place = hm_pool_get(&pool, hm_pool_insert(&pool, NULL));
        CHECK(__asan_region_is_poisoned(place, 24) == NULL);
        for (size_t i = 24; i < 4096; i += 8)
            CHECK(__asan_address_is_poisoned(place + i));
        hm_pool_fini(&pool);
    }
}

/* Whether the system drops the pages, so that their memory may fault, or refuses to. */
TEST(pool_misuse, a_trim_leaves_what_is_dead_poisoned)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        for (uint32_t refused = 0; refused < 2; refused++) {
            test_memory memory;
            hm_pool pool;
            hm_handle handles[64];
            unsigned char *places[64];
            test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
            hm_pool_desc desc = {.item_size = 65536, .capacity = 64, .max_slots = 64};
            desc.storage = (hm_storage)storage;
            desc.memory = &memory.table;
            CHECK(hm_pool_init(&pool, &desc) == HM_OK);
            CHECK(hm_pool_insert_n(&pool, NULL, 64, handles) == HM_OK);
            for (size_t i = 0; i < 64; i++)
                places[i] = hm_pool_get(&pool, handles[i]);
            /* In a block that shares its reservation with others, or in the one range. */
            CHECK(hm_pool_erase_n(&pool, handles + 40, 8) == 8);
            CHECK(hm_pool_erase_n(&pool, handles + 56, 8) == 8); /* the end of what is committed */
            test_memory_fail(&memory, refused, true);
            hm_status status = hm_pool_trim(&pool);
            CHECK(status ==
                  (refused != 0 && storage != HM_STORAGE_GROWING_BLOCKS ? HM_ERROR_MEMORY : HM_OK));
            for (size_t i = 40; i < 48; i++)
                CHECK(__asan_address_is_poisoned(places[i] + 777));
            for (size_t i = 56; i < 64 && storage == HM_STORAGE_VIRTUAL; i++)
                CHECK(__asan_address_is_poisoned(places[i] + 777));
            for (size_t i = 0; i < 40; i++)
                CHECK(__asan_region_is_poisoned(places[i], 65536) == NULL);
            test_memory_fail(&memory, 0, false);
            hm_pool_fini(&pool);
            test_memory_check_released(&memory);
            for (size_t i = 0; i < 64; i++)
                CHECK(!__asan_address_is_poisoned(places[i]));
        }
    }
}

/* Erased items are poisoned, except groups of 8 bytes that they share with others. */
static void check_poison(const hm_pool *pool, size_t size, unsigned char *const *places, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        void *item = hm_pool_item(pool, i);
        if (item != NULL)
            CHECK(__asan_region_is_poisoned(item, size) == NULL);
        else if (size % 8 == 0)
            CHECK(__asan_address_is_poisoned(places[i]));
    }
}

TEST(pool_misuse, what_lives_is_never_poisoned)
{
    enum { SLOTS = 500 };
    uint64_t random = test_seed("pool poison");
    static const size_t sizes[] = {1, 7, 8, 24, 5000};
    for (size_t s = 0; s < STORAGES * sizeof sizes / sizeof *sizes; s++) {
        size_t size = sizes[s / STORAGES];
        unsigned char *places[SLOTS];
        hm_pool pool;
        hm_pool_desc desc = {.item_size = size, .capacity = SLOTS};
        desc.storage = (hm_storage)(s % STORAGES);
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        uint32_t n = 0;
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t slot = test_random_below(&random, SLOTS);
            hm_handle handle = hm_pool_handle_of(&pool, hm_pool_item(&pool, slot));
            if (test_random_below(&random, 5) < 3)
                handle = hm_pool_insert(&pool, NULL);
            else
                hm_pool_erase(&pool, handle);
            if (hm_pool_contains(&pool, handle)) {
                slot = hm_handle_index(handle);
                places[slot] = hm_pool_get(&pool, handle);
                n = slot < n ? n : slot + 1;
            }
            check_poison(&pool, size, places, n);
        }
        CHECK(hm_pool_trim(&pool) == HM_OK);
        for (uint32_t i = 0; i < SLOTS; i++)
            hm_pool_insert(&pool, NULL);
        for (uint32_t i = 0; i < SLOTS; i++)
            CHECK(__asan_region_is_poisoned(hm_pool_item(&pool, i), size) == NULL);
        hm_pool_fini(&pool);
    }
}

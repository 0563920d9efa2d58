/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to erased items: AddressSanitizer reports each. */
#include "support/memory.h"
#include "support/misuse.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

HM_MAP_DEFINE(particle, particle, 4)

static void init_with_meta(hm_map *map, const hm_memory *memory)
{
    hm_map_desc desc = {.item_size = 24, .capacity = 1000, .meta_size = 8, .memory = memory};
    CHECK(hm_map_init(map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(map, NULL, 100, NULL) == HM_OK);
}

DEATH_TEST(misuse, an_item_is_read_after_its_erase)
{
    particle_map map;
    CHECK(particle_map_init(&map, 0) == HM_OK);
    particle_handle handle = particle_map_insert(&map, NULL);
    particle *stale = particle_map_get(&map, handle);
    CHECK(particle_map_erase(&map, handle));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(misuse, the_last_item_is_read_at_its_old_place_after_it_has_moved)
{
    hm_map map;
    init_with_meta(&map, NULL);
    uint64_t *stale = hm_map_get(&map, hm_map_handle_at(&map, 99));
    CHECK(hm_map_erase(&map, hm_map_handle_at(&map, 3)));
    expect_report();
    read_word(stale);
}

DEATH_TEST(misuse, meta_is_read_after_the_erase)
{
    hm_map map;
    init_with_meta(&map, NULL);
    uint64_t *stale = hm_map_meta_at(&map, 99);
    CHECK(hm_map_erase(&map, hm_map_handle_at(&map, 99)));
    expect_report();
    read_word(stale);
}

DEATH_TEST(misuse, an_item_is_read_after_clear)
{
    particle_map map;
    CHECK(particle_map_init(&map, 0) == HM_OK);
    particle *stale = particle_map_get(&map, particle_map_insert(&map, NULL));
    particle_map_clear(&map);
    expect_report();
    read_word(stale->words);
}

TEST(misuse, clear_poisons_every_item_and_its_meta)
{
    hm_map map;
    init_with_meta(&map, NULL);
    unsigned char *items = hm_map_items(&map), *meta = hm_map_meta_at(&map, 0);
    hm_map_clear(&map);
    for (size_t i = 0; i < 100; i++) {
        CHECK(__asan_address_is_poisoned(items + 24 * i));
        CHECK(__asan_address_is_poisoned(meta + 8 * i));
    }
    hm_map_fini(&map);
}

/* Even if the library itself was built without the sanitizer, as by checks/poison.sh. */
TEST(misuse, erase_n_poisons_every_place_that_it_empties)
{
    for (int with_meta = 0; with_meta < 2; with_meta++) {
        hm_map map;
        hm_handle handles[100];
        hm_map_desc desc = {.item_size = 24, .meta_size = with_meta != 0 ? 8 : 0};
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        CHECK(hm_map_insert_n(&map, NULL, 100, handles) == HM_OK);
        unsigned char *items = hm_map_items(&map), *meta = hm_map_meta_at(&map, 0);
        CHECK(hm_map_erase_n(&map, handles + 30, 40) == 40);
        CHECK(hm_map_erase_n(&map, handles + 30, 40) == 0);
        CHECK(__asan_region_is_poisoned(items, (size_t)24 * 60) == NULL);
        for (size_t i = 60; i < 100; i++) {
            CHECK(__asan_address_is_poisoned(items + 24 * i));
            CHECK(with_meta == 0 || __asan_address_is_poisoned(meta + 8 * i));
        }
        hm_map_fini(&map);
    }
}

TEST(misuse, a_decommit_that_is_refused_leaves_what_is_dead_poisoned)
{
    test_memory memory;
    hm_map map;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_map_desc desc = {.item_size = 4096, .meta_size = 4096, .capacity = 1000};
    desc.max_slots = 1000;
    desc.memory = &memory.table;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 100, NULL) == HM_OK);
    unsigned char *items = hm_map_items(&map), *meta = hm_map_meta_at(&map, 0);
    hm_map_clear(&map);
    for (uint32_t k = 1; k <= 2; k++) {
        test_memory_fail(&memory, k, true);
        CHECK(hm_map_trim(&map) == HM_ERROR_MEMORY);
        for (size_t i = 0; i < 100; i++) {
            CHECK(k == 2 || __asan_address_is_poisoned(items + 4096 * i));
            CHECK(__asan_address_is_poisoned(meta + 4096 * i + 4095));
        }
    }
    hm_map_fini(&map);
}

TEST(misuse, freshly_committed_pages_are_poisoned_but_for_the_item)
{
    hm_map map;
    hm_map_desc desc = {.item_size = 24, .meta_size = 8};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    unsigned char *items = hm_map_items(&map), *meta = hm_map_meta_at(&map, 0);
    CHECK(__asan_region_is_poisoned(items, 24) == NULL);
    for (size_t i = 24; i < 65536; i += 8)
        CHECK(__asan_address_is_poisoned(items + i) && __asan_address_is_poisoned(meta + i));
    hm_map_fini(&map);
}

DEATH_TEST(misuse, a_loop_runs_past_the_last_item)
{
    hm_map map;
    init_with_meta(&map, hm_memory_heap());
    const uint64_t *words = hm_map_items(&map);
    for (uint32_t i = 0; i <= 3 * 100; i++) {
        if (i == 3 * 100)
            expect_report();
        read_word(&words[i]);
    }
}

DEATH_TEST(misuse, an_item_is_written_through_a_reserve)
{
    hm_map map;
    init_with_meta(&map, NULL);
    CHECK(hm_map_reserve(&map, 10) == HM_OK);
    volatile uint64_t *items = hm_map_items(&map);
    expect_report();
    items[3 * 100] = 1;
}

DEATH_TEST(misuse, an_array_item_is_read_after_pop)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 8}) == HM_OK);
    hm_array_push(&array);
    uint64_t *stale = hm_array_push(&array);
    hm_array_pop(&array);
    expect_report();
    read_word(stale);
}

DEATH_TEST(misuse, an_array_item_is_read_after_resize)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 8}) == HM_OK);
    CHECK(hm_array_resize(&array, 1000) == HM_OK);
    uint64_t *stale = hm_array_at(&array, 1);
    CHECK(hm_array_resize(&array, 1) == HM_OK);
    expect_report();
    read_word(stale);
}

TEST(misuse, what_lives_is_never_poisoned)
{
    uint64_t random = test_seed("poison");
    static const size_t sizes[] = {1, 7, 8, 24, 5000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        hm_map map;
        hm_map_desc desc = {.item_size = sizes[s], .meta_size = 3};
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        for (uint32_t i = 0; i < 3000; i++) {
            if (test_random_below(&random, 5) < 3)
                hm_map_insert(&map, NULL);
            else
                hm_map_erase(&map, hm_map_handle_at(&map, test_random_below(&random, 1000)));
            if (test_random_below(&random, 500) == 0)
                hm_map_trim(&map);
            uint32_t count = hm_map_count(&map);
            void *end = (unsigned char *)hm_map_items(&map) + sizes[s] * count;
            CHECK(__asan_region_is_poisoned(hm_map_items(&map), sizes[s] * count) == NULL);
            CHECK(count == 0 || __asan_region_is_poisoned(hm_map_meta_at(&map, 0), 3 * count) == 0);
            CHECK(i == 0 || __asan_address_is_poisoned(end) || count * sizes[s] % 4096 == 0);
        }
        hm_map_fini(&map);
    }
}

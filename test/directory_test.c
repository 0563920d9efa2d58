/* SPDX-License-Identifier: MIT */
/* directory: any map's handle finds its owner, and nothing else finds anything. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/directory.h>

#include <string.h>

static void make_map(hm_map *map, uint16_t type_id, const test_memory *memory)
{
    hm_map_desc desc = {.item_size = sizeof(int), .capacity = 100, .type_id = type_id};
    desc.memory = memory != NULL ? &memory->table : NULL;
    CHECK(hm_map_init(map, &desc) == HM_OK);
}

static hm_handle insert(hm_map *map, int value)
{
    hm_handle handle = hm_map_insert(map, &value);
    CHECK(!hm_handle_is_null(handle));
    return handle;
}

static bool is_value(const hm_directory *directory, hm_handle handle, int value)
{
    const int *item = hm_directory_get(directory, handle);
    return item != NULL && *item == value;
}

TEST(directory, init_refuses_null_and_broken_memory_and_commits_nothing)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_directory directory;
    CHECK(hm_directory_init(NULL, &memory.table) == HM_ERROR_INVALID);
    CHECK(hm_directory_init(&directory, &memory.table) == HM_OK);
    CHECK(memory.committed_size == 0);
    CHECK(memory.reserved_size == 32768 * 2 * sizeof(void *));
    hm_directory_fini(&directory);
    test_memory_check_released(&memory);

    static const hm_directory zero;
    hm_memory broken = *hm_memory_os();
    broken.page_size = 100;
    memset(&directory, 0xA5, sizeof directory);
    CHECK(hm_directory_init(&directory, &broken) == HM_ERROR_INVALID);
    CHECK(memcmp(&directory, &zero, sizeof zero) == 0);
    test_memory_fail(&memory, 1, false);
    memset(&directory, 0xA5, sizeof directory);
    CHECK(hm_directory_init(&directory, &memory.table) == HM_ERROR_MEMORY);
    CHECK(memcmp(&directory, &zero, sizeof zero) == 0);
}

TEST(directory, each_handle_finds_its_own_map)
{
    enum { MAPS = 5, ITEMS = 20 };
    const uint16_t type_ids[MAPS] = {3, 0, 0x7FFF, 1, 600};
    hm_map maps[MAPS];
    hm_handle handles[MAPS][ITEMS];
    hm_directory directory;
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    for (int m = 0; m < MAPS; m++) {
        make_map(&maps[m], type_ids[m], NULL);
        for (int i = 0; i < ITEMS; i++)
            handles[m][i] = insert(&maps[m], 100 * m + i);
        CHECK(hm_directory_find(&directory, handles[m][0]) == NULL);
        CHECK(hm_directory_get(&directory, handles[m][0]) == NULL);
        CHECK(hm_directory_add(&directory, &maps[m]) == HM_OK);
    }
    for (int m = 0; m < MAPS; m++) {
        for (int i = 0; i < ITEMS; i++) {
            CHECK(hm_directory_find(&directory, handles[m][i]) == &maps[m]);
            CHECK(is_value(&directory, handles[m][i], 100 * m + i));
        }
    }
    CHECK(hm_directory_find(&directory, hm_handle_pack(0, 1, 2)) == NULL);
    CHECK(hm_directory_find(&directory, hm_handle_pack(0, 1, 0x7FFE)) == NULL);
    hm_directory_fini(&directory);
    for (int m = 0; m < MAPS; m++) {
        CHECK(*(int *)hm_map_get(&maps[m], handles[m][7]) == 100 * m + 7);
        hm_map_fini(&maps[m]);
    }
}

TEST(directory, a_stale_handle_finds_its_map_but_no_item)
{
    hm_map map;
    hm_directory directory;
    make_map(&map, 9, NULL);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    hm_handle handle = insert(&map, 1);
    CHECK(hm_map_erase(&map, handle));
    CHECK(hm_directory_find(&directory, handle) == &map);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    hm_handle next = insert(&map, 2);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    CHECK(is_value(&directory, next, 2));
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

TEST(directory, null_and_free_bit_handles_find_nothing)
{
    hm_map map;
    hm_directory directory;
    make_map(&map, 0, NULL);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    hm_handle handle = insert(&map, 1);
    hm_handle marked = hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
    CHECK(hm_directory_find(&directory, HM_NULL_HANDLE) == NULL);
    CHECK(hm_directory_get(&directory, HM_NULL_HANDLE) == NULL);
    CHECK(hm_directory_find(&directory, marked) == NULL);
    CHECK(hm_directory_get(&directory, marked) == NULL);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

TEST(directory, random_bits_find_an_item_only_where_the_handle_was_issued)
{
    hm_map map;
    hm_directory directory;
    make_map(&map, 0x7FFF, NULL);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    hm_handle handle = insert(&map, 1);
    uint64_t random = test_seed("bits for a directory");
    for (int i = 0; i < 1000000; i++) {
        hm_handle guess = hm_handle_from_bits(test_random(&random));
        CHECK(hm_directory_get(&directory, guess) == NULL || hm_handle_equal(guess, handle));
    }
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

TEST(directory, a_taken_type_id_is_refused_until_its_map_is_removed)
{
    hm_map first, second;
    hm_directory directory;
    make_map(&first, 7, NULL);
    make_map(&second, 7, NULL);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(!hm_directory_remove(&directory, &first));
    CHECK(hm_directory_add(&directory, &first) == HM_OK);
    CHECK(hm_directory_add(&directory, &first) == HM_ERROR_INVALID);
    CHECK(hm_directory_add(&directory, &second) == HM_ERROR_INVALID);
    CHECK(!hm_directory_remove(&directory, &second));
    hm_handle handle = insert(&first, 5);
    CHECK(hm_directory_find(&directory, handle) == &first);
    CHECK(is_value(&directory, handle, 5));

    CHECK(hm_directory_remove(&directory, &first));
    CHECK(!hm_directory_remove(&directory, &first));
    CHECK(hm_directory_find(&directory, handle) == NULL);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    CHECK(hm_map_contains(&first, handle));
    CHECK(hm_directory_add(&directory, &second) == HM_OK);
    CHECK(hm_directory_find(&directory, handle) == &second);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    hm_directory_fini(&directory);
    hm_map_fini(&first);
    hm_map_fini(&second);
}

TEST(directory, all_32768_type_ids_have_a_place)
{
    hm_map map;
    hm_directory directory;
    make_map(&map, 0, NULL);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    for (uint32_t type_id = 0; type_id <= HM_HANDLE_MAX_TYPE_ID; type_id++) {
        map.ids.type_id = type_id;
        CHECK(hm_directory_add(&directory, &map) == HM_OK);
    }
    for (uint32_t type_id = 0; type_id <= HM_HANDLE_MAX_TYPE_ID; type_id++) {
        CHECK(hm_directory_find(&directory, hm_handle_pack(0, 1, type_id)) == &map);
        map.ids.type_id = type_id;
        CHECK(hm_directory_remove(&directory, &map));
        CHECK(hm_directory_find(&directory, hm_handle_pack(0, 1, type_id)) == NULL);
    }
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

TEST(directory, refused_memory_leaves_it_as_it_was)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map low, high;
    hm_directory directory;
    make_map(&low, 1, NULL);
    make_map(&high, 0x7FFF, NULL);
    CHECK(hm_directory_init(&directory, &memory.table) == HM_OK);
    CHECK(hm_directory_add(&directory, &low) == HM_OK);
    hm_handle low_handle = insert(&low, 1), high_handle = insert(&high, 2);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_directory_add(&directory, &high) == HM_ERROR_MEMORY);
    CHECK(hm_directory_find(&directory, high_handle) == NULL);
    CHECK(!hm_directory_remove(&directory, &high));
    CHECK(is_value(&directory, low_handle, 1));
    CHECK(hm_directory_add(&directory, &low) == HM_ERROR_INVALID);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_directory_add(&directory, &high) == HM_OK);
    CHECK(is_value(&directory, high_handle, 2));
    CHECK(is_value(&directory, low_handle, 1));
    hm_directory_fini(&directory);
    test_memory_check_released(&memory);
    hm_map_fini(&low);
    hm_map_fini(&high);
}

TEST(directory, maps_and_pools_share_the_type_ids)
{
    hm_map map;
    hm_pool pool;
    hm_directory directory;
    hm_pool_desc desc = {.item_size = sizeof(int), .type_id = 8};
    const int seven = 7;
    make_map(&map, 7, NULL);
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(!hm_directory_remove_pool(&directory, &pool));
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_ERROR_INVALID);
    hm_handle in_map = insert(&map, 1), in_pool = hm_pool_insert(&pool, &seven);
    CHECK(hm_directory_find(&directory, in_map) == &map);
    CHECK(hm_directory_find_pool(&directory, in_map) == NULL);
    CHECK(hm_directory_find_pool(&directory, in_pool) == &pool);
    CHECK(hm_directory_find(&directory, in_pool) == NULL);
    CHECK(is_value(&directory, in_map, 1) && is_value(&directory, in_pool, 7));
    CHECK(hm_directory_find_pool(&directory, HM_NULL_HANDLE) == NULL);
    CHECK(hm_pool_erase(&pool, in_pool));
    CHECK(hm_directory_get(&directory, in_pool) == NULL);
    CHECK(hm_directory_find_pool(&directory, in_pool) == &pool);

    hm_pool other = pool; /* moved by assignment; the old one is not used again */
    CHECK(!hm_directory_remove_pool(&directory, &other));
    CHECK(hm_directory_remove_pool(&directory, &pool));
    CHECK(hm_directory_find_pool(&directory, in_pool) == NULL);
    CHECK(hm_directory_add_pool(&directory, &other) == HM_OK);
    CHECK(is_value(&directory, hm_pool_insert(&other, &seven), 7));
    hm_directory_fini(&directory);
    hm_map_fini(&map);
    hm_pool_fini(&other);
}

TEST(directory, an_address_finds_its_handle_in_whatever_holds_it)
{
    enum { STORAGES = 3, ITEMS = 100 };
    hm_map maps[2];
    hm_pool pools[STORAGES];
    hm_handle handles[2 + STORAGES][ITEMS];
    hm_directory directory;
    int elsewhere = 0;
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, &elsewhere)));
    for (uint16_t m = 0; m < 2; m++) {
        make_map(&maps[m], (uint16_t)(30 - m), NULL);
        CHECK(hm_directory_add(&directory, &maps[m]) == HM_OK);
        for (int i = 0; i < ITEMS; i++)
            handles[m][i] = insert(&maps[m], i);
    }
    for (int s = 0; s < STORAGES; s++) {
        hm_pool_desc desc = {.item_size = 24, .type_id = (uint16_t)(s + 5)};
        desc.storage = (hm_storage)s;
        CHECK(hm_pool_init(&pools[s], &desc) == HM_OK);
        CHECK(hm_directory_add_pool(&directory, &pools[s]) == HM_OK);
        CHECK(hm_pool_insert_n(&pools[s], NULL, ITEMS, handles[2 + s]) == HM_OK);
    }
    for (int c = 0; c < 2 + STORAGES; c++) {
        for (int i = 0; i < ITEMS; i++) {
            const unsigned char *item = hm_directory_get(&directory, handles[c][i]);
            CHECK(item != NULL);
            CHECK(hm_handle_equal(hm_directory_handle_of(&directory, item), handles[c][i]));
            CHECK(hm_handle_equal(hm_directory_handle_of(&directory, item + 3), handles[c][i]));
        }
    }
    const void *stale = hm_pool_get(&pools[1], handles[3][5]);
    CHECK(hm_pool_erase(&pools[1], handles[3][5]));
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, stale)));
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, &elsewhere)));
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, NULL)));
    hm_directory_fini(&directory);
    hm_map_fini(&maps[0]);
    hm_map_fini(&maps[1]);
    for (int s = 0; s < STORAGES; s++)
        hm_pool_fini(&pools[s]);
}

TEST(directory, a_zeroed_one_is_empty_and_full)
{
    hm_map map;
    make_map(&map, 0, NULL);
    hm_directory directory = {0};
    hm_handle handle = insert(&map, 1);
    CHECK(hm_directory_add(&directory, &map) == HM_ERROR_FULL);
    CHECK(!hm_directory_remove(&directory, &map));
    CHECK(hm_directory_find(&directory, handle) == NULL);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    hm_directory_fini(&directory);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

TEST(directory, after_fini_it_is_a_zeroed_one)
{
    static const hm_directory zero;
    hm_map map;
    hm_directory directory;
    make_map(&map, 4, NULL);
    hm_handle handle = insert(&map, 1);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    CHECK(hm_directory_add(&directory, &map) == HM_OK);
    hm_directory_fini(&directory);
    CHECK(memcmp(&directory, &zero, sizeof zero) == 0);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

DEATH_TEST(directory, fini_of_null_panics)
{
    hm_directory_fini(NULL);
}

DEATH_TEST(directory, add_to_null_panics)
{
    static hm_map map;
    (void)hm_directory_add(NULL, &map);
}

DEATH_TEST(directory, add_of_a_null_map_panics)
{
    hm_directory directory = {0};
    (void)hm_directory_add(&directory, NULL);
}

DEATH_TEST(directory, remove_from_null_panics)
{
    static hm_map map;
    (void)hm_directory_remove(NULL, &map);
}

DEATH_TEST(directory, remove_of_a_null_map_panics)
{
    hm_directory directory = {0};
    (void)hm_directory_remove(&directory, NULL);
}

DEATH_TEST(directory, add_of_a_pool_to_null_panics)
{
    static hm_pool pool;
    (void)hm_directory_add_pool(NULL, &pool);
}

DEATH_TEST(directory, add_of_a_null_pool_panics)
{
    hm_directory directory = {0};
    (void)hm_directory_add_pool(&directory, NULL);
}

DEATH_TEST(directory, remove_of_a_pool_from_null_panics)
{
    static hm_pool pool;
    (void)hm_directory_remove_pool(NULL, &pool);
}

DEATH_TEST(directory, remove_of_a_null_pool_panics)
{
    hm_directory directory = {0};
    (void)hm_directory_remove_pool(&directory, NULL);
}

DEATH_TEST(directory, find_of_a_pool_in_null_panics)
{
    (void)hm_directory_find_pool(NULL, HM_NULL_HANDLE);
}

DEATH_TEST(directory, handle_of_in_null_panics)
{
    (void)hm_directory_handle_of(NULL, NULL);
}

DEATH_TEST(directory, find_in_null_panics)
{
    (void)hm_directory_find(NULL, HM_NULL_HANDLE);
}

DEATH_TEST(directory, get_from_null_panics)
{
    (void)hm_directory_get(NULL, HM_NULL_HANDLE);
}

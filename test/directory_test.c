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
        CHECK(hm_directory_find_map(&directory, handles[m][0]) == NULL);
        CHECK(hm_directory_get(&directory, handles[m][0]) == NULL);
        CHECK(hm_directory_add_map(&directory, &maps[m]) == HM_OK);
    }
    for (int m = 0; m < MAPS; m++) {
        for (int i = 0; i < ITEMS; i++) {
            CHECK(hm_directory_find_map(&directory, handles[m][i]) == &maps[m]);
            CHECK(is_value(&directory, handles[m][i], 100 * m + i));
        }
    }
    CHECK(hm_directory_find_map(&directory, hm_handle_pack(0, 1, 2)) == NULL);
    CHECK(hm_directory_find_map(&directory, hm_handle_pack(0, 1, 0x7FFE)) == NULL);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    hm_handle handle = insert(&map, 1);
    CHECK(hm_map_erase(&map, handle));
    CHECK(hm_directory_find_map(&directory, handle) == &map);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    hm_handle handle = insert(&map, 1);
    hm_handle marked = hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
    CHECK(hm_directory_find_map(&directory, HM_NULL_HANDLE) == NULL);
    CHECK(hm_directory_get(&directory, HM_NULL_HANDLE) == NULL);
    CHECK(hm_directory_find_map(&directory, marked) == NULL);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
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
    CHECK(!hm_directory_remove_map(&directory, &first));
    CHECK(hm_directory_add_map(&directory, &first) == HM_OK);
    CHECK(hm_directory_add_map(&directory, &first) == HM_ERROR_INVALID);
    CHECK(hm_directory_add_map(&directory, &second) == HM_ERROR_INVALID);
    CHECK(!hm_directory_remove_map(&directory, &second));
    hm_handle handle = insert(&first, 5);
    CHECK(hm_directory_find_map(&directory, handle) == &first);
    CHECK(is_value(&directory, handle, 5));

    CHECK(hm_directory_remove_map(&directory, &first));
    CHECK(!hm_directory_remove_map(&directory, &first));
    CHECK(hm_directory_find_map(&directory, handle) == NULL);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    CHECK(hm_map_contains(&first, handle));
    CHECK(hm_directory_add_map(&directory, &second) == HM_OK);
    CHECK(hm_directory_find_map(&directory, handle) == &second);
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
        CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    }
    for (uint32_t type_id = 0; type_id <= HM_HANDLE_MAX_TYPE_ID; type_id++) {
        CHECK(hm_directory_find_map(&directory, hm_handle_pack(0, 1, type_id)) == &map);
        map.ids.type_id = type_id;
        CHECK(hm_directory_remove_map(&directory, &map));
        CHECK(hm_directory_find_map(&directory, hm_handle_pack(0, 1, type_id)) == NULL);
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
    CHECK(hm_directory_add_map(&directory, &low) == HM_OK);
    hm_handle low_handle = insert(&low, 1), high_handle = insert(&high, 2);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_directory_add_map(&directory, &high) == HM_ERROR_MEMORY);
    CHECK(hm_directory_find_map(&directory, high_handle) == NULL);
    CHECK(!hm_directory_remove_map(&directory, &high));
    CHECK(is_value(&directory, low_handle, 1));
    CHECK(hm_directory_add_map(&directory, &low) == HM_ERROR_INVALID);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_directory_add_map(&directory, &high) == HM_OK);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &pool) == HM_ERROR_INVALID);
    hm_handle in_map = insert(&map, 1), in_pool = hm_pool_insert(&pool, &seven);
    CHECK(hm_directory_find_map(&directory, in_map) == &map);
    CHECK(hm_directory_find_pool(&directory, in_map) == NULL);
    CHECK(hm_directory_find_pool(&directory, in_pool) == &pool);
    CHECK(hm_directory_find_map(&directory, in_pool) == NULL);
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

/* One of each kind, with an item each; type ids from 1 on. */
typedef struct scene {
    hm_map map;
    hm_pool pool;
    hm_table table;
    hm_lists lists;
    hm_world world;
    hm_handle handles[5];
} scene;

static void make_scene(scene *of)
{
    static const hm_column columns[] = {{.size = 4}, {.size = 8}};
    const hm_table_desc table = {.columns = columns, .column_count = 2, .type_id = 3};
    make_map(&of->map, 1, NULL);
    CHECK(hm_pool_init(&of->pool, &(hm_pool_desc){.item_size = 4, .type_id = 2}) == HM_OK);
    CHECK(hm_table_init(&of->table, &table) == HM_OK);
    CHECK(hm_lists_init(&of->lists, &(hm_lists_desc){.item_size = 4, .type_id = 4}) == HM_OK);
    CHECK(hm_world_init(&of->world, &(hm_world_desc){.type_id = 5}) == HM_OK);
    of->handles[0] = hm_map_insert(&of->map, NULL);
    of->handles[1] = hm_pool_insert(&of->pool, NULL);
    of->handles[2] = hm_table_insert(&of->table, NULL);
    of->handles[3] = hm_lists_create(&of->lists);
    of->handles[4] = hm_world_create(&of->world, NULL, 0);
}

static void end_scene(scene *of)
{
    hm_map_fini(&of->map);
    hm_pool_fini(&of->pool);
    hm_table_fini(&of->table);
    hm_lists_fini(&of->lists);
    hm_world_fini(&of->world);
}

static void check_found(const hm_directory *directory, scene *of, int kind)
{
    char text[80];
    hm_handle handle = of->handles[kind];
    hm_handle later = hm_handle_from_bits(handle.bits + (UINT64_C(1) << 32));
    CHECK(hm_directory_contains(directory, handle) && !hm_directory_contains(directory, later));
    CHECK(hm_directory_explain(directory, handle) == HM_HANDLE_LIVE);
    CHECK(hm_directory_explain(directory, later) == HM_HANDLE_FORGED);
    CHECK(hm_directory_describe(directory, handle, text, sizeof text) == strlen(text));
    CHECK(strncmp(text, "live: ", 6) == 0);
    CHECK((hm_directory_find_map(directory, handle) == &of->map) == (kind == 0));
    CHECK((hm_directory_find_pool(directory, handle) == &of->pool) == (kind == 1));
    CHECK((hm_directory_find_table(directory, handle) == &of->table) == (kind == 2));
    CHECK((hm_directory_find_lists(directory, handle) == &of->lists) == (kind == 3));
    CHECK((hm_directory_find_world(directory, handle) == &of->world) == (kind == 4));
    CHECK((hm_directory_get(directory, handle) != NULL) == (kind < 2));
}

TEST(directory, it_holds_every_container_whose_items_have_handles)
{
    scene of;
    hm_directory directory;
    make_scene(&of);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    for (int kind = 0; kind < 5; kind++) {
        CHECK(!hm_directory_contains(&directory, of.handles[kind]));
        CHECK(hm_directory_explain(&directory, of.handles[kind]) == HM_HANDLE_FOREIGN);
    }
    CHECK(hm_directory_add_map(&directory, &of.map) == HM_OK);
    CHECK(hm_directory_add_pool(&directory, &of.pool) == HM_OK);
    CHECK(hm_directory_add_table(&directory, &of.table) == HM_OK);
    CHECK(hm_directory_add_lists(&directory, &of.lists) == HM_OK);
    CHECK(hm_directory_add_world(&directory, &of.world) == HM_OK);
    CHECK(hm_directory_add_world(&directory, &of.world) == HM_ERROR_INVALID);
    for (int kind = 0; kind < 5; kind++)
        check_found(&directory, &of, kind);
    const void *item = hm_lists_push(&of.lists, of.handles[3], NULL);
    CHECK(item != NULL && hm_directory_get(&directory, of.handles[3]) == item);
    const unsigned char *cell = hm_table_get(&of.table, of.handles[2], 1);
    CHECK(hm_handle_equal(hm_directory_handle_of(&directory, cell + 5), of.handles[2]));
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, &of)));
    CHECK(hm_directory_explain(&directory, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_directory_explain(&directory, hm_handle_pack(0, 0, 9)) == HM_HANDLE_FORGED);
    CHECK(hm_directory_remove_table(&directory, &of.table));
    CHECK(!hm_directory_remove_table(&directory, &of.table));
    CHECK(hm_directory_remove_lists(&directory, &of.lists));
    CHECK(hm_directory_remove_world(&directory, &of.world));
    CHECK(!hm_directory_contains(&directory, of.handles[4]));
    CHECK(hm_world_contains(&of.world, of.handles[4]));
    CHECK(hm_handle_is_null(hm_directory_handle_of(&directory, cell)));
    hm_directory_fini(&directory);
    end_scene(&of);
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
        CHECK(hm_directory_add_map(&directory, &maps[m]) == HM_OK);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_ERROR_FULL);
    CHECK(!hm_directory_remove_map(&directory, &map));
    CHECK(hm_directory_find_map(&directory, handle) == NULL);
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
    CHECK(hm_directory_add_map(&directory, &map) == HM_OK);
    hm_directory_fini(&directory);
    CHECK(memcmp(&directory, &zero, sizeof zero) == 0);
    CHECK(hm_directory_get(&directory, handle) == NULL);
    hm_directory_fini(&directory);
    hm_map_fini(&map);
}

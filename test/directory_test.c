/* SPDX-License-Identifier: MIT */
/* directory: a handle of any container finds its owner, and nothing else finds anything. */
#include "support/memory.h"
#include "support/owners.h"
#include "support/test.h"

#include <string.h>

typedef struct place {
    hm_status (*add)(hm_directory *directory, owner *container);
    bool (*remove)(hm_directory *directory, owner *container);
    void *(*find)(const hm_directory *directory, hm_handle handle);
} place;

/* The functions of each kind. */
#define PLACE(kind)                                                                                \
    static hm_status add_##kind(hm_directory *directory, owner *container)                         \
    {                                                                                              \
        return hm_directory_add_##kind(directory, &container->kind);                               \
    }                                                                                              \
    static bool remove_##kind(hm_directory *directory, owner *container)                           \
    {                                                                                              \
        return hm_directory_remove_##kind(directory, &container->kind);                            \
    }                                                                                              \
    static void *find_##kind(const hm_directory *directory, hm_handle handle)                      \
    {                                                                                              \
        return hm_directory_find_##kind(directory, handle);                                        \
    }

PLACE(map)
PLACE(pool)
PLACE(table)
PLACE(lists)
PLACE(world)

static const owner_kind kinds[] = {OWNER_ROWS};
/* In their order. */
static const place places[OWNER_KINDS] = {{add_map, remove_map, find_map},
                                          {add_pool, remove_pool, find_pool},
                                          {add_table, remove_table, find_table},
                                          {add_lists, remove_lists, find_lists},
                                          {add_world, remove_world, find_world}};

enum { MANY = 2 * OWNER_KINDS };

/* Two containers of each kind, with three items each and one that is gone, and a directory, which
 * knows none of them. */
typedef struct scene {
    hm_directory directory;
    owner containers[MANY];
    hm_handle handles[MANY][3], gone[MANY];
} scene;

static const uint16_t type_ids[MANY] = {0x7FFF, 3, 0, 600, 1, 7, 8, 9, 10, 11};

static void begin(scene *on, const hm_memory *memory)
{
    CHECK(hm_directory_init(&on->directory, memory) == HM_OK);
    for (int i = 0; i < MANY; i++) {
        const owner_kind *kind = &kinds[i / 2];
        CHECK(kind->init(&on->containers[i], type_ids[i], NULL) == HM_OK);
        for (int k = 0; k < 3; k++)
            on->handles[i][k] = kind->issue(&on->containers[i]);
        on->gone[i] = on->handles[i][0];
        CHECK(kind->end_item(&on->containers[i], on->gone[i]));
        on->handles[i][0] = kind->issue(&on->containers[i]);
        CHECK(kind->contains(&on->containers[i], on->handles[i][0]));
    }
    CHECK(hm_lists_push(&on->containers[6].lists, on->handles[6][0], NULL) != NULL);
}

static void end(scene *on)
{
    static const hm_directory zero;
    hm_directory_fini(&on->directory);
    CHECK(memcmp(&on->directory, &zero, sizeof zero) == 0);
    CHECK(hm_directory_get(&on->directory, on->handles[0][0]) == NULL);
    hm_directory_fini(&on->directory);
    for (int i = 0; i < MANY; i++) {
        CHECK(kinds[i / 2].contains(&on->containers[i], on->handles[i][0]));
        kinds[i / 2].fini(&on->containers[i]);
    }
}

static void *find(const scene *on, int kind, hm_handle handle)
{
    return places[kind].find(&on->directory, handle);
}

/* The handle's item is where it is in the container that issued it, if it has one address. */
static const void *item_of(scene *on, int i, hm_handle handle)
{
    owner *container = &on->containers[i];
    return i / 2 == 0   ? hm_map_get(&container->map, handle)
           : i / 2 == 1 ? hm_pool_get(&container->pool, handle)
           : i / 2 == 3 ? hm_lists_items(&container->lists, handle, NULL)
                        : NULL;
}

/* Whether the directory finds container `i`, and no other, by all of its handles. */
static bool is_found(scene *on, int i)
{
    char text[80];
    const hm_directory *directory = &on->directory;
    for (int k = 0; k < 4; k++) {
        bool is_live = k < 3;
        hm_handle handle = is_live ? on->handles[i][k] : on->gone[i];
        hm_handle later = hm_handle_from_bits(handle.bits + (UINT64_C(7) << 32));
        for (int kind = 0; kind < OWNER_KINDS; kind++)
            if (find(on, kind, handle) != (kind == i / 2 ? &on->containers[i] : NULL))
                return false;
        CHECK(hm_directory_contains(directory, handle) == is_live);
        CHECK(hm_directory_explain(directory, handle) ==
              (is_live ? HM_HANDLE_LIVE : HM_HANDLE_STALE));
        CHECK(hm_directory_explain(directory, later) == HM_HANDLE_FORGED);
        CHECK(!hm_directory_contains(directory, later));
        CHECK(hm_directory_describe(directory, handle, text, sizeof text) == strlen(text));
        CHECK(strncmp(text, is_live ? "live: " : "stale: ", 6) == 0);
        const void *item = hm_directory_get(directory, handle);
        CHECK(item == item_of(on, i, handle));
        CHECK(item != NULL || i / 2 > 1 || !is_live);
    }
    return true;
}

static bool finds_nothing(const scene *on, hm_handle handle)
{
    for (int kind = 0; kind < OWNER_KINDS; kind++)
        if (find(on, kind, handle) != NULL)
            return false;
    return hm_directory_get(&on->directory, handle) == NULL &&
           !hm_directory_contains(&on->directory, handle);
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

TEST(directory, each_handle_finds_its_owner_from_add_to_remove)
{
    scene on;
    begin(&on, NULL);
    for (int i = 0; i < MANY; i++) {
        const place *of = &places[i / 2];
        owner *container = &on.containers[i];
        CHECK(finds_nothing(&on, on.handles[i][0]));
        CHECK(hm_directory_explain(&on.directory, on.handles[i][0]) == HM_HANDLE_FOREIGN);
        CHECK(!of->remove(&on.directory, container));
        CHECK(of->add(&on.directory, container) == HM_OK);
        CHECK(of->add(&on.directory, container) == HM_ERROR_INVALID);
    }
    for (int i = 0; i < MANY; i++)
        CHECK(is_found(&on, i));
    const uint64_t free_bit = HM_HANDLE_FREE_BIT;
    CHECK(finds_nothing(&on, HM_NULL_HANDLE) && finds_nothing(&on, hm_handle_pack(0, 1, 2)));
    CHECK(finds_nothing(&on, hm_handle_pack(0, 1, 0x7FFE)));
    CHECK(finds_nothing(&on, hm_handle_from_bits(on.handles[2][0].bits | free_bit)));
    CHECK(hm_directory_explain(&on.directory, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_directory_explain(&on.directory, hm_handle_pack(0, 0, 500)) == HM_HANDLE_FORGED);
    for (int i = 0; i < MANY; i++) {
        CHECK(is_found(&on, i) && places[i / 2].remove(&on.directory, &on.containers[i]));
        CHECK(!places[i / 2].remove(&on.directory, &on.containers[i]));
        CHECK(finds_nothing(&on, on.handles[i][0]));
    }
    end(&on);
}

/* Of a container that has moved by assignment, and of another kind with its type id. */
TEST(directory, a_taken_type_id_is_refused_until_its_container_is_removed)
{
    scene on;
    begin(&on, NULL);
    for (int i = 0; i < MANY; i++)
        for (int kind = 0; kind < OWNER_KINDS; kind++) {
            const place *of = &places[i / 2], *other = &places[kind];
            owner second, *first = &on.containers[i];
            CHECK(kinds[kind].init(&second, type_ids[i], NULL) == HM_OK);
            CHECK(of->add(&on.directory, first) == HM_OK);
            CHECK(other->add(&on.directory, &second) == HM_ERROR_INVALID);
            CHECK(!other->remove(&on.directory, &second) && is_found(&on, i));
            CHECK(of->remove(&on.directory, first));
            CHECK(other->add(&on.directory, &second) == HM_OK);
            CHECK(find(&on, kind, on.handles[i][0]) == &second);
            CHECK(!hm_directory_contains(&on.directory, on.handles[i][0]));
            owner moved = second; /* the old one is not used again */
            CHECK(!other->remove(&on.directory, &moved));
            CHECK(other->remove(&on.directory, &second));
            CHECK(other->add(&on.directory, &moved) == HM_OK);
            CHECK(hm_directory_contains(&on.directory, kinds[kind].issue(&moved)));
            CHECK(other->remove(&on.directory, &moved));
            kinds[kind].fini(&moved);
        }
    end(&on);
}

TEST(directory, all_32768_type_ids_have_a_place)
{
    scene on;
    begin(&on, NULL);
    hm_map *map = &on.containers[0].map;
    for (uint32_t type_id = 0; type_id <= HM_HANDLE_MAX_TYPE_ID; type_id++) {
        map->ids.type_id = (uint16_t)type_id;
        CHECK(hm_directory_add_map(&on.directory, map) == HM_OK);
    }
    for (uint32_t type_id = 0; type_id <= HM_HANDLE_MAX_TYPE_ID; type_id++) {
        CHECK(find(&on, 0, hm_handle_pack(0, 1, type_id)) == map);
        map->ids.type_id = (uint16_t)type_id;
        CHECK(hm_directory_remove_map(&on.directory, map));
        CHECK(find(&on, 0, hm_handle_pack(0, 1, type_id)) == NULL);
    }
    end(&on);
}

TEST(directory, refused_memory_leaves_it_as_it_was)
{
    scene on;
    test_memory memory;
    test_memory_init(&memory, 65536);
    begin(&on, &memory.table);
    owner *low = &on.containers[1], *high = &on.containers[0];
    CHECK(add_map(&on.directory, low) == HM_OK);
    test_memory_fail(&memory, 1, true);
    CHECK(add_map(&on.directory, high) == HM_ERROR_MEMORY);
    CHECK(finds_nothing(&on, on.handles[0][0]) && !remove_map(&on.directory, high));
    CHECK(is_found(&on, 1) && add_map(&on.directory, low) == HM_ERROR_INVALID);
    test_memory_fail(&memory, 0, false);
    CHECK(add_map(&on.directory, high) == HM_OK);
    CHECK(is_found(&on, 0) && is_found(&on, 1));
    end(&on);
    test_memory_check_released(&memory);
}

TEST(directory, an_address_finds_its_handle_in_whatever_holds_it)
{
    scene on;
    begin(&on, NULL);
    hm_directory *directory = &on.directory;
    CHECK(hm_handle_is_null(hm_directory_handle_of(directory, &on)));
    for (int i = 0; i < MANY; i++)
        CHECK(places[i / 2].add(directory, &on.containers[i]) == HM_OK);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            hm_handle handle = on.handles[i][k];
            const unsigned char *item = i / 2 == 2
                                            ? hm_table_get(&on.containers[i].table, handle, 1)
                                            : item_of(&on, i, handle);
            CHECK(item != NULL);
            CHECK(hm_handle_equal(hm_directory_handle_of(directory, item), handle));
            CHECK(hm_handle_equal(hm_directory_handle_of(directory, item + 3), handle));
        }
    hm_handle last = on.handles[2][2];
    const void *stale = hm_pool_get(&on.containers[2].pool, last);
    CHECK(hm_pool_erase(&on.containers[2].pool, last));
    CHECK(hm_handle_is_null(hm_directory_handle_of(directory, stale)));
    CHECK(hm_handle_is_null(hm_directory_handle_of(directory, &on)));
    CHECK(hm_handle_is_null(hm_directory_handle_of(directory, NULL)));
    const void *cell = hm_table_get(&on.containers[4].table, on.handles[4][0], 1);
    CHECK(remove_table(directory, &on.containers[4]));
    CHECK(hm_handle_is_null(hm_directory_handle_of(directory, cell)));
    end(&on);
}

TEST(directory, a_zeroed_one_is_empty_and_full)
{
    scene on;
    begin(&on, NULL);
    hm_directory_fini(&on.directory);
    for (int i = 0; i < MANY; i++) {
        CHECK(places[i / 2].add(&on.directory, &on.containers[i]) == HM_ERROR_FULL);
        CHECK(!places[i / 2].remove(&on.directory, &on.containers[i]));
        CHECK(finds_nothing(&on, on.handles[i][0]));
    }
    end(&on);
}

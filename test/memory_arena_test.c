/* SPDX-License-Identifier: MIT */
/* Arenas: what they ask of their parent, and refusals. Random ranges, and every kind of container
 * in an arena, are in memory_arena_model_test.c. */
#include "support/arena.h"
#include "support/layout.h"
#include "support/memory.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Containers */

enum { ITEMS = 300 };

/* A map is filled and emptied. The other containers are in memory_arena_model_test.c. */
static hm_status use_map(const hm_memory *memory, size_t size, size_t align)
{
    hm_map map;
    hm_handle handles[ITEMS];
    hm_map_desc desc = {.item_size = size, .item_align = align, .memory = memory};
    desc.meta_size = 4;
    desc.capacity = ITEMS;
    hm_status status = hm_map_init(&map, &desc);
    if (status == HM_OK)
        status = hm_map_insert_n(&map, NULL, ITEMS, handles);
    if (status == HM_OK) {
        CHECK((uintptr_t)hm_map_items(&map) % align == 0);
        memset(hm_map_items(&map), 0xA5, size * ITEMS);
        CHECK(hm_map_erase_n(&map, handles, ITEMS / 2) == ITEMS / 2);
        status = hm_map_trim(&map);
    }
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
    return status;
}

static const unsigned char *refused; /* a byte that gets no memory, or NULL */

static bool commit_others(void *context, void *address, size_t size)
{
    return (uintptr_t)refused - (uintptr_t)address >= size &&
           hm_memory_heap()->commit(context, address, size);
}

/* Where pages are small, the header of an aligned range is in another page than its block, and so
 * is that of what is left behind it. */
TEST(memory_arena, a_header_without_memory_refuses_the_range)
{
    hm_memory small = *hm_memory_heap();
    hm_memory_arena arena;
    small.page_size = UNIT;
    small.commit = commit_others;
    refused = NULL;
    make_arena(&arena, (size_t)1 << 16, &small);
    const hm_memory *table = &arena.table;
    void *before = table->reserve(table->context, UNIT);
    unsigned char *range = table->reserve(table->context, HM_MEMORY_ALIGNMENT);
    CHECK(before != NULL && range != NULL);
    for (int i = 0; i < 2; i++) {
        table->release(table->context, range, HM_MEMORY_ALIGNMENT);
        CHECK(hm_memory_arena_trim(&arena) == HM_OK);
        refused = i == 0 ? range - UNIT : range + HM_MEMORY_ALIGNMENT;
        CHECK(table->reserve(table->context, HM_MEMORY_ALIGNMENT) == NULL);
        refused = NULL;
        CHECK(table->reserve(table->context, HM_MEMORY_ALIGNMENT) == range);
    }
    table->release(table->context, range, HM_MEMORY_ALIGNMENT);
    table->release(table->context, before, UNIT);
    hm_memory_arena_fini(&arena);
}

/* Blocks of 32 to 63 units are in one list, of which the latest eight are tried first. */
TEST(memory_arena, a_range_is_found_behind_many_that_are_too_small)
{
    enum { SMALL = 33 * UNIT, MIDDLE = 51 * UNIT, LARGE = 61 * UNIT, RANGES_OF_LIST = 10 };
    hm_memory_arena arena;
    void *ranges[RANGES_OF_LIST], *others[1024];
    uint32_t count = 0;
    make_arena(&arena, (size_t)1 << 16, hm_memory_heap());
    const hm_memory *memory = &arena.table;
    for (int i = 0; i < RANGES_OF_LIST; i++) { /* with neighbours, so that they are not joined */
        ranges[i] = memory->reserve(memory->context, i == 0 ? LARGE : SMALL);
        others[count++] = memory->reserve(memory->context, UNIT);
        CHECK(ranges[i] != NULL && others[i] != NULL);
    }
    while ((others[count] = memory->reserve(memory->context, UNIT)) != NULL) /* all the rest */
        count++;
    for (int i = 0; i < RANGES_OF_LIST; i++)
        memory->release(memory->context, ranges[i], i == 0 ? LARGE : SMALL);
    CHECK(memory->reserve(memory->context, MIDDLE) == ranges[0]);
    CHECK(memory->reserve(memory->context, MIDDLE) == NULL);
    memory->release(memory->context, ranges[0], MIDDLE);
    while (count != 0)
        memory->release(memory->context, others[--count], UNIT);
    hm_memory_arena_fini(&arena);
}

/* A parent's page of 8 bytes is less than a unit. */
TEST(memory_arena, the_pages_of_the_parent_may_be_small)
{
    hm_memory small = *hm_memory_heap();
    hm_memory_arena arena;
    small.page_size = 8;
    make_arena(&arena, 1000008, &small);
    CHECK(use_map(&arena.table, 8, 8) == HM_OK &&
          use_map(&arena.table, 4096, 4096) == HM_ERROR_MEMORY);
    CHECK(hm_memory_arena_trim(&arena) == HM_OK);
    hm_memory_arena_fini(&arena);
}

/* Returns how many mappings this process has, or 0. */
static uint32_t count_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    uint32_t lines = 0;
    for (int c; file != NULL && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file != NULL)
        fclose(file);
    return lines;
}

TEST(memory_arena, ten_thousand_maps_take_few_mappings_and_share_pages)
{
    enum { MAPS = 10000, EACH = 100 };
    hm_memory_arena arena;
    hm_map *maps = calloc(MAPS, sizeof *maps);
    CHECK(maps != NULL);
    make_arena(&arena, (size_t)1 << 26, NULL);
    uint32_t before = count_mappings();
    for (uint32_t i = 0; i < MAPS; i++) {
        hm_map_desc desc = {.item_size = 8, .capacity = EACH, .memory = &arena.table};
        CHECK(hm_map_init(&maps[i], &desc) == HM_OK);
        for (uint64_t k = 0; k < EACH; k++)
            CHECK(!hm_handle_is_null(hm_map_insert(&maps[i], &k)));
    }
    if (test_scale() == 1 && before != 0)
        CHECK(count_mappings() <= before + 4);
    else
        test_leave_out("mappings of an arena: not told here, or an emulator's");
    hm_memory_arena_stats stats = hm_memory_arena_get_stats(&arena);
    /* A map has 200 slots of 8 and 100 of 4 bytes, 100 items of 8, floors and a header. */
    CHECK(stats.ranges == MAPS && stats.used_size <= (size_t)MAPS * 3100);
    CHECK(stats.committed_size <= (size_t)MAPS * 3200 + ((size_t)1 << 17));
    for (uint32_t i = 0; i < MAPS; i++)
        hm_map_fini(&maps[i]);
    hm_memory_arena_fini(&arena);
    free(maps);
}

/* init, fini and broken contracts */

TEST(memory_arena, init_refuses_what_is_wrong_and_holds_nothing)
{
    test_memory parent;
    hm_memory_arena arena;
    CHECK(hm_memory_arena_init(NULL, &(hm_memory_arena_desc){0}) == HM_ERROR_INVALID);
    memset(&arena, 0x5A, sizeof arena);
    CHECK(hm_memory_arena_init(&arena, NULL) == HM_OK);
    hm_memory_arena_fini(&arena);
    hm_memory_arena_desc desc = {.size = SIZE_MAX / 4 + 1};
    CHECK(hm_memory_arena_init(&arena, &desc) == HM_ERROR_INVALID && is_zeroed(&arena));
    char text[200];
    snprintf(text, sizeof text, "hm_memory_arena_init: size %zu in pages of %zu is above %zu",
             desc.size, hm_memory_os()->page_size, (size_t)SIZE_MAX / 4);
    CHECK(strcmp(hm_last_error(), text) == 0);
    hm_memory large = *hm_memory_heap();
    large.page_size = SIZE_MAX / 2 + 1;
    desc = (hm_memory_arena_desc){.size = 1, .memory = &large};
    CHECK(hm_memory_arena_init(&arena, &desc) == HM_ERROR_INVALID && is_zeroed(&arena));
    for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++) {
        test_memory_init(&parent, test_page_size(4096));
        test_memory_break(&parent, flaw);
        desc = (hm_memory_arena_desc){.size = 1, .memory = &parent.table};
        CHECK(hm_memory_arena_init(&arena, &desc) == HM_ERROR_INVALID && is_zeroed(&arena));
    }
    for (uint32_t k = 1; k <= 3; k++) { /* the reservation, the bytes of pages, the first block */
        test_memory_init_with_holes(&parent, test_page_size(4096));
        test_memory_fail(&parent, k, false);
        desc = (hm_memory_arena_desc){.size = 1, .memory = &parent.table};
        CHECK(hm_memory_arena_init(&arena, &desc) == HM_ERROR_MEMORY && is_zeroed(&arena));
        test_memory_check_released(&parent);
    }
}

TEST(memory_arena, the_default_size_fits_the_parent)
{
    hm_memory_arena arena;
    make_arena(&arena, 0, hm_memory_heap());
    CHECK(arena.size == (size_t)16 << 20);
    hm_memory_arena_fini(&arena);
    if (sizeof(void *) < 8) {
        test_leave_out("a default size of 1 GiB: pointers have 32 bits");
        return;
    }
    make_arena(&arena, 0, NULL);
    CHECK(arena.size == (size_t)1 << 30);
    hm_memory_arena_fini(&arena);
}

TEST(memory_arena, a_zeroed_arena_may_be_finished_and_trimmed)
{
    hm_memory_arena arena = {0};
    CHECK(hm_memory_arena_trim(&arena) == HM_OK);
    CHECK(hm_memory_arena_get_stats(&arena).reserved_size == 0);
    hm_memory_arena_fini(&arena);
    hm_memory_arena_fini(&arena);
    CHECK(is_zeroed(&arena));
}

/* Of two runs of pages that nothing uses the second stays. */
TEST(memory_arena, a_trim_that_is_refused_later_has_given_back_what_came_before)
{
    test_memory parent;
    hm_memory_arena arena;
    unsigned char *ranges[3];
    test_memory_init_with_holes(&parent, test_page_size(4096));
    make_arena(&arena, (size_t)1 << 24, &parent.table);
    const hm_memory *table = &arena.table;
    const size_t size = 4 * parent.table.page_size;
    for (int i = 0; i < 3; i++) {
        ranges[i] = table->reserve(table->context, size);
        CHECK(ranges[i] != NULL && table->commit(table->context, ranges[i], size));
    }
    memset(ranges[1], 7, size);
    table->release(table->context, ranges[0], size);
    table->release(table->context, ranges[2], size);
    size_t before = parent.committed_size;
    for (int k = 2; k > 0; k--) { /* Then the second run is the first one that is left. */
        test_memory_fail(&parent, (uint32_t)k, false);
        CHECK(hm_memory_arena_trim(&arena) == HM_ERROR_MEMORY && test_memory_refused(&parent));
        CHECK(parent.committed_size < before);
        CHECK(hm_memory_arena_get_stats(&arena).committed_size == parent.committed_size);
        CHECK(test_bytes_are(ranges[1], size, 7));
    }
    test_memory_fail(&parent, 0, false);
    CHECK(use_map(table, 4096, 8) == HM_OK && test_bytes_are(ranges[1], size, 7));
    CHECK(hm_memory_arena_trim(&arena) == HM_OK);
    table->release(table->context, ranges[1], size);
    hm_memory_arena_fini(&arena);
    test_memory_check_released(&parent);
}

static uint64_t number_of(const void *item, void *context)
{
    (void)context;
    uint64_t number;
    memcpy(&number, item, sizeof number);
    return number;
}

TEST(memory_arena, a_trim_gives_back_what_live_containers_have_given_back)
{
    test_memory parent;
    hm_memory_arena arena;
    hm_map map;
    test_memory_init_with_holes(&parent, test_page_size(4096));
    make_arena(&arena, (size_t)1 << 24, &parent.table);
    hm_map_desc desc = {.item_size = 64, .capacity = 40000, .memory = &arena.table};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(hm_memory_arena_trim(&arena) == HM_OK);
    size_t before = parent.committed_size;
    for (int i = 1; i < 40000; i++)
        CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(parent.committed_size > before + (size_t)39000 * 64);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_memory_arena_trim(&arena) == HM_OK);
    CHECK(parent.committed_size <= before + 16 * parent.table.page_size);
    CHECK(hm_map_validate(&map) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_fini(&map);
    hm_memory_arena_fini(&arena);
    test_memory_check_released(&parent);
}

TEST(memory_arena, a_small_map_that_was_ordered_keeps_little)
{
    hm_memory_arena arena;
    make_arena(&arena, 1 << 20, NULL);
    hm_map_desc desc = {.item_size = 8, .capacity = 100, .memory = &arena.table};
    hm_map map;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (uint64_t i = 100; i > 0; i--)
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &i)));
    size_t before = hm_memory_arena_get_stats(&arena).used_size;
    hm_order order = {.key = number_of};
    CHECK(hm_map_defragment(&map, &order, NULL).done);
    CHECK(hm_memory_arena_get_stats(&arena).used_size < before + 16384);
    hm_map_fini(&map);
    hm_memory_arena_fini(&arena);
}

DEATH_TEST(memory_arena, fini_panics_while_a_container_uses_it)
{
    hm_memory_arena arena;
    hm_map map;
    make_arena(&arena, (size_t)1 << 20, NULL);
    CHECK(hm_map_init(&map, &(hm_map_desc){
                                .item_size = 8, .capacity = 10, .memory = &arena.table}) == HM_OK);
    test_expect_panic_of("arena.c", "hm_memory_arena_fini: a container");
    hm_memory_arena_fini(&arena);
}

DEATH_TEST(memory_arena, a_release_of_another_size_panics)
{
    hm_memory_arena arena;
    make_arena(&arena, (size_t)1 << 20, NULL);
    void *range = arena.table.reserve(&arena, (size_t)2 * UNIT);
    test_expect_panic_of("arena.c", "hm_memory_arena: a release");
    arena.table.release(&arena, range, UNIT);
}

#if defined(HM_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>

TEST(memory_arena, what_a_container_has_given_back_is_poisoned)
{
    hm_memory_arena arena;
    hm_map map;
    make_arena(&arena, (size_t)1 << 20, NULL);
    hm_map_desc desc = {.item_size = 8, .capacity = 100, .memory = &arena.table};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    hm_handle handle = hm_map_insert(&map, NULL);
    unsigned char *stale = hm_map_get(&map, handle);
    CHECK(!__asan_address_is_poisoned(stale));
    hm_map_fini(&map);
    CHECK(__asan_address_is_poisoned(stale) && __asan_address_is_poisoned(stale + 7));
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(__asan_address_is_poisoned(stale)); /* until there is an item again */
    CHECK(hm_map_get(&map, hm_map_insert(&map, NULL)) == stale);
    CHECK(!__asan_address_is_poisoned(stale));
    hm_map_fini(&map);
    hm_memory_arena_fini(&arena);
}

TEST(memory_arena, what_is_decommitted_is_poisoned_and_nothing_beside_it)
{
    hm_memory_arena arena;
    make_arena(&arena, (size_t)1 << 20, NULL);
    const hm_memory *table = &arena.table;
    unsigned char *range = table->reserve(table->context, 4 * UNIT);
    CHECK(range != NULL && table->commit(table->context, range, 4 * UNIT));
    CHECK(table->decommit(table->context, range + UNIT, 2 * UNIT));
    for (int i = 0; i < 4 * UNIT; i++)
        CHECK(__asan_address_is_poisoned(range + i) == (i >= UNIT && i < 3 * UNIT));
    CHECK(table->commit(table->context, range + UNIT, 2 * UNIT));
    CHECK(__asan_region_is_poisoned(range, 4 * UNIT) == NULL);
    table->release(table->context, range, 4 * UNIT);
    hm_memory_arena_fini(&arena);
}

/* What the arena gives back is the parent's, which may do with it what it likes. */
TEST(memory_arena, nothing_is_poisoned_that_was_given_back)
{
    test_memory parent;
    test_memory_init(&parent, 4096);
    hm_memory_arena arena;
    make_arena(&arena, 1 << 20, &parent.table);
    unsigned char *pages = arena.base;
    hm_map_desc desc = {.item_size = 8, .capacity = 10000, .memory = &arena.table};
    hm_map map;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 10000, NULL) == HM_OK);
    hm_map_fini(&map);
    CHECK(__asan_region_is_poisoned(pages + 8192, 4096) == pages + 8192);
    CHECK(hm_memory_arena_trim(&arena) == HM_OK);
    CHECK(__asan_region_is_poisoned(pages + 8192, 4096) == NULL);
    hm_memory_arena_fini(&arena);
}

/* A parent's range of its own, which it poisons nowhere. */
static _Alignas(HM_MEMORY_ALIGNMENT) unsigned char ground[1 << 21];

static void *reserve_ground(void *context, size_t size)
{
    (void)context;
    return size <= sizeof ground ? ground : NULL;
}

static bool clear_ground(void *context, void *address, size_t size)
{
    (void)context;
    memset(address, 0, size);
    return true;
}

static void release_ground(void *context, void *address, size_t size)
{
    (void)context;
    CHECK(address == ground && size <= sizeof ground);
}

TEST(memory_arena, nothing_is_poisoned_after_fini)
{
    hm_memory_arena arena;
    const hm_memory parent = {.reserve = reserve_ground,
                              .commit = clear_ground,
                              .decommit = clear_ground,
                              .release = release_ground,
                              .page_size = UNIT};
    make_arena(&arena, (size_t)1 << 20, &parent);
    CHECK(use_map(&arena.table, 40, 8) == HM_OK);
    CHECK(__asan_region_is_poisoned(ground, sizeof ground) != NULL);
    hm_memory_arena_fini(&arena);
    CHECK(__asan_region_is_poisoned(ground, sizeof ground) == NULL);
}

TEST(memory_arena, what_no_container_has_had_is_poisoned)
{
    hm_memory_arena arena;
    make_arena(&arena, 1 << 20, NULL);
    hm_map_desc desc = {.item_size = 8, .capacity = 10000, .memory = &arena.table};
    hm_map map;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    const unsigned char *items = hm_map_items(&map);
    CHECK(__asan_address_is_poisoned(items + 8));
    CHECK(__asan_address_is_poisoned(items + 1024) && __asan_address_is_poisoned(items + 2048));
    hm_map_fini(&map);
    hm_memory_arena_fini(&arena);
}

#endif

/* SPDX-License-Identifier: MIT */
/* The memory of containers: address space at init, commits and resident memory at reserve and in
 * growth. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* mincore */
#endif

#include "support/any.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { STORAGES = 3 };

/* Functions of the program in front of another table, which count calls and can return addresses
 * that are not aligned. */
typedef struct counting {
    hm_memory table;
    const hm_memory *base;
    uint32_t reserves, commits; /* calls */
    uint32_t misaligned_from;   /* the reserve with this number and all later ones; 0: none */
    uint32_t released;          /* calls */
    size_t reserved_size;       /* bytes */
} counting;

static void *count_reserve(void *context, size_t size)
{
    counting *self = context;
    self->reserves++;
    unsigned char *address = self->base->reserve(self->base->context, size);
    self->reserved_size += address != NULL ? size : 0;
    bool is_misaligned = self->misaligned_from != 0 && self->reserves >= self->misaligned_from;
    return address != NULL && is_misaligned ? address + 64 : address;
}

static bool count_commit(void *context, void *address, size_t size)
{
    counting *self = context;
    self->commits++;
    return self->base->commit(self->base->context, address, size);
}

static bool pass_decommit(void *context, void *address, size_t size)
{
    const counting *self = context;
    return self->base->decommit(self->base->context, address, size);
}

static void pass_release(void *context, void *address, size_t size)
{
    counting *self = context;
    self->released++;
    self->reserved_size -= size;
    uintptr_t place = (uintptr_t)address;
    if (self->misaligned_from != 0 && place % HM_MEMORY_ALIGNMENT == 64)
        address = (unsigned char *)address - 64;
    self->base->release(self->base->context, address, size);
}

static void count_init(counting *self, const hm_memory *base)
{
    memset(self, 0, sizeof *self);
    self->table = *base; /* with its page size */
    self->table.reserve = count_reserve;
    self->table.commit = count_commit;
    self->table.decommit = pass_decommit;
    self->table.release = pass_release;
    self->table.context = self;
    self->base = base;
}

/* Returns a number that the system tells about this process, or 0. */
static size_t read_number(const char *path, const char *format)
{
    size_t number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, format, &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

/* Returns the resident bytes of this process, or 0 if they are not known or include a sanitizer's
 * data. The system counts them for this file; those in statm may be some pages per processor late.
 */
static size_t resident_size(void)
{
#if defined(HM_ADDRESS_SANITIZER)
    return 0;
#else
    return read_number("/proc/self/smaps_rollup", "%*[^\n] Rss: %zu") << 10;
#endif
}

TEST(footprint, a_reserve_of_millions_makes_nothing_resident)
{
    enum { ITEMS = 8000000, ITEM_SIZE = 64 };
    const size_t most = (size_t)16 << 20; /* bytes: bits of pages, and the test's own data */
    if (resident_size() == 0 || test_scale() > 1 ||
        !test_has_addresses((uint64_t)5 * ITEMS * ITEM_SIZE, "a pool of 8,000,000 items")) {
        test_leave_out("resident memory after reserve: not told here, or another's");
        return;
    }
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = ITEM_SIZE, .capacity = ITEMS};
        desc.storage = (hm_storage)storage;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        size_t before = resident_size();
        CHECK(hm_pool_reserve(&pool, ITEMS) == HM_OK);
        CHECK(resident_size() < before + most);
        hm_pool_fini(&pool);
    }
    hm_map map;
    hm_map_desc desc = {.item_size = ITEM_SIZE, .capacity = ITEMS};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    size_t before = resident_size();
    CHECK(hm_map_reserve(&map, ITEMS) == HM_OK);
    CHECK(resident_size() < before + most);
    hm_map_fini(&map);
}

/* Where there are huge pages, the last one that an item is in may have no other; and what a step
 * commits is not touched. */
TEST(footprint, a_large_map_has_little_more_in_memory_than_its_items)
{
    enum { ITEM_SIZE = 64, SMALL = 250000, LARGE = 1000000 };
    if (resident_size() == 0 || test_scale() > 1) {
        test_leave_out("resident memory of a large map: not told here, or another's");
        return;
    }
    const uint32_t capacities[] = {0, LARGE};
    for (size_t i = 0; i < 2; i++) {
        size_t kept = hm_memory_os_keep(0);
        hm_map map = {.item_size = 0};
        size_t before = resident_size(), slack = (size_t)1 << 20; /* the test's own, and steps */
        CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = ITEM_SIZE,
                                               .capacity = capacities[i]}) == HM_OK);
        for (uint32_t n = 1; n <= LARGE; n++) {
            CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
            size_t used = n * (ITEM_SIZE + sizeof(hm_handle) + sizeof(uint32_t));
            if (n % (SMALL / 7) == 0)
                CHECK(resident_size() - before <= used + (n < SMALL ? used / 4 : used / 8) + slack);
        }
        hm_map_fini(&map);
        hm_memory_os_keep(kept);
    }
}

#if defined(__linux__)

enum { AHEAD_PAGES = 32 };

/* Returns how many of the pages that follow the one with this byte are resident, of 32. */
static uint32_t count_pages_ahead(const void *item)
{
    unsigned char are_resident[AHEAD_PAGES];
    uintptr_t page = (uintptr_t)item / 4096 + 1;
    uint32_t count = 0;
    if (mincore((void *)(page * 4096), sizeof are_resident * 4096, are_resident) != 0)
        return AHEAD_PAGES;
    for (uint32_t i = 0; i < AHEAD_PAGES; i++)
        count += are_resident[i] & 1;
    return count;
}

TEST(footprint, growth_makes_at_most_eleven_pages_resident_ahead_of_the_items)
{
    enum { ITEMS = 60000, ITEM_SIZE = 40 };
    if (resident_size() == 0 || test_scale() > 1 || hm_memory_os()->page_size != 4096) {
        test_leave_out("pages that growth makes resident: not told here, or of another size");
        return;
    }
    size_t kept = hm_memory_os_keep(0); /* What is kept is resident already. */
    uint32_t most = 0;
    hm_pool pool;
    hm_map map;
    hm_pool_desc pool_desc = {.item_size = ITEM_SIZE, .capacity = 2 * ITEMS};
    hm_map_desc map_desc = {.item_size = ITEM_SIZE, .capacity = 2 * ITEMS};
    CHECK(hm_pool_init(&pool, &pool_desc) == HM_OK && hm_map_init(&map, &map_desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const void *items[] = {hm_pool_get(&pool, hm_pool_insert(&pool, NULL)),
                               hm_map_get(&map, hm_map_insert(&map, NULL))};
        for (uint32_t k = 0; k < 2 && i % 16 == 0; k++) {
            uint32_t ahead = count_pages_ahead(items[k]);
            most = ahead > most ? ahead : most;
        }
    }
    CHECK(most <= 11);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    hm_memory_os_keep(kept);
}

#endif

/* Whether the last step was committed to be made resident by parts: growth stops at the end of the
 * next part, before the end of the step. */
static bool is_in_parts(const hm_array *array)
{
    return array->item_size * (array->limit + 1) <= array->committed_size;
}

/* Items, one after the other, and a capacity at which no step ends. */
enum { GROWN = 200000, MAY_GROW = 2 * GROWN };

/* Larger pages make a step of few parts, or of one. */
static bool has_parts(void)
{
    bool has = hm_memory_os()->page_size == 4096;
    if (!has)
        test_leave_out("growth by parts: the pages are larger");
    return has;
}

TEST(footprint, all_containers_grow_by_parts)
{
    enum { ARRAYS = 16 };
    if (!has_parts())
        return;
    const hm_column columns[] = {{8, 0, NULL}, {4, 0, NULL}};
    const hm_table_desc of_table = {.columns = columns, .column_count = 2, .capacity = MAY_GROW};
    const hm_map_desc of_map = {.item_size = 8, .meta_size = 8, .capacity = MAY_GROW};
    const hm_pool_desc of_pool = {.item_size = 8, .capacity = MAY_GROW};
    const hm_secondary_desc of_secondary = {.value_size = 8, .capacity = MAY_GROW};
    const hm_lists_desc of_lists = {.item_size = 8, .capacity = MAY_GROW};
    hm_index_desc of_index = {.capacity = MAY_GROW};
    hm_map map;
    hm_table table;
    hm_pool pool;
    hm_secondary secondary;
    hm_lists lists;
    hm_index hashed, dense;
    bool seen[ARRAYS] = {false};
    CHECK(hm_map_init(&map, &of_map) == HM_OK && hm_table_init(&table, &of_table) == HM_OK);
    CHECK(hm_pool_init(&pool, &of_pool) == HM_OK);
    CHECK(hm_secondary_init(&secondary, &of_secondary) == HM_OK);
    CHECK(hm_lists_init(&lists, &of_lists) == HM_OK);
    CHECK(hm_index_init(&hashed, &of_index) == HM_OK);
    of_index.key_limit = MAY_GROW;
    CHECK(hm_index_init(&dense, &of_index) == HM_OK);
    const hm_array *arrays[ARRAYS] = {&map.item_array,          &map.extras->meta_array,
                                      &map.ids.slot_array,      &map.ids.entry_array,
                                      &table.arrays[0],         &table.arrays[1],
                                      &table.ids.slot_array,    &pool.entry_array,
                                      &secondary.value_array,   &secondary.owner_array,
                                      &lists.blocks.unit_array, &lists.blocks.record_array,
                                      &hashed.head_array,       &hashed.members.record_array,
                                      &dense.head_array,        &dense.members.record_array};
    for (uint32_t i = 0; i < GROWN; i++) {
        hm_handle owner = hm_map_insert(&map, NULL);
        CHECK(!hm_handle_is_null(owner) && !hm_handle_is_null(hm_table_insert(&table, NULL)));
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
        CHECK(hm_secondary_set(&secondary, owner, NULL) != NULL);
        CHECK(hm_lists_push(&lists, hm_lists_create(&lists), NULL) != NULL);
        CHECK(hm_index_set(&hashed, owner, i) == HM_OK && hm_index_set(&dense, owner, i) == HM_OK);
        for (int k = 0; k < ARRAYS; k++)
            seen[k] |= is_in_parts(arrays[k]);
    }
    for (int k = 0; k < ARRAYS; k++)
        CHECK(seen[k]);
    hm_map_fini(&map);
    hm_table_fini(&table);
    hm_pool_fini(&pool);
    hm_secondary_fini(&secondary);
    hm_lists_fini(&lists);
    hm_index_fini(&hashed);
    hm_index_fini(&dense);
}

/* Only growth makes pages resident, not a request, even one of the same size. */
TEST(footprint, a_reserve_of_the_size_of_a_step_makes_nothing_resident)
{
    enum { READY = 8192, STEP = 2048 }; /* items of 64 bytes: 512 KiB, and a quarter of that */
    const hm_memory *memory = hm_memory_os();
    if (resident_size() == 0 || test_scale() > 1 || memory->page_size != 4096) {
        test_leave_out("resident memory after a small reserve: not told here, or in other pages");
        return;
    }
    for (uint32_t more = STEP; more >= STEP - 64; more -= 64) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 64, .capacity = 3 * READY};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_reserve(&pool, READY) == HM_OK);
        size_t before = resident_size();
        CHECK(hm_pool_reserve(&pool, READY + more) == HM_OK);
        CHECK(resident_size() - before < (size_t)64 << 10);
        hm_pool_fini(&pool);
    }
    hm_map map;
    hm_map_desc desc = {.item_size = 64, .capacity = 3 * READY};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, READY, NULL) == HM_OK);
    size_t before = resident_size();
    CHECK(hm_map_reserve(&map, 100) == HM_OK);
    CHECK(resident_size() - before < (size_t)64 << 10);
    hm_map_fini(&map);
}

TEST(footprint, an_emplace_of_a_very_large_item_touches_none_of_it)
{
    const size_t size = (size_t)256 << 20; /* bytes */
    if (resident_size() == 0 || test_scale() > 1 ||
        !test_has_addresses((uint64_t)4 * size, "items of 256 MiB")) {
        test_leave_out("resident memory after emplace: not told here, or another's");
        return;
    }
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = size, .capacity = 2, .max_slots = 2};
        void *item;
        desc.storage = (hm_storage)storage;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        size_t before = resident_size();
        CHECK(!hm_handle_is_null(hm_pool_emplace(&pool, &item)));
        CHECK(resident_size() < before + ((size_t)16 << 20));
        hm_pool_fini(&pool);
    }
}

TEST(footprint, a_reserve_is_one_commit_of_each_column_and_part)
{
    enum { ITEMS = 100000, ITEM_SIZE = 64, EXTENT = 2 << 20 };
    for (int storage = 0; storage < STORAGES; storage++) {
        counting memory;
        hm_pool pool;
        hm_pool_desc desc = {.item_size = ITEM_SIZE, .capacity = ITEMS, .max_slots = ITEMS};
        count_init(&memory, hm_memory_os());
        desc.storage = (hm_storage)storage;
        desc.memory = &memory.table;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(memory.commits == 0);
        CHECK(hm_pool_reserve(&pool, ITEMS) == HM_OK);
        uint32_t of_items = 1;
        if (storage == HM_STORAGE_FIXED_BLOCKS) /* parts of 1, 1, 2, 4, ... blocks, up to 2 MiB */
            of_items = 7 + 1 + ITEMS * ITEM_SIZE / EXTENT;
        if (storage == HM_STORAGE_GROWING_BLOCKS)
            of_items = 13;
        /* Entries, words, levels and units; the units of blocks and their index grow with the
         * blocks. */
        CHECK(memory.commits <= of_items + 4 + (storage == HM_STORAGE_VIRTUAL ? 0 : 8));
        hm_pool_fini(&pool);
        CHECK(memory.released == memory.reserves);
    }
}

TEST(footprint, every_reservation_is_asked_for_its_alignment)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        for (uint32_t from = 1; from <= 20; from++) {
            counting memory;
            hm_pool pool;
            hm_pool_desc desc = {.item_size = 4096, .capacity = 500, .max_slots = 500};
            count_init(&memory, hm_memory_os());
            memory.misaligned_from = from;
            desc.storage = (hm_storage)storage;
            desc.memory = &memory.table;
            hm_status status = hm_pool_init(&pool, &desc);
            uint32_t inserted = 0;
            while (status == HM_OK && inserted < 500 &&
                   !hm_handle_is_null(hm_pool_insert(&pool, NULL)))
                inserted++;
            CHECK(memory.reserves < from || status == HM_ERROR_INVALID || inserted < 500);
            if (status == HM_OK && inserted < 500) {
                CHECK(hm_pool_reserve(&pool, 1) == HM_ERROR_INVALID);
                CHECK(hm_pool_validate(&pool) == HM_OK && hm_pool_count(&pool) == inserted);
            }
            CHECK(status == HM_OK || status == HM_ERROR_INVALID);
            hm_pool_fini(&pool);
            CHECK(memory.released == memory.reserves);
        }
    }
}

#define CHECK_ONE_RANGE(most, kind, ...)                                                           \
    do {                                                                                           \
        counting memory;                                                                           \
        hm_##kind container;                                                                       \
        count_init(&memory, hm_memory_os());                                                       \
        const hm_##kind##_desc desc = {.memory = &memory.table, __VA_ARGS__};                      \
        CHECK(hm_##kind##_init(&container, &desc) == HM_OK);                                       \
        CHECK(hm_##kind##_reserve(&container, 100) == HM_OK);                                      \
        CHECK(memory.reserves == 1 && memory.reserved_size <= (size_t)(most) << 20);               \
        hm_##kind##_fini(&container);                                                              \
        CHECK(memory.released == 1);                                                               \
    } while (0)

/* Of so many MiB at most: nothing is reserved for the 2^20 slots that there may be. */
TEST(footprint, every_container_reserves_one_range)
{
    const hm_column columns[] = {{4, 0, NULL}, {8, 0, NULL}, {1, 0, NULL}};
    CHECK_ONE_RANGE(2, map, .item_size = 8);
    CHECK_ONE_RANGE(2, map, .capacity = 1000, .item_size = 8);
    CHECK_ONE_RANGE(2, map, .item_size = 8, .meta_size = 4);
    CHECK_ONE_RANGE(2, pool, .capacity = 1000, .item_size = 8);
    CHECK_ONE_RANGE(2, table, .capacity = 1000, .columns = columns, .column_count = 3);
    CHECK_ONE_RANGE(2, table, .capacity = 1000, .columns = columns, .column_count = 3, .lanes = 8);
    CHECK_ONE_RANGE(2, secondary, .capacity = 1000, .value_size = 8);
    CHECK_ONE_RANGE(2, lists, .capacity = 1000, .item_size = 8);
    CHECK_ONE_RANGE(2, index, .capacity = 1000);
    CHECK_ONE_RANGE(2, index, .capacity = 1000, .key_limit = 100);
    CHECK_ONE_RANGE(128, world, .capacity = 1000);
}

TEST(footprint, a_map_of_1000_small_items_commits_each_column_once)
{
    for (size_t meta_size = 0; meta_size <= 4; meta_size += 4) {
        counting memory;
        hm_map map;
        hm_map_desc desc = {.item_size = 8, .meta_size = meta_size, .memory = &memory.table};
        desc.capacity = 100000;
        count_init(&memory, hm_memory_os());
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        for (uint32_t i = 0; i < 1000; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
        CHECK(memory.commits == (meta_size == 0 ? 3 : 5)); /* meta, and the extras */
        hm_map_fini(&map);
    }
}

TEST(footprint, blocks_of_a_pool_are_beside_the_range_of_its_entries)
{
    for (int storage = HM_STORAGE_FIXED_BLOCKS; storage < STORAGES; storage++) {
        counting memory;
        hm_pool pool;
        count_init(&memory, hm_memory_os());
        const hm_pool_desc desc = {
            .item_size = 8, .storage = (hm_storage)storage, .memory = &memory.table};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK && memory.reserves == 1);
        CHECK(hm_pool_reserve(&pool, 1) == HM_OK && memory.reserves == 2);
        hm_pool_fini(&pool);
        CHECK(memory.released == 2);
    }
}

TEST(footprint, columns_that_fit_alone_may_be_too_large_together)
{
    hm_map map;
    const bool is_large = sizeof(size_t) > 4;
    const uint32_t size = is_large ? 0x78000000 : 0x10000;
    const uint32_t capacity =
        is_large ? UINT32_MAX - 1 : 30715; /* each has 15/32 of all addresses */
    hm_map_desc desc = {
        .item_size = size, .capacity = capacity, .max_slots = capacity, .meta_size = size};
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    char most[96];
    snprintf(most, sizeof most,
             "hm_map_init: a reservation of %zu bytes was refused: lower capacity %u",
             (size_t)SIZE_MAX, (unsigned)capacity);
    CHECK(strncmp(hm_last_error(), most, strlen(most)) == 0);
}

TEST(footprint, an_impossible_layout_is_invalid_also_where_memory_is_refused)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_map map;
    hm_map_desc desc = {.item_size = 12, .item_align = 8, .memory = &memory.table};
    test_memory_fail(&memory, 1, true);
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_INVALID);
    desc.item_align = 4;
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
    desc.meta_size = 6;
    desc.meta_align = 4;
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_INVALID);
    hm_pool pool;
    hm_pool_desc pool_desc = {.item_size = SIZE_MAX, .memory = &memory.table};
    CHECK(hm_pool_init(&pool, &pool_desc) == HM_ERROR_INVALID);
    CHECK(memory.calls == 1);
}

#if defined(__unix__)

#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Entries of 8 bytes fill two pages of 4 KiB, slots of 4 bytes one, items of 8 bytes two. The first
 * map also brings in the pages of the code, and the system may take a page of the process away at
 * any time, so the least of some maps counts. */
TEST(footprint, a_map_of_1000_small_items_takes_five_page_faults)
{
    const hm_memory *memory = hm_memory_os();
    struct rusage before, after;
    long least = LONG_MAX;
    if (resident_size() == 0 || test_scale() > 1 || memory->page_size != 4096) {
        test_leave_out("page faults of a small map: not told here, or of other pages");
        return;
    }
    for (uint32_t round = 0; round < 10; round++) {
        hm_map map;
        CHECK(getrusage(RUSAGE_SELF, &before) == 0);
        CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8, .capacity = 100000}) == HM_OK);
        for (uint32_t i = 0; i < 1000; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
        CHECK(getrusage(RUSAGE_SELF, &after) == 0);
        hm_map_fini(&map);
        if (after.ru_minflt - before.ru_minflt < least)
            least = after.ru_minflt - before.ru_minflt;
    }
    CHECK(least <= 5);
}

enum { ALIVE = 10000 };

static const uint64_t limited_size = UINT64_C(4000000) * 1024; /* as by `ulimit -v 4000000` */

static bool add_owner(hm_index *index)
{
    return hm_index_set(index, hm_handle_pack(0, 1, 0), 5) == HM_OK;
}

static bool add_list(hm_lists *lists)
{
    return hm_lists_push(lists, hm_lists_create(lists), &(uint64_t){5}) != NULL;
}

static bool add_entity(hm_world *world)
{
    hm_component number = hm_world_component(world, &(hm_component_desc){.size = 8});
    return !hm_handle_is_null(hm_world_create(world, &number, 1));
}

/* Whether so many containers whose descriptor has these fields are alive together, each with an
 * item. */
#define LIVE_TOGETHER(kind, number, is_added, ...)                                                 \
    static bool kind##_live_together(void)                                                         \
    {                                                                                              \
        hm_##kind *all = calloc(number, sizeof *all);                                              \
        bool held = all != NULL;                                                                   \
        for (uint32_t i = 0; i < (number) && held; i++) {                                          \
            hm_##kind *c = &all[i];                                                                \
            held = hm_##kind##_init(c, &(hm_##kind##_desc){__VA_ARGS__}) == HM_OK && (is_added);   \
        }                                                                                          \
        for (uint32_t i = 0; i < (number) && all != NULL; i++)                                     \
            hm_##kind##_fini(&all[i]);                                                             \
        free(all);                                                                                 \
        return held;                                                                               \
    }

static const hm_column two_columns[] = {{4, 0, NULL}, {8, 0, NULL}};

LIVE_TOGETHER(map, ALIVE, !hm_handle_is_null(hm_map_insert(c, NULL)), .item_size = 8)
LIVE_TOGETHER(pool, ALIVE, !hm_handle_is_null(hm_pool_insert(c, NULL)), .item_size = 8)
LIVE_TOGETHER(table, ALIVE, !hm_handle_is_null(hm_table_insert(c, NULL)), .columns = two_columns,
              .column_count = 2)
LIVE_TOGETHER(secondary, ALIVE, hm_secondary_set(c, hm_handle_pack(0, 1, 0), NULL) != NULL,
              .value_size = 8)
LIVE_TOGETHER(lists, ALIVE, add_list(c), .item_size = 8)
LIVE_TOGETHER(index, ALIVE, add_owner(c), .key_limit = 0)
LIVE_TOGETHER(world, ALIVE, add_entity(c), .capacity = 0)

/* In a process of its own, so that other tests are not limited. */
static void live_together(void)
{
    struct rlimit limit = {(rlim_t)limited_size, (rlim_t)limited_size};
    bool held = setrlimit(RLIMIT_AS, &limit) == 0 && map_live_together() && pool_live_together() &&
                table_live_together() && secondary_live_together() && lists_live_together() &&
                index_live_together() && world_live_together();
    _exit(held ? EXIT_SUCCESS : EXIT_FAILURE);
}

TEST(footprint, ten_thousand_containers_without_a_capacity_fit_4_gb_of_addresses)
{
    int status = 0;
    if (sizeof(void *) < 8 || hm_memory_os()->page_size > 4096) {
        test_leave_out("containers under a limit: fewer addresses, or larger pages");
        return;
    }
    size_t pages = read_number("/proc/self/statm", "%zu"); /* of addresses */
    if (pages > limited_size / 16 / hm_memory_os()->page_size || test_scale() > 1) {
        test_leave_out("containers under a limit: a sanitizer or emulator needs more itself");
        return;
    }
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        live_together();
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == EXIT_SUCCESS);
}

#endif

/* Scarce addresses */

enum { KINDS = 11, FEW = 100 };

static size_t used_by(const hm_memory_arena *arena)
{
    return hm_memory_arena_get_stats(arena).used_size;
}

static int compare_items(const void *a, const void *b, void *context)
{
    (void)context;
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static void sort_some(hm_map *map)
{
    const hm_order order = {.compare = compare_items};
    for (uint32_t i = 0; i < FEW; i++)
        CHECK(!hm_handle_is_null(hm_map_insert(map, &(uint32_t){i * 7919 % FEW})));
    CHECK(hm_map_defragment(map, &order, NULL).done);
}

/* Makes a container of each kind, whose limits have their defaults but for the capacity. Writes how
 * many bytes of the arena are used after each. */
static void use_each(const hm_memory *memory, const hm_memory_arena *arena, size_t used[KINDS])
{
    test_any made[TEST_KINDS];
    hm_query query;
    hm_commands commands;
    hm_memory_arena inner;
    for (int i = 0; i < TEST_KINDS; i++) {
        CHECK(test_any_init(&made[i], (test_kind)i, 0, FEW, memory) == HM_OK);
        used[i] = used_by(arena);
    }
    sort_some(&made[TEST_MAP].map);
    used[TEST_KINDS] = used_by(arena);
    CHECK(hm_query_init(&query, &made[TEST_WORLD].world, &(hm_query_desc){0}) == HM_OK);
    used[TEST_KINDS + 1] = used_by(arena);
    CHECK(hm_commands_init(&commands, &made[TEST_WORLD].world, NULL) == HM_OK);
    used[TEST_KINDS + 2] = used_by(arena);
    CHECK(hm_memory_arena_init(&inner, &(hm_memory_arena_desc){.memory = memory}) == HM_OK);
    used[TEST_KINDS + 3] = used_by(arena);
    hm_memory_arena_fini(&inner);
    hm_commands_fini(&commands);
    hm_query_fini(&query);
    for (int i = TEST_KINDS; i-- > 0;)
        test_any_fini(&made[i], (test_kind)i);
}

TEST(footprint, an_arena_behind_functions_of_the_program_is_used_as_sparingly)
{
    hm_memory_arena arena;
    size_t direct[KINDS], through[KINDS];
    CHECK(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = (size_t)64 << 20}) == HM_OK);
    counting own;
    count_init(&own, &arena.table);
    use_each(&arena.table, &arena, direct);
    use_each(&own.table, &arena, through);
    for (int i = 0; i < KINDS; i++)
        CHECK(direct[i] == through[i]);
    CHECK(direct[TEST_KINDS] - direct[TEST_WORLD] < 16 << 10); /* scratch memory, and marks */
    CHECK(used_by(&arena) == 0);
    hm_memory_arena_fini(&arena);
}

TEST(footprint, tables_say_whether_addresses_are_scarce)
{
    hm_memory_arena arena;
    CHECK(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = 1 << 20}) == HM_OK);
    CHECK(arena.table.has_scarce_addresses && hm_memory_heap()->has_scarce_addresses);
    hm_memory_arena_fini(&arena);
#if !defined(__wasm__)
    CHECK(!hm_memory_os()->has_scarce_addresses && !hm_memory_os_huge()->has_scarce_addresses);
#endif
}

/* Reserves through a table of the program, and returns by how much. */
static size_t commands_reserve(counting *self, hm_world *world, const hm_commands_desc *desc)
{
    hm_commands commands;
    size_t before = self->reserved_size;
    CHECK(hm_commands_init(&commands, world, desc) == HM_OK);
    size_t size = self->reserved_size - before;
    hm_commands_fini(&commands);
    CHECK(self->reserved_size == before);
    return size;
}

static size_t query_reserves(counting *self, hm_world *world)
{
    hm_query query;
    size_t before = self->reserved_size;
    CHECK(hm_query_init(&query, world, &(hm_query_desc){0}) == HM_OK);
    size_t size = self->reserved_size - before;
    hm_query_fini(&query);
    return size;
}

TEST(footprint, a_table_of_the_program_may_say_that_addresses_are_scarce)
{
    for (int is_scarce = 0; is_scarce < 2; is_scarce++) {
        counting self;
        hm_world world;
        count_init(&self, hm_memory_os());
        self.table.has_scarce_addresses = is_scarce != 0;
        bool is_ample = !is_scarce && sizeof(void *) >= 8;
        const hm_world_desc desc = {.capacity = FEW, .memory = &self.table};
        CHECK(hm_world_init(&world, &desc) == HM_OK);
        CHECK(hm_world_get_stats(&world).max_slots == 1 << 20);
        CHECK(self.reserved_size < (size_t)1 << 20);
        CHECK(query_reserves(&self, &world) == 0);
        CHECK(commands_reserve(&self, &world, NULL) == (size_t)(is_ample ? 1024 : 4) << 20);
        const hm_commands_desc none = {0}, some = {.size = 1 << 20};
        CHECK(commands_reserve(&self, &world, &none) == (size_t)(is_ample ? 1024 : 4) << 20);
        CHECK(commands_reserve(&self, &world, &some) == (size_t)1 << 20);
        hm_world_fini(&world);
        CHECK(self.reserved_size == 0);
    }
}

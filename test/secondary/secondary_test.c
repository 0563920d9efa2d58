/* SPDX-License-Identifier: MIT */
/* What a secondary promises beside what its model compares and what all containers share: values of
 * its own, its owners' hooks, segments of memory, and random patterns. */
#include "support/secondary.h"

#include "support/layout.h"
#include "support/memory.h"

#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

#include <string.h>

enum { MANY = 1000, PATTERNS = 10000000 };

/* set and get */

TEST(secondary, set_n_leaves_the_last_value_of_an_owner_and_the_latest_owner_of_a_slot)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    const hm_handle owners[] = {owner(1, 1), owner(2, 5), owner(1, 1), owner(2, 4), owner(3, 1)};
    const int values[] = {1, 2, 3, 4, 5};
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    CHECK(hm_secondary_init(NULL, NULL) == HM_ERROR_INVALID); /* the last error */
    CHECK(hm_secondary_set_n(&secondary, owners, values, 5) == HM_OK);
    CHECK(hm_secondary_count(&secondary) == 3 && value_of(&secondary, owner(1, 1)) == 3);
    CHECK(value_of(&secondary, owner(2, 5)) == 2 && value_of(&secondary, owner(3, 1)) == 5);
    CHECK(strstr(hm_last_error(), "secondary is NULL") != NULL);
    finish(&secondary);
}

TEST(secondary, set_n_copies_values_of_its_own)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    const hm_handle owners[] = {owner(7, 1), owner(8, 1), owner(0, 1)};
    fill(&secondary, 3);
    const int *values = hm_secondary_values(&secondary);
    CHECK(hm_secondary_set_n(&secondary, owners, values, 3) == HM_OK);
    CHECK(value_of(&secondary, owner(7, 1)) == 0 && value_of(&secondary, owner(8, 1)) == 1);
    CHECK(value_of(&secondary, owner(0, 1)) == 2);
    finish(&secondary);
}

TEST(secondary, set_with_the_address_of_another_value_copies_it)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    fill(&secondary, 3);
    const int *place =
        hm_secondary_set(&secondary, owner(9, 1), hm_secondary_get(&secondary, owner(2, 1)));
    CHECK(place != NULL && *place == 2 && value_of(&secondary, owner(2, 1)) == 2);
    finish(&secondary);
}

/* remove and the dense order */

TEST(secondary, values_never_move_while_others_are_added)
{
    hm_secondary secondary = make((hm_secondary_desc){.value_size = 4096, .capacity = 500});
    const void *values = hm_secondary_values(&secondary);
    for (uint32_t i = 0; i < 500; i++) {
        const unsigned char *place = hm_secondary_set(&secondary, owner(i * 300, 1), NULL);
        CHECK(place == (const unsigned char *)values + (size_t)4096 * i);
        CHECK(hm_secondary_values(&secondary) == values);
    }
    finish(&secondary);
}

/* remove_if */

typedef struct couple {
    hm_map map;
    hm_secondary secondary;
} couple;

static void drop_value(void *item, void *context)
{
    couple *both = context;
    CHECK(hm_secondary_remove(&both->secondary, hm_map_handle_of(&both->map, item)));
}

TEST(secondary, the_owners_destroy_hook_removes_the_value_at_once)
{
    couple both;
    const hm_map_desc desc = {.item_size = 4,
                              .capacity = MANY,
                              .type_id = OWNER_TYPE,
                              .destroy = drop_value,
                              .context = &both};
    CHECK(hm_map_init(&both.map, &desc) == HM_OK);
    both.secondary = make((hm_secondary_desc){0});
    for (int i = 0; i < MANY; i++)
        set(&both.secondary, hm_map_insert(&both.map, NULL), i);
    hm_handle gone = hm_map_handle_at(&both.map, 5);
    CHECK(hm_map_erase(&both.map, gone) && !hm_secondary_contains(&both.secondary, gone));
    CHECK(hm_secondary_count(&both.secondary) == MANY - 1);
    hm_map_clear(&both.map);
    CHECK(hm_secondary_count(&both.secondary) == 0);
    finish(&both.secondary);
    hm_map_fini(&both.map);
}

/* memory */

TEST(secondary, an_owner_with_a_high_index_costs_one_segment_of_the_sparse_column)
{
    hm_secondary secondary = make((hm_secondary_desc){.capacity = 100, .max_slots = 1 << 24});
    set(&secondary, owner(0, 1), 0);
    size_t one = hm_secondary_get_stats(&secondary).committed_size;
    set(&secondary, owner((1 << 24) - 1, 1), 1);
    size_t two = hm_secondary_get_stats(&secondary).committed_size;
    CHECK(two - one >= SEGMENT_SIZE &&
          two - one <= 2 * SEGMENT_SIZE); /* and perhaps of `segments` */
    CHECK(hm_secondary_get_stats(&secondary).slots == 1 << 24);
    /* Between them lookups read no memory that is not there. */
    for (uint32_t i = 1; i < (1 << 24) - 1; i += 4099)
        CHECK(!hm_secondary_contains(&secondary, owner(i, 1)));
    finish(&secondary);
}

TEST(secondary, segments_are_whole_pages_however_large_those_are)
{
    static const size_t page_sizes[] = {4096, 65536, (size_t)1 << 18, (size_t)1 << 21};
    for (size_t i = 0; i < sizeof page_sizes / sizeof *page_sizes; i++) {
        test_memory memory;
        if (page_sizes[i] < hm_memory_os()->page_size)
            continue;
        test_memory_init_with_holes(&memory, page_sizes[i]);
        hm_secondary_desc desc = {.capacity = 100, .max_slots = 9 * SEGMENT_SLOTS + 100};
        desc.memory = &memory.table;
        hm_secondary secondary = make(desc);
        for (uint32_t index = desc.max_slots; index > 0; index -= index < 5000 ? index : 5000)
            set(&secondary, owner(index - 1, 1), (int)index);
        CHECK(hm_secondary_get_stats(&secondary).committed_size == memory.committed_size);
        CHECK(hm_secondary_get_stats(&secondary).reserved_size == memory.reserved_size);
        CHECK(hm_secondary_get_stats(&secondary).slots == desc.max_slots);
        hm_secondary_clear(&secondary);
        CHECK(hm_secondary_trim(&secondary) == HM_OK && memory.committed_size == 0);
        finish(&secondary);
        test_memory_check_released(&memory);
    }
}

TEST(secondary, after_a_reserve_the_promised_sets_need_no_memory)
{
    for (uint32_t before = 0; before < 40000; before += 19000) {
        test_memory memory;
        test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
        hm_secondary_desc desc = {.capacity = 100000, .max_slots = 200000};
        desc.memory = &memory.table;
        hm_secondary secondary = make(desc);
        for (uint32_t i = 0; i < before; i++) /* from behind */
            set(&secondary, owner(199999 - i, 1), 1);
        set(&secondary, owner(100000, 1), 1);
        CHECK(hm_secondary_remove(&secondary, owner(100000, 1)));
        CHECK(hm_secondary_reserve(&secondary, 30001) == HM_OK);
        test_memory_fail(&memory, 1, true);
        for (uint32_t i = before + 30000; i-- > before;)
            set(&secondary, owner(i, 1), (int)i);
        set(&secondary, owner(100000, 2), 2); /* Its slot had a value. */
        CHECK(memory.calls == 0);
        finish(&secondary);
        test_memory_check_released(&memory);
    }
}

/* With a value behind all that is reserved, or without. */
TEST(secondary, a_reserve_reaches_to_its_last_slot_and_no_further)
{
    const uint32_t ends[] = {SEGMENT_SLOTS - 1,     SEGMENT_SLOTS,     SEGMENT_SLOTS + 1,
                             2 * SEGMENT_SLOTS - 1, 2 * SEGMENT_SLOTS, 2 * SEGMENT_SLOTS + 1};
    for (uint32_t i = 0; i < 2 * sizeof ends / sizeof *ends; i++) {
        uint32_t end = ends[i / 2],
                 next = (end + SEGMENT_SLOTS - 1) / SEGMENT_SLOTS * SEGMENT_SLOTS;
        test_memory memory;
        test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
        hm_secondary_desc desc = {.capacity = 3 * SEGMENT_SLOTS, .max_slots = 8 * SEGMENT_SLOTS};
        desc.memory = &memory.table;
        hm_secondary secondary = make(desc);
        if (i % 2 != 0)
            set(&secondary, owner(8 * SEGMENT_SLOTS - 1, 1), 1);
        CHECK(hm_secondary_reserve(&secondary, end - i % 2) == HM_OK);
        test_memory_fail(&memory, 1, true);
        set(&secondary, owner(end - 1, 1), 1);
        CHECK(memory.calls == 0);
        CHECK(hm_secondary_set(&secondary, owner(next, 1), NULL) == NULL && memory.calls > 0);
        finish(&secondary);
        test_memory_check_released(&memory);
    }
}

TEST(secondary, trim_gives_back_values_and_the_segments_without_an_owner)
{
    hm_secondary secondary = make((hm_secondary_desc){.value_size = 4096});
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(hm_secondary_set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), NULL) != NULL);
        CHECK(hm_secondary_count(&secondary) == i + 1);
    }
    size_t before = hm_secondary_get_stats(&secondary).committed_size;
    for (uint32_t i = 0; i < 100; i++)
        if (i % 10 != 2 && i % 10 != 5)
            CHECK(hm_secondary_remove(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)));
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    hm_secondary_stats stats = hm_secondary_get_stats(&secondary);
    CHECK(before - stats.committed_size >= 8 * SEGMENT_SIZE + (size_t)64 * 4096);
    CHECK(stats.slots == 6 * SEGMENT_SLOTS);
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_contains(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)) ==
              (i % 10 == 2 || i % 10 == 5));
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), NULL) != NULL);
    CHECK(hm_secondary_count(&secondary) == 100);
    hm_secondary_clear(&secondary);
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    CHECK(hm_secondary_get_stats(&secondary).committed_size == 0);
    CHECK(hm_secondary_get_stats(&secondary).slots == 0);
    finish(&secondary);
}

static int compare_ints(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    (void)context;
    return (left > right) - (left < right);
}

static const hm_order by_compare = {.compare = compare_ints};

/* The lists of an unfinished order name slots. The segments of those that are gone are given back.
 */
TEST(secondary, trim_in_the_middle_of_an_order_may_take_the_segments_of_removed_owners)
{
    enum { VALUES = 2000 };
    for (uint32_t compares = 100; compares < 30000; compares += 1300) {
        hm_secondary secondary = make((hm_secondary_desc){0});
        for (uint32_t i = 0; i < VALUES; i++)
            set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), (int)(i * 739 % VALUES));
        const hm_budget budget = {.max_compares = compares, .max_swaps = VALUES / 2};
        hm_secondary_defragment(&secondary, &by_compare, ONCE(budget));
        for (uint32_t i = 0; i < VALUES; i++)
            if (i % 10 > 4)
                CHECK(hm_secondary_remove(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1)));
        CHECK(hm_secondary_trim(&secondary) == HM_OK);
        CHECK(hm_secondary_get_stats(&secondary).slots == 5 * SEGMENT_SLOTS);
        CHECK(hm_secondary_defragment(&secondary, &by_compare, ONCE(budget)).compares <= compares);
        for (uint32_t i = 0; i < VALUES; i++)
            set(&secondary, owner(i % 10 * SEGMENT_SLOTS + i, 1), (int)(i * 739 % VALUES));
        CHECK(hm_secondary_defragment(&secondary, &by_compare, NULL).done);
        const int *values = hm_secondary_values(&secondary);
        for (uint32_t i = 1; i < VALUES; i++)
            CHECK(values[i - 1] <= values[i]);
        finish(&secondary);
    }
}

/* One is remapped, one copied. The slots of the owners are those of a map, or up to three times as
 * many. */
TEST(secondary, without_a_capacity_it_moves_when_its_values_or_its_positions_are_full)
{
    enum { SIZE = 40, MOST = 1 << 17 };
    for (uint32_t way = 0; way < 4; way++) {
        uint32_t most = MOST / test_scale(), moves = 0, step = way < 2 ? 1 : 3;
        test_memory memory;
        test_memory_init(&memory, hm_memory_os()->page_size);
        if (way % 2 == 1)
            memory.table.remap = NULL;
        hm_secondary_desc desc = {.value_size = SIZE, .type_id = 5, .memory = &memory.table};
        hm_secondary secondary;
        CHECK(hm_secondary_init(&secondary, &desc) == HM_OK && memory.calls == 2);
        CHECK(memory.committed_size <= hm_memory_os()->page_size);
        for (uint32_t i = 0; i < most; i++) {
            const void *values = hm_secondary_values(&secondary);
            unsigned char *value = hm_secondary_set(&secondary, owner(i * step, 1), NULL);
            CHECK(value != NULL && test_bytes_are(value, SIZE, 0));
            memset(value, (int)(i % 251), SIZE);
            moves += values != hm_secondary_values(&secondary);
        }
        for (uint32_t i = 0; i < most * step; i++)
            CHECK(hm_secondary_contains(&secondary, owner(i, 1)) == (i % step == 0));
        for (uint32_t i = 0; i < most; i++)
            CHECK(test_bytes_are(hm_secondary_get(&secondary, owner(i * step, 1)), SIZE,
                                 (unsigned char)(i % 251)));
        CHECK(moves >= 1 && moves <= 40 && hm_secondary_validate(&secondary) == HM_OK);
        CHECK(memory.reserved_size <=
              2 * (size_t)most * (SIZE + 8 + 4 * step) + 128 * memory.table.page_size);
        while (hm_secondary_count(&secondary) > 1)
            CHECK(hm_secondary_remove_at(&secondary, 1));
        CHECK(hm_secondary_trim(&secondary) == HM_OK);
        CHECK(test_bytes_are(hm_secondary_get(&secondary, owner(0, 1)), SIZE, 0));
        CHECK(memory.committed_size <= hm_memory_os()->page_size);
        hm_secondary_fini(&secondary);
        test_memory_check_released(&memory);
    }
}

TEST(secondary, a_value_of_the_secondary_itself_may_be_set_while_it_moves)
{
    for (int many = 0; many < 2; many++) {
        hm_secondary secondary;
        CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 8, .type_id = 5}) ==
              HM_OK);
        for (uint64_t value = 0; value < 5000; value++) {
            uint64_t *last = &value;
            hm_handle of = owner((uint32_t)(2 * value), 1);
            if (value != 0)
                last = (uint64_t *)hm_secondary_values(&secondary) + value - 1;
            *last = value;
            if (many)
                CHECK(hm_secondary_set_n(&secondary, &of, last, 1) == HM_OK);
            else
                CHECK(hm_secondary_set(&secondary, of, last) != NULL);
            CHECK(*(uint64_t *)hm_secondary_get(&secondary, of) == value);
        }
        finish(&secondary);
    }
}

TEST(secondary, without_a_capacity_a_batch_moves_values_once_or_not_at_all)
{
    test_memory memory;
    hm_handle owners[1000];
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_secondary_desc desc = {.value_size = 400, .type_id = 5, .memory = &memory.table};
    hm_secondary secondary;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_set(&secondary, owner(0, 1), NULL) != NULL);
    const void *values = hm_secondary_values(&secondary);
    for (uint32_t i = 0; i < 1000; i++)
        owners[i] = owner(i, 1);
    owners[999] = HM_NULL_HANDLE;
    memory.calls = 0;
    CHECK(hm_secondary_set_n(&secondary, owners, NULL, 1000) == HM_ERROR_INVALID);
    CHECK(memory.calls == 0 && hm_secondary_values(&secondary) == values);
    CHECK(hm_secondary_set_n(&secondary, owners, NULL, 999) == HM_OK);
    CHECK(memory.calls == 2 && hm_secondary_count(&secondary) == 999);
    finish(&secondary);
    test_memory_check_released(&memory);
}

/* Also for the items of a map without one. */
TEST(secondary, without_a_capacity_it_has_no_limit_but_the_index_space)
{
    hm_secondary secondary;
    hm_secondary_desc desc = {.value_size = 4};
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4}) == HM_OK);
    for (int of_map = 0; of_map < 2; of_map++) {
        if (of_map)
            desc.owners = hm_map_as_owners(&map);
        CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
        CHECK(hm_secondary_capacity(&secondary) == UINT32_MAX - 1);
        CHECK(hm_secondary_get_stats(&secondary).max_slots == UINT32_MAX);
        CHECK(hm_secondary_get_stats(&secondary).committed_size <= hm_memory_os()->page_size);
        finish(&secondary);
    }
    hm_map_fini(&map);
    desc = (hm_secondary_desc){.value_size = 4, .max_slots = 2000, .type_id = 5};
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_capacity(&secondary) == 2000);
    set(&secondary, owner(1999, 1), 1);
    CHECK(hm_secondary_set(&secondary, owner(2000, 1), NULL) == NULL);
    CHECK(hm_secondary_reserve(&secondary, 1999) == HM_OK);
    CHECK(hm_secondary_reserve(&secondary, 2000) == HM_ERROR_FULL);
    finish(&secondary);
    desc.max_slots = 0;
    desc.capacity = 3;
    desc.memory = hm_memory_heap();
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_get_stats(&secondary).max_slots == 1 << 20);
    finish(&secondary);
}

/* A late slot of a container with a large index space. */
enum { MANY_SLOTS = 3000000, FEW = 3 };

/* Whether values for owners have their index space and type id, and the capacity that was asked
 * for, or else theirs. */
static bool has_values_for(hm_owners owners, uint32_t capacity, uint16_t type_id)
{
    hm_secondary few, all;
    hm_secondary_desc desc = {.value_size = sizeof(int), .owners = owners, .capacity = FEW};
    CHECK(hm_secondary_init(&few, &desc) == HM_OK);
    desc.capacity = 0;
    CHECK(hm_secondary_init(&all, &desc) == HM_OK);
    hm_handle last = hm_handle_pack(MANY_SLOTS - 1, 1, type_id);
    set(&few, last, 1);
    set(&all, last, 2);
    hm_handle beyond = hm_handle_pack(MANY_SLOTS, 1, type_id);
    CHECK(hm_secondary_set(&few, beyond, NULL) == NULL);
    CHECK(hm_secondary_capacity(&few) == FEW && hm_secondary_capacity(&all) == capacity);
    CHECK(hm_secondary_get_stats(&few).max_slots == MANY_SLOTS);
    finish(&few);
    finish(&all);
    return true;
}

#define HAS_VALUES_FOR(kind, items, number, ...)                                                   \
    do {                                                                                           \
        hm_##kind owners;                                                                          \
        const hm_##kind##_desc desc = {                                                            \
            .capacity = (items), .max_slots = MANY_SLOTS, .type_id = (number), __VA_ARGS__};       \
        CHECK(hm_##kind##_init(&owners, &desc) == HM_OK);                                          \
        CHECK(has_values_for(hm_##kind##_as_owners(&owners), items, number));                      \
        hm_##kind##_fini(&owners);                                                                 \
    } while (0)

#define HAS_NO_LIMIT_FOR(kind, ...)                                                                \
    do {                                                                                           \
        hm_##kind owners;                                                                          \
        const hm_##kind##_desc desc = {__VA_ARGS__};                                               \
        CHECK(hm_##kind##_init(&owners, &desc) == HM_OK);                                          \
        hm_secondary_desc values = {.value_size = 4, .owners = hm_##kind##_as_owners(&owners)};    \
        hm_index_desc keys = {.owners = hm_##kind##_as_owners(&owners)};                           \
        hm_secondary_desc alone = {.value_size = 4};                                               \
        hm_secondary secondary, unlimited;                                                         \
        hm_index index;                                                                            \
        CHECK(hm_secondary_init(&secondary, &values) == HM_OK);                                    \
        CHECK(hm_secondary_init(&unlimited, &alone) == HM_OK);                                     \
        CHECK(hm_secondary_get_stats(&secondary).reserved_size ==                                  \
              hm_secondary_get_stats(&unlimited).reserved_size);                                   \
        hm_secondary_fini(&unlimited);                                                             \
        CHECK(hm_index_init(&index, &keys) == HM_OK);                                              \
        hm_index_fini(&index);                                                                     \
        hm_secondary_fini(&secondary);                                                             \
        hm_##kind##_fini(&owners);                                                                 \
    } while (0)

TEST(secondary, owners_of_each_kind_without_a_capacity_give_it_and_an_index_none)
{
    const hm_column column = {.size = 4};
    HAS_NO_LIMIT_FOR(map, .item_size = 4);
    HAS_NO_LIMIT_FOR(pool, .item_size = 8);
    HAS_NO_LIMIT_FOR(table, .columns = &column, .column_count = 1);
    HAS_NO_LIMIT_FOR(lists, .item_size = 4);
    HAS_NO_LIMIT_FOR(world, .type_id = 2);
}

TEST(secondary, it_takes_index_space_type_id_and_capacity_from_each_kind_of_owners)
{
    const hm_column column = {.size = 4};
    HAS_VALUES_FOR(map, 11, 1, .item_size = 4);
    HAS_VALUES_FOR(pool, 12, 0x7FFF, .item_size = 4);
    HAS_VALUES_FOR(table, 13, 0, .columns = &column, .column_count = 1);
    HAS_VALUES_FOR(lists, 14, 4, .item_size = 4);
    HAS_VALUES_FOR(world, 15, 5, .max_size = 0);
    HAS_VALUES_FOR(id_table, 16, 6, .memory = NULL);
}

/* trust */

enum { CROWD = 10000, STRIDE = 16 };

/* Every 16th slot has an owner, in one of seven generations. */
static hm_handle crowd_owner(uint32_t i)
{
    return owner(i * STRIDE, 1 + i % 7);
}

static hm_secondary make_crowd(void)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    for (uint32_t i = 0; i < CROWD; i++)
        set(&secondary, crowd_owner(i), (int)i);
    return secondary;
}

static bool is_crowd_owner(hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle), i = slot / STRIDE;
    return slot % STRIDE == 0 && i < CROWD && hm_handle_type_id(handle) == OWNER_TYPE &&
           !hm_handle_is_free(handle) && hm_handle_generation(handle) == 1 + i % 7;
}

TEST(secondary, of_10_million_random_patterns_none_but_an_owner_finds_a_value)
{
    uint64_t random = test_seed("secondary patterns");
    uint32_t wrong = 0;
    hm_secondary secondary = make_crowd();
    for (uint32_t i = test_scaled(PATTERNS); i-- > 0;) {
        hm_handle handle = hm_handle_from_bits(test_random(&random));
        bool is_owner = is_crowd_owner(handle);
        wrong += (hm_secondary_get(&secondary, handle) != NULL) != is_owner;
        wrong += hm_secondary_contains(&secondary, handle) != is_owner;
        wrong += (hm_secondary_index_of(&secondary, handle) != HM_INVALID_INDEX) != is_owner;
        wrong += !is_owner && hm_secondary_remove(&secondary, handle);
    }
    CHECK(wrong == 0);
    finish(&secondary);
}

/* Random bits seldom resemble a handle. These name a slot, and mostly the right type. */
TEST(secondary, of_random_patterns_near_handles_only_owners_find_their_value)
{
    uint64_t random = test_seed("secondary near patterns");
    uint32_t found = 0, patterns = test_scaled(PATTERNS / 10);
    hm_secondary secondary = make_crowd();
    for (uint32_t n = 0; n < patterns; n++) {
        uint32_t slot = test_random_below(&random, STRIDE * (CROWD + 10)) & ~7u;
        uint32_t type_id = test_random_below(&random, 8) != 0 ? OWNER_TYPE : (uint32_t)random;
        hm_handle handle = hm_handle_pack(slot, test_random_below(&random, 9), type_id);
        if (test_random_below(&random, 16) == 0)
            handle.bits |= HM_HANDLE_FREE_BIT;
        bool is_owner = is_crowd_owner(handle);
        CHECK(hm_secondary_contains(&secondary, handle) == is_owner);
        CHECK(!is_owner || value_of(&secondary, handle) == (int)(slot / STRIDE));
        found += is_owner;
    }
    CHECK(found > patterns / 100);
    finish(&secondary);
}

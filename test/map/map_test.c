/* SPDX-License-Identifier: MIT */
/* What a map promises beside what its model compares and what all containers share: defaults, spent
 * slots, what trim costs, alignment, damage, and what must not be touched. */
#include "support/damage.h"
#include "support/map.h"
#include "support/memory.h"

#include <handle_map/map.h>

#include <string.h>

/* Fills the map with 0, 1, 2, ... up to n - 1. */
static void fill(hm_map *map, hm_handle *handles, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        handles[i] = add(map, i);
}

TEST(map, a_zero_field_means_the_default)
{
    hm_map map;
    hm_map_desc desc = {.item_size = 24};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_capacity(&map) == UINT32_MAX - 1);
    CHECK(hm_map_get_stats(&map).max_slots == UINT32_MAX);
    CHECK(hm_map_get_stats(&map).committed_size <= hm_memory_os()->page_size);
    CHECK(hm_handle_type_id(hm_map_insert(&map, NULL)) == 0);
    CHECK(hm_map_meta_at(&map, 0) == NULL);
    hm_map_fini(&map);

    desc.capacity = 10000000;
    if (sizeof(void *) >= 8) {
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        CHECK(hm_map_get_stats(&map).max_slots == 160000000);
        hm_map_fini(&map);
    }
    desc.capacity = 100;
    desc.memory = hm_memory_heap();
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_get_stats(&map).max_slots == 1 << 20);
    hm_map_fini(&map);
}

TEST(map, init_is_refused_arrays_that_fit_only_one_by_one)
{
    hm_map map;
    const hm_map_desc desc = {.item_size = sizeof(size_t) > 4 ? 0x78000000 : 0x10000,
                              .meta_size = 4,
                              .capacity = sizeof(size_t) > 4 ? UINT32_MAX - 1 : 30715};
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_MEMORY);
}

TEST(map, an_item_of_the_map_itself_may_be_inserted_while_it_moves)
{
    for (int many = 0; many < 2; many++) {
        hm_map map;
        CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8}) == HM_OK);
        uint64_t value = 0;
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &value)));
        for (value = 1; value < 5000; value++) {
            uint64_t *last = (uint64_t *)hm_map_items(&map) + value - 1;
            *last = value - 1;
            if (many)
                CHECK(hm_map_insert_n(&map, last, 1, NULL) == HM_OK);
            else
                CHECK(!hm_handle_is_null(hm_map_insert(&map, last)));
            CHECK(((uint64_t *)hm_map_items(&map))[value] == value - 1);
        }
        hm_map_fini(&map);
    }
}

/* questions */

TEST(map, statistics_show_the_index_space_running_out)
{
    hm_map map = make_map((hm_map_desc){.capacity = 1, .max_slots = 2});
    hm_handle handle = HM_NULL_HANDLE;
    for (uint32_t life = 0; life < 2 * HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_stats stats = hm_map_get_stats(&map);
        CHECK(stats.count == 0 && stats.capacity == 1 && stats.max_slots == 2);
        CHECK(stats.slots == stats.free_slots + stats.retired_slots);
        CHECK(hm_map_reserve(&map, 1) == HM_OK);
        handle = add(&map, 1);
        CHECK(hm_map_get_stats(&map).retired_slots == life / HM_HANDLE_MAX_GENERATION);
        CHECK(hm_map_erase(&map, handle));
    }
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_stats stats = hm_map_get_stats(&map);
    CHECK(stats.slots == 2 && stats.free_slots + stats.retired_slots == 2);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 1, 0)) == HM_HANDLE_RETIRED);
    CHECK(hm_map_explain(&map, hm_handle_pack(0, 0xFFFF, 0)) == HM_HANDLE_RETIRED);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

static uint64_t same_key(const void *item, void *context)
{
    (void)item;
    (void)context;
    return 0;
}

static const hm_order as_they_stand = {.key = same_key};

/* The map is a copy, which shares its extras. */
static void limit_meta(hm_map *map)
{
    static hm_map_extras extras;
    extras = *map->extras;
    extras.meta_array.limit = 1;
    map->extras = &extras;
}

/* Breaks one invariant of a map with two live items (slots 1 and 2) and a free slot (0). */
static int damage(hm_map *map, int how)
{
    int number = 0;
    hm_id_table *ids = &map->ids;
    const uint32_t slot = ids->slots[0];
    const char *counts = "the id table's counts and arrays disagree", *entry = "the entry of slot ";
    const char *items = "the map's items, count and committed memory disagree";
    DAMAGE(counts, ids->used++); /* live + free + retired = slots */
    DAMAGE(counts, ids->count = ids->used + 1);
    DAMAGE(counts, ids->slot_array.limit = 1);   /* committed slots cover the count */
    DAMAGE(counts, ids->entry_array.limit = 1);  /* and committed entries the slots */
    DAMAGE(entry, ids->entries[slot].bits ^= 1); /* entries[slots[d]].index == d */
    DAMAGE(entry, ids->slots[0] = ids->slots[1]);
    DAMAGE(entry, ids->entries[slot].bits |= HM_HANDLE_FREE_BIT);
    DAMAGE(entry, ids->entries[slot].bits ^= UINT64_C(1) << HM_HANDLE_TYPE_ID_SHIFT);
    DAMAGE(entry, ids->entries[slot].bits &= ~((uint64_t)0xFFFF << HM_HANDLE_GENERATION_SHIFT));
    DAMAGE("1 slots are promised, not 0", ids->entries[ids->slots[2]].bits |= UINT32_MAX);
    DAMAGE(entry, ids->entries[ids->slots[2]].bits |= HM_HANDLE_FREE_BIT | UINT32_MAX);
    DAMAGE(items, map->item_array.limit = 1); /* committed items cover the count */
    DAMAGE(items, map->item_array.limit = map->guard.limit = 1);
    DAMAGE(items, limit_meta(map));
    DAMAGE(items, map->items++); /* where the array has them */
    DAMAGE(items, map->item_size++);
    DAMAGE(items, map->guard.limit++);                              /* the committed items */
    DAMAGE(items, map->guard.flags |= HM_GUARD_BUSY);               /* and 0 while busy */
    DAMAGE(items, map->guard.flags &= ~(uint32_t)HM_GUARD_ORDERED); /* erase tells the order */
    return number;
}

TEST(map, validate_sees_each_broken_invariant)
{
    for (int how = 0, damages = 1; how < damages; how++) {
        hm_handle handles[3];
        hm_map map = make_map((hm_map_desc){.meta_size = 4, .capacity = 9000});
        fill(&map, handles, 3);
        hm_map_erase(&map, handles[0]);
        CHECK(hm_map_defragment(&map, &as_they_stand, NULL).done);
        CHECK(hm_map_validate(&map) == HM_OK);
        hm_map damaged = map;
        hm_handle entries[3];
        uint32_t slots[3];
        memcpy(entries, map.ids.entries, sizeof entries);
        memcpy(slots, map.ids.slots, sizeof slots);
        damages = damage(&damaged, how);
        CHECK(is_told(hm_map_validate(&damaged)));
        memcpy(map.ids.entries, entries, sizeof entries);
        memcpy(map.ids.slots, slots, sizeof slots);
        CHECK(hm_map_validate(&map) == HM_OK);
        hm_map_fini(&map);
    }
}

/* Items of 1 MiB, so that a few thousand of them exceed 4 GiB; only two are ever written. */
TEST(map_lessons, byte_offsets_pass_4_gib)
{
    enum { ITEMS = 4100 };
    const size_t size = (size_t)1 << 20;
    if (!test_has_addresses((uint64_t)size * ITEMS, "byte offsets beyond 4 GiB"))
        return;
    hm_map map = make_map((hm_map_desc){.item_size = size, .capacity = ITEMS});
    unsigned char *first = NULL, *place = NULL;
    for (uint32_t i = 0; i < ITEMS; i++) {
        void *item;
        CHECK(!hm_handle_is_null(hm_map_emplace(&map, &item)));
        place = item;
        first = i == 0 ? place : first;
        CHECK((size_t)(place - first) == size * i);
    }
    *first = 1;
    *place = 2;
    hm_handle last = hm_map_handle_at(&map, ITEMS - 1);
    CHECK(hm_map_get(&map, last) == place && *first == 1);
    CHECK(hm_map_erase(&map, hm_map_handle_at(&map, 0)));
    CHECK(hm_map_get(&map, last) == first && *first == 2);
    hm_map_fini(&map);
}

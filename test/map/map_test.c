/* SPDX-License-Identifier: MIT */
/* What a map promises beside what its model compares and what all containers share: defaults, spent
 * slots, what trim costs, alignment, damage, and what must not be touched. */
#include "support/damage.h"
#include "support/layout.h"
#include "support/map.h"
#include "support/memory.h"

#include <handle_map/map.h>

#include <string.h>

enum { MANY = 50 };

static uint32_t value_at(const hm_map *map, uint32_t i)
{
    CHECK(i < hm_map_count(map));
    return ((const uint32_t *)hm_map_items(map))[i];
}

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

static void count_move(void *item, uint32_t from, uint32_t to, void *context)
{
    (void)item, (void)from, (void)to;
    ++*(uint32_t *)context;
}

/* One map is remapped, one copied, and both are twice as large as their items at most. */
TEST(map, without_a_capacity_it_moves_with_its_items_when_it_is_full)
{
    enum { SIZE = 40, MOST = 1 << 17 };
    for (int copies = 0; copies < 2; copies++) {
        test_memory memory;
        test_memory_init(&memory, hm_memory_os()->page_size);
        if (copies)
            memory.table.remap = NULL;
        uint32_t most = MOST / test_scale(), moves = 0, relocated = 0;
        hm_map_desc desc = {.item_size = SIZE, .memory = &memory.table, .relocate = count_move};
        desc.context = &relocated;
        hm_map map;
        CHECK(hm_map_init(&map, &desc) == HM_OK && memory.calls == 2);
        for (uint32_t i = 0; i < most; i++) {
            const void *items = hm_map_items(&map);
            unsigned char *item = hm_map_get(&map, hm_map_insert(&map, NULL));
            CHECK(item != NULL && test_bytes_are(item, SIZE, 0));
            memset(item, (int)(i % 251), SIZE);
            moves += items != hm_map_items(&map);
        }
        for (uint32_t i = 0; i < most; i++)
            CHECK(test_bytes_are(hm_map_get(&map, hm_handle_pack(i, 1, 0)), SIZE,
                                 (unsigned char)(i % 251)));
        CHECK(moves >= 1 && moves <= 20 && relocated == 0 && hm_map_validate(&map) == HM_OK);
        CHECK(memory.reserved_size <= 2 * most * (SIZE + 12) + 128 * memory.table.page_size);
        while (hm_map_count(&map) > 1)
            CHECK(hm_map_erase_at(&map, 0));
        CHECK(hm_map_trim(&map) == HM_OK && test_bytes_are(hm_map_items(&map), SIZE, 1));
        /* There are 512 slots, generation floors, and the hooks. */
        CHECK(memory.reserved_size <= (48 << 10) + 4 * memory.table.page_size);
        hm_map_fini(&map);
        test_memory_check_released(&memory);
    }
}

/* Arrays that share a page are not remapped. */
TEST(map, without_a_capacity_it_moves_where_a_page_holds_many_items)
{
    enum { COUNT = 120000 };
    test_memory memory;
    test_memory_init(&memory, (size_t)2 << 20);
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .memory = &memory.table}) == HM_OK);
    size_t first = memory.reserved_size;
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(hm_handle_equal(hm_map_insert(&map, &i), hm_handle_pack(i, 1, 0)));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(*(uint32_t *)hm_map_get(&map, hm_handle_pack(i, 1, 0)) == i);
    CHECK(memory.reserved_size > first);
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

/* All but the meta fit in the largest range, which has 15/32 of all addresses. */
/* Each item takes more than a page. For a retired slot the entries move alone, to 16 times the
 * space; the map doubles, and has no space for fewer slots then than it has opened. */
TEST(map, without_a_capacity_it_moves_with_slots_that_it_has_opened_already)
{
    const size_t size = 3 * hm_memory_os()->page_size;
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = size}) == HM_OK);
    CHECK(hm_map_erase(&map, hm_map_insert(&map, NULL)));
    map.ids.entries[0].bits |= (uint64_t)HM_HANDLE_MAX_GENERATION << HM_HANDLE_GENERATION_SHIFT;
    for (uint32_t slot = 1; slot < 40; slot++) {
        CHECK(hm_handle_index(hm_map_insert(&map, NULL)) == slot);
        CHECK(hm_map_validate(&map) == HM_OK);
    }
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

/* insert */

TEST(map, a_reserve_retires_the_spent_slots_among_the_next_unless_it_fails)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_map map = make_map((hm_map_desc){.capacity = 100000, .memory = &memory.table});
    hm_handle last = add(&map, 0);
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_erase(&map, last);
        last = add(&map, 0);
    }
    hm_map_erase(&map, last);
    for (uint32_t k = 0; k < 3; k++) { /* the entries, the slots, the items: one is committed */
        CHECK(hm_map_get_stats(&map).retired_slots == 0);
        test_memory_fail(&memory, 2, true);
        CHECK(hm_map_reserve(&map, 100000) == (k < 2 ? HM_ERROR_MEMORY : HM_OK));
    }
    CHECK(hm_map_get_stats(&map).retired_slots == 1);
    CHECK(hm_handle_equal(hm_map_upcoming(&map, 0), hm_handle_pack(1, 1, 0)));
    CHECK(hm_handle_equal(add(&map, 1), hm_handle_pack(1, 1, 0)));
    hm_map_fini(&map);
    test_memory_check_released(&memory);
}

TEST(map, growing_moves_no_item)
{
    hm_map map = make_map((hm_map_desc){.capacity = 300000});
    void *items = hm_map_items(&map);
    hm_handle first = add(&map, 42);
    uint32_t *item = hm_map_get(&map, first);
    for (uint32_t i = 1; i < 300000; i++)
        add(&map, i);
    CHECK(hm_map_items(&map) == items && hm_map_get(&map, first) == item && *item == 42);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_items(&map) == items);
    hm_map_fini(&map);
}

/* memory */

/* Only one page of entries can be given back, which must not cost more than a page of generation
 * floors. */
TEST(map, trim_takes_no_memory)
{
    uint32_t page_slots = (uint32_t)(test_page_size(4096) / sizeof(hm_handle));
    uint32_t n = 16 * page_slots;
    hm_map map = make_map((hm_map_desc){.item_size = 1, .capacity = n});
    CHECK(hm_map_insert_n(&map, NULL, n, NULL) == HM_OK);
    CHECK(hm_map_trim(&map) == HM_OK);
    while (hm_map_count(&map) > n - page_slots)
        CHECK(hm_map_erase(&map, hm_map_handle_at(&map, hm_map_count(&map) - 1)));
    hm_map_stats before = hm_map_get_stats(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_stats after = hm_map_get_stats(&map);
    CHECK(after.slots == before.slots - page_slots);
    CHECK(after.committed_size <= before.committed_size);
    hm_map_fini(&map);
}

/* A trim that made the last generation the floor of a page would retire all slots of the page. */
TEST(map, trim_with_a_spent_slot_loses_none_of_its_neighbours)
{
    hm_map map = make_map((hm_map_desc){.capacity = 3, .max_slots = 3});
    hm_handle last = add(&map, 0);
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        hm_map_erase(&map, last);
        last = add(&map, 0);
    }
    CHECK(hm_handle_generation(last) == HM_HANDLE_MAX_GENERATION);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    CHECK(hm_map_reserve(&map, 3) == HM_ERROR_FULL && hm_map_reserve(&map, 2) == HM_OK);
    add(&map, 1);
    add(&map, 2);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(!hm_map_contains(&map, last) && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(map, items_have_the_alignment_of_each_layout)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        hm_map map = make_map((hm_map_desc){
            .item_size = layout.item_size, .item_align = layout.item_align, .capacity = 8});
        for (uint32_t k = 0; k < 8; k++)
            CHECK((uintptr_t)hm_map_get(&map, hm_map_insert(&map, NULL)) % layout.item_align == 0);
        hm_map_fini(&map);
    }
}

/* An alignment of 0 means the natural one of the size, but never more than 16, on every machine. */
TEST(map, natural_alignment_suits_the_size)
{
    for (size_t size = 1; size <= 256; size++) {
        hm_map map = make_map((hm_map_desc){.item_size = size, .meta_size = size, .capacity = 8});
        size_t align = size & (~size + 1);
        if (align > 16)
            align = 16;
        for (uint32_t i = 0; i < 8; i++) {
            CHECK((uintptr_t)hm_map_get(&map, hm_map_insert(&map, NULL)) % align == 0);
            CHECK((uintptr_t)hm_map_meta_at(&map, i) % align == 0);
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
    DAMAGE(entry, ids->entries[ids->slots[2]].bits |= UINT32_MAX); /* retired, but not spent */
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

static bool spares_all(const void *item, void *context)
{
    (void)item;
    (void)context;
    return false;
}

/* A map that is never ordered has no state; one that forgot its order does not read what it has. */
TEST(map, without_an_order_its_state_is_neither_read_nor_written)
{
    hm_handle handles[MANY];
    struct hm_order_state *nowhere;
    memset(&nowhere, 0xDD, sizeof nowhere);
    hm_map map = make_map((hm_map_desc){.capacity = 1000});
    for (int round = 0; round < 2; round++) {
        CHECK(hm_map_erase_if(&map, spares_all, NULL) ==
              0); /* This call reads the state, and finds nothing. */
        struct hm_order_state *order = map.order;
        CHECK((order != NULL) == (round == 1));
        map.order = nowhere;
        fill(&map, handles, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            CHECK(value_of(&map, handles[i]) == i);
            hm_map_touch(&map, handles[i]);
        }
        for (int i = 0; i < MANY; i++)
            CHECK(hm_map_erase(&map, handles[i % 2 == 0 ? i : MANY - i]));
        map.order = order;
        /* Then a map that was ordered, and forgot its order. */
        fill(&map, handles, 1);
        CHECK(hm_map_defragment(&map, &as_they_stand, NULL).done);
        hm_map_touch_all(&map);
        CHECK(hm_map_erase(&map, handles[0]));
    }
    hm_map_fini(&map);
}

TEST(map, its_own_items_can_be_inserted)
{
    hm_map map = make_map((hm_map_desc){.capacity = 1000});
    hm_handle handles[MANY];
    fill(&map, handles, 3);
    while (hm_map_count(&map) <= 500) {
        uint32_t count = hm_map_count(&map);
        CHECK(hm_map_insert_n(&map, hm_map_items(&map), count, NULL) == HM_OK);
        CHECK(!hm_handle_is_null(hm_map_insert(&map, hm_map_get(&map, handles[2]))));
        for (uint32_t i = 0; i < count; i++)
            CHECK(value_at(&map, count + i) == value_at(&map, i));
        CHECK(value_at(&map, 2 * count) == 2);
    }
    hm_map_fini(&map);
}

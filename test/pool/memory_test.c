/* SPDX-License-Identifier: MIT */
/* The memory of a pool's items: what reserve takes, what trim gives back, blocks, index spaces,
 * layouts and alignments. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/pool.h"

POOL_TEST(reserve_counts_from_what_is_there)
{
    test_memory memory;
    hm_handle handles[MANY];
    test_memory_init_with_holes(&memory, 65536);
    hm_pool pool =
        make(storage, (hm_pool_desc){.capacity = 30000, .item_size = 40, .memory = &memory.table});
    for (uint32_t i = 0; i < MANY; i++)
        handles[i] = hm_pool_insert(&pool, NULL);
    for (uint32_t i = 0; i < MANY; i += 2)
        CHECK(hm_pool_erase(&pool, handles[i]));
    uint32_t room = 30000 - hm_pool_count(&pool);
    CHECK(hm_pool_reserve(&pool, room) == HM_OK);
    CHECK(hm_pool_reserve(&pool, room + 1) == HM_ERROR_FULL);
    CHECK(hm_pool_reserve(&pool, UINT32_MAX) == HM_ERROR_FULL);
    CHECK(hm_pool_get_stats(&pool).slots == MANY && hm_pool_validate(&pool) == HM_OK);
    test_memory_fail(&memory, 1, true);
    for (uint32_t i = 0; i < room; i++)
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(memory.calls == 0 && hm_pool_reserve(&pool, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    finish(&pool);
    test_memory_check_released(&memory);
}

/* More blocks than the columns had space for at first. */
TEST(pool_fixed_blocks, blocks_for_slots_beyond_twice_the_capacity_are_found)
{
    enum { FEW = 40, ALL = 8 * FEW };
    size_t page_size = hm_memory_os()->page_size;
    hm_pool_desc desc = {.item_size = page_size < 4096 ? 4096 : page_size,
                         .block_size = 1,
                         .capacity = FEW,
                         .max_slots = ALL};
    hm_pool pool = make(HM_STORAGE_FIXED_BLOCKS, desc);
    for (uint32_t slot = 0; slot < ALL; slot++) {
        if (slot >= FEW) {
            pool.entries[slot - FEW] |= HM_HANDLE_MAX_GENERATION;
            CHECK(hm_pool_erase_at(&pool, slot - FEW));
        }
        hm_handle handle = hm_pool_insert(&pool, NULL);
        CHECK(hm_handle_index(handle) == slot);
        CHECK(hm_handle_equal(hm_pool_handle_of(&pool, hm_pool_item_at(&pool, slot)), handle));
    }
    CHECK(hm_pool_validate(&pool) == HM_OK && hm_pool_reserve(&pool, 1) == HM_ERROR_FULL);
    finish(&pool);
}

POOL_TEST(trim_gives_back_what_holds_no_item_wherever_it_is)
{
    enum { ITEMS = 40000, KEPT = 3 };
    static hm_handle handles[ITEMS];
    const uint32_t kept[KEPT] = {0, 17000, 39999};
    test_memory memory;
    size_t page_size = hm_memory_os()->page_size;
    test_memory_init_with_holes(&memory, page_size);
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 128,
                                                .capacity = ITEMS,
                                                .block_size = page_size,
                                                .memory = &memory.table});
    for (uint32_t i = 0; i < ITEMS; i++) {
        handles[i] = hm_pool_insert(&pool, NULL);
        test_item_fill(hm_pool_get(&pool, handles[i]), 128, i);
    }
    size_t full = memory.committed_size;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (i != kept[0] && i != kept[1] && i != kept[2])
            CHECK(hm_pool_erase(&pool, handles[i]));
    CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    /* What remains: the pages of the columns, and for each item its pages or its growing block. */
    size_t columns = (size_t)ITEMS * 17 / 4 + 16 * page_size;
    size_t items = KEPT * page_size;
    if (storage == HM_STORAGE_GROWING_BLOCKS)
        items += (size_t)(8 + 16384 + 32768) * 128;
    CHECK(memory.committed_size <= columns + items && memory.committed_size < full);
    for (uint32_t i = 0; i < ITEMS; i++) {
        bool lives = i == kept[0] || i == kept[1] || i == kept[2];
        const void *place = hm_pool_get(&pool, handles[i]);
        CHECK(hm_pool_explain(&pool, handles[i]) == (lives ? HM_HANDLE_LIVE : HM_HANDLE_STALE));
        CHECK(lives ? test_item_is(place, 128, i) : place == NULL);
    }
    /* All places get memory again, each with its next generation. */
    for (uint32_t i = KEPT; i < ITEMS; i++) {
        hm_handle handle = hm_pool_insert(&pool, NULL);
        CHECK(hm_handle_generation(handle) == 2 && hm_handle_index(handle) < ITEMS);
        test_memory_check_committed(&memory, hm_pool_get(&pool, handle), 128);
    }
    CHECK(hm_pool_get_stats(&pool).slots == ITEMS && hm_pool_validate(&pool) == HM_OK);
    for (uint32_t i = 0; i < KEPT; i++)
        CHECK(test_item_is(hm_pool_get(&pool, handles[kept[i]]), 128, kept[i]));
    hm_pool_clear(&pool);
    CHECK(hm_pool_trim(&pool) == HM_OK && memory.committed_size <= columns);
    CHECK(pool.item_committed_size == 0);
    finish(&pool);
    test_memory_check_released(&memory);
}

/* The first growing block has no more items than fit in 1 KiB, or two, nor more than the capacity;
 * so there is room for the capacity and no more if that is a power of two. */
TEST(pool_growing_blocks, a_small_pool_of_large_items_is_small)
{
    for (uint32_t capacity = 2; capacity <= 128; capacity *= 2) {
        test_memory memory;
        const size_t size = (size_t)13 << 10, page_size = test_page_size(4096);
        test_memory_init_with_holes(&memory, page_size);
        hm_pool pool =
            make(HM_STORAGE_GROWING_BLOCKS,
                 (hm_pool_desc){.item_size = size, .capacity = capacity, .memory = &memory.table});
        CHECK(hm_pool_insert_n(&pool, NULL, capacity, NULL) == HM_OK);
        CHECK(pool.item_committed_size <= size * capacity + 8 * page_size);
        CHECK(pool.item_reserved_size == pool.item_committed_size);
        finish(&pool);
        test_memory_check_released(&memory);
    }
}

/* The item of a slot has memory in several steps, of which a later one is refused. */
TEST(pool_virtual, pages_that_a_refused_adopt_has_brought_serve_the_slots_before_it)
{
    enum { SLOT = 5, PAGES = 37 /* of an item */ };
    bool is_refused = true;
    for (uint32_t k = 1; is_refused; k++) {
        test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        size_t size = PAGES * memory.table.page_size;
        hm_pool_desc desc = {.item_size = size, .capacity = 10, .memory = &memory.table};
        hm_pool pool = make(HM_STORAGE_VIRTUAL, desc);
        test_memory_fail(&memory, k, false);
        hm_status status = hm_pool_adopt(&pool, hm_handle_pack(SLOT, 1, 0), NULL);
        is_refused = test_memory_refused(&memory);
        test_memory_fail(&memory, 0, false);
        CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(hm_pool_validate(&pool) == HM_OK);
        CHECK(hm_pool_insert_n(&pool, NULL, SLOT + 1, NULL) == HM_OK);
        for (uint32_t slot = 0; slot <= SLOT; slot++)
            test_memory_check_committed(&memory, hm_pool_item_at(&pool, slot), size);
        CHECK(hm_pool_validate(&pool) == HM_OK);
        finish(&pool);
        test_memory_check_released(&memory);
    }
}

POOL_TEST(the_largest_index_space_is_taken)
{
    hm_pool_desc desc = {.item_size = 1, .capacity = UINT32_MAX - 1, .max_slots = UINT32_MAX};
    if (!test_has_addresses((uint64_t)1 << 36, "pools of 2^32 slots"))
        return;
    hm_pool pool = make(storage, desc);
    hm_handle handles[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        handles[i] = hm_pool_insert(&pool, NULL);
    CHECK(hm_pool_erase(&pool, handles[70]) && hm_pool_erase(&pool, handles[7]));
    CHECK(hm_handle_index(hm_pool_insert(&pool, NULL)) == 7);
    CHECK(hm_handle_index(hm_pool_insert(&pool, NULL)) == 70);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(UINT32_MAX, 1, 0)) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_pool_reserve(&pool, UINT32_MAX - 1) == HM_ERROR_FULL);
    CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_count(&pool) == MANY);
    finish(&pool);
}

/* Blocks come back at other addresses, because the old ones are in use. */
POOL_TEST(blocks_may_come_back_elsewhere)
{
    enum { ROUNDS = 300, ITEMS = 40 };
    static void *taken[ROUNDS];
    const hm_memory *os = hm_memory_os();
    size_t size = 65536;
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 4096, .block_size = 65536});
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ITEMS; i++) {
            hm_handle handle = hm_pool_insert(&pool, NULL);
            unsigned char *item = hm_pool_get(&pool, handle);
            CHECK(hm_handle_index(handle) == i && hm_handle_generation(handle) == round + 1);
            CHECK(hm_handle_equal(hm_pool_handle_of(&pool, item + 4095), handle));
        }
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool_clear(&pool);
        CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
        CHECK((taken[round] = os->reserve(os->context, size)) != NULL);
    }
    finish(&pool);
    for (uint32_t round = 0; round < ROUNDS; round++)
        os->release(os->context, taken[round], size);
}

/* A growing block that is smaller than a page takes one: at most the first four do. */
POOL_TEST(a_pool_that_is_full_has_no_memory_for_more)
{
    hm_pool pool =
        make(storage, (hm_pool_desc){.item_size = 4096, .capacity = 5000, .max_slots = 5000});
    CHECK(hm_pool_reserve(&pool, 5000) == HM_OK);
    CHECK(pool.item_committed_size >= (size_t)5000 * 4096);
    CHECK(pool.item_committed_size <= (size_t)5000 * 4096 + 4 * hm_memory_os()->page_size);
    finish(&pool);
}

/* The lowest hole is filled, whether or not a trim has given back its memory, so that no handle
 * depends on the size of a page. If that memory is refused, nothing has changed. */
POOL_TEST(insert_fills_the_lowest_hole_with_or_without_memory)
{
    hm_handle handles[2000];
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 4096,
                                                .block_size = 65536,
                                                .capacity = 2000,
                                                .max_slots = 2000,
                                                .memory = &memory.table});
    for (uint32_t i = 0; i < 2000; i++)
        handles[i] = hm_pool_insert(&pool, NULL);
    for (uint32_t i = 0; i < 1500; i++)
        CHECK(hm_pool_erase(&pool, handles[i]));
    CHECK(hm_pool_erase(&pool, handles[1900]) && hm_pool_trim(&pool) == HM_OK);
    for (uint32_t filled = 0; filled < 1500; filled++) {
        test_memory_fail(&memory, 1, true);
        hm_handle handle = hm_pool_insert(&pool, NULL);
        if (hm_handle_is_null(handle)) {
            CHECK(memory.calls == 1 && hm_pool_validate(&pool) == HM_OK);
            test_memory_fail(&memory, 0, false);
            handle = hm_pool_insert(&pool, NULL);
        }
        CHECK(hm_handle_index(handle) == filled);
    }
    test_memory_fail(&memory, 0, false);
    CHECK(hm_pool_erase(&pool, handles[1800]) && hm_pool_erase(&pool, handles[1700]));
    static const uint32_t last[] = {1700, 1800, 1900};
    for (uint32_t i = 0; i < 3; i++)
        CHECK(hm_handle_index(hm_pool_insert(&pool, NULL)) == last[i]);
    CHECK(hm_pool_get_stats(&pool).slots == 2000);
    finish(&pool);
    test_memory_check_released(&memory);
}

/* Places of nearly half a page come back 64 at a time, with 32 pages. Place 64, the first of its
 * word, begins in the last page that comes back with the first 64, and ends in the one behind it.
 */
TEST(pool_memory, a_place_comes_back_with_the_last_of_its_pages)
{
    enum { COUNT = 200 };
    const size_t page_size = test_page_size(4096);
    const uint32_t size = (uint32_t)page_size / 2 - 8;
    test_memory memory;
    hm_handle handles[COUNT];
    test_memory_init_with_holes(&memory, page_size);
    hm_pool pool =
        make(HM_STORAGE_VIRTUAL,
             (hm_pool_desc){.item_size = size, .capacity = COUNT, .memory = &memory.table});
    CHECK(hm_pool_insert_n(&pool, NULL, COUNT, handles) == HM_OK);
    CHECK(hm_pool_erase_n(&pool, handles, COUNT - 1) == COUNT - 1);
    CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    for (uint32_t i = 0; i < COUNT - 1; i++) {
        void *place;
        CHECK(!hm_handle_is_null(hm_pool_emplace(&pool, &place)));
        test_memory_check_committed(&memory, place, size);
        memset(place, 0x5A, size);
        CHECK(hm_pool_validate(&pool) == HM_OK);
    }
    finish(&pool);
    test_memory_check_released(&memory);
}

/* Inserts, erases, trims and refills in one layout. */
static void check_layout(hm_storage storage, test_layout layout)
{
    enum { ITEMS = 70 };
    hm_handle handles[ITEMS];
    unsigned char item[5000];
    test_memory memory;
    test_memory_init_with_holes(&memory, layout.page_size);
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = layout.item_size,
                                                .item_align = layout.item_align,
                                                .capacity = ITEMS,
                                                .block_size = 4096,
                                                .memory = &memory.table});
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = hm_pool_count(&pool); i < ITEMS; i++) {
            test_item_fill(item, layout.item_size, i);
            handles[i] = hm_pool_insert(&pool, item);
            void *place = hm_pool_get(&pool, handles[i]);
            CHECK((uintptr_t)place % layout.item_align == 0);
            test_memory_check_committed(&memory, place, layout.item_size);
        }
        CHECK(hm_handle_is_null(hm_pool_insert(&pool, item)));
        for (uint64_t i = 0; i < ITEMS; i++)
            CHECK(test_item_is(hm_pool_get(&pool, handles[i]), layout.item_size, i));
        for (uint64_t i = 10; i < ITEMS; i++)
            CHECK(hm_pool_erase(&pool, handles[i]));
        CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    }
    finish(&pool);
    test_memory_check_released(&memory);
}

POOL_TEST(every_layout_keeps_its_items)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        check_layout(storage, test_layout_at(i));
}

POOL_TEST(natural_alignment_suits_the_size)
{
    for (size_t size = 1; size <= 256; size++) {
        hm_pool pool = make(storage, (hm_pool_desc){.item_size = size, .capacity = 40});
        size_t align = size & (~size + 1);
        if (align > 16)
            align = 16;
        for (uint32_t i = 0; i < 40; i++)
            CHECK((uintptr_t)hm_pool_get(&pool, hm_pool_insert(&pool, NULL)) % align == 0);
        finish(&pool);
    }
}

POOL_TEST(statistics_tell_the_memory_that_is_held)
{
    test_memory memory;
    test_memory_init_with_holes(&memory, 65536);
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 700, .memory = &memory.table});
    for (int i = 0; i < 2000; i++) {
        CHECK(hm_pool_get_stats(&pool).committed_size == memory.committed_size);
        CHECK(hm_pool_get_stats(&pool).reserved_size == memory.reserved_size);
        hm_pool_insert(&pool, NULL);
    }
    CHECK(memory.committed_size > (size_t)2000 * 700);
    finish(&pool);
    test_memory_check_released(&memory);
}

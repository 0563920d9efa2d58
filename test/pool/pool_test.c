/* SPDX-License-Identifier: MIT */
/* Unit tests of the pool: defaults, insert and erase, iteration, and queries. */
#include "support/memory.h"
#include "support/pool.h"

POOL_TEST(a_zero_field_means_the_default)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 24, .storage = storage};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    CHECK(hm_pool_capacity(&pool) == 1048576);
    uint32_t times = storage == HM_STORAGE_VIRTUAL ? 4 : 16; /* as many slots as capacity */
    if (sizeof(void *) >= 8)
        CHECK(hm_pool_get_stats(&pool).max_slots == times << 20);
    CHECK(hm_pool_get_stats(&pool).committed_size == 0);
    CHECK(hm_handle_type_id(hm_pool_insert(&pool, NULL)) == 0);
    finish(&pool);
    desc.capacity = 100;
    if (sizeof(void *) >= 8) {
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_get_stats(&pool).max_slots == (times == 4 ? 1 << 16 : 1 << 20));
        finish(&pool);
    }
    desc.memory = hm_memory_heap();
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    CHECK(hm_pool_get_stats(&pool).max_slots == 200);
    finish(&pool);
    desc = (hm_pool_desc){.item_size = 1, .capacity = 10000000, .storage = storage};
    if (sizeof(void *) >= 8) {
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_get_stats(&pool).max_slots == times * 10000000);
        finish(&pool);
    }
}

/* insert and erase */

POOL_TEST(insert_copies_the_item_or_zeroes_its_place)
{
    hm_pool pool = make(storage, (hm_pool_desc){0});
    int value = 7;
    hm_handle handle = hm_pool_insert(&pool, &value);
    value = 8;
    CHECK(value_of(&pool, handle) == 7 && hm_pool_count(&pool) == 1);
    CHECK(hm_pool_erase(&pool, handle) && hm_pool_count(&pool) == 0);
    CHECK(value_of(&pool, hm_pool_insert(&pool, NULL)) == 0);
    finish(&pool);
}

POOL_TEST(emplace_hands_out_the_place)
{
    hm_pool pool = make(storage, (hm_pool_desc){.capacity = 1});
    void *place = NULL;
    hm_handle handle = hm_pool_emplace(&pool, &place);
    CHECK(place != NULL && hm_pool_get(&pool, handle) == place);
    *(int *)place = 5;
    CHECK(value_of(&pool, handle) == 5);
    CHECK(hm_handle_is_null(hm_pool_emplace(&pool, &place)) && place == NULL);
    CHECK(hm_pool_reserve(&pool, 1) == HM_ERROR_FULL && hm_pool_reserve(&pool, 0) == HM_OK);
    finish(&pool);
}

POOL_TEST(a_pointer_holds_until_its_item_is_erased)
{
    enum { ITEMS = 100000 };
    static hm_handle handles[ITEMS];
    static int *places[ITEMS];
    hm_pool pool = make(storage, (hm_pool_desc){.capacity = ITEMS});
    for (int i = 0; i < ITEMS; i++) {
        handles[i] = add(&pool, i);
        places[i] = hm_pool_get(&pool, handles[i]);
        CHECK(hm_handle_index(handles[i]) == (uint32_t)i);
    }
    for (int i = 0; i < ITEMS; i++)
        if (i % 7 != 0 && i > 100)
            CHECK(hm_pool_erase(&pool, handles[i]));
    CHECK(hm_pool_trim(&pool) == HM_OK);
    for (int i = 0; i < ITEMS / 2; i++)
        add(&pool, -i);
    for (int i = 0; i < ITEMS; i++)
        if (i % 7 == 0 || i <= 100)
            CHECK(hm_pool_get(&pool, handles[i]) == places[i] && *places[i] == i);
    finish(&pool);
}

POOL_TEST(insert_fills_the_lowest_hole_after_a_trim)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    const uint32_t order[] = {200, 3, 64, 63, 199, 128, 0};
    const uint32_t rising[] = {0, 3, 63, 64, 128, 199, 200};
    fill(&pool, handles, MANY);
    for (uint32_t i = 0; i < 7; i++)
        CHECK(hm_pool_erase(&pool, handles[order[i]]));
    CHECK(hm_pool_trim(&pool) == HM_OK);
    for (uint32_t i = 0; i < 7; i++) {
        hm_handle handle = add(&pool, 0);
        CHECK(hm_handle_index(handle) == rising[i] && hm_handle_generation(handle) == 2);
        CHECK(!hm_pool_contains(&pool, handles[rising[i]]));
    }
    CHECK(hm_handle_index(add(&pool, 0)) == MANY);
    finish(&pool);
}

POOL_TEST(insert_fills_the_latest_hole)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    const uint32_t order[] = {200, 3, 64, 63, 199, 128, 0};
    fill(&pool, handles, MANY);
    for (uint32_t i = 0; i < 7; i++)
        CHECK(hm_pool_erase(&pool, handles[order[i]]));
    for (uint32_t i = 7; i-- > 0;)
        CHECK(hm_handle_index(add(&pool, 0)) == order[i]);
    CHECK(hm_handle_index(add(&pool, 0)) == MANY);
    finish(&pool);
}

/* So that the last places become empty: the pool has 300 items, and then 296. */
POOL_TEST(a_latest_hole_behind_as_many_places_as_there_are_items_is_not_filled_first)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    const uint32_t order[] = {100, 299, 50, 296};
    const uint32_t filled[] = {50, 100, 296, 299};
    fill(&pool, handles, MANY);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(hm_pool_erase(&pool, handles[order[i]]));
    for (uint32_t i = 0; i < 4; i++)
        CHECK(hm_handle_index(add(&pool, 0)) == filled[i]);
    finish(&pool);
}

/* One hole more than can be recent: then none is, until an insert. */
POOL_TEST(after_many_erases_insert_fills_the_lowest_hole)
{
    enum { HOLES = HM_POOL_RECENT + 1, ITEMS = 4 * HM_POOL_RECENT };
    hm_handle handles[ITEMS];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, ITEMS);
    for (uint32_t i = 0; i < HOLES; i++)
        CHECK(hm_pool_erase(&pool, handles[7 * i % HOLES]));
    CHECK(hm_handle_index(add(&pool, 0)) == 0);
    CHECK(hm_pool_erase(&pool, handles[HOLES]));
    CHECK(hm_handle_index(add(&pool, 0)) == HOLES);
    CHECK(hm_handle_index(add(&pool, 0)) == 1);
    finish(&pool);
}

/* Enough slots for three levels above the words: every path up and down is taken. */
POOL_TEST(the_lowest_hole_is_found_among_many_slots)
{
    enum { SLOTS = 300000, ROUNDS = 3000 };
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 1, .capacity = SLOTS});
    hm_handle handle = HM_NULL_HANDLE;
    uint64_t random = test_seed("pool lowest hole");
    for (uint32_t i = 0; i < SLOTS; i++)
        handle = hm_pool_insert(&pool, NULL);
    CHECK(hm_handle_index(handle) == SLOTS - 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t lowest = SLOTS, n = 1 + test_random_below(&random, 3);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t slot = test_random_below(&random, SLOTS);
            handle = hm_pool_handle_of(&pool, hm_pool_item(&pool, slot));
            if (hm_pool_erase(&pool, handle) && slot < lowest)
                lowest = slot;
        }
        CHECK(hm_pool_trim(&pool) == HM_OK);
        for (uint32_t next = lowest; hm_pool_count(&pool) < SLOTS;) {
            handle = hm_pool_insert(&pool, NULL);
            CHECK(next == lowest ? hm_handle_index(handle) == lowest
                                 : hm_handle_index(handle) >= next);
            next = hm_handle_index(handle) + 1;
        }
    }
    finish(&pool);
}

POOL_TEST(upcoming_handles_are_known_up_to_the_capacity_after_a_reserve)
{
    enum { SOME = 300 };
    hm_handle handles[SOME], upcoming[SOME];
    hm_pool pool = make(storage, (hm_pool_desc){.capacity = SOME});
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, 0)));
    fill(&pool, handles, SOME - 10);
    /* All but a few places become recent holes, then holes of listed words, and more recent ones.
     */
    for (uint32_t i = 0; i < SOME - 20; i++)
        CHECK(hm_pool_erase(&pool, handles[(i * 9 + 3) % (SOME - 20)]));
    CHECK(hm_pool_reserve(&pool, SOME - 10) == HM_OK);
    for (uint32_t k = 0; k < SOME - 10; k++)
        upcoming[k] = hm_pool_upcoming(&pool, k);
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, SOME - 10)));
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, UINT32_MAX)));
    for (uint32_t k = 0; k < SOME - 10; k++)
        CHECK(hm_handle_equal(hm_pool_insert(&pool, NULL), upcoming[k]));
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, 0)));
    finish(&pool);
}

POOL_TEST(erase_is_refused_the_second_time)
{
    hm_handle h[6];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, h, 6);
    CHECK(hm_pool_erase(&pool, h[5]) && !hm_pool_erase(&pool, h[5]));
    const hm_handle gone[] = {h[0], h[5], h[3], h[0], HM_NULL_HANDLE, h[3], {~UINT64_C(0)}, h[4]};
    CHECK(hm_pool_erase_n(&pool, gone, 8) == 3 && hm_pool_erase_n(&pool, gone, 8) == 0);
    CHECK(hm_pool_erase_n(&pool, NULL, 0) == 0);
    CHECK(hm_pool_count(&pool) == 2 && value_of(&pool, h[1]) == 1 && value_of(&pool, h[2]) == 2);
    finish(&pool);
}

POOL_TEST(clear_refuses_all_handles_and_keeps_the_memory)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, MANY);
    for (uint32_t i = 0; i < MANY; i += 3)
        CHECK(hm_pool_erase(&pool, handles[i]));
    size_t committed = hm_pool_get_stats(&pool).committed_size;
    hm_pool_clear(&pool);
    CHECK(hm_pool_validate(&pool) == HM_OK && hm_pool_count(&pool) == 0);
    CHECK(hm_pool_get_stats(&pool).committed_size == committed);
    CHECK(hm_pool_get_stats(&pool).free_slots == MANY);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_pool_explain(&pool, handles[i]) == HM_HANDLE_STALE);
    for (uint32_t i = 0; i < MANY; i++) {
        hm_handle handle = add(&pool, 0);
        CHECK(hm_handle_index(handle) == i && hm_handle_generation(handle) == 2);
        CHECK(!hm_pool_contains(&pool, handles[i]));
    }
    hm_pool_clear(&pool);
    hm_pool_clear(&pool);
    finish(&pool);
}

/* iteration */

/* Checks that the runs are exactly the live items, each as long as possible. */
static void check_runs(const hm_pool *pool, uint32_t item_size)
{
    uint32_t seen = 0, length = 7, end = 0;
    const unsigned char *behind = NULL;
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length)) {
        const unsigned char *items = hm_pool_item(pool, i);
        CHECK(length != 0 && i >= end && items != NULL);
        CHECK(i > end || behind != items); /* else the last run was too short */
        for (uint32_t k = end; k < i; k++)
            CHECK(hm_pool_item(pool, k) == NULL && hm_pool_next_run(pool, k, NULL) == i);
        for (uint32_t k = 0; k < length; k++) {
            CHECK(hm_pool_item(pool, i + k) == items + (size_t)k * item_size);
            CHECK(hm_pool_next_run(pool, i + k, NULL) == i + k);
        }
        seen += length;
        end = i + length;
        behind = items + (size_t)length * item_size;
    }
    CHECK(length == 0 && seen == hm_pool_count(pool));
    CHECK(hm_pool_next_run(pool, HM_INVALID_INDEX, &length) == HM_INVALID_INDEX);
}

/* The same, walking from word to word. */
static void check_words(const hm_pool *pool)
{
    uint32_t seen = 0, end = 0;
    uint64_t live = 7;
    for (uint32_t word = hm_pool_next_word(pool, 0, &live); word != HM_INVALID_INDEX;
         word = hm_pool_next_word(pool, word + 1, &live)) {
        CHECK(live != 0 && word >= end);
        for (uint32_t k = 0; k < 64; k++) {
            bool lives = hm_pool_item(pool, 64 * word + k) != NULL;
            CHECK(lives == ((live >> k & 1) != 0));
            seen += lives;
        }
        end = word + 1;
    }
    CHECK(live == 0 && seen == hm_pool_count(pool));
    CHECK(hm_pool_next_word(pool, HM_INVALID_INDEX, &live) == HM_INVALID_INDEX && live == 0);
}

POOL_TEST(runs_are_the_live_items_and_as_long_as_they_can_be)
{
    enum { SLOTS = 1000 };
    uint64_t random = test_seed("pool runs");
    test_memory memory;
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    const uint32_t sizes[] = {1, 64, 334, 667,
                              1000}; /* blocks of 64 bytes have no gap between them */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t item_size = sizes[s];
        for (uint32_t round = 0; round < 40; round++) {
            hm_handle handles[SLOTS];
            hm_pool pool = make(storage, (hm_pool_desc){.item_size = item_size,
                                                        .block_size = round % 2 ? 4096 : 0,
                                                        .memory = &memory.table});
            uint32_t n = 1 + test_random_below(&random, SLOTS), rarely = 1 + round % 8 * 8;
            check_runs(&pool, item_size);
            for (uint32_t i = 0; i < n; i++)
                handles[i] = hm_pool_insert(&pool, NULL);
            check_runs(&pool, item_size);
            for (uint32_t i = 0; i < n; i++)
                if ((test_random_below(&random, rarely) == 0) == (round % 3 != 0))
                    CHECK(hm_pool_erase(&pool, handles[i]));
            check_runs(&pool, item_size);
            check_words(&pool);
            CHECK(hm_pool_trim(&pool) == HM_OK);
            check_runs(&pool, item_size);
            check_words(&pool);
            finish(&pool);
        }
    }
    test_memory_check_released(&memory);
}

static void check_first_run(hm_storage storage, uint32_t expected)
{
    hm_handle handles[MANY];
    uint32_t length;
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, MANY);
    CHECK(hm_pool_next_run(&pool, 0, &length) == 0 && length == expected);
    finish(&pool);
}

TEST(pool_virtual, a_full_pool_of_one_block_is_one_run)
{
    check_first_run(HM_STORAGE_VIRTUAL, MANY);
}

TEST(pool_fixed_blocks, a_full_pool_of_one_block_is_one_run)
{
    check_first_run(HM_STORAGE_FIXED_BLOCKS, MANY);
}

TEST(pool_growing_blocks, a_full_pool_of_one_block_is_one_run)
{
    check_first_run(HM_STORAGE_GROWING_BLOCKS, 16);
}

/* Erases every third item and the one behind the visited one, and sometimes inserts one. */
POOL_TEST(erasing_while_walking_visits_no_erased_item)
{
    hm_handle handles[MANY];
    bool gone[MANY] = {false};
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, MANY);
    uint32_t next = 0;
    for (uint32_t i = hm_pool_next_run(&pool, 0, NULL); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(&pool, i + 1, NULL)) {
        hm_handle handle = hm_pool_handle_of(&pool, hm_pool_item(&pool, i));
        int value = value_of(&pool, handle);
        if (value < 0)
            continue;
        CHECK(!gone[value] && (uint32_t)value >= next);
        next = (uint32_t)value + 1;
        if (value % 3 == 0) {
            gone[value] = true;
            CHECK(hm_pool_erase(&pool, handle));
        }
        if (value % 7 == 0 && value + 1 < MANY) {
            gone[value + 1] = true;
            CHECK(hm_pool_erase(&pool, handles[value + 1]));
        }
        if (value % 10 == 0)
            add(&pool, -1);
    }
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_pool_contains(&pool, handles[i]) == !gone[i]);
    finish(&pool);
}

/* questions */

POOL_TEST(handle_of_takes_any_pointer_into_a_live_item)
{
    enum { SIZE = 24, ITEMS = 1200 };
    static hm_handle handles[ITEMS];
    static unsigned char *places[ITEMS];
    test_memory memory;
    test_memory_init_with_holes(&memory, 65536);
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = SIZE,
                                                .block_size = 4096,
                                                .capacity = ITEMS,
                                                .memory = &memory.table});
    for (uint32_t i = 0; i < ITEMS; i++) {
        handles[i] = hm_pool_insert(&pool, NULL);
        places[i] = hm_pool_get(&pool, handles[i]);
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        if (i % 4 == 0 || (i > 100 && i < 900))
            CHECK(hm_pool_erase(&pool, handles[i]));
    for (int trims = 0; trims < 2; trims++) {
        for (uint32_t i = 0; i < ITEMS; i++)
            for (size_t k = 0; k < SIZE; k++) {
                hm_handle handle = hm_pool_handle_of(&pool, places[i] + k);
                bool lives = hm_pool_contains(&pool, handles[i]);
                CHECK(hm_handle_equal(handle, lives ? handles[i] : HM_NULL_HANDLE));
            }
        CHECK(hm_pool_trim(&pool) == HM_OK);
    }
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, NULL)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, &pool)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, (void *)UINTPTR_MAX)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, places[0] - 1)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, places[ITEMS - 1] + SIZE)));
    hm_pool other = make(storage, (hm_pool_desc){.item_size = SIZE});
    CHECK(hm_handle_is_null(hm_pool_handle_of(&other, places[1])));
    hm_handle there = hm_pool_insert(&other, NULL);
    CHECK(hm_handle_is_null(hm_pool_handle_of(&pool, hm_pool_get(&other, there))));
    finish(&other);
    finish(&pool);
    test_memory_check_released(&memory);
}

/* A block's bytes behind its last item belong to no item. */
POOL_TEST(handle_of_refuses_the_tail_of_a_block)
{
    hm_handle handles[600];
    hm_pool pool = make(storage, (hm_pool_desc){.item_size = 96, .capacity = 600});
    for (uint32_t i = 0; i < 600; i++)
        handles[i] = hm_pool_insert(&pool, NULL);
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t length;
        unsigned char *place = hm_pool_get(&pool, handles[i]);
        CHECK(hm_pool_next_run(&pool, i, &length) == i);
        hm_handle next = hm_pool_handle_of(&pool, place + 96);
        if (length > 1)
            CHECK(hm_handle_equal(next, handles[i + 1]));
        else if (i + 1 < 600 && hm_pool_get(&pool, handles[i + 1]) != place + 96)
            CHECK(!hm_handle_equal(next, handles[i + 1]));
    }
    finish(&pool);
}

static hm_handle with_free_bit(hm_handle handle)
{
    return hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
}

POOL_TEST(explain_asks_in_the_order_of_the_design)
{
    hm_pool pool = make(storage, (hm_pool_desc){.type_id = 3});
    hm_handle live = add(&pool, 1), erased = add(&pool, 2);
    CHECK(hm_pool_erase(&pool, erased));
    CHECK(hm_pool_explain(&pool, live) == HM_HANDLE_LIVE);
    CHECK(hm_pool_explain(&pool, erased) == HM_HANDLE_STALE);
    CHECK(hm_pool_explain(&pool, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_pool_explain(&pool, with_free_bit(HM_NULL_HANDLE)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_explain(&pool, with_free_bit(live)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_explain(&pool, with_free_bit(erased)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_get(&pool, with_free_bit(live)) == NULL);
    CHECK(hm_pool_get(&pool, with_free_bit(erased)) == NULL);
    CHECK(!hm_pool_erase(&pool, with_free_bit(erased)) && hm_pool_count(&pool) == 1);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(0, 0, 3)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(0, 0, 4)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(0, 1, 4)) == HM_HANDLE_FOREIGN);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(77, 1, 4)) == HM_HANDLE_FOREIGN);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(2, 1, 3)) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(UINT32_MAX, 1, 3)) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(0, 2, 3)) == HM_HANDLE_FORGED);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(1, 2, 3)) == HM_HANDLE_FORGED);
    hm_handle again = add(&pool, 3);
    CHECK(hm_handle_equal(again, hm_handle_pack(1, 2, 3)));
    CHECK(hm_pool_explain(&pool, again) == HM_HANDLE_LIVE);
    CHECK(hm_pool_explain(&pool, erased) == HM_HANDLE_STALE);
    finish(&pool);
}

POOL_TEST(a_spent_slot_is_retired_and_its_place_abandoned)
{
    hm_pool pool = make(storage, (hm_pool_desc){.capacity = 1, .max_slots = 2});
    hm_handle handle = HM_NULL_HANDLE;
    for (uint32_t life = 0; life < 2 * HM_HANDLE_MAX_GENERATION; life++) {
        hm_pool_stats stats = hm_pool_get_stats(&pool);
        CHECK(stats.count == 0 && stats.slots == stats.free_slots + stats.retired_slots);
        CHECK(stats.retired_slots == life / HM_HANDLE_MAX_GENERATION);
        handle = add(&pool, 1);
        CHECK(hm_handle_index(handle) == life / HM_HANDLE_MAX_GENERATION);
        CHECK(hm_handle_generation(handle) == life % HM_HANDLE_MAX_GENERATION + 1);
        if (life % 2 == 0)
            CHECK(hm_pool_erase(&pool, handle));
        else
            hm_pool_clear(&pool);
        CHECK(!hm_pool_contains(&pool, handle));
    }
    CHECK(hm_pool_reserve(&pool, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(hm_pool_get_stats(&pool).retired_slots == 2);
    CHECK(hm_pool_explain(&pool, hm_handle_pack(0, 1, 0)) == HM_HANDLE_RETIRED);
    CHECK(hm_pool_explain(&pool, handle) == HM_HANDLE_RETIRED && !hm_pool_erase(&pool, handle));
    CHECK(hm_pool_trim(&pool) == HM_OK);
    CHECK(hm_pool_explain(&pool, handle) == HM_HANDLE_RETIRED);
    finish(&pool);
}

POOL_TEST(its_own_items_can_be_inserted)
{
    hm_pool pool = make(storage, (hm_pool_desc){0});
    hm_handle handles[MANY];
    int number = 7;
    hm_handle first = hm_pool_insert(&pool, &number);
    for (int i = 0; i < MANY; i++) {
        handles[i] = hm_pool_insert(&pool, hm_pool_get(&pool, first));
        CHECK(value_of(&pool, handles[i]) == 7);
        CHECK(i % 2 == 0 || hm_pool_erase(&pool, handles[i]));
    }
    CHECK(hm_pool_insert_n(&pool, hm_pool_get(&pool, first), 1, handles) == HM_OK);
    CHECK(value_of(&pool, handles[0]) == 7);
    finish(&pool);
}

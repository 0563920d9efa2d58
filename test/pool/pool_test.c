/* SPDX-License-Identifier: MIT */
/* What a pool promises beside what its model compares and what all containers share: defaults,
 * holes among many slots, iteration, and addresses. */
#include "support/memory.h"
#include "support/pool.h"

POOL_TEST(a_zero_field_means_the_default)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 24, .storage = storage};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    uint32_t times = storage == HM_STORAGE_VIRTUAL ? 4 : 16; /* as many slots as capacity */
    bool is_limited = storage == HM_STORAGE_FIXED_BLOCKS;
    if (sizeof(void *) >= 8) {
        CHECK(hm_pool_capacity(&pool) == (is_limited ? 1048576 : UINT32_MAX - 1));
        CHECK(hm_pool_get_stats(&pool).max_slots == (is_limited ? 16 << 20 : UINT32_MAX));
    }
    CHECK(hm_pool_get_stats(&pool).committed_size <= (is_limited ? 0 : test_page_size(4096)));
    CHECK(hm_handle_type_id(hm_pool_insert(&pool, NULL)) == 0);
    finish(&pool);
    desc.capacity = 100;
    for (int is_heap = 0; is_heap < 2; is_heap++) {
        bool is_scarce = is_heap || sizeof(void *) < 8;
        uint32_t in_range = is_scarce ? 200 : 1 << 16;
        desc.memory = is_heap ? hm_memory_heap() : NULL;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_get_stats(&pool).max_slots == (times == 4 ? in_range : 1 << 20));
        finish(&pool);
    }
    desc = (hm_pool_desc){.item_size = 1, .capacity = 10000000, .storage = storage};
    if (sizeof(void *) >= 8) {
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_get_stats(&pool).max_slots == times * 10000000);
        finish(&pool);
    }
}

/* insert and erase */

/* Of more holes than can be recent, those that were made before they were too many are filled
 * first, the last one of them before the others, even if places before them are free, and if an
 * erase in between leaves no hole. Then the lowest ones are filled. */
POOL_TEST(of_many_holes_the_recent_are_filled_exactly_and_then_the_lowest)
{
    enum { HOLES = HM_POOL_RECENT + 50, ITEMS = 4 * HM_POOL_RECENT, SPENT = ITEMS - 1 };
    hm_handle handles[ITEMS];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, ITEMS);
    pool.entries[SPENT] |= HM_HANDLE_MAX_GENERATION;
    for (uint32_t i = 0; i < HOLES; i++)
        CHECK(hm_pool_erase(&pool, handles[7 * i % HOLES]));
    CHECK(hm_pool_erase_at(&pool, SPENT));
    for (uint32_t i = HM_POOL_RECENT; i-- > 0;)
        CHECK(hm_handle_index(add(&pool, 0)) == 7 * i % HOLES);
    for (uint32_t slot = 0; slot < HOLES; slot++)
        if (!hm_pool_contains(&pool, hm_pool_handle_at(&pool, slot)))
            CHECK(hm_handle_index(add(&pool, 0)) == slot);
    CHECK(hm_handle_index(add(&pool, 0)) == ITEMS);
    finish(&pool);
}

POOL_TEST(slots_that_a_clear_retires_leave_no_hole)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    fill(&pool, handles, MANY);
    for (uint32_t slot = 0; slot < HM_POOL_WORD; slot++)
        pool.entries[slot] |= HM_HANDLE_MAX_GENERATION;
    hm_pool_clear(&pool);
    CHECK(hm_pool_get_stats(&pool).retired_slots == HM_POOL_WORD);
    CHECK(hm_pool_validate(&pool) == HM_OK && hm_handle_index(add(&pool, 0)) == HM_POOL_WORD);
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
            handle = hm_pool_handle_of(&pool, hm_pool_item_at(&pool, slot));
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

/* Columns move at each doubling, and items never. What is refused on the way changes nothing. */
POOL_TEST(without_a_capacity_a_pool_grows_and_its_items_stay)
{
    enum { ITEMS = 40000 };
    static int *places[ITEMS];
    if (storage != HM_STORAGE_FIXED_BLOCKS) {
        hm_pool pool;
        test_memory memory;
        uint32_t refused = 0;
        test_memory_init(&memory, test_page_size(4096));
        hm_pool_desc desc = {.item_size = sizeof(int), .storage = storage, .memory = &memory.table};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        for (int i = 0; i < ITEMS; i++) {
            test_memory_fail(&memory, 1, true);
            hm_handle handle = hm_pool_insert(&pool, &i);
            if (hm_handle_is_null(handle)) {
                CHECK(hm_pool_validate(&pool) == HM_OK && hm_pool_count(&pool) == (uint32_t)i);
                test_memory_fail(&memory, 2 + refused++ % 2, true);
                handle = hm_pool_insert(&pool, &i);
            }
            test_memory_fail(&memory, 0, false);
            if (hm_handle_is_null(handle))
                handle = hm_pool_insert(&pool, &i);
            CHECK(hm_handle_index(handle) == (uint32_t)i);
            places[i] = hm_pool_get(&pool, handle);
            if (i % 3 == 2) /* a hole each */
                CHECK(hm_pool_erase(&pool, handle) && hm_pool_insert(&pool, &i).bits != 0);
        }
        CHECK(refused > 7);
        for (int i = 0; i < ITEMS; i++)
            CHECK(*places[i] == i && hm_pool_item_at(&pool, (uint32_t)i) == places[i]);
        for (uint32_t i = 0; i < ITEMS; i += 64) /* more than are recent */
            CHECK(hm_pool_erase_at(&pool, i));
        CHECK(hm_pool_reserve(&pool, 2 * ITEMS) == HM_OK && hm_pool_validate(&pool) == HM_OK);
        size_t committed = memory.committed_size;
        hm_pool_clear(&pool);
        CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
        CHECK(memory.committed_size < committed);
        CHECK(hm_handle_index(hm_pool_insert(&pool, NULL)) == 0);
        finish(&pool);
        test_memory_check_released(&memory);
    }
}

/* iteration */

/* Checks that the runs are exactly the live items, each as long as possible. */
static void check_runs(const hm_pool *pool, uint32_t item_size)
{
    uint32_t seen = 0, length = 7, end = 0;
    const unsigned char *behind = NULL;
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length)) {
        const unsigned char *items = hm_pool_item_at(pool, i);
        CHECK(length != 0 && i >= end && items != NULL);
        CHECK(i > end || behind != items); /* else the last run was too short */
        for (uint32_t k = end; k < i; k++)
            CHECK(hm_pool_item_at(pool, k) == NULL && hm_pool_next_run(pool, k, NULL) == i);
        for (uint32_t k = 0; k < length; k++) {
            CHECK(hm_pool_item_at(pool, i + k) == items + (size_t)k * item_size);
            CHECK(hm_pool_live_at(pool, i + k) == hm_pool_item_at(pool, i + k));
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
            bool lives = hm_pool_item_at(pool, 64 * word + k) != NULL;
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

/* The first slot of each word, since a walk skips words that look empty together. */
POOL_TEST(an_item_that_is_alone_in_many_words_is_found)
{
    enum { SLOTS = 6 * 64 };
    for (uint32_t alone = 0; alone < SLOTS; alone += 64) {
        hm_pool pool = make(storage, (hm_pool_desc){0});
        hm_handle handles[SLOTS];
        fill(&pool, handles, SLOTS);
        for (uint32_t i = 0; i < SLOTS; i++)
            CHECK(i == alone || hm_pool_erase(&pool, handles[i]));
        check_words(&pool);
        finish(&pool);
    }
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
    check_first_run(HM_STORAGE_GROWING_BLOCKS, 1024 / sizeof(int));
}

POOL_TEST(what_no_reserve_covers_is_not_upcoming)
{
    hm_pool pool = make(storage, (hm_pool_desc){.capacity = MANY});
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, 0)));
    CHECK(hm_pool_reserve(&pool, 1) == HM_OK);
    hm_handle promised = hm_pool_upcoming(&pool, 0);
    CHECK(hm_handle_equal(hm_pool_insert(&pool, NULL), promised));
    CHECK(hm_handle_is_null(hm_pool_upcoming(&pool, MANY - 1)));
    finish(&pool);
}

/* Erases each third item that it visits, and leaves the loop at one. */
POOL_TEST(a_loop_in_one_line_visits_the_live_items_until_it_is_left)
{
    hm_handle handles[MANY];
    hm_pool pool = make(storage, (hm_pool_desc){0});
    uint32_t next = 0;
    fill(&pool, handles, MANY);
    HM_POOL_EACH(int, item, i, &pool) {
        CHECK(i == next++ && item == hm_pool_item_at(&pool, i));
        if (*item % 3 != 0)
            continue;
        CHECK(hm_pool_erase_at(&pool, i));
    }
    CHECK(next == MANY);
    for (int end = 0; end < MANY; end++) {
        int last = 0;
        HM_POOL_EACH(int, item, i, &pool) {
            CHECK(*item > last && *item % 3 != 0);
            last = *item;
            if (last >= end)
                break;
        }
        CHECK(last == end + (end % 3 == 0)); /* the lowest that is left */
    }
    finish(&pool);
    HM_POOL_EACH(int, item, i, &pool)
        CHECK(item == NULL); /* No item is visited. */
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
        hm_handle handle = hm_pool_handle_of(&pool, hm_pool_item_at(&pool, i));
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

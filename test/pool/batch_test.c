/* SPDX-License-Identifier: MIT */
/* Batches of handles: get_n, contains_n and erase_n do what the single calls would, in pools that
 * fit the caches and in pools that do not. */
#include "support/test.h"

#include <handle_map/pool.h>

#include <stdlib.h>
#include <string.h>

enum {
    STORAGES = 3,
    MANY = 70000,     /* beyond the limit for cached pools when items are touched */
    CROWD = 4 * MANY, /* and when only their entries are */
};

static hm_pool make_pool_of(hm_storage storage, uint32_t n)
{
    hm_pool pool;
    const hm_pool_desc desc = {
        .item_size = sizeof(uint32_t), .capacity = n, .type_id = 5, .storage = storage};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (uint32_t i = 0; i < n; i++)
        CHECK(hm_handle_index(hm_pool_insert(&pool, &i)) == i);
    return pool;
}

static hm_pool make_pool(hm_storage storage)
{
    return make_pool_of(storage, MANY);
}

/* Returns a handle that was issued, which may be stale by now, or null, forged, or noise. */
static hm_handle some_handle(const hm_handle *issued, uint64_t *random)
{
    hm_handle handle = issued[test_random_below(random, MANY)];
    switch (test_random_below(random, 12)) {
    case 0:
        return HM_NULL_HANDLE;
    case 1:
        return hm_handle_from_bits(handle.bits ^ UINT64_C(1) << test_random_below(random, 64));
    case 2:
        return hm_handle_from_bits(test_random(random));
    case 3: /* as the entry has it once the item is erased */
        return hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
    default:
        return handle;
    }
}

static void check_equal(const hm_pool *a, const hm_pool *b)
{
    CHECK(hm_pool_count(a) == hm_pool_count(b));
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t *item = hm_pool_item_at(a, i), *other = hm_pool_item_at(b, i);
        CHECK((item == NULL) == (other == NULL));
        CHECK(item == NULL || (*item == i && *other == i));
    }
    CHECK(hm_pool_validate(b) == HM_OK);
}

/* Fills both pools again: the same holes in the same order. */
static void refill(hm_pool *a, hm_pool *b, hm_handle *issued)
{
    while (hm_pool_count(a) < MANY) {
        void *item, *other;
        hm_handle handle = hm_pool_emplace(a, &item);
        CHECK(hm_handle_equal(handle, hm_pool_emplace(b, &other)));
        *(uint32_t *)item = *(uint32_t *)other = hm_handle_index(handle);
        issued[hm_handle_index(handle)] = handle;
    }
}

/* Erases in growing batches until few items are left, and fills again, for some rounds. */
static void check_erase_n(hm_storage storage, uint64_t random)
{
    hm_pool one_by_one = make_pool(storage), batched = make_pool(storage);
    hm_handle *issued = malloc(MANY * sizeof *issued);
    CHECK(issued != NULL);
    for (uint32_t i = 0; i < MANY; i++)
        issued[i] = hm_handle_pack(i, 1, 5);
    const int rounds = test_scale() < 50 ? 3 : 1;
    for (int round = 0; round < rounds; round++) {
        for (uint32_t size = 0; size <= 4 * MANY; size = size * 2 + 1) {
            hm_handle *handles = malloc((size + 1) * sizeof *handles);
            CHECK(handles != NULL);
            handles++; /* so that a sanitizer sees a read behind the last one */
            uint32_t expected = 0;
            for (uint32_t i = 0; i < size; i++) {
                handles[i] = some_handle(issued, &random);
                bool live = hm_pool_get(&one_by_one, handles[i]) != NULL;
                CHECK(hm_pool_contains(&one_by_one, handles[i]) == live);
                expected += hm_pool_erase(&one_by_one, handles[i]);
            }
            CHECK(hm_pool_erase_n(&batched, handles, size) == expected);
            CHECK(hm_pool_erase_n(&batched, handles, size) == 0);
            CHECK(hm_pool_erase_n(&batched, NULL, 0) == 0);
            check_equal(&one_by_one, &batched);
            free(handles - 1);
        }
        CHECK(hm_pool_count(&batched) < MANY / 4);
        refill(&one_by_one, &batched, issued);
    }
    free(issued);
    hm_pool_fini(&one_by_one);
    hm_pool_fini(&batched);
}

/* Entries of 1.2 MB do not fit a cache, so that another loop erases. */
TEST(pool_batch, erase_n_of_a_pool_with_many_slots_erases_the_same)
{
    enum { COUNT = 300000, ERASED = 1000 };
    hm_pool pool;
    hm_handle *handles = malloc(COUNT * sizeof *handles);
    CHECK(handles != NULL);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .capacity = COUNT}) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, COUNT, handles) == HM_OK);
    CHECK(hm_pool_erase_n(&pool, handles, ERASED) == ERASED);
    CHECK(hm_pool_erase_n(&pool, handles, 2 * ERASED) == ERASED);
    CHECK(hm_pool_count(&pool) == COUNT - 2 * ERASED && hm_pool_validate(&pool) == HM_OK);
    hm_pool_fini(&pool);
    free(handles);
}

TEST(pool_batch, erase_n_leaves_what_single_erases_leave)
{
    uint64_t seed = test_seed("pool_batch");
    for (int storage = 0; storage < STORAGES; storage++)
        check_erase_n((hm_storage)storage, seed);
}

/* Queries handles of all kinds, in arrays whose ends are those of allocations, for sanitizers. */
static void check_questions(const hm_pool *pool, const hm_handle *issued, uint32_t n,
                            uint64_t *random)
{
    hm_handle *handles = malloc((n + 1) * sizeof *handles);
    void **items = malloc((n + 1) * sizeof *items);
    bool *is_live = malloc((n + 1) * sizeof *is_live);
    CHECK(handles != NULL && items != NULL && is_live != NULL);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < n; i++) {
        handles[i + 1] = some_handle(issued, random);
        expected += hm_pool_contains(pool, handles[i + 1]);
        items[i + 1] = handles;
        is_live[i + 1] = !hm_pool_contains(pool, handles[i + 1]);
    }
    CHECK(hm_pool_get_n(pool, handles + 1, n, items + 1) == expected);
    CHECK(hm_pool_contains_n(pool, handles + 1, n, is_live + 1) == expected);
    for (uint32_t i = 1; i <= n; i++) {
        CHECK(items[i] == hm_pool_get(pool, handles[i]));
        CHECK(is_live[i] == hm_pool_contains(pool, handles[i]));
    }
    free(handles);
    free(items);
    free(is_live);
}

TEST(pool_batch, get_n_and_contains_n_say_what_single_questions_say)
{
    uint64_t random = test_seed("pool questions");
    hm_handle *issued = malloc(MANY * sizeof *issued);
    CHECK(issued != NULL);
    for (uint32_t i = 0; i < MANY; i++)
        issued[i] = hm_handle_pack(i, 1, 5);
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool = make_pool((hm_storage)storage);
        for (uint32_t size = 0; size < 2 * MANY; size = size * 2 + 1) {
            check_questions(&pool, issued, size, &random);
            for (uint32_t i = 0; i < MANY / 20; i++)
                hm_pool_erase(&pool, issued[test_random_below(&random, MANY)]);
        }
        hm_pool_clear(&pool);
        check_questions(&pool, issued, 1000, &random);
        hm_pool_fini(&pool);
        pool = make_pool_of((hm_storage)storage, CROWD);
        check_questions(&pool, issued, 1000, &random);
        hm_pool_fini(&pool);
        hm_pool empty = {0};
        CHECK(hm_pool_get_n(&empty, NULL, 0, NULL) == 0);
        CHECK(hm_pool_contains_n(&empty, NULL, 0, NULL) == 0);
        check_questions(&empty, issued, 100, &random);
        pool = make_pool_of((hm_storage)storage, 0);
        check_questions(&pool, issued, 100, &random);
        hm_pool_fini(&pool);
    }
    free(issued);
}

/* All alive, none, and alternately, which are answered by other loops; few and many. */
TEST(pool_batch, answers_do_not_depend_on_what_others_in_the_batch_are)
{
    enum { SIZE = 4096, COUNT = 2200 /* 9 MB */, ERASED = 300 };
    hm_handle handles[COUNT];
    void *items[COUNT];
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        const hm_pool_desc desc = {
            .item_size = SIZE, .capacity = COUNT, .storage = (hm_storage)storage};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_insert_n(&pool, NULL, COUNT, handles) == HM_OK);
        CHECK(hm_pool_get_n(&pool, handles, COUNT, items) == COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            CHECK(items[i] == hm_pool_get(&pool, handles[i]));
        CHECK(hm_pool_erase_n(&pool, handles, ERASED) == ERASED);
        CHECK(hm_pool_get_n(&pool, handles, ERASED, items) == 0);
        CHECK(hm_pool_erase_n(&pool, handles, ERASED) == 0);
        for (uint32_t i = ERASED; i < COUNT; i += 2)
            CHECK(hm_pool_erase(&pool, handles[i]));
        CHECK(hm_pool_get_n(&pool, handles, COUNT, items) == (COUNT - ERASED) / 2);
        for (uint32_t i = 0; i < COUNT; i++)
            CHECK(items[i] == hm_pool_get(&pool, handles[i]));
        CHECK(hm_pool_erase_n(&pool, handles, COUNT) == (COUNT - ERASED) / 2);
        CHECK(hm_pool_count(&pool) == 0 && hm_pool_validate(&pool) == HM_OK);
        hm_pool_fini(&pool);
    }
}

TEST(pool_batch, insert_n_fills_what_single_inserts_fill)
{
    uint64_t random = test_seed("pool insert_n");
    hm_handle *issued = malloc(MANY * sizeof *issued), *again = malloc(MANY * sizeof *again);
    uint32_t *values = malloc(MANY * sizeof *values);
    CHECK(issued != NULL && again != NULL && values != NULL);
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool one_by_one = make_pool((hm_storage)storage),
                batched = make_pool((hm_storage)storage);
        for (uint32_t i = 0; i < MANY / 2; i++) {
            hm_handle doomed = hm_handle_pack(test_random_below(&random, MANY), 1, 5);
            CHECK(hm_pool_erase(&one_by_one, doomed) == hm_pool_erase(&batched, doomed));
        }
        uint32_t n = MANY - hm_pool_count(&batched);
        for (uint32_t i = 0; i < n; i++) {
            values[i] = i;
            issued[i] = hm_pool_insert(&one_by_one, &i);
        }
        CHECK(hm_pool_insert_n(&batched, values, n, again) == HM_OK);
        CHECK(memcmp(issued, again, n * sizeof *issued) == 0);
        for (uint32_t i = 0; i < n; i++)
            CHECK(*(uint32_t *)hm_pool_get(&batched, again[i]) == i);
        again[0] = HM_NULL_HANDLE;
        CHECK(hm_pool_insert_n(&batched, values, 1, again) == HM_ERROR_FULL);
        CHECK(hm_handle_is_null(again[0]) && hm_pool_count(&batched) == MANY);
        CHECK(hm_pool_insert_n(&batched, NULL, 0, NULL) == HM_OK);
        CHECK(hm_pool_validate(&batched) == HM_OK);
        hm_pool_fini(&one_by_one);
        hm_pool_fini(&batched);
    }
    free(issued);
    free(again);
    free(values);
}

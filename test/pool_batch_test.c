/* SPDX-License-Identifier: MIT */
/* Batches of handles: erase_n leaves in a pool what single erases would leave. */
#include "support/test.h"

#include <handle_map/pool.h>

#include <stdlib.h>

enum { STORAGES = 3, MANY = 70000 }; /* more than what counts as cached */

static hm_pool make_pool(hm_storage storage)
{
    hm_pool pool;
    const hm_pool_desc desc = {
        .item_size = sizeof(uint32_t), .capacity = MANY, .type_id = 5, .storage = storage};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_handle_index(hm_pool_insert(&pool, &i)) == i);
    return pool;
}

/* One that was issued, which may be dead by now, or null, forged, or noise. */
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
    case 3: /* as the entry says it once the item is dead */
        return hm_handle_from_bits(handle.bits | HM_HANDLE_FREE_BIT);
    default:
        return handle;
    }
}

static void check_equal(const hm_pool *a, const hm_pool *b)
{
    CHECK(hm_pool_count(a) == hm_pool_count(b));
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t *item = hm_pool_item(a, i), *other = hm_pool_item(b, i);
        CHECK((item == NULL) == (other == NULL));
        CHECK(item == NULL || (*item == i && *other == i));
    }
    CHECK(hm_pool_validate(b) == HM_OK);
}

/* Fills both again: the same holes in the same order. */
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

/* Erases in growing batches, so that few are left, and fills again, for some rounds. */
static void check_erase_n(hm_storage storage, uint64_t random)
{
    hm_pool one_by_one = make_pool(storage), batched = make_pool(storage);
    hm_handle *issued = malloc(MANY * sizeof *issued);
    CHECK(issued != NULL);
    for (uint32_t i = 0; i < MANY; i++)
        issued[i] = hm_handle_pack(i, 1, 5);
    for (int round = 0; round < 3; round++) {
        for (uint32_t size = 0; size <= 4 * MANY; size = size * 2 + 1) {
            hm_handle *handles = malloc((size + 1) * sizeof *handles);
            CHECK(handles != NULL);
            handles++; /* so that a sanitizer sees who looks behind the last one */
            uint32_t expected = 0;
            for (uint32_t i = 0; i < size; i++) {
                handles[i] = some_handle(issued, &random);
                bool live = hm_pool_get(&one_by_one, handles[i]) != NULL;
                CHECK(hm_pool_contains(&one_by_one, handles[i]) == live);
                expected += hm_pool_erase(&one_by_one, handles[i]);
            }
            CHECK(hm_pool_erase_n(&batched, handles, size) == expected);
            CHECK(hm_pool_erase_n(&batched, handles, size) == 0);
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

TEST(pool_batch, erase_n_leaves_what_single_erases_leave)
{
    uint64_t seed = test_seed("pool_batch");
    for (int storage = 0; storage < STORAGES; storage++)
        check_erase_n((hm_storage)storage, seed);
}

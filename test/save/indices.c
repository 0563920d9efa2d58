/* SPDX-License-Identifier: MIT */
/* The row of the index. */
#include "saves.h"

enum { TYPE_OF_OWNERS = 81, BURST = 300, SLOTS = 3000 };

static const struct {
    uint32_t capacity, max_slots, key_limit;
} shapes[] = {{0, 0, 0}, {0, 900, 50}, {600, 100000, 0}, {40, 40, 7}, {700, 2000, 3000}, {0, 0, 1}};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    hm_index_desc desc = {.capacity = shapes[shape].capacity,
                          .max_slots = shapes[shape].max_slots,
                          .key_limit = shapes[shape].key_limit,
                          .type_id = TYPE_OF_OWNERS,
                          .seed = 5,
                          .memory = memory,
                          .name = "things"};
    CHECK(hm_index_init(&made->index, &desc) == HM_OK);
}

/* Sets the key of an owner. Few keys have most of the members. */
static hm_status set(hm_index *index, uint64_t *random)
{
    uint32_t most = index->owners.max_slots < SLOTS ? index->owners.max_slots : SLOTS;
    uint32_t slot = test_random_below(random, most), generation = 1 + test_random_below(random, 3);
    uint64_t key = test_random_below(random, 1 + test_random_below(random, 400));
    if (index->key_limit != 0)
        key %= index->key_limit;
    else if (test_random_below(random, 3) == 0)
        key *= UINT64_C(0x9E3779B97F4A7C15);
    return hm_index_set(index, hm_handle_pack(slot, generation, TYPE_OF_OWNERS), key);
}

static void run(saved *made, uint64_t *random)
{
    hm_index *index = &made->index;
    uint32_t count = hm_index_count(index), choice = test_random_below(random, 1000);
    uint64_t key = 0;
    if (choice < 3)
        hm_index_clear(index);
    else if (choice < 10)
        CHECK(hm_index_trim(index) == HM_OK);
    else if (choice < 20 && count > 0 &&
             hm_index_key_of(
                 index, hm_secondary_owner_at(&index->owners, test_random_below(random, count)),
                 &key))
        CHECK(hm_index_remove_key(index, key) > 0);
    else if (choice < 400 && count > 0)
        CHECK(hm_index_remove(
            index, hm_secondary_owner_at(&index->owners, test_random_below(random, count))));
    else if (choice < 440)
        for (uint32_t n = test_random_below(random, BURST); n > 0; n--)
            (void)set(index, random);
    else
        (void)set(index, random);
}

/* The order of the keys is that of before only until the first change; the file that is saved again
 * shows it. */
static void compare(const saved *a, const saved *b)
{
    const hm_index *index = &a->index, *other = &b->index;
    hm_index_view view = {0};
    CHECK(hm_index_count(index) == hm_index_count(other));
    CHECK(hm_index_key_count(index) == hm_index_key_count(other));
    while (hm_index_next(index, &view)) {
        uint32_t count;
        const hm_handle *same = hm_index_members(other, view.key, &count);
        CHECK(count == view.count);
        CHECK(memcmp(view.members, same, sizeof *same * count) == 0);
    }
    for (uint32_t slot = 0; slot < SLOTS + 100; slot++)
        for (uint32_t generation = 1; generation < 5; generation++) {
            hm_handle owner = hm_handle_pack(slot, generation, TYPE_OF_OWNERS);
            uint64_t key = 0, same_key = 0;
            CHECK(hm_index_explain(index, owner) == hm_index_explain(other, owner));
            CHECK(hm_index_key_of(index, owner, &key) == hm_index_key_of(other, owner, &same_key));
            CHECK(key == same_key);
        }
}

static bool go_on(saved *a, saved *b, uint64_t *random)
{
    uint64_t state = *random;
    hm_status status = set(&a->index, random);
    CHECK(set(&b->index, &state) == status && state == *random);
    return status == HM_OK;
}

SAVED_KIND(index)

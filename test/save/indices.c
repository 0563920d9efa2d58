/* SPDX-License-Identifier: MIT */
/* The row of the index. */
#include "saves.h"

enum { TYPE_OF_OWNERS = 81, BURST = 300, SLOTS = 3000 };

static const hm_index_desc shapes[] = {
    {.seed = 5},
    {.seed = 5, .max_slots = 900, .key_limit = 50},
    {.seed = 5, .capacity = 600, .max_slots = 100000},
    {.seed = 5, .capacity = 40, .max_slots = 40, .key_limit = 7},
    {.seed = 5, .capacity = 700, .max_slots = 2000, .key_limit = 3000},
    {.seed = 5, .key_limit = 1},
};

/* Sets the key of an owner. Few keys have most of the members. */
static saved_answer add(saved *made, uint64_t *random)
{
    hm_index *index = &made->index;
    uint32_t most = index->owners.max_slots < SLOTS ? index->owners.max_slots : SLOTS;
    uint32_t slot = test_random_below(random, most), generation = 1 + test_random_below(random, 3);
    uint64_t key = test_random_below(random, 1 + test_random_below(random, 400));
    if (index->key_limit != 0)
        key %= index->key_limit;
    else if (test_random_below(random, 3) == 0)
        key *= UINT64_C(0x9E3779B97F4A7C15);
    hm_handle owner = hm_handle_pack(slot, generation, TYPE_OF_OWNERS);
    return (saved_answer){hm_index_set(index, owner, key), HM_NULL_HANDLE};
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_index *index = &made->index;
    uint32_t count = hm_index_count(index);
    uint64_t key = 0;
    if (choice < 20 && count > 0 &&
        hm_index_key_of(
            index, hm_secondary_owner_at(&index->owners, test_random_below(random, count)), &key))
        CHECK(hm_index_remove_key(index, key) > 0);
    else if (choice < 400 && count > 0)
        CHECK(hm_index_remove(
            index, hm_secondary_owner_at(&index->owners, test_random_below(random, count))));
    else
        return choice < 440 ? test_random_below(random, BURST) : 1;
    return 0;
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

SAVED_DESC(index, TYPE_OF_OWNERS)
SAVED_KIND(index)

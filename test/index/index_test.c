/* SPDX-License-Identifier: MIT */
/* What an index promises beside what its model compares: the order of members, what batches need,
 * memory, and how keys are found. */
#include "support/index.h"

#include "support/memory.h"

#include <string.h>

/* Each test that does not concern the keys runs with both kinds. */
static const uint32_t limits[] = {0, 100};

#define FOR_BOTH(limit)                                                                            \
    for (uint32_t kind = 0, limit = limits[0]; kind < 2; limit = limits[++kind & 1])

/* The owners of so many slots have key 1. */
static hm_index make_of_one_key(uint32_t limit, uint32_t count)
{
    hm_index index = make((hm_index_desc){.key_limit = limit});
    for (uint32_t slot = 0; slot < count; slot++)
        set(&index, owner(slot), 1);
    return index;
}

/* set */

TEST(index, members_of_a_key_are_in_the_order_of_the_sets)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        for (uint32_t slot = 0; slot < 6; slot++)
            set(&index, owner(slot), 10 + slot % 2);
        CHECK(has_members(&index, 10, (const uint32_t[]){0, 2, 4}, 3));
        CHECK(has_members(&index, 11, (const uint32_t[]){1, 3, 5}, 3));
        CHECK(count_of(&index, 12) == 0 && count_of(&index, UINT64_MAX) == 0);
        CHECK(hm_index_count(&index) == 6 && hm_index_key_count(&index) == 2);
        CHECK(hm_index_members(&index, 10, NULL) != NULL);
        finish(&index);
    }
}

TEST(index, an_owner_that_is_set_again_leaves_its_former_key)
{
    FOR_BOTH(limit)
    {
        hm_index index = make_of_one_key(limit, 4);
        set(&index, owner(1), 2);
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3, 2}, 3));
        set(&index, owner(2), 2); /* the last member of its key */
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3}, 2));
        CHECK(has_members(&index, 2, (const uint32_t[]){1, 2}, 2));
        set(&index, owner(3), 2); /* which was moved when owner 1 left */
        CHECK(has_members(&index, 1, (const uint32_t[]){0}, 1));
        set(&index, owner(0), 3);
        CHECK(count_of(&index, 1) == 0 && hm_index_key_count(&index) == 2);
        set(&index, owner(0), 3);
        CHECK(has_members(&index, 3, (const uint32_t[]){0}, 1) && hm_index_count(&index) == 4);
        finish(&index);
    }
}

/* remove */

TEST(index, the_last_member_fills_the_place_of_a_removed_one)
{
    FOR_BOTH(limit)
    {
        hm_index index = make_of_one_key(limit, 5);
        CHECK(hm_index_remove(&index, owner(1)) && !hm_index_remove(&index, owner(1)));
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 4, 2, 3}, 4));
        CHECK(hm_index_remove(&index, owner(4)) && hm_index_remove(&index, owner(2)));
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3}, 2));
        CHECK(hm_index_remove(&index, owner(0)) && hm_index_remove(&index, owner(3)));
        CHECK(count_of(&index, 1) == 0 && hm_index_count(&index) == 0);
        CHECK(hm_index_key_count(&index) == 0);
        finish(&index);
    }
}

/* many owners in one call */

/* The only member of a key leaves while others are coming. */
TEST(index, owners_exchange_their_keys)
{
    hm_index index = make((hm_index_desc){0});
    const hm_handle owners[] = {owner(0), owner(1), owner(2)};
    set(&index, owner(0), 10);
    set(&index, owner(1), 11);
    set(&index, owner(2), 12);
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){11, 12, 10}, 3) == HM_OK);
    CHECK(has_members(&index, 10, (const uint32_t[]){2}, 1));
    CHECK(has_members(&index, 11, (const uint32_t[]){0}, 1));
    CHECK(has_members(&index, 12, (const uint32_t[]){1}, 1));
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){11, 11, 11}, 3) == HM_OK);
    CHECK(has_members(&index, 11, (const uint32_t[]){0, 1, 2}, 3));
    CHECK(hm_index_key_count(&index) == 1);
    finish(&index);
}

/* The claims of a batch need more keys than there may be at once. */
TEST(index, a_batch_that_needs_too_many_keys_at_once_is_refused)
{
    hm_index index = make((hm_index_desc){.capacity = 4});
    hm_handle owners[9];
    uint64_t keys[9];
    for (uint32_t i = 0; i < 9; i++) {
        owners[i] = owner(0);
        keys[i] = i;
    }
    CHECK(hm_index_set_n(&index, owners, keys, 9) == HM_ERROR_FULL);
    CHECK(hm_index_count(&index) == 0);
    check_valid(&index);
    CHECK(hm_index_set_n(&index, owners, keys, 8) == HM_OK && count_of(&index, 7) == 1);
    for (uint32_t i = 0; i < 9; i++)
        keys[i] = 20;
    CHECK(hm_index_set_n(&index, owners, keys, 9) == HM_OK);
    finish(&index);
}

TEST(index, a_batch_above_the_capacity_moves_no_members)
{
    hm_index index = make((hm_index_desc){.capacity = 3});
    const hm_handle owners[] = {owner(1), owner(3)};
    const uint64_t keys[] = {6, 6};
    for (uint32_t i = 0; i < 3; i++)
        set(&index, owner(i), 5);
    CHECK(hm_index_remove(&index, owner(2)));
    set(&index, owner(2), 7);
    const hm_handle *members = hm_index_members(&index, 7, NULL);
    CHECK(hm_index_set_n(&index, owners + 1, keys, 1) == HM_ERROR_FULL);
    CHECK(hm_index_members(&index, 7, NULL) == members);
    CHECK(hm_index_set_n(&index, owners, keys, 2) == HM_ERROR_FULL);
    CHECK(hm_index_members(&index, 7, NULL) == members);
    finish(&index);
}

/* questions */

TEST(index, without_a_capacity_it_may_have_few_slots)
{
    hm_index index;
    CHECK(hm_index_init(&index, &(hm_index_desc){.max_slots = 2}) == HM_OK);
    for (uint32_t i = 0; i < 3; i++)
        CHECK((hm_index_set(&index, hm_handle_pack(i, 1, 0), 5) == HM_OK) == (i < 2));
    finish(&index);
}

/* What outgrows its part of the range moves out of it; keys are found as before, and come in the
 * same order as with a capacity. */
TEST(index, without_a_capacity_it_moves_with_its_members_when_it_is_full)
{
    enum { MOST = 40000 };
    for (uint32_t way = 0; way < 4; way++) {
        test_memory memory;
        test_memory_init(&memory, way < 2 ? 65536 : hm_memory_os()->page_size);
        uint32_t most = MOST / (test_scale() < 50 ? test_scale() : 50);
        uint64_t key;
        hm_index index, bounded;
        hm_index_desc desc = {.key_limit = way % 2 * MOST, .memory = &memory.table};
        CHECK(hm_index_init(&index, &desc) == HM_OK && memory.calls == 2);
        desc = (hm_index_desc){.key_limit = desc.key_limit, .capacity = MOST, .max_slots = MOST};
        CHECK(hm_index_init(&bounded, &desc) == HM_OK);
        for (uint32_t i = 0; i < 2 * most; i++) {
            hm_handle owner = hm_handle_pack(i % most, 1, 0);
            key = i < most ? i / 3 : i % 7 * (most / 7);
            CHECK(hm_index_set(&index, owner, key) == HM_OK);
            CHECK(hm_index_set(&bounded, owner, key) == HM_OK);
        }
        hm_index_view at = {0}, other = {0};
        while (hm_index_next(&bounded, &other)) {
            CHECK(hm_index_next(&index, &at) && at.key == other.key && at.count == other.count);
            CHECK(memcmp(at.members, other.members, at.count * sizeof *at.members) == 0);
        }
        CHECK(!hm_index_next(&index, &at) && hm_index_validate(&index) == HM_OK);
        /* Each of four ranges has 16 pages, or at most twice what it needs. */
        CHECK(memory.reserved_size <= 220 * most + 4 * 16 * memory.table.page_size);
        hm_index_clear(&index);
        CHECK(hm_index_set(&index, hm_handle_pack(0, 1, 0), 5) == HM_OK);
        CHECK(hm_index_trim(&index) == HM_OK && memory.reserved_size <= 7 * 65536);
        CHECK(hm_index_key_of(&index, hm_handle_pack(0, 1, 0), &key) && key == 5);
        finish(&bounded);
        finish(&index);
        test_memory_check_released(&memory);
    }
}

TEST(index, describe_says_what_a_handle_is)
{
    char text[100];
    hm_index index = make((hm_index_desc){.name = "teams"});
    set(&index, owner_of(4, 2), 1);
    hm_index_describe(&index, owner_of(4, 2), text, sizeof text);
    CHECK(strcmp(text, "live: slot 4 of 'teams', generation 2") == 0);
    hm_index_describe(&index, owner_of(3, 1), text, sizeof text);
    CHECK(strcmp(text, "absent: slot 3 of 'teams' has no key") == 0);
    hm_index_describe(&index, owner_of(4, 3), text, sizeof text);
    CHECK(strcmp(text, "absent: slot 4 of 'teams' still has the key of generation 2, the handle "
                       "has 3") == 0);
    CHECK(hm_index_describe(&index, HM_NULL_HANDLE, NULL, 0) > 0);
    finish(&index);
}

/* capacity and memory */

TEST(index, reserve_makes_memory_ready)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.capacity = 500, .key_limit = limit});
        CHECK(hm_index_reserve(&index, 500) == HM_OK);
        check_valid(&index);
        size_t before = hm_index_get_stats(&index).committed_size;
        for (uint32_t slot = 0; slot < 500; slot++)
            set(&index, owner(slot), slot % 100);
        size_t blocks = index.members.unit_array.committed_size;
        size_t heads = limit != 0 ? index.head_array.committed_size : 0;
        CHECK(blocks > 0 && hm_index_get_stats(&index).committed_size <= before + blocks + heads);
        CHECK(hm_index_reserve(&index, 0) == HM_OK);
        finish(&index);
    }
}

TEST(index, trim_gives_back_what_keys_and_owners_leave)
{
    for (uint32_t limit = 0; limit <= 100000; limit += 100000) {
        hm_index index = make((hm_index_desc){.capacity = 100000, .key_limit = limit});
        for (uint32_t slot = 0; slot < 100000; slot++)
            CHECK(hm_index_set(&index, owner(slot), slot) == HM_OK);
        size_t before = hm_index_get_stats(&index).committed_size;
        for (uint32_t slot = 1000; slot < 100000; slot++)
            CHECK(hm_index_remove(&index, owner(slot)));
        CHECK(hm_index_defragment(&index, NULL).done);
        CHECK(hm_index_trim(&index) == HM_OK);
        CHECK(hm_index_get_stats(&index).committed_size < before / 10);
        check_valid(&index);
        for (uint32_t slot = 0; slot < 3000; slot++)
            set(&index, owner(slot), 99999 - slot);
        CHECK(hm_index_count(&index) == 3000 && count_of(&index, 500) == 0);
        hm_index_clear(&index);
        CHECK(hm_index_trim(&index) == HM_OK && hm_index_trim(&index) == HM_OK);
        set(&index, owner(7), 70000);
        finish(&index);
    }
}

TEST(index, trim_drops_the_buckets_behind_the_last_key)
{
    hm_index index = make((hm_index_desc){.capacity = 2, .key_limit = 2});
    set(&index, owner(0), 0);
    set(&index, owner(1), 1);
    CHECK(hm_index_remove(&index, owner(0)) && hm_index_trim(&index) == HM_OK);
    CHECK(index.bucket_count == 2); /* The last one has a key. */
    CHECK(hm_index_remove(&index, owner(1)) && hm_index_trim(&index) == HM_OK);
    CHECK(index.bucket_count == 0);
    set(&index, owner(0), 1);
    set(&index, owner(1), 0);
    finish(&index);
}

TEST(index, defragment_closes_the_gaps_between_the_arrays)
{
    hm_index index = make((hm_index_desc){0});
    for (uint32_t slot = 0; slot < 100; slot++)
        set(&index, owner(slot), slot % 10);
    for (uint32_t slot = 0; slot < 100; slot += 2)
        CHECK(hm_index_remove(&index, owner(slot)));
    hm_progress progress = hm_index_defragment(&index, BUDGET(1, 0));
    CHECK(!progress.done && progress.swaps == 1);
    CHECK(hm_index_defragment(&index, NULL).done);
    CHECK(hm_index_defragment(&index, NULL).swaps == 0);
    for (uint32_t slot = 0; slot < 100; slot++)
        CHECK(hm_index_contains(&index, owner(slot)) == (slot % 2 != 0));
    set(&index, owner(0), 3);
    finish(&index);
}

/* All owners but a few go from key to key; each leaves one member behind, in a block for all. */
TEST(index, gaps_that_use_up_the_range_are_closed)
{
    enum { OWNERS = 300 };
    for (uint32_t batch = 0; batch < 2; batch++) {
        hm_handle owners[OWNERS];
        uint64_t keys[OWNERS];
        hm_index index = make((hm_index_desc){.capacity = OWNERS, .memory = hm_memory_heap()});
        for (uint32_t key = 0; key < 40; key++) {
            for (uint32_t slot = key; slot < OWNERS; slot++) {
                owners[slot] = owner(slot);
                keys[slot] = key;
                if (batch == 0)
                    set(&index, owner(slot), key);
            }
            if (batch != 0)
                CHECK(hm_index_set_n(&index, owners + key, keys + key, OWNERS - key) == HM_OK);
            CHECK(count_of(&index, key) == OWNERS - key && hm_index_key_count(&index) == key + 1);
        }
        CHECK(strstr(hm_last_error(), "in a row are free") == NULL);
        finish(&index);
    }
}

/* keys */

/* Heads are committed up to the largest key, in whole pages. */
TEST(index, a_key_behind_the_committed_heads_has_no_members)
{
    enum { LIMIT = 100000 };
    hm_index index = make((hm_index_desc){.capacity = 10, .key_limit = LIMIT});
    set(&index, owner(0), 0);
    CHECK(index.head_array.limit < LIMIT);
    for (uint32_t key = 1; key < LIMIT; key++)
        CHECK(count_of(&index, key) == 0 && hm_index_remove_key(&index, key) == 0);
    CHECK(has_members(&index, 0, (const uint32_t[]){0}, 1));
    finish(&index);
}

TEST(index, any_64_bits_are_a_key)
{
    hm_index index = make((hm_index_desc){0});
    for (uint32_t bit = 0; bit < 64; bit++) {
        set(&index, owner(2 * bit), UINT64_C(1) << bit);
        set(&index, owner(2 * bit + 1), ~(UINT64_C(1) << bit));
    }
    set(&index, owner(128), 0);
    set(&index, owner(129), UINT64_MAX);
    CHECK(hm_index_key_count(&index) == 130);
    for (uint32_t bit = 0; bit < 64; bit++)
        CHECK(has_members(&index, UINT64_C(1) << bit, (const uint32_t[]){2 * bit}, 1));
    finish(&index);
}

TEST(index, keys_that_come_and_go_are_found_at_each_size_of_the_table)
{
    enum { MOST = 300 };
    hm_index index = make((hm_index_desc){0});
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t n = 0; n < MOST; n++) {
            set(&index, owner(n), n * UINT64_C(1000));
            CHECK(hm_index_key_count(&index) == n + 1 && hm_index_validate(&index) == HM_OK);
        }
        for (uint32_t n = 0; n < MOST; n++) { /* in the order in which they came, or against it */
            uint32_t gone = round % 2 == 0 ? n : MOST - 1 - n;
            CHECK(hm_index_remove(&index, owner(gone)));
            CHECK(hm_index_key_count(&index) == MOST - 1 - n);
            CHECK(hm_index_validate(&index) == HM_OK && count_of(&index, gone * 1000) == 0);
        }
    }
    finish(&index);
}

/* Returns the longest chain. */
static uint32_t longest_chain(const hm_index *index)
{
    uint32_t longest = 0;
    for (uint32_t head = 0; head <= index->key_count; head++) {
        uint32_t length = 0;
        for (uint32_t link = hm_index_heads(index)[head]; link != 0;
             link = index->buckets[link - 1].next)
            length++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* With a good hash the longest of n chains has about log n / log log n keys. */
TEST(index, chains_stay_short_whatever_the_keys_have_in_common)
{
    for (uint32_t shift = 0; shift < 64; shift += 16) {
        hm_index index = make((hm_index_desc){.capacity = 10000});
        for (uint32_t n = 0; n < 10000; n++)
            CHECK(hm_index_set(&index, owner(n), (uint64_t)n << shift) == HM_OK);
        CHECK(longest_chain(&index) <= 12);
        finish(&index);
    }
}

/* SipHash-c-d of the 8 bytes of a number, as its authors describe it. */
static uint64_t siphash(uint64_t k0, uint64_t k1, uint64_t number, int c, int d)
{
    uint64_t a = k0 ^ UINT64_C(0x736F6D6570736575), b = k1 ^ UINT64_C(0x646F72616E646F6D);
    uint64_t x = k0 ^ UINT64_C(0x6C7967656E657261), y = k1 ^ UINT64_C(0x7465646279746573);
    const uint64_t words[] = {number, UINT64_C(8) << 56, 0};
    for (int word = 0; word < 3; word++) {
        y ^= words[word];
        x ^= word == 2 ? 0xFF : 0;
        for (int round = 0; round < (word == 2 ? d : c); round++) {
            a += b, b = b << 13 | b >> 51, b ^= a, a = a << 32 | a >> 32;
            x += y, y = y << 16 | y >> 48, y ^= x;
            a += y, y = y << 21 | y >> 43, y ^= a;
            x += b, b = b << 17 | b >> 47, b ^= x, x = x << 32 | x >> 32;
        }
        a ^= words[word];
    }
    return a ^ b ^ x ^ y;
}

/* Another hash would do for all other tests, but an attacker might foresee where its keys go. */
TEST(index, a_key_is_in_the_chain_of_its_siphash_1_3)
{
    enum { KEYS = 3000 };
    const uint64_t seed = UINT64_C(0x0123456789ABCDEF);
    CHECK(siphash(UINT64_C(0x0706050403020100), UINT64_C(0x0F0E0D0C0B0A0908),
                  UINT64_C(0x0706050403020100), 2, 4) == UINT64_C(0x93F5F5799A932462));
    hm_index index = make((hm_index_desc){.capacity = KEYS, .seed = seed});
    for (uint32_t n = 0; n < KEYS; n++)
        set(&index, owner(n), UINT64_C(0x9E3779B97F4A7C15) * n);
    uint32_t heads = KEYS + 1, power = 2048, found = 0;
    for (uint32_t n = 0; n < KEYS; n++) {
        uint64_t key = UINT64_C(0x9E3779B97F4A7C15) * n;
        uint32_t head = (uint32_t)siphash(seed, ~seed, key, 1, 3) % (2 * power);
        uint32_t link = hm_index_heads(&index)[head < heads ? head : head - power];
        while (link != 0 && index.buckets[link - 1].key != key)
            link = index.buckets[link - 1].next;
        found += link != 0;
    }
    CHECK(found == KEYS);
    finish(&index);
}

TEST(index, a_seed_of_zero_is_random)
{
    hm_index first, second;
    const hm_index_desc desc = {.capacity = 10, .max_slots = 10};
    CHECK(hm_index_init(&first, &desc) == HM_OK && hm_index_init(&second, &desc) == HM_OK);
    CHECK(first.seed[0] != second.seed[0] && first.seed[1] != second.seed[1]);
    CHECK(first.seed[0] != first.seed[1]);
    finish(&first);
    finish(&second);
}

/* SPDX-License-Identifier: MIT */
/* What an index promises beside what its model compares: the order of members, what batches need,
 * memory, and how keys are found. */
#include "support/index.h"

#include "support/memory.h"

#include <string.h>

/* questions */

TEST(index, without_a_capacity_it_may_have_few_slots)
{
    hm_index index;
    CHECK(hm_index_init(&index, &(hm_index_desc){.max_slots = 2}) == HM_OK);
    for (uint32_t i = 0; i < 3; i++)
        CHECK((hm_index_set(&index, hm_handle_pack(i, 1, 0), 5) == HM_OK) == (i < 2));
    finish(&index);
}

/* capacity and memory */

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

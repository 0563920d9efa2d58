/* SPDX-License-Identifier: MIT */
/* The checksum is XXH64: the vectors that its author publishes, and what other libraries say. */
#include "support/test.h"

#include "../src/base/base_private.h"

#include <handle_map/handle_map.h>

#if defined(__has_include)
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define HAS_XXHASH 1
#endif
#endif

enum { SIZE = 300 };

/* The bytes that the vectors are for. */
static void fill(unsigned char *bytes, size_t size)
{
    uint64_t state = UINT64_C(2654435761);
    for (size_t i = 0; i < size; i++, state *= UINT64_C(11400714785074694797))
        bytes[i] = (unsigned char)(state >> 56);
}

/* In pieces of random sizes. */
static uint64_t hash_in_pieces(const unsigned char *bytes, size_t size, uint64_t seed,
                               uint64_t *random)
{
    hm_hash hash;
    hm_hash_begin(&hash, seed);
    while (size > 0) {
        size_t part = test_random_below(random, 80);
        part = part < size ? part : size;
        hm_hash_add(&hash, bytes, part);
        bytes += part;
        size -= part;
    }
    CHECK(hm_hash_end(&hash) == hm_hash_end(&hash));
    return hm_hash_end(&hash);
}

TEST(hash, it_gives_the_published_numbers)
{
    static const struct {
        size_t size;
        uint64_t seed, sum;
    } vectors[] = {
        {0, 0, UINT64_C(0xEF46DB3751D8E999)},
        {0, 2654435761, UINT64_C(0xAC75FDA2929B17EF)},
        {1, 0, UINT64_C(0xE934A84ADB052768)},
        {1, 2654435761, UINT64_C(0x5014607643A9B4C3)},
        {4, 0, UINT64_C(0x9136A0DCA57457EE)},
        {14, 0, UINT64_C(0x8282DCC4994E35C8)},
        {14, 2654435761, UINT64_C(0xC3BD6BF63DEB6DF0)},
        {222, 0, UINT64_C(0xB641AE8CB691C174)},
        {222, 2654435761, UINT64_C(0x20CB8AB7AE10C14A)},
    };
    unsigned char bytes[SIZE];
    uint64_t random = test_seed("hash vectors");
    fill(bytes, SIZE);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        CHECK(hash_in_pieces(bytes, vectors[i].size, vectors[i].seed, &random) == vectors[i].sum);
        CHECK(vectors[i].seed != 0 || hm_hash_of(bytes, vectors[i].size) == vectors[i].sum);
    }
    CHECK(hm_hash_of("abc", 3) == UINT64_C(0x44BC2CF5AD770999));
}

/* The states are equal, whatever the memory; and one more operation makes them different. */
TEST(hash, equal_operations_give_equal_hashes)
{
    const hm_memory *const tables[] = {hm_memory_os(), hm_memory_heap()};
    hm_map maps[2];
    hm_hash hashes[2] = {{0}, {0}};
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(hm_map_init(&maps[i], &(hm_map_desc){.item_size = 4,
                                                   .capacity = i * 5000,
                                                   .memory = tables[i]}) == HM_OK);
        for (uint32_t k = 0; k < 1000; k++)
            if (k % 3 != 2)
                CHECK(!hm_handle_is_null(hm_map_insert(&maps[i], &k)));
            else
                CHECK(hm_map_erase_at(&maps[i], k / 4));
        CHECK(hm_map_save(&maps[i], NULL, hm_sink_hash(&hashes[i])) == HM_OK);
    }
    CHECK(hm_hash_end(&hashes[0]) == hm_hash_end(&hashes[1]));
    CHECK(hm_map_erase_at(&maps[1], 0) && !hm_handle_is_null(hm_map_insert(&maps[1], NULL)));
    hm_hash other = {0};
    CHECK(hm_map_save(&maps[1], NULL, hm_sink_hash(&other)) == HM_OK);
    CHECK(hm_hash_end(&other) != hm_hash_end(&hashes[0]));
    for (uint32_t i = 0; i < 2; i++)
        hm_map_fini(&maps[i]);
}

TEST(hash, a_zeroed_one_begins_and_nothing_changes_nothing)
{
    hm_hash hash = {0};
    CHECK(hm_hash_end(&hash) == UINT64_C(0xEF46DB3751D8E999));
    hm_hash_add(&hash, NULL, 0);
    hm_hash_add(&hash, "a", 1);
    hm_hash_add(&hash, "bc", 2);
    CHECK(hm_hash_end(&hash) == UINT64_C(0x44BC2CF5AD770999));
}

TEST(hash, pieces_and_places_do_not_matter)
{
    unsigned char bytes[SIZE + 8];
    uint64_t random = test_seed("hash pieces");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)test_random(&random);
    for (size_t size = 0; size < SIZE; size++) {
        const unsigned char *from = bytes + size % 8;
        uint64_t seed = size % 3 == 0 ? 0 : test_random(&random);
        uint64_t sum = hash_in_pieces(from, size, seed, &random);
        CHECK(hash_in_pieces(from, size, seed, &random) == sum);
        CHECK(seed != 0 || hm_hash_of(from, size) == sum);
#ifdef HAS_XXHASH
        CHECK(XXH64(from, size, seed) == sum);
#endif
    }
}

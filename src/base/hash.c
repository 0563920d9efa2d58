/* SPDX-License-Identifier: MIT */
/* hash: XXH64. The four lanes take 8 bytes of each stripe, independently of each other, so that a
 * processor works on all of them at once. */
#include "base_private.h"

#define HASH_PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define HASH_PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define HASH_PRIME_3 UINT64_C(0x165667B19E3779F9)
#define HASH_PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define HASH_PRIME_5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t hash_turn(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t hash_read_32(const unsigned char *bytes)
{
    return bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

/* gcc makes two loads of the bytes where one would do. */
static uint64_t hash_read_64(const unsigned char *bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
#else
    return hash_read_32(bytes) | hash_read_32(bytes + 4) << 32;
#endif
}

static uint64_t hash_round(uint64_t lane, uint64_t input)
{
    return hash_turn(lane + input * HASH_PRIME_2, 31) * HASH_PRIME_1;
}

/* Adds whole stripes, and returns the bytes behind them. */
static const unsigned char *hash_add_stripes(uint64_t *lanes, const unsigned char *bytes,
                                             size_t count)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    for (; count > 0; count--, bytes += HM_HASH_STRIPE) {
        a = hash_round(a, hash_read_64(bytes));
        b = hash_round(b, hash_read_64(bytes + 8));
        c = hash_round(c, hash_read_64(bytes + 16));
        d = hash_round(d, hash_read_64(bytes + 24));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
    return bytes;
}

void hm_hash_begin(hm_hash *hash, uint64_t seed)
{
    *hash = (hm_hash){.lanes = {seed + HASH_PRIME_1 + HASH_PRIME_2, seed + HASH_PRIME_2, seed,
                                seed - HASH_PRIME_1},
                      .seed = seed};
}

void hm_hash_add(hm_hash *hash, const void *bytes, size_t size)
{
    HM_CONTRACT(hash != NULL, "hm_hash_add: hash is NULL");
    HM_CONTRACT(bytes != NULL || size == 0, "hm_hash_add: bytes is NULL");
    if (hash->size == 0)
        hm_hash_begin(hash, hash->seed);
    const unsigned char *from = bytes;
    size_t rest = (size_t)(hash->size % HM_HASH_STRIPE), missing = HM_HASH_STRIPE - rest;
    hash->size += size;
    if (rest > 0 && size >= missing) {
        memcpy(hash->rest + rest, from, missing);
        (void)hash_add_stripes(hash->lanes, hash->rest, 1);
        from += missing;
        size -= missing;
        rest = 0;
    }
    if (rest == 0) {
        from = hash_add_stripes(hash->lanes, from, size / HM_HASH_STRIPE);
        size %= HM_HASH_STRIPE;
    }
    if (size > 0)
        memcpy(hash->rest + rest, from, size);
}

static uint64_t hash_join_lanes(const uint64_t *lanes)
{
    uint64_t joined = hash_turn(lanes[0], 1) + hash_turn(lanes[1], 7) + hash_turn(lanes[2], 12) +
                      hash_turn(lanes[3], 18);
    for (int i = 0; i < 4; i++)
        joined = (joined ^ hash_round(0, lanes[i])) * HASH_PRIME_1 + HASH_PRIME_4;
    return joined;
}

/* Adds less than a stripe. */
static uint64_t hash_add_rest(uint64_t joined, const unsigned char *bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8)
        joined = hash_turn(joined ^ hash_round(0, hash_read_64(bytes)), 27) * HASH_PRIME_1 +
                 HASH_PRIME_4;
    if (size >= 4) {
        joined = hash_turn(joined ^ hash_read_32(bytes) * HASH_PRIME_1, 23) * HASH_PRIME_2 +
                 HASH_PRIME_3;
        size -= 4;
        bytes += 4;
    }
    for (; size > 0; size--, bytes++)
        joined = hash_turn(joined ^ *bytes * HASH_PRIME_5, 11) * HASH_PRIME_1;
    return joined;
}

uint64_t hm_hash_end(const hm_hash *hash)
{
    HM_CONTRACT(hash != NULL, "hm_hash_end: hash is NULL");
    uint64_t joined =
        hash->size >= HM_HASH_STRIPE ? hash_join_lanes(hash->lanes) : hash->seed + HASH_PRIME_5;
    joined = hash_add_rest(joined + hash->size, hash->rest, (size_t)(hash->size % HM_HASH_STRIPE));
    joined = (joined ^ joined >> 33) * HASH_PRIME_2;
    joined = (joined ^ joined >> 29) * HASH_PRIME_3;
    return joined ^ joined >> 32;
}

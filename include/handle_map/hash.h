/* SPDX-License-Identifier: MIT */
/* hash: XXH64, a 64-bit checksum by Yann Collet, from its specification ("xxHash fast digest
 * algorithm", version 0.1.1). Equal bytes give equal numbers on every machine. It finds differences
 * and damage; it is no proof that nobody changed the bytes on purpose. Owns nothing. */
#ifndef HANDLE_MAP_HASH_H
#define HANDLE_MAP_HASH_H

#include <handle_map/base.h>

#include <stddef.h>
#include <stdint.h>

HM_BEGIN_C

/* A checksum of bytes that come in parts of any size. Begins zeroed; all fields are
 * private. */
typedef struct hm_hash {
    uint64_t size; /* bytes so far */
    uint64_t seed; /* 0 */
    uint64_t lanes[4];
    unsigned char rest[32]; /* the last size % 32 of them */
} hm_hash;

/* Adds bytes. Never fails. O(size). Example:
 *
 *     const uint32_t frame = 1200;
 *     hm_hash hash = {0};
 *     hm_hash_add(&hash, &frame, sizeof frame);
 *     printf("%llx\n", (unsigned long long)hm_hash_end(&hash));
 */
HM_API void hm_hash_add(hm_hash *hash, const void *bytes, size_t size);

/* Returns the checksum of the bytes so far; more may follow. O(1). */
HM_API uint64_t hm_hash_end(const hm_hash *hash);

HM_END_C

#endif

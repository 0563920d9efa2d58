/* SPDX-License-Identifier: MIT */
/* hash: XXH64, a 64-bit checksum by Yann Collet, from its specification ("xxHash fast digest
 * algorithm", version 0.1.1). Equal bytes give equal numbers on every machine. It finds damage; it
 * is no proof that nobody changed the bytes on purpose. */
#ifndef HANDLE_MAP_HASH_PRIVATE_H
#define HANDLE_MAP_HASH_PRIVATE_H

#include <handle_map/bits.h>

#include <stddef.h>
#include <stdint.h>

enum { HM_HASH_STRIPE = 32 /* bytes: four lanes of 8 */ };

/* A checksum of bytes that come in pieces. */
typedef struct hm_hash {
    uint64_t lanes[4];
    uint64_t seed;
    uint64_t size;                      /* bytes so far */
    unsigned char rest[HM_HASH_STRIPE]; /* the last size % HM_HASH_STRIPE of them */
} hm_hash;

void hm_hash_begin(hm_hash *hash, uint64_t seed);
void hm_hash_add(hm_hash *hash, const void *bytes, size_t size);

/* Returns the checksum of the bytes so far; more may follow. */
uint64_t hm_hash_end(const hm_hash *hash);

/* Returns the checksum of these bytes, with the seed 0. */
uint64_t hm_hash_of(const void *bytes, size_t size);

#endif

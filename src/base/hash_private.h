/* SPDX-License-Identifier: MIT */
/* hash: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_HASH_PRIVATE_H
#define HANDLE_MAP_HASH_PRIVATE_H

#include <handle_map/bits.h>
#include <handle_map/hash.h>

#include <stddef.h>
#include <stdint.h>

enum { HM_HASH_STRIPE = sizeof(((hm_hash *)0)->rest) /* bytes: four lanes of 8 */ };

/* Begins with a seed. */
void hm_hash_begin(hm_hash *hash, uint64_t seed);

/* Returns the checksum of these bytes, with the seed 0. */
static inline uint64_t hm_hash_of(const void *bytes, size_t size)
{
    hm_hash hash = {0};
    hm_hash_add(&hash, bytes, size);
    return hm_hash_end(&hash);
}

#endif

/* SPDX-License-Identifier: MIT */
/* page: what its sources share. Each has the functions of some views; the script only draws what
 * they return. */
#ifndef PAGE_H
#define PAGE_H

#include <handle_map/handle_map.h>

#include <string.h>

#ifdef __wasm__
#define PAGE_EXPORT(name) __attribute__((export_name(#name))) name
#else
#define PAGE_EXPORT(name) name /* for tools that read the source */
#endif

/* What the report lists beside the containers of page.c. */
extern hm_table points;
extern hm_map notes;

/* splitmix64, so that each visit shows the same. Each view has its own seed, since the swarm runs
 * while others are used. Returns a number below the limit. */
static inline uint32_t page_random(uint64_t *seed, uint32_t limit)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ z >> 31) >> 32) % limit;
}

#endif

/* SPDX-License-Identifier: MIT */
/* A memory table for pools: as test_memory it counts, checks the contract of memory.h and refuses
 * on demand; but ranges may have holes, and there may be many of them. */
#ifndef TEST_POOL_MEMORY_H
#define TEST_POOL_MEMORY_H

#include <handle_map/memory.h>

enum { POOL_MEMORY_RANGES = 4096 };

typedef struct pool_memory {
    hm_memory table;  /* give &memory.table to a pool; this struct must not move meanwhile */
    uint32_t calls;   /* of reserve, commit and decommit together, refused ones included */
    uint32_t fail_at; /* the call with this number (from 1) is refused; 0: none */
    bool fail_after;  /* and so is every later one */
    size_t reserved_size, committed_size; /* bytes, of all live reservations */
    uint32_t range_end;                   /* all live reservations are below */
    struct {
        unsigned char *address;
        size_t size;         /* bytes */
        unsigned char *held; /* page -> whether it is committed */
    } ranges[POOL_MEMORY_RANGES];
} pool_memory;

/* page_size: bytes, a power of two that is a multiple of the system's. */
void pool_memory_init(pool_memory *memory, size_t page_size);

/* Starts counting at 0, refusing the k-th call from here on; k 0: none. */
void pool_memory_fail(pool_memory *memory, uint32_t k, bool and_later_ones);

/* Whether a call has been refused since. */
bool pool_memory_refused(const pool_memory *memory);

/* Fails the test when a byte from `address` on is not committed. */
void pool_memory_check_committed(const pool_memory *memory, const void *address, size_t size);

/* Fails the test when a reservation is still alive. */
void pool_memory_check_released(const pool_memory *memory);

#endif

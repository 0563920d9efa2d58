/* SPDX-License-Identifier: MIT */
/* The memory table of the search: a few ranges of a few bytes, which are captured with the
 * state; any one call can be refused. It checks the contract of memory.h, and under
 * AddressSanitizer that only committed memory is touched.
 *
 * Behind the ranges there are as many spare ones, large ones, which no state has: for what a load
 * needs beside the container that it fills. */
#ifndef TEST_EXHAUSTIVE_ARENA_H
#define TEST_EXHAUSTIVE_ARENA_H

#include "support/memory.h"

#include <handle_map/memory.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ARENA_RANGES = 16,
    ARENA_STEP = 4096, /* between ranges */
    ARENA_START = 16,  /* of each, so that they are aligned to 16 bytes and not more */
    ARENA_PAGES = 256  /* of a range, at most */
};

/* What is reserved and committed of a range; a part of a state. */
typedef struct arena_memory {
    size_t reserved;                      /* bytes; 0: not reserved */
    uint64_t committed[ARENA_PAGES / 64]; /* bit p % 64 of word p / 64: page p */
} arena_memory;

typedef struct arena_all {
    hm_memory table;
    arena_memory memory[2 * ARENA_RANGES];
    uint32_t range_count;             /* without the spare ones, which come next */
    uint32_t first, end;              /* ranges that can be reserved now */
    size_t windows[2 * ARENA_RANGES]; /* bytes of each range that can be reserved */
    uint32_t calls;                   /* of reserve, commit and decommit, in this step */
    uint32_t refuse_from, refuse_to;  /* calls with these numbers fail */
    bool refused;                     /* a call has failed */
    test_memory *shown;               /* of the model; NULL: none */
} arena_all;

extern arena_all arena;

/* Starts with no reservation. A reservation gets the first free range that is large enough, and
 * that is lent: at first those of states. When the spare ones no longer are, all must be free. */
void arena_begin(const size_t *windows, uint32_t range_count, size_t page_size);
void arena_lend(bool own, bool spare);

/* Forgets what is reserved, but for spare ranges. */
void arena_empty(void);

/* Calls init until it works, after each of its memory calls was refused once. */
void arena_init(hm_status (*init)(void));

/* Starts to count calls; the call with this number fails; 0: none. */
void arena_refuse(uint32_t number);

/* Between the two, memory that is not committed may be accessed. */
void arena_open(void);
void arena_close(void);
unsigned char *arena_range(uint32_t range);
bool arena_is_committed(uint32_t range, size_t offset);

/* Copy what is reserved and all windows, one after the other; size returns their bytes. The arena
 * must be open. */
size_t arena_size(void);
void arena_capture(unsigned char *bytes);
void arena_restore(const unsigned char *bytes);

/* Checks that only committed memory has been written; returns the committed bytes. */
size_t arena_check(void);

bool arena_is_empty(void);

/* Tells the model's memory, which test_memory_init has made, how much is reserved and committed.
 * The functions of support/memory.h that models call are those of the arena here. */
void arena_show(void);

#endif

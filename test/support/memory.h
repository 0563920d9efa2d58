/* SPDX-License-Identifier: MIT */
/* A memory table that counts, checks the contract of memory.h, and refuses on demand. */
#ifndef TEST_SUPPORT_MEMORY_H
#define TEST_SUPPORT_MEMORY_H

#include "test.h"

#include <handle_map/memory.h>
#include <handle_map/order.h>

enum { TEST_MEMORY_FLAWS = 10 };

typedef struct test_memory {
    hm_memory table; /* pass &memory.table to a container; this struct must not move meanwhile */
    const hm_memory *base; /* what it takes its memory from */
    uint32_t calls;        /* of reserve, commit and decommit together, refused ones included */
    uint32_t fail_at;      /* the call with this number (from 1) is refused; 0: none */
    bool fail_after;       /* and so is every later one */
    bool is_armed;         /* by test_memory_arm, for the next operation */
    bool has_holes;        /* set by test_memory_init_with_holes */
    size_t reserved_size, committed_size; /* bytes, of all live reservations */
    struct test_range *ranges;            /* the live reservations */
} test_memory;

/* For containers that commit each array of a range from its start, without holes. Where an array
 * begins is not known: a page begins one if the page before it has no memory when it gets its own
 * for the first time. page_size: bytes, a power of two that is a multiple of the system's. */
void test_memory_init(test_memory *memory, size_t page_size);

/* Returns this page size, or the system's if that is larger: no table may have smaller pages. */
size_t test_page_size(size_t page_size);

/* For pools, which commit the pages of a range in any order. */
void test_memory_init_with_holes(test_memory *memory, size_t page_size);

/* Tables that are made from here on take their memory, and their page size, from `base` instead of
 * from the system; NULL: from the system again. */
void test_memory_use(const hm_memory *base);

/* Breaks the table: a function is missing, or the page size is not a power of two, or below 8.
 * Flaws are numbered from 0 to TEST_MEMORY_FLAWS - 1; init must refuse each with the sentence that
 * this returns, and reserve nothing. */
const char *test_memory_break(test_memory *memory, int flaw);

/* Starts counting at 0, refusing the k-th call from here on; k 0: none. */
void test_memory_fail(test_memory *memory, uint32_t k, bool and_later_ones);

/* Whether a call has been refused since. */
bool test_memory_refused(const test_memory *memory);

/* For random scripts: makes the next operation fail at the k-th memory call, and now and then at
 * the later ones, too; and after each operation, ends what was armed for it. */
static inline void test_memory_arm(test_memory *memory, const uint32_t arguments[])
{
    memory->is_armed = true;
    test_memory_fail(memory, 1 + arguments[0] % 6, arguments[1] & 1);
}

static inline void test_memory_disarm(test_memory *memory)
{
    if (!memory->is_armed)
        test_memory_fail(memory, 0, false);
    memory->is_armed = false;
}

/* After a call that may end early: only a refusal explains that, and then it is not done. From now
 * on there is memory again, so that a loop until done ends. */
static inline void test_memory_follow(test_memory *memory, hm_progress progress)
{
    if (progress.status == HM_OK)
        return;
    CHECK(progress.status == HM_ERROR_MEMORY && !progress.done && test_memory_refused(memory));
    test_memory_fail(memory, 0, false);
}

/* Whether this failure of a call is right: FULL if the container has no space, even when memory is
 * refused too; else only a refusal explains it. */
static inline bool test_memory_explains(const test_memory *memory, hm_status failure,
                                        bool has_space)
{
    if (!has_space)
        return failure == HM_ERROR_FULL;
    return failure == HM_ERROR_MEMORY && test_memory_refused(memory);
}

/* Fails the test when a byte from `address` on is not committed; when one is. */
void test_memory_check_committed(const test_memory *memory, const void *address, size_t size);
void test_memory_check_decommitted(const test_memory *memory, const void *address, size_t size);

/* Fails the test when a reservation is still live. */
void test_memory_check_released(const test_memory *memory);

/* For models that are put back, as their containers are: what is known of the ranges of a struct
 * that was copied becomes the copy's own; and is forgotten, without releasing the ranges. */
void test_memory_own(test_memory *copy);
void test_memory_forget(test_memory *memory);

/* An allocator of a program's own, which counts, checks the contract of memory.h, and refuses on
 * demand. What it gives is not zero. */
typedef struct test_allocator {
    hm_memory_allocator allocator; /* pass &allocator.table to a container */
    size_t used_size;              /* bytes, of all that was not freed */
    size_t written_size;           /* bytes of what was freed that had changed, at least */
    uint32_t calls;                /* of allocate, refused ones included */
    uint32_t fail_at;              /* the call with this number (from 1) fails; 0: none */
    bool misaligns;                /* which then gives what is not aligned; else NULL */
} test_allocator;

void test_allocator_init(test_allocator *from);

/* Whether this much address space can be reserved at once: sanitizers, emulators and 32-bit systems
 * have little, and emulators take seconds for much: HM_TEST_SCALE is 100 there. If not, reports
 * what is left out. */
bool test_has_addresses(uint64_t size, const char *what);

#endif

/* SPDX-License-Identifier: MIT */
/* memory: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_MEMORY_PRIVATE_H
#define HANDLE_MAP_MEMORY_PRIVATE_H

#include "poison_private.h"

#include <handle_map/memory.h>

#ifdef HM_FREESTANDING
/* Not public there, since a program must give a table: this one is refused in its place. */
const hm_memory *hm_memory_os(void);
const hm_memory *hm_memory_os_huge(void);
#endif

/* HM_ERROR_INVALID when a table lacks a function, or its page size is not valid. */
hm_status hm_memory_check(const hm_memory *memory);

/* Returns the alignment that the contract of memory.h requires for a reservation of this size. */
static inline size_t hm_memory_align_of(size_t size)
{
    size_t bits = size | HM_MEMORY_ALIGNMENT;
    return bits & (~bits + 1);
}

/* Call the table's functions, and record failures for hm_last_error. A reservation that is not
 * aligned as memory.h says is released: HM_ERROR_INVALID. `is_raw`: the memory may hold anything,
 * since it is written before it is read. */
hm_status hm_memory_reserve(const hm_memory *memory, size_t size, unsigned char **address);
hm_status hm_memory_commit(const hm_memory *memory, unsigned char *address, size_t size,
                           bool is_raw);

/* The `commit` of tables with a `raw`, which are where their context points: calls it, and clears.
 */
bool hm_memory_commit_clear(void *context, void *address, size_t size);

static inline bool hm_memory_has_raw(const hm_memory *memory)
{
    return memory->commit == hm_memory_commit_clear;
}

/* Gives pages back; records a failure in the same way. */
hm_status hm_memory_decommit(const hm_memory *memory, unsigned char *address, size_t size);

/* In a switch on a size of bytes: calls with a constant size as the last argument, which compilers
 * turn into moves. The second has the sizes that most values have, the third the switch too. */
#define HM_SIZE_CASE(size, CALL, ...)                                                              \
    case (size):                                                                                   \
        CALL(__VA_ARGS__, (size));                                                                 \
        break
#define HM_SIZE_CASES(CALL, ...)                                                                   \
    HM_SIZE_CASE(4, CALL, __VA_ARGS__);                                                            \
    HM_SIZE_CASE(8, CALL, __VA_ARGS__);                                                            \
    HM_SIZE_CASE(12, CALL, __VA_ARGS__);                                                           \
    HM_SIZE_CASE(16, CALL, __VA_ARGS__)
#define HM_FOR_SIZE(size, CALL, ...)                                                               \
    do {                                                                                           \
        switch (size) {                                                                            \
        default:                                                                                   \
            CALL(__VA_ARGS__, size);                                                               \
            break;                                                                                 \
            HM_SIZE_CASES(CALL, __VA_ARGS__);                                                      \
            HM_SIZE_CASE(32, CALL, __VA_ARGS__);                                                   \
        }                                                                                          \
    } while (0)

/* Whether addresses are not scarce (memory.h): much more may be reserved than items need. */
bool hm_memory_is_ample(const hm_memory *memory);

/* Returns `size`, rounded up to whole pages. The caller makes sure that it does not overflow. */
static inline size_t hm_memory_round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) & ~(page_size - 1);
}

/* Returns by how many bytes an array grows that has committed `committed_size` and grows item by
 * item: a quarter, from 64 KiB, or 16 pages if they are smaller, to 128 KiB. A commit costs about
 * 0.3 us whatever its length, a fresh page 1.4 us when it is touched: with 16 pages at a time the
 * commit is 2% of that. */
size_t hm_memory_growth(const hm_memory *memory, size_t committed_size);

/* A container that grows by itself makes its steps resident piece by piece, when items reach them,
 * if the memory is the system's and steps are so large that more will follow; what a program
 * reserved never. The pages will all be touched soon, and together they cost a tenth to a quarter
 * less than one by one; a piece, because the pause is shorter, and the step is still one commit.
 * Returns the size in bytes of the piece that follows `ready_size`, or 0 if nothing is to be made
 * resident. */
size_t hm_memory_piece(const hm_memory *memory, size_t ready_size, size_t committed_size);

/* The platform's part of it: asks the system to make committed pages resident, if it can. */
void hm_memory_populate(unsigned char *address, size_t size);

/* Returns bits that a stranger cannot guess. If the system has none, or a sandbox refuses them,
 * they come from addresses and vary only with how the system places the program. */
uint64_t hm_memory_random(void);

/* The platform's part of it; false: refused. */
bool hm_memory_fill_random(void *bytes, size_t size);

/* Which pages are written, where the system can tell (track.c). */

/* As the system writes it: addresses of whole pages. */
typedef struct hm_memory_span {
    uint64_t start, end, kind;
} hm_memory_span;

/* Returns a number for this process; it differs after a fork, where the files are useless. */
int64_t hm_memory_process(void);

/* Begins to note which pages of a reservation of the system's are written, all of it at first, and
 * opens `files` for this. The reservation may move: it has no memory yet. False: the system cannot
 * tell. */
bool hm_memory_track(int files[2], unsigned char **address, size_t size);

/* Closes the files. */
void hm_memory_untrack(int files[2]);

/* Writes up to max_spans spans of pages between two addresses that are not protected, sets `from`
 * to the first address that it has not looked at, and returns how many spans there are; below 0:
 * the system refuses. */
int hm_memory_written(const int files[2], unsigned char **from, const unsigned char *to,
                      hm_memory_span *spans, uint32_t max_spans);

/* Protects the written pages between two addresses, so that they are found when they are written
 * again. */
void hm_memory_protect(const int files[2], const unsigned char *from, const unsigned char *to);

/* Lets all pages between two addresses be written, which costs less than letting the system do so
 * at the first write to each. */
void hm_memory_unprotect(const int files[2], const unsigned char *from, const unsigned char *to);

#endif

/* SPDX-License-Identifier: MIT */
/* memory: what the modules above use and programs do not. */
#ifndef HANDLE_MAP_MEMORY_PRIVATE_H
#define HANDLE_MAP_MEMORY_PRIVATE_H

#include <handle_map/memory.h>

/* HM_ERROR_INVALID when a table has no function where there must be one, or no page size. */
hm_status hm_memory_check(const hm_memory *memory);

/* The table's functions, with a sentence for hm_last_error. A reservation that is not aligned as
 * memory.h says is given back: HM_ERROR_INVALID. */
hm_status hm_memory_reserve(const hm_memory *memory, size_t size, unsigned char **address);
hm_status hm_memory_commit(const hm_memory *memory, unsigned char *address, size_t size);
hm_status hm_memory_decommit(const hm_memory *memory, unsigned char *address, size_t size);

/* Whether addresses cost nothing, so that there may be many more than items. */
bool hm_memory_is_roomy(const hm_memory *memory);

/* `size`, rounded up to whole pages. It does not overflow: the caller has seen to that. */
static inline size_t hm_memory_round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) & ~(page_size - 1);
}

/* Returns how many bytes something grows by that has committed so many and grows item by item: a
 * quarter, from 64 KiB to 128 KiB. A commit costs about 0.3 us whatever its length, a fresh page
 * 1.4 us when it is touched: 16 pages at a time make the commit 2% of that. */
size_t hm_memory_growth(size_t committed_size);

/* After the commit of such a step, never of what a program asked for at once: brings the pages in,
 * where the memory is the system's and the step says that more will follow. They will all be
 * touched soon, and together they cost a tenth to a quarter less than one by one. */
void hm_memory_prefault(const hm_memory *memory, unsigned char *address, size_t size);

/* Each platform's part of it: asks the system to bring committed pages in, where it can. */
void hm_memory_populate(unsigned char *address, size_t size);

/* Whether the program runs under AddressSanitizer. Library code asks at run time: HM_POISON does
 * nothing in a library that was built without the sanitizer. */
bool hm_memory_poisons(void);

#endif

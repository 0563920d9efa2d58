/* SPDX-License-Identifier: MIT */
/* The item layouts that every container is tested with. */
#include "layout.h"

#include "test.h"

#include <handle_map/memory.h>

#include <string.h>

static const size_t sizes[] = {1, 7, 8, 40, 4096, 5000};
static const size_t pages[] = {4096, 16384, 65536};

enum { SIZES = sizeof sizes / sizeof *sizes, PAGES = sizeof pages / sizeof *pages };

/* The index of the first page size to use: one below the system's cannot be committed alone. */
static size_t first_page(void)
{
    size_t first = 0;
    while (first < PAGES && pages[first] < hm_memory_os()->page_size)
        first++;
    return first;
}

/* Returns the number of alignments that divide the size: powers of two from 1 on. */
static size_t align_count(size_t item_size)
{
    size_t count = 0;
    for (size_t align = 1; align <= HM_MEMORY_ALIGNMENT && item_size % align == 0; align *= 2)
        count++;
    return count;
}

static size_t layouts_on_a_page(void)
{
    size_t count = 0;
    for (size_t i = 0; i < SIZES; i++)
        count += align_count(sizes[i]);
    return count;
}

/* If long loops are shortened, every fourth layout is used, every eighth, or every sixteenth. The
 * number per page size is odd, so that others are left out for each. */
static size_t stride(void)
{
    uint32_t scale = test_scale();
    return scale == 1 ? 1 : scale < 10 ? 4 : scale < 50 ? 8 : 16;
}

size_t test_layout_count(void)
{
    return ((PAGES - first_page()) * layouts_on_a_page() + stride() - 1) / stride();
}

test_layout test_layout_at(size_t index)
{
    index *= stride();
    size_t per_page = layouts_on_a_page();
    test_layout layout = {.page_size = pages[first_page() + index / per_page]};
    size_t rest = index % per_page;
    size_t size = 0;
    for (; rest >= align_count(sizes[size]); size++)
        rest -= align_count(sizes[size]);
    layout.item_size = sizes[size];
    layout.item_align = (size_t)1 << rest;
    return layout;
}

enum { PERIOD = 256 };

/* Repeats the value's bytes, each plus a number of its place, 157 i + 91: so items of different
 * values differ, value 0 is not the pattern of zeroed memory, and a shifted copy is noticed. Eight
 * bytes at a time, since much of the time of the tests goes into this. */
static void pattern(uint64_t value, size_t size, unsigned char bytes[PERIOD])
{
    const uint64_t tops = UINT64_C(0x8080808080808080), step = (157 * 8 & 0xFF) * (tops >> 7);
    unsigned char first[8];
    uint64_t word;
    for (unsigned i = 0; i < 8; i++)
        first[i] = (unsigned char)((value >> 8 * i) + 157 * i + 91);
    memcpy(&word, first, sizeof word);
    for (size_t i = 0; i < size; i += sizeof word) {
        memcpy(bytes + i, &word, sizeof word);
        /* No carry passes from one byte to the next. */
        word = ((word & ~tops) + (step & ~tops)) ^ ((word ^ step) & tops);
    }
}

void test_item_fill(void *item, size_t size, uint64_t value)
{
    unsigned char bytes[PERIOD];
    pattern(value, size < PERIOD ? size : PERIOD, bytes);
    for (size_t i = 0; i < size; i += PERIOD)
        memcpy((unsigned char *)item + i, bytes, size - i < PERIOD ? size - i : PERIOD);
}

bool test_item_is(const void *item, size_t size, uint64_t value)
{
    const unsigned char *first = item;
    unsigned char bytes[PERIOD];
    size_t length = size < PERIOD ? size : PERIOD;
    pattern(value, length, bytes);
    return memcmp(first, bytes, length) == 0 &&
           (size <= PERIOD || memcmp(first, first + PERIOD, size - PERIOD) == 0);
}

bool test_bytes_are(const void *bytes, size_t size, unsigned char value)
{
    const unsigned char *first = bytes;
    return *first == value && memcmp(first, first + 1, size - 1) == 0;
}

hm_handle test_hostile_handle(hm_handle named, const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    uint64_t generation = arguments[2] & 0xFFFF, above = arguments[1] & 0xFFFF;
    uint64_t upper = above << 48 | generation << 32;
    switch (arguments[0] % 4) {
    case 0:
        return hm_handle_from_bits(upper | which);
    case 1:
        return hm_handle_from_bits(upper | (UINT32_MAX - which));
    case 2:
        return hm_handle_from_bits(upper ^ named.bits);
    default:
        return hm_handle_from_bits(named.bits ^ UINT64_C(1) << arguments[1] % 32);
    }
}

hm_handle test_hostile_handle_of(const void *records, size_t size, uint32_t count, uint32_t type_id,
                                 const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    hm_handle named = hm_handle_pack(which, 1, type_id);
    if (count != 0)
        memcpy(&named, (const unsigned char *)records + size * (which % count), sizeof named);
    return test_hostile_handle(named, arguments);
}

bool test_may_be_owner(hm_handle handle, uint32_t max_slots, uint32_t type_id)
{
    return !hm_handle_is_free(handle) && hm_handle_generation(handle) != 0 &&
           hm_handle_type_id(handle) == type_id && hm_handle_index(handle) < max_slots;
}

hm_handle test_pick_owner(const test_owners *of, uint32_t kind, uint32_t which, uint32_t noise)
{
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    uint64_t bits = (uint64_t)which << 32 | noise;
    switch (kind % 16) {
    case 6:
        return hm_handle_from_bits(of->live.bits + one);
    case 7:
        return hm_handle_from_bits(of->live.bits - one);
    case 8:
    case 9:
        return of->any;
    case 10:
        return of->past;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(of->live.bits ^ UINT64_C(1) << noise % 64);
    case 13:
        return hm_handle_pack(hm_handle_index(of->live), 1, noise);
    case 14:
        return hm_handle_pack(of->max_slots + noise % 3, 1, of->type_id);
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return of->live;
    }
}

uintptr_t test_hostile_address(const void *near, size_t item_size, const uint32_t arguments[3])
{
    const size_t steps[] = {0, item_size, 1, 4096};
    uintptr_t from = (uintptr_t)near, by = steps[arguments[0] % 4] * (arguments[2] % 64);
    if (arguments[0] % 4 == 0 || near == NULL) {
        from = (uintptr_t)((uint64_t)arguments[1] << 32 | arguments[2] << 16 | arguments[0] / 4);
        by = 0;
    }
    return arguments[0] / 4 % 2 == 0 ? from + by : from - by;
}

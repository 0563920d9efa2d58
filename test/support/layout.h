/* SPDX-License-Identifier: MIT */
/* The item layouts that every container is tested with: sizes 1, 7, 8, 40, 4096 and 5000, each with
 * every alignment that divides it, on pages of 4, 16 and 64 KiB; byte patterns for items; and
 * handles that should be refused. */
#ifndef TEST_SUPPORT_LAYOUT_H
#define TEST_SUPPORT_LAYOUT_H

#include <handle_map/handle.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_layout {
    size_t item_size, item_align, page_size; /* bytes */
} test_layout;

/* The number of layouts, and each of them by its index. */
size_t test_layout_count(void);
test_layout test_layout_at(size_t index);

/* Fill all bytes of an item with the pattern of `value`, and check it. An item of n bytes can hold
 * 2^(8 n) different patterns, at most 2^64. */
void test_item_fill(void *item, size_t size, uint64_t value);
bool test_item_is(const void *item, size_t size, uint64_t value);

/* Whether all of these bytes, at least one, have this value. */
bool test_bytes_are(const void *bytes, size_t size, unsigned char value);

/* Returns a handle that should mostly be refused: the upper half is any bits, or combined with that
 * of `named`; the index is low, high, that of `named`, or that with a bit that must not be ignored.
 */
hm_handle test_hostile_handle(hm_handle named, const uint32_t arguments[3]);

/* The same beside one of these handles, which are the first members of records of so many bytes; if
 * there is none, beside one that could be. */
hm_handle test_hostile_handle_of(const void *records, size_t size, uint32_t count, uint32_t type_id,
                                 const uint32_t arguments[3]);

/* Handles that models of secondaries and indices try. */
typedef struct test_owners {
    uint32_t max_slots, type_id;
    hm_handle live, past, any; /* an owner, one that was, and one that there may be */
} test_owners;

/* Whether containers with such owners take this handle. */
bool test_may_be_owner(hm_handle handle, uint32_t max_slots, uint32_t type_id);

/* Returns a handle to try: the owner (kind 0 to 5), the next or an earlier life of its slot, any
 * that may be an owner's, one that was, null, damaged, foreign, too high, or noise. */
hm_handle test_pick_owner(const test_owners *of, uint32_t kind, uint32_t which, uint32_t noise);

/* Returns an address that is some bytes, items or pages before or behind `near`, by the first and
 * the third argument; or, now and then and if `near` is NULL, any 48 bits. */
uintptr_t test_hostile_address(const void *near, size_t item_size, const uint32_t arguments[3]);

#endif

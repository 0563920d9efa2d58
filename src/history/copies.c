/* SPDX-License-Identifier: MIT */
/* history: copies of units, in blocks of the parent's memory.
 *
 * Under AddressSanitizer a copy ends with a bit for each byte that was poisoned, so that a rewind
 * restores that, too: an item that is alive again may be used, and one that is not may not. */
#include "history_private.h"

/* Bytes of a block, at least. */
#define COPIES_BLOCK_SIZE ((size_t)256 << 10)

static size_t copies_block_size(const hm_history *history)
{
    size_t size = history->copy_size > COPIES_BLOCK_SIZE ? history->copy_size : COPIES_BLOCK_SIZE;
    return hm_memory_round_up(size, history->page_size);
}

bool hm_history_prepare(hm_history *history, uint32_t n)
{
    while (history->free_copies + history->fresh_copies < n) {
        /* What is left of the last block, which is less than n, is listed as free. */
        for (; history->fresh_copies > 0; history->fresh_copies--) {
            unsigned char *copy = history->fresh + (history->fresh_copies - 1) * history->copy_size;
            memcpy(copy, &history->free_copy, sizeof history->free_copy);
            history->free_copy = copy;
            history->free_copies++;
        }
        const hm_memory *parent = history->parent;
        size_t size = copies_block_size(history);
        unsigned char *block;
        hm_status status = hm_array_reserve(&history->blocks, 1);
        if (status == HM_OK) /* Coverage: no test has 128 MiB of copies, where it must grow. */
            status = hm_memory_reserve(parent, size, &block);
        if (status != HM_OK)
            return false;
        if (hm_memory_commit(parent, block, size, true) != HM_OK) {
            parent->release(parent->context, block, size);
            return false;
        }
        *(unsigned char **)hm_array_push(&history->blocks) = block;
        history->fresh = block;
        history->fresh_copies = (uint32_t)(size / history->copy_size);
    }
    return true;
}

void hm_history_give_all(hm_history *history)
{
    const hm_memory *parent = history->parent;
    for (size_t i = 0; i < hm_array_count(&history->blocks); i++) {
        unsigned char **block = hm_array_at(&history->blocks, i);
        parent->release(parent->context, *block, copies_block_size(history));
    }
    hm_array_fini(&history->blocks);
}

size_t hm_history_blocks_size(const hm_history *history)
{
    return hm_array_count(&history->blocks) * copies_block_size(history);
}

/* Poison */

static bool copies_is_poisoned(const unsigned char *bits, size_t byte)
{
    return (bits[byte / 8] >> byte % 8 & 1) != 0;
}

/* Writes which of the bytes are poisoned, and unpoisons them all. */
static void copies_lift_poison(unsigned char *address, size_t size, unsigned char *bits)
{
    memset(bits, 0, (size + 7) / 8);
#ifdef HM_HAS_POISON
    if (__asan_region_is_poisoned(address, size) == NULL)
        return;
    for (size_t i = 0; i < size; i++)
        if (__asan_address_is_poisoned(address + i))
            bits[i / 8] |= (unsigned char)(1 << i % 8);
    hm_memory_unpoison(address, size);
#else
    (void)address;
#endif
}

static void copies_set_poison(unsigned char *address, size_t size, const unsigned char *bits)
{
    for (size_t i = 0, end; i < size; i = end) {
        end = i + 1;
        if (!copies_is_poisoned(bits, i))
            continue;
        while (end < size && copies_is_poisoned(bits, end))
            end++;
        hm_memory_poison(address + i, end - i);
    }
}

/* Copies */

unsigned char *hm_history_take(hm_history *history, unsigned char *address, size_t size)
{
    unsigned char *copy = history->free_copy;
    if (copy != NULL) {
        memcpy(&history->free_copy, copy, sizeof history->free_copy);
        history->free_copies--;
    } else {
        copy = history->fresh + --history->fresh_copies * history->copy_size;
    }
    history->copies++;
    unsigned char *bits = copy + history->page_size;
    if (hm_memory_poisons())
        copies_lift_poison(address, size, bits);
    memcpy(copy, address, size);
    if (hm_memory_poisons())
        copies_set_poison(address, size, bits);
    return copy;
}

void hm_history_give(hm_history *history, unsigned char *copy)
{
    if (copy == NULL)
        return;
    memcpy(copy, &history->free_copy, sizeof history->free_copy);
    history->free_copy = copy;
    history->free_copies++;
    history->copies--;
}

void hm_history_put(const hm_history *history, unsigned char *address, size_t size,
                    const unsigned char *copy)
{
    hm_memory_unpoison(address, size);
    if (copy == NULL) {
        memset(address, 0, size);
        return;
    }
    memcpy(address, copy, size);
    if (hm_memory_poisons())
        copies_set_poison(address, size, copy + history->page_size);
}

/* The bits by which `size` bytes differ are collected for so many bytes before they are looked at,
 * so that a compiler can use wide registers. (A freestanding library has no memcmp.) */
enum { COPIES_STRETCH = 256 };

static bool copies_are_equal(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t i = 0;
    for (; i + COPIES_STRETCH <= size; i += COPIES_STRETCH) {
        uint64_t x[COPIES_STRETCH / 8], y[COPIES_STRETCH / 8], different = 0;
        memcpy(x, a + i, sizeof x);
        memcpy(y, b + i, sizeof y);
        for (size_t k = 0; k < COPIES_STRETCH / 8; k++)
            different |= x[k] ^ y[k];
        if (different != 0)
            return false;
    }
    while (i < size && a[i] == b[i])
        i++;
    return i == size;
}

static bool copies_is_zero(const unsigned char *bytes, size_t size)
{
    return bytes[0] == 0 && copies_are_equal(bytes, bytes + 1, size - 1);
}

bool hm_history_differs(const hm_history *history, unsigned char *address, size_t size,
                        const unsigned char *copy)
{
    if (copy == NULL)
        return !copies_is_zero(address, size);
    if (!hm_memory_poisons())
        return !copies_are_equal(address, copy, size);
    unsigned char *bits = hm_array_data(&history->scratch);
    copies_lift_poison(address, size, bits);
    bool is_same = copies_are_equal(address, copy, size) &&
                   copies_are_equal(bits, copy + history->page_size, (size + 7) / 8);
    copies_set_poison(address, size, bits);
    return !is_same;
}

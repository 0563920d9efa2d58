/* SPDX-License-Identifier: MIT */
/* detail/order_loops: the loops of a typed order, in which the program's compare or key is inlined.
 * HM_ORDER_DEFINE and HM_ORDER_DEFINE_KEY call these templates with a constant function and a
 * constant size; the library calls the results through a struct of pointers.
 *
 * A loop takes as many items as it is told to, whatever compare answers. So a compare that lies
 * gives a wrong order, as in an order without loops, and nothing worse. */
#ifndef HANDLE_MAP_DETAIL_ORDER_LOOPS_H
#define HANDLE_MAP_DETAIL_ORDER_LOOPS_H

#include <handle_map/bits.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*hm_order_compare)(const void *a, const void *b, void *context);
typedef uint64_t (*hm_order_key)(const void *item, void *context);

/* Two runs that are merged from both ends into another list. The other members are the indices of
 * the next ones to take and to fill. */
typedef struct hm_order_ends {
    const uint32_t *from; /* positions, and beside them copies of their items */
    const unsigned char *from_copies;
    uint32_t *to;
    unsigned char *to_copies;
    size_t left, left_last;
    size_t right, right_last;
    size_t out, out_last;
} hm_order_ends;

/* The loops of one order. They take n items from `items` on, `stride` bytes apart. */
typedef struct hm_order_loops {
    /* Whose loops they are: one of them, the other is NULL. */
    hm_order_compare compare;
    hm_order_key key;
    size_t copy_size; /* bytes of an item of which copies are sorted; 0: too large, or by key */
    /* Counts the items that do not come before the one in front of them, up to the first that does.
     * The one in front of the first item is `last`, whose key is keys[0]. With key, keys[0] becomes
     * the key of the last item counted, and keys[1] that of the first item not counted. */
    uint32_t (*pass)(uint64_t *keys, const void *last, const void *items, size_t stride, uint32_t n,
                     void *context);
    /* With key: stores the items' keys. */
    void (*extract)(uint64_t *keys, const void *items, size_t stride, uint32_t n, void *context);
    /* With copies: puts at most HM_ORDER_GROUP in order, with their positions. Returns the number
     * of compares, at most HM_ORDER_GROUP_COMPARES. */
    uint32_t (*sort_group)(unsigned char *copies, uint32_t *positions, uint32_t n, void *context);
    /* With copies: merges n items from each end. No run may become empty before that. */
    void (*merge_ends)(hm_order_ends *ends, uint32_t n, void *context);
    /* Counts the items that belong on the other side of `probe`, whose key is `key`, up to the
     * first that does not. They are in order: from `items` on upward, or from there on downward.
     * Adds to `compares` at most n / 8 + 7. */
    uint32_t (*reach)(uint64_t *compares, const void *probe, uint64_t key, const void *items,
                      size_t stride, uint32_t n, bool is_up, void *context);
} hm_order_loops;

enum {
    /* Larger items are compared where they are: copying them costs more than it saves. */
    HM_ORDER_COPIED_SIZE = 32,
    HM_ORDER_COPIED_ALIGN = 8,
    HM_ORDER_GROUP = 64,
    /* 5 for each four, then 2 for each item of a pair and 1 for the pair, in four steps */
    HM_ORDER_GROUP_COMPARES = 16 * 5 + 4 * 64 + 8 + 4 + 2 + 1
};

/* Returns b if it is chosen, else a. A branch would be mispredicted every other time. */
HM_INLINE size_t hm_order_choose(size_t is_b, size_t a, size_t b)
{
    HM_OPAQUE(is_b);
    return a ^ ((a ^ b) & (0 - is_b));
}

HM_INLINE uint32_t hm_order_loop_pass(const void *last, const void *items, size_t stride,
                                      uint32_t n, hm_order_compare compare, void *context)
{
    const unsigned char *item = HM_CAST(const unsigned char *, items);
    uint32_t passed = 0;
    for (; passed < n && compare(item, last, context) >= 0; passed++) {
        last = item;
        item += stride;
    }
    return passed;
}

/* Whether item b of the copies comes before item a. */
HM_INLINE size_t hm_order_loop_is_late(const unsigned char *copies, size_t b, size_t a, size_t size,
                                       hm_order_compare compare, void *context)
{
    return compare(copies + b * size, copies + a * size, context) < 0;
}

/* Orders two pairs, takes the first and the last of all four, then orders the two that are left.
 * What was taken says which two they are, and which of them came first. */
HM_INLINE void hm_order_loop_sort_four(unsigned char *copies, uint32_t *positions, size_t size,
                                       hm_order_compare compare, void *context)
{
    unsigned char waiting[4 * HM_ORDER_COPIED_SIZE];
    uint32_t places[4];
    size_t order[4], is_late, is_c_first, is_b_last, b, c, left, right, i;
    size_t a = hm_order_loop_is_late(copies, 1, 0, size, compare, context);
    b = 1 - a;
    c = 2 + hm_order_loop_is_late(copies, 3, 2, size, compare, context);
    is_c_first = hm_order_loop_is_late(copies, c, a, size, compare, context);
    is_b_last = hm_order_loop_is_late(copies, 5 - c, b, size, compare, context);
    order[0] = hm_order_choose(is_c_first, a, c);
    order[3] = hm_order_choose(is_b_last, 5 - c, b);
    left = hm_order_choose(is_c_first, hm_order_choose(is_b_last, b, c), a);
    right = hm_order_choose(is_b_last, hm_order_choose(is_c_first, c, b), 5 - c);
    is_late = hm_order_loop_is_late(copies, right, left, size, compare, context);
    order[1] = hm_order_choose(is_late, left, right);
    order[2] = hm_order_choose(is_late, right, left);
    memcpy(waiting, copies, 4 * size);
    memcpy(places, positions, sizeof places);
    for (i = 0; i < 4; i++) {
        memcpy(copies + i * size, waiting + order[i] * size, size);
        positions[i] = places[order[i]];
    }
}

HM_INLINE void hm_order_loop_merge_ends(hm_order_ends *given, uint32_t n, size_t size,
                                        hm_order_compare compare, void *context)
{
    hm_order_ends ends = *given; /* a copy, which no store to the lists can change */
    for (; n > 0; n--, ends.out++, ends.out_last--) {
        size_t is_late =
            hm_order_loop_is_late(ends.from_copies, ends.right, ends.left, size, compare, context);
        size_t taken = hm_order_choose(is_late, ends.left, ends.right);
        ends.to[ends.out] = ends.from[taken];
        memcpy(ends.to_copies + ends.out * size, ends.from_copies + taken * size, size);
        ends.right += is_late;
        ends.left += 1 - is_late;
        is_late = hm_order_loop_is_late(ends.from_copies, ends.right_last, ends.left_last, size,
                                        compare, context);
        taken = hm_order_choose(is_late, ends.right_last, ends.left_last);
        ends.to[ends.out_last] = ends.from[taken];
        memcpy(ends.to_copies + ends.out_last * size, ends.from_copies + taken * size, size);
        ends.left_last -= is_late;
        ends.right_last -= 1 - is_late;
    }
    *given = ends;
}

/* Merges two runs of n items each, half of all from each end. So neither run can become empty
 * before the end, and the loop need not test for that. The ends meet unless compare has lied; then
 * the runs stay as they were, so that no item is lost. Returns the number of compares. */
HM_INLINE uint32_t hm_order_loop_merge_pair(hm_order_ends *ends, uint32_t n, size_t size,
                                            hm_order_compare compare, void *context)
{
    size_t begin = ends->left, both = n + HM_CAST(size_t, n);
    bool is_sorted =
        !hm_order_loop_is_late(ends->from_copies, begin + n, begin + n - 1, size, compare, context);
    ends->left_last = begin + n - 1;
    ends->right = ends->left_last + 1;
    ends->right_last = ends->out_last = ends->left_last + n;
    ends->out = begin;
    if (!is_sorted)
        hm_order_loop_merge_ends(ends, n, size, compare, context);
    if (is_sorted || ends->left != ends->left_last + 1) {
        memcpy(ends->to_copies + begin * size, ends->from_copies + begin * size, both * size);
        memcpy(ends->to + begin, ends->from + begin, both * sizeof *ends->to);
    }
    return is_sorted ? 1 : 1 + 2 * n;
}

/* Puts a whole group in order: fours, then 8, 16, 32 and 64. */
HM_INLINE uint32_t hm_order_loop_sort_whole(unsigned char *copies, uint32_t *positions, size_t size,
                                            hm_order_compare compare, void *context)
{
    uint64_t other_copies[HM_ORDER_GROUP * (HM_ORDER_COPIED_SIZE / sizeof(uint64_t))];
    uint32_t other_positions[HM_ORDER_GROUP];
    hm_order_ends up, down;
    uint32_t i, n, compares = HM_ORDER_GROUP / 4 * 5;
    memset(&up, 0, sizeof up);
    down = up;
    up.from = down.to = positions;
    up.from_copies = down.to_copies = copies;
    up.to = other_positions;
    down.from = other_positions;
    up.to_copies = HM_POINTER_CAST(unsigned char *, other_copies);
    down.from_copies = up.to_copies;
    for (i = 0; i < HM_ORDER_GROUP; i += 4)
        hm_order_loop_sort_four(copies + i * size, positions + i, size, compare, context);
    for (n = 4; n < HM_ORDER_GROUP; n *= 2) {
        hm_order_ends *ends = n == 4 || n == 16 ? &up : &down;
        for (i = 0; i < HM_ORDER_GROUP; i += 2 * n) {
            ends->left = i;
            compares += hm_order_loop_merge_pair(ends, n, size, compare, context);
        }
    }
    return compares;
}

/* Puts a few items in order, by inserting each where halving says. */
HM_INLINE uint32_t hm_order_loop_sort_few(unsigned char *copies, uint32_t *positions, uint32_t n,
                                          size_t size, hm_order_compare compare, void *context)
{
    uint64_t waiting[HM_ORDER_COPIED_SIZE / sizeof(uint64_t)];
    uint32_t i, begin, end, middle, compares = 0;
    for (i = 1; i < n; i++) {
        uint32_t position = positions[i];
        for (begin = 0, end = i; begin < end; compares++) {
            middle = begin + (end - begin) / 2;
            if (hm_order_loop_is_late(copies, i, middle, size, compare, context))
                end = middle;
            else
                begin = middle + 1;
        }
        memcpy(waiting, copies + i * size, size);
        memmove(copies + (begin + 1) * size, copies + begin * size, (i - begin) * size);
        memcpy(copies + begin * size, waiting, size);
        memmove(positions + begin + 1, positions + begin, (i - begin) * sizeof *positions);
        positions[begin] = position;
    }
    return compares;
}

HM_INLINE uint32_t hm_order_loop_sort_group(unsigned char *copies, uint32_t *positions, uint32_t n,
                                            size_t size, hm_order_compare compare, void *context)
{
    if (n == HM_ORDER_GROUP)
        return hm_order_loop_sort_whole(copies, positions, size, compare, context);
    return hm_order_loop_sort_few(copies, positions, n, size, compare, context);
}

/* Every eighth item is asked first: with halving, each compare would have to wait for the one
 * before, or for a branch that is mispredicted every other time. */
#define HM_ORDER_REACH(is_beyond)                                                                  \
    do {                                                                                           \
        for (; n - at >= 8; at += 8) {                                                             \
            ++asked;                                                                               \
            other = item + step * HM_CAST(ptrdiff_t, at + 7);                                      \
            if (!(is_beyond))                                                                      \
                break;                                                                             \
        }                                                                                          \
        if (n - at > 7)                                                                            \
            n = at + 7;                                                                            \
        for (; at < n; at++) {                                                                     \
            ++asked;                                                                               \
            other = item + step * HM_CAST(ptrdiff_t, at);                                          \
            if (!(is_beyond))                                                                      \
                break;                                                                             \
        }                                                                                          \
    } while (0)

HM_INLINE uint32_t hm_order_loop_reach(uint64_t *compares, const void *probe, const void *items,
                                       size_t stride, uint32_t n, bool is_up,
                                       hm_order_compare compare, void *context)
{
    const unsigned char *item = HM_CAST(const unsigned char *, items), *other;
    ptrdiff_t step = HM_CAST(ptrdiff_t, stride);
    uint32_t at = 0, asked = 0;
    if (is_up) {
        HM_ORDER_REACH(compare(other, probe, context) < 0);
    } else {
        step = -step;
        HM_ORDER_REACH(compare(probe, other, context) < 0);
    }
    *compares += asked;
    return at;
}

HM_INLINE uint32_t hm_order_loop_reach_keys(uint64_t *compares, uint64_t probe, const void *items,
                                            size_t stride, uint32_t n, bool is_up, hm_order_key key,
                                            void *context)
{
    const unsigned char *item = HM_CAST(const unsigned char *, items), *other;
    ptrdiff_t step = HM_CAST(ptrdiff_t, stride);
    uint32_t at = 0, asked = 0;
    if (is_up) {
        HM_ORDER_REACH(key(other, context) < probe);
    } else {
        step = -step;
        HM_ORDER_REACH(probe < key(other, context));
    }
    *compares += asked;
    return at;
}

HM_INLINE uint32_t hm_order_loop_pass_keys(uint64_t *keys, const void *items, size_t stride,
                                           uint32_t n, hm_order_key key, void *context)
{
    const unsigned char *item = HM_CAST(const unsigned char *, items);
    uint64_t last = keys[0], next;
    uint32_t passed = 0;
    for (; passed < n; passed++, item += stride, last = next) {
        next = key(item, context);
        if (next < last) {
            keys[1] = next;
            break;
        }
    }
    keys[0] = last;
    return passed;
}

HM_INLINE void hm_order_loop_extract(uint64_t *keys, const void *items, size_t stride, uint32_t n,
                                     hm_order_key key, void *context)
{
    const unsigned char *item = HM_CAST(const unsigned char *, items);
    uint32_t i;
    for (i = 0; i < n; i++, item += stride)
        keys[i] = key(item, context);
}

#endif

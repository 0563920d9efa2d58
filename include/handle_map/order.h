/* SPDX-License-Identifier: MIT */
/* order: what an order and a budget are. hm_map_defragment and its like bring a container nearer to
 * an order within a budget, call by call, in O(n) exchanges whatever the disorder.
 *
 * Between calls the program may change anything; a change costs the compares of the items that
 * changed, and the swaps of those that give way to them. Order is stable. A compare function that
 * is no strict weak order ends all the same, and leaves a permutation.
 *
 *     static int by_depth(const void *a, const void *b, void *context)
 *     {
 *         const struct sprite *left = a, *right = b;
 *         return (left->depth > right->depth) - (left->depth < right->depth);
 *     }
 *     const hm_order order = {.compare = by_depth};
 *     const hm_budget budget = {.max_swaps = 1000, .max_compares = 10000};
 *     bool in_order = hm_map_defragment(&sprites, &order, budget).done;
 *
 * Owns: nothing. Threads: these are plain values. */
#ifndef HANDLE_MAP_ORDER_H
#define HANDLE_MAP_ORDER_H

#include <handle_map/base.h>

/* Give compare or key. Both: the key decides first, compare breaks ties. They must be a strict weak
 * order; neither may change an item or the container. */
typedef struct hm_order {
    int (*compare)(const void *a, const void *b, void *context); /* below 0: a stands before b */
    uint64_t (*key)(const void *item, void *context);            /* smaller keys stand first */
    void *context;                                               /* handed to both */
} hm_order;

/* What one call may spend. 0: no limit. When no budget is left, skip the call. */
typedef struct hm_budget {
    uint32_t max_swaps;    /* exchanges of two items; moving k around a ring is k - 1 */
    uint32_t max_compares; /* calls of compare and of key together */
} hm_budget;

typedef struct hm_progress {
    uint64_t swaps;    /* spent in this call */
    uint64_t compares; /* spent in this call */
    bool done;         /* everything is in order */
} hm_progress;

#endif

/* SPDX-License-Identifier: MIT */
/* order: what an order and a budget are. hm_map_defragment and similar functions bring a container
 * nearer to an order, within a budget for each call, in O(n) exchanges whatever the disorder.
 *
 * Between calls the program may change anything; a change costs the compares of the items that
 * changed, and the swaps of the items that give way to them. The sort is stable. Even if the
 * compare function is no strict weak order, it ends, and leaves a permutation. Example:
 *
 *     static int by_depth(const void *a, const void *b, void *context)
 *     {
 *         const struct sprite *left = a, *right = b;
 *         return (left->depth > right->depth) - (left->depth < right->depth);
 *     }
 *
 *     const hm_order order = {.compare = by_depth};
 *     const hm_budget budget = {.max_swaps = 1000, .max_compares = 10000};
 *     bool in_order = hm_map_defragment(&map, &order, budget).done;
 *
 * Owns: nothing. Threads: these are plain values. */
#ifndef HANDLE_MAP_ORDER_H
#define HANDLE_MAP_ORDER_H

#include <handle_map/base.h>

/* Set `compare` or `key`, or both: then the key decides first and compare breaks ties. They must
 * form a strict weak order, and must not change an item or the container. */
typedef struct hm_order {
    int (*compare)(const void *a, const void *b, void *context); /* below 0: a comes before b */
    uint64_t (*key)(const void *item, void *context);            /* smaller keys come first */
    void *context;                                               /* passed to both */
} hm_order;

/* What one call may spend. 0 means no limit: when a budget is used up, skip the call. Example:
 *
 *     hm_budget budget = {.max_swaps = 1000};
 *     budget.max_swaps -= (uint32_t)hm_map_defragment(&map, &order, budget).swaps;
 *     if (budget.max_swaps != 0)
 *         hm_map_defragment(&other_map, &order, budget);
 */
typedef struct hm_budget {
    uint32_t max_swaps;    /* exchanges of two items; rotating k items takes k - 1 */
    uint32_t max_compares; /* calls of compare and of key together */
} hm_budget;

typedef struct hm_progress {
    uint64_t swaps;    /* spent in this call */
    uint64_t compares; /* spent in this call */
    bool done;         /* everything is in order */
} hm_progress;

#endif

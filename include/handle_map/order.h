/* SPDX-License-Identifier: MIT */
/* order: how to sort a container: what an order and a budget are. hm_map_defragment and its like
 * sort, as far as a budget allows. They take O(n) exchanges, however disordered the items are.
 *
 * Between calls the program may change anything; a change costs the compares of the items that
 * changed, and the swaps of the items that give way to them. The sort is stable. Even with a
 * compare function that is not a strict weak order it ends, and leaves a permutation of the items.
 * Example:
 *
 *     static int by_depth(const void *a, const void *b, void *context)
 *     {
 *         const struct sprite *left = a, *right = b;
 *         return (left->depth > right->depth) - (left->depth < right->depth);
 *     }
 *
 *     const hm_order order = {.compare = by_depth};
 *     hm_frame_budget budget = hm_frame_budget_of(1000, 10000); // for this frame
 *     bool in_order = hm_map_defragment(&map, &order, &budget).done;
 *
 * Owns: nothing. Threads: these are plain values. */
#ifndef HANDLE_MAP_ORDER_H
#define HANDLE_MAP_ORDER_H

#include <handle_map/base.h>
#ifndef HM_WITHOUT_ORDER
#include <handle_map/detail/order_loops.h>

/* Set `compare` or `key`, or both: then the key decides first and compare breaks ties. They must
 * form a strict weak order, and must not change an item or the container. */
typedef struct hm_order {
    int (*compare)(const void *a, const void *b, void *context); /* below 0: a comes before b */
    uint64_t (*key)(const void *item, void *context);            /* smaller keys come first */
    void *context;                                               /* passed to both */
    const hm_order_loops *loops; /* of a typed order, below; else NULL */
} hm_order;

#endif

/* A limit that nothing uses up. */
#define HM_NO_LIMIT UINT32_MAX

/* What calls may still spend. Each call lowers the limits by what it used, so that the calls of a
 * frame, for any containers, share one budget: begin each frame with a new one. When a limit is 0,
 * or a call ends not done without a failure, the budget is spent: every later call with it does
 * nothing, and says done only if that is known without work. Where a budget is passed, NULL means
 * no limit. Example:
 *
 *     hm_frame_budget budget = hm_frame_budget_of(1000, HM_NO_LIMIT);
 *     hm_map_defragment(&map, &order, &budget);
 *     hm_map_defragment(&other_map, &order, &budget); // with what is left of the 1000 swaps
 */
typedef struct hm_frame_budget {
    uint32_t swaps_left;    /* exchanges of two items, or HM_NO_LIMIT; rotating k takes k - 1 */
    uint32_t compares_left; /* calls of compare and of key together, or HM_NO_LIMIT */
    bool is_spent;          /* a limit was used up, or a call would have needed more */
} hm_frame_budget;

/* Returns a budget with these limits: HM_NO_LIMIT, or what the frame has time for. With a limit of
 * 0 it is spent. Cannot fail. O(1). */
static inline hm_frame_budget hm_frame_budget_of(uint32_t swaps, uint32_t compares)
{
    hm_frame_budget budget;
    budget.swaps_left = swaps;
    budget.compares_left = compares;
    budget.is_spent = swaps == 0 || compares == 0;
    return budget;
}

/* Whether calls with this budget do nothing. NULL is a budget without limits. Cannot fail. O(1). */
static inline bool hm_frame_budget_is_spent(const hm_frame_budget *budget)
{
    return budget != NULL &&
           (budget->is_spent || budget->swaps_left == 0 || budget->compares_left == 0);
}

typedef struct hm_progress {
    uint64_t swaps;    /* spent in this call */
    uint64_t compares; /* spent in this call */
    bool done;         /* everything is in order */
    /* HM_ERROR_MEMORY: the call ended early, and the next one tries again; HM_ERROR_BUSY: it did
     * nothing, since one of the container's callbacks is running. hm_last_error says more. A loop
     * until all is done ends when this is not HM_OK. */
    hm_status status;
} hm_progress;

#ifndef HM_WITHOUT_ORDER

/* A typed order: `name` is a static const hm_order by `compare`, whose arguments are two `const
 * type *` and the context. Pass &name wherever an order is expected. The macro compiles the
 * library's loops together with `compare`, so most compares are inlined instead of called. Budgets
 * still count each compare, and the result is the same. `compare` may be shown copies of small
 * items (up to 32 bytes) instead of the items in the container, so it must not rely on addresses.
 * Example:
 *
 *     static int nearer_first(const struct sprite *a, const struct sprite *b, void *context)
 *     {
 *         return a->depth < b->depth ? -1 : 0; // only whether it is below 0 matters
 *     }
 *
 *     HM_ORDER_DEFINE(by_depth, struct sprite, nearer_first)
 *
 *     hm_map_defragment(&map, &by_depth, &budget);
 *
 * To set a context, copy the order: `hm_order order = by_depth; order.context = &camera;`. Each
 * definition is an order of its own: if several files put the same container in order, define the
 * order in one of them, and export a pointer to it. */
#define HM_ORDER_DEFINE(name, type, compare)                                                       \
    HM_ORDER_LOOPS(name, type, compare)                                                            \
    HM_UNUSED static const hm_order_loops name##_hm_loops = HM_ORDER_TABLE(name, type);            \
    HM_UNUSED static const hm_order name = {name##_hm_compare, NULL, NULL, &name##_hm_loops};

/* The same by a key: `uint64_t key(const type *item, void *context)`, which is always shown the
 * item in its container. */
#define HM_ORDER_DEFINE_KEY(name, type, key)                                                       \
    HM_ORDER_KEY_LOOPS(name, type, key)                                                            \
    HM_UNUSED static const hm_order_loops name##_hm_loops = HM_ORDER_KEY_TABLE(name);              \
    HM_UNUSED static const hm_order name = {NULL, name##_hm_key, NULL, &name##_hm_loops};

/* For the macros above, and for order.hpp: the functions of the loops, and their table. */
#define HM_ORDER_LOOPS(name, type, compare)                                                        \
    HM_UNUSED static int name##_hm_compare(const void *hm_a, const void *hm_b, void *hm_context)   \
    {                                                                                              \
        return compare(HM_CAST(type const *, hm_a), HM_CAST(type const *, hm_b), hm_context);      \
    }                                                                                              \
    HM_UNUSED static uint32_t name##_hm_pass(                                                      \
        uint64_t *hm_keys, /* NOLINT(readability-non-const-parameter) */                           \
        const void *hm_last, const void *hm_items, size_t hm_stride, uint32_t hm_n,                \
        void *hm_context)                                                                          \
    {                                                                                              \
        (void)hm_keys;                                                                             \
        return hm_order_loop_pass(hm_last, hm_items, hm_stride, hm_n, name##_hm_compare,           \
                                  hm_context);                                                     \
    }                                                                                              \
    HM_UNUSED static uint32_t name##_hm_sort_group(                                                \
        unsigned char *hm_copies, uint32_t *hm_positions, uint32_t hm_n, void *hm_context)         \
    {                                                                                              \
        return hm_order_loop_sort_group(hm_copies, hm_positions, hm_n, HM_ORDER_COPY_SIZE(type),   \
                                        name##_hm_compare, hm_context);                            \
    }                                                                                              \
    HM_UNUSED static void name##_hm_merge_ends(hm_order_ends *hm_ends, uint32_t hm_n,              \
                                               void *hm_context)                                   \
    {                                                                                              \
        hm_order_loop_merge_ends(hm_ends, hm_n, HM_ORDER_COPY_SIZE(type), name##_hm_compare,       \
                                 hm_context);                                                      \
    }                                                                                              \
    HM_UNUSED static uint32_t name##_hm_reach(                                                     \
        uint64_t *hm_compares, const void *hm_probe, uint64_t hm_probe_key, const void *hm_items,  \
        size_t hm_stride, uint32_t hm_n, bool hm_is_up, void *hm_context)                          \
    {                                                                                              \
        (void)hm_probe_key;                                                                        \
        return hm_order_loop_reach(hm_compares, hm_probe, hm_items, hm_stride, hm_n, hm_is_up,     \
                                   name##_hm_compare, hm_context);                                 \
    }

#define HM_ORDER_TABLE(name, type)                                                                 \
    {                                                                                              \
        name##_hm_compare, NULL, HM_ORDER_COPY_SIZE(type), name##_hm_pass, NULL,                   \
            name##_hm_sort_group, name##_hm_merge_ends, name##_hm_reach                            \
    }

#define HM_ORDER_KEY_LOOPS(name, type, key)                                                        \
    HM_UNUSED static uint64_t name##_hm_key(const void *hm_item, void *hm_context)                 \
    {                                                                                              \
        return key(HM_CAST(type const *, hm_item), hm_context);                                    \
    }                                                                                              \
    HM_UNUSED static uint32_t name##_hm_pass(uint64_t *hm_keys, const void *hm_last,               \
                                             const void *hm_items, size_t hm_stride,               \
                                             uint32_t hm_n, void *hm_context)                      \
    {                                                                                              \
        (void)hm_last;                                                                             \
        return hm_order_loop_pass_keys(hm_keys, hm_items, hm_stride, hm_n, name##_hm_key,          \
                                       hm_context);                                                \
    }                                                                                              \
    HM_UNUSED static void name##_hm_extract(uint64_t *hm_keys, const void *hm_items,               \
                                            size_t hm_stride, uint32_t hm_n, void *hm_context)     \
    {                                                                                              \
        hm_order_loop_extract(hm_keys, hm_items, hm_stride, hm_n, name##_hm_key, hm_context);      \
    }                                                                                              \
    HM_UNUSED static uint32_t name##_hm_reach(                                                     \
        uint64_t *hm_compares, const void *hm_probe, uint64_t hm_probe_key, const void *hm_items,  \
        size_t hm_stride, uint32_t hm_n, bool hm_is_up, void *hm_context)                          \
    {                                                                                              \
        (void)hm_probe;                                                                            \
        return hm_order_loop_reach_keys(hm_compares, hm_probe_key, hm_items, hm_stride, hm_n,      \
                                        hm_is_up, name##_hm_key, hm_context);                      \
    }

#define HM_ORDER_KEY_TABLE(name)                                                                   \
    {                                                                                              \
        NULL, name##_hm_key, 0, name##_hm_pass, name##_hm_extract, NULL, NULL, name##_hm_reach     \
    }

/* The bytes of an item that is sorted as a copy, or 0. */
#define HM_ORDER_COPY_SIZE(type)                                                                   \
    (sizeof(type) <= HM_ORDER_COPIED_SIZE && HM_ALIGNOF(type) <= HM_ORDER_COPIED_ALIGN             \
         ? sizeof(type)                                                                            \
         : 0)

#endif

#endif

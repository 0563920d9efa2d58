/* order: what an order and a budget are, and the machinery that brings anything with indices into
 * order, step by step.
 *
 * The algorithm is insertion sort that stops anywhere and resumes where it stopped:
 *
 *     0                 place          at            cursor          count
 *     |== in order =======|== in order, moved up later ==|.. not seen yet ..|
 *                         ^--- shifts ---[item]
 *
 * Everything below `cursor` is in order, but for the one item in flight, which stands at `at`, in
 * the sequence like any other, on its way down to its place. The place is found by galloping
 * (Bentley and Yao, "An Almost Optimal Algorithm for Unbounded Searching", 1976) from where the
 * item before it was placed. An item that is in order therefore costs one compare, and one of a run
 * of items that all have to pass the same outliers costs two.
 *
 * Between calls the owner may change anything, and reports positions whose item changed with
 * hm_order_disturb: the machinery then sees the sequence as in order up to there only.
 *
 * Order is stable. A compare function that is no strict weak order ends all the same, and leaves a
 * permutation.
 *
 * Owns: nothing; hm_order_state is a plain value, zero at the start.
 * Threads: as its owner. */
#ifndef HANDLE_MAP_ORDER_H
#define HANDLE_MAP_ORDER_H

#include <handle_map/base.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* What is brought into order. */
typedef struct hm_sequence {
    const void *(*at)(const void *owner, uint32_t index);
    /* Moves the item at `from` down to `to` < from; those between move up by one. */
    void (*move)(void *owner, uint32_t from, uint32_t to);
    void *owner;
    uint32_t count; /* items */
} hm_sequence;

typedef enum hm_order_phase {
    HM_ORDER_START = 0, /* the item at `at` has not been compared yet */
    HM_ORDER_DOWN,      /* galloping away from `high` */
    HM_ORDER_UP,        /* galloping away from `low` */
    HM_ORDER_HALVE      /* binary search between them */
} hm_order_phase;

/* Where the machinery stopped. All fields are private. */
typedef struct hm_order_state {
    hm_order order;     /* what the state speaks of */
    uint32_t cursor;    /* positions below it are in order, but for the item in flight */
    uint32_t at;        /* position of the item that is being placed */
    uint32_t low, high; /* its place is in [low, high], as positions */
    uint32_t step;      /* positions to the next probe of a gallop */
    uint32_t last;      /* position where the item before it was placed: the first probe */
    hm_order_phase phase;
    uint64_t item_key;  /* key of the item that is being placed, if has_item_key */
    uint64_t probe_key; /* key of the item it is compared with, if has_probe_key */
    bool has_item_key, has_probe_key;
} hm_order_state;

/* Brings the sequence nearer to the order within the budget; the state carries on from call to
 * call. Returns what was spent, and `done` when all is in order; it cannot fail. A NULL argument,
 * or an order with neither compare nor key, is a broken contract. Callbacks see the sequence whole.
 * Invalidates positions, as the sequence's `move` says. At most the budget's work; without one, up
 * to O(n^2) moves. */
HM_API hm_progress hm_order_run(hm_order_state *state, const hm_order *order,
                                const hm_sequence *sequence, hm_budget budget);

/* The part of disturb that is not inline: from `index` on, nothing counts as in order. O(1). */
HM_API void hm_order_rewind(hm_order_state *state, uint32_t index);

/* Another item stands at `index` now, or its key may have changed, or nothing stands there or
 * beyond. Costs one predictable branch where nothing was put in order up to there. */
static inline void hm_order_disturb(hm_order_state *state, uint32_t index)
{
    if (index <= state->cursor)
        hm_order_rewind(state, index);
}

#ifdef __cplusplus
}
#endif

#endif

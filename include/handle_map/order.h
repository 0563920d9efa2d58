/* SPDX-License-Identifier: MIT */
/* order: what an order and a budget are, and the machinery that brings anything with indices into
 * order, step by step, in O(n) exchanges whatever the disorder.
 *
 *     0                                              cursor          count
 *     |== in order, but for the marked positions ======|.. not seen yet ..|
 *            ^ pending          ^ pending
 *
 * Positions below `cursor` are *managed*. Each has a mark, and the one invariant is that the
 * managed positions whose mark is *clean* are in order, without the others. Done means that the
 * cursor is at the end and every mark clean. A round takes these steps, each of which stops
 * anywhere and resumes:
 *
 *     scan     moves the cursor on with one compare an item, and marks misfits *pending* where they
 *              stand; if more than a quarter does not fit, everything is lifted
 *     lift     lists the pending items, which are *lifted* from then on
 *     sort     sorts the list: by merging, or by the digits of the keys; nothing moves
 *     locate   gallops to the gap among the clean items that each one belongs in; nothing moves
 *     place    goes from left to right and exchanges what belongs to a position with what stands
 *              there; clean items that give way wait, *queued*, where the others came from
 *
 * Galloping is the unbounded search of Bentley and Yao ("An Almost Optimal Algorithm for Unbounded
 * Searching", 1976).
 *
 * Sort, locate and place need scratch memory, 16 bytes for each lifted item, 32 with keys, which is
 * given back at the end of a round; of the system's memory, a large part is taken as huge pages.
 * Where it is refused, the items are put in order by a resumable insertion sort, which needs none.
 * It runs to its end even if memory becomes available meanwhile: to know that, each call would have
 * to ask for it.
 *
 * Between calls the owner may change anything. It reports positions below the cursor whose item
 * changed; they become pending, and what was known of their items is void. So a change costs the
 * compares of the items that changed, and the swaps of those that give way to them.
 *
 * Order is stable. A compare function that is no strict weak order ends all the same, and leaves a
 * permutation: a round asks at most 10 n + n log2 n + 2 m log2 n times for n items and m lifted
 * ones, and swaps at most n times.
 *
 * Owns: the marks, 2 bits for each position, and the scratch memory.
 * Threads: as its owner. */
#ifndef HANDLE_MAP_ORDER_H
#define HANDLE_MAP_ORDER_H

#include <handle_map/array.h>
#include <handle_map/handle.h>

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

/* What is brought into order. A slot names an item wherever it stands. */
typedef struct hm_sequence {
    unsigned char *items; /* what compare and key are shown */
    size_t item_size;     /* bytes from one item to the next */
    uint32_t *slots;      /* position -> slot */
    hm_handle *entries;   /* slot -> position, in the lower half */
    uint32_t slot_count;  /* slots; entries has so many */
    uint32_t count;       /* items */
    uint32_t capacity;    /* most items */
    /* Two items, their slots and their entries have been exchanged; the rest is the owner's. NULL
     * when there is no rest. */
    void (*swapped)(void *owner, uint32_t a, uint32_t b);
    /* Returns the position of a handle's item, or HM_INVALID_INDEX. */
    uint32_t (*find)(const void *owner, hm_handle handle);
    void *owner;
    const hm_memory *memory;
} hm_sequence;

typedef enum hm_order_phase {
    HM_ORDER_SCAN = 0,  /* the item at the cursor is compared with the last clean one */
    HM_ORDER_OUTLIER,   /* it does not fit: is the last clean one the misfit? */
    HM_ORDER_LOOK_BACK, /* a run does not fit: are the last clean ones the misfits? */
    HM_ORDER_DROP,      /* they are: their marks are changed */
    HM_ORDER_COUNT,     /* pending items are counted */
    HM_ORDER_LIFT,      /* pending items are listed */
    HM_ORDER_LIFT_ALL,  /* all items are listed */
    HM_ORDER_EXTRACT,   /* keys are asked for */
    HM_ORDER_TALLY,     /* one digit of the keys is counted */
    HM_ORDER_SCATTER,   /* the list is dealt out by that digit */
    HM_ORDER_MERGE,     /* runs of the list are merged */
    HM_ORDER_LOCATE,    /* the gap of a lifted item is searched */
    HM_ORDER_PLACE,     /* items go to their positions */
    HM_ORDER_INSERT,    /* insertion sort, without scratch memory */
    HM_ORDER_VERIFY,    /* an arrangement: do the first items stand as they are named? */
    HM_ORDER_SPREAD,    /* the marks behind them are cleared */
    HM_ORDER_NAME,      /* the named ones are listed */
    HM_ORDER_PULL       /* they are brought down one by one, without scratch memory */
} hm_order_phase;

/* The lifted items, in scratch memory. */
typedef struct hm_order_batch {
    hm_array scratch;    /* 8-byte cells that all of the following lie in */
    uint32_t *items[2];  /* the list, and what it is sorted into; then the gaps. Items are named by
                            their positions until they are located, then by their slots */
    uint64_t *keys[2];   /* NULL without keys */
    uint32_t *tally;     /* a number for each value of a digit */
    uint32_t *queue;     /* slots of clean items that gave way: a ring */
    uint32_t *origins;   /* the positions where they stood */
    uint32_t room;       /* items that the lists hold */
    uint32_t size;       /* items in the list */
    uint32_t side;       /* which of the two lists holds it */
    uint32_t next;       /* items that the phase is through with */
    uint32_t digit;      /* of the keys: its lowest bit */
    uint32_t digit_bits; /* its length in bits */
    uint64_t varying;    /* bits in which keys differ */
    uint32_t queue_head; /* index in the ring */
    uint32_t queue_size; /* items */
} hm_order_batch;

/* The two runs that are being merged: what is left of each, and of the place for both. */
typedef struct hm_order_merge {
    uint32_t width;             /* items in a run */
    uint32_t left, left_end;    /* items */
    uint32_t right, right_end;  /* items */
    uint32_t out;               /* where the next one goes */
    uint32_t end;               /* of both runs, as they were */
    bool is_checked, is_sorted; /* whether all of left stands before all of right */
} hm_order_merge;

/* Where the machinery stopped. All fields are private. Zero at the start. */
typedef struct hm_order_state {
    hm_order order;         /* what the state is for */
    const hm_handle *names; /* or these, if is_arranging */
    uint32_t name_count;    /* handles */
    bool is_arranging;
    uint32_t name; /* handles that the phase is through with */
    hm_order_phase phase;
    uint32_t cursor;              /* positions below it are managed */
    uint32_t dirty_low;           /* no position below it is pending */
    uint32_t dirty_high;          /* none at or above it; 0: none at all */
    uint32_t last;                /* the last clean position below the cursor is below it */
    bool is_last_known;           /* and it is last - 1, or there is none */
    bool is_disturbed;            /* something changed since the round was begun */
    bool is_inserted;             /* insertion sort came to the end */
    uint32_t run;                 /* misfits in a row before the cursor */
    uint32_t run_limit;           /* so many lead to the phase DROP */
    uint32_t misfits;             /* found since the scan began */
    uint32_t at;                  /* position that a phase has come to */
    uint32_t low, high;           /* a place that is searched is in [low, high], as positions */
    uint32_t step;                /* positions to the next probe of a gallop; 0: halving */
    uint32_t probe;               /* the last clean position below it is compared with; 0: none */
    uint32_t clean;               /* in PLACE: no item below it is clean, from `at` on */
    uint64_t item_key, probe_key; /* the keys of the items being compared, if asked already */
    bool has_item_key, has_probe_key;
    uint64_t *marks; /* 2 bits for each position */
    hm_array mark_array;
    hm_order_batch batch;
    hm_order_merge merge;
} hm_order_state;

/* A NULL argument is a broken contract in all of these functions. */

/* Releases the memory and zeroes the state; cannot fail. Positions stay. O(1). */
HM_API void hm_order_fini(hm_order_state *state);

/* Forgets what was known about the order; cannot fail. Positions stay. O(1). */
HM_API void hm_order_reset(hm_order_state *state);

/* Brings the sequence nearer to the order within the budget; the state carries on from call to
 * call. Returns what was spent, and `done` when all is in order; it cannot fail. An order with
 * neither compare nor key is a broken contract too. Callbacks see the sequence whole. Invalidates
 * positions. At most the budget's work, and of other work 4 entries of a list for each swap and
 * compare that it allows, plus 4,096. */
HM_API hm_progress hm_order_run(hm_order_state *state, const hm_order *order,
                                const hm_sequence *sequence, hm_budget budget);

/* The same for an order that is given as n handles, which may be NULL if n is 0. They are read in
 * these calls only; the state knows them by their pointer and n. */
HM_API hm_progress hm_order_arrange(hm_order_state *state, const hm_handle *names, uint32_t n,
                                    const hm_sequence *sequence, hm_budget budget);

/* To be called before positions are renumbered: puts down all items that are on their way; cannot
 * fail. No callback but the sequence's `swapped` runs. Invalidates positions. O(n). */
HM_API void hm_order_settle(hm_order_state *state, const hm_sequence *sequence);

/* Settled positions a < b are about to be exchanged; the marks go with the items. Cannot fail.
 * O(1). */
HM_API void hm_order_exchange(hm_order_state *state, uint32_t a, uint32_t b);

/* After settle: only the first `count` positions are managed from now on. Cannot fail. O(1). */
HM_API void hm_order_cut(hm_order_state *state, uint32_t count);

/* Gives back memory that no more than `count` positions need. HM_ERROR_MEMORY when the system
 * refuses; nothing has changed then. Positions stay. At most one decommit. */
HM_API hm_status hm_order_trim(hm_order_state *state, uint32_t count);

/* The part of disturb that is not inline. */
HM_API void hm_order_disturb_managed(hm_order_state *state, uint32_t index, uint32_t count);

/* Another item stands at `index` now, or its key may have changed, or nothing stands there or
 * beyond: `count` positions are left. Costs one predictable branch where nothing is managed up to
 * there. O(1). */
static inline void hm_order_disturb(hm_order_state *state, uint32_t index, uint32_t count)
{
    if (index <= state->cursor)
        hm_order_disturb_managed(state, index, count);
}

#ifdef __cplusplus
}
#endif

#endif

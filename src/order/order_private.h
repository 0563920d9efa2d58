/* SPDX-License-Identifier: MIT */
/* order: puts any sequence with positions in order, step by step, in O(n) exchanges whatever the
 * disorder. This header is for the modules above, which own what is ordered.
 *
 *     0                                              cursor          count
 *     |== in order, but for the marked positions ======|.. not seen yet ..|
 *            ^ pending          ^ pending
 *
 * Positions below `cursor` are *managed*. Each has a mark, and the one invariant is that the items
 * at managed positions whose mark is *clean* are in order among themselves. Done means that the
 * cursor is at the end and every mark is clean. A round has these steps, each of which can stop
 * anywhere and resume:
 *
 *     scan     moves the cursor on with one compare an item, and marks misfits *pending* in place;
 *              if more than a quarter does not fit, everything is lifted
 *     lift     lists the pending items, which are *lifted* from then on
 *     sort     sorts the list, by merging or by the digits of the keys; no item moves
 *     locate   gallops to the gap among the clean items where each one belongs; a typed order
 *              looks near the item first; no item moves
 *     place    goes from left to right and exchanges what belongs at a position with what is
 *              there; clean items that give way wait, *queued*, where the others came from
 *
 * Galloping is the unbounded search of Bentley and Yao ("An Almost Optimal Algorithm for Unbounded
 * Searching", 1976).
 *
 * Sort, locate and place need scratch memory, which is given back at the end of a round: 16 bytes
 * for each lifted item; 24 with keys; 8 and two copies, of at least 4 bytes, with copies of items;
 * of the system's memory, a large part is taken as huge pages. If it is refused, the call ends, and
 * the next one asks again.
 *
 * Between calls the owner may change anything. It reports positions below the cursor whose item
 * changed; they become pending, and what was known of their items is *void*. So a change costs the
 * compares of the changed items, and the swaps of those that make space for them.
 *
 * Order is stable. Even with a compare function that is not a strict weak order, a run ends and
 * leaves a permutation: a round compares at most 10 n + n log2 n + 2 m log2 n times for n items and
 * m lifted ones, and swaps at most n times.
 *
 * Owns: the marks, 2 bits for each position, and the scratch memory.
 * Threads: as its owner. A NULL argument is a broken contract in all of these functions. */
#ifndef HANDLE_MAP_ORDER_PRIVATE_H
#define HANDLE_MAP_ORDER_PRIVATE_H

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

#include <handle_map/order.h>

#ifndef HM_WITHOUT_ORDER
/* The state of a sort that stopped, so that it can resume. A container that can be put in order has
 * a pointer to one, which is NULL until the first call that needs it. */
typedef enum hm_order_phase {
    HM_ORDER_SCAN = 0, /* the item at the cursor is compared with the last clean one */
    HM_ORDER_COUNT,    /* pending items are counted */
    HM_ORDER_LIFT,     /* pending items are listed */
    HM_ORDER_LIFT_ALL, /* all items are listed */
    HM_ORDER_EXTRACT,  /* keys are computed, or small items copied */
    HM_ORDER_TALLY,    /* one digit of the keys is counted */
    HM_ORDER_SCATTER,  /* the list is distributed by that digit */
    HM_ORDER_MERGE,    /* runs of the list are merged */
    HM_ORDER_LOCATE,   /* the gap of a lifted item is searched for */
    HM_ORDER_PLACE,    /* items are moved to their positions */
    HM_ORDER_VERIFY,   /* an arrangement: are the first items in the order of their names? */
    HM_ORDER_SPREAD,   /* the marks behind them are cleared */
    HM_ORDER_NAME,     /* the named items are listed */
    HM_ORDER_PAUSE     /* no phase: the budget is used up, or all is done */
} hm_order_phase;

/* What the scan does with the item at the cursor. */
typedef enum hm_order_doubt {
    HM_ORDER_NO_DOUBT = 0, /* it is compared with the last clean one */
    HM_ORDER_DOUBT_LAST,   /* it does not fit: is the last clean one the misfit? */
    HM_ORDER_DOUBT_BEFORE, /* a run does not fit: are the clean ones before it the misfits? */
    HM_ORDER_DROP_BEFORE   /* they are: their marks are changed */
} hm_order_doubt;

typedef struct hm_order_scan {
    hm_order_doubt doubt;
    uint32_t last_end;  /* position; the last clean one below the cursor is below it */
    bool is_last_known; /* that one is last_end - 1, or there is none */
    uint32_t run;       /* misfits in a row before the cursor */
    uint32_t run_limit; /* misfits in a row that cast doubt on the clean items before them */
    uint32_t misfits;   /* found since the scan began */
    uint32_t passed;    /* clean items before the run that are in doubt so far */
    uint32_t probe_end; /* position; the last clean one below it is compared next; 0: none */
} hm_order_scan;

/* The keys of the two items that are being compared, if they were computed already. */
typedef struct hm_order_keys {
    uint64_t item, probe;
    bool has_item, has_probe;
} hm_order_keys;

/* The pending positions that a round takes. */
typedef struct hm_order_lift {
    uint32_t begin, end; /* positions */
    uint32_t position;   /* where the phase is */
} hm_order_lift;

/* The lifted items, in scratch memory. */
typedef struct hm_order_batch {
    hm_array scratch;   /* 8-byte cells, which hold all the arrays below */
    uint32_t *items[2]; /* the list, and what it is sorted into; then the gaps. Items are named by
                           their positions until they are located, then by their slots */
    uint64_t *keys[2];  /* beside the items; NULL without keys */
    unsigned char *copies[2]; /* beside the items, if a typed order compares copies of them */
    size_t copy_size;         /* bytes of a copy; 0: there are none */
    uint32_t *tally;          /* a count for each value of a digit */
    uint32_t *queue;     /* slots of clean items that gave way: a ring. Where keys or copies were */
    uint32_t *origins;   /* the positions that they had */
    uint32_t tally_bits; /* bits in the largest digit that the tally has counts for */
    uint32_t capacity;   /* items that the lists hold */
    uint32_t count;      /* items in the list */
    uint32_t current;    /* which of the two lists holds it */
    uint32_t next;       /* index of the item where the phase is */
} hm_order_batch;

typedef struct hm_order_digits {
    uint32_t shift;   /* bits from a key's lowest to the digit's lowest */
    uint32_t bits;    /* bits in a digit */
    uint64_t varying; /* bits in which keys differ */
} hm_order_digits;

/* The two runs that are being merged: what remains of each, and of the space for both. */
typedef struct hm_order_merge {
    uint32_t width;             /* items in a run */
    uint32_t left, left_end;    /* items */
    uint32_t right, right_end;  /* items */
    uint32_t out;               /* where the next one goes */
    uint32_t end;               /* of both runs, before the merge */
    bool is_checked, is_sorted; /* whether all of left belongs before all of right */
} hm_order_merge;

/* The search for an item's place: it is before one of the positions from `begin` to `end`. */
typedef struct hm_order_search {
    uint32_t begin, end; /* positions */
    uint32_t step;       /* positions to the next probe of a gallop; 0: halving */
    uint32_t probe_end;  /* LOCATE: the last clean position below it is compared; 0: not chosen */
} hm_order_search;

typedef struct hm_order_place {
    uint32_t target;      /* position; everything below it is in its final order */
    uint32_t clean;       /* position; from the target on no item below it is clean */
    uint32_t queue_head;  /* index in the batch's ring */
    uint32_t queue_count; /* items in the ring */
} hm_order_place;

typedef struct hm_order_arrangement {
    const hm_handle *names;
    uint32_t name_count; /* handles */
    uint32_t next_name;  /* index of the name where the phase is */
    uint32_t target;     /* position; all items below it are in the order of their names */
} hm_order_arrangement;

/* Zero at the start. The state is the beginning of a range whose rest are the marks, so that both
 * take one reservation. */
typedef struct hm_order_state {
    hm_array range;  /* uint64_t: this state, and then the marks */
    uint64_t *marks; /* 2 bits for each position */
    uint32_t cursor; /* positions below it are managed */
    hm_order_phase phase;
    uint32_t pending_begin; /* no position below it is pending */
    uint32_t pending_end;   /* none at or above it; 0: none at all */
    bool is_arranging;      /* by handles, not by an hm_order */
    bool is_disturbed;      /* something has changed since the round began */
    hm_order order;         /* that the last call was made with */
    hm_order_keys keys;     /* in SCAN and LOCATE */
    hm_order_scan scan;
    hm_order_lift lift; /* in COUNT and LIFT */
    hm_order_batch batch;
    hm_order_digits digits; /* in EXTRACT, TALLY and SCATTER */
    hm_order_merge merge;
    hm_order_search search; /* in LOCATE */
    hm_order_place place;
    hm_order_arrangement arrangement; /* from VERIFY on */
} hm_order_state;

#else
typedef struct hm_order_state hm_order_state;
#endif

/* How an owner gives items that are at scattered addresses. `position_of` may be asked about a slot
 * whose item has left the sequence: it returns HM_INVALID_INDEX then, or a position that is not
 * below `count` or where slot_at names another slot. */
typedef struct hm_accessors {
    void *(*item_at)(const void *owner, uint32_t index); /* what compare and key are shown */
    uint32_t (*slot_at)(const void *owner, uint32_t index);
    uint32_t (*position_of)(const void *owner, uint32_t slot);
} hm_accessors;

/* The lane_shift of a sequence with accessors: one test tells the usual form from all others. */
enum { HM_LANES_BY_ACCESSORS = 32 };

/* What is put in order. A slot names an item, whatever its position.
 *
 * Items are `stride` bytes apart. If lane_shift is not 0, they are in groups of 2^lane_shift lanes
 * instead: the groups are `stride` bytes apart, and the lanes of a group `lane_size` bytes. If it
 * is HM_LANES_BY_ACCESSORS, accessors replace `items` and `links`, an item has `lane_size` bytes,
 * and `swapped` does all of an exchange. */
typedef struct hm_sequence {
    unsigned char *items; /* what compare and key are shown */
    size_t stride;        /* bytes */
    size_t lane_size;     /* bytes */
    uint32_t lane_shift;  /* log2 of the lanes in a group */
    size_t moved_size;    /* bytes of an item that are exchanged; 0: `swapped` does it */
    hm_links links;       /* which slot is at a position, and where a slot's item is */
    uint32_t slot_count;  /* slots that the links may be asked for */
    uint32_t count;       /* items */
    uint32_t capacity;    /* items for which the owner has room before it moves to another range */
    /* NULL: items and links are found by the fields above. */
    const hm_accessors *accessors;
    /* Called when two items and their links have been exchanged: the owner exchanges the rest. NULL
     * when there is no rest. With accessors the rest is everything. */
    void (*swapped)(void *owner, uint32_t a, uint32_t b);
    /* NULL, or does what n calls of `swapped` would, of at + i and at + gap + i with i from 0 on.
     */
    void (*shifted)(void *owner, uint32_t at, uint32_t gap, uint32_t n);
    /* Returns the position of a handle's item, or HM_INVALID_INDEX. */
    uint32_t (*find)(const void *owner, hm_handle handle);
    void *owner;
    const hm_memory *memory;
    /* The owner, for hm_last_error: "map" or "table", and the program's name for it. */
    const char *what, *name;
} hm_sequence;

/* A container holds a pointer to its state, which is NULL at the start: then no position is
 * managed. Those functions that may make, move or end the state take the address of that pointer.
 */

#ifdef HM_WITHOUT_ORDER

/* A part of the library without orders: the pointer stays NULL. */
#define hm_order_fini(place) ((void)(place))
#define hm_order_reset(state) ((void)(state))
#define hm_order_disturb(state, index, count) ((void)(state), (void)(index), (void)(count))
#define hm_order_end_moves(state, sequence) ((void)(state), (void)(sequence))
#define hm_order_trim(place, count) ((void)(place), (void)(count), HM_OK)
#define hm_order_add_sizes(state, stats) ((void)(state), (void)(stats))
#define hm_order_managed(state) ((void)(state), 0)
#define hm_order_clean(state) ((void)(state), 0)

#else

/* Returns the number of positions that are managed. */
static inline uint32_t hm_order_managed(const hm_order_state *state)
{
    return state != NULL ? state->cursor : 0;
}

/* Returns how many items are known to be in order among themselves. O(managed / 32). */
uint32_t hm_order_clean(const hm_order_state *state);

/* Releases the state and its memory; cannot fail. Positions stay valid. O(1). */
void hm_order_fini(hm_order_state **place);

/* Forgets what was known about the order; cannot fail. Positions stay valid. O(1). */
void hm_order_reset(hm_order_state *state);

/* Brings the sequence nearer to the order within the budget; each call resumes where the last one
 * stopped. Returns what was spent, `done` when all is in order, and HM_ERROR_MEMORY when memory was
 * refused: the items are a permutation as after any call, and the next call asks again. The state
 * and the marks of all items get their memory before anything else happens. An order with neither
 * compare nor key is a broken contract too. Callbacks see a consistent sequence.
 * Invalidates positions. Costs at most the budget, and other work on 4 list entries for each swap
 * and compare that it allows, plus 4,096. */
hm_progress hm_order_run(hm_order_state **place, const hm_order *order, const hm_sequence *sequence,
                         hm_frame_budget *budget);

/* As hm_order_run, for an order given as n handles, which may be NULL if n is 0. They are read
 * during these calls only; the state recognises them by their pointer and n. */
hm_progress hm_order_arrange(hm_order_state **place, const hm_handle *names, uint32_t n,
                             const hm_sequence *sequence, hm_frame_budget *budget);

/* Must be called before positions are renumbered: ends the moves that are in progress; cannot fail.
 * No callback but the sequence's `swapped` runs. Invalidates positions. O(n). */
void hm_order_end_moves(hm_order_state *state, const hm_sequence *sequence);

/* Gives back memory that `count` positions do not need; all of it if no position is managed.
 * HM_ERROR_MEMORY when the system refuses; nothing has changed then. Positions stay valid. At most
 * one decommit. */
hm_status hm_order_trim(hm_order_state **place, uint32_t count);

/* Adds the sizes of its memory to those of its container. */
void hm_order_add_sizes(const hm_order_state *state, hm_stats *stats);

/* Reports that `index` now has another item, or that its item's key may have changed, or that
 * nothing is there or beyond; `count` positions are left. Need not be called if `index` is above
 * the cursor: nothing is managed there. O(1). */
void hm_order_disturb(hm_order_state *state, uint32_t index, uint32_t count);

/* The search for where a probe belongs in a sequence: the first item that is not before it, or, if
 * is_upper, that is behind it. */
typedef struct hm_bound {
    const hm_order_state *state; /* NULL: nothing is ordered, or another column */
    hm_order order;
    const hm_sequence *sequence; /* what says where items are, its count, and its names */
    const void *probe;           /* what compare and key are shown for it */
    bool is_upper;
    bool is_busy; /* one of the owner's callbacks is running */
} hm_bound;

/* Returns the position, or the count if there is none. When busy, and when the sequence is not in
 * this order, returns HM_INVALID_INDEX and records a failure. The sequence is in this order if the
 * last call of hm_order_run was for it and was done, and no change was reported since. An empty one
 * is in every order. Writes nothing but what callbacks write. Costs O(log n) compares. */
uint32_t hm_order_bound(const hm_bound *bound);

#endif

/* Moves the doomed items behind the others, which keep their order, and returns how many others
 * there are; cannot fail. `is_doomed` is called once for each position, in their order; the
 * sequence is consistent at each call. Settles first; then only the others are managed. Invalidates
 * positions. O(n). */
uint32_t hm_order_gather(hm_order_state *state, const hm_sequence *sequence,
                         bool (*is_doomed)(void *owner, uint32_t index, void *context),
                         void *context);

/* Exchanges n times two things of `size` bytes that are `gap` things apart: the first two, the
 * second two, and so on. */
void hm_order_shift_bytes(unsigned char *first, size_t size, uint32_t gap, uint32_t n);

/* Whether it limits swaps, or compares. */
static inline bool hm_budget_limits_swaps(const hm_frame_budget *budget)
{
    return budget != NULL && budget->swaps_left != HM_NO_LIMIT;
}

static inline bool hm_budget_limits_compares(const hm_frame_budget *budget)
{
    return budget != NULL && budget->compares_left != HM_NO_LIMIT;
}

/* Lowers the limits by what a call has used, which is never more. A call that needs more of one
 * limit ends not done, whatever is left of the other. */
static inline void hm_budget_spend(hm_frame_budget *budget, const hm_progress *used)
{
    if (budget == NULL)
        return;
    if (budget->swaps_left != HM_NO_LIMIT)
        budget->swaps_left -= (uint32_t)used->swaps;
    if (budget->compares_left != HM_NO_LIMIT)
        budget->compares_left -= (uint32_t)used->compares;
    if (hm_frame_budget_is_spent(budget) || (!used->done && used->status == HM_OK))
        budget->is_spent = true;
}

/* Exchanges a multiple of `unit` bytes. Compilers turn it into moves if the unit is a constant. */
static inline size_t hm_order_exchange_units(unsigned char *a, unsigned char *b, size_t size,
                                             size_t unit)
{
    unsigned char waiting[32];
    size_t offset = 0;
    for (; size - offset >= unit; offset += unit) {
        memcpy(waiting, a + offset, unit);
        memcpy(a + offset, b + offset, unit);
        memcpy(b + offset, waiting, unit);
    }
    return offset;
}

static inline void hm_order_exchange_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    size_t done = size >= 32 ? hm_order_exchange_units(a, b, size, 32) : 0;
    done += hm_order_exchange_units(a + done, b + done, size - done, 8);
    hm_order_exchange_units(a + done, b + done, size - done, 1);
}

static inline bool hm_sequence_has_accessors(const hm_sequence *sequence)
{
    return sequence->links.slots == NULL && sequence->accessors != NULL;
}

static inline unsigned char *hm_sequence_item(const hm_sequence *sequence, uint32_t index)
{
    if (sequence->lane_shift == 0)
        return sequence->items + sequence->stride * index;
    if (sequence->lane_shift == HM_LANES_BY_ACCESSORS)
        return sequence->accessors->item_at(sequence->owner, index);
    uint32_t group = index >> sequence->lane_shift;
    return sequence->items + sequence->stride * group +
           sequence->lane_size * (index - (group << sequence->lane_shift));
}

static inline uint32_t hm_sequence_slot(const hm_sequence *sequence, uint32_t index)
{
    if (hm_sequence_has_accessors(sequence))
        return sequence->accessors->slot_at(sequence->owner, index);
    return hm_links_slot(&sequence->links, index);
}

/* Returns how many items from `index` on are equally spaced in memory, and by how many bytes. */
static inline uint32_t hm_sequence_run(const hm_sequence *sequence, uint32_t index, size_t *stride)
{
    bool is_grouped = sequence->lane_shift != 0;
    *stride = is_grouped ? sequence->lane_size : sequence->stride;
    if (!is_grouped)
        return sequence->count - index;
    if (sequence->lane_shift == HM_LANES_BY_ACCESSORS)
        return 1;
    uint32_t lanes = UINT32_C(1) << sequence->lane_shift;
    return lanes - (index & (lanes - 1));
}

/* Returns the position of a slot's item. If that has left the sequence, the position is not
 * managed, or, with accessors, HM_INVALID_INDEX. */
static inline uint32_t hm_sequence_position(const hm_sequence *sequence, uint32_t slot)
{
    if (!hm_sequence_has_accessors(sequence))
        return hm_links_position(&sequence->links, slot);
    uint32_t position = sequence->accessors->position_of(sequence->owner, slot);
    bool is_here = position < sequence->count &&
                   sequence->accessors->slot_at(sequence->owner, position) == slot;
    return is_here ? position : HM_INVALID_INDEX;
}

/* Exchanges two items. */
static inline void hm_order_swap(const hm_sequence *sequence, uint32_t a, uint32_t b)
{
    if (!hm_sequence_has_accessors(sequence)) {
        hm_links_exchange(&sequence->links, a, b);
        hm_order_exchange_bytes(hm_sequence_item(sequence, a), hm_sequence_item(sequence, b),
                                sequence->moved_size);
    }
    if (sequence->swapped != NULL)
        sequence->swapped(sequence->owner, a, b);
}

#endif

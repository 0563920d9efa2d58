/* SPDX-License-Identifier: MIT */
/* order: the state of a sort that stopped, so that it can resume. A container that can be put in
 * order has a pointer to one, which is NULL until the first call that needs it. */
#ifndef HANDLE_MAP_ORDER_STATE_PRIVATE_H
#define HANDLE_MAP_ORDER_STATE_PRIVATE_H

#include <handle_map/array.h>
#include <handle_map/handle.h>
#include <handle_map/order.h>

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

#endif

/* SPDX-License-Identifier: MIT */
/* detail/guard: refuses calls while one of the container's callbacks runs, and says when the hot
 * path of erase must call the function that is not inline. For inline functions; no program needs
 * it. */
#ifndef HANDLE_MAP_DETAIL_GUARD_H
#define HANDLE_MAP_DETAIL_GUARD_H

#include <handle_map/base.h>

/* The bits of `flags`. Those from HM_KNOWN_SHIFT (detail/memory.h) on are the key by which a
 * history knows the container. */
enum {
    HM_GUARD_BUSY = 1,    /* inside one of the container's callbacks */
    HM_GUARD_HOOK = 2,    /* a hook is set */
    HM_GUARD_META = 4,    /* meta moves with the items */
    HM_GUARD_ORDERED = 8, /* an order manages positions, and must hear of changes there */
    /* Those for which an inline erase or remove takes its slow path. Testing bits in memory is one
     * instruction; gcc compares a whole field with 0 in two. */
    HM_GUARD_ERASE = HM_GUARD_BUSY | HM_GUARD_HOOK | HM_GUARD_META | HM_GUARD_ORDERED
};

/* The hot paths compare both fields anyway, so that checking for busy costs them nothing. */
typedef struct hm_guard {
    uint32_t limit; /* items; from this count on insert takes its slow path; 0 while busy */
    uint32_t flags; /* HM_GUARD_ bits; if erase tests one that is set, it takes its slow path */
} hm_guard;

/* For a call that returns nothing and so cannot report that its container is busy. */
#define HM_CONTRACT_IDLE(flags, function, name)                                                    \
    (((flags)&HM_GUARD_BUSY) == 0 ? (void)0 : hm_panic_busy(__FILE__, __LINE__, (function), (name)))

#endif

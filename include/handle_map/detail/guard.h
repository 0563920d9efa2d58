/* SPDX-License-Identifier: MIT */
/* detail/guard: what stops a call while one of the container's callbacks runs, and why the hot path
 * of erase must take the long way. For inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_GUARD_H
#define HANDLE_MAP_DETAIL_GUARD_H

#include <handle_map/base.h>

/* The bits of `flags`. */
enum {
    HM_GUARD_BUSY = 1, /* inside one of the container's callbacks */
    HM_GUARD_HOOK = 2, /* a hook is set */
    HM_GUARD_META = 4  /* meta moves with the items */
};

/* Both fields are compared with something on the hot paths anyway, so that being busy costs these
 * nothing. */
typedef struct hm_guard {
    uint32_t limit; /* insert takes the long way from so many items on; 0 while busy */
    uint32_t flags; /* HM_GUARD_ bits; unless 0, erase takes the long way */
} hm_guard;

/* For a call that can return nothing to say that its container is busy. */
#define HM_CONTRACT_IDLE(flags, function, name)                                                    \
    (((flags)&HM_GUARD_BUSY) == 0 ? (void)0 : hm_panic_busy(__FILE__, __LINE__, (function), (name)))

#endif

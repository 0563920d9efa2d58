/* SPDX-License-Identifier: MIT */
/* detail/guard: why the hot path of erase must take the long way. For inline functions; no program
 * needs it. */
#ifndef HANDLE_MAP_DETAIL_GUARD_H
#define HANDLE_MAP_DETAIL_GUARD_H

/* The bits of a container's `guard`. */
enum {
    HM_GUARD_BUSY = 1, /* inside one of the container's callbacks */
    HM_GUARD_HOOK = 2, /* a hook is set */
    HM_GUARD_META = 4  /* meta moves with the items */
};

#endif

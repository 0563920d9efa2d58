/* SPDX-License-Identifier: MIT */
/* guard: functions for the modules above, not for programs. */
#ifndef HANDLE_MAP_GUARD_PRIVATE_H
#define HANDLE_MAP_GUARD_PRIVATE_H

#include "base_private.h"

#include <handle_map/detail/guard.h>

static inline bool hm_guard_is_busy(const hm_guard *guard)
{
    return (guard->flags & HM_GUARD_BUSY) != 0;
}

/* Whether a call that would change the container is refused, and why, for hm_last_error. A call
 * that takes one handle asks if the handle resolves; any other call asks first, even if it has
 * nothing to do. `what` is "map", "pool" and so on. */
static inline bool hm_guard_refuses(const hm_guard *guard, const char *what, const char *name)
{
    if (!hm_guard_is_busy(guard))
        return false;
    (void)hm_fail_busy(what, name);
    return true;
}

/* The container is there, and none of its callbacks runs: for calls that return nothing. */
#define HM_CONTRACT_AT_REST(container, function)                                                   \
    (HM_CONTRACT((container) != NULL, function ": " #container " is NULL"),                        \
     HM_CONTRACT_IDLE((container)->guard.flags, function, (container)->name))

/* Every callback that can see the container runs between enter and leave. */
static inline void hm_guard_enter(hm_guard *guard)
{
    guard->flags |= HM_GUARD_BUSY;
    guard->limit = 0;
}

static inline void hm_guard_leave(hm_guard *guard, uint32_t limit)
{
    guard->flags &= ~(uint32_t)HM_GUARD_BUSY;
    guard->limit = limit;
}

#endif

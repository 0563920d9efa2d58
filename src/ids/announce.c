/* SPDX-License-Identifier: MIT */
/* announce: the one listener that inits tell of their memory. */
#include "ids_private.h"

#include "../base/atomic_private.h"
#include "../base/base_private.h"

#ifndef HM_WITHOUT_REPORT /* A part of the library may leave it out. */

/* The listener is written before the number, and not written again. */
static uint32_t announce_is_heard;
static hm_announce_listener *announce_listener;

void hm_announce_to(hm_announce_listener *listener)
{
    if (hm_atomic_load(&announce_is_heard) != 0)
        return;
    announce_listener = listener;
    (void)hm_atomic_exchange_if(&announce_is_heard, 0, 1);
}

#endif

hm_status hm_announce_init(const char *kind, void *container, size_t size)
{
    if (container == NULL)
        return hm_fail(HM_ERROR_INVALID, "hm_%s_init: %s is NULL", kind, kind);
#ifndef HM_WITHOUT_REPORT
    if (hm_atomic_load(&announce_is_heard) != 0)
        announce_listener(kind, container);
#endif
    memset(container, 0, size);
    return HM_OK;
}

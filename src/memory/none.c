/* SPDX-License-Identifier: MIT */
/* memory, without an operating system: the default table is one that hm_memory_check refuses, and
 * nothing is random. */
#include "memory_private.h"

/* Coverage: only in a freestanding library, which the check `freestanding` builds and runs. */
#ifdef HM_FREESTANDING

/* hm_memory_check knows it. */
const hm_memory *hm_memory_system(void)
{
    static const hm_memory none;
    return &none;
}

bool hm_memory_fill_random(void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return false;
}

#endif

/* SPDX-License-Identifier: MIT */
/* memory: what AddressSanitizer is told. */
#include "poison_private.h"

#include <handle_map/memory.h>

void hm_memory_poison(const void *address, size_t size)
{
#ifdef HM_HAS_POISON
    if (hm_memory_poisons())
        __asan_poison_memory_region(address, size);
#else
    (void)address;
    (void)size;
#endif
}

void hm_memory_unpoison(const void *address, size_t size)
{
#ifdef HM_HAS_POISON
    if (hm_memory_poisons())
        __asan_unpoison_memory_region(address, size);
#else
    (void)address;
    (void)size;
#endif
}

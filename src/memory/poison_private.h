/* SPDX-License-Identifier: MIT */
/* poison: how the library's own code marks bytes for AddressSanitizer. The inline functions of the
 * public headers poison where they are compiled with the sanitizer; those that the library calls
 * itself must do so whenever the program runs under it, so there the macros ask at run time. What
 * they ask is an address, which does not change, so that a loop need not ask again.
 *
 * Every source includes this before memory.h, which then leaves the macros alone; the headers of
 * the sources do so, and the check `poison` looks. Hence it includes none of the library's. */
#ifndef HANDLE_MAP_POISON_PRIVATE_H
#define HANDLE_MAP_POISON_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__) && !defined(HM_PORTABLE) && !defined(_WIN32) && !defined(HM_FREESTANDING)
#define HM_HAS_POISON 1

/* Declared as the sanitizer does, whose header a test may include as well. Weak, so that they are
 * NULL in a program without it. NOLINTBEGIN(readability-redundant-declaration) */
__attribute__((weak)) void __asan_poison_memory_region(void const volatile *addr, size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
__attribute__((weak)) int __asan_address_is_poisoned(void const volatile *addr);
__attribute__((weak)) void *__asan_region_is_poisoned(void *beg, size_t size);
/* NOLINTEND(readability-redundant-declaration) */
#endif

/* Whether the program runs under AddressSanitizer, for which the library need not be built. */
static inline bool hm_memory_poisons(void)
{
#ifdef HM_HAS_POISON
    return __asan_poison_memory_region != NULL;
#else
    return false;
#endif
}

#ifndef HM_POISON /* A test may include memory.h first. */
#define HM_POISON(address, size)                                                                   \
    (hm_memory_poisons() ? hm_memory_poison((address), (size)) : (void)0)
#define HM_UNPOISON(address, size)                                                                 \
    (hm_memory_poisons() ? hm_memory_unpoison((address), (size)) : (void)0)
#endif

#endif

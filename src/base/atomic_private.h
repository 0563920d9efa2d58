/* SPDX-License-Identifier: MIT */
/* atomic: what threads may do at once to a plain number: the few places where the library lets them
 * write without a lock. Sequentially consistent, since none of them is hot. */
#ifndef HANDLE_MAP_ATOMIC_PRIVATE_H
#define HANDLE_MAP_ATOMIC_PRIVATE_H

#include <handle_map/bits.h>

#include <stdbool.h>

#ifndef HM_USE_MSVC
#ifdef __STDC_NO_ATOMICS__
#error "handle_map needs C11 atomics: this compiler has none"
#endif
#include <stdatomic.h>
#endif

/* NOLINTBEGIN(readability-non-const-parameter): the tool does not see that the intrinsics write. */

/* Returns the value before the addition. */
static inline uint32_t hm_atomic_add(uint32_t *number, uint32_t n)
{
#ifdef HM_USE_MSVC
    return (uint32_t)_InterlockedExchangeAdd((volatile long *)number, (long)n);
#else
    return atomic_fetch_add((_Atomic uint32_t *)number, n);
#endif
}

static inline uint32_t hm_atomic_load(const uint32_t *number)
{
#ifdef HM_USE_MSVC
    return (uint32_t)_InterlockedOr((volatile long *)(uint32_t *)number, 0);
#else
    return atomic_load((const _Atomic uint32_t *)number);
#endif
}

/* Writes `value` if the number is `expected`, and returns whether it was. */
static inline bool hm_atomic_exchange_if(uint32_t *number, uint32_t expected, uint32_t value)
{
#ifdef HM_USE_MSVC
    return (uint32_t)_InterlockedCompareExchange((volatile long *)number, (long)value,
                                                 (long)expected) == expected;
#else
    return atomic_compare_exchange_strong((_Atomic uint32_t *)number, &expected, value);
#endif
}

#if !defined(__wasm__) && !defined(HM_FREESTANDING) /* Only kept.c needs them. */
static inline void *hm_atomic_load_pointer(void **pointer)
{
#ifdef HM_USE_MSVC
    return _InterlockedCompareExchangePointer((void *volatile *)pointer, NULL, NULL);
#else
    return atomic_load((void *_Atomic *)pointer);
#endif
}

/* Writes the value if the pointer is NULL, and returns whether it was. */
static inline bool hm_atomic_set_pointer(void **pointer, void *value)
{
#ifdef HM_USE_MSVC
    return _InterlockedCompareExchangePointer((void *volatile *)pointer, value, NULL) == NULL;
#else
    void *expected = NULL;
    return atomic_compare_exchange_strong((void *_Atomic *)pointer, &expected, value);
#endif
}
#endif

/* NOLINTEND(readability-non-const-parameter) */

#endif

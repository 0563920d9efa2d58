/* SPDX-License-Identifier: MIT */
/* atomic: plain numbers that several threads change at once, without an order between them and
 * other memory. The type stays plain, so that structs in public headers, which C++ reads too, can
 * have such a field. */
#ifndef HANDLE_MAP_ATOMIC_PRIVATE_H
#define HANDLE_MAP_ATOMIC_PRIVATE_H

#include <handle_map/bits.h>

#include <stdbool.h>

#if defined(HM_USE_GNU)

static inline uint32_t hm_atomic_load(const uint32_t *number)
{
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

/* Returns the number before. */
static inline uint32_t hm_atomic_add(uint32_t *number, uint32_t n)
{
    return __atomic_fetch_add(number, n, __ATOMIC_RELAXED);
}

/* Stores `wanted` if the number is what was expected; otherwise reads it into `expected`. It may
 * fail although they are equal: call it in a loop. */
static inline bool hm_atomic_replace(uint32_t *number, uint32_t *expected, uint32_t wanted)
{
    return __atomic_compare_exchange_n(number, expected, wanted, true, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

#elif defined(HM_USE_MSVC)

static inline uint32_t hm_atomic_load(const uint32_t *number)
{
    return *(const volatile uint32_t *)number;
}

static inline uint32_t hm_atomic_add(uint32_t *number, uint32_t n)
{
    return (uint32_t)_InterlockedExchangeAdd((volatile long *)number, (long)n);
}

static inline bool hm_atomic_replace(uint32_t *number, uint32_t *expected, uint32_t wanted)
{
    uint32_t before = (uint32_t)_InterlockedCompareExchange((volatile long *)number, (long)wanted,
                                                            (long)*expected);
    bool is_replaced = before == *expected;
    *expected = before;
    return is_replaced;
}

#else

#include <stdatomic.h>

HM_STATIC_ASSERT(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "a plain number can be atomic");

static inline uint32_t hm_atomic_load(const uint32_t *number)
{
    return atomic_load_explicit((const _Atomic uint32_t *)number, memory_order_relaxed);
}

static inline uint32_t hm_atomic_add(uint32_t *number, uint32_t n)
{
    return atomic_fetch_add_explicit((_Atomic uint32_t *)number, n, memory_order_relaxed);
}

static inline bool hm_atomic_replace(uint32_t *number, uint32_t *expected, uint32_t wanted)
{
    return atomic_compare_exchange_weak_explicit((_Atomic uint32_t *)number, expected, wanted,
                                                 memory_order_relaxed, memory_order_relaxed);
}

#endif

#endif

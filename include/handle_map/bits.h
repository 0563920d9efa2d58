/* SPDX-License-Identifier: MIT */
/* bits: bit scans, prefetch, and what else differs between compilers and languages. Threads: pure
 * functions. Cost: O(1) each. Nothing here fails. */
#ifndef HANDLE_MAP_BITS_H
#define HANDLE_MAP_BITS_H

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#if !defined(__GNUC__) || defined(__STRICT_ANSI__) || !defined(__STDC_VERSION__) ||                \
    __STDC_VERSION__ < 199901L
#error "handle_map needs C11 (or gnu99): compile with -std=c11, or /std:c11"
#define inline /* So that the line above is the only error. */
#endif
#endif

#include <stddef.h>
#include <stdint.h>

/* memcpy, memmove and memset, which a freestanding compiler needs itself, but need not declare. */
#if !defined(HM_FREESTANDING)
#include <string.h>
#elif defined(__has_include)
#if __has_include(<string.h>)
#include <string.h>
#define HM_HAS_STRING_H
#endif
#endif
#if defined(HM_FREESTANDING) && !defined(HM_HAS_STRING_H)
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
#ifdef __cplusplus
}
#endif
#endif

/* Around the declarations of C, which a C++ program includes too. */
#ifdef __cplusplus
#define HM_BEGIN_C extern "C" {
#define HM_END_C }
#else
#define HM_BEGIN_C
#define HM_END_C
#endif

/* __GNUC__ selects gcc and clang, _MSC_VER Microsoft's compiler; any other gets standard C. A
 * program that defines HM_PORTABLE gets standard C from every compiler, which is how the standard
 * forms are tested. */
#if defined(__GNUC__) && !defined(HM_PORTABLE)
#define HM_USE_GNU 1
#elif defined(_MSC_VER) && !defined(HM_PORTABLE)
#define HM_USE_MSVC 1
#include <intrin.h>
#endif

/* HM_STATIC_ASSERT: checked by the compiler, at file scope or among declarations.
 * HM_NORETURN: a function that does not return. HM_ALIGNOF: a type's alignment in bytes.
 * HM_THREAD_LOCAL: a static variable, one for each thread; freestanding, one for all.
 * HM_EXTENSION: silences warnings about what C99 lacked, in gnu99.
 * HM_CAST: to a number, or from void * to a pointer; HM_POINTER_CAST: from a pointer or an address
 * to a pointer of another type. In C++ they are casts that name their kind. */
#if defined(__cplusplus)
#define HM_STATIC_ASSERT(condition, message) static_assert(condition, message)
#define HM_NORETURN [[noreturn]]
#define HM_ALIGNOF(type) alignof(type)
#define HM_CAST(type, value) static_cast<type>(value)
#define HM_POINTER_CAST(type, pointer) reinterpret_cast<type>(pointer)
#else
#if defined(__GNUC__) && __STDC_VERSION__ < 201112L
#define HM_EXTENSION __extension__
#define HM_NORETURN __attribute__((noreturn))
#else
#define HM_EXTENSION
#define HM_NORETURN _Noreturn
#endif
#define HM_STATIC_ASSERT(condition, message) HM_EXTENSION _Static_assert(condition, message)
#define HM_ALIGNOF(type) (HM_EXTENSION _Alignof(type))
#define HM_CAST(type, value) ((type)(value))
#define HM_POINTER_CAST(type, pointer) ((type)(pointer))
#endif

#if defined(HM_FREESTANDING)
#define HM_THREAD_LOCAL
#elif defined(__GNUC__)
#define HM_THREAD_LOCAL __thread
#elif defined(HM_USE_MSVC)
#define HM_THREAD_LOCAL __declspec(thread)
#else
#define HM_THREAD_LOCAL _Thread_local
#endif

/* HM_UNUSED: a generated function that a program need not call. */
#if defined(__cplusplus)
#define HM_UNUSED [[maybe_unused]]
#elif defined(__GNUC__) || defined(__clang__)
#define HM_UNUSED __attribute__((unused)) /* Also in HM_PORTABLE, or clang warns. */
#else
#define HM_UNUSED
#endif

/* HM_COLD: code that is placed away from the hot path.
 * HM_INLINE: inlined even if it is large, so that a constant argument folds.
 * HM_PREFETCH: starts loading the cache line of an address, without waiting; any address may be
 * given. The empty asm is there because gcc drops a call of a function that only prefetches.
 * HM_OPAQUE: hides a variable's value from the compiler, so that it does not turn arithmetic with
 * the variable into a branch.
 * HM_IS_CONSTANT: whether the compiler knows the value, or 0 where it cannot tell.
 * HM_ASSUME: a fact that the compiler cannot see and may rely on. */
#if defined(HM_USE_GNU)
#define HM_COLD __attribute__((cold))
#define HM_INLINE static inline __attribute__((always_inline, unused))
#define HM_PREFETCH(address)                                                                       \
    do {                                                                                           \
        __builtin_prefetch(address);                                                               \
        __asm__ volatile("");                                                                      \
    } while (0)
#define HM_OPAQUE(variable) __asm__("" : "+r"(variable))
#define HM_IS_CONSTANT(value) __builtin_constant_p(value)
#if defined(__clang__)
#define HM_ASSUME(condition) __builtin_assume(condition)
#else
#define HM_ASSUME(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#elif defined(HM_USE_MSVC)
#define HM_COLD
#define HM_INLINE static __forceinline
#if defined(_M_X64) || defined(_M_IX86)
#define HM_PREFETCH(address) _mm_prefetch(HM_POINTER_CAST(const char *, address), _MM_HINT_T0)
#elif defined(_M_ARM64)
#define HM_PREFETCH(address) __prefetch(address)
#else
#define HM_PREFETCH(address) ((void)(address))
#endif
#define HM_OPAQUE(variable) ((void)(variable))
#define HM_IS_CONSTANT(value) 0
#define HM_ASSUME(condition) __assume(condition)
#else
#define HM_COLD
#define HM_INLINE static inline
#define HM_PREFETCH(address) ((void)(address))
#define HM_OPAQUE(variable) ((void)(variable))
#define HM_IS_CONSTANT(value) 0
#define HM_ASSUME(condition) ((void)0)
#endif

/* Returns the position of the highest bit that is set, from 0; `bits` must not be 0. */
static inline uint32_t hm_bits_highest(uint64_t bits)
{
#if defined(HM_USE_GNU)
    return 63 ^ HM_CAST(uint32_t, __builtin_clzll(bits));
#elif defined(HM_USE_MSVC) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long place;
    (void)_BitScanReverse64(&place, bits);
    return place;
#else
    uint32_t place = 0, step;
    for (step = 32; step != 0; step /= 2)
        if (bits >> step != 0) {
            bits >>= step;
            place += step;
        }
    return place;
#endif
}

/* Returns the position of the lowest bit that is set, from 0; `bits` must not be 0. */
static inline uint32_t hm_bits_lowest(uint64_t bits)
{
#if defined(HM_USE_GNU)
    return HM_CAST(uint32_t, __builtin_ctzll(bits));
#elif defined(HM_USE_MSVC) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long place;
    (void)_BitScanForward64(&place, bits);
    return place;
#else
    return hm_bits_highest(bits & (0 - bits));
#endif
}

/* Copies the word at an offset, if an item of this size reaches so far. */
HM_INLINE void hm_bits_copy_word(void *place, const void *item, size_t at, size_t size)
{
    uint64_t word;
    if (at + sizeof word > size)
        return;
    memcpy(&word, HM_CAST(const unsigned char *, item) + at, sizeof word);
    memcpy(HM_CAST(unsigned char *, place) + at, &word, sizeof word);
}

/* Copies an item, a small one by words: most programs have just written its members, and from such
 * copies gcc sees that they can stay in registers. memcpy would read them back from the stack in
 * wider loads, which wait until the queue of stores is empty. */
HM_INLINE void hm_bits_copy(void *place, const void *item, size_t size)
{
    /* Coverage: a compiler that does not optimise finds no size constant. */
    if (!HM_IS_CONSTANT(size) || size > 64 || size % 8 != 0) {
        memcpy(place, item, size);
        return;
    }
    hm_bits_copy_word(place, item, 0, size);
    hm_bits_copy_word(place, item, 8, size);
    hm_bits_copy_word(place, item, 16, size);
    hm_bits_copy_word(place, item, 24, size);
    hm_bits_copy_word(place, item, 32, size);
    hm_bits_copy_word(place, item, 40, size);
    hm_bits_copy_word(place, item, 48, size);
    hm_bits_copy_word(place, item, 56, size);
}

#endif

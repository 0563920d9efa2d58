/* SPDX-License-Identifier: MIT */
/* format: sentences with numbers in them, as snprintf writes them. The library has its own because
 * a freestanding build has no <stdio.h>; all builds use it, so that all say the same.
 *
 * Conversions: %s and %.Ns, %u and %x with l, ll or z, %0Nu and %0Nx. The compiler checks the
 * arguments; any other conversion is a broken contract. */
#ifndef HANDLE_MAP_FORMAT_PRIVATE_H
#define HANDLE_MAP_FORMAT_PRIVATE_H

#include <handle_map/bits.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* A freestanding gcc does not say whether uint32_t is int or long; other builds check the same
 * sentences. */
#if defined(HM_USE_GNU) && !defined(_WIN32) && !defined(HM_FREESTANDING)
#define HM_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define HM_PRINTF(text, rest)
#endif

/* As PRIu32 and so on of <inttypes.h>, which a freestanding compiler lacks, and which may name
 * conversions that are a system's own. */
#ifdef __UINT64_FMTu__ /* clang says which type it is */
#define HM_U32 __UINT32_FMTu__
#define HM_X32 __UINT32_FMTx__
#define HM_U64 __UINT64_FMTu__
#define HM_X64 __UINT64_FMTx__
#else
#define HM_U32 "u"
#define HM_X32 "x"
#if defined(__LP64__)
#define HM_U64 "lu"
#define HM_X64 "lx"
#else
#define HM_U64 "llu"
#define HM_X64 "llx"
#endif
#endif

/* A string that is NULL is written as "(null)": a sentence with a name that is missing is better
 * than a crash. Writes at most size - 1 characters and a zero, or nothing if size is 0. Returns the
 * length of the whole text. */
HM_COLD HM_PRINTF(3, 4) size_t hm_format(char *buffer, size_t size, const char *format, ...);
HM_COLD HM_PRINTF(3, 0) size_t
    hm_format_list(char *buffer, size_t size, const char *format, va_list arguments);

#endif

/* SPDX-License-Identifier: MIT */
/* base: how the library records why a call fails, sentences with numbers in them, the guard of a
 * container, XXH64, and text on its way to a sink. Functions for the folders above, not for
 * programs. */
#ifndef HANDLE_MAP_BASE_PRIVATE_H
#define HANDLE_MAP_BASE_PRIVATE_H

/* The headers also compile as gnu99; the sources do not. */
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "the sources of handle_map need C11: compile them with -std=c11, or /std:c11"
#endif

#include <handle_map/base.h>
#include <handle_map/bits.h>
#include <handle_map/detail/guard.h>
#include <handle_map/hash.h>
#include <handle_map/sink.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* format: sentences with numbers in them, as snprintf writes them. The library has its own because
 * a freestanding build has no <stdio.h>; all builds use it, so that all say the same.
 *
 * Conversions: %s and %.Ns, %u and %x with l, ll or z, %0Nu and %0Nx. The compiler checks the
 * arguments; any other conversion is a broken contract. */

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

/* errors: how the library records why a call fails, for hm_last_error. Success costs nothing. */

/* Records a message and returns the status: a function that fails ends with `return hm_fail(...)`.
 * A failure is recorded once, where its reason is known; callers only pass the status on. */
HM_COLD HM_PRINTF(2, 3) hm_status hm_fail(hm_status status, const char *format, ...);

/* Takes the last message back, so that the one before it is the last again: for a caller that can
 * do without what was refused. At most once for each hm_fail. */
void hm_restore_last_error(void);

/* The failures that all containers share; `what` is "map", "pool" and so on. */

/* HM_ERROR_FULL: it is zeroed, or has ended. */
HM_COLD hm_status hm_fail_uninitialised(const char *what);

/* A descriptor; for NULL one whose fields are all 0. */
#define HM_DESC(type, desc) ((desc) != NULL ? (desc) : &(const type){0})

/* HM_ERROR_FULL: n more items do not fit; there are `count`. `name` NULL: it has none. */
HM_COLD hm_status hm_fail_full(const char *what, const char *name, uint64_t count,
                               uint64_t capacity, uint64_t n);

/* HM_ERROR_FULL: the index space has too few slots left; so many are retired. */
HM_COLD hm_status hm_fail_spent(const char *what, const char *name, uint32_t max_slots,
                                uint32_t retired);

typedef enum hm_request { HM_RESERVATION, HM_COMMIT, HM_DECOMMIT } hm_request;

/* HM_ERROR_MEMORY: the system refused a request for so many bytes. */
HM_COLD hm_status hm_fail_memory(hm_request request, size_t size);

/* What a container is, and what limits its memory; 0: it has no such limit; nor
 * has one whose capacity and max_slots are the largest. */
typedef struct hm_limits {
    const char *what, *name; /* as above */
    uint64_t capacity, max_slots;
    uint64_t most;     /* the limit in another field */
    const char *other; /* its name */
} hm_limits;

/* Adds to the last error, which hm_fail_memory has set, for which container memory was refused, and
 * what to do. If that container is inside another one, the error names the outer one in the end. */
HM_COLD hm_status hm_blame_memory(const hm_limits *limits);

/* Passes a status on, and does so if it is HM_ERROR_MEMORY. Each init, and each function by which a
 * container grows, ends with it. */
static inline hm_status hm_blame(hm_status status, const hm_limits *limits)
{
    return status == HM_ERROR_MEMORY ? hm_blame_memory(limits) : status;
}

/* Puts the function, or what it is of, without hm_, and the container's name unless that is NULL,
 * before the last error, which has just been set; returns its status. If that is HM_OK, does
 * nothing. */
HM_COLD hm_status hm_fail_in(const char *function, const char *name, hm_status status);

/* Defines the validate of a container by a function that does the work. */
#define HM_VALIDATE(type, work)                                                                    \
    hm_status hm_##type##_validate(const hm_##type *type)                                          \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_validate: " #type " is NULL");                     \
        return hm_fail_in(#type "_validate", type->name, work(type));                              \
    }

/* HM_ERROR_BUSY */
HM_COLD hm_status hm_fail_busy(const char *what, const char *name);

/* As strcmp(text, other) == 0: a freestanding build has no strcmp. */
bool hm_is_same_text(const char *text, const char *other);

/* Clears a struct of some hundred bytes that is made or ends often: compilers turn a memset of a
 * known size into a string instruction, which takes twice as long to begin as this call takes. */
void hm_zero(void *bytes, size_t size);

/* guard */

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

/* hash */

enum { HM_HASH_STRIPE = sizeof(((hm_hash *)0)->rest) /* bytes: four lanes of 8 */ };

/* Begins with a seed. */
void hm_hash_begin(hm_hash *hash, uint64_t seed);

/* Returns the checksum of these bytes, with the seed 0. */
static inline uint64_t hm_hash_of(const void *bytes, size_t size)
{
    hm_hash hash = {0};
    hm_hash_add(&hash, bytes, size);
    return hm_hash_end(&hash);
}

/* sink: text on its way to a sink, through a buffer. */

enum { HM_TEXT_PART = 256 }; /* characters and a zero, at most, of what is put at a time */

/* Only the sink is set at the start. */
typedef struct hm_text {
    hm_sink sink;
    hm_status status; /* HM_OK, or why nothing more is written */
    size_t length;
    char buffer[2 * HM_TEXT_PART];
} hm_text;

/* Cuts off what is longer than HM_TEXT_PART allows. */
HM_PRINTF(2, 3) void hm_text_put(hm_text *text, const char *format, ...);

/* Writes the rest, which is not empty, and returns the status: HM_ERROR_IO, the sink refused. */
hm_status hm_text_end(hm_text *text);

#endif

/* SPDX-License-Identifier: MIT */
/* base: how the library records why a call fails, for hm_last_error. Success costs nothing. Calls
 * of hm_fail need the conversions of format_private.h, which this header includes. */
#ifndef HANDLE_MAP_BASE_PRIVATE_H
#define HANDLE_MAP_BASE_PRIVATE_H

/* The headers also compile as gnu99; the sources do not. */
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "the sources of handle_map need C11: compile them with -std=c11, or /std:c11"
#endif

#include "format_private.h"

#include <handle_map/base.h>

/* Records a message and returns the status: a function that fails ends with `return hm_fail(...)`.
 * A failure is recorded once, where its reason is known; callers only pass the status on. */
HM_COLD HM_PRINTF(2, 3) hm_status hm_fail(hm_status status, const char *format, ...);

/* Takes the last message back, so that the one before it is the last again: for a caller that can
 * do without what was refused. At most once for each hm_fail. */
void hm_restore_last_error(void);

/* The failures that all containers share; `what` is "map", "pool" and so on. */

/* HM_ERROR_FULL: it is zeroed, or has ended. */
HM_COLD hm_status hm_fail_uninitialised(const char *what);

/* HM_ERROR_FULL: n more items do not fit; there are `count`. `name` NULL: it has none. */
HM_COLD hm_status hm_fail_full(const char *what, const char *name, uint64_t count,
                               uint64_t capacity, uint64_t n);

/* HM_ERROR_FULL: the index space has too few slots left. `name` NULL: an id table by itself. */
HM_COLD hm_status hm_fail_spent(const char *name, uint32_t max_slots, uint32_t retired);

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
static inline hm_status hm_tell_memory(hm_status status, const hm_limits *limits)
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

#endif

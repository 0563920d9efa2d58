/* SPDX-License-Identifier: MIT */
/* base: the last error, the version and the names of the status codes. */
#include "base_private.h"

#include <stdarg.h>

#define BASE_TEXT_OF(number) #number
#define BASE_VERSION_OF(major, minor, patch)                                                       \
    BASE_TEXT_OF(major) "." BASE_TEXT_OF(minor) "." BASE_TEXT_OF(patch)

/* Two messages, so that the last one can be taken back. */
typedef struct base_sentences {
    char texts[2][200];
    unsigned last;       /* index of the last one */
    hm_request refused;  /* the last request for memory that was */
    size_t refused_size; /* bytes */
} base_sentences;

static HM_THREAD_LOCAL base_sentences base_failures;

const char *hm_status_name(hm_status status)
{
    static const char *const names[] = {[HM_OK] = "HM_OK",
                                        [HM_ERROR_INVALID] = "HM_ERROR_INVALID",
                                        [HM_ERROR_MEMORY] = "HM_ERROR_MEMORY",
                                        [HM_ERROR_FULL] = "HM_ERROR_FULL",
                                        [HM_ERROR_STALE] = "HM_ERROR_STALE",
                                        [HM_ERROR_BUSY] = "HM_ERROR_BUSY",
                                        [HM_ERROR_CORRUPT] = "HM_ERROR_CORRUPT",
                                        [HM_ERROR_IO] = "HM_ERROR_IO"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

const char *hm_version(void)
{
    return BASE_VERSION_OF(HM_VERSION_MAJOR, HM_VERSION_MINOR, HM_VERSION_PATCH);
}

const char *hm_last_error(void)
{
    return base_failures.texts[base_failures.last];
}

hm_status hm_fail(hm_status status, const char *format, ...)
{
    va_list arguments;
    base_failures.last = 1 - base_failures.last;
    va_start(arguments, format);
    (void)hm_format_list(base_failures.texts[base_failures.last], sizeof base_failures.texts[0],
                         format, arguments);
    va_end(arguments);
    return status;
}

void hm_restore_last_error(void)
{
    base_failures.last = 1 - base_failures.last;
}

hm_status hm_fail_uninitialised(const char *what)
{
    return hm_fail(HM_ERROR_FULL, "the %s has no capacity: initialise it first", what);
}

hm_status hm_fail_full(const char *what, const char *name, uint64_t count, uint64_t capacity,
                       uint64_t n)
{
    if (capacity == 0)
        return hm_fail_uninitialised(what);
    (void)hm_fail(HM_ERROR_FULL,
                  "%" HM_U64 " of %" HM_U64 " items are there, and no room for %" HM_U64
                  " more: raise its capacity",
                  count, capacity, n);
    return hm_fail_in(what, name, HM_ERROR_FULL);
}

hm_status hm_fail_spent(const char *what, const char *name, uint32_t max_slots, uint32_t retired)
{
    (void)hm_fail(HM_ERROR_FULL,
                  "%" HM_U32 " of %" HM_U32 " slots are retired, and none is free: raise max_slots",
                  retired, max_slots);
    return hm_fail_in(what, name, HM_ERROR_FULL);
}

static const char *const base_requests[] = {"reservation", "commit", "decommit"};

hm_status hm_fail_memory(hm_request request, size_t size)
{
    base_failures.refused = request;
    base_failures.refused_size = size;
    return hm_fail(HM_ERROR_MEMORY, "memory: a %s of %zu bytes was refused", base_requests[request],
                   size);
}

/* Writes the limits that the program set, with `between` between them. */
static void base_list_limits(char *text, size_t size, const hm_limits *limits, const char *between)
{
    const char *const fields[] = {"capacity", "max_slots", limits->other};
    const uint64_t most[] = {limits->capacity, limits->max_slots, limits->most};
    size_t end = 0;
    bool is_limited = limits->capacity < UINT32_MAX - 1 || limits->max_slots < UINT32_MAX;
    for (int i = is_limited ? 0 : 2; i < 3; i++)
        if (most[i] != 0)
            end += hm_format(text + end, size - end, "%s%s %" HM_U64, end != 0 ? between : "",
                             fields[i], most[i]);
}

/* The name comes last: if it is long, only its end is cut off. */
hm_status hm_blame_memory(const hm_limits *limits)
{
    bool is_address = base_failures.refused == HM_RESERVATION;
    char all[128] = ""; /* Three fields, each with at most 20 digits. */
    base_list_limits(all, sizeof all, limits, is_address ? " or " : ", ");
    const char *remedy = is_address ? "lower " : "free memory; ", *of = " of the ";
    if (all[0] == '\0') {
        remedy = "free memory";
        of = " for the ";
    }
    const char *before = limits->name != NULL ? " '" : "", *behind = before + (*before != '\0');
    hm_restore_last_error(); /* The same failure, told again. */
    return hm_fail(HM_ERROR_MEMORY, "a %s of %zu bytes was refused: %s%s%s%s%s%.80s%s",
                   base_requests[base_failures.refused], base_failures.refused_size, remedy, all,
                   of, limits->what, before, limits->name != NULL ? limits->name : "", behind);
}

hm_status hm_fail_in(const char *function, const char *name, hm_status status)
{
    char why[sizeof base_failures.texts[0]];
    if (status == HM_OK)
        return HM_OK;
    memcpy(why, hm_last_error(), sizeof why);
    hm_restore_last_error();                       /* The same failure, told again. */
    if (name == NULL || status == HM_ERROR_MEMORY) /* That has the name in it. */
        return hm_fail(status, "hm_%s: %s", function, why);
    return hm_fail(status, "hm_%s: '%.40s': %s", function, name, why);
}

hm_status hm_fail_busy(const char *what, const char *name)
{
    return hm_fail(HM_ERROR_BUSY, "the %s '%.80s' is busy: called from one of its own callbacks",
                   what, name);
}

hm_status hm_refuse_null(const char *function, const char *argument)
{
    return hm_fail(HM_ERROR_INVALID, "%s: %s is NULL", function, argument);
}

void hm_panic_busy(const char *file, int line, const char *function, const char *name)
{
    char message[160];
    (void)hm_format(message, sizeof message, "%s: called on '%.80s' from one of its own callbacks",
                    function, name);
    hm_panic(file, line, message);
}

bool hm_is_same_text(const char *text, const char *other)
{
    while (*text != '\0' && *text == *other) {
        text++;
        other++;
    }
    return *text == *other;
}

void hm_zero(void *bytes, size_t size)
{
    memset(bytes, 0, size);
}

/* SPDX-License-Identifier: MIT */
/* base: status codes, the last error, the panic hook, version and export macros. What failing means
 * for all containers: handle_map.h. */
#ifndef HANDLE_MAP_BASE_H
#define HANDLE_MAP_BASE_H

#include <handle_map/bits.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HM_API marks what the shared library exports; everything else is hidden. On Windows the library
 * is built with HM_BUILD_SHARED and a program that links the DLL may define HM_USE_SHARED. */
#if defined(_WIN32) && defined(HM_BUILD_SHARED)
#define HM_API __declspec(dllexport)
#elif defined(_WIN32) && defined(HM_USE_SHARED)
#define HM_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define HM_API __attribute__((visibility("default")))
#else
#define HM_API
#endif

HM_BEGIN_C

typedef enum hm_status {
    HM_OK = 0,
    HM_ERROR_INVALID, /* an argument that no call could accept */
    HM_ERROR_MEMORY,  /* the system refused to reserve, commit or decommit */
    HM_ERROR_FULL,    /* a limit is reached: the capacity, the index space, max_items, ... */
    HM_ERROR_STALE,   /* the handle names no list (hm_lists_push_n) or no living entity
                         (hm_world_add), or a later owner has its slot (hm_index_set) */
    HM_ERROR_BUSY,    /* the call would change a container from inside one of its callbacks, or a
                         world while a query runs; so is a batch of no items */
    HM_ERROR_CORRUPT, /* validate found a broken invariant, or a load found damage */
    HM_ERROR_IO       /* a sink refused what a save wrote */
} hm_status;

/* Returned where there is no index to return. */
#define HM_INVALID_INDEX UINT32_MAX

/* Returns the constant's name ("HM_ERROR_FULL"), or "unknown status". Never NULL. O(1). */
HM_API const char *hm_status_name(hm_status status);

/* Returns why this thread's last failed call failed, in a sentence: "hm_map_init: item_align 3 is
 * not a power of two". Set by each call that fails with a status, by those that add something when
 * they return null or HM_INVALID_INDEX, by searches that refuse, and by all that are refused
 * because their container is busy; not by a call that succeeds, nor by a lookup that finds nothing
 * (hm_map_explain says why). Never NULL; "" before the first failure. At most 159 bytes. The
 * thread's next failure overwrites the text. In a freestanding library all threads share it. O(1),
 * no allocation. Example:
 *
 *     if (hm_map_reserve(&map, 1000) != HM_OK)
 *         fprintf(stderr, "sprites: %s\n", hm_last_error());
 */
HM_API const char *hm_last_error(void);

/* The version of the headers. */
#define HM_VERSION_MAJOR 0
#define HM_VERSION_MINOR 3
#define HM_VERSION_PATCH 0

/* Returns the version of the running library, "0.3.0". Never NULL. O(1). */
HM_API const char *hm_version(void);

/* Called when a contract is broken, with a sentence that names the function, and the place of the
 * check: a line of the library or, for a typed function, of the macro that defined it; a debugger
 * shows the caller. It may log, or end the thread or process; it must not longjmp or throw. When it
 * returns, the process aborts; a freestanding library traps, or loops forever. */
typedef void (*hm_panic_hook)(const char *file, int line, const char *message);

/* Sets the hook; NULL restores the default, which prints one line to stderr. A freestanding library
 * has no default: set a hook, or a broken contract only traps. The hook is one global variable
 * without a lock: set it before other threads start. Cannot fail. O(1). Example:
 *
 *     hm_set_panic_hook(log_panic);
 */
HM_API void hm_set_panic_hook(hm_panic_hook hook);

/* Calls the hook, then aborts; never returns. HM_CONTRACT calls it, and programs may too. */
HM_NORETURN HM_API HM_COLD void hm_panic(const char *file, int line, const char *message);

/* For the library and its generated functions, not for programs. The first sets the last error to
 * that of a NULL argument, and returns HM_ERROR_INVALID. The second is the panic of a call that is
 * made inside a callback, and has no other way to report that. */
HM_API HM_COLD hm_status hm_refuse_null(const char *function, const char *argument);
HM_NORETURN HM_API HM_COLD void hm_panic_busy(const char *file, int line, const char *function,
                                              const char *name);

/* What the caller must ensure. One predictable branch, in every build. */
#define HM_CONTRACT(condition, message)                                                            \
    ((condition) ? (void)0 : hm_panic(__FILE__, __LINE__, (message)))

HM_END_C

#endif

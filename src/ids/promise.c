/* SPDX-License-Identifier: MIT */
/* promise: the list of handles that are ready to be given out before their items are there, for
 * every container that promises. */
#include "ids_private.h"

#include "../base/atomic_private.h"
#include "../base/base_private.h"
#include "../memory/memory_private.h"

enum { PROMISE_HEAD = (sizeof(hm_promise_head) + sizeof(hm_handle) - 1) / sizeof(hm_handle) };

static hm_promise_head *promise_head_of(const hm_array *list)
{
    return (hm_promise_head *)(void *)list->data;
}

static hm_handle *promise_handles(const hm_array *list)
{
    return (hm_handle *)(void *)list->data + PROMISE_HEAD;
}

static uint32_t promise_end(const hm_array *list)
{
    return (uint32_t)(list->count - PROMISE_HEAD);
}

uint32_t hm_promises_ready(const hm_array *list)
{
    return list == NULL ? 0 : promise_end(list) - hm_atomic_load(&promise_head_of(list)->given);
}

/* Whether a handle is ready, but not given out yet. */
static bool promise_waits(const hm_array *list, hm_handle handle)
{
    uint32_t i = promise_end(list);
    for (uint32_t given = promise_end(list) - hm_promises_ready(list); i > given; i--)
        if (hm_handle_equal(promise_handles(list)[i - 1], handle))
            return true;
    return false;
}

hm_status hm_promises_open(hm_array **list, const hm_memory *memory, uint32_t n)
{
    const uint32_t ready = hm_promises_ready(*list);
    const size_t need = PROMISE_HEAD + (size_t)ready + n;
    const hm_array_desc desc = {sizeof(hm_handle), 0, 2 * need, memory->page_size, memory};
    if (*list != NULL) { /* Those that have been given out leave. */
        hm_handle *handles = promise_handles(*list);
        memmove(handles, handles + promise_end(*list) - ready, ready * sizeof *handles);
        (*list)->count = PROMISE_HEAD + (size_t)ready;
        promise_head_of(*list)->given = 0;
    }
    hm_status status = hm_array_open(list, &desc, need, PROMISE_HEAD + (size_t)ready);
    if (status == HM_OK && (*list)->count < PROMISE_HEAD)
        status = hm_array_resize(*list, PROMISE_HEAD);
    return status;
}

hm_handle *hm_promises_append(hm_array *list, uint32_t n)
{
    list->count += n;
    return promise_handles(list) + promise_end(list) - n;
}

hm_handle hm_promises_give(const hm_array *list, const char *what, const char *name)
{
    if (name == NULL) {
        (void)hm_fail_uninitialised(what);
        return HM_NULL_HANDLE;
    }
    for (uint32_t ready; (ready = hm_promises_ready(list)) != 0;) {
        uint32_t given = promise_end(list) - ready;
        if (hm_atomic_exchange_if(&promise_head_of(list)->given, given, given + 1))
            return promise_handles(list)[given];
    }
    (void)hm_fail(HM_ERROR_FULL, "the %s '%.40s' has no promises left: call reserve_promises first",
                  what, name);
    return HM_NULL_HANDLE;
}

hm_status hm_promises_refuse(const char *what, const char *name, hm_handle handle)
{
    return hm_fail(HM_ERROR_STALE,
                   "the %s '%.40s' has not promised 0x%016" HM_X64
                   ", or has its item already, or it was given up",
                   what, name != NULL ? name : "(no name)", handle.bits);
}

bool hm_promises_are_given(const hm_array *list, hm_handle handle)
{
    return list != NULL && !promise_waits(list, handle);
}

void hm_promises_count_more(hm_array *list, uint32_t n)
{
    promise_head_of(list)->promised += n;
}

void hm_promises_end(hm_array *list)
{
    promise_head_of(list)->promised--;
}

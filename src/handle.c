/* SPDX-License-Identifier: MIT */
/* handle: the names of the handle states; the layout itself is inline. */
#include <handle_map/handle.h>

HM_STATIC_ASSERT(sizeof(hm_handle) == 8, "a handle is 64 bits, also beside other handles");

const char *hm_handle_state_name(hm_handle_state state)
{
    switch (state) {
    case HM_HANDLE_LIVE:
        return "HM_HANDLE_LIVE";
    case HM_HANDLE_NULL:
        return "HM_HANDLE_NULL";
    case HM_HANDLE_FOREIGN:
        return "HM_HANDLE_FOREIGN";
    case HM_HANDLE_OUT_OF_RANGE:
        return "HM_HANDLE_OUT_OF_RANGE";
    case HM_HANDLE_STALE:
        return "HM_HANDLE_STALE";
    case HM_HANDLE_RETIRED:
        return "HM_HANDLE_RETIRED";
    case HM_HANDLE_FORGED:
        return "HM_HANDLE_FORGED";
    }
    return "unknown state";
}

/* SPDX-License-Identifier: MIT */
/* handle: the states of a handle; the layout itself is inline. */
#include "ids_private.h"

HM_STATIC_ASSERT(sizeof(hm_handle) == 8, "a handle is 64 bits, also beside other handles");

const char *hm_handle_state_name(hm_handle_state state)
{
    static const char *const names[] = {[HM_HANDLE_LIVE] = "HM_HANDLE_LIVE",
                                        [HM_HANDLE_NULL] = "HM_HANDLE_NULL",
                                        [HM_HANDLE_FOREIGN] = "HM_HANDLE_FOREIGN",
                                        [HM_HANDLE_OUT_OF_RANGE] = "HM_HANDLE_OUT_OF_RANGE",
                                        [HM_HANDLE_STALE] = "HM_HANDLE_STALE",
                                        [HM_HANDLE_RETIRED] = "HM_HANDLE_RETIRED",
                                        [HM_HANDLE_FORGED] = "HM_HANDLE_FORGED",
                                        [HM_HANDLE_ABSENT] = "HM_HANDLE_ABSENT",
                                        [HM_HANDLE_PROMISED] = "HM_HANDLE_PROMISED"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "unknown state";
}

hm_handle_state hm_handle_judge(hm_handle handle, uint32_t type_id)
{
    if (hm_handle_is_null(handle))
        return HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || hm_handle_generation(handle) == 0)
        return HM_HANDLE_FORGED;
    return hm_handle_type_id(handle) == type_id ? HM_HANDLE_LIVE : HM_HANDLE_FOREIGN;
}

void hm_stats_add(hm_stats *stats, const hm_array *array)
{
    stats->committed_size += array->moves_to_grow ? array->range_size : array->committed_size;
    stats->reserved_size += array->range_size;
}

/* SPDX-License-Identifier: MIT */
/* Budgets of tests. */
#ifndef TEST_SUPPORT_BUDGET_H
#define TEST_SUPPORT_BUDGET_H

#include <handle_map/order.h>

/* A new budget, by limits that a test draws or counts: 0 stands for no limit. */
static inline hm_frame_budget test_budget_of(uint32_t swaps, uint32_t compares)
{
    return hm_frame_budget_of(swaps != 0 ? swaps : HM_NO_LIMIT,
                              compares != 0 ? compares : HM_NO_LIMIT);
}

/* A new budget for one call, by its limits or as a copy of one. */
#define BUDGET(swaps, compares) (&(hm_frame_budget){swaps, compares, false})
#define ONCE(budget) BUDGET((budget).swaps_left, (budget).compares_left)

/* Whether a call that began with `before` has left what it should: the limits are lowered by what
 * it used, and it is spent when a limit is used up, or the call ended early without a failure. */
static inline bool budget_is_lowered(hm_frame_budget before, hm_frame_budget after,
                                     hm_progress used)
{
    uint64_t swaps = before.swaps_left != HM_NO_LIMIT ? used.swaps : 0;
    uint64_t compares = before.compares_left != HM_NO_LIMIT ? used.compares : 0;
    bool is_used_up = after.swaps_left == 0 || after.compares_left == 0;
    return after.swaps_left + swaps == before.swaps_left &&
           after.compares_left + compares == before.compares_left &&
           after.is_spent == (is_used_up || (!used.done && used.status == HM_OK));
}

#endif

/* SPDX-License-Identifier: MIT */
/* Budgets of tests. */
#ifndef TEST_SUPPORT_BUDGET_H
#define TEST_SUPPORT_BUDGET_H

#include <handle_map/order.h>

/* A new budget for one call, by its limits or as a copy of one. */
#define BUDGET(max_swaps, max_compares) (&(hm_budget){max_swaps, max_compares, false})
#define ONCE(budget) BUDGET((budget).max_swaps, (budget).max_compares)

/* Whether a call that began with `before` has left what it should: the limits are lowered by what
 * it used, and it is spent when a limit is used up, or the call ended early without a failure. */
static inline bool budget_is_lowered(hm_budget before, hm_budget after, hm_progress used)
{
    uint64_t swaps = before.max_swaps != 0 ? used.swaps : 0;
    uint64_t compares = before.max_compares != 0 ? used.compares : 0;
    bool is_used_up = (before.max_swaps != 0 && after.max_swaps == 0) ||
                      (before.max_compares != 0 && after.max_compares == 0);
    return after.max_swaps + swaps == before.max_swaps &&
           after.max_compares + compares == before.max_compares &&
           after.is_spent == (is_used_up || (!used.done && used.status == HM_OK));
}

#endif

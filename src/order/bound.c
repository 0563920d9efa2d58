/* SPDX-License-Identifier: MIT */
/* order: the binary search for where a probe belongs. It writes nothing, so that threads may search
 * together.
 *
 * Before an item is shown to compare or key, all must still be in order, with as many items as at
 * the start: so no item that is gone is read, even if a callback, against its rules, erases some.
 */
#include "order_internal.h"

#include "../base/base_private.h"

static bool bound_is_for(const hm_bound *bound)
{
    return bound->state != NULL && hm_order_is_for(bound->state, &bound->order);
}

static bool bound_is_in_order(const hm_bound *bound)
{
    return bound_is_for(bound) && hm_order_is_in_order(bound->state, bound->sequence->count);
}

/* Whether the bound is behind the item at `index`. */
static bool bound_is_behind(const hm_bound *bound, uint32_t index, uint64_t probe_key)
{
    const hm_order *order = &bound->order;
    const void *item = hm_sequence_item(bound->sequence, index);
    if (order->key != NULL) {
        uint64_t key = order->key(item, order->context);
        if (key != probe_key)
            return key < probe_key;
        if (order->compare == NULL || !bound_is_in_order(bound))
            return bound->is_upper;
    }
    return bound->is_upper ? order->compare(bound->probe, item, order->context) >= 0
                           : order->compare(item, bound->probe, order->context) < 0;
}

static uint32_t bound_refuse(const hm_bound *bound)
{
    hm_fail(HM_ERROR_INVALID, "the %s '%.60s' is not in this order: %s", bound->sequence->what,
            bound->sequence->name,
            bound_is_for(bound) ? "its defragment is not done: call it until it is"
                                : "call defragment with it first");
    return HM_INVALID_INDEX;
}

uint32_t hm_order_bound(const hm_bound *bound)
{
    HM_CONTRACT(bound != NULL, "hm_order_bound: bound is NULL");
    if (bound->is_busy) {
        hm_fail_busy(bound->sequence->what, bound->sequence->name);
        return HM_INVALID_INDEX;
    }
    const hm_order *order = &bound->order;
    uint32_t begin = 0, end = bound->sequence->count;
    if (end == 0)
        return 0;
    uint64_t key = 0;
    if (order->key != NULL && bound_is_in_order(bound))
        key = order->key(bound->probe, order->context);
    while (bound_is_in_order(bound)) {
        if (begin == end)
            return begin;
        uint32_t middle = begin + (end - begin) / 2;
        if (bound_is_behind(bound, middle, key))
            begin = middle + 1;
        else
            end = middle;
    }
    return bound_refuse(bound);
}

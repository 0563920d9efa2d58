/* SPDX-License-Identifier: MIT */
/* order: one comparison by the program's order, which a budget may interrupt between calls. */
#include "order_internal.h"

void hm_order_forget_keys(hm_order_state *state)
{
    state->keys.has_item = state->keys.has_probe = false;
}

bool hm_order_ask(hm_order_call *call, uint32_t a, uint32_t b, bool *is_less)
{
    hm_order_keys *keys = &call->state->keys;
    const hm_order *order = &call->state->order;
    if (order->key != NULL) {
        if (!keys->has_item) {
            if (!hm_order_may_compare(call))
                return false;
            keys->item = order->key(hm_order_item(call, a), order->context);
            keys->has_item = true;
        }
        if (!keys->has_probe) {
            if (!hm_order_may_compare(call))
                return false;
            keys->probe = order->key(hm_order_item(call, b), order->context);
            keys->has_probe = true;
        }
        if (keys->item != keys->probe || order->compare == NULL) {
            *is_less = keys->item < keys->probe;
            return true;
        }
    }
    if (!hm_order_may_compare(call))
        return false;
    *is_less = order->compare(hm_order_item(call, a), hm_order_item(call, b), order->context) < 0;
    return true;
}

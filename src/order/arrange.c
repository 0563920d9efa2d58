/* SPDX-License-Identifier: MIT */
/* order: an arrangement, which is an order given as a list of handles ("names"). The items with
 * names are the batch, in the order of their names, before all clean items; place does the rest. */
#include "order_internal.h"

void hm_order_begin_verify(hm_order_state *state)
{
    hm_order_end_batch(state);
    state->arrangement.next_name = state->arrangement.target = 0;
    state->cursor = 0;
    state->pending_end = 0;
}

/* Finds the position of the next name's item. Skips names whose item is gone, or is below the
 * target because it was named before. At the end of the names it is HM_INVALID_INDEX. */
static bool order_find_named(hm_order_call *call, uint32_t *position)
{
    hm_order_arrangement *names = &call->state->arrangement;
    *position = HM_INVALID_INDEX;
    for (; names->next_name < names->name_count; names->next_name++) {
        if (!hm_order_may_work(call))
            return false;
        hm_handle name = names->names[names->next_name];
        *position = call->sequence->find(call->sequence->owner, name);
        if (*position != HM_INVALID_INDEX && *position >= names->target)
            break;
    }
    return true;
}

/* Passes the names whose items are at their positions already. */
hm_order_phase hm_order_verify(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_arrangement *names = &state->arrangement;
    for (;;) {
        uint32_t position;
        if (!order_find_named(call, &position) || names->next_name == names->name_count)
            return HM_ORDER_PAUSE;
        if (position != names->target)
            break;
        names->next_name++;
        state->cursor = ++names->target;
    }
    state->is_disturbed = false;
    uint32_t count = call->sequence->count;
    uint32_t most = names->name_count - names->next_name; /* the most items to move */
    if (most > count - names->target)
        most = count - names->target;
    if (!hm_order_begin_batch(call, most))
        return hm_order_refuse(call);
    hm_order_set_cursor(state, names->target);
    return HM_ORDER_SPREAD;
}

/* Marks all items behind the target clean: those without a name keep their order. */
hm_order_phase hm_order_spread(hm_order_call *call)
{
    hm_order_state *state = call->state;
    uint32_t count = call->sequence->count;
    while (state->cursor < count) {
        uint32_t bit = state->cursor % HM_MARKS_PER_WORD;
        if (!hm_order_may_work(call))
            return HM_ORDER_PAUSE;
        if (bit == 0)
            state->marks[state->cursor / HM_MARKS_PER_WORD] = 0;
        uint32_t left = HM_MARKS_PER_WORD - bit;
        state->cursor += left < count - state->cursor ? left : count - state->cursor;
    }
    return HM_ORDER_NAME;
}

hm_order_phase hm_order_name(hm_order_call *call)
{
    hm_order_state *state = call->state;
    hm_order_batch *batch = &state->batch;
    hm_order_arrangement *names = &state->arrangement;
    while (batch->count < batch->capacity) {
        uint32_t position;
        if (!order_find_named(call, &position))
            return HM_ORDER_PAUSE;
        if (names->next_name == names->name_count)
            break;
        names->next_name++;
        if (position >= state->cursor || hm_order_mark(state, position) == HM_MARK_LIFTED)
            continue;
        batch->items[1][batch->count] = 0; /* its gap */
        hm_order_append(call, position, hm_sequence_slot(call->sequence, position));
    }
    return HM_ORDER_PLACE;
}

/* SPDX-License-Identifier: MIT */
/* dense: the functions that map, table and secondary have alike. */
#include "dense_private.h"

#include "../base/base_private.h"

/* As hm_panic, for a function of the container. */
HM_NORETURN HM_COLD static void dense_panic(const hm_dense *dense, const char *verb,
                                            const char *wrong)
{
    char message[96];
    (void)hm_format(message, sizeof message, "hm_%s_%s: %s", dense->sequence.what, verb, wrong);
    hm_panic(__FILE__, __LINE__, message);
}

static void dense_check_order(const hm_dense *dense, const hm_order *order, const char *verb)
{
    if (dense->column >= dense->column_count && dense->column_count != 0)
        dense_panic(dense, verb, "the column is out of range");
    if (order == NULL || (order->compare == NULL && order->key == NULL))
        dense_panic(dense, verb, "the order has neither compare nor key");
}

static bool dense_refuses(const hm_dense *dense)
{
    return hm_guard_refuses(dense->guard, dense->sequence.what, dense->sequence.name);
}

/* The order is by another column: nothing is known of this one. */
static bool dense_is_other_column(const hm_dense *dense)
{
    return dense->order_column != NULL && *dense->order_column != dense->column;
}

/* An order may run now; from here on it hears of changes. */
static void dense_enter(const hm_dense *dense)
{
    dense->guard->flags |= HM_GUARD_ORDERED;
    hm_guard_enter(dense->guard);
}

hm_progress hm_dense_defragment(const hm_dense *dense, const hm_order *order,
                                hm_frame_budget *budget)
{
    dense_check_order(dense, order, "defragment");
    if (dense_refuses(dense))
        return (hm_progress){.status = HM_ERROR_BUSY};
    if (dense_is_other_column(dense)) {
        if (hm_frame_budget_is_spent(budget))
            return (hm_progress){.done = dense->sequence.count == 0};
        hm_dense_forget_order(dense->guard, *dense->order);
        *dense->order_column = dense->column;
    }
    dense_enter(dense);
    hm_progress progress = hm_order_run(dense->order, order, &dense->sequence, budget);
    hm_guard_leave(dense->guard, dense->limit);
    return progress;
}

hm_progress hm_dense_arrange(const hm_dense *dense, const hm_handle *handles, uint32_t n,
                             hm_frame_budget *budget)
{
    if (handles == NULL && n != 0)
        dense_panic(dense, "arrange", "handles is NULL");
    if (dense_refuses(dense))
        return (hm_progress){.status = HM_ERROR_BUSY};
    dense_enter(dense);
    hm_progress progress = hm_order_arrange(dense->order, handles, n, &dense->sequence, budget);
    hm_guard_leave(dense->guard, dense->limit);
    return progress;
}

uint32_t hm_dense_bound(const hm_dense *dense, const hm_order *order, const void *probe,
                        bool is_upper)
{
    const char *verb = is_upper ? "upper_bound" : "lower_bound";
    dense_check_order(dense, order, verb);
    if (probe == NULL)
        dense_panic(dense, verb, "probe is NULL");
    const hm_bound bound = {.state = dense_is_other_column(dense) ? NULL : *dense->order,
                            .order = *order,
                            .sequence = &dense->sequence,
                            .probe = probe,
                            .is_upper = is_upper,
                            .is_busy = hm_guard_is_busy(dense->guard)};
    return hm_order_bound(&bound);
}

uint32_t hm_dense_erase_if(const hm_dense *dense,
                           bool (*is_doomed)(void *owner, uint32_t index, void *context),
                           void *context)
{
    const hm_sequence *sequence = &dense->sequence;
    if (dense_refuses(dense))
        return 0;
    hm_guard_enter(dense->guard);
    uint32_t survivors = hm_order_gather(*dense->order, sequence, is_doomed, context);
    hm_guard_leave(dense->guard, dense->limit);
    for (uint32_t index = sequence->count; index > survivors; index--)
        dense->erase_at(sequence->owner, index - 1);
    return sequence->count - survivors;
}

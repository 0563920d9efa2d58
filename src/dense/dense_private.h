/* SPDX-License-Identifier: MIT */
/* dense: what all containers share whose items are packed, and can be put in order: map, table and
 * secondary. A container says in an hm_dense what moves with an item; the functions below check,
 * keep the guard, and let the order do the rest.
 *
 * The order must hear of each change at a position that it manages, and of no other. The guard's
 * flag HM_GUARD_ORDERED says that there may be such positions: it is set before an order runs, and
 * cleared when the order is forgotten. */
#ifndef HANDLE_MAP_DENSE_PRIVATE_H
#define HANDLE_MAP_DENSE_PRIVATE_H

#include "../base/guard_private.h"
#include "../ids/id_table_private.h"
#include "../order/order_private.h"

/* Built for one call. */
typedef struct hm_dense {
    hm_guard *guard;
    uint32_t limit;         /* of the guard, while no callback runs */
    uint32_t column;        /* whose cells the order is shown */
    uint32_t column_count;  /* 0: it is not initialised, or has no columns */
    uint32_t *order_column; /* which one it was last; NULL: there are no columns */
    hm_order_state **order;
    /* Ends the item at a position, which the last item fills; only for erase_if. */
    void (*erase_at)(void *owner, uint32_t index);
    hm_sequence sequence; /* its `what` is the name in the names of the functions */
} hm_dense;

/* These are the functions of the container: hm_map_defragment and so on. The container is not NULL.
 */
hm_progress hm_dense_defragment(const hm_dense *dense, const hm_order *order, hm_budget *budget);
hm_progress hm_dense_arrange(const hm_dense *dense, const hm_handle *handles, uint32_t n,
                             hm_budget *budget);
uint32_t hm_dense_bound(const hm_dense *dense, const hm_order *order, const void *probe,
                        bool is_upper);

/* Erases the items for which `is_doomed`, called once for each position in their order, says true;
 * returns how many. The others keep their order. */
uint32_t hm_dense_erase_if(const hm_dense *dense,
                           bool (*is_doomed)(void *owner, uint32_t index, void *context),
                           void *context);

/* As hm_order_disturb, but does not read the state of an order that manages nothing. */
static inline void hm_dense_disturb(const hm_guard *guard, hm_order_state *order, uint32_t index,
                                    uint32_t count)
{
    if ((guard->flags & HM_GUARD_ORDERED) != 0)
        hm_order_disturb(order, index, count);
}

static inline void hm_dense_forget_order(hm_guard *guard, hm_order_state *order)
{
    hm_order_reset(order);
    guard->flags &= ~(uint32_t)HM_GUARD_ORDERED;
}

/* Whether guard and order agree with each other and with the limit, for validate. */
static inline bool hm_dense_is_valid(const hm_guard *guard, const hm_order_state *order,
                                     uint32_t limit)
{
    return guard->limit == (hm_guard_is_busy(guard) ? 0 : limit) &&
           (hm_order_managed(order) == 0 || (guard->flags & HM_GUARD_ORDERED) != 0);
}

/* The erase_n of a container with an id table: of each part, drops the handles that do not resolve,
 * without a branch on that, before it erases the others. */
HM_INLINE uint32_t hm_dense_erase_parts(const hm_id_table *ids, const hm_handle *handles,
                                        uint32_t n, void *container, hm_batch_prefetch *touch,
                                        bool (*erase)(void *container, hm_handle handle))
{
    uint32_t erased = 0;
    for (uint32_t part; n > 0 && ids->count > 0; handles += part, n -= part) {
        hm_handle kept[HM_BATCH_PART];
        hm_batch batch = hm_id_table_batch(ids);
        part = hm_batch_next_part(n);
        uint32_t found = hm_batch_keep_found(&batch, handles, part, kept, hm_batch_match_position,
                                             container, touch);
        for (uint32_t i = 1; i <= found && i <= ids->count; i++) /* Those fill the holes. */
            HM_PREFETCH(&ids->entries[ids->slots[ids->count - i]]);
        for (uint32_t i = 0; i < found; i++)
            erased += erase(container, kept[i]);
    }
    return erased;
}

#ifndef HM_WITHOUT_ORDER

/* The functions of a container that put it in order and search it. `described`: its hm_dense. What
 * follows are the parameters behind the container, each with a comma: the column, if it has some.
 */
#define HM_DENSE_ORDER(kind, described, ...)                                                       \
    hm_progress hm_##kind##_defragment(hm_##kind *kind, __VA_ARGS__ const hm_order *order,         \
                                       hm_budget *budget)                                          \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_defragment: " #kind " is NULL");                   \
        const hm_dense dense = described;                                                          \
        return hm_dense_defragment(&dense, order, budget);                                         \
    }                                                                                              \
    uint32_t hm_##kind##_lower_bound(const hm_##kind *kind, __VA_ARGS__ const hm_order *order,     \
                                     const void *probe)                                            \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_lower_bound: " #kind " is NULL");                  \
        const hm_dense dense = described;                                                          \
        return hm_dense_bound(&dense, order, probe, false);                                        \
    }                                                                                              \
    uint32_t hm_##kind##_upper_bound(const hm_##kind *kind, __VA_ARGS__ const hm_order *order,     \
                                     const void *probe)                                            \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_upper_bound: " #kind " is NULL");                  \
        const hm_dense dense = described;                                                          \
        return hm_dense_bound(&dense, order, probe, true);                                         \
    }

/* Its functions that arrange, and that tell the order of changes. `described` as above;
 * kind##_find finds the position of a handle, or HM_INVALID_INDEX, which no order manages. */
#define HM_DENSE_ARRANGE(kind, described)                                                          \
    hm_progress hm_##kind##_arrange(hm_##kind *kind, const hm_handle *handles, uint32_t n,         \
                                    hm_budget *budget)                                             \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_arrange: " #kind " is NULL");                      \
        const hm_dense dense = described;                                                          \
        return hm_dense_arrange(&dense, handles, n, budget);                                       \
    }                                                                                              \
    void hm_##kind##_touch(hm_##kind *kind, hm_handle handle)                                      \
    {                                                                                              \
        HM_CONTRACT_AT_REST(kind, "hm_" #kind "_touch");                                           \
        uint32_t index = kind##_find(kind, handle);                                                \
        hm_dense_disturb(&kind->guard, kind->order, index, hm_##kind##_count(kind));               \
    }                                                                                              \
    void hm_##kind##_touch_all(hm_##kind *kind)                                                    \
    {                                                                                              \
        HM_CONTRACT_AT_REST(kind, "hm_" #kind "_touch_all");                                       \
        hm_dense_forget_order(&kind->guard, kind->order);                                          \
    }

#else
#define HM_DENSE_ORDER(kind, described, ...)
#define HM_DENSE_ARRANGE(kind, described)
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* The baseline of the order benchmark: a handle map's columns, brought into order by insertion sort
 * as in the article that the handle map follows. Each misfit moves down one position at a time,
 * with its meta, and the sparse entry of every item that it passes is updated. The compare is
 * inlined. */
#ifndef ORDER_BASELINE_H
#define ORDER_BASELINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct order_item {
    uint32_t key, id;
};

struct order_baseline {
    struct order_item *items;
    uint32_t *slots;   /* position -> slot */
    uint64_t *entries; /* slot -> generation and position */
    uint32_t count;
};

/* Returns the number of moves of items. */
uint64_t order_baseline_sort(struct order_baseline *map);

/* std::stable_sort of items alone, with its compare inlined. */
void order_standard_sort(struct order_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif

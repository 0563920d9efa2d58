/* SPDX-License-Identifier: MIT */
/* What the order benchmark sorts: a map of 8-byte items, out of order in one of these ways. */
#ifndef ORDER_DATA_H
#define ORDER_DATA_H

#include "order_baseline.h"

#include <handle_map/handle_map.h>

struct order_data {
    hm_map map;
    hm_handle *handles; /* by id */
    uint32_t count;
    uint64_t random;
};

enum order_disorder {
    ORDER_SHUFFLED,
    ORDER_DISPLACED, /* some items have random new keys */
    ORDER_APPENDED,  /* so many at the end have them */
    ORDER_NEARBY     /* some belong up to 64 positions away */
};

extern const hm_order order_by_compare, order_by_key;

/* False in a build without C++: the sort does nothing then. */
extern const bool order_has_standard_sort;

uint64_t order_random(struct order_data *data);
double order_seconds(void);

/* Makes a map of `count` items, `share` of which (0 to 1) are out of order. */
void order_data_init(struct order_data *data, uint32_t count, enum order_disorder disorder,
                     double share, uint64_t seed);
/* The same items in the baseline's columns. */
void order_data_copy(const struct order_data *data, struct order_baseline *baseline);
void order_baseline_fini(struct order_baseline *baseline);
void order_data_fini(struct order_data *data);

/* Ends the program if the items are not in stable order or a handle does not find its item. */
void order_data_check(const struct order_data *data);

#endif

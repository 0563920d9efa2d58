// SPDX-License-Identifier: MIT
#include "order_baseline.h"

#include <algorithm>

void order_standard_sort(order_item *items, size_t count)
{
    std::stable_sort(items, items + count,
                     [](const order_item &a, const order_item &b) { return a.key < b.key; });
}

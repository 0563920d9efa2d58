/* SPDX-License-Identifier: MIT */
#include "order_baseline.h"

static void set(struct order_baseline *map, uint32_t position, struct order_item item,
                uint32_t slot)
{
    map->items[position] = item;
    map->slots[position] = slot;
    map->entries[slot] = (map->entries[slot] & ~(uint64_t)UINT32_MAX) | position;
}

uint64_t order_baseline_sort(struct order_baseline *map)
{
    uint64_t moves = 0;
    for (uint32_t i = 1; i < map->count; i++) {
        struct order_item item = map->items[i];
        uint32_t slot = map->slots[i];
        uint32_t to = i;
        for (; to > 0 && item.key < map->items[to - 1].key; to--)
            set(map, to, map->items[to - 1], map->slots[to - 1]);
        if (to != i)
            set(map, to, item, slot);
        moves += i - to;
    }
    return moves;
}

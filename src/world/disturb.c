/* SPDX-License-Identifier: MIT */
/* world: what is told of changes to the order of an archetype, which defragment.c makes. */
#include "world_private.h"

#include "../order/order_private.h"

uint32_t hm_world_row_of(const hm_world *world, hm_world_place place)
{
    const hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
    const uint32_t *chunks = hm_world_order_of(world)->chunks;
    uint32_t ordinal = hm_world_link_of(world, place.chunk)->ordinal;
    uint32_t row = hm_world_place_row(place);
    for (uint32_t i = 0; i < ordinal && i < HM_WORLD_SMALL_CHUNKS; i++)
        row += archetype->rows[hm_world_chunk_class(chunks[i])];
    if (ordinal > HM_WORLD_SMALL_CHUNKS)
        row += archetype->rows[HM_WORLD_CLASSES - 1] * (ordinal - HM_WORLD_SMALL_CHUNKS);
    return row;
}

void hm_world_disturb(hm_world *world, hm_world_place place, uint32_t count)
{
    hm_order_disturb(hm_world_order_of(world)->state, hm_world_row_of(world, place), count);
}

void hm_world_reset_order(hm_world *world)
{
    hm_world_order *order = hm_world_order_of(world);
    world->order_archetype = HM_WORLD_NONE;
    if (order == NULL)
        return;
    hm_order_reset(order->state);
    order->looked = 0;
}

/* SPDX-License-Identifier: MIT */
/* world: orders the rows of one archetype after the other. The order machinery numbers rows from 0,
 * and is told here where they are: the chunks of the archetype that is being ordered are listed for
 * that. Only that archetype has a state; what is known of the others is whether they changed
 * since. */
#include "world_private.h"

#include "../order/order_private.h"

/* Archetypes that a call looks at, at most, to find one that is not in order. */
#ifndef HM_EXHAUSTIVE
enum { DEFRAGMENT_ARCHETYPES = 4096 };
#endif

static hm_world_place defragment_place(const hm_world *world, uint32_t row)
{
    const hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
    const uint32_t *chunks = hm_world_order_of(world)->chunks;
    uint32_t ordinal = 0, rows;
    for (; ordinal < HM_WORLD_SMALL_CHUNKS; ordinal++, row -= rows) {
        rows = archetype->rows[hm_world_chunk_class(chunks[ordinal])];
        if (row < rows)
            break;
    }
    if (ordinal == HM_WORLD_SMALL_CHUNKS) {
        rows = archetype->rows[HM_WORLD_CLASSES - 1];
        ordinal += row / rows;
        row %= rows;
    }
    return (hm_world_place){chunks[ordinal], world->order_archetype << HM_WORLD_ROW_BITS | row};
}

/* What the order machinery asks. */

static void *defragment_item_at(const void *owner, uint32_t row)
{
    const hm_world *world = owner;
    const hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
    const hm_world_cell *cell = &archetype->cells[hm_world_order_of(world)->number];
    return hm_world_address(world, archetype, defragment_place(world, row), cell->offset,
                            cell->size);
}

static uint32_t defragment_slot_at(const void *owner, uint32_t row)
{
    const hm_world *world = owner;
    const hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
    hm_world_place place = defragment_place(world, row);
    return hm_handle_index(
        hm_world_entities(world, archetype, place.chunk)[hm_world_place_row(place)]);
}

/* An entity that has died, or moved to another archetype, has no row here. Only trim drops slots,
 * and it forgets the order. */
static uint32_t defragment_position_of(const void *owner, uint32_t slot)
{
    const hm_world *world = owner;
    if (hm_handle_index(world->ids.entries[slot]) >= world->ids.count ||
        hm_world_place_archetype(world->places[slot]) != world->order_archetype)
        return HM_INVALID_INDEX;
    return hm_world_row_of(world, world->places[slot]);
}

static void defragment_swapped(void *owner, uint32_t a, uint32_t b)
{
    hm_world *world = owner;
    hm_world_exchange_rows(world, defragment_place(world, a), defragment_place(world, b));
}

/* The archetypes, one by one */

static bool defragment_has(const hm_world *world, uint32_t index)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    return archetype->is_alive &&
           hm_world_cell_of(archetype, hm_world_order_of(world)->number)->size != 0;
}

/* Makes this archetype the current one. HM_ERROR_MEMORY: there is none for the list of its chunks,
 * and another one is current. */
static hm_status defragment_begin(hm_world *world, uint32_t index)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    hm_status status = hm_world_list_chunks(world, archetype->chunk_count);
    if (status != HM_OK)
        return status;
    hm_order_reset(hm_world_order_of(world)->state);
    world->order_archetype = index;
    uint32_t *chunks = hm_world_order_of(world)->chunks;
    for (uint32_t chunk = archetype->first; chunk != HM_WORLD_NONE;
         chunk = hm_world_link_of(world, chunk)->next)
        *chunks++ = chunk;
    return HM_OK;
}

/* Makes an archetype that is not in order the current one: the last one, or the next after it.
 * False if there is none among those that it looked at, or the list of its chunks fails; looks at
 * no more than `looks`. */
static bool defragment_choose(hm_world *world, uint32_t *looks, hm_status *status)
{
    hm_world_order *order = hm_world_order_of(world);
    uint32_t count = (uint32_t)world->archetype_array.count;
    if (world->order_archetype != HM_WORLD_NONE &&
        !world->archetypes[world->order_archetype].is_ordered)
        return true;
    for (; *looks > 0 && order->looked < count; --*looks) {
        uint32_t index = order->next + 1 < count ? order->next + 1 : 0;
        if (defragment_has(world, index) && !world->archetypes[index].is_ordered) {
            *status = defragment_begin(world, index);
            hm_world_order_of(world)->next = *status == HM_OK ? index : order->next;
            return *status == HM_OK;
        }
        order->next = index;
        order->looked++;
    }
    return false;
}

static hm_progress defragment_archetype(hm_world *world, hm_frame_budget *budget)
{
    hm_world_order *order = hm_world_order_of(world);
    const hm_accessors accessors = {defragment_item_at, defragment_slot_at, defragment_position_of};
    hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
    hm_sequence sequence = {.lane_size = archetype->cells[order->number].size,
                            .lane_shift = HM_LANES_BY_ACCESSORS,
                            .accessors = &accessors,
                            .slot_count = world->ids.slot_count,
                            .count = archetype->count,
                            .capacity = (uint32_t)world->ids.slot_array.capacity,
                            .swapped = defragment_swapped,
                            .owner = world,
                            .memory = world->memory,
                            .what = "world",
                            .name = world->name};
    hm_world_enter(world);
    hm_progress progress = hm_order_run(&order->state, &order->order, &sequence, budget);
    hm_world_leave(world);
    if (progress.swaps != 0)
        hm_world_mark_rows(world, world->order_archetype);
    archetype->is_ordered = progress.done;
    return progress;
}

/* As the last call left it. Whatever makes an archetype unordered advances the clock. */
static bool defragment_is_done(const hm_world *world)
{
    const hm_world_order *order = hm_world_order_of(world);
    return order->looked >= world->archetype_array.count && order->clock == world->clock;
}

/* Archetypes that were in order before the last change may not be any more. */
static hm_progress defragment_archetypes(hm_world *world, hm_frame_budget *budget)
{
    hm_progress all = {0};
    bool has_limit = hm_budget_limits_swaps(budget) || hm_budget_limits_compares(budget);
    uint32_t looks = has_limit ? DEFRAGMENT_ARCHETYPES : UINT32_MAX;
    bool goes_on = true;
    if (hm_world_order_of(world)->clock != world->clock)
        hm_world_order_of(world)->looked = 0;
    while (goes_on && defragment_choose(world, &looks, &all.status)) {
        hm_progress one = defragment_archetype(world, budget);
        all.swaps += one.swaps;
        all.compares += one.compares;
        all.status = one.status;
        goes_on = one.done && !hm_frame_budget_is_spent(budget);
    }
    hm_world_order_of(world)->clock = world->clock;
    all.done = goes_on && defragment_is_done(world); /* not if an archetype was refused memory */
    if (has_limit && !all.done && all.status == HM_OK)
        budget->is_spent = true; /* The looks may be used up, and nothing else. */
    return all;
}

static hm_progress defragment_sparse(hm_world *world, uint32_t number, const hm_order *order,
                                     hm_frame_budget *budget)
{
    hm_world_enter(world);
    hm_progress progress = hm_secondary_defragment(hm_world_sparse(world, number), order, budget);
    hm_world_leave(world);
    if (progress.swaps != 0)
        hm_world_record(world, number)->changed = ++world->clock;
    return progress;
}

static bool defragment_is_for(const hm_world *world, uint32_t number, const hm_order *order)
{
    if (world->order == NULL)
        return false;
    const hm_order *last = &hm_world_order_of(world)->order;
    return number == hm_world_order_of(world)->number && order->compare == last->compare &&
           order->key == last->key && order->context == last->context;
}

void hm_world_forget_order(hm_world *world)
{
    HM_CONTRACT_AT_REST(world, "hm_world_forget_order");
    hm_world_reset_order(world);
    if (world->order != NULL) { /* The next order will not be that of the last call. */
        hm_world_order_of(world)->order = (hm_order){0};
        hm_world_order_of(world)->next = 0;
    }
    for (uint32_t i = 0; i < world->sparse_count; i++)
        hm_secondary_forget_order(hm_world_secondary(world, i));
}

static void defragment_begin_anew(hm_world *world, uint32_t number, const hm_order *order)
{
    hm_world_order_of(world)->order = *order;
    hm_world_order_of(world)->number = number;
    hm_world_reset_order(world);
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        world->archetypes[i].is_ordered = false;
}

hm_progress hm_world_defragment(hm_world *world, hm_component component, const hm_order *order,
                                hm_frame_budget *budget)
{
    HM_CONTRACT(world != NULL, "hm_world_defragment: world is NULL");
    HM_CONTRACT(order != NULL && (order->compare != NULL || order->key != NULL),
                "hm_world_defragment: the order has neither compare nor key");
    uint32_t number = component - world->salt;
    if (hm_world_check_idle(world) != HM_OK)
        return (hm_progress){.status = HM_ERROR_BUSY};
    if (number >= world->component_count || hm_world_record(world, number)->size == 0)
        return (hm_progress){.done = true};
    if (hm_world_is_sparse(world, number))
        return defragment_sparse(world, number, order, budget);
    bool is_for = defragment_is_for(world, number, order);
    if (hm_frame_budget_is_spent(budget))
        return (hm_progress){.done = is_for && defragment_is_done(world)};
    hm_status status = is_for ? HM_OK : hm_world_list_chunks(world, 0);
    if (status != HM_OK)
        return (hm_progress){.status = status};
    if (!is_for)
        defragment_begin_anew(world, number, order);
    return defragment_archetypes(world, budget);
}

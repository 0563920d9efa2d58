/* SPDX-License-Identifier: MIT */
/* world: how its arrays move. Those that every world has begin in its first range, which is
 * committed whole and stays until fini. Without a capacity the ids are there too, and move together
 * with the places of slots; with one that range is a column of the ids' range, where these and the
 * components grow in place, but for what is by slot once many slots are retired. Any other array
 * that is full moves to a range of its own, so that each moves only when it has doubled. */
#include "world_private.h"

void hm_world_place_arrays(hm_world *world)
{
    world->places = hm_array_data(&world->place_array);
    world->archetypes = hm_array_data(&world->archetype_array);
    world->store.bases = hm_array_data(&world->store.base_array);
}

hm_status hm_world_open(const hm_world *world, hm_array **place, size_t size, size_t need,
                        size_t least)
{
    hm_array_desc desc = {.item_size = size, .capacity = need, .memory = world->memory};
    size_t used = *place != NULL ? (*place)->limit : 0;
    if (*place != NULL)
        desc.capacity *= 2;
    else if (desc.capacity < least)
        desc.capacity = least;
    desc.capacity = hm_memory_round_up(size * desc.capacity, world->memory->page_size) / size;
    return hm_array_open(place, &desc, need, used);
}

hm_status hm_world_list_chunks(hm_world *world, uint32_t count)
{
    enum { BEGIN = sizeof(hm_world_order) / sizeof(uint32_t) };
    bool is_new = world->order == NULL;
    size_t need = BEGIN + (size_t)count;
    hm_status status = hm_world_open(world, &world->order, sizeof(uint32_t), need, 0);
    hm_world_order *order = hm_world_order_of(world);
    if (status == HM_OK && is_new)
        memset((unsigned char *)order + sizeof order->array, 0,
               sizeof *order - sizeof order->array);
    return status;
}

hm_status hm_world_widen_array(hm_world *world, hm_array *array, size_t size, size_t need)
{
    hm_array_column column = {.array = array, .desc = {.item_size = size, .capacity = need}};
    if (world->running != 0)
        return hm_world_refuse_busy(world);
    if (need < HM_ARRAY_FIRST_SIZE / size)
        column.desc.capacity = need = HM_ARRAY_FIRST_SIZE / size;
    column.desc.memory = world->ids.slot_array.memory;
    hm_status status = array->data != NULL ? hm_array_widen(array, need, array->limit)
                                           : hm_array_init_columns(&column, 1, true);
    hm_world_place_arrays(world);
    return status;
}

/* Describes the places for a move with the ids, where they return if only they have moved. */
static hm_array_column arrays_places(hm_world *world, uint32_t count)
{
    hm_array_column places = hm_array_column_of(&world->place_array, count, false);
    places.desc.capacity = 0;
    places.is_by_slot = true;
    return places;
}

hm_status hm_world_move_to(hm_world *world, size_t capacity, size_t slots, uint32_t carried)
{
    hm_array_column places = arrays_places(world, carried);
    hm_status status = hm_id_table_move(&world->ids, capacity, slots, &places, 1);
    hm_world_place_arrays(world);
    return status;
}

static hm_status arrays_move(void *owner, size_t capacity, size_t slots)
{
    hm_world *world = owner;
    return hm_world_move_to(world, capacity, slots, world->ids.slot_count);
}

hm_status hm_world_prepare_ids(hm_world *world, uint32_t n, bool grows)
{
    hm_status status = HM_OK;
    if (hm_id_table_moves(&world->ids, n))
        status = world->running != 0
                     ? hm_world_refuse_busy(world)
                     : hm_id_table_widen(&world->ids, world->name, n, world, arrays_move);
    if (status == HM_OK)
        status = hm_id_table_prepare(&world->ids, world->name, n, grows, world, arrays_move);
    return status;
}

hm_status hm_world_prepare_adopt(hm_world *world, hm_handle entity)
{
    return hm_id_table_prepare_adopt(&world->ids, entity, world, arrays_move);
}

/* Moves an array that has a range of its own. */
static hm_status arrays_shrink(hm_array *array)
{
    hm_array_column column = hm_array_column_of(array, array->count, false);
    if (array->range_size == 0 || array->count > array->capacity / 2)
        return HM_OK;
    column.desc.capacity = array->count != 0 ? array->count : 1;
    return hm_array_move_columns(&column, 1);
}

hm_status hm_world_shrink(hm_world *world)
{
    hm_array *const arrays[] = {&world->archetype_array, &world->bucket_array,
                                &world->component_array, &world->store.record_array,
                                &world->store.base_array};
    hm_status status = hm_id_table_narrow(&world->ids, world, arrays_move);
    if (status == HM_OK && world->ids.slot_array.moves_to_grow)
        status = arrays_shrink(&world->mask_array);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && status == HM_OK; i++)
        status = arrays_shrink(arrays[i]);
    hm_world_place_arrays(world);
    return status;
}

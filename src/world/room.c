/* SPDX-License-Identifier: MIT */
/* world: how its arrays move. With a capacity all of them are columns of the range of the ids, and
 * grow in place, but for those by slot once many slots are retired. Without one those that every
 * world needs begin in that range, which is committed whole. The places of slots move with it; any
 * other that is full moves to a range of its own, so that each moves only when it has doubled. */
#include "world_internal.h"

void hm_world_place_arrays(hm_world *world)
{
    world->places = hm_array_data(&world->place_array);
    world->archetypes = hm_array_data(&world->archetype_array);
    world->store.bases = hm_array_data(&world->store.base_array);
}

hm_status hm_world_widen_array(hm_world *world, hm_array *array, size_t size, size_t need)
{
    hm_array_column column = {.array = array, .desc = {.item_size = size, .capacity = need}};
    bool is_by_slot = array == &world->place_array || array == &world->mask_array;
    if (!world->ids.slot_array.is_whole && !is_by_slot) /* The commit that follows fails. */
        return HM_OK;
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

/* Lists the arrays that every world has. */
enum { ROOM_EVERY = 7 };
static void room_every(hm_world *world, hm_array *arrays[ROOM_EVERY])
{
    hm_array *const every[ROOM_EVERY] = {&world->place_array,     &world->archetype_array,
                                         &world->bucket_array,    &world->component_array,
                                         &world->order_chunks,    &world->store.record_array,
                                         &world->store.base_array};
    memcpy(arrays, every, sizeof every);
}

/* Lists those that are in the range of the ids, for a move, and returns their number. The places,
 * the first, return there if only they have moved. */
static uint32_t room_in_range(hm_world *world, hm_array_column *columns)
{
    hm_array *arrays[ROOM_EVERY];
    room_every(world, arrays);
    columns[0] = hm_array_column_of(&world->place_array, world->ids.slot_count, false);
    columns[0].desc.capacity = 0;
    columns[0].is_by_slot = true;
    uint32_t count = 1;
    for (uint32_t i = 1; i < ROOM_EVERY; i++)
        if (arrays[i]->range_size == 0)
            columns[count++] = hm_array_column_of(arrays[i], arrays[i]->limit, false);
    return count;
}

hm_status hm_world_move(hm_world *world, uint32_t n)
{
    hm_array_column columns[ROOM_EVERY];
    if (world->running != 0)
        return hm_world_refuse_busy(world);
    if (!world->ids.slot_array.is_whole) /* The entries move alone. */
        return HM_OK;
    uint32_t count = room_in_range(world, columns);
    hm_status status = hm_id_table_grow(&world->ids, world->name, n, columns, count);
    hm_world_place_arrays(world);
    return status;
}

/* Moves an array that has a range of its own. */
static hm_status room_shrink(hm_array *array)
{
    hm_array_column column = hm_array_column_of(array, array->count, false);
    if (array->range_size == 0 || array->count > array->capacity / 2)
        return HM_OK;
    column.desc.capacity = array->count != 0 ? array->count : 1;
    return hm_array_move_columns(&column, 1);
}

hm_status hm_world_shrink(hm_world *world)
{
    hm_array *arrays[ROOM_EVERY];
    hm_array_column columns[ROOM_EVERY];
    if (!world->ids.slot_array.is_whole)
        return HM_OK;
    hm_array_fini(&world->link_array); /* The next apply makes it again. */
    uint32_t count = room_in_range(world, columns);
    hm_status status = hm_id_table_shrink(&world->ids, columns, count);
    room_every(world, arrays);
    for (uint32_t i = 1; i < ROOM_EVERY && status == HM_OK; i++)
        status = room_shrink(arrays[i]);
    if (status == HM_OK)
        status = room_shrink(&world->mask_array);
    if (status == HM_OK)
        status = room_shrink(&world->sparse_array);
    hm_world_place_arrays(world);
    return status;
}

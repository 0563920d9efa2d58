/* SPDX-License-Identifier: MIT */
/* world: the sentences with which it refuses calls, and the time of callbacks, in which it does. */
#include "world_private.h"

hm_status hm_world_refuse_busy(const hm_world *world)
{
    if (hm_guard_refuses(&world->guard, "world", world->name))
        return HM_ERROR_BUSY;
    return hm_fail(HM_ERROR_BUSY,
                   "the world '%.30s' does not change while a query runs (%" HM_U32 " do): record "
                   "it in commands, or call hm_query_end for a loop that was left",
                   world->name, world->running);
}

hm_status hm_world_blame_memory(const hm_world *world)
{
    bool is_limited = !world->ids.slot_array.moves_to_grow;
    const hm_limits limits = {.what = "world",
                              .name = world->name,
                              .capacity = is_limited ? hm_world_capacity(world) : 0,
                              .max_slots = is_limited ? world->ids.max_slots : 0};
    return hm_blame_memory(&limits);
}

hm_status hm_world_refuse_component(const hm_world *world, uint32_t number, const char *is)
{
    const char *name = hm_world_record(world, number)->name;
    if (name == NULL)
        return hm_fail(HM_ERROR_INVALID, "component 0x%08" HM_X32 " %s", world->salt + number, is);
    return hm_fail(HM_ERROR_INVALID, "component %.60s %s", name, is);
}

void hm_world_enter(hm_world *world)
{
    hm_guard_enter(&world->guard);
}

void hm_world_leave(hm_world *world)
{
    hm_guard_leave(&world->guard, hm_id_table_ready(&world->ids));
}

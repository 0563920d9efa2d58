/* SPDX-License-Identifier: MIT */
/* describe: the sentences about a handle; and what one means to an id table. */
#include "ids_private.h"

#include "../base/base_private.h"

static size_t describe_forged(const hm_description *what, const char *name, char *buffer,
                              size_t size)
{
    uint32_t generation = hm_handle_generation(what->handle), last = what->generation;
    if (last >= generation) /* It is ready to be promised. */
        last = generation - 1;
    if (hm_handle_is_free(what->handle))
        return hm_format(buffer, size, "forged: its free bit is set");
    if (generation == 0)
        return hm_format(buffer, size, "forged: generation 0 is never issued");
    return hm_format(buffer, size,
                     "forged: slot %" HM_U32 " of '%s' has issued no generation above %" HM_U32
                     ", the handle has %" HM_U32,
                     hm_handle_index(what->handle), name, last, generation);
}

size_t hm_describe(const hm_description *what, char *buffer, size_t size)
{
    const char *name = what->name != NULL ? what->name : "(no name)";
    uint32_t slot = hm_handle_index(what->handle);
    uint32_t generation = hm_handle_generation(what->handle);
    if (what->is_zeroed)
        return hm_format(buffer, size, "not initialised: the container has no items");
    switch (what->state) {
    case HM_HANDLE_LIVE:
        return hm_format(buffer, size, "live: slot %" HM_U32 " of '%s', generation %" HM_U32, slot,
                         name, generation);
    case HM_HANDLE_NULL:
        return hm_format(buffer, size, "null: it names no item");
    case HM_HANDLE_FOREIGN:
        return hm_format(buffer, size, "foreign: type id %" HM_U32 ", '%s' has %" HM_U32,
                         hm_handle_type_id(what->handle), name, what->type_id);
    case HM_HANDLE_OUT_OF_RANGE:
        return hm_format(buffer, size, "out of range: slot %" HM_U32 " of '%s', which has %" HM_U32,
                         slot, name, what->slots);
    case HM_HANDLE_STALE:
        if (what->is_free)
            return hm_format(buffer, size,
                             "stale: slot %" HM_U32 " of '%s' is free now, the handle has"
                             " generation %" HM_U32,
                             slot, name, generation);
        return hm_format(buffer, size,
                         "stale: slot %" HM_U32 " of '%s' has generation %" HM_U32
                         " now, the handle %" HM_U32,
                         slot, name, what->generation, generation);
    case HM_HANDLE_RETIRED:
        return hm_format(buffer, size,
                         "retired: slot %" HM_U32 " of '%s' has used up its generations, the handle"
                         " has %" HM_U32,
                         slot, name, generation);
    case HM_HANDLE_PROMISED:
        return hm_format(buffer, size,
                         "promised: slot %" HM_U32 " of '%s' has no item yet, generation %" HM_U32,
                         slot, name, generation);
    default: /* HM_HANDLE_FORGED; a secondary tells of HM_HANDLE_ABSENT */
        return describe_forged(what, name, buffer, size);
    }
}

size_t hm_describe_lost(hm_handle handle, char *buffer, size_t size)
{
    const hm_description what = {.handle = handle,
                                 .state = hm_handle_judge(handle, hm_handle_type_id(handle))};
    if (what.state != HM_HANDLE_LIVE)
        return hm_describe(&what, buffer, size);
    return hm_format(buffer, size,
                     "foreign: type id %" HM_U32 ", no container of the directory has it",
                     hm_handle_type_id(handle));
}

/* id tables */

hm_handle_state hm_id_table_explain(const hm_id_table *table, hm_handle handle)
{
    HM_CONTRACT(table != NULL, "hm_id_table_explain: table is NULL");
    hm_handle_state state = hm_handle_judge(handle, table->type_id);
    if (state != HM_HANDLE_LIVE)
        return state;
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    if (slot >= table->slot_count) {
        if (slot >= table->dropped_end)
            return HM_HANDLE_OUT_OF_RANGE;
        return generation <= hm_id_table_floor_of(table, slot) ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
    }
    hm_handle entry = table->entries[slot];
    if (hm_handle_index(entry) == HM_INVALID_INDEX && hm_handle_is_free(entry))
        return HM_HANDLE_RETIRED;
    if (hm_id_table_contains(table, handle))
        return HM_HANDLE_LIVE;
    if (hm_handle_match(entry, handle) == HM_INVALID_INDEX)
        return hm_promises_are_given(hm_id_table_promises(table), handle) ? HM_HANDLE_PROMISED
                                                                          : HM_HANDLE_FORGED;
    return generation <= hm_handle_generation(entry) ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

size_t hm_id_table_describe(const hm_id_table *table, hm_handle handle, const char *name,
                            char *buffer, size_t size)
{
    HM_CONTRACT(table != NULL, "hm_id_table_describe: table is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_id_table_describe: buffer is NULL");
    uint32_t slot = hm_handle_index(handle), end = table->slot_count;
    hm_description what = {.name = name,
                           .handle = handle,
                           .state = hm_id_table_explain(table, handle),
                           .type_id = table->type_id,
                           .slots = end > table->dropped_end ? end : table->dropped_end,
                           .is_free = true,
                           .is_zeroed = table->max_slots == 0};
    if (slot < end) {
        what.generation = hm_handle_generation(table->entries[slot]);
        what.is_free = hm_handle_index(table->entries[slot]) >= table->count &&
                       !hm_id_table_is_promised(table->entries[slot]);
    } else if (slot < table->dropped_end) {
        what.generation = hm_id_table_floor_of(table, slot);
    }
    return hm_describe(&what, buffer, size);
}

/* SPDX-License-Identifier: MIT */
/* secondary: why an owner has no value, as a state and in words. */
#include "dense_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"

size_t hm_secondary_describe(const hm_secondary *secondary, hm_handle owner, char *buffer,
                             size_t size)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_describe: secondary is NULL");
    HM_CONTRACT(buffer != NULL || size == 0, "hm_secondary_describe: buffer is NULL");
    return hm_secondary_describe_as(secondary, owner, "value", buffer, size);
}

/* The generation is that of the value of the owner's slot, or 0. */
static hm_description explain_owner(const hm_secondary *secondary, hm_handle owner)
{
    uint32_t slot = hm_handle_index(owner);
    hm_description what = {.name = secondary->name,
                           .handle = owner,
                           .state = hm_handle_judge(owner, secondary->type_id),
                           .type_id = secondary->type_id,
                           .slots = secondary->max_slots,
                           .is_zeroed = secondary->max_slots == 0};
    if (what.state != HM_HANDLE_LIVE)
        return what;
    if (slot >= secondary->max_slots) {
        what.state = HM_HANDLE_OUT_OF_RANGE;
        return what;
    }
    uint32_t index = hm_secondary_find_slot(secondary, slot);
    if (index != HM_INVALID_INDEX)
        what.generation = hm_handle_generation(secondary->owners[index]);
    if (what.generation < hm_handle_generation(owner))
        what.state = HM_HANDLE_ABSENT;
    else if (what.generation > hm_handle_generation(owner))
        what.state = HM_HANDLE_STALE;
    return what;
}

hm_handle_state hm_secondary_explain(const hm_secondary *secondary, hm_handle owner)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_explain: secondary is NULL");
    return explain_owner(secondary, owner).state;
}

size_t hm_secondary_describe_as(const hm_secondary *secondary, hm_handle owner, const char *value,
                                char *buffer, size_t size)
{
    hm_description what = explain_owner(secondary, owner);
    if (what.state != HM_HANDLE_ABSENT)
        return hm_describe(&what, buffer, size);
    if (what.generation == 0)
        return hm_format(buffer, size, "absent: slot %" HM_U32 " of '%s' has no %s",
                         hm_handle_index(owner), what.name, value);
    return hm_format(buffer, size,
                     "absent: slot %" HM_U32 " of '%s' still has the %s of generation %" HM_U32
                     ", the handle has %" HM_U32,
                     hm_handle_index(owner), what.name, value, what.generation,
                     hm_handle_generation(owner));
}

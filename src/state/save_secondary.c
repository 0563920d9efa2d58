/* SPDX-License-Identifier: MIT */
/* save: secondaries. Their payload: the values in order; of each owner the slot and the generation.
 * Positions of slots take memory that no bytes of the file are for, so they are made last, when the
 * whole section has been checked. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { SECONDARY_DETAILS = HM_SAVE_OWNER_SLOTS + 1 };

uint32_t hm_save_slots_of(const hm_handle *owners, uint32_t n)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < n; i++)
        if (slots <= hm_handle_index(owners[i]))
            slots = hm_handle_index(owners[i]) + 1;
    return slots;
}

/* Of an owner the slot and, behind it, the generation. */
static uint64_t owner_at(const void *owners, uint32_t i)
{
    hm_handle owner = ((const hm_handle *)owners)[i];
    return hm_handle_index(owner) | (uint64_t)hm_handle_generation(owner) << 32;
}

void hm_save_owners(hm_save_out *out, const hm_handle *owners, uint32_t n)
{
    hm_save_numbers(out, HM_SAVE_OWNER, n, owner_at, owners);
}

static void saved_secondary_describe(const void *container, hm_save_section *section)
{
    const hm_secondary *secondary = container;
    section->type_id = secondary->type_id;
    section->count = secondary->count;
    section->item_size = (uint32_t)secondary->value_size;
    section->details[HM_SAVE_OWNER_SLOTS] = hm_save_slots_of(secondary->owners, secondary->count);
    section->detail_count = SECONDARY_DETAILS;
}

static uint64_t saved_secondary_measure(const hm_save_section *section)
{
    return (uint64_t)section->count * ((uint64_t)section->encoded_size + HM_SAVE_OWNER);
}

static void saved_secondary_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_secondary *secondary = container;
    hm_save_items(out, desc, secondary->values, secondary->value_size, out->section->count);
    hm_save_owners(out, secondary->owners, out->section->count);
}

hm_status hm_load_check_owners(hm_save_in *in, const hm_save_desc *desc, const hm_secondary *owners,
                               const char *what, bool agrees)
{
    const hm_save_section *section = &in->section;
    if (!agrees || section->count > section->details[HM_SAVE_OWNER_SLOTS])
        return hm_load_disagree(in);
    hm_status status = hm_load_check_limit(in, what, section->count,
                                           desc != NULL ? desc->max_count : 0, owners->capacity);
    if (status != HM_OK)
        return status;
    return hm_load_check_limit(in, "slots", section->details[HM_SAVE_OWNER_SLOTS],
                               desc != NULL ? desc->max_slots : 0, owners->max_slots);
}

static hm_status saved_secondary_begin(hm_load *load)
{
    const hm_secondary *secondary = load->container;
    return hm_load_check_empty("secondary", secondary->name, "values", secondary->count);
}

static hm_status saved_secondary_check(hm_load *load)
{
    const hm_save_section *section = &load->in.section;
    bool agrees = section->detail_count == SECONDARY_DETAILS &&
                  section->payload_size == saved_secondary_measure(section);
    return hm_load_check_owners(&load->in, load->desc, load->container, "values", agrees);
}

hm_status hm_load_values(hm_save_in *in, hm_secondary *secondary, const hm_save_desc *desc,
                         uint32_t count, uint32_t *made)
{
    while (*made < count) {
        uint32_t n = hm_load_next(secondary->value_size, count - *made);
        hm_status status = hm_secondary_make_room(secondary, *made, n);
        if (status != HM_OK)
            return status;
        unsigned char *values = secondary->values + secondary->value_size * *made;
        hm_memory_unpoison(values, secondary->value_size * n);
        *made += hm_load_items(in, desc, values, secondary->value_size, n);
        if (in->status != HM_OK)
            return in->status;
    }
    return HM_OK;
}

hm_status hm_load_owners(hm_save_in *in, hm_handle *owners, uint32_t n, uint32_t slots,
                         uint32_t type_id)
{
    for (uint32_t part; n > 0; n -= part, owners += part) {
        part = hm_load_part(in, HM_SAVE_OWNER, n);
        if (part == 0)
            return in->status;
        for (uint32_t i = 0; i < part; i++) {
            const unsigned char *bytes = in->buffer + (size_t)HM_SAVE_OWNER * i;
            uint32_t slot = hm_load_32(bytes), generation = hm_load_16(bytes + 4);
            if (slot >= slots || generation == 0)
                return hm_load_fail(in, HM_ERROR_CORRUPT, HM_SAVE_OWNER * (size_t)(part - i),
                                    "slot %" HM_U32 ", generation %" HM_U32 " is no owner", slot,
                                    generation);
            owners[i] = hm_handle_pack(slot, generation, type_id);
        }
    }
    return HM_OK;
}

hm_status hm_load_publish_owners(hm_save_in *in, hm_secondary *secondary, uint32_t count,
                                 uint32_t slots)
{
    if (hm_save_slots_of(secondary->owners, count) != slots)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "no owner has the last of %" HM_U32 " slots",
                            slots);
    hm_status status = hm_secondary_publish_owners(secondary, count, slots);
    if (status == HM_ERROR_CORRUPT)
        return hm_load_fail(in, status, 0, "two owners have one slot");
    return status;
}

void hm_load_destroy_values(const hm_secondary *secondary, const hm_save_desc *desc, uint32_t made)
{
    hm_load_destroy(desc, secondary->destroy, secondary->context, secondary->values,
                    secondary->value_size, made);
}

static hm_status saved_secondary_read(hm_load *load)
{
    hm_save_in *in = &load->in;
    hm_secondary *secondary = load->container;
    hm_status status = hm_load_values(in, secondary, load->desc, in->section.count, &load->made);
    if (status != HM_OK)
        return status;
    return hm_load_owners(in, secondary->owners, load->made,
                          in->section.details[HM_SAVE_OWNER_SLOTS], secondary->type_id);
}

static hm_status saved_secondary_finish(hm_load *load, hm_status status)
{
    hm_secondary *secondary = load->container;
    if (status == HM_OK)
        status = hm_load_publish_owners(&load->in, secondary, load->made,
                                        load->in.section.details[HM_SAVE_OWNER_SLOTS]);
    if (status == HM_OK)
        return HM_OK;
    hm_load_destroy_values(secondary, load->desc, load->made);
    hm_memory_poison(secondary->values, secondary->value_array.committed_size);
    return status;
}

static void saved_secondary_rest(hm_secondary *secondary)
{
    hm_dense_forget_order(&secondary->guard, secondary->order);
    hm_guard_leave(&secondary->guard, hm_secondary_committed_values(secondary));
}

HM_SAVED(secondary, HM_SAVE_SECONDARY, 0, NULL, saved_secondary_begin)

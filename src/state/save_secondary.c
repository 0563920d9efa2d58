/* SPDX-License-Identifier: MIT */
/* save: secondaries. Their payload: the values in order; of each owner the slot and the generation.
 * Positions of slots take memory that no bytes of the file are for, so they are made last, when the
 * whole section has been checked. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { SECONDARY_DETAILS = HM_SAVE_OWNER_SLOTS + 1 };

static uint64_t saved_secondary_size(const hm_save_section *section)
{
    return (uint64_t)section->count * ((uint64_t)section->encoded_size + HM_SAVE_OWNER);
}

uint32_t hm_save_slots_of(const hm_handle *owners, uint32_t n)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < n; i++)
        if (slots <= hm_handle_index(owners[i]))
            slots = hm_handle_index(owners[i]) + 1;
    return slots;
}

void hm_save_owners(hm_save_out *out, const hm_handle *owners, uint32_t n)
{
    enum { MOST = HM_SAVE_BUFFER / HM_SAVE_OWNER };
    while (n > 0 && out->status == HM_OK) {
        uint32_t part = n < MOST ? n : MOST;
        for (uint32_t i = 0; i < part; i++) {
            unsigned char *bytes = out->buffer + (size_t)HM_SAVE_OWNER * i;
            hm_save_put_32(bytes, hm_handle_index(owners[i]));
            hm_save_put_16(bytes + 4, hm_handle_generation(owners[i]));
        }
        hm_save_bytes(out, out->buffer, (size_t)HM_SAVE_OWNER * part);
        owners += part;
        n -= part;
    }
}

hm_status hm_secondary_save(const hm_secondary *secondary, const hm_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_save: secondary is NULL");
    hm_save_section section = {.kind = HM_SAVE_SECONDARY,
                               .type_id = secondary->type_id,
                               .item_size = (uint32_t)secondary->value_size,
                               .count = secondary->count,
                               .detail_count = SECONDARY_DETAILS};
    hm_save_out out;
    if (secondary->values == NULL)
        return hm_fail_uninitialised("secondary");
    hm_status status = hm_save_describe(&section, desc, secondary->name);
    if (status != HM_OK)
        return status;
    section.details[HM_SAVE_OWNER_SLOTS] = hm_save_slots_of(secondary->owners, secondary->count);
    section.payload_size = saved_secondary_size(&section);
    hm_save_begin(&out, &section, sink);
    hm_save_items(&out, desc, secondary->values, secondary->value_size, section.count);
    hm_save_owners(&out, secondary->owners, section.count);
    return hm_save_end(&out);
}

/* A secondary that is being loaded. */
typedef struct secondary_load {
    hm_secondary *secondary;
    const hm_save_desc *desc;
    uint32_t made; /* values */
    hm_save_in in;
} secondary_load;

hm_status hm_load_check_owners(hm_save_in *in, const hm_save_desc *desc, const hm_secondary *owners,
                               const char *what, bool agrees)
{
    const hm_save_section *section = &in->section;
    if (!agrees || section->count > section->details[HM_SAVE_OWNER_SLOTS])
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its size and its counts disagree");
    hm_status status = hm_load_check_limit(in, what, section->count,
                                           desc != NULL ? desc->max_count : 0, owners->capacity);
    if (status != HM_OK)
        return status;
    return hm_load_check_limit(in, "slots", section->details[HM_SAVE_OWNER_SLOTS],
                               desc != NULL ? desc->max_slots : 0, owners->max_slots);
}

static hm_status secondary_load_check(secondary_load *load)
{
    hm_save_in *in = &load->in;
    const hm_secondary *secondary = load->secondary;
    const hm_save_section *section = &in->section;
    hm_status status = hm_load_check(in, load->desc, secondary->type_id, secondary->value_size);
    if (status != HM_OK)
        return status;
    return hm_load_check_owners(in, load->desc, secondary, "values",
                                section->detail_count == SECONDARY_DETAILS &&
                                    section->payload_size == saved_secondary_size(section));
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
    enum { MOST = HM_SAVE_BUFFER / HM_SAVE_OWNER };
    for (uint32_t done = 0; done < n;) {
        uint32_t part = n - done < MOST ? n - done : MOST;
        if (!hm_load_bytes(in, in->buffer, (size_t)HM_SAVE_OWNER * part))
            return in->status;
        for (uint32_t i = 0; i < part; i++, done++) {
            const unsigned char *bytes = in->buffer + (size_t)HM_SAVE_OWNER * i;
            uint32_t slot = hm_load_32(bytes), generation = hm_load_16(bytes + 4);
            if (slot >= slots || generation == 0)
                return hm_load_fail(in, HM_ERROR_CORRUPT, HM_SAVE_OWNER * (size_t)(part - i),
                                    "slot %" HM_U32 ", generation %" HM_U32 " is no owner", slot,
                                    generation);
            owners[done] = hm_handle_pack(slot, generation, type_id);
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
    bool destroys = desc != NULL && desc->decode != NULL && secondary->destroy != NULL;
    for (uint32_t i = made; i-- > 0 && destroys;)
        secondary->destroy(secondary->values + secondary->value_size * i, secondary->context);
}

static hm_status secondary_load_all(secondary_load *load, hm_source source)
{
    hm_save_in *in = &load->in;
    hm_secondary *secondary = load->secondary;
    hm_status status = hm_load_find(in, HM_SAVE_SECONDARY, load->desc, secondary->name, source);
    if (status == HM_OK)
        status = secondary_load_check(load);
    if (status == HM_OK)
        status = hm_load_values(in, secondary, load->desc, in->section.count, &load->made);
    if (status != HM_OK)
        return status;
    uint32_t slots = in->section.details[HM_SAVE_OWNER_SLOTS];
    status = hm_load_owners(in, secondary->owners, load->made, slots, secondary->type_id);
    if (status == HM_OK)
        status = hm_load_end(in);
    return status == HM_OK ? hm_load_publish_owners(in, secondary, load->made, slots) : status;
}

hm_status hm_secondary_load(hm_secondary *secondary, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_load: secondary is NULL");
    secondary_load load;
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return HM_ERROR_BUSY;
    if (secondary->values == NULL)
        return hm_fail_uninitialised("secondary");
    if (secondary->count != 0)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_secondary_load: '%.40s' has %" HM_U32
                       " values: load into a new secondary",
                       secondary->name, secondary->count);
    load.secondary = secondary;
    load.desc = desc;
    load.made = 0;
    hm_guard_enter(&secondary->guard);
    hm_status status = secondary_load_all(&load, source);
    if (status != HM_OK) {
        hm_load_destroy_values(secondary, load.desc, load.made);
        hm_memory_poison(secondary->values, secondary->value_array.committed_size);
    }
    hm_dense_forget_order(&secondary->guard, secondary->order);
    hm_guard_leave(&secondary->guard, hm_secondary_committed_values(secondary));
    status = hm_secondary_blame(secondary, status);
    return status == HM_OK ? HM_OK : hm_load_failed(status, hm_secondary_trim(secondary));
}

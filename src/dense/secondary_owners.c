/* SPDX-License-Identifier: MIT */
/* secondary: batches of owners. Their positions are prefetched together; batch_private.h says why.
 */
#include "dense_private.h"

#include "../base/base_private.h"
#include "../ids/batch_private.h"

static hm_batch secondary_batch(const hm_secondary *secondary)
{
    return (hm_batch){.entries = (const unsigned char *)secondary->positions,
                      .entry_size = sizeof *secondary->positions,
                      .slot_count = secondary->slot_end,
                      .limit = secondary->count,
                      .is_near = secondary->value_size * secondary->count < HM_BATCH_NEAR,
                      .places = secondary};
}

/* What is asked about is read from the secondary itself: a position alone says nothing without the
 * owner there, and a slot may be in a segment without memory. */
HM_INLINE uint64_t secondary_match(const hm_batch *batch, hm_handle owner)
{
    uint32_t index = hm_secondary_find(batch->places, owner);
    return index != HM_INVALID_INDEX ? index : UINT64_MAX;
}

HM_INLINE void secondary_answer_value(const hm_batch *batch, void *answers, uint32_t i,
                                      uint64_t match, uint64_t found)
{
    const hm_secondary *secondary = batch->places;
    uintptr_t place = (uintptr_t)secondary->values;
    place += secondary->value_size * (size_t)(match & found);
    hm_batch_store_place(batch, answers, i, place, found);
}

uint32_t hm_secondary_get_n(const hm_secondary *secondary, const hm_handle *owners, uint32_t n,
                            void **values)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_get_n: secondary is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_secondary_get_n: owners is NULL");
    HM_CONTRACT(values != NULL || n == 0, "hm_secondary_get_n: values is NULL");
    hm_batch batch = secondary_batch(secondary);
    return hm_batch_answer_n(&batch, owners, n, values, sizeof *values, secondary_match,
                             secondary_match, secondary_answer_value);
}

uint32_t hm_secondary_contains_n(const hm_secondary *secondary, const hm_handle *owners, uint32_t n,
                                 bool *alive)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_contains_n: secondary is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_secondary_contains_n: owners is NULL");
    HM_CONTRACT(alive != NULL || n == 0, "hm_secondary_contains_n: alive is NULL");
    hm_batch batch = secondary_batch(secondary);
    return hm_batch_contains_n(&batch, owners, n, alive, secondary_match);
}

/* Makes sets for n owners succeed, except that a later owner of a slot may be set before an earlier
 * one. */
static hm_status secondary_prepare_n(hm_secondary *secondary, const hm_handle *owners, uint32_t n)
{
    uint32_t added = 0, index;
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        status = hm_secondary_judge(secondary, owners[i], &index);
        if (status != HM_OK || index != HM_INVALID_INDEX)
            continue;
        if (++added > secondary->capacity - secondary->count)
            break; /* Refused below, whatever follows. */
    }
    return status == HM_OK ? hm_secondary_prepare(secondary, added, owners, n) : status;
}

hm_status hm_secondary_set_n(hm_secondary *secondary, const hm_handle *owners, const void *values,
                             uint32_t n)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_set_n: secondary is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_secondary_set_n: owners is NULL");
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return HM_ERROR_BUSY;
    const unsigned char *before = secondary->values;
    hm_status status = secondary_prepare_n(secondary, owners, n);
    size_t size = secondary->value_size * secondary->count;
    const unsigned char *value = hm_array_translate(values, before, size, secondary->values);
    for (uint32_t i = 0; status == HM_OK && i < n; i++) {
        if (hm_secondary_set(secondary, owners[i], value) == NULL)
            hm_restore_last_error(); /* A later owner of the slot is in the batch, too. */
        if (value != NULL)
            value += secondary->value_size;
    }
    return status;
}

uint32_t hm_secondary_remove_n(hm_secondary *secondary, const hm_handle *owners, uint32_t n)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_remove_n: secondary is NULL");
    HM_CONTRACT(owners != NULL || n == 0, "hm_secondary_remove_n: owners is NULL");
    if (hm_guard_refuses(&secondary->guard, "secondary", secondary->name))
        return 0;
    uint32_t removed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % HM_BATCH_PART == 0) {
            hm_batch batch = secondary_batch(secondary);
            hm_batch_prefetch_entries(&batch, owners + i, hm_batch_next_part(n - i));
        }
        removed += hm_secondary_remove(secondary, owners[i]);
    }
    return removed;
}

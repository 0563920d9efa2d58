/* SPDX-License-Identifier: MIT */
/* The holes of the model of a pool: those that it remembers, and which an insert fills. */
#include "pool_model.h"

uint32_t pool_model_take_recent(pool_model *model)
{
    uint32_t slot = HM_INVALID_INDEX;
    if (model->recent_count != 0)
        slot = model->recent[--model->recent_count];
    if (slot < model->count)
        return slot;
    model->recent_count = 0;
    model->remembers = true;
    return HM_INVALID_INDEX;
}

/* Returns the lowest hole with memory, or HM_INVALID_INDEX. */
uint32_t pool_model_lowest_hole(const hm_pool *pool)
{
    for (uint32_t slot = 0; slot < pool->slot_count; slot++) {
        const hm_pool_word *word = &pool->words[slot / HM_POOL_WORD];
        if (((word->open & ~word->live) >> slot % HM_POOL_WORD & 1) != 0)
            return slot;
    }
    return HM_INVALID_INDEX;
}

/* The latest recent hole, if its place is below the number of items; else the lowest hole with
 * memory; if there is none, any free slot; else a new one. */
void pool_model_check_choice(const pool_model *model, uint32_t slot, uint32_t lowest)
{
    uint32_t latest = HM_INVALID_INDEX;
    if (model->recent_count != 0)
        latest = model->recent[model->recent_count - 1];
    if (latest < model->count)
        CHECK(slot == latest);
    else if (lowest != HM_INVALID_INDEX)
        CHECK(slot == lowest);
    else if (model->end > model->count + model->retired)
        CHECK(slot < model->end);
    else
        CHECK(slot == model->end);
}

void pool_model_forget_recent(pool_model *model)
{
    model->recent_count = 0;
    model->remembers = false;
}

void pool_model_note_hole(pool_model *model, uint32_t slot)
{
    if (model->slots[slot].generation == HM_HANDLE_MAX_GENERATION ||
        model->recent_count == HM_POOL_RECENT)
        pool_model_forget_recent(model);
    else if (model->remembers)
        model->recent[model->recent_count++] = slot;
}

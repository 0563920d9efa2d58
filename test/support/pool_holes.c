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

/* SPDX-License-Identifier: MIT */
/* The holes of the model of a pool whose order is remembered: of those that were made since the
 * last trim, clear or adopt, as many as the pool keeps. */
#include "pool_model.h"

uint32_t pool_model_take_recent(pool_model *model)
{
    return model->recent_count != 0 ? model->recent[--model->recent_count] : HM_INVALID_INDEX;
}

void pool_model_forget_recent(pool_model *model)
{
    model->recent_count = 0;
}

void pool_model_note_hole(pool_model *model, uint32_t slot)
{
    if (model->slots[slot].generation != HM_HANDLE_MAX_GENERATION &&
        model->recent_count < HM_POOL_RECENT)
        model->recent[model->recent_count++] = slot;
}

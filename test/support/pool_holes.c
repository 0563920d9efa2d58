/* SPDX-License-Identifier: MIT */
/* The holes of the model of a pool whose order is remembered: the latest ones, or all. */
#include "pool_model.h"

#include <string.h>

static bool remembers_all(const pool_model *model)
{
    return model->desc.reuse == HM_REUSE_LAST;
}

uint32_t pool_model_take_recent(pool_model *model)
{
    return model->recent_count != 0 ? model->recent[--model->recent_count] : HM_INVALID_INDEX;
}

void pool_model_note_trim(pool_model *model)
{
    if (!remembers_all(model))
        model->recent_count = 0;
}

void pool_model_note_clear(pool_model *model)
{
    model->recent_count = 0;
    for (uint32_t slot = model->end; remembers_all(model) && slot-- > 0;)
        if (model->slots[slot].generation != HM_HANDLE_MAX_GENERATION)
            model->recent[model->recent_count++] = slot;
}

void pool_model_note_hole(pool_model *model, uint32_t slot)
{
    if (model->slots[slot].generation == HM_HANDLE_MAX_GENERATION)
        return;
    if (!remembers_all(model) && model->recent_count == HM_POOL_RECENT)
        memmove(model->recent, model->recent + 1, --model->recent_count * sizeof *model->recent);
    model->recent[model->recent_count++] = slot;
}

void pool_model_note_adopted(pool_model *model, uint32_t slot, uint32_t made)
{
    uint32_t kept = 0, below = remembers_all(model) && made != 0 ? made - 1 : 0;
    for (uint32_t i = 0; i < model->recent_count; i++)
        if (model->recent[i] != slot)
            model->recent[kept++] = model->recent[i];
    memmove(model->recent + below, model->recent, kept * sizeof *model->recent);
    for (uint32_t i = 0; i < below; i++)
        model->recent[i] = slot - 1 - i;
    model->recent_count = kept + below;
}

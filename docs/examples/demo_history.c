/* SPDX-License-Identifier: MIT */
/* The demo's history. See demo_history.h. */
#include "demo_history.h"

static struct {
    hm_history history;
    bool is_there;
    uint64_t first, current; /* marks of the run */
} kept;

void demo_history_begin(struct simulation *with, struct simulation *without)
{
    const hm_history_desc desc = {
        .marks = DEMO_HISTORY_FRAMES, .size = (size_t)1 << 32, .method = HM_HISTORY_COMPARE};
    kept.is_there = hm_history_init(&kept.history, &desc) == HM_OK &&
                    hm_history_watch(&kept.history, with, sizeof *with) == HM_OK &&
                    hm_history_watch(&kept.history, without, sizeof *without) == HM_OK;
}

const hm_memory *demo_history_memory(void)
{
    return kept.is_there ? &kept.history.table : NULL;
}

void demo_history_begin_run(uint32_t *done)
{
    kept.first = 0;
    if (kept.is_there)
        (void)hm_history_watch(&kept.history, done, sizeof *done);
}

void demo_history_end_run(uint32_t *done)
{
    (void)hm_history_unwatch(&kept.history, done);
}

void demo_history_mark(void)
{
    if (!kept.is_there)
        return;
    kept.current = hm_history_mark(&kept.history);
    if (kept.first == 0 || kept.current == 0)
        kept.first = kept.current;
}

bool demo_history_back(void)
{
    if (kept.first == 0 || kept.current <= kept.first ||
        hm_history_rewind(&kept.history, kept.current - 1) != HM_OK)
        return false;
    kept.current--;
    return true;
}

void demo_history_end(void)
{
    hm_history_fini(&kept.history);
}

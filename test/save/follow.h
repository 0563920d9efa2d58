/* SPDX-License-Identifier: MIT */
/* A container in a history, and a copy that follows it, for the tests of changes. */
#ifndef TEST_SAVE_FOLLOW_H
#define TEST_SAVE_FOLLOW_H

#include "saves.h"

#include "support/last_error.h"

enum { STEPS = 60, EPOCH = 5, TYPE = 3 };

typedef struct scene {
    const saved_kind *kind;
    hm_history history;
    saved made, copy;
    hm_position at; /* of the copy */
    test_file file;
    uint64_t random;
} scene;

static inline void begin(scene *in, const saved_kind *kind)
{
    memset(in, 0, sizeof *in);
    in->kind = kind;
    in->random = 7;
    CHECK(hm_history_init(&in->history, &(hm_history_desc){.marks = 4, .epoch = EPOCH}) == HM_OK);
    CHECK(hm_history_watch(&in->history, &in->made, sizeof in->made) == HM_OK);
    kind->init(&in->made, 0, &in->history.table);
    kind->init(&in->copy, 0, NULL);
}

static inline void end(scene *in)
{
    in->kind->fini(&in->copy);
    in->kind->fini(&in->made);
    hm_history_fini(&in->history);
    test_file_end(&in->file);
}

/* Changes something, and takes a mark. */
static inline uint64_t go_on(scene *in)
{
    for (uint32_t i = 0; i < STEPS; i++)
        in->kind->run(&in->made, &in->random);
    return hm_history_mark(&in->history);
}

static inline hm_status save(scene *in, const hm_save_desc *desc, uint64_t from, uint64_t to)
{
    in->file.size = 0;
    return in->kind->save_changes(&in->history, &in->made, desc, from, to, test_sink(&in->file));
}

static inline hm_status load(scene *in)
{
    const hm_save_desc desc = {.position = &in->at};
    return in->kind->load_changes(&in->copy, &desc, test_source(&in->file));
}

#endif

/* SPDX-License-Identifier: MIT */
/* Takes operations of a subject as steps, and copies its states. */
#include "subject.h"

#include "support/file.h"

#include <handle_map/hash.h>

#include <stdlib.h>
#include <string.h>

static subject_space now;
static size_t form_size; /* bytes */
static void (*form)(unsigned char *bytes);
static unsigned char *tried, *probed; /* states */
static uint32_t tried_calls;
static uint64_t cost;

static size_t state_size(void)
{
    return form_size + now.live_size + arena_size();
}

size_t subject_begin(const subject_space *space)
{
    return subject_begin_with_form(space, 0, NULL);
}

size_t subject_begin_with_form(const subject_space *space, size_t size_of_form,
                               void (*make_form)(unsigned char *bytes))
{
    now = *space;
    form_size = size_of_form;
    form = make_form;
    CHECK(now.live_size % 8 == 0);
    size_t size = state_size();
    tried = realloc(tried, size);
    probed = realloc(probed, 2 * size);
    CHECK(tried != NULL && probed != NULL);
    memset(probed, 0, 2 * size);
    return size;
}

/* actions */

static uint32_t number_of(const char *operation)
{
    uint32_t i = 0;
    while (strcmp(now.subject->operations[i].name, operation) != 0)
        CHECK(++i < now.subject->operation_count);
    return i;
}

void subject_add(space_actions *list, const char *operation, uint32_t a, uint32_t b, uint32_t c)
{
    CHECK(list->count < SPACE_MOST_ACTIONS);
    list->actions[list->count++] = (space_action){number_of(operation), a, b, c, false};
}

void subject_add_quiet(space_actions *list, const char *operation, uint32_t a, uint32_t b,
                       uint32_t c)
{
    subject_add(list, operation, a, b, c);
    list->actions[list->count - 1].is_quiet = true;
}

void subject_run(const char *operation, const uint32_t arguments[TEST_ARGUMENTS])
{
    now.subject->operations[number_of(operation)].run(now.model, arguments);
}

void subject_spend_lives(void (*fill)(void))
{
    for (uint32_t life = 0; life < now.config->spent_lives; life++) {
        fill();
        subject_run("clear", (uint32_t[TEST_ARGUMENTS]){0});
    }
    if (now.config->full)
        fill();
}

void subject_add_adopts(space_actions *list, uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t beyond = 0; beyond < 2; beyond++)
            subject_add(list, "adopt", beyond, slot, 0);
}

bool subject_is(const space_action *action, const char *operation)
{
    return strcmp(now.subject->operations[action->verb].name, operation) == 0;
}

uint32_t subject_take(const void *before, const space_action *action, uint32_t refuse,
                      bool *changed)
{
    const uint32_t arguments[] = {action->a, action->b, action->c};
    const uint32_t refusals = now.refusals != NULL ? *now.refusals : 0;
    const uint64_t ordered = now.file->ordered != NULL ? *now.file->ordered : 0;
    arena_refuse(refuse);
    now.subject->operations[action->verb].run(now.model, arguments);
    uint32_t made = arena.calls;
    CHECK(!action->is_quiet || made == 0);
    arena_refuse(0);
    cost = now.file->ordered != NULL ? *now.file->ordered - ordered : 0;
    if (now.check_trimmed != NULL && subject_is(action, "trim") && (refuse == 0 || refuse > made))
        now.check_trimmed();
    *changed = now.refusals == NULL || *now.refusals == refusals;
    if (*changed)
        return made;
    subject_capture(probed);
    CHECK(made == 0 && memcmp(probed, before, state_size()) == 0);
    return 0;
}

/* states */

void subject_capture(void *state)
{
    unsigned char *bytes = state;
    arena_open();
    now.blank();
    if (form != NULL) {
        memset(bytes, 0, form_size);
        form(bytes);
        bytes += form_size;
    }
    memcpy(bytes, now.live, now.live_size);
    arena_capture(bytes + now.live_size);
    arena_close();
}

void subject_restore(const void *state)
{
    const unsigned char *bytes = (const unsigned char *)state + form_size;
    arena_open();
    memcpy(now.live, bytes, now.live_size);
    arena_restore(bytes + now.live_size);
    arena_close();
}

/* copies */

bool subject_is_like_loaded(void)
{
    return now.file->has_more == NULL || !now.file->has_more();
}

uint64_t subject_cost(void)
{
    return cost;
}

uint64_t subject_hash(void)
{
    const unsigned char *own = now.file->own;
    hm_hash hash = {0};
    now.file->save(hm_sink_hash(&hash));
    hm_hash_add(&hash, own, (size_t)((unsigned char *)now.live + now.live_size - own));
    uint64_t end = hm_hash_end(&hash);
    return end != 0 ? end : 1;
}

void subject_reload(void)
{
    static test_file file; /* keeps its memory */
    file.size = 0;
    now.file->save(test_sink(&file));
    arena_lend(true, true);
    now.file->load(test_source(&file));
    arena_lend(true, false);
    CHECK(file.position == file.size);
}

void test_try(void)
{
    tried_calls = arena.calls;
    subject_capture(tried);
}

void test_undo(void)
{
    subject_restore(tried);
    arena.calls = tried_calls;
}

void subject_check(void)
{
    size_t size = state_size();
    subject_capture(probed);
    uint32_t first = now.config->settled * SPACE_SLOT_VALUES;
    for (uint32_t n = first; n < space_handle_values(now.config); n++)
        now.probe(space_handle_value(n));
    subject_capture(probed + size);
    CHECK(memcmp(probed, probed + size, size) == 0);
    arena_show();
    now.subject->check(now.model);
    now.fini();
}

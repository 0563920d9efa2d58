/* SPDX-License-Identifier: MIT */
/* A container of each kind in one history, as scripts: after each rewind a save of it writes the
 * bytes that it wrote at the mark, and what changed between two marks is what leads from the one to
 * the other: in a hash, and in a copy that gets it in parts, wherever it stands. */
#include "saves.h"

enum { MARKS = 4, CHANGES = 16, EPOCH = 77 };

#define SIZE ((size_t)1 << 28)

typedef struct mark {
    uint64_t number;
    test_file files[SAVED_KINDS];
} mark;

typedef struct state {
    test_memory memory;
    hm_history history;
    saved made[SAVED_KINDS];
    mark marks[MARKS + 1];
    uint32_t count, current;
    bool compares, has_changed; /* since the last mark or rewind */
    uint32_t shape;
    saved copies[SAVED_KINDS];
    hm_position at[SAVED_KINDS]; /* where they stand */
} state;

/* The methods, and the shapes of the containers. */
static void *begin(const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = calloc(1, sizeof *in);
    CHECK(in != NULL);
    in->compares = arguments[0] % 2 == 0;
    test_memory_init_with_holes(&in->memory, test_page_size(4096));
    const hm_history_desc desc = {.marks = MARKS,
                                  .method = in->compares ? HM_HISTORY_COMPARE : HM_HISTORY_AUTO,
                                  .size = SIZE,
                                  .epoch = EPOCH,
                                  .memory = in->compares ? &in->memory.table : NULL};
    CHECK(hm_history_init(&in->history, &desc) == HM_OK);
    CHECK(hm_history_watch(&in->history, &in->made, sizeof in->made) == HM_OK);
    in->shape = arguments[1];
    for (uint32_t i = 0; i < SAVED_KINDS; i++) {
        saved_kinds[i]->init(&in->made[i], in->shape % saved_kinds[i]->shapes, &in->history.table);
        saved_kinds[i]->init(&in->copies[i], in->shape % saved_kinds[i]->shapes, NULL);
    }
    return in;
}

static void change(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    uint32_t which = arguments[0] % SAVED_KINDS;
    uint64_t random = arguments[2];
    for (uint32_t n = arguments[1] % CHANGES; n > 0; n--)
        saved_kinds[which]->run(&in->made[which], &random);
    in->has_changed = true;
}

static void save_all(const state *in, mark *at)
{
    for (uint32_t i = 0; i < SAVED_KINDS; i++) {
        at->files[i].size = 0;
        CHECK(saved_kinds[i]->save(&in->made[i], NULL, test_sink(&at->files[i])) == HM_OK);
    }
}

/* Takes a mark, unless memory is refused: the first argument says at which call. */
static void take_mark(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    test_memory_fail(&in->memory, arguments[0] % 8, false);
    uint64_t number = hm_history_mark(&in->history);
    bool was_refused = test_memory_refused(&in->memory);
    test_memory_fail(&in->memory, 0, false);
    CHECK(number != 0 || was_refused);
    if (number == 0)
        return;
    in->count = in->count > 0 ? in->current + 1 : 0;
    mark next = in->marks[in->count];
    next.number = number;
    save_all(in, &next);
    in->marks[in->count++] = next;
    if (in->count > MARKS) {
        mark oldest = in->marks[0];
        memmove(in->marks, in->marks + 1, sizeof *in->marks * MARKS);
        in->marks[MARKS] = oldest;
        in->count = MARKS;
    }
    in->current = in->count - 1;
    in->has_changed = false;
}

static void rewind_to(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    mark now = {.number = 0};
    uint32_t i = in->count > 0 ? arguments[0] % in->count : 0;
    uint64_t number = in->count > 0 ? in->marks[i].number : 1;
    hm_status status = hm_history_rewind(&in->history, number);
    CHECK(status == HM_OK || status == HM_ERROR_STALE);
    CHECK(status == HM_OK || in->count == 0 || (i > in->current && in->has_changed));
    if (status != HM_OK)
        return;
    save_all(in, &now);
    for (uint32_t k = 0; k < SAVED_KINDS; k++) {
        const test_file *before = &in->marks[i].files[k];
        CHECK(saved_kinds[k]->validate(&in->made[k]) == HM_OK);
        CHECK(now.files[k].size == before->size &&
              memcmp(now.files[k].bytes, before->bytes, before->size) == 0);
        test_file_end(&now.files[k]);
    }
    in->current = i;
    in->has_changed = false;
}

static void add_hash(const hm_change *change, void *sum)
{
    *(uint64_t *)sum += hm_change_hash(change);
}

static uint64_t hash_changes(const state *in, uint32_t which, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    CHECK(saved_kinds[which]->changes(&in->history, &in->made[which], from, to, add_hash, &sum) ==
          HM_OK);
    return sum;
}

static void compare_marks(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    if (in->count == 0)
        return;
    uint32_t which = arguments[2] % SAVED_KINDS;
    uint64_t from = in->marks[arguments[0] % in->count].number;
    uint64_t to = in->marks[arguments[1] % in->count].number;
    CHECK(hash_changes(in, which, 0, from) + hash_changes(in, which, from, to) ==
          hash_changes(in, which, 0, to));
}

/* Takes the parts of a way; false: a change was refused. */
static bool send_parts(state *in, uint32_t which, uint64_t to, size_t most)
{
    const saved_kind *kind = saved_kinds[which];
    hm_position sent = in->at[which], *at = &in->at[which], before;
    hm_section section;
    for (uint32_t parts = 0; parts == 0 || sent.mark != to; parts++) {
        test_file file = {0};
        const hm_save_desc out = {.position = &sent, .max_size = most}, desc = {.position = at};
        hm_status status = kind->save_changes(&in->history, &in->made[which], &out, sent.mark, to,
                                              test_sink(&file));
        CHECK(status == HM_OK);
        CHECK(hm_section_read(&section, test_source(&file)) == HM_OK);
        CHECK(section.size == file.size && section.has_changes);
        CHECK(strcmp(section.kind, kind->name) == 0);
        before = *at;
        status = kind->load_changes(&in->copies[which], &desc, test_source(&file));
        if (status == HM_OK) {
            CHECK(memcmp(at, &sent, sizeof sent) == 0);
            CHECK(memcmp(at, &section.position, sizeof sent) == 0);
            /* What has come already does not come twice, unless the way leads nowhere. */
            hm_status again = kind->load_changes(&in->copies[which], &desc, test_source(&file));
            CHECK(again == (memcmp(&before, at, sizeof before) == 0 ? HM_OK : HM_ERROR_STALE));
        }
        test_file_end(&file);
        if (status == HM_OK)
            continue;
        /* A way back, where slots were used again. */
        CHECK(status == HM_ERROR_STALE || status == HM_ERROR_FULL);
        CHECK(at->mark == UINT64_MAX || memcmp(at, &before, sizeof before) == 0);
        return false;
    }
    return true;
}

/* Brings a copy to a mark, in parts of so many bytes. */
static void follow(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    uint32_t which = arguments[0] % SAVED_KINDS;
    const saved_kind *kind = saved_kinds[which];
    if (in->count == 0)
        return;
    uint64_t to = in->marks[arguments[1] % in->count].number;
    bool is_kept = in->at[which].mark == 0;
    for (uint32_t i = 0; i < in->count; i++)
        is_kept = is_kept || in->at[which].mark == in->marks[i].number;
    for (uint32_t tries = 0; tries == 0 || !is_kept; tries++) {
        CHECK(tries < 2);
        if (!is_kept) {
            kind->fini(&in->copies[which]);
            kind->init(&in->copies[which], in->shape % kind->shapes, NULL);
            in->at[which] = (hm_position){.mark = 0};
        }
        is_kept = send_parts(in, which, to, arguments[2] % 400);
    }
    uint64_t sum = 0;
    CHECK(kind->validate(&in->copies[which]) == HM_OK);
    CHECK(kind->visit(&in->copies[which], NULL, HM_ALL, add_hash, &sum) == HM_OK);
    CHECK(kind->hash(&in->copies[which], NULL, HM_ALL) == sum || saved_has_other_hash(kind));
    CHECK(hash_changes(in, which, 0, to) == sum);
}

static void check(void *context)
{
    const state *in = context;
    CHECK(hm_history_validate(&in->history) == HM_OK);
    for (uint32_t i = 0; i < SAVED_KINDS; i++)
        CHECK(saved_kinds[i]->validate(&in->made[i]) == HM_OK);
}

static void end(void *context)
{
    state *in = context;
    for (uint32_t i = 0; i < SAVED_KINDS; i++) {
        saved_kinds[i]->fini(&in->made[i]);
        saved_kinds[i]->fini(&in->copies[i]);
    }
    hm_history_fini(&in->history);
    test_memory_check_released(&in->memory);
    for (uint32_t i = 0; i <= MARKS; i++)
        for (uint32_t k = 0; k < SAVED_KINDS; k++)
            test_file_end(&in->marks[i].files[k]);
    free(in);
}

static const test_operation operations[] = {
    {"change", 10, change},        {"mark", 3, take_mark}, {"rewind", 3, rewind_to},
    {"compare", 2, compare_marks}, {"follow", 4, follow},
};

TEST_SUBJECT(history_subject, "history", operations, begin, check, end);

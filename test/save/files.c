/* SPDX-License-Identifier: MIT */
/* Files that a stranger has changed, as scripts: whatever bytes are in one, a load refuses it and
 * changes nothing, or makes a valid container. Changes between two marks are made up to the first
 * one that is refused. */
#include "saves.h"

enum {
    STEPS = 40,
    SIZE = 4000,
    HEADER = 120 /* bytes, about */,
    AFTERWARDS = 20,
    ARENA = 16 << 20
};

const saved_kind *const saved_kinds[SAVED_KINDS] = {&saved_map,       &saved_pool,  &saved_table,
                                                    &saved_secondary, &saved_lists, &saved_index,
                                                    &saved_world};

typedef struct state {
    const saved_kind *kind;
    uint32_t shape;
    saved loaded; /* between steps without items, or with those of `start` */
    bool has_start;
    test_file start;       /* a save, from which the changes lead on */
    hm_position at;        /* where that stands */
    hm_memory_arena arena; /* then bounds what an inserted handle with a high index can take */
    test_file whole, file; /* as it was saved, and as the stranger has changed it */
    test_file saved, saved_again; /* what was loaded, once and twice */
    uint64_t random;
} state;

static void restore(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    (void)arguments;
    in->file.size = 0;
    CHECK(test_file_write(&in->file, in->whole.bytes, in->whole.size));
}

static void run(state *in, saved *made, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        in->kind->run(made, &in->random);
}

/* Saves what there is after so many random changes. */
static void save_whole(state *in, uint32_t steps)
{
    saved made;
    in->kind->init(&made, in->shape, NULL);
    run(in, &made, steps);
    CHECK(in->kind->save(&made, NULL, test_sink(&in->whole)) == HM_OK);
    in->kind->fini(&made);
}

/* Saves what there is after so many random changes, and what changes then. */
static void save_changes(state *in, uint32_t steps)
{
    static saved made; /* where the history knows it */
    hm_history history;
    memset(&made, 0, sizeof made);
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    CHECK(hm_history_watch(&history, &made, sizeof made) == HM_OK);
    in->kind->init(&made, in->shape, &history.table);
    run(in, &made, steps);
    in->start.size = 0;
    CHECK(in->kind->save(&made, NULL, test_sink(&in->start)) == HM_OK);
    uint64_t from = hm_history_mark(&history);
    in->at = hm_history_position(&history);
    run(in, &made, steps);
    uint64_t to = hm_history_mark(&history);
    CHECK(in->kind->save_changes(&history, &made, NULL, from, to, test_sink(&in->whole)) == HM_OK);
    in->kind->fini(&made);
    hm_history_fini(&history);
}

static void begin_again(state *in)
{
    in->kind->init(&in->loaded, in->shape, in->has_start ? &in->arena.table : NULL);
    if (in->has_start)
        CHECK(in->kind->load(&in->loaded, NULL, test_source(&in->start)) == HM_OK);
}

/* With few enough changes for a short file. */
static void *begin(const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = calloc(1, sizeof *in);
    CHECK(in != NULL);
    in->kind = saved_kinds[arguments[0] % SAVED_KINDS];
    in->has_start = arguments[0] / SAVED_KINDS % 2 != 0;
    in->shape = arguments[1] % in->kind->shapes;
    in->random = arguments[2];
    for (uint32_t steps = STEPS; in->whole.size == 0; steps -= steps / 4) {
        if (in->has_start)
            save_changes(in, steps);
        else
            save_whole(in, steps);
        if (in->whole.size > SIZE)
            in->whole.size = 0;
    }
    if (in->has_start)
        CHECK(hm_memory_arena_init(&in->arena, &(hm_memory_arena_desc){.size = ARENA}) == HM_OK);
    begin_again(in);
    restore(in, arguments);
    return in;
}

/* Returns the place of so many bytes: one in two is in the header. */
static unsigned char *place_of(const state *in, uint32_t argument, size_t size)
{
    size_t most = argument % 2 == 0 && in->file.size > HEADER ? HEADER : in->file.size;
    return in->file.bytes + argument / 2 % (most - size + 1);
}

static void set_byte(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    *place_of(context, arguments[0], 1) = (unsigned char)arguments[1];
}

/* A number of 2, 4 or 8 bytes, small or large. */
static void set_number(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    size_t size = (size_t)2 << arguments[2] % 3;
    uint64_t number = arguments[2] / 3 % 2 == 0 ? arguments[1] : UINT64_MAX - arguments[1];
    unsigned char *bytes = place_of(context, arguments[0], size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
}

static void copy(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    size_t size = (size_t)1 << arguments[2] % 4;
    memmove(place_of(context, arguments[0], size), place_of(context, arguments[1], size), size);
}

/* What was loaded is what the file says: saved and loaded once more, it has the same bytes. */
static void check_again(state *in)
{
    saved again;
    in->saved.size = in->saved_again.size = 0;
    CHECK(in->kind->save(&in->loaded, NULL, test_sink(&in->saved)) == HM_OK);
    in->kind->init(&again, in->shape, NULL);
    CHECK(in->kind->load(&again, NULL, test_source(&in->saved)) == HM_OK);
    CHECK(in->kind->validate(&again) == HM_OK);
    CHECK(in->kind->save(&again, NULL, test_sink(&in->saved_again)) == HM_OK);
    CHECK(in->saved.size == in->saved_again.size &&
          memcmp(in->saved.bytes, in->saved_again.bytes, in->saved.size) == 0);
    in->kind->fini(&again);
}

/* What the header says is what a load finds, and bytes of the program's own are no container's. */
static void check_header(state *in, hm_section *section)
{
    unsigned char bytes[256];
    size_t size = sizeof bytes;
    uint32_t version;
    hm_status status = hm_section_read(section, test_source(&in->file));
    CHECK(status == HM_OK || status == HM_ERROR_CORRUPT);
    CHECK((status == HM_OK) == (section->kind != NULL));
    status = hm_load_bytes("things", &version, bytes, &size, test_source(&in->file));
    CHECK(status != HM_OK || (size <= sizeof bytes && size <= in->file.size));
    CHECK(status != HM_ERROR_FULL || size > sizeof bytes);
}

/* Loads changes, with a position or without. */
static hm_status load_changes(state *in)
{
    hm_section section;
    hm_position at = in->at;
    const hm_save_desc desc = {.position = in->random % 2 == 0 ? &at : NULL};
    check_header(in, &section);
    hm_status status = in->kind->load_changes(&in->loaded, &desc, test_source(&in->file));
    if (desc.position == NULL)
        return status;
    if (status == HM_OK)
        CHECK(section.from.mark == in->at.mark && at.mark == section.position.mark);
    else
        CHECK(at.mark == UINT64_MAX || memcmp(&at, &in->at, sizeof at) == 0);
    return status;
}

static void add_hash(const hm_change *change, void *sum)
{
    *(uint64_t *)sum += hm_change_hash(change);
}

/* Loads what there is now, with right checksums, and uses what comes of it. */
static void check(void *context)
{
    state *in = context;
    const saved_kind *kind = in->kind;
    uint64_t sum = 0;
    test_file_seal(&in->file);
    hm_status status =
        in->has_start ? load_changes(in) : kind->load(&in->loaded, NULL, test_source(&in->file));
    CHECK(kind->validate(&in->loaded) == HM_OK);
    CHECK(kind->visit(&in->loaded, NULL, HM_ALL, add_hash, &sum) == HM_OK);
    CHECK(sum == kind->hash(&in->loaded, NULL, HM_ALL) || saved_has_other_hash(kind));
    if (status != HM_OK && !in->has_start) {
        hm_stats stats = kind->get_stats(&in->loaded);
        CHECK(*hm_last_error() != '\0' && stats.count == 0);
        CHECK(kind->trim(&in->loaded) == HM_OK);
        hm_stats trimmed = kind->get_stats(&in->loaded);
        CHECK(memcmp(&stats, &trimmed, sizeof stats) == 0);
        return;
    }
    if (!in->has_start)
        check_again(in);
    run(in, &in->loaded, AFTERWARDS);
    CHECK(kind->validate(&in->loaded) == HM_OK);
    kind->fini(&in->loaded);
    begin_again(in);
}

static void end(void *context)
{
    state *in = context;
    in->kind->fini(&in->loaded);
    hm_memory_arena_fini(&in->arena);
    test_file_end(&in->start);
    test_file_end(&in->whole);
    test_file_end(&in->file);
    test_file_end(&in->saved);
    test_file_end(&in->saved_again);
    free(in);
}

static const test_operation operations[] = {
    {"restore", 3, restore},
    {"byte", 3, set_byte},
    {"number", 3, set_number},
    {"copy", 2, copy},
};

TEST_SUBJECT(file_subject, "file", operations, begin, check, end);

/* SPDX-License-Identifier: MIT */
/* Files that a stranger has changed, as scripts: whatever bytes are in one, a load refuses it and
 * changes nothing, or makes a valid container. */
#include "saves.h"

enum { STEPS = 40, SIZE = 4000, HEADER = 90 /* bytes, about */, AFTERWARDS = 20 };

const saved_kind *const saved_kinds[SAVED_KINDS] = {&saved_map,       &saved_pool,  &saved_table,
                                                    &saved_secondary, &saved_lists, &saved_index,
                                                    &saved_world};

typedef struct state {
    const saved_kind *kind;
    uint32_t shape;
    saved loaded; /* without items, between steps */
    hm_stats before;
    test_file whole, file; /* as it was saved, and with the changes */
    uint64_t random;
} state;

static void restore(void *context, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = context;
    (void)arguments;
    in->file.size = 0;
    CHECK(test_file_write(&in->file, in->whole.bytes, in->whole.size));
}

/* Saves after a number of random changes, few enough for a short file. */
static void *begin(const uint32_t arguments[TEST_ARGUMENTS])
{
    state *in = calloc(1, sizeof *in);
    CHECK(in != NULL);
    in->kind = saved_kinds[arguments[0] % SAVED_KINDS];
    in->shape = arguments[1] % in->kind->shapes;
    in->random = arguments[2];
    for (uint32_t steps = STEPS; in->whole.size == 0; steps -= steps / 4) {
        saved made;
        in->kind->init(&made, in->shape, NULL);
        for (uint32_t i = 0; i < steps; i++)
            in->kind->run(&made, &in->random);
        CHECK(in->kind->save(&made, NULL, test_sink(&in->whole)) == HM_OK);
        in->kind->fini(&made);
        if (in->whole.size > SIZE)
            in->whole.size = 0;
    }
    in->kind->init(&in->loaded, in->shape, NULL);
    in->before = in->kind->get_stats(&in->loaded);
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

/* Loads what there is now, with right checksums, and uses what comes of it. */
static void check(void *context)
{
    state *in = context;
    const saved_kind *kind = in->kind;
    test_file_seal(&in->file);
    hm_status status = kind->load(&in->loaded, NULL, test_source(&in->file));
    CHECK(kind->validate(&in->loaded) == HM_OK);
    if (status != HM_OK) {
        hm_stats after = kind->get_stats(&in->loaded);
        CHECK(*hm_last_error() != '\0' && memcmp(&in->before, &after, sizeof after) == 0);
        return;
    }
    for (uint32_t i = 0; i < AFTERWARDS; i++)
        kind->run(&in->loaded, &in->random);
    CHECK(kind->validate(&in->loaded) == HM_OK);
    kind->fini(&in->loaded);
    kind->init(&in->loaded, in->shape, NULL);
}

static void end(void *context)
{
    state *in = context;
    in->kind->fini(&in->loaded);
    test_file_end(&in->whole);
    test_file_end(&in->file);
    free(in);
}

static const test_operation operations[] = {
    {"restore", 3, restore},
    {"byte", 3, set_byte},
    {"number", 3, set_number},
    {"copy", 2, copy},
};

const test_subject file_subject = {"file", operations, sizeof operations / sizeof *operations,
                                   begin,  check,      end};

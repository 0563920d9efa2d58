/* SPDX-License-Identifier: MIT */
/* The targets, and how bytes become a script. */
#include "fuzz.h"

#include "save/saves.h"
#include "support/index_model.h"
#include "support/lists_model.h"
#include "support/map_model.h"
#include "support/pool_model.h"
#include "support/secondary_model.h"
#include "support/table_model.h"
#include "support/world_model.h"

#include <string.h>

enum { SHAPES = 600, POOL_KINDS = 12 };

/* The first byte chooses the kind, so that each can be fuzzed alone. No container has thousands of
 * items, which would take a script many seconds. */
static void choose_kind(uint32_t arguments[TEST_ARGUMENTS], uint32_t kinds)
{
    arguments[2] = arguments[2] * kinds + (arguments[0] & 0xFF) % kinds;
    arguments[1] %= SHAPES;
    arguments[0] >>= 8;
}

/* By storage, block size and hook. */
static void shape_pool(uint32_t arguments[TEST_ARGUMENTS])
{
    choose_kind(arguments, POOL_KINDS);
}

/* By layout. */
static void shape_table(uint32_t arguments[TEST_ARGUMENTS])
{
    choose_kind(arguments, TABLE_MODEL_LAYOUTS);
}

/* Few entities, so that a script takes no second. */
static void shape_world(uint32_t arguments[TEST_ARGUMENTS])
{
    arguments[0] = (arguments[0] & 0xF000) | arguments[0] % 24;
}

const fuzz_target fuzz_targets[] = {
    {"file", &file_subject, 2, NULL},
    {"history", &history_subject, 2, NULL},
    {"index", &index_subject, 2, NULL},
    {"lists", &lists_subject, 2, NULL},
    {"map", &map_subject, 2, NULL},
    {"hostile", &hostile_subject, 4, NULL}, /* two arguments are the 64 bits of a handle */
    {"lying", &lying_subject, 2, NULL},
    {"pool", &pool_subject, 2, shape_pool},
    {"secondary", &secondary_subject, 2, NULL},
    {"table", &table_subject, 2, shape_table},
    {"world", &world_subject, 2, shape_world},
    {NULL, NULL, 0, NULL},
};

const fuzz_target *fuzz_find_target(const char *name)
{
    for (const fuzz_target *target = fuzz_targets; target->name != NULL; target++)
        if (strcmp(target->name, name) == 0)
            return target;
    return NULL;
}

static void decode_arguments(const uint8_t *data, size_t size, size_t width, test_step *step)
{
    memset(step->arguments, 0, sizeof step->arguments);
    for (size_t i = 0; i < size && i < TEST_ARGUMENTS * width; i++)
        step->arguments[i / width] |= (uint32_t)data[i] << i % width * 8;
}

test_script fuzz_decode(const fuzz_target *target, const uint8_t *data, size_t size,
                        test_step *steps)
{
    test_script script = {target->subject, steps, 1};
    size_t arguments_size = TEST_ARGUMENTS * target->width;
    steps[0].operation = 0;
    decode_arguments(data, size, target->width, &steps[0]);
    if (target->shape != NULL)
        target->shape(steps[0].arguments);
    size_t at = arguments_size;
    for (; script.count <= FUZZ_STEPS && at + 1 + arguments_size <= size;
         at += 1 + arguments_size) {
        test_step *step = &steps[script.count++];
        step->operation = data[at] % target->subject->operation_count;
        decode_arguments(data + at + 1, size - at - 1, target->width, step);
    }
    return script;
}

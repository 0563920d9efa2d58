/* SPDX-License-Identifier: MIT */
/* The targets, and how bytes become a script. */
#include "fuzz.h"

#include "support/map_model.h"

#include <string.h>

const fuzz_target fuzz_targets[] = {
    {"index", &fuzz_index_subject, 2},
    {"lists", &fuzz_lists_subject, 2},
    {"map", &map_subject, 2},
    {"hostile", &hostile_subject, 4}, /* two arguments are the 64 bits of a handle */
    {"lying", &lying_subject, 2},
    {"pool", &fuzz_pool_subject, 2},
    {"secondary", &fuzz_secondary_subject, 2},
    {"table", &fuzz_table_subject, 2},
    {"world", &fuzz_world_subject, 2},
    {NULL, NULL, 0},
};

const fuzz_target *fuzz_find_target(const char *name)
{
    for (const fuzz_target *target = fuzz_targets; target->name != NULL; target++)
        if (strcmp(target->name, name) == 0)
            return target;
    return NULL;
}

void fuzz_run_operation(const test_subject *subject, const char *name, void *state,
                        const uint32_t arguments[TEST_ARGUMENTS])
{
    const test_operation *operation = subject->operations;
    while (strcmp(operation->name, name) != 0)
        operation++;
    operation->run(state, arguments);
}

hm_handle fuzz_hostile_handle(hm_handle named, const uint32_t arguments[TEST_ARGUMENTS])
{
    uint32_t which = arguments[0] / 4;
    uint64_t generation = arguments[2] & 0xFFFF, above = arguments[1] & 0xFFFF;
    uint64_t upper = above << 48 | generation << 32;
    switch (arguments[0] % 4) {
    case 0:
        return hm_handle_from_bits(upper | which);
    case 1:
        return hm_handle_from_bits(upper | (UINT32_MAX - which));
    case 2:
        return hm_handle_from_bits(upper ^ named.bits);
    default:
        return hm_handle_from_bits(named.bits ^ UINT64_C(1) << arguments[1] % 32);
    }
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
    size_t at = arguments_size;
    for (; script.count <= FUZZ_STEPS && at + 1 + arguments_size <= size;
         at += 1 + arguments_size) {
        test_step *step = &steps[script.count++];
        step->operation = data[at] % target->subject->operation_count;
        decode_arguments(data + at + 1, size - at - 1, target->width, step);
    }
    return script;
}

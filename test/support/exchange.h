/* SPDX-License-Identifier: MIT */
/* A container with its naive model, of any kind, as a row: for what is done with a container as a
 * whole. A replace saves it, loads that into a fresh one, and puts that in its place; a merge makes
 * its items once more, from a save of itself. Either is refused a read or memory now and then.
 * Values are written as bytes, or by a codec whose values are tallied: each that a failed call has
 * made is destroyed once, and none by one that succeeds. */
#ifndef TEST_SUPPORT_EXCHANGE_H
#define TEST_SUPPORT_EXCHANGE_H

#include "memory.h"
#include "runner.h"

#include <handle_map/handle_map.h>

typedef struct exchange_kind {
    const test_subject *subject;          /* of the model */
    size_t model_size, container, memory; /* bytes of the model; where they are in it */
    size_t container_size;
    hm_status (*validate)(const void *container);
    /* The arguments choose the codec, and what is refused. */
    void (*replace)(void *model, const uint32_t arguments[TEST_ARGUMENTS]);
    void (*merge)(void *model, const uint32_t arguments[TEST_ARGUMENTS]); /* NULL: there is none */
} exchange_kind;

extern const exchange_kind exchange_map, exchange_pool, exchange_table, exchange_secondary,
    exchange_lists, exchange_index, exchange_world;

/* Where a part of a model is. */
static inline void *exchange_at(const void *model, size_t offset)
{
    return (unsigned char *)model + offset;
}

#endif

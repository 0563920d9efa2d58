/* SPDX-License-Identifier: MIT */
/* A world with entities that are promised to commands, and what can be observed of it. For the
 * tests of calls that are made meanwhile. */
#ifndef TEST_SUPPORT_PROMISE_H
#define TEST_SUPPORT_PROMISE_H

#include "memory.h"
#include "test.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

#include <string.h>

enum {
    CAPACITY = 20000,
    LIVE = 4, /* entities with `a`, of which the last has `sparse` too */
    PROMISED = 5,
    READY = 3, /* handles that are reserved and not promised */
    BATCH = 3000,
    MANY = 14000, /* with a batch, more slots than have memory by then */
    TAGS = 13,
    HUGE_SIZE = 66000 /* bytes: more than a value's memory grows by at first, and two worlds of
                         these fit in 32-bit addresses */
};

typedef struct scene {
    test_memory memory;
    hm_world world;
    hm_commands commands;
    hm_component a, b, tag, sparse, huge, large[2], tags[TAGS];
    hm_handle live[LIVE], dead, promised[PROMISED];
    hm_query all, with_a, of_root;
    uint32_t hooks; /* calls of a destroy hook */
} scene;

/* What can be observed, but for values and tables without entities. */
typedef struct sight {
    uint32_t count, slots, free_slots, retired_slots;
    uint64_t clock, handles;
} sight;

static inline hm_component make(scene *on, hm_component_desc desc)
{
    hm_component component = hm_world_component(&on->world, &desc);
    CHECK(component != HM_INVALID_INDEX);
    return component;
}

static inline hm_query ask(scene *on, const hm_component *all, uint32_t n, const hm_component *none,
                           uint32_t n_none)
{
    hm_query query;
    const hm_query_desc desc = {.all = all, .all_count = n, .none = none, .none_count = n_none};
    CHECK(hm_query_init(&query, &on->world, &desc) == HM_OK);
    return query;
}

static inline void start_with(scene *on, hm_world_desc desc)
{
    test_memory_init(&on->memory, test_page_size(4096));
    desc.memory = &on->memory.table;
    CHECK(hm_world_init(&on->world, &desc) == HM_OK);
    CHECK(hm_commands_init(&on->commands, &on->world, NULL) == HM_OK);
    on->a = make(on, (hm_component_desc){.size = 4});
    on->b = make(on, (hm_component_desc){.size = 4});
    on->tag = make(on, (hm_component_desc){.name = "tag"});
    on->sparse = make(on, (hm_component_desc){.size = 4, .storage = HM_COMPONENT_SPARSE});
    on->huge = make(on, (hm_component_desc){.size = HUGE_SIZE, .storage = HM_COMPONENT_SPARSE});
    for (int i = 0; i < 2; i++)
        on->large[i] = make(on, (hm_component_desc){.size = 10000});
    for (int i = 0; i < TAGS; i++)
        on->tags[i] = make(on, (hm_component_desc){.size = 0});
    on->all = ask(on, NULL, 0, NULL, 0);
    on->with_a = ask(on, &on->a, 1, NULL, 0);
    on->of_root = ask(on, NULL, 0, &on->a, 1);
    hm_handle other = hm_world_create(&on->world, &on->a, 1); /* Its slot is promised first. */
    for (int i = 0; i < LIVE; i++)
        on->live[i] = hm_world_create(&on->world, &on->a, 1);
    CHECK(hm_world_add(&on->world, on->live[LIVE - 1], on->sparse, NULL) == HM_OK);
    on->dead = other;
    CHECK(hm_world_destroy(&on->world, other));
}

static inline void promise(scene *on)
{
    CHECK(hm_world_reserve(&on->world, PROMISED + READY) == HM_OK);
    for (int i = 0; i < PROMISED; i++) {
        on->promised[i] = hm_commands_create(&on->commands, &on->b, 1);
        CHECK(!hm_handle_is_null(on->promised[i]));
    }
}

static inline void start(scene *on)
{
    start_with(on, (hm_world_desc){.capacity = CAPACITY});
    promise(on);
}

static inline void finish(scene *on)
{
    CHECK(hm_world_validate(&on->world) == HM_OK);
    hm_query_fini(&on->all);
    hm_query_fini(&on->with_a);
    hm_query_fini(&on->of_root);
    hm_commands_fini(&on->commands);
    hm_world_fini(&on->world);
    test_memory_check_released(&on->memory);
}

static inline void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    *hash ^= *hash >> 32;
}

static inline void mix_handle(const scene *on, hm_handle handle, uint64_t *hash)
{
    mix(hash, handle.bits);
    mix(hash, (uint64_t)hm_world_explain(&on->world, handle));
    mix(hash, hm_world_contains(&on->world, handle));
    mix(hash, hm_world_has(&on->world, handle, on->a));
    mix(hash, hm_world_has(&on->world, handle, on->sparse));
    mix(hash, hm_world_changed(&on->world, handle, on->a));
}

static inline sight look(scene *on)
{
    hm_world *world = &on->world;
    hm_world_stats stats = hm_world_get_stats(world);
    sight seen = {.count = hm_world_count(world),
                  .slots = stats.slots,
                  .free_slots = stats.free_slots,
                  .retired_slots = stats.retired_slots,
                  .clock = hm_world_clock(world)};
    CHECK(hm_world_validate(world) == HM_OK && stats.count == seen.count);
    for (uint32_t i = 0; i < seen.count; i++)
        mix_handle(on, hm_world_handle_at(world, i), &seen.handles);
    for (uint32_t k = 0; k < 2 * (PROMISED + READY); k++)
        mix_handle(on, hm_world_upcoming(world, k), &seen.handles);
    for (int i = 0; i < PROMISED; i++)
        mix_handle(on, on->promised[i], &seen.handles);
    mix_handle(on, on->dead, &seen.handles);
    mix(&seen.handles, hm_query_count(&on->all));
    mix(&seen.handles, hm_commands_count(&on->commands));
    return seen;
}

static inline bool looks_like(scene *on, sight before)
{
    sight now = look(on);
    return memcmp(&now, &before, sizeof now) == 0;
}

/* All that were promised live, in their order, behind the `count` that lived before. */
static inline bool all_live(const scene *on, uint32_t count)
{
    bool live = true;
    for (uint32_t i = 0; i < PROMISED; i++)
        live = live && hm_handle_equal(hm_world_handle_at(&on->world, count + i), on->promised[i]);
    return live;
}

/* Returns whether it has succeeded or, in a list of calls that are refused, whether it was. */
typedef bool call(scene *on);

static inline bool create_one(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, &on->b, 1));
}

static inline bool create_of_root(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, NULL, 0));
}

static inline bool create_sparse(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, &on->huge, 1));
}

static inline bool create_many(scene *on)
{
    return hm_world_create_n(&on->world, &on->b, 1, BATCH, NULL, NULL) == HM_OK;
}

static inline bool create_many_of_root(scene *on)
{
    return hm_world_create_n(&on->world, NULL, 0, BATCH, NULL, NULL) == HM_OK;
}

static inline bool create_many_sparse(scene *on)
{
    return hm_world_create_n(&on->world, &on->sparse, 1, BATCH, NULL, NULL) == HM_OK;
}

#endif

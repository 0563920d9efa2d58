/* SPDX-License-Identifier: MIT */
/* Creates while entities are promised: what they need is asked for behind the promised ones. */
#include "support/promise.h"

#include "../../src/ids/ids_private.h"

static scene stage; /* too large for the stack */

/* What a create needs beyond what was reserved is asked for behind the promised entities. */
TEST(world_promise, as_many_as_fit_beside_them_are_created)
{
    for (int i = 0; i < 3; i++) {
        start(&stage);
        const hm_component *set[] = {NULL, &stage.a, &stage.sparse};
        uint32_t n = CAPACITY - LIVE - PROMISED;
        hm_handle made[CAPACITY];
        hm_handle next = hm_world_upcoming(&stage.world, 0);
        CHECK(hm_world_create_n(&stage.world, set[i], i != 0, n, NULL, made) == HM_OK);
        CHECK(all_live(&stage, LIVE) && hm_handle_equal(made[0], next));
        CHECK(hm_world_count(&stage.world) == CAPACITY);
        CHECK(hm_handle_equal(hm_world_handle_at(&stage.world, LIVE + PROMISED), next));
        CHECK(hm_handle_is_null(hm_world_create(&stage.world, NULL, 0)));
        finish(&stage);
    }
}

/* Promises n entities, all that are reserved. Returns the first. */
static hm_handle promise_all(scene *on, uint32_t n)
{
    hm_handle first = HM_NULL_HANDLE;
    CHECK(hm_world_reserve(&on->world, n) == HM_OK);
    for (uint32_t i = 0; i < n; i++) {
        hm_handle made = hm_commands_create(&on->commands, NULL, 0);
        CHECK(!hm_handle_is_null(made));
        first = i == 0 ? made : first;
    }
    return first;
}

static bool refuse_behind_many(scene *on, call *run, uint32_t k)
{
    start_with(on, (hm_world_desc){.capacity = CAPACITY});
    hm_handle first = promise_all(on, MANY);
    test_memory_fail(&on->memory, k, true);
    bool has_run = run(on), reached = test_memory_refused(&on->memory);
    test_memory_fail(&on->memory, 0, false);
    CHECK(has_run || (reached && hm_world_count(&on->world) == LIVE));
    CHECK(has_run || run(on));
    CHECK(hm_handle_equal(hm_world_handle_at(&on->world, LIVE), first));
    CHECK(hm_world_count(&on->world) > LIVE + MANY);
    finish(on);
    return reached;
}

TEST(world_promise, a_create_behind_many_asks_for_the_memory_of_its_own_slots)
{
    static call *const creates[] = {create_one,  create_of_root,      create_sparse,
                                    create_many, create_many_of_root, create_many_sparse};
    uint32_t refusals = 0;
    for (int i = 0; i < 6; i++)
        for (uint32_t k = 1; refuse_behind_many(&stage, creates[i], k); k = test_next_call(k))
            refusals++;
    CHECK(refusals > 3);
}

static hm_handle next_life(hm_handle handle)
{
    return hm_handle_from_bits(handle.bits + (UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT));
}

TEST(world_promise, the_last_promise_fills_the_world)
{
    scene *on = &stage;
    for (int i = 0; i < 2; i++) {
        start_with(on, (hm_world_desc){.capacity = LIVE + PROMISED + READY, .max_slots = 0});
        promise(on);
        for (int k = 0; k < READY; k++)
            CHECK(!hm_handle_is_null(hm_commands_create(&on->commands, NULL, 0)));
        sight before = look(on);
        CHECK(hm_handle_is_null(hm_world_create(&on->world, &on->sparse, (uint32_t)i)));
        CHECK(strstr(hm_last_error(), "12 of 12 items") != NULL && looks_like(on, before));
        CHECK(hm_world_destroy(&on->world, on->live[i]));
        CHECK(hm_world_count(&on->world) == LIVE + PROMISED + READY - 1);
        CHECK(create_of_root(on) && !create_of_root(on));
        hm_commands_clear(&on->commands);
        finish(on);
    }
}

static bool adopt(scene *on, hm_handle entity, hm_status expected)
{
    return hm_world_adopt(&on->world, entity) == expected;
}

TEST(world_promise, an_adopt_leaves_the_last_places_to_them)
{
    scene *on = &stage;
    const hm_handle far[] = {hm_handle_pack(50, 1, 0), hm_handle_pack(60, 1, 0)};
    start_with(on, (hm_world_desc){.capacity = LIVE + 2, .max_slots = 100});
    CHECK(hm_world_reserve(&on->world, 1) == HM_OK);
    on->promised[0] = hm_commands_create(&on->commands, &on->b, 1);
    CHECK(adopt(on, far[0], HM_OK) && hm_world_contains(&on->world, on->promised[0]));
    CHECK(hm_world_destroy(&on->world, far[0]) && hm_commands_apply(&on->commands) == HM_OK);
    CHECK(hm_world_reserve(&on->world, 1) == HM_OK);
    on->promised[1] = hm_commands_create(&on->commands, &on->b, 1);
    sight before = look(on);
    CHECK(before.count == LIVE + 1 && adopt(on, far[1], HM_ERROR_FULL) && looks_like(on, before));
    CHECK(strstr(hm_last_error(), "6 of 6") != NULL);
    CHECK(hm_commands_apply(&on->commands) == HM_OK);
    CHECK(hm_world_has(&on->world, on->promised[1], on->b) && adopt(on, far[1], HM_ERROR_FULL));
    finish(on);
}

/* The first of them has a slot that was used before, the others have new ones. */
TEST(world_promise, an_adopt_takes_none_of_their_slots)
{
    scene *on = &stage;
    start(on);
    sight before = look(on);
    for (int i = 0; i < PROMISED; i++) {
        CHECK(adopt(on, on->promised[i], HM_ERROR_STALE));
        CHECK(strstr(hm_last_error(), "its slot is promised to commands") != NULL);
        CHECK(adopt(on, next_life(on->promised[i]), HM_ERROR_STALE) && looks_like(on, before));
    }
    hm_handle next = hm_world_upcoming(&on->world, 0);
    CHECK(hm_handle_index(next) == hm_handle_index(on->promised[PROMISED - 1]) + 1);
    CHECK(adopt(on, next, HM_OK) && all_live(on, LIVE));
    CHECK(hm_handle_equal(hm_world_handle_at(&on->world, LIVE + PROMISED), next));
    CHECK(hm_commands_apply(&on->commands) == HM_OK && hm_commands_skipped(&on->commands) == 0);
    for (int i = 0; i < PROMISED; i++)
        CHECK(hm_world_has(&on->world, on->promised[i], on->b));
    finish(on);
}

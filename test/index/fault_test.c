/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation that can reach the memory table, the k-th call is refused,
 * for every k, once and from then on. The operation then fails without a visible change, or did not
 * need what was refused; and once there is memory again it succeeds. */
#include "support/index.h"
#include "support/memory.h"

#include <string.h>

enum { MAX_OWNERS = 20000, MAX_SLOTS = 1 << 20, BATCH = 40, FAR_AWAY = MAX_SLOTS - 1 };

typedef struct scene {
    test_memory memory;
    hm_index index;
    uint32_t count;            /* of owners, in slots from 0 on, before the operation */
    uint64_t keys[MAX_OWNERS]; /* of theirs */
} scene;

static scene stage; /* too large for the stack */

static void start(scene *on, uint32_t key_limit, size_t page_size)
{
    test_memory_init_with_holes(&on->memory, page_size);
    on->index = make((hm_index_desc){.capacity = MAX_OWNERS,
                                     .max_slots = MAX_SLOTS,
                                     .key_limit = key_limit,
                                     .memory = &on->memory.table});
}

static bool add(scene *on, uint64_t key)
{
    return hm_index_set(&on->index, owner(hm_index_count(&on->index)), key) == HM_OK;
}

static void remember(scene *on)
{
    on->count = hm_index_count(&on->index);
    for (uint32_t slot = 0; slot < on->count; slot++)
        CHECK(hm_index_key_of(&on->index, owner(slot), &on->keys[slot]));
}

static void check_unchanged(const scene *on)
{
    check_valid(&on->index);
    CHECK(hm_index_count(&on->index) == on->count);
    for (uint32_t slot = 0; slot < on->count; slot++) {
        uint64_t key;
        CHECK(hm_index_key_of(&on->index, owner(slot), &key) && key == on->keys[slot]);
    }
    CHECK(hm_index_get_stats(&on->index).committed_size == on->memory.committed_size);
}

/* The states in which an operation starts. */

static void stand_empty(scene *on)
{
    (void)on;
}

/* All that was committed is used up by keys with one member each, or by one key. */
static void stand_with_many_keys(scene *on)
{
    CHECK(add(on, 0));
    test_memory_fail(&on->memory, 1, true);
    while (add(on, hm_index_count(&on->index)))
        ;
    test_memory_fail(&on->memory, 0, false);
}

static void stand_with_many_members(scene *on)
{
    CHECK(add(on, 7));
    test_memory_fail(&on->memory, 1, true);
    while (add(on, 7))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* Much can be given back. */
static void stand_in_ruins(scene *on)
{
    for (uint32_t slot = 0; slot < 10000; slot++)
        CHECK(add(on, slot));
    for (uint32_t slot = 9999; slot >= 10; slot--)
        CHECK(hm_index_remove(&on->index, owner(slot)));
}

/* The operations. Each returns whether it succeeded. */

static bool is_done(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_set_new_key(scene *on)
{
    return is_done(hm_index_set(&on->index, owner(on->count), 19000));
}

static bool run_set_old_key(scene *on)
{
    return is_done(hm_index_set(&on->index, owner(on->count), 7));
}

static bool run_set_far_away(scene *on)
{
    return is_done(hm_index_set(&on->index, owner(FAR_AWAY), 19999));
}

static bool run_move(scene *on)
{
    return on->count == 0 || is_done(hm_index_set(&on->index, owner(on->count / 2), 19999));
}

static bool run_replace(scene *on)
{
    return is_done(hm_index_set(&on->index, owner_of(on->count / 2, 3), 18000));
}

static bool run_set_n(scene *on)
{
    hm_handle owners[BATCH];
    uint64_t keys[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        owners[i] = owner(i % 2 == 0 ? i * 499 : on->count + i);
        keys[i] = i % 3 == 0 ? 7 : 15000 + 17 * i;
    }
    return is_done(hm_index_set_n(&on->index, owners, keys, BATCH));
}

static bool run_reserve(scene *on)
{
    return is_done(hm_index_reserve(&on->index, 3000));
}

static bool run_trim(scene *on)
{
    return is_done(hm_index_trim(&on->index));
}

typedef bool operation(scene *on);
typedef void standing(scene *on);

/* Refuses each call of the operation in turn; returns how many there were. */
static uint32_t refuse_each(operation *run, standing *stand, uint32_t limit, size_t page_size,
                            bool and_later_ones)
{
    for (uint32_t k = 1;; k++) {
        start(&stage, limit, page_size);
        stand(&stage);
        remember(&stage);
        bool keeps_all = run == run_reserve || run == run_trim;
        test_memory_fail(&stage.memory, k, and_later_ones);
        bool succeeded = run(&stage), refused = test_memory_refused(&stage.memory);
        CHECK(succeeded || refused);
        if (!succeeded || keeps_all)
            check_unchanged(&stage);
        check_valid(&stage.index);
        test_memory_fail(&stage.memory, 0, false);
        CHECK(run(&stage));
        finish(&stage.index);
        test_memory_check_released(&stage.memory);
        if (!refused)
            return k - 1;
    }
}

TEST(index_fault, an_operation_that_is_refused_memory_changes_nothing)
{
    static operation *const operations[] = {run_set_new_key, run_set_old_key, run_set_far_away,
                                            run_move,        run_replace,     run_set_n,
                                            run_reserve,     run_trim};
    static standing *const standings[] = {stand_empty, stand_with_many_keys,
                                          stand_with_many_members, stand_in_ruins};
    uint32_t reached = 0;
    for (uint32_t o = 0; o < 8; o++) {
        uint32_t calls = 0;
        for (uint32_t s = 0; s < 4; s++)
            for (uint32_t limit = 0; limit <= MAX_OWNERS; limit += MAX_OWNERS)
                for (uint32_t later = 0; later < test_scaled(2); later++)
                    calls += refuse_each(operations[o], standings[s], limit,
                                         test_page_size(s % 2 == 0 ? 4096 : 65536),
                                         (o + s + later) % 2 != 0);
        CHECK(calls > 0); /* Else the operation never asked for memory. */
        reached += calls;
    }
    CHECK(reached > 50 * test_scaled(2));
}

TEST(index_fault, init_that_is_refused_memory_leaves_nothing)
{
    static const hm_index zero;
    for (uint32_t k = 1;; k++) {
        test_memory memory;
        hm_index index;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        test_memory_fail(&memory, k, false);
        hm_status status = hm_index_init(
            &index, &(hm_index_desc){.capacity = 100, .key_limit = 100, .memory = &memory.table});
        if (!test_memory_refused(&memory)) {
            CHECK(status == HM_OK && k > 8);
            finish(&index);
            break;
        }
        CHECK(status == HM_ERROR_MEMORY && memcmp(&index, &zero, sizeof zero) == 0);
        test_memory_check_released(&memory);
    }
}

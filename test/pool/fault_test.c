/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation of a pool that can reach the memory table, in each storage,
 * the k-th call is refused, for every k, once and from then on. The operation then fails without a
 * visible change, or did not need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/pool.h>

#include <string.h>

enum { MAX_HANDLES = 200000, BATCH = 3, EDGE = 40, STORAGES = 3 };

/* An item's bytes are a pattern of its handle. */
typedef struct scene {
    test_memory memory;
    hm_pool pool;
    hm_pool_desc desc;
    hm_handle issued[MAX_HANDLES];
    uint32_t issued_count;
    unsigned char states[MAX_HANDLES]; /* explain's answer for each, before the operation */
    void *places[MAX_HANDLES];         /* the address of each item */
    hm_pool_stats stats;               /* before the operation */
} scene;

static scene stage; /* too large for the stack */

static void describe(scene *on, test_layout layout, hm_storage storage)
{
    on->desc = (hm_pool_desc){.item_size = layout.item_size,
                              .item_align = layout.item_align,
                              .capacity = MAX_HANDLES / 2,
                              .max_slots = MAX_HANDLES,
                              .type_id = 77,
                              .storage = storage,
                              .block_size = 4096,
                              .memory = &on->memory.table};
}

static void start(scene *on, test_layout layout, hm_storage storage)
{
    test_memory_init_with_holes(&on->memory, layout.page_size);
    on->issued_count = 0;
    describe(on, layout, storage);
    CHECK(hm_pool_init(&on->pool, &on->desc) == HM_OK);
}

static void finish(scene *on)
{
    CHECK(hm_pool_validate(&on->pool) == HM_OK);
    hm_pool_fini(&on->pool);
    test_memory_check_released(&on->memory);
}

/* Records a new item and fills it. */
static void note(scene *on, hm_handle handle)
{
    CHECK(on->issued_count < MAX_HANDLES);
    on->issued[on->issued_count++] = handle;
    test_item_fill(hm_pool_get(&on->pool, handle), on->desc.item_size, handle.bits);
}

static void remember(scene *on)
{
    on->stats = hm_pool_get_stats(&on->pool);
    for (uint32_t i = 0; i < on->issued_count; i++) {
        on->states[i] = (unsigned char)hm_pool_explain(&on->pool, on->issued[i]);
        on->places[i] = hm_pool_get(&on->pool, on->issued[i]);
    }
}

static void check_unchanged(const scene *on)
{
    hm_pool_stats now = hm_pool_get_stats(&on->pool);
    CHECK(hm_pool_validate(&on->pool) == HM_OK);
    CHECK(now.count == on->stats.count && now.slots == on->stats.slots);
    CHECK(now.free_slots == on->stats.free_slots);
    CHECK(now.retired_slots == on->stats.retired_slots);
    CHECK(now.committed_size == on->memory.committed_size);
    CHECK(now.reserved_size == on->memory.reserved_size);
    for (uint32_t i = 0; i < on->issued_count; i++) {
        hm_handle handle = on->issued[i];
        CHECK(hm_pool_explain(&on->pool, handle) == (hm_handle_state)on->states[i]);
        CHECK(hm_pool_get(&on->pool, handle) == on->places[i]);
        if (on->places[i] != NULL)
            CHECK(test_item_is(on->places[i], on->desc.item_size, handle.bits));
    }
}

/* The states in which an operation starts. */

static void stand_empty(scene *on)
{
    (void)on;
}

/* Inserts until the next insert needs memory: all that was committed is used up. */
static void use_up(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    hm_handle handle = hm_pool_insert(&on->pool, NULL);
    while (!hm_handle_is_null(handle)) {
        note(on, handle);
        handle = hm_pool_insert(&on->pool, NULL);
    }
    test_memory_fail(&on->memory, 0, false);
}

static void stand_at_the_edge(scene *on)
{
    for (uint32_t i = 0; i < EDGE; i++)
        note(on, hm_pool_insert(&on->pool, NULL));
    use_up(on);
}

/* There is memory to trim: in front, in the middle and at the end. */
static void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    for (uint32_t i = 0; i < EDGE; i++)
        note(on, hm_pool_insert(&on->pool, NULL));
    for (uint32_t i = 0; i < on->issued_count; i++)
        if (i != on->issued_count / 3 && i != on->issued_count / 2)
            CHECK(hm_pool_erase(&on->pool, on->issued[i]));
}

/* No hole has memory. */
static void stand_trimmed(scene *on)
{
    stand_in_ruins(on);
    CHECK(hm_pool_trim(&on->pool) == HM_OK);
    use_up(on);
}

static void stand_cleared_and_trimmed(scene *on)
{
    stand_at_the_edge(on);
    hm_pool_clear(&on->pool);
    CHECK(hm_pool_trim(&on->pool) == HM_OK);
}

/* The operations. Each returns whether it succeeded. */

static bool run_insert(scene *on)
{
    hm_handle handle = hm_pool_insert(&on->pool, NULL);
    if (!hm_handle_is_null(handle))
        note(on, handle);
    return !hm_handle_is_null(handle);
}

static bool run_emplace(scene *on)
{
    void *place = on;
    hm_handle handle = hm_pool_emplace(&on->pool, &place);
    CHECK(hm_handle_is_null(handle) == (place == NULL));
    if (place != NULL)
        note(on, handle);
    return place != NULL;
}

static bool is_done(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_reserve(scene *on)
{
    return is_done(hm_pool_reserve(&on->pool, BATCH));
}

/* Reserves twice as many places as there are holes: over many units. */
static bool run_large_reserve(scene *on)
{
    return is_done(hm_pool_reserve(&on->pool, 2 * on->stats.free_slots + EDGE));
}

static bool run_trim(scene *on)
{
    return is_done(hm_pool_trim(&on->pool));
}

typedef struct operation {
    void (*stand)(scene *on);
    bool (*run)(scene *on);
} operation;

/* Refuses the k-th call. Returns whether it was reached. */
static bool refuse(scene *on, test_layout layout, hm_storage storage, operation what, uint32_t k,
                   bool and_later)
{
    start(on, layout, storage);
    what.stand(on);
    remember(on);
    test_memory_fail(&on->memory, k, and_later);
    bool succeeded = what.run(on);
    bool reached = on->memory.calls >= k;
    if (!succeeded) {
        CHECK(reached);
        check_unchanged(on);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    CHECK(hm_pool_validate(&on->pool) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(run_insert(on));
    finish(on);
    return reached;
}

/* Returns the number of calls that could be refused. */
static uint32_t refuse_every_call(test_layout layout, hm_storage storage, operation what)
{
    uint32_t k = 1;
    for (; refuse(&stage, layout, storage, what, k, false); k++)
        refuse(&stage, layout, storage, what, k, true);
    return k - 1;
}

/* All sizes on each page, but only the smallest alignment, which does not affect memory. */
static bool is_of_interest(test_layout layout)
{
    return layout.item_align == 1;
}

static void refuse_everywhere(const operation *operations, size_t count)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        for (size_t o = 0; o < count && is_of_interest(test_layout_at(i)); o++)
            for (int storage = 0; storage < STORAGES; storage++)
                CHECK(refuse_every_call(test_layout_at(i), (hm_storage)storage, operations[o]) > 0);
}

TEST(pool_fault, init_refused_leaves_a_zeroed_pool)
{
    static const hm_pool zero;
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        hm_storage storage = (hm_storage)(i % STORAGES);
        hm_status status = HM_ERROR_MEMORY;
        for (uint32_t k = 1; status != HM_OK; k++) {
            test_memory_init_with_holes(&stage.memory, layout.page_size);
            test_memory_fail(&stage.memory, k, i % 2 == 0);
            describe(&stage, layout, storage);
            memset(&stage.pool, 0x5A, sizeof stage.pool);
            status = hm_pool_init(&stage.pool, &stage.desc);
            CHECK(is_done(status) == (stage.memory.calls < k));
            if (status == HM_OK)
                hm_pool_fini(&stage.pool);
            CHECK(memcmp(&stage.pool, &zero, sizeof zero) == 0);
            test_memory_check_released(&stage.memory);
        }
    }
}

TEST(pool_fault, insert_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_insert},   {stand_at_the_edge, run_insert},
        {stand_trimmed, run_insert}, {stand_cleared_and_trimmed, run_insert},
        {stand_empty, run_emplace},  {stand_trimmed, run_emplace},
    };
    refuse_everywhere(operations, sizeof operations / sizeof *operations);
}

TEST(pool_fault, reserve_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_reserve},
        {stand_at_the_edge, run_reserve},
        {stand_trimmed, run_reserve},
    };
    refuse_everywhere(operations, sizeof operations / sizeof *operations);
}

/* Items of 4096 bytes, so that the reserve reaches over many units. */
TEST(pool_fault, a_large_reserve_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_large_reserve},
        {stand_trimmed, run_large_reserve},
    };
    for (size_t i = 0; i < test_layout_count(); i++)
        for (int storage = 0; storage < STORAGES; storage++)
            if (is_of_interest(test_layout_at(i)) && test_layout_at(i).item_size == 4096)
                for (size_t o = 0; o < 2; o++)
                    CHECK(refuse_every_call(test_layout_at(i), (hm_storage)storage, operations[o]) >
                          0);
}

/* Releasing a block is never refused, and small items may all be in one page. */
TEST(pool_fault, trim_refused_changes_nothing)
{
    static const operation what = {stand_in_ruins, run_trim};
    for (size_t i = 0; i < test_layout_count(); i++)
        for (int storage = 0; storage < STORAGES && is_of_interest(test_layout_at(i)); storage++) {
            uint32_t calls = refuse_every_call(test_layout_at(i), (hm_storage)storage, what);
            CHECK(calls > 0 || storage != HM_STORAGE_VIRTUAL || test_layout_at(i).item_size < 4096);
        }
}

/* Makes one step of a pool's use from init to fini, repeated until it succeeds. */
static void live_through(scene *on, bool (*step)(scene *on))
{
    remember(on);
    if (step(on))
        return;
    CHECK(test_memory_refused(&on->memory));
    check_unchanged(on);
    if (on->memory.fail_after)
        test_memory_fail(&on->memory, 0, false);
    CHECK(step(on));
}

/* Grows over several units, shrinks, trims, and grows again. Returns whether call k was reached. */
static bool live(scene *on, test_layout layout, hm_storage storage, uint32_t k, bool and_later)
{
    start(on, layout, storage);
    test_memory_fail(&on->memory, k, and_later);
    for (int age = 0; age < 2; age++) {
        for (int i = 0; i < 2 * EDGE; i++)
            live_through(on, i % 2 == 0 ? run_insert : run_emplace);
        for (uint32_t i = 0; i < on->issued_count; i++)
            if (i % (2 * EDGE) != EDGE)
                hm_pool_erase(&on->pool, on->issued[i]);
        live_through(on, run_trim);
    }
    bool reached = on->memory.fail_at == 0 || on->memory.calls >= k;
    finish(on);
    return reached;
}

TEST(pool_fault, a_whole_life_survives_any_refusal)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        for (int storage = 0; storage < STORAGES && is_of_interest(layout); storage++) {
            uint32_t k = 1;
            for (; live(&stage, layout, (hm_storage)storage, k, false); k++)
                live(&stage, layout, (hm_storage)storage, k, true);
            CHECK(k > 5); /* entries, words, levels, units and the items' memory */
        }
    }
}

TEST(pool_fault, erase_and_clear_never_ask_for_memory)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        for (int storage = 0; storage < STORAGES && is_of_interest(test_layout_at(i)); storage++) {
            start(&stage, test_layout_at(i), (hm_storage)storage);
            stand_at_the_edge(&stage);
            test_memory_fail(&stage.memory, 1, true);
            uint32_t n = stage.issued_count;
            CHECK(hm_pool_erase(&stage.pool, stage.issued[3]));
            CHECK(hm_pool_erase_n(&stage.pool, stage.issued, 5) == 4);
            hm_pool_clear(&stage.pool);
            while (hm_pool_count(&stage.pool) < n)
                CHECK(run_insert(&stage));
            CHECK(stage.memory.calls == 0);
            finish(&stage);
        }
}

/* SPDX-License-Identifier: MIT */
/* hm_query_change: what moves where, which hooks run and what they see, what is refused. The random
 * changes are in query_model_test.c. */
#include "support/memory.h"
#include "support/query.h"
#include "support/query_model.h"

#include <string.h>

/* hooks */

enum { HOOKED = 300 };

typedef struct hooked {
    scene on;
    hm_component component, other;
    hm_handle entities[HOOKED];
    uint32_t runs[HOOKED]; /* by value */
    uint32_t run_count;
    bool is_gone, other_is_there; /* what a hook should see */
    bool is_ending;               /* the entities die one by one */
} hooked;

static void on_destroy(void *value, void *context)
{
    hooked *of = context;
    uint32_t which = (uint32_t) * (const int *)value;
    CHECK(which < HOOKED);
    which %= HOOKED; /* or gcc sees what happens after a failed check */
    of->runs[which]++;
    hm_handle entity = of->entities[which];
    CHECK(hm_world_contains(&of->on.world, entity));
    CHECK(hm_world_has(&of->on.world, entity, of->component) == !of->is_gone);
    CHECK(hm_world_has(&of->on.world, entity, of->on.b) == of->other_is_there);
    if (of->run_count++ % 50 != 0 || of->is_ending)
        return;
    CHECK(hm_world_validate(&of->on.world) == HM_OK);
    hm_query query = ask(&of->on, (hm_query_desc){ALL(of->on.a)});
    CHECK(visit(&query) == HOOKED);
    CHECK(hm_query_change(&query, NULL, 0, &of->on.a, 1, NULL) == HM_ERROR_BUSY);
    hm_query_fini(&query);
}

static void start_hooked(hooked *of)
{
    memset(of, 0, sizeof *of);
    start(&of->on);
    of->component = hm_world_component(
        &of->on.world,
        &(hm_component_desc){.size = sizeof(int), .destroy = on_destroy, .context = of});
    for (int i = 0; i < HOOKED; i++) {
        of->entities[i] =
            i % 2 == 0 ? CREATE(&of->on, of->on.a) : CREATE(&of->on, of->on.a, of->on.tag);
        hm_world_add(&of->on.world, of->entities[i], of->component, &i);
    }
}

static void check_hooks(const hooked *of, uint32_t each)
{
    for (uint32_t i = 0; i < HOOKED; i++)
        CHECK(of->runs[i] == each);
}

TEST(query_change, a_value_that_is_replaced_is_destroyed_once_and_zero_then)
{
    for (int moves = 0; moves < 2; moves++) {
        static hooked of; /* too large for the stack */
        start_hooked(&of);
        of.other_is_there = moves != 0;
        hm_query query = ask(&of.on, (hm_query_desc){ALL(of.component)});
        CHECK(hm_query_change(&query, LIST(of.component, of.on.b), 1 + (uint32_t)moves, NULL, 0,
                              NULL) == HM_OK);
        check_hooks(&of, 1);
        for (uint32_t i = 0; i < HOOKED; i++) {
            int *value = hm_world_get(&of.on.world, of.entities[i], of.component);
            CHECK(value != NULL && *value == 0);
            *value = (int)i; /* for the hook at the end */
        }
        of.is_ending = true;
        hm_query_fini(&query);
        finish(&of.on);
        check_hooks(&of, 2);
    }
}

TEST(query_change, a_tag_that_is_there_already_changes_no_value)
{
    scene on;
    start(&on);
    hm_handle entity = CREATE(&on, on.a, on.tag);
    set_int(&on, entity, on.a, 1);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    uint64_t before = hm_world_changed(&on.world, entity, on.a);
    uint32_t changed;
    CHECK(hm_query_change(&query, &on.tag, 1, NULL, 0, &changed) == HM_OK && changed == 1);
    CHECK(hm_world_changed(&on.world, entity, on.a) == before);
    CHECK(*(const int *)hm_world_get(&on.world, entity, on.a) == 1);
    hm_query_fini(&query);
    finish(&on);
}

static uint64_t key_of_int(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

/* Whether the values of `a` rise in each archetype. */
static bool is_ordered(scene *on)
{
    bool is_rising = true;
    hm_query query = ask(on, (hm_query_desc){ALL(on->a), OPTIONAL(on->b)});
    hm_query_loop loop;
    hm_view view;
    int last = 0;
    bool had_b = false;
    for (hm_query_begin(&query, &loop); hm_query_next(&loop, &view);)
        for (uint32_t i = 0; i < view.count; i++) {
            const int *value = (const int *)view.columns[0] + i;
            bool same_archetype = had_b == (view.columns[1] != NULL);
            is_rising = is_rising && (!same_archetype || *value >= last);
            had_b = view.columns[1] != NULL;
            last = *value;
        }
    hm_query_fini(&query);
    return is_rising;
}

TEST(query_change, archetypes_may_move_in_the_middle_of_an_order)
{
    static const hm_order rising = {.key = key_of_int};
    scene on;
    start(&on);
    uint64_t random = test_seed("query_change order");
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    for (uint32_t round = 0; round < 60; round++) {
        for (uint32_t i = 0; i < 30; i++)
            set_int(&on, CREATE(&on, on.a), on.a, (int)test_random_below(&random, 1000));
        for (uint32_t i = test_random_below(&random, 5); i > 0; i--)
            hm_world_defragment(&on.world, on.a, &rising, BUDGET(20, 60));
        bool adds = round % 2 == 0;
        CHECK(hm_query_change(&query, &on.b, adds, &on.b, !adds, NULL) == HM_OK);
        CHECK(hm_world_validate(&on.world) == HM_OK);
        if (round % 3 != 0)
            continue;
        while (!hm_world_defragment(&on.world, on.a, &rising, BUDGET(50, 50)).done)
            ;
        CHECK(is_ordered(&on));
    }
    hm_query_fini(&query);
    finish(&on);
}

static const hm_order by_key = {.key = key_of_int};

enum { UNORDERED = 1000 };

/* Entities of one archetype whose values are in no order. */
static void start_unordered(scene *on)
{
    start(on);
    for (int i = 0; i < UNORDERED; i++)
        set_int(on, CREATE(on, on->a), on->a, 1 + i * 739 % UNORDERED);
}

TEST(query_change, values_that_are_replaced_in_the_middle_of_an_order_are_asked_again)
{
    bool is_done = false;
    uint32_t calls = 0;
    for (; !is_done; calls++) {
        scene on;
        start_unordered(&on);
        hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
        hm_frame_budget budget = test_budget_of(1 + 50 * calls, HM_NO_LIMIT);
        is_done = hm_world_defragment(&on.world, on.a, &by_key, ONCE(budget)).done;
        CHECK(hm_query_change(&query, &on.a, 1, NULL, 0, NULL) == HM_OK);
        hm_progress progress = hm_world_defragment(&on.world, on.a, &by_key, NULL);
        CHECK(progress.done && progress.swaps == 0); /* All are 0 by now. */
        hm_query_fini(&query);
        finish(&on);
    }
    CHECK(calls > 5);
}

/* refusals */

TEST(query_change, bad_sets_are_refused_and_change_nothing)
{
    scene on, other;
    start(&on);
    start(&other);
    hm_handle entity = CREATE(&on, on.a, on.b);
    set_int(&on, entity, on.a, 7);
    hm_component large = make_component(&on.world, 12000, HM_COMPONENT_ARCHETYPE);
    hm_component larger = make_component(&on.world, 8000, HM_COMPONENT_ARCHETYPE);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    uint32_t changed = 5;
    CHECK(hm_query_change(&query, LIST(on.x, on.x), 2, NULL, 0, &changed) == HM_ERROR_INVALID);
    CHECK(changed == 0);
    CHECK(hm_query_change(&query, &on.b, 1, &on.b, 1, NULL) == HM_ERROR_INVALID);
    CHECK(hm_query_change(&query, &other.b, 1, NULL, 0, NULL) == HM_ERROR_INVALID);
    CHECK(hm_query_change(&query, NULL, 1, NULL, 0, NULL) == HM_ERROR_INVALID);
    CHECK(hm_query_change(&query, NULL, 0, NULL, 1, NULL) == HM_ERROR_INVALID);
    CHECK(hm_query_change(&query, LIST(large, larger), 2, NULL, 0, NULL) == HM_ERROR_INVALID);
    CHECK(hm_query_change(&query, LIST(large, larger, on.x), 3, NULL, 0, NULL) == HM_ERROR_INVALID);
    hm_query_loop loop;
    hm_query_begin(&query, &loop);
    CHECK(hm_query_change(&query, NULL, 0, &on.b, 1, &changed) == HM_ERROR_BUSY);
    hm_query_end(&loop);
    CHECK(hm_world_has(&on.world, entity, on.b) && !hm_world_has(&on.world, entity, on.x));
    CHECK(*(const int *)hm_world_get(&on.world, entity, on.a) == 7);
    hm_query_fini(&query);
    CHECK(hm_query_change(&query, &on.b, 1, NULL, 0, &changed) == HM_OK && changed == 0);
    finish(&on);
    finish(&other);
}

static void start_within(scene *on, hm_world_desc limits)
{
    CHECK(hm_world_init(&on->world, &limits) == HM_OK);
    on->a = make_component(&on->world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    on->b = make_component(&on->world, sizeof(int), HM_COMPONENT_ARCHETYPE);
    on->tag = make_component(&on->world, 0, HM_COMPONENT_ARCHETYPE);
    on->x = make_component(&on->world, sizeof(int), HM_COMPONENT_SPARSE);
}

/* The rows of the first archetype do not fit where they would go to, and that of the second
 * does. */
TEST(query_change, rows_that_do_not_fit_are_refused_and_change_nothing)
{
    enum { ENTITIES = 200 };
    scene on;
    start_within(&on, (hm_world_desc){.capacity = 1000, .max_size = 1 << 19});
    hm_component large = make_component(&on.world, 4096, HM_COMPONENT_ARCHETYPE);
    CHECK(hm_world_create_n(&on.world, &on.a, 1, ENTITIES, NULL, NULL) == HM_OK);
    hm_handle last = CREATE(&on, on.a, on.tag);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query of_large = ask(&on, (hm_query_desc){ALL(large)});
    uint32_t changed = 5;
    CHECK(hm_query_change(&query, &large, 1, NULL, 0, &changed) == HM_ERROR_FULL);
    CHECK(strstr(hm_last_error(), "max_size is used up") != NULL);
    CHECK(changed == 0 && visit(&of_large) == 0 && visit(&query) == ENTITIES + 1);
    CHECK(hm_world_add(&on.world, last, large, NULL) == HM_OK);
    hm_query_fini(&query);
    hm_query_fini(&of_large);
    finish(&on);
}

/* Changes while the k-th call is refused, which must change nothing, and again with memory. Returns
 * whether that call was reached. */
static bool refuse(size_t page_size, uint32_t add, uint32_t remove, uint32_t k, bool and_later)
{
    static query_model model; /* too large for the stack */
    query_model_query query, everything;
    unsigned char asks[QUERY_MODEL_COMPONENTS] = {[0] = QUERY_ASKS_ALL}, nothing[sizeof asks] = {0};
    query_model_init(&model, page_size);
    for (uint32_t i = 0; i < QUERY_MODEL_ENTITIES; i++) {
        query_model_create(&model, i % 5 == 0 ? 1 : i % 7 == 0 ? 0x23 : 0x53);
        query_model_add(&model, i, 0);
    }
    query_model_ask(&model, &query, asks, false);
    query_model_ask(&model, &everything, nothing, false);
    test_memory_fail(&model.memory, k, and_later);
    bool succeeded = query_model_change_all(&model, &query, add, remove);
    bool reached = model.memory.calls >= k;
    test_memory_fail(&model.memory, 0, false);
    CHECK(hm_world_validate(&model.world) == HM_OK);
    query_model_check(&model, &query);
    query_model_check(&model, &everything);
    if (!succeeded) {
        CHECK(reached && query_model_change_all(&model, &query, add, remove));
        query_model_check(&model, &everything);
    }
    hm_query_fini(&query.query);
    hm_query_fini(&everything.query);
    query_model_fini(&model);
    return reached;
}

TEST(query_change, memory_refused_changes_nothing)
{
    static const uint32_t changes[][2] = {{0x04, 0x02}, {0x14, 0x20}, {0x81, 0x40}, {0x340, 0x03}};
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t page_size = i % 2 == 0 ? 4096 : 65536;
        uint32_t k = 1;
        for (; refuse(page_size, changes[i][0], changes[i][1], k, false); k = test_next_call(k))
            refuse(page_size, changes[i][0], changes[i][1], k, true);
        CHECK(k > (i < 2 ? 1 : 6)); /* Where nothing is sparse only rows take memory. */
    }
}

/* Half of the entities are in another archetype, and each gets a wide value. */
static void refuse_wide_values(hm_component_storage storage)
{
    enum { ENTITIES = 6000 };
    uint32_t k = 1;
    for (bool reached = true; reached; k++) {
        scene on;
        test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        start_with(&on, &memory.table);
        hm_component wide = make_component(&on.world, 256, storage);
        CHECK(hm_world_create_n(&on.world, &on.a, 1, ENTITIES / 2, NULL, NULL) == HM_OK);
        CHECK(hm_world_create_n(&on.world, LIST(on.a, on.tag), 2, ENTITIES / 2, NULL, NULL) ==
              HM_OK);
        hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
        hm_query of_wide = ask(&on, (hm_query_desc){ALL(wide)});
        test_memory_fail(&memory, k, k % 2 == 0);
        hm_status status = hm_query_change(&query, LIST(wide, on.b), 2, NULL, 0, NULL);
        reached = memory.calls >= k;
        test_memory_fail(&memory, 0, false);
        CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && reached));
        CHECK(visit(&of_wide) == (status == HM_OK ? ENTITIES : 0));
        CHECK(hm_query_change(&query, LIST(wide, on.b), 2, NULL, 0, NULL) == HM_OK);
        CHECK(visit(&of_wide) == ENTITIES);
        hm_query_fini(&query);
        hm_query_fini(&of_wide);
        finish(&on);
        test_memory_check_released(&memory);
    }
    CHECK(k > 7);
}

TEST(query_change, all_values_are_prepared_before_the_first_is_written)
{
    refuse_wide_values(HM_COMPONENT_SPARSE);
    refuse_wide_values(HM_COMPONENT_ARCHETYPE);
}

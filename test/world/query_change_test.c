/* SPDX-License-Identifier: MIT */
/* hm_query_change: what moves where, which hooks run and what they see, what is refused. The random
 * changes are in query_model_test.c. */
#include "support/memory.h"
#include "support/query.h"
#include "support/query_model.h"

#include <stdlib.h>
#include <string.h>

TEST(query_change, all_entities_of_a_query_change_at_once)
{
    enum { ENTITIES = 5000 };
    scene on;
    static hm_handle entities[ENTITIES]; /* too large for the stack */
    start(&on);
    for (int i = 0; i < ENTITIES; i++) {
        entities[i] = i % 3 == 0 ? CREATE(&on, on.a, on.tag) : CREATE(&on, on.a);
        set_int(&on, entities[i], on.a, i);
    }
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    uint32_t changed;
    CHECK(hm_query_change(&query, &on.b, 1, &on.tag, 1, &changed) == HM_OK && changed == ENTITIES);
    for (int i = 0; i < ENTITIES; i++) {
        CHECK(*(const int *)hm_world_get(&on.world, entities[i], on.a) == i);
        CHECK(*(const int *)hm_world_get(&on.world, entities[i], on.b) == 0);
        CHECK(!hm_world_has(&on.world, entities[i], on.tag));
    }
    CHECK(hm_query_change(&query, NULL, 0, LIST(on.a, on.b), 2, NULL) == HM_OK);
    CHECK(visit(&query) == 0 && hm_world_count(&on.world) == ENTITIES);
    hm_query_fini(&query);
    finish(&on);
}

/* A list of up to 128 entities is on the stack. Sparse values make matches lists of single ones. */
TEST(query_change, lists_of_any_length_change_all_that_match)
{
    static const uint32_t counts[] = {1, 127, 128, 129, 1000};
    for (int i = 0; i < 5; i++) {
        scene on;
        hm_handle entities[1000];
        uint32_t changed, calls;
        test_memory memory;
        test_memory_init(&memory, test_page_size(4096));
        start_with(&on, &memory.table);
        for (uint32_t k = 0; k < counts[i]; k++) {
            entities[k] = k % 2 == 0 ? CREATE(&on, on.a, on.x) : CREATE(&on, on.x);
            set_int(&on, entities[k], on.x, (int)k);
        }
        hm_query query = ask(&on, (hm_query_desc){ALL(on.x)});
        CHECK(hm_query_change(&query, &on.tag, 1, NULL, 0, &changed) == HM_OK);
        CHECK(changed == counts[i]);
        CHECK(hm_query_change(&query, NULL, 0, &on.tag, 1, NULL) == HM_OK);
        test_memory_fail(&memory, 1, true);
        hm_status status = hm_query_change(&query, &on.tag, 1, &on.a, 1, &changed);
        calls = memory.calls;
        test_memory_fail(&memory, 0, false);
        CHECK((calls == 0) == (counts[i] <= 128));
        CHECK(status == (calls == 0 ? HM_OK : HM_ERROR_MEMORY));
        for (uint32_t k = 0; k < counts[i]; k++) {
            CHECK(hm_world_has(&on.world, entities[k], on.tag) == (status == HM_OK));
            CHECK(*(const int *)hm_world_get(&on.world, entities[k], on.x) == (int)k);
        }
        hm_query_fini(&query);
        finish(&on);
        test_memory_check_released(&memory);
    }
}

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

TEST(query_change, each_removed_value_is_destroyed_once_when_its_entity_is_in_its_new_archetype)
{
    static hooked of; /* too large for the stack */
    start_hooked(&of);
    of.is_gone = of.other_is_there = true;
    hm_query query = ask(&of.on, (hm_query_desc){ALL(of.on.a, of.component)});
    uint32_t changed;
    CHECK(hm_query_change(&query, &of.on.b, 1, &of.component, 1, &changed) == HM_OK);
    CHECK(changed == HOOKED && visit(&query) == 0);
    check_hooks(&of, 1);
    hm_query_fini(&query);
    finish(&of.on);
    check_hooks(&of, 1);
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

TEST(query_change, values_of_other_entities_stay)
{
    scene on;
    start(&on);
    hm_handle first = CREATE(&on, on.a), second = CREATE(&on, on.a, on.b);
    set_int(&on, first, on.a, 1);
    set_int(&on, second, on.a, 2);
    set_int(&on, second, on.b, 3);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a), NONE(on.b)});
    uint32_t changed;
    CHECK(hm_query_change(&query, &on.b, 1, NULL, 0, &changed) == HM_OK && changed == 1);
    CHECK(*(const int *)hm_world_get(&on.world, first, on.b) == 0);
    CHECK(*(const int *)hm_world_get(&on.world, second, on.b) == 3);
    hm_query_fini(&query);
    finish(&on);
}

TEST(query_change, what_reserve_has_made_ready_stays_ready)
{
    enum { READY = 5000 };
    scene on;
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    start_with(&on, &memory.table);
    hm_component large = make_component(&on.world, 16000, HM_COMPONENT_ARCHETYPE);
    hm_world_create(&on.world, NULL, 0);
    CHECK(hm_world_reserve(&on.world, READY) == HM_OK);
    hm_query query = ask(&on, (hm_query_desc){NONE(on.a, large)});
    uint32_t changed, left = READY;
    CHECK(hm_query_change(&query, &on.a, 1, NULL, 0, &changed) == HM_OK && changed == 1);
    test_memory_fail(&memory, 1, true);
    while (!hm_handle_is_null(CREATE(&on, large))) /* Each takes a chunk, while there are any. */
        left--;
    for (uint32_t i = 0; i < left; i++)
        CHECK(!hm_handle_is_null(hm_world_create(&on.world, NULL, 0)));
    test_memory_fail(&memory, 0, false);
    CHECK(left > READY / 2 && visit(&query) == left);
    CHECK(hm_query_change(&query, &on.a, 1, NULL, 0, &changed) == HM_OK && changed == left);
    hm_query_fini(&query);
    finish(&on);
    test_memory_check_released(&memory);
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
        hm_budget budget = hm_budget_of(1 + 50 * calls, 0);
        is_done = hm_world_defragment(&on.world, on.a, &by_key, ONCE(budget)).done;
        CHECK(hm_query_change(&query, &on.a, 1, NULL, 0, NULL) == HM_OK);
        hm_progress progress = hm_world_defragment(&on.world, on.a, &by_key, NULL);
        CHECK(progress.done && progress.swaps == 0); /* All are 0 by now. */
        hm_query_fini(&query);
        finish(&on);
    }
    CHECK(calls > 5);
}

/* Orders by `a` in small steps, and returns how many that takes. */
static uint32_t order_in_steps(bool changes)
{
    scene on;
    uint32_t steps = 1;
    start_unordered(&on);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    while (!hm_world_defragment(&on.world, on.a, &by_key, BUDGET(10, 100)).done) {
        if (changes) /* No entity has it. */
            CHECK(hm_query_change(&query, NULL, 0, &on.tag, 1, NULL) == HM_OK);
        CHECK(++steps < 10 * UNORDERED);
    }
    CHECK(is_ordered(&on));
    hm_query_fini(&query);
    finish(&on);
    return steps;
}

TEST(query_change, a_change_of_nothing_leaves_the_order_as_it_is)
{
    uint32_t steps = order_in_steps(false);
    CHECK(steps > 10 && order_in_steps(true) == steps);
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

/* The archetype that the first entity would go to cannot be made, and that of the next one is
 * there. */
TEST(query_change, an_archetype_too_many_is_refused_and_changes_nothing)
{
    scene on;
    start_within(&on, (hm_world_desc){.capacity = 10, .max_archetypes = 3});
    hm_handle first = CREATE(&on, on.a), second = CREATE(&on, on.a, on.tag);
    CREATE(&on, on.a, on.tag, on.b);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    for (uint32_t n = 1; n <= 2; n++) { /* With a sparse component they change one by one. */
        uint32_t changed = 5;
        CHECK(hm_query_change(&query, LIST(on.b, on.x), n, NULL, 0, &changed) == HM_ERROR_FULL);
        CHECK(strstr(hm_last_error(), " has 3 of 3 archetypes: trim it, or raise max_archetypes") !=
              NULL);
        CHECK(changed == 0 && visit(&query) == 3 && hm_world_validate(&on.world) == HM_OK);
        CHECK(!hm_world_has(&on.world, first, on.b) && !hm_world_has(&on.world, second, on.b));
        CHECK(!hm_world_has(&on.world, first, on.x) && !hm_world_has(&on.world, second, on.x));
    }
    hm_query_fini(&query);
    finish(&on);
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

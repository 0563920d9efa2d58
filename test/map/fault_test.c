/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation that can reach the memory table, the k-th call is refused,
 * for every k, once and from then on. The operation then fails without a visible change, or did not
 * need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/map.h>

#include <string.h>

enum { MAX_HANDLES = 70000, BATCH = 3, SMALL = 64, META_SIZE = 8 };

/* An item's and its meta's bytes are patterns of its handle. */
typedef struct scene {
    test_memory memory;
    hm_map map;
    size_t item_size;
    hm_handle issued[MAX_HANDLES]; /* all that were ever issued, except by spent slots */
    uint32_t issued_count;
    unsigned char states[MAX_HANDLES]; /* explain's answer for each, before the operation */
    hm_handle dense[MAX_HANDLES];      /* the live ones in dense order, before the operation */
    hm_map_stats stats;                /* before the operation */
} scene;

static scene stage; /* too large for the stack */

static hm_map_desc describe(scene *on, test_layout layout)
{
    return (hm_map_desc){.item_size = layout.item_size,
                         .item_align = layout.item_align,
                         .capacity = MAX_HANDLES / 2,
                         .max_slots = MAX_HANDLES,
                         .type_id = 77,
                         .meta_size = META_SIZE,
                         .memory = &on->memory.table};
}

static void start(scene *on, test_layout layout)
{
    test_memory_init(&on->memory, layout.page_size);
    on->item_size = layout.item_size;
    on->issued_count = 0;
    hm_map_desc desc = describe(on, layout);
    CHECK(hm_map_init(&on->map, &desc) == HM_OK);
}

static void finish(scene *on)
{
    hm_map_fini(&on->map);
    test_memory_check_released(&on->memory);
}

/* Records a new item and fills it. */
static void note(scene *on, hm_handle handle)
{
    CHECK(on->issued_count < MAX_HANDLES);
    on->issued[on->issued_count++] = handle;
    uint32_t position = hm_map_index_of(&on->map, handle);
    test_item_fill(hm_map_get(&on->map, handle), on->item_size, handle.bits);
    test_item_fill(hm_map_meta_at(&on->map, position), META_SIZE, handle.bits);
}

static void remember(scene *on)
{
    on->stats = hm_map_get_stats(&on->map);
    for (uint32_t i = 0; i < on->stats.count; i++)
        on->dense[i] = hm_map_handle_at(&on->map, i);
    for (uint32_t i = 0; i < on->issued_count; i++)
        on->states[i] = (unsigned char)hm_map_explain(&on->map, on->issued[i]);
}

/* A trim that was refused may have dropped some slots; nothing else may change them. */
static void check_unchanged(const scene *on, bool trimming)
{
    hm_map_stats now = hm_map_get_stats(&on->map);
    CHECK(hm_map_validate(&on->map) == HM_OK);
    CHECK(now.count == on->stats.count && now.retired_slots == on->stats.retired_slots);
    CHECK(trimming || (now.slots == on->stats.slots && now.free_slots == on->stats.free_slots));
    CHECK(now.slots == now.count + now.free_slots + now.retired_slots);
    for (uint32_t i = 0; i < now.count; i++) {
        hm_handle handle = on->dense[i];
        CHECK(hm_handle_equal(hm_map_handle_at(&on->map, i), handle));
        CHECK(test_item_is(hm_map_get(&on->map, handle), on->item_size, handle.bits));
        CHECK(test_item_is(hm_map_meta_at(&on->map, i), META_SIZE, handle.bits));
    }
    for (uint32_t i = 0; i < on->issued_count; i++)
        CHECK(hm_map_explain(&on->map, on->issued[i]) == (hm_handle_state)on->states[i]);
}

/* The states in which an operation starts. */

static void stand_empty(scene *on)
{
    (void)on;
}

/* The next insert needs memory: all that was committed is used up. */
static void stand_at_the_edge(scene *on)
{
    note(on, hm_map_insert(&on->map, NULL));
    test_memory_fail(&on->memory, 1, true);
    hm_handle handle = hm_map_insert(&on->map, NULL);
    while (!hm_handle_is_null(handle)) {
        note(on, handle);
        handle = hm_map_insert(&on->map, NULL);
    }
    test_memory_fail(&on->memory, 0, false);
}

/* Two of three items are gone, and all the last ones, so there is memory to trim. */
static void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    for (uint32_t i = 0; i < BATCH && hm_map_reserve(&on->map, 1) == HM_OK; i++)
        note(on, hm_map_insert(&on->map, NULL));
    for (uint32_t i = 0; i < on->issued_count; i++)
        if (i % 3 != 0 || i > on->issued_count / 4)
            CHECK(hm_map_erase(&on->map, on->issued[i]));
}

static void stand_trimmed(scene *on)
{
    stand_in_ruins(on);
    hm_map_clear(&on->map);
    CHECK(hm_map_trim(&on->map) == HM_OK);
}

/* The next insert needs memory, and the next slot is spent: the insert also retires it. */
static void stand_before_a_spent_slot(scene *on)
{
    stand_at_the_edge(on);
    hm_handle handle = on->issued[0];
    for (uint32_t life = 1; life < HM_HANDLE_MAX_GENERATION; life++) {
        CHECK(hm_map_erase(&on->map, handle));
        handle = hm_map_insert(&on->map, NULL);
    }
    note(on, handle);
    CHECK(hm_map_erase(&on->map, handle));
}

/* The operations. Each returns whether it succeeded. */

static bool run_insert(scene *on)
{
    hm_handle handle = hm_map_insert(&on->map, NULL);
    if (!hm_handle_is_null(handle))
        note(on, handle);
    return !hm_handle_is_null(handle);
}

static bool run_emplace(scene *on)
{
    void *place = on;
    hm_handle handle = hm_map_emplace(&on->map, &place);
    CHECK(hm_handle_is_null(handle) == (place == NULL));
    if (place != NULL)
        note(on, handle);
    return place != NULL;
}

static bool insert_many(scene *on, uint32_t n)
{
    uint32_t first = hm_map_count(&on->map);
    hm_status status = hm_map_insert_n(&on->map, NULL, n, NULL);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    for (uint32_t i = 0; status == HM_OK && i < n; i++)
        note(on, hm_map_handle_at(&on->map, first + i));
    return status == HM_OK;
}

static bool run_insert_n(scene *on)
{
    static const hm_handle none[BATCH];
    hm_handle handles[BATCH] = {{0}};
    hm_status status = hm_map_insert_n(&on->map, NULL, BATCH, handles);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    CHECK((status == HM_OK) == (memcmp(handles, none, sizeof none) != 0));
    for (uint32_t i = 0; status == HM_OK && i < BATCH; i++)
        note(on, handles[i]);
    return status == HM_OK;
}

static bool run_reserve(scene *on)
{
    hm_status status = hm_map_reserve(&on->map, BATCH);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_trim(scene *on)
{
    hm_status status = hm_map_trim(&on->map);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

typedef struct operation {
    void (*stand)(scene *on);
    bool (*run)(scene *on);
} operation;

/* Refuses the k-th call. Returns whether it was reached. */
static bool refuse(scene *on, test_layout layout, operation what, uint32_t k, bool and_later)
{
    bool trimming = what.run == run_trim;
    start(on, layout);
    what.stand(on);
    remember(on);
    test_memory_fail(&on->memory, k, and_later);
    bool succeeded = what.run(on);
    bool reached = on->memory.calls >= k;
    if (!succeeded) {
        CHECK(reached);
        check_unchanged(on, trimming);
        if (and_later && !trimming)
            CHECK(hm_map_reserve(&on->map, BATCH) == HM_ERROR_MEMORY);
        check_unchanged(on, trimming);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    CHECK(hm_map_validate(&on->map) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(insert_many(on, BATCH));
    finish(on);
    return reached;
}

/* There must be at least one call to refuse, or the operation was not tested. */
static void refuse_every_call(test_layout layout, operation what)
{
    uint32_t k = 1;
    for (; refuse(&stage, layout, what, k, false); k++)
        refuse(&stage, layout, what, k, true);
    CHECK(k > 1);
}

static void refuse_in_all_layouts(const operation *operations, size_t count)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        for (size_t o = 0; o < count; o++)
            refuse_every_call(test_layout_at(i), operations[o]);
}

TEST(map_fault, init_refused_leaves_a_zeroed_map)
{
    static const hm_map zero;
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        hm_map_desc desc = describe(&stage, layout);
        bool and_later = i % 2 == 0;
        hm_status status = HM_ERROR_MEMORY;
        for (uint32_t k = 1; status != HM_OK; k++) {
            test_memory_init(&stage.memory, layout.page_size);
            test_memory_fail(&stage.memory, k, and_later);
            memset(&stage.map, 0x5A, sizeof stage.map);
            status = hm_map_init(&stage.map, &desc);
            CHECK((status == HM_OK) == (stage.memory.calls < k));
            CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
            if (status == HM_OK)
                hm_map_fini(&stage.map);
            CHECK(memcmp(&stage.map, &zero, sizeof zero) == 0);
            test_memory_check_released(&stage.memory);
        }
    }
}

TEST(map_fault, insert_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_insert},  {stand_at_the_edge, run_insert},  {stand_trimmed, run_insert},
        {stand_empty, run_emplace}, {stand_at_the_edge, run_emplace},
    };
    refuse_in_all_layouts(operations, sizeof operations / sizeof *operations);
}

TEST(map_fault, insert_n_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_insert_n},
        {stand_at_the_edge, run_insert_n},
        {stand_trimmed, run_insert_n},
    };
    refuse_in_all_layouts(operations, sizeof operations / sizeof *operations);
}

TEST(map_fault, reserve_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_reserve},
        {stand_at_the_edge, run_reserve},
        {stand_trimmed, run_reserve},
    };
    refuse_in_all_layouts(operations, sizeof operations / sizeof *operations);
}

TEST(map_fault, trim_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_in_ruins, run_trim},
    };
    refuse_in_all_layouts(operations, sizeof operations / sizeof *operations);
}

/* With items of one byte the entries are the first column to need memory. */
TEST(map_fault, insert_refused_retires_no_slot)
{
    static const operation operations[] = {
        {stand_before_a_spent_slot, run_insert},
        {stand_before_a_spent_slot, run_emplace},
        {stand_before_a_spent_slot, run_insert_n},
        {stand_before_a_spent_slot, run_reserve},
    };
    for (size_t i = 0; i < test_layout_count(); i++)
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
            if (test_layout_at(i).item_size == 1)
                refuse_every_call(test_layout_at(i), operations[o]);
}

/* Makes one step of a map's use from init to fini, repeated until it succeeds. */
static void live_through(scene *on, bool (*step)(scene *on, uint32_t n), uint32_t n, bool trimming)
{
    remember(on);
    if (step(on, n))
        return;
    CHECK(test_memory_refused(&on->memory));
    check_unchanged(on, trimming);
    if (on->memory.fail_after)
        test_memory_fail(&on->memory, 0, false);
    CHECK(step(on, n));
}

static bool trim_step(scene *on, uint32_t n)
{
    (void)n;
    return run_trim(on);
}

/* Grows over several pages, shrinks, trims, and grows again. Returns whether call k was reached. */
static bool live(scene *on, test_layout layout, uint32_t k, bool and_later)
{
    size_t bytes = layout.item_size <= SMALL ? sizeof(hm_handle) : layout.item_size;
    uint32_t batch = (uint32_t)(layout.page_size / bytes * 2 / 3 + 1);
    start(on, layout);
    test_memory_fail(&on->memory, k, and_later);
    for (int generation = 0; generation < 2; generation++) {
        for (int i = 0; i < 3; i++)
            live_through(on, insert_many, batch, false);
        while (hm_map_count(&on->map) > 2)
            CHECK(hm_map_erase(&on->map, hm_map_handle_at(&on->map, 2)));
        live_through(on, trim_step, 0, true);
    }
    bool reached = on->memory.fail_at == 0 || on->memory.calls >= k;
    finish(on);
    return reached;
}

TEST(map_fault, a_whole_life_survives_any_refusal)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        uint32_t k = 1;
        for (; live(&stage, layout, k, false); k++)
            live(&stage, layout, k, true);
        CHECK(k > 10); /* each of the four columns and the generation floors, twice */
    }
}

static bool is_gone(const void *item, void *context)
{
    (void)item;
    return ++*(uint32_t *)context % 2 == 0;
}

static uint64_t first_byte(const void *item, void *context)
{
    (void)context;
    return *(const unsigned char *)item;
}

/* Erase and clear request no memory; defragment and arrange do, and wait for it. */
TEST(map_fault, erase_and_clear_succeed_without_memory_and_orders_wait)
{
    static const hm_order order = {.key = first_byte};
    for (size_t i = 0; i < test_layout_count(); i++) {
        uint32_t asked = 0;
        start(&stage, test_layout_at(i));
        CHECK(insert_many(&stage, 40));
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_map_erase(&stage.map, stage.issued[3]));
        CHECK(hm_map_erase_n(&stage.map, stage.issued, 5) == 4);
        CHECK(stage.memory.calls == 0);
        hm_progress waits = hm_map_defragment(&stage.map, &order, NULL);
        CHECK(waits.status == HM_ERROR_MEMORY && !waits.done && waits.swaps == 0);
        waits = hm_map_arrange(&stage.map, stage.issued, 40, NULL);
        CHECK(waits.status == HM_ERROR_MEMORY && !waits.done && waits.swaps == 0);
        CHECK(stage.memory.calls > 0);
        test_memory_fail(&stage.memory, 0, false);
        CHECK(hm_map_defragment(&stage.map, &order, NULL).done);
        CHECK(hm_map_arrange(&stage.map, stage.issued, 40, NULL).done);
        CHECK(hm_handle_equal(hm_map_handle_at(&stage.map, 0), stage.issued[5]));
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_map_erase_if(&stage.map, is_gone, &asked) == 17);
        CHECK(hm_map_reserve(&stage.map, 22) == HM_OK && run_insert(&stage));
        hm_map_clear(&stage.map);
        CHECK(run_insert(&stage));
        CHECK(stage.memory.calls == 0 && hm_map_validate(&stage.map) == HM_OK);
        finish(&stage);
    }
}

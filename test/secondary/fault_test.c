/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation that can reach the memory table, the k-th call is refused,
 * for every k, once and from then on. The operation then fails without a visible change, or did not
 * need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/secondary.h"

#include <string.h>

enum { MAX_VALUES = 70000, MAX_SLOTS = 1 << 20, BATCH = 3, FAR_AWAY = MAX_SLOTS - PIECE_SLOTS };

/* A value's bytes are the pattern of its owner's handle. */
typedef struct scene {
    test_memory memory;
    hm_secondary secondary;
    size_t value_size;
    hm_handle dense[MAX_VALUES]; /* the owners in dense order, before the operation */
    uint32_t count;              /* of them */
    uint32_t next_index;         /* of an owner without a value */
} scene;

static scene stage; /* too large for the stack */

static hm_secondary_desc describe(scene *on, test_layout layout)
{
    return (hm_secondary_desc){.value_size = layout.item_size,
                               .value_align = layout.item_align,
                               .capacity = MAX_VALUES,
                               .max_slots = MAX_SLOTS,
                               .type_id = OWNER_TYPE,
                               .memory = &on->memory.table};
}

static void start(scene *on, test_layout layout)
{
    test_memory_init_with_holes(&on->memory, layout.page_size);
    on->value_size = layout.item_size;
    on->next_index = 0;
    hm_secondary_desc desc = describe(on, layout);
    CHECK(hm_secondary_init(&on->secondary, &desc) == HM_OK);
}

static void finish_scene(scene *on)
{
    hm_secondary_fini(&on->secondary);
    test_memory_check_released(&on->memory);
}

static bool add(scene *on, hm_handle of)
{
    void *place = hm_secondary_set(&on->secondary, of, NULL);
    if (place != NULL)
        test_item_fill(place, on->value_size, of.bits);
    return place != NULL;
}

static bool add_next(scene *on)
{
    bool is_added = add(on, owner(on->next_index, 1));
    on->next_index += is_added;
    return is_added;
}

static void remember(scene *on)
{
    on->count = hm_secondary_count(&on->secondary);
    for (uint32_t i = 0; i < on->count; i++)
        on->dense[i] = hm_secondary_owner_at(&on->secondary, i);
}

static void check_unchanged(const scene *on)
{
    CHECK(hm_secondary_validate(&on->secondary) == HM_OK);
    CHECK(hm_secondary_count(&on->secondary) == on->count);
    for (uint32_t i = 0; i < on->count; i++) {
        hm_handle of = on->dense[i];
        CHECK(hm_handle_equal(hm_secondary_owner_at(&on->secondary, i), of));
        CHECK(test_item_is(hm_secondary_get(&on->secondary, of), on->value_size, of.bits));
    }
    hm_secondary_stats stats = hm_secondary_get_stats(&on->secondary);
    CHECK(stats.committed_size == on->memory.committed_size);
}

/* The states in which an operation starts. */

static void stand_empty(scene *on)
{
    (void)on;
}

/* The next set needs memory: all that was committed is used up. */
static void stand_at_the_edge(scene *on)
{
    CHECK(add_next(on));
    test_memory_fail(&on->memory, 1, true);
    while (add_next(on))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* All values are gone but a few in front, and with them whole pieces. */
static void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    for (uint32_t i = 0; i < 10; i++)
        CHECK(add(on, owner(FAR_AWAY - i * 3 * PIECE_SLOTS, 1)));
    while (hm_secondary_count(&on->secondary) > 5)
        CHECK(hm_secondary_remove(&on->secondary, hm_secondary_owner_at(&on->secondary, 5)));
    CHECK(add(on, owner(FAR_AWAY - 6 * PIECE_SLOTS, 1)));
}

static void stand_trimmed(scene *on)
{
    stand_in_ruins(on);
    hm_secondary_clear(&on->secondary);
    CHECK(hm_secondary_trim(&on->secondary) == HM_OK);
}

/* The operations. Each returns whether it succeeded. */

static bool run_set(scene *on)
{
    return add_next(on);
}

static bool run_set_far_away(scene *on)
{
    return add(on, owner(FAR_AWAY, 1));
}

static bool run_reserve(scene *on)
{
    hm_status status = hm_secondary_reserve(&on->secondary, BATCH);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_large_reserve(scene *on)
{
    uint32_t n = 3 * PIECE_SLOTS;
    if (n > MAX_VALUES - hm_secondary_count(&on->secondary))
        n = MAX_VALUES - hm_secondary_count(&on->secondary);
    hm_status status = hm_secondary_reserve(&on->secondary, n);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_trim(scene *on)
{
    hm_status status = hm_secondary_trim(&on->secondary);
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
    start(on, layout);
    what.stand(on);
    remember(on);
    test_memory_fail(&on->memory, k, and_later);
    bool succeeded = what.run(on);
    bool reached = on->memory.calls >= k;
    if (!succeeded) {
        CHECK(reached);
        check_unchanged(on);
        if (and_later)
            CHECK(!what.run(on));
        check_unchanged(on);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    CHECK(hm_secondary_validate(&on->secondary) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(add_next(on));
    finish_scene(on);
    return reached;
}

/* There must be at least one call to refuse, or the operation was not tested. */
static void refuse_every_call(const operation *operations, size_t count)
{
    for (size_t i = 0; i < test_layout_count(); i++)
        for (size_t o = 0; o < count; o++) {
            test_layout layout = test_layout_at(i);
            uint32_t k = 1;
            for (; refuse(&stage, layout, operations[o], k, false); k++)
                refuse(&stage, layout, operations[o], k, true);
            CHECK(k > 1);
        }
}

TEST(secondary_fault, init_refused_leaves_a_zeroed_secondary)
{
    static const hm_secondary zero;
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        hm_secondary_desc desc = describe(&stage, layout);
        hm_status status = HM_ERROR_MEMORY;
        uint32_t k = 1;
        for (; status != HM_OK; k++) {
            test_memory_init_with_holes(&stage.memory, layout.page_size);
            test_memory_fail(&stage.memory, k, i % 2 == 0);
            memset(&stage.secondary, 0x5A, sizeof stage.secondary);
            status = hm_secondary_init(&stage.secondary, &desc);
            CHECK((status == HM_OK) == (stage.memory.calls < k));
            CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
            if (status == HM_OK)
                hm_secondary_fini(&stage.secondary);
            CHECK(memcmp(&stage.secondary, &zero, sizeof zero) == 0);
            test_memory_check_released(&stage.memory);
        }
        CHECK(k == 6); /* four reservations, the first k that is not reached, and its increment */
    }
}

TEST(secondary_fault, set_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_set},
        {stand_at_the_edge, run_set},
        {stand_trimmed, run_set},
        {stand_empty, run_set_far_away},
        {stand_at_the_edge, run_set_far_away},
        {stand_trimmed, run_set_far_away},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(secondary_fault, reserve_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_empty, run_reserve},          {stand_at_the_edge, run_reserve},
        {stand_trimmed, run_reserve},        {stand_empty, run_large_reserve},
        {stand_in_ruins, run_large_reserve},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(secondary_fault, trim_refused_changes_nothing)
{
    static const operation operations[] = {{stand_in_ruins, run_trim}};
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

static bool has_odd_index(hm_handle of, const void *value, void *context)
{
    (void)value;
    (void)context;
    return hm_handle_index(of) % 2 != 0;
}

static uint64_t first_byte(const void *value, void *context)
{
    (void)context;
    return *(const unsigned char *)value;
}

/* Remove, remove_if, clear and a set that replaces request no memory; defragment and arrange do,
 * and wait for it. */
TEST(secondary_fault, what_adds_nothing_succeeds_without_memory)
{
    static const hm_order order = {.key = first_byte};
    for (size_t i = 0; i < test_layout_count(); i++) {
        start(&stage, test_layout_at(i));
        while (stage.next_index < 40)
            CHECK(add_next(&stage));
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_secondary_remove(&stage.secondary, owner(3, 1)));
        CHECK(add(&stage, owner(4, 2)) && add(&stage, owner(5, 1)));
        CHECK(stage.memory.calls == 0);
        hm_progress waits = hm_secondary_defragment(&stage.secondary, &order, NULL);
        CHECK(waits.status == HM_ERROR_MEMORY && !waits.done && waits.swaps == 0);
        test_memory_fail(&stage.memory, 0, false);
        CHECK(hm_secondary_defragment(&stage.secondary, &order, NULL).done);
        remember(&stage);
        check_unchanged(&stage);
        hm_handle first = owner(20, 1);
        CHECK(hm_secondary_arrange(&stage.secondary, &first, 1, NULL).done);
        CHECK(hm_secondary_index_of(&stage.secondary, first) == 0);
        CHECK(stage.memory.calls > 0);
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_secondary_remove_if(&stage.secondary, has_odd_index, NULL) == 19);
        hm_secondary_clear(&stage.secondary);
        CHECK(add_next(&stage));
        CHECK(stage.memory.calls == 0 && hm_secondary_validate(&stage.secondary) == HM_OK);
        finish_scene(&stage);
    }
}

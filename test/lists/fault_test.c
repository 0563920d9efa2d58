/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation that can reach the memory table, the k-th call is refused,
 * for every k, once and from then on. The operation then fails without a visible change, or did not
 * need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/lists.h"
#include "support/memory.h"

#include <string.h>

enum {
    MAX_LISTS = 20000,
    MAX_SLOTS = 1 << 16,
    BATCH = 20,
    LARGE = 3 << 16 /* bytes of a list that is more than one page of every size */
};

/* An item's bytes are the pattern of its list's handle plus its index. */
typedef struct scene {
    test_memory memory;
    hm_lists lists;
    size_t item_size;
    hm_handle list;               /* that operations change */
    hm_handle handles[MAX_LISTS]; /* before the operation, by position */
    uint32_t counts[MAX_LISTS];
    uint32_t count; /* of lists */
} scene;

static scene stage; /* too large for the stack */

static hm_lists_desc describe(scene *on, test_layout layout)
{
    return (hm_lists_desc){.item_size = layout.item_size,
                           .item_align = layout.item_align,
                           .capacity = MAX_LISTS,
                           .max_slots = MAX_SLOTS,
                           .max_items = 20000 + (1 << 20) / layout.item_size,
                           .type_id = LISTS_TYPE,
                           .memory = &on->memory.table};
}

static void start(scene *on, test_layout layout)
{
    test_memory_init(&on->memory, layout.page_size);
    on->item_size = layout.item_size;
    hm_lists_desc desc = describe(on, layout);
    CHECK(hm_lists_init(&on->lists, &desc) == HM_OK);
}

static void finish_scene(scene *on)
{
    hm_lists_fini(&on->lists);
    test_memory_check_released(&on->memory);
}

static bool create(scene *on)
{
    hm_handle list = hm_lists_create(&on->lists);
    if (hm_handle_is_null(list))
        return false;
    on->list = list;
    return true;
}

static bool add(scene *on, hm_handle list)
{
    uint64_t pattern = list.bits + count_of(&on->lists, list);
    void *place = hm_lists_push(&on->lists, list, NULL);
    if (place != NULL)
        test_item_fill(place, on->item_size, pattern);
    return place != NULL;
}

static void remember(scene *on)
{
    on->count = hm_lists_count(&on->lists);
    for (uint32_t i = 0; i < on->count; i++) {
        on->handles[i] = hm_lists_handle_at(&on->lists, i);
        on->counts[i] = count_of(&on->lists, on->handles[i]);
    }
}

static void check_unchanged(const scene *on)
{
    uint64_t sum = 0;
    CHECK(hm_lists_validate(&on->lists) == HM_OK);
    CHECK(hm_lists_count(&on->lists) == on->count);
    for (uint32_t i = 0; i < on->count; i++) {
        hm_handle list = on->handles[i];
        CHECK(hm_handle_equal(hm_lists_handle_at(&on->lists, i), list));
        CHECK(count_of(&on->lists, list) == on->counts[i]);
        const unsigned char *items = hm_lists_items(&on->lists, list, NULL);
        for (uint32_t k = 0; k < on->counts[i]; k++)
            CHECK(test_item_is(items + on->item_size * k, on->item_size, list.bits + k));
        sum += on->counts[i];
    }
    CHECK(hm_lists_item_count(&on->lists) == sum);
    hm_lists_stats stats = hm_lists_get_stats(&on->lists);
    CHECK(stats.count == on->count && stats.committed_size == on->memory.committed_size);
}

/* The states in which an operation starts. */

static void stand_without_lists(scene *on)
{
    (void)on;
}

static void stand_empty(scene *on)
{
    CHECK(create(on));
}

/* The next create and the next push need memory: all that was committed is used up. */
static void stand_at_the_edge(scene *on)
{
    CHECK(create(on) && add(on, on->list));
    test_memory_fail(&on->memory, 1, true);
    while (create(on))
        ;
    while (add(on, on->list))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* The list has grown past the first page of every size, and then all was closed up. */
static void stand_packed(scene *on)
{
    stand_at_the_edge(on);
    CHECK(add(on, on->list));
    CHECK(hm_lists_defragment(&on->lists, NULL).done);
    test_memory_fail(&on->memory, 1, true);
    while (add(on, on->list))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* Few lists are left, and large ones are gone. */
static void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    CHECK(add(on, on->list));
    uint32_t count = (uint32_t)(LARGE / on->item_size);
    for (uint32_t k = 0; k < 3; k++) {
        hm_handle large = hm_lists_create(&on->lists);
        CHECK(hm_lists_resize(&on->lists, large, count) == HM_OK);
    }
    while (hm_lists_count(&on->lists) > 5)
        CHECK(hm_lists_destroy(&on->lists, hm_lists_handle_at(&on->lists, 5)));
    CHECK(create(on) && add(on, on->list));
    CHECK(hm_lists_defragment(&on->lists, NULL).done);
}

static void stand_trimmed(scene *on)
{
    stand_in_ruins(on);
    hm_lists_clear(&on->lists);
    CHECK(hm_lists_trim(&on->lists) == HM_OK);
    CHECK(create(on));
}

static void stand_trimmed_without_lists(scene *on)
{
    stand_trimmed(on);
    CHECK(hm_lists_destroy(&on->lists, on->list) && hm_lists_trim(&on->lists) == HM_OK);
}

/* The operations. Each returns whether it succeeded. */

static bool succeeds(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_reserve(scene *on)
{
    return succeeds(hm_lists_reserve(&on->lists, 3));
}

static bool run_large_reserve(scene *on)
{
    return succeeds(hm_lists_reserve(&on->lists, MAX_LISTS - hm_lists_count(&on->lists)));
}

static bool run_push(scene *on)
{
    return add(on, on->list);
}

static bool run_push_n(scene *on)
{
    return succeeds(hm_lists_push_n(&on->lists, on->list, NULL, BATCH));
}

static bool run_insert_at(scene *on)
{
    return hm_lists_insert_at(&on->lists, on->list, 0, NULL) != NULL;
}

static bool run_resize(scene *on)
{
    return succeeds(hm_lists_resize(&on->lists, on->list, count_of(&on->lists, on->list) + BATCH));
}

static bool run_trim(scene *on)
{
    return succeeds(hm_lists_trim(&on->lists));
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
    CHECK(hm_lists_validate(&on->lists) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(create(on) && add(on, on->list));
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

TEST(lists_fault, init_refused_leaves_zeroed_lists)
{
    static const hm_lists zero;
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        hm_lists_desc desc = describe(&stage, layout);
        hm_status status = HM_ERROR_MEMORY;
        uint32_t k = 1;
        for (; status != HM_OK; k++) {
            test_memory_init(&stage.memory, layout.page_size);
            test_memory_fail(&stage.memory, k, i % 2 == 0);
            memset(&stage.lists, 0x5A, sizeof stage.lists);
            status = hm_lists_init(&stage.lists, &desc);
            CHECK((status == HM_OK) == (stage.memory.calls < k));
            CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
            if (status == HM_OK)
                hm_lists_fini(&stage.lists);
            CHECK(memcmp(&stage.lists, &zero, sizeof zero) == 0);
            test_memory_check_released(&stage.memory);
        }
        CHECK(k == 5); /* three reservations, the first k that is not reached, and its increment */
    }
}

TEST(lists_fault, create_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_without_lists, create},
        {stand_at_the_edge, create},
        {stand_trimmed_without_lists, create},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(lists_fault, reserve_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_without_lists, run_reserve}, {stand_at_the_edge, run_reserve},
        {stand_empty, run_large_reserve},   {stand_trimmed_without_lists, run_reserve},
        {stand_trimmed, run_large_reserve},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(lists_fault, a_list_that_cannot_grow_is_unchanged)
{
    static const operation operations[] = {
        {stand_empty, run_push},       {stand_at_the_edge, run_push},
        {stand_packed, run_push},      {stand_trimmed, run_push},
        {stand_packed, run_push_n},    {stand_at_the_edge, run_push_n},
        {stand_packed, run_insert_at}, {stand_empty, run_resize},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(lists_fault, trim_refused_changes_nothing)
{
    static const operation operations[] = {{stand_in_ruins, run_trim}};
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

static bool is_any(const void *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

TEST(lists_fault, what_adds_nothing_succeeds_without_memory)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        scene *on = &stage;
        hm_handle list[4];
        start(on, test_layout_at(i));
        for (int l = 0; l < 4; l++) {
            CHECK(create(on));
            list[l] = on->list;
            for (int k = 0; k < 10; k++)
                CHECK(add(on, list[l]));
        }
        test_memory_fail(&on->memory, 1, true);
        CHECK(hm_lists_erase_at(&on->lists, list[0], 9));
        CHECK(hm_lists_erase_ordered_at(&on->lists, list[0], 8));
        CHECK(hm_lists_resize(&on->lists, list[1], 3) == HM_OK);
        CHECK(hm_lists_erase_if(&on->lists, list[2], is_any, NULL) == 10);
        CHECK(hm_lists_destroy(&on->lists, list[3]));
        remember(on);
        CHECK(hm_lists_defragment(&on->lists, NULL).done);
        check_unchanged(on);
        CHECK(create(on)); /* the freed slot */
        hm_lists_clear(&on->lists);
        CHECK(create(on) && add(on, on->list));
        CHECK(on->memory.calls == 0 && hm_lists_validate(&on->lists) == HM_OK);
        finish_scene(on);
    }
}

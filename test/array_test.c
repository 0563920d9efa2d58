/* SPDX-License-Identifier: MIT */
/* array: growing in place, giving memory back, refusing; with every layout and memory failure. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/array.h>

#include <string.h>

static hm_array_desc describe(test_layout layout, size_t capacity, const test_memory *memory)
{
    hm_array_desc desc = {.item_size = layout.item_size, .item_align = layout.item_align};
    desc.capacity = capacity;
    desc.memory = &memory->table;
    return desc;
}

/* Returns a number of items that reaches into a third page. */
static size_t items_over_pages(test_layout layout)
{
    return 2 * layout.page_size / layout.item_size + 3;
}

static bool is_zeroed(const hm_array *array)
{
    static const hm_array zero;
    return memcmp(array, &zero, sizeof zero) == 0;
}

static bool is_refused(const hm_array_desc *desc, hm_status expected)
{
    hm_array array;
    memset(&array, 0xA5, sizeof array);
    return hm_array_init(&array, desc) == expected && is_zeroed(&array);
}

static size_t round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) / page_size * page_size;
}

/* ---- init and fini ---- */

TEST(array, init_refuses_null)
{
    hm_array_desc desc = {.item_size = 8};
    CHECK(hm_array_init(NULL, &desc) == HM_ERROR_INVALID);
    CHECK(hm_array_init(NULL, NULL) == HM_ERROR_INVALID);
    CHECK(is_refused(NULL, HM_ERROR_INVALID));
}

TEST(array, init_refuses_items_without_size)
{
    CHECK(is_refused(&(hm_array_desc){.item_size = 0}, HM_ERROR_INVALID));
    CHECK(is_refused(&(hm_array_desc){.item_size = 0, .item_align = 1}, HM_ERROR_INVALID));
}

TEST(array, init_refuses_alignments_that_are_no_power_of_two_or_do_not_divide_the_size)
{
    for (size_t size = 1; size <= 8200; size += size < 100 ? 1 : 50) {
        for (size_t align = 1; align <= 8192; align += align < 70 ? 1 : align) {
            bool is_power = (align & (align - 1)) == 0;
            hm_array_desc desc = {.item_size = size, .item_align = align, .capacity = 3};
            if (is_power && align <= HM_MEMORY_ALIGNMENT && size % align == 0) {
                hm_array array;
                CHECK(hm_array_init(&array, &desc) == HM_OK);
                hm_array_fini(&array);
            } else {
                CHECK(is_refused(&desc, HM_ERROR_INVALID));
            }
        }
    }
}

TEST(array, init_refuses_alignments_above_4096_even_when_they_divide)
{
    CHECK(is_refused(&(hm_array_desc){.item_size = 8192, .item_align = 8192}, HM_ERROR_INVALID));
    CHECK(
        is_refused(&(hm_array_desc){.item_size = SIZE_MAX / 2 + 1, .item_align = SIZE_MAX / 2 + 1},
                   HM_ERROR_INVALID));
}

TEST(array, init_refuses_sizes_that_overflow)
{
    const hm_array_desc overflowing[] = {
        {.item_size = 1, .capacity = SIZE_MAX},
        {.item_size = 1, .capacity = SIZE_MAX - hm_memory_os()->page_size + 2},
        {.item_size = 8, .capacity = SIZE_MAX / 8 + 1},
        {.item_size = 16, .capacity = SIZE_MAX / 8},
        {.item_size = 40, .capacity = SIZE_MAX},
        {.item_size = SIZE_MAX, .capacity = 2},
        {.item_size = SIZE_MAX, .capacity = SIZE_MAX},
        {.item_size = SIZE_MAX / HM_DEFAULT_CAPACITY + 1},
    };
    for (size_t i = 0; i < sizeof overflowing / sizeof *overflowing; i++)
        CHECK(is_refused(&overflowing[i], HM_ERROR_INVALID));
}

TEST(array, init_says_memory_when_the_sizes_fit_but_the_system_has_no_room)
{
    size_t most = SIZE_MAX - hm_memory_os()->page_size + 1;
    CHECK(is_refused(&(hm_array_desc){.item_size = 1, .capacity = most}, HM_ERROR_MEMORY));
}

TEST(array, init_refuses_a_memory_table_that_is_not_whole)
{
    for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++) {
        test_memory memory;
        test_memory_init(&memory, 65536);
        const char *sentence = test_memory_break(&memory, flaw);
        hm_array_desc desc = {.item_size = 8, .capacity = 10, .memory = &memory.table};
        CHECK(is_refused(&desc, HM_ERROR_INVALID) && strcmp(hm_last_error(), sentence) == 0);
        test_memory_check_released(&memory);
    }
}

TEST(array, the_smallest_page_is_8_bytes)
{
    hm_memory memory = *hm_memory_heap();
    memory.page_size = 8;
    hm_array_desc desc = {.item_size = 8, .capacity = 3, .commit_step = 8, .memory = &memory};
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    CHECK(hm_array_push(&array) != NULL && hm_array_committed_size(&array) == 8);
    hm_array_fini(&array);
}

static unsigned char crooked_bytes[3 * HM_MEMORY_ALIGNMENT];
static size_t crooked_releases;

static void *crooked_reserve(void *context, size_t size)
{
    (void)context;
    (void)size;
    size_t gap = (size_t)(0 - (uintptr_t)crooked_bytes) % HM_MEMORY_ALIGNMENT;
    return crooked_bytes + gap + HM_MEMORY_ALIGNMENT / 2;
}

static void crooked_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)size;
    crooked_releases += address == crooked_reserve(NULL, 0);
}

TEST(array, init_refuses_a_reservation_that_is_not_aligned_and_gives_it_back)
{
    hm_memory crooked = *hm_memory_os();
    crooked.reserve = crooked_reserve;
    crooked.release = crooked_release;
    hm_array_desc desc = {.item_size = 8, .capacity = 10, .memory = &crooked};
    crooked_releases = 0;
    CHECK(is_refused(&desc, HM_ERROR_INVALID));
    CHECK(crooked_releases == 1);
}

TEST(array, init_reserves_once_and_commits_nothing)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = describe(layout, 1000, &memory);
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        CHECK(memory.calls == 1);
        CHECK(memory.reserved_size == round_up(1000 * layout.item_size, layout.page_size));
        CHECK(memory.committed_size == 0);
        CHECK(hm_array_committed_size(&array) == 0);
        CHECK(hm_array_count(&array) == 0);
        CHECK(hm_array_data(&array) != NULL);
        hm_array_fini(&array);
        test_memory_check_released(&memory);
    }
}

TEST(array, zero_fields_mean_the_defaults)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 1}) == HM_OK);
    CHECK(hm_array_reserve(&array, HM_DEFAULT_CAPACITY) == HM_OK);
    CHECK(hm_array_reserve(&array, HM_DEFAULT_CAPACITY + 1) == HM_ERROR_FULL);
    hm_array_fini(&array);
    for (size_t size = 1; size < 100; size++) {
        CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = size}) == HM_OK);
        hm_array_fini(&array);
    }
}

TEST(array, fini_gives_all_back_and_may_run_twice)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_array_desc desc = {.item_size = 40, .capacity = 100000, .memory = &memory.table};
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    CHECK(hm_array_resize(&array, 50000) == HM_OK);
    hm_array_fini(&array);
    test_memory_check_released(&memory);
    CHECK(is_zeroed(&array));
    hm_array_fini(&array);
    CHECK(is_zeroed(&array));
}

static void check_empty_of_capacity_0(hm_array *array)
{
    CHECK(hm_array_push(array) == NULL);
    CHECK(!hm_array_pop(array));
    CHECK(hm_array_resize(array, 0) == HM_OK);
    CHECK(hm_array_resize(array, 1) == HM_ERROR_FULL);
    CHECK(hm_array_reserve(array, 0) == HM_OK);
    CHECK(hm_array_reserve(array, 1) == HM_ERROR_FULL);
    CHECK(hm_array_reserve(array, SIZE_MAX) == HM_ERROR_FULL);
    CHECK(hm_array_trim(array) == HM_OK);
    CHECK(hm_array_at(array, 0) == NULL);
    CHECK(hm_array_at(array, SIZE_MAX) == NULL);
    CHECK(hm_array_data(array) == NULL);
    CHECK(hm_array_count(array) == 0);
    CHECK(hm_array_committed_size(array) == 0);
    hm_array_fini(array);
    CHECK(is_zeroed(array));
}

TEST(array, a_zeroed_array_is_an_empty_one_for_every_function)
{
    hm_array array = {0};
    check_empty_of_capacity_0(&array);
}

TEST(array, an_array_whose_init_failed_is_an_empty_one_for_every_function)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    test_memory_fail(&memory, 1, false);
    hm_array array;
    memset(&array, 0xA5, sizeof array);
    hm_array_desc desc = {.item_size = 8, .memory = &memory.table};
    CHECK(hm_array_init(&array, &desc) == HM_ERROR_MEMORY);
    check_empty_of_capacity_0(&array);
    desc.item_size = 0;
    memset(&array, 0xA5, sizeof array);
    CHECK(hm_array_init(&array, &desc) == HM_ERROR_INVALID);
    check_empty_of_capacity_0(&array);
}

/* ---- items ---- */

static void check_items(const hm_array *array, test_layout layout, size_t count)
{
    CHECK(hm_array_count(array) == count);
    CHECK(hm_array_committed_size(array) >= count * layout.item_size);
    CHECK(hm_array_committed_size(array) % layout.page_size == 0);
    for (size_t i = 0; i < count; i++)
        CHECK(test_item_is(hm_array_at(array, i), layout.item_size, i));
    CHECK(hm_array_at(array, count) == NULL);
    CHECK(hm_array_at(array, SIZE_MAX) == NULL);
}

static void push_items(hm_array *array, test_layout layout, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++) {
        unsigned char *item = hm_array_push(array);
        CHECK(item == (unsigned char *)hm_array_data(array) + i * layout.item_size);
        CHECK((uintptr_t)item % layout.item_align == 0);
        test_item_fill(item, layout.item_size, i);
    }
}

TEST(array, items_of_every_layout_stay_where_they_are_until_the_array_is_full)
{
    for (size_t k = 0; k < test_layout_count(); k++) {
        test_layout layout = test_layout_at(k);
        size_t capacity = items_over_pages(layout);
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = describe(layout, capacity, &memory);
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        void *data = hm_array_data(&array);
        push_items(&array, layout, 0, capacity);
        CHECK(hm_array_data(&array) == data);
        check_items(&array, layout, capacity);
        CHECK(hm_array_committed_size(&array) == memory.committed_size);

        uint32_t calls = memory.calls;
        CHECK(hm_array_push(&array) == NULL);
        CHECK(hm_array_reserve(&array, 0) == HM_OK);
        CHECK(hm_array_reserve(&array, 1) == HM_ERROR_FULL);
        CHECK(hm_array_reserve(&array, SIZE_MAX) == HM_ERROR_FULL);
        CHECK(hm_array_resize(&array, capacity + 1) == HM_ERROR_FULL);
        CHECK(hm_array_resize(&array, SIZE_MAX) == HM_ERROR_FULL);
        CHECK(memory.calls == calls);
        check_items(&array, layout, capacity);
        hm_array_fini(&array);
        test_memory_check_released(&memory);
    }
}

TEST(array, pop_drops_the_last_item_and_push_takes_its_place)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    test_layout layout = {40, 8, 65536};
    hm_array_desc desc = describe(layout, 100, &memory);
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    CHECK(!hm_array_pop(&array));
    push_items(&array, layout, 0, 10);
    for (size_t count = 10; count > 0; count--) {
        CHECK(hm_array_pop(&array));
        check_items(&array, layout, count - 1);
    }
    CHECK(!hm_array_pop(&array));
    CHECK(hm_array_count(&array) == 0);
    push_items(&array, layout, 0, 100);
    CHECK(hm_array_push(&array) == NULL);
    CHECK(hm_array_pop(&array));
    push_items(&array, layout, 99, 100);
    check_items(&array, layout, 100);
    hm_array_fini(&array);
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

TEST(array, resize_zeroes_new_items_even_where_memory_is_dirty)
{
    for (size_t k = 0; k < test_layout_count(); k++) {
        test_layout layout = test_layout_at(k);
        size_t capacity = items_over_pages(layout), keep = capacity / 3;
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = describe(layout, capacity, &memory);
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        CHECK(hm_array_resize(&array, capacity) == HM_OK);
        unsigned char *data = hm_array_data(&array);
        CHECK(is_zero(data, capacity * layout.item_size));
        for (size_t i = 0; i < capacity; i++)
            test_item_fill(hm_array_at(&array, i), layout.item_size, i);
        CHECK(hm_array_resize(&array, keep) == HM_OK);
        check_items(&array, layout, keep);
        CHECK(hm_array_resize(&array, capacity) == HM_OK);
        CHECK(hm_array_count(&array) == capacity);
        for (size_t i = 0; i < keep; i++)
            CHECK(test_item_is(hm_array_at(&array, i), layout.item_size, i));
        CHECK(is_zero(data + keep * layout.item_size, (capacity - keep) * layout.item_size));
        CHECK(hm_array_resize(&array, 0) == HM_OK);
        CHECK(hm_array_count(&array) == 0);
        hm_array_fini(&array);
    }
}

TEST(array, up_to_what_was_reserved_push_and_resize_cannot_fail)
{
    for (size_t k = 0; k < test_layout_count(); k++) {
        test_layout layout = test_layout_at(k);
        size_t count = items_over_pages(layout);
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = describe(layout, 2 * count, &memory);
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        test_memory_fail(&memory, 0, false);
        CHECK(hm_array_reserve(&array, count) == HM_OK);
        CHECK(memory.calls == 1);
        CHECK(hm_array_count(&array) == 0);
        test_memory_fail(&memory, 1, true);
        push_items(&array, layout, 0, count);
        check_items(&array, layout, count);
        CHECK(hm_array_resize(&array, 0) == HM_OK);
        CHECK(hm_array_resize(&array, count - 1) == HM_OK);
        CHECK(hm_array_reserve(&array, 1) == HM_OK);
        CHECK(memory.calls == 0);
        test_memory_fail(&memory, 0, false);
        CHECK(hm_array_reserve(&array, count + 1) == HM_OK); /* n more than there are */
        test_memory_fail(&memory, 1, true);
        CHECK(hm_array_resize(&array, 2 * count) == HM_OK);
        CHECK(hm_array_reserve(&array, 1) == HM_ERROR_FULL);
        hm_array_fini(&array);
    }
}

/* ---- pages ---- */

TEST(array, trim_gives_the_pages_behind_the_last_item_back)
{
    for (size_t k = 0; k < test_layout_count(); k++) {
        test_layout layout = test_layout_at(k);
        size_t capacity = items_over_pages(layout);
        test_memory memory;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = describe(layout, capacity, &memory);
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        push_items(&array, layout, 0, capacity);
        const size_t counts[] = {capacity, capacity - 1, capacity / 2 + 1, capacity / 2, 1, 0};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            CHECK(hm_array_resize(&array, counts[i]) == HM_OK);
            test_memory_fail(&memory, 0, false);
            CHECK(hm_array_trim(&array) == HM_OK);
            CHECK(hm_array_trim(&array) == HM_OK);
            CHECK(memory.calls <= 1);
            check_items(&array, layout, counts[i]);
            CHECK(memory.committed_size ==
                  round_up(counts[i] * layout.item_size, layout.page_size));
            CHECK(hm_array_committed_size(&array) == memory.committed_size);
        }
        push_items(&array, layout, 0, capacity);
        check_items(&array, layout, capacity);
        hm_array_fini(&array);
        test_memory_check_released(&memory);
    }
}

TEST(array, a_commit_step_is_rounded_up_to_pages)
{
    const size_t page = 65536;
    const size_t steps[] = {1, 8, page - 1, page, page + 1, 5 * page};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        test_memory memory;
        test_memory_init(&memory, page);
        hm_array_desc desc = {.item_size = 8, .capacity = page * 2, .memory = &memory.table};
        desc.commit_step = steps[i];
        hm_array array;
        size_t step = round_up(steps[i], page);
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        CHECK(hm_array_push(&array) != NULL);
        CHECK(memory.committed_size == step);
        CHECK(hm_array_resize(&array, step / 8) == HM_OK);
        CHECK(memory.committed_size == step);
        CHECK(hm_array_push(&array) != NULL);
        CHECK(memory.committed_size == 2 * step);
        CHECK(hm_array_resize(&array, desc.capacity) == HM_OK);
        CHECK(memory.committed_size == memory.reserved_size);
        hm_array_fini(&array);
    }
}

TEST(array, a_commit_step_ends_at_the_end_of_the_reservation)
{
    const size_t steps[] = {1000 * 65536, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        test_memory memory;
        test_memory_init(&memory, 65536);
        hm_array_desc desc = {.item_size = 8, .capacity = 20000, .memory = &memory.table};
        desc.commit_step = steps[i];
        hm_array array;
        CHECK(hm_array_init(&array, &desc) == HM_OK);
        CHECK(hm_array_push(&array) != NULL);
        CHECK(memory.committed_size == memory.reserved_size);
        hm_array_fini(&array);
    }
}

TEST(array, without_a_commit_step_growing_needs_few_calls)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_array_desc desc = {.item_size = 8, .capacity = 4000000, .memory = &memory.table};
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    for (size_t i = 0; i < 4000000; i++)
        CHECK(hm_array_push(&array) != NULL);
    CHECK(memory.calls <= 32000000 / (128 << 10) + 12); /* bytes in steps, and the first few */
    hm_array_fini(&array);
}

TEST(array, without_a_commit_step_steps_are_a_quarter_from_64_to_128_kib)
{
    static const size_t kib = 1024, mib = 1024 * 1024;
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_array_desc desc = {.item_size = 1, .capacity = 64 * mib, .memory = &memory.table};
    const size_t steps[] = {64 * kib, 64 * kib,  384 * kib, 96 * kib,
                            mib,      128 * kib, 32 * mib,  128 * kib};
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    size_t committed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool to_the_byte = steps[i] >= 384 * kib;
        CHECK(hm_array_reserve(&array, to_the_byte ? steps[i] : committed + 1) == HM_OK);
        committed = to_the_byte ? steps[i] : round_up(committed + steps[i], memory.table.page_size);
        CHECK(hm_array_committed_size(&array) == committed);
    }
    hm_array_fini(&array);
}

/* ---- refused memory ---- */

/* Pushes, resizes and trims with the k-th call refused, and repeats each refused step once. Returns
 * whether there was a k-th call. */
static bool survives_refusal(test_layout layout, uint32_t k)
{
    size_t capacity = items_over_pages(layout);
    test_memory memory;
    test_memory_init(&memory, layout.page_size);
    hm_array_desc desc = describe(layout, capacity, &memory);
    desc.commit_step = 1;
    hm_array array;
    test_memory_fail(&memory, k, false);
    hm_status status = hm_array_init(&array, &desc);
    CHECK(status == (k == 1 ? HM_ERROR_MEMORY : HM_OK));
    CHECK(status == HM_OK || (is_zeroed(&array) && memory.reserved_size == 0));
    CHECK(status == HM_OK || hm_array_init(&array, &desc) == HM_OK);
    for (size_t i = 0; i < capacity; i++) {
        unsigned char *item = hm_array_push(&array);
        if (item == NULL) {
            CHECK(memory.calls == k);
            CHECK(hm_array_committed_size(&array) == memory.committed_size);
            check_items(&array, layout, i);
            item = hm_array_push(&array);
        }
        CHECK(item == hm_array_at(&array, i) && item != NULL);
        test_item_fill(item, layout.item_size, i);
    }
    for (size_t count = capacity; count > 0; count = count / 2) {
        CHECK(hm_array_resize(&array, count) == HM_OK);
        size_t committed_size = memory.committed_size;
        uint32_t calls = memory.calls;
        status = hm_array_trim(&array);
        CHECK(status == (calls < k && k <= memory.calls ? HM_ERROR_MEMORY : HM_OK));
        CHECK(status == HM_OK || hm_array_committed_size(&array) == committed_size);
        CHECK(hm_array_committed_size(&array) == memory.committed_size);
        check_items(&array, layout, count);
        CHECK(hm_array_trim(&array) == HM_OK);
    }
    status = hm_array_resize(&array, capacity);
    if (status != HM_OK) {
        CHECK(status == HM_ERROR_MEMORY && memory.calls == k);
        check_items(&array, layout, 1);
        CHECK(hm_array_resize(&array, capacity) == HM_OK);
    }
    CHECK(hm_array_count(&array) == capacity);
    hm_array_fini(&array);
    test_memory_check_released(&memory);
    return memory.calls >= k;
}

TEST(array, every_refused_call_leaves_the_array_as_it_was)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        uint32_t k = 1;
        while (survives_refusal(test_layout_at(i), k))
            k++;
        CHECK(k > 5); /* reserve, three commits, a decommit at least */
    }
}

TEST(array, full_and_refused_are_told_apart)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    hm_array_desc desc = {.item_size = 8, .capacity = 10, .memory = &memory.table};
    hm_array array;
    CHECK(hm_array_init(&array, &desc) == HM_OK);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_array_push(&array) == NULL);
    CHECK(hm_array_reserve(&array, 1) == HM_ERROR_MEMORY);
    CHECK(hm_array_resize(&array, 10) == HM_ERROR_MEMORY);
    CHECK(hm_array_reserve(&array, 11) == HM_ERROR_FULL);
    CHECK(hm_array_resize(&array, 11) == HM_ERROR_FULL);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_array_resize(&array, 10) == HM_OK);
    CHECK(hm_array_push(&array) == NULL);
    CHECK(hm_array_reserve(&array, 1) == HM_ERROR_FULL);
    hm_array_fini(&array);
}

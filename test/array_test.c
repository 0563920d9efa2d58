/* SPDX-License-Identifier: MIT */
/* array: growing in place, giving memory back, refusing; with every layout and memory failure. */
#include "support/last_error.h"
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/array.h>

#include <string.h>

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

TEST(array, init_says_memory_when_the_sizes_fit_but_the_system_has_no_room)
{
    size_t most = SIZE_MAX - hm_memory_os()->page_size + 1;
    CHECK(is_refused(&(hm_array_desc){.item_size = 1, .capacity = most}, HM_ERROR_MEMORY));
}

/* Each push may be refused once. */
TEST(array, without_a_capacity_it_moves_when_it_is_full)
{
    for (size_t i = 0; i < test_layout_count(); i++) {
        test_layout layout = test_layout_at(i);
        size_t size = layout.item_size, most = 5 * layout.page_size / size + 5, moves = 0, n;
        test_memory memory;
        hm_array array;
        test_memory_init(&memory, layout.page_size);
        hm_array_desc desc = {size, layout.item_align, 0, 0, &memory.table};
        CHECK(hm_array_init(&array, &desc) == HM_OK && memory.calls == 2);
        CHECK(hm_array_trim(&array) == HM_OK && memory.calls == 2); /* It has the least already. */
        for (n = 0; n < most; n++) {
            const void *data = hm_array_data(&array);
            test_memory_fail(&memory, (uint32_t)(1 + n % 3), false);
            void *item = hm_array_push(&array);
            CHECK(item != NULL || (test_memory_refused(&memory) && hm_array_data(&array) == data));
            test_memory_disarm(&memory);
            if (item == NULL)
                item = hm_array_push(&array);
            test_item_fill(item, size, n);
            moves += hm_array_data(&array) != data;
        }
        CHECK(moves > 0 && hm_array_resize(&array, 4 * most) == HM_OK);
        CHECK(test_bytes_are(hm_array_at(&array, most), 3 * most * size, 0));
        CHECK(hm_array_resize(&array, 3) == HM_OK && hm_array_trim(&array) == HM_OK);
        CHECK(memory.reserved_size <= 3 * layout.page_size + 4 * size);
        for (n = 0; n < 3; n++)
            CHECK(test_item_is(hm_array_at(&array, n), size, n));
        CHECK(hm_array_reserve(&array, SIZE_MAX / size) == HM_ERROR_MEMORY);
        hm_array_fini(&array);
        test_memory_check_released(&memory);
    }
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

/* ---- items: random operations, any of which may be refused, against a naive model ---- */

enum { STEPS = 150 };

typedef struct model {
    test_layout layout;
    test_memory memory;
    hm_array array;
    void *data;
    size_t capacity, count, ready; /* up to `ready` items, nothing needs memory */
    size_t commit_step, committed; /* `committed`: before this call */
} model;

/* A capacity that reaches into a third page. */
static void begin(model *m, test_layout layout, size_t commit_step)
{
    memset(m, 0, sizeof *m);
    m->layout = layout;
    m->commit_step = commit_step;
    m->capacity = 2 * layout.page_size / layout.item_size + 3;
    test_memory_init(&m->memory, layout.page_size);
    hm_array_desc desc = {.item_size = layout.item_size,
                          .item_align = layout.item_align,
                          .capacity = m->capacity,
                          .commit_step = commit_step,
                          .memory = &m->memory.table};
    CHECK(hm_array_init(&m->array, &desc) == HM_OK);
    CHECK(m->memory.calls == 1 && m->memory.committed_size == 0);
    CHECK(m->memory.reserved_size == round_up(m->capacity * layout.item_size, layout.page_size));
    m->data = hm_array_data(&m->array);
    CHECK(m->data != NULL);
}

static void check_all(const model *m)
{
    size_t size = m->layout.item_size, committed = hm_array_committed_size(&m->array);
    CHECK(hm_array_count(&m->array) == m->count && hm_array_data(&m->array) == m->data);
    CHECK(committed == m->memory.committed_size && committed % m->layout.page_size == 0);
    CHECK(committed >= m->count * size);
    for (size_t i = 0; i < m->count; i++)
        CHECK(test_item_is(hm_array_at(&m->array, i), size, i));
    CHECK(hm_array_at(&m->array, m->count) == NULL);
    CHECK(hm_array_at(&m->array, SIZE_MAX) == NULL);
}

/* What is committed now, if so many items needed more: a step, rounded up to pages, up to the end
 * of the reservation, or more if the items need it. */
static size_t expected_size(const model *m, size_t count)
{
    size_t left = m->memory.reserved_size - m->committed;
    size_t size = count * m->layout.item_size - m->committed;
    if (size < m->commit_step)
        size = left < m->commit_step ? left : m->commit_step;
    return m->committed + round_up(size, m->layout.page_size);
}

/* Whether a call that needs memory for so many items says so rightly: it asks at most once, and not
 * at all for what cannot be or is there. */
static bool is_right(const model *m, hm_status status, size_t count)
{
    CHECK(m->memory.calls <= (count <= m->capacity && count > m->ready));
    if (count > m->capacity)
        return status == HM_ERROR_FULL;
    bool is_refused = test_memory_refused(&m->memory);
    CHECK(is_refused || m->memory.calls == 0 || m->commit_step == 0 ||
          m->memory.committed_size == expected_size(m, count));
    return status == (is_refused ? HM_ERROR_MEMORY : HM_OK);
}

static void do_push(model *m)
{
    size_t size = m->layout.item_size;
    test_memory_fail(&m->memory, m->memory.fail_at, true); /* Each of several is counted. */
    m->committed = m->memory.committed_size;
    unsigned char *item = hm_array_push(&m->array);
    hm_status failure = m->count == m->capacity ? HM_ERROR_FULL : HM_ERROR_MEMORY;
    CHECK(is_right(m, item != NULL ? HM_OK : failure, m->count + 1));
    if (item == NULL)
        return;
    CHECK(item == (unsigned char *)m->data + m->count * size);
    CHECK((uintptr_t)item % m->layout.item_align == 0);
    test_item_fill(item, size, m->count++);
}

static void do_resize(model *m, size_t count)
{
    size_t size = m->layout.item_size;
    hm_status status = hm_array_resize(&m->array, count);
    CHECK(is_right(m, status, count));
    if (status != HM_OK)
        return;
    unsigned char *more = (unsigned char *)m->data + m->count * size;
    CHECK(count <= m->count || test_bytes_are(more, (count - m->count) * size, 0));
    for (; m->count < count; m->count++)
        test_item_fill(hm_array_at(&m->array, m->count), size, m->count);
    m->count = count;
}

static void do_reserve(model *m, size_t n)
{
    size_t count = n <= m->capacity ? m->count + n : SIZE_MAX;
    hm_status status = hm_array_reserve(&m->array, n);
    CHECK(is_right(m, status, count));
    if (status == HM_OK && count > m->ready)
        m->ready = count;
}

static void do_trim(model *m)
{
    size_t needed = round_up(m->count * m->layout.item_size, m->layout.page_size);
    size_t before = m->memory.committed_size;
    bool is_refused = m->memory.fail_at != 0 && before > needed;
    CHECK(hm_array_trim(&m->array) == (is_refused ? HM_ERROR_MEMORY : HM_OK));
    CHECK(m->memory.calls <= 1);
    CHECK(m->memory.committed_size == (is_refused ? before : needed));
    if (!is_refused)
        m->ready = m->count;
}

static void step(model *m, uint64_t *random)
{
    const size_t numbers[] = {0,
                              1,
                              m->capacity / 2,
                              m->capacity,
                              m->capacity + 1,
                              SIZE_MAX,
                              test_random_below(random, (uint32_t)m->capacity)};
    size_t number = numbers[test_random_below(random, sizeof numbers / sizeof *numbers)];
    uint32_t kind = test_random_below(random, 8);
    m->committed = m->memory.committed_size;
    test_memory_fail(&m->memory, test_random_below(random, 3) == 0, true);
    if (kind < 2)
        for (size_t n = number < 40 ? 1 : m->capacity / 2; n > 0; n--)
            do_push(m);
    else if (kind == 2)
        for (uint32_t n = test_random_below(random, 10); n > 0; n--) {
            CHECK(hm_array_pop(&m->array) == (m->count > 0));
            m->count -= m->count > 0;
        }
    else if (kind < 5)
        do_resize(m, number);
    else if (kind < 7)
        do_reserve(m, number);
    else
        do_trim(m);
    check_all(m);
}

TEST(array, random_operations_do_what_a_naive_model_does_with_every_layout)
{
    uint64_t random = test_seed("arrays");
    for (size_t k = 0; k < test_layout_count(); k++) {
        model m;
        test_layout layout = test_layout_at(k);
        const size_t page = layout.page_size,
                     steps[] = {0,       1, 8, page - 1, page, page + 1, 5 * page, SIZE_MAX / 2,
                                SIZE_MAX};
        begin(&m, layout, steps[test_random_below(&random, sizeof steps / sizeof *steps)]);
        for (int i = 0; i < STEPS; i++)
            step(&m, &random);
        hm_array_fini(&m.array);
        test_memory_check_released(&m.memory);
        CHECK(is_zeroed(&m.array));
        hm_array_fini(&m.array);
        CHECK(is_zeroed(&m.array));
    }
}

/* ---- pages ---- */

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

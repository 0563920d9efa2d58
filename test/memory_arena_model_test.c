/* SPDX-License-Identifier: MIT */
/* Arenas: a random test against a naive model, and one with all containers in one arena. */
#include "support/arena.h"
#include "support/index_model.h"
#include "support/layout.h"
#include "support/lists_model.h"
#include "support/map_model.h"
#include "support/memory.h"
#include "support/pool_model.h"
#include "support/secondary_model.h"
#include "support/table_model.h"
#include "support/world_model.h"

#include <stdlib.h>
#include <string.h>

/* The model: the ranges, and the value of each of their units. */

enum {
    RANGES = 40,
    MOST_UNITS = 400,
    NO_MEMORY = -1,
    GIVEN_BACK = -2 /* nor is it, and a decommit has taken the whole page */
};

typedef struct model_range {
    unsigned char *address; /* NULL: there is none */
    size_t units;
    int values[MOST_UNITS]; /* of all bytes of a unit; below 0: it is not committed */
} model_range;

typedef struct model {
    test_memory parent;
    hm_memory_arena arena;
    model_range ranges[RANGES];
    uint64_t random;
    size_t used_size;
    uint32_t count;
} model;

static void check_range(const model *m, const model_range *range)
{
    size_t size = range->units * UNIT, bits = size | HM_MEMORY_ALIGNMENT;
    CHECK((uintptr_t)range->address % (bits & (~bits + 1)) == 0);
    for (int i = 0; i < RANGES; i++) {
        const model_range *other = &m->ranges[i];
        CHECK(other == range || other->address == NULL || other->address >= range->address + size ||
              range->address >= other->address + other->units * UNIT);
    }
    for (size_t u = 0; u < range->units; u++)
        if (range->values[u] >= 0) {
            test_memory_check_committed(&m->parent, range->address + u * UNIT, UNIT);
            CHECK(test_bytes_are(range->address + u * UNIT, UNIT, (unsigned char)range->values[u]));
        }
}

static void check_all(const model *m)
{
    hm_memory_arena_stats stats = hm_memory_arena_get_stats(&m->arena);
    CHECK(stats.ranges == m->count && stats.used_size == m->used_size);
    CHECK(stats.committed_size == m->parent.committed_size);
    CHECK(stats.reserved_size == m->parent.reserved_size);
    for (int i = 0; i < RANGES; i++)
        if (m->ranges[i].address != NULL)
            check_range(m, &m->ranges[i]);
}

/* Many small ranges, and some of whole pages, which are aligned. */
static size_t random_units(model *m)
{
    uint32_t kind = test_random_below(&m->random, 8);
    if (kind == 0)
        return (size_t)64 * (1 + test_random_below(&m->random, MOST_UNITS / 64));
    return 1 + test_random_below(&m->random, kind < 6 ? 20 : MOST_UNITS);
}

static void reserve(model *m, model_range *range)
{
    range->units = random_units(m);
    range->address = m->arena.table.reserve(m->arena.table.context, range->units * UNIT);
    if (range->address == NULL)
        return;
    m->count++;
    m->used_size += range->units * UNIT;
    for (size_t u = 0; u < range->units; u++)
        range->values[u] = NO_MEMORY;
    check_range(m, range);
}

static void release(model *m, model_range *range)
{
    m->arena.table.release(m->arena.table.context, range->address, range->units * UNIT);
    range->address = NULL;
    m->count--;
    m->used_size -= range->units * UNIT;
}

static size_t page_of(const model *m, const model_range *range, size_t unit)
{
    return ((uintptr_t)range->address + unit * UNIT) / m->parent.table.page_size;
}

/* Notes the value of units that were committed or decommitted, and which pages that gives back. */
static void note(const model *m, model_range *range, size_t first, size_t end, int value)
{
    size_t before = page_of(m, range, first - 1), after = page_of(m, range, end);
    size_t begin = page_of(m, range, first), last = page_of(m, range, end - 1);
    for (size_t u = 0; u < range->units; u++) {
        size_t page = page_of(m, range, u);
        if (u >= first && u < end)
            range->values[u] =
                value != NO_MEMORY || page == before || page == after ? value : GIVEN_BACK;
        else if (page >= begin && page <= last && range->values[u] == GIVEN_BACK)
            range->values[u] = NO_MEMORY;
    }
}

/* Commits or decommits some units that are in one state. */
static void change(model *m, model_range *range)
{
    hm_memory *table = &m->arena.table;
    size_t first = test_random_below(&m->random, (uint32_t)range->units), end = first;
    size_t most = first + 1 + test_random_below(&m->random, 150);
    bool held = range->values[first] >= 0;
    while (end < range->units && end < most && (range->values[end] >= 0) == held)
        end++;
    unsigned char *address = range->address + first * UNIT;
    size_t size = (end - first) * UNIT;
    int value = NO_MEMORY;
    if (held) {
        CHECK(table->decommit(table->context, address, size));
    } else {
        if (!table->commit(table->context, address, size)) {
            CHECK(test_memory_refused(&m->parent));
            return;
        }
        CHECK(test_bytes_are(address, size, 0));
        value = (int)test_random_below(&m->random, 255) + 1;
        memset(address, value, size);
    }
    note(m, range, first, end, value);
}

/* What was given back has no memory after a trim. */
static void check_given(const model *m)
{
    for (int i = 0; i < RANGES; i++)
        for (size_t u = 0; m->ranges[i].address != NULL && u < m->ranges[i].units; u++)
            if (m->ranges[i].values[u] == GIVEN_BACK)
                test_memory_check_decommitted(&m->parent, m->ranges[i].address + u * UNIT, UNIT);
}

static void trim(model *m)
{
    hm_status status = hm_memory_arena_trim(&m->arena);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&m->parent)));
    /* Each page that is left holds a header or a part of a range: at most two for each range are
     * not full of it, and one for the block behind it. */
    size_t page = m->parent.table.page_size;
    if (status == HM_OK)
        CHECK(m->parent.committed_size - m->arena.page_count / page * page <=
              m->used_size + (3 * (size_t)m->count + 3) * page);
    if (status == HM_OK)
        check_given(m);
}

static void step(model *m)
{
    model_range *range = &m->ranges[test_random_below(&m->random, RANGES)];
    uint32_t kind = test_random_below(&m->random, 64);
    bool refuses = test_random_below(&m->random, 4) == 0;
    test_memory_fail(&m->parent, refuses ? 1 + test_random_below(&m->random, 2) : 0, true);
    if (kind == 0)
        trim(m);
    else if (range->address == NULL)
        reserve(m, range);
    else if (kind < 12)
        release(m, range);
    else
        change(m, range);
    test_memory_fail(&m->parent, 0, false);
}

static void run_model(model *m, size_t page_size, size_t size)
{
    m->count = 0;
    m->used_size = 0;
    memset(m->ranges, 0, sizeof m->ranges);
    test_memory_init_with_holes(&m->parent, page_size);
    make_arena(&m->arena, size, &m->parent.table);
    for (uint32_t i = 0; i < test_scaled(20000); i++) {
        step(m);
        if (i % 16 == 0)
            check_all(m);
    }
    check_all(m);
    for (int i = 0; i < RANGES; i++)
        if (m->ranges[i].address != NULL)
            release(m, &m->ranges[i]);
    CHECK(hm_memory_arena_trim(&m->arena) == HM_OK);
    CHECK(m->parent.committed_size <= (m->arena.page_count / page_size + 2) * page_size);
    /* All is one block again. */
    size_t most = m->arena.size - HM_MEMORY_ALIGNMENT - UNIT;
    unsigned char *whole = m->arena.table.reserve(m->arena.table.context, most / UNIT * UNIT);
    CHECK(whole != NULL);
    m->arena.table.release(m->arena.table.context, whole, most / UNIT * UNIT);
    hm_memory_arena_fini(&m->arena);
    CHECK(is_zeroed(&m->arena));
    test_memory_check_released(&m->parent);
}

TEST(memory_arena_model, does_what_a_naive_model_does)
{
    static model m;
    m.random = test_seed("arenas");
    run_model(&m, test_page_size(4096), (size_t)1 << 20);
    run_model(&m, test_page_size(65536), (size_t)1 << 20);
    run_model(&m, test_page_size(4096), (size_t)1 << 18); /* which is full now and then */
}

/* All containers in one arena, each with its own naive model, while the arena is trimmed. */

static const test_subject *const subjects[] = {
    &map_subject,       &pool_subject,  &lists_subject, &index_subject,
    &secondary_subject, &table_subject, &world_subject,
};

enum {
    CONTAINERS = sizeof subjects / sizeof *subjects,
    OPERATIONS = 20000, /* in all */
    EPISODE = 1000      /* operations in one arena */
};

static const uint64_t shared_size = UINT64_C(1) << 31; /* address space; containers reserve much */

typedef struct shared {
    test_memory parent;
    hm_memory_arena arena;
    void *states[CONTAINERS];
    uint32_t last; /* the container that the last operation ran on; CONTAINERS: all */
} shared;

static void begin_container(shared *on, uint32_t which, uint64_t random)
{
    uint32_t start[TEST_ARGUMENTS];
    for (uint32_t i = 0; i < TEST_ARGUMENTS; i++)
        start[i] = (uint32_t)test_random(&random);
    on->states[which] = subjects[which]->begin(start);
}

static void *begin_shared(const uint32_t arguments[TEST_ARGUMENTS])
{
    shared *on = calloc(1, sizeof *on);
    CHECK(on != NULL);
    test_memory_init_with_holes(&on->parent, test_page_size(4096));
    make_arena(&on->arena, (size_t)shared_size, &on->parent.table);
    test_memory_use(&on->arena.table);
    for (uint32_t which = 0; which < CONTAINERS; which++)
        begin_container(on, which, arguments[0] + which);
    on->last = CONTAINERS;
    return on;
}

static void check_shared(void *of)
{
    shared *on = of;
    for (uint32_t which = 0; which < CONTAINERS; which++)
        if (on->last == which || on->last == CONTAINERS)
            subjects[which]->check(on->states[which]);
}

static void end_shared(void *of)
{
    shared *on = of;
    for (uint32_t which = 0; which < CONTAINERS; which++)
        subjects[which]->end(on->states[which]);
    test_memory_use(NULL);
    CHECK(hm_memory_arena_get_stats(&on->arena).ranges == 0);
    hm_memory_arena_fini(&on->arena);
    test_memory_check_released(&on->parent);
    free(on);
}

/* Container, and noise that one of its operations is drawn from. */
static void run_one(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    shared *on = of;
    uint32_t which = on->last = arguments[0] % CONTAINERS;
    uint64_t random = arguments[1];
    test_script script = test_script_draw(subjects[which], arguments, 1, &random);
    const test_step *step = &script.steps[1];
    subjects[which]->operations[step->operation].run(on->states[which], step->arguments);
    free(script.steps);
}

/* Container, and noise: another one takes its place. */
static void replace(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    shared *on = of;
    uint32_t which = on->last = arguments[0] % CONTAINERS;
    subjects[which]->end(on->states[which]);
    begin_container(on, which, arguments[1]);
}

static void trim_shared(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    shared *on = of;
    (void)arguments;
    on->last = CONTAINERS;
    CHECK(hm_memory_arena_trim(&on->arena) == HM_OK);
}

static const test_operation operations[] = {
    {"run", 100, run_one},
    {"replace", 1, replace},
    {"trim", 4, trim_shared},
};
static TEST_SUBJECT(shared_subject, "arena", operations, begin_shared, check_shared, end_shared);

TEST(memory_arena_model, every_container_agrees_with_its_model_in_an_arena_that_is_trimmed)
{
    if (!test_has_addresses(2 * shared_size, "containers in a trimmed arena") ||
        test_run_given(&shared_subject))
        return;
    uint64_t random = test_seed("containers in an arena");
    for (uint32_t done = 0; done < test_scaled(OPERATIONS); done += EPISODE) {
        uint32_t start[TEST_ARGUMENTS] = {(uint32_t)test_random(&random)};
        test_run_random(&shared_subject, start, EPISODE, &random);
    }
}

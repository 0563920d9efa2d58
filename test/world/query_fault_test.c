/* SPDX-License-Identifier: MIT */
/* Refused memory: the k-th call of the memory table is refused, for every k, once and from then on.
 * Begin cannot fail, and visits all that it should; refusal_test.c has init. */
#include "support/memory.h"
#include "support/query.h"

#include <string.h>

static const size_t page_sizes[] = {4096, 16384, 65536};

enum { PAGE_SIZES = 3, ARCHETYPES = 2500 };

/* Creates an entity with each set of 12 tags, half of them with `a`. */
static void make_archetypes(scene *on)
{
    hm_component tags[12];
    for (uint32_t t = 0; t < 12; t++)
        tags[t] = make_component(&on->world, 0, HM_COMPONENT_ARCHETYPE);
    for (uint32_t i = 0; i < ARCHETYPES; i++) {
        hm_component set[13];
        uint32_t n = 0;
        for (uint32_t t = 0; t < 12; t++)
            if ((i >> t & 1) != 0)
                set[n++] = tags[t];
        set[n++] = i % 2 != 0 ? on->a : on->b;
        CHECK(!hm_handle_is_null(hm_world_create(&on->world, set, n)));
    }
}

/* Visits everything while the k-th call is refused, and again when there is memory; returns whether
 * that call was reached. */
static bool refuse(scene *on, test_memory *memory, hm_query_desc desc, uint32_t k, bool and_later)
{
    char message[256];
    hm_query query = ask(on, desc);
    CHECK(hm_world_add(&on->world, HM_NULL_HANDLE, on->a, NULL) == HM_ERROR_STALE);
    strncpy(message, hm_last_error(), sizeof message - 1);
    message[sizeof message - 1] = '\0';
    test_memory_fail(memory, k, and_later);
    CHECK(visit(&query) == ARCHETYPES / 2);
    CHECK(strcmp(message, hm_last_error()) == 0); /* Nothing has failed. */
    CHECK(visit(&query) == ARCHETYPES / 2);
    bool reached = memory->calls >= k;
    test_memory_fail(memory, 0, false);
    CHECK(visit(&query) == ARCHETYPES / 2);
    hm_query_fini(&query);
    return reached;
}

TEST(query_fault, begin_refused_memory_visits_the_same_entities)
{
    for (uint32_t i = 0; i < PAGE_SIZES; i++) {
        static scene on;
        static test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(page_sizes[i]));
        start_with(&on, &memory.table);
        make_archetypes(&on);
        const hm_query_desc of_a = {ALL(on.a)}, without_x = {ALL(on.a), NONE(on.x)};
        uint32_t k = 1;
        for (; refuse(&on, &memory, of_a, k, false); k = test_next_call(k)) {
            refuse(&on, &memory, of_a, k, true);
            refuse(&on, &memory, without_x, k, true);
        }
        CHECK(k > 1);
        finish(&on);
        test_memory_check_released(&memory);
    }
}

TEST(query_fault, a_loop_whose_list_was_refused_memory_is_not_disturbed_by_count)
{
    static scene on; /* too large for the stack */
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    start_with(&on, &memory.table);
    make_archetypes(&on);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query_loop loop;
    hm_view view;
    uint32_t visited = 0;
    test_memory_fail(&memory, 1, true);
    hm_query_begin(&query, &loop);
    test_memory_fail(&memory, 0, false);
    while (hm_query_next(&loop, &view)) {
        visited += view.count;
        if (visited % 100 == 0)
            CHECK(hm_query_count(&query) == ARCHETYPES / 2);
    }
    CHECK(visited == ARCHETYPES / 2);
    hm_query_fini(&query);
    finish(&on);
    test_memory_check_released(&memory);
}

TEST(query_fault, a_loop_requests_no_memory)
{
    scene on;
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    start_with(&on, &memory.table);
    CREATE(&on, on.a, on.x);
    hm_query query = ask(&on, (hm_query_desc){ALL(on.a, on.x)});
    CHECK(visit(&query) == 1);
    test_memory_fail(&memory, 1, true);
    CHECK(visit(&query) == 1 && memory.calls == 0);
    hm_query_fini(&query);
    finish(&on);
    test_memory_check_released(&memory);
}

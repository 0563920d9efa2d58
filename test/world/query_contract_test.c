/* SPDX-License-Identifier: MIT */
/* What a query refuses: descriptors that no query can have, NULL, and worlds that are not there. */
#include "support/last_error.h"
#include "support/memory.h"
#include "support/query.h"

#include <stdio.h>
#include <string.h>

static const hm_query zero;

/* Of a component that has no name. */
static const char *sentence(hm_component component, const char *is)
{
    static char text[100];
    snprintf(text, sizeof text, "component 0x%08x %s", (unsigned)component, is);
    return text;
}

static bool is_refused(hm_world *world, const hm_query_desc *desc)
{
    hm_query query;
    memset(&query, 0x5A, sizeof query);
    return hm_query_init(&query, world, desc) == HM_ERROR_INVALID &&
           memcmp(&query, &zero, sizeof zero) == 0;
}

TEST(query_contract, init_refuses_null)
{
    scene on;
    start(&on);
    const hm_query_desc desc = {0};
    CHECK(hm_query_init(NULL, &on.world, &desc) == HM_ERROR_INVALID);
    CHECK(says("hm_query_init: query is NULL"));
    CHECK(is_refused(NULL, &desc) && says("hm_query_init: world is NULL"));
    CHECK(is_refused(&on.world, &(hm_query_desc){.all_count = 1}));
    CHECK(says("hm_query_init: all is NULL, but its number is not 0"));
    CHECK(is_refused(&on.world, &(hm_query_desc){ALL(on.a), .none_count = 1}));
    CHECK(is_refused(&on.world, &(hm_query_desc){ALL(on.a), .any_count = 1}));
    CHECK(is_refused(&on.world, &(hm_query_desc){ALL(on.a), .optional_count = 1}));
    finish(&on);
}

TEST(query_contract, without_a_descriptor_all_entities_match)
{
    scene on;
    hm_query query;
    start(&on);
    CHECK(hm_world_create_n(&on.world, &on.a, 1, 2, NULL, NULL) == HM_OK);
    hm_handle bare = hm_world_create(&on.world, NULL, 0);
    CHECK(hm_query_init(&query, &on.world, NULL) == HM_OK && hm_query_count(&query) == 3);
    CHECK(hm_world_destroy(&on.world, bare) && hm_query_count(&query) == 2);
    hm_query_fini(&query);
    finish(&on);
}

TEST(query_contract, groups_of_any_divide_it)
{
    scene on;
    start(&on);
    const hm_component list[] = {on.a, on.b, on.x}, twice[] = {on.a, on.b, on.a};
    const uint32_t two[] = {2, 1}, empty[] = {3, 0}, large[] = {2, 2}, wraps[] = {2, UINT32_MAX};
    hm_query_desc desc = {.any = list, .any_count = 3, .any_groups = two, .any_group_count = 2};
    hm_query query = ask(&on, desc);
    hm_query_fini(&query);
    desc.any = twice; /* once in each group */
    query = ask(&on, desc);
    hm_query_fini(&query);
    desc.any = list;
    desc.any_groups = empty;
    CHECK(is_refused(&on.world, &desc));
    CHECK(says("hm_query_init: group 1 of `any` has 0 components, of 0 that are left"));
    desc.any_groups = large;
    CHECK(is_refused(&on.world, &desc));
    CHECK(says("hm_query_init: group 1 of `any` has 2 components, of 1 that are left"));
    desc.any_groups = wraps;
    CHECK(is_refused(&on.world, &desc));
    desc.any_groups = two;
    desc.any_group_count = 1;
    CHECK(is_refused(&on.world, &desc) &&
          says("hm_query_init: 1 components of `any` are in no group"));
    desc.any_groups = NULL;
    CHECK(is_refused(&on.world, &desc));
    CHECK(says("hm_query_init: any or its groups are NULL, but their number is not 0"));
    desc = (hm_query_desc){.any_groups = two, .any_group_count = 2};
    CHECK(is_refused(&on.world, &desc));
    const uint32_t one[] = {3};
    desc = (hm_query_desc){.any = twice, .any_count = 3, .any_groups = one, .any_group_count = 1};
    CHECK(is_refused(&on.world, &desc));
    finish(&on);
}

TEST(query_contract, init_refuses_lists_that_contradict_each_other)
{
    scene on;
    start(&on);
    const hm_component kinds[] = {on.a, on.tag, on.x};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hm_component c = kinds[i];
        CHECK(is_refused(&on.world, &(hm_query_desc){ALL(c, on.b, c)}));
        CHECK(is_refused(&on.world, &(hm_query_desc){NONE(c, c)}));
        CHECK(is_refused(&on.world, &(hm_query_desc){ANY(on.b, c, c)}));
        CHECK(is_refused(&on.world, &(hm_query_desc){OPTIONAL(c, c)}));
        CHECK(says(sentence(c, "is given twice")));
        CHECK(is_refused(&on.world, &(hm_query_desc){ALL(on.b, c), NONE(c)}));
        CHECK(says(sentence(c, "is in `none` and in another list of the query")));
        CHECK(is_refused(&on.world, &(hm_query_desc){ANY(on.b, c), NONE(c)}));
        CHECK(is_refused(&on.world, &(hm_query_desc){OPTIONAL(c), NONE(on.b, c)}));
        hm_query query = ask(&on, (hm_query_desc){ALL(c), ANY(c), OPTIONAL(c)});
        hm_query_fini(&query);
    }
    finish(&on);
}

TEST(query_contract, a_query_has_at_most_64_components)
{
    scene on;
    hm_component list[HM_QUERY_MAX_TERMS + 1];
    start(&on);
    for (uint32_t i = 0; i <= HM_QUERY_MAX_TERMS; i++)
        list[i] =
            make_component(&on.world, 4, i % 3 == 0 ? HM_COMPONENT_SPARSE : HM_COMPONENT_ARCHETYPE);
    hm_handle entity = hm_world_create(&on.world, list, HM_QUERY_MAX_TERMS);
    for (uint32_t i = 0; i < HM_QUERY_MAX_TERMS; i++)
        set_int(&on, entity, list[i], (int)i);
    CHECK(is_refused(&on.world, &(hm_query_desc){.all = list, .all_count = 65}));
    CHECK(says("hm_query_init: a query has at most 64 components"));
    CHECK(is_refused(
        &on.world,
        &(hm_query_desc){.all = list, .all_count = UINT32_MAX, .none = list, .none_count = 1}));
    CHECK(is_refused(&on.world, &(hm_query_desc){.any = list, .any_count = 64, ALL(on.a)}));
    hm_query most = ask(&on, (hm_query_desc){.all = list, .all_count = 64});
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&most, &loop);
    CHECK(hm_query_next(&loop, &view) && view.count == 1);
    for (int i = 0; i < HM_QUERY_MAX_TERMS; i++)
        CHECK(*(const int *)view.columns[i] == i);
    CHECK(!hm_query_next(&loop, &view));
    hm_query_fini(&most);
    finish(&on);
}

/* Calls everything on a query that matches nothing. */
static void check_matches_nothing(hm_query *query)
{
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(query, &loop);
    CHECK(!hm_query_next(&loop, &view) && view.count == 0);
    CHECK(hm_query_count(query) == 0 && hm_query_changed(&loop, 0) == 0);
    hm_query_touch(&loop, 0);
    hm_query_end(&loop);
    hm_query_loop parts[3];
    memset(parts, 0x5A, sizeof parts);
    hm_query_begin_parts(query, parts, 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(!hm_query_next(&parts[i], &view) && view.count == 0);
    hm_query_begin_parts(query, NULL, 0);
    hm_query_fini(query);
    CHECK(memcmp(query, &zero, sizeof zero) == 0);
}

TEST(query_contract, a_zeroed_query_matches_nothing)
{
    hm_query query = zero;
    check_matches_nothing(&query);
}

TEST(query_contract, a_query_of_a_zeroed_world_matches_nothing)
{
    static hm_world world;
    hm_query query;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){0}) == HM_OK);
    check_matches_nothing(&query);
    hm_component none = 0;
    CHECK(is_refused(&world, &(hm_query_desc){.all = &none, .all_count = 1}));
}

TEST(query_contract, a_query_whose_world_has_ended_matches_nothing)
{
    scene on;
    start(&on);
    CREATE(&on, on.a);
    hm_query kept = ask(&on, (hm_query_desc){ALL(on.a)});
    hm_query other = ask(&on, (hm_query_desc){ALL(on.a)});
    CHECK(visit(&kept) == 1 && visit(&other) == 1);
    finish(&on);
    check_matches_nothing(&kept);
    start(&on); /* another world at its address */
    CREATE(&on, on.a);
    check_matches_nothing(&other);
    finish(&on);
}

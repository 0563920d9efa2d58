/* SPDX-License-Identifier: MIT */
/* What a world refuses: components and sets that cannot be, and what never resolves. */
#include "support/world.h"

#include "support/last_error.h"
#include "support/memory.h"

#include <handle_map/query.h>
#include <handle_map/save.h>

#include <string.h>

static const hm_order by_key = {.key = int_key};

/* components */

static bool component_fails(hm_world *world, hm_component_desc desc, const char *sentence)
{
    return hm_world_component(world, &desc) == HM_INVALID_INDEX && says(sentence);
}

static void ignore(void *value, void *context)
{
    (void)value, (void)context;
}

static void ignore_both(void *value, const void *from, void *context)
{
    (void)value, (void)from, (void)context;
}

TEST(world_contract, a_refused_component_says_why)
{
    static const struct {
        hm_component_desc desc;
        const char *sentence;
    } cases[] = {{{.destroy = ignore}, "a tag has no values to destroy, copy or align"},
                 {{.copy = ignore_both}, "a tag has no values to destroy, copy or align"},
                 {{.align = 4}, "a tag has no values to destroy, copy or align"},
                 {{.storage = HM_COMPONENT_SPARSE}, "a sparse component has values of size 0"},
                 {{.size = 4, .storage = (hm_component_storage)2},
                  "storage 2 is neither archetype nor sparse"},
                 {{.size = 16361}, "size 16361 is above 16360: make the component sparse"},
                 {{.size = 12, .align = 8}, "size 12 is not a multiple of align 8"},
                 {{.size = 12, .align = 3}, "align 3 is not a power of two"},
                 {{.size = 8192, .align = 8192}, "align 8192 is above 4096"}};
    hm_world world = make_world((hm_world_desc){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(component_fails(&world, cases[i].desc, cases[i].sentence));
    hm_component_desc huge = {.size = SIZE_MAX, .storage = HM_COMPONENT_SPARSE};
    CHECK(hm_world_component(&world, &huge) == HM_INVALID_INDEX);
    CHECK(make_int(&world) != HM_INVALID_INDEX); /* Nothing of these was kept. */
    CHECK(world.component_count == 1 && world.sparse_count == 0);
    finish_world(&world);
}

TEST(world_contract, a_second_component_of_one_name_is_the_first_one)
{
    const char rope[] = "rope"; /* Names are compared, not their addresses. */
    const hm_component_desc desc = {.size = 8, .align = 4, .name = "rope", .destroy = ignore};
    hm_world world = make_world((hm_world_desc){.name = "stage"});
    hm_component first = make_component(&world, desc);
    hm_handle entity = hm_world_create(&world, &first, 1);
    CHECK(hm_world_component(&world, &(hm_component_desc){.size = 8, .align = 4, .name = rope}) ==
          first);
    CHECK(world.component_count == 1 && hm_world_has(&world, entity, first));
    hm_component_desc sparse = {.size = 8, .storage = HM_COMPONENT_SPARSE, .name = "knot"};
    hm_component knot = make_component(&world, sparse);
    CHECK(knot != first && hm_world_component(&world, &sparse) == knot);
    hm_component tag = make_component(&world, (hm_component_desc){.name = "tied"});
    CHECK(hm_world_component(&world, &(hm_component_desc){.name = "tied"}) == tag);
    CHECK(world.component_count == 3 && world.sparse_count == 1);
    CHECK(hm_world_save(&world, NULL, hm_sink_memory(&(hm_memory_stream){0})) == HM_OK);
    finish_world(&world);
}

TEST(world_contract, a_second_component_of_one_name_and_another_layout_is_refused)
{
    static const hm_component_desc others[] = {
        {.size = 12, .align = 4, .name = "rope"},
        {.size = 8, .align = 8, .name = "rope"},
        {.size = 8, .align = 4, .name = "rope", .storage = HM_COMPONENT_SPARSE},
        {.name = "rope"}};
    hm_world world = make_world((hm_world_desc){.name = "stage"});
    make_component(&world, (hm_component_desc){.size = 8, .align = 4, .name = "rope"});
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(component_fails(&world, others[i],
                              "hm_world_component: 'stage' has a component 'rope' of another size, "
                              "align or storage: choose another name"));
    CHECK(world.component_count == 1 && world.sparse_count == 0);
    hm_component_desc nameless = {.size = 8};
    CHECK(make_component(&world, nameless) != make_component(&world, nameless));
    finish_world(&world);
}

TEST(world_contract, a_world_has_at_most_1024_components)
{
    hm_world world = make_world((hm_world_desc){.capacity = 10});
    hm_component made[HM_WORLD_MAX_COMPONENTS];
    for (uint32_t i = 0; i < HM_WORLD_MAX_COMPONENTS; i++) {
        hm_component_desc desc = {.size = i % 3 == 0 ? 0 : i % 3};
        made[i] = make_component(&world, desc);
        CHECK(i == 0 || made[i] != made[i - 1]);
    }
    CHECK(component_fails(&world, (hm_component_desc){.size = 4},
                          "the world 'world' has 1024 components, and may have no more"));
    hm_handle entity = hm_world_create(&world, made, HM_WORLD_MAX_COMPONENTS);
    CHECK(!hm_handle_is_null(entity));
    for (uint32_t i = 0; i < HM_WORLD_MAX_COMPONENTS; i++) {
        CHECK(hm_world_has(&world, entity, made[i]));
        CHECK((hm_world_get(&world, entity, made[i]) == NULL) == (i % 3 == 0));
    }
    CHECK(hm_world_remove(&world, entity, made[1023], NULL) == HM_OK);
    CHECK(!hm_world_has(&world, entity, made[1023]) && hm_world_has(&world, entity, made[1022]));
    CHECK(hm_world_change(&world, entity, NULL, 0, made, HM_WORLD_MAX_COMPONENTS) == HM_OK);
    CHECK(!hm_world_has(&world, entity, made[0]) && hm_world_archetype_count(&world) == 2);
    finish_world(&world);
}

TEST(world_contract, components_of_another_world_are_refused)
{
    hm_world world = make_world((hm_world_desc){0}), other = make_world((hm_world_desc){0});
    hm_component ours = make_int(&world), theirs = make_int(&other), tag = make_tag(&other);
    hm_component sparse = make_sparse(&other);
    const hm_component foreign[] = {theirs, tag, sparse, ours + 1, 0, HM_INVALID_INDEX};
    hm_handle entity = make_one(&world, ours, 5);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        hm_component set[] = {ours, foreign[i]};
        CHECK(hm_handle_is_null(hm_world_create(&world, set, 2)));
        CHECK(strstr(hm_last_error(), "is no component of the world 'world'") != NULL);
        CHECK(hm_world_create_n(&world, set, 2, 3, NULL, NULL) == HM_ERROR_INVALID);
        CHECK(hm_world_add(&world, entity, foreign[i], NULL) == HM_ERROR_INVALID);
        CHECK(strstr(hm_last_error(), "is no component of the world 'world'") != NULL);
        CHECK(hm_world_remove(&world, entity, foreign[i], NULL) == HM_ERROR_INVALID);
        CHECK(hm_world_change(&world, entity, &foreign[i], 1, NULL, 0) == HM_ERROR_INVALID);
        CHECK(hm_world_change(&world, entity, NULL, 0, &foreign[i], 1) == HM_ERROR_INVALID);
        CHECK(!hm_world_has(&world, entity, foreign[i]));
        CHECK(hm_world_get(&world, entity, foreign[i]) == NULL);
        CHECK(hm_world_changed(&world, entity, foreign[i]) == 0);
        hm_world_touch(&world, entity, foreign[i]);
        hm_world_touch_all(&world, foreign[i]);
        CHECK(hm_world_defragment(&world, foreign[i], &by_key, NULL).done);
    }
    CHECK(hm_world_count(&world) == 1 && value_of(&world, entity, ours) == 5);
    finish_world(&world);
    finish_world(&other);
}

/* sets */

TEST(world_contract, a_set_with_a_component_twice_is_refused)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component speed = make_component(&world, (hm_component_desc){.size = 4, .name = "speed"});
    hm_component sparse = make_sparse(&world), tag = make_tag(&world);
    hm_component twice[] = {speed, tag, speed}, again[] = {sparse, sparse}, tags[] = {tag, tag};
    hm_handle entity = make_one(&world, speed, 3);
    CHECK(hm_handle_is_null(hm_world_create(&world, twice, 3)));
    CHECK(says("component speed is given twice"));
    CHECK(hm_world_create_n(&world, again, 2, 5, NULL, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_create_n(&world, tags, 2, 0, NULL, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_change(&world, entity, tags, 2, NULL, 0) == HM_ERROR_INVALID);
    CHECK(hm_world_change(&world, entity, NULL, 0, twice, 3) == HM_ERROR_INVALID);
    CHECK(hm_world_change(&world, entity, twice, 2, &speed, 1) == HM_ERROR_INVALID);
    CHECK(says("component speed is both added and removed"));
    CHECK(hm_world_change(&world, entity, NULL, 1, NULL, 0) == HM_ERROR_INVALID);
    CHECK(hm_world_change(&world, entity, NULL, 0, NULL, 1) == HM_ERROR_INVALID);
    CHECK(says("a set is NULL, but its number is not 0"));
    CHECK(hm_handle_is_null(hm_world_create(&world, NULL, 1)));
    CHECK(says("the set is NULL, but its number is not 0"));
    CHECK(hm_world_count(&world) == 1 && value_of(&world, entity, speed) == 3);
    CHECK(!hm_world_has(&world, entity, tag) && hm_world_archetype_count(&world) == 1);
    finish_world(&world);
}

/* The second change of a kind does not read its sets again, but sees that they are NULL. */
TEST(world_contract, a_set_that_is_null_is_refused_after_the_same_change_with_a_set)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component tag = make_tag(&world), other = make_tag(&world);
    hm_handle entities[2];
    CHECK(hm_world_create_n(&world, NULL, 0, 2, NULL, entities) == HM_OK);
    CHECK(hm_world_change(&world, entities[0], &tag, 1, NULL, 0) == HM_OK);
    CHECK(hm_world_change(&world, entities[1], NULL, 1, NULL, 0) == HM_ERROR_INVALID);
    CHECK(says("a set is NULL, but its number is not 0"));
    CHECK(!hm_world_has(&world, entities[1], tag));
    CHECK(hm_world_change(&world, entities[1], &tag, 1, NULL, 0) == HM_OK);
    CHECK(hm_world_has(&world, entities[1], tag));
    CHECK(hm_world_change(&world, entities[0], NULL, 0, &tag, 1) == HM_OK);
    CHECK(hm_world_change(&world, entities[1], NULL, 0, NULL, 1) == HM_ERROR_INVALID);
    CHECK(says("a set is NULL, but its number is not 0"));
    CHECK(hm_world_has(&world, entities[1], tag));
    CHECK(hm_world_change(&world, entities[1], NULL, 0, &tag, 1) == HM_OK);
    CHECK(!hm_world_has(&world, entities[1], tag));
    CHECK(hm_world_change(&world, entities[0], &tag, 1, &other, 1) == HM_OK);
    CHECK(hm_world_change(&world, entities[1], &tag, 1, NULL, 1) == HM_ERROR_INVALID);
    CHECK(!hm_world_has(&world, entities[1], tag));
    finish_world(&world);
}

TEST(world_contract, a_tag_has_no_values)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component tag = make_component(&world, (hm_component_desc){.name = "frozen"});
    hm_handle entity = hm_world_create(&world, NULL, 0);
    const int value = 1;
    const void *columns[] = {&value};
    CHECK(hm_world_add(&world, entity, tag, &value) == HM_ERROR_INVALID);
    CHECK(says("component frozen is a tag: it has no values"));
    CHECK(!hm_world_has(&world, entity, tag));
    CHECK(hm_handle_is_null(hm_world_create_with(&world, &tag, 1, columns)));
    CHECK(hm_world_create_n(&world, &tag, 1, 1, columns, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_add(&world, entity, tag, NULL) == HM_OK && hm_world_has(&world, entity, tag));
    CHECK(hm_world_add(&world, entity, tag, &value) == HM_ERROR_INVALID);
    CHECK(hm_world_get(&world, entity, tag) == NULL);
    CHECK(hm_world_defragment(&world, tag, &by_key, NULL).done);
    finish_world(&world);
}

TEST(world_contract, values_that_take_more_than_a_chunk_are_refused)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component most = make_component(&world, (hm_component_desc){.size = 16360});
    hm_component byte = make_component(&world, (hm_component_desc){.size = 1});
    hm_component sparse =
        make_component(&world, (hm_component_desc){.size = 100000, .storage = HM_COMPONENT_SPARSE});
    hm_component both[] = {byte, most}, all[] = {most, sparse};
    hm_handle entity = hm_world_create(&world, all, 2);
    CHECK(!hm_handle_is_null(entity));
    memset(hm_world_get(&world, entity, most), 0x7E, 16360);
    memset(hm_world_get(&world, entity, sparse), 0x7E, 100000);
    CHECK(hm_handle_is_null(hm_world_create(&world, both, 2)));
    CHECK(says("the values of an entity would take 16361 bytes, above 16360: make "
               "large components sparse"));
    CHECK(hm_world_create_n(&world, both, 2, 2, NULL, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_add(&world, entity, byte, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_change(&world, entity, &byte, 1, NULL, 0) == HM_ERROR_INVALID);
    CHECK(!hm_world_has(&world, entity, byte));
    CHECK(hm_world_change(&world, entity, &byte, 1, &most, 1) == HM_OK);
    CHECK(hm_world_has(&world, entity, byte) && !hm_world_has(&world, entity, most));
    finish_world(&world);
}

/* busy and dead */

DEATH_TEST(world_contract, clear_while_a_query_runs_panics)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_query query;
    hm_query_loop loop;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    hm_query_begin(&query, &loop);
    hm_world_clear(&world);
}

DEATH_TEST(world_contract, fini_while_a_query_runs_panics)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_query query;
    hm_query_loop loop;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    hm_query_begin(&query, &loop);
    hm_world_fini(&world);
}

/* SPDX-License-Identifier: MIT */
/* The scene graph of docs/examples: its links, its refusals, and its answers. */
#include "support/memory.h"
#include "support/test.h"

#include "scene_model.h"

#include <stdlib.h>

enum { MILLION = 1000000 };

TEST(scene, a_scene_that_gets_no_memory_is_empty_and_refuses_everything)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    bool initialised = false;
    for (uint32_t k = 1; !initialised; k++) {
        struct scene scene;
        test_memory_fail(&memory, k, false);
        initialised = scene_init(&scene, 100, &memory.table) == HM_OK;
        CHECK(is_null(scene.root) != initialised);
        CHECK(is_null(scene_create(&scene, scene.root, NULL)) != initialised);
        CHECK(scene_validate(&scene) == HM_OK);
        scene_update(&scene);
        CHECK(scene_defragment(&scene, NULL).done);
        scene_fini(&scene);
        scene_fini(&scene);
        test_memory_check_released(&memory);
    }
    CHECK(scene_init(NULL, 100, NULL) == HM_ERROR_INVALID);
}

TEST(scene, a_node_that_gets_no_memory_is_not_created_and_the_rest_stays)
{
    test_memory memory;
    struct scene scene;
    uint32_t count = 1;
    test_memory_init(&memory, 65536);
    CHECK(scene_init(&scene, 0, &memory.table) == HM_OK);
    test_memory_fail(&memory, 1, true);
    while (!is_null(scene_create(&scene, scene.root, NULL)))
        count++;
    CHECK(test_memory_refused(&memory) && scene_node_map_count(&scene.nodes) == count);
    scene_node_handle last = scene_get(&scene, scene.root)->last_child;
    CHECK(is_null(scene_create_before(&scene, last, NULL)));
    CHECK(scene_validate(&scene) == HM_OK);
    test_memory_fail(&memory, 0, false);
    CHECK(!is_null(scene_create(&scene, scene.root, NULL)));
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
    test_memory_check_released(&memory);
}

TEST(scene, random_edits_agree_with_a_naive_tree)
{
    model *m = scene_model_new("scene edits");
    uint32_t crowded = 0, full = 0;
    for (int i = 0; i < 5000; i++) {
        scene_model_edit(m);
        scene_model_check_links(m);
        scene_model_check_answers(m);
        crowded += m->scene.crowded != 0;
        full += m->count == MOST;
    }
    CHECK(m->stale_count > STALE_POOL && crowded > 100 && full > 0);
    scene_model_delete(m);
}

TEST(scene, validate_sees_wrong_labels_counts_and_lists)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    struct scene_node *first = scene_node_map_get(&scene.nodes, a);
    struct scene_node *second = scene_node_map_get(&scene.nodes, b);
    uint64_t begin = second->begin;
    second->begin = first->begin; /* It falls. */
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    second->begin = first->end; /* It is equal, but not crowded. */
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    second->is_crowded = true; /* It is not counted. */
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    scene.crowded = 1;
    CHECK(scene_validate(&scene) == HM_OK);
    scene.crowded = second->is_crowded = 0;
    second->begin = begin;
    CHECK(scene_validate(&scene) == HM_OK);
    first->is_dirty = false; /* It is listed. */
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    scene_update(&scene);
    CHECK(scene_validate(&scene) == HM_OK);
    first->is_dirty = true; /* It is not listed. */
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    scene_fini(&scene);
}

TEST(scene, validate_sees_a_node_without_parent_beside_the_root)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    struct scene_node *root = scene_node_map_get(&scene.nodes, scene.root);
    struct scene_node *stray = scene_node_map_get(&scene.nodes, a);
    root->first_child = root->last_child = scene_node_handle_null();
    root->next = a;
    stray->parent = scene_node_handle_null();
    stray->previous = scene.root;
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    scene_fini(&scene);
}

TEST(scene, validate_sees_each_kind_of_broken_link)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    scene_node_handle below = scene_create(&scene, b, NULL);
    struct scene_node *nodes = scene_node_map_items(&scene.nodes);
    scene_node_handle strays[] = {scene_node_handle_null(), scene.root, a, b, below};
    for (uint32_t n = 0; n < scene_node_map_count(&scene.nodes); n++) {
        scene_node_handle *links[] = {&nodes[n].parent, &nodes[n].first_child, &nodes[n].last_child,
                                      &nodes[n].previous, &nodes[n].next};
        for (int link = 0; link < 5; link++) {
            for (int stray = 0; stray < 5; stray++) {
                scene_node_handle right = *links[link];
                if (is_same(right, strays[stray]))
                    continue;
                *links[link] = strays[stray];
                CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
                *links[link] = right;
            }
        }
    }
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

static void check_chain(struct scene *scene, const scene_node_handle *reversed, uint32_t count)
{
    scene_update(scene);
    for (uint32_t i = 0; i < count; i++)
        CHECK(scene_get(scene, reversed[i])->world.m[3] == (float)(count - 1 - i));
}

TEST(scene, a_chain_of_a_million_nodes_neither_overflows_the_stack_nor_is_climbed_twice)
{
    uint32_t million = test_scaled(MILLION);
    struct scene scene;
    CHECK(scene_init(&scene, million, NULL) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    scene_node_handle *reversed = malloc((size_t)million * sizeof *reversed);
    CHECK(reversed != NULL);
    reversed[million - 1] = scene.root;
    for (uint32_t i = million - 1; i-- > 0;)
        reversed[i] = scene_create(&scene, reversed[i + 1], &step);
    scene_node_handle top = reversed[million - 2];
    uint32_t visits = 0; /* while labels do not tell what is below what */
    for (scene_node_handle at = scene.root; !is_null(at); at = scene_next(&scene, at))
        visits++;
    CHECK(visits == million && scene.crowded > million / 2);
    scene_node_handle end = reversed[0];
    check_chain(&scene, reversed, million);
    CHECK(scene_node_map_arrange(&scene.nodes, reversed, million, NULL).done);
    CHECK(!scene_has_parents_first(&scene));
    check_chain(&scene, reversed, million);
    CHECK(scene_defragment_all(&scene, hm_budget_of(1000, 0)) > 1);
    CHECK(scene_is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    CHECK(scene_reparent(&scene, top, end) == HM_ERROR_INVALID);
    CHECK(scene_destroy(&scene, top) == million - 1);
    CHECK(scene_get(&scene, end) == NULL);
    free(reversed);
    scene_fini(&scene);
}

TEST(scene, a_parent_of_a_million_children_takes_a_walk_an_update_and_an_order)
{
    uint32_t million = test_scaled(MILLION);
    struct scene scene;
    CHECK(scene_init(&scene, million, NULL) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    scene_node_handle top = scene_create(&scene, scene.root, &step);
    scene_node_handle child = scene_create(&scene, top, &step);
    for (uint32_t i = 3; i < million; i++)
        child = scene_create_before(&scene, child, &step);
    CHECK(is_null(scene_create(&scene, top, &step)));
    scene_update(&scene);
    uint32_t count = 0;
    for (scene_node_handle at = child; !is_null(at); at = scene_next_in(&scene, top, at))
        count += scene_get(&scene, at)->world.m[3] == 2;
    CHECK(count == million - 2);
    CHECK(scene_defragment_all(&scene, hm_budget_of(million / 10, million / 10 * 4)) > 1);
    CHECK(scene_is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    CHECK(scene_remove(&scene, top) == HM_OK);
    CHECK(scene_depth(&scene, child) == 1 && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

/* SPDX-License-Identifier: MIT */
/* The scene graph of docs/examples: its links, its refusals, and its answers. */
#include "support/memory.h"
#include "support/test.h"

#include "scene_model.h"

#include <stdlib.h>

enum { MILLION = 1000000 };

TEST(scene, children_stand_in_the_order_of_their_creation)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle first = scene_create(&scene, scene.root, NULL);
    scene_node_handle second = scene_create(&scene, scene.root, NULL);
    scene_node_handle third = scene_create(&scene, scene.root, NULL);
    const struct scene_node *root = scene_get(&scene, scene.root);
    CHECK(is_same(root->first_child, first));
    CHECK(is_same(scene_get(&scene, root->first_child)->next, second));
    CHECK(is_same(scene_get(&scene, root->last_child)->previous, second));
    CHECK(is_same(root->last_child, third));
    CHECK(is_null(scene_get(&scene, first)->previous));
    CHECK(is_null(scene_get(&scene, third)->next));
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, a_node_can_be_created_before_its_sibling)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle last = scene_create(&scene, scene.root, NULL);
    scene_node_handle first = scene_create_before(&scene, last, NULL);
    scene_node_handle middle = scene_create_before(&scene, last, NULL);
    CHECK(is_same(scene_get(&scene, scene.root)->first_child, first));
    CHECK(is_same(scene_get(&scene, first)->next, middle));
    CHECK(is_same(scene_get(&scene, middle)->next, last));
    CHECK(is_null(scene_create_before(&scene, scene.root, NULL)));
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, destroying_a_subtree_refuses_all_its_handles_and_no_others)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle before = scene_create(&scene, scene.root, NULL);
    scene_node_handle top = scene_create(&scene, scene.root, NULL);
    scene_node_handle after = scene_create(&scene, scene.root, NULL);
    scene_node_handle doomed[30];
    doomed[0] = top;
    for (int i = 1; i < 30; i++)
        doomed[i] = scene_create(&scene, doomed[i / 2], NULL);
    scene_node_handle below_after = scene_create(&scene, after, NULL);
    CHECK(scene_destroy(&scene, top) == 30);
    for (int i = 0; i < 30; i++)
        CHECK(scene_get(&scene, doomed[i]) == NULL);
    CHECK(scene_get(&scene, before) != NULL && scene_get(&scene, after) != NULL);
    CHECK(scene_get(&scene, below_after) != NULL);
    CHECK(is_same(scene_get(&scene, before)->next, after));
    CHECK(scene_destroy(&scene, top) == 0);
    CHECK(scene_destroy(&scene, scene.root) == 0);
    CHECK(scene_node_map_count(&scene.nodes) == 4);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, reparent_puts_a_subtree_last_and_refuses_cycles_and_stale_handles)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    scene_node_handle below_a = scene_create(&scene, a, NULL);
    scene_node_handle deep = scene_create(&scene, below_a, NULL);
    scene_node_handle gone = scene_create(&scene, b, NULL);
    CHECK(scene_destroy(&scene, gone) == 1);
    CHECK(scene_reparent(&scene, a, deep) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, a, a) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, scene.root, b) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, gone, b) == HM_ERROR_STALE);
    CHECK(scene_reparent(&scene, a, gone) == HM_ERROR_STALE);
    CHECK(scene_reparent(&scene, a, scene.root) == HM_OK);
    CHECK(is_same(scene_get(&scene, b)->next, a));
    CHECK(scene_reparent(&scene, below_a, b) == HM_OK);
    CHECK(is_same(scene_get(&scene, below_a)->parent, b));
    CHECK(is_null(scene_get(&scene, a)->first_child));
    CHECK(scene_reparent(&scene, a, deep) == HM_OK);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, reparent_before_puts_a_subtree_where_it_is_told_to)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    scene_node_handle below_a = scene_create(&scene, a, NULL);
    CHECK(scene_reparent_before(&scene, b, a) == HM_OK);
    CHECK(is_same(scene_get(&scene, scene.root)->first_child, b));
    CHECK(scene_reparent_before(&scene, b, below_a) == HM_OK);
    CHECK(is_same(scene_get(&scene, a)->first_child, b));
    CHECK(scene_depth(&scene, b) == 2 && scene_is_in(&scene, a, b));
    CHECK(scene_reparent_before(&scene, a, below_a) == HM_ERROR_INVALID);
    CHECK(scene_reparent_before(&scene, a, a) == HM_ERROR_INVALID);
    CHECK(scene_reparent_before(&scene, a, scene.root) == HM_ERROR_INVALID);
    CHECK(scene_reparent_before(&scene, scene.root, a) == HM_ERROR_INVALID);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, removing_a_node_puts_its_children_into_its_place)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    scene_node_handle before = scene_create(&scene, scene.root, NULL);
    scene_node_handle removed = scene_create(&scene, scene.root, &step);
    scene_node_handle after = scene_create(&scene, scene.root, NULL);
    scene_node_handle first = scene_create(&scene, removed, &step);
    scene_node_handle second = scene_create(&scene, removed, &step);
    scene_node_handle deep = scene_create(&scene, first, &step);
    CHECK(scene_remove(&scene, scene.root) == HM_ERROR_INVALID);
    CHECK(scene_remove(&scene, removed) == HM_OK);
    CHECK(scene_remove(&scene, removed) == HM_ERROR_STALE);
    CHECK(is_same(scene_get(&scene, before)->next, first));
    CHECK(is_same(scene_get(&scene, first)->next, second));
    CHECK(is_same(scene_get(&scene, second)->next, after));
    CHECK(is_same(scene_get(&scene, second)->parent, scene.root));
    scene_update(&scene);
    CHECK(scene_get(&scene, second)->world.m[3] == 1);
    CHECK(scene_get(&scene, deep)->world.m[3] == 2);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, a_walk_can_keep_to_a_subtree_and_skip_others)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle top = scene_create(&scene, scene.root, NULL);
    scene_node_handle outside = scene_create(&scene, scene.root, NULL);
    scene_node_handle first = scene_create(&scene, top, NULL);
    scene_node_handle below = scene_create(&scene, first, NULL);
    scene_node_handle second = scene_create(&scene, top, NULL);
    CHECK(is_same(scene_next_in(&scene, top, top), first));
    CHECK(is_same(scene_next_in(&scene, top, first), below));
    CHECK(is_same(scene_next_in(&scene, top, below), second));
    CHECK(is_null(scene_next_in(&scene, top, second)));
    CHECK(is_same(scene_skip_in(&scene, top, first), second));
    CHECK(is_null(scene_skip_in(&scene, top, top)));
    CHECK(is_null(scene_next_in(&scene, top, outside)));
    CHECK(is_same(scene_skip_in(&scene, first, second), outside));
    CHECK(is_same(scene_skip_in(&scene, scene.root, top), outside));
    scene_fini(&scene);
}

TEST(scene, a_handle_of_another_type_is_refused)
{
    struct scene scene;
    hm_map others;
    hm_map_desc desc = {.item_size = 1, .type_id = SCENE_NODE_TYPE_ID + 1};
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    CHECK(hm_map_init(&others, &desc) == HM_OK);
    scene_node_handle foreign = {hm_map_insert(&others, NULL)};
    struct scene_transform world;
    CHECK(scene_get(&scene, foreign) == NULL);
    CHECK(is_null(scene_create(&scene, foreign, NULL)));
    CHECK(is_null(scene_create_before(&scene, foreign, NULL)));
    CHECK(scene_destroy(&scene, foreign) == 0);
    CHECK(scene_remove(&scene, foreign) == HM_ERROR_STALE);
    CHECK(scene_reparent(&scene, foreign, scene.root) == HM_ERROR_STALE);
    CHECK(scene_reparent_before(&scene, foreign, scene.root) == HM_ERROR_STALE);
    CHECK(!scene_world_of(&scene, foreign, &world) && !scene_set_local(&scene, foreign, NULL));
    CHECK(scene_validate(&scene) == HM_OK);
    hm_map_fini(&others);
    scene_fini(&scene);
}

TEST(scene, a_full_scene_refuses_a_node_and_stays_as_it_is)
{
    struct scene scene;
    CHECK(scene_init(&scene, 3, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    CHECK(is_null(scene_create(&scene, a, NULL)));
    CHECK(is_null(scene_create_before(&scene, b, NULL)));
    CHECK(is_null(scene_get(&scene, a)->first_child));
    CHECK(is_same(scene_get(&scene, a)->next, b));
    CHECK(scene_validate(&scene) == HM_OK);
    CHECK(scene_destroy(&scene, b) == 1);
    CHECK(!is_null(scene_create(&scene, a, NULL)));
    scene_fini(&scene);
}

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
    uint32_t crowded = 0;
    for (int i = 0; i < 5000; i++) {
        scene_model_edit(m);
        scene_model_check_links(m);
        scene_model_check_answers(m);
        crowded += m->scene.crowded != 0;
    }
    CHECK(m->stale_count > STALE_POOL && crowded > 100);
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

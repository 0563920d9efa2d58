/* SPDX-License-Identifier: MIT */
/* The scene graph's transforms: what an update computes, and how much. */
#include "support/memory.h"
#include "support/test.h"

#include "scene_model.h"

#include <stdlib.h>

TEST(scene_update, an_update_computes_what_a_naive_recursion_computes)
{
    model *m = scene_model_new("scene update");
    const uint32_t rounds = test_scale() < 10 ? 2000 : 400;
    for (uint32_t i = 0; i < rounds; i++) {
        for (uint32_t edits = 0; edits < 1 + i % 20; edits++)
            scene_model_edit(m);
        scene_model_check_update(m);
    }
    scene_model_delete(m);
}

TEST(scene_update, an_update_is_right_wherever_the_nodes_lie)
{
    model *m = scene_model_new("scene shuffled");
    uint32_t late = 0;
    m->scene.passes = UINT32_MAX - 1; /* The count of updates wraps in the first round. */
    scene_model_check_update(m);
    for (int edits = 0; edits < 400; edits++)
        scene_model_edit(m);
    for (int i = 0; i < 200; i++) {
        hm_handle shuffled[2 * MOST];
        for (int edits = 0; edits < 20; edits++)
            scene_model_edit(m);
        for (uint32_t n = 0; n < 2 * MOST; n++)
            shuffled[n] = m->nodes[scene_model_any(m)].handle.id;
        CHECK(hm_map_arrange(&m->scene.nodes.map, shuffled, 2 * MOST, NULL).done);
        late += !scene_has_parents_first(&m->scene);
        scene_model_check_update(m);
    }
    CHECK(late > 100);
    scene_model_delete(m);
}

enum { WIDTH = 10, HEIGHT = 4, TREE = 11111 }; /* a tree in which all but leaves have 10 children */

/* Creates it level by level, so nodes[10 i + 1] is the first child of nodes[i]. */
static void make_tree(struct scene *scene, scene_node_handle *nodes)
{
    CHECK(scene_init(scene, 0, NULL) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    nodes[0] = scene->root;
    for (uint32_t i = 1; i < TREE; i++)
        nodes[i] = scene_create(scene, nodes[(i - 1) / WIDTH], &step);
    scene_update(scene);
    CHECK(scene->visited == TREE);
    CHECK(scene_get(scene, nodes[TREE - 1])->world.m[3] == (float)HEIGHT);
}

TEST(scene_update, an_update_visits_only_what_is_below_the_topmost_changes)
{
    struct scene scene;
    static scene_node_handle nodes[TREE];
    struct scene_transform far = scene_transform_translation(100, 0, 0);
    make_tree(&scene, nodes);
    scene_update(&scene);
    CHECK(scene.visited == 0);
    CHECK(scene_set_local(&scene, nodes[TREE - 1], &far));
    scene_update(&scene);
    CHECK(scene.visited <= 1 + HEIGHT);
    CHECK(scene_get(&scene, nodes[TREE - 1])->world.m[3] == 103);
    /* The inner changes come first and last, and are computed with the outer one. */
    CHECK(scene_set_local(&scene, nodes[1111], &far));
    CHECK(scene_set_local(&scene, nodes[11], &far));
    CHECK(scene_set_local(&scene, nodes[111], &far));
    scene_update(&scene);
    CHECK(scene.visited <= 111 + 3); /* and one visit that each change takes at least */
    CHECK(scene_get(&scene, nodes[1111])->world.m[3] == 301);
    CHECK(scene_get(&scene, nodes[1112])->world.m[3] == 202);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene_update, too_many_changes_and_a_change_of_the_root_lead_to_a_full_pass)
{
    struct scene scene;
    static scene_node_handle nodes[TREE];
    struct scene_transform far = scene_transform_translation(100, 0, 0);
    make_tree(&scene, nodes);
    CHECK(scene_set_local(&scene, scene.root, &far));
    scene_update(&scene);
    CHECK(scene.visited == TREE && scene_get(&scene, nodes[TREE - 1])->world.m[3] == 104);
    for (uint32_t i = TREE / 2; i < TREE; i++)
        CHECK(scene_set_local(&scene, nodes[i], &far));
    scene_update(&scene);
    CHECK(scene.visited == TREE && scene_get(&scene, nodes[TREE - 1])->world.m[3] == 203);
    scene_fini(&scene);
}

/* Ten changes have all nodes below them: an update finds out only by visiting some. */
TEST(scene_update, an_update_does_not_try_in_vain_each_time)
{
    enum { ROUNDS = 200 };
    struct scene scene;
    static scene_node_handle nodes[TREE];
    uint64_t visited = 0;
    make_tree(&scene, nodes);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct scene_transform step = scene_transform_translation((float)round, 0, 0);
        for (uint32_t i = 1; i <= WIDTH; i++)
            CHECK(scene_set_local(&scene, nodes[i], &step));
        scene_update(&scene);
        CHECK(scene.visited <= TREE + TREE / 8 + 1);
        CHECK(scene_get(&scene, nodes[TREE - 1])->world.m[3] == (float)(round + 3));
        visited += scene.visited;
    }
    CHECK(visited <= (uint64_t)ROUNDS * TREE + 9 * (TREE / 8 + 1));
    uint32_t full = 0;
    do {
        CHECK(scene_set_local(&scene, nodes[TREE - 1], NULL));
        scene_update(&scene);
        full++;
    } while (scene.visited >= TREE);
    CHECK(full <= 64);
    /* It has forgotten how often it failed. */
    for (uint32_t i = 1; i <= WIDTH; i++)
        CHECK(scene_set_local(&scene, nodes[i], NULL));
    scene_update(&scene);
    for (full = 0; full == 0 || scene.visited >= TREE; full++) {
        CHECK(scene_set_local(&scene, nodes[TREE - 1], NULL));
        scene_update(&scene);
    }
    CHECK(full == 2);
    scene_fini(&scene);
}

TEST(scene_update, a_list_of_changes_that_gets_no_memory_leads_to_a_full_pass)
{
    test_memory memory;
    struct scene scene;
    test_memory_init(&memory, 65536);
    CHECK(scene_init(&scene, 0, &memory.table) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    scene_node_handle a = scene_create(&scene, scene.root, &step);
    scene_update(&scene);
    hm_array_trim(&scene.dirty);
    test_memory_fail(&memory, 1, true);
    scene_node_handle b = scene_create(&scene, a, &step);
    CHECK(!is_null(b) && scene_set_local(&scene, a, &step));
    CHECK(test_memory_refused(&memory));
    scene_update(&scene);
    CHECK(scene_get(&scene, b)->world.m[3] == 2);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
    test_memory_check_released(&memory);
}

TEST(scene_update, a_world_transform_is_right_before_the_update_too)
{
    model *m = scene_model_new("scene worlds");
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 64 == 0)
            scene_update(&m->scene);
        scene_model_edit(m);
        scene_model_check_answers(m);
    }
    scene_model_delete(m);
}

static bool is_near(float a, float b)
{
    return a - b < 1e-5F && b - a < 1e-5F;
}

TEST(scene_update, a_transform_scales_then_rotates_then_translates)
{
    const float move[3] = {10, 20, 30};
    const float quarter_about_z[4] = {0, 0, 3, 3}; /* any length */
    const float scale[3] = {2, 3, 4};
    struct scene_transform t = scene_transform_compose(move, quarter_about_z, scale);
    const float expected[12] = {0, -3, 0, 10, 2, 0, 0, 20, 0, 0, 4, 30};
    for (int i = 0; i < 12; i++)
        CHECK(is_near(t.m[i], expected[i]));
    const float no_turn[4] = {0, 0, 0, 0};
    t = scene_transform_compose(move, no_turn, scale);
    const float straight[12] = {2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 4, 30};
    for (int i = 0; i < 12; i++)
        CHECK(is_near(t.m[i], straight[i]));
    /* (1, 2, 3) by a half turn about x is (1, -2, -3). */
    const float half_about_x[4] = {1, 0, 0, 0};
    const float ones[3] = {1, 1, 1};
    const float nowhere[3] = {0, 0, 0};
    struct scene_transform point = scene_transform_translation(1, 2, 3);
    t = scene_transform_compose(nowhere, half_about_x, ones);
    t = scene_transform_multiply(&t, &point);
    CHECK(is_near(t.m[3], 1) && is_near(t.m[7], -2) && is_near(t.m[11], -3));
}

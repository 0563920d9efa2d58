/* SPDX-License-Identifier: MIT */
/* The scene graph's order in memory: budgets, rounds, and labels that run out. */
#include "support/memory.h"
#include "support/test.h"

#include "scene_model.h"

#include <stdlib.h>

static const hm_budget no_limit = {0};

TEST(scene_order, defragmentation_keeps_to_its_budget_and_ends_in_order_that_costs_nothing_again)
{
    static const hm_budget budgets[] = {
        {1, 0, false}, {37, 0, false}, {0, 5, false}, {13, 2, false}, {0, 0, false}};
    model *m = scene_model_new("scene order");
    for (int i = 0; i < 100; i++) {
        for (int edits = 0; edits < 50; edits++)
            scene_model_edit(m);
        scene_defragment_all(&m->scene, budgets[i % 5]);
        CHECK(scene_is_in_order(&m->scene) && scene_has_parents_first(&m->scene));
        scene_model_check_links(m);
        scene_update(&m->scene);
        hm_progress progress = scene_defragment(&m->scene, NULL);
        CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    }
    scene_model_delete(m);
}

/* Gives the nodes labels without gaps, so that there are none for new ones. Not while labels are
 * renumbered or some are equal. */
static void squeeze(struct scene *scene)
{
    uint64_t label = scene->base;
    for (scene_node_handle at = scene->root; !is_null(at);) {
        struct scene_node *node = scene_node_map_get(&scene->nodes, at);
        node->begin = label++;
        at = node->first_child;
        while (is_null(at) && node != NULL) {
            node->end = label++;
            at = node->next;
            node = scene_node_map_get(&scene->nodes, node->parent);
        }
    }
}

/* The order of calls is random, so that nodes are destroyed, moved and renumbered while a
 * defragmentation is in progress. */
TEST(scene_order, edits_while_the_order_is_on_its_way_spoil_neither_it_nor_the_updates)
{
    model *m = scene_model_new("scene order among edits");
    uint32_t done = 0;
    uint32_t late = 0;
    const uint32_t rounds = test_scale() < 10 ? 50000 : 10000;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t dice = test_random_below(&m->random, 10);
        if (i % 64 == 0 && is_null(m->scene.numbering.next.node) && m->scene.crowded == 0)
            squeeze(&m->scene);
        if (dice == 0) {
            scene_model_edit(m);
        } else if (dice == 1) {
            late += !scene_has_parents_first(&m->scene);
            scene_model_check_update(m);
        } else {
            hm_budget budget = hm_budget_of(1 + test_random_below(&m->random, 100),
                                            test_random_below(&m->random, 100));
            hm_progress progress = scene_defragment(&m->scene, ONCE(budget));
            CHECK(progress.swaps <= budget.max_swaps);
            CHECK(budget.max_compares == 0 || progress.compares <= budget.max_compares);
            CHECK(!progress.done || scene_is_in_order(&m->scene));
            done += progress.done;
        }
    }
    CHECK(done > rounds / 500 && late > rounds / 500);
    scene_model_check_links(m);
    scene_model_delete(m);
}

/* A scene whose root has `count` children, in order. */
static void make_flat(struct scene *scene, uint32_t count)
{
    CHECK(scene_init(scene, 0, NULL) == HM_OK);
    for (uint32_t i = 0; i < count; i++)
        CHECK(!is_null(scene_create(scene, scene->root, NULL)));
    CHECK(scene_defragment(scene, NULL).done);
}

TEST(scene_order, a_few_changes_wait_until_they_are_worth_the_swaps_of_the_last_round)
{
    struct scene scene;
    make_flat(&scene, 999);
    scene_node_handle sibling = scene_get(&scene, scene.root)->first_child;
    CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
    hm_progress first = scene_defragment(&scene, NULL);
    CHECK(first.done && first.swaps >= 999);
    for (uint64_t changes = 1; 16 * changes < first.swaps; changes++) {
        CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
        hm_progress progress = scene_defragment(&scene, NULL);
        CHECK(!progress.done && progress.swaps == 0 && progress.compares == 0);
    }
    CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
    CHECK(scene_defragment(&scene, NULL).done);
    CHECK(scene_is_in_order(&scene));
    scene_fini(&scene);
}

TEST(scene_order, a_change_waits_no_longer_than_until_a_call_without_another)
{
    struct scene scene;
    make_flat(&scene, 999);
    scene_node_handle sibling = scene_get(&scene, scene.root)->first_child;
    for (int i = 0; i < 10; i++) {
        CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
        CHECK(scene_defragment(&scene, NULL).done == (i == 0));
    }
    CHECK(scene_defragment(&scene, NULL).done);
    CHECK(scene_is_in_order(&scene));
    scene_fini(&scene);
}

/* The scene changes during the dozen frames that a round takes, so that it is never done. */
TEST(scene_order, a_scene_that_never_rests_costs_at_most_16_swaps_for_each_change)
{
    enum { NODES = 999, FRAMES = 2000 };
    struct scene scene;
    uint64_t random = test_seed("scene without rest");
    uint64_t swaps = 0;
    make_flat(&scene, NODES);
    for (int frame = 0; frame < FRAMES; frame++) {
        uint32_t doomed = 1 + test_random_below(&random, NODES);
        uint32_t before = 1 + test_random_below(&random, NODES - 1);
        CHECK(scene_destroy(&scene, scene_node_map_handle_at(&scene.nodes, doomed)) == 1);
        scene_create_before(&scene, scene_node_map_handle_at(&scene.nodes, before), NULL);
        swaps += scene_defragment(&scene, BUDGET(80, 0)).swaps;
    }
    CHECK(swaps > NODES && swaps <= 16 * 2 * FRAMES + NODES + 80);
    scene_defragment_all(&scene, no_limit);
    CHECK(scene_is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene_order, a_node_that_passes_a_thousand_others_is_not_compared_with_all_of_them)
{
    struct scene scene;
    make_flat(&scene, 1000);
    scene_node_handle first = scene_get(&scene, scene.root)->first_child;
    scene_node_handle last = scene_get(&scene, scene.root)->last_child;
    CHECK(scene_reparent(&scene, last, first) == HM_OK);
    hm_progress progress = scene_defragment(&scene, NULL);
    CHECK(progress.done && progress.compares < 100);
    CHECK(scene_is_in_order(&scene));
    scene_fini(&scene);
}

TEST(scene_order, without_memory_to_order_with_the_nodes_wait_for_it)
{
    test_memory memory;
    struct scene scene;
    scene_node_handle nodes[200];
    test_memory_init(&memory, 65536);
    CHECK(scene_init(&scene, 0, &memory.table) == HM_OK);
    nodes[0] = scene.root;
    for (uint32_t i = 1; i < 200; i++)
        nodes[i] = scene_create(&scene, nodes[i * 7 % 200 % i], NULL);
    test_memory_fail(&memory, 1, true);
    scene_update(&scene);
    CHECK(!scene_is_in_order(&scene));
    test_memory_follow(&memory, scene_defragment(&scene, BUDGET(100, 0)));
    CHECK(memory.fail_at == 0 && !scene_is_in_order(&scene));
    scene_defragment_all(&scene, hm_budget_of(100, 0));
    CHECK(scene_is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
    test_memory_check_released(&memory);
}

/* A chain whose labels have run out. */
static void make_crowded(struct scene *scene, uint32_t count)
{
    CHECK(scene_init(scene, 0, NULL) == HM_OK);
    scene_node_handle node = scene->root;
    for (uint32_t i = 1; i < count; i++)
        node = scene_create(scene, node, NULL);
    CHECK(scene->crowded > count - 100);
}

/* Copies all labels in memory order, and returns how many differ from those copied before. */
static uint32_t copy_labels(const struct scene *scene, uint64_t *labels)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < scene_node_map_count(&scene->nodes); i++) {
        changed += labels[2 * i] != nodes[i].begin;
        changed += labels[2 * i + 1] != nodes[i].end;
        labels[2 * i] = nodes[i].begin;
        labels[2 * i + 1] = nodes[i].end;
    }
    return changed;
}

TEST(scene_order, a_call_renumbers_no_more_labels_than_its_budget_allows)
{
    enum { NODES = 5000 };
    static const hm_budget budgets[] = {
        {1, 1, false}, {1, 2, false}, {40, 40, false}, {300, 0, false}, {100, 1000, false}};
    static uint64_t labels[2 * NODES];
    for (int i = 0; i < 5; i++) {
        struct scene scene;
        make_crowded(&scene, NODES);
        copy_labels(&scene, labels);
        uint32_t most = budgets[i].max_compares != 0 ? budgets[i].max_compares : 300;
        uint32_t renumbered = 0;
        while (scene.crowded != 0) { /* A chain is in order, so no node moves. */
            hm_progress progress = scene_defragment(&scene, ONCE(budgets[i]));
            uint32_t changed = copy_labels(&scene, labels);
            CHECK(progress.swaps == 0 && changed <= most);
            CHECK(budgets[i].max_compares == 0 || progress.compares <= most);
            renumbered += changed;
        }
        CHECK(renumbered >= NODES && scene_validate(&scene) == HM_OK);
        scene_fini(&scene);
    }
}

TEST(scene_order, edits_while_labels_are_renumbered_keep_them_in_the_order_of_the_walk)
{
    model *m = scene_model_new("scene labels");
    uint32_t renumberings = 0;
    for (uint32_t i = 0; i < test_scaled(60000); i++) {
        bool was_idle = is_null(m->scene.numbering.next.node);
        if (was_idle && m->scene.crowded == 0 && i % 8 == 0)
            squeeze(&m->scene);
        if (i % 4 == 0)
            scene_model_edit(m);
        else
            scene_defragment(&m->scene, BUDGET(20, 1 + test_random_below(&m->random, 60)));
        CHECK(scene_validate(&m->scene) == HM_OK);
        renumberings += was_idle && !is_null(m->scene.numbering.next.node);
    }
    CHECK(renumberings >
          test_scaled(20)); /* The base has wrapped around, which it does at every fourth. */
    scene_defragment_all(&m->scene, no_limit);
    CHECK(m->scene.crowded == 0 && scene_is_in_order(&m->scene));
    scene_model_delete(m);
}

static void check_steps(struct scene *scene)
{
    while (!scene_defragment(scene, BUDGET(1, 1)).done)
        CHECK(scene_validate(scene) == HM_OK);
    CHECK(scene_is_in_order(scene));
}

/* Each of them comes nearer to the label that was given last. */
TEST(scene_order, nodes_that_are_created_right_before_what_is_numbered_next_fit_in)
{
    struct scene scene;
    make_crowded(&scene, 100);
    for (int i = 0; i < 30; i++)
        scene_defragment(&scene, BUDGET(1, 1));
    scene_node_handle before = scene.numbering.next.node;
    CHECK(!is_null(before) && !scene.numbering.next.is_end);
    for (int i = 0; i < 100; i++) {
        before = scene_create_before(&scene, before, NULL);
        CHECK(is_same(scene.numbering.next.node, before) && !scene.numbering.next.is_end);
        CHECK(scene_validate(&scene) == HM_OK);
    }
    check_steps(&scene);
    scene_fini(&scene);
}

TEST(scene_order, a_scene_that_grows_tenfold_while_it_is_numbered_does_not_run_out_of_labels)
{
    struct scene scene;
    make_crowded(&scene, 100);
    for (uint32_t count = 100; count < 100000; count *= 10) {
        scene_defragment(&scene, BUDGET(1, 1));
        CHECK(!is_null(scene.numbering.next.node));
        for (uint32_t i = 0; i < 9 * count; i++)
            CHECK(!is_null(scene_create(&scene, scene.root, NULL)));
        while (!is_null(scene.numbering.next.node))
            scene_defragment(&scene, BUDGET(1000, 1000));
        CHECK(scene_validate(&scene) == HM_OK && scene.crowded != 0);
    }
    scene_defragment_all(&scene, no_limit);
    CHECK(scene_is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene_order, the_creation_of_a_node_touches_no_label_of_another)
{
    enum { NODES = 3000 };
    static uint64_t labels[2 * NODES];
    struct scene scene;
    uint64_t random = test_seed("scene creation");
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    while (scene_node_map_count(&scene.nodes) < NODES) {
        uint32_t count = scene_node_map_count(&scene.nodes);
        copy_labels(&scene, labels);
        uint32_t near = count - 1 - test_random_below(&random, count < 3 ? count : 3);
        scene_node_handle handle = scene_node_map_handle_at(&scene.nodes, near);
        CHECK(!is_null(scene_create(&scene, handle, NULL)));
        CHECK(copy_labels(&scene, labels) <= 2);
    }
    CHECK(scene.crowded != 0);
    scene_fini(&scene);
}

TEST(scene_order, a_budget_from_a_time_follows_what_calls_took)
{
    struct scene_pace pace = {0};
    hm_budget first = scene_pace_budget(&pace, 1);
    CHECK(first.max_swaps > 0 && first.max_compares > 0);
    for (int i = 0; i < 100; i++) /* 10,000 steps a ms */
        scene_pace_add(&pace, (hm_progress){3000, 2000, false, HM_OK}, 0.5);
    hm_budget budget = scene_pace_budget(&pace, 2);
    CHECK(budget.max_swaps + budget.max_compares > 19000);
    CHECK(budget.max_swaps > 11900 && budget.max_swaps <= 12000); /* as they were used */
    CHECK(budget.max_swaps + budget.max_compares <= 20000);
    for (int i = 0; i < 100; i++) /* a tenth of that */
        scene_pace_add(&pace, (hm_progress){300, 200, false, HM_OK}, 0.5);
    budget = scene_pace_budget(&pace, 2);
    CHECK(budget.max_swaps + budget.max_compares <= 2001);
    for (int i = 0; i < 100; i++) /* No limit dwindles away. */
        scene_pace_add(&pace, (hm_progress){0, 1000, false, HM_OK}, 1);
    CHECK(scene_pace_budget(&pace, 8).max_swaps == 1000);
    CHECK(scene_pace_budget(&pace, 0).max_swaps == 1); /* 0 would be no limit */
    CHECK(scene_pace_budget(&pace, 1e300).max_compares == UINT32_MAX);
}

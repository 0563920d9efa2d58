/* SPDX-License-Identifier: MIT */
/* The scene graph of docs/examples beside a naive tree: its links and answers, the transforms that
 * an update computes, the order in memory, and a file. */
#include "support/test.h"

#include "save/saves.h"
#include "scene_model.h"

#include <string.h>

TEST(scene, random_edits_agree_with_a_naive_tree)
{
    model *m = scene_model_new("scene edits");
    uint32_t crowded = 0, full = 0;
    for (int i = 0; i < 5000; i++) {
        scene_model_edit(m);
        scene_model_check_links(m);
        scene_model_check_answers(m);
        if (i % 8 == 0)
            scene_model_check_update(m);
        crowded += m->scene.crowded != 0;
        full += m->count == MOST;
    }
    CHECK(m->stale_count > STALE_POOL && crowded > 100 && full > 0);
    scene_model_delete(m);
}

TEST(scene, defragmentation_keeps_to_its_budget_and_ends_in_order_that_costs_nothing_again)
{
    static const hm_frame_budget budgets[] = {{1, HM_NO_LIMIT, false},
                                              {37, HM_NO_LIMIT, false},
                                              {HM_NO_LIMIT, 5, false},
                                              {13, 2, false},
                                              {HM_NO_LIMIT, HM_NO_LIMIT, false}};
    model *m = scene_model_new("scene order");
    for (int i = 0; i < 100; i++) {
        for (int edits = 0; edits < 50; edits++)
            scene_model_edit(m);
        hm_frame_budget spent = {100, 0, false};
        CHECK(scene_defragment(&m->scene, &spent).compares == 0 && spent.compares_left == 0);
        scene_defragment_all(&m->scene, budgets[i % 5]);
        CHECK(scene_is_in_order(&m->scene) && scene_has_parents_first(&m->scene));
        scene_model_check_links(m);
        scene_update(&m->scene);
        hm_progress progress = scene_defragment(&m->scene, NULL);
        CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    }
    scene_model_delete(m);
}

static void save_to(const struct scene *scene, test_file *file)
{
    CHECK(scene_save(scene, test_sink(file)) == HM_OK);
}

static hm_status load_from(struct scene *scene, test_file *file)
{
    return scene_load(scene, MOST, NULL, test_source(file));
}

TEST(scene, a_loaded_scene_has_the_same_handles_and_goes_on_alike)
{
    model *m = scene_model_new("scene saves");
    for (uint32_t i = 0; i < test_scaled(100); i++) {
        test_file file = {0}, again = {0};
        struct scene before;
        for (uint32_t k = test_random_below(&m->random, 200); k > 0; k--)
            scene_model_edit(m);
        save_to(&m->scene, &file);
        CHECK(load_from(&before, &file) == HM_OK);
        scene_fini(&m->scene);
        CHECK(load_from(&m->scene, &file) == HM_OK);
        save_to(&m->scene, &again);
        CHECK(again.size == file.size && memcmp(again.bytes, file.bytes, file.size) == 0);
        scene_model_check_links(m);
        scene_model_check_answers(m);
        scene_model_check_update(m);
        scene_node_handle next = scene_create(&m->scene, m->scene.root, NULL);
        CHECK(is_same(scene_create(&before, before.root, NULL), next));
        CHECK(scene_destroy(&m->scene, next) == (m->count < MOST));
        scene_fini(&before);
        test_file_end(&file);
        test_file_end(&again);
    }
    scene_model_delete(m);
}

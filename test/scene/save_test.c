/* SPDX-License-Identifier: MIT */
/* The scene graph of docs/examples: saving and loading. */
#include "support/memory.h"
#include "support/test.h"

#include "save/saves.h"
#include "scene_model.h"

static void save_to(const struct scene *scene, test_file *file)
{
    CHECK(scene_save(scene, test_sink(file)) == HM_OK);
}

static hm_status load_from(struct scene *scene, test_file *file)
{
    return scene_load(scene, MOST, NULL, test_source(file));
}

TEST(scene_save, a_loaded_scene_has_the_same_handles_and_goes_on_alike)
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

/* The checksums are made right again, so that it is the tree that is refused. */
TEST(scene_save, a_file_with_any_other_links_is_refused_or_is_a_tree)
{
    model *m = scene_model_new("forged scenes");
    test_file file = {0}, forged = {0};
    uint32_t refused = 0;
    for (int i = 0; i < 60; i++)
        scene_model_edit(m);
    save_to(&m->scene, &file);
    for (uint32_t i = 0; i < test_scaled(5000); i++) {
        struct scene scene;
        size_t from = 90 + test_random_below(&m->random, (uint32_t)file.size - 100);
        size_t to = 90 + test_random_below(&m->random, (uint32_t)file.size - 100);
        forged.size = 0;
        test_sink(&forged).write(&forged, file.bytes, file.size);
        memcpy(forged.bytes + to, file.bytes + from, 8);
        test_file_seal(&forged);
        hm_status status = load_from(&scene, &forged);
        CHECK(status == HM_OK || status == HM_ERROR_CORRUPT);
        CHECK((status != HM_OK) == is_null(scene.root));
        CHECK(scene_validate(&scene) == HM_OK);
        refused += status != HM_OK;
        scene_fini(&scene);
    }
    CHECK(refused > 0);
    test_file_end(&file);
    test_file_end(&forged);
    scene_model_delete(m);
}

TEST(scene_save, a_load_that_gets_no_memory_or_no_room_leaves_an_empty_scene)
{
    model *m = scene_model_new("refused scenes");
    test_memory memory;
    test_file file = {0};
    struct scene scene;
    for (int i = 0; i < 500; i++)
        scene_model_edit(m);
    save_to(&m->scene, &file);
    CHECK(scene_load(NULL, 0, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(scene_load(&scene, m->count - 1, NULL, test_source(&file)) == HM_ERROR_FULL);
    CHECK(is_null(scene.root) && scene_validate(&scene) == HM_OK);
    test_memory_init(&memory, 65536);
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k++) {
        test_memory_fail(&memory, k, false);
        file.position = 0;
        status = scene_load(&scene, MOST, &memory.table, test_source(&file));
        CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
        CHECK((status != HM_OK) == is_null(scene.root));
        scene_fini(&scene);
        test_memory_check_released(&memory);
    }
    test_file_end(&file);
    scene_model_delete(m);
}

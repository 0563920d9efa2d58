/* SPDX-License-Identifier: MIT */
/* The demo's models. See demo_models.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_models.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096, MADE_UP_MODELS = 4 };

static const float LARGEST_STEP = 8; /* from a node to its child, in a fitted model */

/* Of Debian's package assimp-testmodels: one for each of eight formats. */
static const char *const known_good[] = {
    "glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb",
    "Collada/anims_with_full_rotations_between_keys.DAE",
    "FBX/animation_with_skeleton.fbx",
    "FBX/spider.fbx",
    "BLEND/CubeHierarchy_248.blend",
    "BVH/01_01.bvh",
    "IFC/AC14-FZK-Haus.ifc",
    "X/Testwuson.X",
};

/* Fitting */

static float largest_step(const struct model *model)
{
    float largest = 0;
    for (uint32_t i = 0; i < model_count(model); i++)
        for (int row = 0; row < 3; row++)
            largest = fmaxf(largest, fabsf(model_nodes(model)[i].local.m[4 * row + 3]));
    return largest;
}

/* Makes the columns of the 3x3 matrix unit vectors. */
static void remove_scale(float *m)
{
    for (int column = 0; column < 3; column++) {
        float length = sqrtf(m[column] * m[column] + m[column + 4] * m[column + 4] +
                             m[column + 8] * m[column + 8]);
        for (int row = 0; length > 0 && row < 3; row++)
            m[4 * row + column] /= length;
    }
}

/* Files come in millimetres as in metres, and the scales of models that are attached to each other
 * would multiply. So all models are given about the same size. */
static void fit(struct model *model)
{
    struct model_node *nodes = hm_array_data(&model->nodes);
    float largest = largest_step(model);
    float factor = largest > LARGEST_STEP ? LARGEST_STEP / largest : 1;
    for (uint32_t i = 0; i < model_count(model); i++) {
        float *m = nodes[i].local.m;
        remove_scale(m);
        for (int row = 0; row < 3; row++)
            m[4 * row + 3] *= factor;
    }
}

/* Takes in the model that was just read into the next place. */
static void adopt(struct demo_models *models)
{
    struct model *model = &models->models[models->count++];
    struct model_node *nodes = hm_array_data(&model->nodes);
    fit(model);
    for (uint32_t i = 0; i < model_count(model); i++)
        if (nodes[i].material != MODEL_NOT_DRAWN)
            nodes[i].material += models->materials;
    models->materials += model->materials;
}

/* Reading */

/* Assimp would say of all of these that it knows no such format. */
static const char *refusal(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (!S_ISREG(status.st_mode))
        return "it is not a file";
    return status.st_size == 0 ? "it is empty" : NULL;
}

static void read_model(struct demo_models *models, const char *path)
{
    struct model *model = &models->models[models->count];
    const char *reason = "there are too many models";
    if (models->count < DEMO_MOST_MODELS) {
        reason = refusal(path);
        if (reason == NULL)
            reason = model_import(model, path);
    }
    if (reason != NULL) {
        fprintf(stderr, "demo: %s: left out: %s\n", path, reason);
        return;
    }
    printf("model: %s, %u nodes, %u materials\n", model->name, (unsigned)model_count(model),
           (unsigned)model->materials);
    adopt(models);
}

static void read_known_good(struct demo_models *models, const char *directory)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return;
    for (size_t i = 0; i < sizeof known_good / sizeof known_good[0]; i++) {
        char path[PATH_SIZE];
        int length = snprintf(path, sizeof path, "%s/%s", directory, known_good[i]);
        if (length < PATH_SIZE)
            read_model(models, path);
    }
}

static bool make_up_models(struct demo_models *models, uint32_t seed)
{
    static const uint32_t sizes[MADE_UP_MODELS] = {22, 38, 83, 129};
    printf("model: none was read; the scene is made of %d trees that are made up here\n",
           MADE_UP_MODELS);
    for (uint32_t i = 0; i < MADE_UP_MODELS; i++) {
        if (model_generate(&models->models[i], sizes[i], seed + i) != NULL)
            return false;
        adopt(models);
    }
    return true;
}

bool models_load(struct demo_models *models, const struct demo_options *options)
{
    memset(models, 0, sizeof *models);
    for (int i = 0; i < options->path_count; i++)
        read_model(models, options->paths[i]);
    if (options->path_count == 0)
        read_known_good(models, options->models);
    return models->count != 0 || make_up_models(models, options->settings.seed);
}

void models_free(struct demo_models *models)
{
    for (uint32_t i = 0; i < models->count; i++)
        model_free(&models->models[i]);
    models->count = 0;
}

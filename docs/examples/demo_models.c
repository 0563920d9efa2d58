/* SPDX-License-Identifier: MIT */
/* The demo's models. See demo_models.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_models.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
    PATH_SIZE = 4096,
    WORKERS = 2,
    BUDGET = 64 << 20 /* bytes of models */
};

static const char out_of_memory[] = "out of memory";

static const float longest_step = 8; /* from a node to its child, in a fitted model */

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
enum { KNOWN_GOOD = sizeof known_good / sizeof known_good[0] };

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
    float factor = largest > longest_step ? longest_step / largest : 1;
    for (uint32_t i = 0; i < model_count(model); i++) {
        float *m = nodes[i].local.m;
        remove_scale(m);
        for (int row = 0; row < 3; row++)
            m[4 * row + 3] *= factor;
    }
}

/* Called by the cache on the main thread, once for each model that a worker has read. */
static const char *finish_model(struct resource_cache *cache, resource_handle resource,
                                void *payload, void *context)
{
    (void)cache;
    (void)resource;
    (void)context;
    fit(payload);
    return NULL;
}

/* Reading */

static void leave_out(struct demo_models *models, const char *path, const char *reason)
{
    fprintf(stderr, "demo: %s: cannot be read: %s\n", path, reason);
    models->unread++;
}

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

/* Adds a model to those that the scene is made of. */
static void add_part(struct demo_models *models, const struct model *model)
{
    models->parts[models->count++] =
        (struct demo_model){.model = model, .first_material = models->materials};
    models->materials += model->materials;
}

/* Asks the cache for a model, and for its data to stay; null if there is a reason not to. */
static resource_handle request(struct demo_models *models, const char *path)
{
    resource_handle handle = {HM_NULL_HANDLE};
    const char *reason = refusal(path);
    if (reason == NULL &&
        resource_cache_request(&models->cache, &models->loader, path, &handle) != HM_OK)
        reason = hm_last_error();
    if (reason != NULL)
        leave_out(models, path, reason);
    else
        resource_cache_pin(&models->cache, handle);
    return handle;
}

/* Adds the model if it could be read. The handles are in the sequence of the paths, whatever the
 * sequence in which the workers end, so that the same paths make the same scene. */
static void add_loaded(struct demo_models *models, const char *path, resource_handle handle)
{
    const struct model *model = resource_cache_get(&models->cache, handle);
    if (model == NULL) {
        leave_out(models, path, resource_cache_error(&models->cache, handle));
        return;
    }
    printf("model: %s, %u nodes, %u materials\n", model->name, (unsigned)model_count(model),
           (unsigned)model->materials);
    add_part(models, model);
}

static void print_cache(struct demo_models *models)
{
    struct resource_stats stats = resource_cache_get_stats(&models->cache);
    printf("cache: %u models are ready, %.1f KiB of a budget of %d MiB, read by %d workers; "
           "%llu could not be read\n",
           (unsigned)stats.ready, (double)stats.used / 1024, BUDGET >> 20, WORKERS,
           (unsigned long long)stats.failures);
}

static void read_models(struct demo_models *models, char *const *paths, int count)
{
    resource_handle handles[DEMO_MOST_MODELS];
    int taken = count < DEMO_MOST_MODELS ? count : DEMO_MOST_MODELS;
    for (int i = 0; i < taken; i++)
        handles[i] = request(models, paths[i]);
    while (resource_cache_wait(&models->cache))
        resource_cache_pump(&models->cache, 0);
    for (int i = 0; i < taken; i++)
        if (!hm_handle_is_null(handles[i].id))
            add_loaded(models, paths[i], handles[i]);
    for (int i = taken; i < count; i++)
        leave_out(models, paths[i], "there are too many models");
    print_cache(models);
}

static void read_known_good(struct demo_models *models, const char *directory)
{
    static char places[KNOWN_GOOD][PATH_SIZE];
    char *paths[KNOWN_GOOD];
    struct stat status;
    int count = 0;
    if (stat(directory, &status) != 0)
        return;
    for (int i = 0; i < KNOWN_GOOD; i++) {
        int length = snprintf(places[i], PATH_SIZE, "%s/%s", directory, known_good[i]);
        if (length < PATH_SIZE)
            paths[count++] = places[i];
    }
    read_models(models, paths, count);
}

static bool make_up_models(struct demo_models *models)
{
    static const uint32_t sizes[DEMO_MADE_UP_MODELS] = {22, 38, 83, 129};
    printf("model: none was read; the scene is made of %d trees that are made up here\n",
           DEMO_MADE_UP_MODELS);
    for (uint32_t i = 0; i < DEMO_MADE_UP_MODELS; i++) {
        if (model_generate(&models->made_up[i], sizes[i], i) != NULL)
            return false;
        add_part(models, &models->made_up[i]);
    }
    return true;
}

const char *models_load(struct demo_models *models, const struct demo_options *options)
{
    const struct resource_cache_desc desc = {.payload_size = sizeof(union resource_payload),
                                             .budget = BUDGET,
                                             .name_size = PATH_SIZE,
                                             .capacity = DEMO_MOST_MODELS,
                                             .workers = WORKERS};
    memset(models, 0, sizeof *models);
    models->loader = resource_model_loader;
    models->loader.finish = finish_model;
    if (resource_cache_init(&models->cache, &desc) != HM_OK)
        return out_of_memory;
    if (options->path_count != 0) {
        read_models(models, options->paths, options->path_count);
        return models->unread == 0 ? NULL : "not all models that are named could be read";
    }
    read_known_good(models, options->models);
    return models->count != 0 || make_up_models(models) ? NULL : out_of_memory;
}

void models_free(struct demo_models *models)
{
    resource_cache_fini(&models->cache);
    for (uint32_t i = 0; i < DEMO_MADE_UP_MODELS; i++)
        model_free(&models->made_up[i]);
    models->count = 0;
}

/* SPDX-License-Identifier: MIT */
/* demo_models: the models that the demo's scene is made of. */
#ifndef DEMO_MODELS_H
#define DEMO_MODELS_H

#include "demo_options.h"
#include "resource_loaders.h"

enum { DEMO_MOST_MODELS = 64, DEMO_MADE_UP_MODELS = 4 };

/* Models that are read are resources, pinned in a cache; models that are made up are kept here. */
struct demo_models {
    struct demo_model parts[DEMO_MOST_MODELS];
    uint32_t count;
    uint32_t unread;    /* that were to be read and could not be */
    uint32_t materials; /* of all models; no two models share one */
    struct resource_cache cache;
    struct resource_loader loader;
    struct model made_up[DEMO_MADE_UP_MODELS];
};

/* Reads the models that the options name or, if none are named, those that are known to be good in
 * the directory of models, on worker threads. Prints what was read, and what could not be and why.
 * If none are named and nothing can be read, makes up some. Returns NULL, or what went wrong:
 * memory ran out, or not all models that are named could be read. The models must not be moved. */
const char *models_load(struct demo_models *models, const struct demo_options *options);

void models_free(struct demo_models *models);

#endif

/* SPDX-License-Identifier: MIT */
/* demo_models: the models that the demo's scene is made of. */
#ifndef DEMO_MODELS_H
#define DEMO_MODELS_H

#include "demo_options.h"

enum { DEMO_MOST_MODELS = 64 };

struct demo_models {
    struct model models[DEMO_MOST_MODELS];
    uint32_t count;
    uint32_t materials; /* of all models; no two models share one */
};

/* Reads the models that the options name or, if none are named, those that are known to be good in
 * the directory of models. Prints what was read, and what is left out and why. If nothing can be
 * read, makes up some. False if memory runs out. */
bool models_load(struct demo_models *models, const struct demo_options *options);

void models_free(struct demo_models *models);

#endif

/* SPDX-License-Identifier: MIT */
/* scene_import: models for the demo, that is, small trees of transforms, read from scene files
 * through Assimp (when compiled with HM_WITH_ASSIMP) or made up. */
#ifndef SCENE_IMPORT_H
#define SCENE_IMPORT_H

#include "scene_graph.h"

#include <handle_map/array.h>

#define MODEL_NOT_DRAWN UINT32_MAX

/* A node of a model. The nodes are in depth-first order, so the subtree of node i is the nodes from
 * i to i + size - 1. */
struct model_node {
    uint32_t parent;   /* index of a node; unused in the first one, which has none */
    uint32_t size;     /* nodes in this subtree, this one included */
    uint32_t material; /* that of the node's first mesh; MODEL_NOT_DRAWN: it has none */
    struct scene_transform local;
};

struct model {
    char name[48];
    hm_array nodes;     /* struct model_node; at least one */
    uint32_t materials; /* those of the nodes are below this */
};

/* Reads the hierarchy of a scene file. Returns NULL, or the reason for the failure, which is valid
 * until the next call; then the model is zeroed. */
const char *model_import(struct model *model, const char *path);

/* Makes up a tree of `count` nodes. Returns as model_import does. */
const char *model_generate(struct model *model, uint32_t count, uint64_t seed);

void model_free(struct model *model);

static inline uint32_t model_count(const struct model *model)
{
    return (uint32_t)hm_array_count(&model->nodes);
}

static inline const struct model_node *model_nodes(const struct model *model)
{
    return hm_array_data(&model->nodes);
}

/* splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number below n; n is at least 1. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((random_next(state) >> 32) * n >> 32);
}

#endif

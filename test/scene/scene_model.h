/* SPDX-License-Identifier: MIT */
/* A naive tree beside a scene: random edits go to both, and then they are compared. */
#ifndef TEST_SCENE_MODEL_H
#define TEST_SCENE_MODEL_H

#include "scene_graph.h"

enum { MOST = 400, NONE = MOST, STALE_POOL = 64 };

/* A node of the naive tree, which lists the places of its children. */
typedef struct model_node {
    scene_node_handle handle;
    struct scene_transform local;
    uint32_t parent; /* NONE: the root */
    uint32_t children[MOST];
    uint32_t child_count;
    bool is_live;
} model_node;

typedef struct model {
    struct scene scene;
    model_node nodes[MOST]; /* place 0 is the root */
    uint32_t count;         /* live nodes */
    uint32_t last;          /* place of the last node that was created */
    scene_node_handle stale[STALE_POOL];
    uint32_t stale_count;
    uint64_t random;
} model;

model *scene_model_new(const char *what);
void scene_model_delete(model *m);

/* Returns the place of a random node. */
uint32_t scene_model_any(model *m);

/* Makes a random edit, or a call that is to be refused. */
void scene_model_edit(model *m);

/* Check that both have the same tree, that all world transforms are right after an update, and what
 * questions about two random nodes answer. */
void scene_model_check_links(const model *m);
void scene_model_check_update(model *m);
void scene_model_check_answers(model *m);

/* Whether the nodes are in memory in depth-first order, and whether parents come first. */
bool scene_is_in_order(const struct scene *scene);
bool scene_has_parents_first(const struct scene *scene);

/* Defragments to the end, and checks that no call exceeds the budget. Returns the number of calls.
 */
uint32_t scene_defragment_all(struct scene *scene, hm_frame_budget budget);

static inline bool is_null(scene_node_handle node)
{
    return scene_node_handle_is_null(node);
}

static inline bool is_same(scene_node_handle a, scene_node_handle b)
{
    return scene_node_handle_equal(a, b);
}

#endif

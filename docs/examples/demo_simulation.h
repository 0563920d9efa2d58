/* SPDX-License-Identifier: MIT */
/* demo_simulation: a scene of about 100,000 nodes that changes all the time.
 *
 *     root -- plot --+-- group: figures made of models, one attached to another
 *          -- plot   +-- group
 *          -- ...    +-- ...
 *
 * A group is built and destroyed as a whole. Each frame destroys groups with about 1% of the nodes
 * and builds as many nodes again, updates the world transforms, and defragments.
 *
 * A destroyed group is replaced in its place by a new one of as many nodes, as when a model changes
 * its level of detail. The new one is built first, so its nodes are the last of the map when the
 * old ones are erased, and move into their holes. What remains for defragmentation is the order
 * within each group, in which models are attached to random earlier nodes.
 *
 * With `elsewhere`, groups are destroyed first, and the new ones are built at random plots. Then
 * erasing moves nodes from the end of the map into holes all over it, and restoring the order
 * shifts nearly all nodes a little: about a swap for each, however few changed. So it pays to
 * collect changes, as scene_defragment does.
 *
 * All choices come from a random generator and from lists of handles kept here, never from the
 * position of a node in memory. So two simulations with the same settings make the same edits,
 * whether or not they defragment. */
#ifndef DEMO_SIMULATION_H
#define DEMO_SIMULATION_H

#include "scene_import.h"

enum { DEMO_STALE_KEPT = 4096 };

struct demo_settings {
    uint32_t nodes; /* in all, about */
    uint32_t frames;
    uint32_t swaps;   /* the budget of a frame's defragmentation, at least 1 */
    double budget_ms; /* a time for it, which lowers that budget; 0: none */
    uint32_t seed;
    bool elsewhere; /* groups are destroyed first, and new ones are built at random plots */
    const struct model *models;
    uint32_t model_count; /* at least 1 */
};

/* What a frame took. */
struct demo_frame {
    double update_ms, defragment_ms;
    double order; /* share of the nodes that are followed in memory by the next node of the walk */
    uint32_t swaps;
};

struct demo_group {
    scene_node_handle top;
    scene_node_handle last_built; /* the node that was built last */
    uint32_t count;               /* nodes */
};

struct simulation {
    const struct demo_settings *settings;
    bool defragments;
    struct scene scene;
    struct scene_pace pace;                   /* of defragmentation */
    hm_array groups;                          /* struct demo_group */
    hm_array plots;                           /* scene_node_handle */
    hm_array fresh;                           /* scene_node_handle: the group that is being built */
    scene_node_handle stale[DEMO_STALE_KEPT]; /* a ring of handles whose nodes are erased */
    uint64_t stale_count;                     /* ever put there */
    uint64_t issued, refused, resolved;       /* handles issued; stale ones probed, by answer */
    uint64_t random;
    uint32_t turn;  /* models take turns */
    uint32_t turns; /* of the whole scene */
};

/* Builds the scene and puts it in order. Returns NULL, or what went wrong. */
const char *simulation_init(struct simulation *simulation, const struct demo_settings *settings,
                            bool defragments);

/* Runs a frame. Returns NULL, or what went wrong. */
const char *simulation_step(struct simulation *simulation, struct demo_frame *frame);

void simulation_fini(struct simulation *simulation);

#endif

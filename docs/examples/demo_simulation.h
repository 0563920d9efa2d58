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
 * A camera flies over the plots, which stand in a square. What it sees is kept in a draw list,
 * which has an order and a budget of its own. Groups come into view, change their distance and go
 * out of view as a whole.
 *
 * All choices come from a random generator and from lists of handles kept here, never from the
 * position of a node in memory. So two simulations with the same settings make the same edits,
 * whether or not they defragment. */
#ifndef DEMO_SIMULATION_H
#define DEMO_SIMULATION_H

#include "demo_camera.h"
#include "demo_draw_list.h"
#include "scene_import.h"

enum { DEMO_STALE_KEPT = 4096 };

/* A model that the scene is made of. */
struct demo_model {
    const struct model *model;
    uint32_t first_material; /* is added to the model's materials */
};

struct demo_settings {
    uint32_t nodes; /* in all, about */
    uint32_t frames;
    uint32_t swaps;      /* the budget of a frame's defragmentation, at least 1 */
    uint32_t budget_us;  /* microseconds for it, which lower that budget; 0: no matter */
    uint32_t sort_swaps; /* the budget of sorting the draw list, at least 1 */
    uint32_t seed;
    bool elsewhere; /* groups are destroyed first, and new ones are built at random plots */
    const hm_memory *memory; /* of all that changes; NULL: the system's */
    const struct demo_model *models;
    uint32_t model_count; /* at least 1 */
};

/* What a frame took. */
struct demo_frame {
    double update_ms, defragment_ms, sort_ms;
    double order; /* share of the nodes that are followed in memory by the next node of the walk */
    uint32_t swaps, sort_swaps;
    uint32_t drawn;            /* items of the draw list */
    uint32_t material_changes; /* from one item of the draw list to the next */
};

static inline double demo_frame_ms(const struct demo_frame *frame)
{
    return frame->update_ms + frame->defragment_ms + frame->sort_ms;
}

struct demo_group {
    scene_node_handle plot;
    scene_node_handle top;
    scene_node_handle last_built; /* the node that was built last */
    uint32_t count;               /* nodes */
    bool in_view;
    uint32_t distance; /* in steps, if in view */
};

struct simulation {
    const struct demo_settings *settings;
    bool defragments;
    struct scene scene;
    struct draw_list draw_list;
    struct demo_camera camera;
    struct scene_pace pace;                   /* of defragmentation */
    hm_array groups;                          /* struct demo_group */
    hm_array plots;                           /* scene_node_handle */
    hm_array fresh;                           /* scene_node_handle: the group that is being built */
    scene_node_handle stale[DEMO_STALE_KEPT]; /* a ring of handles whose nodes are erased */
    uint64_t stale_count;                     /* ever put there */
    uint64_t issued, refused, resolved;       /* handles issued; stale ones probed, by answer */
    uint64_t issued_hash;                     /* of all handles issued, in their sequence */
    uint64_t random;
    uint32_t turn;      /* models take turns */
    uint32_t steps;     /* frames so far */
    uint32_t plot_side; /* plots in a row of the square */
};

/* Makes a simulation without a scene; false if memory runs out. */
bool simulation_begin(struct simulation *simulation, const struct demo_settings *settings,
                      bool defragments);

/* Builds the scene, and puts it and the first draw list in order. Returns NULL, or what went wrong.
 */
const char *simulation_init(struct simulation *simulation, const struct demo_settings *settings,
                            bool defragments);

/* Runs a frame. Returns NULL, or what went wrong. */
const char *simulation_step(struct simulation *simulation, struct demo_frame *frame);

/* The length of a side of the ground. */
float simulation_extent(const struct simulation *simulation);

/* Bytes of memory in use for the scene, and for the draw list. */
size_t simulation_scene_memory(const struct simulation *simulation);
size_t simulation_draw_memory(const struct simulation *simulation);

void simulation_fini(struct simulation *simulation);

#endif

/* SPDX-License-Identifier: MIT */
/* scene_graph: a tree of transforms whose nodes are items of a handle map. An example: public
 * headers only, no recursion.
 *
 *     root --+-- house --+-- door            first child    house     last child   tree
 *            |           +-- window          next sibling   door -> window
 *            +-- tree                        parent         window -> house
 *
 * Nodes link to each other by handles, because pointers would break: erasing a node moves the last
 * one into the hole, and defragmenting moves many. A pointer from scene_get is therefore valid only
 * until the next change; a handle stays valid, and is refused once its node is erased.
 *
 * What a node carries, a mesh or a texture, goes into an hm_secondary whose owners are
 * scene_node_map_as_owners(&scene.nodes). scene_destroy knows nothing of it: call remove_if of the
 * secondary afterwards, or walk the subtree before with scene_next_in.
 *
 * Sources: scene_graph.c, scene_order.c and scene_save.c. A refusal sets no hm_last_error, unless
 * it is one of the map below.
 *
 * What the example shows:
 *
 * - Refusal. For a handle that does not resolve, each function returns a status, zero, false or
 *   NULL, and changes nothing. A failed scene_create returns a null handle, which is refused as a
 *   parent in turn, so that failures need not be checked at every step.
 * - Update. While few nodes have changed, scene_update computes only what is below them. Otherwise
 *   it is one forward pass over the nodes in memory, which computes every parent before its
 *   children, and which is fastest when they are in depth-first order.
 * - Order. scene_defragment restores that order a little at a time, between frames. Nothing has to
 *   wait for it: all results are right in any order.
 *
 * All scenes have one type id: a handle of one scene means nothing in another, but may resolve.
 *
 * Threads: const functions may run together while no thread changes the scene. */
#ifndef SCENE_GRAPH_H
#define SCENE_GRAPH_H

#include "scene_transform.h"

#include <handle_map/array.h>
#include <handle_map/map.h>
#include <handle_map/save.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCENE_NODE_TYPE_ID 1

HM_HANDLE_DEFINE(scene_node)

/* Read it through scene_get and change it through the functions below. */
struct scene_node {
    scene_node_handle parent;         /* null: this is the root */
    scene_node_handle first_child;    /* null: no children */
    scene_node_handle last_child;     /* null: no children */
    scene_node_handle previous, next; /* siblings; null at the ends */
    struct scene_transform local;     /* to the parent's space */
    struct scene_transform world;     /* to the root's parent's space, as of the last update */
    uint64_t begin, end;              /* labels; see scene_graph.c */
    uint32_t pass;                    /* the last full pass, as `passes` counts them */
    bool is_dirty;                    /* its parent or its local transform has changed */
    bool is_crowded;                  /* there was no label left between its neighbours' */
};

HM_MAP_DEFINE_FOR(scene_node, struct scene_node, SCENE_NODE_TYPE_ID)

/* Where a walk around the tree, along the branches, comes to a node (`is_end` false) and where it
 * leaves it for the last time. */
struct scene_bracket {
    scene_node_handle node;
    bool is_end;
};

/* A renumbering of the labels that is in progress. */
struct scene_numbering {
    struct scene_bracket next; /* to be numbered; a null node: there is none in progress */
    uint64_t label;            /* of the bracket before */
    uint64_t step;             /* between labels */
};

struct scene {
    scene_node_map nodes; /* read only: for iteration, counts and statistics */
    scene_node_handle root;
    uint32_t visited; /* nodes that the last update looked at */

    /* Private, for updates. */
    hm_array dirty;    /* scene_node_handle: what has changed since the last update... */
    bool is_all_dirty; /* ...unless that is too much to list */
    uint32_t passes;   /* full passes so far */
    uint32_t patience; /* the next updates that do not try to do less than a full pass */
    uint32_t overruns; /* doubled each time such a try has failed, 0 when one succeeds */

    /* Private, for the order. */
    uint64_t base; /* where labels begin: they are compared by their distance from here */
    struct scene_numbering numbering;
    uint32_t crowded;      /* nodes */
    uint32_t changes;      /* nodes created, moved or destroyed since the last round began */
    uint32_t seen_changes; /* what `changes` was at the last call of scene_defragment */
    uint64_t round_swaps;  /* of this round, or of the last one */
    bool is_round;
};

/* Lifetime */

/* Makes a scene of one node, the root, for at most `capacity` nodes, the root included (0:
 * 1,048,576), in memory from `memory` (NULL: the system's). HM_ERROR_INVALID or HM_ERROR_MEMORY;
 * then the scene is empty, has a null root, and refuses everything. The scene must stay at its
 * address. */
hm_status scene_init(struct scene *scene, uint32_t capacity, const hm_memory *memory);

/* Destroys all nodes. May be called twice. */
void scene_fini(struct scene *scene);

/* Returns the node, or NULL. Valid until the next create, destroy, remove or defragment. O(1). */
const struct scene_node *scene_get(const struct scene *scene, scene_node_handle node);

/* Creates a node as its parent's last child; `local` NULL: the identity. Returns a null
 * handle when the parent does not resolve, when the map is full, or when memory is refused. O(1).
 */
scene_node_handle scene_create(struct scene *scene, scene_node_handle parent,
                               const struct scene_transform *local);

/* Creates a node right before a sibling. Null as above, and for the root, which has none. O(1). */
scene_node_handle scene_create_before(struct scene *scene, scene_node_handle sibling,
                                      const struct scene_transform *local);

/* Destroys a node and all below it, and returns their number: 0 when the handle does not resolve,
 * and for the root. O(nodes destroyed). */
uint32_t scene_destroy(struct scene *scene, scene_node_handle node);

/* Destroys a node, but puts its children into its place among its siblings, in their order. Their
 * local transforms stay. HM_ERROR_STALE: it does not resolve. HM_ERROR_INVALID: it is the root.
 * O(children). */
hm_status scene_remove(struct scene *scene, scene_node_handle node);

/* The tree */

/* Makes a node, with all below it, the last child of another parent (or of the same one). Its local
 * transform stays. HM_ERROR_STALE: a handle does not resolve. HM_ERROR_INVALID: the node is
 * the root, or the parent is in the node's own subtree. O(nodes moved). */
hm_status scene_reparent(struct scene *scene, scene_node_handle node, scene_node_handle parent);

/* As above, but places it right before a sibling. HM_ERROR_INVALID: the sibling is the root, or
 * is in the node's own subtree. */
hm_status scene_reparent_before(struct scene *scene, scene_node_handle node,
                                scene_node_handle sibling);

/* Whether `below` is `top` or is below it; false when one of them does not resolve. O(1); after
 * so many inserts in one place that labels ran out there, O(depth) until scene_defragment has
 * renumbered them. */
bool scene_is_in(const struct scene *scene, scene_node_handle top, scene_node_handle below);

/* Returns how many nodes are above this one; 0 when the handle does not resolve. O(depth). */
uint32_t scene_depth(const struct scene *scene, scene_node_handle node);

/* Returns the node that a depth-first walk visits after this one; null at the end, and when the
 * handle does not resolve. A whole walk, from the root, is O(nodes). */
scene_node_handle scene_next(const struct scene *scene, scene_node_handle node);

/* As above, for a walk over the subtree of `top` alone, which begins with `top`. From a node
 * outside it, the walk goes on to the end of the tree. Example:
 *
 *     scene_node_handle at = top;
 *     while (!scene_node_handle_is_null(at))
 *         at = is_visible(at) ? scene_next_in(&scene, top, at) : scene_skip_in(&scene, top, at);
 */
scene_node_handle scene_next_in(const struct scene *scene, scene_node_handle top,
                                scene_node_handle node);

/* As scene_next_in, but passes over what is below the node. */
scene_node_handle scene_skip_in(const struct scene *scene, scene_node_handle top,
                                scene_node_handle node);

/* Transforms */

/* Sets a node's transform relative to its parent; NULL: the identity. False if the handle does not
 * resolve. O(1). */
bool scene_set_local(struct scene *scene, scene_node_handle node,
                     const struct scene_transform *local);

/* Computes the world transforms of all nodes that have changed, and of those below them; the
 * others' are right already. O(nodes), but if few have changed, O(nodes computed + depth of those
 * that changed). Allocates nothing. */
void scene_update(struct scene *scene);

/* Reports a node's world transform as it is now, without waiting for the next update: it follows
 * the changes of the node and of all above it. The last bits may differ from those that the update
 * will compute, since it multiplies in another order. False if the handle does not resolve. O(1),
 * or O(depth) if anything has changed since the last update. */
bool scene_world_of(const struct scene *scene, scene_node_handle node,
                    struct scene_transform *world);

/* Order */

/* Moves the nodes in memory nearer to depth-first order, in which every parent is before its
 * children and every subtree is a range. Call it once a frame: it resumes where it stopped. Done:
 * all nodes are in that order. Handles stay valid. See hm_map_defragment for the budget, and for
 * memory, which may be refused; a label that is renumbered counts as a compare.
 *
 * For a bounded call set both limits: then its whole work is in proportion to them. To find them,
 * begin with more than is used up, and lower them, or raise them if calls are too rarely done: what
 * is not finished before much of it has changed again has been in vain.
 *
 * To put in order what has changed, a round may have to shift nearly all nodes. So while the scene
 * changes between all calls, a round waits until the changes are a 16th of the swaps that the last
 * one took; a call that only waits does nothing. */
hm_progress scene_defragment(struct scene *scene, hm_frame_budget *budget);

/* What calls of scene_defragment took, the last ones above all. A zeroed one knows nothing yet. */
struct scene_pace {
    double swaps, compares;
    double ms;
};

/* Records what a call spent. */
void scene_pace_add(struct scene_pace *pace, hm_progress spent, double ms);

/* Returns the budget for a call that is to take at most so many milliseconds, even if it uses up
 * both limits. Example:
 *
 *     hm_frame_budget budget = scene_pace_budget(&pace, 0.5);
 *     double start = now_ms();
 *     hm_progress spent = scene_defragment(&scene, &budget);
 *     scene_pace_add(&pace, spent, now_ms() - start);
 */
hm_frame_budget scene_pace_budget(const struct scene_pace *pace, double ms);

/* Saving */

/* Writes the scene as a section of a file (handle_map/save.h): the links and the local transforms,
 * the same bytes on every machine. HM_ERROR_IO: the sink refused. O(nodes). */
hm_status scene_save(const struct scene *scene, hm_sink sink);

/* Makes a scene of what scene_save wrote; takes the place of scene_init. Every handle means what it
 * meant, and the next creates return the handles that they would have returned. The order in memory
 * is that of before; the next update computes all world transforms. HM_ERROR_CORRUPT: the bytes are
 * damaged, or are no tree; HM_ERROR_FULL: there are more nodes than `capacity`; or as scene_init.
 * Then the scene is as after a failed scene_init. Whoever wrote the file, all of it is checked. */
hm_status scene_load(struct scene *scene, uint32_t capacity, const hm_memory *memory,
                     hm_source source);

/* Checks that all links agree, that each node is reached exactly once, and that labels and the list
 * of changed nodes fit: HM_OK or HM_ERROR_CORRUPT. O(nodes), no allocation. */
hm_status scene_validate(const struct scene *scene);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* scene_graph: a tree of transforms whose nodes are items of a handle map. An example: public
 * headers only, no memory of its own, no recursion.
 *
 *     root --+-- house --+-- door            first child    house     last child   tree
 *            |           +-- window          next sibling   door -> window
 *            +-- tree                        parent         window -> house
 *
 * Nodes link to each other by handles, because pointers would break: erasing a node moves the last
 * one into the hole, and defragmenting moves many. A pointer from scene_get is therefore valid only
 * until the next change; a handle stays valid, and is refused once its node is erased.
 *
 * What the example shows:
 *
 * - Refusal. For a handle that does not resolve, each function returns a status, zero, false or
 *   NULL, and changes nothing. A failed scene_create returns a null handle, which is refused as a
 *   parent in turn, so that failures need not be checked at every step.
 * - Order. scene_update is one forward pass over the nodes in memory, which computes every parent
 *   before its children. It is fastest when they are in depth-first order, which scene_defragment
 *   restores a little at a time, between frames. But its results are right in any order, so nothing
 *   has to wait for that.
 *
 * All scenes have one type id: a handle of one scene means nothing in another, but may resolve. */
#ifndef SCENE_GRAPH_H
#define SCENE_GRAPH_H

#include <handle_map/map.h>

#define SCENE_NODE_TYPE_ID 1

/* The `order` of a node that was created or moved since the last walk. */
#define SCENE_NOT_VISITED UINT32_MAX

/* The upper three rows of an affine 4x4 matrix, row by row: a point p goes to
 * (m[0]p.x + m[1]p.y + m[2]p.z + m[3], m[4]p.x + ..., m[8]p.x + ...). */
struct scene_transform {
    float m[12];
};

/* Read it through scene_get and change it through the functions below. The links are untyped here
 * because HM_MAP_DEFINE defines the typed handle, and needs the complete type of the item. */
struct scene_node {
    hm_handle parent;             /* null: this is the root */
    hm_handle first_child;        /* null: no children */
    hm_handle last_child;         /* null: no children */
    hm_handle previous, next;     /* siblings; null at the ends */
    struct scene_transform local; /* to the parent's space */
    struct scene_transform world; /* to the root's parent's space, as of the last update */
    uint32_t order;   /* visits before this one in the last walk, or SCENE_NOT_VISITED */
    uint32_t updated; /* the last update that computed it, as `updates` counts them */
};

HM_MAP_DEFINE(scene_node, struct scene_node, SCENE_NODE_TYPE_ID)

struct scene {
    scene_node_map nodes; /* read only: for iteration, counts and statistics */
    scene_node_handle root;
    uint32_t updates;      /* so far */
    uint32_t changes;      /* nodes created or moved since the last walk */
    uint32_t seen_changes; /* what `changes` was at the last call of scene_defragment */
    uint32_t swaps_left;   /* that may still be spent on the last walk's order; 0: none */
};

/* Makes a scene of one node, the root, for at most `capacity` nodes (0: 1,048,576), in memory from
 * `memory` (NULL: the system's). HM_ERROR_INVALID or HM_ERROR_MEMORY; then the scene is empty, has
 * a null root, and refuses everything. */
hm_status scene_init(struct scene *scene, uint32_t capacity, const hm_memory *memory);

/* Destroys all nodes. May be called twice. */
void scene_fini(struct scene *scene);

/* Returns the node, or NULL. Valid until the next create, destroy or defragment. O(1). */
const struct scene_node *scene_get(const struct scene *scene, scene_node_handle node);

/* Creates a node as its parent's last child; `local` NULL: the identity. Returns a null
 * handle when the parent does not resolve, or when the map is full. O(1). */
scene_node_handle scene_create(struct scene *scene, scene_node_handle parent,
                               const struct scene_transform *local);

/* Creates a node right before a sibling. Null as above, and for the root, which has none. O(1). */
scene_node_handle scene_create_before(struct scene *scene, scene_node_handle sibling,
                                      const struct scene_transform *local);

/* Destroys a node and all below it, and returns their number: 0 when the handle does not resolve,
 * and for the root. O(nodes destroyed). */
uint32_t scene_destroy(struct scene *scene, scene_node_handle node);

/* Makes a node, with all below it, the last child of another parent (or of the same one). Its local
 * transform stays. HM_ERROR_STALE: a handle does not resolve. HM_ERROR_INVALID: the node is
 * the root, or the parent stands in the node's own subtree. O(depth + nodes moved). */
hm_status scene_reparent(struct scene *scene, scene_node_handle node, scene_node_handle parent);

/* Sets a node's transform relative to its parent; NULL: the identity. False if the handle does not
 * resolve. O(1). */
bool scene_set_local(struct scene *scene, scene_node_handle node,
                     const struct scene_transform *local);

/* Returns the node that a depth-first walk visits after this one; null at the end, and when the
 * handle does not resolve. A whole walk, from the root, is O(nodes). */
scene_node_handle scene_next(const struct scene *scene, scene_node_handle node);

/* Computes all world transforms. O(nodes), no allocation. */
void scene_update(struct scene *scene);

/* Moves the nodes in memory nearer to depth-first order, in which every parent is before its
 * children. Call it once a frame: it resumes where it stopped. Done: all nodes are in that order.
 * Handles stay valid. See hm_map_defragment for the budget, and for memory, which may be refused.
 *
 * To know the order, a call has to walk over all nodes, in O(nodes). It does so if one node in 16
 * was created or moved since the last walk, or if any was, but none since the last call. A call
 * that only waits for the next walk does nothing. */
hm_progress scene_defragment(struct scene *scene, hm_budget budget);

/* Checks that all links agree and that each node is reached exactly once: HM_OK or
 * HM_ERROR_CORRUPT. O(nodes), no allocation. */
hm_status scene_validate(const struct scene *scene);

/* The identity, a translation, and "first inner, then outer". */
struct scene_transform scene_transform_identity(void);
struct scene_transform scene_transform_translation(float x, float y, float z);
struct scene_transform scene_transform_multiply(const struct scene_transform *outer,
                                                const struct scene_transform *inner);

#endif

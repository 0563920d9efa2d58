/* SPDX-License-Identifier: MIT */
/* scene_graph_private: what the sources of the scene graph share.
 *
 * Labels. A walk around the tree comes to each node and leaves it again: two brackets, like those
 * around words. Each bracket has a label, and labels never fall along the walk:
 *
 *     root ( house ( door ( ) window (  )  ) tree (  )  )
 *          0       5      6 8        9 10 12     20 30 90
 *
 * So depth-first order is the order of the labels of opening brackets, which two nodes are compared
 * by, and a subtree is what is between two labels. A new node gets labels between its neighbours',
 * in O(1). If there are none left it gets its left neighbour's, is *crowded*, and equal to it in
 * memory order until scene_defragment renumbers all labels at an even distance.
 *
 * Compared with numbering the whole tree again and again, nothing is done for nodes that do not
 * change, and what is new is known to the order at once. Where a list of labels usually renumbers
 * the neighbourhood when an insert finds no space (Dietz and Sleator, "Two Algorithms for
 * Maintaining Order in a List", 1987; Bender et al., "Two Simplified Algorithms for Maintaining
 * Order in a List", 2002), which now and then is large, this one puts up with ties for a while. So
 * creating a node never takes long, and renumbering can stop after any label. */
#ifndef SCENE_GRAPH_PRIVATE_H
#define SCENE_GRAPH_PRIVATE_H

#include "scene_graph.h"

/* Labels are less than this from the base, except for those that a renumbering has not reached yet,
 * which are less than twice this. */
#define SCENE_LABEL_SPAN (UINT64_C(1) << 62)

static inline struct scene_node *node_at(const struct scene *scene, scene_node_handle link)
{
    return scene_node_map_get(&scene->nodes, link);
}

static inline bool is_null(scene_node_handle node)
{
    return scene_node_handle_is_null(node);
}

static inline bool is_same(scene_node_handle a, scene_node_handle b)
{
    return scene_node_handle_equal(a, b);
}

/* Returns the next bracket of the walk; behind the root's end that of a null node. */
static inline struct scene_bracket bracket_after(const struct scene *scene, struct scene_bracket at)
{
    const struct scene_node *node = node_at(scene, at.node);
    scene_node_handle next = at.is_end ? node->next : node->first_child;
    if (!is_null(next))
        return (struct scene_bracket){next, false};
    return (struct scene_bracket){at.is_end ? node->parent : at.node, true};
}

static inline uint64_t *label_at(const struct scene *scene, struct scene_bracket at)
{
    struct scene_node *node = node_at(scene, at.node);
    return at.is_end ? &node->end : &node->begin;
}

/* Labels are compared by their distance from the base, which wraps around. */
static inline uint64_t label_of(const struct scene *scene, struct scene_bracket at)
{
    return *label_at(scene, at) - scene->base;
}

static inline void set_crowded(struct scene *scene, struct scene_node *node, bool is_crowded)
{
    scene->crowded -= node->is_crowded;
    scene->crowded += is_crowded;
    node->is_crowded = is_crowded;
}

/* Makes a scene without a root. */
hm_status scene_init_empty(struct scene *scene, uint32_t capacity, const hm_memory *memory);

/* Whether all links agree, and lead from the root to each node once. Links may be any bits. */
bool scene_has_good_links(const struct scene *scene);

/* Numbers at most so many brackets, if any node is crowded; returns how many. */
uint32_t scene_number(struct scene *scene, uint32_t most);

#endif

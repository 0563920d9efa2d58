/* SPDX-License-Identifier: MIT */
/* The scene graph: links, walks, and order in memory. See scene_graph.h. */
#include "scene_graph.h"

enum { WALK_SHARE = 16 }; /* a walk pays if one node in so many changed */

/* Links */

static struct scene_node *node_at(const struct scene *scene, hm_handle link)
{
    scene_node_handle handle = {link};
    return scene_node_map_get(&scene->nodes, handle);
}

static bool is_root(const struct scene *scene, hm_handle node)
{
    return hm_handle_equal(node, scene->root.id);
}

/* Stores `target` in the link that leads to a node from the left: the sibling's `next`, or the
 * parent's `first_child` if there is no sibling. */
static void link_from_left(struct scene *scene, hm_handle parent, hm_handle sibling,
                           hm_handle target)
{
    if (hm_handle_is_null(sibling))
        node_at(scene, parent)->first_child = target;
    else
        node_at(scene, sibling)->next = target;
}

static void link_from_right(struct scene *scene, hm_handle parent, hm_handle sibling,
                            hm_handle target)
{
    if (hm_handle_is_null(sibling))
        node_at(scene, parent)->last_child = target;
    else
        node_at(scene, sibling)->previous = target;
}

/* Inserts a node among the children of `parent`, before `next`; null: as the last one. */
static void enter(struct scene *scene, hm_handle handle, hm_handle parent, hm_handle next)
{
    struct scene_node *node = node_at(scene, handle);
    node->parent = parent;
    node->next = next;
    node->previous = hm_handle_is_null(next) ? node_at(scene, parent)->last_child
                                             : node_at(scene, next)->previous;
    link_from_left(scene, parent, node->previous, handle);
    link_from_right(scene, parent, next, handle);
}

static void leave(struct scene *scene, const struct scene_node *node)
{
    link_from_left(scene, node->parent, node->previous, node->next);
    link_from_right(scene, node->parent, node->next, node->previous);
}

/* Lifetime */

static struct scene_transform or_identity(const struct scene_transform *local)
{
    return local != NULL ? *local : scene_transform_identity();
}

static scene_node_handle create_unlinked(struct scene *scene, const struct scene_transform *local)
{
    struct scene_node *node;
    scene_node_handle handle = scene_node_map_emplace(&scene->nodes, &node);
    if (node == NULL)
        return handle;
    memset(node, 0, sizeof *node);
    node->local = or_identity(local);
    node->world = node->local;
    node->order = SCENE_NOT_VISITED;
    node->updated = scene->updates;
    scene->changes++;
    return handle;
}

hm_status scene_init(struct scene *scene, uint32_t capacity, const hm_memory *memory)
{
    if (scene == NULL)
        return HM_ERROR_INVALID;
    memset(scene, 0, sizeof *scene);
    hm_map_desc desc = {.capacity = capacity, .memory = memory, .name = "scene"};
    hm_status status = scene_node_map_init_desc(&scene->nodes, &desc);
    if (status != HM_OK)
        return status;
    scene->root = create_unlinked(scene, NULL);
    if (!hm_handle_is_null(scene->root.id))
        return HM_OK;
    scene_fini(scene);
    return HM_ERROR_MEMORY;
}

void scene_fini(struct scene *scene)
{
    scene_node_map_fini(&scene->nodes);
    scene->root.id = HM_NULL_HANDLE;
}

const struct scene_node *scene_get(const struct scene *scene, scene_node_handle node)
{
    return scene_node_map_get(&scene->nodes, node);
}

scene_node_handle scene_create(struct scene *scene, scene_node_handle parent,
                               const struct scene_transform *local)
{
    scene_node_handle handle = {HM_NULL_HANDLE};
    if (!scene_node_map_contains(&scene->nodes, parent))
        return handle;
    handle = create_unlinked(scene, local);
    if (!hm_handle_is_null(handle.id))
        enter(scene, handle.id, parent.id, HM_NULL_HANDLE);
    return handle;
}

scene_node_handle scene_create_before(struct scene *scene, scene_node_handle sibling,
                                      const struct scene_transform *local)
{
    scene_node_handle handle = {HM_NULL_HANDLE};
    const struct scene_node *next = scene_get(scene, sibling);
    if (next == NULL || is_root(scene, sibling.id))
        return handle;
    hm_handle parent = next->parent;
    handle = create_unlinked(scene, local);
    if (!hm_handle_is_null(handle.id))
        enter(scene, handle.id, parent, sibling.id);
    return handle;
}

/* Returns the node that a depth-first walk over the subtree of `top` visits after this one. */
static hm_handle next_below(const struct scene *scene, hm_handle top, hm_handle handle)
{
    const struct scene_node *node = node_at(scene, handle);
    if (!hm_handle_is_null(node->first_child))
        return node->first_child;
    while (!hm_handle_equal(handle, top)) {
        if (!hm_handle_is_null(node->next))
            return node->next;
        handle = node->parent;
        node = node_at(scene, handle);
    }
    return HM_NULL_HANDLE;
}

scene_node_handle scene_next(const struct scene *scene, scene_node_handle node)
{
    scene_node_handle next = {HM_NULL_HANDLE};
    if (scene_node_map_contains(&scene->nodes, node))
        next.id = next_below(scene, scene->root.id, node.id);
    return next;
}

/* Returns the node of a subtree that a depth-first walk visits last. */
static hm_handle last_visited(const struct scene *scene, hm_handle top)
{
    hm_handle child = node_at(scene, top)->last_child;
    while (!hm_handle_is_null(child)) {
        top = child;
        child = node_at(scene, top)->last_child;
    }
    return top;
}

/* Erases the subtree in the reverse of the walk's order, so that every node is erased after all
 * below it, and no list of them is needed. The direction has a second use: each erase moves the
 * last node of the map into the hole, so if the subtree was in order, the last nodes of the map
 * fill its place in order too, and not reversed. */
uint32_t scene_destroy(struct scene *scene, scene_node_handle node)
{
    const struct scene_node *top = scene_get(scene, node);
    if (top == NULL || is_root(scene, node.id))
        return 0;
    leave(scene, top);
    uint32_t count = 0;
    hm_handle victim = last_visited(scene, node.id);
    for (;;) {
        const struct scene_node *dying = node_at(scene, victim);
        hm_handle previous = dying->previous;
        hm_handle parent = dying->parent;
        bool is_top = hm_handle_equal(victim, node.id);
        hm_map_erase(&scene->nodes.map, victim);
        count++;
        if (is_top)
            return count;
        victim = hm_handle_is_null(previous) ? parent : last_visited(scene, previous);
    }
}

/* Removes the numbers from a subtree that moved. With them, the next walk could report the nodes
 * that the subtree has passed instead of the subtree. */
static void forget_numbers(struct scene *scene, hm_handle top)
{
    for (hm_handle handle = top; !hm_handle_is_null(handle);
         handle = next_below(scene, top, handle)) {
        node_at(scene, handle)->order = SCENE_NOT_VISITED;
        hm_map_touch(&scene->nodes.map, handle);
        scene->changes++;
    }
}

hm_status scene_reparent(struct scene *scene, scene_node_handle node, scene_node_handle parent)
{
    const struct scene_node *moved = scene_get(scene, node);
    if (moved == NULL || !scene_node_map_contains(&scene->nodes, parent))
        return HM_ERROR_STALE;
    /* The root is the parent or one of its ancestors, so it cannot be moved either. */
    for (hm_handle above = parent.id; !hm_handle_is_null(above);
         above = node_at(scene, above)->parent)
        if (hm_handle_equal(above, node.id))
            return HM_ERROR_INVALID;
    leave(scene, moved);
    enter(scene, node.id, parent.id, HM_NULL_HANDLE);
    forget_numbers(scene, node.id);
    return HM_OK;
}

bool scene_set_local(struct scene *scene, scene_node_handle node,
                     const struct scene_transform *local)
{
    struct scene_node *found = scene_node_map_get(&scene->nodes, node);
    if (found == NULL)
        return false;
    found->local = or_identity(local);
    return true;
}

/* Update */

static uint32_t parent_of(const struct scene *scene, const struct scene_node *node)
{
    return hm_map_index_of(&scene->nodes.map, node->parent);
}

/* Computes a node whose parent, at index `parent`, is computed already. */
static void compute(const struct scene *scene, struct scene_node *node, uint32_t parent)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    node->world = parent == HM_INVALID_INDEX
                      ? node->local
                      : scene_transform_multiply(&nodes[parent].world, &node->local);
    node->updated = scene->updates;
}

/* Computes those ancestors of a node that are not computed yet: goes up to the first of them, and
 * down again. On the way `updated`, which is not read meanwhile, holds the index of the node below,
 * so no stack is needed. All calls of an update together visit each node once. */
static void compute_ancestors(const struct scene *scene, uint32_t index)
{
    struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t at = index;
    uint32_t parent = parent_of(scene, &nodes[at]);
    while (parent != HM_INVALID_INDEX && nodes[parent].updated != scene->updates) {
        nodes[parent].updated = at;
        at = parent;
        parent = parent_of(scene, &nodes[at]);
    }
    while (at != index) {
        uint32_t below = nodes[at].updated;
        compute(scene, &nodes[at], parent);
        parent = at;
        at = below;
    }
}

/* The nodes before `i` are computed, and so are their ancestors behind it. If parents are before
 * their children, compute_ancestors is called only for the root, whose parent has no index. */
void scene_update(struct scene *scene)
{
    struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t count = scene_node_map_count(&scene->nodes);
    scene->updates++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = parent_of(scene, &nodes[i]);
        if (parent > i)
            compute_ancestors(scene, i);
        compute(scene, &nodes[i], parent);
    }
}

/* Order */

/* Numbers a node, and reports it to the map if its place among the others may have changed.
 *
 * The map takes the nodes that it has put in order to be in order until it is told otherwise. That
 * stays true for nodes that a new walk visits in the same sequence as the last one: their numbers
 * change, but still rise, so they need no report. A node that has changed its place in the sequence
 * is found by its number of the last walk, which is below `newest`, the highest one so far:
 *
 *     before  0  1  2  7  8  3  4  5  new      `newest` is 8 when 3, 4 and 5 come: reported
 *     now     0  1  2  3  4  5  6  7  8
 *
 * The nodes that are not reported have rising numbers in both walks, which is all the map needs. */
static void number(struct scene *scene, hm_handle handle, struct scene_node *node, uint32_t order,
                   uint32_t *newest)
{
    if (node->order == SCENE_NOT_VISITED || node->order < *newest)
        hm_map_touch(&scene->nodes.map, handle);
    else
        *newest = node->order;
    node->order = order;
}

static void number_all(struct scene *scene)
{
    uint32_t order = 0;
    uint32_t newest = 0;
    for (hm_handle handle = scene->root.id; !hm_handle_is_null(handle);
         handle = next_below(scene, scene->root.id, handle))
        number(scene, handle, node_at(scene, handle), order++, &newest);
    scene->changes = 0;
}

/* Whether to walk now. While the scene changes between all calls, the cost of walks is in
 * proportion to the changes; once it does not, even a single change leads to a walk. */
static bool is_walk_due(const struct scene *scene)
{
    return scene->changes != 0 &&
           (scene->changes >= scene_node_map_count(&scene->nodes) / WALK_SHARE ||
            scene->changes == scene->seen_changes);
}

/* A compare function and not a key: the map may keep a key from call to call, but the next walk
 * renumbers all nodes. A compare of two nodes that are not reported gives the same result as
 * before. */
static int compare_order(const void *a, const void *b, void *context)
{
    const struct scene_node *left = a;
    const struct scene_node *right = b;
    (void)context;
    return (left->order > right->order) - (left->order < right->order);
}

/* If nothing changes, the order of a walk takes at most one swap for each node. If there are
 * changes all the time, the map never finishes: nodes that an erase moved go back to their places,
 * new ones to the end, and all between them are shifted. So this is the limit for each walk's
 * order; when it is spent, calls wait for the next walk. */
hm_progress scene_defragment(struct scene *scene, hm_budget budget)
{
    static const hm_order by_order = {.compare = compare_order};
    if (is_walk_due(scene)) {
        number_all(scene);
        scene->swaps_left = scene_node_map_count(&scene->nodes);
    }
    scene->seen_changes = scene->changes;
    if (scene->swaps_left == 0 && scene->changes != 0)
        return (hm_progress){0, 0, false};
    hm_progress progress = scene_node_map_defragment(&scene->nodes, &by_order, budget);
    if (progress.done || progress.swaps >= scene->swaps_left)
        scene->swaps_left = 0;
    else
        scene->swaps_left -= (uint32_t)progress.swaps;
    progress.done = progress.done && scene->changes == 0;
    return progress;
}

/* Validation */

/* Whether a node exists and its links agree with the walk's path to it. Only the root has no
 * parent. */
static bool is_linked(const struct scene *scene, hm_handle handle, hm_handle parent,
                      hm_handle previous)
{
    const struct scene_node *node = node_at(scene, handle);
    return node != NULL && hm_handle_is_null(parent) == is_root(scene, handle) &&
           hm_handle_equal(node->parent, parent) && hm_handle_equal(node->previous, previous) &&
           hm_handle_is_null(node->first_child) == hm_handle_is_null(node->last_child);
}

/* A node names one parent and one previous sibling, and the walk checks both. So it cannot visit a
 * node twice, and if it makes as many visits as there are nodes, it has visited each. */
hm_status scene_validate(const struct scene *scene)
{
    if (hm_map_validate(&scene->nodes.map) != HM_OK)
        return HM_ERROR_CORRUPT;
    hm_handle parent = HM_NULL_HANDLE;
    hm_handle previous = HM_NULL_HANDLE;
    hm_handle handle = scene->root.id;
    uint32_t visits = 0;
    while (!hm_handle_is_null(handle)) {
        if (!is_linked(scene, handle, parent, previous))
            return HM_ERROR_CORRUPT;
        const struct scene_node *node = node_at(scene, handle);
        visits++;
        if (!hm_handle_is_null(node->first_child)) {
            parent = handle;
            previous = HM_NULL_HANDLE;
            handle = node->first_child;
            continue;
        }
        while (hm_handle_is_null(node->next) && !hm_handle_is_null(node->parent)) {
            const struct scene_node *above = node_at(scene, node->parent);
            if (!hm_handle_equal(above->last_child, handle))
                return HM_ERROR_CORRUPT;
            handle = node->parent;
            node = above;
        }
        parent = node->parent;
        previous = handle;
        handle = node->next;
    }
    return visits == scene_node_map_count(&scene->nodes) ? HM_OK : HM_ERROR_CORRUPT;
}

/* Transforms */

struct scene_transform scene_transform_identity(void)
{
    return scene_transform_translation(0, 0, 0);
}

struct scene_transform scene_transform_translation(float x, float y, float z)
{
    return (struct scene_transform){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

struct scene_transform scene_transform_multiply(const struct scene_transform *outer,
                                                const struct scene_transform *inner)
{
    struct scene_transform product;
    for (size_t row = 0; row < 3; row++) {
        const float *o = &outer->m[4 * row];
        for (size_t column = 0; column < 4; column++)
            product.m[4 * row + column] =
                o[0] * inner->m[column] + o[1] * inner->m[4 + column] + o[2] * inner->m[8 + column];
        product.m[4 * row + 3] += o[3];
    }
    return product;
}

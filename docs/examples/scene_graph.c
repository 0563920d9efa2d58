/* SPDX-License-Identifier: MIT */
/* The scene graph: links, walks, changes and updates. See scene_graph.h. */
#include "scene_graph_private.h"

/* An update that visits more than one node in FULL_PASS_SHARE becomes a full pass. In a scene in
 * order, a visit takes 2 to 6.5 times as long as a node of a full pass, since it follows links; in
 * one that was never put in order, half as long to as long (scene_benchmark, "by visited node",
 * 100,000 and 1,000,000 nodes). So the limit is a little below what always pays. */
enum {
    FULL_PASS_SHARE = 8,
    MOST_PATIENCE = 63, /* full passes without a try to do less */
    SCENE_DEFAULT_CAPACITY = 1 << 20
};

/* Links */

/* Stores `target` in the link that leads to a node from the left: the sibling's `next`, or the
 * parent's `first_child` if there is no sibling. */
static void link_from_left(struct scene *scene, scene_node_handle parent, scene_node_handle sibling,
                           scene_node_handle target)
{
    if (is_null(sibling))
        node_at(scene, parent)->first_child = target;
    else
        node_at(scene, sibling)->next = target;
}

static void link_from_right(struct scene *scene, scene_node_handle parent,
                            scene_node_handle sibling, scene_node_handle target)
{
    if (is_null(sibling))
        node_at(scene, parent)->last_child = target;
    else
        node_at(scene, sibling)->previous = target;
}

/* Inserts a subtree among the children of `parent`, before `next`; null: as the last one. If that
 * is right before the bracket to be numbered next, the subtree is to be numbered too: its labels
 * may be higher than the one that this bracket will get. */
static void enter(struct scene *scene, scene_node_handle handle, scene_node_handle parent,
                  scene_node_handle next)
{
    struct scene_node *node = node_at(scene, handle);
    node->parent = parent;
    node->next = next;
    node->previous =
        is_null(next) ? node_at(scene, parent)->last_child : node_at(scene, next)->previous;
    link_from_left(scene, parent, node->previous, handle);
    link_from_right(scene, parent, next, handle);
    struct scene_bracket *numbered = &scene->numbering.next;
    struct scene_bracket after = bracket_after(scene, (struct scene_bracket){handle, true});
    if (is_same(after.node, numbered->node) && after.is_end == numbered->is_end)
        *numbered = (struct scene_bracket){handle, false};
}

static void leave(struct scene *scene, scene_node_handle handle)
{
    const struct scene_node *node = node_at(scene, handle);
    struct scene_bracket *numbered = &scene->numbering.next;
    if (scene_is_in(scene, handle, numbered->node))
        *numbered = bracket_after(scene, (struct scene_bracket){handle, true});
    link_from_left(scene, node->parent, node->previous, node->next);
    link_from_right(scene, node->parent, node->next, node->previous);
}

/* Walks */

/* Returns the node behind the subtree of `handle`, within that of `top`. */
static scene_node_handle skip_below(const struct scene *scene, scene_node_handle top,
                                    scene_node_handle handle)
{
    while (!is_null(handle) && !is_same(handle, top)) {
        const struct scene_node *node = node_at(scene, handle);
        if (!is_null(node->next))
            return node->next;
        handle = node->parent;
    }
    return scene_node_handle_null();
}

static scene_node_handle next_below(const struct scene *scene, scene_node_handle top,
                                    scene_node_handle handle)
{
    const struct scene_node *node = node_at(scene, handle);
    return is_null(node->first_child) ? skip_below(scene, top, handle) : node->first_child;
}

static bool are_here(const struct scene *scene, scene_node_handle a, scene_node_handle b)
{
    return scene_node_map_contains(&scene->nodes, a) && scene_node_map_contains(&scene->nodes, b);
}

/* Neither asks whether the node is below `top`, which may take as long as a climb. */
scene_node_handle scene_next_in(const struct scene *scene, scene_node_handle top,
                                scene_node_handle node)
{
    return are_here(scene, top, node) ? next_below(scene, top, node) : scene_node_handle_null();
}

scene_node_handle scene_skip_in(const struct scene *scene, scene_node_handle top,
                                scene_node_handle node)
{
    return are_here(scene, top, node) ? skip_below(scene, top, node) : scene_node_handle_null();
}

scene_node_handle scene_next(const struct scene *scene, scene_node_handle node)
{
    return scene_next_in(scene, scene->root, node);
}

uint32_t scene_depth(const struct scene *scene, scene_node_handle node)
{
    uint32_t depth = 0;
    const struct scene_node *at = scene_get(scene, node);
    for (; at != NULL && !is_null(at->parent); at = node_at(scene, at->parent))
        depth++;
    return depth;
}

/* Returns the node of a subtree that a depth-first walk visits last. */
static scene_node_handle last_visited(const struct scene *scene, scene_node_handle top)
{
    scene_node_handle child = node_at(scene, top)->last_child;
    while (!is_null(child)) {
        top = child;
        child = node_at(scene, top)->last_child;
    }
    return top;
}

/* Labels */

static struct scene_bracket bracket_before(const struct scene_node *node)
{
    if (!is_null(node->previous))
        return (struct scene_bracket){node->previous, true};
    return (struct scene_bracket){node->parent, false};
}

/* Gives a node that has entered labels between its neighbours'. Leaves most of the space to
 * siblings that are appended later, or to the next one that is inserted before the same sibling. */
static void label_new(struct scene *scene, scene_node_handle handle, struct scene_node *node)
{
    uint64_t left = label_of(scene, bracket_before(node));
    struct scene_bracket after = bracket_after(scene, (struct scene_bracket){handle, true});
    uint64_t gap = label_of(scene, after) - left;
    set_crowded(scene, node, gap < 3);
    if (gap < 3)
        gap = 0;
    uint64_t lead = is_null(node->next) ? gap / 16 : gap / 2;
    uint64_t width = gap / 4;
    node->begin = scene->base + left + lead + (lead == 0 && gap != 0);
    node->end = node->begin + width + (width == 0 && gap != 0);
}

/* Gives a subtree that has moved labels between its neighbours', and reports its nodes to the map.
 */
static void label_moved(struct scene *scene, scene_node_handle top)
{
    uint64_t left = label_of(scene, bracket_before(node_at(scene, top)));
    struct scene_bracket at = bracket_after(scene, (struct scene_bracket){top, true});
    uint64_t gap = label_of(scene, at) - left;
    uint32_t count = 0;
    for (scene_node_handle node = top; !is_null(node); node = next_below(scene, top, node)) {
        hm_map_touch(&scene->nodes.map, node.id);
        count++;
    }
    uint64_t step = gap / (2 * (uint64_t)count + 1);
    uint64_t label = scene->base + left;
    for (at = (struct scene_bracket){top, false};; at = bracket_after(scene, at)) {
        *label_at(scene, at) = label += step;
        if (!at.is_end)
            set_crowded(scene, node_at(scene, at.node), step == 0);
        else if (is_same(at.node, top))
            break;
    }
    scene->changes += count;
}

/* If labels do not tell, because some are equal, it follows the links. */
bool scene_is_in(const struct scene *scene, scene_node_handle top, scene_node_handle below)
{
    const struct scene_node *outer = scene_get(scene, top);
    const struct scene_node *inner = scene_get(scene, below);
    if (outer == NULL || inner == NULL)
        return false;
    uint64_t begin = inner->begin - scene->base;
    uint64_t end = inner->end - scene->base;
    uint64_t outer_begin = outer->begin - scene->base;
    uint64_t outer_end = outer->end - scene->base;
    if (outer_begin < begin && end < outer_end)
        return true;
    if (end < outer_begin || outer_end < begin || (begin < outer_begin && outer_end < end))
        return false;
    while (!is_null(below) && !is_same(below, top))
        below = node_at(scene, below)->parent;
    return !is_null(below);
}

/* Changes */

static struct scene_transform or_identity(const struct scene_transform *local)
{
    return local != NULL ? *local : scene_transform_identity();
}

/* Lists a node whose world transform, and those of all below it, are to be computed. If there is no
 * space or no memory for that, all are. */
static void mark_dirty(struct scene *scene, scene_node_handle handle, struct scene_node *node)
{
    if (node->is_dirty)
        return;
    node->is_dirty = true;
    scene_node_handle *place =
        scene->is_all_dirty || is_null(node->parent) ? NULL : hm_array_push(&scene->dirty);
    if (place != NULL)
        *place = handle;
    else
        scene->is_all_dirty = true;
}

static scene_node_handle create_unlinked(struct scene *scene, const struct scene_transform *local,
                                         struct scene_node **created)
{
    struct scene_node *node;
    scene_node_handle handle = scene_node_map_emplace(&scene->nodes, &node);
    *created = node;
    if (node == NULL)
        return handle;
    memset(node, 0, sizeof *node);
    node->local = or_identity(local);
    node->world = node->local;
    node->pass = scene->passes;
    scene->changes++;
    return handle;
}

static scene_node_handle create(struct scene *scene, scene_node_handle parent,
                                scene_node_handle next, const struct scene_transform *local)
{
    struct scene_node *node;
    scene_node_handle handle = create_unlinked(scene, local, &node);
    if (node == NULL)
        return handle;
    enter(scene, handle, parent, next);
    label_new(scene, handle, node);
    mark_dirty(scene, handle, node);
    return handle;
}

hm_status scene_init_empty(struct scene *scene, uint32_t capacity, const hm_memory *memory)
{
    memset(scene, 0, sizeof *scene);
    hm_map_desc desc = {.capacity = capacity, .memory = memory, .name = "scene"};
    if (capacity == 0)
        desc.capacity = SCENE_DEFAULT_CAPACITY;
    hm_status status = scene_node_map_init_desc(&scene->nodes, &desc);
    if (status != HM_OK)
        return status;
    hm_array_desc dirty = {.item_size = sizeof(scene_node_handle), .memory = memory};
    dirty.capacity = hm_map_capacity(&scene->nodes.map) / FULL_PASS_SHARE + 1;
    status = hm_array_init(&scene->dirty, &dirty);
    if (status != HM_OK)
        scene_fini(scene);
    return status;
}

hm_status scene_init(struct scene *scene, uint32_t capacity, const hm_memory *memory)
{
    if (scene == NULL)
        return HM_ERROR_INVALID;
    hm_status status = scene_init_empty(scene, capacity, memory);
    struct scene_node *root = NULL;
    if (status == HM_OK)
        scene->root = create_unlinked(scene, NULL, &root);
    if (root == NULL) {
        scene_fini(scene);
        return status != HM_OK ? status : HM_ERROR_MEMORY;
    }
    root->end = SCENE_LABEL_SPAN - 1;
    return HM_OK;
}

void scene_fini(struct scene *scene)
{
    scene_node_map_fini(&scene->nodes);
    hm_array_fini(&scene->dirty);
    scene->root = scene_node_handle_null();
}

const struct scene_node *scene_get(const struct scene *scene, scene_node_handle node)
{
    return scene_node_map_get(&scene->nodes, node);
}

scene_node_handle scene_create(struct scene *scene, scene_node_handle parent,
                               const struct scene_transform *local)
{
    if (!scene_node_map_contains(&scene->nodes, parent))
        return scene_node_handle_null();
    return create(scene, parent, scene_node_handle_null(), local);
}

scene_node_handle scene_create_before(struct scene *scene, scene_node_handle sibling,
                                      const struct scene_transform *local)
{
    const struct scene_node *next = scene_get(scene, sibling);
    if (next == NULL || is_null(next->parent))
        return scene_node_handle_null();
    return create(scene, next->parent, sibling, local);
}

static void erase(struct scene *scene, scene_node_handle node)
{
    set_crowded(scene, node_at(scene, node), false);
    scene_node_map_erase(&scene->nodes, node);
    scene->changes++;
}

/* Erases the subtree in the reverse of the walk's order, so that every node is erased after all
 * below it, and no list of them is needed. The direction has a second use: each erase moves the
 * last node of the map into the hole, so if the subtree was in order, the last nodes of the map
 * fill its place in order too, and not reversed. */
uint32_t scene_destroy(struct scene *scene, scene_node_handle node)
{
    if (scene_get(scene, node) == NULL || is_same(node, scene->root))
        return 0;
    leave(scene, node);
    uint32_t count = 0;
    scene_node_handle victim = last_visited(scene, node);
    for (;;) {
        scene_node_handle previous = node_at(scene, victim)->previous;
        scene_node_handle parent = node_at(scene, victim)->parent;
        bool is_top = is_same(victim, node);
        erase(scene, victim);
        count++;
        if (is_top)
            return count;
        victim = is_null(previous) ? parent : last_visited(scene, previous);
    }
}

/* The children's labels are between those of the node, so they fit as they are. */
hm_status scene_remove(struct scene *scene, scene_node_handle node)
{
    const struct scene_node *removed = scene_get(scene, node);
    if (removed == NULL)
        return HM_ERROR_STALE;
    if (is_same(node, scene->root))
        return HM_ERROR_INVALID;
    struct scene_bracket *numbered = &scene->numbering.next;
    while (is_same(numbered->node, node))
        *numbered = bracket_after(scene, *numbered);
    scene_node_handle first = removed->first_child;
    for (scene_node_handle at = first; !is_null(at); at = node_at(scene, at)->next) {
        struct scene_node *child = node_at(scene, at);
        child->parent = removed->parent;
        mark_dirty(scene, at, child);
    }
    if (!is_null(first)) {
        node_at(scene, first)->previous = removed->previous;
        node_at(scene, removed->last_child)->next = removed->next;
    }
    link_from_left(scene, removed->parent, removed->previous,
                   is_null(first) ? removed->next : first);
    link_from_right(scene, removed->parent, removed->next,
                    is_null(first) ? removed->previous : removed->last_child);
    erase(scene, node);
    return HM_OK;
}

static hm_status move(struct scene *scene, scene_node_handle node, scene_node_handle parent,
                      scene_node_handle next)
{
    leave(scene, node);
    enter(scene, node, parent, next);
    label_moved(scene, node);
    mark_dirty(scene, node, node_at(scene, node));
    return HM_OK;
}

hm_status scene_reparent(struct scene *scene, scene_node_handle node, scene_node_handle parent)
{
    if (!are_here(scene, node, parent))
        return HM_ERROR_STALE;
    if (scene_is_in(scene, node, parent)) /* The root cannot be moved either. */
        return HM_ERROR_INVALID;
    return move(scene, node, parent, scene_node_handle_null());
}

hm_status scene_reparent_before(struct scene *scene, scene_node_handle node,
                                scene_node_handle sibling)
{
    const struct scene_node *next = scene_get(scene, sibling);
    if (scene_get(scene, node) == NULL || next == NULL)
        return HM_ERROR_STALE;
    if (scene_is_in(scene, node, sibling) || is_null(next->parent))
        return HM_ERROR_INVALID;
    return move(scene, node, next->parent, sibling);
}

bool scene_set_local(struct scene *scene, scene_node_handle node,
                     const struct scene_transform *local)
{
    struct scene_node *found = node_at(scene, node);
    if (found == NULL)
        return false;
    found->local = or_identity(local);
    mark_dirty(scene, node, found);
    return true;
}

/* Update */

static void compute(struct scene_node *node, const struct scene_node *parent)
{
    node->world =
        parent == NULL ? node->local : scene_transform_multiply(&parent->world, &node->local);
    node->is_dirty = false;
}

/* Computes what is below one node that has changed, unless one above it has changed too, and so
 * computes it as well. False if that takes more visits than `most` in all. */
static bool update_subtree(struct scene *scene, scene_node_handle top, uint32_t most)
{
    struct scene_node *node = node_at(scene, top);
    if (node == NULL || !node->is_dirty)
        return true;
    scene->visited++;
    const struct scene_node *above = node_at(scene, node->parent);
    for (; !above->is_dirty && !is_null(above->parent); above = node_at(scene, above->parent))
        if (scene->visited++ >= most)
            return false;
    if (above->is_dirty)
        return true;
    for (scene_node_handle at = top; !is_null(at); at = next_below(scene, top, at)) {
        if (scene->visited++ >= most)
            return false;
        node = node_at(scene, at);
        compute(node, node_at(scene, node->parent));
    }
    return true;
}

static bool update_subtrees(struct scene *scene)
{
    const scene_node_handle *dirty = hm_array_data(&scene->dirty);
    size_t count = hm_array_count(&scene->dirty);
    uint32_t most = scene_node_map_count(&scene->nodes) / FULL_PASS_SHARE;
    if (scene->is_all_dirty || count > most)
        return false;
    if (scene->patience > 0) {
        scene->patience--;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!update_subtree(scene, dirty[i], most)) {
            scene->overruns = 2 * scene->overruns + 1;
            if (scene->overruns > MOST_PATIENCE)
                scene->overruns = MOST_PATIENCE;
            scene->patience = scene->overruns;
            return false;
        }
    }
    scene->overruns = 0;
    return true;
}

static uint32_t parent_of(const struct scene *scene, const struct scene_node *node)
{
    return scene_node_map_index_of(&scene->nodes, node->parent);
}

/* Computes a node whose parent, at index `parent`, is computed already. */
static void pass(const struct scene *scene, struct scene_node *node, uint32_t parent)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    compute(node, parent == HM_INVALID_INDEX ? NULL : &nodes[parent]);
    node->pass = scene->passes;
}

/* Computes those ancestors of a node that are not computed yet: goes up to the first of them, and
 * down again. On the way `pass`, which is not read meanwhile, holds the index of the node below, so
 * no stack is needed. All calls of an update together visit each node once. */
static void pass_ancestors(const struct scene *scene, uint32_t index)
{
    struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t at = index;
    uint32_t parent = parent_of(scene, &nodes[at]);
    while (parent != HM_INVALID_INDEX && nodes[parent].pass != scene->passes) {
        nodes[parent].pass = at;
        at = parent;
        parent = parent_of(scene, &nodes[at]);
    }
    while (at != index) {
        uint32_t below = nodes[at].pass;
        pass(scene, &nodes[at], parent);
        parent = at;
        at = below;
    }
}

/* The nodes before `i` are computed, and so are their ancestors behind it. If parents are before
 * their children, pass_ancestors is called only for the root, whose parent has no index. */
static void update_all(struct scene *scene)
{
    struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t count = scene_node_map_count(&scene->nodes);
    scene->passes++;
    scene->visited += count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = parent_of(scene, &nodes[i]);
        if (parent > i)
            pass_ancestors(scene, i);
        pass(scene, &nodes[i], parent);
    }
}

void scene_update(struct scene *scene)
{
    scene->visited = 0;
    if (!update_subtrees(scene))
        update_all(scene);
    scene->is_all_dirty = false;
    if (scene->dirty.data != NULL)
        hm_array_resize(&scene->dirty, 0);
}

/* The product grows from the node upward. Where a node above has changed, the world transform of
 * its parent is the last one known to be right, unless another one further up has changed too. */
bool scene_world_of(const struct scene *scene, scene_node_handle node,
                    struct scene_transform *world)
{
    const struct scene_node *at = scene_get(scene, node);
    if (at == NULL)
        return false;
    *world = at->world;
    if (!scene->is_all_dirty && hm_array_count(&scene->dirty) == 0)
        return true;
    struct scene_transform product = at->local;
    for (; !is_null(at->parent); at = node_at(scene, at->parent)) {
        const struct scene_node *parent = node_at(scene, at->parent);
        if (at->is_dirty)
            *world = scene_transform_multiply(&parent->world, &product);
        product = scene_transform_multiply(&parent->local, &product);
    }
    if (at->is_dirty)
        *world = product;
    return true;
}

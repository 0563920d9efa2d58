/* SPDX-License-Identifier: MIT */
/* The scene graph: renumbering, order in memory, and validation. See scene_graph.h. */
#include "scene_graph_private.h"

enum {
    ROUND_SHARE = 16,   /* a round pays if there is one change for so many swaps */
    NUMBERING_SHARE = 8 /* of the compares, one in so many is for renumbering */
};

/* Renumbering */

/* Numbers the next bracket. The label may rise no higher than it was, so that labels never fall
 * along the walk while it goes on: it leaves the rest as it is, and goes below it. For that reason
 * the order of two nodes changes only where their labels were equal; those are reported. */
static void number_bracket(struct scene *scene)
{
    struct scene_numbering *numbering = &scene->numbering;
    struct scene_bracket at = numbering->next;
    struct scene_bracket after = bracket_after(scene, at);
    uint64_t old = label_of(scene, at);
    uint64_t label = numbering->label + numbering->step;
    if (label > SCENE_LABEL_SPAN - 1)
        label = SCENE_LABEL_SPAN - 1;
    if (label > old)
        label = old;
    if (!at.is_end) {
        bool is_root = is_same(at.node, scene->root);
        if (old == label_of(scene, after))
            hm_map_touch(&scene->nodes.map, at.node.id);
        set_crowded(scene, node_at(scene, at.node), !is_root && label == numbering->label);
    }
    *label_at(scene, at) = scene->base + label;
    numbering->label = label;
    numbering->next = after;
}

/* A new renumbering begins below all labels, which thereby rise by SCENE_LABEL_SPAN. Half of its
 * labels are for nodes that are created meanwhile. */
uint32_t scene_number(struct scene *scene, uint32_t most)
{
    struct scene_numbering *numbering = &scene->numbering;
    if (is_null(numbering->next.node)) {
        if (scene->crowded == 0)
            return 0;
        numbering->next = (struct scene_bracket){scene->root, false};
        numbering->step = SCENE_LABEL_SPAN / (4 * (uint64_t)scene_node_map_count(&scene->nodes));
        numbering->label = 0 - numbering->step; /* The first label is 0. */
        scene->base -= SCENE_LABEL_SPAN;
    }
    uint32_t count = 0;
    for (; count < most && !is_null(numbering->next.node); count++)
        number_bracket(scene);
    return count;
}

/* A compare function and not a key: the map may keep a key from call to call, but labels are
 * renumbered. That leaves the order of nodes that are not reported as it is. */
static int compare_labels(const void *a, const void *b, void *context)
{
    const struct scene_node *left = a;
    const struct scene_node *right = b;
    const uint64_t *base = context;
    uint64_t left_label = left->begin - *base;
    uint64_t right_label = right->begin - *base;
    return (left_label > right_label) - (left_label < right_label);
}

/* Whether this call has something to do; begins a round if one is due. */
static bool is_due(struct scene *scene)
{
    bool is_quiet = scene->changes == scene->seen_changes;
    scene->seen_changes = scene->changes;
    if (scene->is_round || scene->changes == 0)
        return true;
    if (!is_quiet && (uint64_t)scene->changes * ROUND_SHARE < scene->round_swaps)
        return false;
    scene->is_round = true;
    scene->round_swaps = 0;
    scene->changes = scene->seen_changes = 0;
    return true;
}

/* If nothing changes, a round takes at most one swap for each node. If there are changes all the
 * time, the map may never finish, so this is the limit. */
static void end_round(struct scene *scene, hm_progress progress)
{
    if (!scene->is_round)
        return;
    scene->round_swaps += progress.swaps;
    scene->is_round = !progress.done && scene->round_swaps < scene_node_map_count(&scene->nodes);
}

/* Renumbers as many labels as the budget allows, and returns how many. */
static uint32_t number_within(struct scene *scene, hm_frame_budget *budget)
{
    if (budget == NULL || budget->compares_left == HM_NO_LIMIT)
        return scene_number(scene, budget != NULL ? budget->swaps_left : HM_NO_LIMIT);
    uint32_t numbered = scene_number(scene, budget->compares_left / NUMBERING_SHARE + 1);
    budget->compares_left -= numbered;
    budget->is_spent = budget->compares_left == 0;
    return numbered;
}

hm_progress scene_defragment(struct scene *scene, hm_frame_budget *budget)
{
    hm_order order = {.compare = compare_labels, .context = &scene->base};
    if (!is_due(scene) || hm_frame_budget_is_spent(budget))
        return (hm_progress){0};
    uint32_t numbered = number_within(scene, budget);
    if (hm_frame_budget_is_spent(budget))
        return (hm_progress){.compares = numbered};
    hm_progress progress = scene_node_map_defragment(&scene->nodes, &order, budget);
    end_round(scene, progress);
    progress.compares += numbered;
    progress.done = progress.done && scene->changes == 0 && scene->crowded == 0 &&
                    is_null(scene->numbering.next.node);
    return progress;
}

void scene_pace_add(struct scene_pace *pace, hm_progress spent, double ms)
{
    static const double kept = 7.0 / 8;
    pace->swaps = kept * pace->swaps + (double)spent.swaps;
    pace->compares = kept * pace->compares + (double)spent.compares;
    pace->ms = kept * pace->ms + ms;
}

/* At least 1, so that there are steps to measure. */
static uint32_t limit_of(double steps)
{
    return steps < 1 ? 1 : steps < (double)UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
}

/* Both limits share the time as swaps and compares did in the last calls, but neither gets less
 * than an eighth of it, so that it can grow when the work changes. */
hm_frame_budget scene_pace_budget(const struct scene_pace *pace, double ms)
{
    static const double guess = 5000; /* steps a ms */
    static const double least = 1.0 / 8;
    double steps = pace->swaps + pace->compares;
    double most = ms * (steps > 0 && pace->ms > 0 ? steps / pace->ms : guess);
    double share = steps > 0 ? pace->swaps / steps : 1.0 / 2;
    share = share < least ? least : share > 1 - least ? 1 - least : share;
    return hm_frame_budget_of(limit_of(most * share), limit_of(most * (1 - share)));
}

/* Validation */

/* Whether a node exists and its links agree with the walk's path to it. Only the root has no
 * parent. */
static bool is_linked(const struct scene *scene, scene_node_handle handle, scene_node_handle parent,
                      scene_node_handle previous)
{
    const struct scene_node *node = node_at(scene, handle);
    return node != NULL && is_null(parent) == is_same(handle, scene->root) &&
           is_same(node->parent, parent) && is_same(node->previous, previous) &&
           is_null(node->first_child) == is_null(node->last_child);
}

/* A node names one parent and one previous sibling, and the walk checks both. So it cannot visit a
 * node twice, and if it makes as many visits as there are nodes, it has visited each. */
bool scene_has_good_links(const struct scene *scene)
{
    scene_node_handle parent = scene_node_handle_null();
    scene_node_handle previous = parent;
    scene_node_handle handle = scene->root;
    uint32_t visits = 0;
    while (!is_null(handle)) {
        if (!is_linked(scene, handle, parent, previous))
            return false;
        const struct scene_node *node = node_at(scene, handle);
        visits++;
        if (!is_null(node->first_child)) {
            parent = handle;
            previous = scene_node_handle_null();
            handle = node->first_child;
            continue;
        }
        while (is_null(node->next) && !is_null(node->parent)) {
            const struct scene_node *above = node_at(scene, node->parent);
            if (!is_same(above->last_child, handle))
                return false;
            handle = node->parent;
            node = above;
        }
        parent = node->parent;
        previous = handle;
        handle = node->next;
    }
    return visits == scene_node_map_count(&scene->nodes);
}

/* Labels never fall, and only crowded nodes have that of the bracket before. */
static bool has_good_labels(const struct scene *scene)
{
    struct scene_bracket at = {scene->root, false};
    uint64_t last = 0;
    uint32_t crowded = 0;
    for (; !is_null(at.node); at = bracket_after(scene, at)) {
        const struct scene_node *node = node_at(scene, at.node);
        uint64_t label = label_of(scene, at);
        if (label < last || label >= 2 * SCENE_LABEL_SPAN)
            return false;
        if (!at.is_end) {
            if (label == last && !node->is_crowded && !is_same(at.node, scene->root))
                return false;
            crowded += node->is_crowded;
        }
        last = label;
    }
    at = scene->numbering.next;
    return crowded == scene->crowded && (is_null(at.node) || node_at(scene, at.node) != NULL);
}

/* Each changed node is listed once, unless all are to be computed. */
static bool has_good_list(const struct scene *scene)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    const scene_node_handle *listed = hm_array_data(&scene->dirty);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene_node_map_count(&scene->nodes); i++)
        count += nodes[i].is_dirty;
    for (size_t i = 0; i < hm_array_count(&scene->dirty); i++) {
        const struct scene_node *node = node_at(scene, listed[i]);
        if (node != NULL && !node->is_dirty)
            return false;
        count -= node != NULL;
    }
    return count == 0 || scene->is_all_dirty;
}

hm_status scene_validate(const struct scene *scene)
{
    bool is_good = hm_map_validate(&scene->nodes.map) == HM_OK && scene_has_good_links(scene) &&
                   has_good_labels(scene) && has_good_list(scene);
    return is_good ? HM_OK : HM_ERROR_CORRUPT;
}

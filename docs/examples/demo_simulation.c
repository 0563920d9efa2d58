/* SPDX-License-Identifier: MIT */
/* The demo's scene and its frames. See demo_simulation.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_simulation.h"

#include <time.h>

enum {
    GROUP_MIN = 16, /* nodes */
    GROUP_MAX = 512,
    PLOT_NODES = 1000,
    PLOT_SIDE = 24,      /* the length of a plot's side */
    CHURN_DIVISOR = 100, /* 1% of the nodes change each frame */
    PROBES = 256         /* stale handles tried each frame */
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static uint32_t below(struct simulation *s, uint32_t n)
{
    return random_below(&s->random, n);
}

static uint32_t node_count(const struct simulation *s)
{
    return scene_node_map_count(&s->scene.nodes);
}

float simulation_extent(const struct simulation *s)
{
    return (float)(s->plot_side * PLOT_SIDE);
}

size_t simulation_scene_memory(const struct simulation *s)
{
    return hm_map_get_stats(&s->scene.nodes.map).committed_size;
}

size_t simulation_draw_memory(const struct simulation *s)
{
    return hm_secondary_get_stats(&s->draw_list.materials.secondary).committed_size +
           hm_secondary_get_stats(&s->draw_list.items.secondary).committed_size;
}

/* Building */

/* FNV-1a (Fowler, Noll and Vo), 64 bits. */
static void count_issued(struct simulation *s, scene_node_handle handle)
{
    s->issued++;
    for (int byte = 0; byte < 8; byte++)
        s->issued_hash =
            (s->issued_hash ^ (handle.id.bits >> 8 * byte & 0xFF)) * UINT64_C(0x100000001B3);
}

static scene_node_handle fresh_at(const struct simulation *s, uint32_t place)
{
    return *(scene_node_handle *)hm_array_at(&s->fresh, place);
}

/* Records a node that was just created; false if its creation, or the record, has failed. */
static bool keep_fresh(struct simulation *s, scene_node_handle handle)
{
    scene_node_handle *place = hm_array_push(&s->fresh);
    if (place == NULL || hm_handle_is_null(handle.id))
        return false;
    *place = handle;
    count_issued(s, handle);
    return true;
}

/* Makes a node of a model one that can be drawn, if it has a material; false if memory runs out. */
static bool paint(struct simulation *s, scene_node_handle node, const struct demo_model *part,
                  uint32_t material)
{
    return material == MODEL_NOT_DRAWN ||
           draw_list_paint(&s->draw_list, node, part->first_material + material);
}

/* Returns the next model; the subtree of its node *from has at most `most` nodes, as a leaf does.
 */
static const struct demo_model *choose_part(struct simulation *s, uint32_t most, uint32_t *from)
{
    const struct demo_settings *settings = s->settings;
    const struct demo_model *part = &settings->models[s->turn++ % settings->model_count];
    const struct model_node *nodes = model_nodes(part->model);
    *from = 0;
    if (nodes[0].size > most)
        *from = below(s, model_count(part->model));
    while (nodes[*from].size > most)
        *from = (*from + 1) % model_count(part->model);
    return part;
}

/* A random translation, then the model's own transform. */
static struct scene_transform place_part(struct simulation *s, const struct scene_transform *local)
{
    float step[3];
    for (int i = 0; i < 3; i++)
        step[i] = (float)below(s, 1000) / 50.0F;
    struct scene_transform aside = scene_transform_translation(step[0], step[1], step[2]);
    return scene_transform_multiply(&aside, local);
}

/* Builds the part of a model below `parent` or, if that is null, before `sibling`. */
static bool build_part(struct simulation *s, const struct demo_model *part, uint32_t from,
                       scene_node_handle parent, scene_node_handle sibling)
{
    const struct model_node *nodes = model_nodes(part->model);
    uint32_t base = (uint32_t)hm_array_count(&s->fresh);
    struct scene_transform local = place_part(s, &nodes[from].local);
    scene_node_handle top = hm_handle_is_null(parent.id)
                                ? scene_create_before(&s->scene, sibling, &local)
                                : scene_create(&s->scene, parent, &local);
    bool built = keep_fresh(s, top) && paint(s, top, part, nodes[from].material);
    for (uint32_t i = from + 1; built && i < from + nodes[from].size; i++) {
        scene_node_handle above = fresh_at(s, base + nodes[i].parent - from);
        scene_node_handle node = scene_create(&s->scene, above, &nodes[i].local);
        built = keep_fresh(s, node) && paint(s, node, part, nodes[i].material);
    }
    return built;
}

/* Builds a group of exactly `count` nodes: one model, and others attached to random nodes that were
 * built before them. */
static bool build_group(struct simulation *s, struct demo_group *group, uint32_t count,
                        scene_node_handle parent, scene_node_handle sibling)
{
    hm_array_resize(&s->fresh, 0);
    bool built = true;
    for (uint32_t n = 0; built && n < count; n = (uint32_t)hm_array_count(&s->fresh)) {
        uint32_t from;
        const struct demo_model *part = choose_part(s, count - n, &from);
        if (n != 0)
            parent = fresh_at(s, below(s, n));
        built = build_part(s, part, from, parent, sibling);
    }
    if (!built)
        return false;
    group->top = fresh_at(s, 0);
    group->last_built = fresh_at(s, count - 1);
    group->count = count;
    group->in_view = false;
    return true;
}

static uint32_t any_group_size(struct simulation *s, uint32_t most)
{
    uint32_t size = GROUP_MIN + below(s, GROUP_MAX - GROUP_MIN + 1);
    return size < most ? size : most;
}

static bool build_groups_at(struct simulation *s, uint32_t count, scene_node_handle plot)
{
    while (count > 0) {
        struct demo_group *group = hm_array_push(&s->groups);
        scene_node_handle no_sibling = {HM_NULL_HANDLE};
        if (group == NULL || !build_group(s, group, any_group_size(s, count), plot, no_sibling))
            return false;
        group->plot = plot;
        count -= group->count;
    }
    return true;
}

/* Builds one plot after the other, `nodes` nodes in all, nearly in depth-first order. */
static bool build_scene(struct simulation *s, uint32_t nodes)
{
    while (s->plot_side * s->plot_side * PLOT_NODES < nodes)
        s->plot_side++;
    while (nodes > 0) {
        uint32_t number = (uint32_t)hm_array_count(&s->plots);
        uint32_t row = number / s->plot_side;
        uint32_t column = number % s->plot_side;
        struct scene_transform aside =
            scene_transform_translation((float)(column * PLOT_SIDE), 0, (float)(row * PLOT_SIDE));
        scene_node_handle *plot = hm_array_push(&s->plots);
        if (plot == NULL)
            return false;
        *plot = scene_create(&s->scene, s->scene.root, &aside);
        count_issued(s, *plot);
        uint32_t count = nodes < PLOT_NODES ? nodes : PLOT_NODES;
        if (!build_groups_at(s, count, *plot))
            return false;
        nodes -= count;
    }
    return true;
}

/* View */

/* Where a group stands on the ground, on which neither plots nor groups are turned or scaled. */
static void find_place(const struct simulation *s, const struct demo_group *group, float *x,
                       float *z)
{
    const float *plot = scene_get(&s->scene, group->plot)->local.m;
    const float *top = scene_get(&s->scene, group->top)->local.m;
    *x = plot[3] + top[3];
    *z = plot[11] + top[11];
}

/* Shows and hides groups as the camera sees their first nodes. False if memory runs out. */
static bool look(struct simulation *s)
{
    s->camera = camera_at(s->steps, simulation_extent(s));
    for (size_t i = 0; i < hm_array_count(&s->groups); i++) {
        struct demo_group *group = hm_array_at(&s->groups, i);
        float x, z;
        find_place(s, group, &x, &z);
        uint32_t distance = 0;
        bool in_view = camera_sees(&s->camera, x, z, &distance);
        if (in_view && (!group->in_view || group->distance != distance)) {
            if (!draw_list_show(&s->draw_list, &s->scene, group->top, group->count, distance))
                return false;
        } else if (!in_view && group->in_view) {
            draw_list_hide(&s->draw_list, &s->scene, group->top, group->count);
        }
        group->in_view = in_view;
        group->distance = distance;
    }
    return true;
}

bool simulation_begin(struct simulation *s, const struct demo_settings *settings, bool defragments)
{
    hm_array_desc groups = {.item_size = sizeof(struct demo_group), .memory = settings->memory};
    hm_array_desc handles = {.item_size = sizeof(scene_node_handle), .memory = settings->memory};
    memset(s, 0, sizeof *s);
    s->settings = settings;
    s->defragments = defragments;
    s->random = settings->seed;
    s->issued_hash = UINT64_C(0xCBF29CE484222325);
    return hm_array_init(&s->groups, &groups) == HM_OK &&
           hm_array_init(&s->plots, &handles) == HM_OK &&
           hm_array_init(&s->fresh, &handles) == HM_OK;
}

const char *simulation_init(struct simulation *s, const struct demo_settings *settings,
                            bool defragments)
{
    if (!simulation_begin(s, settings, defragments) ||
        scene_init(&s->scene, 0, settings->memory) != HM_OK ||
        draw_list_init(&s->draw_list, &s->scene, settings->memory) != HM_OK ||
        !build_scene(s, settings->nodes))
        return "the scene does not fit into memory";
    count_issued(s, s->scene.root);
    scene_defragment(&s->scene, NULL);
    if (!look(s))
        return "the scene does not fit into memory";
    draw_list_sort(&s->draw_list, NULL);
    return NULL;
}

void simulation_fini(struct simulation *s)
{
    scene_fini(&s->scene);
    draw_list_fini(&s->draw_list);
    hm_array_fini(&s->groups);
    hm_array_fini(&s->plots);
    hm_array_fini(&s->fresh);
}

/* Frames */

static void keep_stale(struct simulation *s, scene_node_handle handle)
{
    s->stale[s->stale_count++ % DEMO_STALE_KEPT] = handle;
}

static void destroy_group(struct simulation *s, const struct demo_group *group)
{
    draw_list_forget(&s->draw_list, &s->scene, group->top, group->count);
    scene_destroy(&s->scene, group->top);
    keep_stale(s, group->top);
    keep_stale(s, group->last_built);
}

/* Replaces random groups by new ones, in the same place and with as many nodes. */
static bool replace_groups(struct simulation *s, uint32_t count)
{
    for (uint32_t n = 0; n < count;) {
        uint32_t chosen = below(s, (uint32_t)hm_array_count(&s->groups));
        struct demo_group *group = hm_array_at(&s->groups, chosen);
        struct demo_group old = *group;
        scene_node_handle no_parent = {HM_NULL_HANDLE};
        if (!build_group(s, group, old.count, no_parent, old.top))
            return false;
        destroy_group(s, &old);
        n += old.count;
    }
    return true;
}

/* Destroys random groups, then builds new ones at random plots. */
static bool scatter_groups(struct simulation *s, uint32_t count)
{
    uint32_t n = 0;
    while (n < count) {
        uint32_t last = (uint32_t)hm_array_count(&s->groups) - 1;
        struct demo_group *group = hm_array_at(&s->groups, below(s, last + 1));
        destroy_group(s, group);
        n += group->count;
        *group = *(struct demo_group *)hm_array_at(&s->groups, last);
        hm_array_pop(&s->groups);
    }
    while (n > 0) {
        uint32_t size = any_group_size(s, n);
        uint32_t plot = below(s, (uint32_t)hm_array_count(&s->plots));
        if (!build_groups_at(s, size, *(scene_node_handle *)hm_array_at(&s->plots, plot)))
            return false;
        n -= size;
    }
    return true;
}

static void probe_stale(struct simulation *s)
{
    uint32_t kept = DEMO_STALE_KEPT;
    if (s->stale_count < kept)
        kept = (uint32_t)s->stale_count;
    for (uint32_t i = 0; kept != 0 && i < PROBES; i++) {
        if (scene_get(&s->scene, s->stale[below(s, kept)]) == NULL)
            s->refused++;
        else
            s->resolved++;
    }
}

static double measure_order(const struct simulation *s)
{
    uint32_t followed = 0;
    scene_node_handle node = s->scene.root;
    for (uint32_t i = 0; !hm_handle_is_null(node.id);) {
        node = scene_next(&s->scene, node);
        uint32_t next = scene_node_map_index_of(&s->scene.nodes, node);
        followed += next == i + 1;
        i = next;
    }
    return (double)followed / (node_count(s) - 1);
}

/* Turns the whole scene a little, so that an update has to compute all nodes. */
static void turn_scene(struct simulation *s)
{
    static const float nowhere[3] = {0, 0, 0};
    static const float unscaled[3] = {1, 1, 1};
    const float turn[4] = {0, (float)(s->steps % 1000), 0, 1000};
    struct scene_transform local = scene_transform_compose(nowhere, turn, unscaled);
    scene_set_local(&s->scene, s->scene.root, &local);
}

/* Both limits bound the work of a frame. Where groups are replaced in their place, a changed node
 * takes about one swap and 20 compares, so 100,000 nodes of which 1% are replaced take 1,200 swaps
 * and 28,000 compares. Elsewhere it takes as many swaps as it is given. */
static hm_frame_budget choose_budget(const struct simulation *s)
{
    enum { COMPARES_A_SWAP = 4 };
    const struct demo_settings *settings = s->settings;
    uint64_t compares = (uint64_t)settings->swaps * COMPARES_A_SWAP;
    hm_frame_budget budget = hm_frame_budget_of(
        settings->swaps, compares < UINT32_MAX ? (uint32_t)compares : UINT32_MAX);
    if (settings->budget_us > 0) {
        hm_frame_budget timed = scene_pace_budget(&s->pace, settings->budget_us / 1e3);
        if (timed.swaps_left < budget.swaps_left)
            budget.swaps_left = timed.swaps_left;
        if (timed.compares_left < budget.compares_left)
            budget.compares_left = timed.compares_left;
    }
    return budget;
}

/* What is timed: update, defragmentation and sort. The camera's look and the measures are not,
 * since a program without the library would spend on them what one with it does. */
const char *simulation_step(struct simulation *s, struct demo_frame *frame)
{
    uint32_t count = node_count(s) / CHURN_DIVISOR + 1;
    if (!(s->settings->elsewhere ? scatter_groups(s, count) : replace_groups(s, count)))
        return "the scene does not fit into memory";
    probe_stale(s);

    turn_scene(s);

    double start = now_ms();
    scene_update(&s->scene);
    double updated = now_ms();
    *frame = (struct demo_frame){.update_ms = updated - start};
    if (s->defragments) {
        hm_frame_budget budget = choose_budget(s);
        hm_progress spent = scene_defragment(&s->scene, &budget);
        frame->defragment_ms = now_ms() - updated;
        scene_pace_add(&s->pace, spent, frame->defragment_ms);
        frame->swaps = (uint32_t)spent.swaps;
    }
    s->steps++;
    if (!look(s))
        return "the scene does not fit into memory";
    if (s->defragments) {
        double looked = now_ms();
        hm_frame_budget budget = hm_frame_budget_of(s->settings->sort_swaps, HM_NO_LIMIT);
        hm_progress spent = draw_list_sort(&s->draw_list, &budget);
        frame->sort_ms = now_ms() - looked;
        frame->sort_swaps = (uint32_t)spent.swaps;
    }
    frame->order = measure_order(s);
    frame->drawn = draw_secondary_count(&s->draw_list.items);
    frame->material_changes = draw_list_changes(&s->draw_list);
    return NULL;
}

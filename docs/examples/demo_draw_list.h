/* SPDX-License-Identifier: MIT */
/* demo_draw_list: what the camera sees, packed for drawing, and sorted a little in each frame.
 *
 * Drawing is fastest when things of the same material follow each other, since each change of
 * material costs a change of the graphics card's state. So the drawn nodes have a second order,
 * which has nothing to do with that of the scene: they are in a container of their own, found by
 * the nodes' handles, that is kept in the order of material, then of distance.
 *
 * Nodes are shown and hidden by groups, as engines cull: a group is a subtree of `count` nodes. */
#ifndef DEMO_DRAW_LIST_H
#define DEMO_DRAW_LIST_H

#include "scene_graph.h"

#include <handle_map/secondary.h>

struct draw_item {
    uint32_t material;
    uint32_t distance; /* in steps; nearer first, so that what is hidden need not be painted */
};

HM_SECONDARY_DEFINE(material, scene_node, uint32_t)
HM_SECONDARY_DEFINE(draw, scene_node, struct draw_item)

struct draw_list {
    material_secondary materials; /* of all nodes that can be drawn, in view or not */
    draw_secondary items;         /* of those in view */
};

hm_status draw_list_init(struct draw_list *list, const struct scene *scene,
                         const hm_memory *memory);
void draw_list_fini(struct draw_list *list);

/* Gives a node its material, which makes it one that can be drawn. False if memory runs out. */
bool draw_list_paint(struct draw_list *list, scene_node_handle node, uint32_t material);

/* Puts the nodes of a group on the list, or changes their distance. False if memory runs out. */
bool draw_list_show(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                    uint32_t count, uint32_t distance);

/* Takes the nodes of a group off the list. */
void draw_list_hide(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                    uint32_t count);

/* Forgets a group that is about to be destroyed: its materials, and its place on the list. */
void draw_list_forget(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                      uint32_t count);

/* Brings the list nearer to its order. */
hm_progress draw_list_sort(struct draw_list *list, hm_frame_budget *budget);

/* Counts how often the material changes from one item to the next. */
uint32_t draw_list_changes(const struct draw_list *list);

#endif

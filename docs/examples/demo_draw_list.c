/* SPDX-License-Identifier: MIT */
/* The demo's draw list. See demo_draw_list.h. */
#include "demo_draw_list.h"

hm_status draw_list_init(struct draw_list *list, const struct scene *scene, const hm_memory *memory)
{
    const hm_secondary_desc desc = {.owners = scene_node_map_as_owners(&scene->nodes),
                                    .memory = memory};
    memset(list, 0, sizeof *list);
    hm_status status = material_secondary_init_desc(&list->materials, &desc);
    if (status == HM_OK)
        status = draw_secondary_init_desc(&list->items, &desc);
    return status;
}

void draw_list_fini(struct draw_list *list)
{
    material_secondary_fini(&list->materials);
    draw_secondary_fini(&list->items);
}

bool draw_list_paint(struct draw_list *list, scene_node_handle node, uint32_t material)
{
    return material_secondary_set(&list->materials, node, &material) != NULL;
}

/* A set that replaces an item reports the change to the order, so nothing else has to. */
bool draw_list_show(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                    uint32_t count, uint32_t distance)
{
    scene_node_handle node = top;
    for (uint32_t i = 0; i < count; i++, node = scene_next(scene, node)) {
        const uint32_t *material = material_secondary_get(&list->materials, node);
        if (material == NULL)
            continue;
        struct draw_item item = {.material = *material, .distance = distance};
        if (draw_secondary_set(&list->items, node, &item) == NULL)
            return false;
    }
    return true;
}

void draw_list_hide(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                    uint32_t count)
{
    scene_node_handle node = top;
    for (uint32_t i = 0; i < count; i++, node = scene_next(scene, node))
        draw_secondary_remove(&list->items, node);
}

void draw_list_forget(struct draw_list *list, const struct scene *scene, scene_node_handle top,
                      uint32_t count)
{
    scene_node_handle node = top;
    for (uint32_t i = 0; i < count; i++, node = scene_next(scene, node)) {
        material_secondary_remove(&list->materials, node);
        draw_secondary_remove(&list->items, node);
    }
}

static uint64_t material_then_distance(const void *value, void *context)
{
    const struct draw_item *item = value;
    (void)context;
    return (uint64_t)item->material << 32 | item->distance;
}

hm_progress draw_list_sort(struct draw_list *list, hm_frame_budget *budget)
{
    static const hm_order order = {.key = material_then_distance};
    return draw_secondary_defragment(&list->items, &order, budget);
}

uint32_t draw_list_changes(const struct draw_list *list)
{
    const struct draw_item *items = draw_secondary_values(&list->items);
    uint32_t changes = 0;
    for (uint32_t i = 1; i < draw_secondary_count(&list->items); i++)
        changes += items[i].material != items[i - 1].material;
    return changes;
}

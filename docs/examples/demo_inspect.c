/* SPDX-License-Identifier: MIT */
/* What the demo shows of itself. See demo_inspect.h. */
#include "demo_inspect.h"

#include "inspect.h"

#include <handle_map/report.h>

#include <stdio.h>

static struct {
    struct inspect *window;
    hm_report_entry nodes, materials, draw_list;
} inspected;

static size_t print_node(const void *item, uint32_t which, char *buffer, size_t size, void *context)
{
    const struct scene_node *node = item;
    const float *m = node->world.m;
    (void)which;
    (void)context;
    return (size_t)snprintf(buffer, size, "at %.1f, %.1f, %.1f, parent 0x%016llx%s", (double)m[3],
                            (double)m[7], (double)m[11], (unsigned long long)node->parent.id.bits,
                            node->is_dirty ? ", dirty" : "");
}

static size_t print_material(const void *item, uint32_t which, char *buffer, size_t size,
                             void *context)
{
    (void)which;
    (void)context;
    return (size_t)snprintf(buffer, size, "material %u", (unsigned)*(const uint32_t *)item);
}

static size_t print_drawn(const void *item, uint32_t which, char *buffer, size_t size,
                          void *context)
{
    const struct draw_item *drawn = item;
    (void)which;
    (void)context;
    return (size_t)snprintf(buffer, size, "material %u, distance %u", (unsigned)drawn->material,
                            (unsigned)drawn->distance);
}

void demo_inspect_begin(const struct simulation *simulation, uint32_t port)
{
    const struct draw_list *list = &simulation->draw_list;
    inspected.window = inspect_open("demo", port);
    if (inspected.window == NULL)
        return;
    hm_report_add_map(&inspected.nodes, &simulation->scene.nodes.map);
    hm_report_add_secondary(&inspected.materials, &list->materials.secondary);
    hm_report_add_secondary(&inspected.draw_list, &list->items.secondary);
    hm_report_set_print(&inspected.nodes, &(hm_dump_desc){.print = print_node});
    hm_report_set_print(&inspected.materials, &(hm_dump_desc){.print = print_material});
    hm_report_set_print(&inspected.draw_list, &(hm_dump_desc){.print = print_drawn});
}

void demo_inspect_answer(void)
{
    inspect_answer(inspected.window);
}

const char *demo_inspect_address(void)
{
    return inspect_address(inspected.window);
}

void demo_inspect_end(void)
{
    if (inspected.window == NULL)
        return;
    inspect_close(inspected.window);
    hm_report_remove(&inspected.nodes);
    hm_report_remove(&inspected.materials);
    hm_report_remove(&inspected.draw_list);
}

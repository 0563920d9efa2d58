/* SPDX-License-Identifier: MIT */
/* The scene graph: saving and loading. See scene_graph.h.
 *
 * A node is saved as its links and its local transform, each number with its lowest byte first.
 * World transforms, labels and the list of what has changed follow from these. */
#include "scene_graph_private.h"

enum { LINKS = 5, TRANSFORM = 12, NODE_SIZE = 8 * LINKS + 4 * TRANSFORM };

static scene_node_handle *link_at(struct scene_node *node, int i)
{
    scene_node_handle *const links[LINKS] = {&node->parent, &node->first_child, &node->last_child,
                                             &node->previous, &node->next};
    return links[i];
}

static unsigned char *put(unsigned char *bytes, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return bytes + size;
}

static uint64_t take(const unsigned char **bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number |= (uint64_t)(*bytes)[i] << 8 * i;
    *bytes += size;
    return number;
}

static void encode(const void *item, void *bytes, void *context)
{
    struct scene_node node = *(const struct scene_node *)item;
    unsigned char *at = bytes;
    (void)context;
    for (int i = 0; i < LINKS; i++)
        at = put(at, link_at(&node, i)->id.bits, 8);
    for (int i = 0; i < TRANSFORM; i++) {
        uint32_t bits;
        memcpy(&bits, &node.local.m[i], sizeof bits);
        at = put(at, bits, sizeof bits);
    }
}

/* All nodes are crowded, with labels of 0, until they are numbered; only the root has room. */
static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    struct scene_node *node = item;
    const unsigned char *at = bytes;
    (void)context;
    if (version != 0 || size != NODE_SIZE)
        return false;
    for (int i = 0; i < LINKS; i++)
        link_at(node, i)->id.bits = take(&at, 8);
    for (int i = 0; i < TRANSFORM; i++) {
        uint32_t bits = (uint32_t)take(&at, sizeof bits);
        memcpy(&node->local.m[i], &bits, sizeof bits);
    }
    node->is_crowded = !is_null(node->parent);
    node->is_dirty = true;
    return true;
}

static const hm_save_desc scene_format = {.name = "scene",
                                          .layout = "scene_node",
                                          .encoded_size = NODE_SIZE,
                                          .encode = encode,
                                          .decode = decode};

hm_status scene_save(const struct scene *scene, hm_sink sink)
{
    return hm_map_save(&scene->nodes.map, &scene_format, sink);
}

/* Finds the root, and numbers the nodes if they are a tree. */
static hm_status grow_from_nodes(struct scene *scene)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    uint32_t count = scene_node_map_count(&scene->nodes);
    for (uint32_t i = 0; i < count; i++)
        if (is_null(nodes[i].parent))
            scene->root = scene_node_map_handle_at(&scene->nodes, i);
    if (is_null(scene->root) || !scene_has_good_links(scene))
        return HM_ERROR_CORRUPT;
    scene->is_all_dirty = true;
    scene->changes = count;
    node_at(scene, scene->root)->end = count == 1 ? SCENE_LABEL_SPAN - 1 : 0;
    scene->crowded = count - 1;
    (void)scene_number(scene, UINT32_MAX);
    return HM_OK;
}

hm_status scene_load(struct scene *scene, uint32_t capacity, const hm_memory *memory,
                     hm_source source)
{
    if (scene == NULL)
        return HM_ERROR_INVALID;
    hm_status status = scene_init_empty(scene, capacity, memory);
    if (status == HM_OK)
        status = hm_map_load(&scene->nodes.map, &scene_format, source);
    if (status == HM_OK)
        status = grow_from_nodes(scene);
    if (status != HM_OK)
        scene_fini(scene);
    return status;
}

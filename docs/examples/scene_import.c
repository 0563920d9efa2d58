/* SPDX-License-Identifier: MIT */
/* Models: from Assimp's node trees, or made up. See scene_import.h. */
#include "scene_import.h"

#include <stdio.h>

#ifdef HM_WITH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/scene.h>
#endif

enum { MADE_UP_MATERIALS = 12 };

static struct model_node *append(struct model *model, uint32_t parent)
{
    struct model_node *node = hm_array_push(&model->nodes);
    if (node != NULL)
        *node = (struct model_node){.parent = parent, .size = 1, .material = MODEL_NOT_DRAWN};
    return node;
}

static bool init_model(struct model *model, const char *name)
{
    hm_array_desc desc = {.item_size = sizeof(struct model_node)};
    memset(model, 0, sizeof *model);
    snprintf(model->name, sizeof model->name, "%s", name);
    return hm_array_init(&model->nodes, &desc) == HM_OK;
}

/* Parents are before their children, so a backward pass reaches each node after all below it. */
static void add_up_sizes(struct model *model)
{
    struct model_node *nodes = hm_array_data(&model->nodes);
    for (uint32_t i = model_count(model); i-- > 1;)
        nodes[nodes[i].parent].size += nodes[i].size;
}

/* The parent of each node is on the path from the previous node to the root, which keeps the nodes
 * in depth-first order. */
const char *model_generate(struct model *model, uint32_t count, uint64_t seed)
{
    bool fits = init_model(model, "made up");
    model->materials = MADE_UP_MATERIALS;
    for (uint32_t i = 0; fits && i < count; i++) {
        const struct model_node *nodes = model_nodes(model);
        uint32_t parent = i != 0 ? i - 1 : 0;
        while (parent != 0 && random_below(&seed, 2) == 0)
            parent = nodes[parent].parent;
        float side = random_below(&seed, 2) == 0 ? 1.0F : -1.0F;
        struct model_node *node = append(model, parent);
        fits = node != NULL;
        if (fits) {
            node->local = scene_transform_translation(side, 0, 1);
            node->material = random_below(&seed, MADE_UP_MATERIALS);
        }
    }
    if (!fits) {
        model_free(model);
        return "out of memory";
    }
    add_up_sizes(model);
    return NULL;
}

void model_free(struct model *model)
{
    hm_array_fini(&model->nodes);
    memset(model, 0, sizeof *model);
}

#ifdef HM_WITH_ASSIMP

/* A child of `parent` that was found, but not added yet. */
struct pending {
    const struct aiNode *node;
    uint32_t parent;
};

static struct scene_transform to_transform(const struct aiMatrix4x4 *m)
{
    return (struct scene_transform){
        {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2, m->b3, m->b4, m->c1, m->c2, m->c3, m->c4}};
}

/* Adds the nodes in depth-first order. The last child is pushed first, so that the first child is
 * popped first. False if memory runs out. */
static bool enter_all(struct model *model, hm_array *stack, const struct aiScene *file)
{
    struct pending *top = hm_array_push(stack);
    if (top == NULL)
        return false;
    *top = (struct pending){file->mRootNode, 0};
    while (hm_array_count(stack) != 0) {
        top = hm_array_at(stack, hm_array_count(stack) - 1);
        const struct aiNode *from = top->node;
        uint32_t place = model_count(model);
        struct model_node *node = append(model, top->parent);
        if (node == NULL)
            return false;
        node->local = to_transform(&from->mTransformation);
        if (from->mNumMeshes != 0)
            node->material = file->mMeshes[from->mMeshes[0]]->mMaterialIndex;
        hm_array_pop(stack);
        for (unsigned i = from->mNumChildren; i-- > 0;) {
            top = hm_array_push(stack);
            if (top == NULL)
                return false;
            *top = (struct pending){from->mChildren[i], place};
        }
    }
    return true;
}

static const char *copy_hierarchy(struct model *model, const char *name, const struct aiScene *file)
{
    hm_array_desc desc = {.item_size = sizeof(struct pending)};
    hm_array stack = {0};
    bool copied = init_model(model, name) && hm_array_init(&stack, &desc) == HM_OK &&
                  enter_all(model, &stack, file);
    model->materials = file->mNumMaterials;
    hm_array_fini(&stack);
    if (!copied) {
        model_free(model);
        return "out of memory";
    }
    add_up_sizes(model);
    return NULL;
}

const char *model_import(struct model *model, const char *path)
{
    memset(model, 0, sizeof *model);
    const struct aiScene *file = aiImportFile(path, 0);
    if (file == NULL)
        return aiGetErrorString();
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *reason = "it has no nodes";
    if (file->mRootNode != NULL)
        reason = copy_hierarchy(model, name, file);
    aiReleaseImport(file);
    return reason;
}

#else

const char *model_import(struct model *model, const char *path)
{
    (void)path;
    memset(model, 0, sizeof *model);
    return "this demo was built without Assimp";
}

#endif

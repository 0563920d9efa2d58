/* SPDX-License-Identifier: MIT */
/* The naive tree. See scene_model.h. */
#include "scene_model.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

model *scene_model_new(const char *what)
{
    model *m = calloc(1, sizeof *m);
    CHECK(m != NULL);
    m->random = test_seed(what);
    CHECK(scene_init(&m->scene, MOST, NULL) == HM_OK);
    m->nodes[0].handle = m->scene.root;
    m->nodes[0].local = scene_transform_identity();
    m->nodes[0].parent = NONE;
    m->nodes[0].is_live = true;
    m->count = 1;
    return m;
}

void scene_model_delete(model *m)
{
    scene_fini(&m->scene);
    free(m);
}

uint32_t scene_model_any(model *m)
{
    uint32_t place = test_random_below(&m->random, MOST);
    while (!m->nodes[place].is_live)
        place = (place + 1) % MOST;
    return place;
}

/* A quarter turn about a random axis, and whole-numbered moves: floats compute these exactly. */
static struct scene_transform any_transform(model *m)
{
    struct scene_transform t = {{0}};
    uint32_t axis = test_random_below(&m->random, 3);
    for (uint32_t row = 0; row < 3; row++) {
        t.m[4 * row + (row + axis) % 3] = test_random_below(&m->random, 2) == 0 ? 1.0F : -1.0F;
        t.m[4 * row + 3] = (float)test_random_below(&m->random, 9) - 4.0F;
    }
    return t;
}

static void model_enter(model *m, uint32_t place, uint32_t parent, uint32_t position)
{
    model_node *above = &m->nodes[parent];
    for (uint32_t i = above->child_count; i > position; i--)
        above->children[i] = above->children[i - 1];
    above->children[position] = place;
    above->child_count++;
    m->nodes[place].parent = parent;
}

static uint32_t model_position(const model *m, uint32_t place)
{
    const model_node *above = &m->nodes[m->nodes[place].parent];
    uint32_t position = 0;
    while (above->children[position] != place)
        position++;
    return position;
}

static void model_leave(model *m, uint32_t place)
{
    model_node *above = &m->nodes[m->nodes[place].parent];
    uint32_t position = model_position(m, place);
    above->child_count--;
    for (uint32_t i = position; i < above->child_count; i++)
        above->children[i] = above->children[i + 1];
}

static uint32_t model_destroy(model *m, uint32_t place)
{
    model_node *node = &m->nodes[place];
    uint32_t destroyed = 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        destroyed += model_destroy(m, node->children[i]);
    m->stale[m->stale_count++ % STALE_POOL] = node->handle;
    memset(node, 0, sizeof *node);
    return destroyed;
}

static bool model_is_below(const model *m, uint32_t place, uint32_t top)
{
    while (place != NONE && place != top)
        place = m->nodes[place].parent;
    return place == top;
}

/* Half of the nodes are created at the last one, so that there are long chains, whose labels run
 * out.
 */
static void do_create(model *m)
{
    bool at_last = test_random_below(&m->random, 2) == 0 && m->nodes[m->last].is_live;
    uint32_t near = at_last ? m->last : scene_model_any(m);
    struct scene_transform local = any_transform(m);
    bool before = test_random_below(&m->random, 3) == 0;
    scene_node_handle handle = before
                                   ? scene_create_before(&m->scene, m->nodes[near].handle, &local)
                                   : scene_create(&m->scene, m->nodes[near].handle, &local);
    CHECK(is_null(handle) == (m->count == MOST || (before && near == 0)));
    if (is_null(handle))
        return;
    uint32_t place = 0;
    while (m->nodes[place].is_live)
        place++;
    m->last = place;
    m->nodes[place].handle = handle;
    m->nodes[place].local = local;
    m->nodes[place].is_live = true;
    m->count++;
    if (before)
        model_enter(m, place, m->nodes[near].parent, model_position(m, near));
    else
        model_enter(m, place, near, m->nodes[near].child_count);
}

static void do_destroy(model *m)
{
    uint32_t place = scene_model_any(m);
    uint32_t destroyed = scene_destroy(&m->scene, m->nodes[place].handle);
    if (place == 0) {
        CHECK(destroyed == 0);
        return;
    }
    model_leave(m, place);
    CHECK(destroyed == model_destroy(m, place));
    m->count -= destroyed;
}

static void do_remove(model *m)
{
    uint32_t place = scene_model_any(m);
    model_node *node = &m->nodes[place];
    hm_status status = scene_remove(&m->scene, node->handle);
    CHECK(status == (place == 0 ? HM_ERROR_INVALID : HM_OK));
    if (place == 0)
        return;
    uint32_t position = model_position(m, place);
    model_leave(m, place);
    for (uint32_t i = 0; i < node->child_count; i++)
        model_enter(m, node->children[i], node->parent, position + i);
    node->child_count = 0;
    model_destroy(m, place);
    m->count--;
}

static void do_reparent(model *m)
{
    uint32_t place = scene_model_any(m);
    uint32_t parent = scene_model_any(m);
    hm_status status = scene_reparent(&m->scene, m->nodes[place].handle, m->nodes[parent].handle);
    if (model_is_below(m, parent, place)) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    CHECK(status == HM_OK);
    model_leave(m, place);
    model_enter(m, place, parent, m->nodes[parent].child_count);
}

static void do_reparent_before(model *m)
{
    uint32_t place = scene_model_any(m);
    uint32_t sibling = scene_model_any(m);
    hm_status status =
        scene_reparent_before(&m->scene, m->nodes[place].handle, m->nodes[sibling].handle);
    if (model_is_below(m, sibling, place) || sibling == 0) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    CHECK(status == HM_OK);
    model_leave(m, place);
    model_enter(m, place, m->nodes[sibling].parent, model_position(m, sibling));
}

static void do_set_local(model *m)
{
    uint32_t place = scene_model_any(m);
    m->nodes[place].local = any_transform(m);
    CHECK(scene_set_local(&m->scene, m->nodes[place].handle, &m->nodes[place].local));
}

/* What is gone, null, or of a container with another type id. */
static void do_refused(model *m)
{
    scene_node_handle live = m->nodes[scene_model_any(m)].handle;
    scene_node_handle refused = scene_node_handle_null();
    struct scene_transform local = any_transform(m);
    uint32_t kept = m->stale_count < STALE_POOL ? m->stale_count : STALE_POOL;
    uint32_t kind = test_random_below(&m->random, 4);
    if (kind == 0)
        refused.id.bits = live.id.bits + (UINT64_C(1) << HM_HANDLE_TYPE_ID_SHIFT);
    else if (kind > 1 && kept != 0)
        refused = m->stale[test_random_below(&m->random, kept)];
    CHECK(scene_get(&m->scene, refused) == NULL);
    CHECK(is_null(scene_next(&m->scene, refused)));
    CHECK(is_null(scene_next_in(&m->scene, refused, live)));
    CHECK(is_null(scene_skip_in(&m->scene, m->scene.root, refused)));
    CHECK(!scene_is_in(&m->scene, refused, live) && !scene_is_in(&m->scene, live, refused));
    CHECK(scene_depth(&m->scene, refused) == 0);
    CHECK(!scene_world_of(&m->scene, refused, &local));
    CHECK(is_null(scene_create(&m->scene, refused, &local)));
    CHECK(is_null(scene_create_before(&m->scene, refused, &local)));
    CHECK(scene_destroy(&m->scene, refused) == 0);
    CHECK(scene_reparent(&m->scene, refused, live) == HM_ERROR_STALE);
    CHECK(scene_reparent(&m->scene, live, refused) == HM_ERROR_STALE);
    CHECK(scene_reparent_before(&m->scene, refused, live) == HM_ERROR_STALE);
    CHECK(scene_reparent_before(&m->scene, live, refused) == HM_ERROR_STALE);
    CHECK(scene_remove(&m->scene, refused) == HM_ERROR_STALE);
    CHECK(!scene_set_local(&m->scene, refused, &local));
}

/* Destroying is rarer than creating, because it destroys whole subtrees. */
void scene_model_edit(model *m)
{
    static const struct {
        uint32_t share; /* of 100 edits */
        void (*run)(model *m);
    } edits[] = {{52, do_create},         {8, do_destroy},    {8, do_remove}, {8, do_reparent},
                 {8, do_reparent_before}, {10, do_set_local}, {6, do_refused}};
    uint32_t dice = test_random_below(&m->random, 100);
    uint32_t i = 0;
    for (; dice >= edits[i].share; i++)
        dice -= edits[i].share;
    edits[i].run(m);
}

/* Checks that a walk visits a subtree as the naive tree does; returns the node after it. */
static scene_node_handle check_walk(const model *m, uint32_t place, scene_node_handle at)
{
    CHECK(is_same(at, m->nodes[place].handle));
    at = scene_next(&m->scene, at);
    for (uint32_t c = 0; c < m->nodes[place].child_count; c++)
        at = check_walk(m, m->nodes[place].children[c], at);
    return at;
}

void scene_model_check_links(const model *m)
{
    CHECK(scene_validate(&m->scene) == HM_OK);
    CHECK(scene_node_map_count(&m->scene.nodes) == m->count);
    CHECK(is_null(check_walk(m, 0, m->scene.root)));
    for (uint32_t i = 0; i < MOST; i++) {
        const model_node *node = &m->nodes[i];
        if (!node->is_live)
            continue;
        const struct scene_node *found = scene_get(&m->scene, node->handle);
        CHECK(found != NULL);
        scene_node_handle link = found->first_child;
        for (uint32_t c = 0; c < node->child_count; c++) {
            scene_node_handle child = m->nodes[node->children[c]].handle;
            CHECK(is_same(link, child));
            link = scene_get(&m->scene, child)->next;
        }
        CHECK(is_null(link));
    }
}

/* The product of two transforms as 4x4 matrices, in doubles. */
static void multiply(const double a[16], const double b[16], double product[16])
{
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += a[4 * row + i] * b[4 * i + column];
            product[4 * row + column] = sum;
        }
    }
}

/* Checks the world transforms of a subtree, naively; returns the number of its nodes. */
static uint32_t check_worlds(const model *m, uint32_t place, const double parent[16])
{
    const model_node *node = &m->nodes[place];
    const struct scene_node *found = scene_get(&m->scene, node->handle);
    double local[16] = {[15] = 1};
    double world[16];
    uint32_t count = 1;
    for (int i = 0; i < 12; i++)
        local[i] = (double)node->local.m[i];
    multiply(parent, local, world);
    for (int i = 0; i < 12; i++)
        CHECK((double)found->world.m[i] == world[i]);
    for (uint32_t c = 0; c < node->child_count; c++)
        count += check_worlds(m, node->children[c], world);
    return count;
}

void scene_model_check_update(model *m)
{
    static const double identity[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    scene_update(&m->scene);
    CHECK(check_worlds(m, 0, identity) == m->count);
}

bool scene_is_in_order(const struct scene *scene)
{
    uint32_t index = 0;
    for (scene_node_handle at = scene->root; !is_null(at); at = scene_next(scene, at))
        if (scene_node_map_index_of(&scene->nodes, at) != index++)
            return false;
    return index == scene_node_map_count(&scene->nodes);
}

bool scene_has_parents_first(const struct scene *scene)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    for (uint32_t i = 1; i < scene_node_map_count(&scene->nodes); i++)
        if (scene_node_map_index_of(&scene->nodes, nodes[i].parent) >= i)
            return false;
    return true;
}

uint32_t scene_defragment_all(struct scene *scene, hm_frame_budget budget)
{
    for (uint32_t calls = 1;; calls++) {
        hm_progress progress = scene_defragment(scene, ONCE(budget));
        CHECK(budget.swaps_left == HM_NO_LIMIT || progress.swaps <= budget.swaps_left);
        CHECK(budget.compares_left == HM_NO_LIMIT || progress.compares <= budget.compares_left);
        CHECK(calls < 10000000);
        if (progress.done)
            return calls;
    }
}

/* The naive world transform of a node, which is exact in floats too. */
static void check_world_now(const model *m, uint32_t place)
{
    struct scene_transform world;
    double product[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    CHECK(scene_world_of(&m->scene, m->nodes[place].handle, &world));
    for (uint32_t at = place; at != NONE; at = m->nodes[at].parent) {
        double local[16] = {[15] = 1};
        double inner[16];
        for (int i = 0; i < 12; i++)
            local[i] = (double)m->nodes[at].local.m[i];
        memcpy(inner, product, sizeof inner);
        multiply(local, inner, product);
    }
    for (int i = 0; i < 12; i++)
        CHECK((double)world.m[i] == product[i]);
}

/* Checks a walk over a subtree that skips what is below `skipped`, if that is in it. */
static scene_node_handle check_skipping(const model *m, uint32_t top, uint32_t place,
                                        uint32_t skipped, scene_node_handle at)
{
    scene_node_handle handle = m->nodes[top].handle;
    CHECK(is_same(at, m->nodes[place].handle));
    if (place == skipped)
        return scene_skip_in(&m->scene, handle, at);
    at = scene_next_in(&m->scene, handle, at);
    for (uint32_t c = 0; c < m->nodes[place].child_count; c++)
        at = check_skipping(m, top, m->nodes[place].children[c], skipped, at);
    return at;
}

void scene_model_check_answers(model *m)
{
    uint32_t a = scene_model_any(m);
    uint32_t b = scene_model_any(m);
    uint32_t depth = 0;
    for (uint32_t at = a; m->nodes[at].parent != NONE; at = m->nodes[at].parent)
        depth++;
    CHECK(scene_depth(&m->scene, m->nodes[a].handle) == depth);
    CHECK(scene_is_in(&m->scene, m->nodes[a].handle, m->nodes[b].handle) ==
          model_is_below(m, b, a));
    CHECK(is_null(check_skipping(m, a, a, b, m->nodes[a].handle)));
    if (!model_is_below(m, b, a)) { /* from outside, to the end of the tree */
        scene_node_handle top = m->nodes[a].handle, outside = m->nodes[b].handle;
        CHECK(is_same(scene_next_in(&m->scene, top, outside), scene_next(&m->scene, outside)));
        CHECK(is_same(scene_skip_in(&m->scene, top, outside),
                      scene_skip_in(&m->scene, m->scene.root, outside)));
    }
    check_world_now(m, a);
}

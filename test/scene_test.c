/* SPDX-License-Identifier: MIT */
/* The scene graph of docs/examples: its links, its refusals, its transforms and its order in
 * memory, against a naive tree. */
#include "support/memory.h"
#include "support/test.h"

#include "scene_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400, NONE = MOST, STALE_POOL = 64, CHAIN = 1000000 };

static const hm_budget no_limit = {0, 0};

static bool is_null(scene_node_handle node)
{
    return scene_node_handle_is_null(node);
}

static bool is_same(scene_node_handle a, scene_node_handle b)
{
    return scene_node_handle_equal(a, b);
}

/* A naive tree, which lists the places of each node's children. */
typedef struct model_node {
    scene_node_handle handle;
    struct scene_transform local;
    uint32_t parent; /* NONE: the root */
    uint32_t children[MOST];
    uint32_t child_count;
    bool is_live;
} model_node;

typedef struct model {
    struct scene scene;
    model_node nodes[MOST]; /* place 0 is the root */
    uint32_t count;         /* live nodes */
    scene_node_handle stale[STALE_POOL];
    uint32_t stale_count;
    uint64_t random;
} model;

static model *model_new(const char *what)
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

static void model_delete(model *m)
{
    scene_fini(&m->scene);
    free(m);
}

static uint32_t any_live(model *m)
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

static void do_create(model *m)
{
    uint32_t near = any_live(m);
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
    uint32_t place = any_live(m);
    uint32_t destroyed = scene_destroy(&m->scene, m->nodes[place].handle);
    if (place == 0) {
        CHECK(destroyed == 0);
        return;
    }
    model_leave(m, place);
    CHECK(destroyed == model_destroy(m, place));
    m->count -= destroyed;
}

static void do_reparent(model *m)
{
    uint32_t place = any_live(m);
    uint32_t parent = any_live(m);
    hm_status status = scene_reparent(&m->scene, m->nodes[place].handle, m->nodes[parent].handle);
    if (model_is_below(m, parent, place)) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    CHECK(status == HM_OK);
    model_leave(m, place);
    model_enter(m, place, parent, m->nodes[parent].child_count);
}

static void do_set_local(model *m)
{
    uint32_t place = any_live(m);
    m->nodes[place].local = any_transform(m);
    CHECK(scene_set_local(&m->scene, m->nodes[place].handle, &m->nodes[place].local));
}

static void do_stale(model *m)
{
    if (m->stale_count == 0)
        return;
    uint32_t kept = m->stale_count < STALE_POOL ? m->stale_count : STALE_POOL;
    scene_node_handle stale = m->stale[test_random_below(&m->random, kept)];
    scene_node_handle live = m->nodes[any_live(m)].handle;
    struct scene_transform local = any_transform(m);
    CHECK(scene_get(&m->scene, stale) == NULL);
    CHECK(is_null(scene_next(&m->scene, stale)));
    CHECK(is_null(scene_create(&m->scene, stale, &local)));
    CHECK(is_null(scene_create_before(&m->scene, stale, &local)));
    CHECK(scene_destroy(&m->scene, stale) == 0);
    CHECK(scene_reparent(&m->scene, stale, live) == HM_ERROR_STALE);
    CHECK(scene_reparent(&m->scene, live, stale) == HM_ERROR_STALE);
    CHECK(!scene_set_local(&m->scene, stale, &local));
}

/* Makes one random edit. Destroying is rarer than creating, because it destroys whole subtrees. */
static void edit(model *m)
{
    uint32_t dice = test_random_below(&m->random, 100);
    if (dice < 55)
        do_create(m);
    else if (dice < 65)
        do_destroy(m);
    else if (dice < 80)
        do_reparent(m);
    else if (dice < 90)
        do_set_local(m);
    else
        do_stale(m);
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

static void check_links(const model *m)
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

static void check_update(model *m)
{
    static const double identity[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    scene_update(&m->scene);
    CHECK(check_worlds(m, 0, identity) == m->count);
}

/* Whether the nodes are in memory in depth-first order. */
static bool is_in_order(const struct scene *scene)
{
    uint32_t index = 0;
    for (scene_node_handle at = scene->root; !is_null(at); at = scene_next(scene, at))
        if (scene_node_map_index_of(&scene->nodes, at) != index++)
            return false;
    return index == scene_node_map_count(&scene->nodes);
}

static bool has_parents_first(const struct scene *scene)
{
    const struct scene_node *nodes = scene_node_map_items(&scene->nodes);
    for (uint32_t i = 1; i < scene_node_map_count(&scene->nodes); i++)
        if (scene_node_map_index_of(&scene->nodes, nodes[i].parent) >= i)
            return false;
    return true;
}

/* Defragments to the end; returns the number of calls. */
static uint32_t defragment(struct scene *scene, hm_budget budget)
{
    for (uint32_t calls = 1;; calls++) {
        hm_progress progress = scene_defragment(scene, budget);
        CHECK(budget.max_swaps == 0 || progress.swaps <= budget.max_swaps);
        CHECK(budget.max_compares == 0 || progress.compares <= budget.max_compares);
        CHECK(calls < 10000000);
        if (progress.done)
            return calls;
    }
}

TEST(scene, children_stand_in_the_order_of_their_creation)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle first = scene_create(&scene, scene.root, NULL);
    scene_node_handle second = scene_create(&scene, scene.root, NULL);
    scene_node_handle third = scene_create(&scene, scene.root, NULL);
    const struct scene_node *root = scene_get(&scene, scene.root);
    CHECK(is_same(root->first_child, first));
    CHECK(is_same(scene_get(&scene, root->first_child)->next, second));
    CHECK(is_same(scene_get(&scene, root->last_child)->previous, second));
    CHECK(is_same(root->last_child, third));
    CHECK(is_null(scene_get(&scene, first)->previous));
    CHECK(is_null(scene_get(&scene, third)->next));
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, a_node_can_be_created_before_its_sibling)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle last = scene_create(&scene, scene.root, NULL);
    scene_node_handle first = scene_create_before(&scene, last, NULL);
    scene_node_handle middle = scene_create_before(&scene, last, NULL);
    CHECK(is_same(scene_get(&scene, scene.root)->first_child, first));
    CHECK(is_same(scene_get(&scene, first)->next, middle));
    CHECK(is_same(scene_get(&scene, middle)->next, last));
    CHECK(is_null(scene_create_before(&scene, scene.root, NULL)));
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, destroying_a_subtree_refuses_all_its_handles_and_no_others)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle before = scene_create(&scene, scene.root, NULL);
    scene_node_handle top = scene_create(&scene, scene.root, NULL);
    scene_node_handle after = scene_create(&scene, scene.root, NULL);
    scene_node_handle doomed[30];
    doomed[0] = top;
    for (int i = 1; i < 30; i++)
        doomed[i] = scene_create(&scene, doomed[i / 2], NULL);
    scene_node_handle below_after = scene_create(&scene, after, NULL);
    CHECK(scene_destroy(&scene, top) == 30);
    for (int i = 0; i < 30; i++)
        CHECK(scene_get(&scene, doomed[i]) == NULL);
    CHECK(scene_get(&scene, before) != NULL && scene_get(&scene, after) != NULL);
    CHECK(scene_get(&scene, below_after) != NULL);
    CHECK(is_same(scene_get(&scene, before)->next, after));
    CHECK(scene_destroy(&scene, top) == 0);
    CHECK(scene_destroy(&scene, scene.root) == 0);
    CHECK(scene_node_map_count(&scene.nodes) == 4);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, reparent_puts_a_subtree_last_and_refuses_cycles_and_stale_handles)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    scene_node_handle below_a = scene_create(&scene, a, NULL);
    scene_node_handle deep = scene_create(&scene, below_a, NULL);
    scene_node_handle gone = scene_create(&scene, b, NULL);
    CHECK(scene_destroy(&scene, gone) == 1);
    CHECK(scene_reparent(&scene, a, deep) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, a, a) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, scene.root, b) == HM_ERROR_INVALID);
    CHECK(scene_reparent(&scene, gone, b) == HM_ERROR_STALE);
    CHECK(scene_reparent(&scene, a, gone) == HM_ERROR_STALE);
    CHECK(scene_reparent(&scene, a, scene.root) == HM_OK);
    CHECK(is_same(scene_get(&scene, b)->next, a));
    CHECK(scene_reparent(&scene, below_a, b) == HM_OK);
    CHECK(is_same(scene_get(&scene, below_a)->parent, b));
    CHECK(is_null(scene_get(&scene, a)->first_child));
    CHECK(scene_reparent(&scene, a, deep) == HM_OK);
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, a_full_scene_refuses_a_node_and_stays_as_it_is)
{
    struct scene scene;
    CHECK(scene_init(&scene, 3, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    CHECK(is_null(scene_create(&scene, a, NULL)));
    CHECK(is_null(scene_create_before(&scene, b, NULL)));
    CHECK(is_null(scene_get(&scene, a)->first_child));
    CHECK(is_same(scene_get(&scene, a)->next, b));
    CHECK(scene_validate(&scene) == HM_OK);
    CHECK(scene_destroy(&scene, b) == 1);
    CHECK(!is_null(scene_create(&scene, a, NULL)));
    scene_fini(&scene);
}

TEST(scene, a_scene_that_gets_no_memory_is_empty_and_refuses_everything)
{
    test_memory memory;
    test_memory_init(&memory, 65536);
    bool initialised = false;
    for (uint32_t k = 1; !initialised; k++) {
        struct scene scene;
        test_memory_fail(&memory, k, false);
        initialised = scene_init(&scene, 100, &memory.table) == HM_OK;
        CHECK(is_null(scene.root) != initialised);
        CHECK(is_null(scene_create(&scene, scene.root, NULL)) != initialised);
        CHECK(scene_validate(&scene) == HM_OK);
        scene_update(&scene);
        CHECK(scene_defragment(&scene, no_limit).done);
        scene_fini(&scene);
        scene_fini(&scene);
        test_memory_check_released(&memory);
    }
    CHECK(scene_init(NULL, 100, NULL) == HM_ERROR_INVALID);
}

TEST(scene, random_edits_agree_with_a_naive_tree)
{
    model *m = model_new("scene edits");
    for (int i = 0; i < 5000; i++) {
        edit(m);
        check_links(m);
    }
    CHECK(m->stale_count > STALE_POOL);
    model_delete(m);
}

TEST(scene, an_update_computes_what_a_naive_recursion_computes)
{
    model *m = model_new("scene update");
    for (int i = 0; i < 400; i++) {
        for (int edits = 0; edits < 20; edits++)
            edit(m);
        check_update(m);
    }
    model_delete(m);
}

TEST(scene, an_update_is_right_wherever_the_nodes_lie)
{
    model *m = model_new("scene shuffled");
    uint32_t late = 0;
    m->scene.passes = UINT32_MAX - 1; /* The count of updates wraps in the first round. */
    check_update(m);
    for (int edits = 0; edits < 400; edits++)
        edit(m);
    for (int i = 0; i < 200; i++) {
        hm_handle shuffled[2 * MOST];
        for (int edits = 0; edits < 20; edits++)
            edit(m);
        for (uint32_t n = 0; n < 2 * MOST; n++)
            shuffled[n] = m->nodes[any_live(m)].handle.id;
        CHECK(hm_map_arrange(&m->scene.nodes.map, shuffled, 2 * MOST, no_limit).done);
        late += !has_parents_first(&m->scene);
        check_update(m);
    }
    CHECK(late > 100);
    model_delete(m);
}

TEST(scene, defragmentation_keeps_to_its_budget_and_ends_in_order_that_costs_nothing_again)
{
    static const hm_budget budgets[] = {{1, 0}, {37, 0}, {0, 5}, {13, 2}, {0, 0}};
    model *m = model_new("scene order");
    for (int i = 0; i < 100; i++) {
        for (int edits = 0; edits < 50; edits++)
            edit(m);
        defragment(&m->scene, budgets[i % 5]);
        CHECK(is_in_order(&m->scene) && has_parents_first(&m->scene));
        check_links(m);
        scene_update(&m->scene);
        hm_progress progress = scene_defragment(&m->scene, no_limit);
        CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    }
    model_delete(m);
}

/* The order of calls is random, so that nodes are destroyed, moved and renumbered while a
 * defragmentation is in progress. */
TEST(scene, edits_while_the_order_is_on_its_way_spoil_neither_it_nor_the_updates)
{
    model *m = model_new("scene order among edits");
    uint32_t done = 0;
    uint32_t late = 0;
    for (int i = 0; i < 50000; i++) {
        uint32_t dice = test_random_below(&m->random, 10);
        if (dice == 0) {
            edit(m);
        } else if (dice == 1) {
            late += !has_parents_first(&m->scene);
            check_update(m);
        } else {
            hm_budget budget = {1 + test_random_below(&m->random, 100),
                                test_random_below(&m->random, 100)};
            hm_progress progress = scene_defragment(&m->scene, budget);
            CHECK(progress.swaps <= budget.max_swaps);
            CHECK(budget.max_compares == 0 || progress.compares <= budget.max_compares);
            CHECK(!progress.done || is_in_order(&m->scene));
            done += progress.done;
        }
    }
    CHECK(done > 100 && late > 100);
    check_links(m);
    model_delete(m);
}

/* A scene whose root has `count` children, in order. */
static void make_flat(struct scene *scene, uint32_t count)
{
    CHECK(scene_init(scene, 0, NULL) == HM_OK);
    for (uint32_t i = 0; i < count; i++)
        CHECK(!is_null(scene_create(scene, scene->root, NULL)));
    CHECK(scene_defragment(scene, no_limit).done);
}

TEST(scene, a_few_changes_wait_until_they_are_worth_the_swaps_of_the_last_round)
{
    struct scene scene;
    make_flat(&scene, 999);
    scene_node_handle sibling = scene_get(&scene, scene.root)->first_child;
    CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
    hm_progress first = scene_defragment(&scene, no_limit);
    CHECK(first.done && first.swaps >= 999);
    for (uint64_t changes = 1; 16 * changes < first.swaps; changes++) {
        CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
        hm_progress progress = scene_defragment(&scene, no_limit);
        CHECK(!progress.done && progress.swaps == 0 && progress.compares == 0);
    }
    CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
    CHECK(scene_defragment(&scene, no_limit).done);
    CHECK(is_in_order(&scene));
    scene_fini(&scene);
}

TEST(scene, a_change_waits_no_longer_than_until_a_call_without_another)
{
    struct scene scene;
    make_flat(&scene, 999);
    scene_node_handle sibling = scene_get(&scene, scene.root)->first_child;
    for (int i = 0; i < 10; i++) {
        CHECK(!is_null(scene_create_before(&scene, sibling, NULL)));
        CHECK(scene_defragment(&scene, no_limit).done == (i == 0));
    }
    CHECK(scene_defragment(&scene, no_limit).done);
    CHECK(is_in_order(&scene));
    scene_fini(&scene);
}

/* The scene changes during the dozen frames that a round takes, so that it is never done. */
TEST(scene, a_scene_that_never_rests_costs_at_most_16_swaps_for_each_change)
{
    enum { NODES = 999, FRAMES = 2000 };
    struct scene scene;
    uint64_t random = test_seed("scene without rest");
    uint64_t swaps = 0;
    make_flat(&scene, NODES);
    for (int frame = 0; frame < FRAMES; frame++) {
        uint32_t doomed = 1 + test_random_below(&random, NODES);
        uint32_t before = 1 + test_random_below(&random, NODES - 1);
        CHECK(scene_destroy(&scene, scene_node_map_handle_at(&scene.nodes, doomed)) == 1);
        scene_create_before(&scene, scene_node_map_handle_at(&scene.nodes, before), NULL);
        swaps += scene_defragment(&scene, (hm_budget){80, 0}).swaps;
    }
    CHECK(swaps > NODES && swaps <= 16 * 2 * FRAMES + NODES + 80);
    defragment(&scene, no_limit);
    CHECK(is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

TEST(scene, a_node_that_passes_a_thousand_others_is_not_compared_with_all_of_them)
{
    struct scene scene;
    make_flat(&scene, 1000);
    scene_node_handle first = scene_get(&scene, scene.root)->first_child;
    scene_node_handle last = scene_get(&scene, scene.root)->last_child;
    CHECK(scene_reparent(&scene, last, first) == HM_OK);
    hm_progress progress = scene_defragment(&scene, no_limit);
    CHECK(progress.done && progress.compares < 100);
    CHECK(is_in_order(&scene));
    scene_fini(&scene);
}

TEST(scene, without_memory_to_order_with_the_nodes_come_into_order_all_the_same)
{
    test_memory memory;
    struct scene scene;
    scene_node_handle nodes[200];
    test_memory_init(&memory, 65536);
    CHECK(scene_init(&scene, 0, &memory.table) == HM_OK);
    nodes[0] = scene.root;
    for (uint32_t i = 1; i < 200; i++)
        nodes[i] = scene_create(&scene, nodes[i * 7 % 200 % i], NULL);
    test_memory_fail(&memory, 1, true);
    scene_update(&scene);
    CHECK(!is_in_order(&scene));
    defragment(&scene, (hm_budget){100, 0});
    CHECK(memory.calls != 0);
    CHECK(is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
    test_memory_check_released(&memory);
}

TEST(scene, validate_sees_a_node_without_parent_beside_the_root)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    struct scene_node *root = scene_node_map_get(&scene.nodes, scene.root);
    struct scene_node *stray = scene_node_map_get(&scene.nodes, a);
    root->first_child = root->last_child = scene_node_handle_null();
    root->next = a;
    stray->parent = scene_node_handle_null();
    stray->previous = scene.root;
    CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
    scene_fini(&scene);
}

TEST(scene, validate_sees_each_kind_of_broken_link)
{
    struct scene scene;
    CHECK(scene_init(&scene, 0, NULL) == HM_OK);
    scene_node_handle a = scene_create(&scene, scene.root, NULL);
    scene_node_handle b = scene_create(&scene, scene.root, NULL);
    scene_node_handle below = scene_create(&scene, b, NULL);
    struct scene_node *nodes = scene_node_map_items(&scene.nodes);
    scene_node_handle strays[] = {scene_node_handle_null(), scene.root, a, b, below};
    for (uint32_t n = 0; n < scene_node_map_count(&scene.nodes); n++) {
        scene_node_handle *links[] = {&nodes[n].parent, &nodes[n].first_child, &nodes[n].last_child,
                                      &nodes[n].previous, &nodes[n].next};
        for (int link = 0; link < 5; link++) {
            for (int stray = 0; stray < 5; stray++) {
                scene_node_handle right = *links[link];
                if (is_same(right, strays[stray]))
                    continue;
                *links[link] = strays[stray];
                CHECK(scene_validate(&scene) == HM_ERROR_CORRUPT);
                *links[link] = right;
            }
        }
    }
    CHECK(scene_validate(&scene) == HM_OK);
    scene_fini(&scene);
}

static void check_chain(struct scene *scene, const scene_node_handle *reversed)
{
    scene_update(scene);
    for (uint32_t i = 0; i < CHAIN; i++)
        CHECK(scene_get(scene, reversed[i])->world.m[3] == (float)(CHAIN - 1 - i));
}

TEST(scene, a_chain_of_1000000_nodes_neither_overflows_the_stack_nor_is_climbed_twice)
{
    struct scene scene;
    CHECK(scene_init(&scene, CHAIN, NULL) == HM_OK);
    struct scene_transform step = scene_transform_translation(1, 0, 0);
    scene_node_handle *reversed = malloc(CHAIN * sizeof *reversed);
    CHECK(reversed != NULL);
    reversed[CHAIN - 1] = scene.root;
    for (uint32_t i = CHAIN - 1; i-- > 0;)
        reversed[i] = scene_create(&scene, reversed[i + 1], &step);
    scene_node_handle top = reversed[CHAIN - 2];
    scene_node_handle end = reversed[0];
    check_chain(&scene, reversed);
    CHECK(scene_node_map_arrange(&scene.nodes, reversed, CHAIN, no_limit).done);
    CHECK(!has_parents_first(&scene));
    check_chain(&scene, reversed);
    CHECK(defragment(&scene, (hm_budget){1000, 0}) > 1);
    CHECK(is_in_order(&scene) && scene_validate(&scene) == HM_OK);
    CHECK(scene_reparent(&scene, top, end) == HM_ERROR_INVALID);
    CHECK(scene_destroy(&scene, top) == CHAIN - 1);
    CHECK(scene_get(&scene, end) == NULL);
    free(reversed);
    scene_fini(&scene);
}

/* SPDX-License-Identifier: MIT */
/* scene_benchmark: the scene graph of the examples beside a tree of pointers, after the same edits.
 * What order in memory brings to an update, and what a visited node costs when only some have
 * changed; building, moving and destroying subtrees. The options are those of groups.h.
 *
 * The scene has groups of up to 512 nodes, each attached to a random earlier one of its group,
 * below plots of about 1,000 nodes, as in the demo. Churn destroys groups and builds as many nodes
 * at random plots. */
#include "groups.h"
#include "owned.h"
#include "scene_graph.h"

namespace
{

enum { GROUP_NODES = 512, PLOT_NODES = 1000 };

/* A tree as programs write it: each node is an allocation of its own, and parents own children. */
class pointer_tree
{
  public:
    struct node {
        node *parent;
        std::vector<std::unique_ptr<node>> children;
        scene_transform local, world;
    };
    using handle = node *;

    explicit pointer_tree(uint32_t) : top(new node())
    {
        top->local = scene_transform_identity();
    }
    handle root()
    {
        return top.get();
    }
    handle create(handle parent, const scene_transform &local)
    {
        parent->children.emplace_back(new node());
        node *created = parent->children.back().get();
        created->parent = parent;
        created->local = local;
        return created;
    }
    void destroy(handle doomed)
    {
        take(doomed);
    }
    void reparent(handle moved, handle parent)
    {
        std::unique_ptr<node> owner = take(moved);
        moved->parent = parent;
        parent->children.push_back(std::move(owner));
    }
    void update()
    {
        top->world = top->local;
        update_below(*top);
    }

  private:
    std::unique_ptr<node> top;

    static std::unique_ptr<node> take(handle taken)
    {
        auto &siblings = taken->parent->children;
        auto at = std::find_if(siblings.begin(), siblings.end(),
                               [=](const auto &sibling) { return sibling.get() == taken; });
        std::unique_ptr<node> owner = std::move(*at);
        siblings.erase(at);
        return owner;
    }
    static void update_below(node &above)
    {
        for (auto &child : above.children) {
            child->world = scene_transform_multiply(&above.world, &child->local);
            update_below(*child);
        }
    }
};

class our_tree
{
  public:
    using handle = scene_node_handle;
    owned<scene, scene_fini> it;

    explicit our_tree(uint32_t capacity)
    {
        require(scene_init(&it, capacity, nullptr) == HM_OK, "no scene");
    }
    handle root()
    {
        return it.root;
    }
    handle create(handle parent, const scene_transform &local)
    {
        return scene_create(&it, parent, &local);
    }
    void destroy(handle doomed)
    {
        scene_destroy(&it, doomed);
    }
    void reparent(handle moved, handle parent)
    {
        scene_reparent(&it, moved, parent);
    }
    void update() // of all nodes
    {
        scene_set_local(&it, it.root, nullptr);
        scene_update(&it);
    }
};

/* Plots and groups in a tree of either kind; the same seed makes the same edits. */
template <class Tree> class forest
{
  public:
    using handle = typename Tree::handle;
    Tree tree;
    std::mt19937 random{1};

    explicit forest(uint32_t nodes) : tree(2 * nodes + PLOT_NODES), asked(nodes)
    {
        for (uint32_t i = 0; i < nodes / PLOT_NODES + 1; i++)
            plots.push_back(tree.create(tree.root(), local()));
        build();
        tree.update();
    }
    uint32_t any(size_t n)
    {
        return static_cast<uint32_t>(random() % n);
    }
    /* Creates groups until there are as many nodes as asked for. */
    void build()
    {
        while (count < asked) {
            group made = {{}, std::min(1 + any(GROUP_NODES), asked - count)};
            for (uint32_t i = 0; i < made.count; i++)
                made.nodes.push_back(tree.create(i == 0 ? plots[any(plots.size())]
                                                        : made.nodes[any(made.nodes.size())],
                                                 local()));
            count += made.count;
            groups.push_back(std::move(made));
        }
    }
    void destroy(uint32_t nodes)
    {
        uint32_t before = count;
        while (count > 0 && before - count < nodes) {
            std::swap(groups[any(groups.size())], groups.back());
            tree.destroy(groups.back().nodes[0]);
            count -= groups.back().count;
            groups.pop_back();
        }
    }
    void churn(uint32_t nodes)
    {
        destroy(nodes);
        build();
    }
    /* Returns how many nodes were moved. */
    uint32_t move(uint32_t nodes)
    {
        uint32_t moved = 0;
        while (moved < nodes) {
            const group &chosen = groups[any(groups.size())];
            tree.reparent(chosen.nodes[0], plots[any(plots.size())]);
            moved += chosen.count;
        }
        return moved;
    }
    handle any_node()
    {
        const group &chosen = groups[any(groups.size())];
        return chosen.nodes[any(chosen.nodes.size())];
    }
    uint32_t built() const
    {
        return count;
    }

  private:
    struct group {
        std::vector<handle> nodes; // the first is the top
        uint32_t count;
    };
    std::vector<handle> plots;
    std::vector<group> groups;
    uint32_t asked, count = 0;

    scene_transform local()
    {
        return scene_transform_translation(static_cast<float>(any(100)), 0, 0);
    }
};

template <class Work> double seconds_of(Work work)
{
    double start = cpu_seconds();
    work();
    return cpu_seconds() - start;
}

/* Replaces all nodes a few times over, a hundredth at once. */
template <class Tree> void wear(forest<Tree> &of, uint32_t nodes)
{
    for (int i = 0; i < (smoke ? 10 : 600); i++)
        of.churn(nodes / 100 + 1);
}

void put_in_order(our_tree &tree)
{
    while (!scene_defragment(&tree.it, nullptr).done)
        ;
}

void measure_update(forest<pointer_tree> &pointers, forest<our_tree> &worn,
                    forest<our_tree> &ordered, uint32_t nodes)
{
    group g = {with_count("update of all nodes after churn", nodes), nodes, SPEEDUP, {}};
    g.rows.push_back({"scene, never put in order", 0,
                      [&] { return time_of(nodes, [&] { worn.tree.update(); }); }});
    g.rows.push_back({"scene, in order", smoke ? 0 : 1.5,
                      [&] { return time_of(nodes, [&] { ordered.tree.update(); }); }});
    g.rows.push_back(
        {"tree of pointers", 0, [&] { return time_of(nodes, [&] { pointers.tree.update(); }); }});
    measure(g);
}

/* Returns the seconds of an update after so many changes or, by visit, those that as many visits
 * take as there are nodes. */
double time_of_changes(forest<our_tree> &of, uint32_t nodes, uint32_t changes, bool by_visit)
{
    const int updates = 40;
    double seconds = 0, visits = 0;
    for (int i = 0; i < updates; i++) {
        for (uint32_t n = 0; n < changes; n++)
            scene_set_local(&of.tree.it, of.any_node(), nullptr);
        of.tree.it.patience = 0;
        seconds += seconds_of([&] { scene_update(&of.tree.it); });
        visits += of.tree.it.visited;
    }
    return by_visit ? seconds / visits * nodes : seconds / updates;
}

void measure_changes(forest<our_tree> &of, const std::string &state, uint32_t nodes)
{
    for (bool by_visit : {false, true}) {
        group g = {with_count((by_visit ? "update, by visited node, " : "update, ") + state, nodes),
                   nodes,
                   by_visit ? COST : SPEEDUP,
                   {}};
        g.rows.push_back(
            {"a full pass", 0, [&, nodes] { return time_of(nodes, [&] { of.tree.update(); }); }});
        for (uint32_t share : {10000u, 1000u, 200u})
            g.rows.push_back({"one node in " + std::to_string(share) + " changed", 0,
                              [&, nodes, share, by_visit] {
                                  return time_of_changes(of, nodes, nodes / share + 1, by_visit);
                              }});
        measure(g);
    }
}

template <class Tree> double time_of_moves(forest<Tree> &of, uint32_t nodes)
{
    uint32_t moved = 0;
    double seconds = seconds_of([&] { moved = of.move(nodes / 10); });
    return seconds / moved * nodes;
}

/* Measures either half of a churn, and does the other one. */
template <class Tree> double time_of_churn(forest<Tree> &of, uint32_t nodes, bool is_building)
{
    uint32_t before = of.built();
    double destroying = seconds_of([&] { of.destroy(nodes / 10); });
    uint32_t changed = before - of.built();
    double building = seconds_of([&] { of.build(); });
    return (is_building ? building : destroying) / changed * nodes;
}

void measure_edits(forest<pointer_tree> &pointers, forest<our_tree> &scenes, uint32_t nodes)
{
    group build = {with_count("create groups", nodes), nodes, OURS, {}};
    group destroy = {with_count("destroy groups", nodes), nodes, OURS, {}};
    for (bool is_building : {true, false}) {
        group &g = is_building ? build : destroy;
        g.rows.push_back({"scene", 0, [&, nodes, is_building] {
                              return time_of_churn(scenes, nodes, is_building);
                          }});
        g.rows.push_back({"tree of pointers", 0, [&, nodes, is_building] {
                              return time_of_churn(pointers, nodes, is_building);
                          }});
        measure(g);
    }
    group move = {with_count("reparent groups, by node moved", nodes), nodes, OURS, {}};
    move.rows.push_back({"scene", 0, [&, nodes] { return time_of_moves(scenes, nodes); }});
    move.rows.push_back(
        {"tree of pointers", 0, [&, nodes] { return time_of_moves(pointers, nodes); }});
    measure(move);
}

void measure_nodes(uint32_t nodes)
{
    forest<pointer_tree> pointers(nodes);
    forest<our_tree> worn(nodes), ordered(nodes);
    wear(pointers, nodes);
    wear(worn, nodes);
    wear(ordered, nodes);
    put_in_order(ordered.tree);
    measure_update(pointers, worn, ordered, nodes);
    measure_changes(ordered, "in order", nodes);
    measure_changes(worn, "never put in order", nodes);
    measure_edits(pointers, worn, nodes);
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 3000);
    measure_nodes(std::min(item_count, 100000u));
    if (item_count > 100000)
        measure_nodes(item_count);
    return 0;
}

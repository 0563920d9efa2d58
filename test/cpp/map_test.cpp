/* SPDX-License-Identifier: MIT */
/* hm::map: what it adds to hm_map. */
#include "counted.hpp"

#include <handle_map/report.h>

#include <algorithm>
#include <functional>
#include <random>

namespace
{

struct sprite {
    float depth;
    int texture;
};

bool by_depth(const sprite &a, const sprite &b)
{
    return a.depth < b.depth;
}

bool by_texture(const sprite &a, const sprite &b)
{
    return a.texture < b.texture;
}

template <class Map> void fill(Map &map, int n)
{
    std::mt19937 random(1);
    for (int i = 0; i < n; i++)
        map.emplace(static_cast<float>(random() % 100000), static_cast<int>(random() % 100));
}

/* A tree of maps: the item's type is incomplete where it has a map as a member. */
struct branch {
    using relocatable = branch;
    hm::map<branch> children;
    hm::pool<branch> others;
    int number = 0;
};

class cache
{
    struct line {
        using relocatable = line;
        std::unique_ptr<int> value;
    };
    hm::map<line> lines_{10};

  public:
    int add(int value)
    {
        return *lines_.get(lines_.emplace(line{std::make_unique<int>(value)}))->value;
    }
};

} // namespace

TEST(cpp_map, loops_visit_values_and_pairs)
{
    hm::map<sprite> sprites(100);
    fill(sprites, 50);
    for (std::uint32_t i = 0; i < 10; i++) /* so that positions and slots differ */
        sprites.erase(sprites.handle_at(2 * i));
    fill(sprites, 10);
    float sum = 0, sum_of_pairs = 0;
    for (sprite &each : sprites)
        sum += each.depth;
    for (auto [handle, value] : sprites.entries()) {
        CHECK(sprites.get(handle) == &value);
        sum_of_pairs += value.depth;
    }
    const hm::map<sprite> &fixed = sprites;
    CHECK(sum == sum_of_pairs && fixed.values().size() == 50);
    CHECK(fixed.end() - fixed.begin() == 50 && fixed.values().data() == fixed.data());
    const hm::span<const sprite> view = sprites.values();
    CHECK(view.size() == 50 && &view.front() == fixed.begin() && &view.back() == fixed.end() - 1);
    CHECK(view.subspan(10).first(3).size() == 3 && view.subspan(10).data() == fixed.data() + 10);
    CHECK(fixed.handle_of(&fixed.data()[7]) == fixed.handle_at(7));
    CHECK(fixed.index_of(fixed.handle_at(7)) == 7);
}

/* A new lambda object in each call goes on with the order of the one before: altogether not much
 * more is compared than in one call, instead of starting over each time. */
TEST(cpp_map, defragment_resumes_with_a_new_lambda_object)
{
    hm::map<sprite> whole(2000), stepwise(2000);
    fill(whole, 2000);
    fill(stepwise, 2000);
    const auto at_once =
        whole.defragment([](const sprite &a, const sprite &b) { return a.depth < b.depth; });
    CHECK(at_once.done);
    std::uint64_t compares = 0, calls = 0;
    for (bool is_done = false; !is_done; calls++) {
        const float sign = 1; /* so that the lambda captures */
        const auto progress = stepwise.defragment(
            [sign](const sprite &a, const sprite &b) { return sign * a.depth < sign * b.depth; },
            hm::frame_budget_of(100, 1000));
        CHECK(progress.compares <= 1000 && progress.swaps <= 100);
        compares += progress.compares;
        is_done = progress.done;
    }
    CHECK(calls > 10 && compares < 2 * at_once.compares);
    CHECK(std::is_sorted(stepwise.begin(), stepwise.end(), by_depth));
}

TEST(cpp_map, a_variable_budget_is_shared_and_another_is_for_one_call)
{
    hm::map<sprite> first(1000), second(1000);
    fill(first, 1000);
    fill(second, 1000);
    hm::frame_budget frame = hm::frame_budget_of(900, hm::no_limit);
    const auto one = first.defragment(by_depth, frame), two = second.defragment(by_depth, frame);
    CHECK(one.done == (one.swaps < 900) && one.swaps + two.swaps + frame.swaps_left == 900);
    CHECK(frame.is_spent && second.defragment(by_depth, frame).swaps == 0);
    const hm::frame_budget once = hm::frame_budget_of(1, hm::no_limit);
    CHECK(second.defragment(by_texture, once).swaps == 1 && once.swaps_left == 1 && !once.is_spent);
    CHECK(second.defragment(by_texture, hm::frame_budget_of(2, hm::no_limit)).swaps == 2);
    CHECK(second.defragment(by_texture, hm::frame_budget_of(3, hm::no_limit)).swaps == 3);
    CHECK(second.defragment(by_texture).done && first.defragment(by_texture, {}).done);
}

TEST(cpp_map, two_functions_of_one_type_are_two_orders)
{
    hm::map<sprite> sprites(1000);
    fill(sprites, 1000);
    CHECK(sprites.defragment(by_depth).done);
    CHECK(sprites.lower_bound(sprite{0, 0}, by_depth) == sprites.data());
    CHECK(sprites.lower_bound(sprite{0, 0}, by_texture) == nullptr);
    CHECK(sprites.defragment(by_texture).done);
    CHECK(std::is_sorted(sprites.begin(), sprites.end(), by_texture));
}

TEST(cpp_map, an_aggregate_whose_member_throws_leaves_the_map_as_it_was)
{
    struct thrower {
        operator float() const
        {
            throw 1;
        }
    };
    hm::map<sprite> sprites(10);
    bool is_caught = false;
    try {
        sprites.emplace(thrower(), 1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && sprites.empty() && sprites.validate() == HM_OK);
}

TEST(cpp_map, keys_below_zero_come_first)
{
    hm::map<float> numbers(100);
    for (float number : {1.5f, -0.25f, 0.0f, -3.0f, 2.5f, -0.75f, 0.5f})
        numbers.insert(number);
    CHECK(numbers.defragment_by([](float each) { return each; }).done);
    CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    CHECK(numbers.defragment_by([](float each) { return static_cast<int>(-4 * each); }).done);
    CHECK(std::is_sorted(numbers.begin(), numbers.end(), std::greater<float>()));
}

TEST(cpp_map, an_item_may_have_a_map_of_its_own_type)
{
    branch root;
    CHECK(root.children && root.children.init({10, 0, 0, nullptr, nullptr}) == HM_OK);
    const auto child = root.children.emplace();
    root.children.get(child)->number = 5;
    root.children.get(child)->children = hm::map<branch>(3);
    const auto grandchild = root.children.get(child)->children.emplace();
    root.children.get(child)->children.get(grandchild)->number = 7;
    branch moved(std::move(root));
    CHECK(moved.children.get(child)->children.get(grandchild)->number == 7);
}

TEST(cpp_map, an_item_may_be_of_a_private_type)
{
    CHECK(cache().add(7) == 7);
}

namespace
{

struct counted_node {
    using relocatable = counted_node;
    hm::map<counted_node> children;
    counted value{1};
};

} // namespace

TEST(cpp_map, a_map_may_become_one_that_its_item_holds)
{
    {
        hm::map<counted_node> nodes(10);
        counted_node *top = nodes.get(nodes.emplace());
        CHECK(top->children.init({10}) == HM_OK && top->children.emplace());
        const hm::handle<counted_node> leaf = top->children.emplace();
        nodes = std::move(top->children);
        CHECK(nodes.size() == 2 && nodes.contains(leaf) && counted::alive == 2);
        hm::map<counted_node> &same = nodes;
        nodes = std::move(same);
        CHECK(nodes.size() == 2 && nodes.validate() == HM_OK);
    }
    CHECK(counted::alive == 0);
}

/* SPDX-License-Identifier: MIT */
/* hm::map: what it adds to hm_map. */
#include "counted.hpp"

#include <handle_map/report.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <vector>

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

#if defined(__cpp_lib_ranges)
static_assert(std::ranges::contiguous_range<hm::map<sprite>>);
static_assert(std::ranges::sized_range<hm::map<sprite>>);
static_assert(std::ranges::forward_range<decltype(std::declval<hm::map<sprite> &>().entries())>);
static_assert(std::ranges::view<decltype(std::declval<const hm::map<sprite> &>().entries())>);
static_assert(std::ranges::borrowed_range<decltype(std::declval<hm::map<int> &>().entries())>);
#endif

} // namespace

TEST(cpp_map, emplace_makes_an_aggregate_or_calls_a_constructor)
{
    hm::map<sprite> sprites(10);
    const auto handle = sprites.emplace(1.5f, 3);
    CHECK(sprites.get(handle)->depth == 1.5f && sprites.get(handle)->texture == 3);
    const auto zero = sprites.emplace();
    CHECK(sprites.get(zero)->depth == 0 && sprites.get(zero)->texture == 0);
    const auto deep = sprites.emplace(2.5f); /* without a warning about what is left out */
    CHECK(sprites.get(deep)->depth == 2.5f && sprites.get(deep)->texture == 0);
    hm::map<counted> values(10);
    const auto value = values.emplace(7);
    CHECK(*values.get(value)->value == 7);
}

TEST(cpp_map, each_item_is_destroyed_once)
{
    {
        hm::map<counted> values(10);
        const auto first = values.emplace(1);
        values.emplace(2);
        values.insert(counted(3));
        CHECK(counted::alive == 3);
        CHECK(values.erase(first) && counted::alive == 2);
        CHECK(values.get(first) == nullptr && !values.erase(first));
        CHECK(values.erase_if([](const counted &each) { return *each.value == 3; }) == 1);
        CHECK(counted::alive == 1 && *values.begin()->value == 2);
        values.clear();
        CHECK(counted::alive == 0);
        values.emplace(4);
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_map, an_item_that_is_refused_is_destroyed)
{
    hm::map<counted> values(1);
    CHECK(values.emplace(1));
    CHECK(!values.emplace(2) && counted::alive == 1);
}

TEST(cpp_map, a_constructor_that_throws_leaves_the_map_as_it_was)
{
    hm::map<counted> values(10);
    values.emplace(1);
    bool is_caught = false;
    try {
        values.emplace(-1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && values.size() == 1 && counted::alive == 1);
    CHECK(values.validate() == HM_OK);
}

TEST(cpp_map, moving_a_map_moves_its_items_and_leaves_an_empty_one)
{
    hm::map<counted> values(10), other(5);
    const auto handle = values.emplace(1);
    other.emplace(2);
    hm::map<counted> moved(std::move(values));
    CHECK(!values && values.size() == 0 && !values.emplace(3));
    other = std::move(moved);
    CHECK(counted::alive == 1 && *other.get(handle)->value == 1 && other.capacity() == 10);
    hm::map<counted> &same = other;
    other = std::move(same);
    CHECK(other.size() == 1);
}

TEST(cpp_map, init_of_a_live_map_ends_it_first_so_the_report_tells_of_no_leak)
{
    hm::map<counted> values(10);
    hm_report_entry entry;
    CHECK(hm_report_add_map(&entry, values.c()) == HM_OK);
    values.emplace(1);
    CHECK(values.init({}) == HM_OK && counted::alive == 0 && hm_report(nullptr) == 1);
    values = hm::map<counted>(5);
    CHECK(hm_report(nullptr) == 1 && hm_report_remove(&entry) == HM_OK);
}

TEST(cpp_map, a_map_that_cannot_be_made_is_empty)
{
    hm::options with;
    with.capacity = UINT32_MAX;
    hm::map<sprite> sprites(with);
    CHECK(!sprites && sprites.capacity() == 0 && !sprites.emplace());
    CHECK(sprites.init(with) == HM_ERROR_INVALID);
    with.capacity = 5;
    CHECK(sprites.init(with) == HM_OK && sprites && sprites.capacity() == 5);
}

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

TEST(cpp_map, batches_do_what_single_calls_do)
{
    hm::map<sprite> sprites(100);
    const sprite items[3] = {{1, 1}, {2, 2}, {3, 3}};
    hm::handle<sprite> handles[3];
    CHECK(sprites.reserve(3) == HM_OK);
    const auto last = sprites.upcoming(2);
    CHECK(sprites.insert_n(items, 3, handles) == HM_OK && handles[2] == last);
    CHECK(sprites.erase(handles[1]));
    sprite *found[3];
    bool alive[3];
    CHECK(sprites.get_n(handles, 3, found) == 2 && found[1] == nullptr && found[2]->texture == 3);
    CHECK(sprites.contains_n(handles, 3, alive) == 2 && alive[0] && !alive[1]);
    CHECK(sprites.erase_n(handles, 3) == 2 && sprites.empty());
}

TEST(cpp_map, a_predicate_may_capture)
{
    hm::map<sprite> sprites(100);
    fill(sprites, 100);
    int asked = 0;
    const float limit = 50000;
    const auto erased = sprites.erase_if([&](const sprite &each) {
        asked++;
        return each.depth >= limit;
    });
    CHECK(asked == 100 && erased + sprites.size() == 100);
    for (const sprite &each : sprites)
        CHECK(each.depth < limit);
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
            {100, 1000});
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
    hm::budget frame = hm::budget_of(900, 0);
    const auto one = first.defragment(by_depth, frame), two = second.defragment(by_depth, frame);
    CHECK(one.done == (one.swaps < 900) && one.swaps + two.swaps + frame.max_swaps == 900);
    CHECK(frame.is_spent && second.defragment(by_depth, frame).swaps == 0);
    const hm::budget once = hm::budget_of(1, 0);
    CHECK(second.defragment(by_texture, once).swaps == 1 && once.max_swaps == 1 && !once.is_spent);
    CHECK(second.defragment(by_texture, hm::budget_of(2, 0)).swaps == 2);
    CHECK(second.defragment(by_texture, {3, 0}).swaps == 3);
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

TEST(cpp_map, keys_bring_items_into_order_and_bounds_find_ranges)
{
    hm::map<sprite> sprites(1000);
    fill(sprites, 1000);
    CHECK(sprites
              .defragment_by([](const sprite &each) { return static_cast<unsigned>(each.texture); })
              .done);
    CHECK(std::is_sorted(sprites.begin(), sprites.end(), by_texture));
    const auto less = [](const sprite &a, const sprite &b) { return a.texture < b.texture; };
    CHECK(sprites.defragment(less).done);
    const sprite probe = {0, 50};
    const auto expected = std::equal_range(sprites.begin(), sprites.end(), probe, by_texture);
    CHECK(sprites.lower_bound(probe, less) == expected.first);
    CHECK(sprites.upper_bound(probe, less) == expected.second);
}

TEST(cpp_map, a_less_may_put_another_map_in_order)
{
    hm::map<sprite> outer(100), inner(100);
    fill(outer, 100);
    fill(inner, 100);
    int left = 1;
    const auto less = [&](const sprite &a, const sprite &b) {
        if (left-- == 1)
            inner.defragment([](const sprite &c, const sprite &d) { return c.depth < d.depth; });
        return a.depth < b.depth;
    };
    CHECK(outer.defragment(less).done);
    CHECK(std::is_sorted(outer.begin(), outer.end(), by_depth));
    CHECK(std::is_sorted(inner.begin(), inner.end(), by_depth));
}

TEST(cpp_map, touch_and_arrange_reach_the_order)
{
    hm::map<sprite> sprites(10);
    hm::handle<sprite> handles[3];
    for (int i = 0; i < 3; i++)
        handles[i] = sprites.emplace(static_cast<float>(i), i);
    CHECK(sprites.defragment(by_depth).done);
    sprites.get(handles[0])->depth = 9;
    sprites.touch(handles[0]);
    CHECK(sprites.defragment(by_depth).done && sprites.index_of(handles[0]) == 2);
    sprites.get(handles[0])->depth = -1;
    sprites.touch_all();
    CHECK(sprites.defragment(by_depth).done && sprites.index_of(handles[0]) == 0);
    const hm::handle<sprite> wanted[] = {handles[2], handles[0], handles[1]};
    CHECK(sprites.arrange(wanted, 3).done && sprites.index_of(handles[2]) == 0);
    CHECK(sprites.erase_at(0) && !sprites.contains(handles[2]) && !sprites.erase_at(99));
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

TEST(cpp_map, entries_of_a_const_map_are_const_and_outlive_the_call)
{
    hm::map<sprite> sprites(10);
    sprites.emplace(1.0f, 2);
    const hm::map<sprite> &fixed = sprites;
    auto at = fixed.entries().begin();
    const auto end = fixed.entries().end();
    CHECK(at != end && (*at).value.texture == 2);
    CHECK((std::is_same<decltype((*at).value), const sprite &>::value));
    CHECK(++at == end);
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

TEST(cpp_map, a_refused_handle_is_explained)
{
    hm::map<sprite> sprites(10);
    const auto handle = sprites.emplace();
    sprites.erase(handle);
    char text[160];
    CHECK(sprites.explain(handle) == HM_HANDLE_STALE);
    CHECK(sprites.describe(handle, text, sizeof text) < sizeof text);
    CHECK(std::string(text).rfind("stale", 0) == 0);
    CHECK(sprites.stats().count == 0 && sprites.trim() == HM_OK);
    CHECK(hm_map_validate(sprites.c()) == HM_OK);
}

TEST(cpp_map, maps_with_different_type_ids_refuse_each_others_handles)
{
    hm::map<sprite, 1> players(10);
    hm::map<sprite, 2> enemies(10);
    const auto player = players.emplace(), enemy = enemies.emplace();
    CHECK(players.type_id() == 1 && player.type_id() == 1 && enemy.type_id() == 2);
    CHECK(players.get(enemy) == nullptr && players.explain(enemy) == HM_HANDLE_FOREIGN);
    CHECK(enemies.contains(enemy) && !enemies.contains(player));
    hm::options with;
    with.type_id = 3;
    hm::map<sprite, 2> others(with);
    CHECK(others.type_id() == 3 && others.emplace().type_id() == 3);
    CHECK((hm::map<sprite, 2>().type_id() == 0));
}

TEST(cpp_map, an_item_may_have_a_map_of_its_own_type)
{
    branch root;
    CHECK(!root.children && root.children.init({10, 0, 0, nullptr, nullptr}) == HM_OK);
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

TEST(cpp_map, entries_are_a_range_for_algorithms)
{
    hm::map<sprite> sprites(100);
    fill(sprites, 50);
    sprites.data()[30].texture = 1000;
    const auto pairs = sprites.entries();
    const auto found = std::find_if(pairs.begin(), pairs.end(),
                                    [](const auto &each) { return each.value.texture == 1000; });
    CHECK(found != pairs.end() && found->handle == sprites.handle_at(30));
    found->value.texture = 1001;
    CHECK(sprites.data()[30].texture == 1001 && pairs.size() == 50);
    CHECK(std::distance(pairs.begin(), pairs.end()) == 50);
    auto at = pairs.begin();
    CHECK(at++ == pairs.begin() && at->handle == sprites.handle_at(1));
    using iterator = decltype(at);
    static_assert(
        std::is_same<std::iterator_traits<iterator>::difference_type, std::ptrdiff_t>::value, "");
    static_assert(std::is_convertible<std::iterator_traits<iterator>::iterator_category,
                                      std::input_iterator_tag>::value,
                  "");
    CHECK(iterator() == iterator());
}

TEST(cpp_map, batches_take_vectors)
{
    hm::map<sprite> sprites(100);
    const std::vector<sprite> items(20, sprite{1, 2});
    std::vector<hm::handle<sprite>> handles(20);
    CHECK(sprites.insert_n(items, handles.data()) == HM_OK && sprites.size() == 20);
    std::vector<sprite *> found(20);
    CHECK(sprites.get_n(handles, found.data()) == 20 && found[19]->texture == 2);
    bool alive[20] = {false};
    CHECK(sprites.contains_n(handles, alive) == 20 && alive[0] && alive[19]);
    std::swap(handles[0], handles[19]);
    CHECK(sprites.arrange(handles).done && sprites.handle_at(0) == handles[0]);
    CHECK(sprites.erase_n(handles) == 20 && sprites.empty());
}

TEST(cpp_map, a_loop_over_entries_that_erases_meets_stale_handles_only)
{
    hm::map<sprite> sprites(100);
    fill(sprites, 50);
    int erased = 0;
    for (auto [handle, value] : sprites.entries())
        erased += sprites.erase(handle);
    CHECK(erased >= 25 && sprites.size() + static_cast<unsigned>(erased) == 50);
    CHECK(sprites.validate() == HM_OK);
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

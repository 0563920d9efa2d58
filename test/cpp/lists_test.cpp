/* SPDX-License-Identifier: MIT */
/* hm::lists: what it adds to hm_lists. */
#include "counted.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace
{

struct contact {
    int other;
    float depth;
};

/* Its items hold handles of lists of its own kind. */
struct node {
    hm::handle<hm::list<node>> children;
    int number = 0;
};

/* The default is less where address space is scarce. */
hm::lists_options with_room(std::uint32_t capacity)
{
    hm::lists_options with;
    with.capacity = capacity;
    with.max_items = 10000;
    return with;
}

} // namespace

TEST(cpp_lists, items_of_a_list_are_a_span)
{
    hm::lists<contact> contacts(100);
    const auto wall = contacts.create(), floor = contacts.create();
    CHECK(contacts.size() == 2 && contacts.items(wall).empty());
    for (int i = 0; i < 20; i++) {
        CHECK(contacts.emplace(wall, i, static_cast<float>(-i))->other == i);
        contacts.push(floor, contact{100 + i, 0});
    }
    CHECK(contacts.items(wall).size() == 20 && contacts.item_count() == 40);
    CHECK(contacts.count_of(wall) == 20 && contacts.count_of(decltype(contacts.create())()) == 0);
    int sum = 0;
    for (const contact &each : contacts.items(floor))
        sum += each.other;
    CHECK(sum == 2190);
    const auto items = contacts.items(wall);
    std::sort(items.begin(), items.end(),
              [](const contact &a, const contact &b) { return a.depth < b.depth; });
    const hm::lists<contact> &fixed = contacts;
    CHECK(fixed.items(wall)[0].other == 19 && fixed.contains(wall));
    CHECK(contacts.destroy(wall) && fixed.items(wall).empty() && !contacts.destroy(wall));
    CHECK(contacts.explain(wall) == HM_HANDLE_STALE && contacts.emplace(wall) == nullptr);
}

TEST(cpp_lists, items_are_inserted_and_erased_at_positions)
{
    hm::lists<int> numbers(10);
    const auto list = numbers.create();
    const int given[5] = {1, 2, 3, 4, 5};
    CHECK(numbers.push_n(list, given, 5) == HM_OK);
    CHECK(*numbers.insert_at(list, 2, 10) == 10 && numbers.insert_at(list, 7, 0) == nullptr);
    CHECK(numbers.erase_ordered_at(list, 0) && numbers.items(list)[0] == 2);
    CHECK(numbers.erase_at(list, 0) && numbers.items(list)[0] == 5);
    CHECK(!numbers.erase_at(list, 4) && !numbers.erase_ordered_at(list, 4));
    const int limit = 4;
    CHECK(numbers.erase_if(list, [&](int each) { return each > limit; }) == 2);
    CHECK(numbers.items(list).size() == 2 && numbers.items(list)[1] == 4);
    CHECK(numbers.resize(list, 4) == HM_OK && numbers.items(list)[3] == 0);
    CHECK(numbers.resize(list, 0) == HM_OK && numbers.contains(list));
    hm::handle<hm::list<int>> many[3];
    bool alive[3];
    CHECK(numbers.create_n(3, many) == HM_OK && numbers.contains_n({many, 3}, alive) == 3);
    CHECK(numbers.push(many[1], 5) != nullptr && numbers.destroy_n({many, 1}) == 1);
    CHECK(numbers.destroy_if([&](hm::handle<hm::list<int>> each, hm::span<const int> items) {
        return each != list && items.size() == 1 && items[0] == 5;
    }) == 1);
    CHECK(numbers.contains(many[2]) && numbers.destroy(many[2]));
    const std::uint32_t before = numbers.size();
    CHECK(numbers.create_n(2) == HM_OK && numbers.size() == before + 2);
}

TEST(cpp_lists, a_loop_visits_the_lists_that_have_items)
{
    hm::lists<int> numbers(100);
    hm::handle<hm::list<int>> handles[10];
    for (int i = 0; i < 10; i++) {
        handles[i] = numbers.create();
        for (int j = 0; j < i; j++)
            numbers.push(handles[i], i);
    }
    int visited = 0;
    for (auto [list, items] : numbers.entries()) {
        CHECK(handles[items.size()] == list && items[0] == static_cast<int>(items.size()));
        items[0]++;
        visited++;
    }
    CHECK(visited == 9 && numbers.items(handles[3])[0] == 4);
    const hm::lists<int> &fixed = numbers;
    const auto entries = fixed.entries();
    CHECK(std::count_if(entries.begin(), entries.end(),
                        [](const auto &each) { return each.items.size() > 5; }) == 4);
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto &each) { return each.handle == handles[7]; });
    CHECK(found != entries.end() && found->items[0] == 8);
    CHECK(hm::lists<int>().entries().begin() == hm::lists<int>().entries().end());
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::forward_range<decltype(numbers.entries())>);
    static_assert(std::ranges::view<decltype(fixed.entries())>);
#endif
}

TEST(cpp_lists, pairs_are_pushed_in_batches)
{
    hm::lists<std::pair<int, float>> pairs(10);
    const auto list = pairs.create();
    const std::pair<int, float> given[2] = {{1, 2.0f}, {3, 4.0f}};
    CHECK(pairs.push_n(list, std::vector<std::pair<int, float>>(3)) == HM_OK);
    CHECK(pairs.resize(list, 0) == HM_OK);
    CHECK(pairs.push_n(list, given, 2) == HM_OK && pairs.items(list)[1].second == 4.0f);
}

TEST(cpp_lists, gaps_are_closed_and_memory_goes_back)
{
    hm::lists<int> numbers(with_room(100));
    hm::handle<hm::list<int>> handles[50];
    for (auto &handle : handles) {
        handle = numbers.create();
        CHECK(numbers.resize(handle, 30) == HM_OK);
    }
    for (int i = 0; i < 50; i += 2)
        numbers.destroy(handles[i]);
    CHECK(!numbers.defragment(hm::frame_budget_of(1, hm::no_limit)).done);
    CHECK(numbers.defragment().done);
    CHECK(numbers.trim() == HM_OK && numbers.validate() == HM_OK && numbers.stats().count == 25);
    numbers.clear();
    CHECK(numbers.empty() && numbers.item_count() == 0);
}

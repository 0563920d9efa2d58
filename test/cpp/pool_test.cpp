/* SPDX-License-Identifier: MIT */
/* hm::pool: what it adds to hm_pool. */
#include "counted.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace
{

/* It may not be moved as bytes: it is pointed to by itself. */
struct rooted {
    rooted *self = this;
    std::string name;

    explicit rooted(const char *n) : name(n)
    {
    }
    rooted(const rooted &other) : name(other.name)
    {
    }
    rooted &operator=(const rooted &) = delete;
};

} // namespace

TEST(cpp_pool, any_type_is_made_in_place_and_stays_there)
{
    hm::pool<rooted> items(1000);
    const auto first = items.emplace("the first of many items, too long for a short string");
    const rooted *address = items.get(first);
    for (int i = 0; i < 500; i++)
        items.insert(rooted("another"));
    CHECK(items.get(first) == address);
    for (const rooted &each : items)
        CHECK(each.self == &each);
    CHECK(items.handle_of(address) == first && items.at_index(first.index()) == address);
    CHECK(items.index_of(first) == first.index() && !items.erase_at(9999));
    CHECK(items.reserve(1) == HM_OK && items.upcoming(0).index() != first.index());
    CHECK(items.handle_at(first.index()) == first);
}

TEST(cpp_pool, each_item_is_destroyed_once)
{
    {
        hm::pool<counted> values(10);
        const auto first = values.emplace(1);
        values.emplace(2);
        values.insert(counted(3));
        CHECK(counted::alive == 3);
        CHECK(values.erase(first) && !values.contains(first) && counted::alive == 2);
        CHECK(values.erase_if([](const counted &each) { return *each.value == 3; }) == 1);
        CHECK(counted::alive == 1);
        hm::pool<counted> moved(std::move(values));
        CHECK(!values && moved.size() == 1 && counted::alive == 1);
        moved.clear();
        CHECK(counted::alive == 0);
        moved.emplace(4);
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_pool, a_constructor_that_throws_leaves_no_item)
{
    hm::pool<counted> values(10);
    values.emplace(1);
    bool is_caught = false;
    try {
        values.emplace(-1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && values.size() == 1 && counted::alive == 1);
    CHECK(values.validate() == HM_OK);
    CHECK(values.emplace(2) && counted::alive == 2);
}

TEST(cpp_pool, a_loop_may_erase_what_it_visits)
{
    hm::pool<int> numbers(1000);
    for (int i = 0; i < 300; i++)
        numbers.emplace(i);
    for (auto [handle, value] : numbers.entries())
        if (value % 3 == 0)
            numbers.erase(handle);
    int visited = 0, in_runs = 0;
    for (int value : numbers) {
        CHECK(value % 3 != 0);
        visited++;
    }
    numbers.for_each_run([&](hm::span<int> run) { in_runs += static_cast<int>(run.size()); });
    CHECK(visited == 200 && in_runs == 200 && numbers.size() == 200);
    const hm::pool<int> &fixed = numbers;
    std::size_t seen = 0;
    fixed.for_each_run([&](hm::span<const int> run) { seen += run.size(); });
    hm::pool<int>::const_iterator first = numbers.begin();
    CHECK(seen == 200 && first == fixed.begin() && fixed.at_index(1) == &*first);
    int read = 0;
    for (auto at = fixed.begin(); at != fixed.end(); at++)
        read += *at % 3 != 0;
    CHECK(read == 200);
}

TEST(cpp_pool, options_choose_the_storage)
{
    for (const hm_storage storage :
         {HM_STORAGE_VIRTUAL, HM_STORAGE_FIXED_BLOCKS, HM_STORAGE_GROWING_BLOCKS}) {
        hm::pool_options with;
        with.capacity = 5000;
        with.type_id = 9;
        with.storage = storage;
        hm::pool<std::string> names(with);
        hm::handle<std::string> handles[3];
        for (auto &handle : handles)
            handle = names.emplace(40u, 'x');
        std::string *found[3];
        bool alive[3];
        CHECK(handles[0].type_id() == 9 && names.erase(handles[1]));
        CHECK(names.get_n(handles, 3, found) == 2 && found[1] == nullptr);
        CHECK(names.contains_n(handles, 3, alive) == 2 && !alive[1]);
        CHECK(found[2]->size() == 40 && names.erase_n(handles, 3) == 2 && names.empty());
        CHECK(names.trim() == HM_OK && names.reserve(100) == HM_OK);
        CHECK(names.explain(handles[0]) == HM_HANDLE_STALE && names.stats().count == 0);
    }
}

TEST(cpp_pool, bytes_are_inserted_in_batches)
{
    hm::pool<int> numbers(10);
    const int values[3] = {1, 2, 3};
    hm::handle<int> handles[3];
    CHECK(numbers.insert_n(values, 3, handles) == HM_OK && *numbers.get(handles[2]) == 3);
    char text[160];
    CHECK(numbers.describe(handles[0], text, sizeof text) > 0 && numbers.capacity() == 10);
}

TEST(cpp_pool, the_class_may_choose_type_id_and_storage)
{
    hm::pool<std::string, 5, HM_STORAGE_GROWING_BLOCKS> names(100);
    hm::pool<std::string> others(100);
    const auto name = names.emplace("hero");
    CHECK(names.type_id() == 5 && name.type_id() == 5 && !others.contains(name));
    CHECK(names.c()->places.storage == HM_STORAGE_GROWING_BLOCKS);
    CHECK(others.c()->places.storage == HM_STORAGE_VIRTUAL);
    CHECK(hm::pool<int>().type_id() == 0);
}

TEST(cpp_pool, values_and_pairs_are_ranges_for_algorithms)
{
    hm::pool<int> numbers(100);
    for (int i = 0; i < 50; i++)
        numbers.emplace(i);
    numbers.erase_if([](int each) { return each % 2 == 0; });
    CHECK(*std::find(numbers.begin(), numbers.end(), 7) == 7);
    const auto pairs = numbers.entries();
    const auto found =
        std::find_if(pairs.begin(), pairs.end(), [](const auto &each) { return each.value == 7; });
    CHECK(numbers.get(found->handle) == &found->value && pairs.size() == 25);
    CHECK(std::distance(pairs.begin(), pairs.end()) == 25);
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::forward_range<hm::pool<int>>);
    static_assert(std::ranges::forward_range<const hm::pool<int>>);
    static_assert(std::ranges::view<decltype(numbers.entries())>);
#endif
}

TEST(cpp_pool, batches_take_vectors)
{
    hm::pool<int> numbers(10);
    const std::vector<int> items{1, 2, 3};
    std::vector<hm::handle<int>> handles(3);
    std::vector<int *> found(3);
    CHECK(numbers.insert_n(items, handles.data()) == HM_OK);
    CHECK(numbers.get_n(handles, found.data()) == 3 && *found[2] == 3);
    bool alive[3] = {false};
    CHECK(numbers.contains_n(handles, alive) == 3 && alive[2]);
    const hm::handle<int> pair[2] = {handles[0], handles[1]};
    CHECK(numbers.erase_n(pair) == 2 && numbers.erase_n(handles) == 1 && numbers.empty());
}

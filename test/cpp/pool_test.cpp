/* SPDX-License-Identifier: MIT */
/* hm::pool: what it adds to hm_pool. */
#include "counted.hpp"

#include <string>

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

TEST(cpp_pool, the_class_may_choose_the_storage)
{
    hm::pool<std::string, 5, HM_STORAGE_GROWING_BLOCKS> names(100);
    hm::pool<std::string> others(100);
    CHECK(names.c()->places.storage == HM_STORAGE_GROWING_BLOCKS);
    CHECK(others.c()->places.storage == HM_STORAGE_VIRTUAL);
}

/* SPDX-License-Identifier: MIT */
/* hm::index: what it adds to hm_index. */
#include "counted.hpp"

#include <algorithm>
#include <string>

namespace
{

struct body {
    int number;
};

struct cell {
    std::int32_t x, y;
};

enum class team : unsigned char { red, blue };

} // namespace

TEST(cpp_index, members_of_a_key_are_a_span_of_handles)
{
    hm::map<body, 7> bodies(100);
    hm::index<body, cell> cells(bodies);
    hm::handle<body> handles[10];
    for (int i = 0; i < 10; i++) {
        handles[i] = bodies.emplace(i);
        CHECK(cells.set(handles[i], cell{i % 3, -i % 2}) == HM_OK);
    }
    CHECK(cells.size() == 10 && cells.key_count() == 6 && cells.contains(handles[0]));
    const auto members = cells.members(cell{0, -1});
    CHECK(members.size() == 2 && members[0] == handles[3] && members[1] == handles[9]);
    CHECK(cells.members(cell{5, 5}).empty());
    CHECK(cells.key_of(handles[5])->x == 2 && cells.key_of(handles[5])->y == -1);
    CHECK(!cells.key_of(hm::handle<body>()));
    body *found[2];
    CHECK(bodies.get_n(cells.members(cell{0, -1}), found) == 2 && found[1]->number == 9);
    CHECK(cells.remove(handles[5]) && !cells.remove(handles[5]) && !cells.key_of(handles[5]));
    CHECK(cells.remove_key(cell{0, -1}) == 2 && cells.members(cell{0, -1}).empty());
    CHECK(cells.remove_n(handles, 10) == 7 && cells.empty());
}

TEST(cpp_index, keys_of_every_kind_come_back_as_they_were)
{
    hm::pool<body> bodies(10);
    const auto owner = bodies.emplace(1), parent = bodies.emplace(2);
    hm::index<body, int> numbers(bodies);
    CHECK(numbers.set(owner, -5) == HM_OK && numbers.key_of(owner) == -5);
    CHECK(numbers.members(-5)[0] == owner);
    hm::index<body, team> teams(bodies);
    CHECK(teams.set(owner, team::blue) == HM_OK && teams.key_of(owner) == team::blue);
    hm::index<body, hm::handle<body>> children(bodies);
    CHECK(children.set(owner, parent) == HM_OK && children.members(parent)[0] == owner);
    CHECK(children.key_of(owner) == parent);
    hm::index<body> any(bodies);
    CHECK(any.set(owner, UINT64_MAX) == HM_OK && any.key_of(owner) == UINT64_MAX);
}

TEST(cpp_index, keys_below_a_limit_are_not_hashed)
{
    hm::map<body> bodies(10);
    hm::index_options with;
    with.key_limit = 12;
    hm::index<body, int> grid(bodies, with);
    const auto owner = bodies.emplace(1);
    CHECK(grid.set(owner, 11) == HM_OK && grid.members(11).size() == 1);
    CHECK(grid.set(owner, 12) == HM_ERROR_INVALID && grid.set(owner, -1) == HM_ERROR_INVALID);
    CHECK(grid.key_of(owner) == 11);
}

TEST(cpp_index, a_batch_sets_all_or_none)
{
    hm::map<body> bodies(10);
    hm::index<body> index(bodies);
    const hm::handle<body> owners[3] = {bodies.emplace(1), bodies.emplace(2), bodies.emplace(3)};
    const std::uint64_t keys[3] = {7, 8, 7};
    CHECK(index.reserve(3) == HM_OK && index.set_n(owners, keys, 3) == HM_OK);
    CHECK(index.members(7).size() == 2);
    const hm::handle<body> wrong[2] = {owners[0], {}};
    CHECK(index.set_n(wrong, keys, 2) == HM_ERROR_INVALID && index.members(7).size() == 2);
}

TEST(cpp_index, a_loop_visits_the_keys_that_have_members)
{
    hm::map<body> bodies(100);
    hm::index<body, int> index(bodies);
    for (int i = 0; i < 50; i++)
        CHECK(index.set(bodies.emplace(i), i % 10 - 5) == HM_OK);
    index.remove_key(-5);
    int sum = 0, visited = 0;
    for (auto [key, members] : index.entries()) {
        for (const hm::handle<body> owner : members)
            CHECK(bodies.get(owner)->number % 10 - 5 == key);
        sum += key;
        visited += static_cast<int>(members.size());
    }
    CHECK(sum == 0 && visited == 45);
    const auto entries = index.entries();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [](const auto &each) { return each.key == 3; });
    CHECK(found != entries.end() && found->members.size() == 5);
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::forward_range<decltype(index.entries())>);
    static_assert(std::ranges::view<decltype(index.entries())>);
#endif
}

TEST(cpp_index, it_takes_type_id_and_index_space_from_the_owners)
{
    hm::options with;
    with.capacity = 100;
    with.max_slots = 5000;
    with.type_id = 7;
    hm::map<body> bodies(with), none;
    hm::index<body, int> index(bodies);
    CHECK(index.capacity() == 100 && index.stats().max_slots == 5000);
    CHECK(index.set(bodies.emplace(1), 5) == HM_OK);
    hm::index<body, int> other(none);
    CHECK(!other && std::string(hm_last_error()).find("owners") != std::string::npos);
    CHECK(other.init(none) == HM_ERROR_INVALID && other.init(bodies) == HM_OK && other);
    hm::index<body, int> plain(50, 60);
    CHECK(plain.capacity() == 50 && plain.stats().max_slots == 60);
    CHECK((!std::is_copy_constructible<hm::index<body, int>>::value));
}

TEST(cpp_index, dead_owners_are_purged_and_memory_goes_back)
{
    hm::map<body> bodies(100);
    hm::index<body, int> index(bodies);
    for (int i = 0; i < 50; i++)
        CHECK(index.set(bodies.emplace(i), i % 10) == HM_OK);
    bodies.erase_if([](const body &each) { return each.number % 2 == 0; });
    CHECK(index.purge([&](hm::handle<body> owner) { return bodies.contains(owner); }) == 25);
    hm::index<body, int> moved(std::move(index));
    CHECK(!index && index.empty() && moved.size() == 25 && moved.members(3).size() == 5);
    CHECK(moved.defragment().done && moved.trim() == HM_OK && moved.validate() == HM_OK);
    char text[160];
    CHECK(moved.describe(bodies.handle_at(0), text, sizeof text) > 0);
    moved.clear();
    CHECK(moved.empty() && moved.key_count() == 0);
}

TEST(cpp_index, a_key_needs_no_default_constructor)
{
    struct place {
        std::int32_t x, y;

        place(std::int32_t column, std::int32_t row) : x(column), y(row)
        {
        }
    };
    hm::map<body> bodies(10);
    hm::index<body, place> places(bodies);
    const hm::handle<body> ball = bodies.emplace(1);
    CHECK(places.set(ball, place(-3, 4)) == HM_OK && places.key_of(ball)->x == -3);
    for (auto [key, members] : places.entries())
        CHECK(key.y == 4 && members.size() == 1 && members[0] == ball);
}

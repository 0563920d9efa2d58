/* SPDX-License-Identifier: MIT */
/* hm::index: what it adds to hm_index. */
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace
{

struct body {
    int number;
};

struct cell {
    std::int32_t x, y;
};

enum class team : unsigned char { red, blue };

enum { MANY = 150 }; /* more than are read at once */

/* Sets MANY owners with key_at(i) for the one at i, then each with the key of the one before it. */
template <class Key, class Make> void check_batch(hm::index_options with, Make key_at)
{
    hm::map<body, 7> bodies(MANY);
    hm::index<body, Key> index(bodies, with);
    hm::handle<body> owners[MANY];
    std::vector<Key> keys;
    for (int i = 0; i < MANY; i++) {
        owners[i] = bodies.emplace(i);
        keys.push_back(key_at(i));
    }
    for (int turn = 0; turn < 2; turn++) {
        CHECK(index.set_n(owners, keys.data(), MANY) == HM_OK && index.validate() == HM_OK);
        CHECK(index.size() == MANY);
        for (std::size_t i = 0; i < MANY; i++) {
            const std::optional<Key> found = index.key_of(owners[i]);
            CHECK(found && std::memcmp(&*found, &keys[i], sizeof(Key)) == 0);
        }
        std::rotate(keys.begin(), keys.end() - 1, keys.end());
    }
    CHECK(index.set_n(nullptr, nullptr, 0) == HM_OK);
}

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
    cell keys[10] = {};
    bool alive[10];
    CHECK(cells.key_of_n(handles, 10, keys) == cells.contains_n({handles, 10}, alive));
    CHECK(alive[5] && keys[5].x == 2 && keys[5].y == -1);
    CHECK(cells.key_of_n({handles, 10}, keys) == cells.size());
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

TEST(cpp_index, a_batch_takes_keys_of_every_kind)
{
    hm::index_options hashed, limited;
    limited.key_limit = MANY;
    check_batch<int>(limited, [](int i) { return i; });
    check_batch<int>(hashed, [](int i) { return -i; });
    check_batch<signed char>(hashed, [](int i) { return static_cast<signed char>(i % 9 - 4); });
    check_batch<std::int64_t>(hashed, [](int i) { return INT64_MIN + i; });
    check_batch<unsigned long>(hashed, [](int i) { return static_cast<unsigned long>(i); });
    check_batch<unsigned long long>(hashed, [](int i) { return ~0ULL - static_cast<unsigned>(i); });
    check_batch<team>(hashed, [](int i) { return i % 2 == 0 ? team::red : team::blue; });
    check_batch<cell>(hashed, [](int i) { return cell{i % 5, -i}; });
    check_batch<hm::handle<body>>(hashed, [](int i) {
        return hm::handle<body>::from_bits(0x1234567800000000U + static_cast<unsigned>(i));
    });
}

/* Keys 0 and 1 before, then none of the batch's. */
static void check_two(const hm::index<body, int> &index, const hm::handle<body> *owners)
{
    CHECK(index.validate() == HM_OK && index.size() == 2 && index.key_count() == 2);
    CHECK(index.key_of(owners[0]) == 0 && index.key_of(owners[1]) == 1);
}

TEST(cpp_index, a_batch_of_small_keys_sets_all_or_none)
{
    hm::map<body> bodies(MANY);
    hm::index_options with;
    with.key_limit = 1000;
    hm::index<body, int> index(bodies, with);
    std::vector<hm::handle<body>> owners;
    std::vector<int> keys;
    for (int i = 0; i < MANY; i++) {
        owners.push_back(bodies.emplace(i));
        keys.push_back(500 + i);
    }
    CHECK(index.set(owners[0], 0) == HM_OK && index.set(owners[1], 1) == HM_OK);
    const std::size_t places[] = {0, 63, 64, 127, 128, MANY - 1};
    for (const std::size_t i : places) {
        const int key = std::exchange(keys[i], -1);
        CHECK(index.set_n(owners.data(), keys.data(), MANY) == HM_ERROR_INVALID);
        check_two(index, owners.data());
        keys[i] = key;
        const hm::handle<body> owner = std::exchange(owners[i], hm::handle<body>());
        CHECK(index.set_n(owners.data(), keys.data(), MANY) == HM_ERROR_INVALID);
        owners[i] = owner;
        check_two(index, owners.data());
    }
    CHECK(index.set_n(owners, keys.data()) == HM_OK && index.size() == MANY);
    CHECK(index.remove_n(owners) == MANY && index.empty());
}

TEST(cpp_index, a_batch_of_small_keys_whose_memory_is_refused_changes_nothing)
{
    test_memory memory;
    test_memory_init(&memory, 4096);
    {
        hm::map<body> bodies(MANY);
        hm::index_options with;
        with.memory = &memory.table;
        hm::handle<body> owners[MANY];
        int keys[MANY];
        for (int i = 0; i < MANY; i++) {
            owners[i] = bodies.emplace(i);
            keys[i] = -(i % 100);
        }
        bool is_set = false;
        for (std::uint32_t k = 1; !is_set; k++) {
            test_memory_fail(&memory, 0, false);
            hm::index<body, int> index(bodies, with);
            CHECK(index.set(owners[0], 0) == HM_OK && index.set(owners[1], 1) == HM_OK);
            test_memory_fail(&memory, k, true);
            const hm::status returned = index.set_n(owners, keys, MANY);
            is_set = returned == HM_OK;
            CHECK(is_set == !test_memory_refused(&memory) && k < 1000);
            if (is_set)
                CHECK(index.size() == MANY && index.members(-99).size() == 1);
            else
                CHECK(returned == HM_ERROR_MEMORY);
            if (!is_set)
                check_two(index, owners);
        }
    }
    test_memory_check_released(&memory);
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
    hm::map<body> bodies(with), none(UINT32_MAX); /* more than there can be */
    hm::index<body, int> index(bodies);
    CHECK(index.capacity() == 100 && index.stats().max_slots == 5000);
    CHECK(index.set(bodies.emplace(1), 5) == HM_OK);
    hm::index<body, int> other(none);
    CHECK(!other && std::string(hm_last_error()).find("owners") != std::string::npos);
    CHECK(other.init(none) == HM_ERROR_INVALID && other.init(bodies) == HM_OK && other);
    hm::index_options of_index;
    of_index.type_id = 8;
    CHECK(other.init(bodies, of_index) == HM_ERROR_INVALID && !other);
    hm::index<body, int> plain(50, 60);
    CHECK(plain.capacity() == 50 && plain.stats().max_slots == 60);
}

TEST(cpp_index, dead_owners_are_removed_and_memory_goes_back)
{
    hm::map<body> bodies(100);
    hm::index<body, int> index(bodies);
    for (int i = 0; i < 50; i++)
        CHECK(index.set(bodies.emplace(i), i % 10) == HM_OK);
    bodies.erase_if([](const body &each) { return each.number % 2 == 0; });
    CHECK(index.remove_if([&](hm::handle<body> owner) { return !bodies.contains(owner); }) == 25);
    CHECK(index.remove_if([](hm::handle<body>, int key) { return key == 7; }) == 5);
    CHECK(index.members(7).empty() && index.size() == 20);
    CHECK(index.defragment().done && index.trim() == HM_OK && index.members(3).size() == 5);
    index.clear();
    CHECK(index.empty() && index.key_count() == 0 && index.validate() == HM_OK);
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

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

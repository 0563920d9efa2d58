/* SPDX-License-Identifier: MIT */
/* hm::handle: a value with the bits of an hm_handle. */
#include "counted.hpp"

#include <type_traits>
#include <unordered_map>

namespace
{

struct node {
    hm::handle<node> parent; /* of its own, incomplete type */
    int depth = 0;
};

} // namespace

TEST(cpp_handle, handles_of_two_types_are_not_interchangeable)
{
    CHECK((!std::is_convertible<hm::handle<int>, hm::handle<node>>::value));
    CHECK((!std::is_constructible<hm::handle<int>, hm::handle<node>>::value));
    CHECK((!std::is_convertible<hm_handle, hm::handle<node>>::value));
    CHECK((!std::is_convertible<hm::handle<node>, bool>::value));
}

TEST(cpp_handle, a_handle_compares_as_its_bits)
{
    const auto low = hm::handle<node>::from_bits(1), high = hm::handle<node>::from_bits(2);
    CHECK(low == low && low != high && low < high && high > low && low <= low && high >= low);
    CHECK(!(low == high) && !(low != low) && !(high < low) && !(low > high));
    CHECK(!(high <= low) && !(low >= high));
    CHECK(low && !hm::handle<node>());
    CHECK(hm::handle<node>(low.id()) == low && low.bits() == 1);
}

TEST(cpp_handle, a_handle_tells_its_parts)
{
    const hm::handle<node> handle(hm_handle_pack(3, 7, 12));
    CHECK(handle.index() == 3 && handle.generation() == 7 && handle.type_id() == 12);
}

TEST(cpp_handle, a_handle_is_a_key_of_a_hash_table)
{
    hm::map<node> nodes(10);
    std::unordered_map<hm::handle<node>, int> depths;
    const auto root = nodes.emplace(), leaf = nodes.emplace(node{root, 1});
    depths[root] = 0;
    depths[leaf] = 1;
    CHECK(depths.size() == 2 && depths.at(leaf) == 1);
}

TEST(cpp_handle, value_or_throw_returns_what_is_there)
{
    hm::map<node> nodes(1);
    const auto handle = hm::value_or_throw(nodes.emplace(node{{}, 5}));
    CHECK(hm::value_or_throw(nodes.get(handle)).depth == 5);
    hm::value_or_throw(nodes.validate());
}

TEST(cpp_handle, value_or_throw_throws_what_is_wrong)
{
    hm::map<node> nodes(1);
    int caught = 0;
    try {
        hm::value_or_throw(nodes.get(hm::handle<node>()));
    } catch (const hm::error &) {
        caught++;
    }
    nodes.emplace();
    try {
        hm::value_or_throw(nodes.emplace());
    } catch (const hm::error &error) {
        caught++;
        CHECK(std::string(error.what()) == hm_last_error());
    }
    try {
        hm::value_or_throw(nodes.reserve(1));
    } catch (const hm::error &error) {
        caught++;
        CHECK(std::string(error.what()) == hm_last_error());
    }
    CHECK(caught == 3);
}

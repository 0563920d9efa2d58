/* SPDX-License-Identifier: MIT */
/* hm::handle: a value with the bits of an hm_handle. */
#include "counted.hpp"

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace
{

struct node {
    hm::handle<node> parent; /* of its own, incomplete type */
    int depth = 0;
};

/* Says itself that it may be moved as bytes; what is derived from it has said nothing. */
struct sound {
    using relocatable = sound;
    std::unique_ptr<float[]> samples;
};
struct named_sound : sound {
    std::string name;
};

/* Has an operator & of its own, as the pointers of some libraries. */
struct holder {
    int value;

    int *operator&()
    {
        return nullptr;
    }
    const int *operator&() const
    {
        return nullptr;
    }
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

TEST(cpp_handle, types_that_may_be_moved_as_bytes_are_known)
{
    struct no_bytes {
        std::string text;
        void operator()(int *) const
        {
        }
    };
    CHECK(hm::is_relocatable<int>::value && !hm::is_relocatable<std::string>::value);
    CHECK((hm::is_relocatable<std::unique_ptr<node>>::value));
    CHECK((hm::is_relocatable<std::unique_ptr<int, void (*)(int *)>>::value));
    CHECK((hm::is_relocatable<std::unique_ptr<int, no_bytes &>>::value));
    CHECK((!hm::is_relocatable<std::unique_ptr<int, no_bytes>>::value));
    CHECK((hm::is_relocatable<std::pair<int, std::unique_ptr<int>>>::value));
    CHECK((!hm::is_relocatable<std::pair<int, std::string>>::value));
    CHECK((hm::is_relocatable<std::tuple<int, float, sound>>::value));
    CHECK(hm::is_relocatable<sound>::value && !hm::is_relocatable<named_sound>::value);
}

TEST(cpp_handle, items_may_have_an_operator_for_their_address)
{
    const auto less = [](const holder &a, const holder &b) { return a.value < b.value; };
    hm::map<holder> map(4);
    const auto owner = map.insert(holder{1});
    CHECK(map.defragment(less).done && map.lower_bound(holder{1}, less) == map.data());
    hm::secondary<holder, holder> values(map);
    CHECK(values.set(owner, holder{2})->value == 2);
    hm::table<holder, int> table(4);
    CHECK(table.get<0>(table.insert(holder{3}, 1))->value == 3);
    hm::world world(4);
    CHECK(world.get<holder>(world.create(holder{4}))->value == 4);
    hm::lists<holder> lists(4);
    CHECK(lists.push(lists.create(), holder{5})->value == 5);
}

TEST(cpp_handle, an_id_of_32_bits_is_a_handle_with_few_generations)
{
    hm::options options;
    options.capacity = 100;
    options.generation_bits = 12;
    options.max_slots = 1 << 20;
    hm::map<int> numbers(options);
    CHECK(numbers.available() == 100);
    const hm::handle<int> five = numbers.emplace(5);
    const hm::id32<int, 20> id(five), none;
    CHECK(id && !none && id != none && none < id &&
          id == (hm::id32<int, 20>::from_bits(id.bits())));
    CHECK(id.unpack(numbers.type_id()) == five && *numbers.get(id.unpack(numbers.type_id())) == 5);
    CHECK(!none.unpack(numbers.type_id()) && sizeof id == 4);
    CHECK(id > none && none <= id && id >= none && !(none >= id));
    CHECK(hm_id32_pack(five.id(), 20).bits == id.bits() && id.bits() == 1u << 20);
    const std::unordered_map<hm::id32<int, 20>, int> prices{{id, 7}};
    CHECK(prices.at(id) == 7);
    for (int i = 0; i < 5000; i++) { /* more than a slot has generations */
        const hm::handle<int> next = numbers.emplace(i);
        CHECK((hm::id32<int, 20>(next)) && numbers.erase(next));
    }
    CHECK(numbers.stats().retired_slots == 1);
}

/* SPDX-License-Identifier: MIT */
/* hm::secondary: what it adds to hm_secondary. */
#include "counted.hpp"

#include <string>

namespace
{

struct sprite {
    float depth;
};

} // namespace

TEST(cpp_secondary, values_are_destroyed_when_they_are_replaced_or_removed)
{
    {
        hm::map<sprite> sprites(100);
        hm::secondary<sprite, counted> values(100, sprites.stats().max_slots);
        const auto a = sprites.emplace(1.0f), b = sprites.emplace(2.0f), c = sprites.emplace(3.0f);
        CHECK(*values.emplace(a, 1)->value == 1);
        values.emplace(b, 2);
        values.set(c, counted(3));
        CHECK(counted::alive == 3);
        CHECK(*values.emplace(a, 4)->value == 4 && counted::alive == 3);
        CHECK(values.remove(b) && !values.remove(b) && counted::alive == 2);
        sprites.erase(a);
        CHECK(values.remove_if(
                  [&](hm::handle<sprite> owner) { return !sprites.contains(owner); }) == 1);
        CHECK(counted::alive == 1 && values.contains(c) && *values.get(c)->value == 3);
        CHECK(values.remove_if(
                  [](hm::handle<sprite>, const counted &each) { return *each.value != 3; }) == 0);
        hm::secondary<sprite, counted> moved(std::move(values));
        CHECK(!values && moved.size() == 1 && moved.owner_at(0) == c);
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_secondary, a_value_that_is_refused_is_destroyed)
{
    hm::secondary<sprite, counted> values(10);
    CHECK(values.emplace(hm::handle<sprite>(), 1) == nullptr && counted::alive == 0);
}

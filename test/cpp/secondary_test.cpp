/* SPDX-License-Identifier: MIT */
/* hm::secondary: what it adds to hm_secondary. */
#include "counted.hpp"

namespace
{

struct sprite {
    float depth;
};

} // namespace

TEST(cpp_secondary, values_are_destroyed_when_they_are_replaced_removed_or_purged)
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
        CHECK(values.purge([&](hm::handle<sprite> owner) { return sprites.contains(owner); }) == 1);
        CHECK(counted::alive == 1 && values.contains(c) && *values.get(c)->value == 3);
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

TEST(cpp_secondary, loops_visit_values_and_owners)
{
    hm::map<sprite> sprites(100);
    hm::secondary<sprite, int> ranks(100);
    hm::handle<sprite> handles[20];
    for (int i = 0; i < 20; i++) {
        handles[i] = sprites.emplace(static_cast<float>(i));
        CHECK(ranks.set(handles[i], 20 - i) != nullptr);
    }
    for (auto [owner, rank] : ranks.entries())
        CHECK(20 - rank == static_cast<int>(sprites.get(owner)->depth));
    CHECK(ranks.defragment([](int a, int b) { return a < b; }).done);
    CHECK(ranks.values()[0] == 1 && *ranks.begin() == 1 && ranks.owner_at(0) == handles[19]);
    CHECK(ranks.defragment_by([](int a) { return static_cast<unsigned>(100 - a); }).done);
    CHECK(ranks.index_of(handles[0]) == 0);
    CHECK(ranks.arrange(handles, 20).done && ranks.end()[-1] == 1);
    ranks.touch(handles[0]);
    ranks.touch_all();
    CHECK(ranks.stats().count == 20 && ranks.validate() == HM_OK && ranks.reserve(5) == HM_OK);
    ranks.clear();
    CHECK(ranks.empty() && ranks.trim() == HM_OK && ranks.capacity() == 100);
}

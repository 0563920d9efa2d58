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
    CHECK(ranks.values()[0] == 1 && ranks.owner_at(0) == handles[19]);
}

TEST(cpp_secondary, it_takes_type_id_and_index_space_from_the_owners)
{
    hm::options with;
    with.capacity = 100;
    with.max_slots = 5000;
    with.type_id = 7;
    hm::map<sprite> sprites(with);
    hm::secondary<sprite, int> ranks(sprites);
    CHECK(ranks.capacity() == 100 && ranks.stats().max_slots == 5000);
    CHECK(ranks.set(sprites.emplace(1.0f), 5) != nullptr);
    with = {};
    with.capacity = 10;
    hm::secondary<sprite, int> few(sprites, with);
    CHECK(few.capacity() == 10 && few.stats().max_slots == 5000);
    CHECK(few.set(sprites.handle_at(0), 5) != nullptr);
    with.max_slots = 4999;
    CHECK(few.init(sprites, with) == HM_ERROR_INVALID && !few);
    with.max_slots = 5000;
    CHECK(few.init(sprites, with) == HM_OK && few.capacity() == 10);

    hm::pool<std::string, 3> names(20);
    hm::secondary<std::string, int> lengths(names);
    CHECK(lengths.set(names.emplace("hero"), 4) != nullptr);
    using bodies = hm::table<float, float>;
    bodies table(20);
    hm::secondary<bodies, int> weights(table);
    CHECK(weights.set(table.insert(1, 2), 4) != nullptr);
    hm::world_options of_world;
    of_world.capacity = 10;
    of_world.type_id = 9;
    hm::world world(of_world);
    hm::secondary<hm::world, int> scores(world);
    CHECK(scores.capacity() == 10 && scores.set(world.create(), 4) != nullptr);
    hm::lists<int, 4> lists(20);
    hm::secondary<hm::list<int>, int> counts(lists);
    CHECK(counts.set(lists.create(), 4) != nullptr);
}

TEST(cpp_secondary, it_is_not_made_for_owners_that_were_not_made)
{
    hm::map<sprite> none(UINT32_MAX); /* That is more than there can be. */
    hm::secondary<sprite, int> ranks(none);
    CHECK(!ranks && std::string(hm_last_error()).find("owners") != std::string::npos);
    CHECK(ranks.init(none) == HM_ERROR_INVALID);
    CHECK(none.init({}) == HM_OK && ranks.init(none) == HM_OK && ranks);
}

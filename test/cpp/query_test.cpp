/* SPDX-License-Identifier: MIT */
/* hm::query: what it adds to the C functions. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace
{

/* 100 entities with a position; each second has a velocity, each fourth is frozen. */
hm::world make_movers()
{
    hm::world world(1000);
    for (int i = 0; i < 100; i++) {
        const hm::entity made = world.create(position{static_cast<float>(i), 0});
        if (i % 2 == 0)
            world.add(made, velocity{1, 0});
        if (i % 4 == 0)
            world.add(made, frozen());
    }
    return world;
}

} // namespace

TEST(cpp_query, a_const_type_names_the_same_component)
{
    hm::world world(10);
    hm::query<position> moving(world, hm::without<const frozen>());
    world.create(position{}, frozen());
    world.create(position{});
    CHECK(moving.count() == 1);
}

TEST(cpp_query, a_loop_is_a_range_for_algorithms)
{
    hm::world world(1000);
    for (int i = 0; i < 100; i++) {
        world.create(position{static_cast<float>(i), 0});
        world.create(position{static_cast<float>(i), 0}, frozen());
    }
    hm::query<position> all(world);
    const auto is_near = [](const auto &row) { return std::get<1>(row).x < 10; };
    {
        auto rows = all.each();
        CHECK(std::count_if(rows.begin(), rows.end(), is_near) == 20);
        CHECK(rows.begin() == rows.end());
    }
    {
        auto rows = all.each();
        const auto found = std::find_if_not(rows.begin(), rows.end(), is_near);
        CHECK(found != rows.end() && std::get<1>(*found).x == 10);
        std::get<1>(*found).y = 7;
        CHECK(world.get<position>(std::get<0>(*found))->y == 7);
        auto next = found;
        CHECK(std::get<1>(*next++).x == 10 && std::get<1>(next.operator->().value).x == 11);
    }
    hm::query<frozen> tags(world);
    auto rows = tags.each(), moved = std::move(rows);
    int visited = 0;
    std::for_each(moved.begin(), moved.end(), [&](const std::tuple<hm::entity> &row) {
        visited += world.has<frozen>(std::get<0>(row));
    });
    CHECK(visited == 100);
    hm::query<position, frozen> both(world);
    for (auto [which, p] : both.each())
        visited += world.get<position>(which) == &p;
    CHECK(visited == 100 + static_cast<int>(both.count()));
    using iterator = decltype(all.each().begin());
    using category = std::iterator_traits<iterator>::iterator_category;
    static_assert(std::is_same<category, std::input_iterator_tag>::value, "");
    CHECK(iterator() == iterator());
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::input_range<decltype(all.each())>);
    static_assert(!std::ranges::forward_range<decltype(all.each())>);
    static_assert(std::ranges::input_range<decltype(both.each())>);
    auto again = all.each();
    CHECK(std::ranges::count_if(again, is_near) == 20);
#endif
}

TEST(cpp_query, a_loop_that_throws_ends)
{
    hm::world world(10);
    world.create(position{});
    hm::query<position> all(world);
    bool is_caught = false;
    try {
        all.each([](position &) { throw 1; });
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && world.create(position{}));
}

TEST(cpp_query, filters_come_in_any_order_and_without_types)
{
    hm::world world = make_movers();
    hm::query<> either(world, hm::any_of<velocity, rare>());
    hm::query<> neither(world, hm::without<velocity>(), hm::without<rare>());
    hm::query<> both(world, hm::without<frozen>(), hm::any_of<velocity>());
    hm::query<> swapped(world, hm::any_of<const velocity>(), hm::without<const frozen>());
    hm::query<> all(world);
    CHECK(either.count() == 50 && neither.count() == 50 && all.count() == 100);
    CHECK(both.count() == 25 && swapped.count() == 25);
    hm::query<> each_of_two(world, hm::any_of<velocity, rare>(), hm::without<>(),
                            hm::any_of<frozen, rare>());
    CHECK(each_of_two.count() == 25);
    std::uint32_t visited = 0;
    either.each([&](hm::entity which) { visited += world.has<velocity>(which); });
    either.each([&] { visited++; });
    for (auto [which] : either.each())
        visited += world.has<velocity>(which);
    CHECK(visited == 150);
}

TEST(cpp_query, optional_components_are_pointers)
{
    hm::world world = make_movers();
    hm::query<hm::optional<const velocity>, position, hm::optional<rare>, frozen> all(world);
    int with = 0, visited = 0;
    all.each([&](const velocity *v, position &p, rare *r) {
        visited++;
        with += v != nullptr;
        p.y = v != nullptr ? v->x : 0;
        CHECK(r == nullptr);
    });
    CHECK(visited == 25 && with == 25);
    hm::query<const position, hm::optional<velocity>> each(world);
    for (auto [which, p, v] : each.each()) {
        static_assert(std::is_same<decltype(p), const position &>::value, "it is only read");
        static_assert(std::is_same<decltype(v), velocity *>::value, "or nullptr");
        CHECK((v != nullptr) == world.has<velocity>(which));
        CHECK(world.get<position>(which) == &p && world.get<velocity>(which) == v);
        visited++;
    }
    CHECK(visited == 125);
    std::uint32_t lacking = 0;
    each.each_view([&](hm::span<const hm::entity> entities, const position *, velocity *v) {
        if (v == nullptr)
            lacking += static_cast<std::uint32_t>(entities.size());
    });
    CHECK(lacking == 50);
}

TEST(cpp_query, parts_visit_together_what_a_loop_visits)
{
    hm::world world = make_movers();
    hm::query<position, hm::optional<velocity>> all(world);
    using part = decltype(all)::part;
    std::vector<part> parts(3);
    for (int round = 0; round < 2; round++) {
        std::uint32_t visited = 0, viewed = 0;
        all.begin_parts(parts);
        all.begin_parts(parts); /* The first ones end. */
        CHECK(!world.create(position{}));
        parts[2].each([&](hm::entity which, position &p, velocity *) {
            visited += world.get<position>(which) == &p;
        });
        parts[0].each([&](position &, velocity *) { visited++; });
        parts[1].each_view([&](decltype(all)::view of, position *, velocity *) {
            of.touch<position>();
            viewed += static_cast<std::uint32_t>(of.size());
        });
        CHECK(visited + viewed == 100 && viewed > 10 && viewed < 60);
        CHECK(round != 0 || hm_world_trim(world.c()) == HM_OK);
    }
    {
        part left[2];
        all.begin_parts(left);
        all.begin_parts({});
        CHECK(!world.create(position{}));
    }
    CHECK(world.create(position{}));
}

DEATH_TEST(cpp_query, a_query_that_ends_in_its_loop_panics)
{
    test_expect_panic_of("query.c", "hm_query_fini: a loop of the query runs: end it first");
    hm::world world = make_movers();
    hm::query<position> all(world);
    all.each([&](position &) { all = hm::query<position>(); });
}

TEST(cpp_query, views_tell_what_changed)
{
    hm::world world = make_movers();
    hm::query<hm::optional<velocity>, position> all(world);
    const std::uint64_t before = world.clock();
    const hm::entity touched = world.handle_at(1);
    world.touch<position>(touched);
    std::size_t later = 0;
    using view = decltype(all)::view;
    all.each_view([&](view entities, velocity *v, position *) {
        CHECK((entities.changed<velocity>() == 0) == (v == nullptr));
        if (entities.changed<position>() > before)
            later += entities.size();
    });
    CHECK(later == 50); /* those in the archetype of that entity */
    const std::uint64_t between = world.clock();
    all.each_view([&](const view &of, velocity *, position *) {
        of.touch<position>();
        CHECK(of.changed<position>() > between && of.changed<velocity>() <= between);
    });
}

TEST(cpp_query, all_that_match_are_changed_at_once)
{
    hm::world world = make_movers();
    hm::query<const velocity> movers(world);
    std::uint32_t changed = 7;
    CHECK(movers.change<frozen>(hm::without<velocity, rare>(), &changed) == HM_OK);
    CHECK(changed == 50 && movers.count() == 0);
    CHECK(hm::query<frozen>(world).count() == 50);
    hm::query<frozen> all(world);
    CHECK((all.change<velocity, rare>()) == HM_OK && movers.count() == 50);
    hm::query<> none;
    CHECK(none.change<rare>(hm::without<>(), &changed) == HM_OK && changed == 0);
}

TEST(cpp_query, a_query_stays_valid_when_its_world_is_moved)
{
    auto first = std::make_unique<hm::world>(make_movers());
    hm::query<position> all(*first);
    hm::world second(std::move(*first));
    first.reset();
    second.create(position{});
    CHECK(all && all.count() == 101);
    std::vector<hm::world> worlds;
    worlds.push_back(std::move(second));
    worlds.emplace_back(10u); /* The vector moves its worlds. */
    worlds.emplace_back(10u);
    worlds.front().create(position{});
    CHECK(all.count() == 102);
    hm::query<position> moved(std::move(all));
    CHECK(!all && all.count() == 0 && moved && moved.count() == 102);
    all = std::move(moved);
    int visited = 0;
    for (auto [which, p] : all.each()) { /* also while a loop runs */
        if (visited++ == 0)
            second = std::move(worlds.front());
        CHECK(second.get<position>(which) == &p);
    }
    CHECK(visited == 102);
    second = hm::world();
    CHECK(!all && all.count() == 0);
}

TEST(cpp_query, promised_entities_that_match_are_destroyed_too)
{
    hm::world world(100);
    const hm::entity stone = world.create();
    hm::query<> all(world);
    CHECK(world.reserve(2) == HM_OK);
    hm::commands commands(world);
    CHECK(commands.create() && commands.create(position{1, 2}));
    CHECK(all.destroy_all() == 3 && !world.contains(stone) && world.empty());
    CHECK(commands.apply() == HM_OK && commands.skipped() != 0 && world.empty());
    CHECK(world.create() && all.destroy_if([](hm::entity) { return true; }) == 1);
}

TEST(cpp_query, a_destroy_that_memory_refuses_leaves_promised_entities_so)
{
    test_memory memory;
    test_memory_init(&memory, 4096);
    {
        hm::world world({10000, 0, 0, &memory.table});
        CHECK(world.create_n<position>(5000, nullptr) == HM_OK && world.reserve(2) == HM_OK);
        hm::query<> all(world);
        hm::commands commands(world);
        const hm::entity promised = commands.create(position{1, 2});
        for (std::uint32_t k = 1; k <= 2; k++) {
            test_memory_fail(&memory, k, true);
            CHECK(all.destroy_if([](hm::entity) { return true; }) == 0);
            CHECK(test_memory_refused(&memory));
            CHECK(world.size() == 5000 && !world.contains(promised));
        }
        test_memory_fail(&memory, 0, false);
        CHECK(all.destroy_all() == 5001 && !world.contains(promised));
    }
    test_memory_check_released(&memory);
}

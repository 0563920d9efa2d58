/* SPDX-License-Identifier: MIT */
/* hm::world, hm::query and hm::commands: what they add to the C functions. */
#include "counted.hpp"

namespace
{

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct frozen {
};
struct rare {
    int value;
};
struct thrower { /* when it is copied or moved */
    int value = 0;

    thrower() = default;
    thrower(const thrower &)
    {
        throw 1;
    }
};

} // namespace

template <> struct hm::is_relocatable<thrower> : std::true_type {
};

TEST(cpp_world, a_type_names_a_component)
{
    hm::world world(100);
    const hm::entity stone = world.create(position{1, 2}, velocity{3, 4}, frozen());
    CHECK(stone && world.get<position>(stone)->y == 2 && world.get<velocity>(stone)->x == 3);
    CHECK(world.has<frozen>(stone) && world.get<frozen>(stone) == nullptr);
    CHECK(!world.has<rare>(stone) && world.get<rare>(stone) == nullptr);
    CHECK(world.remove<frozen>(stone) == HM_OK && !world.has<frozen>(stone));
    CHECK(world.remove<rare>(stone) == HM_OK);
    CHECK(world.remove<rare>(hm::entity()) == HM_ERROR_STALE);
    CHECK(world.add(stone, position{5, 6}) == HM_OK && world.get<position>(stone)->x == 5);
    CHECK(world.destroy(stone) && !world.contains(stone));
    CHECK(world.add(stone, position{5, 6}) == HM_ERROR_STALE);
    CHECK(world.explain(stone) == HM_HANDLE_STALE && world.empty());
}

TEST(cpp_world, two_worlds_know_their_own_components)
{
    hm::world first(10), second(10);
    const hm::entity a = first.create(rare{1});
    CHECK(second.get<rare>(second.create()) == nullptr);
    hm::component_options sparse;
    sparse.name = "rare";
    sparse.storage = HM_COMPONENT_SPARSE;
    CHECK(second.component<rare>(sparse) != first.component<rare>());
    const hm::entity b = second.create(rare{2});
    CHECK(first.get<rare>(a)->value == 1 && second.get<rare>(b)->value == 2);
    const hm::world &fixed = second;
    CHECK(fixed.get<rare>(b)->value == 2);
}

TEST(cpp_world, each_value_is_destroyed_once)
{
    {
        hm::world world(100);
        const hm::entity a = world.create(counted(1)), b = world.create(counted(2), position{});
        CHECK(counted::alive == 2 && *world.get<counted>(b)->value == 2);
        CHECK(world.add(a, counted(3)) == HM_OK);
        CHECK(world.add(hm::entity(), counted(4)) == HM_ERROR_STALE);
        CHECK(counted::alive == 2);
        CHECK(world.remove<counted>(a) == HM_OK && counted::alive == 1);
        hm::world moved(std::move(world));
        CHECK(moved.destroy(b) && counted::alive == 0);
        moved.create(counted(5));
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_world, a_value_that_is_refused_is_destroyed)
{
    hm::world world(1);
    CHECK(world.create(counted(1)));
    CHECK(!world.create(counted(2)));
    CHECK(counted::alive == 1);
}

TEST(cpp_world, queries_call_a_lambda_for_each_entity)
{
    hm::world world(1000);
    for (int i = 0; i < 100; i++) {
        const hm::entity made = world.create(position{static_cast<float>(i), 0});
        if (i % 2 == 0)
            world.add(made, velocity{1, 0});
        if (i % 4 == 0)
            world.add(made, frozen());
    }
    hm::query<position, const velocity> movers(world, hm::without<frozen>());
    int visited = 0;
    movers.each([&](position &p, const velocity &v) {
        p.y += v.x;
        visited++;
    });
    CHECK(visited == 25 && movers.count() == 25);
    hm::query<position, frozen> still(world);
    still.each([&](hm::entity which, position &p) {
        CHECK(world.has<frozen>(which) && p.y == 0);
        visited++;
    });
    hm::query<position> any(world, hm::without<>(), hm::any_of<velocity, frozen>());
    CHECK(visited == 50 && any.count() == 50);
    std::size_t rows = 0;
    any.each_view([&](hm::span<const hm::entity> entities, position *positions) {
        CHECK(positions != nullptr);
        rows += entities.size();
    });
    CHECK(rows == 50);
}

TEST(cpp_world, a_const_type_names_the_same_component)
{
    hm::world world(10);
    hm::query<position> moving(world, hm::without<const frozen>());
    world.create(position{}, frozen());
    world.create(position{});
    CHECK(moving.count() == 1);
}

TEST(cpp_world, a_value_is_destroyed_if_making_the_next_one_throws)
{
    hm::world world(10);
    bool is_caught = false;
    try {
        world.create(counted(1), thrower());
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && counted::alive == 0 && world.empty());
}

TEST(cpp_world, a_loop_that_throws_ends)
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

TEST(cpp_world, commands_wait_for_apply_and_own_their_values)
{
    {
        hm::world world(100);
        const hm::entity old = world.create(position{1, 1}, velocity{});
        CHECK(world.reserve(10) == HM_OK);
        const hm::entity next = world.upcoming(0);
        hm::commands commands(world);
        const hm::entity made = commands.create();
        CHECK(made == next && commands.add(made, counted(1)) == HM_OK);
        CHECK(commands.add(old, frozen()) == HM_OK && commands.remove<velocity>(old) == HM_OK);
        CHECK(commands.size() == 4 && !world.has<frozen>(old));
        CHECK(commands.apply() == HM_OK && commands.skipped() == 0);
        CHECK(world.has<frozen>(old) && !world.has<velocity>(old));
        CHECK(*world.get<counted>(made)->value == 1);
        CHECK(commands.destroy(made) == HM_OK && commands.apply() == HM_OK);
        CHECK(counted::alive == 0);
        commands.add(old, counted(2));
        CHECK(counted::alive == 1);
        commands.clear();
        CHECK(counted::alive == 0);
        commands.add(old, counted(3));
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_world, rows_come_in_the_order_of_a_component)
{
    hm::world world(100);
    for (int i = 0; i < 50; i++)
        world.create(position{static_cast<float>(i * 37 % 50), 0});
    CHECK(world.defragment<position>([](const position &a, const position &b) { return a.x < b.x; })
              .done);
    hm::query<const position> all(world);
    float last = -1;
    all.each([&](const position &each) {
        CHECK(each.x > last);
        last = each.x;
    });
    CHECK(last == 49 && world.validate() == HM_OK && world.stats().count == 50);
}

/* SPDX-License-Identifier: MIT */
/* hm::commands: what they add to the C functions. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace
{

struct late { /* makes commands when it is destroyed */
    using relocatable = late;
    hm::commands *commands;
    hm::world *world;
    hm::status *returned;

    ~late()
    {
        *returned = commands->init(*world);
    }
};

} // namespace

TEST(cpp_commands, removing_from_many_is_refused_before_a_promised_entity_comes_to_life)
{
    hm::world world(100);
    hm::commands commands(world);
    CHECK(world.reserve(1) == HM_OK);
    const std::vector<hm::entity> many{commands.create(), hm::entity()};
    CHECK(world.remove_n<rare>(many) == HM_ERROR_STALE && !world.contains(many[0]));
    CHECK(world.remove_n<rare>(many.data(), 1) == HM_OK && world.contains(many[0]));
}

TEST(cpp_commands, commands_wait_for_apply_and_own_their_values)
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

TEST(cpp_commands, an_entity_is_promised_with_its_values)
{
    struct health {
        int points = 100;
    };
    hm::world world(100);
    hm::commands commands(world);
    CHECK(commands && commands.empty() && !commands.create());
    CHECK(std::strstr(hm_last_error(), "hm_world_reserve") != nullptr);
    CHECK(world.reserve(10) == HM_OK);
    const hm::entity first = commands.create(position{1, 2}, frozen(), counted(3));
    const hm::entity second = commands.create<health, frozen>();
    const hm::entity third = commands.create();
    CHECK(commands.emplace<velocity>(third, 5.0f, 6.0f) == HM_OK && world.empty());
    CHECK(commands.add<position>(third, {7, 8}) == HM_OK && commands.add<frozen>(third) == HM_OK);
    CHECK(commands.apply() == HM_OK && world.size() == 3 && commands.skipped() == 0);
    CHECK(world.get<position>(first)->y == 2 && *world.get<counted>(first)->value == 3);
    CHECK(world.has<frozen>(first) && world.has<frozen>(second) && world.has<frozen>(third));
    CHECK(world.get<health>(second)->points == 100 && world.get<velocity>(third)->y == 6);
    CHECK(world.archetype_count() == 3 && counted::alive == 1); /* no archetype in between */
    CHECK(commands.create(counted(4)));
    CHECK(counted::alive == 2);
    commands = hm::commands();
    CHECK(counted::alive == 1 && world.size() == 3);
    world = hm::world();
    CHECK(counted::alive == 0);
}

namespace
{

struct hit {
    int damage;
};
struct dead {
};

} // namespace

TEST(cpp_commands, a_loop_records_types_that_the_world_has_not_met)
{
    hm::world world(100);
    const hm::entity wolf = world.create(position{1, 2});
    CHECK(world.reserve(1) == HM_OK);
    hm::query<position> all(world);
    hm::commands commands(world);
    all.each([&](hm::entity which, position &) {
        CHECK(commands.add(which, hit{5}) == HM_OK && commands.add<dead>(which) == HM_OK);
        CHECK(commands.remove<position>(which) == HM_OK && commands.create(hit{6}));
        CHECK(commands.apply() == HM_ERROR_BUSY);
    });
    CHECK(commands.apply() == HM_OK && world.get<hit>(wolf)->damage == 5 && world.has<dead>(wolf));
    CHECK(!world.has<position>(wolf) && world.size() == 2);
}

TEST(cpp_commands, commands_stay_valid_when_their_world_is_moved)
{
    auto first = std::make_unique<hm::world>(100u);
    CHECK(first->reserve(10) == HM_OK);
    hm::commands commands(*first), other(*first);
    const hm::entity made = commands.create(counted(1));
    hm::world second(std::move(*first));
    first.reset();
    CHECK(commands.add(made, position{1, 2}) == HM_OK && other.create(counted(2)));
    hm::commands moved(std::move(commands));
    CHECK(!commands && commands.empty() && moved.apply() == HM_OK && counted::alive == 2);
    CHECK(second.get<position>(made)->y == 2 && second.size() == 2);
    CHECK(other.apply() == HM_OK && second.size() == 2);
}

TEST(cpp_commands, what_waits_is_dropped_when_the_world_ends)
{
    hm::commands first, second;
    {
        hm::world world(100);
        CHECK(world.reserve(10) == HM_OK && !first && first.init(world) == HM_OK && first);
        CHECK(second.init(world) == HM_OK);
        CHECK(first.create(counted(1)) && second.create(counted(2)));
        CHECK(counted::alive == 2);
        second = std::move(first);
        CHECK(counted::alive == 1 && second.size() == 2);
    }
    CHECK(counted::alive == 0 && !second && second.empty() && second.apply() == HM_OK);
    CHECK(!second.create(counted(3)) && second.add(hm::entity(), counted(4)) == HM_ERROR_FULL);
    CHECK(counted::alive == 0 && std::strstr(hm_last_error(), "initialise it first") != nullptr);
    CHECK(second.remove<counted>(hm::entity()) == HM_ERROR_FULL);
    CHECK(second.destroy(hm::entity()) == HM_ERROR_FULL);
    second.clear();
}

/* As programs have it; its members are assigned in this order, the world first. */
struct game {
    hm::world world;
    hm::query<position> all;
    hm::commands commands;

    explicit game(std::uint32_t count) : world(100), all(world), commands(world)
    {
        world.create_n<position>(count, nullptr);
        (void)world.reserve(1);
        commands.create(counted(1), position{});
    }
};

TEST(cpp_commands, a_struct_of_world_query_and_commands_is_moved_as_a_whole)
{
    {
        game first(3), second(5);
        CHECK(counted::alive == 2);
        first = std::move(second);
        CHECK(counted::alive == 1 && first.all.count() == 5 && first.commands.apply() == HM_OK);
        CHECK(first.all.count() == 6 && !second.all && !second.commands && !second.world);
        game third(std::move(first));
        CHECK(third.all.destroy_all() == 6 && counted::alive == 0);
        std::swap(third, second);
        CHECK(second.world && second.commands && second.all && !third.world);
    }
    CHECK(counted::alive == 0);
}

TEST(cpp_commands, commands_of_a_world_that_is_not_there_say_why)
{
    hm::world none(UINT32_MAX); /* more than can be */
    hm::commands commands(none);
    CHECK(!commands && !commands.create());
    CHECK(commands.init(none) == HM_ERROR_FULL);
    CHECK(std::strcmp(hm_last_error(), "the world has no capacity: initialise it first") == 0);
    hm::world world(10);
    CHECK(commands.init(world) == HM_OK && commands.add<frozen>(world.create()) == HM_OK);
}

TEST(cpp_commands, a_value_whose_memory_is_refused_leaves_no_entity)
{
    using large = block<16000>;
    test_memory memory;
    test_memory_init(&memory, 4096);
    {
        hm::world world({100, 0, 0, &memory.table});
        hm::commands commands(world);
        CHECK(world.reserve(50) == HM_OK && world.component<large>() != HM_INVALID_INDEX);
        CHECK(world.component<counted>() != HM_INVALID_INDEX);
        int made = 0;
        bool is_refused = false;
        while (!is_refused) {
            test_memory_fail(&memory, made >= 5 ? 1 : 0, false);
            is_refused = !commands.create(counted(1), large());
            made += !is_refused;
        }
        CHECK(test_memory_refused(&memory) && made >= 5 && counted::alive >= made);
        test_memory_fail(&memory, 0, false);
        CHECK(commands.apply() == HM_OK && counted::alive == made);
        CHECK(world.size() == static_cast<std::uint32_t>(made));
    }
    CHECK(counted::alive == 0);
    test_memory_check_released(&memory);
}

TEST(cpp_commands, a_create_that_is_refused_records_and_promises_nothing)
{
    using large = block<8000>;
    struct alignas(256) wide {
        int value;
    };
    test_memory memory;
    test_memory_init(&memory, 4096);
    for (std::uint32_t k = 1, is_refused = 1; is_refused != 0; k++) {
        hm::world world({100, 0, 0, &memory.table});
        hm::commands commands(world);
        CHECK(world.reserve(50) == HM_OK && world.component<large>() != HM_INVALID_INDEX);
        CHECK(world.component<counted>() != HM_INVALID_INDEX);
        CHECK(world.component<wide>() != HM_INVALID_INDEX);
        CHECK(world.component<frozen>() != HM_INVALID_INDEX);
        test_memory_fail(&memory, k, true); /* that call, and all later ones */
        int made = 0;
        while (made < 20 && commands.create(counted(1), frozen(), large(), wide{made}))
            made++;
        is_refused = made < 20;
        CHECK(test_memory_refused(&memory) == (made < 20) && k < 100);
        CHECK(counted::alive == made);
        CHECK(commands.size() == 5 * static_cast<std::uint32_t>(made));
        test_memory_fail(&memory, 0, false);
        const hm::entity next = commands.create(wide{made});
        CHECK(next.index() == static_cast<std::uint32_t>(made)); /* the one that was refused */
        CHECK(commands.apply() == HM_OK && counted::alive == made);
        CHECK(world.size() == static_cast<std::uint32_t>(made) + 1);
        CHECK(world.get<wide>(next)->value == made && world.validate() == HM_OK);
        CHECK(made == 0 || world.get<wide>(world.handle_at(0))->value == 0);
    }
    CHECK(counted::alive == 0);
    test_memory_check_released(&memory);
}

TEST(cpp_commands, a_create_that_does_not_fit_in_the_buffer_records_nothing)
{
    using large = block<15000>;
    /* On the heap a buffer has 4 MiB, which a large value passes in the end. */
    hm::world world({1000, 0, 0, hm_memory_heap(), nullptr, 0, 1 << 24});
    hm::commands commands(world);
    CHECK(world.reserve(1000) == HM_OK);
    std::uint32_t made = 0;
    while (commands.create(counted(1), large()))
        made++;
    CHECK(std::strstr(hm_last_error(), "the commands of 'world': ") != nullptr && made > 200 &&
          made < 300);
    CHECK(!commands.create(large(), counted(1)));
    CHECK(commands.size() == 3 * made && counted::alive == static_cast<int>(made));
    const hm::entity next = commands.create(counted(2));
    CHECK(next.index() == made && commands.apply() == HM_OK && world.size() == made + 1);
    world.clear();
    CHECK(counted::alive == 0);
}

TEST(cpp_commands, a_buffer_has_the_size_that_the_program_gives_it)
{
    using large = block<15000>;
    hm::world world(100);
    hm::commands_options small;
    small.size = 64 << 10;
    hm::commands commands(world, small);
    const hm::entity which = world.create();
    for (int i = 0; i < 3; i++)
        CHECK(commands.add(which, large()) == HM_OK);
    CHECK(commands.add(which, large()) == HM_ERROR_FULL && commands.apply() == HM_OK);
    small.size = 1;
    CHECK(commands.init(world, small) == HM_ERROR_INVALID && !commands);
    CHECK(commands.init(world) == HM_OK && commands.add(which, large()) == HM_OK);
}

TEST(cpp_commands, values_that_take_more_than_a_chunk_are_refused_at_create)
{
    using large = block<10000>;
    using other = block<10000, 1>;
    hm::world world(100);
    hm::commands commands(world);
    CHECK(world.reserve(5) == HM_OK && !commands.create(large(), counted(1), other()));
    CHECK(std::strstr(hm_last_error(), "above 16360: make large components sparse") != nullptr);
    CHECK(commands.empty() && counted::alive == 0);
    CHECK(commands.create(large()) && commands.size() == 2 && commands.apply() == HM_OK);
}

TEST(cpp_commands, values_that_together_take_more_than_a_chunk_are_dropped_at_apply)
{
    using large = block<10000>;
    using other = block<10000, 1>;
    hm::world world(100);
    hm::commands commands(world);
    const hm::entity which = world.create(large());
    CHECK(commands.add(which, counted(1)) == HM_OK && commands.add<other>(which) == HM_OK);
    CHECK(counted::alive == 1 && commands.apply() == HM_OK);
    CHECK(commands.dropped() == 2 && commands.skipped() == 0 && commands.empty());
    CHECK(counted::alive == 0 && world.has<large>(which) && !world.has<other>(which));
}

TEST(cpp_commands, a_destructor_that_the_world_calls_cannot_make_commands)
{
    hm::commands commands;
    hm::status returned = HM_OK;
    {
        hm::world world(10);
        CHECK(world.emplace<late>(world.create(), &commands, &world, &returned) != nullptr);
    }
    CHECK(returned == HM_ERROR_BUSY && !commands);
    CHECK(std::strstr(hm_last_error(), "from one of its own callbacks") != nullptr);
}

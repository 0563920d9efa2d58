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

/* SPDX-License-Identifier: MIT */
/* C++ objects in a history: worlds with their queries and commands, and moves, which the classes
 * tell. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <memory>
#include <utility>

namespace
{

template <int N> struct tag {
};

struct scene {
    test_memory memory;
    hm_history history;

    scene()
    {
        test_memory_init_with_holes(&memory, test_page_size(4096));
        hm_history_desc desc{};
        desc.size = std::size_t{1} << 24;
        desc.method = HM_HISTORY_COMPARE;
        desc.memory = &memory.table;
        CHECK(hm_history_init(&history, &desc) == HM_OK);
    }
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
    ~scene()
    {
        CHECK(hm_history_validate(&history) == HM_OK);
        hm_history_fini(&history);
        test_memory_check_released(&memory);
    }
    hm::world_options options()
    {
        hm::world_options with;
        with.memory = &history.table;
        return with;
    }
    std::uint64_t mark()
    {
        const std::uint64_t taken = hm_history_mark(&history);
        CHECK(taken != 0);
        return taken;
    }
    void rewind(std::uint64_t to)
    {
        CHECK(hm_history_rewind(&history, to) == HM_OK);
        CHECK(hm_history_validate(&history) == HM_OK);
    }
};

} // namespace

TEST(cpp_history, a_world_in_it_is_rewound_and_tells_its_changes)
{
    scene s;
    hm::world world(s.options());
    CHECK(world.watch(s.history) == HM_OK);
    const auto from = s.mark();
    const hm::entity made = world.create(position{1, 2});
    const auto to = s.mark();
    int told = 0;
    CHECK(world.changes(s.history, from, to, [&](const hm_change &) { told++; }) == HM_OK);
    CHECK(told == 2);
    hm::query<position> query(world);
    for (auto [entity, at] : query.each()) {
        (void)entity, (void)at;
        CHECK(hm_history_mark(&s.history) == 0);
        CHECK(hm_history_rewind(&s.history, from) == HM_ERROR_BUSY);
    }
    s.rewind(from);
    CHECK(world.size() == 0 && !world.contains(made) && query.count() == 0);
    s.rewind(to);
    CHECK(world.get<position>(made)->y == 2 && query.count() == 1);
    hm::world elsewhere(100);
    CHECK(elsewhere.watch(s.history) == HM_ERROR_INVALID);
}

TEST(cpp_history, a_world_is_empty_after_a_rewind_to_before_it_was_made_and_comes_back)
{
    scene s;
    const auto before = s.mark();
    hm::world world(s.options());
    const hm::entity made = world.create(position{1, 2});
    hm::query<position> query(world);
    hm::commands commands(world);
    const auto full = s.mark();
    s.rewind(before);
    CHECK(world.size() == 0 && world.capacity() == 0 && !world.create(position{1, 2}));
    CHECK(!world.get<position>(made) && query.count() == 0);
    CHECK(commands.destroy(made) == HM_ERROR_FULL && commands.apply() == HM_OK);
    s.rewind(full);
    CHECK(world.get<position>(made)->x == 1 && world.validate() == HM_OK && query.count() == 1);
    s.rewind(before);
    world = hm::world(s.options()); /* made anew, at another place */
    CHECK(world.create(position{}));
    CHECK(query.count() == 0 && !query);
}

TEST(cpp_history, a_query_that_ended_before_a_rewind_stays_so)
{
    scene s;
    hm::world world(s.options());
    world.create(velocity{});
    auto query = std::make_unique<hm::query<position>>(world);
    auto commands = std::make_unique<hm::commands>(world);
    const auto mark = s.mark();
    query.reset();
    commands.reset();
    s.rewind(mark);
    hm::query<velocity> fresh(world);
    CHECK(fresh.count() == 1 && world.validate() == HM_OK);
}

TEST(cpp_history, a_query_that_was_made_after_the_mark_goes_on)
{
    scene s;
    hm::world world(s.options());
    world.component<position>();
    const auto mark = s.mark();
    hm::query<position> query(world);
    world.create(position{1, 2});
    CHECK(query.count() == 1);
    s.rewind(mark);
    world.create(velocity{});
    CHECK(query.count() == 0);
    CHECK(query.each().begin() == query.each().end());
    world.create(position{3, 4});
    CHECK(query.count() == 1);
}

/* The number of a type that a rewind took away is another type's now. */
TEST(cpp_history, a_query_for_a_type_that_the_world_has_not_any_more_matches_nothing)
{
    scene s;
    hm::world world(s.options());
    const auto mark = s.mark();
    hm::query<position> query(world);
    world.create(position{1, 2});
    s.rewind(mark);
    const hm::entity made = world.create(velocity{5, 6});
    CHECK(query.count() == 0 && !world.has<position>(made) && world.get<velocity>(made)->x == 5);
    CHECK(world.add(made, position{7, 8}) == HM_OK && world.get<velocity>(made)->x == 5);
    CHECK(hm::query<position>(world).count() == 1);
}

TEST(cpp_history, commands_that_wait_come_back_or_are_gone)
{
    scene s;
    hm::world world(s.options());
    world.reserve(10);
    hm::commands commands(world);
    const auto empty = s.mark();
    const hm::entity promised = commands.create(position{3, 4});
    CHECK(promised && commands.size() == 2);
    const auto waiting = s.mark();
    s.rewind(empty);
    CHECK(commands.size() == 0 && commands.apply() == HM_OK && world.size() == 0);
    s.rewind(empty);
    s.rewind(waiting);
    CHECK(commands.size() == 2);
    hm::commands moved(std::move(commands));
    hm::commands later(world);
    CHECK(later.destroy(promised) == HM_OK && later.apply() == HM_OK && world.size() == 0);
    s.rewind(waiting);
    CHECK(moved.size() == 2 && later.size() == 0);
    CHECK(moved.apply() == HM_OK && world.get<position>(promised)->y == 4);
    CHECK(world.validate() == HM_OK);
}

TEST(cpp_history, a_world_that_ended_takes_its_queries_along_after_a_rewind_too)
{
    scene s;
    hm::world world(s.options());
    const auto mark = s.mark();
    hm::query<position> query(world);
    world.create(position{}, tag<0>{});
    s.rewind(mark);
    world = hm::world();
    CHECK(!query && query.count() == 0);
    s.rewind(mark); /* Its memory comes back; nobody has it. */
    CHECK(world.size() == 0);
}

TEST(cpp_history, containers_that_move_are_rewound_where_they_are)
{
    scene s;
    hm::options with;
    with.memory = &s.history.table;
    hm::map<int> map(with);
    hm::pool_options of_pool;
    of_pool.memory = &s.history.table;
    auto pool = std::make_unique<hm::pool<int>>(of_pool);
    hm::world world(s.options());
    const auto one = map.insert(1);
    const auto two = pool->insert(2);
    const auto mark = s.mark();
    hm::map<int> moved(std::move(map));
    hm::pool<int> other(of_pool);
    other = std::move(*pool);
    pool.reset();
    hm::world away(std::move(world));
    const hm::entity three = away.create(3);
    *moved.get(one) = 7;
    moved.insert(8);
    CHECK(other.erase(two));
    s.mark();
    s.rewind(mark);
    CHECK(moved.size() == 1 && *moved.get(one) == 1 && *other.get(two) == 2);
    CHECK(!away.contains(three) && map.size() == 0 && world.size() == 0);
    std::swap(map, moved);
    map.insert(9);
    s.rewind(mark);
    CHECK(map.size() == 1 && moved.size() == 0);
}

/* Writes over what calls have left on the stack, where an item was made before it was moved. */
static void overwrite_stack()
{
    volatile unsigned char bytes[8192];
    for (std::size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xa5;
    CHECK(bytes[sizeof bytes - 1] == 0xa5);
}

/* A container in an item of another one is rewound with that, and known when it leaves it. */
TEST(cpp_history, a_container_inside_an_item_is_rewound_with_it)
{
    scene s;
    hm::options with;
    with.memory = &s.history.table;
    hm::map<hm::map<int>> outer(with);
    const auto inner = outer.emplace(with);
    overwrite_stack();
    outer.get(inner)->insert(1);
    const auto mark = s.mark();
    outer.get(inner)->insert(2);
    s.rewind(mark);
    CHECK(outer.get(inner)->size() == 1);
    hm::map<int> out(std::move(*outer.get(inner)));
    const auto again = s.mark();
    out.insert(2);
    s.rewind(again);
    CHECK(out.size() == 1);
}

/* The same where the item is made outside and then given away: by each way to do so. */
TEST(cpp_history, a_container_that_becomes_a_value_is_rewound_there)
{
    scene s;
    hm::options with;
    with.memory = &s.history.table;
    using inner = hm::map<int>;
    hm::map<int> owners(with);
    const auto owner = owners.emplace(1);
    hm::secondary<int, inner> values(owners, with);
    inner *value = values.emplace(owner, with);
    hm::map<inner> adopting(with);
    const hm::handle<inner> issued(hm_handle_pack(3, 1, 0));
    CHECK(adopting.adopt(issued, with) == HM_OK);
    hm::world world(s.options());
    const hm::entity made = world.create(1, inner(with)), added = world.create(2),
                     changed = world.create(3);
    CHECK(world.add(added, inner(with)) == HM_OK);
    CHECK(world.change(changed, hm::without<int>{}, inner(with)) == HM_OK);
    overwrite_stack();
    inner *const all[] = {value, adopting.get(issued), world.get<inner>(made),
                          world.get<inner>(added), world.get<inner>(changed)};
    const auto mark = s.mark();
    for (inner *each : all)
        each->insert(1);
    overwrite_stack();
    s.rewind(mark);
    for (inner *each : all)
        CHECK(each->size() == 0);
    overwrite_stack();
    s.mark();
}

/* Where memory is refused, a world is made whole or not at all. */
TEST(cpp_history, a_world_whose_memory_is_refused_leaves_nothing_behind)
{
    scene s;
    std::uint32_t k = 1;
    for (bool is_made = false; !is_made; k++) {
        test_memory_fail(&s.memory, k, false);
        hm::world world;
        const hm::status made = world.init(s.options());
        is_made = made == HM_OK;
        CHECK(is_made || made == HM_ERROR_MEMORY);
        test_memory_fail(&s.memory, 0, false);
        CHECK(hm_history_validate(&s.history) == HM_OK);
    }
    CHECK(k > 2);
}

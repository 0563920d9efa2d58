/* SPDX-License-Identifier: MIT */
/* hm::world: what it adds to the C functions. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <cstring>
#include <string>
#include <vector>

namespace
{

struct thrower { /* when it is copied or moved */
    int value = 0;

    thrower() = default;
    thrower(const thrower &)
    {
        throw 1;
    }
};

using huge = block<20000>;

struct asking { /* for a component that is too large, when it is destroyed */
    hm::world *of;
    hm::status *answer;

    ~asking()
    {
        if (of != nullptr)
            *answer = of->add(of->handle_at(0), huge{});
    }
    asking(hm::world *asked, hm::status *said) : of(asked), answer(said)
    {
    }
    asking(asking &&other) noexcept : of(std::exchange(other.of, nullptr)), answer(other.answer)
    {
    }
};

struct rope { /* has a copy of its own */
    int *copies;

    explicit rope(int *counted) noexcept : copies(counted)
    {
    }
    rope(const rope &other) noexcept : copies(other.copies)
    {
        ++*copies;
    }
};

struct unique { /* has none */
    int number = 5;

    unique() = default;
    unique(unique &&) = default;
    ~unique()
    {
        number = 0;
    }
};
} // namespace

template <> struct hm::is_relocatable<rope> : std::true_type {
};
template <> struct hm::is_relocatable<unique> : std::true_type {
};
template <> struct hm::is_relocatable<asking> : std::true_type {
};
template <> struct hm::is_relocatable<thrower> : std::true_type {
};

TEST(cpp_world, an_entity_is_copied_by_copy_constructors)
{
    hm::world world(100);
    int copies = 0;
    const hm::entity stone = world.create(position{1, 2}, rope(&copies), frozen());
    copies = 0;
    const hm::entity copy = world.copy(stone);
    CHECK(copy && copy != stone && copies == 1 && world.size() == 2);
    CHECK(world.get<position>(copy)->y == 2 && world.has<frozen>(copy));
    CHECK(world.add<unique>(stone) == HM_OK && !world.copy(stone) && world.size() == 2);
    CHECK(world.get<unique>(stone)->number == 5 && world.remove_all(stone) == HM_OK);
    CHECK(world.contains(stone) && !world.has<position>(stone));
    CHECK(!world.copy(world.create<thrower>()) && world.size() == 3);
}

TEST(cpp_world, many_entities_are_asked_and_changed_at_once)
{
    hm::world world(100);
    const std::vector<hm::entity> many{world.create(), world.create(velocity{3, 4})};
    const position values[] = {{1, 2}, {3, 4}};
    position *found[2];
    bool alive[2];
    CHECK(world.remove_n<position>(many) == HM_OK && world.add_n(many, values) == HM_OK);
    CHECK(world.get_n(many, found) == 2 && found[0]->x == 1 && found[1]->y == 4);
    const position *seen[2];
    CHECK(std::as_const(world).get_n(many, seen) == 2 && seen[1] == found[1]);
    CHECK(world.handle_of(found[1]) == many[1] && !world.handle_of(&values[0]));
    CHECK(world.add_n<frozen>(many) == HM_OK && world.has<frozen>(many[1]));
    hm_component has[8];
    CHECK(world.components_of(many[1], has, 8) == 3);
    CHECK(world.components_of(many[0], has, 8) == 2 && has[0] == world.component<position>());
    std::uint32_t removed = 0;
    CHECK(world.remove_n<position>(many, &removed) == HM_OK && removed == many.size());
    CHECK(world.remove_n<position>(many, &removed) == HM_OK && removed == 0);
    CHECK(!world.has<position>(many[0]));
    CHECK(world.destroy(many[0]) && world.contains_n(many, alive) == 1 && alive[1] && !alive[0]);
    CHECK(world.remove_n<rare>(many) == HM_ERROR_STALE);
}

TEST(cpp_world, a_type_names_a_component)
{
    hm::world world(100);
    const hm::entity stone = world.create(position{1, 2}, velocity{3, 4}, frozen());
    CHECK(stone && world.get<position>(stone)->y == 2 && world.get<velocity>(stone)->x == 3);
    CHECK(world.has<frozen>(stone) && world.get<frozen>(stone) == nullptr);
    CHECK(!world.has<rare>(stone) && world.get<rare>(stone) == nullptr);
    const auto [at, by, none, tag] = world.get<position, const velocity, rare, frozen>(stone);
    CHECK(at == world.get<position>(stone) && by == world.get<velocity>(stone));
    CHECK(none == nullptr && tag == nullptr);
    const auto fixed = std::as_const(world).get<position, velocity>(stone);
    static_assert(
        std::is_same_v<decltype(fixed), const std::tuple<const position *, const velocity *>>);
    CHECK(std::get<0>(fixed) == at && std::get<1>(fixed) == by);
    CHECK(std::get<1>(world.get<position, velocity>(hm::entity())) == nullptr);
    bool removed = false;
    CHECK(world.remove<frozen>(stone, &removed) == HM_OK && removed && !world.has<frozen>(stone));
    CHECK(world.remove<frozen>(stone, &removed) == HM_OK && !removed);
    removed = true;
    CHECK(world.remove<rare>(stone, &removed) == HM_OK && !removed);
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

TEST(cpp_world, rows_come_in_the_order_of_a_key)
{
    hm::world world(100);
    for (int i = 0; i < 50; i++)
        world.create(rare{i * 37 % 50 - 25}, frozen());
    CHECK(world.defragment_by<rare>([](const rare &each) { return each.value; }).done);
    int last = -26;
    world.each<const rare>([&](const rare &each) {
        CHECK(each.value == last + 1);
        last = each.value;
    });
    CHECK(last == 24);
    /* It resumes, under a budget too; touch_all says that values have changed. */
    world.each<rare>([](rare &each) { each.value = -each.value; });
    world.touch_all<rare>();
    world.forget_order();
    int calls = 0;
    while (!world
                .defragment_by<rare>([](const rare &each) { return each.value; },
                                     hm::frame_budget_of(2, 10))
                .done)
        calls++;
    CHECK(calls > 5);
    CHECK(
        world.defragment<velocity>([](const velocity &, const velocity &) { return false; }).done);
}

TEST(cpp_world, default_values_are_those_of_the_type)
{
    struct health {
        int points = 100;
    };
    hm::world world(100);
    const hm::entity wolf = world.create<health, frozen, position>();
    CHECK(world.get<health>(wolf)->points == 100 && world.has<frozen>(wolf));
    CHECK(world.get<position>(wolf)->x == 0);
    const hm::entity bear = world.create();
    CHECK(world.add<health>(bear) == HM_OK && world.add<frozen>(bear) == HM_OK);
    CHECK(world.get<health>(bear)->points == 100 && world.has<frozen>(bear));
    CHECK(world.get_or<health>(bear, health{1}).points == 100);
    CHECK(world.get_or(hm::entity(), health{1}).points == 1);
    CHECK(world.get_or(world.create(), rare{5}).value == 5);
}

TEST(cpp_world, a_change_is_one_move)
{
    hm::world world(100);
    const hm::entity stone = world.create(position{1, 2}, velocity{3, 4}, counted(1));
    const std::uint32_t archetypes = world.archetype_count();
    CHECK(world.change(stone, hm::without<velocity, rare>(), frozen(), counted(2)) == HM_OK);
    CHECK(world.archetype_count() == archetypes + 1 && !world.has<velocity>(stone));
    CHECK(world.has<frozen>(stone) && *world.get<counted>(stone)->value == 2);
    CHECK(counted::alive == 1 && world.get<position>(stone)->y == 2);
    CHECK(world.change(hm::entity(), hm::without<>(), counted(3)) == HM_ERROR_STALE);
    CHECK(counted::alive == 1);
    CHECK(world.change(stone, hm::without<counted, const frozen>()) == HM_OK);
    CHECK(counted::alive == 0 && !world.has<frozen>(stone) && world.validate() == HM_OK);
}

/* A suite of its own, since it leaves no numbers to the tests that follow in its process. */
TEST(cpp_world_numbers, a_type_without_a_number_is_refused_as_full)
{
    struct first {
        int value;
    };
    struct last {
        int value;
    };
    struct late {
        int value;
    };
    hm::world world(10);
    const hm::entity stone = world.create(first{1});
    while (hm::detail::next_type_number() < 16382) { /* as for types that other worlds have met */
    }
    CHECK(world.add(stone, last{2}) == HM_OK && world.get<last>(stone)->value == 2);
    CHECK(world.add(stone, late{3}) == HM_ERROR_FULL && !world.has<late>(stone));
    CHECK(std::strstr(hm_last_error(), "this program has 16383 types of components already") !=
          nullptr);
    CHECK(world.component<late>() == HM_INVALID_INDEX && !world.create(late{4}));
    CHECK(world.each<late>([](late &) {}) == HM_ERROR_FULL);
    CHECK(world.add(stone, first{5}) == HM_OK && world.validate() == HM_OK);
    hm::world other(10);
    CHECK(other.create(first{6}, last{7}) && !other.create(late{8}));
}

/* Every function of a world that was moved from, or whose init failed: none succeeds, each says
 * why. */
static void check_empty(hm::world &world)
{
    CHECK(!world && world.capacity() == 0 && world.empty() && world.validate() == HM_OK);
    CHECK(world.component<position>() == HM_INVALID_INDEX);
    CHECK(std::strcmp(hm_last_error(), "the world has no capacity: initialise it first") == 0);
    CHECK(!world.create() && !world.create(position{}) && !world.create<frozen>());
    CHECK(std::strcmp(hm_last_error(), "the world has no capacity: initialise it first") == 0);
    CHECK(world.create_n<position>(1, nullptr) == HM_ERROR_FULL);
    CHECK(world.add<frozen>(hm::entity()) == HM_ERROR_FULL);
    CHECK(world.remove<position>(hm::entity()) == HM_ERROR_STALE);
    CHECK(world.change(hm::entity(), hm::without<position>()) == HM_ERROR_STALE);
    CHECK(world.emplace<position>(hm::entity(), 1.0f, 2.0f) == nullptr);
    CHECK(world.get<position>(hm::entity()) == nullptr && !world.has<position>(hm::entity()));
    CHECK(!world.destroy(hm::entity::from_bits(1)) && world.destroy_n(nullptr, 0) == 0);
    CHECK(world.reserve(1) == HM_ERROR_FULL && !world.upcoming(0) && !world.handle_at(0));
    CHECK(world.each<position>([](position &) {}) == HM_ERROR_FULL);
    CHECK(world.changed<position>(hm::entity()) == 0 && world.archetype_count() == 0);
    CHECK(world.defragment_by<rare>([](const rare &each) { return each.value; }).done);
    CHECK(world.explain(hm::entity()) == HM_HANDLE_NULL && world.stats().count == 0);
    world.touch<position>(hm::entity());
    world.touch_all<position>();
    world.clear();
    (void)world.trim();
    CHECK(!world && world.validate() == HM_OK);
}

TEST(cpp_world, an_empty_world_refuses_everything_and_says_why)
{
    hm::world moved(10);
    const hm::world taken(std::move(moved));
    check_empty(moved);
    hm::world refused(0xFFFFFFFF);
    CHECK(std::strstr(hm_last_error(), "is above") != nullptr);
    check_empty(refused);
    CHECK(taken.capacity() == 10 && refused.init({10}) == HM_OK && refused.create(position{}));
}

TEST(cpp_world, refused_memory_is_reported_and_nothing_is_lost)
{
    test_memory memory;
    test_memory_init(&memory, 4096);
    bool is_made = false;
    for (std::uint32_t k = 1; !is_made; k++) {
        test_memory_fail(&memory, k, k % 2 == 0);
        hm::world world({100, 0, 0, &memory.table});
        is_made = static_cast<bool>(world);
        CHECK(is_made == !test_memory_refused(&memory));
        if (!is_made)
            CHECK(!world.create(position{}) &&
                  world.init({100, 0, 0, &memory.table}) == (k % 2 == 0 ? HM_ERROR_MEMORY : HM_OK));
        CHECK(k < 100);
    }
    test_memory_fail(&memory, 0, false);
    test_memory_check_released(&memory);
    hm::entity stone;
    for (std::uint32_t k = 1; !stone; k++) { /* Each call of the first create is refused. */
        test_memory_fail(&memory, 0, false);
        hm::world world({100, 0, 0, &memory.table});
        CHECK(world);
        test_memory_fail(&memory, k, true);
        stone = world.create(counted(1), position{1, 2});
        CHECK(static_cast<bool>(stone) == !test_memory_refused(&memory));
        CHECK(counted::alive == (stone ? 1 : 0) && k < 100);
        CHECK(stone || world.add(hm::entity(), counted(2)) != HM_OK);
        test_memory_fail(&memory, 0, false);
        CHECK(world.create(counted(3), position{1, 2}));
    }
    CHECK(counted::alive == 0);
    test_memory_check_released(&memory);
}

namespace
{

struct armour {
    int strength = 40;
    bool is_worn = true;
};
struct score {
    int points = 0; /* is zero, so no initial value is needed */
};
struct loud {
    int volume = 3;
    loud() noexcept(false)
    {
    }
};

} // namespace

TEST(cpp_world, where_no_value_is_given_it_is_what_the_type_begins_with)
{
    hm::world world(100);
    hm::entity made[10];
    CHECK((world.create_n<armour, score, loud>(10, nullptr, nullptr, nullptr, made) == HM_OK));
    CHECK(world.get<armour>(made[9])->strength == 40 && world.get<armour>(made[9])->is_worn);
    CHECK(world.get<score>(made[9])->points == 0 && world.get<loud>(made[9])->volume == 0);
    hm::entity bare = world.create();
    CHECK(world.add_n<armour>(&bare, 1) == HM_OK && world.get<armour>(bare)->strength == 40);
}

/* SPDX-License-Identifier: MIT */
/* peer_benchmark: hm::world beside EnTT and flecs, with the scenarios of abeimler's ecs_benchmark,
 * for 1,000, 64,000 and 1,000,000 entities or --items of them. A ratio is our time to that of a
 * peer; without the peers' sources only our own times are printed. The options are those of
 * groups.h. */
#include "groups.h"
#include "peer_worlds.h"

#include <utility>

namespace
{

const position start = {1, 2};
const velocity speed = {3, 4};
const charge charged = {5, 6};
const body solid = {7, 8, 9, 10, 11};

template <class World> struct scene {
    World world;
    std::vector<typename World::entity> entities;

    template <class... Values> void fill(uint32_t count, const Values &...values)
    {
        entities.clear();
        entities.reserve(count);
        for (uint32_t i = 0; i < count; i++)
            entities.push_back(world.create(values...));
    }
    void shuffle()
    {
        std::shuffle(entities.begin(), entities.end(), std::mt19937_64(1));
    }
};

/* The seconds that `work` takes, after `prepare`; several times for few entities. */
template <class Prepare, class Work> double timed(uint32_t count, Prepare prepare, Work work)
{
    uint32_t rounds = smoke || count >= 64000 ? 1 : 64000 / count;
    double seconds = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        prepare();
        double began = cpu_seconds();
        work();
        seconds += cpu_seconds() - began;
    }
    return seconds / rounds;
}

/* A new world each time. */
template <class World, class Work> double timed_anew(uint32_t count, Work work)
{
    std::vector<typename World::entity> entities(count);
    uint32_t rounds = smoke || count >= 64000 ? 1 : 64000 / count;
    double seconds = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        World world;
        double began = cpu_seconds();
        work(world, entities);
        seconds += cpu_seconds() - began;
    }
    return seconds / rounds;
}

template <class World, class... Values> double create(uint32_t count, const Values &...values)
{
    return timed_anew<World>(count, [&](World &world, auto &entities) {
        for (auto &entity : entities)
            entity = world.create(values...);
    });
}

struct create_none {
    template <class World> static double run(uint32_t count)
    {
        return create<World>(count);
    }
};
struct create_two {
    template <class World> static double run(uint32_t count)
    {
        return create<World>(count, start, speed);
    }
};
struct create_three {
    template <class World> static double run(uint32_t count)
    {
        return create<World>(count, start, speed, solid);
    }
};
struct create_bulk {
    template <class World> static double run(uint32_t count)
    {
        std::vector<position> positions(count, start);
        std::vector<velocity> velocities(count, speed);
        return timed_anew<World>(count, [&](World &world, auto &entities) {
            world.create_n(positions, velocities, entities);
        });
    }
};

/* Gives bodies to all, then takes them away, and times one of the two. */
template <class World> double change_bodies(uint32_t count, bool is_add)
{
    scene<World> s;
    s.fill(count, start, speed);
    auto add = [&] {
        for (auto entity : s.entities)
            s.world.add(entity, solid);
    };
    auto take = [&] {
        for (auto entity : s.entities)
            s.world.template remove<body>(entity);
    };
    if (!is_add)
        return timed(count, add, take);
    add();
    return timed(count, take, add);
}
struct add_one {
    template <class World> static double run(uint32_t count)
    {
        return change_bodies<World>(count, true);
    }
};
struct remove_one {
    template <class World> static double run(uint32_t count)
    {
        return change_bodies<World>(count, false);
    }
};
struct remove_and_add {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed);
        auto work = [&] {
            for (auto entity : s.entities) {
                s.world.template remove<velocity>(entity);
                s.world.add(entity, speed);
            }
        };
        work();
        return timed(
            count, [] {}, work);
    }
};
struct tags_recorded {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed);
        auto work = [&] {
            s.world.put_tags(s.entities);
            s.world.take_tags(s.entities);
        };
        work();
        return timed(
            count, [] {}, work);
    }
};
struct tags_of_all {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed);
        auto work = [&] {
            s.world.tag_all();
            s.world.untag_all();
        };
        work();
        return timed(
            count, [] {}, work);
    }
};

/* Destroys those whose number divides by `part`, or by calls of one. */
template <class World> double destroy(uint32_t count, uint32_t part, bool is_bulk)
{
    scene<World> s;
    std::vector<typename World::entity> doomed;
    auto fill = [&] {
        s.world.destroy_n(s.entities);
        s.fill(count, start, speed);
        doomed.clear();
        for (uint32_t i = 0; i < count; i += part)
            doomed.push_back(s.entities[i]);
        if (part > 1) /* The next round destroys only what is left. */
            s.entities.erase(std::remove_if(s.entities.begin(), s.entities.end(),
                                            [&, i = 0u](auto) mutable { return i++ % part == 0; }),
                             s.entities.end());
        else
            s.entities.clear();
    };
    return timed(count, fill, [&] {
        if (is_bulk)
            return s.world.destroy_n(doomed);
        for (auto entity : doomed)
            s.world.destroy(entity);
    });
}
struct destroy_all {
    template <class World> static double run(uint32_t count)
    {
        return destroy<World>(count, 1, false);
    }
};
struct destroy_bulk {
    template <class World> static double run(uint32_t count)
    {
        return destroy<World>(count, 1, true);
    }
};
struct destroy_quarter {
    template <class World> static double run(uint32_t count)
    {
        return destroy<World>(count, 4, false);
    }
};
struct create_and_destroy {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        auto work = [&] {
            s.fill(count, start, speed);
            for (auto entity : s.entities)
                s.world.destroy(entity);
        };
        work();
        return timed(
            count, [] {}, work);
    }
};

/* Reads one component of each entity, and the others if there are some. */
template <class World, class... Types> float read(World &world, typename World::entity entity)
{
    auto add = [](auto *...values) { return (*reinterpret_cast<const float *>(values) + ...); };
    if constexpr (sizeof...(Types) == 1)
        return add(world.template get<Types...>(entity));
    else
        return std::apply(add, world.template get_all<Types...>(entity));
}
template <class World, class... Types> double get(uint32_t count, bool is_random)
{
    scene<World> s;
    s.fill(count, start, speed, solid, charged);
    if (is_random)
        s.shuffle();
    return time_of(count, [&] {
        float sum = 0;
        for (auto entity : s.entities)
            sum += read<World, Types...>(s.world, entity);
        benchmark::DoNotOptimize(sum);
    });
}
struct unpack_none {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed);
        return time_of(count, [&] {
            uint32_t live = 0;
            for (auto entity : s.entities)
                live += s.world.contains(entity);
            require(live == count, "an entity is missing");
        });
    }
};
struct unpack_one {
    template <class World> static double run(uint32_t count)
    {
        return get<World, position>(count, false);
    }
};
struct get_one {
    template <class World> static double run(uint32_t count)
    {
        return get<World, position>(count, true);
    }
};
struct get_two {
    template <class World> static double run(uint32_t count)
    {
        return get<World, position, velocity>(count, true);
    }
};
struct get_four {
    template <class World> static double run(uint32_t count)
    {
        return get<World, position, velocity, body, charge>(count, true);
    }
};

const auto move = [](position &p, const velocity &v) {
    p.x += v.x;
    p.y += v.y;
};
const auto halt = [](position &p) { p.x += 1; };

/* Entities of which every second one has a velocity, every fourth a charge, in archetypes that
 * alternate. */
template <class World> void fill_mixed(scene<World> &s, uint32_t count)
{
    s.entities.reserve(count);
    for (uint32_t i = 0; i < count; i++) {
        s.entities.push_back(i % 2 == 0 ? s.world.create(start, speed) : s.world.create(start));
        if (i % 4 == 0)
            s.world.add(s.entities.back(), charged);
        if (i % 3 == 0)
            s.world.add(s.entities.back(), mark<0>());
        else if (i % 3 == 1)
            s.world.add(s.entities.back(), mark<1>());
    }
}
struct loop_two {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed);
        return time_of(count, [&] { s.world.two(move); });
    }
};
struct loop_three {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        s.fill(count, start, speed, solid);
        return time_of(count, [&] {
            s.world.three([](position &p, const velocity &v, body &b) {
                p.x += v.x;
                b.spin += v.y;
            });
        });
    }
};
struct loop_sparse {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        fill_mixed(s, count);
        return time_of(
            count, [&] { s.world.sparse([](position &p, const charge &c) { p.x += c.decay; }); });
    }
};
struct loop_optional {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        fill_mixed(s, count);
        return time_of(count, [&] {
            s.world.optional(
                [](position &p, const velocity *v) { p.x += v != nullptr ? v->x : 1; });
        });
    }
};
struct loop_none {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        fill_mixed(s, count);
        return time_of(count, [&] { s.world.none(halt); });
    }
};
struct loop_any {
    template <class World> static double run(uint32_t count)
    {
        scene<World> s;
        fill_mixed(s, count);
        return time_of(count, [&] { s.world.any(halt); });
    }
};

/* Entities in archetypes of equal size, told apart by marks. */
template <class World, int... Bits>
double loop_archetypes(uint32_t count, uint32_t archetypes, std::integer_sequence<int, Bits...>)
{
    scene<World> s;
    s.entities.reserve(count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = i % archetypes;
        s.entities.push_back(s.world.create(start, speed));
        ((which >> Bits & 1 ? s.world.add(s.entities.back(), mark<Bits>()) : void()), ...);
    }
    s.world.two(move);
    return time_of(count, [&] { s.world.two(move); });
}
struct loop_26 {
    template <class World> static double run(uint32_t count)
    {
        return loop_archetypes<World>(count, 26, std::make_integer_sequence<int, 5>());
    }
};
struct loop_1024 {
    template <class World> static double run(uint32_t count)
    {
        return loop_archetypes<World>(count, 1024, std::make_integer_sequence<int, 10>());
    }
};

/* Entities with three values, to memory that is warm, and from there to a new world. */
template <class World> struct saved_scene : scene<World> {
    std::vector<unsigned char> bytes;
    std::size_t size;

    explicit saved_scene(uint32_t count) : bytes(std::size_t{count} * 96 + 65536)
    {
        this->fill(count, start, speed, solid);
        size = this->world.save(bytes);
    }
};
struct save_world {
    template <class World> static double run(uint32_t count)
    {
        saved_scene<World> s(count);
        return time_of(count, [&] { require(s.world.save(s.bytes) == s.size, "another save"); });
    }
};
struct load_world {
    template <class World> static double run(uint32_t count)
    {
        saved_scene<World> s(count);
        return timed_anew<World>(count, [&](World &world, auto &) {
            world.load(s.bytes, s.size);
            require(world.contains(s.entities.back()) &&
                        world.template get<body>(s.entities.back())->mass == solid.mass,
                    "a handle is lost");
        });
    }
};

#ifdef WITH_FLECS
/* flecs writes worlds only as JSON. */
template <class Row>
constexpr bool flecs_has = !std::is_same_v<Row, save_world> && !std::is_same_v<Row, load_world>;
#endif

/* Measures a row. `entt` and `flecs`: what our time may be of theirs; 0: no bound. */
template <class Row> void measure_row(const char *title, double entt, double flecs, uint32_t count)
{
    group g = {with_count(std::string("peers: ") + title, count), count, OURS, {}};
    g.rows.push_back({our_peer::name, 0, [=] { return Row::template run<our_peer>(count); }});
#ifdef WITH_ENTT
    g.rows.push_back({entt_peer::name, entt, [=] { return Row::template run<entt_peer>(count); }});
#endif
#ifdef WITH_FLECS
    if constexpr (flecs_has<Row>)
        g.rows.push_back(
            {flecs_peer::name, flecs, [=] { return Row::template run<flecs_peer>(count); }});
#endif
    (void)entt;
    (void)flecs;
    measure(g);
}

void measure_rows(uint32_t count)
{
    bool is_many = count >= 1000000;
    double large = is_many ? 2 : 1.2, change = is_many ? 0.6 : count >= 64000 ? 0.3 : 0.8;
    measure_row<create_none>("create empty, new world", large, large, count);
    measure_row<create_two>("create with two values, new world", 1, 1, count);
    measure_row<create_three>("create with three values, new world", 1, 1, count);
    measure_row<create_bulk>("create in bulk, new world", 0.9, 0.9, count);
    measure_row<add_one>("add one", 1.4, 0.4, count);
    measure_row<remove_one>("remove one", 1, 1, count);
    measure_row<remove_and_add>("remove and add", 1.6, 0, count);
    measure_row<tags_recorded>("tags put on and taken off, recorded", 1.5, 0, count);
    measure_row<tags_of_all>("tags put on and taken off, all at once", change, change, count);
    measure_row<destroy_quarter>("destroy a quarter", 1, 1, count);
    measure_row<destroy_all>("destroy", 0.8, 0.8, count);
    measure_row<destroy_bulk>("destroy in bulk", 0.8, 0.8, count);
    measure_row<create_and_destroy>("create and destroy", 0.8, 0.8, count);
    measure_row<unpack_none>("unpack none", 1, 1, count);
    measure_row<unpack_one>("unpack one", 1, 1, count);
    measure_row<get_one>("get one, random", 1, 1, count);
    measure_row<get_two>("get two, random", 0.9, 0.9, count);
    measure_row<get_four>("get four, random", 0.7, 0.7, count);
    measure_row<loop_two>("loop over two components", 0.95, 0.95, count);
    measure_row<loop_three>("loop over three components", 0.95, 0.95, count);
    measure_row<loop_sparse>("loop over one and a sparse one", 1.2, 0.6, count);
    measure_row<loop_26>("loop over 26 archetypes", 1, 1, count);
    measure_row<loop_1024>("loop over 1,024 archetypes", 1, 1, count);
    measure_row<loop_optional>("loop with an optional one", 1, 1, count);
    measure_row<loop_none>("loop without one", 1, 1, count);
    measure_row<loop_any>("loop over any of two", 1, 1, count);
    measure_row<save_world>("save three values, to memory", 0, 0, count);
    measure_row<load_world>("load three values, new world", 0, 0, count);
}

} // namespace

int main(int argc, char **argv)
{
    repetitions = 11;
    begin(argc, argv, 0, 1000);
    for (uint32_t count : {1000u, 64000u, 1000000u})
        if (smoke ? count == 1000 : item_count == 0 || item_count == count)
            measure_rows(count);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* peer_worlds: hm::world and the worlds of other libraries, behind one interface. EnTT and flecs
 * are here if the build was told where their sources are (meson_options.txt). Each does the work as
 * its manual shows it; where a library has nothing of the kind, it does what its users do instead.
 *
 *     create(values...)              a new entity
 *     create_n(positions, velocities, entities)
 *                                    as many as there are entities, in one call
 *     contains, get<T>, add, remove<T>, destroy
 *     get_all<T...>(entity)          a tuple of pointers, by one call where there is one
 *     destroy_n(entities)            in one call, where there is one
 *     put_tags(entities), take_tags(entities)
 *                                    recorded, then applied, where that exists
 *     tag_all(), untag_all()         one call for all that have a position
 *     two(f), three(f), sparse(f), optional(f), none(f), any(f)
 *                                    loops of queries that are kept */
#ifndef BENCHMARKS_PEER_WORLDS_H
#define BENCHMARKS_PEER_WORLDS_H

#include "one_by_one.h"

#include <handle_map/handle_map.hpp>

#ifdef WITH_ENTT
#include <entt/entt.hpp>
#endif
#ifdef WITH_FLECS
#include <flecs/flecs.h>
#endif

#include <vector>

namespace
{

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct body { /* 32 bytes, as a component of a game may have */
    double mass, spin;
    uint64_t seed;
    uint32_t kind, flags;
};
struct charge { /* kept sparse where a library has a choice */
    float amount, decay;
};
struct frozen {
};
template <int> struct mark { /* tells archetypes apart */
};

/* The loops of a world whose queries are kept. */
template <class Peer> struct kept_queries {
    template <class F> void two(F f)
    {
        self().twos.each(f);
    }
    template <class F> void three(F f)
    {
        self().threes.each(f);
    }
    template <class F> void sparse(F f)
    {
        self().sparses.each(f);
    }
    template <class F> void optional(F f)
    {
        self().optionals.each(f);
    }
    template <class F> void none(F f)
    {
        self().nones.each(f);
    }
    template <class F> void any(F f)
    {
        self().anys.each(f);
    }

  private:
    Peer &self()
    {
        return static_cast<Peer &>(*this);
    }
};

struct our_peer : kept_queries<our_peer> {
    static constexpr const char *name = "hm::world";
    using entity = hm::entity;
    hm::world world;
    hm::commands commands{world};
    hm::query<position, const velocity> twos{world};
    hm::query<position, const velocity, body> threes{world};
    hm::query<position, const charge> sparses;
    hm::query<position, hm::optional<const velocity>> optionals{world};
    hm::query<position> nones{world, hm::without<velocity>()};
    hm::query<position> anys{world, hm::any_of<mark<0>, mark<1>>()};
    hm::query<const position> placed{world};
    std::vector<position *> found;

    our_peer()
    {
        hm::component_options with;
        with.storage = HM_COMPONENT_SPARSE;
        world.component<charge>(with);
        require(sparses.init(world) == HM_OK, "no query");
    }
    template <class... Values> entity create(const Values &...values)
    {
        return world.create(values...);
    }
    void create_n(const std::vector<position> &positions, const std::vector<velocity> &velocities,
                  std::vector<entity> &entities)
    {
        require(world.create_n<position, velocity>(static_cast<uint32_t>(entities.size()),
                                                   positions.data(), velocities.data(),
                                                   entities.data()) == HM_OK,
                "no entities");
    }
    /* The bytes have room. Returns how many were written. */
    std::size_t save(std::vector<unsigned char> &bytes)
    {
        hm_memory_stream stream = {bytes.data(), bytes.size(), 0};
        require(world.save(hm_sink_memory(&stream)) == HM_OK, "no save");
        return stream.position;
    }
    void load(std::vector<unsigned char> &bytes, std::size_t size)
    {
        hm_memory_stream stream = {bytes.data(), size, 0};
        require((world.load<position, velocity, body>(hm_source_memory(&stream))) == HM_OK,
                "no load");
    }
    bool contains(entity which)
    {
        return world.contains(which);
    }
    template <class T> T *get(entity which)
    {
        return world.get<T>(which);
    }
    template <class... Types> auto get_all(entity which)
    {
        return world.get<Types...>(which);
    }
    template <class T> void add(entity which, const T &value)
    {
        world.add(which, value);
    }
    template <class T> void remove(entity which)
    {
        world.remove<T>(which);
    }
    void destroy(entity which)
    {
        world.destroy(which);
    }
    void destroy_n(const std::vector<entity> &entities)
    {
        world.destroy_n(entities.data(), static_cast<uint32_t>(entities.size()));
    }
    void put_tags(const std::vector<entity> &entities)
    {
        for (entity which : entities)
            commands.add<frozen>(which);
        require(commands.apply() == HM_OK, "tags were refused");
    }
    void take_tags(const std::vector<entity> &entities)
    {
        for (entity which : entities)
            commands.remove<frozen>(which);
        require(commands.apply() == HM_OK, "tags were refused");
    }
    void tag_all()
    {
        require(placed.change<frozen>() == HM_OK, "a change was refused");
    }
    void untag_all()
    {
        require(placed.change(hm::without<frozen>()) == HM_OK, "a change was refused");
    }
};

#ifdef WITH_ENTT
/* What EnTT's snapshot writes to, and its loader reads from: bytes in memory. */
struct entt_writer {
    std::vector<unsigned char> &bytes;
    std::size_t size = 0;

    template <class T> void operator()(const T &value)
    {
        require(size + sizeof value <= bytes.size(), "no room for a value");
        std::memcpy(bytes.data() + size, &value, sizeof value);
        size += sizeof value;
    }
};
struct entt_reader {
    const std::vector<unsigned char> &bytes;
    std::size_t size = 0;

    template <class T> void operator()(T &value)
    {
        require(size + sizeof value <= bytes.size(), "no bytes of a value");
        std::memcpy(&value, bytes.data() + size, sizeof value);
        size += sizeof value;
    }
};

struct entt_peer {
    static constexpr const char *name = "EnTT";
    using entity = entt::entity;
    entt::registry world;

    template <class... Values> entity create(const Values &...values)
    {
        entity made = world.create();
        (add(made, values), ...);
        return made;
    }
    void create_n(const std::vector<position> &positions, const std::vector<velocity> &velocities,
                  std::vector<entity> &entities)
    {
        world.create(entities.begin(), entities.end());
        world.insert<position>(entities.begin(), entities.end(), positions.begin());
        world.insert<velocity>(entities.begin(), entities.end(), velocities.begin());
    }
    std::size_t save(std::vector<unsigned char> &bytes)
    {
        entt_writer archive{bytes};
        entt::snapshot{world}
            .get<entity>(archive)
            .get<position>(archive)
            .get<velocity>(archive)
            .get<body>(archive);
        return archive.size;
    }
    void load(std::vector<unsigned char> &bytes, std::size_t)
    {
        entt_reader archive{bytes};
        entt::snapshot_loader{world}
            .get<entity>(archive)
            .get<position>(archive)
            .get<velocity>(archive)
            .get<body>(archive);
    }
    bool contains(entity which)
    {
        return world.valid(which);
    }
    template <class T> T *get(entity which)
    {
        return world.try_get<T>(which);
    }
    template <class... Types> auto get_all(entity which)
    {
        return world.try_get<Types...>(which);
    }
    template <class T> void add(entity which, const T &value)
    {
        if constexpr (std::is_empty_v<T>)
            world.emplace<T>(which);
        else
            world.emplace<T>(which, value);
    }
    template <class T> void remove(entity which)
    {
        world.remove<T>(which);
    }
    void destroy(entity which)
    {
        world.destroy(which);
    }
    void destroy_n(const std::vector<entity> &entities)
    {
        world.destroy(entities.begin(), entities.end());
    }
    void put_tags(const std::vector<entity> &entities)
    {
        for (entity which : entities)
            world.emplace<frozen>(which);
    }
    void take_tags(const std::vector<entity> &entities)
    {
        for (entity which : entities)
            world.remove<frozen>(which);
    }
    void tag_all()
    {
        for (entity which : world.view<position>())
            world.emplace<frozen>(which);
    }
    void untag_all()
    {
        world.clear<frozen>();
    }
    template <class F> void two(F f)
    {
        world.view<position, const velocity>().each(f);
    }
    template <class F> void three(F f)
    {
        world.view<position, const velocity, body>().each(f);
    }
    template <class F> void sparse(F f)
    {
        world.view<position, const charge>().each(f);
    }
    template <class F> void optional(F f)
    {
        const auto &velocities = world.storage<velocity>();
        world.view<position>().each([&](entity which, position &p) {
            f(p, velocities.contains(which) ? &velocities.get(which) : nullptr);
        });
    }
    template <class F> void none(F f)
    {
        world.view<position>(entt::exclude<velocity>).each(f);
    }
    template <class F> void any(F f)
    {
        const auto &first = world.storage<mark<0>>();
        const auto &second = world.storage<mark<1>>();
        world.view<position>().each([&](entity which, position &p) {
            if (first.contains(which) || second.contains(which))
                f(p);
        });
    }
};
#endif

#ifdef WITH_FLECS
struct flecs_peer : kept_queries<flecs_peer> {
    static constexpr const char *name = "flecs";
    using entity = flecs::entity;
    flecs::world world;
    flecs::query<position, const velocity> twos = world.query<position, const velocity>();
    flecs::query<position, const velocity, body> threes =
        world.query<position, const velocity, body>();
    flecs::query<position, const charge> sparses;
    flecs::query<position, const velocity *> optionals = world.query<position, const velocity *>();
    flecs::query<position> nones = world.query_builder<position>().without<velocity>().build();
    flecs::query<position> anys =
        world.query_builder<position>().with<mark<0>>().oper(flecs::Or).with<mark<1>>().build();

    flecs_peer()
    {
        world.component<charge>().add(flecs::Sparse);
        sparses = world.query<position, const charge>();
    }
    /* A value of a type without members is a tag, which flecs adds and does not set. */
    template <class T> static void give(entity which, const T &value)
    {
        if constexpr (std::is_empty_v<T>)
            which.add<T>();
        else
            which.set<T>(value);
    }
    template <class... Values> entity create(const Values &...values)
    {
        entity made = world.entity();
        (give(made, values), ...);
        return made;
    }
    void create_n(const std::vector<position> &positions, const std::vector<velocity> &velocities,
                  std::vector<entity> &entities)
    {
        void *columns[] = {const_cast<position *>(positions.data()),
                           const_cast<velocity *>(velocities.data())};
        ecs_bulk_desc_t desc = {};
        desc.count = static_cast<int32_t>(entities.size());
        desc.ids[0] = world.id<position>();
        desc.ids[1] = world.id<velocity>();
        desc.data = columns;
        const ecs_entity_t *made = ecs_bulk_init(world, &desc);
        for (size_t i = 0; i < entities.size(); i++)
            entities[i] = entity(world, made[i]);
    }
    bool contains(entity which)
    {
        return which.is_alive();
    }
    template <class T> T *get(entity which)
    {
        return which.try_get_mut<T>();
    }
    template <class... Types> auto get_all(entity which)
    {
        return std::tuple<Types *...>(which.try_get_mut<Types>()...);
    }
    template <class T> void add(entity which, const T &value)
    {
        give(which, value);
    }
    template <class T> void remove(entity which)
    {
        which.remove<T>();
    }
    void destroy(entity which)
    {
        which.destruct();
    }
    void destroy_n(const std::vector<entity> &entities)
    {
        for (entity which : entities)
            which.destruct();
    }
    void put_tags(const std::vector<entity> &entities)
    {
        world.defer_begin();
        for (entity which : entities)
            which.add<frozen>();
        world.defer_end();
    }
    void take_tags(const std::vector<entity> &entities)
    {
        world.defer_begin();
        for (entity which : entities)
            which.remove<frozen>();
        world.defer_end();
    }
    void tag_all()
    {
        world.defer_begin();
        nones.each([](entity which, position &) { which.add<frozen>(); });
        twos.each([](entity which, position &, const velocity &) { which.add<frozen>(); });
        world.defer_end();
    }
    void untag_all()
    {
        world.remove_all<frozen>();
    }
};
#endif

} // namespace

#endif

/* SPDX-License-Identifier: MIT */
/* count_classes: the work that count does with the C++ classes and with the C functions that they
 * call, so that a difference shows what the classes cost. Both keep the same items and handles; C
 * has the typed functions of HM_MAP_DEFINE and HM_POOL_DEFINE, and the untyped ones of a world. */
#ifndef BENCHMARKS_COUNT_CLASSES_H
#define BENCHMARKS_COUNT_CLASSES_H

#include "owned.h"
#include "peers.h"

#include <handle_map/handle_map.hpp>

using thing = item<40>;

HM_MAP_DEFINE(thing, thing, 1)
HM_POOL_DEFINE_FOR(thing, thing, 1)

struct map_in_c {
    static constexpr const char *name = "map in C";
    using handle = thing_handle;
    thing_map map;

    explicit map_in_c(uint32_t n)
    {
        require(thing_map_init(&map, n) == HM_OK, "no map");
    }
    map_in_c(const map_in_c &) = delete;
    map_in_c &operator=(const map_in_c &) = delete;
    ~map_in_c()
    {
        thing_map_fini(&map);
    }
    handle insert(const thing &it)
    {
        return thing_map_insert(&map, &it);
    }
    const thing *get(handle which) const
    {
        return thing_map_get(&map, which);
    }
    bool erase(handle which)
    {
        return thing_map_erase(&map, which);
    }
    uint64_t iterate() const
    {
        return sum(thing_map_items(&map), thing_map_count(&map));
    }
};

struct map_in_cpp : hm::map<thing> {
    static constexpr const char *name = "map in C++";
    using handle = hm::handle<thing>;
    using hm::map<thing>::map;

    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (const thing &it : *this)
            total += it.words[0];
        return total;
    }
};

struct pool_in_c {
    static constexpr const char *name = "pool in C";
    using handle = thing_handle;
    thing_pool pool;

    explicit pool_in_c(uint32_t n)
    {
        require(thing_pool_init(&pool, n) == HM_OK, "no pool");
    }
    pool_in_c(const pool_in_c &) = delete;
    pool_in_c &operator=(const pool_in_c &) = delete;
    ~pool_in_c()
    {
        thing_pool_fini(&pool);
    }
    handle insert(const thing &it)
    {
        return thing_pool_insert(&pool, &it);
    }
    const thing *get(handle which) const
    {
        return thing_pool_get(&pool, which);
    }
    bool erase(handle which)
    {
        return thing_pool_erase(&pool, which);
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        uint32_t length;
        for (uint32_t i = thing_pool_next_run(&pool, 0, &length); i != HM_INVALID_INDEX;
             i = thing_pool_next_run(&pool, i + length, &length))
            total += sum(thing_pool_item_at(&pool, i), length);
        return total;
    }
};

struct pool_in_cpp : hm::pool<thing> {
    static constexpr const char *name = "pool in C++";
    using handle = hm::handle<thing>;
    using hm::pool<thing>::pool;

    uint64_t iterate() const
    {
        uint64_t total = 0;
        for_each_run([&](hm::span<const thing> run) { total += sum(run.data(), run.size()); });
        return total;
    }
};

struct place {
    float x, y;
};
struct speed {
    float x, y;
};

struct world_in_c {
    static constexpr const char *name = "world in C";
    using handle = hm_handle;
    owned<hm_world, hm_world_fini> world;
    owned<hm_query, hm_query_fini> movers;
    hm_component set[2]; /* place, speed */

    explicit world_in_c(uint32_t n)
    {
        hm_world_desc desc = {};
        desc.capacity = n;
        require(hm_world_init(&world, &desc) == HM_OK, "no world");
        for (hm_component &component : set) {
            hm_component_desc pair = {};
            pair.size = sizeof(place);
            component = hm_world_component(&world, &pair);
        }
        hm_query_desc both = {};
        both.all = set;
        both.all_count = 2;
        require(hm_query_init(&movers, &world, &both) == HM_OK, "no query");
    }
    handle create(const place &at, const speed &by)
    {
        const void *values[] = {&at, &by};
        return hm_world_create_with(&world, set, 2, values);
    }
    const place *get(handle which) const
    {
        return static_cast<const place *>(hm_world_get(&world, which, set[0]));
    }
    bool has(handle which) const
    {
        return hm_world_has(&world, which, set[1]);
    }
    bool replace(handle which, const place &at)
    {
        return hm_world_add(&world, which, set[0], &at) == HM_OK;
    }
    void move_all()
    {
        hm_query_loop loop;
        hm_view view;
        hm_query_begin(&movers, &loop);
        while (hm_query_next(&loop, &view)) {
            place *at = static_cast<place *>(view.columns[0]);
            const speed *by = static_cast<const speed *>(view.columns[1]);
            for (uint32_t i = 0; i < view.count; i++) {
                at[i].x += by[i].x;
                at[i].y += by[i].y;
            }
        }
    }
    void move_range()
    {
        move_all();
    }
    bool destroy(handle which)
    {
        return hm_world_destroy(&world, which);
    }
};

struct world_in_cpp {
    static constexpr const char *name = "world in C++";
    using handle = hm::entity;
    hm::world world;
    hm::query<place, const speed> movers{world};

    explicit world_in_cpp(uint32_t n) : world(n)
    {
    }
    handle create(const place &at, const speed &by)
    {
        return world.create(at, by);
    }
    const place *get(handle which) const
    {
        return world.get<place>(which);
    }
    bool has(handle which) const
    {
        return world.has<speed>(which);
    }
    bool replace(handle which, const place &at)
    {
        return world.add(which, at) == HM_OK;
    }
    void move_all()
    {
        movers.each([](place &at, const speed &by) {
            at.x += by.x;
            at.y += by.y;
        });
    }
    void move_range()
    {
        for (auto [which, at, by] : movers.each()) {
            at.x += by.x;
            at.y += by.y;
        }
    }
    bool destroy(handle which)
    {
        return world.destroy(which);
    }
};

/* Calls count(container, row, n, work) for the rows of a container of things. */
template <class Container, class Count> void count_things(uint32_t n, Count count)
{
    Container things(n);
    std::vector<typename Container::handle> handles(n);
    for (typename Container::handle &handle : handles) /* Later rows find memory. */
        handle = things.insert(thing::numbered(1));
    for (typename Container::handle handle : handles)
        things.erase(handle);
    count(Container::name, "insert", n, [&] {
        for (uint32_t i = 0; i < n; i++)
            handles[i] = things.insert(thing::numbered(i));
        return 0;
    });
    count(Container::name, "get", n, [&] {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const thing *found = things.get(handles[i]))
                total += found->words[0];
        return total;
    });
    count(Container::name, "iterate", n, [&] { return things.iterate(); });
    count(Container::name, "erase", n, [&] {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += things.erase(handles[i]);
        require(erased == n, "an item was lost");
        return erased;
    });
}

/* The same for a world. */
template <class World, class Count> void count_entities(uint32_t n, Count count)
{
    World world(n);
    std::vector<typename World::handle> entities(n);
    for (typename World::handle &entity : entities) /* Later rows find memory. */
        entity = world.create(place{0, 0}, speed{0, 0});
    for (typename World::handle entity : entities)
        world.destroy(entity);
    count(World::name, "create", n, [&] {
        for (uint32_t i = 0; i < n; i++)
            entities[i] = world.create(place{static_cast<float>(i), 0}, speed{1, 1});
        return 0;
    });
    count(World::name, "get", n, [&] {
        float total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const place *found = world.get(entities[i]))
                total += found->x;
        return total > 0;
    });
    count(World::name, "has", n, [&] {
        uint32_t found = 0;
        for (uint32_t i = 0; i < n; i++)
            found += world.has(entities[i]);
        return found;
    });
    count(World::name, "replace", n, [&] {
        uint32_t replaced = 0;
        for (uint32_t i = 0; i < n; i++)
            replaced += world.replace(entities[i], place{0, static_cast<float>(i)});
        return replaced;
    });
    count(World::name, "each", n, [&] {
        world.move_all();
        return 0;
    });
    count(World::name, "each as a range", n, [&] {
        world.move_range();
        return 0;
    });
    count(World::name, "destroy", n, [&] {
        uint32_t destroyed = 0;
        for (uint32_t i = 0; i < n; i++)
            destroyed += world.destroy(entities[i]);
        require(destroyed == n, "an entity was lost");
        return destroyed;
    });
}

template <class Count> void count_classes(uint32_t n, Count count)
{
    count_things<map_in_c>(n, count);
    count_things<map_in_cpp>(n, count);
    count_things<pool_in_c>(n, count);
    count_things<pool_in_cpp>(n, count);
    count_entities<world_in_c>(n, count);
    count_entities<world_in_cpp>(n, count);
}

#endif

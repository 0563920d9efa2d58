/* SPDX-License-Identifier: MIT */
/* What gdb.py shows of the classes: containers and handles by the types of their items. */
#include <handle_map/handle_map.hpp>

struct sprite {
    float depth;
    int texture;
};

struct glow {
    int radius;
};

enum class team { red, blue };

/* Not static, so that an optimiser keeps them. */
hm::map<sprite, 3> sprites, empty_map(UINT32_MAX); // more than can be
hm::handle<sprite> hero, nobody;
hm::pool<glow, 5, HM_STORAGE_GROWING_BLOCKS> bullets;
hm::secondary<sprite, glow> glows;
hm::lists<glow, 4> contacts;
hm::table<float, int> bodies;
hm::table<hm::lanes<8>, float, glow> points;
hm::index<sprite, team> teams;
hm::world level, empty_world(UINT32_MAX), moved_world;
hm::entity player;
hm::history played({8}), empty_history({UINT32_MAX}); // more marks than can be

static void fill()
{
    hm::options with;
    with.capacity = 10;
    hm::value_or_throw(sprites.init(with));
    hero = sprites.emplace(1.5f, 7);
    sprites.emplace(2.5f, 8);
    hm::pool_options of_pool;
    of_pool.capacity = 10;
    hm::value_or_throw(bullets.init(of_pool));
    bullets.emplace(5);
    hm::value_or_throw(glows.init(sprites));
    glows.emplace(hero, 6);
    hm::lists_options of_lists;
    of_lists.capacity = 10;
    hm::value_or_throw(contacts.init(of_lists));
    const auto list = contacts.create();
    contacts.emplace(list, 1);
    contacts.emplace(list, 2);
    hm::value_or_throw(bodies.init(with));
    bodies.insert(1.5f, 2);
    hm::value_or_throw(points.init(with));
    points.insert(0.5f, glow{3});
    hm::value_or_throw(teams.init(sprites));
    hm::value_or_throw(teams.set(hero, team::blue));
    hm::world_options of_world;
    of_world.capacity = 10;
    of_world.name = "level";
    hm::value_or_throw(level.init(of_world));
    player = level.create(sprite{1, 2}, glow{3});
    of_world.name = "moved";
    hm::world made(of_world);
    moved_world = std::move(made);
    hm::value_or_throw(played.mark());
}

int main()
{
    fill();
    hm_set_panic_hook(nullptr); /* gdb stops there. */
    return sprites.get(hero) == nullptr;
}

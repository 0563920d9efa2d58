/* SPDX-License-Identifier: MIT */
/* world_benchmark: hm_world beside plain arrays. Entities have a position and a speed, of two
 * floats each, and gain and lose others like them. The options are those of groups.h. */
#include "groups.h"
#include "owned.h"

namespace
{

struct pair {
    float x, y;
};

enum {
    EXTRAS = 5,         /* components that come and go */
    TAGS = 14,          /* their sets tell archetypes apart */
    SPREAD = 1000,      /* archetypes with all entities in equal parts */
    SPREAD_FAR = 10000, /* the same, in more archetypes */
    SMALL = 10000,      /* archetypes whose memory is measured */
    SMALL_ENTITIES = 10 /* in each of those */
};

/* What the worlds are asked to do. */
void move_all(pair *positions, const pair *speeds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        positions[i].x += speeds[i].x;
        positions[i].y += speeds[i].y;
    }
}

struct our_world {
    static constexpr const char *name = "hm_world";
    using key_type = hm_handle;
    using keys = std::vector<hm_handle>;
    owned<hm_world, hm_world_fini> world;
    owned<hm_query, hm_query_fini> movers;
    hm_component moving[2], extras[EXTRAS], sparse, tags[TAGS];

    explicit our_world(uint32_t count)
    {
        hm_world_desc desc = {};
        desc.capacity = count;
        require(hm_world_init(&world, &desc) == HM_OK, "no world");
        for (hm_component &component : moving)
            component = make(sizeof(pair), HM_COMPONENT_ARCHETYPE);
        for (hm_component &component : extras)
            component = make(sizeof(pair), HM_COMPONENT_ARCHETYPE);
        sparse = make(sizeof(pair), HM_COMPONENT_SPARSE);
        for (hm_component &component : tags)
            component = make(0, HM_COMPONENT_ARCHETYPE);
        hm_query_desc all = {};
        all.all = moving;
        all.all_count = 2;
        require(hm_query_init(&movers, &world, &all) == HM_OK, "no query");
    }
    hm_component make(size_t size, hm_component_storage storage)
    {
        hm_component_desc desc = {};
        desc.size = size;
        desc.storage = storage;
        hm_component made = hm_world_component(&world, &desc);
        require(made != HM_INVALID_INDEX, "no component");
        return made;
    }
    void create(keys &entities)
    {
        for (hm_handle &entity : entities)
            entity = hm_world_create(&world, moving, 2);
    }
    void create_n(keys &entities, const pair *values)
    {
        const void *columns[] = {values, values};
        require(hm_world_create_n(&world, moving, 2, static_cast<uint32_t>(entities.size()),
                                  columns, entities.data()) == HM_OK,
                "no entities");
    }
    /* Entities with as many different sets as there are archetypes: those of the bits of a
     * number. */
    void create_spread(keys &entities, uint32_t archetypes)
    {
        size_t share = entities.size() / archetypes, rest = entities.size() % archetypes, first = 0;
        for (uint32_t i = 0; i < archetypes; i++) {
            hm_component set[2 + TAGS] = {moving[0], moving[1]};
            uint32_t n = 2;
            for (uint32_t tag = 0; tag < TAGS; tag++)
                if ((i >> tag & 1) != 0)
                    set[n++] = tags[tag];
            size_t count = share + (i < rest);
            require(hm_world_create_n(&world, set, n, static_cast<uint32_t>(count), nullptr,
                                      &entities[first]) == HM_OK,
                    "no entities");
            first += count;
        }
    }
    float get(const keys &entities)
    {
        float sum = 0;
        for (hm_handle entity : entities)
            sum += static_cast<const pair *>(hm_world_get(&world, entity, moving[0]))->x;
        return sum;
    }
    void add(const keys &entities)
    {
        const pair value = {1, 2};
        for (hm_handle entity : entities)
            hm_world_add(&world, entity, extras[0], &value);
    }
    void remove(const keys &entities)
    {
        for (hm_handle entity : entities)
            hm_world_remove(&world, entity, extras[0], NULL);
    }
    void add_sparse(const keys &entities)
    {
        const pair value = {1, 2};
        for (hm_handle entity : entities)
            hm_world_add(&world, entity, sparse, &value);
    }
    void remove_sparse(const keys &entities)
    {
        for (hm_handle entity : entities)
            hm_world_remove(&world, entity, sparse, NULL);
    }
    void add_four(const keys &entities)
    {
        for (hm_handle entity : entities)
            hm_world_change(&world, entity, extras, 4, nullptr, 0);
    }
    void remove_four(const keys &entities)
    {
        for (hm_handle entity : entities)
            hm_world_change(&world, entity, nullptr, 0, extras, 4);
    }
    void destroy(const keys &entities)
    {
        for (hm_handle entity : entities)
            hm_world_destroy(&world, entity);
    }
    void clear()
    {
        hm_world_clear(&world);
    }
    uint32_t count()
    {
        return hm_world_count(&world);
    }
    void iterate()
    {
        hm_query_loop loop;
        hm_view view;
        hm_query_begin(&movers, &loop);
        while (hm_query_next(&loop, &view))
            move_all(static_cast<pair *>(view.columns[0]),
                     static_cast<const pair *>(view.columns[1]), view.count);
    }
};

enum world_step {
    CREATE,
    CREATE_AGAIN,
    CREATE_N,
    CREATE_N_AGAIN,
    GET,
    GET_RANDOM,
    ADD,
    ADD_AGAIN,
    REMOVE,
    REMOVE_AGAIN,
    ADD_SPARSE,
    ADD_SPARSE_AGAIN,
    REMOVE_SPARSE,
    ADD_FOUR,
    ADD_FOUR_AGAIN,
    REMOVE_FOUR,
    DESTROY,
    ITERATE,
    ITERATE_SPREAD,
    ITERATE_SPREAD_FAR,
    WORLD_STEPS
};

template <class Work> double seconds_of(Work work)
{
    double start = cpu_seconds();
    work();
    return cpu_seconds() - start;
}

/* The second pass over memory that the first has touched. */
template <class World> void warm_up(World &world, typename World::keys &entities, world_step what)
{
    if (what == ADD_AGAIN || what == REMOVE_AGAIN) {
        world.add(entities);
        world.remove(entities);
    } else if (what == ADD_SPARSE_AGAIN) {
        world.add_sparse(entities);
        world.remove_sparse(entities);
    } else if (what == ADD_FOUR_AGAIN) {
        world.add_four(entities);
        world.remove_four(entities);
    } else if (what == GET_RANDOM) {
        std::shuffle(entities.begin(), entities.end(), std::mt19937_64(1));
    }
}

template <class World>
double run_changes(World &world, typename World::keys &entities, world_step what)
{
    warm_up(world, entities, what);
    switch (what) {
    case GET:
    case GET_RANDOM:
        return time_of(static_cast<uint32_t>(entities.size()),
                       [&] { require(world.get(entities) == 0, "a value is wrong"); });
    case ADD:
    case ADD_AGAIN:
        return seconds_of([&] { world.add(entities); });
    case REMOVE:
    case REMOVE_AGAIN:
        world.add(entities);
        return seconds_of([&] { world.remove(entities); });
    case ADD_SPARSE:
    case ADD_SPARSE_AGAIN:
        return seconds_of([&] { world.add_sparse(entities); });
    case REMOVE_SPARSE:
        world.add_sparse(entities);
        return seconds_of([&] { world.remove_sparse(entities); });
    case ADD_FOUR:
    case ADD_FOUR_AGAIN:
        return seconds_of([&] { world.add_four(entities); });
    case REMOVE_FOUR:
        world.add_four(entities);
        return seconds_of([&] { world.remove_four(entities); });
    default: {
        double seconds = seconds_of([&] { world.destroy(entities); });
        require(world.count() == 0, "an entity was not destroyed");
        return seconds;
    }
    }
}

template <class World> double run_world(world_step what, uint32_t count)
{
    World world(count);
    typename World::keys entities(count);
    std::vector<pair> values(what == CREATE_N || what == CREATE_N_AGAIN ? count : 0);
    if (what >= ITERATE) {
        uint32_t archetypes = what == ITERATE ? 1 : what == ITERATE_SPREAD ? SPREAD : SPREAD_FAR;
        world.create_spread(entities, std::min(archetypes, count));
        world.iterate(); /* What create has left in the caches does not count. */
        return time_of(count, [&] { world.iterate(); });
    }
    double seconds = 0;
    for (int round = 0; round < (what == CREATE_AGAIN || what == CREATE_N_AGAIN ? 2 : 1); round++) {
        world.clear();
        seconds = seconds_of([&] {
            if (values.empty())
                world.create(entities);
            else
                world.create_n(entities, values.data());
        });
        require(world.count() == count, "an entity is missing");
    }
    return what <= CREATE_N_AGAIN ? seconds : run_changes(world, entities, what);
}

/* Pairs of arrays of their own, with all entities in equal parts. No world can be faster than one
 * pair. */
double iterate_arrays(uint32_t count, uint32_t pairs)
{
    std::vector<std::vector<pair>> positions, speeds;
    uint32_t share = count / pairs, rest = count % pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        positions.emplace_back(share + (i < rest));
        speeds.emplace_back(share + (i < rest));
    }
    auto work = [&] {
        for (uint32_t i = 0; i < pairs; i++)
            move_all(positions[i].data(), speeds[i].data(),
                     static_cast<uint32_t>(positions[i].size()));
        benchmark::ClobberMemory();
    };
    work();
    return time_of(count, work);
}

template <class World>
row world_row(world_step what, uint32_t count, double asked, const char *name = World::name)
{
    return {name, asked, [=] { return run_world<World>(what, count); }};
}

struct world_bound {
    const char *title;
    double asked; /* ns; 0: none */
};

void measure_step(world_step what, uint32_t count)
{
    static const world_bound bounds[ITERATE] = {
        {"create with two components, fresh memory", 42},
        {"create with two components, warm", 42},
        {"create in bulk, fresh memory", 8},
        {"create in bulk, warm", 8},
        {"get, in order", 5},
        {"get, random", 0},
        {"add one, fresh memory", 40},
        {"add one, warm", 40},
        {"remove one", 32},
        {"remove one, warm", 32},
        {"add sparse, fresh memory", 15},
        {"add sparse, warm", 15},
        {"remove sparse", 15},
        {"add four at once, fresh memory", 0},
        {"add four at once, warm", 0},
        {"remove four at once", 0},
        {"destroy", 18},
    };
    group g = {with_count(std::string("world: ") + bounds[what].title, count), count, NS, {}};
    g.rows.push_back(world_row<our_world>(what, count, bounds[what].asked));
    measure(g);
}

/* A change of four components beside that of one. */
void measure_fours(uint32_t count)
{
    static const struct {
        const char *title;
        world_step one, four;
    } pairs[] = {{"world: four at once, add", ADD_AGAIN, ADD_FOUR_AGAIN},
                 {"world: four at once, remove", REMOVE_AGAIN, REMOVE_FOUR}};
    for (const auto &p : pairs) {
        group g = {with_count(p.title, count), count, COST, {}};
        g.rows.push_back(world_row<our_world>(p.one, count, 0, "one"));
        g.rows.push_back(world_row<our_world>(p.four, count, 1.5, "four"));
        measure(g);
    }
}

void measure_iteration(uint32_t count)
{
    group g = {with_count("world: iterate two components", count), count, COST, {}};
    g.rows.push_back({"two plain arrays", 0, [=] { return iterate_arrays(count, 1); }});
    g.rows.push_back({"1,000 times two arrays", 0, [=] { return iterate_arrays(count, SPREAD); }});
    g.rows.push_back(world_row<our_world>(ITERATE, count, 1.10, "hm_world, one archetype"));
    g.rows.push_back(
        world_row<our_world>(ITERATE_SPREAD, count, 1.30, "hm_world, 1,000 archetypes"));
    g.rows.push_back(
        world_row<our_world>(ITERATE_SPREAD_FAR, count, 0, "hm_world, 10,000 archetypes"));
    measure(g);
}

/* Lines of /proc/self/maps. */
size_t count_mappings()
{
    size_t lines = 0;
    if (std::FILE *file = std::fopen("/proc/self/maps", "r")) {
        for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
            lines += c == '\n';
        std::fclose(file);
    }
    return lines;
}

/* Of the process, in bytes; 0 without /proc. */
size_t resident_size()
{
    unsigned long total, kib = 0;
    char line[256];
    if (std::FILE *file = std::fopen("/proc/self/status", "r")) {
        while (std::fgets(line, sizeof line, file) != nullptr)
            if (std::sscanf(line, "VmRSS: %lu kB", &total) == 1)
                kib = total;
        std::fclose(file);
    }
    return size_t{kib} * 1024;
}

void print_memory(uint32_t archetypes)
{
    std::string title = with_count("world: memory of archetypes with ten entities", archetypes);
    if (!is_chosen(title))
        return;
    uint32_t count = archetypes * SMALL_ENTITIES;
    std::vector<hm_handle> entities(count);
    size_t mappings = count_mappings(), resident = resident_size();
    our_world world(count);
    world.create_spread(entities, archetypes);
    require(hm_world_archetype_count(&world.world) == archetypes, "an archetype is missing");
    mappings = count_mappings() - mappings;
    resident = resident_size() - resident;
    double committed = static_cast<double>(hm_world_get_stats(&world.world).committed_size);
    std::printf("\n%s\n  mappings %zu, resident %.1f MB, committed %.1f MB\n"
                "  %.1f bytes an entity resident, %zu of them components\n",
                title.c_str(), mappings, static_cast<double>(resident) / 1e6, committed / 1e6,
                static_cast<double>(resident) / count, 2 * sizeof(pair));
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 3000);
    for (int what = CREATE; what < ITERATE; what++)
        measure_step(static_cast<world_step>(what), item_count);
    measure_fours(item_count);
    measure_iteration(item_count);
    print_memory(smoke ? 100 : SMALL);
    return 0;
}

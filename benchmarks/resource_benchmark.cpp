/* SPDX-License-Identifier: MIT */
/* resource_benchmark: the resource cache of the examples beside what is written by hand: a
 * std::unordered_map from names to std::shared_ptr, with a std::list where there is a budget. The
 * options are those of groups.h. */
#include "groups.h"
#include "owned.h"

#include "resource_cache.h"

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace
{

enum { PAYLOAD = 64, FINISHED = 1000 };

struct texture {
    unsigned char bytes[PAYLOAD];
};

std::atomic<uint32_t> loaded;

bool load(resource_load *load)
{
    if (!resource_load_reserve(load, PAYLOAD))
        return false;
    static_cast<texture *>(load->payload)->bytes[0] = 1;
    loaded++;
    return true;
}

void unload(void *, void *)
{
}

const resource_loader loader = {load, nullptr, unload, nullptr};

/* As long as paths are. */
std::string name_of(uint32_t number)
{
    return "assets/textures/level/surface_" + std::to_string(number) + ".png";
}

std::vector<std::string> make_names(uint32_t count)
{
    std::vector<std::string> names;
    for (uint32_t i = 0; i < count; i++)
        names.push_back(name_of(i));
    return names;
}

std::vector<uint32_t> in_random_order(uint32_t count)
{
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    return order;
}

/* Our cache, with `room` for so many resources. */
struct our_cache {
    owned<resource_cache, resource_cache_fini> cache;

    our_cache(uint32_t count, uint32_t room, uint32_t workers)
    {
        resource_cache_desc desc = {};
        desc.payload_size = sizeof(texture);
        desc.budget = size_t{room} * PAYLOAD;
        desc.capacity = count;
        desc.queue_size = FINISHED;
        desc.workers = workers;
        require(resource_cache_init(&cache, &desc) == HM_OK, "no cache");
    }
    resource_handle request(const std::string &name)
    {
        resource_handle handle;
        resource_cache_request(&cache, &loader, name.c_str(), &handle);
        return handle;
    }
};

using by_name = std::unordered_map<std::string, std::shared_ptr<texture>>;

/* What is found is used, so that no search is optimised away. */
volatile uint64_t sink;

/* Both are filled with `count` resources, which are asked for in random order. */
struct filled {
    std::vector<std::string> names;
    std::vector<uint32_t> order;
    our_cache ours;
    std::vector<resource_handle> handles;
    by_name theirs;
    std::vector<std::weak_ptr<texture>> weak;

    explicit filled(uint32_t count)
        : names(make_names(count)), order(in_random_order(count)), ours(count, count, 0)
    {
        for (const std::string &name : names) {
            handles.push_back(ours.request(name));
            theirs[name] = std::make_shared<texture>();
            weak.push_back(theirs[name]);
        }
        resource_cache_pump(&ours.cache, 0);
    }
    template <class Work> pass each(Work work)
    {
        return [this, work] {
            return time_of(static_cast<uint32_t>(order.size()), [this, work] {
                uint64_t sum = 0;
                for (uint32_t i : order)
                    sum += work(*this, i);
                sink = sum;
            });
        };
    }
};

void measure_known(filled &f)
{
    uint32_t count = static_cast<uint32_t>(f.names.size());
    pass ours = f.each(
        [](filled &all, uint32_t i) { return hm_handle_index(all.ours.request(all.names[i]).id); });
    pass theirs = f.each([](filled &all, uint32_t i) {
        std::shared_ptr<texture> found = all.theirs.find(all.names[i])->second;
        return uint64_t{found->bytes[0]};
    });
    measure({with_count("resource: request a known name", count),
             count,
             SPEEDUP,
             {{"unordered_map, find, copy of shared_ptr", 0, theirs},
              {"resource_cache_request", 0, ours}}});
}

void measure_get(filled &f)
{
    uint32_t count = static_cast<uint32_t>(f.names.size());
    pass ours = f.each([](filled &all, uint32_t i) {
        const void *data = resource_cache_get(&all.ours.cache, all.handles[i]);
        return uint64_t{static_cast<const texture *>(data)->bytes[0]};
    });
    pass by_weak = f.each([](filled &all, uint32_t i) {
        std::shared_ptr<texture> found = all.weak[i].lock();
        return uint64_t{found->bytes[0]};
    });
    pass by_find = f.each([](filled &all, uint32_t i) {
        return uint64_t{all.theirs.find(all.names[i])->second->bytes[0]};
    });
    measure({with_count("resource: get, random", count),
             count,
             SPEEDUP,
             {{"unordered_map, find by name", 0, by_find},
              {"weak_ptr, lock", 0, by_weak},
              {"resource_cache_get, a use for the budget", 0, ours}}});
}

/* Loads that a worker has ended; only the owner's part is timed. */
double pump_ours(const std::vector<std::string> &names)
{
    our_cache ours(FINISHED, FINISHED, 1);
    loaded = 0;
    for (const std::string &name : names)
        ours.request(name);
    uint32_t ended = resource_cache_pump(&ours.cache, 1);
    while (loaded < FINISHED)
        std::this_thread::yield();
    double start = cpu_seconds();
    while (ended < FINISHED)
        ended += resource_cache_pump(&ours.cache, 0);
    return cpu_seconds() - start;
}

/* A queue of what was loaded, from which the owner takes it under a lock. */
double pump_theirs(const std::vector<std::string> &names)
{
    std::mutex mutex;
    std::deque<std::pair<std::string, std::shared_ptr<texture>>> done;
    by_name resources;
    for (const std::string &name : names)
        resources[name] = nullptr; /* was requested */
    std::thread worker([&] {
        for (const std::string &name : names) {
            std::shared_ptr<texture> made = std::make_shared<texture>();
            std::lock_guard<std::mutex> guard(mutex);
            done.emplace_back(name, made);
        }
    });
    worker.join();
    double start = cpu_seconds();
    for (size_t ended = 0; ended < names.size(); ended++) {
        std::lock_guard<std::mutex> guard(mutex);
        resources[done.front().first] = std::move(done.front().second);
        done.pop_front();
    }
    return cpu_seconds() - start;
}

void measure_pump()
{
    std::vector<std::string> names = make_names(FINISHED);
    measure({with_count("resource: pump of what was loaded", FINISHED),
             FINISHED,
             COST,
             {{"deque, mutex, unordered_map", 0, [names] { return pump_theirs(names); }},
              {"resource_cache_pump", 0, [names] { return pump_ours(names); }}}});
}

/* Goes round all names, with room for half of them: each load evicts one. */
double evict_ours(const std::vector<std::string> &names)
{
    uint32_t count = static_cast<uint32_t>(names.size());
    our_cache ours(count, count / 2, 0);
    std::vector<resource_handle> handles;
    for (const std::string &name : names)
        handles.push_back(ours.request(name));
    resource_cache_pump(&ours.cache, 0);
    double start = cpu_seconds();
    for (resource_handle handle : handles) {
        resource_cache_get(&ours.cache, handle);
        resource_cache_pump(&ours.cache, 1);
    }
    double seconds = cpu_seconds() - start;
    require(resource_cache_get_stats(&ours.cache).evictions >= count, "too few were evicted");
    return seconds;
}

/* The least recently used one is the first of the list. */
struct by_use {
    struct place {
        std::shared_ptr<texture> data;
        std::list<std::string>::iterator use;
    };
    std::unordered_map<std::string, place> resources;
    std::list<std::string> uses;
    size_t room;

    void get(const std::string &name)
    {
        auto found = resources.find(name);
        if (found != resources.end()) {
            uses.splice(uses.end(), uses, found->second.use);
            return;
        }
        if (resources.size() == room) {
            resources.erase(uses.front());
            uses.pop_front();
        }
        uses.push_back(name);
        resources[name] = {std::make_shared<texture>(), std::prev(uses.end())};
    }
};

double evict_theirs(const std::vector<std::string> &names)
{
    by_use theirs = {{}, {}, names.size() / 2};
    for (const std::string &name : names)
        theirs.get(name);
    double start = cpu_seconds();
    for (const std::string &name : names)
        theirs.get(name);
    return cpu_seconds() - start;
}

void measure_eviction(uint32_t count)
{
    std::vector<std::string> names = make_names(count);
    measure({with_count("resource: load one, evict one", count),
             count,
             COST,
             {{"unordered_map, list, no loader", 0, [names] { return evict_theirs(names); }},
              {"resource_cache, get and pump", 0, [names] { return evict_ours(names); }}}});
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 10000, 2000);
    filled all(item_count);
    measure_known(all);
    measure_get(all);
    measure_pump();
    measure_eviction(item_count);
    return 0;
}

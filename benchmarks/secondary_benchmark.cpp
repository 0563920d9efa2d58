/* SPDX-License-Identifier: MIT */
/* secondary_benchmark: hm_secondary beside Rust's SecondaryMap and SparseSecondaryMap, and a plain
 * array of the values. Values have 16 bytes, and belong to all owners or to one in 16. The options
 * are those of groups.h. */
#include "groups.h"
#include "owned.h"

#include <type_traits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace
{

struct value {
    uint64_t words[2];
};

uint64_t sum_of(const value *values, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i].words[0];
    return sum;
}

HM_HANDLE_DEFINE(owner)
HM_SECONDARY_DEFINE(extras, owner, value)

enum { SPARSE_SHARE = 16 };

/* The handles of `count` items, of which each `step`th is reported. */
std::vector<owner_handle> own_some(uint32_t count, uint32_t step)
{
    handle_map<8, true> items(count);
    std::vector<owner_handle> owners;
    for (uint32_t i = 0; i < count; i++) {
        owner_handle owner = {items.insert_one(item<8>::numbered(i))};
        if (i % step == 0)
            owners.push_back(owner);
    }
    return owners;
}

struct our_secondary {
    static constexpr const char *name = "hm_secondary";
    using key_type = owner_handle;
    owned<extras_secondary, extras_secondary_fini> values;

    explicit our_secondary(uint32_t slots)
    {
        hm_secondary_desc desc = {};
        desc.capacity = desc.max_slots = slots;
        desc.type_id = 7; /* that of handle_map in peers.h */
        require(extras_secondary_init_desc(&values, &desc) == HM_OK, "no secondary");
    }
    static std::vector<owner_handle> keys(uint32_t count, uint32_t step)
    {
        return own_some(count, step);
    }
    void set(const std::vector<owner_handle> &owners)
    {
        uint64_t number = 0;
        for (owner_handle owner : owners) {
            value it = {{number++, 1}};
            extras_secondary_set(&values, owner, &it);
        }
    }
    uint32_t remove(const std::vector<owner_handle> &owners)
    {
        uint32_t removed = 0;
        for (owner_handle owner : owners)
            removed += extras_secondary_remove(&values, owner);
        return removed;
    }
    uint64_t get(const std::vector<owner_handle> &owners)
    {
        uint64_t sum = 0;
        for (owner_handle owner : owners)
            if (const value *it = extras_secondary_get(&values, owner))
                sum += it->words[0];
        return sum;
    }
    uint64_t iterate()
    {
        return sum_of(extras_secondary_values(&values), extras_secondary_count(&values));
    }
};

/* The values alone, found by number: the cost without any check. */
struct plain_values {
    static constexpr const char *name = "plain array";
    using key_type = uint32_t;
    std::vector<value> values;

    explicit plain_values(uint32_t)
    {
    }
    static std::vector<uint32_t> keys(uint32_t count, uint32_t step)
    {
        std::vector<uint32_t> numbers;
        for (uint32_t i = 0; i < count; i += step)
            numbers.push_back(i / step);
        return numbers;
    }
    void set(const std::vector<uint32_t> &numbers)
    {
        values.reserve(numbers.size());
        for (uint32_t number : numbers)
            values.push_back({{number, 1}});
    }
    uint32_t remove(const std::vector<uint32_t> &numbers)
    {
        values.clear();
        return static_cast<uint32_t>(numbers.size());
    }
    uint64_t get(const std::vector<uint32_t> &numbers)
    {
        uint64_t sum = 0;
        for (uint32_t number : numbers)
            sum += values[number].words[0];
        return sum;
    }
    uint64_t iterate()
    {
        return sum_of(values.data(), values.size());
    }
};

#ifdef WITH_SLOTMAP
/* slotmap.rs */
struct rust_secondary {
    void *(*create)();
    void (*destroy)(void *map);
    void (*set)(void *map, const uint64_t *keys, uint32_t n);
    uint32_t (*remove)(void *map, const uint64_t *keys, uint32_t n);
    uint64_t (*get)(void *map, const uint64_t *keys, uint32_t n);
    uint64_t (*iterate)(void *map);
};
extern "C" const rust_secondary *slotmap_secondary(bool sparse);

template <bool Sparse> struct their_secondary {
    static constexpr const char *name = Sparse ? "Rust SparseSecondaryMap" : "Rust SecondaryMap";
    using key_type = uint64_t;
    const rust_secondary *call = slotmap_secondary(Sparse);
    void *map = call->create();

    explicit their_secondary(uint32_t)
    {
    }
    their_secondary(const their_secondary &) = delete;
    their_secondary &operator=(const their_secondary &) = delete;
    ~their_secondary()
    {
        call->destroy(map);
    }
    static std::vector<uint64_t> keys(uint32_t count, uint32_t step)
    {
        slotmap<40, SLOT_MAP> items(count);
        std::vector<uint64_t> all(count), some;
        items.insert(0, count, all.data());
        for (uint32_t i = 0; i < count; i += step)
            some.push_back(all[i]);
        return some;
    }
    void set(const std::vector<uint64_t> &owners)
    {
        call->set(map, owners.data(), static_cast<uint32_t>(owners.size()));
    }
    uint32_t remove(const std::vector<uint64_t> &owners)
    {
        return call->remove(map, owners.data(), static_cast<uint32_t>(owners.size()));
    }
    uint64_t get(const std::vector<uint64_t> &owners)
    {
        return call->get(map, owners.data(), static_cast<uint32_t>(owners.size()));
    }
    uint64_t iterate()
    {
        return call->iterate(map);
    }
};
#endif

enum secondary_step { SET, SET_AGAIN, GET_RANDOM, GET_IN_ORDER, ITERATE, REMOVE, SECONDARY_STEPS };

template <class Secondary> double run_secondary(secondary_step what, uint32_t slots, uint32_t share)
{
    using keys = std::vector<typename Secondary::key_type>;
    Secondary values(slots);
    keys owners = Secondary::keys(slots, share), visited = owners;
    uint32_t count = static_cast<uint32_t>(owners.size());
    uint64_t expected = uint64_t{count} * (count - 1) / 2;
    std::shuffle(visited.begin(), visited.end(), std::mt19937_64(1));
    double start = cpu_seconds();
    values.set(owners);
    if (what == SET)
        return cpu_seconds() - start;
    if (what == SET_AGAIN) {
        values.remove(owners);
        start = cpu_seconds();
        values.set(owners);
        return cpu_seconds() - start;
    }
    if (what == REMOVE) {
        start = cpu_seconds();
        require(values.remove(owners) == count, "a remove missed");
        return cpu_seconds() - start;
    }
    require(values.iterate() == expected, "an iteration missed a value");
    const keys &chosen = what == GET_RANDOM ? visited : owners;
    return time_of(count, [&] {
        uint64_t sum = what == ITERATE ? values.iterate() : values.get(chosen);
        require(sum == expected, "a lookup missed");
    });
}

template <class Secondary>
row secondary_row(secondary_step what, uint32_t slots, uint32_t share, double asked)
{
    return {Secondary::name, asked, [=] { return run_secondary<Secondary>(what, slots, share); }};
}

/* Asked for values of all owners. */
struct secondary_bounds {
    kind is;
    double ours, array, dense, sparse; /* 0: none */
};

void measure_secondary(secondary_step what, uint32_t slots, uint32_t share)
{
    static const char *const titles[SECONDARY_STEPS] = {
        "secondary: set, fresh",    "secondary: set, warm", "secondary: get, random",
        "secondary: get, in order", "secondary: iterate",   "secondary: remove"};
    static const secondary_bounds bounds[SECONDARY_STEPS] = {
        {NS, 20, 0, 0, 0},  {NS, 20, 0, 0, 0},     {OURS, 0, 0, 2, 1.15},
        {OURS, 0, 0, 0, 0}, {OURS, 0, 1.10, 0, 0}, {NS, 20, 0, 0, 0}};
    const secondary_bounds bound =
        share == 1 ? bounds[what] : secondary_bounds{bounds[what].is, 0, 0, 0, 0};
    group g = {titles[what], (slots + share - 1) / share, bound.is, {}};
    if (share != 1)
        g.title += ", 1 in " + std::to_string(share);
    g.title = with_count(g.title, slots);
    g.rows.push_back(secondary_row<our_secondary>(what, slots, share, bound.ours));
    g.rows.push_back(secondary_row<plain_values>(what, slots, share, bound.array));
#ifdef WITH_SLOTMAP
    g.rows.push_back(secondary_row<their_secondary<false>>(what, slots, share, bound.dense));
    g.rows.push_back(secondary_row<their_secondary<true>>(what, slots, share, bound.sparse));
#endif
    measure(g);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
size_t heap_size()
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#else
size_t heap_size()
{
    return 0;
}
#endif

template <class Secondary> void print_memory(uint32_t slots, uint32_t share)
{
    auto owners = Secondary::keys(slots, share);
    size_t before = heap_size();
    Secondary values(slots);
    values.set(owners);
    size_t bytes = heap_size() - before;
    if constexpr (std::is_same_v<Secondary, our_secondary>)
        bytes += extras_secondary_get_stats(&values.values).committed_size;
    std::printf("  %-42s %8.1f\n", Secondary::name,
                static_cast<double>(bytes) / static_cast<double>(owners.size()));
}

void print_memories(uint32_t slots, uint32_t share)
{
    std::string title = with_count("secondary: memory, 1 in " + std::to_string(share), slots);
    if (!is_chosen(title))
        return;
    std::printf("\n%-44s    bytes a value\n", title.c_str());
    print_memory<our_secondary>(slots, share);
    print_memory<plain_values>(slots, share);
#ifdef WITH_SLOTMAP
    print_memory<their_secondary<false>>(slots, share);
    print_memory<their_secondary<true>>(slots, share);
#endif
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 3000);
    for (uint32_t share : {1u, uint32_t{SPARSE_SHARE}}) {
        for (int what = 0; what < SECONDARY_STEPS; what++)
            measure_secondary(static_cast<secondary_step>(what), item_count, share);
        print_memories(item_count, share);
    }
    return 0;
}

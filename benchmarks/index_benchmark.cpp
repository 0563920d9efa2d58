/* SPDX-License-Identifier: MIT */
/* index_benchmark: hm_index beside std::unordered_multimap, absl::flat_hash_map of vectors, and
 * what a program writes by hand when it trusts its own slot numbers: a vector for each key, and the
 * key and position of each slot. Owners have one of 10,000 keys, or one in 100 of them. The options
 * are those of groups.h. */
#include "groups.h"
#include "owned.h"

#include <unordered_map>

#ifdef WITH_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif

namespace
{

enum { OWNER_TYPE = 7, KEYS = 10000 };

/* What each contestant is given: owners, some order of them, and a key for each. */
struct work {
    std::vector<hm_handle> owners;
    std::vector<uint64_t> keys;
};

/* Limit 0: hashed keys. */
template <uint32_t Limit, bool Batch> struct our_index {
    static constexpr const char *name =
        Limit != 0 ? (Batch ? "hm_index, set_n" : "hm_index")
                   : (Batch ? "hm_index, hashed keys, set_n" : "hm_index, hashed keys");
    owned<hm_index, hm_index_fini> index;

    explicit our_index(uint32_t slots)
    {
        hm_index_desc desc = {};
        desc.capacity = desc.max_slots = slots;
        desc.type_id = OWNER_TYPE;
        desc.key_limit = Limit;
        require(hm_index_init(&index, &desc) == HM_OK, "no index");
    }
    void set(const work &to)
    {
        hm_status status = HM_OK;
        uint32_t count = static_cast<uint32_t>(to.owners.size());
        if (Batch)
            status = hm_index_set_n(&index, to.owners.data(), to.keys.data(), count);
        else
            for (size_t i = 0; i < count && status == HM_OK; i++)
                status = hm_index_set(&index, to.owners[i], to.keys[i]);
        require(status == HM_OK, "a set was refused");
    }
    void remove(const work &to)
    {
        uint32_t count = static_cast<uint32_t>(to.owners.size()), removed = 0;
        if (Batch)
            removed = hm_index_remove_n(&index, to.owners.data(), count);
        else
            for (hm_handle owner : to.owners)
                removed += hm_index_remove(&index, owner);
        require(removed == count, "a remove missed");
    }
    uint64_t iterate(uint64_t key_count)
    {
        uint64_t sum = 0;
        for (uint64_t key = 0; key < key_count; key++) {
            uint32_t count;
            const hm_handle *members = hm_index_members(&index, key, &count);
            for (uint32_t i = 0; i < count; i++)
                sum += members[i].bits;
        }
        return sum;
    }
};

/* Keeps an iterator for each slot, since no other way leads from an owner to its place. */
struct multimap {
    static constexpr const char *name = "std::unordered_multimap";
    std::unordered_multimap<uint64_t, hm_handle> members;
    std::vector<std::unordered_multimap<uint64_t, hm_handle>::iterator> places;

    explicit multimap(uint32_t slots) : places(slots, members.end())
    {
    }
    void set(const work &to)
    {
        for (size_t i = 0; i < to.owners.size(); i++) {
            auto &place = places[hm_handle_index(to.owners[i])];
            if (place != members.end())
                members.erase(place);
            place = members.emplace(to.keys[i], to.owners[i]);
        }
    }
    void remove(const work &to)
    {
        for (hm_handle owner : to.owners) {
            members.erase(places[hm_handle_index(owner)]);
            places[hm_handle_index(owner)] = members.end();
        }
    }
    uint64_t iterate(uint64_t key_count)
    {
        uint64_t sum = 0;
        for (uint64_t key = 0; key < key_count; key++) {
            auto range = members.equal_range(key);
            for (auto it = range.first; it != range.second; ++it)
                sum += it->second.bits;
        }
        return sum;
    }
};

/* A vector for each key, found by `Lists`; and by slot each owner's key and position. Nothing tells
 * an earlier owner of a slot from a later one. */
template <class Lists> struct vectors {
    static constexpr const char *name = Lists::name;
    static constexpr uint32_t nowhere = UINT32_MAX;
    struct place {
        uint64_t key;
        uint32_t position;
    };
    Lists lists;
    std::vector<place> places;

    explicit vectors(uint32_t slots) : places(slots, {0, nowhere})
    {
    }
    void take(place from)
    {
        auto &list = lists[from.key];
        hm_handle moved = list.back();
        list[from.position] = moved;
        places[hm_handle_index(moved)].position = from.position;
        list.pop_back();
    }
    void set(const work &to)
    {
        for (size_t i = 0; i < to.owners.size(); i++) {
            place &at = places[hm_handle_index(to.owners[i])];
            if (at.position != nowhere)
                take(at);
            auto &list = lists[to.keys[i]];
            at = {to.keys[i], static_cast<uint32_t>(list.size())};
            list.push_back(to.owners[i]);
        }
    }
    void remove(const work &to)
    {
        for (hm_handle owner : to.owners) {
            take(places[hm_handle_index(owner)]);
            places[hm_handle_index(owner)].position = nowhere;
        }
    }
    uint64_t iterate(uint64_t key_count)
    {
        uint64_t sum = 0;
        for (uint64_t key = 0; key < key_count; key++)
            for (hm_handle owner : lists[key])
                sum += owner.bits;
        return sum;
    }
};

struct by_number {
    static constexpr const char *name = "by hand, without checks";
    std::vector<std::vector<hm_handle>> of_key{KEYS};
    std::vector<hm_handle> &operator[](uint64_t key)
    {
        return of_key[key];
    }
};

#ifdef WITH_ABSEIL
struct by_hash : absl::flat_hash_map<uint64_t, std::vector<hm_handle>> {
    static constexpr const char *name = "absl::flat_hash_map of std::vector";
};
#endif

enum index_step { SET, MOVE_RANDOM, MOVE_IN_ORDER, ITERATE, REMOVE, INDEX_STEPS };

work make_work(uint32_t slots, uint32_t keys, bool is_shuffled, uint64_t seed)
{
    std::mt19937_64 random(seed);
    work made;
    for (uint32_t slot = 0; slot < slots; slot++)
        made.owners.push_back(hm_handle_pack(slot, 1, OWNER_TYPE));
    if (is_shuffled)
        std::shuffle(made.owners.begin(), made.owners.end(), random);
    for (uint32_t i = 0; i < slots; i++)
        made.keys.push_back(random() % keys);
    return made;
}

template <class Index> double run_index(index_step what, uint32_t slots, uint32_t keys)
{
    work first = make_work(slots, keys, false, 1);
    work second = make_work(slots, keys, what != MOVE_IN_ORDER, 2);
    Index index(slots);
    double start = cpu_seconds();
    index.set(first);
    if (what == SET)
        return cpu_seconds() - start;
    if (what == ITERATE) {
        uint64_t expected = 0;
        for (hm_handle owner : first.owners)
            expected += owner.bits;
        index.set(second); /* So that the arrays are as moving leaves them. */
        return time_of(slots,
                       [&] { require(index.iterate(keys) == expected, "a member is missing"); });
    }
    start = cpu_seconds();
    if (what == REMOVE)
        index.remove(second);
    else
        index.set(second);
    return cpu_seconds() - start;
}

template <class Index> row index_row(index_step what, uint32_t slots, uint32_t keys, double asked)
{
    return {Index::name, asked, [=] { return run_index<Index>(what, slots, keys); }};
}

void measure_index(index_step what, uint32_t slots, uint32_t keys)
{
    static const char *const titles[INDEX_STEPS] = {"index: set, fresh", "index: move, random",
                                                    "index: move, in order", "index: iterate",
                                                    "index: remove, random"};
    double asked = what <= MOVE_IN_ORDER ? 40 : 0;
    group g = {titles[what], slots, NS, {}};
    g.title = with_count(with_count(g.title, slots) + " owners", keys) + " keys";
    g.rows.push_back(index_row<our_index<KEYS, false>>(what, slots, keys, asked));
    g.rows.push_back(index_row<our_index<0, false>>(what, slots, keys, asked));
    if (what != ITERATE) {
        g.rows.push_back(index_row<our_index<KEYS, true>>(what, slots, keys, asked));
        g.rows.push_back(index_row<our_index<0, true>>(what, slots, keys, asked));
    }
    g.rows.push_back(index_row<vectors<by_number>>(what, slots, keys, 0));
#ifdef WITH_ABSEIL
    g.rows.push_back(index_row<vectors<by_hash>>(what, slots, keys, 0));
#endif
    /* To erase, it walks over the members of the key: with more owners a quarter of an hour, with
     * 100 keys hours. */
    if (keys == KEYS && slots <= 100000)
        g.rows.push_back(index_row<multimap>(what, slots, keys, 0));
    measure(g);
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 3000);
    for (uint32_t keys : {uint32_t{KEYS}, uint32_t{KEYS} / 100})
        for (int what = 0; what < INDEX_STEPS; what++)
            measure_index(static_cast<index_step>(what), item_count, keys);
    return 0;
}

/* pool_peers: what pool_benchmark measures, behind one interface: the pool with each storage, and
 * those it is compared with. All do the same with the same items of 40 bytes.
 *
 *     key                 what a program keeps to find an item again
 *     insert(n, keys)     n items, numbered from 0, into an empty container
 *     refill(n)           n items; returns a sum of their keys, so that none needs to be stored
 *     erase(keys, n)      returns how many were there
 *     look_up(keys, n)    returns the sum of the items' first words; a dead key counts nothing
 *     iterate()           the same over all items */
#ifndef BENCHMARKS_POOL_PEERS_H
#define BENCHMARKS_POOL_PEERS_H

#include <handle_map/handle_map.h>

#include <cstdlib>
#include <vector>
#ifdef WITH_COLONY
#include <plf_colony.h>
#endif

struct item {
    uint64_t words[5]; /* 40 bytes */
};

inline item item_of(uint32_t number)
{
    return {{number, 1, 2, 3, 4}};
}

inline uint64_t sum(const item *items, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += items[i].words[0];
    return total;
}

HM_MAP_DEFINE(mapped, item, 7)
HM_POOL_DEFINE(pooled, item, 8)

template <hm_storage storage> struct pool {
    using key = pooled_handle;
    static constexpr const char *name = storage == HM_STORAGE_VIRTUAL        ? "pool, one range"
                                        : storage == HM_STORAGE_FIXED_BLOCKS ? "pool, fixed blocks"
                                                                             : "pool, growing";
    pooled_pool items;

    explicit pool(uint32_t capacity)
    {
        hm_pool_desc desc = {};
        desc.capacity = capacity;
        desc.storage = storage;
        if (pooled_pool_init_desc(&items, &desc) != HM_OK)
            std::abort();
    }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool()
    {
        pooled_pool_fini(&items);
    }
    void insert(uint32_t n, key *keys)
    {
        for (uint32_t i = 0; i < n; i++) {
            item it = item_of(i);
            keys[i] = pooled_pool_insert(&items, &it);
        }
    }
    uint64_t refill(uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++) {
            item it = item_of(i);
            total += pooled_pool_insert(&items, &it).id.bits;
        }
        return total;
    }
    uint32_t erase(const key *keys, uint32_t n)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += pooled_pool_erase(&items, keys[i]);
        return erased;
    }
    uint64_t look_up(const key *keys, uint32_t n) const
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const item *found = pooled_pool_get(&items, keys[i]))
                total += found->words[0];
        return total;
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        uint32_t length;
        for (uint32_t i = pooled_pool_next_run(&items, 0, &length); i != HM_INVALID_INDEX;
             i = pooled_pool_next_run(&items, i + length, &length))
            total += sum(pooled_pool_item(&items, i), length);
        return total;
    }
};

/* The same, visited from bit to bit instead of from run to run. */
template <hm_storage storage> struct pool_by_words : pool<storage> {
    static constexpr const char *name = storage == HM_STORAGE_VIRTUAL ? "pool, one range, by words"
                                        : storage == HM_STORAGE_FIXED_BLOCKS
                                            ? "pool, fixed blocks, by words"
                                            : "pool, growing, by words";
    using pool<storage>::pool;

    uint64_t iterate() const
    {
        const pooled_pool *self = &this->items;
        uint64_t total = 0, live;
        for (uint32_t word = pooled_pool_next_word(self, 0, &live); word != HM_INVALID_INDEX;
             word = pooled_pool_next_word(self, word + 1, &live))
            for (; live != 0; live &= live - 1)
                total +=
                    pooled_pool_item(self, word * HM_POOL_WORD + hm_pool_low_bit(live))->words[0];
        return total;
    }
};

/* Swap-and-pop that keeps handles, as this library does it: the handle map. */
struct swapping_map {
    using key = mapped_handle;
    static constexpr const char *name = "hm_map";
    mapped_map items;

    explicit swapping_map(uint32_t capacity)
    {
        if (mapped_map_init(&items, capacity) != HM_OK)
            std::abort();
    }
    swapping_map(const swapping_map &) = delete;
    swapping_map &operator=(const swapping_map &) = delete;
    ~swapping_map()
    {
        mapped_map_fini(&items);
    }
    void insert(uint32_t n, key *keys)
    {
        for (uint32_t i = 0; i < n; i++) {
            item it = item_of(i);
            keys[i] = mapped_map_insert(&items, &it);
        }
    }
    uint64_t refill(uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++) {
            item it = item_of(i);
            total += mapped_map_insert(&items, &it).id.bits;
        }
        return total;
    }
    uint32_t erase(const key *keys, uint32_t n)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += mapped_map_erase(&items, keys[i]);
        return erased;
    }
    uint64_t look_up(const key *keys, uint32_t n) const
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const item *found = mapped_map_get(&items, keys[i]))
                total += found->words[0];
        return total;
    }
    uint64_t iterate() const
    {
        return sum(mapped_map_items(&items), mapped_map_count(&items));
    }
};

/* Swap-and-pop that keeps handles, as one writes it by hand: a packed vector, beside it each item's
 * slot, and a table from slots to places. A free slot's place is the next free slot. */
struct packed_vector {
    struct key {
        uint32_t slot, generation;
    };
    struct slot {
        uint32_t place, generation;
    };
    static constexpr const char *name = "packed vector + table";
    static constexpr uint32_t none = UINT32_MAX;
    std::vector<item> items;
    std::vector<uint32_t> slot_of; /* place -> slot */
    std::vector<slot> slots;
    uint32_t free_slot = none;

    explicit packed_vector(uint32_t)
    {
    }
    key insert_one(const item &it)
    {
        uint32_t place = static_cast<uint32_t>(items.size());
        uint32_t taken = free_slot;
        if (taken != none) {
            free_slot = slots[taken].place;
            slots[taken].place = place;
        } else {
            taken = static_cast<uint32_t>(slots.size());
            slots.push_back({place, 0});
        }
        items.push_back(it);
        slot_of.push_back(taken);
        return {taken, slots[taken].generation};
    }
    bool erase_one(key k)
    {
        if (k.slot >= slots.size() || slots[k.slot].generation != k.generation)
            return false;
        uint32_t place = slots[k.slot].place;
        items[place] = items.back();
        slot_of[place] = slot_of.back();
        slots[slot_of[place]].place = place;
        items.pop_back();
        slot_of.pop_back();
        slots[k.slot] = {free_slot, k.generation + 1};
        free_slot = k.slot;
        return true;
    }
    void insert(uint32_t n, key *keys)
    {
        for (uint32_t i = 0; i < n; i++)
            keys[i] = insert_one(item_of(i));
    }
    uint64_t refill(uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++) {
            key k = insert_one(item_of(i));
            total += static_cast<uint64_t>(k.generation) << 32 | k.slot;
        }
        return total;
    }
    uint32_t erase(const key *keys, uint32_t n)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += erase_one(keys[i]);
        return erased;
    }
    uint64_t look_up(const key *keys, uint32_t n) const
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++) {
            key k = keys[i];
            if (k.slot < slots.size() && slots[k.slot].generation == k.generation)
                total += items[slots[k.slot].place].words[0];
        }
        return total;
    }
    uint64_t iterate() const
    {
        return sum(items.data(), items.size());
    }
};

#ifdef WITH_COLONY
/* A colony has no handles: its iterators are what a program keeps, and nothing refuses a dead one.
 */
struct colony {
    using key = plf::colony<item>::iterator;
    static constexpr const char *name = "plf::colony";
    plf::colony<item> items;

    explicit colony(uint32_t)
    {
    }
    void insert(uint32_t n, key *keys)
    {
        for (uint32_t i = 0; i < n; i++)
            keys[i] = items.insert(item_of(i));
    }
    uint64_t refill(uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            total += reinterpret_cast<uintptr_t>(&*items.insert(item_of(i)));
        return total;
    }
    uint32_t erase(const key *keys, uint32_t n)
    {
        size_t before = items.size();
        for (uint32_t i = 0; i < n; i++)
            items.erase(keys[i]);
        return static_cast<uint32_t>(before - items.size());
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (const item &it : items)
            total += it.words[0];
        return total;
    }
};
#endif

#ifdef WITH_SLOTMAP
/* slotmap.rs */
extern "C" {
void *slot_new(void);
void slot_delete(void *map);
void slot_insert(void *map, uint32_t n, uint64_t *keys);
uint64_t slot_refill(void *map, uint32_t n);
uint32_t slot_erase(void *map, const uint64_t *keys, uint32_t n);
uint64_t slot_look_up(const void *map, const uint64_t *keys, uint32_t n);
uint64_t slot_iterate(const void *map);
void *hop_new(void);
void hop_delete(void *map);
void hop_insert(void *map, uint32_t n, uint64_t *keys);
uint64_t hop_refill(void *map, uint32_t n);
uint32_t hop_erase(void *map, const uint64_t *keys, uint32_t n);
uint64_t hop_look_up(const void *map, const uint64_t *keys, uint32_t n);
uint64_t hop_iterate(const void *map);
}

template <bool hop> struct rust {
    using key = uint64_t;
    static constexpr const char *name = hop ? "Rust HopSlotMap" : "Rust SlotMap";
    void *map;

    explicit rust(uint32_t) : map(hop ? hop_new() : slot_new())
    {
    }
    rust(const rust &) = delete;
    rust &operator=(const rust &) = delete;
    ~rust()
    {
        (hop ? hop_delete : slot_delete)(map);
    }
    void insert(uint32_t n, key *keys)
    {
        (hop ? hop_insert : slot_insert)(map, n, keys);
    }
    uint64_t refill(uint32_t n)
    {
        return (hop ? hop_refill : slot_refill)(map, n);
    }
    uint32_t erase(const key *keys, uint32_t n)
    {
        return (hop ? hop_erase : slot_erase)(map, keys, n);
    }
    uint64_t look_up(const key *keys, uint32_t n) const
    {
        return (hop ? hop_look_up : slot_look_up)(map, keys, n);
    }
    uint64_t iterate() const
    {
        return (hop ? hop_iterate : slot_iterate)(map);
    }
};
#endif

#endif

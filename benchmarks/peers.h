/* SPDX-License-Identifier: MIT */
/* peers: the containers that are measured, behind one interface: the library's own and those that
 * they are compared with. All do the same work with the same items; a key is what a program keeps
 * to find an item again.
 *
 *     Container(capacity)     empty; only the plain array and the library's own need the capacity
 *     insert(first, n, keys)  n items numbered from `first`; reports their keys
 *     erase(keys, n)          returns how many were alive
 *     look_up(keys, n)        returns the sum of the items' first words, of live keys only
 *     count_live(keys, n)     returns how many of the keys are alive
 *     iterate()               returns that sum over all items
 *     clear()                 erases all
 *     churn(keys, picks, n, first)
 *                             for each pick in turn, erases the item of keys[pick] and inserts
 *                             one with the next number, whose key it stores there; returns how
 *                             many were alive
 *
 * `name` is the name in reports, `can` says what is measured; what would not be comparable is left
 * out. Constructing items is part of the work, and the same for all. */
#ifndef BENCHMARKS_PEERS_H
#define BENCHMARKS_PEERS_H

#include <handle_map/handle_map.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>
#ifdef WITH_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif
#ifdef WITH_COLONY
#include <plf_colony.h>
#endif

template <size_t Size> struct item {
    uint64_t words[Size / 8];

    static item numbered(uint64_t number)
    {
        item it;
        for (uint64_t &word : it.words)
            word = 1;
        it.words[0] = number;
        return it;
    }
};

enum {
    FILLS = 1,    /* is created, filled, cleared and filled again */
    ITERATES = 2, /* visits all items */
    LOOKS_UP = 4, /* finds an item by its key */
    ERASES = 8,   /* erases items by their keys */
    REFILLS = 16, /* fills what was erased */
    CHURNS = 32,  /* erases one and inserts one, by turns */
    REFUSES = 64, /* a key of an erased item finds nothing */
    EVERYTHING = 127
};

template <class Item> uint64_t sum(const Item *items, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += items[i].words[0];
    return total;
}

inline void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "benchmark: %s\n", what);
    std::exit(1);
}

/* The loops, for containers that take one item at a time: insert_one, erase_one, find. */
template <class Self, class Key, size_t Size> class one_by_one
{
    Self &self()
    {
        return static_cast<Self &>(*this);
    }

  public:
    using key_type = Key;

    void insert(uint64_t first, uint32_t n, Key *keys)
    {
        for (uint32_t i = 0; i < n; i++)
            keys[i] = self().insert_one(item<Size>::numbered(first + i));
    }
    uint32_t erase(const Key *keys, uint32_t n)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += self().erase_one(keys[i]);
        return erased;
    }
    uint64_t look_up(const Key *keys, uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const item<Size> *found = self().find(keys[i]))
                total += found->words[0];
        return total;
    }
    uint32_t count_live(const Key *keys, uint32_t n)
    {
        uint32_t live = 0;
        for (uint32_t i = 0; i < n; i++)
            live += self().contains(keys[i]);
        return live;
    }
    uint32_t churn(Key *keys, const uint32_t *picks, uint32_t n, uint64_t first)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++) {
            Key &key = keys[picks[i]];
            erased += self().erase_one(key);
            key = self().insert_one(item<Size>::numbered(first + i));
        }
        return erased;
    }
};

/* An array of known length, filled from the front. The key is an index: this is what a lookup costs
 * without any check. */
template <size_t Size> struct plain_array : one_by_one<plain_array<Size>, size_t, Size> {
    static constexpr const char *name = "plain array";
    static constexpr int can = FILLS | ITERATES | LOOKS_UP;
    std::unique_ptr<item<Size>[]> items;
    size_t count = 0;

    /* Without an initializer, so that no page is touched before it is used. */
    explicit plain_array(uint32_t capacity) : items(new item<Size>[capacity])
    {
    }
    size_t insert_one(const item<Size> &it)
    {
        items[count] = it;
        return count++;
    }
    const item<Size> *find(size_t index) const
    {
        return &items[index];
    }
    uint64_t iterate() const
    {
        return sum(items.get(), count);
    }
    void clear()
    {
        count = 0;
    }
};

template <size_t Size> struct vector : one_by_one<vector<Size>, size_t, Size> {
    static constexpr const char *name = "std::vector";
    static constexpr int can = FILLS | ITERATES | LOOKS_UP;
    std::vector<item<Size>> items;

    explicit vector(uint32_t)
    {
    }
    size_t insert_one(const item<Size> &it)
    {
        items.push_back(it);
        return items.size() - 1;
    }
    const item<Size> *find(size_t index) const
    {
        return &items[index];
    }
    uint64_t iterate() const
    {
        return sum(items.data(), items.size());
    }
    void clear()
    {
        items.clear();
    }
};

template <size_t Size> struct pointers : one_by_one<pointers<Size>, size_t, Size> {
    static constexpr const char *name = "vector of unique_ptr";
    static constexpr int can = FILLS | ITERATES | LOOKS_UP;
    std::vector<std::unique_ptr<item<Size>>> items;

    explicit pointers(uint32_t)
    {
    }
    size_t insert_one(const item<Size> &it)
    {
        items.push_back(std::make_unique<item<Size>>(it));
        return items.size() - 1;
    }
    const item<Size> *find(size_t index) const
    {
        return items[index].get();
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (const auto &it : items)
            total += it->words[0];
        return total;
    }
    void clear()
    {
        items.clear();
    }
};

/* The key is a number that counts up and is never reused. */
template <class Self, class Map, size_t Size> struct hash_map : one_by_one<Self, uint64_t, Size> {
    static constexpr int can = EVERYTHING;
    Map items;
    uint64_t next = 0;

    uint64_t insert_one(const item<Size> &it)
    {
        items.emplace(next, it);
        return next++;
    }
    bool erase_one(uint64_t key)
    {
        return items.erase(key) != 0;
    }
    bool contains(uint64_t key) const
    {
        return items.find(key) != items.end();
    }
    const item<Size> *find(uint64_t key) const
    {
        auto found = items.find(key);
        return found == items.end() ? nullptr : &found->second;
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (const auto &entry : items)
            total += entry.second.words[0];
        return total;
    }
    void clear()
    {
        items.clear();
    }
};

template <size_t Size>
struct unordered_map
    : hash_map<unordered_map<Size>, std::unordered_map<uint64_t, item<Size>>, Size> {
    static constexpr const char *name = "std::unordered_map";

    explicit unordered_map(uint32_t)
    {
    }
};

#ifdef WITH_ABSEIL
template <size_t Size>
struct flat_hash_map
    : hash_map<flat_hash_map<Size>, absl::flat_hash_map<uint64_t, item<Size>>, Size> {
    static constexpr const char *name = "absl::flat_hash_map";

    explicit flat_hash_map(uint32_t)
    {
    }
};
#endif

#ifdef WITH_COLONY
/* A colony has no handles: a program keeps iterators. One whose item was erased is not refused, and
 * following one is no lookup. */
template <size_t Size>
struct colony : one_by_one<colony<Size>, typename plf::colony<item<Size>>::iterator, Size> {
    static constexpr const char *name = "plf::colony";
    static constexpr int can = FILLS | ITERATES | ERASES | REFILLS | CHURNS;
    plf::colony<item<Size>> items;

    explicit colony(uint32_t)
    {
    }
    auto insert_one(const item<Size> &it)
    {
        return items.insert(it);
    }
    bool erase_one(typename plf::colony<item<Size>>::iterator place)
    {
        items.erase(place);
        return true;
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (const item<Size> &it : items)
            total += it.words[0];
        return total;
    }
    void clear()
    {
        items.clear();
    }
};
#endif

#ifdef WITH_SLOTMAP
/* slotmap.rs */
struct slotmap_functions {
    void *(*create)();
    void (*destroy)(void *map);
    void (*insert)(void *map, uint64_t first, uint32_t n, uint64_t *keys);
    uint32_t (*erase)(void *map, const uint64_t *keys, uint32_t n);
    uint64_t (*look_up)(void *map, const uint64_t *keys, uint32_t n);
    uint32_t (*count_live)(void *map, const uint64_t *keys, uint32_t n);
    uint64_t (*iterate)(void *map);
    void (*clear)(void *map);
    uint32_t (*churn)(void *map, uint64_t *keys, const uint32_t *picks, uint32_t n, uint64_t first);
};
extern "C" const slotmap_functions *slotmap_table(uint32_t kind, uint32_t size);

enum slotmap_kind { SLOT_MAP, DENSE_SLOT_MAP, HOP_SLOT_MAP };

template <size_t Size, slotmap_kind Kind> struct slotmap {
    using key_type = uint64_t;
    static constexpr const char *name = Kind == SLOT_MAP         ? "Rust SlotMap"
                                        : Kind == DENSE_SLOT_MAP ? "Rust DenseSlotMap"
                                                                 : "Rust HopSlotMap";
    static constexpr int can = EVERYTHING;
    const slotmap_functions *call = slotmap_table(Kind, Size);
    void *map = call->create();

    explicit slotmap(uint32_t)
    {
    }
    slotmap(const slotmap &) = delete;
    slotmap &operator=(const slotmap &) = delete;
    ~slotmap()
    {
        call->destroy(map);
    }
    void insert(uint64_t first, uint32_t n, key_type *keys)
    {
        call->insert(map, first, n, keys);
    }
    uint32_t erase(const key_type *keys, uint32_t n)
    {
        return call->erase(map, keys, n);
    }
    uint64_t look_up(const key_type *keys, uint32_t n)
    {
        return call->look_up(map, keys, n);
    }
    uint32_t count_live(const key_type *keys, uint32_t n)
    {
        return call->count_live(map, keys, n);
    }
    uint64_t iterate()
    {
        return call->iterate(map);
    }
    void clear()
    {
        call->clear(map);
    }
    uint32_t churn(key_type *keys, const uint32_t *picks, uint32_t n, uint64_t first)
    {
        return call->churn(map, keys, picks, n, first);
    }
};
#endif

struct vector_backed_key {
    uint32_t slot, generation;
};

/* The handle map of the classic article, built from three vectors: packed items, the slot of each
 * item, and a sparse table from slots to places. Free slots are a list in the sparse table, first
 * in, first out; erase moves the last item into the hole. */
template <size_t Size>
struct vector_backed : one_by_one<vector_backed<Size>, vector_backed_key, Size> {
    struct entry {
        uint32_t place; /* in a free slot: the next free slot */
        uint32_t generation;
    };
    static constexpr const char *name = "vector-backed map";
    static constexpr int can = EVERYTHING;
    static constexpr uint32_t none = UINT32_MAX;
    std::vector<item<Size>> items;
    std::vector<uint32_t> meta; /* place -> slot */
    std::vector<entry> sparse;
    uint32_t first_free = none, last_free = none;

    explicit vector_backed(uint32_t)
    {
    }
    vector_backed_key insert_one(const item<Size> &it)
    {
        uint32_t place = static_cast<uint32_t>(items.size());
        uint32_t slot = first_free;
        if (slot == none) {
            slot = static_cast<uint32_t>(sparse.size());
            sparse.push_back({place, 1});
        } else {
            first_free = sparse[slot].place;
            if (first_free == none)
                last_free = none;
            sparse[slot].place = place;
        }
        items.push_back(it);
        meta.push_back(slot);
        return {slot, sparse[slot].generation};
    }
    void free_slot(uint32_t slot)
    {
        sparse[slot] = {none, sparse[slot].generation + 1};
        if (last_free == none)
            first_free = slot;
        else
            sparse[last_free].place = slot;
        last_free = slot;
    }
    bool erase_one(vector_backed_key key)
    {
        if (!contains(key))
            return false;
        uint32_t place = sparse[key.slot].place;
        items[place] = items.back();
        meta[place] = meta.back();
        sparse[meta[place]].place = place;
        items.pop_back();
        meta.pop_back();
        free_slot(key.slot);
        return true;
    }
    /* No key has the generation of a free slot yet. */
    bool contains(vector_backed_key key) const
    {
        return key.slot < sparse.size() && sparse[key.slot].generation == key.generation;
    }
    const item<Size> *find(vector_backed_key key) const
    {
        return contains(key) ? &items[sparse[key.slot].place] : nullptr;
    }
    uint64_t iterate() const
    {
        return sum(items.data(), items.size());
    }
    void clear()
    {
        for (uint32_t slot : meta)
            free_slot(slot);
        items.clear();
        meta.clear();
    }
};

/* hm_map by the functions of HM_MAP_DEFINE, whose item size the compiler knows, and by the untyped
 * functions. */
template <size_t Size, bool Typed>
struct handle_map : one_by_one<handle_map<Size, Typed>, hm_handle, Size> {
    static constexpr const char *name = Typed ? "hm_map" : "hm_map untyped";
    static constexpr int can = EVERYTHING;
    hm_map map;

    explicit handle_map(uint32_t capacity, const hm_memory *memory = nullptr)
    {
        hm_map_desc desc = {};
        desc.memory = memory;
        desc.item_size = Size;
        desc.capacity = capacity;
        desc.type_id = 7;
        require(hm_map_init(&map, &desc) == HM_OK, "no map");
    }
    handle_map(const handle_map &) = delete;
    handle_map &operator=(const handle_map &) = delete;
    ~handle_map()
    {
        hm_map_fini(&map);
    }
    hm_handle insert_one(const item<Size> &it)
    {
        return Typed ? hm_map_insert_as(&map, &it, Size) : hm_map_insert(&map, &it);
    }
    bool erase_one(hm_handle handle)
    {
        return Typed ? hm_map_erase_as(&map, handle, Size) : hm_map_erase(&map, handle);
    }
    bool contains(hm_handle handle) const
    {
        return hm_map_contains(&map, handle);
    }
    const item<Size> *find(hm_handle handle) const
    {
        return static_cast<const item<Size> *>(Typed ? hm_map_get_as(&map, handle, Size)
                                                     : hm_map_get(&map, handle));
    }
    uint64_t iterate() const
    {
        return sum(static_cast<const item<Size> *>(hm_map_items(&map)), hm_map_count(&map));
    }
    void clear()
    {
        hm_map_clear(&map);
    }
};

/* hm_map in huge pages, which a program has to request. */
template <size_t Size> struct huge_map : handle_map<Size, true> {
    static constexpr const char *name = "hm_map huge pages";

    explicit huge_map(uint32_t capacity) : handle_map<Size, true>(capacity, hm_memory_os_huge())
    {
    }
};

/* hm_map in an arena, which all maps of the process share. */
template <size_t Size> struct arena_map : handle_map<Size, true> {
    static constexpr const char *name = "hm_map arena";
    static constexpr int can = FILLS;

    static const hm_memory *arena_table()
    {
        static hm_memory_arena arena;
        const hm_memory_arena_desc desc = {size_t{1} << 32, nullptr};
        if (arena.table.reserve == nullptr)
            require(hm_memory_arena_init(&arena, &desc) == HM_OK, "no arena");
        return &arena.table;
    }
    explicit arena_map(uint32_t capacity) : handle_map<Size, true>(capacity, arena_table())
    {
    }
};

/* hm_map by its batch functions. */
template <size_t Size> struct batched_map : handle_map<Size, false> {
    enum { BATCH = 256 };
    static constexpr const char *name = "hm_map batch";
    static constexpr int can = EVERYTHING & ~ITERATES & ~CHURNS;
    using handle_map<Size, false>::handle_map;

    void insert(uint64_t first, uint32_t n, hm_handle *handles)
    {
        item<Size> items[BATCH];
        for (uint32_t part; n > 0; first += part, handles += part, n -= part) {
            part = std::min<uint32_t>(n, BATCH);
            for (uint32_t i = 0; i < part; i++)
                items[i] = item<Size>::numbered(first + i);
            if (hm_map_insert_n(&this->map, items, part, handles) != HM_OK)
                std::abort();
        }
    }
    uint32_t erase(const hm_handle *handles, uint32_t n)
    {
        return hm_map_erase_n(&this->map, handles, n);
    }
    uint64_t look_up(const hm_handle *handles, uint32_t n)
    {
        void *found[BATCH];
        uint64_t total = 0;
        for (uint32_t part; n > 0; handles += part, n -= part) {
            part = std::min<uint32_t>(n, BATCH);
            hm_map_get_n(&this->map, handles, part, found);
            for (uint32_t i = 0; i < part; i++)
                if (found[i] != nullptr)
                    total += static_cast<const item<Size> *>(found[i])->words[0];
        }
        return total;
    }
    uint32_t count_live(const hm_handle *handles, uint32_t n)
    {
        bool alive[BATCH];
        uint32_t live = 0;
        for (uint32_t part; n > 0; handles += part, n -= part) {
            part = std::min<uint32_t>(n, BATCH);
            live += hm_map_contains_n(&this->map, handles, part, alive);
        }
        return live;
    }
};

template <size_t Size, hm_storage Storage>
struct pool : one_by_one<pool<Size, Storage>, hm_handle, Size> {
    static constexpr const char *name = Storage == HM_STORAGE_VIRTUAL        ? "hm_pool"
                                        : Storage == HM_STORAGE_FIXED_BLOCKS ? "hm_pool fixed"
                                                                             : "hm_pool growing";
    static constexpr int can = EVERYTHING;
    hm_pool items;

    explicit pool(uint32_t capacity)
    {
        hm_pool_desc desc = {};
        desc.item_size = Size;
        desc.capacity = capacity;
        desc.type_id = 8;
        desc.storage = Storage;
        require(hm_pool_init(&items, &desc) == HM_OK, "no pool");
    }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool()
    {
        hm_pool_fini(&items);
    }
    hm_handle insert_one(const item<Size> &it)
    {
        return hm_pool_insert_as(&items, &it, Size);
    }
    bool erase_one(hm_handle handle)
    {
        return hm_pool_erase_as(&items, handle, Size);
    }
    bool contains(hm_handle handle) const
    {
        return hm_pool_contains(&items, handle);
    }
    const item<Size> *find(hm_handle handle) const
    {
        return static_cast<const item<Size> *>(hm_pool_get_as(&items, handle, Size));
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        uint32_t length;
        for (uint32_t i = hm_pool_next_run(&items, 0, &length); i != HM_INVALID_INDEX;
             i = hm_pool_next_run(&items, i + length, &length))
            total += sum(static_cast<const item<Size> *>(hm_pool_item_as(&items, i, Size)), length);
        return total;
    }
    void clear()
    {
        hm_pool_clear(&items);
    }
};

/* hm_pool by its batch function. */
template <size_t Size> struct batched_pool : pool<Size, HM_STORAGE_VIRTUAL> {
    static constexpr const char *name = "hm_pool batch";
    static constexpr int can = ERASES;
    using pool<Size, HM_STORAGE_VIRTUAL>::pool;

    uint32_t erase(const hm_handle *handles, uint32_t n)
    {
        return hm_pool_erase_n(&this->items, handles, n);
    }
};

template <class T> struct type {
    using is = T;
};

/* Calls visit(type<Container>()) for each container that was found on this machine. */
template <size_t Size, class Visit> void for_each_container(Visit visit)
{
    visit(type<handle_map<Size, true>>());
    visit(type<handle_map<Size, false>>());
    visit(type<batched_map<Size>>());
    visit(type<huge_map<Size>>());
    visit(type<arena_map<Size>>());
    visit(type<pool<Size, HM_STORAGE_VIRTUAL>>());
    visit(type<pool<Size, HM_STORAGE_FIXED_BLOCKS>>());
    visit(type<pool<Size, HM_STORAGE_GROWING_BLOCKS>>());
    visit(type<batched_pool<Size>>());
    visit(type<plain_array<Size>>());
    visit(type<vector<Size>>());
    visit(type<pointers<Size>>());
    visit(type<vector_backed<Size>>());
    visit(type<unordered_map<Size>>());
#ifdef WITH_ABSEIL
    visit(type<flat_hash_map<Size>>());
#endif
#ifdef WITH_SLOTMAP
    visit(type<slotmap<Size, DENSE_SLOT_MAP>>());
    visit(type<slotmap<Size, SLOT_MAP>>());
    visit(type<slotmap<Size, HOP_SLOT_MAP>>());
#endif
#ifdef WITH_COLONY
    visit(type<colony<Size>>());
#endif
}

/* The same for containers of items of `size` bytes: 8, 40, 256 or 264. The last is there to be
 * compared with 256, which is a power of two: its items begin in a quarter of a cache's sets. */
template <class Visit> void for_each_container(size_t size, Visit visit)
{
    require(size == 8 || size == 40 || size == 256 || size == 264,
            "items have 8, 40, 256 or 264 bytes");
    if (size == 8)
        for_each_container<8>(visit);
    else if (size == 40)
        for_each_container<40>(visit);
    else if (size == 256)
        for_each_container<256>(visit);
    else
        for_each_container<264>(visit);
}

/* The names of those that were not found, each followed by a comma. */
inline const char *missing_peers()
{
    return ""
#ifndef WITH_ABSEIL
           "absl::flat_hash_map,"
#endif
#ifndef WITH_SLOTMAP
           "Rust's slot maps,"
#endif
#ifndef WITH_COLONY
           "plf::colony,"
#endif
        ;
}

#endif

/* SPDX-License-Identifier: MIT */
/* peers_other: the containers of peers.h that are not the library's: arrays, those of the standard
 * library, those that were found on this machine, and a handle map of three vectors. */
#ifndef BENCHMARKS_PEERS_OTHER_H
#define BENCHMARKS_PEERS_OTHER_H

#include "one_by_one.h"

#include <memory>
#include <unordered_map>
#include <vector>
#ifdef WITH_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif
#ifdef WITH_COLONY
#include <plf_colony.h>
#endif

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

struct slot_key {
    uint32_t slot, generation;
};

/* The pool that programs write by hand: slots that stay, a generation for each, odd while it is
 * live, and a stack of free ones. It has a capacity, and its keys come back after 2^31 lives. */
template <size_t Size> struct free_stack : one_by_one<free_stack<Size>, slot_key, Size> {
    static constexpr const char *name = "free stack";
    static constexpr int can = EVERYTHING;
    std::unique_ptr<item<Size>[]> items;
    std::unique_ptr<uint32_t[]> generations, free;
    uint32_t capacity, top = 0;

    explicit free_stack(uint32_t most)
        : items(new item<Size>[most]), generations(new uint32_t[most]()), free(new uint32_t[most]),
          capacity(most)
    {
        free_all();
    }
    void free_all()
    {
        for (top = 0; top < capacity; top++)
            free[top] = capacity - 1 - top;
    }
    slot_key insert_one(const item<Size> &it)
    {
        if (top == 0)
            return {0, 0};
        uint32_t slot = free[--top];
        items[slot] = it;
        return {slot, ++generations[slot]};
    }
    bool erase_one(slot_key key)
    {
        if (!contains(key))
            return false;
        generations[key.slot]++;
        free[top++] = key.slot;
        return true;
    }
    /* No key has an even generation. */
    bool contains(slot_key key) const
    {
        return key.slot < capacity && generations[key.slot] == key.generation;
    }
    const item<Size> *find(slot_key key) const
    {
        return contains(key) ? &items[key.slot] : nullptr;
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        for (uint32_t slot = 0; slot < capacity; slot++)
            if (generations[slot] % 2 != 0)
                total += items[slot].words[0];
        return total;
    }
    void clear()
    {
        for (uint32_t slot = 0; slot < capacity; slot++)
            generations[slot] += generations[slot] % 2;
        free_all();
    }
};

/* The handle map of the classic article, built from three vectors: packed items, the slot of each
 * item, and a sparse table from slots to places. Free slots are a list in the sparse table, first
 * in, first out; erase moves the last item into the hole. */
template <size_t Size> struct vector_backed : one_by_one<vector_backed<Size>, slot_key, Size> {
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
    slot_key insert_one(const item<Size> &it)
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
    bool erase_one(slot_key key)
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
    bool contains(slot_key key) const
    {
        return key.slot < sparse.size() && sparse[key.slot].generation == key.generation;
    }
    const item<Size> *find(slot_key key) const
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

#endif

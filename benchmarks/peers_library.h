/* SPDX-License-Identifier: MIT */
/* peers_library: the containers of peers.h that are the library's. */
#ifndef BENCHMARKS_PEERS_LIBRARY_H
#define BENCHMARKS_PEERS_LIBRARY_H

#include "one_by_one.h"
#include "owned.h"

#include <handle_map/handle_map.h>

#include <algorithm>
#include <cstdlib>

/* hm_map by the functions of HM_MAP_DEFINE, whose item size the compiler knows, and by the untyped
 * functions. */
template <size_t Size, bool Typed>
struct handle_map : one_by_one<handle_map<Size, Typed>, hm_handle, Size> {
    static constexpr const char *name = Typed ? "hm_map" : "hm_map untyped";
    static constexpr int can = EVERYTHING;
    owned<hm_map, hm_map_fini> map;

    explicit handle_map(uint32_t capacity, const hm_memory *memory = nullptr)
    {
        hm_map_desc desc = {};
        desc.memory = memory;
        desc.item_size = Size;
        desc.capacity = capacity;
        desc.type_id = 7;
        require(hm_map_init(&map, &desc) == HM_OK, "no map");
    }
    hm_handle insert_one(const item<Size> &it)
    {
        return Typed ? hm_map_insert_sized(&map, &it, Size) : hm_map_insert(&map, &it);
    }
    bool erase_one(hm_handle handle)
    {
        return Typed ? hm_map_erase_sized(&map, handle, Size) : hm_map_erase(&map, handle);
    }
    bool contains(hm_handle handle) const
    {
        return hm_map_contains(&map, handle);
    }
    const item<Size> *find(hm_handle handle) const
    {
        return static_cast<const item<Size> *>(Typed ? hm_map_get_sized(&map, handle, Size)
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
    owned<hm_pool, hm_pool_fini> items;

    explicit pool(uint32_t capacity)
    {
        hm_pool_desc desc = {};
        desc.item_size = Size;
        desc.capacity = capacity;
        desc.type_id = 8;
        desc.storage = Storage;
        require(hm_pool_init(&items, &desc) == HM_OK, "no pool");
    }
    hm_handle insert_one(const item<Size> &it)
    {
        return hm_pool_insert_sized(&items, &it, Size);
    }
    bool erase_one(hm_handle handle)
    {
        return hm_pool_erase_sized(&items, handle, Size);
    }
    bool contains(hm_handle handle) const
    {
        return hm_pool_contains(&items, handle);
    }
    const item<Size> *find(hm_handle handle) const
    {
        return static_cast<const item<Size> *>(hm_pool_get_sized(&items, handle, Size));
    }
    uint64_t iterate() const
    {
        uint64_t total = 0;
        uint32_t length;
        for (uint32_t i = hm_pool_next_run(&items, 0, &length); i != HM_INVALID_INDEX;
             i = hm_pool_next_run(&items, i + length, &length))
            total += sum(static_cast<const item<Size> *>(hm_pool_item_at_sized(&items, i, Size)),
                         length);
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

#endif

/* SPDX-License-Identifier: MIT */
/* map, in C++: hm::map<T, TypeId = 0>, an owner of an hm_map. What map.h says holds here too, and
 * what handle_map.hpp says of all classes.
 *
 * T must be trivially copyable, or say by hm::is_relocatable<T> that it may be moved as bytes: an
 * erase moves the last item into the hole, and defragment moves items. Destructors run where the
 * destroy hook of a map does. Example:
 *
 *     hm::map<sprite> sprites(100000);
 *     hm::handle<sprite> hero = sprites.emplace(sprite{1.5f, 2});
 *     if (sprite *found = sprites.get(hero))
 *         found->depth += 1;
 *     for (sprite &each : sprites)
 *         each.depth *= 2;
 *     sprites.erase_if([&](const sprite &each) { return each.depth > limit; });
 *
 * A constructor of T must not change the map that calls it. A map has no user meta and no relocate
 * hook: an hm::secondary keeps more data for an item. */
#ifndef HANDLE_MAP_MAP_HPP
#define HANDLE_MAP_MAP_HPP

#include <handle_map/order.hpp>

namespace hm
{

template <class T, std::uint16_t TypeId = 0> class map
{
    detail::owned<hm_map, hm_map_fini> own_;

    struct positions : detail::dense {
        using container = hm_map;
        using handle = hm::handle<T>;

        static std::uint32_t end(const hm_map *map) noexcept
        {
            return hm_map_count(map);
        }
        static std::uint32_t count(const hm_map *map) noexcept
        {
            return hm_map_count(map);
        }
        /* As hm_map_handle_at without its check, which compilers cannot take out of a loop that
         * ends at `!=`. If the loop erases, positions behind the last item have stale handles. */
        static hm_handle handle_at(const hm_map *map, std::uint32_t i) noexcept
        {
            const std::uint32_t slot = map->ids.slots[i];
            return {(map->ids.entries[slot].bits & ~std::uint64_t{UINT32_MAX}) | slot};
        }
        static T *at(const hm_map *map, std::uint32_t i) noexcept
        {
            return static_cast<T *>(hm_map_items(map)) + i;
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<T>;
    using size_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;

    /* An empty map of capacity 0. */
    map() noexcept = default;
    /* As init; if that fails, the map has capacity 0, and hm_last_error says why. */
    explicit map(std::uint32_t capacity) noexcept
    {
        options with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit map(const options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the map as it is, and makes it anew; fails as hm_map_init does. */
    status init(const options &with) noexcept
    {
        detail::require_relocatable<T>();
        hm_map_fini(&own_.c);
        hm_map_desc desc{};
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = detail::type_id_or<TypeId>(with.type_id);
        desc.memory = with.memory;
        desc.name = with.name;
        desc.destroy = detail::destroy_hook<T>();
        return hm_map_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_map_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_map *c_map() noexcept
    {
        return &own_.c;
    }
    const hm_map *c_map() const noexcept
    {
        return &own_.c;
    }

    /* Makes an item, by T(args...) or T{args...}, and returns its handle; null when refused. Made
     * in place unless the constructor may throw. O(1). */
    template <class... Args> handle_type emplace(Args &&...args)
    {
        if constexpr (detail::constructs_without_throwing<T, Args...>()) {
            void *place;
            hm_handle made = hm_map_emplace_as(&own_.c, &place, sizeof(T));
            if (place != nullptr)
                detail::construct<T>(place, std::forward<Args>(args)...);
            return handle_type(made);
        } else {
            detail::maker<T> item(std::forward<Args>(args)...);
            hm_handle made = hm_map_insert_as(&own_.c, item.bytes(), sizeof(T));
            if (!hm_handle_is_null(made))
                item.was_taken();
            return handle_type(made);
        }
    }
    handle_type insert(const T &item)
    {
        return emplace(item);
    }
    handle_type insert(T &&item)
    {
        return emplace(std::move(item));
    }
    /* As hm_map_insert_n. `items` nullptr: zeroed ones; `handles` nullptr: not reported. Here, and
     * in get_n, contains_n, erase_n and arrange, n items or handles may also be given as a span,
     * and so as a std::vector. */
    status insert_n(const T *items, std::uint32_t n, handle_type *handles = nullptr) noexcept
    {
        detail::require_copyable<T>();
        return hm_map_insert_n(&own_.c, items, n, detail::ids(handles));
    }
    status insert_n(span<const T> items, handle_type *handles = nullptr) noexcept
    {
        return insert_n(items.data(), detail::count_of(items.size()), handles);
    }

    /* The item, or nullptr when the handle does not resolve. O(1). */
    [[nodiscard]] T *get(handle_type handle) noexcept
    {
        return static_cast<T *>(hm_map_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    [[nodiscard]] const T *get(handle_type handle) const noexcept
    {
        return static_cast<const T *>(hm_map_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    /* As hm_map_get_n. */
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, T **items) noexcept
    {
        return hm_map_get_n(&own_.c, detail::ids(handles), n, reinterpret_cast<void **>(items));
    }
    std::uint32_t get_n(span<const handle_type> handles, T **items) noexcept
    {
        return get_n(handles.data(), detail::count_of(handles.size()), items);
    }
    [[nodiscard]] bool contains(handle_type handle) const noexcept
    {
        return hm_map_contains(&own_.c, handle.id());
    }
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return hm_map_contains_n(&own_.c, detail::ids(handles), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> handles, bool *alive) const noexcept
    {
        return contains_n(handles.data(), detail::count_of(handles.size()), alive);
    }

    /* Destroys the item; false when the handle does not resolve. O(1). */
    bool erase(handle_type handle) noexcept
    {
        return hm_map_erase_as(&own_.c, handle.id(), sizeof(T));
    }
    bool erase_at(std::uint32_t index) noexcept
    {
        return hm_map_erase_at(&own_.c, index);
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_map_erase_n(&own_.c, detail::ids(handles), n);
    }
    std::uint32_t erase_n(span<const handle_type> handles) noexcept
    {
        return erase_n(handles.data(), detail::count_of(handles.size()));
    }
    /* Erases the items for which the predicate, of (const T &), is true; returns their number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return hm_map_erase_if(&own_.c, &detail::ask<T, Predicate>, &doomed);
    }
    void clear() noexcept
    {
        hm_map_clear(&own_.c);
    }
    status trim() noexcept
    {
        return hm_map_trim(&own_.c);
    }
    /* Makes the next n inserts succeed; n is additional. */
    status reserve(std::uint32_t n) noexcept
    {
        return hm_map_reserve(&own_.c, n);
    }
    /* The handle that the (k + 1)-th insert from now will return. See hm_map_upcoming. */
    [[nodiscard]] handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(hm_map_upcoming(&own_.c, k));
    }

    /* The items are one array. */
    [[nodiscard]] T *data() noexcept
    {
        return static_cast<T *>(hm_map_items(&own_.c));
    }
    [[nodiscard]] const T *data() const noexcept
    {
        return static_cast<const T *>(hm_map_items(&own_.c));
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_map_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_map_capacity(&own_.c);
    }
    [[nodiscard]] span<T> values() noexcept
    {
        return {data(), size()};
    }
    [[nodiscard]] span<const T> values() const noexcept
    {
        return {data(), size()};
    }
    /* Do not sort between begin and end: each handle would name another item afterwards. Call
     * defragment(less), or sort handles. To change items in place is fine. */
    [[nodiscard]] T *begin() noexcept
    {
        return data();
    }
    [[nodiscard]] T *end() noexcept
    {
        return data() + size();
    }
    [[nodiscard]] const T *begin() const noexcept
    {
        return data();
    }
    [[nodiscard]] const T *end() const noexcept
    {
        return data() + size();
    }
    /* Pairs of handle and value. */
    [[nodiscard]] detail::pairs<positions, T> entries() noexcept
    {
        return detail::pairs<positions, T>(&own_.c);
    }
    [[nodiscard]] detail::pairs<positions, const T> entries() const noexcept
    {
        return detail::pairs<positions, const T>(&own_.c);
    }
    [[nodiscard]] handle_type handle_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_map_handle_at(&own_.c, index));
    }
    [[nodiscard]] handle_type handle_of(const T *item) const noexcept
    {
        return handle_type(hm_map_handle_of(&own_.c, item));
    }
    [[nodiscard]] std::uint32_t index_of(handle_type handle) const noexcept
    {
        return hm_map_index_of(&own_.c, handle.id());
    }

    /* Brings the items nearer to the order, within the budget. See order.hpp. */
    template <class Less> progress defragment(Less less, hm::budget within = {}) noexcept
    {
        detail::by_less<T, Less> by(less);
        return hm_map_defragment(&own_.c, &by.order, within);
    }
    /* Smaller keys come first. */
    template <class Key> progress defragment_by(Key key, hm::budget within = {}) noexcept
    {
        detail::by_key<T, Key> by(key);
        return hm_map_defragment(&own_.c, &by.order, within);
    }
    /* Brings the items of n handles to the front, in this order. In all it takes fewer swaps than
     * there are items, but may take nearly as many for one handle. */
    progress arrange(const handle_type *handles, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_map_arrange(&own_.c, detail::ids(handles), n, within);
    }
    progress arrange(span<const handle_type> handles, hm::budget within = {}) noexcept
    {
        return arrange(handles.data(), detail::count_of(handles.size()), within);
    }
    void touch(handle_type handle) noexcept
    {
        hm_map_touch(&own_.c, handle.id());
    }
    void touch_all() noexcept
    {
        hm_map_touch_all(&own_.c);
    }
    /* The first item that does not come before the probe, in a map that defragment has put in the
     * order of a less of the same type; end() if there is none. nullptr when the map is not in this
     * order, or busy: hm_last_error says which. */
    template <class Less>
    [[nodiscard]] const T *lower_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_map_lower_bound(&own_.c, &by.order, std::addressof(probe)));
    }
    /* The first item that comes after the probe; else as lower_bound. */
    template <class Less>
    [[nodiscard]] const T *upper_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_map_upper_bound(&own_.c, &by.order, std::addressof(probe)));
    }

    [[nodiscard]] handle_state explain(handle_type handle) const noexcept
    {
        return hm_map_explain(&own_.c, handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t size) const noexcept
    {
        return hm_map_describe(&own_.c, handle.id(), buffer, size);
    }
    /* The type id of the map's handles. */
    [[nodiscard]] std::uint16_t type_id() const noexcept
    {
        return static_cast<std::uint16_t>(own_.c.ids.type_id);
    }
    /* For an hm_secondary or an hm_index of C. */
    [[nodiscard]] hm_owners as_owners() const noexcept
    {
        return hm_map_as_owners(&own_.c);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_map_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_map_validate(&own_.c);
    }

  private:
    const T *found(std::uint32_t index) const noexcept
    {
        return index == HM_INVALID_INDEX ? nullptr : data() + index;
    }
};

/* As a C map may be moved by assigning the struct. */
template <class T, std::uint16_t TypeId> struct is_relocatable<map<T, TypeId>> : std::true_type {
};

} // namespace hm

#endif

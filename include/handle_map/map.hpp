/* SPDX-License-Identifier: MIT */
/* map, in C++: hm::map<T>, an owner of an hm_map. What map.h says holds here too.
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
 * A constructor and a destructor of T, a predicate and a less must not change the map that calls
 * them. If a constructor throws, the map is as before, and the exception goes on to the caller.
 *
 * A map is movable and not copyable. Moving leaves an empty map of capacity 0. */
#ifndef HANDLE_MAP_MAP_HPP
#define HANDLE_MAP_MAP_HPP

#include <handle_map/order.hpp>

namespace hm
{

template <class T> class map
{
    static_assert(is_relocatable<T>::value,
                  "a map moves its items as bytes: specialise hm::is_relocatable if this type "
                  "allows that, or use hm::pool, whose items never move");
    detail::owned<hm_map, hm_map_fini> own_;

    template <class Value> class pairs
    {
        const hm_map *map_ = nullptr;

      public:
        pairs() = default;
        explicit pairs(const hm_map *map) noexcept : map_(map)
        {
        }
        entry<hm::handle<T>, Value> at(std::uint32_t i) const noexcept
        {
            return {hm::handle<T>(hm_map_handle_at(map_, i)),
                    static_cast<T *>(hm_map_items(map_))[i]};
        }
        std::uint32_t next(std::uint32_t i) const noexcept
        {
            return i + 1;
        }
        detail::counter<pairs> begin() const noexcept
        {
            return {*this, 0};
        }
        detail::counter<pairs> end() const noexcept
        {
            return {*this, hm_map_count(map_)};
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<T>;
    using size_type = std::uint32_t;
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
        hm_map_fini(&own_.c);
        hm_map_desc desc{};
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id;
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
    /* As hm_map_insert_n. `items` nullptr: zeroed ones; `handles` nullptr: not reported. */
    status insert_n(const T *items, std::uint32_t n, handle_type *handles = nullptr) noexcept
    {
        static_assert(std::is_trivially_copyable<T>::value, "items are copied as bytes");
        return hm_map_insert_n(&own_.c, items, n, detail::ids(handles));
    }

    /* The item, or nullptr when the handle does not resolve. O(1). */
    T *get(handle_type handle) noexcept
    {
        return static_cast<T *>(hm_map_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    const T *get(handle_type handle) const noexcept
    {
        return static_cast<const T *>(hm_map_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    /* As hm_map_get_n. */
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, T **items) noexcept
    {
        return hm_map_get_n(&own_.c, detail::ids(handles), n, reinterpret_cast<void **>(items));
    }
    bool contains(handle_type handle) const noexcept
    {
        return hm_map_contains(&own_.c, handle.id());
    }
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return hm_map_contains_n(&own_.c, detail::ids(handles), n, alive);
    }

    /* Destroys the item; false when the handle does not resolve. O(1). */
    bool erase(handle_type handle) noexcept
    {
        return hm_map_erase_as(&own_.c, handle.id(), sizeof(T));
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_map_erase_n(&own_.c, detail::ids(handles), n);
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
    handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(hm_map_upcoming(&own_.c, k));
    }

    /* The items are one array. */
    T *data() noexcept
    {
        return static_cast<T *>(hm_map_items(&own_.c));
    }
    const T *data() const noexcept
    {
        return static_cast<const T *>(hm_map_items(&own_.c));
    }
    std::uint32_t size() const noexcept
    {
        return hm_map_count(&own_.c);
    }
    bool empty() const noexcept
    {
        return size() == 0;
    }
    std::uint32_t capacity() const noexcept
    {
        return hm_map_capacity(&own_.c);
    }
    span<T> values() noexcept
    {
        return {data(), size()};
    }
    span<const T> values() const noexcept
    {
        return {data(), size()};
    }
    T *begin() noexcept
    {
        return data();
    }
    T *end() noexcept
    {
        return data() + size();
    }
    const T *begin() const noexcept
    {
        return data();
    }
    const T *end() const noexcept
    {
        return data() + size();
    }
    /* Pairs of handle and value. */
    pairs<T> entries() noexcept
    {
        return pairs<T>(&own_.c);
    }
    pairs<const T> entries() const noexcept
    {
        return pairs<const T>(&own_.c);
    }
    handle_type handle_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_map_handle_at(&own_.c, index));
    }
    handle_type handle_of(const T *item) const noexcept
    {
        return handle_type(hm_map_handle_of(&own_.c, item));
    }
    std::uint32_t index_of(handle_type handle) const noexcept
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
    /* Brings the items of n handles to the front, in this order. */
    progress arrange(const handle_type *handles, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_map_arrange(&own_.c, detail::ids(handles), n, within);
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
     * order of a less of the same type; nullptr when it is not in this order, which hm_last_error
     * says. */
    template <class Less> const T *lower_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_map_lower_bound(&own_.c, &by.order, &probe));
    }
    /* The first item that comes after the probe. */
    template <class Less> const T *upper_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_map_upper_bound(&own_.c, &by.order, &probe));
    }

    handle_state explain(handle_type handle) const noexcept
    {
        return hm_map_explain(&own_.c, handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t size) const noexcept
    {
        return hm_map_describe(&own_.c, handle.id(), buffer, size);
    }
    hm::stats stats() const noexcept
    {
        return hm_map_get_stats(&own_.c);
    }
    status validate() const noexcept
    {
        return hm_map_validate(&own_.c);
    }

  private:
    const T *found(std::uint32_t index) const noexcept
    {
        return index == HM_INVALID_INDEX ? nullptr : data() + index;
    }
};

} // namespace hm

#endif

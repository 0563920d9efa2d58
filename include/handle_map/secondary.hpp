/* SPDX-License-Identifier: MIT */
/* secondary, in C++: hm::secondary<Owner, T>, an owner of an hm_secondary: values of type T for
 * handles of type hm::handle<Owner>. What secondary.h says holds here too.
 *
 * T must be trivially copyable, or say by hm::is_relocatable<T> that it may be moved as bytes.
 * Example:
 *
 *     hm::secondary<sprite, glow> glows(1000, sprites.stats().max_slots);
 *     glows.emplace(hero, glow{5});
 *     if (glow *found = glows.get(hero))
 *         found->radius += 1;
 *     for (auto [owner, value] : glows.entries())
 *         draw(sprites.get(owner), value);
 *     glows.purge([&](hm::handle<sprite> owner) { return sprites.contains(owner); });
 *
 * A destructor of T, a predicate and a less must not change the secondary that calls them. */
#ifndef HANDLE_MAP_SECONDARY_HPP
#define HANDLE_MAP_SECONDARY_HPP

#include <handle_map/order.hpp>

namespace hm
{

template <class Owner, class T> class secondary
{
    static_assert(is_relocatable<T>::value,
                  "a secondary moves its values as bytes: specialise hm::is_relocatable if this "
                  "type allows that");
    detail::owned<hm_secondary, hm_secondary_fini> own_;

    template <class Value> class pairs
    {
        const hm_secondary *values_ = nullptr;

      public:
        pairs() = default;
        explicit pairs(const hm_secondary *values) noexcept : values_(values)
        {
        }
        entry<hm::handle<Owner>, Value> at(std::uint32_t i) const noexcept
        {
            return {hm::handle<Owner>(hm_secondary_owner_at(values_, i)),
                    static_cast<T *>(hm_secondary_values(values_))[i]};
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
            return {*this, hm_secondary_count(values_)};
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<Owner>;
    using size_type = std::uint32_t;

    /* An empty secondary of capacity 0. */
    secondary() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit secondary(std::uint32_t capacity, std::uint32_t max_slots = 0) noexcept
    {
        options with;
        with.capacity = capacity;
        with.max_slots = max_slots;
        (void)init(with);
    }
    explicit secondary(const options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the secondary as it is, and makes it anew; fails as hm_secondary_init does. The type id
     * is that of the owners. */
    status init(const options &with) noexcept
    {
        hm_secondary_fini(&own_.c);
        hm_secondary_desc desc{};
        desc.value_size = sizeof(T);
        desc.value_align = alignof(T);
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id;
        desc.memory = with.memory;
        desc.name = with.name;
        desc.destroy = detail::destroy_hook<T>();
        return hm_secondary_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_secondary_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_secondary *c_secondary() noexcept
    {
        return &own_.c;
    }
    const hm_secondary *c_secondary() const noexcept
    {
        return &own_.c;
    }

    /* Makes the value of an owner, by T(args...) or T{args...}, in place of one that it or an
     * earlier owner of its slot has, and returns its address; nullptr when refused. O(1). */
    template <class... Args> T *emplace(handle_type owner, Args &&...args)
    {
        detail::maker<T> made(std::forward<Args>(args)...);
        void *place = hm_secondary_set_as(&own_.c, owner.id(), made.bytes(), sizeof(T));
        if (place != nullptr)
            made.was_taken();
        return static_cast<T *>(place);
    }
    T *set(handle_type owner, const T &value)
    {
        return emplace(owner, value);
    }
    T *set(handle_type owner, T &&value)
    {
        return emplace(owner, std::move(value));
    }
    /* The value that was set for exactly this handle, or nullptr. O(1). */
    T *get(handle_type owner) noexcept
    {
        return static_cast<T *>(hm_secondary_get(&own_.c, owner.id()));
    }
    const T *get(handle_type owner) const noexcept
    {
        return static_cast<const T *>(hm_secondary_get(&own_.c, owner.id()));
    }
    bool contains(handle_type owner) const noexcept
    {
        return hm_secondary_contains(&own_.c, owner.id());
    }
    /* Destroys the value; false when there is none. O(1). */
    bool remove(handle_type owner) noexcept
    {
        return hm_secondary_remove(&own_.c, owner.id());
    }
    /* Removes the values of the owners for which the predicate, of (hm::handle<Owner>), is false;
     * returns their number. */
    template <class Predicate> std::uint32_t purge(Predicate is_alive) noexcept
    {
        return hm_secondary_purge(
            &own_.c,
            [](hm_handle owner, void *context) noexcept -> bool {
                return (*static_cast<Predicate *>(context))(handle_type(owner));
            },
            &is_alive);
    }
    void clear() noexcept
    {
        hm_secondary_clear(&own_.c);
    }
    status trim() noexcept
    {
        return hm_secondary_trim(&own_.c);
    }
    status reserve(std::uint32_t n) noexcept
    {
        return hm_secondary_reserve(&own_.c, n);
    }

    /* The values are one array. */
    T *data() noexcept
    {
        return static_cast<T *>(hm_secondary_values(&own_.c));
    }
    const T *data() const noexcept
    {
        return static_cast<const T *>(hm_secondary_values(&own_.c));
    }
    std::uint32_t size() const noexcept
    {
        return hm_secondary_count(&own_.c);
    }
    bool empty() const noexcept
    {
        return size() == 0;
    }
    std::uint32_t capacity() const noexcept
    {
        return hm_secondary_capacity(&own_.c);
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
    /* Pairs of owner and value. */
    pairs<T> entries() noexcept
    {
        return pairs<T>(&own_.c);
    }
    pairs<const T> entries() const noexcept
    {
        return pairs<const T>(&own_.c);
    }
    handle_type owner_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_secondary_owner_at(&own_.c, index));
    }
    std::uint32_t index_of(handle_type owner) const noexcept
    {
        return hm_secondary_index_of(&own_.c, owner.id());
    }

    /* As those of hm::map, for values. */
    template <class Less> progress defragment(Less less, hm::budget within = {}) noexcept
    {
        detail::by_less<T, Less> by(less);
        return hm_secondary_defragment(&own_.c, &by.order, within);
    }
    template <class Key> progress defragment_by(Key key, hm::budget within = {}) noexcept
    {
        detail::by_key<T, Key> by(key);
        return hm_secondary_defragment(&own_.c, &by.order, within);
    }
    /* The values of n owners come first, in this order: for loops over owners and values. */
    progress arrange(const handle_type *owners, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_secondary_arrange(&own_.c, detail::ids(owners), n, within);
    }
    void touch(handle_type owner) noexcept
    {
        hm_secondary_touch(&own_.c, owner.id());
    }
    void touch_all() noexcept
    {
        hm_secondary_touch_all(&own_.c);
    }

    std::size_t describe(handle_type owner, char *buffer, std::size_t size) const noexcept
    {
        return hm_secondary_describe(&own_.c, owner.id(), buffer, size);
    }
    hm::stats stats() const noexcept
    {
        return hm_secondary_get_stats(&own_.c);
    }
    status validate() const noexcept
    {
        return hm_secondary_validate(&own_.c);
    }
};

} // namespace hm

#endif

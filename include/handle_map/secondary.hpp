/* SPDX-License-Identifier: MIT */
/* secondary, in C++: hm::secondary<Owner, T>, an owner of an hm_secondary: values of type T for
 * handles of type hm::handle<Owner>. What secondary.h says holds here too, and what handle_map.hpp
 * says of all classes.
 *
 * T must be trivially copyable, or say by hm::is_relocatable<T> that it may be moved as bytes. The
 * owners may be entities: hm::secondary<hm::world, glow>. Example:
 *
 *     hm::secondary<sprite, glow> glows(sprites); // takes its type id, index space, capacity
 *     glows.emplace(hero, glow{5});
 *     if (glow *found = glows.get(hero))
 *         found->radius += 1;
 *     for (auto [owner, value] : glows.entries())
 *         draw(sprites.get(owner), value);
 *     glows.remove_if([&](hm::handle<sprite> owner) { return !sprites.contains(owner); });
 */
#ifndef HANDLE_MAP_SECONDARY_HPP
#define HANDLE_MAP_SECONDARY_HPP

#include <handle_map/order.hpp>

namespace hm
{

template <class Owner, class T> class secondary
{
    detail::owned<hm_secondary, hm_secondary_fini> own_;

    struct positions : detail::dense {
        using container = hm_secondary;
        using handle = hm::handle<Owner>;

        static std::uint32_t end(const hm_secondary *values) noexcept
        {
            return hm_secondary_count(values);
        }
        static std::uint32_t count(const hm_secondary *values) noexcept
        {
            return hm_secondary_count(values);
        }
        static hm_handle handle_at(const hm_secondary *values, std::uint32_t i) noexcept
        {
            return values->owners[i]; /* unchecked, as in map.hpp */
        }
        static T *at(const hm_secondary *values, std::uint32_t i) noexcept
        {
            return static_cast<T *>(hm_secondary_values(values)) + i;
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<Owner>;
    using size_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;

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
    /* For the items of this container, which is read now and not kept: with its type id and
     * index space, and its capacity unless the options have one, as in glows(sprites, {1000}).
     * Fails if that container has not been initialised, or if the options have another type id or
     * index space. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    explicit secondary(const Owners &owners, const options &with = {}) noexcept
    {
        (void)init(owners, with);
    }

    /* Ends the secondary as it is, and makes it anew; fails as hm_secondary_init does. The type id
     * is that of the owners. */
    status init(const options &with) noexcept
    {
        return make({}, with);
    }
    /* As the constructor with these arguments. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    status init(const Owners &owners, const options &with = {}) noexcept
    {
        static_assert(std::is_same<typename Owners::handle_type, handle_type>::value,
                      "the handles of this container are not those of the owners");
        return make(owners.as_owners(), with);
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
        if constexpr (std::is_trivially_copyable<T>::value)
            return static_cast<T *>(
                hm_secondary_set_as(&own_.c, owner.id(), std::addressof(value), sizeof(T)));
        else
            return emplace(owner, value);
    }
    T *set(handle_type owner, T &&value)
    {
        if constexpr (std::is_trivially_copyable<T>::value)
            return set(owner, static_cast<const T &>(value));
        else
            return emplace(owner, std::move(value));
    }
    /* The value that was set for exactly this handle, or nullptr. O(1). */
    [[nodiscard]] T *get(handle_type owner) noexcept
    {
        return static_cast<T *>(hm_secondary_get_as(&own_.c, owner.id(), sizeof(T)));
    }
    [[nodiscard]] const T *get(handle_type owner) const noexcept
    {
        return static_cast<const T *>(hm_secondary_get_as(&own_.c, owner.id(), sizeof(T)));
    }
    /* As hm_secondary_set_n; values nullptr: zeroed ones. */
    status set_n(const handle_type *owners, const T *values, std::uint32_t n) noexcept
    {
        detail::require_copyable<T>();
        return hm_secondary_set_n(&own_.c, detail::ids(owners), values, n);
    }
    status set_n(span<const handle_type> owners, const T *values) noexcept
    {
        return set_n(owners.data(), values, detail::count_of(owners.size()));
    }
    /* As hm_secondary_get_n. */
    std::uint32_t get_n(const handle_type *owners, std::uint32_t n, T **values) noexcept
    {
        return hm_secondary_get_n(&own_.c, detail::ids(owners), n,
                                  reinterpret_cast<void **>(values));
    }
    std::uint32_t get_n(span<const handle_type> owners, T **values) noexcept
    {
        return get_n(owners.data(), detail::count_of(owners.size()), values);
    }
    [[nodiscard]] bool contains(handle_type owner) const noexcept
    {
        return hm_secondary_contains(&own_.c, owner.id());
    }
    std::uint32_t contains_n(const handle_type *owners, std::uint32_t n, bool *alive) const noexcept
    {
        return hm_secondary_contains_n(&own_.c, detail::ids(owners), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> owners, bool *alive) const noexcept
    {
        return contains_n(owners.data(), detail::count_of(owners.size()), alive);
    }
    /* Destroys the value; false when there is none. O(1). */
    bool remove(handle_type owner) noexcept
    {
        return hm_secondary_remove_as(&own_.c, owner.id(), sizeof(T));
    }
    bool remove_at(std::uint32_t index) noexcept
    {
        return hm_secondary_remove_at(&own_.c, index);
    }
    std::uint32_t remove_n(const handle_type *owners, std::uint32_t n) noexcept
    {
        return hm_secondary_remove_n(&own_.c, detail::ids(owners), n);
    }
    std::uint32_t remove_n(span<const handle_type> owners) noexcept
    {
        return remove_n(owners.data(), detail::count_of(owners.size()));
    }
    /* Removes the values of the owners for which the predicate, of (hm::handle<Owner>) or of that
     * and (const T &), is true; returns their number. */
    template <class Predicate> std::uint32_t remove_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle owner, const void *value, void *context) noexcept {
            return detail::ask_owner<Predicate>(context, handle_type(owner),
                                                *static_cast<const T *>(value));
        };
        return hm_secondary_remove_if(&own_.c, ask, &doomed);
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

    /* The values are one array. Do not sort it, as with a map: call defragment. */
    [[nodiscard]] T *data() noexcept
    {
        return static_cast<T *>(hm_secondary_values(&own_.c));
    }
    [[nodiscard]] const T *data() const noexcept
    {
        return static_cast<const T *>(hm_secondary_values(&own_.c));
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_secondary_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_secondary_capacity(&own_.c);
    }
    [[nodiscard]] span<T> values() noexcept
    {
        return {data(), size()};
    }
    [[nodiscard]] span<const T> values() const noexcept
    {
        return {data(), size()};
    }
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
    /* Pairs of owner and value. */
    [[nodiscard]] detail::pairs<positions, T> entries() noexcept
    {
        return detail::pairs<positions, T>(&own_.c);
    }
    [[nodiscard]] detail::pairs<positions, const T> entries() const noexcept
    {
        return detail::pairs<positions, const T>(&own_.c);
    }
    [[nodiscard]] handle_type owner_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_secondary_owner_at(&own_.c, index));
    }
    [[nodiscard]] handle_type handle_of(const T *value) const noexcept
    {
        return handle_type(hm_secondary_handle_of(&own_.c, value));
    }
    [[nodiscard]] std::uint32_t index_of(handle_type owner) const noexcept
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
    /* The values of n owners come first, in this order: for loops over owners and values. In all it
     * takes fewer swaps than there are values, but may take nearly as many for one owner. */
    progress arrange(const handle_type *owners, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_secondary_arrange(&own_.c, detail::ids(owners), n, within);
    }
    progress arrange(span<const handle_type> owners, hm::budget within = {}) noexcept
    {
        return arrange(owners.data(), detail::count_of(owners.size()), within);
    }
    void touch(handle_type owner) noexcept
    {
        hm_secondary_touch(&own_.c, owner.id());
    }
    void touch_all() noexcept
    {
        hm_secondary_touch_all(&own_.c);
    }

    /* As those of hm::map, for values. */
    template <class Less>
    [[nodiscard]] const T *lower_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_secondary_lower_bound(&own_.c, &by.order, std::addressof(probe)));
    }
    template <class Less>
    [[nodiscard]] const T *upper_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(hm_secondary_upper_bound(&own_.c, &by.order, std::addressof(probe)));
    }

    [[nodiscard]] handle_state explain(handle_type owner) const noexcept
    {
        return hm_secondary_explain(&own_.c, owner.id());
    }
    std::size_t describe(handle_type owner, char *buffer, std::size_t size) const noexcept
    {
        return hm_secondary_describe(&own_.c, owner.id(), buffer, size);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_secondary_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_secondary_validate(&own_.c);
    }

  private:
    status make(const hm_owners &owners, const options &with) noexcept
    {
        detail::require_relocatable<T>();
        hm_secondary_fini(&own_.c);
        hm_secondary_desc desc{};
        desc.owners = owners;
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
    const T *found(std::uint32_t index) const noexcept
    {
        return index == HM_INVALID_INDEX ? nullptr : data() + index;
    }
};

template <class Owner, class T> struct is_relocatable<secondary<Owner, T>> : std::true_type {
};

} // namespace hm

#endif

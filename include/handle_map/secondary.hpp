/* SPDX-License-Identifier: MIT */
/* secondary, in C++: hm::secondary<Owner, T>, an owner of an hm_secondary: values of type T for
 * handles of type hm::handle<Owner>. What secondary.h says holds here too, and what handle_map.hpp
 * and container.hpp say of all classes.
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

#include <handle_map/container.hpp>

namespace hm
{
namespace detail
{

template <class Owner, class T>
struct secondary_shape
    : shape_of<hm_secondary, hm_secondary_desc, hm::options, hm::handle<Owner>, T>,
      dense<hm_secondary> {
    using value = T;
    static void complete(hm_secondary_desc &desc, const hm::options &) noexcept
    {
        require_relocatable<T>();
        desc.value_size = sizeof(T);
        desc.value_align = alignof(T);
        desc.destroy = destroy_hook<T>();
    }
    static hm_handle handle_at(const hm_secondary *values, std::uint32_t i) noexcept
    {
        return values->owners[i]; /* unchecked, as in map.hpp */
    }
    static void *values(const hm_secondary *values) noexcept
    {
        return hm_secondary_values(values);
    }
    static T *at(const hm_secondary *values, std::uint32_t i) noexcept
    {
        return static_cast<T *>(hm_secondary_values(values)) + i;
    }
};

template <class Shape> using secondary_base = packed<orderly<holder<companion<container<Shape>>>>>;

} // namespace detail

/* The rest of what it has is told in container.hpp. */
template <class Owner, class T>
class secondary : public detail::secondary_base<detail::secondary_shape<Owner, T>>
{
  public:
    using relocatable = secondary;
    using handle_type = hm::handle<Owner>;
    using detail::secondary_base<detail::secondary_shape<Owner, T>>::secondary_base;

    /* Makes the value of an owner, by T(args...) or T{args...}, in place of one that it or an
     * earlier owner of its slot has, and returns its address; nullptr when refused. O(1). */
    template <class... Args> T *emplace(handle_type owner, Args &&...args)
    {
        detail::maker<T> made(std::forward<Args>(args)...);
        void *place = hm_secondary_set_sized(this->c(), owner.id(), made.bytes(), sizeof(T));
        if (place != nullptr)
            made.was_taken(place);
        return static_cast<T *>(place);
    }
    T *set(handle_type owner, const T &value)
    {
        if constexpr (std::is_trivially_copyable<T>::value)
            return static_cast<T *>(
                hm_secondary_set_sized(this->c(), owner.id(), std::addressof(value), sizeof(T)));
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
    /* As hm_secondary_set_n; values nullptr: zeroed ones. */
    status set_n(const handle_type *owners, const T *values, std::uint32_t n) noexcept
    {
        detail::require_copyable<T>();
        return hm_secondary_set_n(this->c(), detail::ids(owners), values, n);
    }
    status set_n(span<const handle_type> owners, const T *values) noexcept
    {
        return set_n(owners.data(), values, detail::count_of(owners.size()));
    }
    /* Destroys the value; false when there is none. O(1). */
    bool remove(handle_type owner) noexcept
    {
        return hm_secondary_remove_sized(this->c(), owner.id(), sizeof(T));
    }
    bool remove_at(std::uint32_t index) noexcept
    {
        return hm_secondary_remove_at(this->c(), index);
    }
    /* Removes the values of the owners for which the predicate, of (hm::handle<Owner>) or of that
     * and (const T &), is true; returns their number. */
    template <class Predicate> std::uint32_t remove_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle owner, const void *value, void *context) noexcept {
            return detail::ask_owner<Predicate>(context, handle_type(owner),
                                                *static_cast<const T *>(value));
        };
        return hm_secondary_remove_if(this->c(), ask, &doomed);
    }
    [[nodiscard]] handle_type owner_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_secondary_owner_at(this->c(), index));
    }
};

} // namespace hm

#endif

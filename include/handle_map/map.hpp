/* SPDX-License-Identifier: MIT */
/* map, in C++: hm::map<T, TypeId = 0>, an owner of an hm_map. What map.h says holds here too, and
 * what handle_map.hpp and container.hpp say of all classes.
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

#include <handle_map/container.hpp>

namespace hm
{
namespace detail
{

template <class T, std::uint16_t TypeId>
struct map_shape : shape_of<hm_map, hm_map_desc, hm::options, hm::handle<T>, T, TypeId>,
                   dense<hm_map> {
    using value = T;
    static constexpr bool constructs_in_place = false;
    static void complete(hm_map_desc &desc, const hm::options &with) noexcept
    {
        require_relocatable<T>();
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.destroy = destroy_hook<T>();
        desc.generation_bits = with.generation_bits;
    }
    /* A place for an item whose handle is issued; nullptr, and none is, if that needs memory. */
    static void *open(hm_map *map, hm_handle *issued) noexcept
    {
        const std::uint32_t index = map->ids.count;
        *issued = hm_map_issue(map);
        return hm_handle_is_null(*issued) ? nullptr : hm_map_open_sized(map, index, sizeof(T));
    }
    /* As hm_map_handle_at without its check, which compilers cannot take out of a loop that
     * ends at `!=`. If the loop erases, positions after the last item have stale handles. */
    static hm_handle handle_at(const hm_map *map, std::uint32_t i) noexcept
    {
        const std::uint32_t slot = map->ids.slots[i];
        return {(map->ids.entries[slot].bits & ~std::uint64_t{UINT32_MAX}) | slot};
    }
    static void *values(const hm_map *map) noexcept
    {
        return hm_map_items(map);
    }
    static T *at(const hm_map *map, std::uint32_t i) noexcept
    {
        return static_cast<T *>(hm_map_items(map)) + i;
    }
};

template <class Shape>
using map_base = packed<orderly<inserter<eraser<holder<issuer<container<Shape>>>>>>>;

} // namespace detail

/* All that it has is told in container.hpp. */
template <class T, std::uint16_t TypeId = 0>
class map : public detail::map_base<detail::map_shape<T, TypeId>>
{
  public:
    using relocatable = map;
    using detail::map_base<detail::map_shape<T, TypeId>>::map_base;
};

} // namespace hm

#endif

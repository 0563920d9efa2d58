/* SPDX-License-Identifier: MIT */
/* lists, in C++: hm::lists<T, TypeId = 0>, an owner of an hm_lists: many small arrays of T, each
 * named by an hm::handle<hm::list<T>>. What lists.h says holds here too, and what handle_map.hpp
 * and container.hpp say of all classes.
 *
 * T must be trivially copyable, or a std::pair or std::tuple of such types: items are copied as
 * bytes, and no destructor runs. A constructor of T may use the lists. Example:
 *
 *     hm::lists<contact> contacts(100000);
 *     hm::handle<hm::list<contact>> of_wall = contacts.create();
 *     contacts.emplace(of_wall, contact{1.5f});
 *     for (contact &each : contacts.items(of_wall))
 *         each.depth *= 2;
 *     contacts.erase_if(of_wall, [&](const contact &each) { return each.depth < limit; });
 *     for (auto [list, items] : contacts.entries())
 *         resolve(list, items);
 *
 * Nothing names an item of a list, so std::sort and its like may be used on items(list). */
#ifndef HANDLE_MAP_LISTS_HPP
#define HANDLE_MAP_LISTS_HPP

#include <handle_map/container.hpp>

namespace hm
{

/* What a handle of hm::lists<T> names. An item can hold such handles, also of its own kind. */
template <class T> struct list;

/* As hm::options, for lists. */
struct lists_options {
    std::uint32_t capacity = 0;        /* lists, at most */
    std::uint64_t max_items = 0;       /* in all lists together */
    std::uint32_t max_slots = 0;       /* index space in slots */
    std::uint16_t type_id = 0;         /* 0: that of the class */
    const hm_memory *memory = nullptr; /* must outlive the lists */
    const char *name = nullptr;        /* in messages; must outlive the lists */
    std::uint16_t generation_bits = 0; /* 2 to 16; 0: 16 */
};

/* What a loop over entries() sees: a list that has items, and these. */
template <class T> struct list_entry {
    hm::handle<hm::list<std::remove_const_t<T>>> handle;
    span<T> items;
};

namespace detail
{

template <class T, std::uint16_t TypeId>
struct lists_shape
    : shape_of<hm_lists, hm_lists_desc, lists_options, hm::handle<hm::list<T>>, T, TypeId> {
    static void complete(hm_lists_desc &desc, const lists_options &with) noexcept
    {
        require_plain<T>();
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.max_items = with.max_items;
        desc.generation_bits = with.generation_bits;
    }
};

template <class Value> struct list_walk {
    using c_type = hm_lists;
    using view = hm_lists_view;
    using value_type = list_entry<Value>;

    static bool next(const hm_lists *lists, hm_lists_view *at) noexcept
    {
        return hm_lists_next_sized(&lists->blocks, at, sizeof(Value));
    }
    static value_type value(const hm_lists_view &at) noexcept
    {
        return {decltype(value_type::handle)(at.list), {static_cast<Value *>(at.items), at.count}};
    }
};

} // namespace detail

/* The rest of what they have is told in container.hpp; size() is the number of lists, empty ones
 * included, and reserve is for lists. */
template <class T, std::uint16_t TypeId = 0>
class lists : public destroyer<issuer<container<detail::lists_shape<T, TypeId>>>>
{
  public:
    using relocatable = lists;
    using value_type = T;
    using handle_type = hm::handle<hm::list<T>>;
    using destroyer<issuer<container<detail::lists_shape<T, TypeId>>>>::destroyer;

    /* Makes an empty list and returns its handle; null when refused. O(1), amortised. */
    [[nodiscard]] handle_type create() noexcept
    {
        return handle_type(hm_lists_create(this->c()));
    }
    /* As hm_lists_create_n: all or none; `handles` nullptr: not reported. */
    status create_n(std::uint32_t n, handle_type *handles = nullptr) noexcept
    {
        return hm_lists_create_n(this->c(), n, detail::ids(handles));
    }
    /* Destroys the lists for which the predicate, of (handle_type, hm::span<const T>), is true;
     * returns their number. */
    template <class Predicate> std::uint32_t destroy_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle list, const void *items, std::uint32_t count,
                            void *context) noexcept -> bool {
            return detail::ask<Predicate>(context, handle_type(list),
                                          span<const T>(static_cast<const T *>(items), count));
        };
        return hm_lists_destroy_if(this->c(), ask, &doomed);
    }
    /* Makes an item at the end of a list, by T(args...) or T{args...}, and returns its
     * address; nullptr when refused. The arguments may be items of these lists. O(1), amortised. */
    template <class... Args> T *emplace(handle_type list, Args &&...args)
    {
        const detail::maker<T> made(std::forward<Args>(args)...);
        return static_cast<T *>(hm_lists_push_sized(this->c(), list.id(), made.bytes(), sizeof(T)));
    }
    T *push(handle_type list, const T &item)
    {
        return emplace(list, item);
    }
    /* As hm_lists_push_n: all or none. `items` nullptr: zeroed ones; they may be of these lists.
     */
    status push_n(handle_type list, const T *items, std::uint32_t n) noexcept
    {
        return hm_lists_push_n(this->c(), list.id(), items, n);
    }
    status push_n(handle_type list, span<const T> items) noexcept
    {
        return push_n(list, items.data(), detail::count_of(items.size()));
    }
    /* Puts an item before the one at `index`, or after the last, and returns its address; nullptr
     * when refused. O(items after it), amortised. */
    T *insert_at(handle_type list, std::uint32_t index, const T &item)
    {
        const detail::maker<T> made(item);
        return static_cast<T *>(hm_lists_insert_at(this->c(), list.id(), index, made.bytes()));
    }
    /* Drops the last items, or adds zeroed ones. See hm_lists_resize. */
    status resize(handle_type list, std::uint32_t count) noexcept
    {
        return hm_lists_resize(this->c(), list.id(), count);
    }
    /* Erases an item; the last one moves into the hole. False if there is none. O(1). */
    bool erase_at(handle_type list, std::uint32_t index) noexcept
    {
        return hm_lists_erase_at_sized(this->c(), list.id(), index, sizeof(T));
    }
    /* The same, but the others keep their order. O(items after it). */
    bool erase_ordered_at(handle_type list, std::uint32_t index) noexcept
    {
        return hm_lists_erase_ordered_at(this->c(), list.id(), index);
    }
    /* Erases the items of a list for which the predicate, of (const T &), is true; the others keep
     * their order. Returns how many it has erased. */
    template <class Predicate> std::uint32_t erase_if(handle_type list, Predicate doomed) noexcept
    {
        return hm_lists_erase_if(this->c(), list.id(), &detail::ask_item<T, Predicate>, &doomed);
    }

    /* The items of a list: one array, until that list changes or lists are defragmented. Empty if
     * the handle does not resolve. O(1). */
    [[nodiscard]] span<T> items(handle_type list) noexcept
    {
        std::uint32_t count;
        auto *found = static_cast<T *>(hm_lists_items(this->c(), list.id(), &count));
        return {found, count};
    }
    [[nodiscard]] span<const T> items(handle_type list) const noexcept
    {
        std::uint32_t count;
        auto *found = static_cast<const T *>(hm_lists_items(this->c(), list.id(), &count));
        return {found, count};
    }
    /* The number of items of a list; 0 also if the handle does not resolve. */
    [[nodiscard]] std::uint32_t count_of(handle_type list) const noexcept
    {
        return hm_lists_count_of(this->c(), list.id());
    }
    /* A loop over the lists that have items, in the order of their memory. No list may be changed
     * until it has ended; items may be written. */
    [[nodiscard]] detail::walked<detail::list_walk<T>> entries() noexcept
    {
        return detail::walked<detail::list_walk<T>>(this->c());
    }
    [[nodiscard]] detail::walked<detail::list_walk<const T>> entries() const noexcept
    {
        return detail::walked<detail::list_walk<const T>>(this->c());
    }
    /* Items in all lists. */
    [[nodiscard]] std::uint64_t item_count() const noexcept
    {
        return hm_lists_item_count(this->c());
    }

    /* Closes the gaps between the lists, within the budget. See hm_lists_defragment. */
    progress defragment(budget_argument within = {}) noexcept
    {
        return hm_lists_defragment(this->c(), within);
    }
};

} // namespace hm

#endif

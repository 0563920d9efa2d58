/* SPDX-License-Identifier: MIT */
/* lists, in C++: hm::lists<T, TypeId = 0>, an owner of an hm_lists: many small arrays of T, each
 * named by an hm::handle<hm::list<T>>. What lists.h says holds here too, and what handle_map.hpp
 * says of all classes.
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

#include <handle_map/detail/container.hpp>

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
};

/* What a loop over entries() sees: a list that has items, and these. */
template <class T> struct list_entry {
    hm::handle<hm::list<std::remove_const_t<T>>> handle;
    span<T> items;
};

template <class T, std::uint16_t TypeId = 0> class lists
{
    detail::owned<hm_lists, hm_lists_fini> own_;

    template <class Value> struct walk {
        using container = hm_lists;
        using view = hm_lists_view;
        using value_type = list_entry<Value>;

        static bool next(const hm_lists *lists, hm_lists_view *at) noexcept
        {
            return hm_lists_next_as(lists, at, sizeof(T));
        }
        static value_type value(const hm_lists_view &at) noexcept
        {
            return {handle_type(at.list), {static_cast<Value *>(at.items), at.count}};
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<hm::list<T>>;
    using size_type = std::uint32_t;

    /* Lists of capacity 0. */
    lists() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit lists(std::uint32_t capacity) noexcept
    {
        lists_options with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit lists(const lists_options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the lists as they are, and makes them anew; fails as hm_lists_init does. */
    status init(const lists_options &with) noexcept
    {
        detail::require_plain<T>();
        hm_lists_fini(&own_.c);
        hm_lists_desc desc{};
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.max_items = with.max_items;
        desc.type_id = detail::type_id_or<TypeId>(with.type_id);
        desc.memory = with.memory;
        desc.name = with.name;
        return hm_lists_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_lists_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_lists *c_lists() noexcept
    {
        return &own_.c;
    }
    const hm_lists *c_lists() const noexcept
    {
        return &own_.c;
    }

    /* Makes an empty list and returns its handle; null when refused. O(1), amortised. */
    [[nodiscard]] handle_type create() noexcept
    {
        return handle_type(hm_lists_create(&own_.c));
    }
    /* As hm_lists_create_n: all or none; `handles` nullptr: not reported. */
    status create_n(std::uint32_t n, handle_type *handles) noexcept
    {
        return hm_lists_create_n(&own_.c, n, detail::ids(handles));
    }
    /* Destroys a list and its items; false when the handle does not resolve. O(1). */
    bool destroy(handle_type list) noexcept
    {
        return hm_lists_destroy(&own_.c, list.id());
    }
    std::uint32_t destroy_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_lists_destroy_n(&own_.c, detail::ids(handles), n);
    }
    std::uint32_t destroy_n(span<const handle_type> handles) noexcept
    {
        return destroy_n(handles.data(), detail::count_of(handles.size()));
    }
    /* Destroys the lists for which the predicate, of (handle_type, hm::span<const T>), is true;
     * returns their number. */
    template <class Predicate> std::uint32_t destroy_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle list, const void *items, std::uint32_t count,
                            void *context) noexcept -> bool {
            return (*static_cast<Predicate *>(context))(
                handle_type(list), span<const T>(static_cast<const T *>(items), count));
        };
        return hm_lists_destroy_if(&own_.c, ask, &doomed);
    }
    /* Makes the next n creates succeed; n is additional. */
    status reserve(std::uint32_t n) noexcept
    {
        return hm_lists_reserve(&own_.c, n);
    }
    /* The handle that the (k + 1)-th create from now will return. See hm_lists_upcoming. */
    [[nodiscard]] handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(hm_lists_upcoming(&own_.c, k));
    }
    /* Destroys all lists. */
    void clear() noexcept
    {
        hm_lists_clear(&own_.c);
    }

    /* Makes an item behind the others of a list, by T(args...) or T{args...}, and returns its
     * address; nullptr when refused. The arguments may be items of these lists. O(1), amortised. */
    template <class... Args> T *emplace(handle_type list, Args &&...args)
    {
        const detail::maker<T> made(std::forward<Args>(args)...);
        return static_cast<T *>(hm_lists_push_as(&own_.c, list.id(), made.bytes(), sizeof(T)));
    }
    T *push(handle_type list, const T &item)
    {
        return emplace(list, item);
    }
    /* As hm_lists_push_n: all or none. `items` nullptr: zeroed ones; they must not be of these
     * lists. */
    status push_n(handle_type list, const T *items, std::uint32_t n) noexcept
    {
        return hm_lists_push_n(&own_.c, list.id(), items, n);
    }
    status push_n(handle_type list, span<const T> items) noexcept
    {
        return push_n(list, items.data(), detail::count_of(items.size()));
    }
    /* Puts an item before the one at `index`, or behind the last, and returns its address; nullptr
     * when refused. O(items behind it), amortised. */
    T *insert_at(handle_type list, std::uint32_t index, const T &item)
    {
        const detail::maker<T> made(item);
        return static_cast<T *>(hm_lists_insert_at(&own_.c, list.id(), index, made.bytes()));
    }
    /* Drops the last items, or adds zeroed ones. See hm_lists_resize. */
    status resize(handle_type list, std::uint32_t count) noexcept
    {
        return hm_lists_resize(&own_.c, list.id(), count);
    }
    /* Erases an item; the last one moves into the hole. False if there is none. O(1). */
    bool erase_at(handle_type list, std::uint32_t index) noexcept
    {
        return hm_lists_erase_at_as(&own_.c, list.id(), index, sizeof(T));
    }
    /* The same, but the others keep their order. O(items behind it). */
    bool erase_ordered_at(handle_type list, std::uint32_t index) noexcept
    {
        return hm_lists_erase_ordered_at(&own_.c, list.id(), index);
    }
    /* Erases the items of a list for which the predicate, of (const T &), is true; the others keep
     * their order. Returns how many it has erased. */
    template <class Predicate> std::uint32_t erase_if(handle_type list, Predicate doomed) noexcept
    {
        return hm_lists_erase_if(&own_.c, list.id(), &detail::ask<T, Predicate>, &doomed);
    }

    /* The items of a list: one array, until that list changes or lists are defragmented. Empty if
     * the handle does not resolve. O(1). */
    [[nodiscard]] span<T> items(handle_type list) noexcept
    {
        std::uint32_t count;
        auto *found = static_cast<T *>(hm_lists_items(&own_.c, list.id(), &count));
        return {found, count};
    }
    [[nodiscard]] span<const T> items(handle_type list) const noexcept
    {
        std::uint32_t count;
        auto *found = static_cast<const T *>(hm_lists_items(&own_.c, list.id(), &count));
        return {found, count};
    }
    /* A loop over the lists that have items, in the order of their memory. No list may be changed
     * until it has ended; items may be written. */
    [[nodiscard]] detail::walked<walk<T>> entries() noexcept
    {
        return detail::walked<walk<T>>(&own_.c);
    }
    [[nodiscard]] detail::walked<walk<const T>> entries() const noexcept
    {
        return detail::walked<walk<const T>>(&own_.c);
    }
    [[nodiscard]] bool contains(handle_type list) const noexcept
    {
        return hm_lists_contains(&own_.c, list.id());
    }
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return hm_lists_contains_n(&own_.c, detail::ids(handles), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> handles, bool *alive) const noexcept
    {
        return contains_n(handles.data(), detail::count_of(handles.size()), alive);
    }
    /* The list at a position below size(); the positions name empty lists too. */
    [[nodiscard]] handle_type handle_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_lists_handle_at(&own_.c, index));
    }

    /* Lists, empty ones included. */
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_lists_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_lists_capacity(&own_.c);
    }
    /* Items in all lists. */
    [[nodiscard]] std::uint64_t item_count() const noexcept
    {
        return hm_lists_item_count(&own_.c);
    }

    /* Closes the gaps between the lists, within the budget. See hm_lists_defragment. */
    progress defragment(hm::budget within = {}) noexcept
    {
        return hm_lists_defragment(&own_.c, within);
    }
    status trim() noexcept
    {
        return hm_lists_trim(&own_.c);
    }

    [[nodiscard]] handle_state explain(handle_type list) const noexcept
    {
        return hm_lists_explain(&own_.c, list.id());
    }
    std::size_t describe(handle_type list, char *buffer, std::size_t size) const noexcept
    {
        return hm_lists_describe(&own_.c, list.id(), buffer, size);
    }
    /* The type id of the handles. */
    [[nodiscard]] std::uint16_t type_id() const noexcept
    {
        return static_cast<std::uint16_t>(own_.c.ids.type_id);
    }
    /* For an hm_secondary or an hm_index of C. */
    [[nodiscard]] hm_owners as_owners() const noexcept
    {
        return hm_lists_as_owners(&own_.c);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_lists_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_lists_validate(&own_.c);
    }
};

template <class T, std::uint16_t TypeId> struct is_relocatable<lists<T, TypeId>> : std::true_type {
};

} // namespace hm

#endif

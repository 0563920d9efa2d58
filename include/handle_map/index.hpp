/* SPDX-License-Identifier: MIT */
/* index, in C++: hm::index<Owner, Key>, an owner of an hm_index: which handles of type
 * hm::handle<Owner> have which key. What index.h says holds here too, and what handle_map.hpp and
 * container.hpp say of all classes.
 *
 * The owners may be entities: hm::index<hm::world, team> teams(world). Example:
 *
 *     struct cell {
 *         std::int32_t x, y;
 *     };
 *     hm::index<body, cell> cells(bodies); // takes its type id, index space, capacity
 *     cells.set(ball, cell{3, 4});
 *     for (hm::handle<body> each : cells.members(cell{3, 4}))
 *         collide(bodies.get(each));
 *     for (auto [key, members] : cells.entries())
 *         draw(key, members.size());
 *     cells.remove_if([&](hm::handle<body> owner) { return !bodies.contains(owner); });
 */
#ifndef HANDLE_MAP_INDEX_HPP
#define HANDLE_MAP_INDEX_HPP

#include <handle_map/container.hpp>

#include <cstring>
#include <optional>

namespace hm
{

/* As hm::options, for an index. */
struct index_options {
    std::uint32_t capacity = 0;        /* owners, at most */
    std::uint32_t max_slots = 0;       /* of the owners' container */
    std::uint16_t type_id = 0;         /* of the owners */
    std::uint32_t key_limit = 0;       /* keys are below it; 0: any key, hashed */
    std::uint64_t seed = 0;            /* of the hash; 0: a random one */
    const hm_memory *memory = nullptr; /* must outlive the index */
    const char *name = nullptr;        /* in messages; must outlive the index */
};

/* What a loop over entries() sees: a key that has members, and these. */
template <class Owner, class Key> struct index_entry {
    Key key;
    span<const hm::handle<Owner>> members;
};

namespace detail
{

/* A key as the number that the C library takes, and back. */
template <class Key> std::uint64_t number_of_key(const Key &key) noexcept
{
    if constexpr (std::is_integral<Key>::value || std::is_enum<Key>::value) {
        return static_cast<std::uint64_t>(key);
    } else {
        std::uint64_t number = 0;
        std::memcpy(&number, &key, sizeof key);
        return number;
    }
}

template <class Key> Key key_of_number(std::uint64_t number) noexcept
{
    if constexpr (std::is_integral<Key>::value || std::is_enum<Key>::value) {
        return static_cast<Key>(number);
    } else {
        alignas(Key) unsigned char bytes[sizeof(Key)]; /* Key may have no default constructor. */
        std::memcpy(bytes, &number, sizeof bytes);
        return *std::launder(reinterpret_cast<Key *>(bytes));
    }
}

template <class Owner, class Key>
struct index_shape : shape_of<hm_index, hm_index_desc, index_options, hm::handle<Owner>, Key> {
    using saved_item = void;
    static void complete(hm_index_desc &desc, const index_options &with) noexcept
    {
        desc.key_limit = with.key_limit;
        desc.seed = with.seed;
    }
};

template <class Owner, class Key> struct index_walk {
    using c_type = hm_index;
    using view = hm_index_view;
    using value_type = index_entry<Owner, Key>;

    static bool next(const hm_index *index, hm_index_view *at) noexcept
    {
        return hm_index_next(index, at);
    }
    static value_type value(const hm_index_view &at) noexcept
    {
        return {key_of_number<Key>(at.key),
                {reinterpret_cast<const hm::handle<Owner> *>(at.members), at.count}};
    }
};

} // namespace detail

/* A key is an integer, an enum, an hm::handle, or a struct of at most 8 bytes without padding and
 * floating-point numbers, such as two coordinates. Keys are equal if their bytes are. They are
 * hashed, unless the options have a key_limit: then they are integers or enums below it, each of
 * which takes 4 bytes, and no hash is computed. Example:
 *
 *     hm::index_options with;
 *     with.key_limit = ROWS * COLUMNS;
 *     hm::index<body, int> grid(bodies, with);
 *
 * The rest of what it has is told in container.hpp; size() is the number of owners with a key. */
template <class Owner, class Key = std::uint64_t>
class index : public companion<container<detail::index_shape<Owner, Key>>>
{
    static_assert(std::is_trivially_copyable<Key>::value && sizeof(Key) <= 8 &&
                      std::has_unique_object_representations<Key>::value,
                  "a key is an integer, an enum, an hm::handle, or a struct of at most 8 bytes "
                  "without padding and floating-point numbers");

  public:
    using relocatable = index;
    using key_type = Key;
    using handle_type = hm::handle<Owner>;
    using companion<container<detail::index_shape<Owner, Key>>>::companion;

    /* Gives an owner a key, instead of the one that it has. See hm_index_set. */
    status set(handle_type owner, Key key) noexcept
    {
        return hm_index_set(this->c(), owner.id(), detail::number_of_key(key));
    }
    /* The same for owners[i] and keys[i], one after the other: all or none, and if one would be
     * refused, nothing has changed. Allocates nothing for the keys, whatever their type. See
     * hm_index_set_n. */
    status set_n(const handle_type *owners, const Key *keys, std::uint32_t n) noexcept
    {
        if constexpr (std::is_same<Key, std::uint64_t>::value)
            return hm_index_set_n(this->c(), detail::ids(owners), keys, n);
        else
            return hm_index_set_n_by(this->c(), detail::ids(owners), &read_keys, keys, n);
    }
    status set_n(span<const handle_type> owners, const Key *keys) noexcept
    {
        return set_n(owners.data(), keys, detail::count_of(owners.size()));
    }
    /* Takes an owner away from its key; false if it has none. O(1). */
    bool remove(handle_type owner) noexcept
    {
        return hm_index_remove(this->c(), owner.id());
    }
    /* Takes all members away from a key; returns their number. */
    std::uint32_t remove_key(Key key) noexcept
    {
        return hm_index_remove_key(this->c(), detail::number_of_key(key));
    }
    /* Removes the owners for which the predicate, of (hm::handle<Owner>) or of that and (Key), is
     * true; returns their number. */
    template <class Predicate> std::uint32_t remove_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle owner, std::uint64_t key, void *context) noexcept {
            return detail::ask_owner<Predicate>(context, handle_type(owner),
                                                detail::key_of_number<Key>(key));
        };
        return hm_index_remove_if(this->c(), ask, &doomed);
    }
    /* The members of a key: one array, until the index changes. Empty if there are none. O(1), for
     * hashed keys on average. A loop that changes the index asks again each time. */
    [[nodiscard]] span<const handle_type> members(Key key) const noexcept
    {
        std::uint32_t count;
        const hm_handle *found = hm_index_members(this->c(), detail::number_of_key(key), &count);
        return {reinterpret_cast<const handle_type *>(found), count};
    }
    /* The key of exactly this owner, if it has one. O(1). */
    [[nodiscard]] std::optional<Key> key_of(handle_type owner) const noexcept
    {
        std::uint64_t key;
        if (!hm_index_key_of(this->c(), owner.id(), &key))
            return std::nullopt;
        return detail::key_of_number<Key>(key);
    }
    /* As hm_index_key_of_n: the keys of owners without one stay as they are. */
    std::uint32_t key_of_n(const handle_type *owners, std::uint32_t n, Key *keys) const noexcept
    {
        constexpr std::uint32_t most = 64;
        std::uint64_t numbers[most];
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < n; i += most) {
            const std::uint32_t end = n - i < most ? n - i : most;
            for (std::uint32_t k = 0; k < end; k++)
                numbers[k] = detail::number_of_key(keys[i + k]);
            found += hm_index_key_of_n(this->c(), detail::ids(owners + i), end, numbers);
            for (std::uint32_t k = 0; k < end; k++)
                keys[i + k] = detail::key_of_number<Key>(numbers[k]);
        }
        return found;
    }
    std::uint32_t key_of_n(span<const handle_type> owners, Key *keys) const noexcept
    {
        return key_of_n(owners.data(), detail::count_of(owners.size()), keys);
    }
    /* A loop over the keys that have members, in the order of their memory. The index must not be
     * changed until it has ended. */
    [[nodiscard]] detail::walked<detail::index_walk<Owner, Key>> entries() const noexcept
    {
        return detail::walked<detail::index_walk<Owner, Key>>(this->c());
    }

    /* Keys that have members. */
    [[nodiscard]] std::uint32_t key_count() const noexcept
    {
        return hm_index_key_count(this->c());
    }
    /* Closes the gaps between the arrays of members, within the budget. */
    progress defragment(budget_argument within = {}) noexcept
    {
        return hm_index_defragment(this->c(), within);
    }

  private:
    static void read_keys(const void *keys, std::uint32_t first, std::uint32_t n,
                          std::uint64_t *numbers) noexcept
    {
        const Key *from = static_cast<const Key *>(keys) + first;
        for (std::uint32_t i = 0; i < n; i++)
            numbers[i] = detail::number_of_key(from[i]);
    }
};

} // namespace hm

#endif

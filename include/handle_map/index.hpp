/* SPDX-License-Identifier: MIT */
/* index, in C++: hm::index<Owner, Key>, an owner of an hm_index: which handles of type
 * hm::handle<Owner> have which key. What index.h says holds here too, and what handle_map.hpp says
 * of all classes.
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

#include <handle_map/detail/container.hpp>

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

} // namespace detail

/* A key is an integer, an enum, an hm::handle, or a struct of at most 8 bytes without padding and
 * floating-point numbers, such as two coordinates. Keys are equal if their bytes are. They are
 * hashed, unless the options have a key_limit: then they are integers or enums below it, each of
 * which takes 4 bytes, and no hash is computed. Example:
 *
 *     hm::index_options with;
 *     with.key_limit = ROWS * COLUMNS;
 *     hm::index<body, int> grid(bodies, with);
 */
template <class Owner, class Key = std::uint64_t> class index
{
    static_assert(std::is_trivially_copyable<Key>::value && sizeof(Key) <= 8 &&
                      std::has_unique_object_representations<Key>::value,
                  "a key is an integer, an enum, an hm::handle, or a struct of at most 8 bytes "
                  "without padding and floating-point numbers");
    detail::owned<hm_index, hm_index_fini> own_;

    struct walk {
        using container = hm_index;
        using view = hm_index_view;
        using value_type = index_entry<Owner, Key>;

        static bool next(const hm_index *index, hm_index_view *at) noexcept
        {
            return hm_index_next(index, at);
        }
        static value_type value(const hm_index_view &at) noexcept
        {
            return {detail::key_of_number<Key>(at.key), as_span(at.members, at.count)};
        }
    };

  public:
    using key_type = Key;
    using handle_type = hm::handle<Owner>;
    using size_type = std::uint32_t;

    /* An empty index of capacity 0. */
    index() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit index(std::uint32_t capacity, std::uint32_t max_slots = 0) noexcept
    {
        index_options with;
        with.capacity = capacity;
        with.max_slots = max_slots;
        (void)init(with);
    }
    explicit index(const index_options &with) noexcept
    {
        (void)init(with);
    }
    /* For the items of this container, which is read now and not kept: with its type id and
     * index space, and its capacity unless the options have one. Fails if that container has not
     * been initialised, or if the options have another type id or index space. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    explicit index(const Owners &owners, const index_options &with = {}) noexcept
    {
        (void)init(owners, with);
    }

    /* Ends the index as it is, and makes it anew; fails as hm_index_init does. The type id is that
     * of the owners. */
    status init(const index_options &with) noexcept
    {
        return make({}, with);
    }
    /* As the constructor with these arguments. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    status init(const Owners &owners, const index_options &with = {}) noexcept
    {
        static_assert(std::is_same<typename Owners::handle_type, handle_type>::value,
                      "the handles of this container are not those of the owners");
        return make(owners.as_owners(), with);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_index_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_index *c_index() noexcept
    {
        return &own_.c;
    }
    const hm_index *c_index() const noexcept
    {
        return &own_.c;
    }

    /* Gives an owner a key, instead of the one that it has. See hm_index_set. */
    status set(handle_type owner, Key key) noexcept
    {
        return hm_index_set(&own_.c, owner.id(), detail::number_of_key(key));
    }
    /* The same for owners[i] and keys[i], one after the other: all or none, and if one would be
     * refused, nothing has changed. Allocates nothing for the keys, whatever their type. See
     * hm_index_set_n. */
    status set_n(const handle_type *owners, const Key *keys, std::uint32_t n) noexcept
    {
        if constexpr (std::is_same<Key, std::uint64_t>::value)
            return hm_index_set_n(&own_.c, detail::ids(owners), keys, n);
        else
            return hm_index_set_n_by(&own_.c, detail::ids(owners), &read_keys, keys, n);
    }
    status set_n(span<const handle_type> owners, const Key *keys) noexcept
    {
        return set_n(owners.data(), keys, detail::count_of(owners.size()));
    }
    /* Takes an owner away from its key; false if it has none. O(1). */
    bool remove(handle_type owner) noexcept
    {
        return hm_index_remove(&own_.c, owner.id());
    }
    /* As hm_index_remove_n. The handles must not be members(key) of this index: see remove_key. */
    std::uint32_t remove_n(const handle_type *owners, std::uint32_t n) noexcept
    {
        return hm_index_remove_n(&own_.c, detail::ids(owners), n);
    }
    std::uint32_t remove_n(span<const handle_type> owners) noexcept
    {
        return remove_n(owners.data(), detail::count_of(owners.size()));
    }
    /* Takes all members away from a key; returns their number. */
    std::uint32_t remove_key(Key key) noexcept
    {
        return hm_index_remove_key(&own_.c, detail::number_of_key(key));
    }
    /* Removes the owners for which the predicate, of (hm::handle<Owner>) or of that and (Key), is
     * true; returns their number. */
    template <class Predicate> std::uint32_t remove_if(Predicate doomed) noexcept
    {
        const auto ask = [](hm_handle owner, std::uint64_t key, void *context) noexcept {
            return detail::ask_owner<Predicate>(context, handle_type(owner),
                                                detail::key_of_number<Key>(key));
        };
        return hm_index_remove_if(&own_.c, ask, &doomed);
    }
    void clear() noexcept
    {
        hm_index_clear(&own_.c);
    }
    status reserve(std::uint32_t n) noexcept
    {
        return hm_index_reserve(&own_.c, n);
    }

    /* The members of a key: one array, until the index changes. Empty if there are none. O(1), for
     * hashed keys on average. A loop that changes the index asks again each time. */
    [[nodiscard]] span<const handle_type> members(Key key) const noexcept
    {
        std::uint32_t count;
        const hm_handle *found = hm_index_members(&own_.c, detail::number_of_key(key), &count);
        return as_span(found, count);
    }
    /* The key of exactly this owner, if it has one. O(1). */
    [[nodiscard]] std::optional<Key> key_of(handle_type owner) const noexcept
    {
        std::uint64_t key;
        if (!hm_index_key_of(&own_.c, owner.id(), &key))
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
            found += hm_index_key_of_n(&own_.c, detail::ids(owners + i), end, numbers);
            for (std::uint32_t k = 0; k < end; k++)
                keys[i + k] = detail::key_of_number<Key>(numbers[k]);
        }
        return found;
    }
    std::uint32_t key_of_n(span<const handle_type> owners, Key *keys) const noexcept
    {
        return key_of_n(owners.data(), detail::count_of(owners.size()), keys);
    }
    [[nodiscard]] bool contains(handle_type owner) const noexcept
    {
        return hm_index_contains(&own_.c, owner.id());
    }
    std::uint32_t contains_n(const handle_type *owners, std::uint32_t n, bool *alive) const noexcept
    {
        return hm_index_contains_n(&own_.c, detail::ids(owners), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> owners, bool *alive) const noexcept
    {
        return contains_n(owners.data(), detail::count_of(owners.size()), alive);
    }
    /* A loop over the keys that have members, in the order of their memory. The index must not be
     * changed until it has ended. */
    [[nodiscard]] detail::walked<walk> entries() const noexcept
    {
        return detail::walked<walk>(&own_.c);
    }

    /* Owners that have a key. */
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_index_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    /* Keys that have members. */
    [[nodiscard]] std::uint32_t key_count() const noexcept
    {
        return hm_index_key_count(&own_.c);
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_index_capacity(&own_.c);
    }

    /* Closes the gaps between the arrays of members, within the budget. */
    progress defragment(hm::budget within = {}) noexcept
    {
        return hm_index_defragment(&own_.c, within);
    }
    status trim() noexcept
    {
        return hm_index_trim(&own_.c);
    }

    [[nodiscard]] handle_state explain(handle_type owner) const noexcept
    {
        return hm_index_explain(&own_.c, owner.id());
    }
    std::size_t describe(handle_type owner, char *buffer, std::size_t size) const noexcept
    {
        return hm_index_describe(&own_.c, owner.id(), buffer, size);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_index_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_index_validate(&own_.c);
    }

  private:
    status make(const hm_owners &owners, const index_options &with) noexcept
    {
        hm_index_fini(&own_.c);
        hm_index_desc desc{};
        desc.owners = owners;
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id;
        desc.key_limit = with.key_limit;
        desc.seed = with.seed;
        desc.memory = with.memory;
        desc.name = with.name;
        return hm_index_init(&own_.c, &desc);
    }
    static void read_keys(const void *keys, std::uint32_t first, std::uint32_t n,
                          std::uint64_t *numbers) noexcept
    {
        const Key *from = static_cast<const Key *>(keys) + first;
        for (std::uint32_t i = 0; i < n; i++)
            numbers[i] = detail::number_of_key(from[i]);
    }
    static span<const handle_type> as_span(const hm_handle *members, std::uint32_t count) noexcept
    {
        return {reinterpret_cast<const handle_type *>(members), count};
    }
};

template <class Owner, class Key> struct is_relocatable<index<Owner, Key>> : std::true_type {
};

} // namespace hm

#endif

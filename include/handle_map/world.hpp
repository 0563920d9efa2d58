/* SPDX-License-Identifier: MIT */
/* world, in C++: hm::world, hm::query and hm::commands, owners of their C structs, where a C++ type
 * names a component. What world.h, query.h and commands.h say holds here too.
 *
 * A component's type must be trivially copyable, or say by hm::is_relocatable<T> that it may be
 * moved as bytes. An empty type is a tag. A type becomes a component when the world first meets it,
 * or before by component<T>(). Example:
 *
 *     hm::world world(100000);
 *     hm::entity stone = world.create(position{1, 2}, velocity{0, 1});
 *     world.add(stone, heavy{});
 *     if (position *found = world.get<position>(stone))
 *         found->x += 1;
 *
 *     hm::query<position, const velocity> movers(world, hm::without<frozen>());
 *     movers.each([](position &p, const velocity &v) { p.x += v.x; });
 *
 * A query and commands keep the address of their world: it must outlive them, and must not be moved
 * meanwhile. While a loop of a query runs, record changes in commands.
 *
 * Threads: as in C; a type must have become a component before threads ask for it at once. */
#ifndef HANDLE_MAP_WORLD_HPP
#define HANDLE_MAP_WORLD_HPP

#include <handle_map/order.hpp>

#include <atomic>
#include <tuple>
#include <vector>

namespace hm
{

class world;
using entity = handle<world>;

/* How a component is made; those left out have the defaults of hm_component_desc. */
struct component_options {
    const char *name = nullptr; /* in messages; must outlive the world */
    hm_component_storage storage = HM_COMPONENT_TABLE;
};

namespace detail
{

/* Numbers the types that any world of the program has met. */
inline std::uint32_t next_type_number() noexcept
{
    static std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

template <class T> std::uint32_t type_number() noexcept
{
    static const std::uint32_t number = next_type_number();
    return number;
}

template <class T> constexpr bool is_tag = std::is_empty<T>::value;

/* A tag has no value. */
template <class T> const void *value_of(const maker<T> &made) noexcept
{
    return is_tag<T> ? nullptr : made.bytes();
}

} // namespace detail

class world
{
    detail::owned<hm_world, hm_world_fini> own_;
    std::vector<hm_component> numbers_; /* type number -> component, or HM_INVALID_INDEX */

  public:
    using handle_type = entity;

    /* An empty world of capacity 0. */
    world() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit world(std::uint32_t capacity) noexcept
    {
        options with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit world(const options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the world as it is, and makes it anew; fails as hm_world_init does. */
    status init(const options &with) noexcept
    {
        hm_world_fini(&own_.c);
        numbers_.clear();
        hm_world_desc desc{};
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id;
        desc.memory = with.memory;
        desc.name = with.name;
        return hm_world_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_world_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_world *c_world() noexcept
    {
        return &own_.c;
    }
    const hm_world *c_world() const noexcept
    {
        return &own_.c;
    }

    /* The component of a type, which is made if it is new: then with these options. Returns
     * HM_INVALID_INDEX if the world refuses it. O(1). */
    template <class T> hm_component component(const component_options &with = {})
    {
        static_assert(std::is_same<T, std::decay_t<T>>::value,
                      "a component's type is not const and no reference");
        static_assert(is_relocatable<T>::value,
                      "a world moves values as bytes: specialise hm::is_relocatable if this type "
                      "allows that");
        hm_component known = find<T>();
        if (known != HM_INVALID_INDEX)
            return known;
        hm_component_desc desc{};
        desc.size = detail::is_tag<T> ? 0 : sizeof(T);
        desc.align = detail::is_tag<T> ? 0 : alignof(T);
        desc.name = with.name;
        desc.storage = with.storage;
        if constexpr (!detail::is_tag<T>)
            desc.destroy = detail::destroy_hook<T>();
        std::uint32_t number = detail::type_number<T>();
        if (number >= numbers_.size())
            numbers_.resize(std::size_t{number} + 1, HM_INVALID_INDEX);
        return numbers_[number] = hm_world_component(&own_.c, &desc);
    }

    /* Makes an entity with these values; null when refused. Each type is given once. */
    template <class... Values> entity create(Values &&...values)
    {
        return make(detail::maker<std::decay_t<Values>>(std::forward<Values>(values))...);
    }
    bool destroy(entity which) noexcept
    {
        return hm_world_destroy(&own_.c, which.id());
    }
    std::uint32_t destroy_n(const entity *entities, std::uint32_t n) noexcept
    {
        return hm_world_destroy_n(&own_.c, detail::ids(entities), n);
    }
    void clear() noexcept
    {
        hm_world_clear(&own_.c);
    }

    /* Gives an entity a value, or replaces the one it has. Fails as hm_world_add does. */
    template <class T> status add(entity which, T &&value)
    {
        using type = std::decay_t<T>;
        hm_component added = component<type>();
        detail::maker<type> made(std::forward<T>(value));
        status returned = hm_world_add(&own_.c, which.id(), added, detail::value_of(made));
        if (returned == HM_OK && !detail::is_tag<type>)
            made.was_taken();
        return returned;
    }
    /* As hm_world_remove; HM_OK too if no entity ever had such a value. */
    template <class T> status remove(entity which) noexcept
    {
        hm_component removed = find<T>();
        if (removed == HM_INVALID_INDEX)
            return contains(which) ? HM_OK : HM_ERROR_STALE;
        return hm_world_remove(&own_.c, which.id(), removed);
    }
    /* The entity's value; nullptr if it is not alive or has none. O(1). */
    template <class T> T *get(entity which) noexcept
    {
        return static_cast<T *>(hm_world_get(&own_.c, which.id(), find<T>()));
    }
    template <class T> const T *get(entity which) const noexcept
    {
        return static_cast<const T *>(hm_world_get(&own_.c, which.id(), find<T>()));
    }
    template <class T> bool has(entity which) const noexcept
    {
        return hm_world_has(&own_.c, which.id(), find<T>());
    }
    bool contains(entity which) const noexcept
    {
        return hm_world_contains(&own_.c, which.id());
    }

    std::uint32_t size() const noexcept
    {
        return hm_world_count(&own_.c);
    }
    bool empty() const noexcept
    {
        return size() == 0;
    }
    std::uint32_t capacity() const noexcept
    {
        return hm_world_capacity(&own_.c);
    }
    status reserve(std::uint32_t n) noexcept
    {
        return hm_world_reserve(&own_.c, n);
    }
    entity upcoming(std::uint32_t k) const noexcept
    {
        return entity(hm_world_upcoming(&own_.c, k));
    }
    status trim() noexcept
    {
        return hm_world_trim(&own_.c);
    }

    /* Brings the rows of each table nearer to the order of these values. See order.hpp. */
    template <class T, class Less> progress defragment(Less less, hm::budget within = {}) noexcept
    {
        detail::by_less<T, Less> by(less);
        return hm_world_defragment(&own_.c, find<T>(), &by.order, within);
    }
    template <class T> void touch(entity which) noexcept
    {
        hm_world_touch(&own_.c, which.id(), find<T>());
    }
    template <class T> void touch_all() noexcept
    {
        hm_world_touch_all(&own_.c, find<T>());
    }
    std::uint64_t clock() const noexcept
    {
        return hm_world_clock(&own_.c);
    }

    handle_state explain(entity which) const noexcept
    {
        return hm_world_explain(&own_.c, which.id());
    }
    std::size_t describe(entity which, char *buffer, std::size_t length) const noexcept
    {
        return hm_world_describe(&own_.c, which.id(), buffer, length);
    }
    hm::stats stats() const noexcept
    {
        return hm_world_get_stats(&own_.c);
    }
    status validate() const noexcept
    {
        return hm_world_validate(&own_.c);
    }

  private:
    template <class T> hm_component find() const noexcept
    {
        std::uint32_t number = detail::type_number<std::remove_const_t<T>>();
        return number < numbers_.size() ? numbers_[number] : HM_INVALID_INDEX;
    }
    template <class... Types> entity make(detail::maker<Types> &&...made)
    {
        const hm_component set[] = {component<Types>()..., 0};
        const void *values[] = {detail::value_of(made)..., nullptr};
        hm_handle created = HM_NULL_HANDLE;
        status returned = hm_world_create_n(&own_.c, set, sizeof...(Types), 1, values, &created);
        ((returned == HM_OK && !detail::is_tag<Types> ? made.was_taken() : void()), ...);
        return entity(created);
    }
};

/* What a query leaves out, and what it visits only if there is one of. */
template <class... Types> struct without {
};
template <class... Types> struct any_of {
};

/* All entities that have these components; const: only read, else the loop may write. */
template <class... Types> class query
{
    detail::owned<hm_query, hm_query_fini> own_;

  public:
    /* An empty query, which matches nothing. */
    query() noexcept = default;
    /* If the query cannot be made, it matches nothing, and hm_last_error says why. */
    template <class... None, class... Any>
    explicit query(world &in, without<None...> = {}, any_of<Any...> = {})
    {
        const hm_component all[] = {in.component<std::remove_const_t<Types>>()..., 0};
        const hm_component none[] = {in.component<std::remove_const_t<None>>()..., 0};
        const hm_component any[] = {in.component<std::remove_const_t<Any>>()..., 0};
        hm_query_desc desc{};
        desc.all = all;
        desc.all_count = sizeof...(Types);
        desc.none = none;
        desc.none_count = sizeof...(None);
        desc.any = any;
        desc.any_count = sizeof...(Any);
        (void)hm_query_init(&own_.c, in.c_world(), &desc);
    }
    hm_query *c_query() noexcept
    {
        return &own_.c;
    }

    /* Calls f(values...) or f(entity, values...) for each entity; no values for tags. */
    template <class F> void each(F f)
    {
        each_view([&f](span<const entity> entities, auto *...columns) {
            for (std::size_t i = 0; i < entities.size(); i++) {
                if constexpr (std::is_invocable<F &, entity, decltype(columns[0])...>::value)
                    f(entities[i], columns[i]...);
                else
                    f(columns[i]...);
            }
        });
    }
    /* Calls f(entities, columns...) for each view: a span of entities, and for each component that
     * is no tag the address of as many values. */
    template <class F> void each_view(F f)
    {
        running loop(&own_.c);
        hm_view view;
        while (hm_query_next(&own_.c, &view))
            call(f, view, std::index_sequence_for<Types...>());
    }
    /* The number of entities that a loop would visit. */
    std::uint32_t count() noexcept
    {
        return hm_query_count(&own_.c);
    }

  private:
    /* Ends the loop also when f throws. */
    struct running {
        hm_query *c;

        explicit running(hm_query *of) noexcept : c(of)
        {
            hm_query_begin(c);
        }
        running(const running &) = delete;
        running &operator=(const running &) = delete;
        ~running()
        {
            hm_query_end(c);
        }
    };

    template <class T> static auto column(const hm_view &view, std::size_t i) noexcept
    {
        if constexpr (detail::is_tag<std::remove_const_t<T>>)
            return std::tuple<>();
        else
            return std::tuple<T *>(static_cast<T *>(view.columns[i]));
    }
    template <class F, std::size_t... I>
    static void call(F &f, const hm_view &view, std::index_sequence<I...>)
    {
        auto entities = reinterpret_cast<const entity *>(view.entities);
        std::apply(f, std::tuple_cat(std::make_tuple(span<const entity>(entities, view.count)),
                                     column<Types>(view, I)...));
    }
};

/* Changes that are recorded now and made by apply. */
class commands
{
    detail::owned<hm_commands, hm_commands_fini> own_;
    world *in_ = nullptr;

  public:
    /* If memory is refused, all recording fails, and hm_last_error says why. */
    explicit commands(world &in) noexcept : in_(&in)
    {
        (void)hm_commands_init(&own_.c, in.c_world());
    }
    hm_commands *c_commands() noexcept
    {
        return &own_.c;
    }

    /* Promises an entity, to which add gives values. Null unless world::reserve was called before
     * and has a handle left. */
    entity create() noexcept
    {
        return entity(hm_commands_create(&own_.c, nullptr, 0));
    }
    status destroy(entity which) noexcept
    {
        return hm_commands_destroy(&own_.c, which.id());
    }
    /* The type must be a component already where several threads record at once. */
    template <class T> status add(entity which, T &&value)
    {
        using type = std::decay_t<T>;
        hm_component added = in_->component<type>();
        detail::maker<type> made(std::forward<T>(value));
        status returned = hm_commands_add(&own_.c, which.id(), added, detail::value_of(made));
        if (returned == HM_OK && !detail::is_tag<type>)
            made.was_taken();
        return returned;
    }
    template <class T> status remove(entity which)
    {
        return hm_commands_remove(&own_.c, which.id(), in_->component<std::remove_const_t<T>>());
    }
    status apply() noexcept
    {
        return hm_commands_apply(&own_.c);
    }
    void clear() noexcept
    {
        hm_commands_clear(&own_.c);
    }
    std::uint32_t size() const noexcept
    {
        return hm_commands_count(&own_.c);
    }
    std::uint32_t skipped() const noexcept
    {
        return hm_commands_skipped(&own_.c);
    }
};

} // namespace hm

#endif
